/*
** Running one flow, and the report of it.
*/
#include "run.h"

static void runRowClear(AcdcRunRow *p){
  sqlite3_free(p->zFlow);
  sqlite3_free(p->zTarget);
  sqlite3_free(p->zMessage);
  sqlite3_free(p->zSource);
  sqlite3_free(p->zVersion);
  sqlite3_free(p->zExpect);
  sqlite3_free(p->zSeqFrom);
  sqlite3_free(p->zSeqTo);
}

void acdcRunResultClear(AcdcRunResult *p){
  int i;
  for(i=0; i<p->n; i++) runRowClear(&p->a[i]);
  sqlite3_free(p->a);
  memset(p, 0, sizeof(*p));
}

AcdcRunRow *acdcRunResultAdd(AcdcCtx *p, AcdcRunResult *pR){
  AcdcRunRow *pRow;
  if( pR->n>=pR->nAlloc ){
    int nNew = pR->nAlloc*2 + 4;
    AcdcRunRow *aNew = acdcRealloc(p, pR->a, sizeof(AcdcRunRow)*nNew);
    if( aNew==0 ) return 0;
    pR->a = aNew;
    pR->nAlloc = nNew;
  }
  if( p->rc ) return 0;
  pRow = &pR->a[pR->n++];
  memset(pRow, 0, sizeof(*pRow));
  pRow->zStatus = "ok";
  pRow->zScd = "1";
  pRow->seqFrom.eType = pRow->seqTo.eType = SQLITE_NULL;
  pRow->version.eType = SQLITE_NULL;
  return pRow;
}

i64 acdcRunClock(void){
  sqlite3_vfs *pVfs = sqlite3_vfs_find(0);
  sqlite3_int64 iNow = 0;
  if( pVfs->iVersion>=2 && pVfs->xCurrentTimeInt64 ){
    pVfs->xCurrentTimeInt64(pVfs, &iNow);
  }else{
    double r = 0;
    pVfs->xCurrentTime(pVfs, &r);
    iNow = (sqlite3_int64)(r*86400000.0);
  }
  return iNow;
}

/* A copy of a value whose bytes the row owns. */
static void runKeepVal(AcdcCtx *p, const AcdcVal *pV, AcdcVal *pTo, char **pz){
  *pTo = *pV;
  if( pV->eType==SQLITE_TEXT || pV->eType==SQLITE_BLOB ){
    *pz = acdcStrndup(p, (const char*)pV->u.z, pV->n);
    pTo->u.z = (const u8*)*pz;
  }
}

/* Notes as one text: the warnings and facts of a run, "; " between. */
static char *runMessage(AcdcCtx *p, const AcdcNames *pNotes){
  char *z = 0;
  int i;
  for(i=0; i<pNotes->n; i++){
    acdcAppendf(p, &z, "%s%s", i ? "; " : "", pNotes->az[i]);
  }
  return z;
}

static void runReport(
  AcdcCtx *p, AcdcMerge *pM, const char *zStatus, i64 iStart, AcdcRunResult *pR
){
  static const char *const azScd[] = {"", "1", "2", "bitemporal"};
  AcdcRunRow *pRow = acdcRunResultAdd(p, pR);
  if( pRow==0 ) return;
  pRow->zFlow = acdcStrdup(p, pM->pFlow->zName);
  pRow->zTarget = acdcStrdup(p, pM->pFlow->zTarget);
  pRow->zStatus = zStatus ? zStatus : pM->bWarn ? "warning" : "ok";
  pRow->n = pM->n;
  pRow->zMessage = runMessage(p, &pM->notes);
  pRow->nMillis = acdcRunClock() - iStart;
  pRow->zScd = azScd[pM->pFlow->eScd];
  pRow->zSource = acdcStrdup(p, pM->pSrc->zLabel);
  pRow->zExpect = acdcStrdup(p, pM->zExpect);
  if( pM->pFlow->bSnapshot ){
    runKeepVal(p, &pM->version.shown, &pRow->version, &pRow->zVersion);
    pRow->bStop = pM->eSkip==ACDC_SKIP_STOP;
  }
  if( pM->bSeqSeen ){
    runKeepVal(p, &pM->seqFrom.shown, &pRow->seqFrom, &pRow->zSeqFrom);
    runKeepVal(p, &pM->seqTo.shown, &pRow->seqTo, &pRow->zSeqTo);
  }
  acdcRunLog(p, pM->tgt.zSchema, pRow);
}

/* What became of records that were not as they should be. */
static void runReaderNotes(AcdcMerge *pM){
  const AcdcReader *pReader = pM->pSrc->pReader;
  char *z;
  if( pReader==0 || pM->p->rc ) return;
  z = acdcReaderReport(pM->p, pReader);
  if( z ) acdcMergeNote(pM, 1, "%s", z);
  sqlite3_free(z);
  pM->n.nRejected += pReader->nDropped;
  pM->n.nRead += pReader->nDropped;
}

