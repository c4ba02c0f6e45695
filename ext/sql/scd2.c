/*
** The module scd2.  See scd2.h.
*/
#include "scd2.h"
#include "sql.h"
#include "../core/trust.h"

int acdcScd2Error(AcdcScd2 *pTab){
  int rc = pTab->ctx.rc;
  if( rc ){
    sqlite3_free(pTab->base.zErrMsg);
    pTab->base.zErrMsg = sqlite3_mprintf("%s: %s", pTab->zName,
                                         acdcErrorText(&pTab->ctx));
    acdcCtxClear(&pTab->ctx);
  }
  return rc;
}

/* ---- create and connect ---- */

static void scd2Free(AcdcScd2 *pTab){
  int i;
  if( pTab==0 ) return;
  acdcPushClose(pTab->pPush);
  sqlite3_finalize(pTab->pState);
  acdcScd2FreeQueries(pTab);
  for(i=0; i<pTab->nCol; i++) sqlite3_free(pTab->aCol[i].zName);
  sqlite3_free(pTab->aCol);
  sqlite3_free(pTab->apVal);
  sqlite3_free(pTab->aEvent);
  sqlite3_free(pTab->aTakes);
  acdcTableClear(&pTab->cols);
  acdcTableClear(&pTab->rows);
  acdcFlowClear(&pTab->flow);
  sqlite3_free(pTab->zSchema);
  sqlite3_free(pTab->zName);
  sqlite3_free(pTab->zRows);
  sqlite3_free(pTab->zRowsSql);
  sqlite3_free(pTab->zColumns);
  sqlite3_free(pTab->zWrong);
  acdcCtxClear(&pTab->ctx);
  sqlite3_free(pTab);
}

/* Is there a table of that name in the schema of the declaration? */
static int scd2Exists(AcdcScd2 *pTab, AcdcCtx *p, const char *zName){
  AcdcTable t;
  char *z = acdcMprintf(p, "\"%w\"", zName);
  int bThere = acdcTableFind(p, pTab->zSchema, z, &t);
  if( bThere ) acdcTableClear(&t);
  sqlite3_free(z);
  return bThere;
}

/* What CREATE can say of its names before it makes anything. */
static void scd2CheckNames(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  const char *zRows = pTab->zRows;
  if( p->rc ) return;
  if( pTab->bOwned && scd2Exists(pTab, p, zRows) ){
    acdcError(p, SQLITE_ERROR, "table %s, which would hold its rows, is there "
        "already: rename that, or declare it as the history with target='%q'",
        zRows, zRows);
  }
  if( !pTab->bOwned && !pTab->bEvents && !scd2Exists(pTab, p, zRows) ){
    acdcError(p, SQLITE_ERROR, "no such table: %s; target names a history "
        "that is there, or give source or columns", zRows);
  }
}

/*
** Make the table of rows and its state.  An error in a list that steers the
** merge, not the shape of the table (track_history_column_list and the like),
** leaves a table that can be declared: INSERT reports it.
*/
static void scd2MakeRows(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcCtx other;
  if( !pTab->bEvents || p->rc ) return;
  acdcScd2OpenPush(pTab);
  acdcCtxInit(&other, pTab->db);
  if( p->rc==SQLITE_ERROR && pTab->bOwned
   && scd2Exists(pTab, &other, pTab->zRows)
   && !(acdcStateHasCatalog(&other, pTab->zSchema)
     && acdcSelectInt(&other, 0, "SELECT 1 FROM \"%w\".autocdc_targets "
                      "WHERE target=%Q", pTab->zSchema, pTab->zRows))
  ){
    acdcCtxClear(p);
  }
  acdcCtxClear(&other);
  if( pTab->bOwned && p->rc==0 && pTab->pPush ){
    /* A reset empties it, and does not drop what the declaration owns */
    acdcExec(p, "UPDATE \"%w\".autocdc_targets SET made=0 WHERE target=%Q",
             pTab->zSchema, pTab->zRows);
  }
  acdcScd2Forget(pTab);
}

