/*
** The CSV reader; see csv.h.
**
** A record is scanned in place, in one pass, within the bytes that the stream
** holds.  Where they end before the record does, more are read and the record
** is scanned again from its start: that happens once for each chunk, so it
** costs nothing, and no state needs to survive between two scans.
**
** The scan writes only where a quoted field has escapes (its value is moved
** left within the field), and only when the whole record is there.
*/
#include "csv.h"

/* Classes of bytes, for the loops that look for the end of a field */
#define CSV_PLAIN  0
#define CSV_WIDE   1         /* >= 0x80 */
#define CSV_STOP   2         /* first byte of the separator, CR, LF, NUL */

void acdcCsvFormatInit(AcdcCsvFormat *pF){
  memset(pF, 0, sizeof(*pF));
  pF->aSep[0] = ',';
  pF->nSep = 1;
  pF->cQuote = '"';
  pF->cEscape = -1;
  pF->cComment = -1;
}

void acdcCsvBegin(AcdcCsv *pCsv, AcdcStream *pIn, const AcdcCsvFormat *pF){
  int i;
  pCsv->format = *pF;
  pCsv->pIn = pIn;
  pCsv->iLine = 0;
  pCsv->iNextLine = 1;
  pCsv->nField = 0;
  pCsv->zBad = 0;
  pCsv->bLost = 0;
  for(i=0; i<256; i++) pCsv->aClass[i] = i<0x80 ? CSV_PLAIN : CSV_WIDE;
  pCsv->aClass[pF->aSep[0]] = CSV_STOP;
  pCsv->aClass['\r'] = CSV_STOP;
  pCsv->aClass['\n'] = CSV_STOP;
  pCsv->aClass[0] = CSV_STOP;
}

void acdcCsvFree(AcdcCsv *pCsv){
  sqlite3_free(pCsv->aField);
  sqlite3_free(pCsv->aRaw);
  pCsv->aField = 0;
  pCsv->aRaw = 0;
  pCsv->nAlloc = 0;
  pCsv->nRawAlloc = 0;
  pCsv->nField = 0;
}

static AcdcCsvField *csvField(AcdcCtx *p, AcdcCsv *pCsv){
  if( pCsv->nField>=pCsv->nAlloc ){
    int nNew = pCsv->nAlloc ? pCsv->nAlloc*2 : 32;
    AcdcCsvField *aNew;
    aNew = acdcRealloc(p, pCsv->aField, (i64)nNew*(i64)sizeof(AcdcCsvField));
    if( aNew==0 ) return 0;
    pCsv->aField = aNew;
    pCsv->nAlloc = nNew;
  }
  return &pCsv->aField[pCsv->nField++];
}

static void csvLost(AcdcCsv *pCsv, const char *zBad){
  pCsv->zBad = zBad;
  pCsv->bLost = 1;
}

/*
** A scan under way.  z is the next byte, zEnd the end of what is there.
*/
typedef struct CsvScan CsvScan;
struct CsvScan {
  u8 *z;
  u8 *zEnd;
  u8 bEof;             /* Nothing follows zEnd */
  u8 bMore;            /* Result: the record goes on behind zEnd */
  u8 bOpen;            /* With bMore: inside of quotes */
  i64 nLine;           /* Line ends passed inside of quotes */
};

/* True if the separator stands at z.  Sets bMore if that cannot be said yet. */
static int csvIsSep(const AcdcCsvFormat *pF, CsvScan *pS, const u8 *z){
  int n = pF->nSep;
  if( z>=pS->zEnd || *z!=pF->aSep[0] ) return 0;
  if( n==1 ) return 1;
  if( pS->zEnd-z<n ){
    if( !pS->bEof && memcmp(z, pF->aSep, (size_t)(pS->zEnd-z))==0 ){
      pS->bMore = 1;
    }
    return 0;
  }
  return memcmp(z, pF->aSep, (size_t)n)==0;
}

/*
** Skip to the end of an unquoted piece of text: separator, line end or end of
** the file.  Returns where it ends; *pbWide is set if it is not ASCII only.
*/
static u8 *csvPlain(AcdcCsv *pCsv, CsvScan *pS, u8 *z, u8 *pbWide){
  const u8 *aClass = pCsv->aClass;
  for(;;){
    while( aClass[*z]==CSV_PLAIN ) z++;
    if( aClass[*z]==CSV_WIDE ){
      *pbWide = 1;
    }else if( z>=pS->zEnd ){
      if( !pS->bEof ) pS->bMore = 1;
      return pS->zEnd;
    }else if( *z=='\r' || *z=='\n' ){
      return z;
    }else if( *z==0 ){
      csvLost(pCsv, "a NUL byte");
    }else{
      int bSep = csvIsSep(&pCsv->format, pS, z);
      if( bSep || pS->bMore ) return z;
      if( *z>=0x80 ) *pbWide = 1;
    }
    z++;
  }
}

