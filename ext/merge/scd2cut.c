/*
** New truncates of a history (semantics.md 4.5): what is open at one ends there.
** Events of the batch have been merged by then, and cut in their windows; what
** is left are versions that no event of the batch came near.
**
** The target is read once, however many truncates there are.  The keys that
** have to be cut are sorted on the way, with bounded memory, and then looked at
** one by one like the keys of events.
*/
#include "scd2int.h"

#define CUT_GROUP  4096              /* rows of a key at a time */
#define CUT_MEMORY (4*1024*1024)     /* bytes for sorting keys */

typedef AcdcScd2 Scd2;

/* Cut what the key at hand has open at a truncate, up to its next event. */
static void cutAt(Scd2 *pS, const AcdcSeq *pSeq){
  AcdcHistEvent h;
  acdcHistKey(&pS->hist, pS->aKey);
  pS->n = 0;
  pS->bBound = 0;
  if( !acdcHistLE(&pS->hist, pSeq, &h) ) return;
  if( acdcWinCmp(pS, &h.ev.seq, pSeq)==0 ){
    AcdcHistEvent before;
    /* An event there lives; it may have to leave the run it is in */
    if( h.pRow==0 ) return;
    if( acdcHistBefore(&pS->hist, pSeq, &before) ){
      acdcWinPushKnown(pS, &before);
    }
  }
  acdcWinPushKnown(pS, &h);
  if( acdcHistGT(&pS->hist, pSeq, &h) ){
    acdcWinPushKnown(pS, &h);
    pS->bBound = 1;
  }
  if( pS->p->rc ) return;
  acdcWinAddMarks(pS, 0);
  acdcWinApply(pS);
}

/*
** Cut the key at hand at the new truncates from number i on.  Between two
** events of it one truncate is enough.
*/
void acdcCutKey(AcdcScd2 *pS, int i){
  AcdcSeq *const*apMark = pS->apMark;
  int n = pS->pM->nNewMark;
  AcdcHistEvent h;
  pS->nEv = pS->iEv = pS->bFirst = 0;
  while( i<n && pS->p->rc==0 ){
    cutAt(pS, apMark[i]);
    acdcArenaReset(&pS->arena);
    if( i+1==n ) break;
    acdcWriterFlush(pS->pM);
    acdcHistKey(&pS->hist, pS->aKey);
    if( !acdcHistGT(&pS->hist, apMark[i], &h) ) break;
    for(i++; i<n && acdcWinCmp(pS, apMark[i], &h.ev.seq)<0; i++);
  }
}

/*
** The first of the truncates that the row a statement stands on has to be cut
** at: columns start and end come behind the keys.  -1: none.
*/
static int cutRowMark(Scd2 *pS, sqlite3_stmt *pStmt){
  AcdcMerge *pM = pS->pM;
  AcdcSeq *const*apMark = pS->apMark;
  AcdcSeq start, end;
  AcdcVal v;
  int n = pM->nNewMark, lo = 0, hi = n;
  acdcValColumn(&v, pStmt, pM->nKey);
  acdcSeqReadShown(pS->p, &pM->st.kind, &v, &pS->arena, &start);
  if( pS->p->rc ) return -1;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    int c = acdcWinCmp(pS, apMark[mid], &start);
    if( c<0 || (c==0 && !pM->bPartial) ) lo = mid+1; else hi = mid;
  }
  if( lo>=n ) return -1;
  acdcValColumn(&v, pStmt, pM->nKey+1);
  if( v.eType==SQLITE_NULL ) return lo;
  acdcSeqReadShown(pS->p, &pM->st.kind, &v, &pS->arena, &end);
  if( pS->p->rc ) return -1;
  return acdcWinCmp(pS, apMark[lo], &end)<0 ? lo : -1;
}