static int scd2Init(
  sqlite3 *db, int argc, const char *const*argv, sqlite3_vtab **ppVtab,
  char **pzErr, int bCreate
){
  AcdcScd2 *pTab = sqlite3_malloc64(sizeof(*pTab));
  AcdcCtx *p;
  char *z;
  int rc;
  if( pTab==0 ) return SQLITE_NOMEM;
  memset(pTab, 0, sizeof(*pTab));
  pTab->db = db;
  p = &pTab->ctx;
  acdcCtxInit(p, db);
  acdcFlowInit(&pTab->flow);
  pTab->nLast = -1;
  pTab->zSchema = acdcStrdup(p, argv[1]);
  pTab->zName = acdcStrdup(p, argv[2]);
  acdcScd2Arguments(pTab, argc, argv);
  if( bCreate ) scd2CheckNames(pTab);
  acdcScd2EventColumns(pTab, bCreate);
  if( bCreate ) scd2MakeRows(pTab);
  acdcScd2Columns(pTab);
  z = acdcScd2Declaration(pTab);
  if( p->rc==0 ){
    rc = sqlite3_declare_vtab(db, z);
    if( rc ) acdcErrorDb(p, rc, "its columns cannot be declared");
  }
  sqlite3_free(z);
  rc = p->rc;
  if( rc ){
    *pzErr = sqlite3_mprintf("%s: %s", argv[2], acdcErrorText(p));
    scd2Free(pTab);
    return rc;
  }
  *ppVtab = &pTab->base;
  return SQLITE_OK;
}

static int scd2Create(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  ACDC_UNUSED(pAux);
  return scd2Init(db, argc, argv, ppVtab, pzErr, 1);
}

static int scd2Connect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  ACDC_UNUSED(pAux);
  return scd2Init(db, argc, argv, ppVtab, pzErr, 0);
}

static int scd2Disconnect(sqlite3_vtab *pVtab){
  scd2Free((AcdcScd2*)pVtab);
  return SQLITE_OK;
}

/* ---- drop and rename ---- */

static void scd2DropTable(AcdcScd2 *pTab, const char *zName){
  acdcExec(&pTab->ctx, "DROP TABLE IF EXISTS \"%w\".\"%w\"", pTab->zSchema,
           zName);
}

static int scd2Destroy(sqlite3_vtab *pVtab){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  AcdcCtx *p = &pTab->ctx;
  AcdcState st;
  char *z;
  int rc;
  acdcScd2Forget(pTab);
  if( p->rc ) acdcCtxClear(p);
  acdcScd2FreeQueries(pTab);
  if( pTab->bOwned ){
    if( acdcStateLoad(p, pTab->zSchema, pTab->zRows, &st) ){
      i64 iId = st.iId;
      acdcStateForget(p, pTab->zSchema, &st);
      z = acdcMprintf(p, "autocdc_event_%lld", iId);
      scd2DropTable(pTab, z);
      sqlite3_free(z);
    }
    acdcStateClear(&st);
    scd2DropTable(pTab, pTab->zRows);
  }
  if( pTab->bCols ){
    z = acdcMprintf(p, "%s_cols", pTab->zName);
    scd2DropTable(pTab, z);
    sqlite3_free(z);
  }
  rc = acdcScd2Error(pTab);
  if( rc==SQLITE_OK ) scd2Free(pTab);
  return rc;
}

