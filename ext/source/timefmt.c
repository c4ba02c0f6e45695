/*
** Instants by a format; see timefmt.h.
*/
#include "timefmt.h"
#include "convert.h"

static const char *const azMonth[] = {
  "january", "february", "march", "april", "may", "june", "july", "august",
  "september", "october", "november", "december"
};

#define TIME_DIRECTIVES "YymbBdjHIpMSfz%"

int acdcTimeFormatHas(const char *zFormat, char c){
  const char *z;
  for(z=zFormat; *z; z++){
    if( *z!='%' ) continue;
    if( z[1]==c ) return 1;
    if( z[1]==0 ) break;
    z++;
  }
  return 0;
}

void acdcTimeFormatCheck(AcdcCtx *p, const char *zFormat){
  char aSeen[128];
  const char *z;
  memset(aSeen, 0, sizeof(aSeen));
  for(z=zFormat; *z && p->rc==0; z++){
    int c;
    if( *z!='%' ) continue;
    c = (u8)*++z;
    if( c==0 || strchr(TIME_DIRECTIVES, c)==0 ){
      acdcError(p, SQLITE_ERROR, "datetimeFormat \"%s\": %%%.1s is not known;"
          " %%Y %%y %%m %%b %%B %%d %%j %%H %%I %%p %%M %%S %%f %%z %%%% are",
          zFormat, z);
    }else if( c!='%' && aSeen[c]++ ){
      acdcError(p, SQLITE_ERROR, "datetimeFormat \"%s\" has %%%c twice",
          zFormat, c);
    }
    if( *z==0 ) break;
  }
  if( p->rc ) return;
  if( !aSeen['Y'] && !aSeen['y'] ){
    acdcError(p, SQLITE_ERROR, "datetimeFormat \"%s\" has no year (%%Y or %%y),"
        " so that versions of different years could not be told apart",
        zFormat);
  }else if( aSeen['I'] && !aSeen['p'] ){
    acdcError(p, SQLITE_ERROR, "datetimeFormat \"%s\" has %%I without %%p:"
        " morning or evening?", zFormat);
  }
}

/* What has been read so far; -1: not given. */
typedef struct TimeParts TimeParts;
struct TimeParts {
  int iYear, iMonth, iDay, iDoy;
  int iHour, iHour12, bPm;
  int iMinute, iSecond, nMicro;
  int nOffset;         /* Minutes east of UTC */
};

/*
** A parse under way.  A number without leading zeros may end in several
** places ("%m%d" on "111"): the longest is tried first, and the next if what
** follows does not fit.  nStep bounds that.
*/
typedef struct TimeScan TimeScan;
struct TimeScan {
  const char *zEnd;
  int nStep;
  TimeParts t;
};

static int timeMatch(TimeScan *pS, const char *zF, const char *z);

static int timeDigit(char c){ return c>='0' && c<='9'; }
static int timeBlank(char c){ return c==' ' || (c>=9 && c<=13); }

/*
** A number of nMin to nMax digits and between iMin and iMax, followed by what
** the format says.  *piOut keeps it if all fits.
*/
static int timeNumber(
  TimeScan *pS,
  const char *zF,
  const char *z,
  int nMin, int nMax,
  int iMin, int iMax,
  int *piOut
){
  int n, i;
  int nHave = 0;
  while( nHave<nMax && z+nHave<pS->zEnd && timeDigit(z[nHave]) ) nHave++;
  for(n=nHave; n>=nMin; n--){
    int v = 0;
    for(i=0; i<n; i++) v = v*10 + (z[i]-'0');
    if( v<iMin || v>iMax ) continue;
    *piOut = v;
    if( timeMatch(pS, zF, z+n) ) return 1;
  }
  return 0;
}

/* %f: the digits are the first of six. */
static int timeFraction(TimeScan *pS, const char *zF, const char *z){
  int n, i;
  int nHave = 0;
  while( nHave<6 && z+nHave<pS->zEnd && timeDigit(z[nHave]) ) nHave++;
  for(n=nHave; n>=1; n--){
    int v = 0;
    for(i=0; i<6; i++) v = v*10 + (i<n ? z[i]-'0' : 0);
    pS->t.nMicro = v;
    if( timeMatch(pS, zF, z+n) ) return 1;
  }
  return 0;
}

static int timeMonth(TimeScan *pS, const char *zF, const char *z, int bLong){
  int i;
  for(i=0; i<12; i++){
    int n = bLong ? (int)strlen(azMonth[i]) : 3;
    if( pS->zEnd-z<n || sqlite3_strnicmp(z, azMonth[i], n) ) continue;
    pS->t.iMonth = i+1;
    if( timeMatch(pS, zF, z+n) ) return 1;
  }
  return 0;
}

