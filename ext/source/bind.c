/*
** Records of files into rows: fields to columns, text to types, and what
** becomes of a record that is not as it should be.
*/
#include "filesint.h"

/* Remember a value for the rescued data and make its column NULL. */
static void filesMisfit(FilesReader *p, int iCol, const u8 *z, int n){
  FilesMisfit *pM;
  if( p->nMisfit>=p->nMisfitAlloc ){
    int nNew = p->nMisfitAlloc ? p->nMisfitAlloc*2 : 8;
    FilesMisfit *aNew = acdcRealloc(&p->ctx, p->aMisfit,
        (i64)nNew*(i64)sizeof(FilesMisfit));
    if( aNew==0 ) return;
    p->aMisfit = aNew;
    p->nMisfitAlloc = nNew;
  }
  pM = &p->aMisfit[p->nMisfit++];
  pM->iCol = iCol;
  valBytes(&pM->v, z, n);
  valNull(&p->aVal[iCol]);
}

/*
** A value that is none of its declared type: kept as SQLite would keep it,
** unless somebody asked for better.  Returns 1 if that makes the row bad.
*/
static int filesNoFit(FilesReader *p, int iCol, const u8 *z, int n){
  if( p->opt.zRescue ){
    filesMisfit(p, iCol, z, n);
    return 0;
  }
  return p->opt.eMode!=ACDC_MODE_KEEP;
}

/* Why a row is bad, if it is.  Static text, or in zBuf. */
typedef struct FilesBad FilesBad;
struct FilesBad {
  const char *zWhy;
  u8 bLost;            /* Its values mean nothing */
  char zBuf[160];
};

/* Value z of column j is none of its type. */
static void filesBadValue(
  FilesReader *p,
  int j,
  const u8 *z, int n,
  FilesBad *pBad
){
  if( pBad->zWhy ) return;
  if( n>40 ){
    n = 40;
    while( n>0 && (z[n] & 0xc0)==0x80 ) n--;
  }
  sqlite3_snprintf(sizeof(pBad->zBuf), pBad->zBuf,
      "'%.*s' in column \"%.40s\" is no %.20s", n, z, p->schema.a[j].zName,
      p->schema.a[j].zType);
  pBad->zWhy = pBad->zBuf;
}

static void filesCsvRow(FilesReader *p, FilesBad *pBad){
  AcdcCsv *pCsv = &p->csv;
  int i;
  int n = pCsv->nField;
  pBad->zWhy = pCsv->zBad;
  pBad->bLost = pCsv->bLost;
  if( n!=p->nHead ){
    sqlite3_snprintf(sizeof(pBad->zBuf), pBad->zBuf,
        "%d field%s where %d %s expected", n, n==1 ? "" : "s", p->nHead,
        p->nHead==1 ? "is" : "are");
    if( pBad->zWhy==0 ) pBad->zWhy = pBad->zBuf;
    if( n<p->nHead ){
      for(i=0; i<p->nData; i++) valNull(&p->aVal[i]);
    }
    if( n>p->nHead ){
      p->nUnknown += n - p->nHead;
      n = p->nHead;
    }
  }
  for(i=0; i<n; i++){
    const AcdcCsvField *pF = &pCsv->aField[i];
    int j = p->aMap[i];
    const u8 *z = pF->z;
    int nByte = pF->n;
    AcdcVal *pV;
    if( j<0 ){
      p->nUnknown += nByte>0 || pF->bQuoted;
      continue;
    }
    pV = &p->aVal[j];
    if( nByte==0 ){
      if( !pF->bQuoted ){
        valNull(pV);
        continue;
      }
      if( p->opt.zEmpty ){
        z = (const u8*)p->opt.zEmpty;
        nByte = (int)strlen(p->opt.zEmpty);
      }
    }else if( p->opt.zNull && nByte==p->nNull
           && memcmp(z, p->opt.zNull, (size_t)nByte)==0 ){
      valNull(pV);
      continue;
    }
    if( !acdcConvText(p->aConv[j], z, nByte, pV)
     && filesNoFit(p, j, z, nByte)
    ){
      filesBadValue(p, j, z, nByte, pBad);
    }
  }
}

