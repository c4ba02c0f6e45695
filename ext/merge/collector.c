/*
** Rows that are pushed one by one (push.c) to events.
**
** Every row can go through the statement that collect.c makes.  Most can do
** without: where the values are already as their columns would store them,
** plain columns are taken as they come, and a second statement, over bound
** parameters, computes what is an expression and calls autocdc_push(ptr, ...)
** with it.  If nothing is one, no statement runs at all.
*/
#include "collectint.h"

#define COLLECTOR_POINTER "autocdc-collector"

/* A column that the expressions may use: parameter i+2 of the statement. */
typedef struct CollectorUse CollectorUse;
struct CollectorUse {
  int iSrc;
  char cAff;
};

struct AcdcCollector {
  AcdcCollect c;
  sqlite3_stmt *pStmt;   /* For every row.  Owned */
  sqlite3_stmt *pExpr;   /* For expressions; NULL if there are none.  Owned */
  u8 bDirect;            /* Rows can do without pStmt */
  int *aFrom;            /* Of each argument: its source column, or -1-k for
                         ** expression k.  Owned */
  u8 *aWant;             /* Source columns that are arguments.  Owned */
  sqlite3_value **apArg; /* Arguments of the row at hand.  Owned */
  sqlite3_value **apVal; /* Its values.  Not owned */
  int nUse;
  CollectorUse *aUse;    /* Owned */
  int nExpr;
};

/* Does the text hold the name anywhere?  A name with quotes may be spelled in
** other ways: then it is taken to be there. */
static int collectorMentions(const char *z, const char *zName){
  int n = (int)strlen(zName);
  if( strpbrk(zName, "\"`[]'") ) return 1;
  for(; *z; z++) if( sqlite3_strnicmp(z, zName, n)==0 ) return 1;
  return 0;
}

/* What each argument is; the expressions as ", e0, e1" . */
static char *collectorArgs(AcdcCollector *pC){
  AcdcCollect *pCo = &pC->c;
  AcdcCtx *p = pCo->p;
  const AcdcTable *pT = &pCo->pM->pSrc->tab;
  char *zExpr = 0;
  int i, j;
  for(i=0; i<pCo->args.n && p->rc==0; i++){
    const char *zArg = pCo->args.az[i];
    pC->aFrom[i] = -1;
    for(j=0; j<pT->nCol && pC->aFrom[i]<0; j++){
      char *z = acdcMprintf(p, "\"%w\"", pT->aCol[j].zName);
      if( z && strcmp(z, zArg)==0 ){
        pC->aFrom[i] = j;
        pC->aWant[j] = 1;
      }
      sqlite3_free(z);
    }
    if( pC->aFrom[i]<0 ){
      pC->aFrom[i] = -1 - pC->nExpr++;
      acdcAppendf(p, &zExpr, ", %s", zArg);
    }
  }
  return zExpr;
}

/* "SELECT CAST(?2 AS TEXT) AS "op", ..." of the columns that zAll mentions. */
static char *collectorUses(AcdcCollector *pC, const char *zAll){
  static const char *const azCast[] = {
    "?%d", "CAST(?%d AS TEXT)", "CAST(?%d AS NUMERIC)", "CAST(?%d AS INTEGER)",
    "CAST(?%d AS REAL)"
  };
  AcdcCtx *p = pC->c.p;
  const AcdcTable *pT = &pC->c.pM->pSrc->tab;
  char *z = acdcMprintf(p, "SELECT 1");
  int i;
  for(i=0; i<pT->nCol; i++){
    const AcdcColumn *pCol = &pT->aCol[i];
    if( !collectorMentions(zAll, pCol->zName) ) continue;
    pC->aUse[pC->nUse].iSrc = i;
    pC->aUse[pC->nUse].cAff = pCol->cAff;
    acdcAppendf(p, &z, ", ");
    acdcAppendf(p, &z, azCast[pCol->cAff - 'A'], pC->nUse+2);
    if( pCol->zColl ) acdcAppendf(p, &z, " COLLATE \"%w\"", pCol->zColl);
    acdcAppendf(p, &z, " AS \"%w\"", pCol->zName);
    pC->nUse++;
  }
  return z;
}

/* Prepare what takes rows without pStmt. */
static void collectorDirect(AcdcCollector *pC){
  AcdcCtx *p = pC->c.p;
  int nCol = pC->c.pM->pSrc->tab.nCol, bDqsWas = 0;
  char *zExpr, *zFilter, *zAll, *zUses;
  pC->aFrom = acdcMalloc(p, sizeof(int)*(pC->c.args.n+1));
  pC->aWant = acdcMalloc(p, nCol+1);
  pC->apArg = acdcMalloc(p, sizeof(sqlite3_value*)*(pC->c.args.n+1));
  pC->aUse = acdcMalloc(p, sizeof(CollectorUse)*(nCol+1));
  if( p->rc || pC->c.pM->bCollate || pC->c.args.n>=pC->c.nPartArg ) return;
  zExpr = collectorArgs(pC);
  zFilter = acdcCollectFilterSql(&pC->c);
  if( (zExpr || zFilter) && p->rc==0 ){
    zAll = acdcMprintf(p, "%s %s", zExpr ? zExpr : "", zFilter ? zFilter : "");
    zUses = zAll ? collectorUses(pC, zAll) : 0;
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, -1, &bDqsWas);
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, 0, (int*)0);
    pC->pExpr = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT,
        "SELECT autocdc_push(?1%s) FROM (%s)%s%s", zExpr ? zExpr : "", zUses,
        zFilter ? " WHERE " : "", zFilter ? zFilter : "");
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, bDqsWas, (int*)0);
    if( pC->pExpr ){
      sqlite3_bind_pointer(pC->pExpr, 1, pC, COLLECTOR_POINTER, 0);
    }
    sqlite3_free(zAll);
    sqlite3_free(zUses);
  }
  pC->bDirect = p->rc==0;
  sqlite3_free(zExpr);
  sqlite3_free(zFilter);
}

