/*
** Tests of ext/core: errors, memory, text, values and statements.
*/
#include "core_fix.h"

/* ---- ctx.c ---------------------------------------------------------- */

UNIT_TEST(errors){
  AcdcCtx c;
  acdcCtxInit(&c, 0);
  acdcErrorWhere(&c, "nowhere");
  UNIT_CHECK(c.zErr==0 && c.rc==SQLITE_OK);
  UNIT_CHECK(strstr(acdcErrorText(&c), "not an error")==0);
  acdcError(&c, SQLITE_CONSTRAINT, "no %s at %d", "key", 7);
  acdcError(&c, SQLITE_ERROR, "second");
  UNIT_INT(c.rc, SQLITE_CONSTRAINT);
  UNIT_STR(acdcErrorText(&c), "no key at 7");
  acdcErrorWhere(&c, "flow %s", "f%d");
  UNIT_STR(acdcErrorText(&c), "flow f%d: no key at 7");
  acdcCtxClear(&c);
  UNIT_CHECK(c.zErr==0 && c.rc==SQLITE_OK);

  acdcError(&c, SQLITE_OK, "a slip");
  ERROR_IS(&c, SQLITE_ERROR, "a slip");

  c.rc = SQLITE_NOMEM;
  UNIT_STR(acdcErrorText(&c), "out of memory");
  acdcErrorWhere(&c, "here");
  UNIT_STR(acdcErrorText(&c), "here: out of memory");
  acdcCtxClear(&c);
  acdcErrorDb(&c, SQLITE_FULL, 0);
  ERROR_IS(&c, SQLITE_FULL, "full");
}

UNIT_TEST(errorsOfConnection){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  int rc;
  fixtureOpen(&f, "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1)");
  acdcErrorDb(p, SQLITE_OK, "x");
  acdcErrorDb(p, SQLITE_ROW, "x");
  acdcErrorDb(p, SQLITE_DONE, "x");
  UNIT_INT(p->rc, SQLITE_OK);

  rc = sqlite3_exec(f.db, "INSERT INTO t VALUES(1)", 0, 0, 0);
  acdcErrorDb(p, rc, "writing %s", "t");
  UNIT_STR(acdcErrorText(p), "writing t: UNIQUE constraint failed: t.a");
  ERROR_IS(p, SQLITE_CONSTRAINT_UNIQUE, "UNIQUE");
  acdcErrorDb(p, SQLITE_CONSTRAINT, "");
  UNIT_STR(acdcErrorText(p), "UNIQUE constraint failed: t.a");
  acdcCtxClear(p);

  /* The connection speaks of something else. */
  acdcErrorDb(p, SQLITE_IOERR, 0);
  ERROR_IS(p, SQLITE_IOERR, "disk I/O error");
  sqlite3_exec(f.db, "SELECT 1", 0, 0, 0);
  acdcErrorDb(p, SQLITE_ERROR, 0);
  UNIT_CHECK(strstr(acdcErrorText(p), "not an error")==0);
  acdcErrorDb(p, SQLITE_FULL, "later");
  UNIT_INT(p->rc, SQLITE_ERROR);
  fixtureClose(&f);
}

UNIT_TEST(memory){
  AcdcCtx c;
  char *z;
  char *zList = 0;
  acdcCtxInit(&c, 0);
  z = acdcMalloc(&c, 16);
  UNIT_CHECK(z!=0 && z[0]==0 && z[15]==0);
  strcpy(z, "abc");
  z = acdcRealloc(&c, z, 4096);
  UNIT_STR(z, "abc");
  sqlite3_free(z);
  z = acdcMalloc(&c, 0);
  UNIT_CHECK(z!=0);
  sqlite3_free(z);
  TEXT_IS(acdcStrdup(&c, "hello"), "hello");
  TEXT_IS(acdcStrndup(&c, "hello", 2), "he");
  TEXT_IS(acdcStrndup(&c, "", 0), "");
  UNIT_CHECK(acdcStrdup(&c, 0)==0 && acdcStrndup(&c, 0, 3)==0);
  TEXT_IS(acdcMprintf(&c, "\"%w\"", "a\"b"), "\"a\"\"b\"");
  acdcAppendf(&c, &zList, "%d", 1);
  acdcAppendf(&c, &zList, ", %d", 22);
  acdcAppendf(&c, &zList, "%s", "");
  UNIT_STR(zList, "1, 22");
  UNIT_INT(c.rc, SQLITE_OK);

  UNIT_CHECK(acdcMalloc(&c, -5)==0);
  ERROR_IS(&c, SQLITE_NOMEM, "memory");
  UNIT_CHECK(acdcRealloc(&c, 0, (i64)1<<40)==0);
  UNIT_INT(c.rc, SQLITE_NOMEM);
  UNIT_CHECK(acdcMalloc(&c, 1)==0 && acdcRealloc(&c, 0, 1)==0);
  UNIT_CHECK(acdcStrdup(&c, "x")==0 && acdcMprintf(&c, "x")==0);
  acdcAppendf(&c, &zList, "more");
  UNIT_STR(zList, "1, 22");
  sqlite3_free(zList);
  acdcCtxClear(&c);
}

