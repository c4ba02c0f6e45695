/*
** The rows of a window (bitemporal.h) by a sweep over its system sequences.
**
** At every system sequence the events known by then are a history of one
** axis, as in scd2.c: the last known event of each business sequence stands,
** and runs of equal upserts are rows.  What an event changes is local, so the
** sweep keeps the standing events and the rows of the moment, and for each
** event replaces the rows around it.  A row that is replaced ends there on the
** system axis, a new one begins; one that is back before the moment is over
** has never ended.
**
** The bounds of the window belong to rows that reach beyond it.  Where these
** begin and end is read from the old rows around the bounds, which the new
** events leave as they are out there.
*/
#include "bitemporal.h"

#define SWEEP_OPEN  0x7fffffff

/* A row while it lasts: iFrom <= time < iTo.  Time -1 is before all others. */
typedef struct SweepRow SweepRow;
struct SweepRow {
  int iStart;            /* Position of its first member in the window */
  int iEnd;              /* Position that ends it, or -1 */
  int iFrom, iTo;
  AcdcSeq start, end;
  u8 bEnd;
  const AcdcVal *aVal;
};

/* A business sequence. */
typedef struct SweepPos SweepPos;
struct SweepPos {
  int iFirst, nEv;       /* Its events in pWin->ev */
  AcdcBitEvent *pStand;  /* The one that stands, or NULL */
  AcdcBits mask;         /* Columns that it authors, with those that the events
                         ** which it corrects author and it does not */
  const AcdcVal *aAuth;  /* Their values */
  const AcdcVal *aEff;   /* All values, with what is inherited */
  int iEnded;            /* The row from here that ended last, or -1 */
};

typedef struct Sweep Sweep;
struct Sweep {
  AcdcBitWin *pWin;
  AcdcMerge *pM;
  AcdcCtx *p;
  AcdcBitList time;      /* AcdcSeq: the system sequences, each once */
  AcdcBitRow **apLeft;   /* Old row around each bound, by time+1, or NULL. */
  AcdcBitRow **apRight;  /* ... Owned; NULL if there is no bound */
  SweepPos *aPos;        /* Owned */
  int nPos;
  int *aAct;             /* Positions at which an event stands.  Owned */
  int nAct;
  SweepRow *aRow;        /* All rows that ever were.  Owned */
  int nRow, nRowAlloc;
  int *aCur;             /* Those that last, by start.  Owned */
  int nCur;
  int iTime;
};

static int sweepIsUpsert(const Sweep *pS, int iPos){
  return iPos>=0 && pS->aPos[iPos].pStand
      && pS->aPos[iPos].pStand->ev.eKind==ACDC_UPSERT;
}

/* Index of the last entry of the ascending a[n] that is <= i, or -1. */
static int sweepFind(const int *a, int n, int i){
  int lo = 0, hi = n;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    if( a[mid]<=i ) lo = mid+1; else hi = mid;
  }
  return lo-1;
}

/* Index in aCur of the last row that starts at or before a position, or -1. */
static int sweepFindRow(const Sweep *pS, int iPos){
  int lo = 0, hi = pS->nCur;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    if( pS->aRow[pS->aCur[mid]].iStart<=iPos ) lo = mid+1; else hi = mid;
  }
  return lo-1;
}

/* ---- times ---- */

static int sweepTimeCmp(void *pArg, const void *pA, const void *pB){
  return acdcBitSysCmp((const AcdcBitWin*)pArg, pA, pB);
}

/* Index of a system sequence: of the last time at or before it; -1: none. */
static int sweepTime(const Sweep *pS, const AcdcSeq *pSys){
  int lo = 0, hi = pS->time.n;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    if( acdcBitSysCmp(pS->pWin, pS->time.ap[mid], pSys)<=0 ) lo = mid+1;
    else hi = mid;
  }
  return lo-1;
}

static void sweepAddTime(Sweep *pS, AcdcSeq *pSys){
  if( acdcBitSysCmp(pS->pWin, pSys, &pS->pWin->sysMin)>=0 ){
    acdcBitListAdd(pS->p, &pS->time, pSys);
  }
}

static int sweepCovers(const Sweep *pS, const AcdcBitRow *pR,
                       const AcdcSeq *pSeq){
  return acdcBitCmp(pS->pWin, &pR->start, pSeq)<=0
      && (!pR->bEnd || acdcBitCmp(pS->pWin, &pR->end, pSeq)>0);
}

