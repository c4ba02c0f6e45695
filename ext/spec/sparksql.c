/*
** SQL of specs, as SQLite takes it.  See sparksql.h.
**
** The text is cut into tokens, so that nothing inside strings and comments is
** touched; then it is written again token by token, with a stack that knows,
** for each pair of parentheses, whether a SELECT is open in it and where its
** FROM clause is.
*/
#include "sparkint.h"

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

static AcdcSparkToken tokenAt(const char *z, int i){
  AcdcSparkToken t;
  const char *p = &z[i];
  t.i = i;
  t.n = 1;
  t.e = ACDC_TK_OTHER;
  if( p[0]==0 ){
    t.e = ACDC_TK_END;
    t.n = 0;
  }else if( p[0]==' ' || p[0]=='\t' || p[0]=='\n' || p[0]=='\r' ){
    t.e = ACDC_TK_BLANK;
    t.n = (int)strspn(p, " \t\r\n");
  }else if( p[0]=='-' && p[1]=='-' ){
    t.e = ACDC_TK_BLANK;
    t.n = (int)strcspn(p, "\n");
  }else if( p[0]=='/' && p[1]=='*' ){
    const char *zEnd = strstr(p+2, "*/");
    t.e = ACDC_TK_BLANK;
    t.n = zEnd ? (int)(zEnd-p)+2 : (int)strlen(p);
  }else if( p[0]=='\'' || p[0]=='"' ){
    t.e = ACDC_TK_STRING;
    t.n = stringLength(p);
  }else if( p[0]=='`' ){
    int k = 1;
    while( p[k] && (p[k]!='`' || p[k+1]=='`') ) k += p[k]=='`' ? 2 : 1;
    t.e = ACDC_TK_QUOTED;
    t.n = p[k] ? k+1 : k;
  }else if( p[0]>='0' && p[0]<='9' ){
    t.e = ACDC_TK_NUMBER;
    while( isName(p[t.n]) || p[t.n]=='.' ) t.n++;
  }else if( isName(p[0]) ){
    t.e = ACDC_TK_WORD;
    while( isName(p[t.n]) ) t.n++;
  }else if( p[0]=='<' && p[1]=='=' && p[2]=='>' ){
    t.n = 3;
  }
  return t;
}

static void sparkOpen(AcdcSpark *p, AcdcCtx *pCtx, const char *z){
  int i = 0;
  int nAlloc = 0;
  memset(p, 0, sizeof(*p));
  p->pCtx = pCtx;
  p->z = z;
  while( pCtx->rc==SQLITE_OK ){
    AcdcSparkToken t = tokenAt(z, i);
    if( p->n+1>=nAlloc ){
      AcdcSparkToken *aNew;
      nAlloc = nAlloc ? 2*nAlloc : 32;
      aNew = acdcRealloc(pCtx, p->a, nAlloc*(i64)sizeof(*aNew));
      if( aNew==0 ) return;
      p->a = aNew;
    }
    p->a[p->n] = t;
    if( t.e==ACDC_TK_END ) return;
    p->n++;
    i += t.n;
  }
}

static void sparkClose(AcdcSpark *p){
  sqlite3_free(p->a);
  acdcNamesFree(&p->local);
}

/* The token at or behind i that is no blank. */
int acdcSparkNext(const AcdcSpark *p, int i){
  if( i>p->n ) i = p->n;
  while( p->a[i].e==ACDC_TK_BLANK ) i++;
  return i;
}

int acdcSparkIs(const AcdcSpark *p, int i, const char *zWord){
  const AcdcSparkToken *t = &p->a[i];
  return t->e==ACDC_TK_WORD && t->n==(int)strlen(zWord)
      && sqlite3_strnicmp(&p->z[t->i], zWord, t->n)==0;
}

int acdcSparkChar(const AcdcSpark *p, int i, char c){
  return p->a[i].e==ACDC_TK_OTHER && p->a[i].n==1 && p->z[p->a[i].i]==c;
}

/* The token of the parenthesis that closes the one at i, or the end. */
int acdcSparkClosing(const AcdcSpark *p, int i){
  int nDepth = 0;
  for(; i<p->n; i++){
    if( acdcSparkChar(p, i, '(') ) nDepth++;
    if( acdcSparkChar(p, i, ')') && --nDepth==0 ) break;
  }
  return i;
}

