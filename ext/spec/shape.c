/*
** Documents against the shapes of their format.  See shape.h.
*/
#include "shape.h"

typedef struct ShapeWalk ShapeWalk;
struct ShapeWalk {
  AcdcCtx *pCtx;
  AcdcJson *pDoc;
  AcdcDiags *pDiags;
  int bCamel;
};

#define SPELL_MAX 100

int acdcWordFind(const char *zWords, const char *z){
  int i = 0;
  int n = (int)strlen(z);
  while( zWords ){
    const char *zEnd = strchr(zWords, '|');
    int nWord = zEnd ? (int)(zEnd-zWords) : (int)strlen(zWords);
    if( n==nWord && sqlite3_strnicmp(zWords, z, n)==0 ) return i;
    i++;
    zWords = zEnd ? zEnd+1 : 0;
  }
  return -1;
}

const char *acdcShapeSpell(
  const char *zName,
  int bCamel,
  char *zBuf,
  int nBuf
){
  int i = 0;
  if( !bCamel ) return zName;
  for(; *zName && i<nBuf-1; zName++){
    if( *zName=='_' && zName[1]>='a' && zName[1]<='z' && i>0 ){
      zName++;
      zBuf[i++] = (char)(*zName - 'a' + 'A');
    }else{
      zBuf[i++] = *zName;
    }
  }
  zBuf[i] = 0;
  return zBuf;
}

/* True if zKey spells the snake_case zName, in either casing. */
static int shapeSpells(const char *zKey, const char *zName){
  while( *zKey && *zName ){
    if( *zKey==*zName ){
      zKey++;
      zName++;
    }else if( *zName=='_' && zName[1]>='a' && zName[1]<='z'
           && *zKey==zName[1]-'a'+'A' ){
      zKey++;
      zName += 2;
    }else{
      return 0;
    }
  }
  return *zKey==0 && *zName==0;
}

/* True if zKey is the name of field pF. */
static int shapeIsField(
  const AcdcShape *pShape,
  const AcdcField *pF,
  const char *zKey
){
  size_t n;
  if( pF->mFlag & ACDC_F_LAYER ){
    if( strncmp(zKey, "bronze_", 7) && strncmp(zKey, "silver_", 7) ) return 0;
    zKey += 7;
  }
  n = strlen(pF->zName);
  if( pF->mFlag & ACDC_F_ENV ){
    return strncmp(zKey, pF->zName, n)==0 && zKey[n]!=0;
  }
  if( pShape->bAnyCase ) return sqlite3_stricmp(zKey, pF->zName)==0;
  if( pF->mFlag & ACDC_F_PLAIN ) return strcmp(zKey, pF->zName)==0;
  return shapeSpells(zKey, pF->zName);
}

/*
** The field that zKey names, or NULL.  A plain name is looked for before one
** that has an environment behind it: "bronze_table" is not "bronze_" + "table".
*/
static const AcdcField *shapeField(const AcdcShape *pShape, const char *zKey){
  const AcdcField *pFound = 0;
  int i;
  for(i=0; i<pShape->nField; i++){
    const AcdcField *pF = &pShape->aField[i];
    if( !shapeIsField(pShape, pF, zKey) ) continue;
    if( (pF->mFlag & ACDC_F_ENV)==0 ) return pF;
    if( pFound==0 || strlen(pF->zName)>strlen(pFound->zName) ) pFound = pF;
  }
  return pFound;
}

const AcdcJsonNode *acdcShapeMember(
  const AcdcJsonNode *pObj,
  const char *zName
){
  const AcdcJsonNode *pNode;
  const AcdcJsonNode *pFound = 0;
  if( pObj==0 || pObj->eType!=ACDC_JSON_OBJECT ) return 0;
  for(pNode=pObj->pFirst; pNode; pNode=pNode->pNext){
    if( pNode->bDup || pNode->eType==ACDC_JSON_NULL ) continue;
    if( strcmp(pNode->zKey, zName)==0 ) return pNode;
    if( pFound==0 && shapeSpells(pNode->zKey, zName) ) pFound = pNode;
  }
  return pFound;
}

/* ---- what can be wrong with one member ---- */

static void walkError(
  ShapeWalk *p,
  const AcdcJsonNode *pNode,
  int bKey,
  const char *zHint,
  const char *zFmt,
  ...
){
  va_list ap;
  va_start(ap, zFmt);
  acdcDiagAddV(p->pCtx, p->pDiags, ACDC_DIAG_ERROR, p->pDoc, pNode, bKey, zHint,
               zFmt, ap);
  va_end(ap);
}

