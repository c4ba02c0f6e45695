/*
** Files as rows.  Two table-valued functions for any file
**
**   SELECT line, record->>'name' FROM autocdc_read_csv('data/users.csv');
**   SELECT * FROM autocdc_read_json('data/x*.jsonl', '{"mode": "FAILFAST"}');
**
** whose equivalent table is
**
**   CREATE TABLE autocdc_read_csv(
**     line INTEGER,          -- the record begins on this line of its file
**     record TEXT,           -- JSON object
**     _metadata TEXT,        -- JSON object about the file
**     _rescued_data TEXT,    -- JSON object: what the schema has no place for
**     path HIDDEN, options HIDDEN
**   );
**
** and two modules for tables with the columns of the files:
**
**   CREATE VIRTUAL TABLE users USING autocdc_csv(path='data/users.csv',
**     schema='id INTEGER, name TEXT', sep=';');
**
** Options are Spark's reader options, and besides
**
**   schema           columns, as DDL or as Spark's JSON
**   schema_path      a file that holds such a text
**   base_path        the folder that relative paths start from and that no
**                    path may lead out of
**
** Everything here is DIRECTONLY: a view or trigger in a database from
** elsewhere must not read the files of whoever opens it.  A table of the
** modules that the schema holds already (not one just created) is limited to
** the folder of its database where trusted_schema is off.
*/
#include "readers.h"
#include "../core/json.h"
#include "../source/files.h"

/*
** What to read: the files, and the options that are not the reader's.
*/
typedef struct ReadArgs ReadArgs;
struct ReadArgs {
  AcdcFiles files;
  char *zSchemaPath;         /* Owned */
  char *zBase;               /* Owned; NULL: no limit */
};

static void argsClear(ReadArgs *pA){
  acdcFilesClear(&pA->files);
  sqlite3_free(pA->zSchemaPath);
  sqlite3_free(pA->zBase);
  memset(pA, 0, sizeof(*pA));
}

static void argsText(AcdcCtx *p, char **pz, const char *z, i64 n){
  sqlite3_free(*pz);
  *pz = acdcStrndup(p, z, n);
}

/* One option, its value as text. */
static void argsSet(
  AcdcCtx *p,
  ReadArgs *pA,
  const char *zName,
  const char *z, i64 n
){
  if( sqlite3_stricmp(zName, "schema")==0 ){
    argsText(p, &pA->files.zSchema, z, n);
  }else if( sqlite3_stricmp(zName, "schema_path")==0
         || sqlite3_stricmp(zName, "schemaPath")==0 ){
    argsText(p, &pA->zSchemaPath, z, n);
  }else if( sqlite3_stricmp(zName, "base_path")==0 ){
    argsText(p, &pA->zBase, z, n);
  }else{
    acdcNamesAdd(p, &pA->files.optName, zName, -1);
    acdcNamesAdd(p, &pA->files.optValue, z, n);
  }
}

/*
** The members of a JSON object of options.  "reader_options" may hold some of
** them, as it does in a source object.
*/
static void argsObject(
  AcdcCtx *p,
  ReadArgs *pA,
  AcdcJson *pDoc,
  AcdcJsonNode *pObj
){
  AcdcJsonNode *pM;
  if( pObj->eType!=ACDC_JSON_OBJECT ){
    acdcJsonError(p, pDoc, pObj, "options are a JSON object such as"
        " {\"sep\": \";\"}");
    return;
  }
  for(pM=pObj->pFirst; pM && p->rc==0; pM=pM->pNext){
    const char *z;
    int n;
    if( strcmp(pM->zKey, "reader_options")==0 ){
      argsObject(p, pA, pDoc, pM);
    }else if( pM->eType==ACDC_JSON_STRING ){
      argsSet(p, pA, pM->zKey, pM->zText, (i64)strlen(pM->zText));
    }else if( pM->eType<ACDC_JSON_ARRAY || strcmp(pM->zKey, "schema")==0 ){
      z = acdcJsonRaw(pDoc, pM, &n);
      if( pM->eType!=ACDC_JSON_NULL ) argsSet(p, pA, pM->zKey, z, n);
    }else{
      acdcJsonError(p, pDoc, pM, "option \"%s\" takes text", pM->zKey);
    }
  }
}

