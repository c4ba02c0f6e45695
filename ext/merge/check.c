/*
** What is broken between a target and its state.  Each rule is one query that
** finds what breaks it: its columns are the key's, a sequence, and a sentence.
*/
#include "inspect.h"

/* Parts of the queries, made once. */
typedef struct CheckSql CheckSql;
struct CheckSql {
  AcdcCheck *pC;
  AcdcMerge *pM;
  AcdcCtx *p;
  char *zTgt;            /* t."a", t."b" */
  char *zState;          /* e.k1, e.k2 */
  char *zNulls;          /* NULL, NULL: no key */
  char *zMatch;          /* t."a" IS e.k1 AND ... */
  char *zEvent;          /* Name of the event table, or NULL */
  char *zLast;           /* The last sequences, or NULL if they are gone */
  const char *zOrd;      /* "" or a function: sequence order from what shows */
};

static void checkAdd(CheckSql *pS, const char *zProblem, char *zSql){
  if( zSql ){
    acdcNamesAdd(pS->p, &pS->pC->problems, zProblem, -1);
    acdcNamesAdd(pS->p, &pS->pC->sql, zSql, -1);
  }
  sqlite3_free(zSql);
}

/* "schema"."table" if it is there; with bMust it is a problem if not. */
static char *checkTable(CheckSql *pS, const char *zStem, int bMust){
  AcdcMerge *pM = pS->pM;
  if( acdcSelectInt(pS->p, 0, "SELECT 1 FROM \"%w\".sqlite_master "
        "WHERE type='table' AND name='%s_%lld'", pM->tgt.zSchema, zStem,
        pM->st.iId) ){
    return acdcMprintf(pS->p, "\"%w\".%s_%lld", pM->tgt.zSchema, zStem,
                       pM->st.iId);
  }
  if( bMust ){
    checkAdd(pS, "state is gone", acdcMprintf(pS->p, "SELECT %s, NULL, "
        "'table %s_%lld is missing: autocdc_reset() starts anew'", pS->zNulls,
        zStem, pM->st.iId));
  }
  return 0;
}

/* True for a value x of the kind that the target's sequences have. */
static char *checkClass(CheckSql *pS, const char *zCol){
  const AcdcSeqKind *pK = &pS->pM->st.kind;
  if( pK->nPart>1 ){
    return acdcMprintf(pS->p, "(typeof(%s)='text' AND json_valid(%s) AND "
        "json_array_length(%s)=%d)", zCol, zCol, zCol, pK->nPart);
  }
  switch( pK->aClass[0] ){
    case ACDC_SEQ_NUMBER:
      return acdcMprintf(pS->p, "(typeof(%s) IN ('integer','real') OR "
          "(typeof(%s)='text' AND length(%s)=38 AND %s NOT GLOB '*[^0-9]*'))",
          zCol, zCol, zCol, zCol);
    case ACDC_SEQ_BLOB:
      return acdcMprintf(pS->p, "typeof(%s)='blob'", zCol);
    case ACDC_SEQ_UNKNOWN:
      return acdcMprintf(pS->p, "1");
    default:
      return acdcMprintf(pS->p, "typeof(%s)='text'", zCol);
  }
}

/* ---- a history by itself ---- */

static void checkIntervals(CheckSql *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  const char *zOrd = pS->zOrd;
  char *zStart = checkClass(pS, "t.\"" ACDC_START "\"");
  char *zEnd = checkClass(pS, "t.\"" ACDC_END "\"");
  checkAdd(pS, "not a sequence", acdcMprintf(p, "SELECT %s, "
      "t.\"" ACDC_START "\", 'the version from '||quote(t.\"" ACDC_START "\")||"
      "' to '||quote(t.\"" ACDC_END "\")||' has a value that is no sequence of "
      "this target' FROM %s AS t WHERE NOT %s OR (t.\"" ACDC_END "\" IS NOT NULL "
      "AND NOT %s)", pS->zTgt, pM->zTgtSql, zStart, zEnd));
  checkAdd(pS, "empty interval", acdcMprintf(p, "SELECT %s, "
      "t.\"" ACDC_START "\", 'the version from '||quote(t.\"" ACDC_START "\")||"
      "' ends at '||quote(t.\"" ACDC_END "\")||', which is not after it' "
      "FROM %s AS t WHERE %s(t.\"" ACDC_END "\")<=%s(t.\"" ACDC_START "\")",
      pS->zTgt, pM->zTgtSql, zOrd, zOrd));
  sqlite3_free(zStart);
  sqlite3_free(zEnd);
}

