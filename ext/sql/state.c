/*
** What is remembered of a target:
**
**   autocdc_state(target [, key])      why a row looks as it does
**   autocdc_check(target)              what is broken; empty if all is well
**   autocdc_vacuum(target [, before])  forget what lies below a sequence
**
** Equivalent to
**
**   CREATE TABLE autocdc_state(key, sequence, kind, "values", shown, run,
**                              target HIDDEN, of_key HIDDEN,
**                              system_sequence HIDDEN)
**   CREATE TABLE autocdc_check(problem, key, sequence, detail, target HIDDEN)
*/
#include "sql.h"
#include "../run/run.h"
#include "../merge/inspect.h"

/* One of the two tables.  Static. */
typedef struct StateDef StateDef;
struct StateDef {
  const char *zName;
  const char *zDeclare;
  int iArg;              /* First argument's column */
  int nArg;
  u8 bCheck;
};

static const StateDef aStateDef[] = {
  { "autocdc_state", "CREATE TABLE x(key, sequence, kind, \"values\", shown, "
    "run, target HIDDEN, of_key HIDDEN, system_sequence HIDDEN)", 6, 2, 0 },
  { "autocdc_check", "CREATE TABLE x(problem, key, sequence, detail, "
    "target HIDDEN)", 4, 1, 1 },
};

typedef struct StateVtab StateVtab;
struct StateVtab {
  sqlite3_vtab base;
  sqlite3 *db;           /* Not owned */
  const StateDef *pDef;
};

typedef struct StateCursor StateCursor;
struct StateCursor {
  sqlite3_vtab_cursor base;
  AcdcCtx ctx;
  u8 bOpen;              /* walk or check is open */
  AcdcWalk walk;
  AcdcCheck check;
  i64 iRowid;
  sqlite3_value *apArg[2];           /* Owned */
};

static int stateConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  const StateDef *pDef = pAux;
  StateVtab *pNew;
  int rc = sqlite3_declare_vtab(db, pDef->zDeclare);
  ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  if( rc ) return rc;
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  pNew->pDef = pDef;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int stateDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int stateOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  StateCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  acdcCtxInit(&pCur->ctx, ((StateVtab*)pVtab)->db);
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static void stateReset(StateCursor *pCur){
  if( pCur->bOpen ){
    acdcWalkClose(&pCur->walk);
    acdcCheckClose(&pCur->check);
    pCur->bOpen = 0;
  }
  sqlite3_value_free(pCur->apArg[0]);
  sqlite3_value_free(pCur->apArg[1]);
  pCur->apArg[0] = pCur->apArg[1] = 0;
  acdcCtxClear(&pCur->ctx);
}

