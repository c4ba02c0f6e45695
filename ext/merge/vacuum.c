/*
** Forgetting what can no longer matter (semantics.md 9.4).
**
** A floor is a sequence: events below it count as late and change nothing, so
** of what lies below it only the neighbours of later events are needed.
**
**   SCD1   tombstones below the floor go; of the events that are kept per
**          column those up to the last delete below it
**   SCD2   deletes that end no version go, and of each key all hidden upserts
**          below the floor but the last, which a later event may come to stand
**          next to; that one too if its version ends at or below the floor
**   both   truncates below the floor: what they removed stays removed
*/
#include "inspect.h"

/* "x.k1 IS y.k1 AND ..." */
static char *vacuumMatch(AcdcMerge *pM, const char *zA, const char *zB){
  char *z = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(pM->p, &z, "%s%s.k%d IS %s.k%d", i ? " AND " : "", zA, i+1, zB,
                i+1);
  }
  return z;
}

/* Run a DELETE with the floor as ?1 in state form and ?2 as shown. */
static i64 vacuumDelete(AcdcMerge *pM, const AcdcSeq *pFloor, char *zSql){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = 0;
  AcdcVal v;
  i64 n = 0;
  acdcSeqToState(p, &pM->st.kind, pFloor, &pM->arena, &v);
  if( zSql ) pStmt = acdcPrepare(p, 0, "%s", zSql);
  if( pStmt ){
    acdcValBind(pStmt, 1, &v);
    if( sqlite3_bind_parameter_count(pStmt)>1 ){
      acdcValBind(pStmt, 2, &pFloor->shown);
    }
    acdcStep(p, pStmt);
    if( p->rc==0 ) n = sqlite3_changes64(p->db);
  }
  acdcFinalize(p, &pStmt);
  sqlite3_free(zSql);
  return n;
}

static void vacuumCurrent(
  AcdcMerge *pM, const AcdcSeq *pFloor, i64 *pnTomb, i64 *pnHidden
){
  AcdcCtx *p = pM->p;
  const char *zDb = pM->tgt.zSchema;
  i64 iId = pM->st.iId;
  if( pM->st.bEvents ){
    char *zDel = vacuumMatch(pM, "d", "e"), *zDead = vacuumMatch(pM, "s", "e");
    *pnHidden += vacuumDelete(pM, pFloor, acdcMprintf(p,
        "DELETE FROM \"%w\".autocdc_event_%lld AS e WHERE e.seq<?1 AND ("
        "e.seq<=(SELECT max(d.seq) FROM \"%w\".autocdc_event_%lld AS d WHERE %s "
        "AND d.kind%%2=1 AND d.seq<?1) OR EXISTS (SELECT 1 FROM "
        "\"%w\".autocdc_state_%lld AS s WHERE %s AND s.kind%%2=1 "
        "AND s.seq<?1))", zDb, iId, zDb, iId, zDel, zDb, iId, zDead));
    sqlite3_free(zDel);
    sqlite3_free(zDead);
  }
  *pnTomb += vacuumDelete(pM, pFloor, acdcMprintf(p, "DELETE FROM "
      "\"%w\".autocdc_state_%lld WHERE kind%%2=1 AND seq<?1", zDb, iId));
}

