/*
** What the schema says of a table or a view.
**
** It is asked by PRAGMA statements, not by their table-valued functions: a
** table of the user's could have the name of such a function.
*/
#include "core.h"

/* True if zType holds zPart (in upper case) anywhere, without case. */
static int typeHolds(const char *zType, const char *zPart){
  int n = (int)strlen(zPart);
  for(; zType[0]; zType++){
    if( sqlite3_strnicmp(zType, zPart, n)==0 ) return 1;
  }
  return 0;
}

/*
** The five rules of "Determination Of Column Affinity", in their order.
** They do not hold for ANY in a STRICT table, see tableColumnType().
*/
char acdcAffinity(const char *zType){
  if( zType==0 || zType[0]==0 ) return 'A';
  if( typeHolds(zType, "INT") ) return 'D';
  if( typeHolds(zType, "CHAR")
   || typeHolds(zType, "CLOB")
   || typeHolds(zType, "TEXT")
  ){
    return 'B';
  }
  if( typeHolds(zType, "BLOB") ) return 'A';
  if( typeHolds(zType, "REAL")
   || typeHolds(zType, "FLOA")
   || typeHolds(zType, "DOUB")
  ){
    return 'E';
  }
  return 'C';
}

void acdcTableClear(AcdcTable *pT){
  int i;
  if( pT==0 ) return;
  for(i=0; i<pT->nCol; i++){
    sqlite3_free(pT->aCol[i].zName);
    sqlite3_free(pT->aCol[i].zType);
    sqlite3_free(pT->aCol[i].zColl);
  }
  sqlite3_free(pT->aCol);
  sqlite3_free(pT->zSchema);
  sqlite3_free(pT->zName);
  memset(pT, 0, sizeof(*pT));
  pT->iIpk = -1;
}

int acdcTableColumn(const AcdcTable *pT, const char *zName){
  int i;
  if( zName==0 ) return -1;
  for(i=0; i<pT->nCol; i++){
    if( sqlite3_stricmp(pT->aCol[i].zName, zName)==0 ) return i;
  }
  return -1;
}

/*
** The schemas of the connection, in the order in which SQLite looks up a
** name: temp, main, then the attached ones.
*/
static void tableSchemas(AcdcCtx *p, AcdcNames *pOut){
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "PRAGMA database_list");
  while( acdcStep(p, pStmt) ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 1);
    if( z==0 ){
      acdcError(p, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
      break;
    }
    acdcNamesAdd(p, pOut, z, -1);
    if( sqlite3_column_int(pStmt, 0)==1 && pOut->n==2 ){
      char *zMain = pOut->az[0];
      pOut->az[0] = pOut->az[1];
      pOut->az[1] = zMain;
    }
  }
  acdcFinalize(p, &pStmt);
}

/* The text of a column, "" for NULL.  Owned by the caller. */
static char *tableColumnText(AcdcCtx *p, sqlite3_stmt *pStmt, int iCol){
  const char *z;
  if( sqlite3_column_type(pStmt, iCol)==SQLITE_NULL ) return acdcStrdup(p, "");
  z = (const char*)sqlite3_column_text(pStmt, iCol);
  if( z==0 ) acdcError(p, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
  return acdcStrdup(p, z);
}

/* Read what is true of the table as a whole.  0 if there is none. */
static int tableLoadHead(
  AcdcCtx *p,
  const char *zSchema,
  const char *zName,
  AcdcTable *pOut
){
  int bFound = 0;
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "PRAGMA \"%w\".table_list(\"%w\")",
                                    zSchema, zName);
  if( acdcStep(p, pStmt) ){
    const char *zType = (const char*)sqlite3_column_text(pStmt, 2);
    bFound = 1;
    pOut->zSchema = acdcStrdup(p, zSchema);
    pOut->zName = tableColumnText(p, pStmt, 1);
    pOut->bView = zType!=0 && strcmp(zType, "view")==0;
    pOut->bVirtual = zType!=0 && strcmp(zType, "virtual")==0;
    pOut->bWithoutRowid = sqlite3_column_int(pStmt, 4)!=0;
    pOut->bStrict = sqlite3_column_int(pStmt, 5)!=0;
  }
  acdcFinalize(p, &pStmt);
  return bFound && p->rc==SQLITE_OK;
}