/* Tracked columns of versions that follow each other: t, and lead() as n<i> */
static char *checkEqual(CheckSql *pS, char **pzLead){
  AcdcMerge *pM = pS->pM;
  char *z = 0;
  int i;
  for(i=0; i<pM->nVal; i++){
    const char *zName = pM->aVal[i].zName;
    if( pM->aVal[i].iTgt<0 ){
      /* A column was dropped: what differed there looks equal now */
      sqlite3_free(z);
      sqlite3_free(*pzLead);
      *pzLead = 0;
      return 0;
    }
    if( !pM->aVal[i].bTracked ) continue;
    acdcAppendf(pS->p, pzLead, ", \"%w\" AS v%d, lead(\"%w\") OVER w AS n%d",
                zName, i, zName, i);
    acdcAppendf(pS->p, &z, " AND v%d COLLATE BINARY IS n%d", i, i);
  }
  if( z==0 ) z = acdcMprintf(pS->p, "%s", "");
  return z;
}

static void checkNeighbours(CheckSql *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  char *zKeys = 0, *zOut = 0, *zFrom = 0, *zLead = 0, *zEqual = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "%s\"%w\"", i ? "," : "", pM->aKey[i].zName);
    acdcAppendf(p, &zOut, "%sc%d", i ? "," : "", i);
  }
  /* A truncate parts equal versions; vacuum forgets truncates, but not that */
  if( !pM->st.bAdopted && !pM->bFloor ) zEqual = checkEqual(pS, &zLead);
  zFrom = acdcMprintf(p, "(SELECT ");
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zFrom, "\"%w\" AS c%d, ", pM->aKey[i].zName, i);
  }
  acdcAppendf(p, &zFrom, "\"" ACDC_START "\" AS s, \"" ACDC_END "\" AS e, "
      "lead(\"" ACDC_START "\") OVER w AS ns%s FROM %s WINDOW w AS "
      "(PARTITION BY %s ORDER BY %s(\"" ACDC_START "\")))",
      zLead ? zLead : "", pM->zTgtSql, zKeys, pS->zOrd);
  checkAdd(pS, "overlap", acdcMprintf(p, "SELECT %s, s, 'the version from '||"
      "quote(s)||iif(e IS NULL, ' is open', ' ends at '||quote(e))||', and the "
      "next one begins at '||quote(ns) FROM %s WHERE ns IS NOT NULL AND "
      "(e IS NULL OR %s(ns)<%s(e))", zOut, zFrom, pS->zOrd, pS->zOrd));
  if( zEqual ){
    checkAdd(pS, "one version in two", acdcMprintf(p, "SELECT %s, s, "
        "'the versions from '||quote(s)||' and '||quote(ns)||' are equal in "
        "all tracked columns and should be one' FROM %s WHERE ns=e%s "
        "AND NOT EXISTS (SELECT 1 FROM \"%w\".autocdc_marks AS m WHERE "
        "m.target=%lld AND %s(coalesce(m.shown, m.seq))=%s(e))", zOut, zFrom,
        zEqual, pM->tgt.zSchema, pM->st.iId, pS->zOrd, pS->zOrd));
  }
  sqlite3_free(zKeys);
  sqlite3_free(zOut);
  sqlite3_free(zFrom);
  sqlite3_free(zLead);
  sqlite3_free(zEqual);
}

/* ---- a history and its hidden events ---- */

