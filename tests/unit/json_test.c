/*
** The JSON facade and the readers of inline flows and options.
*/
#include "core/core.h"
#include "core/json.h"
#include "flow/flow.h"
#include "spec/inline.h"
#include <stdio.h>
#include <stdlib.h>

static int nPass = 0;
static int nFail = 0;

static void check(int ok, const char *zWhat){
  if( ok ){
    nPass++;
  }else{
    nFail++;
    printf("FAIL %s\n", zWhat);
  }
}

/* The text is refused at that line and column with a message like zLike. */
static void bad(const char *z, i64 n, int iLine, int iCol, const char *zLike){
  AcdcCtx ctx;
  AcdcJsonPos pos;
  AcdcJson *pDoc;
  char *zWhat;
  acdcCtxInit(&ctx, 0);
  pDoc = acdcJsonParse(&ctx, z, n, &pos);
  zWhat = sqlite3_mprintf("bad [%.60s]: got %d:%d %s", z, pos.iLine, pos.iCol,
                          acdcErrorText(&ctx));
  check(pDoc==0 && ctx.rc!=SQLITE_OK && pos.iLine==iLine && pos.iCol==iCol
        && sqlite3_strlike(zLike, acdcErrorText(&ctx), 0)==0, zWhat);
  sqlite3_free(zWhat);
  acdcJsonFree(pDoc);
  acdcCtxClear(&ctx);
}

static AcdcJson *good(AcdcCtx *p, const char *z){
  AcdcJsonPos pos;
  AcdcJson *pDoc;
  acdcCtxInit(p, 0);
  pDoc = acdcJsonParse(p, z, -1, &pos);
  if( pDoc==0 ) printf("%s: %s\n", z, acdcErrorText(p));
  check(pDoc!=0, z);
  if( pDoc==0 ) exit(1);
  return pDoc;
}

static void testRefused(void){
  bad("", -1, 1, 1, "%empty%");
  bad("   \n ", -1, 2, 2, "%empty%");
  bad("{\"a\": 01}", -1, 1, 7, "%does not start with 0%");
  bad("{\"a\": -012}", -1, 1, 7, "%does not start with 0%");
  bad("{\"a\": 1.}", -1, 1, 9, "%digit%");
  bad("{\"a\": .5}", -1, 1, 7, "%value%");
  bad("{\"a\": 1e}", -1, 1, 9, "%digit%");
  bad("{\"a\": +1}", -1, 1, 7, "%value%");
  bad("{\"a\": NaN}", -1, 1, 7, "%double quote%");
  bad("{\"a\": 1} x", -1, 1, 10, "%more text%");
  bad("{\"a\": 1}{}", -1, 1, 9, "%more text%");
  bad("{\"a\": \"\\u0000\"}", -1, 1, 8, "%u0000%");
  bad("{\"a\\u0000\": 1}", -1, 1, 4, "%u0000%");
  bad("[\"\\ud800\"]", -1, 1, 3, "%first half%");
  bad("[\"\\udc00\"]", -1, 1, 3, "%second half%");
  bad("[\"\\u12g4\"]", -1, 1, 3, "%hexadecimal%");
  bad("[\"\\q\"]", -1, 1, 3, "%escape%");
  bad("[\"a\tb\"]", -1, 1, 4, "%escape%");
  bad("[\"a\xff\"]", -1, 1, 4, "%UTF-8%");
  bad("[\"\xc0\x80\"]", -1, 1, 3, "%UTF-8%");
  bad("[\"\xed\xa0\x80\"]", -1, 1, 3, "%UTF-8%");
  bad("[\"\xe2\x82\"]", -1, 1, 3, "%UTF-8%");
  bad("[1,2,]", -1, 1, 6, "%comma too many%");
  bad("{\"a\":1,}", -1, 1, 8, "%comma too many%");
  bad("[1 2]", -1, 1, 4, "%comma or ]%");
  bad("{\"a\" 1}", -1, 1, 6, "%colon%");
  bad("{'a': 1}", -1, 1, 2, "%double quotes%");
  bad("{target: x}", -1, 1, 2, "%double quotes%shell%");
  bad("{\"a\": 'x'}", -1, 1, 7, "%double quote%");
  bad("{\"a\": \"op = ", -1, 1, 7, "%written twice%");
  bad("{\"a\":\n  // c\n 1}", -1, 2, 3, "%no comments%");
  bad("[1", -1, 1, 3, "%ends inside an array%");
  bad("{\"a\":1", -1, 1, 7, "%ends inside an object%");
  bad("{\"a\":", -1, 1, 6, "%ends where%");
  bad("{", -1, 1, 2, "%ends inside an object%");
  bad("[1]\0", 4, 1, 4, "%more text%");
  bad("[\"a\0b\"]", 7, 1, 4, "%escape%");
  bad("[\"\xc3\xa9\xe2\x82\xac\" 1]", -1, 1, 7, "%comma%");
  bad("[1234567890123456789012345678901234567890123456789012345678901]",
      -1, 1, 2, "%60 characters%");
}

