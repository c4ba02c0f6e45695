/*
** Bitemporal history (semantics.md 7), see bitemporal.c.
*/
#ifndef ACDC_BITEMPORAL_H
#define ACDC_BITEMPORAL_H

#include "merge.h"
#include "history.h"

/*
** An event with its place on both axes.  Known events have a row in table
** autocdc_event_<id>, new ones get one:
**
**   HID_DELETE   a delete
**   HID_SHOWN    an upsert; the target row that starts at both its sequences
**                has its values
**   HID_MEMBER   an upsert with its values
*/
typedef struct AcdcBitEvent AcdcBitEvent;
struct AcdcBitEvent {
  AcdcEvent ev;          /* Values as authored */
  AcdcSeq sys;           /* System sequence */
  u8 eWas;               /* Its row in the event table, ACDC_HID_* */
  u8 eForm;              /* The row that it shall have */
  u8 bNew;               /* New, or changed by a tie, in this batch */
  u8 bSeen;              /* It has changed what the table shows */
  int iPos;              /* Place among the window's business sequences */
  int iTime;             /* Place among its system sequences; -1: before them */
};

/* A row of the target, as it is or as it shall be. */
typedef struct AcdcBitRow AcdcBitRow;
struct AcdcBitRow {
  AcdcSeq start, end;
  AcdcSeq sys, sysEnd;
  u8 bEnd, bSysEnd;      /* end and sysEnd are not NULL */
  AcdcVal rawStart;      /* Old rows: start and sys as the table has them */
  AcdcVal rawSys;
  const AcdcVal *aVal;
};

/* A growing array of pointers. */
typedef struct AcdcBitList AcdcBitList;
struct AcdcBitList {
  void **ap;             /* The array is owned, what it points to is not */
  int n, nAlloc;
};
void acdcBitListAdd(AcdcCtx *p, AcdcBitList *pL, void *pItem);
/* Stable. */
void acdcBitListSort(AcdcCtx *p, AcdcBitList *pL, void *pArg,
                     int (*xCmp)(void*, const void*, const void*));

/*
** A stretch of the business axis of one key, at system sequences from sysMin
** on.  Its first and its last event may be bounds: beyond a bound nothing is
** known that was known before the bound was, or the bound was known before
** sysMin.  So the new events have no neighbours beyond it at any time; what
** lies there stays as it is, and tells only where the rows of the bounds begin
** and end.
*/
typedef struct AcdcBitWin AcdcBitWin;
struct AcdcBitWin {
  AcdcMerge *pM;         /* Not owned */
  const AcdcVal *aKey;   /* Not owned */
  AcdcArena arena;       /* Events and rows of the key at hand */
  AcdcSeq sysMin;
  u8 bTail;              /* Nothing is known behind the left bound */
  u8 bLeft, bRight;      /* There are bounds ... */
  AcdcSeq left, right;   /* ... at these sequences */
  AcdcBitList ev;        /* AcdcBitEvent, by sequence and system sequence */
  AcdcBitList old;       /* AcdcBitRow of the target, by start and sys */
  AcdcBitList rows;      /* AcdcBitRow: what there shall be.  Likewise */
};

/* bitsweep.c: from ev and old make rows, and eForm and bSeen of ev. */
void acdcBitSweep(AcdcBitWin *pW);
int acdcBitCmp(const AcdcBitWin *pW, const AcdcSeq *pA, const AcdcSeq *pB);
int acdcBitSysCmp(const AcdcBitWin *pW, const AcdcSeq *pA, const AcdcSeq *pB);
int acdcBitRowCmp(void *pWin, const void *pA, const void *pB);
/* Equal and of equal class: 1.0 differs from 1. */
int acdcBitSameVals(const AcdcMerge *pM, const AcdcVal *a, const AcdcVal *b);
/* Error: target and event table contradict each other. */
void acdcBitDamaged(AcdcMerge *pM);
/* The target's row that starts at both, of old; or NULL. */
AcdcBitRow *acdcBitOldRow(const AcdcBitWin *pW, const AcdcSeq *pStart,
                          const AcdcSeq *pSys);

/*
** bitstore.c: statements on the target and its event table.  New rows wait in
** a buffer until the flush; a caller flushes before it reads the key again.
*/
typedef struct AcdcBitStore AcdcBitStore;
AcdcBitStore *acdcBitStoreNew(AcdcMerge *pM);
void acdcBitStoreFree(AcdcCtx *p, AcdcBitStore *pB);
void acdcBitStoreFlush(AcdcMerge *pM, AcdcBitStore *pB);

/* The key's greatest known sequence; 0 if the key is unknown. */
int acdcBitLast(AcdcBitWin *pW, AcdcBitStore *pB, AcdcSeq *pOut);
/*
** The nearest sequence before or after *pSeq that can be a bound; 0 if nothing
** is known there.  Under partial updates the one after is one that inherits
** nothing, or there is none.  pNear: the one just before, if it is known.
*/
int acdcBitBefore(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcSeq *pSeq,
                  const AcdcSeq *pNear, AcdcSeq *pOut);
int acdcBitAfter(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcSeq *pSeq,
                 AcdcSeq *pOut);
/* Fill ev with the known events from bound to bound (of those before sysMin
** the last one of each sequence, unless updates may be partial), and old with
** the rows that they are in. */
void acdcBitLoad(AcdcBitWin *pW, AcdcBitStore *pB);

void acdcBitEventPut(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitEvent *pE);
/* The row no longer shows the event that began it, if it did: keep its values
** with the event.  For events outside of the window. */
void acdcBitEventValues(AcdcBitWin *pW, AcdcBitStore *pB,
                        const AcdcBitRow *pOld);
void acdcBitInsert(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitRow *pRow);
void acdcBitUpdate(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitRow *pOld,
                   const AcdcBitRow *pNew);
void acdcBitDelete(AcdcBitWin *pW, AcdcBitStore *pB, const AcdcBitRow *pOld);

#endif /* ACDC_BITEMPORAL_H */
