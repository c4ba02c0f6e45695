/*
** Forms, classes, messages, state and autocdc_seq_key(): tables checked by
** hand.  sequence_order_test.c has the properties.
**
** With any argument: also times.
*/
#include "sequence_fix.h"
#include <time.h>

static sqlite3 *db = 0;

/* Read v under a kind; the class and shown form must be these. */
static void expectShown(
  const char *zKind,
  AcdcVal v,
  char cClass,
  AcdcVal want
){
  Fix f;
  AcdcSeq s;
  char *z;
  int rc;
  fixInit(&f, zKind);
  z = acdcValText(&f.ctx, &v);
  rc = readOne(&f, v, &s);
  check(rc==0, "read %s as %s: %s", z, zKind, f.ctx.zErr ? f.ctx.zErr : "");
  if( rc==0 ){
    check(f.kind.aClass[0]==(u8)cClass, "class of %s is %s", z,
          acdcSeqClassName(f.kind.aClass[0]));
    check(sameVal(&s.shown, &want), "shown form of %s", z);
  }
  sqlite3_free(z);
  fixClear(&f);
}

/* Reading v must fail with a message that has both texts, and leave the kind
** as it was. */
static void expectError(
  const char *zKind,
  AcdcVal v,
  const char *z1,
  const char *z2
){
  Fix f;
  AcdcSeq s;
  AcdcSeqKind before;
  char *z;
  int rc;
  fixInit(&f, zKind);
  before = f.kind;
  z = acdcValText(&f.ctx, &v);
  rc = readOne(&f, v, &s);
  check(rc!=0 && f.ctx.rc!=0, "no error for %s as %s", z, zKind);
  if( f.ctx.rc ){
    check(strstr(acdcErrorText(&f.ctx), z1)!=0, "'%s' misses '%s'",
          acdcErrorText(&f.ctx), z1);
    check(strstr(acdcErrorText(&f.ctx), z2)!=0, "'%s' misses '%s'",
          acdcErrorText(&f.ctx), z2);
  }
  check(memcmp(&before, &f.kind, sizeof(before))==0, "kind changed by %s", z);
  sqlite3_free(z);
  fixClear(&f);
}

