/*
** Tests of regular expressions, time formats and snapshot versions.
*/
#define _XOPEN_SOURCE 700
#include "core_fix.h"
#include "core/regex.h"
#include "source/convert.h"
#include "source/timefmt.h"
#include "source/versions.h"
#include "sql/readers.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

UNIT_TEST(regex){
  AcdcCtx c;
  AcdcRegex *pR;
  char *z = 0;
  int n;
  acdcCtxInit(&c, 0);
  pR = acdcRegexCompile(&c, "(?P<z>a+)/(?P<b>.)?(?P<a>[0-9]*)");
  UNIT_CHECK(pR!=0);
  UNIT_INT(acdcRegexNames(pR), 3);
  UNIT_STR(acdcRegexName(pR, 0), "z");
  UNIT_STR(acdcRegexName(pR, 1), "b");
  UNIT_STR(acdcRegexName(pR, 2), "a");
  UNIT_INT(acdcRegexMatch(&c, pR, "aa/x12"), 1);
  UNIT_CHECK(strncmp(acdcRegexGroup(pR, 0, &n), "aa/", 3)==0 && n==2);
  UNIT_CHECK(strncmp(acdcRegexGroup(pR, 2, &n), "12", 2)==0 && n==2);
  UNIT_INT(acdcRegexMatch(&c, pR, "aa/"), 1);
  UNIT_CHECK(acdcRegexGroup(pR, 1, &n)==0 && n==0);
  UNIT_INT(acdcRegexMatch(&c, pR, "xaa/x12"), 0);
  UNIT_INT(acdcRegexMatch(&c, pR, "aa/x12\n"), 0);
  UNIT_INT(acdcRegexMatch(&c, pR, "aa/\xff"), 0);
  UNIT_INT(c.rc, SQLITE_OK);
  acdcRegexFree(pR);
  acdcRegexFree(0);

  UNIT_CHECK(acdcRegexCompile(&c, "a(b")==0);
  ERROR_IS(&c, SQLITE_ERROR, "offset 3");
  UNIT_CHECK(acdcRegexCompile(&c, "(?P<x>a)(?P<x>b)")==0);
  ERROR_IS(&c, SQLITE_ERROR, "two named subpatterns");
  pR = acdcRegexCompile(&c, "(?P<v>(a+)+)+[XY]");
  UNIT_INT(acdcRegexMatch(&c, pR, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
           0);
  ERROR_IS(&c, SQLITE_ERROR, "given up");
  acdcRegexFree(pR);

  acdcRegexQuote(&c, &z, "a.b(c)[d]+$\\x-#{1}", 18);
  pR = acdcRegexCompile(&c, z);
  UNIT_INT(acdcRegexMatch(&c, pR, "a.b(c)[d]+$\\x-#{1}"), 1);
  UNIT_INT(acdcRegexMatch(&c, pR, "axb(c)[d]+$\\x-#{1}"), 0);
  acdcRegexFree(pR);
  sqlite3_free(z);
}

/* An instant as text, or the reason. */
static char *timeText(const char *zFormat, const char *z){
  i64 i;
  const char *zWhy = "?";
  char zBuf[ACDC_TIME_TEXT];
  if( !acdcTimeParse(zFormat, z, (int)strlen(z), &i, &zWhy) ){
    return sqlite3_mprintf("!%s", zWhy);
  }
  acdcTimeText(i, i%1000000!=0, zBuf);
  return sqlite3_mprintf("%s", zBuf);
}
#define TIME_IS(zFormat, zIn, zWant) \
    TEXT_IS(timeText((zFormat), (zIn)), (zWant))
#define TIME_FAILS(zFormat, zIn) do{ \
    char *zGot = timeText((zFormat), (zIn)); \
    UNIT_HAS(zGot, "!"); \
    sqlite3_free(zGot); \
  }while( 0 )