static void checkHidden(CheckSql *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  const char *zOrd = pS->zOrd;
  char *zRun, *zFrom, *zOut = 0;
  int i;
  if( pS->zEvent==0 ) return;
  for(i=0; i<pM->nKey; i++) acdcAppendf(p, &zOut, "%sk%d", i ? "," : "", i+1);
  /* The last version that begins at or before an event */
  zRun = acdcMprintf(p, "FROM %s AS t WHERE %s AND "
      "%s(t.\"" ACDC_START "\")<=%s(coalesce(e.shown, e.seq)) "
      "ORDER BY %s(t.\"" ACDC_START "\") DESC LIMIT 1", pM->zTgtSql,
      pS->zMatch, zOrd, zOrd, zOrd);
  zFrom = acdcMprintf(p, "(SELECT %s, e.kind, e.mask, "
      "coalesce(e.shown, e.seq) AS s, "
      "(SELECT t.\"" ACDC_START "\" %s) AS run, "
      "(SELECT t.\"" ACDC_END "\" IS NULL OR "
      "%s(t.\"" ACDC_END "\")>%s(coalesce(e.shown, e.seq)) %s) AS inside "
      "FROM %s AS e)", pS->zState, zRun, zOrd, zOrd, zRun, pS->zEvent);
  checkAdd(pS, "event outside", acdcMprintf(p, "SELECT %s, s, "
      "'a hidden upsert is kept that lies in no version' "
      "FROM %s WHERE kind IN (1, 3) AND inside IS NOT 1", zOut, zFrom));
  checkAdd(pS, "delete inside", acdcMprintf(p, "SELECT %s, s, "
      "'a delete is kept that lies inside the version from '||quote(run) "
      "FROM %s WHERE kind=2 AND inside IS 1", zOut, zFrom));
  checkAdd(pS, "unknown event", acdcMprintf(p, "SELECT %s, s, "
      "'an event is kept of kind '||quote(kind) FROM %s "
      "WHERE kind NOT IN (1, 2, 3) OR kind IS NULL", zOut, zFrom));
  /* Members of a run: from its start on, and the last one marked as such */
  checkAdd(pS, "broken run", acdcMprintf(p, "SELECT %s, run, "
      "'the hidden events of the version from '||quote(run)||' are not those "
      "of one run: '||sum(kind=1)||' earlier and '||sum(kind=3)||' last' "
      "FROM %s WHERE kind IN (1, 3) AND inside IS 1 GROUP BY %s, %s(run) HAVING "
      "sum(kind=3)>1 OR (sum(kind=1)>0 AND (sum(kind=3)=0 "
      "OR max(%s(s)) FILTER (WHERE kind=1)>=max(%s(s)) FILTER (WHERE kind=3)"
      "%s))", zOut, zFrom, zOut, zOrd, zOrd, zOrd,
      pM->bFloor ? "" : " OR min(iif(run IS s, 0, 1))=1"));
  sqlite3_free(zRun);
  sqlite3_free(zFrom);
  sqlite3_free(zOut);
}

/* ---- two axes ---- */

/* At any system time the versions of a key must not overlap. */
static void checkBitemporal(CheckSql *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  const char *zOrd = acdcSeqNative(&pM->st.kind) ? "" : "autocdc_seq_key";
  const char *zSys = acdcSeqNative(&pM->st.sysKind) ? "" : "autocdc_seq_key";
  char *zSame = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zSame, "t.\"%w\" IS n.\"%w\" AND ", pM->aKey[i].zName,
                pM->aKey[i].zName);
  }
  checkAdd(pS, "empty interval", acdcMprintf(p, "SELECT %s, "
      "t.\"" ACDC_START "\", 'the version from '||quote(t.\"" ACDC_START "\")||"
      "', known since '||quote(t.\"" ACDC_SYSSTART "\")||', ends at '||"
      "quote(t.\"" ACDC_END "\")||', known until '||"
      "quote(t.\"" ACDC_SYSEND "\") FROM %s AS t WHERE "
      "%s(t.\"" ACDC_END "\")<=%s(t.\"" ACDC_START "\") OR "
      "%s(t.\"" ACDC_SYSEND "\")<=%s(t.\"" ACDC_SYSSTART "\")", pS->zTgt,
      pM->zTgtSql, zOrd, zOrd, zSys, zSys));
  checkAdd(pS, "overlap", acdcMprintf(p, "SELECT %s, t.\"" ACDC_START "\", "
      "'the versions from '||quote(t.\"" ACDC_START "\")||' and '||"
      "quote(n.\"" ACDC_START "\")||' overlap, known since '||"
      "quote(t.\"" ACDC_SYSSTART "\")||' and '||"
      "quote(n.\"" ACDC_SYSSTART "\") FROM %s AS t, %s AS n WHERE %s"
      "(t.\"" ACDC_START "\", t.\"" ACDC_SYSSTART "\")"
      "<(n.\"" ACDC_START "\", n.\"" ACDC_SYSSTART "\") AND "
      "(n.\"" ACDC_END "\" IS NULL OR "
      "%s(t.\"" ACDC_START "\")<%s(n.\"" ACDC_END "\")) AND "
      "(t.\"" ACDC_END "\" IS NULL OR "
      "%s(n.\"" ACDC_START "\")<%s(t.\"" ACDC_END "\")) AND "
      "(n.\"" ACDC_SYSEND "\" IS NULL OR "
      "%s(t.\"" ACDC_SYSSTART "\")<%s(n.\"" ACDC_SYSEND "\")) AND "
      "(t.\"" ACDC_SYSEND "\" IS NULL OR "
      "%s(n.\"" ACDC_SYSSTART "\")<%s(t.\"" ACDC_SYSEND "\"))", pS->zTgt,
      pM->zTgtSql, pM->zTgtSql, zSame, zOrd, zOrd, zOrd, zOrd, zSys, zSys, zSys,
      zSys));
  if( pS->zEvent ){
    checkAdd(pS, "row is gone", acdcMprintf(p, "SELECT %s, "
        "coalesce(e.shown, e.seq), 'the row that the event of system sequence '"
        "||quote(coalesce(e.sysshown, e.sys))||' began is not there' FROM %s AS "
        "e WHERE e.kind=3 AND NOT EXISTS (SELECT 1 FROM %s AS t WHERE %s AND "
        "t.\"" ACDC_START "\" IS coalesce(e.shown, e.seq) AND "
        "t.\"" ACDC_SYSSTART "\" IS coalesce(e.sysshown, e.sys))", pS->zState,
        pS->zEvent, pM->zTgtSql, pS->zMatch));
  }
  sqlite3_free(zSame);
}

