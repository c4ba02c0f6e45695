/*
** One run: a flow or several in one transaction, their checkpoints, and what
** is reported of them.  Knows nothing of the formats of specs.
*/
#ifndef ACDC_RUN_H
#define ACDC_RUN_H

#include "../core/core.h"
#include "../flow/flow.h"
#include "../source/source.h"
#include "../merge/merge.h"

/* A row of the result of apply_changes().  All texts are owned. */
typedef struct AcdcRunRow AcdcRunRow;
struct AcdcRunRow {
  char *zFlow;
  char *zTarget;
  const char *zStatus;   /* "ok", "warning", "skipped", "error".  Static */
  AcdcCounts n;
  char *zMessage;
  i64 nMillis;           /* Duration */
  const char *zScd;      /* "1", "2", "bitemporal".  Static */
  char *zSource;
  AcdcVal version;       /* Snapshot version or NULL; bytes in zVersion */
  char *zVersion;
  char *zExpect;         /* Violations of each rule, a JSON object, or NULL */
  u8 bStop;              /* An empty snapshot, and those after it must wait */
  AcdcVal seqFrom, seqTo;/* Bytes in zSeqFrom, zSeqTo */
  char *zSeqFrom, *zSeqTo;
};

typedef struct AcdcRunResult AcdcRunResult;
struct AcdcRunResult {
  int n, nAlloc;
  AcdcRunRow *a;         /* Owned */
};
void acdcRunResultClear(AcdcRunResult *p);
/* A new, zeroed row at the end; NULL on error. */
AcdcRunRow *acdcRunResultAdd(AcdcCtx *p, AcdcRunResult *pR);

/*
** Options that reach into a single flow's run.
*/
typedef struct AcdcRunFlowOpts AcdcRunFlowOpts;
struct AcdcRunFlowOpts {
  u8 bReadAll;           /* Sources from their start */
  u8 bUnread;            /* The reader given has what was not read before only */
  const char *zNote;     /* To be told with the row, or NULL.  Not owned */
  i64 nMemory;           /* Bytes for sorting, 0 for the default */
};

/*
** Run one checked flow inside a transaction that the caller holds, and add its
** row to pR.  pReader, if not NULL, is where the rows come from; it is taken
** over.  On an error nothing is added; the message names the flow.
*/
void acdcRunFlow(AcdcCtx *p, const AcdcFlow *pFlow, AcdcReader *pReader,
                 const AcdcRunFlowOpts *pOpts, AcdcRunResult *pR);

/*
** runfiles.c: run a checked flow whose source is files.  Change rows: each file
** once, a changed one again.  A snapshot: all files of the path; or, where the
** path has a version in it, all versions that were not applied yet, in
** ascending order, each with a row of its own.  zBase: the folder that files
** are read under, or NULL.
*/
void acdcRunFiles(AcdcCtx *p, AcdcFlow *pFlow, const char *zBase,
                  const AcdcRunFlowOpts *pOpts, AcdcRunResult *pR);

/*
** unit.c: call xRun(p, pArg, pR) inside a transaction that the caller holds.
** With bContinue (on_error) it is a unit of its own: if it fails, nothing of it
** stays, the context is cleared, and its row, or that of the flow and target
** named here, has the error.  What ends all work stays an error.
*/
void acdcRunUnit(AcdcCtx *p, int bContinue, const char *zFlow,
                 const char *zTarget,
                 void (*xRun)(AcdcCtx*, void*, AcdcRunResult*), void *pArg,
                 AcdcRunResult *pR);

/* Milliseconds since some fixed day. */
i64 acdcRunClock(void);

/* Write the rows of a result to autocdc_runs of a schema. */
void acdcRunLog(AcdcCtx *p, const char *zSchema, const AcdcRunRow *pRow);

/* quarantine.c: put the rows that the merge has kept for it into the quarantine
** table of the target. */
void acdcRunQuarantine(AcdcMerge *pM, const AcdcMergeOpts *pOpts);

/* checkpoint.c: how far a flow has read a source. */
typedef struct AcdcCheckpoint AcdcCheckpoint;
struct AcdcCheckpoint {
  u8 bUse;               /* The source is read from iAfter on */
  i64 iAfter;
  u8 bKnown;             /* There was a checkpoint */
  u8 bDone;              /* once: has run */
};
/* bUnread: rows read before are not among those that the source gives. */
void acdcCheckpointLoad(AcdcMerge *pM, int bReadAll, int bUnread,
                        AcdcCheckpoint *pOut);
void acdcCheckpointSave(AcdcMerge *pM, const AcdcCheckpoint *pC);

/* reset.c: forget a target.  Returns a sentence to show, owned by the caller */
char *acdcResetTarget(AcdcCtx *p, const char *zTarget);
/* Schema and name of a target that has state; 0 with an error that lists the
** candidates if there is none.  Both texts are owned by the caller. */
int acdcFindTarget(AcdcCtx *p, const char *zTarget, char **pzSchema, char **pzName);

/* vacuum.c: forget what lies below a sequence, or below a chosen one if pBefore
** is NULL (semantics.md 9.4).  Returns a sentence to show, owned by the caller */
char *acdcVacuumTarget(AcdcCtx *p, const char *zTarget, const AcdcVal *pBefore);

#endif /* ACDC_RUN_H */
