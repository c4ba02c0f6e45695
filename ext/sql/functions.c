/*
** Scalar functions.
*/
#include "sql.h"
#include "../core/json.h"
#include "../core/regex.h"
#include "../sequence/sequence.h"
#include "../run/run.h"
#include "../../include/autocdc.h"

static void funcVersion(sqlite3_context *pCtx, int n, sqlite3_value **ap){
  ACDC_UNUSED(n); ACDC_UNUSED(ap);
  sqlite3_result_text(pCtx, AUTOCDC_VERSION, -1, SQLITE_STATIC);
}

#if defined(__clang__)
# define FUNC_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
# define FUNC_COMPILER "gcc " __VERSION__
#else
# define FUNC_COMPILER "unknown compiler"
#endif

static void funcDebug(sqlite3_context *pCtx, int n, sqlite3_value **ap){
  char *z;
  char zRegex[64];
  ACDC_UNUSED(n); ACDC_UNUSED(ap);
  acdcRegexVersion(zRegex, sizeof(zRegex));
  z = sqlite3_mprintf("libautocdc %s\nSQLite %s, headers %s\ncJSON %s\n"
      "PCRE2 %s\n%s", AUTOCDC_VERSION, sqlite3_libversion(), SQLITE_VERSION,
      acdcJsonLibVersion(), zRegex, FUNC_COMPILER);
  if( z==0 ){
    sqlite3_result_error_nomem(pCtx);
  }else{
    sqlite3_result_text(pCtx, z, -1, sqlite3_free);
  }
}

/* Report the error of a context as the result of a function. */
static void funcError(sqlite3_context *pCtx, AcdcCtx *p, const char *zFunc){
  char *z = sqlite3_mprintf("%s(): %s", zFunc, acdcErrorText(p));
  if( z==0 ){
    sqlite3_result_error_nomem(pCtx);
    return;
  }
  sqlite3_result_error(pCtx, z, -1);
  sqlite3_result_error_code(pCtx, p->rc);
  sqlite3_free(z);
}

static void funcReset(sqlite3_context *pCtx, int n, sqlite3_value **ap){
  AcdcCtx ctx;
  char *z = 0;
  const char *zTarget = (const char*)sqlite3_value_text(ap[0]);
  ACDC_UNUSED(n);
  acdcCtxInit(&ctx, sqlite3_context_db_handle(pCtx));
  if( zTarget==0 ){
    acdcError(&ctx, SQLITE_ERROR, "the target is NULL: give its name");
  }else{
    z = acdcResetTarget(&ctx, zTarget);
  }
  if( ctx.rc ){
    funcError(pCtx, &ctx, "autocdc_reset");
    sqlite3_free(z);
  }else{
    sqlite3_result_text(pCtx, z, -1, sqlite3_free);
  }
  acdcCtxClear(&ctx);
}

int acdcFunctionsRegister(sqlite3 *db){
  static const struct {
    const char *zName;
    int nArg;
    int flags;
    void (*xFunc)(sqlite3_context*, int, sqlite3_value**);
  } aFunc[] = {
    { "autocdc_version", 0, SQLITE_INNOCUOUS|SQLITE_DETERMINISTIC, funcVersion},
    { "autocdc_debug",   0, SQLITE_INNOCUOUS|SQLITE_DETERMINISTIC, funcDebug },
    { "autocdc_seq_key", 1, SQLITE_INNOCUOUS|SQLITE_DETERMINISTIC,
                         acdcSeqKeyFunc },
    { "autocdc_reset",   1, SQLITE_DIRECTONLY, funcReset },
  };
  int i, rc = SQLITE_OK;
  for(i=0; i<(int)(sizeof(aFunc)/sizeof(aFunc[0])) && rc==SQLITE_OK; i++){
    rc = sqlite3_create_function_v2(db, aFunc[i].zName, aFunc[i].nArg,
        SQLITE_UTF8|aFunc[i].flags, 0, aFunc[i].xFunc, 0, 0, 0);
  }
  return rc;
}
