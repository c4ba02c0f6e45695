/*
** What SQL from elsewhere may do: read.
**
** sqlite3_stmt_readonly() alone is no test: it is true for a SELECT that calls
** load_extension(), or one of our own functions that write.  The program that
** a statement compiles to tells which functions it calls, also those that
** views bring in.  Virtual tables show there without their names, so where it
** opens one, the names in the text are looked at; those that a view brings in
** SQLite itself keeps from what is for direct use only.
*/
#include "trust.h"

/* Functions that act, though SQLite does not flag all of them. */
static const char *const azActing[] = {
  "load_extension", "sqlite_attach", "sqlite_detach", "edit", "readfile",
  "writefile", "lsmode", "fts3_tokenizer", "sqlite_rename_column",
  "sqlite_rename_table", "sqlite_rename_test", "sqlite_drop_column",
  "sqlite_add_constraint", "sqlite_log", "sqlite_crypt", "system", "getenv"
};

/* Modules whose tables only show what is in the database or an argument. */
static const char *const azReading[] = {
  "json_each", "json_tree", "generate_series", "fts3", "fts4", "fts5",
  "fts5vocab", "fts4aux", "rtree", "rtree_i32", "geopoly", "scd2"
};

#define TRUST_COUNT(a)  ((int)(sizeof(a)/sizeof((a)[0])))

/* Opcodes that do more than read. */
static const char *const azWriting[] = {
  "OpenWrite", "CreateBtree", "ParseSchema", "SqlExec", "Destroy", "DropTable",
  "DropIndex", "DropTrigger", "JournalMode", "Vacuum", "VCreate", "VDestroy",
  "VUpdate", "VRename", "Clear", "SetCookie", "Checkpoint", "IncrVacuum",
  "Savepoint", "AutoCommit", "LoadAnalysis"
};

static int trustListed(const char *const*az, int n, const char *z){
  int i;
  for(i=0; i<n; i++) if( sqlite3_stricmp(az[i], z)==0 ) return 1;
  return 0;
}

/* ---- functions ---- */

/*
** The flags of a function, all that bear its name together: unsafe bits count
** if one has them, INNOCUOUS only if all have it.
*/
static int trustFlags(AcdcCtx *p, const char *zName){
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "PRAGMA function_list");
  int flags = 0, n = 0;
  while( acdcStep(p, pStmt) ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 0);
    int f = sqlite3_column_int(pStmt, 5);
    if( z==0 || sqlite3_stricmp(z, zName) ) continue;
    flags = n++ ? (flags & f & SQLITE_INNOCUOUS)
                  | ((flags | f) & SQLITE_DIRECTONLY) : f;
  }
  acdcFinalize(p, &pStmt);
  return n ? flags : SQLITE_INNOCUOUS;      /* internal to SQLite */
}

static void trustFunction(
  AcdcCtx *p, const char *zName, int bInnocuous, const char *zWhat
){
  int flags;
  if( trustListed(azActing, TRUST_COUNT(azActing), zName) ){
    acdcError(p, SQLITE_AUTH, "%s calls %s(), which does more than compute: "
        "it may not be used there", zWhat, zName);
    return;
  }
  flags = trustFlags(p, zName);
  if( flags & SQLITE_DIRECTONLY ){
    acdcError(p, SQLITE_AUTH, "%s calls %s(), which only SQL that you type may "
        "call", zWhat, zName);
  }else if( bInnocuous && (flags & SQLITE_INNOCUOUS)==0 ){
    acdcError(p, SQLITE_AUTH, "%s calls %s(), and trusted_schema is off: what "
        "the schema holds may call innocuous functions only", zWhat, zName);
  }
}

/* ---- virtual tables ---- */

