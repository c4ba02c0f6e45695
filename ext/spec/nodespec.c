/*
** The reader of nodespecs: a graph of source, transformation and target nodes.
*/
#include "spec.h"

/* A member that is text, as it stands: nothing is copied. */
static const char *nodeRaw(const AcdcJsonNode *pNode, const char *zMember){
  const AcdcJsonNode *p = acdcShapeMember(pNode, zMember);
  return p && p->eType==ACDC_JSON_STRING && p->zText[0] ? p->zText : 0;
}

/* The node of that name, or NULL; of two, the last counts. */
static const AcdcJsonNode *nodeFind(
  const AcdcJsonNode *pNodes,
  const char *zName
){
  const AcdcJsonNode *pNode;
  const AcdcJsonNode *pFound = 0;
  for(pNode=pNodes->pFirst; pNode; pNode=pNode->pNext){
    const char *z = nodeRaw(pNode, "name");
    if( z && strcmp(z, zName)==0 ) pFound = pNode;
  }
  return pFound;
}

static int nodeIs(const AcdcJsonNode *pNode, const char *zType){
  const char *z = nodeRaw(pNode, "node_type");
  return z && sqlite3_stricmp(z, zType)==0;
}

/* Name of the view of a source or transformation. */
static const char *nodeViewName(AcdcSpecRead *r, const AcdcJsonNode *pNode){
  const char *z = acdcReadText(r, pNode, "output_view_name");
  if( z==0 ) z = acdcReadText(r, pNode, "name");
  if( z && strncmp(z, "v_", 2) ) z = acdcReadFmt(r, "v_%s", z);
  return z;
}

/* A source or transformation node. */
static void nodeView(AcdcSpecRead *r, const AcdcJsonNode *pNode){
  const AcdcJsonNode *pConf = acdcShapeMember(pNode, "config");
  const char *zName = acdcReadText(r, pNode, "name");
  const char *zView = nodeViewName(r, pNode);
  const char *zType;
  AcdcView *pView;
  if( zName==0 ) return;
  pView = acdcReadNewView(r, pNode, zView);
  if( pView==0 ) return;
  pView->zNode = zName;
  pView->bEnabled = (u8)acdcReadBool(r, pNode, "enabled", 1);
  if( nodeIs(pNode, "transformation") ){
    /* Its SQL says itself what it streams. */
    acdcReadSource(r, pView, "sql", pConf);
    pView->bStream = 0;
    return;
  }
  zType = acdcReadText(r, pNode, "source_type");
  pView->bStream = 1;
  acdcReadSource(r, pView, zType, pConf);
  if( zType && sqlite3_stricmp(zType, "sql")==0 ){
    acdcReadWarn(r, pNode, "make it a transformation node", "SQL in a source "
        "node is discouraged");
    pView->bStream = 0;
  }
}

/* ---- targets ---- */

/* The list that says what feeds a target, whatever it is called. */
static const AcdcJsonNode *targetSources(const AcdcJsonNode *pConf){
  static const char *const az[] = { "sources", "input_flows", "input" };
  const AcdcJsonNode *pList = 0;
  int i;
  for(i=0; i<3 && pList==0; i++) pList = acdcShapeMember(pConf, az[i]);
  return pList && pList->eType==ACDC_JSON_ARRAY ? pList : 0;
}

/* True if a flow of the spec has that name already. */
static int flowNameTaken(AcdcSpecRead *r, const char *zName){
  AcdcStep *pStep;
  AcdcInput *pIn;
  for(pStep=r->pSpec->pStep; pStep; pStep=pStep->pNext){
    for(pIn=pStep->pInput; pIn; pIn=pIn->pNext){
      if( pIn->zName && sqlite3_stricmp(pIn->zName, zName)==0 ) return 1;
    }
  }
  return 0;
}

