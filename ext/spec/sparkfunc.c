/*
** Functions and casts of Spark, as SQLite has them.
*/
#include "sparkint.h"

/*
** Split the arguments between the parentheses at iOpen and its partner; aArg
** gets the first token of each and one past the last.  Their number, at most
** nMax (more are cut off: -1).
*/
static int splitArgs(const AcdcSpark *p, int iOpen, int *aArg, int nMax){
  int iEnd = acdcSparkClosing(p, iOpen);
  int nArg = 0;
  int nDepth = 0;
  int i;
  if( acdcSparkNext(p, iOpen+1)>=iEnd ) return 0;
  aArg[nArg++] = iOpen+1;
  for(i=iOpen+1; i<iEnd; i++){
    if( acdcSparkChar(p, i, '(') ) nDepth++;
    if( acdcSparkChar(p, i, ')') ) nDepth--;
    if( nDepth==0 && acdcSparkChar(p, i, ',') ){
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
  AcdcSpark *p, sqlite3_str *pOut, const int *aArg, int iArg, int nDepth
){
  acdcSparkPut(p, pOut, aArg[iArg], aArg[iArg+1]-1, nDepth+1);
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
static const char *castType(const AcdcSpark *p, int i){
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
    if( acdcSparkIs(p, i, a[k].z) ) return a[k].zLite;
  }
  return 0;
}

/* CAST(x AS type): 1 if it was written. */
static int putCast(AcdcSpark *p, sqlite3_str *pOut, int iOpen, int nDepth){
  int iEnd = acdcSparkClosing(p, iOpen);
  int nParen = 0;
  int iAs = -1;
  int iType, i;
  const char *zType;
  for(i=iOpen+1; i<iEnd; i++){
    if( acdcSparkChar(p, i, '(') ) nParen++;
    if( acdcSparkChar(p, i, ')') ) nParen--;
    if( nParen==0 && acdcSparkIs(p, i, "as") ) iAs = i;
  }
  if( iAs<0 ) return 0;
  iType = acdcSparkNext(p, iAs+1);
  zType = castType(p, iType);
  if( zType ){
    sqlite3_str_appendall(pOut, "CAST(");
    acdcSparkPut(p, pOut, iOpen+1, iAs, nDepth+1);
    sqlite3_str_appendf(pOut, "AS %s)", zType);
  }else if( acdcSparkIs(p, iType, "date") ){
    sqlite3_str_appendall(pOut, "date(");
    acdcSparkPut(p, pOut, iOpen+1, iAs, nDepth+1);
    sqlite3_str_appendall(pOut, ")");
  }else if( acdcSparkIs(p, iType, "boolean") ){
    /* A text that is no truth value is NULL; a number is its own truth. */
    sqlite3_str_appendall(pOut, "(CASE WHEN lower(");
    acdcSparkPut(p, pOut, iOpen+1, iAs, nDepth+1);
    sqlite3_str_appendall(pOut, ") IN ('true','t','yes','y','1') THEN 1 "
                          "WHEN lower(");
    acdcSparkPut(p, pOut, iOpen+1, iAs, nDepth+1);
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
  AcdcSpark *p,
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
    }else if( (zFmt[i]>='a' && zFmt[i]<='z')
           || (zFmt[i]>='A' && zFmt[i]<='Z') ){
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
    acdcSparkPut(p, pOut, iArg, iArgEnd, nDepth+1);
    sqlite3_str_appendf(pOut, ", %d, %d)", aAt[k], aPart[k].n);
  }
  if( bTime && nFraction ){
    sqlite3_str_appendall(pOut, " || '.' || substr(");
    acdcSparkPut(p, pOut, iArg, iArgEnd, nDepth+1);
    sqlite3_str_appendf(pOut, ", %d, %d)", iFraction, nFraction);
  }
  sqlite3_str_appendall(pOut, ")");
  return 1;
}

/* to_date and to_timestamp: 1 if written. */
static int putToDate(
  AcdcSpark *p, sqlite3_str *pOut, const int *aArg, int nArg, int nDepth,
  int bTime
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
  iFmt = acdcSparkNext(p, aArg[1]);
  if( p->a[iFmt].e!=ACDC_TK_STRING ) return 0;
  if( p->a[iFmt].n<2 || p->a[iFmt].n-2>=(int)sizeof(zFmt) ) return 0;
  memcpy(zFmt, &p->z[p->a[iFmt].i+1], (size_t)p->a[iFmt].n-2);
  zFmt[p->a[iFmt].n-2] = 0;
  return putDatePattern(p, pOut, zFmt, aArg[0], aArg[1]-1, nDepth, bTime);
}

/* The arguments, each in parentheses, with zBetween between them. */
static void putJoined(
  AcdcSpark *p, sqlite3_str *pOut, const int *aArg, int nArg, int nDepth,
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

/* concat_ws(sep, a, b): what is NULL is left out. */
static void putConcatWs(
  AcdcSpark *p, sqlite3_str *pOut, const int *aArg, int nArg, int nDepth
){
  int i;
  sqlite3_str_appendall(pOut, "substr(");
  for(i=1; i<nArg; i++){
    sqlite3_str_appendall(pOut, i>1 ? " || iif((" : "iif((");
    putArg(p, pOut, aArg, i, nDepth);
    sqlite3_str_appendall(pOut, ") IS NULL, '', (");
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendall(pOut, ") || (");
    putArg(p, pOut, aArg, i, nDepth);
    sqlite3_str_appendall(pOut, "))");
  }
  sqlite3_str_appendall(pOut, ", 1 + length(");
  putArg(p, pOut, aArg, 0, nDepth);
  sqlite3_str_appendall(pOut, "))");
}

/* date_format(x, 'yyyy-MM'): strftime(), for patterns of numbers.  1 if so. */
static int putDateFormat(
  AcdcSpark *p, sqlite3_str *pOut, const int *aArg, int nDepth
){
  static const struct { const char *z; const char *zLite; } a[] = {
    { "yyyy", "%Y" }, { "MM", "%m" }, { "dd", "%d" }, { "HH", "%H" },
    { "mm", "%M" }, { "ss", "%S" }, { "DDD", "%j" },
  };
  int iFmt = acdcSparkNext(p, aArg[1]);
  const char *z = &p->z[p->a[iFmt].i+1];
  char zOut[80];
  int i, k, n = 0;
  if( p->a[iFmt].e!=ACDC_TK_STRING || p->a[iFmt].n<2 || p->a[iFmt].n>30 ) return 0;
  for(i=0; i<p->a[iFmt].n-2; ){
    for(k=0; k<7 && strncmp(&z[i], a[k].z, strlen(a[k].z)); k++){}
    if( k<7 ){
      zOut[n++] = a[k].zLite[0];
      zOut[n++] = a[k].zLite[1];
      i += (int)strlen(a[k].z);
    }else if( strchr("-/.: _", z[i]) ){
      zOut[n++] = z[i++];
    }else{
      return 0;
    }
  }
  zOut[n] = 0;
  sqlite3_str_appendf(pOut, "strftime('%s', ", zOut);
  putArg(p, pOut, aArg, 0, nDepth);
  sqlite3_str_appendall(pOut, ")");
  return 1;
}

/* Arithmetic with days: 1 if the function is one of those. */
static int putDays(
  AcdcSpark *p, sqlite3_str *pOut, int iWord, const int *aArg, int nDepth
){
  if( acdcSparkIs(p, iWord, "datediff") ){
    sqlite3_str_appendall(pOut, "CAST(julianday(date(");
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendall(pOut, ")) - julianday(date(");
    putArg(p, pOut, aArg, 1, nDepth);
    sqlite3_str_appendall(pOut, ")) AS INTEGER)");
  }else if( acdcSparkIs(p, iWord, "date_add")
         || acdcSparkIs(p, iWord, "date_sub") ){
    sqlite3_str_appendall(pOut, "date(");
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendf(pOut, ", (%s(",
                        acdcSparkIs(p, iWord, "date_sub") ? "-" : "");
    putArg(p, pOut, aArg, 1, nDepth);
    sqlite3_str_appendall(pOut, ")) || ' days')");
  }else{
    return 0;
  }
  return 1;
}

int acdcSparkCall(
  AcdcSpark *p, sqlite3_str *pOut, int iWord, int iOpen, int nDepth
){
  static const struct { const char *zSpark; const char *zFmt; } aPart[] = {
    { "year", "%Y" }, { "month", "%m" }, { "day", "%d" },
    { "dayofmonth", "%d" }, { "hour", "%H" }, { "minute", "%M" },
    { "second", "%S" },
  };
  int aArg[MAX_ARG+1];
  int nArg = splitArgs(p, iOpen, aArg, MAX_ARG);
  int iNext = acdcSparkClosing(p, iOpen)+1;
  int k;
  if( iNext>p->n ) return 0;
  if( acdcSparkIs(p, iWord, "cast") || acdcSparkIs(p, iWord, "try_cast") ){
    return putCast(p, pOut, iOpen, nDepth) ? iNext : 0;
  }
  if( nArg==0 ){
    if( acdcSparkIs(p, iWord, "current_timestamp")
     || acdcSparkIs(p, iWord, "now") ){
      sqlite3_str_appendall(pOut, "CURRENT_TIMESTAMP");
      return iNext;
    }
    if( acdcSparkIs(p, iWord, "current_date") ){
      sqlite3_str_appendall(pOut, "CURRENT_DATE");
      return iNext;
    }
  }
  if( nArg<1 ) return 0;
  if( acdcSparkIs(p, iWord, "concat") ){
    putJoined(p, pOut, aArg, nArg, nDepth, " || ");
    return iNext;
  }
  if( nArg==1 && (acdcSparkIs(p, iWord, "isnull")
               || acdcSparkIs(p, iWord, "isnotnull")) ){
    putJoined(p, pOut, aArg, 1, nDepth, "");
    sqlite3_str_appendall(pOut, acdcSparkIs(p, iWord, "isnull") ? " IS NULL"
                                                           : " IS NOT NULL");
    return iNext;
  }
  if( nArg>1 && acdcSparkIs(p, iWord, "concat_ws") ){
    putConcatWs(p, pOut, aArg, nArg, nDepth);
    return iNext;
  }
  if( nArg==2 && acdcSparkIs(p, iWord, "date_format") ){
    return putDateFormat(p, pOut, aArg, nDepth) ? iNext : 0;
  }
  if( nArg==2 && putDays(p, pOut, iWord, aArg, nDepth) ) return iNext;
  if( nArg==3 && acdcSparkIs(p, iWord, "nvl2") ){
    sqlite3_str_appendall(pOut, "iif((");
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendall(pOut, ") IS NOT NULL,");
    putArg(p, pOut, aArg, 1, nDepth);
    sqlite3_str_appendall(pOut, ",");
    putArg(p, pOut, aArg, 2, nDepth);
    sqlite3_str_appendall(pOut, ")");
    return iNext;
  }
  if( acdcSparkIs(p, iWord, "to_timestamp")
   || acdcSparkIs(p, iWord, "to_date") ){
    return putToDate(p, pOut, aArg, nArg, nDepth,
                     acdcSparkIs(p, iWord, "to_timestamp")) ? iNext : 0;
  }
  for(k=0; k<(int)(sizeof(aPart)/sizeof(aPart[0])) && nArg==1; k++){
    if( !acdcSparkIs(p, iWord, aPart[k].zSpark) ) continue;
    sqlite3_str_appendf(pOut, "CAST(strftime('%s', ", aPart[k].zFmt);
    putArg(p, pOut, aArg, 0, nDepth);
    sqlite3_str_appendall(pOut, ") AS INTEGER)");
    return iNext;
  }
  for(k=0; k<(int)(sizeof(aRename)/sizeof(aRename[0])); k++){
    if( !acdcSparkIs(p, iWord, aRename[k].zSpark) ) continue;
    sqlite3_str_appendf(pOut, "%s(", aRename[k].zLite);
    acdcSparkPut(p, pOut, iOpen+1, iNext-1, nDepth+1);
    sqlite3_str_appendall(pOut, ")");
    return iNext;
  }
  return 0;
}
