/*
** Shapes written as JSON Schema (draft-07), for editors.  What the validator
** finds in a document and what an editor marks come from the same tables.
**
** Two things are said less exactly than the validator checks them: values are
** listed in one casing, and a member spelled in the other casing is accepted
** but not proposed ("doNotSuggest" is understood by VS Code).
*/
#include "shape.h"

#define WORD_MAX 100

typedef struct SchemaOut SchemaOut;
struct SchemaOut {
  sqlite3_str *pStr;
  int bCamel;
  const AcdcShape *apShape[64];  /* Definitions used: written or to be written */
  int nShape;
};

static void putText(sqlite3_str *pStr, const char *z){
  sqlite3_str_appendchar(pStr, 1, '"');
  for(; *z; z++){
    if( *z=='"' || *z=='\\' ) sqlite3_str_appendchar(pStr, 1, '\\');
    sqlite3_str_appendchar(pStr, 1, *z);
  }
  sqlite3_str_appendchar(pStr, 1, '"');
}

/* Step through the words of *pz, as "a|b" lists them; NULL at the end. */
static const char *eachWord(const char **pz, char *zBuf){
  const char *z = *pz;
  int n = 0;
  if( z==0 ) return 0;
  while( z[n] && z[n]!='|' ) n++;
  assert( n<WORD_MAX );
  memcpy(zBuf, z, (size_t)n);
  zBuf[n] = 0;
  *pz = z[n]=='|' ? &z[n+1] : 0;
  return zBuf;
}

/* Note that pShape is used.  Definitions are written in the order of use. */
static void useShape(SchemaOut *p, const AcdcShape *pShape){
  int i;
  for(i=0; i<p->nShape; i++){
    if( p->apShape[i]==pShape ) return;
  }
  assert( p->nShape<64 );
  p->apShape[p->nShape++] = pShape;
}

static void putRef(SchemaOut *p, const AcdcShape *pShape){
  if( pShape==0 ){
    sqlite3_str_appendall(p->pStr, "{\"type\": \"object\"}");
    return;
  }
  useShape(p, pShape);
  sqlite3_str_appendf(p->pStr, "{\"$ref\": \"#/definitions/%s\"}",
                      pShape->zName);
}

/* The texts that a field allows, or with bInt those of them that are digits.*/
static void putEnum(SchemaOut *p, const AcdcField *pF, int bInt){
  char zBuf[WORD_MAX];
  const char *zList = pF->zValues;
  const char *z;
  int n = 0;
  if( zList==0 ) return;
  sqlite3_str_appendall(p->pStr, ", \"enum\": [");
  while( (z = eachWord(&zList, zBuf))!=0 ){
    if( bInt && (z[0]<'0' || z[0]>'9') ) continue;
    if( n++ ) sqlite3_str_appendall(p->pStr, ", ");
    if( bInt ) sqlite3_str_appendall(p->pStr, z);
    else putText(p->pStr, z);
  }
  sqlite3_str_appendall(p->pStr, "]");
}