static void vacuumHistory(
  AcdcMerge *pM, const AcdcSeq *pFloor, i64 *pnTomb, i64 *pnHidden
){
  AcdcCtx *p = pM->p;
  const char *zDb = pM->tgt.zSchema;
  const char *zOrd = pM->bNative ? "" : "autocdc_seq_key";
  i64 iId = pM->st.iId;
  char *zLater, *zRun = 0;
  int i;
  if( !pM->st.bEvents ) return;
  *pnTomb += vacuumDelete(pM, pFloor, acdcMprintf(p, "DELETE FROM "
      "\"%w\".autocdc_event_%lld WHERE kind=%d AND seq<?1", zDb, iId,
      ACDC_HID_DELETE));
  zLater = vacuumMatch(pM, "x", "e");
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zRun, "t.\"%w\" IS e.k%d AND ", pM->aKey[i].zName, i+1);
  }
  *pnHidden += vacuumDelete(pM, pFloor, acdcMprintf(p,
      "DELETE FROM \"%w\".autocdc_event_%lld AS e WHERE e.seq<?1 AND ("
      "EXISTS (SELECT 1 FROM \"%w\".autocdc_event_%lld AS x WHERE %s "
      "AND x.seq>e.seq AND x.seq<?1) OR EXISTS (SELECT 1 FROM %s AS t WHERE %s "
      "%s(t.\"" ACDC_START "\")<=%s(coalesce(e.shown, e.seq)) AND "
      "%s(t.\"" ACDC_END "\")>%s(coalesce(e.shown, e.seq)) AND "
      "%s(t.\"" ACDC_END "\")<=%s(?2)))", zDb, iId, zDb, iId, zLater,
      pM->zTgtSql, zRun, zOrd, zOrd, zOrd, zOrd, zOrd, zOrd));
  sqlite3_free(zLater);
  sqlite3_free(zRun);
}

/*
** The floor if none is given: the oldest sequence that a current row rests on,
** so that whatever is forgotten is older than all that the target shows as
** current; if nothing is current, the latest sequence known.  Returns 0 if
** there is none.
*/
static int vacuumDefault(AcdcMerge *pM, AcdcSeq *pOut){
  AcdcCtx *p = pM->p;
  const char *zOrd = pM->bNative ? "" : "autocdc_seq_key";
  sqlite3_stmt *pStmt;
  int i, bFound = 0;
  for(i=0; i<2 && !bFound && p->rc==0; i++){
    if( pM->st.eScd==ACDC_SCD1 ){
      char *zLast = acdcStateLastSql(pM);
      pStmt = acdcPrepare(p, 0, "SELECT seq FROM %s%s ORDER BY seq%s LIMIT 1",
          zLast, i ? "" : " WHERE kind%2=0", i ? " DESC" : "");
      sqlite3_free(zLast);
    }else{
      pStmt = acdcPrepare(p, 0, "SELECT \"%s\" FROM %s WHERE \"" ACDC_END "\" "
          "IS%s NULL ORDER BY %s(\"%s\")%s LIMIT 1", i ? ACDC_END : ACDC_START,
          pM->zTgtSql, i ? " NOT" : "", zOrd, i ? ACDC_END : ACDC_START,
          i ? " DESC" : "");
    }
    if( pStmt && acdcStep(p, pStmt) ){
      AcdcVal v, copy;
      acdcValColumn(&v, pStmt, 0);
      acdcValCopy(p, &pM->arena, &copy, &v);
      if( pM->st.eScd==ACDC_SCD1 ){
        acdcSeqFromState(p, &pM->st.kind, &copy, 0, &pM->arena, pOut);
      }else{
        acdcSeqReadShown(p, &pM->st.kind, &copy, &pM->arena, pOut);
      }
      bFound = 1;
    }
    acdcFinalize(p, &pStmt);
  }
  return bFound && p->rc==0;
}

static void vacuumKeepFloor(AcdcMerge *pM, const AcdcSeq *pFloor){
  AcdcCtx *p = pM->p;
  AcdcState *pSt = &pM->st;
  AcdcVal v;
  acdcSeqToState(p, &pSt->kind, pFloor, &pM->arena, &v);
  sqlite3_free(pSt->zFloor);
  pSt->zFloor = 0;
  pSt->floor = v;
  if( v.eType==SQLITE_TEXT || v.eType==SQLITE_BLOB ){
    pSt->zFloor = acdcStrndup(p, (const char*)v.u.z, v.n);
    pSt->floor.u.z = (const u8*)pSt->zFloor;
  }
  acdcStateSave(p, pM->tgt.zSchema, pM->tgt.zName, pSt);
}

