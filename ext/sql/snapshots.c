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
#include "tabfunc.h"
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

typedef struct SnapRow SnapRow;
struct SnapRow {
  const AcdcVersion *pV;     /* NULL: the file is left out ... */
  const AcdcVersionSkip *pS; /* ... for this */
  const AcdcFile *pF;
};

/* What a call has found: a row for each file of its versions, in their order,
** then for each file that is left out. */
typedef struct Snap Snap;
struct Snap {
  AcdcVersionSpec spec;      /* Owned */
  AcdcVersions found;        /* Owned */
  SnapRow *a;                /* Owned */
};

static void snapClear(void *pData){
  Snap *pSnap = pData;
  acdcVersionSpecClear(&pSnap->spec);
  acdcVersionsClear(&pSnap->found);
  sqlite3_free(pSnap->a);
}

static void snapColumn(
  sqlite3_context *pCtx, const void *pData, int iRow, int iCol
){
  const Snap *pSnap = pData;
  const AcdcVersion *pV = pSnap->a[iRow].pV;
  const AcdcVersionSkip *pS = pSnap->a[iRow].pS;
  const AcdcFile *pF = pSnap->a[iRow].pF;
  const char *zShown = pV ? pV->zShown : pS->zShown;
  char zTime[ACDC_TIME_TEXT];
  switch( iCol ){
    case SNAP_VERSION:
      if( pV && pSnap->spec.eType==ACDC_VERSION_INTEGER ){
        sqlite3_result_int64(pCtx, pV->iKey);
      }else if( zShown && pSnap->spec.eType==ACDC_VERSION_INTEGER ){
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
    default:
      break;
  }
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

/* Number the rows; returns how many there are. */
static int snapRows(AcdcCtx *p, Snap *pSnap){
  const AcdcVersions *pFound = &pSnap->found;
  int i, j, n = pFound->nSkip;
  for(i=0; i<pFound->n; i++) n += pFound->a[i].files.n;
  pSnap->a = acdcMalloc(p, sizeof(SnapRow)*(i64)(n+1));
  if( pSnap->a==0 ) return 0;
  n = 0;
  for(i=0; i<pFound->n; i++){
    for(j=0; j<pFound->a[i].files.n; j++){
      pSnap->a[n].pV = &pFound->a[i];
      pSnap->a[n++].pF = &pFound->a[i].files.a[j];
    }
  }
  for(i=0; i<pFound->nSkip; i++){
    pSnap->a[n].pS = &pFound->aSkip[i];
    pSnap->a[n++].pF = &pFound->aSkip[i].file;
  }
  return n;
}

static int snapRun(
  AcdcCtx *p, const AcdcTabFunc *pF, sqlite3_value **apArg, void *pData
){
  Snap *pSnap = pData;
  const char *zOptions = 0;
  char *zBase = 0;
  ACDC_UNUSED(pF);
  if( apArg[0] ){
    pSnap->spec.zPath = acdcStrdup(p, (const char*)sqlite3_value_text(apArg[0]));
  }
  if( apArg[1] ) zOptions = (const char*)sqlite3_value_text(apArg[1]);
  if( pSnap->spec.zPath==0 ){
    acdcError(p, SQLITE_ERROR, "the path is missing:"
        " autocdc_snapshots('data/customer_{version}.csv')");
  }
  if( zOptions && p->rc==0 ) snapOptions(p, zOptions, &pSnap->spec, &zBase);
  acdcVersionSpecCheck(p, &pSnap->spec);
  acdcVersionsList(p, &pSnap->spec, zBase, &pSnap->found);
  sqlite3_free(zBase);
  return snapRows(p, pSnap);
}

int acdcSnapshotsRegister(sqlite3 *db){
  static const AcdcTabFunc func = {
    "autocdc_snapshots",
    "CREATE TABLE x(version, path TEXT, size INTEGER, mtime TEXT, reason TEXT, "
    "pattern HIDDEN, options HIDDEN)",
    {{ SNAP_PATTERN, 0 }, { SNAP_OPTIONS, 0 }}, 2, 1,
    sizeof(Snap), snapRun, snapColumn, snapClear, 0
  };
  return acdcTabFuncRegister(db, &func);
}
