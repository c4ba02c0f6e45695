/*
** Merging: events in key and sequence order, reduced per key and written to
** target and state.  semantics.md is the law; each of its rules has one home:
**
**   keycode.c     equality and order of keys                        (1.3)
**   record.c      how an event's values are held in memory and in state
**   sorter.c      events into (key, sequence, arrival) order, memory bounded
**   collect.c     log rows to events: conditions, NULLs, authorship (1, 5)
**   collector.c   the same for rows that come one by one
**   tie.c         two events of one key at one sequence             (2.6)
**   target.c      the target table: made, adopted, evolved          (1.4, 9)
**   state.c       what is remembered beside it; frozen settings     (1.6)
**   feed.c        many rows into one statement
**   write.c       statements that read and write target and state
**   scd1.c        current state, whole rows                         (3)
**   scd1batch.c   the same for many keys at a time
**   partial.c     current state, per column                         (3.2, 5)
**   history.c     the known events around a sequence
**   scd2.c        versions, runs, tombstones                        (4, 5)
**   scd2cut.c     truncates that come to a history                  (4.5)
**   snapshot.c    a whole table against what the target shows       (6)
**   push.c        rows that come one by one, by INSERT
**   bitemporal.c  versions on two axes of time                      (7)
**   bitsweep.c    the rows that a stretch of such a history has
**   bitstore.c    statements on bitemporal targets and their events
**   merge.c       one merge from log to target
**   inspect.c     what is known of a target, key by key
**   check.c       what is broken between target and state
**   vacuum.c      forgetting what can no longer matter              (9.4)
*/
#ifndef ACDC_MERGE_H
#define ACDC_MERGE_H

#include "../core/core.h"
#include "../sequence/sequence.h"
#include "../flow/flow.h"
#include "../source/source.h"

#define ACDC_MAXKEY   64        /* key columns, at most */
#define ACDC_MASK_MAX 256       /* bytes of a set of columns, at most: 2000 columns */
#define ACDC_START    "__START_AT"
#define ACDC_END      "__END_AT"
#define ACDC_SYSSTART "__SYSTEM_START_AT"     /* bitemporal only */
#define ACDC_SYSEND   "__SYSTEM_END_AT"

/* Kinds of events, as they are stored */
#define ACDC_UPSERT    0
#define ACDC_DELETE    1
#define ACDC_TRUNCATE  2

/*
** A set of value columns, one bit a slot.
*/
typedef struct AcdcBits AcdcBits;
struct AcdcBits {
  int nByte;
  u8 bRest;              /* All slots behind them: columns that join later */
  u8 *a;                 /* Memory as the holder says */
};
#define acdcBit(B,i)     ((i)/8<(B)->nByte ? (B)->a[(i)/8]>>((i)&7) & 1 \
                                           : (B)->bRest)
#define acdcBitSet(B,i)  ((B)->a[(i)/8] |= (u8)(1<<((i)&7)))

/* What a run reports; see design.md 1.1. */
typedef struct AcdcCounts AcdcCounts;
struct AcdcCounts {
  i64 nRead;             /* rows_read */
  i64 nFiltered;         /* rows that where left out */
  i64 nRejected;         /* dropped, quarantined or header rows */
  i64 nInserted;
  i64 nUpdated;
  i64 nDeleted;
  i64 nUnchanged;
  i64 nLate;
  i64 nTie;
};

/* One key column. */
typedef struct AcdcKeyCol AcdcKeyCol;
struct AcdcKeyCol {
  const char *zName;     /* As the target has it.  Owned by AcdcTable */
  int iTgt;              /* Column of the target */
  int iSrc;              /* Column of the source, or -1 */
  char cAff;             /* Affinity of the target's column */
  u8 bCollate;           /* Its collation is not BINARY */
};

