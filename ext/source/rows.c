/*
** autocdc_rows(ptr): an AcdcReader as a table-valued function.
**
** The equivalent table is
**
**   CREATE TABLE autocdc_rows(c0, c1, ..., c15, reader HIDDEN);
**
** and autocdc_rows2 and autocdc_rows3 are the same with more columns: declaring
** two thousand costs more than a small run.
**
** Its argument is a pointer that only C code can bind, which is why the
** function needs no DIRECTONLY: called with anything else, it is an error.
** A column behind the last one of the reader is NULL.
**
** One reader has one position: two cursors can take turns with it, but not
** read at the same time.
*/
#include "reader.h"

#define ROWS_POINTER "autocdc-reader"

typedef struct RowsVtab RowsVtab;
struct RowsVtab {
  sqlite3_vtab base;
  int nCol;                  /* Number of c columns declared */
};

typedef struct RowsCursor RowsCursor;
struct RowsCursor {
  sqlite3_vtab_cursor base;
  AcdcReader *pReader;       /* Not owned; NULL before xFilter */
};

static const struct { int nCol; const char *zName; } aRows[] = {
  { 16, "autocdc_rows" }, { 128, "autocdc_rows2" },
  { ACDC_READER_MAXCOL, "autocdc_rows3" }
};
#define N_ROWS ((int)(sizeof(aRows)/sizeof(aRows[0])))