/* The schema of one type that a field may have; m has one bit. */
static void putOneType(SchemaOut *p, const AcdcField *pF, u32 m){
  sqlite3_str *pStr = p->pStr;
  int bFill = (pF->mFlag & ACDC_F_FILL)!=0;
  switch( m ){
    case ACDC_T_TEXT:
      sqlite3_str_appendall(pStr, "{\"type\": \"string\"");
      putEnum(p, pF, 0);
      if( bFill ) sqlite3_str_appendall(pStr, ", \"minLength\": 1");
      break;
    case ACDC_T_INT:
      sqlite3_str_appendall(pStr, "{\"type\": \"integer\"");
      putEnum(p, pF, 1);
      break;
    case ACDC_T_REAL:
      sqlite3_str_appendall(pStr, "{\"type\": \"number\"");
      break;
    case ACDC_T_BOOL:
      sqlite3_str_appendall(pStr, "{\"type\": \"boolean\"");
      break;
    case ACDC_T_LIST:
      sqlite3_str_appendall(pStr, "{\"type\": \"array\", \"items\": ");
      if( pF->mType & ACDC_T_ARRAY ){
        sqlite3_str_appendall(pStr, "{\"anyOf\": [{\"type\": \"string\"}, ");
        putRef(p, pF->pSub);
        sqlite3_str_appendall(pStr, "]}");
      }else{
        sqlite3_str_appendall(pStr, "{\"type\": \"string\"");
        putEnum(p, pF, 0);
        sqlite3_str_appendall(pStr, "}");
      }
      if( bFill ) sqlite3_str_appendall(pStr, ", \"minItems\": 1");
      break;
    case ACDC_T_ARRAY:
      sqlite3_str_appendall(pStr, "{\"type\": \"array\", \"items\": ");
      putRef(p, pF->pSub);
      if( bFill ) sqlite3_str_appendall(pStr, ", \"minItems\": 1");
      break;
    case ACDC_T_MAP:
      sqlite3_str_appendall(pStr,
          "{\"type\": \"object\", \"additionalProperties\": ");
      putRef(p, pF->pSub);
      if( bFill ) sqlite3_str_appendall(pStr, ", \"minProperties\": 1");
      break;
    case ACDC_T_RULES:
      sqlite3_str_appendall(pStr, "{\"type\": \"object\", "
          "\"additionalProperties\": {\"type\": \"string\"}");
      break;
    default:
      assert( m==ACDC_T_OBJECT );
      putRef(p, pF->pSub);
      return;
  }
  sqlite3_str_appendall(pStr, "}");
}

/* "anyOf": the types of a field. */
static void putTypes(SchemaOut *p, const AcdcField *pF){
  u32 m;
  int n = 0;
  sqlite3_str_appendall(p->pStr, "\"anyOf\": [");
  for(m=1; m<=ACDC_T_RULES; m<<=1){
    if( (pF->mType & m)==0 ) continue;
    if( m==ACDC_T_ARRAY && (pF->mType & ACDC_T_LIST) ) continue;
    if( m==ACDC_T_INT && (pF->mType & ACDC_T_REAL) ) continue;
    if( n++ ) sqlite3_str_appendall(p->pStr, ", ");
    putOneType(p, pF, m);
  }
  if( (pF->mFlag & ACDC_F_REQ)==0 ){
    sqlite3_str_appendall(p->pStr, ", {\"type\": \"null\"}");
  }
  sqlite3_str_appendall(p->pStr, "]");
}

static const char *howText(u8 eHow){
  switch( eHow ){
    case ACDC_HOW_HONOURED: return "honoured";
    case ACDC_HOW_EXTRA:    return "honoured, not of the original format";
    case ACDC_HOW_STORED:   return "kept, without effect";
    case ACDC_HOW_WARNED:   return "warned about, without effect";
    default:                return "refused";
  }
}

#define EMPTY_VALUES "[null, \"\", false, [], {}]"

static void putField(
  SchemaOut *p,
  const AcdcField *pF,
  const char *zName,
  int bSuggest
){
  putText(p->pStr, zName);
  sqlite3_str_appendall(p->pStr, ": {\"description\": ");
  putText(p->pStr, pF->zDoc);
  sqlite3_str_appendf(p->pStr, ", \"x-autocdc\": \"%s\", ", howText(pF->eHow));
  if( !bSuggest || pF->eHow==ACDC_HOW_REFUSED ){
    sqlite3_str_appendall(p->pStr, "\"doNotSuggest\": true, ");
  }
  if( pF->zRefused ){
    char zBuf[WORD_MAX];
    const char *zList = pF->zRefused;
    const char *z;
    sqlite3_str_appendall(p->pStr, "\"x-autocdc-refused\": [");
    while( (z = eachWord(&zList, zBuf))!=0 ){
      putText(p->pStr, z);
      if( zList ) sqlite3_str_appendall(p->pStr, ", ");
    }
    sqlite3_str_appendall(p->pStr, "], ");
  }
  if( pF->eHow==ACDC_HOW_REFUSED ){
    sqlite3_str_appendall(p->pStr, "\"enum\": " EMPTY_VALUES "}");
  }else{
    putTypes(p, pF);
    sqlite3_str_appendall(p->pStr, "}");
  }
}

