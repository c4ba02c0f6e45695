/*
** What the files of the collector share: collect.c reads a source with one
** statement, collector.c takes rows one by one.
*/
#ifndef ACDC_COLLECTINT_H
#define ACDC_COLLECTINT_H

#include "merge.h"

typedef struct AcdcCollect AcdcCollect;
struct AcdcCollect {
  AcdcMerge *pM;
  AcdcCtx *p;
  AcdcSorter *pSorter;
  AcdcNames args;        /* SQL of the arguments, in order */
  int nPartArg;          /* Arguments a part holds */
  sqlite3_value **apDup; /* Copies of a wide row's values.  Owned */
  int iRowArg, iKindArg, iViolArg, iUpdateArg, iRankArg;   /* -1: none */
  int aKeyArg[ACDC_MAXKEY];
  int aSeqArg[ACDC_SEQ_MAXPART];
  char *azSeq[ACDC_SEQ_MAXPART];   /* Names of the parts.  In the flow */
  int nSeq;
  int aSysArg[ACDC_SEQ_MAXPART];   /* The same for the system sequence */
  char *azSys[ACDC_SEQ_MAXPART];
  int nSys;
  int nEmit;
  int *aEmit;            /* Value column of each emitted value.  Owned */
  int *aEmitArg;         /* Its argument.  Owned */
  AcdcVal *aVal;         /* Values of the row at hand.  Owned */
  AcdcBits mask;         /* Columns the row authors.  Owned */
  AcdcArena scratch;     /* Bytes for the row at hand */
  u8 *aCode;             /* Key code.  Owned */
  int nCodeAlloc;
  u8 bFastSeq;           /* One part, and its class is or may be number */
  u8 bShown;             /* The shown form must be kept */
  u8 bHeader;            /* A header row can be told: plain columns only */
  i64 nRow;              /* Rows seen */
  i64 nNullSeq, nNullSys, nNullKey;
  i64 iNullSeqRow, iNullSysRow, iNullKeyRow;
  int iNullSeqPart, iNullSysPart, iNullKeyCol;
  i64 nHeader, iHeaderRow;
  i64 *anViol;           /* Violations of each expectation.  Owned */
  char *zFrom, *zTo;     /* Bytes of the least and greatest sequence.  Owned */
};

/* Decide what the arguments are, and prepare the statement that hands rows to
** *pC as parameter 2.  NULL on error. */
sqlite3_stmt *acdcCollectOpen(AcdcCollect *pC, AcdcMerge *pM,
                              const AcdcMergeOpts *pOpts);
void acdcCollectClear(AcdcCollect *pC);
/* A row: the values of pC->args.  Raises errors but for NULL keys and NULL
** sequences, which are counted. */
void acdcCollectRow(AcdcCollect *pC, sqlite3_value **apArg);
/* Raise those. */
void acdcCollectNulls(AcdcCollect *pC);
/* The condition on rows, NULL if there is none.  Owned by the caller. */
char *acdcCollectFilterSql(AcdcCollect *pC);

#endif /* ACDC_COLLECTINT_H */
