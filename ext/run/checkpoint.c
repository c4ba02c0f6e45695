/*
** Checkpoints: how far a flow has read a source (design.md 1.1).
**
** A row of autocdc_sources belongs to a target, a flow and a source.  It has
** rowid and digest of the first and the last row read, so that a table that
** was emptied and filled again is noticed, and the conditions of the flow, so
** that a change of them can be reported.
*/
#include "run.h"

/* After a row of the greatest rowid SQLite gives new ones a free rowid below:
** such a source is read whole. */
#define CHECKPOINT_LAST  (i64)(~(u64)0>>1)

/* The parts of a flow that judge rows: rows already read keep the judgement */
static char *checkpointConfig(AcdcMerge *pM){
  const AcdcFlow *pFlow = pM->pFlow;
  char *zSeq = acdcNamesText(pM->p, &pFlow->sequenceBy);
  char *z = acdcMprintf(pM->p, "where: %s\ndeletes: %s\ntruncates: %s\n"
      "sequence: %s\nempty_as_null: %d\ncdf: %d",
      pFlow->zWhere ? pFlow->zWhere : "",
      pFlow->zDeletes ? pFlow->zDeletes : "",
      pFlow->zTruncates ? pFlow->zTruncates : "", zSeq ? zSeq : "",
      pFlow->bEmptyAsNull, pFlow->bCdf);
  if( pFlow->systemSequenceBy.n ){
    char *zSys = acdcNamesText(pM->p, &pFlow->systemSequenceBy);
    acdcAppendf(pM->p, &z, "\nsystem sequence: %s", zSys ? zSys : "");
    sqlite3_free(zSys);
  }
  sqlite3_free(zSeq);
  return z;
}

/*
** May rows be told from those already read?  Not if the rowid is a key or the
** sequence: such a table is updated in place, or filled out of order.  A
** snapshot is read whole.
*/
static int checkpointApplies(AcdcMerge *pM){
  const AcdcSource *pSrc = pM->pSrc;
  const char *zIpk;
  int i;
  if( !pSrc->bAppend || pM->pFlow->bSnapshot ) return 0;
  if( pSrc->tab.iIpk<0 ) return 1;
  zIpk = pSrc->tab.aCol[pSrc->tab.iIpk].zName;
  for(i=0; i<pM->nKey; i++){
    if( pM->aKey[i].iSrc==pSrc->tab.iIpk ) return 0;
  }
  for(i=0; i<pM->pFlow->sequenceBy.n; i++){
    char *z = acdcUnquote(pM->p, pM->pFlow->sequenceBy.az[i]);
    int bSame = z && sqlite3_stricmp(z, zIpk)==0;
    sqlite3_free(z);
    if( bSame ) return 0;
  }
  return 1;
}

/* Is row iRow there with that digest? */
static int checkpointRowIs(AcdcMerge *pM, i64 iRow, i64 iDigest){
  int bFound;
  i64 i = acdcSourceDigest(pM->p, pM->pSrc, iRow, &bFound);
  return bFound && i==iDigest;
}

static sqlite3_stmt *checkpointStmt(AcdcMerge *pM, const char *zSql){
  sqlite3_stmt *p = acdcPrepare(pM->p, 0, zSql, pM->tgt.zSchema);
  if( p ){
    sqlite3_bind_int64(p, 1, pM->st.iId);
    sqlite3_bind_text(p, 2, pM->pFlow->zName, -1, SQLITE_STATIC);
    sqlite3_bind_text(p, 3, pM->pSrc->zLabel, -1, SQLITE_STATIC);
  }
  return p;
}

void acdcCheckpointLoad(
  AcdcMerge *pM, int bReadAll, int bUnread, AcdcCheckpoint *pOut
){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  i64 iFirst = 0, iFirstDigest = 0, iLast = 0, iLastDigest = 0;
  int bRows = 0;
  char *zConfig, *zWas = 0;
  memset(pOut, 0, sizeof(*pOut));
  pStmt = checkpointStmt(pM, "SELECT first_row, first_digest, last_row, "
      "last_digest, config, done FROM \"%w\".autocdc_sources "
      "WHERE target=?1 AND flow=?2 AND source=?3");
  if( acdcStep(p, pStmt) ){
    pOut->bKnown = 1;
    bRows = sqlite3_column_type(pStmt, 2)!=SQLITE_NULL;
    iFirst = sqlite3_column_int64(pStmt, 0);
    iFirstDigest = sqlite3_column_int64(pStmt, 1);
    iLast = sqlite3_column_int64(pStmt, 2);
    iLastDigest = sqlite3_column_int64(pStmt, 3);
    zWas = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 4));
    pOut->bDone = (u8)sqlite3_column_int(pStmt, 5);
  }
  acdcFinalize(p, &pStmt);
  if( bRows && !bReadAll && iLast<CHECKPOINT_LAST && checkpointApplies(pM)
   && p->rc==0
  ){
    int bAny;
    i64 iMin = acdcSourceFirst(p, pM->pSrc, &bAny);
    if( !bAny ){
      pOut->bUse = 1;                    /* emptied: nothing to read */
      pOut->iAfter = iLast;
    }else if( iMin==iFirst && checkpointRowIs(pM, iFirst, iFirstDigest)
           && checkpointRowIs(pM, iLast, iLastDigest) ){
      pOut->bUse = 1;
      pOut->iAfter = iLast;
    }else{
      acdcMergeNote(pM, 0, "source %s has other rows than those read before: "
          "read from its start", pM->pSrc->zLabel);
    }
  }
  zConfig = checkpointConfig(pM);
  if( (pOut->bUse || bUnread) && zWas && zConfig && strcmp(zWas, zConfig)!=0 ){
    acdcMergeNote(pM, 1, "the conditions of the flow have changed, and the "
        "rows already read are not judged again: SELECT autocdc_reset('%q') "
        "and run again to judge all rows", pM->pFlow->zTarget);
  }
  sqlite3_free(zConfig);
  sqlite3_free(zWas);
}

void acdcCheckpointSave(AcdcMerge *pM, const AcdcCheckpoint *pC){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  char *zConfig;
  int bFirst = 0, bLast = 0;
  i64 iFirst = 0, iFirstDigest = 0, iLast = 0, iLastDigest = 0;
  if( p->rc ) return;
  if( checkpointApplies(pM) ){
    iFirst = acdcSourceFirst(p, pM->pSrc, &bFirst);
    if( bFirst ) iFirstDigest = acdcSourceDigest(p, pM->pSrc, iFirst, &bFirst);
    iLast = pM->n.nRead ? pM->iLastRowid : pC->bUse ? pC->iAfter : 0;
    if( pM->n.nRead || pC->bUse ){
      iLastDigest = acdcSourceDigest(p, pM->pSrc, iLast, &bLast);
    }
    if( pC->bUse && !bFirst ) return;    /* emptied: keep what was read */
  }
  zConfig = checkpointConfig(pM);
  pStmt = checkpointStmt(pM, "INSERT OR REPLACE INTO \"%w\".autocdc_sources("
      "target, flow, source, first_row, first_digest, last_row, last_digest, "
      "config, done) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1)");
  if( pStmt ){
    if( bFirst && bLast ){
      sqlite3_bind_int64(pStmt, 4, iFirst);
      sqlite3_bind_int64(pStmt, 5, iFirstDigest);
      sqlite3_bind_int64(pStmt, 6, iLast);
      sqlite3_bind_int64(pStmt, 7, iLastDigest);
    }
    sqlite3_bind_text(pStmt, 8, zConfig, -1, SQLITE_STATIC);
  }
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
  sqlite3_free(zConfig);
}
