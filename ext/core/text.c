/*
** Lists of names, and the little that is to be known of SQL text: where an
** identifier, a string, a comment or a pair of parentheses ends.
*/
#include "core.h"

/* Blanks as the SQL tokenizer knows them. */
static int textIsBlank(char c){
  return c==' ' || c=='\t' || c=='\n' || c=='\r' || c=='\f';
}

/*
** The array holds room for 4 entries, then for each following power of two;
** so its size follows from n and need not be kept.
*/
void acdcNamesAdd(AcdcCtx *p, AcdcNames *pN, const char *z, i64 n){
  char *zNew;
  if( p->rc!=SQLITE_OK ) return;
  assert( z!=0 );
  if( pN->n==0 || (pN->n>=4 && (pN->n & (pN->n-1))==0) ){
    i64 nSlot = pN->n==0 ? 4 : 2*(i64)pN->n;
    char **az = acdcRealloc(p, pN->az, nSlot*(i64)sizeof(char*));
    if( az==0 ) return;
    pN->az = az;
  }
  zNew = acdcStrndup(p, z, n<0 ? (i64)strlen(z) : n);
  if( zNew ) pN->az[pN->n++] = zNew;
}

/* The copies come after what pTo holds already. */
void acdcNamesCopy(AcdcCtx *p, AcdcNames *pTo, const AcdcNames *pFrom){
  int i;
  assert( pTo!=pFrom );
  for(i=0; i<pFrom->n; i++){
    acdcNamesAdd(p, pTo, pFrom->az[i], -1);
  }
}

void acdcNamesFree(AcdcNames *pN){
  int i;
  if( pN==0 ) return;
  for(i=0; i<pN->n; i++) sqlite3_free(pN->az[i]);
  sqlite3_free(pN->az);
  pN->az = 0;
  pN->n = 0;
}

int acdcNamesFind(const AcdcNames *pN, const char *z){
  int i;
  if( z==0 ) return -1;
  for(i=0; i<pN->n; i++){
    if( sqlite3_stricmp(pN->az[i], z)==0 ) return i;
  }
  return -1;
}

/* An empty list gives "". */
char *acdcNamesText(AcdcCtx *p, const AcdcNames *pN){
  i64 nByte = 1;
  i64 iOut = 0;
  int i;
  char *zOut;
  for(i=0; i<pN->n; i++) nByte += (i64)strlen(pN->az[i]) + 2;
  zOut = acdcMalloc(p, nByte);
  if( zOut==0 ) return 0;
  for(i=0; i<pN->n; i++){
    size_t n = strlen(pN->az[i]);
    if( i>0 ){
      zOut[iOut++] = ',';
      zOut[iOut++] = ' ';
    }
    memcpy(&zOut[iOut], pN->az[i], n);
    iOut += (i64)n;
  }
  zOut[iOut] = 0;
  return zOut;
}

/*
** Names longer than this are never suggested.  It bounds the work, and saves
** a function without a context from having to allocate.
*/
#define TEXT_NEAR_MAX 64

static char textLower(char c){
  return (c>='A' && c<='Z') ? (char)(c + ('a'-'A')) : c;
}

static int textMin(int a, int b){ return a<b ? a : b; }

/*
** The number of edits that make one text the other, without case: insert,
** delete or replace a byte, or swap two neighbours.
*/
static int textDistance(const char *zA, int nA, const char *zB, int nB){
  int aRow[3][TEXT_NEAR_MAX+1];
  int *aTwoUp = aRow[0];      /* Row i-2 of the usual table */
  int *aUp = aRow[1];         /* Row i-1 */
  int *aCur = aRow[2];        /* Row i */
  int i, j;

  assert( nA<=TEXT_NEAR_MAX && nB<=TEXT_NEAR_MAX );
  for(j=0; j<=nB; j++) aUp[j] = j;
  for(i=1; i<=nA; i++){
    int *aSpare;
    char a = textLower(zA[i-1]);
    aCur[0] = i;
    for(j=1; j<=nB; j++){
      char b = textLower(zB[j-1]);
      int d = aUp[j-1] + (a!=b);
      d = textMin(d, aUp[j] + 1);
      d = textMin(d, aCur[j-1] + 1);
      if( i>1 && j>1
       && a==textLower(zB[j-2]) && b==textLower(zA[i-2])
      ){
        d = textMin(d, aTwoUp[j-2] + 1);
      }
      aCur[j] = d;
    }
    aSpare = aTwoUp;
    aTwoUp = aUp;
    aUp = aCur;
    aCur = aSpare;
  }
  return aUp[nB];
}

