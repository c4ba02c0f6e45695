/*
** Cursors of scd2 tables: a prepared SELECT on the table of rows each, kept
** from one xFilter to the next, so that the inner loop of a join binds and
** steps only.
*/
#include "scd2.h"

#define CURSOR_MAXARG 80

typedef struct ReadCursor ReadCursor;
struct ReadCursor {
  sqlite3_vtab_cursor base;
  sqlite3_stmt *pStmt;   /* Owned */
  char *zPlan;           /* What it was made for.  Owned ... */
  u8 bNative;            /* ... and how sequences are compared */
  u8 bLast;              /* acdcScd2PlanIsLast() */
  u8 bEof;
  u8 bBound;             /* Parameters hold copies */
  int nArg;
  char aArg[CURSOR_MAXARG];  /* First letters of the words with arguments */
  int *aMap;             /* Columns of the statement.  Owned */
  AcdcVal aHidden[ACDC_SCD2_EVENT];  /* Arguments, for xColumn */
  AcdcArena arena;       /* Their bytes, and those of sequences */
};

int acdcScd2Open(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ReadCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

int acdcScd2Close(sqlite3_vtab_cursor *pCursor){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  sqlite3_finalize(pCur->pStmt);
  sqlite3_free(pCur->zPlan);
  sqlite3_free(pCur->aMap);
  acdcArenaFree(&pCur->arena);
  sqlite3_free(pCur);
  return SQLITE_OK;
}

/* ---- what the catalog says ---- */

u32 acdcScd2DataVersion(AcdcScd2 *pTab){
  u32 i = 0;
  sqlite3_file_control(pTab->db, pTab->zSchema, SQLITE_FCNTL_DATA_VERSION, &i);
  return i;
}

/* A table that no flow has fed: the class of its first start. */
static void stateFromRows(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcArena arena;
  AcdcSeq seq;
  sqlite3_stmt *pStmt;
  memset(&arena, 0, sizeof(arena));
  pTab->kind.nPart = 1;
  pStmt = acdcPrepare(p, 0, "SELECT \"%w\" FROM %s WHERE \"%w\" IS NOT NULL "
      "LIMIT 1", ACDC_START, pTab->zRowsSql, ACDC_START);
  if( acdcStep(p, pStmt) ){
    AcdcVal v;
    acdcValColumn(&v, pStmt, 0);
    acdcSeqReadShown(p, &pTab->kind, &v, &arena, &seq);
  }
  acdcFinalize(p, &pStmt);
  acdcArenaFree(&arena);
}

/*
** The kind of the sequence.  It can change with any write to the file; as long
** as neither the file nor what this connection has written is another, the
** catalog need not be asked.
*/
void acdcScd2State(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  i64 nChange = sqlite3_total_changes64(pTab->db);
  u32 iVersion = acdcScd2DataVersion(pTab);
  if( pTab->bState && pTab->nChange==nChange && pTab->iDataVersion==iVersion ){
    return;
  }
  pTab->bKnown = 0;
  memset(&pTab->kind, 0, sizeof(pTab->kind));
  if( pTab->pState==0 && acdcStateHasCatalog(p, pTab->zSchema) ){
    pTab->pState = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "SELECT sequence "
        "FROM \"%w\".autocdc_targets WHERE target=%Q", pTab->zSchema,
        pTab->zRows);
  }
  if( pTab->pState ){
    if( acdcStep(p, pTab->pState) ){
      acdcSeqKindParse(p, (const char*)sqlite3_column_text(pTab->pState, 0),
                       &pTab->kind);
      pTab->bKnown = 1;
    }
    acdcReset(p, pTab->pState);
  }
  if( !pTab->bKnown && p->rc==0 ) stateFromRows(pTab);
  pTab->bState = p->rc==0;
  pTab->nChange = nChange;
  pTab->iDataVersion = iVersion;
}

/* Does plain order of __START_AT and __END_AT do for values of that kind? */
static int cursorNative(const AcdcScd2 *pTab, const AcdcSeqKind *pKind){
  int i;
  if( !pTab->bKnown || !acdcSeqNative(pKind) ) return 0;
  for(i=0; i<2; i++){
    const AcdcColumn *pC = &pTab->rows.aCol[i ? pTab->iEnd : pTab->iStart];
    if( pC->zColl && sqlite3_stricmp(pC->zColl, "BINARY") ) return 0;
    if( pKind->aClass[0]==ACDC_SEQ_NUMBER && pC->cAff=='B' ) return 0;
  }
  return 1;
}

/* ---- xFilter ---- */

static void cursorReset(ReadCursor *pCur){
  if( pCur->pStmt ) sqlite3_reset(pCur->pStmt);
}

