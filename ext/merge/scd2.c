/*
** History (semantics.md 4 and 5).
**
** The events of a key are split into clusters: new events with no known event
** between them.  A cluster and its two neighbours make a window; outside it
** nothing changes.  In the window values are inherited (partial updates), runs
** of equal tracked columns are formed, and what target and event table have is
** compared with what they should have; only the difference is written.  So a
** late event costs the neighbours that it re-cuts, however long the history.
*/
#include "history.h"

#define SCD2_GROUP  4096       /* entries of one key at a time */

/* An event in the window. */
typedef struct WinEvent WinEvent;
struct WinEvent {
  AcdcHistEvent h;
  AcdcVal *aEff;         /* Values with what is inherited */
  u8 bNew;               /* New, or changed by a tie, in this batch */
  u8 bChanged;           /* A known event whose values have changed */
  u8 bCut;               /* A truncate is at its sequence */
};

/* A row of the target, as it is or as it shall be. */
typedef struct WinRow WinRow;
struct WinRow {
  AcdcSeq start;
  AcdcVal rawStart;      /* Old rows: as the table has it */
  u8 bEnd;
  AcdcSeq end;
  const AcdcVal *aVal;
};

/* A target row that this call has written, of the key at hand. */
#define WIN_TOUCH    32      /* clusters ascend: older rows are not met again */
#define TOUCH_NONE   0       /* as it was before the call */
#define TOUCH_INSERT 1
#define TOUCH_UPDATE 2
#define TOUCH_DELETE 3
#define TOUCH_GONE   4       /* was not there, is not there */
typedef struct WinTouch WinTouch;
struct WinTouch {
  AcdcSeq start;
  u8 eWhat;              /* TOUCH_*: against the table before the call */
  u64 iWas;              /* Digest of the row before the call */
};

typedef struct Scd2 Scd2;
struct Scd2 {
  AcdcMerge *pM;
  AcdcCtx *p;
  AcdcArena arena;       /* For the events of a group */
  AcdcHist hist;
  const AcdcVal *aKey;
  WinEvent *a;           /* The window.  Owned */
  int n, nAlloc;
  int bSplit;            /* Not all events of the key are in this call */
  int bOnce;             /* The key has one cluster: no row is written twice */
  int bBound;            /* Its last event is a known one that stays as it is */
  WinTouch aTouch[WIN_TOUCH]; /* Rows of the key written last, newest first */
  int nTouch;
  AcdcArena touch;       /* Bytes of their sequences */
  WinRow *aOld, *aNew;   /* Owned */
  int nOld, nNew, nOldAlloc, nNewAlloc;
};

static int winCmp(const Scd2 *pS, const AcdcSeq *pA, const AcdcSeq *pB){
  return acdcSeqCmp(&pS->pM->st.kind, pA, pB);
}

static WinEvent *winPush(Scd2 *pS){
  WinEvent *pW;
  if( pS->n>=pS->nAlloc ){
    int nNew = pS->nAlloc*2 + 64;
    WinEvent *aNew = acdcRealloc(pS->p, pS->a, sizeof(WinEvent)*(i64)nNew);
    if( aNew==0 ) return 0;
    pS->a = aNew;
    pS->nAlloc = nNew;
  }
  pW = &pS->a[pS->n++];
  memset(pW, 0, sizeof(*pW));
  return pW;
}

static void winPushKnown(Scd2 *pS, const AcdcHistEvent *pH){
  WinEvent *pW = winPush(pS);
  if( pW ){
    pW->h = *pH;
    pW->aEff = pH->ev.aVal;
  }
}

static void winPushNew(Scd2 *pS, const AcdcEvent *pEv){
  WinEvent *pW = winPush(pS);
  if( pW ){
    pW->h.ev = *pEv;
    pW->aEff = pEv->aVal;
    pW->bNew = 1;
  }
}

static int winIsUpsert(const WinEvent *pW){
  return pW->h.ev.eKind==ACDC_UPSERT;
}

