/*
** The rules of a step: what fails them is counted, dropped, put aside or the
** end of the run.
*/
#include "stepint.h"
#include "../spec/files.h"
#include "../spec/sparksql.h"

void acdcStepRules(AcdcStepRun *pR){
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
    acdcPipelineTrust(p, pR->pStep->pOwner, pE->zRule);
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
static char *stepScope(AcdcStepRun *pR, const AcdcFlow *pFlow){
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
static void rulesCount(AcdcStepRun *pR, const char *zScope){
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
      acdcAppendf(p, &pR->zExpect, "%s", i ? ", " : "{");
      acdcJsonQuote(p, &pR->zExpect, pE->zName, -1);
      acdcAppendf(p, &pR->zExpect, ": %lld%s", n,
                  i+1<pR->rules.n ? "" : "}");
      if( n==0 ) continue;
      if( pE->eAction==ACDC_EXPECT_FAIL && !pR->rules.bFlag ){
        acdcError(p, SQLITE_CONSTRAINT, "%lld row%s violate%s the expectation "
            "\"%s\" (%s): correct the rows, or make it expect_or_drop", n,
            n==1 ? "" : "s", n==1 ? "s" : "", pE->zName, pE->zRule);
        break;
      }
      acdcAppendf(p, &pR->zNote, "%sexpectation \"%s\" %s by %lld row%s",
          pR->zNote ? "; " : "", pE->zName,
          pR->rules.eFamily==ACDC_FAMILY_NAMED
           && pE->eAction==ACDC_EXPECT_QUARANTINE ? "met" : "violated",
          n, n==1 ? "" : "s");
    }
  }
  acdcFinalize(p, &pStmt);
  sqlite3_free(z);
}

static void rulesQuarantine(
  AcdcStepRun *pR, const char *zScope, const AcdcNames *pCols,
  const AcdcNames *pTypes
){
  AcdcCtx *p = pR->p;
  const AcdcRel *pT = &pR->pS->quality.quarantine;
  AcdcNames cols = {0, 0}, types = {0, 0};
  AcdcRel rel = *pT;
  char *zBad = acdcRulesBad(p, &pR->rules);
  char *zErrors = acdcRulesErrors(p, &pR->rules);
  char *zName = 0, *zSchema = 0, *zList = 0, *zRows = 0, *zDefault = 0;
  char *zOld = 0;
  sqlite3_stmt *pStmt;
  /* What reads all its rows each time would put them here each time. */
  int bWhole = pR->plan.nStream==0 && pR->plan.nFile==0;
  int iStep;
  if( zBad==0 ) return;
  if( rel.zName==0 ){
    zDefault = acdcMprintf(p, "%s_quarantine", pR->pS->target.zName);
    rel.zName = zDefault;
    if( rel.zSchema==0 ) rel.zSchema = pR->pS->target.zSchema;
  }
  acdcPipelineTable(pR->pPipe, pR->pStep->pOwner, &rel, &zSchema, &zName,
                    &iStep);
  if( p->rc==SQLITE_OK ){
    acdcPipelineMayWrite(pR->pPipe, pR->pStep->pOwner, zSchema);
  }
  acdcNamesCopy(p, &cols, pCols);
  acdcNamesCopy(p, &types, pTypes);
  if( zErrors ){
    acdcNamesAdd(p, &cols, "_errors", -1);
    acdcNamesAdd(p, &types, "TEXT", -1);
  }
  acdcStepMakeTable(p, zSchema, zName, &cols, &types);
  if( bWhole && pR->pS->eKind!=ACDC_STEP_MV ){
    char *z = acdcStepList(p, &cols);
    if( z ) zOld = acdcMprintf(p, " EXCEPT SELECT %s FROM \"%w\".\"%w\"", z,
                               zSchema, zName);
    sqlite3_free(z);
  }
  zList = acdcStepList(p, &cols);
  zRows = acdcStepList(p, pCols);
  if( bWhole && pR->pS->eKind==ACDC_STEP_MV ){
    acdcExec(p, "DELETE FROM \"%w\".\"%w\"", zSchema, zName);
  }
  pStmt = zList && zRows && p->rc==SQLITE_OK ? acdcPlanPrepare(&pR->plan,
      "INSERT INTO \"%w\".\"%w\"(%s) SELECT %s%s%s FROM acdc_input WHERE "
      "%s%s(%s)%s", zSchema, zName, zList, zRows, zErrors ? ", " : "",
      zErrors ? zErrors : "", zScope ? zScope : "", zScope ? " AND " : "", zBad,
      zOld ? zOld : "") : 0;
  acdcStep(p, pStmt);
  if( pStmt && p->rc==SQLITE_OK ){
    pR->nQuarantined = sqlite3_changes64(p->db);
  }
  acdcFinalize(p, &pStmt);
  acdcErrorWhere(p, "quarantine table \"%s\"", zName ? zName : "");
  if( pR->nQuarantined ){
    acdcAppendf(p, &pR->zNote, "%s%lld row%s put into quarantine table %s",
        pR->zNote ? "; " : "", pR->nQuarantined,
        pR->nQuarantined==1 ? "" : "s", zName);
  }
  sqlite3_free(zBad);
  sqlite3_free(zErrors);
  sqlite3_free(zName);
  sqlite3_free(zSchema);
  sqlite3_free(zList);
  sqlite3_free(zRows);
  sqlite3_free(zOld);
  sqlite3_free(zDefault);
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
}

/*
** Judge the planned rows of an input.  Sets zGood; the plan gets the column
** is_quarantined where the spec asks for it.
*/
void acdcStepJudge(AcdcStepRun *pR, const AcdcInput *pIn, const AcdcFlow *pFlow){
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
