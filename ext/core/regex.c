/*
** The PCRE2 facade; see regex.h.
*/
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include "regex.h"

/* A named group.  PCRE2 sorts them by name; aName[] is in pattern order. */
typedef struct RegexName RegexName;
struct RegexName {
  int iGroup;
  const char *zName;         /* In PCRE2's table, not owned */
};

struct AcdcRegex {
  pcre2_code *pCode;         /* Owned */
  pcre2_match_data *pMatch;  /* Owned */
  pcre2_match_context *pLimit;   /* Owned */
  char *zPattern;            /* For messages.  Owned */
  const char *zText;         /* What was matched last.  Not owned */
  int nName;
  RegexName *aName;          /* Owned */
};

void acdcRegexFree(AcdcRegex *pR){
  if( pR==0 ) return;
  pcre2_match_data_free(pR->pMatch);
  pcre2_match_context_free(pR->pLimit);
  pcre2_code_free(pR->pCode);
  sqlite3_free(pR->zPattern);
  sqlite3_free(pR->aName);
  sqlite3_free(pR);
}

/*
** Sort the names by group number: "(?P<version_year>..)/(?P<version_day>..)"
** is year then day, whatever the alphabet says.
*/
static void regexNames(AcdcCtx *p, AcdcRegex *pR){
  uint32_t nName = 0;
  uint32_t nEntry = 0;
  PCRE2_SPTR aTable = 0;
  u32 i;
  int j;
  pcre2_pattern_info(pR->pCode, PCRE2_INFO_NAMECOUNT, &nName);
  pcre2_pattern_info(pR->pCode, PCRE2_INFO_NAMEENTRYSIZE, &nEntry);
  pcre2_pattern_info(pR->pCode, PCRE2_INFO_NAMETABLE, &aTable);
  pR->aName = acdcMalloc(p, ((i64)nName+1)*(i64)sizeof(RegexName));
  if( pR->aName==0 ) return;
  for(i=0; i<nName; i++){
    const u8 *a = (const u8*)aTable + (size_t)i*nEntry;
    RegexName x;
    x.iGroup = a[0]*256 + a[1];
    x.zName = (const char*)(a+2);
    for(j=pR->nName; j>0 && pR->aName[j-1].iGroup>x.iGroup; j--){
      pR->aName[j] = pR->aName[j-1];
    }
    pR->aName[j] = x;
    pR->nName++;
  }
}

AcdcRegex *acdcRegexCompile(AcdcCtx *p, const char *zPattern){
  AcdcRegex *pR;
  int eErr = 0;
  PCRE2_SIZE iErr = 0;
  size_t n = strlen(zPattern);
  if( p->rc ) return 0;
  if( n>ACDC_REGEX_MAX_BYTES ){
    acdcError(p, SQLITE_TOOBIG, "a pattern of %lld bytes; %d are allowed",
        (i64)n, ACDC_REGEX_MAX_BYTES);
    return 0;
  }
  pR = acdcMalloc(p, sizeof(*pR));
  if( pR==0 ) return 0;
  pR->zPattern = acdcStrdup(p, zPattern);
  pR->pCode = pcre2_compile((PCRE2_SPTR)zPattern, n,
      PCRE2_UTF|PCRE2_ANCHORED|PCRE2_ENDANCHORED|PCRE2_NEVER_BACKSLASH_C,
      &eErr, &iErr, 0);
  if( pR->pCode==0 ){
    PCRE2_UCHAR zMsg[160];
    zMsg[0] = 0;
    pcre2_get_error_message(eErr, zMsg, sizeof(zMsg));
    acdcError(p, SQLITE_ERROR, "pattern \"%s\", at offset %lld (\"%.20s\"): %s",
        zPattern, (i64)iErr, iErr<=n ? zPattern+iErr : "", (char*)zMsg);
  }else{
    pR->pMatch = pcre2_match_data_create_from_pattern(pR->pCode, 0);
    pR->pLimit = pcre2_match_context_create(0);
    if( pR->pMatch==0 || pR->pLimit==0 ){
      acdcError(p, SQLITE_NOMEM, "out of memory");
    }else{
      pcre2_set_match_limit(pR->pLimit, ACDC_REGEX_STEPS);
      pcre2_set_depth_limit(pR->pLimit, 100000);
      pcre2_set_heap_limit(pR->pLimit, 64*1024);     /* KiB */
      regexNames(p, pR);
    }
  }
  if( p->rc ){
    acdcRegexFree(pR);
    return 0;
  }
  return pR;
}

int acdcRegexMatch(AcdcCtx *p, AcdcRegex *pR, const char *z){
  int rc;
  if( p->rc ) return 0;
  pR->zText = z;
  rc = pcre2_match(pR->pCode, (PCRE2_SPTR)z, strlen(z), 0, 0, pR->pMatch,
      pR->pLimit);
  if( rc>0 ) return 1;
  /* A text that is not UTF-8 matches nothing. */
  if( rc==PCRE2_ERROR_NOMATCH ) return 0;
  if( rc<=PCRE2_ERROR_UTF8_ERR1 && rc>=PCRE2_ERROR_UTF8_ERR21 ) return 0;
  if( rc==PCRE2_ERROR_NOMEMORY ){
    acdcError(p, SQLITE_NOMEM, "out of memory");
  }else{
    PCRE2_UCHAR zMsg[160];
    zMsg[0] = 0;
    pcre2_get_error_message(rc, zMsg, sizeof(zMsg));
    acdcError(p, SQLITE_ERROR, "pattern \"%s\" was given up on \"%s\" (%s):"
        " make it simpler, for instance [^/]+ instead of .+", pR->zPattern, z,
        (char*)zMsg);
  }
  return 0;
}

int acdcRegexNames(const AcdcRegex *pR){
  return pR->nName;
}

const char *acdcRegexName(const AcdcRegex *pR, int i){
  assert( i>=0 && i<pR->nName );
  return pR->aName[i].zName;
}

const char *acdcRegexGroup(const AcdcRegex *pR, int i, int *pn){
  const PCRE2_SIZE *a = pcre2_get_ovector_pointer(pR->pMatch);
  u32 n = pcre2_get_ovector_count(pR->pMatch);
  int iGroup = pR->aName[i].iGroup;
  *pn = 0;
  if( (u32)iGroup>=n || a[iGroup*2]==PCRE2_UNSET ) return 0;
  *pn = (int)(a[iGroup*2+1] - a[iGroup*2]);
  return pR->zText + a[iGroup*2];
}

void acdcRegexVersion(char *zBuf, int nBuf){
  char z[64];
  if( pcre2_config(PCRE2_CONFIG_VERSION, 0)>(int)sizeof(z) ){
    z[0] = 0;
  }else{
    pcre2_config(PCRE2_CONFIG_VERSION, z);
  }
  sqlite3_snprintf(nBuf, zBuf, "%s", z);
}

void acdcRegexQuote(AcdcCtx *p, char **pz, const char *z, i64 n){
  i64 i, iDone = 0;
  for(i=0; i<n; i++){
    if( strchr("\\^$.[]|()?*+{}-#", z[i])==0 ) continue;
    acdcAppendf(p, pz, "%.*s\\", (int)(i-iDone), z+iDone);
    iDone = i;
  }
  acdcAppendf(p, pz, "%.*s", (int)(n-iDone), z+iDone);
}
