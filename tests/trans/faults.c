/*
** Memory and files that fail: a call is made again and again, and each time
** another allocation or file operation fails, once or from then on.  Whatever
** happens, the call ends with an error or with all its work done; the database
** is as before or as after; no transaction stays open; the next call succeeds;
** and when all is closed no memory is left.
**
**   faults memory|file SCENARIO STEP FOLDER      one scenario
**   faults list                                  their names
**
** STEP 1 tries every place; 0 all of the first 300, then ever fewer.
*/
#include "autocdc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scenario Scenario;
struct Scenario {
  const char *zName;
  const char *zSetup;        /* Before the call; not at fault */
  const char *zCall;         /* May fail */
};

#define LOG "CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER, op TEXT);"
#define ROWS(N) "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c " \
  "WHERE i<" N ") INSERT INTO log SELECT i%9, 'v'||i, i, 'U' FROM c;"
#define MORE "INSERT INTO log SELECT id, v||'x', seq+0.5, iif(id=3,'D','U') " \
  "FROM log; ALTER TABLE log ADD COLUMN w; INSERT INTO log VALUES(99,'n',99,'U',1);"
#define CALL(M) "SELECT * FROM apply_changes('{\"source\":\"log\",\"target\":\"t\"," \
  "\"keys\":\"id\",\"sequence_by\":\"seq\",\"apply_as_deletes\":\"op=''D''\"," M "}')"
#define TRIGGER "CREATE TABLE seen(x); CREATE TRIGGER g AFTER INSERT ON t BEGIN " \
  "INSERT INTO seen VALUES(new.id); END;"
#define SCD1 CALL("\"scd_type\":1")
#define SCD2 CALL("\"scd_type\":2")
#define PART CALL("\"scd_type\":1,\"ignore_null_updates\":true")
#define PART2 CALL("\"scd_type\":2,\"ignore_null_updates\":true," \
  "\"track_history_column_list\":\"v\"")
#define CUT CALL("\"scd_type\":2,\"scd2_truncates\":\"close\"," \
  "\"apply_as_truncates\":\"seq=14\"")
#define CUT1 CALL("\"scd_type\":1,\"apply_as_truncates\":\"seq=14\"")
#define TEXTKEY "CREATE TABLE log(id TEXT, v TEXT, seq TEXT, op TEXT);" \
  "INSERT INTO log VALUES('a','1','2024-01-01','U'),('b',NULL,'2024-01-02','U')," \
  "('a','2','2024-01-03T00:00:00.5','U'),('b','2','2024-01-01','D');"

