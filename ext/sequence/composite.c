/*
** Sequences of more than one part.
**
** Order bytes: those of the parts, one after the other, each packed so that
** none is the beginning of another.  Numbers are so by themselves; an instant
** gets a zero byte at its end; text and blobs have every 00 as 00 FF and
** 00 00 at their end.
**
** Shown: a compact JSON array.  A whole number of 64 bits and a REAL are JSON
** numbers, a greater whole number is a string of its digits, text and instants
** are strings with only '"', '\' and control characters escaped, a blob is
** {"hex":"..."} with capital letters.  The array names the classes of its
** parts without further knowledge, because text that looks like a number or
** an instant never is of class text.
*/
#include "seqint.h"

#define COMP_HEX "{\"hex\":\""

/* ---------------------------------------------------------------------
** Order bytes
*/

/* n bytes with each 00 as 00 FF, and 00 00.  aOut may be NULL to count. */
static i64 compEscape(const u8 *z, int n, u8 *aOut){
  i64 k = 0;
  int i;
  for(i=0; i<n; i++){
    if( aOut ) aOut[k] = z[i];
    k++;
    if( z[i]==0 ){
      if( aOut ) aOut[k] = 0xff;
      k++;
    }
  }
  if( aOut ) aOut[k] = aOut[k+1] = 0;
  return k+2;
}

i64 acdcSeqPartPack(u8 eClass, const AcdcSeq *pS, u8 *aOut){
  u8 aBuf[ACDC_SEQ_SPARE];
  int n;
  const u8 *a = acdcSeqPartOrd(eClass, pS, aBuf, &n);
  if( eClass==ACDC_SEQ_TEXT || eClass==ACDC_SEQ_BLOB ){
    return compEscape(a, n, aOut);
  }
  if( aOut ) memcpy(aOut, a, (size_t)n);
  if( eClass==ACDC_SEQ_INSTANT ){
    if( aOut ) aOut[n] = 0;
    n++;
  }
  return n;
}

/* ---------------------------------------------------------------------
** Shown form
*/
static const char compHexDigit[] = "0123456789ABCDEF";

/* The letter that comes after a backslash for c, 'u', or 0 for c itself. */
static int compEscapeLetter(u8 c){
  if( c>=0x20 ) return c=='"' || c=='\\' ? c : 0;
  switch( c ){
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
  }
  return 'u';
}

/* n bytes as a JSON string.  aOut may be NULL to count. */
static i64 compString(const u8 *z, int n, u8 *aOut){
  i64 k = 0;
  int i;
  if( aOut ) aOut[k] = '"';
  k++;
  for(i=0; i<n; i++){
    int c = compEscapeLetter(z[i]);
    if( c==0 ){
      if( aOut ) aOut[k] = z[i];
      k++;
      continue;
    }
    if( aOut ){
      aOut[k] = '\\';
      aOut[k+1] = (u8)c;
    }
    k += 2;
    if( c=='u' ){
      if( aOut ){
        aOut[k] = aOut[k+1] = '0';
        aOut[k+2] = (u8)compHexDigit[z[i]>>4];
        aOut[k+3] = (u8)compHexDigit[z[i]&15];
      }
      k += 4;
    }
  }
  if( aOut ) aOut[k] = '"';
  return k+1;
}

/* n bytes as {"hex":"..."}.  aOut may be NULL to count. */
static i64 compBlob(const u8 *z, int n, u8 *aOut){
  const int nHead = (int)sizeof(COMP_HEX) - 1;
  int i;
  if( aOut ){
    memcpy(aOut, COMP_HEX, (size_t)nHead);
    aOut += nHead;
    for(i=0; i<n; i++){
      *aOut++ = (u8)compHexDigit[z[i]>>4];
      *aOut++ = (u8)compHexDigit[z[i]&15];
    }
    aOut[0] = '"';
    aOut[1] = '}';
  }
  return (i64)nHead + 2*(i64)n + 2;
}

i64 acdcSeqPartJson(u8 eClass, const AcdcSeq *pS, u8 *aOut){
  const AcdcVal *pV = &pS->shown;
  AcdcDec dec;
  u8 aBuf[ACDC_SEQ_SPARE];
  if( pV->eType==SQLITE_INTEGER ){
    acdcDecInt(&dec, pV->u.i);
  }else if( pV->eType==SQLITE_FLOAT ){
    acdcDecReal(&dec, pV->u.r);
  }else if( pV->eType==SQLITE_BLOB ){
    return compBlob(pV->u.z, pV->n, aOut);
  }else{
    int i = 0;
    if( eClass==ACDC_SEQ_NUMBER ){
      while( i<pV->n-1 && pV->u.z[i]=='0' ) i++;
    }
    return compString(&pV->u.z[i], pV->n-i, aOut);
  }
  return acdcDecJson(&dec, aOut ? aOut : aBuf);
}