/* All system sequences at which something changes in the window. */
static void sweepTimes(Sweep *pS){
  AcdcBitWin *pW = pS->pWin;
  int i, j;
  for(i=0; i<pW->ev.n; i++){
    sweepAddTime(pS, &((AcdcBitEvent*)pW->ev.ap[i])->sys);
  }
  for(i=0; i<pW->old.n; i++){
    AcdcBitRow *pR = pW->old.ap[i];
    if( (pW->bLeft && sweepCovers(pS, pR, &pW->left))
     || (pW->bRight && sweepCovers(pS, pR, &pW->right))
    ){
      sweepAddTime(pS, &pR->sys);
      if( pR->bSysEnd ) sweepAddTime(pS, &pR->sysEnd);
    }
  }
  acdcBitListSort(pS->p, &pS->time, pW, sweepTimeCmp);
  for(i=j=0; i<pS->time.n; i++){
    if( j && acdcBitSysCmp(pW, pS->time.ap[j-1], pS->time.ap[i])==0 ) continue;
    pS->time.ap[j++] = pS->time.ap[i];
  }
  pS->time.n = j;
}

/* The old row around a bound at every time. */
static AcdcBitRow **sweepBound(Sweep *pS, const AcdcSeq *pSeq){
  AcdcBitWin *pW = pS->pWin;
  AcdcBitRow **ap = acdcMalloc(pS->p, sizeof(*ap)*((i64)pS->time.n+1));
  int i;
  for(i=0; ap && i<pW->old.n; i++){
    AcdcBitRow *pR = pW->old.ap[i];
    int iFrom, iTo;
    if( !sweepCovers(pS, pR, pSeq) ) continue;
    iFrom = sweepTime(pS, &pR->sys);
    iTo = pR->bSysEnd ? sweepTime(pS, &pR->sysEnd) : pS->time.n;
    for(; iFrom<iTo; iFrom++) ap[iFrom+1] = pR;
  }
  return ap;
}

/* ---- set-up ---- */

static void sweepInit(Sweep *pS){
  AcdcBitWin *pW = pS->pWin;
  int i, n = pW->ev.n;
  sweepTimes(pS);
  if( pW->bLeft ) pS->apLeft = sweepBound(pS, &pW->left);
  if( pW->bRight ) pS->apRight = sweepBound(pS, &pW->right);
  pS->aPos = acdcMalloc(pS->p, sizeof(SweepPos)*(i64)n);
  pS->aAct = acdcMalloc(pS->p, sizeof(int)*(i64)n);
  pS->aCur = acdcMalloc(pS->p, sizeof(int)*((i64)n+4));
  if( pS->p->rc ) return;
  for(i=0; i<n; i++){
    AcdcBitEvent *pE = pW->ev.ap[i];
    const AcdcBitEvent *pPrev = i ? pW->ev.ap[i-1] : 0;
    SweepPos *pP;
    if( pPrev==0 || acdcBitCmp(pW, &pPrev->ev.seq, &pE->ev.seq)!=0 ){
      pP = &pS->aPos[pS->nPos++];
      pP->iFirst = i;
      pP->iEnded = -1;
    }
    pE->iPos = pS->nPos-1;
    pE->iTime = sweepTime(pS, &pE->sys);
    pS->aPos[pE->iPos].nEv++;
    pE->eForm = pE->ev.eKind==ACDC_DELETE ? ACDC_HID_DELETE : ACDC_HID_MEMBER;
    /* What is shown outside of the window stays so */
    if( pE->iTime<0 ) pE->eForm = pE->eWas;
  }
}

static void sweepClear(Sweep *pS){
  sqlite3_free(pS->time.ap);
  sqlite3_free(pS->apLeft);
  sqlite3_free(pS->apRight);
  sqlite3_free(pS->aPos);
  sqlite3_free(pS->aAct);
  sqlite3_free(pS->aRow);
  sqlite3_free(pS->aCur);
}

/* ---- values ---- */

static int sweepIsFull(const AcdcMerge *pM, const AcdcBits *pB){
  int i;
  if( !pM->bPartial ) return 1;
  for(i=0; i<pM->allMask.nByte; i++){
    u8 m = i<pB->nByte ? pB->a[i] : 0;
    if( (m & pM->allMask.a[i])!=pM->allMask.a[i] ) return 0;
  }
  return 1;
}

