/*
** A SQLite that is too old, as libautocdc would see it.
**
** Loaded by the shell, this extension hands the entry point of the library
** that $AUTOCDC_EXT names a table of SQLite's functions in which the version
** is 3.39.4 and nothing is set that is not needed to refuse it: a call of
** anything else is a crash, as it would be in a SQLite that has it not.
** SELECT old_sqlite() gives the return code and the message.
*/
#include <sqlite3ext.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
SQLITE_EXTENSION_INIT1

typedef int (*EntryPoint)(sqlite3*, char**, const sqlite3_api_routines*);

static int oldNumber(void){ return 3039004; }
static const char *oldVersion(void){ return "3.39.4"; }

static void oldFunc(sqlite3_context *pCtx, int nArg, sqlite3_value **apArg){
  const char *zName = (const char*)sqlite3_value_text(apArg[0]);
  sqlite3_api_routines *pOld = sqlite3_malloc(sizeof(*pOld));
  void *pLib = dlopen(getenv("AUTOCDC_EXT"), RTLD_NOW);
  EntryPoint xInit = 0;
  char *zErr = 0;
  int rc = -1;
  (void)nArg;
  memset(pOld, 0, sizeof(*pOld));
  pOld->libversion = oldVersion;
  pOld->libversion_number = oldNumber;
  pOld->mprintf = sqlite3_api->mprintf;
  pOld->vmprintf = sqlite3_api->vmprintf;
  pOld->xsnprintf = sqlite3_api->xsnprintf;
  pOld->free = sqlite3_api->free;
  if( pLib ) *(void**)&xInit = dlsym(pLib, zName);
  if( xInit ) rc = xInit(sqlite3_context_db_handle(pCtx), &zErr, pOld);
  sqlite3_result_text(pCtx, sqlite3_mprintf("%d: %s", rc, zErr ? zErr : "-"),
                      -1, sqlite3_free);
  sqlite3_free(zErr);
  sqlite3_free(pOld);
}

int sqlite3_oldsqlite_init(sqlite3 *db, char **pzErr, const sqlite3_api_routines *pApi){
  SQLITE_EXTENSION_INIT2(pApi);
  (void)pzErr;
  return sqlite3_create_function(db, "old_sqlite", 1, SQLITE_UTF8, 0, oldFunc, 0, 0);
}
