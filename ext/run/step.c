/*
** Running one step of a pipeline: appends, merges, materialized views.
*/
#include "stepint.h"
#include "../merge/merge.h"
#include "../spec/files.h"
#include "../spec/sparksql.h"
#include "../core/trust.h"

/* ---- state of the target ---- */

/* Does the step write rows without looking at keys? */
static int stepIsKeyless(const AcdcStepRun *pR){
  return pR->pS->eKind==ACDC_STEP_APPEND || pR->pS->eKind==ACDC_STEP_BATCHSQL
      || pR->pS->eKind==ACDC_STEP_MV;
}

/*
** Id of the target in autocdc_targets, 0 if it has none.  State of a target
** that was dropped goes.
*/
i64 acdcStepTargetId(AcdcStepRun *pR){
  AcdcCtx *p = pR->p;
  AcdcTable tab;
  AcdcState st;
  i64 iId = 0;
  if( p->rc ) return 0;
  if( acdcStateLoad(p, pR->pStep->zSchema, pR->pStep->zName, &st) ){
    iId = st.iId;
    if( stepIsKeyless(pR) && !acdcKeyless(st.eScd) ){
      acdcError(p, SQLITE_ERROR, "target %s is written by merges, which know "
          "nothing of rows put there otherwise: use another target, or start "
          "anew with SELECT autocdc_reset('%q')", pR->zTarget, pR->zTarget);
    }
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
i64 acdcStepMakeState(AcdcStepRun *pR, int bMade){
  AcdcState st;
  i64 iId;
  if( pR->p->rc ) return 0;
  if( !acdcStateLoad(pR->p, pR->pStep->zSchema, pR->pStep->zName, &st) ){
    st.eScd = pR->pS->eKind==ACDC_STEP_MV ? ACDC_REBUILT : ACDC_APPENDED;
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
int acdcStepMakeTable(
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
static void stepDeclared(AcdcStepRun *pR, const AcdcNames *pCols, AcdcNames *pTypes){
  int i;
  for(i=0; i<pCols->n && i<pTypes->n; i++){
    int k = acdcSchemaFind(&pR->schema, pCols->az[i], (int)strlen(pCols->az[i]));
    if( k<0 || pR->schema.a[k].zType==0 ) continue;
    sqlite3_free(pTypes->az[i]);
    pTypes->az[i] = acdcStrdup(pR->p, pR->schema.a[k].zType);
    if( pTypes->az[i]==0 ) pTypes->n = i;
  }
}

/*
** Make the target, or add the columns that it lacks.  A new one has the
** declared columns first, in their order, also those that the query lacks.
*/
static int stepMakeTarget(
  AcdcStepRun *pR, const AcdcNames *pCols, const AcdcNames *pTypes
){
  AcdcCtx *p = pR->p;
  AcdcNames cols = {0, 0}, types = {0, 0};
  int i, bMade;
  for(i=0; i<pR->schema.n; i++){
    acdcNamesAdd(p, &cols, pR->schema.a[i].zName, -1);
    acdcNamesAdd(p, &types, pR->schema.a[i].zType ? pR->schema.a[i].zType : "",
                 -1);
  }
  for(i=0; i<pCols->n; i++){
    if( acdcNamesFind(&cols, pCols->az[i])>=0 ) continue;
    acdcNamesAdd(p, &cols, pCols->az[i], -1);
    acdcNamesAdd(p, &types, pTypes->az[i], -1);
  }
  bMade = acdcStepMakeTable(p, pR->pStep->zSchema, pR->pStep->zName, &cols,
                            &types);
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
  return bMade;
}

/* "a", "b" of a list of names.  Owned by the caller. */
char *acdcStepList(AcdcCtx *p, const AcdcNames *pCols){
  char *z = 0;
  int i;
  for(i=0; i<pCols->n; i++){
    acdcAppendf(p, &z, "%s\"%w\"", i ? ", " : "", pCols->az[i]);
  }
  return z;
}

static void stepSchema(AcdcStepRun *pR){
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

/* ---- inputs ---- */

void acdcStepBegin(AcdcStepRun *pR, const char *zFlow){
  acdcPlanInit(&pR->plan, pR->pPipe, pR->pStep, zFlow);
  pR->plan.iTarget = acdcStepTargetId(pR);
  pR->plan.bReadAll = pR->pPipe->pOpt && pR->pPipe->pOpt->bReadAll;
  pR->plan.bAppend = pR->pS->eKind==ACDC_STEP_APPEND
                  || pR->pS->eKind==ACDC_STEP_BATCHSQL;
  pR->nRejected = pR->nQuarantined = 0;
  pR->iStart = acdcRunClock();
}

void acdcStepEnd(AcdcStepRun *pR){
  acdcPlanClear(&pR->plan);
  sqlite3_free(pR->zGood);
  sqlite3_free(pR->zNote);
  sqlite3_free(pR->zExpect);
  pR->zGood = pR->zNote = pR->zExpect = 0;
}

/* A row of the result for what is not a merge. */
void acdcStepReport(
  AcdcStepRun *pR, const char *zFlow, const char *zStatus, i64 nRead,
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
  pRow->zExpect = acdcStrdup(p, pR->zExpect);
  pRow->zMessage = acdcMprintf(p, "%s%s%s", zMessage ? zMessage : "",
      zMessage && pR->zNote ? "; " : "", pR->zNote ? pR->zNote : "");
  if( pRow->zMessage && pRow->zMessage[0]==0 ){
    sqlite3_free(pRow->zMessage);
    pRow->zMessage = 0;
  }
  acdcRunLog(p, pR->pStep->zSchema, pRow);
}

/* True, and reported, if there is nothing to read yet. */
static int inputIsEmpty(AcdcStepRun *pR, const char *zFlow){
  if( !pR->plan.bEmpty || pR->p->rc!=SQLITE_EMPTY ) return 0;
  acdcCtxClear(pR->p);
  acdcStepReport(pR, zFlow, "ok", 0, 0, 0, "no files to read yet");
  return 1;
}

/* True, and reported, if a flow that runs once has run. */
static int inputIsDone(AcdcStepRun *pR, const AcdcInput *pIn){
  char *zMessage;
  if( !pIn->bOnce || !acdcPlanMarked(&pR->plan, "once") ) return 0;
  zMessage = acdcMprintf(pR->p, "runs once, and has run: SELECT "
      "autocdc_reset('%q') runs it again", pR->zTarget);
  acdcStepReport(pR, pIn->zName, "skipped", 0, 0, 0, zMessage);
  sqlite3_free(zMessage);
  return 1;
}

/*
** Put the planned rows into the target.  Returns their number.
*/
i64 acdcStepAppend(AcdcStepRun *pR, int *pbMade){
  AcdcCtx *p = pR->p;
  AcdcNames cols = {0, 0}, types = {0, 0};
  sqlite3_stmt *pStmt;
  char *zList;
  i64 n = 0;
  acdcPlanColumns(&pR->plan, &cols, &types);
  stepDeclared(pR, &cols, &types);
  *pbMade = stepMakeTarget(pR, &cols, &types);
  zList = acdcStepList(p, &cols);
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

/* Add what became of bad records of files to what the rules found. */
static void appendReaders(AcdcStepRun *pR){
  int i;
  for(i=0; i<pR->plan.nReader && pR->p->rc==SQLITE_OK; i++){
    char *z = acdcReaderReport(pR->p, pR->plan.apReader[i]);
    pR->nRejected += pR->plan.apReader[i]->nDropped;
    if( z ){
      acdcAppendf(pR->p, &pR->zNote, "%s%s", pR->zNote ? "; " : "", z);
    }
    sqlite3_free(z);
  }
}

static void stepAppend(AcdcStepRun *pR, const AcdcInput *pIn){
  AcdcCtx *p = pR->p;
  int bMade = 0;
  i64 n = 0, iTarget;
  acdcStepBegin(pR, pIn->zName);
  if( !inputIsDone(pR, pIn) ){
    if( pR->pS->eKind==ACDC_STEP_BATCHSQL ){
      acdcPlanQuery(&pR->plan, pR->pS->zSql, pR->pS->zSqlPath, pIn);
    }else{
      acdcPlanInput(&pR->plan, pIn, pIn->bOnce);
    }
    if( !inputIsEmpty(pR, pIn->zName) && p->rc==SQLITE_OK ){
      acdcPlanTrust(&pR->plan);
      acdcStepJudge(pR, pIn, 0);
      n = acdcStepAppend(pR, &bMade);
      appendReaders(pR);
      iTarget = acdcStepMakeState(pR, bMade);
      acdcPlanCommit(&pR->plan, iTarget);
      if( pIn->bOnce ) acdcPlanMark(&pR->plan, iTarget, "once");
      acdcStepReport(pR, pIn->zName, 0, n + pR->nRejected, n, 0,
                  bMade ? "created the target" : 0);
    }
  }
  acdcErrorWhere(p, "flow \"%s\"", pIn->zName ? pIn->zName : "?");
  acdcStepEnd(pR);
}

/* ---- merges ---- */

/* An expression of the settings, translated; *pz is replaced. */
static void flowExpr(AcdcStepRun *pR, char **pz){
  char *zNew;
  if( *pz==0 ) return;
  acdcPipelineTrust(pR->p, pR->pStep->pOwner, *pz);
  zNew = acdcSparkExpr(pR->p, *pz);
  if( zNew ){
    sqlite3_free(*pz);
    *pz = zNew;
  }
}

/* The settings of the step as a flow of its own. */
void acdcStepFlow(AcdcStepRun *pR, const char *zName, AcdcFlow *pFlow){
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
static void flowTrust(AcdcStepRun *pR, const AcdcFlow *pFlow, const char *zFrom){
  AcdcCtx *p = pR->p;
  char *z = 0;
  const char *az[3];
  int i, bVtab;
  if( zFrom && !pR->pStep->pOwner->bTrusted ){
    acdcTrustVtabs(p, zFrom, "the spec");
  }
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
      acdcTrustProgram(p, zSql, 0, "SQL of the spec", &bVtab);
      sqlite3_free(zSql);
    }else{
      acdcPlanTrustExprs(&pR->plan, z);
    }
    if( p->rc && p->rc!=SQLITE_AUTH && p->rc!=SQLITE_NOMEM ) acdcCtxClear(p);
  }
  sqlite3_free(z);
}

/* Declared types for the columns of a reader. */
static void readerDeclared(AcdcStepRun *pR, AcdcReader *pReader){
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
static void mergeNotes(AcdcStepRun *pR, int nBefore){
  AcdcCtx *p = pR->p;
  AcdcRunRow *pRow;
  sqlite3_stmt *pStmt;
  if( p->rc || pR->pR->n<=nBefore ) return;
  if( pR->zExpect==0 ) return;
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
      "rows_read=?2, message=?3, status=?4, expectations=?5 WHERE "
      "id=(SELECT max(id) FROM \"%w\".autocdc_runs)", pR->pStep->zSchema,
      pR->pStep->zSchema);
  if( pStmt ){
    sqlite3_bind_int64(pStmt, 1, pRow->n.nRejected);
    sqlite3_bind_int64(pStmt, 2, pRow->n.nRead);
    sqlite3_bind_text(pStmt, 3, pRow->zMessage, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 4, pRow->zStatus, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 5, pR->zExpect, -1, SQLITE_STATIC);
  }
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
}

/* Merge the planned rows. */
void acdcStepMerge(AcdcStepRun *pR, AcdcFlow *pFlow, const char *zLabel){
  AcdcCtx *p = pR->p;
  AcdcRunFlowOpts opts;
  AcdcReader *pReader;
  int nBefore = pR->pR->n;
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pR->plan.bReadAll;
  if( pR->pPipe->pOpt ) opts.nMemory = pR->pPipe->pOpt->nMemory;
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
static int mergeTable(AcdcStepRun *pR, const AcdcInput *pIn, AcdcFlow *pFlow){
  AcdcCtx *p = pR->p;
  AcdcRunFlowOpts opts;
  char *zTable = 0, *zWhere = 0;
  int bWhole = 0;
  if( pR->rules.n || pR->schema.n || pR->pS->migration.zName
   || pR->pS->eKind!=ACDC_STEP_MERGE
   || !acdcPlanIsTable(&pR->plan, pIn, &zTable, &zWhere, &bWhole) ) return 0;
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pR->plan.bReadAll || bWhole;
  if( pR->pPipe->pOpt ) opts.nMemory = pR->pPipe->pOpt->nMemory;
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

static void stepMerge(AcdcStepRun *pR, const AcdcInput *pIn){
  AcdcCtx *p = pR->p;
  AcdcFlow flow;
  acdcStepBegin(pR, pIn->zName);
  if( !inputIsDone(pR, pIn) ){
    acdcStepFlow(pR, pIn->zName, &flow);
    if( p->rc==SQLITE_OK && !mergeTable(pR, pIn, &flow) ){
      acdcPlanInput(&pR->plan, pIn, pIn->bOnce
                    || pR->pS->eKind==ACDC_STEP_SNAPSHOT);
      if( !inputIsEmpty(pR, pIn->zName) && p->rc==SQLITE_OK ){
        i64 iTarget;
        acdcPlanTrust(&pR->plan);
        acdcStepJudge(pR, pIn, &flow);
        acdcStepMerge(pR, &flow, pIn->zView ? pIn->zView : pIn->zName);
        iTarget = acdcStepTargetId(pR);
        if( iTarget ) acdcPlanCommit(&pR->plan, iTarget);
        if( iTarget && pIn->bOnce ) acdcPlanMark(&pR->plan, iTarget, "once");
      }
    }
    acdcFlowClear(&flow);
  }
  /* The merge names its flow itself. */
  if( p->rc && strncmp(acdcErrorText(p), "flow '", 6)==0 ){
    acdcStepEnd(pR);
    return;
  }
  acdcErrorWhere(p, "flow \"%s\"", pIn->zName ? pIn->zName : "?");
  acdcStepEnd(pR);
}

/* ---- materialized views ---- */

/* Columns that the query no longer has go, if the table is ours. */
static void viewDropColumns(AcdcStepRun *pR, const AcdcNames *pCols){
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

static void stepView(AcdcStepRun *pR){
  AcdcCtx *p = pR->p;
  const AcdcInput *pIn = pR->pS->pInput;
  const char *zFlow = pIn && pIn->zName ? pIn->zName : pR->pS->target.zName;
  AcdcNames cols = {0, 0}, types = {0, 0};
  AcdcTable tab;
  i64 n = 0, nOld = 0;
  int bMade = 0;
  acdcStepBegin(pR, zFlow);
  if( pR->pS->zSql || pR->pS->zSqlPath ){
    acdcPlanQuery(&pR->plan, pR->pS->zSql, pR->pS->zSqlPath, 0);
  }else if( pIn ){
    acdcPlanInput(&pR->plan, pIn, 1);
  }
  if( !inputIsEmpty(pR, zFlow) && p->rc==SQLITE_OK ){
    acdcPlanTrust(&pR->plan);
    acdcStepJudge(pR, pIn, 0);
    acdcPlanColumns(&pR->plan, &cols, &types);
    if( acdcTableFind(p, pR->pStep->zSchema, pR->pStep->zName, &tab) ){
      acdcTableClear(&tab);
      acdcExec(p, "DELETE FROM \"%w\".\"%w\"", pR->pStep->zSchema,
               pR->pStep->zName);
      nOld = sqlite3_changes64(p->db);
      viewDropColumns(pR, &cols);
    }
    n = acdcStepAppend(pR, &bMade);
    acdcStepMakeState(pR, bMade);
    acdcStepReport(pR, zFlow, 0, n + pR->nRejected, n, nOld,
                bMade ? "created the target" : 0);
  }
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
  acdcErrorWhere(p, "materialized view");
  acdcStepEnd(pR);
}

/* ---- the step ---- */

/* A plain identifier? */
static int nameIsPlain(const char *zName){
  const char *z;
  for(z=zName; *z; z++){
    if( !((*z>='a' && *z<='z') || (*z>='A' && *z<='Z') || *z=='_'
          || (*z>='0' && *z<='9' && z!=zName)) ) return 0;
  }
  return z>zName;
}

char *acdcStepName(
  AcdcCtx *p, const char *zSchema, const char *zName, int bSchema
){
  const char *z;
  if( nameIsPlain(zName) && !bSchema && sqlite3_stricmp(zSchema, "main")==0 ){
    return acdcStrdup(p, zName);
  }
  if( bSchema && (!nameIsPlain(zName) || !nameIsPlain(zSchema)
       || sqlite3_keyword_check(zName, (int)strlen(zName))
       || sqlite3_keyword_check(zSchema, (int)strlen(zSchema))) ){
    return acdcMprintf(p, "\"%w\".\"%w\"", zSchema, zName);
  }
  for(z=zName; *z && *z!='.' && *z!='"' && *z!='`' && *z!='['; z++){}
  if( *z==0 && strchr(zSchema, '.')==0 ){
    return acdcMprintf(p, "%s.%s", zSchema, zName);
  }
  return acdcMprintf(p, "\"%w\".\"%w\"", zSchema, zName);
}

void acdcStepRun(AcdcPipeline *pPipe, AcdcPipeStep *pStep, AcdcRunResult *pR){
  const AcdcInput *pIn;
  AcdcStepRun run;
  int bSkip = 0;
  memset(&run, 0, sizeof(run));
  run.p = pPipe->p;
  run.pPipe = pPipe;
  run.pStep = pStep;
  run.pS = pStep->pStep;
  run.pR = pR;
  run.zTarget = acdcStepName(run.p, pStep->zSchema, pStep->zName, 0);
  acdcStepRules(&run);
  stepSchema(&run);
  if( run.p->rc==SQLITE_OK && run.pS->migration.zName ){
    bSkip = acdcStepMigrate(&run);
  }
  if( run.p->rc==SQLITE_OK && run.pS->eKind==ACDC_STEP_MV ) stepView(&run);
  if( run.p->rc==SQLITE_OK && run.pS->eKind==ACDC_STEP_VERSIONS ){
    if( run.pS->versions.bFiles ) acdcStepVersionFiles(&run);
    else acdcStepVersionTable(&run);
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
