/*
** Log rows to events (semantics.md 1 and 5): conditions, NULL keys and
** sequences, affinity of the target, which columns an event authors.
**
** The log is read by one statement whose rows reach us as arguments of the
** private aggregate autocdc_collect(ptr, part, ...): a step and a column call
** a row less than stepping a SELECT.  A row wider than a function may have
** arguments comes in several parts.
**
** A record of the sorter:
**
**   flags and kind (ACDC_REC_*)
**   varint, key code            if ACDC_REC_KEY
**   varint, sequence code       if ACDC_REC_SEQ
**   key values                  unless the key is the entry's integer
**   sequence as shown           if ACDC_REC_SHOWN
**   system sequence             if ACDC_REC_SYS: state form, shown form
**   set of authored columns     if ACDC_REC_MASK
**   emitted values              of an upsert
*/
#include "collectint.h"
#include "../core/json.h"

#define COLLECT_POINTER "autocdc-collect"
#define COLLECT_MAXVIOL 62

typedef AcdcCollect Collect;

/* ---- the statement ---- */

/* The argument that is the SQL text z, added if it is new. */
static int collectArg(Collect *pC, const char *z){
  int i;
  for(i=0; i<pC->args.n; i++) if( strcmp(pC->args.az[i], z)==0 ) return i;
  acdcNamesAdd(pC->p, &pC->args, z, -1);
  return pC->args.n - 1;
}

static int collectColumnArg(Collect *pC, int iSrc){
  char *z = acdcMprintf(pC->p, "\"%w\"", pC->pM->pSrc->tab.aCol[iSrc].zName);
  int i = z ? collectArg(pC, z) : 0;
  sqlite3_free(z);
  return i;
}

/*
** Say of a column that an expression names and the source does not have: which
** one may be meant.  A text in double quotes is the other likely slip.
*/
static void collectNoColumn(Collect *pC, const char *zMember, const char *z){
  const AcdcTable *pT = &pC->pM->pSrc->tab;
  const char *zErr = acdcErrorText(pC->p);
  const char *zCol = strstr(zErr, "no such column: ");
  const char *zNear = 0;
  const char **az;
  char *zAll = 0, *zSay;
  int i;
  if( zCol==0 ) return;
  zCol += 16;
  az = sqlite3_malloc64(sizeof(char*)*(pT->nCol+1));
  for(i=0; az && i<pT->nCol; i++){
    az[i] = pT->aCol[i].zName;
    zAll = sqlite3_mprintf("%z%s%s", zAll, i ? ", " : "", az[i]);
  }
  if( az ) zNear = acdcNearest(zCol, az, pT->nCol);
  zSay = sqlite3_mprintf("%s: %s: no such column: %s%s%s%s (columns: %s)%s",
      zMember, z, zCol, zNear ? "; did you mean " : "", zNear ? zNear : "",
      zNear ? "?" : "", zAll, strchr(z, '"') ? "; text stands in single "
      "quotes, which are doubled inside an SQL string: op = ''D''" : "");
  sqlite3_free(az);
  sqlite3_free(zAll);
  acdcCtxClear(pC->p);
  acdcError(pC->p, SQLITE_ERROR, "%s", zSay ? zSay : "no such column");
  sqlite3_free(zSay);
}

/*
** Prepare an expression of the flow by itself: "1) OR (1" is not one.  Double
** quotes must name columns here, or a mistyped "D" would become text.
*/
static void collectCheckExpr(Collect *pC, const char *zMember, const char *z){
  sqlite3_stmt *pStmt = acdcPrepare(pC->p, 0, "SELECT %s\n FROM %s", z,
                                    pC->pM->pSrc->zFrom);
  if( pC->p->rc ){
    if( strstr(acdcErrorText(pC->p), "no such column: ") ){
      collectNoColumn(pC, zMember, z);
    }else if( strstr(acdcErrorText(pC->p), "unrecognized token") ){
      acdcCtxClear(pC->p);
      acdcError(pC->p, SQLITE_ERROR, "%s: %s: a quote in it is not closed, or it "
          "holds a character that is no SQL", zMember, z);
    }else{
      acdcErrorWhere(pC->p, "%s: %s", zMember, z);
    }
  }else if( sqlite3_column_count(pStmt)!=1 ){
    acdcError(pC->p, SQLITE_ERROR, "%s must be one expression: %s", zMember, z);
  }
  acdcFinalize(pC->p, &pStmt);
}

/* One part of a sequence member: a column's name, else an expression. */
static int collectSeqArg(Collect *pC, const char *zMember, const char *z){
  AcdcMerge *pM = pC->pM;
  int iCol = acdcTableColumn(&pM->pSrc->tab, z);
  int iArg;
  char *zText;
  if( iCol<0 ){
    char *zPlain = acdcUnquote(pC->p, z);
    if( zPlain ) iCol = acdcTableColumn(&pM->pSrc->tab, zPlain);
    sqlite3_free(zPlain);
  }
  if( iCol>=0 ) return collectColumnArg(pC, iCol);
  collectCheckExpr(pC, zMember, z);
  pC->bHeader = 0;
  zText = acdcMprintf(pC->p, "(%s\n)", z);
  iArg = zText ? collectArg(pC, zText) : 0;
  sqlite3_free(zText);
  return iArg;
}

/* The three kinds of rows as a number; NULL if all are upserts. */
static char *collectKindSql(Collect *pC){
  const AcdcFlow *pFlow = pC->pM->pFlow;
  const char *zDel = pFlow->zDeletes;
  char *z = 0;
  if( zDel==0 && pFlow->bCdf ) zDel = "\"_change_type\"='delete'";
  if( pFlow->zTruncates ){
    collectCheckExpr(pC, "apply_as_truncates", pFlow->zTruncates);
  }
  if( pFlow->zDeletes ) collectCheckExpr(pC, "apply_as_deletes", zDel);
  if( pFlow->zTruncates || zDel ){
    z = acdcMprintf(pC->p, "CASE");
    if( pFlow->zTruncates ){
      acdcAppendf(pC->p, &z, " WHEN (%s\n) THEN 2", pFlow->zTruncates);
    }
    if( zDel ) acdcAppendf(pC->p, &z, " WHEN (%s\n) THEN 1", zDel);
    acdcAppendf(pC->p, &z, " ELSE 0 END");
  }
  return z;
}

