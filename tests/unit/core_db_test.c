/*
** Tests of ext/core: transactions, the facts of tables, and what all of it
** does when memory runs out.
*/
#include "core_fix.h"
#include <stdlib.h>

/* ---- trans.c -------------------------------------------------------- */

/*
** run(X): a public call of ours in small.  It writes two rows into t in a
** transaction, with what X says going wrong in between.
*/
static void runFunc(sqlite3_context *pCall, int nArg, sqlite3_value **apArg){
  sqlite3 *db = sqlite3_context_db_handle(pCall);
  const char *zHow = (const char*)sqlite3_value_text(apArg[0]);
  AcdcCtx c;
  AcdcTrans t = {0, 0};
  AcdcTrans unit = {0, 0};
  ACDC_UNUSED(nArg);
  acdcCtxInit(&c, db);
  acdcTransBegin(&c, &t, "run()");
  acdcExec(&c, "INSERT INTO t VALUES(101)");
  if( strcmp(zHow, "error")==0 ){
    acdcError(&c, SQLITE_CONSTRAINT, "bad data");
  }else if( strcmp(zHow, "unit")==0 ){
    acdcUnitBegin(&c, &unit);
    acdcExec(&c, "INSERT INTO t VALUES(201)");
    acdcError(&c, SQLITE_CONSTRAINT, "bad unit");
    acdcUnitEnd(&c, &unit);
    acdcCtxClear(&c);
    acdcUnitBegin(&c, &unit);
    acdcExec(&c, "INSERT INTO t VALUES(202)");
    acdcUnitEnd(&c, &unit);
  }else if( strcmp(zHow, "lostunit")==0 ){
    acdcUnitBegin(&c, &unit);
    acdcExec(&c, "INSERT OR ROLLBACK INTO t VALUES(101)");
    acdcUnitEnd(&c, &unit);
    acdcCtxClear(&c);
    acdcUnitBegin(&c, &unit);
    acdcExec(&c, "INSERT INTO t VALUES(203)");
    acdcUnitEnd(&c, &unit);
  }else if( strcmp(zHow, "intunit")==0 ){
    acdcUnitBegin(&c, &unit);
    acdcExec(&c, "INSERT INTO t VALUES(204)");
    sqlite3_interrupt(db);
    UNIT_CHECK(acdcInterrupted(&c));
    acdcUnitEnd(&c, &unit);
    acdcCtxClear(&c);
  }else if( strcmp(zHow, "swallowed")==0 ){
    acdcExec(&c, "INSERT OR ROLLBACK INTO t VALUES(101)");
    acdcCtxClear(&c);
  }else if( strcmp(zHow, "rollback")==0 ){
    acdcExec(&c, "INSERT OR ROLLBACK INTO t VALUES(101)");
  }else if( strcmp(zHow, "interrupt")==0 ){
    UNIT_CHECK(!acdcInterrupted(&c));
    sqlite3_interrupt(db);
    UNIT_CHECK(acdcInterrupted(&c));
  }else if( strcmp(zHow, "late")==0 ){
    sqlite3_interrupt(db);
  }else if( strcmp(zHow, "orphan")==0 ){
    acdcExec(&c, "INSERT INTO child VALUES(77)");
  }
  if( !sqlite3_get_autocommit(db) ) acdcExec(&c, "INSERT INTO t VALUES(102)");
  acdcTransEnd(&c, &t);
  UNIT_INT(t.bOpen, 0);
  if( c.rc ){
    sqlite3_result_error(pCall, acdcErrorText(&c), -1);
  }else{
    sqlite3_result_int(pCall, 1);
  }
  acdcCtxClear(&c);
}

static void transOpen(Fixture *p){
  fixtureOpen(p, "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1);"
    "CREATE TABLE log(x);"
    "CREATE TABLE child(a REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED);"
    "PRAGMA foreign_keys=on");
  sqlite3_create_function(p->db, "run", 1, SQLITE_UTF8|SQLITE_DIRECTONLY, 0,
                          runFunc, 0, 0);
}

/* Run SQL that has to fail with zPart in the message. */
static void failsWith(sqlite3 *db, const char *zSql, const char *zPart){
  char *zErr = 0;
  UNIT_CHECK(sqlite3_exec(db, zSql, 0, 0, &zErr)!=SQLITE_OK);
  UNIT_HAS(zErr, zPart);
  sqlite3_free(zErr);
}

