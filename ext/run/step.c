/*
** Running one step of a pipeline: appends, merges, snapshots, materialized
** views, with their rules.
*/
#include "pipeline.h"
#include "plan.h"
#include "planint.h"
#include "../merge/merge.h"
#include "../quality/rules.h"
#include "../source/schema.h"
#include "../source/versions.h"
#include "../spec/files.h"
#include "../spec/sparksql.h"
#include "../spec/trust.h"

/*
** A step at work.
*/
typedef struct StepRun StepRun;
struct StepRun {
  AcdcCtx *p;
  AcdcPipeline *pPipe;
  AcdcPipeStep *pStep;
  const AcdcStep *pS;
  AcdcRunResult *pR;
  AcdcRules rules;
  AcdcSchema schema;       /* Columns that the spec declares */
  char *zTarget;           /* The target as flows and results name it */
  i64 iStart;
  /* Of the input at hand */
  AcdcPlan plan;
  char *zGood;             /* Condition of a row to be taken, or NULL */
  i64 nRejected;
  i64 nQuarantined;
  char *zNote;             /* What the rules found */
};

/* ---- state of the target ---- */

/*
** Id of the target in autocdc_targets, 0 if it has none.  State of a target
** that was dropped goes.
*/
static i64 stepTargetId(StepRun *pR){
  AcdcCtx *p = pR->p;
  AcdcTable tab;
  AcdcState st;
  i64 iId = 0;
  if( p->rc ) return 0;
  if( acdcStateLoad(p, pR->pStep->zSchema, pR->pStep->zName, &st) ){
    iId = st.iId;
    if( acdcTableFind(p, pR->pStep->zSchema, pR->pStep->zName, &tab) ){
      acdcTableClear(&tab);
    }else if( p->rc==SQLITE_OK && pR->pS->flow.keys.n==0 ){
      /* Merges notice it themselves, and say so. */
      acdcStateForget(p, pR->pStep->zSchema, &st);
      iId = 0;
    }else{
      iId = 0;
    }
  }
  acdcStateClear(&st);
  return iId;
}

/* The same, made if need be: for targets that no merge keeps state of. */
static i64 stepMakeState(StepRun *pR, int bMade){
  AcdcState st;
  i64 iId;
  if( pR->p->rc ) return 0;
  if( !acdcStateLoad(pR->p, pR->pStep->zSchema, pR->pStep->zName, &st) ){
    st.eScd = ACDC_SCD1;
    st.kind.nPart = 1;
    st.zKeys = acdcStrdup(pR->p, "");
    st.zTrack = acdcStrdup(pR->p, "");
    st.bMade = (u8)bMade;
    acdcStateSave(pR->p, pR->pStep->zSchema, pR->pStep->zName, &st);
  }
  iId = st.iId;
  acdcStateClear(&st);
  return iId;
}

/* ---- tables ---- */

/*
** Make a table with these columns, or add the ones that it lacks.  Returns 1
** if it was made.
*/
static int stepMakeTable(
  AcdcCtx *p, const char *zSchema, const char *zName, const AcdcNames *pCols,
  const AcdcNames *pTypes
){
  AcdcTable tab;
  char *z = 0;
  int i, bFound;
  if( p->rc ) return 0;
  bFound = acdcTableFind(p, zSchema, zName, &tab);
  if( p->rc==SQLITE_OK && bFound && (tab.bView || tab.bVirtual) ){
    acdcError(p, SQLITE_ERROR, "\"%s\".\"%s\" is a %s: rows cannot be put into "
        "it", zSchema, zName, tab.bView ? "view" : "virtual table");
  }
  for(i=0; i<pCols->n && p->rc==SQLITE_OK; i++){
    if( !bFound ){
      acdcAppendf(p, &z, "%s\"%w\" %s", z ? ", " : "", pCols->az[i],
                  pTypes->az[i]);
    }else if( acdcTableColumn(&tab, pCols->az[i])<0 ){
      acdcExec(p, "ALTER TABLE \"%w\".\"%w\" ADD COLUMN \"%w\" %s", zSchema,
               zName, pCols->az[i], pTypes->az[i]);
    }
  }
  if( bFound ){
    acdcTableClear(&tab);
  }else if( z ){
    acdcExec(p, "CREATE TABLE \"%w\".\"%w\"(%s)", zSchema, zName, z);
  }
  sqlite3_free(z);
  return !bFound && p->rc==SQLITE_OK;
}

/* Declared types win over those of the query. */
static void stepDeclared(StepRun *pR, const AcdcNames *pCols, AcdcNames *pTypes){
  int i;
  for(i=0; i<pCols->n && i<pTypes->n; i++){
    int k = acdcSchemaFind(&pR->schema, pCols->az[i], (int)strlen(pCols->az[i]));
    if( k<0 || pR->schema.a[k].zType==0 ) continue;
    sqlite3_free(pTypes->az[i]);
    pTypes->az[i] = acdcStrdup(pR->p, pR->schema.a[k].zType);
    if( pTypes->az[i]==0 ) pTypes->n = i;
  }
}

/* "a", "b" of a list of names.  Owned by the caller. */
static char *stepList(AcdcCtx *p, const AcdcNames *pCols){
  char *z = 0;
  int i;
  for(i=0; i<pCols->n; i++){
    acdcAppendf(p, &z, "%s\"%w\"", i ? ", " : "", pCols->az[i]);
  }
  return z;
}

static void stepSchema(StepRun *pR){
  char *z;
  if( pR->pS->zSchemaPath==0 || pR->p->rc ) return;
  z = acdcSpecFile(pR->p, &pR->pStep->pOwner->opt, ACDC_FILE_SCHEMA,
                   pR->pS->zSchemaPath, 0);
  if( z==0 ){
    acdcError(pR->p, SQLITE_ERROR, "the schema file \"%s\" is not found",
              pR->pS->zSchemaPath);
  }else{
    acdcSchemaParse(pR->p, z, &pR->schema);
    acdcErrorWhere(pR->p, "schema file \"%s\"", pR->pS->zSchemaPath);
  }
  sqlite3_free(z);
}