/* One member into its column. */
static int filesJsonValue(FilesReader *p, int j, const AcdcJsonlField *pF){
  AcdcVal *pV = &p->aVal[j];
  u8 eConv = p->aConv[j];
  p->aNested[j] = 0;
  switch( pF->eType ){
    case ACDC_JSONL_NULL:
      valNull(pV);
      return 1;
    case ACDC_JSONL_TRUE: case ACDC_JSONL_FALSE:
      if( eConv==ACDC_CONV_TEXT ){
        valBytes(pV, pF->z, pF->n);
        return 1;
      }
      pV->eType = SQLITE_INTEGER;
      pV->u.i = pF->eType==ACDC_JSONL_TRUE;
      return eConv==ACDC_CONV_BOOL || eConv==ACDC_CONV_NONE;
    case ACDC_JSONL_NUMBER:
      return acdcConvNumber(eConv, pF->z, pF->n, pV);
    case ACDC_JSONL_STRING:
      return acdcConvText(eConv, pF->z, pF->n, pV);
    default:
      p->aNested[j] = 1;
      valBytes(pV, pF->z, pF->n);
      return eConv<=ACDC_CONV_NONE;
  }
}

/* Is a column's name the n bytes at z?  Those may hold a NUL. */
static int filesIsName(const char *zCol, const u8 *z, int n){
  int i;
  for(i=0; i<n && zCol[i] && zCol[i]==(char)z[i]; i++){}
  return i==n && zCol[n]==0;
}

static void filesJsonRow(FilesReader *p, FilesBad *pBad){
  AcdcJsonl *pJ = &p->json;
  int i;
  pBad->zWhy = pJ->zBad;
  pBad->bLost = pJ->zBad!=0;
  if( p->bKeep ) return;
  for(i=0; i<p->nData; i++) valNull(&p->aVal[i]);
  memset(p->aNested, 0, (size_t)p->nData+1);
  acdcFilesMapSize(p, pJ->nField);
  for(i=0; i<pJ->nField && p->ctx.rc==0; i++){
    const AcdcJsonlField *pF = &pJ->aField[i];
    int j = p->aMap[i];
    if( j<0 || !filesIsName(p->schema.a[j].zName, pF->zName, pF->nName) ){
      j = p->aMap[i] = acdcFilesColumn(p, pF->zName, pF->nName);
    }
    if( j<0 ){
      p->nUnknown++;
      if( p->opt.bFailNew ){
        acdcError(&p->ctx, SQLITE_ERROR, "%s:%lld: member \"%.*s\" is not in"
            " the schema: add it, or change the option schemaEvolutionMode"
            " (failOnNewColumns)", p->in.zPath, pJ->iLine, pF->nName,
            pF->zName);
      }
    }else if( !filesJsonValue(p, j, pF) && filesNoFit(p, j, pF->z, pF->n) ){
      filesBadValue(p, j, pF->z, pF->n, pBad);
    }
  }
}

static void filesWarn(FilesReader *p, const char *zWhy, const char *zThen){
  if( p->base.zWarn ) return;
  p->base.zWarn = sqlite3_mprintf("%s:%lld: %s; %s", p->in.zPath,
      acdcFilesLineNo(p), zWhy, zThen);
}

/*
** Judge a bad row.  Returns 1 if it stays.
*/
static int filesJudge(FilesReader *p, const FilesBad *pBad){
  const char *zHint = "";
  if( p->opt.eMode==ACDC_MODE_DROP ){
    p->base.nDropped++;
    filesWarn(p, pBad->zWhy, "the row is left out (mode DROPMALFORMED)");
    return 0;
  }
  if( p->opt.eMode==ACDC_MODE_KEEP && (!pBad->bLost || p->iCorrupt>=0) ){
    p->base.nMalformed++;
    filesWarn(p, pBad->zWhy,
        "the row is kept as far as it goes (mode PERMISSIVE)");
    return 1;
  }
  if( p->opt.bJson && !p->json.bMulti && pBad->bLost ){
    zHint = " (a record a line is expected; for records of several lines set"
            " the option multiLine to \"true\")";
  }
  acdcError(&p->ctx, SQLITE_ERROR, "%s:%lld: %s%s%s", p->in.zPath,
      acdcFilesLineNo(p), pBad->zWhy, zHint,
      p->opt.eMode==ACDC_MODE_FAIL ? " (mode FAILFAST)"
          : ": correct the file, or set the option mode to DROPMALFORMED");
  return 0;
}

