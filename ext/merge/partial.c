/*
** Current state per column (semantics.md 3.2 and 5): a column holds the newest
** value by sequence that an event authored since the key's last delete.
**
** Of each key the events that still count are kept in autocdc_event_<id>: an
** upsert while some column that it authored is not authored by a later upsert,
** a delete while some column is not authored since (it may yet lose a tie,
** and then what is older counts again), and the deciding event.  A key whose
** deciding event is a delete with nothing older, or authored exactly an
** emitted set, needs no row there: autocdc_state_<id> and the target say all.
** The last delete before the deciding event is always there: once a column
** joins, it is not authored since.
*/
#include "merge.h"

/* State form of a sequence before all others: minus infinity */
#define PART_OLDEST (-1.7976931348623157e308 * 10)

typedef struct PartEvent PartEvent;
struct PartEvent {
  AcdcEvent ev;
  AcdcVal state;         /* Sequence as the event table has it */
  u8 bStored;            /* Has a row in the event table */
  u8 bDirty;             /* Not as that row says */
  u8 bDrop;              /* Counts no more */
};

typedef struct Part Part;
struct Part {
  AcdcMerge *pM;
  AcdcArena *pA;
  const AcdcVal *aKey;
  PartEvent *a;          /* In sequence order; in pA */
  int n, nAlloc;
  int bKnown;            /* The key has a row in autocdc_state_<id> ... */
  AcdcLast last;         /* ... and this is what it says */
  int bRow;              /* The target has a row, or may have one */
};

/* Make room at place i of the list. */
static PartEvent *partOpen(Part *pP, int i){
  if( pP->n>=pP->nAlloc ){
    int nNew = pP->nAlloc*2 + 16;
    PartEvent *aNew = acdcArenaAlloc(pP->pM->p, pP->pA, sizeof(PartEvent)*nNew);
    if( aNew==0 ) return 0;
    if( pP->n ) memcpy(aNew, pP->a, sizeof(PartEvent)*pP->n);
    pP->a = aNew;
    pP->nAlloc = nNew;
  }
  memmove(&pP->a[i+1], &pP->a[i], sizeof(PartEvent)*(pP->n-i));
  memset(&pP->a[i], 0, sizeof(PartEvent));
  pP->n++;
  return &pP->a[i];
}

static int partCmp(const Part *pP, const AcdcEvent *pA, const AcdcEvent *pB){
  if( pA->bSeqNull || pB->bSeqNull ) return pB->bSeqNull - pA->bSeqNull;
  return acdcSeqCmp(&pP->pM->st.kind, &pA->seq, &pB->seq);
}

/* The rows of the event table. */
static void partLoadEvents(Part *pP){
  AcdcMerge *pM = pP->pM;
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = acdcEventLook(pM, ACDC_LOOK_ALL, pP->aKey, 0);
  while( pStmt ){
    PartEvent *pE = partOpen(pP, pP->n);
    AcdcVal v;
    if( pE==0 ) break;
    pE->bStored = 1;
    pE->ev.bOld = 1;
    acdcValColumn(&v, pStmt, 0);
    acdcValCopy(p, pP->pA, &pE->state, &v);
    pE->ev.eKind = (u8)(sqlite3_column_int(pStmt, 1) & 1);
    if( pE->state.eType==SQLITE_FLOAT && pE->state.u.r<-1.7e308 ){
      pE->ev.bSeqNull = 1;
    }else{
      acdcSeqFromState(p, &pM->st.kind, &pE->state, 0, pP->pA, &pE->ev.seq);
    }
    if( pE->ev.eKind==ACDC_UPSERT ){
      int n = sqlite3_column_bytes(pStmt, 2);
      u8 *a = acdcArenaAlloc(p, pP->pA, pM->emit.nByte + n + 1);
      pE->ev.aVal = acdcArenaAlloc(p, pP->pA, sizeof(AcdcVal)*(pM->nVal+1));
      if( a==0 || pE->ev.aVal==0 ) break;
      memset(a, 0, pM->emit.nByte + n + 1);
      if( n ) memcpy(a, sqlite3_column_blob(pStmt, 2), n);
      pE->ev.mask.a = a;
      pE->ev.mask.nByte = pM->emit.nByte;
      if( !acdcEventVals(pM, pP->pA, pStmt, 3, pE->ev.aVal) ) break;
    }
    if( !acdcStep(p, pStmt) ) break;
  }
  if( pStmt ) sqlite3_reset(pStmt);
}

