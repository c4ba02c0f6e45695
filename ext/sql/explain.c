/*
** autocdc_explain([flow]): the steps that a run would take, in order, with the
** SQL that each reads by.  Nothing is written.  Equivalent to
**
**   CREATE TABLE autocdc_explain(
**     step, spec, flow, target, kind, depends_on, reads, sql, note,
**     name HIDDEN)
*/
#include "specsql.h"
#include "../run/plan.h"

#define EXPLAIN_STEP    0
#define EXPLAIN_SPEC    1
#define EXPLAIN_FLOW    2
#define EXPLAIN_TARGET  3
#define EXPLAIN_KIND    4
#define EXPLAIN_DEPENDS 5
#define EXPLAIN_READS   6
#define EXPLAIN_SQL     7
#define EXPLAIN_NOTE    8
#define EXPLAIN_NAME    9
#define EXPLAIN_NCOL    9

typedef struct ExplainRow ExplainRow;
struct ExplainRow {
  int iStep;
  char *az[EXPLAIN_NCOL];    /* Texts of the columns.  Owned */
};

typedef struct ExplainVtab ExplainVtab;
struct ExplainVtab {
  sqlite3_vtab base;
  sqlite3 *db;               /* Not owned */
};

typedef struct ExplainCursor ExplainCursor;
struct ExplainCursor {
  sqlite3_vtab_cursor base;
  int n;
  ExplainRow *a;             /* Owned */
  int i;
  sqlite3_value *pName;      /* The argument, for xColumn.  Owned */
};

static int explainConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  ExplainVtab *pNew;
  int rc;
  ACDC_UNUSED(pAux); ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  rc = sqlite3_declare_vtab(db, "CREATE TABLE x(step, spec, flow, target, kind, "
      "depends_on, reads, sql, note, name HIDDEN)");
  if( rc ) return rc;
  /* It looks at files. */
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int explainDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int explainOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ExplainCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static void explainReset(ExplainCursor *pCur){
  int i, k;
  for(i=0; i<pCur->n; i++){
    for(k=0; k<EXPLAIN_NCOL; k++) sqlite3_free(pCur->a[i].az[k]);
  }
  sqlite3_free(pCur->a);
  sqlite3_value_free(pCur->pName);
  pCur->a = 0;
  pCur->pName = 0;
  pCur->n = pCur->i = 0;
}

