/*
** The known events of a key around a sequence (SCD2): read from the rows of
** the target and from the events that it does not show.
**
** A target row says: an upsert at __START_AT; the values of the last member
** of its run; and an event at __END_AT, which is the next row's upsert if one
** starts there, else a delete.  Table autocdc_event_<id> has the rest, by kind:
**
**   HID_MEMBER   a run member that is not the last: with its values
**   HID_DELETE   a delete that ends no version
**   HID_SHOWN    the last member of a run: its values are the target row's.
**                Kept if it is not the first member, or not authored in full
*/
#include "history.h"

void acdcHistInit(AcdcHist *pH, AcdcMerge *pM){
  memset(pH, 0, sizeof(*pH));
  pH->pM = pM;
}

void acdcHistClear(AcdcHist *pH){
  acdcArenaFree(&pH->arena);
  sqlite3_free(pH->apRow);
  sqlite3_free(pH->apHid);
  memset(pH, 0, sizeof(*pH));
}

void acdcHistKey(AcdcHist *pH, const AcdcVal *aKey){
  acdcArenaReset(&pH->arena);
  pH->aKey = aKey;
  pH->nRow = pH->nHid = 0;
  pH->bAll = 0;
}

/* ---- reading one row ---- */

static AcdcHistRow *histRowRead(AcdcHist *pH, sqlite3_stmt *pStmt){
  AcdcMerge *pM = pH->pM;
  AcdcCtx *p = pM->p;
  AcdcHistRow *pR = acdcArenaAlloc(p, &pH->arena, sizeof(*pR));
  AcdcVal v;
  int i;
  if( pR==0 ) return 0;
  memset(pR, 0, sizeof(*pR));
  pR->aVal = acdcArenaAlloc(p, &pH->arena, sizeof(AcdcVal)*(pM->nVal+1));
  if( pR->aVal==0 ) return 0;
  acdcValColumn(&v, pStmt, 0);
  acdcValCopy(p, &pH->arena, &pR->rawStart, &v);
  acdcSeqReadShown(p, &pM->st.kind, &pR->rawStart, &pH->arena, &pR->start);
  acdcValColumn(&v, pStmt, 1);
  if( v.eType!=SQLITE_NULL ){
    AcdcVal end;
    acdcValCopy(p, &pH->arena, &end, &v);
    acdcSeqReadShown(p, &pM->st.kind, &end, &pH->arena, &pR->end);
    pR->bEnd = 1;
  }
  for(i=0; i<pM->nVal; i++){
    acdcValColumn(&v, pStmt, i+2);
    acdcValCopy(p, &pH->arena, &pR->aVal[i], &v);
  }
  acdcErrorWhere(p, "target %s", pM->pFlow->zTarget);
  return p->rc ? 0 : pR;
}