/*
** The inside of a quoted field, z behind the opening quote.  Returns the
** closing quote, or NULL with bMore set.  *pnEscape counts the bytes that its
** value has less than its text.
*/
static u8 *csvQuoted(
  AcdcCsv *pCsv,
  CsvScan *pS,
  u8 *z,
  int *pnEscape,
  u8 *pbWide
){
  const int cQuote = pCsv->format.cQuote;
  const int cEscape = pCsv->format.cEscape;
  u8 mWide = 0;
  for(; z<pS->zEnd; z++){
    u8 c = *z;
    mWide |= c;
    if( c==cEscape && cEscape!=cQuote ){
      if( z+1>=pS->zEnd ) break;
      if( z[1]==cQuote || z[1]==cEscape ){
        (*pnEscape)++;
        z++;
      }
    }else if( c==cQuote ){
      if( z+1>=pS->zEnd && !pS->bEof ) break;
      if( z+1>=pS->zEnd || z[1]!=cQuote ){
        *pbWide = mWide>=0x80;
        return z;
      }
      (*pnEscape)++;
      z++;
    }else if( c=='\n' ){
      if( pCsv->format.bOneLine ){
        csvLost(pCsv, "a line end inside of quotes, which the option"
            " multiLine \"false\" excludes");
        *pbWide = mWide>=0x80;
        return z;
      }
      pS->nLine++;
    }else if( c==0 ){
      csvLost(pCsv, "a NUL byte");
    }
  }
  pS->bMore = 1;
  pS->bOpen = 1;
  return 0;
}

/* Take the escapes out of z[0..n), in place.  Returns the new length. */
static int csvUnescape(const AcdcCsvFormat *pF, u8 *z, int n){
  int i, j = 0;
  for(i=0; i<n; i++){
    if( i+1<n && z[i+1]==pF->cQuote
     && (z[i]==pF->cQuote || z[i]==pF->cEscape)
    ){
      i++;
    }else if( i+1<n && pF->cEscape>=0 && z[i]==pF->cEscape
           && z[i+1]==pF->cEscape ){
      i++;
    }
    z[j++] = z[i];
  }
  return j;
}

static int csvIsBlank(u8 c){ return c==' ' || c=='\t'; }

/*
** Scan one quoted field; pS->z stands at its opening quote.  Text between the
** closing quote and the separator belongs to no field: it is kept, and the
** record is bad.
*/
static void csvQuotedField(AcdcCsv *pCsv, CsvScan *pS, AcdcCsvField *pF){
  u8 *zStart = pS->z+1;
  u8 *zClose;
  u8 *zNext;
  u8 bWide = 0;
  int nEscape = 0;
  zClose = csvQuoted(pCsv, pS, zStart, &nEscape, &bWide);
  pF->bQuoted = 1;
  pF->z = zStart;
  if( zClose==0 ) return;
  zNext = zClose + (*zClose==pCsv->format.cQuote);
  pS->z = csvPlain(pCsv, pS, zNext, &bWide);
  if( pS->bMore ) return;
  pF->n = (int)(zClose-zStart);
  pF->bWide = bWide;
  if( pS->z>zNext ){
    u8 *zTail = pS->z;
    while( pCsv->format.bTrimRight && zTail>zNext && csvIsBlank(zTail[-1]) ){
      zTail--;
    }
    if( zTail>zNext ){
      pCsv->zBad = "text between a closing quote and the separator";
      pF->n = (int)(zTail-zStart);
      return;
    }
  }
  if( nEscape ) pF->n = -pF->n-1;  /* unescaped when the record is whole */
}

static void csvPlainField(AcdcCsv *pCsv, CsvScan *pS, AcdcCsvField *pF){
  u8 *zStart = pS->z;
  u8 *zEnd;
  pF->bQuoted = 0;
  pF->bWide = 0;
  zEnd = csvPlain(pCsv, pS, zStart, &pF->bWide);
  pS->z = zEnd;
  while( pCsv->format.bTrimRight && zEnd>zStart && csvIsBlank(zEnd[-1]) ){
    zEnd--;
  }
  pF->z = zStart;
  pF->n = (int)(zEnd-zStart);
}