static void testLimits(void){
  char *z = malloc(17*1024*1024);
  AcdcCtx ctx;
  AcdcJsonPos pos;
  AcdcJson *pDoc;
  int i, n = 0;
  if( z==0 ) return;
  memset(z, '[', 201);
  memset(z+201, ']', 201);
  bad(z, 402, 1, 201, "%200 deep%");
  memset(z+200, ']', 200);
  acdcCtxInit(&ctx, 0);
  pDoc = acdcJsonParse(&ctx, z, 400, &pos);
  check(pDoc!=0, "200 deep is read");
  acdcJsonFree(pDoc);
  acdcCtxClear(&ctx);
  memset(z, '[', 1000000);
  bad(z, 1000000, 1, 201, "%200 deep%");
  memset(z, ' ', 17*1024*1024);
  bad(z, 16*1024*1024+1, 0, 0, "%16 MB%");
  z[n++] = '[';
  for(i=0; i<2000001; i++){ z[n++] = '1'; z[n++] = ','; }
  bad(z, n, 1, 4000000, "%2000000 values%");

  /* 10 MB of ordinary text: read, and the last value is found. */
  n = sprintf(z, "[\n");
  for(i=0; i<200000; i++){
    n += sprintf(z+n, "{\"name\":\"x%06d\",\"note\":\"some text here\",\"n\":1},"
                 "\n", i);
  }
  n += sprintf(z+n, "{\"last\":true}]");
  acdcCtxInit(&ctx, 0);
  pDoc = acdcJsonParse(&ctx, z, n, &pos);
  check(pDoc!=0, "10 MB are read");
  if( pDoc ){
    AcdcJsonNode *pNode = acdcJsonAt(acdcJsonRoot(pDoc), 200000);
    check(acdcJsonMember(pNode, "last")!=0, "10 MB: last element");
    acdcJsonWhere(pDoc, pNode, 0, &pos);
    check(pos.iLine==200002 && pos.iCol==1, "10 MB: place of the last");
  }
  acdcJsonFree(pDoc);
  acdcCtxClear(&ctx);
  free(z);
}

