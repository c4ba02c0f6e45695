/*
** Statements on a bitemporal target and its event table.  Parameters have
** fixed numbers: keys 1..nKey, then of the target start, end, system start,
** system end and the value columns; of the event table sequence, system
** sequence, kind, mask, values and both sequences as shown.
*/
#include "bitemporal.h"

enum {
  B_T_INSERT, B_T_FEED, B_T_UPDATE, B_T_DELETE,
  B_T_BEFORE,            /* row around ?1 just before system time ?3 */
  B_T_AT,                /* the same at it */
  B_T_ALL,               /* rows by their start, any; ... */
  B_T_ALL_L,             /* ... behind ?1 */
  B_T_ALL_R,             /* ... up to ?2 */
  B_T_ALL_LR,            /* ... both */
  B_T_ROW,               /* the row that starts at ?1 and ?3 */
  B_E_LAST,
  B_E_PREV, B_E_BEFORE,  /* last sequence before ?1; ... known before ?2 */
  B_E_NEXT, B_E_AFTER,   /* first behind ?1; ... known before ?2 */
  B_E_FULL,              /* the same, where nothing is inherited */
  B_E_FIRST,             /* the first system sequence at ?1 */
  B_E_ALL,               /* events: any; ... */
  B_E_ALL_L,             /* ... from ?1 */
  B_E_ALL_R,             /* ... up to ?2 */
  B_E_ALL_LR,            /* ... both */
  B_E_PUT, B_E_FEED, B_E_DELETE, B_E_VALUES,
  B_COUNT
};

#define STORE_ROWS   1024          /* rows that wait at most ... */
#define STORE_BYTES  (512*1024)    /* ... and copied bytes */
#define STORE_EVENT  7             /* Columns of an event but its keys */
#define STORE_LEFT   1             /* Limits of B_T_ALL and B_E_ALL */
#define STORE_RIGHT  2

struct AcdcBitStore {
  u8 bNative;            /* On both axes plain order of the target's columns is
                         ** sequence order.  Else all rows of a key are read */
  AcdcBitList all;       /* ... and kept here, AcdcBitRow */
  sqlite3_stmt *aStmt[B_COUNT];    /* Prepared when first used.  Owned */
  AcdcFeed tgt, event;   /* Rows that wait */
};

static const AcdcVal valNull = { SQLITE_NULL, 0, {0} };

AcdcBitStore *acdcBitStoreNew(AcdcMerge *pM){
  AcdcBitStore *pB = acdcMalloc(pM->p, sizeof(*pB));
  if( pB ){
    acdcFeedInit(&pB->tgt, pM->nKey + 4 + pM->nVal);
    acdcFeedInit(&pB->event, pM->nKey + STORE_EVENT);
    pB->bNative = acdcStartNative(pM, pM->iStart, &pM->st.kind)
               && acdcStartNative(pM, pM->iSysStart, &pM->st.sysKind);
  }
  return pB;
}

void acdcBitStoreFree(AcdcCtx *p, AcdcBitStore *pB){
  int i;
  if( pB==0 ) return;
  for(i=0; i<B_COUNT; i++) acdcFinalize(p, &pB->aStmt[i]);
  acdcFeedClear(&pB->tgt);
  acdcFeedClear(&pB->event);
  sqlite3_free(pB->all.ap);
  sqlite3_free(pB);
}

/* ---- SQL text ---- */

/* INSERT of all columns: of parameters, or of a feed's rows. */
static char *storeInsertSql(AcdcMerge *pM, int bFeed){
  AcdcCtx *p = pM->p;
  const char *zForm = bFeed ? "%sc%d" : "%s?%d";
  char *zCols = 0, *zVals = 0, *z;
  int i, iParam = bFeed ? 0 : 1;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zCols, "\"%w\",", pM->aKey[i].zName);
  }
  acdcAppendf(p, &zCols, "\"" ACDC_START "\",\"" ACDC_END "\",\"" ACDC_SYSSTART
                         "\",\"" ACDC_SYSEND "\"");
  for(i=0; i<pM->nKey+4; i++){
    acdcAppendf(p, &zVals, zForm, i ? "," : "", iParam+i);
  }
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt<0 ) continue;
    acdcAppendf(p, &zCols, ",\"%w\"", pM->aVal[i].zName);
    acdcAppendf(p, &zVals, zForm, ",", iParam+pM->nKey+4+i);
  }
  z = acdcMprintf(p, "INSERT INTO %s(%s) %s%s%s", pM->zTgtSql, zCols,
      bFeed ? "SELECT " : "VALUES(", zVals,
      bFeed ? " FROM " : ")");
  if( bFeed ){
    acdcAppendf(p, &z, "%s(?1)", acdcFeedModule(pM->nKey + 4 + pM->nVal));
  }
  sqlite3_free(zCols);
  sqlite3_free(zVals);
  return z;
}

