/*
** The lowest layer: errors, memory, text, identifiers, values, prepared
** statements, savepoints.  Knows nothing of flows, sequences or merging.
**
** Conventions of the whole code base:
**
**   * A function that can fail takes an AcdcCtx and is a no-op once the
**     context is in error, so that long procedures read straight down.
**     The first error wins.
**   * Memory comes from sqlite3_malloc64() unless a comment says otherwise.
**     Every xxxFree() accepts NULL.
**   * SQL text is made with sqlite3_mprintf() formats; identifiers go in
**     through "%w" inside double quotes, always with their schema.
*/
#ifndef ACDC_CORE_H
#define ACDC_CORE_H

#ifdef SQLITE_CORE
# include <sqlite3.h>
#else
# include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#endif
#include <stddef.h>
#include <string.h>
#include <assert.h>
#include <stdarg.h>

typedef sqlite3_int64 i64;
typedef sqlite3_uint64 u64;
typedef unsigned char u8;
typedef unsigned int u32;

#define ACDC_UNUSED(x) ((void)(x))

/*
** The sticky error context of one public call.
*/
typedef struct AcdcCtx AcdcCtx;
struct AcdcCtx {
  sqlite3 *db;         /* The connection.  Not owned */
  int rc;              /* SQLITE_OK, or the (extended) code of the first error */
  char *zErr;          /* Message of the first error.  Owned; may be NULL */
};

void acdcCtxInit(AcdcCtx *p, sqlite3 *db);
void acdcCtxClear(AcdcCtx *p);

/*
** Set the error, unless one is set already.  The message says what, where
** and what to do.
*/
void acdcError(AcdcCtx *p, int rc, const char *zFmt, ...);

/*
** Put "zFmt..." in front of the message of an error, with ": " between.  Used
** by a caller that knows where it happened.  No-op if there is no error.
*/
void acdcErrorWhere(AcdcCtx *p, const char *zFmt, ...);

/* Take the error of the connection: rc is what an API call has returned. */
void acdcErrorDb(AcdcCtx *p, int rc, const char *zFmt, ...);

/* The message to show for an error: never NULL, never "not an error". */
const char *acdcErrorText(AcdcCtx *p);

/*
** Memory.  Return NULL with SQLITE_NOMEM set in the context on failure or if
** the context is in error already.
*/
void *acdcMalloc(AcdcCtx *p, i64 n);            /* zeroed */
void *acdcRealloc(AcdcCtx *p, void *pOld, i64 n); /* pOld stays on failure */
char *acdcStrdup(AcdcCtx *p, const char *z);    /* NULL in, NULL out */
char *acdcStrndup(AcdcCtx *p, const char *z, i64 n);
char *acdcMprintf(AcdcCtx *p, const char *zFmt, ...);
/* *pz = *pz followed by the text; *pz may be NULL and is owned by caller. */
void acdcAppendf(AcdcCtx *p, char **pz, const char *zFmt, ...);

/*
** A growing array of owned strings.  Zero-initialise; the names are freed by
** acdcNamesFree(), which leaves it empty.
*/
typedef struct AcdcNames AcdcNames;
struct AcdcNames {
  int n;               /* Number of entries */
  char **az;           /* The entries.  Owned */
};
void acdcNamesAdd(AcdcCtx *p, AcdcNames *pN, const char *z, i64 n); /* n<0: strlen */
void acdcNamesCopy(AcdcCtx *p, AcdcNames *pTo, const AcdcNames *pFrom);
void acdcNamesFree(AcdcNames *pN);
int acdcNamesFind(const AcdcNames *pN, const char *z);  /* index without case, or -1 */
/* "a, b, c" for messages.  Owned by the caller; NULL on OOM. */
char *acdcNamesText(AcdcCtx *p, const AcdcNames *pN);

/* The entry of aName (n of them) that is most like z, or NULL if none is. */
const char *acdcNearest(const char *z, const char *const*az, int n);

/*
** Split a comma list at its top level only: commas in parentheses, quotes,
** brackets and comments stay.  Entries are trimmed; an empty text gives none.
*/
void acdcSplitList(AcdcCtx *p, const char *z, AcdcNames *pOut);

/*
** If z is one quoted identifier ("a", `a` or [a]) return its unquoted text,
** else a copy of z without surrounding blanks.  Owned by the caller.
*/
char *acdcUnquote(AcdcCtx *p, const char *z);

/*
** An arena: many small pieces, freed at once.  Pieces are 8-byte aligned and
** never move.
*/
typedef struct AcdcArena AcdcArena;
typedef struct AcdcArenaBlock AcdcArenaBlock;
struct AcdcArena {
  AcdcArenaBlock *pBlock;   /* Newest block; they form a list.  Owned */
  i64 nUsed;                /* Bytes used of the newest block */
  i64 nTotal;               /* Bytes held by all blocks */
};
void *acdcArenaAlloc(AcdcCtx *p, AcdcArena *pA, i64 n);   /* not zeroed */
void acdcArenaReset(AcdcArena *pA);   /* forget all pieces, keep one block */
void acdcArenaFree(AcdcArena *pA);

