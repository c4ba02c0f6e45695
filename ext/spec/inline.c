/*
** Inline flows and run options.  See inline.h.
*/
#include "inline.h"
#include "../core/json.h"

typedef struct InlineRead InlineRead;
struct InlineRead {
  AcdcCtx *pCtx;
  AcdcJson *pDoc;
  AcdcFlow *pFlow;
};

/* Parse an argument that must be an object; errors say where in zWhat. */
static AcdcJson *inlineParse(
  AcdcCtx *p,
  const char *zJson,
  const char *zWhat
){
  AcdcJsonPos pos;
  AcdcJson *pDoc = acdcJsonParse(p, zJson, -1, &pos);
  AcdcJsonNode *pNode;
  if( pDoc==0 ){
    if( pos.iLine ){
      acdcErrorWhere(p, "%s is not valid JSON: line %d, column %d", zWhat,
                     pos.iLine, pos.iCol);
    }else{
      acdcErrorWhere(p, "%s", zWhat);
    }
    return 0;
  }
  pNode = acdcJsonRoot(pDoc);
  if( pNode->eType!=ACDC_JSON_OBJECT ){
    acdcError(p, SQLITE_ERROR, "%s must be a JSON object {...}, not %s", zWhat,
              acdcJsonTypeName(pNode));
  }
  for(pNode=pNode->pFirst; pNode; pNode=pNode->pNext){
    if( pNode->bDup ){
      acdcJsonError(p, pDoc, pNode, "\"%s\" is given twice", pNode->zKey);
    }
  }
  if( p->rc ){
    acdcErrorWhere(p, "%s", zWhat);
    acdcJsonFree(pDoc);
    pDoc = 0;
  }
  return pDoc;
}

/* The error that pNode has the wrong type for what it is. */
static void inlineWrongType(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  const char *zTakes
){
  acdcJsonError(p->pCtx, p->pDoc, pNode, "\"%s\" takes %s, not %s",
      pNode->zKey ? pNode->zKey : pNode->pParent->zKey, zTakes,
      acdcJsonTypeName(pNode));
}

/* The text of pNode, or NULL with an error. */
static const char *inlineText(InlineRead *p, const AcdcJsonNode *pNode){
  if( pNode->eType==ACDC_JSON_STRING ) return pNode->zText;
  inlineWrongType(p, pNode, "text");
  return 0;
}

static void inlineList(
  InlineRead *p,
  const AcdcMember *pM,
  const AcdcJsonNode *pNode
){
  const AcdcJsonNode *pItem;
  if( pNode->eType==ACDC_JSON_STRING ){
    acdcFlowSetText(p->pCtx, p->pFlow, pM, pNode->zText);
    return;
  }
  if( pNode->eType!=ACDC_JSON_ARRAY ){
    inlineWrongType(p, pNode, "a list of texts, or text with commas");
    return;
  }
  acdcFlowListBegin(p->pCtx, p->pFlow, pM);
  for(pItem=pNode->pFirst; pItem; pItem=pItem->pNext){
    if( pItem->eType!=ACDC_JSON_STRING ){
      inlineWrongType(p, pItem, "a list of texts");
      return;
    }
    acdcFlowListAdd(p->pCtx, p->pFlow, pM, pItem->zText);
  }
}

/* The error for a member that pObj cannot have; az lists n that it can. */
static void inlineUnknown(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  const char *const*az,
  int n
){
  const char *zNear = acdcNearest(pNode->zKey, az, n);
  char *zAll = 0;
  int i;
  if( zNear ){
    acdcJsonError(p->pCtx, p->pDoc, pNode, "unknown member \"%s\": did you "
        "mean \"%s\"?", pNode->zKey, zNear);
    return;
  }
  for(i=0; i<n; i++){
    acdcAppendf(p->pCtx, &zAll, "%s%s", i ? ", " : "", az[i]);
  }
  acdcJsonError(p->pCtx, p->pDoc, pNode, "unknown member \"%s\"; known are: "
      "%s", pNode->zKey, zAll ? zAll : "");
  sqlite3_free(zAll);
}