UNIT_TEST(times){
  TIME_IS("%Y-%m-%d", "2024-02-29", "2024-02-29 00:00:00");
  TIME_IS("%Y-%m-%d", "2024-1-2", "2024-01-02 00:00:00");
  TIME_IS("%Y%m%d", "20240115", "2024-01-15 00:00:00");
  TIME_IS("%Y%m%d", "2024111", "2024-11-01 00:00:00");
  TIME_IS("%Y%m%d", "202411", "2024-01-01 00:00:00");
  TIME_IS("%Y%m%d", "202435", "2024-03-05 00:00:00");
  TIME_IS("%Y%m%d%H%M%S%f", "20240115101112000001",
          "2024-01-15 10:11:12.000001");
  TIME_IS("%Y%m%dT%H%M%S.%f", "20240115t101112.5", "2024-01-15 10:11:12.500000");
  TIME_IS("YEAR=%Y/MONTH=%m/DAY=%d", "YEAR=2024/MONTH=01/DAY=07",
          "2024-01-07 00:00:00");
  TIME_IS("%y%j", "24366", "2024-12-31 00:00:00");
  TIME_IS("%d %b %y", "03 mar 69", "1969-03-03 00:00:00");
  TIME_IS("%d %B %y", "3  MAY 68", "2068-05-03 00:00:00");
  TIME_IS("%Y-%m-%d %I:%M %p", "2024-01-01 12:05 AM", "2024-01-01 00:05:00");
  TIME_IS("%Y-%m-%d %I:%M %p", "2024-01-01 12:05 pm", "2024-01-01 12:05:00");
  TIME_IS("%Y-%m-%d %I:%M %p", "2024-01-01 1:05 pm", "2024-01-01 13:05:00");
  TIME_IS("%Y-%m-%d %H:%M%z", "2024-01-01 00:30+0100", "2023-12-31 23:30:00");
  TIME_IS("%Y-%m-%d %H:%M%z", "2024-01-01 00:30-05:30", "2024-01-01 06:00:00");
  TIME_IS("%Y-%m-%d %H:%M%z", "2024-01-01 00:30Z", "2024-01-01 00:30:00");
  TIME_IS("%Y%%", "1960%", "1960-01-01 00:00:00");
  TIME_IS("%Y-%m-%d %H:%M:%S.%f", "1969-12-31 23:59:59.999999",
          "1969-12-31 23:59:59.999999");
  TIME_FAILS("%Y-%m-%d", "2023-02-29");
  TIME_FAILS("%Y-%m-%d", "2024-13-01");
  TIME_FAILS("%Y-%m-%d", "2024-00-01");
  TIME_FAILS("%Y-%m-%d", "24-01-01");
  TIME_FAILS("%Y-%m-%d", "2024-01-01x");
  TIME_FAILS("%Y-%m-%d", "2024-01");
  TIME_FAILS("%Y-%m-%d", "");
  TIME_FAILS("%Y%j", "2023366");
  TIME_FAILS("%Y %H", "2024 24");
  TIME_FAILS("%Y%z", "2024+1");
}

UNIT_TEST(formats){
  AcdcCtx c;
  i64 i;
  acdcCtxInit(&c, 0);
  acdcTimeFormatCheck(&c, "%Y_%m_%d %H:%M:%S.%f%z%%");
  UNIT_INT(c.rc, SQLITE_OK);
  acdcTimeFormatCheck(&c, "%Y%Q");
  ERROR_IS(&c, SQLITE_ERROR, "%Q is not known");
  acdcTimeFormatCheck(&c, "%Y%");
  ERROR_IS(&c, SQLITE_ERROR, "not known");
  acdcTimeFormatCheck(&c, "%Y%m%Y");
  ERROR_IS(&c, SQLITE_ERROR, "%Y twice");
  acdcTimeFormatCheck(&c, "%m%d");
  ERROR_IS(&c, SQLITE_ERROR, "no year");
  acdcTimeFormatCheck(&c, "%Y %I");
  ERROR_IS(&c, SQLITE_ERROR, "%I without %p");
  UNIT_CHECK(acdcTimeFormatHas("%Y%%f%f", 'f'));
  UNIT_CHECK(!acdcTimeFormatHas("%Y%%f", 'f'));
  UNIT_CHECK(acdcTimeIso("2024-03-01T04:05:06.789Z", 24, &i));
  UNIT_INT(i, 1709265906789000LL);
  TEXT_IS(acdcTimeFormat(&c, "%Y/%y/%m/%d %H %I%p %M:%S.%f %j %b %B %% %z", i),
          "2024/24/03/01 04 04AM 05:06.789000 061 Mar March % +0000");
  UNIT_CHECK(acdcTimeIso("2024-03-01", 10, &i));
  UNIT_CHECK(!acdcTimeIso("2024-03-01 4", 12, &i));
  UNIT_CHECK(!acdcTimeIso("yesterday", 9, &i));
}