static const Scenario aScenario[] = {
  { "scd1", LOG ROWS("30"), SCD1 },
  { "scd2", LOG ROWS("30"), SCD2 },
  { "scd1_again", LOG ROWS("30") SCD1 ";" MORE, SCD1 },
  { "scd2_again", LOG ROWS("30") SCD2 ";" MORE, SCD2 },
  { "scd1_partial", LOG ROWS("20") PART ";" MORE, PART },
  { "scd2_partial", LOG ROWS("20") PART2 ";" MORE, PART2 },
  { "scd1_truncate", LOG ROWS("20") CUT1 ";" MORE, CUT1 },
  { "scd2_truncate", LOG ROWS("20") CUT ";" MORE, CUT },
  { "scd1_trigger", LOG ROWS("20") "CREATE TABLE t(id INTEGER PRIMARY KEY, v, seq);"
    TRIGGER, SCD1 },
  { "scd2_trigger", LOG ROWS("20") "CREATE TABLE t(id, v, seq, __START_AT, __END_AT);"
    TRIGGER SCD2 ";" MORE, SCD2 },
  { "text", TEXTKEY, CALL("\"scd_type\":2,\"tie_break\":\"first\"") },
  { "text_scd1", TEXTKEY,
    "SELECT * FROM apply_changes('{\"source\":\"log\",\"target\":\"t\",\"keys\":"
    "[\"id\",\"op\"],\"sequence_by\":[\"seq\",\"coalesce(v, 0)\"],\"scd_type\":1}')" },
  { "bitemporal", LOG ROWS("15"),
    CALL("\"scd_type\":\"bitemporal\",\"system_sequence_by\":\"seq\"") },
  { "query", LOG ROWS("15"), "SELECT * FROM apply_changes('{\"source\":"
    "\"SELECT * FROM log WHERE seq>2\",\"target\":\"t\",\"keys\":[\"id\",\"op\"],"
    "\"sequence_by\":\"seq\",\"scd_type\":2,\"where\":\"v IS NOT NULL\"}')" },
  { "spill", LOG ROWS("40000"), "SELECT * FROM apply_changes('{\"source\":\"log\","
    "\"target\":\"t\",\"keys\":\"id\",\"sequence_by\":\"seq\",\"scd_type\":1}',"
    "'{\"memory_mb\":1}')" },
  { "spill_scd2", LOG ROWS("30000"), "SELECT * FROM apply_changes('{\"source\":"
    "\"log\",\"target\":\"t\",\"keys\":\"id\",\"sequence_by\":\"seq\",\"scd_type\":2}',"
    "'{\"memory_mb\":1}')" },
  { "snapshot", LOG ROWS("9") "SELECT * FROM apply_changes_from_snapshot('{\"source\":"
    "\"log\",\"target\":\"t\",\"keys\":\"id\",\"scd_type\":2,\"version\":1}');"
    "UPDATE log SET v=v||'y' WHERE id>4; DELETE FROM log WHERE id=2;",
    "SELECT * FROM apply_changes_from_snapshot('{\"source\":\"log\",\"target\":\"t\","
    "\"keys\":\"id\",\"scd_type\":2,\"version\":2}')" },
  { "reset", LOG ROWS("9") SCD2 ";", "SELECT autocdc_reset('t')" },
  { "state", LOG ROWS("9") SCD2 ";", "SELECT * FROM autocdc_state('t')" },
  { "check", LOG ROWS("9") SCD2 ";", "SELECT * FROM autocdc_check('t')" },
  { "error", LOG ROWS("9") "INSERT INTO log VALUES(1,'x',NULL,'U');", SCD1 },
};
#define NSCENARIO ((int)(sizeof(aScenario)/sizeof(aScenario[0])))

static const char *zNow = "";        /* What is being done, for messages */

static void fail(const char *zWhat, int i, const char *zMsg){
  printf("%s, place %d: %s%s%s\n", zNow, i, zWhat, zMsg ? ": " : "",
         zMsg ? zMsg : "");
  exit(1);
}

/* ---- what fails ---- */

static struct {
  int bArmed;
  int nLeft;                 /* Operations that still succeed */
  int bStay;                 /* All after it fail too */
  int nHit;                  /* Failures so far */
  int eCode;                 /* Of file operations */
} fault;

static int faultNow(void){
  if( !fault.bArmed ) return 0;
  if( fault.nLeft>0 ){
    fault.nLeft--;
    return 0;
  }
  if( fault.nHit && !fault.bStay ) return 0;
  fault.nHit++;
  return 1;
}

static void faultArm(int i, int bStay, int eCode){
  fault.nLeft = i;
  fault.bStay = bStay;
  fault.nHit = 0;
  fault.eCode = eCode;
  fault.bArmed = 1;
}

static sqlite3_mem_methods mem;

static void *memMalloc(int n){
  return faultNow() ? 0 : mem.xMalloc(n);
}
static void *memRealloc(void *p, int n){
  return faultNow() ? 0 : mem.xRealloc(p, n);
}

/* ---- a file system that fails ---- */

typedef struct ShimFile ShimFile;
struct ShimFile {
  sqlite3_file base;
  sqlite3_file *pReal;       /* Behind this */
};
#define REAL(F) (((ShimFile*)(F))->pReal)
#define M(F) REAL(F)->pMethods

static sqlite3_vfs *pRealVfs;
static int nOpen;            /* Files that are open */