/* Rows that exist at all; NULL if all do. */
char *acdcCollectFilterSql(Collect *pC){
  const AcdcFlow *pFlow = pC->pM->pFlow;
  char *z = 0;
  if( pFlow->zWhere ){
    collectCheckExpr(pC, "where", pFlow->zWhere);
    z = acdcMprintf(pC->p, "(%s\n)", pFlow->zWhere);
  }
  if( pFlow->bCdf ){
    acdcAppendf(pC->p, &z, "%s\"_change_type\" IS NOT 'update_preimage'",
                z ? " AND " : "");
  }
  return z;
}

/* A number with one bit for each violated expectation; NULL if none is set. */
static char *collectViolSql(Collect *pC){
  const AcdcFlow *pFlow = pC->pM->pFlow;
  char *z = 0;
  int i;
  if( pFlow->nExpect>COLLECT_MAXVIOL ){
    acdcError(pC->p, SQLITE_ERROR, "more than %d expectations",COLLECT_MAXVIOL);
  }
  for(i=0; i<pFlow->nExpect && pC->p->rc==0; i++){
    collectCheckExpr(pC, pFlow->aExpect[i].zName, pFlow->aExpect[i].zRule);
    acdcAppendf(pC->p, &z, "%s(((%s\n) IS NOT TRUE)<<%d)", z ? "|" : "",
                pFlow->aExpect[i].zRule, i);
  }
  return z;
}

static void collectChangeFeed(Collect *pC){
  AcdcMerge *pM = pC->pM;
  static const char *const azMeta[] = {
    "_change_type", "_commit_version", "_commit_timestamp"
  };
  int i, bVersion = 0;
  for(i=0; i<3; i++){
    if( acdcTableColumn(&pM->pSrc->tab, azMeta[i])<0 ){
      acdcError(pC->p, SQLITE_ERROR, "cdf_enabled: the source has no column "
          "%s, so it is no change feed", azMeta[i]);
    }
  }
  for(i=0; i<pM->pFlow->sequenceBy.n; i++){
    const char *z = pM->pFlow->sequenceBy.az[i];
    for(; *z; z++){
      if( sqlite3_strnicmp(z, "_commit_version", 15)==0 ) bVersion = 1;
    }
  }
  if( !bVersion ){
    acdcError(pC->p, SQLITE_ERROR, "cdf_enabled: sequence_by must use "
        "_commit_version, because timestamps of a change feed tie");
  }
}

/* Decide what the arguments are. */
static void collectPlan(Collect *pC){
  AcdcMerge *pM = pC->pM;
  AcdcCtx *p = pC->p;
  char *z;
  int i;
  pC->bHeader = pM->pSrc->tab.nCol>1;
  if( pM->pFlow->bCdf ) collectChangeFeed(pC);
  pC->iRowArg = pC->iRankArg = pC->iUpdateArg = -1;
  if( pM->bCollate ){
    pC->iRowArg = collectArg(pC, "\"__autocdc_row\"");
    pC->iRankArg = collectArg(pC, "\"__autocdc_rank\"");
  }else if( pM->pSrc->zRowid ){
    pC->iRowArg = collectArg(pC, pM->pSrc->zRowid);
  }
  z = collectKindSql(pC);
  pC->iKindArg = z ? collectArg(pC, z) : -1;
  sqlite3_free(z);
  z = collectViolSql(pC);
  pC->iViolArg = z ? collectArg(pC, z) : -1;
  sqlite3_free(z);
  for(i=0; i<pM->nKey && p->rc==0; i++){
    pC->aKeyArg[i] = collectColumnArg(pC, pM->aKey[i].iSrc);
  }
  pC->nSeq = pM->pFlow->sequenceBy.n;
  for(i=0; i<pC->nSeq && p->rc==0; i++){
    pC->azSeq[i] = pM->pFlow->sequenceBy.az[i];
    pC->aSeqArg[i] = collectSeqArg(pC, "sequence_by", pC->azSeq[i]);
  }
  pC->nSys = pM->pFlow->systemSequenceBy.n;
  for(i=0; i<pC->nSys && p->rc==0; i++){
    pC->azSys[i] = pM->pFlow->systemSequenceBy.az[i];
    pC->aSysArg[i] = collectSeqArg(pC, "system_sequence_by", pC->azSys[i]);
  }
  pC->aEmit = acdcMalloc(p, sizeof(int)*(pM->nVal+1));
  pC->aEmitArg = acdcMalloc(p, sizeof(int)*(pM->nVal+1));
  pC->aVal = acdcMalloc(p, sizeof(AcdcVal)*(pM->nVal+1));
  pC->mask.nByte = pM->emit.nByte;
  pC->mask.a = acdcMalloc(p, pC->mask.nByte+1);
  pC->anViol = acdcMalloc(p, sizeof(i64)*(pM->pFlow->nExpect+1));
  if( p->rc ) return;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iSrc>=0 ){
      pC->aEmit[pC->nEmit] = i;
      pC->aEmitArg[pC->nEmit++] = collectColumnArg(pC, pM->aVal[i].iSrc);
    }
  }
  if( pM->pFlow->zColumnsToUpdate ){
    char *zCol = acdcUnquote(p, pM->pFlow->zColumnsToUpdate);
    int iCol = zCol ? acdcTableColumn(&pM->pSrc->tab, zCol) : -1;
    if( p->rc==0 && iCol<0 ){
      acdcError(p, SQLITE_ERROR, "columns_to_update: the source has no column "
          "%s", zCol);
    }
    sqlite3_free(zCol);
    if( p->rc==0 ) pC->iUpdateArg = collectColumnArg(pC, iCol);
  }
}

/* The FROM clause; numbers the keys if SQLite must compare them. */
static char *collectFromSql(Collect *pC, const AcdcMergeOpts *pOpts){
  AcdcMerge *pM = pC->pM;
  AcdcCtx *p = pC->p;
  char *zAfter = 0, *zKeys = 0, *z;
  int i;
  if( pOpts->bAfter && pM->pSrc->zRowid ){
    zAfter = acdcMprintf(p, " WHERE %s>%lld", pM->pSrc->zRowid, pOpts->iAfter);
  }
  if( !pM->bCollate ){
    z = acdcMprintf(p, "%s%s", pM->pSrc->zFrom, zAfter ? zAfter : "");
    sqlite3_free(zAfter);
    return z;
  }
  for(i=0; i<pM->nKey; i++){
    const AcdcColumn *pK = &pM->tgt.aCol[pM->aKey[i].iTgt];
    const char *zSrc = pM->pSrc->tab.aCol[pM->aKey[i].iSrc].zName;
    acdcAppendf(p, &zKeys, "%sautocdc_store(\"%w\", '%c') COLLATE \"%w\"",
        i ? ", " : "", zSrc, pK->cAff, pK->zColl ? pK->zColl : "BINARY");
  }
  z = acdcMprintf(p,
      "(SELECT * FROM (SELECT *, dense_rank() OVER (ORDER BY %s) AS "
      "\"__autocdc_rank\" FROM (SELECT *, %s AS \"__autocdc_row\" FROM %s%s)) "
      "ORDER BY \"__autocdc_row\")", zKeys,
      pM->pSrc->zRowid ? pM->pSrc->zRowid : "row_number() OVER ()",
      pM->pSrc->zFrom, zAfter ? zAfter : "");
  sqlite3_free(zAfter);
  sqlite3_free(zKeys);
  return z;
}