UNIT_TEST(transOwn){
  Fixture f;
  transOpen(&f);
  UNIT_INT(sqlite3_exec(f.db, "SELECT run('') FROM log", 0, 0, 0), 0);
  UNIT_INT(sqlite3_exec(f.db, "SELECT run('unit')", 0, 0, 0), 0);
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);
  UNIT_INT(countOf(f.db, "t"), 4);
  fixtureClose(&f);

  transOpen(&f);
  failsWith(f.db, "SELECT run('error')", "bad data");
  failsWith(f.db, "SELECT run('rollback')", "UNIQUE");
  failsWith(f.db, "SELECT run('swallowed')", "was rolled back while");
  failsWith(f.db, "SELECT run('lostunit')", "was rolled back while");
  failsWith(f.db, "SELECT run('interrupt')", "interrupt");
  failsWith(f.db, "SELECT run('late')", "interrupt");
  failsWith(f.db, "SELECT run('intunit')", "was rolled back while");
  failsWith(f.db, "SELECT run('orphan')", "FOREIGN KEY");
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);
  UNIT_INT(countOf(f.db, "t"), 1);
  UNIT_INT(countOf(f.db, "child"), 0);
  fixtureClose(&f);
}

UNIT_TEST(transJoined){
  Fixture f;
  const char *zBegin = "BEGIN; INSERT INTO t VALUES(50)";
  transOpen(&f);
  sqlite3_exec(f.db, zBegin, 0, 0, 0);
  failsWith(f.db, "SELECT run('error')", "bad data");
  UNIT_INT(sqlite3_get_autocommit(f.db), 0);
  UNIT_INT(countOf(f.db, "t"), 2);
  UNIT_INT(sqlite3_exec(f.db, "SELECT run('orphan')", 0, 0, 0), 0);
  failsWith(f.db, "COMMIT", "FOREIGN KEY");
  sqlite3_exec(f.db, "ROLLBACK", 0, 0, 0);
  UNIT_INT(countOf(f.db, "t"), 1);

  sqlite3_exec(f.db, zBegin, 0, 0, 0);
  failsWith(f.db, "SELECT run('rollback')",
            "UNIQUE constraint failed: t.a; SQLite has rolled back the whole");
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);
  sqlite3_exec(f.db, zBegin, 0, 0, 0);
  failsWith(f.db, "SELECT run('swallowed')", "rolled back the whole");
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);
  sqlite3_exec(f.db, zBegin, 0, 0, 0);
  failsWith(f.db, "SELECT run('interrupt')",
            "interrupted; SQLite has rolled back the whole");
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);
  sqlite3_exec(f.db, zBegin, 0, 0, 0);
  failsWith(f.db, "SELECT run('intunit')", "rolled back the whole");
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);
  UNIT_INT(countOf(f.db, "t"), 1);
  fixtureClose(&f);
}

static int denySavepoint(
  void *pArg, int eAction, const char *z1, const char *z2, const char *z3,
  const char *z4
){
  ACDC_UNUSED(pArg); ACDC_UNUSED(z1); ACDC_UNUSED(z2);
  ACDC_UNUSED(z3); ACDC_UNUSED(z4);
  return eAction==SQLITE_SAVEPOINT ? SQLITE_DENY : SQLITE_OK;
}