static int shimClose(sqlite3_file *p){
  nOpen--;
  return M(p)->xClose(REAL(p));
}
static int shimRead(sqlite3_file *p, void *a, int n, sqlite3_int64 i){
  if( faultNow() ) return SQLITE_IOERR_READ;
  return M(p)->xRead(REAL(p), a, n, i);
}
static int shimWrite(sqlite3_file *p, const void *a, int n, sqlite3_int64 i){
  if( faultNow() ) return fault.eCode;
  return M(p)->xWrite(REAL(p), a, n, i);
}
static int shimTruncate(sqlite3_file *p, sqlite3_int64 n){
  if( faultNow() ) return SQLITE_IOERR_TRUNCATE;
  return M(p)->xTruncate(REAL(p), n);
}
static int shimSync(sqlite3_file *p, int f){
  if( faultNow() ) return SQLITE_IOERR_FSYNC;
  return M(p)->xSync(REAL(p), f);
}
static int shimSize(sqlite3_file *p, sqlite3_int64 *pn){
  return M(p)->xFileSize(REAL(p), pn);
}
static int shimLock(sqlite3_file *p, int e){
  if( faultNow() ) return SQLITE_BUSY;
  return M(p)->xLock(REAL(p), e);
}
static int shimUnlock(sqlite3_file *p, int e){
  return M(p)->xUnlock(REAL(p), e);
}
static int shimReserved(sqlite3_file *p, int *pb){
  return M(p)->xCheckReservedLock(REAL(p), pb);
}
static int shimControl(sqlite3_file *p, int e, void *pArg){
  return M(p)->xFileControl(REAL(p), e, pArg);
}
static int shimSector(sqlite3_file *p){
  return M(p)->xSectorSize(REAL(p));
}
static int shimTraits(sqlite3_file *p){
  return M(p)->xDeviceCharacteristics(REAL(p));
}

static const sqlite3_io_methods shimMethods = {
  1, shimClose, shimRead, shimWrite, shimTruncate, shimSync, shimSize, shimLock,
  shimUnlock, shimReserved, shimControl, shimSector, shimTraits,
  0, 0, 0, 0, 0, 0
};

static int shimOpen(
  sqlite3_vfs *pVfs, const char *z, sqlite3_file *p, int f, int *pf
){
  int rc;
  (void)pVfs;
  p->pMethods = 0;
  if( faultNow() ) return SQLITE_CANTOPEN;
  ((ShimFile*)p)->pReal = (sqlite3_file*)((ShimFile*)p + 1);
  REAL(p)->pMethods = 0;
  rc = pRealVfs->xOpen(pRealVfs, z, REAL(p), f, pf);
  if( rc==SQLITE_OK ){
    p->pMethods = &shimMethods;
    nOpen++;
  }else if( REAL(p)->pMethods ){
    M(p)->xClose(REAL(p));
  }
  return rc;
}
static int shimDelete(sqlite3_vfs *pVfs, const char *z, int b){
  (void)pVfs;
  if( faultNow() ) return SQLITE_IOERR_DELETE;
  return pRealVfs->xDelete(pRealVfs, z, b);
}

static void shimRegister(void){
  static sqlite3_vfs shim;
  pRealVfs = sqlite3_vfs_find(0);
  shim = *pRealVfs;
  shim.pNext = 0;
  shim.zName = "shim";
  shim.szOsFile = (int)sizeof(ShimFile) + pRealVfs->szOsFile;
  shim.xOpen = shimOpen;
  shim.xDelete = shimDelete;
  sqlite3_vfs_register(&shim, 1);
}

/* ---- the database ---- */

static sqlite3 *dbOpen(const char *zPath){
  sqlite3 *db = 0;
  if( sqlite3_open(zPath, &db) || sqlite3_autocdc_init(db, 0, 0) ){
    fail("cannot open", 0, db ? sqlite3_errmsg(db) : 0);
  }
  sqlite3_extended_result_codes(db, 1);
  return db;
}

static void dbExec(sqlite3 *db, int i, const char *zSql){
  char *zErr = 0;
  if( sqlite3_exec(db, zSql, 0, 0, &zErr) ) fail(zSql, i, zErr);
}

