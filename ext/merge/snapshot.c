/*
** Snapshots (semantics.md 6): a whole table against what the target shows.
**
** The snapshot's rows come from the sorter in key order, the target's current
** rows from one statement in the same order, and both are walked once side by
** side: no look-up a row, and only what differs is written.  The statement
** steps off a row before that row is written, so that all writes fall behind
** it.
**
** The intervals of a history carry the version.  Versions ascend, so no event
** can come late: nothing is kept beside the target but the versions applied.
*/
#include "merge.h"

#define SNAP_GROUP  1024       /* entries of one key at a time */

/* How a row differs, see snapDiffers() */
#define SNAP_EQUAL    0
#define SNAP_VALUES   1        /* in what is not tracked, or in class only */
#define SNAP_VERSION  2        /* in a tracked column: a new version */

typedef struct Snap Snap;
struct Snap {
  AcdcMerge *pM;
  AcdcCtx *p;
  u8 bHistory;           /* SCD2 */
  AcdcArena arena;       /* The snapshot row at hand */
  AcdcArena old;         /* What is kept of a target row that changes */
  sqlite3_stmt *pTgt;    /* Current rows of the target in key order.  Owned */
  int bTgt;              /* It stands on a row ... */
  AcdcVal aTgtKey[ACDC_MAXKEY];      /* ... of this key; borrowed */
  u8 *aCode;             /* Code of that key.  Owned */
  int nCode, nCodeAlloc;
  u8 *aLast;             /* Code of the key before it.  Owned */
  int nLast, nLastAlloc;
  sqlite3_stmt *pCmp;    /* Compares keys under collations.  Owned */
  i64 nDup;              /* Rows left out as duplicates */
};

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
  if( !pS->bTgt ) return;
  for(i=0; i<pM->nKey; i++) acdcValColumn(&pS->aTgtKey[i], pS->pTgt, i);
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

/* The snapshot's row against the target's row: <0, 0, >0 by key. */
static int snapCompare(Snap *pS, const AcdcEntry *pE, const AcdcVal *aKey){
  AcdcMerge *pM = pS->pM;
  const u8 *a;
  u64 n;
  if( pM->bIntKey ){
    i64 iTgt = pS->aTgtKey[0].u.i;
    return aKey[0].u.i<iTgt ? -1 : aKey[0].u.i>iTgt;
  }
  if( pM->bCollate ) return snapCmpKeys(pS, aKey, pS->aTgtKey);
  a = acdcVarintGet(pE->pRec+1, &n);
  return snapCmpBytes(a, (int)n, pS->aCode, pS->nCode);
}

/* ---- differences ---- */

static int snapDiffers(Snap *pS, const AcdcEvent *pEv){
  AcdcMerge *pM = pS->pM;
  int i, eDiff = SNAP_EQUAL;
  for(i=0; i<pM->nVal && eDiff<SNAP_VERSION; i++){
    const AcdcValCol *pV = &pM->aVal[i];
    AcdcVal v;
    if( pV->iTgt<0 || (pV->iSrc<0 && !pS->bHistory) ) continue;
    acdcValColumn(&v, pS->pTgt, pM->nKey+1+i);
    if( !acdcValIs(&v, &pEv->aVal[i]) ){
      eDiff = pS->bHistory && pV->bTracked ? SNAP_VERSION : SNAP_VALUES;
    }else if( v.eType!=pEv->aVal[i].eType ){
      eDiff = SNAP_VALUES;                 /* 1.0 replaces 1 */
    }
  }
  return eDiff;
}