static int stateClose(sqlite3_vtab_cursor *pCursor){
  stateReset((StateCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

/* Hand the error of the cursor's context to SQLite. */
static int stateResult(StateCursor *pCur){
  StateVtab *pTab = (StateVtab*)pCur->base.pVtab;
  if( pCur->ctx.rc ){
    sqlite3_free(pTab->base.zErrMsg);
    pTab->base.zErrMsg = sqlite3_mprintf("%s(): %s", pTab->pDef->zName,
                                         acdcErrorText(&pCur->ctx));
  }
  return pCur->ctx.rc;
}

static int stateNext(sqlite3_vtab_cursor *pCursor){
  StateCursor *pCur = (StateCursor*)pCursor;
  pCur->iRowid++;
  if( ((StateVtab*)pCursor->pVtab)->pDef->bCheck ){
    acdcCheckNext(&pCur->check);
  }else{
    acdcWalkNext(&pCur->walk);
  }
  return stateResult(pCur);
}

static int stateEof(sqlite3_vtab_cursor *pCursor){
  StateCursor *pCur = (StateCursor*)pCursor;
  if( ((StateVtab*)pCursor->pVtab)->pDef->bCheck ) return pCur->check.bEof;
  return acdcWalkEof(&pCur->walk);
}

static void stateWalkColumn(
  StateCursor *pCur, sqlite3_context *pCtx, int iCol
){
  const AcdcWalk *pW = &pCur->walk;
  const AcdcMerge *pM = &pW->in.m;
  const AcdcKnown *pK = &pW->a[pW->i];
  switch( iCol ){
    case 0:
      if( !pW->bHead ) acdcInspectKey(pCtx, pW->aKey, pM->nKey);
      break;
    case 1: acdcInspectSeq(pCtx, &pM->st.kind, &pK->seq); break;
    case 2: sqlite3_result_text(pCtx, pK->zKind, -1, SQLITE_STATIC); break;
    case 3:
      if( pK->aVal ) acdcInspectVals(pCtx, pM, pK->aVal, pK->pMask);
      break;
    case 4: if( !pW->bHead ) sqlite3_result_int(pCtx, pK->bShown); break;
    case 5: acdcValResult(pCtx, &pK->run); break;
    case 8: acdcValResult(pCtx, &pK->sys); break;
  }
}

static void stateCheckColumn(
  StateCursor *pCur, sqlite3_context *pCtx, int iCol
){
  const AcdcCheck *pC = &pCur->check;
  const AcdcMerge *pM = &pC->in.m;
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcVal v;
  int i, bKey = 0;
  switch( iCol ){
    case 0:
      sqlite3_result_text(pCtx, pC->problems.az[pC->i], -1, SQLITE_TRANSIENT);
      break;
    case 1:
      for(i=0; i<pM->nKey; i++){
        acdcValColumn(&aKey[i], pC->pStmt, i);
        if( aKey[i].eType!=SQLITE_NULL ) bKey = 1;
      }
      if( bKey ) acdcInspectKey(pCtx, aKey, pM->nKey);
      break;
    case 2:
      acdcValColumn(&v, pC->pStmt, pM->nKey);
      acdcInspectSeq(pCtx, &pM->st.kind, &v);
      break;
    case 3:
      sqlite3_result_value(pCtx, sqlite3_column_value(pC->pStmt, pM->nKey+1));
      break;
  }
}

static int stateColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  StateCursor *pCur = (StateCursor*)pCursor;
  const StateDef *pDef = ((StateVtab*)pCursor->pVtab)->pDef;
  if( iCol>=pDef->iArg && iCol<pDef->iArg+pDef->nArg ){
    sqlite3_value *pArg = pCur->apArg[iCol-pDef->iArg];
    if( pArg ) sqlite3_result_value(pCtx, pArg);
  }else if( pDef->bCheck ){
    stateCheckColumn(pCur, pCtx, iCol);
  }else{
    stateWalkColumn(pCur, pCtx, iCol);
  }
  return SQLITE_OK;
}

static int stateRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  *piRowid = ((StateCursor*)pCursor)->iRowid;
  return SQLITE_OK;
}

/* idxNum: bit i is set if argument i is given. */
static int stateBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  const StateDef *pDef = ((StateVtab*)pVtab)->pDef;
  int iArg, i, n = 0;
  for(iArg=0; iArg<pDef->nArg; iArg++){
    for(i=0; i<pInfo->nConstraint; i++){
      if( pInfo->aConstraint[i].iColumn!=pDef->iArg+iArg
       || pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
      if( !pInfo->aConstraint[i].usable ) return SQLITE_CONSTRAINT;
      pInfo->aConstraintUsage[i].argvIndex = ++n;
      pInfo->aConstraintUsage[i].omit = 1;
      pInfo->idxNum |= 1<<iArg;
      break;
    }
  }
  pInfo->estimatedCost = n ? 1e6/n : 1e99;
  pInfo->estimatedRows = n>1 ? 10 : 100000;
  return SQLITE_OK;
}

static int stateFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  StateCursor *pCur = (StateCursor*)pCursor;
  const StateDef *pDef = ((StateVtab*)pCursor->pVtab)->pDef;
  AcdcCtx *p = &pCur->ctx;
  char *zSchema = 0, *zName = 0;
  const char *zTarget = 0;
  AcdcVal key;
  int i, n = 0;
  ACDC_UNUSED(idxStr);
  ACDC_UNUSED(argc);
  stateReset(pCur);
  for(i=0; i<2; i++){
    if( (idxNum & (1<<i))==0 ) continue;
    pCur->apArg[i] = sqlite3_value_dup(argv[n++]);
    if( pCur->apArg[i]==0 ) p->rc = SQLITE_NOMEM;
  }
  if( pCur->apArg[0] ){
    zTarget = (const char*)sqlite3_value_text(pCur->apArg[0]);
    if( zTarget==0 && sqlite3_value_type(pCur->apArg[0])!=SQLITE_NULL ){
      p->rc = SQLITE_NOMEM;
    }
  }
  if( zTarget==0 ){
    acdcError(p, SQLITE_ERROR, "it needs the name of a target: SELECT * FROM "
        "%s('customers')", pDef->zName);
  }else if( acdcFindTarget(p, zTarget, &zSchema, &zName) ){
    pCur->bOpen = 1;
    memset(&pCur->walk, 0, sizeof(pCur->walk));
    memset(&pCur->check, 0, sizeof(pCur->check));
    if( pDef->bCheck ){
      acdcCheckOpen(p, &pCur->check, zSchema, zName);
    }else{
      if( pCur->apArg[1] ) acdcValFrom(&key, pCur->apArg[1]);
      acdcWalkOpen(p, &pCur->walk, zSchema, zName, pCur->apArg[1] ? &key : 0);
    }
  }
  sqlite3_free(zSchema);
  sqlite3_free(zName);
  pCur->iRowid = 1;
  return stateResult(pCur);
}