static char *storeUpdateSql(AcdcMerge *pM, const char *zWhere){
  AcdcCtx *p = pM->p;
  int n = pM->nKey, i;
  char *z = acdcMprintf(p, "UPDATE %s SET \"" ACDC_END "\"=?%d, \"" ACDC_SYSEND
                        "\"=?%d", pM->zTgtSql, n+2, n+4);
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt<0 ) continue;
    acdcAppendf(p, &z, ",\"%w\"=?%d", pM->aVal[i].zName, n+5+i);
  }
  acdcAppendf(p, &z, " WHERE %s AND \"" ACDC_START "\"=?%d AND \""
              ACDC_SYSSTART "\"=?%d", zWhere, n+1, n+3);
  return z;
}

/* Look-ups of target rows; all but B_T_ALL need native order. */
static char *storeLookSql(AcdcMerge *pM, int iStmt, const char *zWhere){
  AcdcCtx *p = pM->p;
  int n = pM->nKey, i;
  char *z = acdcMprintf(p, "SELECT \"" ACDC_START "\",\"" ACDC_END "\",\""
                        ACDC_SYSSTART "\",\"" ACDC_SYSEND "\"");
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt>=0 ){
      acdcAppendf(p, &z, ",\"%w\"", pM->aVal[i].zName);
    }else{
      acdcAppendf(p, &z, ",NULL");
    }
  }
  acdcAppendf(p, &z, " FROM %s WHERE %s", pM->zTgtSql, zWhere);
  switch( iStmt ){
    case B_T_BEFORE:
    case B_T_AT:
      acdcAppendf(p, &z, " AND \"" ACDC_START "\"<=?%d AND \"" ACDC_SYSSTART
          "\"%s?%d AND (\"" ACDC_SYSEND "\" IS NULL OR \"" ACDC_SYSEND
          "\"%s?%d) ORDER BY \"" ACDC_START "\" DESC LIMIT 1", n+1,
          iStmt==B_T_AT ? "<=" : "<", n+3, iStmt==B_T_AT ? ">" : ">=", n+3);
      break;
    case B_T_ROW:
      acdcAppendf(p, &z, " AND \"" ACDC_START "\"=?%d AND \"" ACDC_SYSSTART
                  "\"=?%d", n+1, n+3);
      break;
    default:
      if( (iStmt-B_T_ALL) & STORE_LEFT ){
        acdcAppendf(p, &z, " AND \"" ACDC_START "\">?%d", n+1);
      }
      if( (iStmt-B_T_ALL) & STORE_RIGHT ){
        acdcAppendf(p, &z, " AND \"" ACDC_START "\"<=?%d", n+2);
      }
      break;
  }
  return z;
}

static char *storeEventSql(AcdcMerge *pM, int iStmt, const char *zWhere){
  AcdcCtx *p = pM->p;
  int n = pM->nKey, i, bFeed = iStmt==B_E_FEED;
  char *zTab = acdcMprintf(p, "\"%w\".autocdc_event_%lld", pM->tgt.zSchema,
                           pM->st.iId);
  char *z = 0;
  if( p->rc==0 ) switch( iStmt ){
    case B_E_LAST:
      z = acdcMprintf(p, "SELECT seq, shown FROM %s WHERE %s "
                      "ORDER BY seq DESC LIMIT 1", zTab, zWhere);
      break;
    case B_E_PREV:
    case B_E_BEFORE:
      z = acdcMprintf(p, "SELECT seq, shown FROM %s WHERE %s AND seq<?%d", zTab,
                      zWhere, n+1);
      if( iStmt==B_E_BEFORE ) acdcAppendf(p, &z, " AND sys<?%d", n+2);
      acdcAppendf(p, &z, " ORDER BY seq DESC LIMIT 1");
      break;
    case B_E_NEXT:
    case B_E_AFTER:
    case B_E_FULL:
      z = acdcMprintf(p, "SELECT seq, shown FROM %s AS e WHERE %s AND seq>?%d",
                      zTab, zWhere, n+1);
      if( iStmt!=B_E_NEXT ) acdcAppendf(p, &z, " AND sys<?%d", n+2);
      if( iStmt==B_E_FULL ){
        acdcAppendf(p, &z, " AND NOT EXISTS(SELECT 1 FROM %s WHERE %s AND "
            "seq=e.seq AND mask IS NOT NULL)", zTab, zWhere);
      }
      acdcAppendf(p, &z, " ORDER BY seq LIMIT 1");
      break;
    case B_E_FIRST:
      z = acdcMprintf(p, "SELECT sys, sysshown FROM %s WHERE %s AND seq=?%d "
                      "ORDER BY sys LIMIT 1", zTab, zWhere, n+1);
      break;
    case B_E_ALL: case B_E_ALL_L: case B_E_ALL_R: case B_E_ALL_LR:
      z = acdcMprintf(p, "SELECT seq, sys, kind, mask, vals, shown, sysshown "
          "FROM %s WHERE %s", zTab, zWhere);
      i = iStmt - B_E_ALL;
      if( i & STORE_LEFT ) acdcAppendf(p, &z, " AND seq>=?%d", n+1);
      if( i & STORE_RIGHT ) acdcAppendf(p, &z, " AND seq<=?%d", n+2);
      acdcAppendf(p, &z, " ORDER BY seq, sys");
      break;
    case B_E_VALUES:
      z = acdcMprintf(p, "UPDATE %s SET kind=%d, vals=?%d WHERE %s AND seq=?%d "
          "AND sys=?%d AND kind=%d", zTab, ACDC_HID_MEMBER, n+3, zWhere, n+1,
          n+2, ACDC_HID_SHOWN);
      break;
    case B_E_DELETE:
      z = acdcMprintf(p, "DELETE FROM %s WHERE %s AND seq=?%d AND sys=?%d",
                      zTab, zWhere, n+1, n+2);
      break;
    default:
      z = acdcMprintf(p, "INSERT%s INTO %s(",
                      pM->pFlow->bNullKeysMatch ? "" : " OR REPLACE", zTab);
      for(i=0; i<n; i++) acdcAppendf(p, &z, "k%d,", i+1);
      acdcAppendf(p, &z, "seq,sys,kind,mask,vals,shown,sysshown) %s",
                  bFeed ? "SELECT " : "VALUES(");
      for(i=0; i<n+STORE_EVENT; i++){
        acdcAppendf(p, &z, bFeed ? "%sc%d" : "%s?%d", i ? "," : "",
                    bFeed ? i : i+1);
      }
      if( bFeed ){
        acdcAppendf(p, &z, " FROM %s(?1)", acdcFeedModule(n+STORE_EVENT));
      }else{
        acdcAppendf(p, &z, ")");
      }
      break;
  }
  sqlite3_free(zTab);
  return z;
}

