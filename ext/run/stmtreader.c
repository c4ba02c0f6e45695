/*
** The rows of a statement as a reader.  See stmtreader.h.
*/
#include "stmtreader.h"

typedef struct StmtReader StmtReader;
struct StmtReader {
  AcdcReader base;
  sqlite3 *db;             /* Not owned */
  sqlite3_stmt *pStmt;     /* Owned */
  int nSub;
  AcdcReader **apSub;      /* Owned, the readers too */
  i64 iRow;
  u8 bEof;
};

/* What became of bad records of the readers that the statement reads. */
static void stmtCount(StmtReader *p){
  AcdcReader *pB = &p->base;
  int i;
  pB->nMalformed = pB->nDropped = pB->nRescued = 0;
  sqlite3_free(pB->zWarn);
  pB->zWarn = 0;
  for(i=0; i<p->nSub; i++){
    pB->nMalformed += p->apSub[i]->nMalformed;
    pB->nDropped += p->apSub[i]->nDropped;
    pB->nRescued += p->apSub[i]->nRescued;
    if( pB->zWarn==0 && p->apSub[i]->zWarn ){
      pB->zWarn = sqlite3_mprintf("%s", p->apSub[i]->zWarn);
    }
  }
}

static int stmtStep(StmtReader *p){
  int rc = sqlite3_step(p->pStmt);
  if( rc==SQLITE_ROW ){
    p->iRow++;
    return SQLITE_OK;
  }
  p->bEof = 1;
  stmtCount(p);
  if( rc==SQLITE_DONE ) return SQLITE_OK;
  sqlite3_free(p->base.zErr);
  p->base.zErr = sqlite3_mprintf("%s", sqlite3_errmsg(p->db));
  return sqlite3_extended_errcode(p->db);
}

static int stmtRewind(AcdcReader *pReader){
  StmtReader *p = (StmtReader*)pReader;
  sqlite3_reset(p->pStmt);
  p->bEof = 0;
  p->iRow = 0;
  return stmtStep(p);
}

static int stmtNext(AcdcReader *pReader){
  return stmtStep((StmtReader*)pReader);
}

/* At the end the statement is reset: it would block the end of savepoints. */
static int stmtEof(AcdcReader *pReader){
  StmtReader *p = (StmtReader*)pReader;
  if( p->bEof ) sqlite3_reset(p->pStmt);
  return p->bEof;
}

static void stmtColumn(AcdcReader *pReader, int iCol, AcdcVal *pOut){
  acdcValColumn(pOut, ((StmtReader*)pReader)->pStmt, iCol);
}

static i64 stmtRowid(AcdcReader *pReader){
  return ((StmtReader*)pReader)->iRow;
}

static void stmtFree(AcdcReader *pReader){
  StmtReader *p = (StmtReader*)pReader;
  int i;
  if( p==0 ) return;
  sqlite3_finalize(p->pStmt);
  for(i=0; i<p->nSub; i++) acdcReaderFree(p->apSub[i]);
  sqlite3_free(p->apSub);
  for(i=0; i<p->base.nCol && p->base.aCol; i++){
    sqlite3_free(p->base.aCol[i].zName);
    sqlite3_free(p->base.aCol[i].zType);
  }
  sqlite3_free(p->base.aCol);
  sqlite3_free(p->base.zErr);
  sqlite3_free(p->base.zWarn);
  sqlite3_free(p);
}

AcdcReader *acdcStmtReader(
  AcdcCtx *p, const char *zSql, AcdcReader **apSub, int nSub
){
  StmtReader *pNew = acdcMalloc(p, (i64)sizeof(*pNew));
  int i;
  if( pNew==0 ){
    for(i=0; i<nSub; i++) acdcReaderFree(apSub[i]);
    return 0;
  }
  pNew->base.xRewind = stmtRewind;
  pNew->base.xNext = stmtNext;
  pNew->base.xEof = stmtEof;
  pNew->base.xColumn = stmtColumn;
  pNew->base.xRowid = stmtRowid;
  pNew->base.xFree = stmtFree;
  pNew->db = p->db;
  pNew->bEof = 1;
  pNew->apSub = acdcMalloc(p, (nSub+1)*(i64)sizeof(AcdcReader*));
  for(i=0; i<nSub; i++){
    if( pNew->apSub ) pNew->apSub[pNew->nSub++] = apSub[i];
    else acdcReaderFree(apSub[i]);
  }
  pNew->pStmt = acdcPrepare(p, 0, "%s", zSql);
  for(i=0; i<pNew->nSub && p->rc==SQLITE_OK; i++){
    acdcReaderBind(pNew->pStmt, i+1, pNew->apSub[i]);
  }
  if( p->rc==SQLITE_OK ){
    int n = sqlite3_column_count(pNew->pStmt);
    pNew->base.aCol = acdcMalloc(p, (n+1)*(i64)sizeof(AcdcColumn));
    for(i=0; i<n && p->rc==SQLITE_OK; i++){
      const char *zType = sqlite3_column_decltype(pNew->pStmt, i);
      AcdcColumn *pC = &pNew->base.aCol[i];
      pC->zName = acdcStrdup(p, sqlite3_column_name(pNew->pStmt, i));
      pC->zType = acdcStrdup(p, zType ? zType : "");
      pC->cAff = acdcAffinity(zType ? zType : "");
      pNew->base.nCol = i+1;
    }
  }
  if( p->rc ){
    stmtFree(&pNew->base);
    return 0;
  }
  return &pNew->base;
}
