/*
** Many rows into one statement: the private table-valued function
** autocdc_feed(ptr) reads rows that a buffer holds, so that
**
**   INSERT INTO t(...) SELECT c0, c1, ... FROM autocdc_feed(?1)
**
** writes them without a bind, step and reset a row (measured: nearly half the
** time of bound statements in bulk).  Unlike autocdc_rows() the values stay
** where they are until the statement ends, so nothing is copied.
*/
#include "merge.h"

#define FEED_POINTER "autocdc-feed"

void acdcFeedInit(AcdcFeed *pF, int nCol){
  memset(pF, 0, sizeof(*pF));
  pF->nCol = nCol;
}

void acdcFeedClear(AcdcFeed *pF){
  sqlite3_free(pF->aVal);
  acdcArenaFree(&pF->arena);
  memset(pF, 0, sizeof(*pF));
}

AcdcVal *acdcFeedAdd(AcdcCtx *p, AcdcFeed *pF){
  if( pF->nRow>=pF->nAlloc ){
    int nNew = pF->nAlloc ? pF->nAlloc*2 : 64;
    AcdcVal *aNew = acdcRealloc(p, pF->aVal,
                                sizeof(AcdcVal)*(i64)nNew*pF->nCol);
    if( aNew==0 ) return 0;
    pF->aVal = aNew;
    pF->nAlloc = nNew;
  }
  return &pF->aVal[(i64)(pF->nRow++)*pF->nCol];
}

void acdcFeedReset(AcdcFeed *pF){
  pF->nRow = 0;
  pF->nByte = 0;
  acdcArenaReset(&pF->arena);
}

int acdcFeedBind(sqlite3_stmt *pStmt, int i, AcdcFeed *pF){
  pF->iRow = -1;
  return sqlite3_bind_pointer(pStmt, i, pF, FEED_POINTER, 0);
}

/* ---- the module ---- */

typedef struct FeedVtab FeedVtab;
struct FeedVtab {
  sqlite3_vtab base;
  int nCol;              /* The argument's column */
};

typedef struct FeedCursor FeedCursor;
struct FeedCursor {
  sqlite3_vtab_cursor base;
  AcdcFeed *pF;          /* Not owned */
  const AcdcVal *aRow;   /* The row at hand */
  const AcdcVal *aEnd;
};

static int feedConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  FeedVtab *pNew;
  sqlite3_str *pStr = sqlite3_str_new(db);
  char *zSql;
  int i, rc, n = *(const int*)pAux;
  int nMax = sqlite3_limit(db, SQLITE_LIMIT_COLUMN, -1) - 2;
  ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  if( n>nMax ) n = nMax;
  sqlite3_str_appendall(pStr, "CREATE TABLE x(");
  for(i=0; i<n; i++) sqlite3_str_appendf(pStr, "c%d,", i);
  sqlite3_str_appendall(pStr, "feed HIDDEN)");
  zSql = sqlite3_str_finish(pStr);
  if( zSql==0 ) return SQLITE_NOMEM;
  rc = sqlite3_declare_vtab(db, zSql);
  sqlite3_free(zSql);
  if( rc ) return rc;
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->nCol = n;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int feedDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int feedOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  FeedCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static int feedClose(sqlite3_vtab_cursor *pCursor){
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int feedBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  int nCol = ((FeedVtab*)pVtab)->nCol;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn==nCol && pInfo->aConstraint[i].usable
     && pInfo->aConstraint[i].op==SQLITE_INDEX_CONSTRAINT_EQ
    ){
      pInfo->aConstraintUsage[i].argvIndex = 1;
      pInfo->aConstraintUsage[i].omit = 1;
    }
  }
  pInfo->estimatedCost = 1000;
  return SQLITE_OK;
}

static int feedFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  FeedCursor *pCur = (FeedCursor*)pCursor;
  AcdcFeed *pF = argc==1 ? sqlite3_value_pointer(argv[0], FEED_POINTER) : 0;
  ACDC_UNUSED(idxNum); ACDC_UNUSED(idxStr);
  if( pF==0 || pF->nCol>((FeedVtab*)pCursor->pVtab)->nCol ){
    sqlite3_free(pCursor->pVtab->zErrMsg);
    pCursor->pVtab->zErrMsg = sqlite3_mprintf("autocdc_feed() is private");
    return SQLITE_ERROR;
  }
  pCur->pF = pF;
  pCur->aRow = pF->aVal;
  pCur->aEnd = pF->aVal + (i64)pF->nRow*pF->nCol;
  pF->iRow = 0;
  return SQLITE_OK;
}

static int feedNext(sqlite3_vtab_cursor *pCursor){
  FeedCursor *pCur = (FeedCursor*)pCursor;
  pCur->aRow += pCur->pF->nCol;
  pCur->pF->iRow++;
  return SQLITE_OK;
}

static int feedEof(sqlite3_vtab_cursor *pCursor){
  FeedCursor *pCur = (FeedCursor*)pCursor;
  return pCur->aRow>=pCur->aEnd;
}

static int feedColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  FeedCursor *pCur = (FeedCursor*)pCursor;
  const AcdcVal *pV;
  if( iCol>=pCur->pF->nCol ) return SQLITE_OK;
  pV = &pCur->aRow[iCol];
  switch( pV->eType ){
    case SQLITE_INTEGER:
      sqlite3_result_int64(pCtx, pV->u.i);
      break;
    case SQLITE_FLOAT:
      sqlite3_result_double(pCtx, pV->u.r);
      break;
    case SQLITE_TEXT:
      sqlite3_result_text(pCtx, (const char*)pV->u.z, pV->n, SQLITE_STATIC);
      break;
    case SQLITE_BLOB:
      sqlite3_result_blob(pCtx, pV->u.z, pV->n, SQLITE_STATIC);
      break;
    default:
      break;
  }
  return SQLITE_OK;
}

static int feedRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  FeedCursor *pCur = (FeedCursor*)pCursor;
  *piRowid = (pCur->aRow - pCur->pF->aVal)/pCur->pF->nCol;
  return SQLITE_OK;
}

static const sqlite3_module feedModule = {
  0, 0, feedConnect, feedBestIndex, feedDisconnect, 0, feedOpen, feedClose,
  feedFilter, feedNext, feedEof, feedColumn, feedRowid,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

/*
** Three modules that differ in their number of columns: declaring two thousand
** costs more than a small merge.
*/
static const struct { int nCol; const char *zName; } aFeed[] = {
  { 16, "autocdc_feed" }, { 128, "autocdc_feed2" }, { 32766, "autocdc_feed3" }
};

const char *acdcFeedModule(int nCol){
  int i = 0;
  while( i<2 && nCol>aFeed[i].nCol ) i++;
  return aFeed[i].zName;
}

int acdcFeedRegister(sqlite3 *db){
  int i, rc = SQLITE_OK;
  for(i=0; i<3 && rc==SQLITE_OK; i++){
    rc = sqlite3_create_module(db, aFeed[i].zName, &feedModule,
                               (void*)&aFeed[i].nCol);
  }
  return rc;
}
