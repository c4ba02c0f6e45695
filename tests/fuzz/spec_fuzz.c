/*
** Fuzz target: the small languages around files.  The first byte chooses one
** of schemas, globs, time formats, snapshot paths and versions.
*/
#include "fuzz.h"
#include "core/regex.h"
#include "source/schema.h"
#include "source/timefmt.h"
#include "source/versions.h"

/* The input as two texts, split at the first NUL or line end. */
static char *fuzzSplit(const uint8_t *a, size_t n, char **pzSecond){
  char *z = malloc(n+2);
  size_t i;
  if( z==0 ) exit(2);
  memcpy(z, a, n);
  z[n] = z[n+1] = 0;
  for(i=0; i<n && z[i] && z[i]!='\n'; i++){}
  z[i] = 0;
  *pzSecond = i<n ? &z[i+1] : &z[n];
  return z;
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  AcdcCtx ctx;
  char *zSecond;
  char *z;
  i64 iKey;
  const char *zWhy;
  if( n<1 || n>5000 ) return 0;
  acdcCtxInit(&ctx, 0);
  z = fuzzSplit(a+1, n-1, &zSecond);
  switch( a[0]%5 ){
    case 0: {
      AcdcSchema s;
      int i;
      memset(&s, 0, sizeof(s));
      acdcSchemaParse(&ctx, z, &s);
      for(i=0; i<s.n; i++){
        FUZZ_CHECK(ctx.rc || acdcSchemaFind(&s, s.a[i].zName,
            (int)strlen(s.a[i].zName))==i);
      }
      acdcSchemaClear(&s);
      break;
    }
    case 1:
      acdcFsMatch(z, zSecond);
      break;
    case 2:
      acdcTimeFormatCheck(&ctx, z);
      if( ctx.rc==0
       && acdcTimeParse(z, zSecond, (int)strlen(zSecond), &iKey, &zWhy)
      ){
        /* What was written by a format is read back by it, unless it says
        ** less than the instant: then at least once more it is the same. */
        char *zOut = acdcTimeFormat(&ctx, z, iKey);
        i64 iAgain;
        FUZZ_CHECK(zOut!=0);
        if( acdcTimeParse(z, zOut, (int)strlen(zOut), &iAgain, &zWhy)
         && !acdcTimeFormatHas(z, 'z') ){
          FUZZ_CHECK(iAgain==iKey);
        }
        sqlite3_free(zOut);
      }
      break;
    case 3: {
      AcdcVersionSpec spec;
      memset(&spec, 0, sizeof(spec));
      spec.zPath = z;
      if( zSecond[0] ) spec.zFormat = zSecond;
      acdcVersionSpecCheck(&ctx, &spec);
      break;
    }
    default: {
      AcdcRegex *pR = acdcRegexCompile(&ctx, z);
      if( pR ){
        int i, nGroup;
        if( acdcRegexMatch(&ctx, pR, zSecond) ){
          for(i=0; i<acdcRegexNames(pR); i++) acdcRegexGroup(pR, i, &nGroup);
        }
        acdcRegexFree(pR);
      }
      break;
    }
  }
  free(z);
  acdcCtxClear(&ctx);
  return 0;
}

static const char *const azSeed[] = {
  "0id INT NOT NULL COMMENT 'x', `n m` DECIMAL(10, 2) -- c\n",
  "0CREATE TABLE t(a STRUCT<b: INT>, CONSTRAINT c PRIMARY KEY(a))",
  "0{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"}]}",
  "1a*[b-d]{e,f{g,h}}/**/x?.csv\nabce/y/xz.csv",
  "2%Y-%m-%d %H:%M:%S.%f\n2024-02-29 23:59:59.123",
  "2%d %b %y %I%p\n03 mar 24 12pm",
  "2%Y%j%z\n2024366+0530",
  "3s/c_{version}_{fragment}.csv\n%Y_%m_%d",
  "3(?P<version_a>.+)/(?P<fragment>x)\n",
  "4(?P<a>x+)(?P<b>[0-9]*)?.*\nxxx12",
};
FUZZ_MAIN(azSeed)
