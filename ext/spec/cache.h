/*
** Specs that a connection has compiled, so that the same text is not compiled
** twice.
*/
#ifndef ACDC_SPEC_CACHE_H
#define ACDC_SPEC_CACHE_H

#include "spec.h"

/* Make the cache of a connection; it goes with the connection. */
int acdcSpecCacheRegister(sqlite3 *db);

/*
** As acdcSpecRead() for a whole text, but a text that was compiled before with
** these options (zOptions is their text, as stored; pOpt is what became of it)
** gives the same spec again.  Only one without errors is kept, and none that
** was made of files on disk, which may change.  The caller lets go of it with
** acdcSpecFree().
*/
void acdcSpecCompile(AcdcCtx *p, const char *zText, const char *zOptions,
                     const AcdcSpecOptions *pOpt, AcdcDiags *pDiags,
                     AcdcSpec **ppOut);

#endif /* ACDC_SPEC_CACHE_H */
