/*
** JSON records: one object a line, or the objects of an array (multiLine).
** Numbers stay text, nested values become compact JSON text; columns and
** types are the business of files.c.
*/
#ifndef ACDC_JSONL_H
#define ACDC_JSONL_H

#include "fs.h"

/* AcdcJsonlField.eType */
#define ACDC_JSONL_NULL    1
#define ACDC_JSONL_FALSE   2
#define ACDC_JSONL_TRUE    3
#define ACDC_JSONL_NUMBER  4
#define ACDC_JSONL_STRING  5
#define ACDC_JSONL_NESTED  6     /* array or object */

/*
** A member borrows its bytes from the stream: good until the next record.
*/
typedef struct AcdcJsonlField AcdcJsonlField;
struct AcdcJsonlField {
  const u8 *zName;     /* Decoded */
  const u8 *z;         /* STRING: decoded; NUMBER: as spelled; NESTED: JSON text
                       ** without blanks between tokens */
  int nName;
  int n;
  u8 eType;            /* ACDC_JSONL_* */
};

typedef struct AcdcJsonl AcdcJsonl;
struct AcdcJsonl {
  AcdcStream *pIn;     /* Not owned */
  u8 bMulti;           /* Records are found by their brackets, not by lines */
  u8 bArray;           /* bMulti: inside of the outer array */
  u8 bComma;           /* bArray: a record has been read since "[" or "," */
  u8 bDone;            /* bArray: the outer array is closed */
  i64 iLine;           /* Line the current record begins on, from 1 */
  i64 iNextLine;
  int nField;          /* Members of the current record */
  int nAlloc;
  AcdcJsonlField *aField;   /* Owned */
  const char *zBad;    /* What is wrong with the record, or NULL.  Static */
  u8 *aRaw;            /* The record's text, if bKeepRaw.  Owned */
  i64 nRaw;
  i64 nRawAlloc;
  u8 bKeepRaw;
};

/* AcdcJsonlBegin: how records are found */
#define ACDC_JSONL_AUTO   0      /* lines, unless the file begins with "[" */
#define ACDC_JSONL_LINES  1
#define ACDC_JSONL_MULTI  2

/* Begin with a stream that has been opened. */
void acdcJsonlBegin(AcdcCtx *p, AcdcJsonl *pJ, AcdcStream *pIn, int eMode);
/*
** The next record.  Returns 1, or 0 at the end or with an error.  A record
** that is no JSON object is returned without members and with zBad set; in
** a file without line structure (MULTI) broken brackets are an error, because
** the records behind cannot be found.
*/
int acdcJsonlNext(AcdcCtx *p, AcdcJsonl *pJ);
void acdcJsonlFree(AcdcJsonl *pJ);    /* the arrays; not the stream */

/* Take the blanks between tokens out of valid JSON; returns the new length. */
int acdcJsonlCompact(u8 *z, int n);

#endif /* ACDC_JSONL_H */
