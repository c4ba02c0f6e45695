/*
** The target table and the names of a flow: which source column is a key, a
** value or neither; the table made, adopted or widened; settings that are
** frozen (semantics.md 1.4, 1.6, 4.3, 5.1, 9).
*/
#include "merge.h"

/*
** Resolve a list of column names against the source.  Sets aHit[] of the
** columns named.  Unknown names are an error that lists all of them.
*/
static void targetList(
  AcdcMerge *pM, const char *zMember, const AcdcNames *pList, u8 *aHit
){
  AcdcCtx *p = pM->p;
  const AcdcTable *pT = &pM->pSrc->tab;
  char *zBad = 0, *zCols = 0;
  const char *zNear = 0;
  int i, nBad = 0;
  for(i=0; i<pList->n && p->rc==0; i++){
    int iCol = acdcTableColumn(pT, pList->az[i]);
    if( iCol<0 ){
      char *z = acdcUnquote(p, pList->az[i]);
      if( z ) iCol = acdcTableColumn(pT, z);
      sqlite3_free(z);
    }
    if( iCol>=0 ){
      aHit[iCol] = 1;
    }else{
      acdcAppendf(p, &zBad, "%s%s", nBad++ ? ", " : "", pList->az[i]);
    }
  }
  if( nBad && p->rc==0 ){
    const char **az = acdcMalloc(p, sizeof(char*)*(pT->nCol+1));
    for(i=0; i<pT->nCol && az; i++){
      az[i] = pT->aCol[i].zName;
      acdcAppendf(p, &zCols, "%s%s", i ? ", " : "", pT->aCol[i].zName);
    }
    if( az && nBad==1 ) zNear = acdcNearest(zBad, az, pT->nCol);
    acdcError(p, SQLITE_ERROR, "%s: no such column%s in source %s: %s%s%s%s "
        "(columns: %s)", zMember, nBad>1 ? "s" : "", pM->pSrc->zLabel, zBad,
        zNear ? "; did you mean " : "", zNear ? zNear : "",
        zNear ? "?" : "", zCols ? zCols : "none");
    sqlite3_free((void*)az);
  }
  sqlite3_free(zBad);
  sqlite3_free(zCols);
}

static int targetIsMeta(const char *zName){
  return sqlite3_stricmp(zName, "_change_type")==0
      || sqlite3_stricmp(zName, "_commit_version")==0
      || sqlite3_stricmp(zName, "_commit_timestamp")==0;
}

static int targetIsReserved(const AcdcMerge *pM, const char *zName){
  if( pM->pFlow->eScd==ACDC_SCD1 ) return 0;
  if( sqlite3_stricmp(zName, ACDC_START)==0 ) return 1;
  if( sqlite3_stricmp(zName, ACDC_END)==0 ) return 1;
  return pM->pFlow->eScd==ACDC_BITEMPORAL
      && (sqlite3_stricmp(zName, ACDC_SYSSTART)==0
       || sqlite3_stricmp(zName, ACDC_SYSEND)==0);
}

/*
** Which source columns reach the target (semantics.md 1.4, 1.5).
*/
static void targetSelect(AcdcMerge *pM, u8 *aSel){
  const AcdcFlow *pFlow = pM->pFlow;
  const AcdcTable *pT = &pM->pSrc->tab;
  u8 *aHit = acdcMalloc(pM->p, pT->nCol+1);
  int i;
  if( aHit==0 ) return;
  if( pFlow->columnList.bGiven ){
    targetList(pM, "column_list", &pFlow->columnList.names, aSel);
  }else{
    if( pFlow->exceptColumnList.bGiven ){
      targetList(pM, "except_column_list", &pFlow->exceptColumnList.names,aHit);
    }
    for(i=0; i<pT->nCol; i++) aSel[i] = !aHit[i];
  }
  for(i=0; i<pT->nCol; i++){
    if( pFlow->bCdf && targetIsMeta(pT->aCol[i].zName) ) aSel[i] = 0;
    if( targetIsReserved(pM, pT->aCol[i].zName)
     && (aSel[i] || !aHit[i])
    ){
      acdcError(pM->p, SQLITE_ERROR, "source column %s has a name that is "
          "reserved in a history table: rename it with a SELECT, or name it "
          "in except_column_list", pT->aCol[i].zName);
    }
  }
  sqlite3_free(aHit);
}

static void targetKeys(AcdcMerge *pM, const u8 *aSel, u8 *aIsKey){
  AcdcCtx *p = pM->p;
  const AcdcNames *pKeys = &pM->pFlow->keys;
  const AcdcTable *pT = &pM->pSrc->tab;
  int i;
  for(i=0; i<pKeys->n && p->rc==0; i++){
    AcdcNames one = {0, 0};
    u8 *aHit = acdcMalloc(p, pT->nCol+1);
    int iCol;
    acdcNamesAdd(p, &one, pKeys->az[i], -1);
    if( aHit ) targetList(pM, "keys", &one, aHit);
    for(iCol=0; aHit && iCol<pT->nCol && p->rc==0; iCol++){
      if( !aHit[iCol] || aIsKey[iCol] ) continue;
      if( !aSel[iCol] ){
        acdcError(p, SQLITE_ERROR, "key column %s is not among the selected "
            "columns: a key must reach the target, see column_list and "
            "except_column_list", pT->aCol[iCol].zName);
      }else if( pM->nKey>=ACDC_MAXKEY ){
        acdcError(p, SQLITE_ERROR, "more than %d key columns", ACDC_MAXKEY);
      }else{
        aIsKey[iCol] = 1;
        pM->aKey[pM->nKey++].iSrc = iCol;
      }
    }
    sqlite3_free(aHit);
    acdcNamesFree(&one);
  }
}

/* ---- the table ---- */

