/*
** The pipeline of all loaded specs: where tables are, what depends on what,
** what is asked for.  See pipeline.h.
*/
#include "pipeline.h"
#include "plan.h"
#include "planint.h"
#include "../core/trust.h"
#include "../spec/cache.h"
#include "../spec/catalog.h"
#include "../spec/sparksql.h"

/* AcdcPipeStep.eMark, while steps are put in order */
#define MARK_OPEN 1
#define MARK_DONE 2

/* ---- places of tables ---- */

static int isAttached(AcdcCtx *p, const char *zSchema){
  return zSchema && 0!=acdcSelectInt(p, 0, "SELECT 1 FROM pragma_database_list "
      "WHERE name=%Q COLLATE NOCASE", zSchema);
}

/*
** Schema and table that a name of a spec stands for, by the names alone: the
** attached schema of that name, else main; with flatten the schema's name goes
** in front.  Both texts are owned by the caller.
*/
static void placeOf(
  AcdcCtx *p, const AcdcPipeSpec *pOwner, const AcdcRel *pRel,
  char **pzSchema, char **pzName
){
  if( isAttached(p, pRel->zSchema) ){
    *pzSchema = acdcStrdup(p, pRel->zSchema);
    *pzName = acdcStrdup(p, pRel->zName);
  }else{
    *pzSchema = acdcStrdup(p, "main");
    *pzName = pOwner->opt.bFlatten && pRel->zSchema
        ? acdcMprintf(p, "%s__%s", pRel->zSchema, pRel->zName)
        : acdcStrdup(p, pRel->zName);
  }
}

int acdcPipelineStepOf(
  const AcdcPipeline *pPipe, const AcdcPipeSpec *pOwner, const AcdcRel *pRel
){
  char *zSchema = 0, *zName = 0;
  int i, iFound = -1;
  if( pRel->zName==0 ) return -1;
  if( pRel->zSchema ) placeOf(pPipe->p, pOwner, pRel, &zSchema, &zName);
  for(i=0; i<pPipe->nStep; i++){
    const AcdcPipeStep *pS = &pPipe->aStep[i];
    int bIs;
    if( pS->zName==0 || pS->pStep->bSink ) continue;
    if( pRel->zSchema ){
      bIs = zName && zSchema && sqlite3_stricmp(zName, pS->zName)==0
         && sqlite3_stricmp(zSchema, pS->zSchema)==0;
    }else{
      bIs = sqlite3_stricmp(pRel->zName, pS->pStep->target.zName)==0
         || (pS->pStep->zNode && pS->pOwner==pOwner
             && sqlite3_stricmp(pRel->zName, pS->pStep->zNode)==0);
    }
    if( bIs && (iFound<0 || (pS->pOwner==pOwner
                && pPipe->aStep[iFound].pOwner!=pOwner)) ){
      iFound = i;
    }
  }
  sqlite3_free(zSchema);
  sqlite3_free(zName);
  return iFound;
}

void acdcPipelineTable(
  AcdcPipeline *pPipe, const AcdcPipeSpec *pOwner, const AcdcRel *pRel,
  char **pzSchema, char **pzName, int *piStep
){
  AcdcCtx *p = pPipe->p;
  AcdcTable tab;
  int i = acdcPipelineStepOf(pPipe, pOwner, pRel);
  *piStep = i;
  *pzSchema = *pzName = 0;
  if( p->rc ) return;
  if( pRel->zName==0 ){
    acdcError(p, SQLITE_ERROR, "the name of a table is missing");
    return;
  }
  if( i>=0 ){
    *pzSchema = acdcStrdup(p, pPipe->aStep[i].zSchema);
    *pzName = acdcStrdup(p, pPipe->aStep[i].zName);
    return;
  }
  placeOf(p, pOwner, pRel, pzSchema, pzName);
  if( p->rc || acdcTableFind(p, *pzSchema, *pzName, &tab) ){
    if( p->rc==SQLITE_OK ) acdcTableClear(&tab);
    return;
  }
  /* Not where its name says: a table of that name anywhere, TEMP included. */
  if( p->rc==SQLITE_OK && !isAttached(p, pRel->zSchema)
   && acdcTableFind(p, 0, pRel->zName, &tab) ){
    sqlite3_free(*pzSchema);
    sqlite3_free(*pzName);
    *pzSchema = acdcStrdup(p, tab.zSchema);
    *pzName = acdcStrdup(p, tab.zName);
    acdcTableClear(&tab);
  }
}