static sqlite3_stmt *collectPrepare(Collect *pC, const AcdcMergeOpts *pOpts){
  AcdcCtx *p = pC->p;
  sqlite3_stmt *pStmt;
  char *zFilter = acdcCollectFilterSql(pC);
  char *zFrom = collectFromSql(pC, pOpts);
  char *zCalls = 0;
  int iArg, iPart = 0;
  int nMax = sqlite3_limit(p->db, SQLITE_LIMIT_FUNCTION_ARG, -1);
  pC->nPartArg = nMax - 2;
  for(iArg=0; iArg<pC->args.n && p->rc==0; iArg++){
    if( iArg%pC->nPartArg==0 ){
      if( iArg ){
        acdcAppendf(p, &zCalls, ")");
        if( zFilter ) acdcAppendf(p, &zCalls, " FILTER (WHERE %s)", zFilter);
      }
      acdcAppendf(p, &zCalls, ", autocdc_collect(?2, %d", iPart++);
    }
    acdcAppendf(p, &zCalls, ", %s", pC->args.az[iArg]);
  }
  acdcAppendf(p, &zCalls, ")");
  if( zFilter ) acdcAppendf(p, &zCalls, " FILTER (WHERE %s)", zFilter);
  pStmt = acdcPrepare(p, 0, "SELECT count(*)%s%s%s%s FROM %s",
      zFilter && pC->iRowArg>=0 ? ", max(" : ", NULL",
      zFilter && pC->iRowArg>=0 ? pC->args.az[pC->iRowArg] : "",
      zFilter && pC->iRowArg>=0 ? ")" : "", zCalls, zFrom);
  sqlite3_free(zFilter);
  sqlite3_free(zFrom);
  sqlite3_free(zCalls);
  return pStmt;
}

/* ---- a row ---- */

/* "row 17 of main.changes", or "in.csv:18", for messages.  Owned by the caller;
** NULL if memory is out. */
static char *collectPlace(const Collect *pC, i64 iRow){
  const AcdcSource *pSrc = pC->pM->pSrc;
  char *z = acdcReaderWhere(pSrc->pReader, iRow);
  return z ? z : sqlite3_mprintf("row %lld of %s", iRow, pSrc->zLabel);
}

static void collectWhere(Collect *pC, i64 iRow){
  char *z = collectPlace(pC, iRow);
  acdcErrorWhere(pC->p, "%s", z ? z : pC->pM->pSrc->zLabel);
  sqlite3_free(z);
}

/* As storing the value in a column of affinity cAff would have it. */
static void collectConvert(sqlite3_value *pV, char cAff, AcdcVal *pOut){
  int eType = sqlite3_value_type(pV);
  if( cAff=='B' && (eType==SQLITE_INTEGER || eType==SQLITE_FLOAT) ){
    pOut->u.z = sqlite3_value_text(pV);
    pOut->n = sqlite3_value_bytes(pV);
    pOut->eType = SQLITE_TEXT;
    return;
  }
  if( cAff>='C' && eType==SQLITE_TEXT ) sqlite3_value_numeric_type(pV);
  acdcValFrom(pOut, pV);
  if( pOut->eType==SQLITE_FLOAT && (cAff=='C' || cAff=='D') ){
    double r = pOut->u.r;
    if( r>-2251799813685248.0 && r<2251799813685248.0 && (double)(i64)r==r ){
      pOut->eType = SQLITE_INTEGER;
      pOut->u.i = (i64)r;
    }
  }else if( pOut->eType==SQLITE_INTEGER && cAff=='E' ){
    pOut->eType = SQLITE_FLOAT;
    pOut->u.r = (double)pOut->u.i;
  }
}

/* The same, with '' as NULL if the flow says so. */
static void collectValue(
  Collect *pC, sqlite3_value *pV, char cAff, AcdcVal *pOut
){
  collectConvert(pV, cAff, pOut);
  if( pOut->eType==SQLITE_TEXT && pOut->n==0 && pC->pM->pFlow->bEmptyAsNull ){
    pOut->eType = SQLITE_NULL;
  }
}

/* True if every plain column holds its own name: a header read as a row. */
static int collectIsHeader(Collect *pC, sqlite3_value **apArg){
  int i, n = 0;
  for(i=0; i<pC->args.n; i++){
    const char *zArg = pC->args.az[i];
    const char *z;
    int nName = (int)strlen(zArg) - 2;
    if( zArg[0]!='"' || strncmp(zArg, "\"__autocdc", 10)==0 ) continue;
    if( sqlite3_value_type(apArg[i])!=SQLITE_TEXT ) return 0;
    z = (const char*)sqlite3_value_text(apArg[i]);
    if( z==0 || (int)strlen(z)!=nName || sqlite3_strnicmp(z, zArg+1, nName) ){
      return 0;
    }
    n++;
  }
  return n>1;
}

/* A JSON string beginning at z (the quote) into aOut; returns its end. */
static const char *collectJsonString(const char *z, char *aOut){
  for(z++; *z && *z!='"'; z++){
    u32 c;
    int i;
    if( *z!='\\' ){
      *aOut++ = *z;
      continue;
    }
    z++;
    switch( *z ){
      case 'n': *aOut++ = '\n'; break;
      case 't': *aOut++ = '\t'; break;
      case 'r': *aOut++ = '\r'; break;
      case 'b': *aOut++ = '\b'; break;
      case 'f': *aOut++ = '\f'; break;
      case 'u':
        for(c=0, i=1; i<=4; i++){
          char h = z[i];
          int v = h>='0' && h<='9' ? h-'0' : h>='a' && h<='f' ? h-'a'+10
                : h>='A' && h<='F' ? h-'A'+10 : -1;
          if( v<0 ) return 0;
          c = c*16 + (u32)v;
        }
        z += 4;
        if( c<0x80 ){
          *aOut++ = (char)c;
        }else if( c<0x800 ){
          *aOut++ = (char)(0xc0 | (c>>6));
          *aOut++ = (char)(0x80 | (c&0x3f));
        }else{
          *aOut++ = (char)(0xe0 | (c>>12));
          *aOut++ = (char)(0x80 | ((c>>6)&0x3f));
          *aOut++ = (char)(0x80 | (c&0x3f));
        }
        break;
      case '"': case '\\': case '/': *aOut++ = *z; break;
      default: return 0;
    }
  }
  *aOut = 0;
  return *z=='"' ? z+1 : 0;
}

