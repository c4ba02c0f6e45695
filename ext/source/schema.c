/*
** Schemas of files; see schema.h.
*/
#include "schema.h"
#include "../core/json.h"

void acdcSchemaClear(AcdcSchema *pS){
  int i;
  for(i=0; i<pS->n; i++){
    sqlite3_free(pS->a[i].zName);
    sqlite3_free(pS->a[i].zType);
    sqlite3_free(pS->a[i].zColl);
  }
  sqlite3_free(pS->a);
  memset(pS, 0, sizeof(*pS));
}

int acdcSchemaFind(const AcdcSchema *pS, const char *zName, int nName){
  int i;
  int iLike = -1;
  for(i=0; i<pS->n; i++){
    const char *z = pS->a[i].zName;
    if( sqlite3_strnicmp(z, zName, nName)!=0 || z[nName]!=0 ) continue;
    if( memcmp(z, zName, (size_t)nName)==0 ) return i;
    if( iLike<0 ) iLike = i;
  }
  return iLike;
}

int acdcSchemaAdd(
  AcdcCtx *p,
  AcdcSchema *pS,
  const char *zName, int nName,
  const char *zType
){
  AcdcColumn *pC;
  if( p->rc ) return -1;
  if( pS->n>=pS->nAlloc ){
    int nNew = pS->nAlloc ? pS->nAlloc*2 : 16;
    AcdcColumn *aNew = acdcRealloc(p, pS->a, (i64)nNew*(i64)sizeof(AcdcColumn));
    if( aNew==0 ) return -1;
    pS->a = aNew;
    pS->nAlloc = nNew;
  }
  pC = &pS->a[pS->n];
  memset(pC, 0, sizeof(*pC));
  pC->zName = acdcStrndup(p, zName, nName);
  pC->zType = acdcSchemaType(p, zType ? zType : "");
  if( p->rc ){
    sqlite3_free(pC->zName);
    sqlite3_free(pC->zType);
    return -1;
  }
  pC->cAff = acdcAffinity(pC->zType);
  return pS->n++;
}

/* First words of types, and what they are to SQLite.  NULL: as it is. */
typedef struct SchemaType SchemaType;
struct SchemaType {
  const char *zWord;
  const char *zType;
};
static const SchemaType aType[] = {
  { "string", "TEXT" },      { "int", "INTEGER" },     { "integer", "INTEGER" },
  { "bigint", "INTEGER" },   { "long", "INTEGER" },    { "smallint", "INTEGER" },
  { "short", "INTEGER" },    { "tinyint", "INTEGER" }, { "byte", "INTEGER" },
  { "float", "REAL" },       { "double", "REAL" },     { "real", "REAL" },
  { "decimal", 0 },          { "numeric", 0 },         { "dec", "NUMERIC" },
  { "boolean", "BOOLEAN" },  { "bool", "BOOLEAN" },    { "date", "DATE" },
  { "timestamp", "TIMESTAMP" }, { "timestamp_ntz", "TIMESTAMP" },
  { "timestamp_ltz", "TIMESTAMP" }, { "datetime", "DATETIME" },
  { "binary", "BLOB" },      { "bytes", "BLOB" },
  { "array", "TEXT" },       { "map", "TEXT" },        { "struct", "TEXT" },
  { "variant", "TEXT" },     { "interval", "TEXT" },   { "void", "TEXT" },
  { "null", "TEXT" },        { "json", "TEXT" },       { "uuid", "TEXT" },
};

static int schemaIsLetter(char c){
  return (c>='a' && c<='z') || (c>='A' && c<='Z') || c=='_';
}

char *acdcSchemaType(AcdcCtx *p, const char *zType){
  int i;
  int n = 0;
  if( p->rc ) return 0;
  while( schemaIsLetter(zType[n]) ) n++;
  for(i=0; i<(int)(sizeof(aType)/sizeof(aType[0])); i++){
    const SchemaType *pT = &aType[i];
    if( (int)strlen(pT->zWord)!=n ) continue;
    if( sqlite3_strnicmp(pT->zWord, zType, n)!=0 ) continue;
    if( pT->zType ) return acdcStrdup(p, pT->zType);
    break;
  }
  return acdcStrdup(p, zType);
}

