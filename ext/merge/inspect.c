/*
** What is known of a target: opened from its state, and walked key by key.
*/
#include "inspect.h"

/* ---- opening ---- */

static void inspectKeys(AcdcInspect *pI, int bMust){
  AcdcMerge *pM = &pI->m;
  AcdcNames names = {0, 0};
  int i;
  acdcStateNames(pM->p, pM->st.zKeys, &names);
  pI->bTarget = 1;
  for(i=0; i<names.n && i<ACDC_MAXKEY; i++){
    AcdcKeyCol *pK = &pM->aKey[i];
    pK->iSrc = -1;
    pK->iTgt = acdcTableColumn(&pM->tgt, names.az[i]);
    if( pK->iTgt<0 ){
      pI->bTarget = 0;
      if( bMust ){
        acdcError(pM->p, SQLITE_ERROR, "target %s has no key column %s any "
            "more: SELECT autocdc_reset('%q') starts anew", pM->pFlow->zTarget,
            names.az[i], pM->pFlow->zTarget);
      }
      break;
    }
    pK->zName = pM->tgt.aCol[pK->iTgt].zName;
    pK->cAff = pM->tgt.aCol[pK->iTgt].cAff;
    pK->bCollate = pM->tgt.aCol[pK->iTgt].zColl!=0;
    if( pK->bCollate ) pM->bCollate = 1;
  }
  pM->nKey = i;
  acdcNamesFree(&names);
}

static void inspectValues(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  int i;
  pM->nVal = pM->st.slots.n;
  pM->aVal = acdcMalloc(p, sizeof(AcdcValCol)*(pM->nVal+1));
  pM->allMask.nByte = pM->emit.nByte = pM->fullMask.nByte = (pM->nVal+7)/8;
  pM->allMask.a = acdcMalloc(p, pM->allMask.nByte+1);
  pM->emit.a = acdcMalloc(p, pM->emit.nByte+1);
  pM->fullMask.a = acdcMalloc(p, pM->fullMask.nByte+1);
  if( p->rc ){
    pM->nVal = 0;
    return;
  }
  for(i=0; i<pM->nVal; i++){
    AcdcValCol *pV = &pM->aVal[i];
    pV->zName = acdcStrdup(p, pM->st.slots.az[i]);
    pV->iTgt = acdcTableColumn(&pM->tgt, pM->st.slots.az[i]);
    pV->iSrc = pV->iTgt>=0 ? 0 : -1;
    pV->cAff = pV->iTgt>=0 ? pM->tgt.aCol[pV->iTgt].cAff : 'A';
    acdcBitSet(&pM->allMask, i);
    if( pM->st.zKept && pV->iTgt>=0
     && sqlite3_stricmp(pV->zName, pM->st.zKept)==0
    ){
      pM->pKept = pV;
    }
  }
  acdcTargetTrack(pM, pM->st.zTrack);
}

/* Column iCol of the target is needed; -1: it is not there any more. */
static void inspectNeeds(
  AcdcInspect *pI, int iCol, const char *zCol, int bMust
){
  if( iCol>=0 ) return;
  pI->bTarget = 0;
  if( bMust ){
    acdcError(pI->m.p, SQLITE_ERROR, "target %s has no column %s any more: "
        "SELECT autocdc_reset('%q') starts anew", pI->flow.zTarget, zCol,
        pI->flow.zTarget);
  }
}

