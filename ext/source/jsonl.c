/*
** The JSON reader; see jsonl.h.
**
** A record is parsed in place: strings are decoded and nested values are
** compacted within their own bytes, which never makes them longer.  A first
** step finds where the record ends, so that the parse has all of it: by the
** next line end, or (multiLine) by counting brackets outside of strings.
*/
#include "jsonl.h"

#define JSONL_MAXDEPTH 1000

/*
** The parse of one record.  zEnd is the end of it; a byte that is not JSON
** (0 or a line end) stands there.
*/
typedef struct JsonParse JsonParse;
struct JsonParse {
  u8 *z;
  const u8 *zEnd;
  const char *zBad;    /* First thing wrong, or NULL */
};

static int jsonIsBlank(u8 c){ return c==' ' || c=='\t' || c=='\n' || c=='\r'; }
static int jsonIsDigit(u8 c){ return c>='0' && c<='9'; }

static void jsonBad(JsonParse *pP, const char *zBad){
  if( pP->zBad==0 ) pP->zBad = zBad;
}

static void jsonBlank(JsonParse *pP){
  while( pP->z<pP->zEnd && jsonIsBlank(*pP->z) ) pP->z++;
}

/* The four hexadecimal digits at z, or -1. */
static int jsonHex4(const u8 *z){
  int i, v = 0;
  for(i=0; i<4; i++){
    u8 c = z[i];
    v <<= 4;
    if( c>='0' && c<='9' ) v += c-'0';
    else if( c>='a' && c<='f' ) v += c-'a'+10;
    else if( c>='A' && c<='F' ) v += c-'A'+10;
    else return -1;
  }
  return v;
}

static u8 *jsonPutUtf8(u8 *z, u32 c){
  if( c<0x80 ){
    *z++ = (u8)c;
  }else if( c<0x800 ){
    *z++ = (u8)(0xc0 | (c>>6));
    *z++ = (u8)(0x80 | (c & 0x3f));
  }else if( c<0x10000 ){
    *z++ = (u8)(0xe0 | (c>>12));
    *z++ = (u8)(0x80 | ((c>>6) & 0x3f));
    *z++ = (u8)(0x80 | (c & 0x3f));
  }else{
    *z++ = (u8)(0xf0 | (c>>18));
    *z++ = (u8)(0x80 | ((c>>12) & 0x3f));
    *z++ = (u8)(0x80 | ((c>>6) & 0x3f));
    *z++ = (u8)(0x80 | (c & 0x3f));
  }
  return z;
}

/*
** A "\u" escape at z (behind the backslash); decoded to *pzOut.  Returns what
** stands behind it.  Half of a surrogate pair is no character: U+FFFD.
*/
static u8 *jsonUnicode(JsonParse *pP, u8 *z, u8 **pzOut){
  int c = pP->zEnd-z>=5 ? jsonHex4(z+1) : -1;
  if( c<=0 ){
    jsonBad(pP, c==0 ? "\\u0000, which TEXT cannot hold" : "a bad \\u escape");
    return z+1;
  }
  z += 5;
  if( c>=0xd800 && c<=0xdfff ){
    int c2 = -1;
    if( c<0xdc00 && pP->zEnd-z>=6 && z[0]=='\\' && z[1]=='u' ){
      c2 = jsonHex4(z+2);
    }
    if( c2>=0xdc00 && c2<=0xdfff ){
      c = 0x10000 + ((c-0xd800)<<10) + (c2-0xdc00);
      z += 6;
    }else{
      c = 0xfffd;
    }
  }
  *pzOut = jsonPutUtf8(*pzOut, (u32)c);
  return z;
}