/*
** The spellings of a field: how many, and the i-th in zBuf.  The first is the
** one that the format's documents use.
*/
static int fieldSpellings(
  SchemaOut *p,
  const AcdcShape *pShape,
  const AcdcField *pF,
  int i,
  char *zBuf
){
  char zOther[WORD_MAX];
  int bCamel = p->bCamel && (pF->mFlag & ACDC_F_SNAKE)==0;
  if( pF->mFlag & ACDC_F_LAYER ){
    sqlite3_snprintf(WORD_MAX, zBuf, "%s_%s", i ? "silver" : "bronze",
                     pF->zName);
    return 2;
  }
  if( (pF->mFlag & (ACDC_F_PLAIN|ACDC_F_ENV)) || pShape->bAnyCase ){
    sqlite3_snprintf(WORD_MAX, zBuf, "%s", pF->zName);
    return 1;
  }
  sqlite3_snprintf(WORD_MAX, zBuf, "%s",
      acdcShapeSpell(pF->zName, i ? !bCamel : bCamel, zOther, WORD_MAX));
  return strcmp(acdcShapeSpell(pF->zName, 1, zOther, WORD_MAX), pF->zName)
         ? 2 : 1;
}

/* "properties" or, with bEnv, "patternProperties" of a shape. */
static void putFields(SchemaOut *p, const AcdcShape *pShape, int bEnv){
  char zBuf[WORD_MAX], zPattern[WORD_MAX+4];
  int i, k, n = 0;
  for(i=0; i<pShape->nField; i++){
    const AcdcField *pF = &pShape->aField[i];
    int nSpell = fieldSpellings(p, pShape, pF, 0, zBuf);
    if( ((pF->mFlag & ACDC_F_ENV)!=0)!=bEnv ) continue;
    for(k=0; k<nSpell; k++){
      const char *z = zBuf;
      fieldSpellings(p, pShape, pF, k, zBuf);
      if( bEnv ){
        sqlite3_snprintf(sizeof(zPattern), zPattern, "^%s.", zBuf);
        z = zPattern;
      }
      sqlite3_str_appendall(p->pStr, n++ ? ",\n      " : "\n      ");
      putField(p, pF, z, k==0 || (pF->mFlag & ACDC_F_LAYER));
    }
  }
}

/* {"required": ["name"]}, in any of its spellings. */
static void putPresent(
  SchemaOut *p,
  const AcdcShape *pShape,
  const char *zName
){
  char zBuf[WORD_MAX];
  int i, k, n = 1;
  const AcdcField *pF = 0;
  for(i=0; i<pShape->nField && pF==0; i++){
    if( strcmp(pShape->aField[i].zName, zName)==0
     && (pShape->aField[i].mFlag & ACDC_F_LAYER)==0 ){
      pF = &pShape->aField[i];
    }
  }
  if( pF ) n = fieldSpellings(p, pShape, pF, 0, zBuf);
  if( n==1 ){
    sqlite3_str_appendf(p->pStr, "{\"required\": [\"%s\"]}", zName);
    return;
  }
  sqlite3_str_appendall(p->pStr, "{\"anyOf\": [");
  for(k=0; k<n; k++){
    fieldSpellings(p, pShape, pF, k, zBuf);
    sqlite3_str_appendf(p->pStr, "%s{\"required\": [\"%s\"]}", k ? ", " : "",
                        zBuf);
  }
  sqlite3_str_appendall(p->pStr, "]}");
}

/* {"properties": {name: zSchema}} for every spelling of a name. */
static void putProperties(
  SchemaOut *p,
  const char *zName,
  const char *zSchema
){
  char zOther[WORD_MAX];
  acdcShapeSpell(zName, 1, zOther, WORD_MAX);
  sqlite3_str_appendf(p->pStr, "{\"properties\": {\"%s\": %s", zName, zSchema);
  if( strcmp(zOther, zName) ){
    sqlite3_str_appendf(p->pStr, ", \"%s\": %s", zOther, zSchema);
  }
  sqlite3_str_appendall(p->pStr, "}}");
}