static int timeOffset(TimeScan *pS, const char *zF, const char *z){
  int v, n = 3;
  if( z<pS->zEnd && (*z=='Z' || *z=='z') ){
    pS->t.nOffset = 0;
    return timeMatch(pS, zF, z+1);
  }
  if( pS->zEnd-z<5 || (*z!='+' && *z!='-') ) return 0;
  if( z[3]==':' ) n = 4;
  if( pS->zEnd-z<n+2 ) return 0;
  if( !timeDigit(z[1]) || !timeDigit(z[2]) || !timeDigit(z[n])
   || !timeDigit(z[n+1]) ) return 0;
  v = ((z[1]-'0')*10 + z[2]-'0')*60 + (z[n]-'0')*10 + z[n+1]-'0';
  if( v>24*60 ) return 0;
  pS->t.nOffset = *z=='-' ? -v : v;
  return timeMatch(pS, zF, z+n+2);
}

static int timeAmPm(TimeScan *pS, const char *zF, const char *z){
  if( pS->zEnd-z<2 || (z[1]|0x20)!='m' ) return 0;
  if( (z[0]|0x20)!='a' && (z[0]|0x20)!='p' ) return 0;
  pS->t.bPm = (z[0]|0x20)=='p';
  return timeMatch(pS, zF, z+2);
}

/* Does the text at z fit the format at zF to its end? */
static int timeMatch(TimeScan *pS, const char *zF, const char *z){
  TimeParts *pT = &pS->t;
  for(;;){
    if( --pS->nStep<0 ) return 0;
    if( *zF==0 ) return z==pS->zEnd;
    if( timeBlank(*zF) ){
      if( z>=pS->zEnd || !timeBlank(*z) ) return 0;
      while( timeBlank(*zF) ) zF++;
      while( z<pS->zEnd && timeBlank(*z) ) z++;
      continue;
    }
    if( *zF=='%' && zF[1]!='%' ){
      const char *zN = zF+2;
      switch( zF[1] ){
        case 'Y': return timeNumber(pS, zN, z, 4, 4, 1, 9999, &pT->iYear);
        case 'y':
          if( !timeNumber(pS, zN, z, 2, 2, 0, 99, &pT->iYear) ) return 0;
          pT->iYear += pT->iYear<69 ? 2000 : 1900;
          return 1;
        case 'm': return timeNumber(pS, zN, z, 1, 2, 1, 12, &pT->iMonth);
        case 'd': return timeNumber(pS, zN, z, 1, 2, 1, 31, &pT->iDay);
        case 'j': return timeNumber(pS, zN, z, 1, 3, 1, 366, &pT->iDoy);
        case 'H': return timeNumber(pS, zN, z, 1, 2, 0, 23, &pT->iHour);
        case 'I': return timeNumber(pS, zN, z, 1, 2, 1, 12, &pT->iHour12);
        case 'M': return timeNumber(pS, zN, z, 1, 2, 0, 59, &pT->iMinute);
        case 'S': return timeNumber(pS, zN, z, 1, 2, 0, 59, &pT->iSecond);
        case 'f': return timeFraction(pS, zN, z);
        case 'b': return timeMonth(pS, zN, z, 0);
        case 'B': return timeMonth(pS, zN, z, 1);
        case 'p': return timeAmPm(pS, zN, z);
        case 'z': return timeOffset(pS, zN, z);
        default:  return 0;
      }
    }
    if( *zF=='%' ) zF++;
    if( z>=pS->zEnd || sqlite3_strnicmp(zF, z, 1) ) return 0;
    zF++;
    z++;
  }
}

static int timeMonthDays(int iYear, int iMonth){
  static const u8 aDay[] = { 31,28,31,30,31,30,31,31,30,31,30,31 };
  int bLeap = (iYear%4==0 && iYear%100!=0) || iYear%400==0;
  return aDay[iMonth-1] + (iMonth==2 && bLeap);
}

/* The instant the parts make, if there is such a day. */
static int timeInstant(const TimeParts *pT, i64 *piMicro, const char **pzWhy){
  int iMonth = pT->iMonth>0 ? pT->iMonth : 1;
  int iDay = pT->iDay>0 ? pT->iDay : 1;
  int iHour = pT->iHour>=0 ? pT->iHour : 0;
  i64 nDay;
  if( pT->iHour12>0 ) iHour = pT->iHour12%12 + (pT->bPm>0 ? 12 : 0);
  if( iDay>timeMonthDays(pT->iYear, iMonth) ){
    *pzWhy = "there is no such day";
    return 0;
  }
  nDay = acdcTimeDays(pT->iYear, iMonth, iDay);
  if( pT->iDoy>0 && pT->iMonth<0 && pT->iDay<0 ){
    if( pT->iDoy==366 && timeMonthDays(pT->iYear, 2)==28 ){
      *pzWhy = "there is no such day";
      return 0;
    }
    nDay += pT->iDoy-1;
  }
  *piMicro = ((nDay*24 + iHour)*60 + (pT->iMinute>0 ? pT->iMinute : 0)
      - pT->nOffset)*60000000
      + (i64)(pT->iSecond>0 ? pT->iSecond : 0)*1000000
      + (pT->nMicro>0 ? pT->nMicro : 0);
  return 1;
}