/* The old row around the bound at iPos, if it is one and has an upsert now. */
static const AcdcBitRow *sweepBoundRow(Sweep *pS, int iPos, int bRight){
  AcdcBitRow **ap = bRight ? pS->apRight : pS->apLeft;
  const AcdcBitRow *pR;
  if( ap==0 || iPos!=(bRight ? pS->nPos-1 : 0) ) return 0;
  pR = ap[pS->iTime+1];
  if( pR==0 ) acdcBitDamaged(pS->pM);
  return pR;
}

/*
** Values of the upsert that stands at iPos, with what it inherits from the
** one before (5.1); iPrev is -1 if there is none.
*/
static const AcdcVal *sweepValues(Sweep *pS, int iPos, int iPrev){
  AcdcMerge *pM = pS->pM;
  const SweepPos *pP = &pS->aPos[iPos];
  const AcdcBitRow *pBound;
  AcdcVal *aEff;
  int i;
  if( sweepIsFull(pM, &pP->mask) ) return pP->aAuth;
  pBound = sweepBoundRow(pS, iPos, 0);
  if( pBound ) return pBound->aVal;
  aEff = acdcArenaAlloc(pS->p, &pS->pWin->arena, sizeof(AcdcVal)*(pM->nVal+1));
  for(i=0; aEff && i<pM->nVal; i++){
    if( acdcBit(&pP->mask, i) ){
      aEff[i] = pP->aAuth[i];
    }else if( sweepIsUpsert(pS, iPrev) ){
      aEff[i] = pS->aPos[iPrev].aEff[i];
    }else{
      aEff[i].eType = SQLITE_NULL;
      aEff[i].n = 0;
    }
  }
  return aEff;
}

/* Are the upserts at two positions one version (4.2; all is tracked)? */
static int sweepJoined(const Sweep *pS, int iA, int iB){
  const AcdcVal *a, *b;
  int i;
  if( !sweepIsUpsert(pS, iA) || !sweepIsUpsert(pS, iB) ) return 0;
  a = pS->aPos[iA].aEff;
  b = pS->aPos[iB].aEff;
  for(i=0; i<pS->pM->nVal; i++) if( !acdcValIs(&a[i], &b[i]) ) return 0;
  return 1;
}

/* ---- rows ---- */

static int sweepSame(const Sweep *pS, const SweepRow *pA, const SweepRow *pB){
  return pA->iStart==pB->iStart && pA->bEnd==pB->bEnd
      && acdcBitCmp(pS->pWin, &pA->start, &pB->start)==0
      && (!pA->bEnd || acdcBitCmp(pS->pWin, &pA->end, &pB->end)==0)
      && acdcBitSameVals(pS->pM, pA->aVal, pB->aVal);
}

/* The upsert at p as a row by itself, which event n (-1: none) ends. */
static void sweepPiece(Sweep *pS, int p, int n, SweepRow *pOut){
  const AcdcBitRow *pLeft = sweepBoundRow(pS, p, 0);
  const AcdcBitRow *pRight = sweepBoundRow(pS, p, 1);
  memset(pOut, 0, sizeof(*pOut));
  pOut->iStart = p;
  pOut->iEnd = n;
  pOut->start = pLeft ? pLeft->start : pS->aPos[p].pStand->ev.seq;
  pOut->aVal = pS->aPos[p].aEff;
  if( n>=0 ){
    pOut->bEnd = 1;
    pOut->end = pS->aPos[n].pStand->ev.seq;
  }else if( pRight ){
    pOut->bEnd = pRight->bEnd;
    pOut->end = pRight->end;
    pOut->aVal = pRight->aVal;
  }
}

/*
** The rows around p: those of the upserts at q before and n after it (-1: no
** event).  pQ and pN are the rows now that these are in.  Returns their
** number, three at most.
*/
static int sweepPieces(
  Sweep *pS, int q, int p, int n, const SweepRow *pQ, const SweepRow *pN,
  SweepRow *aOut
){
  int k = 0;
  if( pQ ){
    aOut[k] = *pQ;
    aOut[k].aVal = pS->aPos[q].aEff;
    aOut[k].bEnd = 1;
    aOut[k].iEnd = p;
    aOut[k].end = pS->aPos[p].pStand->ev.seq;
    k++;
  }
  if( sweepIsUpsert(pS, p) ){
    sweepPiece(pS, p, n, &aOut[k]);
    if( sweepJoined(pS, q, p) ){
      aOut[k].iStart = aOut[k-1].iStart;
      aOut[k].start = aOut[k-1].start;
      aOut[k-1] = aOut[k];
    }else{
      k++;
    }
  }
  if( pN ){
    aOut[k] = *pN;
    if( sweepJoined(pS, p, n) ){
      aOut[k].iStart = aOut[k-1].iStart;
      aOut[k].start = aOut[k-1].start;
      aOut[k-1] = aOut[k];
    }else{
      aOut[k].iStart = n;
      aOut[k].start = pS->aPos[n].pStand->ev.seq;
      k++;
    }
  }
  return k;
}

