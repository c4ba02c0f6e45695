/*
** Statements that read and write target and state.  Parameters have fixed
** numbers: keys 1..nKey, then start, end, then the value columns.
*/
#include "merge.h"

enum {
  W_T_INSERT, W_T_UPDATE, W_T_END, W_T_DELETE, W_T_EXTRA,
  W_T_LAST, W_T_LE, W_T_GT, W_T_ALL, W_T_LT,
  W_E_LAST, W_E_LE, W_E_GT, W_E_ALL, W_E_LT, W_E_PUT, W_E_DELETE, W_E_BELOW,
  W_S_READ, W_S_INSERT, W_S_UPDATE, W_S_GONE, W_S_TOMB, W_S_FORGET, W_T_KEPT,
  W_T_FEED, W_E_FEED, W_S_FEED,
  W_COUNT
};

#define WRITE_ROWS   1024          /* rows that wait at most ... */
#define WRITE_BYTES  (512*1024)    /* ... and copied bytes */
#define WRITE_GROUP  50            /* Terms of an OR in one parenthesis */

struct AcdcWriter {
  sqlite3_stmt *aStmt[W_COUNT];    /* Prepared when first used.  Owned */
  AcdcFeed tgt, event, last;       /* Rows that wait */
  u8 bUpdates;                     /* Some of tgt are there already */
  sqlite3_stmt *pUpsert;           /* For those.  Owned */
  u8 *aBlob;                       /* Values of an event.  Owned */
  int nBlobAlloc;
};

/* Number of the parameter or feed column of value column i. */
#define writeValParam(pM, i)  ((pM)->nKey + 3 + (i))

AcdcWriter *acdcWriterNew(AcdcMerge *pM){
  AcdcWriter *pW = acdcMalloc(pM->p, sizeof(*pW));
  if( pW ){
    acdcFeedInit(&pW->tgt, pM->nKey + 2 + pM->nVal);
    acdcFeedInit(&pW->event, pM->nKey + 5);
    acdcFeedInit(&pW->last, pM->nKey + 3);
  }
  return pW;
}

void acdcWriterFree(AcdcCtx *p, AcdcWriter *pW){
  int i;
  if( pW==0 ) return;
  for(i=0; i<W_COUNT; i++) acdcFinalize(p, &pW->aStmt[i]);
  acdcFinalize(p, &pW->pUpsert);
  acdcFeedClear(&pW->tgt);
  acdcFeedClear(&pW->event);
  acdcFeedClear(&pW->last);
  sqlite3_free(pW->aBlob);
  sqlite3_free(pW);
}

/* ---- SQL text ---- */

/* "k"=?1 AND ..., of the target or (k1, k2, ...) of a state table. */
char *acdcKeyMatch(AcdcMerge *pM, int bState){
  const char *zOp = pM->pFlow->bNullKeysMatch ? " IS " : "=";
  char *z = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    if( bState ){
      acdcAppendf(pM->p, &z, "%sk%d%s?%d", i ? " AND " : "", i+1, zOp, i+1);
    }else{
      acdcAppendf(pM->p, &z, "%s\"%w\"%s?%d", i ? " AND " : "",
                  pM->aKey[i].zName, zOp, i+1);
    }
  }
  return z;
}

/*
** What goes before term number *pn of "(a OR b ...) OR (c ...)", which is to be
** closed with ")".  In groups, because SQLite limits the depth of an expression,
** and a plain chain is as deep as it is long.
*/
static const char *writeOr(int *pn){
  int i = (*pn)++;
  return i==0 ? "(" : i%WRITE_GROUP ? " OR " : ") OR (";
}

/* Does this flow write value column i?  Partial updates write them all. */
static int writeHas(const AcdcMerge *pM, int i){
  if( pM->aVal[i].iTgt<0 ) return 0;
  if( pM->pFlow->eScd!=ACDC_SCD1 || pM->bPartial ) return 1;
  return pM->aVal[i].iSrc>=0;
}

static char *writeInsertSql(AcdcMerge *pM, int bFeed){
  AcdcCtx *p = pM->p;
  char *zCols = 0, *zVals = 0, *z;
  const char *zForm = bFeed ? "%sc%d" : "%s?%d";
  int iBase = bFeed ? 0 : 1;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zCols, "%s\"%w\"", i ? "," : "", pM->aKey[i].zName);
    acdcAppendf(p, &zVals, zForm, i ? "," : "", i+iBase);
  }
  if( pM->iStart>=0 && pM->pFlow->eScd!=ACDC_SCD1 ){
    acdcAppendf(p, &zCols, ",\"" ACDC_START "\",\"" ACDC_END "\"");
    acdcAppendf(p, &zVals, zForm, ",", pM->nKey+iBase);
    acdcAppendf(p, &zVals, zForm, ",", pM->nKey+1+iBase);
  }
  for(i=0; i<pM->nVal; i++){
    if( !writeHas(pM, i) ) continue;
    acdcAppendf(p, &zCols, ",\"%w\"", pM->aVal[i].zName);
    acdcAppendf(p, &zVals, zForm, ",", pM->nKey+2+i+iBase);
  }
  if( bFeed ){
    /* OR FAIL: no journal of the statement by itself, which in WAL mode doubles
    ** the bytes written.  Our savepoint undoes what a failure leaves. */
    z = acdcMprintf(p, "INSERT OR FAIL INTO %s(%s) SELECT %s "
                    "FROM %s(?1)", pM->zTgtSql, zCols, zVals,
                    acdcFeedModule(pM->nKey + 2 + pM->nVal));
  }else{
    z = acdcMprintf(p, "INSERT INTO %s(%s) VALUES(%s)", pM->zTgtSql, zCols,
                    zVals);
  }
  sqlite3_free(zCols);
  sqlite3_free(zVals);
  return z;
}