static void targetFind(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  const char *zTarget = pM->pFlow->zTarget;
  char *zSchema = 0, *zName = 0;
  /* A plain name means main first: a TEMP table of the same name is not it */
  if( acdcTableFind(p, "main", zTarget, &pM->tgt) ) return;
  if( acdcTableFind(p, 0, zTarget, &pM->tgt) ) return;
  acdcSplitName(p, zTarget, &zSchema, &zName);
  if( zSchema ){
    i64 bThere = 0;
    sqlite3_stmt *pStmt = acdcPrepare(p, 0,
        "SELECT 1 FROM pragma_database_list WHERE name=?1 COLLATE NOCASE");
    if( pStmt ) sqlite3_bind_text(pStmt, 1, zSchema, -1, SQLITE_STATIC);
    bThere = acdcStep(p, pStmt);
    acdcFinalize(p, &pStmt);
    if( !bThere && sqlite3_stricmp(zSchema, "temp")!=0 ){
      acdcError(p, SQLITE_ERROR, "target %s: there is no schema %s: ATTACH "
          "'%s.db' AS \"%w\" first", zTarget, zSchema, zSchema, zSchema);
    }
  }
  memset(&pM->tgt, 0, sizeof(pM->tgt));
  pM->tgt.zSchema = zSchema ? zSchema : acdcStrdup(p, "main");
  pM->tgt.zName = zName;
  pM->bNewTarget = 1;
}

/* A declared type as SQL text: what is no plain type name is quoted. */
static void targetTypeAppend(AcdcCtx *p, char **pz, const AcdcColumn *pC){
  const char *z = pC->zType ? pC->zType : "";
  int bPlain = 1, i;
  for(i=0; z[i]; i++){
    char c = z[i];
    if( !((c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9')
       || c==' ' || c=='_' || c=='(' || c==')' || c==',') ) bPlain = 0;
  }
  if( z[0] ) acdcAppendf(p, pz, bPlain ? " %s" : " \"%w\"", z);
  if( pC->zColl ) acdcAppendf(p, pz, " COLLATE \"%w\"", pC->zColl);
}

static void targetCreate(AcdcMerge *pM, const u8 *aSel, const u8 *aIsKey){
  AcdcCtx *p = pM->p;
  const AcdcTable *pT = &pM->pSrc->tab;
  int bNull = pM->pFlow->bNullKeysMatch;
  int eScd = pM->pFlow->eScd;
  int bAlias = 0;
  char *zCols = 0, *zKeys = 0;
  int i;
  if( eScd==ACDC_SCD1 && pM->nKey==1 && !bNull ){
    const char *zType = pT->aCol[pM->aKey[0].iSrc].zType;
    bAlias = zType && sqlite3_stricmp(zType, "INTEGER")==0;
  }
  for(i=0; i<pT->nCol; i++){
    if( !aSel[i] ) continue;
    acdcAppendf(p, &zCols, "%s\"%w\"", zCols ? ", " : "", pT->aCol[i].zName);
    targetTypeAppend(p, &zCols, &pT->aCol[i]);
    if( bAlias && aIsKey[i] ) acdcAppendf(p, &zCols, " PRIMARY KEY");
  }
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "%s\"%w\"", i ? ", " : "",
                pT->aCol[pM->aKey[i].iSrc].zName);
  }
  if( eScd!=ACDC_SCD1 ){
    acdcAppendf(p, &zCols, ", \"" ACDC_START "\", \"" ACDC_END "\"");
    acdcAppendf(p, &zKeys, ", \"" ACDC_START "\"");
  }
  if( eScd==ACDC_BITEMPORAL ){
    acdcAppendf(p, &zCols, ", \"" ACDC_SYSSTART "\", \"" ACDC_SYSEND "\"");
    acdcAppendf(p, &zKeys, ", \"" ACDC_SYSSTART "\"");
  }
  if( p->rc==0 ){
    acdcExec(p, "CREATE TABLE \"%w\".\"%w\"(%s%s%s%s)%s",
        pM->tgt.zSchema, pM->tgt.zName, zCols,
        bAlias || bNull ? "" : ", PRIMARY KEY(",
        bAlias || bNull ? "" : zKeys, bAlias || bNull ? "" : ")",
        bAlias || bNull ? "" : " WITHOUT ROWID");
  }
  if( p->rc==0 && bNull ){
    acdcExec(p, "CREATE UNIQUE INDEX \"%w\".\"%w_key\" ON \"%w\"(%s)",
        pM->tgt.zSchema, pM->tgt.zName, pM->tgt.zName, zKeys);
  }
  acdcErrorWhere(p, "cannot make target %s", pM->pFlow->zTarget);
  sqlite3_free(zCols);
  sqlite3_free(zKeys);
}

static void targetReload(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcTable t;
  if( p->rc ) return;
  /* Whole name quoted: it may hold a dot */
  if( acdcTableFind(p, pM->tgt.zSchema, pM->tgt.zName, &t) ){
    acdcTableClear(&pM->tgt);
    pM->tgt = t;
  }else if( p->rc==0 ){
    acdcError(p, SQLITE_ERROR, "target %s cannot be read back",
              pM->pFlow->zTarget);
  }
}

/* Add what the target lacks (semantics.md 9.1). */
static void targetWiden(AcdcMerge *pM, const u8 *aSel, const u8 *aIsKey){
  AcdcCtx *p = pM->p;
  const AcdcTable *pT = &pM->pSrc->tab;
  char *zAdded = 0;
  int i;
  for(i=0; i<pT->nCol && p->rc==0; i++){
    int iTgt = acdcTableColumn(&pM->tgt, pT->aCol[i].zName);
    if( !aSel[i] || iTgt>=0 ) continue;
    if( aIsKey[i] ){
      acdcError(p, SQLITE_ERROR, "target %s has no key column %s: add it, or "
          "choose another target", pM->pFlow->zTarget, pT->aCol[i].zName);
    }else{
      char *zType = 0;
      targetTypeAppend(p, &zType, &pT->aCol[i]);
      acdcExec(p, "ALTER TABLE \"%w\".\"%w\" ADD COLUMN \"%w\"%s",
          pM->tgt.zSchema, pM->tgt.zName, pT->aCol[i].zName,
          zType ? zType : "");
      acdcErrorWhere(p, "cannot add column %s to target %s",
                     pT->aCol[i].zName, pM->pFlow->zTarget);
      acdcAppendf(p, &zAdded, "%s%s", zAdded ? ", " : "", pT->aCol[i].zName);
      sqlite3_free(zType);
    }
  }
  if( zAdded && p->rc==0 ){
    acdcMergeNote(pM, 0, "added to the target: %s", zAdded);
    targetReload(pM);
  }
  sqlite3_free(zAdded);
}