/* A target of snapshots: versions ascend, so only the last one counts. */
static char *vacuumVersions(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  i64 n;
  acdcExec(p, "DELETE FROM \"%w\".autocdc_versions WHERE target=%lld AND "
      "seq<(SELECT max(seq) FROM \"%w\".autocdc_versions WHERE target=%lld)",
      pM->tgt.zSchema, pM->st.iId, pM->tgt.zSchema, pM->st.iId);
  n = sqlite3_changes64(p->db);
  return acdcMprintf(p, "%s: %lld earlier snapshot version%s forgotten",
                     pM->pFlow->zTarget, n, n==1 ? "" : "s");
}

/* "1 tombstone" */
static char *vacuumCount(AcdcCtx *p, i64 n, const char *zWhat){
  return acdcMprintf(p, "%lld %s%s", n, zWhat, n==1 ? "" : "s");
}

char *acdcVacuum(AcdcInspect *pI, const AcdcVal *pBefore){
  AcdcMerge *pM = &pI->m;
  AcdcCtx *p = pM->p;
  AcdcSeq floor;
  i64 nTomb = 0, nHidden = 0, nMark;
  char *zFloor, *aSay[3], *zSay;
  int bStays = 0, i;
  if( p->rc ) return 0;
  if( pM->st.eScd==ACDC_BITEMPORAL ){
    acdcError(p, SQLITE_ERROR, "target %s is bitemporal: every event may be "
        "asked for as of a system time, so none can be forgotten",
        pM->pFlow->zTarget);
    return 0;
  }
  if( pM->st.bSnapshot ) return vacuumVersions(pM);
  if( pM->st.kind.aClass[0]==ACDC_SEQ_UNKNOWN ){
    return acdcMprintf(p, "%s: no event has come yet, nothing to forget",
                       pM->pFlow->zTarget);
  }
  if( pBefore ){
    acdcSeqReadShown(p, &pM->st.kind, pBefore, &pM->arena, &floor);
    acdcErrorWhere(p, "before");
  }else if( !vacuumDefault(pM, &floor) && p->rc==0 ){
    return acdcMprintf(p, "%s: nothing to forget", pM->pFlow->zTarget);
  }
  if( p->rc ) return 0;
  if( pM->bFloor && acdcSeqCmp(&pM->st.kind, &floor, &pM->floor)<=0 ){
    floor = pM->floor;                   /* what is forgotten stays so */
    bStays = 1;
  }
  if( pM->st.eScd==ACDC_SCD1 ){
    vacuumCurrent(pM, &floor, &nTomb, &nHidden);
  }else if( !bStays ){
    vacuumHistory(pM, &floor, &nTomb, &nHidden);
  }
  nMark = vacuumDelete(pM, &floor, acdcMprintf(p, "DELETE FROM "
      "\"%w\".autocdc_marks WHERE target=%lld AND seq<?1", pM->tgt.zSchema,
      pM->st.iId));
  if( !bStays ) vacuumKeepFloor(pM, &floor);
  aSay[0] = vacuumCount(p, nTomb, "tombstone");
  aSay[1] = vacuumCount(p, nHidden, "hidden event");
  aSay[2] = vacuumCount(p, nMark, "truncate");
  zFloor = acdcInspectInstant(p, &pM->st.kind, &floor.shown);
  if( zFloor==0 ) zFloor = acdcSeqText(pM, &floor);
  zSay = acdcMprintf(p, "%s: %s, %s and %s forgotten; events below %s change "
      "nothing %s", pM->pFlow->zTarget, aSay[0], aSay[1], aSay[2], zFloor,
      bStays ? "(the floor stays)" : "from now on");
  for(i=0; i<3; i++) sqlite3_free(aSay[i]);
  sqlite3_free(zFloor);
  return zSay;
}
