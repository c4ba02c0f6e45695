/*
** The options of a spec: how it is to be read.
*/
#include "spec.h"

static const char *const azOption[] = {
  "format", "env", "tokens", "base_path", "path_map", "flatten", "strict",
  "name", "files"
};
#define N_OPTION ((int)(sizeof(azOption)/sizeof(azOption[0])))

static void optionText(
  AcdcCtx *p,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  char **pz
){
  if( pNode->eType!=ACDC_JSON_STRING ){
    acdcJsonError(p, pDoc, pNode, "\"%s\" takes text, not %s", pNode->zKey,
                  acdcJsonTypeName(pNode));
  }else{
    sqlite3_free(*pz);
    *pz = acdcStrdup(p, pNode->zText);
  }
}

static void optionBool(
  AcdcCtx *p,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  u8 *pb
){
  i64 i;
  if( pNode->eType==ACDC_JSON_BOOL ){
    *pb = pNode->bTrue;
  }else if( acdcJsonInt(pDoc, pNode, &i) && (i==0 || i==1) ){
    *pb = (u8)i;
  }else{
    acdcJsonError(p, pDoc, pNode, "\"%s\" takes true or false, not %s",
                  pNode->zKey, acdcJsonTypeName(pNode));
  }
}

/* An object of texts (numbers and truth values as they are spelled). */
static void optionMap(
  AcdcCtx *p,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  AcdcNames *pNames,
  AcdcNames *pValues
){
  const AcdcJsonNode *pItem;
  if( pNode->eType!=ACDC_JSON_OBJECT ){
    acdcJsonError(p, pDoc, pNode, "\"%s\" takes an object of texts, not %s",
                  pNode->zKey, acdcJsonTypeName(pNode));
    return;
  }
  for(pItem=pNode->pFirst; pItem && p->rc==SQLITE_OK; pItem=pItem->pNext){
    int n;
    const char *z;
    if( pItem->bDup || pItem->eType==ACDC_JSON_NULL ) continue;
    if( pItem->eType==ACDC_JSON_ARRAY || pItem->eType==ACDC_JSON_OBJECT ){
      acdcJsonError(p, pDoc, pItem, "\"%s\" takes text, not %s", pItem->zKey,
                    acdcJsonTypeName(pItem));
      return;
    }
    z = acdcJsonRaw(pDoc, pItem, &n);
    if( pItem->eType==ACDC_JSON_STRING ){
      z = pItem->zText;
      n = (int)strlen(z);
    }
    acdcNamesAdd(p, pNames, pItem->zKey, -1);
    acdcNamesAdd(p, pValues, z, n);
  }
}

static void optionMember(
  AcdcCtx *p,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  AcdcSpecOptions *pOut
){
  const char *zKey = pNode->zKey;
  int i;
  if( strcmp(zKey, "format")==0 ){
    optionText(p, pDoc, pNode, &pOut->zFormat);
  }else if( strcmp(zKey, "env")==0 ){
    optionText(p, pDoc, pNode, &pOut->zEnv);
  }else if( strcmp(zKey, "base_path")==0 ){
    optionText(p, pDoc, pNode, &pOut->zBasePath);
  }else if( strcmp(zKey, "name")==0 ){
    optionText(p, pDoc, pNode, &pOut->zName);
  }else if( strcmp(zKey, "flatten")==0 ){
    optionBool(p, pDoc, pNode, &pOut->bFlatten);
  }else if( strcmp(zKey, "strict")==0 ){
    optionBool(p, pDoc, pNode, &pOut->bStrict);
  }else if( strcmp(zKey, "path_map")==0 ){
    optionMap(p, pDoc, pNode, &pOut->mapFrom, &pOut->mapTo);
  }else if( strcmp(zKey, "files")==0 ){
    optionMap(p, pDoc, pNode, &pOut->fileName, &pOut->fileText);
  }else if( strcmp(zKey, "tokens")==0 ){
    optionMap(p, pDoc, pNode, &pOut->tokenName, &pOut->tokenValue);
    for(i=0; i<pOut->tokenName.n; i++){
      const char *z = pOut->tokenName.az[i];
      if( strcmp(z, "version")==0 || strcmp(z, "fragment")==0 ){
        acdcJsonError(p, pDoc, pNode, "a token cannot be named \"%s\": that "
                      "stands for a part of snapshot paths", z);
      }
    }
  }else{
    const char *zNear = acdcNearest(zKey, azOption, N_OPTION);
    acdcJsonError(p, pDoc, pNode, "unknown option \"%s\"%s%s%s", zKey,
        zNear ? ": did you mean \"" : "; known are format, env, tokens, "
        "base_path, path_map, flatten, strict, name and files",
        zNear ? zNear : "", zNear ? "\"?" : "");
  }
}

void acdcSpecOptionsRead(AcdcCtx *p, const char *zJson, AcdcSpecOptions *pOut){
  AcdcJson *pDoc;
  AcdcJsonNode *pNode;
  AcdcJsonPos pos;
  memset(pOut, 0, sizeof(*pOut));
  if( p->rc || zJson==0 || zJson[strspn(zJson, " \t\r\n")]==0 ) return;
  pDoc = acdcJsonParse(p, zJson, -1, &pos);
  if( pDoc==0 ){
    acdcErrorWhere(p, "the options are not valid JSON: line %d, column %d",
                   pos.iLine, pos.iCol);
    return;
  }
  pNode = acdcJsonRoot(pDoc);
  if( pNode->eType!=ACDC_JSON_OBJECT ){
    acdcError(p, SQLITE_ERROR, "options are a JSON object {...}, not %s",
              acdcJsonTypeName(pNode));
  }
  for(pNode=pNode->pFirst; pNode && p->rc==SQLITE_OK; pNode=pNode->pNext){
    if( pNode->bDup ){
      acdcJsonError(p, pDoc, pNode, "\"%s\" is given twice", pNode->zKey);
    }else if( pNode->eType!=ACDC_JSON_NULL ){
      optionMember(p, pDoc, pNode, pOut);
    }
  }
  acdcErrorWhere(p, "the options");
  acdcJsonFree(pDoc);
}

void acdcSpecOptionsClear(AcdcSpecOptions *pOpt){
  sqlite3_free(pOpt->zFormat);
  sqlite3_free(pOpt->zEnv);
  sqlite3_free(pOpt->zBasePath);
  sqlite3_free(pOpt->zName);
  acdcNamesFree(&pOpt->tokenName);
  acdcNamesFree(&pOpt->tokenValue);
  acdcNamesFree(&pOpt->mapFrom);
  acdcNamesFree(&pOpt->mapTo);
  acdcNamesFree(&pOpt->fileName);
  acdcNamesFree(&pOpt->fileText);
  memset(pOpt, 0, sizeof(*pOpt));
}