static sqlite3_stmt *storeStmt(AcdcMerge *pM, AcdcBitStore *pB, int iStmt){
  AcdcCtx *p = pM->p;
  char *zWhere, *z;
  if( p->rc ) return 0;
  if( pB->aStmt[iStmt] ) return pB->aStmt[iStmt];
  zWhere = acdcKeyMatch(pM, iStmt>=B_E_LAST);
  switch( iStmt ){
    case B_T_INSERT:
    case B_T_FEED:
      z = storeInsertSql(pM, iStmt==B_T_FEED);
      break;
    case B_T_UPDATE:
      z = storeUpdateSql(pM, zWhere);
      break;
    case B_T_DELETE:
      z = acdcMprintf(p, "DELETE FROM %s WHERE %s AND \"" ACDC_START "\"=?%d "
          "AND \"" ACDC_SYSSTART "\"=?%d", pM->zTgtSql, zWhere, pM->nKey+1,
          pM->nKey+3);
      break;
    default:
      z = iStmt<B_E_LAST ? storeLookSql(pM, iStmt, zWhere)
                         : storeEventSql(pM, iStmt, zWhere);
      break;
  }
  if( z && p->rc==0 ){
    pB->aStmt[iStmt] = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "%s", z);
  }
  sqlite3_free(z);
  sqlite3_free(zWhere);
  return pB->aStmt[iStmt];
}

/* ---- reading ---- */

static void storeBind(
  AcdcBitWin *pW, sqlite3_stmt *pStmt, const AcdcVal *p1, const AcdcVal *p2,
  const AcdcVal *p3
){
  int i, n = pW->pM->nKey;
  for(i=0; i<n; i++) acdcValBind(pStmt, i+1, &pW->aKey[i]);
  if( p1 ) acdcValBind(pStmt, n+1, p1);
  if( p2 ) acdcValBind(pStmt, n+2, p2);
  if( p3 ) acdcValBind(pStmt, n+3, p3);
}

/* A sequence of the event table, iCol its state form and iShown the other. */
static void storeSeq(
  AcdcBitWin *pW, const AcdcSeqKind *pKind, sqlite3_stmt *pStmt, int iCol,
  int iShown, AcdcSeq *pOut
){
  AcdcCtx *p = pW->pM->p;
  AcdcVal v, state, shown;
  acdcValColumn(&v, pStmt, iCol);
  acdcValCopy(p, &pW->arena, &state, &v);
  acdcValColumn(&v, pStmt, iShown);
  acdcValCopy(p, &pW->arena, &shown, &v);
  acdcSeqFromState(p, pKind, &state, shown.eType==SQLITE_NULL ? 0 : &shown,
                   &pW->arena, pOut);
}

/* Step a look-up of one sequence of that kind. */
static int storeSeqLook(
  AcdcBitWin *pW, const AcdcSeqKind *pKind, sqlite3_stmt *pStmt, AcdcSeq *pOut
){
  int bFound = acdcStep(pW->pM->p, pStmt);
  if( bFound ) storeSeq(pW, pKind, pStmt, 0, 1, pOut);
  sqlite3_reset(pStmt);
  return bFound && pW->pM->p->rc==0;
}

int acdcBitLast(AcdcBitWin *pW, AcdcBitStore *pB, AcdcSeq *pOut){
  sqlite3_stmt *pStmt = storeStmt(pW->pM, pB, B_E_LAST);
  if( pStmt==0 ) return 0;
  storeBind(pW, pStmt, 0, 0, 0);
  return storeSeqLook(pW, &pW->pM->st.kind, pStmt, pOut);
}

