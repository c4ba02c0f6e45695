/*
** Table-valued functions that make all their rows when they are called: each
** says what its arguments are, makes its rows and shows them; the virtual table
** around it is here once.  They are DIRECTONLY, because they write, or look at
** files.
*/
#ifndef ACDC_TABFUNC_H
#define ACDC_TABFUNC_H

#include "../core/core.h"

#define ACDC_TAB_MAXARG  4

/* An argument: a column that a query may compare for equality. */
typedef struct AcdcTabArg AcdcTabArg;
struct AcdcTabArg {
  int iCol;
  u8 bFilter;            /* A column of the result: the call may make use of the
                         ** comparison, which SQLite makes too */
};

/* One function.  Static: the module keeps a pointer to it. */
typedef struct AcdcTabFunc AcdcTabFunc;
struct AcdcTabFunc {
  const char *zName;
  const char *zDecl;     /* CREATE TABLE; hidden columns are the arguments */
  AcdcTabArg aArg[ACDC_TAB_MAXARG];
  int nArg;
  u8 bMust;              /* Plans without the first argument are to be avoided */
  int nData;             /* Bytes of the data of a call */
  /*
  ** Make the rows.  pData is zeroed.  apArg[] has nArg values, NULL where one is
  ** not given; they are protected, and live as long as pData.  Returns the
  ** number of rows.
  */
  int (*xRun)(AcdcCtx *p, const AcdcTabFunc *pF, sqlite3_value **apArg,
              void *pData);
  /* Show column iCol of row iRow; never that of an argument without bFilter. */
  void (*xColumn)(sqlite3_context *pCtx, const void *pData, int iRow, int iCol);
  void (*xClear)(void *pData);   /* Free what pData owns, not itself */
  const void *pExtra;    /* For xRun */
};

int acdcTabFuncRegister(sqlite3 *db, const AcdcTabFunc *pF);

#endif /* ACDC_TABFUNC_H */
