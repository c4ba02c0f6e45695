/*
** What an input reads, as SQL.  See plan.h.
**
** Each view that is needed becomes a clause of WITH, behind those it reads.
** A view read as a stream and the same view read whole are two clauses.
*/
#include "plan.h"
#include "planint.h"
#include "../spec/files.h"
#include "../spec/sparksql.h"
#include "../core/trust.h"
#include "stmtreader.h"

void acdcPlanInit(
  AcdcPlan *pPlan, AcdcPipeline *pPipe, AcdcPipeStep *pStep, const char *zFlow
){
  memset(pPlan, 0, sizeof(*pPlan));
  pPlan->p = pPipe->p;
  pPlan->pPipe = pPipe;
  pPlan->pStep = pStep;
  pPlan->zFlow = zFlow;
}

void acdcPlanClear(AcdcPlan *pPlan){
  int i;
  acdcNamesFree(&pPlan->ctes);
  acdcNamesFree(&pPlan->cteNames);
  acdcNamesFree(&pPlan->open);
  acdcNamesFree(&pPlan->deps);
  acdcNamesFree(&pPlan->typeName);
  acdcNamesFree(&pPlan->typeValue);
  acdcNamesFree(&pPlan->schemas);
  acdcNamesFree(&pPlan->notes);
  for(i=0; i<pPlan->nReader; i++) acdcReaderFree(pPlan->apReader[i]);
  sqlite3_free(pPlan->apReader);
  for(i=0; i<pPlan->nStream; i++){
    acdcSourceClose(&pPlan->aStream[i].src);
    sqlite3_free(pPlan->aStream[i].zLabel);
  }
  sqlite3_free(pPlan->aStream);
  for(i=0; i<pPlan->nFile; i++) sqlite3_free(pPlan->aFile[i].zPath);
  sqlite3_free(pPlan->aFile);
  acdcArenaFree(&pPlan->scratch.arena);
  sqlite3_free(pPlan->zMicro);
  sqlite3_free(pPlan->zSelect);
  memset(pPlan, 0, sizeof(*pPlan));
}

char *acdcPlanWith(AcdcPlan *pPlan, const char *zMore){
  sqlite3_str *pStr = sqlite3_str_new(0);
  char *z;
  int i;
  for(i=0; i<pPlan->ctes.n; i++){
    sqlite3_str_appendf(pStr, "%s%s", i ? ",\n" : "WITH ", pPlan->ctes.az[i]);
  }
  if( zMore && zMore[0] ){
    /* A WITH of the query itself */
    if( sqlite3_strnicmp(zMore, "with", 4)==0 ) zMore += 4;
    sqlite3_str_appendf(pStr, "%s%s", pPlan->ctes.n ? "," : "WITH ", zMore);
  }
  sqlite3_str_appendall(pStr, " ");
  z = sqlite3_str_finish(pStr);
  if( z==0 ) acdcError(pPlan->p, SQLITE_NOMEM, "out of memory");
  return z;
}

/* Names of the columns of "SELECT zStar FROM zFrom". */
static void planStar(
  AcdcPlan *pPlan, const char *zWith, const char *zStar, const char *zFrom,
  AcdcNames *pOut
){
  char *zAll = acdcPlanWith(pPlan, zWith);
  sqlite3_stmt *pStmt;
  int i;
  pStmt = zAll ? acdcPrepare(pPlan->p, 0, "%sSELECT %s %s", zAll, zStar, zFrom)
               : 0;
  for(i=0; pStmt && i<sqlite3_column_count(pStmt); i++){
    acdcNamesAdd(pPlan->p, pOut, sqlite3_column_name(pStmt, i), -1);
  }
  acdcFinalize(pPlan->p, &pStmt);
  sqlite3_free(zAll);
}

/* All columns but those of pExcept, as a list.  zFrom begins with FROM. */
static char *planExcept(
  void *pArg, AcdcCtx *p, const char *zWith, const char *zStar,
  const char *zFrom, const AcdcNames *pExcept
){
  AcdcPlan *pPlan = (AcdcPlan*)pArg;
  AcdcNames cols = {0, 0};
  char *z = 0;
  int i;
  /* "t.*" keeps its qualifier, so that a join's columns stay apart */
  int nQual = (int)strlen(zStar) - 1;
  planStar(pPlan, zWith, zStar, zFrom, &cols);
  for(i=0; i<pExcept->n && p->rc==SQLITE_OK; i++){
    if( acdcNamesFind(&cols, pExcept->az[i])<0 ){
      char *zAll = acdcNamesText(p, &cols);
      acdcError(p, SQLITE_ERROR, "EXCEPT names \"%s\", which is no column; "
                "columns are: %s", pExcept->az[i], zAll ? zAll : "");
      sqlite3_free(zAll);
    }
  }
  for(i=0; i<cols.n; i++){
    if( acdcNamesFind(pExcept, cols.az[i])>=0 ) continue;
    acdcAppendf(p, &z, "%s%.*s\"%w\"", z ? ", " : "", nQual, zStar,
                cols.az[i]);
  }
  if( z==0 && p->rc==SQLITE_OK ){
    acdcError(p, SQLITE_ERROR, "EXCEPT leaves no column");
  }
  acdcNamesFree(&cols);
  return z;
}

