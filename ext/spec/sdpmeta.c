/*
** The reader of sdp-meta (dlt-meta) onboarding files: a list of rows, each
** with a bronze and a silver layer.
*/
#include "spec.h"
#include "sparksql.h"

/* ---- members with an environment ---- */

/* Member "<zName><env>" of pObj, where zName ends in "_". */
static const char *envText(
  AcdcSpecRead *r,
  const AcdcJsonNode *pObj,
  const char *zName
){
  const char *zKey = acdcReadFmt(r, "%s%s", zName, r->pOpt->zEnv);
  const AcdcJsonNode *pNode;
  const char *z = zKey ? acdcReadText(r, pObj, zKey) : 0;
  size_t n = strlen(zName);
  if( z || pObj==0 ) return z;
  for(pNode=pObj->pFirst; pNode; pNode=pNode->pNext){
    if( pNode->zKey && strncmp(pNode->zKey, zName, n)==0 && pNode->zKey[n]
     && strncmp(&pNode->zKey[n], "quarantine", 10) ){
      acdcReadWarn(r, pNode, 0, "\"%s\" has no effect in environment \"%s\", "
          "which has no such member", pNode->zKey, r->pOpt->zEnv);
      break;
    }
  }
  return 0;
}

/* As envText() and acdcReadText(), with "bronze_" or "silver_" in front. */
static const char *layerEnv(
  AcdcSpecRead *r, const AcdcJsonNode *pRow, const char *zLayer, const char *z
){
  const char *zName = acdcReadFmt(r, "%s_%s", zLayer, z);
  return zName ? envText(r, pRow, zName) : 0;
}
static const char *layerText(
  AcdcSpecRead *r, const AcdcJsonNode *pRow, const char *zLayer, const char *z
){
  const char *zName = acdcReadFmt(r, "%s_%s", zLayer, z);
  return zName ? acdcReadText(r, pRow, zName) : 0;
}
static const AcdcJsonNode *layerNode(
  const AcdcJsonNode *pRow, const char *zLayer, const char *z
){
  char zBuf[80];
  sqlite3_snprintf(sizeof(zBuf), zBuf, "%s_%s", zLayer, z);
  return acdcShapeMember(pRow, zBuf);
}

/* ---- sources ---- */

/* Columns made of facts about the file. */
static void sourceMetadata(
  AcdcSpecRead *r,
  AcdcView *pView,
  const AcdcJsonNode *pDetails
){
  const AcdcJsonNode *pMeta = acdcShapeMember(pDetails, "source_metadata");
  const AcdcJsonNode *pCols = acdcShapeMember(pMeta, "select_metadata_cols");
  const AcdcJsonNode *pNode;
  const char *zName;
  if( pMeta==0 || pMeta->eType!=ACDC_JSON_OBJECT ) return;
  if( acdcReadBool(r, pMeta, "include_autoloader_metadata_column", 0) ){
    zName = acdcReadText(r, pMeta, "autoloader_metadata_col_name");
    acdcReadTextsAdd(r, &pView->metaName, zName ? zName : "source_metadata");
    acdcReadTextsAdd(r, &pView->metaField, "");
  }
  for(pNode=pCols ? pCols->pFirst : 0; pNode; pNode=pNode->pNext){
    const char *z = pNode->eType==ACDC_JSON_STRING ? pNode->zText : 0;
    if( z==0 || pNode->zKey==0 ) continue;
    if( strncmp(z, "_metadata.", 10)==0 ) z += 10;
    acdcReadTextsAdd(r, &pView->metaName, acdcReadStr(r, pNode->zKey));
    acdcReadTextsAdd(r, &pView->metaField, acdcReadStr(r, z));
  }
}