/* ---- current state ---- */

static void checkCurrent(CheckSql *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  char *zKeys = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "%s\"%w\"", i ? "," : "", pM->aKey[i].zName);
  }
  checkAdd(pS, "key twice", acdcMprintf(p, "SELECT %s, NULL, 'the target has '||"
      "count(*)||' rows of the key' FROM %s GROUP BY %s HAVING count(*)>1",
      zKeys, pM->zTgtSql, zKeys));
  sqlite3_free(zKeys);
  if( pS->zLast==0 ) return;
  checkAdd(pS, "row is gone", acdcMprintf(p, "SELECT %s, e.seq, "
      "'the last event of the key is an upsert, and the target has no row' "
      "FROM %s AS e WHERE e.kind%%2=0 AND NOT EXISTS (SELECT 1 FROM %s AS t "
      "WHERE %s)", pS->zState, pS->zLast, pM->zTgtSql, pS->zMatch));
  checkAdd(pS, "deleted row", acdcMprintf(p, "SELECT %s, e.seq, "
      "'the last event of the key is a delete, and the target has a row' "
      "FROM %s AS e WHERE e.kind%%2=1 AND EXISTS (SELECT 1 FROM %s AS t "
      "WHERE %s)", pS->zState, pS->zLast, pM->zTgtSql, pS->zMatch));
  if( !pM->st.bAdopted ){
    checkAdd(pS, "unknown row", acdcMprintf(p, "SELECT %s, NULL, "
        "'the target has a row that no flow wrote' "
        "FROM %s AS t WHERE NOT EXISTS (SELECT 1 FROM %s AS e WHERE %s)",
        pS->zTgt, pM->zTgtSql, pS->zLast, pS->zMatch));
  }
}

static void checkColumns(CheckSql *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  char *zMatch = 0;
  int i;
  if( pS->zEvent==0 || pS->zLast==0 ) return;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zMatch, "%sl.k%d IS e.k%d", i ? " AND " : "", i+1, i+1);
  }
  checkAdd(pS, "event without key", acdcMprintf(p, "SELECT %s, e.seq, "
      "'an event is kept of a key whose last sequence is not' FROM %s AS e "
      "WHERE NOT EXISTS (SELECT 1 FROM %s AS l WHERE %s)", pS->zState,
      pS->zEvent, pS->zLast, zMatch));
  checkAdd(pS, "last event", acdcMprintf(p, "SELECT %s, max(e.seq), "
      "'the latest event that is kept is not the last of its key' FROM %s AS e, "
      "%s AS l WHERE %s GROUP BY %s HAVING max(e.seq) IS NOT l.seq",
      pS->zState, pS->zEvent, pS->zLast, zMatch, pS->zState));
  sqlite3_free(zMatch);
}

/* ---- the catalog ---- */

