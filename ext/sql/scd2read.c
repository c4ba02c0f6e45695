/*
** Plans of queries on scd2 tables.  See acdcScd2PlanSql() in scd2.h for their
** form.
**
** What is taken over must mean in the SELECT on the table of rows what it
** means outside.  Equality on a key does (for a TEXT key and a number: as if
** the number were a literal); comparisons of other columns only where the
** column's affinity decides alone, so those of numeric affinity, and
** __START_AT, which has none.
*/
#include "scd2.h"

/* ---- xBestIndex ---- */

#define READ_MAXARG  70    /* arguments of a plan from which on no more
                           ** comparisons are taken over */

typedef struct ReadPlan ReadPlan;
struct ReadPlan {
  AcdcScd2 *pTab;
  sqlite3_index_info *pInfo;
  AcdcCtx *p;
  char *z;               /* The plan.  Owned */
  int nArg;
  int mTaken;            /* Kinds of argument columns taken, a bit each */
  int nKeyEq;            /* Keys that equal something ... */
  u8 aEq[ACDC_MAXKEY];   /* ... and which */
  int bRange, bEnd;
};

static int readKeyOf(const AcdcScd2 *pTab, int iRow){
  int i;
  for(i=0; i<pTab->nKey; i++) if( pTab->aKey[i]==iRow ) return i;
  return -1;
}

static void readTake(ReadPlan *pP, int iCons, int bOmit){
  pP->pInfo->aConstraintUsage[iCons].argvIndex = ++pP->nArg;
  pP->pInfo->aConstraintUsage[iCons].omit = (u8)bOmit;
}

/* Is the comparison made under the collation that the column has? */
static int readSameColl(ReadPlan *pP, int iCons, const AcdcColumn *pC){
  const char *z = sqlite3_vtab_collation(pP->pInfo, iCons);
  return sqlite3_stricmp(z ? z : "BINARY", pC->zColl ? pC->zColl:"BINARY")==0;
}

static void readRowColumn(ReadPlan *pP, int iCons, int iRow, int op){
  AcdcScd2 *pTab = pP->pTab;
  const AcdcColumn *pC = &pTab->rows.aCol[iRow];
  int iKey = readKeyOf(pTab, iRow);
  char cOp = op==SQLITE_INDEX_CONSTRAINT_LT ? '<'
           : op==SQLITE_INDEX_CONSTRAINT_LE ? 'l'
           : op==SQLITE_INDEX_CONSTRAINT_GT ? '>'
           : op==SQLITE_INDEX_CONSTRAINT_GE ? 'g' : 0;
  if( op==SQLITE_INDEX_CONSTRAINT_EQ && iKey>=0 && !pP->aEq[iKey]
   && readSameColl(pP, iCons, pC)
  ){
    pP->aEq[iKey] = 1;
    pP->nKeyEq++;
    acdcAppendf(pP->p, &pP->z, "K%d ", iRow);
    readTake(pP, iCons, 1);
  }else if( iRow==pTab->iEnd && (op==SQLITE_INDEX_CONSTRAINT_ISNULL
                              || op==SQLITE_INDEX_CONSTRAINT_ISNOTNULL) ){
    acdcAppendf(pP->p, &pP->z, "%c ",
                op==SQLITE_INDEX_CONSTRAINT_ISNULL ? 'E' : 'N');
    pP->bEnd = 1;
  }else if( cOp && pP->nArg<READ_MAXARG && readSameColl(pP, iCons, pC)
         && ((iKey>=0 && pC->cAff>='C')
          || (iRow==pTab->iStart && pC->cAff!='B')) ){
    acdcAppendf(pP->p, &pP->z, "R%c%d ", cOp, iRow);
    pP->bRange = 1;
    readTake(pP, iCons, 0);
  }
}

