/*
** apply_changes([flow [, options]]): runs flows, a row for each flow run.
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
#include "sql.h"
#include "../run/run.h"
#include "../spec/inline.h"

#define APPLY_FLOW       0
#define APPLY_TARGET     1
#define APPLY_STATUS     2
#define APPLY_READ       3
#define APPLY_INSERTED   4
#define APPLY_UPDATED    5
#define APPLY_DELETED    6
#define APPLY_UNCHANGED  7
#define APPLY_LATE       8
#define APPLY_REJECTED   9
#define APPLY_MESSAGE   10
#define APPLY_SPEC      11
#define APPLY_OPTIONS   12
#define APPLY_DURATION  13
#define APPLY_SCD       14
#define APPLY_SOURCE    15
#define APPLY_VERSION   16
#define APPLY_FILTERED  17
#define APPLY_TIES      18
#define APPLY_SEQFROM   19
#define APPLY_SEQTO     20

/* idxNum: which arguments xFilter gets, in this order */
#define APPLY_HAS_SPEC     0x01
#define APPLY_HAS_OPTIONS  0x02
#define APPLY_HAS_FLOW     0x04    /* WHERE flow = ... */
#define APPLY_HAS_TARGET   0x08    /* WHERE target = ... */

typedef struct ApplyVtab ApplyVtab;
struct ApplyVtab {
  sqlite3_vtab base;
  sqlite3 *db;           /* Not owned */
};

typedef struct ApplyCursor ApplyCursor;
struct ApplyCursor {
  sqlite3_vtab_cursor base;
  AcdcRunResult result;
  int i;                 /* Current row */
  sqlite3_value *pSpec;  /* The arguments, for xColumn.  Owned */
  sqlite3_value *pOptions;
};

static int applyConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  ApplyVtab *pNew;
  int rc;
  ACDC_UNUSED(pAux); ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
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
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int applyDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int applyOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ApplyCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static void applyReset(ApplyCursor *pCur){
  acdcRunResultClear(&pCur->result);
  sqlite3_value_free(pCur->pSpec);
  sqlite3_value_free(pCur->pOptions);
  pCur->pSpec = pCur->pOptions = 0;
  pCur->i = 0;
}

