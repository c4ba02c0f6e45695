/*
** Declarations of scd2 tables: the arguments, and the columns that follow from
** them.
**
** Columns are, in this order: those of the table of rows; the hidden ones that
** queries restrict (as_of first, for h(42)); and, hidden too, the columns of
** events that are not kept in history, for INSERT.
*/
#include "scd2.h"
#include "../core/json.h"
#include "../core/trust.h"

/* ---- arguments ---- */

/* Text of an argument's value: without the quotes, if it is one quoted text. */
static char *declValue(AcdcCtx *p, const char *z){
  int n = (int)strlen(z);
  char *zOut;
  int i, j = 0;
  while( n>0 && strchr(" \t\r\n", z[n-1]) ) n--;
  if( n<2 || (z[0]!='\'' && z[0]!='"') || z[n-1]!=z[0] ){
    return acdcStrndup(p, z, n);
  }
  zOut = acdcMalloc(p, n);
  if( zOut==0 ) return 0;
  for(i=1; i<n-1; i++){
    if( z[i]==z[0] ){
      if( z[i+1]!=z[0] || i+1>=n-1 ) break;
      i++;
    }
    zOut[j++] = z[i];
  }
  if( i<n-1 ){                      /* 'a' || 'b' is no quoted text */
    sqlite3_free(zOut);
    return acdcStrndup(p, z, n);
  }
  return zOut;
}

/* A list as JSON array; 0 if it is none. */
static int declJsonList(
  AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, const char *z
){
  AcdcCtx ctx;
  AcdcJson *pDoc;
  AcdcJsonPos pos;
  AcdcJsonNode *pRoot, *pItem;
  int bList = 1;
  if( z[strspn(z, " \t\r\n")]!='[' ) return 0;
  acdcCtxInit(&ctx, p->db);
  pDoc = acdcJsonParse(&ctx, z, -1, &pos);
  pRoot = pDoc ? acdcJsonRoot(pDoc) : 0;
  if( pRoot==0 || pRoot->eType!=ACDC_JSON_ARRAY ) bList = 0;
  for(pItem=bList ? pRoot->pFirst : 0; pItem; pItem=pItem->pNext){
    if( pItem->eType!=ACDC_JSON_STRING ) bList = 0;
  }
  if( bList ){
    acdcFlowListBegin(p, pFlow, pM);
    for(pItem=pRoot->pFirst; pItem; pItem=pItem->pNext){
      acdcFlowListAdd(p, pFlow, pM, pItem->zText);
    }
  }
  acdcJsonFree(pDoc);
  acdcCtxClear(&ctx);
  return bList;
}

static void declMember(AcdcScd2 *pTab, const char *zName, const char *zValue){
  AcdcCtx *p = &pTab->ctx;
  const AcdcMember *pM = acdcFlowMember(zName);
  if( strcmp(zName, "columns")==0 ){
    pTab->zColumns = acdcStrdup(p, zValue);
  }else if( pM==0 || (pM->mUse & ACDC_USE_SCD2)==0 ){
    acdcFlowUnknownMember(p, zName, ACDC_USE_SCD2);
  }else if( (pM->eKind==ACDC_MEMBER_NAMES || pM->eKind==ACDC_MEMBER_LIST)
         && declJsonList(p, &pTab->flow, pM, zValue) ){
    return;
  }else{
    acdcFlowSetText(p, &pTab->flow, pM, zValue);
  }
}

/* A target is in the schema of the declaration. */
static void declTarget(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  char *zSchema = 0, *zName = 0;
  AcdcTable t;
  if( pTab->flow.zTarget==0 ){
    pTab->bOwned = 1;
    pTab->zRows = acdcMprintf(p, "%s_rows", pTab->zName);
    return;
  }
  if( acdcTableFind(p, pTab->zSchema, pTab->flow.zTarget, &t) ){
    if( sqlite3_stricmp(t.zSchema, pTab->zSchema) ){
      acdcError(p, SQLITE_ERROR, "target %s is in another schema: declare the "
          "table in that one, CREATE VIRTUAL TABLE %s.%s", pTab->flow.zTarget,
          t.zSchema, pTab->zName);
    }
    pTab->zRows = acdcStrdup(p, t.zName);
    acdcTableClear(&t);
    return;
  }
  acdcSplitName(p, pTab->flow.zTarget, &zSchema, &zName);
  pTab->zRows = zName;
  sqlite3_free(zSchema);
}

