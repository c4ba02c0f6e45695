/*
** The virtual table around a table-valued function that makes all its rows when
** it is called.
*/
#include "tabfunc.h"

typedef struct TabVtab TabVtab;
struct TabVtab {
  sqlite3_vtab base;
  sqlite3 *db;               /* Not owned */
  const AcdcTabFunc *pF;     /* Static */
};

typedef struct TabCursor TabCursor;
struct TabCursor {
  sqlite3_vtab_cursor base;
  const AcdcTabFunc *pF;     /* Static */
  int i, n;                  /* Current row; rows */
  sqlite3_value *apArg[ACDC_TAB_MAXARG];   /* NULL: not given.  Owned */
  void *pData;               /* Owned */
};

static int tabConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  const AcdcTabFunc *pF = pAux;
  TabVtab *pNew;
  int rc;
  ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  rc = sqlite3_declare_vtab(db, pF->zDecl);
  if( rc ) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  pNew->pF = pF;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int tabDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int tabOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  const AcdcTabFunc *pF = ((TabVtab*)pVtab)->pF;
  TabCursor *pCur = sqlite3_malloc64(sizeof(*pCur) + pF->nData);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur) + pF->nData);
  pCur->pF = pF;
  pCur->pData = &pCur[1];
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

/* Forget the rows and the arguments of the last call. */
static void tabReset(TabCursor *pCur){
  int i;
  pCur->pF->xClear(pCur->pData);
  memset(pCur->pData, 0, pCur->pF->nData);
  for(i=0; i<ACDC_TAB_MAXARG; i++){
    sqlite3_value_free(pCur->apArg[i]);
    pCur->apArg[i] = 0;
  }
  pCur->i = pCur->n = 0;
}

static int tabClose(sqlite3_vtab_cursor *pCursor){
  tabReset((TabCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int tabNext(sqlite3_vtab_cursor *pCursor){
  ((TabCursor*)pCursor)->i++;
  return SQLITE_OK;
}

static int tabEof(sqlite3_vtab_cursor *pCursor){
  TabCursor *pCur = (TabCursor*)pCursor;
  return pCur->i>=pCur->n;
}

static int tabRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  *piRowid = ((TabCursor*)pCursor)->i + 1;
  return SQLITE_OK;
}

static int tabColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  TabCursor *pCur = (TabCursor*)pCursor;
  const AcdcTabFunc *pF = pCur->pF;
  int i;
  for(i=0; i<pF->nArg; i++){
    if( pF->aArg[i].iCol!=iCol || pF->aArg[i].bFilter ) continue;
    if( pCur->apArg[i] ) sqlite3_result_value(pCtx, pCur->apArg[i]);
    return SQLITE_OK;
  }
  pF->xColumn(pCtx, pCur->pData, pCur->i, iCol);
  return SQLITE_OK;
}

/* idxNum: bit i is set if argument i is given; in that order. */
static int tabFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  TabCursor *pCur = (TabCursor*)pCursor;
  const AcdcTabFunc *pF = pCur->pF;
  sqlite3_vtab *pVtab = pCursor->pVtab;
  AcdcCtx ctx;
  int i, n = 0, rc;
  ACDC_UNUSED(idxStr);
  tabReset(pCur);
  acdcCtxInit(&ctx, ((TabVtab*)pVtab)->db);
  for(i=0; i<pF->nArg && n<argc; i++){
    if( (idxNum & (1<<i))==0 ) continue;
    pCur->apArg[i] = sqlite3_value_dup(argv[n++]);
    if( pCur->apArg[i]==0 ){
      acdcError(&ctx, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
    }
  }
  if( ctx.rc==0 ) pCur->n = pF->xRun(&ctx, pF, pCur->apArg, pCur->pData);
  rc = ctx.rc;
  if( rc ){
    sqlite3_free(pVtab->zErrMsg);
    pVtab->zErrMsg = sqlite3_mprintf("%s(): %s", pF->zName,
                                     acdcErrorText(&ctx));
    tabReset(pCur);
  }
  acdcCtxClear(&ctx);
  return rc;
}

/*
** An argument that is there but cannot be used yet (a join that feeds it) rules
** the plan out: without it, something else would run.
*/
static int tabBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  const AcdcTabFunc *pF = ((TabVtab*)pVtab)->pF;
  int iArg, i, n = 0;
  for(iArg=0; iArg<pF->nArg; iArg++){
    const AcdcTabArg *pA = &pF->aArg[iArg];
    for(i=0; i<pInfo->nConstraint; i++){
      if( pInfo->aConstraint[i].iColumn!=pA->iCol
       || pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
      if( !pInfo->aConstraint[i].usable ){
        if( !pA->bFilter ) return SQLITE_CONSTRAINT;
        continue;
      }
      if( pA->bFilter
       && sqlite3_stricmp(sqlite3_vtab_collation(pInfo, i), "BINARY") ) continue;
      pInfo->aConstraintUsage[i].argvIndex = ++n;
      pInfo->aConstraintUsage[i].omit = !pA->bFilter;
      pInfo->idxNum |= 1<<iArg;
      break;
    }
  }
  pInfo->estimatedCost = pF->bMust && (pInfo->idxNum & 1)==0 ? 1e99 : 1e6;
  pInfo->estimatedRows = 10;
  return SQLITE_OK;
}

/* No xCreate: eponymous only. */
static const sqlite3_module tabModule = {
  0, 0, tabConnect, tabBestIndex, tabDisconnect, 0, tabOpen, tabClose,
  tabFilter, tabNext, tabEof, tabColumn, tabRowid,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcTabFuncRegister(sqlite3 *db, const AcdcTabFunc *pF){
  return sqlite3_create_module(db, pF->zName, &tabModule, (void*)pF);
}