/* ---- text.c --------------------------------------------------------- */

UNIT_TEST(names){
  AcdcCtx c;
  AcdcNames a = {0, 0};
  AcdcNames b = {0, 0};
  int i;
  acdcCtxInit(&c, 0);
  TEXT_IS(acdcNamesText(&c, &a), "");
  acdcNamesAdd(&c, &a, "one", -1);
  acdcNamesAdd(&c, &a, "twofold", 3);
  acdcNamesAdd(&c, &a, "", 0);
  TEXT_IS(acdcNamesText(&c, &a), "one, two, ");
  UNIT_INT(acdcNamesFind(&a, "TWO"), 1);
  UNIT_INT(acdcNamesFind(&a, "tw"), -1);
  UNIT_INT(acdcNamesFind(&a, 0), -1);
  for(i=0; i<100; i++){
    char zNum[20];
    sqlite3_snprintf(sizeof(zNum), zNum, "n%d", i);
    acdcNamesAdd(&c, &a, zNum, -1);
  }
  UNIT_INT(a.n, 103);
  UNIT_INT(acdcNamesFind(&a, "n99"), 102);
  acdcNamesAdd(&c, &b, "zero", -1);
  acdcNamesCopy(&c, &b, &a);
  UNIT_INT(b.n, 104);
  UNIT_STR(b.az[0], "zero");
  UNIT_STR(b.az[103], "n99");
  UNIT_CHECK(b.az[1]!=a.az[0]);
  acdcError(&c, SQLITE_ERROR, "x");
  acdcNamesAdd(&c, &b, "late", -1);
  UNIT_INT(b.n, 104);
  UNIT_CHECK(acdcNamesText(&c, &b)==0);
  acdcCtxClear(&c);
  acdcNamesFree(&a);
  acdcNamesFree(&b);
  acdcNamesFree(0);
  UNIT_CHECK(a.n==0 && a.az==0);
  acdcNamesAdd(&c, &a, "again", -1);
  UNIT_STR(a.az[0], "again");
  acdcNamesFree(&a);
}

UNIT_TEST(nearest){
  static const char *const az[] = {
    "keys", "sequence_by", "apply_as_deletes", "stored_as_scd_type", "target",
    "source", 0, "", "op"
  };
  char zLong[200];
  int n = (int)(sizeof(az)/sizeof(az[0]));
  UNIT_STR(acdcNearest("key", az, n), "keys");
  UNIT_STR(acdcNearest("KEYS", az, n), "keys");
  UNIT_STR(acdcNearest("sequenceBy", az, n), "sequence_by");
  UNIT_STR(acdcNearest("sequecne_by", az, n), "sequence_by");
  UNIT_STR(acdcNearest("sequence", az, n), "sequence_by");
  UNIT_STR(acdcNearest("traget", az, n), "target");
  UNIT_STR(acdcNearest("scd_type", az, n), "stored_as_scd_type");
  UNIT_STR(acdcNearest("deletes", az, n), "apply_as_deletes");
  UNIT_STR(acdcNearest("sorce", az, n), "source");
  UNIT_STR(acdcNearest("po", az, n), "op");
  UNIT_STR(acdcNearest("x", az, n), 0);
  UNIT_STR(acdcNearest("ab", az, n), 0);
  UNIT_STR(acdcNearest("colour", az, n), 0);
  UNIT_STR(acdcNearest("", az, n), 0);
  UNIT_STR(acdcNearest(0, az, n), 0);
  UNIT_STR(acdcNearest("key", az, 0), 0);
  memset(zLong, 'k', sizeof(zLong));
  zLong[199] = 0;
  UNIT_STR(acdcNearest(zLong, az, n), 0);
  {
    const char *az2[2];
    az2[0] = zLong;
    az2[1] = "abcd";
    UNIT_STR(acdcNearest("abce", az2, 2), "abcd");
    zLong[64] = 0;
    zLong[63] = 'x';
    UNIT_STR(acdcNearest(zLong, az2, 2), zLong);
  }
}