static void sourceFiles(
  AcdcSpecRead *r,
  AcdcView *pView,
  const AcdcJsonNode *pDetails,
  const AcdcJsonNode *pOwner,
  const char *zOptions
){
  int i;
  pView->eKind = ACDC_VIEW_FILES;
  pView->bCloud = 1;
  pView->zPath = envText(r, pDetails, "source_path_");
  pView->zSchemaPath = acdcReadText(r, pDetails, "source_schema_path");
  acdcReadMap(r, pOwner, zOptions, &pView->optName, &pView->optValue);
  for(i=0; i<pView->optName.n; i++){
    if( sqlite3_stricmp(pView->optName.az[i], "cloudFiles.format")==0 ){
      pView->zFormat = pView->optValue.az[i];
    }
  }
  if( pView->zFormat==0 ){
    acdcReadWarn(r, pOwner, "set \"cloudFiles.format\" in the reader options",
        "the format of the files is not said: it is taken from their names");
  }
  if( pView->zPath==0 ){
    acdcReadError(r, pDetails ? pDetails : pOwner, 0,
                  "\"source_path_%s\" is missing", r->pOpt->zEnv);
  }
  sourceMetadata(r, pView, pDetails);
}

static void sourceTable(
  AcdcSpecRead *r,
  AcdcView *pView,
  const AcdcJsonNode *pDetails,
  const AcdcJsonNode *pOwner
){
  const char *zCatalog = acdcReadText(r, pDetails, "source_catalog");
  const char *zTable = acdcReadText(r, pDetails, "source_table");
  const char *zSchema = acdcReadText(r, pDetails, "source_database");
  pView->eKind = ACDC_VIEW_TABLE;
  if( zCatalog==0 ) zCatalog = envText(r, pDetails, "source_catalog_");
  if( zTable==0 ){
    /* The published page has the table's name as a path. */
    zTable = envText(r, pDetails, "source_path_");
    if( zTable && strchr(zTable, '/') ){
      acdcReadError(r, pDetails, "give source_database and source_table",
          "a delta source is a table, not the path \"%s\"", zTable);
    }
  }
  if( zTable==0 ){
    acdcReadError(r, pDetails ? pDetails : pOwner, 0,
                  "\"source_table\" is missing");
  }
  pView->table = acdcReadRel(r, zTable, zSchema, zCatalog);
}

/* source_format, beside source_details or (as the page has it) inside. */
static const char *sourceFormat(AcdcSpecRead *r, const AcdcJsonNode *pOwner){
  const char *z = acdcReadText(r, pOwner, "source_format");
  if( z==0 ){
    z = acdcReadText(r, acdcShapeMember(pOwner, "source_details"),
                     "source_format");
  }
  return z;
}

/*
** A view of the source that pOwner (a row, an append flow, a CDC flow)
** describes.  zOptions names its reader options.
*/
static AcdcView *sdpSource(
  AcdcSpecRead *r,
  const AcdcJsonNode *pOwner,
  const char *zView,
  const char *zOptions
){
  const AcdcJsonNode *pDetails = acdcShapeMember(pOwner, "source_details");
  const char *zFormat = sourceFormat(r, pOwner);
  AcdcView *pView = acdcReadNewView(r, pOwner, zView);
  if( pView==0 ) return 0;
  pView->bStream = 1;
  pView->bSelectFirst = 1;
  if( zFormat==0 ){
    acdcReadError(r, pOwner, "cloudFiles or delta",
                  "\"source_format\" is missing");
  }else if( sqlite3_stricmp(zFormat, "delta")==0 ){
    sourceTable(r, pView, pDetails, pOwner);
  }else if( sqlite3_stricmp(zFormat, "cloudFiles")==0 ){
    sourceFiles(r, pView, pDetails, pOwner, zOptions);
  }else{
    /* Snapshots are read by their step; other formats have been refused. */
    pView->eKind = ACDC_VIEW_TABLE;
  }
  return pView;
}

/* ---- layers ---- */

/* A layer of a row at work. */
typedef struct SdpLayer SdpLayer;
struct SdpLayer {
  const char *zLayer;          /* "bronze" or "silver" */
  const AcdcJsonNode *pRow;
  AcdcRel target;
  AcdcStep *pStep;             /* The step of the target */
};