/*
** Columns of files have types that are known by their names.  A name that SQL
** gives to an expression, "... AS name", is no column of a file any more.
*/
static void planForgetAliases(AcdcPlan *pPlan, const char *z){
  int bAs = 0;
  while( z && *z && pPlan->p->rc==SQLITE_OK ){
    int n = 0;
    char *zName = 0;
    if( *z=='\'' ){
      z++;
      z += strcspn(z, "'");
      if( *z ) z++;
      continue;
    }
    if( *z=='"' ){
      n = (int)strcspn(z+1, "\"");
      if( bAs ) zName = acdcStrndup(pPlan->p, z+1, n);
      z += n + 1 + (z[n+1]!=0);
      n = 1;
    }else{
      while( (z[n]>='a' && z[n]<='z') || (z[n]>='A' && z[n]<='Z')
          || (z[n]>='0' && z[n]<='9') || z[n]=='_' || (z[n] & 0x80) ) n++;
      if( bAs && n ) zName = acdcStrndup(pPlan->p, z, n);
      if( n ) bAs = !bAs && n==2 && sqlite3_strnicmp(z, "as", 2)==0;
      z += n ? n : 1;
    }
    if( zName ){
      int k = acdcNamesFind(&pPlan->typeName, zName);
      if( k>=0 ) pPlan->typeValue.az[k][0] = 0;
      bAs = 0;
    }
    sqlite3_free(zName);
  }
}

/* A list of select expressions as SQL; NULL if there is none. */
static char *planSelectList(
  AcdcPlan *pPlan, const AcdcTexts *pSelect, const char *zFrom
){
  AcdcCtx *p = pPlan->p;
  char *z = 0;
  int i;
  for(i=0; i<pSelect->n && p->rc==SQLITE_OK; i++){
    AcdcNames except = {0, 0};
    char *zStar = 0;
    char *zOne;
    if( acdcSparkExcept(p, pSelect->az[i], &zStar, &except) ){
      char *zClause = acdcMprintf(p, "FROM %s", zFrom);
      zOne = zClause ? planExcept(pPlan, p, 0, zStar, zClause, &except) : 0;
      sqlite3_free(zClause);
    }else{
      acdcPipelineTrust(pPlan->p, pPlan->pStep->pOwner, pSelect->az[i]);
      zOne = acdcSparkExpr(p, pSelect->az[i]);
    }
    if( zOne ) acdcAppendf(p, &z, "%s%s", z ? ", " : "", zOne);
    planForgetAliases(pPlan, zOne);
    sqlite3_free(zOne);
    sqlite3_free(zStar);
    acdcNamesFree(&except);
    acdcErrorWhere(p, "select_exp \"%.80s\"", pSelect->az[i]);
  }
  return z;
}

/* Conditions, joined; NULL if there is none. */
static char *planWhere(AcdcPlan *pPlan, const AcdcTexts *pWhere){
  char *z = 0;
  int i;
  for(i=0; i<pWhere->n && pPlan->p->rc==SQLITE_OK; i++){
    char *zOne;
    acdcPipelineTrust(pPlan->p, pPlan->pStep->pOwner, pWhere->az[i]);
    zOne = acdcSparkExpr(pPlan->p, pWhere->az[i]);
    if( zOne ) acdcAppendf(pPlan->p, &z, "%s(%s)", z ? " AND " : "", zOne);
    sqlite3_free(zOne);
  }
  return z;
}

/* 1 if the query can be prepared; nothing is reported. */
static int planCompiles(AcdcPlan *pPlan, const char *zSql){
  char *zWith = acdcPlanWith(pPlan, 0);
  char *zAll = zWith ? acdcMprintf(pPlan->p, "%s%s", zWith, zSql) : 0;
  sqlite3_stmt *pStmt = 0;
  int rc = zAll ? sqlite3_prepare_v2(pPlan->p->db, zAll, -1, &pStmt, 0)
                : SQLITE_NOMEM;
  sqlite3_finalize(pStmt);
  sqlite3_free(zWith);
  sqlite3_free(zAll);
  return rc==SQLITE_OK;
}

