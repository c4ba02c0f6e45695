/*
** Change events that are inserted into scd2 tables.
**
** Each row is checked at once, and its event waits for those that follow, for
** sorted events cost a fraction of the same ones in any order.  What waits is
** written where its statement ends, so that whoever reads the table of rows
** finds it, and nothing is left of a statement that fails:
**
**   * outside a transaction at xSync, before the commit;
**   * inside one, if the statement may fail half-way, SQLite opens a savepoint
**     for it: at xRelease, which ends it.  xRollbackTo drops what waits;
**   * else it is a statement of one row, which is written at once;
**   * before this table is read, and before any other savepoint.
**
** Errors of data are raised in xUpdate, because an error in xRelease would
** cost the caller the whole transaction.
*/
#include "scd2.h"

/* ---- what a table of rows must be like ---- */

/* Does the text of the table hold the word CHECK outside quotes? */
static int writeHasCheck(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  char *zSql = acdcSelectText(p, "SELECT sql FROM \"%w\".%s WHERE type='table' "
      "AND name=%Q COLLATE NOCASE", pTab->zSchema,
      sqlite3_stricmp(pTab->zSchema, "temp") ? "sqlite_master"
                                             : "sqlite_temp_master",
      pTab->zRows);
  const char *z = zSql;
  int bFound = 0;
  while( z && *z && !bFound ){
    if( *z=='\'' || *z=='"' || *z=='`' || *z=='[' ){
      char cEnd = *z=='[' ? ']' : *z;
      for(z++; *z && *z!=cEnd; z++){}
    }else if( sqlite3_strnicmp(z, "check", 5)==0 && z>zSql
           && strchr(" \t\r\n,()", z[-1]) && strchr(" \t\r\n(", z[5]) ){
      bFound = 1;
    }
    if( *z ) z++;
  }
  sqlite3_free(zSql);
  return bFound;
}

/* A unique index on anything but the keys and __START_AT, or NULL. */
static char *writeOtherUnique(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  sqlite3_stmt *pList, *pCols;
  char *zFound = 0;
  pList = acdcPrepare(p, 0, "PRAGMA \"%w\".index_list(\"%w\")", pTab->zSchema,
                      pTab->zRows);
  while( zFound==0 && acdcStep(p, pList) ){
    const char *zIndex = (const char*)sqlite3_column_text(pList, 1);
    int nCol = 0, nKnown = 0, bStart = 0;
    if( sqlite3_column_int(pList, 2)==0 || zIndex==0 ) continue;
    pCols = acdcPrepare(p, 0, "PRAGMA \"%w\".index_info(\"%w\")",
                        pTab->zSchema, zIndex);
    while( acdcStep(p, pCols) ){
      const char *z = (const char*)sqlite3_column_text(pCols, 2);
      int i = z ? acdcTableColumn(&pTab->rows, z) : -1;
      int k;
      nCol++;
      for(k=0; k<pTab->nKey; k++) if( i>=0 && pTab->aKey[k]==i ) nKnown++;
      if( i>=0 && (i==pTab->iStart || i==pTab->iSysStart) ){
        nKnown++;
        bStart = 1;
      }
    }
    acdcFinalize(p, &pCols);
    if( !bStart || nKnown<pTab->nKey+1 || nKnown!=nCol ){
      zFound = acdcStrdup(p, zIndex);
    }
  }
  acdcFinalize(p, &pList);
  return zFound;
}

/* What the table demands of values that only writing them would show. */
static const char *writeDemand(AcdcScd2 *pTab, AcdcMerge *pM){
  int i;
  if( pM->bRowMode && !pTab->flow.bNullKeysMatch ){
    return "triggers or foreign keys";
  }
  if( pTab->bOwned ) return 0;
  if( writeHasCheck(pTab) ) return "CHECK constraints";
  if( pTab->rows.bStrict ) return "STRICT types";
  for(i=0; i<pM->nVal; i++){
    int iTgt = pM->aVal[i].iTgt;
    if( iTgt>=0 && pM->tgt.aCol[iTgt].bNotNull ) return "NOT NULL columns";
  }
  return 0;
}