/* Set value columns (and end), unless all are equal already. */
static char *writeUpdateSql(AcdcMerge *pM, const char *zWhere){
  AcdcCtx *p = pM->p;
  char *zSet = 0, *zDiff = 0, *z;
  int bHistory = pM->pFlow->eScd!=ACDC_SCD1;
  int i, nDiff = 0;
  if( bHistory ){
    acdcAppendf(p, &zSet, "\"" ACDC_END "\"=?%d", pM->nKey+2);
  }
  for(i=0; i<pM->nVal; i++){
    if( !writeHas(pM, i) ) continue;
    acdcAppendf(p, &zSet, "%s\"%w\"=?%d", zSet ? "," : "",
                pM->aVal[i].zName, writeValParam(pM, i));
    acdcAppendf(p, &zDiff, "%s\"%w\"%s IS NOT ?%d", writeOr(&nDiff),
        pM->aVal[i].zName,
        pM->tgt.aCol[pM->aVal[i].iTgt].zColl ? " COLLATE BINARY" : "",
        writeValParam(pM, i));
    if( pM->aVal[i].cAff=='A' ){          /* 1 IS 1.0, and yet they differ */
      acdcAppendf(p, &zDiff, "%stypeof(\"%w\")<>typeof(?%d)", writeOr(&nDiff),
          pM->aVal[i].zName, writeValParam(pM, i));
    }
  }
  if( bHistory ){
    z = acdcMprintf(p, "UPDATE %s SET %s WHERE %s AND \"" ACDC_START "\"=?%d",
                    pM->zTgtSql, zSet, zWhere, pM->nKey+1);
  }else if( zSet ){
    z = acdcMprintf(p, "UPDATE %s SET %s WHERE %s AND (%s))", pM->zTgtSql, zSet,
                    zWhere, zDiff);
  }else{
    z = acdcMprintf(p, "SELECT 1 WHERE 0");     /* keys only: never differs */
  }
  sqlite3_free(zSet);
  sqlite3_free(zDiff);
  return z;
}

sqlite3_stmt *acdcWriterUpsert(AcdcMerge *pM, int bAlways){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = 0;
  char *zInsert = writeInsertSql(pM, 1);
  char *zKeys = 0, *zSet = 0, *zDiff = 0;
  int bHistory = pM->pFlow->eScd!=ACDC_SCD1;
  int i, nDiff = 0;
  if( bHistory ) bAlways = 1;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zKeys, "%s\"%w\"", i ? "," : "", pM->aKey[i].zName);
  }
  if( bHistory ){
    acdcAppendf(p, &zKeys, ",\"" ACDC_START "\"");
    acdcAppendf(p, &zSet, "\"" ACDC_END "\"=excluded.\"" ACDC_END "\"");
  }
  for(i=0; i<pM->nVal; i++){
    const char *z = pM->aVal[i].zName;
    if( !writeHas(pM, i) ) continue;
    acdcAppendf(p, &zSet, "%s\"%w\"=excluded.\"%w\"", zSet ? "," : "", z, z);
    acdcAppendf(p, &zDiff, "%s\"%w\"%s IS NOT excluded.\"%w\"",
        writeOr(&nDiff), z,
        pM->tgt.aCol[pM->aVal[i].iTgt].zColl ? " COLLATE BINARY" : "", z);
    if( pM->aVal[i].cAff=='A' ){
      acdcAppendf(p, &zDiff, "%stypeof(\"%w\")<>typeof(excluded.\"%w\")",
                  writeOr(&nDiff), z, z);
    }
  }
  if( p->rc==0 && zSet ){
    pStmt = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "%s WHERE true "
        "ON CONFLICT(%s) DO UPDATE SET %s%s%s%s", zInsert, zKeys, zSet,
        bAlways ? "" : " WHERE ", bAlways ? "" : zDiff, bAlways ? "" : ")");
  }else if( p->rc==0 ){
    pStmt = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "%s WHERE true "
        "ON CONFLICT(%s) DO NOTHING", zInsert, zKeys);
  }
  sqlite3_free(zInsert);
  sqlite3_free(zKeys);
  sqlite3_free(zSet);
  sqlite3_free(zDiff);
  return pStmt;
}

