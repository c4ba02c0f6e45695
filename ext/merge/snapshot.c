/*
** Snapshots (semantics.md 6): a whole table against what the target shows.
**
** Most rows of a snapshot are in the target already, so those are dealt with
** while they are read.  As long as rows come in key order, the target's current
** rows are stepped along with them: a row that is equal there is dropped, and
** what differs goes to the sorter.  A target row that was passed and is not
** equal to any row leaves a mark there, an entry of kind delete.  So a target
** row that was passed and left no mark is as it should be.
**
** When all is read, few entries are looked up by key, and many (or rows that
** came out of order) are walked against the target's current rows once more, in
** key order.  The statement steps off a row before that row is written, so that
** all writes fall behind it.
**
** The intervals of a history carry the version.  Versions ascend, so no event
** can come late: nothing is kept beside the target but the versions applied.
*/
#include "merge.h"

#define SNAP_GROUP  1024       /* entries of one key at a time */
#define SNAP_FEW       8       /* look-ups pay below one row in so many */

/* How a row differs, see snapDiffers() */
#define SNAP_EQUAL    0
#define SNAP_VALUES   1        /* in what is not tracked, or in class only */
#define SNAP_VERSION  2        /* in a tracked column: a new version */

struct AcdcSnap {
  AcdcMerge *pM;
  AcdcCtx *p;
  u8 bHistory;           /* SCD2 */
  AcdcArena arena;       /* The snapshot row at hand */
  AcdcArena old;         /* Bytes of a target key that was left */
  sqlite3_stmt *pTgt;    /* Current rows of the target in key order.  Owned */
  int bTgt;              /* It stands on a row ... */
  AcdcVal aTgtKey[ACDC_MAXKEY];      /* ... of this key; borrowed */
  u8 *aCode;             /* Code of that key.  Owned */
  int nCode, nCodeAlloc;
  u8 *aLast;             /* Code of the key before it.  Owned */
  int nLast, nLastAlloc;
  sqlite3_stmt *pCmp;    /* Compares keys under collations.  Owned */
  i64 nRow;              /* Rows of the snapshot */
  u8 bAlong;             /* The target is stepped along with the rows */
  u8 bOrder;             /* All rows have come in key order */
  i64 nPassed;           /* Target rows passed meanwhile */
  i64 nMark;             /* Marks left */
  i64 iTgt;              /* Number of the target row at hand, from 0 */
  i64 iRowKey;           /* Key of the row before, if it is an integer */
  u8 *aRowCode;          /* Its code, if not.  Owned */
  int nRowCode, nRowAlloc;
  u8 *aNewCode;          /* Code of the row at hand.  Owned */
  int nNewAlloc;
  i64 nDup;              /* Rows left out as duplicates */
};
typedef struct AcdcSnap Snap;

/* ---- versions ---- */

/* The time of the run as an instant, after every version applied so far. */
static void snapRunTime(AcdcMerge *pM, const AcdcSeq *pLast, AcdcSeq *pOut){
  AcdcCtx *p = pM->p;
  u8 eClass = pM->st.kind.aClass[0];
  char *z;
  AcdcVal v, copy;
  int i;
  if( eClass!=ACDC_SEQ_UNKNOWN && eClass!=ACDC_SEQ_INSTANT ){
    acdcError(p, SQLITE_ERROR, "member \"version\" is missing: it would be the "
        "time of the run, and the versions of target %s are of class %s so far",
        pM->pFlow->zTarget, acdcSeqClassName(eClass));
    return;
  }
  z = acdcSelectText(p,
      "SELECT strftime('%%Y-%%m-%%d %%H:%%M:%%f','now')||'000'");
  for(i=0; i<2 && z; i++){
    v.eType = SQLITE_TEXT;
    v.n = (int)strlen(z);
    v.u.z = (const u8*)z;
    acdcValCopy(p, &pM->arena, &copy, &v);
    acdcSeqRead(p, &pM->st.kind, &copy, 0, &pM->arena, pOut);
    if( p->rc || pLast==0 || !pLast->isInt || !pOut->isInt
     || pOut->iOrd>pLast->iOrd
    ) break;
    /* Within one millisecond of the last, or the clock was set back */
    sqlite3_free(z);
    z = acdcSelectText(p, "SELECT strftime('%%Y-%%m-%%d %%H:%%M:%%S', %lld, "
        "'unixepoch')||'.%06lld'", (pLast->iOrd+1)/1000000,
        (pLast->iOrd+1)%1000000);
  }
  sqlite3_free(z);
}