/*
** The table of rows as a flow's target: plainly where that is unambiguous, for
** it is shown.  Owned by the caller.
*/
char *acdcScd2Target(AcdcCtx *p, const char *zSchema, const char *zRows){
  static const char zPlain[] = "abcdefghijklmnopqrstuvwxyz"
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  if( zRows[strspn(zRows, zPlain)] || zSchema[strspn(zSchema, zPlain)] ){
    return acdcMprintf(p, "\"%w\".\"%w\"", zSchema, zRows);
  }
  if( sqlite3_stricmp(zSchema, "main")==0 ) return acdcStrdup(p, zRows);
  return acdcMprintf(p, "%s.%s", zSchema, zRows);
}

void acdcScd2Arguments(AcdcScd2 *pTab, int argc, const char *const*argv){
  AcdcCtx *p = &pTab->ctx;
  AcdcFlow *pFlow = &pTab->flow;
  AcdcNames seen = {0, 0};
  int i;
  pFlow->eScd = ACDC_SCD2;
  for(i=3; i<argc && p->rc==0; i++){
    const char *zEq = strchr(argv[i], '=');
    int n = zEq ? (int)(zEq - argv[i]) : 0;
    char *zName, *zValue;
    const char *z = argv[i];
    if( argc==4 && z[strspn(z, " \t\r\n")]==0 ) break;
    while( n>0 && strchr(" \t\r\n", *z) ){ z++; n--; }
    while( n>0 && strchr(" \t\r\n", z[n-1]) ) n--;
    if( n==0 ){
      acdcError(p, SQLITE_ERROR, "argument \"%s\" is not of the form "
          "member=value, such as keys='id'", argv[i]);
      break;
    }
    zName = acdcStrndup(p, z, n);
    zEq++;
    zEq += strspn(zEq, " \t\r\n");
    zValue = declValue(p, zEq);
    if( p->rc==0 && acdcNamesFind(&seen, zName)>=0 ){
      acdcError(p, SQLITE_ERROR, "\"%s\" is given twice", zName);
    }
    if( p->rc==0 ){
      acdcNamesAdd(p, &seen, zName, -1);
      declMember(pTab, zName, zValue);
    }
    sqlite3_free(zName);
    sqlite3_free(zValue);
  }
  acdcNamesFree(&seen);
  if( p->rc==0 && pFlow->eScd==ACDC_SCD1 ){
    acdcError(p, SQLITE_ERROR, "scd_type 1 keeps no history: an scd2 table has "
        "scd_type 2 or \"bitemporal\"");
  }
  if( p->rc==0 && pTab->zColumns && pFlow->eSource!=ACDC_SOURCE_NONE ){
    acdcError(p, SQLITE_ERROR, "columns and source are both given: columns "
        "says what a source would say, give one");
  }
  if( p->rc==0 && pTab->zColumns==0 && pFlow->eSource==ACDC_SOURCE_NONE
   && pFlow->zTarget==0
  ){
    acdcError(p, SQLITE_ERROR, "an scd2 table needs source='a table', or "
        "columns='id INTEGER, ...', or target='an existing history'");
  }
  declTarget(pTab);
  if( p->rc==0 ){
    pTab->bEvents = pTab->zColumns!=0 || pFlow->eSource!=ACDC_SOURCE_NONE;
    pTab->zRowsSql = acdcMprintf(p, "\"%w\".\"%w\"", pTab->zSchema,
                                 pTab->zRows);
    sqlite3_free(pFlow->zTarget);
    pFlow->zTarget = acdcScd2Target(p, pTab->zSchema, pTab->zRows);
    pFlow->zName = acdcStrdup(p, pTab->zName);
  }
  if( p->rc==0 && pTab->bEvents ){
    u8 eWas = pFlow->eSource;
    if( eWas==ACDC_SOURCE_NONE ) pFlow->eSource = ACDC_SOURCE_TABLE;
    acdcFlowCheck(p, pFlow);
    pFlow->eSource = eWas;
  }
}

/* ---- columns of events ---- */

