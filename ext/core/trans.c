/*
** Savepoints.  Three things make this more than a pair of statements:
**
**   * A savepoint cannot be opened while a statement of the connection
**     writes, and without one a failure would leave half the work behind.
**   * The RELEASE of an outermost savepoint is a commit.  It may fail, and
**     then only a ROLLBACK closes the transaction.
**   * Some errors make SQLite roll back everything, what the caller wrote
**     before us included.  Then nothing more may be done, and the caller is
**     to be told.
*/
#include "core.h"

#define TRANS_NAME "autocdc_apply"
#define TRANS_UNIT "autocdc_unit"

/*
** Run a statement although the context is in error.  The error that counts
** is there already, so this one's own message is of no interest.
*/
static int transRun(sqlite3 *db, const char *zSql){
  sqlite3_stmt *pStmt = 0;
  int rc = sqlite3_prepare_v3(db, zSql, -1, 0, &pStmt, 0);
  if( rc==SQLITE_OK ){
    sqlite3_step(pStmt);
    rc = sqlite3_finalize(pStmt);
  }
  return rc;
}

/* Add zMore at the end of the message of the error. */
static void transNote(AcdcCtx *p, const char *zMore){
  char *zNew = sqlite3_mprintf("%s; %s", acdcErrorText(p), zMore);
  if( zNew==0 ) return;
  sqlite3_free(p->zErr);
  p->zErr = zNew;
}

/*
** The last resort, if not even ROLLBACK runs: after sqlite3_interrupt() no
** statement does until the outermost one has ended, and the savepoint would
** stay open for the caller to commit half the work.  But a write that is
** interrupted takes its whole transaction with it, and to open a blob for
** writing is a write that needs no parser and no prepared statement.
*/
static void transForceRollback(sqlite3 *db){
  sqlite3_blob *pBlob = 0;
  sqlite3_blob_open(db, "main", "sqlite_schema", "sql", 1, 1, &pBlob);
  sqlite3_blob_close(pBlob);
}

/*
** Undo what was done since the savepoint.  The context is in error.  zRelease
** is NULL if zRollback closes it too.  True if the transaction is gone.
*/
static int transUndo(AcdcCtx *p, const char *zRollback, const char *zRelease){
  int rc;
  if( sqlite3_get_autocommit(p->db) ) return 1;
  rc = transRun(p->db, zRollback);
  if( rc==SQLITE_OK && zRelease ) rc = transRun(p->db, zRelease);
  if( rc!=SQLITE_OK && !sqlite3_get_autocommit(p->db) ){
    transForceRollback(p->db);
    if( !sqlite3_get_autocommit(p->db) ){
      transNote(p, "the changes could not be undone: run ROLLBACK");
    }
  }
  return sqlite3_get_autocommit(p->db);
}

/*
** Codes that end the transaction when the statement that called us ends with
** them, although that one only reads and the savepoint could be undone.
*/
static int transIsFatal(int rc){
  rc &= 0xff;
  return rc==SQLITE_FULL || rc==SQLITE_IOERR || rc==SQLITE_NOMEM;
}

/*
** An error that SQLite answered by rolling back everything, and that nobody
** has passed on.  Whatever was done since is not what was meant.
*/
static void transCheckAlive(AcdcCtx *p){
  if( p->rc==SQLITE_OK && sqlite3_get_autocommit(p->db) ){
    acdcError(p, SQLITE_ABORT_ROLLBACK, "the transaction was rolled back"
              " while changes were being applied (by ON CONFLICT ROLLBACK,"
              " RAISE(ROLLBACK) or an earlier error)");
  }
}

void acdcTransBegin(AcdcCtx *p, AcdcTrans *pT, const char *zWho){
  pT->bOpen = 0;
  pT->bOwn = 0;
  if( p->rc!=SQLITE_OK ) return;
  pT->bOwn = sqlite3_get_autocommit(p->db)!=0;
  acdcExec(p, "SAVEPOINT " TRANS_NAME);
  if( p->rc==SQLITE_OK ){
    pT->bOpen = 1;
  }else if( pT->bOwn && !sqlite3_get_autocommit(p->db) ){
    /* A progress handler gave up when the statement had done its work */
    transUndo(p, "ROLLBACK", 0);
  }else if( (p->rc&0xff)==SQLITE_BUSY ){
    /* To open a savepoint takes no lock: BUSY means just this.  As the code
    ** SQLITE_BUSY would only invite to try again. */
    acdcCtxClear(p);
    acdcError(p, SQLITE_ERROR, "%s cannot run while a statement of this"
              " connection writes: call it from a plain SELECT", zWho);
  }else{
    acdcErrorWhere(p, "%s cannot start", zWho);
  }
}

/* All statements of ours must be reset by now. */
void acdcTransEnd(AcdcCtx *p, AcdcTrans *pT){
  int bGone;
  if( !pT->bOpen ) return;
  pT->bOpen = 0;
  transCheckAlive(p);
  acdcExec(p, "RELEASE " TRANS_NAME);
  if( p->rc==SQLITE_OK ) return;
  if( pT->bOwn ){
    transUndo(p, "ROLLBACK", 0);
    return;
  }
  bGone = transUndo(p, "ROLLBACK TO " TRANS_NAME, "RELEASE " TRANS_NAME);
  if( bGone ){
    transNote(p, "SQLite has rolled back the whole transaction, with all that"
              " was written in it before");
  }else if( transIsFatal(p->rc) ){
    transNote(p, "SQLite rolls back the whole transaction, with all that was"
              " written in it before");
  }
}

/* Only between acdcTransBegin() and acdcTransEnd(). */
void acdcUnitBegin(AcdcCtx *p, AcdcTrans *pUnit){
  pUnit->bOpen = 0;
  pUnit->bOwn = 0;
  transCheckAlive(p);
  acdcExec(p, "SAVEPOINT " TRANS_UNIT);
  pUnit->bOpen = p->rc==SQLITE_OK;
}

/*
** If the context is in error the unit is undone and the error stays: the
** caller decides whether to go on.  If the whole transaction is gone with
** it, then no further unit begins, and acdcTransEnd() reports.
*/
void acdcUnitEnd(AcdcCtx *p, AcdcTrans *pUnit){
  if( !pUnit->bOpen ) return;
  pUnit->bOpen = 0;
  transCheckAlive(p);
  acdcExec(p, "RELEASE " TRANS_UNIT);
  if( p->rc!=SQLITE_OK ){
    transUndo(p, "ROLLBACK TO " TRANS_UNIT, "RELEASE " TRANS_UNIT);
  }
}
