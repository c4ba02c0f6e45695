/*
** What an input of a step reads, as one SELECT: views become WITH clauses,
** streamed tables are cut at their checkpoints, files become readers.
*/
#ifndef ACDC_PLAN_H
#define ACDC_PLAN_H

#include "pipeline.h"
#include "../source/reader.h"
#include "../source/source.h"
#include "../source/fs.h"

/* A table read as a stream. */
typedef struct AcdcPlanStream AcdcPlanStream;
struct AcdcPlanStream {
  char *zLabel;            /* "schema.table".  Owned */
  AcdcSource src;          /* Owned */
  i64 iAfter;              /* Rows with a greater rowid are new */
  i64 iMax;                /* Greatest rowid there is */
  u8 bRows;                /* It has rows at all */
};

/* A file that the plan reads. */
typedef struct AcdcPlanFile AcdcPlanFile;
struct AcdcPlanFile {
  char *zPath;             /* Owned */
  i64 nSize;
  i64 iMtime;
};

typedef struct AcdcPlan AcdcPlan;
struct AcdcPlan {
  AcdcCtx *p;
  AcdcPipeline *pPipe;
  AcdcPipeStep *pStep;
  const char *zFlow;       /* Name of the flow, for checkpoints */
  i64 iTarget;             /* Id of the target in autocdc_targets, or 0 */
  u8 bReadAll;             /* Streams from their start */
  u8 bAppend;              /* Rows are added, not merged: none may come twice */
  u8 bDry;                 /* Only described: checkpoints are not judged */
  u8 bEmpty;               /* A stream of files has no new ones: nothing to do */
  AcdcNames ctes;          /* "name" AS (...), in order */
  AcdcNames cteNames;      /* Names of those, to make each once */
  AcdcNames open;          /* Views being made: a cycle if met again */
  AcdcNames deps;          /* Labels of what is read, for messages */
  AcdcNames typeName;      /* Types of file columns by name */
  AcdcNames typeValue;
  AcdcNames schemas;       /* View and DDL of files without a schema */
  AcdcNames notes;
  int nReader;
  AcdcReader **apReader;   /* Owned until a statement reader takes them */
  int nStream;
  AcdcPlanStream *aStream; /* Owned */
  int nFile;
  AcdcPlanFile *aFile;     /* Owned */
  AcdcSpec scratch;        /* Its arena holds texts made while planning: the
                           ** spec itself is shared and stays as it is */
  char *zMicro;            /* Name of the micro_batch_view clause, or NULL */
  char *zSelect;           /* The SELECT without WITH.  Owned */
};

/* Views that read each other go no deeper. */
#define ACDC_PLAN_DEPTH 200

/* Begin a plan for a flow of a step. */
void acdcPlanInit(AcdcPlan *pPlan, AcdcPipeline *pPipe, AcdcPipeStep *pStep,
                  const char *zFlow);
void acdcPlanClear(AcdcPlan *pPlan);

/* Plan what an input reads; bWhole: all rows, not the new ones. */
void acdcPlanInput(AcdcPlan *pPlan, const AcdcInput *pIn, int bWhole);
/*
** Plan a query of the spec.  If pIn is given, its rows are micro_batch_view.
*/
void acdcPlanQuery(AcdcPlan *pPlan, const char *zSql, const char *zSqlPath,
                   const AcdcInput *pIn);
/* Plan the rows of a table of the spec, projected and filtered. */
void acdcPlanTable(AcdcPlan *pPlan, const AcdcRel *pRel,
                   const AcdcTexts *pSelect, const AcdcTexts *pWhere,
                   const AcdcTexts *pExcept);

/* The plan as a complete query.  Owned by the caller. */
char *acdcPlanSql(const AcdcPlan *pPlan);
/*
** Prepare "WITH <clauses> " followed by the text, in which "acdc_input" is the
** planned SELECT, with the readers bound.
*/
sqlite3_stmt *acdcPlanPrepare(AcdcPlan *pPlan, const char *zFmt, ...);
/* The same as a reader, which takes the readers over. */
AcdcReader *acdcPlanReader(AcdcPlan *pPlan, const char *zFmt, ...);
/* Error if the planned SELECT would do more than read. */
void acdcPlanTrust(AcdcPlan *pPlan);
/* The same for expressions over its rows, a list for SELECT. */
void acdcPlanTrustExprs(AcdcPlan *pPlan, const char *zList);
/* Names of the columns of the planned SELECT. */
void acdcPlanColumns(AcdcPlan *pPlan, AcdcNames *pOut, AcdcNames *pTypes);

/*
** If an input is the rows of one table, filtered but not projected, that a
** merge can read by itself: 1, the table's name and the condition (may be
** NULL), both owned by the caller.  *pbWhole: its rows change in place, so that
** all of them are to be read.
*/
int acdcPlanIsTable(AcdcPlan *pPlan, const AcdcInput *pIn, char **pzTable,
                    char **pzWhere, int *pbWhole);
/*
** Plan the rows of one version of a snapshot: of files, or of the table where
** its version column has that value.
*/
void acdcPlanVersion(AcdcPlan *pPlan, const AcdcFileList *pFiles,
                     const AcdcVal *pVersion, const char *zVersion);

/* Remember what was read, under target iTarget. */
void acdcPlanCommit(AcdcPlan *pPlan, i64 iTarget);
/* Marks of a flow that something was done. */
int acdcPlanMarked(AcdcPlan *pPlan, const char *zMark);
void acdcPlanMark(AcdcPlan *pPlan, i64 iTarget, const char *zMark);

#endif /* ACDC_PLAN_H */