UNIT_TEST(transRefused){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  AcdcTrans t = {0, 0};
  transOpen(&f);
  failsWith(f.db, "INSERT INTO log SELECT run('')",
            "run() cannot run while a statement of this connection writes:"
            " call it from a plain SELECT");
  failsWith(f.db, "CREATE TABLE x AS SELECT run('')",
            "call it from a plain SELECT");
  failsWith(f.db, "CREATE TEMP TABLE x AS SELECT run('')",
            "call it from a plain SELECT");
  UNIT_INT(countOf(f.db, "t"), 1);

  sqlite3_set_authorizer(f.db, denySavepoint, 0);
  acdcTransBegin(p, &t, "run()");
  UNIT_INT(t.bOpen, 0);
  acdcTransEnd(p, &t);
  ERROR_IS(p, SQLITE_AUTH, "run() cannot start: not authorized");
  sqlite3_set_authorizer(f.db, 0, 0);

  sqlite3_exec(f.db, "PRAGMA query_only=on", 0, 0, 0);
  acdcTransBegin(p, &t, "run()");
  acdcExec(p, "INSERT INTO t VALUES(8)");
  acdcTransEnd(p, &t);
  ERROR_IS(p, SQLITE_READONLY, "readonly database");
  sqlite3_exec(f.db, "PRAGMA query_only=off", 0, 0, 0);
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);

  sqlite3_exec(f.db, "CREATE TABLE big(x); PRAGMA max_page_count=1", 0, 0, 0);
  acdcTransBegin(p, &t, "run()");
  acdcExec(p, "INSERT INTO big VALUES(zeroblob(100000))");
  acdcTransEnd(p, &t);
  ERROR_IS(p, SQLITE_FULL, "full");
  UNIT_INT(sqlite3_get_autocommit(f.db), 1);

  /* In error already: nothing begins, nothing ends. */
  acdcError(p, SQLITE_ERROR, "before");
  acdcTransBegin(p, &t, "run()");
  acdcUnitBegin(p, &t);
  UNIT_INT(t.bOpen, 0);
  acdcUnitEnd(p, &t);
  acdcTransEnd(p, &t);
  ERROR_IS(p, SQLITE_ERROR, "before");

  /* A unit with no transaction around it. */
  acdcUnitBegin(p, &t);
  UNIT_INT(t.bOpen, 0);
  ERROR_IS(p, SQLITE_ABORT_ROLLBACK, "was rolled back");
  fixtureClose(&f);
}

/* A name for a database file that no other run of the tests has. */
static void tempDbName(char *zOut, int nOut){
  const char *zDir = getenv("TMPDIR");
  u64 iRandom;
  sqlite3_randomness(sizeof(iRandom), &iRandom);
  sqlite3_snprintf(nOut, zOut, "%s/acdc%llx.db",
                   zDir && zDir[0] ? zDir : "/tmp", iRandom);
}

/* Remove a database file of the test and what belongs to it. */
static void removeDb(const char *zFile){
  char zName[220];
  remove(zFile);
  sqlite3_snprintf(sizeof(zName), zName, "%s-wal", zFile);
  remove(zName);
  sqlite3_snprintf(sizeof(zName), zName, "%s-shm", zFile);
  remove(zName);
  sqlite3_snprintf(sizeof(zName), zName, "%s-journal", zFile);
  remove(zName);
}

UNIT_TEST(transBusy){
  char zFile[200];
  sqlite3 *db = 0;
  sqlite3 *db2 = 0;
  AcdcCtx c;
  AcdcTrans t = {0, 0};
  sqlite3_stmt *pRead;
  tempDbName(zFile, sizeof(zFile));
  UNIT_INT(sqlite3_open(zFile, &db), SQLITE_OK);
  UNIT_INT(sqlite3_open(zFile, &db2), SQLITE_OK);
  acdcCtxInit(&c, db);
  acdcExec(&c, "PRAGMA journal_mode=delete");
  acdcExec(&c, "CREATE TABLE t(a)");
  acdcExec(&c, "INSERT INTO t VALUES(1)");
  UNIT_INT(c.rc, SQLITE_OK);

  /* The commit is refused: another connection reads. */
  sqlite3_exec(db2, "BEGIN; SELECT * FROM t", 0, 0, 0);
  acdcTransBegin(&c, &t, "run()");
  UNIT_INT(t.bOwn, 1);
  acdcExec(&c, "INSERT INTO t VALUES(2)");
  UNIT_INT(c.rc, SQLITE_OK);
  acdcTransEnd(&c, &t);
  ERROR_IS(&c, SQLITE_BUSY, "database is locked (another connection holds");
  UNIT_INT(sqlite3_get_autocommit(db), 1);
  sqlite3_exec(db2, "COMMIT", 0, 0, 0);
  UNIT_INT(countOf(db2, "t"), 1);

  /* What we have read is no longer the newest state. */
  acdcExec(&c, "PRAGMA journal_mode=wal");
  acdcExec(&c, "BEGIN");
  UNIT_INT(acdcSelectInt(&c, 0, "SELECT count(*) FROM t"), 1);
  UNIT_INT(sqlite3_exec(db2, "INSERT INTO t VALUES(3)", 0, 0, 0), SQLITE_OK);
  acdcTransBegin(&c, &t, "run()");
  UNIT_INT(t.bOwn, 0);
  acdcExec(&c, "INSERT INTO t VALUES(4)");
  acdcTransEnd(&c, &t);
  ERROR_IS(&c, SQLITE_BUSY_SNAPSHOT, "BEGIN IMMEDIATE");
  UNIT_INT(sqlite3_get_autocommit(db), 0);
  acdcExec(&c, "ROLLBACK");

  /* An open reader of our own is no obstacle. */
  pRead = acdcPrepare(&c, 0, "SELECT * FROM t");
  UNIT_INT(acdcStep(&c, pRead), 1);
  acdcTransBegin(&c, &t, "run()");
  acdcExec(&c, "INSERT INTO t VALUES(5)");
  acdcTransEnd(&c, &t);
  UNIT_INT(acdcStep(&c, pRead), 1);
  acdcFinalize(&c, &pRead);
  UNIT_INT(c.rc, SQLITE_OK);
  UNIT_INT(countOf(db2, "t"), 3);
  acdcCtxClear(&c);
  UNIT_INT(sqlite3_close(db), SQLITE_OK);
  UNIT_INT(sqlite3_close(db2), SQLITE_OK);
  removeDb(zFile);
}