/* True if zIn holds z, without case. */
static int textHolds(const char *zIn, int nIn, const char *z, int n){
  int i;
  for(i=0; i+n<=nIn; i++){
    if( sqlite3_strnicmp(&zIn[i], z, n)==0 ) return 1;
  }
  return 0;
}

/*
** How far a candidate is from z; 0 is equal, and -1 is too far to be worth
** a suggestion.  About one byte in three may differ.  Past that, a name that
** is a part of the other ("scd_type", "stored_as_scd_type") still counts.
*/
static int textNearness(const char *z, int n, const char *zCand, int nCand){
  int nMax = n>nCand ? n : nCand;
  int nMin = n<nCand ? n : nCand;
  int nLimit = nMax<6 ? 1 : nMax/3;
  int d;
  if( nMin==0 || nMax>TEXT_NEAR_MAX ) return -1;
  d = textDistance(z, n, zCand, nCand);
  if( d<=nLimit && d<nMin ) return d;
  if( nMin>=4
   && (textHolds(z, n, zCand, nCand) || textHolds(zCand, nCand, z, n))
  ){
    return TEXT_NEAR_MAX + d;
  }
  return -1;
}

/* Of equals the first wins.  The result is one of az, and owned as that. */
const char *acdcNearest(const char *z, const char *const*az, int n){
  const char *zBest = 0;
  int iBest = 0;
  int i;
  size_t nByte;
  if( z==0 ) return 0;
  nByte = strlen(z);
  if( nByte>TEXT_NEAR_MAX ) return 0;
  for(i=0; i<n; i++){
    size_t nCand = az[i] ? strlen(az[i]) : 0;
    int d;
    if( nCand==0 || nCand>TEXT_NEAR_MAX ) continue;
    d = textNearness(z, (int)nByte, az[i], (int)nCand);
    if( d<0 ) continue;
    if( zBest==0 || d<iBest ){
      zBest = az[i];
      iBest = d;
    }
  }
  return zBest;
}

/* The quote that ends what c begins, or 0 if c begins nothing. */
static char textCloser(char c){
  if( c=='"' || c=='`' || c=='\'' ) return c;
  if( c=='[' ) return ']';
  return 0;
}

/*
** z begins with a quote.  Return the offset just past the quote that ends
** it, or -1 if none does.  A doubled quote stands for itself; "]" has no
** such form.
*/
static i64 textQuotedEnd(const char *z){
  char cEnd = textCloser(z[0]);
  i64 i;
  for(i=1; z[i]; i++){
    if( z[i]!=cEnd ) continue;
    if( cEnd!=']' && z[i+1]==cEnd ){
      i++;
    }else{
      return i+1;
    }
  }
  return -1;
}

/*
** The length of the unit of SQL text that starts at z, which is not at its
** end: a whole quoted text or comment, else one byte.  One that is not ended
** goes up to the end of the text.
*/
static i64 textUnit(const char *z){
  i64 n;
  if( textCloser(z[0]) ){
    n = textQuotedEnd(z);
    return n<0 ? (i64)strlen(z) : n;
  }
  if( z[0]=='-' && z[1]=='-' ){
    for(n=2; z[n] && z[n]!='\n'; n++){}
    return n;
  }
  if( z[0]=='/' && z[1]=='*' ){
    const char *zEnd = strstr(&z[2], "*/");
    return zEnd ? (i64)(zEnd - z) + 2 : (i64)strlen(z);
  }
  return 1;
}