/* One look-up from *pSeq; pSys: for something known before it. */
static int storeNear(
  AcdcBitWin *pW, AcdcBitStore *pB, int iStmt, const AcdcSeq *pSeq,
  const AcdcSeq *pSys, AcdcSeq *pOut
){
  AcdcMerge *pM = pW->pM;
  sqlite3_stmt *pStmt = storeStmt(pM, pB, iStmt);
  AcdcVal seq = valNull, sys = valNull;
  if( pStmt==0 ) return 0;
  acdcSeqToState(pM->p, &pM->st.kind, pSeq, &pW->arena, &seq);
  if( pSys ){
    acdcSeqToState(pM->p, &pM->st.sysKind, pSys, &pW->arena, &sys);
  }
  storeBind(pW, pStmt, &seq, pSys ? &sys : 0, 0);
  return storeSeqLook(pW, iStmt==B_E_FIRST ? &pM->st.sysKind : &pM->st.kind,
                      pStmt, pOut);
}

/*
** The nearest sequence known at all is a bound if it was known before sysMin,
** or if nothing farther away was known before it was.  Else the search goes on
** with what was.
*/
static int storeBound(
  AcdcBitWin *pW, AcdcBitStore *pB, int iAny, int iKnown, const AcdcSeq *pSeq,
  const AcdcSeq *pNear, AcdcSeq *pOut
){
  AcdcSeq sys, next;
  int bFound = 1, bAny;
  if( pNear ){
    next = *pNear;
  }else{
    bFound = storeNear(pW, pB, iAny, pSeq, 0, &next);
  }
  bAny = bFound;
  while( bFound ){
    *pOut = next;
    if( !storeNear(pW, pB, B_E_FIRST, pOut, 0, &sys) ) return 0;
    if( acdcBitSysCmp(pW, &sys, &pW->sysMin)<0 ) break;
    bFound = storeNear(pW, pB, iKnown, pOut, &sys, &next);
  }
  return bAny && pW->pM->p->rc==0;
}

int acdcBitBefore(
  AcdcBitWin *pW, AcdcBitStore *pB, const AcdcSeq *pSeq, const AcdcSeq *pNear,
  AcdcSeq *pOut
){
  return storeBound(pW, pB, B_E_PREV, B_E_BEFORE, pSeq, pNear, pOut);
}

int acdcBitAfter(
  AcdcBitWin *pW, AcdcBitStore *pB, const AcdcSeq *pSeq, AcdcSeq *pOut
){
  if( pW->pM->bPartial ){
    return storeNear(pW, pB, B_E_FULL, pSeq, &pW->sysMin, pOut);
  }
  return storeBound(pW, pB, B_E_NEXT, B_E_AFTER, pSeq, 0, pOut);
}

/* An end of either axis; returns 0 if it is NULL. */
static u8 storeEnd(
  AcdcBitWin *pW, AcdcSeqKind *pKind, sqlite3_stmt *pStmt, int iCol,
  AcdcVal *pRaw, AcdcSeq *pOut
){
  AcdcCtx *p = pW->pM->p;
  AcdcVal v;
  acdcValColumn(&v, pStmt, iCol);
  if( v.eType==SQLITE_NULL ) return 0;
  acdcValCopy(p, &pW->arena, pRaw, &v);
  acdcSeqReadShown(p, pKind, pRaw, &pW->arena, pOut);
  return p->rc==0;
}

static AcdcBitRow *storeRow(AcdcBitWin *pW, sqlite3_stmt *pStmt){
  AcdcMerge *pM = pW->pM;
  AcdcCtx *p = pM->p;
  AcdcBitRow *pR = acdcArenaAlloc(p, &pW->arena, sizeof(*pR));
  AcdcVal *aVal = acdcArenaAlloc(p, &pW->arena, sizeof(AcdcVal)*(pM->nVal+1));
  AcdcVal v, raw;
  int i;
  if( p->rc ) return 0;
  memset(pR, 0, sizeof(*pR));
  if( !storeEnd(pW, &pM->st.kind, pStmt, 0, &pR->rawStart, &pR->start)
   || !storeEnd(pW, &pM->st.sysKind, pStmt, 2, &pR->rawSys, &pR->sys)
  ){
    acdcBitDamaged(pM);
    return 0;
  }
  pR->bEnd = storeEnd(pW, &pM->st.kind, pStmt, 1, &raw, &pR->end);
  pR->bSysEnd = storeEnd(pW, &pM->st.sysKind, pStmt, 3, &raw, &pR->sysEnd);
  for(i=0; i<pM->nVal; i++){
    acdcValColumn(&v, pStmt, i+4);
    acdcValCopy(p, &pW->arena, &aVal[i], &v);
  }
  pR->aVal = aVal;
  return p->rc ? 0 : pR;
}

/* Read all rows of a statement into a list. */
static void storeRows(AcdcBitWin *pW, sqlite3_stmt *pStmt, AcdcBitList *pL){
  AcdcCtx *p = pW->pM->p;
  if( pStmt==0 ) return;
  while( acdcStep(p, pStmt) ){
    AcdcBitRow *pR = storeRow(pW, pStmt);
    if( pR ) acdcBitListAdd(p, pL, pR);
  }
  sqlite3_reset(pStmt);
}