/*
** The string whose opening quote is at pP->z.  With bDecode its value is
** written over it.  *pzStr and *pn are what is between the quotes.
*/
static void jsonString(JsonParse *pP, int bDecode, const u8 **pzStr, int *pn){
  u8 *z = pP->z+1;
  u8 *zStart = z;
  u8 *zOut;
  u8 mWide = 0;
  i64 iBad;
  while( *z>=0x20 && *z!='"' && *z!='\\' ) mWide |= *z++;
  zOut = z;
  while( z<pP->zEnd && *z!='"' ){
    u8 c = *z;
    if( c<0x20 ){
      jsonBad(pP, c ? "a control character in a string" : "a NUL byte");
      z++;
    }else if( c!='\\' ){
      mWide |= c;
      *zOut++ = c;
      z++;
    }else if( bDecode==0 ){
      *zOut++ = c;
      *zOut++ = z[1];
      if( z[1]==0 || strchr("\"\\/bfnrtu", z[1])==0 ){
        jsonBad(pP, "a bad escape in a string");
      }else if( z[1]=='u' && (pP->zEnd-z<6 || jsonHex4(z+2)<0) ){
        jsonBad(pP, "a bad \\u escape");
      }
      z += 2;
    }else{
      z++;
      switch( *z ){
        case '"': case '\\': case '/': *zOut++ = *z++; break;
        case 'b': *zOut++ = '\b'; z++; break;
        case 'f': *zOut++ = '\f'; z++; break;
        case 'n': *zOut++ = '\n'; z++; break;
        case 'r': *zOut++ = '\r'; z++; break;
        case 't': *zOut++ = '\t'; z++; break;
        case 'u': z = jsonUnicode(pP, z, &zOut); break;
        default:  jsonBad(pP, "a bad escape in a string"); z++; break;
      }
    }
  }
  if( z>=pP->zEnd ){
    jsonBad(pP, "a string that is not closed");
    pP->z = (u8*)pP->zEnd;
    *pzStr = zStart;
    *pn = 0;
    return;
  }
  pP->z = z+1;
  *pzStr = zStart;
  *pn = (int)(zOut-zStart);
  if( mWide>=0x80 && !acdcUtf8Valid(zStart, *pn, &iBad) ){
    jsonBad(pP, "bytes that are not UTF-8");
  }
}

/* A number by the grammar of RFC 8259. */
static void jsonNumber(JsonParse *pP){
  u8 *z = pP->z;
  if( *z=='-' ) z++;
  if( *z=='0' ){
    z++;
  }else if( jsonIsDigit(*z) ){
    while( jsonIsDigit(*z) ) z++;
  }else{
    jsonBad(pP, "a value that is no JSON (text needs quotes)");
    return;
  }
  if( *z=='.' ){
    if( !jsonIsDigit(z[1]) ) jsonBad(pP, "a bad number");
    for(z++; jsonIsDigit(*z); z++){}
  }
  if( *z=='e' || *z=='E' ){
    z++;
    if( *z=='+' || *z=='-' ) z++;
    if( !jsonIsDigit(*z) ) jsonBad(pP, "a bad number");
    while( jsonIsDigit(*z) ) z++;
  }
  if( jsonIsDigit(*z) ) jsonBad(pP, "a number with a leading zero");
  pP->z = z;
}

static int jsonWord(JsonParse *pP, const char *zWord){
  size_t n = strlen(zWord);
  if( (size_t)(pP->zEnd-pP->z)<n || memcmp(pP->z, zWord, n)!=0 ) return 0;
  pP->z += n;
  return 1;
}

/* The scalar at pP->z that is no string. */
static u8 jsonScalar(JsonParse *pP){
  switch( *pP->z ){
    case 't': if( jsonWord(pP, "true") ) return ACDC_JSONL_TRUE; break;
    case 'f': if( jsonWord(pP, "false") ) return ACDC_JSONL_FALSE; break;
    case 'n': if( jsonWord(pP, "null") ) return ACDC_JSONL_NULL; break;
    default: jsonNumber(pP); return ACDC_JSONL_NUMBER;
  }
  jsonBad(pP, "a value that is no JSON (text needs quotes)");
  return ACDC_JSONL_NULL;
}