/* ---- rules ---- */

static void stepRules(StepRun *pR){
  AcdcCtx *p = pR->p;
  const AcdcQuality *pQ = &pR->pS->quality;
  const AcdcSpecOptions *pOpt = &pR->pStep->pOwner->opt;
  AcdcNames files = {0, 0};
  char *z;
  int i;
  if( pQ->zPath==0 || p->rc ) return;
  pR->rules.eFamily = pQ->eFamily;
  pR->rules.bFlag = pQ->eQuarantine==ACDC_QUARANTINE_FLAG;
  pR->rules.bTable = pQ->eQuarantine==ACDC_QUARANTINE_TABLE;
  z = acdcSpecFile(p, pOpt, ACDC_FILE_RULES, pQ->zPath, 0);
  if( z ){
    acdcRulesParse(p, z, pQ->zPath, 0, &pR->rules);
  }else{
    acdcSpecFolder(p, pOpt, ACDC_FILE_RULES, pQ->zPath, &files);
    if( files.n==0 ){
      acdcError(p, SQLITE_ERROR, "the expectations \"%s\" are not found",
                pQ->zPath);
    }
  }
  sqlite3_free(z);
  for(i=0; i<files.n && p->rc==SQLITE_OK; i++){
    z = acdcSpecFile(p, pOpt, ACDC_FILE_OTHER, files.az[i], 0);
    if( z ) acdcRulesParse(p, z, files.az[i], 1, &pR->rules);
    sqlite3_free(z);
  }
  for(i=0; i<pR->rules.n && p->rc==SQLITE_OK; i++){
    AcdcExpect *pE = &pR->rules.a[i];
    if( pE->eAction==ACDC_EXPECT_QUARANTINE && !pR->rules.bTable
     && !pR->rules.bFlag ){
      acdcError(p, SQLITE_ERROR, "%s has quarantine rules, and the spec names "
                "no quarantine table", pQ->zPath);
    }
    acdcTrustText(p, pE->zRule);
    z = acdcSparkExpr(p, pE->zRule);
    if( z ){
      sqlite3_free(pE->zRule);
      pE->zRule = z;
    }
  }
  acdcNamesFree(&files);
}

/*
** The rows that rules are for: what "where" lets through, and neither a delete
** nor a truncate.  Owned by the caller; NULL: all.
*/
static char *stepScope(StepRun *pR, const AcdcFlow *pFlow){
  char *z = 0;
  if( pFlow->zWhere ){
    acdcAppendf(pR->p, &z, "((%s) IS TRUE)", pFlow->zWhere);
  }
  if( pFlow->zDeletes ){
    acdcAppendf(pR->p, &z, "%s((%s) IS NOT TRUE)", z ? " AND " : "",
                pFlow->zDeletes);
  }
  if( pFlow->zTruncates ){
    acdcAppendf(pR->p, &z, "%s((%s) IS NOT TRUE)", z ? " AND " : "",
                pFlow->zTruncates);
  }
  return z;
}

/* Count what fails each rule, and fail if one says so. */
static void rulesCount(StepRun *pR, const char *zScope){
  AcdcCtx *p = pR->p;
  sqlite3_stmt *pStmt;
  char *z = 0;
  int i;
  for(i=0; i<pR->rules.n; i++){
    const AcdcExpect *pE = &pR->rules.a[i];
    int bBad = pR->rules.eFamily==ACDC_FAMILY_NAMED
            && pE->eAction==ACDC_EXPECT_QUARANTINE;
    acdcAppendf(p, &z, ", total((%s) IS %sTRUE)", pE->zRule,
                bBad ? "" : "NOT ");
  }
  pStmt = z ? acdcPlanPrepare(&pR->plan, "SELECT total(%s%s%s)%s FROM acdc_input"
      "%s%s", pR->zGood ? "NOT (" : "0", pR->zGood ? pR->zGood : "",
      pR->zGood ? ")" : "", z, zScope ? " WHERE " : "", zScope ? zScope : "")
      : 0;
  if( acdcStep(p, pStmt) ){
    pR->nRejected = sqlite3_column_int64(pStmt, 0);
    for(i=0; i<pR->rules.n && p->rc==SQLITE_OK; i++){
      const AcdcExpect *pE = &pR->rules.a[i];
      i64 n = sqlite3_column_int64(pStmt, i+1);
      if( n==0 ) continue;
      if( pE->eAction==ACDC_EXPECT_FAIL && !pR->rules.bFlag ){
        acdcError(p, SQLITE_CONSTRAINT, "%lld row%s violate%s the expectation "
            "\"%s\" (%s): correct the rows, or make it expect_or_drop", n,
            n==1 ? "" : "s", n==1 ? "s" : "", pE->zName, pE->zRule);
        break;
      }
      acdcAppendf(p, &pR->zNote, "%sexpectation \"%s\": %lld row%s",
                  pR->zNote ? "; " : "", pE->zName, n, n==1 ? "" : "s");
    }
  }
  acdcFinalize(p, &pStmt);
  sqlite3_free(z);
}

