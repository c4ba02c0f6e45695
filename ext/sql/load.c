/*
** autocdc_load(spec [, options]), autocdc_load_file(path [, options]) and
** autocdc_drop(name): what is in the catalog.
**
** DIRECTONLY: they write, and the second reads files, so no view or trigger of
** a database from elsewhere may call them.
*/
#include "specsql.h"
#include "../spec/catalog.h"

/* Report what a function has done: a number, or its error. */
static void loadResult(sqlite3_context *ctx, AcdcCtx *p, const char *zWho, int n){
  if( p->rc==SQLITE_NOMEM ){
    sqlite3_result_error_nomem(ctx);
  }else if( p->rc ){
    char *z = sqlite3_mprintf("%s: %s", zWho, acdcErrorText(p));
    sqlite3_result_error(ctx, z ? z : "out of memory", -1);
    sqlite3_result_error_code(ctx, p->rc);      /* keeps the message */
    sqlite3_free(z);
  }else{
    sqlite3_result_int(ctx, n);
  }
  acdcCtxClear(p);
}

static void loadFunc(sqlite3_context *ctx, int argc, sqlite3_value **argv){
  AcdcCtx p;
  AcdcTrans trans = {0, 0};
  int bFile = sqlite3_user_data(ctx)!=0;
  const char *zWho = bFile ? "autocdc_load_file()" : "autocdc_load()";
  const char *z, *zOptions;
  int n = 0;
  acdcCtxInit(&p, sqlite3_context_db_handle(ctx));
  z = (const char*)sqlite3_value_text(argv[0]);
  zOptions = argc>1 ? (const char*)sqlite3_value_text(argv[1]) : 0;
  if( z==0 ){
    acdcError(&p, SQLITE_ERROR, bFile ? "the path is NULL"
              : "the spec is NULL; is readfile('...') of a file that is not "
                "there? autocdc_load_file() reads files");
  }else{
    acdcTransBegin(&p, &trans, zWho);
    if( p.rc==SQLITE_OK ){
      n = bFile ? acdcCatalogLoadFile(&p, z, zOptions)
                : acdcCatalogLoad(&p, z, sqlite3_value_bytes(argv[0]), zOptions,
                                  0, 0);
    }
    acdcTransEnd(&p, &trans);
  }
  loadResult(ctx, &p, zWho, n);
}

static void dropFunc(sqlite3_context *ctx, int argc, sqlite3_value **argv){
  AcdcCtx p;
  AcdcTrans trans = {0, 0};
  const char *z = (const char*)sqlite3_value_text(argv[0]);
  ACDC_UNUSED(argc);
  acdcCtxInit(&p, sqlite3_context_db_handle(ctx));
  if( z==0 ){
    acdcError(&p, SQLITE_ERROR, "the name is NULL");
  }else{
    acdcTransBegin(&p, &trans, "autocdc_drop()");
    if( p.rc==SQLITE_OK ) acdcCatalogDrop(&p, z);
    acdcTransEnd(&p, &trans);
  }
  loadResult(ctx, &p, "autocdc_drop()", 1);
}

int acdcLoadRegister(sqlite3 *db){
  static char cFile;            /* Its address says: the argument is a path */
  int m = SQLITE_UTF8|SQLITE_DIRECTONLY;
  int i, rc = SQLITE_OK;
  for(i=1; i<=2 && rc==SQLITE_OK; i++){
    rc = sqlite3_create_function_v2(db, "autocdc_load", i, m, 0, loadFunc, 0, 0,
                                    0);
  }
  for(i=1; i<=2 && rc==SQLITE_OK; i++){
    rc = sqlite3_create_function_v2(db, "autocdc_load_file", i, m, &cFile,
                                    loadFunc, 0, 0, 0);
  }
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_function_v2(db, "autocdc_drop", 1, m, 0, dropFunc, 0, 0,
                                    0);
  }
  return rc;
}