/* Is that column equal in all versions (bitemporal: in all system times) of
** one version of a key, so that a unique key must have more than such? */
static int targetIsIdentity(const AcdcMerge *pM, const char *zCol){
  int i;
  for(i=0; i<pM->nKey; i++){
    if( sqlite3_stricmp(zCol, pM->aKey[i].zName)==0 ) return 1;
  }
  return pM->pFlow->eScd==ACDC_BITEMPORAL
      && sqlite3_stricmp(zCol, ACDC_START)==0;
}

/*
** Look at the indexes of a target that was there.  A unique one on key
** columns alone cannot hold a history, nor one with __START_AT a bitemporal
** one.  Returns 1 if some index begins with all key columns.
*/
static int targetIndexes(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pList, *pCols;
  int bFound = 0;
  int i, nPk = 0, nPkKey = 0, nPkSame = 0;
  for(i=0; i<pM->tgt.nCol; i++){
    if( pM->tgt.aCol[i].iPk==0 ) continue;
    nPk++;
    if( targetIsIdentity(pM, pM->tgt.aCol[i].zName) ) nPkSame++;
  }
  for(i=0; i<pM->nKey; i++){
    const AcdcColumn *pC = &pM->tgt.aCol[pM->aKey[i].iTgt];
    if( pC->iPk && pC->iPk<=pM->nKey ) nPkKey++;
  }
  if( nPkKey==pM->nKey ) bFound = 1;
  if( pM->pFlow->eScd!=ACDC_SCD1 && nPk && nPkSame==nPk ){
    acdcError(p, SQLITE_ERROR, "target %s cannot hold a history: its PRIMARY "
        "KEY allows one row a %s; add %s to it, or choose another target",
        pM->pFlow->zTarget, nPkKey==nPk ? "key" : "version",
        pM->pFlow->eScd==ACDC_SCD2 ? ACDC_START
                                   : ACDC_START " and " ACDC_SYSSTART);
  }
  pList = acdcPrepare(p, 0, "SELECT name, \"unique\", partial, origin "
      "FROM pragma_index_list(%Q, %Q)", pM->tgt.zName, pM->tgt.zSchema);
  while( acdcStep(p, pList) ){
    const char *zName = (const char*)sqlite3_column_text(pList, 0);
    int bUnique = sqlite3_column_int(pList, 1);
    int bPartial = sqlite3_column_int(pList, 2);
    int nCol = 0, nSame = 0, nLead = 0;
    pCols = acdcPrepare(p, 0, "SELECT name FROM pragma_index_info(%Q, %Q) "
        "ORDER BY seqno", zName, pM->tgt.zSchema);
    while( acdcStep(p, pCols) ){
      const char *zCol = (const char*)sqlite3_column_text(pCols, 0);
      if( zCol && targetIsIdentity(pM, zCol) ) nSame++;
      for(i=0; zCol && i<pM->nKey; i++){
        if( sqlite3_stricmp(zCol, pM->aKey[i].zName)==0 ){
          if( nCol<pM->nKey ) nLead++;
          break;
        }
      }
      nCol++;
    }
    acdcFinalize(p, &pCols);
    if( nLead==pM->nKey && !bPartial ) bFound = 1;
    if( bUnique && !bPartial && nSame==nCol && nCol>0
     && pM->pFlow->eScd!=ACDC_SCD1
    ){
      acdcError(p, SQLITE_ERROR, "target %s cannot hold a history: unique "
          "index %s allows one row a %s; drop it, or choose another target",
          pM->pFlow->zTarget, zName,
          pM->pFlow->eScd==ACDC_SCD2 ? "key" : "key or version");
    }
  }
  acdcFinalize(p, &pList);
  return bFound;
}

/* Rules for a target that is there (design.md section 2). */
static void targetCheck(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  if( pM->tgt.bView || pM->tgt.bVirtual ){
    acdcError(p, SQLITE_ERROR, "target %s is a %s: changes are merged into "
        "ordinary tables only", pM->pFlow->zTarget,
        pM->tgt.bView ? "view" : "virtual table");
  }
  if( pM->pSrc->bTable && sqlite3_stricmp(pM->tgt.zName,pM->pSrc->tab.zName)==0
   && sqlite3_stricmp(pM->tgt.zSchema, pM->pSrc->tab.zSchema)==0
  ){
    acdcError(p, SQLITE_ERROR, "source and target are the same table %s",
        pM->pFlow->zTarget);
  }
  if( pM->pFlow->eScd!=ACDC_SCD1 && p->rc==0
   && (acdcTableColumn(&pM->tgt, ACDC_START)<0
    || acdcTableColumn(&pM->tgt, ACDC_END)<0)
  ){
    acdcError(p, SQLITE_ERROR, "target %s has no columns " ACDC_START " and "
        ACDC_END ": a history table needs both, declared without a type; add "
        "them, or choose another target", pM->pFlow->zTarget);
  }
  if( pM->pFlow->eScd==ACDC_BITEMPORAL && p->rc==0
   && (acdcTableColumn(&pM->tgt, ACDC_SYSSTART)<0
    || acdcTableColumn(&pM->tgt, ACDC_SYSEND)<0)
  ){
    acdcError(p, SQLITE_ERROR, "target %s has no columns " ACDC_SYSSTART " and "
        ACDC_SYSEND ": a bitemporal table needs both, declared without a "
        "type; add them, or choose another target", pM->pFlow->zTarget);
  }
}

/* ---- settings ---- */

/* Key columns, in the order that k1, k2, ... of the state tables have. */
static char *targetKeysText(AcdcMerge *pM, const char *zSep){
  char *z = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(pM->p, &z, "%s%s", i ? zSep : "",
                pM->pSrc->tab.aCol[pM->aKey[i].iSrc].zName);
  }
  return z;
}