static void rulesQuarantine(
  StepRun *pR, const char *zScope, const AcdcNames *pCols,
  const AcdcNames *pTypes
){
  AcdcCtx *p = pR->p;
  const AcdcRel *pT = &pR->pS->quality.quarantine;
  AcdcNames cols = {0, 0}, types = {0, 0};
  AcdcRel rel = *pT;
  char *zBad = acdcRulesBad(p, &pR->rules);
  char *zErrors = acdcRulesErrors(p, &pR->rules);
  char *zName = 0, *zSchema = 0, *zList = 0, *zDefault = 0;
  sqlite3_stmt *pStmt;
  int iStep;
  if( zBad==0 ) return;
  if( rel.zName==0 ){
    zDefault = acdcMprintf(p, "%s_quarantine", pR->pS->target.zName);
    rel.zName = zDefault;
    if( rel.zSchema==0 ) rel.zSchema = pR->pS->target.zSchema;
  }
  acdcPipelineTable(pR->pPipe, pR->pStep->pOwner, &rel, &zSchema, &zName,
                    &iStep);
  acdcNamesCopy(p, &cols, pCols);
  acdcNamesCopy(p, &types, pTypes);
  if( zErrors ){
    acdcNamesAdd(p, &cols, "_errors", -1);
    acdcNamesAdd(p, &types, "TEXT", -1);
  }
  stepMakeTable(p, zSchema, zName, &cols, &types);
  zList = stepList(p, pCols);
  pStmt = zList && p->rc==SQLITE_OK ? acdcPlanPrepare(&pR->plan,
      "INSERT INTO \"%w\".\"%w\"(%s%s) SELECT %s%s%s FROM acdc_input WHERE "
      "%s%s(%s)", zSchema, zName, zList, zErrors ? ", _errors" : "", zList,
      zErrors ? ", " : "", zErrors ? zErrors : "", zScope ? zScope : "",
      zScope ? " AND " : "", zBad) : 0;
  acdcStep(p, pStmt);
  if( pStmt && p->rc==SQLITE_OK ){
    pR->nQuarantined = sqlite3_changes64(p->db);
  }
  acdcFinalize(p, &pStmt);
  acdcErrorWhere(p, "quarantine table \"%s\"", zName ? zName : "");
  if( pR->nQuarantined ){
    acdcAppendf(p, &pR->zNote, "%s%lld row%s in quarantine table %s",
        pR->zNote ? "; " : "", pR->nQuarantined,
        pR->nQuarantined==1 ? "" : "s", zName);
  }
  sqlite3_free(zBad);
  sqlite3_free(zErrors);
  sqlite3_free(zName);
  sqlite3_free(zSchema);
  sqlite3_free(zList);
  sqlite3_free(zDefault);
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
}

/*
** Judge the planned rows of an input.  Sets zGood; the plan gets the column
** is_quarantined where the spec asks for it.
*/
static void stepJudge(StepRun *pR, const AcdcInput *pIn, const AcdcFlow *pFlow){
  AcdcCtx *p = pR->p;
  AcdcNames cols = {0, 0}, types = {0, 0};
  char *zScope, *zAll = 0;
  int i;
  if( p->rc || pR->rules.n==0 || (pIn && pIn->bNoRules) ) return;
  zScope = pFlow ? stepScope(pR, pFlow) : 0;
  pR->zGood = acdcRulesGood(p, &pR->rules);
  for(i=0; i<pR->rules.n; i++){
    acdcAppendf(p, &zAll, "%s(%s)", zAll ? ", " : "", pR->rules.a[i].zRule);
  }
  acdcPlanTrustExprs(&pR->plan, zAll);
  acdcErrorWhere(p, "expectations");
  sqlite3_free(zAll);
  acdcPlanColumns(&pR->plan, &cols, &types);
  rulesCount(pR, zScope);
  if( p->rc==SQLITE_OK ) rulesQuarantine(pR, zScope, &cols, &types);
  if( pR->rules.bFlag && p->rc==SQLITE_OK ){
    char *zFlag = acdcRulesFlag(p, &pR->rules);
    char *z = acdcMprintf(p, "SELECT *, CASE WHEN %s THEN 1 ELSE 0 END AS "
                          "is_quarantined FROM (%s)", zFlag, pR->plan.zSelect);
    sqlite3_free(zFlag);
    sqlite3_free(pR->plan.zSelect);
    pR->plan.zSelect = z;
  }
  if( pR->zGood && zScope ){
    /* Rows that the rules are not for are taken. */
    char *z = acdcMprintf(p, "(NOT (%s)) OR (%s)", zScope, pR->zGood);
    sqlite3_free(pR->zGood);
    pR->zGood = z;
  }
  sqlite3_free(zScope);
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
}

/* ---- inputs ---- */

static void inputBegin(StepRun *pR, const char *zFlow){
  acdcPlanInit(&pR->plan, pR->pPipe, pR->pStep, zFlow);
  pR->plan.iTarget = stepTargetId(pR);
  pR->plan.bReadAll = pR->pPipe->pOpt && pR->pPipe->pOpt->bReadAll;
  pR->plan.bAppend = pR->pS->eKind==ACDC_STEP_APPEND
                  || pR->pS->eKind==ACDC_STEP_BATCHSQL;
  pR->nRejected = pR->nQuarantined = 0;
  pR->iStart = acdcRunClock();
}

static void inputEnd(StepRun *pR){
  acdcPlanClear(&pR->plan);
  sqlite3_free(pR->zGood);
  sqlite3_free(pR->zNote);
  pR->zGood = pR->zNote = 0;
}