/*
** Truncates cut what is open at them (4.5): put those that fall into the window
** in as deletes, also the one that cuts its last version.  An event at the very
** sequence of a truncate lives, cut off from what is before.
*/
static void winAddMarks(Scd2 *pS){
  const AcdcState *pSt = &pS->pM->st;
  int i;
  for(i=0; i<pSt->nMark && pS->p->rc==0; i++){
    const AcdcSeq *pMark = &pSt->aMark[i];
    const WinEvent *pLast = &pS->a[pS->n-1];
    int j;
    if( winCmp(pS, pMark, &pS->a[0].h.ev.seq)<=0 ) continue;
    if( pS->bBound && winCmp(pS, pMark, &pLast->h.ev.seq)>0 ){
      if( !winIsUpsert(pLast) || !pLast->h.bLast || pLast->h.pRow->bEnd ) break;
      pS->bBound = 0;
    }
    for(j=pS->n; j>0 && winCmp(pS, &pS->a[j-1].h.ev.seq, pMark)>0; j--);
    if( winCmp(pS, &pS->a[j-1].h.ev.seq, pMark)==0 ){
      pS->a[j-1].bCut = 1;
      continue;
    }
    if( winPush(pS)==0 ) return;
    memmove(&pS->a[j+1], &pS->a[j], sizeof(WinEvent)*(pS->n-1-j));
    memset(&pS->a[j], 0, sizeof(WinEvent));
    pS->a[j].h.ev.seq = *pMark;
    pS->a[j].h.ev.eKind = ACDC_DELETE;
    pS->a[j].h.bMark = 1;
  }
}

/* ---- values ---- */

static int winIsFull(const AcdcMerge *pM, const AcdcBits *pB){
  int i;
  for(i=0; i<pM->allMask.nByte; i++){
    u8 m = i<pB->nByte ? pB->a[i] : 0;
    if( (m & pM->allMask.a[i])!=pM->allMask.a[i] ) return 0;
  }
  return 1;
}

/*
** Values of event i of the window with what it inherits (5.1): per column the
** newest value before it since the last delete.
*/
static void winInherit(Scd2 *pS, int i){
  AcdcMerge *pM = pS->pM;
  WinEvent *pW = &pS->a[i];
  const WinEvent *pPrev = i>0 && winIsUpsert(pW-1) && !pW->bCut ? pW-1 : 0;
  AcdcVal *aEff;
  int iVal;
  if( winIsFull(pM, &pW->h.ev.mask) ) return;
  aEff = acdcArenaAlloc(pS->p, &pS->arena, sizeof(AcdcVal)*(pM->nVal+1));
  if( aEff==0 ) return;
  for(iVal=0; iVal<pM->nVal; iVal++){
    if( acdcBit(&pW->h.ev.mask, iVal) ){
      aEff[iVal] = pW->h.ev.aVal[iVal];
    }else if( pPrev ){
      aEff[iVal] = pPrev->aEff[iVal];
    }else{
      aEff[iVal].eType = SQLITE_NULL;
      aEff[iVal].n = 0;
    }
    if( pW->h.ev.bOld && !acdcValIs(&aEff[iVal], &pW->h.ev.aVal[iVal]) ){
      pW->bChanged = 1;
    }
  }
  pW->aEff = aEff;
}

/*
** Inheritance over the window.  A late value flows forward: while the known
** event at the end changes, the window grows by the next one.
*/
static void winInheritAll(Scd2 *pS){
  int i;
  if( !pS->pM->bPartial ) return;
  for(i=0; i<pS->n && pS->p->rc==0; i++){
    WinEvent *pW = &pS->a[i];
    /* The event before the new ones stays as it is */
    if( winIsUpsert(pW) && !(i==0 && pW->h.ev.bOld && !pW->bNew) ){
      winInherit(pS, i);
    }
    if( i==pS->n-1 && pS->bBound && pS->a[i].bChanged ){
      AcdcHistEvent next;
      if( acdcHistGT(&pS->hist, &pS->a[i].h.ev.seq, &next) ){
        winPushKnown(pS, &next);
      }else{
        pS->bBound = 0;
      }
    }
  }
}

