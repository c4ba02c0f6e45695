/*
** Bitemporal history (semantics.md 7).
**
** The event table has every event of a key, with the values of those only
** whose values the target does not show: an upsert of business sequence b and
** system sequence s is as a rule what the target's row (b, s) began with.
**
** New events of a key are split into clusters.  A cluster and the neighbours
** on the business axis that it has at any system time from its least system
** sequence on make a window (AcdcBitWin).  The window's events are swept by
** system sequence (bitsweep.c), which gives the rows that it should have; they
** are compared with those that the target has, and the difference is written.
**
** So an event that is the latest on the system axis costs its neighbours,
** wherever it lies on the business axis and however long the history.  One
** that comes late on the system axis costs the neighbours that it has had
** since, whose rows are re-cut, what lies between these, and a look along the
** index at the key's other events, for neighbours of then.  Under partial
** updates a window ends at an event that was known then and inherits nothing.
*/
#include "bitemporal.h"

#define BIT_GROUP  4096        /* entries of one key at a time */

typedef struct Bit Bit;
struct Bit {
  AcdcMerge *pM;
  AcdcCtx *p;
  AcdcBitStore *pStore;
  AcdcBitWin win;
  AcdcBitList batch;     /* AcdcBitEvent: the key's new events, sorted */
  u8 bLast;              /* The key was known before ... */
  AcdcSeq last;          /* ... up to this sequence */
};

/* ---- lists ---- */

void acdcBitListAdd(AcdcCtx *p, AcdcBitList *pL, void *pItem){
  if( pL->n>=pL->nAlloc ){
    int nNew = pL->nAlloc*2 + 32;
    void **apNew = acdcRealloc(p, pL->ap, sizeof(void*)*(i64)nNew);
    if( apNew==0 ) return;
    pL->ap = apNew;
    pL->nAlloc = nNew;
  }
  if( p->rc==0 ) pL->ap[pL->n++] = pItem;
}

void acdcBitListSort(
  AcdcCtx *p, AcdcBitList *pL, void *pArg,
  int (*xCmp)(void*, const void*, const void*)
){
  acdcPointerSort(p, pL->ap, pL->n, pArg, xCmp);
}

int acdcBitCmp(const AcdcBitWin *pW, const AcdcSeq *pA, const AcdcSeq *pB){
  return acdcSeqCmp(&pW->pM->st.kind, pA, pB);
}

int acdcBitSysCmp(const AcdcBitWin *pW, const AcdcSeq *pA, const AcdcSeq *pB){
  return acdcSeqCmp(&pW->pM->st.sysKind, pA, pB);
}

static int bitEventCmp(void *pArg, const void *pA, const void *pB){
  const AcdcBitWin *pW = pArg;
  const AcdcBitEvent *pEvA = pA, *pEvB = pB;
  int c = acdcBitCmp(pW, &pEvA->ev.seq, &pEvB->ev.seq);
  return c ? c : acdcBitSysCmp(pW, &pEvA->sys, &pEvB->sys);
}

int acdcBitRowCmp(void *pWin, const void *pA, const void *pB){
  const AcdcBitWin *pW = pWin;
  const AcdcBitRow *pRowA = pA, *pRowB = pB;
  int c = acdcBitCmp(pW, &pRowA->start, &pRowB->start);
  return c ? c : acdcBitSysCmp(pW, &pRowA->sys, &pRowB->sys);
}

AcdcBitRow *acdcBitOldRow(
  const AcdcBitWin *pW, const AcdcSeq *pStart, const AcdcSeq *pSys
){
  int lo = 0, hi = pW->old.n;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    AcdcBitRow *pRow = pW->old.ap[mid];
    int c = acdcBitCmp(pW, &pRow->start, pStart);
    if( c==0 ) c = acdcBitSysCmp(pW, &pRow->sys, pSys);
    if( c==0 ) return pRow;
    if( c<0 ) lo = mid+1; else hi = mid;
  }
  return 0;
}