/*
** Bring the flow's keys into the order that the target's state has: another
** flow may name them in another one.  Returns 0 if they are other columns.
*/
static int targetKeyOrder(AcdcMerge *pM){
  AcdcKeyCol aKey[ACDC_MAXKEY];
  AcdcNames names = {0, 0};
  int i, j, bSame;
  acdcStateNames(pM->p, pM->st.zKeys, &names);
  bSame = names.n==pM->nKey;
  for(i=0; i<names.n && bSame; i++){
    for(j=0; j<pM->nKey; j++){
      const char *z = pM->pSrc->tab.aCol[pM->aKey[j].iSrc].zName;
      if( sqlite3_stricmp(z, names.az[i])==0 ) break;
    }
    bSame = j<pM->nKey;
    if( bSame ) aKey[i] = pM->aKey[j];
  }
  if( bSame ) memcpy(pM->aKey, aKey, sizeof(AcdcKeyCol)*pM->nKey);
  acdcNamesFree(&names);
  return bSame;
}

/* The tracking rule of the flow as text: "", "+a\x1fb" or "-a\x1fb". */
static char *targetTrackText(AcdcMerge *pM, const u8 *aHit, char cSign){
  char *z = acdcMprintf(pM->p, "%c", cSign);
  int i, n = 0;
  for(i=0; i<pM->pSrc->tab.nCol; i++){
    if( aHit[i] ){
      acdcAppendf(pM->p, &z, "%s%s", n++ ? "\x1f" : "",
                  pM->pSrc->tab.aCol[i].zName);
    }
  }
  return z;
}

/* Does the rule track that column? */
static int targetTracks(AcdcCtx *p, const char *zRule, const char *zName){
  AcdcNames names = {0, 0};
  const char *z = zRule && zRule[0] ? zRule+1 : 0;
  int bIn;
  while( z && p->rc==0 ){
    const char *zEnd = strchr(z, 0x1f);
    if( z[0] ) acdcNamesAdd(p, &names, z, zEnd ? zEnd-z : -1);
    z = zEnd ? zEnd+1 : 0;
  }
  bIn = acdcNamesFind(&names, zName)>=0;
  acdcNamesFree(&names);
  if( zRule==0 || zRule[0]==0 ) return 1;
  return zRule[0]=='+' ? bIn : !bIn;
}

void acdcTargetTrack(AcdcMerge *pM, const char *zRule){
  int i, j;
  for(i=0; i<pM->nVal; i++){
    int bEmitted = 0;
    for(j=0; j<pM->st.nGen; j++) bEmitted |= acdcBit(&pM->st.aGen[j], i);
    pM->aVal[i].bTracked = bEmitted
        && targetTracks(pM->p, zRule, pM->aVal[i].zName);
  }
}

/* Check a list that may name value columns of the target only. */
static void targetValueList(
  AcdcMerge *pM, const char *zMember, const AcdcNames *pList, int bExcept,
  const u8 *aSel, const u8 *aIsKey, u8 *aHit
){
  int i;
  targetList(pM, zMember, pList, aHit);
  for(i=0; i<pM->pSrc->tab.nCol && pM->p->rc==0; i++){
    if( !aHit[i] ) continue;
    if( aIsKey[i] ){
      acdcError(pM->p, SQLITE_ERROR, "%s names key column %s: keys do not "
          "change, name value columns only", zMember,
          pM->pSrc->tab.aCol[i].zName);
    }else if( !aSel[i] && !bExcept ){
      acdcError(pM->p, SQLITE_ERROR, "%s names column %s, which is not among "
          "the selected columns", zMember, pM->pSrc->tab.aCol[i].zName);
    }
  }
}

/* The tracking rule of this flow; sets bTracked of every value column. */
static char *targetTrackRule(AcdcMerge *pM, const u8 *aSel, const u8 *aIsKey){
  const AcdcFlow *pFlow = pM->pFlow;
  char *zRule = 0;
  u8 *aHit = acdcMalloc(pM->p, pM->pSrc->tab.nCol+1);
  if( aHit==0 ) return 0;
  if( pFlow->trackList.bGiven ){
    targetValueList(pM, "track_history_column_list", &pFlow->trackList.names,
                    0, aSel, aIsKey, aHit);
    zRule = targetTrackText(pM, aHit, '+');
  }else if( pFlow->trackExceptList.bGiven ){
    targetValueList(pM, "track_history_except_column_list",
        &pFlow->trackExceptList.names, 1, aSel, aIsKey, aHit);
    zRule = targetTrackText(pM, aHit, '-');
  }else{
    zRule = acdcMprintf(pM->p, "%s", "");
  }
  sqlite3_free(aHit);
  return zRule;
}

static void targetIgnoreNull(AcdcMerge *pM, const u8 *aSel, const u8 *aIsKey){
  const AcdcFlow *pFlow = pM->pFlow;
  u8 *aHit = acdcMalloc(pM->p, pM->pSrc->tab.nCol+1);
  int i;
  if( aHit==0 ) return;
  if( pFlow->ignoreNullList.bGiven ){
    targetValueList(pM, "ignore_null_updates_column_list",
        &pFlow->ignoreNullList.names, 0, aSel, aIsKey, aHit);
  }else if( pFlow->ignoreNullExceptList.bGiven ){
    targetValueList(pM, "ignore_null_updates_except_column_list",
        &pFlow->ignoreNullExceptList.names, 1, aSel, aIsKey, aHit);
    for(i=0; i<pM->pSrc->tab.nCol; i++) aHit[i] = !aHit[i];
  }else if( pFlow->bIgnoreNull ){
    memset(aHit, 1, pM->pSrc->tab.nCol);
  }
  for(i=0; i<pM->nVal; i++){
    int iSrc = pM->aVal[i].iSrc;
    if( iSrc>=0 ){
      pM->aVal[i].bIgnoreNull = aHit[iSrc];
    }else{
      /* What this flow does not emit is not authored: SCD1 always (3.2),
      ** SCD2 under ignore_null_updates for all columns (5.1) */
      pM->aVal[i].bIgnoreNull = pFlow->bIgnoreNull
                             || pFlow->ignoreNullExceptList.bGiven;
    }
    if( pM->aVal[i].bIgnoreNull ) pM->bPartial = 1;
    if( iSrc>=0 || (pFlow->eScd!=ACDC_SCD1 && !pM->aVal[i].bIgnoreNull) ){
      acdcBitSet(&pM->fullMask, i);
    }
  }
  /* Those that ignore NULL in all columns, or all but some, do so in columns that
  ** join later, too */
  if( pFlow->zColumnsToUpdate || pFlow->bIgnoreNull
   || pFlow->ignoreNullExceptList.bGiven ) pM->bPartial = 1;
  sqlite3_free(aHit);
}