static int explainClose(sqlite3_vtab_cursor *pCursor){
  explainReset((ExplainCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int explainNext(sqlite3_vtab_cursor *pCursor){
  ((ExplainCursor*)pCursor)->i++;
  return SQLITE_OK;
}

static int explainEof(sqlite3_vtab_cursor *pCursor){
  ExplainCursor *pCur = (ExplainCursor*)pCursor;
  return pCur->i>=pCur->n;
}

static int explainRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *pRowid){
  *pRowid = ((ExplainCursor*)pCursor)->i + 1;
  return SQLITE_OK;
}

static int explainColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol
){
  ExplainCursor *pCur = (ExplainCursor*)pCursor;
  const ExplainRow *pRow = &pCur->a[pCur->i];
  if( iCol==EXPLAIN_STEP ){
    sqlite3_result_int(ctx, pRow->iStep);
  }else if( iCol==EXPLAIN_NAME ){
    if( pCur->pName ) sqlite3_result_value(ctx, pCur->pName);
  }else if( pRow->az[iCol] ){
    sqlite3_result_text(ctx, pRow->az[iCol], -1, SQLITE_TRANSIENT);
  }
  return SQLITE_OK;
}

/* What a plan would read, or why it cannot be made yet. */
static void explainPlan(
  AcdcPipeline *pPipe, AcdcPipeStep *pS, const AcdcInput *pIn, ExplainRow *pRow
){
  AcdcCtx *p = pPipe->p;
  AcdcCtx sub;
  AcdcPlan plan;
  AcdcCtx *pSaved = pPipe->p;
  acdcCtxInit(&sub, p->db);
  pPipe->p = &sub;
  acdcPlanInit(&plan, pPipe, pS, pIn && pIn->zName ? pIn->zName : pS->zName);
  plan.bDry = 1;
  if( pS->pStep->zSql || pS->pStep->zSqlPath ){
    acdcPlanQuery(&plan, pS->pStep->zSql, pS->pStep->zSqlPath,
                  pS->pStep->eKind==ACDC_STEP_BATCHSQL ? pIn : 0);
  }else if( pIn ){
    acdcPlanInput(&plan, pIn, pIn->bOnce || pS->pStep->eKind==ACDC_STEP_MV);
  }
  pPipe->p = pSaved;
  pRow->az[EXPLAIN_READS] = acdcNamesText(p, &plan.deps);
  if( sub.rc==SQLITE_OK ){
    pRow->az[EXPLAIN_SQL] = acdcPlanSql(&plan);
  }else{
    pRow->az[EXPLAIN_NOTE] = acdcStrdup(p, plan.bEmpty
        ? "no files to read yet" : acdcErrorText(&sub));
  }
  acdcCtxClear(&sub);
  acdcPlanClear(&plan);
}

static void explainRow(
  AcdcPipeline *pPipe, ExplainCursor *pCur, int iStep, AcdcPipeStep *pS,
  const AcdcInput *pIn
){
  static const char *const azKind[] = {
    "", "append", "merge", "snapshot", "snapshots", "materialized_view",
    "batch_sql"
  };
  AcdcCtx *p = pPipe->p;
  ExplainRow *aNew, *pRow;
  int i;
  aNew = acdcRealloc(p, pCur->a, (pCur->n+1)*(i64)sizeof(*aNew));
  if( aNew==0 ) return;
  pCur->a = aNew;
  pRow = &aNew[pCur->n++];
  memset(pRow, 0, sizeof(*pRow));
  pRow->iStep = iStep;
  pRow->az[EXPLAIN_SPEC] = acdcStrdup(p, pS->pOwner->zName);
  pRow->az[EXPLAIN_FLOW] = acdcStrdup(p, pIn && pIn->zName ? pIn->zName
                                                           : pS->zName);
  pRow->az[EXPLAIN_TARGET] = acdcMprintf(p, "%s.%s", pS->zSchema, pS->zName);
  pRow->az[EXPLAIN_KIND] = acdcMprintf(p, "%s%s", azKind[pS->pStep->eKind],
      pS->pStep->eKind<ACDC_STEP_MERGE || pS->pStep->eKind>ACDC_STEP_VERSIONS
      ? "" : pS->pStep->flow.eScd==ACDC_SCD2 ? " scd2" : " scd1");
  for(i=0; i<pS->nDep; i++){
    acdcAppendf(p, &pRow->az[EXPLAIN_DEPENDS], "%s%s", i ? ", " : "",
                pPipe->aStep[pS->aDep[i]].zName);
  }
  if( pS->pStep->eKind==ACDC_STEP_VERSIONS ){
    pRow->az[EXPLAIN_READS] = acdcStrdup(p, pS->pStep->versions.bFiles
        ? pS->pStep->versions.zPath : pS->pStep->versions.table.zName);
  }else{
    explainPlan(pPipe, pS, pIn, pRow);
  }
}

static int explainFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ExplainCursor *pCur = (ExplainCursor*)pCursor;
  ExplainVtab *pVtab = (ExplainVtab*)pCursor->pVtab;
  const char *zName = 0;
  AcdcPipeline pipe;
  AcdcCtx ctx;
  int i, n = 0, rc;
  ACDC_UNUSED(idxStr); ACDC_UNUSED(argc);
  explainReset(pCur);
  acdcCtxInit(&ctx, pVtab->db);
  if( idxNum ){
    pCur->pName = sqlite3_value_dup(argv[0]);
    zName = (const char*)sqlite3_value_text(argv[0]);
    if( zName==0 ){
      acdcError(&ctx, SQLITE_ERROR, "the flow is NULL: name one, or leave it "
                "out for all");
    }
  }
  if( zName && zName[strspn(zName, " \t\r\n")]=='{' ){
    acdcError(&ctx, SQLITE_ERROR, "an inline flow has one step, the merge of its "
        "source: this is for flows of specs that are loaded; apply_changes() "
        "with the option {\"dry_run\": true} shows what it would do");
  }
  acdcPipelineOpen(&ctx, 0, &pipe);
  acdcPipelineChoose(&pipe, zName);
  for(i=0; i<pipe.nStep && ctx.rc==SQLITE_OK; i++){
    AcdcPipeStep *pS = &pipe.aStep[pipe.aOrder[i]];
    const AcdcInput *pIn;
    if( !pS->bRun || !pS->pStep->bEnabled ) continue;
    n++;
    if( pS->pStep->pInput==0 ) explainRow(&pipe, pCur, n, pS, 0);
    for(pIn=pS->pStep->pInput; pIn; pIn=pIn->pNext){
      if( pIn->bEnabled ) explainRow(&pipe, pCur, n, pS, pIn);
    }
  }
  acdcPipelineClose(&pipe);
  rc = ctx.rc;
  if( rc && rc!=SQLITE_NOMEM ){
    sqlite3_free(pVtab->base.zErrMsg);
    pVtab->base.zErrMsg = sqlite3_mprintf("autocdc_explain(): %s",
                                          acdcErrorText(&ctx));
  }
  acdcCtxClear(&ctx);
  return rc;
}

static int explainBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  ACDC_UNUSED(pVtab);
  pInfo->estimatedCost = 1000;
  pInfo->estimatedRows = 10;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn!=EXPLAIN_NAME
     || pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
    if( !pInfo->aConstraint[i].usable ) return SQLITE_CONSTRAINT;
    pInfo->idxNum = 1;
    pInfo->aConstraintUsage[i].argvIndex = 1;
    pInfo->aConstraintUsage[i].omit = 1;
    break;
  }
  return SQLITE_OK;
}

static const sqlite3_module explainModule = {
  0,                     /* iVersion */
  0,                     /* xCreate: eponymous only */
  explainConnect,
  explainBestIndex,
  explainDisconnect,
  explainDisconnect,
  explainOpen,
  explainClose,
  explainFilter,
  explainNext,
  explainEof,
  explainColumn,
  explainRowid,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcExplainRegister(sqlite3 *db){
  return sqlite3_create_module_v2(db, "autocdc_explain", &explainModule, 0, 0);
}