static AcdcHistHid *histHidRead(AcdcHist *pH, sqlite3_stmt *pStmt){
  AcdcMerge *pM = pH->pM;
  AcdcCtx *p = pM->p;
  AcdcHistHid *pE = acdcArenaAlloc(p, &pH->arena, sizeof(*pE));
  AcdcVal v, seq, shown;
  int eKind;
  if( pE==0 ) return 0;
  memset(pE, 0, sizeof(*pE));
  acdcValColumn(&v, pStmt, 0);
  acdcValCopy(p, &pH->arena, &seq, &v);
  pE->state = seq;
  acdcValColumn(&v, pStmt, 4);
  acdcValCopy(p, &pH->arena, &shown, &v);
  acdcSeqFromState(p, &pM->st.kind, &seq,
      shown.eType==SQLITE_NULL ? 0 : &shown, &pH->arena, &pE->seq);
  eKind = sqlite3_column_int(pStmt, 1);
  if( eKind<ACDC_HID_MEMBER || eKind>ACDC_HID_SHOWN ){
    acdcError(p, SQLITE_CORRUPT, "table autocdc_event_%lld has an event of kind "
        "%d, which there is not: SELECT autocdc_reset('%q') starts anew",
        pM->st.iId, eKind, pM->pFlow->zTarget);
  }
  pE->eKind = (u8)eKind;
  if( sqlite3_column_type(pStmt, 2)==SQLITE_BLOB ){
    pE->mask.nByte = sqlite3_column_bytes(pStmt, 2);
    pE->mask.a = acdcArenaAlloc(p, &pH->arena, pE->mask.nByte+1);
    if( pE->mask.a && pE->mask.nByte ){
      memcpy(pE->mask.a, sqlite3_column_blob(pStmt, 2), pE->mask.nByte);
      pE->mask.bRest = pE->mask.nByte>0
                    && (pE->mask.a[pE->mask.nByte-1] & 0x80)!=0;
    }
  }
  if( pE->eKind==ACDC_HID_MEMBER ){
    pE->aVal = acdcArenaAlloc(p, &pH->arena, sizeof(AcdcVal)*(pM->nVal+1));
    if( pE->aVal ) acdcEventVals(pM, &pH->arena, pStmt, 3, pE->aVal);
  }
  return p->rc ? 0 : pE;
}

/* ---- all rows of a key, where plain order is not sequence order ---- */

void acdcPointerSort(
  AcdcCtx *p, void **ap, int n, void *pArg,
  int (*xCmp)(void*, const void*, const void*)
){
  void **apTmp;
  int nRun, i;
  for(i=1; i<n && xCmp(pArg, ap[i-1], ap[i])<=0; i++);
  if( i>=n ) return;
  apTmp = acdcMalloc(p, sizeof(void*)*(i64)n);
  if( apTmp==0 ) return;
  for(nRun=1; nRun<n; nRun*=2){
    for(i=0; i<n; i+=2*nRun){
      int iA = i, iB = n-i>nRun ? i+nRun : n, iOut = i;
      int iEndA = iB, iEndB = n-iB>nRun ? iB+nRun : n;
      while( iA<iEndA || iB<iEndB ){
        if( iB>=iEndB || (iA<iEndA && xCmp(pArg, ap[iA], ap[iB])<=0) ){
          apTmp[iOut++] = ap[iA++];
        }else{
          apTmp[iOut++] = ap[iB++];
        }
      }
    }
    memcpy(ap, apTmp, sizeof(void*)*(size_t)n);
  }
  sqlite3_free(apTmp);
}

static int histGrow(AcdcHist *pH, void ***pap, int n, int *pnAlloc){
  if( n>=*pnAlloc ){
    int nNew = *pnAlloc ? *pnAlloc*2 : 16;
    void **apNew = acdcRealloc(pH->pM->p, *pap, sizeof(void*)*nNew);
    if( apNew==0 ) return 0;
    *pap = apNew;
    *pnAlloc = nNew;
  }
  return 1;
}

/* Order of rows of the target by their start. */
static int histRowCmp(void *pArg, const void *pA, const void *pB){
  return acdcSeqCmp(pArg, &((const AcdcHistRow*)pA)->start,
                    &((const AcdcHistRow*)pB)->start);
}

static void histLoadAll(AcdcHist *pH){
  AcdcMerge *pM = pH->pM;
  sqlite3_stmt *pStmt;
  if( pH->bAll ) return;
  pH->bAll = 1;
  pStmt = acdcTgtLook(pM, ACDC_LOOK_ALL, pH->aKey, 0);
  while( pStmt ){
    AcdcHistRow *pR = histRowRead(pH, pStmt);
    if( pR==0 || !histGrow(pH,(void***)&pH->apRow,pH->nRow,&pH->nRowAlloc) ){
      break;
    }
    pH->apRow[pH->nRow++] = pR;
    if( !acdcStep(pM->p, pStmt) ) break;
  }
  if( pStmt ) sqlite3_reset(pStmt);
  acdcPointerSort(pM->p, (void**)pH->apRow, pH->nRow, &pM->st.kind, histRowCmp);
  pStmt = acdcEventLook(pM, ACDC_LOOK_ALL, pH->aKey, 0);
  while( pStmt ){
    AcdcHistHid *pE = histHidRead(pH, pStmt);
    if( pE==0 || !histGrow(pH,(void***)&pH->apHid,pH->nHid,&pH->nHidAlloc) ){
      break;
    }
    pH->apHid[pH->nHid++] = pE;
    if( !acdcStep(pM->p, pStmt) ) break;
  }
  if( pStmt ) sqlite3_reset(pStmt);
}

