/*
** From a text to a spec: which format it is, older versions of it, and the
** reader for it.
*/
#include "spec.h"
#include "template.h"

/* Text of a member that is text, or NULL. */
static const char *rawText(const AcdcJsonNode *pObj, const char *zName){
  const AcdcJsonNode *p = acdcShapeMember(pObj, zName);
  return p && p->eType==ACDC_JSON_STRING ? p->zText : 0;
}

/* True if a member of pObj begins with zPrefix. */
static int hasPrefix(const AcdcJsonNode *pObj, const char *zPrefix){
  const AcdcJsonNode *p = pObj->eType==ACDC_JSON_OBJECT ? pObj->pFirst : 0;
  while( p && strncmp(p->zKey, zPrefix, strlen(zPrefix)) ) p = p->pNext;
  return p!=0;
}

/*
** The format of a document by its shape, or NULL with a finding.
*/
static const AcdcFormat *detectFormat(
  AcdcSpecRead *r,
  const AcdcJsonNode *pRoot
){
  const AcdcJsonNode *pRow;
  const AcdcFormat *pFormat = 0;
  const char *zType;
  if( pRoot->eType==ACDC_JSON_ARRAY ){
    for(pRow=pRoot->pFirst; pRow; pRow=pRow->pNext){
      if( hasPrefix(pRow, "data_flow_") || hasPrefix(pRow, "bronze_")
       || hasPrefix(pRow, "silver_") ){
        return acdcFormatFind("sdp-meta");
      }
      if( acdcJsonMember(pRow, "table") || acdcJsonMember(pRow, "keys") ){
        return acdcFormatFind("kinetishift");
      }
    }
    acdcReadError(r, pRoot, "rows of an onboarding file have data_flow_id, "
        "entries of a table list have table and keys",
        pRoot->nChild ? "a list of no known format" : "the list is empty");
    return 0;
  }
  if( pRoot->eType!=ACDC_JSON_OBJECT ){
    acdcReadError(r, pRoot, 0, "a spec is a JSON object or list, not %s",
                  acdcJsonTypeName(pRoot));
    return 0;
  }
  if( hasPrefix(pRoot, "kinetishift.") ) return acdcFormatFind("kinetishift");
  if( acdcShapeMember(pRoot, "template")
   && acdcShapeMember(pRoot, "parameter_sets") ){
    return acdcFormatFind("template");
  }
  zType = rawText(pRoot, "data_flow_type");
  if( zType ){
    pFormat = acdcFormatFind(zType);
    if( pFormat==0 || pFormat->bList ){
      acdcReadError(r, acdcShapeMember(pRoot, "data_flow_type"),
          "nodespec, standard, flow or materialized_view",
          "unknown data flow type \"%s\"", zType);
      return 0;
    }
    return pFormat;
  }
  if( acdcJsonMember(pRoot, "table") && acdcJsonMember(pRoot, "keys") ){
    acdcReadError(r, pRoot, "put it in [ ]", "a table list is a list of "
                  "entries");
    return 0;
  }
  if( acdcShapeMember(pRoot, "node_type") ){
    acdcReadError(r, pRoot, "put it into {\"data_flow_id\": \"...\", "
        "\"data_flow_group\": \"...\", \"nodes\": [...]}", "this is a node, not "
        "a spec");
    return 0;
  }
  if( acdcShapeMember(pRoot, "target") && acdcShapeMember(pRoot, "keys") ){
    acdcReadError(r, pRoot, "give it to apply_changes() itself", "this is an "
                  "inline flow, not a spec");
    return 0;
  }
  if( hasPrefix(pRoot, "bronze_") || hasPrefix(pRoot, "silver_") ){
    acdcReadError(r, pRoot, "put it in [ ]", "an onboarding file is a list of "
                  "rows");
    return 0;
  }
  /* A spec that does not say its type is a nodespec. */
  if( acdcShapeMember(pRoot, "nodes") || acdcShapeMember(pRoot, "data_flow_id") ){
    return acdcFormatFind("nodespec");
  }
  acdcReadError(r, pRoot, "the option format says which one it is",
                "a document of no known format");
  return 0;
}

/* ---- versions of the Lakeflow formats ---- */

static void renameAll(AcdcJsonNode *pNode, const char *zOld, const char *zNew){
  AcdcJsonNode *p;
  for(p=pNode->pFirst; p; p=p->pNext){
    if( p->zKey && strcmp(p->zKey, zOld)==0 ) p->zKey = zNew;
    if( p->pFirst ) renameAll(p, zOld, zNew);
  }
}