/* The entries of a split, each in "<>". */
static char *splitOf(AcdcCtx *p, const char *z){
  AcdcNames a = {0, 0};
  char *zOut = 0;
  int i;
  acdcSplitList(p, z, &a);
  acdcAppendf(p, &zOut, "%d", a.n);
  for(i=0; i<a.n; i++) acdcAppendf(p, &zOut, "<%s>", a.az[i]);
  acdcNamesFree(&a);
  return zOut;
}

UNIT_TEST(splitList){
  AcdcCtx c;
  acdcCtxInit(&c, 0);
  TEXT_IS(splitOf(&c, 0), "0");
  TEXT_IS(splitOf(&c, ""), "0");
  TEXT_IS(splitOf(&c, " \t\r\n"), "0");
  TEXT_IS(splitOf(&c, "a"), "1<a>");
  TEXT_IS(splitOf(&c, " a , b\n,c "), "3<a><b><c>");
  TEXT_IS(splitOf(&c, "a,,b,"), "4<a><><b><>");
  TEXT_IS(splitOf(&c, ","), "2<><>");
  TEXT_IS(splitOf(&c, "f(a,(b,c)),d"), "2<f(a,(b,c))><d>");
  TEXT_IS(splitOf(&c, "'a,''b',\"c,\"\",d\",`e,f`,[g,h]"),
          "4<'a,''b'><\"c,\"\",d\"><`e,f`><[g,h]>");
  TEXT_IS(splitOf(&c, "a -- x, y\n, b /* , ( */, c"),
          "3<a -- x, y><b /* , ( */><c>");
  TEXT_IS(splitOf(&c, "a),b"), "2<a)><b>");
  TEXT_IS(splitOf(&c, "a(,b"), "1<a(,b>");
  TEXT_IS(splitOf(&c, "a,'b,c"), "2<a><'b,c>");
  TEXT_IS(splitOf(&c, "a,[b,c"), "2<a><[b,c>");
  TEXT_IS(splitOf(&c, "a,/* b,c"), "2<a></* b,c>");
  TEXT_IS(splitOf(&c, "a,-- b,c"), "2<a><-- b,c>");
  TEXT_IS(splitOf(&c, "a-b,c/d"), "2<a-b><c/d>");
  TEXT_IS(splitOf(&c, "'('"",b"), "2<'('><b>");
  UNIT_INT(c.rc, SQLITE_OK);
}

UNIT_TEST(unquote){
  AcdcCtx c;
  acdcCtxInit(&c, 0);
  TEXT_IS(acdcUnquote(&c, "  plain name "), "plain name");
  TEXT_IS(acdcUnquote(&c, "\"a b\""), "a b");
  TEXT_IS(acdcUnquote(&c, " \"a\"\"b\" "), "a\"b");
  TEXT_IS(acdcUnquote(&c, "`a``b`"), "a`b");
  TEXT_IS(acdcUnquote(&c, "[a\"b]"), "a\"b");
  TEXT_IS(acdcUnquote(&c, "\" a \""), " a ");
  TEXT_IS(acdcUnquote(&c, "\"\""), "");
  TEXT_IS(acdcUnquote(&c, "[]"), "");
  TEXT_IS(acdcUnquote(&c, "\"\"\"\""), "\"");
  TEXT_IS(acdcUnquote(&c, "\"a\".\"b\""), "\"a\".\"b\"");
  TEXT_IS(acdcUnquote(&c, "[a]b]"), "[a]b]");
  TEXT_IS(acdcUnquote(&c, "\"open"), "\"open");
  TEXT_IS(acdcUnquote(&c, "\""), "\"");
  TEXT_IS(acdcUnquote(&c, "'text'"), "'text'");
  TEXT_IS(acdcUnquote(&c, ""), "");
  UNIT_CHECK(acdcUnquote(&c, 0)==0);
  UNIT_INT(c.rc, SQLITE_OK);
}

static void splitNameIs(const char *z, const char *zSchema, const char *zName){
  AcdcCtx c;
  char *zS = 0;
  char *zN = 0;
  acdcCtxInit(&c, 0);
  acdcSplitName(&c, z, &zS, &zN);
  UNIT_STR(zS, zSchema);
  UNIT_STR(zN, zName);
  sqlite3_free(zS);
  sqlite3_free(zN);
}