/* ---------------------------------------------------------------------
** Numbers
*/
UNIT_TEST(number_forms){
  char zTiny[400];
  AcdcVal v;
  expectShown("?", vInt(5), 'n', vInt(5));
  expectShown("?", vText("9"), 'n', vInt(9));
  expectShown("n", vText("9"), 'n', vInt(9));
  expectShown("n", vText("+9"), 'n', vInt(9));
  expectShown("n", vText("-9.50"), 'n', vReal(-9.5));
  expectShown("n", vText("007"), 'n', vInt(7));
  expectShown("n", vText(".5"), 'n', vReal(0.5));
  expectShown("n", vText("5."), 'n', vInt(5));
  expectShown("n", vText(" 12\r\n"), 'n', vInt(12));
  expectShown("n", vText("9.0"), 'n', vInt(9));
  expectShown("n", vText("-0"), 'n', vInt(0));
  expectShown("n", vText("-0.000"), 'n', vInt(0));
  expectShown("n", vReal(-0.0), 'n', vInt(0));
  expectShown("n", vReal(9.0), 'n', vInt(9));
  expectShown("n", vReal(9.25), 'n', vReal(9.25));
  expectShown("n", vReal(0.1), 'n', vReal(0.1));
  expectShown("n", vReal(5e-324), 'n', vReal(5e-324));
  expectShown("n", vText("9223372036854775807"), 'n', vInt(0x7fffffffffffffff));
  expectShown("n", vText("-9223372036854775808"), 'n',
      vInt(-0x7fffffffffffffff-1));
  expectShown("n", vReal(-9223372036854775808.0), 'n',
      vInt(-0x7fffffffffffffff-1));
  expectShown("n", vReal(9223372036854775808.0), 'n',
      vText("00000000000000000009223372036854775808"));
  expectShown("n", vReal(1e23), 'n',
      vText("00000000000000099999999999999991611392"));
  expectShown("n", vText("9223372036854775808"), 'n',
      vText("00000000000000000009223372036854775808"));
  expectShown("n", vText("18446744073709551617"), 'n',
      vText("00000000000000000018446744073709551617"));
  expectShown("n", vText("00000000000000000018446744073709551617"), 'n',
      vText("00000000000000000018446744073709551617"));
  expectShown("n", vText("99999999999999999999999999999999999999"), 'n',
      vText("99999999999999999999999999999999999999"));
  expectShown("n", vText("0000000000000000000000000000000000000000000001"), 'n',
      vInt(1));
  expectShown("n", vText("123456789.123456"), 'n', vReal(123456789.123456));
  expectShown("n", vText("0.30000000000000004"), 'n', vReal(0.1+0.2));
  v = vText("100000000000000000000000000000000000000");
  expectError("n", v, "100000000", "38 digits");
  expectError("?", v, "\"seq\"", "38 digits");
  expectError("n", vText("-9223372036854775809"), "-9223372036854775809",
      "below -9223372036854775808");
  expectError("n", vReal(-1e19), "sequence", "below -9223372036854775808");
  expectError("n", vReal(1e39), "sequence", "38 digits");
  expectError("n", vText("0.1000000000000000055511151231257827"), "0.1000",
      "digits");
  expectError("n", vText("0.10000000000000001"), "0.10000000000000001", "REAL");
  expectError("n", vText("9007199254740993.5"), "9007199254740993.5", "REAL");
  expectError("n", vText(
      "0.00000000000000000000000000000000000000000000000000000000000000001"
      "00000000000000000000000000000000000000000000000000000000000000000001"),
      "0.000", "REAL");
  memset(zTiny, '0', sizeof(zTiny));
  memcpy(zTiny, "0.", 2);
  zTiny[320] = '1';             /* 1e-319: no REAL has these digits */
  zTiny[321] = 0;
  expectError("n", vText(zTiny), "0.000", "REAL");
  expectError("n", vReal(1e308*10.0), "sequence", "infinite");
}

/* The class of other texts. */
UNIT_TEST(classes){
  static const char *azText[] = { "", "-", "+", ".", "1e5", "- 5", "1 2",
    "1.2.3", "0x10", "1_000", "abc", "1,5", "--1", "[1,2]", "2026-01",
    "2026-1-01", "2026-01-01T", "2026-01-01 10", "2026-01-01 10:0",
    "2026-01-01 10:00:", "2026-01-01 10:00:00.", "2026-01-01 10:00:00 ZZ",
    "2026-01-01Z", "2026-01-01 10:00+1", "2026-01-01 10:00+01:0",
    "2026-01-01 10:00  Z", "2026-01-01 10:00:00 UTC", "02026-01-01",
    "2026-01-01-000017", "2026/01/01", "a026-01-01", "2026-01-01 1a:00" };
  unsigned i;
  for(i=0; i<sizeof(azText)/sizeof(azText[0]); i++){
    expectShown("?", vText(azText[i]), 't', vText(azText[i]));
    expectShown("t", vText(azText[i]), 't', vText(azText[i]));
  }
  expectShown("?", vBytes(SQLITE_BLOB, "9", 1), 'b', vBytes(SQLITE_BLOB,"9",1));
  expectShown("?", vBytes(SQLITE_BLOB, 0, 0), 'b', vBytes(SQLITE_BLOB, "", 0));
  expectShown("?", vBytes(SQLITE_TEXT, 0, 0), 't', vText(""));
  expectShown("?", vBytes(SQLITE_TEXT, "9\0", 2), 't',
      vBytes(SQLITE_TEXT, "9\0", 2));
  expectError("i", vText("17"), "17", "instant");
  expectError("i", vInt(17), "17", "number");
  expectError("i", vReal(1.5), "1.5", "number");
  expectError("n", vText("2026-01-01"), "2026-01-01", "instant");
  expectError("n", vText("x9"), "x9", "class text");
  expectError("n", vText(""), "''", "empty_as_null");
  expectError("n", vBytes(SQLITE_BLOB, "9", 1), "39", "class blob");
  expectError("t", vText("17"), "17", "class number");
  expectError("t", vText("17"), "17", "letter");
  expectError("b", vText("x"), "'x'", "autocdc_reset");
}