static void layerQuality(AcdcSpecRead *r, SdpLayer *pL){
  AcdcQuality *pQ = &pL->pStep->quality;
  const char *zDb = layerEnv(r, pL->pRow, pL->zLayer, "database_quarantine_");
  const char *zTable = layerText(r, pL->pRow, pL->zLayer, "quarantine_table");
  const char *zEngine = layerText(r, pL->pRow, pL->zLayer, "quality_engine");
  pQ->eFamily = ACDC_RULES_SDPMETA;
  if( zEngine ){
    pQ->zPath = layerEnv(r, pL->pRow, pL->zLayer, "quality_rules_path_");
    pQ->eFamily = ACDC_RULES_ENGINE;
  }
  if( pQ->zPath==0 ){
    pQ->zPath = layerEnv(r, pL->pRow, pL->zLayer,
                         "data_quality_expectations_json_");
  }
  if( pQ->zPath==0 ) return;
  pQ->place = pL->pStep->place;
  if( zDb && zTable ){
    const char *zCatalog =
        layerEnv(r, pL->pRow, pL->zLayer, "catalog_quarantine_");
    pQ->eQuarantine = ACDC_QUARANTINE_TABLE;
    pQ->quarantine = acdcReadRel(r, zTable, zDb, zCatalog);
  }
}

/* The flows of <layer>_cdc_apply_changes_flows. */
static void layerFlows(AcdcSpecRead *r, SdpLayer *pL, const AcdcJsonNode *pBlock){
  const AcdcJsonNode *pList = acdcShapeMember(pBlock, "flows");
  const AcdcJsonNode *pNode;
  AcdcInput *pIn;
  pL->pStep->eKind = ACDC_STEP_MERGE;
  acdcReadCdc(r, pL->pStep, pBlock, 0);
  if( pList==0 || pList->eType!=ACDC_JSON_ARRAY ) return;
  for(pNode=pList->pFirst; pNode; pNode=pNode->pNext){
    const char *zName, *zFormat;
    AcdcView *pView;
    if( pNode->eType!=ACDC_JSON_OBJECT ) continue;
    zName = acdcReadText(r, pNode, "name");
    zFormat = sourceFormat(r, pNode);
    for(pIn=pL->pStep->pInput; pIn && zName; pIn=pIn->pNext){
      if( pIn->zName && strcmp(pIn->zName, zName)==0 ){
        acdcReadError(r, pNode, "name it otherwise", "two flows are named "
                      "\"%s\"", zName);
      }
    }
    if( zFormat && strcmp(pL->zLayer, "silver")==0
     && sqlite3_stricmp(zFormat, "delta") ){
      acdcReadError(r, pNode, "read the files in the bronze layer",
          "flows of the silver layer read delta tables, not %s", zFormat);
    }
    pView = sdpSource(r, pNode, acdcReadFmt(r, "%s_%s_%s", pL->zLayer, r->zId,
                      zName ? zName : "flow"), "reader_options");
    pIn = acdcReadNewInput(r, pL->pStep, pNode, zName);
    if( pView==0 || pIn==0 ) return;
    acdcReadTexts(r, pNode, "select_exp", &pView->select);
    acdcReadTexts(r, pNode, "where_clause", &pView->where);
    pIn->bOnce = (u8)acdcReadBool(r, pNode, "once", 0);
    pIn->pView = pView;
    pIn->zView = pView->zName;
  }
}

/* <layer>_append_flows: more sources of the target. */
static void layerAppends(AcdcSpecRead *r, SdpLayer *pL){
  const AcdcJsonNode *pList = layerNode(pL->pRow, pL->zLayer, "append_flows");
  const AcdcJsonNode *pNode;
  if( pList==0 || pList->eType!=ACDC_JSON_ARRAY ) return;
  for(pNode=pList->pFirst; pNode; pNode=pNode->pNext){
    const char *zName;
    AcdcView *pView;
    AcdcInput *pIn;
    if( pNode->eType!=ACDC_JSON_OBJECT ) continue;
    zName = acdcReadText(r, pNode, "name");
    pView = sdpSource(r, pNode, acdcReadFmt(r, "%s_%s_%s", pL->zLayer, r->zId,
                      zName ? zName : "append"), "reader_options");
    pIn = acdcReadNewInput(r, pL->pStep, pNode, zName);
    if( pView==0 || pIn==0 ) return;
    pIn->bOnce = (u8)acdcReadBool(r, pNode, "once", 0);
    pIn->bNoRules = pL->pStep->eKind==ACDC_STEP_APPEND;
    pIn->pView = pView;
    pIn->zView = pView->zName;
  }
}