/* Take over a plan: the letters of its arguments. */
static void cursorPlan(AcdcScd2 *pTab, ReadCursor *pCur, const char *zPlan){
  const char *z = zPlan;
  sqlite3_finalize(pCur->pStmt);
  pCur->pStmt = 0;
  sqlite3_free(pCur->zPlan);
  pCur->zPlan = acdcStrdup(&pTab->ctx, zPlan);
  pCur->nArg = 0;
  while( *z ){
    if( strchr("KRAFTSC", *z) && pCur->nArg<CURSOR_MAXARG ){
      pCur->aArg[pCur->nArg++] = *z;
    }
    while( *z && *z!=' ' ) z++;
    if( *z ) z++;
  }
}

static void cursorPrepare(AcdcScd2 *pTab, ReadCursor *pCur, int bNative){
  AcdcCtx *p = &pTab->ctx;
  char *zSql;
  if( pCur->pStmt && pCur->bNative==bNative ) return;
  sqlite3_finalize(pCur->pStmt);
  pCur->pStmt = 0;
  if( pCur->aMap==0 ){
    pCur->aMap = acdcMalloc(p, sizeof(int)*(pTab->rows.nCol+2));
    if( pCur->aMap==0 ) return;
  }
  zSql = acdcScd2PlanSql(pTab, pCur->zPlan, bNative, pCur->aMap);
  pCur->pStmt = acdcPrepare(p, 0, "%s", zSql);
  pCur->bNative = (u8)bNative;
  pCur->bLast = (u8)acdcScd2PlanIsLast(pTab, pCur->zPlan, bNative);
  sqlite3_free(zSql);
}

static int cursorKind(char c){
  return c=='A' ? ACDC_SCD2_AS_OF : c=='F' ? ACDC_SCD2_FROM
       : c=='T' ? ACDC_SCD2_TO : c=='S' ? ACDC_SCD2_SYSTEM
       : ACDC_SCD2_CURRENT;
}

/*
** An argument that is a sequence: error if it is of another class, else *pOut
** as rows show it.  *pbNative is cleared if it is written in another form.
*/
static void cursorSequence(
  AcdcScd2 *pTab, ReadCursor *pCur, int eKind, sqlite3_value *pV,
  AcdcSeq *pOut, int *pbNative
){
  AcdcCtx *p = &pTab->ctx;
  AcdcSeqKind kind = pTab->kind;
  AcdcVal v, copy;
  acdcValFrom(&v, pV);
  acdcValCopy(p, &pCur->arena, &copy, &v);
  memset(pOut, 0, sizeof(*pOut));
  pOut->shown = copy;
  if( eKind==ACDC_SCD2_SYSTEM ) return;
  acdcSeqReadShown(p, &kind, &copy, &pCur->arena, pOut);
  if( p->rc==SQLITE_ERROR ){
    char *z;
    acdcCtxClear(p);
    z = acdcValText(p, &v);
    acdcError(p, SQLITE_MISMATCH, "%s is compared with sequences, which are of "
        "class %s here, and %s is none of them",
        pTab->aCol[pTab->aiArg[eKind]].zName,
        kind.nPart>1 ? "composite (a JSON array)"
                     : acdcSeqClassName(kind.aClass[0]), z ? z : "it");
    sqlite3_free(z);
  }
  if( *pbNative ) *pbNative = cursorNative(pTab, &kind);
}

static int cursorKnown(const AcdcSeqKind *pKind){
  return pKind->nPart>0 && pKind->aClass[0]!=ACDC_SEQ_UNKNOWN;
}

