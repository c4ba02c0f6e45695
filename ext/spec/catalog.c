/*
** The specs that a database keeps.  See catalog.h.
**
** Which specs this connection has loaded itself is kept in a TEMP table, which
** no database file can bring along.
*/
#include "catalog.h"
#include "files.h"
#include "../source/fs.h"

#define CATALOG_VERSION 1

int acdcCatalogExists(AcdcCtx *p){
  return 0!=acdcSelectInt(p, 0, "SELECT 1 FROM main.sqlite_master WHERE "
                          "type='table' AND name='autocdc_specs' AND rootpage>0");
}

static void catalogCheckVersion(AcdcCtx *p){
  i64 i;
  if( !acdcSelectInt(p, 0, "SELECT 1 FROM main.sqlite_master WHERE "
                     "type='table' AND name='autocdc_catalog'") ) return;
  i = acdcSelectInt(p, 0, "SELECT version FROM main.autocdc_catalog");
  if( i>CATALOG_VERSION ){
    acdcError(p, SQLITE_ERROR, "the catalog of this database has version %lld, "
              "this libautocdc knows version %d: use a newer one", i,
              CATALOG_VERSION);
  }
}

void acdcCatalogMake(AcdcCtx *p){
  catalogCheckVersion(p);
  if( p->rc ) return;
  acdcExec(p, "CREATE TABLE IF NOT EXISTS main.autocdc_specs("
      "name TEXT PRIMARY KEY, format TEXT, spec TEXT NOT NULL, options TEXT, "
      "enabled INTEGER NOT NULL DEFAULT 1, loaded_at TEXT NOT NULL DEFAULT "
      "(strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ','now')))");
  acdcExec(p, "CREATE TABLE IF NOT EXISTS main.autocdc_flows("
      "spec TEXT, flow TEXT, target TEXT, kind TEXT, scd_type TEXT, "
      "keys TEXT, sequence_by TEXT, source TEXT, enabled INTEGER, "
      "once INTEGER, data_flow_id TEXT, data_flow_group TEXT, layer TEXT)");
  acdcExec(p, "CREATE TABLE IF NOT EXISTS main.autocdc_catalog("
           "version INTEGER NOT NULL)");
  acdcExec(p, "INSERT INTO main.autocdc_catalog SELECT %d WHERE NOT EXISTS "
           "(SELECT 1 FROM main.autocdc_catalog)", CATALOG_VERSION);
}

/* ---- what this connection has loaded ---- */

static void catalogTrust(AcdcCtx *p, const char *zText, const char *zOptions){
  acdcExec(p, "CREATE TEMP TABLE IF NOT EXISTS autocdc_loaded("
           "spec TEXT, options TEXT, UNIQUE(spec, options))");
  acdcExec(p, "INSERT OR IGNORE INTO temp.autocdc_loaded VALUES(%Q, %Q)", zText,
           zOptions ? zOptions : "");
}

/* All of the text is compared: a digest that is met by another text would let
** that one in. */
static int catalogTrusted(
  AcdcCtx *p, const char *zText, const char *zOptions
){
  if( !acdcSelectInt(p, 0, "SELECT 1 FROM sqlite_temp_master WHERE "
                     "type='table' AND name='autocdc_loaded'") ) return 0;
  return 0!=acdcSelectInt(p, 0, "SELECT 1 FROM temp.autocdc_loaded WHERE "
      "spec=%Q AND options=%Q", zText, zOptions ? zOptions : "");
}

/* ---- options as they are stored ---- */

static void putPair(
  AcdcCtx *p, char **pz, const char *zName, const char *zValue
){
  if( zValue==0 ) return;
  acdcAppendf(p, pz, "%s\"%s\": ", *pz ? ", " : "{", zName);
  acdcJsonQuote(p, pz, zValue, -1);
}

static void putMap(
  AcdcCtx *p, char **pz, const char *zName, const AcdcNames *pNames,
  const AcdcNames *pValues
){
  int i;
  if( pNames->n==0 ) return;
  acdcAppendf(p, pz, "%s\"%s\": {", *pz ? ", " : "{", zName);
  for(i=0; i<pNames->n; i++){
    acdcAppendf(p, pz, "%s", i ? ", " : "");
    acdcJsonQuote(p, pz, pNames->az[i], -1);
    acdcAppendf(p, pz, ": ");
    acdcJsonQuote(p, pz, pValues->az[i], -1);
  }
  acdcAppendf(p, pz, "}");
}