/* Are two upserts that follow each other one version (4.2)? */
static int winJoined(const Scd2 *pS, const WinEvent *pA, const WinEvent *pB){
  const AcdcMerge *pM = pS->pM;
  int i;
  if( !winIsUpsert(pA) || !winIsUpsert(pB) || pB->bCut ) return 0;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].bTracked && !acdcValIs(&pA->aEff[i], &pB->aEff[i]) ){
      return 0;
    }
  }
  return 1;
}

/* ---- rows ---- */

static WinRow *winRow(Scd2 *pS, WinRow **pa, int *pn, int *pnAlloc){
  WinRow *pR;
  if( *pn>=*pnAlloc ){
    int nNew = *pnAlloc*2 + 32;
    WinRow *aNew = acdcRealloc(pS->p, *pa, sizeof(WinRow)*(i64)nNew);
    if( aNew==0 ) return 0;
    *pa = aNew;
    *pnAlloc = nNew;
  }
  pR = &(*pa)[(*pn)++];
  memset(pR, 0, sizeof(*pR));
  return pR;
}

/* The target rows that the window's known events lie in. */
static void winOldRows(Scd2 *pS){
  int i;
  pS->nOld = 0;
  for(i=0; i<pS->n; i++){
    const AcdcHistRow *pR = pS->a[i].h.pRow;
    WinRow *pOld;
    if( pR==0 ) continue;
    if( pS->nOld && winCmp(pS, &pS->aOld[pS->nOld-1].start, &pR->start)==0 ){
      continue;
    }
    pOld = winRow(pS, &pS->aOld, &pS->nOld, &pS->nOldAlloc);
    if( pOld==0 ) return;
    pOld->start = pR->start;
    pOld->rawStart = pR->rawStart;
    pOld->bEnd = pR->bEnd;
    pOld->end = pR->end;
    pOld->aVal = pR->aVal;
  }
}

/* Does event i of the window, the last of its run there, end the run? */
static int winEndsRun(const Scd2 *pS, int i){
  return !(pS->bBound && i==pS->n-1 && !pS->a[i].h.bLast);
}

/* The version that a run of events a..b is. */
static void winNewRow(Scd2 *pS, int a, int b){
  WinRow *pR = winRow(pS, &pS->aNew, &pS->nNew, &pS->nNewAlloc);
  const WinEvent *pA = &pS->a[a], *pB = &pS->a[b];
  if( pR==0 ) return;
  pR->start = pA->h.ev.seq;
  if( a==0 && pA->h.pRow ) pR->start = pA->h.pRow->start;
  pR->aVal = pB->aEff;
  if( b+1<pS->n ){
    pR->bEnd = 1;
    pR->end = pB[1].h.ev.seq;
  }else if( pS->bBound ){
    pR->bEnd = pB->h.pRow->bEnd;
    pR->end = pB->h.pRow->end;
    if( !pB->h.bLast ) pR->aVal = pB->h.pRow->aVal;
  }
}

/* ---- state rows ---- */

/*
** A set as the event table has it: at least one bit behind the last slot, and
** all such bits say what of columns that join later.
*/
static AcdcBits winStoredMask(Scd2 *pS, const AcdcBits *pMask){
  int nVal = pS->pM->nVal, i;
  AcdcBits out;
  out.nByte = nVal/8 + 1;
  out.bRest = pMask->bRest;
  out.a = acdcArenaAlloc(pS->p, &pS->arena, out.nByte);
  if( out.a==0 ){
    out.nByte = 0;
    return out;
  }
  memset(out.a, 0, out.nByte);
  for(i=0; i<out.nByte*8; i++){
    if( i<nVal ? acdcBit(pMask, i) : pMask->bRest ) acdcBitSet(&out, i);
  }
  return out;
}

