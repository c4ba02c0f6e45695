/*
** The known events of one key (SCD2).  See history.c.
*/
#ifndef ACDC_HISTORY_H
#define ACDC_HISTORY_H

#include "merge.h"

/* Kinds of rows in autocdc_event_<id> under SCD2 */
#define ACDC_HID_NONE    0
#define ACDC_HID_MEMBER  1
#define ACDC_HID_DELETE  2
#define ACDC_HID_SHOWN   3

/* A row of the target. */
typedef struct AcdcHistRow AcdcHistRow;
struct AcdcHistRow {
  AcdcSeq start;
  AcdcVal rawStart;      /* As the table has it */
  u8 bEnd;               /* end is not NULL */
  AcdcSeq end;
  AcdcVal *aVal;         /* Value columns */
};

/* A row of the event table. */
typedef struct AcdcHistHid AcdcHistHid;
struct AcdcHistHid {
  AcdcSeq seq;
  AcdcVal state;         /* seq as the table has it */
  u8 eKind;              /* ACDC_HID_* */
  AcdcBits mask;         /* Authored columns; a is NULL for all */
  AcdcVal *aVal;         /* Of a MEMBER */
};

/* An event that was known before. */
typedef struct AcdcHistEvent AcdcHistEvent;
struct AcdcHistEvent {
  AcdcEvent ev;          /* aVal: values as they show, inherited ones too */
  u8 eHid;               /* Its row in the event table, ACDC_HID_* */
  u8 bMask;              /* That row has a set of authored columns */
  u8 bMark;              /* A truncate */
  u8 bLast;              /* Last member of its run */
  AcdcHistRow *pRow;     /* Target row of its run; NULL for deletes */
};

typedef struct AcdcHist AcdcHist;
struct AcdcHist {
  AcdcMerge *pM;         /* Not owned */
  const AcdcVal *aKey;   /* Not owned */
  AcdcArena arena;       /* All that was read of the key */
  u8 bAll;               /* All rows were read */
  AcdcHistRow **apRow;   /* In order.  The array is owned */
  int nRow, nRowAlloc;
  AcdcHistHid **apHid;
  int nHid, nHidAlloc;
};

void acdcHistInit(AcdcHist *pH, AcdcMerge *pM);
void acdcHistClear(AcdcHist *pH);
/* Sort pointers; stable. */
void acdcPointerSort(AcdcCtx *p, void **ap, int n, void *pArg,
                     int (*xCmp)(void*, const void*, const void*));
/* Forget what was read; look at this key from now on. */
void acdcHistKey(AcdcHist *pH, const AcdcVal *aKey);
/*
** Return 1 and fill *pOut with the key's last event, its last at or before
** pSeq, its last before pSeq, its first after pSeq; or 0.  pSeq must not lie in
** *pOut.
*/
int acdcHistLast(AcdcHist *pH, AcdcHistEvent *pOut);
int acdcHistLE(AcdcHist *pH, const AcdcSeq *pSeq, AcdcHistEvent *pOut);
int acdcHistBefore(AcdcHist *pH, const AcdcSeq *pSeq, AcdcHistEvent *pOut);
int acdcHistGT(AcdcHist *pH, const AcdcSeq *pSeq, AcdcHistEvent *pOut);

#endif /* ACDC_HISTORY_H */
