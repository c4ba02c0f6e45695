/*
** Runs a script of SQL against one database and measures parts of it.
**
**   runner DATABASE <script
**
** A script is a list of directives, each on a line that begins with '#', and
** the SQL that follows up to the next one:
**
**   #load FILE      load an extension; its time is reported apart
**   #exec           run, not measured
**   #time           run, measured; the last result row is kept
**   #scan           measured: step and fetch every column in C
**   #hash           report count and checksum of the rows in their order
**   #loop LO HI N   repeat up to #end for id ranges of N; SQL with the
**   #end            parameters :lo and :hi gets the bounds of the range
**
** The answer is one line of JSON on standard output.  Wall and CPU time, bytes
** handed to write() and the high-water mark of resident memory are those of
** the measured parts alone.
*/
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>

typedef sqlite3_int64 i64;
typedef unsigned long long u64;

#define MAX_STEP 64

typedef struct Step Step;
struct Step {
  char *zVerb;                 /* Directive, with its argument */
  const char *zSql;            /* Text up to the next directive */
  double rWall;                /* Seconds, summed over the repetitions */
  u64 nWrite;                  /* Bytes written, likewise */
};

typedef struct Meter Meter;
struct Meter {
  double rWall, rUser, rSys;   /* Seconds */
  u64 nWrite;                  /* Bytes */
};

typedef struct Runner Runner;
struct Runner {
  sqlite3 *db;
  Step aStep[MAX_STEP];
  int nStep;
  i64 iLo, iHi;                /* The range of the current repetition */
  Meter sum;                   /* Of all measured parts */
  double rLoad;                /* Seconds the extension took to load */
  long nPeak;                  /* Peak resident memory, kB */
  sqlite3_str *pHash;          /* JSON: checksums */
  sqlite3_str *pRow;           /* JSON: last row of each measured part */
};

static void die(Runner *p, const char *zWhat, const char *zSql){
  fprintf(stderr, "runner: %s: %s\n%s\n", zWhat,
          p->db ? sqlite3_errmsg(p->db) : "", zSql);
  exit(1);
}

/* Number after zLabel in a file of /proc; 0 where there is none. */
static u64 procNumber(const char *zFile, const char *zLabel){
  char zLine[256];
  u64 n = 0;
  FILE *in = fopen(zFile, "r");
  if( in==0 ) return 0;
  while( fgets(zLine, sizeof(zLine), in) ){
    if( strncmp(zLine, zLabel, strlen(zLabel))==0 ){
      n = strtoull(zLine+strlen(zLabel), 0, 10);
      break;
    }
  }
  fclose(in);
  return n;
}

static double seconds(struct timeval t){
  return (double)t.tv_sec + (double)t.tv_usec/1e6;
}

static Meter meterRead(void){
  Meter m;
  struct timespec t;
  struct rusage r;
  m.nWrite = procNumber("/proc/self/io", "wchar: ");
  getrusage(RUSAGE_SELF, &r);
  m.rUser = seconds(r.ru_utime);
  m.rSys = seconds(r.ru_stime);
  clock_gettime(CLOCK_MONOTONIC, &t);
  m.rWall = (double)t.tv_sec + (double)t.tv_nsec/1e9;
  return m;
}

static void meterAdd(Runner *p, Step *pStep, const Meter *pFrom){
  Meter m = meterRead();
  pStep->rWall += m.rWall - pFrom->rWall;
  pStep->nWrite += m.nWrite - pFrom->nWrite;
  p->sum.rWall += m.rWall - pFrom->rWall;
  p->sum.rUser += m.rUser - pFrom->rUser;
  p->sum.rSys += m.rSys - pFrom->rSys;
  p->sum.nWrite += m.nWrite - pFrom->nWrite;
}

static void jsonText(sqlite3_str *pOut, const char *z){
  sqlite3_str_appendchar(pOut, 1, '"');
  for(; z && *z; z++){
    unsigned char c = (unsigned char)*z;
    if( c=='"' || c=='\\' ) sqlite3_str_appendf(pOut, "\\%c", c);
    else if( c<' ' ) sqlite3_str_appendf(pOut, "\\u%04x", c);
    else sqlite3_str_appendchar(pOut, 1, *z);
  }
  sqlite3_str_appendchar(pOut, 1, '"');
}

static void comma(sqlite3_str *pOut){
  if( sqlite3_str_length(pOut)>0 ) sqlite3_str_appendchar(pOut, 1, ',');
}