/*
** Pass over the array or object at pP->z, checking all of it.  What is open is
** kept as a string of brackets, so that depth costs no stack.
*/
static void jsonNested(JsonParse *pP){
  char aOpen[JSONL_MAXDEPTH];
  int nOpen = 0;
  int bValue = 1;      /* A value is due (else a comma or a bracket) */
  int bFirst = 0;      /* Just behind an opening bracket */
  do{
    u8 c;
    jsonBlank(pP);
    if( pP->z>=pP->zEnd ) break;
    c = *pP->z;
    if( (c==']' || c=='}') && nOpen>0 && (!bValue || bFirst) ){
      if( aOpen[nOpen-1]!=(c==']' ? '[' : '{') ) break;
      nOpen--;
      pP->z++;
      bValue = bFirst = 0;
      continue;
    }
    if( bValue==0 ){
      if( c!=',' || nOpen==0 ) break;
      pP->z++;
      bValue = 1;
      bFirst = 0;
      continue;
    }
    if( nOpen>0 && aOpen[nOpen-1]=='{' ){
      const u8 *zDummy;
      int nDummy;
      if( c!='"' ) break;
      jsonString(pP, 0, &zDummy, &nDummy);
      jsonBlank(pP);
      if( pP->z>=pP->zEnd || *pP->z!=':' ) break;
      pP->z++;
      jsonBlank(pP);
      if( pP->z>=pP->zEnd ) break;
      c = *pP->z;
    }
    bFirst = 0;
    if( c=='[' || c=='{' ){
      if( nOpen>=JSONL_MAXDEPTH ){
        jsonBad(pP, "more than 1000 brackets within each other");
        return;
      }
      aOpen[nOpen++] = (char)c;
      pP->z++;
      bFirst = 1;
    }else{
      const u8 *zDummy;
      int nDummy;
      if( c=='"' ) jsonString(pP, 0, &zDummy, &nDummy);
      else jsonScalar(pP);
      bValue = 0;
    }
  }while( nOpen>0 && pP->zBad==0 );
  if( nOpen>0 ) jsonBad(pP, "an array or object with broken syntax");
}

int acdcJsonlCompact(u8 *z, int n){
  int i, j = 0;
  for(i=0; i<n; i++){
    if( jsonIsBlank(z[i]) ) continue;
    if( z[i]=='"' ){
      z[j++] = z[i++];
      while( i<n && z[i]!='"' ){
        if( z[i]=='\\' && i+1<n ) z[j++] = z[i++];
        z[j++] = z[i++];
      }
      if( i>=n ) break;
    }
    z[j++] = z[i];
  }
  return j;
}

static AcdcJsonlField *jsonField(AcdcCtx *p, AcdcJsonl *pJ){
  if( pJ->nField>=pJ->nAlloc ){
    int nNew = pJ->nAlloc ? pJ->nAlloc*2 : 32;
    AcdcJsonlField *aNew;
    aNew = acdcRealloc(p, pJ->aField, (i64)nNew*(i64)sizeof(AcdcJsonlField));
    if( aNew==0 ) return 0;
    pJ->aField = aNew;
    pJ->nAlloc = nNew;
  }
  return &pJ->aField[pJ->nField++];
}

/* The value of a member, at pP->z. */
static void jsonMember(JsonParse *pP, AcdcJsonlField *pF){
  u8 *zStart = pP->z;
  if( *zStart=='"' ){
    pF->eType = ACDC_JSONL_STRING;
    jsonString(pP, 1, &pF->z, &pF->n);
  }else if( *zStart=='{' || *zStart=='[' ){
    pF->eType = ACDC_JSONL_NESTED;
    jsonNested(pP);
    pF->z = zStart;
    pF->n = acdcJsonlCompact(zStart, (int)(pP->z-zStart));
  }else{
    pF->eType = jsonScalar(pP);
    pF->z = zStart;
    pF->n = (int)(pP->z-zStart);
  }
}

/* The object at pP->z: its members become the fields of pJ. */
static void jsonObject(AcdcCtx *p, AcdcJsonl *pJ, JsonParse *pP){
  jsonBlank(pP);
  if( pP->z>=pP->zEnd || *pP->z!='{' ){
    jsonBad(pP, "something else than a JSON object");
    return;
  }
  pP->z++;
  jsonBlank(pP);
  if( pP->z<pP->zEnd && *pP->z=='}' ){
    pP->z++;
    return;
  }
  while( p->rc==0 && pP->zBad==0 ){
    AcdcJsonlField *pF;
    u8 c;
    jsonBlank(pP);
    if( pP->z>=pP->zEnd || *pP->z!='"' ){
      jsonBad(pP, "a member without a quoted name");
      return;
    }
    pF = jsonField(p, pJ);
    if( pF==0 ) return;
    jsonString(pP, 1, &pF->zName, &pF->nName);
    jsonBlank(pP);
    if( pP->z>=pP->zEnd || *pP->z!=':' ){
      jsonBad(pP, "a member without a colon");
      return;
    }
    pP->z++;
    jsonBlank(pP);
    if( pP->z>=pP->zEnd ){
      jsonBad(pP, "an object that is not closed");
      return;
    }
    jsonMember(pP, pF);
    jsonBlank(pP);
    if( pP->z>=pP->zEnd ){
      jsonBad(pP, "an object that is not closed");
      return;
    }
    c = *pP->z++;
    if( c=='}' ) return;
    if( c!=',' ){
      jsonBad(pP, "an object with broken syntax");
      return;
    }
  }
}