/* reader_options: an object of scalars, kept as texts. */
static void inlineReaderOptions(InlineRead *p, const AcdcJsonNode *pNode){
  const AcdcJsonNode *pItem;
  if( pNode->eType!=ACDC_JSON_OBJECT ){
    inlineWrongType(p, pNode, "an object such as {\"header\": true}");
    return;
  }
  for(pItem=pNode->pFirst; pItem; pItem=pItem->pNext){
    char *zValue = 0;
    int n;
    const char *z;
    if( pItem->bDup ){
      acdcJsonError(p->pCtx, p->pDoc, pItem, "\"%s\" is given twice",
                    pItem->zKey);
      return;
    }
    if( pItem->eType==ACDC_JSON_NULL ) continue;
    if( pItem->eType==ACDC_JSON_ARRAY || pItem->eType==ACDC_JSON_OBJECT ){
      inlineWrongType(p, pItem, "text, a number, true or false");
      return;
    }
    if( pItem->eType==ACDC_JSON_STRING ){
      zValue = acdcStrdup(p->pCtx, pItem->zText);
    }else{
      z = acdcJsonRaw(p->pDoc, pItem, &n);
      zValue = acdcStrndup(p->pCtx, z, n);
    }
    acdcFlowAddOption(p->pCtx, p->pFlow, pItem->zKey, zValue);
    sqlite3_free(zValue);
  }
}

/* A member of the file form of "source" that is kept as it is spelled: the
** ones of snapshot versions (source/versions.h), and the path of a schema. */
static int inlineFilesMember(InlineRead *p, const AcdcJsonNode *pItem){
  static const char *const az[] = {
    "version_type", "versionType", "datetime_format", "datetimeFormat",
    "starting_version", "startingVersion", "micro_second_mask_length",
    "microSecondMaskLength", "recursive_file_lookup", "recursiveFileLookup",
    "schema_path", "schemaPath", "filter"
  };
  AcdcFiles *pFiles = &p->pFlow->files;
  char *z = 0;
  int i, n;
  for(i=0; i<(int)(sizeof(az)/sizeof(az[0])); i++){
    if( strcmp(pItem->zKey, az[i])==0 ) break;
  }
  if( i==(int)(sizeof(az)/sizeof(az[0])) ) return 0;
  if( pItem->eType==ACDC_JSON_STRING ){
    z = acdcStrdup(p->pCtx, pItem->zText);
  }else if( pItem->eType==ACDC_JSON_ARRAY || pItem->eType==ACDC_JSON_OBJECT ){
    inlineWrongType(p, pItem, "text, a number, true or false");
  }else{
    const char *zRaw = acdcJsonRaw(p->pDoc, pItem, &n);
    z = acdcStrndup(p->pCtx, zRaw, n);
  }
  if( z ){
    acdcNamesAdd(p->pCtx, &pFiles->memName, pItem->zKey, -1);
    acdcNamesAdd(p->pCtx, &pFiles->memValue, z, -1);
  }
  sqlite3_free(z);
  return 1;
}