/* A new row that begins now, unless it has ended just now.  Its index. */
static int sweepBegin(Sweep *pS, const SweepRow *pNew){
  SweepPos *pP = &pS->aPos[pNew->iStart];
  SweepRow *pR;
  if( pP->iEnded>=0 ){
    pR = &pS->aRow[pP->iEnded];
    if( pR->iTo==pS->iTime && sweepSame(pS, pR, pNew) ){
      pR->iTo = SWEEP_OPEN;
      return pP->iEnded;
    }
  }
  if( pS->nRow>=pS->nRowAlloc ){
    int nNew = pS->nRowAlloc*2 + 64;
    SweepRow *aNew = acdcRealloc(pS->p, pS->aRow, sizeof(SweepRow)*(i64)nNew);
    if( aNew==0 ) return 0;
    pS->aRow = aNew;
    pS->nRowAlloc = nNew;
  }
  pR = &pS->aRow[pS->nRow];
  *pR = *pNew;
  pR->iFrom = pS->iTime;
  pR->iTo = SWEEP_OPEN;
  pP->pStand->bSeen = 1;
  if( pR->iEnd>=0 ) pS->aPos[pR->iEnd].pStand->bSeen = 1;
  return pS->nRow++;
}

/* Replace rows lo..hi-1 of aCur by aNew; returns 1 if anything differs. */
static int sweepReplace(
  Sweep *pS, int lo, int hi, const SweepRow *aNew, int nNew
){
  int aIdx[3], i, j, bDiff = 0;
  for(j=0; j<nNew; j++) aIdx[j] = -1;
  for(i=lo; i<hi; i++){
    SweepRow *pR = &pS->aRow[pS->aCur[i]];
    for(j=0; j<nNew && !sweepSame(pS, pR, &aNew[j]); j++);
    if( j<nNew ){
      aIdx[j] = pS->aCur[i];
    }else{
      bDiff = 1;
      pR->iTo = pS->iTime;
      /* One of this moment has never been, and hides no other */
      if( pR->iFrom<pR->iTo ) pS->aPos[pR->iStart].iEnded = pS->aCur[i];
    }
  }
  for(j=0; j<nNew && pS->p->rc==0; j++){
    if( aIdx[j]>=0 ) continue;
    bDiff = 1;
    aIdx[j] = sweepBegin(pS, &aNew[j]);
  }
  if( pS->p->rc ) return 0;
  memmove(&pS->aCur[lo+nNew], &pS->aCur[hi], sizeof(int)*(pS->nCur-hi));
  memcpy(&pS->aCur[lo], aIdx, sizeof(int)*nNew);
  pS->nCur += nNew - (hi-lo);
  return bDiff;
}

/* What stands at p has changed: set right the rows around it. */
static void sweepAround(Sweep *pS, int p, int q, int n){
  SweepRow aNew[3], rowQ, rowN;
  int bQ = sweepIsUpsert(pS, q), bN = sweepIsUpsert(pS, n);
  int lo = sweepFindRow(pS, bQ ? q : p-1), hi;
  int k;
  if( !bQ ) lo++;
  hi = sweepFindRow(pS, bN ? n : p) + 1;
  if( lo<0 || hi<lo || (bN && hi<1) ){
    acdcBitDamaged(pS->pM);
    return;
  }
  if( bQ ) rowQ = pS->aRow[pS->aCur[lo]];
  if( bN ) rowN = pS->aRow[pS->aCur[hi-1]];
  k = sweepPieces(pS, q, p, n, bQ ? &rowQ : 0, bN ? &rowN : 0, aNew);
  if( pS->p->rc==0 && sweepReplace(pS, lo, hi, aNew, k) ){
    pS->aPos[p].pStand->bSeen = 1;
  }
}