void acdcInspectOpen(
  AcdcCtx *p, AcdcInspect *pI, const char *zSchema, const char *zName, int bMust
){
  AcdcMerge *pM = &pI->m;
  char *zQuoted;
  memset(pI, 0, sizeof(*pI));
  acdcFlowInit(&pI->flow);
  pM->p = p;
  pM->pFlow = &pI->flow;
  pM->pSrc = &pI->src;
  pM->iStart = pM->iEnd = -1;
  pM->st.floor.eType = SQLITE_NULL;
  if( p->rc ) return;
  pI->flow.zTarget = acdcStrdup(p, zName);
  pI->flow.zName = acdcStrdup(p, zName);
  acdcStateLoad(p, zSchema, zName, &pM->st);
  pI->flow.eScd = pM->st.eScd;
  pI->flow.bNullKeysMatch = pM->st.bNullKeys;
  pI->flow.bSnapshot = pM->st.bSnapshot;
  zQuoted = acdcMprintf(p, "\"%w\"", zName);
  if( p->rc==0 && !acdcTableFind(p, zSchema, zQuoted, &pM->tgt) ){
    /* State is in that schema: the name for messages and queries on it */
    pM->tgt.zSchema = acdcStrdup(p, zSchema);
    pM->tgt.zName = acdcStrdup(p, zName);
    if( bMust ){
      acdcError(p, SQLITE_ERROR, "target %s is gone: the next run forgets its "
          "state, and SELECT autocdc_reset('%q') does so now", zName, zName);
    }
  }
  sqlite3_free(zQuoted);
  if( p->rc ) return;
  if( acdcKeyless(pM->st.eScd) ){
    pI->bTarget = pM->tgt.nCol>0;
    if( bMust ){
      acdcError(p, SQLITE_ERROR, "target %s is %s: it has no keys, and no "
          "state of any; autocdc_runs says what ran", zName,
          pM->st.eScd==ACDC_REBUILT ? "a materialized view, rebuilt each time"
                                    : "one that flows append to");
    }
    return;
  }
  pM->zTgtSql = acdcMprintf(p, "\"%w\".\"%w\"", pM->tgt.zSchema,pM->tgt.zName);
  inspectKeys(pI, bMust);
  if( pM->st.eScd!=ACDC_SCD1 ){
    pM->iStart = acdcTableColumn(&pM->tgt, ACDC_START);
    pM->iEnd = acdcTableColumn(&pM->tgt, ACDC_END);
    inspectNeeds(pI, pM->iStart, ACDC_START, bMust);
    inspectNeeds(pI, pM->iEnd, ACDC_END, bMust);
  }
  if( pM->st.eScd==ACDC_BITEMPORAL ){
    pM->iSysStart = acdcTableColumn(&pM->tgt, ACDC_SYSSTART);
    pM->iSysEnd = acdcTableColumn(&pM->tgt, ACDC_SYSEND);
    inspectNeeds(pI, pM->iSysStart, ACDC_SYSSTART, bMust);
    inspectNeeds(pI, pM->iSysEnd, ACDC_SYSEND, bMust);
  }
  if( p->rc==0 ) inspectValues(pM);
  if( pM->st.zKept && pM->pKept==0 ) inspectNeeds(pI, -1, pM->st.zKept, bMust);
  pM->bPartial = pM->st.bPartial;
  pM->pW = acdcWriterNew(pM);
  if( p->rc==0 ) acdcMergeFacts(pM);
}

void acdcInspectClose(AcdcInspect *pI){
  if( pI->m.p ) acdcMergeClose(&pI->m);
  acdcFlowClear(&pI->flow);
}

/* ---- values as text ---- */

static void inspectJsonText(sqlite3_str *pStr, const u8 *z, int n){
  int i;
  sqlite3_str_appendchar(pStr, 1, '"');
  for(i=0; i<n; i++){
    u8 c = z[i];
    if( c=='"' || c=='\\' ){
      sqlite3_str_appendchar(pStr, 1, '\\');
      sqlite3_str_appendchar(pStr, 1, (char)c);
    }else if( c<0x20 ){
      sqlite3_str_appendf(pStr, "\\u%04x", c);
    }else{
      sqlite3_str_appendchar(pStr, 1, (char)c);
    }
  }
  sqlite3_str_appendchar(pStr, 1, '"');
}