UNIT_TEST(splitName){
  AcdcCtx c;
  char *zS = 0;
  char *zN = 0;
  splitNameIs("t", 0, "t");
  splitNameIs(" main . t ", "main", "t");
  splitNameIs("a.b.c", "a", "b.c");
  splitNameIs("\"a.b\"", 0, "a.b");
  splitNameIs("\"a.b\".c", "a.b", "c");
  splitNameIs("\"a\"\"b\" . [c.d]", "a\"b", "c.d");
  splitNameIs("main.\"x y\"", "main", "x y");
  splitNameIs("main.", 0, "main.");
  splitNameIs(".t", 0, ".t");
  splitNameIs("\"open.t", 0, "\"open.t");
  splitNameIs("\"a\"b.c", 0, "\"a\"b.c");
  splitNameIs("", 0, "");
  splitNameIs(0, 0, 0);
  acdcCtxInit(&c, 0);
  acdcError(&c, SQLITE_ERROR, "x");
  acdcSplitName(&c, "a.b", &zS, &zN);
  UNIT_CHECK(zS==0 && zN==0);
  acdcCtxClear(&c);
}

/* ---- arena.c -------------------------------------------------------- */

UNIT_TEST(arena){
  AcdcCtx c;
  AcdcArena a;
  u8 *aPiece[5000];
  u8 *pBig;
  u8 *pNext;
  int i, j;
  int bAligned = 1, bKept = 1;
  acdcCtxInit(&c, 0);
  memset(&a, 0, sizeof(a));
  for(i=0; i<5000; i++){
    aPiece[i] = acdcArenaAlloc(&c, &a, i%97);
    if( ((size_t)aPiece[i] & 7)!=0 ) bAligned = 0;
    memset(aPiece[i], i&0xff, (size_t)(i%97));
  }
  for(i=0; i<5000; i++){
    for(j=0; j<i%97; j++) if( aPiece[i][j]!=(i&0xff) ) bKept = 0;
  }
  UNIT_CHECK(bAligned && bKept);
  UNIT_CHECK(a.nTotal>=4*65536 && a.nTotal%65536==0);

  /* A huge piece leaves the block in use. */
  aPiece[0] = acdcArenaAlloc(&c, &a, 8);
  pBig = acdcArenaAlloc(&c, &a, 1000000);
  memset(pBig, 1, 1000000);
  pNext = acdcArenaAlloc(&c, &a, 8);
  UNIT_CHECK(pNext==aPiece[0]+8);
  UNIT_CHECK(acdcArenaAlloc(&c, &a, 0)!=acdcArenaAlloc(&c, &a, 0));

  acdcArenaReset(&a);
  UNIT_INT(a.nTotal, 65536);
  UNIT_INT(a.nUsed, 0);
  pNext = acdcArenaAlloc(&c, &a, 60000);
  memset(pNext, 2, 60000);
  UNIT_INT(a.nTotal, 65536);
  acdcArenaFree(&a);
  UNIT_CHECK(a.pBlock==0 && a.nTotal==0);
  acdcArenaReset(&a);
  acdcArenaFree(&a);
  acdcArenaFree(0);

  /* The first piece is huge: nothing of it stays after a reset. */
  pBig = acdcArenaAlloc(&c, &a, 200000);
  memset(pBig, 3, 200000);
  pNext = acdcArenaAlloc(&c, &a, 1);
  UNIT_CHECK(pNext!=0);
  acdcArenaReset(&a);
  UNIT_INT(a.nTotal, 65536);
  acdcArenaFree(&a);
  pBig = acdcArenaAlloc(&c, &a, 200000);
  UNIT_CHECK(pBig!=0);
  acdcArenaReset(&a);
  UNIT_INT(a.nTotal, 0);

  UNIT_CHECK(acdcArenaAlloc(&c, &a, -1)==0);
  ERROR_IS(&c, SQLITE_NOMEM, "memory");
  UNIT_CHECK(acdcArenaAlloc(&c, &a, (i64)1<<50)==0);
  UNIT_INT(c.rc, SQLITE_NOMEM);
  UNIT_CHECK(acdcArenaAlloc(&c, &a, 8)==0);
  acdcCtxClear(&c);
  acdcArenaFree(&a);
}

/* ---- value.c -------------------------------------------------------- */