static int targetIsKey(const AcdcMerge *pM, int iTgt){
  int i;
  for(i=0; i<pM->nKey; i++) if( pM->aKey[i].iTgt==iTgt ) return 1;
  return 0;
}

/*
** Value columns: the slots of the state, widened by what this flow emits.  In a
** history that the user made, all its columns: a version that is re-cut takes
** along what only the user has written.  But not NOT NULL ones: other versions
** would have NULL there, where it has to be the column's default.
*/
static void targetValues(AcdcMerge *pM, const u8 *aSel, const u8 *aIsKey){
  AcdcCtx *p = pM->p;
  const AcdcTable *pT = &pM->pSrc->tab;
  int bAll = pM->pFlow->eScd!=ACDC_SCD1 && !pM->bNewTarget && !pM->st.bMade;
  int i;
  for(i=0; i<pM->tgt.nCol && p->rc==0; i++){
    int iSrc = acdcTableColumn(pT, pM->tgt.aCol[i].zName);
    if( targetIsReserved(pM, pM->tgt.aCol[i].zName) ) continue;
    if( iSrc<0 || !aSel[iSrc] || aIsKey[iSrc] ){
      if( bAll && !targetIsKey(pM, i) && !pM->tgt.aCol[i].bGenerated
       && !pM->tgt.aCol[i].bNotNull
      ){
        acdcStateSlot(p, &pM->st, pM->tgt.aCol[i].zName);
      }
      continue;
    }
    if( pM->tgt.aCol[i].bGenerated ){
      acdcError(p, SQLITE_ERROR, "column %s of target %s is generated and "
          "cannot be written: name it in except_column_list",
          pM->tgt.aCol[i].zName, pM->pFlow->zTarget);
    }
    acdcStateSlot(p, &pM->st, pM->tgt.aCol[i].zName);
  }
  pM->nVal = pM->st.slots.n;
  pM->aVal = acdcMalloc(p, sizeof(AcdcValCol)*(pM->nVal+1));
  pM->emit.nByte = (pM->nVal+7)/8;
  pM->emit.a = acdcMalloc(p, pM->emit.nByte+1);
  pM->fullMask.nByte = pM->emit.nByte;
  pM->fullMask.bRest = pM->pFlow->eScd==ACDC_SCD2 && !pM->pFlow->bIgnoreNull
      && !pM->pFlow->ignoreNullExceptList.bGiven
      && pM->pFlow->zColumnsToUpdate==0;
  pM->fullMask.a = acdcMalloc(p, pM->emit.nByte+1);
  pM->allMask.nByte = pM->emit.nByte;
  pM->allMask.bRest = pM->pFlow->eScd==ACDC_SCD2;
  pM->allMask.a = acdcMalloc(p, pM->emit.nByte+1);
  if( p->rc ) return;
  for(i=0; i<pM->nVal; i++) acdcBitSet(&pM->allMask, i);
  for(i=0; i<pM->nVal; i++){
    AcdcValCol *pV = &pM->aVal[i];
    int iSrc = acdcTableColumn(pT, pM->st.slots.az[i]);
    pV->zName = acdcStrdup(p, pM->st.slots.az[i]);
    pV->iTgt = acdcTableColumn(&pM->tgt, pM->st.slots.az[i]);
    pV->iSrc = iSrc>=0 && aSel[iSrc] && !aIsKey[iSrc] && pV->iTgt>=0 ? iSrc:-1;
    pV->cAff = pV->iTgt>=0 ? pM->tgt.aCol[pV->iTgt].cAff : 'A';
    if( pV->iSrc>=0 ){
      pV->bConvert = pV->cAff!='A'
                  && !(pM->pSrc->bTable && pT->aCol[iSrc].cAff==pV->cAff);
      acdcBitSet(&pM->emit, i);
    }
  }
}

static void targetDrift(AcdcMerge *pM, const char *zWhat, const char *zWas,
                        const char *zIs){
  acdcError(pM->p, SQLITE_ERROR, "%s of target %s cannot change: it is %s and "
      "the flow says %s; keep it, or start anew with "
      "SELECT autocdc_reset('%q')", zWhat, pM->pFlow->zTarget, zWas, zIs,
      pM->pFlow->zTarget);
}

/* Before its columns are looked at, which would only puzzle, or widened. */
static void targetFrozenScd(AcdcMerge *pM){
  static const char *const azScd[] = {"", "1", "2", "bitemporal"};
  if( acdcKeyless(pM->st.eScd) ){
    acdcError(pM->p, SQLITE_ERROR, "target %s is %s, so nothing is known of "
        "its keys: merge into another target, or start anew with "
        "SELECT autocdc_reset('%q')", pM->pFlow->zTarget,
        pM->st.eScd==ACDC_REBUILT ? "a materialized view"
                                  : "one that flows append to",
        pM->pFlow->zTarget);
  }else if( pM->st.eScd!=pM->pFlow->eScd ){
    targetDrift(pM, "scd_type", azScd[pM->st.eScd], azScd[pM->pFlow->eScd]);
  }else if( pM->st.zKept && acdcTableColumn(&pM->tgt, pM->st.zKept)<0 ){
    acdcError(pM->p, SQLITE_ERROR, "target %s has no column %s any more, which "
        "held the last sequence of each key: SELECT autocdc_reset('%q') starts "
        "anew", pM->pFlow->zTarget, pM->st.zKept, pM->pFlow->zTarget);
  }
}