/* Returns an SQLite code. */
static int readConstraint(ReadPlan *pP, int iCons){
  AcdcScd2 *pTab = pP->pTab;
  int iCol = pP->pInfo->aConstraint[iCons].iColumn;
  int op = pP->pInfo->aConstraint[iCons].op;
  int bUsable = pP->pInfo->aConstraint[iCons].usable;
  int eKind;
  if( iCol<0 || iCol>=pTab->nCol || op==SQLITE_INDEX_CONSTRAINT_LIMIT
   || op==SQLITE_INDEX_CONSTRAINT_OFFSET ) return SQLITE_OK;
  eKind = pTab->aCol[iCol].eKind;
  if( eKind==ACDC_SCD2_ROW ){
    if( bUsable ) readRowColumn(pP, iCons, pTab->aCol[iCol].i, op);
    return SQLITE_OK;
  }
  if( eKind==ACDC_SCD2_EVENT || eKind==ACDC_SCD2_VERSION ) return SQLITE_OK;
  if( op!=SQLITE_INDEX_CONSTRAINT_EQ && op!=SQLITE_INDEX_CONSTRAINT_IS ){
    if( eKind==ACDC_SCD2_CURRENT || op==SQLITE_INDEX_CONSTRAINT_ISNULL
     || op==SQLITE_INDEX_CONSTRAINT_ISNOTNULL
    ){
      return SQLITE_OK;
    }
    acdcError(pP->p, SQLITE_ERROR, "%s is compared with = only: it says which "
        "rows are meant; a period is given with from_ and to_",
        pTab->aCol[iCol].zName);
    return SQLITE_ERROR;
  }
  if( !bUsable ){
    /* A join that gives the value later: not with this order of tables */
    return eKind==ACDC_SCD2_CURRENT ? SQLITE_OK : SQLITE_CONSTRAINT;
  }
  if( pP->mTaken & (1<<eKind) ) return SQLITE_OK;
  pP->mTaken |= 1<<eKind;
  acdcAppendf(pP->p, &pP->z, "%c ", "?AFTC?S"[eKind]);
  readTake(pP, iCons, 1);
  return SQLITE_OK;
}

/*
** ORDER BY a part of the keys and __START_AT that begins with the first, keys
** that equal something left aside: the order of the primary key.
*/
static void readOrder(ReadPlan *pP){
  AcdcScd2 *pTab = pP->pTab;
  sqlite3_index_info *pInfo = pP->pInfo;
  char *z = 0;
  int i, iNext = 0, bDesc = -1;
  for(i=0; i<pInfo->nOrderBy; i++){
    int iCol = pInfo->aOrderBy[i].iColumn;
    int iRow, iKey;
    if( iCol<0 || iCol>=pTab->nCol ) break;
    if( pTab->aCol[iCol].eKind!=ACDC_SCD2_ROW ) break;
    iRow = pTab->aCol[iCol].i;
    iKey = readKeyOf(pTab, iRow);
    if( iKey>=0 && pP->aEq[iKey] ) continue;
    while( iNext<pTab->nKey && pP->aEq[iNext] ) iNext++;
    if( iRow!=(iNext<pTab->nKey ? pTab->aKey[iNext] : pTab->iStart)
     || iNext>pTab->nKey ) break;
    if( bDesc<0 ) bDesc = pInfo->aOrderBy[i].desc;
    if( bDesc!=pInfo->aOrderBy[i].desc ) break;
    acdcAppendf(pP->p, &z, "O%c%d ", bDesc ? '-' : '+', iRow);
    iNext++;
  }
  if( i==pInfo->nOrderBy && i>0 ){
    if( z ) acdcAppendf(pP->p, &pP->z, "%s", z);
    pInfo->orderByConsumed = 1;
  }
  sqlite3_free(z);
}