/* ---- the rows of a window ---- */

static int storeLimits(const AcdcBitWin *pW){
  return (pW->bLeft ? STORE_LEFT : 0) | (pW->bRight ? STORE_RIGHT : 0);
}

static int storeCovers(
  const AcdcBitWin *pW, const AcdcBitRow *pR, const AcdcSeq *pSeq
){
  return acdcBitCmp(pW, &pR->start, pSeq)<=0
      && (!pR->bEnd || acdcBitCmp(pW, &pR->end, pSeq)>0);
}

/*
** The next system sequence at which the left bound has a row again, behind a
** delete that stands at *pSys (bBefore: just before it).
*/
static int storeLeftNext(const AcdcBitWin *pW, int bBefore, AcdcSeq *pSys){
  int i;
  for(i=0; i<pW->ev.n; i++){
    const AcdcBitEvent *pE = pW->ev.ap[i];
    int c;
    if( acdcBitCmp(pW, &pE->ev.seq, &pW->left)!=0 ) break;
    c = acdcBitSysCmp(pW, &pE->sys, pSys);
    if( pE->ev.eKind==ACDC_UPSERT && (c>0 || (c==0 && bBefore)) ){
      *pSys = pE->sys;
      return 1;
    }
  }
  return 0;
}

/* Rows around the left bound, one system time after the other. */
static void storeLeftRows(AcdcBitWin *pW, AcdcBitStore *pB){
  AcdcMerge *pM = pW->pM;
  AcdcSeq sys = pW->sysMin;
  int iStmt = B_T_BEFORE;
  while( pM->p->rc==0 ){
    sqlite3_stmt *pStmt = storeStmt(pM, pB, iStmt);
    AcdcBitRow *pR = 0;
    if( pStmt==0 ) return;
    storeBind(pW, pStmt, &pW->left.shown, 0, &sys.shown);
    if( acdcStep(pM->p, pStmt) ) pR = storeRow(pW, pStmt);
    sqlite3_reset(pStmt);
    if( pR && storeCovers(pW, pR, &pW->left) ){
      acdcBitListAdd(pM->p, &pW->old, pR);
      if( !pR->bSysEnd ) return;
      sys = pR->sysEnd;
    }else if( !storeLeftNext(pW, iStmt==B_T_BEFORE, &sys) ){
      return;
    }
    iStmt = B_T_AT;
  }
}

/* Is an old row of any concern to the window? */
static int storeInWindow(const AcdcBitWin *pW, const AcdcBitRow *pR){
  if( pR->bSysEnd && acdcBitSysCmp(pW, &pR->sysEnd, &pW->sysMin)<0 ) return 0;
  if( pW->bRight && acdcBitCmp(pW, &pR->start, &pW->right)>0 ) return 0;
  return !pW->bLeft || acdcBitCmp(pW, &pR->start, &pW->left)>0
      || storeCovers(pW, pR, &pW->left);
}

static void storeLoadRows(AcdcBitWin *pW, AcdcBitStore *pB){
  AcdcMerge *pM = pW->pM;
  sqlite3_stmt *pStmt;
  int i;
  if( !pB->bNative ){
    pB->all.n = 0;
    pStmt = storeStmt(pM, pB, B_T_ALL);
    if( pStmt ) storeBind(pW, pStmt, 0, 0, 0);
    storeRows(pW, pStmt, &pB->all);
    for(i=0; i<pB->all.n; i++){
      if( storeInWindow(pW, pB->all.ap[i]) ){
        acdcBitListAdd(pM->p, &pW->old, pB->all.ap[i]);
      }
    }
  }else{
    int j = 0;
    pStmt = pW->bTail ? 0 : storeStmt(pM, pB, B_T_ALL + storeLimits(pW));
    if( pStmt ){
      storeBind(pW, pStmt, pW->bLeft ? &pW->left.shown : 0,
                pW->bRight ? &pW->right.shown : 0, 0);
    }
    storeRows(pW, pStmt, &pW->old);
    for(i=0; i<pW->old.n; i++){
      if( storeInWindow(pW, pW->old.ap[i]) ) pW->old.ap[j++] = pW->old.ap[i];
    }
    pW->old.n = j;
    if( pW->bLeft ) storeLeftRows(pW, pB);
  }
  acdcBitListSort(pM->p, &pW->old, pW, acdcBitRowCmp);
}

/* The values of a known event that the target shows. */
static void storeShownVals(
  AcdcBitWin *pW, AcdcBitStore *pB, AcdcBitEvent *pE
){
  AcdcMerge *pM = pW->pM;
  const AcdcBitRow *pR = acdcBitOldRow(pW, &pE->ev.seq, &pE->sys);
  int i;
  for(i=0; pR==0 && !pB->bNative && i<pB->all.n; i++){
    const AcdcBitRow *pX = pB->all.ap[i];
    if( acdcBitCmp(pW, &pX->start, &pE->ev.seq)==0
     && acdcBitSysCmp(pW, &pX->sys, &pE->sys)==0
    ){
      pR = pX;
    }
  }
  if( pR==0 && pB->bNative ){
    sqlite3_stmt *pStmt = storeStmt(pM, pB, B_T_ROW);
    if( pStmt==0 ) return;
    storeBind(pW, pStmt, &pE->ev.seq.shown, 0, &pE->sys.shown);
    if( acdcStep(pM->p, pStmt) ) pR = storeRow(pW, pStmt);
    sqlite3_reset(pStmt);
  }
  if( pR==0 ){
    acdcBitDamaged(pM);
  }else{
    pE->ev.aVal = (AcdcVal*)pR->aVal;      /* read only */
  }
}