static AcdcVal vInt(i64 i){
  AcdcVal v;
  memset(&v, 0, sizeof(v));
  v.eType = SQLITE_INTEGER;
  v.u.i = i;
  return v;
}
static AcdcVal vReal(double r){
  AcdcVal v;
  memset(&v, 0, sizeof(v));
  v.eType = SQLITE_FLOAT;
  v.u.r = r;
  return v;
}
static AcdcVal vBytes(int eType, const char *z, int n){
  AcdcVal v;
  memset(&v, 0, sizeof(v));
  v.eType = (u8)eType;
  v.n = n;
  v.u.z = (const u8*)z;
  return v;
}
static AcdcVal vText(const char *z){
  return vBytes(SQLITE_TEXT, z, z ? (int)strlen(z) : 0);
}
static AcdcVal vNull(void){
  AcdcVal v;
  memset(&v, 0, sizeof(v));
  v.eType = SQLITE_NULL;
  return v;
}

/* echo(X): X through acdcValFrom(), acdcValCopy() and acdcValResult(). */
static void echoFunc(sqlite3_context *pCall, int nArg, sqlite3_value **apArg){
  AcdcCtx c;
  AcdcArena a = {0, 0, 0};
  AcdcVal v, vCopy;
  ACDC_UNUSED(nArg);
  acdcCtxInit(&c, sqlite3_context_db_handle(pCall));
  acdcValFrom(&v, apArg[0]);
  acdcValCopy(&c, &a, &vCopy, &v);
  if( c.rc ) sqlite3_result_error_code(pCall, c.rc);
  else acdcValResult(pCall, &vCopy);
  acdcArenaFree(&a);
  acdcCtxClear(&c);
}

UNIT_TEST(valuesThroughSql){
  static const char *const azLiteral[] = {
    "NULL", "0", "-9223372036854775808", "9223372036854775807", "1.5",
    "-0.0", "1e300", "9e999", "''", "'it''s'", "x''", "x'00ff00'",
    "CAST(x'610062' AS TEXT)", "zeroblob(5)", "'\xc3\xa9t\xc3\xa9'"
  };
  Fixture f;
  AcdcCtx *p = &f.ctx;
  int i;
  fixtureOpen(&f, 0);
  sqlite3_create_function(f.db, "echo", 1, SQLITE_UTF8, 0, echoFunc, 0, 0);
  for(i=0; i<(int)(sizeof(azLiteral)/sizeof(azLiteral[0])); i++){
    const char *z = azLiteral[i];
    sqlite3_stmt *pRead = acdcPrepare(p, 0, "SELECT %s", z);
    sqlite3_stmt *pTest = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT,
        "SELECT ?1 IS %s AND typeof(?1)=typeof(%s)"
        " AND length(?1) IS length(%s)"
        " AND echo(%s) IS %s AND typeof(echo(%s))=typeof(%s)",
        z, z, z, z, z, z, z);
    AcdcVal v;
    UNIT_INT(acdcStep(p, pRead), 1);
    acdcValColumn(&v, pRead, 0);
    UNIT_INT(acdcValBind(pTest, 1, &v), SQLITE_OK);
    UNIT_INT(acdcStep(p, pTest), 1);
    if( !UNIT_INT(sqlite3_column_int(pTest, 0), 1) ) printf("  at %s\n", z);
    acdcFinalize(p, &pTest);
    acdcFinalize(p, &pRead);
  }
  {
    AcdcVal v = vInt(1);
    sqlite3_stmt *pStmt = acdcPrepare(p, 0, "SELECT 1");
    UNIT_INT(acdcValBind(pStmt, 1, &v), SQLITE_RANGE);
    v = vText(0);
    UNIT_INT(acdcValBind(pStmt, 1, &v), SQLITE_NOMEM);
    v = vBytes(SQLITE_BLOB, 0, 0);
    UNIT_INT(acdcValBind(pStmt, 1, &v), SQLITE_NOMEM);
    acdcFinalize(p, &pStmt);
  }
  ERROR_IS(p, SQLITE_OK, "");
  fixtureClose(&f);
}

