/*
** Current state (semantics.md 3): the event with the greatest sequence of a
** key decides; deletes are remembered.  autocdc_state_<id> has the deciding
** sequence of each key, its kind (bit 0 is set for a delete, the rest is the
** emitted set of the event) and the last delete before it: partial.c needs both
** when a column joins later.
**
** If the target itself keeps the sequence (AcdcMerge.pKept), autocdc_state_<id>
** has the last delete of each key and nothing else.
*/
#include "merge.h"

#define SCD1_GROUP  4096       /* entries of one key at a time */
#define SCD1_KIND(pM, eKind) ((pM)->iGen*2 + ((eKind)==ACDC_DELETE))

const AcdcSeq *acdcLastMark(const AcdcMerge *pM){
  return pM->st.nMark ? &pM->st.aMark[pM->st.nMark-1] : 0;
}

int acdcBelowFloor(const AcdcMerge *pM, const AcdcSeq *pSeq){
  return pM->bFloor && acdcSeqCmp(&pM->st.kind, pSeq, &pM->floor)<0;
}

int acdcGroupEvents(
  AcdcMerge *pM, AcdcArena *pA, const AcdcEntry *aE, int n, AcdcVal *aKey,
  AcdcEvent *aEv
){
  int i, nEv = 0;
  for(i=0; i<n && pM->p->rc==0; i++){
    AcdcEvent *pEv = &aEv[nEv];
    acdcEventRead(pM, pA, &aE[i], nEv==0 ? aKey : 0, pEv);
    if( acdcBelowFloor(pM, &pEv->seq) ){
      pM->n.nLate++;
      pM->n.nUnchanged++;
    }else if( nEv && acdcSeqCmp(&pM->st.kind, &pEv[-1].seq, &pEv->seq)==0 ){
      acdcTieResolve(pM, pA, aKey, &pEv[-1], pEv);
      pM->n.nUnchanged++;
    }else{
      nEv++;
    }
  }
  return nEv;
}

/* Make an event of what stands. */
static void scd1Standing(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcLast *pLast,
  AcdcEvent *pOut
){
  sqlite3_stmt *pStmt;
  int i;
  memset(pOut, 0, sizeof(*pOut));
  pOut->seq = pLast->seq;
  pOut->bOld = 1;
  pOut->eKind = (pLast->eKind & 1) ? ACDC_DELETE : ACDC_UPSERT;
  pOut->mask = pM->fullMask;
  if( pOut->eKind==ACDC_DELETE ) return;
  pStmt = acdcTgtLook(pM, ACDC_LOOK_LAST, aKey, 0);
  if( pStmt==0 ){
    pOut->eKind = ACDC_DELETE;           /* the row was removed by hand */
    return;
  }
  pOut->aVal = acdcArenaAlloc(pM->p, pA, sizeof(AcdcVal)*(pM->nVal+1));
  for(i=0; pOut->aVal && i<pM->nVal; i++){
    AcdcVal v;
    acdcValColumn(&v, pStmt, i+2);
    acdcValCopy(pM->p, pA, &pOut->aVal[i], &v);
  }
  sqlite3_reset(pStmt);
}

/* Is there a row of that key in the target? */
static int scd1HasRow(AcdcMerge *pM, const AcdcVal *aKey){
  sqlite3_stmt *pStmt = acdcTgtLook(pM, ACDC_LOOK_LAST, aKey, 0);
  if( pStmt==0 ) return 0;
  sqlite3_reset(pStmt);
  return 1;
}

/*
** Write the deciding event.  bLive: the target should have a row of the key.  One
** that was not empty may have one that we know nothing of: it was there before
** the first flow, or someone has put it there by hand since.
*/
void acdcScd1Write(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcEvent *pEv, int bLive
){
  int bMay = bLive || !pM->bEmptyTarget;
  if( pEv->eKind==ACDC_DELETE ){
    if( bMay && acdcTgtDelete(pM, aKey, 0) ){
      pM->n.nDeleted++;
    }else{
      pM->n.nUnchanged++;
    }
    return;
  }
  if( bMay && acdcTgtUpdate(pM, aKey, pEv->aVal, 0, 0) ){
    pM->n.nUpdated++;
  }else if( bMay && scd1HasRow(pM, aKey) ){
    pM->n.nUnchanged++;                  /* equal already */
  }else if( acdcTgtInsert(pM, aKey, pEv->aVal, 0, 0) ){
    pM->n.nInserted++;
  }else{
    pM->n.nUnchanged++;                  /* by a trigger's RAISE(IGNORE) */
  }
}