static void jsonKeepRaw(AcdcCtx *p, AcdcJsonl *pJ, const u8 *a, i64 n){
  if( n>pJ->nRawAlloc ){
    u8 *aNew = acdcRealloc(p, pJ->aRaw, n*2);
    if( aNew==0 ) return;
    pJ->aRaw = aNew;
    pJ->nRawAlloc = n*2;
  }
  memcpy(pJ->aRaw, a, (size_t)n);
  pJ->nRaw = n;
}

/* Parse the n bytes at z, which are one record. */
static void jsonRecord(AcdcCtx *p, AcdcJsonl *pJ, u8 *z, i64 n){
  JsonParse parse;
  pJ->nField = 0;
  pJ->zBad = 0;
  if( pJ->bKeepRaw ) jsonKeepRaw(p, pJ, z, n);
  parse.z = z;
  parse.zEnd = z+n;
  parse.zBad = 0;
  jsonObject(p, pJ, &parse);
  if( parse.zBad==0 ){
    jsonBlank(&parse);
    if( parse.z<parse.zEnd ) jsonBad(&parse, "text behind the object");
  }
  if( parse.zBad ){
    pJ->zBad = parse.zBad;
    pJ->nField = 0;
  }
}

void acdcJsonlBegin(AcdcCtx *p, AcdcJsonl *pJ, AcdcStream *pIn, int eMode){
  pJ->pIn = pIn;
  pJ->bMulti = eMode==ACDC_JSONL_MULTI;
  pJ->bArray = pJ->bComma = pJ->bDone = 0;
  pJ->iLine = 0;
  pJ->iNextLine = 1;
  pJ->nField = 0;
  pJ->zBad = 0;
  while( eMode==ACDC_JSONL_AUTO ){
    i64 i = pIn->iStart;
    while( i<pIn->iEnd && jsonIsBlank(pIn->a[i]) ) i++;
    if( i<pIn->iEnd || acdcStreamFill(p, pIn)==0 ){
      pJ->bMulti = i<pIn->iEnd && pIn->a[i]=='[';
      break;
    }
  }
}

void acdcJsonlFree(AcdcJsonl *pJ){
  sqlite3_free(pJ->aField);
  sqlite3_free(pJ->aRaw);
  pJ->aField = 0;
  pJ->aRaw = 0;
  pJ->nAlloc = 0;
  pJ->nRawAlloc = 0;
  pJ->nField = 0;
}

/* The next line that is not blank. */
static int jsonNextLine(AcdcCtx *p, AcdcJsonl *pJ){
  AcdcStream *pIn = pJ->pIn;
  i64 nSeen = 0;       /* Bytes of the line known to have no line end */
  while( p->rc==0 ){
    u8 *z = &pIn->a[pIn->iStart];
    i64 n = pIn->iEnd - pIn->iStart;
    u8 *zNl = n>nSeen ? memchr(z+nSeen, '\n', (size_t)(n-nSeen)) : 0;
    i64 nLine, i;
    if( zNl==0 && pIn->bEof==0 ){
      nSeen = n;
      acdcStreamFill(p, pIn);
      continue;
    }
    if( n==0 ) return 0;
    nLine = zNl ? (i64)(zNl-z) : n;
    pIn->iStart += nLine + (zNl!=0);
    pJ->iLine = pJ->iNextLine++;
    nSeen = 0;
    while( nLine>0 && jsonIsBlank(z[nLine-1]) ) nLine--;
    for(i=0; i<nLine && jsonIsBlank(z[i]); i++){}
    if( i>=nLine ) continue;
    jsonRecord(p, pJ, z, nLine);
    return p->rc==0;
  }
  return 0;
}

