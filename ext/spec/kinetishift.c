/*
** The reader of KinetiShift table lists.
*/
#include "spec.h"

/*
** The position of a change: CAST(_commit_scn AS DECIMAL(38,0)) * 10^12 + _seq,
** as its decimal digits.  An SCN goes up to 2^64, so that the number fits
** neither an INTEGER nor, exactly, a REAL; digits are exact, and the order of
** sequences takes a text of digits as the number it is.  What is no such pair
** gives NULL, which the merge reports with the row.
*/
static const char zSequence[] =
  "CASE WHEN CAST(_commit_scn AS TEXT) NOT GLOB '*[^0-9]*'"
  " AND length(CAST(_commit_scn AS TEXT)) BETWEEN 1 AND 20"
  " AND CAST(_seq AS TEXT) NOT GLOB '*[^0-9]*'"
  " AND length(CAST(_seq AS TEXT)) BETWEEN 1 AND 12"
  " THEN CAST(_commit_scn AS TEXT)"
  " || substr('000000000000' || CAST(_seq AS TEXT), -12) END";

static const char *const azMeta[] = {
  "_op", "_commit_scn", "_txid", "_seq", "_rowid"
};

static void tableSettings(
  AcdcSpecRead *r,
  AcdcStep *pStep,
  const AcdcJsonNode *pEntry,
  int bHistory
){
  AcdcFlow *pFlow = &pStep->flow;
  const AcdcMember *pM = acdcFlowMember("except_column_list");
  AcdcTexts keys = {0, 0};
  int i;
  acdcReadTexts(r, pEntry, "keys", &keys);
  for(i=0; i<keys.n; i++) acdcNamesAdd(r->p, &pFlow->keys, keys.az[i], -1);
  acdcNamesAdd(r->p, &pFlow->sequenceBy, zSequence, -1);
  acdcFlowSetInt(r->p, pFlow, acdcFlowMember("scd_type"), bHistory ? 2 : 1);
  acdcFlowSetText(r->p, pFlow, acdcFlowMember("apply_as_deletes"),
                  "_op = 'D'");
  if( !bHistory ){
    acdcFlowSetText(r->p, pFlow, acdcFlowMember("apply_as_truncates"),
                    "_op = 'T'");
  }
  acdcFlowListBegin(r->p, pFlow, pM);
  for(i=0; i<5; i++) acdcFlowListAdd(r->p, pFlow, pM, azMeta[i]);
}

static void readEntry(
  AcdcSpecRead *r,
  const AcdcJsonNode *pEntry,
  const char *zCatalog,
  const char *zSchema
){
  const char *zTable = acdcReadText(r, pEntry, "table");
  const char *zScd = acdcReadText(r, pEntry, "scd");
  const char *zTarget = acdcReadText(r, pEntry, "target");
  const char *zSource = acdcReadText(r, pEntry, "source");
  int bHistory = zScd && strcmp(zScd, "2")==0;
  AcdcStep *pStep, *pOther;
  AcdcView *pView;
  AcdcInput *pIn;
  if( zTable==0 ) return;
  if( zTarget==0 ){
    zTarget = bHistory ? acdcReadFmt(r, "%s_history", zTable) : zTable;
  }
  for(pOther=r->pSpec->pStep; pOther; pOther=pOther->pNext){
    if( pOther->target.zName
     && sqlite3_stricmp(pOther->zNode, zTarget)==0 ){
      acdcReadError(r, pEntry, "give one of them another \"target\"",
                    "two entries have the target \"%s\"", zTarget);
      return;
    }
  }
  r->zId = zTarget;
  pView = acdcReadNewView(r, pEntry, acdcReadFmt(r, "%s_kinetishift_changes",
                                                 zTarget));
  pStep = acdcReadNewStep(r, pEntry, ACDC_STEP_MERGE);
  pIn = pStep ? acdcReadNewInput(r, pStep, pEntry,
            acdcReadFmt(r, "%s_kinetishift_auto_cdc", zTarget)) : 0;
  if( pView==0 || pIn==0 ) return;
  pView->eKind = ACDC_VIEW_TABLE;
  pView->bStream = 1;
  pView->table = zSource ? acdcReadRel(r, zSource, 0, 0)
      : acdcReadRel(r, acdcReadFmt(r, "\"%s__changes\"", zTable), zSchema,
                    zCatalog);
  /* A history has no truncates, and NULL <> 'T' is not true either. */
  if( bHistory ) acdcReadTextsAdd(r, &pView->where, "_op <> 'T'");
  pStep->target = acdcReadRel(r, zTarget, 0, 0);
  pStep->zNode = zTarget;
  pIn->pView = pView;
  pIn->zView = pView->zName;
  tableSettings(r, pStep, pEntry, bHistory);
}

static void readList(
  AcdcSpecRead *r,
  const AcdcJsonNode *pList,
  const char *zCatalog,
  const char *zSchema
){
  const AcdcJsonNode *pNode;
  for(pNode=pList->pFirst; pNode; pNode=pNode->pNext){
    if( pNode->eType==ACDC_JSON_OBJECT ){
      readEntry(r, pNode, zCatalog, zSchema);
    }
  }
}

/*
** pRoot is the list, or the configuration of a pipeline that holds it.  There
** it may be text, as Spark configurations are; that text is then a document of
** its own.
*/
void acdcReadKinetiShift(AcdcSpecRead *r, const AcdcJsonNode *pRoot){
  const char *zCatalog = 0;
  const char *zSchema = 0;
  r->pSpec->zName = "kinetishift";
  if( pRoot->eType==ACDC_JSON_OBJECT ){
    const AcdcJsonNode *pList = acdcJsonMember(pRoot, "kinetishift.tables");
    zCatalog = acdcReadText(r, pRoot, "kinetishift.source_catalog");
    zSchema = acdcReadText(r, pRoot, "kinetishift.source_schema");
    if( pList && pList->eType==ACDC_JSON_STRING ){
      AcdcCtx sub;
      AcdcJsonPos pos;
      AcdcJson *pOuter = r->pDoc;
      AcdcJson *pInner;
      acdcCtxInit(&sub, r->p->db);
      pInner = acdcJsonParse(&sub, pList->zText, -1, &pos);
      if( pInner==0 ){
        acdcReadError(r, pList, 0, "the list of tables is no JSON: line %d, "
            "column %d: %s", pos.iLine, pos.iCol, acdcErrorText(&sub));
      }else{
        const AcdcJsonNode *p = acdcJsonRoot(pInner)->pFirst;
        r->pDoc = pInner;
        for(; p; p=p->pNext){
          acdcShapeCheck(r->p, pInner, p, r->pSpec->pFormat->pShape, 0,
                         r->pDiags);
        }
        readList(r, acdcJsonRoot(pInner), zCatalog, zSchema);
        r->pDoc = pOuter;
        acdcJsonFree(pInner);
      }
      acdcCtxClear(&sub);
      return;
    }
    if( pList ) readList(r, pList, zCatalog, zSchema);
    return;
  }
  readList(r, pRoot, zCatalog, zSchema);
}