static void writeGuard(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  const char *zWhat = writeDemand(pTab, acdcPushMerge(pTab->pPush));
  char *zIndex = 0;
  if( p->rc ) return;
  if( zWhat==0 && pTab->rows.nCol ) zIndex = writeOtherUnique(pTab);
  if( zWhat || zIndex ){
    acdcError(p, SQLITE_CONSTRAINT, "table %s has %s%s: INSERT cannot know "
        "beforehand what they refuse; bring the changes with apply_changes()",
        pTab->zRows, zWhat ? zWhat : "unique index ", zIndex ? zIndex : "");
  }
  sqlite3_free(zIndex);
}

/* ---- opening ---- */

void acdcScd2Forget(AcdcScd2 *pTab){
  acdcPushClose(pTab->pPush);
  pTab->pPush = 0;
  pTab->bState = 0;
  pTab->nLast = -1;
  pTab->bStale = 0;
  sqlite3_finalize(pTab->pState);
  pTab->pState = 0;
}

void acdcScd2OpenPush(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  char *zLabel;
  if( p->rc || pTab->pPush ) return;
  if( pTab->nCol ) acdcScd2Lost(pTab);
  acdcScd2Trust(pTab);
  zLabel = acdcMprintf(p, "%s%s", pTab->nCol ? "INSERT INTO " : "",
                       pTab->zName);
  if( p->rc==0 ){
    pTab->pPush = acdcPushOpen(p, &pTab->flow, &pTab->cols, zLabel);
  }
  sqlite3_free(zLabel);
  /* At CREATE such a table may be declared for reading */
  if( pTab->pPush && pTab->nCol ) writeGuard(pTab);
  if( p->rc ){
    acdcPushClose(pTab->pPush);
    pTab->pPush = 0;
  }
  pTab->bState = 0;
}

/* Where the values of events stand among the columns of the table. */
static void writeMap(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  int i, j;
  if( pTab->aEvent || p->rc ) return;
  pTab->apVal = acdcMalloc(p, sizeof(sqlite3_value*)*(pTab->cols.nCol+1));
  pTab->aEvent = acdcMalloc(p, sizeof(int)*(pTab->cols.nCol+1));
  pTab->aTakes = acdcMalloc(p, pTab->nCol+1);
  if( p->rc ) return;
  for(i=0; i<pTab->cols.nCol; i++){
    pTab->aEvent[i] = -1;
    for(j=0; j<pTab->nCol; j++){
      const AcdcScd2Col *pC = &pTab->aCol[j];
      if( (pC->eKind==ACDC_SCD2_EVENT && pC->i==i)
       || (pC->eKind==ACDC_SCD2_ROW
           && sqlite3_stricmp(pC->zName, pTab->cols.aCol[i].zName)==0)
      ){
        pTab->aEvent[i] = j;
        pTab->aTakes[j] = 1;
      }
    }
    if( pTab->aEvent[i]<0 ){
      acdcError(p, SQLITE_ERROR, "column %s is missing: DROP TABLE %s and "
          "declare it anew", pTab->cols.aCol[i].zName, pTab->zName);
    }
  }
  if( p->rc ){
    sqlite3_free(pTab->apVal);
    sqlite3_free(pTab->aEvent);
    sqlite3_free(pTab->aTakes);
    pTab->apVal = 0;
    pTab->aEvent = 0;
    pTab->aTakes = 0;
  }
}

void acdcScd2Flush(AcdcScd2 *pTab){
  if( acdcPushWaits(pTab->pPush) ){
    acdcPushFlush(pTab->pPush);
    acdcErrorWhere(&pTab->ctx, "writing changes");
  }
}

/* ---- xUpdate ---- */