/* ---- one row near a sequence ---- */

/*
** Where a look-up ends among n things in sequence order, the i-th of which has
** the sequence xSeq(pH, i): its index, or -1.
*/
static int histFind(
  AcdcHist *pH, int n, int eLook, const AcdcSeq *pSeq,
  const AcdcSeq *(*xSeq)(const AcdcHist*, int)
){
  int lo = 0, hi = n;                    /* first that is after the stretch */
  while( pSeq && lo<hi ){
    int mid = lo + (hi-lo)/2;
    int c = acdcSeqCmp(&pH->pM->st.kind, xSeq(pH, mid), pSeq);
    if( c<0 || (c==0 && eLook!=ACDC_LOOK_LT) ) lo = mid+1; else hi = mid;
  }
  if( pSeq==0 ) lo = n;
  if( eLook==ACDC_LOOK_GT ) return lo<n ? lo : -1;
  return lo-1;
}

static const AcdcSeq *histRowSeq(const AcdcHist *pH, int i){
  return &pH->apRow[i]->start;
}

static const AcdcSeq *histHidSeq(const AcdcHist *pH, int i){
  return &pH->apHid[i]->seq;
}

static AcdcHistRow *histRow(AcdcHist *pH, int eLook, const AcdcSeq *pSeq){
  AcdcMerge *pM = pH->pM;
  AcdcHistRow *pR = 0;
  if( pM->p->rc ) return 0;
  if( pM->bNative ){
    sqlite3_stmt *pStmt = acdcTgtLook(pM, eLook, pH->aKey,
                                      pSeq ? &pSeq->shown : 0);
    if( pStmt ){
      pR = histRowRead(pH, pStmt);
      sqlite3_reset(pStmt);
    }
  }else{
    int i;
    histLoadAll(pH);
    i = histFind(pH, pH->nRow, eLook, pSeq, histRowSeq);
    if( i>=0 ) pR = pH->apRow[i];
  }
  return pR;
}

static AcdcHistHid *histHid(AcdcHist *pH, int eLook, const AcdcSeq *pSeq){
  AcdcMerge *pM = pH->pM;
  AcdcHistHid *pE = 0;
  if( pM->p->rc || !pM->st.bHidden ) return 0;
  if( pM->bNative ){
    AcdcVal v;
    sqlite3_stmt *pStmt;
    if( pSeq ) acdcSeqToState(pM->p, &pM->st.kind, pSeq, &pH->arena, &v);
    pStmt = acdcEventLook(pM, eLook, pH->aKey, pSeq ? &v : 0);
    if( pStmt ){
      pE = histHidRead(pH, pStmt);
      sqlite3_reset(pStmt);
    }
  }else{
    int i;
    histLoadAll(pH);
    i = histFind(pH, pH->nHid, eLook, pSeq, histHidSeq);
    if( i>=0 ) pE = pH->apHid[i];
  }
  return pE;
}

/* ---- events ---- */

static int histCmp(const AcdcHist *pH, const AcdcSeq *pA, const AcdcSeq *pB){
  return acdcSeqCmp(&pH->pM->st.kind, pA, pB);
}

