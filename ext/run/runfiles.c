/*
** Flows whose source is files: change rows from files that were not read yet,
** snapshots from all files of a path, and versions of snapshots whose version
** stands in the path.
*/
#include "run.h"
#include "marks.h"
#include "../source/versions.h"

typedef struct FilesRun FilesRun;
struct FilesRun {
  AcdcCtx *p;
  AcdcFlow *pFlow;
  const char *zBase;     /* Folder that files are read under, or NULL */
  AcdcRunFlowOpts opts;
  AcdcRunResult *pR;
  char *zSchema;         /* Of the target.  Owned */
  AcdcMarks marks;
  char *zNote;           /* To be told with the row.  Owned */
  u8 bRun;               /* The merge names the flow in errors */
};

/* Find the target's marks: again after a run, which may have made both. */
static void filesMarks(FilesRun *pF){
  AcdcCtx *p = pF->p;
  const char *zTarget = pF->pFlow->zTarget;
  AcdcTable tab;
  AcdcState st;
  pF->marks.p = p;
  pF->marks.iTarget = 0;
  pF->marks.zFlow = pF->pFlow->zName;
  sqlite3_free(pF->zSchema);
  pF->zSchema = 0;
  if( acdcTableFind(p, "main", zTarget, &tab)
   || acdcTableFind(p, 0, zTarget, &tab)
  ){
    pF->zSchema = acdcStrdup(p, tab.zSchema);
    acdcStateLoad(p, tab.zSchema, tab.zName, &st);
    pF->marks.iTarget = st.iId;
    acdcStateClear(&st);
    acdcTableClear(&tab);
  }else{
    char *zName = 0;
    acdcSplitName(p, zTarget, &pF->zSchema, &zName);
    if( pF->zSchema==0 ) pF->zSchema = acdcStrdup(p, "main");
    sqlite3_free(zName);
  }
  pF->marks.zSchema = pF->zSchema;
}

/* A row of the result where no merge took place. */
static void filesReport(FilesRun *pF, const char *zStatus, char *zMessage){
  static const char *const azScd[] = {"", "1", "2", "bitemporal"};
  AcdcRunRow *pRow = acdcRunResultAdd(pF->p, pF->pR);
  if( pRow==0 ){
    sqlite3_free(zMessage);
    return;
  }
  pRow->zFlow = acdcStrdup(pF->p, pF->pFlow->zName);
  pRow->zTarget = acdcStrdup(pF->p, pF->pFlow->zTarget);
  pRow->zSource = acdcStrdup(pF->p, pF->pFlow->files.zPath);
  pRow->zStatus = zStatus;
  pRow->zScd = azScd[pF->pFlow->eScd];
  pRow->zMessage = zMessage;
  acdcRunLog(pF->p, pF->zSchema, pRow);
}

static void filesNote(FilesRun *pF, const char *zFmt, ...){
  va_list ap;
  char *z;
  va_start(ap, zFmt);
  z = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  if( z ) acdcAppendf(pF->p, &pF->zNote, "%s%s", pF->zNote ? "; " : "", z);
  sqlite3_free(z);
}

/* Run the merge over the files of a list.  Returns 0 if nothing was applied:
** the files do not count as read. */
static int filesMerge(FilesRun *pF, const AcdcFileList *pList){
  AcdcCtx *p = pF->p;
  AcdcFiles *pFiles = &pF->pFlow->files;
  AcdcReader *pReader;
  char *zColumns = 0;
  int nRow = pF->pR->n, bDone;
  if( pFiles->zSchema ){
    pReader = acdcFilesOpen(p, pFiles, pList);
  }else{
    pReader = acdcMarkOpen(&pF->marks, "columns:", pFiles, pList, &zColumns);
    /* The columns found are those of this list */
    sqlite3_free(pFiles->zSchema);
    pFiles->zSchema = 0;
  }
  if( pReader==0 ){
    if( p->rc==0 ){
      filesReport(pF, "ok", acdcMprintf(p, "no files to read yet"));
    }
    return 0;
  }
  pF->opts.zNote = pF->zNote;
  pF->bRun = 1;
  acdcRunFlow(p, pF->pFlow, pReader, &pF->opts, pF->pR);
  bDone = p->rc==0 && pF->pR->n>nRow
       && strcmp(pF->pR->a[pF->pR->n-1].zStatus, "skipped")!=0;
  filesMarks(pF);
  if( bDone && zColumns && pF->marks.iTarget ){
    acdcMarkPut(&pF->marks, "columns:", 0, 0, 0, 0, zColumns);
  }
  sqlite3_free(zColumns);
  sqlite3_free(pF->zNote);
  pF->zNote = 0;
  return bDone;
}

