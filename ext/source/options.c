/*
** The format and the reader options of files: Spark's names and values, each
** honoured, known to change nothing here, or refused.
*/
#include "files.h"

/* OptionDef.eUse */
#define OPT_FLAG    1        /* true or false, into the u8 at iOffset */
#define OPT_TEXT    2        /* copied to the char* at iOffset */
#define OPT_WARN    3        /* accepted; changes nothing here */
#define OPT_OFF     4        /* accepted only as false (or empty) */
#define OPT_ON      5        /* accepted only as true */
#define OPT_ISO     6        /* a pattern of dates: accepted if it is ISO's */
#define OPT_FORMAT  7        /* read before all others, see optionFormat() */
#define OPT_OWN     8        /* from here on: see optionOwn() */
#define OPT_HEADER  8
#define OPT_SEP     9
#define OPT_QUOTE   10
#define OPT_ESCAPE  11
#define OPT_COMMENT 12
#define OPT_MULTI   13
#define OPT_MODE    14
#define OPT_ENCODE  15
#define OPT_LINESEP 16
#define OPT_PACKED  17
#define OPT_EVOLVE  18
#define OPT_TYPES   19

#define OPT_CSV     0x01
#define OPT_JSON    0x02
#define OPT_BOTH    0x03

typedef struct OptionDef OptionDef;
struct OptionDef {
  const char *zName;
  u8 eUse;             /* OPT_* */
  u8 mFormat;          /* OPT_CSV, OPT_JSON: others warn */
  u32 iOffset;         /* Into AcdcFileOptions */
};

#define OPT_AT(m) ((u32)offsetof(AcdcFileOptions, m))

