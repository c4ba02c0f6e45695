/*
** Parts of documents that several formats share: CDC and snapshot settings,
** Lakeflow sources, migrations.
*/
#include "spec.h"

/* Take the error of a sub-context over as a finding at pNode. */
static void partsTake(AcdcSpecRead *r, AcdcCtx *pSub, const AcdcJsonNode *pNode){
  if( pSub->rc==SQLITE_NOMEM ){
    acdcError(r->p, SQLITE_NOMEM, "out of memory");
  }else if( pSub->rc ){
    acdcReadError(r, pNode, 0, "%s", acdcErrorText(pSub));
  }
  acdcCtxClear(pSub);
}

/*
** Names in a list of columns may be in Spark's back quotes.  Owned by the
** caller.
*/
static char *partsColumn(AcdcCtx *p, const char *z){
  return z[0]=='`' ? acdcUnquote(p, z) : acdcStrdup(p, z);
}

/* "struct(a, b)" is the list "a, b".  In the arena. */
static const char *partsSequence(AcdcSpecRead *r, const char *z){
  size_t n = strlen(z);
  if( sqlite3_strnicmp(z, "struct(", 7)==0 && z[n-1]==')' ){
    return acdcReadFmt(r, "%.*s", (int)n-8, z+7);
  }
  return z;
}

/* One member of a block of settings. */
static void partsMember(
  AcdcSpecRead *r,
  AcdcFlow *pFlow,
  const AcdcMember *pM,
  const AcdcJsonNode *pNode
){
  AcdcCtx sub;
  const AcdcJsonNode *pItem;
  i64 i;
  acdcCtxInit(&sub, r->p->db);
  switch( pNode->eType ){
    case ACDC_JSON_STRING: {
      const char *z = acdcReadTokens(r, pNode->zText);
      if( z && pM->eKind==ACDC_MEMBER_NAMES ) z = partsSequence(r, z);
      if( z ) acdcFlowSetText(&sub, pFlow, pM, z);
      break;
    }
    case ACDC_JSON_BOOL:
      acdcFlowSetBool(&sub, pFlow, pM, pNode->bTrue);
      break;
    case ACDC_JSON_NUMBER:
      if( acdcJsonInt(r->pDoc, pNode, &i) ){
        acdcFlowSetInt(&sub, pFlow, pM, i);
      }
      break;
    case ACDC_JSON_ARRAY:
      if( pM->eKind!=ACDC_MEMBER_NAMES && pM->eKind!=ACDC_MEMBER_LIST ) break;
      acdcFlowListBegin(&sub, pFlow, pM);
      for(pItem=pNode->pFirst; pItem; pItem=pItem->pNext){
        const char *z = pItem->eType==ACDC_JSON_STRING
                        ? acdcReadTokens(r, pItem->zText) : 0;
        char *zName = z ? partsColumn(&sub, z) : 0;
        if( zName ) acdcFlowListAdd(&sub, pFlow, pM, zName);
        sqlite3_free(zName);
      }
      break;
    default:
      break;
  }
  partsTake(r, &sub, pNode);
}

/*
** Empty lists mean nothing in these formats, unlike in an inline flow; the
** tracked list alone may be empty on purpose.
*/
static void partsDropEmpty(AcdcFlow *pFlow){
  AcdcList *ap[5];
  int i;
  ap[0] = &pFlow->columnList;
  ap[1] = &pFlow->exceptColumnList;
  ap[2] = &pFlow->trackExceptList;
  ap[3] = &pFlow->ignoreNullList;
  ap[4] = &pFlow->ignoreNullExceptList;
  for(i=0; i<5; i++){
    if( ap[i]->names.n==0 ) ap[i]->bGiven = 0;
  }
}