/* Days and back, over 800 years and around the turn of eras. */
UNIT_TEST(calendar){
  i64 iDay;
  char zBuf[ACDC_TIME_TEXT];
  UNIT_INT(acdcTimeDays(1970, 1, 1), 0);
  UNIT_INT(acdcTimeDays(2000, 3, 1), 11017);
  UNIT_INT(acdcTimeDays(1, 1, 1), -719162);
  for(iDay=-400000; iDay<300000; iDay+=37){
    int y, m, d;
    acdcTimeText(iDay*86400*1000000, 0, zBuf);
    sscanf(zBuf, "%d-%d-%d", &y, &m, &d);
    if( !UNIT_INT(acdcTimeDays(y, m, d), iDay) ) break;
  }
}

/* ---- versions ----------------------------------------------------------- */

static char zDir[] = "/tmp/autocdc_unit_XXXXXX";

static void fileTouch(const char *zName){
  char *zPath = sqlite3_mprintf("%s/%s", zDir, zName);
  char *z;
  FILE *f;
  for(z=zPath+strlen(zDir)+1; (z = strchr(z, '/'))!=0; z++){
    *z = 0;
    mkdir(zPath, 0777);
    *z = '/';
  }
  f = fopen(zPath, "wb");
  if( UNIT_CHECK(f!=0) ) fclose(f);
  sqlite3_free(zPath);
}

static void foldersRemove(void){
  char *z = sqlite3_mprintf("rm -rf '%s'", zDir);
  UNIT_INT(system(z), 0);
  sqlite3_free(z);
}

/*
** "version: file file; ..." and what is left out behind " -".  zOpt is a list
** "name=value|name=value".  Owned by the caller.
*/
static char *versionsText(sqlite3 *db, const char *zPath, const char *zOpt){
  AcdcVersionSpec spec;
  AcdcVersions v;
  AcdcCtx ctx;
  char *zOut = sqlite3_mprintf("");
  char *zAll = sqlite3_mprintf("%s", zOpt);
  char *z = zAll;
  int i, j;
  int n = (int)strlen(zDir)+1;
  acdcCtxInit(&ctx, db);
  memset(&spec, 0, sizeof(spec));
  memset(&v, 0, sizeof(v));
  spec.zPath = sqlite3_mprintf("%s/%s", zDir, zPath);
  while( *z ){
    char *zEnd = strchr(z, '|');
    char *zEq = strchr(z, '=');
    if( zEnd ) *zEnd++ = 0;
    *zEq++ = 0;
    UNIT_CHECK(acdcVersionSpecSet(&ctx, &spec, z, zEq));
    z = zEnd ? zEnd : "";
  }
  acdcVersionSpecCheck(&ctx, &spec);
  acdcVersionsList(&ctx, &spec, 0, &v);
  for(i=0; i<v.n; i++){
    zOut = sqlite3_mprintf("%z%s%s:", zOut, i ? "; " : "", v.a[i].zShown);
    for(j=0; j<v.a[i].files.n; j++){
      zOut = sqlite3_mprintf("%z %s", zOut, v.a[i].files.a[j].zPath+n);
    }
  }
  for(i=0; i<v.nSkip; i++){
    if( strstr(v.aSkip[i].zWhy, "does not match") ) continue;
    zOut = sqlite3_mprintf("%z -%s", zOut, v.aSkip[i].file.zPath+n);
  }
  if( ctx.rc ) zOut = sqlite3_mprintf("%zERROR %s", zOut, acdcErrorText(&ctx));
  sqlite3_free(zAll);
  acdcVersionSpecClear(&spec);
  acdcVersionsClear(&v);
  acdcCtxClear(&ctx);
  return zOut;
}
#define VERSIONS_IS(zPath, zOpt, zWant) \
    TEXT_IS(versionsText(f.db, (zPath), (zOpt)), (zWant))
