/*
** What the functions that run flows have in common.
**
** Equivalent to
**
**   CREATE TABLE apply_changes(
**     flow, target, status, rows_read, inserted, updated, deleted, unchanged,
**     late, rejected, message,
**     spec HIDDEN, options HIDDEN, duration_ms HIDDEN, ...)
**
** The work is done by the call, all or nothing; rows are only its report.  A
** table-valued function, because only a SELECT may hold a savepoint open
** (docs/architecture.md).  DIRECTONLY: it writes, so no view or trigger of a
** database from elsewhere may call it.
*/
#include "runtab.h"

#define RUNTAB_FLOW       0
#define RUNTAB_TARGET     1
#define RUNTAB_STATUS     2
#define RUNTAB_READ       3
#define RUNTAB_INSERTED   4
#define RUNTAB_UPDATED    5
#define RUNTAB_DELETED    6
#define RUNTAB_UNCHANGED  7
#define RUNTAB_LATE       8
#define RUNTAB_REJECTED   9
#define RUNTAB_MESSAGE   10
#define RUNTAB_SPEC      11
#define RUNTAB_OPTIONS   12
#define RUNTAB_DURATION  13
#define RUNTAB_SCD       14
#define RUNTAB_SOURCE    15
#define RUNTAB_VERSION   16
#define RUNTAB_FILTERED  17
#define RUNTAB_TIES      18
#define RUNTAB_SEQFROM   19
#define RUNTAB_SEQTO     20

static void runTabText(sqlite3_context *pCtx, const char *z){
  if( z ) sqlite3_result_text(pCtx, z, -1, SQLITE_TRANSIENT);
}

void acdcRunTabColumn(
  sqlite3_context *pCtx, const void *pData, int iRow, int iCol
){
  const AcdcRunRow *pRow = &((const AcdcRunResult*)pData)->a[iRow];
  switch( iCol ){
    case RUNTAB_FLOW:      runTabText(pCtx, pRow->zFlow); break;
    case RUNTAB_TARGET:    runTabText(pCtx, pRow->zTarget); break;
    case RUNTAB_STATUS:    runTabText(pCtx, pRow->zStatus); break;
    case RUNTAB_READ:      sqlite3_result_int64(pCtx, pRow->n.nRead); break;
    case RUNTAB_INSERTED:  sqlite3_result_int64(pCtx, pRow->n.nInserted); break;
    case RUNTAB_UPDATED:   sqlite3_result_int64(pCtx, pRow->n.nUpdated); break;
    case RUNTAB_DELETED:   sqlite3_result_int64(pCtx, pRow->n.nDeleted); break;
    case RUNTAB_UNCHANGED: sqlite3_result_int64(pCtx, pRow->n.nUnchanged); break;
    case RUNTAB_LATE:      sqlite3_result_int64(pCtx, pRow->n.nLate); break;
    case RUNTAB_REJECTED:  sqlite3_result_int64(pCtx, pRow->n.nRejected); break;
    case RUNTAB_MESSAGE:   runTabText(pCtx, pRow->zMessage); break;
    case RUNTAB_DURATION:  sqlite3_result_int64(pCtx, pRow->nMillis); break;
    case RUNTAB_SCD:       runTabText(pCtx, pRow->zScd); break;
    case RUNTAB_SOURCE:    runTabText(pCtx, pRow->zSource); break;
    case RUNTAB_VERSION:  acdcValResult(pCtx, &pRow->version); break;
    case RUNTAB_FILTERED:  sqlite3_result_int64(pCtx, pRow->n.nFiltered); break;
    case RUNTAB_TIES:      sqlite3_result_int64(pCtx, pRow->n.nTie); break;
    case RUNTAB_SEQFROM:   acdcValResult(pCtx, &pRow->seqFrom); break;
    case RUNTAB_SEQTO:     acdcValResult(pCtx, &pRow->seqTo); break;
  }
}

void acdcRunTabClear(void *pData){
  acdcRunResultClear(pData);
}