void acdcRunFlow(
  AcdcCtx *p, const AcdcFlow *pFlow, AcdcReader *pReader,
  const AcdcRunFlowOpts *pOpts, AcdcRunResult *pR
){
  AcdcSource src;
  AcdcMerge merge;
  AcdcCheckpoint point;
  AcdcMergeOpts opts;
  i64 iStart = acdcRunClock();
  acdcSourceOpen(p, pFlow, pReader, &src);
  acdcMergeOpen(p, &merge, pFlow, &src);
  memset(&opts, 0, sizeof(opts));
  memset(&point, 0, sizeof(point));
  opts.nMemory = pOpts->nMemory;
  if( pOpts->zNote ) acdcMergeNote(&merge, 0, "%s", pOpts->zNote);
  if( p->rc==0 ){
    acdcCheckpointLoad(&merge, pOpts->bReadAll || pFlow->bReadAll,
                       pOpts->bUnread, &point);
  }
  if( pFlow->bOnce && point.bDone && p->rc==0 ){
    acdcMergeNote(&merge, 0, "runs once, and has run: SELECT autocdc_reset('%q')"
        " runs it again", pFlow->zTarget);
    runReport(p, &merge, "skipped", iStart, pR);
  }else if( merge.eSkip && p->rc==0 ){
    runReport(p, &merge, "skipped", iStart, pR);
  }else if( p->rc==0 ){
    opts.bAfter = point.bUse;
    opts.iAfter = point.iAfter;
    acdcMergeRun(&merge, &opts);
    acdcRunQuarantine(&merge, &opts);
    runReaderNotes(&merge);
    if( merge.eSkip==0 ) acdcCheckpointSave(&merge, &point);
    if( p->rc==0 ){
      runReport(p, &merge, merge.eSkip ? "skipped" : 0, iStart, pR);
    }
  }
  acdcMergeClose(&merge);
  acdcSourceClose(&src);
  acdcErrorWhere(p, "flow '%s'", pFlow->zName ? pFlow->zName : "?");
}

/* Make the log, or give one of an older version the column that it lacks. */
static void runLogMake(AcdcCtx *p, const char *zSchema){
  i64 eHas = acdcSelectInt(p, 0, "SELECT 1 + (sql LIKE '%%, expectations %%') "
      "FROM \"%w\".sqlite_master WHERE type='table' AND name='autocdc_runs'",
      zSchema);
  if( eHas==0 ){
    acdcExec(p, "CREATE TABLE \"%w\".autocdc_runs("
        "id INTEGER PRIMARY KEY, finished_at TEXT, flow TEXT, target TEXT, "
        "source TEXT, status TEXT, rows_read INTEGER, rows_filtered INTEGER, "
        "inserted INTEGER, updated INTEGER, deleted INTEGER, "
        "unchanged INTEGER, late INTEGER, rejected INTEGER, ties INTEGER, "
        "snapshot_version, sequence_from, sequence_to, duration_ms INTEGER, "
        "message TEXT, expectations TEXT)", zSchema);
  }else if( eHas==1 ){
    acdcExec(p, "ALTER TABLE \"%w\".autocdc_runs ADD COLUMN expectations TEXT",
             zSchema);
  }
}

void acdcRunLog(AcdcCtx *p, const char *zSchema, const AcdcRunRow *pRow){
  sqlite3_stmt *pStmt;
  runLogMake(p, zSchema);
  pStmt = acdcPrepare(p, 0, "INSERT INTO \"%w\".autocdc_runs VALUES(NULL, "
      "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ','now'), ?1, ?2, ?3, ?4, ?5, ?6, "
      "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)", zSchema);
  if( pStmt ){
    const AcdcCounts *pN = &pRow->n;
    sqlite3_bind_text(pStmt, 1, pRow->zFlow, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 2, pRow->zTarget, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 3, pRow->zSource, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 4, pRow->zStatus, -1, SQLITE_STATIC);
    sqlite3_bind_int64(pStmt, 5, pN->nRead);
    sqlite3_bind_int64(pStmt, 6, pN->nFiltered);
    sqlite3_bind_int64(pStmt, 7, pN->nInserted);
    sqlite3_bind_int64(pStmt, 8, pN->nUpdated);
    sqlite3_bind_int64(pStmt, 9, pN->nDeleted);
    sqlite3_bind_int64(pStmt, 10, pN->nUnchanged);
    sqlite3_bind_int64(pStmt, 11, pN->nLate);
    sqlite3_bind_int64(pStmt, 12, pN->nRejected);
    sqlite3_bind_int64(pStmt, 13, pN->nTie);
    acdcValBind(pStmt, 14, &pRow->version);
    acdcValBind(pStmt, 15, &pRow->seqFrom);
    acdcValBind(pStmt, 16, &pRow->seqTo);
    sqlite3_bind_int64(pStmt, 17, pRow->nMillis);
    sqlite3_bind_text(pStmt, 18, pRow->zMessage, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 19, pRow->zExpect, -1, SQLITE_STATIC);
  }
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
}