static void walkWarn(
  ShapeWalk *p,
  const AcdcJsonNode *pNode,
  int bKey,
  const char *zFmt,
  ...
){
  va_list ap;
  va_start(ap, zFmt);
  acdcDiagAddV(p->pCtx, p->pDiags, ACDC_DIAG_WARNING, p->pDoc, pNode, bKey, 0,
               zFmt, ap);
  va_end(ap);
}

/*
** The name in pShape that is most like zKey, in zOut, and its field; or NULL.
*/
static const AcdcField *walkNearest(
  ShapeWalk *p,
  const AcdcShape *pShape,
  const char *zKey,
  char *zOut
){
  static const char *const azLayer[] = { "bronze_", "silver_" };
  const AcdcField *apF[2*ACDC_SHAPE_MAXFIELD];
  const char *az[2*ACDC_SHAPE_MAXFIELD];
  char aBuf[2*ACDC_SHAPE_MAXFIELD][SPELL_MAX];
  const char *zNear;
  int i, k, n = 0;
  memset(az, 0, sizeof(az));
  assert( pShape->nField<=ACDC_SHAPE_MAXFIELD );
  for(i=0; i<pShape->nField; i++){
    const AcdcField *pF = &pShape->aField[i];
    char zSpell[SPELL_MAX];
    int bLayer = (pF->mFlag & ACDC_F_LAYER)!=0;
    const char *z = acdcShapeSpell(pF->zName,
        p->bCamel && (pF->mFlag & (ACDC_F_SNAKE|ACDC_F_PLAIN))==0,
        zSpell, SPELL_MAX);
    for(k=0; k<1+bLayer; k++){
      sqlite3_snprintf(SPELL_MAX, aBuf[n], "%s%s", bLayer ? azLayer[k] : "", z);
      az[n] = aBuf[n];
      apF[n++] = pF;
    }
  }
  zNear = acdcNearest(zKey, az, n);
  for(i=0; i<n && zNear; i++){
    if( az[i]==zNear ){
      sqlite3_snprintf(SPELL_MAX, zOut, "%s", zNear);
      return apF[i];
    }
  }
  return 0;
}

static void walkUnknown(
  ShapeWalk *p,
  const AcdcShape *pShape,
  const AcdcJsonNode *pNode
){
  char zNear[SPELL_MAX];
  char zHint[SPELL_MAX+20];
  const AcdcField *pNear;
  u8 eSeverity = ACDC_DIAG_ERROR;
  if( pShape->eUnknown==ACDC_UNKNOWN_OK ) return;
  /* Looking for a near name is slow, and findings beyond that are not kept. */
  pNear = p->pDiags->n>=ACDC_DIAG_MAX ? 0
        : walkNearest(p, pShape, pNode->zKey, zNear);
  if( pNear ){
    sqlite3_snprintf(sizeof(zHint), zHint, "did you mean \"%s\"?", zNear);
  }
  if( pShape->eUnknown==ACDC_UNKNOWN_WARN
   && (pNear==0 || pNear->eHow!=ACDC_HOW_HONOURED) ){
    eSeverity = ACDC_DIAG_WARNING;
  }
  acdcDiagAdd(p->pCtx, p->pDiags, eSeverity, p->pDoc, pNode, 1,
      pNear ? zHint : 0, "unknown member \"%s\" of %s%s", pNode->zKey,
      pShape->zDoc, eSeverity==ACDC_DIAG_WARNING ? " has no effect" : "");
}

/* The types that a field takes, for messages.  Owned by the caller. */
static char *walkTypes(ShapeWalk *p, const AcdcField *pF){
  static const struct { u32 m; const char *z; } a[] = {
    { ACDC_T_TEXT, "text" }, { ACDC_T_REAL, "a number" },
    { ACDC_T_INT, "an integer" }, { ACDC_T_BOOL, "true or false" },
    { ACDC_T_LIST, "a list of texts" }, { ACDC_T_OBJECT, "an object" },
    { ACDC_T_ARRAY, "a list of objects" },
    { ACDC_T_MAP, "an object of objects" },
    { ACDC_T_RULES, "an object of texts" },
  };
  char *z = 0;
  int i;
  for(i=0; i<(int)(sizeof(a)/sizeof(a[0])); i++){
    if( (pF->mType & a[i].m)==0 ) continue;
    if( a[i].m==ACDC_T_INT && (pF->mType & ACDC_T_REAL) ) continue;
    acdcAppendf(p->pCtx, &z, "%s%s", z ? " or " : "", a[i].z);
  }
  return z;
}

