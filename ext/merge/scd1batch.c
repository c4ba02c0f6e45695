/*
** Current state, many keys at a time (semantics.md 3; the rule itself is that
** of scd1.c).  One statement looks the last sequences up and writes the new
** ones,
**
**   INSERT INTO state SELECT ... FROM autocdc_feed(?1) WHERE true
**     ON CONFLICT(key) DO UPDATE SET ... WHERE autocdc_judge(?2, seq, kind)
**
** where autocdc_judge() compares the stored sequence with that of the row the
** feed stands on, and notes what it found.  A second statement of the same
** shape writes the target rows.  So an event costs one seek in each table.
**
** Where the target keeps the sequence (AcdcMerge.pKept), one statement looks all
** keys of the batch up, deletes are written, and one statement writes the rows
** that decide.  It calls no function: one that does keeps a journal of the pages
** that were written before it, which would be those of the deletes.
*/
#include "merge.h"

#define JUDGE_POINTER  "autocdc-judge"

/* Few enough that the pages of a batch stay in a cache of default size from one
** statement to the next, though each row may lie in a page of its own */
#define BATCH_ROWS     256

/* What the judge found; BATCH_NEW if it was not asked: the key is new.  From
** BATCH_LATE on the event does not decide */
#define BATCH_NEW      0
#define BATCH_NEWER    1     /* the event decides; the key had a row */
#define BATCH_REVIVED  2     /* the event decides; the key was deleted */
#define BATCH_LATE     3
#define BATCH_TIE      4

typedef struct BatchRow BatchRow;
struct BatchRow {
  AcdcEvent ev;          /* The deciding event of the batch */
  AcdcVal *aKey;
  const i64 *aOlder;     /* Sequences of the others, ascending */
  int nOlder;
  u8 bGone;              /* A delete is among them: */
  AcdcSeq gone;          /* the last such */
  u8 eFound;             /* BATCH_* */
  AcdcLast last;         /* With pKept: what was known */
};

struct AcdcBatch {
  AcdcMerge *pM;         /* Not owned */
  AcdcFeed last;         /* Keys, sequence, kind, gone: for the state */
  AcdcFeed tgt;          /* Keys, values: for the target */
  BatchRow *a;           /* Owned */
  int n;
  AcdcArena arena;       /* What the rows point to */
  sqlite3_stmt *pLast;   /* Owned */
  sqlite3_stmt *pTgt;    /* Owned */
  sqlite3_stmt *pLook;   /* With pKept: what is known of keys.  Owned */
};

/* A sequence in state form; its bytes live as long as the batch. */
static void batchSeq(AcdcBatch *pB, sqlite3_value *pV, AcdcSeq *pOut){
  memset(pOut, 0, sizeof(*pOut));
  if( sqlite3_value_type(pV)==SQLITE_INTEGER && pB->pM->st.kind.nPart==1 ){
    pOut->isInt = 1;
    pOut->iOrd = sqlite3_value_int64(pV);
    pOut->shown.eType = SQLITE_INTEGER;
    pOut->shown.u.i = pOut->iOrd;
  }else{
    AcdcVal v, copy;
    acdcValFrom(&v, pV);
    acdcValCopy(pB->pM->p, &pB->arena, &copy, &v);
    acdcSeqFromState(pB->pM->p, &pB->pM->st.kind, &copy, 0, &pB->arena, pOut);
  }
}

/* Count the events passed over that are older than what was known. */
static void batchLate(AcdcBatch *pB, const BatchRow *pR, const AcdcSeq *pOld){
  int i;
  for(i=0; i<pR->nOlder; i++){
    AcdcSeq older;
    memset(&older, 0, sizeof(older));
    older.isInt = 1;
    older.iOrd = pR->aOlder[i];
    if( acdcSeqCmp(&pB->pM->st.kind, &older, pOld)>=0 ) break;
    pB->pM->n.nLate++;
  }
}