/* One value column: any column of the target that is no key and no
** __START_AT and the like, and that some flow writes. */
typedef struct AcdcValCol AcdcValCol;
struct AcdcValCol {
  char *zName;           /* Owned */
  int iTgt;              /* Column of the target, or -1 if it was dropped */
  int iSrc;              /* Column of the source, or -1: not emitted */
  char cAff;             /* Affinity of the target's column */
  u8 bConvert;           /* Apply cAff to source values */
  u8 bTracked;
  u8 bIgnoreNull;        /* A NULL here is not authored */
};

/*
** An event of one key.  Bytes of keys, sequence and values live as long as
** the group (AcdcGroup) or arena it came from.
*/
typedef struct AcdcEvent AcdcEvent;
struct AcdcEvent {
  AcdcSeq seq;
  u8 eKind;              /* ACDC_UPSERT or ACDC_DELETE */
  u8 bOld;               /* Known before this call */
  u8 bSeqNull;           /* Older than every sequence (row of the user's) */
  u8 bAlone;             /* It replaced a delete at its own sequence, which had
                         ** replaced what stood there before */
  int iGen;              /* Emitted set, index into AcdcState.aGen */
  AcdcBits mask;         /* Authored value columns (upserts) */
  AcdcVal *aVal;         /* nVal values; NULL pointer for deletes */
  const u8 *pSys;        /* ACDC_REC_SYS: its two values in the record */
};

typedef struct AcdcSorter AcdcSorter;
typedef struct AcdcState AcdcState;
typedef struct AcdcWriter AcdcWriter;
typedef struct AcdcMerge AcdcMerge;
typedef struct AcdcSnap AcdcSnap;

/*
** AcdcState.eScd of targets that no merge writes: nothing is known of their
** rows but how far each source was read.
*/
#define ACDC_APPENDED  4     /* flows append to it */
#define ACDC_REBUILT   5     /* a materialized view */
#define acdcKeyless(eScd)  ((eScd)>=ACDC_APPENDED)

/*
** What the catalog knows of a target; row of autocdc_targets.
*/
struct AcdcState {
  i64 iId;               /* Key in autocdc_targets; 0: not yet there */
  u8 eScd;               /* ACDC_SCD1 ..., or ACDC_APPENDED ... */
  char *zKeys;           /* Key columns in the order of k1, k2, ...; ASCII unit
                         ** separators between.  Owned */
  char *zTrack;          /* Tracking rule as text: "", "+a,b" or "-c". Owned */
  AcdcSeqKind kind;
  AcdcSeqKind sysKind;   /* Of the system sequence; nPart 0: there is none */
  u8 bNullKeys;
  AcdcNames slots;       /* Value columns ever written, in slot order */
  int nGen;              /* Emitted sets seen */
  AcdcBits *aGen;        /* Owned, as are their bytes */
  u8 bMade;              /* We made the target */
  u8 bSnapshot;          /* Fed by snapshots: its versions are in
                         ** autocdc_versions, and no events are kept */
  u8 bPartial;           /* Per-column authors are kept: 1 since the first flow,
                         ** 2 since a later one */
  u8 bEvents;            /* Table autocdc_event_<id> exists */
  u8 bHidden;            /* SCD2: that table may have rows */
  u8 bAdopted;           /* Rows that were there were taken in */
  char *zKept;           /* SCD1: column of the target that holds the sequence
                         ** of each row, so that no state repeats it; NULL:
                         ** none.  Owned */
  AcdcVal floor;         /* Vacuum floor in state form; NULL: none */
  char *zFloor;          /* Bytes of floor.  Owned */
  int nMark;             /* Truncate marks, ascending (SCD1: the last only) */
  AcdcSeq *aMark;        /* In arena */
  AcdcArena arena;       /* Bytes of the marks */
};

