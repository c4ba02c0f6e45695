/*
** The SQL surface of specs.  Each function registers its objects with db and
** returns an SQLite code.
*/
#ifndef ACDC_SPECSQL_H
#define ACDC_SPECSQL_H

#include "../core/core.h"

int acdcValidateRegister(sqlite3 *db);  /* validate.c: autocdc_validate */
int acdcSchemaRegister(sqlite3 *db);    /* validate.c: autocdc_json_schema */
int acdcLoadRegister(sqlite3 *db);      /* load.c: autocdc_load and its kin */
int acdcSpecsRegister(sqlite3 *db);     /* specs.c: autocdc_specs, _flows */
int acdcExplainRegister(sqlite3 *db);   /* explain.c: autocdc_explain */

#endif /* ACDC_SPECSQL_H */