static const OptionDef aOption[] = {
  { "header", OPT_HEADER, OPT_CSV, 0 },
  { "sep", OPT_SEP, OPT_CSV, 0 },
  { "delimiter", OPT_SEP, OPT_CSV, 0 },
  { "quote", OPT_QUOTE, OPT_CSV, 0 },
  { "escape", OPT_ESCAPE, OPT_CSV, 0 },
  { "comment", OPT_COMMENT, OPT_CSV, 0 },
  { "nullValue", OPT_TEXT, OPT_CSV, OPT_AT(zNull) },
  { "emptyValue", OPT_TEXT, OPT_CSV, OPT_AT(zEmpty) },
  { "ignoreLeadingWhiteSpace", OPT_FLAG, OPT_CSV, OPT_AT(csv.bTrimLeft) },
  { "ignoreTrailingWhiteSpace", OPT_FLAG, OPT_CSV, OPT_AT(csv.bTrimRight) },
  { "inferSchema", OPT_FLAG, OPT_BOTH, OPT_AT(bInfer) },
  { "inferColumnTypes", OPT_TYPES, OPT_BOTH, 0 },
  { "primitivesAsString", OPT_FLAG, OPT_JSON, OPT_AT(bStrings) },
  { "multiLine", OPT_MULTI, OPT_BOTH, 0 },
  { "mode", OPT_MODE, OPT_BOTH, 0 },
  { "encoding", OPT_ENCODE, OPT_BOTH, 0 },
  { "charset", OPT_ENCODE, OPT_BOTH, 0 },
  { "lineSep", OPT_LINESEP, OPT_BOTH, 0 },
  { "compression", OPT_PACKED, OPT_BOTH, 0 },
  { "format", OPT_FORMAT, OPT_BOTH, 0 },
  { "schemaEvolutionMode", OPT_EVOLVE, OPT_BOTH, 0 },
  { "columnNameOfCorruptRecord", OPT_TEXT, OPT_BOTH, OPT_AT(zCorrupt) },
  { "rescuedDataColumn", OPT_TEXT, OPT_BOTH, OPT_AT(zRescue) },
  { "schemaHints", OPT_TEXT, OPT_BOTH, OPT_AT(zHints) },
  { "recursiveFileLookup", OPT_FLAG, OPT_BOTH, OPT_AT(bRecursive) },
  { "pathGlobFilter", OPT_TEXT, OPT_BOTH, OPT_AT(zGlob) },
  { "fileNamePattern", OPT_TEXT, OPT_BOTH, OPT_AT(zGlob) },
  { "ignoreMissingFiles", OPT_FLAG, OPT_BOTH, OPT_AT(bIgnoreMissing) },

  { "enforceSchema", OPT_WARN, OPT_BOTH, 0 },
  { "samplingRatio", OPT_WARN, OPT_BOTH, 0 },
  { "prefersDecimal", OPT_WARN, OPT_BOTH, 0 },
  { "preferDate", OPT_WARN, OPT_BOTH, 0 },
  { "maxColumns", OPT_WARN, OPT_BOTH, 0 },
  { "maxCharsPerColumn", OPT_WARN, OPT_BOTH, 0 },
  { "maxMalformedLogPerPartition", OPT_WARN, OPT_BOTH, 0 },
  { "columnPruning", OPT_WARN, OPT_BOTH, 0 },
  { "readerCaseSensitive", OPT_WARN, OPT_BOTH, 0 },
  { "locale", OPT_WARN, OPT_BOTH, 0 },
  { "timeZone", OPT_WARN, OPT_BOTH, 0 },
  { "ignoreCorruptFiles", OPT_WARN, OPT_BOTH, 0 },
  { "escapeQuotes", OPT_WARN, OPT_BOTH, 0 },
  { "quoteAll", OPT_WARN, OPT_BOTH, 0 },
  { "allowOverwrites", OPT_WARN, OPT_BOTH, 0 },
  { "backfillInterval", OPT_WARN, OPT_BOTH, 0 },
  { "maxBytesPerTrigger", OPT_WARN, OPT_BOTH, 0 },
  { "maxFileAge", OPT_WARN, OPT_BOTH, 0 },
  { "maxFilesPerTrigger", OPT_WARN, OPT_BOTH, 0 },
  { "schemaLocation", OPT_WARN, OPT_BOTH, 0 },
  { "useStrictGlobber", OPT_WARN, OPT_BOTH, 0 },
  { "useNotifications", OPT_WARN, OPT_BOTH, 0 },
  { "useIncrementalListing", OPT_WARN, OPT_BOTH, 0 },
  { "validateOptions", OPT_WARN, OPT_BOTH, 0 },
  { "includeExistingFiles", OPT_ON, OPT_BOTH, 0 },
  { "allowBackslashEscapingAnyCharacter", OPT_OFF, OPT_BOTH, 0 },
  { "allowComments", OPT_OFF, OPT_BOTH, 0 },
  { "allowNonNumericNumbers", OPT_OFF, OPT_BOTH, 0 },
  { "allowNumericLeadingZeros", OPT_OFF, OPT_BOTH, 0 },
  { "allowSingleQuotes", OPT_OFF, OPT_BOTH, 0 },
  { "allowUnquotedControlChars", OPT_OFF, OPT_BOTH, 0 },
  { "allowUnquotedFieldNames", OPT_OFF, OPT_BOTH, 0 },
  { "dropFieldIfAllNull", OPT_OFF, OPT_BOTH, 0 },
  { "charToEscapeQuoteEscaping", OPT_OFF, OPT_BOTH, 0 },
  { "unescapedQuoteHandling", OPT_OFF, OPT_BOTH, 0 },
  { "nanValue", OPT_OFF, OPT_BOTH, 0 },
  { "positiveInf", OPT_OFF, OPT_BOTH, 0 },
  { "negativeInf", OPT_OFF, OPT_BOTH, 0 },
  { "partitionColumns", OPT_OFF, OPT_BOTH, 0 },
  { "basePath", OPT_OFF, OPT_BOTH, 0 },
  { "modifiedAfter", OPT_OFF, OPT_BOTH, 0 },
  { "modifiedBefore", OPT_OFF, OPT_BOTH, 0 },
  { "skipRows", OPT_OFF, OPT_BOTH, 0 },
  { "singleVariantColumn", OPT_OFF, OPT_BOTH, 0 },
  { "dateFormat", OPT_ISO, OPT_BOTH, 0 },
  { "timestampFormat", OPT_ISO, OPT_BOTH, 0 },
  { "timestampNTZFormat", OPT_ISO, OPT_BOTH, 0 },
};
#define NOPTION ((int)(sizeof(aOption)/sizeof(aOption[0])))