/* A history that is taken over must lie before the version. */
static void snapCheckAdopted(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  AcdcArena arena;
  int i;
  memset(&arena, 0, sizeof(arena));
  pStmt = acdcPrepare(p, 0, "SELECT \"" ACDC_START "\", \"" ACDC_END "\" "
                      "FROM %s", pM->zTgtSql);
  while( acdcStep(p, pStmt) ){
    for(i=0; i<2; i++){
      AcdcVal v;
      AcdcSeq seq;
      acdcValColumn(&v, pStmt, i);
      if( v.eType==SQLITE_NULL ) continue;
      acdcSeqReadShown(p, &pM->st.kind, &v, &arena, &seq);
      if( p->rc==0 && acdcSeqCmp(&pM->st.kind, &seq, &pM->version)>=0 ){
        char *zHas = acdcValText(p, &v);
        char *zIs = acdcSeqText(pM, &pM->version);
        acdcError(p, SQLITE_ERROR, "target %s holds history at %s, and the "
            "snapshot's version %s must be above it: give a greater version",
            pM->pFlow->zTarget, zHas, zIs);
        sqlite3_free(zHas);
        sqlite3_free(zIs);
      }
    }
    acdcArenaReset(&arena);
  }
  acdcFinalize(p, &pStmt);
  acdcArenaFree(&arena);
}

void acdcSnapshotVersion(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcState *pSt = &pM->st;
  char *azPart[1];
  char zPart[] = "version";
  AcdcSeq last;
  int bLast = 0;
  if( p->rc ) return;
  azPart[0] = zPart;
  if( pSt->iId ){
    bLast = acdcStateVersionLast(p, pM->tgt.zSchema, pSt, &pM->arena, &last);
  }
  if( !pM->pFlow->bVersionGiven ){
    snapRunTime(pM, bLast ? &last : 0, &pM->version);
  }else{
    AcdcVal v;
    acdcValCopy(p, &pM->arena, &v, &pM->pFlow->version);
    acdcSeqRead(p, &pSt->kind, &v, azPart, &pM->arena, &pM->version);
  }
  if( p->rc ) return;
  if( bLast && acdcSeqCmp(&pSt->kind, &pM->version, &last)<=0 ){
    char *zIs = acdcSeqText(pM, &pM->version), *zLast = acdcSeqText(pM, &last);
    pM->eSkip = ACDC_SKIP_VERSION;
    acdcMergeNote(pM, 0, "version %s is not above %s, the last one applied to "
        "%s: snapshots are applied in ascending order, and this one was not",
        zIs, zLast, pM->pFlow->zTarget);
    sqlite3_free(zIs);
    sqlite3_free(zLast);
  }
  if( pSt->bAdopted && pSt->iId==0 && pM->pFlow->eScd==ACDC_SCD2 ){
    snapCheckAdopted(pM);
  }
}

/* ---- the target's side ---- */

static void snapPrepare(Snap *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  char *zKeys = 0, *zVals = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "%s\"%w\"", i ? "," : "", pM->aKey[i].zName);
  }
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt>=0 ){
      acdcAppendf(p, &zVals, ",\"%w\"", pM->aVal[i].zName);
    }else{
      acdcAppendf(p, &zVals, ",NULL");
    }
  }
  if( p->rc==0 ){
    pS->pTgt = acdcPrepare(p, 0, "SELECT %s,%s%s FROM %s%s ORDER BY %s", zKeys,
        pS->bHistory ? "\"" ACDC_START "\"" : "NULL", zVals ? zVals : "",
        pM->zTgtSql,
        pS->bHistory ? " WHERE \"" ACDC_END "\" IS NULL" : "", zKeys);
  }
  sqlite3_free(zKeys);
  sqlite3_free(zVals);
}

/* -1, 0, 1 for keys ?1.. against ?nKey+1.., in the order of ORDER BY. */
static void snapPrepareCmp(Snap *pS){
  AcdcMerge *pM = pS->pM;
  char *z = 0, *zEnd = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    const char *zColl = pM->tgt.aCol[pM->aKey[i].iTgt].zColl;
    int a = i+1, b = i+1+pM->nKey;
    if( zColl==0 ) zColl = "BINARY";
    acdcAppendf(pS->p, &z, "CASE WHEN ?%d IS NULL AND ?%d IS NOT NULL THEN -1 "
        "WHEN ?%d IS NOT NULL AND ?%d IS NULL THEN 1 "
        "WHEN ?%d<?%d COLLATE \"%w\" THEN -1 WHEN ?%d>?%d COLLATE \"%w\" THEN 1 "
        "ELSE ", a, b, a, b, a, b, zColl, a, b, zColl);
    acdcAppendf(pS->p, &zEnd, " END");
  }
  if( pS->p->rc==0 ){
    pS->pCmp = acdcPrepare(pS->p, SQLITE_PREPARE_PERSISTENT, "SELECT %s0%s", z,
                           zEnd);
  }
  sqlite3_free(z);
  sqlite3_free(zEnd);
}