const char *acdcSchemaSeenType(u8 mSeen){
  u8 mNumber = mSeen & (ACDC_SEEN_INT|ACDC_SEEN_REAL|ACDC_SEEN_DIGITS);
  if( mSeen==0 || mSeen==ACDC_SEEN_TEXT ) return "TEXT";
  if( mSeen==ACDC_SEEN_INT ) return "INTEGER";
  if( mSeen==ACDC_SEEN_REAL ) return "REAL";
  if( mSeen==ACDC_SEEN_BOOL ) return "BOOLEAN";
  if( mNumber==mSeen && (mSeen & ACDC_SEEN_DIGITS)==0 ) return "NUMERIC";
  return "";
}

/*
** Tokens of DDL.
*/
typedef struct SchemaText SchemaText;
struct SchemaText {
  const char *zAll;    /* The whole text, for messages */
  const char *z;       /* What is left */
  int bLine;           /* A line end stands before the next token */
};

/* Skip blanks and comments. */
static void ddlBlank(SchemaText *pT){
  for(;;){
    const char *z = pT->z;
    if( *z=='\n' || *z=='\r' ){
      pT->bLine = 1;
      pT->z++;
    }else if( *z==' ' || *z=='\t' || *z=='\f' ){
      pT->z++;
    }else if( z[0]=='-' && z[1]=='-' ){
      while( *pT->z && *pT->z!='\n' ) pT->z++;
    }else if( z[0]=='/' && z[1]=='*' ){
      const char *zEnd = strstr(z+2, "*/");
      pT->z = zEnd ? zEnd+2 : z+strlen(z);
    }else{
      return;
    }
  }
}

/* Bytes of the quoted text at z, both quotes included; 0 if it is open. */
static int ddlQuoted(const char *z){
  char c = z[0]=='[' ? ']' : z[0];
  int i = 1;
  for(;;){
    if( z[i]==0 ) return 0;
    if( z[i]==c ){
      if( c==']' || z[i+1]!=c ) return i+1;
      i++;
    }
    i++;
  }
}

static int ddlIsQuote(char c){
  return c=='"' || c=='`' || c=='[' || c=='\'';
}

/* Bytes of the bare word at z. */
static int ddlWord(const char *z){
  int n = 0;
  while( z[n] && strchr(" \t\r\n\f,:;()<>[]'\"`", z[n])==0 ) n++;
  return n;
}

static int ddlIs(const char *z, const char *zWord){
  int n = (int)strlen(zWord);
  return ddlWord(z)==n && sqlite3_strnicmp(z, zWord, n)==0;
}

/*
** Skip one token; a bracket is skipped with all that is in it.  0 if there is
** no token, or it is not closed.
*/
static int ddlSkip(SchemaText *pT){
  int n;
  char c = *pT->z;
  pT->bLine = 0;
  if( c==0 ) return 0;
  if( c=='(' || c=='<' ){
    char cEnd = c=='(' ? ')' : '>';
    pT->z++;
    for(;;){
      ddlBlank(pT);
      if( *pT->z==cEnd ){
        pT->z++;
        pT->bLine = 0;
        return 1;
      }
      if( !ddlSkip(pT) ) return 0;
    }
  }
  if( ddlIsQuote(c) ){
    n = ddlQuoted(pT->z);
  }else{
    n = ddlWord(pT->z);
    if( n==0 ) n = 1;
  }
  pT->z += n;
  pT->bLine = 0;
  return n>0;
}

static void ddlError(AcdcCtx *p, SchemaText *pT, const char *zWhat){
  acdcError(p, SQLITE_ERROR, "schema: %s at \"%.40s\" (expected a list of"
      " columns such as \"id INTEGER, name TEXT\")", zWhat,
      *pT->z ? pT->z : "the end");
}

/*
** CREATE TABLE t(...): go on behind its opening bracket.  Returns 1 if it was.
*/
static int ddlCreate(AcdcCtx *p, SchemaText *pT){
  if( !ddlIs(pT->z, "CREATE") ) return 0;
  while( *pT->z && *pT->z!='(' ){
    if( !ddlSkip(pT) ) break;
    ddlBlank(pT);
  }
  if( *pT->z!='(' ){
    ddlError(p, pT, "CREATE without a list of columns");
    return 0;
  }
  pT->z++;
  return 1;
}