/* The file form of "source". */
static void inlineFiles(InlineRead *p, const AcdcJsonNode *pNode){
  static const char *const az[] = {
    "format", "path", "schema", "reader_options", "schema_path",
    "version_type", "datetime_format", "starting_version",
    "micro_second_mask_length", "recursive_file_lookup", "filter"
  };
  AcdcFiles *pFiles = &p->pFlow->files;
  const AcdcJsonNode *pItem;
  p->pFlow->eSource = ACDC_SOURCE_FILES;
  for(pItem=pNode->pFirst; pItem && p->pCtx->rc==SQLITE_OK;
      pItem=pItem->pNext){
    const char *zKey = pItem->zKey;
    char **pz = 0;
    if( pItem->bDup ){
      acdcJsonError(p->pCtx, p->pDoc, pItem, "\"%s\" is given twice", zKey);
      return;
    }
    if( pItem->eType==ACDC_JSON_NULL ) continue;
    if( strcmp(zKey, "reader_options")==0
     || strcmp(zKey, "readerOptions")==0 ){
      inlineReaderOptions(p, pItem);
      continue;
    }
    if( strcmp(zKey, "format")==0 ) pz = &pFiles->zFormat;
    else if( strcmp(zKey, "path")==0 ) pz = &pFiles->zPath;
    else if( strcmp(zKey, "schema")==0 ) pz = &pFiles->zSchema;
    if( pz==0 ){
      if( !inlineFilesMember(p, pItem) ){
        inlineUnknown(p, pItem, az, (int)(sizeof(az)/sizeof(az[0])));
      }
    }else if( pz==&pFiles->zSchema && pItem->eType==ACDC_JSON_OBJECT ){
      /* A Spark schema stays the JSON that it is. */
      int n;
      const char *z = acdcJsonRaw(p->pDoc, pItem, &n);
      *pz = acdcStrndup(p->pCtx, z, n);
    }else{
      *pz = acdcStrdup(p->pCtx, inlineText(p, pItem));
    }
  }
  if( p->pCtx->rc ) return;
  if( pFiles->zPath==0 || pFiles->zPath[0]==0 ){
    acdcJsonError(p->pCtx, p->pDoc, pNode, "\"source\" needs a \"path\": a "
        "file, a folder or a pattern such as \"in/*.csv\"");
  }else if( pFiles->zFormat==0 ){
    acdcJsonError(p->pCtx, p->pDoc, pNode, "\"source\" needs a \"format\": "
        "\"csv\" or \"json\"");
  }else if( sqlite3_stricmp(pFiles->zFormat, "csv")
         && sqlite3_stricmp(pFiles->zFormat, "json") ){
    acdcJsonError(p->pCtx, p->pDoc, acdcJsonMember(pNode, "format"),
        "format \"%s\" is not supported: \"csv\" and \"json\" are; convert "
        "the files, or load them into a table and name that as the source",
        pFiles->zFormat);
  }
}

/* ---- expectations ---- */

static const char *const azAction[] = {
  "warn", "drop", "fail", "quarantine"          /* in ACDC_EXPECT_* order */
};
static const char *const azGroup[] = {
  "expect", "expect_or_drop", "expect_or_fail", "expect_or_quarantine",
};

/* The action that pNode names, or -1 with an error. */
static int inlineAction(InlineRead *p, const AcdcJsonNode *pNode){
  const char *z = inlineText(p, pNode);
  int i;
  if( z==0 ) return -1;
  for(i=0; i<4; i++){
    if( sqlite3_stricmp(z, azAction[i])==0 ) return i;
    if( sqlite3_stricmp(z, azGroup[i])==0 ) return i;
  }
  acdcJsonError(p->pCtx, p->pDoc, pNode, "\"%s\" takes warn, drop, fail or "
      "quarantine, not \"%s\"", pNode->zKey, z);
  return -1;
}

/* One expectation as an object; eAction<0 if its action is a member. */
static void inlineExpectObject(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  int eAction
){
  static const char *const az[] = {
    "name", "constraint", "rule", "expression", "action", "enabled", "tag"
  };
  const char *zName = 0, *zRule = 0;
  int bEnabled = 1;
  int bAction = eAction<0;
  const AcdcJsonNode *pItem;
  if( pNode->eType!=ACDC_JSON_OBJECT ){
    inlineWrongType(p, pNode, "objects such as {\"name\": \"has_id\", "
        "\"constraint\": \"id IS NOT NULL\", \"action\": \"drop\"}");
    return;
  }
  for(pItem=pNode->pFirst; pItem && p->pCtx->rc==SQLITE_OK;
      pItem=pItem->pNext){
    const char *zKey = pItem->zKey;
    if( pItem->bDup ){
      acdcJsonError(p->pCtx, p->pDoc, pItem, "\"%s\" is given twice", zKey);
    }else if( pItem->eType==ACDC_JSON_NULL ){
      continue;
    }else if( strcmp(zKey, "name")==0 ){
      zName = inlineText(p, pItem);
    }else if( strcmp(zKey, "constraint")==0 || strcmp(zKey, "rule")==0
           || strcmp(zKey, "expression")==0 ){
      if( zRule ){
        acdcJsonError(p->pCtx, p->pDoc, pItem, "the rule is given twice: "
            "\"constraint\", \"rule\" and \"expression\" are one member");
      }
      zRule = inlineText(p, pItem);
    }else if( strcmp(zKey, "action")==0 && bAction ){
      eAction = inlineAction(p, pItem);
    }else if( strcmp(zKey, "enabled")==0 ){
      if( pItem->eType!=ACDC_JSON_BOOL ){
        inlineWrongType(p, pItem, "true or false");
      }
      bEnabled = pItem->bTrue;
    }else if( strcmp(zKey, "tag")==0 ){
      inlineText(p, pItem);
    }else{
      inlineUnknown(p, pItem, az, (int)(sizeof(az)/sizeof(az[0])));
    }
  }
  if( p->pCtx->rc ) return;
  if( zRule==0 || zRule[0]==0 ){
    acdcJsonError(p->pCtx, p->pDoc, pNode, "an expectation needs a "
        "\"constraint\": an SQL condition that holds for a good row");
  }else if( bEnabled ){
    acdcFlowAddExpect(p->pCtx, p->pFlow, zName ? zName : zRule, zRule,
                      (u8)(eAction<0 ? ACDC_EXPECT_WARN : eAction));
  }
}