/*
** The number of columns follows the limit of the connection, because a
** declaration above it would be refused.
*/
static int rowsConnect(
  sqlite3 *db,
  void *pAux,
  int argc, const char *const*argv,
  sqlite3_vtab **ppVtab,
  char **pzErr
){
  RowsVtab *pNew;
  sqlite3_str *pStr;
  char *zSql;
  int i, rc;
  int nCol = sqlite3_limit(db, SQLITE_LIMIT_COLUMN, -1) - 1;
  int nMax = *(const int*)pAux;
  ACDC_UNUSED(argc);
  ACDC_UNUSED(argv);
  if( nCol>nMax ) nCol = nMax;
  if( nCol<1 ) nCol = 1;
  *ppVtab = 0;
  pStr = sqlite3_str_new(db);
  sqlite3_str_appendall(pStr, "CREATE TABLE x(");
  for(i=0; i<nCol; i++) sqlite3_str_appendf(pStr, "c%d,", i);
  sqlite3_str_appendall(pStr, "reader HIDDEN)");
  zSql = sqlite3_str_finish(pStr);
  if( zSql==0 ) return SQLITE_NOMEM;
  rc = sqlite3_declare_vtab(db, zSql);
  sqlite3_free(zSql);
  if( rc!=SQLITE_OK ){
    *pzErr = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    return rc;
  }
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->nCol = nCol;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int rowsDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int rowsOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  RowsCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

/* Let go of the reader, so that another cursor may have it. */
static void rowsRelease(RowsCursor *pCur){
  if( pCur->pReader && pCur->pReader->pScan==(void*)pCur ){
    pCur->pReader->pScan = 0;
  }
}

static int rowsClose(sqlite3_vtab_cursor *pCursor){
  rowsRelease((RowsCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

/* Hand the error of the reader over to SQLite. */
static int rowsError(RowsCursor *pCur, int rc){
  AcdcReader *p = pCur->pReader;
  if( p->zErr ){
    sqlite3_free(pCur->base.pVtab->zErrMsg);
    pCur->base.pVtab->zErrMsg = p->zErr;
    p->zErr = 0;
  }
  rowsRelease(pCur);
  return rc;
}

static int rowsNext(sqlite3_vtab_cursor *pCursor){
  RowsCursor *pCur = (RowsCursor*)pCursor;
  int rc = pCur->pReader->xNext(pCur->pReader);
  return rc==SQLITE_OK ? SQLITE_OK : rowsError(pCur, rc);
}

/* A scan that has come to its end no longer occupies the reader. */
static int rowsEof(sqlite3_vtab_cursor *pCursor){
  RowsCursor *pCur = (RowsCursor*)pCursor;
  if( pCur->pReader->xEof(pCur->pReader)==0 ) return 0;
  rowsRelease(pCur);
  return 1;
}

/*
** The bytes are copied.  SQLITE_STATIC would save that, but SQLite may keep a
** static value beyond the row: max(c0) and the bare columns beside it hold
** the pointer itself while the scan goes on, and the reader overwrites its
** buffer.
*/
static int rowsColumn(
  sqlite3_vtab_cursor *pCursor,
  sqlite3_context *pCtx,
  int iCol
){
  AcdcReader *p = ((RowsCursor*)pCursor)->pReader;
  AcdcVal v;
  if( iCol>=p->nCol+p->nHidden ) return SQLITE_OK;
  p->xColumn(p, iCol, &v);
  switch( v.eType ){
    case SQLITE_INTEGER:
      sqlite3_result_int64(pCtx, v.u.i);
      break;
    case SQLITE_FLOAT:
      sqlite3_result_double(pCtx, v.u.r);
      break;
    case SQLITE_TEXT:
      sqlite3_result_text(pCtx, (const char*)v.u.z, v.n, SQLITE_TRANSIENT);
      break;
    case SQLITE_BLOB:
      sqlite3_result_blob(pCtx, v.n ? (const void*)v.u.z : (const void*)"",
          v.n, SQLITE_TRANSIENT);
      break;
    default:
      break;
  }
  return SQLITE_OK;
}

static int rowsRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  AcdcReader *p = ((RowsCursor*)pCursor)->pReader;
  *piRowid = p->xRowid(p);
  return SQLITE_OK;
}

static int rowsFilter(
  sqlite3_vtab_cursor *pCursor,
  int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  RowsCursor *pCur = (RowsCursor*)pCursor;
  RowsVtab *pVtab = (RowsVtab*)pCursor->pVtab;
  AcdcReader *p = 0;
  const char *zErr = 0;
  int rc;
  ACDC_UNUSED(idxNum);
  ACDC_UNUSED(idxStr);
  rowsRelease(pCur);
  if( argc==1 ) p = (AcdcReader*)sqlite3_value_pointer(argv[0], ROWS_POINTER);
  if( p==0 ){
    zErr = "autocdc_rows() is used by the extension itself;"
           " call autocdc_read_csv() or autocdc_read_json() to read a file";
  }else if( p->pScan && p->pScan!=(void*)pCur ){
    zErr = "a file source cannot be read twice at the same time:"
           " copy it to a table first";
  }else if( p->nCol+p->nHidden>pVtab->nCol ){
    zErr = "a file source has more columns than this connection allows";
  }
  if( zErr ){
    sqlite3_free(pVtab->base.zErrMsg);
    pVtab->base.zErrMsg = sqlite3_mprintf("%s", zErr);
    return SQLITE_ERROR;
  }
  pCur->pReader = p;
  p->pScan = (void*)pCur;
  rc = p->xRewind(p);
  return rc==SQLITE_OK ? SQLITE_OK : rowsError(pCur, rc);
}

/*
** A pointer that is there but not usable yet rules the plan out; one that is
** absent is left to xFilter, which can say what is wrong.
*/
static int rowsBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  int bUnusable = 0;
  int nCol = ((RowsVtab*)pVtab)->nCol;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn!=nCol ) continue;
    if( pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
    if( pInfo->aConstraint[i].usable==0 ){
      bUnusable = 1;
      continue;
    }
    pInfo->aConstraintUsage[i].argvIndex = 1;
    pInfo->aConstraintUsage[i].omit = 1;
    pInfo->estimatedCost = 1e6;
    pInfo->estimatedRows = 1000000;
    return SQLITE_OK;
  }
  if( bUnusable ) return SQLITE_CONSTRAINT;
  pInfo->estimatedCost = 1e99;
  return SQLITE_OK;
}

/* No xCreate: eponymous only. */
static const sqlite3_module rowsModule = {
  0,                         /* iVersion */
  0,                         /* xCreate */
  rowsConnect,               /* xConnect */
  rowsBestIndex,             /* xBestIndex */
  rowsDisconnect,            /* xDisconnect */
  0,                         /* xDestroy */
  rowsOpen,                  /* xOpen */
  rowsClose,                 /* xClose */
  rowsFilter,                /* xFilter */
  rowsNext,                  /* xNext */
  rowsEof,                   /* xEof */
  rowsColumn,                /* xColumn */
  rowsRowid,                 /* xRowid */
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcReaderRegister(sqlite3 *db){
  int i, rc = SQLITE_OK;
  for(i=0; i<N_ROWS && rc==SQLITE_OK; i++){
    rc = sqlite3_create_module(db, aRows[i].zName, &rowsModule,
                               (void*)&aRows[i].nCol);
  }
  return rc;
}

int acdcReaderBind(sqlite3_stmt *pStmt, int iParam, AcdcReader *pReader){
  return sqlite3_bind_pointer(pStmt, iParam, pReader, ROWS_POINTER, 0);
}

char *acdcReaderSql(AcdcCtx *p, const AcdcReader *pReader, int iParam){
  sqlite3_str *pStr;
  char *zSql;
  int i, iRows = 0;
  int nCol = pReader->nCol + pReader->nHidden;
  if( p->rc ) return 0;
  while( iRows<N_ROWS-1 && nCol>aRows[iRows].nCol ) iRows++;
  pStr = sqlite3_str_new(p->db);
  sqlite3_str_appendall(pStr, "(SELECT ");
  for(i=0; i<nCol; i++){
    sqlite3_str_appendf(pStr, "c%d AS \"%w\", ", i, pReader->aCol[i].zName);
  }
  sqlite3_str_appendf(pStr, "rowid AS \"%w\" FROM %s(?%d))",
      ACDC_READER_ROWID, aRows[iRows].zName, iParam);
  zSql = sqlite3_str_finish(pStr);
  if( zSql==0 ) acdcError(p, SQLITE_NOMEM, "out of memory");
  return zSql;
}

int acdcReaderColumn(const AcdcReader *pReader, const char *zName){
  int i;
  for(i=0; i<pReader->nCol+pReader->nHidden; i++){
    if( sqlite3_stricmp(pReader->aCol[i].zName, zName)==0 ) return i;
  }
  return -1;
}

char *acdcReaderWhere(AcdcReader *pReader, i64 iRowid){
  if( pReader==0 || pReader->xWhere==0 ) return 0;
  return pReader->xWhere(pReader, iRowid);
}

char *acdcReaderReport(AcdcCtx *p, const AcdcReader *pReader){
  static const char *const az[] = {
    "left out (mode DROPMALFORMED)", "kept although malformed",
    "with values in the column of rescued data"
  };
  i64 an[3];
  char *z = 0;
  int i;
  an[0] = pReader->nDropped;
  an[1] = pReader->nMalformed;
  an[2] = pReader->nRescued;
  for(i=0; i<3; i++){
    if( an[i]==0 ) continue;
    acdcAppendf(p, &z, "%s%lld record%s %s", z ? ", " : "", an[i],
                an[i]==1 ? "" : "s", az[i]);
  }
  if( z && pReader->zWarn ) acdcAppendf(p, &z, ", first: %s", pReader->zWarn);
  return z;
}

void acdcReaderFree(AcdcReader *pReader){
  if( pReader ) pReader->xFree(pReader);
}