/* Sinks read what the target reads, before its rules and its merge. */
static void layerSinks(AcdcSpecRead *r, SdpLayer *pL, AcdcView *pFrom){
  const AcdcJsonNode *pList = layerNode(pL->pRow, pL->zLayer, "sinks");
  const AcdcJsonNode *pNode;
  if( pList==0 ) pList = layerNode(pL->pRow, pL->zLayer, "sink");
  if( pList==0 || pList->eType!=ACDC_JSON_ARRAY || pFrom==0 ) return;
  for(pNode=pList->pFirst; pNode; pNode=pNode->pNext){
    const AcdcJsonNode *pOpt = acdcShapeMember(pNode, "options");
    const char *zName, *zTable;
    AcdcView *pView;
    AcdcStep *pStep;
    AcdcInput *pIn;
    if( pNode->eType!=ACDC_JSON_OBJECT ) continue;
    zName = acdcReadText(r, pNode, "name");
    zTable = acdcReadText(r, pOpt, "tablename");
    if( zTable==0 ) zTable = acdcReadText(r, pOpt, "tableName");
    if( zTable==0 ){
      acdcReadError(r, pNode, "as {\"tablename\": \"schema.table\"}",
                    "the sink names no table");
      continue;
    }
    pView = acdcReadNewView(r, pNode, acdcReadFmt(r, "%s_%s_sink_%s",
                            pL->zLayer, r->zId, zName ? zName : ""));
    pStep = acdcReadNewStep(r, pNode, ACDC_STEP_APPEND);
    pIn = pStep ? acdcReadNewInput(r, pStep, pNode, zName) : 0;
    if( pView==0 || pIn==0 ) return;
    pView->eKind = ACDC_VIEW_SQL;
    pView->bSelectFirst = 1;
    pView->zSql = acdcReadFmt(r, "SELECT * FROM STREAM(live.`%s`)",
                              pFrom->zName);
    acdcReadTexts(r, pNode, "select_exp", &pView->select);
    acdcReadTexts(r, pNode, "where_clause", &pView->where);
    pStep->bSink = 1;
    pStep->zNode = zName;
    pStep->zLayer = pL->zLayer;
    pStep->target = acdcReadRel(r, zTable, 0, 0);
    pIn->pView = pView;
    pIn->zView = pView->zName;
  }
}

/* A bronze target of numbered snapshot files, or of a table's snapshots. */
static void bronzeSnapshot(
  AcdcSpecRead *r,
  SdpLayer *pL,
  const AcdcJsonNode *pBlock
){
  const AcdcJsonNode *pDetails = acdcShapeMember(pL->pRow, "source_details");
  const char *zFormat = acdcReadText(r, pDetails, "snapshot_format");
  AcdcStep *pStep = pL->pStep;
  AcdcHistorical *pV = &pStep->versions;
  if( zFormat==0 ){
    acdcReadError(r, pDetails ? pDetails : pL->pRow, "csv, json or delta",
                  "\"snapshot_format\" is missing");
    return;
  }
  acdcReadCdc(r, pStep, pBlock, 1);
  if( sqlite3_stricmp(zFormat, "delta")==0 ){
    AcdcView *pView = acdcReadNewView(r, pL->pRow,
                          acdcReadFmt(r, "bronze_%s_snapshot", r->zId));
    AcdcInput *pIn = acdcReadNewInput(r, pStep, pL->pRow,
                          acdcReadFmt(r, "%s_snapshot", pStep->target.zName));
    if( pView==0 || pIn==0 ) return;
    pStep->eKind = ACDC_STEP_SNAPSHOT;
    sourceTable(r, pView, pDetails, pL->pRow);
    pIn->pView = pView;
    pIn->zView = pView->zName;
    return;
  }
  pStep->eKind = ACDC_STEP_VERSIONS;
  pV->bFiles = 1;
  pV->bPrefix = 1;
  pV->zType = "integer";
  pV->zFormat = zFormat;
  pV->zPath = envText(r, pDetails, "source_path_");
  pV->zSchemaPath = acdcReadText(r, pDetails, "source_schema_path");
  acdcReadMap(r, pL->pRow, "bronze_reader_options", &pV->optName,
              &pV->optValue);
  if( pV->zPath==0 ){
    acdcReadError(r, pDetails, 0, "\"source_path_%s\" is missing",
                  r->pOpt->zEnv);
  }
}