/* One entry of sources. */
static void targetWire(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pNodes,
  const AcdcJsonNode *pItem,
  int bOnce
){
  const AcdcJsonNode *pFrom;
  const char *zNode, *zFlow = 0;
  AcdcInput *pIn;
  if( pItem->eType==ACDC_JSON_OBJECT ){
    zNode = acdcReadText(r, pItem, "view");
    zFlow = acdcReadText(r, pItem, "flow");
  }else{
    zNode = pItem->eType==ACDC_JSON_STRING ? acdcReadTokens(r, pItem->zText) : 0;
  }
  if( zNode==0 ) return;
  pFrom = nodeFind(pNodes, zNode);
  if( pFrom==0 ){
    AcdcNames names = {0, 0};
    const AcdcJsonNode *p;
    const char *zNear;
    char *zHint;
    for(p=pNodes->pFirst; p; p=p->pNext){
      const char *z = nodeRaw(p, "name");
      if( z && names.n<1000 ) acdcNamesAdd(r->p, &names, z, -1);
    }
    zNear = acdcNearest(zNode, (const char *const*)names.az, names.n);
    zHint = zNear ? acdcMprintf(r->p, "did you mean \"%s\"?", zNear) : 0;
    acdcReadError(r, pItem, zHint, "node \"%s\" names \"%s\" as its source, "
        "which is no node of this spec", pStep->zNode, zNode);
    sqlite3_free(zHint);
    acdcNamesFree(&names);
    return;
  }
  if( pStep->bEnabled && !acdcReadBool(r, pFrom, "enabled", 1) ){
    acdcReadError(r, pItem, "enable it, or disable the target", "node \"%s\" "
        "is fed by \"%s\", which is not enabled", pStep->zNode, zNode);
  }
  if( zFlow==0 ){
    zFlow = acdcReadFmt(r, "f_%s", zNode);
    if( zFlow && flowNameTaken(r, zFlow) ){
      zFlow = acdcReadFmt(r, "f_%s__%s", zNode, pStep->zNode);
    }
  }else if( flowNameTaken(r, zFlow) ){
    acdcReadError(r, pItem, "name it otherwise", "two flows are named \"%s\"",
                  zFlow);
  }
  pIn = acdcReadNewInput(r, pStep, pItem, zFlow);
  if( pIn==0 ) return;
  pIn->bOnce = (u8)bOnce;
  pIn->bEnabled = pStep->bEnabled;
  if( nodeIs(pFrom, "target") ){
    pIn->zView = acdcReadText(r, acdcShapeMember(pFrom, "config"), "table");
  }else{
    pIn->zView = nodeViewName(r, pFrom);
  }
}

static void targetQuality(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pObj
){
  AcdcQuality *pQ = &pStep->quality;
  const AcdcJsonNode *pQuar = acdcShapeMember(pObj, "quarantine");
  const AcdcJsonNode *pTarget = acdcShapeMember(pQuar, "target");
  const char *zMode = acdcReadText(r, pQuar, "mode");
  if( pObj==0 || !acdcReadBool(r, pObj, "enabled", 1) ) return;
  pQ->zPath = acdcReadText(r, pObj, "expectations_path");
  pQ->eFamily = ACDC_RULES_LAKEFLOW;
  pQ->place = acdcReadPlace(r, pObj);
  if( zMode && sqlite3_stricmp(zMode, "flag")==0 ){
    pQ->eQuarantine = ACDC_QUARANTINE_FLAG;
  }else if( zMode ){
    pQ->eQuarantine = ACDC_QUARANTINE_TABLE;
    pQ->quarantine = acdcReadRel(r, acdcReadText(r, pTarget, "table"),
                                 acdcReadText(r, pTarget, "database"), 0);
    if( pQ->quarantine.zName==0 ){
      pQ->quarantine.zSchema = acdcReadText(r, pTarget, "database");
    }
  }
}

