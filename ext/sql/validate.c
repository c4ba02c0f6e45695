/*
** autocdc_validate(spec [, options]): what is wrong with a spec, a row for
** each finding, none if all is well.  Equivalent to
**
**   CREATE TABLE autocdc_validate(
**     severity, path, line, "column", message, suggestion,
**     spec HIDDEN, options HIDDEN)
**
** and autocdc_json_schema([format]), the JSON Schema of a format, for editors.
** The first also looks at the files that the spec names, so that only direct SQL
** may call it; the second reads nothing but its argument.
*/
#include "specsql.h"
#include "../spec/files.h"
#include "../spec/spec.h"

#define VALIDATE_SEVERITY   0
#define VALIDATE_PATH       1
#define VALIDATE_LINE       2
#define VALIDATE_COLUMN     3
#define VALIDATE_MESSAGE    4
#define VALIDATE_SUGGESTION 5
#define VALIDATE_SPEC       6
#define VALIDATE_OPTIONS    7

typedef struct ValidateVtab ValidateVtab;
struct ValidateVtab {
  sqlite3_vtab base;
  sqlite3 *db;             /* Not owned */
};

typedef struct ValidateCursor ValidateCursor;
struct ValidateCursor {
  sqlite3_vtab_cursor base;
  AcdcDiags diags;
  int i;
  sqlite3_value *pSpec;    /* The arguments, for xColumn.  Owned */
  sqlite3_value *pOptions;
};

static int validateConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  ValidateVtab *pNew;
  int rc;
  ACDC_UNUSED(pAux); ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  rc = sqlite3_declare_vtab(db,
      "CREATE TABLE x(severity, path, line, \"column\", message, suggestion, "
      "spec HIDDEN, options HIDDEN)");
  if( rc ) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int validateDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int validateOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ValidateCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static void validateReset(ValidateCursor *pCur){
  acdcDiagClear(&pCur->diags);
  sqlite3_value_free(pCur->pSpec);
  sqlite3_value_free(pCur->pOptions);
  pCur->pSpec = pCur->pOptions = 0;
  pCur->i = 0;
}

static int validateClose(sqlite3_vtab_cursor *pCursor){
  validateReset((ValidateCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int validateNext(sqlite3_vtab_cursor *pCursor){
  ((ValidateCursor*)pCursor)->i++;
  return SQLITE_OK;
}

static int validateEof(sqlite3_vtab_cursor *pCursor){
  ValidateCursor *pCur = (ValidateCursor*)pCursor;
  return pCur->i>=pCur->diags.n;
}

static int validateRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *pRowid){
  *pRowid = ((ValidateCursor*)pCursor)->i + 1;
  return SQLITE_OK;
}

static int validateColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol
){
  ValidateCursor *pCur = (ValidateCursor*)pCursor;
  const AcdcDiag *pD = &pCur->diags.a[pCur->i];
  const char *z = 0;
  switch( iCol ){
    case VALIDATE_SEVERITY:
      z = pD->eSeverity==ACDC_DIAG_ERROR ? "error" : "warning";
      break;
    case VALIDATE_PATH:       z = pD->zPath;  break;
    case VALIDATE_MESSAGE:    z = pD->zMsg;   break;
    case VALIDATE_SUGGESTION: z = pD->zHint;  break;
    case VALIDATE_LINE:
      if( pD->iLine ) sqlite3_result_int(ctx, pD->iLine);
      break;
    case VALIDATE_COLUMN:
      if( pD->iLine ) sqlite3_result_int(ctx, pD->iCol);
      break;
    case VALIDATE_SPEC:
      if( pCur->pSpec ) sqlite3_result_value(ctx, pCur->pSpec);
      break;
    case VALIDATE_OPTIONS:
      if( pCur->pOptions ) sqlite3_result_value(ctx, pCur->pOptions);
      break;
    default:
      break;
  }
  if( z ) sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
  return SQLITE_OK;
}

static int validateFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ValidateCursor *pCur = (ValidateCursor*)pCursor;
  ValidateVtab *pVtab = (ValidateVtab*)pCursor->pVtab;
  AcdcSpecOptions opt;
  AcdcSpec *pSpec = 0;
  AcdcCtx ctx;
  int rc;
  ACDC_UNUSED(idxStr);
  validateReset(pCur);
  acdcCtxInit(&ctx, pVtab->db);
  memset(&opt, 0, sizeof(opt));
  if( (idxNum & 1)==0 || argc<1 || sqlite3_value_type(argv[0])==SQLITE_NULL ){
    acdcError(&ctx, SQLITE_ERROR, "autocdc_validate() requires the text of a "
              "spec");
  }else{
    pCur->pSpec = sqlite3_value_dup(argv[0]);
    if( argc>1 ) pCur->pOptions = sqlite3_value_dup(argv[1]);
    acdcSpecOptionsRead(&ctx,
        argc>1 ? (const char*)sqlite3_value_text(argv[1]) : 0, &opt);
  }
  if( ctx.rc==SQLITE_OK ){
    const char *z = (const char*)sqlite3_value_text(argv[0]);
    acdcSpecRead(&ctx, z ? z : "", sqlite3_value_bytes(argv[0]), &opt,
                 &pCur->diags, &pSpec);
    if( pSpec ) acdcSpecCompanions(&ctx, &opt, pSpec, &pCur->diags);
  }
  acdcSpecFree(pSpec);
  acdcSpecOptionsClear(&opt);
  rc = ctx.rc;
  if( rc && rc!=SQLITE_NOMEM ){
    pVtab->base.zErrMsg = sqlite3_mprintf("%s", acdcErrorText(&ctx));
  }
  acdcCtxClear(&ctx);
  return rc;
}