/* A BLOB becomes the text of its SQL literal: JSON has none. */
static void inspectJson(sqlite3_str *pStr, const AcdcVal *pV){
  int i;
  switch( pV->eType ){
    case SQLITE_INTEGER:
      sqlite3_str_appendf(pStr, "%lld", pV->u.i);
      break;
    case SQLITE_FLOAT:
      if( pV->u.r>1.7976931348623157e308 || pV->u.r<-1.7976931348623157e308 ){
        sqlite3_str_appendf(pStr, "%s9e999", pV->u.r<0 ? "-" : "");
      }else{
        sqlite3_str_appendf(pStr, "%!.15g", pV->u.r);
      }
      break;
    case SQLITE_TEXT:
      inspectJsonText(pStr, pV->u.z, pV->n);
      break;
    case SQLITE_BLOB:
      sqlite3_str_appendall(pStr, "\"x'");
      for(i=0; i<pV->n; i++) sqlite3_str_appendf(pStr, "%02x", pV->u.z[i]);
      sqlite3_str_appendall(pStr, "'\"");
      break;
    default:
      sqlite3_str_appendall(pStr, "null");
      break;
  }
}

static void inspectResult(sqlite3_context *pCtx, sqlite3_str *pStr){
  char *z = sqlite3_str_finish(pStr);
  if( z==0 ){
    sqlite3_result_error_nomem(pCtx);
  }else{
    sqlite3_result_text(pCtx, z, -1, sqlite3_free);
  }
}

void acdcInspectKey(sqlite3_context *pCtx, const AcdcVal *aKey, int nKey){
  sqlite3_str *pStr;
  int i;
  if( nKey==1 ){
    acdcValResult(pCtx, &aKey[0]);
    return;
  }
  pStr = sqlite3_str_new(sqlite3_context_db_handle(pCtx));
  for(i=0; i<nKey; i++){
    sqlite3_str_appendchar(pStr, 1, i ? ',' : '[');
    inspectJson(pStr, &aKey[i]);
  }
  sqlite3_str_appendchar(pStr, 1, ']');
  inspectResult(pCtx, pStr);
}

void acdcInspectVals(
  sqlite3_context *pCtx, const AcdcMerge *pM, const AcdcVal *aVal,
  const AcdcBits *pMask
){
  sqlite3_str *pStr = sqlite3_str_new(sqlite3_context_db_handle(pCtx));
  int i, n = 0;
  sqlite3_str_appendchar(pStr, 1, '{');
  for(i=0; i<pM->nVal; i++){
    const char *zName = pM->aVal[i].zName;
    if( pMask && !acdcBit(pMask, i) ) continue;
    if( n++ ) sqlite3_str_appendchar(pStr, 1, ',');
    inspectJsonText(pStr, (const u8*)zName, (int)strlen(zName));
    sqlite3_str_appendchar(pStr, 1, ':');
    inspectJson(pStr, &aVal[i]);
  }
  sqlite3_str_appendchar(pStr, 1, '}');
  inspectResult(pCtx, pStr);
}

char *acdcInspectInstant(AcdcCtx *p, const AcdcSeqKind *pKind,
                         const AcdcVal *pV){
  AcdcSeq seq;
  AcdcArena arena;
  i64 iSec, iMicro;
  if( pV->eType!=SQLITE_BLOB || pKind->nPart!=1
   || pKind->aClass[0]!=ACDC_SEQ_INSTANT
  ){
    return 0;
  }
  memset(&arena, 0, sizeof(arena));
  acdcSeqFromState(p, pKind, pV, 0, &arena, &seq);
  acdcArenaFree(&arena);
  if( p->rc || !seq.isInt ) return 0;
  iSec = seq.iOrd/1000000;
  iMicro = seq.iOrd%1000000;
  if( iMicro<0 ){
    iMicro += 1000000;
    iSec--;
  }
  return acdcSelectText(p, "SELECT strftime('%%Y-%%m-%%d %%H:%%M:%%S', %lld, "
      "'unixepoch')||iif(%lld, printf('.%%06d', %lld), '')", iSec, iMicro,
      iMicro);
}

void acdcInspectSeq(
  sqlite3_context *pCtx, const AcdcSeqKind *pKind, const AcdcVal *pV
){
  AcdcCtx ctx;
  char *z;
  acdcCtxInit(&ctx, sqlite3_context_db_handle(pCtx));
  z = acdcInspectInstant(&ctx, pKind, pV);
  if( z ){
    sqlite3_result_text(pCtx, z, -1, sqlite3_free);
  }else{
    acdcValResult(pCtx, pV);
  }
  acdcCtxClear(&ctx);
}

