/*
** What SQL from elsewhere may do: read (design.md 1.4).
*/
#ifndef ACDC_CORE_TRUST_H
#define ACDC_CORE_TRUST_H

#include "core.h"

/*
** Error unless zSelect, one complete statement, is a query that does nothing
** but read: no write, no function or virtual table that only direct SQL may
** use, none that acts on files, the connection or the schema.
**
** bSchema: the text is held in the schema.  Then, if trusted_schema is off,
** its functions must be innocuous too.  zWhat names the text in the message
** ("where", "the source query").  Nothing of the statement is run.
*/
void acdcTrustCheck(AcdcCtx *p, const char *zSelect, int bSchema,
                    const char *zWhat);

/*
** The module in "CREATE VIRTUAL TABLE ... USING module(...)", or "", to zOut,
** which has room for nOut bytes and a zero.
*/
void acdcTrustModule(const char *zSql, char *zOut, int nOut);

#endif /* ACDC_CORE_TRUST_H */
