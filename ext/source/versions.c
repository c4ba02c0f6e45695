/*
** Snapshot versions in paths; see versions.h.
*/
#include "versions.h"
#include "timefmt.h"
#include "convert.h"
#include "../core/regex.h"

void acdcVersionSpecClear(AcdcVersionSpec *pSpec){
  sqlite3_free(pSpec->zPath);
  sqlite3_free(pSpec->zFormat);
  sqlite3_free(pSpec->zStart);
  memset(pSpec, 0, sizeof(*pSpec));
}

/* Does zName spell the member, in camelCase or with underscores? */
static int specIs(const char *zName, const char *zMember){
  while( *zMember ){
    if( *zMember>='A' && *zMember<='Z' && *zName=='_' ) zName++;
    if( (*zName|0x20)!=(*zMember|0x20) ) return 0;
    zName++;
    zMember++;
  }
  return *zName==0;
}

static void specText(AcdcCtx *p, char **pz, const char *z){
  sqlite3_free(*pz);
  *pz = acdcStrdup(p, z);
}

static void specType(AcdcCtx *p, AcdcVersionSpec *pSpec, const char *z){
  static const struct { const char *zName; u8 eType; } aType[] = {
    { "int", ACDC_VERSION_INTEGER }, { "integer", ACDC_VERSION_INTEGER },
    { "long", ACDC_VERSION_INTEGER }, { "bigint", ACDC_VERSION_INTEGER },
    { "timestamp", ACDC_VERSION_INSTANT }, { "datetime", ACDC_VERSION_INSTANT },
    { "date", ACDC_VERSION_DATE },
  };
  int i;
  for(i=0; i<(int)(sizeof(aType)/sizeof(aType[0])); i++){
    if( sqlite3_stricmp(z, aType[i].zName) ) continue;
    pSpec->eType = aType[i].eType;
    pSpec->bTypeGiven = 1;
    return;
  }
  acdcError(p, SQLITE_ERROR, "versionType is \"%s\": it takes int, integer,"
      " long, timestamp, datetime or date", z);
}

int acdcVersionSpecSet(
  AcdcCtx *p,
  AcdcVersionSpec *pSpec,
  const char *zName,
  const char *z
){
  if( specIs(zName, "path") ){
    specText(p, &pSpec->zPath, z);
  }else if( specIs(zName, "versionType") ){
    specType(p, pSpec, z);
  }else if( specIs(zName, "datetimeFormat") ){
    specText(p, &pSpec->zFormat, z);
  }else if( specIs(zName, "startingVersion") ){
    specText(p, &pSpec->zStart, z);
  }else if( specIs(zName, "microSecondMaskLength") ){
    if( z[0]<'0' || z[0]>'6' || z[1] ){
      acdcError(p, SQLITE_ERROR, "microSecondMaskLength is \"%s\": it takes 0"
          " to 6", z);
      return 1;
    }
    pSpec->nMask = z[0]-'0';
    pSpec->bMaskGiven = 1;
  }else if( specIs(zName, "recursiveFileLookup") ){
    int bTrue = sqlite3_stricmp(z, "true")==0 || strcmp(z, "1")==0;
    if( !bTrue && sqlite3_stricmp(z, "false") && strcmp(z, "0") ){
      acdcError(p, SQLITE_ERROR, "recursiveFileLookup is \"%s\": it takes true"
          " or false", z);
    }
    pSpec->bRecursive = (u8)bTrue;
  }else{
    return 0;
  }
  return 1;
}