/* Columns that no event has, but the table computes. */
static void writeComputed(AcdcScd2 *pTab, sqlite3_value **argv){
  int i;
  for(i=0; i<pTab->nCol && pTab->ctx.rc==0; i++){
    if( pTab->aTakes[i] || sqlite3_value_type(argv[2+i])==SQLITE_NULL ) continue;
    acdcError(&pTab->ctx, SQLITE_ERROR, "%s is computed: INSERT takes change "
        "events, so give the columns of events only", pTab->aCol[i].zName);
  }
}

static void writeRefuse(AcdcScd2 *pTab, int bDelete){
  acdcError(&pTab->ctx, SQLITE_ERROR, "%s of a history is refused: it follows "
      "from the change events; INSERT the event that %s%s",
      bDelete ? "DELETE" : "UPDATE",
      bDelete ? "apply_as_deletes takes for a delete" : "says what changed",
      bDelete ? ", or forget all with autocdc_reset()"
              : " (one with the same key and sequence corrects the earlier)");
}

/* One row of INSERT.  bNew: the first of its statement. */
static void writeRow(AcdcScd2 *pTab, sqlite3_value **argv){
  AcdcCtx *p = &pTab->ctx;
  i64 nTotal = sqlite3_total_changes64(pTab->db);
  int i;
  pTab->bBegun = 0;
  if( nTotal!=pTab->nLast ){
    acdcScd2Flush(pTab);
    pTab->iRow = 0;
    if( pTab->bSavepoint && nTotal!=pTab->nExpect ) pTab->bStale = 1;
    pTab->bSavepoint = 0;
  }
  if( pTab->bStale ){
    acdcScd2Forget(pTab);
    pTab->iRow = 0;
  }
  acdcScd2OpenPush(pTab);
  if( p->rc ) return;
  for(i=0; i<pTab->cols.nCol; i++) pTab->apVal[i] = argv[2+pTab->aEvent[i]];
  acdcPushRow(pTab->pPush, pTab->apVal, pTab->iRow+1);
  if( p->rc ) return;
  pTab->iRow++;
  if( (!pTab->bStmt && !sqlite3_get_autocommit(pTab->db))
   || acdcPushOneByOne(pTab->pPush)
  ){
    acdcScd2Flush(pTab);
  }
  pTab->nLast = sqlite3_total_changes64(pTab->db);
  pTab->nExpect = pTab->nLast + pTab->iRow;
}

int acdcScd2Update(
  sqlite3_vtab *pVtab, int argc, sqlite3_value **argv, sqlite3_int64 *piRowid
){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  AcdcCtx *p = &pTab->ctx;
  ACDC_UNUSED(piRowid);
  if( p->rc ) acdcCtxClear(p);
  if( argc==1 || sqlite3_value_type(argv[0])!=SQLITE_NULL ){
    writeRefuse(pTab, argc==1);
    return acdcScd2Error(pTab);
  }
  if( pTab->zWrong ) acdcError(p, SQLITE_ERROR, "%s", pTab->zWrong);
  if( !pTab->bEvents ){
    acdcError(p, SQLITE_ERROR, "it is declared for reading: INSERT needs to "
        "know what events look like; declare it with columns='...' (or "
        "source), keys and sequence_by too");
  }
  if( sqlite3_value_type(argv[1])!=SQLITE_NULL ){
    acdcError(p, SQLITE_ERROR, "it has no rowid that could be given");
  }
  writeMap(pTab);
  if( p->rc==0 ) writeComputed(pTab, argv);
  if( p->rc==0 ) writeRow(pTab, argv);
  return acdcScd2Error(pTab);
}

/* ---- transactions ---- */