/* A row as a JSON object. */
static void rowKeep(Runner *p, sqlite3_stmt *pStmt){
  int i, n = sqlite3_column_count(pStmt);
  sqlite3_str_reset(p->pRow);
  for(i=0; i<n; i++){
    comma(p->pRow);
    jsonText(p->pRow, sqlite3_column_name(pStmt, i));
    sqlite3_str_appendchar(p->pRow, 1, ':');
    if( sqlite3_column_type(pStmt, i)==SQLITE_NULL ){
      sqlite3_str_appendall(p->pRow, "null");
    }else{
      jsonText(p->pRow, (const char*)sqlite3_column_text(pStmt, i));
    }
  }
}

static u64 hashBytes(u64 h, const void *pIn, int n){
  const unsigned char *a = pIn;
  int i;
  for(i=0; i<n; i++) h = (h ^ a[i]) * 0x100000001b3ULL;
  return h;
}

static u64 hashRow(u64 h, sqlite3_stmt *pStmt){
  int i, n = sqlite3_column_count(pStmt);
  for(i=0; i<n; i++){
    int eType = sqlite3_column_type(pStmt, i);
    h = hashBytes(h, &eType, sizeof(eType));
    if( eType==SQLITE_INTEGER ){
      i64 v = sqlite3_column_int64(pStmt, i);
      h = hashBytes(h, &v, sizeof(v));
    }else if( eType==SQLITE_FLOAT ){
      double r = sqlite3_column_double(pStmt, i);
      h = hashBytes(h, &r, sizeof(r));
    }else if( eType!=SQLITE_NULL ){
      const void *pBlob = sqlite3_column_blob(pStmt, i);
      int nByte = sqlite3_column_bytes(pStmt, i);
      h = hashBytes(h, &nByte, sizeof(nByte));
      h = hashBytes(h, pBlob, nByte);
    }
  }
  return h;
}

/* Fetch every column, as a reader in C does that wants the row. */
static u64 rowFetch(sqlite3_stmt *pStmt, u64 iSum){
  int i, n = sqlite3_column_count(pStmt);
  for(i=0; i<n; i++){
    switch( sqlite3_column_type(pStmt, i) ){
      case SQLITE_INTEGER:
        iSum += (u64)sqlite3_column_int64(pStmt, i);
        break;
      case SQLITE_FLOAT:
        iSum += sqlite3_column_double(pStmt, i)>0;
        break;
      case SQLITE_NULL:
        break;
      default: {
        const unsigned char *z = sqlite3_column_text(pStmt, i);
        int nByte = sqlite3_column_bytes(pStmt, i);
        iSum += (u64)nByte + (nByte>0 ? z[nByte-1] : 0);
      }
    }
  }
  return iSum;
}

static void parametersBind(Runner *p, sqlite3_stmt *pStmt){
  int i = sqlite3_bind_parameter_index(pStmt, ":lo");
  if( i ) sqlite3_bind_int64(pStmt, i, p->iLo);
  i = sqlite3_bind_parameter_index(pStmt, ":hi");
  if( i ) sqlite3_bind_int64(pStmt, i, p->iHi);
}

enum { RUN_STEP, RUN_KEEP, RUN_SCAN, RUN_HASH };

static void textRun(Runner *p, const char *zSql, int eHow){
  u64 h = 0xcbf29ce484222325ULL, iSum = 0;
  i64 nRow = 0;
  while( *zSql ){
    sqlite3_stmt *pStmt = 0;
    const char *zTail = 0;
    if( sqlite3_prepare_v2(p->db, zSql, -1, &pStmt, &zTail)!=SQLITE_OK ){
      die(p, "prepare", zSql);
    }
    if( pStmt ){
      parametersBind(p, pStmt);
      while( sqlite3_step(pStmt)==SQLITE_ROW ){
        nRow++;
        if( eHow==RUN_SCAN ) iSum = rowFetch(pStmt, iSum);
        else if( eHow==RUN_HASH ) h = hashRow(h, pStmt);
        else if( eHow==RUN_KEEP ) rowKeep(p, pStmt);
      }
      if( sqlite3_finalize(pStmt)!=SQLITE_OK ) die(p, "run", zSql);
    }
    zSql = zTail;
  }
  if( eHow==RUN_HASH ){
    comma(p->pHash);
    sqlite3_str_appendf(p->pHash, "\"%lld:%016llx\"", nRow, h);
  }
  if( eHow==RUN_SCAN && iSum==1 ) fputc('\n', stderr);
}

static void extensionLoad(Runner *p, const char *zFile){
  char *zErr = 0;
  Meter from = meterRead(), to;
  sqlite3_db_config(p->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, (int*)0);
  if( sqlite3_load_extension(p->db, zFile, 0, &zErr)!=SQLITE_OK ){
    fprintf(stderr, "runner: %s\n", zErr ? zErr : "load failed");
    exit(1);
  }
  to = meterRead();
  p->rLoad += to.rWall - from.rWall;
}

