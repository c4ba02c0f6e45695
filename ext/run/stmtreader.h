/*
** The rows of a statement as a reader, so that a merge can read from a query
** that reads from files.
*/
#ifndef ACDC_STMTREADER_H
#define ACDC_STMTREADER_H

#include "../source/reader.h"

/*
** A reader over the rows of zSql (a SELECT).  Its parameters ?1, ?2, ... are
** bound to the nSub readers apSub, which are taken over.  NULL with an error
** if the statement cannot be prepared; apSub are freed then.
*/
AcdcReader *acdcStmtReader(AcdcCtx *p, const char *zSql, AcdcReader **apSub,
                           int nSub);

#endif /* ACDC_STMTREADER_H */