static char *writeTgtLookSql(AcdcMerge *pM, int eLook, const char *zWhere){
  AcdcCtx *p = pM->p;
  char *zCols = 0, *z;
  const char *zMore = "";
  int bHistory = pM->pFlow->eScd!=ACDC_SCD1;
  int i;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iTgt>=0 ){
      acdcAppendf(p, &zCols, ",\"%w\"", pM->aVal[i].zName);
    }else{
      acdcAppendf(p, &zCols, ",NULL");
    }
  }
  if( bHistory ){
    static const char *const azMore[] = {
      " ORDER BY \"" ACDC_START "\" DESC LIMIT 1",
      " AND \"" ACDC_START "\"<=?%d ORDER BY \"" ACDC_START "\" DESC LIMIT 1",
      " AND \"" ACDC_START "\">?%d ORDER BY \"" ACDC_START "\" LIMIT 1",
      " ORDER BY \"" ACDC_START "\"",
      " AND \"" ACDC_START "\"<?%d ORDER BY \"" ACDC_START "\" DESC LIMIT 1"
    };
    zMore = azMore[eLook];
  }
  z = acdcMprintf(p, "SELECT %s%s FROM %s WHERE %s",
      bHistory ? "\"" ACDC_START "\",\"" ACDC_END "\"" : "NULL,NULL",
      zCols ? zCols : "", pM->zTgtSql, zWhere);
  acdcAppendf(p, &z, zMore, pM->nKey+1);
  sqlite3_free(zCols);
  return z;
}

/* Statement on a state table; %s is its name and %s a match of the keys. */
static char *writeStateSql(AcdcMerge *pM, int iStmt, const char *zWhere){
  AcdcCtx *p = pM->p;
  const char *zDb = pM->tgt.zSchema;
  i64 iId = pM->st.iId;
  int n = pM->nKey, i;
  char *zCols = 0, *zParams = 0, *zFeed = 0, *z = 0;
  int bNull = pM->pFlow->bNullKeysMatch;
  for(i=0; i<n; i++){
    acdcAppendf(p, &zCols, "k%d,", i+1);
    acdcAppendf(p, &zParams, "?%d,", i+1);
    acdcAppendf(p, &zFeed, "c%d,", i);
  }
  if( p->rc==0 ) switch( iStmt ){
    case W_E_LAST: case W_E_LE: case W_E_GT: case W_E_ALL: case W_E_LT: {
      static const char *const azMore[] = {
        " ORDER BY seq DESC LIMIT 1", " AND seq<=?%d ORDER BY seq DESC LIMIT 1",
        " AND seq>?%d ORDER BY seq LIMIT 1", " ORDER BY seq",
        " AND seq<?%d ORDER BY seq DESC LIMIT 1"
      };
      z = acdcMprintf(p, "SELECT seq, kind, mask, vals, shown "
          "FROM \"%w\".autocdc_event_%lld WHERE %s", zDb, iId, zWhere);
      acdcAppendf(p, &z, azMore[iStmt-W_E_LAST], n+1);
      break;
    }
    case W_E_PUT:
      z = acdcMprintf(p, "INSERT%s INTO \"%w\".autocdc_event_%lld(%sseq, kind, "
          "mask, vals, shown) VALUES(%s?%d,?%d,?%d,?%d,?%d)",
          bNull ? "" : " OR REPLACE", zDb, iId, zCols, zParams,
          n+1, n+2, n+3, n+4, n+5);
      break;
    case W_E_FEED:
      z = acdcMprintf(p, "INSERT%s INTO \"%w\".autocdc_event_%lld(%sseq, kind, "
          "mask, vals, shown) SELECT %sc%d,c%d,c%d,c%d,c%d "
          "FROM %s(?1)", bNull ? "" : " OR REPLACE", zDb, iId, zCols,
          zFeed, n, n+1, n+2, n+3, n+4, acdcFeedModule(n+5));
      break;
    case W_E_DELETE:
      z = acdcMprintf(p, "DELETE FROM \"%w\".autocdc_event_%lld "
          "WHERE %s AND seq IS ?%d", zDb, iId, zWhere, n+1);
      break;
    case W_E_BELOW:
      z = acdcMprintf(p, "DELETE FROM \"%w\".autocdc_event_%lld "
          "WHERE %s AND seq<?%d", zDb, iId, zWhere, n+1);
      break;
    case W_S_READ:
      z = acdcMprintf(p, "SELECT seq, kind, gone FROM \"%w\".autocdc_state_%lld "
          "WHERE %s", zDb, iId, zWhere);
      break;
    case W_S_INSERT:
      z = acdcMprintf(p, "INSERT INTO \"%w\".autocdc_state_%lld(%sseq, kind, "
          "gone) VALUES(%s?%d,?%d,?%d)", zDb, iId, zCols, zParams, n+1, n+2,
          n+3);
      break;
    case W_S_FEED:
      z = acdcMprintf(p, "INSERT OR FAIL INTO \"%w\".autocdc_state_%lld(%sseq, "
          "kind, gone) SELECT %sc%d,c%d,c%d FROM %s(?1)", zDb, iId, zCols, zFeed,
          n, n+1, n+2, acdcFeedModule(n+3));
      break;
    case W_S_UPDATE:
      z = acdcMprintf(p, "UPDATE \"%w\".autocdc_state_%lld SET seq=?%d, "
          "kind=?%d, gone=?%d WHERE %s", zDb, iId, n+1, n+2, n+3, zWhere);
      break;
    case W_S_GONE:
      z = acdcMprintf(p, "UPDATE \"%w\".autocdc_state_%lld SET gone=?%d WHERE "
          "%s AND kind%%2=0 AND seq>?%d AND (gone IS NULL OR gone<?%d)", zDb,
          iId, n+1, zWhere, n+1, n+1);
      break;
    case W_S_TOMB:
      z = acdcMprintf(p, "INSERT INTO \"%w\".autocdc_state_%lld(%sseq, kind) "
          "VALUES(%s?%d,%d) ON CONFLICT DO UPDATE SET seq=excluded.seq "
          "WHERE excluded.seq>seq", zDb, iId, zCols, zParams, n+1, ACDC_DELETE);
      break;
    case W_S_FORGET:
      z = acdcMprintf(p, "DELETE FROM \"%w\".autocdc_state_%lld WHERE %s", zDb,
          iId, zWhere);
      break;
  }
  sqlite3_free(zCols);
  sqlite3_free(zParams);
  sqlite3_free(zFeed);
  return z;
}

