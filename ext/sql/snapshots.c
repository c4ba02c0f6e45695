/*
** What a snapshot path finds:
**
**   SELECT * FROM autocdc_snapshots('data/parts/LOAD_{version}.csv');
**   SELECT * FROM autocdc_snapshots('data/customer_{version}.csv',
**     '{"versionType": "timestamp", "datetimeFormat": "%Y_%m_%d"}');
**
** The equivalent table is
**
**   CREATE TABLE autocdc_snapshots(
**     version,               -- as __START_AT will have it; NULL: unreadable
**     path TEXT,
**     size INTEGER,
**     mtime TEXT,            -- UTC
**     reason TEXT,           -- why the file is left out; NULL: it is not
**     pattern HIDDEN, options HIDDEN
**   );
**
** with a row for each file: those of the versions in the order in which they
** are applied, then those that are left out.  Options are the members of a
** snapshot source (versionType, datetimeFormat, microSecondMaskLength,
** startingVersion, recursiveFileLookup, in either spelling) and base_path.
**
** DIRECTONLY, because it looks at the file system.
*/
#include "snapshots.h"
#include "../core/json.h"
#include "../source/versions.h"
#include "../source/convert.h"

#define SNAP_VERSION  0
#define SNAP_PATH     1
#define SNAP_SIZE     2
#define SNAP_MTIME    3
#define SNAP_REASON   4
#define SNAP_PATTERN  5
#define SNAP_OPTIONS  6

typedef struct SnapVtab SnapVtab;
struct SnapVtab {
  sqlite3_vtab base;
  sqlite3 *db;               /* Not owned */
};

typedef struct SnapCursor SnapCursor;
struct SnapCursor {
  sqlite3_vtab_cursor base;
  AcdcVersionSpec spec;      /* Owned */
  AcdcVersions found;        /* Owned */
  char *zOptions;            /* Owned */
  int iVersion;              /* found.n: in the files left out */
  int iFile;                 /* Of the version, or of those left out */
  i64 iRow;
};

static int snapConnect(
  sqlite3 *db,
  void *pAux,
  int argc, const char *const*argv,
  sqlite3_vtab **ppVtab,
  char **pzErr
){
  SnapVtab *pNew;
  int rc = sqlite3_declare_vtab(db,
      "CREATE TABLE x(version, path TEXT, size INTEGER, mtime TEXT,"
      " reason TEXT, pattern HIDDEN, options HIDDEN)");
  ACDC_UNUSED(pAux);
  ACDC_UNUSED(argc);
  ACDC_UNUSED(argv);
  ACDC_UNUSED(pzErr);
  *ppVtab = 0;
  if( rc ) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  pNew = sqlite3_malloc64(sizeof(*pNew));
  if( pNew==0 ) return SQLITE_NOMEM;
  memset(pNew, 0, sizeof(*pNew));
  pNew->db = db;
  *ppVtab = &pNew->base;
  return SQLITE_OK;
}

static int snapDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int snapOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  SnapCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

static void snapReset(SnapCursor *pCur){
  acdcVersionSpecClear(&pCur->spec);
  acdcVersionsClear(&pCur->found);
  sqlite3_free(pCur->zOptions);
  pCur->zOptions = 0;
  pCur->iVersion = pCur->iFile = 0;
  pCur->iRow = 1;
}

static int snapClose(sqlite3_vtab_cursor *pCursor){
  snapReset((SnapCursor*)pCursor);
  sqlite3_free(pCursor);
  return SQLITE_OK;
}

static int snapNext(sqlite3_vtab_cursor *pCursor){
  SnapCursor *pCur = (SnapCursor*)pCursor;
  pCur->iFile++;
  pCur->iRow++;
  if( pCur->iVersion<pCur->found.n
   && pCur->iFile>=pCur->found.a[pCur->iVersion].files.n
  ){
    pCur->iVersion++;
    pCur->iFile = 0;
  }
  return SQLITE_OK;
}

static int snapEof(sqlite3_vtab_cursor *pCursor){
  SnapCursor *pCur = (SnapCursor*)pCursor;
  return pCur->iVersion>=pCur->found.n && pCur->iFile>=pCur->found.nSkip;
}