static unsigned long long dbHash(
  unsigned long long h, sqlite3 *db, const char *zSql
){
  sqlite3_stmt *p = 0;
  if( sqlite3_prepare_v2(db, zSql, -1, &p, 0) ) fail(zSql, 0, sqlite3_errmsg(db));
  while( sqlite3_step(p)==SQLITE_ROW ){
    int i, j, n = sqlite3_column_count(p);
    for(i=0; i<n; i++){
      const unsigned char *a = sqlite3_column_blob(p, i);
      int nByte = sqlite3_column_bytes(p, i);
      h ^= (unsigned)sqlite3_column_type(p, i) ^ (unsigned)nByte<<3;
      h *= 1099511628211u;
      for(j=0; j<nByte; j++) h = (h ^ a[j])*1099511628211u;
    }
  }
  if( sqlite3_finalize(p) ) fail(zSql, 0, sqlite3_errmsg(db));
  return h;
}

/* A digest of all tables; of those that have times in them the number of rows. */
static unsigned long long dbDigest(sqlite3 *db){
  sqlite3_stmt *p = 0;
  unsigned long long h = dbHash(1469598103u, db,
      "SELECT type, name, sql FROM sqlite_schema "
      "WHERE name NOT LIKE 'sqlite%' ORDER BY 2");
  sqlite3_prepare_v2(db, "SELECT iif(name IN ('autocdc_runs', "
      "'autocdc_versions'), 'SELECT count(*)', 'SELECT *') || "
      "printf(' FROM \"%w\"', name) FROM sqlite_schema "
      "WHERE type='table' ORDER BY name", -1, &p, 0);
  while( sqlite3_step(p)==SQLITE_ROW ){
    h = dbHash(h, db, (const char*)sqlite3_column_text(p, 0));
  }
  sqlite3_finalize(p);
  return h;
}

/* ---- one scenario ---- */

typedef struct Image Image;
struct Image {
  unsigned char *a;
  sqlite3_int64 n;
};

static void imageWrite(const Image *p, const char *zPath){
  FILE *f = fopen(zPath, "wb");
  if( f==0 || fwrite(p->a, 1, (size_t)p->n, f)!=(size_t)p->n ){
    fail("cannot write", 0, zPath);
  }
  fclose(f);
}

/* A connection to the database of the image. */
static sqlite3 *imageOpen(const Image *p, const char *zPath){
  sqlite3 *db;
  if( zPath ){
    imageWrite(p, zPath);
    return dbOpen(zPath);
  }
  db = dbOpen(":memory:");
  if( p->n ){
    unsigned char *a = sqlite3_malloc64((sqlite3_uint64)p->n);
    memcpy(a, p->a, (size_t)p->n);
    sqlite3_deserialize(db, "main", a, p->n, p->n,
        SQLITE_DESERIALIZE_FREEONCLOSE|SQLITE_DESERIALIZE_RESIZEABLE);
  }
  return db;
}

/* Is an error such as the fault must give? */
static int codeFits(int rc, int bFile, const char *zMsg){
  int e = rc & 0xff;
  if( strstr(zMsg, "not an error") ) return 0;
  if( !bFile ) return e==SQLITE_NOMEM;
  return e==SQLITE_IOERR || e==SQLITE_FULL || e==SQLITE_CANTOPEN || e==SQLITE_BUSY
      || e==SQLITE_NOMEM || e==SQLITE_CORRUPT;
}

