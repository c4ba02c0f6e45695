/*
** Looking at a target from what is recorded of it, without any flow: what is
** known of its keys, and what is broken.
*/
#ifndef ACDC_INSPECT_H
#define ACDC_INSPECT_H

#include "history.h"

/*
** A merge that reads only.  Its flow stands for those that wrote the target.
*/
typedef struct AcdcInspect AcdcInspect;
struct AcdcInspect {
  AcdcFlow flow;
  AcdcSource src;        /* None: zeroed */
  AcdcMerge m;
  u8 bTarget;            /* The target is there, with all columns we need */
};

/*
** Open the target of that schema and name, which has state.  bMust: it is an
** error if the table is gone or lacks a key column; else bTarget tells.  The
** caller closes it, also after an error.
*/
void acdcInspectOpen(AcdcCtx *p, AcdcInspect *pI, const char *zSchema,
                     const char *zName, int bMust);
void acdcInspectClose(AcdcInspect *pI);

/* A key as a result: its value, or a JSON array if it has several columns. */
void acdcInspectKey(sqlite3_context *pCtx, const AcdcVal *aKey, int nKey);
/* Values as a JSON object; pMask, if not NULL, says which of them. */
void acdcInspectVals(sqlite3_context *pCtx, const AcdcMerge *pM,
                     const AcdcVal *aVal, const AcdcBits *pMask);
/*
** Instants that SCD1 keeps are order bytes: microseconds can be told from them,
** the form they were written in cannot.  Text of such a one, owned by the
** caller; NULL if *pV is something else.
*/
char *acdcInspectInstant(AcdcCtx *p, const AcdcSeqKind *pKind,
                         const AcdcVal *pV);
/* A sequence in state form as it is shown, as far as that is known. */
void acdcInspectSeq(sqlite3_context *pCtx, const AcdcSeqKind *pKind,
                    const AcdcVal *pV);

/* What is known of a key, or of the whole target. */
typedef struct AcdcKnown AcdcKnown;
struct AcdcKnown {
  AcdcVal seq;           /* As shown, or in state form; may be NULL */
  const char *zKind;     /* "upsert", "delete", "truncate", ...  Static */
  u8 bShown;             /* It is in the target */
  const AcdcVal *aVal;   /* Its values, or NULL */
  const AcdcBits *pMask; /* Which of them it authored; NULL for all */
  AcdcVal run;           /* Start of the version it lies in, or NULL */
  AcdcVal sys;           /* Bitemporal: system sequence, else NULL */
};

/*
** Walk what is known, key by key in key order, by sequence within a key; first
** of all what holds for the whole target, with pKey NULL.
*/
typedef struct AcdcWalk AcdcWalk;
struct AcdcWalk {
  AcdcInspect in;
  AcdcHist hist;
  AcdcArena arena;       /* For the key at hand (SCD1), or the whole target */
  sqlite3_stmt *pKeys;   /* The keys.  Owned */
  sqlite3_stmt *pBit;    /* Events of one key (bitemporal).  Owned */
  u8 bHead;              /* The rows at hand are those of the whole target */
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcKnown *a;          /* Owned */
  int n, nAlloc, i;      /* Of the key at hand; current one */
};
/* pKey: walk that key only, else NULL.  Positions on the first row. */
void acdcWalkOpen(AcdcCtx *p, AcdcWalk *pW, const char *zSchema,
                  const char *zName, const AcdcVal *pKey);
int acdcWalkEof(const AcdcWalk *pW);
void acdcWalkNext(AcdcWalk *pW);
void acdcWalkClose(AcdcWalk *pW);

/*
** check.c: what is broken between target and state, one problem at a time.
*/
typedef struct AcdcCheck AcdcCheck;
struct AcdcCheck {
  AcdcCtx *p;            /* Not owned */
  AcdcInspect in;
  AcdcNames problems;    /* Short names ... */
  AcdcNames sql;         /* ... and the queries that find them */
  int i;                 /* Current query */
  sqlite3_stmt *pStmt;   /* It stands on a problem: key columns, sequence,
                         ** detail.  Owned */
  u8 bEof;
};
void acdcCheckOpen(AcdcCtx *p, AcdcCheck *pC, const char *zSchema,
                   const char *zName);
void acdcCheckNext(AcdcCheck *pC);
void acdcCheckClose(AcdcCheck *pC);

/*
** vacuum.c: forget what lies below a sequence (as shown), or below one that is
** chosen if pBefore is NULL.  Inside the caller's transaction.  Returns a
** sentence to show, owned by the caller.
*/
char *acdcVacuum(AcdcInspect *pI, const AcdcVal *pBefore);

#endif /* ACDC_INSPECT_H */