/* ---------------------------------------------------------------------
** Instants
*/
static void expectInstant(const char *z, i64 iMicro){
  Fix f;
  AcdcSeq s;
  fixInit(&f, "?");
  check(readOne(&f, vText(z), &s)==0 && f.kind.aClass[0]=='i' && s.isInt
     && s.iOrd==iMicro, "instant '%s': %lld", z, s.isInt ? s.iOrd : -1);
  check(s.shown.eType==SQLITE_TEXT && s.shown.n==(int)strlen(z),
     "'%s' as given", z);
  fixClear(&f);
}

UNIT_TEST(instant_forms){
  static const char *azBad[] = { "2026-02-29", "2026-02-30 10:00:00",
    "2100-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-01-00",
    "2026-01-01 24:00", "2026-01-01 10:60", "2026-01-01 10:00:60",
    "2026-01-01 10:00:00+24:00", "2026-01-01 10:00:00+0160",
    "2026-02-29T10:00:00Z" };
  const i64 iDay = (i64)86400*1000000, iHour = (i64)3600*1000000;
  unsigned i;
  expectInstant("1970-01-01", 0);
  expectInstant("1970-01-01 00:00", 0);
  expectInstant("1970-01-02T00:00:00Z", iDay);
  expectInstant("1970-01-02t00:00:00 z", iDay);
  expectInstant("1969-12-31 23:59:59.999999", -1);
  expectInstant("1970-01-01 00:00:00.5", 500000);
  expectInstant("1970-01-01 00:00:00,25", 250000);
  expectInstant("1970-01-01 00:00:00.1234560000", 123456);
  expectInstant("1970-01-01 02:00:00+02:00", 0);
  expectInstant("1970-01-01 02:00:00 +0200", 0);
  expectInstant("1969-12-31 21:30:00.000-02:30", 0);
  expectInstant("1970-01-01 02:00+02", 0);
  expectInstant(" 1970-01-01 01:00 ", iHour);
  expectInstant("2000-02-29", 11016*iDay);
  expectInstant("2026-03-01T11:00:01+01:00", (i64)1772359201*1000000);
  expectInstant("0000-01-01", -719528*iDay);
  expectInstant("9999-12-31", 2932896*iDay);
  for(i=0; i<sizeof(azBad)/sizeof(azBad[0]); i++){
    expectError("?", vText(azBad[i]), azBad[i], "no such date");
    expectError("i", vText(azBad[i]), "\"seq\"", "no such date");
  }
}

UNIT_TEST(instant_declared_column){
  Fix f;
  AcdcSeq s;
  fixInit(&f, "?");
  f.kind.aInstant[0] = 1;
  check(readOne(&f, vText("17"), &s)!=0
     && strstr(acdcErrorText(&f.ctx), "'17'")!=0
     && strstr(acdcErrorText(&f.ctx), "TIMESTAMP")!=0, "17 in TIMESTAMP");
  acdcCtxClear(&f.ctx);
  check(readOne(&f, vText("x"), &s)!=0, "x in TIMESTAMP");
  acdcCtxClear(&f.ctx);
  check(readOne(&f, vReal(1e20), &s)==0 && f.kind.aClass[0]=='n',
        "REAL in TIMESTAMP");
  checkTrip(&f, &s, "REAL in TIMESTAMP");
  fixClear(&f);
}