/* ---- what depends on what ---- */

typedef struct PipeWalk PipeWalk;
struct PipeWalk {
  AcdcPipeline *pPipe;
  AcdcPipeStep *pStep;
  AcdcPlan plan;           /* For the texts of SQL files */
  AcdcNames seen;          /* Views walked through */
  int nDepth;              /* Views being walked through */
};

static void walkDep(PipeWalk *pW, const AcdcRel *pRel){
  AcdcPipeline *pPipe = pW->pPipe;
  AcdcPipeStep *pS = pW->pStep;
  int i = acdcPipelineStepOf(pPipe, pS->pOwner, pRel);
  int k, *aNew;
  int iSelf = (int)(pS - pPipe->aStep);
  /* A step that reads its own table is refused when it is planned. */
  if( i<0 || i==iSelf ) return;
  for(k=0; k<pPipe->nStep; k++){
    const AcdcPipeStep *pOther = &pPipe->aStep[k];
    int j;
    /* Every step that fills the table comes first. */
    if( k==iSelf || pOther->zName==0 || pOther->pStep->bSink
     || sqlite3_stricmp(pOther->zName, pPipe->aStep[i].zName)
     || sqlite3_stricmp(pOther->zSchema, pPipe->aStep[i].zSchema) ) continue;
    for(j=0; j<pS->nDep && pS->aDep[j]!=k; j++){}
    if( j<pS->nDep ) continue;
    aNew = acdcRealloc(pPipe->p, pS->aDep, (pS->nDep+1)*(i64)sizeof(int));
    if( aNew==0 ) return;
    pS->aDep = aNew;
    aNew[pS->nDep++] = k;
  }
}

static void walkView(PipeWalk *pW, const AcdcView *pView);

static char *walkRelation(
  void *pArg, AcdcCtx *p, int nPart, char **azPart, int bLive, int bStream
){
  PipeWalk *pW = (PipeWalk*)pArg;
  AcdcRel rel;
  ACDC_UNUSED(p);
  ACDC_UNUSED(bLive);
  ACDC_UNUSED(bStream);
  if( nPart==1 ){
    AcdcView *pView = acdcSpecView(pW->pStep->pOwner->pSpec, azPart[0]);
    if( pView ){
      walkView(pW, pView);
      return 0;
    }
  }
  memset(&rel, 0, sizeof(rel));
  rel.zName = azPart[nPart-1];
  rel.zSchema = nPart>1 ? azPart[nPart-2] : 0;
  walkDep(pW, &rel);
  return 0;
}

static void walkSql(PipeWalk *pW, const char *zSql, const char *zSqlPath){
  AcdcSparkHost host;
  const char *z = acdcPlanText(&pW->plan, zSql, zSqlPath);
  char *zNew;
  host.pArg = pW;
  host.xRelation = walkRelation;
  host.xColumns = 0;
  zNew = z ? acdcSparkQuery(pW->pPipe->p, z, &host) : 0;
  sqlite3_free(zNew);
}

static void walkView(PipeWalk *pW, const AcdcView *pView){
  int i;
  if( acdcNamesFind(&pW->seen, pView->zName)>=0 ) return;
  /* Deeper ones are refused when they are planned. */
  if( pW->nDepth>ACDC_PLAN_DEPTH ) return;
  acdcNamesAdd(pW->pPipe->p, &pW->seen, pView->zName, -1);
  pW->nDepth++;
  switch( pView->eKind ){
    case ACDC_VIEW_TABLE:
      walkDep(pW, &pView->table);
      break;
    case ACDC_VIEW_JOIN:
      for(i=0; i<pView->nSide; i++) walkView(pW, pView->apSide[i]);
      break;
    case ACDC_VIEW_SQL:
      walkSql(pW, pView->zSql, pView->zSqlPath);
      break;
    default:
      break;
  }
  pW->nDepth--;
}