/* A row of the result for what is not a merge. */
static void inputReport(
  StepRun *pR, const char *zFlow, const char *zStatus, i64 nRead,
  i64 nInserted, i64 nDeleted, const char *zMessage
){
  AcdcCtx *p = pR->p;
  AcdcRunRow *pRow;
  if( p->rc ) return;
  pRow = acdcRunResultAdd(p, pR->pR);
  if( pRow==0 ) return;
  pRow->zFlow = acdcStrdup(p, zFlow);
  pRow->zTarget = acdcStrdup(p, pR->zTarget);
  pRow->zStatus = zStatus ? zStatus : pR->nRejected ? "warning" : "ok";
  pRow->zScd = "";
  pRow->n.nRead = nRead;
  pRow->n.nInserted = nInserted;
  pRow->n.nDeleted = nDeleted;
  pRow->n.nRejected = pR->nRejected;
  pRow->nMillis = acdcRunClock() - pR->iStart;
  pRow->zSource = acdcNamesText(p, &pR->plan.deps);
  pRow->zMessage = acdcMprintf(p, "%s%s%s", zMessage ? zMessage : "",
      zMessage && pR->zNote ? "; " : "", pR->zNote ? pR->zNote : "");
  if( pRow->zMessage && pRow->zMessage[0]==0 ){
    sqlite3_free(pRow->zMessage);
    pRow->zMessage = 0;
  }
  acdcRunLog(p, pR->pStep->zSchema, pRow);
}

/* True, and reported, if there is nothing to read yet. */
static int inputIsEmpty(StepRun *pR, const char *zFlow){
  if( !pR->plan.bEmpty || pR->p->rc!=SQLITE_EMPTY ) return 0;
  acdcCtxClear(pR->p);
  inputReport(pR, zFlow, "ok", 0, 0, 0, "no files to read yet");
  return 1;
}

/* True, and reported, if a flow that runs once has run. */
static int inputIsDone(StepRun *pR, const AcdcInput *pIn){
  char *zMessage;
  if( !pIn->bOnce || !acdcPlanMarked(&pR->plan, "once") ) return 0;
  zMessage = acdcMprintf(pR->p, "runs once, and has run: SELECT "
      "autocdc_reset('%q') runs it again", pR->zTarget);
  inputReport(pR, pIn->zName, "skipped", 0, 0, 0, zMessage);
  sqlite3_free(zMessage);
  return 1;
}

/*
** Put the planned rows into the target.  Returns their number.
*/
static i64 appendRows(StepRun *pR, int *pbMade){
  AcdcCtx *p = pR->p;
  AcdcNames cols = {0, 0}, types = {0, 0};
  sqlite3_stmt *pStmt;
  char *zList;
  i64 n = 0;
  acdcPlanColumns(&pR->plan, &cols, &types);
  stepDeclared(pR, &cols, &types);
  *pbMade = stepMakeTable(p, pR->pStep->zSchema, pR->pStep->zName, &cols,
                          &types);
  zList = stepList(p, &cols);
  pStmt = zList && p->rc==SQLITE_OK ? acdcPlanPrepare(&pR->plan,
      "INSERT INTO \"%w\".\"%w\"(%s) SELECT %s FROM acdc_input%s%s",
      pR->pStep->zSchema, pR->pStep->zName, zList, zList,
      pR->zGood ? " WHERE " : "", pR->zGood ? pR->zGood : "") : 0;
  acdcStep(p, pStmt);
  if( pStmt && p->rc==SQLITE_OK ) n = sqlite3_changes64(p->db);
  acdcFinalize(p, &pStmt);
  sqlite3_free(zList);
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
  return n;
}

static void stepAppend(StepRun *pR, const AcdcInput *pIn){
  AcdcCtx *p = pR->p;
  int bMade = 0;
  i64 n = 0, iTarget;
  inputBegin(pR, pIn->zName);
  if( !inputIsDone(pR, pIn) ){
    if( pR->pS->eKind==ACDC_STEP_BATCHSQL ){
      acdcPlanQuery(&pR->plan, pR->pS->zSql, pR->pS->zSqlPath, pIn);
    }else{
      acdcPlanInput(&pR->plan, pIn, pIn->bOnce);
    }
    if( !inputIsEmpty(pR, pIn->zName) && p->rc==SQLITE_OK ){
      acdcPlanTrust(&pR->plan);
      stepJudge(pR, pIn, 0);
      n = appendRows(pR, &bMade);
      iTarget = stepMakeState(pR, bMade);
      acdcPlanCommit(&pR->plan, iTarget);
      if( pIn->bOnce ) acdcPlanMark(&pR->plan, iTarget, "once");
      inputReport(pR, pIn->zName, 0, n + pR->nRejected, n, 0,
                  bMade ? "created the target" : 0);
    }
  }
  acdcErrorWhere(p, "flow \"%s\"", pIn->zName ? pIn->zName : "?");
  inputEnd(pR);
}

/* ---- merges ---- */

/* An expression of the settings, translated; *pz is replaced. */
static void flowExpr(StepRun *pR, char **pz){
  char *zNew;
  if( *pz==0 ) return;
  acdcTrustText(pR->p, *pz);
  zNew = acdcSparkExpr(pR->p, *pz);
  if( zNew ){
    sqlite3_free(*pz);
    *pz = zNew;
  }
}

/* The settings of the step as a flow of its own. */
static void flowOf(StepRun *pR, const char *zName, AcdcFlow *pFlow){
  AcdcCtx *p = pR->p;
  int i;
  acdcFlowCopy(p, pFlow, &pR->pS->flow);
  sqlite3_free(pFlow->zName);
  sqlite3_free(pFlow->zTarget);
  pFlow->zName = acdcStrdup(p, zName);
  pFlow->zTarget = acdcStrdup(p, pR->zTarget);
  flowExpr(pR, &pFlow->zWhere);
  flowExpr(pR, &pFlow->zDeletes);
  flowExpr(pR, &pFlow->zTruncates);
  for(i=0; i<pFlow->sequenceBy.n; i++) flowExpr(pR, &pFlow->sequenceBy.az[i]);
}

