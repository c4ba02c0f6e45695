/*
** The flow model: memory, defaults and the rules among members.
*/
#include "flow.h"

void acdcFlowInit(AcdcFlow *pFlow){
  memset(pFlow, 0, sizeof(*pFlow));
  pFlow->eScd = ACDC_SCD1;
  pFlow->version.eType = SQLITE_NULL;
}

void acdcFlowClear(AcdcFlow *pFlow){
  int i;
  AcdcNames *aNames[10];
  aNames[0] = &pFlow->keys;
  aNames[1] = &pFlow->sequenceBy;
  aNames[2] = &pFlow->systemSequenceBy;
  aNames[3] = &pFlow->columnList.names;
  aNames[4] = &pFlow->exceptColumnList.names;
  aNames[5] = &pFlow->trackList.names;
  aNames[6] = &pFlow->trackExceptList.names;
  aNames[7] = &pFlow->ignoreNullList.names;
  aNames[8] = &pFlow->ignoreNullExceptList.names;
  aNames[9] = &pFlow->files.optName;
  for(i=0; i<10; i++) acdcNamesFree(aNames[i]);
  acdcNamesFree(&pFlow->files.optValue);
  acdcNamesFree(&pFlow->files.memName);
  acdcNamesFree(&pFlow->files.memValue);
  sqlite3_free(pFlow->zName);
  sqlite3_free(pFlow->zTarget);
  sqlite3_free(pFlow->zSource);
  sqlite3_free(pFlow->files.zFormat);
  sqlite3_free(pFlow->files.zPath);
  sqlite3_free(pFlow->files.zSchema);
  sqlite3_free(pFlow->zWhere);
  sqlite3_free(pFlow->zDeletes);
  sqlite3_free(pFlow->zTruncates);
  sqlite3_free(pFlow->zColumnsToUpdate);
  sqlite3_free(pFlow->zVersion);
  for(i=0; i<pFlow->nExpect; i++){
    sqlite3_free(pFlow->aExpect[i].zName);
    sqlite3_free(pFlow->aExpect[i].zRule);
  }
  sqlite3_free(pFlow->aExpect);
  acdcFlowInit(pFlow);
}

static void flowListCopy(AcdcCtx *p, AcdcList *pTo, const AcdcList *pFrom){
  pTo->bGiven = pFrom->bGiven;
  acdcNamesCopy(p, &pTo->names, &pFrom->names);
}

void acdcFlowCopy(AcdcCtx *p, AcdcFlow *pTo, const AcdcFlow *pFrom){
  int i;
  acdcFlowInit(pTo);
  pTo->zName = acdcStrdup(p, pFrom->zName);
  pTo->zTarget = acdcStrdup(p, pFrom->zTarget);
  pTo->eSource = pFrom->eSource;
  pTo->zSource = acdcStrdup(p, pFrom->zSource);
  pTo->files.zFormat = acdcStrdup(p, pFrom->files.zFormat);
  pTo->files.zPath = acdcStrdup(p, pFrom->files.zPath);
  pTo->files.zSchema = acdcStrdup(p, pFrom->files.zSchema);
  acdcNamesCopy(p, &pTo->files.optName, &pFrom->files.optName);
  acdcNamesCopy(p, &pTo->files.optValue, &pFrom->files.optValue);
  acdcNamesCopy(p, &pTo->files.memName, &pFrom->files.memName);
  acdcNamesCopy(p, &pTo->files.memValue, &pFrom->files.memValue);
  acdcNamesCopy(p, &pTo->keys, &pFrom->keys);
  acdcNamesCopy(p, &pTo->sequenceBy, &pFrom->sequenceBy);
  acdcNamesCopy(p, &pTo->systemSequenceBy, &pFrom->systemSequenceBy);
  pTo->eScd = pFrom->eScd;
  pTo->bScdGiven = pFrom->bScdGiven;
  pTo->zWhere = acdcStrdup(p, pFrom->zWhere);
  pTo->zDeletes = acdcStrdup(p, pFrom->zDeletes);
  pTo->zTruncates = acdcStrdup(p, pFrom->zTruncates);
  flowListCopy(p, &pTo->columnList, &pFrom->columnList);
  flowListCopy(p, &pTo->exceptColumnList, &pFrom->exceptColumnList);
  flowListCopy(p, &pTo->trackList, &pFrom->trackList);
  flowListCopy(p, &pTo->trackExceptList, &pFrom->trackExceptList);
  pTo->bIgnoreNull = pFrom->bIgnoreNull;
  flowListCopy(p, &pTo->ignoreNullList, &pFrom->ignoreNullList);
  flowListCopy(p, &pTo->ignoreNullExceptList, &pFrom->ignoreNullExceptList);
  pTo->zColumnsToUpdate = acdcStrdup(p, pFrom->zColumnsToUpdate);
  pTo->bOnce = pFrom->bOnce;
  pTo->bCdf = pFrom->bCdf;
  pTo->eTieBreak = pFrom->eTieBreak;
  pTo->bNullKeysMatch = pFrom->bNullKeysMatch;
  pTo->bEmptyAsNull = pFrom->bEmptyAsNull;
  pTo->eScd2Truncates = pFrom->eScd2Truncates;
  pTo->bReadAll = pFrom->bReadAll;
  pTo->bSnapshot = pFrom->bSnapshot;
  pTo->eDedup = pFrom->eDedup;
  pTo->eOnEmpty = pFrom->eOnEmpty;
  pTo->bAdopt = pFrom->bAdopt;
  if( pFrom->bVersionGiven ) acdcFlowSetVersion(p, pTo, &pFrom->version);
  for(i=0; i<pFrom->nExpect; i++){
    const AcdcExpect *pE = &pFrom->aExpect[i];
    acdcFlowAddExpect(p, pTo, pE->zName, pE->zRule, pE->eAction);
  }
}