static void batchJudge(sqlite3_context *pCtx, int n, sqlite3_value **ap){
  AcdcBatch *pB = sqlite3_value_pointer(ap[0], JUDGE_POINTER);
  BatchRow *pR;
  AcdcSeq old;
  int c;
  ACDC_UNUSED(n);
  if( pB==0 || pB->last.iRow<0 || pB->last.iRow>=pB->n ){
    sqlite3_result_error(pCtx, "autocdc_judge() is private", -1);
    return;
  }
  pR = &pB->a[pB->last.iRow];
  batchSeq(pB, ap[1], &old);
  batchLate(pB, pR, &old);
  c = acdcSeqCmp(&pB->pM->st.kind, &pR->ev.seq, &old);
  if( c>0 ){
    pR->eFound = (sqlite3_value_int(ap[2]) & 1) ? BATCH_REVIVED : BATCH_NEWER;
  }else if( c<0 ){
    pR->eFound = BATCH_LATE;
    pB->pM->n.nLate++;
  }else{
    pR->eFound = BATCH_TIE;
  }
  sqlite3_result_int(pCtx, c>0);
}

int acdcBatchRegister(sqlite3 *db){
  return sqlite3_create_function_v2(db, "autocdc_judge", 3,
      SQLITE_UTF8|SQLITE_DIRECTONLY, 0, batchJudge, 0, 0, 0);
}

AcdcBatch *acdcBatchNew(AcdcMerge *pM){
  AcdcBatch *pB = acdcMalloc(pM->p, sizeof(*pB));
  if( pB==0 ) return 0;
  pB->pM = pM;
  acdcFeedInit(&pB->last, pM->nKey+3);
  acdcFeedInit(&pB->tgt, pM->nKey+2+pM->nVal);
  pB->a = acdcMalloc(pM->p, sizeof(BatchRow)*BATCH_ROWS);
  return pB;
}

void acdcBatchFree(AcdcBatch *pB){
  if( pB==0 ) return;
  acdcFinalize(pB->pM->p, &pB->pLast);
  acdcFinalize(pB->pM->p, &pB->pTgt);
  acdcFinalize(pB->pM->p, &pB->pLook);
  acdcFeedClear(&pB->last);
  acdcFeedClear(&pB->tgt);
  acdcArenaFree(&pB->arena);
  sqlite3_free(pB->a);
  sqlite3_free(pB);
}

/* A value that lives as long as the batch. */
static void batchKeep(AcdcBatch *pB, AcdcVal *pTo, const AcdcVal *pFrom){
  if( pB->pM->bMemory ){
    *pTo = *pFrom;
  }else{
    acdcValCopy(pB->pM->p, &pB->arena, pTo, pFrom);
  }
}

int acdcBatchFits(const AcdcEntry *aE, int n){
  int i;
  for(i=0; i<n; i++) if( aE[i].pRec[0] & ACDC_REC_SEQ ) return 0;
  return 1;
}

/* What the state is to say of the key. */
static void batchLastRow(AcdcBatch *pB, const BatchRow *pR){
  AcdcMerge *pM = pB->pM;
  AcdcVal *aRow = acdcFeedAdd(pM->p, &pB->last);
  int i;
  if( aRow==0 ) return;
  for(i=0; i<pM->nKey; i++) aRow[i] = pR->aKey[i];
  aRow += pM->nKey;
  memset(aRow, 0, sizeof(AcdcVal)*3);
  acdcSeqToState(pM->p, &pM->st.kind, &pR->ev.seq, &pB->arena, &aRow[0]);
  aRow[1].eType = SQLITE_INTEGER;
  aRow[1].u.i = pM->iGen*2 + (pR->ev.eKind==ACDC_DELETE);
  if( pR->bGone ){
    acdcSeqToState(pM->p, &pM->st.kind, &pR->gone, &pB->arena, &aRow[2]);
  }
}