/* Is this the beginning of a table constraint? */
static int ddlIsConstraint(const SchemaText *pT){
  const char *z = pT->z;
  SchemaText next = *pT;
  if( !ddlIs(z, "CONSTRAINT") && !ddlIs(z, "PRIMARY") && !ddlIs(z, "FOREIGN")
   && !ddlIs(z, "UNIQUE") && !ddlIs(z, "CHECK") ) return 0;
  next.z += ddlWord(z);
  ddlBlank(&next);
  if( ddlIs(z, "CONSTRAINT") ){
    if( !ddlSkip(&next) ) return 0;
    ddlBlank(&next);
    return ddlIs(next.z, "PRIMARY") || ddlIs(next.z, "FOREIGN")
        || ddlIs(next.z, "UNIQUE") || ddlIs(next.z, "CHECK");
  }
  if( ddlIs(z, "UNIQUE") || ddlIs(z, "CHECK") ) return *next.z=='(';
  return ddlIs(next.z, "KEY");
}

/* Words that end a type and begin something else about the column. */
static int ddlIsClause(const char *z){
  static const char *const azWord[] = {
    "NOT", "NULL", "COMMENT", "DEFAULT", "PRIMARY", "UNIQUE", "CHECK",
    "GENERATED", "COLLATE", "REFERENCES", "CONSTRAINT", "AS", "OPTIONS"
  };
  int i;
  for(i=0; i<(int)(sizeof(azWord)/sizeof(azWord[0])); i++){
    if( ddlIs(z, azWord[i]) ) return 1;
  }
  return 0;
}

static int ddlAtEnd(const SchemaText *pT){
  return *pT->z==0 || *pT->z==',' || *pT->z==')' || *pT->z==';';
}

/* The type at pT: its text, comments taken out.  Owned by the caller. */
static char *ddlType(AcdcCtx *p, SchemaText *pT, int bColon){
  char *zType = 0;
  int nWord = 0;
  for(;;){
    const char *z;
    ddlBlank(pT);
    if( ddlAtEnd(pT) || ddlIsClause(pT->z) ) break;
    if( pT->bLine && (nWord>0 || !bColon) ) break;
    z = pT->z;
    if( !ddlSkip(pT) ){
      ddlError(p, pT, "a bracket or quote that is not closed");
      break;
    }
    acdcAppendf(p, &zType, "%s%.*s", nWord && *z!='(' && *z!='<' ? " " : "",
        (int)(pT->z-z), z);
    nWord++;
  }
  return zType;
}

/* What follows the type, up to the end of the column. */
static void ddlClauses(AcdcCtx *p, SchemaText *pT, AcdcColumn *pC){
  for(;;){
    ddlBlank(pT);
    if( ddlAtEnd(pT) ) return;
    if( pT->bLine && !ddlIsClause(pT->z) ) return;
    if( ddlIs(pT->z, "GENERATED") || ddlIs(pT->z, "AS") ){
      acdcError(p, SQLITE_ERROR, "schema: column \"%s\" is generated, which a"
          " file cannot be read into: leave it out and compute it in a query",
          pC->zName);
      return;
    }
    if( ddlIs(pT->z, "NOT") ){
      pT->z += 3;
      ddlBlank(pT);
      if( ddlIs(pT->z, "NULL") ) pC->bNotNull = 1;
    }
    if( !ddlSkip(pT) ){
      ddlError(p, pT, "a bracket or quote that is not closed");
      return;
    }
  }
}

static void ddlColumn(AcdcCtx *p, SchemaText *pT, AcdcSchema *pS){
  char *zName;
  char *zType;
  const char *z = pT->z;
  int bColon = 0;
  int n = ddlIsQuote(*z) ? ddlQuoted(z) : ddlWord(z);
  int i;
  if( n==0 ){
    ddlError(p, pT, "no column name");
    return;
  }
  zName = acdcStrndup(p, z, n);
  if( zName && ddlIsQuote(zName[0]) ){
    char *zPlain = acdcUnquote(p, zName);
    sqlite3_free(zName);
    zName = zPlain;
  }
  pT->z += n;
  pT->bLine = 0;
  ddlBlank(pT);
  if( *pT->z==':' ){
    pT->z++;
    bColon = 1;
    ddlBlank(pT);
    pT->bLine = 0;
  }
  zType = (pT->bLine && !bColon) ? 0 : ddlType(p, pT, bColon);
  if( p->rc==0 && acdcSchemaFind(pS, zName, (int)strlen(zName))>=0 ){
    acdcError(p, SQLITE_ERROR, "schema: column \"%s\" is there twice", zName);
  }
  i = zName ? acdcSchemaAdd(p, pS, zName, (int)strlen(zName), zType) : -1;
  if( i>=0 ) ddlClauses(p, pT, &pS->a[i]);
  sqlite3_free(zName);
  sqlite3_free(zType);
}

