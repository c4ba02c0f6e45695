/*
** Table-valued functions that run flows: apply_changes() and its kin.  They
** have the same arguments (a flow, options), the same result columns and the
** same transaction; each says only what it runs.
*/
#ifndef ACDC_RUNTAB_H
#define ACDC_RUNTAB_H

#include "tabfunc.h"
#include "../run/run.h"
#include "../spec/inline.h"

/*
** One call.  Texts are not owned; they are NULL if they were not given.
*/
typedef struct AcdcRunCall AcdcRunCall;
struct AcdcRunCall {
  const char *zSpec;     /* First argument: a name, or an inline flow */
  u8 bInline;            /* It is an inline flow */
  u8 bNone;              /* No row can be in the result: nothing is to run */
  const char *zFlow;     /* WHERE flow = ... */
  const char *zTarget;   /* WHERE target = ... */
  AcdcRunOptions options;
};

/* What one function does.  Static. */
typedef struct AcdcRunTab AcdcRunTab;
struct AcdcRunTab {
  const char *zNull;     /* What to do, if the flow is NULL */
  /* Run inside the transaction that is open; add rows to pR. */
  void (*xRun)(AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR);
};

/* The AcdcTabFunc of such a function. */
#define ACDC_RUNTAB_FUNC(zName, pTab) { zName, \
  "CREATE TABLE x(flow, target, status, rows_read, inserted, updated, deleted, " \
  "unchanged, late, rejected, message, spec HIDDEN, options HIDDEN, " \
  "duration_ms HIDDEN, scd_type HIDDEN, source HIDDEN, snapshot_version HIDDEN, "\
  "rows_filtered HIDDEN, ties HIDDEN, sequence_from HIDDEN, sequence_to HIDDEN)",\
  {{ 11, 0 }, { 12, 0 }, { 0, 1 }, { 1, 1 }},  /* spec, options, flow, target */ \
  4, 0, sizeof(AcdcRunResult), acdcRunTabRun, acdcRunTabColumn, acdcRunTabClear, \
  pTab }
int acdcRunTabRun(AcdcCtx *p, const AcdcTabFunc *pF, sqlite3_value **apArg,
                  void *pData);
void acdcRunTabColumn(sqlite3_context *pCtx, const void *pData, int iRow,
                      int iCol);
void acdcRunTabClear(void *pData);
/* Run a flow, if the restriction lets it; options of the call hold. */
void acdcRunTabFlow(AcdcCtx *p, const AcdcRunCall *pCall, AcdcFlow *pFlow,
                    AcdcRunResult *pR);
/* Does the result's restriction on flow and target let this flow run? */
int acdcRunTabWants(const AcdcRunCall *pCall, const AcdcFlow *pFlow);

#endif /* ACDC_RUNTAB_H */
