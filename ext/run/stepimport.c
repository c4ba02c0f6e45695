/*
** Steps that read what is not a stream: versions of snapshots, and old tables
** that are imported once.
*/
#include "stepint.h"
#include "../source/versions.h"
#include "../core/trust.h"
#include "../spec/files.h"

/* ---- versions of snapshots ---- */

/* Apply one version.  Returns 0 if those behind it must wait. */
static int versionApply(
  AcdcStepRun *pR, const AcdcFileList *pFiles, const AcdcVal *pVersion,
  const char *zVersion, const char *zMark
){
  AcdcCtx *p = pR->p;
  AcdcFlow flow;
  int nBefore = pR->pR->n;
  int bGoOn = 1;
  i64 iTarget;
  acdcStepBegin(pR, pR->pS->target.zName);
  if( !acdcPlanMarked(&pR->plan, zMark) ){
    acdcStepFlow(pR, pR->pS->target.zName, &flow);
    flow.bSnapshot = 1;
    acdcFlowSetVersion(p, &flow, pVersion);
    acdcPlanVersion(&pR->plan, pFiles, pVersion, zVersion);
    if( p->rc==SQLITE_OK ){
      acdcPlanTrust(&pR->plan);
      acdcStepJudge(pR, 0, &flow);
      acdcStepMerge(pR, &flow, pR->pS->versions.bFiles
          ? pR->pS->versions.zPath : pR->pS->versions.table.zName);
    }
    if( p->rc==SQLITE_OK && pR->pR->n>nBefore ){
      bGoOn = !pR->pR->a[pR->pR->n-1].bStop;
    }
    iTarget = acdcStepTargetId(pR);
    if( iTarget && bGoOn ) acdcPlanMark(&pR->plan, iTarget, zMark);
    acdcFlowClear(&flow);
    acdcErrorWhere(p, "version %s", zVersion);
  }
  acdcStepEnd(pR);
  return bGoOn && p->rc==SQLITE_OK;
}

/* The members of a version specification, as the spec has them. */
static void versionSpec(AcdcStepRun *pR, AcdcVersionSpec *pSpec){
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

void acdcStepVersionFiles(AcdcStepRun *pR){
  AcdcCtx *p = pR->p;
  AcdcVersionSpec spec;
  AcdcVersions list;
  int i;
  memset(&list, 0, sizeof(list));
  acdcSpecMayRead(p, &pR->pStep->pOwner->opt);
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
    acdcVersionValue(&spec, pV, &v);
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

void acdcStepVersionTable(AcdcStepRun *pR){
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
  if( p->rc==SQLITE_OK && !pR->pStep->pOwner->bTrusted ){
    acdcTrustVtabs(p, zName, "the spec");
  }
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
int acdcStepMigrate(AcdcStepRun *pR){
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
  acdcStepBegin(pR, zFlow);
  if( pR->plan.iTarget && acdcPlanMarked(&pR->plan, "migration") ){
    acdcStepEnd(pR);
    sqlite3_free(zFlow);
    return 0;
  }
  acdcPlanTable(&pR->plan, &pS->migration, &pS->migrationSelect,
                &pS->migrationWhere, &pS->migrationExcept);
  if( p->rc==SQLITE_OK ) acdcPlanTrust(&pR->plan);
  if( p->rc==SQLITE_OK && pS->eKind==ACDC_STEP_MERGE && !bHistory ){
    acdcStepFlow(pR, zFlow, &flow);
    acdcStepMerge(pR, &flow, pS->migration.zName);
    acdcFlowClear(&flow);
  }else if( p->rc==SQLITE_OK ){
    if( bHistory
     && acdcTableFind(p, pR->pStep->zSchema, pR->pStep->zName, &tab) ){
      acdcTableClear(&tab);
      acdcError(p, SQLITE_ERROR, "the target \"%s\" is there already: a history "
                "is imported into a new table", pR->zTarget);
    }
    n = acdcStepAppend(pR, &bMade);
    acdcStepReport(pR, zFlow, "ok", n, n, 0, "imported");
    if( !bHistory ) acdcStepMakeState(pR, bMade);
  }
  acdcStepEnd(pR);
  /* Rows of before the import: the sources go on behind them. */
  for(pIn=pS->pInput; pIn && bHistory && p->rc==SQLITE_OK; pIn=pIn->pNext){
    /* An empty run makes the state that the marks belong to. */
    acdcStepBegin(pR, pIn->zName);
    acdcStepFlow(pR, pIn->zName, &flow);
    acdcPlanInput(&pR->plan, pIn, 0);
    if( p->rc==SQLITE_OK ){
      pR->zGood = acdcStrdup(p, "0");
      acdcStepMerge(pR, &flow, pIn->zView ? pIn->zView : pIn->zName);
    }
    acdcFlowClear(&flow);
    acdcStepEnd(pR);
    break;
  }
  iTarget = acdcStepTargetId(pR);
  acdcStepBegin(pR, zFlow);
  if( iTarget && p->rc==SQLITE_OK ){
    acdcPlanMark(&pR->plan, iTarget, "migration");
  }
  acdcStepEnd(pR);
  for(pIn=pS->pInput; pIn && pS->bMigrationSkip && p->rc==SQLITE_OK;
      pIn=pIn->pNext){
    acdcStepBegin(pR, pIn->zName);
    acdcPlanInput(&pR->plan, pIn, 0);
    if( pR->plan.bEmpty && p->rc==SQLITE_EMPTY ) acdcCtxClear(p);
    if( iTarget ) acdcPlanCommit(&pR->plan, iTarget);
    acdcStepEnd(pR);
  }
  sqlite3_free(zFlow);
  return pS->bMigrationSkip && p->rc==SQLITE_OK;
}