/*
** "SELECT list FROM from WHERE conditions".  zDefault is the list of a view
** that projects nothing.  With bSelectFirst the conditions see the projected
** columns, and, where those lack one, all others.
*/
static char *planProject(
  AcdcPlan *pPlan, const char *zFrom, const char *zDefault,
  const AcdcTexts *pSelect, const AcdcTexts *pWhere, int bSelectFirst
){
  AcdcCtx *p = pPlan->p;
  char *zList = planSelectList(pPlan, pSelect, zFrom);
  char *zWhere = planWhere(pPlan, pWhere);
  char *z = 0;
  if( p->rc==SQLITE_OK && bSelectFirst && zList && zWhere ){
    z = acdcMprintf(p, "SELECT * FROM (SELECT %s FROM %s) WHERE %s", zList,
                    zFrom, zWhere);
    if( z && !planCompiles(pPlan, z) ){
      sqlite3_free(z);
      z = 0;
    }
  }
  if( z==0 && p->rc==SQLITE_OK ){
    z = acdcMprintf(p, "SELECT %s FROM %s%s%s", zList ? zList : zDefault,
                    zFrom, zWhere ? " WHERE " : "", zWhere ? zWhere : "");
  }
  sqlite3_free(zList);
  sqlite3_free(zWhere);
  return z;
}

/* ---- views ---- */

static char *planView(AcdcPlan *pPlan, AcdcView *pView, int bStream);

/*
** The text for a table in a FROM clause: all of it, or what is new.  Owned by
** the caller.
*/
static char *planTable(AcdcPlan *pPlan, const AcdcRel *pRel, int bStream){
  AcdcCtx *p = pPlan->p;
  char *zSchema = 0, *zName = 0, *z = 0;
  int iStep = -1;
  acdcPipelineTable(pPlan->pPipe, pPlan->pStep->pOwner, pRel, &zSchema, &zName,
                    &iStep);
  if( p->rc==SQLITE_OK ){
    AcdcPipeStep *pS = pPlan->pStep;
    if( sqlite3_stricmp(zSchema, pS->zSchema)==0
     && sqlite3_stricmp(zName, pS->zName)==0 ){
      acdcError(p, SQLITE_ERROR, "%s%s%s is both read and written, as "
          "\"%s\".\"%s\": ATTACH 'file.db' AS \"%s\" gives the two databases "
          "of the spec two schemas (or set the option flatten)",
          pRel->zSchema ? pRel->zSchema : "", pRel->zSchema ? "." : "",
          pRel->zName, zSchema, zName,
          pRel->zSchema ? pRel->zSchema : "bronze");
    }
    if( !pS->pOwner->bTrusted ){
      char *zQuoted = acdcMprintf(p, "\"%w\"", zName);
      acdcTrustVtabs(p, zQuoted, "the spec");
      sqlite3_free(zQuoted);
    }
    acdcNamesAdd(p, &pPlan->deps, zName, -1);
    z = bStream ? acdcPlanStreamOf(pPlan, zSchema, zName, iStep)
                : acdcMprintf(p, "\"%w\".\"%w\"", zSchema, zName);
  }
  sqlite3_free(zSchema);
  sqlite3_free(zName);
  return z;
}

/*
** The columns of a change feed that are kept: all but its own three.
*/
static char *planFeedColumns(AcdcPlan *pPlan, const char *zFrom){
  static const char *const az[] = {
    "_change_type", "_commit_version", "_commit_timestamp"
  };
  AcdcNames cols = {0, 0};
  char *zClause = acdcMprintf(pPlan->p, "FROM %s", zFrom);
  char *z = 0;
  int i, k, bFeed = 0;
  if( zClause ) planStar(pPlan, 0, "*", zClause, &cols);
  for(i=0; i<cols.n; i++){
    for(k=0; k<3 && sqlite3_stricmp(cols.az[i], az[k]); k++){}
    if( k==3 ){
      acdcAppendf(pPlan->p, &z, "%s\"%w\"", z ? ", " : "", cols.az[i]);
    }
    if( k==0 ) bFeed = 1;
  }
  if( !bFeed ){
    sqlite3_free(z);
    z = 0;
  }
  sqlite3_free(zClause);
  acdcNamesFree(&cols);
  return z;
}