static int snapCmpKeys(Snap *pS, const AcdcVal *aA, const AcdcVal *aB){
  int i, n = pS->pM->nKey, c = 0;
  if( pS->pCmp==0 ) return 0;
  for(i=0; i<n; i++){
    acdcValBind(pS->pCmp, i+1, &aA[i]);
    acdcValBind(pS->pCmp, n+i+1, &aB[i]);
  }
  if( acdcStep(pS->p, pS->pCmp) ) c = sqlite3_column_int(pS->pCmp, 0);
  sqlite3_reset(pS->pCmp);
  return c;
}

static int snapCmpBytes(const u8 *a, int na, const u8 *b, int nb){
  int c = memcmp(a, b, na<nb ? na : nb);
  return c ? c : na - nb;
}

/* Code of the target key that was read; the one before it goes to aLast. */
static void snapCode(Snap *pS){
  AcdcMerge *pM = pS->pM;
  u8 *a = pS->aLast;
  int n = pS->nLastAlloc;
  int nMax = acdcKeyCodeMax(pS->aTgtKey, pM->nKey);
  pS->aLast = pS->aCode;
  pS->nLast = pS->nCode;
  pS->nLastAlloc = pS->nCodeAlloc;
  pS->aCode = a;
  pS->nCodeAlloc = n;
  if( nMax>pS->nCodeAlloc ){
    a = acdcRealloc(pS->p, pS->aCode, (i64)nMax*2);
    if( a==0 ) return;
    pS->aCode = a;
    pS->nCodeAlloc = nMax*2;
  }
  pS->nCode = acdcKeyCode(pS->aTgtKey, pM->nKey, pS->aCode);
}

/* A key that the target shows twice has no place in a snapshot. */
static void snapTwice(Snap *pS){
  char *z = acdcKeyText(pS->pM, pS->aTgtKey);
  acdcError(pS->p, SQLITE_ERROR, "target %s has %s key %s: remove all but one",
      pS->pM->pFlow->zTarget, pS->bHistory ? "two open versions of"
                                           : "two rows of", z);
  sqlite3_free(z);
}

/*
** Column i of the target's row, borrowed.  Of the calls that give a column this
** is the least work a row; its value is unprotected, but the connection's mutex
** is held all along by the statement that called us.
*/
static void snapColumn(Snap *pS, int i, AcdcVal *pOut){
  acdcValFrom(pOut, sqlite3_column_value(pS->pTgt, i));
}

/* To the next current row of the target. */
static void snapNext(Snap *pS){
  AcdcMerge *pM = pS->pM;
  AcdcVal aWas[ACDC_MAXKEY];
  int bWas = pS->bTgt, i;
  if( pS->p->rc ) return;
  if( pM->bCollate && bWas ){
    acdcArenaReset(&pS->old);
    for(i=0; i<pM->nKey; i++){
      acdcValCopy(pS->p, &pS->old, &aWas[i], &pS->aTgtKey[i]);
    }
  }else{
    aWas[0] = pS->aTgtKey[0];
  }
  pS->bTgt = acdcStep(pS->p, pS->pTgt);
  pS->iTgt++;
  if( !pS->bTgt ) return;
  for(i=0; i<pM->nKey; i++) snapColumn(pS, i, &pS->aTgtKey[i]);
  if( pM->bIntKey ){
    if( pS->aTgtKey[0].eType!=SQLITE_INTEGER ){
      char *z = acdcKeyText(pM, pS->aTgtKey);
      acdcError(pS->p, SQLITE_ERROR, "target %s holds key %s, which is no "
          "integer: remove the row", pM->pFlow->zTarget, z);
      sqlite3_free(z);
    }else if( bWas && aWas[0].u.i==pS->aTgtKey[0].u.i ){
      snapTwice(pS);
    }
  }else if( pM->bCollate ){
    if( bWas && snapCmpKeys(pS, aWas, pS->aTgtKey)==0 ) snapTwice(pS);
  }else{
    snapCode(pS);
    if( bWas && snapCmpBytes(pS->aLast, pS->nLast, pS->aCode, pS->nCode)==0 ){
      snapTwice(pS);
    }
  }
}

