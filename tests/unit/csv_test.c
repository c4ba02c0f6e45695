/*
** Tests of the CSV reader: records, conversions, streams and options.
*/
#include "core_fix.h"
#include "source/csv.h"
#include "source/convert.h"
#include "source/files.h"
#include "source/schema.h"
#include "source/timefmt.h"

/*
** The records of a text, one a line: "line:field|field", a quoted field in
** <>, an error of the record behind " !".  Owned by the caller.
*/
static char *csvText(const AcdcCsvFormat *pF, const char *z, int n, int nChunk){
  AcdcStream in;
  AcdcCsv csv;
  AcdcCtx ctx;
  sqlite3_str *pStr = sqlite3_str_new(0);
  acdcCtxInit(&ctx, 0);
  memset(&in, 0, sizeof(in));
  memset(&csv, 0, sizeof(csv));
  in.nChunk = nChunk;
  acdcStreamMemory(&ctx, &in, z, n<0 ? (i64)strlen(z) : n, "t.csv");
  acdcCsvBegin(&csv, &in, pF);
  while( acdcCsvNext(&ctx, &csv) ){
    int i;
    sqlite3_str_appendf(pStr, "%lld:", csv.iLine);
    for(i=0; i<csv.nField; i++){
      sqlite3_str_appendf(pStr, csv.aField[i].bQuoted ? "%s<%.*s>" : "%s%.*s",
          i ? "|" : "", csv.aField[i].n, csv.aField[i].z);
    }
    if( csv.zBad ) sqlite3_str_appendf(pStr, " !%s", csv.bLost ? "!" : "");
    sqlite3_str_appendchar(pStr, 1, '\n');
  }
  if( ctx.rc ) sqlite3_str_appendf(pStr, "ERROR %s", acdcErrorText(&ctx));
  acdcCsvFree(&csv);
  acdcStreamFree(&in);
  acdcCtxClear(&ctx);
  sqlite3_str_appendall(pStr, "");
  return sqlite3_str_length(pStr) ? sqlite3_str_finish(pStr)
                                  : (sqlite3_free(sqlite3_str_finish(pStr)),
                                     sqlite3_mprintf(""));
}

/* The same result whatever the size of the pieces the text comes in. */
#define CSV_IS(pF, zIn, zWant) do{ \
    static const int aChunk[] = { 0, 1, 2, 3, 5, 8 }; \
    int iChunk; \
    for(iChunk=0; iChunk<6; iChunk++){ \
      char *zGot = csvText((pF), (zIn), -1, aChunk[iChunk]); \
      if( !UNIT_STR(zGot, (zWant)) ) iChunk = 6; \
      sqlite3_free(zGot); \
    } \
  }while( 0 )

UNIT_TEST(plain){
  AcdcCsvFormat f;
  acdcCsvFormatInit(&f);
  CSV_IS(&f, "", "");
  CSV_IS(&f, "\n\r\n\n", "");
  CSV_IS(&f, "a,b\n1,2\n", "1:a|b\n2:1|2\n");
  CSV_IS(&f, "a,b\r\n1,2\r\n", "1:a|b\n2:1|2\n");
  CSV_IS(&f, "a,b\r1,2", "1:a|b\n2:1|2\n");
  CSV_IS(&f, "a\n\nb\r\n\r\nc", "1:a\n3:b\n5:c\n");
  CSV_IS(&f, ",\n,,", "1:|\n2:||\n");
  CSV_IS(&f, "\xef\xbb\xbf" "a,b", "1:a|b\n");
  CSV_IS(&f, " a , b ", "1: a | b \n");
  CSV_IS(&f, "5\" pipe,x\"y\"", "1:5\" pipe|x\"y\"\n");
}

