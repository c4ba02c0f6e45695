/*
** The virtual table behind the functions that run flows.
**
** Equivalent to
**
**   CREATE TABLE apply_changes(
**     flow, target, status, rows_read, inserted, updated, deleted, unchanged,
**     late, rejected, message,
**     spec HIDDEN, options HIDDEN, duration_ms HIDDEN, ...)
**
** The work is done in xFilter, all or nothing; rows are only its report.  A
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

/* idxNum: which arguments xFilter gets, in this order */
#define RUNTAB_HAS_SPEC     0x01
#define RUNTAB_HAS_OPTIONS  0x02
#define RUNTAB_HAS_FLOW     0x04    /* WHERE flow = ... */
#define RUNTAB_HAS_TARGET   0x08    /* WHERE target = ... */

typedef struct RunTabVtab RunTabVtab;
struct RunTabVtab {
  sqlite3_vtab base;
  sqlite3 *db;           /* Not owned */
  const AcdcRunTab *pDef;/* Static */
};

typedef struct RunTabCursor RunTabCursor;
struct RunTabCursor {
  sqlite3_vtab_cursor base;
  AcdcRunResult result;
  int i;                 /* Current row */
  sqlite3_value *pSpec;  /* The arguments, for xColumn.  Owned */
  sqlite3_value *pOptions;
};

static int runTabConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  RunTabVtab *pNew;
  int rc;
  ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  rc = sqlite3_declare_vtab(db,
      "CREATE TABLE x(flow, target, status, rows_read, inserted, updated, "
      "deleted, unchanged, late, rejected, message, spec HIDDEN, "
      "options HIDDEN, duration_ms HIDDEN, scd_type HIDDEN, source HIDDEN, "
      "snapshot_version HIDDEN, rows_filtered HIDDEN, ties HIDDEN, "
      "sequence_from HIDDEN, sequence_to HIDDEN)");
  if( rc ) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  pNew->pDef = pAux;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int runTabDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int runTabOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  RunTabCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static void runTabReset(RunTabCursor *pCur){
  acdcRunResultClear(&pCur->result);
  sqlite3_value_free(pCur->pSpec);
  sqlite3_value_free(pCur->pOptions);
  pCur->pSpec = pCur->pOptions = 0;
  pCur->i = 0;
}

static int runTabClose(sqlite3_vtab_cursor *pCursor){
  runTabReset((RunTabCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int runTabNext(sqlite3_vtab_cursor *pCursor){
  ((RunTabCursor*)pCursor)->i++;
  return SQLITE_OK;
}

static int runTabEof(sqlite3_vtab_cursor *pCursor){
  RunTabCursor *pCur = (RunTabCursor*)pCursor;
  return pCur->i>=pCur->result.n;
}

static void runTabText(sqlite3_context *pCtx, const char *z){
  if( z ) sqlite3_result_text(pCtx, z, -1, SQLITE_TRANSIENT);
}

static int runTabColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  RunTabCursor *pCur = (RunTabCursor*)pCursor;
  const AcdcRunRow *pRow = &pCur->result.a[pCur->i];
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
    case RUNTAB_SPEC:
      if( pCur->pSpec ) sqlite3_result_value(pCtx, pCur->pSpec);
      break;
    case RUNTAB_OPTIONS:
      if( pCur->pOptions ) sqlite3_result_value(pCtx, pCur->pOptions);
      break;
    case RUNTAB_DURATION:  sqlite3_result_int64(pCtx, pRow->nMillis); break;
    case RUNTAB_SCD:       runTabText(pCtx, pRow->zScd); break;
    case RUNTAB_SOURCE:    runTabText(pCtx, pRow->zSource); break;
    case RUNTAB_VERSION:  acdcValResult(pCtx, &pRow->version); break;
    case RUNTAB_FILTERED:  sqlite3_result_int64(pCtx, pRow->n.nFiltered); break;
    case RUNTAB_TIES:      sqlite3_result_int64(pCtx, pRow->n.nTie); break;
    case RUNTAB_SEQFROM:   acdcValResult(pCtx, &pRow->seqFrom); break;
    case RUNTAB_SEQTO:     acdcValResult(pCtx, &pRow->seqTo); break;
  }
  return SQLITE_OK;
}

static int runTabRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  *piRowid = ((RunTabCursor*)pCursor)->i;
  return SQLITE_OK;
}

