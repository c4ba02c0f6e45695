/*
** PRAGMA integrity_check of scd2 tables: intervals that are broken.
*/
#include "scd2.h"

/* "t.k1, t.k2", or "p.k1 IS t.k1 AND ..." if zOther is given. */
static char *checkKeys(AcdcScd2 *pTab, const char *zOther){
  char *z = 0;
  int i;
  for(i=0; i<pTab->nKey; i++){
    const char *zKey = pTab->rows.aCol[pTab->aKey[i]].zName;
    if( zOther ){
      acdcAppendf(&pTab->ctx, &z, "%s%s.\"%w\" IS t.\"%w\"", i ? " AND " : "",
                  zOther, zKey, zKey);
    }else{
      acdcAppendf(&pTab->ctx, &z, "%st.\"%w\"", i ? ", " : "", zKey);
    }
  }
  return z;
}

/*
** Rows that no history has: without a start, that end before they start, that
** reach into the next version of their key.
*/
static char *checkSql(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  char *zKeys = checkKeys(pTab, 0);
  char *z = acdcMprintf(p,
      "SELECT %s, s, CASE WHEN s IS NULL THEN 'has no " ACDC_START "' "
      "WHEN ek<=sk THEN 'ends before it begins' "
      "WHEN ek IS NULL THEN 'is open, but another follows' "
      "ELSE 'overlaps the next one' END "
      "FROM (SELECT *, lead(sk) OVER (PARTITION BY %s ORDER BY sk) AS nk "
      "FROM (SELECT %s, t.\"" ACDC_START "\" AS s, "
      "autocdc_seq_key(t.\"" ACDC_START "\") AS sk, "
      "autocdc_seq_key(t.\"" ACDC_END "\") AS ek FROM %s AS t) AS t) AS t "
      "WHERE s IS NULL OR ek<=sk OR (nk IS NOT NULL AND (ek IS NULL OR ek>nk)) "
      "LIMIT 100", zKeys, zKeys, zKeys, pTab->zRowsSql);
  sqlite3_free(zKeys);
  return z;
}

int acdcScd2Integrity(
  sqlite3_vtab *pVtab, const char *zSchema, const char *zTabName, int mFlags,
  char **pzErr
){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  AcdcCtx *p = &pTab->ctx;
  sqlite3_stmt *pStmt;
  char *zSql, *zOut = 0;
  int i;
  ACDC_UNUSED(mFlags);
  if( p->rc ) acdcCtxClear(p);
  if( pTab->zWrong || pTab->iSysStart>=0 ){
    /* Bitemporal rows overlap in business time */
    if( pTab->zWrong ) *pzErr = sqlite3_mprintf("%s.%s: %s", zSchema, zTabName,
                                                pTab->zWrong);
    return SQLITE_OK;
  }
  zSql = checkSql(pTab);
  pStmt = acdcPrepare(p, 0, "%s", zSql);
  while( acdcStep(p, pStmt) ){
    char *zKey = 0, *zStart;
    AcdcVal v;
    for(i=0; i<pTab->nKey; i++){
      char *zVal;
      acdcValColumn(&v, pStmt, i);
      zVal = acdcValText(p, &v);
      acdcAppendf(p, &zKey, "%s%s=%s", i ? ", " : "",
                  pTab->rows.aCol[pTab->aKey[i]].zName, zVal ? zVal : "?");
      sqlite3_free(zVal);
    }
    acdcValColumn(&v, pStmt, i);
    zStart = acdcValText(p, &v);
    acdcAppendf(p, &zOut, "%s%s.%s: version %s of %s %s", zOut ? "\n" : "",
        zSchema, zTabName, zStart ? zStart : "?", zKey ? zKey : "?",
        (const char*)sqlite3_column_text(pStmt, i+1));
    sqlite3_free(zKey);
    sqlite3_free(zStart);
  }
  acdcFinalize(p, &pStmt);
  sqlite3_free(zSql);
  if( p->rc ){
    int rc = p->rc;
    if( rc==SQLITE_ERROR ){
      /* A value that is no sequence is a finding, not a failure */
      acdcAppendf(p, &zOut, "%s", "");
      *pzErr = sqlite3_mprintf("%s.%s: %s", zSchema, zTabName,
                               acdcErrorText(p));
      rc = SQLITE_OK;
    }
    acdcCtxClear(p);
    sqlite3_free(zOut);
    return rc;
  }
  *pzErr = zOut;
  return SQLITE_OK;
}