/*
** An event at the very sequence that decides now.  Returns 1 if it takes over.
*/
static int scd1TieTakes(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcLast *pLast,
  const AcdcEvent *pEv
){
  AcdcEvent old;
  scd1Standing(pM, pA, aKey, pLast, &old);
  if( acdcTieResolve(pM, pA, aKey, &old, pEv)==ACDC_TIE_TOOK ) return 1;
  pM->n.nUnchanged++;
  return 0;
}

void acdcScd1Tie(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcLast *pLast,
  const AcdcEvent *pEv
){
  AcdcLast last = *pLast;
  if( !scd1TieTakes(pM, pA, aKey, pLast, pEv) || pM->p->rc ) return;
  acdcScd1Write(pM, aKey, pEv, (pLast->eKind & 1)==0);
  last.eKind = SCD1_KIND(pM, pEv->eKind);
  acdcLastPut(pM, pA, aKey, &last, pLast);
}

int acdcScd1LastDelete(AcdcMerge *pM, const AcdcEntry *aE, int nE){
  int iOther = pM->pFlow->eTieBreak==ACDC_TIE_FIRST ? -1 : 1;
  int i;
  for(i=nE-1; i>=0; i--){
    AcdcSeq a, b;
    if( (aE[i].pRec[0] & ACDC_REC_KIND)!=ACDC_DELETE ) continue;
    if( i+iOther<0 || i+iOther>=nE || aE[i].b!=aE[i+iOther].b ) break;
    acdcEntrySeq(&aE[i], &a);
    acdcEntrySeq(&aE[i+iOther], &b);
    if( acdcSeqCmp(&pM->st.kind, &a, &b)!=0 ) break;
  }
  return i;
}

/*
** The nE entries aE of a key that were passed over because a later one decides:
** count those that are late, and ties with what stands (NULL: nothing is known
** of the key).
*/
static void scd1Passed(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcEntry *aE,
  int nE, const AcdcLast *pLast
){
  int i, c;
  for(i=0; i<nE && pLast && pM->p->rc==0; i++){
    AcdcSeq seq;
    acdcEntrySeq(&aE[i], &seq);
    c = acdcSeqCmp(&pM->st.kind, &seq, &pLast->seq);
    if( c<0 ) pM->n.nLate++;
    if( c==0 ){                          /* a tie with what decides now */
      AcdcEvent old, ev;
      scd1Standing(pM, pA, aKey, pLast, &old);
      acdcEventRead(pM, pA, &aE[i], 0, &ev);
      if( pM->p->rc==0 && !acdcTieSame(pM, &old, &ev) ){
        acdcTieCount(pM, aKey, &pLast->seq);
      }
    }
  }
}

/*
** The last delete of the batch before its deciding event, aEv[nEv-1]; aE are
** the nE entries that were passed over.  Returns 0 if there is none.
*/
static int scd1Gone(
  AcdcMerge *pM, AcdcArena *pA, const AcdcEvent *aEv, int nEv,
  const AcdcEntry *aE, int nE, AcdcSeq *pOut
){
  int i;
  for(i=nEv-2; i>=0; i--){
    if( aEv[i].eKind!=ACDC_DELETE ) continue;
    *pOut = aEv[i].seq;
    return 1;
  }
  i = acdcScd1LastDelete(pM, aE, nE);
  if( i>=0 ){
    AcdcEvent ev;
    acdcEventRead(pM, pA, &aE[i], 0, &ev);
    *pOut = ev.seq;
  }
  return i>=0;
}

/* The event that decides stays: what is new of the last delete before it. */
static void scd1KeepGone(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcLast *pLast,
  const AcdcLast *pNow
){
  if( pNow->bGone && (pLast->eKind & 1)==0 && (!pLast->bGone
      || acdcSeqCmp(&pM->st.kind, &pLast->gone, &pNow->gone)<0) ){
    acdcLastGone(pM, pA, aKey, &pNow->gone);
  }
}