/*
** Scan the fields of the record at pS->z.  Leaves pS->z at its line end (or
** the end of the file).
*/
static void csvScanRecord(AcdcCtx *p, AcdcCsv *pCsv, CsvScan *pS){
  const AcdcCsvFormat *pFmt = &pCsv->format;
  pCsv->nField = 0;
  pCsv->zBad = 0;
  pCsv->bLost = 0;
  for(;;){
    AcdcCsvField *pF = csvField(p, pCsv);
    if( pF==0 ) return;
    if( pFmt->bTrimLeft ){
      while( pS->z<pS->zEnd && csvIsBlank(*pS->z)
          && *pS->z!=pFmt->aSep[0] ) pS->z++;
    }
    if( pS->z<pS->zEnd && *pS->z==pFmt->cQuote ){
      csvQuotedField(pCsv, pS, pF);
    }else{
      csvPlainField(pCsv, pS, pF);
    }
    if( pS->bMore || !csvIsSep(pFmt, pS, pS->z) ) return;
    pS->z += pFmt->nSep;
  }
}

/* The fields are final: resolve escapes, look at what is not ASCII. */
static void csvFinish(AcdcCsv *pCsv){
  int i;
  for(i=0; i<pCsv->nField; i++){
    AcdcCsvField *pF = &pCsv->aField[i];
    i64 iBad;
    if( pF->n<0 ) pF->n = csvUnescape(&pCsv->format, pF->z, -pF->n-1);
    if( pF->bWide && !acdcUtf8Valid(pF->z, pF->n, &iBad) ){
      csvLost(pCsv, "bytes that are not UTF-8 (convert the file, for instance"
          " with iconv -f LATIN1 -t UTF-8)");
    }
  }
}

static void csvKeepRaw(AcdcCtx *p, AcdcCsv *pCsv, const u8 *a, i64 n){
  if( n>pCsv->nRawAlloc ){
    u8 *aNew = acdcRealloc(p, pCsv->aRaw, n*2);
    if( aNew==0 ) return;
    pCsv->aRaw = aNew;
    pCsv->nRawAlloc = n*2;
  }
  memcpy(pCsv->aRaw, a, (size_t)n);
  pCsv->nRaw = n;
}

/* Move the stream behind the line end at offset i of its buffer. */
static void csvLineEnd(AcdcStream *pIn, i64 i){
  if( i<pIn->iEnd && pIn->a[i++]=='\r' && i<pIn->iEnd && pIn->a[i]=='\n' ){
    i++;
  }
  pIn->iStart = i;
}

/* Skip blank lines.  Returns 0 at the end of the file. */
static int csvSkipBlank(AcdcCtx *p, AcdcCsv *pCsv){
  AcdcStream *pIn = pCsv->pIn;
  for(;;){
    u8 c;
    if( pIn->iStart>=pIn->iEnd && acdcStreamFill(p, pIn)==0 ) return 0;
    c = pIn->a[pIn->iStart];
    if( c=='\n' ){
      pIn->iStart++;
      pCsv->iNextLine++;
    }else if( c=='\r' ){
      if( pIn->iStart+1>=pIn->iEnd ) acdcStreamFill(p, pIn);
      if( p->rc ) return 0;
      pIn->iStart++;
      if( pIn->a[pIn->iStart]=='\n' && pIn->iStart<pIn->iEnd ) pIn->iStart++;
      pCsv->iNextLine++;
    }else{
      return 1;
    }
  }
}

int acdcCsvNext(AcdcCtx *p, AcdcCsv *pCsv){
  AcdcStream *pIn = pCsv->pIn;
  pCsv->nField = 0;
  while( p->rc==0 && csvSkipBlank(p, pCsv) ){
    CsvScan s;
    u8 *zStart = &pIn->a[pIn->iStart];
    memset(&s, 0, sizeof(s));
    s.z = zStart;
    s.zEnd = &pIn->a[pIn->iEnd];
    s.bEof = pIn->bEof;
    if( *zStart==pCsv->format.cComment ){
      while( s.z<s.zEnd && *s.z!='\n' && *s.z!='\r' ) s.z++;
      s.bMore = s.z>=s.zEnd && !s.bEof;
    }else{
      csvScanRecord(p, pCsv, &s);
    }
    if( p->rc ) return 0;
    /* A CR at the end of the bytes may be half of a CR LF. */
    if( !s.bEof && s.z+1>=s.zEnd ) s.bMore = 1;
    if( s.bMore ){
      if( acdcStreamFill(p, pIn)==0 && s.bOpen && s.bEof ){
        acdcError(p, SQLITE_ERROR, "%s:%lld: a quote is opened and never"
            " closed: close it, or set the option quote to \"\" if quotes are"
            " data", pIn->zPath, pCsv->iNextLine);
      }
      continue;
    }
    pCsv->iLine = pCsv->iNextLine;
    pCsv->iNextLine += s.nLine + 1;
    if( *zStart==pCsv->format.cComment ){
      csvLineEnd(pIn, s.z-pIn->a);
      continue;
    }
    if( pCsv->bKeepRaw ) csvKeepRaw(p, pCsv, zStart, s.z-zStart);
    csvLineEnd(pIn, s.z-pIn->a);
    csvFinish(pCsv);
    return p->rc==0;
  }
  return 0;
}
