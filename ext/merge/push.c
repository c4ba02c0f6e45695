/*
** Events that are pushed row by row: INSERT into an scd2 table.
**
** A row is read like that of any source, by SQL, so that conditions, sequence
** expressions and affinities mean the same.  Its values are the arguments of
** xUpdate, made readable by the private table-valued function
** autocdc_pushed(ptr, block).  That function has columns of each affinity (a0,
** b0, c0, d0, e0, a1, ...), because the affinity of a column takes part in
** comparisons; column i of the row in affinity 'd' is d<i>.  There are as many
** as a table may have columns; wider rows are read in blocks.
*/
#include "merge.h"

#define PUSH_POINTER "autocdc-pushed"
#define PUSH_MEMORY  (40*1024*1024)    /* bytes for sorting */

/* The row at hand. */
typedef struct PushRow PushRow;
struct PushRow {
  int n;
  sqlite3_value **apVal; /* Not owned; NULL between calls */
};

struct AcdcPush {
  AcdcCtx *p;            /* Not owned */
  AcdcSource src;        /* The row as a source */
  AcdcMerge merge;
  AcdcCollector *pC;     /* Owned */
  PushRow row;
  AcdcSeqKind saved;     /* The kinds that autocdc_targets has */
  AcdcSeqKind savedSys;
  i64 nWait;             /* Rows pushed since the last flush */
};

/* Columns of each affinity in a block. */
static int pushBlock(sqlite3 *db){
  return (sqlite3_limit(db, SQLITE_LIMIT_COLUMN, -1) - 3)/5;
}

/* ---- the row as a source ---- */

/* "(SELECT r0.d0 AS "id", ... FROM autocdc_pushed(?1, 0) AS r0)" */
static char *pushFrom(AcdcCtx *p, const AcdcTable *pCols){
  int nPer = pushBlock(p->db);
  char *z = acdcMprintf(p, "(SELECT ");
  int i;
  for(i=0; i<pCols->nCol; i++){
    const AcdcColumn *pC = &pCols->aCol[i];
    acdcAppendf(p, &z, "%sr%d.%c%d%s%s%s AS \"%w\"", i ? ", " : "", i/nPer,
        pC->cAff - 'A' + 'a', i%nPer, pC->zColl ? " COLLATE \"" : "",
        pC->zColl ? pC->zColl : "", pC->zColl ? "\"" : "", pC->zName);
  }
  for(i=0; i*nPer<pCols->nCol; i++){
    acdcAppendf(p, &z, "%s autocdc_pushed(?1, %d) AS r%d", i ? "," : " FROM",
                i, i);
  }
  acdcAppendf(p, &z, ")");
  return z;
}

static void pushSource(
  AcdcCtx *p, const AcdcTable *pCols, const char *zLabel, AcdcSource *pSrc
){
  AcdcTable *pT = &pSrc->tab;
  int i;
  memset(pSrc, 0, sizeof(*pSrc));
  pSrc->bPushed = 1;
  pSrc->bAppend = 1;
  pSrc->zFrom = pushFrom(p, pCols);
  pSrc->zLabel = acdcStrdup(p, zLabel);
  pT->zName = acdcStrdup(p, zLabel);
  pT->iIpk = -1;
  pT->aCol = acdcMalloc(p, sizeof(AcdcColumn)*(pCols->nCol+1));
  if( p->rc ) return;
  pT->nCol = pCols->nCol;
  for(i=0; i<pT->nCol; i++){
    pT->aCol[i].zName = acdcStrdup(p, pCols->aCol[i].zName);
    pT->aCol[i].zType = acdcStrdup(p, pCols->aCol[i].zType);
    pT->aCol[i].zColl = acdcStrdup(p, pCols->aCol[i].zColl);
    pT->aCol[i].cAff = pCols->aCol[i].cAff;
  }
}

/* ---- events ---- */

static void pushSorter(AcdcPush *pP){
  AcdcMerge *pM = &pP->merge;
  acdcSorterFree(pM->pSorter);
  pM->pSorter = acdcSorterNew(pP->p, PUSH_MEMORY, &pM->st.kind);
}

