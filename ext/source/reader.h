/*
** A reader: rows that do not come from SQLite (files, buffers), made readable
** by SQL.  A reader is bound as a pointer to the private table-valued
** function autocdc_rows(ptr), whose columns c0, c1, ... are the reader's:
**
**   SELECT c0 AS "id", c1 AS "name" FROM autocdc_rows(?1)
**
** so that everything behind it handles one kind of source: SQL.
*/
#ifndef ACDC_READER_H
#define ACDC_READER_H

#include "../core/core.h"

/* Columns of autocdc_rows3, the widest of its kind, hidden ones of the reader
** included. */
#define ACDC_READER_MAXCOL 1990

typedef struct AcdcReader AcdcReader;
struct AcdcReader {
  /*
  ** All methods return an SQLite code; on an error they leave a message in
  ** zErr (sqlite3_malloc; taken over by the caller).  The file and line are in
  ** the message.
  */
  int (*xRewind)(AcdcReader*);          /* To the first row */
  int (*xNext)(AcdcReader*);            /* To the next row */
  int (*xEof)(AcdcReader*);             /* No row (any more) */
  void (*xColumn)(AcdcReader*, int iCol, AcdcVal *pOut); /* Borrowed bytes,
                                        ** good until the next xNext */
  i64 (*xRowid)(AcdcReader*);           /* 1, 2, ... or a line number */
  void (*xFree)(AcdcReader*);           /* Accepts NULL */
  char *(*xWhere)(AcdcReader*, i64 iRowid); /* Where a row stands, for messages:
                                        ** "path:line".  sqlite3_malloc; NULL
                                        ** if unknown.  May itself be NULL.
                                        ** May read the file again, without
                                        ** moving the reader */
  int nCol;                             /* Columns of a SELECT * */
  int nHidden;                          /* More columns behind them that are
                                        ** read by name only (_metadata) */
  AcdcColumn *aCol;                     /* Names and declared types of nCol +
                                        ** nHidden columns.  Owned */
  char *zErr;
  /*
  ** What became of rows that were not as they should be, for the report of a
  ** run.  Set back to zero by xRewind.
  */
  i64 nMalformed;                       /* Rows kept although malformed */
  i64 nDropped;                         /* Rows left out (DROPMALFORMED) */
  i64 nRescued;                         /* Rows with something in the column
                                        ** of rescued data */
  char *zWarn;                          /* The first of them: what and where.
                                        ** Owned; may be NULL */
  void *pScan;                          /* Private to rows.c: the cursor that
                                        ** reads now.  Not owned */
};

/* Register autocdc_rows with db. */
int acdcReaderRegister(sqlite3 *db);
/* Bind pReader, not owned, to parameter iParam of pStmt. */
int acdcReaderBind(sqlite3_stmt *pStmt, int iParam, AcdcReader *pReader);
/*
** "(SELECT c0 AS "id", ... FROM autocdc_rows(?iParam))" for a reader: its nCol
** columns, then its hidden ones, and last the number of the row as
** ACDC_READER_ROWID.  Owned by the caller.
*/
#define ACDC_READER_ROWID "__autocdc_row"
char *acdcReaderSql(AcdcCtx *p, const AcdcReader *pReader, int iParam);
/* The column of that name, without case, hidden ones included; or -1. */
int acdcReaderColumn(const AcdcReader *pReader, const char *zName);
/* p->xWhere(p, iRowid), if there is one; NULL if not.  Owned by the caller. */
char *acdcReaderWhere(AcdcReader *pReader, i64 iRowid);
/* A sentence on nMalformed, nDropped and nRescued; NULL if all are zero.  Owned
** by the caller. */
char *acdcReaderReport(AcdcCtx *p, const AcdcReader *pReader);
/* p->xFree(p), if there is one. */
void acdcReaderFree(AcdcReader *pReader);

#endif /* ACDC_READER_H */