/* ---- table.c -------------------------------------------------------- */

UNIT_TEST(affinity){
  UNIT_INT(acdcAffinity(0), 'A');
  UNIT_INT(acdcAffinity(""), 'A');
  UNIT_INT(acdcAffinity("blob"), 'A');
  UNIT_INT(acdcAffinity("VARCHAR(20)"), 'B');
  UNIT_INT(acdcAffinity("clob"), 'B');
  UNIT_INT(acdcAffinity("Text"), 'B');
  UNIT_INT(acdcAffinity("CHARINT"), 'D');
  UNIT_INT(acdcAffinity("FLOATING POINT"), 'D');
  UNIT_INT(acdcAffinity("tinyint"), 'D');
  UNIT_INT(acdcAffinity("DOUBLE"), 'E');
  UNIT_INT(acdcAffinity("real"), 'E');
  UNIT_INT(acdcAffinity("float"), 'E');
  UNIT_INT(acdcAffinity("STRING"), 'C');
  UNIT_INT(acdcAffinity("DECIMAL(10,5)"), 'C');
  UNIT_INT(acdcAffinity("ANY"), 'C');
}

UNIT_TEST(tableFacts){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  AcdcTable t;
  fixtureOpen(&f,
    "CREATE TABLE T1(Id INTEGER PRIMARY KEY, name TEXT COLLATE nocase NOT NULL,"
    " n DECIMAL, b, r REAL, g AS (n+1), s AS (n+2) STORED, rowid);"
    "CREATE TABLE kdesc(a INTEGER PRIMARY KEY DESC);"
    "CREATE TABLE kdesc2(a INTEGER, PRIMARY KEY(a DESC));"
    "CREATE TABLE kint(a INT PRIMARY KEY);"
    "CREATE TABLE kuni(a INT UNIQUE PRIMARY KEY, _rowid_, oid, rowid);"
    "CREATE TABLE kauto(a integer primary key autoincrement, b UNIQUE);"
    "CREATE TABLE k2(a INTEGER, b INTEGER, c, PRIMARY KEY(b, a));"
    "CREATE TABLE wr(a INTEGER PRIMARY KEY, b) WITHOUT ROWID;"
    "CREATE TABLE st(a INTEGER PRIMARY KEY, b ANY, c INT) STRICT;"
    "CREATE VIEW v AS SELECT name, n+1 AS m FROM t1;"
    "CREATE VIEW broken AS SELECT * FROM nosuch;"
    "CREATE TABLE \"odd \"\"name\"(\"a b\" TEXT COLLATE rtrim);");

  UNIT_INT(acdcTableFind(p, 0, "t1", &t), 1);
  UNIT_STR(t.zSchema, "main");
  UNIT_STR(t.zName, "T1");
  UNIT_INT(t.nCol, 8);
  UNIT_INT(t.iIpk, 0);
  UNIT_STR(t.zRowid, "_rowid_");
  UNIT_CHECK(!t.bView && !t.bVirtual && !t.bWithoutRowid && !t.bStrict);
  UNIT_INT(acdcTableColumn(&t, "NAME"), 1);
  UNIT_INT(acdcTableColumn(&t, "nam"), -1);
  UNIT_INT(acdcTableColumn(&t, 0), -1);
  UNIT_STR(t.aCol[0].zName, "Id");
  UNIT_INT(t.aCol[0].iPk, 1);
  UNIT_STR(t.aCol[0].zColl, 0);
  UNIT_STR(t.aCol[1].zColl, "nocase");
  UNIT_INT(t.aCol[1].bNotNull, 1);
  UNIT_INT(t.aCol[1].cAff, 'B');
  UNIT_INT(t.aCol[2].cAff, 'C');
  UNIT_STR(t.aCol[3].zType, "");
  UNIT_INT(t.aCol[3].cAff, 'A');
  UNIT_INT(t.aCol[4].cAff, 'E');
  UNIT_INT(t.aCol[4].bGenerated, 0);
  UNIT_INT(t.aCol[5].bGenerated, 1);
  UNIT_INT(t.aCol[6].bGenerated, 1);
  acdcTableClear(&t);
  UNIT_CHECK(t.nCol==0 && t.aCol==0 && t.iIpk==-1);
  acdcTableClear(&t);
  acdcTableClear(0);

  UNIT_INT(acdcTableFind(p, 0, "kdesc", &t), 1);
  UNIT_INT(t.iIpk, -1);
  UNIT_STR(t.zRowid, "rowid");
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "kdesc2", &t), 1);
  UNIT_INT(t.iIpk, 0);
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "kint", &t), 1);
  UNIT_INT(t.iIpk, -1);
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "kuni", &t), 1);
  UNIT_INT(t.iIpk, -1);
  UNIT_STR(t.zRowid, 0);
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "kauto", &t), 1);
  UNIT_INT(t.iIpk, 0);
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "k2", &t), 1);
  UNIT_INT(t.iIpk, -1);
  UNIT_INT(t.aCol[0].iPk, 2);
  UNIT_INT(t.aCol[1].iPk, 1);
  UNIT_INT(t.aCol[2].iPk, 0);
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "wr", &t), 1);
  UNIT_CHECK(t.bWithoutRowid && t.zRowid==0 && t.iIpk==-1);
  UNIT_INT(t.aCol[0].bNotNull, 1);
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "st", &t), 1);
  UNIT_CHECK(t.bStrict && t.iIpk==0);
  UNIT_INT(t.aCol[1].cAff, 'A');
  UNIT_INT(t.aCol[2].cAff, 'D');
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "v", &t), 1);
  UNIT_CHECK(t.bView && t.zRowid==0 && t.iIpk==-1);
  UNIT_INT(t.nCol, 2);
  UNIT_INT(t.aCol[0].cAff, 'B');
  acdcTableClear(&t);
  UNIT_INT(acdcTableFind(p, 0, "odd \"name", &t), 1);
  UNIT_STR(t.aCol[0].zColl, "rtrim");
  acdcTableClear(&t);
  UNIT_INT(p->rc, SQLITE_OK);

  UNIT_INT(acdcTableFind(p, 0, "broken", &t), 0);
  ERROR_IS(p, SQLITE_ERROR, "no such table: main.nosuch");
  UNIT_CHECK(t.zName==0 && t.nCol==0);
  acdcError(p, SQLITE_ERROR, "before");
  UNIT_INT(acdcTableFind(p, 0, "t1", &t), 0);
  UNIT_CHECK(t.zName==0 && t.iIpk==-1);
  fixtureClose(&f);
}

