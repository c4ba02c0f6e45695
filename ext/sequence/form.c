/*
** An instant in the written form that others have, so that SQL can compare it
** with them as text.
*/
#include "seqint.h"

/* Microseconds between neighbours in the form; 0 if it is not understood. */
static i64 formUnit(const char *zForm){
  static const i64 aUnit[] = { 1000000, 100000, 10000, 1000, 100, 10, 1 };
  int n = 0;
  if( strncmp(zForm, "dddd-dd-dd", 10)!=0 ) return 0;
  if( zForm[10]==0 ) return (i64)86400*1000000;
  if( strncmp(&zForm[11], "dd:dd", 5)!=0 ) return 0;
  if( zForm[16]!=':' ) return (i64)60*1000000;
  if( strncmp(&zForm[16], ":dd", 3)!=0 ) return 0;
  if( zForm[19]!='.' && zForm[19]!=',' ) return 1000000;
  while( zForm[20+n]=='d' ) n++;
  return aUnit[n<6 ? n : 6];
}

/* The date that is so many days after 1970-01-01 (instDays() turned round). */
static void formDate(i64 iDay, int *py, int *pm, int *pd){
  i64 iEra, iOf, iYear, iMarch;
  iDay += 719468;
  iEra = (iDay>=0 ? iDay : iDay-146096) / 146097;
  iOf = iDay - iEra*146097;
  iYear = (iOf - iOf/1460 + iOf/36524 - iOf/146096) / 365;
  iOf -= iYear*365 + iYear/4 - iYear/100;
  iMarch = (5*iOf + 2) / 153;
  *pd = (int)(iOf - (153*iMarch + 2)/5 + 1);
  *pm = (int)(iMarch<10 ? iMarch+3 : iMarch-9);
  *py = (int)(iYear + iEra*400 + (*pm<=2));
}

static void formPut(char *z, int n, i64 i){
  while( n-->0 ){
    z[n] = (char)('0' + i%10);
    i /= 10;
  }
}

int acdcSeqInForm(
  const AcdcSeqKind *pKind, const AcdcSeq *pS, int bUp, char *zOut
){
  const char *zForm = pKind->zForm;
  i64 iUnit = formUnit(zForm), i = pS->iOrd, iOff, iDay, iSec;
  int y, m, d, n = (int)strlen(zForm), k;
  if( iUnit==0 || !pS->isInt || pKind->bMixedForm ) return 0;
  iOff = i % iUnit;
  if( iOff<0 ) iOff += iUnit;
  i -= iOff;
  if( bUp && iOff ) i += iUnit;
  iOff = i % 1000000;
  if( iOff<0 ) iOff += 1000000;
  iSec = (i - iOff) / 1000000;
  iDay = iSec / 86400;
  iSec -= iDay*86400;
  if( iSec<0 ){
    iSec += 86400;
    iDay--;
  }
  formDate(iDay, &y, &m, &d);
  if( y<0 || y>9999 ) return 0;
  memcpy(zOut, zForm, (size_t)n + 1);
  formPut(zOut, 4, y);
  formPut(&zOut[5], 2, m);
  formPut(&zOut[8], 2, d);
  if( n>10 ){
    formPut(&zOut[11], 2, iSec/3600);
    formPut(&zOut[14], 2, iSec/60%60);
    if( zForm[16]==':' ) formPut(&zOut[17], 2, iSec%60);
    for(k=20; n>19 && zForm[16]==':' && zForm[k]=='d'; k++){
      static const int aScale[] = { 100000, 10000, 1000, 100, 10, 1 };
      zOut[k] = (char)('0' + (k<26 ? iOff/aScale[k-20]%10 : 0));
    }
  }
  return n;
}
