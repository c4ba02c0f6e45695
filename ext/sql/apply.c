/*
** apply_changes([flow [, options]]): runs flows, a row for each flow run.
*/
#include "sql.h"
#include "../run/pipeline.h"
#include "runtab.h"
#include "scd2.h"

/* The pipeline of the specs that are loaded, and the flows of scd2 tables. */
typedef struct ApplyAll ApplyAll;
struct ApplyAll {
  AcdcPipeline pipe;
  AcdcNames scd2;        /* Names of scd2 tables */
  AcdcNames last;        /* Of those, which read what the pipeline fills */
};

/* Run the flow of an scd2 table; 0 if zName is none. */
static int applyScd2(
  AcdcCtx *p, const AcdcRunCall *pCall, const char *zName, AcdcRunResult *pR
){
  AcdcFlow flow;
  int bIs = acdcScd2Flow(p, zName, &flow);
  if( bIs ) acdcRunTabFlow(p, pCall, &flow, pR);
  acdcFlowClear(&flow);
  return bIs || p->rc;
}

/* Which scd2 tables must wait for the pipeline. */
static void applyOrder(AcdcCtx *p, ApplyAll *pAll){
  int i;
  acdcScd2List(p, &pAll->scd2);
  for(i=0; i<pAll->scd2.n && p->rc==0; i++){
    AcdcFlow flow;
    if( acdcScd2Flow(p, pAll->scd2.az[i], &flow)
     && flow.eSource==ACDC_SOURCE_TABLE
     && acdcPipelineFills(&pAll->pipe, flow.zSource) ){
      acdcNamesAdd(p, &pAll->last, pAll->scd2.az[i], -1);
    }
    acdcFlowClear(&flow);
  }
}

static void applyAll(AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR){
  ApplyAll all;
  int i, bLast;
  memset(&all, 0, sizeof(all));
  acdcPipelineOpen(p, &pCall->options, &all.pipe);
  acdcPipelineChoose(&all.pipe, pCall->zSpec);
  if( pCall->zSpec==0 ) applyOrder(p, &all);
  for(bLast=0; bLast<2; bLast++){
    if( bLast ) acdcPipelineRun(&all.pipe, pCall->zFlow, pCall->zTarget, pR);
    for(i=0; i<all.scd2.n && p->rc==0; i++){
      const char *zName = all.scd2.az[i];
      if( (acdcNamesFind(&all.last, zName)>=0)!=bLast ) continue;
      applyScd2(p, pCall, zName, pR);
    }
  }
  acdcPipelineClose(&all.pipe);
  acdcNamesFree(&all.scd2);
  acdcNamesFree(&all.last);
}

static void applyRun(AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR){
  AcdcFlow flow;
  if( !pCall->bInline ){
    if( pCall->zSpec && applyScd2(p, pCall, pCall->zSpec, pR) ) return;
    applyAll(p, pCall, pR);
    return;
  }
  acdcFlowInit(&flow);
  acdcInlineRead(p, pCall->zSpec, ACDC_USE_CHANGES, &flow);
  acdcFlowCheck(p, &flow);
  acdcRunTabFlow(p, pCall, &flow, pR);
  acdcFlowClear(&flow);
}

int acdcApplyRegister(sqlite3 *db){
  static const AcdcRunTab tab = {
    "give its name, or a flow as JSON, or no argument to run all flows that "
    "are loaded",
    applyRun
  };
  static const AcdcTabFunc func = ACDC_RUNTAB_FUNC("apply_changes", &tab);
  return acdcTabFuncRegister(db, &func);
}