/* A key of the snapshot against the target's row: <0, 0, >0.  a: its code. */
static int snapCompare(Snap *pS, const AcdcVal *aKey, const u8 *a, int n){
  AcdcMerge *pM = pS->pM;
  if( pM->bIntKey ){
    i64 iTgt = pS->aTgtKey[0].u.i;
    return aKey[0].u.i<iTgt ? -1 : aKey[0].u.i>iTgt;
  }
  if( pM->bCollate ) return snapCmpKeys(pS, aKey, pS->aTgtKey);
  return snapCmpBytes(a, n, pS->aCode, pS->nCode);
}

static int snapCompareEntry(Snap *pS, const AcdcEntry *pE, const AcdcVal *aKey){
  const u8 *a = 0;
  u64 n = 0;
  if( pE->pRec[0] & ACDC_REC_KEY ) a = acdcVarintGet(pE->pRec+1, &n);
  return snapCompare(pS, aKey, a, (int)n);
}

/* ---- differences ---- */

/* Value column i of the snapshot's row against that of the target's row. */
static int snapDiffersIn(const Snap *pS, int i, const AcdcVal *pTgt,
                         const AcdcVal *pNew){
  if( !acdcValIs(pTgt, pNew) ){
    return pS->bHistory && pS->pM->aVal[i].bTracked ? SNAP_VERSION
                                                    : SNAP_VALUES;
  }
  return pTgt->eType!=pNew->eType ? SNAP_VALUES : SNAP_EQUAL; /* 1.0 and 1 */
}

/* How a row differs from the one that pStmt has, values from column iCol on. */
static int snapDiffers(
  Snap *pS, sqlite3_stmt *pStmt, int iCol, const AcdcEvent *pEv
){
  AcdcMerge *pM = pS->pM;
  int i, e, eDiff = SNAP_EQUAL;
  for(i=0; i<pM->nVal && eDiff<SNAP_VERSION; i++){
    const AcdcValCol *pV = &pM->aVal[i];
    AcdcVal v;
    if( pV->iTgt<0 || (pV->iSrc<0 && !pS->bHistory) ) continue;
    acdcValColumn(&v, pStmt, iCol+i);
    e = snapDiffersIn(pS, i, &v, &pEv->aVal[i]);
    if( e>eDiff ) eDiff = e;
  }
  return eDiff;
}

/* End an open version at the snapshot's. */
static void snapEnd(Snap *pS, const AcdcVal *aKey, const AcdcVal *pStart){
  AcdcMerge *pM = pS->pM;
  AcdcSeq start;
  acdcSeqReadShown(pS->p, &pM->st.kind, pStart, &pS->arena, &start);
  if( pS->p->rc==0 && acdcSeqCmp(&pM->st.kind, &start, &pM->version)>=0 ){
    char *zKey = acdcKeyText(pM, aKey), *zStart = acdcValText(pS->p, pStart);
    char *zIs = acdcSeqText(pM, &pM->version);
    acdcError(pS->p, SQLITE_ERROR, "target %s has an open version of key %s "
        "from %s, which is not before the snapshot's version %s: was it changed "
        "by hand? SELECT autocdc_reset('%q') starts anew", pM->pFlow->zTarget,
        zKey, zStart, zIs, pM->pFlow->zTarget);
    sqlite3_free(zKey);
    sqlite3_free(zStart);
    sqlite3_free(zIs);
  }
  if( pS->p->rc ) return;
  acdcTgtEnd(pM, aKey, pStart, &pM->version.shown);
  pM->n.nUpdated++;
}

static void snapInsert(Snap *pS, const AcdcVal *aKey, const AcdcEvent *pEv){
  AcdcMerge *pM = pS->pM;
  acdcTgtInsert(pM, aKey, pEv->aVal, pS->bHistory ? &pM->version.shown : 0, 0);
  pM->n.nInserted++;
}

/* The key is in both.  pStart: of the target's row, in pS->arena. */
static void snapChange(
  Snap *pS, int eDiff, const AcdcVal *aKey, const AcdcVal *pStart,
  const AcdcEvent *pEv
){
  AcdcMerge *pM = pS->pM;
  if( pS->p->rc ) return;
  if( eDiff==SNAP_VERSION ){
    snapEnd(pS, aKey, pStart);
    snapInsert(pS, aKey, pEv);
  }else if( eDiff==SNAP_VALUES ){
    /* The row may wait, and its start is in our arena */
    pM->bStay = 0;
    if( acdcTgtUpdate(pM, aKey, pEv->aVal, pS->bHistory ? pStart : 0, 0) ){
      pM->n.nUpdated++;
    }else{
      pM->n.nUnchanged++;
    }
    pM->bStay = pM->bMemory;
  }else{
    pM->n.nUnchanged++;
  }
}

