/*
** Files as a source of rows: which files there are, and a reader over them.
*/
#ifndef ACDC_FILES_H
#define ACDC_FILES_H

#include "../core/core.h"
#include "../flow/flow.h"
#include "reader.h"
#include "fs.h"
#include "csv.h"
#include "jsonl.h"

/*
** Read the format and the reader options of pFiles and report what is wrong
** with them, without looking at any file.  Options that change nothing here
** are named in *pWarn (which may be NULL).
*/
void acdcFilesCheck(AcdcCtx *p, const AcdcFiles *pFiles, AcdcNames *pWarn);

/*
** List the files that pFiles names, in the order they are read: by path,
** bytewise.  zBase is the folder that relative paths start from and that none
** leads out of; NULL for the current folder and no such limit.
**
** A path is a file, which must be there; a folder, of which names beginning
** with "." or "_" are left out; or a glob.  A folder or glob without files
** gives an empty list.
*/
void acdcFilesList(AcdcCtx *p, const AcdcFiles *pFiles, const char *zBase,
                   AcdcFileList *pOut);

/*
** A reader over the files of a list, in its order.  pFiles and pList are
** copied.  Columns come from the schema, or from the files: all names of all
** headers, or of all members of all records.  Hidden columns:
**
**   _metadata       JSON: path, name, size, mtime (seconds since 1970-01-01
**                   UTC), and the same under Spark's names (file_path, ...)
**   _rescued_data   what had no column, as JSON, or NULL; a visible column if
**                   the option rescuedDataColumn is given
**
** Returns NULL with an error in p if it cannot be made.
*/
AcdcReader *acdcFilesOpen(AcdcCtx *p, const AcdcFiles *pFiles,
                          const AcdcFileList *pList);

/*
** The same, for acdcFilesRecord(): with JSON and no schema nothing is bound
** to columns, and the files are not looked through for their names first.
*/
AcdcReader *acdcFilesOpenRecords(AcdcCtx *p, const AcdcFiles *pFiles,
                                 const AcdcFileList *pList);
/* The current record as a JSON object. */
void acdcFilesRecord(AcdcReader *pReader, sqlite3_context *pCtx);
/* The reader's columns _metadata and of rescued data; -1 if there is none. */
int acdcFilesMetaColumn(AcdcReader *pReader);
int acdcFilesRescueColumn(AcdcReader *pReader);
/* The line the current record begins on, in its file. */
i64 acdcFilesLine(AcdcReader *pReader);

/*
** The schema the reader binds to, as DDL: names and types of its data columns,
** without the special ones.  NULL if there are none.  Owned by the caller.
*/
char *acdcFilesSchema(AcdcCtx *p, AcdcReader *pReader);
/* Free what an AcdcFiles holds (not the struct itself). */
void acdcFilesClear(AcdcFiles *pFiles);

/*
** The options, read.
*/
/* AcdcFileOptions.eHeader */
#define ACDC_HEADER_AUTO  0    /* if it reads like one, see files.c */
#define ACDC_HEADER_NO    1
#define ACDC_HEADER_YES   2
/* AcdcFileOptions.eMode */
#define ACDC_MODE_KEEP    0    /* PERMISSIVE */
#define ACDC_MODE_DROP    1    /* DROPMALFORMED */
#define ACDC_MODE_FAIL    2    /* FAILFAST */

typedef struct AcdcFileOptions AcdcFileOptions;
struct AcdcFileOptions {
  u8 bJson;
  AcdcCsvFormat csv;
  u8 eHeader;          /* ACDC_HEADER_* */
  u8 eMode;            /* ACDC_MODE_* */
  u8 eLines;           /* ACDC_JSONL_* */
  u8 bInfer;           /* CSV: types from the values */
  u8 bStrings;         /* JSON: every inferred column is TEXT */
  u8 bFailNew;         /* A column that the schema lacks is an error */
  u8 bRecursive;
  u8 bIgnoreMissing;
  char *zNull;         /* nullValue.  Owned; NULL: none */
  char *zEmpty;        /* emptyValue.  Owned; NULL: '' */
  char *zRescue;       /* rescuedDataColumn.  Owned; NULL: hidden */
  char *zCorrupt;      /* columnNameOfCorruptRecord.  Owned; NULL: default */
  char *zGlob;         /* pathGlobFilter.  Owned; NULL: all */
  char *zHints;        /* schemaHints.  Owned; NULL: none */
};
/* Zero-initialise pOpt; the caller clears it, also after an error. */
void acdcFileOptionsRead(AcdcCtx *p, const AcdcFiles *pFiles,
                         AcdcFileOptions *pOpt, AcdcNames *pWarn);
void acdcFileOptionsClear(AcdcFileOptions *pOpt);

#endif /* ACDC_FILES_H */