/*
** A module whose tables have the columns a, rowid and, hidden, _rowid_; and
** no rows, nor a way to ask for them.
*/
static int modConnect(
  sqlite3 *db, void *pAux, int nArg, const char *const*azArg,
  sqlite3_vtab **ppVtab, char **pzErr
){
  ACDC_UNUSED(pAux); ACDC_UNUSED(nArg); ACDC_UNUSED(azArg);
  ACDC_UNUSED(pzErr);
  *ppVtab = sqlite3_malloc(sizeof(sqlite3_vtab));
  if( *ppVtab==0 ) return SQLITE_NOMEM;
  memset(*ppVtab, 0, sizeof(sqlite3_vtab));
  return sqlite3_declare_vtab(db,
      "CREATE TABLE x(a TEXT COLLATE nocase, rowid, _rowid_ HIDDEN)");
}

static int modDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int modBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  ACDC_UNUSED(pVtab); ACDC_UNUSED(pInfo);
  return SQLITE_CONSTRAINT;
}

UNIT_TEST(tableVirtual){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  AcdcTable t;
  sqlite3_module mod;
  fixtureOpen(&f, 0);
  memset(&mod, 0, sizeof(mod));
  mod.xCreate = mod.xConnect = modConnect;
  mod.xDestroy = mod.xDisconnect = modDisconnect;
  mod.xBestIndex = modBestIndex;
  UNIT_INT(sqlite3_create_module(f.db, "mod", &mod, 0), SQLITE_OK);
  acdcExec(p, "CREATE VIRTUAL TABLE vt USING mod");
  UNIT_INT(acdcTableFind(p, 0, "main.VT", &t), 1);
  UNIT_CHECK(t.bVirtual && !t.bView && !t.bWithoutRowid && t.iIpk==-1);
  UNIT_INT(t.nCol, 2);
  UNIT_STR(t.aCol[0].zColl, "nocase");
  UNIT_STR(t.zRowid, "oid");
  acdcTableClear(&t);
  ERROR_IS(p, SQLITE_OK, "");
  fixtureClose(&f);
}

