/*
** Templates.  See template.h.
**
** A definition is {name, parameters: {p: {type, required, default}}, template}.
** "${param.p}" stands for a parameter, in names and in texts; a text that is
** one placeholder and nothing else becomes the value, whatever its type.
*/
#include "template.h"
#include "files.h"

typedef struct Template Template;
struct Template {
  AcdcSpecRead *r;
  AcdcJson *pDef;                /* The definition */
  const AcdcJsonNode *pParams;   /* Its parameters; may be NULL */
  const AcdcJsonNode *pSet;      /* The values for this use */
  sqlite3_str *pOut;
};

/* Length of the placeholder at z, and its name in zName; 0 if there is none. */
static int placeholder(const char *z, char *zName, int nName){
  int n = 8;
  if( strncmp(z, "${param.", 8) ) return 0;
  while( z[n] && z[n]!='}' && n-8<nName-1 ){
    zName[n-8] = z[n];
    n++;
  }
  zName[n-8] = 0;
  return z[n]=='}' ? n+1 : 0;
}

/*
** The value of a parameter, with the document it is of; NULL with a finding if
** it has none.
*/
static const AcdcJsonNode *paramValue(
  Template *p,
  const char *zName,
  AcdcJson **ppDoc
){
  const AcdcJsonNode *pNode = acdcJsonMember(p->pSet, zName);
  const AcdcJsonNode *pDecl = acdcJsonMember(p->pParams, zName);
  *ppDoc = p->r->pDoc;
  if( pNode && pNode->eType!=ACDC_JSON_NULL ) return pNode;
  if( pDecl && !acdcReadBool(p->r, pDecl, "required", 1) ){
    pNode = acdcJsonMember(pDecl, "default");
    *ppDoc = p->pDef;
    if( pNode ) return pNode;
  }
  acdcReadError(p->r, p->pSet, 0, pDecl
      ? "the parameter \"%s\" of the template has no value"
      : "the template uses \"%s\", which is none of its parameters", zName);
  return 0;
}

static void putText(Template *p, const char *z){
  char *zQuoted = 0;
  acdcJsonQuote(p->r->p, &zQuoted, z, -1);
  sqlite3_str_appendall(p->pOut, zQuoted ? zQuoted : "");
  sqlite3_free(zQuoted);
}

/* A text or name with its placeholders replaced. */
static void putReplaced(Template *p, const char *z){
  sqlite3_str *pStr = sqlite3_str_new(0);
  char zName[80];
  char *zNew;
  while( *z ){
    int n = placeholder(z, zName, sizeof(zName));
    if( n==0 ){
      sqlite3_str_appendchar(pStr, 1, *z++);
    }else{
      AcdcJson *pDoc;
      const AcdcJsonNode *pValue = paramValue(p, zName, &pDoc);
      if( pValue && pValue->eType==ACDC_JSON_STRING ){
        sqlite3_str_appendall(pStr, pValue->zText);
      }else if( pValue ){
        int nRaw;
        const char *zRaw = acdcJsonRaw(pDoc, pValue, &nRaw);
        sqlite3_str_append(pStr, zRaw, nRaw);
      }
      z += n;
    }
  }
  zNew = sqlite3_str_finish(pStr);
  putText(p, zNew ? zNew : "");
  sqlite3_free(zNew);
}

