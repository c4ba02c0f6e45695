/*
** What every reader of a format needs: members with tokens replaced, copies in
** the arena, findings, new objects.
*/
#include "spec.h"
#include <stdlib.h>

void acdcReadError(
  AcdcSpecRead *r,
  const AcdcJsonNode *pNode,
  const char *zHint,
  const char *zFmt,
  ...
){
  va_list ap;
  va_start(ap, zFmt);
  acdcDiagAddV(r->p, r->pDiags, ACDC_DIAG_ERROR, r->pDoc, pNode, 0, zHint,
               zFmt, ap);
  va_end(ap);
}

void acdcReadWarn(
  AcdcSpecRead *r,
  const AcdcJsonNode *pNode,
  const char *zHint,
  const char *zFmt,
  ...
){
  va_list ap;
  va_start(ap, zFmt);
  acdcDiagAddV(r->p, r->pDiags, ACDC_DIAG_WARNING, r->pDoc, pNode, 0, zHint,
               zFmt, ap);
  va_end(ap);
}

static void *readAlloc(AcdcSpecRead *r, i64 n){
  void *pNew = acdcArenaAlloc(r->p, &r->pSpec->arena, n);
  if( pNew ) memset(pNew, 0, (size_t)n);
  return pNew;
}

static const char *readStrn(AcdcSpecRead *r, const char *z, i64 n){
  char *zNew = readAlloc(r, n+1);
  if( zNew && n ) memcpy(zNew, z, (size_t)n);
  return zNew;
}

const char *acdcReadStr(AcdcSpecRead *r, const char *z){
  return z ? readStrn(r, z, (i64)strlen(z)) : 0;
}

const char *acdcReadFmt(AcdcSpecRead *r, const char *zFmt, ...){
  va_list ap;
  char *z;
  const char *zNew;
  va_start(ap, zFmt);
  z = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  if( z==0 ) acdcError(r->p, SQLITE_NOMEM, "out of memory");
  zNew = acdcReadStr(r, z);
  sqlite3_free(z);
  return zNew;
}

/*
** Lists grow by powers of two; what they leave behind goes with the arena.
*/
void acdcReadTextsAdd(AcdcSpecRead *r, AcdcTexts *pT, const char *z){
  if( (pT->n & (pT->n-1))==0 ){
    i64 nNew = pT->n ? 2*(i64)pT->n : 1;
    const char **azNew = readAlloc(r, nNew*(i64)sizeof(char*));
    if( azNew==0 ) return;
    if( pT->n ) memcpy(azNew, pT->az, (size_t)pT->n*sizeof(char*));
    pT->az = azNew;
  }
  pT->az[pT->n++] = z;
}

/* The value of token zName of n bytes, or NULL. */
static const char *readToken(AcdcSpecRead *r, const char *zName, int n){
  const AcdcNames *pNames = &r->pOpt->tokenName;
  int i;
  for(i=0; i<pNames->n; i++){
    if( (int)strlen(pNames->az[i])==n && memcmp(pNames->az[i], zName, (size_t)n)==0 ){
      return r->pOpt->tokenValue.az[i];
    }
  }
  return 0;
}