static void declAddColumn(
  AcdcScd2 *pTab, const char *zName, const char *zType, const char *zColl
){
  AcdcCtx *p = &pTab->ctx;
  AcdcTable *pT = &pTab->cols;
  AcdcColumn *aNew, *pC;
  if( p->rc ) return;
  if( acdcTableColumn(pT, zName)>=0 ){
    acdcError(p, SQLITE_ERROR, "two columns are named %s", zName);
    return;
  }
  aNew = acdcRealloc(p, pT->aCol, sizeof(AcdcColumn)*(pT->nCol+1));
  if( aNew==0 ) return;
  pT->aCol = aNew;
  pC = &aNew[pT->nCol++];
  memset(pC, 0, sizeof(*pC));
  pC->zName = acdcStrdup(p, zName);
  pC->zType = acdcStrdup(p, zType ? zType : "");
  pC->zColl = zColl && zColl[0] ? acdcStrdup(p, zColl) : 0;
  pC->cAff = acdcAffinity(zType);
}

/*
** columns= is what stands between the parentheses of a CREATE TABLE.  A
** database of its own reads it, so that no text of a schema can do anything
** to this one.
*/
static void declParseColumns(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcCtx ctx;
  AcdcTable t;
  sqlite3 *db = 0;
  int i;
  int rc = sqlite3_open_v2(":memory:", &db,
                           SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE, 0);
  acdcCtxInit(&ctx, db);
  if( rc ) acdcErrorDb(&ctx, rc, 0);
  acdcExec(&ctx, "CREATE TABLE x(%s\n)", pTab->zColumns);
  if( acdcTableFind(&ctx, "main", "x", &t) ){
    for(i=0; i<t.nCol; i++){
      const AcdcColumn *pC = &t.aCol[i];
      if( pC->bGenerated || pC->bNotNull || pC->iPk ){
        acdcError(p, SQLITE_ERROR, "columns: \"%s\" has a constraint: only "
            "names, types and collations are declared here (keys names the "
            "key)", pC->zName);
      }
      declAddColumn(pTab, pC->zName, pC->zType, pC->zColl);
    }
    acdcTableClear(&t);
  }
  if( ctx.rc && p->rc==0 ){
    acdcError(p, SQLITE_ERROR, "columns: %s (write them as in CREATE TABLE: "
        "columns='id INTEGER, name TEXT')", acdcErrorText(&ctx));
  }
  acdcCtxClear(&ctx);
  sqlite3_close(db);
}

/* The columns of the source as it is now; kept in h_cols. */
static void declSourceColumns(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcSource src;
  sqlite3_stmt *pStmt;
  int i;
  acdcScd2TrustSource(pTab);
  memset(&src, 0, sizeof(src));
  acdcSourceOpen(p, &pTab->flow, 0, &src);
  for(i=0; i<src.tab.nCol; i++){
    const AcdcColumn *pC = &src.tab.aCol[i];
    declAddColumn(pTab, pC->zName, pC->zType, pC->zColl);
  }
  acdcSourceClose(&src);
  acdcExec(p, "CREATE TABLE \"%w\".\"%w_cols\"(id INTEGER PRIMARY KEY, "
      "name TEXT NOT NULL, type TEXT NOT NULL, collation TEXT)", pTab->zSchema,
      pTab->zName);
  pStmt = acdcPrepare(p, 0, "INSERT INTO \"%w\".\"%w_cols\" "
      "VALUES(NULL, ?1, ?2, ?3)", pTab->zSchema, pTab->zName);
  for(i=0; i<pTab->cols.nCol && p->rc==0; i++){
    const AcdcColumn *pC = &pTab->cols.aCol[i];
    sqlite3_bind_text(pStmt, 1, pC->zName, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 2, pC->zType, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 3, pC->zColl, -1, SQLITE_STATIC);
    acdcStep(p, pStmt);
    acdcReset(p, pStmt);
  }
  acdcFinalize(p, &pStmt);
  pTab->bCols = 1;
}

/* What h_cols has; nothing if it is gone. */
static void declKeptColumns(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  sqlite3_stmt *pStmt;
  AcdcTable t;
  char *z = acdcMprintf(p, "\"%w_cols\"", pTab->zName);
  int bThere = acdcTableFind(p, pTab->zSchema, z, &t);
  sqlite3_free(z);
  if( !bThere ) return;
  acdcTableClear(&t);
  pTab->bCols = 1;
  pStmt = acdcPrepare(p, 0, "SELECT name, type, collation "
      "FROM \"%w\".\"%w_cols\" ORDER BY id", pTab->zSchema, pTab->zName);
  while( acdcStep(p, pStmt) ){
    const char *zName = (const char*)sqlite3_column_text(pStmt, 0);
    if( zName==0 ) continue;
    declAddColumn(pTab, zName, (const char*)sqlite3_column_text(pStmt, 1),
                  (const char*)sqlite3_column_text(pStmt, 2));
  }
  acdcFinalize(p, &pStmt);
}