static int snapRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  *piRowid = ((SnapCursor*)pCursor)->iRow;
  return SQLITE_OK;
}

static int snapColumn(
  sqlite3_vtab_cursor *pCursor,
  sqlite3_context *pCtx,
  int iCol
){
  SnapCursor *pCur = (SnapCursor*)pCursor;
  const AcdcVersion *pV = 0;
  const AcdcVersionSkip *pS = 0;
  const AcdcFile *pF;
  const char *zShown;
  char zTime[ACDC_TIME_TEXT];
  if( pCur->iVersion<pCur->found.n ){
    pV = &pCur->found.a[pCur->iVersion];
    pF = &pV->files.a[pCur->iFile];
    zShown = pV->zShown;
  }else{
    pS = &pCur->found.aSkip[pCur->iFile];
    pF = &pS->file;
    zShown = pS->zShown;
  }
  switch( iCol ){
    case SNAP_VERSION:
      if( pV && pCur->spec.eType==ACDC_VERSION_INTEGER ){
        sqlite3_result_int64(pCtx, pV->iKey);
      }else if( zShown && pCur->spec.eType==ACDC_VERSION_INTEGER ){
        AcdcVal v;
        acdcConvText(ACDC_CONV_INTEGER, (const u8*)zShown, (int)strlen(zShown),
            &v);
        acdcValResult(pCtx, &v);
      }else{
        sqlite3_result_text(pCtx, zShown, -1, SQLITE_TRANSIENT);
      }
      break;
    case SNAP_PATH:
      sqlite3_result_text(pCtx, pF->zPath, -1, SQLITE_TRANSIENT);
      break;
    case SNAP_SIZE:
      sqlite3_result_int64(pCtx, pF->nSize);
      break;
    case SNAP_MTIME:
      acdcTimeText(pF->iMtime/1000, 1, zTime);
      sqlite3_result_text(pCtx, zTime, -1, SQLITE_TRANSIENT);
      break;
    case SNAP_REASON:
      if( pS ) sqlite3_result_text(pCtx, pS->zWhy, -1, SQLITE_TRANSIENT);
      break;
    case SNAP_PATTERN:
      sqlite3_result_text(pCtx, pCur->spec.zPath, -1, SQLITE_TRANSIENT);
      break;
    default:
      sqlite3_result_text(pCtx, pCur->zOptions, -1, SQLITE_TRANSIENT);
      break;
  }
  return SQLITE_OK;
}

/* An unknown option: suggest the nearest. */
static void snapUnknown(AcdcCtx *p, AcdcJson *pDoc, AcdcJsonNode *pM){
  static const char *const azOption[] = {
    "versionType", "datetimeFormat", "microSecondMaskLength",
    "startingVersion", "recursiveFileLookup", "base_path"
  };
  const char *zNear = acdcNearest(pM->zKey, azOption, 6);
  acdcJsonError(p, pDoc, pM, "unknown option \"%s\"%s%s%s", pM->zKey,
      zNear ? ": did you mean \"" : "", zNear ? zNear : "",
      zNear ? "\"?" : "");
}

/* Read the options; *pzBase is owned by the caller. */
static void snapOptions(
  AcdcCtx *p,
  const char *zOptions,
  AcdcVersionSpec *pSpec,
  char **pzBase
){
  AcdcJsonPos pos;
  AcdcJson *pDoc = acdcJsonParse(p, zOptions, -1, &pos);
  AcdcJsonNode *pM;
  if( pDoc==0 ){
    acdcErrorWhere(p, "options, column %d", pos.iCol);
    return;
  }
  pM = acdcJsonRoot(pDoc);
  if( pM->eType!=ACDC_JSON_OBJECT ){
    acdcJsonError(p, pDoc, pM, "options are a JSON object such as"
        " {\"versionType\": \"integer\"}");
  }
  for(pM=pM->pFirst; pM && p->rc==0; pM=pM->pNext){
    char *zValue = 0;
    if( pM->eType==ACDC_JSON_NULL ) continue;
    if( pM->eType==ACDC_JSON_STRING ){
      zValue = acdcStrdup(p, pM->zText);
    }else if( pM->eType<ACDC_JSON_ARRAY ){
      int n;
      const char *z = acdcJsonRaw(pDoc, pM, &n);
      zValue = acdcStrndup(p, z, n);
    }else{
      acdcJsonError(p, pDoc, pM, "option \"%s\" takes text", pM->zKey);
    }
    if( zValue && strcmp(pM->zKey, "base_path")==0 ){
      sqlite3_free(*pzBase);
      *pzBase = zValue;
      zValue = 0;
    }else if( zValue && (strcmp(pM->zKey, "path")==0
           || !acdcVersionSpecSet(p, pSpec, pM->zKey, zValue)) ){
      snapUnknown(p, pDoc, pM);
    }
    sqlite3_free(zValue);
  }
  acdcJsonFree(pDoc);
}