/* Texts, and whether their shown form is in order by itself after each. */
static void expectNative(const char *zKindAfter, int bNative, int n,
                         const char **az){
  Fix f, g;
  AcdcSeq s;
  char *z;
  int i;
  fixInit(&f, "?");
  for(i=0; i<n; i++){
    check(readOne(&f, vText(az[i]), &s)==0, "%s: %s", az[i],
          acdcErrorText(&f.ctx));
  }
  check(acdcSeqNative(&f.kind)==bNative, "native order: %s", zKindAfter);
  z = acdcSeqKindText(&f.ctx, &f.kind);
  check(z && strcmp(z, zKindAfter)==0, "kind text %s, not %s", z, zKindAfter);
  fixInit(&g, z ? z : "");
  if( f.kind.bMixedForm ) memset(f.kind.zForm, 0, sizeof(f.kind.zForm));
  check(memcmp(&f.kind, &g.kind, sizeof(g.kind))==0, "kind %s back", z);
  sqlite3_free(z);
  fixClear(&f);
  fixClear(&g);
}

UNIT_TEST(kind_text_and_native_order){
  static const char *azA[] = { "2026-01-01 10:00:00", "2026-01-01 11:00:00" };
  static const char *azB[] = { "2026-01-01 10:00:00", "2026-01-01T11:00:00" };
  static const char *azC[] = { "2026-01-01T10:00:00.5z",
                               "2026-01-01T10:00:00.7z" };
  static const char *azD[] = { "2026-01-01T10:00:00.5Z",
                               "2026-01-01T10:00:00.75Z" };
  static const char *azE[] = { "2026-01-01T10:00:00-01:00",
                               "2026-01-01T11:00:00-01:00" };
  static const char *azF[] = { "2026-01-01", "2026-01-02" };
  static const char *azG[] = { "2026-01-01T10:00:00.000000000000000000000000" };
  static const char *azJ[] = { "2026-01-01 10:00:00", "2026-01-01 10:01" };
  static const char *azH[] = { "x" };
  static const char *azI[] = { "7" };
  static const char *azBad[] = { "", "x", "n,", "nn", "n,t:", "t!", "i!x",
    "n,n,n,n,n,n,n,n,n", "i:0123456789012345678901234567890123456789" };
  unsigned i;
  Fix f;
  expectNative("?", 0, 0, azA);
  expectNative("i:dddd-dd-dd dd:dd:dd", 1, 2, azA);
  expectNative("i!", 0, 2, azB);
  expectNative("i:dddd-dd-ddTdd:dd:dd.dz", 1, 2, azC);
  expectNative("i!", 0, 2, azD);
  expectNative("i:dddd-dd-ddTdd:dd:dd-dd:dd", 0, 2, azE);
  expectNative("i:dddd-dd-dd", 1, 2, azF);
  expectNative("i!", 0, 1, azG);
  expectNative("i!", 0, 2, azJ);
  expectNative("t", 1, 1, azH);
  expectNative("n", 1, 1, azI);
  fixInit(&f, "n,i,t,b,?");
  check(f.kind.nPart==5 && acdcSeqNative(&f.kind)==0, "composite kind");
  for(i=0; i<sizeof(azBad)/sizeof(azBad[0]); i++){
    acdcSeqKindParse(&f.ctx, azBad[i], &f.kind);
    check(f.ctx.rc!=0, "kind '%s' taken", azBad[i]);
    acdcCtxClear(&f.ctx);
  }
  fixClear(&f);
}

/* ---------------------------------------------------------------------
** Composites
*/
static void expectComposite(const char *zKind, int n, const AcdcVal *aV,
                            const char *zShown, const char *zKindAfter){
  Fix f;
  AcdcSeq s;
  AcdcVal want = vText(zShown);
  char *z;
  fixInit(&f, zKind);
  check(f.kind.nPart==n, "parts of %s", zKind);
  check(acdcSeqRead(&f.ctx, &f.kind, aV, 0, &f.arena, &s)==0, "%s: %s", zShown,
        acdcErrorText(&f.ctx));
  if( f.ctx.rc==0 ){
    z = acdcStrndup(&f.ctx, (const char*)s.shown.u.z, s.shown.n);
    check(sameVal(&s.shown, &want), "shown %s, not %s", z, zShown);
    sqlite3_free(z);
    z = acdcSeqKindText(&f.ctx, &f.kind);
    check(z && strcmp(z, zKindAfter)==0, "kind %s, not %s", z, zKindAfter);
    sqlite3_free(z);
    checkTrip(&f, &s, zShown);
  }
  fixClear(&f);
}

