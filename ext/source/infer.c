/*
** The columns of files without a schema, found in the data.
*/
#include "filesint.h"

/*
** Names come in the order in which they are first
** seen; aSeen[] collects the kinds of their values.
*/
typedef struct FilesInfer FilesInfer;
struct FilesInfer {
  u8 *aSeen;           /* ACDC_SEEN_* of each column.  Owned */
  int nAlloc;
  const char *zBad;    /* What is wrong with the first bad record.  Static */
  i64 iBadLine;        /* Where it is */
  const char *zBadPath;      /* Not owned */
};

static int inferColumn(FilesReader *p, FilesInfer *pI, const char *z, int n){
  int i = acdcSchemaFind(&p->schema, z, n);
  if( i>=0 || p->ctx.rc ) return i;
  if( p->schema.n>=pI->nAlloc ){
    int nNew = pI->nAlloc ? pI->nAlloc*2 : 32;
    u8 *aNew = acdcRealloc(&p->ctx, pI->aSeen, nNew);
    if( aNew==0 ) return -1;
    memset(aNew+pI->nAlloc, 0, (size_t)(nNew-pI->nAlloc));
    pI->aSeen = aNew;
    pI->nAlloc = nNew;
  }
  if( p->schema.n>=ACDC_READER_MAXCOL-4 ){
    acdcError(&p->ctx, SQLITE_ERROR, "%s:%lld: more than %d different names:"
        " give a schema with the columns that are wanted", p->in.zPath,
        acdcFilesLineNo(p), ACDC_READER_MAXCOL-4);
    return -1;
  }
  return acdcSchemaAdd(&p->ctx, &p->schema, z, n, "");
}

static u8 inferNumber(const u8 *z, int n){
  AcdcVal v;
  acdcConvNumber(ACDC_CONV_NONE, z, n, &v);
  if( v.eType==SQLITE_INTEGER ) return ACDC_SEEN_INT;
  if( v.eType==SQLITE_FLOAT ) return ACDC_SEEN_REAL;
  return ACDC_SEEN_DIGITS;
}

static u8 inferJson(const AcdcJsonlField *pF){
  switch( pF->eType ){
    case ACDC_JSONL_NULL:   return 0;
    case ACDC_JSONL_TRUE:
    case ACDC_JSONL_FALSE:  return ACDC_SEEN_BOOL;
    case ACDC_JSONL_NUMBER: return inferNumber(pF->z, pF->n);
    default:                return ACDC_SEEN_TEXT;
  }
}

/* Text that a number would not give back (a leading zero, "+1") is text. */
static u8 inferCsv(const u8 *z, int n){
  AcdcVal v;
  int i = n>0 && z[0]=='-';
  if( !acdcConvText(ACDC_CONV_NUMERIC, z, n, &v) ){
    if( acdcConvText(ACDC_CONV_BOOL, z, n, &v) ) return ACDC_SEEN_BOOL;
    return ACDC_SEEN_TEXT;
  }
  if( v.eType==SQLITE_TEXT ) return ACDC_SEEN_TEXT;
  if( z[i]=='0' && i+1<n && z[i+1]!='.' ) return ACDC_SEEN_TEXT;
  if( z[i]<'0' || z[i]>'9' ) return ACDC_SEEN_TEXT;
  return inferNumber(z, n);
}

static void inferJsonFile(FilesReader *p, FilesInfer *pI){
  i64 nRecord = 0;
  while( acdcJsonlNext(&p->ctx, &p->json) ){
    int i;
    if( p->json.zBad && pI->iBadLine==0 ){
      pI->zBad = p->json.zBad;
      pI->iBadLine = p->json.iLine;
      pI->zBadPath = p->in.zPath;
    }
    acdcFilesMapSize(p, p->json.nField);
    for(i=0; i<p->json.nField && p->ctx.rc==0; i++){
      const AcdcJsonlField *pF = &p->json.aField[i];
      int j = p->aMap[i];
      if( j<0 || memcmp(p->schema.a[j].zName, pF->zName, (size_t)pF->nName)!=0
       || p->schema.a[j].zName[pF->nName]!=0
      ){
        j = p->aMap[i] = inferColumn(p, pI, (const char*)pF->zName, pF->nName);
      }
      if( j>=0 ) pI->aSeen[j] |= inferJson(pF);
    }
    if( (++nRecord & 0xfff)==0 ) acdcInterrupted(&p->ctx);
  }
}