AcdcCollector *acdcCollectorNew(AcdcMerge *pM){
  AcdcMergeOpts opts;
  AcdcCollector *pC = acdcMalloc(pM->p, sizeof(*pC));
  if( pC==0 ) return 0;
  memset(&opts, 0, sizeof(opts));
  pC->pStmt = acdcCollectOpen(&pC->c, pM, &opts);
  pC->c.bHeader = 0;     /* nobody inserts a header */
  if( pM->p->rc==0 ) collectorDirect(pC);
  return pC;
}

void acdcCollectorFree(AcdcCollector *pC){
  if( pC==0 ) return;
  if( pC->c.pM ) pC->c.pM->bSeqSeen = 0;            /* its bytes go */
  sqlite3_free(pC->c.zFrom);
  sqlite3_free(pC->c.zTo);
  sqlite3_finalize(pC->pStmt);
  sqlite3_finalize(pC->pExpr);
  sqlite3_free(pC->aFrom);
  sqlite3_free(pC->aWant);
  sqlite3_free(pC->apArg);
  sqlite3_free(pC->aUse);
  acdcCollectClear(&pC->c);
  sqlite3_free(pC);
}

sqlite3_stmt *acdcCollectorStmt(AcdcCollector *pC){
  return pC->pStmt;
}

/* Is the value as a column of that affinity would store it? */
static int collectorIsStored(sqlite3_value *pV, char cAff){
  int eType = sqlite3_value_type(pV);
  double r;
  switch( cAff ){
    case 'A':
      return 1;
    case 'B':
      return eType!=SQLITE_INTEGER && eType!=SQLITE_FLOAT;
    case 'E':
      return eType!=SQLITE_TEXT && eType!=SQLITE_INTEGER;
    default:
      if( eType!=SQLITE_FLOAT ) return eType!=SQLITE_TEXT;
      r = sqlite3_value_double(pV);
      return !(r>-2251799813685248.0 && r<2251799813685248.0
               && (double)(i64)r==r);
  }
}

/* Does CAST to that affinity leave the value as it is, too? */
static int collectorIsCast(sqlite3_value *pV, char cAff){
  int eType = sqlite3_value_type(pV);
  if( cAff=='A' ) return 1;
  if( cAff=='D' && eType==SQLITE_FLOAT ) return 0;
  return eType!=SQLITE_BLOB && collectorIsStored(pV, cAff);
}

static int collectorCan(AcdcCollector *pC, sqlite3_value **apVal){
  const AcdcTable *pT = &pC->c.pM->pSrc->tab;
  int i;
  for(i=0; i<pT->nCol; i++){
    if( pC->aWant[i] && !collectorIsStored(apVal[i], pT->aCol[i].cAff) ){
      return 0;
    }
  }
  for(i=0; i<pC->nUse; i++){
    if( !collectorIsCast(apVal[pC->aUse[i].iSrc], pC->aUse[i].cAff) ) return 0;
  }
  return 1;
}

/* The row, with the values of its expressions. */
static void collectorTake(AcdcCollector *pC, sqlite3_value **apExpr){
  int i;
  for(i=0; i<pC->c.args.n; i++){
    int iFrom = pC->aFrom[i];
    pC->apArg[i] = iFrom>=0 ? pC->apVal[iFrom] : apExpr[-1-iFrom];
  }
  acdcCollectRow(&pC->c, pC->apArg);
}

static void collectorFunc(
  sqlite3_context *pCtx, int nArg, sqlite3_value **apArg
){
  AcdcCollector *pC = nArg>0 ? sqlite3_value_pointer(apArg[0],
                                                     COLLECTOR_POINTER) : 0;
  if( pC==0 || pC->apVal==0 || nArg!=pC->nExpr+1 ){
    sqlite3_result_error(pCtx, "autocdc_push() is private", -1);
    return;
  }
  collectorTake(pC, apArg+1);
  if( pC->c.p->rc ){
    sqlite3_result_error(pCtx, acdcErrorText(pC->c.p), -1);
    sqlite3_result_error_code(pCtx, pC->c.p->rc);
  }
}

int acdcCollectorRegister(sqlite3 *db){
  return sqlite3_create_function_v2(db, "autocdc_push", -1,
      SQLITE_UTF8|SQLITE_DIRECTONLY, 0, collectorFunc, 0, 0, 0);
}

void acdcCollectorRow(AcdcCollector *pC, sqlite3_value **apVal, i64 iRow){
  AcdcCtx *p = pC->c.p;
  sqlite3_stmt *pStmt = pC->pStmt;
  int i;
  if( p->rc ) return;
  pC->c.pSorter = pC->c.pM->pSorter;
  pC->c.nRow = iRow - 1;
  pC->c.nNullSeq = pC->c.nNullSys = pC->c.nNullKey = 0;
  pC->apVal = apVal;
  if( pC->bDirect && collectorCan(pC, apVal) ){
    pStmt = pC->pExpr;
    if( pStmt==0 ) collectorTake(pC, 0);
    for(i=0; i<pC->nUse; i++){
      AcdcVal v;
      acdcValFrom(&v, apVal[pC->aUse[i].iSrc]);
      acdcValBind(pStmt, i+2, &v);
    }
  }
  if( pStmt ){
    acdcStep(p, pStmt);
    acdcReset(p, pStmt);
  }
  pC->apVal = 0;
  if( p->rc==0 ) acdcCollectNulls(&pC->c);
}