static void testTree(void){
  AcdcCtx ctx;
  AcdcJsonPos pos;
  AcdcVal v;
  i64 i = 0;
  int n;
  char *zPtr;
  const char *zRaw;
  AcdcJson *pDoc = good(&ctx,
    "\xef\xbb\xbf{\"a/b~c\": [1, {\"x\": -9223372036854775808}],\n"
    " \"Name\": \"caf\\u00e9 \\ud83d\\ude00\", \"name\": 18446744073709551615,\n"
    " \"d\": 1, \"d\": 2, \"r\": 1.50, \"e\": 1e400, \"z\": null, \"t\": true,"
    " \"big\": 9007199254740993, \"o\": {\"q\": [ 1 ]}}");
  AcdcJsonNode *pRoot = acdcJsonRoot(pDoc);
  AcdcJsonNode *pNode = acdcJsonMember(pRoot, "a/b~c");
  pNode = acdcJsonMember(acdcJsonAt(pNode, 1), "x");
  check(acdcJsonInt(pDoc, pNode, &i) && i==(-9223372036854775807LL-1), "min");
  zPtr = acdcJsonPointer(&ctx, pNode);
  check(zPtr && strcmp(zPtr, "/a~1b~0c/1/x")==0, "pointer");
  sqlite3_free(zPtr);
  pNode = acdcJsonMember(pRoot, "Name");
  check(strcmp(pNode->zText, "caf\xc3\xa9 \xf0\x9f\x98\x80")==0, "text");
  acdcJsonWhere(pDoc, pNode, 0, &pos);
  check(pos.iLine==2 && pos.iCol==10, "place of a value");
  acdcJsonWhere(pDoc, pNode, 1, &pos);
  check(pos.iLine==2 && pos.iCol==2, "place of a name, going back");
  pNode = acdcJsonMember(pRoot, "name");
  check(acdcJsonInt(pDoc, pNode, &i)==0, "beyond 64 bits");
  acdcJsonScalar(pDoc, pNode, &v);
  check(v.eType==SQLITE_TEXT && v.n==20
        && memcmp(v.u.z, "18446744073709551615", 20)==0, "digits kept");
  check(acdcJsonMember(pRoot, "NAME")==0, "case counts");
  check(acdcJsonDuplicates(pDoc)==1, "duplicates");
  pNode = acdcJsonMember(pRoot, "d");
  check(acdcJsonInt(pDoc, pNode, &i) && i==2, "the last duplicate");
  acdcJsonScalar(pDoc, acdcJsonMember(pRoot, "big"), &v);
  check(v.eType==SQLITE_INTEGER && v.u.i==9007199254740993LL, "2^53+1");
  acdcJsonScalar(pDoc, acdcJsonMember(pRoot, "r"), &v);
  check(v.eType==SQLITE_FLOAT && v.u.r==1.5, "real");
  acdcJsonScalar(pDoc, acdcJsonMember(pRoot, "z"), &v);
  check(v.eType==SQLITE_NULL, "null");
  acdcJsonScalar(pDoc, acdcJsonMember(pRoot, "t"), &v);
  check(v.eType==SQLITE_INTEGER && v.u.i==1, "true");
  zRaw = acdcJsonRaw(pDoc, acdcJsonMember(pRoot, "o"), &n);
  check(n==12 && memcmp(zRaw, "{\"q\": [ 1 ]}", 12)==0, "spelling");
  acdcJsonFree(pDoc);
  acdcCtxClear(&ctx);

  acdcCtxInit(&ctx, 0);
  zPtr = 0;
  acdcJsonQuote(&ctx, &zPtr, "a\"b\\c\n\xc3\xa9", -1);
  check(zPtr && strcmp(zPtr, "\"a\\\"b\\\\c\\u000a\xc3\xa9\"")==0, "quote");
  sqlite3_free(zPtr);
  acdcCtxClear(&ctx);
}

/* An inline flow is refused with a message like zLike. */
static void badFlow(const char *zJson, const char *zLike){
  AcdcCtx ctx;
  AcdcFlow flow;
  char *zWhat;
  acdcCtxInit(&ctx, 0);
  acdcFlowInit(&flow);
  acdcInlineRead(&ctx, zJson, ACDC_USE_CHANGES, &flow);
  zWhat = sqlite3_mprintf("%s\n   gives: %s\n   not:   %s", zJson,
                          acdcErrorText(&ctx), zLike);
  check(ctx.rc!=SQLITE_OK
        && sqlite3_strlike(zLike, acdcErrorText(&ctx), 0)==0, zWhat);
  sqlite3_free(zWhat);
  acdcFlowClear(&flow);
  acdcCtxClear(&ctx);
}