/* ---- the events of a window ---- */

static AcdcBitEvent *storeEvent(AcdcBitWin *pW, sqlite3_stmt *pStmt){
  AcdcMerge *pM = pW->pM;
  AcdcCtx *p = pM->p;
  AcdcArena *pA = &pW->arena;
  AcdcBitEvent *pE = acdcArenaAlloc(p, pA, sizeof(*pE));
  int eKind;
  if( pE==0 ) return 0;
  memset(pE, 0, sizeof(*pE));
  storeSeq(pW, &pM->st.kind, pStmt, 0, 5, &pE->ev.seq);
  storeSeq(pW, &pM->st.sysKind, pStmt, 1, 6, &pE->sys);
  eKind = sqlite3_column_int(pStmt, 2);
  if( eKind<ACDC_HID_MEMBER || eKind>ACDC_HID_SHOWN ) acdcBitDamaged(pM);
  pE->eWas = (u8)eKind;
  pE->ev.bOld = 1;
  pE->ev.eKind = pE->eWas==ACDC_HID_DELETE ? ACDC_DELETE : ACDC_UPSERT;
  pE->ev.mask = pM->allMask;
  if( sqlite3_column_type(pStmt, 3)==SQLITE_BLOB ){
    int n = sqlite3_column_bytes(pStmt, 3);
    pE->ev.mask.nByte = n;
    pE->ev.mask.a = acdcArenaAlloc(p, pA, n+1);
    if( pE->ev.mask.a && n ){
      memcpy(pE->ev.mask.a, sqlite3_column_blob(pStmt, 3), n);
    }
  }
  if( pE->eWas==ACDC_HID_MEMBER ){
    pE->ev.aVal = acdcArenaAlloc(p, pA, sizeof(AcdcVal)*(pM->nVal+1));
    if( pE->ev.aVal ) acdcEventVals(pM, pA, pStmt, 4, pE->ev.aVal);
  }
  return p->rc ? 0 : pE;
}

static void storeLoadEvents(AcdcBitWin *pW, AcdcBitStore *pB){
  AcdcMerge *pM = pW->pM;
  sqlite3_stmt *pStmt = storeStmt(pM, pB, B_E_ALL + storeLimits(pW));
  AcdcVal left, right;
  if( pStmt==0 ) return;
  if( pW->bLeft ){
    acdcSeqToState(pM->p, &pM->st.kind, &pW->left, &pW->arena, &left);
  }
  if( pW->bRight ){
    acdcSeqToState(pM->p, &pM->st.kind, &pW->right, &pW->arena, &right);
  }
  storeBind(pW, pStmt, pW->bLeft ? &left : 0, pW->bRight ? &right : 0, 0);
  while( acdcStep(pM->p, pStmt) ){
    AcdcBitEvent *pE = storeEvent(pW, pStmt);
    AcdcBitEvent *pPrev = pW->ev.n ? pW->ev.ap[pW->ev.n-1] : 0;
    if( pE==0 ) break;
    if( pPrev && !pM->bPartial
     && acdcBitCmp(pW, &pPrev->ev.seq, &pE->ev.seq)==0
     && acdcBitSysCmp(pW, &pE->sys, &pW->sysMin)<0
    ){
      pW->ev.n--;                       /* corrected before the window */
    }
    acdcBitListAdd(pM->p, &pW->ev, pE);
  }
  sqlite3_reset(pStmt);
}

void acdcBitLoad(AcdcBitWin *pW, AcdcBitStore *pB){
  int i;
  storeLoadEvents(pW, pB);
  if( pW->pM->p->rc==0 ) storeLoadRows(pW, pB);
  for(i=0; i<pW->ev.n && pW->pM->p->rc==0; i++){
    AcdcBitEvent *pE = pW->ev.ap[i];
    if( pE->eWas==ACDC_HID_SHOWN ) storeShownVals(pW, pB, pE);
  }
}

/* ---- writing ---- */

static int storeRun(AcdcBitWin *pW, sqlite3_stmt *pStmt){
  AcdcMerge *pM = pW->pM;
  int rc = sqlite3_step(pStmt), n = 0;
  if( rc==SQLITE_ROW || rc==SQLITE_DONE ){
    n = sqlite3_changes(pM->p->db);
  }else{
    char *z;
    int rcWas;
    acdcErrorDb(pM->p, rc, 0);
    rcWas = pM->p->rc;
    pM->p->rc = SQLITE_OK;
    z = acdcKeyText(pM, pW->aKey);
    pM->p->rc = rcWas;
    acdcErrorWhere(pM->p, "target %s, key %s", pM->pFlow->zTarget, z ? z : "?");
    sqlite3_free(z);
  }
  sqlite3_reset(pStmt);
  return n;
}