/* Empty the columns that no flow writes. */
static char *writeExtraSql(AcdcMerge *pM, const char *zWhere){
  AcdcCtx *p = pM->p;
  char *zSet = 0, *zAny = 0, *z;
  int i, j, nAny = 0;
  for(i=0; i<pM->tgt.nCol; i++){
    const AcdcColumn *pC = &pM->tgt.aCol[i];
    int bOurs = pC->bGenerated || pC->bNotNull;
    for(j=0; j<pM->nKey; j++) if( pM->aKey[j].iTgt==i ) bOurs = 1;
    for(j=0; j<pM->nVal; j++) if( pM->aVal[j].iTgt==i ) bOurs = 1;
    if( bOurs ) continue;
    acdcAppendf(p, &zSet, "%s\"%w\"=NULL", zSet ? "," : "", pC->zName);
    acdcAppendf(p, &zAny, "%s\"%w\" IS NOT NULL", writeOr(&nAny), pC->zName);
  }
  if( zSet ){
    z = acdcMprintf(p, "UPDATE %s SET %s WHERE %s AND (%s))", pM->zTgtSql, zSet,
                    zWhere, zAny);
  }else{
    z = acdcMprintf(p, "SELECT 1 WHERE 0");
  }
  sqlite3_free(zSet);
  sqlite3_free(zAny);
  return z;
}

static sqlite3_stmt *writeStmt(AcdcMerge *pM, int iStmt){
  AcdcWriter *pW = pM->pW;
  char *zWhere, *z = 0;
  if( pW->aStmt[iStmt] || pM->p->rc ) return pW->aStmt[iStmt];
  zWhere = acdcKeyMatch(pM, iStmt>=W_E_LAST && iStmt<=W_S_FORGET);
  switch( iStmt ){
    case W_T_INSERT:
    case W_T_FEED:
      z = writeInsertSql(pM, iStmt==W_T_FEED);
      break;
    case W_T_UPDATE:
      z = writeUpdateSql(pM, zWhere);
      break;
    case W_T_END:
      z = acdcMprintf(pM->p, "UPDATE %s SET \"" ACDC_END "\"=?%d WHERE %s AND "
          "\"" ACDC_START "\"=?%d", pM->zTgtSql, pM->nKey+2, zWhere,
          pM->nKey+1);
      break;
    case W_T_DELETE:
      z = acdcMprintf(pM->p, "DELETE FROM %s WHERE %s", pM->zTgtSql, zWhere);
      if( pM->pFlow->eScd!=ACDC_SCD1 ){
        acdcAppendf(pM->p, &z, " AND \"" ACDC_START "\"=?%d", pM->nKey+1);
      }
      break;
    case W_T_EXTRA:
      z = writeExtraSql(pM, zWhere);
      break;
    case W_T_LAST: case W_T_LE: case W_T_GT: case W_T_ALL: case W_T_LT:
      z = writeTgtLookSql(pM, iStmt-W_T_LAST, zWhere);
      break;
    case W_T_KEPT:
      z = acdcMprintf(pM->p, "SELECT \"%w\" FROM %s WHERE %s",
                      pM->pKept->zName, pM->zTgtSql, zWhere);
      break;
    default:
      z = writeStateSql(pM, iStmt, zWhere);
      break;
  }
  if( z ){
    pW->aStmt[iStmt] = acdcPrepare(pM->p, SQLITE_PREPARE_PERSISTENT, "%s", z);
  }
  sqlite3_free(z);
  sqlite3_free(zWhere);
  return pW->aStmt[iStmt];
}

/* ---- running ---- */

static void writeBindKeys(AcdcMerge *pM, sqlite3_stmt *p, const AcdcVal *aKey){
  int i;
  for(i=0; i<pM->nKey; i++) acdcValBind(p, i+1, &aKey[i]);
}

static void writeBindVals(AcdcMerge *pM, sqlite3_stmt *p, const AcdcVal *aVal){
  int i;
  for(i=0; i<pM->nVal; i++){
    if( writeHas(pM, i) ) acdcValBind(p, writeValParam(pM, i), &aVal[i]);
  }
}

/*
** Say where a write has failed: of which key, if its row may be to blame.
** aKey may be NULL.
*/
static void writeWhere(AcdcMerge *pM, const AcdcVal *aKey){
  int rc = pM->p->rc;
  char *z = 0;
  if( rc==SQLITE_OK || rc==SQLITE_INTERRUPT ) return;
  if( aKey && ((rc&0xff)==SQLITE_CONSTRAINT || (rc&0xff)==SQLITE_ERROR
            || rc==SQLITE_MISMATCH || rc==SQLITE_TOOBIG) ){
    pM->p->rc = SQLITE_OK;
    z = acdcKeyText(pM, aKey);
    pM->p->rc = rc;
  }
  if( z ){
    acdcErrorWhere(pM->p, "target %s, key %s", pM->pFlow->zTarget, z);
  }else{
    acdcErrorWhere(pM->p, "target %s", pM->pFlow->zTarget);
  }
  sqlite3_free(z);
}