/*
** One merge: a flow, its source and its target.
*/
struct AcdcMerge {
  AcdcCtx *p;            /* Not owned */
  const AcdcFlow *pFlow; /* Not owned */
  AcdcSource *pSrc;      /* Not owned */
  AcdcTable tgt;         /* The target */
  char *zTgtSql;         /* "schema"."table".  Owned */
  int nKey;
  AcdcKeyCol aKey[ACDC_MAXKEY];
  int nVal;
  AcdcValCol *aVal;      /* Owned */
  const AcdcValCol *pKept; /* The column AcdcState.zKept, or NULL */
  u8 bSeqOther;          /* The batch has sequences that are no INTEGER */
  int iStart, iEnd;      /* Columns __START_AT, __END_AT of the target, or -1 */
  int iSysStart, iSysEnd;/* The same for the system axis */
  u8 bIntKey;            /* One key column that holds integers only */
  u8 bCollate;           /* Some key column's collation is not BINARY */
  u8 bMemory;            /* The sorter has written no run to its file */
  u8 bStay;              /* Values of the sorter stay where they are until the
                         ** end: buffers need no copies */
  u8 bNative;            /* __START_AT in plain order is in sequence order */
  u8 bForeign;           /* Target had rows that no flow of ours wrote */
  u8 bRowMode;           /* Target has triggers, foreign keys, NULL keys, or as
                         ** many columns as there may be:
                         ** plain INSERT, UPDATE and DELETE of one row each */
  u8 bUpsert;            /* Target is as we made it: its PRIMARY KEY is known,
                         ** so rows may be written by INSERT ... ON CONFLICT */
  u8 bExtra;             /* Target has columns that no flow writes */
  u8 bNewTarget;         /* Made by this call */
  u8 bEmptyTarget;       /* Has no row and no state */
  u8 bPartial;           /* Events may author part of the columns */
  int iGen;              /* Emitted set of this flow */
  AcdcBits emit;         /* The same as bits; bytes owned */
  AcdcBits fullMask;     /* What an event authors that leaves nothing out:
                         ** emit, and in SCD2 what is NULL because no column
                         ** gives it.  Bytes owned */
  AcdcBits allMask;      /* Every value column.  Bytes owned */
  int nNewMark;          /* Truncates of this batch ... */
  AcdcSeq *aNewMark;     /* ... owned; their bytes in arena */
  AcdcState st;
  AcdcWriter *pW;        /* Owned */
  AcdcSorter *pSorter;   /* Owned */
  AcdcCounts n;
  AcdcSeq seqFrom, seqTo;/* Smallest and largest sequence of the batch */
  u8 bSeqSeen;
  AcdcArena arena;       /* Lives as long as the merge */
  AcdcSeq floor;         /* Vacuum floor ... */
  u8 bFloor;             /* ... if there is one */
  AcdcNames notes;       /* Sentences for the message of the result row */
  u8 bWarn;              /* status is "warning" */
  i64 nQuarantine;       /* Rows that are left for the quarantine table */
  char *zExpect;         /* Violations of each expectation, a JSON object; NULL
                         ** without expectations.  Owned */
  i64 iLastRowid;        /* Greatest rowid read, 0 if none */
  i64 nMemory;           /* Bytes the sorter may hold */
  char *zFirstTie;       /* Text of the first tie, for the warning.  Owned */
  AcdcSeq version;       /* Of a snapshot; its bytes in arena */
  u8 eSkip;              /* ACDC_SKIP_*: the snapshot is not applied */
  AcdcSnap *pSnap;       /* A snapshot that is being read.  Owned */
};

/* AcdcMerge.eSkip */
#define ACDC_SKIP_VERSION  1   /* not above the last one applied */
#define ACDC_SKIP_EMPTY    2   /* on_empty_snapshot is "skip" */
#define ACDC_SKIP_STOP     3   /* it is "stop": later versions must wait */

/* keycode.c */
int acdcKeyCode(const AcdcVal *aKey, int nKey, u8 *aOut); /* bytes written */
int acdcKeyCodeMax(const AcdcVal *aKey, int nKey);        /* bytes needed */

/* record.c */
int acdcRecSize(const AcdcVal *pV);
u8 *acdcRecPut(u8 *a, const AcdcVal *pV);
const u8 *acdcRecGet(const u8 *a, AcdcVal *pV);           /* borrows bytes */
/* As acdcRecGet() for bytes from a table: NULL past aEnd or if malformed. */
const u8 *acdcRecGetSafe(const u8 *a, const u8 *aEnd, AcdcVal *pV);
u8 *acdcVarintPut(u8 *a, u64 v);
const u8 *acdcVarintGet(const u8 *a, u64 *pv);