/* Room for one more column, zeroed; NULL after an error. */
static AcdcColumn *tableNewColumn(AcdcCtx *p, AcdcTable *pT){
  AcdcColumn *pCol;
  if( pT->nCol==0 || (pT->nCol>=8 && (pT->nCol & (pT->nCol-1))==0) ){
    i64 nSlot = pT->nCol==0 ? 8 : 2*(i64)pT->nCol;
    AcdcColumn *aNew = acdcRealloc(p, pT->aCol,
                                   nSlot*(i64)sizeof(AcdcColumn));
    if( aNew==0 ) return 0;
    pT->aCol = aNew;
  }
  if( p->rc!=SQLITE_OK ) return 0;
  pCol = &pT->aCol[pT->nCol++];
  memset(pCol, 0, sizeof(*pCol));
  return pCol;
}

/* The spellings of the rowid, the usual one first. */
static const char *const azRowid[] = { "rowid", "_rowid_", "oid" };
#define TABLE_NROWID ((int)(sizeof(azRowid)/sizeof(azRowid[0])))

/*
** Read the columns.  Hidden columns of virtual tables are left out, as "*"
** leaves them out; but they too shadow the rowid.  Sets zRowid.
*/
static void tableLoadColumns(AcdcCtx *p, AcdcTable *pT){
  int aShadowed[TABLE_NROWID] = { 0 };
  int i;
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "PRAGMA \"%w\".table_xinfo(\"%w\")",
                                    pT->zSchema, pT->zName);
  while( acdcStep(p, pStmt) ){
    const char *zName = (const char*)sqlite3_column_text(pStmt, 1);
    int iHidden = sqlite3_column_int(pStmt, 6);
    int iPk;
    AcdcColumn *pCol;
    for(i=0; i<TABLE_NROWID; i++){
      if( sqlite3_stricmp(zName, azRowid[i])==0 ) aShadowed[i] = 1;
    }
    if( iHidden==1 ) continue;
    pCol = tableNewColumn(p, pT);
    if( pCol==0 ) break;
    pCol->zName = tableColumnText(p, pStmt, 1);
    pCol->zType = tableColumnText(p, pStmt, 2);
    pCol->bNotNull = sqlite3_column_int(pStmt, 3)!=0;
    iPk = sqlite3_column_int(pStmt, 5);
    pCol->iPk = (u8)(iPk<255 ? iPk : 255);
    pCol->bGenerated = iHidden>=2;
    if( p->rc!=SQLITE_OK ) break;
    if( pT->bStrict && sqlite3_stricmp(pCol->zType, "ANY")==0 ){
      pCol->cAff = 'A';
    }else{
      pCol->cAff = acdcAffinity(pCol->zType);
    }
  }
  acdcFinalize(p, &pStmt);
  if( pT->bView || pT->bWithoutRowid ) return;
  for(i=0; i<TABLE_NROWID && pT->zRowid==0; i++){
    if( !aShadowed[i] ) pT->zRowid = azRowid[i];
  }
}

/*
** Read the collations.  A view declares none; what its columns inherit from
** below is not to be had.
*/
static void tableLoadCollations(AcdcCtx *p, AcdcTable *pT){
  int i;
  if( pT->bView ) return;
  for(i=0; i<pT->nCol && p->rc==SQLITE_OK; i++){
    AcdcColumn *pCol = &pT->aCol[i];
    const char *zColl = 0;
    int rc = sqlite3_table_column_metadata(p->db, pT->zSchema, pT->zName,
                                           pCol->zName, 0, &zColl, 0, 0, 0);
    if( rc!=SQLITE_OK ){
      acdcErrorDb(p, rc, "cannot read column \"%w\" of \"%w\".\"%w\"",
                  pCol->zName, pT->zSchema, pT->zName);
    }else if( zColl && sqlite3_stricmp(zColl, "BINARY")!=0 ){
      pCol->zColl = acdcStrdup(p, zColl);
    }
  }
}