/* Change rows: what was not read yet. */
static void filesChanges(FilesRun *pF){
  AcdcCtx *p = pF->p;
  AcdcFileList list;
  char *zChanged = 0;
  int i, nAll;
  memset(&list, 0, sizeof(list));
  acdcFilesList(p, &pF->pFlow->files, pF->zBase, &list);
  nAll = list.n;
  if( p->rc==0 && !pF->opts.bReadAll && !pF->pFlow->bReadAll ){
    acdcMarkUnread(&pF->marks, &list, &zChanged);
    pF->opts.bUnread = list.n<nAll;
  }
  if( zChanged ){
    filesNote(pF, "\"%s\" has changed since it was read, and is read again",
              zChanged);
  }
  sqlite3_free(zChanged);
  if( nAll && list.n==0 ){
    filesNote(pF, "no new files: %s been read before",
              nAll==1 ? "it has" : "all have");
  }
  if( p->rc==0 && filesMerge(pF, &list) && pF->marks.iTarget ){
    for(i=0; i<list.n; i++){
      acdcMarkFile(&pF->marks, list.a[i].zPath, list.a[i].nSize,
                   list.a[i].iMtime);
    }
  }
  acdcFileListClear(&list);
}

/* One snapshot: all files of the path, each time. */
static void filesSnapshot(FilesRun *pF){
  AcdcFileList list;
  memset(&list, 0, sizeof(list));
  acdcFilesList(pF->p, &pF->pFlow->files, pF->zBase, &list);
  if( pF->p->rc==0 && list.n==0 ){
    /* No file is no snapshot: an empty one is a file without rows */
    filesReport(pF, "skipped", acdcMprintf(pF->p, "there are no files in "
        "\"%s\": nothing was applied", pF->pFlow->files.zPath));
  }else if( pF->p->rc==0 ){
    filesMerge(pF, &list);
  }
  acdcFileListClear(&list);
}

/* ---- versions ---- */

/* Size of all files of a version, and the time of the latest. */
static void versionFacts(const AcdcFileList *pL, i64 *pnSize, i64 *piTime){
  int i;
  *pnSize = *piTime = 0;
  for(i=0; i<pL->n; i++){
    *pnSize += pL->a[i].nSize;
    if( pL->a[i].iMtime>*piTime ) *piTime = pL->a[i].iMtime;
  }
}

/* "{version}" in a condition is the version as the path has it. */
static char *versionFilter(AcdcCtx *p, const char *z, const char *zVersion){
  const char *zAt;
  char *zOut = 0;
  if( z==0 ) return 0;
  while( (zAt = strstr(z, "{version}"))!=0 ){
    acdcAppendf(p, &zOut, "%.*s%s", (int)(zAt-z), z, zVersion);
    z = zAt + 9;
  }
  acdcAppendf(p, &zOut, "%s", z);
  return zOut;
}

