/*
** What SQL of a spec may do: read.  See trust.h.
**
** sqlite3_stmt_readonly() is no test: it is true for ATTACH, for
** load_extension() and for a SELECT over a function that writes.  The opcodes
** of a statement say what it really does; table-valued functions do not show
** there by name, so the text is looked through for them.
*/
#include "trust.h"

/* Functions that act, though SQLite does not flag all of them. */
static const char *const azDenied[] = {
  "load_extension", "sqlite_attach", "sqlite_detach", "edit", "readfile",
  "writefile", "fts3_tokenizer", "sqlite_rename_column", "sqlite_rename_table"
};

/* Table-valued functions that only compute. */
static const char *const azPure[] = {
  "json_each", "json_tree", "generate_series", "carray", "sqlite_stmt",
  "bytecode", "tables_used", "dbstat", "fts5vocab", "rtree", "fts3", "fts4",
  "fts5", "geopoly", "completion"
};

static int listed(const char *const*az, int n, const char *z){
  int i;
  for(i=0; i<n; i++) if( sqlite3_stricmp(az[i], z)==0 ) return 1;
  return 0;
}

/*
** Is z the name of a module that a query could call like a function, and that
** is not known to be harmless?  A table of that name hides the module.
*/
static int isModule(AcdcCtx *p, const char *z){
  sqlite3_stmt *pStmt;
  AcdcTable tab;
  int bIs = 0;
  if( listed(azPure, (int)(sizeof(azPure)/sizeof(azPure[0])), z) ) return 0;
  pStmt = acdcPrepare(p, 0, "SELECT 1 FROM pragma_module_list "
                      "WHERE name=?1 COLLATE NOCASE");
  if( pStmt ) sqlite3_bind_text(pStmt, 1, z, -1, SQLITE_STATIC);
  bIs = acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
  if( bIs && acdcTableFind(p, 0, z, &tab) ){
    bIs = tab.bVirtual==0 && tab.bView==0 ? 0 : tab.zSchema==0;
    acdcTableClear(&tab);
  }
  return bIs;
}

/* Length of the comment or string at z, 0 if there is none. */
static int skipLength(const char *z){
  int i = 1;
  if( z[0]=='-' && z[1]=='-' ) return (int)strcspn(z, "\n");
  if( z[0]=='/' && z[1]=='*' ){
    const char *zEnd = strstr(z+2, "*/");
    return zEnd ? (int)(zEnd-z)+2 : (int)strlen(z);
  }
  if( z[0]!='\'' ) return 0;
  while( z[i] && (z[i]!='\'' || z[i+1]=='\'') ) i += z[i]=='\'' ? 2 : 1;
  return z[i] ? i+1 : i;
}

static int isWordByte(char c){
  return (c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9')
      || c=='_' || (c & 0x80);
}

void acdcTrustText(AcdcCtx *p, const char *z){
  char zWord[64];
  if( z==0 ) return;
  while( *z && p->rc==SQLITE_OK ){
    int n = skipLength(z);
    if( n ){
      z += n;
      continue;
    }
    if( !isWordByte(*z) ){
      z++;
      continue;
    }
    while( isWordByte(z[n]) ) n++;
    if( n<(int)sizeof(zWord) && (z[0]<'0' || z[0]>'9') ){
      const char *zNext = z + n;
      memcpy(zWord, z, (size_t)n);
      zWord[n] = 0;
      zNext += strspn(zNext, " \t\r\n\"`]");
      /* Names of columns may be anything: only calls and our own matter. */
      if( (*zNext=='(' || sqlite3_strnicmp(zWord, "autocdc_", 8)==0
           || sqlite3_strnicmp(zWord, "apply_changes", 13)==0
           || sqlite3_stricmp(zWord, "fsdir")==0)
       && isModule(p, zWord) ){
        acdcError(p, SQLITE_AUTH, "%s() cannot be used in a spec: SQL of a "
                  "spec may only read tables", zWord);
      }
    }
    z += n;
  }
}

/* A function that only direct SQL may call? */
static int isDirectOnly(AcdcCtx *p, const char *zName){
  sqlite3_stmt *pStmt;
  int bIs;
  if( listed(azDenied, (int)(sizeof(azDenied)/sizeof(azDenied[0])), zName) ){
    return 1;
  }
  pStmt = acdcPrepare(p, 0, "SELECT 1 FROM pragma_function_list WHERE name=?1 "
                      "COLLATE NOCASE AND (flags & %d)<>0", SQLITE_DIRECTONLY);
  if( pStmt ) sqlite3_bind_text(pStmt, 1, zName, -1, SQLITE_STATIC);
  bIs = acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
  return bIs;
}

void acdcTrustQuery(AcdcCtx *p, const char *zSql){
  static const char *const azWrite[] = {
    "OpenWrite", "CreateBtree", "ParseSchema", "SqlExec", "Destroy",
    "DropTable", "DropIndex", "DropTrigger", "JournalMode", "Vacuum",
    "VCreate", "VDestroy", "VUpdate", "VRename", "SetCookie", "Checkpoint",
    "IncrVacuum", "Savepoint", "AutoCommit"
  };
  sqlite3_stmt *pStmt;
  if( zSql==0 ) return;
  pStmt = acdcPrepare(p, 0, "EXPLAIN %s", zSql);
  while( acdcStep(p, pStmt) ){
    const char *zOp = (const char*)sqlite3_column_text(pStmt, 1);
    const char *zP4 = (const char*)sqlite3_column_text(pStmt, 5);
    if( zOp==0 ) continue;
    if( listed(azWrite, (int)(sizeof(azWrite)/sizeof(azWrite[0])), zOp)
     || (strcmp(zOp, "Transaction")==0 && sqlite3_column_int(pStmt, 3)!=0) ){
      acdcError(p, SQLITE_AUTH, "SQL of a spec may only read; this one writes");
      break;
    }
    if( zP4 && (strcmp(zOp, "Function")==0 || strcmp(zOp, "PureFunc")==0
         || strncmp(zOp, "Agg", 3)==0) ){
      char zName[80];
      int n = (int)strcspn(zP4, "(");
      if( n>=(int)sizeof(zName) ) n = (int)sizeof(zName)-1;
      memcpy(zName, zP4, (size_t)n);
      zName[n] = 0;
      if( isDirectOnly(p, zName) ){
        acdcError(p, SQLITE_AUTH, "%s() cannot be used in a spec: SQL of a "
                  "spec may only read", zName);
        break;
      }
    }
  }
  acdcFinalize(p, &pStmt);
}