UNIT_TEST(quoted){
  AcdcCsvFormat f;
  acdcCsvFormatInit(&f);
  CSV_IS(&f, "\"\",,\"\"\"\"", "1:<>||<\">\n");
  CSV_IS(&f, "\"a,b\",\"c\"\"d\"\"\"\n", "1:<a,b>|<c\"d\">\n");
  CSV_IS(&f, "\"a\nb\",1\r\n\"c\r\nd\"\r\nx", "1:<a\nb>|1\n3:<c\r\nd>\n5:x\n");
  CSV_IS(&f, "\"a\"b,c\nd", "1:<a\"b>|c !\n2:d\n");
  CSV_IS(&f, "a\n\"b\nc", "1:a\nERROR t.csv:2: a quote is opened and never"
      " closed: close it, or set the option quote to \"\" if quotes are data");
  CSV_IS(&f, "\"a\\\"\"b\"", "1:<a\\\"b>\n");
  f.bOneLine = 1;
  CSV_IS(&f, "\"a\nb\nc", "1:<a> !!\n2:b\n3:c\n");
}

UNIT_TEST(variants){
  AcdcCsvFormat f;
  acdcCsvFormatInit(&f);
  f.aSep[0] = '\t';
  CSV_IS(&f, "a\tb,c\t\n", "1:a|b,c|\n");
  memcpy(f.aSep, "||", 2);
  f.nSep = 2;
  CSV_IS(&f, "a||b|c||\n\"d||e\"||f|", "1:a|b|c|\n2:<d||e>|f|\n");
  memcpy(f.aSep, "\xc2\xa7", 2);
  CSV_IS(&f, "a\xc2\xa7" "b\xc2\xa9", "1:a|b\xc2\xa9\n");
  acdcCsvFormatInit(&f);
  f.cEscape = '\\';
  CSV_IS(&f, "\"a\\\"b\\\\\",\"c\\n\"", "1:<a\"b\\>|<c\\n>\n");
  f.cEscape = -1;
  f.cQuote = '\'';
  CSV_IS(&f, "'a''b',\"c\"", "1:<a'b>|\"c\"\n");
  f.cQuote = -1;
  CSV_IS(&f, "\"a,b\"", "1:\"a|b\"\n");
  acdcCsvFormatInit(&f);
  f.cComment = '#';
  CSV_IS(&f, "#x,\"y\r\na,#b\n#\n#end", "2:a|#b\n");
  f.bTrimLeft = f.bTrimRight = 1;
  CSV_IS(&f, " a , \"b \" ,\t c", "1:a|<b >|c\n");
}

UNIT_TEST(bytes){
  AcdcCsvFormat f;
  char *z;
  acdcCsvFormatInit(&f);
  CSV_IS(&f, "caf\xc3\xa9,\xf0\x9f\x98\x80", "1:caf\xc3\xa9|\xf0\x9f\x98\x80\n");
  CSV_IS(&f, "caf\xe9,x\ny", "1:caf\xe9|x !!\n2:y\n");
  CSV_IS(&f, "\"\xed\xa0\x80\"", "1:<\xed\xa0\x80> !!\n");
  z = csvText(&f, "a\0b,c\nd", 7, 0);
  UNIT_HAS(z, " !!\n2:d\n");
  sqlite3_free(z);
  z = csvText(&f, "\xff\xfe" "a\0,\0", 6, 0);
  UNIT_HAS(z, "ERROR t.csv is UTF-16 text");
  sqlite3_free(z);
  CSV_IS(&f, "PAR1xxxx", "ERROR t.csv is a Parquet file: convert it to CSV or"
      " JSON lines");
  CSV_IS(&f, "ORCA,1,22222222222", "1:ORCA|1|22222222222\n");
}

/* A record longer than the buffer is kept in one piece. */
UNIT_TEST(longRecord){
  AcdcCsvFormat f;
  int n = 3*ACDC_STREAM_CHUNK;
  char *zIn = sqlite3_malloc(n+10);
  char *zOut;
  acdcCsvFormatInit(&f);
  memset(zIn, 'x', (size_t)n);
  zIn[0] = '"';
  zIn[n-1] = '"';
  memcpy(&zIn[n], "\ny", 3);
  zOut = csvText(&f, zIn, n+2, 0);
  UNIT_INT(strlen(zOut), n-2 + 4 + 1 + 4);
  UNIT_HAS(zOut, "x>\n2:y\n");
  sqlite3_free(zIn);
  sqlite3_free(zOut);
}

/* ---- convert.c ------------------------------------------------------- */