/* Skip blanks, counting lines.  The byte behind them, or 0 at the end. */
static u8 jsonPeek(AcdcCtx *p, AcdcJsonl *pJ){
  AcdcStream *pIn = pJ->pIn;
  for(;;){
    while( pIn->iStart<pIn->iEnd ){
      u8 c = pIn->a[pIn->iStart];
      if( !jsonIsBlank(c) ) return c ? c : 1;
      pJ->iNextLine += c=='\n';
      pIn->iStart++;
    }
    if( acdcStreamFill(p, pIn)==0 ) return 0;
  }
}

/*
** The length of the value that begins at iStart with a bracket, by counting
** brackets; 0 with an error if it is not closed.  *pnLine: line ends in it.
*/
static i64 jsonExtent(AcdcCtx *p, AcdcJsonl *pJ, i64 *pnLine){
  AcdcStream *pIn = pJ->pIn;
  i64 i = 0;
  i64 nOpen = 0;
  int bString = 0;
  *pnLine = 0;
  for(;;){
    const u8 *z = &pIn->a[pIn->iStart];
    i64 n = pIn->iEnd - pIn->iStart;
    for(; i<n; i++){
      u8 c = z[i];
      if( c=='\n' ) ++*pnLine;
      if( bString ){
        if( c=='"' ){
          bString = 0;
        }else if( c=='\\' ){
          if( i+1>=n ) break;
          i++;
        }
      }else if( c=='"' ){
        bString = 1;
      }else if( c=='{' || c=='[' ){
        nOpen++;
      }else if( c=='}' || c==']' ){
        if( --nOpen==0 ) return i+1;
      }
    }
    if( acdcStreamFill(p, pIn)==0 ){
      acdcError(p, SQLITE_ERROR, "%s:%lld: the file ends inside of the record"
          " that begins here", pIn->zPath, pJ->iNextLine);
      return 0;
    }
  }
}

/* The next element of the array, or the next of several objects in a row. */
static int jsonNextValue(AcdcCtx *p, AcdcJsonl *pJ){
  AcdcStream *pIn = pJ->pIn;
  for(;;){
    u8 c = jsonPeek(p, pJ);
    i64 nLine;
    i64 n;
    if( p->rc ) return 0;
    if( c==0 ){
      if( pJ->bArray && !pJ->bDone ){
        acdcError(p, SQLITE_ERROR, "%s:%lld: the file ends before the array is"
            " closed", pIn->zPath, pJ->iNextLine);
      }
      return 0;
    }
    if( pJ->bDone ){
      acdcError(p, SQLITE_ERROR, "%s:%lld: text behind the array",
          pIn->zPath, pJ->iNextLine);
      return 0;
    }
    if( c=='[' && !pJ->bArray && pJ->iLine==0 ){
      pJ->bArray = 1;
      pIn->iStart++;
    }else if( c==']' && pJ->bArray ){
      pJ->bDone = 1;
      pIn->iStart++;
    }else if( c==',' && pJ->bArray && pJ->bComma ){
      pJ->bComma = 0;
      pIn->iStart++;
    }else if( (c=='{' || c=='[') && !(pJ->bArray && pJ->bComma) ){
      n = jsonExtent(p, pJ, &nLine);
      if( p->rc ) return 0;
      pJ->iLine = pJ->iNextLine;
      pJ->iNextLine += nLine;
      pJ->bComma = 1;
      pIn->iStart += n;
      jsonRecord(p, pJ, &pIn->a[pIn->iStart-n], n);
      return p->rc==0;
    }else{
      acdcError(p, SQLITE_ERROR, "%s:%lld: %s stands where %s is expected",
          pIn->zPath, pJ->iNextLine,
          c==',' ? "a comma" : c=='{' ? "an object" : "other text",
          pJ->bArray && pJ->bComma ? "a comma or \"]\"" : "an object");
      return 0;
    }
  }
}

int acdcJsonlNext(AcdcCtx *p, AcdcJsonl *pJ){
  pJ->nField = 0;
  return pJ->bMulti ? jsonNextValue(p, pJ) : jsonNextLine(p, pJ);
}