/*
** The deciding event of the batch against what is known of its key.  aE are
** the nE entries of the key that were passed over.
*/
static void scd1Decide(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, AcdcEvent *aEv, int nEv,
  const AcdcEntry *aE, int nE, int bFresh
){
  AcdcEvent *pEv = &aEv[nEv-1];
  const AcdcSeq *pMark = acdcLastMark(pM);
  AcdcLast last, was, now;
  int bKnown = 0, bEmpty, c = 1, i;
  i64 nUpdated;
  pM->n.nUnchanged += nEv-1;
  if( pMark && acdcSeqCmp(&pM->st.kind, &pEv->seq, pMark)<0 ){
    pM->n.nUnchanged++;
    return;
  }
  memset(&now, 0, sizeof(now));
  memset(&last, 0, sizeof(last));
  now.bGone = (u8)scd1Gone(pM, pA, aEv, nEv, aE, nE, &now.gone);
  if( !bFresh ){
    bKnown = acdcLastRead(pM, pA, aKey, &last);
    scd1Passed(pM, pA, aKey, aE, nE, bKnown ? &last : 0);
    for(i=0; i<nEv && bKnown; i++){
      c = acdcSeqCmp(&pM->st.kind, &aEv[i].seq, &last.seq);
      if( c<0 ) pM->n.nLate++;
    }
  }
  if( pM->p->rc ) return;
  if( c<0 ){
    if( pEv->eKind==ACDC_DELETE ){
      now.bGone = 1;
      now.gone = pEv->seq;
    }
    scd1KeepGone(pM, pA, aKey, &last, &now);
    if( now.bGone && pM->bExtra && acdcTgtExtra(pM, aKey) ){
      pM->n.nUpdated++;
    }else{
      pM->n.nUnchanged++;
    }
    return;
  }
  if( bKnown && c==0 && !scd1TieTakes(pM, pA, aKey, &last, pEv) ){
    scd1KeepGone(pM, pA, aKey, &last, &now);
    return;
  }
  if( pM->p->rc ) return;
  bEmpty = (now.bGone || pM->nNewMark)     /* what is older is truncated */
        && pM->bExtra && pEv->eKind==ACDC_UPSERT && acdcTgtExtra(pM, aKey);
  nUpdated = pM->n.nUpdated;
  acdcScd1Write(pM, aKey, pEv, bKnown && (last.eKind & 1)==0);
  if( bEmpty && pM->n.nUpdated==nUpdated ){
    pM->n.nUpdated++;                    /* only columns of the user's differ */
    pM->n.nUnchanged--;
  }
  was = last;
  if( bKnown && c>0 && (last.eKind & 1) ){
    last.gone = last.seq;
    last.bGone = 1;
  }
  if( bKnown && last.bGone && (!now.bGone
      || acdcSeqCmp(&pM->st.kind, &last.gone, &now.gone)>0) ){
    now.gone = last.gone;
    now.bGone = 1;
  }
  now.seq = pEv->seq;
  now.eKind = SCD1_KIND(pM, pEv->eKind);
  acdcLastPut(pM, pA, aKey, &now, bKnown ? &was : 0);
}

/*
** An entry that the sorter leaves out because a later one of its key decides.
** A tie among such is still counted.
*/
void acdcScd1Pair(
  AcdcMerge *pM, const AcdcEntry *pGone, const AcdcEntry *pNext
){
  AcdcEvent a, b;
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcArena arena;
  pM->n.nUnchanged++;
  if( pGone->b!=pNext->b ) return;       /* words of codes: equal is a maybe */
  memset(&arena, 0, sizeof(arena));
  acdcEventRead(pM, &arena, pGone, aKey, &a);
  acdcEventRead(pM, &arena, pNext, 0, &b);
  if( pM->p->rc==0 && acdcSeqCmp(&pM->st.kind, &a.seq, &b.seq)==0
   && !acdcTieSame(pM, &a, &b)
  ){
    acdcTieCount(pM, aKey, &a.seq);
  }
  acdcArenaFree(&arena);
}

/*
** New truncates (semantics.md 3.3): what is below the latest one goes, from
** state too, because events below it can never matter again.  After the
** events, so that a row which one of them has brought above it counts as
** updated, not as removed and added.
*/
static void scd1Truncate(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  const AcdcSeq *pMark;
  sqlite3_stmt *pStmt;
  AcdcVal v;
  char *zMatch = 0;
  int i;
  pMark = acdcLastMark(pM);
  if( p->rc || pMark==0 ) return;
  acdcSeqToState(p, &pM->st.kind, pMark, &pM->arena, &v);
  if( pM->st.bEvents ) acdcPartialTruncate(pM, &v);
  for(i=0; i<2 && p->rc==0; i++){
    if( i==1 && !pM->st.bEvents ) break;
    pStmt = acdcPrepare(p, 0, "DELETE FROM \"%w\".autocdc_%s_%lld WHERE seq<?1",
        pM->tgt.zSchema, i ? "event" : "state", pM->st.iId);
    if( pStmt ) acdcValBind(pStmt, 1, &v);
    acdcStep(p, pStmt);
    acdcFinalize(p, &pStmt);
  }
  if( pM->pKept ){
    pStmt = acdcPrepare(p, 0, "DELETE FROM %s WHERE typeof(\"%w\")<>'integer' "
        "OR \"%w\"<?1", pM->zTgtSql, pM->pKept->zName, pM->pKept->zName);
    if( pStmt ) acdcValBind(pStmt, 1, &v);
  }else{
    for(i=0; i<pM->nKey; i++){
      acdcAppendf(p, &zMatch, "%ss.k%d IS t.\"%w\"", i ? " AND " : "", i+1,
                  pM->aKey[i].zName);
    }
    pStmt = acdcPrepare(p, 0, "DELETE FROM %s AS t WHERE NOT EXISTS (SELECT 1 "
        "FROM \"%w\".autocdc_state_%lld AS s WHERE %s AND s.kind%%2=0)",
        pM->zTgtSql, pM->tgt.zSchema, pM->st.iId, zMatch);
  }
  acdcStep(p, pStmt);
  if( p->rc==0 ) pM->n.nDeleted += sqlite3_changes64(p->db);
  acdcFinalize(p, &pStmt);
  sqlite3_free(zMatch);
  if( pM->st.bEvents && pM->st.bAdopted ) acdcPartialAdopted(pM);
  if( pM->bExtra && p->rc==0 ) pM->n.nUpdated += acdcTgtExtra(pM, 0);
}