/*
** The expressions of a flow may only read.  zFrom is the table that it reads;
** NULL for the planned rows.  What does not compile is left to the merge, whose
** message is better.
*/
static void flowTrust(StepRun *pR, const AcdcFlow *pFlow, const char *zFrom){
  AcdcCtx *p = pR->p;
  char *z = 0;
  const char *az[3];
  int i;
  az[0] = pFlow->zWhere;
  az[1] = pFlow->zDeletes;
  az[2] = pFlow->zTruncates;
  for(i=0; i<3; i++){
    if( az[i] ) acdcAppendf(p, &z, "%s(%s)", z ? ", " : "", az[i]);
  }
  for(i=0; i<pFlow->sequenceBy.n; i++){
    acdcAppendf(p, &z, "%s(%s)", z ? ", " : "", pFlow->sequenceBy.az[i]);
  }
  if( z && p->rc==SQLITE_OK ){
    if( zFrom ){
      char *zSql = acdcMprintf(p, "SELECT %s FROM %s", z, zFrom);
      acdcTrustQuery(p, zSql);
      sqlite3_free(zSql);
    }else{
      acdcPlanTrustExprs(&pR->plan, z);
    }
    if( p->rc && p->rc!=SQLITE_AUTH && p->rc!=SQLITE_NOMEM ) acdcCtxClear(p);
  }
  sqlite3_free(z);
}

/* Declared types for the columns of a reader. */
static void readerDeclared(StepRun *pR, AcdcReader *pReader){
  int i, k;
  for(i=0; i<pReader->nCol && pR->p->rc==SQLITE_OK; i++){
    AcdcColumn *pC = &pReader->aCol[i];
    k = acdcSchemaFind(&pR->schema, pC->zName, (int)strlen(pC->zName));
    if( k<0 || pR->schema.a[k].zType==0 ) continue;
    sqlite3_free(pC->zType);
    pC->zType = acdcStrdup(pR->p, pR->schema.a[k].zType);
    pC->cAff = acdcAffinity(pR->schema.a[k].zType);
  }
}

/* Add what the rules found to the row of the merge, and to autocdc_runs. */
static void mergeNotes(StepRun *pR, int nBefore){
  AcdcCtx *p = pR->p;
  AcdcRunRow *pRow;
  sqlite3_stmt *pStmt;
  if( p->rc || pR->pR->n<=nBefore ) return;
  if( pR->nRejected==0 && pR->zNote==0 ) return;
  pRow = &pR->pR->a[pR->pR->n-1];
  pRow->n.nRejected += pR->nRejected;
  pRow->n.nRead += pR->nRejected;
  if( pR->zNote ){
    char *z = acdcMprintf(p, "%s%s%s", pRow->zMessage ? pRow->zMessage : "",
                          pRow->zMessage ? "; " : "", pR->zNote);
    if( z ){
      sqlite3_free(pRow->zMessage);
      pRow->zMessage = z;
    }
    if( strcmp(pRow->zStatus, "ok")==0 ) pRow->zStatus = "warning";
  }
  pStmt = acdcPrepare(p, 0, "UPDATE \"%w\".autocdc_runs SET rejected=?1, "
      "rows_read=?2, message=?3, status=?4 WHERE id=(SELECT max(id) FROM "
      "\"%w\".autocdc_runs)", pR->pStep->zSchema, pR->pStep->zSchema);
  if( pStmt ){
    sqlite3_bind_int64(pStmt, 1, pRow->n.nRejected);
    sqlite3_bind_int64(pStmt, 2, pRow->n.nRead);
    sqlite3_bind_text(pStmt, 3, pRow->zMessage, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 4, pRow->zStatus, -1, SQLITE_STATIC);
  }
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
}

/* Merge the planned rows. */
static void mergePlanned(StepRun *pR, AcdcFlow *pFlow, const char *zLabel){
  AcdcCtx *p = pR->p;
  AcdcRunFlowOpts opts;
  AcdcReader *pReader;
  int nBefore = pR->pR->n;
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pR->plan.bReadAll;
  flowTrust(pR, pFlow, 0);
  if( p->rc ) return;
  pReader = acdcPlanReader(&pR->plan, "SELECT * FROM acdc_input%s%s",
      pR->zGood ? " WHERE " : "", pR->zGood ? pR->zGood : "");
  if( pReader==0 ) return;
  readerDeclared(pR, pReader);
  pFlow->eSource = ACDC_SOURCE_TABLE;
  sqlite3_free(pFlow->zSource);
  pFlow->zSource = acdcStrdup(p, zLabel);
  acdcFlowCheck(p, pFlow);
  if( p->rc==SQLITE_OK ){
    acdcRunFlow(p, pFlow, pReader, &opts, pR->pR);
    mergeNotes(pR, nBefore);
  }else{
    acdcReaderFree(pReader);
  }
}

/* A merge that reads a table by itself, at full speed.  1 if it was that. */
static int mergeTable(StepRun *pR, const AcdcInput *pIn, AcdcFlow *pFlow){
  AcdcCtx *p = pR->p;
  AcdcRunFlowOpts opts;
  char *zTable = 0, *zWhere = 0;
  if( pR->rules.n || pR->schema.n || pR->pS->migration.zName
   || pR->pS->eKind!=ACDC_STEP_MERGE
   || !acdcPlanIsTable(&pR->plan, pIn, &zTable, &zWhere) ) return 0;
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pR->plan.bReadAll;
  pFlow->eSource = ACDC_SOURCE_TABLE;
  sqlite3_free(pFlow->zSource);
  pFlow->zSource = zTable;
  if( zWhere ){
    char *z = pFlow->zWhere
        ? acdcMprintf(p, "(%s) AND (%s)", zWhere, pFlow->zWhere)
        : acdcStrdup(p, zWhere);
    sqlite3_free(pFlow->zWhere);
    pFlow->zWhere = z;
  }
  sqlite3_free(zWhere);
  acdcFlowCheck(p, pFlow);
  flowTrust(pR, pFlow, zTable);
  if( p->rc==SQLITE_OK ) acdcRunFlow(p, pFlow, 0, &opts, pR->pR);
  return 1;
}

