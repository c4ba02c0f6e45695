/*
** Paths, listings and globs; see fs.h.
*/
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE      /* st_mtimespec */
#define _FILE_OFFSET_BITS 64
#include "fs.h"
#include <sys/types.h>
#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Folders deeper than this are taken for a mistake. */
#define FS_MAXDEPTH 100

void acdcFileListAdd(
  AcdcCtx *p,
  AcdcFileList *pL,
  const char *zPath,
  i64 nSize,
  i64 iMtime
){
  AcdcFile *pNew;
  char *zCopy;
  if( p->rc ) return;
  if( pL->n>=pL->nAlloc ){
    int nNew = pL->nAlloc ? pL->nAlloc*2 : 16;
    AcdcFile *aNew = acdcRealloc(p, pL->a, (i64)nNew*(i64)sizeof(AcdcFile));
    if( aNew==0 ) return;
    pL->a = aNew;
    pL->nAlloc = nNew;
  }
  zCopy = acdcStrdup(p, zPath);
  if( zCopy==0 ) return;
  pNew = &pL->a[pL->n++];
  pNew->zPath = zCopy;
  pNew->nSize = nSize;
  pNew->iMtime = iMtime;
}

static int fileCompare(const void *pA, const void *pB){
  return strcmp(((const AcdcFile*)pA)->zPath, ((const AcdcFile*)pB)->zPath);
}

void acdcFileListSort(AcdcFileList *pL){
  if( pL->n>1 ) qsort(pL->a, (size_t)pL->n, sizeof(AcdcFile), fileCompare);
}

void acdcFileListClear(AcdcFileList *pL){
  int i;
  for(i=0; i<pL->n; i++) sqlite3_free(pL->a[i].zPath);
  sqlite3_free(pL->a);
  memset(pL, 0, sizeof(*pL));
}

/*
** Asked by preparing a call of the function: it can be compiled only where
** the function exists, and a table of that name takes no arguments.
*/
void acdcFsAllowed(AcdcCtx *p){
  sqlite3_stmt *pStmt = 0;
  int rc;
  if( p->rc ) return;
  rc = sqlite3_prepare_v2(p->db, "SELECT 1 FROM autocdc_read_csv(NULL)", -1,
      &pStmt, 0);
  sqlite3_finalize(pStmt);
  if( rc==SQLITE_OK ) return;
  if( rc==SQLITE_NOMEM ){
    acdcError(p, rc, "out of memory");
  }else{
    acdcError(p, SQLITE_AUTH, "this connection has no access to files"
        " (the extension was loaded without it): load the rows into a table"
        " and name the table as source");
  }
}

/*
** Cut the scheme off.  "file:/x", "file:///x" and "file://host/x" are URLs of
** local files; one letter is no scheme but a drive.
*/
static const char *pathScheme(AcdcCtx *p, const char *z){
  int n = 0;
  while( (z[n]>='a' && z[n]<='z') || (z[n]>='A' && z[n]<='Z')
      || (n>0 && z[n]>='0' && z[n]<='9') ) n++;
  if( n<2 || z[n]!=':' ) return z;
  if( n==4 && sqlite3_strnicmp(z, "file", 4)==0 ){
    z += 5;
    if( z[0]=='/' && z[1]=='/' ){
      z += 2;
      while( z[0] && z[0]!='/' ) z++;
    }
    return z;
  }
  if( n==4 && sqlite3_strnicmp(z, "dbfs", 4)!=0 && z[n+1]!='/' ) return z;
  if( z[n+1]!='/' ) return z;
  acdcError(p, SQLITE_ERROR, "\"%s\" is not a local path: copy the files and"
      " give their path, or map it with the option path_map"
      " {\"%.*s://...\": \"local/folder/\"}", z, n, z);
  return z;
}

/* Fold "//", "/./" and a leading "./" of z, in place. */
static void pathFold(char *z){
  char *zOut = z;
  char *zIn = z;
  while( zIn[0]=='.' && zIn[1]=='/' ){
    zIn += 2;
    while( zIn[0]=='/' ) zIn++;
  }
  while( *zIn ){
    if( zIn[0]=='/' && zIn[1]=='/' ){
      zIn++;
    }else if( zIn[0]=='/' && zIn[1]=='.' && (zIn[2]=='/' || zIn[2]==0) ){
      zIn += 2;
      if( zIn[0]==0 && zOut==z ) *zOut++ = '/';
    }else{
      *zOut++ = *zIn++;
    }
  }
  *zOut = 0;
}

/* Is there a ".." between slashes? */
static int pathHasUp(const char *z){
  while( *z ){
    if( z[0]=='.' && z[1]=='.' && (z[2]=='/' || z[2]==0) ) return 1;
    while( *z && *z!='/' ) z++;
    while( *z=='/' ) z++;
  }
  return 0;
}