/* The row of the target. */
static void batchTgtRow(AcdcBatch *pB, const BatchRow *pR){
  AcdcMerge *pM = pB->pM;
  AcdcVal *aRow = acdcFeedAdd(pM->p, &pB->tgt);
  int i;
  if( aRow==0 ) return;
  for(i=0; i<pM->nKey; i++) aRow[i] = pR->aKey[i];
  memset(&aRow[pM->nKey], 0, sizeof(AcdcVal)*2);
  for(i=0; i<pM->nVal; i++) aRow[pM->nKey+2+i] = pR->ev.aVal[i];
}

void acdcBatchAdd(
  AcdcBatch *pB, const AcdcVal *aKey, const AcdcEvent *pEv,
  const AcdcEntry *aE, int nE
){
  AcdcMerge *pM = pB->pM;
  AcdcCtx *p = pM->p;
  BatchRow *pR = &pB->a[pB->n];
  i64 *aOlder;
  int i;
  memset(pR, 0, sizeof(*pR));
  pR->ev = *pEv;
  pR->aKey = acdcArenaAlloc(p, &pB->arena, sizeof(AcdcVal)*pM->nKey);
  aOlder = acdcArenaAlloc(p, &pB->arena, sizeof(i64)*(nE+1));
  if( pR->aKey==0 || aOlder==0 ) return;
  for(i=0; i<nE; i++) aOlder[i] = (i64)(aE[i].b ^ ((u64)1<<63));
  pR->aOlder = aOlder;
  pR->nOlder = nE;
  i = acdcScd1LastDelete(pM, aE, nE);
  if( i>=0 ){
    AcdcEvent ev;
    acdcEventRead(pM, &pB->arena, &aE[i], 0, &ev);
    pR->bGone = 1;
    pR->gone = ev.seq;
  }
  for(i=0; i<pM->nKey; i++){
    batchKeep(pB, &pR->aKey[i], &aKey[i]);
  }
  if( pEv->eKind==ACDC_UPSERT ){
    AcdcVal *aVal = acdcArenaAlloc(p, &pB->arena, sizeof(AcdcVal)*(pM->nVal+1));
    if( aVal==0 ) return;
    for(i=0; i<pM->nVal; i++) batchKeep(pB, &aVal[i], &pEv->aVal[i]);
    pR->ev.aVal = aVal;
  }
  batchLastRow(pB, pR);
  pB->n++;
  if( pB->n==BATCH_ROWS || pB->arena.nTotal>(1<<20) ) acdcBatchFlush(pB);
}

/* Row of the feed, sequence in the target, delete in the state. */
static sqlite3_stmt *batchLookStmt(AcdcBatch *pB){
  AcdcMerge *pM = pB->pM;
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = 0;
  char *zTgt = 0, *zState = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    const char *zAnd = i ? " AND " : "";
    acdcAppendf(p, &zTgt, "%st.\"%w\"=f.c%d", zAnd, pM->aKey[i].zName, i);
    acdcAppendf(p, &zState, "%ss.k%d=f.c%d", zAnd, i+1, i);
  }
  if( p->rc==0 ){
    pStmt = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "SELECT f.rowid, "
        "t.\"%w\", s.seq FROM %s(?1) AS f LEFT JOIN %s AS t ON %s LEFT JOIN "
        "\"%w\".autocdc_state_%lld AS s ON %s", pM->pKept->zName,
        acdcFeedModule(pM->nKey+3), pM->zTgtSql, zTgt, pM->tgt.zSchema,
        pM->st.iId, zState);
  }
  sqlite3_free(zTgt);
  sqlite3_free(zState);
  return pStmt;
}