/* The rules of one group: {name: rule, ...} or a list of objects. */
static void inlineExpectGroup(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  int eAction
){
  const AcdcJsonNode *pItem;
  if( pNode->eType!=ACDC_JSON_OBJECT && pNode->eType!=ACDC_JSON_ARRAY ){
    inlineWrongType(p, pNode, "an object {\"rule name\": \"SQL condition\"} "
        "or a list of objects");
    return;
  }
  for(pItem=pNode->pFirst; pItem && p->pCtx->rc==SQLITE_OK;
      pItem=pItem->pNext){
    if( pNode->eType==ACDC_JSON_ARRAY ){
      inlineExpectObject(p, pItem, eAction);
    }else if( pItem->bDup ){
      acdcJsonError(p->pCtx, p->pDoc, pItem, "the rule \"%s\" is given twice",
                    pItem->zKey);
    }else{
      const char *z = inlineText(p, pItem);
      if( z && z[0]==0 ){
        acdcJsonError(p->pCtx, p->pDoc, pItem, "the rule \"%s\" is empty",
                      pItem->zKey);
      }else if( z ){
        acdcFlowAddExpect(p->pCtx, p->pFlow, pItem->zKey, z, (u8)eAction);
      }
    }
  }
}

static void inlineExpect(InlineRead *p, const AcdcJsonNode *pNode){
  const AcdcJsonNode *pItem;
  if( pNode->eType!=ACDC_JSON_ARRAY && pNode->eType!=ACDC_JSON_OBJECT ){
    inlineWrongType(p, pNode, "a list of {\"name\", \"constraint\", "
        "\"action\"} objects, or {\"expect_or_drop\": {\"rule name\": "
        "\"SQL condition\"}}");
    return;
  }
  for(pItem=pNode->pFirst; pItem && p->pCtx->rc==SQLITE_OK;
      pItem=pItem->pNext){
    int i;
    if( pNode->eType==ACDC_JSON_ARRAY ){
      inlineExpectObject(p, pItem, -1);
      continue;
    }
    if( pItem->bDup ){
      acdcJsonError(p->pCtx, p->pDoc, pItem, "\"%s\" is given twice",
                    pItem->zKey);
      return;
    }
    for(i=0; i<4; i++){
      if( strcmp(pItem->zKey, azGroup[i])==0 ) break;
    }
    if( i==4 ){
      inlineUnknown(p, pItem, azGroup, 4);
    }else if( pItem->eType!=ACDC_JSON_NULL ){
      inlineExpectGroup(p, pItem, i);
    }
  }
}

/* ---- the flow ---- */

static void inlineSource(
  InlineRead *p,
  const AcdcMember *pM,
  const AcdcJsonNode *pNode
){
  if( pNode->eType==ACDC_JSON_OBJECT ){
    inlineFiles(p, pNode);
  }else if( pNode->eType==ACDC_JSON_STRING ){
    acdcFlowSetText(p->pCtx, p->pFlow, pM, pNode->zText);
  }else{
    inlineWrongType(p, pNode, "the name of a table or view, a SELECT, or "
        "{\"format\": ..., \"path\": ...}");
  }
}