void acdcSeqCompose(
  AcdcCtx *p,
  int nPart,
  const u8 *aClass,
  const AcdcSeq *aPart,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  i64 nOrd = 0, nText = 1;      /* "[", and one more byte after each part */
  u8 *aOrd, *aText;
  int i;
  for(i=0; i<nPart; i++){
    nOrd += acdcSeqPartPack(aClass[i], &aPart[i], 0);
    nText += acdcSeqPartJson(aClass[i], &aPart[i], 0) + 1;
  }
  if( nOrd>0x7fffffff || nText>0x7fffffff ){
    acdcError(p, SQLITE_TOOBIG, "a sequence value of %d parts is longer than "
        "2 GB: shorten it in sequence_by", nPart);
    return;
  }
  aOrd = acdcArenaAlloc(p, pA, nOrd + nText);
  if( aOrd==0 ) return;
  aText = &aOrd[nOrd];
  pOut->isInt = 0;
  pOut->iOrd = 0;
  pOut->pOrd = aOrd;
  pOut->nOrd = (int)nOrd;
  pOut->shown.eType = SQLITE_TEXT;
  pOut->shown.n = (int)nText;
  pOut->shown.u.z = aText;
  *aText++ = '[';
  for(i=0; i<nPart; i++){
    aOrd += acdcSeqPartPack(aClass[i], &aPart[i], aOrd);
    aText += acdcSeqPartJson(aClass[i], &aPart[i], aText);
    *aText++ = i<nPart-1 ? ',' : ']';
  }
}

/* ---------------------------------------------------------------------
** Reading the shown form
*/
typedef struct CompText CompText;
struct CompText {
  const u8 *z;         /* What is left of the text */
  const u8 *zEnd;
};

/* The next byte, or 0 at the end. */
static int compPeek(const CompText *pT){
  return pT->z<pT->zEnd ? *pT->z : 0;
}

static void compBlanks(CompText *pT){
  int c = compPeek(pT);
  while( c==' ' || c=='\t' || c=='\r' || c=='\n' ){
    pT->z++;
    c = compPeek(pT);
  }
}

/* Skip blanks, z, and blanks.  Returns 0 if z is not there. */
static int compSkip(CompText *pT, const char *z){
  size_t n = strlen(z);
  compBlanks(pT);
  if( (size_t)(pT->zEnd - pT->z)<n || memcmp(pT->z, z, n)!=0 ) return 0;
  pT->z += n;
  compBlanks(pT);
  return 1;
}

/* Skip digits and return their number. */
static int compDigits(CompText *pT){
  int n = 0;
  while( compPeek(pT)>='0' && compPeek(pT)<='9' ){
    pT->z++;
    n++;
  }
  return n;
}

/* A number as JSON has it.  Returns 0 if there is none. */
static int compNumber(CompText *pT, AcdcMember *pOut){
  const u8 *zBegin = pT->z;
  int bZero, n;
  if( compPeek(pT)=='-' ) pT->z++;
  bZero = compPeek(pT)=='0';
  n = compDigits(pT);
  if( n==0 || (bZero && n>1) ) return 0;
  if( compPeek(pT)=='.' ){
    pT->z++;
    if( compDigits(pT)==0 ) return 0;
  }
  if( compPeek(pT)=='e' || compPeek(pT)=='E' ){
    pT->z++;
    if( compPeek(pT)=='-' || compPeek(pT)=='+' ) pT->z++;
    if( compDigits(pT)==0 ) return 0;
  }
  pOut->v.eType = SQLITE_TEXT;
  pOut->v.n = (int)(pT->z - zBegin);
  pOut->v.u.z = zBegin;
  pOut->fPart = ACDC_PART_JSONNUM;
  return 1;
}

static int compHexValue(int c){
  if( c>='0' && c<='9' ) return c - '0';
  if( c>='A' && c<='F' ) return c - 'A' + 10;
  if( c>='a' && c<='f' ) return c - 'a' + 10;
  return -1;
}

/* Four hexadecimal digits, or -1. */
static int compUnit(CompText *pT){
  int i, v = 0;
  for(i=0; i<4; i++){
    int h = compHexValue(compPeek(pT));
    if( h<0 ) return -1;
    v = v*16 + h;
    pT->z++;
  }
  return v;
}

/* Write a code point as UTF-8 and return the number of bytes. */
static int compUtf8(unsigned c, u8 *a){
  if( c<0x80 ){
    a[0] = (u8)c;
    return 1;
  }
  if( c<0x800 ){
    a[0] = (u8)(0xc0 | (c>>6));
    a[1] = (u8)(0x80 | (c&0x3f));
    return 2;
  }
  if( c<0x10000 ){
    a[0] = (u8)(0xe0 | (c>>12));
    a[1] = (u8)(0x80 | ((c>>6)&0x3f));
    a[2] = (u8)(0x80 | (c&0x3f));
    return 3;
  }
  a[0] = (u8)(0xf0 | (c>>18));
  a[1] = (u8)(0x80 | ((c>>12)&0x3f));
  a[2] = (u8)(0x80 | ((c>>6)&0x3f));
  a[3] = (u8)(0x80 | (c&0x3f));
  return 4;
}

