/*
** Tests of ext/merge in C: codes of keys against SQLite's comparison, records,
** the sorter with and without its file, and the merge of one key, whose
** expected versions are written down event by event.
*/
#include "merge/merge.h"
#include "merge/history.h"
#include "../../include/autocdc.h"
#include "unit.h"

#include <stdlib.h>

static u32 iSeed = 12345;
static u32 rnd(u32 n){
  iSeed = iSeed*1664525u + 1013904223u;
  return (iSeed>>8) % n;
}

/* ---- keycode.c ---- */

/* Bind a value and compare it with another by SQLite: <0, 0, >0. */
static int sqlCompare(sqlite3_stmt *p, const AcdcVal *pA, const AcdcVal *pB){
  int c;
  acdcValBind(p, 1, pA);
  acdcValBind(p, 2, pB);
  sqlite3_step(p);
  c = sqlite3_column_int(p, 0);
  sqlite3_reset(p);
  return c;
}

static const char *const azText[] = {
  "", "a", "ab", "b", "A", "0", "9", "10", "\x01", "\xc3\xa9", "zzzzzzzzzzzz"
};

static void randomVal(AcdcVal *pV){
  static const u8 aBlob[] = {0, 0, 255, 0, 1, 2};
  static const double aReal[] = {
    0.5, -0.5, 1e300, -1e300, 3.25, -3.25, 9223372036854775808.0, 1e-300,
    -1e-300, 4503599627370496.5, -9223372036854775808.0, 2.0, -1.0
  };
  static const i64 aInt[] = {
    0, 1, -1, 2, 127, 128, 255, 256, -128, -129, -256, -257, 65535, 65536,
    ((i64)1)<<53, (((i64)1)<<53)+1, -((((i64)1)<<53)+1)
  };
  memset(pV, 0, sizeof(*pV));
  switch( rnd(5) ){
    case 0:
      pV->eType = SQLITE_INTEGER;
      pV->u.i = rnd(2) ? aInt[rnd(17)] : (i64)rnd(1000) - 500;
      break;
    case 1:
      pV->eType = SQLITE_FLOAT;
      pV->u.r = aReal[rnd(13)];
      break;
    case 2:
      pV->eType = SQLITE_TEXT;
      pV->u.z = (const u8*)azText[rnd(11)];
      pV->n = (int)strlen((const char*)pV->u.z);
      break;
    case 3:
      pV->eType = SQLITE_BLOB;
      pV->n = (int)rnd(6);
      pV->u.z = aBlob + rnd((u32)(7-pV->n));
      break;
    default:
      pV->eType = SQLITE_NULL;
      break;
  }
}

static int sign(int c){ return c<0 ? -1 : c>0; }

UNIT_TEST(keycode_has_the_order_of_sqlite){
  sqlite3 *db;
  sqlite3_stmt *p;
  int i, nBad = 0;
  sqlite3_open(":memory:", &db);
  /* IS for equality; ORDER BY says which comes first, NULLs included */
  sqlite3_prepare_v2(db, "SELECT CASE WHEN ?1 IS ?2 THEN 0 ELSE "
      "(SELECT n FROM (SELECT ?1 AS v, -1 AS n UNION ALL SELECT ?2, 1) "
      "ORDER BY v LIMIT 1) END", -1, &p, 0);
  for(i=0; i<20000; i++){
    AcdcVal a[2], b[2];
    u8 aA[200], aB[200];
    int n = 1 + (int)rnd(2), na, nb, c, want, j;
    for(j=0; j<n; j++){
      randomVal(&a[j]);
      randomVal(&b[j]);
      if( rnd(3)==0 ) b[j] = a[j];
    }
    for(j=0; j<n; j++){
      /* Under valgrind SQLite compares such pairs with too few bits */
      if( (a[j].eType==SQLITE_INTEGER && b[j].eType==SQLITE_FLOAT
        && (a[j].u.i>1e15 || a[j].u.i<-1e15))
       || (b[j].eType==SQLITE_INTEGER && a[j].eType==SQLITE_FLOAT
        && (b[j].u.i>1e15 || b[j].u.i<-1e15)) ){
        b[j] = a[j];
      }
    }
    na = acdcKeyCode(a, n, aA);
    nb = acdcKeyCode(b, n, aB);
    if( na>acdcKeyCodeMax(a, n) ) nBad++;
    c = memcmp(aA, aB, (size_t)(na<nb ? na : nb));
    if( c==0 ) c = na - nb;
    want = sqlCompare(p, &a[0], &b[0]);
    if( want==0 && n==2 ) want = sqlCompare(p, &a[1], &b[1]);
    if( sign(c)!=want ) nBad++;
  }
  UNIT_INT(nBad, 0);
  sqlite3_finalize(p);
  sqlite3_close(db);
}