/*
** The event table's row for event i of the window, if it should have one.
** bLast: last of its run, bHead: its sequence is the run's start.
*/
static void winState(Scd2 *pS, int i, int bHead, int bLast){
  AcdcMerge *pM = pS->pM;
  WinEvent *pW = &pS->a[i];
  AcdcEvent *pEv = &pW->h.ev;
  int bPart = 0, eHid;
  AcdcVal seq;
  if( pW->h.bMark ) return;
  if( pEv->eKind==ACDC_DELETE ){
    if( i==0 && !pW->bNew ) return;
    eHid = i>0 && winIsUpsert(pW-1) ? ACDC_HID_NONE : ACDC_HID_DELETE;
    /* One that is there already may stay */
    if( pW->h.eHid==ACDC_HID_DELETE ) return;
  }else{
    bPart = (pM->bPartial || pM->st.nGen>1)
         && !acdcBitsEqual(&pEv->mask, acdcDefaultMask(pM));
    eHid = !bLast ? ACDC_HID_MEMBER
         : !bHead || bPart ? ACDC_HID_SHOWN : ACDC_HID_NONE;
  }
  if( eHid==pW->h.eHid ){
    if( eHid==ACDC_HID_NONE ) return;
    if( !pW->bNew && (eHid!=ACDC_HID_MEMBER || !pW->bChanged) ) return;
  }
  acdcSeqToState(pS->p, &pM->st.kind, &pEv->seq, &pS->arena, &seq);
  if( eHid==ACDC_HID_NONE ){
    acdcEventDelete(pM, pS->aKey, &seq);
  }else{
    AcdcBits mask;
    if( bPart ) mask = winStoredMask(pS, &pEv->mask);
    acdcEventPut(pM, pS->aKey, &seq, eHid, bPart ? &mask : 0,
        eHid==ACDC_HID_MEMBER ? pW->aEff : 0, &pEv->seq.shown);
  }
}

/* Did a new event change what the table shows? */
static void winCount(Scd2 *pS, int i, int bHead, int bLast, int bJoined){
  AcdcMerge *pM = pS->pM;
  const WinEvent *pW = &pS->a[i];
  int bSeen = 0, iVal;
  if( !pW->bNew || pW->h.bMark ) return;
  if( pW->h.ev.eKind==ACDC_DELETE ){
    bSeen = i>0 && winIsUpsert(pW-1);
  }else if( bHead ){
    bSeen = 1;
  }else if( bLast && bJoined ){
    for(iVal=0; iVal<pM->nVal && !bSeen; iVal++){
      bSeen = !acdcValIs(&pW[-1].aEff[iVal], &pW->aEff[iVal]);
    }
  }
  if( !bSeen ) pM->n.nUnchanged++;
}

/* Form the runs: new rows, state rows, counts. */
static void winRuns(Scd2 *pS){
  int i, a = 0;
  pS->nNew = 0;
  for(i=0; i<pS->n && pS->p->rc==0; i++){
    WinEvent *pW = &pS->a[i];
    int bJoined = i>0 && winJoined(pS, pW-1, pW);
    int bHead, bLast;
    if( !winIsUpsert(pW) ){
      winState(pS, i, 0, 0);
      winCount(pS, i, 0, 0, 0);
      continue;
    }
    if( !bJoined ) a = i;
    bHead = a==i && !(i==0 && pW->h.pRow
                   && winCmp(pS, &pW->h.pRow->start, &pW->h.ev.seq)!=0);
    bLast = i+1==pS->n || !winJoined(pS, pW, pW+1);
    if( bLast ) winNewRow(pS, a, i);
    winState(pS, i, bHead, bLast && winEndsRun(pS, i));
    winCount(pS, i, bHead, bLast, bJoined);
  }
}

/* ---- counts ---- */

/* FNV-1a */
static u64 winHash(u64 h, const void *pData, int n){
  const u8 *a = pData;
  int i;
  for(i=0; i<n; i++) h = (h ^ a[i]) * (((u64)0x100<<32) | 0x1b3);
  return h;
}

/* Digest of what a row shows beside its key and start. */
static u64 winDigest(const Scd2 *pS, const WinRow *pR){
  u64 h = winHash(((u64)0xcbf29ce4<<32) | 0x84222325, &pR->bEnd, 1);
  int i, n;
  if( pR->bEnd ){
    u8 aBuf[ACDC_SEQ_SPARE];
    const u8 *a = acdcSeqOrd(&pS->pM->st.kind, &pR->end, aBuf, &n);
    h = winHash(h, a, n);
  }
  for(i=0; i<pS->pM->nVal; i++){
    const AcdcVal *pV = &pR->aVal[i];
    h = winHash(h, &pV->eType, 1);
    if( pV->eType==SQLITE_TEXT || pV->eType==SQLITE_BLOB ){
      h = winHash(winHash(h, pV->u.z, pV->n), &pV->n, sizeof(pV->n));
    }else if( pV->eType!=SQLITE_NULL ){
      h = winHash(h, &pV->u, sizeof(pV->u));
    }
  }
  return h;
}

