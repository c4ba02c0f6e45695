/*
** The SQL surface: virtual tables and functions.  Arguments in, rows out.
** Each function registers its objects with db and returns an SQLite code.
*/
#ifndef ACDC_SQL_H
#define ACDC_SQL_H

#include "../core/core.h"

int acdcApplyRegister(sqlite3 *db);        /* apply.c */
int acdcSnapshotApplyRegister(sqlite3 *db);/* snapshot.c */
int acdcFunctionsRegister(sqlite3 *db);    /* functions.c */
int acdcScd2Register(sqlite3 *db);         /* scd2.c */
int acdcStateRegister(sqlite3 *db);        /* state.c */

#endif /* ACDC_SQL_H */