AcdcPush *acdcPushOpen(
  AcdcCtx *p, const AcdcFlow *pFlow, const AcdcTable *pCols, const char *zLabel
){
  AcdcPush *pP = acdcMalloc(p, sizeof(*pP));
  AcdcMerge *pM;
  if( pP==0 ) return 0;
  pP->p = p;
  pM = &pP->merge;
  pushSource(p, pCols, zLabel, &pP->src);
  acdcMergeOpen(p, pM, pFlow, &pP->src);
  acdcStateSave(p, pM->tgt.zSchema, pM->tgt.zName, &pM->st);  /* our tables */
  pM->pW = acdcWriterNew(pM);
  pushSorter(pP);
  if( p->rc==0 ){
    acdcMergeFacts(pM);
    /* Without rows and events nothing has to be looked up */
    pM->bEmptyTarget = !pM->st.bHidden
        && !acdcSelectInt(p, 0, "SELECT 1 FROM %s LIMIT 1", pM->zTgtSql);
    pP->saved = pM->st.kind;
    pP->savedSys = pM->st.sysKind;
    pP->pC = acdcCollectorNew(pM);
  }
  pP->row.n = pCols->nCol;
  if( pP->pC && p->rc==0 ){
    sqlite3_bind_pointer(acdcCollectorStmt(pP->pC), 1, &pP->row, PUSH_POINTER,
                         0);
  }
  if( p->rc ){
    acdcPushClose(pP);
    pP = 0;
  }
  return pP;
}

void acdcPushClose(AcdcPush *pP){
  if( pP==0 ) return;
  acdcCollectorFree(pP->pC);
  acdcMergeClose(&pP->merge);
  acdcSourceClose(&pP->src);
  sqlite3_free(pP);
}

int acdcPushWaits(const AcdcPush *pP){
  return pP!=0 && pP->nWait>0;
}

/*
** A tie that is an error must be found before the next row; where SQLite
** compares keys (collations), it numbers those of one run of the statement.
*/
int acdcPushOneByOne(const AcdcPush *pP){
  return pP->merge.pFlow->eTieBreak==ACDC_TIE_ERROR || pP->merge.bCollate;
}

AcdcMerge *acdcPushMerge(AcdcPush *pP){
  return &pP->merge;
}

void acdcPushRow(AcdcPush *pP, sqlite3_value **apVal, i64 iRow){
  AcdcMerge *pM = &pP->merge;
  AcdcSeqKind was = pM->st.kind, wasSys = pM->st.sysKind;
  int nMark = pM->nNewMark;
  if( pP->p->rc ) return;
  pP->row.apVal = apVal;
  acdcCollectorRow(pP->pC, apVal, iRow);
  pP->row.apVal = 0;
  if( pP->p->rc ){
    pM->st.kind = was;
    pM->st.sysKind = wasSys;
    pM->nNewMark = nMark;
  }else{
    pP->nWait++;
  }
}

void acdcPushFlush(AcdcPush *pP){
  AcdcCtx *p = pP->p;
  AcdcMerge *pM = &pP->merge;
  int bKind;
  if( pP->nWait==0 || p->rc ) return;
  pP->nWait = 0;
  bKind = memcmp(&pP->saved, &pM->st.kind, sizeof(pP->saved))!=0
       || memcmp(&pP->savedSys, &pM->st.sysKind, sizeof(pP->savedSys))!=0;
  acdcSorterFinish(p, pM->pSorter);
  if( bKind ) acdcMergeFacts(pM);
  if( p->rc==0 ) acdcMergeApply(pM);
  if( bKind ){
    acdcStateSave(p, pM->tgt.zSchema, pM->tgt.zName, &pM->st);
    pP->saved = pM->st.kind;
    pP->savedSys = pM->st.sysKind;
  }
  pM->bEmptyTarget = 0;
  pM->bStay = 0;
  pM->nNewMark = 0;
  pushSorter(pP);
}

/* ---- autocdc_pushed(ptr, block) ---- */

typedef struct PushVtab PushVtab;
struct PushVtab {
  sqlite3_vtab base;
  int nPer;              /* Columns of each affinity */
};

typedef struct PushCursor PushCursor;
struct PushCursor {
  sqlite3_vtab_cursor base;
  const PushRow *pRow;   /* Not owned */
  int iBlock;
  int bEof;
};

static int pushConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  static const char *const azType[] = {"", "TEXT","NUMERIC","INTEGER","REAL"};
  PushVtab *pNew;
  sqlite3_str *pStr = sqlite3_str_new(db);
  char *zSql;
  int i, rc, nPer = pushBlock(db);
  ACDC_UNUSED(pAux); ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  sqlite3_str_appendall(pStr, "CREATE TABLE x(");
  for(i=0; i<nPer*5; i++){
    sqlite3_str_appendf(pStr, "%c%d %s,", 'a'+i%5, i/5, azType[i%5]);
  }
  sqlite3_str_appendall(pStr, "ptr HIDDEN, block HIDDEN)");
  zSql = sqlite3_str_finish(pStr);
  if( zSql==0 ) return SQLITE_NOMEM;
  rc = sqlite3_declare_vtab(db, zSql);
  sqlite3_free(zSql);
  if( rc ) return rc;
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->nPer = nPer;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int pushDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int pushOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  PushCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static int pushClose(sqlite3_vtab_cursor *pCursor){
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int pushBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int nCol = ((PushVtab*)pVtab)->nPer*5;
  int i;
  for(i=0; i<pInfo->nConstraint; i++){
    int iArg = pInfo->aConstraint[i].iColumn - nCol;
    if( (iArg==0 || iArg==1) && pInfo->aConstraint[i].usable
     && pInfo->aConstraint[i].op==SQLITE_INDEX_CONSTRAINT_EQ
    ){
      pInfo->aConstraintUsage[i].argvIndex = iArg+1;
      pInfo->aConstraintUsage[i].omit = 1;
    }
  }
  pInfo->estimatedCost = 1;
  pInfo->estimatedRows = 1;
  return SQLITE_OK;
}

