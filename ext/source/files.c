/*
** The reader over files; see files.h.
**
** For each file the parser (csv.c, jsonl.c) gives records of named fields,
** and this file binds the fields to the columns of the schema, converts them
** to the declared types, and decides what becomes of a record that is not as
** it should be.
**
** A file without the option "header" has one if there is no schema, or if its
** first record reads like one: half of its fields are names of the schema, or
** some are and none is empty or a number.  Spark takes the absent option for
** "no", people mostly mean "yes", and a row made of its own column names is
** data for neither.
*/
#include "filesint.h"

/* What a method returns: the code, with the message handed over. */
static int filesResult(FilesReader *p){
  int rc = p->ctx.rc;
  if( rc ){
    sqlite3_free(p->base.zErr);
    p->base.zErr = sqlite3_mprintf("%s", acdcErrorText(&p->ctx));
    p->bEof = 1;
  }
  return rc;
}

i64 acdcFilesLineNo(const FilesReader *p){
  return p->opt.bJson ? p->json.iLine : p->csv.iLine;
}

/*
** Names to columns.  FNV-1a over the name in lower case, open addressing.
*/
static u32 filesHash(const u8 *z, int n){
  u32 h = 2166136261u;
  int i;
  for(i=0; i<n; i++){
    u8 c = z[i];
    if( c>='A' && c<='Z' ) c |= 0x20;
    h = (h ^ c)*16777619u;
  }
  return h ^ (h>>15);
}

static void filesHashBuild(AcdcCtx *pCtx, FilesReader *p){
  int i;
  sqlite3_free(p->aHash);
  p->nHash = 16;
  while( p->nHash<p->nData*2 ) p->nHash *= 2;
  p->aHash = acdcMalloc(pCtx, (i64)p->nHash*(i64)sizeof(int));
  if( p->aHash==0 ) return;
  for(i=0; i<p->nHash; i++) p->aHash[i] = FILES_NONE;
  for(i=0; i<p->nData; i++){
    const char *z = p->schema.a[i].zName;
    u32 h;
    if( i==p->iCorrupt ) continue;
    h = filesHash((const u8*)z, (int)strlen(z));
    while( p->aHash[h & (u32)(p->nHash-1)]>=0 ) h++;
    p->aHash[h & (u32)(p->nHash-1)] = i;
  }
}

/* The data column of that name: spelled the same, else without case. */
int acdcFilesColumn(const FilesReader *p, const u8 *z, int n){
  u32 h = filesHash(z, n);
  int iLike = FILES_NONE;
  int i;
  while( (i = p->aHash[h & (u32)(p->nHash-1)])>=0 ){
    const char *zCol = p->schema.a[i].zName;
    if( (int)strlen(zCol)==n && sqlite3_strnicmp(zCol, (const char*)z, n)==0 ){
      if( memcmp(zCol, z, (size_t)n)==0 ) return i;
      if( iLike<0 ) iLike = i;
    }
    h++;
  }
  return iLike;
}

void acdcFilesMapSize(FilesReader *p, int n){
  if( n>p->nMapAlloc ){
    int nNew = n*2;
    int *aNew = acdcRealloc(&p->ctx, p->aMap, (i64)nNew*(i64)sizeof(int));
    if( aNew==0 ) return;
    p->aMap = aNew;
    p->nMapAlloc = nNew;
  }
  while( p->nMap<n ) p->aMap[p->nMap++] = FILES_NONE;
}

