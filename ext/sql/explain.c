/*
** autocdc_explain([flow]): the steps that a run would take, in order, with the
** SQL that each reads by.  Nothing is written.  Equivalent to
**
**   CREATE TABLE autocdc_explain(
**     step, spec, flow, target, kind, depends_on, reads, sql, note,
**     name HIDDEN)
*/
#include "specsql.h"
#include "tabfunc.h"
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

/* The steps of a call. */
typedef struct Explain Explain;
struct Explain {
  int n;
  ExplainRow *a;             /* Owned */
};

static void explainClear(void *pData){
  Explain *pE = pData;
  int i, k;
  for(i=0; i<pE->n; i++){
    for(k=0; k<EXPLAIN_NCOL; k++) sqlite3_free(pE->a[i].az[k]);
  }
  sqlite3_free(pE->a);
}

static void explainColumn(
  sqlite3_context *ctx, const void *pData, int iRow, int iCol
){
  const ExplainRow *pRow = &((const Explain*)pData)->a[iRow];
  if( iCol==EXPLAIN_STEP ){
    sqlite3_result_int(ctx, pRow->iStep);
  }else if( pRow->az[iCol] ){
    sqlite3_result_text(ctx, pRow->az[iCol], -1, SQLITE_TRANSIENT);
  }
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
  AcdcPipeline *pPipe, Explain *pE, int iStep, AcdcPipeStep *pS,
  const AcdcInput *pIn
){
  static const char *const azKind[] = {
    "", "append", "merge", "snapshot", "snapshots", "materialized_view",
    "batch_sql"
  };
  AcdcCtx *p = pPipe->p;
  ExplainRow *aNew, *pRow;
  int i;
  aNew = acdcRealloc(p, pE->a, (pE->n+1)*(i64)sizeof(*aNew));
  if( aNew==0 ) return;
  pE->a = aNew;
  pRow = &aNew[pE->n++];
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

static int explainRun(
  AcdcCtx *p, const AcdcTabFunc *pF, sqlite3_value **apArg, void *pData
){
  Explain *pE = pData;
  const char *zName = 0;
  AcdcPipeline pipe;
  int i, n = 0;
  ACDC_UNUSED(pF);
  if( apArg[0] ){
    zName = (const char*)sqlite3_value_text(apArg[0]);
    if( zName==0 ){
      acdcError(p, SQLITE_ERROR, "the flow is NULL: name one, or leave it "
                "out for all");
    }
  }
  if( zName && zName[strspn(zName, " \t\r\n")]=='{' ){
    acdcError(p, SQLITE_ERROR, "an inline flow has one step, the merge of its "
        "source: this is for flows of specs that are loaded; apply_changes() "
        "with the option {\"dry_run\": true} shows what it would do");
  }
  acdcPipelineOpen(p, 0, &pipe);
  acdcPipelineChoose(&pipe, zName);
  for(i=0; i<pipe.nStep && p->rc==SQLITE_OK; i++){
    AcdcPipeStep *pS = &pipe.aStep[pipe.aOrder[i]];
    const AcdcInput *pIn;
    if( !pS->bRun || !pS->pStep->bEnabled ) continue;
    n++;
    if( pS->pStep->pInput==0 ) explainRow(&pipe, pE, n, pS, 0);
    for(pIn=pS->pStep->pInput; pIn; pIn=pIn->pNext){
      if( pIn->bEnabled ) explainRow(&pipe, pE, n, pS, pIn);
    }
  }
  acdcPipelineClose(&pipe);
  return pE->n;
}

int acdcExplainRegister(sqlite3 *db){
  static const AcdcTabFunc func = {
    "autocdc_explain",
    "CREATE TABLE x(step, spec, flow, target, kind, depends_on, reads, sql, "
    "note, name HIDDEN)",
    {{ EXPLAIN_NAME, 0 }}, 1, 0,
    sizeof(Explain), explainRun, explainColumn, explainClear, 0
  };
  return acdcTabFuncRegister(db, &func);
}
