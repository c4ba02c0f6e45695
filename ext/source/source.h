/*
** Where change rows come from, seen as SQL: a table, a view, a query or a
** reader of files.  Knows nothing of targets.
*/
#ifndef ACDC_SOURCE_H
#define ACDC_SOURCE_H

#include "../core/core.h"
#include "../flow/flow.h"
#include "reader.h"

typedef struct AcdcSource AcdcSource;
struct AcdcSource {
  AcdcTable tab;         /* Its columns; schema and name if it is a table.
                         ** For queries and files zSchema is NULL */
  char *zFrom;           /* Text for a FROM clause.  Owned */
  char *zLabel;          /* What messages and checkpoints call it.  Owned */
  const char *zRowid;    /* Expression for the number of a row, or NULL.
                         ** Static text */
  u8 bTable;             /* An ordinary table */
  u8 bPushed;            /* Rows that are pushed (merge/push.c) */
  u8 bAppend;            /* Its rows have stable rowids: new rows can be told
                         ** from those already read */
  AcdcReader *pReader;   /* Rows of files, bound to parameter 1 of every
                         ** statement over zFrom.  Owned */
};

/*
** Open the source of a flow.  pReader, if not NULL, is taken over and is where
** the rows come from; else pFlow->eSource must be a table or a query.  Errors
** name the source and the nearest table of that name.
*/
void acdcSourceOpen(AcdcCtx *p, const AcdcFlow *pFlow, AcdcReader *pReader,
                    AcdcSource *pOut);
void acdcSourceClose(AcdcSource *pSrc);

/*
** A digest of row iRow of a table with rowids, over the class and bytes of
** every value.  *pbFound: there is such a row.
*/
i64 acdcSourceDigest(AcdcCtx *p, const AcdcSource *pSrc, i64 iRow, int *pbFound);
/* Least rowid of a table with rowids; *pbFound: it has rows. */
i64 acdcSourceFirst(AcdcCtx *p, const AcdcSource *pSrc, int *pbFound);

#endif /* ACDC_SOURCE_H */
