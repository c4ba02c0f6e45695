/*
** The readers of the Lakeflow Framework's standard, flow and
** materialized_view specs.
*/
#include "spec.h"

/* The first member of an object, NULL if it is none. */
static const AcdcJsonNode *mapFirst(const AcdcJsonNode *pMap){
  return pMap && pMap->eType==ACDC_JSON_OBJECT ? pMap->pFirst : 0;
}

/* Quality settings as these formats have them, beside other members. */
static void stdQuality(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pObj
){
  AcdcQuality *pQ = &pStep->quality;
  const AcdcJsonNode *pTarget =
      acdcShapeMember(pObj, "quarantine_target_details");
  const char *zMode = acdcReadText(r, pObj, "quarantine_mode");
  if( !acdcReadBool(r, pObj, "data_quality_expectations_enabled", 0) ) return;
  pQ->zPath = acdcReadText(r, pObj, "data_quality_expectations_path");
  pQ->eFamily = ACDC_RULES_LAKEFLOW;
  pQ->place = acdcReadPlace(r, pObj);
  if( zMode && sqlite3_stricmp(zMode, "flag")==0 ){
    pQ->eQuarantine = ACDC_QUARANTINE_FLAG;
  }else if( zMode && sqlite3_stricmp(zMode, "table")==0 ){
    pQ->eQuarantine = ACDC_QUARANTINE_TABLE;
    pQ->quarantine = acdcReadRel(r, acdcReadText(r, pTarget, "table"),
                                 acdcReadText(r, pTarget, "database"), 0);
    if( pQ->quarantine.zName==0 ){
      pQ->quarantine.zSchema = acdcReadText(r, pTarget, "database");
    }
  }
}

/* The target of a standard or flow spec. */
static AcdcStep *stdTarget(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  const AcdcJsonNode *pDetails = acdcShapeMember(pRoot, "target_details");
  const AcdcJsonNode *pSub;
  const char *zFormat = acdcReadText(r, pRoot, "target_format");
  AcdcStep *pStep = acdcReadNewStep(r, pRoot, ACDC_STEP_APPEND);
  if( pStep==0 || zFormat==0 ) return pStep;
  if( sqlite3_stricmp(zFormat, "delta")==0 ){
    pStep->target = acdcReadRel(r, acdcReadText(r, pDetails, "table"),
                                acdcReadText(r, pDetails, "database"), 0);
    pStep->zSchemaPath = acdcReadText(r, pDetails, "schema_path");
    acdcReadSettings(r, pStep, pRoot);
    acdcReadMigration(r, pStep,
        acdcShapeMember(pRoot, "table_migration_details"));
    stdQuality(r, pStep, pRoot);
    return pStep;
  }
  pStep->bSink = 1;
  pStep->zNode = acdcReadText(r, pDetails, "name");
  if( acdcShapeMember(pRoot, "cdc_settings")
   || acdcShapeMember(pRoot, "cdc_snapshot_settings") ){
    acdcReadError(r, pRoot, "use a delta target", "a sink takes rows as they "
                  "come: it cannot merge");
  }
  if( sqlite3_stricmp(zFormat, "delta_sink")==0 ){
    pSub = acdcShapeMember(pDetails, "sink_options");
    pStep->target = acdcReadRel(r, acdcReadText(r, pSub, "table_name"), 0, 0);
  }else{
    pSub = acdcShapeMember(pDetails, "config");
    pStep->eKind = ACDC_STEP_BATCHSQL;
    pStep->zSql = acdcReadText(r, pSub, "sql_statement");
    pStep->zSqlPath = pStep->zSql ? 0 : acdcReadText(r, pSub, "sql_path");
    pStep->target = acdcReadRel(r, acdcReadText(r, pSub, "table"),
                                acdcReadText(r, pSub, "database"), 0);
  }
  return pStep;
}

/* ---- standard ---- */

