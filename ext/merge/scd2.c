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
#include "scd2int.h"

#define SCD2_GROUP  4096       /* entries of one key at a time ... */
#define SCD2_LOADED 16384      /* ... where all that is known of it is read */
#define SCD2_WINDOW 262144     /* events in a window then */

typedef AcdcWinEvent WinEvent;
typedef AcdcWinRow WinRow;
typedef AcdcWinTouch WinTouch;
typedef AcdcScd2 Scd2;

/* A target row that this call has written, of the key at hand. */
#define TOUCH_NONE   0       /* as it was before the call */
#define TOUCH_INSERT 1
#define TOUCH_UPDATE 2
#define TOUCH_DELETE 3
#define TOUCH_GONE   4       /* was not there, is not there */

int acdcWinCmp(const AcdcScd2 *pS, const AcdcSeq *pA, const AcdcSeq *pB){
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

void acdcWinPushKnown(AcdcScd2 *pS, const AcdcHistEvent *pH){
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
** Which truncate, if any, has to be put in behind event i of the window: the
** first one behind an upsert, if it comes before the next event.  Behind a
** bound only if its version is open.
*/
static int winMarkBehind(const Scd2 *pS, int i){
  const AcdcState *pSt = &pS->pM->st;
  const WinEvent *pW = &pS->a[i];
  int iMark;
  if( !winIsUpsert(pW) ) return -1;
  if( pS->bBound && i==pS->n-1 && (!pW->h.bLast || pW->h.pRow->bEnd) ) return -1;
  iMark = acdcStateMarkFrom(pSt, &pW->h.ev.seq);
  if( iMark<pSt->nMark && acdcWinCmp(pS, &pSt->aMark[iMark], &pW->h.ev.seq)==0 ){
    iMark++;
  }
  if( iMark>=pSt->nMark ) return -1;
  if( i+1<pS->n && acdcWinCmp(pS, &pSt->aMark[iMark], &pW[1].h.ev.seq)>=0 ){
    return -1;
  }
  return iMark;
}

/* Is there a truncate at the sequence of event i? */
static int winIsMark(const Scd2 *pS, int i){
  const AcdcState *pSt = &pS->pM->st;
  int iMark = acdcStateMarkFrom(pSt, &pS->a[i].h.ev.seq);
  return iMark<pSt->nMark
      && acdcWinCmp(pS, &pSt->aMark[iMark], &pS->a[i].h.ev.seq)==0;
}

/*
** Truncates cut what is open at them (4.5): put those that fall into the window
** in as deletes, also the one that cuts its last version.  An event at the very
** sequence of a truncate lives, cut off from what is before.  iFrom is the
** first event that this was not done for.
*/
void acdcWinAddMarks(AcdcScd2 *pS, int iFrom){
  int i, j, nAdd = 0, n = pS->n;
  if( pS->pM->st.nMark==0 ) return;
  for(i=iFrom; i<n; i++){
    if( i>0 ) pS->a[i].bCut = (u8)winIsMark(pS, i);
    pS->a[i].iMark = winMarkBehind(pS, i);
    if( pS->a[i].iMark>=0 ) nAdd++;
  }
  if( nAdd==0 ) return;
  if( pS->a[n-1].iMark>=0 ) pS->bBound = 0;
  for(i=0; i<nAdd; i++) if( winPush(pS)==0 ) return;
  for(i=n-1, j=pS->n-1; j>i; i--){
    int iMark = pS->a[i].iMark;
    if( iMark>=0 ){
      WinEvent *pW = &pS->a[j--];
      memset(pW, 0, sizeof(*pW));
      pW->h.ev.seq = pS->pM->st.aMark[iMark];
      pW->h.ev.eKind = ACDC_DELETE;
      pW->h.bMark = 1;
    }
    pS->a[j--] = pS->a[i];
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

/* ---- events ---- */

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
  acdcWinPushKnown(pS, pX);
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
** Put the next new events in, up to the next known one, and that one: it is the
** window's bound.  pX: the known event at the sequence of the first of them;
** pQ: the known event behind the window's last one.  NULL if there is none.
*/
static void winTake(Scd2 *pS, const AcdcHistEvent *pX, const AcdcHistEvent *pQ){
  AcdcHistEvent x, q;
  int bX = pX!=0, bQ = pQ!=0;
  if( bX ) x = *pX;
  if( bQ ) q = *pQ;
  for(; pS->iEv<pS->nEv && pS->p->rc==0; pS->iEv++){
    const AcdcEvent *pEv = &pS->aEv[pS->iEv];
    int c = bQ ? acdcWinCmp(pS, &pEv->seq, &q.ev.seq) : -1;
    if( c>0 ) break;
    if( c==0 ){
      x = q;
      bX = 1;
      bQ = 0;
    }
    if( bX ) winPushTie(pS, &x, pEv); else winPushNew(pS, pEv);
    bX = 0;
    if( !pS->bTail && !bQ ){
      bQ = acdcHistGT(&pS->hist, &pEv->seq, &q);
      pS->bTail = !bQ;
    }
    if( bQ ) pS->pM->n.nLate++;
  }
  if( bQ ) acdcWinPushKnown(pS, &q);
  pS->bBound = bQ;
}

/* Let the window reach beyond its bound, to the next known event. */
static void winExtend(Scd2 *pS){
  AcdcHistEvent q;
  int bQ = acdcHistGT(&pS->hist, &pS->a[pS->n-1].h.ev.seq, &q);
  pS->bTail = !bQ;
  winTake(pS, 0, bQ ? &q : 0);
}

/* ---- inheritance ---- */

/*
** Inheritance over the window.  A late value flows forward: while the known
** event at the end changes, the window grows.
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
      winExtend(pS);
      acdcWinAddMarks(pS, i);
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
    if( pS->nOld && acdcWinCmp(pS, &pS->aOld[pS->nOld-1].start, &pR->start)==0 ){
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
                   && acdcWinCmp(pS, &pW->h.pRow->start, &pW->h.ev.seq)!=0);
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

void acdcWinTouchReset(AcdcScd2 *pS){
  pS->nTouch = 0;
  acdcArenaReset(&pS->touch);
}

/* Record a row that is met for the first time in this call. */
static WinTouch *winTouchNew(Scd2 *pS, const AcdcSeq *pStart){
  WinTouch *pT = pS->aTouch;
  if( pS->nTouch<ACDC_WIN_TOUCH ) pS->nTouch++;
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
    if( acdcWinCmp(pS, &pS->aTouch[i].start, pStart)==0 ) pT = &pS->aTouch[i];
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
  return !pA->bEnd || acdcWinCmp(pS, &pA->end, &pB->end)==0;
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
      int c = !pOld ? 1 : !pNew ? -1 : acdcWinCmp(pS, &pOld->start, &pNew->start);
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

/* Does a truncate fall behind pAfter, and not behind pUpTo (NULL: whatever)? */
static int winMarkIn(const Scd2 *pS, const AcdcSeq *pAfter, const AcdcSeq *pUpTo){
  const AcdcState *pSt = &pS->pM->st;
  int i = acdcStateMarkFrom(pSt, pAfter);
  if( i<pSt->nMark && acdcWinCmp(pS, &pSt->aMark[i], pAfter)==0 ) i++;
  return i<pSt->nMark && (!pUpTo || acdcWinCmp(pS, &pSt->aMark[i], pUpTo)<=0);
}

/*
** Has a new truncate still to cut a row that reaches out of the window, or to
** take from it what it inherits?  If that is done with the other events of its
** key it counts as one row.
*/
static void winSeeMarks(Scd2 *pS){
  const WinEvent *pA = &pS->a[0], *pB = &pS->a[pS->n-1];
  if( pS->apMark==0 ) return;
  if( pS->pM->bPartial ) pS->bCutToo = 1;
  if( pA->h.pRow && winMarkIn(pS, &pA->h.pRow->start, &pA->h.ev.seq) ){
    pS->bCutToo = 1;
  }
  if( pS->bBound && pB->h.pRow && winMarkIn(pS, &pB->h.ev.seq,
                               pB->h.pRow->bEnd ? &pB->h.pRow->end : 0) ){
    pS->bCutToo = 1;
  }
}

void acdcWinApply(AcdcScd2 *pS){
  winInheritAll(pS);
  if( pS->p->rc ) return;
  winSeeMarks(pS);
  pS->bOnce = !pS->bSplit && pS->bFirst && pS->iEv==pS->nEv && !pS->bCutToo;
  winOldRows(pS);
  winRuns(pS);
  winWrite(pS);
}

/* ---- clusters ---- */

/*
** Merge the next cluster of new events.  bFresh: nothing is known of the key.
** Where all that is known has been read, what lies between the new events is
** taken along: reading it again costs more.
*/
static void scd2Cluster(Scd2 *pS, int bFresh){
  AcdcMerge *pM = pS->pM;
  const AcdcSeq *pFirst = &pS->aEv[pS->iEv].seq;
  AcdcHistEvent x;
  int bX = 0, bNew = 0, iFirst, i;
  pS->n = 0;
  pS->bTail = bFresh;
  if( !bFresh ){
    int bFound = acdcHistLast(&pS->hist, &x);
    int c = bFound ? acdcWinCmp(pS, &x.ev.seq, pFirst) : -1;
    pS->bTail = c<=0;
    if( c>0 ){
      bFound = acdcHistLE(&pS->hist, pFirst, &x);
      c = bFound ? acdcWinCmp(pS, &x.ev.seq, pFirst) : -1;
    }
    if( bFound && c<0 ) acdcWinPushKnown(pS, &x);
    if( bFound && c==0 ){
      AcdcHistEvent before;
      bX = 1;
      if( acdcHistBefore(&pS->hist, &x.ev.seq, &before) ){
        acdcWinPushKnown(pS, &before);
      }
    }
  }
  iFirst = pS->n;
  winTake(pS, bX ? &x : 0, 0);
  if( pS->p->rc ) return;
  while( !pM->bNative && pS->iEv<pS->nEv && pS->n<SCD2_WINDOW
      && pS->p->rc==0 ){
    winExtend(pS);
  }
  acdcWinAddMarks(pS, 0);
  for(i=iFirst; i<pS->n; i++) bNew |= pS->a[i].bNew;
  if( bNew ) acdcWinApply(pS);
}

/* ---- keys ---- */

/*
** Merge the events of a key.  bFresh: nothing is known of it; bCont: the last
** call had this key too.
*/
static void scd2Key(
  Scd2 *pS, const AcdcVal *aKey, const AcdcEvent *aEv, int nEv, int bFresh,
  int bCont
){
  pS->aKey = aKey;
  pS->aEv = aEv;
  pS->nEv = nEv;
  pS->iEv = 0;
  if( !bCont ){
    acdcWinTouchReset(pS);
  }
  pS->bCutToo = 0;
  while( pS->iEv<nEv && pS->p->rc==0 ){
    pS->bFirst = pS->iEv==0;
    acdcHistKey(&pS->hist, aKey);
    scd2Cluster(pS, bFresh);
    if( pS->iEv<nEv || pS->bCutToo ) acdcWriterFlush(pS->pM);
  }
  if( pS->bCutToo && pS->p->rc==0 ) acdcCutKey(pS, 0);
}

void acdcScd2Run(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcEvent *aEv = 0;
  const AcdcEntry *aE;
  int n, nEvAlloc = 0, bMore = 0, bWasMore;
  i64 nGroup = 0;
  Scd2 s;
  memset(&s, 0, sizeof(s));
  s.pM = pM;
  s.p = p;
  acdcHistInit(&s.hist, pM);
  acdcStateAddMarks(pM);
  acdcCutOpen(&s);
  while( p->rc==0 ){
    int nEv, bFresh;
    bWasMore = bMore;
    n = acdcSorterGroup(p, pM->pSorter,
                        pM->bNative ? SCD2_GROUP : SCD2_LOADED, &aE, &bMore);
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
  acdcCutAll(&s);
  sqlite3_free(s.apMark);
  acdcHistClear(&s.hist);
  acdcArenaFree(&s.arena);
  acdcArenaFree(&s.touch);
  sqlite3_free(s.a);
  sqlite3_free(s.aOld);
  sqlite3_free(s.aNew);
  sqlite3_free(aEv);
}