/* What is frozen per target (semantics.md 1.6). */
static void targetFrozen(AcdcMerge *pM, const char *zRule){
  AcdcState *pSt = &pM->st;
  const AcdcFlow *pFlow = pM->pFlow;
  int i;
  if( pSt->bSnapshot!=pFlow->bSnapshot ){
    acdcError(pM->p, SQLITE_ERROR, "target %s is fed by %s and the flow brings "
        "%s: each would undo what the other wrote; use another target, or "
        "start anew with SELECT autocdc_reset('%q')", pFlow->zTarget,
        pSt->bSnapshot ? "snapshots" : "change rows",
        pFlow->bSnapshot ? "a snapshot" : "change rows", pFlow->zTarget);
  }
  if( !targetKeyOrder(pM) && pM->p->rc==0 ){
    AcdcNames names = {0, 0};
    char *zWas, *zIs = targetKeysText(pM, ", ");
    acdcStateNames(pM->p, pSt->zKeys, &names);
    zWas = acdcNamesText(pM->p, &names);
    targetDrift(pM, "keys", zWas ? zWas : "", zIs ? zIs : "");
    acdcNamesFree(&names);
    sqlite3_free(zWas);
    sqlite3_free(zIs);
  }
  if( pSt->bNullKeys!=pFlow->bNullKeysMatch ){
    targetDrift(pM, "null_keys", pSt->bNullKeys ? "\"match\"" : "\"error\"",
                pFlow->bNullKeysMatch ? "\"match\"" : "\"error\"");
  }
  if( !pFlow->bSnapshot && pSt->kind.nPart>0
   && pSt->kind.nPart!=pFlow->sequenceBy.n
  ){
    acdcError(pM->p, SQLITE_ERROR, "sequence_by of target %s has %d part%s and "
        "the flow says %d; keep it, or start anew with "
        "SELECT autocdc_reset('%q')", pFlow->zTarget, pSt->kind.nPart,
        pSt->kind.nPart==1 ? "" : "s", pFlow->sequenceBy.n, pFlow->zTarget);
  }
  if( pSt->sysKind.nPart>0 && pSt->sysKind.nPart!=pFlow->systemSequenceBy.n ){
    acdcError(pM->p, SQLITE_ERROR, "system_sequence_by of target %s has %d "
        "part%s and the flow says %d; keep it, or start anew with "
        "SELECT autocdc_reset('%q')", pFlow->zTarget, pSt->sysKind.nPart,
        pSt->sysKind.nPart==1 ? "" : "s", pFlow->systemSequenceBy.n,
        pFlow->zTarget);
  }
  if( pFlow->eScd==ACDC_SCD1 || pM->p->rc ) return;
  for(i=0; i<pM->nVal && pM->p->rc==0; i++){
    const char *zName = pM->aVal[i].zName;
    int bWas = targetTracks(pM->p, pSt->zTrack, zName);
    if( bWas!=targetTracks(pM->p, zRule, zName) ){
      acdcError(pM->p, SQLITE_ERROR, "tracked columns of target %s cannot "
          "change: column %s was %stracked and the flow says %stracked; keep "
          "the track_history lists, or start anew with "
          "SELECT autocdc_reset('%q')", pFlow->zTarget, zName,
          bWas ? "" : "not ", bWas ? "not " : "", pFlow->zTarget);
    }
  }
}

/* Kinds of the sequence parts as the source declares them. */
static void targetSeqKind(
  AcdcMerge *pM, const char *zMember, const AcdcNames *pParts, AcdcSeqKind *pK
){
  int i;
  if( pParts->n>ACDC_SEQ_MAXPART ){
    acdcError(pM->p, SQLITE_ERROR, "%s has more than %d parts", zMember,
              ACDC_SEQ_MAXPART);
    return;
  }
  if( pK->nPart==0 ) pK->nPart = pParts->n ? pParts->n : 1;
  for(i=0; i<pParts->n; i++){
    char *z = acdcUnquote(pM->p, pParts->az[i]);
    int iCol = z ? acdcTableColumn(&pM->pSrc->tab, z) : -1;
    pK->aInstant[i] = 0;
    if( iCol>=0 ){
      const char *zType = pM->pSrc->tab.aCol[iCol].zType;
      pK->aInstant[i] = zType && (sqlite3_strnicmp(zType, "timestamp", 9)==0
          || sqlite3_strnicmp(zType, "datetime", 8)==0
          || sqlite3_stricmp(zType, "date")==0);
    }
    sqlite3_free(z);
  }
}

/*
** Rows that were in the target before its first flow (semantics.md 9.2):
** learn the class of their sequences.
*/
static void targetAdopt(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  const AcdcFlow *pFlow = pM->pFlow;
  sqlite3_stmt *pStmt;
  int i;
  if( !acdcSelectInt(p, 0, "SELECT 1 FROM %s LIMIT 1", pM->zTgtSql) ) return;
  if( pM->pFlow->eScd==ACDC_BITEMPORAL ){
    acdcError(p, SQLITE_ERROR, "target %s holds rows that no flow wrote, and "
        "the events behind a bitemporal history cannot be told from its rows: "
        "empty it, or choose another target", pM->pFlow->zTarget);
    return;
  }
  if( pFlow->bSnapshot && !pFlow->bAdopt ){
    acdcError(p, SQLITE_ERROR, "target %s holds rows that no flow wrote, and a "
        "snapshot deletes what it does not list: take them over with "
        "\"adopt\": true, or choose another target", pFlow->zTarget);
    return;
  }
  pM->st.bAdopted = 1;
  acdcMergeNote(pM, 0, "rows that were in the target are kept as %s",
      pFlow->bSnapshot ? "the state before this snapshot" :
      pFlow->eScd==ACDC_SCD1 ? "older than every change" : "history");
  if( pFlow->eScd!=ACDC_SCD2 ) return;
  pStmt = acdcPrepare(p, 0, "SELECT \"" ACDC_START "\", \"" ACDC_END "\" "
                      "FROM %s", pM->zTgtSql);
  while( acdcStep(p, pStmt) ){
    for(i=0; i<2 && p->rc==0; i++){
      AcdcVal v;
      AcdcSeq seq;
      acdcValColumn(&v, pStmt, i);
      if( v.eType==SQLITE_NULL ){
        if( i==1 ) continue;
        acdcError(p, SQLITE_ERROR, "a row has NULL in " ACDC_START);
      }else{
        acdcSeqReadShown(p, &pM->st.kind, &v, &pM->arena, &seq);
      }
      acdcErrorWhere(p, "target %s holds rows that cannot be a history",
                     pFlow->zTarget);
    }
    acdcArenaReset(&pM->arena);
  }
  acdcFinalize(p, &pStmt);
}