/* A condition of a rule: the member has one of the values, or is not there. */
static void putCondition(
  SchemaOut *p,
  const AcdcShape *pShape,
  const char *zIf,
  const char *zIs
){
  sqlite3_str *pValues = sqlite3_str_new(0);
  char zBuf[WORD_MAX];
  const char *zList = zIs;
  const char *z;
  char *zValues;
  int n = 0;
  sqlite3_str_appendall(pValues, "{\"enum\": [");
  while( (z = eachWord(&zList, zBuf))!=0 ){
    if( z[0]==0 ) continue;
    if( n++ ) sqlite3_str_appendall(pValues, ", ");
    if( strcmp(z, "true") ) putText(pValues, z);
    if( z[0]>='0' && z[0]<='9' ) sqlite3_str_appendf(pValues, ", %s", z);
    if( strcmp(z, "true")==0 ) sqlite3_str_appendall(pValues, z);
  }
  sqlite3_str_appendall(pValues, "]}");
  zValues = sqlite3_str_finish(pValues);
  if( acdcWordFind(zIs, "")>=0 ){
    /* An absent member satisfies "properties" anyway. */
    putProperties(p, zIf, zValues ? zValues : "{}");
  }else{
    sqlite3_str_appendall(p->pStr, "{\"allOf\": [");
    putPresent(p, pShape, zIf);
    sqlite3_str_appendall(p->pStr, ", ");
    putProperties(p, zIf, zValues ? zValues : "{}");
    sqlite3_str_appendall(p->pStr, "]}");
  }
  sqlite3_free(zValues);
}

/* What a rule demands of the members in its zFields. */
static void putDemand(SchemaOut *p, const AcdcShape *pShape, const AcdcRule *pR){
  char zBuf[WORD_MAX], zOther[WORD_MAX];
  const char *zList = pR->zFields;
  const char *zRest;
  const char *z;
  int n = 0;
  if( pR->eRule==ACDC_RULE_SHAPE ){
    char *zRef = sqlite3_mprintf("{\"anyOf\": [{\"$ref\": \"#/definitions/%s\"}"
        ", {\"type\": \"null\"}]}", pR->pShape->zName);
    useShape(p, pR->pShape);
    putProperties(p, pR->zFields, zRef ? zRef : "{}");
    sqlite3_free(zRef);
    return;
  }
  sqlite3_str_appendall(p->pStr,
      pR->eRule==ACDC_RULE_ONE ? "{\"oneOf\": [" : "{\"allOf\": [");
  while( (z = eachWord(&zList, zBuf))!=0 ){
    if( pR->eRule==ACDC_RULE_ATMOST ){
      zRest = zList;
      while( (z = eachWord(&zRest, zOther))!=0 ){
        sqlite3_str_appendf(p->pStr, "%s{\"not\": {\"allOf\": [",
                            n++ ? ", " : "");
        putPresent(p, pShape, zBuf);
        sqlite3_str_appendall(p->pStr, ", ");
        putPresent(p, pShape, zOther);
        sqlite3_str_appendall(p->pStr, "]}}");
      }
      continue;
    }
    if( n++ ) sqlite3_str_appendall(p->pStr, ", ");
    if( pR->eRule==ACDC_RULE_FORBID ){
      putProperties(p, z, "{\"enum\": " EMPTY_VALUES "}");
    }else{
      putPresent(p, pShape, z);
    }
  }
  sqlite3_str_appendall(p->pStr, "]}");
}