/*
** What an adopted row had in the columns that event pEv does not author: values
** older than every sequence.
*/
static void partLoadOlder(Part *pP, const AcdcEvent *pEv){
  AcdcMerge *pM = pP->pM;
  AcdcVal *aVal = pEv->aVal;
  AcdcBits mask = pEv->mask;
  PartEvent *pE = partOpen(pP, 0);
  int i;
  if( pE==0 ) return;
  pE->ev.bOld = pE->ev.bSeqNull = 1;
  pE->state.eType = SQLITE_FLOAT;
  pE->state.u.r = PART_OLDEST;
  pE->ev.aVal = aVal;
  pE->ev.mask.nByte = pM->emit.nByte;
  pE->ev.mask.a = acdcArenaAlloc(pM->p, pP->pA, pM->emit.nByte+1);
  if( pE->ev.mask.a==0 ) return;
  memset(pE->ev.mask.a, 0, pM->emit.nByte+1);
  for(i=0; i<pM->nVal; i++){
    if( !acdcBit(&mask, i) ) acdcBitSet(&pE->ev.mask, i);
  }
}

/*
** The event that state and target row stand for, if the event table has none:
** the deciding event, or a row of the user's that is older than all.
*/
static void partLoadRow(Part *pP){
  AcdcMerge *pM = pP->pM;
  PartEvent *pE;
  sqlite3_stmt *pStmt = 0;
  int i, iGen = pP->last.eKind/2;
  if( pP->bKnown && (pP->last.eKind & 1) ){
    pE = partOpen(pP, 0);
    if( pE==0 ) return;
    pE->ev.eKind = ACDC_DELETE;
  }else{
    pStmt = acdcTgtLook(pM, ACDC_LOOK_LAST, pP->aKey, 0);
    if( pStmt==0 ) return;
    pP->bRow = 1;
    pE = partOpen(pP, 0);
    if( pE ){
      pE->ev.aVal = acdcArenaAlloc(pM->p, pP->pA, sizeof(AcdcVal)*(pM->nVal+1));
    }
    if( pE==0 || pE->ev.aVal==0 ) return;
    for(i=0; i<pM->nVal; i++){
      AcdcVal v;
      acdcValColumn(&v, pStmt, i+2);
      acdcValCopy(pM->p, pP->pA, &pE->ev.aVal[i], &v);
    }
    sqlite3_reset(pStmt);
    pE->ev.mask = pM->allMask;
    if( pP->bKnown && iGen<pM->st.nGen ){
      pE->ev.mask = pM->st.aGen[iGen];
      if( pM->st.bAdopted ) partLoadOlder(pP, &pE->ev);
      pE = &pP->a[pP->n-1];              /* the list may have moved */
    }
  }
  pE->ev.bOld = 1;
  if( pP->bKnown ){
    pE->ev.seq = pP->last.seq;
    acdcSeqToState(pM->p, &pM->st.kind, &pE->ev.seq, pP->pA, &pE->state);
  }else{
    pE->ev.bSeqNull = 1;
    pE->state.eType = SQLITE_FLOAT;      /* minus infinity sorts before all */
    pE->state.u.r = PART_OLDEST;
  }
}

/* Events that a truncate of this batch removes: it drops their rows later. */
static void partTruncate(Part *pP){
  const AcdcSeq *pMark = acdcLastMark(pP->pM);
  int i = 0;
  if( pMark==0 ) return;
  while( i<pP->n && (pP->a[i].ev.bSeqNull || acdcSeqCmp(&pP->pM->st.kind,
                                      &pP->a[i].ev.seq, pMark)<0) ) i++;
  pP->n -= i;
  memmove(pP->a, &pP->a[i], sizeof(PartEvent)*pP->n);
}