/* The name of a layer's target; zName NULL if the row has no such layer. */
static AcdcRel layerTarget(
  AcdcSpecRead *r,
  const AcdcJsonNode *pRow,
  const char *zLayer
){
  const char *zTable = layerText(r, pRow, zLayer, "table");
  const char *zDb;
  AcdcRel none;
  memset(&none, 0, sizeof(none));
  if( zTable==0 ) return none;
  zDb = layerEnv(r, pRow, zLayer, "database_");
  if( zDb==0 ){
    acdcReadError(r, pRow, 0, "\"%s_database_%s\" is missing", zLayer,
                  r->pOpt->zEnv);
    return none;
  }
  return acdcReadRel(r, zTable, zDb, layerEnv(r, pRow, zLayer, "catalog_"));
}

/* The bronze layer of a row.  Its step, or NULL. */
static AcdcStep *readBronze(AcdcSpecRead *r, const AcdcJsonNode *pRow){
  const AcdcJsonNode *pCdc = layerNode(pRow, "bronze", "cdc_apply_changes");
  const AcdcJsonNode *pFlows =
      layerNode(pRow, "bronze", "cdc_apply_changes_flows");
  const AcdcJsonNode *pSnap =
      layerNode(pRow, "bronze", "apply_changes_from_snapshot");
  const char *zFormat = sourceFormat(r, pRow);
  int bSource = acdcShapeMember(pRow, "source_details")!=0;
  AcdcView *pView = 0;
  AcdcInput *pIn;
  SdpLayer layer;
  if( !bSource && pFlows==0 ) return 0;    /* a silver row of its own */
  layer.zLayer = "bronze";
  layer.pRow = pRow;
  layer.target = layerTarget(r, pRow, "bronze");
  if( layer.target.zName==0 ){
    if( layerText(r, pRow, "bronze", "table")==0 ){
      acdcReadError(r, pRow, 0, "\"bronze_table\" is missing");
    }
    return 0;
  }
  layer.pStep = acdcReadNewStep(r, pRow, ACDC_STEP_APPEND);
  if( layer.pStep==0 ) return 0;
  layer.pStep->target = layer.target;
  layer.pStep->zLayer = "bronze";
  if( pFlows ){
    layerFlows(r, &layer, pFlows);
    pView = layer.pStep->pInput ? layer.pStep->pInput->pView : 0;
  }else if( zFormat && sqlite3_stricmp(zFormat, "snapshot")==0 ){
    if( pSnap ){
      bronzeSnapshot(r, &layer, pSnap);
    }else{
      acdcReadError(r, pRow, "add it, with keys and scd_type", "a snapshot "
          "source needs \"bronze_apply_changes_from_snapshot\"");
    }
  }else{
    const char *zName = 0;
    if( pSnap ){
      acdcReadError(r, pSnap, "set source_format to snapshot, or use "
          "bronze_cdc_apply_changes", "the source is no snapshot");
    }
    pView = sdpSource(r, pRow, acdcReadFmt(r, "bronze_%s_input", r->zId),
                      "bronze_reader_options");
    if( pCdc ){
      layer.pStep->eKind = ACDC_STEP_MERGE;
      acdcReadCdc(r, layer.pStep, pCdc, 0);
      zName = acdcReadText(r, pCdc, "flow_name");
    }
    if( zName==0 ) zName = acdcReadFmt(r, "%s_flow", layer.target.zName);
    pIn = acdcReadNewInput(r, layer.pStep, pRow, zName);
    if( pIn==0 || pView==0 ) return 0;
    pIn->pView = pView;
    pIn->zView = pView->zName;
    pIn->bOnce = (u8)acdcReadBool(r, pCdc, "once", 0);
  }
  layerAppends(r, &layer);
  layerQuality(r, &layer);
  layerSinks(r, &layer, pView);
  return layer.pStep;
}

