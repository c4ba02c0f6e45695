/*
** What SQL of a spec may do: read.  See docs/specs/README.md.
*/
#ifndef ACDC_TRUST_H
#define ACDC_TRUST_H

#include "../core/core.h"

/*
** Error if the text of a spec (an expression or a query) calls a table-valued
** function that is not for SQL from elsewhere.  NULL is fine.
*/
void acdcTrustText(AcdcCtx *p, const char *z);
/*
** Error if the statement (complete, with its parameters) would do more than
** read: write, attach, or call a function that is for direct use only.
*/
void acdcTrustQuery(AcdcCtx *p, const char *zSql);

#endif /* ACDC_TRUST_H */