void acdcScd2EventColumns(AcdcScd2 *pTab, int bCreate){
  pTab->cols.iIpk = -1;
  if( !pTab->bEvents || pTab->ctx.rc ) return;
  if( pTab->zColumns ){
    declParseColumns(pTab);
  }else if( bCreate ){
    declSourceColumns(pTab);
  }else{
    declKeptColumns(pTab);
    if( pTab->cols.nCol==0 ) pTab->bEvents = 0;
  }
}

/* ---- columns of the table ---- */

static void declAdd(
  AcdcScd2 *pTab, const char *zName, int eKind, int i
){
  AcdcCtx *p = &pTab->ctx;
  AcdcScd2Col *aNew = acdcRealloc(p, pTab->aCol,
                                  sizeof(AcdcScd2Col)*(pTab->nCol+1));
  AcdcScd2Col *pC;
  if( aNew==0 ) return;
  pTab->aCol = aNew;
  pC = &aNew[pTab->nCol];
  pC->eKind = (u8)eKind;
  pC->i = i;
  pC->zName = acdcStrdup(p, zName);
  if( pC->zName==0 ) return;
  if( eKind!=ACDC_SCD2_ROW && eKind!=ACDC_SCD2_EVENT ){
    pTab->aiArg[eKind] = pTab->nCol;
  }
  pTab->nCol++;
}

/* A hidden column whose name no column of the user's has. */
static void declAddArg(AcdcScd2 *pTab, const char *zName, int eKind){
  AcdcCtx *p = &pTab->ctx;
  char *z = acdcStrdup(p, zName);
  while( z && (acdcTableColumn(&pTab->rows, z)>=0
            || acdcTableColumn(&pTab->cols, z)>=0) ){
    acdcAppendf(p, &z, "_");
    if( p->rc ) break;
  }
  if( z ) declAdd(pTab, z, eKind, 0);
  sqlite3_free(z);
}

/* Names of the keys: those given, or the catalog's, or the primary key. */
static void declKeyNames(AcdcScd2 *pTab, AcdcNames *pOut){
  AcdcCtx *p = &pTab->ctx;
  int i, iPk;
  if( pTab->flow.keys.n ){
    acdcNamesCopy(p, pOut, &pTab->flow.keys);
    return;
  }
  if( acdcStateHasCatalog(p, pTab->zSchema) ){
    char *z = acdcSelectText(p, "SELECT keys FROM \"%w\".autocdc_targets "
        "WHERE target=%Q", pTab->zSchema, pTab->zRows);
    if( z ){
      /* Joined with ", ": a name that holds that is found below or not */
      acdcSplitList(p, z, pOut);
      sqlite3_free(z);
      return;
    }
  }
  for(iPk=1; iPk<=pTab->rows.nCol; iPk++){
    for(i=0; i<pTab->rows.nCol; i++){
      const AcdcColumn *pC = &pTab->rows.aCol[i];
      if( pC->iPk==iPk && sqlite3_stricmp(pC->zName, ACDC_START)
       && sqlite3_stricmp(pC->zName, ACDC_END)
       && sqlite3_strnicmp(pC->zName, "__SYSTEM_", 9)
      ){
        acdcNamesAdd(p, pOut, pC->zName, -1);
      }
    }
  }
}

static void declKeys(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcNames names = {0, 0};
  int i;
  declKeyNames(pTab, &names);
  for(i=0; i<names.n && p->rc==0; i++){
    int iCol = acdcTableColumn(&pTab->rows, names.az[i]);
    if( iCol<0 ){
      char *z = acdcUnquote(p, names.az[i]);
      if( z ) iCol = acdcTableColumn(&pTab->rows, z);
      sqlite3_free(z);
    }
    if( iCol<0 ){
      acdcError(p, SQLITE_ERROR, "table %s has no key column %s", pTab->zRows,
                names.az[i]);
    }else if( pTab->nKey<ACDC_MAXKEY ){
      pTab->aKey[pTab->nKey++] = iCol;
    }else{
      acdcError(p, SQLITE_ERROR, "more than %d key columns", ACDC_MAXKEY);
    }
  }
  acdcNamesFree(&names);
  if( p->rc==0 && pTab->nKey==0 ){
    acdcError(p, SQLITE_ERROR, "the keys of %s are not known: name them with "
              "keys='...'", pTab->zRows);
  }
}