int acdcBitSameVals(const AcdcMerge *pM, const AcdcVal *a, const AcdcVal *b){
  int i;
  if( a==b ) return 1;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt<0 ) continue;
    if( a[i].eType!=b[i].eType || !acdcValIs(&a[i], &b[i]) ) return 0;
  }
  return 1;
}

void acdcBitDamaged(AcdcMerge *pM){
  acdcError(pM->p, SQLITE_CORRUPT, "target %s and table autocdc_event_%lld do "
      "not agree: was the target changed by hand? SELECT autocdc_reset('%q') "
      "starts anew", pM->pFlow->zTarget, pM->st.iId, pM->pFlow->zTarget);
}

/* ---- the new events of a key ---- */

/*
** Decode a group of entries of one key, put it in order, and resolve its
** ties: equal on both axes (2.6).
*/
static void bitDecode(Bit *pB, const AcdcEntry *aE, int n, AcdcVal *aKey){
  AcdcMerge *pM = pB->pM;
  AcdcArena *pA = &pB->win.arena;
  AcdcBitList *pL = &pB->batch;
  int i, j;
  pL->n = 0;
  for(i=0; i<n && pB->p->rc==0; i++){
    AcdcBitEvent *pE = acdcArenaAlloc(pB->p, pA, sizeof(*pE));
    AcdcVal sys, shown;
    if( pE==0 ) return;
    memset(pE, 0, sizeof(*pE));
    acdcEventRead(pM, pA, &aE[i], i==0 ? aKey : 0, &pE->ev);
    acdcRecGet(acdcRecGet(pE->ev.pSys, &sys), &shown);
    acdcSeqFromState(pB->p, &pM->st.sysKind, &sys, &shown, pA, &pE->sys);
    pE->bNew = 1;
    if( acdcBelowFloor(pM, &pE->ev.seq) ){
      pM->n.nLate++;
      pM->n.nUnchanged++;
    }else{
      acdcBitListAdd(pB->p, pL, pE);
    }
  }
  acdcBitListSort(pB->p, pL, &pB->win, bitEventCmp);
  for(i=j=0; i<pL->n && pB->p->rc==0; i++){
    AcdcBitEvent *pE = pL->ap[i], *pPrev = j>0 ? pL->ap[j-1] : 0;
    if( pPrev && bitEventCmp(&pB->win, pPrev, pE)==0 ){
      acdcTieResolve(pM, pA, aKey, &pPrev->ev, &pE->ev);
      pM->n.nUnchanged++;
    }else{
      pL->ap[j++] = pE;
    }
  }
  pL->n = j;
}

/*
** Choose a cluster that begins with new event i, and its bounds.  Returns the
** index behind it.  What is known between the bounds was learnt at or after
** the least system sequence of the cluster, or lies at one of its sequences.
*/
static int bitCluster(Bit *pB, int i){
  AcdcBitWin *pW = &pB->win;
  AcdcBitEvent **apNew = (AcdcBitEvent**)pB->batch.ap;
  const AcdcSeq *pLast = pB->bLast ? &pB->last : 0;
  int n = pB->batch.n, j, bLook = 1;
  pW->sysMin = apNew[i]->sys;
  pW->bLeft = pW->bRight = pW->bTail = 0;
  for(j=i+1; pB->p->rc==0; j++){
    if( bLook ){
      const AcdcSeq *pSeq = &apNew[j-1]->ev.seq;
      pW->bRight = pLast && acdcBitCmp(pW, pSeq, pLast)<0
                && acdcBitAfter(pW, pB->pStore, pSeq, &pW->right);
    }
    if( j>=n ) break;
    if( pW->bRight && acdcBitCmp(pW, &apNew[j]->ev.seq, &pW->right)>0 ) break;
    bLook = pW->bRight && acdcBitCmp(pW, &apNew[j]->ev.seq, &pW->right)==0;
    if( acdcBitSysCmp(pW, &apNew[j]->sys, &pW->sysMin)<0 ){
      pW->sysMin = apNew[j]->sys;
      if( pW->bRight ) bLook = 1;
    }
  }
  if( pLast ){
    if( acdcBitCmp(pW, &apNew[i]->ev.seq, pLast)<=0 ) pLast = 0;
    pW->bLeft = (u8)acdcBitBefore(pW, pB->pStore, &apNew[i]->ev.seq, pLast,
                                  &pW->left);
    pW->bTail = pLast && acdcBitCmp(pW, &pW->left, pLast)==0;
  }
  return j;
}