/* Where a name leads to, as "schema|name|first column". */
static char *foundAs(AcdcCtx *p, const char *zSchema, const char *z){
  AcdcTable t;
  char *zRet = 0;
  if( acdcTableFind(p, zSchema, z, &t) ){
    zRet = acdcMprintf(p, "%s|%s|%s", t.zSchema, t.zName, t.aCol[0].zName);
    acdcTableClear(&t);
  }
  return zRet;
}

UNIT_TEST(tableNames){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  fixtureOpen(&f,
    "ATTACH ':memory:' AS aux1; ATTACH ':memory:' AS \"a.b\";"
    "CREATE TABLE t(m); CREATE TABLE aux1.t(x); CREATE TABLE aux1.only(o);"
    "CREATE TABLE \"aux1.t\"(dotted); CREATE TABLE \"a.b\".d(y);"
    "CREATE TABLE \"q\"\"t\"(z);");
  TEXT_IS(foundAs(p, 0, "T"), "main|t|m");
  sqlite3_exec(f.db, "CREATE TEMP TABLE t(tmp)", 0, 0, 0);
  TEXT_IS(foundAs(p, 0, "t"), "temp|t|tmp");
  TEXT_IS(foundAs(p, 0, "main.t"), "main|t|m");
  TEXT_IS(foundAs(p, 0, "temp.t"), "temp|t|tmp");
  TEXT_IS(foundAs(p, 0, "MAIN.\"T\""), "main|t|m");
  TEXT_IS(foundAs(p, 0, "aux1.only"), "aux1|only|o");
  TEXT_IS(foundAs(p, 0, "only"), "aux1|only|o");
  TEXT_IS(foundAs(p, 0, "aux1.t"), "main|aux1.t|dotted");
  TEXT_IS(foundAs(p, 0, "\"aux1.t\""), "main|aux1.t|dotted");
  TEXT_IS(foundAs(p, 0, "\"aux1\".t"), "aux1|t|x");
  TEXT_IS(foundAs(p, "temp", "aux1.t"), "aux1|t|x");
  TEXT_IS(foundAs(p, "main", "t"), "main|t|m");
  TEXT_IS(foundAs(p, "AUX1", "t"), "aux1|t|x");
  TEXT_IS(foundAs(p, "main", "only"), 0);
  TEXT_IS(foundAs(p, "nosuch", "t"), 0);
  TEXT_IS(foundAs(p, 0, "\"a.b\".d"), "a.b|d|y");
  TEXT_IS(foundAs(p, 0, "\"q\"\"t\""), "main|q\"t|z");
  TEXT_IS(foundAs(p, 0, "q\"t"), "main|q\"t|z");
  TEXT_IS(foundAs(p, 0, "nosuch"), 0);
  TEXT_IS(foundAs(p, 0, "nosuch.t"), 0);
  TEXT_IS(foundAs(p, 0, "\"main.t\""), 0);
  TEXT_IS(foundAs(p, 0, ""), 0);
  TEXT_IS(foundAs(p, 0, "  "), 0);
  TEXT_IS(foundAs(p, 0, 0), 0);
  ERROR_IS(p, SQLITE_OK, "");
  sqlite3_db_config(f.db, SQLITE_DBCONFIG_MAINDBNAME, "prime");
  TEXT_IS(foundAs(p, 0, "main.t"), "main|t|m");
  TEXT_IS(foundAs(p, 0, "prime.t"), "prime|t|m");
  fixtureClose(&f);
}

