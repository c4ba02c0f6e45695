/*
** Text to numbers, exactly or not at all; see convert.h.
*/
#include "convert.h"
#include <stdio.h>
#include <stdlib.h>

u8 acdcConvOf(const char *zType){
  if( sqlite3_strnicmp(zType, "BOOL", 4)==0 ) return ACDC_CONV_BOOL;
  if( sqlite3_strnicmp(zType, "DATE", 4)==0
   || sqlite3_strnicmp(zType, "TIME", 4)==0
  ){
    return ACDC_CONV_NONE;
  }
  switch( acdcAffinity(zType) ){
    case 'B': return ACDC_CONV_TEXT;
    case 'C': return ACDC_CONV_NUMERIC;
    case 'D': return ACDC_CONV_INTEGER;
    case 'E': return ACDC_CONV_REAL;
    default:  return ACDC_CONV_NONE;
  }
}

/*
** A number taken apart: sign, digits without leading and trailing zeros, and
** the power of ten of the last one.  Value = digits * 10^iExp.
*/
typedef struct ConvNumber ConvNumber;
struct ConvNumber {
  u8 bNeg;
  u8 bPlain;           /* Spelled as an integer: no point, no exponent */
  int nDigit;          /* Significant digits; 0: the value is zero */
  int iExp;
  char aDigit[40];     /* The first of them */
  u64 uMant;           /* Value of the first 19 of them */
  int nMant;
};

static int isDigit(u8 c){ return c>='0' && c<='9'; }
static int isBlank(u8 c){ return c==' ' || (c>=9 && c<=13); }

/* Append a digit; zeros wait in *pnZero until another digit follows. */
static void numberDigit(ConvNumber *pN, u8 c, int *pnZero){
  if( c=='0' ){
    if( pN->nDigit ) (*pnZero)++;
    return;
  }
  for(; *pnZero>=0; (*pnZero)--){
    u8 d = *pnZero ? '0' : c;
    if( pN->nDigit<(int)sizeof(pN->aDigit) ) pN->aDigit[pN->nDigit] = (char)d;
    if( pN->nDigit<19 ){
      pN->uMant = pN->uMant*10 + (u64)(d-'0');
      pN->nMant++;
    }
    pN->nDigit++;
  }
  *pnZero = 0;
}

/*
** Take the text apart.  0 if it is not a decimal number that SQLite would
** take for one (blanks around it are allowed, hexadecimal is not).
*/
static int numberScan(const u8 *z, int n, ConvNumber *pN){
  const u8 *zEnd = z+n;
  int nZero = 0;
  int nAny = 0;
  memset(pN, 0, sizeof(*pN));
  pN->bPlain = 1;
  while( z<zEnd && isBlank(*z) ) z++;
  while( zEnd>z && isBlank(zEnd[-1]) ) zEnd--;
  if( zEnd-z>1000000 ) return 0;
  if( z<zEnd && (*z=='-' || *z=='+') ) pN->bNeg = *z++=='-';
  for(; z<zEnd && isDigit(*z); z++, nAny++) numberDigit(pN, *z, &nZero);
  if( z<zEnd && *z=='.' ){
    pN->bPlain = 0;
    for(z++; z<zEnd && isDigit(*z); z++, nAny++){
      numberDigit(pN, *z, &nZero);
      pN->iExp--;
    }
  }
  if( nAny==0 ) return 0;
  pN->iExp += nZero;
  if( z<zEnd && (*z=='e' || *z=='E') ){
    int e = 0, bNeg = 0;
    pN->bPlain = 0;
    z++;
    if( z<zEnd && (*z=='-' || *z=='+') ) bNeg = *z++=='-';
    if( z>=zEnd || !isDigit(*z) ) return 0;
    for(; z<zEnd && isDigit(*z); z++){
      if( e<100000 ) e = e*10 + (*z-'0');
    }
    pN->iExp += bNeg ? -e : e;
  }
  return z==zEnd;
}

/* As a 64-bit integer, if it is one. */
static int numberInt(const ConvNumber *pN, i64 *pi){
  u64 u = pN->uMant;
  u64 uMax = ((u64)1<<63) - (pN->bNeg ? 0 : 1);
  int e = pN->iExp;
  if( pN->nDigit==0 ){
    *pi = 0;
    return 1;
  }
  if( pN->nDigit>19 || e<0 || e>18 ) return 0;
  for(; e>0; e--){
    if( u>uMax/10 ) return 0;
    u *= 10;
  }
  if( u>uMax ) return 0;
  /* -2^63 has no positive counterpart */
  *pi = !pN->bNeg ? (i64)u : u==uMax ? -(i64)(u-1)-1 : -(i64)u;
  return 1;
}