/* The key is in the target only. */
static void snapRemove(Snap *pS, const AcdcVal *aKey, const AcdcVal *pStart){
  AcdcMerge *pM = pS->pM;
  if( pS->p->rc ) return;
  if( pS->bHistory ){
    snapEnd(pS, aKey, pStart);
  }else if( acdcTgtDelete(pM, aKey, 0) ){
    pM->n.nDeleted++;
  }
}

/* ---- while rows are read ---- */

/* The target row at hand is passed, and no row so far is equal to it. */
static void snapMark(Snap *pS){
  AcdcMerge *pM = pS->pM;
  u64 a;
  u8 *pRec, *pCode;
  int i, n = 1;
  pS->nMark++;
  if( pM->bIntKey ){
    a = (u64)pS->aTgtKey[0].u.i ^ ((u64)1<<63);
  }else{
    n += pS->nCode + 10;
    for(i=0; i<pM->nKey; i++) n += acdcRecSize(&pS->aTgtKey[i]);
    for(a=0, i=0; i<8; i++) a = (a<<8) | (i<pS->nCode ? pS->aCode[i] : 0);
  }
  pRec = acdcSorterAdd(pS->p, pM->pSorter, a, (u64)1<<63, n);
  if( pRec==0 ) return;
  if( pM->bIntKey ){
    *pRec = ACDC_DELETE;
    return;
  }
  *pRec++ = ACDC_DELETE|ACDC_REC_KEY;
  pRec = acdcVarintPut(pRec, pS->nCode);
  memcpy(pRec, pS->aCode, pS->nCode);
  pCode = pRec;
  pRec += pS->nCode;
  for(i=0; i<pM->nKey; i++) pRec = acdcRecPut(pRec, &pS->aTgtKey[i]);
  acdcSorterCodes(pM->pSorter, pCode, pS->nCode, 0);
}

static void snapPass(Snap *pS){
  snapNext(pS);
  pS->nPassed++;
}

/* Is the row's key above that of the row before?  Sets *pn: its code's size. */
static int snapInOrder(Snap *pS, const AcdcVal *aKey, int *pn){
  AcdcMerge *pM = pS->pM;
  int bRise, nMax;
  *pn = 0;
  if( pM->bIntKey ){
    bRise = pS->nRow==1 || aKey[0].u.i>pS->iRowKey;
    pS->iRowKey = aKey[0].u.i;
    return bRise;
  }
  nMax = acdcKeyCodeMax(aKey, pM->nKey);
  if( nMax>pS->nNewAlloc ){
    u8 *a = acdcRealloc(pS->p, pS->aNewCode, (i64)nMax*2);
    if( a==0 ) return 0;
    pS->aNewCode = a;
    pS->nNewAlloc = nMax*2;
  }
  *pn = acdcKeyCode(aKey, pM->nKey, pS->aNewCode);
  return pS->nRow==1
      || snapCmpBytes(pS->aNewCode, *pn, pS->aRowCode, pS->nRowCode)>0;
}

/* Keep the code of the row at hand for the next one. */
static void snapKeepCode(Snap *pS, int n){
  u8 *a = pS->aRowCode;
  int nAlloc = pS->nRowAlloc;
  pS->aRowCode = pS->aNewCode;
  pS->nRowAlloc = pS->nNewAlloc;
  pS->nRowCode = n;
  pS->aNewCode = a;
  pS->nNewAlloc = nAlloc;
}

/*
** Is column i of the target's row plainly the value?  0 also if that takes a
** closer look.  Most values of most rows pass here, with the fewest calls.
*/
static int snapSameAt(Snap *pS, int i, const AcdcVal *pNew){
  sqlite3_value *pV = sqlite3_column_value(pS->pTgt, i);
  if( sqlite3_value_type(pV)!=pNew->eType ) return 0;
  switch( pNew->eType ){
    case SQLITE_NULL:
      return 1;
    case SQLITE_INTEGER:
      return sqlite3_value_int64(pV)==pNew->u.i;
    case SQLITE_TEXT: {
      const void *z = sqlite3_value_text(pV);
      return z && pNew->u.z && sqlite3_value_bytes(pV)==pNew->n
          && memcmp(z, pNew->u.z, pNew->n)==0;
    }
    default:
      return 0;
  }
}

/* Is a row equal to the target's row at hand in all that is compared? */
static int snapEqual(
  Snap *pS, const AcdcVal *aVal, const int *aEmit, int nEmit
){
  AcdcMerge *pM = pS->pM;
  AcdcVal v;
  int i, j = 0;
  static const AcdcVal vNull = { SQLITE_NULL, 0, {0} };
  for(i=0; i<pM->nVal; i++){
    const AcdcVal *pNew = &vNull;
    if( j<nEmit && aEmit[j]==i ){
      pNew = &aVal[j++];
    }else if( !pS->bHistory ){
      continue;
    }
    if( pM->aVal[i].iTgt<0 ) continue;
    if( snapSameAt(pS, pM->nKey+1+i, pNew) ) continue;
    snapColumn(pS, pM->nKey+1+i, &v);
    if( snapDiffersIn(pS, i, &v, pNew)!=SNAP_EQUAL ) return 0;
  }
  return 1;
}