/* ---- walking ---- */

static AcdcKnown *walkAdd(AcdcWalk *pW, const char *zKind, int bShown){
  AcdcKnown *pK;
  if( pW->n>=pW->nAlloc ){
    int nNew = pW->nAlloc*2 + 16;
    AcdcKnown *aNew = acdcRealloc(pW->in.m.p, pW->a, sizeof(AcdcKnown)*nNew);
    if( aNew==0 ) return 0;
    pW->a = aNew;
    pW->nAlloc = nNew;
  }
  pK = &pW->a[pW->n++];
  memset(pK, 0, sizeof(*pK));
  pK->seq.eType = pK->run.eType = pK->sys.eType = SQLITE_NULL;
  pK->zKind = zKind;
  pK->bShown = (u8)bShown;
  return pK;
}

/* What holds for every key: snapshots applied, truncates, the floor. */
static void walkHead(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  AcdcCtx *p = pM->p;
  AcdcKnown *pK;
  sqlite3_stmt *pStmt;
  int i;
  pW->bHead = 1;
  pStmt = acdcPrepare(p, 0, "SELECT coalesce(shown, seq) FROM "
      "\"%w\".autocdc_versions WHERE target=%lld ORDER BY seq",
      pM->tgt.zSchema, pM->st.iId);
  while( acdcStep(p, pStmt) ){
    AcdcVal v;
    pK = walkAdd(pW, "snapshot", 0);
    if( pK==0 ) break;
    acdcValColumn(&v, pStmt, 0);
    acdcValCopy(p, &pW->arena, &pK->seq, &v);
  }
  acdcFinalize(p, &pStmt);
  for(i=0; i<pM->st.nMark && p->rc==0; i++){
    pK = walkAdd(pW, "truncate", 0);
    if( pK ) pK->seq = pM->st.aMark[i].shown;
  }
  if( pM->st.floor.eType!=SQLITE_NULL ){
    pK = walkAdd(pW, "floor", 0);
    if( pK ) pK->seq = pM->st.floor;
  }
}

/* SCD2: from the last event back to the first. */
static void walkHistory(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  const AcdcSeq *pLast = 0;            /* Start of the run behind */
  AcdcHistEvent h;
  AcdcSeq seq;
  int i, bMore;
  acdcHistKey(&pW->hist, pW->aKey);
  bMore = acdcHistLast(&pW->hist, &h);
  while( bMore && pM->p->rc==0 ){
    int bUpsert = h.ev.eKind==ACDC_UPSERT;
    AcdcKnown *pK = walkAdd(pW,
        bUpsert ? "upsert" : h.bMark ? "truncate" : "delete",
        bUpsert ? h.bLast : h.eHid!=ACDC_HID_DELETE);
    if( pK==0 ) break;
    pK->seq = h.ev.seq.shown;
    if( bUpsert && h.pRow && h.eHid==ACDC_HID_NONE
     && pLast && acdcSeqCmp(&pM->st.kind, pLast, &h.pRow->start)==0
    ){
      pK->bShown = 0;        /* a later member stands: autocdc_vacuum() forgot
                             ** what this one had */
      pK->run = h.pRow->rawStart;
    }else if( bUpsert ){
      pK->aVal = h.ev.aVal;
      if( h.bMask ){
        AcdcBits *pB = acdcArenaAlloc(pM->p, &pW->hist.arena, sizeof(*pB));
        if( pB ) *pB = h.ev.mask;
        pK->pMask = pB;
      }
      if( h.pRow ) pK->run = h.pRow->rawStart;
    }
    pLast = h.pRow ? &h.pRow->start : 0;
    seq = h.ev.seq;
    bMore = acdcHistBefore(&pW->hist, &seq, &h);
    if( (pW->n & 1023)==0 && acdcInterrupted(pM->p) ) break;
  }
  for(i=0; i<pW->n/2; i++){
    AcdcKnown k = pW->a[i];
    pW->a[i] = pW->a[pW->n-1-i];
    pW->a[pW->n-1-i] = k;
  }
}