static int trustIsWord(char c){
  return (c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9')
      || c=='_' || c=='$' || (c & 0x80);
}

/*
** The next name or quoted text of z; returns where it ends, or NULL if there
** is none.  The name, unquoted, is written to zOut; too long a one becomes "".
*/
static const char *trustName(const char *z, char *zOut, int nOut){
  int n = 0;
  for(;;){
    while( *z && !trustIsWord(*z) && !strchr("'\"`[", *z)
        && !(z[0]=='-' && z[1]=='-') && !(z[0]=='/' && z[1]=='*') ) z++;
    if( z[0]=='-' ){
      z += strcspn(z, "\n");
    }else if( z[0]=='/' ){
      const char *zEnd = strstr(z+2, "*/");
      z = zEnd ? zEnd+2 : z+strlen(z);
    }else{
      break;
    }
  }
  if( *z==0 ) return 0;
  if( trustIsWord(*z) ){
    for(; trustIsWord(*z); z++) if( n<nOut ) zOut[n++] = *z;
  }else{
    char cEnd = *z=='[' ? ']' : *z;
    for(z++; *z; z++){
      if( *z==cEnd ){
        if( cEnd==']' || z[1]!=cEnd ){ z++; break; }
        z++;
      }
      if( n<nOut ) zOut[n++] = *z;
    }
  }
  zOut[n<nOut ? n : 0] = 0;
  return z;
}

/* Is there a module of that name? */
static int trustIsModule(AcdcCtx *p, const char *zName){
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "PRAGMA module_list");
  int bIs = 0;
  while( !bIs && acdcStep(p, pStmt) ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 0);
    bIs = z && sqlite3_stricmp(z, zName)==0;
  }
  acdcFinalize(p, &pStmt);
  return bIs;
}

void acdcTrustModule(const char *zSql, char *zOut, int nOut){
  const char *z = zSql;
  int bUsing = 0;
  zOut[0] = 0;
  while( z && (z = trustName(z, zOut, nOut))!=0 ){
    if( bUsing ) return;
    bUsing = sqlite3_stricmp(zOut, "using")==0;
  }
  zOut[0] = 0;
}

/*
** Names of virtual tables that do more than read.  The statement gives names,
** and the SQL that declares them; NULL where the name is a module's.
*/
static void trustList(AcdcCtx *p, sqlite3_stmt *pStmt, AcdcNames *pOut){
  while( acdcStep(p, pStmt) ){
    const char *zName = (const char*)sqlite3_column_text(pStmt, 0);
    const char *zSql = (const char*)sqlite3_column_text(pStmt, 1);
    char zModule[128];
    if( zName==0 ) continue;
    if( zSql ){
      acdcTrustModule(zSql, zModule, sizeof(zModule)-1);
    }else{
      sqlite3_snprintf(sizeof(zModule), zModule, "%s", zName);
    }
    if( trustListed(azReading, TRUST_COUNT(azReading), zModule)
     || sqlite3_strnicmp(zModule, "pragma_", 7)==0 ) continue;
    acdcNamesAdd(p, pOut, zName, -1);
  }
  acdcFinalize(p, &pStmt);
}

/* The first of the names that zText holds anywhere, in or out of quotes, to
** zOut; 0 if it holds none. */
static int trustHolds(
  const char *zText, const AcdcNames *pNames, char *zOut, int nOut
){
  while( pNames->n && zText && (zText = trustName(zText, zOut, nOut))!=0 ){
    if( zOut[0] && acdcNamesFind(pNames, zOut)>=0 ) return 1;
  }
  return 0;
}

void acdcTrustNames(AcdcCtx *p, const char *zText, const char *zWhat){
  AcdcNames names = {0, 0};
  char zName[128];
  int i;
  if( p->rc || zText==0 ) return;
  trustList(p, acdcPrepare(p, 0, "SELECT name, NULL FROM pragma_module_list"),
            &names);
  for(i=names.n-1; i>=0; i--){
    /* A table of that name hides the module. */
    AcdcTable tab;
    if( !trustHolds(zText, &names, zName, sizeof(zName)-1) ) break;
    if( acdcTableFind(p, 0, zName, &tab) && !tab.bVirtual ){
      names.az[acdcNamesFind(&names, zName)][0] = 0;
      acdcTableClear(&tab);
      continue;
    }
    acdcTableClear(&tab);
    acdcError(p, SQLITE_AUTH, "%s uses %s(), which does more than read the "
        "database: it may not be used there", zWhat, zName);
    break;
  }
  acdcNamesFree(&names);
}