void acdcFlowAddOption(
  AcdcCtx *p, AcdcFlow *pFlow, const char *zName, const char *zValue
){
  acdcNamesAdd(p, &pFlow->files.optName, zName, -1);
  acdcNamesAdd(p, &pFlow->files.optValue, zValue, -1);
}

void acdcFlowAddExpect(
  AcdcCtx *p, AcdcFlow *pFlow, const char *zName, const char *zRule, u8 eAction
){
  AcdcExpect *aNew = acdcRealloc(p, pFlow->aExpect,
                                 sizeof(AcdcExpect)*(pFlow->nExpect+1));
  if( aNew ){
    AcdcExpect *pE = &aNew[pFlow->nExpect];
    pFlow->aExpect = aNew;
    memset(pE, 0, sizeof(*pE));
    pE->zName = acdcStrdup(p, zName);
    pE->zRule = acdcStrdup(p, zRule);
    pE->eAction = eAction;
    pFlow->nExpect++;
  }
}

void acdcFlowSetVersion(AcdcCtx *p, AcdcFlow *pFlow, const AcdcVal *pV){
  sqlite3_free(pFlow->zVersion);
  pFlow->zVersion = 0;
  pFlow->version = *pV;
  pFlow->bVersionGiven = 1;
  if( pV->eType==SQLITE_TEXT || pV->eType==SQLITE_BLOB ){
    pFlow->zVersion = acdcStrndup(p, (const char*)pV->u.z, pV->n);
    pFlow->version.u.z = (const u8*)pFlow->zVersion;
  }
}

/*
** Rules on the members that tell which rows and columns count.
*/
static void flowCheckLists(AcdcCtx *p, const AcdcFlow *pFlow){
  int nIgnore = (pFlow->bIgnoreNull!=0) + pFlow->ignoreNullList.bGiven
              + pFlow->ignoreNullExceptList.bGiven;
  if( pFlow->columnList.bGiven && pFlow->exceptColumnList.bGiven ){
    acdcError(p, SQLITE_ERROR, "column_list and except_column_list are both "
        "given: use one of them");
  }
  if( pFlow->columnList.bGiven && pFlow->columnList.names.n==0 ){
    acdcError(p, SQLITE_ERROR, "column_list is empty: name the columns, or "
        "leave it out to take all");
  }
  if( pFlow->trackList.bGiven && pFlow->trackExceptList.bGiven ){
    acdcError(p, SQLITE_ERROR, "track_history_column_list and "
        "track_history_except_column_list are both given: use one of them");
  }
  if( (pFlow->trackList.bGiven || pFlow->trackExceptList.bGiven)
   && pFlow->eScd==ACDC_SCD1
  ){
    acdcError(p, SQLITE_ERROR, "track_history lists need scd_type 2: a "
        "current-state table (scd_type 1) keeps no history");
  }
  if( (pFlow->trackList.bGiven || pFlow->trackExceptList.bGiven)
   && pFlow->eScd==ACDC_BITEMPORAL
  ){
    acdcError(p, SQLITE_ERROR, "track_history lists need scd_type 2; with "
        "scd_type bitemporal every selected column is tracked");
  }
  if( nIgnore>1 ){
    acdcError(p, SQLITE_ERROR, "at most one of ignore_null_updates, "
        "ignore_null_updates_column_list and "
        "ignore_null_updates_except_column_list may be given");
  }
  if( pFlow->ignoreNullList.bGiven && pFlow->ignoreNullList.names.n==0 ){
    acdcError(p, SQLITE_ERROR, "ignore_null_updates_column_list is empty: name "
        "the columns, or leave it out");
  }
  if( pFlow->zColumnsToUpdate && nIgnore ){
    acdcError(p, SQLITE_ERROR, "columns_to_update and ignore_null_updates "
        "exclude each other: use one of them");
  }
}