/* Read the arguments.  Returns 0 if they leave no row. */
static int cursorArguments(
  AcdcScd2 *pTab, ReadCursor *pCur, sqlite3_value **argv, AcdcSeq *aSeq,
  int *pbNative
){
  AcdcSeq from, to;
  int i, bFrom = 0, bTo = 0;
  for(i=0; i<pCur->nArg && pTab->ctx.rc==0; i++){
    int eKind;
    if( sqlite3_value_type(argv[i])==SQLITE_NULL ) return 0;
    if( pCur->aArg[i]=='K' || pCur->aArg[i]=='R' ) continue;
    eKind = cursorKind(pCur->aArg[i]);
    if( eKind==ACDC_SCD2_CURRENT ){
      acdcValFrom(&pCur->aHidden[eKind], argv[i]);
      acdcValCopy(&pTab->ctx, &pCur->arena, &pCur->aHidden[eKind],
                  &pCur->aHidden[eKind]);
      continue;
    }
    if( pTab->kind.nPart==1 && pTab->kind.aClass[0]==ACDC_SEQ_NUMBER
     && sqlite3_value_type(argv[i])==SQLITE_INTEGER
    ){
      memset(aSeq, 0, sizeof(*aSeq));
      aSeq->isInt = 1;
      aSeq->iOrd = sqlite3_value_int64(argv[i]);
      aSeq->shown.eType = SQLITE_INTEGER;
      aSeq->shown.u.i = aSeq->iOrd;
      pCur->aHidden[eKind] = aSeq->shown;
    }else{
      if( eKind!=ACDC_SCD2_SYSTEM && !cursorKnown(&pTab->kind) ) return 0;
      cursorSequence(pTab, pCur, eKind, argv[i], aSeq, pbNative);
      acdcValFrom(&pCur->aHidden[eKind], argv[i]);
      acdcValCopy(&pTab->ctx, &pCur->arena, &pCur->aHidden[eKind],
                  &pCur->aHidden[eKind]);
    }
    if( eKind==ACDC_SCD2_FROM ){ from = *aSeq; bFrom = 1; }
    if( eKind==ACDC_SCD2_TO ){ to = *aSeq; bTo = 1; }
    aSeq++;
  }
  if( bFrom && bTo && pTab->ctx.rc==0
   && acdcSeqCmp(&pTab->kind, &from, &to)>=0 ) return 0;
  return 1;
}

/*
** Bind.  Values of a statement that takes one step need not be copied: they
** live as long as xFilter does.
*/
static void cursorBind(
  ReadCursor *pCur, sqlite3_value **argv, const AcdcSeq *aSeq
){
  int i;
  for(i=0; i<pCur->nArg; i++){
    char c = pCur->aArg[i];
    AcdcVal v;
    if( c!='K' && c!='R' && c!='C' ){
      acdcValBind(pCur->pStmt, i+1, &aSeq->shown);
      aSeq++;
    }else if( pCur->bLast ){
      acdcValFrom(&v, argv[i]);
      acdcValBind(pCur->pStmt, i+1, &v);
    }else{
      sqlite3_bind_value(pCur->pStmt, i+1, argv[i]);
    }
  }
}

/* Has the version at hand ended by then? */
static int cursorEnded(AcdcScd2 *pTab, ReadCursor *pCur, const AcdcSeq *pSeq){
  int iRes = pCur->aMap[pTab->iEnd];
  AcdcVal v;
  AcdcSeq end;
  acdcValColumn(&v, pCur->pStmt, iRes);
  if( v.eType==SQLITE_NULL ) return 0;
  if( v.eType==SQLITE_INTEGER && pSeq->isInt
   && pTab->kind.aClass[0]==ACDC_SEQ_NUMBER
  ){
    return v.u.i<=pSeq->iOrd;
  }
  acdcSeqReadShown(&pTab->ctx, &pTab->kind, &v, &pCur->arena, &end);
  return pTab->ctx.rc==0 && acdcSeqCmp(&pTab->kind, &end, pSeq)<=0;
}

static void cursorStep(AcdcScd2 *pTab, ReadCursor *pCur){
  pCur->bEof = !acdcStep(&pTab->ctx, pCur->pStmt);
  if( pCur->bEof ) cursorReset(pCur);
}

/* The question of acdcScd2Flow(). */
static int cursorAsk(
  AcdcScd2 *pTab, const char *idxStr, int argc, sqlite3_value **argv
){
  AcdcScd2Ask *pAsk;
  int i;
  if( argc!=1 || idxStr==0 || idxStr[0]!='A' ) return 0;
  pAsk = sqlite3_value_pointer(argv[0], ACDC_SCD2_POINTER);
  if( pAsk==0 ) return 0;
  acdcScd2Trust(pTab);
  if( pTab->ctx.rc==0 && pTab->flow.eSource!=ACDC_SOURCE_NONE ){
    acdcScd2TrustSource(pTab);
  }
  if( pTab->zWrong ){
    acdcError(&pTab->ctx, SQLITE_ERROR, "%s", pTab->zWrong);
  }
  if( pTab->ctx.rc==0 ) acdcFlowCopy(pAsk->p, pAsk->pFlow, &pTab->flow);
  for(i=0; i<pTab->cols.nCol; i++){
    acdcNamesAdd(pAsk->p, &pAsk->cols, pTab->cols.aCol[i].zName, -1);
  }
  return 1;
}