/* Is what follows at z the "(" of a call? */
static int trustIsCall(const char *z){
  for(;;){
    z += strspn(z, " \t\r\n\f");
    if( z[0]=='-' && z[1]=='-' ){
      z += strcspn(z, "\n");
    }else if( z[0]=='/' && z[1]=='*' ){
      const char *zEnd = strstr(z+2, "*/");
      z = zEnd ? zEnd+2 : z+strlen(z);
    }else{
      return z[0]=='(';
    }
  }
}

void acdcTrustCalls(AcdcCtx *p, const char *zText, const char *zWhat){
  AcdcNames names = {0, 0};
  sqlite3_stmt *pStmt;
  char zName[128];
  int i;
  if( p->rc || zText==0 || strchr(zText, '(')==0 ) return;
  for(i=0; i<TRUST_COUNT(azActing); i++){
    acdcNamesAdd(p, &names, azActing[i], -1);
  }
  pStmt = acdcPrepare(p, 0, "PRAGMA function_list");
  while( acdcStep(p, pStmt) ){
    if( sqlite3_column_int(pStmt, 5) & SQLITE_DIRECTONLY ){
      acdcNamesAdd(p, &names, (const char*)sqlite3_column_text(pStmt, 0), -1);
    }
  }
  acdcFinalize(p, &pStmt);
  while( p->rc==0 && (zText = trustName(zText, zName, sizeof(zName)-1))!=0 ){
    if( zName[0] && trustIsCall(zText) && acdcNamesFind(&names, zName)>=0 ){
      trustFunction(p, zName, 0, zWhat);
    }
  }
  acdcNamesFree(&names);
}

void acdcTrustVtabs(AcdcCtx *p, const char *zText, const char *zWhat){
  AcdcNames dbs = {0, 0}, names = {0, 0};
  char zName[128];
  int i;
  sqlite3_stmt *pStmt;
  if( p->rc || zText==0 ) return;
  pStmt = acdcPrepare(p, 0, "PRAGMA database_list");
  while( acdcStep(p, pStmt) ){
    acdcNamesAdd(p, &dbs, (const char*)sqlite3_column_text(pStmt, 1), -1);
  }
  acdcFinalize(p, &pStmt);
  for(i=0; i<dbs.n; i++){
    /* Not of TEMP: no file brings those along. */
    if( sqlite3_stricmp(dbs.az[i], "temp")==0 ) continue;
    trustList(p, acdcPrepare(p, 0, "SELECT name, sql FROM \"%w\".sqlite_master "
        "WHERE type='table' AND rootpage=0 AND sql IS NOT NULL", dbs.az[i]),
        &names);
  }
  if( trustHolds(zText, &names, zName, sizeof(zName)-1) ){
    acdcError(p, SQLITE_AUTH, "%s reads %s, a virtual table that does more than "
        "read the database: copy its rows into a table first", zWhat, zName);
  }
  acdcNamesFree(&names);
  acdcNamesFree(&dbs);
}