static void testInlineGood(void){
  AcdcCtx ctx;
  AcdcFlow flow;
  acdcCtxInit(&ctx, 0);
  acdcFlowInit(&flow);
  acdcInlineRead(&ctx,
    "{\"target\": \"t\", \"source\": {\"format\": \"csv\", \"path\": \"in/*.csv\","
    " \"schema\": {\"type\": \"struct\"}, \"reader_options\": {\"header\": true,"
    " \"sep\": \";\", \"n\": 12}}, \"keys\": \"a, coalesce(b, c)\","
    " \"sequence_by\": [\"s1\", \"s2\"], \"scd_type\": \"2\","
    " \"except_column_list\": [], \"where\": null, \"once\": true,"
    " \"tie_break\": \"error\", \"read\": \"all\","
    " \"expectations\": {\"expect\": {\"r1\": \"a > 0\"},"
    "   \"expect_or_drop\": [{\"name\": \"r2\", \"constraint\": \"b\"},"
    "   {\"name\": \"off\", \"constraint\": \"b\", \"enabled\": false}]}}",
    ACDC_USE_CHANGES, &flow);
  if( ctx.rc ) printf("%s\n", acdcErrorText(&ctx));
  check(ctx.rc==SQLITE_OK, "inline flow");
  check(flow.eSource==ACDC_SOURCE_FILES && flow.files.optName.n==3
        && strcmp(flow.files.optValue.az[0], "true")==0
        && strcmp(flow.files.optValue.az[2], "12")==0
        && strcmp(flow.files.zSchema, "{\"type\": \"struct\"}")==0, "files");
  check(flow.keys.n==2 && strcmp(flow.keys.az[1], "coalesce(b, c)")==0, "keys");
  check(flow.sequenceBy.n==2 && flow.eScd==ACDC_SCD2, "sequence, scd");
  check(flow.exceptColumnList.bGiven && flow.exceptColumnList.names.n==0,
        "empty list is given");
  check(flow.columnList.bGiven==0 && flow.zWhere==0, "null is absent");
  check(flow.bOnce && flow.bReadAll && flow.eTieBreak==ACDC_TIE_ERROR, "enums");
  check(flow.nExpect==2 && flow.aExpect[1].eAction==ACDC_EXPECT_DROP
        && strcmp(flow.aExpect[0].zName, "r1")==0, "expectations");
  acdcFlowClear(&flow);
  acdcCtxClear(&ctx);

  acdcCtxInit(&ctx, 0);
  acdcFlowInit(&flow);
  acdcInlineRead(&ctx,
    "{\"target\":\"t\",\"version\":36893488147419103232,\"expectations\":"
    "[{\"rule\":\"x\",\"action\":\"quarantine\"},{\"expression\":\"y\"}]}",
    ACDC_USE_SNAPSHOT, &flow);
  check(ctx.rc==SQLITE_OK && flow.bVersionGiven
        && flow.version.eType==SQLITE_TEXT && flow.version.n==20, "version");
  check(flow.nExpect==2 && flow.aExpect[0].eAction==ACDC_EXPECT_QUARANTINE
        && flow.aExpect[1].eAction==ACDC_EXPECT_WARN, "list of expectations");
  acdcFlowClear(&flow);
  acdcCtxClear(&ctx);
}

/* Every member refuses a value of a type that it cannot have. */
static void testWrongTypes(void){
  static const char *const az[] = {
    "{\"x\": 1}", "[[1]]", "1.5", "[{\"x\": 1}]", "[1]", "true", "7", "[true]"
  };
  int i, k;
  const AcdcMember *pM;
  for(i=0; (pM = acdcFlowMemberAt(i))!=0; i++){
    int nRefused = 0;
    for(k=0; k<8; k++){
      AcdcCtx ctx;
      AcdcFlow flow;
      char *z = sqlite3_mprintf("{\"%s\": %s}", pM->zName, az[k]);
      acdcCtxInit(&ctx, 0);
      acdcFlowInit(&flow);
      acdcInlineRead(&ctx, z, pM->mUse, &flow);
      if( ctx.rc ){
        nRefused++;
        check(strstr(acdcErrorText(&ctx), "(line 1, column ")!=0, z);
        check(strstr(acdcErrorText(&ctx), pM->zName)!=0, z);
      }
      acdcFlowClear(&flow);
      acdcCtxClear(&ctx);
      sqlite3_free(z);
    }
    check(nRefused>=(pM->eKind==ACDC_MEMBER_VERSION ? 4 : 6), pM->zName);
  }
}