static void putNode(Template *p, const AcdcJsonNode *pNode){
  const AcdcJsonNode *pItem;
  char zName[80];
  const char *zRaw;
  int n;
  switch( pNode->eType ){
    case ACDC_JSON_OBJECT:
    case ACDC_JSON_ARRAY:
      sqlite3_str_appendchar(p->pOut, 1,
                             pNode->eType==ACDC_JSON_OBJECT ? '{' : '[');
      for(pItem=pNode->pFirst; pItem; pItem=pItem->pNext){
        if( pItem->zKey ){
          putReplaced(p, pItem->zKey);
          sqlite3_str_appendall(p->pOut, ": ");
        }
        putNode(p, pItem);
        if( pItem->pNext ) sqlite3_str_appendall(p->pOut, ",\n");
      }
      sqlite3_str_appendchar(p->pOut, 1,
                             pNode->eType==ACDC_JSON_OBJECT ? '}' : ']');
      break;
    case ACDC_JSON_STRING:
      n = placeholder(pNode->zText, zName, sizeof(zName));
      if( n>0 && pNode->zText[n]==0 ){
        AcdcJson *pDoc;
        const AcdcJsonNode *pValue = paramValue(p, zName, &pDoc);
        if( pValue ){
          zRaw = acdcJsonRaw(pDoc, pValue, &n);
          sqlite3_str_append(p->pOut, zRaw, n);
        }else{
          sqlite3_str_appendall(p->pOut, "null");
        }
      }else{
        putReplaced(p, pNode->zText);
      }
      break;
    default:
      zRaw = acdcJsonRaw(p->pDef, pNode, &n);
      sqlite3_str_append(p->pOut, zRaw, n);
      break;
  }
}

/* The values of a set: known, and of the declared types. */
static void checkSet(Template *p){
  static const struct { const char *z; u8 eType; } aType[] = {
    { "string", ACDC_JSON_STRING }, { "list", ACDC_JSON_ARRAY },
    { "object", ACDC_JSON_OBJECT }, { "boolean", ACDC_JSON_BOOL },
    { "integer", ACDC_JSON_NUMBER },
  };
  const AcdcJsonNode *pNode;
  int i;
  for(pNode=p->pSet->pFirst; pNode; pNode=pNode->pNext){
    const AcdcJsonNode *pDecl = acdcJsonMember(p->pParams, pNode->zKey);
    const AcdcJsonNode *pType = acdcJsonMember(pDecl, "type");
    if( pDecl==0 ){
      acdcReadWarn(p->r, pNode, 0, "the template has no parameter \"%s\"",
                   pNode->zKey);
      continue;
    }
    for(i=0; i<5 && pType && pType->eType==ACDC_JSON_STRING; i++){
      if( strcmp(pType->zText, aType[i].z)==0
       && pNode->eType!=aType[i].eType && pNode->eType!=ACDC_JSON_NULL ){
        acdcReadError(p->r, pNode, 0, "the parameter \"%s\" takes %s, not %s",
                      pNode->zKey, pType->zText, acdcJsonTypeName(pNode));
      }
    }
  }
}

/* Read the spec that a set of parameters makes. */
static void readSet(Template *p, const AcdcJsonNode *pBody){
  AcdcSpecRead *r = p->r;
  AcdcJson *pOuter = r->pDoc;
  AcdcDiags *pOuterDiags = r->pDiags;
  const AcdcSpecOptions *pOuterOpt = r->pOpt;
  AcdcSpecOptions opt = *r->pOpt;
  AcdcDiags diags;
  AcdcJsonPos pos;
  AcdcCtx sub;
  char *zText;
  int nError = pOuterDiags->nError;
  int i;
  checkSet(p);
  p->pOut = sqlite3_str_new(0);
  putNode(p, pBody);
  zText = sqlite3_str_finish(p->pOut);
  if( zText==0 ){
    acdcError(r->p, SQLITE_NOMEM, "out of memory");
    return;
  }
  acdcCtxInit(&sub, r->p->db);
  memset(&diags, 0, sizeof(diags));
  if( pOuterDiags->nError==nError ){
    r->pDoc = acdcJsonParse(&sub, zText, -1, &pos);
    r->pDiags = &diags;
    opt.zFormat = 0;         /* it named the format of the use */
    r->pOpt = &opt;
    if( r->pDoc ){
      AcdcJsonNode *pRoot = acdcJsonRoot(r->pDoc);
      if( acdcShapeMember(pRoot, "parameter_sets") ){
        acdcReadError(r, 0, 0, "a template cannot use a template");
      }else{
        acdcReadDocument(r, pRoot);
      }
      acdcJsonFree(r->pDoc);
    }
    r->pDoc = pOuter;
    r->pDiags = pOuterDiags;
    r->pOpt = pOuterOpt;
    if( sub.rc ){
      acdcReadError(r, p->pSet, 0, "the template does not make JSON with these "
                    "parameters: %s", acdcErrorText(&sub));
    }
    for(i=0; i<diags.n; i++){
      AcdcDiag *pD = &diags.a[i];
      if( pD->eSeverity==ACDC_DIAG_ERROR ){
        acdcReadError(r, p->pSet, pD->zHint, "in the spec that the template "
                      "makes, at %s: %s", pD->zPath, pD->zMsg);
      }else{
        acdcReadWarn(r, p->pSet, pD->zHint, "in the spec that the template "
                     "makes, at %s: %s", pD->zPath, pD->zMsg);
      }
    }
  }
  acdcDiagClear(&diags);
  acdcCtxClear(&sub);
  sqlite3_free(zText);
}