static void trustTable(AcdcCtx *p, const char *zName, const char *zWhat){
  AcdcTable tab;
  char zModule[128];
  if( acdcTableFind(p, 0, zName, &tab) ){
    zModule[0] = 0;
    if( tab.bVirtual ){
      char *zSql = acdcSelectText(p, "SELECT sql FROM \"%w\".%s WHERE name=%Q "
          "COLLATE NOCASE AND type='table'", tab.zSchema,
          sqlite3_stricmp(tab.zSchema, "temp") ? "sqlite_master"
                                               : "sqlite_temp_master",
          tab.zName);
      if( zSql ) acdcTrustModule(zSql, zModule, sizeof(zModule)-1);
      sqlite3_free(zSql);
      if( zModule[0]==0 ){
        sqlite3_snprintf(sizeof(zModule), zModule, "%s", zName);
      }
    }
    acdcTableClear(&tab);
    if( zModule[0]==0 ) return;
  }else{
    sqlite3_snprintf(sizeof(zModule), zModule, "%s", zName);
    if( sqlite3_strnicmp(zModule, "pragma_", 7)==0 ) return;
    if( !trustIsModule(p, zModule) ) return;
  }
  if( trustListed(azReading, TRUST_COUNT(azReading), zModule) ) return;
  acdcError(p, SQLITE_AUTH, "%s reads %s, a virtual table of module %s: only "
      "those that do no more than read the database may be used there; copy "
      "its rows into a table first", zWhat, zName, zModule);
}

/* ---- the statement ---- */

static void trustOpcode(
  AcdcCtx *p, sqlite3_stmt *pStmt, int bInnocuous, const char *zWhat,
  int *pbVtab
){
  const char *zOp = (const char*)sqlite3_column_text(pStmt, 1);
  const char *zP4 = (const char*)sqlite3_column_text(pStmt, 5);
  char zName[128];
  int n;
  if( zOp==0 ) return;
  if( trustListed(azWriting, TRUST_COUNT(azWriting), zOp)
   || (strcmp(zOp, "Transaction")==0 && sqlite3_column_int(pStmt, 3)!=0)
  ){
    acdcError(p, SQLITE_AUTH, "%s writes, and it may only read", zWhat);
  }
  if( strcmp(zOp, "VOpen")==0 ) *pbVtab = 1;
  if( zP4==0 || (strcmp(zOp, "Function") && strcmp(zOp, "PureFunc")
              && strncmp(zOp, "Agg", 3)) ) return;
  n = (int)strcspn(zP4, "(");
  if( n>=(int)sizeof(zName) ) n = (int)sizeof(zName) - 1;
  memcpy(zName, zP4, n);
  zName[n] = 0;
  trustFunction(p, zName, bInnocuous, zWhat);
}

void acdcTrustProgram(
  AcdcCtx *p, const char *zSelect, int bInnocuous, const char *zWhat,
  int *pbVtab
){
  sqlite3_stmt *pStmt;
  if( p->rc || zSelect==0 ) return;
  pStmt = acdcPrepare(p, 0, "EXPLAIN %s", zSelect);
  while( acdcStep(p, pStmt) ){
    trustOpcode(p, pStmt, bInnocuous, zWhat, pbVtab);
  }
  acdcFinalize(p, &pStmt);
}

void acdcTrustCheck(
  AcdcCtx *p, const char *zSelect, int bSchema, const char *zWhat
){
  sqlite3_stmt *pStmt;
  int bTrusted = 1, bVtab = 0;
  char zName[128];
  const char *z;
  if( p->rc || zSelect==0 ) return;
  if( bSchema ){
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &bTrusted);
  }
  pStmt = acdcPrepare(p, 0, "%s", zSelect);
  if( p->rc==0 && (sqlite3_column_count(pStmt)==0
                || !sqlite3_stmt_readonly(pStmt)) ){
    acdcError(p, SQLITE_AUTH, "%s is no query: it may only read", zWhat);
  }
  acdcFinalize(p, &pStmt);
  acdcTrustProgram(p, zSelect, !bTrusted, zWhat, &bVtab);
  z = bVtab ? zSelect : 0;
  while( z && p->rc==0 && (z = trustName(z, zName, sizeof(zName)-1))!=0 ){
    if( zName[0] ) trustTable(p, zName, zWhat);
  }
}