/* Record a row that is not met for the first time in this call. */
static WinTouch *winTouchNew(Scd2 *pS, const AcdcSeq *pStart){
  WinTouch *pT = pS->aTouch;
  if( pS->nTouch<WIN_TOUCH ) pS->nTouch++;
  memmove(pT+1, pT, sizeof(*pT)*(pS->nTouch-1));
  pT->start = *pStart;
  if( !pStart->isInt ){
    u8 *a = acdcArenaAlloc(pS->p, &pS->touch, pStart->nOrd+1);
    if( a==0 ) return 0;
    memcpy(a, pStart->pOrd, pStart->nOrd);
    pT->start.pOrd = a;
  }
  return pT;
}

/*
** Count a written row.  pOld: what the table has now, pNew: what it gets; one
** of them is NULL if there is no row.  Clusters of one key may write a row
** more than once; what counts is the difference between the table before and
** after the call.
*/
static void winTouch(Scd2 *pS, const WinRow *pOld, const WinRow *pNew){
  AcdcCounts *pN = &pS->pM->n;
  const AcdcSeq *pStart = pOld ? &pOld->start : &pNew->start;
  i64 nNone = 0, *apCount[5];
  WinTouch *pT = 0;
  int i;
  if( pS->bOnce ){
    if( pOld==0 ) pN->nInserted++;
    else if( pNew==0 ) pN->nDeleted++;
    else pN->nUpdated++;
    return;
  }
  apCount[TOUCH_NONE] = apCount[TOUCH_GONE] = &nNone;
  apCount[TOUCH_INSERT] = &pN->nInserted;
  apCount[TOUCH_UPDATE] = &pN->nUpdated;
  apCount[TOUCH_DELETE] = &pN->nDeleted;
  for(i=0; i<pS->nTouch && pT==0; i++){
    if( winCmp(pS, &pS->aTouch[i].start, pStart)==0 ) pT = &pS->aTouch[i];
  }
  if( pT==0 ){
    pT = winTouchNew(pS, pStart);
    if( pT==0 ) return;
    pT->eWhat = pOld ? TOUCH_NONE : TOUCH_GONE;
    if( pOld ) pT->iWas = winDigest(pS, pOld);
  }
  --*apCount[pT->eWhat];
  if( pT->eWhat==TOUCH_GONE || pT->eWhat==TOUCH_INSERT ){
    pT->eWhat = pNew ? TOUCH_INSERT : TOUCH_GONE;
  }else if( pNew==0 ){
    pT->eWhat = TOUCH_DELETE;
  }else{
    pT->eWhat = winDigest(pS, pNew)==pT->iWas ? TOUCH_NONE : TOUCH_UPDATE;
  }
  ++*apCount[pT->eWhat];
}

/* ---- the difference ---- */

static int winSameEnd(const Scd2 *pS, const WinRow *pA, const WinRow *pB){
  if( pA->bEnd!=pB->bEnd ) return 0;
  return !pA->bEnd || winCmp(pS, &pA->end, &pB->end)==0;
}

/* Equal and of equal class, so that 1.0 replaces 1. */
static int winSameVals(const Scd2 *pS, const AcdcVal *a, const AcdcVal *b){
  int i;
  if( a==b ) return 1;
  for(i=0; i<pS->pM->nVal; i++){
    if( pS->pM->aVal[i].iTgt<0 ) continue;
    if( a[i].eType!=b[i].eType || !acdcValIs(&a[i], &b[i]) ) return 0;
  }
  return 1;
}