static void storeFeed(
  AcdcMerge *pM, AcdcBitStore *pB, AcdcFeed *pF, int iStmt
){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  if( pF->nRow==0 ) return;
  pStmt = storeStmt(pM, pB, iStmt);
  if( pStmt ){
    int rc;
    acdcFeedBind(pStmt, 1, pF);
    rc = sqlite3_step(pStmt);
    if( rc!=SQLITE_DONE && rc!=SQLITE_ROW ){
      acdcErrorDb(p, rc, 0);
      acdcErrorWhere(p, "target %s", pM->pFlow->zTarget);
    }
    sqlite3_reset(pStmt);
    sqlite3_bind_null(pStmt, 1);
  }
  acdcFeedReset(pF);
}

void acdcBitStoreFlush(AcdcMerge *pM, AcdcBitStore *pB){
  if( pB==0 ) return;
  storeFeed(pM, pB, &pB->tgt, B_T_FEED);
  storeFeed(pM, pB, &pB->event, B_E_FEED);
}

static void storeKeep(AcdcMerge *pM, AcdcFeed *pF, AcdcVal *pTo,
                      const AcdcVal *pFrom){
  acdcValCopy(pM->p, &pF->arena, pTo, pFrom);
  if( pFrom->eType==SQLITE_TEXT || pFrom->eType==SQLITE_BLOB ){
    pF->nByte += pFrom->n;
  }
}

static void storeFlushFull(AcdcMerge *pM, AcdcBitStore *pB, AcdcFeed *pF){
  if( pF->nRow>=STORE_ROWS || pF->nByte>=STORE_BYTES ){
    acdcBitStoreFlush(pM, pB);
  }
}

/* A user's column of numeric type would turn big integers into REAL. */
static void storeCheck(
  AcdcMerge *pM, int iCol, const AcdcSeqKind *pKind, const AcdcVal *pV
){
  if( iCol>=0 && pV->eType==SQLITE_TEXT && pM->tgt.aCol[iCol].cAff>='C'
   && pKind->nPart==1 && pKind->aClass[0]==ACDC_SEQ_NUMBER
  ){
    char *z = acdcValText(pM->p, pV);
    acdcError(pM->p, SQLITE_ERROR, "target %s declares %s as %s, which cannot "
        "hold %s: declare it without a type", pM->pFlow->zTarget,
        pM->tgt.aCol[iCol].zName, pM->tgt.aCol[iCol].zType, z);
    sqlite3_free(z);
  }
}

/* The four sequences of a row as they are shown. */
static void storeEdges(AcdcMerge *pM, const AcdcBitRow *pR, AcdcVal *a){
  a[0] = pR->start.shown;
  a[1] = pR->bEnd ? pR->end.shown : valNull;
  a[2] = pR->sys.shown;
  a[3] = pR->bSysEnd ? pR->sysEnd.shown : valNull;
  storeCheck(pM, pM->iStart, &pM->st.kind, &a[0]);
  storeCheck(pM, pM->iEnd, &pM->st.kind, &a[1]);
  storeCheck(pM, pM->iSysStart, &pM->st.sysKind, &a[2]);
  storeCheck(pM, pM->iSysEnd, &pM->st.sysKind, &a[3]);
}

static void storeBindVals(
  AcdcMerge *pM, sqlite3_stmt *pStmt, const AcdcVal *aVal
){
  int i;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt>=0 ) acdcValBind(pStmt, pM->nKey+5+i, &aVal[i]);
  }
}

void acdcBitInsert(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitRow *pRow){
  AcdcMerge *pM = pW->pM;
  AcdcVal aEdge[4], *aTo;
  int i;
  storeEdges(pM, pRow, aEdge);
  if( pM->bRowMode ){
    sqlite3_stmt *pStmt = storeStmt(pM, pB, B_T_INSERT);
    if( pStmt==0 ) return;
    storeBind(pW, pStmt, &aEdge[0], &aEdge[1], &aEdge[2]);
    acdcValBind(pStmt, pM->nKey+4, &aEdge[3]);
    storeBindVals(pM, pStmt, pRow->aVal);
    storeRun(pW, pStmt);
    return;
  }
  aTo = acdcFeedAdd(pM->p, &pB->tgt);
  if( aTo==0 ) return;
  for(i=0; i<pM->nKey; i++) storeKeep(pM, &pB->tgt, aTo++, &pW->aKey[i]);
  for(i=0; i<4; i++) storeKeep(pM, &pB->tgt, aTo++, &aEdge[i]);
  for(i=0; i<pM->nVal; i++) storeKeep(pM, &pB->tgt, aTo++, &pRow->aVal[i]);
  storeFlushFull(pM, pB, &pB->tgt);
}