/* Is there a truncate at that sequence? */
static int histIsMark(const AcdcHist *pH, const AcdcSeq *pSeq){
  const AcdcState *pSt = &pH->pM->st;
  int i = acdcStateMarkFrom(pSt, pSeq);
  return i<pSt->nMark && histCmp(pH, &pSt->aMark[i], pSeq)==0;
}

static void histFromHid(
  AcdcHist *pH, const AcdcHistHid *pE, AcdcHistRow *pRow, AcdcHistEvent *pOut
){
  memset(pOut, 0, sizeof(*pOut));
  pOut->ev.bOld = 1;
  pOut->ev.seq = pE->seq;
  pOut->eHid = pE->eKind;
  pOut->ev.eKind = pE->eKind==ACDC_HID_DELETE ? ACDC_DELETE : ACDC_UPSERT;
  pOut->ev.mask = pE->mask;
  pOut->bMask = pE->mask.a!=0;
  if( pOut->bMask==0 ) pOut->ev.mask = *acdcDefaultMask(pH->pM);
  pOut->pRow = pOut->ev.eKind==ACDC_UPSERT ? pRow : 0;
  pOut->bLast = pE->eKind==ACDC_HID_SHOWN;
  pOut->ev.aVal = pE->aVal;
  if( pOut->bLast && pRow ) pOut->ev.aVal = pRow->aVal;
}

static void histFromRow(AcdcHist *pH, AcdcHistRow *pRow, AcdcHistEvent *pOut){
  memset(pOut, 0, sizeof(*pOut));
  pOut->ev.bOld = 1;
  pOut->ev.seq = pRow->start;
  pOut->ev.eKind = ACDC_UPSERT;
  pOut->ev.mask = *acdcDefaultMask(pH->pM);
  pOut->ev.aVal = pRow->aVal;
  pOut->pRow = pRow;
  pOut->bLast = 1;
}

static void histFromEnd(AcdcHist *pH, AcdcHistRow *pRow, AcdcHistEvent *pOut){
  memset(pOut, 0, sizeof(*pOut));
  pOut->ev.bOld = 1;
  pOut->ev.seq = pRow->end;
  pOut->ev.eKind = ACDC_DELETE;
  pOut->bMark = (u8)histIsMark(pH, &pRow->end);
}

static void histDamaged(AcdcHist *pH){
  acdcError(pH->pM->p, SQLITE_CORRUPT, "target %s and table "
      "autocdc_event_%lld do not agree: was the target changed by hand? "
      "SELECT autocdc_reset('%q') starts anew", pH->pM->pFlow->zTarget,
      pH->pM->st.iId, pH->pM->pFlow->zTarget);
}

/*
** An event that a look-up has found must lie where it was looked for: whoever
** steps from event to event relies on getting on.  Returns 0 with an error if
** what is shown of a sequence contradicts its order.
*/
static int histThere(
  AcdcHist *pH, int eLook, const AcdcSeq *pSeq, const AcdcHistEvent *pEv
){
  int c = histCmp(pH, &pEv->ev.seq, pSeq);
  if( eLook==ACDC_LOOK_GT ? c>0 : eLook==ACDC_LOOK_LT ? c<0 : c<=0 ) return 1;
  histDamaged(pH);
  return 0;
}

/*
** A state row of an upsert lies in the run of the last target row that starts
** at or before it.  One that has none is damage.
*/
static int histInRow(AcdcHist *pH, const AcdcHistHid *pE, AcdcHistRow *pRow){
  if( pE->eKind==ACDC_HID_DELETE ) return 1;
  if( pRow && histCmp(pH, &pRow->start, &pE->seq)<=0
   && (!pRow->bEnd || histCmp(pH, &pE->seq, &pRow->end)<0)
  ){
    return 1;
  }
  histDamaged(pH);
  return 0;
}