static char *planViewTable(AcdcPlan *pPlan, AcdcView *pView, int bStream){
  AcdcCtx *p = pPlan->p;
  char *zFrom = planTable(pPlan, &pView->table, bStream && pView->bStream);
  char *zCols = 0;
  char *z;
  if( zFrom && pView->bCdf ) zCols = planFeedColumns(pPlan, zFrom);
  if( zCols ){
    /* Deletes and old images are no rows, unless they are asked for. */
    char *zTypes = 0;
    int i;
    for(i=0; i<pView->changeTypes.n; i++){
      acdcAppendf(p, &zTypes, "%s%Q", i ? "," : "", pView->changeTypes.az[i]);
    }
    z = acdcMprintf(p, "(SELECT * FROM %s WHERE _change_type IN (%s))", zFrom,
                    zTypes ? zTypes : "'insert','update_postimage'");
    sqlite3_free(zTypes);
    sqlite3_free(zFrom);
    zFrom = z;
  }
  z = zFrom ? planProject(pPlan, zFrom, zCols ? zCols : "*", &pView->select,
                          &pView->where, pView->bSelectFirst) : 0;
  sqlite3_free(zFrom);
  sqlite3_free(zCols);
  return z;
}

static char *planViewFiles(AcdcPlan *pPlan, AcdcView *pView, int bStream){
  AcdcCtx *p = pPlan->p;
  char *zFrom, *zDefault = 0;
  char *z = 0;
  zFrom = acdcPlanFiles(pPlan, pView, bStream && pView->bStream, &zDefault);
  if( zFrom ){
    z = planProject(pPlan, zFrom, zDefault, &pView->select, &pView->where,
                    pView->bSelectFirst);
  }
  acdcErrorWhere(p, "files \"%s\"", pView->zPath ? pView->zPath : "");
  sqlite3_free(zFrom);
  sqlite3_free(zDefault);
  return z;
}

static char *planViewJoin(AcdcPlan *pPlan, AcdcView *pView, int bStream){
  AcdcCtx *p = pPlan->p;
  char *zFrom = 0;
  char *z;
  int i;
  for(i=0; i<pView->nSide && p->rc==SQLITE_OK; i++){
    char *zSide = planView(pPlan, pView->apSide[i], bStream);
    char *zOn;
    if( i ) acdcPipelineTrust(pPlan->p, pPlan->pStep->pOwner, pView->joinOn.az[i-1]);
    zOn = i ? acdcSparkExpr(p, pView->joinOn.az[i-1]) : 0;
    if( zSide && i==0 ){
      acdcAppendf(p, &zFrom, "%s AS \"%w\"", zSide, pView->alias.az[i]);
    }else if( zSide && zOn ){
      acdcAppendf(p, &zFrom, " %s JOIN %s AS \"%w\" ON %s",
                  pView->joinType.az[i-1], zSide, pView->alias.az[i], zOn);
    }
    sqlite3_free(zSide);
    sqlite3_free(zOn);
  }
  z = zFrom ? planProject(pPlan, zFrom, "*", &pView->select, &pView->where, 0)
            : 0;
  sqlite3_free(zFrom);
  return z;
}

/*
** A name in SQL: of a view, of a step's table, or of a table.  NULL leaves it
** as it is.
*/
typedef struct PlanSql PlanSql;
struct PlanSql {
  AcdcPlan *pPlan;
  int bStream;             /* STREAM(...) means new rows */
};

static char *planRelation(
  void *pArg, AcdcCtx *p, int nPart, char **azPart, int bLive, int bStream
){
  PlanSql *pS = (PlanSql*)pArg;
  AcdcPlan *pPlan = pS->pPlan;
  AcdcView *pView;
  AcdcRel rel;
  bStream = bStream && pS->bStream;
  if( nPart==1 ){
    if( pPlan->zMicro && sqlite3_stricmp(azPart[0], "micro_batch_view")==0 ){
      return acdcStrdup(p, pPlan->zMicro);
    }
    pView = acdcSpecView(pPlan->pStep->pOwner->pSpec, azPart[0]);
    if( pView ) return planView(pPlan, pView, bStream);
  }
  memset(&rel, 0, sizeof(rel));
  rel.zName = azPart[nPart-1];
  if( nPart>1 ) rel.zSchema = azPart[nPart-2];
  if( nPart>2 ) rel.zCatalog = azPart[nPart-3];
  if( nPart==1 && !bLive && !bStream
   && acdcPipelineStepOf(pPlan->pPipe, pPlan->pStep->pOwner, &rel)<0 ){
    return 0;              /* a table of the database, or the query's own */
  }
  return planTable(pPlan, &rel, bStream);
}

static char *planExceptSql(
  void *pArg, AcdcCtx *p, const char *zWith, const char *zStar,
  const char *zFrom, const AcdcNames *pExcept
){
  return planExcept(((PlanSql*)pArg)->pPlan, p, zWith, zStar, zFrom, pExcept);
}