/*
** realpath() of the longest part of z that exists; what is left out cannot be
** a link, because it is not there.  Owned by the caller (free()); NULL with
** an error if even the root cannot be resolved.
*/
static char *pathReal(AcdcCtx *p, const char *z){
  char *zCut = acdcStrdup(p, z);
  char *zReal = 0;
  while( zCut ){
    char *zSlash;
    zReal = realpath(zCut[0] ? zCut : ".", 0);
    if( zReal || (errno!=ENOENT && errno!=ENOTDIR) || zCut[0]==0 ) break;
    zSlash = strrchr(zCut, '/');
    if( zSlash==0 ){
      zCut[0] = 0;
    }else if( zSlash==zCut && zSlash[1] ){
      zSlash[1] = 0;
    }else{
      zSlash[0] = 0;
    }
  }
  sqlite3_free(zCut);
  if( zReal==0 && p->rc==0 ){
    acdcError(p, SQLITE_CANTOPEN, "cannot resolve the path \"%s\": %s", z,
        strerror(errno));
  }
  return zReal;
}

void acdcFsInside(AcdcCtx *p, const char *zBase, const char *zPath){
  char *zB;
  char *zP;
  if( p->rc || zBase==0 ) return;
  zB = pathReal(p, zBase);
  zP = pathReal(p, zPath);
  if( zB && zP ){
    size_t n = strlen(zB);
    while( n>0 && zB[n-1]=='/' ) n--;
    if( strncmp(zP, zB, n)!=0 || (zP[n]!='/' && zP[n]!=0) ){
      acdcError(p, SQLITE_AUTH, "\"%s\" is outside of the base folder \"%s\":"
          " move the file there, or allow a wider folder with the option"
          " base_path", zPath, zBase);
    }
  }
  free(zB);
  free(zP);
}

char *acdcFsPath(AcdcCtx *p, const char *zBase, const char *z){
  char *zOut;
  const char *zRel;
  char *zFixed;
  size_t i;
  if( p->rc ) return 0;
  zRel = pathScheme(p, z);
  if( zRel[0]==0 ) acdcError(p, SQLITE_ERROR, "the path is empty");
  if( zBase && pathHasUp(zRel) ){
    acdcError(p, SQLITE_AUTH, "the path \"%s\" has a \"..\", which a base"
        " folder (\"%s\") does not allow: write it without", z, zBase);
  }
  if( zBase && zBase[0] && zRel[0]!='/' ){
    zOut = acdcMprintf(p, "%s/%s", zBase, zRel);
  }else{
    zOut = acdcStrdup(p, zRel);
  }
  if( zOut==0 ) return 0;
  pathFold(zOut);
  if( zBase==0 ) return zOut;
  /* Of a glob or pattern, the folder before its first special character. */
  zFixed = acdcStrdup(p, zOut);
  if( zFixed ){
    i = strcspn(zFixed, "*?[{(\\");
    if( zFixed[i] ){
      while( i>0 && zFixed[i-1]!='/' ) i--;
      zFixed[i] = 0;
    }
    acdcFsInside(p, zBase[0] ? zBase : ".", zFixed[0] ? zFixed : ".");
    sqlite3_free(zFixed);
  }
  if( p->rc ){
    sqlite3_free(zOut);
    return 0;
  }
  return zOut;
}

static int kindOf(const struct stat *pSt, AcdcFile *pOut){
  if( pOut ){
    pOut->nSize = (i64)pSt->st_size;
    pOut->iMtime = (i64)pSt->st_mtime;
#ifdef __APPLE__
    pOut->iMtime = pOut->iMtime*1000000000 + pSt->st_mtimespec.tv_nsec;
#else
    pOut->iMtime = pOut->iMtime*1000000000 + pSt->st_mtim.tv_nsec;
#endif
  }
  if( S_ISREG(pSt->st_mode) ) return 1;
  if( S_ISDIR(pSt->st_mode) ) return 2;
  return 3;
}

int acdcFsKind(const char *zPath, AcdcFile *pOut){
  struct stat st;
  if( stat(zPath[0] ? zPath : ".", &st)!=0 ) return 0;
  return kindOf(&st, pOut);
}

/* The folders on the way down to the current one. */
typedef struct FsTrail FsTrail;
struct FsTrail {
  const FsTrail *pUp;
  dev_t dev;
  ino_t ino;
  int nDepth;
};