/* The known events of the window and new events i..iEnd-1, in order. */
static int bitMergeEvents(Bit *pB, int i, int iEnd){
  AcdcMerge *pM = pB->pM;
  AcdcBitWin *pW = &pB->win;
  AcdcBitList all = {0, 0, 0};
  const AcdcSeq *pMax = 0;
  int k, bNew = 0;
  for(k=0; k<pW->ev.n; k++){
    const AcdcBitEvent *pE = pW->ev.ap[k];
    if( pMax==0 || acdcBitSysCmp(pW, &pE->sys, pMax)>0 ) pMax = &pE->sys;
  }
  k = 0;
  while( (k<pW->ev.n || i<iEnd) && pB->p->rc==0 ){
    AcdcBitEvent *pOld = k<pW->ev.n ? pW->ev.ap[k] : 0;
    AcdcBitEvent *pNew = i<iEnd ? pB->batch.ap[i] : 0;
    int c = !pOld ? 1 : !pNew ? -1 : bitEventCmp(pW, pOld, pNew);
    acdcBitListAdd(pB->p, &all, c<=0 ? pOld : pNew);
    if( c<=0 ) k++;
    if( c<0 ) continue;
    i++;
    if( (pB->bLast && acdcBitCmp(pW, &pNew->ev.seq, &pB->last)<0)
     || (pMax && acdcBitSysCmp(pW, &pNew->sys, pMax)<0)
    ){
      pM->n.nLate++;
    }
    if( c>0 ){
      bNew = 1;
    }else if( acdcTieResolve(pM, &pW->arena, pW->aKey, &pOld->ev, &pNew->ev)
              ==ACDC_TIE_TOOK ){
      pOld->bNew = bNew = 1;
    }else{
      pM->n.nUnchanged++;
    }
  }
  sqlite3_free(pW->ev.ap);
  pW->ev = all;
  return bNew;
}

/* ---- the difference ---- */

static int bitSameRow(
  const AcdcBitWin *pW, const AcdcBitRow *pA, const AcdcBitRow *pB
){
  return pA->bEnd==pB->bEnd && pA->bSysEnd==pB->bSysEnd
      && (!pA->bEnd || acdcBitCmp(pW, &pA->end, &pB->end)==0)
      && (!pA->bSysEnd || acdcBitSysCmp(pW, &pA->sysEnd, &pB->sysEnd)==0)
      && acdcBitSameVals(pW->pM, pA->aVal, pB->aVal);
}

/*
** A row around the left bound may begin before the window, with an event that
** it shows.  pNew is what becomes of it, or NULL.
*/
static void bitLeaveEvent(Bit *pB, const AcdcBitRow *pOld,
                          const AcdcBitRow *pNew){
  AcdcBitWin *pW = &pB->win;
  if( !pW->bLeft || acdcBitCmp(pW, &pOld->start, &pW->left)>=0 ) return;
  if( pNew && acdcBitSameVals(pW->pM, pOld->aVal, pNew->aVal) ) return;
  acdcBitEventValues(pW, pB->pStore, pOld);
}

