/*
** The scd2 virtual-table module: a history table that is declared, queried as
** of any point and fed by INSERT or by apply_changes().
**
**   scd2.c        the module: create, connect, drop, rename
**   scd2decl.c    its arguments, its columns
**   scd2read.c    xBestIndex and what plans mean
**   scd2cursor.c  cursors
**   scd2write.c   INSERT, transactions and savepoints
**   scd2check.c   PRAGMA integrity_check
**
** The rows are in an ordinary table: h_rows for a table h, or the one that
** target= names.  The columns of a source that is named are kept in h_cols.
*/
#ifndef ACDC_SCD2_H
#define ACDC_SCD2_H

#include "../core/core.h"
#include "../flow/flow.h"
#include "../merge/merge.h"

/* Columns of the virtual table, AcdcScd2Col.eKind */
#define ACDC_SCD2_ROW        0     /* column i of the table of rows */
#define ACDC_SCD2_AS_OF      1
#define ACDC_SCD2_FROM       2
#define ACDC_SCD2_TO         3
#define ACDC_SCD2_CURRENT    4
#define ACDC_SCD2_VERSION    5
#define ACDC_SCD2_SYSTEM     6     /* system_as_of, bitemporal only */
#define ACDC_SCD2_EVENT      7     /* source column i, not kept in history */

typedef struct AcdcScd2Col AcdcScd2Col;
struct AcdcScd2Col {
  char *zName;           /* Owned */
  u8 eKind;              /* ACDC_SCD2_* */
  int i;
};

typedef struct AcdcScd2Query AcdcScd2Query;   /* scd2cursor.c */

typedef struct AcdcScd2 AcdcScd2;
struct AcdcScd2 {
  sqlite3_vtab base;
  sqlite3 *db;           /* Not owned */
  AcdcCtx ctx;           /* Of the call at hand; clear between calls */
  char *zSchema, *zName; /* As declared.  Owned */
  char *zRows;           /* Name of the table of rows, in zSchema.  Owned */
  char *zRowsSql;        /* "schema"."table".  Owned */
  AcdcFlow flow;         /* The members.  eSource is NONE if none is named */
  char *zColumns;        /* Text of columns=, or NULL.  Owned */
  char *zWrong;          /* Why the declaration cannot be used.  Owned */
  u8 bOwned;             /* The table of rows is ours: no target= */
  u8 bEvents;            /* It takes events: there are columns and keys */
  u8 bCols;              /* h_cols exists */
  u8 bTrusted;           /* The expressions were checked ... */
  int bTrustedSchema;    /* ... under this setting of trusted_schema */
  AcdcTable cols;        /* Columns of events, if bEvents */
  AcdcTable rows;        /* The table of rows; nCol is 0 if it is gone */
  int nCol;
  AcdcScd2Col *aCol;         /* Owned */
  int aiArg[ACDC_SCD2_EVENT]; /* Column of each kind of hidden one, or -1 */
  int nKey;
  int aKey[ACDC_MAXKEY]; /* Columns of rows */
  int iStart, iEnd;      /* Columns of rows */
  int iSysStart, iSysEnd;/* The same of system time, or -1 */
  /* What the catalog says of the rows (scd2cursor.c) */
  u8 bState;             /* The following was read ... */
  u32 iDataVersion;      /* ... at this state of the file ... */
  i64 nChange;           /* ... and of the connection */
  u8 bKnown;             /* The catalog has the table */
  AcdcSeqKind kind, sysKind;
  sqlite3_stmt *pState;  /* Owned */
  AcdcScd2Query *pQuery; /* Statements that no cursor uses now.  Owned */
  /* Events (scd2write.c) */
  AcdcPush *pPush;       /* Owned; NULL while there is none */
  int *aEvent;           /* Column of each column of events.  Owned */
  u8 *aTakes;            /* Columns that events have, a flag each.  Owned */
  sqlite3_value **apVal; /* Values of an event.  Owned */
  u8 bStale;             /* pPush may not know what was written since */
  u8 bSavepoint;         /* A savepoint was opened since the last row */
  u8 bStmt;              /* The statement at hand has one, that ends with it */
  u8 bBegun;             /* xBegin was called, and nothing since */
  u8 bCommit;            /* iCommit is set */
  u32 iCommit;           /* State of the file at our last commit */
  i64 nLast;             /* total_changes after the last row; -1: none */
  i64 nExpect;           /* total_changes if only we have written since */
  i64 iRow;              /* Rows of the statement at hand */
};

/* scd2decl.c */
/* Read the arguments of CREATE VIRTUAL TABLE. */
void acdcScd2Arguments(AcdcScd2 *pTab, int argc, const char *const*argv);
char *acdcScd2Target(AcdcCtx *p, const char *zSchema, const char *zRows);
/* Find the columns of events: columns=, the source or h_cols. */
void acdcScd2EventColumns(AcdcScd2 *pTab, int bCreate);
/* Find table of rows, keys, and the columns of the virtual table. */
void acdcScd2Columns(AcdcScd2 *pTab);
/* Error if the table of rows is gone. */
void acdcScd2Lost(AcdcScd2 *pTab);
/* Text for sqlite3_declare_vtab().  Owned by the caller. */
char *acdcScd2Declaration(AcdcScd2 *pTab);
/* Error if an expression of the declaration may not be used (1.4). */
void acdcScd2Trust(AcdcScd2 *pTab);
/* The same for the source, before it is read. */
void acdcScd2TrustSource(AcdcScd2 *pTab);