/*
** Members that older versions spell otherwise.  Names only: what is where has
** not changed.
*/
static void mapVersion(AcdcSpecRead *r, AcdcJsonNode *pRoot){
  static const struct { const char *zOld; const char *zNew; u8 b2; } a[] = {
    { "cdcApplyChanges", "cdcSettings", 0 },
    { "cdcApplyChangesFromSnapshot", "cdcSnapshotSettings", 0 },
    { "kafkaOptions", "sinkOptions", 0 },
    { "topic", "name", 0 },
    { "spark_conf", "sparkConf", 1 },
    { "pythonFunctionPath", "functionPath", 1 },
  };
  const AcdcJsonNode *pVersion;
  const char *z;
  int i;
  pVersion = acdcShapeMember(pRoot, "data_flow_version");
  z = rawText(pRoot, "data_flow_version");
  if( z==0 || z[0]==0 ) return;
  if( strcmp(z, "0.1.0") && strcmp(z, "0.2.0") ){
    acdcReadError(r, pVersion, "0.1.0 and 0.2.0 are known; without one, the "
        "members are taken as they are", "unknown version \"%s\" of the format",
        z);
    return;
  }
  for(i=0; i<(int)(sizeof(a)/sizeof(a[0])); i++){
    if( a[i].b2==0 || strcmp(z, "0.2.0")==0 ){
      renameAll(pRoot, a[i].zOld, a[i].zNew);
    }
  }
}

/* ---- reading ---- */

static AcdcFormatReader formatReader(const AcdcFormat *pFormat){
  static const struct { const char *z; AcdcFormatReader x; } a[] = {
    { "nodespec", acdcReadNodespec },
    { "standard", acdcReadStandard },
    { "flow", acdcReadFlowSpec },
    { "materialized_view", acdcReadViewSpec },
    { "sdp-meta", acdcReadOnboarding },
    { "kinetishift", acdcReadKinetiShift },
    { "template", acdcReadTemplate },
  };
  int i;
  for(i=0; strcmp(a[i].z, pFormat->zName); i++){
    assert( i+1<(int)(sizeof(a)/sizeof(a[0])) );
  }
  return a[i].x;
}

/* The rows of a list, or the object, against the shape of the format. */
static void checkShape(
  AcdcSpecRead *r,
  const AcdcFormat *pFormat,
  const AcdcJsonNode *pRoot
){
  const AcdcJsonNode *pRow;
  if( !pFormat->bList ){
    acdcShapeCheck(r->p, r->pDoc, pRoot, pFormat->pShape, pFormat->bCamel,
                   r->pDiags);
  }else if( pRoot->eType==ACDC_JSON_OBJECT && pFormat->pObject ){
    acdcShapeCheck(r->p, r->pDoc, pRoot, pFormat->pObject, 0, r->pDiags);
  }else if( pRoot->eType!=ACDC_JSON_ARRAY ){
    acdcReadError(r, pRoot, "put it in [ ]", "%s is a list, not %s",
                  pFormat->zTitle, acdcJsonTypeName(pRoot));
  }else{
    for(pRow=pRoot->pFirst; pRow; pRow=pRow->pNext){
      acdcShapeCheck(r->p, r->pDoc, pRow, pFormat->pShape, pFormat->bCamel,
                     r->pDiags);
    }
  }
}

void acdcReadDocument(AcdcSpecRead *r, AcdcJsonNode *pRoot){
  const AcdcFormat *pFormat = 0;
  if( r->pOpt->zFormat ){
    pFormat = acdcFormatFind(r->pOpt->zFormat);
    if( pFormat==0 ){
      acdcReadError(r, pRoot, "nodespec, standard, flow, materialized_view, "
          "sdp-meta, kinetishift or template", "unknown format \"%s\" in the "
          "options", r->pOpt->zFormat);
    }
  }else{
    pFormat = detectFormat(r, pRoot);
  }
  if( pFormat==0 ) return;
  if( r->pSpec->pFormat==0 ) r->pSpec->pFormat = pFormat;
  if( !pFormat->bList && pRoot->eType==ACDC_JSON_OBJECT ) mapVersion(r, pRoot);
  checkShape(r, pFormat, pRoot);
  if( pFormat->bList && pRoot->nChild>ACDC_SPEC_MAX ){
    acdcReadError(r, pRoot, "split the document", "a list has at most %d "
                  "entries, this one has %d", ACDC_SPEC_MAX, pRoot->nChild);
    return;
  }
  if( r->p->rc==SQLITE_OK
   && (pRoot->eType==ACDC_JSON_OBJECT || pRoot->eType==ACDC_JSON_ARRAY) ){
    formatReader(pFormat)(r, pRoot);
  }
}

/* ---- tokens that nothing replaces ---- */