static void walkStep(AcdcPipeline *pPipe, AcdcPipeStep *pStep){
  const AcdcStep *pS = pStep->pStep;
  const AcdcInput *pIn;
  PipeWalk walk;
  memset(&walk, 0, sizeof(walk));
  walk.pPipe = pPipe;
  walk.pStep = pStep;
  acdcPlanInit(&walk.plan, pPipe, pStep, "");
  for(pIn=pS->pInput; pIn; pIn=pIn->pNext){
    const AcdcView *pView = pIn->pView ? pIn->pView
        : pIn->zView ? acdcSpecView(pStep->pOwner->pSpec, pIn->zView) : 0;
    if( pView ){
      walkView(&walk, pView);
    }else if( pIn->zView ){
      AcdcRel rel;
      const char *zDot = strrchr(pIn->zView, '.');
      char *zSchema = zDot ? acdcStrndup(pPipe->p, pIn->zView,
                                         zDot - pIn->zView) : 0;
      memset(&rel, 0, sizeof(rel));
      rel.zName = zDot ? zDot+1 : pIn->zView;
      rel.zSchema = zSchema;
      walkDep(&walk, &rel);
      sqlite3_free(zSchema);
    }
  }
  if( pS->zSql || pS->zSqlPath ) walkSql(&walk, pS->zSql, pS->zSqlPath);
  if( pS->versions.table.zName ) walkDep(&walk, &pS->versions.table);
  if( pS->migration.zName ) walkDep(&walk, &pS->migration);
  acdcPlanClear(&walk.plan);
  acdcNamesFree(&walk.seen);
}

/* Depth first; a step that is met while it is open closes a cycle. */
static void orderStep(AcdcPipeline *pPipe, int i, int *pn, AcdcNames *pPath){
  AcdcPipeStep *pS = &pPipe->aStep[i];
  int k;
  if( pS->eMark==MARK_DONE || pPipe->p->rc ) return;
  if( pS->eMark==MARK_OPEN ){
    char *zCycle = 0;
    for(k=acdcNamesFind(pPath, pS->zName); k>=0 && k<pPath->n; k++){
      acdcAppendf(pPipe->p, &zCycle, "%s -> ", pPath->az[k]);
    }
    acdcError(pPipe->p, SQLITE_ERROR, "tables depend on each other in a circle: "
              "%s%s", zCycle ? zCycle : "", pS->zName);
    sqlite3_free(zCycle);
    return;
  }
  pS->eMark = MARK_OPEN;
  acdcNamesAdd(pPipe->p, pPath, pS->zName, -1);
  for(k=0; k<pS->nDep; k++) orderStep(pPipe, pS->aDep[k], pn, pPath);
  if( pPath->n ) sqlite3_free(pPath->az[--pPath->n]);
  pS->eMark = MARK_DONE;
  pPipe->aOrder[(*pn)++] = i;
}

static void pipelineOrder(AcdcPipeline *pPipe){
  AcdcNames path = {0, 0};
  int i, n = 0;
  for(i=0; i<pPipe->nStep && pPipe->p->rc==SQLITE_OK; i++){
    walkStep(pPipe, &pPipe->aStep[i]);
  }
  pPipe->aOrder = acdcMalloc(pPipe->p, (pPipe->nStep+1)*(i64)sizeof(int));
  for(i=0; i<pPipe->nStep && pPipe->p->rc==SQLITE_OK; i++){
    orderStep(pPipe, i, &n, &path);
  }
  acdcNamesFree(&path);
}

/* ---- opening ---- */

