/*
** autocdc_vacuum(): one target, one transaction.
*/
#include "run.h"
#include "../merge/inspect.h"

char *acdcVacuumTarget(AcdcCtx *p, const char *zTarget, const AcdcVal *pBefore){
  AcdcTrans trans = {0, 0};
  AcdcInspect in;
  char *zSchema, *zName, *zSay = 0;
  if( acdcFindTarget(p, zTarget, &zSchema, &zName) ){
    acdcTransBegin(p, &trans, "it");
    if( p->rc==0 ){
      acdcInspectOpen(p, &in, zSchema, zName, 1);
      zSay = acdcVacuum(&in, pBefore);
      acdcInspectClose(&in);
    }
    acdcTransEnd(p, &trans);
  }
  sqlite3_free(zSchema);
  sqlite3_free(zName);
  return zSay;
}