/* Key (if aKey is not NULL) and start of the target's row, before it is left */
static void snapKeep(Snap *pS, AcdcVal *aKey, AcdcVal *pStart){
  AcdcMerge *pM = pS->pM;
  AcdcVal v;
  int i;
  acdcArenaReset(&pS->old);
  for(i=0; aKey && i<pM->nKey; i++){
    acdcValCopy(pS->p, &pS->arena, &aKey[i], &pS->aTgtKey[i]);
  }
  acdcValColumn(&v, pS->pTgt, pM->nKey);
  acdcValCopy(pS->p, &pS->arena, pStart, &v);
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

/* The key is in both. */
static void snapMatch(Snap *pS, const AcdcVal *aKey, const AcdcEvent *pEv){
  AcdcMerge *pM = pS->pM;
  AcdcVal start;
  int eDiff = snapDiffers(pS, pEv);
  if( eDiff==SNAP_EQUAL ){
    pM->n.nUnchanged++;
    snapNext(pS);
    return;
  }
  snapKeep(pS, 0, &start);
  snapNext(pS);
  if( pS->p->rc ) return;
  if( eDiff==SNAP_VERSION ){
    snapEnd(pS, aKey, &start);
    snapInsert(pS, aKey, pEv);
  }else{
    /* The row may wait, and its start is in our arena */
    pM->bStay = 0;
    if( acdcTgtUpdate(pM, aKey, pEv->aVal, pS->bHistory ? &start : 0, 0) ){
      pM->n.nUpdated++;
    }else{
      pM->n.nUnchanged++;
    }
    pM->bStay = pM->bMemory;
  }
}

/* The key is in the target only. */
static void snapGone(Snap *pS){
  AcdcMerge *pM = pS->pM;
  AcdcVal aKey[ACDC_MAXKEY], start;
  snapKeep(pS, aKey, &start);
  snapNext(pS);
  if( pS->p->rc ) return;
  if( pS->bHistory ){
    snapEnd(pS, aKey, &start);
  }else if( acdcTgtDelete(pM, aKey, 0) ){
    pM->n.nDeleted++;
  }
}

/* ---- duplicates ---- */

static int snapSame(const AcdcMerge *pM, const AcdcVal *a, const AcdcVal *b){
  int i;
  for(i=0; i<pM->nVal; i++) if( !acdcValIs(&a[i], &b[i]) ) return 0;
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

/* The other rows of the key that pFirst is the first row of. */
static void snapDuplicates(
  Snap *pS, AcdcVal *aKey, AcdcEvent *pFirst, const AcdcEntry *aE, int n,
  int bMore
){
  AcdcMerge *pM = pS->pM;
  int i = 1, iVal;
  if( bMore ){
    /* The next part of the group takes the place of this one */
    for(iVal=0; iVal<pM->nVal; iVal++){
      AcdcVal v = pFirst->aVal[iVal];
      acdcValCopy(pS->p, &pS->arena, &pFirst->aVal[iVal], &v);
    }
    for(iVal=0; iVal<pM->nKey; iVal++){
      AcdcVal v = aKey[iVal];
      acdcValCopy(pS->p, &pS->arena, &aKey[iVal], &v);
    }
  }
  for(;;){
    for(; i<n && pS->p->rc==0; i++) snapDuplicate(pS, aKey, pFirst, &aE[i]);
    if( !bMore || pS->p->rc ) break;
    n = acdcSorterGroup(pS->p, pM->pSorter, SNAP_GROUP, &aE, &bMore);
    i = 0;
  }
}

/* ---- the whole ---- */

/* Returns 1 if the snapshot is empty and is not to be applied. */
static int snapEmpty(AcdcMerge *pM){
  if( acdcSorterCount(pM->pSorter)>0 ) return 0;
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
  AcdcMerge *pM = pS->pM;
  if( pS->nDup ){
    acdcMergeNote(pM, 0, "%lld duplicate row%s left out", pS->nDup,
                  pS->nDup==1 ? "" : "s");
  }
  if( acdcSorterCount(pM->pSorter)==0 ){
    acdcMergeNote(pM, 0, "the snapshot is empty: every row %s",
                  pS->bHistory ? "was ended" : "was deleted");
  }
}

void acdcSnapshotRun(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcVal aKey[ACDC_MAXKEY];
  const AcdcEntry *aE;
  AcdcEvent ev;
  int n, bMore;
  i64 nGroup = 0;
  Snap s;
  if( snapEmpty(pM) ) return;
  memset(&s, 0, sizeof(s));
  s.pM = pM;
  s.p = p;
  s.bHistory = pM->pFlow->eScd!=ACDC_SCD1;
  pM->bStay = pM->bMemory;
  snapPrepare(&s);
  if( pM->bCollate ) snapPrepareCmp(&s);
  snapNext(&s);
  while( p->rc==0 ){
    int c = -1;
    n = acdcSorterGroup(p, pM->pSorter, SNAP_GROUP, &aE, &bMore);
    if( n==0 || p->rc ) break;
    if( (++nGroup & 1023)==0 && acdcInterrupted(p) ) break;
    acdcEventRead(pM, &s.arena, &aE[0], aKey, &ev);
    while( s.bTgt && p->rc==0 && (c = snapCompare(&s, &aE[0], aKey))>0 ){
      snapGone(&s);
    }
    if( p->rc==0 ){
      if( s.bTgt && c==0 ){
        snapMatch(&s, aKey, &ev);
      }else{
        snapInsert(&s, aKey, &ev);
      }
      if( n>1 ) snapDuplicates(&s, aKey, &ev, aE, n, bMore);
    }
    acdcArenaReset(&s.arena);
  }
  while( s.bTgt && p->rc==0 ){
    snapGone(&s);
    acdcArenaReset(&s.arena);
    if( (++nGroup & 1023)==0 && acdcInterrupted(p) ) break;
  }
  acdcFinalize(p, &s.pTgt);
  acdcFinalize(p, &s.pCmp);
  acdcWriterFlush(pM);
  if( p->rc==0 ){
    acdcStateVersionPut(pM, &pM->version);
    snapNotes(&s);
  }
  sqlite3_free(s.aCode);
  sqlite3_free(s.aLast);
  acdcArenaFree(&s.arena);
  acdcArenaFree(&s.old);
}