void acdcScd2Lost(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcTable t;
  char *z = acdcMprintf(p, "\"%w\"", pTab->zRows);
  if( acdcTableFind(p, pTab->zSchema, z, &t) ){
    acdcTableClear(&t);
  }else{
    acdcError(p, SQLITE_ERROR, "table %s, which holds its rows, is gone: DROP "
              "TABLE %s", pTab->zRows, pTab->zName);
  }
  sqlite3_free(z);
}

/* The table of rows is gone: the columns that it had, as far as is known. */
static void declLost(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcTable *pT = &pTab->rows;
  int i;
  pTab->zWrong = acdcMprintf(p, "table %s, which holds its rows, is gone: DROP "
                             "TABLE %s", pTab->zRows, pTab->zName);
  pT->aCol = acdcMalloc(p, sizeof(AcdcColumn)*(pTab->cols.nCol+2));
  if( p->rc ) return;
  for(i=0; i<pTab->cols.nCol; i++){
    pT->aCol[pT->nCol].zName = acdcStrdup(p, pTab->cols.aCol[i].zName);
    pT->aCol[pT->nCol].zType = acdcStrdup(p, "");
    pT->aCol[pT->nCol++].cAff = 'A';
  }
  pTab->bEvents = 0;
  for(i=0; i<2; i++){
    pT->aCol[pT->nCol].zName = acdcStrdup(p, i ? ACDC_END : ACDC_START);
    pT->aCol[pT->nCol].zType = acdcStrdup(p, "");
    pT->aCol[pT->nCol++].cAff = 'A';
  }
  pTab->iStart = pT->nCol-2;
  pTab->iEnd = pT->nCol-1;
}

void acdcScd2Columns(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  char *z;
  int i;
  if( p->rc ) return;
  for(i=0; i<ACDC_SCD2_EVENT; i++) pTab->aiArg[i] = -1;
  pTab->iSysStart = pTab->iSysEnd = -1;
  z = acdcMprintf(p, "\"%w\"", pTab->zRows);
  if( acdcTableFind(p, pTab->zSchema, z, &pTab->rows) ){
    pTab->iStart = acdcTableColumn(&pTab->rows, ACDC_START);
    pTab->iEnd = acdcTableColumn(&pTab->rows, ACDC_END);
    pTab->iSysStart = acdcTableColumn(&pTab->rows, "__SYSTEM_START_AT");
    pTab->iSysEnd = acdcTableColumn(&pTab->rows, "__SYSTEM_END_AT");
    if( pTab->iStart<0 || pTab->iEnd<0 || pTab->rows.bView
     || pTab->rows.bVirtual
    ){
      acdcError(p, SQLITE_ERROR, "%s is no history table: it must be an "
          "ordinary table with columns " ACDC_START " and " ACDC_END,
          pTab->zRows);
    }
    if( p->rc==0 ) declKeys(pTab);
  }else if( p->rc==0 ){
    declLost(pTab);
  }
  sqlite3_free(z);
  for(i=0; i<pTab->rows.nCol && p->rc==0; i++){
    declAdd(pTab, pTab->rows.aCol[i].zName, ACDC_SCD2_ROW, i);
  }
  declAddArg(pTab, "as_of", ACDC_SCD2_AS_OF);
  declAddArg(pTab, "from_", ACDC_SCD2_FROM);
  declAddArg(pTab, "to_", ACDC_SCD2_TO);
  declAddArg(pTab, "current", ACDC_SCD2_CURRENT);
  declAddArg(pTab, "version", ACDC_SCD2_VERSION);
  if( pTab->iSysStart>=0 && pTab->iSysEnd>=0 ){
    declAddArg(pTab, "system_as_of", ACDC_SCD2_SYSTEM);
  }
  for(i=0; i<pTab->cols.nCol && p->rc==0; i++){
    if( acdcTableColumn(&pTab->rows, pTab->cols.aCol[i].zName)<0 ){
      declAdd(pTab, pTab->cols.aCol[i].zName, ACDC_SCD2_EVENT, i);
    }
  }
}