/*
** A value that is not tied to a statement.  The bytes of TEXT and BLOB are
** NOT owned: whoever fills one in says how long they live.
*/
typedef struct AcdcVal AcdcVal;
struct AcdcVal {
  u8 eType;            /* SQLITE_INTEGER, _FLOAT, _TEXT, _BLOB or _NULL */
  int n;               /* Bytes of z */
  union {
    i64 i;             /* SQLITE_INTEGER */
    double r;          /* SQLITE_FLOAT */
    const u8 *z;       /* SQLITE_TEXT (UTF-8, not terminated), SQLITE_BLOB */
  } u;
};
void acdcValFrom(AcdcVal *pOut, sqlite3_value *pV);     /* borrows the bytes */
void acdcValColumn(AcdcVal *pOut, sqlite3_stmt *p, int iCol); /* borrows */
int acdcValBind(sqlite3_stmt *p, int i, const AcdcVal *pV);   /* STATIC bind */
void acdcValResult(sqlite3_context *p, const AcdcVal *pV);    /* copies */
void acdcValCopy(AcdcCtx *p, AcdcArena *pA, AcdcVal *pTo, const AcdcVal *pFrom);
/* SQL "a IS b" under BINARY: 1 IS 1.0, '1' IS NOT 1, NULL IS NULL. */
int acdcValIs(const AcdcVal *pA, const AcdcVal *pB);
/* As a SQL literal for messages, cut at about 60 bytes.  Owned by caller. */
char *acdcValText(AcdcCtx *p, const AcdcVal *pV);

/*
** Prepared statements.  acdcPrepare() takes a format; it fails if text is
** left over after the first statement.  Owned by the caller, who gives it
** to acdcFinalize().
*/
sqlite3_stmt *acdcPrepare(AcdcCtx *p, unsigned fPrep, const char *zFmt, ...);
int acdcStep(AcdcCtx *p, sqlite3_stmt *pStmt);   /* 1: a row, 0: done or error */
void acdcReset(AcdcCtx *p, sqlite3_stmt *pStmt); /* takes over its error */
void acdcFinalize(AcdcCtx *p, sqlite3_stmt **ppStmt);  /* zeroes *ppStmt */
void acdcExec(AcdcCtx *p, const char *zFmt, ...);      /* one statement */
i64 acdcSelectInt(AcdcCtx *p, i64 iDefault, const char *zFmt, ...);
char *acdcSelectText(AcdcCtx *p, const char *zFmt, ...); /* owned by caller */
/* Nonzero and an error if the caller's sqlite3_interrupt() was seen. */
int acdcInterrupted(AcdcCtx *p);

/*
** The transaction recipe.  The only code that says SAVEPOINT or ROLLBACK.
**
**   AcdcTrans t = {0};
**   acdcTransBegin(pCtx, &t, "apply_changes()");
**   ... write ...
**   acdcTransEnd(pCtx, &t);     -- RELEASE, or undo all if pCtx is in error
**
** Begin fails with a hint if the statement that called us writes already.
** After an error the database is as it was at Begin; if SQLite itself
** rolled back the caller's transaction the message says so.
*/
typedef struct AcdcTrans AcdcTrans;
struct AcdcTrans {
  u8 bOpen;            /* A savepoint of ours is open */
  u8 bOwn;             /* Autocommit was on: the savepoint is the transaction */
};
void acdcTransBegin(AcdcCtx *p, AcdcTrans *pT, const char *zWho);
void acdcTransEnd(AcdcCtx *p, AcdcTrans *pT);
/* A unit inside the transaction (on_error: "continue"). */
void acdcUnitBegin(AcdcCtx *p, AcdcTrans *pUnit);
void acdcUnitEnd(AcdcCtx *p, AcdcTrans *pUnit);

/*
** Facts about a table or view, read from the schema.
*/
typedef struct AcdcColumn AcdcColumn;
struct AcdcColumn {
  char *zName;         /* Owned */
  char *zType;         /* Declared type, "" if none.  Owned */
  char *zColl;         /* Declared collation, NULL for BINARY.  Owned */
  char cAff;           /* Affinity: 'A' blob/none, 'B' text, 'C' numeric,
                       ** 'D' integer, 'E' real */
  u8 bNotNull;
  u8 bGenerated;       /* A generated column: cannot be written */
  u8 iPk;              /* 1-based place in the PRIMARY KEY, or 0 */
};
typedef struct AcdcTable AcdcTable;
struct AcdcTable {
  char *zSchema;       /* Owned */
  char *zName;         /* As the schema spells it.  Owned */
  int nCol;
  AcdcColumn *aCol;    /* Owned */
  u8 bView;            /* A view */
  u8 bVirtual;         /* A virtual table */
  u8 bWithoutRowid;
  u8 bStrict;
  const char *zRowid;  /* A free spelling of the rowid, or NULL.  Static */
  int iIpk;            /* Column that is the rowid (INTEGER PRIMARY KEY), or -1 */
};
/*
** Look z up: "name" or "schema.name" (parts may be quoted; a plain name that
** holds a dot is tried whole first).  zSchema, if given, is the only schema
** that a plain name is looked up in; else temp, main, attached as SQLite
** does.  Returns 0 if there is no such table or view (no error is set).
*/
int acdcTableFind(AcdcCtx *p, const char *zSchema, const char *z, AcdcTable *pOut);
void acdcTableClear(AcdcTable *pT);
int acdcTableColumn(const AcdcTable *pT, const char *zName); /* without case, or -1 */
char acdcAffinity(const char *zType);   /* affinity of a declared type */
/* Split "schema.name" with quotes honoured; *pzSchema NULL if there is none. */
void acdcSplitName(AcdcCtx *p, const char *z, char **pzSchema, char **pzName);

#endif /* ACDC_CORE_H */