UNIT_TEST(valueCopy){
  AcdcCtx c;
  AcdcArena a = {0, 0, 0};
  char zText[] = "abc";
  AcdcVal v = vText(zText);
  AcdcVal vCopy;
  acdcCtxInit(&c, 0);
  acdcValCopy(&c, &a, &vCopy, &v);
  zText[0] = 'X';
  UNIT_CHECK(vCopy.n==3 && memcmp(vCopy.u.z, "abc", 3)==0);
  acdcValCopy(&c, &a, &v, &v);
  UNIT_CHECK(memcmp(v.u.z, "Xbc", 3)==0);
  v = vInt(7);
  acdcValCopy(&c, &a, &vCopy, &v);
  UNIT_INT(vCopy.u.i, 7);
  v = vText("");
  acdcValCopy(&c, &a, &vCopy, &v);
  UNIT_CHECK(vCopy.eType==SQLITE_TEXT && vCopy.n==0 && vCopy.u.z!=0);
  v = vText(0);
  acdcValCopy(&c, &a, &vCopy, &v);
  UNIT_INT(vCopy.eType, SQLITE_NULL);
  ERROR_IS(&c, SQLITE_NOMEM, "memory");
  acdcArenaFree(&a);
}

static int isBoth(AcdcVal a, AcdcVal b){
  int r1 = acdcValIs(&a, &b);
  int r2 = acdcValIs(&b, &a);
  UNIT_INT(r1, r2);
  return r1;
}

UNIT_TEST(valueIs){
  i64 iMax = (i64)0x7fffffffffffffffLL;
  i64 iMin = -iMax - 1;
  i64 i53 = (i64)1<<53;
  double rNan = 0.0;
  rNan = rNan/rNan;
  UNIT_CHECK(isBoth(vNull(), vNull()));
  UNIT_CHECK(!isBoth(vNull(), vInt(0)));
  UNIT_CHECK(isBoth(vInt(1), vInt(1)) && !isBoth(vInt(1), vInt(2)));
  UNIT_CHECK(isBoth(vInt(1), vReal(1.0)));
  UNIT_CHECK(!isBoth(vInt(5), vReal(5.5)));
  UNIT_CHECK(isBoth(vInt(i53), vReal(9007199254740992.0)));
  UNIT_CHECK(!isBoth(vInt(i53+1), vReal(9007199254740992.0)));
  UNIT_CHECK(!isBoth(vInt(iMax), vReal(9223372036854775808.0)));
  UNIT_CHECK(isBoth(vInt(iMin), vReal(-9223372036854775808.0)));
  UNIT_CHECK(!isBoth(vInt(iMin), vReal(-9.3e18)));
  UNIT_CHECK(!isBoth(vInt(0), vReal(rNan)));
  UNIT_CHECK(isBoth(vReal(0.0), vReal(-0.0)));
  UNIT_CHECK(isBoth(vInt(0), vReal(-0.0)));
  UNIT_CHECK(!isBoth(vReal(0.1), vReal(0.2)));
  UNIT_CHECK(isBoth(vText("a"), vText("a")) && !isBoth(vText("a"), vText("A")));
  UNIT_CHECK(!isBoth(vText("a"), vText("ab")) && isBoth(vText(""), vText("")));
  UNIT_CHECK(!isBoth(vText("1"), vInt(1)));
  UNIT_CHECK(!isBoth(vText("a"), vBytes(SQLITE_BLOB, "a", 1)));
  UNIT_CHECK(isBoth(vBytes(SQLITE_BLOB, "a\0b", 3),
                    vBytes(SQLITE_BLOB, "a\0b", 3)));
  UNIT_CHECK(!isBoth(vBytes(SQLITE_TEXT, "a\0b", 3),
                     vBytes(SQLITE_TEXT, "a\0c", 3)));
}

/*
** acdcValIs() has to say what the library says.  Older libraries compare an
** integer with a real as long double, which valgrind computes with 53 bits:
** then they are wrong about large numbers, and those are left out.
*/
UNIT_TEST(valueIsAsSql){
  static const char *const az[] = {
    "NULL", "0", "1", "-1", "1.0", "0.5", "-0.0", "9007199254740992",
    "9007199254740993", "9007199254740992.0", "9007199254740994.0",
    "9223372036854775807", "9223372036854775807.0", "9223372036854774784.0",
    "9223372036854774784", "-9223372036854775808", "-9223372036854775808.0",
    "1e300", "9e999", "-9e999", "'1'", "'a'", "''", "x''", "x'61'"
  };
  Fixture f;
  AcdcCtx *p = &f.ctx;
  int n = (int)(sizeof(az)/sizeof(az[0]));
  int i, j, bExact;
  fixtureOpen(&f, 0);
  bExact = !acdcSelectInt(p, 1, "SELECT 9007199254740993=9007199254740992.0");
  for(i=0; i<n; i++){
    for(j=0; j<n; j++){
      sqlite3_stmt *pStmt = acdcPrepare(p, 0,
          "WITH v(a,b) AS MATERIALIZED (VALUES(%s,%s)) SELECT a, b, a IS b"
          " FROM v", az[i], az[j]);
      AcdcVal a, b;
      if( !acdcStep(p, pStmt) ) break;
      acdcValColumn(&a, pStmt, 0);
      acdcValColumn(&b, pStmt, 1);
      if( (bExact || a.eType==b.eType)
       && !UNIT_INT(acdcValIs(&a, &b), sqlite3_column_int(pStmt, 2))
      ){
        printf("  at %s IS %s\n", az[i], az[j]);
      }
      acdcFinalize(p, &pStmt);
    }
  }
  ERROR_IS(p, SQLITE_OK, "");
  fixtureClose(&f);
}