static const char *collectSkip(const char *z){
  while( *z==' ' || *z=='\t' || *z=='\n' || *z=='\r' ) z++;
  return z;
}

/*
** columns_to_update (semantics.md 5.2): set pC->mask from a JSON array of
** column names.
*/
static void collectUpdateList(Collect *pC, sqlite3_value *pV){
  AcdcMerge *pM = pC->pM;
  const char *z = (const char*)sqlite3_value_text(pV);
  char *zName = acdcMalloc(pC->p, z ? (i64)strlen(z)+1 : 1);
  int bOk = 0;
  if( zName && z ){
    z = collectSkip(z);
    if( *z=='[' ){
      z = collectSkip(z+1);
      bOk = *z==']';
      while( !bOk && z && *z=='"' ){
        int i, iKey;
        z = collectJsonString(z, zName);
        if( z==0 ) break;
        for(i=0; i<pM->nVal; i++){
          if( sqlite3_stricmp(pM->aVal[i].zName, zName)==0 ) break;
        }
        for(iKey=0; i==pM->nVal && iKey<pM->nKey; iKey++){
          if( sqlite3_stricmp(pM->aKey[iKey].zName, zName)==0 ) break;
        }
        if( i<pM->nVal ){
          if( acdcBit(&pM->fullMask, i) ) acdcBitSet(&pC->mask, i);
        }else if( iKey==pM->nKey
               && acdcTableColumn(&pM->pSrc->tab, zName)<0 ){
          acdcError(pC->p, SQLITE_ERROR, "columns_to_update names column %s, "
              "which the source does not have", zName);
        }
        z = collectSkip(z);
        if( *z==']' ){ bOk = 1; break; }
        if( *z!=',' ) break;
        z = collectSkip(z+1);
      }
    }
  }
  sqlite3_free(zName);
  if( !bOk && pC->p->rc==0 ){
    AcdcVal v;
    char *zText;
    acdcValFrom(&v, pV);
    zText = acdcValText(pC->p, &v);
    acdcError(pC->p, SQLITE_ERROR, "columns_to_update \"%s\" must hold a JSON "
        "array of column names such as [\"name\",\"city\"], and holds %s",
        pM->pFlow->zColumnsToUpdate, zText);
    sqlite3_free(zText);
  }
}

/* Remember the least and greatest sequence of the batch. */
static void collectRange(Collect *pC, const AcdcSeq *pSeq){
  AcdcMerge *pM = pC->pM;
  int i;
  if( pM->bSeqSeen && pSeq->isInt && pM->seqFrom.isInt && pM->seqTo.isInt ){
    if( pSeq->iOrd>=pM->seqFrom.iOrd && pSeq->iOrd<=pM->seqTo.iOrd ) return;
  }
  for(i=0; i<2; i++){
    AcdcSeq *pTo = i ? &pM->seqTo : &pM->seqFrom;
    char **pz = i ? &pC->zTo : &pC->zFrom;
    int c = pM->bSeqSeen ? acdcSeqCmp(&pM->st.kind, pSeq, pTo) : 0;
    char *zNew;
    int nShown;
    if( pM->bSeqSeen && (i ? c<=0 : c>=0) ) continue;
    nShown = pSeq->shown.eType==SQLITE_TEXT || pSeq->shown.eType==SQLITE_BLOB
           ? pSeq->shown.n : 0;
    zNew = acdcRealloc(pC->p, *pz, (i64)nShown + pSeq->nOrd + 8);
    if( zNew==0 ) return;
    *pz = zNew;
    *pTo = *pSeq;
    if( nShown ){
      memcpy(zNew, pSeq->shown.u.z, nShown);
      pTo->shown.u.z = (const u8*)zNew;
    }
    if( !pSeq->isInt ){
      memcpy(zNew+nShown, pSeq->pOrd, pSeq->nOrd);
      pTo->pOrd = (const u8*)zNew+nShown;
    }
  }
  pM->bSeqSeen = 1;
}

/* Truncates are few: they go to the marks at once. */
static void collectTruncate(Collect *pC, const AcdcSeq *pSeq){
  AcdcMerge *pM = pC->pM;
  AcdcSeq *aNew;
  int n;
  if( pM->pFlow->eScd==ACDC_SCD2
   && pM->pFlow->eScd2Truncates==ACDC_TRUNC_IGNORE
  ){
    pM->n.nFiltered++;
    return;
  }
  if( acdcBelowFloor(pM, pSeq) ){
    pM->n.nLate++;
    pM->n.nUnchanged++;
    return;
  }
  n = pM->nNewMark;
  if( n && acdcSeqCmp(&pM->st.kind, &pM->aNewMark[n-1], pSeq)==0 ) return;
  aNew = pM->aNewMark;
  if( (n & (n-1))==0 ){                  /* room for the next power of two */
    aNew = acdcRealloc(pC->p, aNew, sizeof(AcdcSeq)*(i64)(n ? n*2 : 1));
    if( aNew==0 ) return;
    pM->aNewMark = aNew;
  }
  aNew[pM->nNewMark] = *pSeq;
  acdcValCopy(pC->p, &pM->arena, &aNew[pM->nNewMark].shown, &pSeq->shown);
  if( !pSeq->isInt ){
    u8 *a = acdcArenaAlloc(pC->p, &pM->arena, pSeq->nOrd+1);
    if( a==0 ) return;
    memcpy(a, pSeq->pOrd, pSeq->nOrd);
    aNew[pM->nNewMark].pOrd = a;
  }
  pM->nNewMark++;
}