/* A type as text that cannot be anything but a type. */
static void declType(AcdcCtx *p, char **pz, const AcdcColumn *pC){
  static const char *const azAff[] = {"", "TEXT", "NUMERIC", "INTEGER", "REAL"};
  const char *z = pC->zType ? pC->zType : "";
  int i, bPlain = 1, bHidden = 0;
  for(i=0; z[i]; i++){
    char c = z[i];
    if( !((c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9')
       || c==' ' || c=='_' || c=='(' || c==')' || c==',') ) bPlain = 0;
    if( sqlite3_strnicmp(&z[i], "hidden", 6)==0 ) bHidden = 1;
  }
  if( bHidden ) z = azAff[pC->cAff - 'A'];
  if( z[0] ) acdcAppendf(p, pz, bPlain || bHidden ? " %s" : " \"%w\"", z);
  if( pC->zColl ) acdcAppendf(p, pz, " COLLATE \"%w\"", pC->zColl);
}

char *acdcScd2Declaration(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  char *z = acdcMprintf(p, "CREATE TABLE x(");
  int i;
  for(i=0; i<pTab->nCol; i++){
    const AcdcScd2Col *pC = &pTab->aCol[i];
    acdcAppendf(p, &z, "%s\"%w\"", i ? ", " : "", pC->zName);
    if( pC->eKind==ACDC_SCD2_ROW ) declType(p, &z, &pTab->rows.aCol[pC->i]);
    if( pC->eKind==ACDC_SCD2_EVENT ) declType(p, &z, &pTab->cols.aCol[pC->i]);
    if( pC->eKind!=ACDC_SCD2_ROW ) acdcAppendf(p, &z, " HIDDEN");
  }
  acdcAppendf(p, &z, ")");
  return z;
}

/* ---- trust ---- */

/* "SELECT expr FROM (SELECT NULL AS "id", ...)" */
static void declTrustExpr(
  AcdcScd2 *pTab, const char *zMember, const char *zExpr
){
  AcdcCtx *p = &pTab->ctx;
  char *z = 0;
  int i;
  if( zExpr==0 || acdcTableColumn(&pTab->cols, zExpr)>=0 ) return;
  acdcAppendf(p, &z, "SELECT %s\n FROM (SELECT ", zExpr);
  for(i=0; i<pTab->cols.nCol; i++){
    acdcAppendf(p, &z, "%sNULL AS \"%w\"", i ? ", " : "",
                pTab->cols.aCol[i].zName);
  }
  acdcAppendf(p, &z, ")");
  acdcTrustCheck(p, z, 1, zMember);
  acdcErrorWhere(p, "%s: %s", zMember, zExpr);
  sqlite3_free(z);
}

void acdcScd2Trust(AcdcScd2 *pTab){
  const AcdcFlow *pFlow = &pTab->flow;
  int i, bTrusted = 1;
  sqlite3_db_config(pTab->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &bTrusted);
  if( pTab->bTrusted && pTab->bTrustedSchema==bTrusted ) return;
  declTrustExpr(pTab, "where", pFlow->zWhere);
  declTrustExpr(pTab, "apply_as_deletes", pFlow->zDeletes);
  declTrustExpr(pTab, "apply_as_truncates", pFlow->zTruncates);
  for(i=0; i<pFlow->sequenceBy.n; i++){
    declTrustExpr(pTab, "sequence_by", pFlow->sequenceBy.az[i]);
  }
  for(i=0; i<pFlow->systemSequenceBy.n; i++){
    declTrustExpr(pTab, "system_sequence_by", pFlow->systemSequenceBy.az[i]);
  }
  if( pTab->ctx.rc==0 ){
    pTab->bTrusted = 1;
    pTab->bTrustedSchema = bTrusted;
  }
}

void acdcScd2TrustSource(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcTable t;
  if( pTab->flow.eSource==ACDC_SOURCE_QUERY ){
    acdcTrustCheck(p, pTab->flow.zSource, 1, "the source query");
  }else if( acdcTableFind(p, 0, pTab->flow.zSource, &t) ){
    char *z = acdcMprintf(p, "SELECT * FROM \"%w\".\"%w\"", t.zSchema, t.zName);
    acdcTrustCheck(p, z, 1, "the source");
    sqlite3_free(z);
    acdcTableClear(&t);
  }
}