#define VERSIONS_FAIL(zPath, zOpt, zPart) do{ \
    char *zGot = versionsText(f.db, (zPath), (zOpt)); \
    UNIT_HAS(zGot, "ERROR "); \
    UNIT_HAS(zGot, (zPart)); \
    sqlite3_free(zGot); \
  }while( 0 )

UNIT_TEST(integers){
  Fixture f;
  fixtureOpen(&f, 0);
  acdcReadersRegister(f.db);
  fileTouch("i/L_10.csv");
  fileTouch("i/L_2.csv");
  fileTouch("i/L_002.csv");
  fileTouch("i/L_-1.csv");
  fileTouch("i/L_+5.csv");
  fileTouch("i/L_1_000.csv");
  fileTouch("i/L_.csv");
  fileTouch("i/L_99999999999999999999.csv");
  fileTouch("i/xL_1.csv");
  fileTouch("i/sub/L_7.csv");
  VERSIONS_IS("i/L_{version}.csv", "versionType=int",
      "-1: i/L_-1.csv; 2: i/L_002.csv i/L_2.csv; 5: i/L_+5.csv; 10: i/L_10.csv"
      " -i/L_1_000.csv -i/L_99999999999999999999.csv");
  VERSIONS_IS("i/L_{version}.csv", "startingVersion=5|version_type=long",
      "5: i/L_+5.csv; 10: i/L_10.csv -i/L_-1.csv -i/L_002.csv -i/L_1_000.csv"
      " -i/L_2.csv -i/L_99999999999999999999.csv");
  VERSIONS_IS("i/(?P<version_n>[0-9]{2,3}|L_[0-9]).csv", "", " -i/L_2.csv");
  VERSIONS_IS("i/L_(?P<version_n>[0-9]+).csv", "starting_version=3",
      "10: i/L_10.csv -i/L_002.csv -i/L_2.csv -i/L_99999999999999999999.csv");
  VERSIONS_FAIL("i/L_{version}.csv", "startingVersion=x", "no integer");
  VERSIONS_FAIL("i/L_{version}.csv", "versionType=int|datetimeFormat=%Y",
      "does not go with");
  VERSIONS_FAIL("i/L_{version}.csv", "versionType=float", "it takes int");
  VERSIONS_FAIL("i/L.csv", "", "does not say where");
  VERSIONS_FAIL("i/L_{fragment}.csv", "", "does not say where");
  VERSIONS_FAIL("i/{version}_{version}.csv", "", "twice");
  VERSIONS_FAIL("i/{version}_(?P<version_x>.)", "", "both");
  VERSIONS_FAIL("i/(?P<fragment>.)", "", "no group");
  VERSIONS_FAIL("i/(?P<version_a>x", "", "parenthesis");
  VERSIONS_FAIL("no/{version}", "", "cannot read the folder");
  VERSIONS_FAIL("{version}/L_7.csv", "", "recursiveFileLookup");
  VERSIONS_FAIL("i/(?P<version_a>([A-Za-z_0-9]+)+)+[XY]", "", "given up");
  fixtureClose(&f);
}