/*
** An integer: sign and digits, blanks around them.
*/
static int versionInt(const char *z, int n, i64 *pi, const char **pzWhy){
  AcdcVal v;
  int i = 0;
  while( n>0 && (z[n-1]==' ' || z[n-1]=='\t') ) n--;
  while( i<n && (z[i]==' ' || z[i]=='\t') ) i++;
  z += i;
  n -= i;
  i = n>0 && (z[0]=='-' || z[0]=='+');
  if( i>=n || (int)strspn(z+i, "0123456789")<n-i ){
    *pzWhy = "it is no integer";
    return 0;
  }
  acdcConvText(ACDC_CONV_INTEGER, (const u8*)z, n, &v);
  if( v.eType!=SQLITE_INTEGER ){
    *pzWhy = "it is an integer beyond 64 bits";
    return 0;
  }
  *pi = v.u.i;
  return 1;
}

static i64 versionDay(i64 iMicro){
  i64 iDay = 86400*(i64)1000000;
  i64 r = iMicro%iDay;
  return iMicro - (r<0 ? r+iDay : r);
}

int acdcVersionRead(
  const AcdcVersionSpec *pSpec,
  const char *z, int n,
  i64 *piKey,
  const char **pzWhy
){
  if( pSpec->eType==ACDC_VERSION_INTEGER ){
    return versionInt(z, n, piKey, pzWhy);
  }
  if( !acdcTimeParse(pSpec->zFormat, z, n, piKey, pzWhy) ) return 0;
  if( pSpec->eType==ACDC_VERSION_DATE ) *piKey = versionDay(*piKey);
  return 1;
}

int acdcVersionReadShown(
  const AcdcVersionSpec *pSpec,
  const AcdcVal *pV,
  i64 *piKey
){
  const char *zWhy;
  if( pV->eType==SQLITE_INTEGER ){
    *piKey = pV->u.i;
    return pSpec->eType==ACDC_VERSION_INTEGER;
  }
  if( pV->eType!=SQLITE_TEXT ) return 0;
  if( pSpec->eType==ACDC_VERSION_INTEGER ){
    char *z = sqlite3_mprintf("%.*s", pV->n, pV->u.z);
    int bOk = z && versionInt(z, pV->n, piKey, &zWhy);
    sqlite3_free(z);
    return bOk;
  }
  if( !acdcTimeIso((const char*)pV->u.z, pV->n, piKey) ) return 0;
  if( pSpec->eType==ACDC_VERSION_DATE ) *piKey = versionDay(*piKey);
  return 1;
}

char *acdcVersionShown(AcdcCtx *p, const AcdcVersionSpec *pSpec, i64 iKey){
  char zBuf[ACDC_TIME_TEXT];
  if( pSpec->eType==ACDC_VERSION_INTEGER ){
    return acdcMprintf(p, "%lld", iKey);
  }
  acdcTimeText(iKey, acdcTimeFormatHas(pSpec->zFormat, 'f'), zBuf);
  if( pSpec->eType==ACDC_VERSION_DATE ) zBuf[10] = 0;
  return acdcStrdup(p, zBuf);
}

char *acdcVersionFormat(AcdcCtx *p, const AcdcVersionSpec *pSpec, i64 iKey){
  if( pSpec->eType==ACDC_VERSION_INTEGER ){
    return acdcMprintf(p, "%lld", iKey);
  }
  return acdcTimeFormat(p, pSpec->zFormat, iKey);
}

/*
** startingVersion: by the datetimeFormat, or ISO 8601.
*/
static int versionStart(AcdcCtx *p, const AcdcVersionSpec *pSpec, i64 *piKey){
  const char *z = pSpec->zStart;
  int n = (int)strlen(z);
  const char *zWhy = 0;
  if( acdcVersionRead(pSpec, z, n, piKey, &zWhy) ) return 1;
  if( pSpec->eType!=ACDC_VERSION_INTEGER && acdcTimeIso(z, n, piKey) ){
    if( pSpec->eType==ACDC_VERSION_DATE ) *piKey = versionDay(*piKey);
    return 1;
  }
  acdcError(p, SQLITE_ERROR, "startingVersion \"%s\": %s", z, zWhy);
  return 0;
}

static int pathIsRegex(const char *zPath){
  return strstr(zPath, "(?P<version_")!=0 || strstr(zPath, "(?P<fragment>")!=0;
}