static void timeInit(TimeScan *pS, const char *z, int n){
  memset(&pS->t, 0xff, sizeof(pS->t));
  pS->t.nOffset = 0;
  pS->zEnd = z+n;
  pS->nStep = 20000;
}

int acdcTimeParse(
  const char *zFormat,
  const char *z, int n,
  i64 *piMicro,
  const char **pzWhy
){
  TimeScan s;
  timeInit(&s, z, n);
  if( !timeMatch(&s, zFormat, z) ){
    *pzWhy = "it does not fit the datetimeFormat";
    return 0;
  }
  return timeInstant(&s.t, piMicro, pzWhy);
}

int acdcTimeIso(const char *z, int n, i64 *piMicro){
  static const char *const azIso[] = {
    "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f",
    "%Y-%m-%d %H:%M%z", "%Y-%m-%d %H:%M:%S%z", "%Y-%m-%d %H:%M:%S.%f%z"
  };
  char zBuf[64];
  const char *zWhy;
  int i;
  if( n>=(int)sizeof(zBuf) ) return 0;
  memcpy(zBuf, z, (size_t)n);
  if( n>10 && (zBuf[10]|0x20)=='t' ) zBuf[10] = ' ';
  for(i=0; i<(int)(sizeof(azIso)/sizeof(azIso[0])); i++){
    if( acdcTimeParse(azIso[i], zBuf, n, piMicro, &zWhy) ) return 1;
  }
  return 0;
}

char *acdcTimeFormat(AcdcCtx *p, const char *zFormat, i64 iMicro){
  sqlite3_str *pStr;
  char zTime[ACDC_TIME_TEXT];    /* YYYY-MM-DD HH:MM:SS.ffffff */
  const char *z;
  char *zOut;
  int iMonth, iHour, iDoy;
  i64 iYear;
  if( p->rc ) return 0;
  acdcTimeText(iMicro, 1, zTime);
  iYear = (zTime[0]-'0')*1000 + (zTime[1]-'0')*100 + (zTime[2]-'0')*10
        + zTime[3]-'0';
  iMonth = (zTime[5]-'0')*10 + zTime[6]-'0';
  iHour = (zTime[11]-'0')*10 + zTime[12]-'0';
  iDoy = (int)(acdcTimeDays(iYear, iMonth, (zTime[8]-'0')*10 + zTime[9]-'0')
      - acdcTimeDays(iYear, 1, 1)) + 1;
  pStr = sqlite3_str_new(p->db);
  for(z=zFormat; *z; z++){
    if( *z!='%' || z[1]==0 ){
      sqlite3_str_appendchar(pStr, 1, *z);
      continue;
    }
    switch( *++z ){
      case 'Y': sqlite3_str_append(pStr, zTime, 4); break;
      case 'y': sqlite3_str_append(pStr, zTime+2, 2); break;
      case 'm': sqlite3_str_append(pStr, zTime+5, 2); break;
      case 'd': sqlite3_str_append(pStr, zTime+8, 2); break;
      case 'H': sqlite3_str_append(pStr, zTime+11, 2); break;
      case 'M': sqlite3_str_append(pStr, zTime+14, 2); break;
      case 'S': sqlite3_str_append(pStr, zTime+17, 2); break;
      case 'f': sqlite3_str_append(pStr, zTime+20, 6); break;
      case 'j': sqlite3_str_appendf(pStr, "%03d", iDoy); break;
      case 'I': sqlite3_str_appendf(pStr, "%02d", (iHour+11)%12+1); break;
      case 'p': sqlite3_str_appendall(pStr, iHour<12 ? "AM" : "PM"); break;
      case 'z': sqlite3_str_appendall(pStr, "+0000"); break;
      case 'b': case 'B':
        sqlite3_str_appendchar(pStr, 1, (char)(azMonth[iMonth-1][0]-0x20));
        sqlite3_str_append(pStr, azMonth[iMonth-1]+1,
            *z=='b' ? 2 : (int)strlen(azMonth[iMonth-1])-1);
        break;
      default: sqlite3_str_appendchar(pStr, 1, *z); break;
    }
  }
  zOut = sqlite3_str_finish(pStr);
  if( zOut==0 ) acdcError(p, SQLITE_NOMEM, "out of memory");
  return zOut;
}