/*
** Set right what depends on the event that stands at p: rows around it, and
** what the events behind it inherit.
*/
static void sweepChange(Sweep *pS, int p){
  while( pS->p->rc==0 ){
    int i = sweepFind(pS->aAct, pS->nAct, p);
    int q = i>0 ? pS->aAct[i-1] : -1;
    int n = i+1<pS->nAct ? pS->aAct[i+1] : -1;
    const AcdcVal *aEff;
    if( sweepIsUpsert(pS, p) ) pS->aPos[p].aEff = sweepValues(pS, p, q);
    if( pS->p->rc==0 ) sweepAround(pS, p, q, n);
    if( n<0 || !sweepIsUpsert(pS, n)
     || sweepIsFull(pS->pM, &pS->aPos[n].mask)
    ){
      break;
    }
    aEff = sweepValues(pS, n, p);
    if( pS->p->rc || acdcBitSameVals(pS->pM, aEff, pS->aPos[n].aEff) ) break;
    p = n;
  }
}

/*
** What position pP authors once pE stands there.  A correction that says only
** a part leaves the rest as it was said before, as in a tie (2.6).
*/
static void sweepAuthor(Sweep *pS, SweepPos *pP, const AcdcBitEvent *pE){
  AcdcMerge *pM = pS->pM;
  const AcdcBits *pNew = &pE->ev.mask;
  u8 *aMask;
  AcdcVal *aAuth;
  int i;
  if( pE->ev.eKind!=ACDC_UPSERT || pP->pStand==0
   || pP->pStand->ev.eKind!=ACDC_UPSERT || sweepIsFull(pM, pNew)
  ){
    pP->mask = *pNew;
    pP->aAuth = pE->ev.aVal;
    return;
  }
  aMask = acdcArenaAlloc(pS->p, &pS->pWin->arena, pM->allMask.nByte+1);
  aAuth = acdcArenaAlloc(pS->p, &pS->pWin->arena, sizeof(AcdcVal)*(pM->nVal+1));
  if( pS->p->rc ) return;
  memset(aMask, 0, pM->allMask.nByte+1);
  for(i=0; i<pM->nVal; i++){
    int bNew = acdcBit(pNew, i);
    aAuth[i] = bNew ? pE->ev.aVal[i] : pP->aAuth[i];
    if( bNew || acdcBit(&pP->mask, i) ) aMask[i/8] |= (u8)(1<<(i&7));
  }
  pP->mask.a = aMask;
  pP->mask.nByte = pM->allMask.nByte;
  pP->aAuth = aAuth;
}

/* An event becomes known. */
static void sweepEvent(Sweep *pS, AcdcBitEvent *pE){
  SweepPos *pP = &pS->aPos[pE->iPos];
  if( pP->pStand==0 ){
    int i = sweepFind(pS->aAct, pS->nAct, pE->iPos) + 1;
    memmove(&pS->aAct[i+1], &pS->aAct[i], sizeof(int)*(pS->nAct-i));
    pS->aAct[i] = pE->iPos;
    pS->nAct++;
  }
  sweepAuthor(pS, pP, pE);
  pP->pStand = pE;
}

/* The old row around a bound differs from the one of the time before. */
static void sweepBoundChange(Sweep *pS, AcdcBitRow **ap, int iPos){
  if( ap && ap[pS->iTime+1]!=ap[pS->iTime] && pS->p->rc==0
   && sweepIsUpsert(pS, iPos)
  ){
    sweepChange(pS, iPos);
  }
}

static int sweepEventCmp(void *pArg, const void *pA, const void *pB){
  const AcdcBitEvent *pEvA = pA, *pEvB = pB;
  ACDC_UNUSED(pArg);
  return pEvA->iTime!=pEvB->iTime ? (pEvA->iTime<pEvB->iTime ? -1 : 1)
                                  : pEvA->iPos - pEvB->iPos;
}

static void sweepRun(Sweep *pS){
  AcdcBitWin *pW = pS->pWin;
  AcdcBitList order = {0, 0, 0};
  int i, iEv = 0;
  for(i=0; i<pW->ev.n; i++) acdcBitListAdd(pS->p, &order, pW->ev.ap[i]);
  acdcBitListSort(pS->p, &order, 0, sweepEventCmp);
  for(pS->iTime=-1; pS->iTime<pS->time.n && pS->p->rc==0; pS->iTime++){
    for(; iEv<order.n; iEv++){
      AcdcBitEvent *pE = order.ap[iEv];
      if( pE->iTime!=pS->iTime || pS->p->rc ) break;
      sweepEvent(pS, pE);
      /* Before the window only the last event of a position ever stood */
      if( iEv+1<order.n ){
        const AcdcBitEvent *pNext = order.ap[iEv+1];
        if( pNext->iTime==pE->iTime && pNext->iPos==pE->iPos ) continue;
      }
      sweepChange(pS, pE->iPos);
    }
    if( pS->iTime<0 ) continue;
    sweepBoundChange(pS, pS->apLeft, 0);
    sweepBoundChange(pS, pS->apRight, pS->nPos-1);
  }
  sqlite3_free(order.ap);
}