void acdcFeedWhere(AcdcMerge *pM, const AcdcFeed *pF){
  int bAt = pF->iRow>=0 && pF->iRow<pF->nRow;
  writeWhere(pM, bAt ? &pF->aVal[(i64)pF->iRow*pF->nCol] : 0);
}

/* Step a writing statement to its end; returns the rows it changed. */
static int writeRun(AcdcMerge *pM, sqlite3_stmt *pStmt, const AcdcVal *aKey){
  AcdcCtx *p = pM->p;
  int n = 0;
  if( p->rc==0 && pStmt ){
    int rc = sqlite3_step(pStmt);
    if( rc==SQLITE_ROW || rc==SQLITE_DONE ){
      n = sqlite3_changes(p->db);
    }else{
      acdcErrorDb(p, rc, 0);
      writeWhere(pM, aKey);
    }
    sqlite3_reset(pStmt);
  }
  return n;
}

static void writeFeed(AcdcMerge *pM, AcdcFeed *pF, int iStmt){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  if( pF->nRow==0 ) return;
  if( iStmt==W_T_FEED && pM->pW->bUpdates ){
    if( pM->pW->pUpsert==0 ) pM->pW->pUpsert = acdcWriterUpsert(pM, 0);
    pStmt = pM->pW->pUpsert;
    pM->pW->bUpdates = 0;
  }else{
    pStmt = writeStmt(pM, iStmt);
  }
  if( pStmt && p->rc==0 ){
    int rc;
    acdcFeedBind(pStmt, 1, pF);
    rc = sqlite3_step(pStmt);
    if( rc!=SQLITE_DONE && rc!=SQLITE_ROW ){
      acdcErrorDb(p, rc, 0);
      acdcFeedWhere(pM, pF);
    }
    sqlite3_reset(pStmt);
    sqlite3_bind_null(pStmt, 1);
  }
  acdcFeedReset(pF);
}

void acdcWriterFlush(AcdcMerge *pM){
  AcdcWriter *pW = pM->pW;
  writeFeed(pM, &pW->tgt, W_T_FEED);
  writeFeed(pM, &pW->event, W_E_FEED);
  writeFeed(pM, &pW->last, W_S_FEED);
}

/* Copy a value's bytes if they would not stay until the flush. */
static void writeKeep(AcdcMerge *pM, AcdcFeed *pF, AcdcVal *pTo,
                      const AcdcVal *pFrom, int bStay){
  if( bStay || (pFrom->eType!=SQLITE_TEXT && pFrom->eType!=SQLITE_BLOB) ){
    *pTo = *pFrom;
  }else{
    acdcValCopy(pM->p, &pF->arena, pTo, pFrom);
    pF->nByte += pFrom->n;
  }
}

static int writeFull(const AcdcFeed *pF){
  return pF->nRow>=WRITE_ROWS || pF->nByte>=WRITE_BYTES;
}

static const AcdcVal valNull = { SQLITE_NULL, 0, {0} };

/*
** A user's __START_AT of numeric type would turn big integers into REAL.
*/
static void writeCheckStart(AcdcMerge *pM, const AcdcVal *pV){
  if( pV->eType==SQLITE_TEXT && pM->st.kind.nPart==1
   && pM->st.kind.aClass[0]==ACDC_SEQ_NUMBER
   && pM->tgt.aCol[pM->iStart].cAff>='C'
  ){
    char *z = acdcValText(pM->p, pV);
    acdcError(pM->p, SQLITE_ERROR, "target %s declares " ACDC_START " as %s, "
        "which cannot hold %s: declare it without a type",
        pM->pFlow->zTarget, pM->tgt.aCol[pM->iStart].zType, z);
    sqlite3_free(z);
  }
}

/* Let a row wait for the next flush. */
static void writeWait(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aVal,
  const AcdcVal *pStart, const AcdcVal *pEnd
){
  AcdcFeed *pF = &pM->pW->tgt;
  AcdcVal *aRow = acdcFeedAdd(pM->p, pF);
  int i;
  if( aRow==0 ) return;
  for(i=0; i<pM->nKey; i++) writeKeep(pM, pF, &aRow[i], &aKey[i], pM->bStay);
  aRow += pM->nKey;
  writeKeep(pM, pF, &aRow[0], pStart ? pStart : &valNull, pM->bStay);
  writeKeep(pM, pF, &aRow[1], pEnd ? pEnd : &valNull, pM->bStay);
  aRow += 2;
  for(i=0; i<pM->nVal; i++) writeKeep(pM, pF, &aRow[i], &aVal[i], pM->bStay);
}