static char *convText(u8 eConv, const char *z, int bJson){
  AcdcVal v;
  int bFit;
  char *zOut;
  if( bJson ) bFit = acdcConvNumber(eConv, (const u8*)z, (int)strlen(z), &v);
  else bFit = acdcConvText(eConv, (const u8*)z, (int)strlen(z), &v);
  switch( v.eType ){
    case SQLITE_INTEGER: zOut = sqlite3_mprintf("i%lld", v.u.i); break;
    case SQLITE_FLOAT: {
      sqlite3_str *pStr = sqlite3_str_new(0);
      sqlite3_str_appendchar(pStr, 1, 'r');
      acdcRealText(pStr, v.u.r);
      zOut = sqlite3_str_finish(pStr);
      break;
    }
    default: zOut = sqlite3_mprintf("t%.*s", v.n, v.u.z); break;
  }
  return sqlite3_mprintf("%z%s", zOut, bFit ? "" : "!");
}
#define CONV_IS(e, zIn, zWant)   TEXT_IS(convText((e), (zIn), 0), (zWant))
#define NUMBER_IS(e, zIn, zWant) TEXT_IS(convText((e), (zIn), 1), (zWant))

UNIT_TEST(conversions){
  u8 n = ACDC_CONV_NUMERIC, i = ACDC_CONV_INTEGER, r = ACDC_CONV_REAL;
  CONV_IS(ACDC_CONV_TEXT, "007", "t007");
  CONV_IS(ACDC_CONV_NONE, "7", "t7");
  CONV_IS(i, "007", "i7");
  CONV_IS(i, "-12", "i-12");
  CONV_IS(i, "+12", "i12");
  CONV_IS(i, " 12 ", "i12");
  CONV_IS(i, "9223372036854775807", "i9223372036854775807");
  CONV_IS(i, "-9223372036854775808", "i-9223372036854775808");
  CONV_IS(i, "9223372036854775808", "t9223372036854775808");
  CONV_IS(i, "-9223372036854775809", "t-9223372036854775809");
  CONV_IS(i, "123456789012345678901234567890", "t123456789012345678901234567890");
  CONV_IS(i, "5.0", "i5");
  CONV_IS(i, "1e3", "i1000");
  CONV_IS(i, "1.5", "r1.5!");
  CONV_IS(i, "", "t!");
  CONV_IS(i, "-", "t-!");
  CONV_IS(i, "0x10", "t0x10!");
  CONV_IS(i, "1 2", "t1 2!");
  CONV_IS(n, "abc", "tabc!");
  CONV_IS(n, "1.50", "r1.5");
  CONV_IS(n, ".5", "r0.5");
  CONV_IS(n, "5.", "i5");
  CONV_IS(n, "0.000", "i0");
  CONV_IS(n, "1e400", "t1e400");
  CONV_IS(n, "1e", "t1e!");
  CONV_IS(n, "0.30000000000000004", "r0.30000000000000004");
  CONV_IS(n, "0.300000000000000041", "t0.300000000000000041");
  CONV_IS(n, "12345678901234567.8", "t12345678901234567.8");
  CONV_IS(r, "7", "r7.0");
  CONV_IS(r, "12345678901234567.8", "r12345678901234568.0");
  CONV_IS(r, "-0.0", "r-0.0");
  CONV_IS(r, "1e400", "t1e400!");
  CONV_IS(r, "1e-400", "r0.0");
  CONV_IS(r, "nan", "tnan!");
  CONV_IS(ACDC_CONV_BOOL, "TRUE", "i1");
  CONV_IS(ACDC_CONV_BOOL, "false", "i0");
  CONV_IS(ACDC_CONV_BOOL, "1", "i1");
  CONV_IS(ACDC_CONV_BOOL, "2", "i2!");
  CONV_IS(ACDC_CONV_BOOL, "yes", "tyes!");
}

UNIT_TEST(jsonNumbers){
  u8 e = ACDC_CONV_NONE;
  NUMBER_IS(e, "9007199254740993", "i9007199254740993");
  NUMBER_IS(e, "18446744073709551615", "t18446744073709551615");
  NUMBER_IS(e, "5.0", "r5.0");
  NUMBER_IS(e, "1e2", "r100.0");
  NUMBER_IS(e, "0.1", "r0.1");
  NUMBER_IS(e, "-0", "i0");
  NUMBER_IS(e, "3.14159265358979323846", "t3.14159265358979323846");
  NUMBER_IS(ACDC_CONV_TEXT, "1.0", "t1.0");
  NUMBER_IS(ACDC_CONV_INTEGER, "5.0", "i5");
}