/*
** Two tables of different databases in the document must not become one here.
*/
static void checkCollisions(AcdcPipeline *pPipe){
  int i, k;
  for(i=0; i<pPipe->nStep; i++){
    const AcdcPipeStep *pA = &pPipe->aStep[i];
    for(k=0; k<i && pPipe->p->rc==SQLITE_OK; k++){
      const AcdcPipeStep *pB = &pPipe->aStep[k];
      const char *zA = pA->pStep->target.zSchema;
      const char *zB = pB->pStep->target.zSchema;
      if( pA->zName==0 || pB->zName==0 || sqlite3_stricmp(pA->zName, pB->zName)
       || sqlite3_stricmp(pA->zSchema, pB->zSchema) ) continue;
      if( sqlite3_stricmp(zA ? zA : "", zB ? zB : "")==0 ) continue;
      acdcError(pPipe->p, SQLITE_ERROR, "%s%s%s and %s%s%s would both be the "
          "table \"%s\".\"%s\": ATTACH 'file.db' AS \"%s\" gives the database "
          "a schema of its own, or the option {\"flatten\": true} names it "
          "%s__%s", zB ? zB : "", zB ? "." : "", pB->zName, zA ? zA : "",
          zA ? "." : "", pA->zName, pA->zSchema, pA->zName,
          zA ? zA : zB, zA ? zA : zB, pA->zName);
    }
  }
}

/*
** Where an untrusted spec may read files: under the folder of its database,
** or where the call says.  A database without a file (it may be one that was
** deserialized) has no folder, so nowhere.
*/
static void restrictSpec(
  AcdcCtx *p, AcdcPipeSpec *pS, const AcdcRunOptions *pOpt
){
  const char *zFile = sqlite3_db_filename(p->db, pS->zHome);
  if( pOpt && pOpt->zBasePath ){
    sqlite3_free(pS->opt.zBasePath);
    pS->opt.zBasePath = acdcStrdup(p, pOpt->zBasePath);
  }else if( !pS->bTrusted && (zFile==0 || zFile[0]==0) ){
    pS->opt.bNoFiles = 1;
  }else if( !pS->bTrusted ){
    const char *zSlash = strrchr(zFile, '/');
    sqlite3_free(pS->opt.zBasePath);
    pS->opt.zBasePath = zSlash ? acdcStrndup(p, zFile, zSlash==zFile ? 1
                                             : zSlash-zFile)
                               : acdcStrdup(p, ".");
  }
}

static void openSpec(AcdcPipeline *pPipe, AcdcCatalogRow *pRow){
  AcdcCtx *p = pPipe->p;
  AcdcPipeSpec *aNew, *pS;
  AcdcDiags diags;
  memset(&diags, 0, sizeof(diags));
  aNew = acdcRealloc(p, pPipe->aSpec, (pPipe->nSpec+1)*(i64)sizeof(*aNew));
  if( aNew==0 ) return;
  pPipe->aSpec = aNew;
  pS = &aNew[pPipe->nSpec++];
  memset(pS, 0, sizeof(*pS));
  pS->zHome = acdcStrdup(p, "main");
  pS->bTrusted = pRow->bTrusted;
  pS->iRow = pRow->iRow;
  acdcSpecOptionsRead(p, pRow->zOptions, &pS->opt);
  restrictSpec(p, pS, pPipe->pOpt);        /* before anything is read */
  acdcSpecCompile(p, pRow->zText ? pRow->zText : "", pRow->zOptions, &pS->opt,
                  &diags, &pS->pSpec);
  pS->zName = acdcStrdup(p, pRow->zName ? pRow->zName
      : pS->pSpec ? pS->pSpec->zName : "?");
  acdcDiagRaise(p, &diags, "the spec");
  acdcErrorWhere(p, "spec \"%s\" in autocdc_specs (autocdc_drop() forgets it, "
                 "enabled = 0 rests it)", pS->zName ? pS->zName : "?");
  acdcDiagClear(&diags);
}

static void openSteps(AcdcPipeline *pPipe){
  AcdcCtx *p = pPipe->p;
  int i, n = 0;
  for(i=0; i<pPipe->nSpec; i++) n += pPipe->aSpec[i].pSpec->nStep;
  pPipe->aStep = acdcMalloc(p, (n+1)*(i64)sizeof(AcdcPipeStep));
  for(i=0; i<pPipe->nSpec && pPipe->aStep; i++){
    AcdcPipeSpec *pOwner = &pPipe->aSpec[i];
    const AcdcStep *pStep;
    for(pStep=pOwner->pSpec->pStep; pStep; pStep=pStep->pNext){
      AcdcPipeStep *pS = &pPipe->aStep[pPipe->nStep++];
      pS->pStep = pStep;
      pS->pOwner = pOwner;
      placeOf(p, pOwner, &pStep->target, &pS->zSchema, &pS->zName);
    }
  }
}

