/*
** Schemas of files: names and declared types of columns, from DDL, from the
** JSON that Spark writes, or found in the data.
*/
#ifndef ACDC_SCHEMA_H
#define ACDC_SCHEMA_H

#include "../core/core.h"

/*
** Column names match without case.  zType is a type SQLite understands as it
** was meant: STRING has become TEXT (it would be NUMERIC), LONG INTEGER,
** STRUCT<...> TEXT; DATE, TIMESTAMP and BOOLEAN are kept, for those who ask
** what a column was declared as.
*/
typedef struct AcdcSchema AcdcSchema;
struct AcdcSchema {
  int n;
  int nAlloc;
  AcdcColumn *a;       /* Owned */
};

/*
** Read a schema: {"type": "struct", "fields": [...]}, or a list of columns as
** DDL has it: "id INT NOT NULL, name STRING" or "id: int, name: string", with
** comments and table constraints, one a line or with commas, bare or in a
** CREATE TABLE.  Appends to *pS.
*/
void acdcSchemaParse(AcdcCtx *p, const char *z, AcdcSchema *pS);
/* Add a column; zType as it is written in DDL, may be NULL.  Its index. */
int acdcSchemaAdd(AcdcCtx *p, AcdcSchema *pS, const char *zName, int nName,
                  const char *zType);
/* The column of that name: spelled the same, else without case, else -1. */
int acdcSchemaFind(const AcdcSchema *pS, const char *zName, int nName);
void acdcSchemaClear(AcdcSchema *pS);

/* What SQLite is told for a type of DDL or Spark.  Owned by the caller. */
char *acdcSchemaType(AcdcCtx *p, const char *zType);

/*
** Types from data: what kinds of values a column was seen to hold.
*/
#define ACDC_SEEN_INT     0x01   /* an integer of 64 bits */
#define ACDC_SEEN_REAL    0x02   /* another number that a double holds */
#define ACDC_SEEN_BOOL    0x04
#define ACDC_SEEN_TEXT    0x08
#define ACDC_SEEN_DIGITS  0x10   /* a number that neither holds */
/* The declared type for a set of those; "" is none.  Static. */
const char *acdcSchemaSeenType(u8 mSeen);

#endif /* ACDC_SCHEMA_H */