/* The text of _metadata for the current file. */
static void filesMetadata(FilesReader *p){
  const AcdcFile *pF = &p->list.a[p->iFile];
  const char *zName = strrchr(pF->zPath, '/');
  char zTime[ACDC_TIME_TEXT];
  i64 iMicro = pF->iMtime/1000;
  sqlite3_str *pStr = sqlite3_str_new(0);
  zName = zName ? zName+1 : pF->zPath;
  acdcTimeText(iMicro, 1, zTime);
  sqlite3_str_appendall(pStr, "{\"path\":");
  acdcJsonText(pStr, (const u8*)pF->zPath, (i64)strlen(pF->zPath));
  sqlite3_str_appendall(pStr, ",\"name\":");
  acdcJsonText(pStr, (const u8*)zName, (i64)strlen(zName));
  sqlite3_str_appendf(pStr, ",\"size\":%lld,\"mtime\":%lld,\"file_path\":",
      pF->nSize, iMicro/1000000);
  acdcJsonText(pStr, (const u8*)pF->zPath, (i64)strlen(pF->zPath));
  sqlite3_str_appendall(pStr, ",\"file_name\":");
  acdcJsonText(pStr, (const u8*)zName, (i64)strlen(zName));
  sqlite3_str_appendf(pStr,
      ",\"file_size\":%lld,\"file_modification_time\":\"%s\"}",
      pF->nSize, zTime);
  sqlite3_free(p->zMeta);
  p->zMeta = sqlite3_str_finish(pStr);
  if( p->zMeta==0 ) acdcError(&p->ctx, SQLITE_NOMEM, "out of memory");
}

/*
** Is the first record a header, where the option does not say?
*/
static int filesIsHeader(FilesReader *p){
  int i, nName = 0, nOther = 0;
  if( p->opt.eHeader ) return p->opt.eHeader==ACDC_HEADER_YES;
  if( !p->bDeclared ) return 1;
  for(i=0; i<p->csv.nField; i++){
    const AcdcCsvField *pF = &p->csv.aField[i];
    AcdcVal v;
    if( acdcFilesColumn(p, pF->z, pF->n)>=0 ){
      nName++;
    }else if( pF->n==0 || acdcConvText(ACDC_CONV_NUMERIC, pF->z, pF->n, &v) ){
      nOther++;
    }
  }
  return nName>0 && (nOther==0 || nName*2>=p->csv.nField);
}

/* A name of the header that the schema does not have. */
static void filesUnknown(
  FilesReader *p,
  const char *zName,
  const AcdcNames *pMissing
){
  const char *zNear;
  if( p->opt.bFailNew ){
    acdcError(&p->ctx, SQLITE_ERROR, "%s: column \"%s\" is not in the schema:"
        " add it, or change the option schemaEvolutionMode"
        " (failOnNewColumns)", p->in.zPath, zName);
    return;
  }
  zNear = acdcNearest(zName, (const char*const*)pMissing->az, pMissing->n);
  if( zNear ){
    acdcError(&p->ctx, SQLITE_ERROR, "%s: the header has the column \"%s\","
        " which the schema has not, and lacks \"%s\", which it has: is that the"
        " same column? Correct one of the names", p->in.zPath, zName, zNear);
  }
}

/*
** Bind the names of the header, which is the current record, to columns.
*/
static void filesBindHeader(FilesReader *p){
  AcdcNames missing = {0, 0};
  int i, j, nBound = 0;
  u8 *aSeen = acdcMalloc(&p->ctx, p->nData+1);
  acdcNamesFree(&p->head);
  p->nMap = 0;
  p->nHead = p->csv.nField;
  acdcFilesMapSize(p, p->nHead);
  for(i=0; i<p->nData; i++) valNull(&p->aVal[i]);
  for(i=0; i<p->nHead && p->ctx.rc==0; i++){
    AcdcCsvField *pF = &p->csv.aField[i];
    if( pF->n==0 ){
      char zName[20];
      sqlite3_snprintf(sizeof(zName), zName, "_c%d", i);
      acdcNamesAdd(&p->ctx, &p->head, zName, -1);
    }else{
      acdcNamesAdd(&p->ctx, &p->head, (const char*)pF->z, pF->n);
    }
    if( p->ctx.rc ) break;
    j = acdcFilesColumn(p, (const u8*)p->head.az[i], (int)strlen(p->head.az[i]));
    p->aMap[i] = j;
    if( j<0 ) continue;
    if( aSeen[j] ){
      acdcError(&p->ctx, SQLITE_ERROR, "%s: the header has the column \"%s\""
          " twice: rename one of them", p->in.zPath, p->schema.a[j].zName);
    }
    aSeen[j] = 1;
    nBound++;
  }
  if( p->ctx.rc==0 && p->bDeclared && nBound==0 ){
    acdcError(&p->ctx, SQLITE_ERROR, "%s: the header has none of the columns of"
        " the schema; if the first line is data, set the option header to"
        " \"false\"", p->in.zPath);
  }
  for(i=0; i<p->nData && p->ctx.rc==0; i++){
    if( !aSeen[i] && i!=p->iCorrupt ){
      acdcNamesAdd(&p->ctx, &missing, p->schema.a[i].zName, -1);
    }
  }
  for(i=0; i<p->nHead && p->ctx.rc==0; i++){
    if( p->aMap[i]<0 ) filesUnknown(p, p->head.az[i], &missing);
  }
  acdcNamesFree(&missing);
  sqlite3_free(aSeen);
}