/* The kind of a sink, and the table that its rows go to. */
static void targetSink(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const char *zType,
  const AcdcJsonNode *pConf
){
  const AcdcJsonNode *pSub;
  pStep->bSink = 1;
  if( sqlite3_stricmp(zType, "foreach_batch_sink")==0 ){
    pSub = acdcShapeMember(pConf, "sink_config");
    pStep->eKind = ACDC_STEP_BATCHSQL;
    pStep->zSql = acdcReadText(r, pSub, "sql_statement");
    pStep->zSqlPath = pStep->zSql ? 0 : acdcReadText(r, pSub, "sql_path");
    pStep->target = acdcReadRel(r, acdcReadText(r, pSub, "table"),
                                acdcReadText(r, pSub, "database"), 0);
  }else{
    const char *zTable;
    pSub = acdcShapeMember(pConf, "sink_options");
    if( pSub==0 ) pSub = acdcShapeMember(pConf, "sink_config");
    zTable = acdcReadText(r, pSub, "table_name");
    pStep->target = acdcReadRel(r, zTable, 0, 0);
    if( zTable==0 ){
      acdcReadError(r, pConf, "as {\"sink_options\": {\"table_name\": "
          "\"schema.table\"}}", "the sink names no table");
    }
  }
}

static void targetTable(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pConf
){
  const char *zType = acdcReadText(r, pConf, "table_type");
  pStep->target = acdcReadRel(r, acdcReadText(r, pConf, "table"),
                              acdcReadText(r, pConf, "database"), 0);
  pStep->zSchemaPath = acdcReadText(r, pConf, "schema_path");
  if( zType && sqlite3_stricmp(zType, "mv")==0 ){
    pStep->eKind = ACDC_STEP_MV;
    pStep->zSql = acdcReadText(r, pConf, "sql_statement");
    pStep->zSqlPath = pStep->zSql ? 0 : acdcReadText(r, pConf, "sql_path");
  }else{
    acdcReadSettings(r, pStep, pConf);
    acdcReadMigration(r, pStep, acdcShapeMember(pConf, "table_migration"));
  }
  targetQuality(r, pStep, acdcShapeMember(pConf, "data_quality"));
}

/* That what feeds a target fits what the target is. */
static void targetCheck(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pNode
){
  if( pStep->eKind==ACDC_STEP_MV ){
    int bSql = pStep->zSql || pStep->zSqlPath;
    if( bSql && pStep->nInput ){
      acdcReadError(r, pNode, "give one of them", "the materialized view has "
                    "both SQL and sources");
    }else if( !bSql && pStep->nInput==0 ){
      acdcReadError(r, pNode, "give it sql_statement, sql_path or sources",
                    "nothing feeds the materialized view");
    }else if( pStep->nInput>1 ){
      acdcReadError(r, pNode, "combine them in a transformation", "a "
                    "materialized view has one source, not %d", pStep->nInput);
    }
  }else if( pStep->eKind==ACDC_STEP_VERSIONS ){
    if( pStep->nInput ){
      acdcReadError(r, pNode, "remove sources, or set snapshot_type to "
          "periodic", "a historical snapshot reads its own source");
    }
  }else if( pStep->eKind==ACDC_STEP_SNAPSHOT && pStep->nInput>1 ){
    acdcReadError(r, pNode, "combine them in a transformation", "a snapshot "
                  "has one source, not %d", pStep->nInput);
  }else if( pStep->nInput==0 && pStep->migration.zName==0 ){
    acdcReadWarn(r, pNode, "name nodes in its \"sources\"", "target \"%s\" has "
                 "no sources: nothing will fill it", pStep->zNode);
  }
}

static void nodeTarget(
  AcdcSpecRead *r,
  const AcdcJsonNode *pNodes,
  const AcdcJsonNode *pNode
){
  const AcdcJsonNode *pConf = acdcShapeMember(pNode, "config");
  const AcdcJsonNode *pList = targetSources(pConf);
  const AcdcJsonNode *pItem;
  const char *zType = acdcReadText(r, pNode, "target_type");
  AcdcStep *pStep = acdcReadNewStep(r, pNode, ACDC_STEP_APPEND);
  int nError = r->pDiags->nError;
  if( pStep==0 ) return;
  pStep->zNode = acdcReadText(r, pNode, "name");
  pStep->bEnabled = (u8)acdcReadBool(r, pNode, "enabled", 1);
  if( zType && sqlite3_stricmp(zType, "delta") ){
    targetSink(r, pStep, zType, pConf);
  }else{
    targetTable(r, pStep, pConf);
  }
  if( pList && pList->nChild>ACDC_SPEC_MAX ){
    acdcReadError(r, pList, "combine them in transformations", "a target has "
                  "at most %d sources", ACDC_SPEC_MAX);
    return;
  }
  for(pItem=pList ? pList->pFirst : 0; pItem; pItem=pItem->pNext){
    targetWire(r, pStep, pNodes, pItem, acdcReadBool(r, pConf, "once", 0));
  }
  if( r->pDiags->nError==nError ) targetCheck(r, pStep, pNode);
}

