/*
** apply_changes([flow [, options]]): runs flows, a row for each flow run.
*/
#include "sql.h"
#include "../run/pipeline.h"
#include "runtab.h"
#include "scd2.h"

/* Run the flow of an scd2 table; 0 if zName is none. */
static int applyScd2(
  AcdcCtx *p, const AcdcRunCall *pCall, const char *zName, AcdcRunResult *pR
){
  AcdcFlow flow;
  AcdcRunFlowOpts opts;
  int bIs = acdcScd2Flow(p, zName, &flow);
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pCall->options.bReadAll;
  opts.nMemory = pCall->options.nMemory;
  if( bIs && acdcRunTabWants(pCall, &flow) ){
    acdcRunFlow(p, &flow, 0, &opts, pR);
  }
  acdcFlowClear(&flow);
  return bIs || p->rc;
}

/* Run all of them; returns how many there are. */
static int applyScd2All(
  AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR
){
  AcdcNames names = {0, 0};
  int i, n;
  acdcScd2List(p, &names);
  n = names.n;
  for(i=0; i<n && p->rc==0; i++) applyScd2(p, pCall, names.az[i], pR);
  acdcNamesFree(&names);
  return n;
}

static void applyRun(AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR){
  AcdcFlow flow;
  AcdcRunFlowOpts opts;
  if( !pCall->bInline ){
    if( pCall->zSpec && applyScd2(p, pCall, pCall->zSpec, pR) ) return;
    if( pCall->zSpec==0 ) applyScd2All(p, pCall, pR);
    acdcPipelineApply(p, pCall->zSpec, &pCall->options, pCall->zFlow,
                      pCall->zTarget, pR);
    return;
  }
  acdcFlowInit(&flow);
  acdcInlineRead(p, pCall->zSpec, ACDC_USE_CHANGES, &flow);
  acdcFlowCheck(p, &flow);
  memset(&opts, 0, sizeof(opts));
  opts.bReadAll = pCall->options.bReadAll;
  opts.nMemory = pCall->options.nMemory;
  if( p->rc==0 && acdcRunTabWants(pCall, &flow) ){
    if( flow.eSource==ACDC_SOURCE_FILES ){
      acdcRunFiles(p, &flow, pCall->options.zBasePath, &opts, pR);
    }else{
      acdcRunFlow(p, &flow, 0, &opts, pR);
    }
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