void acdcPipelineOpen(
  AcdcCtx *p, const AcdcRunOptions *pOpt, AcdcPipeline *pOut
){
  AcdcCatalogRow row;
  i64 iRow = 0;
  memset(pOut, 0, sizeof(*pOut));
  pOut->p = p;
  pOut->pOpt = pOpt;
  while( p->rc==SQLITE_OK && acdcCatalogNext(p, iRow, &row) ){
    iRow = row.iRow;
    openSpec(pOut, &row);
    acdcCatalogRowClear(&row);
  }
  if( p->rc==SQLITE_OK ) openSteps(pOut);
  if( p->rc==SQLITE_OK ) checkCollisions(pOut);
  if( p->rc==SQLITE_OK ) pipelineOrder(pOut);
}

void acdcPipelineClose(AcdcPipeline *pPipe){
  int i;
  for(i=0; i<pPipe->nStep; i++){
    sqlite3_free(pPipe->aStep[i].zSchema);
    sqlite3_free(pPipe->aStep[i].zName);
    sqlite3_free(pPipe->aStep[i].aDep);
  }
  for(i=0; i<pPipe->nSpec; i++){
    AcdcPipeSpec *pS = &pPipe->aSpec[i];
    sqlite3_free(pS->zName);
    sqlite3_free(pS->zHome);
    acdcSpecFree(pS->pSpec);
    acdcSpecOptionsClear(&pS->opt);
  }
  sqlite3_free(pPipe->aStep);
  sqlite3_free(pPipe->aSpec);
  sqlite3_free(pPipe->aOrder);
  memset(pPipe, 0, sizeof(*pPipe));
}

/* ---- choosing ---- */

/* How a name can be meant; tried in this order. */
#define BY_FLOW   0
#define BY_TARGET 1
#define BY_ID     2
#define BY_GROUP  3

static int stepHasFlow(const AcdcPipeStep *pS, const char *zName){
  const AcdcInput *pIn;
  for(pIn=pS->pStep->pInput; pIn; pIn=pIn->pNext){
    if( pIn->zName && sqlite3_stricmp(pIn->zName, zName)==0 ) return 1;
  }
  return 0;
}

static int stepIsTarget(const AcdcPipeStep *pS, const char *zName){
  const AcdcRel *pT = &pS->pStep->target;
  char *z1, *z2;
  int bIs;
  if( pS->zName==0 ) return 0;
  if( sqlite3_stricmp(pS->zName, zName)==0 ) return 1;
  if( pT->zName && sqlite3_stricmp(pT->zName, zName)==0 ) return 1;
  z1 = sqlite3_mprintf("%s.%s", pS->zSchema, pS->zName);
  z2 = sqlite3_mprintf("%s.%s", pT->zSchema ? pT->zSchema : "main", pT->zName);
  bIs = (z1 && sqlite3_stricmp(z1, zName)==0)
     || (z2 && sqlite3_stricmp(z2, zName)==0);
  sqlite3_free(z1);
  sqlite3_free(z2);
  return bIs;
}

static int stepMatches(const AcdcPipeStep *pS, const char *zName, int eBy){
  const AcdcStep *p = pS->pStep;
  switch( eBy ){
    case BY_FLOW:   return stepHasFlow(pS, zName);
    case BY_TARGET: return stepIsTarget(pS, zName);
    case BY_ID:     return p->zId && sqlite3_stricmp(p->zId, zName)==0;
    default:        return p->zGroup && sqlite3_stricmp(p->zGroup, zName)==0;
  }
}