/* h_rows and h_cols follow the table; state and checkpoints too. */
static int scd2Rename(sqlite3_vtab *pVtab, const char *zNew){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  AcdcCtx *p = &pTab->ctx;
  char *zRows, *zName;
  if( p->rc ) acdcCtxClear(p);
  zRows = acdcMprintf(p, "%s_rows", zNew);
  zName = acdcStrdup(p, zNew);
  acdcScd2Flush(pTab);
  acdcScd2Forget(pTab);
  acdcScd2FreeQueries(pTab);
  if( pTab->bOwned ){
    acdcExec(p, "ALTER TABLE %s RENAME TO \"%w\"", pTab->zRowsSql, zRows);
  }
  if( pTab->bCols ){
    acdcExec(p, "ALTER TABLE \"%w\".\"%w_cols\" RENAME TO \"%w_cols\"",
             pTab->zSchema, pTab->zName, zNew);
  }
  if( acdcStateHasCatalog(p, pTab->zSchema) ){
    acdcExec(p, "UPDATE \"%w\".autocdc_sources SET flow=%Q WHERE flow=%Q AND "
        "target=(SELECT id FROM \"%w\".autocdc_targets WHERE target=%Q)",
        pTab->zSchema, zNew, pTab->zName, pTab->zSchema, pTab->zRows);
    if( pTab->bOwned ){
      acdcExec(p, "UPDATE \"%w\".autocdc_targets SET target=%Q "
               "WHERE target=%Q", pTab->zSchema, zRows, pTab->zRows);
    }
  }
  if( p->rc==0 ){
    char *zSql = acdcMprintf(p, "\"%w\".\"%w\"", pTab->zSchema,
                             pTab->bOwned ? zRows : pTab->zRows);
    if( zSql ){
      sqlite3_free(pTab->zName);
      pTab->zName = zName;
      zName = 0;
      sqlite3_free(pTab->flow.zName);
      pTab->flow.zName = acdcStrdup(p, zNew);
      sqlite3_free(pTab->flow.zTarget);
      pTab->flow.zTarget = acdcScd2Target(p, pTab->zSchema,
          pTab->bOwned ? zRows : pTab->zRows);
      sqlite3_free(pTab->zRowsSql);
      pTab->zRowsSql = zSql;
      if( pTab->bOwned ){
        sqlite3_free(pTab->zRows);
        pTab->zRows = zRows;
        zRows = 0;
      }
    }
  }
  sqlite3_free(zRows);
  sqlite3_free(zName);
  return acdcScd2Error(pTab);
}

static int scd2ShadowName(const char *zTail){
  return sqlite3_stricmp(zTail, "rows")==0 || sqlite3_stricmp(zTail, "cols")==0;
}

/* ---- flows of scd2 tables ---- */

/* Is schema.name a virtual table of this module? */
static int scd2Is(AcdcCtx *p, const char *zSchema, const char *zName){
  char zModule[32];
  char *zSql = acdcSelectText(p, "SELECT sql FROM \"%w\".%s WHERE name=%Q "
      "COLLATE NOCASE AND type='table' AND rootpage=0", zSchema,
      sqlite3_stricmp(zSchema, "temp") ? "sqlite_master" : "sqlite_temp_master",
      zName);
  if( zSql==0 ) return 0;
  acdcTrustModule(zSql, zModule, sizeof(zModule)-1);
  sqlite3_free(zSql);
  return sqlite3_stricmp(zModule, "scd2")==0;
}

/* Ask the table itself, through a pointer in the place of as_of. */
static void scd2Ask(
  AcdcCtx *p, const char *zSchema, const char *zName, AcdcScd2Ask *pAsk
){
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "SELECT 1 FROM \"%w\".\"%w\"(?1)",
                                    zSchema, zName);
  if( pStmt ) sqlite3_bind_pointer(pStmt, 1, pAsk, ACDC_SCD2_POINTER, 0);
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
}

int acdcScd2Flow(AcdcCtx *p, const char *zName, AcdcFlow *pOut){
  AcdcTable t;
  AcdcScd2Ask ask;
  int i, bIs;
  acdcFlowInit(pOut);
  if( !acdcTableFind(p, 0, zName, &t) ) return 0;
  bIs = t.bVirtual && scd2Is(p, t.zSchema, t.zName);
  memset(&ask, 0, sizeof(ask));
  ask.p = p;
  ask.pFlow = pOut;
  if( bIs ) scd2Ask(p, t.zSchema, t.zName, &ask);
  if( bIs && p->rc==0 && pOut->eSource==ACDC_SOURCE_NONE ){
    acdcError(p, SQLITE_ERROR, "%s names no source: it is fed by INSERT; a "
        "declaration with source='...' is fed by apply_changes()", t.zName);
  }
  if( bIs && p->rc==0 && !pOut->columnList.bGiven ){
    /* Its columns are fixed: what the source has got since is left out */
    AcdcSource src;
    acdcSourceOpen(p, pOut, 0, &src);
    for(i=0; i<src.tab.nCol && p->rc==0; i++){
      if( acdcNamesFind(&ask.cols, src.tab.aCol[i].zName)<0 ){
        pOut->exceptColumnList.bGiven = 1;
        acdcNamesAdd(p, &pOut->exceptColumnList.names, src.tab.aCol[i].zName,
                     -1);
      }
    }
    acdcSourceClose(&src);
  }
  acdcNamesFree(&ask.cols);
  acdcTableClear(&t);
  return bIs && p->rc==0;
}