int acdcScd2Filter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  AcdcSeq aSeq[8];
  int bNative, i;
  ACDC_UNUSED(idxNum);
  pCur->bEof = 1;
  cursorReset(pCur);
  if( pTab->ctx.rc ) acdcCtxClear(&pTab->ctx);
  if( argc==1 && sqlite3_value_type(argv[0])==SQLITE_NULL
   && cursorAsk(pTab, idxStr, argc, argv)
  ){
    return acdcScd2Error(pTab);
  }
  if( pTab->zWrong ) acdcError(&pTab->ctx, SQLITE_ERROR, "%s", pTab->zWrong);
  if( acdcPushWaits(pTab->pPush) ) acdcScd2Flush(pTab);
  acdcScd2State(pTab);
  if( pCur->zPlan==0 || strcmp(pCur->zPlan, idxStr)!=0 ){
    cursorPlan(pTab, pCur, idxStr);
  }
  if( pCur->arena.nTotal ) acdcArenaReset(&pCur->arena);
  for(i=0; i<ACDC_SCD2_EVENT; i++) pCur->aHidden[i].eType = SQLITE_NULL;
  bNative = cursorNative(pTab, &pTab->kind);
  if( pTab->ctx.rc==0
   && cursorArguments(pTab, pCur, argv, aSeq, &bNative)
  ){
    cursorPrepare(pTab, pCur, bNative);
    if( pTab->ctx.rc==0 ){
      cursorBind(pCur, argv, aSeq);
      cursorStep(pTab, pCur);
      if( pCur->bLast && !pCur->bEof && cursorEnded(pTab, pCur, &aSeq[0]) ){
        pCur->bEof = 1;
        cursorReset(pCur);
      }
    }
  }
  return pTab->ctx.rc ? acdcScd2Error(pTab) : SQLITE_OK;
}

int acdcScd2Next(sqlite3_vtab_cursor *pCursor){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  if( pCur->bLast ){
    pCur->bEof = 1;
    cursorReset(pCur);
    return SQLITE_OK;
  }
  cursorStep(pTab, pCur);
  return pTab->ctx.rc ? acdcScd2Error(pTab) : SQLITE_OK;
}

int acdcScd2Eof(sqlite3_vtab_cursor *pCursor){
  return ((ReadCursor*)pCursor)->bEof;
}

int acdcScd2Column(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  const AcdcScd2Col *pC = &pTab->aCol[iCol];
  int i = pC->i;
  switch( pC->eKind ){
    case ACDC_SCD2_ROW:
      if( pCur->aMap[i]<0 ) break;
      sqlite3_result_value(pCtx, sqlite3_column_value(pCur->pStmt,
                                                      pCur->aMap[i]));
      break;
    case ACDC_SCD2_CURRENT:
      i = pCur->aMap[pTab->iEnd];
      sqlite3_result_int(pCtx,
          sqlite3_column_type(pCur->pStmt, i)==SQLITE_NULL);
      break;
    case ACDC_SCD2_VERSION:
      i = pCur->aMap[pTab->rows.nCol];
      if( i>=0 ){
        sqlite3_result_int64(pCtx, sqlite3_column_int64(pCur->pStmt, i));
      }
      break;
    case ACDC_SCD2_EVENT:
      break;
    default:
      acdcValResult(pCtx, &pCur->aHidden[pC->eKind]);
      break;
  }
  return SQLITE_OK;
}

static u64 cursorHash(u64 h, const void *pData, int n){
  const u8 *a = pData;
  int i;
  for(i=0; i<n; i++) h = (h ^ a[i]) * (((u64)0x100<<32) | 0x1b3);
  return h ^ (h>>29);
}

/*
** The rowid of the row; where there is none a hash of what identifies it.
** SQLite needs it to tell rows apart that an OR finds twice.
*/
int acdcScd2Rowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  u64 h = ((u64)0xcbf29ce4<<32) | 0x84222325;
  int i, iRes = pCur->aMap[pTab->rows.nCol+1];
  if( iRes>=0 ){
    *piRowid = sqlite3_column_int64(pCur->pStmt, iRes);
    return SQLITE_OK;
  }
  for(i=0; i<pTab->nKey+2; i++){
    int iCol = i<pTab->nKey ? pTab->aKey[i]
             : i==pTab->nKey ? pTab->iStart : pTab->iSysStart;
    AcdcVal v;
    if( iCol<0 ) continue;
    acdcValColumn(&v, pCur->pStmt, pCur->aMap[iCol]);
    h = cursorHash(h, &v.eType, 1);
    if( v.eType==SQLITE_INTEGER || v.eType==SQLITE_FLOAT ){
      h = cursorHash(h, &v.u, 8);
    }else if( v.eType!=SQLITE_NULL ){
      h = cursorHash(h, &v.n, sizeof(v.n));
      h = cursorHash(h, v.u.z, v.n);
    }
  }
  *piRowid = (i64)(h>>1);
  return SQLITE_OK;
}