int acdcRunTabWants(const AcdcRunCall *pCall, const AcdcFlow *pFlow){
  return (pCall->zFlow==0 || strcmp(pCall->zFlow, pFlow->zName)==0)
      && (pCall->zTarget==0 || strcmp(pCall->zTarget, pFlow->zTarget)==0);
}

typedef struct RunTabUnit RunTabUnit;
struct RunTabUnit {
  const AcdcRunCall *pCall;
  AcdcFlow *pFlow;
};

static void runTabUnit(AcdcCtx *p, void *pArg, AcdcRunResult *pR){
  RunTabUnit *pU = (RunTabUnit*)pArg;
  const AcdcRunOptions *pOpt = &pU->pCall->options;
  AcdcRunFlowOpts opts;
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pOpt->bReadAll;
  opts.nMemory = pOpt->nMemory;
  if( pU->pFlow->eSource==ACDC_SOURCE_FILES ){
    acdcRunFiles(p, pU->pFlow, pOpt->zBasePath, &opts, pR);
  }else{
    acdcRunFlow(p, pU->pFlow, 0, &opts, pR);
  }
}

void acdcRunTabFlow(
  AcdcCtx *p, const AcdcRunCall *pCall, AcdcFlow *pFlow, AcdcRunResult *pR
){
  RunTabUnit unit;
  if( p->rc || !acdcRunTabWants(pCall, pFlow) ) return;
  unit.pCall = pCall;
  unit.pFlow = pFlow;
  acdcRunUnit(p, pCall->options.bContinue, pFlow->zName, pFlow->zTarget,
              runTabUnit, &unit, pR);
}

/* The text of an argument, NULL if it is NULL. */
static const char *runTabArg(AcdcCtx *p, sqlite3_value *pV){
  const char *z = pV ? (const char*)sqlite3_value_text(pV) : 0;
  if( pV && z==0 && sqlite3_value_type(pV)!=SQLITE_NULL ){
    acdcError(p, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
  }
  return z;
}

/* Take the arguments: spec, options, and what flow and target are to be. */
static void runTabArgs(
  AcdcCtx *p, const AcdcRunTab *pDef, sqlite3_value **apArg, AcdcRunCall *pCall
){
  const char *zOptions;
  memset(pCall, 0, sizeof(*pCall));
  pCall->zSpec = runTabArg(p, apArg[0]);
  zOptions = runTabArg(p, apArg[1]);
  pCall->zFlow = runTabArg(p, apArg[2]);
  pCall->zTarget = runTabArg(p, apArg[3]);
  /* "flow = NULL" is true of no row, so nothing is to run. */
  pCall->bNone = (apArg[2] && pCall->zFlow==0)
              || (apArg[3] && pCall->zTarget==0);
  acdcOptionsRead(p, zOptions, &pCall->options);
  if( apArg[0] && pCall->zSpec==0 ){
    acdcError(p, SQLITE_ERROR, "the flow is NULL: %s", pDef->zNull);
  }
  pCall->bInline = pCall->zSpec
                && pCall->zSpec[strspn(pCall->zSpec, " \t\r\n")]=='{';
}

int acdcRunTabRun(
  AcdcCtx *p, const AcdcTabFunc *pF, sqlite3_value **apArg, void *pData
){
  const AcdcRunTab *pDef = pF->pExtra;
  AcdcRunResult *pResult = pData;
  AcdcRunCall call;
  AcdcTrans trans = {0, 0};
  runTabArgs(p, pDef, apArg, &call);
  if( p->rc==0 ) acdcTransBegin(p, &trans, "it");
  if( p->rc==0 && !call.bNone ) pDef->xRun(p, &call, pResult);
  if( call.options.bDryRun && p->rc==0 ){
    /* Undo as an error would, and report all the same */
    acdcError(p, SQLITE_ABORT, "dry run");
    acdcTransEnd(p, &trans);
    if( p->rc==SQLITE_ABORT ) acdcCtxClear(p);
  }else{
    acdcTransEnd(p, &trans);
  }
  acdcOptionsClear(&call.options);
  return pResult->n;
}