static char *optionsText(AcdcCtx *p, const AcdcSpecOptions *pOpt){
  char *z = 0;
  putPair(p, &z, "format", pOpt->zFormat);
  putPair(p, &z, "env", pOpt->zEnv);
  putPair(p, &z, "base_path", pOpt->zBasePath);
  putPair(p, &z, "name", pOpt->zName);
  putMap(p, &z, "tokens", &pOpt->tokenName, &pOpt->tokenValue);
  putMap(p, &z, "path_map", &pOpt->mapFrom, &pOpt->mapTo);
  putMap(p, &z, "files", &pOpt->fileName, &pOpt->fileText);
  if( pOpt->bFlatten ){
    acdcAppendf(p, &z, "%s\"flatten\": true", z ? ", " : "{");
  }
  if( pOpt->bStrict ){
    acdcAppendf(p, &z, "%s\"strict\": true", z ? ", " : "{");
  }
  if( z ) acdcAppendf(p, &z, "}");
  return z;
}

/* ---- loading ---- */

static int specFlows(const AcdcSpec *pSpec){
  const AcdcStep *pStep;
  int n = 0;
  for(pStep=pSpec->pStep; pStep; pStep=pStep->pNext){
    n += pStep->nInput ? pStep->nInput : 1;
  }
  return n;
}

/*
** The name to store a spec under.  Lists have none of their own: the file's, or
** that of their first entry.  Owned by the caller.
*/
static char *specName(
  AcdcCtx *p, const AcdcSpec *pSpec, const AcdcSpecOptions *pOpt,
  const char *zName
){
  if( pOpt->zName ) return acdcStrdup(p, pOpt->zName);
  if( !pSpec->pFormat->bList ) return acdcStrdup(p, pSpec->zName);
  if( zName ) return acdcStrdup(p, zName);
  return acdcMprintf(p, "%s %s", pSpec->pFormat->zName,
      pSpec->pStep && pSpec->pStep->zId ? pSpec->pStep->zId : "");
}

static void catalogStore(
  AcdcCtx *p, const char *zName, const AcdcSpec *pSpec, const char *zText,
  i64 nText, const char *zOptions
){
  sqlite3_stmt *pStmt;
  acdcCatalogMake(p);
  pStmt = acdcPrepare(p, 0, "INSERT OR REPLACE INTO main.autocdc_specs("
      "name, format, spec, options) VALUES(?1, ?2, ?3, ?4)");
  if( pStmt ){
    sqlite3_bind_text(pStmt, 1, zName, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 2, pSpec->pFormat->zName, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 3, zText, (int)nText, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 4, zOptions, -1, SQLITE_STATIC);
  }
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
  acdcExec(p, "DELETE FROM main.autocdc_flows WHERE spec=%Q", zName);
  acdcCatalogFlows(p, zName, pSpec);
}

int acdcCatalogLoad(
  AcdcCtx *p, const char *zText, i64 nText, const char *zOptions,
  const char *zBase, const char *zName
){
  AcdcSpecOptions opt;
  AcdcSpec *pSpec = 0;
  AcdcDiags diags;
  char *zStored = 0, *zRow = 0;
  int n = 0;
  memset(&diags, 0, sizeof(diags));
  acdcSpecOptionsRead(p, zOptions, &opt);
  if( opt.zBasePath==0 && zBase ) opt.zBasePath = acdcStrdup(p, zBase);
  acdcSpecRead(p, zText, nText, &opt, &diags, &pSpec);
  if( pSpec ) acdcSpecCompanions(p, &opt, pSpec, &diags);
  acdcDiagRaise(p, &diags, zName ? zName : "the spec");
  if( pSpec && p->rc==SQLITE_OK ){
    n = specFlows(pSpec);
    zRow = specName(p, pSpec, &opt, zName);
    zStored = optionsText(p, &opt);
    catalogStore(p, zRow, pSpec, zText, nText, zStored);
    if( p->rc==SQLITE_OK ) catalogTrust(p, zText, zStored);
  }
  sqlite3_free(zRow);
  sqlite3_free(zStored);
  acdcSpecFree(pSpec);
  acdcDiagClear(&diags);
  acdcSpecOptionsClear(&opt);
  return n;
}

/* ---- files ---- */

static int endsWith(const char *z, const char *zEnd){
  size_t n = strlen(z), k = strlen(zEnd);
  return n>=k && strcmp(&z[n-k], zEnd)==0;
}