/*
** The last event of a stretch.  pRow is the last row that starts in it, pE the
** last state row in it; bEnd: the end of pRow lies in it too.
*/
static int histPick(
  AcdcHist *pH, AcdcHistRow *pRow, AcdcHistHid *pE, int bEnd,
  AcdcHistEvent *pOut
){
  if( pH->pM->p->rc || (pRow==0 && pE==0) ) return 0;
  if( pE && (!pRow || histCmp(pH, &pE->seq,
                              bEnd ? &pRow->end : &pRow->start)>=0) ){
    if( !histInRow(pH, pE, pRow) ) return 0;
    histFromHid(pH, pE, pRow, pOut);
  }else if( bEnd ){
    histFromEnd(pH, pRow, pOut);
  }else{
    histFromRow(pH, pRow, pOut);
  }
  return 1;
}

int acdcHistLast(AcdcHist *pH, AcdcHistEvent *pOut){
  AcdcHistRow *pRow = histRow(pH, ACDC_LOOK_LAST, 0);
  AcdcHistHid *pE = histHid(pH, ACDC_LOOK_LAST, 0);
  return histPick(pH, pRow, pE, pRow && pRow->bEnd, pOut);
}

int acdcHistLE(AcdcHist *pH, const AcdcSeq *pSeq, AcdcHistEvent *pOut){
  AcdcHistRow *pRow = histRow(pH, ACDC_LOOK_LE, pSeq);
  AcdcHistHid *pE = histHid(pH, ACDC_LOOK_LE, pSeq);
  int bEnd = pRow && pRow->bEnd && histCmp(pH, &pRow->end, pSeq)<=0;
  return histPick(pH, pRow, pE, bEnd, pOut)
      && histThere(pH, ACDC_LOOK_LE, pSeq, pOut);
}

int acdcHistBefore(AcdcHist *pH, const AcdcSeq *pSeq, AcdcHistEvent *pOut){
  AcdcHistRow *pRow = histRow(pH, ACDC_LOOK_LT, pSeq);
  AcdcHistHid *pE = histHid(pH, ACDC_LOOK_LT, pSeq);
  int bEnd = pRow && pRow->bEnd && histCmp(pH, &pRow->end, pSeq)<0;
  return histPick(pH, pRow, pE, bEnd, pOut)
      && histThere(pH, ACDC_LOOK_LT, pSeq, pOut);
}

int acdcHistGT(AcdcHist *pH, const AcdcSeq *pSeq, AcdcHistEvent *pOut){
  AcdcMerge *pM = pH->pM;
  AcdcHistRow *pIn = histRow(pH, ACDC_LOOK_LE, pSeq);
  AcdcHistRow *pNext = histRow(pH, ACDC_LOOK_GT, pSeq);
  AcdcHistHid *pE = histHid(pH, ACDC_LOOK_GT, pSeq);
  const AcdcSeq *pMin = 0;
  int eWhich = 0;                        /* 1: next row, 2: end, 3: state row */
  if( pM->p->rc ) return 0;
  if( pNext ){ pMin = &pNext->start; eWhich = 1; }
  if( pIn && pIn->bEnd && histCmp(pH, &pIn->end, pSeq)>0
   && (!pMin || histCmp(pH, &pIn->end, pMin)<0)
  ){
    pMin = &pIn->end;
    eWhich = 2;
  }
  if( pE && (!pMin || histCmp(pH, &pE->seq, pMin)<=0) ) eWhich = 3;
  if( eWhich==0 ) return 0;
  if( eWhich==1 ) histFromRow(pH, pNext, pOut);
  if( eWhich==2 ) histFromEnd(pH, pIn, pOut);
  if( eWhich==3 ){
    AcdcHistRow *pRow = pIn;
    if( pNext && histCmp(pH, &pNext->start, &pE->seq)==0 ) pRow = pNext;
    if( !histInRow(pH, pE, pRow) ) return 0;
    histFromHid(pH, pE, pRow, pOut);
  }
  return histThere(pH, ACDC_LOOK_GT, pSeq, pOut);
}
