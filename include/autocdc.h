/*
** libautocdc: AUTO CDC for SQLite.
**
** Public interface for programs that embed the extension.  Everything else
** is SQL: see README.md and docs/.
**
** Loadable:  sqlite3_load_extension(db, "libautocdc", 0, &zErr)
** Static:    build with `make static`, link libautocdc.a, then either
**              sqlite3_autocdc_init(db, &zErr, 0);
**            for one connection, or for all of them
**              sqlite3_auto_extension((void(*)(void))sqlite3_autocdc_init);
**
** Both entry points return SQLITE_OK, or an error code with *pzErrMsg set to
** a message that the caller frees with sqlite3_free().  They need SQLite
** 3.40.1 or newer and refuse an older one.
*/
#ifndef AUTOCDC_H
#define AUTOCDC_H

#include <sqlite3.h>

#define AUTOCDC_VERSION         "0.1.0"
#define AUTOCDC_VERSION_NUMBER  1000    /* major*1000000+minor*1000+patch */

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;

/* All of the extension. */
int sqlite3_autocdc_init(
  sqlite3 *db,
  char **pzErrMsg,
  const struct sqlite3_api_routines *pApi
);

/* The same without any function or module that reads files. */
int sqlite3_autocdc_nofs_init(
  sqlite3 *db,
  char **pzErrMsg,
  const struct sqlite3_api_routines *pApi
);

#ifdef __cplusplus
}
#endif

#endif /* AUTOCDC_H */