static void readColumns(ReadPlan *pP){
  AcdcScd2 *pTab = pP->pTab;
  u64 m = pP->pInfo->colUsed;
  int i;
  u64 mRows = 0;
  for(i=0; i<pTab->nCol; i++){
    if( (m>>(i<63 ? i : 63) & 1)==0 ) continue;
    if( pTab->aCol[i].eKind==ACDC_SCD2_ROW ){
      if( i>=63 ){
        acdcAppendf(pP->p, &pP->z, "P ");
        break;
      }
      mRows |= (u64)1<<pTab->aCol[i].i;
    }
  }
  acdcAppendf(pP->p, &pP->z, "U%llx ", mRows);
  i = pTab->aiArg[ACDC_SCD2_VERSION];
  if( i>=0 && (m>>(i<63 ? i : 63) & 1) ) acdcAppendf(pP->p, &pP->z, "V ");
  i = pTab->aiArg[ACDC_SCD2_CURRENT];
  if( i>=0 && (m>>(i<63 ? i : 63) & 1) ) acdcAppendf(pP->p, &pP->z, "X ");
}

static void readCost(ReadPlan *pP){
  AcdcScd2 *pTab = pP->pTab;
  sqlite3_index_info *pInfo = pP->pInfo;
  int bPoint = (pP->mTaken & (1<<ACDC_SCD2_AS_OF))!=0;
  int i;
  double r = 1000000.0, rRow;
  for(i=0; i<pTab->nKey && pP->aEq[i]; i++){
    r = i+1==pTab->nKey ? 8.0 : r/100.0 > 50.0 ? r/100.0 : 50.0;
  }
  rRow = r;
  if( bPoint ) rRow = r<10.0 ? 1.0 : r/8;
  if( pP->mTaken & ((1<<ACDC_SCD2_CURRENT) | (1<<ACDC_SCD2_FROM)
                  | (1<<ACDC_SCD2_TO)) ) rRow = rRow/2;
  if( pP->bRange || pP->bEnd ) rRow = rRow/2;
  if( rRow<1.0 ) rRow = 1.0;
  pInfo->estimatedRows = (i64)rRow;
  pInfo->estimatedCost = 2.0 + r + rRow;
  if( pP->nKeyEq==pTab->nKey && bPoint && pTab->iSysStart<0 ){
    pInfo->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
    pInfo->estimatedCost = 3.0;
  }
  /* as_of within an OR: only a plan that gives it the value is right */
  for(i=ACDC_SCD2_AS_OF; i<=ACDC_SCD2_SYSTEM; i++){
    int iCol = pTab->aiArg[i];
    if( i==ACDC_SCD2_CURRENT || i==ACDC_SCD2_VERSION || iCol<0 ) continue;
    if( (pP->mTaken & (1<<i))==0 && iCol<63
     && (pInfo->colUsed>>iCol & 1)
    ){
      pInfo->estimatedCost *= 1e6;
    }
  }
}

int acdcScd2BestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  AcdcScd2 *pTab = (AcdcScd2*)pVtab;
  ReadPlan plan;
  int i, rc = SQLITE_OK;
  memset(&plan, 0, sizeof(plan));
  plan.pTab = pTab;
  plan.pInfo = pInfo;
  plan.p = &pTab->ctx;
  if( pTab->ctx.rc ) acdcCtxClear(&pTab->ctx);
  for(i=0; i<pInfo->nConstraint && rc==SQLITE_OK; i++){
    rc = readConstraint(&plan, i);
  }
  if( rc==SQLITE_OK ){
    readOrder(&plan);
    if( plan.nKeyEq==pTab->nKey ) acdcAppendf(plan.p, &plan.z, "1 ");
    readColumns(&plan);
    readCost(&plan);
    rc = pTab->ctx.rc;
  }
  if( rc ){
    sqlite3_free(plan.z);
    return pTab->ctx.rc ? acdcScd2Error(pTab) : rc;
  }
  pInfo->idxStr = plan.z;
  pInfo->needToFreeIdxStr = 1;
  return SQLITE_OK;
}

/* ---- the SELECT of a plan ---- */

/* Does the plan hold a word that begins with one of zLetters? */
static int readHas(const char *zPlan, const char *zLetters){
  const char *z = zPlan;
  while( z[0] ){
    if( strchr(zLetters, z[0]) ) return 1;
    while( z[0] && z[0]!=' ' ) z++;
    if( z[0] ) z++;
  }
  return 0;
}