/* ---- results ---- */

/* The old row that a row of time -1 is. */
static const AcdcBitRow *sweepOldOf(Sweep *pS, const SweepRow *pR){
  AcdcBitWin *pW = pS->pWin;
  int lo = 0, hi = pW->old.n;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    const AcdcBitRow *pOld = pW->old.ap[mid];
    int c = acdcBitCmp(pW, &pOld->start, &pR->start);
    if( c==0 ) c = acdcBitSysCmp(pW, &pOld->sys, &pW->sysMin)<0 ? 0 : 1;
    if( c==0 ) return pOld;
    if( c<0 ) lo = mid+1; else hi = mid;
  }
  acdcBitDamaged(pS->pM);
  return 0;
}

/* A row that begins in the window shows the event that begins it there. */
static void sweepShown(Sweep *pS, const SweepRow *pR){
  const SweepPos *pP = &pS->aPos[pR->iStart];
  AcdcMerge *pM = pS->pM;
  int lo = pP->iFirst, hi = lo + pP->nEv, i;
  AcdcBitEvent *pE;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    pE = pS->pWin->ev.ap[mid];
    if( pE->iTime<pR->iFrom ) lo = mid+1; else hi = mid;
  }
  if( lo>=pP->iFirst+pP->nEv ) return;
  pE = pS->pWin->ev.ap[lo];
  if( pE->iTime!=pR->iFrom || pE->ev.eKind!=ACDC_UPSERT ) return;
  if( acdcBitCmp(pS->pWin, &pE->ev.seq, &pR->start)!=0 ) return;
  for(i=0; i<pM->nVal; i++){
    const AcdcVal *pA = &pE->ev.aVal[i], *pB = &pR->aVal[i];
    if( pM->bPartial && !acdcBit(&pE->ev.mask, i) ) continue;
    if( pM->aVal[i].iTgt<0 && pA->eType!=SQLITE_NULL ) return;
    if( pA->eType!=pB->eType || !acdcValIs(pA, pB) ) return;
  }
  pE->eForm = ACDC_HID_SHOWN;
}

static void sweepResult(Sweep *pS){
  AcdcBitWin *pW = pS->pWin;
  int i;
  for(i=0; i<pS->nRow && pS->p->rc==0; i++){
    const SweepRow *pR = &pS->aRow[i];
    AcdcBitRow *pNew;
    if( pR->iFrom==pR->iTo ) continue;
    pNew = acdcArenaAlloc(pS->p, &pW->arena, sizeof(*pNew));
    if( pNew==0 ) return;
    memset(pNew, 0, sizeof(*pNew));
    pNew->start = pR->start;
    pNew->bEnd = pR->bEnd;
    pNew->end = pR->end;
    pNew->aVal = pR->aVal;
    if( pR->iFrom<0 ){
      const AcdcBitRow *pOld = sweepOldOf(pS, pR);
      if( pOld==0 ) return;
      pNew->sys = pOld->sys;
    }else{
      pNew->sys = *(AcdcSeq*)pS->time.ap[pR->iFrom];
      sweepShown(pS, pR);
    }
    if( pR->iTo!=SWEEP_OPEN ){
      pNew->bSysEnd = 1;
      pNew->sysEnd = *(AcdcSeq*)pS->time.ap[pR->iTo];
    }
    acdcBitListAdd(pS->p, &pW->rows, pNew);
  }
  acdcBitListSort(pS->p, &pW->rows, pW, acdcBitRowCmp);
}

void acdcBitSweep(AcdcBitWin *pW){
  Sweep s;
  if( pW->pM->p->rc ) return;
  memset(&s, 0, sizeof(s));
  s.pWin = pW;
  s.pM = pW->pM;
  s.p = pW->pM->p;
  sweepInit(&s);
  if( s.p->rc==0 ) sweepRun(&s);
  if( s.p->rc==0 ) sweepResult(&s);
  sweepClear(&s);
}