static void inlineVersion(InlineRead *p, const AcdcJsonNode *pNode){
  AcdcVal v;
  if( pNode->eType==ACDC_JSON_ARRAY || pNode->eType==ACDC_JSON_OBJECT ){
    inlineWrongType(p, pNode, "a number or text");
    return;
  }
  acdcJsonScalar(p->pDoc, pNode, &v);
  acdcFlowSetVersion(p->pCtx, p->pFlow, &v);
}

/* A member that takes one scalar. */
static void inlineScalar(
  InlineRead *p,
  const AcdcMember *pM,
  const AcdcJsonNode *pNode
){
  i64 i;
  if( pNode->eType==ACDC_JSON_STRING ){
    acdcFlowSetText(p->pCtx, p->pFlow, pM, pNode->zText);
  }else if( pM->eKind==ACDC_MEMBER_BOOL && pNode->eType==ACDC_JSON_BOOL ){
    acdcFlowSetBool(p->pCtx, p->pFlow, pM, pNode->bTrue);
  }else if( pM->eKind!=ACDC_MEMBER_TEXT && acdcJsonInt(p->pDoc, pNode, &i) ){
    acdcFlowSetInt(p->pCtx, p->pFlow, pM, i);
  }else{
    static const struct { u8 eKind; const char *zTakes; } a[] = {
      { ACDC_MEMBER_BOOL, "true or false" },
      { ACDC_MEMBER_SCD,  "1, 2 or \"bitemporal\"" },
      { ACDC_MEMBER_TEXT, "text" },
    };
    const char *zTakes = pM->zValues;
    int k;
    for(k=0; k<3 && zTakes==0; k++){
      if( a[k].eKind==pM->eKind ) zTakes = a[k].zTakes;
    }
    inlineWrongType(p, pNode, zTakes ? zTakes : "text");
  }
}

static void inlineMember(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  u8 mUse
){
  const AcdcMember *pM = acdcFlowMember(pNode->zKey);
  if( pM==0 || (pM->mUse & mUse)==0 ){
    acdcFlowUnknownMember(p->pCtx, pNode->zKey, mUse);
    return;
  }
  if( pM->eKind==ACDC_MEMBER_VERSION ){
    /* A version that is there and null is an error of the data, not of the
    ** document: the run reports it. */
    inlineVersion(p, pNode);
    return;
  }
  if( pNode->eType==ACDC_JSON_NULL ) return;
  switch( pM->eKind ){
    case ACDC_MEMBER_NAMES:
    case ACDC_MEMBER_LIST:
      inlineList(p, pM, pNode);
      break;
    case ACDC_MEMBER_SOURCE:
      inlineSource(p, pM, pNode);
      break;
    case ACDC_MEMBER_EXPECT:
      inlineExpect(p, pNode);
      break;
    default:
      inlineScalar(p, pM, pNode);
      break;
  }
}

/* True if the message has its place already. */
static int inlineHasPlace(AcdcCtx *p){
  return p->zErr && strncmp(p->zErr, "at ", 3)==0;
}

void acdcInlineRead(AcdcCtx *p, const char *zJson, u8 mUse, AcdcFlow *pOut){
  InlineRead r;
  AcdcJsonNode *pNode;
  if( p->rc ) return;
  r.pCtx = p;
  r.pFlow = pOut;
  r.pDoc = inlineParse(p, zJson, "the inline flow");
  if( r.pDoc==0 ) return;
  pNode = acdcJsonRoot(r.pDoc)->pFirst;
  for(; pNode && p->rc==SQLITE_OK; pNode=pNode->pNext){
    inlineMember(&r, pNode, mUse);
    if( p->rc && !inlineHasPlace(p) ) acdcJsonErrorAt(p, r.pDoc, pNode);
  }
  acdcErrorWhere(p, "the inline flow");
  acdcJsonFree(r.pDoc);
}

/* ---- options ---- */

#define OPTION_MAXMB  (1024*1024)      /* memory_mb, at most */

/* 1 for true, 0 for false, -1 with an error. */
static int optionBool(InlineRead *p, const AcdcJsonNode *pNode){
  i64 i;
  if( pNode->eType==ACDC_JSON_BOOL ) return pNode->bTrue;
  if( acdcJsonInt(p->pDoc, pNode, &i) && (i==0 || i==1) ) return (int)i;
  if( pNode->eType==ACDC_JSON_STRING ){
    if( sqlite3_stricmp(pNode->zText, "true")==0 ) return 1;
    if( sqlite3_stricmp(pNode->zText, "false")==0 ) return 0;
  }
  inlineWrongType(p, pNode, "true or false");
  return -1;
}