/* The first of the columns that a merge leaves out and pOther names, or NULL. */
static const char *droppedColumn(
  const AcdcFlow *pBronze,
  const AcdcFlow *pOther
){
  const AcdcNames *pExcept = &pBronze->exceptColumnList.names;
  int i, k;
  for(i=0; i<pExcept->n; i++){
    const char *z = pExcept->az[i];
    for(k=0; k<pOther->sequenceBy.n; k++){
      if( acdcSparkNames(pOther->sequenceBy.az[k], z) ) return z;
    }
    if( acdcNamesFind(&pOther->keys, z)>=0 ) return z;
    if( acdcSparkNames(pOther->zDeletes, z) ) return z;
    if( acdcSparkNames(pOther->zTruncates, z) ) return z;
    if( acdcSparkNames(pOther->zWhere, z) ) return z;
  }
  return 0;
}

/* One input of the silver step: the view zFrom, transformed. */
static void silverInput(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pRow,
  const char *zName,
  AcdcView *pFrom,
  const char *zTransform
){
  AcdcView *pView = acdcReadNewView(r, pRow, acdcReadFmt(r, "silver_%s_%s",
                                    r->zId, zName));
  AcdcInput *pIn = acdcReadNewInput(r, pStep, pRow, zName);
  if( pView==0 || pIn==0 ) return;
  pView->eKind = ACDC_VIEW_SQL;
  pView->bSelectFirst = 1;
  pView->zSql = acdcReadFmt(r, pFrom->bStream
      ? "SELECT * FROM STREAM(live.`%s`)" : "SELECT * FROM live.`%s`",
      pFrom->zName);
  pView->zTransform = zTransform;
  pView->zTransformTable = pStep->target.zName;
  pIn->pView = pView;
  pIn->zView = pView->zName;
}

static void readSilver(
  AcdcSpecRead *r,
  const AcdcJsonNode *pRow,
  AcdcStep *pBronze
){
  const AcdcJsonNode *pCdc = layerNode(pRow, "silver", "cdc_apply_changes");
  const AcdcJsonNode *pFlows =
      layerNode(pRow, "silver", "cdc_apply_changes_flows");
  const AcdcJsonNode *pSnap =
      layerNode(pRow, "silver", "apply_changes_from_snapshot");
  const char *zTransform = layerEnv(r, pRow, "silver", "transformation_json_");
  const char *zName = 0;
  const char *zDropped = 0;
  AcdcView *pView = 0;
  AcdcRel bronze;
  SdpLayer layer;
  layer.zLayer = "silver";
  layer.pRow = pRow;
  layer.target = layerTarget(r, pRow, "silver");
  if( layer.target.zName==0 ) return;
  layer.pStep = acdcReadNewStep(r, pRow, ACDC_STEP_APPEND);
  if( layer.pStep==0 ) return;
  layer.pStep->target = layer.target;
  layer.pStep->zLayer = "silver";
  if( pFlows ){
    layerFlows(r, &layer, pFlows);
    layerQuality(r, &layer);
    return;
  }
  if( pCdc ){
    layer.pStep->eKind = ACDC_STEP_MERGE;
    acdcReadCdc(r, layer.pStep, pCdc, 0);
    zName = acdcReadText(r, pCdc, "flow_name");
  }else if( pSnap ){
    layer.pStep->eKind = ACDC_STEP_SNAPSHOT;
    acdcReadCdc(r, layer.pStep, pSnap, 1);
  }
  if( zName==0 ) zName = acdcReadFmt(r, "%s_flow", layer.target.zName);
  if( pBronze && pBronze->eKind==ACDC_STEP_MERGE ){
    zDropped = droppedColumn(&pBronze->flow, &layer.pStep->flow);
  }
  if( zDropped ){
    AcdcInput *pIn;
    int nIn = 0;
    acdcReadWarn(r, pCdc, "leave the column out of the bronze "
        "except_column_list, if that is not meant", "silver needs \"%s\", "
        "which the bronze merge drops: silver merges the same raw events as "
        "bronze", zDropped);
    for(pIn=pBronze->pInput; pIn; pIn=pIn->pNext){
      if( pIn->pView==0 ) continue;
      silverInput(r, layer.pStep, pRow, nIn++==0 ? zName
          : acdcReadFmt(r, "%s_%s", layer.target.zName, pIn->zName),
          pIn->pView, zTransform);
    }
  }else{
    bronze = pBronze ? pBronze->target : layerTarget(r, pRow, "bronze");
    if( bronze.zName==0 ){
      acdcReadError(r, pRow, 0, "the silver layer reads the bronze table: "
                    "\"bronze_table\" is missing");
      return;
    }
    pView = acdcReadNewView(r, pRow, acdcReadFmt(r, "silver_%s_input", r->zId));
    if( pView==0 ) return;
    pView->eKind = ACDC_VIEW_TABLE;
    pView->bStream = layer.pStep->eKind!=ACDC_STEP_SNAPSHOT;
    pView->table = bronze;
    silverInput(r, layer.pStep, pRow, zName, pView, zTransform);
    pView = layer.pStep->pInput ? layer.pStep->pInput->pView : 0;
  }
  if( layer.pStep->pInput ){
    layer.pStep->pInput->bOnce = (u8)acdcReadBool(r, pCdc, "once", 0);
  }
  layerAppends(r, &layer);
  layerQuality(r, &layer);
  layerSinks(r, &layer, pView);
}

