/*
** What the files of a history's merge share: scd2.c merges new events,
** scd2cut.c cuts what is open at new truncates.
*/
#ifndef ACDC_SCD2INT_H
#define ACDC_SCD2INT_H

#include "history.h"

/* An event in the window. */
typedef struct AcdcWinEvent AcdcWinEvent;
struct AcdcWinEvent {
  AcdcHistEvent h;
  AcdcVal *aEff;         /* Values with what is inherited */
  u8 bNew;               /* New, or changed by a tie, in this batch */
  u8 bChanged;           /* A known event whose values have changed */
  u8 bCut;               /* A truncate is at its sequence */
  int iMark;             /* The truncate behind it to put in, or -1 */
};

/* A row of the target, as it is or as it shall be. */
typedef struct AcdcWinRow AcdcWinRow;
struct AcdcWinRow {
  AcdcSeq start;
  AcdcVal rawStart;      /* Old rows: as the table has it */
  u8 bEnd;
  AcdcSeq end;
  const AcdcVal *aVal;
};

/* A target row that this call has written. */
#define ACDC_WIN_TOUCH 32    /* clusters ascend: older rows are not met again */
typedef struct AcdcWinTouch AcdcWinTouch;
struct AcdcWinTouch {
  AcdcSeq start;
  u8 eWhat;              /* TOUCH_*: against the table before the call */
  u64 iWas;              /* Digest of the row before the call */
};

typedef struct AcdcScd2 AcdcScd2;
struct AcdcScd2 {
  AcdcMerge *pM;         /* Not owned */
  AcdcCtx *p;            /* Not owned */
  AcdcArena arena;       /* For the events of a group */
  AcdcHist hist;
  const AcdcVal *aKey;   /* The key at hand.  Not owned */
  const AcdcEvent *aEv;  /* Its new events, by sequence.  Not owned */
  int nEv, iEv;          /* iEv is the next one that no window has had */
  int bTail;             /* Nothing known lies behind the window */
  AcdcWinEvent *a;       /* The window.  Owned */
  int n, nAlloc;
  int bSplit;            /* Not all events of the key are in aEv */
  int bFirst;            /* It is the key's first cluster */
  int bCutToo;           /* A truncate cuts rows of the key beside its windows */
  AcdcSeq **apMark;      /* New truncates in order, where the target had rows.
                         ** Owned */
  int bOnce;             /* The key has one cluster: no row is written twice */
  int bBound;            /* Its last event is a known one that stays as it is */
  AcdcWinTouch aTouch[ACDC_WIN_TOUCH]; /* Rows of the key written last, newest
                         ** first */
  int nTouch;
  AcdcArena touch;       /* Bytes of their sequences */
  AcdcWinRow *aOld, *aNew;   /* Owned */
  int nOld, nNew, nOldAlloc, nNewAlloc;
};

/* scd2.c */
int acdcWinCmp(const AcdcScd2 *pS, const AcdcSeq *pA, const AcdcSeq *pB);
/* Put a known event at the end of the window. */
void acdcWinPushKnown(AcdcScd2 *pS, const AcdcHistEvent *pH);
/* Put the truncates in that fall behind event iFrom or later ones. */
void acdcWinAddMarks(AcdcScd2 *pS, int iFrom);
/* Write what the window's events change. */
void acdcWinApply(AcdcScd2 *pS);
/* Other rows are touched from now on: of another key. */
void acdcWinTouchReset(AcdcScd2 *pS);

/* scd2cut.c */
/* Put the new truncates in order; before anything is merged. */
void acdcCutOpen(AcdcScd2 *pS);
/* Cut the key at hand at the new truncates from number i on. */
void acdcCutKey(AcdcScd2 *pS, int i);
/* Cut all keys. */
void acdcCutAll(AcdcScd2 *pS);

#endif /* ACDC_SCD2INT_H */