void acdcFileOptionsClear(AcdcFileOptions *pOpt){
  sqlite3_free(pOpt->zNull);
  sqlite3_free(pOpt->zEmpty);
  sqlite3_free(pOpt->zRescue);
  sqlite3_free(pOpt->zCorrupt);
  sqlite3_free(pOpt->zGlob);
  sqlite3_free(pOpt->zHints);
  memset(pOpt, 0, sizeof(*pOpt));
}

/* 1, 0, or -1 with an error. */
static int optionBool(AcdcCtx *p, const char *zName, const char *z){
  if( sqlite3_stricmp(z, "true")==0 || strcmp(z, "1")==0 ) return 1;
  if( sqlite3_stricmp(z, "false")==0 || strcmp(z, "0")==0 ) return 0;
  acdcError(p, SQLITE_ERROR, "reader option %s is \"%s\": it takes \"true\" or"
      " \"false\"", zName, z);
  return -1;
}

/*
** One ASCII character, or -1 for an empty text.  Spelled escapes (\t, \\) are
** understood, as Spark does.
*/
static int optionChar(AcdcCtx *p, const char *zName, const char *z){
  int c = (u8)z[0];
  if( c==0 ) return -1;
  if( c=='\\' && z[1] && z[2]==0 ){
    switch( z[1] ){
      case 't': return '\t';
      case '\\': case '"': case '\'': return z[1];
      case '0': return -1;
      default: break;
    }
  }
  if( sqlite3_stricmp(z, "\\u0000")==0 ) return -1;
  if( z[1]==0 && c<0x80 && c!='\n' && c!='\r' ) return c;
  acdcError(p, SQLITE_ERROR, "reader option %s is \"%s\": it takes one ASCII"
      " character", zName, z);
  return -1;
}

static void optionSep(AcdcCtx *p, const char *z, AcdcCsvFormat *pF){
  int n = 0;
  if( strcmp(z, "\\u0001")==0 ) z = "\001";
  while( *z ){
    char c = *z++;
    if( c=='\\' && *z ){
      c = *z++;
      if( c=='t' ) c = '\t';
    }
    if( n>=(int)sizeof(pF->aSep) || c=='\n' || c=='\r' ){
      n = 0;
      break;
    }
    pF->aSep[n++] = (u8)c;
  }
  if( n==0 ){
    acdcError(p, SQLITE_ERROR, "reader option sep takes a text of 1 to %d"
        " bytes without line ends", (int)sizeof(pF->aSep));
    return;
  }
  pF->nSep = n;
}

static void optionEncoding(AcdcCtx *p, const char *z){
  if( sqlite3_stricmp(z, "utf-8")==0 || sqlite3_stricmp(z, "utf8")==0
   || sqlite3_stricmp(z, "us-ascii")==0 || sqlite3_stricmp(z, "ascii")==0
  ){
    return;
  }
  acdcError(p, SQLITE_ERROR, "encoding \"%s\" cannot be read: convert the files"
      " to UTF-8 (iconv -f %s -t UTF-8) and leave the option out", z, z);
}

static void optionMode(AcdcCtx *p, const char *z, AcdcFileOptions *pOpt){
  if( sqlite3_stricmp(z, "PERMISSIVE")==0 ){
    pOpt->eMode = ACDC_MODE_KEEP;
  }else if( sqlite3_stricmp(z, "DROPMALFORMED")==0 ){
    pOpt->eMode = ACDC_MODE_DROP;
  }else if( sqlite3_stricmp(z, "FAILFAST")==0 ){
    pOpt->eMode = ACDC_MODE_FAIL;
  }else{
    acdcError(p, SQLITE_ERROR, "reader option mode is \"%s\": it takes"
        " PERMISSIVE, DROPMALFORMED or FAILFAST", z);
  }
}