void acdcReadCdc(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pObj,
  int bSnapshot
){
  AcdcFlow *pFlow = &pStep->flow;
  AcdcFlow check;
  AcdcCtx sub;
  const AcdcJsonNode *pNode;
  int nError = r->pDiags->nError;
  if( pObj==0 || pObj->eType!=ACDC_JSON_OBJECT ) return;
  pFlow->bSnapshot = (u8)bSnapshot;
  for(pNode=pObj->pFirst; pNode; pNode=pNode->pNext){
    const AcdcMember *pM;
    if( pNode->bDup || pNode->eType==ACDC_JSON_NULL ) continue;
    if( strcmp(pNode->zKey, "deduplicateMode")==0 ){
      pM = acdcFlowMember("deduplicate_mode");
    }else{
      pM = acdcFlowMember(pNode->zKey);
    }
    /* Of the members that flows and specs share in name only, "source" and
    ** "name" are the readers' business. */
    if( pM && pM->eKind!=ACDC_MEMBER_SOURCE && strcmp(pM->zName, "name")
     && strcmp(pM->zName, "once") ){
      partsMember(r, pFlow, pM, pNode);
    }
  }
  partsDropEmpty(pFlow);
  if( r->pDiags->nError!=nError || r->p->rc ) return;

  /* The rules among members; target and source are known to be there. */
  acdcFlowCopy(r->p, &check, pFlow);
  acdcCtxInit(&sub, r->p->db);
  if( r->p->rc==SQLITE_OK ){
    acdcFlowSetText(&sub, &check, acdcFlowMember("target"), "t");
    acdcFlowSetText(&sub, &check, acdcFlowMember("source"), "s");
    acdcFlowCheck(&sub, &check);
  }
  partsTake(r, &sub, pObj);
  acdcFlowClear(&check);
}

static void partsVersions(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pSettings
){
  AcdcHistorical *pV = &pStep->versions;
  const AcdcJsonNode *pSource = acdcShapeMember(pSettings, "source");
  const AcdcJsonNode *pOuter = acdcShapeMember(pSettings, "deduplicate_mode");
  const AcdcJsonNode *pInner = acdcShapeMember(pSource, "deduplicate_mode");
  const char *zType = acdcReadText(r, pSettings, "source_type");
  if( pSource==0 || zType==0 ) return;
  pV->bFiles = sqlite3_stricmp(zType, "file")==0;
  pV->zFormat = acdcReadText(r, pSource, "format");
  pV->zPath = acdcReadText(r, pSource, "path");
  acdcReadMap(r, pSource, "reader_options", &pV->optName, &pV->optValue);
  pV->zType = acdcReadText(r, pSource, "version_type");
  pV->zDatetime = acdcReadText(r, pSource, "datetime_format");
  pV->zStart = acdcReadText(r, pSource, "starting_version");
  pV->zFilter = acdcReadText(r, pSource, "filter");
  pV->zSchemaPath = acdcReadText(r, pSource, "schema_path");
  pV->bRecursive = (u8)acdcReadBool(r, pSource, "recursive_file_lookup", 0);
  acdcReadTexts(r, pSource, "select_exp", &pV->select);
  pV->zColumn = acdcReadText(r, pSource, "version_column");
  pV->table = acdcReadRel(r, acdcReadText(r, pSource, "table"), 0, 0);
  if( pInner ){
    if( pOuter && pOuter->eType==ACDC_JSON_STRING
     && pInner->eType==ACDC_JSON_STRING
     && sqlite3_stricmp(pOuter->zText, pInner->zText) ){
      acdcReadError(r, pInner, "give one of them", "deduplicate_mode of the "
          "settings and of their source differ");
    }
    partsMember(r, &pStep->flow, acdcFlowMember("deduplicate_mode"), pInner);
  }
  if( pV->bFiles && pV->zPath && strstr(pV->zPath, "{version}")==0
   && strstr(pV->zPath, "(?P<version_")==0 ){
    acdcReadError(r, acdcShapeMember(pSource, "path"), "write {version} where "
        "the file names have the version, as in \"customer_{version}.csv\"",
        "the path has no version in it");
  }
  if( !pV->bFiles && pV->table.zName && pV->table.zSchema==0 ){
    acdcReadError(r, acdcShapeMember(pSource, "table"), 0, "the table of "
        "versions is named schema.table or catalog.schema.table");
  }
}