/* The number of times a placeholder stands in the path. */
static int pathCount(const char *zPath, const char *zHolder){
  int n = 0;
  const char *z = zPath;
  while( (z = strstr(z, zHolder))!=0 ){
    n++;
    z += strlen(zHolder);
  }
  return n;
}

static void pathCheck(AcdcCtx *p, const char *zPath){
  int nVersion = pathCount(zPath, "{version}");
  int nFragment = pathCount(zPath, "{fragment}");
  if( pathIsRegex(zPath) ){
    if( nVersion || nFragment ){
      acdcError(p, SQLITE_ERROR, "path \"%s\" has both {placeholders} and"
          " (?P<groups>): use one of the two", zPath);
    }else if( strstr(zPath, "(?P<version_")==0 ){
      acdcError(p, SQLITE_ERROR, "path \"%s\" has no group (?P<version_...>)",
          zPath);
    }
  }else if( nVersion>1 || nFragment>1 ){
    acdcError(p, SQLITE_ERROR, "path \"%s\" has %s twice: use groups"
        " (?P<version_a>...) instead", zPath,
        nVersion>1 ? "{version}" : "{fragment}");
  }else if( nVersion==0 ){
    acdcError(p, SQLITE_ERROR, "path \"%s\" does not say where the version"
        " stands: put {version} there, or groups (?P<version_...>)", zPath);
  }
}

void acdcVersionSpecCheck(AcdcCtx *p, AcdcVersionSpec *pSpec){
  i64 iKey;
  if( p->rc ) return;
  if( pSpec->zPath==0 || pSpec->zPath[0]==0 ){
    acdcError(p, SQLITE_ERROR, "no path is given");
    return;
  }
  if( !pSpec->bTypeGiven ){
    pSpec->eType = pSpec->zFormat ? ACDC_VERSION_INSTANT : ACDC_VERSION_INTEGER;
  }
  if( pSpec->eType==ACDC_VERSION_INTEGER ){
    if( pSpec->zFormat ){
      acdcError(p, SQLITE_ERROR, "datetimeFormat does not go with versionType"
          " integer: leave it out, or set versionType to timestamp");
    }
  }else if( pSpec->zFormat==0 ){
    acdcError(p, SQLITE_ERROR, "versionType timestamp needs a datetimeFormat,"
        " such as \"%%Y_%%m_%%d\"");
  }else{
    acdcTimeFormatCheck(p, pSpec->zFormat);
  }
  if( p->rc ) return;
  pathCheck(p, pSpec->zPath);
  if( pSpec->zStart && p->rc==0 ) versionStart(p, pSpec, &iKey);
}

/*
** The first segment of the path with something to match: the folder before it
** is literal.
*/
static int pathDynamic(const char *zPath){
  const char *zFirst = 0;
  static const char *const azHolder[] = {
    "{version}", "{fragment}", "(?P<version_", "(?P<fragment>"
  };
  int i, n;
  for(i=0; i<4; i++){
    const char *z = strstr(zPath, azHolder[i]);
    if( z && (zFirst==0 || z<zFirst) ) zFirst = z;
  }
  n = zFirst ? (int)(zFirst-zPath) : 0;
  while( n>0 && zPath[n-1]!='/' ) n--;
  return n;
}

/* The pattern for paths relative to that folder.  Owned by the caller. */
static char *pathPattern(AcdcCtx *p, const char *z){
  char *zOut = 0;
  if( pathIsRegex(z) ) return acdcStrdup(p, z);
  while( *z && p->rc==0 ){
    const char *zNext = z;
    while( *zNext && strncmp(zNext, "{version}", 9)
        && strncmp(zNext, "{fragment}", 10) ) zNext++;
    acdcRegexQuote(p, &zOut, z, zNext-z);
    z = zNext;
    if( strncmp(z, "{version}", 9)==0 ){
      acdcAppendf(p, &zOut, "(?P<version_main>.+)");
      z += 9;
    }else if( *z ){
      acdcAppendf(p, &zOut, "(?P<fragment>.*?)");
      z += 10;
    }
  }
  return zOut;
}