/* The text of an SQL statement or file, tokens replaced.  Not owned. */
const char *acdcPlanText(
  AcdcPlan *pPlan, const char *zSql, const char *zSqlPath
){
  AcdcPipeSpec *pOwner = pPlan->pStep->pOwner;
  AcdcSpecRead r;
  char *zText;
  const char *z;
  if( zSql || zSqlPath==0 ) return zSql;
  zText = acdcSpecFile(pPlan->p, &pOwner->opt, ACDC_FILE_SQL, zSqlPath, 0);
  if( zText==0 ){
    acdcError(pPlan->p, SQLITE_ERROR, "the SQL file \"%s\" is not found%s%s",
        zSqlPath, pOwner->opt.zBasePath ? " under " : "; the option base_path "
        "says where files are",
        pOwner->opt.zBasePath ? pOwner->opt.zBasePath : "");
    return 0;
  }
  memset(&r, 0, sizeof(r));
  r.p = pPlan->p;
  r.pSpec = &pPlan->scratch;
  r.pOpt = &pOwner->opt;
  z = acdcReadTokens(&r, zText);
  sqlite3_free(zText);
  return z;
}

static char *planSql(
  AcdcPlan *pPlan, const char *zSql, const char *zSqlPath, int bStream
){
  const char *zText = acdcPlanText(pPlan, zSql, zSqlPath);
  AcdcSparkHost host;
  PlanSql arg;
  char *z;
  arg.pPlan = pPlan;
  arg.bStream = bStream;
  host.pArg = &arg;
  host.xRelation = planRelation;
  host.xColumns = planExceptSql;
  acdcPipelineTrust(pPlan->p, pPlan->pStep->pOwner, zText);
  z = zText ? acdcSparkQuery(pPlan->p, zText, &host) : 0;
  if( z && z[strspn(z, " ")]==0 ){
    acdcError(pPlan->p, SQLITE_ERROR, "the SQL is empty");
  }
  planForgetAliases(pPlan, z);
  return z;
}

/* More of where and select, from a file of silver transformations. */
static char *planTransformed(AcdcPlan *pPlan, AcdcView *pView, char *zInner){
  AcdcTexts select = {0, 0}, where = {0, 0};
  char *zFrom, *z;
  acdcPlanTransform(pPlan, pView, &select, &where);
  if( pPlan->p->rc || zInner==0 || (select.n==0 && where.n==0) ) return zInner;
  zFrom = acdcMprintf(pPlan->p, "(%s)", zInner);
  z = zFrom ? planProject(pPlan, zFrom, "*", &select, &where, 1) : 0;
  sqlite3_free(zFrom);
  sqlite3_free(zInner);
  return z;
}

static char *planViewSql(AcdcPlan *pPlan, AcdcView *pView, int bStream){
  char *z = planSql(pPlan, pView->zSql, pView->zSqlPath, bStream);
  if( z && (pView->select.n || pView->where.n) ){
    char *zFrom = acdcMprintf(pPlan->p, "(%s)", z);
    sqlite3_free(z);
    z = zFrom ? planProject(pPlan, zFrom, "*", &pView->select, &pView->where,
                            pView->bSelectFirst) : 0;
    sqlite3_free(zFrom);
  }
  if( pView->zTransform ) z = planTransformed(pPlan, pView, z);
  return z;
}

/*
** The quoted name of the clause of a view, made if it is not there.  Owned by
** the caller.
*/
static char *planView(AcdcPlan *pPlan, AcdcView *pView, int bStream){
  AcdcCtx *p = pPlan->p;
  char *zName = acdcMprintf(p, "%s%s", pView->zName, bStream ? " (new)" : "");
  char *zQuoted = zName ? acdcMprintf(p, "\"%w\"", zName) : 0;
  char *zSql = 0;
  if( p->rc || acdcNamesFind(&pPlan->cteNames, zName)>=0 ){
    sqlite3_free(zName);
    return zQuoted;
  }
  if( acdcNamesFind(&pPlan->open, zName)>=0 ){
    acdcError(p, SQLITE_ERROR, "the view \"%s\" reads itself", pView->zName);
  }
  if( pPlan->open.n>=ACDC_PLAN_DEPTH ){
    acdcError(p, SQLITE_ERROR, "views read each other more than %d deep: put a "
              "table between", ACDC_PLAN_DEPTH);
  }
  if( !pView->bEnabled ){
    acdcError(p, SQLITE_ERROR, "the node \"%s\" is read but not enabled",
              pView->zName);
  }
  if( p->rc==SQLITE_OK ){
    acdcNamesAdd(p, &pPlan->open, zName, -1);
    switch( pView->eKind ){
      case ACDC_VIEW_TABLE: zSql = planViewTable(pPlan, pView, bStream); break;
      case ACDC_VIEW_FILES: zSql = planViewFiles(pPlan, pView, bStream); break;
      case ACDC_VIEW_JOIN:  zSql = planViewJoin(pPlan, pView, bStream);  break;
      default:              zSql = planViewSql(pPlan, pView, bStream);   break;
    }
    if( pPlan->open.n ) sqlite3_free(pPlan->open.az[--pPlan->open.n]);
  }
  if( zSql ){
    char *zCte = acdcMprintf(p, "%s AS (%s)", zQuoted, zSql);
    if( zCte ){
      acdcNamesAdd(p, &pPlan->ctes, zCte, -1);
      acdcNamesAdd(p, &pPlan->cteNames, zName, -1);
    }
    sqlite3_free(zCte);
  }
  sqlite3_free(zSql);
  acdcErrorWhere(p, "view \"%s\"", pView->zName);
  sqlite3_free(zName);
  return zQuoted;
}

