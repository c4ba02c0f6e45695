/*
** What the files that translate SQL share among themselves.
*/
#ifndef ACDC_SPARKINT_H
#define ACDC_SPARKINT_H

#include "sparksql.h"

/* Kinds of tokens */
#define ACDC_TK_END     0
#define ACDC_TK_BLANK   1    /* blanks and comments */
#define ACDC_TK_WORD    2    /* name or keyword */
#define ACDC_TK_QUOTED  3    /* `name` */
#define ACDC_TK_STRING  4
#define ACDC_TK_NUMBER  5
#define ACDC_TK_OTHER   6    /* one character, or <=> */

/* Parentheses and recursion go no deeper. */
#define ACDC_SPARK_DEPTH 100

typedef struct AcdcSparkToken AcdcSparkToken;
struct AcdcSparkToken {
  u8 e;
  int i;                 /* Offset into the text */
  int n;                 /* Bytes */
};

typedef struct AcdcSpark AcdcSpark;
struct AcdcSpark {
  AcdcCtx *pCtx;
  const char *z;
  AcdcSparkToken *a;         /* Tokens, ACDC_TK_END last.  Owned */
  int n;                 /* Tokens, ACDC_TK_END not counted */
  AcdcNames local;       /* Names of the query's own WITH clauses */
  const AcdcSparkHost *pHost;   /* NULL for expressions */
};

/* The token at or behind i that is no blank. */
int acdcSparkNext(const AcdcSpark *p, int i);
/* Is token i that word (without case), that character? */
int acdcSparkIs(const AcdcSpark *p, int i, const char *zWord);
int acdcSparkChar(const AcdcSpark *p, int i, char c);
/* The token of the parenthesis that closes the one at i, or the end. */
int acdcSparkClosing(const AcdcSpark *p, int i);

/*
** Write the tokens [iFrom, iTo) to pOut.  nDepth counts recursion; a negative
** one says that a SELECT stands in front, unseen.
*/
void acdcSparkPut(AcdcSpark *p, sqlite3_str *pOut, int iFrom, int iTo,
                  int nDepth);

/*
** sparkfunc.c: the call of function iWord whose parenthesis is at iOpen.
** Returns the token behind it, or 0 if the name is to be written as it is.
*/
int acdcSparkCall(AcdcSpark *p, sqlite3_str *pOut, int iWord, int iOpen,
                  int nDepth);

#endif /* ACDC_SPARKINT_H */