static void stepMerge(StepRun *pR, const AcdcInput *pIn){
  AcdcCtx *p = pR->p;
  AcdcFlow flow;
  inputBegin(pR, pIn->zName);
  if( !inputIsDone(pR, pIn) ){
    flowOf(pR, pIn->zName, &flow);
    if( p->rc==SQLITE_OK && !mergeTable(pR, pIn, &flow) ){
      acdcPlanInput(&pR->plan, pIn, pIn->bOnce
                    || pR->pS->eKind==ACDC_STEP_SNAPSHOT);
      if( !inputIsEmpty(pR, pIn->zName) && p->rc==SQLITE_OK ){
        i64 iTarget;
        acdcPlanTrust(&pR->plan);
        stepJudge(pR, pIn, &flow);
        mergePlanned(pR, &flow, pIn->zView ? pIn->zView : pIn->zName);
        iTarget = stepTargetId(pR);
        if( iTarget ) acdcPlanCommit(&pR->plan, iTarget);
        if( iTarget && pIn->bOnce ) acdcPlanMark(&pR->plan, iTarget, "once");
      }
    }
    acdcFlowClear(&flow);
  }
  acdcErrorWhere(p, "flow \"%s\"", pIn->zName ? pIn->zName : "?");
  inputEnd(pR);
}

/* ---- materialized views ---- */

/* Columns that the query no longer has go, if the table is ours. */
static void viewDropColumns(StepRun *pR, const AcdcNames *pCols){
  AcdcTable tab;
  AcdcState st;
  int i, bMade;
  bMade = acdcStateLoad(pR->p, pR->pStep->zSchema, pR->pStep->zName, &st)
       && st.bMade;
  acdcStateClear(&st);
  if( !bMade ) return;
  if( !acdcTableFind(pR->p, pR->pStep->zSchema, pR->pStep->zName, &tab) ) return;
  for(i=0; i<tab.nCol && pR->p->rc==SQLITE_OK; i++){
    if( acdcNamesFind(pCols, tab.aCol[i].zName)<0 ){
      acdcExec(pR->p, "ALTER TABLE \"%w\".\"%w\" DROP COLUMN \"%w\"",
               pR->pStep->zSchema, pR->pStep->zName, tab.aCol[i].zName);
    }
  }
  acdcTableClear(&tab);
}

static void stepView(StepRun *pR){
  AcdcCtx *p = pR->p;
  const AcdcInput *pIn = pR->pS->pInput;
  const char *zFlow = pIn && pIn->zName ? pIn->zName : pR->pS->target.zName;
  AcdcNames cols = {0, 0}, types = {0, 0};
  AcdcTable tab;
  i64 n = 0, nOld = 0;
  int bMade = 0;
  inputBegin(pR, zFlow);
  if( pR->pS->zSql || pR->pS->zSqlPath ){
    acdcPlanQuery(&pR->plan, pR->pS->zSql, pR->pS->zSqlPath, 0);
  }else if( pIn ){
    acdcPlanInput(&pR->plan, pIn, 1);
  }
  if( !inputIsEmpty(pR, zFlow) && p->rc==SQLITE_OK ){
    acdcPlanTrust(&pR->plan);
    stepJudge(pR, pIn, 0);
    acdcPlanColumns(&pR->plan, &cols, &types);
    if( acdcTableFind(p, pR->pStep->zSchema, pR->pStep->zName, &tab) ){
      acdcTableClear(&tab);
      acdcExec(p, "DELETE FROM \"%w\".\"%w\"", pR->pStep->zSchema,
               pR->pStep->zName);
      nOld = sqlite3_changes64(p->db);
      viewDropColumns(pR, &cols);
    }
    n = appendRows(pR, &bMade);
    stepMakeState(pR, bMade);
    inputReport(pR, zFlow, 0, n + pR->nRejected, n, nOld,
                bMade ? "created the target" : 0);
  }
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
  acdcErrorWhere(p, "materialized view");
  inputEnd(pR);
}

/* ---- versions of snapshots ---- */

/* Apply one version.  Returns 0 if those behind it must wait. */
static int versionApply(
  StepRun *pR, const AcdcFileList *pFiles, const AcdcVal *pVersion,
  const char *zVersion, const char *zMark
){
  AcdcCtx *p = pR->p;
  AcdcFlow flow;
  int nBefore = pR->pR->n;
  int bGoOn = 1;
  i64 iTarget;
  inputBegin(pR, pR->pS->target.zName);
  if( !acdcPlanMarked(&pR->plan, zMark) ){
    flowOf(pR, pR->pS->target.zName, &flow);
    flow.bSnapshot = 1;
    acdcFlowSetVersion(p, &flow, pVersion);
    acdcPlanVersion(&pR->plan, pFiles, pVersion, zVersion);
    if( p->rc==SQLITE_OK ){
      acdcPlanTrust(&pR->plan);
      stepJudge(pR, 0, &flow);
      mergePlanned(pR, &flow, pR->pS->versions.bFiles
          ? pR->pS->versions.zPath : pR->pS->versions.table.zName);
    }
    if( p->rc==SQLITE_OK && pR->pR->n>nBefore ){
      bGoOn = !pR->pR->a[pR->pR->n-1].bStop;
    }
    iTarget = stepTargetId(pR);
    if( iTarget && bGoOn ) acdcPlanMark(&pR->plan, iTarget, zMark);
    acdcFlowClear(&flow);
    acdcErrorWhere(p, "version %s", zVersion);
  }
  inputEnd(pR);
  return bGoOn && p->rc==SQLITE_OK;
}