/* ---- inputs ---- */

/* Names of columns get a prefix, but for those that are exempt. */
static char *planPrefix(
  AcdcPlan *pPlan, const AcdcInput *pIn, const char *zSelect
){
  AcdcCtx *p = pPlan->p;
  AcdcNames cols = {0, 0};
  char *zFrom = acdcMprintf(p, "FROM (%s)", zSelect);
  char *zList = 0, *z = 0;
  int i, k;
  if( zFrom ) planStar(pPlan, 0, "*", zFrom, &cols);
  for(i=0; i<cols.n; i++){
    const char *zCol = cols.az[i];
    int bExempt = sqlite3_stricmp(zCol, "__START_AT")==0
               || sqlite3_stricmp(zCol, "__END_AT")==0;
    for(k=0; k<pIn->prefixExcept.n; k++){
      if( sqlite3_stricmp(zCol, pIn->prefixExcept.az[k])==0 ) bExempt = 1;
    }
    if( bExempt ){
      acdcAppendf(p, &zList, "%s\"%w\"", zList ? ", " : "", zCol);
    }else{
      char *zLower = acdcStrdup(p, pIn->zPrefix);
      char *c;
      for(c=zLower; c && *c; c++){
        if( *c>='A' && *c<='Z' ) *c = (char)(*c - 'A' + 'a');
      }
      acdcAppendf(p, &zList, "%s\"%w\" AS \"%w_%w\"", zList ? ", " : "", zCol,
                  zLower, zCol);
      sqlite3_free(zLower);
    }
  }
  if( zList ) z = acdcMprintf(p, "SELECT %s %s", zList, zFrom);
  sqlite3_free(zList);
  sqlite3_free(zFrom);
  acdcNamesFree(&cols);
  return z;
}

/* The text for a FROM clause that an input stands for. */
static char *planInputFrom(AcdcPlan *pPlan, const AcdcInput *pIn, int bWhole){
  AcdcSpec *pSpec = pPlan->pStep->pOwner->pSpec;
  AcdcView *pView = pIn->pView ? pIn->pView
      : pIn->zView ? acdcSpecView(pSpec, pIn->zView) : 0;
  AcdcSpecRead r;
  AcdcRel rel;
  if( pView ) return planView(pPlan, pView, !bWhole);
  memset(&r, 0, sizeof(r));
  r.p = pPlan->p;
  r.pSpec = &pPlan->scratch;
  r.pOpt = &pPlan->pStep->pOwner->opt;
  rel = acdcReadRel(&r, pIn->zView, 0, 0);
  if( rel.zName==0 ){
    acdcError(pPlan->p, SQLITE_ERROR, "nothing feeds this flow");
    return 0;
  }
  return planTable(pPlan, &rel, !bWhole);
}

void acdcPlanInput(AcdcPlan *pPlan, const AcdcInput *pIn, int bWhole){
  char *zFrom = planInputFrom(pPlan, pIn, bWhole);
  if( zFrom ) pPlan->zSelect = acdcMprintf(pPlan->p, "SELECT * FROM %s", zFrom);
  sqlite3_free(zFrom);
  if( pIn->zPrefix && pPlan->zSelect && !pPlan->bEmpty ){
    char *z = planPrefix(pPlan, pIn, pPlan->zSelect);
    sqlite3_free(pPlan->zSelect);
    pPlan->zSelect = z;
  }
}

void acdcPlanQuery(
  AcdcPlan *pPlan, const char *zSql, const char *zSqlPath, const AcdcInput *pIn
){
  if( pIn ) pPlan->zMicro = planInputFrom(pPlan, pIn, pIn->bOnce);
  if( pPlan->p->rc==SQLITE_OK ){
    pPlan->zSelect = planSql(pPlan, zSql, zSqlPath, 0);
  }
}