static int verbIs(const Step *pStep, const char *zVerb){
  size_t n = strlen(zVerb);
  return strncmp(pStep->zVerb, zVerb, n)==0
      && (pStep->zVerb[n]==0 || pStep->zVerb[n]==' ');
}

static void stepRun(Runner *p, Step *pStep){
  if( verbIs(pStep, "load") ){
    extensionLoad(p, pStep->zVerb+5);
  }else if( verbIs(pStep, "exec") ){
    textRun(p, pStep->zSql, RUN_STEP);
  }else if( verbIs(pStep, "hash") ){
    textRun(p, pStep->zSql, RUN_HASH);
  }else if( verbIs(pStep, "time") || verbIs(pStep, "scan") ){
    Meter from = meterRead();
    textRun(p, pStep->zSql, verbIs(pStep, "scan") ? RUN_SCAN : RUN_KEEP);
    meterAdd(p, pStep, &from);
    p->nPeak = (long)procNumber("/proc/self/status", "VmHWM:");
  }else{
    die(p, "no such directive", pStep->zVerb);
  }
}

static int loopRun(Runner *p, int iStep){
  i64 iFirst, iLast, nRange, i;
  int iEnd = iStep+1, j;
  if( sscanf(p->aStep[iStep].zVerb, "loop %lld %lld %lld", &iFirst, &iLast,
             &nRange)!=3 ){
    die(p, "loop needs three numbers", p->aStep[iStep].zVerb);
  }
  while( iEnd<p->nStep && !verbIs(&p->aStep[iEnd], "end") ) iEnd++;
  for(i=iFirst; i<=iLast; i+=nRange){
    p->iLo = i;
    p->iHi = i+nRange-1<iLast ? i+nRange-1 : iLast;
    for(j=iStep+1; j<iEnd; j++) stepRun(p, &p->aStep[j]);
  }
  return iEnd;
}

static char *inputRead(void){
  size_t n = 0, nAlloc = 1<<16, nGot;
  char *z = malloc(nAlloc+1);
  while( z && (nGot = fread(z+n, 1, nAlloc-n, stdin))>0 ){
    n += nGot;
    if( n==nAlloc ) z = realloc(z, (nAlloc *= 2) + 1);
  }
  if( z==0 ) exit(1);
  z[n] = 0;
  return z;
}

static void scriptParse(Runner *p, char *z){
  while( z && *z ){
    if( *z=='#' ){
      Step *pStep = &p->aStep[p->nStep];
      if( p->nStep++==MAX_STEP ) die(p, "too many directives", z);
      pStep->zVerb = z+1;
      pStep->zSql = "";
      z = strchr(z, '\n');
      if( z==0 ) break;
      *z++ = 0;
      if( *z!='#' ) pStep->zSql = z;
    }else{
      z = strstr(z, "\n#");
      if( z ) *z++ = 0;
    }
  }
}

static void answerPrint(Runner *p){
  int i;
  char *zHash = sqlite3_str_finish(p->pHash);
  char *zRow = sqlite3_str_finish(p->pRow);
  printf("{\"wall\":%.6f,\"user\":%.6f,\"sys\":%.6f,\"written\":%llu,"
         "\"peak_kb\":%ld,\"load\":%.6f,\"laps\":[", p->sum.rWall,
         p->sum.rUser, p->sum.rSys, p->sum.nWrite, p->nPeak, p->rLoad);
  for(i=0; i<p->nStep; i++){
    printf("%s%.6f", i ? "," : "", p->aStep[i].rWall);
  }
  printf("],\"hash\":[%s],\"row\":{%s}}\n", zHash ? zHash : "",
         zRow ? zRow : "");
  sqlite3_free(zHash);
  sqlite3_free(zRow);
}

int main(int argc, char **argv){
  Runner r;
  char *zScript;
  int i;

  memset(&r, 0, sizeof(r));
  if( argc!=2 ) die(&r, "usage", "runner DATABASE <script");
  zScript = inputRead();
  if( sqlite3_open(argv[1], &r.db)!=SQLITE_OK ) die(&r, "open", argv[1]);
  r.pHash = sqlite3_str_new(r.db);
  r.pRow = sqlite3_str_new(r.db);
  scriptParse(&r, zScript);
  for(i=0; i<r.nStep; i++){
    if( verbIs(&r.aStep[i], "loop") ) i = loopRun(&r, i);
    else stepRun(&r, &r.aStep[i]);
  }
  answerPrint(&r);
  sqlite3_close(r.db);
  free(zScript);
  return 0;
}