static void checkOrphans(CheckSql *pS){
  static const char *const azTable[] = {
    "autocdc_marks", "autocdc_sources", "autocdc_versions"
  };
  const char *zDb = pS->pM->tgt.zSchema;
  int i;
  for(i=0; i<3; i++){
    checkAdd(pS, "orphan", acdcMprintf(pS->p, "SELECT %s, NULL, '%s has '||"
        "count(*)||' rows of a target that is not known (number '||target||')' "
        "FROM \"%w\".%s WHERE target NOT IN (SELECT id FROM "
        "\"%w\".autocdc_targets) GROUP BY target", pS->zNulls, azTable[i], zDb,
        azTable[i], zDb));
  }
}

static void checkPlan(CheckSql *pS){
  AcdcMerge *pM = pS->pM;
  AcdcCtx *p = pS->p;
  int i;
  pS->zOrd = pM->bNative ? "" : "autocdc_seq_key";
  for(i=0; i<pM->nKey; i++){
    const char *zSep = i ? ", " : "";
    acdcAppendf(p, &pS->zTgt, "%st.\"%w\"", zSep, pM->aKey[i].zName);
    acdcAppendf(p, &pS->zState, "%se.k%d", zSep, i+1);
    acdcAppendf(p, &pS->zNulls, "%sNULL", zSep);
    acdcAppendf(p, &pS->zMatch, "%st.\"%w\" IS e.k%d", i ? " AND " : "",
                pM->aKey[i].zName, i+1);
  }
  checkOrphans(pS);
  if( pM->st.eScd==ACDC_SCD1 && !pM->st.bSnapshot ){
    pS->zLast = checkTable(pS, "autocdc_state", 1);
    if( pS->zLast && pM->pKept ){
      sqlite3_free(pS->zLast);
      pS->zLast = acdcStateLastSql(pM);
    }
  }
  if( pM->st.bEvents ) pS->zEvent = checkTable(pS, "autocdc_event", 1);
  if( pM->st.eScd==ACDC_SCD1 ){
    checkCurrent(pS);
    checkColumns(pS);
  }else if( pM->st.eScd==ACDC_BITEMPORAL ){
    checkBitemporal(pS);
  }else{
    checkIntervals(pS);
    checkNeighbours(pS);
    checkHidden(pS);
  }
  sqlite3_free(pS->zTgt);
  sqlite3_free(pS->zState);
  sqlite3_free(pS->zNulls);
  sqlite3_free(pS->zMatch);
  sqlite3_free(pS->zEvent);
  sqlite3_free(pS->zLast);
}

void acdcCheckOpen(
  AcdcCtx *p, AcdcCheck *pC, const char *zSchema, const char *zName
){
  CheckSql sql;
  memset(pC, 0, sizeof(*pC));
  pC->p = p;
  acdcInspectOpen(p, &pC->in, zSchema, zName, 0);
  if( p->rc ) return;
  memset(&sql, 0, sizeof(sql));
  sql.pC = pC;
  sql.pM = &pC->in.m;
  sql.p = p;
  if( pC->in.bTarget && acdcKeyless(pC->in.m.st.eScd) ){
    pC->in.m.nKey = 1;
    sql.zNulls = acdcStrdup(p, "NULL");
    checkOrphans(&sql);
    sqlite3_free(sql.zNulls);
  }else if( pC->in.bTarget ){
    checkPlan(&sql);
  }else{
    pC->in.m.nKey = 1;
    checkAdd(&sql, "target is gone", acdcMprintf(p, "SELECT NULL, NULL, "
        "'target %q is gone or lacks a column that its state needs: the next "
        "run, or autocdc_reset(), starts anew'", zName));
  }
  pC->i = -1;
  acdcCheckNext(pC);
}

void acdcCheckNext(AcdcCheck *pC){
  AcdcCtx *p = pC->p;
  while( p->rc==0 && !(pC->pStmt && acdcStep(p, pC->pStmt)) ){
    acdcFinalize(p, &pC->pStmt);
    if( ++pC->i>=pC->sql.n || p->rc ) break;
    pC->pStmt = acdcPrepare(p, 0, "%s", pC->sql.az[pC->i]);
  }
  pC->bEof = p->rc!=0 || pC->i>=pC->sql.n;
}

void acdcCheckClose(AcdcCheck *pC){
  if( pC->p==0 ) return;
  acdcFinalize(pC->p, &pC->pStmt);
  acdcNamesFree(&pC->problems);
  acdcNamesFree(&pC->sql);
  acdcInspectClose(&pC->in);
  memset(pC, 0, sizeof(*pC));
}
