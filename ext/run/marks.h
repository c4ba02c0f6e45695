/*
** What a flow has read or done, beside the checkpoints of tables: rows of
** autocdc_sources, in the schema of the target, of these sources:
**
**   stream:<table>     rows of a table read as a stream
**   file:<path>        a file that was read, with its size and time
**   columns:<name>     columns that files without a schema had so far
**   version:<version>  a version of a snapshot that was applied
**
** They are written in the transaction of the run, so that nothing counts as
** read when a run fails.
*/
#ifndef ACDC_MARKS_H
#define ACDC_MARKS_H

#include "../core/core.h"
#include "../flow/flow.h"
#include "../source/files.h"

typedef struct AcdcMarks AcdcMarks;
struct AcdcMarks {
  AcdcCtx *p;
  const char *zSchema;   /* Of the target.  Not owned */
  i64 iTarget;           /* Id in autocdc_targets; 0: there are no marks yet */
  const char *zFlow;     /* Not owned */
};

/*
** The row of a source: a statement that stands on it, or NULL.  Columns:
** first_row, first_digest, last_row, last_digest, config.  Owned by the caller.
*/
sqlite3_stmt *acdcMarkRow(const AcdcMarks *pM, const char *zSource);
/* Write such a row, over the one that is there. */
void acdcMarkPut(const AcdcMarks *pM, const char *zSource, i64 iFirst,
                 i64 iFirstD, i64 iLast, i64 iLastD, const char *zConfig);

/*
** Of the files listed, keep those that are new to the flow, or have changed
** since it read them.  *pzChanged: the first of the latter, owned by the
** caller; NULL if there is none.
*/
void acdcMarkUnread(const AcdcMarks *pM, AcdcFileList *pList,
                    char **pzChanged);
/* Mark a file as read. */
void acdcMarkFile(const AcdcMarks *pM, const char *zPath, i64 nSize,
                  i64 iMtime);

/*
** A reader over files without a schema: columns of earlier runs, marked as
** zSource, stay columns, also when the new files lack them, so that expressions
** over them hold.  *pzColumns is the DDL to be marked when the run was good;
** owned by the caller.  NULL without an error: there are neither files nor
** columns.
*/
AcdcReader *acdcMarkOpen(const AcdcMarks *pM, const char *zSource,
                         AcdcFiles *pFiles, const AcdcFileList *pList,
                         char **pzColumns);

#endif /* ACDC_MARKS_H */