/*
** Rows that go, rows that close, rows that open, rows that are new: in this
** order there is never more than one row of a key that is open on both axes.
*/
static void bitWrite(Bit *pB){
  AcdcBitWin *pW = &pB->win;
  AcdcCounts *pN = &pB->pM->n;
  int iPass;
  for(iPass=pW->old.n ? 0 : 3; iPass<4; iPass++){
    int i = 0, j = 0;
    while( (i<pW->old.n || j<pW->rows.n) && pB->p->rc==0 ){
      AcdcBitRow *pOld = i<pW->old.n ? pW->old.ap[i] : 0;
      AcdcBitRow *pNew = j<pW->rows.n ? pW->rows.ap[j] : 0;
      int c = !pOld ? 1 : !pNew ? -1 : acdcBitRowCmp(pW, pOld, pNew);
      if( c<0 ){
        if( iPass==0 ){
          bitLeaveEvent(pB, pOld, 0);
          acdcBitDelete(pW, pB->pStore, pOld);
          pN->nDeleted++;
        }
      }else if( c>0 ){
        if( iPass==3 ){
          acdcBitInsert(pW, pB->pStore, pNew);
          pN->nInserted++;
        }
      }else if( (iPass==1 || iPass==2) && !bitSameRow(pW, pOld, pNew) ){
        int bOpen = !pNew->bEnd && !pNew->bSysEnd;
        if( bOpen==(iPass==2) ){
          bitLeaveEvent(pB, pOld, pNew);
          acdcBitUpdate(pW, pB->pStore, pOld, pNew);
          pN->nUpdated++;
        }
      }
      if( c<=0 ) i++;
      if( c>=0 ) j++;
    }
  }
}

static void bitWriteEvents(Bit *pB){
  AcdcBitWin *pW = &pB->win;
  int i;
  for(i=0; i<pW->ev.n && pB->p->rc==0; i++){
    AcdcBitEvent *pE = pW->ev.ap[i];
    if( pE->bNew || pE->eForm!=pE->eWas ){
      acdcBitEventPut(pW, pB->pStore, pE);
    }
    if( pE->bNew && !pE->bSeen ) pB->pM->n.nUnchanged++;
  }
}

/* ---- keys ---- */

/* Merge the batch of one key.  bFresh: nothing is known of it. */
static void bitKey(Bit *pB, int bFresh){
  AcdcBitWin *pW = &pB->win;
  int i = 0;
  pB->bLast = (u8)(!bFresh && acdcBitLast(pW, pB->pStore, &pB->last));
  while( i<pB->batch.n && pB->p->rc==0 ){
    int iEnd = bitCluster(pB, i);
    pW->ev.n = pW->old.n = pW->rows.n = 0;
    if( pB->bLast ) acdcBitLoad(pW, pB->pStore);
    if( pB->p->rc==0 && bitMergeEvents(pB, i, iEnd) ){
      acdcBitSweep(pW);
      bitWriteEvents(pB);
      bitWrite(pB);
    }
    i = iEnd;
    if( i<pB->batch.n ) acdcBitStoreFlush(pB->pM, pB->pStore);
  }
}

void acdcBitemporalRun(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcVal aKey[ACDC_MAXKEY];
  const AcdcEntry *aE;
  int n, bMore = 0, bWasMore;
  int bKnown = pM->st.bHidden;
  i64 nGroup = 0;
  Bit b;
  memset(&b, 0, sizeof(b));
  b.pM = b.win.pM = pM;
  b.p = p;
  b.win.aKey = aKey;
  b.pStore = acdcBitStoreNew(pM);
  while( p->rc==0 ){
    bWasMore = bMore;
    n = acdcSorterGroup(p, pM->pSorter, BIT_GROUP, &aE, &bMore);
    if( n==0 || p->rc ) break;
    if( (++nGroup & 1023)==0 && acdcInterrupted(p) ) break;
    if( bWasMore ) acdcBitStoreFlush(pM, b.pStore);
    bitDecode(&b, aE, n, aKey);
    bitKey(&b, !bKnown && !bWasMore);
    acdcArenaReset(&b.win.arena);
  }
  acdcBitStoreFlush(pM, b.pStore);
  acdcBitStoreFree(p, b.pStore);
  acdcArenaFree(&b.win.arena);
  sqlite3_free(b.batch.ap);
  sqlite3_free(b.win.ev.ap);
  sqlite3_free(b.win.old.ap);
  sqlite3_free(b.win.rows.ap);
}