static int pushFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  PushCursor *pCur = (PushCursor*)pCursor;
  ACDC_UNUSED(idxNum); ACDC_UNUSED(idxStr);
  pCur->pRow = argc==2 ? sqlite3_value_pointer(argv[0], PUSH_POINTER) : 0;
  pCur->bEof = pCur->pRow==0 || pCur->pRow->apVal==0;
  if( pCur->pRow==0 ){
    sqlite3_free(pCursor->pVtab->zErrMsg);
    pCursor->pVtab->zErrMsg = sqlite3_mprintf("autocdc_pushed() is private");
    return SQLITE_ERROR;
  }
  pCur->iBlock = sqlite3_value_int(argv[1]);
  return SQLITE_OK;
}

static int pushNext(sqlite3_vtab_cursor *pCursor){
  ((PushCursor*)pCursor)->bEof = 1;
  return SQLITE_OK;
}

static int pushEof(sqlite3_vtab_cursor *pCursor){
  return ((PushCursor*)pCursor)->bEof;
}

/*
** As a column of that affinity would have the value.  TEXT and BLOB stay where
** they are until the statement that reads them has ended.
*/
static void pushResult(sqlite3_context *pCtx, sqlite3_value *pV, char cAff){
  int eType = sqlite3_value_type(pV);
  if( cAff=='B' && (eType==SQLITE_INTEGER || eType==SQLITE_FLOAT) ){
    eType = SQLITE_TEXT;
  }else if( cAff>='C' && eType==SQLITE_TEXT ){
    eType = sqlite3_value_numeric_type(pV);
  }
  switch( eType ){
    case SQLITE_INTEGER: {
      i64 i = sqlite3_value_int64(pV);
      if( cAff=='E' ){
        sqlite3_result_double(pCtx, (double)i);
      }else{
        sqlite3_result_int64(pCtx, i);
      }
      break;
    }
    case SQLITE_FLOAT: {
      double r = sqlite3_value_double(pV);
      if( (cAff=='C' || cAff=='D') && r>-2251799813685248.0
       && r<2251799813685248.0 && (double)(i64)r==r
      ){
        sqlite3_result_int64(pCtx, (i64)r);
      }else{
        sqlite3_result_double(pCtx, r);
      }
      break;
    }
    case SQLITE_TEXT: {
      const char *z = (const char*)sqlite3_value_text(pV);
      sqlite3_result_text(pCtx, z, sqlite3_value_bytes(pV), SQLITE_STATIC);
      break;
    }
    case SQLITE_BLOB: {
      const void *a = sqlite3_value_blob(pV);
      int n = sqlite3_value_bytes(pV);
      sqlite3_result_blob(pCtx, n ? a : (const void*)"", n, SQLITE_STATIC);
      break;
    }
    default:
      break;
  }
}

static int pushColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  PushCursor *pCur = (PushCursor*)pCursor;
  int nPer = ((PushVtab*)pCursor->pVtab)->nPer;
  int i = pCur->iBlock*nPer + iCol/5;
  if( iCol>=nPer*5 || i<0 || i>=pCur->pRow->n ) return SQLITE_OK;
  pushResult(pCtx, pCur->pRow->apVal[i], (char)('A' + iCol%5));
  return SQLITE_OK;
}

static int pushRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  ACDC_UNUSED(pCursor);
  *piRowid = 1;
  return SQLITE_OK;
}

static const sqlite3_module pushModule = {
  0, 0, pushConnect, pushBestIndex, pushDisconnect, 0, pushOpen, pushClose,
  pushFilter, pushNext, pushEof, pushColumn, pushRowid,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcPushRegister(sqlite3 *db){
  int rc = acdcCollectorRegister(db);
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_module(db, "autocdc_pushed", &pushModule, 0);
  }
  return rc;
}