void acdcPlanTable(
  AcdcPlan *pPlan, const AcdcRel *pRel, const AcdcTexts *pSelect,
  const AcdcTexts *pWhere, const AcdcTexts *pExcept
){
  char *zFrom = planTable(pPlan, pRel, 0);
  char *z = zFrom ? planProject(pPlan, zFrom, "*", pSelect, pWhere, 0) : 0;
  if( z && pExcept->n ){
    AcdcNames except = {0, 0};
    char *zClause = acdcMprintf(pPlan->p, "FROM (%s)", z);
    char *zList;
    int i;
    for(i=0; i<pExcept->n; i++){
      acdcNamesAdd(pPlan->p, &except, pExcept->az[i], -1);
    }
    zList = zClause ? planExcept(pPlan, pPlan->p, 0, "*", zClause, &except) : 0;
    sqlite3_free(z);
    z = zList ? acdcMprintf(pPlan->p, "SELECT %s %s", zList, zClause) : 0;
    sqlite3_free(zList);
    sqlite3_free(zClause);
    acdcNamesFree(&except);
  }
  pPlan->zSelect = z;
  sqlite3_free(zFrom);
}

char *acdcPlanSql(const AcdcPlan *pPlan){
  char *zWith = acdcPlanWith((AcdcPlan*)pPlan, 0);
  char *z = zWith && pPlan->zSelect
      ? acdcMprintf(pPlan->p, "%s%s", pPlan->ctes.n ? zWith : "",
                    pPlan->zSelect) : 0;
  sqlite3_free(zWith);
  return z;
}

/* "WITH ..., acdc_input AS (planned) text". */
static char *planText(AcdcPlan *pPlan, const char *zFmt, va_list ap){
  char *zMore = pPlan->zSelect
      ? acdcMprintf(pPlan->p, " acdc_input AS (%s)", pPlan->zSelect) : 0;
  char *zWith = zMore ? acdcPlanWith(pPlan, zMore) : 0;
  char *zTail = sqlite3_vmprintf(zFmt, ap);
  char *z = zWith && zTail ? acdcMprintf(pPlan->p, "%s%s", zWith, zTail) : 0;
  sqlite3_free(zMore);
  sqlite3_free(zWith);
  sqlite3_free(zTail);
  return z;
}

sqlite3_stmt *acdcPlanPrepare(AcdcPlan *pPlan, const char *zFmt, ...){
  sqlite3_stmt *pStmt = 0;
  va_list ap;
  char *z;
  int i;
  va_start(ap, zFmt);
  z = planText(pPlan, zFmt, ap);
  va_end(ap);
  if( z ) pStmt = acdcPrepare(pPlan->p, 0, "%s", z);
  for(i=0; i<pPlan->nReader && pStmt; i++){
    acdcReaderBind(pStmt, i+1, pPlan->apReader[i]);
  }
  sqlite3_free(z);
  return pStmt;
}

void acdcPlanColumns(AcdcPlan *pPlan, AcdcNames *pOut, AcdcNames *pTypes){
  sqlite3_stmt *pStmt = acdcPlanPrepare(pPlan, "SELECT * FROM acdc_input");
  int i;
  for(i=0; pStmt && i<sqlite3_column_count(pStmt); i++){
    const char *zName = sqlite3_column_name(pStmt, i);
    const char *zType = sqlite3_column_decltype(pStmt, i);
    int k = zType ? -1 : acdcNamesFind(&pPlan->typeName, zName);
    acdcNamesAdd(pPlan->p, pOut, zName, -1);
    acdcNamesAdd(pPlan->p, pTypes,
        zType ? zType : k>=0 ? pPlan->typeValue.az[k] : "", -1);
  }
  acdcFinalize(pPlan->p, &pStmt);
}

AcdcReader *acdcPlanReader(AcdcPlan *pPlan, const char *zFmt, ...){
  AcdcReader *pR = 0;
  va_list ap;
  char *z;
  int i;
  va_start(ap, zFmt);
  z = planText(pPlan, zFmt, ap);
  va_end(ap);
  if( z ){
    pR = acdcStmtReader(pPlan->p, z, pPlan->apReader, pPlan->nReader);
    pPlan->nReader = 0;
  }
  for(i=0; pR && i<pR->nCol; i++){
    /* Columns of files have types that SQLite does not see. */
    int k = pR->aCol[i].zType[0] ? -1
          : acdcNamesFind(&pPlan->typeName, pR->aCol[i].zName);
    if( k<0 ) continue;
    sqlite3_free(pR->aCol[i].zType);
    pR->aCol[i].zType = acdcStrdup(pPlan->p, pPlan->typeValue.az[k]);
    pR->aCol[i].cAff = acdcAffinity(pPlan->typeValue.az[k]);
  }
  sqlite3_free(z);
  return pR;
}