void acdcScd1Run(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcArena arena;
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcEvent *aEv;
  const AcdcEntry *aE;
  AcdcBatch *pBatch = 0;
  int n, bMore = 0, bWasMore;
  i64 nGroup = 0;
  memset(&arena, 0, sizeof(arena));
  acdcStateAddMarks(pM);
  aEv = acdcMalloc(p, sizeof(AcdcEvent)*SCD1_GROUP);
  if( pM->bUpsert && !pM->bPartial && !pM->bEmptyTarget && !pM->bExtra
   && pM->pFlow->eTieBreak!=ACDC_TIE_ERROR
  ){
    pBatch = acdcBatchNew(pM);
  }
  for(;;){
    int nEv, bFresh, iFirst = 0;
    bWasMore = bMore;
    n = acdcSorterGroup(p, pM->pSorter, SCD1_GROUP, &aE, &bMore);
    if( n==0 || p->rc ) break;
    if( (++nGroup & 1023)==0 && acdcInterrupted(p) ) break;
    bFresh = pM->bEmptyTarget && !bWasMore;
    if( bWasMore ) acdcWriterFlush(pM);
    pM->bStay = bFresh && pM->bMemory && !pM->bPartial;
    if( !pM->bPartial ){
      /* Only the greatest sequence decides: leave the others undecoded */
      while( iFirst<n-1 && aE[iFirst].b!=aE[n-1].b ){
        acdcScd1Pair(pM, &aE[iFirst], &aE[iFirst+1]);
        iFirst++;
      }
    }
    nEv = acdcGroupEvents(pM, &arena, aE+iFirst, n-iFirst, aKey, aEv);
    if( nEv && p->rc==0 ){
      if( pBatch && !bMore && !bWasMore && nEv==1
       && acdcBatchFits(aE, iFirst)
       && (acdcLastMark(pM)==0 || acdcSeqCmp(&pM->st.kind, &aEv[0].seq,
                                             acdcLastMark(pM))>=0)
      ){
        acdcBatchAdd(pBatch, aKey, &aEv[0], aE, iFirst);
      }else if( pM->bPartial ){
        acdcPartialKey(pM, &arena, aKey, aEv, nEv, bFresh);
      }else{
        scd1Decide(pM, &arena, aKey, aEv, nEv, aE, iFirst, bFresh);
      }
    }
    acdcArenaReset(&arena);
  }
  if( pBatch ) acdcBatchFlush(pBatch);
  acdcBatchFree(pBatch);
  acdcWriterFlush(pM);
  if( pM->nNewMark ) scd1Truncate(pM);
  sqlite3_free(aEv);
  acdcArenaFree(&arena);
}

/* Of whole rows only those with the greatest sequence decide, and the last
** delete before them is remembered. */
static void scd1Reduce(void *pArg, const AcdcEntry *aE, int n, u8 *aKeep){
  AcdcMerge *pM = pArg;
  AcdcSeq last, seq;
  int i, iGone, nOlder = 0;
  acdcEntrySeq(&aE[n-1], &last);
  for(; nOlder<n-1; nOlder++){
    acdcEntrySeq(&aE[nOlder], &seq);
    if( acdcSeqCmp(&pM->st.kind, &seq, &last)>=0 ) break;
  }
  iGone = acdcScd1LastDelete(pM, aE, nOlder);
  for(i=0; i<nOlder; i++){
    if( i==iGone ) continue;
    acdcScd1Pair(pM, &aE[i], &aE[i+1]);
    aKeep[i] = 0;
  }
}

/*
** Let the sorter reduce.  Not onto a target with rows: which of them were late
** could not be told.
*/
void acdcScd1Reduce(AcdcMerge *pM){
  if( pM->bFloor || !pM->bEmptyTarget ) return;
  acdcSorterReduce(pM->pSorter, pM,
                   pM->bPartial ? acdcPartialReduce : scd1Reduce);
}