static void expectNotShown(const char *zKind, const char *zJson){
  Fix f;
  AcdcSeq s;
  AcdcVal v = vText(zJson);
  fixInit(&f, zKind);
  acdcSeqReadShown(&f.ctx, &f.kind, &v, &f.arena, &s);
  check(f.ctx.rc!=0, "%s taken as %s", zJson, zKind);
  fixClear(&f);
}

UNIT_TEST(composite_forms){
  AcdcVal a[ACDC_SEQ_MAXPART];
  char zOp[] = "op", zSeq[] = "seq", *az[2];
  Fix f;
  AcdcSeq s;
  a[0] = vText("9");
  a[1] = vInt(2);
  expectComposite("?,?", 2, a, "[9,2]", "n,n");
  a[0] = vText("\xc3\xa9");
  expectComposite("?,?", 2, a, "[\"\xc3\xa9\",2]", "t,n");
  a[0] = vText("a\"b\\c/\n\x01\x7f");
  expectComposite("?,n", 2, a, "[\"a\\\"b\\\\c/\\n\\u0001\x7f\",2]", "t,n");
  a[0] = vBytes(SQLITE_TEXT, "\0", 1);
  a[1] = vBytes(SQLITE_BLOB, "\0\xff", 2);
  expectComposite("?,?", 2, a, "[\"\\u0000\",{\"hex\":\"00FF\"}]", "t,b");
  a[0] = vText("18446744073709551617");
  a[1] = vReal(-0.5);
  a[2] = vReal(1.5e-30);
  a[3] = vText("2026-03-01T10:00:00.1234567+01:00");
  a[4] = vText("");
  a[5] = vReal(123.25);
  a[6] = vBytes(SQLITE_BLOB, 0, 0);
  a[7] = vInt(-0x7fffffffffffffff-1);
  expectComposite("?,?,?,?,?,?,?,?", 8, a,
      "[\"18446744073709551617\",-0.5,1.5e-30,"
      "\"2026-03-01T10:00:00.1234567+01:00\",\"\",123.25,{\"hex\":\"\"},"
      "-9223372036854775808]", "n,n,n,i,t,n,b,n");
  a[0] = vReal(0.00001);
  a[1] = vReal(0.000001);
  expectComposite("?,?", 2, a, "[0.00001,1e-6]", "n,n");
  expectNotShown("n,n", "[1]");
  expectNotShown("n,n", "[1,2,3]");
  expectNotShown("n,n", "[1,null]");
  expectNotShown("n,n", "[1,2");
  expectNotShown("n,n", "[1,2]x");
  expectNotShown("n,n", "[1,\"2026-01-01\"]");
  expectNotShown("n,n", "17");
  expectNotShown("n,n", "[01,2]");
  expectNotShown("n,t", "[1,\"a\\x\"]");
  expectNotShown("n,t", "[1,\"a]");
  expectNotShown("n,b", "[1,{\"hex\":\"0\"}]");
  expectNotShown("n,b", "[1,{\"hex\":\"0g\"}]");
  expectNotShown("n,b", "[1,{\"Hex\":\"00\"}]");
  az[0] = zSeq;
  az[1] = zOp;
  fixInit(&f, "n,t");
  a[0] = vInt(5);
  a[1] = vNull();
  check(acdcSeqRead(&f.ctx, &f.kind, a, az, &f.arena, &s)==2 && f.ctx.rc==0,
        "NULL as the second part");
  a[1] = vText("7");
  check(acdcSeqRead(&f.ctx, &f.kind, a, az, &f.arena, &s)!=0
     && strstr(acdcErrorText(&f.ctx), "\"op\"")!=0, "part named in message");
  check(acdcSeqRead(&f.ctx, &f.kind, a, az, &f.arena, &s)!=0, "sticky error");
  fixClear(&f);
}