/* The members of a version specification, as the spec has them. */
static void versionSpec(StepRun *pR, AcdcVersionSpec *pSpec){
  AcdcCtx *p = pR->p;
  const AcdcHistorical *pV = &pR->pS->versions;
  char *zPath = acdcSpecDataPath(p, &pR->pStep->pOwner->opt, pV->zPath);
  memset(pSpec, 0, sizeof(*pSpec));
  if( zPath && pV->bPrefix ){
    /* The numbers of snapshots follow the prefix, then the format. */
    char *z = acdcMprintf(p, "%s{version}.%s", zPath, pV->zFormat);
    sqlite3_free(zPath);
    zPath = z;
  }
  if( zPath ) acdcVersionSpecSet(p, pSpec, "path", zPath);
  if( pV->zType ) acdcVersionSpecSet(p, pSpec, "version_type", pV->zType);
  if( pV->zDatetime ){
    acdcVersionSpecSet(p, pSpec, "datetime_format", pV->zDatetime);
  }
  if( pV->zStart ){
    acdcVersionSpecSet(p, pSpec, "starting_version", pV->zStart);
  }
  if( pV->bRecursive ){
    acdcVersionSpecSet(p, pSpec, "recursive_file_lookup", "true");
  }
  acdcVersionSpecCheck(p, pSpec);
  sqlite3_free(zPath);
}

static void stepVersionFiles(StepRun *pR){
  AcdcCtx *p = pR->p;
  AcdcVersionSpec spec;
  AcdcVersions list;
  int i;
  memset(&list, 0, sizeof(list));
  acdcFsAllowed(p);
  versionSpec(pR, &spec);
  if( p->rc==SQLITE_OK ){
    acdcVersionsList(p, &spec, pR->pStep->pOwner->opt.zBasePath, &list);
  }
  for(i=0; i<list.n && p->rc==SQLITE_OK; i++){
    AcdcVersion *pV = &list.a[i];
    AcdcVal v;
    char *zMark = acdcMprintf(p, "version:%s", pV->zShown);
    char *zText = acdcVersionFormat(p, &spec, pV->iKey);
    int bGoOn = 0;
    memset(&v, 0, sizeof(v));
    if( spec.eType==ACDC_VERSION_INTEGER ){
      v.eType = SQLITE_INTEGER;
      v.u.i = pV->iKey;
    }else{
      v.eType = SQLITE_TEXT;
      v.u.z = (const u8*)pV->zShown;
      v.n = (int)strlen(pV->zShown);
    }
    if( zMark && zText ){
      bGoOn = versionApply(pR, &pV->files, &v, zText, zMark);
    }
    sqlite3_free(zMark);
    sqlite3_free(zText);
    if( !bGoOn ) break;
  }
  acdcVersionsClear(&list);
  acdcVersionSpecClear(&spec);
}

static void stepVersionTable(StepRun *pR){
  AcdcCtx *p = pR->p;
  const AcdcHistorical *pV = &pR->pS->versions;
  AcdcArena arena;
  AcdcVal v;
  char *zSchema = 0, *zName = 0;
  sqlite3_stmt *pStmt = 0;
  int iStep, bGoOn = 1;
  AcdcVal *aAll = 0;
  int n = 0, nAlloc = 0, i;
  memset(&arena, 0, sizeof(arena));
  acdcPipelineTable(pR->pPipe, pR->pStep->pOwner, &pV->table, &zSchema, &zName,
                    &iStep);
  if( p->rc==SQLITE_OK ){
    pStmt = acdcPrepare(p, 0, "SELECT DISTINCT \"%w\" FROM \"%w\".\"%w\" WHERE "
        "\"%w\" IS NOT NULL%s%s%s ORDER BY 1", pV->zColumn, zSchema, zName,
        pV->zColumn, pV->zStart ? " AND \"" : "",
        pV->zStart ? pV->zColumn : "", pV->zStart ? "\" >= ?1" : "");
  }
  if( pStmt && pV->zStart ){
    sqlite3_bind_text(pStmt, 1, pV->zStart, -1, SQLITE_STATIC);
  }
  while( acdcStep(p, pStmt) ){
    if( n>=nAlloc ){
      AcdcVal *aNew;
      nAlloc = nAlloc ? 2*nAlloc : 16;
      aNew = acdcRealloc(p, aAll, nAlloc*(i64)sizeof(*aAll));
      if( aNew==0 ) break;
      aAll = aNew;
    }
    acdcValColumn(&v, pStmt, 0);
    acdcValCopy(p, &arena, &aAll[n++], &v);
  }
  acdcFinalize(p, &pStmt);
  for(i=0; i<n && bGoOn && p->rc==SQLITE_OK; i++){
    char *zShown = acdcValText(p, &aAll[i]);
    char *zMark = zShown ? acdcMprintf(p, "version:%s", zShown) : 0;
    if( zMark ){
      bGoOn = versionApply(pR, 0, &aAll[i], zShown, zMark);
    }
    sqlite3_free(zShown);
    sqlite3_free(zMark);
  }
  sqlite3_free(aAll);
  sqlite3_free(zSchema);
  sqlite3_free(zName);
  acdcArenaFree(&arena);
}

/* ---- migration ---- */