/* Note the key that a statement stands on, to be cut from truncate iMark on. */
static void cutLater(
  Scd2 *pS, AcdcSorter *pSorter, sqlite3_stmt *pStmt, int iMark
){
  AcdcCtx *p = pS->p;
  AcdcVal aKey[ACDC_MAXKEY];
  int nKey = pS->pM->nKey, i, nCode, n = 11;
  u8 *aCode, *a;
  u64 word;
  for(i=0; i<nKey; i++){
    acdcValColumn(&aKey[i], pStmt, i);
    n += acdcRecSize(&aKey[i]);
  }
  aCode = acdcArenaAlloc(p, &pS->arena, acdcKeyCodeMax(aKey, nKey)+1);
  if( aCode==0 ) return;
  nCode = acdcKeyCode(aKey, nKey, aCode);
  for(word=0, i=0; i<8; i++) word = (word<<8) | (i<nCode ? aCode[i] : 0);
  a = acdcSorterAdd(p, pSorter, word, (u64)iMark ^ ((u64)1<<63), n + nCode);
  if( a==0 ) return;
  *a++ = ACDC_DELETE | ACDC_REC_KEY;
  a = acdcVarintPut(a, nCode);
  memcpy(a, aCode, nCode);
  acdcSorterCodes(pSorter, a, nCode, 0);
  a += nCode;
  for(i=0; i<nKey; i++) a = acdcRecPut(a, &aKey[i]);
}

/* Find the keys to be cut.  Nothing is written while the target is read. */
static void cutFind(Scd2 *pS, AcdcSorter *pSorter){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  const char *zFn = pM->bNative ? "" : "autocdc_seq_key";
  sqlite3_stmt *pStmt;
  char *zKeys = 0;
  int i, n = pM->nNewMark;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "\"%w\",", pM->aKey[i].zName);
  }
  pStmt = acdcPrepare(p, 0, "SELECT %s \"" ACDC_START "\", \"" ACDC_END "\" "
      "FROM %s WHERE %s(\"" ACDC_START "\")<%s%s(?2) AND (\"" ACDC_END "\" IS "
      "NULL OR %s(\"" ACDC_END "\")>%s(?1))", zKeys ? zKeys : "", pM->zTgtSql,
      zFn, pM->bPartial ? "=" : "", zFn, zFn, zFn);
  sqlite3_free(zKeys);
  if( pStmt ){
    acdcValBind(pStmt, 1, &pS->apMark[0]->shown);
    acdcValBind(pStmt, 2, &pS->apMark[n-1]->shown);
  }
  while( acdcStep(p, pStmt) ){
    i = n>1 ? cutRowMark(pS, pStmt) : 0;
    if( i>=0 ) cutLater(pS, pSorter, pStmt, i);
    acdcArenaReset(&pS->arena);
  }
  acdcFinalize(p, &pStmt);
}

static int cutMarkCmp(void *pArg, const void *pA, const void *pB){
  return acdcSeqCmp(pArg, pA, pB);
}

/* What is merged into an empty target needs none: windows hold every event. */
void acdcCutOpen(AcdcScd2 *pS){
  AcdcMerge *pM = pS->pM;
  int i;
  if( pM->nNewMark==0 || pM->bEmptyTarget ) return;
  pS->apMark = acdcMalloc(pS->p, sizeof(AcdcSeq*)*(i64)pM->nNewMark);
  if( pS->apMark==0 ) return;
  for(i=0; i<pM->nNewMark; i++) pS->apMark[i] = &pM->aNewMark[i];
  acdcPointerSort(pS->p, (void**)pS->apMark, pM->nNewMark, &pM->st.kind,
                  cutMarkCmp);
}

/*
** Of the keys that have a version open at a new truncate; under partial updates
** also of those with an event at its very sequence, which inherits no more.
*/
void acdcCutAll(AcdcScd2 *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcSorter *pSorter;
  const AcdcEntry *aE;
  int i, bMore = 0, bWasMore;
  i64 nKey = 0;
  if( pS->apMark==0 || p->rc ) return;
  pSorter = acdcSorterNew(p, CUT_MEMORY, &pM->st.kind);
  if( p->rc==0 ) cutFind(pS, pSorter);
  acdcSorterFinish(p, pSorter);
  pM->bStay = 0;
  pS->aKey = aKey;
  while( p->rc==0 ){
    const u8 *a;
    u64 nCode;
    bWasMore = bMore;
    if( acdcSorterGroup(p, pSorter, CUT_GROUP, &aE, &bMore)==0 ) break;
    if( bWasMore ) continue;
    if( (++nKey & 1023)==0 && acdcInterrupted(p) ) break;
    a = acdcVarintGet(aE[0].pRec+1, &nCode);
    a += nCode;
    for(i=0; i<pM->nKey; i++) a = acdcRecGet(a, &aKey[i]);
    acdcWinTouchReset(pS);
    acdcCutKey(pS, (int)(aE[0].b ^ ((u64)1<<63)));
  }
  acdcWriterFlush(pM);
  acdcSorterFree(pSorter);
}