void acdcReadStandard(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  static const char *const azNeed[] = {
    "source_system", "source_type", "source_view_name", "mode",
    "source_details"
  };
  const char *zName, *zMode;
  AcdcStep *pStep;
  AcdcView *pView;
  AcdcInput *pIn;
  int i;
  r->zId = acdcReadText(r, pRoot, "data_flow_id");
  r->zGroup = acdcReadText(r, pRoot, "data_flow_group");
  r->pSpec->zName = r->zId;
  pStep = stdTarget(r, pRoot);
  if( pStep==0 ) return;
  for(i=0; i<5; i++){
    const AcdcJsonNode *pNode = acdcShapeMember(pRoot, azNeed[i]);
    char zBuf[40];
    const char *z = acdcShapeSpell(azNeed[i], 1, zBuf, sizeof(zBuf));
    if( pStep->eKind==ACDC_STEP_VERSIONS && pNode ){
      acdcReadError(r, pNode, "remove it", "a historical snapshot reads its "
                    "own source: \"%s\" is not allowed", z);
    }else if( pStep->eKind!=ACDC_STEP_VERSIONS && pNode==0 && i>0
           && i!=3 ){
      /* sourceSystem and mode have no need to be there here. */
      acdcReadError(r, pRoot, 0, "\"%s\" is missing", z);
    }
  }
  if( pStep->eKind==ACDC_STEP_VERSIONS ) return;
  zName = acdcReadText(r, pRoot, "source_view_name");
  if( zName==0 ) return;
  if( strstr(zName, "v_")==0 ){
    acdcReadError(r, acdcShapeMember(pRoot, "source_view_name"),
        "such as v_customer", "names of views begin with v_");
  }
  zMode = acdcReadText(r, pRoot, "mode");
  pView = acdcReadNewView(r, pRoot, zName);
  if( pView==0 ) return;
  acdcReadSource(r, pView, acdcReadText(r, pRoot, "source_type"),
                 acdcShapeMember(pRoot, "source_details"));
  pView->bStream = zMode==0 || sqlite3_stricmp(zMode, "batch")!=0;
  if( !pView->bStream && pStep->eKind==ACDC_STEP_APPEND && !pStep->bSink ){
    pStep->eKind = ACDC_STEP_MV;   /* all rows, each run: rebuilt */
  }
  pIn = acdcReadNewInput(r, pStep, pRoot, acdcReadFmt(r, "f_%s", zName));
  if( pIn ) pIn->zView = zName;
}

/* ---- flow ---- */

/* The step that a flow's targetTable names, or NULL with a finding. */
static AcdcStep *flowTarget(
  AcdcSpecRead *r,
  const AcdcJsonNode *pDetails,
  const char *zTable
){
  AcdcRel rel = acdcReadRel(r, zTable, 0, 0);
  AcdcStep *pStep;
  if( zTable==0 ) return 0;
  for(pStep=r->pSpec->pStep; pStep; pStep=pStep->pNext){
    const char *zName = pStep->target.zName;
    if( pStep->bSink && pStep->zNode
     && sqlite3_stricmp(pStep->zNode, zTable)==0 ){
      return pStep;
    }
    if( zName==0 || rel.zName==0 || sqlite3_stricmp(zName, rel.zName) ){
      continue;
    }
    if( rel.zSchema==0 || pStep->target.zSchema==0
     || sqlite3_stricmp(rel.zSchema, pStep->target.zSchema)==0 ){
      return pStep;
    }
  }
  acdcReadError(r, acdcShapeMember(pDetails, "target_table"),
      "name the target, or add it to stagingTables", "\"%s\" is neither the "
      "target nor a staging table of this spec", zTable);
  return 0;
}