/* The last delete before the deciding event, unless its row was loaded. */
static void partLoadGone(Part *pP){
  AcdcEvent gone;
  PartEvent *pE;
  int i = pP->n, c = 1;
  memset(&gone, 0, sizeof(gone));
  gone.eKind = ACDC_DELETE;
  gone.bOld = 1;
  gone.seq = pP->last.gone;
  while( i>0 && (c = partCmp(pP, &pP->a[i-1].ev, &gone))>0 ) i--;
  if( i>0 && c==0 ) return;
  pE = partOpen(pP, i);
  if( pE==0 ) return;
  pE->ev = gone;
  acdcSeqToState(pP->pM->p, &pP->pM->st.kind, &gone.seq, pP->pA, &pE->state);
}

static void partLoad(Part *pP){
  AcdcMerge *pM = pP->pM;
  pP->bKnown = acdcLastRead(pM, pP->pA, pP->aKey, &pP->last);
  if( pP->bKnown ){
    pP->bRow = (pP->last.eKind & 1)==0;
    partLoadEvents(pP);
  }
  if( pP->n==0 && pM->p->rc==0 && (pP->bKnown || pM->st.bAdopted) ){
    partLoadRow(pP);
  }
  if( pP->bKnown && pP->last.bGone && pM->p->rc==0 ) partLoadGone(pP);
  if( pP->n ) partTruncate(pP);
}

/* Add one event of the batch.  Returns 1 if the list has changed. */
static int partAdd(Part *pP, const AcdcEvent *pNew){
  AcdcMerge *pM = pP->pM;
  PartEvent *pE;
  int i = pP->n, c = 1;
  while( i>0 && (c = partCmp(pP, &pP->a[i-1].ev, pNew))>0 ) i--;
  if( i>0 && c==0 ){
    int eTie;
    pE = &pP->a[i-1];
    eTie = acdcTieResolve(pM, pP->pA, pP->aKey, &pE->ev, pNew);
    if( eTie!=ACDC_TIE_TOOK ) return 0;
    pE->bDirty = 1;
    return 1;
  }
  pE = partOpen(pP, i);
  if( pE==0 ) return 0;
  pE->ev = *pNew;
  pE->bDirty = 1;
  acdcSeqToState(pM->p, &pM->st.kind, &pNew->seq, pP->pA, &pE->state);
  return 1;
}

/* Mark the events that count no more. */
static void partPrune(Part *pP){
  AcdcMerge *pM = pP->pM;
  int nByte = pM->emit.nByte, i, j;
  u8 *aSeen = acdcArenaAlloc(pM->p, pP->pA, nByte+1);
  if( aSeen==0 ) return;
  memset(aSeen, 0, nByte+1);
  for(i=pP->n-1; i>=0; i--){
    PartEvent *pE = &pP->a[i];
    const AcdcBits *pNeed = pE->ev.eKind==ACDC_UPSERT ? &pE->ev.mask
                                                      : &pM->allMask;
    int bNeeded = i==pP->n-1;
    for(j=0; j<nByte; j++){
      u8 m = j<pNeed->nByte ? pNeed->a[j] : 0;
      if( m & ~aSeen[j] ) bNeeded = 1;
      if( pE->ev.eKind==ACDC_UPSERT ) aSeen[j] |= m;
    }
    pE->bDrop = !bNeeded;
  }
}

/* The row that the events make; returns 0 if there is none. */
static int partFold(Part *pP, AcdcVal *aOut){
  AcdcMerge *pM = pP->pM;
  int i, iVal;
  if( pP->n==0 || pP->a[pP->n-1].ev.eKind==ACDC_DELETE ) return 0;
  for(iVal=0; iVal<pM->nVal; iVal++){
    aOut[iVal].eType = SQLITE_NULL;
    aOut[iVal].n = 0;
    for(i=pP->n-1; i>=0 && pP->a[i].ev.eKind==ACDC_UPSERT; i--){
      if( acdcBit(&pP->a[i].ev.mask, iVal) ){
        aOut[iVal] = pP->a[i].ev.aVal[iVal];
        break;
      }
    }
  }
  return 1;
}