static void chooseUnknown(AcdcPipeline *pPipe, const char *zName){
  AcdcCtx *p = pPipe->p;
  AcdcNames all = {0, 0};
  const char *zNear;
  char *zAll;
  int i;
  for(i=0; i<pPipe->nStep; i++){
    const AcdcPipeStep *pS = &pPipe->aStep[i];
    const AcdcInput *pIn;
    const char *az[3];
    int k;
    az[0] = pS->zName;
    az[1] = pS->pStep->zId;
    az[2] = pS->pStep->zGroup;
    for(pIn=pS->pStep->pInput; pIn; pIn=pIn->pNext){
      if( pIn->zName && acdcNamesFind(&all, pIn->zName)<0 ){
        acdcNamesAdd(p, &all, pIn->zName, -1);
      }
    }
    for(k=0; k<3; k++){
      if( az[k] && acdcNamesFind(&all, az[k])<0 ){
        acdcNamesAdd(p, &all, az[k], -1);
      }
    }
  }
  zNear = acdcNearest(zName, (const char *const*)all.az, all.n);
  zAll = acdcNamesText(p, &all);
  if( zNear ){
    acdcError(p, SQLITE_ERROR, "no flow, target, data_flow_id or group is named "
              "\"%s\": did you mean \"%s\"?", zName, zNear);
  }else if( all.n==0 ){
    acdcError(p, SQLITE_ERROR, "no flow is named \"%s\", and no spec is loaded: "
        "load one with autocdc_load(), or give apply_changes() a flow as JSON: "
        "'{\"target\": \"t\", \"source\": \"t_changes\", \"keys\": \"id\", "
        "\"sequence_by\": \"seq\"}'", zName);
  }else{
    acdcError(p, SQLITE_ERROR, "no flow, target, data_flow_id or group is named "
              "\"%s\"; there are: %s", zName, zAll ? zAll : "");
  }
  sqlite3_free(zAll);
  acdcNamesFree(&all);
}

void acdcPipelineChoose(AcdcPipeline *pPipe, const char *zName){
  AcdcCtx *p = pPipe->p;
  int i, eBy, n = 0;
  if( p->rc ) return;
  if( zName==0 ){
    for(i=0; i<pPipe->nStep; i++) pPipe->aStep[i].bRun = 1;
    return;
  }
  for(eBy=BY_FLOW; eBy<=BY_GROUP && n==0; eBy++){
    for(i=0; i<pPipe->nStep; i++){
      AcdcPipeStep *pS = &pPipe->aStep[i];
      pS->bRun = (u8)stepMatches(pS, zName, eBy);
      n += pS->bRun;
    }
    if( n>0 && eBy==BY_FLOW ) pPipe->zFlow = zName;
    if( n>1 && eBy<=BY_TARGET ){
      char *z = 0;
      int nTable = 0;
      const AcdcPipeStep *pFirst = 0;
      for(i=0; i<pPipe->nStep; i++){
        const AcdcPipeStep *pS = &pPipe->aStep[i];
        if( !pS->bRun ) continue;
        acdcAppendf(p, &z, "%s%s.%s of spec \"%s\"", z ? ", " : "",
                    pS->zSchema, pS->zName, pS->pOwner->zName);
        if( pFirst==0 || sqlite3_stricmp(pFirst->zName, pS->zName)
         || sqlite3_stricmp(pFirst->zSchema, pS->zSchema) ) nTable++;
        if( pFirst==0 ) pFirst = pS;
      }
      if( nTable>1 ){
        acdcError(p, SQLITE_ERROR, "\"%s\" is ambiguous: it means %s; use the "
                  "other names that they have", zName, z ? z : "");
      }
      sqlite3_free(z);
    }
  }
  if( n==0 ) chooseUnknown(pPipe, zName);
}

/* ---- running ---- */

void acdcPipelineMayWrite(
  AcdcPipeline *pPipe, const AcdcPipeSpec *pOwner, const char *zSchema
){
  const AcdcRunOptions *pOpt = pPipe->pOpt;
  if( pOwner->bTrusted || sqlite3_stricmp(zSchema, pOwner->zHome)==0
   || (pOpt && acdcNamesFind(&pOpt->schemas, zSchema)>=0) ) return;
  acdcError(pPipe->p, SQLITE_AUTH, "the spec \"%s\" was not loaded by this "
      "connection and would write to schema \"%s\": load it again, or allow it "
      "with the option {\"schemas\": [\"%s\"]}", pOwner->zName, zSchema,
      zSchema);
}