/* The values of a key's row in the target; NULL if there is none. */
static AcdcVal *walkRow(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  sqlite3_stmt *pStmt = acdcTgtLook(pM, ACDC_LOOK_LAST, pW->aKey, 0);
  AcdcVal *aVal = 0;
  int i;
  if( pStmt==0 ) return 0;
  aVal = acdcArenaAlloc(pM->p, &pW->arena, sizeof(AcdcVal)*(pM->nVal+1));
  for(i=0; aVal && i<pM->nVal; i++){
    AcdcVal v;
    acdcValColumn(&v, pStmt, i+2);
    acdcValCopy(pM->p, &pW->arena, &aVal[i], &v);
  }
  sqlite3_reset(pStmt);
  return aVal;
}

static void walkPrepareBit(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  AcdcCtx *p = pM->p;
  char *zVals = 0, *zJoin = 0, *zKey = 0;
  int i;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt>=0 ){
      acdcAppendf(p, &zVals, ",t.\"%w\"", pM->aVal[i].zName);
    }else{
      acdcAppendf(p, &zVals, ",NULL");
    }
  }
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zJoin, " AND t.\"%w\" IS e.k%d", pM->aKey[i].zName, i+1);
    acdcAppendf(p, &zKey, "%se.k%d IS ?%d", i ? " AND " : "", i+1, i+1);
  }
  if( p->rc==0 ){
    pW->pBit = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "SELECT e.kind, "
        "coalesce(e.shown, e.seq), coalesce(e.sysshown, e.sys), e.mask, e.vals%s "
        "FROM \"%w\".autocdc_event_%lld AS e LEFT JOIN %s AS t ON e.kind=%d%s "
        "AND t.\"" ACDC_START "\" IS coalesce(e.shown, e.seq) AND "
        "t.\"" ACDC_SYSSTART "\" IS coalesce(e.sysshown, e.sys) WHERE %s "
        "ORDER BY e.seq, e.sys", zVals ? zVals : "", pM->tgt.zSchema,
        pM->st.iId, pM->zTgtSql, ACDC_HID_SHOWN, zJoin, zKey);
  }
  sqlite3_free(zVals);
  sqlite3_free(zJoin);
  sqlite3_free(zKey);
}

/* The set of columns in column iCol of a statement; NULL if memory is out. */
static const AcdcBits *walkMask(AcdcWalk *pW, sqlite3_stmt *pStmt, int iCol){
  int n = sqlite3_column_bytes(pStmt, iCol);
  AcdcBits *pB = acdcArenaAlloc(pW->in.m.p, &pW->arena, sizeof(*pB) + n + 1);
  if( pB==0 ) return 0;
  pB->nByte = n;
  pB->bRest = 0;
  pB->a = (u8*)&pB[1];
  if( n ) memcpy(pB->a, sqlite3_column_blob(pStmt, iCol), n);
  return pB;
}

/* SCD1 per column: the events that still count. */
static void walkEvents(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = acdcEventLook(pM, ACDC_LOOK_ALL, pW->aKey, 0);
  int iLastDelete = -1, i;
  while( pStmt ){
    int bDelete = sqlite3_column_int(pStmt, 1) & 1;
    AcdcKnown *pK = walkAdd(pW, bDelete ? "delete" : "upsert", 0);
    AcdcVal v;
    if( pK==0 ) break;
    acdcValColumn(&v, pStmt, 0);
    if( v.eType!=SQLITE_FLOAT || v.u.r>=-1.7e308 ){
      acdcValCopy(p, &pW->arena, &pK->seq, &v);
    }
    if( bDelete ){
      iLastDelete = pW->n-1;
    }else{
      AcdcVal *aVal = acdcArenaAlloc(p, &pW->arena,
                                     sizeof(AcdcVal)*(pM->nVal+1));
      if( aVal==0 || !acdcEventVals(pM, &pW->arena, pStmt, 3, aVal) ) break;
      pK->pMask = walkMask(pW, pStmt, 2);
      pK->aVal = aVal;
    }
    if( !acdcStep(p, pStmt) ) break;
  }
  if( pStmt ) sqlite3_reset(pStmt);
  for(i=iLastDelete+1; i<pW->n; i++) pW->a[i].bShown = 1;
}

