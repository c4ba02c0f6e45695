/*
** Tables, views and queries as sources.
*/
#include "source.h"

/*
** Error: no table or view of that name.  Suggests the nearest one that any
** schema has.
*/
static void sourceMissing(AcdcCtx *p, const char *zName){
  AcdcNames all = {0, 0};
  sqlite3_stmt *pStmt, *pList;
  const char *zNear;
  pList = acdcPrepare(p, 0, "SELECT name FROM pragma_database_list");
  while( acdcStep(p, pList) ){
    const char *zDb = (const char*)sqlite3_column_text(pList, 0);
    pStmt = acdcPrepare(p, 0, "SELECT name FROM \"%w\".%s WHERE type IN "
        "('table','view') AND name NOT LIKE 'autocdc\\_%%' ESCAPE '\\'", zDb,
        sqlite3_stricmp(zDb, "temp")==0 ? "sqlite_temp_schema"
                                        : "sqlite_schema");
    while( acdcStep(p, pStmt) ){
      acdcNamesAdd(p, &all, (const char*)sqlite3_column_text(pStmt, 0), -1);
    }
    acdcFinalize(p, &pStmt);
  }
  acdcFinalize(p, &pList);
  zNear = acdcNearest(zName, (const char*const*)all.az, all.n);
  if( zNear ){
    acdcError(p, SQLITE_ERROR, "no such table or view: %s; did you mean %s?",
              zName, zNear);
  }else{
    acdcError(p, SQLITE_ERROR, "no such table or view: %s; create it and load "
              "the change rows first, or give a SELECT as the source", zName);
  }
  acdcNamesFree(&all);
}

static void sourceOpenTable(AcdcCtx *p, const char *zName, AcdcSource *pSrc){
  AcdcTable *pT = &pSrc->tab;
  if( !acdcTableFind(p, 0, zName, pT) ){
    if( p->rc==0 ) sourceMissing(p, zName);
    return;
  }
  pSrc->bTable = !pT->bView && !pT->bVirtual;
  pSrc->bAppend = pSrc->bTable && !pT->bWithoutRowid && pT->zRowid!=0;
  if( pSrc->bAppend ) pSrc->zRowid = pT->zRowid;
  /* An index that covers the columns would give another order of arrival */
  pSrc->zFrom = acdcMprintf(p, "\"%w\".\"%w\"%s", pT->zSchema, pT->zName,
                            pSrc->bTable ? " NOT INDEXED" : "");
  pSrc->zLabel = acdcMprintf(p, "%s.%s", pT->zSchema, pT->zName);
}

/* Columns of a statement, as those of a table without schema. */
static void sourceColumns(AcdcCtx *p, AcdcSource *pSrc, sqlite3_stmt *pStmt){
  AcdcTable *pT = &pSrc->tab;
  int i, n = sqlite3_column_count(pStmt);
  pT->aCol = acdcMalloc(p, sizeof(AcdcColumn)*(n ? n : 1));
  if( p->rc ) return;
  pT->nCol = n;
  pT->iIpk = -1;
  for(i=0; i<n; i++){
    const char *zType = sqlite3_column_decltype(pStmt, i);
    pT->aCol[i].zName = acdcStrdup(p, sqlite3_column_name(pStmt, i));
    pT->aCol[i].zType = acdcStrdup(p, zType ? zType : "");
    pT->aCol[i].cAff = zType ? acdcAffinity(zType) : 'A';
  }
}

static void sourceOpenQuery(AcdcCtx *p, const char *zSql, AcdcSource *pSrc){
  sqlite3_stmt *pStmt;
  int n = (int)strlen(zSql);
  while( n>0 && (zSql[n-1]==';' || zSql[n-1]==' ' || zSql[n-1]=='\n'
              || zSql[n-1]=='\r' || zSql[n-1]=='\t') ) n--;
  /* By itself first: "SELECT 1) x, (SELECT 2" is no query */
  pStmt = acdcPrepare(p, 0, "%.*s", n, zSql);
  if( p->rc==0 && sqlite3_column_count(pStmt)==0 ){
    acdcError(p, SQLITE_ERROR, "the source is no query: it returns no columns");
  }
  if( p->rc==0 && sqlite3_bind_parameter_count(pStmt)>0 ){
    acdcError(p, SQLITE_ERROR, "the source query has parameters, which cannot "
        "be given: write the values into it");
  }
  acdcFinalize(p, &pStmt);
  pSrc->zFrom = acdcMprintf(p, "(%.*s\n)", n, zSql);
  pStmt = acdcPrepare(p, 0, "SELECT * FROM %s", pSrc->zFrom);
  if( pStmt ) sourceColumns(p, pSrc, pStmt);
  acdcFinalize(p, &pStmt);
  pSrc->tab.zName = acdcStrdup(p, "the source query");
  pSrc->zLabel = acdcStrndup(p, zSql, n);
}