static void walkWrongType(
  ShapeWalk *p,
  const AcdcField *pF,
  const AcdcJsonNode *pNode,
  const char *zName
){
  char *zTypes = walkTypes(p, pF);
  walkError(p, pNode, 0, 0, "\"%s\" takes %s, not %s", zName,
            zTypes ? zTypes : "", acdcJsonTypeName(pNode));
  sqlite3_free(zTypes);
}

/* The texts of a field against its values. */
static void walkValue(
  ShapeWalk *p,
  const AcdcField *pF,
  const AcdcJsonNode *pNode,
  const char *zName
){
  char zBuf[32];
  const char *z = pNode->zText;
  i64 i;
  if( pF->zValues==0 && pF->zRefused==0 ) return;
  if( acdcJsonInt(p->pDoc, pNode, &i) ){
    sqlite3_snprintf(sizeof(zBuf), zBuf, "%lld", i);
    z = zBuf;
  }
  if( z==0 ) return;
  if( pF->zRefused && acdcWordFind(pF->zRefused, z)>=0 ){
    walkError(p, pNode, 0, pF->zDoc, "%s \"%s\" is not possible in SQLite",
              zName, z);
  }else if( pF->zValues && acdcWordFind(pF->zValues, z)<0 ){
    char *zHint = acdcMprintf(p->pCtx, "it is one of %s", pF->zValues);
    walkError(p, pNode, 0, zHint, "\"%s\" cannot be \"%s\"", zName, z);
    sqlite3_free(zHint);
  }
}

static void walkObject(ShapeWalk *p, const AcdcShape *pShape,
                       const AcdcJsonNode *pNode);

/* A list: of texts, or of objects, or of either. */
static void walkList(
  ShapeWalk *p,
  const AcdcField *pF,
  const AcdcJsonNode *pNode,
  const char *zName
){
  const AcdcJsonNode *pItem;
  for(pItem=pNode->pFirst; pItem; pItem=pItem->pNext){
    if( pItem->eType==ACDC_JSON_STRING && (pF->mType & ACDC_T_LIST) ){
      walkValue(p, pF, pItem, zName);
    }else if( pItem->eType==ACDC_JSON_OBJECT && (pF->mType & ACDC_T_ARRAY) ){
      if( pF->pSub ) walkObject(p, pF->pSub, pItem);
    }else{
      walkWrongType(p, pF, pItem, zName);
    }
  }
}

/* An object whose member names are the user's. */
static void walkMap(
  ShapeWalk *p,
  const AcdcField *pF,
  const AcdcJsonNode *pNode,
  const char *zName
){
  const AcdcJsonNode *pItem;
  for(pItem=pNode->pFirst; pItem; pItem=pItem->pNext){
    if( pItem->bDup ){
      walkWarn(p, pItem, 1, "\"%s\" is given again further down, which counts",
               pItem->zKey);
    }else if( pF->mType & ACDC_T_RULES ){
      if( pItem->eType!=ACDC_JSON_STRING ){
        walkError(p, pItem, 0, 0, "\"%s\" of \"%s\" takes text, not %s",
                  pItem->zKey, zName, acdcJsonTypeName(pItem));
      }
    }else if( pItem->eType!=ACDC_JSON_OBJECT ){
      walkError(p, pItem, 0, 0, "\"%s\" of \"%s\" takes an object, not %s",
                pItem->zKey, zName, acdcJsonTypeName(pItem));
    }else if( pF->pSub ){
      walkObject(p, pF->pSub, pItem);
    }
  }
}

/* True if the value says nothing: null, "", [], {} or false. */
static int walkIsEmpty(const AcdcJsonNode *pNode){
  switch( pNode->eType ){
    case ACDC_JSON_NULL:   return 1;
    case ACDC_JSON_BOOL:   return !pNode->bTrue;
    case ACDC_JSON_STRING: return pNode->zText[0]==0;
    case ACDC_JSON_NUMBER: return 0;
    default:               return pNode->nChild==0;
  }
}

