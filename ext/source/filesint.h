/*
** Shared by the files that make up the reader over files (files.c): bind.c
** makes rows of records, infer.c finds columns in the data.
*/
#ifndef ACDC_FILESINT_H
#define ACDC_FILESINT_H

#include "files.h"
#include "schema.h"
#include "convert.h"

/* FilesReader.aMap[] and aField[]: no column */
#define FILES_NONE (-1)

/* A value that did not fit its column, for the rescued data. */
typedef struct FilesMisfit FilesMisfit;
struct FilesMisfit {
  int iCol;
  AcdcVal v;           /* Bytes as long as the record's */
};

typedef struct FilesReader FilesReader;
struct FilesReader {
  AcdcReader base;
  AcdcCtx ctx;         /* Errors of the methods */
  AcdcFileOptions opt;
  AcdcFiles files;     /* Copy of what it was opened with.  Owned */
  AcdcFileList list;   /* Owned */
  AcdcSchema schema;   /* Columns bound to data, nData of them, then
                       ** the special ones.  Owned; base.aCol points into it */
  int nData;
  u8 bDeclared;        /* The schema was given */
  u8 bRecords;         /* Opened by acdcFilesOpenRecords() */
  u8 bKeep;            /* Values are not bound: the record's text is all */
  int iMeta;           /* Column _metadata, or -1 */
  int iRescue;         /* Column of rescued data, or -1 */
  int iCorrupt;        /* Column of corrupt records, or -1 */
  u8 *aConv;           /* ACDC_CONV_* of each data column.  Owned */
  AcdcVal *aVal;       /* The row.  Owned */
  u8 *aNested;         /* JSON: the value is JSON text, not a string.  Owned */
  int *aHash;          /* Columns by the hash of their name; -1: free.  Owned */
  int nHash;           /* Power of two */

  int iFile;           /* Current file; list.n at the end */
  u8 bOpen;            /* in, csv and json are on it */
  u8 bEof;
  u8 bFirst;           /* CSV: the first record has been read already */
  AcdcStream in;
  AcdcCsv csv;
  AcdcJsonl json;
  AcdcNames head;      /* CSV: names of the header of the current file */
  int nHead;           /* CSV: fields that a record must have; 0: any number */
  int *aMap;           /* CSV: column of a field; JSON: column that a member at
                       ** this place had last.  Owned */
  int nMap;
  int nMapAlloc;
  int nNull;           /* Bytes of opt.zNull */
  int nUnknown;        /* Fields of the current record without a column */
  FilesMisfit *aMisfit;      /* Owned */
  int nMisfit;
  int nMisfitAlloc;
  i64 iRow;            /* Number of the current row */
  i64 *aFirst;         /* Number of the row before each file's first.  Owned */
  char *zMeta;         /* _metadata of the current file.  Owned */
  char *zRescued;      /* Rescued data of the current row, if it has been asked
                       ** for.  Owned */
};

/* The line of the current record. */
i64 acdcFilesLineNo(const FilesReader *p);
/* Open the current file. 0 if it is gone and that is allowed, or on an error. */
int acdcFilesOpenStream(FilesReader *p);
/* The data column of that name: spelled the same, else without case; or -1. */
int acdcFilesColumn(const FilesReader *p, const u8 *z, int n);
/* Make aMap[] at least n long; new entries are FILES_NONE. */
void acdcFilesMapSize(FilesReader *p, int n);

/*
** bind.c: the current record into aVal[].  Returns 0 if it is left out, or on
** an error.
*/
int acdcFilesBindRow(FilesReader *p);
/* The rescued data of the current row, or NULL.  Kept by the reader. */
const char *acdcFilesRescued(FilesReader *p);
/* A value, or a name with what stands in front of it and the colon, as parts
** of a JSON object; bJson: TEXT is JSON already; *pn counts the members. */
void acdcFilesPutValue(sqlite3_str *pStr, const AcdcVal *pV, int bJson);
void acdcFilesPutName(sqlite3_str *pStr, const void *z, i64 n, int *pn);

/* infer.c: fill p->schema from the files. */
void acdcFilesInfer(FilesReader *p);

static inline void valNull(AcdcVal *pV){
  pV->eType = SQLITE_NULL;
  pV->n = 0;
}

static inline void valBytes(AcdcVal *pV, const void *z, i64 n){
  pV->eType = SQLITE_TEXT;
  pV->n = (int)n;
  pV->u.z = z;
}

#endif /* ACDC_FILESINT_H */