/* The folder of a path, "." if it has none.  Owned by the caller. */
static char *folderOf(AcdcCtx *p, const char *zPath){
  const char *zSlash = strrchr(zPath, '/');
  if( zSlash==0 ) return acdcStrdup(p, ".");
  return acdcStrndup(p, zPath, zSlash==zPath ? 1 : zSlash-zPath);
}

/*
** The folder that relative paths of a spec start from: the spec's own, or the
** one that holds its folder dataflowspec/.
*/
static char *baseOf(AcdcCtx *p, const char *zPath){
  char *z = folderOf(p, zPath);
  if( z && (endsWith(z, "/dataflowspec") || strcmp(z, "dataflowspec")==0) ){
    char *zUp = folderOf(p, z);
    sqlite3_free(z);
    z = zUp;
  }
  return z;
}

/*
** Flow groups in files of their own: *_flow.json beside a flow spec, that name
** its dataFlowId.  Puts them into the text of the spec; *pzText is replaced.
*/
static void attachGroups(AcdcCtx *p, const char *zPath, char **pzText){
  AcdcFileList list;
  AcdcJsonPos pos;
  AcdcCtx sub;
  AcdcJson *pDoc;
  const AcdcJsonNode *pId, *pType, *pGroups;
  char *zDir, *zMore = 0;
  int i;
  acdcCtxInit(&sub, p->db);
  pDoc = acdcJsonParse(&sub, *pzText, -1, &pos);
  acdcCtxClear(&sub);
  if( pDoc==0 ) return;
  pType = acdcShapeMember(acdcJsonRoot(pDoc), "data_flow_type");
  pId = acdcShapeMember(acdcJsonRoot(pDoc), "data_flow_id");
  pGroups = acdcShapeMember(acdcJsonRoot(pDoc), "flow_groups");
  memset(&list, 0, sizeof(list));
  zDir = folderOf(p, zPath);
  if( zDir && pType && pType->eType==ACDC_JSON_STRING
   && sqlite3_stricmp(pType->zText, "flow")==0
   && pId && pId->eType==ACDC_JSON_STRING ){
    acdcFsWalk(p, 0, zDir, 0, 0, &list);
  }
  for(i=0; i<list.n && p->rc==SQLITE_OK; i++){
    char *zText;
    AcdcJson *pGroup;
    const AcdcJsonNode *pOf;
    if( !endsWith(list.a[i].zPath, "_flow.json") ) continue;
    zText = acdcFsReadAll(p, list.a[i].zPath, ACDC_JSON_MAX_BYTES);
    pGroup = zText ? acdcJsonParse(p, zText, -1, &pos) : 0;
    if( pGroup==0 ){
      acdcErrorWhere(p, "%s: line %d, column %d", list.a[i].zPath, pos.iLine,
                     pos.iCol);
    }else{
      pOf = acdcShapeMember(acdcJsonRoot(pGroup), "data_flow_id");
      if( pOf && pOf->eType==ACDC_JSON_STRING
       && sqlite3_stricmp(pOf->zText, pId->zText)==0 ){
        acdcAppendf(p, &zMore, "%s%s", zMore ? ",\n" : "", zText);
      }
    }
    acdcJsonFree(pGroup);
    sqlite3_free(zText);
  }
  if( zMore ){
    const AcdcJsonNode *pRoot = acdcJsonRoot(pDoc);
    char *zNew;
    if( pGroups && pGroups->eType==ACDC_JSON_ARRAY ){
      int iEnd = (int)(pGroups->iOff + pGroups->nRaw) - 1;
      zNew = acdcMprintf(p, "%.*s%s%s%s", iEnd, *pzText,
          pGroups->nChild ? ",\n" : "", zMore, *pzText + iEnd);
    }else{
      int iEnd = (int)(pRoot->iOff + pRoot->nRaw) - 1;
      zNew = acdcMprintf(p, "%.*s,\n\"flowGroups\": [%s]\n%s", iEnd, *pzText,
                         zMore, *pzText + iEnd);
    }
    if( zNew ){
      sqlite3_free(*pzText);
      *pzText = zNew;
    }
  }
  sqlite3_free(zMore);
  sqlite3_free(zDir);
  acdcFileListClear(&list);
  acdcJsonFree(pDoc);
}

static int loadOneFile(AcdcCtx *p, const char *zPath, const char *zOptions){
  char *zText = acdcFsReadAll(p, zPath, ACDC_JSON_MAX_BYTES);
  char *zBase = baseOf(p, zPath);
  const char *zTail = strrchr(zPath, '/');
  char *zName = acdcStrdup(p, zTail ? zTail+1 : zPath);
  int n = 0;
  if( zText ) attachGroups(p, zPath, &zText);
  if( zName && endsWith(zName, ".json") ) zName[strlen(zName)-5] = 0;
  if( p->rc==SQLITE_OK ){
    n = acdcCatalogLoad(p, zText, -1, zOptions, zBase, zName);
    acdcErrorWhere(p, "%s", zPath);
  }
  sqlite3_free(zText);
  sqlite3_free(zBase);
  sqlite3_free(zName);
  return n;
}