/* Forget a target that was dropped since (semantics.md 9.3). */
static void targetDropped(AcdcMerge *pM){
  acdcStateForget(pM->p, pM->tgt.zSchema, &pM->st);
  acdcMergeNote(pM, 1, "target %s was dropped since the last run: its state is "
      "forgotten and the source is read from its start", pM->pFlow->zTarget);
}

/*
** Triggers and foreign keys see one plain statement a row.  So do tables near
** the limit of columns, which no feed (feed.c) has enough of.
*/
static void targetRowMode(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  const char *zMaster = sqlite3_stricmp(pM->tgt.zSchema,"temp")==0
                      ? "sqlite_temp_master" : "sqlite_master";
  pM->bRowMode = pM->pFlow->bNullKeysMatch
    || pM->nKey + pM->nVal + 2>sqlite3_limit(p->db, SQLITE_LIMIT_COLUMN, -1) - 2
    || acdcSelectInt(p, 0, "SELECT 1 FROM \"%w\".%s WHERE type='trigger' AND "
         "tbl_name=%Q COLLATE NOCASE", pM->tgt.zSchema, zMaster, pM->tgt.zName)
    || acdcSelectInt(p, 0, "SELECT 1 FROM sqlite_temp_master WHERE "
         "type='trigger' AND tbl_name=%Q COLLATE NOCASE", pM->tgt.zName)
    || (acdcSelectInt(p, 0, "PRAGMA foreign_keys")
     && acdcSelectInt(p, 0,
         "SELECT 1 FROM pragma_foreign_key_list(%Q, %Q) UNION ALL "
         "SELECT 1 FROM \"%w\".%s m, pragma_foreign_key_list(m.name, %Q) f "
         "WHERE m.type='table' AND f.\"table\"=%Q COLLATE NOCASE",
         pM->tgt.zName, pM->tgt.zSchema, pM->tgt.zSchema, zMaster,
         pM->tgt.zSchema, pM->tgt.zName));
}

/* Is the PRIMARY KEY what we would make it? */
static int targetHasOurKey(AcdcMerge *pM){
  int nWant = pM->nKey + (pM->pFlow->eScd!=ACDC_SCD1);
  int i, nPk = 0, nHit = 0;
  for(i=0; i<pM->tgt.nCol; i++) if( pM->tgt.aCol[i].iPk ) nPk++;
  for(i=0; i<pM->nKey; i++) if( pM->tgt.aCol[pM->aKey[i].iTgt].iPk ) nHit++;
  if( pM->pFlow->eScd!=ACDC_SCD1 && pM->tgt.aCol[pM->iStart].iPk ) nHit++;
  return nPk==nWant && nHit==nWant;
}

static void targetKeyFacts(AcdcMerge *pM){
  int i;
  for(i=0; i<pM->nKey && pM->p->rc==0; i++){
    AcdcKeyCol *pK = &pM->aKey[i];
    const char *zName = pM->pSrc->tab.aCol[pK->iSrc].zName;
    pK->iTgt = acdcTableColumn(&pM->tgt, zName);
    if( pK->iTgt<0 ){
      acdcError(pM->p, SQLITE_ERROR, "target %s has no key column %s: add it, "
          "or choose another target", pM->pFlow->zTarget, zName);
      return;
    }
    pK->zName = pM->tgt.aCol[pK->iTgt].zName;
    pK->cAff = pM->tgt.aCol[pK->iTgt].cAff;
    pK->bCollate = pM->tgt.aCol[pK->iTgt].zColl!=0
        && sqlite3_stricmp(pM->tgt.aCol[pK->iTgt].zColl, "BINARY")!=0;
    if( pK->bCollate ) pM->bCollate = 1;
  }
  pM->bIntKey = pM->nKey==1 && pM->aKey[0].cAff=='D'
             && !pM->pFlow->bNullKeysMatch;
}

/* An index on the keys, for a target of the user's that has none. */
static void targetMakeIndex(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  int bFound = targetIndexes(pM);
  char *zList = 0;
  int i;
  if( p->rc || bFound ) return;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zList, "%s\"%w\"", i ? "," : "", pM->aKey[i].zName);
  }
  if( pM->pFlow->eScd!=ACDC_SCD1 ){
    acdcAppendf(p, &zList, ",\"" ACDC_START "\"");
  }
  acdcExec(p, "CREATE INDEX \"%w\".\"autocdc_%w_key\" ON \"%w\"(%s)",
      pM->tgt.zSchema, pM->tgt.zName, pM->tgt.zName, zList);
  acdcMergeNote(pM, 0, "index autocdc_%s_key made: the target had none on its "
      "keys", pM->tgt.zName);
  sqlite3_free(zList);
}

/* The value column that has the sequence of each row as the source has it, an
** integer, or NULL. */
static const AcdcValCol *targetSequence(AcdcMerge *pM){
  const AcdcColumn *pC;
  char *z;
  int i, iSrc;
  if( pM->pFlow->sequenceBy.n!=1 || pM->st.kind.aInstant[0] ) return 0;
  z = acdcUnquote(pM->p, pM->pFlow->sequenceBy.az[0]);
  iSrc = z ? acdcTableColumn(&pM->pSrc->tab, z) : -1;
  sqlite3_free(z);
  for(i=0; i<pM->nVal && iSrc>=0; i++){
    if( pM->aVal[i].iSrc!=iSrc ) continue;
    pC = &pM->tgt.aCol[pM->aVal[i].iTgt];
    return pC->cAff=='C' || pC->cAff=='D' ? &pM->aVal[i] : 0;
  }
  return 0;
}