static void putRule(SchemaOut *p, const AcdcShape *pShape, const AcdcRule *pR){
  if( pR->zIf==0 ){
    putDemand(p, pShape, pR);
    return;
  }
  sqlite3_str_appendall(p->pStr, "{\"if\": ");
  if( pR->zIf2 ) sqlite3_str_appendall(p->pStr, "{\"allOf\": [");
  putCondition(p, pShape, pR->zIf, pR->zIs);
  if( pR->zIf2 ){
    sqlite3_str_appendall(p->pStr, ", ");
    putCondition(p, pShape, pR->zIf2, pR->zIs2);
    sqlite3_str_appendall(p->pStr, "]}");
  }
  sqlite3_str_appendall(p->pStr, ", \"then\": ");
  putDemand(p, pShape, pR);
  sqlite3_str_appendall(p->pStr, "}");
}

static void putShape(SchemaOut *p, const AcdcShape *pShape){
  sqlite3_str *pStr = p->pStr;
  int i, n = 0;
  sqlite3_str_appendf(pStr, "    \"%s\": {\n      \"description\": ",
                      pShape->zName);
  putText(pStr, pShape->zDoc);
  sqlite3_str_appendall(pStr, ",\n      \"type\": \"object\",\n      "
      "\"properties\": {");
  putFields(p, pShape, 0);
  sqlite3_str_appendall(pStr, "\n      },\n      \"patternProperties\": {");
  putFields(p, pShape, 1);
  sqlite3_str_appendf(pStr, "\n      },\n      \"additionalProperties\": %s",
                      pShape->eUnknown==ACDC_UNKNOWN_ERROR ? "false" : "true");
  for(i=0; i<pShape->nField; i++){
    if( (pShape->aField[i].mFlag & ACDC_F_REQ)==0 ) continue;
    sqlite3_str_appendall(pStr, n++ ? ",\n      "
                                    : ",\n      \"allOf\": [\n      ");
    putPresent(p, pShape, pShape->aField[i].zName);
  }
  for(i=0; i<pShape->nRule; i++){
    sqlite3_str_appendall(pStr, n++ ? ",\n      "
                                    : ",\n      \"allOf\": [\n      ");
    putRule(p, pShape, &pShape->aRule[i]);
  }
  sqlite3_str_appendall(pStr, n ? "\n      ]\n    }" : "\n    }");
}

char *acdcShapeSchema(AcdcCtx *p, const AcdcFormat *pFormat){
  SchemaOut out;
  char *zOut;
  int i;
  if( p->rc ) return 0;
  memset(&out, 0, sizeof(out));
  out.pStr = sqlite3_str_new(0);
  out.bCamel = pFormat->bCamel;
  useShape(&out, pFormat->pShape);
  sqlite3_str_appendall(out.pStr,
      "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
      "  \"title\": ");
  putText(out.pStr, pFormat->zTitle);
  sqlite3_str_appendall(out.pStr, ",\n  ");
  if( pFormat->pObject ){
    sqlite3_str_appendall(out.pStr, "\"anyOf\": [{\"type\": \"array\", "
                          "\"items\": ");
    putRef(&out, pFormat->pShape);
    sqlite3_str_appendall(out.pStr, "}, ");
    putRef(&out, pFormat->pObject);
    sqlite3_str_appendall(out.pStr, "],\n");
  }else if( pFormat->bList ){
    sqlite3_str_appendall(out.pStr, "\"type\": \"array\", \"items\": ");
    putRef(&out, pFormat->pShape);
    sqlite3_str_appendall(out.pStr, ",\n");
  }else{
    sqlite3_str_appendall(out.pStr, "\"allOf\": [");
    putRef(&out, pFormat->pShape);
    sqlite3_str_appendall(out.pStr, "],\n");
  }
  sqlite3_str_appendall(out.pStr, "  \"definitions\": {\n");
  for(i=0; i<out.nShape; i++){
    if( i ) sqlite3_str_appendall(out.pStr, ",\n");
    putShape(&out, out.apShape[i]);
  }
  sqlite3_str_appendall(out.pStr, "\n  }\n}\n");
  zOut = sqlite3_str_finish(out.pStr);
  if( zOut==0 ) acdcError(p, SQLITE_NOMEM, "out of memory");
  return zOut;
}