static void batchPrepare(AcdcBatch *pB){
  AcdcMerge *pM = pB->pM;
  AcdcCtx *p = pM->p;
  char *zCols = 0, *zFeed = 0;
  int i;
  if( pB->pTgt || p->rc ) return;
  if( pM->pKept ){
    pB->pLook = batchLookStmt(pB);
    pB->pTgt = acdcWriterUpsert(pM, 1);
    return;
  }
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zCols, "%sk%d", i ? "," : "", i+1);
    acdcAppendf(p, &zFeed, "c%d,", i);
  }
  pB->pLast = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT,
      "INSERT OR FAIL INTO \"%w\".autocdc_state_%lld(%s, seq, kind, gone) "
      "SELECT %sc%d, c%d, c%d FROM %s(?1) WHERE true "
      "ON CONFLICT(%s) DO UPDATE SET seq=excluded.seq, kind=excluded.kind, "
      "gone=CASE WHEN excluded.gone IS NULL THEN iif(kind%%2, seq, gone) ELSE "
      "max(excluded.gone, iif(kind%%2, seq, coalesce(gone, excluded.gone))) END "
      "WHERE autocdc_judge(?2, seq, kind)", pM->tgt.zSchema, pM->st.iId,
      zCols, zFeed, pM->nKey, pM->nKey+1, pM->nKey+2,
      acdcFeedModule(pM->nKey+3), zCols);
  sqlite3_free(zCols);
  sqlite3_free(zFeed);
  pB->pTgt = acdcWriterUpsert(pM, 0);
}

static void batchRun(AcdcBatch *pB, sqlite3_stmt *pStmt, AcdcFeed *pF){
  AcdcCtx *p = pB->pM->p;
  if( p->rc || pStmt==0 || pF->nRow==0 ) return;
  acdcFeedBind(pStmt, 1, pF);
  if( sqlite3_bind_parameter_count(pStmt)>1 ){
    sqlite3_bind_pointer(pStmt, 2, pB, JUDGE_POINTER, 0);
  }
  acdcStep(p, pStmt);
  acdcReset(p, pStmt);
  acdcFeedWhere(pB->pM, pF);
}

/*
** Target rows that wait: insert them, or update those that differ.  nInsert of
** them are of keys without a row, unless someone has put one there by hand.
*/
static void batchTgt(AcdcBatch *pB, i64 nInsert){
  AcdcMerge *pM = pB->pM;
  i64 n = pB->tgt.nRow;
  i64 nChange;
  if( n==0 ) return;
  batchRun(pB, pB->pTgt, &pB->tgt);
  if( pM->p->rc ) return;
  nChange = sqlite3_changes64(pM->p->db);
  if( nInsert>nChange ) nInsert = nChange;
  pM->n.nInserted += nInsert;
  pM->n.nUpdated += nChange - nInsert;
  pM->n.nUnchanged += n - nChange;
  acdcFeedReset(&pB->tgt);
}

/* With pKept: what is known of each key, as acdcLastRead() says. */
static void batchLook(AcdcBatch *pB){
  AcdcMerge *pM = pB->pM;
  acdcFeedBind(pB->pLook, 1, &pB->last);
  while( acdcStep(pM->p, pB->pLook) ){
    BatchRow *pR = &pB->a[sqlite3_column_int(pB->pLook, 0)];
    sqlite3_value *pRow = sqlite3_column_value(pB->pLook, 1);
    sqlite3_value *pTomb = sqlite3_column_value(pB->pLook, 2);
    AcdcLast *pLast = &pR->last;
    int bTomb = sqlite3_value_type(pTomb)!=SQLITE_NULL;
    if( bTomb ) batchSeq(pB, pTomb, &pLast->gone);
    if( sqlite3_value_type(pRow)==SQLITE_INTEGER ){
      pR->eFound = BATCH_NEWER;
      batchSeq(pB, pRow, &pLast->seq);
    }
    if( bTomb && (pR->eFound==BATCH_NEW
        || acdcSeqCmp(&pM->st.kind, &pLast->gone, &pLast->seq)>0) ){
      pR->eFound = BATCH_REVIVED;
      pLast->eKind = ACDC_DELETE;
      pLast->seq = pLast->gone;
    }else{
      pLast->bGone = (u8)bTomb;
    }
  }
  acdcReset(pM->p, pB->pLook);
}