/* Bring a row that stays up to date; bOpen: only if it is open now. */
static void winUpdate(Scd2 *pS, WinRow *pOld, WinRow *pNew, int bOpen){
  AcdcMerge *pM = pS->pM;
  const AcdcVal *pEnd = pNew->bEnd ? &pNew->end.shown : 0;
  int bVals = !winSameVals(pS, pOld->aVal, pNew->aVal);
  int bEnd = !winSameEnd(pS, pOld, pNew);
  if( (!bVals && !bEnd) || (pNew->bEnd==0)!=bOpen ) return;
  if( bVals || pM->bUpsert ){
    acdcTgtUpdate(pM, pS->aKey, pNew->aVal, &pOld->rawStart, pEnd);
  }else{
    acdcTgtEnd(pM, pS->aKey, &pOld->rawStart, pEnd);
  }
  winTouch(pS, pOld, pNew);
}

/*
** Rows that go, rows that are closed, rows that open, rows that are new: in
** this order there is never more than one open version of a key.
*/
static void winWrite(Scd2 *pS){
  AcdcMerge *pM = pS->pM;
  int iPass;
  for(iPass=0; iPass<4 && pS->p->rc==0; iPass++){
    int i = 0, j = 0;
    while( (i<pS->nOld || j<pS->nNew) && pS->p->rc==0 ){
      WinRow *pOld = i<pS->nOld ? &pS->aOld[i] : 0;
      WinRow *pNew = j<pS->nNew ? &pS->aNew[j] : 0;
      int c = !pOld ? 1 : !pNew ? -1 : winCmp(pS, &pOld->start, &pNew->start);
      if( c<0 ){
        if( iPass==0 ){
          acdcTgtDelete(pM, pS->aKey, &pOld->rawStart);
          winTouch(pS, pOld, 0);
        }
        i++;
      }else if( c>0 ){
        if( iPass==3 ){
          acdcTgtInsert(pM, pS->aKey, pNew->aVal, &pNew->start.shown,
                        pNew->bEnd ? &pNew->end.shown : 0);
          winTouch(pS, 0, pNew);
        }
        j++;
      }else{
        if( iPass==1 || iPass==2 ) winUpdate(pS, pOld, pNew, iPass==2);
        i++;
        j++;
      }
    }
    if( pS->nOld==0 ) iPass = iPass<2 ? 2 : iPass;   /* only new rows */
  }
}

static void winApply(Scd2 *pS){
  winInheritAll(pS);
  if( pS->p->rc ) return;
  winOldRows(pS);
  winRuns(pS);
  winWrite(pS);
}

/* ---- clusters ---- */

/*
** A new event meets a known one at its sequence.  A truncate is no event.
*/
static void winPushTie(Scd2 *pS, const AcdcHistEvent *pX, const AcdcEvent *pEv){
  AcdcMerge *pM = pS->pM;
  WinEvent *pW;
  if( pX->bMark ){
    winPushNew(pS, pEv);
    return;
  }
  winPushKnown(pS, pX);
  if( pS->p->rc ) return;
  pW = &pS->a[pS->n-1];
  if( acdcTieResolve(pM, &pS->arena, pS->aKey, &pW->h.ev, pEv)==ACDC_TIE_TOOK ){
    pW->aEff = pW->h.ev.aVal;
    pW->bNew = 1;
    pW->bChanged = 1;
  }else{
    pM->n.nUnchanged++;
  }
}