/* ---- schema.c -------------------------------------------------------- */

static char *schemaText(const char *z){
  AcdcSchema s;
  AcdcCtx ctx;
  char *zOut = 0;
  int i;
  acdcCtxInit(&ctx, 0);
  memset(&s, 0, sizeof(s));
  acdcSchemaParse(&ctx, z, &s);
  for(i=0; i<s.n; i++){
    acdcAppendf(&ctx, &zOut, "%s%s %s%s", i ? "," : "", s.a[i].zName,
        s.a[i].zType, s.a[i].bNotNull ? "!" : "");
  }
  if( ctx.rc ){
    sqlite3_free(zOut);
    zOut = sqlite3_mprintf("ERROR %s", acdcErrorText(&ctx));
  }
  acdcSchemaClear(&s);
  acdcCtxClear(&ctx);
  return zOut;
}
#define SCHEMA_IS(zIn, zWant) TEXT_IS(schemaText(zIn), (zWant))
#define SCHEMA_FAILS(zIn, zPart) do{ \
    char *zGot = schemaText(zIn); \
    UNIT_HAS(zGot, "ERROR "); \
    UNIT_HAS(zGot, (zPart)); \
    sqlite3_free(zGot); \
  }while( 0 )

UNIT_TEST(schemas){
  SCHEMA_IS("id INT, name STRING", "id INTEGER,name TEXT");
  SCHEMA_IS("Op: string, ts: timestamp, item_id: int, price: double",
            "Op TEXT,ts TIMESTAMP,item_id INTEGER,price REAL");
  SCHEMA_IS("a, b", "a ,b ");
  SCHEMA_IS("`a b` BIGINT NOT NULL COMMENT 'x, y', \"c\"\"d\" DECIMAL(10, 2)",
            "a b INTEGER!,c\"d DECIMAL(10, 2)");
  SCHEMA_IS("id LONG -- the key, really\n, s STRUCT<a: INT, b: ARRAY<INT>>\n,"
            "/* m */ m map<string,int>", "id INTEGER,s TEXT,m TEXT");
  SCHEMA_IS("id INT NOT NULL\nname STRING\nd DATE\n",
            "id INTEGER!,name TEXT,d DATE");
  SCHEMA_IS("CREATE TABLE IF NOT EXISTS x.t (\n id INT,\n v DOUBLE PRECISION,\n"
            " CONSTRAINT pk PRIMARY KEY(id), PRIMARY KEY (id, v), UNIQUE(id))"
            " USING delta", "id INTEGER,v REAL");
  SCHEMA_IS("constraint STRING, primary INT", "constraint TEXT,primary INTEGER");
  SCHEMA_IS("{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":"
            "\"integer\",\"nullable\":false},{\"name\":\"x\",\"type\":"
            "{\"type\":\"array\",\"elementType\":\"string\"}},{\"name\":\"d\","
            "\"type\":\"decimal(38,0)\"}]}",
            "id INTEGER!,x TEXT,d decimal(38,0)");
  SCHEMA_IS("[x] VARCHAR(10), f float, b boolean, n binary",
            "x VARCHAR(10),f REAL,b BOOLEAN,n BLOB");
  SCHEMA_FAILS("", "no columns");
  SCHEMA_FAILS("a INT, A TEXT", "twice");
  SCHEMA_FAILS("a INT GENERATED ALWAYS AS (b+1)", "generated");
  SCHEMA_FAILS("a DECIMAL(10", "not closed");
  SCHEMA_FAILS("a INT) b", "bracket");
  SCHEMA_FAILS("{\"fields\": 1}", "schema");
  SCHEMA_FAILS("{\"fields\": [", "line 1");
}

