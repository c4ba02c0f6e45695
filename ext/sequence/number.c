/*
** Exact decimals.
**
** A number of a sequence is never computed with in floating point.  A double
** is met in two places only: a REAL that comes in is turned into digits, and
** digits that go out as REAL are turned back, and both directions are checked
** against each other.  The C library does these two conversions where one
** exact division cannot; texts given to it hold no decimal point and the point
** that it writes is skipped, so that the process's locale has no say.
*/
#include "seqint.h"
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

/* Exponents of JSON numbers are cut to this; all of them are out of range. */
#define DEC_MAXEXP 100000

#define decIsBlank(c) ((c)==' ' || (c)=='\t' || (c)=='\r' || (c)=='\n')
#define decIsDigit(c) ((u8)((c)-'0')<=9)

static const char decTooLong[] =
  "has more than 38 digits before the point, more than a sequence can have: "
  "scale it down in sequence_by";
static const char decTooLow[] =
  "is below -9223372036854775808, the least whole number that a sequence can "
  "have: shift it in sequence_by";
static const char decTooFine[] =
  "has more digits than a REAL keeps exactly: round it in sequence_by, or "
  "multiply it there to a whole number";

int acdcDecDigits(const u8 *z, int n, i64 *pi){
  u64 v = 0;
  int i;
  if( n<1 || n>18 ) return 0;
  for(i=0; i<n; i++){
    unsigned d = (unsigned)z[i] - '0';
    if( d>9 ) return 0;
    v = v*10 + d;
  }
  *pi = (i64)v;
  return 1;
}

/* Add a digit at the end.  Leading zeros must not come here. */
static void decPush(AcdcDec *p, int d){
  if( p->nDigit<ACDC_DEC_DIGITS ){
    p->aDigit[p->nDigit++] = (u8)d;
  }else if( d ){
    p->bLong = 1;
  }
}

/* Bring the number of digits to the least; no digits at all is plain zero. */
static void decTrim(AcdcDec *p){
  while( p->nDigit>0 && p->aDigit[p->nDigit-1]==0 ) p->nDigit--;
  if( p->nDigit==0 ){
    p->bNeg = 0;
    p->iExp = 0;
  }
}

/* Read "e[+-]digits" at z.  Returns the bytes read, 0 if there is none. */
static int decExponent(const u8 *z, int n, int *pi){
  int i = 1, v = 0, bNeg = 0;
  if( n<2 || (z[0]!='e' && z[0]!='E') ) return 0;
  if( z[1]=='-' || z[1]=='+' ){
    bNeg = z[1]=='-';
    i = 2;
  }
  if( i>=n || !decIsDigit(z[i]) ) return 0;
  for(; i<n && decIsDigit(z[i]); i++){
    if( v<DEC_MAXEXP ) v = v*10 + (z[i]-'0');
  }
  if( v>DEC_MAXEXP ) v = DEC_MAXEXP;
  *pi = bNeg ? -v : v;
  return i;
}

int acdcDecText(AcdcDec *p, const u8 *z, int n, int bExp){
  int i = 0, nSeen = 0, bPoint = 0, iExp = 0;
  while( n>0 && decIsBlank(z[n-1]) ) n--;
  while( n>0 && decIsBlank(z[0]) ){
    z++;
    n--;
  }
  p->bNeg = p->bLong = 0;
  p->nDigit = p->iExp = 0;
  if( n>0 && (z[0]=='-' || z[0]=='+') ){
    p->bNeg = z[0]=='-';
    i = 1;
  }
  for(; i<n; i++){
    if( decIsDigit(z[i]) ){
      int d = z[i] - '0';
      nSeen = 1;
      if( p->nDigit>0 || d ){
        decPush(p, d);
        if( !bPoint ) p->iExp++;
      }else if( bPoint ){
        p->iExp--;
      }
    }else if( z[i]=='.' && !bPoint ){
      bPoint = 1;
    }else{
      break;
    }
  }
  if( nSeen==0 ) return 0;
  if( i<n && bExp ) i += decExponent(&z[i], n-i, &iExp);
  if( i<n ) return 0;
  decTrim(p);
  if( p->nDigit ) p->iExp += iExp;
  return 1;
}