static int readNumber(const char *z){
  int n = 0;
  while( *z>='0' && *z<='9' ) n = n*10 + (*z++ - '0');
  return n;
}

/* "t.col" or autocdc_seq_key(t.col), compared with the same of ?n. */
static void readCompare(
  AcdcScd2 *pTab, char **pz, int iCol, const char *zOp, int n, int bNative
){
  const char *zName = pTab->rows.aCol[iCol].zName;
  acdcAppendf(&pTab->ctx, pz, bNative ? "t.\"%w\"%s?%d"
      : "autocdc_seq_key(t.\"%w\")%sautocdc_seq_key(?%d)", zName, zOp, n);
}

/* The conditions; bLast: without the end of what is as of, see below. */
static char *readWhere(
  AcdcScd2 *pTab, const char *zPlan, int bNative, int bLast
){
  AcdcCtx *p = &pTab->ctx;
  const char *zWord;
  char *z = 0;
  int n = 0;
  for(zWord=zPlan; *zWord; ){
    char c = zWord[0];
    if( strchr("KRAFTSCEN", c) ){
      acdcAppendf(p, &z, z ? " AND " : " WHERE ");
      if( strchr("KRAFTSC", c) ) n++;
    }
    if( c=='K' ){
      acdcAppendf(p, &z, "t.\"%w\"=?%d",
          pTab->rows.aCol[readNumber(zWord+1)].zName, n);
    }else if( c=='R' ){
      acdcAppendf(p, &z, "t.\"%w\"%s?%d",
          pTab->rows.aCol[readNumber(zWord+2)].zName,
          zWord[1]=='l' ? "<=" : zWord[1]=='g' ? ">="
                               : zWord[1]=='<' ? "<" : ">", n);
    }else if( c=='C' ){
      acdcAppendf(p, &z, "(t.\"%w\" IS NULL",
                  pTab->rows.aCol[pTab->iEnd].zName);
      if( pTab->iSysEnd>=0 && !readHas(zPlan, "S") ){
        acdcAppendf(p, &z, " AND t.\"%w\" IS NULL",
                    pTab->rows.aCol[pTab->iSysEnd].zName);
      }
      acdcAppendf(p, &z, ")=?%d", n);
    }else if( c=='E' || c=='N' ){
      acdcAppendf(p, &z, "t.\"%w\" IS %sNULL",
          pTab->rows.aCol[pTab->iEnd].zName, c=='N' ? "NOT " : "");
    }else if( c=='T' ){
      readCompare(pTab, &z, pTab->iStart, "<", n, bNative);
    }else if( c=='A' || c=='F' || c=='S' ){
      int bSys = c=='S';
      int iEnd = bSys ? pTab->iSysEnd : pTab->iEnd;
      if( c!='F' ){
        readCompare(pTab, &z, bSys ? pTab->iSysStart : pTab->iStart, "<=", n,
                    bNative);
      }
      if( !bLast ){
        acdcAppendf(p, &z, "%s(t.\"%w\" IS NULL OR ", c=='F' ? "" : " AND ",
                    pTab->rows.aCol[iEnd].zName);
        readCompare(pTab, &z, iEnd, ">", n, bNative);
        acdcAppendf(p, &z, ")");
      }
    }
    while( *zWord && *zWord!=' ' ) zWord++;
    if( *zWord ) zWord++;
  }
  return z;
}

static char *readOrderSql(AcdcScd2 *pTab, const char *zPlan){
  const char *zWord;
  char *z = 0;
  for(zWord=zPlan; *zWord; ){
    if( zWord[0]=='O' ){
      acdcAppendf(&pTab->ctx, &z, "%st.\"%w\"%s", z ? ", " : " ORDER BY ",
          pTab->rows.aCol[readNumber(zWord+2)].zName,
          zWord[1]=='-' ? " DESC" : "");
    }
    while( *zWord && *zWord!=' ' ) zWord++;
    if( *zWord ) zWord++;
  }
  return z;
}

