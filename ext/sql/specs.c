/*
** autocdc_specs and autocdc_flows while their tables are not there yet.
**
** Both are ordinary tables of main, made by the first load.  Until then these
** eponymous virtual tables stand in for them: they are empty, and an INSERT
** into autocdc_specs loads the spec, which makes the tables; from then on the
** tables hide them.
*/
#include "specsql.h"
#include "../spec/catalog.h"

typedef struct SpecsVtab SpecsVtab;
struct SpecsVtab {
  sqlite3_vtab base;
  sqlite3 *db;             /* Not owned */
};

static const char zSpecs[] =
  "CREATE TABLE x(name, format, spec, options, enabled, loaded_at)";
static const char zFlows[] =
  "CREATE TABLE x(spec, flow, target, kind, scd_type, keys, sequence_by, "
  "source, enabled, once, data_flow_id, data_flow_group, layer)";

#define SPECS_NAME     2   /* arguments of xUpdate */
#define SPECS_FORMAT   3
#define SPECS_SPEC     4
#define SPECS_OPTIONS  5
#define SPECS_ENABLED  6

static int specsConnect(
  sqlite3 *db, void *pAux, int argc, const char *const*argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  SpecsVtab *pNew;
  int rc = sqlite3_declare_vtab(db, (const char*)pAux);
  ACDC_UNUSED(argc); ACDC_UNUSED(argv); ACDC_UNUSED(pzErr);
  if( rc ) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int specsDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int specsOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ACDC_UNUSED(pVtab);
  *ppCursor = sqlite3_malloc64(sizeof(sqlite3_vtab_cursor));
  if( *ppCursor==0 ) return SQLITE_NOMEM;
  memset(*ppCursor, 0, sizeof(sqlite3_vtab_cursor));
  return SQLITE_OK;
}

static int specsClose(sqlite3_vtab_cursor *pCursor){
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int specsFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ACDC_UNUSED(pCursor); ACDC_UNUSED(idxNum); ACDC_UNUSED(idxStr);
  ACDC_UNUSED(argc); ACDC_UNUSED(argv);
  return SQLITE_OK;
}

static int specsNext(sqlite3_vtab_cursor *pCursor){
  ACDC_UNUSED(pCursor);
  return SQLITE_OK;
}

static int specsEof(sqlite3_vtab_cursor *pCursor){
  ACDC_UNUSED(pCursor);
  return 1;
}

static int specsColumn(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol
){
  ACDC_UNUSED(pCursor); ACDC_UNUSED(iCol);
  sqlite3_result_null(ctx);
  return SQLITE_OK;
}

static int specsRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *pRowid){
  ACDC_UNUSED(pCursor);
  *pRowid = 0;
  return SQLITE_OK;
}

static int specsBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  ACDC_UNUSED(pVtab);
  pInfo->estimatedCost = 1;
  pInfo->estimatedRows = 1;
  return SQLITE_OK;
}

/* A row's format and name as options, in front of those it has. */
static char *specsOptions(AcdcCtx *p, sqlite3_value **argv){
  const char *zOptions = (const char*)sqlite3_value_text(argv[SPECS_OPTIONS]);
  const char *az[2];
  const char *zTail = zOptions;
  char *z = 0;
  int i;
  az[0] = (const char*)sqlite3_value_text(argv[SPECS_NAME]);
  az[1] = (const char*)sqlite3_value_text(argv[SPECS_FORMAT]);
  if( az[0]==0 && az[1]==0 ) return acdcStrdup(p, zOptions);
  if( zTail ){
    zTail += strspn(zTail, " \t\r\n");
    if( *zTail=='{' ) zTail++;
    zTail += strspn(zTail, " \t\r\n");
  }
  acdcAppendf(p, &z, "{");
  for(i=0; i<2; i++){
    if( az[i]==0 ) continue;
    acdcAppendf(p, &z, "%s\"%s\": ", z && z[1] ? ", " : "",
                i ? "format" : "name");
    acdcJsonQuote(p, &z, az[i], -1);
  }
  acdcAppendf(p, &z, "%s%s", zTail && *zTail && *zTail!='}' ? ", " : "",
              zTail && *zTail ? zTail : "}");
  return z;
}

/*
** INSERT.  All that can be wrong with the row is found before the first write,
** since a failing INSERT of one row would leave behind what it had written.
*/
static int specsUpdate(
  sqlite3_vtab *pVtab, int argc, sqlite3_value **argv, sqlite3_int64 *pRowid
){
  SpecsVtab *p = (SpecsVtab*)pVtab;
  AcdcCtx ctx;
  char *zOptions;
  const char *zText;
  int rc;
  acdcCtxInit(&ctx, p->db);
  if( argc<=SPECS_OPTIONS || sqlite3_value_type(argv[0])!=SQLITE_NULL ){
    acdcError(&ctx, SQLITE_ERROR, "no spec is loaded that could be changed");
  }else if( (zText = (const char*)sqlite3_value_text(argv[SPECS_SPEC]))==0 ){
    acdcError(&ctx, SQLITE_ERROR, "the column spec is NULL: it is the text of "
              "the spec");
  }else{
    zOptions = specsOptions(&ctx, argv);
    acdcCatalogLoad(&ctx, zText, sqlite3_value_bytes(argv[SPECS_SPEC]),
                    zOptions, 0, 0);
    if( ctx.rc==SQLITE_OK && sqlite3_value_type(argv[SPECS_ENABLED])!=SQLITE_NULL
     && sqlite3_value_int(argv[SPECS_ENABLED])==0 ){
      acdcExec(&ctx, "UPDATE main.autocdc_specs SET enabled=0");
    }
    *pRowid = 1;
    sqlite3_free(zOptions);
  }
  rc = ctx.rc;
  if( rc && rc!=SQLITE_NOMEM ){
    sqlite3_free(pVtab->zErrMsg);
    pVtab->zErrMsg = sqlite3_mprintf("%s", acdcErrorText(&ctx));
  }
  acdcCtxClear(&ctx);
  return rc;
}

#define SPECS_MODULE(xUpdate) { \
  0, 0, specsConnect, specsBestIndex, specsDisconnect, specsDisconnect, \
  specsOpen, specsClose, specsFilter, specsNext, specsEof, specsColumn, \
  specsRowid, xUpdate, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
}

static const sqlite3_module specsModule = SPECS_MODULE(specsUpdate);
static const sqlite3_module flowsModule = SPECS_MODULE(0);

int acdcSpecsRegister(sqlite3 *db){
  int rc = sqlite3_create_module_v2(db, "autocdc_specs", &specsModule,
                                    (void*)zSpecs, 0);
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_module_v2(db, "autocdc_flows", &flowsModule,
                                  (void*)zFlows, 0);
  }
  return rc;
}