/* No header: fields are columns by their place. */
static void filesBindPlace(FilesReader *p){
  int i, j = 0;
  acdcNamesFree(&p->head);
  p->nMap = 0;
  p->nHead = p->nData - (p->iCorrupt>=0);
  acdcFilesMapSize(p, p->nHead);
  for(i=0; i<p->nData; i++) valNull(&p->aVal[i]);
  for(i=0; i<p->nHead && p->ctx.rc==0; i++, j++){
    if( j==p->iCorrupt ) j++;
    p->aMap[i] = j;
  }
}

int acdcFilesOpenStream(FilesReader *p){
  const char *zPath = p->list.a[p->iFile].zPath;
  acdcStreamOpen(&p->ctx, &p->in, zPath);
  if( p->ctx.rc==SQLITE_OK ) return 1;
  if( p->ctx.rc==SQLITE_CANTOPEN && p->opt.bIgnoreMissing
   && acdcFsKind(zPath, 0)==0
  ){
    acdcCtxClear(&p->ctx);
  }
  return 0;
}

/*
** Open the current file.  A CSV file is read up to its header, or (without
** one) its first record; one without any record is closed again by the first
** attempt to read on.
*/
static void filesOpenOne(FilesReader *p){
  p->aFirst[p->iFile] = p->iRow;
  if( !acdcFilesOpenStream(p) ) return;
  p->bOpen = 1;
  p->bFirst = 0;
  filesMetadata(p);
  if( p->opt.bJson ){
    acdcJsonlBegin(&p->ctx, &p->json, &p->in, p->opt.eLines);
    return;
  }
  acdcCsvBegin(&p->csv, &p->in, &p->opt.csv);
  if( !acdcCsvNext(&p->ctx, &p->csv) ) return;
  if( p->csv.bLost ){
    acdcError(&p->ctx, SQLITE_ERROR, "%s:%lld: %s", p->in.zPath, p->csv.iLine,
        p->csv.zBad);
  }else if( filesIsHeader(p) ){
    filesBindHeader(p);
  }else{
    filesBindPlace(p);
    p->bFirst = 1;
  }
}

/* Go to the next row; p->bEof if there is none. */
static void filesStep(FilesReader *p){
  i64 nSkip = 0;
  while( p->ctx.rc==0 ){
    int bRecord;
    if( !p->bOpen ){
      if( ++p->iFile>=p->list.n ){
        p->bEof = 1;
        return;
      }
      filesOpenOne(p);
      continue;
    }
    if( p->opt.bJson ){
      bRecord = acdcJsonlNext(&p->ctx, &p->json);
    }else if( p->bFirst ){
      bRecord = 1;
      p->bFirst = 0;
    }else{
      bRecord = acdcCsvNext(&p->ctx, &p->csv);
    }
    if( p->ctx.rc ) return;
    if( bRecord==0 ){
      acdcStreamClose(&p->in);
      p->bOpen = 0;
    }else if( acdcFilesBindRow(p) ){
      p->iRow++;
      return;
    }else if( (++nSkip & 0xfff)==0 ){
      acdcInterrupted(&p->ctx);
    }
  }
}

static void filesClearWarn(FilesReader *p){
  sqlite3_free(p->base.zWarn);
  p->base.zWarn = 0;
  p->base.nMalformed = p->base.nDropped = p->base.nRescued = 0;
}