int acdcTgtInsert(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aVal,
  const AcdcVal *pStart, const AcdcVal *pEnd
){
  if( pStart && pM->tgt.aCol[pM->iStart].cAff>='C' ){
    writeCheckStart(pM, pStart);
  }
  if( pM->bRowMode ){
    sqlite3_stmt *pStmt = writeStmt(pM, W_T_INSERT);
    if( pStmt==0 ) return 0;
    writeBindKeys(pM, pStmt, aKey);
    if( pStart ){
      acdcValBind(pStmt, pM->nKey+1, pStart);
      acdcValBind(pStmt, pM->nKey+2, pEnd ? pEnd : &valNull);
    }
    writeBindVals(pM, pStmt, aVal);
    return writeRun(pM, pStmt, aKey)>0;
  }
  writeWait(pM, aKey, aVal, pStart, pEnd);
  if( writeFull(&pM->pW->tgt) ) acdcWriterFlush(pM);
  return 1;
}

int acdcTgtUpdate(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aVal,
  const AcdcVal *pStart, const AcdcVal *pEnd
){
  sqlite3_stmt *pStmt;
  if( pStart && pM->bUpsert ){
    writeWait(pM, aKey, aVal, pStart, pEnd);
    pM->pW->bUpdates = 1;
    if( writeFull(&pM->pW->tgt) ) acdcWriterFlush(pM);
    return 1;
  }
  pStmt = writeStmt(pM, W_T_UPDATE);
  if( pStmt==0 || sqlite3_stmt_readonly(pStmt) ) return 0;
  writeBindKeys(pM, pStmt, aKey);
  if( pStart ){
    acdcValBind(pStmt, pM->nKey+1, pStart);
    acdcValBind(pStmt, pM->nKey+2, pEnd ? pEnd : &valNull);
  }
  writeBindVals(pM, pStmt, aVal);
  return writeRun(pM, pStmt, aKey)>0;
}

void acdcTgtEnd(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pStart,
  const AcdcVal *pEnd
){
  sqlite3_stmt *pStmt = writeStmt(pM, W_T_END);
  if( pStmt==0 ) return;
  writeBindKeys(pM, pStmt, aKey);
  acdcValBind(pStmt, pM->nKey+1, pStart);
  acdcValBind(pStmt, pM->nKey+2, pEnd ? pEnd : &valNull);
  writeRun(pM, pStmt, aKey);
}

int acdcTgtDelete(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pStart){
  sqlite3_stmt *pStmt = writeStmt(pM, W_T_DELETE);
  if( pStmt==0 ) return 0;
  writeBindKeys(pM, pStmt, aKey);
  if( pStart ) acdcValBind(pStmt, pM->nKey+1, pStart);
  return writeRun(pM, pStmt, aKey)>0;
}

int acdcTgtExtra(AcdcMerge *pM, const AcdcVal *aKey){
  sqlite3_stmt *pStmt;
  if( aKey==0 ){                         /* of all rows */
    char *z = writeExtraSql(pM, "true");
    int n = 0;
    pStmt = z ? acdcPrepare(pM->p, 0, "%s", z) : 0;
    acdcStep(pM->p, pStmt);
    if( pM->p->rc==0 ) n = sqlite3_changes(pM->p->db);
    acdcFinalize(pM->p, &pStmt);
    sqlite3_free(z);
    return n;
  }
  pStmt = writeStmt(pM, W_T_EXTRA);
  if( pStmt==0 || sqlite3_stmt_readonly(pStmt) ) return 0;
  writeBindKeys(pM, pStmt, aKey);
  return writeRun(pM, pStmt, aKey)>0;
}

static sqlite3_stmt *writeLook(
  AcdcMerge *pM, int iStmt, const AcdcVal *aKey, const AcdcVal *pSeq
){
  sqlite3_stmt *pStmt = writeStmt(pM, iStmt);
  if( pStmt==0 ) return 0;
  writeBindKeys(pM, pStmt, aKey);
  if( pSeq ){
    acdcValBind(pStmt, pM->nKey+1, pSeq);
  }
  if( acdcStep(pM->p, pStmt) ) return pStmt;
  sqlite3_reset(pStmt);
  return 0;
}

sqlite3_stmt *acdcTgtLook(
  AcdcMerge *pM, int eLook, const AcdcVal *aKey, const AcdcVal *pSeq
){
  return writeLook(pM, W_T_LAST+eLook, aKey, pSeq);
}

sqlite3_stmt *acdcEventLook(
  AcdcMerge *pM, int eLook, const AcdcVal *aKey, const AcdcVal *pSeq
){
  if( !pM->st.bHidden ) return 0;
  return writeLook(pM, W_E_LAST+eLook, aKey, pSeq);
}

/* The values of an event as one BLOB, in pW->aBlob. */
static void writeVals(AcdcMerge *pM, const AcdcVal *aVal, AcdcVal *pOut){
  AcdcWriter *pW = pM->pW;
  int i, n = 0;
  u8 *a;
  for(i=0; i<pM->nVal; i++) n += acdcRecSize(&aVal[i]);
  if( n>pW->nBlobAlloc ){
    a = acdcRealloc(pM->p, pW->aBlob, (i64)n*2);
    if( a==0 ) return;
    pW->aBlob = a;
    pW->nBlobAlloc = n*2;
  }
  a = pW->aBlob;
  for(i=0; i<pM->nVal; i++) a = acdcRecPut(a, &aVal[i]);
  pOut->eType = SQLITE_BLOB;
  pOut->n = n;
  pOut->u.z = n ? pW->aBlob : (const u8*)"";
}