/* ---- the document ---- */

/*
** The environment of a document that is read without one: the only one its
** databases are given for.  An error if there are several.
*/
static char *guessEnv(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  static const char *const azName[] = { "bronze_database_", "silver_database_" };
  AcdcNames names = {0, 0};
  const AcdcJsonNode *pRow, *pNode;
  char *zEnv = 0;
  int i;
  for(pRow=pRoot->pFirst; pRow; pRow=pRow->pNext){
    for(pNode=pRow->pFirst; pNode; pNode=pNode->pNext){
      for(i=0; i<2 && pNode->zKey; i++){
        const char *z;
        if( strncmp(pNode->zKey, azName[i], 16) ) continue;
        z = &pNode->zKey[16];
        if( z[0]==0 ) continue;
        if( strncmp(z, "quarantine_", 11)==0 ) continue;
        if( acdcNamesFind(&names, z)<0 && names.n<20 ){
          acdcNamesAdd(r->p, &names, z, -1);
        }
      }
    }
  }
  if( names.n>1 ){
    char *z = acdcNamesText(r->p, &names);
    char *zHint = acdcMprintf(r->p, "give the option {\"env\": \"%s\"}",
                              names.az[0]);
    acdcReadError(r, pRoot, zHint, "the document has several environments: %s",
                  z ? z : "");
    sqlite3_free(z);
    sqlite3_free(zHint);
  }
  zEnv = acdcStrdup(r->p, names.n ? names.az[0] : "dev");
  acdcNamesFree(&names);
  return zEnv;
}

static void onboardingIds(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  const AcdcJsonNode *pRow;
  AcdcNames seen = {0, 0};
  for(pRow=pRoot->pFirst; pRow && seen.n<2000; pRow=pRow->pNext){
    const char *z = acdcReadText(r, pRow, "data_flow_id");
    if( z==0 ) continue;
    if( acdcNamesFind(&seen, z)>=0 ){
      acdcReadError(r, pRow, "give each row one of its own", "two rows have "
                    "the data_flow_id \"%s\"", z);
    }
    acdcNamesAdd(r->p, &seen, z, -1);
  }
  acdcNamesFree(&seen);
}

void acdcReadOnboarding(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  AcdcSpecOptions opt = *r->pOpt;
  const AcdcSpecOptions *pSaved = r->pOpt;
  const AcdcJsonNode *pRow;
  char *zEnv = 0;
  r->pSpec->zName = "sdp-meta";
  onboardingIds(r, pRoot);
  if( opt.zEnv==0 ){
    zEnv = guessEnv(r, pRoot);
    opt.zEnv = zEnv;
    r->pOpt = &opt;
  }
  for(pRow=pRoot->pFirst; pRow && opt.zEnv; pRow=pRow->pNext){
    AcdcStep *pBronze;
    if( pRow->eType!=ACDC_JSON_OBJECT ) continue;
    r->zId = acdcReadText(r, pRow, "data_flow_id");
    r->zGroup = acdcReadText(r, pRow, "data_flow_group");
    if( r->zId==0 ) r->zId = "";
    pBronze = readBronze(r, pRow);
    readSilver(r, pRow, pBronze);
  }
  r->pOpt = pSaved;
  sqlite3_free(zEnv);
}