/*
** Emitted set that the events as kept come down to, or -1 if they need rows in
** the event table.
*/
static int partTrivial(const Part *pP){
  const AcdcMerge *pM = pP->pM;
  const PartEvent *pTop = &pP->a[pP->n-1];
  int i, j, nKeep = 0;
  for(i=0; i<pP->n; i++) nKeep += !pP->a[i].bDrop;
  if( nKeep!=1 || pTop->ev.bSeqNull ) return -1;
  if( pTop->ev.eKind==ACDC_DELETE ) return pM->iGen;
  for(i=0; i<pM->st.nGen; i++){
    const AcdcBits *pG = &pM->st.aGen[i];
    int bSame = 1;
    for(j=0; j<pM->emit.nByte && bSame; j++){
      u8 a = j<pG->nByte ? pG->a[j] : 0;
      u8 b = j<pTop->ev.mask.nByte ? pTop->ev.mask.a[j] : 0;
      bSame = a==b;
    }
    if( bSame ) return i;
  }
  return -1;
}

/* What the events say of the key's last one, of emitted set iGen. */
static void partLast(const Part *pP, int iGen, AcdcLast *pOut){
  int i;
  memset(pOut, 0, sizeof(*pOut));
  for(i=pP->n-1; i>=0; i--){
    const AcdcEvent *pEv = &pP->a[i].ev;
    if( i==pP->n-1 ){
      pOut->seq = pEv->seq;
      pOut->eKind = iGen*2 + (pEv->eKind==ACDC_DELETE);
    }else if( pEv->eKind==ACDC_DELETE ){
      pOut->gone = pEv->seq;
      pOut->bGone = 1;
      break;
    }
  }
}

static int partSame(const Part *pP, const AcdcLast *pNow){
  const AcdcSeqKind *pKind = &pP->pM->st.kind;
  return pNow->eKind==pP->last.eKind && pNow->bGone==pP->last.bGone
      && acdcSeqCmp(pKind, &pNow->seq, &pP->last.seq)==0
      && (!pNow->bGone || acdcSeqCmp(pKind, &pNow->gone, &pP->last.gone)==0);
}

static void partWrite(Part *pP){
  AcdcMerge *pM = pP->pM;
  AcdcVal *aRow = acdcArenaAlloc(pM->p, pP->pA, sizeof(AcdcVal)*(pM->nVal+1));
  AcdcLast now;
  int i, iGen;
  if( aRow==0 ) return;
  if( partFold(pP, aRow) ){
    int bHad = 0;
    if( pP->bRow ){
      bHad = acdcTgtUpdate(pM, pP->aKey, aRow, 0, 0);
      if( bHad ){
        pM->n.nUpdated++;
      }else{
        sqlite3_stmt *pStmt = acdcTgtLook(pM, ACDC_LOOK_LAST, pP->aKey, 0);
        bHad = pStmt!=0;
        if( pStmt ) sqlite3_reset(pStmt);
      }
    }
    if( !bHad ){
      acdcTgtInsert(pM, pP->aKey, aRow, 0, 0);
      pM->n.nInserted++;
    }
  }else if( pP->bRow && acdcTgtDelete(pM, pP->aKey, 0) ){
    pM->n.nDeleted++;
  }
  iGen = partTrivial(pP);
  for(i=0; i<pP->n; i++){
    PartEvent *pE = &pP->a[i];
    int bKeep = iGen<0 && !pE->bDrop;
    if( bKeep && (pE->bDirty || !pE->bStored) ){
      acdcEventPut(pM, pP->aKey, &pE->state, pE->ev.eKind,
          pE->ev.eKind==ACDC_UPSERT ? &pE->ev.mask : 0,
          pE->ev.eKind==ACDC_UPSERT ? pE->ev.aVal : 0, 0);
    }else if( !bKeep && pE->bStored ){
      acdcEventDelete(pM, pP->aKey, &pE->state);
    }
  }
  partLast(pP, iGen<0 ? pM->iGen : iGen, &now);
  if( !pP->a[pP->n-1].ev.bSeqNull && !(pP->bKnown && partSame(pP, &now)) ){
    acdcLastPut(pM, pP->pA, pP->aKey, &now, pP->bKnown ? &pP->last : 0);
  }
}