/* " AND v is believed at the system_as_of of the plan", if it has one. */
static void readVersionSystem(
  AcdcScd2 *pTab, const char *zPlan, int bNative, char **pz
){
  const char *z;
  int n = 0;
  for(z=zPlan; *z; ){
    if( strchr("KRAFTSC", *z) ) n++;
    if( *z=='S' ){
      const char *zFn = bNative ? "" : "autocdc_seq_key";
      const char *zStart = pTab->rows.aCol[pTab->iSysStart].zName;
      const char *zEnd = pTab->rows.aCol[pTab->iSysEnd].zName;
      acdcAppendf(&pTab->ctx, pz, " AND %s(v.\"%w\")<=%s(?%d) AND "
          "(v.\"%w\" IS NULL OR %s(v.\"%w\")>%s(?%d))", zFn, zStart, zFn, n,
          zEnd, zFn, zEnd, zFn, n);
    }
    while( *z && *z!=' ' ) z++;
    if( *z ) z++;
  }
}

/*
** The number of a version among those of its key.  Where whole keys are read
** they are counted on the way.  Bitemporal rows of one start are one version.
*/
static char *readVersionSql(AcdcScd2 *pTab, const char *zPlan, int bNative){
  AcdcCtx *p = &pTab->ctx;
  const char *zStart = pTab->rows.aCol[pTab->iStart].zName;
  const char *zFn = bNative ? "" : "autocdc_seq_key";
  char *z = 0, *zKeys = 0;
  int bWhole = !readHas(zPlan, "RAFTSCEN");
  int i;
  for(i=0; i<pTab->nKey; i++){
    const char *zKey = pTab->rows.aCol[pTab->aKey[i]].zName;
    if( bWhole ){
      acdcAppendf(p, &zKeys, "%st.\"%w\"", i ? ", " : "", zKey);
    }else{
      acdcAppendf(p, &zKeys, "%sv.\"%w\" IS t.\"%w\"", i ? " AND " : "", zKey,
                  zKey);
    }
  }
  if( bWhole ){
    z = acdcMprintf(p, "dense_rank() OVER (PARTITION BY %s ORDER BY "
                    "%s(t.\"%w\"))", zKeys, zFn, zStart);
  }else{
    z = acdcMprintf(p, "(SELECT count(%s%s(v.\"%w\")) FROM %s AS v WHERE %s AND "
        "%s(v.\"%w\")<=%s(t.\"%w\")", pTab->iSysStart>=0 ? "DISTINCT " : "",
        zFn, zStart, pTab->zRowsSql, zKeys, zFn, zStart, zFn, zStart);
    readVersionSystem(pTab, zPlan, bNative, &z);
    acdcAppendf(p, &z, ")");
  }
  sqlite3_free(zKeys);
  return z;
}

static u64 readHex(const char *z){
  u64 m = 0;
  for(; *z && *z!=' '; z++){
    m = m*16 + (u64)(*z>='a' ? *z-'a'+10 : *z-'0');
  }
  return m;
}

/* The columns that are wanted; aMap[] gets the place of each, or -1. */
static char *readSelect(
  AcdcScd2 *pTab, const char *zPlan, int bEnd, int *aMap, int *pnCol
){
  AcdcCtx *p = &pTab->ctx;
  const char *zWord;
  char *z = 0;
  u64 m = 0;
  int bAll = readHas(zPlan, "P"), i, n = 0;
  for(zWord=zPlan; *zWord; ){
    if( zWord[0]=='U' ) m = readHex(zWord+1);
    while( *zWord && *zWord!=' ' ) zWord++;
    if( *zWord ) zWord++;
  }
  for(i=0; i<pTab->rows.nCol; i++){
    int bWant = bAll || (i<63 && (m>>i & 1)) || readKeyOf(pTab, i)>=0
             || i==pTab->iStart || i==pTab->iSysStart
             || (bEnd && (i==pTab->iEnd || i==pTab->iSysEnd));
    aMap[i] = bWant ? n : -1;
    if( bWant ){
      acdcAppendf(p, &z, "%st.\"%w\"", n++ ? ", " : "",
                  pTab->rows.aCol[i].zName);
    }
  }
  *pnCol = n;
  return z;
}