/*
** Both acdcFsWalk() and acdcFsGlob() come down to this: zGlob, if there is
** one, is matched with the path relative to the start (nRoot bytes).
*/
typedef struct FsWalk FsWalk;
struct FsWalk {
  const char *zBase;
  const char *zGlob;
  int nRoot;
  int nDepth;                /* Folders to go down, at most */
  int bPublic;
  AcdcFileList *pL;
};

static void walkFolder(AcdcCtx*, FsWalk*, const char*, const FsTrail*);

static void walkEntry(
  AcdcCtx *p,
  FsWalk *pW,
  const char *zPath,
  const FsTrail *pTrail
){
  AcdcFile f;
  struct stat st;
  if( stat(zPath, &st)!=0 ){
    /* Gone since the folder was read, or a link to nowhere */
    if( errno==ENOENT || errno==ELOOP ) return;
    acdcError(p, SQLITE_CANTOPEN, "cannot look at \"%s\": %s", zPath,
        strerror(errno));
    return;
  }
  memset(&f, 0, sizeof(f));
  switch( kindOf(&st, &f) ){
    case 1:
      if( pW->zGlob && !acdcFsMatch(pW->zGlob, zPath+pW->nRoot) ) return;
      acdcFsInside(p, pW->zBase, zPath);
      acdcFileListAdd(p, pW->pL, zPath, f.nSize, f.iMtime);
      break;
    case 2: {
      const FsTrail *pT;
      FsTrail here;
      if( (pTrail ? pTrail->nDepth : 0)>=pW->nDepth ) return;
      for(pT=pTrail; pT; pT=pT->pUp){
        if( pT->dev==st.st_dev && pT->ino==st.st_ino ) return;
      }
      acdcFsInside(p, pW->zBase, zPath);
      here.pUp = pTrail;
      here.dev = st.st_dev;
      here.ino = st.st_ino;
      here.nDepth = pTrail ? pTrail->nDepth+1 : 1;
      if( here.nDepth>FS_MAXDEPTH ){
        acdcError(p, SQLITE_ERROR, "\"%s\" is more than %d folders deep",
            zPath, FS_MAXDEPTH);
        return;
      }
      walkFolder(p, pW, zPath, &here);
      break;
    }
    default:
      break;
  }
}

static void walkFolder(
  AcdcCtx *p,
  FsWalk *pW,
  const char *zDir,
  const FsTrail *pTrail
){
  DIR *pDir;
  struct dirent *pEnt;
  if( p->rc ) return;
  pDir = opendir(zDir[0] ? zDir : ".");
  if( pDir==0 ){
    acdcError(p, SQLITE_CANTOPEN, "cannot read the folder \"%s\": %s",
        zDir[0] ? zDir : ".", strerror(errno));
    return;
  }
  while( p->rc==0 && (pEnt = readdir(pDir))!=0 ){
    const char *zSep = (zDir[0] && zDir[strlen(zDir)-1]!='/') ? "/" : "";
    char *zPath;
    if( pEnt->d_name[0]=='.' ) continue;
    if( pW->bPublic && pEnt->d_name[0]=='_' ) continue;
    zPath = acdcMprintf(p, "%s%s%s", zDir, zSep, pEnt->d_name);
    if( zPath ) walkEntry(p, pW, zPath, pTrail);
    sqlite3_free(zPath);
  }
  closedir(pDir);
}

/* Walk from a folder, which must be there. */
static void walkStart(AcdcCtx *p, FsWalk *pW, const char *zDir){
  struct stat st;
  FsTrail here;
  if( p->rc ) return;
  if( stat(zDir[0] ? zDir : ".", &st)!=0 ){
    acdcError(p, SQLITE_CANTOPEN, "cannot read the folder \"%s\": %s", zDir,
        strerror(errno));
    return;
  }
  here.pUp = 0;
  here.dev = st.st_dev;
  here.ino = st.st_ino;
  here.nDepth = 0;
  walkFolder(p, pW, zDir, &here);
  acdcFileListSort(pW->pL);
}

void acdcFsWalk(
  AcdcCtx *p,
  const char *zBase,
  const char *zDir,
  int bRecursive,
  int bPublic,
  AcdcFileList *pL
){
  FsWalk w;
  memset(&w, 0, sizeof(w));
  w.zBase = zBase;
  w.nDepth = bRecursive ? FS_MAXDEPTH+1 : 0;
  w.bPublic = bPublic;
  w.pL = pL;
  walkStart(p, &w, zDir);
}

int acdcFsIsGlob(const char *z){
  return z[strcspn(z, "*?[{")]!=0;
}