/* Returns 0 if the row has been dealt with (NULL sequence, an error). */
static int collectSequence(
  Collect *pC, sqlite3_value **apArg, i64 iRow, AcdcSeq *pSeq
){
  AcdcMerge *pM = pC->pM;
  AcdcSeqKind *pK = &pM->st.kind;
  AcdcVal aPart[ACDC_SEQ_MAXPART];
  int i, rc;
  if( pM->pFlow->bSnapshot ){
    /* All rows have the snapshot's version: keys and arrival order them */
    memset(pSeq, 0, sizeof(*pSeq));
    pSeq->isInt = 1;
    pSeq->shown.eType = SQLITE_INTEGER;
    return 1;
  }
  if( pC->nSeq==1 && sqlite3_value_type(apArg[pC->aSeqArg[0]])==SQLITE_INTEGER
   && pK->aClass[0]==ACDC_SEQ_NUMBER
  ){
    pSeq->isInt = 1;
    pSeq->iOrd = sqlite3_value_int64(apArg[pC->aSeqArg[0]]);
    pSeq->pOrd = 0;
    pSeq->nOrd = 0;
    pSeq->shown.eType = SQLITE_INTEGER;
    pSeq->shown.n = 0;
    pSeq->shown.u.i = pSeq->iOrd;
    return 1;
  }
  if( sqlite3_value_type(apArg[pC->aSeqArg[0]])!=SQLITE_INTEGER ){
    pM->bSeqOther = 1;
  }
  for(i=0; i<pC->nSeq; i++){
    acdcValFrom(&aPart[i], apArg[pC->aSeqArg[i]]);
    if( pM->pFlow->bEmptyAsNull && aPart[i].eType==SQLITE_TEXT
     && aPart[i].n==0
    ){
      aPart[i].eType = SQLITE_NULL;
    }
  }
  rc = acdcSeqRead(pC->p, pK, aPart, pC->azSeq, &pC->scratch, pSeq);
  if( pC->p->rc ){
    collectWhere(pC, iRow);
    return 0;
  }
  if( rc ){
    if( pC->nNullSeq++==0 ){
      pC->iNullSeqRow = iRow;
      pC->iNullSeqPart = rc-1;
    }
    return 0;
  }
  return 1;
}

/* Its system sequence; the same. */
static int collectSystem(
  Collect *pC, sqlite3_value **apArg, i64 iRow, AcdcSeq *pSys
){
  AcdcVal aPart[ACDC_SEQ_MAXPART];
  int i, rc;
  for(i=0; i<pC->nSys; i++){
    acdcValFrom(&aPart[i], apArg[pC->aSysArg[i]]);
    if( pC->pM->pFlow->bEmptyAsNull && aPart[i].eType==SQLITE_TEXT
     && aPart[i].n==0
    ){
      aPart[i].eType = SQLITE_NULL;
    }
  }
  rc = acdcSeqRead(pC->p, &pC->pM->st.sysKind, aPart, pC->azSys, &pC->scratch,
                   pSys);
  if( pC->p->rc ){
    collectWhere(pC, iRow);
    return 0;
  }
  if( rc && pC->nNullSys++==0 ){
    pC->iNullSysRow = iRow;
    pC->iNullSysPart = rc-1;
  }
  return rc==0;
}

static int collectKeyValues(
  Collect *pC, sqlite3_value **apArg, i64 iRow, AcdcVal *aKey
){
  AcdcMerge *pM = pC->pM;
  int i;
  for(i=0; i<pM->nKey; i++){
    collectValue(pC, apArg[pC->aKeyArg[i]], pM->aKey[i].cAff, &aKey[i]);
    if( aKey[i].eType==SQLITE_NULL && !pM->pFlow->bNullKeysMatch ){
      if( pC->nNullKey++==0 ){
        pC->iNullKeyRow = iRow;
        pC->iNullKeyCol = i;
      }
      return 0;
    }
  }
  if( pM->bIntKey && aKey[0].eType!=SQLITE_INTEGER ){
    char *z = acdcValText(pC->p, &aKey[0]);
    acdcError(pC->p, SQLITE_ERROR, "key %s is an INTEGER column and the value "
        "is %s: correct the row, leave it out with \"where\", or declare the "
        "column TEXT", pM->aKey[0].zName, z);
    sqlite3_free(z);
    collectWhere(pC, iRow);
    return 0;
  }
  return 1;
}

/* Values and authored columns of an upsert.  Returns 1 if a set is kept. */
static int collectUpsert(Collect *pC, sqlite3_value **apArg, i64 iRow){
  AcdcMerge *pM = pC->pM;
  int i, bMask = 0;
  for(i=0; i<pC->nEmit; i++){
    const AcdcValCol *pV = &pM->aVal[pC->aEmit[i]];
    if( pV->bConvert || pM->pFlow->bEmptyAsNull ){
      collectValue(pC, apArg[pC->aEmitArg[i]], pV->cAff, &pC->aVal[i]);
    }else{
      acdcValFrom(&pC->aVal[i], apArg[pC->aEmitArg[i]]);
    }
  }
  if( !pM->bPartial ) return 0;
  memset(pC->mask.a, 0, pC->mask.nByte);
  if( pC->iUpdateArg>=0 ){
    collectUpdateList(pC, apArg[pC->iUpdateArg]);
    if( pC->p->rc ) collectWhere(pC, iRow);
  }else{
    memcpy(pC->mask.a, pM->fullMask.a, pC->mask.nByte);
    for(i=0; i<pC->nEmit; i++){
      int iVal = pC->aEmit[i];
      if( pM->aVal[iVal].bIgnoreNull && pC->aVal[i].eType==SQLITE_NULL ){
        pC->mask.a[iVal/8] &= (u8)~(1<<(iVal&7));
      }
    }
  }
  bMask = memcmp(pC->mask.a, pM->fullMask.a, pC->mask.nByte)!=0;
  return bMask;
}