static void argsOptions(AcdcCtx *p, ReadArgs *pA, const char *z){
  AcdcJsonPos pos;
  AcdcJson *pDoc = acdcJsonParse(p, z, -1, &pos);
  if( pDoc==0 ){
    acdcErrorWhere(p, "options, column %d", pos.iCol);
    return;
  }
  argsObject(p, pA, pDoc, acdcJsonRoot(pDoc));
  acdcJsonFree(pDoc);
}

/* Take the schema from its file. */
static void argsSchemaFile(AcdcCtx *p, ReadArgs *pA){
  char *zPath;
  if( pA->zSchemaPath==0 || p->rc ) return;
  if( pA->files.zSchema ){
    acdcError(p, SQLITE_ERROR, "both schema and schema_path are given:"
        " leave one out");
    return;
  }
  zPath = acdcFsPath(p, pA->zBase, pA->zSchemaPath);
  if( zPath ){
    pA->files.zSchema = acdcFsReadAll(p, zPath, 4*1024*1024);
    sqlite3_free(zPath);
  }
}

/*
** List the files and open a reader over them.  Somebody who names files wants
** rows: to find no file at all is an error here.
*/
static AcdcReader *argsOpen(AcdcCtx *p, ReadArgs *pA, int bRecords){
  AcdcFileList list;
  AcdcReader *pReader = 0;
  memset(&list, 0, sizeof(list));
  acdcFilesList(p, &pA->files, pA->zBase, &list);
  if( p->rc==0 && list.n==0 ){
    acdcError(p, SQLITE_CANTOPEN, "no file matches \"%s\"%s", pA->files.zPath,
        acdcFsIsGlob(pA->files.zPath) ? ""
        : " (folders within it are read with the option recursiveFileLookup)");
  }
  if( p->rc==0 ){
    pReader = bRecords ? acdcFilesOpenRecords(p, &pA->files, &list)
                       : acdcFilesOpen(p, &pA->files, &list);
  }
  acdcFileListClear(&list);
  return pReader;
}

/* Hand the error of a context over to a virtual table. */
static int vtabError(sqlite3_vtab *pVtab, AcdcCtx *p){
  int rc = p->rc;
  if( rc ){
    sqlite3_free(pVtab->zErrMsg);
    pVtab->zErrMsg = sqlite3_mprintf("%s", acdcErrorText(p));
  }
  acdcCtxClear(p);
  return rc;
}

static int vtabReaderError(sqlite3_vtab *pVtab, AcdcReader *pR, int rc){
  if( rc && pR->zErr ){
    sqlite3_free(pVtab->zErrMsg);
    pVtab->zErrMsg = pR->zErr;
    pR->zErr = 0;
  }
  return rc;
}

/*
** Tables of both kinds, and their cursor.
*/
typedef struct ReadVtab ReadVtab;
struct ReadVtab {
  sqlite3_vtab base;
  sqlite3 *db;               /* Not owned */
  const char *zFormat;       /* "csv" or "json".  Static */
  ReadArgs args;             /* Modules: what to read */
  char *zLimit;              /* Modules: no file outside of this folder.
                             ** Owned; NULL: no limit */
};

typedef struct ReadCursor ReadCursor;
struct ReadCursor {
  sqlite3_vtab_cursor base;
  AcdcReader *pReader;       /* Owned; NULL before xFilter */
  char *zPath;               /* Functions: the arguments.  Owned */
  char *zOptions;
};

static int readOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ReadCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static void readReset(ReadCursor *pCur){
  acdcReaderFree(pCur->pReader);
  sqlite3_free(pCur->zPath);
  sqlite3_free(pCur->zOptions);
  pCur->pReader = 0;
  pCur->zPath = 0;
  pCur->zOptions = 0;
}

