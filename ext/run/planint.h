/*
** What the files of the planner share among themselves.
*/
#ifndef ACDC_PLANINT_H
#define ACDC_PLANINT_H

#include "plan.h"
#include "../source/files.h"

/* The clauses so far and zMore (with or without a WITH of its own), ready to
** be put in front of a SELECT.  Owned by the caller. */
char *acdcPlanWith(AcdcPlan *pPlan, const char *zMore);
/* The text of a statement or of a file, tokens replaced.  In the arena. */
const char *acdcPlanText(AcdcPlan *pPlan, const char *zSql,
                         const char *zSqlPath);

/* planread.c: the new rows of a table; the rows of files.  Texts for a FROM
** clause, owned by the caller.  iStep: the step that fills it, or -1. */
char *acdcPlanStreamOf(AcdcPlan *pPlan, const char *zSchema, const char *zName,
                       int iStep);
/* Does a merge write the table, so that its rows change in place? */
int acdcPlanIsMerged(AcdcPlan *pPlan, const char *zSchema, const char *zName,
                     int iStep);
char *acdcPlanFiles(AcdcPlan *pPlan, const AcdcView *pView, int bStream,
                    char **pzDefault);
/* The same for files that are listed already. */
char *acdcPlanFileList(AcdcPlan *pPlan, const AcdcView *pView,
                       const AcdcFileList *pList, char **pzDefault);
/* The entry of a file of silver transformations. */
void acdcPlanTransform(AcdcPlan *pPlan, const AcdcView *pView,
                       AcdcTexts *pSelect, AcdcTexts *pWhere);

/* pipeline.c: the step whose table the name is, or -1. */
int acdcPipelineStepOf(const AcdcPipeline *pPipe, const AcdcPipeSpec *pOwner,
                       const AcdcRel *pRel);

#endif /* ACDC_PLANINT_H */