int acdcScd2Begin(sqlite3_vtab *pVtab){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  if( pTab->ctx.rc ) acdcCtxClear(&pTab->ctx);
  /* Inside a transaction others of this connection may have written already */
  if( !(pTab->bCommit && sqlite3_get_autocommit(pTab->db)
        && acdcScd2DataVersion(pTab)==pTab->iCommit) ) pTab->bStale = 1;
  pTab->bSavepoint = 0;
  pTab->bStmt = 0;
  pTab->bBegun = 1;
  pTab->nLast = -1;
  if( pTab->bOwned && pTab->bEvents && pTab->zWrong==0 ){
    /* A declaration whose error CREATE could leave to us, or after a reset */
    acdcScd2State(pTab);
    if( !pTab->bKnown ){
      acdcScd2Forget(pTab);
      acdcScd2OpenPush(pTab);
    }
  }
  return acdcScd2Error(pTab);
}

static int writeFlush(AcdcScd2 *pTab){
  if( !acdcPushWaits(pTab->pPush) ) return SQLITE_OK;
  if( pTab->ctx.rc ) acdcCtxClear(&pTab->ctx);
  acdcScd2Flush(pTab);
  return acdcScd2Error(pTab);
}

int acdcScd2Sync(sqlite3_vtab *pVtab){
  return writeFlush((AcdcScd2*)pVtab);
}

int acdcScd2Commit(sqlite3_vtab *pVtab){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  pTab->iCommit = acdcScd2DataVersion(pTab);
  pTab->bCommit = 1;
  pTab->nLast = -1;
  return SQLITE_OK;
}

int acdcScd2Rollback(sqlite3_vtab *pVtab){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  acdcScd2Forget(pTab);
  pTab->bCommit = 0;
  return SQLITE_OK;
}

/*
** Does the statement write in a loop, or fire triggers?  Then SQLite has opened
** a savepoint for it.
*/
static int writeLoops(AcdcScd2 *pTab, sqlite3_stmt *pWriter){
  AcdcCtx ctx;
  sqlite3_stmt *pStmt;
  int bLoops = 0;
  acdcCtxInit(&ctx, pTab->db);
  pStmt = acdcPrepare(&ctx, 0, "EXPLAIN %s", sqlite3_sql(pWriter));
  while( !bLoops && acdcStep(&ctx, pStmt) ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 1);
    bLoops = z && (strcmp(z, "Yield")==0 || strcmp(z, "Next")==0
        || strcmp(z, "VNext")==0 || strcmp(z, "SorterNext")==0
        || strcmp(z, "Prev")==0 || strcmp(z, "Program")==0);
  }
  acdcFinalize(&ctx, &pStmt);
  acdcCtxClear(&ctx);
  return bLoops;
}

/*
** Is it a statement that writes that opens the savepoint, for itself?  The
** statement SAVEPOINT counts as one that reads.  Right after xBegin the call
** may be for a savepoint that was open before: only the statement itself tells.
*/
static int writeInStatement(AcdcScd2 *pTab){
  sqlite3_stmt *pStmt = 0;
  int bIn = 0;
  while( (pStmt = sqlite3_next_stmt(pTab->db, pStmt))!=0 ){
    if( !sqlite3_stmt_busy(pStmt) || sqlite3_stmt_readonly(pStmt) ) continue;
    if( pTab->bBegun && !writeLoops(pTab, pStmt) ) return 0;
    bIn = 1;
  }
  return bIn;
}

int acdcScd2Savepoint(sqlite3_vtab *pVtab, int i){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  int rc = writeFlush(pTab);
  ACDC_UNUSED(i);
  pTab->bSavepoint = 1;
  pTab->bStmt = (u8)writeInStatement(pTab);
  pTab->bBegun = 0;
  pTab->nLast = -1;
  return rc;
}

int acdcScd2Release(sqlite3_vtab *pVtab, int i){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  ACDC_UNUSED(i);
  pTab->bStmt = 0;
  pTab->nLast = -1;
  return writeFlush(pTab);
}

int acdcScd2RollbackTo(sqlite3_vtab *pVtab, int i){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  ACDC_UNUSED(i);
  acdcScd2Forget(pTab);
  pTab->bStmt = 0;
  return SQLITE_OK;
}