static int readClose(sqlite3_vtab_cursor *pCursor){
  readReset((ReadCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int readNext(sqlite3_vtab_cursor *pCursor){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  int rc = pCur->pReader->xNext(pCur->pReader);
  return vtabReaderError(pCursor->pVtab, pCur->pReader, rc);
}

static int readEof(sqlite3_vtab_cursor *pCursor){
  AcdcReader *p = ((ReadCursor*)pCursor)->pReader;
  return p->xEof(p);
}

static int readRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  AcdcReader *p = ((ReadCursor*)pCursor)->pReader;
  *piRowid = p->xRowid(p);
  return SQLITE_OK;
}

/*
** The functions.  Which of the two is told by the client data of the module:
** the name of the format.
*/
#define FUNC_LINE      0
#define FUNC_RECORD    1
#define FUNC_METADATA  2
#define FUNC_RESCUED   3
#define FUNC_PATH      4
#define FUNC_OPTIONS   5

static int funcConnect(
  sqlite3 *db,
  void *pAux,
  int argc, const char *const*argv,
  sqlite3_vtab **ppVtab,
  char **pzErr
){
  ReadVtab *pNew;
  int rc = sqlite3_declare_vtab(db,
      "CREATE TABLE x(line INTEGER, record TEXT, _metadata TEXT,"
      " _rescued_data TEXT, path HIDDEN, options HIDDEN)");
  ACDC_UNUSED(argc);
  ACDC_UNUSED(argv);
  ACDC_UNUSED(pzErr);
  *ppVtab = 0;
  if( rc ) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  pNew->zFormat = (const char*)pAux;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int readDisconnect(sqlite3_vtab *pVtab){
  ReadVtab *p = (ReadVtab*)pVtab;
  argsClear(&p->args);
  sqlite3_free(p->zLimit);
  sqlite3_free(p);
  return SQLITE_OK;
}

/*
** idxNum: 1 path given, 2 options given.  A path that is absent is left for
** xFilter to complain about, because the planner also asks about parts of a
** query that lack it.
*/
static int funcBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  int aArg[2] = { -1, -1 };
  int nArg = 0;
  ACDC_UNUSED(pVtab);
  for(i=0; i<pInfo->nConstraint; i++){
    int iCol = pInfo->aConstraint[i].iColumn;
    if( iCol<FUNC_PATH ) continue;
    if( pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
    if( pInfo->aConstraint[i].usable==0 ) return SQLITE_CONSTRAINT;
    aArg[iCol-FUNC_PATH] = i;
  }
  pInfo->idxNum = 0;
  for(i=0; i<2; i++){
    if( aArg[i]<0 ) continue;
    pInfo->aConstraintUsage[aArg[i]].argvIndex = ++nArg;
    pInfo->aConstraintUsage[aArg[i]].omit = 1;
    pInfo->idxNum |= 1<<i;
  }
  pInfo->estimatedCost = aArg[0]>=0 ? 1e6 : 1e99;
  pInfo->estimatedRows = 1000000;
  return SQLITE_OK;
}

static int funcFilter(
  sqlite3_vtab_cursor *pCursor,
  int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  ReadVtab *pVtab = (ReadVtab*)pCursor->pVtab;
  const char *zFormat = pVtab->zFormat;
  ReadArgs args;
  AcdcCtx ctx;
  int i = 0;
  int rc = SQLITE_OK;
  ACDC_UNUSED(idxStr);
  ACDC_UNUSED(argc);
  readReset(pCur);
  memset(&args, 0, sizeof(args));
  acdcCtxInit(&ctx, pVtab->db);
  if( idxNum & 1 ){
    pCur->zPath = acdcStrdup(&ctx, (const char*)sqlite3_value_text(argv[i++]));
  }
  if( idxNum & 2 ){
    pCur->zOptions = acdcStrdup(&ctx,
        (const char*)sqlite3_value_text(argv[i++]));
  }
  if( pCur->zPath==0 ){
    acdcError(&ctx, SQLITE_ERROR, "autocdc_read_%s() needs the path of a file,"
        " a folder or a glob: autocdc_read_%s('data/x.%s')", zFormat, zFormat,
        zFormat);
  }
  args.files.zFormat = acdcStrdup(&ctx, zFormat);
  args.files.zPath = acdcStrdup(&ctx, pCur->zPath);
  if( pCur->zOptions ) argsOptions(&ctx, &args, pCur->zOptions);
  argsSchemaFile(&ctx, &args);
  if( ctx.rc==0 ) pCur->pReader = argsOpen(&ctx, &args, 1);
  acdcErrorWhere(&ctx, "autocdc_read_%s()", zFormat);
  argsClear(&args);
  if( pCur->pReader ){
    rc = pCur->pReader->xRewind(pCur->pReader);
    return vtabReaderError(pCursor->pVtab, pCur->pReader, rc);
  }
  return vtabError(pCursor->pVtab, &ctx);
}

static int funcColumn(
  sqlite3_vtab_cursor *pCursor,
  sqlite3_context *pCtx,
  int iCol
){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcReader *p = pCur->pReader;
  AcdcVal v;
  int i;
  switch( iCol ){
    case FUNC_LINE:
      sqlite3_result_int64(pCtx, acdcFilesLine(p));
      return SQLITE_OK;
    case FUNC_RECORD:
      acdcFilesRecord(p, pCtx);
      return SQLITE_OK;
    case FUNC_PATH:
      sqlite3_result_text(pCtx, pCur->zPath, -1, SQLITE_TRANSIENT);
      return SQLITE_OK;
    case FUNC_OPTIONS:
      sqlite3_result_text(pCtx, pCur->zOptions, -1, SQLITE_TRANSIENT);
      return SQLITE_OK;
    case FUNC_METADATA:
      i = acdcFilesMetaColumn(p);
      break;
    default:
      i = acdcFilesRescueColumn(p);
      break;
  }
  if( i>=0 ){
    p->xColumn(p, i, &v);
    acdcValResult(pCtx, &v);
  }
  return SQLITE_OK;
}

/* No xCreate: eponymous only. */
static const sqlite3_module funcModule = {
  0,                         /* iVersion */
  0,                         /* xCreate */
  funcConnect,               /* xConnect */
  funcBestIndex,             /* xBestIndex */
  readDisconnect,            /* xDisconnect */
  0,                         /* xDestroy */
  readOpen,                  /* xOpen */
  readClose,                 /* xClose */
  funcFilter,                /* xFilter */
  readNext,                  /* xNext */
  readEof,                   /* xEof */
  funcColumn,                /* xColumn */
  readRowid,                 /* xRowid */
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

/*
** The modules.  An argument is name=value; a first one without a name is the
** path.  Values may be quoted as SQL strings.
*/
static void tableArg(AcdcCtx *p, ReadArgs *pA, const char *zArg, int bFirst){
  const char *zEq = zArg;
  char *zName;
  char *zValue;
  while( *zEq && *zEq!='=' && *zEq!='\'' && *zEq!='"' ) zEq++;
  if( *zEq=='=' ){
    int n = (int)(zEq-zArg);
    while( n>0 && strchr(" \t\r\n", zArg[n-1]) ) n--;
    zName = acdcStrndup(p, zArg, n);
    zEq++;
  }else{
    if( !bFirst ){
      acdcError(p, SQLITE_ERROR, "\"%s\" is no argument: write name=value",
          zArg);
    }
    zName = acdcStrdup(p, "path");
    zEq = zArg;
  }
  while( *zEq && strchr(" \t\r\n", *zEq) ) zEq++;
  if( *zEq=='\'' ){
    const char *z;
    char *zOut = zValue = acdcStrdup(p, zEq+1);
    for(z=zEq+1; zValue && *z; z++){
      if( *z=='\'' && *++z!='\'' ) break;
      *zOut++ = *z;
    }
    if( zOut ) *zOut = 0;
  }else{
    zValue = acdcUnquote(p, zEq);
  }
  if( zName && zValue ){
    if( sqlite3_stricmp(zName, "path")==0 ){
      argsText(p, &pA->files.zPath, zValue, (i64)strlen(zValue));
    }else{
      argsSet(p, pA, zName, zValue, (i64)strlen(zValue));
    }
  }
  sqlite3_free(zName);
  sqlite3_free(zValue);
}

/* Declare the table for the columns of a reader. */
static void tableDeclare(AcdcCtx *p, AcdcReader *pR){
  sqlite3_str *pStr = sqlite3_str_new(p->db);
  char *zSql;
  int i;
  sqlite3_str_appendall(pStr, "CREATE TABLE x(");
  for(i=0; i<pR->nCol+pR->nHidden; i++){
    sqlite3_str_appendf(pStr, "%s\"%w\" %s%s", i ? "," : "",
        pR->aCol[i].zName, pR->aCol[i].zType, i<pR->nCol ? "" : " HIDDEN");
  }
  sqlite3_str_appendall(pStr, ")");
  zSql = sqlite3_str_finish(pStr);
  if( zSql==0 ){
    acdcError(p, SQLITE_NOMEM, "out of memory");
  }else{
    acdcErrorDb(p, sqlite3_declare_vtab(p->db, zSql), "columns");
  }
  sqlite3_free(zSql);
}

/*
** The folder of the database that holds the table, where the schema is not
** trusted.
*/
static void tableLimit(AcdcCtx *p, ReadVtab *pNew, const char *zDb){
  int bTrusted = 1;
  const char *zFile;
  char *zSlash;
  sqlite3_db_config(p->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &bTrusted);
  if( bTrusted || p->rc ) return;
  zFile = sqlite3_db_filename(p->db, zDb);
  if( zFile==0 || zFile[0]==0 ){
    acdcError(p, SQLITE_AUTH, "the schema is not trusted (trusted_schema is"
        " off) and its database has no folder to limit the table to");
    return;
  }
  pNew->zLimit = acdcStrdup(p, zFile);
  if( pNew->zLimit==0 ) return;
  zSlash = strrchr(pNew->zLimit, '/');
  if( zSlash==pNew->zLimit ) zSlash++;
  if( zSlash ) zSlash[0] = 0;
  else pNew->zLimit[0] = 0;
}

/* Error if a path of the declaration leads out of the limit. */
static void tableInside(AcdcCtx *p, ReadVtab *pTab, const char *zPath){
  char *z;
  if( p->rc || zPath==0 ) return;
  z = acdcFsPath(p, pTab->args.zBase, zPath);
  if( z ) acdcFsInside(p, pTab->zLimit, z);
  sqlite3_free(z);
}

/*
** Open a reader for a table of the modules.  With a limit every file of the
** list is looked at: a folder or a glob may hold links.
*/
static AcdcReader *tableReader(AcdcCtx *p, ReadVtab *pTab){
  AcdcFileList list;
  int i;
  if( pTab->zLimit ){
    memset(&list, 0, sizeof(list));
    acdcFilesList(p, &pTab->args.files, pTab->args.zBase, &list);
    for(i=0; i<list.n; i++) acdcFsInside(p, pTab->zLimit, list.a[i].zPath);
    acdcFileListClear(&list);
  }
  return p->rc ? 0 : argsOpen(p, &pTab->args, 0);
}

static int tableInit(
  sqlite3 *db,
  void *pAux,
  int argc, const char *const*argv,
  sqlite3_vtab **ppVtab,
  char **pzErr,
  int bCreate
){
  ReadVtab *pNew;
  AcdcReader *pReader = 0;
  AcdcCtx ctx;
  char *zSchema;
  int i, rc;
  *ppVtab = 0;
  acdcCtxInit(&ctx, db);
  pNew = acdcMalloc(&ctx, sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  pNew->db = db;
  pNew->zFormat = (const char*)pAux;
  pNew->args.files.zFormat = acdcStrdup(&ctx, pNew->zFormat);
  for(i=3; i<argc && ctx.rc==0; i++){
    tableArg(&ctx, &pNew->args, argv[i], i==3);
  }
  if( ctx.rc==0 && pNew->args.files.zPath==0 ){
    acdcError(&ctx, SQLITE_ERROR, "no path is given: autocdc_%s(path='...')",
        pNew->zFormat);
  }
  if( !bCreate ) tableLimit(&ctx, pNew, argv[1]);
  if( pNew->zLimit ) tableInside(&ctx, pNew, pNew->args.zSchemaPath);
  argsSchemaFile(&ctx, &pNew->args);
  if( ctx.rc==0 ) pReader = tableReader(&ctx, pNew);
  if( pReader ){
    tableDeclare(&ctx, pReader);
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    zSchema = acdcFilesSchema(&ctx, pReader);
    sqlite3_free(pNew->args.files.zSchema);
    pNew->args.files.zSchema = zSchema;
    acdcReaderFree(pReader);
  }
  if( ctx.rc ){
    acdcErrorWhere(&ctx, "table %s", argv[2]);
    *pzErr = sqlite3_mprintf("%s", acdcErrorText(&ctx));
    readDisconnect(&pNew->base);
  }else{
    *ppVtab = &pNew->base;
  }
  rc = ctx.rc;
  acdcCtxClear(&ctx);
  return rc;
}

static int tableCreate(
  sqlite3 *db,
  void *pAux,
  int argc, const char *const*argv,
  sqlite3_vtab **ppVtab,
  char **pzErr
){
  return tableInit(db, pAux, argc, argv, ppVtab, pzErr, 1);
}

static int tableConnect(
  sqlite3 *db,
  void *pAux,
  int argc, const char *const*argv,
  sqlite3_vtab **ppVtab,
  char **pzErr
){
  return tableInit(db, pAux, argc, argv, ppVtab, pzErr, 0);
}

static int tableBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  ACDC_UNUSED(pVtab);
  pInfo->estimatedCost = 1e6;
  pInfo->estimatedRows = 1000000;
  return SQLITE_OK;
}

/* The files are listed anew for each scan; the columns stay as declared. */
static int tableFilter(
  sqlite3_vtab_cursor *pCursor,
  int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  ReadVtab *pVtab = (ReadVtab*)pCursor->pVtab;
  AcdcCtx ctx;
  int rc;
  ACDC_UNUSED(idxNum);
  ACDC_UNUSED(idxStr);
  ACDC_UNUSED(argc);
  ACDC_UNUSED(argv);
  readReset(pCur);
  acdcCtxInit(&ctx, pVtab->db);
  pCur->pReader = tableReader(&ctx, pVtab);
  if( pCur->pReader==0 ) return vtabError(pCursor->pVtab, &ctx);
  rc = pCur->pReader->xRewind(pCur->pReader);
  return vtabReaderError(pCursor->pVtab, pCur->pReader, rc);
}

static int tableColumn(
  sqlite3_vtab_cursor *pCursor,
  sqlite3_context *pCtx,
  int iCol
){
  AcdcReader *p = ((ReadCursor*)pCursor)->pReader;
  AcdcVal v;
  if( iCol<p->nCol+p->nHidden ){
    p->xColumn(p, iCol, &v);
    acdcValResult(pCtx, &v);
  }
  return SQLITE_OK;
}

/* The name is nowhere kept, so there is nothing to do. */
static int tableRename(sqlite3_vtab *pVtab, const char *zNew){
  ACDC_UNUSED(pVtab);
  ACDC_UNUSED(zNew);
  return SQLITE_OK;
}

static const sqlite3_module tableModule = {
  0,                         /* iVersion */
  tableCreate,               /* xCreate */
  tableConnect,              /* xConnect */
  tableBestIndex,            /* xBestIndex */
  readDisconnect,            /* xDisconnect */
  readDisconnect,            /* xDestroy */
  readOpen,                  /* xOpen */
  readClose,                 /* xClose */
  tableFilter,               /* xFilter */
  readNext,                  /* xNext */
  readEof,                   /* xEof */
  tableColumn,               /* xColumn */
  readRowid,                 /* xRowid */
  0,                         /* xUpdate */
  0, 0, 0, 0,                /* xBegin, xSync, xCommit, xRollback */
  0,                         /* xFindFunction */
  tableRename,               /* xRename */
  0, 0, 0, 0                 /* xSavepoint ... xShadowName */
};

int acdcReadersRegister(sqlite3 *db){
  static const struct {
    const char *zName;
    const sqlite3_module *pModule;
    const char *zFormat;
  } aMod[] = {
    { "autocdc_read_csv", &funcModule, "csv" },
    { "autocdc_read_json", &funcModule, "json" },
    { "autocdc_csv", &tableModule, "csv" },
    { "autocdc_json", &tableModule, "json" },
  };
  int i;
  int rc = SQLITE_OK;
  for(i=0; rc==SQLITE_OK && i<4; i++){
    rc = sqlite3_create_module(db, aMod[i].zName, aMod[i].pModule,
        (void*)aMod[i].zFormat);
  }
  return rc;
}