static void sourceOpenReader(
  AcdcCtx *p, const AcdcFlow *pFlow, AcdcReader *pReader, AcdcSource *pSrc
){
  AcdcTable *pT = &pSrc->tab;
  int i;
  pSrc->pReader = pReader;
  pSrc->zFrom = acdcReaderSql(p, pReader, 1);
  pSrc->zRowid = "\"" ACDC_READER_ROWID "\"";
  pSrc->zLabel = acdcStrdup(p, pFlow->files.zPath ? pFlow->files.zPath
                                                  : pFlow->zSource);
  pT->zName = acdcStrdup(p, pSrc->zLabel);
  pT->iIpk = -1;
  pT->aCol = acdcMalloc(p, sizeof(AcdcColumn)*(pReader->nCol+1));
  if( p->rc ) return;
  pT->nCol = pReader->nCol;
  for(i=0; i<pT->nCol; i++){
    pT->aCol[i].zName = acdcStrdup(p, pReader->aCol[i].zName);
    pT->aCol[i].zType = acdcStrdup(p, pReader->aCol[i].zType);
    pT->aCol[i].cAff = acdcAffinity(pT->aCol[i].zType ? pT->aCol[i].zType:"");
  }
}

void acdcSourceOpen(
  AcdcCtx *p, const AcdcFlow *pFlow, AcdcReader *pReader, AcdcSource *pOut
){
  int i, j;
  memset(pOut, 0, sizeof(*pOut));
  if( pReader ){
    sourceOpenReader(p, pFlow, pReader, pOut);
  }else if( p->rc ){
    return;
  }else if( pFlow->eSource==ACDC_SOURCE_QUERY ){
    sourceOpenQuery(p, pFlow->zSource, pOut);
    acdcErrorWhere(p, "source query");
  }else{
    sourceOpenTable(p, pFlow->zSource, pOut);
    acdcErrorWhere(p, "source \"%s\"", pFlow->zSource);
  }
  for(i=0; i<pOut->tab.nCol && p->rc==0; i++){
    for(j=0; j<i; j++){
      if( sqlite3_stricmp(pOut->tab.aCol[i].zName, pOut->tab.aCol[j].zName)==0 ){
        acdcError(p, SQLITE_ERROR, "source has two columns named %s: give one "
            "of them another name with AS", pOut->tab.aCol[i].zName);
      }
    }
  }
}

void acdcSourceClose(AcdcSource *pSrc){
  acdcTableClear(&pSrc->tab);
  sqlite3_free(pSrc->zFrom);
  sqlite3_free(pSrc->zLabel);
  if( pSrc->pReader ) pSrc->pReader->xFree(pSrc->pReader);
  memset(pSrc, 0, sizeof(*pSrc));
}

/* FNV-1a, 64 bits: two rows of one rowid that differ must differ here. */
static u64 sourceHash(u64 h, const u8 *a, int n){
  int i;
  for(i=0; i<n; i++) h = (h ^ a[i]) * (((u64)0x100<<32) | 0x1b3);
  return h;
}

i64 acdcSourceDigest(
  AcdcCtx *p, const AcdcSource *pSrc, i64 iRow, int *pbFound
){
  sqlite3_stmt *pStmt;
  u64 h = ((u64)0xcbf29ce4<<32) | 0x84222325;
  *pbFound = 0;
  pStmt = acdcPrepare(p, 0, "SELECT * FROM %s WHERE %s=?1", pSrc->zFrom,
                      pSrc->zRowid);
  if( pStmt ) sqlite3_bind_int64(pStmt, 1, iRow);
  if( acdcStep(p, pStmt) ){
    int i, n = sqlite3_column_count(pStmt);
    *pbFound = 1;
    for(i=0; i<n; i++){
      AcdcVal v;
      acdcValColumn(&v, pStmt, i);
      /* NULLs by their absence: a column may be added to the table */
      if( v.eType==SQLITE_NULL ) continue;
      h = sourceHash(h, (const u8*)&i, sizeof(i));
      h = sourceHash(h, &v.eType, 1);
      if( v.eType==SQLITE_TEXT || v.eType==SQLITE_BLOB ){
        h = sourceHash(h, v.u.z, v.n);
        h = sourceHash(h, (const u8*)&v.n, sizeof(v.n));
      }else if( v.eType==SQLITE_INTEGER ){
        h = sourceHash(h, (const u8*)&v.u.i, sizeof(v.u.i));
      }else if( v.eType==SQLITE_FLOAT ){
        h = sourceHash(h, (const u8*)&v.u.r, sizeof(v.u.r));
      }
    }
  }
  acdcFinalize(p, &pStmt);
  return (i64)h;
}

i64 acdcSourceFirst(AcdcCtx *p, const AcdcSource *pSrc, int *pbFound){
  i64 i = 0;
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "SELECT min(%s) FROM %s",
                                    pSrc->zRowid, pSrc->zFrom);
  *pbFound = 0;
  if( acdcStep(p, pStmt) && sqlite3_column_type(pStmt, 0)!=SQLITE_NULL ){
    *pbFound = 1;
    i = sqlite3_column_int64(pStmt, 0);
  }
  acdcFinalize(p, &pStmt);
  return i;
}