int acdcSnapshotSeen(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aVal, const int *aEmit,
  int nEmit
){
  Snap *pS = pM->pSnap;
  int c = -1, n, bEqual = 0;
  pS->nRow++;
  if( !pS->bAlong ) return 0;
  if( !snapInOrder(pS, aKey, &n) ){
    pS->bAlong = pS->bOrder = 0;
    return 0;
  }
  while( pS->bTgt && pS->p->rc==0
      && (c = snapCompare(pS, aKey, pS->aNewCode, n))>0
  ){
    snapMark(pS);
    snapPass(pS);
  }
  if( pS->bTgt && c==0 && pS->p->rc==0 ){
    bEqual = snapEqual(pS, aVal, aEmit, nEmit);
    if( bEqual ){
      pM->n.nUnchanged++;
    }else{
      snapMark(pS);
    }
    snapPass(pS);
  }
  if( !pM->bIntKey ) snapKeepCode(pS, n);
  return bEqual;
}

void acdcSnapshotBegin(AcdcMerge *pM){
  Snap *pS = acdcMalloc(pM->p, sizeof(*pS));
  if( pS==0 ) return;
  pM->pSnap = pS;
  pS->pM = pM;
  pS->p = pM->p;
  pS->bHistory = pM->pFlow->eScd!=ACDC_SCD1;
  snapPrepare(pS);
  if( pM->bCollate ){
    snapPrepareCmp(pS);
  }else{
    pS->iTgt = -1;
    snapNext(pS);
    pS->bAlong = pS->bOrder = pS->bTgt!=0;
  }
}

void acdcSnapshotEnd(AcdcMerge *pM){
  Snap *pS = pM->pSnap;
  if( pS->nRow==0 ) pS->bAlong = pS->bOrder = 0;
  while( pS->bAlong && pS->bTgt && pS->p->rc==0 ){
    snapMark(pS);
    snapPass(pS);
    if( (pS->nPassed & 1023)==0 && acdcInterrupted(pS->p) ) break;
  }
  if( pS->pTgt ) acdcReset(pS->p, pS->pTgt);
  pS->bTgt = 0;
}

void acdcSnapshotFree(AcdcCtx *p, Snap *pS){
  if( pS==0 ) return;
  acdcFinalize(p, &pS->pTgt);
  acdcFinalize(p, &pS->pCmp);
  sqlite3_free(pS->aCode);
  sqlite3_free(pS->aLast);
  sqlite3_free(pS->aRowCode);
  sqlite3_free(pS->aNewCode);
  acdcArenaFree(&pS->arena);
  acdcArenaFree(&pS->old);
  sqlite3_free(pS);
}

/* ---- duplicates ---- */

static int snapSame(const AcdcMerge *pM, const AcdcVal *a, const AcdcVal *b){
  int i;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iSrc>=0 && !acdcValIs(&a[i], &b[i]) ) return 0;
  }
  return 1;
}

/* A row of a key that was there already (6.3). */
static void snapDuplicate(
  Snap *pS, const AcdcVal *aKey, const AcdcEvent *pFirst, const AcdcEntry *pE
){
  AcdcMerge *pM = pS->pM;
  int eMode = pM->pFlow->eDedup;
  const char *zHow = 0;
  if( eMode==ACDC_DEDUP_OFF ){
    zHow = "correct it, or let \"deduplicate_mode\": \"full_row\" take out rows "
           "that are equal, or \"keys_only\" keep the first row of a key";
  }else if( eMode==ACDC_DEDUP_ROW ){
    AcdcEvent ev;
    acdcEventRead(pM, &pS->arena, pE, 0, &ev);
    if( pS->p->rc==0 && !snapSame(pM, pFirst->aVal, ev.aVal) ){
      zHow = "its rows differ, and \"deduplicate_mode\": \"full_row\" takes out "
             "equal ones only; \"keys_only\" keeps the first";
    }
  }
  if( zHow ){
    char *z = acdcKeyText(pM, aKey);
    acdcError(pS->p, SQLITE_CONSTRAINT, "duplicate key: %s is in the snapshot "
        "%s more than once; %s", z, pM->pSrc->zLabel, zHow);
    sqlite3_free(z);
  }
  pS->nDup++;
  pM->n.nUnchanged++;
}

