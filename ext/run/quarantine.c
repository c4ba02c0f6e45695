/*
** The quarantine table of a flow: rows that an expectation with that action
** kept out of the merge, with the rules that each of them fails.
**
** The merge only counts them.  Where it has met some, the source is read once
** more, inside the same transaction, for just these rows.
*/
#include "stepint.h"
#include "../quality/rules.h"

/*
** The condition of such a row: what the merge has looked at (where, past the
** checkpoint, neither delete nor truncate nor a header) and some rule failed.
** Owned by the caller.
*/
static char *quarantineWhere(
  AcdcMerge *pM, const AcdcMergeOpts *pOpts, const char *zBad
){
  AcdcCtx *p = pM->p;
  const AcdcFlow *pFlow = pM->pFlow;
  const AcdcTable *pT = &pM->pSrc->tab;
  char *z = 0;
  int i;
  acdcAppendf(p, &z, "(%s\n)", zBad);
  if( pOpts->bAfter && pM->pSrc->zRowid ){
    acdcAppendf(p, &z, " AND %s>%lld", pM->pSrc->zRowid, pOpts->iAfter);
  }
  if( pFlow->zWhere ) acdcAppendf(p, &z, " AND (%s\n)", pFlow->zWhere);
  if( pFlow->zDeletes ){
    acdcAppendf(p, &z, " AND (%s\n) IS NOT TRUE", pFlow->zDeletes);
  }
  if( pFlow->zTruncates ){
    acdcAppendf(p, &z, " AND (%s\n) IS NOT TRUE", pFlow->zTruncates);
  }
  if( pFlow->bCdf ){
    acdcAppendf(p, &z, " AND \"_change_type\" IS NOT 'update_preimage'");
    if( pFlow->zDeletes==0 ){
      acdcAppendf(p, &z, " AND \"_change_type\" IS NOT 'delete'");
    }
  }
  for(i=0; i<pT->nCol && pT->nCol>1; i++){
    acdcAppendf(p, &z, "%s\"%w\" IS %Q COLLATE NOCASE",
                i ? " AND " : " AND NOT (", pT->aCol[i].zName,
                pT->aCol[i].zName);
  }
  if( pT->nCol>1 ) acdcAppendf(p, &z, ")");
  return z;
}

/* The source's columns and the one with the failed rules. */
static void quarantineColumns(
  AcdcMerge *pM, AcdcNames *pCols, AcdcNames *pTypes
){
  const AcdcTable *pT = &pM->pSrc->tab;
  int i;
  for(i=0; i<pT->nCol; i++){
    if( sqlite3_stricmp(pT->aCol[i].zName, "_errors")==0 ){
      acdcError(pM->p, SQLITE_ERROR, "the source has a column _errors, which "
          "is where the quarantine table keeps the rules that a row fails: "
          "rename it in a SELECT");
    }
    acdcNamesAdd(pM->p, pCols, pT->aCol[i].zName, -1);
    acdcNamesAdd(pM->p, pTypes, pT->aCol[i].zType ? pT->aCol[i].zType : "", -1);
  }
}

/* Put the rows there; bKnown: but for those that are there already. */
static void quarantineFill(
  AcdcMerge *pM, const AcdcMergeOpts *pOpts, const AcdcRules *pRules,
  const char *zTable, int bKnown
){
  AcdcCtx *p = pM->p;
  AcdcNames cols = {0, 0}, types = {0, 0};
  char *zBad = acdcRulesBad(p, pRules);
  char *zErrors = acdcRulesErrors(p, pRules);
  char *zWhere = zBad ? quarantineWhere(pM, pOpts, zBad) : 0;
  char *zRows, *zOld = 0;
  sqlite3_stmt *pStmt = 0;
  quarantineColumns(pM, &cols, &types);
  zRows = acdcStepList(p, &cols);
  acdcNamesAdd(p, &cols, "_errors", -1);
  acdcNamesAdd(p, &types, "TEXT", -1);
  if( !acdcStepMakeTable(p, pM->tgt.zSchema, zTable, &cols, &types)
   && bKnown ){
    zOld = acdcMprintf(p, " EXCEPT SELECT %s, \"_errors\" FROM \"%w\".\"%w\"",
                       zRows, pM->tgt.zSchema, zTable);
  }
  if( p->rc==0 ){
    pStmt = acdcPrepare(p, 0, "INSERT INTO \"%w\".\"%w\"(%s, \"_errors\") "
        "SELECT %s, %s FROM %s WHERE %s%s", pM->tgt.zSchema, zTable, zRows,
        zRows, zErrors, pM->pSrc->zFrom, zWhere, zOld ? zOld : "");
  }
  if( pStmt && pM->pSrc->pReader ){
    acdcReaderBind(pStmt, 1, pM->pSrc->pReader);
  }
  acdcStep(p, pStmt);
  if( pStmt && p->rc==0 ){
    i64 n = sqlite3_changes64(p->db);
    if( n ){
      acdcMergeNote(pM, 1, "%lld row%s put into quarantine table %s", n,
                    n==1 ? "" : "s", zTable);
    }else{
      acdcMergeNote(pM, 1, "quarantine table %s has the row%s already", zTable,
                    pM->nQuarantine==1 ? "" : "s");
    }
  }
  acdcFinalize(p, &pStmt);
  sqlite3_free(zBad);
  sqlite3_free(zErrors);
  sqlite3_free(zWhere);
  sqlite3_free(zRows);
  sqlite3_free(zOld);
  acdcNamesFree(&cols);
  acdcNamesFree(&types);
}

void acdcRunQuarantine(AcdcMerge *pM, const AcdcMergeOpts *pOpts){
  AcdcCtx *p = pM->p;
  AcdcRules rules;
  char *zTable;
  if( p->rc || pM->nQuarantine==0 ) return;
  memset(&rules, 0, sizeof(rules));
  rules.n = pM->pFlow->nExpect;
  rules.a = pM->pFlow->aExpect;
  rules.eFamily = ACDC_FAMILY_ENGINE;
  rules.bTable = 1;
  zTable = acdcMprintf(p, "%s_quarantine", pM->tgt.zName);
  if( zTable ){
    /* What is read whole each time would put its rows there each time. */
    quarantineFill(pM, pOpts, &rules, zTable, !pOpts->bAfter);
    acdcErrorWhere(p, "quarantine table %s", zTable);
  }
  sqlite3_free(zTable);
}