static void skipAdd(
  AcdcCtx *p,
  AcdcVersions *pV,
  AcdcFile *pFile,
  char *zShown,              /* Taken over */
  char *zWhy                 /* Taken over */
){
  AcdcVersionSkip *pS;
  if( p->rc==0 && pV->nSkip>=pV->nSkipAlloc ){
    int nNew = pV->nSkipAlloc ? pV->nSkipAlloc*2 : 16;
    pS = acdcRealloc(p, pV->aSkip, (i64)nNew*(i64)sizeof(AcdcVersionSkip));
    if( pS ){
      pV->aSkip = pS;
      pV->nSkipAlloc = nNew;
    }
  }
  if( p->rc ){
    sqlite3_free(zShown);
    sqlite3_free(zWhy);
    return;
  }
  pS = &pV->aSkip[pV->nSkip++];
  pS->bUnread = 0;
  pS->file = *pFile;
  pFile->zPath = 0;
  pS->zShown = zShown;
  pS->zWhy = zWhy;
}

/*
** Put a file into its version.  Files come in the order of their paths, so a
** version's files are in that order too.
*/
static void versionAdd(
  AcdcCtx *p,
  const AcdcVersionSpec *pSpec,
  AcdcVersions *pV,
  i64 iKey,
  const AcdcFile *pFile
){
  int lo = 0, hi = pV->n;
  AcdcVersion *pNew;
  while( lo<hi ){
    int mid = (lo+hi)/2;
    if( pV->a[mid].iKey<iKey ) lo = mid+1;
    else hi = mid;
  }
  if( lo>=pV->n || pV->a[lo].iKey!=iKey ){
    if( pV->n>=pV->nAlloc ){
      int nNew = pV->nAlloc ? pV->nAlloc*2 : 16;
      pNew = acdcRealloc(p, pV->a, (i64)nNew*(i64)sizeof(AcdcVersion));
      if( pNew==0 ) return;
      pV->a = pNew;
      pV->nAlloc = nNew;
    }
    pNew = &pV->a[lo];
    memmove(pNew+1, pNew, (size_t)(pV->n-lo)*sizeof(AcdcVersion));
    memset(pNew, 0, sizeof(*pNew));
    pV->n++;
    pNew->iKey = iKey;
    pNew->zShown = acdcVersionShown(p, pSpec, iKey);
  }
  acdcFileListAdd(p, &pV->a[lo].files, pFile->zPath, pFile->nSize,
      pFile->iMtime);
}

/* The version text of what was matched last.  Owned by the caller. */
static char *versionText(AcdcCtx *p, AcdcRegex *pR){
  char *zOut = acdcStrdup(p, "");
  int i, n;
  for(i=0; i<acdcRegexNames(pR); i++){
    const char *z;
    if( strncmp(acdcRegexName(pR, i), "version_", 8)!=0 ) continue;
    z = acdcRegexGroup(pR, i, &n);
    if( z && n>0 ) acdcAppendf(p, &zOut, "%.*s", n, z);
  }
  return zOut;
}