/*
** A group of entries of one key: a mark perhaps, then the rows.  It may be read
** in parts.
*/
typedef struct SnapKey SnapKey;
struct SnapKey {
  const AcdcEntry *aE;
  int n, bMore;
  AcdcVal aKey[ACDC_MAXKEY];
  int bMark;             /* The first entry is a mark */
  int bRow;              /* There is a row ... */
  AcdcEvent ev;          /* ... and the first one is this */
};

/* The next key; returns 0 at the end. */
static int snapKeyNext(Snap *pS, SnapKey *pK){
  AcdcMerge *pM = pS->pM;
  int i;
  acdcArenaReset(&pS->arena);
  pK->n = acdcSorterGroup(pS->p, pM->pSorter, SNAP_GROUP, &pK->aE, &pK->bMore);
  if( pK->n==0 || pS->p->rc ) return 0;
  acdcEventRead(pM, &pS->arena, &pK->aE[0], pK->aKey, &pK->ev);
  pK->bMark = pK->ev.eKind==ACDC_DELETE;
  pK->bRow = !pK->bMark || pK->n>1;
  if( pK->bMark && pK->bRow ){
    acdcEventRead(pM, &pS->arena, &pK->aE[1], pK->aKey, &pK->ev);
  }
  if( pK->bMore && !pM->bMemory ){
    /* The next part of the group takes the place of this one */
    for(i=0; i<pM->nVal; i++){
      AcdcVal v = pK->ev.aVal[i];
      acdcValCopy(pS->p, &pS->arena, &pK->ev.aVal[i], &v);
    }
    for(i=0; i<pM->nKey; i++){
      AcdcVal v = pK->aKey[i];
      acdcValCopy(pS->p, &pS->arena, &pK->aKey[i], &v);
    }
  }
  return pS->p->rc==0;
}

/* The rows of the key from number i on: pFirst came before them. */
static void snapDuplicates(
  Snap *pS, SnapKey *pK, int i, const AcdcEvent *pFirst
){
  for(;;){
    for(; i<pK->n && pS->p->rc==0; i++){
      snapDuplicate(pS, pK->aKey, pFirst, &pK->aE[i]);
    }
    if( !pK->bMore || pS->p->rc ) break;
    pK->n = acdcSorterGroup(pS->p, pS->pM->pSorter, SNAP_GROUP, &pK->aE,
                            &pK->bMore);
    i = 0;
  }
}

/* Values and start of the row of the target that pStmt has. */
static void snapTarget(
  Snap *pS, sqlite3_stmt *pStmt, int iStart, int iCol, AcdcEvent *pOut,
  AcdcVal *pStart
){
  AcdcMerge *pM = pS->pM;
  AcdcVal v;
  int i;
  acdcValColumn(&v, pStmt, iStart);
  acdcValCopy(pS->p, &pS->arena, pStart, &v);
  if( pOut==0 ) return;
  memset(pOut, 0, sizeof(*pOut));
  pOut->aVal = acdcArenaAlloc(pS->p, &pS->arena, sizeof(AcdcVal)*(pM->nVal+1));
  for(i=0; pOut->aVal && i<pM->nVal; i++){
    acdcValColumn(&v, pStmt, iCol+i);
    acdcValCopy(pS->p, &pS->arena, &pOut->aVal[i], &v);
  }
}

/* ---- when all rows were read ---- */

/* Few keys differ, and all target rows were passed: look them up. */
static void snapLookUp(Snap *pS){
  AcdcMerge *pM = pS->pM;
  i64 nKey = 0;
  SnapKey k;
  while( snapKeyNext(pS, &k) ){
    if( (++nKey & 1023)==0 && acdcInterrupted(pS->p) ) break;
    if( k.bMark ){
      sqlite3_stmt *pStmt = acdcTgtLook(pM, ACDC_LOOK_LAST, k.aKey, 0);
      AcdcVal start;
      int eDiff = SNAP_EQUAL;
      if( pStmt==0 ) continue;
      snapTarget(pS, pStmt, 0, 2, 0, &start);
      if( k.bRow ) eDiff = snapDiffers(pS, pStmt, 2, &k.ev);
      sqlite3_reset(pStmt);
      if( k.bRow ){
        snapChange(pS, eDiff, k.aKey, &start, &k.ev);
      }else{
        snapRemove(pS, k.aKey, &start);
      }
    }else{
      snapInsert(pS, k.aKey, &k.ev);
    }
    snapDuplicates(pS, &k, k.bMark+1, &k.ev);
  }
}