/*
** Import an old table, once.  A history is put in place as it is, and the
** first merge takes its versions in; current rows are merged as events.
** Returns 1 if the inputs of this step are not to be read this time.
*/
static int stepMigrate(StepRun *pR){
  AcdcCtx *p = pR->p;
  const AcdcStep *pS = pR->pS;
  const AcdcInput *pIn;
  AcdcFlow flow;
  int bHistory = pS->eKind==ACDC_STEP_MERGE && pS->flow.eScd==ACDC_SCD2;
  int bMade = 0;
  i64 n, iTarget;
  char *zFlow = acdcMprintf(p, "f_import_%s", pS->target.zName);
  AcdcTable tab;
  if( zFlow==0 ) return 0;
  inputBegin(pR, zFlow);
  if( pR->plan.iTarget && acdcPlanMarked(&pR->plan, "migration") ){
    inputEnd(pR);
    sqlite3_free(zFlow);
    return 0;
  }
  acdcPlanTable(&pR->plan, &pS->migration, &pS->migrationSelect,
                &pS->migrationWhere, &pS->migrationExcept);
  if( p->rc==SQLITE_OK ) acdcPlanTrust(&pR->plan);
  if( p->rc==SQLITE_OK && pS->eKind==ACDC_STEP_MERGE && !bHistory ){
    flowOf(pR, zFlow, &flow);
    mergePlanned(pR, &flow, pS->migration.zName);
    acdcFlowClear(&flow);
  }else if( p->rc==SQLITE_OK ){
    if( bHistory
     && acdcTableFind(p, pR->pStep->zSchema, pR->pStep->zName, &tab) ){
      acdcTableClear(&tab);
      acdcError(p, SQLITE_ERROR, "the target \"%s\" is there already: a history "
                "is imported into a new table", pR->zTarget);
    }
    n = appendRows(pR, &bMade);
    inputReport(pR, zFlow, "ok", n, n, 0, "imported");
    if( !bHistory ) stepMakeState(pR, bMade);
  }
  inputEnd(pR);
  /* Rows of before the import: the sources go on behind them. */
  for(pIn=pS->pInput; pIn && bHistory && p->rc==SQLITE_OK; pIn=pIn->pNext){
    /* An empty run makes the state that the marks belong to. */
    inputBegin(pR, pIn->zName);
    flowOf(pR, pIn->zName, &flow);
    acdcPlanInput(&pR->plan, pIn, 0);
    if( p->rc==SQLITE_OK ){
      pR->zGood = acdcStrdup(p, "0");
      mergePlanned(pR, &flow, pIn->zView ? pIn->zView : pIn->zName);
    }
    acdcFlowClear(&flow);
    inputEnd(pR);
    break;
  }
  iTarget = stepTargetId(pR);
  inputBegin(pR, zFlow);
  if( iTarget && p->rc==SQLITE_OK ){
    acdcPlanMark(&pR->plan, iTarget, "migration");
  }
  inputEnd(pR);
  for(pIn=pS->pInput; pIn && pS->bMigrationSkip && p->rc==SQLITE_OK;
      pIn=pIn->pNext){
    inputBegin(pR, pIn->zName);
    acdcPlanInput(&pR->plan, pIn, 0);
    if( pR->plan.bEmpty && p->rc==SQLITE_EMPTY ) acdcCtxClear(p);
    if( iTarget ) acdcPlanCommit(&pR->plan, iTarget);
    inputEnd(pR);
  }
  sqlite3_free(zFlow);
  return pS->bMigrationSkip && p->rc==SQLITE_OK;
}

/* ---- the step ---- */

/* The target as flows name it: plain where that is clear. */
static char *stepTargetName(AcdcCtx *p, const AcdcPipeStep *pS){
  int bPlain = sqlite3_stricmp(pS->zSchema, "main")==0;
  const char *z;
  for(z=pS->zName; *z; z++){
    if( !((*z>='a' && *z<='z') || (*z>='A' && *z<='Z') || *z=='_'
          || (*z>='0' && *z<='9' && z!=pS->zName)) ) bPlain = 0;
  }
  if( bPlain ) return acdcStrdup(p, pS->zName);
  for(z=pS->zName; *z && *z!='.' && *z!='"' && *z!='`' && *z!='['; z++){}
  if( *z==0 && strchr(pS->zSchema, '.')==0 ){
    return acdcMprintf(p, "%s.%s", pS->zSchema, pS->zName);
  }
  return acdcMprintf(p, "\"%w\".\"%w\"", pS->zSchema, pS->zName);
}

void acdcStepRun(AcdcPipeline *pPipe, AcdcPipeStep *pStep, AcdcRunResult *pR){
  const AcdcInput *pIn;
  StepRun run;
  int bSkip = 0;
  memset(&run, 0, sizeof(run));
  run.p = pPipe->p;
  run.pPipe = pPipe;
  run.pStep = pStep;
  run.pS = pStep->pStep;
  run.pR = pR;
  run.zTarget = stepTargetName(run.p, pStep);
  stepRules(&run);
  stepSchema(&run);
  if( run.p->rc==SQLITE_OK && run.pS->migration.zName ){
    bSkip = stepMigrate(&run);
  }
  if( run.p->rc==SQLITE_OK && run.pS->eKind==ACDC_STEP_MV ) stepView(&run);
  if( run.p->rc==SQLITE_OK && run.pS->eKind==ACDC_STEP_VERSIONS ){
    if( run.pS->versions.bFiles ) stepVersionFiles(&run);
    else stepVersionTable(&run);
  }
  for(pIn=run.pS->pInput; pIn && !bSkip && run.p->rc==SQLITE_OK;
      pIn=pIn->pNext){
    if( !pIn->bEnabled ) continue;
    if( pPipe->zFlow && (pIn->zName==0
        || sqlite3_stricmp(pPipe->zFlow, pIn->zName)) ) continue;
    switch( run.pS->eKind ){
      case ACDC_STEP_APPEND:
      case ACDC_STEP_BATCHSQL:
        stepAppend(&run, pIn);
        break;
      case ACDC_STEP_MERGE:
      case ACDC_STEP_SNAPSHOT:
        stepMerge(&run, pIn);
        break;
      default:
        break;
    }
  }
  acdcRulesClear(&run.rules);
  acdcSchemaClear(&run.schema);
  sqlite3_free(run.zTarget);
}