/*
** sorter.c: events by (a, b, rest of key, rest of sequence, arrival).
** An entry has two 64-bit words and a record.
**
** Record of a key that is no integer, or a sequence that is none, begins with
** the bytes to compare, see ACDC_REC_*.
*/
#define ACDC_REC_KIND     0x03   /* ACDC_UPSERT .. */
#define ACDC_REC_KEY      0x04   /* varint n, n key bytes follow */
#define ACDC_REC_SEQ      0x08   /* varint n, n sequence bytes follow */
#define ACDC_REC_SHOWN    0x10   /* the sequence as it is shown follows */
#define ACDC_REC_MASK     0x20   /* set of the columns that it authors */
#define ACDC_REC_SYS      0x40   /* system sequence: state form, then shown */
typedef struct AcdcEntry AcdcEntry;
struct AcdcEntry {
  u64 a;                 /* Key: integer ^ 2^63, or 8 bytes of its code */
  u64 b;                 /* Sequence: integer ^ 2^63, or 8 bytes of its code */
  const u8 *pRec;
};
AcdcSorter *acdcSorterNew(AcdcCtx *p, i64 nMemory, const AcdcSeqKind *pKind);
void acdcSorterFree(AcdcSorter *pS);
/* Room for a record of n bytes, to be filled in at once. */
u8 *acdcSorterAdd(AcdcCtx *p, AcdcSorter *pS, u64 a, u64 b, int n);
/* Tell what the codes in that record are, once it is filled in. */
void acdcSorterCodes(AcdcSorter *pS, const u8 *aKey, int nKey, int bSeqCode);
/*
** When memory is short, xReduce sees the n>1 entries of a key, in order, and
** clears aKeep[] of those that cannot matter (SCD1).
*/
void acdcSorterReduce(AcdcSorter *pS, void *pArg,
    void (*xReduce)(void*, const AcdcEntry *aE, int n, u8 *aKeep));
void acdcSorterFinish(AcdcCtx *p, AcdcSorter *pS);
/*
** The next entries of one key, at most nMax; 0 at the end.  They are good
** until the next call.  *pbMore: the key has more of them.
*/
int acdcSorterGroup(AcdcCtx *p, AcdcSorter *pS, int nMax,
                    const AcdcEntry **paOut, int *pbMore);
i64 acdcSorterCount(AcdcSorter *pS);
int acdcSorterInMemory(const AcdcSorter *pS);   /* nothing was spilled */

/* merge.c */
typedef struct AcdcMergeOpts AcdcMergeOpts;
struct AcdcMergeOpts {
  i64 iAfter;            /* Read rows with a greater rowid only */
  u8 bAfter;             /* iAfter is given */
  i64 nMemory;           /* Bytes for sorting; 0: default */
};
/* Open, run and close one merge.  Open resolves names and settings and makes
** or changes the tables; Run reads and merges. */
void acdcMergeOpen(AcdcCtx *p, AcdcMerge *pM, const AcdcFlow *pFlow, AcdcSource *pSrc);
void acdcMergeRun(AcdcMerge *pM, const AcdcMergeOpts *pOpts);
void acdcMergeClose(AcdcMerge *pM);
/* Is the plain order of target column iCol, a start, the sequence order? */
int acdcStartNative(AcdcMerge *pM, int iCol, const AcdcSeqKind *pKind);
/* The parts of acdcMergeRun(), for events that are pushed: what holds once the
** class of the sequence is known; the sorted events to target and state. */
void acdcMergeFacts(AcdcMerge *pM);
void acdcMergeApply(AcdcMerge *pM);
void acdcMergeNote(AcdcMerge *pM, int bWarn, const char *zFmt, ...);