static int filesRewind(AcdcReader *pReader){
  FilesReader *p = (FilesReader*)pReader;
  acdcCtxClear(&p->ctx);
  acdcStreamClose(&p->in);
  p->iFile = -1;
  p->bOpen = 0;
  p->bEof = 0;
  p->iRow = 0;
  filesClearWarn(p);
  filesStep(p);
  return filesResult(p);
}

static int filesNext(AcdcReader *pReader){
  FilesReader *p = (FilesReader*)pReader;
  filesStep(p);
  return p->ctx.rc ? filesResult(p) : SQLITE_OK;
}

static int filesEof(AcdcReader *pReader){
  return ((FilesReader*)pReader)->bEof;
}

static void filesColumnValue(AcdcReader *pReader, int iCol, AcdcVal *pOut){
  FilesReader *p = (FilesReader*)pReader;
  if( iCol<p->nData ){
    *pOut = p->aVal[iCol];
  }else{
    const char *z = iCol==p->iRescue ? acdcFilesRescued(p) : p->zMeta;
    if( z ) valBytes(pOut, z, (i64)strlen(z));
    else valNull(pOut);
  }
}

static i64 filesRowid(AcdcReader *pReader){
  return ((FilesReader*)pReader)->iRow;
}

void acdcFilesClear(AcdcFiles *pFiles){
  sqlite3_free(pFiles->zFormat);
  sqlite3_free(pFiles->zPath);
  sqlite3_free(pFiles->zSchema);
  acdcNamesFree(&pFiles->optName);
  acdcNamesFree(&pFiles->optValue);
  acdcNamesFree(&pFiles->memName);
  acdcNamesFree(&pFiles->memValue);
  memset(pFiles, 0, sizeof(*pFiles));
}

static void filesFree(AcdcReader *pReader){
  FilesReader *p = (FilesReader*)pReader;
  if( p==0 ) return;
  acdcStreamFree(&p->in);
  acdcCsvFree(&p->csv);
  acdcJsonlFree(&p->json);
  acdcNamesFree(&p->head);
  acdcFileOptionsClear(&p->opt);
  acdcFileListClear(&p->list);
  acdcSchemaClear(&p->schema);
  acdcFilesClear(&p->files);
  sqlite3_free(p->aConv);
  sqlite3_free(p->aVal);
  sqlite3_free(p->aNested);
  sqlite3_free(p->aHash);
  sqlite3_free(p->aMap);
  sqlite3_free(p->aMisfit);
  sqlite3_free(p->aFirst);
  sqlite3_free(p->zMeta);
  sqlite3_free(p->zRescued);
  sqlite3_free(p->base.zWarn);
  sqlite3_free(p->base.zErr);
  acdcCtxClear(&p->ctx);
  sqlite3_free(p);
}

char *acdcFilesSchema(AcdcCtx *pCtx, AcdcReader *pReader){
  FilesReader *p = (FilesReader*)pReader;
  sqlite3_str *pStr;
  char *z;
  int i;
  if( pCtx->rc ) return 0;
  pStr = sqlite3_str_new(0);
  for(i=0; i<p->nData; i++){
    sqlite3_str_appendf(pStr, "%s\"%w\" %s", i ? ", " : "",
        p->schema.a[i].zName, p->schema.a[i].zType);
  }
  z = sqlite3_str_finish(pStr);
  if( z==0 && p->nData>0 ) acdcError(pCtx, SQLITE_NOMEM, "out of memory");
  return z;
}