/* ---- record.c ---- */

UNIT_TEST(records_come_back){
  int i, nBad = 0;
  for(i=0; i<5000; i++){
    AcdcVal a, b;
    u8 aBuf[64];
    u8 *aEnd;
    const u8 *z;
    int n;
    randomVal(&a);
    if( a.eType==SQLITE_INTEGER && rnd(2) ){
      a.u.i = (i64)(((u64)rnd(1<<24)<<40) ^ ((u64)rnd(1<<24)<<20) ^ rnd(1<<24));
    }
    n = acdcRecSize(&a);
    aEnd = acdcRecPut(aBuf, &a);
    z = acdcRecGet(aBuf, &b);
    if( aEnd-aBuf!=n || z!=aEnd || b.eType!=a.eType ) nBad++;
    else if( !acdcValIs(&a, &b) ) nBad++;
    if( acdcRecGetSafe(aBuf, aEnd, &b)!=aEnd ) nBad++;
    if( n>1 && acdcRecGetSafe(aBuf, aEnd-1, &b)!=0 ) nBad++;
  }
  UNIT_INT(nBad, 0);
}

/* ---- sorter.c ---- */

/*
** Sort n events and check key, sequence and arrival order.  nKeyText>0: keys
** are texts with that many bytes in common.
*/
static void sortAndCheck(int n, i64 nMemory, int nKeyText, int bSpill){
  AcdcCtx ctx;
  AcdcSeqKind kind;
  AcdcSorter *pS;
  const AcdcEntry *aE;
  sqlite3 *db;
  int i, nGot = 0, nBad = 0, bMore, nGroup;
  i64 iLastKey = -1;
  sqlite3_open(":memory:", &db);
  acdcCtxInit(&ctx, db);
  memset(&kind, 0, sizeof(kind));
  kind.nPart = 1;
  kind.aClass[0] = ACDC_SEQ_NUMBER;
  pS = acdcSorterNew(&ctx, nMemory, &kind);
  for(i=0; i<n; i++){
    u32 iKey = rnd(n/4+1), iSeq = rnd(20);
    u8 aCode[64];
    int nCode = 0, j;
    u64 a = (u64)iKey ^ ((u64)1<<63);
    u8 *pRec;
    if( nKeyText ){
      for(j=0; j<nKeyText; j++) aCode[nCode++] = 'x';
      for(j=20; j>=0; j-=4) aCode[nCode++] = (u8)('a' + ((iKey>>j) & 15));
      for(j=0; j<6; j++) aCode[nCode++] = 'q';
      for(a=0, j=0; j<8; j++) a = (a<<8) | aCode[j];
    }
    pRec = acdcSorterAdd(&ctx, pS, a, (u64)iSeq ^ ((u64)1<<63),
                         1 + (nCode ? 1+nCode : 0) + 12);
    if( pRec==0 ) break;
    *pRec++ = (u8)(nCode ? ACDC_REC_KEY : 0);
    if( nCode ){
      pRec = acdcVarintPut(pRec, (u64)nCode);
      memcpy(pRec, aCode, nCode);
      acdcSorterCodes(pS, pRec, nCode, 0);
      pRec += nCode;
    }
    memcpy(pRec, &iKey, 4);
    memcpy(pRec+4, &iSeq, 4);
    memcpy(pRec+8, &i, 4);
  }
  acdcSorterFinish(&ctx, pS);
  UNIT_INT(acdcSorterInMemory(pS), !bSpill);
  while( (nGroup = acdcSorterGroup(&ctx, pS, 1<<20, &aE, &bMore))>0 ){
    u32 iKey0 = 0, iSeq0 = 0;
    int iArrival0 = -1;
    for(i=0; i<nGroup; i++){
      const u8 *z = aE[i].pRec + 1;
      u32 iKey, iSeq;
      int iArrival;
      if( nKeyText ) z += 1 + nKeyText + 12;
      memcpy(&iKey, z, 4);
      memcpy(&iSeq, z+4, 4);
      memcpy(&iArrival, z+8, 4);
      if( i==0 ){
        if( (i64)iKey<=iLastKey ) nBad++;
        iLastKey = iKey;
      }else{
        if( iKey!=iKey0 || iSeq<iSeq0 ) nBad++;
        if( iSeq==iSeq0 && iArrival<=iArrival0 ) nBad++;
      }
      iKey0 = iKey; iSeq0 = iSeq; iArrival0 = iArrival;
      nGot++;
    }
  }
  UNIT_INT(ctx.rc, SQLITE_OK);
  UNIT_INT(nGot, n);
  UNIT_INT(nBad, 0);
  acdcSorterFree(pS);
  acdcCtxClear(&ctx);
  sqlite3_close(db);
}