/*
** push.c: events that are pushed row by row, by INSERT, instead of being read
** from a source.  SCD2 and bitemporal only.
**
** acdcPushRow() takes the values of a row of the columns given at the start
** (protected values, as xUpdate has them; they need not outlive the call).  It
** raises every error that data can cause, and before anything is written; the
** event then waits.  acdcPushFlush() merges what waits, and can fail on input
** and output only.  After a rollback of what was flushed the object is of no
** more use: it is closed, and opened again.
*/
typedef struct AcdcPush AcdcPush;
AcdcPush *acdcPushOpen(AcdcCtx *p, const AcdcFlow *pFlow, const AcdcTable *pCols,
                       const char *zLabel);
void acdcPushClose(AcdcPush *pP);
/* iRow: number of the row for messages */
void acdcPushRow(AcdcPush *pP, sqlite3_value **apVal, i64 iRow);
void acdcPushFlush(AcdcPush *pP);
int acdcPushWaits(const AcdcPush *pP);
/* True if each row has to be flushed before the next one is pushed. */
int acdcPushOneByOne(const AcdcPush *pP);
AcdcMerge *acdcPushMerge(AcdcPush *pP);
int acdcPushRegister(sqlite3 *db);

/* target.c: names and settings of a flow against source and target. */
void acdcTargetOpen(AcdcMerge *pM);
/* The tracked columns by a stored rule ("", "+a,b", "-c"), of those that some
** flow emits; sets bTracked. */
void acdcTargetTrack(AcdcMerge *pM, const char *zRule);

/* state.c */
int acdcBitsEqual(const AcdcBits *pA, const AcdcBits *pB);
/*
** What an event of a history authored of which no set is recorded: all columns,
** also ones that join later (9.1: they are NULL); under partial updates from
** the first flow on, that flow's columns.
*/
const AcdcBits *acdcDefaultMask(const AcdcMerge *pM);
/*
** Read the catalog row of schema.target.  Returns 0 if there is none (iId is 0
** then).  pSt is zeroed first and cleared by acdcStateClear().
*/
int acdcStateLoad(AcdcCtx *p, const char *zSchema, const char *zTarget, AcdcState *pSt);
void acdcStateClear(AcdcState *pSt);
/* Write the catalog row (making the catalog tables if need be). */
void acdcStateSave(AcdcCtx *p, const char *zSchema, const char *zTarget, AcdcState *pSt);
/* Make the table of last sequences (SCD1) or of events. */
void acdcStateMakeTables(AcdcMerge *pM);
void acdcStateMakeEvents(AcdcMerge *pM);
/*
** What decides each key (AcdcLast) as a table expression with columns k1, ...,
** seq, kind: the state table, or that and the target.  Owned by the caller.
*/
char *acdcStateLastSql(AcdcMerge *pM);
/* The target keeps the sequences no longer: write them to the state. */
void acdcStateUnkeep(AcdcMerge *pM);
/* Forget rows, marks and checkpoints of a target; its catalog row too. */
void acdcStateForget(AcdcCtx *p, const char *zSchema, AcdcState *pSt);
/* Names with ASCII unit separators between, as the catalog keeps lists. */
void acdcStateNames(AcdcCtx *p, const char *z, AcdcNames *pOut);
/* Slot of a value column, added if it is new. */
int acdcStateSlot(AcdcCtx *p, AcdcState *pSt, const char *zName);
/* Index of an emitted set, added if it is new. */
int acdcStateGen(AcdcCtx *p, AcdcState *pSt, const AcdcBits *pEmit);
/* Write the truncates of the batch, and read all. */
void acdcStateAddMarks(AcdcMerge *pM);
void acdcStateLoadMarks(AcdcCtx *p, const char *zSchema, AcdcState *pSt);
/* Index of the first truncate at or after a sequence; nMark if there is none */
int acdcStateMarkFrom(const AcdcState *pSt, const AcdcSeq *pSeq);
/*
** Snapshots: the greatest version applied so far (returns 0 if there is none;
** bytes in pA), and one that now is.
*/
int acdcStateVersionLast(AcdcCtx *p, const char *zSchema, AcdcState *pSt,
                         AcdcArena *pA, AcdcSeq *pOut);