static void walkField(
  ShapeWalk *p,
  const AcdcField *pF,
  const AcdcJsonNode *pNode
){
  const char *zName = pNode->zKey;
  i64 i;
  if( pNode->eType==ACDC_JSON_NULL ) return;
  if( pF->eHow==ACDC_HOW_REFUSED ){
    if( !walkIsEmpty(pNode) ){
      walkError(p, pNode, 1, pF->zDoc, "\"%s\" cannot be honoured", zName);
    }
    return;
  }
  switch( pNode->eType ){
    case ACDC_JSON_STRING:
      if( (pF->mType & ACDC_T_TEXT)==0 ) walkWrongType(p, pF, pNode, zName);
      else walkValue(p, pF, pNode, zName);
      break;
    case ACDC_JSON_BOOL:
      if( (pF->mType & ACDC_T_BOOL)==0 ) walkWrongType(p, pF, pNode, zName);
      break;
    case ACDC_JSON_NUMBER:
      if( (pF->mType & ACDC_T_REAL)==0
       && ((pF->mType & ACDC_T_INT)==0 || !acdcJsonInt(p->pDoc, pNode, &i)) ){
        walkWrongType(p, pF, pNode, zName);
      }else{
        walkValue(p, pF, pNode, zName);
      }
      break;
    case ACDC_JSON_ARRAY:
      if( (pF->mType & (ACDC_T_LIST|ACDC_T_ARRAY))==0 ){
        walkWrongType(p, pF, pNode, zName);
      }else{
        walkList(p, pF, pNode, zName);
      }
      break;
    default:
      if( pF->mType & (ACDC_T_MAP|ACDC_T_RULES) ){
        walkMap(p, pF, pNode, zName);
      }else if( (pF->mType & ACDC_T_OBJECT)==0 ){
        walkWrongType(p, pF, pNode, zName);
      }else if( pF->pSub ){
        walkObject(p, pF->pSub, pNode);
      }
      break;
  }
  if( (pF->mFlag & ACDC_F_FILL) && walkIsEmpty(pNode)
   && pNode->eType!=ACDC_JSON_BOOL ){
    walkError(p, pNode, 0, 0, "\"%s\" must not be empty", zName);
  }
  if( pF->eHow==ACDC_HOW_WARNED && !walkIsEmpty(pNode) ){
    walkWarn(p, pNode, 1, "\"%s\" has no effect: %s", zName, pF->zDoc);
  }
}

/* ---- rules among the members of one object ---- */

/* True if the member zIf of pObj has one of the values zIs. */
static int ruleHolds(
  AcdcJson *pDoc,
  const AcdcJsonNode *pObj,
  const char *zIf,
  const char *zIs
){
  const AcdcJsonNode *pNode;
  char zBuf[32];
  i64 i;
  if( zIf==0 ) return 1;
  pNode = acdcShapeMember(pObj, zIf);
  if( pNode==0 ) return acdcWordFind(zIs, "")>=0;
  if( pNode->eType==ACDC_JSON_STRING ){
    return acdcWordFind(zIs, pNode->zText)>=0;
  }
  if( pNode->eType==ACDC_JSON_BOOL ){
    return acdcWordFind(zIs, pNode->bTrue ? "true" : "false")>=0;
  }
  if( acdcJsonInt(pDoc, pNode, &i) ){
    sqlite3_snprintf(sizeof(zBuf), zBuf, "%lld", i);
    return acdcWordFind(zIs, zBuf)>=0;
  }
  return 0;
}

/*
** Step through the words of *pz: the next one is copied to zBuf and returned,
** NULL at the end.
*/
static const char *nextWord(const char **pz, char *zBuf, int nBuf){
  const char *z = *pz;
  int n = 0;
  if( z==0 ) return 0;
  while( z[n] && z[n]!='|' ) n++;
  if( n>=nBuf ) n = nBuf-1;
  memcpy(zBuf, z, (size_t)n);
  zBuf[n] = 0;
  z += n;
  *pz = *z=='|' ? z+1 : 0;
  return zBuf;
}

/* How a field of the shape is spelled in this document's format. */
static const char *walkSpell(
  ShapeWalk *p,
  const AcdcShape *pShape,
  const char *zName,
  char *zBuf
){
  int i;
  int bCamel = p->bCamel;
  for(i=0; i<pShape->nField; i++){
    if( strcmp(pShape->aField[i].zName, zName)==0
     && (pShape->aField[i].mFlag & (ACDC_F_SNAKE|ACDC_F_PLAIN)) ){
      bCamel = 0;
    }
  }
  return acdcShapeSpell(zName, bCamel, zBuf, SPELL_MAX);
}