static void valTextIs(AcdcVal v, const char *zWant){
  AcdcCtx c;
  char *z;
  acdcCtxInit(&c, 0);
  z = acdcValText(&c, &v);
  UNIT_STR(z, zWant);
  sqlite3_free(z);
}

#define X10 "xxxxxxxxxx"
#define E5 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"

UNIT_TEST(valueText){
  double rInf = 1e308;
  rInf = rInf*10.0;
  valTextIs(vNull(), "NULL");
  valTextIs(vInt(-12), "-12");
  valTextIs(vReal(0.1), "0.1");
  valTextIs(vReal(3.0), "3.0");
  valTextIs(vReal(rInf), "9.0e+999");
  valTextIs(vReal(-rInf), "-9.0e+999");
  valTextIs(vText(""), "''");
  valTextIs(vText(0), "''");
  valTextIs(vText("it's"), "'it''s'");
  valTextIs(vText(X10 X10 X10 X10 X10 X10), "'" X10 X10 X10 X10 X10 X10 "'");
  valTextIs(vText(X10 X10 X10 X10 X10 X10 "y"),
            "'" X10 X10 X10 X10 X10 X10 "'...");
  valTextIs(vText("''''''''''''''''''''''''''''''''''''''''''''''''''''''''''"
                  "''''''"),
            "'""''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''"
            "''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''"
            "'...");
  /* 59 bytes, then a character of two: cut before it. */
  valTextIs(vText("x" E5 E5 E5 E5 E5 "xxxxxxxx" "\xc3\xa9"),
            "'x" E5 E5 E5 E5 E5 "xxxxxxxx'...");
  valTextIs(vText("a\xff\xc3z\xe2\x82\xac\xf0\x9f\x98\x80\xed\xa0\x80\xe2"),
            "'a??z\xe2\x82\xac\xf0\x9f\x98\x80???" "?'");
  valTextIs(vText("\xc0\x80\xe0\x80\x80\xf4\x90\x80\x80\xf0\x80\x80\x80"),
            "'????????????" "?'");
  valTextIs(vBytes(SQLITE_TEXT, "a\0b\nc\x7f", 6), "'a?b?c?'");
  valTextIs(vBytes(SQLITE_BLOB, "\x01\xaf\x00", 3), "X'01AF00'");
  valTextIs(vBytes(SQLITE_BLOB, "", 0), "X''");
  valTextIs(vBytes(SQLITE_BLOB, X10 X10 X10 X10, 31),
            "X'787878787878787878787878787878787878787878787878787878787878'"
            "...");
}

/* ---- db.c ----------------------------------------------------------- */