void acdcReadSettings(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pOwner
){
  const AcdcJsonNode *pCdc = acdcShapeMember(pOwner, "cdc_settings");
  const AcdcJsonNode *pSnap = acdcShapeMember(pOwner, "cdc_snapshot_settings");
  if( pCdc ){
    pStep->eKind = ACDC_STEP_MERGE;
    acdcReadCdc(r, pStep, pCdc, 0);
  }else if( pSnap ){
    const char *zType = acdcReadText(r, pSnap, "snapshot_type");
    int bVersions = zType && sqlite3_stricmp(zType, "historical")==0;
    pStep->eKind = bVersions ? ACDC_STEP_VERSIONS : ACDC_STEP_SNAPSHOT;
    acdcReadCdc(r, pStep, pSnap, 1);
    if( bVersions ) partsVersions(r, pStep, pSnap);
  }
}

/* ---- sources ---- */

static void partsTable(
  AcdcSpecRead *r,
  AcdcView *pView,
  const AcdcJsonNode *pConf
){
  pView->eKind = ACDC_VIEW_TABLE;
  pView->table = acdcReadRel(r, acdcReadText(r, pConf, "table"),
                             acdcReadText(r, pConf, "database"), 0);
  pView->bCdf = (u8)acdcReadBool(r, pConf, "cdf_enabled", 0);
  acdcReadTexts(r, pConf, "cdf_change_type_override", &pView->changeTypes);
}

static void partsFiles(
  AcdcSpecRead *r,
  AcdcView *pView,
  const AcdcJsonNode *pConf,
  int bCloud
){
  const AcdcJsonNode *pOpt = acdcShapeMember(pConf, "reader_options");
  int i;
  pView->eKind = ACDC_VIEW_FILES;
  pView->bCloud = (u8)bCloud;
  pView->zPath = acdcReadText(r, pConf, "path");
  pView->zSchemaPath = acdcReadText(r, pConf, "schema_path");
  acdcReadMap(r, pConf, "reader_options", &pView->optName, &pView->optValue);
  if( bCloud ){
    for(i=0; i<pView->optName.n; i++){
      if( sqlite3_stricmp(pView->optName.az[i], "cloudFiles.format")==0 ){
        pView->zFormat = pView->optValue.az[i];
      }
    }
    if( pView->zFormat==0 && pOpt && pOpt->eType==ACDC_JSON_OBJECT ){
      acdcReadError(r, pOpt, "\"csv\" or \"json\"",
                    "\"cloudFiles.format\" is missing in the reader options");
    }
  }else{
    pView->zFormat = acdcReadText(r, pConf, "format");
  }
  if( pView->zFormat==0 ) pView->zFormat = "csv";
}