static void walkRule(
  ShapeWalk *p,
  const AcdcShape *pShape,
  const AcdcRule *pR,
  const AcdcJsonNode *pObj
){
  char zBuf[SPELL_MAX], zSpell[SPELL_MAX];
  const char *zList = pR->zFields;
  const char *z;
  const AcdcJsonNode *pSeen = 0;
  char *zAll = 0;
  int nSeen = 0;
  if( !ruleHolds(p->pDoc, pObj, pR->zIf, pR->zIs) ) return;
  if( !ruleHolds(p->pDoc, pObj, pR->zIf2, pR->zIs2) ) return;
  while( (z = nextWord(&zList, zBuf, sizeof(zBuf)))!=0 ){
    const AcdcJsonNode *pNode = acdcShapeMember(pObj, z);
    const char *zName = walkSpell(p, pShape, z, zSpell);
    acdcAppendf(p->pCtx, &zAll, "%s%s", zAll ? ", " : "", zName);
    switch( pR->eRule ){
      case ACDC_RULE_REQUIRE:
        if( pNode==0 ){
          walkError(p, pObj, 0, pR->zWhy, "\"%s\" is missing", zName);
        }
        break;
      case ACDC_RULE_FORBID:
        if( pNode && !walkIsEmpty(pNode) ){
          walkError(p, pNode, 1, pR->zWhy, "\"%s\" is not allowed here",
                    pNode->zKey);
        }
        break;
      case ACDC_RULE_SHAPE:
        if( pNode && pNode->eType==ACDC_JSON_OBJECT ){
          walkObject(p, pR->pShape, pNode);
        }
        break;
      default:
        if( pNode ){
          nSeen++;
          pSeen = pNode;
        }
        break;
    }
  }
  if( pR->eRule==ACDC_RULE_ONE && nSeen==0 ){
    walkError(p, pObj, 0, pR->zWhy, "one of %s is needed", zAll);
  }else if( nSeen>1 ){
    walkError(p, pSeen, 1, pR->zWhy, "only one of %s may be given", zAll);
  }
  sqlite3_free(zAll);
}

static void walkRequired(
  ShapeWalk *p,
  const AcdcShape *pShape,
  const AcdcJsonNode *pObj
){
  char zSpell[SPELL_MAX];
  int i;
  for(i=0; i<pShape->nField; i++){
    const AcdcField *pF = &pShape->aField[i];
    if( (pF->mFlag & ACDC_F_REQ) && acdcShapeMember(pObj, pF->zName)==0 ){
      walkError(p, pObj, 0, 0, "\"%s\" is missing in %s",
                walkSpell(p, pShape, pF->zName, zSpell), pShape->zDoc);
    }
  }
}

static void walkObject(
  ShapeWalk *p,
  const AcdcShape *pShape,
  const AcdcJsonNode *pNode
){
  const AcdcJsonNode *pItem;
  int i;
  for(pItem=pNode->pFirst; pItem && p->pCtx->rc==SQLITE_OK;
      pItem=pItem->pNext){
    const AcdcField *pF = shapeField(pShape, pItem->zKey);
    if( pItem->bDup ){
      walkWarn(p, pItem, 1, "\"%s\" is given again further down, which counts",
               pItem->zKey);
    }else if( pF ){
      walkField(p, pF, pItem);
    }else{
      walkUnknown(p, pShape, pItem);
    }
  }
  walkRequired(p, pShape, pNode);
  for(i=0; i<pShape->nRule; i++){
    walkRule(p, pShape, &pShape->aRule[i], pNode);
  }
}

void acdcShapeCheck(
  AcdcCtx *p,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  const AcdcShape *pShape,
  int bCamel,
  AcdcDiags *pDiags
){
  ShapeWalk walk;
  walk.pCtx = p;
  walk.pDoc = pDoc;
  walk.pDiags = pDiags;
  walk.bCamel = bCamel;
  if( pNode->eType!=ACDC_JSON_OBJECT ){
    walkError(&walk, pNode, 0, 0, "%s is an object, not %s", pShape->zDoc,
              acdcJsonTypeName(pNode));
    return;
  }
  walkObject(&walk, pShape, pNode);
}