/*
** The nearest double.  Small mantissas and powers are exact in doubles, so
** one rounding gives it; the others go to strtod(), spelled for its locale.
*/
static double numberReal(const ConvNumber *pN){
  static const double aPow[] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };
  double r;
  if( pN->nDigit==0 ){
    r = 0.0;
  }else if( pN->nDigit<=15 && pN->iExp>=-22 && pN->iExp<=22 ){
    r = (double)pN->uMant;
    if( pN->iExp<0 ) r /= aPow[-pN->iExp];
    else r *= aPow[pN->iExp];
  }else{
    /* Digits as an integer and an exponent need no decimal point.  Digits
    ** behind the 40th cannot be kept; one that is not zero stands for them. */
    char zBuf[80];
    int nKeep = pN->nDigit;
    int e = pN->iExp;
    if( nKeep>(int)sizeof(pN->aDigit) ){
      nKeep = (int)sizeof(pN->aDigit);
      e += pN->nDigit-nKeep;
    }
    memcpy(zBuf, pN->aDigit, (size_t)nKeep);
    if( nKeep<pN->nDigit ){
      zBuf[nKeep++] = '1';
      e--;
    }
    sqlite3_snprintf((int)sizeof(zBuf)-nKeep, &zBuf[nKeep], "e%d", e);
    r = strtod(zBuf, 0);
  }
  return pN->bNeg ? -r : r;
}

/* Does the shortest text of the double r give the same decimal again? */
static int numberExact(const ConvNumber *pN, double r){
  char zBuf[64];
  char zDigit[24];
  int i, n = 0;
  if( pN->nDigit<=15 ) return r-r==0.0;
  if( pN->nDigit>17 || r-r!=0.0 ) return 0;
  /* The C library rounds right; the point of its locale is not looked at. */
  snprintf(zBuf, sizeof(zBuf), "%.*e", pN->nDigit-1, r);
  for(i=0; zBuf[i] && zBuf[i]!='e'; i++){
    if( isDigit((u8)zBuf[i]) && n<(int)sizeof(zDigit) ) zDigit[n++] = zBuf[i];
  }
  while( n>0 && zDigit[n-1]=='0' ) n--;
  return n==pN->nDigit && memcmp(zDigit, pN->aDigit, (size_t)n)==0;
}

static void valText(const u8 *z, int n, AcdcVal *pOut){
  pOut->eType = SQLITE_TEXT;
  pOut->n = n;
  pOut->u.z = z;
}

static void valInt(i64 i, AcdcVal *pOut){
  pOut->eType = SQLITE_INTEGER;
  pOut->n = 0;
  pOut->u.i = i;
}

static void valReal(double r, AcdcVal *pOut){
  pOut->eType = SQLITE_FLOAT;
  pOut->n = 0;
  pOut->u.r = r;
}

/*
** Short plain integers are most of what there is: up to 18 digits, no sign
** but a minus, nothing else.  1 if it was one.
*/
static int convShort(const u8 *z, int n, i64 *pi){
  i64 v = 0;
  int i = n>0 && z[0]=='-';
  int bNeg = i;
  if( n-i<1 || n-i>18 ) return 0;
  for(; i<n; i++){
    u8 d = (u8)(z[i]-'0');
    if( d>9 ) return 0;
    v = v*10 + d;
  }
  *pi = bNeg ? -v : v;
  return 1;
}

/* A number that has been taken apart; z and n are its text. */
static int convScanned(
  u8 eConv,
  const ConvNumber *pN,
  const u8 *z, int n,
  AcdcVal *pOut
){
  i64 i;
  double r;
  if( eConv!=ACDC_CONV_REAL
   && (eConv!=ACDC_CONV_NONE || pN->bPlain)
   && numberInt(pN, &i)
  ){
    valInt(i, pOut);
    return 1;
  }
  r = numberReal(pN);
  if( eConv==ACDC_CONV_REAL ? r-r!=0.0 : (pN->bPlain || !numberExact(pN, r)) ){
    valText(z, n, pOut);
    return eConv!=ACDC_CONV_REAL;
  }
  valReal(r, pOut);
  return eConv!=ACDC_CONV_INTEGER;
}

static int wordIs(const u8 *z, int n, const char *zWord){
  return n==(int)strlen(zWord)
      && sqlite3_strnicmp((const char*)z, zWord, n)==0;
}

int acdcConvText(u8 eConv, const u8 *z, int n, AcdcVal *pOut){
  ConvNumber num;
  i64 i;
  if( eConv<=ACDC_CONV_NONE ){
    valText(z, n, pOut);
    return 1;
  }
  if( eConv==ACDC_CONV_BOOL ){
    int bTrue = wordIs(z, n, "true");
    if( bTrue || wordIs(z, n, "false") ){
      valInt(bTrue, pOut);
      return 1;
    }
  }
  if( convShort(z, n, &i) ){
    if( eConv==ACDC_CONV_REAL ){
      if( i>-9007199254740992LL && i<9007199254740992LL ){
        valReal((double)i, pOut);
        return 1;
      }
    }else{
      valInt(i, pOut);
      return eConv!=ACDC_CONV_BOOL || i==0 || i==1;
    }
  }
  if( numberScan(z, n, &num)==0 ){
    valText(z, n, pOut);
    return 0;
  }
  return convScanned(eConv==ACDC_CONV_BOOL ? ACDC_CONV_NUMERIC : eConv,
      &num, z, n, pOut) && eConv!=ACDC_CONV_BOOL;
}