static void partsJoin(
  AcdcSpecRead *r,
  AcdcView *pView,
  const AcdcJsonNode *pConf
){
  const AcdcJsonNode *pList = acdcShapeMember(pConf, "sources");
  const AcdcJsonNode *pJoins = acdcShapeMember(pConf, "joins");
  const AcdcJsonNode *pNode;
  int nStream = 0;
  pView->eKind = ACDC_VIEW_JOIN;
  if( pList==0 || pList->eType!=ACDC_JSON_ARRAY ) return;
  pView->apSide = acdcArenaAlloc(r->p, &r->pSpec->arena,
                                 (pList->nChild+1)*(i64)sizeof(AcdcView*));
  if( pView->apSide==0 ) return;
  for(pNode=pList->pFirst; pNode; pNode=pNode->pNext){
    const char *zAlias = acdcReadText(r, pNode, "alias");
    const char *zMode = acdcReadText(r, pNode, "join_mode");
    AcdcView *pSide = acdcReadNewView(r, pNode, acdcReadFmt(r, "%s__%s",
                              pView->zName, zAlias ? zAlias : "side"));
    if( pSide==0 ) return;
    partsTable(r, pSide, pNode);
    acdcReadTexts(r, pNode, "select_exp", &pSide->select);
    acdcReadTexts(r, pNode, "where_clause", &pSide->where);
    pSide->bStream = zMode && sqlite3_stricmp(zMode, "stream")==0;
    nStream += pSide->bStream;
    pView->apSide[pView->nSide++] = pSide;
    acdcReadTextsAdd(r, &pView->alias, zAlias ? zAlias : "");
  }
  if( nStream>1 ){
    int i;
    for(i=0; i<pView->nSide; i++) pView->apSide[i]->bStream = 0;
    acdcReadWarn(r, pList, "make all but one of them static", "a join of two "
        "streams would miss pairs of an old and a new row: all rows of all "
        "tables are joined in each run");
  }
  for(pNode=pJoins ? pJoins->pFirst : 0; pNode; pNode=pNode->pNext){
    const char *zType = acdcReadText(r, pNode, "join_type");
    const char *zOn = acdcReadText(r, pNode, "condition");
    acdcReadTextsAdd(r, &pView->joinType,
        zType && sqlite3_stricmp(zType, "left")==0 ? "LEFT" : "INNER");
    acdcReadTextsAdd(r, &pView->joinOn, zOn ? zOn : "1");
  }
  if( pView->nSide && pView->joinOn.n!=pView->nSide-1 ){
    acdcReadError(r, pJoins ? pJoins : pConf, "one for each source but the "
        "first", "%d sources are joined by %d joins", pView->nSide,
        pView->joinOn.n);
  }
}

void acdcReadSource(
  AcdcSpecRead *r,
  AcdcView *pView,
  const char *zType,
  const AcdcJsonNode *pConf
){
  const char *zMode = acdcReadText(r, pConf, "mode");
  if( pView==0 || zType==0 ) return;
  if( zMode ) pView->bStream = sqlite3_stricmp(zMode, "stream")==0;
  if( sqlite3_stricmp(zType, "delta")==0 ){
    partsTable(r, pView, pConf);
  }else if( acdcWordFind("cloudFiles|cloud_files", zType)>=0 ){
    partsFiles(r, pView, pConf, 1);
  }else if( acdcWordFind("batchFiles|batch_files", zType)>=0 ){
    partsFiles(r, pView, pConf, 0);
  }else if( acdcWordFind("deltaJoin|delta_join", zType)>=0 ){
    partsJoin(r, pView, pConf);
  }else{
    pView->eKind = ACDC_VIEW_SQL;
    pView->zSql = acdcReadText(r, pConf, "sql_statement");
    pView->zSqlPath = pView->zSql ? 0 : acdcReadText(r, pConf, "sql_path");
    return;
  }
  acdcReadTexts(r, pConf, "select_exp", &pView->select);
  acdcReadTexts(r, pConf, "where_clause", &pView->where);
}

/* ---- migrations ---- */

void acdcReadMigration(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pObj
){
  const AcdcJsonNode *pSource;
  if( pObj==0 || !acdcReadBool(r, pObj, "enabled", 0) ) return;
  pSource = acdcShapeMember(pObj, "source");
  if( pSource==0 ) pSource = acdcShapeMember(pObj, "source_details");
  pStep->migration = acdcReadRel(r, acdcReadText(r, pSource, "table"),
                                 acdcReadText(r, pSource, "database"), 0);
  acdcReadTexts(r, pSource, "select_exp", &pStep->migrationSelect);
  acdcReadTexts(r, pSource, "where_clause", &pStep->migrationWhere);
  acdcReadTexts(r, pSource, "except_columns", &pStep->migrationExcept);
  pStep->bMigrationSkip =
      (u8)acdcReadBool(r, pObj, "auto_starting_versions_enabled", 1);
  if( pStep->eKind==ACDC_STEP_SNAPSHOT || pStep->eKind==ACDC_STEP_VERSIONS ){
    acdcReadError(r, pObj, 0, "a target of snapshots cannot import an old "
        "table: its first snapshot is the import");
  }
}
