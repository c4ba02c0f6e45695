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
** Its parts, for SQL that is put together of several texts:
**
** Program: by what the complete statement compiles to, no write and no function
** that acts.  bInnocuous: innocuous functions only.  *pbVtab is set if it opens
** a virtual table.
**
** Names: zText, a part of it as it came from elsewhere, names no module whose
** tables do more than read the database.
**
** Calls: it calls no function that acts, whatever the statement is that it is
** put into.
**
** Vtabs: nor does it name a table of such a module in a schema of the
** connection.
*/
void acdcTrustProgram(AcdcCtx *p, const char *zSelect, int bInnocuous,
                      const char *zWhat, int *pbVtab);
void acdcTrustNames(AcdcCtx *p, const char *zText, const char *zWhat);
void acdcTrustCalls(AcdcCtx *p, const char *zText, const char *zWhat);
void acdcTrustVtabs(AcdcCtx *p, const char *zText, const char *zWhat);

/*
** The module in "CREATE VIRTUAL TABLE ... USING module(...)", or "", to zOut,
** which has room for nOut bytes and a zero.
*/
void acdcTrustModule(const char *zSql, char *zOut, int nOut);

#endif /* ACDC_CORE_TRUST_H */