void acdcScd2List(AcdcCtx *p, AcdcNames *pOut){
  AcdcNames schemas = {0, 0};
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "PRAGMA database_list");
  int i, j;
  while( acdcStep(p, pStmt) ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 1);
    if( z ) acdcNamesAdd(p, &schemas, z, -1);
  }
  acdcFinalize(p, &pStmt);
  for(i=0; i<schemas.n && p->rc==0; i++){
    const char *zSchema = schemas.az[i];
    AcdcNames names = {0, 0};
    pStmt = acdcPrepare(p, 0, "SELECT name FROM \"%w\".%s WHERE type='table' "
        "AND rootpage=0 ORDER BY name", zSchema,
        sqlite3_stricmp(zSchema, "temp") ? "sqlite_master"
                                         : "sqlite_temp_master");
    while( acdcStep(p, pStmt) ){
      const char *z = (const char*)sqlite3_column_text(pStmt, 0);
      if( z ) acdcNamesAdd(p, &names, z, -1);
    }
    acdcFinalize(p, &pStmt);
    for(j=0; j<names.n && p->rc==0; j++){
      AcdcFlow flow;
      AcdcScd2Ask ask;
      if( !scd2Is(p, zSchema, names.az[j]) ) continue;
      acdcFlowInit(&flow);
      memset(&ask, 0, sizeof(ask));
      ask.p = p;
      ask.pFlow = &flow;
      scd2Ask(p, zSchema, names.az[j], &ask);
      if( flow.eSource!=ACDC_SOURCE_NONE ){
        char *z = acdcMprintf(p, "\"%w\".\"%w\"", zSchema, names.az[j]);
        if( z ) acdcNamesAdd(p, pOut, z, -1);
        sqlite3_free(z);
      }
      acdcNamesFree(&ask.cols);
      acdcFlowClear(&flow);
    }
    acdcNamesFree(&names);
  }
  acdcNamesFree(&schemas);
}

/* ---- the module ---- */

/*
** As SQLite 3.44 and newer know it.  Headers before that end with xShadowName,
** so the method that was added since stands behind.
*/
typedef struct Scd2Module Scd2Module;
struct Scd2Module {
  sqlite3_module m;
#if SQLITE_VERSION_NUMBER<3044000
  int (*xIntegrity)(sqlite3_vtab*, const char*, const char*, int, char**);
#endif
};

#define SCD2_METHODS(V) {                                                    \
    V, scd2Create, scd2Connect, acdcScd2BestIndex, scd2Disconnect,           \
    scd2Destroy, acdcScd2Open, acdcScd2Close, acdcScd2Filter, acdcScd2Next,  \
    acdcScd2Eof, acdcScd2Column, acdcScd2Rowid, acdcScd2Update,              \
    acdcScd2Begin, acdcScd2Sync, acdcScd2Commit, acdcScd2Rollback, 0,        \
    scd2Rename, acdcScd2Savepoint, acdcScd2Release, acdcScd2RollbackTo,      \
    scd2ShadowName SCD2_INTEGRITY }

#if SQLITE_VERSION_NUMBER<3044000
# define SCD2_INTEGRITY
static const Scd2Module scd2Old = { SCD2_METHODS(3), 0 };
static const Scd2Module scd2New = { SCD2_METHODS(4), acdcScd2Integrity };
#else
# define SCD2_INTEGRITY , acdcScd2Integrity
static const Scd2Module scd2Old = { SCD2_METHODS(3) };
static const Scd2Module scd2New = { SCD2_METHODS(4) };
#endif

int acdcScd2Register(sqlite3 *db){
  const Scd2Module *p =
      sqlite3_libversion_number()>=3044000 ? &scd2New : &scd2Old;
  int rc = acdcScd2TakeRegister(db);
  return rc ? rc : sqlite3_create_module(db, "scd2", &p->m, 0);
}