void acdcEventPut(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pSeq, int eKind,
  const AcdcBits *pMask, const AcdcVal *aVal, const AcdcVal *pShown
){
  AcdcWriter *pW = pM->pW;
  AcdcVal aRow[5];
  int i;
  pM->st.bHidden = 1;
  for(i=0; i<5; i++) aRow[i] = valNull;
  aRow[0] = *pSeq;
  aRow[1].eType = SQLITE_INTEGER;
  aRow[1].u.i = eKind;
  if( pMask ){
    aRow[2].eType = SQLITE_BLOB;
    aRow[2].n = pMask->nByte;
    aRow[2].u.z = pMask->a;
  }
  if( aVal ) writeVals(pM, aVal, &aRow[3]);
  if( pShown && (pSeq->eType==SQLITE_BLOB) ) aRow[4] = *pShown;
  if( pM->p->rc ) return;
  if( pM->bEmptyTarget && !pM->bRowMode ){
    AcdcVal *aTo = acdcFeedAdd(pM->p, &pW->event);
    if( aTo==0 ) return;
    for(i=0; i<pM->nKey; i++){
      writeKeep(pM, &pW->event, &aTo[i], &aKey[i], pM->bStay);
    }
    for(i=0; i<5; i++){
      writeKeep(pM, &pW->event, &aTo[pM->nKey+i], &aRow[i], 0);
    }
    if( writeFull(&pW->event) ) acdcWriterFlush(pM);
  }else{
    sqlite3_stmt *pStmt;
    if( pM->pFlow->bNullKeysMatch ) acdcEventDelete(pM, aKey, pSeq);
    pStmt = writeStmt(pM, W_E_PUT);
    if( pStmt==0 ) return;
    writeBindKeys(pM, pStmt, aKey);
    for(i=0; i<5; i++) acdcValBind(pStmt, pM->nKey+1+i, &aRow[i]);
    writeRun(pM, pStmt, aKey);
  }
}

static void writeEventDelete(
  AcdcMerge *pM, int iStmt, const AcdcVal *aKey, const AcdcVal *pSeq
){
  sqlite3_stmt *pStmt = writeStmt(pM, iStmt);
  if( pStmt==0 ) return;
  writeBindKeys(pM, pStmt, aKey);
  acdcValBind(pStmt, pM->nKey+1, pSeq);
  writeRun(pM, pStmt, aKey);
}

void acdcEventDelete(AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pSeq){
  writeEventDelete(pM, W_E_DELETE, aKey, pSeq);
}

void acdcEventDeleteBelow(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *pSeq
){
  writeEventDelete(pM, W_E_BELOW, aKey, pSeq);
}

int acdcEventVals(
  AcdcMerge *pM, AcdcArena *pA, sqlite3_stmt *pStmt, int iCol, AcdcVal *aVal
){
  const u8 *a = sqlite3_column_blob(pStmt, iCol);
  int n = sqlite3_column_bytes(pStmt, iCol);
  int i;
  u8 *aCopy = acdcArenaAlloc(pM->p, pA, n+1);
  const u8 *aEnd;
  if( aCopy==0 ) return 0;
  if( n ) memcpy(aCopy, a, n);
  aEnd = aCopy + n;
  a = aCopy;
  for(i=0; i<pM->nVal; i++){
    if( a<aEnd ){
      a = acdcRecGetSafe(a, aEnd, &aVal[i]);
      if( a==0 ){
        acdcError(pM->p, SQLITE_CORRUPT, "table autocdc_event_%lld is damaged: "
            "autocdc_reset('%q') starts anew", pM->st.iId, pM->pFlow->zTarget);
        return 0;
      }
    }else{
      aVal[i] = valNull;             /* a column that came later */
    }
  }
  return 1;
}

/* A sequence of a state table, from column iCol of pStmt. */
static void writeSeq(
  AcdcMerge *pM, AcdcArena *pA, sqlite3_stmt *pStmt, int iCol, AcdcSeq *pSeq
){
  AcdcVal v, copy;
  acdcValColumn(&v, pStmt, iCol);
  memset(pSeq, 0, sizeof(*pSeq));
  if( v.eType==SQLITE_INTEGER && pM->st.kind.nPart==1 ){
    pSeq->isInt = 1;
    pSeq->iOrd = v.u.i;
    pSeq->shown = v;
  }else{
    acdcValCopy(pM->p, pA, &copy, &v);
    acdcSeqFromState(pM->p, &pM->st.kind, &copy, 0, pA, pSeq);
  }
}

/* The last delete that autocdc_state_<id> of a target with pKept would say. */
static const AcdcSeq *writeTomb(const AcdcLast *pLast){
  if( pLast->eKind & 1 ) return &pLast->seq;
  return pLast->bGone ? &pLast->gone : 0;
}

/*
** With pKept: an upsert that decides is the row of the target, and the state
** has the last delete of a key, before it or in its place.
*/
static int writeKeptRead(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, AcdcLast *pLast
){
  sqlite3_stmt *pRow = writeLook(pM, W_T_KEPT, aKey, 0);
  sqlite3_stmt *pTomb = writeLook(pM, W_S_READ, aKey, 0);
  int bRow = pRow && sqlite3_column_type(pRow, 0)==SQLITE_INTEGER;
  memset(pLast, 0, sizeof(*pLast));
  if( pTomb ) writeSeq(pM, pA, pTomb, 0, &pLast->gone);
  if( bRow ) writeSeq(pM, pA, pRow, 0, &pLast->seq);
  if( bRow && (pTomb==0
      || acdcSeqCmp(&pM->st.kind, &pLast->seq, &pLast->gone)>=0) ){
    pLast->bGone = pTomb!=0;
  }else if( pTomb ){
    pLast->seq = pLast->gone;
    pLast->eKind = ACDC_DELETE;
  }
  if( pRow ) sqlite3_reset(pRow);
  if( pTomb ) sqlite3_reset(pTomb);
  return pM->p->rc==0 && (bRow || pTomb);
}