UNIT_TEST(affinities){
  UNIT_INT(acdcConvOf("TEXT"), ACDC_CONV_TEXT);
  UNIT_INT(acdcConvOf("VARCHAR(3)"), ACDC_CONV_TEXT);
  UNIT_INT(acdcConvOf("TIMESTAMP"), ACDC_CONV_NONE);
  UNIT_INT(acdcConvOf("DATE"), ACDC_CONV_NONE);
  UNIT_INT(acdcConvOf(""), ACDC_CONV_NONE);
  UNIT_INT(acdcConvOf("DECIMAL(3,1)"), ACDC_CONV_NUMERIC);
  UNIT_INT(acdcConvOf("INTEGER"), ACDC_CONV_INTEGER);
  UNIT_INT(acdcConvOf("REAL"), ACDC_CONV_REAL);
  UNIT_INT(acdcConvOf("BOOLEAN"), ACDC_CONV_BOOL);
}

/* ---- options.c and fs.c ------------------------------------------------ */

static char *optionText(const char *zFormat, const char *zName, const char *z){
  AcdcFiles f;
  AcdcNames warn = {0, 0};
  AcdcCtx ctx;
  char *zOut;
  acdcCtxInit(&ctx, 0);
  memset(&f, 0, sizeof(f));
  f.zFormat = (char*)zFormat;
  f.zPath = "x";
  acdcNamesAdd(&ctx, &f.optName, zName, -1);
  acdcNamesAdd(&ctx, &f.optValue, z, -1);
  acdcFilesCheck(&ctx, &f, &warn);
  zOut = sqlite3_mprintf("%s", ctx.rc ? acdcErrorText(&ctx)
                                      : warn.n ? "warning" : "ok");
  acdcNamesFree(&f.optName);
  acdcNamesFree(&f.optValue);
  acdcNamesFree(&warn);
  acdcCtxClear(&ctx);
  return zOut;
}
#define OPTION_IS(zFormat, zName, zValue, zPart) do{ \
    char *zGot = optionText((zFormat), (zName), (zValue)); \
    UNIT_HAS(zGot, (zPart)); \
    sqlite3_free(zGot); \
  }while( 0 )

UNIT_TEST(options){
  OPTION_IS("csv", "header", "true", "ok");
  OPTION_IS("csv", "HEADER", "False", "ok");
  OPTION_IS("csv", "header", "yes", "header is \"yes\"");
  OPTION_IS("csv", "sep", "\\t", "ok");
  OPTION_IS("csv", "sep", "", "1 to 8 bytes");
  OPTION_IS("csv", "quote", "", "ok");
  OPTION_IS("csv", "quote", "ab", "one ASCII character");
  OPTION_IS("csv", "quote", ",", "the same");
  OPTION_IS("csv", "mode", "permissive", "ok");
  OPTION_IS("csv", "mode", "x", "FAILFAST");
  OPTION_IS("csv", "encoding", "UTF-8", "ok");
  OPTION_IS("csv", "encoding", "latin1", "iconv");
  OPTION_IS("csv", "seperator", ";", "unknown reader option");
  OPTION_IS("csv", "heder", "true", "did you mean \"header\"");
  OPTION_IS("csv", "cloudFiles.maxFilesPerTrigger", "10", "warning");
  OPTION_IS("json", "sep", ";", "warning");
  OPTION_IS("csv", "timestampFormat", "yyyy-MM-dd HH:mm:ss.SSS", "ok");
  OPTION_IS("csv", "timestampFormat", "dd/MM/yyyy", "not supported");
  OPTION_IS("csv", "modifiedAfter", "2024-01-01", "would change the rows");
  OPTION_IS("csv", "allowComments", "false", "ok");
  OPTION_IS("csv", "compression", "gzip", "decompress");
  OPTION_IS("parquet", "header", "true", "format \"parquet\" cannot be read");
  OPTION_IS("cloudFiles", "cloudFiles.format", "json", "ok");
  OPTION_IS("cloudFiles", "header", "true", "is not given");
}