static void run(const Scenario *pS, int bFile, int iStep, const char *zPath){
  static const int aCode[] = { SQLITE_IOERR_WRITE, SQLITE_FULL };
  unsigned long long iBefore, iAfter;
  sqlite3_int64 nBase;
  Image image;
  sqlite3 *db;
  int iWay, nWay = bFile ? 4 : 2, nPlace = 0;
  int bFails = strcmp(pS->zName, "error")==0;
  /* Without memory at all not even ROLLBACK can be prepared.  A statement that
  ** reads a table is rolled back by SQLite itself; one without is not. */
  int bFunc = strcmp(pS->zName, "reset")==0;
  if( bFile ) remove(zPath);
  db = dbOpen(bFile ? zPath : ":memory:");
  dbExec(db, 0, pS->zSetup);
  iBefore = dbDigest(db);
  image.a = sqlite3_serialize(db, "main", &image.n, 0);
  if( !bFails ) dbExec(db, 0, pS->zCall);
  iAfter = dbDigest(db);
  sqlite3_close(db);
  sqlite3_close(imageOpen(&image, bFile ? zPath : 0));
  nBase = sqlite3_memory_used();
  for(iWay=0; iWay<nWay; iWay++){
    int i, iJump = 1, bBegin = iWay&1 && !bFile;
    for(i=0; ; i+=iJump){
      char *zErr = 0;
      int rc, bDone;
      unsigned long long h;
      db = imageOpen(&image, bFile ? zPath : 0);
      if( !bFile ) dbExec(db, i, "PRAGMA cache_size=-2000");
      if( bBegin && i%3==2 ) dbExec(db, i, "BEGIN");
      faultArm(i, iWay&1, aCode[iWay/2]);
      rc = sqlite3_exec(db, pS->zCall, 0, 0, &zErr);
      fault.bArmed = 0;
      nPlace++;
      if( fault.nHit==0 ){
        if( rc!=SQLITE_OK && !bFails ) fail("failed by itself", i, zErr);
      }else if( rc!=SQLITE_OK && !bFails
             && !codeFits(rc, bFile, zErr ? zErr : "") ){
        printf("code %d\n", rc);
        fail("another error than expected", i, zErr);
      }
      bDone = fault.nHit==0;
      if( (bBegin || bFunc) && !sqlite3_get_autocommit(db) ){
        dbExec(db, i, rc ? "ROLLBACK" : "COMMIT");
      }
      if( !sqlite3_get_autocommit(db) ) fail("a transaction is open", i, zErr);
      if( bFile && rc ){
        if( sqlite3_close(db) ) fail("cannot close", i, 0);
        if( nOpen ) fail("a file is open", i, zErr);
        db = dbOpen(zPath);
      }
      h = dbDigest(db);
      if( rc==SQLITE_OK && h!=iAfter && !bFails ) fail("says that it is done", i, 0);
      /* An error after the commit, when the SELECT gives its row, undoes nothing */
      if( rc && h!=iBefore && h!=iAfter ) fail("left half done", i, zErr);
      if( rc && h==iBefore && !bFails ){
        dbExec(db, i, pS->zCall);
        if( dbDigest(db)!=iAfter ) fail("the next call gives other tables", i, zErr);
      }
      sqlite3_free(zErr);
      if( sqlite3_close(db) ) fail("cannot close", i, 0);
      if( nOpen ) fail("a file is open", i, 0);
      if( sqlite3_memory_used()!=nBase ){
        printf("%lld bytes\n", sqlite3_memory_used()-nBase);
        fail("memory is left", i, 0);
      }
      if( bDone ) break;
      iJump = iStep ? iStep : 1 + (i>300 ? i/40 : 0);
    }
  }
  sqlite3_free(image.a);
  printf("%d places\n", nPlace);
}

int main(int argc, char **argv){
  int i;
  if( argc==2 && strcmp(argv[1], "list")==0 ){
    for(i=0; i<NSCENARIO; i++) printf("%s\n", aScenario[i].zName);
    return 0;
  }
  if( argc!=5 ) return 2;
  if( strcmp(argv[1], "memory")==0 ){
    sqlite3_mem_methods mine;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &mem);
    mine = mem;
    mine.xMalloc = memMalloc;
    mine.xRealloc = memRealloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &mine);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
    sqlite3_initialize();
  }else{
    sqlite3_initialize();
    shimRegister();
  }
  for(i=0; i<NSCENARIO; i++){
    if( strcmp(aScenario[i].zName, argv[2])==0 ){
      char *zPath = sqlite3_mprintf("%s/faults.db", argv[4]);
      zNow = argv[2];
      run(&aScenario[i], strcmp(argv[1], "file")==0, atoi(argv[3]), zPath);
      sqlite3_free(zPath);
      return 0;
    }
  }
  printf("no scenario %s\n", argv[2]);
  return 2;
}