/* Bitemporal: every event, with its values or those of the row it began. */
static void walkBitemporal(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  AcdcCtx *p = pM->p;
  AcdcVal v;
  int i;
  acdcArenaReset(&pW->arena);
  if( pW->pBit==0 ) walkPrepareBit(pW);
  for(i=0; i<pM->nKey && pW->pBit; i++){
    acdcValBind(pW->pBit, i+1, &pW->aKey[i]);
  }
  while( pW->pBit && acdcStep(p, pW->pBit) ){
    int eHid = sqlite3_column_int(pW->pBit, 0);
    AcdcKnown *pK = walkAdd(pW, eHid==ACDC_HID_DELETE ? "delete" : "upsert",
                            eHid==ACDC_HID_SHOWN);
    if( pK==0 ) break;
    acdcValColumn(&v, pW->pBit, 1);
    acdcValCopy(p, &pW->arena, &pK->seq, &v);
    acdcValColumn(&v, pW->pBit, 2);
    acdcValCopy(p, &pW->arena, &pK->sys, &v);
    if( eHid!=ACDC_HID_DELETE ){
      AcdcVal *aVal = acdcArenaAlloc(p, &pW->arena,
                                     sizeof(AcdcVal)*(pM->nVal+1));
      if( aVal==0 ) break;
      if( sqlite3_column_type(pW->pBit, 3)!=SQLITE_NULL ){
        pK->pMask = walkMask(pW, pW->pBit, 3);
      }
      pK->aVal = aVal;
      if( eHid==ACDC_HID_MEMBER ){
        if( !acdcEventVals(pM, &pW->arena, pW->pBit, 4, aVal) ) break;
      }else{
        for(i=0; i<pM->nVal; i++){
          acdcValColumn(&v, pW->pBit, 5+i);
          acdcValCopy(p, &pW->arena, &aVal[i], &v);
        }
      }
    }
  }
  if( pW->pBit ) acdcReset(p, pW->pBit);
}

/* SCD1: the deciding event, unless the events themselves are kept. */
static void walkCurrent(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  AcdcLast last;
  AcdcKnown *pK;
  int bKnown = 0;
  memset(&last, 0, sizeof(last));
  acdcArenaReset(&pW->arena);
  if( pM->st.bEvents ) walkEvents(pW);
  if( pW->n || pM->p->rc ) return;
  if( !pM->st.bSnapshot ){
    bKnown = acdcLastRead(pM, &pW->arena, pW->aKey, &last);
  }
  if( pM->p->rc ) return;
  if( last.bGone ){
    pK = walkAdd(pW, "delete", 0);
    if( pK ) pK->seq = last.gone.shown;
  }
  pK = walkAdd(pW, (last.eKind & 1) ? "delete":"upsert", (last.eKind & 1)==0);
  if( pK==0 ) return;
  if( bKnown ) pK->seq = last.seq.shown;
  if( (last.eKind & 1)==0 ){
    pK->aVal = walkRow(pW);
    pK->bShown = pK->aVal!=0;
    if( bKnown && last.eKind/2<pM->st.nGen ){
      pK->pMask = &pM->st.aGen[last.eKind/2];
    }
  }
}

/* To the next key that something is known of. */
static void walkKey(AcdcWalk *pW){
  AcdcMerge *pM = &pW->in.m;
  int i;
  pW->n = pW->i = 0;
  pW->bHead = 0;
  while( pW->n==0 && acdcStep(pM->p, pW->pKeys) ){
    for(i=0; i<pM->nKey; i++) acdcValColumn(&pW->aKey[i], pW->pKeys, i);
    if( pM->st.eScd==ACDC_BITEMPORAL ){
      walkBitemporal(pW);
    }else if( pM->st.eScd==ACDC_SCD1 ){
      walkCurrent(pW);
    }else{
      walkHistory(pW);
    }
    if( pM->p->rc ) pW->n = 0;
  }
}

