/*
** SQL of specs, as SQLite takes it.  See sparksql.h.
**
** The text is cut into tokens, so that nothing inside strings and comments is
** touched; then it is written again token by token, with a stack that knows,
** for each pair of parentheses, whether a SELECT is open in it and where its
** FROM clause is.
*/
#include "sparksql.h"

/* Kinds of tokens */
#define TK_END     0
#define TK_BLANK   1    /* blanks and comments */
#define TK_WORD    2    /* name or keyword */
#define TK_QUOTED  3    /* `name` */
#define TK_STRING  4
#define TK_NUMBER  5
#define TK_OTHER   6    /* one character, or <=> */

#define MAX_DEPTH 100

typedef struct SparkToken SparkToken;
struct SparkToken {
  u8 e;
  int i;                 /* Offset into the text */
  int n;                 /* Bytes */
};

typedef struct Spark Spark;
struct Spark {
  AcdcCtx *pCtx;
  const char *z;
  SparkToken *a;         /* Tokens, TK_END last.  Owned */
  int n;                 /* Tokens, TK_END not counted */
  AcdcNames local;       /* Names of the query's own WITH clauses */
  const AcdcSparkHost *pHost;   /* NULL for expressions */
};

/* ---- tokens ---- */

static int isName(char c){
  return (c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9')
      || c=='_' || (c & 0x80);
}

/* Length of the string at z, whose quote is z[0]; backslash escapes. */
static int stringLength(const char *z){
  int i = 1;
  while( z[i] ){
    if( z[i]=='\\' && z[i+1] ){
      i += 2;
    }else if( z[i]!=z[0] ){
      i++;
    }else if( z[i+1]==z[0] ){
      i += 2;                       /* a doubled quote */
    }else{
      return i+1;
    }
  }
  return i;
}

static SparkToken tokenAt(const char *z, int i){
  SparkToken t;
  const char *p = &z[i];
  t.i = i;
  t.n = 1;
  t.e = TK_OTHER;
  if( p[0]==0 ){
    t.e = TK_END;
    t.n = 0;
  }else if( p[0]==' ' || p[0]=='\t' || p[0]=='\n' || p[0]=='\r' ){
    t.e = TK_BLANK;
    t.n = (int)strspn(p, " \t\r\n");
  }else if( p[0]=='-' && p[1]=='-' ){
    t.e = TK_BLANK;
    t.n = (int)strcspn(p, "\n");
  }else if( p[0]=='/' && p[1]=='*' ){
    const char *zEnd = strstr(p+2, "*/");
    t.e = TK_BLANK;
    t.n = zEnd ? (int)(zEnd-p)+2 : (int)strlen(p);
  }else if( p[0]=='\'' || p[0]=='"' ){
    t.e = TK_STRING;
    t.n = stringLength(p);
  }else if( p[0]=='`' ){
    int k = 1;
    while( p[k] && (p[k]!='`' || p[k+1]=='`') ) k += p[k]=='`' ? 2 : 1;
    t.e = TK_QUOTED;
    t.n = p[k] ? k+1 : k;
  }else if( p[0]>='0' && p[0]<='9' ){
    t.e = TK_NUMBER;
    while( isName(p[t.n]) || p[t.n]=='.' ) t.n++;
  }else if( isName(p[0]) ){
    t.e = TK_WORD;
    while( isName(p[t.n]) ) t.n++;
  }else if( p[0]=='<' && p[1]=='=' && p[2]=='>' ){
    t.n = 3;
  }
  return t;
}

static void sparkOpen(Spark *p, AcdcCtx *pCtx, const char *z){
  int i = 0;
  int nAlloc = 0;
  memset(p, 0, sizeof(*p));
  p->pCtx = pCtx;
  p->z = z;
  while( pCtx->rc==SQLITE_OK ){
    SparkToken t = tokenAt(z, i);
    if( p->n+1>=nAlloc ){
      SparkToken *aNew;
      nAlloc = nAlloc ? 2*nAlloc : 32;
      aNew = acdcRealloc(pCtx, p->a, nAlloc*(i64)sizeof(*aNew));
      if( aNew==0 ) return;
      p->a = aNew;
    }
    p->a[p->n] = t;
    if( t.e==TK_END ) return;
    p->n++;
    i += t.n;
  }
}

static void sparkClose(Spark *p){
  sqlite3_free(p->a);
  acdcNamesFree(&p->local);
}

/* The token at or behind i that is no blank. */
static int nextToken(const Spark *p, int i){
  if( i>p->n ) i = p->n;
  while( p->a[i].e==TK_BLANK ) i++;
  return i;
}

static int isWord(const Spark *p, int i, const char *zWord){
  const SparkToken *t = &p->a[i];
  return t->e==TK_WORD && t->n==(int)strlen(zWord)
      && sqlite3_strnicmp(&p->z[t->i], zWord, t->n)==0;
}

static int isChar(const Spark *p, int i, char c){
  return p->a[i].e==TK_OTHER && p->a[i].n==1 && p->z[p->a[i].i]==c;
}

/* The token of the parenthesis that closes the one at i, or the end. */
static int closing(const Spark *p, int i){
  int nDepth = 0;
  for(; i<p->n; i++){
    if( isChar(p, i, '(') ) nDepth++;
    if( isChar(p, i, ')') && --nDepth==0 ) break;
  }
  return i;
}

/* The bare name of a TK_WORD or TK_QUOTED token.  Owned by the caller. */
static char *nameOf(Spark *p, int i){
  const SparkToken *t = &p->a[i];
  const char *z = &p->z[t->i];
  char *zNew;
  int k, n = 0;
  if( t->e==TK_WORD ) return acdcStrndup(p->pCtx, z, t->n);
  zNew = acdcMalloc(p->pCtx, t->n+1);
  if( zNew==0 ) return 0;
  for(k=1; k<t->n-1; k++){
    zNew[n++] = z[k];
    if( z[k]=='`' ) k++;
  }
  return zNew;
}

/* A string as SQLite writes it, escapes resolved. */
static void putString(Spark *p, sqlite3_str *pOut, int iToken){
  const SparkToken *t = &p->a[iToken];
  const char *z = &p->z[t->i];
  int i;
  if( t->n<2 || z[t->n-1]!=z[0] ){
    acdcError(p->pCtx, SQLITE_ERROR, "a string does not end: %.40s", z);
  }
  sqlite3_str_appendchar(pOut, 1, '\'');
  for(i=1; i<t->n-1; i++){
    char c = z[i];
    if( c=='\\' && i+1<t->n-1 ){
      c = z[++i];
      switch( c ){
        case 'n': c = '\n'; break;
        case 't': c = '\t'; break;
        case 'r': c = '\r'; break;
        default:  break;
      }
    }else if( c==z[0] ){
      i++;                       /* a doubled quote */
    }
    sqlite3_str_appendchar(pOut, c=='\'' ? 2 : 1, c);
  }
  sqlite3_str_appendchar(pOut, 1, '\'');
}

static void putRange(Spark *p, sqlite3_str *pOut, int iFrom, int iTo,
                     int nDepth);

/* ---- functions ---- */

/*
** Split the arguments between the parentheses at iOpen and its partner; aArg
** gets the first token of each and one past the last.  Their number, at most
** nMax (more are cut off: -1).
*/
static int splitArgs(const Spark *p, int iOpen, int *aArg, int nMax){
  int iEnd = closing(p, iOpen);
  int nArg = 0;
  int nDepth = 0;
  int i;
  if( nextToken(p, iOpen+1)>=iEnd ) return 0;
  aArg[nArg++] = iOpen+1;
  for(i=iOpen+1; i<iEnd; i++){
    if( isChar(p, i, '(') ) nDepth++;
    if( isChar(p, i, ')') ) nDepth--;
    if( nDepth==0 && isChar(p, i, ',') ){
      if( nArg>=nMax ) return -1;
      aArg[nArg++] = i+1;
    }
  }
  aArg[nArg] = iEnd+1;
  return nArg;
}

#define MAX_ARG 60

/* Argument iArg of the arguments that splitArgs() has found. */
static void putArg(
  Spark *p, sqlite3_str *pOut, const int *aArg, int iArg, int nDepth
){
  putRange(p, pOut, aArg[iArg], aArg[iArg+1]-1, nDepth+1);
}

/* Functions that SQLite has under another name, or writes without (). */
static const struct { const char *zSpark; const char *zLite; } aRename[] = {
  { "nvl", "coalesce" }, { "if", "iif" }, { "len", "length" },
  { "char_length", "length" }, { "character_length", "length" },
  { "lcase", "lower" }, { "ucase", "upper" }, { "substring", "substr" },
  { "ceiling", "ceil" }, { "first_value", "first_value" },
  { "to_json", "json" }, { "collect_list", "json_group_array" },
  { "any_value", "max" }, { "pow", "power" },
};

/* SQLite's type for a type in CAST; 0 for those that need more than a type. */
static const char *castType(const Spark *p, int i){
  static const struct { const char *z; const char *zLite; } a[] = {
    { "string", "TEXT" }, { "varchar", "TEXT" }, { "char", "TEXT" },
    { "text", "TEXT" }, { "timestamp", "TEXT" }, { "timestamp_ntz", "TEXT" },
    { "int", "INTEGER" }, { "integer", "INTEGER" }, { "bigint", "INTEGER" },
    { "long", "INTEGER" }, { "smallint", "INTEGER" }, { "short", "INTEGER" },
    { "tinyint", "INTEGER" }, { "byte", "INTEGER" }, { "double", "REAL" },
    { "float", "REAL" }, { "real", "REAL" }, { "decimal", "NUMERIC" },
    { "numeric", "NUMERIC" }, { "dec", "NUMERIC" }, { "binary", "BLOB" },
  };
  int k;
  for(k=0; k<(int)(sizeof(a)/sizeof(a[0])); k++){
    if( isWord(p, i, a[k].z) ) return a[k].zLite;
  }
  return 0;
}

/* CAST(x AS type): 1 if it was written. */
static int putCast(Spark *p, sqlite3_str *pOut, int iOpen, int nDepth){
  int iEnd = closing(p, iOpen);
  int nParen = 0;
  int iAs = -1;
  int iType, i;
  const char *zType;
  for(i=iOpen+1; i<iEnd; i++){
    if( isChar(p, i, '(') ) nParen++;
    if( isChar(p, i, ')') ) nParen--;
    if( nParen==0 && isWord(p, i, "as") ) iAs = i;
  }
  if( iAs<0 ) return 0;
  iType = nextToken(p, iAs+1);
  zType = castType(p, iType);
  if( zType ){
    sqlite3_str_appendall(pOut, "CAST(");
    putRange(p, pOut, iOpen+1, iAs, nDepth+1);
    sqlite3_str_appendf(pOut, "AS %s)", zType);
  }else if( isWord(p, iType, "date") ){
    sqlite3_str_appendall(pOut, "date(");
    putRange(p, pOut, iOpen+1, iAs, nDepth+1);
    sqlite3_str_appendall(pOut, ")");
  }else if( isWord(p, iType, "boolean") ){
    /* A text that is no truth value is NULL; a number is its own truth. */
    sqlite3_str_appendall(pOut, "(CASE WHEN lower(");
    putRange(p, pOut, iOpen+1, iAs, nDepth+1);
    sqlite3_str_appendall(pOut, ") IN ('true','t','yes','y','1') THEN 1 "
                          "WHEN lower(");
    putRange(p, pOut, iOpen+1, iAs, nDepth+1);
    sqlite3_str_appendall(pOut, ") IN ('false','f','no','n','0') THEN 0 END)");
  }else{
    return 0;
  }
  return 1;
}

/*
** A date or time that is written after a fixed pattern, put into ISO order
** with substr().  zFmt is the pattern without quotes.  0: it is no such one.
*/
static int putDatePattern(
  Spark *p,
  sqlite3_str *pOut,
  const char *zFmt,
  int iArg,
  int iArgEnd,
  int nDepth,
  int bTime
){
  static const struct { char c; int n; const char *zBefore; } aPart[] = {
    { 'y', 4, "" }, { 'M', 2, "-" }, { 'd', 2, "-" }, { 'H', 2, " " },
    { 'm', 2, ":" }, { 's', 2, ":" },
  };
  int aAt[6] = { 0, 0, 0, 0, 0, 0 };
  int iFraction = 0, nFraction = 0;
  int i, k, iCol = 1;
  for(i=0; zFmt[i]; ){
    int n = 1;
    while( zFmt[i+n]==zFmt[i] ) n++;
    if( zFmt[i]=='S' ){
      iFraction = iCol;
      nFraction = n;
    }else if( zFmt[i]=='\'' ){
      iCol--;                       /* quotes of literal text */
      n = 1;
    }else if( (zFmt[i]>='a' && zFmt[i]<='z') || (zFmt[i]>='A' && zFmt[i]<='Z') ){
      for(k=0; k<6; k++){
        if( aPart[k].c==zFmt[i] && aPart[k].n==n && aAt[k]==0 ) break;
      }
      if( k==6 && (zFmt[i]!='T' || n!=1) ) return 0;
      if( k<6 ) aAt[k] = iCol;
    }
    i += n;
    iCol += n;
  }
  if( aAt[0]==0 || aAt[1]==0 || aAt[2]==0 ) return 0;
  sqlite3_str_appendall(pOut, "(");
  for(k=0; k<6; k++){
    if( k>=3 && !bTime ) break;
    if( k ) sqlite3_str_appendf(pOut, " || '%s' || ", aPart[k].zBefore);
    if( aAt[k]==0 ){
      sqlite3_str_appendall(pOut, "'00'");
      continue;
    }
    sqlite3_str_appendall(pOut, "substr(");
    putRange(p, pOut, iArg, iArgEnd, nDepth+1);
    sqlite3_str_appendf(pOut, ", %d, %d)", aAt[k], aPart[k].n);
  }
  if( bTime && nFraction ){
    sqlite3_str_appendall(pOut, " || '.' || substr(");
    putRange(p, pOut, iArg, iArgEnd, nDepth+1);
    sqlite3_str_appendf(pOut, ", %d, %d)", iFraction, nFraction);
  }
  sqlite3_str_appendall(pOut, ")");
  return 1;
}

/* to_date and to_timestamp: 1 if written. */
static int putToDate(
  Spark *p, sqlite3_str *pOut, const int *aArg, int nArg, int nDepth, int bTime
){
  int iFmt;
  char zFmt[64];
  if( nArg==1 ){
    sqlite3_str_appendall(pOut, bTime ? "CAST(" : "date(");
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendall(pOut, bTime ? " AS TEXT)" : ")");
    return 1;
  }
  if( nArg!=2 ) return 0;
  iFmt = nextToken(p, aArg[1]);
  if( p->a[iFmt].e!=TK_STRING || p->a[iFmt].n-2>=(int)sizeof(zFmt) ) return 0;
  memcpy(zFmt, &p->z[p->a[iFmt].i+1], (size_t)p->a[iFmt].n-2);
  zFmt[p->a[iFmt].n-2] = 0;
  return putDatePattern(p, pOut, zFmt, aArg[0], aArg[1]-1, nDepth, bTime);
}

/* The arguments, each in parentheses, with zBetween between them. */
static void putJoined(
  Spark *p, sqlite3_str *pOut, const int *aArg, int nArg, int nDepth,
  const char *zBetween
){
  int i;
  sqlite3_str_appendall(pOut, "(");
  for(i=0; i<nArg; i++){
    sqlite3_str_appendall(pOut, i ? zBetween : "");
    sqlite3_str_appendall(pOut, "(");
    putArg(p, pOut, aArg, i, nDepth);
    sqlite3_str_appendall(pOut, ")");
  }
  sqlite3_str_appendall(pOut, ")");
}

/*
** The call of function iWord whose parenthesis is at iOpen.  Returns the token
** behind it, or 0 if the name is to be written as it is.
*/
static int putCall(
  Spark *p, sqlite3_str *pOut, int iWord, int iOpen, int nDepth
){
  static const struct { const char *zSpark; const char *zFmt; } aPart[] = {
    { "year", "%Y" }, { "month", "%m" }, { "day", "%d" },
    { "dayofmonth", "%d" }, { "hour", "%H" }, { "minute", "%M" },
    { "second", "%S" },
  };
  int aArg[MAX_ARG+1];
  int nArg = splitArgs(p, iOpen, aArg, MAX_ARG);
  int iNext = closing(p, iOpen)+1;
  int k;
  if( iNext>p->n ) return 0;
  if( isWord(p, iWord, "cast") || isWord(p, iWord, "try_cast") ){
    return putCast(p, pOut, iOpen, nDepth) ? iNext : 0;
  }
  if( nArg==0 ){
    if( isWord(p, iWord, "current_timestamp") || isWord(p, iWord, "now") ){
      sqlite3_str_appendall(pOut, "CURRENT_TIMESTAMP");
      return iNext;
    }
    if( isWord(p, iWord, "current_date") ){
      sqlite3_str_appendall(pOut, "CURRENT_DATE");
      return iNext;
    }
  }
  if( nArg<1 ) return 0;
  if( isWord(p, iWord, "concat") ){
    putJoined(p, pOut, aArg, nArg, nDepth, " || ");
    return iNext;
  }
  if( nArg==1 && (isWord(p, iWord, "isnull") || isWord(p, iWord, "isnotnull")) ){
    putJoined(p, pOut, aArg, 1, nDepth, "");
    sqlite3_str_appendall(pOut, isWord(p, iWord, "isnull") ? " IS NULL"
                                                           : " IS NOT NULL");
    return iNext;
  }
  if( nArg==3 && isWord(p, iWord, "nvl2") ){
    sqlite3_str_appendall(pOut, "iif((");
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendall(pOut, ") IS NOT NULL,");
    putArg(p, pOut, aArg, 1, nDepth);
    sqlite3_str_appendall(pOut, ",");
    putArg(p, pOut, aArg, 2, nDepth);
    sqlite3_str_appendall(pOut, ")");
    return iNext;
  }
  if( isWord(p, iWord, "to_timestamp") || isWord(p, iWord, "to_date") ){
    return putToDate(p, pOut, aArg, nArg, nDepth,
                     isWord(p, iWord, "to_timestamp")) ? iNext : 0;
  }
  for(k=0; k<(int)(sizeof(aPart)/sizeof(aPart[0])) && nArg==1; k++){
    if( !isWord(p, iWord, aPart[k].zSpark) ) continue;
    sqlite3_str_appendf(pOut, "CAST(strftime('%s', ", aPart[k].zFmt);
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendall(pOut, ") AS INTEGER)");
    return iNext;
  }
  for(k=0; k<(int)(sizeof(aRename)/sizeof(aRename[0])); k++){
    if( !isWord(p, iWord, aRename[k].zSpark) ) continue;
    sqlite3_str_appendf(pOut, "%s(", aRename[k].zLite);
    putRange(p, pOut, iOpen+1, iNext-1, nDepth+1);
    sqlite3_str_appendall(pOut, ")");
    return iNext;
  }
  return 0;
}

/* ---- relations ---- */

/* Words that can follow a relation and are no alias of it. */
static int endsRelation(const Spark *p, int i){
  static const char *const az[] = {
    "on", "using", "join", "inner", "left", "right", "full", "cross",
    "natural", "outer", "semi", "anti", "where", "group", "having", "order",
    "limit", "offset", "union", "intersect", "except", "minus", "window",
    "lateral", "pivot", "unpivot", "tablesample", "qualify"
  };
  int k;
  if( p->a[i].e==TK_QUOTED ) return 0;
  if( p->a[i].e!=TK_WORD ) return 1;
  for(k=0; k<(int)(sizeof(az)/sizeof(az[0])); k++){
    if( isWord(p, i, az[k]) ) return 1;
  }
  return 0;
}

/*
** The name of a relation from token i on: a path of names with dots, alone or
** in STREAM(...).  Returns the token behind it, or 0 if there is no path.
*/
static int putRelation(Spark *p, sqlite3_str *pOut, int i){
  char *az[4] = { 0, 0, 0, 0 };
  int nPart = 0;
  int bStream = 0;
  int bLive = 0;
  int iNext, k;
  char *zNew = 0;
  if( isWord(p, i, "stream") && isChar(p, nextToken(p, i+1), '(') ){
    bStream = 1;
    i = nextToken(p, nextToken(p, i+1)+1);
  }
  iNext = i;
  while( nPart<4 && (p->a[i].e==TK_WORD || p->a[i].e==TK_QUOTED) ){
    az[nPart++] = nameOf(p, i);
    iNext = i+1;
    i = nextToken(p, iNext);
    if( !isChar(p, i, '.') ) break;
    i = nextToken(p, i+1);
  }
  if( nPart>1 && az[0] && sqlite3_stricmp(az[0], "live")==0 ){
    bLive = 1;
    sqlite3_free(az[0]);
    for(k=1; k<nPart; k++) az[k-1] = az[k];
    az[--nPart] = 0;
  }
  if( bStream ){
    i = nextToken(p, iNext);
    if( isChar(p, i, ')') ) iNext = i+1;
    else nPart = 0;
  }
  if( nPart>0 && nPart<4 && p->pCtx->rc==SQLITE_OK
   && (bLive || bStream || nPart>1 || acdcNamesFind(&p->local, az[0])<0) ){
    zNew = p->pHost->xRelation(p->pHost->pArg, p->pCtx, nPart, az, bLive,
                               bStream);
    if( zNew ){
      sqlite3_str_appendall(pOut, zNew);
      if( endsRelation(p, nextToken(p, iNext)) ){
        sqlite3_str_appendf(pOut, " AS \"%w\"", az[nPart-1]);
      }
    }
  }
  for(k=0; k<4; k++) sqlite3_free(az[k]);
  if( zNew==0 ) return 0;
  sqlite3_free(zNew);
  return iNext;
}

/* ---- "* EXCEPT (...)" in a query ---- */

/* Depth of token i, counted in parentheses. */
static int depthOf(const Spark *p, int i){
  int n = 0, k;
  for(k=0; k<i; k++){
    if( isChar(p, k, '(') ) n++;
    if( isChar(p, k, ')') ) n--;
  }
  return n;
}

/* First and last-but-one token of the FROM clause behind i, at its depth. */
static int findFrom(const Spark *p, int i, int *piEnd){
  static const char *const azEnd[] = {
    "where", "group", "having", "order", "limit", "union", "intersect",
    "except", "minus", "window", "qualify"
  };
  int nDepth = 0;
  int iFrom = 0, k;
  for(; i<p->n; i++){
    if( isChar(p, i, '(') ) nDepth++;
    if( isChar(p, i, ')') && --nDepth<0 ) break;
    if( nDepth || p->a[i].e!=TK_WORD ) continue;
    if( iFrom==0 ){
      if( isWord(p, i, "from") ) iFrom = i;
      continue;
    }
    for(k=0; k<(int)(sizeof(azEnd)/sizeof(azEnd[0])); k++){
      if( isWord(p, i, azEnd[k]) ) break;
    }
    if( k<(int)(sizeof(azEnd)/sizeof(azEnd[0])) ) break;
  }
  *piEnd = i;
  return iFrom;
}

/* The WITH clauses that token i can see, as text, or NULL. */
static char *withBefore(Spark *p, int i){
  int nDepth = depthOf(p, i);
  int iWith = -1, nWith = 0, iStop = -1, nNow = 0, bDone = 0;
  sqlite3_str *pStr;
  int k;
  for(k=0; k<i; k++){
    if( isChar(p, k, '(') ) nNow++;
    if( isChar(p, k, ')') ) nNow--;
    if( isWord(p, k, "with") && nNow<=nDepth ){
      iWith = k;
      nWith = nNow;
      bDone = 0;
    }
    if( iWith<0 || nNow!=nWith ) continue;
    /* Clauses end with a parenthesis; behind them comes the SELECT. */
    if( isWord(p, k, "select") ) bDone = 1;
    if( isChar(p, k, ')') && !bDone ) iStop = k;
  }
  if( iWith<0 || iStop<iWith ) return 0;
  pStr = sqlite3_str_new(0);
  putRange(p, pStr, iWith, iStop+1, 0);
  return sqlite3_str_finish(pStr);
}

/*
** If "EXCEPT (" follows the star at token i, write the columns.  Returns the
** token behind it, or 0.
*/
static int putExcept(
  Spark *p, sqlite3_str *pOut, int i, const char *zQualifier, int nDepth
){
  int iExcept = nextToken(p, i+1);
  int iOpen = isWord(p, iExcept, "except") ? nextToken(p, iExcept+1) : 0;
  int iFrom, iEnd, iName;
  AcdcNames names = {0, 0};
  sqlite3_str *pFrom;
  char *zFrom, *zWith, *zStar, *zNew;
  if( iOpen==0 || !isChar(p, iOpen, '(') ) return 0;
  iName = nextToken(p, iOpen+1);
  if( isWord(p, iName, "select") || p->pHost==0 || p->pHost->xColumns==0 ){
    return 0;
  }
  for(; iName<closing(p, iOpen); iName=nextToken(p, iName+1)){
    if( p->a[iName].e==TK_WORD || p->a[iName].e==TK_QUOTED ){
      char *z = nameOf(p, iName);
      if( z ) acdcNamesAdd(p->pCtx, &names, z, -1);
      sqlite3_free(z);
    }
  }
  iFrom = findFrom(p, closing(p, iOpen)+1, &iEnd);
  if( iFrom==0 ){
    acdcError(p->pCtx, SQLITE_ERROR, "\"* EXCEPT\" without a FROM clause");
    acdcNamesFree(&names);
    return 0;
  }
  pFrom = sqlite3_str_new(0);
  putRange(p, pFrom, iFrom, iEnd, -1-nDepth);
  zFrom = sqlite3_str_finish(pFrom);
  zWith = withBefore(p, i);
  zStar = zQualifier ? acdcMprintf(p->pCtx, "\"%w\".*", zQualifier)
                     : acdcStrdup(p->pCtx, "*");
  zNew = zFrom && zStar && p->pCtx->rc==SQLITE_OK
      ? p->pHost->xColumns(p->pHost->pArg, p->pCtx, zWith, zStar, zFrom, &names)
      : 0;
  if( zNew ) sqlite3_str_appendall(pOut, zNew);
  sqlite3_free(zFrom);
  sqlite3_free(zWith);
  sqlite3_free(zStar);
  acdcNamesFree(&names);
  if( zNew==0 ) return 0;
  sqlite3_free(zNew);
  return closing(p, iOpen)+1;
}

/* ---- writing ---- */

/* What is known of one pair of parentheses. */
typedef struct SparkLevel SparkLevel;
struct SparkLevel {
  u8 bSelect;            /* A SELECT is open in it */
  u8 bFrom;              /* ... and we are in its FROM clause */
  u8 bRelation;          /* A relation is expected next */
};

/* True if the word in front of token i is DISTINCT: "IS DISTINCT FROM". */
static int afterDistinct(const Spark *p, int i){
  while( --i>0 && p->a[i].e==TK_BLANK ){}
  return i>0 && isWord(p, i, "distinct");
}

static void levelWord(const Spark *p, SparkLevel *pL, int i){
  static const char *const azEnd[] = {
    "where", "group", "having", "order", "limit", "window", "qualify"
  };
  int k;
  if( isWord(p, i, "select") ){
    pL->bSelect = 1;
    pL->bFrom = 0;
  }else if( isWord(p, i, "from") && pL->bSelect
         && !afterDistinct(p, i) ){
    pL->bFrom = pL->bRelation = 1;
  }else if( isWord(p, i, "join") && pL->bFrom ){
    pL->bRelation = 1;
  }else{
    for(k=0; k<(int)(sizeof(azEnd)/sizeof(azEnd[0])); k++){
      if( isWord(p, i, azEnd[k]) ) pL->bFrom = 0;
    }
  }
}

/*
** Write the tokens [iFrom, iTo) to pOut.  nDepth counts recursion; a negative
** one says that a SELECT stands in front, unseen.
*/
static void putRange(
  Spark *p, sqlite3_str *pOut, int iFrom, int iTo, int nDepth
){
  SparkLevel aLevel[MAX_DEPTH];
  int nLevel = 0;
  int i = iFrom;
  memset(&aLevel[0], 0, sizeof(aLevel[0]));
  if( nDepth<0 ){
    aLevel[0].bSelect = 1;
    nDepth = -1-nDepth;
  }
  if( nDepth>=MAX_DEPTH ){
    acdcError(p->pCtx, SQLITE_ERROR, "the SQL is nested too deep");
  }
  while( i<iTo && p->pCtx->rc==SQLITE_OK ){
    SparkToken *t = &p->a[i];
    const char *z = &p->z[t->i];
    SparkLevel *pL = &aLevel[nLevel];
    int iNext = 0;
    if( t->e==TK_BLANK ){
      sqlite3_str_append(pOut, " ", 1);
      i++;
      continue;
    }
    if( pL->bRelation ){
      pL->bRelation = 0;
      if( p->pHost ) iNext = putRelation(p, pOut, i);
      if( iNext ){
        i = iNext;
        continue;
      }
    }
    if( t->e==TK_STRING ){
      putString(p, pOut, i);
    }else if( t->e==TK_QUOTED ){
      char *zName = nameOf(p, i);
      if( zName ) sqlite3_str_appendf(pOut, "\"%w\"", zName);
      sqlite3_free(zName);
    }else if( t->e==TK_WORD ){
      int iAfter = nextToken(p, i+1);
      if( isChar(p, iAfter, '(') ){
        iNext = putCall(p, pOut, i, iAfter, nDepth);
      }else if( isChar(p, iAfter, '.') && isWord(p, i, "live") && p->pHost ){
        iNext = iAfter+1;
      }else if( isChar(p, iAfter, '.')
             && isChar(p, nextToken(p, iAfter+1), '*') ){
        char *zName = nameOf(p, i);
        iNext = putExcept(p, pOut, nextToken(p, iAfter+1), zName, nDepth);
        sqlite3_free(zName);
      }else if( p->a[iAfter].e==TK_STRING
             && (isWord(p, i, "date") || isWord(p, i, "timestamp")) ){
        iNext = iAfter;
      }
      if( iNext==0 ){
        levelWord(p, pL, i);
        sqlite3_str_append(pOut, z, t->n);
      }
    }else if( isChar(p, i, '(') ){
      sqlite3_str_append(pOut, "(", 1);
      if( nLevel+1>=MAX_DEPTH ){
        acdcError(p->pCtx, SQLITE_ERROR, "the SQL is nested too deep");
      }else{
        memset(&aLevel[++nLevel], 0, sizeof(aLevel[0]));
      }
    }else if( isChar(p, i, ')') ){
      sqlite3_str_append(pOut, ")", 1);
      if( nLevel>0 ) nLevel--;
    }else if( isChar(p, i, ',') ){
      sqlite3_str_append(pOut, ",", 1);
      pL->bRelation = pL->bFrom;
    }else if( isChar(p, i, '*') && p->pHost
           && (iNext = putExcept(p, pOut, i, 0, nDepth))!=0 ){
      /* written */
    }else if( t->e==TK_OTHER && t->n==3 ){
      sqlite3_str_appendall(pOut, " IS ");
    }else{
      sqlite3_str_append(pOut, z, t->n);
    }
    i = iNext ? iNext : i+1;
  }
}

/* ---- the interface ---- */

int acdcSparkNames(const char *zExpr, const char *zColumn){
  int i = 0;
  int n = (int)strlen(zColumn);
  if( zExpr==0 ) return 0;
  for(;;){
    SparkToken t = tokenAt(zExpr, i);
    if( t.e==TK_END ) return 0;
    if( t.e==TK_WORD && t.n==n
     && sqlite3_strnicmp(&zExpr[t.i], zColumn, n)==0 ) return 1;
    if( t.e==TK_QUOTED && t.n==n+2
     && sqlite3_strnicmp(&zExpr[t.i+1], zColumn, n)==0 ) return 1;
    i += t.n;
  }
}

static char *sparkFinish(Spark *p, sqlite3_str *pOut){
  char *z = sqlite3_str_finish(pOut);
  sparkClose(p);
  if( z==0 && p->pCtx->rc==SQLITE_OK ){
    acdcError(p->pCtx, SQLITE_NOMEM, "out of memory");
  }
  if( p->pCtx->rc ){
    sqlite3_free(z);
    z = 0;
  }
  return z;
}

char *acdcSparkExpr(AcdcCtx *p, const char *z){
  Spark s;
  sqlite3_str *pOut;
  if( p->rc || z==0 ) return 0;
  sparkOpen(&s, p, z);
  pOut = sqlite3_str_new(0);
  putRange(&s, pOut, 0, p->rc ? 0 : s.n, 0);
  return sparkFinish(&s, pOut);
}

/* Note the names that the query's own WITH clauses define. */
static void findLocals(Spark *p){
  int i;
  for(i=0; i<p->n; i++){
    int iName, iAs;
    if( !isWord(p, i, "with") && !isWord(p, i, "recursive")
     && !isChar(p, i, ',') ) continue;
    iName = nextToken(p, i+1);
    if( p->a[iName].e!=TK_WORD && p->a[iName].e!=TK_QUOTED ) continue;
    iAs = nextToken(p, iName+1);
    if( isChar(p, iAs, '(') ){
      iAs = closing(p, iAs);
      if( iAs<p->n ) iAs = nextToken(p, iAs+1);
    }
    if( isWord(p, iAs, "as") && isChar(p, nextToken(p, iAs+1), '(') ){
      char *z = nameOf(p, iName);
      if( z ) acdcNamesAdd(p->pCtx, &p->local, z, -1);
      sqlite3_free(z);
    }
  }
}

char *acdcSparkQuery(AcdcCtx *p, const char *z, const AcdcSparkHost *pHost){
  Spark s;
  sqlite3_str *pOut;
  int n;
  if( p->rc || z==0 ) return 0;
  sparkOpen(&s, p, z);
  s.pHost = pHost;
  if( p->rc==SQLITE_OK ) findLocals(&s);
  pOut = sqlite3_str_new(0);
  n = p->rc ? 0 : s.n;
  /* One semicolon at the end is no second statement. */
  while( n>0 && s.a[n-1].e==TK_BLANK ) n--;
  if( n>0 && isChar(&s, n-1, ';') ) n--;
  putRange(&s, pOut, 0, n, 0);
  return sparkFinish(&s, pOut);
}

int acdcSparkExcept(
  AcdcCtx *p,
  const char *z,
  char **pzStar,
  AcdcNames *pExcept
){
  Spark s;
  int i, iStar = -1, iEnd;
  int bIs = 0;
  *pzStar = 0;
  if( p->rc ) return 0;
  sparkOpen(&s, p, z);
  if( p->rc==SQLITE_OK ){
    i = nextToken(&s, 0);
    if( isChar(&s, i, '*') ){
      iStar = i;
    }else if( (s.a[i].e==TK_WORD || s.a[i].e==TK_QUOTED)
           && isChar(&s, nextToken(&s, i+1), '.') ){
      iStar = nextToken(&s, nextToken(&s, i+1)+1);
      if( !isChar(&s, iStar, '*') ) iStar = -1;
    }
    if( iStar>=0 ){
      int iOpen = nextToken(&s, nextToken(&s, iStar+1)+1);
      if( isWord(&s, nextToken(&s, iStar+1), "except")
       && isChar(&s, iOpen, '(') ){
        bIs = 1;
        iEnd = closing(&s, iOpen);
        if( iStar==i ){
          *pzStar = acdcStrdup(p, "*");
        }else{
          char *zName = nameOf(&s, i);
          *pzStar = acdcMprintf(p, "\"%w\".*", zName);
          sqlite3_free(zName);
        }
        for(i=iOpen+1; i<iEnd; i++){
          if( s.a[i].e==TK_WORD || s.a[i].e==TK_QUOTED ){
            char *zName = nameOf(&s, i);
            if( zName ) acdcNamesAdd(p, pExcept, zName, -1);
            sqlite3_free(zName);
          }
        }
      }
    }
  }
  sparkClose(&s);
  return bIs;
}