void acdcStateVersionPut(AcdcMerge *pM, const AcdcSeq *pSeq);
/* Row of the catalog table is there at all? */
int acdcStateHasCatalog(AcdcCtx *p, const char *zSchema);

/* collect.c */
int acdcCollectRegister(sqlite3 *db);
void acdcCollect(AcdcMerge *pM, const AcdcMergeOpts *pOpts);
/*
** The same for rows that come one by one (push.c): each goes to pM->pSorter,
** either directly or by a run of the statement, whose parameter 1 the caller
** binds to what gives that one row.  An error is raised at once, and then
** nothing was handed over.  iRow is the number that messages show.
*/
typedef struct AcdcCollector AcdcCollector;
AcdcCollector *acdcCollectorNew(AcdcMerge *pM);
void acdcCollectorFree(AcdcCollector *pC);
sqlite3_stmt *acdcCollectorStmt(AcdcCollector *pC);
void acdcCollectorRow(AcdcCollector *pC, sqlite3_value **apVal, i64 iRow);
int acdcCollectorRegister(sqlite3 *db);
/*
** An entry of the sorter as an event; key values to aKey[nKey] if not NULL.
** Values are decoded into pM's group arena.
*/
void acdcEventRead(AcdcMerge *pM, AcdcArena *pA, const AcdcEntry *pE,
                   AcdcVal *aKey, AcdcEvent *pEv);

/* Only the order of its sequence (no shown form). */
void acdcEntrySeq(const AcdcEntry *pE, AcdcSeq *pSeq);

/* tie.c */
/*
** pNew arrives at the key and sequence of pOld, which stands.  Resolve into
** pOld (semantics.md 2.6) by tie_break.  Returns what became of pNew:
*/
#define ACDC_TIE_SAME   0      /* that event again */
#define ACDC_TIE_KEPT   1      /* pOld stands as it was, pNew lost */
#define ACDC_TIE_TOOK   2      /* pOld now has pNew's kind or values */
int acdcTieResolve(AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey,
    AcdcEvent *pOld, const AcdcEvent *pNew);
/* True if both are one event: same kind, equal values where pNew authors. */
int acdcTieSame(const AcdcMerge *pM, const AcdcEvent *pOld, const AcdcEvent *pNew);
/* Count a tie; with tie_break "error" fail, naming key and sequence. */
void acdcTieCount(AcdcMerge *pM, const AcdcVal *aKey, const AcdcSeq *pSeq);

/* feed.c: rows for one INSERT ... SELECT */
typedef struct AcdcFeed AcdcFeed;
struct AcdcFeed {
  int nCol;
  int nRow, nAlloc;
  int iRow;              /* Row that a statement reads now; -1: none yet */
  AcdcVal *aVal;         /* nRow times nCol values.  Owned */
  AcdcArena arena;       /* For bytes that would not stay */
  i64 nByte;             /* Bytes copied to it */
};
int acdcFeedRegister(sqlite3 *db);
const char *acdcFeedModule(int nCol);   /* the one for feeds of nCol columns */
void acdcFeedInit(AcdcFeed *pF, int nCol);
void acdcFeedClear(AcdcFeed *pF);
AcdcVal *acdcFeedAdd(AcdcCtx *p, AcdcFeed *pF);   /* nCol values to fill in */
void acdcFeedReset(AcdcFeed *pF);
int acdcFeedBind(sqlite3_stmt *pStmt, int i, AcdcFeed *pF);
/* Name the target and the key at hand in the message of an error (write.c). */
void acdcFeedWhere(AcdcMerge *pM, const AcdcFeed *pF);

/*
** write.c: all statements on target and state.  Rows that are new may wait in
** a buffer until acdcWriterFlush(); a caller that reads a key it has written
** flushes first.  Values may be borrowed until then only if bStay.
*/
AcdcWriter *acdcWriterNew(AcdcMerge *pM);
void acdcWriterFree(AcdcCtx *p, AcdcWriter *pW);
void acdcWriterFlush(AcdcMerge *pM);
/* "key"=?1 AND ..., of the target, or k1=?1 of a state table.  Owned by caller */
char *acdcKeyMatch(AcdcMerge *pM, int bState);
/* INSERT ... SELECT from a feed (parameter 1: keys, start, end, values) that
** updates rows which are there and differ; bAlways: all that are there (SCD2
** always does).  Owned by the caller. */
sqlite3_stmt *acdcWriterUpsert(AcdcMerge *pM, int bAlways);