int acdcCatalogLoadFile(AcdcCtx *p, const char *zPath, const char *zOptions){
  char *z;
  AcdcFileList list;
  int i, n = 0, nFile = 0;
  acdcFsAllowed(p);
  z = acdcFsPath(p, 0, zPath);
  if( z==0 ) return 0;
  switch( acdcFsKind(z, 0) ){
    case 1:
      n = loadOneFile(p, z, zOptions);
      break;
    case 2:
      memset(&list, 0, sizeof(list));
      acdcFsWalk(p, 0, z, 1, 0, &list);
      for(i=0; i<list.n && p->rc==SQLITE_OK; i++){
        if( !endsWith(list.a[i].zPath, "_main.json") ) continue;
        nFile++;
        n += loadOneFile(p, list.a[i].zPath, zOptions);
      }
      if( nFile==0 ){
        acdcError(p, SQLITE_ERROR, "the folder \"%s\" has no files that end in "
                  "_main.json", zPath);
      }
      acdcFileListClear(&list);
      break;
    default:
      acdcError(p, SQLITE_CANTOPEN, "there is no file or folder \"%s\"", zPath);
      break;
  }
  sqlite3_free(z);
  return n;
}

/* ---- dropping ---- */

/*
** A spec that a plain INSERT has stored, which nothing has compiled yet, has no
** flows, and it may have no name: by the id in its text.  1 if that was it.
*/
static int dropUncompiled(AcdcCtx *p, const char *zName){
  static const char zMatch[] = "FROM main.autocdc_specs WHERE "
      "(name IS NULL OR name NOT IN (SELECT spec FROM main.autocdc_flows)) AND "
      "CASE WHEN json_valid(spec) THEN coalesce("
      "json_extract(spec,'$.data_flow_id'), json_extract(spec,'$.dataFlowId'))"
      "=%Q END";
  char *zCount = acdcMprintf(p, "SELECT count(*) %s", zMatch);
  char *zDelete = acdcMprintf(p, "DELETE %s", zMatch);
  i64 n = zCount ? acdcSelectInt(p, 0, zCount, zName) : 0;
  if( n==1 && zDelete ) acdcExec(p, zDelete, zName);
  sqlite3_free(zCount);
  sqlite3_free(zDelete);
  return n==1 && p->rc==SQLITE_OK;
}

void acdcCatalogDrop(AcdcCtx *p, const char *zName){
  AcdcNames names = {0, 0};
  sqlite3_stmt *pStmt;
  char *zFound = 0;
  if( p->rc==SQLITE_OK && !acdcCatalogExists(p) ){
    acdcError(p, SQLITE_ERROR, "no spec is loaded");
    return;
  }
  zFound = acdcSelectText(p, "SELECT name FROM main.autocdc_specs "
                          "WHERE name=%Q", zName);
  if( zFound==0 ){
    zFound = acdcSelectText(p, "SELECT min(spec) FROM main.autocdc_flows "
        "WHERE data_flow_id=%Q HAVING count(DISTINCT spec)=1", zName);
  }
  if( zFound==0 && dropUncompiled(p, zName) ) return;
  if( zFound ){
    acdcExec(p, "DELETE FROM main.autocdc_specs WHERE name=%Q", zFound);
    acdcExec(p, "DELETE FROM main.autocdc_flows WHERE spec=%Q", zFound);
  }else if( p->rc==SQLITE_OK ){
    const char *zNear;
    char *zAll;
    pStmt = acdcPrepare(p, 0, "SELECT name FROM main.autocdc_specs "
                        "WHERE name IS NOT NULL");
    while( acdcStep(p, pStmt) ){
      acdcNamesAdd(p, &names, (const char*)sqlite3_column_text(pStmt, 0), -1);
    }
    acdcFinalize(p, &pStmt);
    zNear = acdcNearest(zName, (const char *const*)names.az, names.n);
    zAll = acdcNamesText(p, &names);
    acdcError(p, SQLITE_ERROR, "no spec is named \"%s\"%s%s%s; loaded are: %s",
        zName, zNear ? ": did you mean \"" : "", zNear ? zNear : "",
        zNear ? "\"?" : "", zAll && zAll[0] ? zAll : "none");
    sqlite3_free(zAll);
  }
  acdcNamesFree(&names);
  sqlite3_free(zFound);
}

