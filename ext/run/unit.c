/*
** What runs as a unit of its own, where a call goes on after errors.
*/
#include "run.h"

/* Errors that end all work, whatever the options say. */
static int unitIsFatal(int rc){
  switch( rc & 0xff ){
    case SQLITE_NOMEM: case SQLITE_INTERRUPT: case SQLITE_FULL:
    case SQLITE_IOERR: case SQLITE_CORRUPT: case SQLITE_READONLY:
    case SQLITE_BUSY: case SQLITE_LOCKED: case SQLITE_NOTADB:
      return 1;
    default:
      return 0;
  }
}

/* The unit has failed and left no trace: its rows of the result say so. */
static void unitReport(
  AcdcCtx *p, const char *zFlow, const char *zTarget, AcdcRunResult *pR,
  int nRow
){
  char *zErr = sqlite3_mprintf("%s", acdcErrorText(p));
  AcdcRunRow *pRow;
  int i;
  acdcCtxClear(p);
  /* Flows of it that came through are gone with it. */
  for(i=nRow; i<pR->n; i++){
    pR->a[i].zStatus = "error";
    sqlite3_free(pR->a[i].zMessage);
    pR->a[i].zMessage = acdcMprintf(p, "undone: %s", zErr);
    memset(&pR->a[i].n, 0, sizeof(pR->a[i].n));
  }
  pRow = pR->n==nRow ? acdcRunResultAdd(p, pR) : 0;
  if( pRow ){
    pRow->zFlow = acdcStrdup(p, zFlow);
    pRow->zTarget = acdcStrdup(p, zTarget);
    pRow->zStatus = "error";
    pRow->zMessage = zErr;
    zErr = 0;
  }
  sqlite3_free(zErr);
}

void acdcRunUnit(
  AcdcCtx *p, int bContinue, const char *zFlow, const char *zTarget,
  void (*xRun)(AcdcCtx*, void*, AcdcRunResult*), void *pArg, AcdcRunResult *pR
){
  AcdcTrans unit = {0, 0};
  int nRow = pR->n;
  if( p->rc ) return;
  if( bContinue ) acdcUnitBegin(p, &unit);
  if( p->rc==SQLITE_OK ) xRun(p, pArg, pR);
  if( !bContinue ) return;
  acdcUnitEnd(p, &unit);
  if( p->rc==SQLITE_OK || unitIsFatal(p->rc)
   || sqlite3_get_autocommit(p->db) ) return;
  unitReport(p, zFlow, zTarget, pR, nRow);
}