static void testInlineBad(void){
  badFlow("{\"keyz\": \"a\"}", "%at /keyz (line 1, column 10)%did you mean "
          "\"keys\"%");
  badFlow("{\"keys\": [\"a\", 1]}", "%at /keys/1 (line 1, column 16)%");
  badFlow("{\"scd_type\": 3}", "%at /scd_type%scd_type%3%");
  badFlow("{\"scd_type\": 1, \"stored_as_scd_type\": 2}", "%differ%");
  badFlow("{\"version\": 3}", "%version%");
  badFlow("[1]", "%must be a JSON object%a list%");
  badFlow("{\"keys\": \"a\", \"keys\": \"b\"}", "%/keys%twice%");
  badFlow("{\"source\": {\"format\": \"parquet\", \"path\": \"x\"}}",
          "%/source/format%parquet%");
  badFlow("{\"source\": {\"format\": \"csv\"}}", "%\"path\"%");
  badFlow("{\"source\": {\"format\": \"csv\", \"pth\": \"x\"}}",
          "%/source/pth%did you mean \"path\"%");
  badFlow("{\"expectations\": [{\"name\": \"x\"}]}", "%/expectations/0%"
          "constraint%");
  badFlow("{\"expectations\": {\"expect_or_dorp\": {}}}",
          "%did you mean \"expect_or_drop\"%");
  badFlow("{\"expectations\": [{\"rule\": \"x\", \"action\": \"explode\"}]}",
          "%/expectations/0/action%explode%");
  badFlow("{\"target\": \"t\" \"keys\": \"k\"}", "%line 1, column 16%comma%");
}

static void badOptions(const char *zJson, const char *zLike){
  AcdcCtx ctx;
  AcdcRunOptions opt;
  acdcCtxInit(&ctx, 0);
  acdcOptionsRead(&ctx, zJson, &opt);
  check(ctx.rc && sqlite3_strlike(zLike, acdcErrorText(&ctx), 0)==0, zJson);
  if( ctx.rc==0 ) printf("accepted: %s\n", zJson);
  acdcOptionsClear(&opt);
  acdcCtxClear(&ctx);
}

static void testOptions(void){
  AcdcCtx ctx;
  AcdcRunOptions opt;
  acdcCtxInit(&ctx, 0);
  acdcOptionsRead(&ctx, "{\"on_error\":\"continue\",\"dry_run\":true,"
    "\"read\":\"all\",\"base_path\":\"/x\",\"schemas\":[\"a\",\"b\"]}", &opt);
  check(ctx.rc==SQLITE_OK && opt.bContinue && opt.bDryRun && opt.bReadAll
        && strcmp(opt.zBasePath, "/x")==0 && opt.schemas.n==2, "options");
  acdcOptionsClear(&opt);
  acdcOptionsRead(&ctx, 0, &opt);
  check(ctx.rc==SQLITE_OK && !opt.bContinue && !opt.zBasePath, "no options");
  acdcOptionsRead(&ctx, " ", &opt);
  check(ctx.rc==SQLITE_OK, "blank options");
  acdcOptionsRead(&ctx, "{\"schemas\":\"a, b\",\"dry_run\":0}", &opt);
  check(ctx.rc==SQLITE_OK && opt.schemas.n==2 && !opt.bDryRun, "comma text");
  acdcOptionsClear(&opt);
  acdcCtxClear(&ctx);
  badOptions("{\"dryrun\": true}", "%did you mean \"dry_run\"%");
  badOptions("{\"dry_run\": \"perhaps\"}", "%/dry_run%");
  badOptions("{\"on_error\": \"ignore\"}", "%/on_error%continue%");
  badOptions("{\"schemas\": [1]}", "%/schemas/0%");
  badOptions("continue", "%not valid JSON%");
}

int main(void){
  sqlite3_initialize();
  testRefused();
  testLimits();
  testTree();
  testInlineGood();
  testInlineBad();
  testWrongTypes();
  testOptions();
  printf("%d passed, %d failed\n", nPass, nFail);
  sqlite3_shutdown();
  return nFail!=0;
}
