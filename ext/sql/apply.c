/*
** apply_changes([flow [, options]]): runs flows, a row for each flow run.
*/
#include "sql.h"
#include "runtab.h"

static void applyRun(AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR){
  AcdcFlow flow;
  AcdcRunFlowOpts opts;
  if( !pCall->bInline ){
    acdcError(p, SQLITE_ERROR, "no flow is loaded%s%s: give a flow as JSON, "
        "like '{\"target\": \"t\", \"source\": \"t_changes\", \"keys\": "
        "\"id\", \"sequence_by\": \"seq\"}'",
        pCall->zSpec ? " that is named " : "", pCall->zSpec ? pCall->zSpec:"");
    return;
  }
  acdcFlowInit(&flow);
  acdcInlineRead(p, pCall->zSpec, ACDC_USE_CHANGES, &flow);
  acdcFlowCheck(p, &flow);
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pCall->options.bReadAll;
  if( p->rc==0 && acdcRunTabWants(pCall, &flow) ){
    acdcRunFlow(p, &flow, 0, &opts, pR);
  }
  acdcFlowClear(&flow);
}

int acdcApplyRegister(sqlite3 *db){
  static const AcdcRunTab tab = {
    "apply_changes",
    "give its name, or a flow as JSON, or no argument to run all flows that "
    "are loaded",
    applyRun
  };
  return acdcRunTabRegister(db, &tab);
}