UNIT_TEST(tableWide){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  AcdcTable t;
  char *zSql = 0;
  int i;
  fixtureOpen(&f, 0);
  acdcAppendf(p, &zSql, "CREATE TABLE w(c0 TEXT");
  for(i=1; i<300; i++) acdcAppendf(p, &zSql, ", c%d INT", i);
  acdcAppendf(p, &zSql, ", PRIMARY KEY(c0");
  for(i=1; i<300; i++) acdcAppendf(p, &zSql, ", c%d", i);
  acdcExec(p, "%z))", zSql);
  UNIT_INT(acdcTableFind(p, 0, "w", &t), 1);
  UNIT_INT(t.nCol, 300);
  UNIT_INT(acdcTableColumn(&t, "C299"), 299);
  UNIT_INT(t.aCol[9].iPk, 10);
  UNIT_CHECK(t.aCol[255].iPk!=0);
  acdcTableClear(&t);
  ERROR_IS(p, SQLITE_OK, "");
  fixtureClose(&f);
}

/* ---- Memory runs out everywhere ------------------------------------- */

static void everything(Fixture *f){
  AcdcCtx *p = &f->ctx;
  AcdcNames a = {0, 0};
  AcdcNames b = {0, 0};
  AcdcArena arena = {0, 0, 0};
  AcdcTrans t = {0, 0};
  AcdcTrans unit = {0, 0};
  AcdcTable table;
  AcdcVal v;
  AcdcVal vCopy;
  char *zList = 0;
  char *zS = 0;
  char *zN = 0;
  v.eType = SQLITE_TEXT;
  v.n = 5;
  v.u.z = (const u8*)"value";
  acdcSplitList(p, "a, b, (c, d), e, f, g", &a);
  acdcNamesCopy(p, &b, &a);
  sqlite3_free(acdcNamesText(p, &b));
  acdcAppendf(p, &zList, "%d", 1);
  acdcAppendf(p, &zList, "%d", 2);
  acdcSplitName(p, "main.t", &zS, &zN);
  acdcValCopy(p, &arena, &vCopy, &v);
  sqlite3_free(acdcValText(p, &v));
  acdcTransBegin(p, &t, "everything()");
  acdcUnitBegin(p, &unit);
  acdcExec(p, "INSERT INTO t VALUES(7)");
  sqlite3_free(acdcSelectText(p, "SELECT 'x'"));
  acdcUnitEnd(p, &unit);
  if( acdcTableFind(p, 0, zN, &table) ) acdcTableClear(&table);
  acdcExec(p, "DELETE FROM t WHERE a=7");
  acdcErrorWhere(p, "in %s", "everything");
  acdcTransEnd(p, &t);
  sqlite3_free(zList);
  sqlite3_free(zS);
  sqlite3_free(zN);
  acdcNamesFree(&a);
  acdcNamesFree(&b);
  acdcArenaFree(&arena);
}

UNIT_TEST(faults){
  int iFault;
  int nError = 0;
  UNIT_EACH_FAULT(iFault){
    Fixture f;
    int rc;
    fixtureOpen(&f, "CREATE TABLE t(a INT PRIMARY KEY COLLATE nocase)");
    unitFaultAt(iFault);
    everything(&f);
    rc = f.ctx.rc;
    unitFaultAt(0);
    if( rc!=SQLITE_OK ){
      nError++;
      UNIT_INT(rc&0xff, SQLITE_NOMEM);
      UNIT_CHECK(acdcErrorText(&f.ctx)[0]!=0);
    }
    if( !UNIT_INT(sqlite3_get_autocommit(f.db), 1) ){
      printf("  at %d\n", iFault);
    }
    UNIT_INT(countOf(f.db, "t"), 0);
    fixtureClose(&f);
  }
  UNIT_CHECK(nError>50 && iFault<5000);
}

int main(void){
  unitFaultInit();
  UNIT_RUN(transOwn);
  UNIT_RUN(transJoined);
  UNIT_RUN(transRefused);
  UNIT_RUN(transBusy);
  UNIT_RUN(affinity);
  UNIT_RUN(tableFacts);
  UNIT_RUN(tableVirtual);
  UNIT_RUN(tableNames);
  UNIT_RUN(tableWide);
  UNIT_RUN(faults);
  return unitDone();
}