/* Was the version applied before?  A file of it that has changed since is
** reported: a version is applied once. */
static int versionIsDone(FilesRun *pF, const AcdcVersion *pV, const char *zMark){
  sqlite3_stmt *pStmt = acdcMarkRow(&pF->marks, zMark);
  i64 nSize, iTime;
  int bChanged;
  if( pStmt==0 ) return 0;
  versionFacts(&pV->files, &nSize, &iTime);
  bChanged = sqlite3_column_int64(pStmt, 2)!=nSize
          || sqlite3_column_int64(pStmt, 3)!=iTime;
  acdcFinalize(pF->p, &pStmt);
  if( bChanged ){
    filesReport(pF, "skipped", acdcMprintf(pF->p, "version %s was applied, and "
        "its files have changed since: a version is applied once; give the "
        "rows a greater version, or SELECT autocdc_reset('%q') to start anew",
        pV->zShown, pF->pFlow->zTarget));
  }
  return 1;
}

/* Apply one version.  Returns 0 if those behind it must wait. */
static int versionRun(
  FilesRun *pF, const AcdcVersionSpec *pSpec, const AcdcVersion *pV,
  const char *zWhere, const char *zMark
){
  AcdcCtx *p = pF->p;
  AcdcVal v;
  char *zText = acdcVersionFormat(p, pSpec, pV->iKey);
  int bGoOn = 0;
  i64 nSize, iTime;
  acdcVersionValue(pSpec, pV, &v);
  acdcFlowSetVersion(p, pF->pFlow, &v);
  sqlite3_free(pF->pFlow->zWhere);
  pF->pFlow->zWhere = zText ? versionFilter(p, zWhere, zText) : 0;
  if( p->rc==0 ){
    filesMerge(pF, &pV->files);
    bGoOn = p->rc==0 && !pF->pR->a[pF->pR->n-1].bStop;
  }
  if( bGoOn && pF->marks.iTarget ){
    versionFacts(&pV->files, &nSize, &iTime);
    acdcMarkPut(&pF->marks, zMark, 0, 0, nSize, iTime, 0);
  }
  acdcErrorWhere(p, "version %s", pV->zShown);
  sqlite3_free(zText);
  return bGoOn;
}

static void versionsRun(
  FilesRun *pF, const AcdcVersionSpec *pSpec, const AcdcVersions *pList,
  const char *zWhere
){
  AcdcCtx *p = pF->p;
  int i, bGoOn = 1, nRow = pF->pR->n;
  for(i=0; i<pList->nSkip; i++){
    const AcdcVersionSkip *pS = &pList->aSkip[i];
    if( !pS->bUnread ) continue;
    filesNote(pF, "left out %s: %s (autocdc_snapshots() shows all that is)",
              pS->file.zPath, pS->zWhy);
    break;
  }
  for(i=0; i<pList->n && bGoOn && p->rc==0; i++){
    char *zMark = acdcMprintf(p, "version:%s", pList->a[i].zShown);
    if( zMark && !versionIsDone(pF, &pList->a[i], zMark) ){
      bGoOn = versionRun(pF, pSpec, &pList->a[i], zWhere, zMark);
    }
    sqlite3_free(zMark);
  }
  if( p->rc==0 && pF->pR->n==nRow ){
    if( pList->n ){
      filesNote(pF, "no new version: %d applied before", pList->n);
    }else{
      filesNote(pF, "no file has a version that \"%s\" finds",
                pF->pFlow->files.zPath);
    }
    filesReport(pF, "ok", pF->zNote);
    pF->zNote = 0;
  }
}

/* Snapshots by the versions in their paths. */
static void filesVersions(FilesRun *pF){
  AcdcCtx *p = pF->p;
  AcdcFlow *pFlow = pF->pFlow;
  AcdcVersionSpec spec;
  AcdcVersions list;
  const char *zFilter = 0;
  char *zWhere = 0;
  int i;
  memset(&spec, 0, sizeof(spec));
  memset(&list, 0, sizeof(list));
  if( pFlow->bVersionGiven ){
    acdcError(p, SQLITE_ERROR, "\"version\" is given, and the path has a version "
        "in it: leave one of them out");
  }
  acdcVersionSpecSet(p, &spec, "path", pFlow->files.zPath);
  for(i=0; i<pFlow->files.memName.n; i++){
    const char *zName = pFlow->files.memName.az[i];
    if( strcmp(zName, "filter")==0 ) zFilter = pFlow->files.memValue.az[i];
    acdcVersionSpecSet(p, &spec, zName, pFlow->files.memValue.az[i]);
  }
  acdcVersionSpecCheck(p, &spec);
  if( p->rc==0 ) acdcVersionsList(p, &spec, pF->zBase, &list);
  if( zFilter && pFlow->zWhere ){
    zWhere = acdcMprintf(p, "(%s\n) AND (%s\n)", zFilter, pFlow->zWhere);
  }else{
    zWhere = acdcStrdup(p, zFilter ? zFilter : pFlow->zWhere);
  }
  if( p->rc==0 ) versionsRun(pF, &spec, &list, zWhere);
  sqlite3_free(zWhere);
  acdcVersionsClear(&list);
  acdcVersionSpecClear(&spec);
}