/*
** Merge the next cluster of aEv[i..nEv-1]; returns the index behind it.
** *pbTail: nothing known lies behind the events so far.
*/
static int scd2Cluster(
  Scd2 *pS, const AcdcEvent *aEv, int i, int nEv, int bFresh
){
  AcdcMerge *pM = pS->pM;
  AcdcHistEvent x, q;
  int bTail = bFresh, bX = 0, bQ = 0, iFirst, bNew = 0, j, iStart = i;
  pS->n = 0;
  pS->bBound = 0;
  if( !bFresh ){
    int bFound = acdcHistLast(&pS->hist, &x);
    int c = bFound ? winCmp(pS, &x.ev.seq, &aEv[i].seq) : -1;
    bTail = c<=0;
    if( c>0 ){
      bFound = acdcHistLE(&pS->hist, &aEv[i].seq, &x);
      c = bFound ? winCmp(pS, &x.ev.seq, &aEv[i].seq) : -1;
    }
    if( bFound && c<0 ) winPushKnown(pS, &x);
    if( bFound && c==0 ){
      AcdcHistEvent before;
      bX = 1;
      if( acdcHistBefore(&pS->hist, &x.ev.seq, &before) ){
        winPushKnown(pS, &before);
      }
    }
  }
  iFirst = pS->n;
  while( pS->p->rc==0 ){
    if( bX ){
      winPushTie(pS, &x, &aEv[i]);
    }else{
      winPushNew(pS, &aEv[i]);
    }
    bX = 0;
    if( !bTail ){
      bQ = acdcHistGT(&pS->hist, &aEv[i].seq, &q);
      if( bQ ) pM->n.nLate++;
      bTail = !bQ;
    }
    i++;
    if( i>=nEv ) break;
    if( bQ && !bTail ){
      int c = winCmp(pS, &aEv[i].seq, &q.ev.seq);
      if( c>0 ) break;
      if( c==0 ){
        x = q;
        bX = 1;
      }
    }
  }
  if( bQ && !bTail ){
    winPushKnown(pS, &q);
    pS->bBound = 1;
  }
  if( pS->p->rc ) return nEv;
  pS->bOnce = !pS->bSplit && iStart==0 && i==nEv;
  for(j=iFirst; j<pS->n; j++) bNew |= pS->a[j].bNew;
  if( bNew ){
    if( pM->st.nMark ) winAddMarks(pS);
    winApply(pS);
  }
  return i;
}

/* bFresh: nothing is known of the key; bCont: the last call had this key too */
static void scd2Key(
  Scd2 *pS, const AcdcVal *aKey, const AcdcEvent *aEv, int nEv, int bFresh,
  int bCont
){
  int i = 0;
  pS->aKey = aKey;
  if( !bCont ){
    pS->nTouch = 0;
    acdcArenaReset(&pS->touch);
  }
  while( i<nEv && pS->p->rc==0 ){
    acdcHistKey(&pS->hist, aKey);
    i = scd2Cluster(pS, aEv, i, nEv, bFresh);
    if( i<nEv ) acdcWriterFlush(pS->pM);
  }
}

/* ---- truncates ---- */

/* Cut what a key has open at a truncate. */
static void scd2MarkKey(Scd2 *pS, const AcdcVal *aKey, const AcdcSeq *pSeq){
  AcdcHistEvent h;
  pS->aKey = aKey;
  pS->nTouch = 0;
  pS->bOnce = 0;
  acdcHistKey(&pS->hist, aKey);
  pS->n = 0;
  pS->bBound = 0;
  if( !acdcHistLE(&pS->hist, pSeq, &h) ) return;
  if( winCmp(pS, &h.ev.seq, pSeq)==0 ){
    AcdcHistEvent before;
    /* An event there lives; it may have to leave the run it is in */
    if( h.pRow==0 || !acdcHistBefore(&pS->hist, pSeq, &before) ) return;
    winPushKnown(pS, &before);
  }
  winPushKnown(pS, &h);
  if( acdcHistGT(&pS->hist, pSeq, &h) ){
    winPushKnown(pS, &h);
    pS->bBound = 1;
  }
  if( pS->p->rc ) return;
  winAddMarks(pS);
  winApply(pS);
}

/*
** Cut the keys that a statement selects; the arena is for their values.
** Returns how many there were.
*/
static int scd2MarkKeys(
  Scd2 *pS, const AcdcSeq *pSeq, sqlite3_stmt *pStmt, AcdcArena *pA
){
  AcdcMerge *pM = pS->pM;
  AcdcVal *aKeys = 0;
  int i, n = 0, nAlloc = 0;
  while( acdcStep(pS->p, pStmt) ){
    if( n>=nAlloc ){
      AcdcVal *aNew;
      nAlloc = nAlloc*2 + 64;
      aNew = acdcRealloc(pS->p, aKeys, sizeof(AcdcVal)*(i64)nAlloc*pM->nKey);
      if( aNew==0 ) break;
      aKeys = aNew;
    }
    for(i=0; i<pM->nKey; i++){
      AcdcVal v;
      acdcValColumn(&v, pStmt, i);
      acdcValCopy(pS->p, pA, &aKeys[(i64)n*pM->nKey+i], &v);
    }
    n++;
  }
  acdcReset(pS->p, pStmt);
  for(i=0; i<n && pS->p->rc==0; i++){
    scd2MarkKey(pS, &aKeys[(i64)i*pM->nKey], pSeq);
    acdcArenaReset(&pS->arena);
  }
  acdcWriterFlush(pM);
  acdcArenaReset(pA);
  sqlite3_free(aKeys);
  return n;
}

