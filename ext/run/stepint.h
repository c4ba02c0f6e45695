/*
** What the files that run a step share among themselves.
*/
#ifndef ACDC_STEPINT_H
#define ACDC_STEPINT_H

#include "pipeline.h"
#include "plan.h"
#include "../quality/rules.h"
#include "../source/schema.h"

/*
** A step at work.
*/
typedef struct AcdcStepRun AcdcStepRun;
struct AcdcStepRun {
  AcdcCtx *p;
  AcdcPipeline *pPipe;
  AcdcPipeStep *pStep;
  const AcdcStep *pS;
  AcdcRunResult *pR;
  AcdcRules rules;
  AcdcSchema schema;       /* Columns that the spec declares */
  char *zTarget;           /* The target as flows and results name it */
  i64 iStart;
  /* Of the input at hand */
  AcdcPlan plan;
  char *zGood;             /* Condition of a row to be taken, or NULL */
  i64 nRejected;
  i64 nQuarantined;
  char *zNote;             /* What the rules found, as sentences ... */
  char *zExpect;           /* ... and as a JSON object of counts, or NULL */
};

/* Id of the target in autocdc_targets, 0 if it has none; the second makes it,
** for targets that no merge keeps state of (bMade: we made the table). */
i64 acdcStepTargetId(AcdcStepRun *pR);
i64 acdcStepMakeState(AcdcStepRun *pR, int bMade);
/* Make a table with these columns, or add the ones that it lacks.  Returns 1
** if it was made. */
int acdcStepMakeTable(AcdcCtx *p, const char *zSchema, const char *zName,
                      const AcdcNames *pCols, const AcdcNames *pTypes);
/* "a", "b" of a list of names.  Owned by the caller. */
char *acdcStepList(AcdcCtx *p, const AcdcNames *pCols);

/* Begin and end the work on one flow of the step. */
void acdcStepBegin(AcdcStepRun *pR, const char *zFlow);
void acdcStepEnd(AcdcStepRun *pR);
/* A row of the result for what is not a merge.  zStatus NULL: by the rules. */
void acdcStepReport(AcdcStepRun *pR, const char *zFlow, const char *zStatus,
                    i64 nRead, i64 nInserted, i64 nDeleted,
                    const char *zMessage);
/* Put the planned rows into the target.  Returns their number. */
i64 acdcStepAppend(AcdcStepRun *pR, int *pbMade);
/* The settings of the step as a flow of its own, which the caller clears. */
void acdcStepFlow(AcdcStepRun *pR, const char *zName, AcdcFlow *pFlow);
/* Merge the planned rows. */
void acdcStepMerge(AcdcStepRun *pR, AcdcFlow *pFlow, const char *zLabel);

/* stepjudge.c: read the rules of the step; judge the planned rows of an input
** (NULL: of a snapshot).  Sets zGood; the plan gets the column is_quarantined
** where the spec asks for it.  pFlow NULL: rows are appended. */
void acdcStepRules(AcdcStepRun *pR);
void acdcStepJudge(AcdcStepRun *pR, const AcdcInput *pIn,
                   const AcdcFlow *pFlow);

/* stepimport.c */
void acdcStepVersionFiles(AcdcStepRun *pR);
void acdcStepVersionTable(AcdcStepRun *pR);
/* Import an old table, once.  Returns 1 if the inputs of the step are not to
** be read this time. */
int acdcStepMigrate(AcdcStepRun *pR);

#endif /* ACDC_STEPINT_H */
