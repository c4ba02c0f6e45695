/*
** Table-valued functions that run flows: apply_changes() and its kin.  They
** have the same arguments (a flow, options), the same result columns and the
** same transaction; each says only what it runs.
*/
#ifndef ACDC_RUNTAB_H
#define ACDC_RUNTAB_H

#include "../core/core.h"
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

/* One function.  Static: the module keeps a pointer to it. */
typedef struct AcdcRunTab AcdcRunTab;
struct AcdcRunTab {
  const char *zName;
  const char *zNull;     /* What to do, if the flow is NULL */
  /* Run inside the transaction that is open; add rows to pR. */
  void (*xRun)(AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR);
};

int acdcRunTabRegister(sqlite3 *db, const AcdcRunTab *pTab);
/* Run a flow, if the restriction lets it; options of the call hold. */
void acdcRunTabFlow(AcdcCtx *p, const AcdcRunCall *pCall, AcdcFlow *pFlow,
                    AcdcRunResult *pR);
/* Does the result's restriction on flow and target let this flow run? */
int acdcRunTabWants(const AcdcRunCall *pCall, const AcdcFlow *pFlow);

#endif /* ACDC_RUNTAB_H */