/*
** The arguments are equality terms on the hidden columns.  A term that cannot
** be used yet means that another plan must be tried; a term that is missing is
** reported by xFilter, since some queries are probed without it.
*/
static int validateBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int aIdx[2] = { -1, -1 };
  int i;
  ACDC_UNUSED(pVtab);
  for(i=0; i<pInfo->nConstraint; i++){
    int k = pInfo->aConstraint[i].iColumn - VALIDATE_SPEC;
    if( k<0 || pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
    if( !pInfo->aConstraint[i].usable ) return SQLITE_CONSTRAINT;
    aIdx[k] = i;
  }
  pInfo->estimatedCost = 1e99;
  if( aIdx[0]>=0 ){
    pInfo->idxNum = 1;
    pInfo->aConstraintUsage[aIdx[0]].argvIndex = 1;
    pInfo->aConstraintUsage[aIdx[0]].omit = 1;
    pInfo->estimatedCost = 100;
    pInfo->estimatedRows = 10;
    if( aIdx[1]>=0 ){
      pInfo->aConstraintUsage[aIdx[1]].argvIndex = 2;
      pInfo->aConstraintUsage[aIdx[1]].omit = 1;
    }
  }
  return SQLITE_OK;
}

static const sqlite3_module validateModule = {
  0,                     /* iVersion */
  0,                     /* xCreate: eponymous only */
  validateConnect,
  validateBestIndex,
  validateDisconnect,
  validateDisconnect,
  validateOpen,
  validateClose,
  validateFilter,
  validateNext,
  validateEof,
  validateColumn,
  validateRowid,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcValidateRegister(sqlite3 *db){
  return sqlite3_create_module_v2(db, "autocdc_validate", &validateModule, 0,
                                  0);
}

/*
** autocdc_json_schema(format): the JSON Schema of a format.  Without an
** argument, or with NULL, the names of the formats as a JSON list.
*/
static void schemaFunc(sqlite3_context *ctx, int argc, sqlite3_value **argv){
  const AcdcFormat *pFormat;
  AcdcCtx p;
  char *zAll = 0;
  char *z;
  int i;
  acdcCtxInit(&p, sqlite3_context_db_handle(ctx));
  for(i=0; (pFormat = acdcFormatAt(i))!=0; i++){
    acdcAppendf(&p, &zAll, "%s\"%s\"", i ? "," : "", pFormat->zName);
  }
  if( argc==0 || sqlite3_value_type(argv[0])==SQLITE_NULL ){
    z = acdcMprintf(&p, "[%s]", zAll);
  }else{
    const char *zName = (const char*)sqlite3_value_text(argv[0]);
    pFormat = zName ? acdcFormatFind(zName) : 0;
    if( pFormat==0 ){
      acdcError(&p, SQLITE_ERROR, "autocdc_json_schema(): unknown format '%s'; "
                "known are %s", zName ? zName : "", zAll);
    }
    z = pFormat ? acdcShapeSchema(&p, pFormat) : 0;
  }
  if( p.rc==SQLITE_NOMEM ){
    sqlite3_result_error_nomem(ctx);
  }else if( p.rc ){
    sqlite3_result_error(ctx, acdcErrorText(&p), -1);
  }else{
    sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
  }
  sqlite3_free(z);
  sqlite3_free(zAll);
  acdcCtxClear(&p);
}

int acdcSchemaRegister(sqlite3 *db){
  int m = SQLITE_UTF8|SQLITE_DETERMINISTIC|SQLITE_INNOCUOUS;
  int rc = sqlite3_create_function_v2(db, "autocdc_json_schema", 0, m, 0,
                                      schemaFunc, 0, 0, 0);
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_function_v2(db, "autocdc_json_schema", 1, m, 0,
                                    schemaFunc, 0, 0, 0);
  }
  return rc;
}