/* Hand the event to the sorter.  pSys: its system sequence, or NULL. */
static void collectAdd(
  Collect *pC, int eKind, const AcdcSeq *pSeq, const AcdcSeq *pSys,
  const AcdcVal *aKey, sqlite3_value *pRank, int bMask
){
  AcdcMerge *pM = pC->pM;
  u64 a, b;
  u8 flags = (u8)eKind, *pRec, *pCode = 0;
  AcdcVal sys;
  int i, n = 1, nCode = 0;
  if( pM->bIntKey ){
    a = (u64)aKey[0].u.i ^ ((u64)1<<63);
  }else if( pRank ){
    a = (u64)sqlite3_value_int64(pRank) ^ ((u64)1<<63);
    for(i=0; i<pM->nKey; i++) n += acdcRecSize(&aKey[i]);
  }else{
    int nMax = acdcKeyCodeMax(aKey, pM->nKey);
    if( nMax>pC->nCodeAlloc ){
      u8 *aNew = acdcRealloc(pC->p, pC->aCode, (i64)nMax*2);
      if( aNew==0 ) return;
      pC->aCode = aNew;
      pC->nCodeAlloc = nMax*2;
    }
    nCode = acdcKeyCode(aKey, pM->nKey, pC->aCode);
    flags |= ACDC_REC_KEY;
    n += nCode + 10;
    for(i=0; i<pM->nKey; i++) n += acdcRecSize(&aKey[i]);
    for(a=0, i=0; i<8; i++) a = (a<<8) | (i<nCode ? pC->aCode[i] : 0);
  }
  if( pSeq->isInt ){
    b = (u64)pSeq->iOrd ^ ((u64)1<<63);
  }else{
    b = 0;
    flags |= ACDC_REC_SEQ;
    n += pSeq->nOrd + 10;
  }
  if( !pSeq->isInt || (pC->bShown && pSeq->shown.eType!=SQLITE_INTEGER) ){
    flags |= ACDC_REC_SHOWN;
    n += acdcRecSize(&pSeq->shown);
  }
  if( pSys ){
    flags |= ACDC_REC_SYS;
    acdcSeqToState(pC->p, &pM->st.sysKind, pSys, &pC->scratch, &sys);
    if( pC->p->rc ) return;
    n += acdcRecSize(&sys) + acdcRecSize(&pSys->shown);
  }
  if( bMask ){
    flags |= ACDC_REC_MASK;
    n += pC->mask.nByte;
  }
  if( eKind==ACDC_UPSERT ){
    for(i=0; i<pC->nEmit; i++) n += acdcRecSize(&pC->aVal[i]);
  }
  pRec = acdcSorterAdd(pC->p, pC->pSorter, a, b, n);
  if( pRec==0 ) return;
  *pRec++ = flags;
  if( flags & ACDC_REC_KEY ){
    pRec = acdcVarintPut(pRec, nCode);
    memcpy(pRec, pC->aCode, nCode);
    pCode = pRec;
    pRec += nCode;
  }
  if( flags & ACDC_REC_SEQ ){
    pRec = acdcVarintPut(pRec, pSeq->nOrd);
    memcpy(pRec, pSeq->pOrd, pSeq->nOrd);
    pRec += pSeq->nOrd;
  }
  if( !pM->bIntKey ){
    for(i=0; i<pM->nKey; i++) pRec = acdcRecPut(pRec, &aKey[i]);
  }
  if( flags & ACDC_REC_SHOWN ) pRec = acdcRecPut(pRec, &pSeq->shown);
  if( pSys ){
    pRec = acdcRecPut(pRec, &sys);
    pRec = acdcRecPut(pRec, &pSys->shown);
  }
  if( flags & ACDC_REC_MASK ){
    memcpy(pRec, pC->mask.a, pC->mask.nByte);
    pRec += pC->mask.nByte;
  }
  if( eKind==ACDC_UPSERT ){
    for(i=0; i<pC->nEmit; i++) pRec = acdcRecPut(pRec, &pC->aVal[i]);
  }
  if( flags & (ACDC_REC_KEY|ACDC_REC_SEQ) ){
    acdcSorterCodes(pC->pSorter, pCode, nCode, !pSeq->isInt);
  }
}

/* Expectations (semantics.md 8).  Returns 1 if the row is not merged. */
static int collectExpect(Collect *pC, i64 mViol, i64 iRow){
  const AcdcFlow *pFlow = pC->pM->pFlow;
  int i, bReject = 0, bKeep = 0;
  for(i=0; i<pFlow->nExpect && mViol; i++){
    if( ((mViol>>i) & 1)==0 ) continue;
    pC->anViol[i]++;
    if( pFlow->aExpect[i].eAction==ACDC_EXPECT_FAIL ){
      acdcError(pC->p, SQLITE_CONSTRAINT, "expectation \"%s\" is violated (%s)",
          pFlow->aExpect[i].zName, pFlow->aExpect[i].zRule);
      collectWhere(pC, iRow);
      return 1;
    }
    if( pFlow->aExpect[i].eAction!=ACDC_EXPECT_WARN ) bReject = 1;
    if( pFlow->aExpect[i].eAction==ACDC_EXPECT_QUARANTINE ) bKeep = 1;
  }
  pC->pM->nQuarantine += bKeep;
  return bReject;
}

void acdcCollectRow(Collect *pC, sqlite3_value **apArg){
  AcdcMerge *pM = pC->pM;
  AcdcVal aKey[ACDC_MAXKEY];
  AcdcSeq seq, sys;
  i64 iRow = ++pC->nRow;
  int eKind = ACDC_UPSERT, bMask = 0;
  if( pC->iRowArg>=0 ){
    iRow = sqlite3_value_int64(apArg[pC->iRowArg]);
    if( iRow>pM->iLastRowid || pC->nRow==1 ) pM->iLastRowid = iRow;
  }
  if( pC->bHeader
   && sqlite3_value_type(apArg[pC->aKeyArg[0]])==SQLITE_TEXT
   && collectIsHeader(pC, apArg)
  ){
    if( pC->nHeader++==0 ) pC->iHeaderRow = iRow;
    pM->n.nRejected++;
    return;
  }
  if( pC->iKindArg>=0 ) eKind = sqlite3_value_int(apArg[pC->iKindArg]);
  if( !collectSequence(pC, apArg, iRow, &seq) ) return;
  if( pC->nSys && !collectSystem(pC, apArg, iRow, &sys) ) return;
  if( eKind==ACDC_TRUNCATE ){
    collectTruncate(pC, &seq);
    return;
  }
  if( !collectKeyValues(pC, apArg, iRow, aKey) ) return;
  if( eKind==ACDC_UPSERT ){
    if( pC->iViolArg>=0
     && collectExpect(pC, sqlite3_value_int64(apArg[pC->iViolArg]), iRow)
    ){
      pM->n.nRejected++;
      return;
    }
    bMask = collectUpsert(pC, apArg, iRow);
  }
  if( !pM->pSnap ) collectRange(pC, &seq);
  if( pC->p->rc ) return;
  if( pM->pSnap
   && acdcSnapshotSeen(pM, aKey, pC->aVal, pC->aEmit, pC->nEmit)
  ){
    return;
  }
  collectAdd(pC, eKind, &seq, pC->nSys ? &sys : 0, aKey,
             pC->iRankArg>=0 ? apArg[pC->iRankArg] : 0, bMask);
  if( pC->scratch.nUsed ) acdcArenaReset(&pC->scratch);
}