UNIT_TEST(sorter_in_memory){
  sortAndCheck(10, 1<<24, 0, 0);
  sortAndCheck(30000, 1<<24, 0, 0);
  sortAndCheck(30000, 1<<24, 3, 0);      /* codes of two words */
  sortAndCheck(5000, 1<<24, 40, 0);      /* long, but in common */
}

UNIT_TEST(sorter_with_runs_in_a_file){
  sortAndCheck(30000, 1<<18, 0, 1);
  sortAndCheck(30000, 1<<18, 3, 1);
  sortAndCheck(20000, 1<<18, 40, 1);
}

/* ---- one key ---- */

/*
** Events "seq:kind:value" by blanks, a bar between calls; kinds are u, d.  The
** table that they must give, as "value@start-end" by blanks.
*/
static void oneKey(const char *zEvents, const char *zWant, int iLine){
  sqlite3 *db;
  sqlite3_stmt *p;
  char *zErr = 0, *zGot = 0;
  const char *z = zEvents;
  sqlite3_open(":memory:", &db);
  sqlite3_autocdc_init(db, &zErr, 0);
  sqlite3_exec(db, "CREATE TABLE log(k INTEGER, v TEXT, op TEXT, s INTEGER)",
               0, 0, 0);
  while( 1 ){
    int iSeq, nUsed = 0;
    char cKind, zVal[20] = "";
    while( *z==' ' ) z++;
    if( *z=='|' || *z==0 ){
      if( sqlite3_exec(db, "SELECT * FROM apply_changes('{\"target\":\"t\","
          "\"source\":\"log\",\"keys\":\"k\",\"sequence_by\":\"s\","
          "\"scd_type\":2,\"apply_as_deletes\":\"op=''d''\","
          "\"except_column_list\":\"op,s\"}')", 0, 0, &zErr) ){
        unitCheck(0, __FILE__, iLine, zErr);
      }
      if( *z==0 ) break;
      z++;
      continue;
    }
    if( sscanf(z, "%d:%c:%19[a-z]%n", &iSeq, &cKind, zVal, &nUsed)<3 ){
      sscanf(z, "%d:%c%n", &iSeq, &cKind, &nUsed);
    }
    if( nUsed==0 ) break;
    z += nUsed;
    zErr = sqlite3_mprintf("INSERT INTO log VALUES(1, %Q, '%c', %d)",
                           zVal[0] ? zVal : 0, cKind, iSeq);
    sqlite3_exec(db, zErr, 0, 0, 0);
    sqlite3_free(zErr);
    zErr = 0;
  }
  sqlite3_prepare_v2(db, "SELECT group_concat(v||'@'||__START_AT||'-'||"
      "ifnull(__END_AT,''), ' ') FROM (SELECT * FROM t ORDER BY __START_AT)",
      -1, &p, 0);
  sqlite3_step(p);
  zGot = sqlite3_mprintf("%s", sqlite3_column_text(p, 0));
  unitStr(zGot ? zGot : "", zWant, __FILE__, iLine, zEvents);
  sqlite3_free(zGot);
  sqlite3_finalize(p);
  UNIT_INT(sqlite3_close(db), SQLITE_OK);
}
#define ONE_KEY(zEvents, zWant) oneKey(zEvents, zWant, __LINE__)