void acdcBitUpdate(
  AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitRow *pOld,
  const AcdcBitRow *pNew
){
  AcdcMerge *pM = pW->pM;
  sqlite3_stmt *pStmt = storeStmt(pM, pB, B_T_UPDATE);
  AcdcVal aEdge[4];
  if( pStmt==0 ) return;
  storeEdges(pM, pNew, aEdge);
  storeBind(pW, pStmt, &pOld->rawStart, &aEdge[1], &pOld->rawSys);
  acdcValBind(pStmt, pM->nKey+4, &aEdge[3]);
  storeBindVals(pM, pStmt, pNew->aVal);
  if( pM->p->rc==0 ) storeRun(pW, pStmt);
}

void acdcBitDelete(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitRow *pOld){
  sqlite3_stmt *pStmt = storeStmt(pW->pM, pB, B_T_DELETE);
  if( pStmt==0 ) return;
  storeBind(pW, pStmt, &pOld->rawStart, 0, &pOld->rawSys);
  storeRun(pW, pStmt);
}

/* The values of an event as one BLOB, in the window's arena. */
static void storeVals(AcdcBitWin *pW, const AcdcVal *aVal, AcdcVal *pOut){
  AcdcMerge *pM = pW->pM;
  int i, n = 0;
  u8 *a;
  for(i=0; i<pM->nVal; i++) n += acdcRecSize(&aVal[i]);
  pOut->u.z = a = acdcArenaAlloc(pM->p, &pW->arena, n+1);
  if( a==0 ) return;
  for(i=0; i<pM->nVal; i++) a = acdcRecPut(a, &aVal[i]);
  pOut->eType = SQLITE_BLOB;
  pOut->n = n;
}

/* Does an upsert author every column? */
static int storeFull(const AcdcMerge *pM, const AcdcBits *pB){
  int i;
  for(i=0; i<pM->allMask.nByte; i++){
    u8 m = i<pB->nByte ? pB->a[i] : 0;
    if( (m & pM->allMask.a[i])!=pM->allMask.a[i] ) return 0;
  }
  return 1;
}

void acdcBitEventValues(
  AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitRow *pOld
){
  AcdcMerge *pM = pW->pM;
  sqlite3_stmt *pStmt = storeStmt(pM, pB, B_E_VALUES);
  AcdcVal seq = valNull, sys = valNull, vals = valNull;
  if( pStmt==0 ) return;
  acdcSeqToState(pM->p, &pM->st.kind, &pOld->start, &pW->arena, &seq);
  acdcSeqToState(pM->p, &pM->st.sysKind, &pOld->sys, &pW->arena, &sys);
  storeVals(pW, pOld->aVal, &vals);
  storeBind(pW, pStmt, &seq, &sys, &vals);
  if( pM->p->rc==0 ) storeRun(pW, pStmt);
}

void acdcBitEventPut(
  AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitEvent *pE
){
  AcdcMerge *pM = pW->pM;
  AcdcVal a[STORE_EVENT];
  sqlite3_stmt *pStmt;
  int i;
  pM->st.bHidden = 1;
  for(i=0; i<STORE_EVENT; i++) a[i] = valNull;
  acdcSeqToState(pM->p, &pM->st.kind, &pE->ev.seq, &pW->arena, &a[0]);
  acdcSeqToState(pM->p, &pM->st.sysKind, &pE->sys, &pW->arena, &a[1]);
  a[2].eType = SQLITE_INTEGER;
  a[2].u.i = pE->eForm;
  if( pE->eForm!=ACDC_HID_DELETE && pM->bPartial
   && !storeFull(pM, &pE->ev.mask)
  ){
    a[3].eType = SQLITE_BLOB;
    a[3].n = pE->ev.mask.nByte;
    a[3].u.z = pE->ev.mask.a;
  }
  if( pE->eForm==ACDC_HID_MEMBER ) storeVals(pW, pE->ev.aVal, &a[4]);
  if( a[0].eType==SQLITE_BLOB ) a[5] = pE->ev.seq.shown;
  if( a[1].eType==SQLITE_BLOB ) a[6] = pE->sys.shown;
  if( pM->p->rc ) return;
  if( !pM->bRowMode ){
    AcdcVal *aTo = acdcFeedAdd(pM->p, &pB->event);
    if( aTo==0 ) return;
    for(i=0; i<pM->nKey; i++) storeKeep(pM, &pB->event, aTo++, &pW->aKey[i]);
    for(i=0; i<STORE_EVENT; i++) storeKeep(pM, &pB->event, aTo++, &a[i]);
    storeFlushFull(pM, pB, &pB->event);
    return;
  }
  if( pM->pFlow->bNullKeysMatch ){      /* no unique key to replace by */
    pStmt = storeStmt(pM, pB, B_E_DELETE);
    if( pStmt==0 ) return;
    storeBind(pW, pStmt, &a[0], &a[1], 0);
    storeRun(pW, pStmt);
  }
  pStmt = storeStmt(pM, pB, B_E_PUT);
  if( pStmt==0 ) return;
  storeBind(pW, pStmt, 0, 0, 0);
  for(i=0; i<STORE_EVENT; i++) acdcValBind(pStmt, pM->nKey+1+i, &a[i]);
  storeRun(pW, pStmt);
}
