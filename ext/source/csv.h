/*
** CSV records: RFC 4180, with the variations that Spark's options name.
** Fields are bytes; columns and types are the business of files.c.
*/
#ifndef ACDC_CSV_H
#define ACDC_CSV_H

#include "fs.h"

typedef struct AcdcCsvFormat AcdcCsvFormat;
struct AcdcCsvFormat {
  u8 aSep[8];          /* Separator, 1 to 8 bytes */
  int nSep;
  int cQuote;          /* ASCII character, or -1: quotes are text */
  int cEscape;         /* ASCII character that makes the next quote text inside
                       ** of quotes, or -1: only a doubled quote does */
  int cComment;        /* Records that begin with it are left out, or -1 */
  u8 bTrimLeft;        /* Blanks around fields outside of quotes are no data */
  u8 bTrimRight;
  u8 bOneLine;         /* A line end inside of quotes is an error */
};
void acdcCsvFormatInit(AcdcCsvFormat *pF);  /* comma, double quote, no more */

/*
** A field borrows its bytes from the stream: good until the next record.
*/
typedef struct AcdcCsvField AcdcCsvField;
struct AcdcCsvField {
  u8 *z;               /* Value, quotes and escapes resolved */
  int n;
  u8 bQuoted;          /* Began with a quote */
  u8 bWide;            /* Has bytes beyond ASCII */
};

typedef struct AcdcCsv AcdcCsv;
struct AcdcCsv {
  AcdcCsvFormat format;
  AcdcStream *pIn;     /* Not owned */
  i64 iLine;           /* Line the current record begins on, from 1 */
  i64 iNextLine;
  int nField;          /* Of the current record */
  int nAlloc;
  AcdcCsvField *aField;  /* Owned */
  const char *zBad;    /* What is wrong with the record, or NULL.  Static */
  u8 bLost;            /* With zBad: so wrong that its fields mean nothing */
  u8 *aRaw;            /* The record as it stands in the file, without its line
                       ** end, if bKeepRaw.  Owned */
  i64 nRaw;
  i64 nRawAlloc;
  u8 bKeepRaw;
  u8 aClass[256];      /* Classes of bytes: private */
};

/*
** Begin with a stream that has been opened.  The arrays of a reader that has
** been used before are kept.
*/
void acdcCsvBegin(AcdcCsv *pCsv, AcdcStream *pIn, const AcdcCsvFormat *pF);
/*
** The next record that is neither blank nor a comment.  Returns 1, or 0 at
** the end or with an error.  A quote that is never closed is an error; a
** record with something else wrong is returned, with zBad set.
*/
int acdcCsvNext(AcdcCtx *p, AcdcCsv *pCsv);
void acdcCsvFree(AcdcCsv *pCsv);      /* the arrays; not the stream */

#endif /* ACDC_CSV_H */