/* ---- the aggregate ---- */

static void collectStep(
  sqlite3_context *pCtx, int nArg, sqlite3_value **apArg
){
  Collect *pC = sqlite3_value_pointer(apArg[0], COLLECT_POINTER);
  if( pC==0 ){
    sqlite3_result_error(pCtx, "autocdc_collect() is private", -1);
    return;
  }
  if( pC->args.n<=pC->nPartArg ){
    acdcCollectRow(pC, apArg+2);
  }else{
    /* A wide row: keep the values until its last part is here */
    int iFirst = sqlite3_value_int(apArg[1]) * pC->nPartArg;
    int i;
    for(i=2; i<nArg; i++){
      sqlite3_value_free(pC->apDup[iFirst+i-2]);
      pC->apDup[iFirst+i-2] = sqlite3_value_dup(apArg[i]);
      if( pC->apDup[iFirst+i-2]==0 ){
        acdcError(pC->p, SQLITE_NOMEM, "out of memory");
      }
    }
    if( iFirst+nArg-2==pC->args.n && pC->p->rc==0 ) acdcCollectRow(pC, pC->apDup);
  }
  if( pC->p->rc ){
    sqlite3_result_error(pCtx, acdcErrorText(pC->p), -1);
    sqlite3_result_error_code(pCtx, pC->p->rc);
  }
}

static void collectFinal(sqlite3_context *pCtx){
  sqlite3_result_null(pCtx);
}

/*
** autocdc_store(x, affinity): x as a column of that affinity would store it.
*/
static void collectStore(sqlite3_context *pCtx, int n, sqlite3_value **ap){
  const char *z = (const char*)sqlite3_value_text(ap[1]);
  AcdcVal v;
  ACDC_UNUSED(n);
  collectConvert(ap[0], z ? z[0] : 'A', &v);
  acdcValResult(pCtx, &v);
}

int acdcCollectRegister(sqlite3 *db){
  int rc = sqlite3_create_function_v2(db, "autocdc_collect", -1,
      SQLITE_UTF8|SQLITE_DIRECTONLY, 0, 0, collectStep, collectFinal, 0);
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_function_v2(db, "autocdc_store", 2,
        SQLITE_UTF8|SQLITE_DETERMINISTIC|SQLITE_INNOCUOUS, 0, collectStore,
        0, 0, 0);
  }
  return rc;
}

/* ---- the whole ---- */

/* Fail: zWhat of column zCol is NULL in n rows, first in iRow. */
static void collectNull(
  Collect *pC, const char *zWhat, const char *zCol, i64 n, i64 iRow,
  const char *zAdvice
){
  const AcdcSource *pSrc = pC->pM->pSrc;
  char *zAt = acdcReaderWhere(pSrc->pReader, iRow);
  char *zFirst = zAt ? sqlite3_mprintf("at %z", zAt)
                     : sqlite3_mprintf("in row %lld", iRow);
  /* An expression may be long: its beginning tells it. */
  acdcError(pC->p, SQLITE_CONSTRAINT, "NULL %s: \"%.60s%s\" is NULL in %lld "
      "row%s of %s, first %s; %s", zWhat, zCol, strlen(zCol)>60 ? "..." : "", n,
      n==1 ? "" : "s", pSrc->zLabel, zFirst, zAdvice);
  sqlite3_free(zFirst);
}

/* Rows that fail the call are reported together, sequences before keys. */
void acdcCollectNulls(Collect *pC){
  if( pC->nNullSeq ){
    collectNull(pC, "sequence", pC->azSeq[pC->iNullSeqPart], pC->nNullSeq,
        pC->iNullSeqRow, "every change needs a sequence: correct the rows, or "
        "leave them out with \"where\"");
  }
  if( pC->nNullSys ){
    collectNull(pC, "system sequence", pC->azSys[pC->iNullSysPart],
        pC->nNullSys, pC->iNullSysRow, "every change needs a system sequence: "
        "correct the rows, or leave them out with \"where\"");
  }
  if( pC->nNullKey ){
    collectNull(pC, "key", pC->pM->aKey[pC->iNullKeyCol].zName, pC->nNullKey,
        pC->iNullKeyRow, "correct the rows, leave them out with \"where\", or "
        "let NULL be a key value with \"null_keys\": \"match\"");
  }
}

static void collectReport(Collect *pC){
  AcdcMerge *pM = pC->pM;
  int i;
  if( pC->nHeader ){
    acdcMergeNote(pM, 1, "row %lld of %s looks like the header of its table "
        "and was left out: delete it (.import takes --skip 1 into a table that "
        "is there)", pC->iHeaderRow, pM->pSrc->zLabel);
  }
  for(i=0; i<pM->pFlow->nExpect; i++){
    acdcAppendf(pC->p, &pM->zExpect, "%s", i ? ", " : "{");
    acdcJsonQuote(pC->p, &pM->zExpect, pM->pFlow->aExpect[i].zName, -1);
    acdcAppendf(pC->p, &pM->zExpect, ": %lld%s", pC->anViol[i],
                i+1<pM->pFlow->nExpect ? "" : "}");
    if( pC->anViol[i] ){
      acdcMergeNote(pM, 1, "expectation \"%s\" violated by %lld row%s",
          pM->pFlow->aExpect[i].zName, pC->anViol[i],
          pC->anViol[i]==1 ? "" : "s");
    }
  }
}

void acdcCollectClear(Collect *pC){
  int i;
  if( pC->apDup ){
    for(i=0; i<pC->args.n; i++) sqlite3_value_free(pC->apDup[i]);
  }
  sqlite3_free(pC->apDup);
  acdcNamesFree(&pC->args);
  sqlite3_free(pC->aEmit);
  sqlite3_free(pC->aEmitArg);
  sqlite3_free(pC->aVal);
  sqlite3_free(pC->mask.a);
  sqlite3_free(pC->anViol);
  sqlite3_free(pC->aCode);
  acdcArenaFree(&pC->scratch);
}

/* Own copies of the range's ends, which outlive the collector. */
static void collectKeepRange(Collect *pC){
  AcdcMerge *pM = pC->pM;
  if( pM->bSeqSeen ){
    AcdcVal v = pM->seqFrom.shown;
    acdcValCopy(pC->p, &pM->arena, &pM->seqFrom.shown, &v);
    v = pM->seqTo.shown;
    acdcValCopy(pC->p, &pM->arena, &pM->seqTo.shown, &v);
  }
  sqlite3_free(pC->zFrom);
  sqlite3_free(pC->zTo);
}