UNIT_TEST(globs){
  UNIT_CHECK(acdcFsMatch("*.csv", "a.csv"));
  UNIT_CHECK(!acdcFsMatch("*.csv", "a/b.csv"));
  UNIT_CHECK(acdcFsMatch("**/*.csv", "b.csv"));
  UNIT_CHECK(acdcFsMatch("**/*.csv", "a/x/b.csv"));
  UNIT_CHECK(acdcFsMatch("a?c", "abc"));
  UNIT_CHECK(acdcFsMatch("a?c", "a\xc3\xa9" "c"));
  UNIT_CHECK(!acdcFsMatch("a?c", "a/c"));
  UNIT_CHECK(acdcFsMatch("[a-c]x[!0-9]", "bxy"));
  UNIT_CHECK(!acdcFsMatch("[a-c]x[!0-9]", "bx7"));
  UNIT_CHECK(acdcFsMatch("{a,b{c,d}}.json", "bd.json"));
  UNIT_CHECK(!acdcFsMatch("{a,b}.json", "c.json"));
  UNIT_CHECK(acdcFsMatch("x\\*", "x*"));
  UNIT_CHECK(!acdcFsMatch("x\\*", "xy"));
  UNIT_CHECK(acdcFsMatch("[", "["));
  UNIT_CHECK(acdcFsMatch("{a", "{a"));
  /* Ends, and with "no". */
  UNIT_CHECK(!acdcFsMatch("*a*a*a*a*a*a*a*a*a*a*a*a*b",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

UNIT_TEST(paths){
  AcdcCtx c;
  acdcCtxInit(&c, 0);
  TEXT_IS(acdcFsPath(&c, 0, "a//b/./c"), "a/b/c");
  TEXT_IS(acdcFsPath(&c, 0, "./a"), "a");
  TEXT_IS(acdcFsPath(&c, 0, "../a"), "../a");
  TEXT_IS(acdcFsPath(&c, 0, "file:///tmp/x"), "/tmp/x");
  TEXT_IS(acdcFsPath(&c, 0, "file:/tmp/x"), "/tmp/x");
  TEXT_IS(acdcFsPath(&c, "/tmp", "no/such"), "/tmp/no/such");
  TEXT_IS(acdcFsPath(&c, "/tmp", "/tmp/y"), "/tmp/y");
  UNIT_CHECK(c.rc==SQLITE_OK);
  UNIT_CHECK(acdcFsPath(&c, "/tmp", "a/../../etc/passwd")==0);
  ERROR_IS(&c, SQLITE_AUTH, "..");
  UNIT_CHECK(acdcFsPath(&c, "/tmp", "/etc/passwd")==0);
  ERROR_IS(&c, SQLITE_AUTH, "outside");
  UNIT_CHECK(acdcFsPath(&c, "/tmp", "/tmpx")==0);
  ERROR_IS(&c, SQLITE_AUTH, "outside");
  UNIT_CHECK(acdcFsPath(&c, 0, "s3://bucket/x")==0);
  ERROR_IS(&c, SQLITE_ERROR, "path_map");
  UNIT_CHECK(acdcFsPath(&c, 0, "dbfs:/x")==0);
  ERROR_IS(&c, SQLITE_ERROR, "not a local path");
  UNIT_CHECK(acdcFsPath(&c, 0, "")==0);
  ERROR_IS(&c, SQLITE_ERROR, "empty");
}

UNIT_TEST(utf8){
  i64 i;
  UNIT_CHECK(acdcUtf8Valid((const u8*)"abc", 3, &i));
  UNIT_CHECK(acdcUtf8Valid((const u8*)"\xf4\x8f\xbf\xbf", 4, &i));
  UNIT_CHECK(!acdcUtf8Valid((const u8*)"\xf4\x90\x80\x80", 4, &i));
  UNIT_CHECK(!acdcUtf8Valid((const u8*)"\xc0\x80", 2, &i));
  UNIT_CHECK(!acdcUtf8Valid((const u8*)"\xe0\x80\x80", 3, &i));
  UNIT_CHECK(!acdcUtf8Valid((const u8*)"ab\xe2\x82", 4, &i));
  UNIT_INT(i, 2);
}

int main(void){
  UNIT_RUN(plain);
  UNIT_RUN(quoted);
  UNIT_RUN(variants);
  UNIT_RUN(bytes);
  UNIT_RUN(longRecord);
  UNIT_RUN(conversions);
  UNIT_RUN(jsonNumbers);
  UNIT_RUN(schemas);
  UNIT_RUN(affinities);
  UNIT_RUN(options);
  UNIT_RUN(globs);
  UNIT_RUN(paths);
  UNIT_RUN(utf8);
  return unitDone();
}
