/*
** Full refresh of a target: autocdc_reset().
*/
#include "run.h"

int acdcFindTarget(
  AcdcCtx *p, const char *zTarget, char **pzSchema, char **pzName
){
  AcdcNames all = {0, 0};
  char *zWantDb = 0, *zWant = 0, *zRows = 0;
  sqlite3_stmt *pList, *pStmt;
  AcdcTable t;
  int nFound = 0;
  *pzSchema = *pzName = 0;
  acdcSplitName(p, zTarget, &zWantDb, &zWant);
  if( acdcTableFind(p, 0, zTarget, &t) ){
    /* An scd2 table stands for the table that has its rows */
    if( t.bVirtual ) zRows = acdcMprintf(p, "%s_rows", t.zName);
    acdcTableClear(&t);
  }
  pList = acdcPrepare(p, 0, "SELECT name FROM pragma_database_list");
  while( acdcStep(p, pList) ){
    const char *zDb = (const char*)sqlite3_column_text(pList, 0);
    if( !acdcStateHasCatalog(p, zDb) ) continue;
    pStmt = acdcPrepare(p, 0, "SELECT target FROM \"%w\".autocdc_targets", zDb);
    while( acdcStep(p, pStmt) ){
      const char *z = (const char*)sqlite3_column_text(pStmt, 0);
      int bIs = z && (sqlite3_stricmp(z, zTarget)==0
          || (zRows && sqlite3_stricmp(z, zRows)==0)
          || (zWant && sqlite3_stricmp(z, zWant)==0
              && (zWantDb==0 || sqlite3_stricmp(zDb, zWantDb)==0)));
      acdcNamesAdd(p, &all, z, -1);
      if( bIs && nFound++==0 ){
        *pzSchema = acdcStrdup(p, zDb);
        *pzName = acdcStrdup(p, z);
      }
    }
    acdcFinalize(p, &pStmt);
  }
  acdcFinalize(p, &pList);
  if( nFound==0 && p->rc==0 ){
    char *zAll = acdcNamesText(p, &all);
    acdcError(p, SQLITE_ERROR, "no flow has written to a target named %s; %s%s",
        zTarget, all.n ? "targets are: " : "there is no target yet",
        all.n ? zAll : "");
    sqlite3_free(zAll);
  }
  if( nFound>1 ){
    acdcError(p, SQLITE_ERROR, "target %s is in more than one schema: write "
        "schema.%s", zTarget, zTarget);
  }
  acdcNamesFree(&all);
  sqlite3_free(zRows);
  sqlite3_free(zWantDb);
  sqlite3_free(zWant);
  return p->rc==0;
}

/* Tables can be dropped only while no other statement reads. */
static void resetDrop(AcdcCtx *p, const char *zSchema, const char *zName){
  if( p->rc ) return;
  acdcExec(p, "DROP TABLE IF EXISTS \"%w\".\"%w\"", zSchema, zName);
  if( (p->rc & 0xff)==SQLITE_LOCKED ){
    acdcErrorWhere(p, "a table cannot be dropped while a statement is running: "
        "call it as SELECT autocdc_reset('...') by itself, without FROM");
  }
}

char *acdcResetTarget(AcdcCtx *p, const char *zTarget){
  AcdcTrans trans = {0, 0};
  AcdcState st;
  AcdcTable t;
  char *zSchema, *zName, *zSay = 0;
  memset(&st, 0, sizeof(st));
  if( !acdcFindTarget(p, zTarget, &zSchema, &zName) ){
    sqlite3_free(zSchema);
    sqlite3_free(zName);
    return 0;
  }
  acdcTransBegin(p, &trans, "it");
  if( acdcStateLoad(p, zSchema, zName, &st) ){
    i64 iId = st.iId;
    int bMade = st.bMade;
    char *zTable;
    if( acdcTableFind(p, zSchema, zName, &t) ){
      acdcTableClear(&t);
      if( bMade ){
        resetDrop(p, zSchema, zName);
        zSay = acdcMprintf(p, "%s: dropped, and its state forgotten", zName);
      }else{
        acdcExec(p, "DELETE FROM \"%w\".\"%w\"", zSchema, zName);
        zSay = acdcMprintf(p, "%s: emptied, and its state forgotten", zName);
      }
    }else{
      zSay = acdcMprintf(p, "%s: was gone, its state is forgotten", zName);
    }
    acdcStateForget(p, zSchema, &st);
    zTable = acdcMprintf(p, "autocdc_state_%lld", iId);
    resetDrop(p, zSchema, zTable);
    sqlite3_free(zTable);
    zTable = acdcMprintf(p, "autocdc_event_%lld", iId);
    resetDrop(p, zSchema, zTable);
    sqlite3_free(zTable);
  }
  acdcStateClear(&st);
  acdcTransEnd(p, &trans);
  sqlite3_free(zSchema);
  sqlite3_free(zName);
  return zSay;
}