static void flowFlow(AcdcSpecRead *r, const AcdcJsonNode *pFlow){
  const AcdcJsonNode *pDetails = acdcShapeMember(pFlow, "flow_details");
  const char *zType = acdcReadText(r, pFlow, "flow_type");
  const char *zSource = acdcReadText(r, pDetails, "source_view");
  AcdcStep *pStep = flowTarget(r, pDetails,
                               acdcReadText(r, pDetails, "target_table"));
  AcdcInput *pIn;
  if( pStep==0 || zType==0 ) return;
  if( strstr(pFlow->zKey, "f_")==0 ){
    acdcReadError(r, pFlow, "such as f_customer", "names of flows begin with "
                  "f_");
  }
  if( sqlite3_stricmp(zType, "merge")==0 && pStep->eKind==ACDC_STEP_APPEND ){
    acdcReadError(r, pFlow, "add cdcSettings to the target, or make the flow "
        "append_view", "a merge flow needs CDC settings at its target");
  }else if( sqlite3_stricmp(zType, "merge")
         && pStep->eKind!=ACDC_STEP_APPEND
         && pStep->eKind!=ACDC_STEP_BATCHSQL ){
    acdcReadError(r, pFlow, "make the flow a merge", "rows cannot be appended "
                  "to a target that has CDC settings");
  }
  if( pStep->eKind==ACDC_STEP_VERSIONS ) return;
  if( zSource==0 && sqlite3_stricmp(zType, "append_sql") ){
    acdcReadError(r, pDetails, 0, "\"sourceView\" is missing");
    return;
  }
  pIn = acdcReadNewInput(r, pStep, pFlow, acdcReadStr(r, pFlow->zKey));
  if( pIn==0 ) return;
  pIn->bEnabled = (u8)acdcReadBool(r, pFlow, "enabled", 1);
  pIn->bOnce = (u8)acdcReadBool(r, pDetails, "once", 0);
  pIn->zPrefix = acdcReadText(r, pDetails, "column_prefix");
  acdcReadTexts(r, pDetails, "column_prefix_exceptions", &pIn->prefixExcept);
  if( sqlite3_stricmp(zType, "append_sql")==0 ){
    AcdcView *pView = acdcReadNewView(r, pFlow,
                              acdcReadFmt(r, "%s__sql", pFlow->zKey));
    if( pView ) acdcReadSource(r, pView, "sql", pDetails);
    pIn->pView = pView;
    pIn->zView = pView ? pView->zName : 0;
  }else{
    pIn->zView = zSource;
  }
}

/* The views of a flow.  Those of one name in two flows must be the same. */
static void flowViews(AcdcSpecRead *r, const AcdcJsonNode *pFlow){
  const AcdcJsonNode *pMap = acdcShapeMember(pFlow, "views");
  const AcdcJsonNode *pNode;
  for(pNode=mapFirst(pMap); pNode; pNode=pNode->pNext){
    AcdcView *pView;
    if( pNode->bDup || pNode->eType!=ACDC_JSON_OBJECT ) continue;
    if( strstr(pNode->zKey, "v_")==0 ){
      acdcReadError(r, pNode, "such as v_customer", "names of views begin "
                    "with v_");
    }
    if( acdcSpecView(r->pSpec, pNode->zKey) ){
      acdcReadError(r, pNode, "define it once: all flows of the spec can read "
                    "it", "the view \"%s\" is defined twice", pNode->zKey);
      continue;
    }
    pView = acdcReadNewView(r, pNode, acdcReadStr(r, pNode->zKey));
    if( pView==0 ) return;
    acdcReadSource(r, pView, acdcReadText(r, pNode, "source_type"),
                   acdcShapeMember(pNode, "source_details"));
    {
      const char *zMode = acdcReadText(r, pNode, "mode");
      pView->bStream = zMode==0 || sqlite3_stricmp(zMode, "batch")!=0;
    }
  }
}

static void flowStaging(AcdcSpecRead *r, const AcdcJsonNode *pGroup){
  const AcdcJsonNode *pMap = acdcShapeMember(pGroup, "staging_tables");
  const AcdcJsonNode *pNode;
  for(pNode=mapFirst(pMap); pNode; pNode=pNode->pNext){
    AcdcStep *pStep;
    if( pNode->bDup || pNode->eType!=ACDC_JSON_OBJECT ) continue;
    pStep = acdcReadNewStep(r, pNode, ACDC_STEP_APPEND);
    if( pStep==0 ) return;
    pStep->target = acdcReadRel(r, acdcReadTokens(r, pNode->zKey),
                                acdcReadText(r, pNode, "database"), 0);
    pStep->zSchemaPath = acdcReadText(r, pNode, "schema_path");
    acdcReadSettings(r, pStep, pNode);
    stdQuality(r, pStep, pNode);
  }
}