/* The definition of a template.  Owned by the caller; NULL with a finding. */
static AcdcJson *findTemplate(
  AcdcSpecRead *r,
  const AcdcJsonNode *pNode,
  const char *zName
){
  static const char *const azFmt[] = {
    "%s.json", "%s_template.json", "%s"
  };
  AcdcJson *pDef = 0;
  AcdcJsonPos pos;
  AcdcCtx sub;
  char *zText = 0;
  int i;
  for(i=0; i<3 && zText==0; i++){
    char *zFile = acdcMprintf(r->p, azFmt[i], zName);
    char *zFound = 0;
    if( zFile ){
      zText = acdcSpecFile(r->p, r->pOpt, ACDC_FILE_TEMPLATE, zFile, &zFound);
    }
    if( zText ){
      r->pSpec->zTemplate = acdcReadStr(r, zFile);
      r->pSpec->bDisk = acdcNamesFind(&r->pOpt->fileName, zFound)<0;
    }
    sqlite3_free(zFound);
    sqlite3_free(zFile);
  }
  if( zText==0 ){
    acdcReadError(r, pNode, "put it in the folder templates/, or give the "
        "option {\"files\": {\"templates/<name>.json\": \"...\"}}",
        "the template \"%s\" is not found", zName);
    return 0;
  }
  acdcCtxInit(&sub, r->p->db);
  pDef = acdcJsonParse(&sub, zText, -1, &pos);
  if( pDef==0 ){
    acdcReadError(r, pNode, 0, "the template \"%s\" is no JSON: line %d, "
        "column %d: %s", zName, pos.iLine, pos.iCol, acdcErrorText(&sub));
  }
  acdcCtxClear(&sub);
  sqlite3_free(zText);
  return pDef;
}

void acdcReadTemplate(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  const AcdcJsonNode *pSets = acdcShapeMember(pRoot, "parameter_sets");
  const char *zName = acdcReadText(r, pRoot, "template");
  const AcdcJsonNode *pBody;
  AcdcJson *pDef;
  Template t;
  if( zName==0 || pSets==0 || pSets->eType!=ACDC_JSON_ARRAY ) return;
  pDef = findTemplate(r, acdcShapeMember(pRoot, "template"), zName);
  if( pDef==0 ) return;
  memset(&t, 0, sizeof(t));
  t.r = r;
  t.pDef = pDef;
  t.pParams = acdcJsonMember(acdcJsonRoot(pDef), "parameters");
  pBody = acdcJsonMember(acdcJsonRoot(pDef), "template");
  if( pBody==0 || pBody->eType!=ACDC_JSON_OBJECT ){
    acdcReadError(r, pRoot, 0, "the template \"%s\" has no member "
                  "\"template\" with a spec", zName);
  }else{
    const AcdcJsonNode *pSet;
    for(pSet=pSets->pFirst; pSet && r->p->rc==SQLITE_OK; pSet=pSet->pNext){
      t.pSet = pSet;
      if( pSet->eType!=ACDC_JSON_OBJECT ) continue;
      if( acdcJsonMember(pSet, "dataFlowId")==0
       && acdcJsonMember(pSet, "data_flow_id")==0 ){
        acdcReadError(r, pSet, 0, "\"dataFlowId\" is missing in a parameter "
                      "set");
      }
      readSet(&t, pBody);
    }
  }
  r->pSpec->zName = zName;
  acdcJsonFree(pDef);
}