UNIT_TEST(statements){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  sqlite3_stmt *pStmt;
  fixtureOpen(&f, 0);
  pStmt = acdcPrepare(p, 0,
                      "SELECT %d UNION ALL SELECT 2 ; -- x\n ;/* y */", 1);
  UNIT_INT(acdcStep(p, pStmt), 1);
  UNIT_INT(sqlite3_column_int(pStmt, 0), 1);
  UNIT_INT(acdcStep(p, pStmt), 1);
  UNIT_INT(acdcStep(p, pStmt), 0);
  UNIT_INT(p->rc, SQLITE_OK);
  acdcReset(p, pStmt);
  UNIT_INT(acdcStep(p, pStmt), 1);
  acdcFinalize(p, &pStmt);
  UNIT_CHECK(pStmt==0);
  acdcFinalize(p, &pStmt);
  acdcReset(p, 0);
  UNIT_INT(p->rc, SQLITE_OK);

  UNIT_CHECK(acdcPrepare(p, 0, "SELECT 1; SELECT 2")==0);
  ERROR_IS(p, SQLITE_ERROR, "more text follows it: SELECT 2");
  UNIT_CHECK(acdcPrepare(p, 0, "SELECT 1; /* c */ x")==0);
  ERROR_IS(p, SQLITE_ERROR, "follows it: x");
  UNIT_CHECK(acdcPrepare(p, 0, " -- nothing")==0);
  ERROR_IS(p, SQLITE_ERROR, "empty");
  UNIT_CHECK(acdcPrepare(p, 0, "SELECT nosuch")==0);
  ERROR_IS(p, SQLITE_ERROR, "no such column: nosuch");
  pStmt = acdcPrepare(p, 0, "SELECT 1;/* open");
  UNIT_CHECK(pStmt!=0);

  /* In error nothing runs, but finalize frees. */
  acdcError(p, SQLITE_ERROR, "first");
  UNIT_INT(acdcStep(p, pStmt), 0);
  UNIT_CHECK(acdcPrepare(p, 0, "SELECT 1")==0);
  acdcFinalize(p, &pStmt);
  UNIT_CHECK(pStmt==0);
  acdcExec(p, "CREATE TABLE t(a)");
  UNIT_INT(acdcSelectInt(p, 5, "SELECT 1"), 5);
  UNIT_CHECK(acdcSelectText(p, "SELECT 1")==0);
  UNIT_CHECK(acdcInterrupted(p));
  ERROR_IS(p, SQLITE_ERROR, "first");
  UNIT_INT(acdcStep(p, 0), 0);
  ERROR_IS(p, SQLITE_MISUSE, "misuse");
  fixtureClose(&f);
}

UNIT_TEST(selects){
  Fixture f;
  AcdcCtx *p = &f.ctx;
  sqlite3_stmt *pStmt;
  fixtureOpen(&f, 0);
  acdcExec(p, "CREATE TABLE \"%w\"(a UNIQUE)", "x\"y");
  acdcExec(p, "INSERT INTO \"%w\" VALUES(3),(4)", "x\"y");
  acdcExec(p, "SELECT * FROM \"%w\"", "x\"y");
  UNIT_INT(acdcSelectInt(p, -1, "SELECT max(a) FROM \"%w\"", "x\"y"), 4);
  UNIT_INT(acdcSelectInt(p, -1, "SELECT 1 WHERE 0"), -1);
  UNIT_INT(acdcSelectInt(p, -1, "SELECT NULL"), -1);
  TEXT_IS(acdcSelectText(p, "SELECT %Q", "it's"), "it's");
  TEXT_IS(acdcSelectText(p, "SELECT NULL"), 0);
  TEXT_IS(acdcSelectText(p, "SELECT 1 WHERE 0"), 0);
  UNIT_INT(p->rc, SQLITE_OK);
  UNIT_INT(acdcSelectInt(p, 9, "SELECT * FROM nosuch"), 9);
  ERROR_IS(p, SQLITE_ERROR, "no such table: nosuch");
  UNIT_CHECK(acdcSelectText(p, "SELECT abs(-9223372036854775808)")==0);
  ERROR_IS(p, SQLITE_ERROR, "integer overflow");
  acdcExec(p, "INSERT INTO \"%w\" VALUES(3)", "x\"y");
  ERROR_IS(p, SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed");

  /* An error that only reset and finalize report. */
  pStmt = acdcPrepare(p, 0, "INSERT INTO \"%w\" VALUES(3)", "x\"y");
  sqlite3_step(pStmt);
  acdcReset(p, pStmt);
  ERROR_IS(p, SQLITE_CONSTRAINT_UNIQUE, "UNIQUE");
  sqlite3_step(pStmt);
  acdcFinalize(p, &pStmt);
  ERROR_IS(p, SQLITE_CONSTRAINT_UNIQUE, "UNIQUE");
  fixtureClose(&f);
}

int main(void){
  unitFaultInit();
  UNIT_RUN(errors);
  UNIT_RUN(errorsOfConnection);
  UNIT_RUN(memory);
  UNIT_RUN(names);
  UNIT_RUN(nearest);
  UNIT_RUN(splitList);
  UNIT_RUN(unquote);
  UNIT_RUN(splitName);
  UNIT_RUN(arena);
  UNIT_RUN(valuesThroughSql);
  UNIT_RUN(valueCopy);
  UNIT_RUN(valueIs);
  UNIT_RUN(valueIsAsSql);
  UNIT_RUN(valueText);
  UNIT_RUN(statements);
  UNIT_RUN(selects);
  return unitDone();
}