/* Rows of the target.  pStart, pEnd: SCD2 only, else NULL.  Returns 0 if a
** trigger or a constraint of the user's has made SQLite ignore the row. */
int acdcTgtInsert(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aVal,
                  const AcdcVal *pStart, const AcdcVal *pEnd);
/* Writes value columns and end.  Returns 1 if the row was there and changed. */
int acdcTgtUpdate(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aVal,
                  const AcdcVal *pStart, const AcdcVal *pEnd);
void acdcTgtEnd(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pStart,
                const AcdcVal *pEnd);
int acdcTgtDelete(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pStart);
/* Empty the columns that no flow writes, of one key or (NULL) of all rows: what
** the user put there is older than a delete.  Returns if rows have changed. */
int acdcTgtExtra(AcdcMerge *pM, const AcdcVal *aKey);

/*
** Look-ups.  Return a statement that stands on a row, or NULL; the caller
** resets it with acdcReset().  Columns: __START_AT, __END_AT (NULL in SCD1),
** then the nVal value columns.
*/
#define ACDC_LOOK_LAST  0      /* the key's last row, or its only one */
#define ACDC_LOOK_LE    1      /* last at or before pSeq */
#define ACDC_LOOK_GT    2      /* first after pSeq */
#define ACDC_LOOK_ALL   3      /* all, in order: step on */
#define ACDC_LOOK_LT    4      /* last before pSeq */
sqlite3_stmt *acdcTgtLook(AcdcMerge *pM, int eLook, const AcdcVal *aKey,
    const AcdcVal *pSeq);
/* Columns: seq, kind, mask, vals, shown. */
sqlite3_stmt *acdcEventLook(AcdcMerge *pM, int eLook, const AcdcVal *aKey,
    const AcdcVal *pSeq);
void acdcEventPut(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pSeq, int eKind,
                  const AcdcBits *pMask, const AcdcVal *aVal, const AcdcVal *pShown);
void acdcEventDelete(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pSeq);
/* All events of a key below a sequence in state form. */
void acdcEventDeleteBelow(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pSeq);
/* Values of an event row; 0 if it is damaged (an error is set). */
int acdcEventVals(AcdcMerge *pM, AcdcArena *pA, sqlite3_stmt *pStmt, int iCol,
    AcdcVal *aVal);

/*
** What decides the row of a key (SCD1).  The last delete before an upsert that
** decides is known too: an older event must not fill a column that joins later.
** After a delete that decides, gone is that before it as far as it is known.
*/
typedef struct AcdcLast AcdcLast;
struct AcdcLast {
  AcdcSeq seq;           /* Sequence of the deciding event */
  int eKind;             /* Bit 0: a delete; the rest: its emitted set */
  u8 bGone;              /* gone is given */
  AcdcSeq gone;          /* Sequence of the last delete before it */
};
/* Returns 0 if nothing is known of the key.  Bytes in pA. */
int acdcLastRead(AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey,
                 AcdcLast *pLast);
/* pWas: what was known; NULL: nothing.  The target is written already.  Bytes in
** pA, which may be reset at once. */
void acdcLastPut(AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey,
                 const AcdcLast *pLast, const AcdcLast *pWas);
/* A delete before the upsert that decides; nothing if it is known, or if it is
** not before one. */
void acdcLastGone(AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey,
                  const AcdcSeq *pGone);

/* scd1.c, partial.c, scd2.c: walk the sorted events */
void acdcScd1Run(AcdcMerge *pM);
void acdcScd1Reduce(AcdcMerge *pM);
/*
** SCD1 per column: merge events of one key, in sequence order, one each
** sequence.  bFresh: nothing is known of the key.
*/
void acdcPartialKey(AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey,
                    AcdcEvent *aEv, int nEv, int bFresh);