/* Plan and prepare the statement that hands rows to *pC; NULL on error. */
sqlite3_stmt *acdcCollectOpen(
  Collect *pC, AcdcMerge *pM, const AcdcMergeOpts *pOpts
){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt = 0;
  int bDqsWas = 0;
  memset(pC, 0, sizeof(*pC));
  pC->pM = pM;
  pC->p = p;
  pC->pSorter = pM->pSorter;
  pC->bShown = pM->pFlow->eScd!=ACDC_SCD1;
  /* A mistyped "D" must not become a text: see sqlite-traps */
  sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, -1, &bDqsWas);
  if( pM->pSrc->bTable || pM->pSrc->bPushed ){
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, 0, (int*)0);
  }
  collectPlan(pC);
  if( p->rc==0 ) pStmt = collectPrepare(pC, pOpts);
  sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, bDqsWas, (int*)0);
  if( p->rc==0 && pC->args.n>pC->nPartArg ){
    pC->apDup = acdcMalloc(p, sizeof(sqlite3_value*)*pC->args.n);
  }
  if( p->rc==0 ) sqlite3_bind_pointer(pStmt, 2, pC, COLLECT_POINTER, 0);
  return pStmt;
}

void acdcCollect(AcdcMerge *pM, const AcdcMergeOpts *pOpts){
  Collect c;
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  if( p->rc ) return;
  pStmt = acdcCollectOpen(&c, pM, pOpts);
  if( p->rc==0 ){
    if( pM->pSrc->pReader ) acdcReaderBind(pStmt, 1, pM->pSrc->pReader);
    if( acdcStep(p, pStmt) ){
      i64 nAll = sqlite3_column_int64(pStmt, 0);
      pM->n.nRead = nAll;
      pM->n.nFiltered += nAll - c.nRow;
      if( sqlite3_column_type(pStmt, 1)==SQLITE_INTEGER ){
        pM->iLastRowid = sqlite3_column_int64(pStmt, 1);
      }
    }
  }
  acdcFinalize(p, &pStmt);
  if( p->rc==0 ) acdcCollectNulls(&c);
  if( p->rc==0 ) collectReport(&c);
  collectKeepRange(&c);
  acdcCollectClear(&c);
}

/* ---- back from the sorter ---- */

void acdcEntrySeq(const AcdcEntry *pE, AcdcSeq *pSeq){
  const u8 *a = pE->pRec + 1;
  u64 n;
  memset(pSeq, 0, sizeof(*pSeq));
  if( pE->pRec[0] & ACDC_REC_KEY ){
    a = acdcVarintGet(a, &n);
    a += n;
  }
  if( pE->pRec[0] & ACDC_REC_SEQ ){
    pSeq->pOrd = acdcVarintGet(a, &n);
    pSeq->nOrd = (int)n;
  }else{
    pSeq->isInt = 1;
    pSeq->iOrd = (i64)(pE->b ^ ((u64)1<<63));
  }
}

/* All of an event but its values, which begin at the address returned. */
static const u8 *eventHead(
  const AcdcMerge *pM, const AcdcEntry *pE, AcdcVal *aKey, AcdcEvent *pEv
){
  const u8 *a = pE->pRec + 1;
  u8 flags = pE->pRec[0];
  AcdcVal skip;
  u64 n;
  int i;
  memset(pEv, 0, sizeof(*pEv));
  pEv->eKind = flags & ACDC_REC_KIND;
  pEv->iGen = pM->iGen;
  if( flags & ACDC_REC_KEY ){
    a = acdcVarintGet(a, &n);
    a += n;
  }
  if( flags & ACDC_REC_SEQ ){
    a = acdcVarintGet(a, &n);
    pEv->seq.pOrd = a;
    pEv->seq.nOrd = (int)n;
    a += n;
  }else{
    pEv->seq.isInt = 1;
    pEv->seq.iOrd = (i64)(pE->b ^ ((u64)1<<63));
    pEv->seq.shown.eType = SQLITE_INTEGER;
    pEv->seq.shown.u.i = pEv->seq.iOrd;
  }
  if( pM->bIntKey ){
    if( aKey ){
      aKey[0].eType = SQLITE_INTEGER;
      aKey[0].n = 0;
      aKey[0].u.i = (i64)(pE->a ^ ((u64)1<<63));
    }
  }else{
    for(i=0; i<pM->nKey; i++) a = acdcRecGet(a, aKey ? &aKey[i] : &skip);
  }
  if( flags & ACDC_REC_SHOWN ) a = acdcRecGet(a, &pEv->seq.shown);
  if( flags & ACDC_REC_SYS ){
    pEv->pSys = a;
    a = acdcRecGet(acdcRecGet(a, &skip), &skip);
  }
  if( pEv->eKind!=ACDC_UPSERT ) return a;
  pEv->mask.nByte = pM->emit.nByte;
  pEv->mask.bRest = pM->fullMask.bRest;
  if( flags & ACDC_REC_MASK ){
    pEv->mask.a = (u8*)a;              /* read only */
    a += pM->emit.nByte;
  }else{
    pEv->mask.a = pM->fullMask.a;
  }
  return a;
}

int acdcEntryMask(const AcdcMerge *pM, const AcdcEntry *pE, AcdcBits *pMask){
  AcdcEvent ev;
  const u8 *a = pE->pRec;
  *pMask = pM->fullMask;
  if( a[0] & ACDC_REC_MASK ){
    eventHead(pM, pE, 0, &ev);
    *pMask = ev.mask;
  }
  return a[0] & ACDC_REC_KIND;
}

void acdcEventRead(
  AcdcMerge *pM, AcdcArena *pA, const AcdcEntry *pE, AcdcVal *aKey,
  AcdcEvent *pEv
){
  const u8 *a = eventHead(pM, pE, aKey, pEv);
  int i;
  if( pEv->eKind!=ACDC_UPSERT ) return;
  pEv->aVal = acdcArenaAlloc(pM->p, pA, sizeof(AcdcVal)*(pM->nVal+1));
  if( pEv->aVal==0 ) return;
  for(i=0; i<pM->nVal; i++){
    if( pM->aVal[i].iSrc>=0 ){
      a = acdcRecGet(a, &pEv->aVal[i]);
    }else{
      pEv->aVal[i].eType = SQLITE_NULL;
      pEv->aVal[i].n = 0;
    }
  }
}