/* scd2.c: hand the error in pTab->ctx to SQLite and clear it. */
int acdcScd2Error(AcdcScd2 *pTab);

/* scd2read.c */
int acdcScd2BestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo);
/*
** A plan, as xBestIndex leaves it in idxStr: words with a blank behind each.
**
**   K<n>         column n of the table of rows equals the argument
**   R<op><n>     it compares so; <op> one of < l > g = (l: <=, g: >=)
**   A F T S      as_of, from_, to_, system_as_of: the argument
**   C            current is the argument (bitemporal, without S: and still
**                believed)
**   E, N         __END_AT is NULL, is not NULL (no argument)
**   O<d><n>      ORDER BY column n, <d> is + or -
**   V, X         version, current is wanted
**   U<hex>       the columns of the table of rows that are wanted, a bit each
**   P            all columns are wanted
**   1            all keys are given, so one version at most is as of
*/
/*
** The SELECT of a plan.  aMap[] gets the place of each column of the table of
** rows, of version and of the rowid (rows.nCol+2 places), -1 if it has none;
** *pnCol the number of places.
**
** *peMode says how it is stepped:
**   ROWS   a row a step
**   LAST   one row: the last version that starts at or before as_of, whether
**          it has ended by then or not
**   TAKE   rows go to autocdc_take(?N, columns...), N behind the arguments; a
**          step comes back when that wants it to, or at the end
*/
#define ACDC_SCD2_ROWS   0
#define ACDC_SCD2_LAST   1
#define ACDC_SCD2_TAKE   2
char *acdcScd2PlanSql(AcdcScd2 *pTab, const char *zPlan, int bNative,
                      int *aMap, int *pnCol, int *peMode);

/* scd2cursor.c */
int acdcScd2Open(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor);
int acdcScd2Close(sqlite3_vtab_cursor *pCursor);
int acdcScd2Filter(sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
               int argc, sqlite3_value **argv);
int acdcScd2Next(sqlite3_vtab_cursor *pCursor);
int acdcScd2Eof(sqlite3_vtab_cursor *pCursor);
int acdcScd2Column(sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol);
int acdcScd2Rowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid);
/* Finalize the statements that wait for a cursor. */
void acdcScd2FreeQueries(AcdcScd2 *pTab);
int acdcScd2TakeRegister(sqlite3 *db);
/* Read what the catalog says, unless it is known. */
void acdcScd2State(AcdcScd2 *pTab);

/*
** Bound in the place of as_of, the table answers with its flow, and with the
** names of the columns of events.
*/
#define ACDC_SCD2_POINTER "autocdc-scd2"
typedef struct AcdcScd2Ask AcdcScd2Ask;
struct AcdcScd2Ask {
  AcdcCtx *p;            /* Of the one who asks */
  AcdcFlow *pFlow;       /* Filled in; cleared by the one who asks */
  AcdcNames cols;
};

/* scd2write.c */
int acdcScd2Update(sqlite3_vtab *pVtab, int argc, sqlite3_value **argv,
               sqlite3_int64 *piRowid);
int acdcScd2Begin(sqlite3_vtab *pVtab);
int acdcScd2Sync(sqlite3_vtab *pVtab);
int acdcScd2Commit(sqlite3_vtab *pVtab);
int acdcScd2Rollback(sqlite3_vtab *pVtab);
int acdcScd2Savepoint(sqlite3_vtab *pVtab, int i);
int acdcScd2Release(sqlite3_vtab *pVtab, int i);
int acdcScd2RollbackTo(sqlite3_vtab *pVtab, int i);
/* Write what waits, so that a reader sees it. */
void acdcScd2Flush(AcdcScd2 *pTab);
/* Forget what is held of the rows: they are about to change otherwise. */
void acdcScd2Forget(AcdcScd2 *pTab);
/* Make state for the declaration and see that events can be taken. */
void acdcScd2OpenPush(AcdcScd2 *pTab);
u32 acdcScd2DataVersion(AcdcScd2 *pTab);

/* scd2check.c */
int acdcScd2Integrity(sqlite3_vtab *pVtab, const char *zSchema,
                  const char *zTabName, int mFlags, char **pzErr);

/* ---- for the rest of the SQL surface ---- */


/*
** If zName ("name" or "schema.name") is an scd2 table, return 1 and fill pOut,
** which the caller clears, with the flow that feeds it from its source:
** pOut->zName is the table's name, pOut->zTarget its table of rows.  It is an
** error if it names no source.  Returns 0, without an error, if there is no
** such scd2 table.
*/
int acdcScd2Flow(AcdcCtx *p, const char *zName, AcdcFlow *pOut);
/* Names of all scd2 tables that name a source, as "schema"."name". */
void acdcScd2List(AcdcCtx *p, AcdcNames *pOut);

#endif /* ACDC_SCD2_H */