void acdcReadFlowSpec(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  const AcdcJsonNode *pGroups = acdcShapeMember(pRoot, "flow_groups");
  const AcdcJsonNode *pGroup, *pOther, *pFlow;
  AcdcStep **ppTail;
  AcdcStep *pTarget;
  r->zId = acdcReadText(r, pRoot, "data_flow_id");
  r->zGroup = acdcReadText(r, pRoot, "data_flow_group");
  r->pSpec->zName = r->zId;
  pTarget = stdTarget(r, pRoot);
  if( pTarget==0 || pGroups==0 || pGroups->eType!=ACDC_JSON_ARRAY ) return;
  for(pGroup=pGroups->pFirst; pGroup; pGroup=pGroup->pNext){
    const char *zId = acdcReadText(r, pGroup, "flow_group_id");
    for(pOther=pGroups->pFirst; pOther!=pGroup && zId; pOther=pOther->pNext){
      const char *z = acdcReadText(r, pOther, "flow_group_id");
      if( z && strcmp(z, zId)==0 ){
        acdcReadError(r, pGroup, "name it otherwise", "two flow groups have "
                      "the flowGroupId \"%s\"", zId);
      }
    }
    flowStaging(r, pGroup);
    pFlow = acdcShapeMember(pGroup, "flows");
    for(pFlow=mapFirst(pFlow); pFlow; pFlow=pFlow->pNext){
      if( pFlow->bDup==0 && pFlow->eType==ACDC_JSON_OBJECT ){
        flowViews(r, pFlow);
      }
    }
  }
  for(pGroup=pGroups->pFirst; pGroup; pGroup=pGroup->pNext){
    pFlow = acdcShapeMember(pGroup, "flows");
    for(pFlow=mapFirst(pFlow); pFlow; pFlow=pFlow->pNext){
      if( pFlow->bDup==0 && pFlow->eType==ACDC_JSON_OBJECT ){
        flowFlow(r, pFlow);
      }
    }
  }
  /* The target is what the staging tables are for: last of the spec. */
  if( pTarget->pNext ){
    ppTail = &r->pSpec->pStep;
    *ppTail = pTarget->pNext;
    while( *ppTail ) ppTail = &(*ppTail)->pNext;
    *ppTail = pTarget;
    pTarget->pNext = 0;
    r->ppStep = &pTarget->pNext;
  }
}

/* ---- materialized views ---- */

void acdcReadViewSpec(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  const AcdcJsonNode *pMap = acdcShapeMember(pRoot, "materialized_views");
  const AcdcJsonNode *pNode;
  r->zId = acdcReadText(r, pRoot, "data_flow_id");
  r->zGroup = acdcReadText(r, pRoot, "data_flow_group");
  r->pSpec->zName = r->zId;
  for(pNode=mapFirst(pMap); pNode; pNode=pNode->pNext){
    const AcdcJsonNode *pDetails, *pSource;
    AcdcStep *pStep;
    if( pNode->bDup || pNode->eType!=ACDC_JSON_OBJECT ) continue;
    pStep = acdcReadNewStep(r, pNode, ACDC_STEP_MV);
    if( pStep==0 ) return;
    pDetails = acdcShapeMember(pNode, "table_details");
    pStep->target = acdcReadRel(r, acdcReadTokens(r, pNode->zKey),
                                acdcReadText(r, pDetails, "database"), 0);
    pStep->zSchemaPath = acdcReadText(r, pDetails, "schema_path");
    pStep->zSql = acdcReadText(r, pNode, "sql_statement");
    pStep->zSqlPath = pStep->zSql ? 0 : acdcReadText(r, pNode, "sql_path");
    stdQuality(r, pStep, pNode);
    pSource = acdcShapeMember(pNode, "source_view");
    if( pSource && pSource->eType==ACDC_JSON_OBJECT ){
      const char *zName = acdcReadText(r, pSource, "source_view_name");
      AcdcView *pView = acdcReadNewView(r, pSource, zName);
      AcdcInput *pIn = acdcReadNewInput(r, pStep, pSource,
                                        acdcReadFmt(r, "f_%s", zName));
      if( pView==0 || pIn==0 ) return;
      acdcReadSource(r, pView, acdcReadText(r, pSource, "source_type"),
                     acdcShapeMember(pSource, "source_details"));
      pView->bStream = 0;
      pView->bCdf = 0;
      pIn->pView = pView;
      pIn->zView = zName;
    }
  }
}