/* Rules that depend on the SCD type. */
static void flowCheckScd(AcdcCtx *p, const AcdcFlow *pFlow){
  if( pFlow->zTruncates && pFlow->eScd==ACDC_SCD2
   && pFlow->eScd2Truncates==ACDC_TRUNC_REFUSE
  ){
    acdcError(p, SQLITE_ERROR, "apply_as_truncates is for scd_type 1: for a "
        "history table say what a truncate means with scd2_truncates: "
        "\"close\" (ends every open version) or \"ignore\" (drops such rows)");
  }
  if( pFlow->eScd==ACDC_BITEMPORAL ){
    if( pFlow->zTruncates ){
      acdcError(p, SQLITE_ERROR,
          "apply_as_truncates is not supported with scd_type bitemporal");
    }
    if( pFlow->zColumnsToUpdate ){
      acdcError(p, SQLITE_ERROR,
          "columns_to_update is not supported with scd_type bitemporal");
    }
    if( pFlow->systemSequenceBy.n==0 ){
      acdcError(p, SQLITE_ERROR, "scd_type bitemporal needs "
          "system_sequence_by: the column that says when an event was known");
    }
    if( pFlow->bSnapshot ){
      acdcError(p, SQLITE_ERROR,
          "snapshots are not supported with scd_type bitemporal");
    }
  }else if( pFlow->systemSequenceBy.n ){
    acdcError(p, SQLITE_ERROR,
        "system_sequence_by is for scd_type \"bitemporal\" only");
  }
}

void acdcFlowCheck(AcdcCtx *p, AcdcFlow *pFlow){
  if( p->rc ) return;
  if( pFlow->zTarget==0 || pFlow->zTarget[0]==0 ){
    acdcError(p, SQLITE_ERROR, "member \"target\" is missing: name the table "
        "that the changes are merged into");
  }
  if( pFlow->zName==0 ) pFlow->zName = acdcStrdup(p, pFlow->zTarget);
  if( pFlow->eSource==ACDC_SOURCE_NONE ){
    acdcError(p, SQLITE_ERROR, "member \"source\" is missing: name a table or "
        "view, or give a SELECT");
  }
  if( pFlow->keys.n==0 ){
    acdcError(p, SQLITE_ERROR, "member \"keys\" is missing or empty: name the "
        "column or columns that identify a row");
  }
  if( pFlow->bSnapshot ){
    if( pFlow->sequenceBy.n || pFlow->zDeletes || pFlow->zTruncates ){
      acdcError(p, SQLITE_ERROR, "sequence_by, apply_as_deletes and "
          "apply_as_truncates are for change rows; a snapshot has \"version\"");
    }
    if( pFlow->bVersionGiven && pFlow->version.eType==SQLITE_NULL ){
      acdcError(p, SQLITE_ERROR, "version is NULL: give the snapshot's version "
          "(a number, a timestamp or a text that rises)");
    }
  }else if( pFlow->sequenceBy.n==0 ){
    acdcError(p, SQLITE_ERROR, "member \"sequence_by\" is missing: name the "
        "column that orders the changes of a key");
  }
  flowCheckLists(p, pFlow);
  flowCheckScd(p, pFlow);
}