/*
** The header of a CSV file gives the names; the values are looked at only
** where types are asked for.
*/
static void inferCsvFile(FilesReader *p, FilesInfer *pI){
  int bHeader = p->opt.eHeader!=ACDC_HEADER_NO;
  i64 nRecord = 0;
  int i;
  if( !acdcCsvNext(&p->ctx, &p->csv) ) return;
  p->nMap = 0;
  acdcFilesMapSize(p, p->csv.nField);
  for(i=0; i<p->csv.nField && p->ctx.rc==0; i++){
    const AcdcCsvField *pF = &p->csv.aField[i];
    char zName[20];
    int n = pF->n;
    sqlite3_snprintf(sizeof(zName), zName, "_c%d", i);
    p->aMap[i] = inferColumn(p, pI, bHeader && n ? (const char*)pF->z : zName,
        bHeader && n ? n : (int)strlen(zName));
  }
  if( !p->opt.bInfer || (bHeader && !acdcCsvNext(&p->ctx, &p->csv)) ) return;
  do{
    for(i=0; i<p->csv.nField && i<p->nMap && p->ctx.rc==0; i++){
      const AcdcCsvField *pF = &p->csv.aField[i];
      if( pF->n==0 && !pF->bQuoted ) continue;
      if( p->opt.zNull && pF->n==(int)strlen(p->opt.zNull)
       && memcmp(pF->z, p->opt.zNull, (size_t)pF->n)==0 ) continue;
      pI->aSeen[p->aMap[i]] |= inferCsv(pF->z, pF->n);
    }
    if( (++nRecord & 0xfff)==0 ) acdcInterrupted(&p->ctx);
  }while( acdcCsvNext(&p->ctx, &p->csv) );
}

/* Set the types from what was seen, and from the option schemaHints. */
static void inferTypes(FilesReader *p, FilesInfer *pI){
  AcdcSchema hints;
  int i;
  memset(&hints, 0, sizeof(hints));
  if( p->opt.zHints ){
    acdcSchemaParse(&p->ctx, p->opt.zHints, &hints);
    acdcErrorWhere(&p->ctx, "reader option schemaHints");
  }
  for(i=0; i<p->schema.n && p->ctx.rc==0; i++){
    AcdcColumn *pC = &p->schema.a[i];
    const char *zType = acdcSchemaSeenType(pI->aSeen[i]);
    int iHint = acdcSchemaFind(&hints, pC->zName, (int)strlen(pC->zName));
    if( p->opt.bJson ? p->opt.bStrings : (!p->opt.bInfer || zType[0]==0) ){
      zType = "TEXT";
    }
    if( iHint>=0 ) zType = hints.a[iHint].zType;
    sqlite3_free(pC->zType);
    pC->zType = acdcStrdup(&p->ctx, zType);
    pC->cAff = acdcAffinity(zType);
  }
  acdcSchemaClear(&hints);
}

void acdcFilesInfer(FilesReader *p){
  FilesInfer infer;
  memset(&infer, 0, sizeof(infer));
  for(p->iFile=0; p->iFile<p->list.n && p->ctx.rc==0; p->iFile++){
    if( !acdcFilesOpenStream(p) ) continue;
    if( p->opt.bJson ){
      acdcJsonlBegin(&p->ctx, &p->json, &p->in, p->opt.eLines);
      inferJsonFile(p, &infer);
    }else{
      acdcCsvBegin(&p->csv, &p->in, &p->opt.csv);
      inferCsvFile(p, &infer);
    }
    acdcStreamClose(&p->in);
  }
  if( p->ctx.rc==0 && p->schema.n==0 && infer.zBad ){
    acdcError(&p->ctx, SQLITE_ERROR, "%s:%lld: %s", infer.zBadPath,
        infer.iBadLine, infer.zBad);
  }
  if( p->ctx.rc==0 && p->schema.n==0 && p->list.n>0 ){
    acdcError(&p->ctx, SQLITE_ERROR, "no columns found in %s%s: give a schema",
        p->list.a[0].zPath, p->list.n>1 ? " and the other files" : "");
  }
  inferTypes(p, &infer);
  sqlite3_free(infer.aSeen);
  for(p->nMap=0; p->nMap<p->nMapAlloc; p->nMap++) p->aMap[p->nMap] = FILES_NONE;
}