/* Judge one file; zRel is its path from the literal folder on. */
static void versionFile(
  AcdcCtx *p,
  const AcdcVersionSpec *pSpec,
  AcdcRegex *pR,
  const i64 *piStart,
  AcdcFile *pFile,
  const char *zRel,
  AcdcVersions *pOut
){
  const char *zWhy = 0;
  char *zText;
  i64 iKey = 0;
  if( !acdcRegexMatch(p, pR, zRel) ){
    if( p->rc ) return;
    skipAdd(p, pOut, pFile, 0,
        acdcMprintf(p, "its name does not match the path"));
    return;
  }
  zText = versionText(p, pR);
  if( zText==0 ) return;
  if( zText[0]==0 ){
    skipAdd(p, pOut, pFile, 0, acdcMprintf(p, "its version is empty"));
  }else if( !acdcVersionRead(pSpec, zText, (int)strlen(zText), &iKey, &zWhy) ){
    skipAdd(p, pOut, pFile, 0,
        acdcMprintf(p, "its version is \"%s\": %s", zText, zWhy));
    if( pOut->nSkip && p->rc==0 ) pOut->aSkip[pOut->nSkip-1].bUnread = 1;
  }else if( piStart && iKey<*piStart ){
    skipAdd(p, pOut, pFile, acdcVersionShown(p, pSpec, iKey),
        acdcMprintf(p, "its version is before startingVersion %s",
            pSpec->zStart));
  }else{
    versionAdd(p, pSpec, pOut, iKey, pFile);
  }
  sqlite3_free(zText);
}

int acdcVersionPath(const char *zPath){
  return strstr(zPath, "{version}")!=0 || strstr(zPath, "(?P<version_")!=0;
}

void acdcVersionValue(
  const AcdcVersionSpec *pSpec, const AcdcVersion *pV, AcdcVal *pOut
){
  memset(pOut, 0, sizeof(*pOut));
  if( pSpec->eType==ACDC_VERSION_INTEGER ){
    pOut->eType = SQLITE_INTEGER;
    pOut->u.i = pV->iKey;
  }else{
    pOut->eType = SQLITE_TEXT;
    pOut->u.z = (const u8*)pV->zShown;
    pOut->n = (int)strlen(pV->zShown);
  }
}

void acdcVersionsList(
  AcdcCtx *p,
  const AcdcVersionSpec *pSpecIn,
  const char *zBase,
  AcdcVersions *pOut
){
  AcdcVersionSpec spec = *pSpecIn;
  AcdcFileList list;
  AcdcRegex *pR = 0;
  char *zPath;
  char *zDir = 0;
  char *zPattern = 0;
  i64 iStart = 0;
  int i, n;
  memset(&list, 0, sizeof(list));
  acdcFsAllowed(p);
  acdcVersionSpecCheck(p, &spec);
  if( p->rc ) return;
  if( spec.zStart ) versionStart(p, &spec, &iStart);
  zPath = acdcFsPath(p, zBase, spec.zPath);
  if( zPath ){
    n = pathDynamic(zPath);
    zDir = acdcStrndup(p, zPath, n);
    zPattern = pathPattern(p, zPath+n);
    if( zPattern && !spec.bRecursive && strchr(zPath+n, '/') ){
      acdcError(p, SQLITE_ERROR, "the version in \"%s\" stands in a folder, but"
          " folders are not searched: set recursiveFileLookup to true",
          spec.zPath);
    }
  }
  if( p->rc==0 ) pR = acdcRegexCompile(p, zPattern);
  if( pR ){
    acdcFsWalk(p, zBase, zDir, spec.bRecursive, 0, &list);
    for(i=0; i<list.n && p->rc==0; i++){
      versionFile(p, &spec, pR, spec.zStart ? &iStart : 0, &list.a[i],
          list.a[i].zPath + strlen(zDir), pOut);
    }
  }
  acdcFileListClear(&list);
  acdcRegexFree(pR);
  sqlite3_free(zPath);
  sqlite3_free(zDir);
  sqlite3_free(zPattern);
}

void acdcVersionsClear(AcdcVersions *pV){
  int i;
  for(i=0; i<pV->n; i++){
    sqlite3_free(pV->a[i].zShown);
    acdcFileListClear(&pV->a[i].files);
  }
  for(i=0; i<pV->nSkip; i++){
    sqlite3_free(pV->aSkip[i].file.zPath);
    sqlite3_free(pV->aSkip[i].zShown);
    sqlite3_free(pV->aSkip[i].zWhy);
  }
  sqlite3_free(pV->a);
  sqlite3_free(pV->aSkip);
  memset(pV, 0, sizeof(*pV));
}