static void optionEvolution(AcdcCtx *p, const char *z, AcdcFileOptions *pOpt){
  if( sqlite3_stricmp(z, "failOnNewColumns")==0 ){
    pOpt->bFailNew = 1;
  }else if( sqlite3_stricmp(z, "rescue")==0 ){
    if( pOpt->zRescue==0 ) pOpt->zRescue = acdcStrdup(p, "_rescued_data");
  }else if( sqlite3_stricmp(z, "none")!=0
         && sqlite3_stricmp(z, "addNewColumns")!=0
         && sqlite3_stricmp(z, "addNewColumnsWithTypeWidening")!=0 ){
    acdcError(p, SQLITE_ERROR, "reader option schemaEvolutionMode is \"%s\": it"
        " takes addNewColumns, failOnNewColumns, rescue or none", z);
  }
}

/* Is it a pattern of ISO 8601, which text that is kept as it is fits? */
static int optionIsIso(const char *z){
  static const char *const azIso[] = {
    "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss",
    "yyyy-MM-ddTHH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd'T'HH:mm"
  };
  int i;
  for(i=0; i<(int)(sizeof(azIso)/sizeof(azIso[0])); i++){
    size_t n = strlen(azIso[i]);
    if( strncmp(z, azIso[i], n)==0 && strspn(z+n, "[].SXxZzV'")==strlen(z+n) ){
      return 1;
    }
  }
  return 0;
}

static void optionLineSep(AcdcCtx *p, const char *z, int bJson){
  if( strcmp(z, "\n")==0 || strcmp(z, "\\n")==0 ) return;
  if( strcmp(z, "\r\n")==0 || strcmp(z, "\\r\\n")==0 ) return;
  if( !bJson && (strcmp(z, "\r")==0 || strcmp(z, "\\r")==0) ) return;
  acdcError(p, SQLITE_ERROR, "reader option lineSep cannot be anything but a"
      " line feed, with or without a carriage return");
}

/* An option with a way of its own to be read. */
static void optionOwn(
  AcdcCtx *p,
  const OptionDef *pDef,
  const char *z,
  AcdcFileOptions *pOpt
){
  AcdcCsvFormat *pF = &pOpt->csv;
  const char *zName = pDef->zName;
  int b;
  switch( pDef->eUse ){
    case OPT_HEADER:
      b = optionBool(p, zName, z);
      pOpt->eHeader = b>0 ? ACDC_HEADER_YES : ACDC_HEADER_NO;
      break;
    case OPT_SEP:     optionSep(p, z, pF); break;
    case OPT_QUOTE:   pF->cQuote = optionChar(p, zName, z); break;
    case OPT_ESCAPE:  pF->cEscape = optionChar(p, zName, z); break;
    case OPT_COMMENT: pF->cComment = optionChar(p, zName, z); break;
    case OPT_MULTI:
      b = optionBool(p, zName, z);
      pOpt->eLines = b>0 ? ACDC_JSONL_MULTI : ACDC_JSONL_LINES;
      pF->bOneLine = b==0;
      break;
    case OPT_TYPES:
      pOpt->bInfer = optionBool(p, zName, z)>0;
      pOpt->bStrings = !pOpt->bInfer;
      break;
    case OPT_MODE:    optionMode(p, z, pOpt); break;
    case OPT_ENCODE:  optionEncoding(p, z); break;
    case OPT_LINESEP: optionLineSep(p, z, pOpt->bJson); break;
    case OPT_PACKED:
      if( z[0] && sqlite3_stricmp(z, "none")
       && sqlite3_stricmp(z, "uncompressed") ){
        acdcError(p, SQLITE_ERROR, "compressed files cannot be read: decompress"
            " them and leave the option compression out");
      }
      break;
    default:
      assert( pDef->eUse==OPT_EVOLVE );
      optionEvolution(p, z, pOpt);
      break;
  }
}