/*
** New truncates (4.5): the keys that have a version open at one, some at a
** time; a key that was cut is not found again.  Under partial updates also
** those with an event at its very sequence, which inherits no more.
*/
static void scd2Truncate(Scd2 *pS, const AcdcSeq *pSeq){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  const char *zFn = pM->bNative ? "" : "autocdc_seq_key";
  char *zKeys = 0;
  AcdcArena arena;
  sqlite3_stmt *pStmt;
  int i, n;
  memset(&arena, 0, sizeof(arena));
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "%s\"%w\"", i ? "," : "", pM->aKey[i].zName);
  }
  pStmt = acdcPrepare(p, 0, "SELECT %s FROM %s WHERE "
      "%s(\"" ACDC_START "\")<%s(?1) AND (\"" ACDC_END "\" IS NULL OR "
      "%s(\"" ACDC_END "\")>%s(?1)) LIMIT 1000", zKeys, pM->zTgtSql,
      zFn, zFn, zFn, zFn);
  if( pStmt ) acdcValBind(pStmt, 1, &pSeq->shown);
  do{
    n = scd2MarkKeys(pS, pSeq, pStmt, &arena);
  }while( n==1000 && p->rc==0 && !acdcInterrupted(p) );
  acdcFinalize(p, &pStmt);
  if( pM->bPartial ){
    pStmt = acdcPrepare(p, 0, "SELECT %s FROM %s WHERE %s(\"" ACDC_START "\")="
        "%s(?1)", zKeys, pM->zTgtSql, zFn, zFn);
    if( pStmt ) acdcValBind(pStmt, 1, &pSeq->shown);
    scd2MarkKeys(pS, pSeq, pStmt, &arena);
    acdcFinalize(p, &pStmt);
  }
  sqlite3_free(zKeys);
  acdcArenaFree(&arena);
}

void acdcScd2Run(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcEvent *aEv = 0;
  const AcdcEntry *aE;
  int i, n, nEvAlloc = 0, bMore = 0, bWasMore;
  i64 nGroup = 0;
  Scd2 s;
  memset(&s, 0, sizeof(s));
  s.pM = pM;
  s.p = p;
  acdcHistInit(&s.hist, pM);
  acdcStateAddMarks(pM);
  while( p->rc==0 ){
    int nEv, bFresh;
    bWasMore = bMore;
    n = acdcSorterGroup(p, pM->pSorter, SCD2_GROUP, &aE, &bMore);
    if( n==0 || p->rc ) break;
    if( (++nGroup & 1023)==0 && acdcInterrupted(p) ) break;
    if( n>nEvAlloc ){
      AcdcEvent *aNew = acdcRealloc(p, aEv, sizeof(AcdcEvent)*(i64)n*2);
      if( aNew==0 ) break;
      aEv = aNew;
      nEvAlloc = n*2;
    }
    bFresh = pM->bEmptyTarget && !bWasMore;
    if( bWasMore ) acdcWriterFlush(pM);
    pM->bStay = bFresh && pM->bMemory;
    nEv = acdcGroupEvents(pM, &s.arena, aE, n, aKey, aEv);
    s.bSplit = bMore || bWasMore;
    if( nEv ) scd2Key(&s, aKey, aEv, nEv, bFresh, bWasMore);
    acdcArenaReset(&s.arena);
  }
  acdcWriterFlush(pM);
  for(i=0; i<pM->nNewMark && p->rc==0; i++) scd2Truncate(&s, &pM->aNewMark[i]);
  acdcHistClear(&s.hist);
  acdcArenaFree(&s.arena);
  acdcArenaFree(&s.touch);
  sqlite3_free(s.a);
  sqlite3_free(s.aOld);
  sqlite3_free(s.aNew);
  sqlite3_free(aEv);
}