/* With pKept: an event that decides.  Upserts wait for batchTgt(). */
static void batchDecides(AcdcBatch *pB, BatchRow *pR, i64 *pnInsert){
  AcdcMerge *pM = pB->pM;
  int bLive = pR->eFound==BATCH_NEWER;
  AcdcLast now;
  memset(&now, 0, sizeof(now));
  now.seq = pR->ev.seq;
  now.eKind = pR->ev.eKind==ACDC_DELETE;
  if( now.eKind ){
    acdcScd1Write(pM, pR->aKey, &pR->ev, bLive);
  }else{
    batchTgtRow(pB, pR);
    if( !bLive ) ++*pnInsert;
    now.bGone = pR->bGone;
    now.gone = pR->gone;
    if( !now.bGone ) return;
  }
  acdcLastPut(pM, &pB->arena, pR->aKey, &now,
              pR->eFound==BATCH_NEW ? 0 : &pR->last);
}

/* The same with the sequences in the target. */
static void batchFlushKept(AcdcBatch *pB){
  AcdcMerge *pM = pB->pM;
  i64 nInsert = 0;
  int i;
  batchLook(pB);
  for(i=0; i<pB->n && pM->p->rc==0; i++){
    BatchRow *pR = &pB->a[i];
    int bKnown = pR->eFound!=BATCH_NEW;
    int c = bKnown ? acdcSeqCmp(&pM->st.kind, &pR->ev.seq, &pR->last.seq) : 1;
    if( bKnown ) batchLate(pB, pR, &pR->last.seq);
    if( c>0 ){
      batchDecides(pB, pR, &nInsert);
      continue;
    }
    if( c<0 ){
      pM->n.nLate++;
      pM->n.nUnchanged++;
      if( pR->ev.eKind==ACDC_DELETE ){
        pR->bGone = 1;
        pR->gone = pR->ev.seq;
      }
    }else{
      acdcScd1Tie(pM, &pB->arena, pR->aKey, &pR->last, &pR->ev);
    }
    if( pR->bGone ) acdcLastGone(pM, &pB->arena, pR->aKey, &pR->gone);
  }
  acdcWriterFlush(pM);
  batchTgt(pB, nInsert);
  acdcFeedReset(&pB->last);
  acdcArenaReset(&pB->arena);
  pB->n = 0;
}

void acdcBatchFlush(AcdcBatch *pB){
  AcdcMerge *pM = pB->pM;
  AcdcCtx *p = pM->p;
  i64 nInsert = 0;
  int i;
  if( pB->n==0 || p->rc ) return;
  batchPrepare(pB);
  if( pM->pKept ){
    batchFlushKept(pB);
    return;
  }
  batchRun(pB, pB->pLast, &pB->last);
  for(i=0; i<pB->n && p->rc==0; i++){
    BatchRow *pR = &pB->a[i];
    int bLive = pR->eFound==BATCH_NEWER;
    if( pR->eFound==BATCH_LATE ){
      pM->n.nUnchanged++;
    }else if( pR->eFound==BATCH_TIE ){
      AcdcLast last;
      if( acdcLastRead(pM, &pB->arena, pR->aKey, &last) ){
        acdcScd1Tie(pM, &pB->arena, pR->aKey, &last, &pR->ev);
      }
    }else if( pR->ev.eKind==ACDC_DELETE
           || (pR->eFound==BATCH_NEW && pM->st.bAdopted) ){
      acdcScd1Write(pM, pR->aKey, &pR->ev, bLive);
    }else{
      batchTgtRow(pB, pR);
      if( !bLive ) nInsert++;
    }
    if( pR->eFound==BATCH_LATE && pR->ev.eKind==ACDC_DELETE ){
      acdcLastGone(pM, &pB->arena, pR->aKey, &pR->ev.seq);
    }else if( pR->bGone && pR->eFound>=BATCH_LATE ){
      acdcLastGone(pM, &pB->arena, pR->aKey, &pR->gone);
    }
  }
  acdcWriterFlush(pM);
  batchTgt(pB, nInsert);
  acdcFeedReset(&pB->last);
  acdcArenaReset(&pB->arena);
  pB->n = 0;
}
