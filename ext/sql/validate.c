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
#include "tabfunc.h"
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

static void validateColumn(
  sqlite3_context *ctx, const void *pData, int iRow, int iCol
){
  const AcdcDiag *pD = &((const AcdcDiags*)pData)->a[iRow];
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
    default:
      break;
  }
  if( z ) sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
}

static int validateRun(
  AcdcCtx *p, const AcdcTabFunc *pF, sqlite3_value **apArg, void *pData
){
  AcdcDiags *pDiags = pData;
  AcdcSpecOptions opt;
  AcdcSpec *pSpec = 0;
  const char *z = apArg[0] ? (const char*)sqlite3_value_text(apArg[0]) : 0;
  ACDC_UNUSED(pF);
  memset(&opt, 0, sizeof(opt));
  if( z==0 ){
    acdcError(p, SQLITE_ERROR, "it requires the text of a spec");
  }else{
    acdcSpecOptionsRead(p, apArg[1] ?
        (const char*)sqlite3_value_text(apArg[1]) : 0, &opt);
  }
  if( p->rc==SQLITE_OK ){
    acdcSpecRead(p, z, sqlite3_value_bytes(apArg[0]), &opt, pDiags, &pSpec);
    if( pSpec ) acdcSpecCompanions(p, &opt, pSpec, pDiags);
  }
  acdcSpecFree(pSpec);
  acdcSpecOptionsClear(&opt);
  return pDiags->n;
}

static void validateClear(void *pData){
  acdcDiagClear(pData);
}

int acdcValidateRegister(sqlite3 *db){
  static const AcdcTabFunc func = {
    "autocdc_validate",
    "CREATE TABLE x(severity, path, line, \"column\", message, suggestion, "
    "spec HIDDEN, options HIDDEN)",
    {{ VALIDATE_SPEC, 0 }, { VALIDATE_OPTIONS, 0 }}, 2, 1,
    sizeof(AcdcDiags), validateRun, validateColumn, validateClear, 0
  };
  return acdcTabFuncRegister(db, &func);
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