/* What follows "\u": one unit or a pair.  Returns the bytes written, or 0. */
static int compUnicode(CompText *pT, u8 *aOut){
  int c = compUnit(pT);
  if( c<0 ) return 0;
  if( c>=0xd800 && c<0xdc00 && pT->zEnd - pT->z>=6
   && pT->z[0]=='\\' && pT->z[1]=='u'
  ){
    CompText t = *pT;
    int d;
    t.z += 2;
    d = compUnit(&t);
    if( d>=0xdc00 && d<0xe000 ){
      *pT = t;
      return compUtf8(0x10000 + (((unsigned)c-0xd800)<<10)
                              + ((unsigned)d-0xdc00), aOut);
    }
  }
  if( c>=0xd800 && c<0xe000 ) c = 0xfffd;
  return compUtf8((unsigned)c, aOut);
}

/*
** What follows a backslash.  Never longer than the escape itself.  Returns
** the number of bytes written to aOut, or 0 if it is no escape.
*/
static int compUnescape(CompText *pT, u8 *aOut){
  static const char zFrom[] = "\"\\/bfnrt";
  static const char zTo[] = "\"\\/\b\f\n\r\t";
  int c = compPeek(pT);
  const char *z;
  if( c==0 ) return 0;
  pT->z++;
  if( c=='u' ) return compUnicode(pT, aOut);
  z = strchr(zFrom, c);
  if( z==0 ) return 0;
  aOut[0] = (u8)zTo[z-zFrom];
  return 1;
}

/* A string.  Returns 0 if there is none, or out of memory. */
static int compReadString(
  AcdcCtx *p,
  CompText *pT,
  AcdcArena *pA,
  AcdcMember *pOut
){
  const u8 *zBegin;
  u8 *a = 0;
  int n = 0;
  if( compPeek(pT)!='"' ) return 0;
  zBegin = ++pT->z;
  while( pT->z<pT->zEnd && *pT->z!='"' ){
    u8 c = *pT->z++;
    if( c<0x20 ) return 0;
    if( c=='\\' ){
      int k;
      if( a==0 ){
        a = acdcArenaAlloc(p, pA, pT->zEnd - zBegin);
        if( a==0 ) return 0;
        memcpy(a, zBegin, (size_t)n);
      }
      k = compUnescape(pT, &a[n]);
      if( k==0 ) return 0;
      n += k;
    }else{
      if( a ) a[n] = c;
      n++;
    }
  }
  if( pT->z>=pT->zEnd ) return 0;
  pT->z++;
  pOut->v.eType = SQLITE_TEXT;
  pOut->v.n = n;
  pOut->v.u.z = a ? a : zBegin;
  pOut->fPart = 0;
  return 1;
}

/* What follows "{".  Returns 0 if it is not ours. */
static int compReadBlob(
  AcdcCtx *p,
  CompText *pT,
  AcdcArena *pA,
  AcdcMember *pOut
){
  int i, n;
  u8 *a;
  if( !compSkip(pT, "\"hex\"") || !compSkip(pT, ":") ) return 0;
  if( !compReadString(p, pT, pA, pOut) || !compSkip(pT, "}") ) return 0;
  n = pOut->v.n/2;
  if( pOut->v.n!=n*2 ) return 0;
  a = acdcArenaAlloc(p, pA, n+1);
  if( a==0 ) return 0;
  for(i=0; i<n; i++){
    int hi = compHexValue(pOut->v.u.z[2*i]);
    int lo = compHexValue(pOut->v.u.z[2*i+1]);
    if( hi<0 || lo<0 ) return 0;
    a[i] = (u8)(hi*16 + lo);
  }
  pOut->v.eType = SQLITE_BLOB;
  pOut->v.n = n;
  pOut->v.u.z = a;
  return 1;
}

static int compReadMember(
  AcdcCtx *p,
  CompText *pT,
  AcdcArena *pA,
  AcdcMember *pOut
){
  if( compSkip(pT, "null") ){
    memset(pOut, 0, sizeof(*pOut));
    pOut->v.eType = SQLITE_NULL;
    return 1;
  }
  if( compSkip(pT, "{") ) return compReadBlob(p, pT, pA, pOut);
  if( compPeek(pT)=='"' ) return compReadString(p, pT, pA, pOut);
  return compNumber(pT, pOut);
}

int acdcSeqMembers(
  AcdcCtx *p,
  const AcdcVal *pV,
  AcdcArena *pA,
  AcdcMember *aOut
){
  AcdcMember extra;
  CompText t;
  int n = 0;
  if( pV->eType!=SQLITE_TEXT ) return -1;
  t.z = pV->u.z;
  t.zEnd = t.z + pV->n;
  if( !compSkip(&t, "[") ) return -1;
  if( !compSkip(&t, "]") ){
    do{
      AcdcMember *pOut = n<ACDC_SEQ_MAXPART ? &aOut[n] : &extra;
      if( !compReadMember(p, &t, pA, pOut) ) return -1;
      n++;
    }while( compSkip(&t, ",") );
    if( !compSkip(&t, "]") ) return -1;
  }
  return t.z==t.zEnd ? n : -1;
}
