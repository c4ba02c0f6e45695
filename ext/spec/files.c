/*
** Files that a spec names.  See files.h.
*/
#include "files.h"
#include "../source/fs.h"

#define MAX_FILE_BYTES (4*1024*1024)

static const char *const azFolder[] = {
  "dml", "schemas", "expectations", "templates", ""
};

const char *acdcSpecBase(const AcdcSpecOptions *pOpt){
  return pOpt->zBasePath ? pOpt->zBasePath : "";
}

char *acdcSpecDataPath(AcdcCtx *p, const AcdcSpecOptions *pOpt, const char *z){
  int i, iBest = -1;
  size_t nBest = 0;
  if( z==0 ) return 0;
  for(i=0; i<pOpt->mapFrom.n; i++){
    size_t n = strlen(pOpt->mapFrom.az[i]);
    if( n>nBest && strncmp(z, pOpt->mapFrom.az[i], n)==0 ){
      iBest = i;
      nBest = n;
    }
  }
  if( iBest<0 ) return acdcStrdup(p, z);
  return acdcMprintf(p, "%s%s", pOpt->mapTo.az[iBest], z+nBest);
}

void acdcSpecMayRead(AcdcCtx *p, const AcdcSpecOptions *pOpt){
  acdcFsAllowed(p);
  if( pOpt->bNoFiles ){
    acdcError(p, SQLITE_AUTH, "this connection has not loaded the spec, and its "
        "database has no file whose folder it could read under: load it with "
        "autocdc_load(), or allow a folder with the option "
        "{\"base_path\": \"...\"}");
  }
}

/* Text of the option "files" for a path, or NULL.  Not owned. */
static const char *fileGiven(const AcdcSpecOptions *pOpt, const char *z){
  int i;
  if( strncmp(z, "./", 2)==0 ) z += 2;
  for(i=0; i<pOpt->fileName.n; i++){
    const char *zName = pOpt->fileName.az[i];
    if( strncmp(zName, "./", 2)==0 ) zName += 2;
    if( strcmp(zName, z)==0 ) return pOpt->fileText.az[i];
  }
  return 0;
}

/*
** The i-th place to look for a file, or NULL past the last.  The framework
** keeps specs in a folder dataflowspec/ and, beside it, a folder for each kind
** of file.  Owned by the caller.
*/
static char *fileCandidate(
  AcdcCtx *p,
  int eKind,
  const char *zPath,
  int i
){
  const char *zDir = azFolder[eKind];
  int bAbsolute = zPath[0]=='/';
  if( i==0 ) return acdcStrdup(p, zPath);
  if( bAbsolute || zDir[0]==0 ) return 0;
  if( i==1 ) return acdcMprintf(p, "%s/%s", zDir, zPath);
  if( i==2 ) return acdcMprintf(p, "dataflowspec/%s", zPath);
  return 0;
}

/*
** The path on disk of a candidate, if something of the kind eWant (1 file, 2
** folder) is there; else NULL.
*/
static char *fileOnDisk(
  AcdcCtx *p,
  const AcdcSpecOptions *pOpt,
  const char *zCandidate,
  int eWant
){
  AcdcCtx sub;
  char *zPath;
  acdcCtxInit(&sub, p->db);
  acdcSpecMayRead(&sub, pOpt);
  zPath = acdcFsPath(&sub, pOpt->zBasePath, zCandidate);
  if( sub.rc==SQLITE_NOMEM ) acdcError(p, SQLITE_NOMEM, "out of memory");
  if( zPath && acdcFsKind(zPath, 0)!=eWant ){
    sqlite3_free(zPath);
    zPath = 0;
  }
  acdcCtxClear(&sub);
  return zPath;
}

char *acdcSpecFile(
  AcdcCtx *p,
  const AcdcSpecOptions *pOpt,
  int eKind,
  const char *zPath,
  char **pzFound
){
  char *zMapped = acdcSpecDataPath(p, pOpt, zPath);
  char *zText = 0;
  int i;
  if( pzFound ) *pzFound = 0;
  for(i=0; zMapped && zText==0 && p->rc==SQLITE_OK; i++){
    char *zTry = fileCandidate(p, eKind, zMapped, i);
    const char *zGiven;
    char *zDisk;
    if( zTry==0 ) break;
    zGiven = fileGiven(pOpt, zTry);
    if( zGiven==0 && i==0 ) zGiven = fileGiven(pOpt, zPath);
    zDisk = zGiven ? 0 : fileOnDisk(p, pOpt, zTry, 1);
    if( zGiven ) zText = acdcStrdup(p, zGiven);
    else if( zDisk ) zText = acdcFsReadAll(p, zDisk, MAX_FILE_BYTES);
    if( zText && pzFound ) *pzFound = acdcStrdup(p, zDisk ? zDisk : zTry);
    sqlite3_free(zDisk);
    sqlite3_free(zTry);
  }
  sqlite3_free(zMapped);
  return zText;
}

void acdcSpecFolder(
  AcdcCtx *p,
  const AcdcSpecOptions *pOpt,
  int eKind,
  const char *zPath,
  AcdcNames *pOut
){
  char *zMapped = acdcSpecDataPath(p, pOpt, zPath);
  int i, k;
  for(i=0; zMapped && pOut->n==0 && p->rc==SQLITE_OK; i++){
    char *zTry = fileCandidate(p, eKind, zMapped, i);
    char *zDisk;
    size_t n;
    if( zTry==0 ) break;
    n = strlen(zTry);
    while( n>0 && (zTry[n-1]=='/' || zTry[n-1]=='.') ) n--;
    for(k=0; k<pOpt->fileName.n; k++){
      const char *z = pOpt->fileName.az[k];
      const char *zTail = z + n + (n>0);
      if( strncmp(z, zTry, n) || (n>0 && z[n]!='/') || strchr(zTail, '/') ){
        continue;
      }
      if( sqlite3_strglob("*.json", zTail)==0 ) acdcNamesAdd(p, pOut, z, -1);
    }
    zDisk = pOut->n ? 0 : fileOnDisk(p, pOpt, zTry, 2);
    if( zDisk ){
      AcdcFileList list;
      memset(&list, 0, sizeof(list));
      acdcFsWalk(p, pOpt->zBasePath, zDisk, 0, 0, &list);
      for(k=0; k<list.n; k++){
        if( sqlite3_strglob("*.json", list.a[k].zPath)==0 ){
          acdcNamesAdd(p, pOut, list.a[k].zPath, -1);
        }
      }
      acdcFileListClear(&list);
    }
    sqlite3_free(zDisk);
    sqlite3_free(zTry);
  }
  sqlite3_free(zMapped);
}