int acdcConvNumber(u8 eConv, const u8 *z, int n, AcdcVal *pOut){
  ConvNumber num;
  i64 i;
  if( eConv!=ACDC_CONV_NONE ) return acdcConvText(eConv, z, n, pOut);
  if( convShort(z, n, &i) ){
    valInt(i, pOut);
    return 1;
  }
  if( numberScan(z, n, &num)==0 ){
    valText(z, n, pOut);
    return 0;
  }
  return convScanned(ACDC_CONV_NONE, &num, z, n, pOut);
}

/* Counted in eras of 400 years from the first of March of the year 0. */
i64 acdcTimeDays(i64 iYear, int iMonth, int iDay){
  i64 y = iYear - (iMonth<=2);
  i64 iEra = (y>=0 ? y : y-399)/400;
  i64 yoe = y - iEra*400;
  i64 doy = (153*(iMonth + (iMonth>2 ? -3 : 9)) + 2)/5 + iDay-1;
  i64 doe = yoe*365 + yoe/4 - yoe/100 + doy;
  return iEra*146097 + doe - 719468;
}

void acdcTimeText(i64 iMicro, int bMicro, char *zOut){
  i64 iSec = iMicro/1000000 - (iMicro%1000000<0);
  i64 iDay = iSec/86400 - (iSec%86400<0);
  int iTime = (int)(iSec - iDay*86400);
  i64 z = iDay + 719468;
  i64 iEra = (z>=0 ? z : z-146096)/146097;
  i64 doe = z - iEra*146097;
  i64 yoe = (doe - doe/1460 + doe/36524 - doe/146096)/365;
  int doy = (int)(doe - (365*yoe + yoe/4 - yoe/100));
  int mp = (5*doy + 2)/153;
  int iMonth = mp<10 ? mp+3 : mp-9;
  sqlite3_snprintf(ACDC_TIME_TEXT, zOut, "%04lld-%02d-%02d %02d:%02d:%02d",
      yoe + iEra*400 + (iMonth<=2), iMonth, doy - (153*mp+2)/5 + 1,
      iTime/3600, iTime/60%60, iTime%60);
  if( bMicro ){
    int n = (int)strlen(zOut);
    sqlite3_snprintf(ACDC_TIME_TEXT-n, zOut+n, ".%06d",
        (int)(iMicro - iSec*1000000));
  }
}

void acdcRealText(sqlite3_str *pOut, double r){
  char zBuf[40];
  ConvNumber num;
  char *z;
  int bReal = 0;
  int nDigit;
  if( r-r!=0.0 ){
    sqlite3_str_appendall(pOut, "null");
    return;
  }
  for(nDigit=15; nDigit<=17; nDigit++){
    snprintf(zBuf, sizeof(zBuf), "%.*g", nDigit, r);
    bReal = 0;
    for(z=zBuf; *z; z++){
      if( *z=='e' ) bReal = 1;
      if( isDigit((u8)*z) || strchr("+-e", *z) ) continue;
      *z = '.';              /* whatever the locale has */
      bReal = 1;
    }
    if( numberScan((u8*)zBuf, (int)strlen(zBuf), &num)
     && numberReal(&num)==r ) break;
  }
  sqlite3_str_appendf(pOut, "%s%s", zBuf, bReal ? "" : ".0");
}

void acdcJsonText(sqlite3_str *pOut, const u8 *z, i64 n){
  i64 i, iDone = 0;
  sqlite3_str_appendchar(pOut, 1, '"');
  for(i=0; i<n; i++){
    const char *zEsc = 0;
    if( z[i]>=0x20 && z[i]!='"' && z[i]!='\\' ) continue;
    switch( z[i] ){
      case '"':  zEsc = "\\\""; break;
      case '\\': zEsc = "\\\\"; break;
      case '\n': zEsc = "\\n"; break;
      case '\r': zEsc = "\\r"; break;
      case '\t': zEsc = "\\t"; break;
      default: break;
    }
    sqlite3_str_append(pOut, (const char*)&z[iDone], (int)(i-iDone));
    if( zEsc ) sqlite3_str_appendall(pOut, zEsc);
    else sqlite3_str_appendf(pOut, "\\u%04x", z[i]);
    iDone = i+1;
  }
  sqlite3_str_append(pOut, (const char*)&z[iDone], (int)(n-iDone));
  sqlite3_str_appendchar(pOut, 1, '"');
}