UNIT_TEST(instants){
  Fixture f;
  fixtureOpen(&f, 0);
  acdcReadersRegister(f.db);
  fileTouch("t/c_2024_01_02.csv");
  fileTouch("t/c_2024_1_2.csv");
  fileTouch("t/c_2024_01_10.csv");
  fileTouch("t/c_x.csv");
  fileTouch("t/c_2024_02_30.csv");
  fileTouch("t/s_2024_01_01_split_2.csv");
  fileTouch("t/s_2024_01_01_split_1.csv");
  fileTouch("t/s_2024_01_02_split_.csv");
  fileTouch("r/YEAR=2024/MONTH=01/DAY=01/customer.csv");
  fileTouch("r/YEAR=2023/MONTH=12/DAY=31/customer.csv");
  fileTouch("g/2024/01/data/customer_15.csv");
  fileTouch("g/2023/12/data/customer_16.csv");
  fileTouch("u/m_20240101101112.123.csv");
  VERSIONS_IS("t/c_{version}.csv", "versionType=timestamp|"
      "datetimeFormat=%Y_%m_%d", "2024-01-02 00:00:00: t/c_2024_01_02.csv"
      " t/c_2024_1_2.csv; 2024-01-10 00:00:00: t/c_2024_01_10.csv"
      " -t/c_2024_02_30.csv -t/c_x.csv");
  VERSIONS_IS("t/c_{version}.csv", "versionType=date|startingVersion=2024-01-10|"
      "datetimeFormat=%Y_%m_%d", "2024-01-10: t/c_2024_01_10.csv"
      " -t/c_2024_01_02.csv -t/c_2024_02_30.csv -t/c_2024_1_2.csv -t/c_x.csv");
  VERSIONS_IS("t/s_{version}_split_{fragment}.csv", "versionType=datetime|"
      "datetimeFormat=%Y_%m_%d|startingVersion=2024_01_01",
      "2024-01-01 00:00:00: t/s_2024_01_01_split_1.csv"
      " t/s_2024_01_01_split_2.csv;"
      " 2024-01-02 00:00:00: t/s_2024_01_02_split_.csv");
  VERSIONS_IS("r/{version}/customer.csv", "recursiveFileLookup=true|"
      "datetimeFormat=YEAR=%Y/MONTH=%m/DAY=%d",
      "2023-12-31 00:00:00: r/YEAR=2023/MONTH=12/DAY=31/customer.csv;"
      " 2024-01-01 00:00:00: r/YEAR=2024/MONTH=01/DAY=01/customer.csv");
  VERSIONS_IS("g/(?P<version_year>.+)/(?P<version_month>.+)/data/customer_"
      "(?P<version_day>.+).csv", "recursive_file_lookup=true|"
      "datetime_format=%Y%m%d",
      "2023-12-16 00:00:00: g/2023/12/data/customer_16.csv;"
      " 2024-01-15 00:00:00: g/2024/01/data/customer_15.csv");
  VERSIONS_IS("u/m_{version}.csv", "datetimeFormat=%Y%m%d%H%M%S.%f|"
      "micro_second_mask_length=3",
      "2024-01-01 10:11:12.123000: u/m_20240101101112.123.csv");
  VERSIONS_FAIL("t/c_{version}.csv", "versionType=timestamp",
      "needs a datetimeFormat");
  VERSIONS_FAIL("t/c_{version}.csv", "datetimeFormat=%Y|startingVersion=soon",
      "startingVersion");
  VERSIONS_FAIL("t/c_{version}.csv", "microSecondMaskLength=7", "0 to 6");
  fixtureClose(&f);
}

UNIT_TEST(shown){
  AcdcVersionSpec s;
  AcdcVal v;
  AcdcCtx c;
  i64 i;
  acdcCtxInit(&c, 0);
  memset(&s, 0, sizeof(s));
  s.zPath = "x{version}";
  acdcVersionSpecCheck(&c, &s);
  UNIT_INT(s.eType, ACDC_VERSION_INTEGER);
  v.eType = SQLITE_INTEGER;
  v.u.i = 7;
  UNIT_CHECK(acdcVersionReadShown(&s, &v, &i) && i==7);
  v.eType = SQLITE_TEXT;
  v.u.z = (const u8*)"12x";
  v.n = 2;
  UNIT_CHECK(acdcVersionReadShown(&s, &v, &i) && i==12);
  v.n = 3;
  UNIT_CHECK(!acdcVersionReadShown(&s, &v, &i));
  s.zFormat = "%Y%m%d";
  acdcVersionSpecCheck(&c, &s);
  UNIT_INT(s.eType, ACDC_VERSION_INSTANT);
  v.u.z = (const u8*)"2024-01-02 00:00:00";
  v.n = 19;
  UNIT_CHECK(acdcVersionReadShown(&s, &v, &i));
  TEXT_IS(acdcVersionShown(&c, &s, i), "2024-01-02 00:00:00");
  TEXT_IS(acdcVersionFormat(&c, &s, i), "20240102");
  v.eType = SQLITE_NULL;
  UNIT_CHECK(!acdcVersionReadShown(&s, &v, &i));
  UNIT_INT(c.rc, SQLITE_OK);
}

int main(void){
  if( mkdtemp(zDir)==0 ) return 1;
  UNIT_RUN(regex);
  UNIT_RUN(times);
  UNIT_RUN(formats);
  UNIT_RUN(calendar);
  UNIT_RUN(integers);
  UNIT_RUN(instants);
  UNIT_RUN(shown);
  foldersRemove();
  return unitDone();
}