static void optionApply(
  AcdcCtx *p,
  const OptionDef *pDef,
  const char *z,
  AcdcFileOptions *pOpt,
  AcdcNames *pWarn
){
  u8 mFormat = pOpt->bJson ? OPT_JSON : OPT_CSV;
  int b;
  switch( (pDef->mFormat & mFormat)==0 ? OPT_WARN : pDef->eUse ){
    case OPT_FLAG:
      b = optionBool(p, pDef->zName, z);
      *((u8*)pOpt + pDef->iOffset) = b>0;
      break;
    case OPT_TEXT: {
      char **pz = (char**)(void*)((u8*)pOpt + pDef->iOffset);
      sqlite3_free(*pz);
      *pz = acdcStrdup(p, z);
      break;
    }
    case OPT_FORMAT:
      break;
    case OPT_WARN:
      if( pWarn ) acdcNamesAdd(p, pWarn, pDef->zName, -1);
      break;
    case OPT_OFF:
      if( z[0] && sqlite3_stricmp(z, "false") && strcmp(z, "0") ){
        acdcError(p, SQLITE_ERROR, "reader option %s (\"%s\") is not supported"
            " and would change the rows: leave it out and prepare the files"
            " accordingly", pDef->zName, z);
      }
      break;
    case OPT_ON:
      if( sqlite3_stricmp(z, "true") && strcmp(z, "1") ){
        acdcError(p, SQLITE_ERROR, "reader option %s (\"%s\") is not supported:"
            " only \"true\" is", pDef->zName, z);
      }
      break;
    case OPT_ISO:
      if( !optionIsIso(z) ){
        acdcError(p, SQLITE_ERROR, "reader option %s (\"%s\") is not supported:"
            " dates are read as they stand; convert them in a query, or write"
            " them as yyyy-MM-dd HH:mm:ss", pDef->zName, z);
      }
      break;
    default:
      assert( pDef->eUse>=OPT_OWN );
      optionOwn(p, pDef, z, pOpt);
      break;
  }
}

/* The option of that name: without case, and with or without "cloudFiles." */
static const OptionDef *optionFind(AcdcCtx *p, const char *zName){
  const char *azName[NOPTION];
  const char *zNear;
  int i;
  if( sqlite3_strnicmp(zName, "cloudFiles.", 11)==0 ) zName += 11;
  for(i=0; i<NOPTION; i++){
    if( sqlite3_stricmp(aOption[i].zName, zName)==0 ) return &aOption[i];
    azName[i] = aOption[i].zName;
  }
  zNear = acdcNearest(zName, azName, NOPTION);
  if( zNear ){
    acdcError(p, SQLITE_ERROR, "unknown reader option \"%s\": did you mean"
        " \"%s\"?", zName, zNear);
  }else{
    acdcError(p, SQLITE_ERROR, "unknown reader option \"%s\"", zName);
  }
  return 0;
}

/*
** The format by name, by the option cloudFiles.format, or by how the path
** ends.
*/
static void optionFormat(
  AcdcCtx *p,
  const AcdcFiles *pFiles,
  AcdcFileOptions *pOpt
){
  const char *z = pFiles->zFormat;
  const char *zPath = pFiles->zPath ? pFiles->zPath : "";
  int i;
  if( z==0 || sqlite3_stricmp(z, "cloudFiles")==0 ){
    z = 0;
    for(i=0; i<pFiles->optName.n; i++){
      const char *zName = pFiles->optName.az[i];
      if( sqlite3_strnicmp(zName, "cloudFiles.", 11)==0 ) zName += 11;
      if( sqlite3_stricmp(zName, "format")==0 ) z = pFiles->optValue.az[i];
    }
  }
  if( z==0 ){
    static const char *const azEnd[] = {
      "*.csv", "*.tsv", "*.txt", "*.json", "*.jsonl", "*.ndjson"
    };
    for(i=0; i<6 && sqlite3_strglob(azEnd[i], zPath); i++){}
    if( i==6 ){
      acdcError(p, SQLITE_ERROR, "the format of \"%s\" is not given: it is"
          " \"csv\" or \"json\"", zPath);
    }
    pOpt->bJson = i>=3;
    if( i==1 ) pOpt->csv.aSep[0] = '\t';
  }else if( sqlite3_stricmp(z, "csv")==0 ){
    pOpt->bJson = 0;
  }else if( sqlite3_stricmp(z, "json")==0 || sqlite3_stricmp(z, "jsonl")==0
         || sqlite3_stricmp(z, "ndjson")==0 ){
    pOpt->bJson = 1;
  }else{
    acdcError(p, SQLITE_ERROR, "format \"%s\" cannot be read: csv and json can."
        " Convert the files (to JSON lines, where there are nested values) and"
        " name that format", z);
  }
}