void acdcDecInt(AcdcDec *p, i64 i){
  u8 a[20];
  int n = 0;
  u64 v = i<0 ? ~(u64)i + 1 : (u64)i;
  p->bNeg = i<0;
  p->bLong = 0;
  while( v ){
    a[n++] = (u8)(v%10);
    v /= 10;
  }
  p->iExp = n;
  p->nDigit = 0;
  while( n>0 ) p->aDigit[p->nDigit++] = a[--n];
  decTrim(p);
}

/*
** Whole numbers below 10^15 and powers of ten to 10^22 are exact as doubles,
** and one division of two of them is rounded once, as the C library would do:
** where doubles are computed as doubles.
*/
#if FLT_EVAL_METHOD==0
# define DEC_DIVIDE 1
#else
# define DEC_DIVIDE 0
#endif
#define DEC_MAXPOW 22
static const double decPow[DEC_MAXPOW+1] = {
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
  1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/* The REAL nearest to the digits, without their sign. */
static double decToReal(const AcdcDec *p){
  char z[ACDC_DEC_DIGITS+16];
  int i, nFrac = p->nDigit - p->iExp;
  if( DEC_DIVIDE && p->nDigit<=15 && nFrac>=0 && nFrac<=DEC_MAXPOW ){
    i64 v = 0;
    for(i=0; i<p->nDigit; i++) v = v*10 + p->aDigit[i];
    return (double)v / decPow[nFrac];
  }
  for(i=0; i<p->nDigit; i++) z[i] = (char)('0' + p->aDigit[i]);
  snprintf(&z[i], sizeof(z)-(size_t)i, "e%d", p->iExp - p->nDigit);
  return i==0 ? 0.0 : strtod(z, 0);
}

/* The first nPrec digits of r, which is above zero. */
static void decRound(AcdcDec *p, double r, int nPrec){
  char z[64];
  int i;
  snprintf(z, sizeof(z), "%.*e", nPrec-1, r);
  p->nDigit = 0;
  for(i=0; z[i] && z[i]!='e'; i++){
    if( decIsDigit(z[i]) ) decPush(p, z[i]-'0');
  }
  p->iExp = z[i] ? 1 + atoi(&z[i+1]) : 0;
  decTrim(p);
}

/*
** The digits of r, above zero, if there are at most 15 with at most 9 after
** the point: then no other decimal of 15 digits is nearer.  Returns 0 if not.
*/
static int decShort(AcdcDec *p, double r){
  int k;
  for(k=1; DEC_DIVIDE && k<=9; k++){
    double x = r*decPow[k];
    i64 v;
    if( x>=1e15 ) break;
    v = (i64)(x + 0.5);
    if( (double)v/decPow[k]==r ){
      acdcDecInt(p, v);
      p->iExp -= k;
      return 1;
    }
  }
  return 0;
}

int acdcDecReal(AcdcDec *p, double r){
  double a = r<0.0 ? -r : r;
  int nPrec;
  if( !(a<=DBL_MAX) ) return 0;
  if( a<9223372036854775808.0 && (double)(i64)r==r ){
    acdcDecInt(p, (i64)r);
    return 1;
  }
  if( a>=9223372036854775808.0 ){
    char z[DBL_MAX_10_EXP+8];
    int n = snprintf(z, sizeof(z), "%.0f", r);
    return acdcDecText(p, (const u8*)z, n, 0);
  }
  if( decShort(p, a) ){
    p->bNeg = r<0.0;
    return 1;
  }
  p->bLong = 0;
  for(nPrec=15; nPrec<=17; nPrec++){
    p->bNeg = r<0.0;
    decRound(p, a, nPrec);
    if( decToReal(p)==a ) break;
  }
  return 1;
}

int acdcDecToInt(const AcdcDec *p, i64 *pi){
  u64 v = 0;
  int i;
  if( p->bLong || p->iExp<p->nDigit || p->iExp>19 ) return 0;
  for(i=0; i<p->iExp; i++){
    v = v*10 + (i<p->nDigit ? p->aDigit[i] : 0);
  }
  if( p->bNeg ){
    if( v>(u64)1<<63 ) return 0;
    *pi = v==0 ? 0 : -(i64)(v-1) - 1;
  }else{
    if( v>=(u64)1<<63 ) return 0;
    *pi = (i64)v;
  }
  return 1;
}

/* Are they the same value? */
static int decSame(const AcdcDec *pA, const AcdcDec *pB){
  return pA->bNeg==pB->bNeg && pA->nDigit==pB->nDigit && pA->iExp==pB->iExp
      && memcmp(pA->aDigit, pB->aDigit, (size_t)pA->nDigit)==0;
}

const char *acdcDecShown(const AcdcDec *p, u8 *aBuf, AcdcVal *pOut){
  AcdcDec back;
  double r;
  int i;
  if( acdcDecToInt(p, &pOut->u.i) ){
    pOut->eType = SQLITE_INTEGER;
    pOut->n = 0;
    return 0;
  }
  if( p->iExp>ACDC_DEC_DIGITS ) return decTooLong;
  if( p->bLong ) return decTooFine;
  if( p->iExp>=p->nDigit ){
    int nPad = ACDC_DEC_DIGITS - p->iExp;
    if( p->bNeg ) return decTooLow;
    memset(aBuf, '0', ACDC_DEC_DIGITS);
    for(i=0; i<p->nDigit; i++) aBuf[nPad+i] = (u8)('0' + p->aDigit[i]);
    pOut->eType = SQLITE_TEXT;
    pOut->n = ACDC_DEC_DIGITS;
    pOut->u.z = aBuf;
    return 0;
  }
  if( p->nDigit>17 ) return decTooFine;
  r = decToReal(p);
  /* A decimal of 15 digits survives any REAL that is not denormal. */
  if( p->nDigit>15 || p->iExp<-300 ){
    if( !acdcDecReal(&back, p->bNeg ? -r : r) || !decSame(p, &back) ){
      return decTooFine;
    }
  }
  pOut->eType = SQLITE_FLOAT;
  pOut->n = 0;
  pOut->u.r = p->bNeg ? -r : r;
  return 0;
}

/*
** Zero is the one byte 01.  A value above zero is 02, the exponent in two
** bytes, two digits per byte plus one, 00.  A value below zero is 00 and the
** bitwise complement of what would follow the 02.
*/
int acdcDecOrd(const AcdcDec *p, u8 *aOut){
  unsigned x = (unsigned)(p->iExp + 0x4000);
  u8 m = p->bNeg ? 0xff : 0;
  int i, n = 0;
  if( p->nDigit==0 ){
    aOut[0] = 1;
    return 1;
  }
  aOut[n++] = p->bNeg ? 0 : 2;
  aOut[n++] = (u8)((x>>8) ^ m);
  aOut[n++] = (u8)((x&0xff) ^ m);
  for(i=0; i<p->nDigit; i+=2){
    int v = p->aDigit[i]*10 + (i+1<p->nDigit ? p->aDigit[i+1] : 0);
    aOut[n++] = (u8)((v+1) ^ m);
  }
  aOut[n++] = m;
  return n;
}

/* Write nZero zeros, or the digits from iFrom on, and return their number. */
static int decPut(const AcdcDec *p, u8 *aOut, int nZero, int iFrom, int iTo){
  int n = 0;
  while( nZero-->0 ) aOut[n++] = '0';
  for(; iFrom<iTo; iFrom++) aOut[n++] = (u8)('0' + p->aDigit[iFrom]);
  return n;
}

int acdcDecJson(const AcdcDec *p, u8 *aOut){
  int n = 0;
  if( p->bNeg ) aOut[n++] = '-';
  if( p->iExp>=p->nDigit ){
    n += decPut(p, &aOut[n], p->nDigit==0, 0, p->nDigit);
    n += decPut(p, &aOut[n], p->iExp - p->nDigit, 0, 0);
  }else if( p->iExp>0 ){
    n += decPut(p, &aOut[n], 0, 0, p->iExp);
    aOut[n++] = '.';
    n += decPut(p, &aOut[n], 0, p->iExp, p->nDigit);
  }else if( p->iExp>-5 ){
    aOut[n++] = '0';
    aOut[n++] = '.';
    n += decPut(p, &aOut[n], -p->iExp, 0, p->nDigit);
  }else{
    n += decPut(p, &aOut[n], 0, 0, 1);
    if( p->nDigit>1 ) aOut[n++] = '.';
    n += decPut(p, &aOut[n], 0, 1, p->nDigit);
    n += snprintf((char*)&aOut[n], 8, "e%d", p->iExp-1);
  }
  return n;
}