/*
** Does the target keep the sequence of each key, so that state need not?  Only
** one that we know all about: whole rows, written by flows alone, which emit
** the same columns.  Once that is over the sequences go to the state.
*/
static void targetKept(AcdcMerge *pM, int bState){
  AcdcState *pSt = &pM->st;
  const AcdcValCol *pKept = 0;
  if( pM->pFlow->eScd!=ACDC_SCD1 || pM->pFlow->bSnapshot ) return;
  if( pM->bUpsert && !pM->bPartial && !pSt->bAdopted && pSt->nGen==1 ){
    pKept = targetSequence(pM);
  }
  if( !bState && pKept ){
    pSt->zKept = acdcStrdup(pM->p, pKept->zName);
  }
  if( pSt->zKept==0 ) return;
  if( pKept && sqlite3_stricmp(pKept->zName, pSt->zKept)==0 ){
    pM->pKept = pKept;
  }else{
    acdcStateUnkeep(pM);
  }
}

/* What is known once columns and settings are: state, and our tables. */
static void targetSettle(AcdcMerge *pM, int bState){
  AcdcCtx *p = pM->p;
  const AcdcFlow *pFlow = pM->pFlow;
  if( !bState ){
    if( !pM->bNewTarget ){
      targetMakeIndex(pM);
      if( p->rc==0 ) targetAdopt(pM);
    }
    pM->bEmptyTarget = !pM->st.bAdopted;
    if( pFlow->bSnapshot ) acdcSnapshotVersion(pM);
  }
  if( p->rc ) return;
  pM->iGen = acdcStateGen(p, &pM->st, &pM->emit);
  if( !pFlow->bSnapshot ){
    if( pM->st.nGen>1 && pFlow->eScd==ACDC_SCD1 ) pM->bPartial = 1;
    if( pM->st.bPartial ) pM->bPartial = 1;
    if( pM->bPartial && pM->st.bPartial==0 ){
      /* Does a column that joins later count as written, and NULL? */
      pM->st.bPartial = !bState && !pM->fullMask.bRest ? 1 : 2;
    }
  }
  acdcTargetTrack(pM, pM->st.zTrack);
  targetRowMode(pM);
  pM->bExtra = pM->st.bAdopted
            && pM->nKey + pM->nVal < pM->tgt.nCol - (pM->iStart>=0 ? 2 : 0);
  pM->bUpsert = !pM->bRowMode && targetHasOurKey(pM);
  targetKept(pM, bState);
  acdcStateSave(p, pM->tgt.zSchema, pM->tgt.zName, &pM->st);
  if( !bState ) acdcStateMakeTables(pM);
  if( !pFlow->bSnapshot && (pFlow->eScd!=ACDC_SCD1 || pM->bPartial) ){
    acdcStateMakeEvents(pM);
  }
}

/* Columns of the source against those of the target. */
static void targetColumns(
  AcdcMerge *pM, const u8 *aSel, const u8 *aIsKey, int bState,
  const char *zRule
){
  AcdcCtx *p = pM->p;
  targetWiden(pM, aSel, aIsKey);
  if( p->rc==0 ) targetKeyFacts(pM);
  if( p->rc==0 ) targetValues(pM, aSel, aIsKey);
  if( p->rc==0 ) targetIgnoreNull(pM, aSel, aIsKey);
  if( bState && p->rc==0 ) targetFrozen(pM, zRule);
  if( p->rc==0 ){
    pM->iStart = acdcTableColumn(&pM->tgt, ACDC_START);
    pM->iEnd = acdcTableColumn(&pM->tgt, ACDC_END);
    pM->iSysStart = acdcTableColumn(&pM->tgt, ACDC_SYSSTART);
    pM->iSysEnd = acdcTableColumn(&pM->tgt, ACDC_SYSEND);
    targetSeqKind(pM, "sequence_by", &pM->pFlow->sequenceBy, &pM->st.kind);
    if( pM->pFlow->eScd==ACDC_BITEMPORAL ){
      targetSeqKind(pM, "system_sequence_by", &pM->pFlow->systemSequenceBy,
                    &pM->st.sysKind);
    }
  }
}

void acdcTargetOpen(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  const AcdcFlow *pFlow = pM->pFlow;
  u8 *aSel = acdcMalloc(p, pM->pSrc->tab.nCol+1);
  u8 *aIsKey = acdcMalloc(p, pM->pSrc->tab.nCol+1);
  char *zKeys = 0, *zRule = 0;
  int bState = 0;
  if( p->rc==0 ) targetSelect(pM, aSel);
  if( p->rc==0 ) targetKeys(pM, aSel, aIsKey);
  if( p->rc==0 ) targetFind(pM);
  if( p->rc==0 ){
    bState = acdcStateLoad(p, pM->tgt.zSchema, pM->tgt.zName, &pM->st);
    if( bState && pM->bNewTarget ){
      targetDropped(pM);
      bState = 0;
    }
    if( pM->bNewTarget ){
      targetCreate(pM, aSel, aIsKey);
      if( !bState ) acdcMergeNote(pM, 0, "target %s created", pFlow->zTarget);
      targetReload(pM);
    }else{
      if( bState ) targetFrozenScd(pM);
      targetCheck(pM);
      if( p->rc==0 ) targetKeyFacts(pM);
    }
    pM->zTgtSql = acdcMprintf(p, "\"%w\".\"%w\"", pM->tgt.zSchema,
                              pM->tgt.zName);
  }
  if( p->rc==0 ){
    zKeys = targetKeysText(pM, "\x1f");
    zRule = targetTrackRule(pM, aSel, aIsKey);
  }
  if( bState && p->rc==0 ){
    targetFrozen(pM, zRule);   /* before anything is altered */
    if( pFlow->bSnapshot ) acdcSnapshotVersion(pM);
  }
  if( pM->eSkip==0 && p->rc==0 ){
    targetColumns(pM, aSel, aIsKey, bState, zRule);
    if( !bState && p->rc==0 ){
      pM->st.eScd = pFlow->eScd;
      pM->st.bNullKeys = pFlow->bNullKeysMatch;
      pM->st.bMade = pM->bNewTarget;
      pM->st.bSnapshot = pFlow->bSnapshot;
      pM->st.zKeys = zKeys;
      pM->st.zTrack = zRule;
      zKeys = zRule = 0;
    }
    if( p->rc==0 ) targetSettle(pM, bState);
  }
  sqlite3_free(aSel);
  sqlite3_free(aIsKey);
  sqlite3_free(zKeys);
  sqlite3_free(zRule);
}
