/*
** What flows have read or done.  See marks.h.
*/
#include "marks.h"
#include "../source/schema.h"

sqlite3_stmt *acdcMarkRow(const AcdcMarks *pM, const char *zSource){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  if( pM->iTarget==0 ) return 0;
  pStmt = acdcPrepare(p, 0, "SELECT first_row, first_digest, last_row, "
      "last_digest, config FROM \"%w\".autocdc_sources WHERE target=%lld "
      "AND flow=?1 AND source=?2", pM->zSchema, pM->iTarget);
  if( pStmt ){
    sqlite3_bind_text(pStmt, 1, pM->zFlow, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 2, zSource, -1, SQLITE_STATIC);
    if( acdcStep(p, pStmt) ) return pStmt;
  }
  acdcFinalize(p, &pStmt);
  return 0;
}

void acdcMarkPut(
  const AcdcMarks *pM, const char *zSource, i64 iFirst, i64 iFirstD, i64 iLast,
  i64 iLastD, const char *zConfig
){
  sqlite3_stmt *pStmt = acdcPrepare(pM->p, 0, "INSERT OR REPLACE INTO "
      "\"%w\".autocdc_sources(target, flow, source, first_row, first_digest, "
      "last_row, last_digest, config, done) "
      "VALUES(%lld, ?1, ?2, ?3, ?4, ?5, ?6, ?7, 1)", pM->zSchema, pM->iTarget);
  if( pStmt ){
    sqlite3_bind_text(pStmt, 1, pM->zFlow, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 2, zSource, -1, SQLITE_STATIC);
    sqlite3_bind_int64(pStmt, 3, iFirst);
    sqlite3_bind_int64(pStmt, 4, iFirstD);
    sqlite3_bind_int64(pStmt, 5, iLast);
    sqlite3_bind_int64(pStmt, 6, iLastD);
    sqlite3_bind_text(pStmt, 7, zConfig, -1, SQLITE_STATIC);
  }
  acdcStep(pM->p, pStmt);
  acdcFinalize(pM->p, &pStmt);
}

/* ---- files ---- */

void acdcMarkFile(
  const AcdcMarks *pM, const char *zPath, i64 nSize, i64 iMtime
){
  char *zSource = acdcMprintf(pM->p, "file:%s", zPath);
  if( zSource ) acdcMarkPut(pM, zSource, 0, 0, nSize, iMtime, 0);
  sqlite3_free(zSource);
}

void acdcMarkUnread(
  const AcdcMarks *pM, AcdcFileList *pList, char **pzChanged
){
  AcdcCtx *p = pM->p;
  int i, n = 0;
  *pzChanged = 0;
  for(i=0; i<pList->n; i++){
    AcdcFile *pF = &pList->a[i];
    char *zSource = acdcMprintf(p, "file:%s", pF->zPath);
    sqlite3_stmt *pStmt = zSource ? acdcMarkRow(pM, zSource) : 0;
    int bKnown = pStmt!=0;
    int bSame = bKnown && sqlite3_column_int64(pStmt, 2)==pF->nSize
                       && sqlite3_column_int64(pStmt, 3)==pF->iMtime;
    acdcFinalize(p, &pStmt);
    sqlite3_free(zSource);
    if( bKnown && !bSame && *pzChanged==0 ){
      *pzChanged = acdcStrdup(p, pF->zPath);
    }
    if( bSame ){
      sqlite3_free(pF->zPath);
    }else{
      pList->a[n++] = *pF;
    }
  }
  pList->n = n;
}

/*
** Columns that files without a schema had in earlier runs, and those of the
** reader at hand that are new: as DDL.  NULL if the reader has them all.
*/
static char *markMoreColumns(
  AcdcCtx *p, const char *zKnown, const char *zNow
){
  AcdcSchema known = {0, 0, 0}, now = {0, 0, 0};
  char *z = 0;
  int i, nMore = 0;
  acdcSchemaParse(p, zKnown, &known);
  if( zNow ) acdcSchemaParse(p, zNow, &now);
  for(i=0; i<known.n; i++){
    if( acdcSchemaFind(&now, known.a[i].zName, (int)strlen(known.a[i].zName))<0 ){
      nMore++;
    }
    acdcAppendf(p, &z, "%s\"%w\" %s", z ? ", " : "", known.a[i].zName,
                known.a[i].zType ? known.a[i].zType : "");
  }
  for(i=0; i<now.n; i++){
    if( acdcSchemaFind(&known, now.a[i].zName, (int)strlen(now.a[i].zName))>=0 ){
      continue;
    }
    acdcAppendf(p, &z, "%s\"%w\" %s", z ? ", " : "", now.a[i].zName,
                now.a[i].zType ? now.a[i].zType : "");
  }
  acdcSchemaClear(&known);
  acdcSchemaClear(&now);
  if( nMore==0 ){
    sqlite3_free(z);
    z = 0;
  }
  return z;
}

AcdcReader *acdcMarkOpen(
  const AcdcMarks *pM, const char *zSource, AcdcFiles *pFiles,
  const AcdcFileList *pList, char **pzColumns
){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = acdcMarkRow(pM, zSource);
  char *zKnown = 0, *zNow = 0, *zAll = 0;
  AcdcReader *pR = 0;
  *pzColumns = 0;
  if( pStmt ){
    zKnown = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 4));
    acdcFinalize(p, &pStmt);
  }
  if( pList->n==0 && zKnown==0 ) return 0;
  if( pList->n>0 ){
    pR = acdcFilesOpen(p, pFiles, pList);
    zNow = pR ? acdcFilesSchema(p, pR) : 0;
  }
  if( zKnown && p->rc==SQLITE_OK ) zAll = markMoreColumns(p, zKnown, zNow);
  if( zAll || (pR==0 && p->rc==SQLITE_OK) ){
    acdcReaderFree(pR);
    sqlite3_free(pFiles->zSchema);
    pFiles->zSchema = acdcStrdup(p, zAll ? zAll : zKnown);
    pR = acdcFilesOpen(p, pFiles, pList);
    if( zAll ){
      sqlite3_free(zNow);
      zNow = zAll;
      zAll = 0;
    }
  }
  *pzColumns = zNow;
  sqlite3_free(zAll);
  sqlite3_free(zKnown);
  return pR;
}