/* ---- reading ---- */

void acdcCatalogRowClear(AcdcCatalogRow *pRow){
  sqlite3_free(pRow->zName);
  sqlite3_free(pRow->zText);
  sqlite3_free(pRow->zOptions);
  memset(pRow, 0, sizeof(*pRow));
}

int acdcCatalogNext(AcdcCtx *p, i64 iAfter, AcdcCatalogRow *pOut){
  sqlite3_stmt *pStmt;
  int bRow = 0;
  memset(pOut, 0, sizeof(*pOut));
  if( iAfter==0 ){
    catalogCheckVersion(p);
    if( !acdcCatalogExists(p) ) return 0;
  }
  pStmt = acdcPrepare(p, 0, "SELECT rowid, name, spec, options "
      "FROM main.autocdc_specs WHERE enabled AND rowid>%lld "
      "ORDER BY rowid LIMIT 1", iAfter);
  if( acdcStep(p, pStmt) ){
    bRow = 1;
    pOut->iRow = sqlite3_column_int64(pStmt, 0);
    pOut->zName = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 1));
    pOut->zText = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 2));
    pOut->zOptions = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 3));
  }
  acdcFinalize(p, &pStmt);
  if( bRow && pOut->zText ){
    pOut->bTrusted = (u8)catalogTrusted(p, pOut->zText, pOut->zOptions);
  }
  return bRow && p->rc==SQLITE_OK;
}

/* ---- autocdc_flows ---- */

void acdcCatalogFlowsBegin(AcdcCtx *p){
  acdcCatalogMake(p);
  acdcExec(p, "DELETE FROM main.autocdc_flows");
}

static void flowsRow(
  AcdcCtx *p, const char *zSpecName, const AcdcStep *pStep,
  const AcdcInput *pIn
){
  static const char *const azKind[] = {
    "", "append", "merge", "snapshot", "snapshots", "materialized_view",
    "batch_sql"
  };
  char *zKeys = acdcNamesText(p, &pStep->flow.keys);
  char *zSeq = acdcNamesText(p, &pStep->flow.sequenceBy);
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "INSERT INTO main.autocdc_flows "
      "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)");
  if( pStmt ){
    const AcdcRel *pT = &pStep->target;
    char *zTarget = acdcMprintf(p, "%s%s%s", pT->zSchema ? pT->zSchema : "",
        pT->zSchema ? "." : "", pT->zName ? pT->zName : "");
    const char *zScd = pStep->eKind<ACDC_STEP_MERGE
        || pStep->eKind>ACDC_STEP_VERSIONS ? 0
        : pStep->flow.eScd==ACDC_SCD2 ? "2" : "1";
    sqlite3_bind_text(pStmt, 1, zSpecName, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 2, pIn ? pIn->zName : pT->zName, -1,
                      SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 3, zTarget, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 4, azKind[pStep->eKind], -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 5, zScd, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 6, zScd ? zKeys : 0, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 7, zScd && pStep->flow.sequenceBy.n ? zSeq : 0,
                      -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 8, pIn ? pIn->zView : pStep->versions.bFiles
        ? pStep->versions.zPath : pStep->versions.table.zName, -1,
        SQLITE_STATIC);
    sqlite3_bind_int(pStmt, 9, pStep->bEnabled && (pIn==0 || pIn->bEnabled));
    sqlite3_bind_int(pStmt, 10, pIn ? pIn->bOnce : 0);
    sqlite3_bind_text(pStmt, 11, pStep->zId, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 12, pStep->zGroup, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 13, pStep->zLayer, -1, SQLITE_STATIC);
    acdcStep(p, pStmt);
    sqlite3_free(zTarget);
  }
  acdcFinalize(p, &pStmt);
  sqlite3_free(zKeys);
  sqlite3_free(zSeq);
}

void acdcCatalogFlows(AcdcCtx *p, const char *zSpecName, const AcdcSpec *pSpec){
  const AcdcStep *pStep;
  const AcdcInput *pIn;
  for(pStep=pSpec->pStep; pStep; pStep=pStep->pNext){
    if( pStep->pInput==0 ) flowsRow(p, zSpecName, pStep, 0);
    for(pIn=pStep->pInput; pIn; pIn=pIn->pNext){
      flowsRow(p, zSpecName, pStep, pIn);
    }
  }
}