int acdcLastRead(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, AcdcLast *pLast
){
  sqlite3_stmt *pStmt;
  if( pM->pKept ) return writeKeptRead(pM, pA, aKey, pLast);
  pStmt = writeLook(pM, W_S_READ, aKey, 0);
  memset(pLast, 0, sizeof(*pLast));
  if( pStmt==0 ) return 0;
  pLast->eKind = sqlite3_column_int(pStmt, 1);
  if( pLast->eKind<0 || pLast->eKind/2>=pM->st.nGen ){
    acdcError(pM->p, SQLITE_CORRUPT, "table autocdc_state_%lld has a kind %d, "
        "which there is not: SELECT autocdc_reset('%q') starts anew",
        pM->st.iId, pLast->eKind, pM->pFlow->zTarget);
  }
  writeSeq(pM, pA, pStmt, 0, &pLast->seq);
  pLast->bGone = sqlite3_column_type(pStmt, 2)!=SQLITE_NULL;
  if( pLast->bGone ) writeSeq(pM, pA, pStmt, 2, &pLast->gone);
  sqlite3_reset(pStmt);
  return pM->p->rc==0;
}

/* A row of the state whose key has none. */
static void writeLastNew(
  AcdcMerge *pM, const AcdcVal *aKey, const AcdcVal *aRow
){
  AcdcFeed *pF = &pM->pW->last;
  AcdcVal *aTo = acdcFeedAdd(pM->p, pF);
  int i;
  if( aTo==0 ) return;
  for(i=0; i<pM->nKey; i++) writeKeep(pM, pF, &aTo[i], &aKey[i], pM->bStay);
  for(i=0; i<3; i++) writeKeep(pM, pF, &aTo[pM->nKey+i], &aRow[i], 0);
  if( writeFull(pF) ) acdcWriterFlush(pM);
}

/* Run a statement on the state of a key, with one sequence. */
static void writeLastRun(
  AcdcMerge *pM, AcdcArena *pA, int iStmt, const AcdcVal *aKey,
  const AcdcSeq *pSeq
){
  sqlite3_stmt *pStmt = writeStmt(pM, iStmt);
  AcdcVal v;
  if( pStmt==0 ) return;
  writeBindKeys(pM, pStmt, aKey);
  if( pSeq ){
    acdcSeqToState(pM->p, &pM->st.kind, pSeq, pA, &v);
    acdcValBind(pStmt, pM->nKey+1, &v);
  }
  writeRun(pM, pStmt, aKey);
}

static void writeKeptPut(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcLast *pLast,
  const AcdcLast *pWas
){
  const AcdcSeq *pNow = writeTomb(pLast);
  const AcdcSeq *pOld = pWas ? writeTomb(pWas) : 0;
  if( pNow && pWas==0 ){
    AcdcVal aRow[3];
    aRow[0] = aRow[1] = aRow[2] = valNull;
    acdcSeqToState(pM->p, &pM->st.kind, pNow, pA, &aRow[0]);
    aRow[1].eType = SQLITE_INTEGER;
    aRow[1].u.i = ACDC_DELETE;
    if( pM->p->rc==0 ) writeLastNew(pM, aKey, aRow);
  }else if( pNow ){
    writeLastRun(pM, pA, W_S_TOMB, aKey, pNow);
  }else if( pOld ){
    writeLastRun(pM, pA, W_S_FORGET, aKey, 0);
  }
}

void acdcLastPut(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcLast *pLast,
  const AcdcLast *pWas
){
  AcdcVal aRow[3];
  int i;
  if( pM->pKept ){
    writeKeptPut(pM, pA, aKey, pLast, pWas);
    return;
  }
  for(i=0; i<3; i++) aRow[i] = valNull;
  acdcSeqToState(pM->p, &pM->st.kind, &pLast->seq, pA, &aRow[0]);
  aRow[1].eType = SQLITE_INTEGER;
  aRow[1].u.i = pLast->eKind;
  if( pLast->bGone ){
    acdcSeqToState(pM->p, &pM->st.kind, &pLast->gone, pA, &aRow[2]);
  }
  if( pM->p->rc ) return;
  if( pWas==0 && !pM->bRowMode ){
    writeLastNew(pM, aKey, aRow);
  }else{
    sqlite3_stmt *pStmt = writeStmt(pM, pWas ? W_S_UPDATE : W_S_INSERT);
    if( pStmt==0 ) return;
    writeBindKeys(pM, pStmt, aKey);
    for(i=0; i<3; i++) acdcValBind(pStmt, pM->nKey+1+i, &aRow[i]);
    writeRun(pM, pStmt, aKey);
  }
}

void acdcLastGone(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, const AcdcSeq *pGone
){
  writeLastRun(pM, pA, pM->pKept ? W_S_TOMB : W_S_GONE, aKey, pGone);
}
