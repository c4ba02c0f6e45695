/*
** apply_changes_from_snapshot(flow [, options]): applies one snapshot.
*/
#include "sql.h"
#include "runtab.h"

static void snapshotRun(
  AcdcCtx *p, const AcdcRunCall *pCall, AcdcRunResult *pR
){
  AcdcFlow flow;
  if( !pCall->bInline ){
    acdcError(p, SQLITE_ERROR, "it takes a flow as JSON, like '{\"target\": "
        "\"t\", \"source\": \"t_snapshot\", \"keys\": \"id\", \"version\": "
        "1}'%s", pCall->zSpec ? "; apply_changes() runs flows by name" : "");
    return;
  }
  acdcFlowInit(&flow);
  flow.bSnapshot = 1;
  acdcInlineRead(p, pCall->zSpec, ACDC_USE_SNAPSHOT, &flow);
  acdcFlowCheck(p, &flow);
  acdcRunTabFlow(p, pCall, &flow, pR);
  acdcFlowClear(&flow);
}

int acdcSnapshotApplyRegister(sqlite3 *db){
  static const AcdcRunTab tab = { "give it as JSON", snapshotRun };
  static const AcdcTabFunc func =
      ACDC_RUNTAB_FUNC("apply_changes_from_snapshot", &tab);
  return acdcTabFuncRegister(db, &func);
}
