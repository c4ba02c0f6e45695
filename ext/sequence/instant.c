/*
** Instants in ISO-8601 text:
**
**    YYYY-MM-DD
**    YYYY-MM-DD{T| }HH:MM[:SS[.fraction]][ ][Z | +HH:MM | +HHMM | +HH]
**
** No zone is UTC, a date alone is its midnight.  The letters may be small,
** the point may be a comma, and blanks around it all do not matter.
** A million of these are read per run: no loop but for the fraction.
*/
#include "seqint.h"

#define instIsBlank(c) ((c)==' ' || (c)=='\t' || (c)=='\r' || (c)=='\n')
#define instIsDigit(c) ((u8)((c)-'0')<=9)

/* Two digits at z, or 999 */
static unsigned instTwo(const u8 *z){
  unsigned a = (unsigned)z[0] - '0';
  unsigned b = (unsigned)z[1] - '0';
  return a<=9 && b<=9 ? a*10 + b : 999;
}

/*
** Days from 1970-01-01 to the date.  Years are counted from March, so that
** the leap day is the last of its year; 400 years have 146097 days.
*/
static i64 instDays(int y, int m, int d){
  int iEra, iYear, iDay;
  if( m<=2 ) y--;
  iEra = (y>=0 ? y : y-399) / 400;
  iYear = y - iEra*400;
  iDay = (153*(m>2 ? m-3 : m+9) + 2)/5 + d - 1;
  return (i64)iEra*146097 + iYear*365 + iYear/4 - iYear/100 + iDay - 719468;
}