void acdcPipelineTrust(AcdcCtx *p, const AcdcPipeSpec *pOwner, const char *z){
  acdcTrustNames(p, z, "SQL of the spec");
  acdcTrustCalls(p, z, "SQL of the spec");
  /* What this connection has loaded may read the tables it has declared. */
  if( !pOwner->bTrusted ) acdcTrustVtabs(p, z, "SQL of the spec");
}

typedef struct PipeUnit PipeUnit;
struct PipeUnit {
  AcdcPipeline *pPipe;
  AcdcPipeStep *pStep;
};

static void runUnit(AcdcCtx *p, void *pArg, AcdcRunResult *pR){
  PipeUnit *pU = (PipeUnit*)pArg;
  AcdcPipeStep *pS = pU->pStep;
  acdcPipelineMayWrite(pU->pPipe, pS->pOwner, pS->zSchema);
  if( p->rc==SQLITE_OK ) acdcStepRun(pU->pPipe, pS, pR);
  acdcErrorWhere(p, "target \"%s\" of spec \"%s\"", pS->zName,
                 pS->pOwner->zName);
}

/*
** Is the step to run?  zFlow and zTarget restrict the result, whose rows SQLite
** compares with them byte by byte.
*/
static int runWants(
  AcdcPipeline *pPipe, const AcdcPipeStep *pS, const char *zFlow,
  const char *zTarget
){
  const AcdcInput *pIn = pS->pStep->pInput;
  if( !pS->bRun || !pS->pStep->bEnabled ) return 0;
  if( zTarget ){
    char *zName = acdcStepName(pPipe->p, pS->zSchema, pS->zName, 0);
    int bIs = zName && strcmp(zName, zTarget)==0;
    sqlite3_free(zName);
    if( !bIs ) return 0;
  }
  if( zFlow && pIn==0 ) return strcmp(pS->pStep->target.zName, zFlow)==0;
  for(; zFlow && pIn; pIn=pIn->pNext){
    if( pIn->zName && strcmp(pIn->zName, zFlow)==0 ) break;
  }
  return zFlow==0 || pIn;
}

void acdcPipelineRun(
  AcdcPipeline *pPipe, const char *zFlow, const char *zTarget,
  AcdcRunResult *pR
){
  AcdcCtx *p = pPipe->p;
  int bContinue = pPipe->pOpt && pPipe->pOpt->bContinue;
  int i;
  if( p->rc ) return;
  if( zFlow && pPipe->zFlow && sqlite3_stricmp(zFlow, pPipe->zFlow) ) return;
  if( zFlow ) pPipe->zFlow = zFlow;
  for(i=0; i<pPipe->nSpec && p->rc==SQLITE_OK; i++){
    if( i==0 ) acdcCatalogFlowsBegin(p);
    /* A plain INSERT may have left the name out. */
    acdcExec(p, "UPDATE OR IGNORE main.autocdc_specs SET name=%Q WHERE "
             "rowid=%lld AND name IS NULL", pPipe->aSpec[i].zName,
             pPipe->aSpec[i].iRow);
    acdcCatalogFlows(p, pPipe->aSpec[i].zName, pPipe->aSpec[i].pSpec);
  }
  for(i=0; i<pPipe->nStep && p->rc==SQLITE_OK; i++){
    AcdcPipeStep *pS = &pPipe->aStep[pPipe->aOrder[i]];
    const AcdcInput *pIn = pS->pStep->pInput;
    PipeUnit unit;
    if( !runWants(pPipe, pS, zFlow, zTarget) ) continue;
    unit.pPipe = pPipe;
    unit.pStep = pS;
    acdcRunUnit(p, bContinue, pIn && pIn->zName ? pIn->zName : pS->zName,
                pS->zName, runUnit, &unit, pR);
  }
}

int acdcPipelineFills(AcdcPipeline *pPipe, const char *zTable){
  int i;
  for(i=0; i<pPipe->nStep; i++){
    const AcdcPipeStep *pS = &pPipe->aStep[i];
    if( pS->zName && stepIsTarget(pS, zTable) ) return 1;
  }
  return 0;
}