/* ---------------------------------------------------------------------
** Damaged state, autocdc_seq_key()
*/
UNIT_TEST(damaged_state){
  Fix f;
  AcdcSeq s;
  AcdcVal v = vInt(5);
  fixInit(&f, "i");
  acdcSeqFromState(&f.ctx, &f.kind, &v, 0, &f.arena, &s);
  check(f.ctx.rc!=0 && strstr(acdcErrorText(&f.ctx), "autocdc_check")!=0,
        "INTEGER as the state of an instant");
  fixClear(&f);
  fixInit(&f, "n");
  v = vText("x");
  acdcSeqFromState(&f.ctx, &f.kind, &v, 0, &f.arena, &s);
  check(f.ctx.rc!=0, "text as the state of a number");
  fixClear(&f);
}

static void expectSql(const char *zSql, const char *zWant){
  sqlite3_stmt *p = 0;
  const char *z;
  if( sqlite3_prepare_v2(db, zSql, -1, &p, 0) ){
    check(0, "%s: %s", zSql, sqlite3_errmsg(db));
    return;
  }
  z = sqlite3_step(p)==SQLITE_ROW ? (const char*)sqlite3_column_text(p, 0)
                                  : sqlite3_errmsg(db);
  check(strstr(z ? z : "NULL", zWant)!=0, "%s: %s, not %s", zSql,
        z ? z : "NULL", zWant);
  sqlite3_finalize(p);
}

UNIT_TEST(seq_key){
  sqlite3_create_function(db, "k", 1, SQLITE_UTF8|SQLITE_DETERMINISTIC, 0,
                          acdcSeqKeyFunc, 0, 0);
  expectSql("SELECT k(NULL)", "NULL");
  expectSql("SELECT typeof(k(5))", "blob");
  expectSql("SELECT k('[1,null]')", "NULL");
  expectSql("SELECT k('9')<k('10') AND k(9)=k('9.0') AND k(9)=k(9.0)", "1");
  expectSql("SELECT k('18446744073709551617')>k(9223372036854775807)", "1");
  expectSql("SELECT k('2026-03-01T11:00:01+01:00')"
            "=k('2026-03-01 10:00:01')", "1");
  expectSql("SELECT k('2026-03-01')<k('2026-03-01 00:00:00.0000000001')",
            "1");
  expectSql("SELECT k(99)<k('2026-01-01') AND k('2026-01-01')<k('a')"
            " AND k('a')<k(x'00') AND k(x'ff')<k('[1]')", "1");
  expectSql("SELECT k('[9,11]')<k('[10,1]') AND k('[9,2]')<k('[9,11]')"
            " AND k('[9]')<k('[9,2]') AND k('[]')<k('[0]')", "1");
  expectSql("SELECT k('[ 9 , \"a\" ]')=k('[9.0,\"\\u0061\"]')", "1");
  expectSql("SELECT k('[1e2]')=k('[100]') AND k('[\"1e2\"]')>k('[100]')",
            "1");
  expectSql("SELECT k('[\"99999999999999999999\"]')"
            "=k('[99999999999999999999]')", "1");
  expectSql("SELECT k('[true]')>k('[') AND k('[1')<k('[1]')", "1");
  expectSql("SELECT k('2026-02-30')", "2026-02-30");
  expectSql("SELECT k('[1,\"2026-02-30\"]')", "no such date");
  expectSql("SELECT k(9e999)", "infinite");
  expectSql("SELECT k('[1,2,3,4,5,6,7,8,9]')", "9 parts");
}

/* ---------------------------------------------------------------------
** Times
*/
static void timeOne(
  const char *zWhat,
  const char *zKind,
  int n,
  const AcdcVal *aV
){
  const int nRun = 2000000;
  Fix f;
  AcdcSeq s;
  i64 sum = 0;
  clock_t t;
  int i;
  fixInit(&f, zKind);
  t = clock();
  for(i=0; i<nRun; i++){
    sum += acdcSeqRead(&f.ctx, &f.kind, &aV[i%n], 0, &f.arena, &s);
    sum += s.iOrd;
    if( (i&1023)==0 ) acdcArenaReset(&f.arena);
  }
  t = clock() - t;
  printf("%-28s %6.1f ns (%lld)\n", zWhat,
         (double)t*1e9/CLOCKS_PER_SEC/nRun, sum&1);
  fixClear(&f);
}

