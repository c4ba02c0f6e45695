/*
** Entry points and registration.
**
** What can fail for want of memory comes before what cannot: a registration
** that is left half done would leave pointers into a library that SQLite is
** about to unload.
*/
#ifdef SQLITE_CORE
# include <sqlite3.h>
#else
# include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1
#endif
#include "../include/autocdc.h"
#include "core/core.h"
#include "merge/merge.h"
#include "source/reader.h"
#include "spec/cache.h"
#include "sql/sql.h"
#include "sql/specsql.h"
#include "sql/readers.h"
#include "sql/snapshots.h"

#define AUTOCDC_MIN_SQLITE 3040001

#ifdef _WIN32
# define AUTOCDC_EXPORT __declspec(dllexport)
#else
# define AUTOCDC_EXPORT __attribute__((visibility("default")))
#endif

/* Registered by every entry point. */
static int (*const aRegister[])(sqlite3*) = {
  acdcCollectRegister,
  acdcFeedRegister,
  acdcPushRegister,
  acdcBatchRegister,
  acdcReaderRegister,
  acdcFunctionsRegister,
  acdcApplyRegister,
  acdcSnapshotApplyRegister,
  acdcScd2Register,
  acdcStateRegister,
  acdcValidateRegister,
  acdcSchemaRegister,
  acdcSpecCacheRegister,
  acdcLoadRegister,
  acdcSpecsRegister,
  acdcExplainRegister,
};

/* What reads files: left out by sqlite3_autocdc_nofs_init(). */
static int (*const aFiles[])(sqlite3*) = {
  acdcReadersRegister,
  acdcSnapshotsRegister,
};

static int autocdcInit(sqlite3 *db, char **pzErrMsg, int bFiles){
  int i, rc = SQLITE_OK;
  if( sqlite3_libversion_number()<AUTOCDC_MIN_SQLITE ){
    *pzErrMsg = sqlite3_mprintf("libautocdc needs SQLite 3.40.1 or newer, and "
        "this is %s: load it in a newer shell or program",
        sqlite3_libversion());
    return SQLITE_ERROR;
  }
  for(i=0; i<(int)(sizeof(aRegister)/sizeof(aRegister[0])); i++){
    rc = aRegister[i](db);
    if( rc ) break;
  }
  for(i=0; bFiles && rc==SQLITE_OK && i<2; i++) rc = aFiles[i](db);
  if( rc ) *pzErrMsg = sqlite3_mprintf("libautocdc: %s", sqlite3_errstr(rc));
  return rc;
}

AUTOCDC_EXPORT int sqlite3_autocdc_init(
  sqlite3 *db, char **pzErrMsg, const struct sqlite3_api_routines *pApi
){
#ifndef SQLITE_CORE
  SQLITE_EXTENSION_INIT2(pApi);
#else
  (void)pApi;
#endif
  return autocdcInit(db, pzErrMsg, 1);
}

AUTOCDC_EXPORT int sqlite3_autocdc_nofs_init(
  sqlite3 *db, char **pzErrMsg, const struct sqlite3_api_routines *pApi
){
#ifndef SQLITE_CORE
  SQLITE_EXTENSION_INIT2(pApi);
#else
  (void)pApi;
#endif
  return autocdcInit(db, pzErrMsg, 0);
}