/* ---- the source ---- */

/* Members that only a path with a version has; the schema's file. */
static void filesMembers(FilesRun *pF, int bVersions){
  AcdcCtx *p = pF->p;
  AcdcFiles *pFiles = &pF->pFlow->files;
  int i;
  for(i=0; i<pFiles->memName.n && p->rc==0; i++){
    const char *zName = pFiles->memName.az[i];
    char *zPath;
    if( strcmp(zName, "schema_path") && strcmp(zName, "schemaPath") ){
      if( !bVersions && sqlite3_strnicmp(zName, "recursive", 9)==0 ){
        acdcFlowAddOption(p, pF->pFlow, "recursiveFileLookup",
                          pFiles->memValue.az[i]);
      }else if( !bVersions ){
        acdcError(p, SQLITE_ERROR, "source: \"%s\" is for snapshots whose path "
            "has a version in it, such as \"in/t_{version}.csv\"%s", zName,
            strcmp(zName, "filter")==0 ? "; \"where\" of the flow is a filter"
            : "; reader_options say how files are read");
      }
      continue;
    }
    if( pFiles->zSchema ){
      acdcError(p, SQLITE_ERROR, "source: both \"schema\" and \"%s\" are given",
                zName);
    }
    acdcFsAllowed(p);
    zPath = acdcFsPath(p, pF->zBase, pFiles->memValue.az[i]);
    if( zPath ) pFiles->zSchema = acdcFsReadAll(p, zPath, 1<<20);
    sqlite3_free(zPath);
  }
}

void acdcRunFiles(
  AcdcCtx *p, AcdcFlow *pFlow, const char *zBase, const AcdcRunFlowOpts *pOpts,
  AcdcRunResult *pR
){
  FilesRun run;
  AcdcNames warn = {0, 0};
  int bVersions = acdcVersionPath(pFlow->files.zPath);
  int i;
  memset(&run, 0, sizeof(run));
  run.p = p;
  run.pFlow = pFlow;
  run.zBase = zBase;
  run.opts = *pOpts;
  run.pR = pR;
  acdcFsAllowed(p);
  filesMembers(&run, bVersions && pFlow->bSnapshot);
  acdcFilesCheck(p, &pFlow->files, &warn);
  for(i=0; i<warn.n; i++) filesNote(&run, "%s", warn.az[i]);
  if( p->rc==0 ) filesMarks(&run);
  if( p->rc==0 && !pFlow->bSnapshot ){
    if( bVersions ){
      acdcError(p, SQLITE_ERROR, "the path \"%s\" has a version in it, as "
          "snapshots have: apply_changes_from_snapshot() applies them; for "
          "change rows give a folder, or a pattern such as \"in/*.csv\"",
          pFlow->files.zPath);
    }
    filesChanges(&run);
  }else if( p->rc==0 && bVersions ){
    filesVersions(&run);
  }else if( p->rc==0 ){
    filesSnapshot(&run);
  }
  if( !run.bRun ) acdcErrorWhere(p, "flow '%s': source", pFlow->zName);
  acdcNamesFree(&warn);
  sqlite3_free(run.zSchema);
  sqlite3_free(run.zNote);
}