/*
** Match one "[...]" at zGlob against character c.  Returns the pattern behind
** it, or NULL if it is not closed; *pbHit says whether c is in the set.
*/
static const char *globSet(const char *zGlob, char c, int *pbHit){
  int bNot = 0;
  int bHit = 0;
  const unsigned char *z = (const unsigned char*)zGlob+1;
  unsigned char ch = (unsigned char)c;
  if( *z=='!' || *z=='^' ){
    bNot = 1;
    z++;
  }
  do{
    unsigned char lo = *z, hi;
    if( lo=='\\' && z[1] ) lo = *++z;
    if( lo==0 ) return 0;
    hi = lo;
    z++;
    if( z[0]=='-' && z[1] && z[1]!=']' ){
      hi = z[1];
      z += 2;
    }
    if( lo<=ch && ch<=hi ) bHit = 1;
  }while( *z!=']' );
  *pbHit = bHit!=bNot && c!='/';
  return (const char*)z+1;
}

/*
** The recursion is bounded: nStep counts down over all of it, so that a
** pattern made of many stars ends as "no match" instead of running on.
*/
static int globMatch(const char *zG, const char *z, int *pnStep);

/* One of the alternatives of "{a,b}" at zG, followed by what stands behind. */
static int globBrace(const char *zG, const char *z, int *pnStep){
  const char *zEnd;
  const char *zAlt;
  int nOpen = 0;
  for(zEnd=zG; *zEnd; zEnd++){
    if( *zEnd=='{' ) nOpen++;
    if( *zEnd=='}' && --nOpen==0 ) break;
  }
  if( *zEnd==0 ) return -1;
  nOpen = 0;
  zAlt = zG+1;
  for(zG=zAlt; zG<=zEnd; zG++){
    if( *zG=='{' ) nOpen++;
    if( *zG=='}' && zG<zEnd ) nOpen--;
    if( (*zG==',' && nOpen==0) || zG==zEnd ){
      char *zNew = sqlite3_mprintf("%.*s%s", (int)(zG-zAlt), zAlt, zEnd+1);
      int bHit = zNew ? globMatch(zNew, z, pnStep) : 0;
      sqlite3_free(zNew);
      if( bHit ) return 1;
      zAlt = zG+1;
    }
  }
  return 0;
}

/* A "*" or "**" at zG. */
static int globStar(const char *zG, const char *z, int *pnStep){
  int bDeep = 0;
  while( *zG=='*' ){
    if( zG[1]=='*' ) bDeep = 1;
    zG++;
  }
  /* "**" followed by a slash also stands for no folder at all. */
  if( bDeep && *zG=='/' && globMatch(zG+1, z, pnStep) ) return 1;
  for(;; z++){
    if( globMatch(zG, z, pnStep) ) return 1;
    if( *z==0 || (*z=='/' && !bDeep) || *pnStep<=0 ) return 0;
  }
}

static int globMatch(const char *zG, const char *z, int *pnStep){
  while( *zG ){
    int bHit = 0;
    const char *zNext;
    if( --*pnStep<=0 ) return 0;
    switch( *zG ){
      case '*':
        return globStar(zG, z, pnStep);
      case '?':
        if( *z==0 || *z=='/' ) return 0;
        z++;
        while( (*z & 0xc0)==0x80 ) z++;
        zG++;
        continue;
      case '[':
        zNext = *z ? globSet(zG, *z, &bHit) : 0;
        if( zNext ){
          if( !bHit ) return 0;
          z++;
          zG = zNext;
          continue;
        }
        break;
      case '{':
        bHit = globBrace(zG, z, pnStep);
        if( bHit>=0 ) return bHit;
        break;
      case '\\':
        if( zG[1] ) zG++;
        break;
      default:
        break;
    }
    if( *zG!=*z ) return 0;
    zG++;
    z++;
  }
  return *z==0;
}

int acdcFsMatch(const char *zGlob, const char *z){
  int nStep = 1000000;
  return globMatch(zGlob, z, &nStep);
}

void acdcFsGlob(
  AcdcCtx *p,
  const char *zBase,
  const char *zGlob,
  int bPublic,
  AcdcFileList *pL
){
  FsWalk w;
  char *zDir;
  const char *z;
  size_t i;
  if( p->rc ) return;
  zDir = acdcStrdup(p, zGlob);
  if( zDir==0 ) return;
  i = strcspn(zDir, "*?[{\\");
  while( i>0 && zDir[i-1]!='/' ) i--;
  memset(&w, 0, sizeof(w));
  w.zBase = zBase;
  w.zGlob = &zGlob[i];
  w.nRoot = (int)i;
  for(z=&zGlob[i]; *z; z++) w.nDepth += *z=='/';
  if( strstr(&zGlob[i], "**") ) w.nDepth = FS_MAXDEPTH+1;
  w.bPublic = bPublic;
  w.pL = pL;
  zDir[i] = 0;
  walkStart(p, &w, zDir);
  sqlite3_free(zDir);
}