/* Versions of a key do not overlap.  So the one that is as of a point is the
** last that starts at or before it, if it has not ended by then: where all
** keys are given one step finds it, however many versions there are. */
static int readIsLast(AcdcScd2 *pTab, const char *zPlan, int bNative){
  return bNative && pTab->bKnown && pTab->iSysStart<0 && readHas(zPlan, "1")
      && readHas(zPlan, "A") && !readHas(zPlan, "RFTSCENV");
}

/*
** Rows by the many: a function takes them in the WHERE clause, so that a step
** need not come back for each.  The conditions stand in front of it once more,
** for SQLite may test the terms of a WHERE in any order.
*/
static char *readTakeSql(
  AcdcScd2 *pTab, const char *zCols, const char *zWhere, int nArg
){
  AcdcCtx *p = &pTab->ctx;
  if( zWhere==0 ){
    return acdcMprintf(p, "SELECT 1 FROM %s AS t WHERE autocdc_take(?%d, %s)",
                       pTab->zRowsSql, nArg+1, zCols);
  }
  return acdcMprintf(p, "SELECT 1 FROM %s AS t%s AND CASE WHEN%s THEN "
      "autocdc_take(?%d, %s) END", pTab->zRowsSql, zWhere, zWhere+6, nArg+1,
      zCols);
}

static int readArgs(const char *zPlan){
  const char *z;
  int n = 0;
  for(z=zPlan; *z; ){
    if( strchr("KRAFTSC", *z) ) n++;
    while( *z && *z!=' ' ) z++;
    if( *z ) z++;
  }
  return n;
}

char *acdcScd2PlanSql(
  AcdcScd2 *pTab, const char *zPlan, int bNative, int *aMap, int *pnCol,
  int *peMode
){
  AcdcCtx *p = &pTab->ctx;
  int bLast = readIsLast(pTab, zPlan, bNative);
  char *zCols = readSelect(pTab, zPlan, bLast || readHas(zPlan, "X"), aMap,
                           pnCol);
  char *zWhere = readWhere(pTab, zPlan, bNative, bLast);
  char *zOrder = bLast ? 0 : readOrderSql(pTab, zPlan);
  char *zVersion = readHas(zPlan, "V") ? readVersionSql(pTab, zPlan, bNative)
                                       : 0;
  int nRow = pTab->rows.nCol;
  char *z;
  if( zVersion ) acdcAppendf(p, &zCols, ", %s", zVersion);
  aMap[nRow] = zVersion ? (*pnCol)++ : -1;
  if( pTab->rows.zRowid ) acdcAppendf(p, &zCols, ", t.%s", pTab->rows.zRowid);
  aMap[nRow+1] = pTab->rows.zRowid ? (*pnCol)++ : -1;
  if( !bLast && zOrder==0 && zVersion==0
   && *pnCol<sqlite3_limit(pTab->db, SQLITE_LIMIT_FUNCTION_ARG, -1)-1
  ){
    *peMode = ACDC_SCD2_TAKE;
    z = readTakeSql(pTab, zCols, zWhere, readArgs(zPlan));
  }else{
    *peMode = bLast ? ACDC_SCD2_LAST : ACDC_SCD2_ROWS;
    z = acdcMprintf(p, "SELECT %s FROM %s AS t%s%s", zCols, pTab->zRowsSql,
                    zWhere ? zWhere : "", zOrder ? zOrder : "");
    if( bLast ){
      acdcAppendf(p, &z, " ORDER BY t.\"%w\" DESC LIMIT 1",
                  pTab->rows.aCol[pTab->iStart].zName);
    }
  }
  sqlite3_free(zCols);
  sqlite3_free(zWhere);
  sqlite3_free(zOrder);
  sqlite3_free(zVersion);
  return z;
}