static const sqlite3_module stateModule = {
  0,                         /* iVersion */
  0,                         /* xCreate */
  stateConnect,              /* xConnect */
  stateBestIndex,            /* xBestIndex */
  stateDisconnect,           /* xDisconnect */
  0,                         /* xDestroy */
  stateOpen,                 /* xOpen */
  stateClose,                /* xClose */
  stateFilter,               /* xFilter */
  stateNext,                 /* xNext */
  stateEof,                  /* xEof */
  stateColumn,               /* xColumn */
  stateRowid,                /* xRowid */
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

static void stateVacuum(sqlite3_context *pCtx, int n, sqlite3_value **ap){
  AcdcCtx ctx;
  char *z = 0;
  const char *zTarget = (const char*)sqlite3_value_text(ap[0]);
  acdcCtxInit(&ctx, sqlite3_context_db_handle(pCtx));
  if( zTarget==0 ){
    acdcError(&ctx, SQLITE_ERROR, "the target is NULL: give its name");
  }else if( n>1 && sqlite3_value_type(ap[1])==SQLITE_NULL ){
    acdcError(&ctx, SQLITE_ERROR, "the sequence is NULL: give one, or leave the "
        "argument out");
  }else{
    AcdcVal before;
    if( n>1 ) acdcValFrom(&before, ap[1]);
    z = acdcVacuumTarget(&ctx, zTarget, n>1 ? &before : 0);
  }
  if( ctx.rc ){
    char *zErr = sqlite3_mprintf("autocdc_vacuum(): %s", acdcErrorText(&ctx));
    sqlite3_free(z);
    if( zErr==0 ){
      sqlite3_result_error_nomem(pCtx);
    }else{
      sqlite3_result_error(pCtx, zErr, -1);
      sqlite3_result_error_code(pCtx, ctx.rc);
    }
    sqlite3_free(zErr);
  }else{
    sqlite3_result_text(pCtx, z, -1, sqlite3_free);
  }
  acdcCtxClear(&ctx);
}

int acdcStateRegister(sqlite3 *db){
  int i, rc = SQLITE_OK;
  for(i=1; i<=2 && rc==SQLITE_OK; i++){
    rc = sqlite3_create_function_v2(db, "autocdc_vacuum", i,
        SQLITE_UTF8|SQLITE_DIRECTONLY, 0, stateVacuum, 0, 0, 0);
  }
  for(i=0; i<2 && rc==SQLITE_OK; i++){
    rc = sqlite3_create_module(db, aStateDef[i].zName, &stateModule,
                               (void*)&aStateDef[i]);
  }
  return rc;
}