/* The record into the row.  Returns 0 if it is left out, or on an error. */
int acdcFilesBindRow(FilesReader *p){
  FilesBad bad;
  int i;
  sqlite3_free(p->zRescued);
  p->zRescued = 0;
  p->nUnknown = 0;
  p->nMisfit = 0;
  bad.zWhy = 0;
  bad.bLost = 0;
  if( p->opt.bJson ) filesJsonRow(p, &bad);
  else filesCsvRow(p, &bad);
  if( p->ctx.rc ) return 0;
  if( p->iCorrupt>=0 ) valNull(&p->aVal[p->iCorrupt]);
  if( bad.zWhy ){
    if( !filesJudge(p, &bad) ) return 0;
    if( bad.bLost ){
      for(i=0; i<p->nData; i++) valNull(&p->aVal[i]);
      p->nUnknown = p->nMisfit = 0;
    }
    if( p->iCorrupt>=0 ){
      i64 iBad;
      const u8 *z = p->opt.bJson ? p->json.aRaw : p->csv.aRaw;
      i64 n = p->opt.bJson ? p->json.nRaw : p->csv.nRaw;
      if( acdcUtf8Valid(z, n, &iBad) && memchr(z, 0, (size_t)n)==0 ){
        valBytes(&p->aVal[p->iCorrupt], z, n);
      }else{
        acdcError(&p->ctx, SQLITE_ERROR, "%s:%lld: %s", p->in.zPath,
            acdcFilesLineNo(p), bad.zWhy);
        return 0;
      }
    }
  }
  if( (p->nUnknown>0 && !p->bKeep) || p->nMisfit>0 ) p->base.nRescued++;
  return 1;
}

/*
** A value as a member of a JSON object.
*/
void acdcFilesPutValue(sqlite3_str *pStr, const AcdcVal *pV, int bJson){
  switch( pV->eType ){
    case SQLITE_INTEGER:
      sqlite3_str_appendf(pStr, "%lld", pV->u.i);
      break;
    case SQLITE_FLOAT:
      acdcRealText(pStr, pV->u.r);
      break;
    case SQLITE_TEXT:
      if( bJson ) sqlite3_str_append(pStr, (const char*)pV->u.z, pV->n);
      else acdcJsonText(pStr, pV->u.z, pV->n);
      break;
    default:
      sqlite3_str_appendall(pStr, "null");
      break;
  }
}

void acdcFilesPutName(sqlite3_str *pStr, const void *z, i64 n, int *pn){
  sqlite3_str_appendchar(pStr, 1, (*pn)++ ? ',' : '{');
  acdcJsonText(pStr, (const u8*)z, n);
  sqlite3_str_appendchar(pStr, 1, ':');
}

/* What has no column, of a CSV record.  Fields without a name are _cN. */
static void filesRescueCsv(FilesReader *p, sqlite3_str *pStr, int *pn){
  int i;
  for(i=0; i<p->csv.nField; i++){
    const AcdcCsvField *pF = &p->csv.aField[i];
    if( i<p->nMap && p->aMap[i]>=0 && i<p->nHead ) continue;
    if( pF->n==0 && !pF->bQuoted ) continue;
    if( i<p->head.n ){
      acdcFilesPutName(pStr, p->head.az[i], (i64)strlen(p->head.az[i]), pn);
    }else{
      char zName[20];
      sqlite3_snprintf(sizeof(zName), zName, "_c%d", i);
      acdcFilesPutName(pStr, zName, (i64)strlen(zName), pn);
    }
    acdcJsonText(pStr, pF->z, pF->n);
  }
}

static void filesRescueJson(FilesReader *p, sqlite3_str *pStr, int *pn){
  int i;
  for(i=0; i<p->json.nField; i++){
    const AcdcJsonlField *pF = &p->json.aField[i];
    if( p->aMap[i]>=0 ) continue;
    acdcFilesPutName(pStr, pF->zName, pF->nName, pn);
    if( pF->eType==ACDC_JSONL_STRING ) acdcJsonText(pStr, pF->z, pF->n);
    else sqlite3_str_append(pStr, (const char*)pF->z, pF->n);
  }
}

/*
** The rescued data of the current row, made when it is asked for.  NULL if
** there is none.
*/
const char *acdcFilesRescued(FilesReader *p){
  sqlite3_str *pStr;
  int i, n = 0;
  if( p->zRescued ) return p->zRescued;
  if( (p->nUnknown==0 || p->bKeep) && p->nMisfit==0 ) return 0;
  pStr = sqlite3_str_new(0);
  if( p->opt.bJson ) filesRescueJson(p, pStr, &n);
  else filesRescueCsv(p, pStr, &n);
  for(i=0; i<p->nMisfit; i++){
    const FilesMisfit *pM = &p->aMisfit[i];
    const char *zName = p->schema.a[pM->iCol].zName;
    acdcFilesPutName(pStr, zName, (i64)strlen(zName), &n);
    acdcFilesPutValue(pStr, &pM->v, 0);
  }
  acdcFilesPutName(pStr, "_file_path", 10, &n);
  acdcJsonText(pStr, (const u8*)p->in.zPath, (i64)strlen(p->in.zPath));
  sqlite3_str_appendchar(pStr, 1, '}');
  p->zRescued = sqlite3_str_finish(pStr);
  return p->zRescued;
}