static int snapFilter(
  sqlite3_vtab_cursor *pCursor,
  int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  SnapCursor *pCur = (SnapCursor*)pCursor;
  SnapVtab *pVtab = (SnapVtab*)pCursor->pVtab;
  char *zBase = 0;
  AcdcCtx ctx;
  int rc;
  int i = 0;
  ACDC_UNUSED(idxStr);
  ACDC_UNUSED(argc);
  snapReset(pCur);
  acdcCtxInit(&ctx, pVtab->db);
  if( idxNum & 1 ){
    pCur->spec.zPath = acdcStrdup(&ctx,
        (const char*)sqlite3_value_text(argv[i++]));
  }
  if( idxNum & 2 ){
    pCur->zOptions = acdcStrdup(&ctx,
        (const char*)sqlite3_value_text(argv[i++]));
  }
  if( pCur->spec.zPath==0 ){
    acdcError(&ctx, SQLITE_ERROR, "the path is missing:"
        " autocdc_snapshots('data/customer_{version}.csv')");
  }
  if( pCur->zOptions ) snapOptions(&ctx, pCur->zOptions, &pCur->spec, &zBase);
  acdcVersionSpecCheck(&ctx, &pCur->spec);
  acdcVersionsList(&ctx, &pCur->spec, zBase, &pCur->found);
  sqlite3_free(zBase);
  rc = ctx.rc;
  if( rc ){
    sqlite3_free(pVtab->base.zErrMsg);
    pVtab->base.zErrMsg = sqlite3_mprintf("autocdc_snapshots(): %s",
        acdcErrorText(&ctx));
  }
  acdcCtxClear(&ctx);
  return rc;
}

/* idxNum: 1 pattern given, 2 options given; as in readers.c. */
static int snapBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  int aArg[2] = { -1, -1 };
  int nArg = 0;
  ACDC_UNUSED(pVtab);
  for(i=0; i<pInfo->nConstraint; i++){
    int iCol = pInfo->aConstraint[i].iColumn;
    if( iCol<SNAP_PATTERN ) continue;
    if( pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ ) continue;
    if( pInfo->aConstraint[i].usable==0 ) return SQLITE_CONSTRAINT;
    aArg[iCol-SNAP_PATTERN] = i;
  }
  pInfo->idxNum = 0;
  for(i=0; i<2; i++){
    if( aArg[i]<0 ) continue;
    pInfo->aConstraintUsage[aArg[i]].argvIndex = ++nArg;
    pInfo->aConstraintUsage[aArg[i]].omit = 1;
    pInfo->idxNum |= 1<<i;
  }
  pInfo->estimatedCost = aArg[0]>=0 ? 1e3 : 1e99;
  pInfo->estimatedRows = 100;
  return SQLITE_OK;
}

/* No xCreate: eponymous only. */
static const sqlite3_module snapModule = {
  0,                         /* iVersion */
  0,                         /* xCreate */
  snapConnect,               /* xConnect */
  snapBestIndex,             /* xBestIndex */
  snapDisconnect,            /* xDisconnect */
  0,                         /* xDestroy */
  snapOpen,                  /* xOpen */
  snapClose,                 /* xClose */
  snapFilter,                /* xFilter */
  snapNext,                  /* xNext */
  snapEof,                   /* xEof */
  snapColumn,                /* xColumn */
  snapRowid,                 /* xRowid */
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

int acdcSnapshotsRegister(sqlite3 *db){
  return sqlite3_create_module(db, "autocdc_snapshots", &snapModule, 0);
}