void acdcPlanTrust(AcdcPlan *pPlan){
  char *z = acdcPlanSql(pPlan);
  int bVtab;
  acdcTrustProgram(pPlan->p, z, 0, "SQL of the spec", &bVtab);
  sqlite3_free(z);
}

static char *planTextf(AcdcPlan *pPlan, const char *zFmt, ...){
  va_list ap;
  char *z;
  va_start(ap, zFmt);
  z = planText(pPlan, zFmt, ap);
  va_end(ap);
  return z;
}

void acdcPlanTrustExprs(AcdcPlan *pPlan, const char *zList){
  char *z = zList ? planTextf(pPlan, "SELECT %s FROM acdc_input", zList) : 0;
  int bVtab;
  acdcTrustProgram(pPlan->p, z, 0, "SQL of the spec", &bVtab);
  sqlite3_free(z);
}

int acdcPlanIsTable(
  AcdcPlan *pPlan, const AcdcInput *pIn, char **pzTable, char **pzWhere,
  int *pbWhole
){
  AcdcCtx *p = pPlan->p;
  const AcdcView *pView = pIn->pView ? pIn->pView : pIn->zView
      ? acdcSpecView(pPlan->pStep->pOwner->pSpec, pIn->zView) : 0;
  char *zSchema = 0, *zName = 0;
  int iStep;
  *pzTable = *pzWhere = 0;
  if( pIn->zPrefix || pIn->bOnce || pView==0 || !pView->bEnabled
   || pView->eKind!=ACDC_VIEW_TABLE || pView->select.n || pView->bCdf
   || !pView->bStream ) return 0;
  acdcPipelineTable(pPlan->pPipe, pPlan->pStep->pOwner, &pView->table,
                    &zSchema, &zName, &iStep);
  if( p->rc==SQLITE_OK
   && sqlite3_stricmp(zSchema, pPlan->pStep->zSchema)==0
   && sqlite3_stricmp(zName, pPlan->pStep->zName)==0 ){
    /* Planning it says what is wrong. */
    sqlite3_free(zSchema);
    sqlite3_free(zName);
    return 0;
  }
  if( p->rc==SQLITE_OK ){
    *pzTable = acdcStepName(p, zSchema, zName, 1);
    *pzWhere = planWhere(pPlan, &pView->where);
    *pbWhole = acdcPlanIsMerged(pPlan, zSchema, zName, iStep);
  }
  sqlite3_free(zSchema);
  sqlite3_free(zName);
  return p->rc==SQLITE_OK;
}

void acdcPlanVersion(
  AcdcPlan *pPlan, const AcdcFileList *pFiles, const AcdcVal *pVersion,
  const char *zVersion
){
  AcdcCtx *p = pPlan->p;
  const AcdcHistorical *pV = &pPlan->pStep->pStep->versions;
  AcdcView view;
  AcdcTexts where = {0, 0};
  const char *zCond[1];
  char *zFrom = 0, *zDefault = 0, *zFilter = 0;
  memset(&view, 0, sizeof(view));
  view.zName = "snapshot";
  view.zFormat = pV->zFormat;
  view.zPath = pV->zPath;
  view.zSchemaPath = pV->zSchemaPath;
  view.optName = pV->optName;
  view.optValue = pV->optValue;
  if( pV->bFiles ){
    zFrom = acdcPlanFileList(pPlan, &view, pFiles, &zDefault);
  }else{
    char *zTable = planTable(pPlan, &pV->table, 0);
    char *zValue = acdcValText(p, pVersion);
    if( zTable && zValue ){
      zFrom = acdcMprintf(p, "(SELECT * FROM %s WHERE \"%w\" IS %s)", zTable,
                          pV->zColumn, zValue);
    }
    sqlite3_free(zTable);
    sqlite3_free(zValue);
    zDefault = acdcStrdup(p, "*");
  }
  if( pV->zFilter && p->rc==SQLITE_OK ){
    /* "{version}" in a filter is the version as the path has it. */
    const char *z = pV->zFilter;
    const char *zAt;
    while( (zAt = strstr(z, "{version}"))!=0 ){
      acdcAppendf(p, &zFilter, "%.*s%s", (int)(zAt-z), z, zVersion);
      z = zAt + 9;
    }
    acdcAppendf(p, &zFilter, "%s", z);
    zCond[0] = zFilter;
    where.n = zFilter!=0;
    where.az = zCond;
  }
  if( zFrom ){
    pPlan->zSelect = planProject(pPlan, zFrom, zDefault, &pV->select, &where,
                                 1);
  }
  sqlite3_free(zFrom);
  sqlite3_free(zDefault);
  sqlite3_free(zFilter);
}