/* The bare name of a WORD or QUOTED token.  Owned by the caller. */
static char *nameOf(AcdcSpark *p, int i){
  const AcdcSparkToken *t = &p->a[i];
  const char *z = &p->z[t->i];
  char *zNew;
  int k, n = 0;
  if( t->e==ACDC_TK_WORD ) return acdcStrndup(p->pCtx, z, t->n);
  zNew = acdcMalloc(p->pCtx, t->n+1);
  if( zNew==0 ) return 0;
  for(k=1; k<t->n-1; k++){
    zNew[n++] = z[k];
    if( z[k]=='`' ) k++;
  }
  return zNew;
}

/* A string as SQLite writes it, escapes resolved. */
static void putString(AcdcSpark *p, sqlite3_str *pOut, int iToken){
  const AcdcSparkToken *t = &p->a[iToken];
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

/* ---- relations ---- */

/* Words that can follow a relation and are no alias of it. */
static int endsRelation(const AcdcSpark *p, int i){
  static const char *const az[] = {
    "on", "using", "join", "inner", "left", "right", "full", "cross",
    "natural", "outer", "semi", "anti", "where", "group", "having", "order",
    "limit", "offset", "union", "intersect", "except", "minus", "window",
    "lateral", "pivot", "unpivot", "tablesample", "qualify"
  };
  int k;
  if( p->a[i].e==ACDC_TK_QUOTED ) return 0;
  if( p->a[i].e!=ACDC_TK_WORD ) return 1;
  for(k=0; k<(int)(sizeof(az)/sizeof(az[0])); k++){
    if( acdcSparkIs(p, i, az[k]) ) return 1;
  }
  return 0;
}

/*
** The name of a relation from token i on: a path of names with dots, alone or
** in STREAM(...).  Returns the token behind it, or 0 if there is no path.
*/
static int putRelation(AcdcSpark *p, sqlite3_str *pOut, int i){
  char *az[4] = { 0, 0, 0, 0 };
  int nPart = 0;
  int bStream = 0;
  int bParen = 0;
  int bLive = 0;
  int iNext, k;
  char *zNew = 0;
  if( acdcSparkIs(p, i, "stream") ){
    int iAfter = acdcSparkNext(p, i+1);
    if( acdcSparkChar(p, iAfter, '(') ){
      bStream = bParen = 1;
      i = acdcSparkNext(p, iAfter+1);
    }else if( (p->a[iAfter].e==ACDC_TK_WORD || p->a[iAfter].e==ACDC_TK_QUOTED)
           && acdcSparkChar(p, acdcSparkNext(p, iAfter+1), '.') ){
      bStream = 1;           /* STREAM live.x */
      i = iAfter;
    }
  }
  iNext = i;
  while( nPart<4 && (p->a[i].e==ACDC_TK_WORD || p->a[i].e==ACDC_TK_QUOTED) ){
    az[nPart++] = nameOf(p, i);
    iNext = i+1;
    i = acdcSparkNext(p, iNext);
    if( !acdcSparkChar(p, i, '.') ) break;
    i = acdcSparkNext(p, i+1);
  }
  if( nPart>1 && az[0] && sqlite3_stricmp(az[0], "live")==0 ){
    bLive = 1;
    sqlite3_free(az[0]);
    for(k=1; k<nPart; k++) az[k-1] = az[k];
    az[--nPart] = 0;
  }
  if( bParen ){
    i = acdcSparkNext(p, iNext);
    if( acdcSparkChar(p, i, ')') ) iNext = i+1;
    else nPart = 0;
  }
  if( nPart>0 && nPart<4 && p->pCtx->rc==SQLITE_OK
   && (bLive || bStream || nPart>1 || acdcNamesFind(&p->local, az[0])<0) ){
    zNew = p->pHost->xRelation(p->pHost->pArg, p->pCtx, nPart, az, bLive,
                               bStream);
    if( zNew ){
      sqlite3_str_appendall(pOut, zNew);
      if( endsRelation(p, acdcSparkNext(p, iNext)) ){
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
static int depthOf(const AcdcSpark *p, int i){
  int n = 0, k;
  for(k=0; k<i; k++){
    if( acdcSparkChar(p, k, '(') ) n++;
    if( acdcSparkChar(p, k, ')') ) n--;
  }
  return n;
}

/* First and last-but-one token of the FROM clause behind i, at its depth. */
static int findFrom(const AcdcSpark *p, int i, int *piEnd){
  static const char *const azEnd[] = {
    "where", "group", "having", "order", "limit", "union", "intersect",
    "except", "minus", "window", "qualify"
  };
  int nDepth = 0;
  int iFrom = 0, k;
  for(; i<p->n; i++){
    if( acdcSparkChar(p, i, '(') ) nDepth++;
    if( acdcSparkChar(p, i, ')') && --nDepth<0 ) break;
    if( nDepth || p->a[i].e!=ACDC_TK_WORD ) continue;
    if( iFrom==0 ){
      if( acdcSparkIs(p, i, "from") ) iFrom = i;
      continue;
    }
    for(k=0; k<(int)(sizeof(azEnd)/sizeof(azEnd[0])); k++){
      if( acdcSparkIs(p, i, azEnd[k]) ) break;
    }
    if( k<(int)(sizeof(azEnd)/sizeof(azEnd[0])) ) break;
  }
  *piEnd = i;
  return iFrom;
}

/* The WITH clauses that token i can see, as text, or NULL. */
static char *withBefore(AcdcSpark *p, int i){
  int nDepth = depthOf(p, i);
  int iWith = -1, nWith = 0, iStop = -1, nNow = 0, bDone = 0;
  sqlite3_str *pStr;
  int k;
  for(k=0; k<i; k++){
    if( acdcSparkChar(p, k, '(') ) nNow++;
    if( acdcSparkChar(p, k, ')') ) nNow--;
    if( acdcSparkIs(p, k, "with") && nNow<=nDepth ){
      iWith = k;
      nWith = nNow;
      bDone = 0;
    }
    if( iWith<0 || nNow!=nWith ) continue;
    /* Clauses end with a parenthesis; behind them comes the SELECT. */
    if( acdcSparkIs(p, k, "select") ) bDone = 1;
    if( acdcSparkChar(p, k, ')') && !bDone ) iStop = k;
  }
  if( iWith<0 || iStop<iWith ) return 0;
  pStr = sqlite3_str_new(0);
  acdcSparkPut(p, pStr, iWith, iStop+1, 0);
  return sqlite3_str_finish(pStr);
}

/*
** If "EXCEPT (" follows the star at token i, write the columns.  Returns the
** token behind it, or 0.
*/
static int putExcept(
  AcdcSpark *p, sqlite3_str *pOut, int i, const char *zQualifier, int nDepth
){
  int iExcept = acdcSparkNext(p, i+1);
  int iOpen = acdcSparkIs(p, iExcept, "except")
              ? acdcSparkNext(p, iExcept+1) : 0;
  int iFrom, iEnd, iName;
  AcdcNames names = {0, 0};
  sqlite3_str *pFrom;
  char *zFrom, *zWith, *zStar, *zNew;
  if( iOpen==0 || !acdcSparkChar(p, iOpen, '(') ) return 0;
  iName = acdcSparkNext(p, iOpen+1);
  if( acdcSparkIs(p, iName, "select") || p->pHost==0 || p->pHost->xColumns==0 ){
    return 0;
  }
  for(; iName<acdcSparkClosing(p, iOpen); iName=acdcSparkNext(p, iName+1)){
    if( p->a[iName].e==ACDC_TK_WORD || p->a[iName].e==ACDC_TK_QUOTED ){
      char *z = nameOf(p, iName);
      if( z ) acdcNamesAdd(p->pCtx, &names, z, -1);
      sqlite3_free(z);
    }
  }
  iFrom = findFrom(p, acdcSparkClosing(p, iOpen)+1, &iEnd);
  if( iFrom==0 ){
    acdcError(p->pCtx, SQLITE_ERROR, "\"* EXCEPT\" without a FROM clause");
    acdcNamesFree(&names);
    return 0;
  }
  pFrom = sqlite3_str_new(0);
  acdcSparkPut(p, pFrom, iFrom, iEnd, -1-nDepth);
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
  return acdcSparkClosing(p, iOpen)+1;
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
static int afterDistinct(const AcdcSpark *p, int i){
  while( --i>0 && p->a[i].e==ACDC_TK_BLANK ){}
  return i>0 && acdcSparkIs(p, i, "distinct");
}

static void levelWord(const AcdcSpark *p, SparkLevel *pL, int i){
  static const char *const azEnd[] = {
    "where", "group", "having", "order", "limit", "window", "qualify"
  };
  int k;
  if( acdcSparkIs(p, i, "select") ){
    pL->bSelect = 1;
    pL->bFrom = 0;
  }else if( acdcSparkIs(p, i, "from") && pL->bSelect
         && !afterDistinct(p, i) ){
    pL->bFrom = pL->bRelation = 1;
  }else if( acdcSparkIs(p, i, "join") && pL->bFrom ){
    pL->bRelation = 1;
  }else{
    for(k=0; k<(int)(sizeof(azEnd)/sizeof(azEnd[0])); k++){
      if( acdcSparkIs(p, i, azEnd[k]) ) pL->bFrom = 0;
    }
  }
}

void acdcSparkPut(
  AcdcSpark *p, sqlite3_str *pOut, int iFrom, int iTo, int nDepth
){
  SparkLevel aLevel[ACDC_SPARK_DEPTH];
  int nLevel = 0;
  int i = iFrom;
  memset(&aLevel[0], 0, sizeof(aLevel[0]));
  if( nDepth<0 ){
    aLevel[0].bSelect = 1;
    nDepth = -1-nDepth;
  }
  if( nDepth>=ACDC_SPARK_DEPTH ){
    acdcError(p->pCtx, SQLITE_ERROR, "the SQL is nested too deep");
  }
  while( i<iTo && p->pCtx->rc==SQLITE_OK ){
    AcdcSparkToken *t = &p->a[i];
    const char *z = &p->z[t->i];
    SparkLevel *pL = &aLevel[nLevel];
    int iNext = 0;
    if( t->e==ACDC_TK_BLANK ){
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
    if( t->e==ACDC_TK_STRING ){
      putString(p, pOut, i);
    }else if( t->e==ACDC_TK_QUOTED ){
      char *zName = nameOf(p, i);
      if( zName ) sqlite3_str_appendf(pOut, "\"%w\"", zName);
      sqlite3_free(zName);
    }else if( t->e==ACDC_TK_WORD ){
      int iAfter = acdcSparkNext(p, i+1);
      if( acdcSparkChar(p, iAfter, '(') ){
        iNext = acdcSparkCall(p, pOut, i, iAfter, nDepth);
      }else if( acdcSparkChar(p, iAfter, '.') && acdcSparkIs(p, i, "_metadata")
             && p->a[acdcSparkNext(p, iAfter+1)].e==ACDC_TK_WORD ){
        int iField = acdcSparkNext(p, iAfter+1);
        sqlite3_str_appendf(pOut, "json_extract(_metadata, '$.%.*s')",
                            p->a[iField].n, &p->z[p->a[iField].i]);
        iNext = iField+1;
      }else if( acdcSparkChar(p, iAfter, '.') && acdcSparkIs(p, i, "live")
             && p->pHost ){
        iNext = iAfter+1;
      }else if( acdcSparkChar(p, iAfter, '.')
             && acdcSparkChar(p, acdcSparkNext(p, iAfter+1), '*') ){
        char *zName = nameOf(p, i);
        iNext = putExcept(p, pOut, acdcSparkNext(p, iAfter+1), zName, nDepth);
        sqlite3_free(zName);
      }else if( p->a[iAfter].e==ACDC_TK_STRING
             && (acdcSparkIs(p, i, "date") || acdcSparkIs(p, i, "timestamp")) ){
        iNext = iAfter;
      }
      if( iNext==0 ){
        levelWord(p, pL, i);
        sqlite3_str_append(pOut, z, t->n);
      }
    }else if( acdcSparkChar(p, i, '(') ){
      sqlite3_str_append(pOut, "(", 1);
      if( nLevel+1>=ACDC_SPARK_DEPTH ){
        acdcError(p->pCtx, SQLITE_ERROR, "the SQL is nested too deep");
      }else{
        memset(&aLevel[++nLevel], 0, sizeof(aLevel[0]));
      }
    }else if( acdcSparkChar(p, i, ')') ){
      sqlite3_str_append(pOut, ")", 1);
      if( nLevel>0 ) nLevel--;
    }else if( acdcSparkChar(p, i, ',') ){
      sqlite3_str_append(pOut, ",", 1);
      pL->bRelation = pL->bFrom;
    }else if( acdcSparkChar(p, i, '*') && p->pHost
           && (iNext = putExcept(p, pOut, i, 0, nDepth))!=0 ){
      /* written */
    }else if( t->e==ACDC_TK_OTHER && t->n==3 ){
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
    AcdcSparkToken t = tokenAt(zExpr, i);
    if( t.e==ACDC_TK_END ) return 0;
    if( t.e==ACDC_TK_WORD && t.n==n
     && sqlite3_strnicmp(&zExpr[t.i], zColumn, n)==0 ) return 1;
    if( t.e==ACDC_TK_QUOTED && t.n==n+2
     && sqlite3_strnicmp(&zExpr[t.i+1], zColumn, n)==0 ) return 1;
    i += t.n;
  }
}

static char *sparkFinish(AcdcSpark *p, sqlite3_str *pOut){
  char *z;
  /* An empty string is finished as NULL, like one without memory. */
  sqlite3_str_append(pOut, " ", 1);
  z = sqlite3_str_finish(pOut);
  if( z ){
    size_t n = strlen(z);
    while( n>0 && z[n-1]==' ' ) z[--n] = 0;
  }
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
  AcdcSpark s;
  sqlite3_str *pOut;
  if( p->rc || z==0 ) return 0;
  sparkOpen(&s, p, z);
  pOut = sqlite3_str_new(0);
  acdcSparkPut(&s, pOut, 0, p->rc ? 0 : s.n, 0);
  return sparkFinish(&s, pOut);
}

/* Note the names that the query's own WITH clauses define. */
static void findLocals(AcdcSpark *p){
  int i;
  for(i=0; i<p->n; i++){
    int iName, iAs;
    if( !acdcSparkIs(p, i, "with") && !acdcSparkIs(p, i, "recursive")
     && !acdcSparkChar(p, i, ',') ) continue;
    iName = acdcSparkNext(p, i+1);
    if( p->a[iName].e!=ACDC_TK_WORD && p->a[iName].e!=ACDC_TK_QUOTED ) continue;
    iAs = acdcSparkNext(p, iName+1);
    if( acdcSparkChar(p, iAs, '(') ){
      iAs = acdcSparkClosing(p, iAs);
      if( iAs<p->n ) iAs = acdcSparkNext(p, iAs+1);
    }
    if( acdcSparkIs(p, iAs, "as") && acdcSparkChar(p, acdcSparkNext(p, iAs+1), '(') ){
      char *z = nameOf(p, iName);
      if( z ) acdcNamesAdd(p->pCtx, &p->local, z, -1);
      sqlite3_free(z);
    }
  }
}

char *acdcSparkQuery(AcdcCtx *p, const char *z, const AcdcSparkHost *pHost){
  AcdcSpark s;
  sqlite3_str *pOut;
  int n;
  if( p->rc || z==0 ) return 0;
  sparkOpen(&s, p, z);
  s.pHost = pHost;
  if( p->rc==SQLITE_OK ) findLocals(&s);
  pOut = sqlite3_str_new(0);
  n = p->rc ? 0 : s.n;
  /* One semicolon at the end is no second statement. */
  while( n>0 && s.a[n-1].e==ACDC_TK_BLANK ) n--;
  if( n>0 && acdcSparkChar(&s, n-1, ';') ) n--;
  acdcSparkPut(&s, pOut, 0, n, 0);
  return sparkFinish(&s, pOut);
}

int acdcSparkExcept(
  AcdcCtx *p,
  const char *z,
  char **pzStar,
  AcdcNames *pExcept
){
  AcdcSpark s;
  int i, iStar = -1, iEnd;
  int bIs = 0;
  *pzStar = 0;
  if( p->rc ) return 0;
  sparkOpen(&s, p, z);
  if( p->rc==SQLITE_OK ){
    i = acdcSparkNext(&s, 0);
    if( acdcSparkChar(&s, i, '*') ){
      iStar = i;
    }else if( (s.a[i].e==ACDC_TK_WORD || s.a[i].e==ACDC_TK_QUOTED)
           && acdcSparkChar(&s, acdcSparkNext(&s, i+1), '.') ){
      iStar = acdcSparkNext(&s, acdcSparkNext(&s, i+1)+1);
      if( !acdcSparkChar(&s, iStar, '*') ) iStar = -1;
    }
    if( iStar>=0 ){
      int iOpen = acdcSparkNext(&s, acdcSparkNext(&s, iStar+1)+1);
      if( acdcSparkIs(&s, acdcSparkNext(&s, iStar+1), "except")
       && acdcSparkChar(&s, iOpen, '(') ){
        bIs = 1;
        iEnd = acdcSparkClosing(&s, iOpen);
        if( iStar==i ){
          *pzStar = acdcStrdup(p, "*");
        }else{
          char *zName = nameOf(&s, i);
          *pzStar = acdcMprintf(p, "\"%w\".*", zName);
          sqlite3_free(zName);
        }
        for(i=iOpen+1; i<iEnd; i++){
          if( s.a[i].e==ACDC_TK_WORD || s.a[i].e==ACDC_TK_QUOTED ){
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