/*
** Write the deciding event of a key.  bLive: the target should have a row of it.
*/
void acdcScd1Write(AcdcMerge *pM, const AcdcVal *aKey, const AcdcEvent *pEv,
                   int bLive);
/* An event at the sequence that decides now. */
void acdcScd1Tie(AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey,
                 const AcdcLast *pLast, const AcdcEvent *pEv);
/* The last of nE entries of a key that is a delete and stands against others at
** its sequence; -1 if there is none. */
int acdcScd1LastDelete(AcdcMerge *pM, const AcdcEntry *aE, int nE);

/*
** scd1batch.c: deciding events of many keys, no key twice between two flushes.
** aE: nE entries of the key that were passed over; acdcBatchFits() says if
** their sequences can be given so.
*/
typedef struct AcdcBatch AcdcBatch;
int acdcBatchRegister(sqlite3 *db);
AcdcBatch *acdcBatchNew(AcdcMerge *pM);
void acdcBatchFree(AcdcBatch *pB);            /* accepts NULL */
int acdcBatchFits(const AcdcEntry *aE, int nE);
void acdcBatchAdd(AcdcBatch *pB, const AcdcVal *aKey, const AcdcEvent *pEv,
                  const AcdcEntry *aE, int nE);
void acdcBatchFlush(AcdcBatch *pB);

/* Which of a key's entries may still count (acdcSorterReduce). */
void acdcPartialReduce(void *pArg, const AcdcEntry *aE, int n, u8 *aKeep);
/* Kind and authored columns of an entry; *pMask borrows. */
int acdcEntryMask(const AcdcMerge *pM, const AcdcEntry *pE, AcdcBits *pMask);
/* Count a tie of an entry that is passed over with the next of its key. */
void acdcScd1Pair(AcdcMerge *pM, const AcdcEntry *pGone, const AcdcEntry *pNext);
/* After a truncate: what is the user's own in rows that events wrote in part. */
void acdcPartialAdopted(AcdcMerge *pM);
/* Rows that hold values of events below a truncate (state form): fold anew. */
void acdcPartialTruncate(AcdcMerge *pM, const AcdcVal *pMark);
/* The latest truncate, or NULL. */
const AcdcSeq *acdcLastMark(const AcdcMerge *pM);
/* Is the sequence below the vacuum floor? */
int acdcBelowFloor(const AcdcMerge *pM, const AcdcSeq *pSeq);
/*
** Decode a group of entries of one key and resolve its ties: aEv gets one
** event each sequence, in order.  Returns their number.
*/
int acdcGroupEvents(AcdcMerge *pM, AcdcArena *pA, const AcdcEntry *aE, int n,
                    AcdcVal *aKey, AcdcEvent *aEv);
void acdcScd2Run(AcdcMerge *pM);
void acdcBitemporalRun(AcdcMerge *pM);
/*
** snapshot.c.  Version reads the version and decides whether the snapshot is
** applied (sets eSkip).  Begin comes before the rows are read; Seen tells of
** each whether the target shows it already (then it is dealt with; aVal has
** the nEmit values of the columns aEmit); End comes when all were read, Run
** when they are sorted.
*/
void acdcSnapshotVersion(AcdcMerge *pM);
void acdcSnapshotBegin(AcdcMerge *pM);
int acdcSnapshotSeen(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aVal,
                     const int *aEmit, int nEmit);
void acdcSnapshotEnd(AcdcMerge *pM);
void acdcSnapshotRun(AcdcMerge *pM);
void acdcSnapshotFree(AcdcCtx *p, AcdcSnap *pSnap);    /* accepts NULL */
/* "id=1, region='EU'" for messages.  Owned by the caller. */
char *acdcKeyText(AcdcMerge *pM, const AcdcVal *aKey);
char *acdcSeqText(AcdcMerge *pM, const AcdcSeq *pSeq);

#endif /* ACDC_MERGE_H */