/*
** Where row iRow stands.  Lines are not remembered, so the file is read again
** with another reader, up to the row: the price of an error only.
*/
static char *filesWhere(AcdcReader *pReader, i64 iRow){
  FilesReader *p = (FilesReader*)pReader;
  AcdcFileList one;
  AcdcReader *pAgain;
  AcdcCtx ctx;
  AcdcFiles files;
  char *zOut = 0;
  int i = p->iFile<p->list.n ? p->iFile : p->list.n-1;
  while( i>0 && p->aFirst[i]>=iRow ) i--;
  if( i<0 || iRow<1 ) return 0;
  acdcCtxInit(&ctx, p->ctx.db);
  memset(&one, 0, sizeof(one));
  acdcFileListAdd(&ctx, &one, p->list.a[i].zPath, p->list.a[i].nSize,
      p->list.a[i].iMtime);
  files = p->files;
  files.zSchema = acdcFilesSchema(&ctx, pReader);
  pAgain = p->bKeep ? acdcFilesOpenRecords(&ctx, &p->files, &one)
                    : acdcFilesOpen(&ctx, &files, &one);
  if( pAgain ){
    FilesReader *pA = (FilesReader*)pAgain;
    int rc;
    if( !p->bDeclared && p->opt.eHeader==ACDC_HEADER_AUTO ){
      pA->opt.eHeader = ACDC_HEADER_YES;
    }
    rc = pAgain->xRewind(pAgain);
    while( rc==SQLITE_OK && !pA->bEof && pA->iRow<iRow-p->aFirst[i] ){
      rc = pAgain->xNext(pAgain);
    }
    if( rc==SQLITE_OK && !pA->bEof ){
      zOut = sqlite3_mprintf("%s:%lld", pA->in.zPath, acdcFilesLineNo(pA));
    }
    filesFree(pAgain);
  }
  sqlite3_free(files.zSchema);
  acdcFileListClear(&one);
  acdcCtxClear(&ctx);
  return zOut;
}

/* The special columns, behind those of the data. */
static void filesSpecial(FilesReader *p){
  const char *zCorrupt = p->opt.zCorrupt ? p->opt.zCorrupt : "_corrupt_record";
  const char *zRescue = p->opt.zRescue ? p->opt.zRescue : "_rescued_data";
  AcdcSchema *pS = &p->schema;
  int i = acdcSchemaFind(pS, zRescue, (int)strlen(zRescue));
  AcdcColumn col;
  /* A rescue column that the schema lists moves behind the data. */
  if( i>=0 && p->opt.zRescue ){
    col = pS->a[i];
    memmove(&pS->a[i], &pS->a[i+1], (size_t)(pS->n-i-1)*sizeof(AcdcColumn));
    pS->a[pS->n-1] = col;
    p->iRescue = pS->n-1;
    p->nData = pS->n-1;
  }else{
    p->nData = pS->n;
    p->iRescue = -1;
    if( i<0 ){
      p->iRescue = acdcSchemaAdd(&p->ctx, pS, zRescue, (int)strlen(zRescue),
          "TEXT");
    }
  }
  i = acdcSchemaFind(pS, zCorrupt, (int)strlen(zCorrupt));
  p->iCorrupt = (p->bDeclared && i<p->nData) ? i : -1;
  p->iMeta = -1;
  if( acdcSchemaFind(pS, "_metadata", 9)<0 ){
    p->iMeta = acdcSchemaAdd(&p->ctx, pS, "_metadata", 9, "TEXT");
  }
  p->base.nCol = p->nData + (p->opt.zRescue!=0);
  p->base.nHidden = pS->n - p->base.nCol;
  p->base.aCol = pS->a;
  if( pS->n>ACDC_READER_MAXCOL ){
    acdcError(&p->ctx, SQLITE_ERROR, "more than %d columns",
        ACDC_READER_MAXCOL);
  }
}

static void filesPrepare(FilesReader *p){
  int i;
  if( p->files.zSchema && p->files.zSchema[0] ){
    p->bDeclared = 1;
    acdcSchemaParse(&p->ctx, p->files.zSchema, &p->schema);
  }else if( p->bRecords && p->opt.bJson ){
    p->bKeep = 1;
  }else{
    acdcFilesInfer(p);
  }
  if( p->ctx.rc ) return;
  filesSpecial(p);
  p->csv.bKeepRaw = p->iCorrupt>=0;
  p->json.bKeepRaw = p->iCorrupt>=0 || p->bKeep;
  p->aConv = acdcMalloc(&p->ctx, p->nData+1);
  p->aVal = acdcMalloc(&p->ctx, (i64)(p->nData+1)*(i64)sizeof(AcdcVal));
  p->aNested = acdcMalloc(&p->ctx, p->nData+1);
  p->aFirst = acdcMalloc(&p->ctx, (i64)(p->list.n+1)*(i64)sizeof(i64));
  filesHashBuild(&p->ctx, p);
  if( p->ctx.rc ) return;
  for(i=0; i<p->nData; i++){
    p->aConv[i] = acdcConvOf(p->schema.a[i].zType);
    valNull(&p->aVal[i]);
  }
  if( p->opt.zNull ) p->nNull = (int)strlen(p->opt.zNull);
  p->iFile = p->list.n;
  p->bEof = 1;
}