/* A key of several columns is given as a JSON array. */
static void walkCheckKey(const AcdcMerge *pM, const AcdcVal *pKey){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "SELECT json_valid(?1) AND "
      "json_type(?1)='array' AND json_array_length(?1)=%d", pM->nKey);
  int bOk = 0;
  if( pStmt ) acdcValBind(pStmt, 1, pKey);
  if( pStmt && acdcStep(p, pStmt) ) bOk = sqlite3_column_int(pStmt, 0);
  acdcFinalize(p, &pStmt);
  if( !bOk ){
    acdcError(p, SQLITE_ERROR, "a key of target %s has %d columns: give it as a "
        "JSON array of %d values", pM->pFlow->zTarget, pM->nKey, pM->nKey);
  }
}

/* All keys of target and state, in order; or the one that pKey gives. */
static void walkPrepare(AcdcWalk *pW, const AcdcVal *pKey){
  AcdcMerge *pM = &pW->in.m;
  AcdcCtx *p = pM->p;
  char *zTgt = 0, *zState = 0, *zMatch = 0, *zAll = 0, *zOrder = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zTgt, "%s\"%w\" AS c%d", i ? "," : "", pM->aKey[i].zName,i);
    acdcAppendf(p, &zState, "%sk%d", i ? "," : "", i+1);
    acdcAppendf(p, &zOrder, "%s%d", i ? "," : "", i+1);
    if( pM->nKey==1 ){
      acdcAppendf(p, &zMatch, "c0 IS ?1");
    }else{
      acdcAppendf(p, &zMatch, "%sc%d IS json_extract(?1, '$[%d]')",
                  i ? " AND " : "", i, i);
    }
  }
  acdcAppendf(p, &zAll, "SELECT %s FROM %s", zTgt, pM->zTgtSql);
  if( pM->st.eScd==ACDC_SCD1 && !pM->st.bSnapshot ){
    acdcAppendf(p, &zAll, " UNION SELECT %s FROM \"%w\".autocdc_state_%lld",
                zState, pM->tgt.zSchema, pM->st.iId);
  }
  if( pM->st.bEvents ){
    acdcAppendf(p, &zAll, " UNION SELECT %s FROM \"%w\".autocdc_event_%lld",
                zState, pM->tgt.zSchema, pM->st.iId);
  }
  if( p->rc==0 ){
    pW->pKeys = acdcPrepare(p, 0, "SELECT DISTINCT * FROM (%s)%s%s ORDER BY %s",
        zAll, pKey ? " WHERE " : "", pKey ? zMatch : "",
        zOrder);
  }
  if( pKey && pW->pKeys ){
    acdcValBind(pW->pKeys, 1, pKey);
    if( pM->nKey>1 ) walkCheckKey(pM, pKey);
  }
  sqlite3_free(zTgt);
  sqlite3_free(zState);
  sqlite3_free(zMatch);
  sqlite3_free(zOrder);
  sqlite3_free(zAll);
}

void acdcWalkOpen(
  AcdcCtx *p, AcdcWalk *pW, const char *zSchema, const char *zName,
  const AcdcVal *pKey
){
  memset(pW, 0, sizeof(*pW));
  acdcInspectOpen(p, &pW->in, zSchema, zName, 1);
  acdcHistInit(&pW->hist, &pW->in.m);
  if( p->rc ) return;
  walkPrepare(pW, pKey);
  walkHead(pW);
  if( pW->n==0 && p->rc==0 ) walkKey(pW);
}

int acdcWalkEof(const AcdcWalk *pW){
  return pW->i>=pW->n;
}

void acdcWalkNext(AcdcWalk *pW){
  pW->i++;
  if( pW->i>=pW->n && pW->in.m.p->rc==0 ) walkKey(pW);
}

void acdcWalkClose(AcdcWalk *pW){
  AcdcCtx *p = pW->in.m.p;
  if( p ) acdcFinalize(p, &pW->pKeys);
  if( p ) acdcFinalize(p, &pW->pBit);
  acdcHistClear(&pW->hist);
  acdcInspectClose(&pW->in);
  acdcArenaFree(&pW->arena);
  sqlite3_free(pW->a);
  memset(pW, 0, sizeof(*pW));
}