void acdcPartialKey(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, AcdcEvent *aEv, int nEv,
  int bFresh
){
  const AcdcSeq *pMark = acdcLastMark(pM);
  i64 nWritten;
  Part part;
  int i, nChange = 0;
  memset(&part, 0, sizeof(part));
  part.pM = pM;
  part.pA = pA;
  part.aKey = aKey;
  if( !bFresh ) partLoad(&part);
  for(i=0; i<nEv && pM->p->rc==0; i++){
    if( part.bKnown && acdcSeqCmp(&pM->st.kind, &aEv[i].seq, &part.last.seq)<0 ){
      pM->n.nLate++;
    }
    if( pMark && acdcSeqCmp(&pM->st.kind, &aEv[i].seq, pMark)<0 ) continue;
    if( partAdd(&part, &aEv[i]) ) nChange++;
  }
  nWritten = pM->n.nInserted + pM->n.nUpdated + pM->n.nDeleted;
  if( nChange && pM->p->rc==0 ){
    partPrune(&part);
    partWrite(&part);
    for(i=0; i<nEv && pM->bExtra; i++){
      if( aEv[i].eKind==ACDC_DELETE || pM->nNewMark ){
        i64 n = pM->n.nInserted + pM->n.nUpdated + pM->n.nDeleted;
        if( acdcTgtExtra(pM, aKey) && n==nWritten ) pM->n.nUpdated++;
        break;
      }
    }
  }
  nWritten = pM->n.nInserted + pM->n.nUpdated + pM->n.nDeleted - nWritten;
  pM->n.nUnchanged += nEv - nWritten;
}

/*
** Rows of the user's, of which an event wrote a part and nothing else is kept:
** the other part is older than the truncate.
*/
void acdcPartialAdopted(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  int iGen, i;
  for(iGen=0; iGen<pM->st.nGen && p->rc==0; iGen++){
    char *zSet = 0, *zAny = 0, *zS = 0, *zE = 0;
    for(i=0; i<pM->nVal; i++){
      if( pM->aVal[i].iTgt<0 || acdcBit(&pM->st.aGen[iGen], i) ) continue;
      acdcAppendf(p, &zSet, "%s\"%w\"=NULL", zSet ? "," : "",
                  pM->aVal[i].zName);
      acdcAppendf(p, &zAny, "%s\"%w\" IS NOT NULL", zAny ? " OR " : "",
                  pM->aVal[i].zName);
    }
    for(i=0; i<pM->nKey; i++){
      const char *zAnd = i ? " AND " : "";
      acdcAppendf(p, &zS, "%ss.k%d IS t.\"%w\"", zAnd, i+1, pM->aKey[i].zName);
      acdcAppendf(p, &zE, "%se.k%d IS t.\"%w\"", zAnd, i+1, pM->aKey[i].zName);
    }
    if( zSet && p->rc==0 ){
      acdcExec(p, "UPDATE %s AS t SET %s WHERE (%s) AND EXISTS(SELECT 1 FROM "
          "\"%w\".autocdc_state_%lld AS s WHERE %s AND s.kind=%d) AND NOT "
          "EXISTS(SELECT 1 FROM \"%w\".autocdc_event_%lld AS e WHERE %s)",
          pM->zTgtSql, zSet, zAny, pM->tgt.zSchema, pM->st.iId, zS, iGen*2,
          pM->tgt.zSchema, pM->st.iId, zE);
      if( p->rc==0 ) pM->n.nUpdated += sqlite3_changes64(p->db);
    }
    sqlite3_free(zSet);
    sqlite3_free(zAny);
    sqlite3_free(zS);
    sqlite3_free(zE);
  }
}