void acdcFileOptionsRead(
  AcdcCtx *p,
  const AcdcFiles *pFiles,
  AcdcFileOptions *pOpt,
  AcdcNames *pWarn
){
  int i;
  if( p->rc ) return;
  acdcCsvFormatInit(&pOpt->csv);
  optionFormat(p, pFiles, pOpt);
  for(i=0; i<pFiles->optName.n && p->rc==0; i++){
    const OptionDef *pDef = optionFind(p, pFiles->optName.az[i]);
    if( pDef ) optionApply(p, pDef, pFiles->optValue.az[i], pOpt, pWarn);
  }
  if( pOpt->zRescue && pOpt->zRescue[0]==0 ){
    sqlite3_free(pOpt->zRescue);
    pOpt->zRescue = 0;
  }
  if( p->rc==0 && pOpt->csv.cQuote>=0 && pOpt->csv.nSep==1
   && pOpt->csv.cQuote==pOpt->csv.aSep[0] ){
    acdcError(p, SQLITE_ERROR, "reader options sep and quote are the same");
  }
}

void acdcFilesCheck(AcdcCtx *p, const AcdcFiles *pFiles, AcdcNames *pWarn){
  AcdcFileOptions opt;
  memset(&opt, 0, sizeof(opt));
  acdcFileOptionsRead(p, pFiles, &opt, pWarn);
  acdcFileOptionsClear(&opt);
}

/* Keep the files whose names (without folders) match the glob. */
static void listFilter(AcdcFileList *pL, const char *zGlob){
  int i, j = 0;
  for(i=0; i<pL->n; i++){
    const char *zName = strrchr(pL->a[i].zPath, '/');
    zName = zName ? zName+1 : pL->a[i].zPath;
    if( acdcFsMatch(zGlob, zName) ){
      pL->a[j++] = pL->a[i];
    }else{
      sqlite3_free(pL->a[i].zPath);
    }
  }
  pL->n = j;
}

void acdcFilesList(
  AcdcCtx *p,
  const AcdcFiles *pFiles,
  const char *zBase,
  AcdcFileList *pOut
){
  AcdcFileOptions opt;
  AcdcFile f;
  char *zPath;
  memset(&opt, 0, sizeof(opt));
  acdcFsAllowed(p);
  acdcFileOptionsRead(p, pFiles, &opt, 0);
  zPath = acdcFsPath(p, zBase, pFiles->zPath ? pFiles->zPath : "");
  if( zPath ){
    memset(&f, 0, sizeof(f));
    switch( acdcFsKind(zPath, &f) ){
      case 1:
        acdcFileListAdd(p, pOut, zPath, f.nSize, f.iMtime);
        break;
      case 2:
        acdcFsWalk(p, zBase, zPath, opt.bRecursive, 1, pOut);
        if( opt.zGlob ) listFilter(pOut, opt.zGlob);
        break;
      case 3:
        acdcError(p, SQLITE_CANTOPEN, "\"%s\" is not a regular file", zPath);
        break;
      default:
        if( acdcFsIsGlob(zPath) ){
          acdcFsGlob(p, zBase, zPath, 0, pOut);
          if( opt.zGlob ) listFilter(pOut, opt.zGlob);
        }else if( !opt.bIgnoreMissing ){
          acdcError(p, SQLITE_CANTOPEN, "there is no file or folder \"%s\"",
              zPath);
        }
        break;
    }
    sqlite3_free(zPath);
  }
  acdcFileOptionsClear(&opt);
}