static AcdcReader *filesOpen(
  AcdcCtx *pCtx,
  const AcdcFiles *pFiles,
  const AcdcFileList *pList,
  int bRecords
){
  FilesReader *p = acdcMalloc(pCtx, sizeof(*p));
  int i;
  if( p==0 ) return 0;
  acdcCtxInit(&p->ctx, pCtx->db);
  p->in.fd = -1;
  p->base.xRewind = filesRewind;
  p->base.xNext = filesNext;
  p->base.xEof = filesEof;
  p->base.xColumn = filesColumnValue;
  p->base.xRowid = filesRowid;
  p->base.xFree = filesFree;
  p->base.xWhere = filesWhere;
  p->bRecords = (u8)bRecords;
  p->files.zFormat = acdcStrdup(&p->ctx, pFiles->zFormat);
  p->files.zPath = acdcStrdup(&p->ctx, pFiles->zPath);
  p->files.zSchema = acdcStrdup(&p->ctx, pFiles->zSchema);
  acdcNamesCopy(&p->ctx, &p->files.optName, &pFiles->optName);
  acdcNamesCopy(&p->ctx, &p->files.optValue, &pFiles->optValue);
  for(i=0; i<pList->n; i++){
    const AcdcFile *pF = &pList->a[i];
    acdcFileListAdd(&p->ctx, &p->list, pF->zPath, pF->nSize, pF->iMtime);
  }
  acdcFsAllowed(&p->ctx);
  acdcFileOptionsRead(&p->ctx, pFiles, &p->opt, 0);
  if( p->ctx.rc==0 ) filesPrepare(p);
  if( p->ctx.rc ){
    acdcError(pCtx, p->ctx.rc, "%s", acdcErrorText(&p->ctx));
    filesFree(&p->base);
    return 0;
  }
  return &p->base;
}

AcdcReader *acdcFilesOpen(
  AcdcCtx *p,
  const AcdcFiles *pFiles,
  const AcdcFileList *pList
){
  return filesOpen(p, pFiles, pList, 0);
}

AcdcReader *acdcFilesOpenRecords(
  AcdcCtx *p,
  const AcdcFiles *pFiles,
  const AcdcFileList *pList
){
  return filesOpen(p, pFiles, pList, 1);
}

i64 acdcFilesLine(AcdcReader *pReader){
  return acdcFilesLineNo((FilesReader*)pReader);
}

int acdcFilesMetaColumn(AcdcReader *pReader){
  return ((FilesReader*)pReader)->iMeta;
}

int acdcFilesRescueColumn(AcdcReader *pReader){
  return ((FilesReader*)pReader)->iRescue;
}

void acdcFilesRecord(AcdcReader *pReader, sqlite3_context *pCtx){
  FilesReader *p = (FilesReader*)pReader;
  sqlite3_str *pStr;
  char *zOut;
  int i, nOut, n = 0;
  if( p->bKeep ){
    int nRaw = acdcJsonlCompact(p->json.aRaw, (int)p->json.nRaw);
    p->json.nRaw = nRaw;
    sqlite3_result_text(pCtx, (const char*)p->json.aRaw, nRaw,
        SQLITE_TRANSIENT);
    return;
  }
  pStr = sqlite3_str_new(0);
  for(i=0; i<p->nData; i++){
    const char *zName = p->schema.a[i].zName;
    acdcFilesPutName(pStr, zName, (i64)strlen(zName), &n);
    acdcFilesPutValue(pStr, &p->aVal[i], p->aNested[i]);
  }
  sqlite3_str_appendall(pStr, n ? "}" : "{}");
  nOut = sqlite3_str_length(pStr);
  zOut = sqlite3_str_finish(pStr);
  if( zOut==0 ) sqlite3_result_error_nomem(pCtx);
  else sqlite3_result_text(pCtx, zOut, nOut, sqlite3_free);
}