static int instDaysOfMonth(int y, int m){
  static const u8 aDay[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  return m==2 && (y%4)==0 && ((y%100)!=0 || (y%400)==0) ? 29 : aDay[m-1];
}

/*
** The digits of a fraction at z.  Returns their number.  Sets the
** microseconds, and what is left after them in *p.
*/
static int instFraction(AcdcInstant *p, const u8 *z, int n, int *piMicro){
  static const int aScale[] = { 0, 100000, 10000, 1000, 100, 10, 1 };
  int i, v = 0, nRest;
  for(i=0; i<n && instIsDigit(z[i]); i++){
    if( i<6 ) v = v*10 + (z[i]-'0');
  }
  *piMicro = v * aScale[i<6 ? i : 6];
  for(nRest = i-6; nRest>0 && z[6+nRest-1]=='0'; nRest--){}
  if( nRest>0 ){
    p->zRest = &z[6];
    p->nRest = nRest;
  }
  return i;
}

/*
** The zone: all n bytes at z, at least one.  Sets the minutes that it is
** ahead of UTC.  Returns ACDC_INSTANT_*.
*/
static int instZone(const u8 *z, int n, int *piMin){
  unsigned h, m = 0;
  if( z[0]==' ' && n>1 ){
    z++;
    n--;
  }
  if( z[0]=='Z' || z[0]=='z' ) return n==1;
  if( z[0]!='+' && z[0]!='-' ) return ACDC_INSTANT_NO;
  if( n==6 && z[3]==':' ){
    m = instTwo(&z[4]);
  }else if( n==5 ){
    m = instTwo(&z[3]);
  }else if( n!=3 ){
    return ACDC_INSTANT_NO;
  }
  h = instTwo(&z[1]);
  if( h==999 || m==999 ) return ACDC_INSTANT_NO;
  if( h>23 || m>59 ) return ACDC_INSTANT_BAD;
  *piMin = (int)(h*60 + m);
  if( z[0]=='-' ) *piMin = -*piMin;
  return ACDC_INSTANT_OK;
}

int acdcInstantText(AcdcInstant *p, const u8 *z, int n){
  unsigned c, y, m, d, h = 0, mi = 0, s = 0;
  int iMicro = 0, iZone = 0, i = 10, rc = ACDC_INSTANT_OK;
  while( n>0 && instIsBlank(z[n-1]) ) n--;
  while( n>0 && instIsBlank(z[0]) ){
    z++;
    n--;
  }
  if( n<10 || z[4]!='-' || z[7]!='-' ) return ACDC_INSTANT_NO;
  c = instTwo(z);
  y = instTwo(&z[2]);
  m = instTwo(&z[5]);
  d = instTwo(&z[8]);
  if( c==999 || y==999 || m==999 || d==999 ) return ACDC_INSTANT_NO;
  y += c*100;
  p->zRest = 0;
  p->nRest = 0;
  if( n>10 ){
    if( z[10]!=' ' && z[10]!='T' && z[10]!='t' ) return ACDC_INSTANT_NO;
    if( n<16 || z[13]!=':' ) return ACDC_INSTANT_NO;
    h = instTwo(&z[11]);
    mi = instTwo(&z[14]);
    i = 16;
    if( n>=19 && z[16]==':' ){
      s = instTwo(&z[17]);
      i = 19;
      if( n>20 && (z[19]=='.' || z[19]==',') ){
        int nFrac = instFraction(p, &z[20], n-20, &iMicro);
        if( nFrac==0 ) return ACDC_INSTANT_NO;
        i = 20 + nFrac;
      }
    }
    if( h==999 || mi==999 || s==999 ) return ACDC_INSTANT_NO;
    if( i<n ) rc = instZone(&z[i], n-i, &iZone);
    if( rc==ACDC_INSTANT_NO ) return ACDC_INSTANT_NO;
  }
  if( rc==ACDC_INSTANT_BAD || m<1 || m>12 || d<1 || h>23 || mi>59 || s>59
   || (d>28 && d>(unsigned)instDaysOfMonth((int)y, (int)m))
  ){
    return ACDC_INSTANT_BAD;
  }
  p->iMicro = (instDays((int)y, (int)m, (int)d)*86400
            + (i64)(h*3600 + mi*60 + s) - (i64)iZone*60)*1000000 + iMicro;
  return ACDC_INSTANT_OK;
}

/* Is the text of n bytes, an instant, of the form zForm? */
static int instHasForm(const char *zForm, const u8 *z, int n){
  int i;
  /* Where both begin with a digit the ten bytes of the date are alike. */
  for(i = instIsDigit(z[0]) && zForm[0]=='d' ? 10 : 0; i<n; i++){
    if( zForm[i]!=(instIsDigit(z[i]) ? 'd' : (char)z[i]) ) return 0;
  }
  return zForm[n]==0;
}

void acdcInstantForm(AcdcSeqKind *pKind, const u8 *z, int n){
  if( pKind->bMixedForm ) return;
  if( n>=(int)sizeof(pKind->zForm) ){
    pKind->bMixedForm = 1;
  }else if( pKind->zForm[0]==0 ){
    int i;
    for(i=0; i<n; i++){
      pKind->zForm[i] = instIsDigit(z[i]) ? 'd' : (char)z[i];
    }
    pKind->zForm[n] = 0;
  }else if( !instHasForm(pKind->zForm, z, n) ){
    pKind->bMixedForm = 1;
  }
}

int acdcInstantFormNative(const char *zForm){
  const char *zTime = strchr(zForm, ':');
  if( zForm[0]==0 ) return 0;
  return zTime==0 || strpbrk(zTime, "+-")==0;
}

void acdcInstantOrd(i64 i, u8 *aOut){
  u64 v = (u64)i ^ ((u64)1<<63);
  int k;
  for(k=7; k>=0; k--){
    aOut[k] = (u8)(v & 0xff);
    v >>= 8;
  }
}

i64 acdcInstantFromOrd(const u8 *a){
  u64 v = 0;
  int k;
  for(k=0; k<8; k++) v = (v<<8) | a[k];
  if( v>>63 ) return (i64)(v & ~((u64)1<<63));
  return -(i64)(((u64)1<<63) - 1 - v) - 1;
}