UNIT_TEST(versions_of_one_key){
  ONE_KEY("1:u:a 2:u:b", "a@1-2 b@2-");
  ONE_KEY("2:u:b | 1:u:a", "a@1-2 b@2-");
  ONE_KEY("1:u:a 5:d", "a@1-5");
  ONE_KEY("5:d | 1:u:a", "a@1-5");                   /* delete first */
  ONE_KEY("1:u:a 5:d | 3:d", "a@1-3");               /* an earlier delete */
  ONE_KEY("1:u:a 5:d | 3:d | 4:u:b", "a@1-3 b@4-5"); /* 5 is remembered */
  ONE_KEY("1:u:a 9:u:b | 5:d", "a@1-5 b@9-");        /* a gap */
  ONE_KEY("1:u:a 9:u:b | 5:d | 7:u:a", "a@1-5 a@7-9 b@9-");
}

UNIT_TEST(runs_of_one_key){
  ONE_KEY("1:u:a 2:u:a 3:u:a", "a@1-");
  ONE_KEY("1:u:a 3:u:a 5:u:a | 4:u:b", "a@1-4 b@4-5 a@5-");
  ONE_KEY("1:u:a 3:u:a 5:u:a | 4:d", "a@1-4 a@5-");
  ONE_KEY("1:u:a 3:u:a 5:u:a | 2:u:b", "a@1-2 b@2-3 a@3-");
  ONE_KEY("3:u:a | 1:u:a", "a@1-");                  /* only the start moves */
  ONE_KEY("1:u:a 3:u:b 5:u:a | 3:u:a", "a@1-");      /* a tie joins them */
  ONE_KEY("1:u:a 2:u:a 3:u:a 4:u:a | 2:d | 3:d", "a@1-2 a@4-");
}

UNIT_TEST(clusters_of_one_key){
  /* events at both ends and in the middle of a history, in one call */
  ONE_KEY("10:u:a 20:u:b 30:u:c | 5:u:x 15:u:y 25:d 35:u:z",
          "x@5-10 a@10-15 y@15-20 b@20-25 c@30-35 z@35-");
  ONE_KEY("10:u:a 20:u:a 30:u:a | 15:u:b 25:u:b 12:u:a",
          "a@10-15 b@15-20 a@20-25 b@25-30 a@30-");
}

UNIT_TEST(ties_of_one_key){
  ONE_KEY("1:u:a 1:u:b", "b@1-");
  ONE_KEY("1:u:a | 1:u:b | 1:d | 1:u:c", "c@1-");
  ONE_KEY("1:u:a 5:d | 5:u:b", "a@1-5 b@5-");
  ONE_KEY("1:u:a 5:u:b 9:u:c | 5:d", "a@1-5 c@9-");
}

int main(void){
  UNIT_RUN(keycode_has_the_order_of_sqlite);
  UNIT_RUN(records_come_back);
  UNIT_RUN(sorter_in_memory);
  UNIT_RUN(sorter_with_runs_in_a_file);
  UNIT_RUN(versions_of_one_key);
  UNIT_RUN(runs_of_one_key);
  UNIT_RUN(clusters_of_one_key);
  UNIT_RUN(ties_of_one_key);
  return unitDone();
}
