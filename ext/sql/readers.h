/*
** CSV and JSON files as SQL: see readers.c.
*/
#ifndef ACDC_READERS_H
#define ACDC_READERS_H

#include "../core/core.h"

/*
** Register autocdc_read_csv, autocdc_read_json, autocdc_csv and autocdc_json.
** A connection for which this is not called reads no files at all.
*/
int acdcReadersRegister(sqlite3 *db);

#endif /* ACDC_READERS_H */