/*
** An argument that is there but not usable yet (a join that feeds it) rules the
** plan out: without it, all flows would run.
*/
static int runTabBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  static const int aCol[] = {
    RUNTAB_SPEC, RUNTAB_OPTIONS, RUNTAB_FLOW, RUNTAB_TARGET
  };
  int iArg, i, n = 0;
  ACDC_UNUSED(pVtab);
  for(iArg=0; iArg<4; iArg++){
    for(i=0; i<pInfo->nConstraint; i++){
      if( pInfo->aConstraint[i].iColumn!=aCol[iArg]
       || pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
      if( !pInfo->aConstraint[i].usable ){
        if( iArg<2 ) return SQLITE_CONSTRAINT;
        continue;
      }
      if( iArg>=2
       && sqlite3_stricmp(sqlite3_vtab_collation(pInfo, i), "BINARY") ) continue;
      pInfo->aConstraintUsage[i].argvIndex = ++n;
      pInfo->aConstraintUsage[i].omit = iArg<2;
      pInfo->idxNum |= 1<<iArg;
      break;
    }
  }
  pInfo->estimatedCost = 1e9;
  pInfo->estimatedRows = 10;
  return SQLITE_OK;
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
  const char *z = (const char*)sqlite3_value_text(pV);
  if( z==0 && sqlite3_value_type(pV)!=SQLITE_NULL ){
    acdcError(p, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
  }
  return z;
}

/* Take the arguments of xFilter. */
static void runTabArgs(
  AcdcCtx *p, RunTabCursor *pCur, int idxNum, sqlite3_value **argv,
  AcdcRunCall *pCall
){
  const AcdcRunTab *pDef = ((RunTabVtab*)pCur->base.pVtab)->pDef;
  const char *zOptions = 0;
  int i = 0, bNull = 0;
  memset(pCall, 0, sizeof(*pCall));
  if( idxNum & RUNTAB_HAS_SPEC ){
    bNull = sqlite3_value_type(argv[i])==SQLITE_NULL;
    pCur->pSpec = sqlite3_value_dup(argv[i]);
    pCall->zSpec = runTabArg(p, argv[i++]);
  }
  if( idxNum & RUNTAB_HAS_OPTIONS ){
    pCur->pOptions = sqlite3_value_dup(argv[i]);
    zOptions = runTabArg(p, argv[i++]);
  }
  /* "flow = NULL" is true of no row, so nothing is to run. */
  if( idxNum & RUNTAB_HAS_FLOW ){
    pCall->bNone |= sqlite3_value_type(argv[i])==SQLITE_NULL;
    pCall->zFlow = runTabArg(p, argv[i++]);
  }
  if( idxNum & RUNTAB_HAS_TARGET ){
    pCall->bNone |= sqlite3_value_type(argv[i])==SQLITE_NULL;
    pCall->zTarget = runTabArg(p, argv[i++]);
  }
  acdcOptionsRead(p, zOptions, &pCall->options);
  if( bNull ) acdcError(p, SQLITE_ERROR, "the flow is NULL: %s", pDef->zNull);
  pCall->bInline = pCall->zSpec
                && pCall->zSpec[strspn(pCall->zSpec, " \t\r\n")]=='{';
}

static int runTabFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  RunTabCursor *pCur = (RunTabCursor*)pCursor;
  RunTabVtab *pTab = (RunTabVtab*)pCursor->pVtab;
  AcdcRunCall call;
  AcdcTrans trans = {0, 0};
  AcdcCtx ctx;
  int rc;
  ACDC_UNUSED(idxStr);
  ACDC_UNUSED(argc);
  runTabReset(pCur);
  acdcCtxInit(&ctx, pTab->db);
  runTabArgs(&ctx, pCur, idxNum, argv, &call);
  if( ctx.rc==0 ) acdcTransBegin(&ctx, &trans, "it");
  if( ctx.rc==0 && !call.bNone ){
    pTab->pDef->xRun(&ctx, &call, &pCur->result);
  }
  if( call.options.bDryRun && ctx.rc==0 ){
    /* Undo as an error would, and report all the same */
    acdcError(&ctx, SQLITE_ABORT, "dry run");
    acdcTransEnd(&ctx, &trans);
    if( ctx.rc==SQLITE_ABORT ) acdcCtxClear(&ctx);
  }else{
    acdcTransEnd(&ctx, &trans);
  }
  acdcOptionsClear(&call.options);
  rc = ctx.rc;
  if( rc ){
    sqlite3_free(pTab->base.zErrMsg);
    pTab->base.zErrMsg = sqlite3_mprintf("%s(): %s", pTab->pDef->zName,
                                         acdcErrorText(&ctx));
    acdcRunResultClear(&pCur->result);
  }
  acdcCtxClear(&ctx);
  return rc;
}

static const sqlite3_module runTabModule = {
  0,                         /* iVersion */
  0,                         /* xCreate */
  runTabConnect,             /* xConnect */
  runTabBestIndex,           /* xBestIndex */
  runTabDisconnect,          /* xDisconnect */
  0,                         /* xDestroy */
  runTabOpen,                /* xOpen */
  runTabClose,               /* xClose */
  runTabFilter,              /* xFilter */
  runTabNext,                /* xNext */
  runTabEof,                 /* xEof */
  runTabColumn,              /* xColumn */
  runTabRowid,               /* xRowid */
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcRunTabRegister(sqlite3 *db, const AcdcRunTab *pTab){
  return sqlite3_create_module(db, pTab->zName, &runTabModule, (void*)pTab);
}