/* Narrow the n bytes at *pz to what is left without blanks around. */
static i64 textTrim(const char **pz, i64 n){
  const char *z = *pz;
  while( n>0 && textIsBlank(z[0]) ){ z++; n--; }
  while( n>0 && textIsBlank(z[n-1]) ) n--;
  *pz = z;
  return n;
}

static void textAddTrimmed(AcdcCtx *p, AcdcNames *pOut, const char *z, i64 n){
  n = textTrim(&z, n);
  acdcNamesAdd(p, pOut, z, n);
}

/*
** Nothing between two commas is an entry too, an empty one: the caller knows
** what to say of it.
*/
void acdcSplitList(AcdcCtx *p, const char *z, AcdcNames *pOut){
  const char *zAll = z;
  i64 iStart = 0;
  i64 i = 0;
  int nDepth = 0;
  if( p->rc!=SQLITE_OK || z==0 ) return;
  if( textTrim(&zAll, (i64)strlen(z))==0 ) return;
  while( z[i] ){
    char c = z[i];
    if( c=='(' ){
      nDepth++;
    }else if( c==')' && nDepth>0 ){
      nDepth--;
    }else if( c==',' && nDepth==0 ){
      textAddTrimmed(p, pOut, &z[iStart], i-iStart);
      iStart = i+1;
    }
    i += textUnit(&z[i]);
  }
  textAddTrimmed(p, pOut, &z[iStart], i-iStart);
}

/* As acdcUnquote(), for n bytes that need not be terminated by a zero. */
static char *textUnquote(AcdcCtx *p, const char *z, i64 n){
  char *zOut;
  char cEnd;
  i64 i, j;
  n = textTrim(&z, n);
  zOut = acdcStrndup(p, z, n);
  if( zOut==0 || zOut[0]=='\'' ) return zOut;
  cEnd = textCloser(zOut[0]);
  if( cEnd==0 || textQuotedEnd(zOut)!=n ) return zOut;
  for(i=1, j=0; i<n-1; i++){
    zOut[j++] = zOut[i];
    if( zOut[i]==cEnd ) i++;
  }
  zOut[j] = 0;
  return zOut;
}

char *acdcUnquote(AcdcCtx *p, const char *z){
  if( z==0 ) return 0;
  return textUnquote(p, z, (i64)strlen(z));
}

/*
** The first dot outside quotes parts the two; a further dot belongs to the
** name.  Without text on both sides there is no schema.
*/
void acdcSplitName(AcdcCtx *p, const char *z, char **pzSchema, char **pzName){
  i64 n, nFirst, iDot;
  *pzSchema = 0;
  *pzName = 0;
  if( p->rc!=SQLITE_OK || z==0 ) return;
  n = textTrim(&z, (i64)strlen(z));
  iDot = 0;
  if( n>0 && z[0]!='\'' && textCloser(z[0]) ){
    iDot = textQuotedEnd(z);
    if( iDot<0 ) iDot = n;
    while( iDot<n && textIsBlank(z[iDot]) ) iDot++;
    if( iDot<n && z[iDot]!='.' ) iDot = n;
  }else{
    while( iDot<n && z[iDot]!='.' ) iDot++;
  }
  nFirst = iDot;
  if( nFirst>0 && iDot+1<n ){
    *pzSchema = textUnquote(p, z, nFirst);
    *pzName = textUnquote(p, &z[iDot+1], n-iDot-1);
  }else{
    *pzName = textUnquote(p, z, n);
  }
  if( p->rc!=SQLITE_OK ){
    sqlite3_free(*pzSchema);
    sqlite3_free(*pzName);
    *pzSchema = 0;
    *pzName = 0;
  }
}