/* Names are unique, and there is something to do. */
static void nodesCheck(AcdcSpecRead *r, const AcdcJsonNode *pNodes){
  const AcdcJsonNode *pNode, *pOther;
  int nTarget = 0;
  int nChecked = 0;
  for(pNode=pNodes->pFirst; pNode; pNode=pNode->pNext){
    const char *z = nodeRaw(pNode, "name");
    nTarget += nodeIs(pNode, "target");
    if( z==0 || nChecked++>1000 ) continue;
    for(pOther=pNodes->pFirst; pOther!=pNode; pOther=pOther->pNext){
      const char *zOther = nodeRaw(pOther, "name");
      if( zOther && strcmp(zOther, z)==0 ){
        acdcReadError(r, pNode, "name it otherwise", "two nodes are named "
                      "\"%s\"", z);
        break;
      }
    }
  }
  if( nTarget==0 && r->pDiags->nError==0 ){
    acdcReadError(r, pNodes, "add a node with node_type \"target\"",
                  "the spec has no target");
  }
}

/*
** Two target nodes with one table: the first defines the table, both feed it.
*/
static void nodesMergeTargets(AcdcSpecRead *r){
  AcdcStep *pStep, *pOther;
  for(pStep=r->pSpec->pStep; pStep; pStep=pStep->pNext){
    AcdcStep **pp = &pStep->pNext;
    if( pStep->bSink || pStep->target.zName==0 ) continue;
    while( (pOther = *pp)!=0 ){
      AcdcInput **ppIn = &pStep->pInput;
      const char *zA = pStep->target.zSchema ? pStep->target.zSchema : "";
      const char *zB = pOther->target.zSchema ? pOther->target.zSchema : "";
      if( pOther->bSink || pOther->target.zName==0
       || sqlite3_stricmp(pStep->target.zName, pOther->target.zName)
       || sqlite3_stricmp(zA, zB) ){
        pp = &pOther->pNext;
        continue;
      }
      while( *ppIn ) ppIn = &(*ppIn)->pNext;
      *ppIn = pOther->pInput;
      pStep->nInput += pOther->nInput;
      *pp = pOther->pNext;
      acdcFlowClear(&pOther->flow);
      r->pSpec->nStep--;
    }
  }
}

void acdcReadNodespec(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  const AcdcJsonNode *pNodes = acdcShapeMember(pRoot, "nodes");
  const AcdcJsonNode *pNode;
  r->zId = acdcReadText(r, pRoot, "data_flow_id");
  r->zGroup = acdcReadText(r, pRoot, "data_flow_group");
  r->pSpec->zName = r->zId;
  if( pNodes==0 || pNodes->eType!=ACDC_JSON_ARRAY ) return;
  if( pNodes->nChild>ACDC_SPEC_MAX ){
    acdcReadError(r, pNodes, "split the spec", "a spec has at most %d nodes, "
                  "this one has %d", ACDC_SPEC_MAX, pNodes->nChild);
    return;
  }
  nodesCheck(r, pNodes);
  for(pNode=pNodes->pFirst; pNode; pNode=pNode->pNext){
    if( nodeIs(pNode, "source") || nodeIs(pNode, "transformation") ){
      nodeView(r, pNode);
    }
  }
  for(pNode=pNodes->pFirst; pNode; pNode=pNode->pNext){
    if( nodeIs(pNode, "target") ) nodeTarget(r, pNodes, pNode);
  }
  nodesMergeTargets(r);
}