void acdcPartialTruncate(AcdcMerge *pM, const AcdcVal *pMark){
  AcdcCtx *p = pM->p;
  char *zKeys = 0, *zMatch = 0;
  AcdcArena keys, arena;
  int i, n;
  memset(&keys, 0, sizeof(keys));
  memset(&arena, 0, sizeof(arena));
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "%se.k%d", i ? "," : "", i+1);
    acdcAppendf(p, &zMatch, "%ss.k%d IS e.k%d", i ? " AND " : "", i+1, i+1);
  }
  do{
    AcdcVal *aKeys = acdcArenaAlloc(p, &keys, sizeof(AcdcVal)*1000*pM->nKey);
    sqlite3_stmt *pStmt = acdcPrepare(p, 0, "SELECT DISTINCT %s FROM "
        "\"%w\".autocdc_event_%lld AS e WHERE e.seq<?1 AND EXISTS("
        "SELECT 1 FROM \"%w\".autocdc_state_%lld AS s WHERE %s AND s.seq>=?1) "
        "LIMIT 1000", zKeys, pM->tgt.zSchema, pM->st.iId, pM->tgt.zSchema,
        pM->st.iId, zMatch);
    if( pStmt ) acdcValBind(pStmt, 1, pMark);
    for(n=0; aKeys && acdcStep(p, pStmt); n++){
      for(i=0; i<pM->nKey; i++){
        AcdcVal v;
        acdcValColumn(&v, pStmt, i);
        acdcValCopy(p, &keys, &aKeys[n*pM->nKey+i], &v);
      }
    }
    acdcFinalize(p, &pStmt);
    for(i=0; i<n && p->rc==0; i++){
      Part part;
      memset(&part, 0, sizeof(part));
      part.pM = pM;
      part.pA = &arena;
      part.aKey = &aKeys[i*pM->nKey];
      partLoad(&part);
      acdcEventDeleteBelow(pM, part.aKey, pMark);
      if( part.n && p->rc==0 ){
        partPrune(&part);
        partWrite(&part);
      }
      acdcArenaReset(&arena);
    }
    acdcWriterFlush(pM);
    acdcArenaReset(&keys);
  }while( n==1000 && p->rc==0 );
  sqlite3_free(zKeys);
  sqlite3_free(zMatch);
  acdcArenaFree(&keys);
  acdcArenaFree(&arena);
}

void acdcPartialReduce(void *pArg, const AcdcEntry *aE, int n, u8 *aKeep){
  AcdcMerge *pM = pArg;
  u8 aSeen[ACDC_MASK_MAX];
  AcdcSeq last, seq;
  AcdcBits mask;
  int i, j, bGone = 0;
  if( pM->emit.nByte>ACDC_MASK_MAX || pM->pFlow->eTieBreak!=ACDC_TIE_LAST ){
    return;
  }
  memset(aSeen, 0, sizeof(aSeen));
  acdcEntrySeq(&aE[n-1], &last);
  for(i=n-1; i>=0; i--){
    int eKind = acdcEntryMask(pM, &aE[i], &mask);
    int bNeeded;
    acdcEntrySeq(&aE[i], &seq);
    bNeeded = acdcSeqCmp(&pM->st.kind, &seq, &last)>=0;
    if( eKind==ACDC_DELETE ){
      mask = pM->allMask;
      if( !bGone ) bNeeded = 1;          /* the last one is remembered */
      if( i<n-1 ) bGone = 1;
    }
    for(j=0; j<mask.nByte; j++){
      if( mask.a[j] & ~aSeen[j] ) bNeeded = 1;
    }
    /* An event at the next one's sequence may be joined with it */
    if( !bNeeded && i+1<n ){
      AcdcSeq next;
      acdcEntrySeq(&aE[i+1], &next);
      if( acdcSeqCmp(&pM->st.kind, &seq, &next)==0 ) bNeeded = 1;
    }
    for(j=0; j<mask.nByte && eKind==ACDC_UPSERT; j++) aSeen[j] |= mask.a[j];
    if( !bNeeded ){
      aKeep[i] = 0;
      pM->n.nUnchanged++;
    }
  }
}