/* A finding for each {token} in a name or path, once for each token. */
static void unknownTokens(
  AcdcSpecRead *r, const char *z, const AcdcPlace *pPlace, AcdcNames *pSeen
){
  for(; z && (z = strchr(z, '{'))!=0; z++){
    int n = 1, nBefore = r->pDiags->n;
    char *zName;
    while( (z[n]>='a' && z[n]<='z') || (z[n]>='A' && z[n]<='Z') || z[n]=='_'
        || (z[n]>='0' && z[n]<='9') ) n++;
    if( n==1 || z[n]!='}' ) continue;
    zName = acdcStrndup(r->p, z+1, n-1);
    if( zName && strcmp(zName, "version") && strcmp(zName, "fragment")
     && acdcNamesFind(pSeen, zName)<0 ){
      char *zHint = acdcMprintf(r->p, "the option {\"tokens\": {\"%s\": "
                                "\"...\"}} says it", zName);
      acdcNamesAdd(r->p, pSeen, zName, -1);
      acdcDiagAdd(r->p, r->pDiags, ACDC_DIAG_WARNING, 0, 0, 0, zHint,
                  "{%s} stands for nothing", zName);
      if( r->pDiags->n>nBefore ){
        AcdcDiag *pD = &r->pDiags->a[nBefore];
        pD->iLine = pPlace->iLine;
        pD->iCol = pPlace->iCol;
        sqlite3_free(pD->zPath);
        pD->zPath = acdcStrdup(r->p, pPlace->zPath ? pPlace->zPath : "");
      }
      sqlite3_free(zHint);
    }
    sqlite3_free(zName);
  }
}

static void findTokens(AcdcSpecRead *r){
  const AcdcView *pView;
  const AcdcStep *pStep;
  AcdcNames seen = {0, 0};
  for(pView=r->pSpec->pView; pView; pView=pView->pNext){
    unknownTokens(r, pView->table.zSchema, &pView->place, &seen);
    unknownTokens(r, pView->table.zName, &pView->place, &seen);
    unknownTokens(r, pView->zPath, &pView->place, &seen);
  }
  for(pStep=r->pSpec->pStep; pStep; pStep=pStep->pNext){
    unknownTokens(r, pStep->target.zSchema, &pStep->place, &seen);
    unknownTokens(r, pStep->target.zName, &pStep->place, &seen);
    unknownTokens(r, pStep->versions.zPath, &pStep->place, &seen);
    unknownTokens(r, pStep->versions.table.zSchema, &pStep->place, &seen);
  }
  acdcNamesFree(&seen);
}

void acdcSpecRead(
  AcdcCtx *p,
  const char *zText,
  i64 nText,
  const AcdcSpecOptions *pOpt,
  AcdcDiags *pDiags,
  AcdcSpec **ppOut
){
  AcdcSpecRead r;
  AcdcCtx sub;
  AcdcJsonPos pos;
  *ppOut = 0;
  if( p->rc ) return;
  memset(&r, 0, sizeof(r));
  r.p = p;
  r.pOpt = pOpt;
  r.pDiags = pDiags;
  acdcCtxInit(&sub, p->db);
  r.pDoc = acdcJsonParse(&sub, zText, nText, &pos);
  if( r.pDoc==0 ){
    if( sub.rc==SQLITE_NOMEM ){
      acdcError(p, SQLITE_NOMEM, "out of memory");
    }else{
      const char *z = zText + strspn(zText, " \t\r\n");
      acdcDiagAdd(p, pDiags, ACDC_DIAG_ERROR, 0, 0, 0,
                  z[0]=='{' || z[0]=='[' || z[0]==0 ? 0
                  : "is it a path? autocdc_load_file() reads files",
                  "not valid JSON: %s", acdcErrorText(&sub));
      if( pDiags->n ){
        pDiags->a[pDiags->n-1].iLine = pos.iLine;
        pDiags->a[pDiags->n-1].iCol = pos.iCol;
      }
    }
    acdcCtxClear(&sub);
    return;
  }
  r.pSpec = acdcMalloc(p, (i64)sizeof(AcdcSpec));
  if( r.pSpec ){
    r.ppView = &r.pSpec->pView;
    r.ppStep = &r.pSpec->pStep;
    acdcReadDocument(&r, acdcJsonRoot(r.pDoc));
    if( pOpt->zName ) r.pSpec->zName = acdcReadStr(&r, pOpt->zName);
    if( r.pSpec->pFormat==0 ){
      acdcSpecFree(r.pSpec);
      r.pSpec = 0;
    }
  }
  if( r.pSpec ) findTokens(&r);
  acdcJsonFree(r.pDoc);
  if( pOpt->bStrict ) acdcDiagStrict(pDiags);
  acdcDiagSort(pDiags);
  *ppOut = r.pSpec;
}