/* 1 if the text is zOn, 0 if it is zOff, else an error. */
static int optionChoice(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  const char *zOff,
  const char *zOn
){
  const char *z = inlineText(p, pNode);
  if( z==0 ) return 0;
  if( sqlite3_stricmp(z, zOn)==0 ) return 1;
  if( sqlite3_stricmp(z, zOff) ){
    acdcJsonError(p->pCtx, p->pDoc, pNode, "\"%s\" takes \"%s\" or \"%s\", "
        "not \"%s\"", pNode->zKey, zOff, zOn, z);
  }
  return 0;
}

/* A number of megabytes, as bytes. */
static i64 optionMegabytes(InlineRead *p, const AcdcJsonNode *pNode){
  i64 n = 0;
  if( acdcJsonInt(p->pDoc, pNode, &n) && n>=1 && n<=OPTION_MAXMB ){
    return n*1024*1024;
  }
  inlineWrongType(p, pNode, "a whole number from 1 to 1048576");
  return 0;
}

static void optionNames(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  AcdcNames *pOut
){
  const AcdcJsonNode *pItem;
  if( pNode->eType==ACDC_JSON_STRING ){
    acdcSplitList(p->pCtx, pNode->zText, pOut);
  }else if( pNode->eType==ACDC_JSON_ARRAY ){
    for(pItem=pNode->pFirst; pItem; pItem=pItem->pNext){
      const char *z = inlineText(p, pItem);
      if( z ) acdcNamesAdd(p->pCtx, pOut, z, -1);
    }
  }else{
    inlineWrongType(p, pNode, "a list of schema names");
  }
}

static void optionMember(
  InlineRead *p,
  const AcdcJsonNode *pNode,
  AcdcRunOptions *pOut
){
  static const char *const az[] = {
    "on_error", "dry_run", "read", "base_path", "schemas", "memory_mb"
  };
  const char *zKey = pNode->zKey;
  if( strcmp(zKey, "on_error")==0 ){
    pOut->bContinue = (u8)optionChoice(p, pNode, "fail", "continue");
  }else if( strcmp(zKey, "dry_run")==0 ){
    pOut->bDryRun = optionBool(p, pNode)>0;
  }else if( strcmp(zKey, "read")==0 ){
    pOut->bReadAll = (u8)optionChoice(p, pNode, "new", "all");
  }else if( strcmp(zKey, "base_path")==0 ){
    pOut->zBasePath = acdcStrdup(p->pCtx, inlineText(p, pNode));
  }else if( strcmp(zKey, "schemas")==0 ){
    optionNames(p, pNode, &pOut->schemas);
  }else if( strcmp(zKey, "memory_mb")==0 ){
    pOut->nMemory = optionMegabytes(p, pNode);
  }else{
    inlineUnknown(p, pNode, az, (int)(sizeof(az)/sizeof(az[0])));
  }
}

void acdcOptionsRead(AcdcCtx *p, const char *zJson, AcdcRunOptions *pOut){
  InlineRead r;
  AcdcJsonNode *pNode;
  memset(pOut, 0, sizeof(*pOut));
  if( p->rc || zJson==0 ) return;
  if( zJson[strspn(zJson, " \t\r\n")]==0 ) return;
  r.pCtx = p;
  r.pFlow = 0;
  r.pDoc = inlineParse(p, zJson, "the options");
  if( r.pDoc==0 ) return;
  pNode = acdcJsonRoot(r.pDoc)->pFirst;
  for(; pNode && p->rc==SQLITE_OK; pNode=pNode->pNext){
    if( pNode->eType!=ACDC_JSON_NULL ) optionMember(&r, pNode, pOut);
  }
  acdcErrorWhere(p, "the options");
  acdcJsonFree(r.pDoc);
}

void acdcOptionsClear(AcdcRunOptions *pOptions){
  sqlite3_free(pOptions->zBasePath);
  acdcNamesFree(&pOptions->schemas);
  memset(pOptions, 0, sizeof(*pOptions));
}