static void ddlParse(AcdcCtx *p, const char *z, AcdcSchema *pS){
  SchemaText t;
  int bBracket;
  t.zAll = z;
  t.z = z;
  ddlBlank(&t);
  bBracket = ddlCreate(p, &t);
  for(;;){
    ddlBlank(&t);
    if( p->rc || *t.z==0 || *t.z==';' || (*t.z==')' && bBracket) ) return;
    if( *t.z==',' ){
      t.z++;
    }else if( ddlIsConstraint(&t) ){
      while( !ddlAtEnd(&t) && ddlSkip(&t) ) ddlBlank(&t);
    }else if( *t.z==')' ){
      ddlError(p, &t, "a bracket that was not opened");
    }else{
      ddlColumn(p, &t, pS);
    }
  }
}

/* One entry of "fields". */
static void jsonSchemaField(
  AcdcCtx *p,
  AcdcJson *pDoc,
  AcdcJsonNode *pField,
  AcdcSchema *pS
){
  AcdcJsonNode *pName = acdcJsonMember(pField, "name");
  AcdcJsonNode *pType = acdcJsonMember(pField, "type");
  AcdcJsonNode *pNull = acdcJsonMember(pField, "nullable");
  const char *zType = "struct";
  int i;
  if( pName==0 || pName->eType!=ACDC_JSON_STRING ){
    acdcJsonError(p, pDoc, pField, "schema: a field needs a \"name\"");
    return;
  }
  if( pType && pType->eType==ACDC_JSON_STRING ) zType = pType->zText;
  if( pType==0 ) zType = "string";
  if( acdcSchemaFind(pS, pName->zText, (int)strlen(pName->zText))>=0 ){
    acdcJsonError(p, pDoc, pName, "schema: column \"%s\" is there twice",
        pName->zText);
    return;
  }
  i = acdcSchemaAdd(p, pS, pName->zText, (int)strlen(pName->zText), zType);
  if( i>=0 && pNull && pNull->eType==ACDC_JSON_BOOL ){
    pS->a[i].bNotNull = !pNull->bTrue;
  }
}

static void jsonSchemaParse(AcdcCtx *p, const char *z, AcdcSchema *pS){
  AcdcJsonPos pos;
  AcdcJson *pDoc = acdcJsonParse(p, z, -1, &pos);
  AcdcJsonNode *pRoot, *pFields, *pField;
  if( pDoc==0 ){
    if( pos.iLine ){
      acdcErrorWhere(p, "schema: line %d, column %d", pos.iLine, pos.iCol);
    }else{
      acdcErrorWhere(p, "schema");
    }
    return;
  }
  pRoot = acdcJsonRoot(pDoc);
  pFields = pRoot->eType==ACDC_JSON_ARRAY ? pRoot
          : acdcJsonMember(pRoot, "fields");
  if( pFields==0 || pFields->eType!=ACDC_JSON_ARRAY ){
    acdcJsonError(p, pDoc, pRoot, "schema: a JSON schema is {\"type\":"
        " \"struct\", \"fields\": [{\"name\": \"id\", \"type\": \"integer\"},"
        " ...]}");
  }else{
    for(pField=pFields->pFirst; pField && p->rc==0; pField=pField->pNext){
      jsonSchemaField(p, pDoc, pField, pS);
    }
  }
  acdcJsonFree(pDoc);
}

void acdcSchemaParse(AcdcCtx *p, const char *z, AcdcSchema *pS){
  int n0 = pS->n;
  const char *zText = z;
  if( p->rc ) return;
  if( (u8)z[0]==0xef && (u8)z[1]==0xbb && (u8)z[2]==0xbf ) zText = z = z+3;
  while( *z==' ' || *z=='\t' || *z=='\r' || *z=='\n' ) z++;
  if( *z=='{' || (*z=='[' && strchr(z, '{')) ){
    jsonSchemaParse(p, z, pS);
  }else{
    ddlParse(p, z, pS);
  }
  if( p->rc==0 && pS->n==n0 ){
    acdcError(p, SQLITE_ERROR, "schema: \"%.40s\" has no columns", zText);
  }
}