static void times(void){
  AcdcVal a[4];
  a[0] = vInt(5);
  a[1] = vInt(77);
  timeOne("INTEGER", "n", 2, a);
  a[0] = vText("1234567890");
  a[1] = vText("1234567891");
  timeOne("TEXT, 10 digits", "n", 2, a);
  a[0] = vText("18446744073709551617");
  timeOne("TEXT, 20 digits", "n", 1, a);
  a[0] = vText("1234.56");
  timeOne("TEXT, decimal", "n", 1, a);
  a[0] = vReal(1717171717.123);
  timeOne("REAL", "n", 1, a);
  a[0] = vText("2026-03-01 10:00:00");
  a[1] = vText("2026-03-02 11:00:00");
  timeOne("instant, 19 bytes", "i", 2, a);
  a[0] = vText("2026-03-01T10:00:00.123456Z");
  timeOne("instant, microseconds", "i", 1, a);
  a[0] = vText("2026-03-01T10:00:00.123456789+01:00");
  timeOne("instant, nanoseconds", "i", 1, a);
  a[0] = vText("ORDER-000017");
  timeOne("text", "t", 1, a);
  a[0] = vInt(1234567);
  a[1] = vInt(89);
  a[2] = vInt(90);
  timeOne("composite of two INTEGERs", "n,n", 2, a);
}

/* ---------------------------------------------------------------------
** Every allocation fails once.
*/
static void faultRead(const char *zKind, const AcdcVal *aV){
  int i;
  UNIT_EACH_FAULT(i){
    AcdcCtx ctx;
    AcdcArena arena;
    AcdcSeqKind kind;
    AcdcSeq s, b;
    AcdcVal st;
    char *z;
    memset(&arena, 0, sizeof(arena));
    acdcCtxInit(&ctx, 0);
    acdcSeqKindParse(&ctx, zKind, &kind);
    unitFaultAt(i);
    if( acdcSeqRead(&ctx, &kind, aV, 0, &arena, &s)==0 ){
      acdcSeqToState(&ctx, &kind, &s, &arena, &st);
      acdcSeqFromState(&ctx, &kind, &st, &s.shown, &arena, &b);
      acdcSeqReadShown(&ctx, &kind, &s.shown, &arena, &b);
      z = acdcSeqKindText(&ctx, &kind);
      if( ctx.rc==0 && nUnitFault==0 ){
        UNIT_CHECK(acdcSeqCmp(&kind, &s, &b)==0);
      }
      sqlite3_free(z);
    }
    if( nUnitFault>0 ) UNIT_CHECK(ctx.rc!=SQLITE_OK);
    nUnitUntilFault = 0;
    acdcArenaFree(&arena);
    acdcCtxClear(&ctx);
  }
}

UNIT_TEST(memory_runs_out){
  AcdcVal a[3];
  a[0] = vText("18446744073709551617");
  faultRead("n", a);
  faultRead("i", a);
  a[0] = vText("2026-01-01 10:00:00");
  faultRead("?", a);
  faultRead("n", a);
  a[0] = vText("a\n");
  a[1] = vBytes(SQLITE_BLOB, "xy", 2);
  a[2] = vText("1.5");
  faultRead("?,?,?", a);
}

int main(int argc, char **argv){
  ACDC_UNUSED(argv);
  unitFaultInit();
  sqlite3_open(":memory:", &db);
  UNIT_RUN(number_forms);
  UNIT_RUN(classes);
  UNIT_RUN(instant_forms);
  UNIT_RUN(instant_declared_column);
  UNIT_RUN(kind_text_and_native_order);
  UNIT_RUN(composite_forms);
  UNIT_RUN(damaged_state);
  UNIT_RUN(seq_key);
  UNIT_RUN(memory_runs_out);
  sqlite3_close(db);
  if( argc>1 ) times();
  return unitDone();
}