/*
** Set iIpk.  A PRIMARY KEY of a rowid table is the rowid exactly if it has no
** index of its own.  That tells INTEGER PRIMARY KEY from INT PRIMARY KEY and
** from INTEGER PRIMARY KEY DESC, which a look at the type does not.
*/
static void tableLoadIpk(AcdcCtx *p, AcdcTable *pT){
  sqlite3_stmt *pStmt;
  int iPk = -1;
  int i;
  if( pT->bView || pT->bVirtual || pT->bWithoutRowid ) return;
  for(i=0; i<pT->nCol; i++){
    if( pT->aCol[i].iPk==0 ) continue;
    if( iPk>=0 ) return;
    iPk = i;
  }
  if( iPk<0 || sqlite3_stricmp(pT->aCol[iPk].zType, "INTEGER")!=0 ) return;
  pStmt = acdcPrepare(p, 0, "PRAGMA \"%w\".index_list(\"%w\")",
                      pT->zSchema, pT->zName);
  while( acdcStep(p, pStmt) ){
    const char *zOrigin = (const char*)sqlite3_column_text(pStmt, 3);
    if( zOrigin && strcmp(zOrigin, "pk")==0 ) iPk = -1;
  }
  acdcFinalize(p, &pStmt);
  pT->iIpk = iPk;
}

/* Look for zName in one schema that exists. */
static int tableLoad(
  AcdcCtx *p,
  const char *zSchema,
  const char *zName,
  AcdcTable *pOut
){
  if( !tableLoadHead(p, zSchema, zName, pOut) ) return 0;
  tableLoadColumns(p, pOut);
  tableLoadCollations(p, pOut);
  tableLoadIpk(p, pOut);
  return p->rc==SQLITE_OK;
}

/* zSchema as the connection spells it, or NULL if there is none. */
static const char *tableSchemaName(const AcdcNames *pSchemas, const char *z){
  int i = acdcNamesFind(pSchemas, z);
  if( i>=0 ) return pSchemas->az[i];
  /* "main" is always understood, even if main has been renamed. */
  return sqlite3_stricmp(z, "main")==0 ? "main" : 0;
}

/* Look for zName in zSchema, or if that is NULL in all schemas in order. */
static int tableLookup(
  AcdcCtx *p,
  const AcdcNames *pSchemas,
  const char *zSchema,
  const char *zName,
  AcdcTable *pOut
){
  int i;
  if( p->rc!=SQLITE_OK || zName==0 || zName[0]==0 ) return 0;
  if( zSchema ){
    const char *zKnown = tableSchemaName(pSchemas, zSchema);
    return zKnown!=0 && tableLoad(p, zKnown, zName, pOut);
  }
  for(i=0; i<pSchemas->n; i++){
    if( tableLoad(p, pSchemas->az[i], zName, pOut) ) return 1;
    if( p->rc!=SQLITE_OK ) break;
  }
  return 0;
}

/* pOut is always set: to an empty table if 0 is returned. */
int acdcTableFind(
  AcdcCtx *p,
  const char *zSchema,
  const char *z,
  AcdcTable *pOut
){
  AcdcNames schemas = { 0, 0 };
  char *zWhole;
  int bFound;
  memset(pOut, 0, sizeof(*pOut));
  pOut->iIpk = -1;
  if( p->rc!=SQLITE_OK || z==0 ) return 0;
  tableSchemas(p, &schemas);
  zWhole = acdcUnquote(p, z);
  bFound = tableLookup(p, &schemas, zSchema, zWhole, pOut);
  if( !bFound ){
    char *zPart = 0;
    char *zName = 0;
    acdcSplitName(p, z, &zPart, &zName);
    if( zPart ) bFound = tableLookup(p, &schemas, zPart, zName, pOut);
    sqlite3_free(zPart);
    sqlite3_free(zName);
  }
  sqlite3_free(zWhole);
  acdcNamesFree(&schemas);
  if( !bFound ) acdcTableClear(pOut);
  return bFound;
}
