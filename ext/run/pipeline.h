/*
** A pipeline: the steps of all specs that are loaded, where their tables are,
** and what depends on what.  Knows the model of specs, not their formats.
*/
#ifndef ACDC_PIPELINE_H
#define ACDC_PIPELINE_H

#include "../core/core.h"
#include "../spec/spec.h"
#include "../spec/inline.h"
#include "run.h"

/* A spec of the pipeline. */
typedef struct AcdcPipeSpec AcdcPipeSpec;
struct AcdcPipeSpec {
  i64 iRow;                /* In autocdc_specs */
  char *zName;             /* In autocdc_specs.  Owned */
  AcdcSpec *pSpec;         /* Owned */
  AcdcSpecOptions opt;     /* Owned; zBasePath is where files are read */
  u8 bTrusted;             /* This connection has loaded it */
  char *zHome;             /* Schema it is stored in: all that an untrusted one
                           ** may write to.  Owned */
};

/* A step of the pipeline, with the table that it fills. */
typedef struct AcdcPipeStep AcdcPipeStep;
struct AcdcPipeStep {
  const AcdcStep *pStep;   /* In pOwner->pSpec */
  AcdcPipeSpec *pOwner;    /* Not owned */
  char *zSchema;           /* Attached schema and name of the table.  Owned */
  char *zName;
  int nDep;
  int *aDep;               /* Steps whose tables it reads.  Owned */
  u8 eMark;                /* Of the ordering */
  u8 bRun;                 /* Asked for */
};

typedef struct AcdcPipeline AcdcPipeline;
struct AcdcPipeline {
  AcdcCtx *p;              /* Not owned */
  const AcdcRunOptions *pOpt;   /* Of the call.  Not owned; may be NULL */
  int nSpec;
  AcdcPipeSpec *aSpec;     /* Owned */
  int nStep;
  AcdcPipeStep *aStep;     /* Owned */
  int *aOrder;             /* Steps, each behind those it depends on.  Owned */
  const char *zFlow;       /* Only this flow of the steps asked for; or NULL */
};

/*
** Open the pipeline of all enabled specs.  Errors name the spec.  The caller
** closes it, also after an error.
*/
void acdcPipelineOpen(AcdcCtx *p, const AcdcRunOptions *pOpt,
                      AcdcPipeline *pOut);
void acdcPipelineClose(AcdcPipeline *pPipe);

/*
** Choose what runs: zName is a flow, a target, a data_flow_id or a group (in
** this order); NULL: all.  An unknown or ambiguous name is an error with the
** candidates.
*/
void acdcPipelineChoose(AcdcPipeline *pPipe, const char *zName);

/*
** The table that a name of a spec stands for: a step's, or one of the
** database.  *piStep is the step, or -1.  Both texts are owned by the caller.
*/
void acdcPipelineTable(AcdcPipeline *pPipe, const AcdcPipeSpec *pOwner,
                       const AcdcRel *pRel, char **pzSchema, char **pzName,
                       int *piStep);

/* Error if a spec may not write to a schema (docs/specs/README.md, Trust). */
void acdcPipelineMayWrite(AcdcPipeline *pPipe, const AcdcPipeSpec *pOwner,
                          const char *zSchema);

/* Error if a text of the spec names what does more than read the database; to
** be called before it is put into any SQL. */
void acdcPipelineTrust(AcdcCtx *p, const AcdcPipeSpec *pOwner, const char *z);

/*
** Run what was chosen inside a transaction that the caller holds.  zFlow and
** zTarget, if not NULL, keep it to one flow or target.
*/
void acdcPipelineRun(AcdcPipeline *pPipe, const char *zFlow,
                     const char *zTarget, AcdcRunResult *pR);

/* Does a step fill the table of that name?  It need not be one that runs. */
int acdcPipelineFills(AcdcPipeline *pPipe, const char *zTable);

/* Run one step (step.c). */
void acdcStepRun(AcdcPipeline *pPipe, AcdcPipeStep *pStep, AcdcRunResult *pR);

/* A table as flows and results name it: plain where that is clear.  bSchema: with
** its schema always, and fit for SQL.  Owned by the caller. */
char *acdcStepName(AcdcCtx *p, const char *zSchema, const char *zName,
                   int bSchema);

#endif /* ACDC_PIPELINE_H */