/* A target row whose key has no entry. */
static void snapNoEntry(Snap *pS){
  AcdcMerge *pM = pS->pM;
  AcdcVal aKey[ACDC_MAXKEY], start;
  int i;
  if( pS->iTgt<pS->nPassed ){
    snapNext(pS);                      /* was equal to a row */
    return;
  }
  for(i=0; i<pM->nKey; i++){
    acdcValCopy(pS->p, &pS->arena, &aKey[i], &pS->aTgtKey[i]);
  }
  snapTarget(pS, pS->pTgt, pM->nKey, 0, 0, &start);
  snapNext(pS);
  snapRemove(pS, aKey, &start);
}

/* A target row and the entries of its key. */
static void snapBoth(Snap *pS, SnapKey *pK){
  AcdcMerge *pM = pS->pM;
  int bSeen = pS->iTgt<pS->nPassed && !pK->bMark;
  int eDiff = SNAP_EQUAL;
  AcdcEvent first;
  AcdcVal start;
  snapTarget(pS, pS->pTgt, pM->nKey, pM->nKey+1, bSeen ? &first : 0, &start);
  if( pK->bRow && !bSeen ){
    eDiff = snapDiffers(pS, pS->pTgt, pM->nKey+1, &pK->ev);
  }
  snapNext(pS);
  if( bSeen ){
    snapDuplicates(pS, pK, 0, &first);
    return;
  }
  if( pK->bRow ){
    snapChange(pS, eDiff, pK->aKey, &start, &pK->ev);
  }else{
    snapRemove(pS, pK->aKey, &start);
  }
  snapDuplicates(pS, pK, pK->bMark+1, &pK->ev);
}

/* Walk entries and current rows of the target side by side. */
static void snapWalk(Snap *pS){
  i64 n = 0;
  SnapKey k;
  pS->bTgt = 0;
  pS->iTgt = -1;
  snapNext(pS);
  while( snapKeyNext(pS, &k) ){
    int c = -1;
    if( (++n & 1023)==0 && acdcInterrupted(pS->p) ) break;
    while( pS->bTgt && pS->p->rc==0
        && (c = snapCompareEntry(pS, &k.aE[0], k.aKey))>0
    ){
      snapNoEntry(pS);
    }
    if( pS->bTgt && c==0 ){
      snapBoth(pS, &k);
    }else if( k.bRow && pS->p->rc==0 ){
      snapInsert(pS, k.aKey, &k.ev);
      snapDuplicates(pS, &k, k.bMark+1, &k.ev);
    }
  }
  while( pS->bTgt && pS->p->rc==0 ){
    acdcArenaReset(&pS->arena);
    snapNoEntry(pS);
    if( (++n & 1023)==0 && acdcInterrupted(pS->p) ) break;
  }
}

/* ---- the whole ---- */

/* Returns 1 if the snapshot is empty and is not to be applied. */
static int snapEmpty(AcdcMerge *pM){
  if( pM->pSnap->nRow>0 ) return 0;
  if( pM->pFlow->eOnEmpty==ACDC_EMPTY_APPLY ) return 0;
  if( pM->pFlow->eOnEmpty==ACDC_EMPTY_SKIP ){
    pM->eSkip = ACDC_SKIP_EMPTY;
    acdcMergeNote(pM, 0, "the snapshot is empty and was not applied "
        "(on_empty_snapshot: \"skip\")");
  }else{
    pM->eSkip = ACDC_SKIP_STOP;
    acdcMergeNote(pM, 1, "the snapshot is empty and was not applied; later "
        "versions wait until it has rows (on_empty_snapshot: \"stop\")");
  }
  return 1;
}

static void snapNotes(const Snap *pS){
  if( pS->nDup ){
    acdcMergeNote(pS->pM, 0, "%lld duplicate row%s left out", pS->nDup,
                  pS->nDup==1 ? "" : "s");
  }
  if( pS->nRow==0 ){
    acdcMergeNote(pS->pM, 0, "the snapshot is empty: every row %s",
                  pS->bHistory ? "was ended" : "was deleted");
  }
}

void acdcSnapshotRun(AcdcMerge *pM){
  Snap *pS = pM->pSnap;
  AcdcCtx *p = pM->p;
  if( p->rc || snapEmpty(pM) ) return;
  pM->bStay = pM->bMemory;
  /* The open version of a key is its last only where that order is plain */
  if( pS->bOrder && (pM->bNative || !pS->bHistory)
   && acdcSorterCount(pM->pSorter)<pS->nPassed/SNAP_FEW
  ){
    snapLookUp(pS);
  }else{
    snapWalk(pS);
  }
  acdcWriterFlush(pM);
  if( p->rc==0 ){
    acdcStateVersionPut(pM, &pM->version);
    snapNotes(pS);
  }
}