static int isWordChar(char c){
  return (c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9')
         || c=='_';
}

/* One pass of token replacement.  Owned by the caller; NULL if none matched. */
static char *readTokensOnce(AcdcSpecRead *r, const char *z){
  sqlite3_str *pStr = 0;
  char *zNew;
  int iDone = 0, i;
  for(i=0; z[i]; i++){
    int n = 0;
    const char *zValue;
    if( z[i]!='{' ) continue;
    while( isWordChar(z[i+1+n]) ) n++;
    if( n==0 || z[i+1+n]!='}' ) continue;
    zValue = readToken(r, &z[i+1], n);
    if( zValue==0 ) continue;
    if( pStr==0 ) pStr = sqlite3_str_new(0);
    sqlite3_str_append(pStr, &z[iDone], i-iDone);
    sqlite3_str_appendall(pStr, zValue);
    iDone = i+n+2;
    i += n+1;
  }
  if( pStr==0 ) return 0;
  sqlite3_str_appendall(pStr, &z[iDone]);
  if( sqlite3_str_length(pStr)==0 ){
    /* Finished as NULL, which would be no memory. */
    sqlite3_free(sqlite3_str_finish(pStr));
    return acdcStrdup(r->p, "");
  }
  zNew = sqlite3_str_finish(pStr);
  if( zNew==0 ) acdcError(r->p, SQLITE_NOMEM, "out of memory");
  return zNew;
}

/* Values of tokens may hold tokens, one level deep. */
const char *acdcReadTokens(AcdcSpecRead *r, const char *z){
  const char *zNew;
  char *z1, *z2;
  if( z==0 || r->pOpt->tokenName.n==0 ) return acdcReadStr(r, z);
  z1 = readTokensOnce(r, z);
  z2 = z1 ? readTokensOnce(r, z1) : 0;
  zNew = acdcReadStr(r, z2 ? z2 : z1 ? z1 : z);
  sqlite3_free(z1);
  sqlite3_free(z2);
  return zNew;
}

static int isBlank(const char *z){
  return z[strspn(z, " \t\r\n")]==0;
}

/* A scalar node as text, or NULL. */
static const char *readScalar(AcdcSpecRead *r, const AcdcJsonNode *pNode){
  const char *z;
  int n;
  if( pNode==0 ) return 0;
  if( pNode->eType==ACDC_JSON_STRING ){
    return isBlank(pNode->zText) ? 0 : acdcReadTokens(r, pNode->zText);
  }
  if( pNode->eType!=ACDC_JSON_NUMBER && pNode->eType!=ACDC_JSON_BOOL ) return 0;
  z = acdcJsonRaw(r->pDoc, pNode, &n);
  return readStrn(r, z, n);
}

const char *acdcReadText(
  AcdcSpecRead *r,
  const AcdcJsonNode *pObj,
  const char *zName
){
  return readScalar(r, acdcShapeMember(pObj, zName));
}

int acdcReadBool(
  AcdcSpecRead *r,
  const AcdcJsonNode *pObj,
  const char *zName,
  int bDflt
){
  const AcdcJsonNode *pNode = acdcShapeMember(pObj, zName);
  ACDC_UNUSED(r);
  if( pNode==0 ) return bDflt;
  if( pNode->eType==ACDC_JSON_BOOL ) return pNode->bTrue;
  if( pNode->eType==ACDC_JSON_STRING ){
    if( sqlite3_stricmp(pNode->zText, "true")==0 ) return 1;
    if( sqlite3_stricmp(pNode->zText, "false")==0 ) return 0;
  }
  return bDflt;
}

void acdcReadTexts(
  AcdcSpecRead *r,
  const AcdcJsonNode *pObj,
  const char *zName,
  AcdcTexts *pOut
){
  const AcdcJsonNode *pNode = acdcShapeMember(pObj, zName);
  const char *z;
  if( pNode==0 ) return;
  if( pNode->eType!=ACDC_JSON_ARRAY ){
    z = readScalar(r, pNode);
    if( z ) acdcReadTextsAdd(r, pOut, z);
    return;
  }
  for(pNode=pNode->pFirst; pNode; pNode=pNode->pNext){
    z = pNode->eType==ACDC_JSON_STRING ? readScalar(r, pNode) : 0;
    if( z ) acdcReadTextsAdd(r, pOut, z);
  }
}

void acdcReadMap(
  AcdcSpecRead *r,
  const AcdcJsonNode *pObj,
  const char *zName,
  AcdcTexts *pNames,
  AcdcTexts *pValues
){
  const AcdcJsonNode *pNode = acdcShapeMember(pObj, zName);
  if( pNode==0 || pNode->eType!=ACDC_JSON_OBJECT ) return;
  for(pNode=pNode->pFirst; pNode; pNode=pNode->pNext){
    const char *z;
    if( pNode->bDup || pNode->eType==ACDC_JSON_NULL ) continue;
    /* A blank option is a value too: sep can be one. */
    z = pNode->eType==ACDC_JSON_STRING ? acdcReadTokens(r, pNode->zText)
                                       : readScalar(r, pNode);
    if( z==0 ) continue;
    acdcReadTextsAdd(r, pNames, acdcReadStr(r, pNode->zKey));
    acdcReadTextsAdd(r, pValues, z);
  }
}

AcdcPlace acdcReadPlace(AcdcSpecRead *r, const AcdcJsonNode *pNode){
  AcdcPlace place;
  AcdcJsonPos pos;
  char *z = acdcJsonPointer(r->p, pNode);
  acdcJsonWhere(r->pDoc, pNode, 0, &pos);
  place.zPath = acdcReadStr(r, z);
  place.iLine = pos.iLine;
  place.iCol = pos.iCol;
  sqlite3_free(z);
  return place;
}

/* Split at dots outside of quotes; names lose their quotes. */
AcdcRel acdcReadRel(
  AcdcSpecRead *r,
  const char *zName,
  const char *zSchema,
  const char *zCatalog
){
  AcdcRel rel;
  AcdcTexts parts = {0, 0};
  const char *zPart = zName;
  const char *z;
  char cQuote = 0;
  memset(&rel, 0, sizeof(rel));
  if( zName==0 ) return rel;
  for(z=zName; ; z++){
    if( cQuote ){
      if( *z==0 ) break;
      if( *z==cQuote ) cQuote = 0;
    }else if( *z=='`' || *z=='"' ){
      cQuote = *z;
    }else if( *z=='.' || *z==0 ){
      char *zRaw = acdcStrndup(r->p, zPart, z-zPart);
      char *zBare = zRaw ? acdcUnquote(r->p, zRaw) : 0;
      acdcReadTextsAdd(r, &parts, acdcReadStr(r, zBare));
      sqlite3_free(zRaw);
      sqlite3_free(zBare);
      zPart = z+1;
      if( *z==0 ) break;
    }
  }
  if( parts.n>0 && parts.n<=3 ){
    rel.zName = parts.az[parts.n-1];
    rel.zSchema = parts.n>1 ? parts.az[parts.n-2] : zSchema;
    rel.zCatalog = parts.n>2 ? parts.az[0] : zCatalog;
  }else{
    rel.zName = acdcReadStr(r, zName);
    rel.zSchema = zSchema;
    rel.zCatalog = zCatalog;
  }
  if( rel.zSchema && strchr(rel.zSchema, '.') ){
    /* "catalog.schema" where a schema is expected */
    const char *zDot = strrchr(rel.zSchema, '.');
    rel.zCatalog = readStrn(r, rel.zSchema, zDot-rel.zSchema);
    rel.zSchema = zDot+1;
  }
  return rel;
}

/* A finding, once, if n objects are as many as a spec may have. */
static int readTooMany(AcdcSpecRead *r, const AcdcJsonNode *pNode, int n){
  if( n<ACDC_SPEC_MAX ) return 0;
  if( r->bTooMany==0 ){
    r->bTooMany = 1;
    acdcReadError(r, pNode, "split the document", "a document has at most %d "
                  "sources and targets, and a target as many flows",
                  ACDC_SPEC_MAX);
  }
  return 1;
}

AcdcView *acdcReadNewView(
  AcdcSpecRead *r,
  const AcdcJsonNode *pNode,
  const char *zName
){
  AcdcView *pView;
  if( readTooMany(r, pNode, r->pSpec->nView) ) return 0;
  pView = readAlloc(r, (i64)sizeof(*pView));
  if( pView==0 ) return 0;
  pView->zName = zName;
  pView->bEnabled = 1;
  pView->place = acdcReadPlace(r, pNode);
  *r->ppView = pView;
  r->ppView = &pView->pNext;
  r->pSpec->nView++;
  return pView;
}

AcdcStep *acdcReadNewStep(AcdcSpecRead *r, const AcdcJsonNode *pNode, u8 eKind){
  AcdcStep *pStep;
  if( readTooMany(r, pNode, r->pSpec->nStep) ) return 0;
  pStep = readAlloc(r, (i64)sizeof(*pStep));
  if( pStep==0 ) return 0;
  acdcFlowInit(&pStep->flow);
  pStep->eKind = eKind;
  pStep->bEnabled = 1;
  pStep->zId = r->zId;
  pStep->zGroup = r->zGroup;
  pStep->place = acdcReadPlace(r, pNode);
  *r->ppStep = pStep;
  r->ppStep = &pStep->pNext;
  r->pSpec->nStep++;
  return pStep;
}

AcdcInput *acdcReadNewInput(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pNode,
  const char *zName
){
  AcdcInput *pInput;
  AcdcInput **pp = &pStep->pInput;
  if( readTooMany(r, pNode, pStep->nInput) ) return 0;
  pInput = readAlloc(r, (i64)sizeof(*pInput));
  if( pInput==0 ) return 0;
  while( *pp ) pp = &(*pp)->pNext;
  *pp = pInput;
  pInput->zName = zName;
  pInput->bEnabled = 1;
  pInput->place = acdcReadPlace(r, pNode);
  pStep->nInput++;
  return pInput;
}

AcdcView *acdcSpecView(const AcdcSpec *pSpec, const char *zName){
  AcdcView *pView;
  for(pView=pSpec->pView; pView; pView=pView->pNext){
    if( pView->zName && sqlite3_stricmp(pView->zName, zName)==0 ) return pView;
  }
  for(pView=pSpec->pView; pView; pView=pView->pNext){
    if( pView->zNode && sqlite3_stricmp(pView->zNode, zName)==0 ) return pView;
  }
  return 0;
}

void acdcSpecFree(AcdcSpec *pSpec){
  AcdcStep *pStep;
  if( pSpec==0 || pSpec->nRef-->0 ) return;
  for(pStep=pSpec->pStep; pStep; pStep=pStep->pNext){
    acdcFlowClear(&pStep->flow);
  }
  acdcArenaFree(&pSpec->arena);
  sqlite3_free(pSpec);
}