static int applyClose(sqlite3_vtab_cursor *pCursor){
  applyReset((ApplyCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int applyNext(sqlite3_vtab_cursor *pCursor){
  ((ApplyCursor*)pCursor)->i++;
  return SQLITE_OK;
}

static int applyEof(sqlite3_vtab_cursor *pCursor){
  ApplyCursor *pCur = (ApplyCursor*)pCursor;
  return pCur->i>=pCur->result.n;
}

static void applyText(sqlite3_context *pCtx, const char *z){
  if( z ) sqlite3_result_text(pCtx, z, -1, SQLITE_TRANSIENT);
}

static int applyColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  ApplyCursor *pCur = (ApplyCursor*)pCursor;
  const AcdcRunRow *pRow = &pCur->result.a[pCur->i];
  switch( iCol ){
    case APPLY_FLOW:      applyText(pCtx, pRow->zFlow); break;
    case APPLY_TARGET:    applyText(pCtx, pRow->zTarget); break;
    case APPLY_STATUS:    applyText(pCtx, pRow->zStatus); break;
    case APPLY_READ:      sqlite3_result_int64(pCtx, pRow->n.nRead); break;
    case APPLY_INSERTED:  sqlite3_result_int64(pCtx, pRow->n.nInserted); break;
    case APPLY_UPDATED:   sqlite3_result_int64(pCtx, pRow->n.nUpdated); break;
    case APPLY_DELETED:   sqlite3_result_int64(pCtx, pRow->n.nDeleted); break;
    case APPLY_UNCHANGED: sqlite3_result_int64(pCtx, pRow->n.nUnchanged); break;
    case APPLY_LATE:      sqlite3_result_int64(pCtx, pRow->n.nLate); break;
    case APPLY_REJECTED:  sqlite3_result_int64(pCtx, pRow->n.nRejected); break;
    case APPLY_MESSAGE:   applyText(pCtx, pRow->zMessage); break;
    case APPLY_SPEC:
      if( pCur->pSpec ) sqlite3_result_value(pCtx, pCur->pSpec);
      break;
    case APPLY_OPTIONS:
      if( pCur->pOptions ) sqlite3_result_value(pCtx, pCur->pOptions);
      break;
    case APPLY_DURATION:  sqlite3_result_int64(pCtx, pRow->nMillis); break;
    case APPLY_SCD:       applyText(pCtx, pRow->zScd); break;
    case APPLY_SOURCE:    applyText(pCtx, pRow->zSource); break;
    case APPLY_VERSION:   applyText(pCtx, pRow->zVersion); break;
    case APPLY_FILTERED:  sqlite3_result_int64(pCtx, pRow->n.nFiltered); break;
    case APPLY_TIES:      sqlite3_result_int64(pCtx, pRow->n.nTie); break;
    case APPLY_SEQFROM:   acdcValResult(pCtx, &pRow->seqFrom); break;
    case APPLY_SEQTO:     acdcValResult(pCtx, &pRow->seqTo); break;
  }
  return SQLITE_OK;
}

static int applyRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  *piRowid = ((ApplyCursor*)pCursor)->i;
  return SQLITE_OK;
}

/*
** An argument that is there but not usable yet (a join that feeds it) rules the
** plan out: without it, all flows would run.
*/
static int applyBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  static const int aCol[] = {
    APPLY_SPEC, APPLY_OPTIONS, APPLY_FLOW, APPLY_TARGET
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

/* Run an inline flow. */
static void applyInline(
  AcdcCtx *p, const char *zJson, const AcdcRunOptions *pOptions,
  const char *zFlow, const char *zTarget, AcdcRunResult *pR
){
  AcdcFlow flow;
  AcdcRunFlowOpts opts;
  acdcFlowInit(&flow);
  acdcInlineRead(p, zJson, ACDC_USE_CHANGES, &flow);
  acdcFlowCheck(p, &flow);
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pOptions->bReadAll;
  if( p->rc==0
   && (zFlow==0 || strcmp(zFlow, flow.zName)==0)
   && (zTarget==0 || strcmp(zTarget, flow.zTarget)==0)
  ){
    acdcRunFlow(p, &flow, 0, &opts, pR);
  }
  acdcFlowClear(&flow);
}

static int applyFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ApplyCursor *pCur = (ApplyCursor*)pCursor;
  ApplyVtab *pTab = (ApplyVtab*)pCursor->pVtab;
  const char *zSpec = 0, *zOptions = 0, *zFlow = 0, *zTarget = 0;
  AcdcRunOptions options;
  AcdcTrans trans = {0, 0};
  AcdcCtx ctx;
  int i = 0, rc, bNull = 0;
  ACDC_UNUSED(idxStr);
  ACDC_UNUSED(argc);
  applyReset(pCur);
  acdcCtxInit(&ctx, pTab->db);
  if( idxNum & APPLY_HAS_SPEC ){
    bNull = sqlite3_value_type(argv[i])==SQLITE_NULL;
    pCur->pSpec = sqlite3_value_dup(argv[i]);
    zSpec = (const char*)sqlite3_value_text(argv[i++]);
  }
  if( idxNum & APPLY_HAS_OPTIONS ){
    pCur->pOptions = sqlite3_value_dup(argv[i]);
    zOptions = (const char*)sqlite3_value_text(argv[i++]);
  }
  if( idxNum & APPLY_HAS_FLOW ){
    zFlow = (const char*)sqlite3_value_text(argv[i++]);
  }
  if( idxNum & APPLY_HAS_TARGET ){
    zTarget = (const char*)sqlite3_value_text(argv[i++]);
  }
  acdcOptionsRead(&ctx, zOptions, &options);
  if( bNull ){
    acdcError(&ctx, SQLITE_ERROR, "the flow is NULL: give its name, or a flow "
        "as JSON, or no argument to run all flows that are loaded");
  }else if( zSpec==0 || zSpec[strspn(zSpec, " \t\r\n")]!='{' ){
    acdcError(&ctx, SQLITE_ERROR, "no flow is loaded%s%s: give a flow as JSON, "
        "like '{\"target\": \"t\", \"source\": \"t_changes\", \"keys\": "
        "\"id\", \"sequence_by\": \"seq\"}'", zSpec ? " that is named " : "",
        zSpec ? zSpec : "");
  }
  if( ctx.rc==0 ) acdcTransBegin(&ctx, &trans, "it");
  if( ctx.rc==0 ){
    applyInline(&ctx, zSpec, &options, zFlow, zTarget, &pCur->result);
  }
  if( options.bDryRun && ctx.rc==0 ){
    /* Undo as an error would, and report all the same */
    acdcError(&ctx, SQLITE_ABORT, "dry run");
    acdcTransEnd(&ctx, &trans);
    if( ctx.rc==SQLITE_ABORT ) acdcCtxClear(&ctx);
  }else{
    acdcTransEnd(&ctx, &trans);
  }
  acdcOptionsClear(&options);
  rc = ctx.rc;
  if( rc ){
    sqlite3_free(pTab->base.zErrMsg);
    pTab->base.zErrMsg = sqlite3_mprintf("apply_changes(): %s",
                                         acdcErrorText(&ctx));
    acdcRunResultClear(&pCur->result);
  }
  acdcCtxClear(&ctx);
  return rc;
}

static const sqlite3_module applyModule = {
  0,                         /* iVersion */
  0,                         /* xCreate */
  applyConnect,              /* xConnect */
  applyBestIndex,            /* xBestIndex */
  applyDisconnect,           /* xDisconnect */
  0,                         /* xDestroy */
  applyOpen,                 /* xOpen */
  applyClose,                /* xClose */
  applyFilter,               /* xFilter */
  applyNext,                 /* xNext */
  applyEof,                  /* xEof */
  applyColumn,               /* xColumn */
  applyRowid,                /* xRowid */
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcApplyRegister(sqlite3 *db){
  return sqlite3_create_module(db, "apply_changes", &applyModule, 0);
}
