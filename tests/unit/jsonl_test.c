/*
** Tests of the JSON reader and of the reader over files.
*/
#define _XOPEN_SOURCE 700
#include "core_fix.h"
#include "source/jsonl.h"
#include "source/files.h"
#include "sql/readers.h"
#include <stdlib.h>
#include <unistd.h>

/*
** The records of a text, one a line: "line:name=kind value,...".  Owned by
** the caller.
*/
static char *jsonText(int eMode, const char *z, i64 n, int nChunk){
  static const char *const azKind[] = { "?", "n", "f", "t", "#", "s", "j" };
  AcdcStream in;
  AcdcJsonl js;
  AcdcCtx ctx;
  char *zOut = sqlite3_mprintf("");
  acdcCtxInit(&ctx, 0);
  memset(&in, 0, sizeof(in));
  memset(&js, 0, sizeof(js));
  in.nChunk = nChunk;
  acdcStreamMemory(&ctx, &in, z, n<0 ? (i64)strlen(z) : n, "t.json");
  acdcJsonlBegin(&ctx, &js, &in, eMode);
  while( acdcJsonlNext(&ctx, &js) ){
    int i;
    zOut = sqlite3_mprintf("%z%lld:", zOut, js.iLine);
    for(i=0; i<js.nField; i++){
      AcdcJsonlField *pF = &js.aField[i];
      zOut = sqlite3_mprintf("%z%s%.*s=%s", zOut, i ? "," : "", pF->nName,
          pF->zName, azKind[pF->eType]);
      if( pF->eType>=ACDC_JSONL_NUMBER ){
        zOut = sqlite3_mprintf("%z %.*s", zOut, pF->n, pF->z);
      }
    }
    zOut = sqlite3_mprintf("%z%s\n", zOut, js.zBad ? "!" : "");
  }
  if( ctx.rc ) zOut = sqlite3_mprintf("%zERROR %s", zOut, acdcErrorText(&ctx));
  acdcJsonlFree(&js);
  acdcStreamFree(&in);
  acdcCtxClear(&ctx);
  return zOut;
}

#define JSON_IS(eMode, zIn, zWant) do{ \
    static const int aChunk[] = { 0, 1, 2, 3, 5, 8 }; \
    int iChunk; \
    for(iChunk=0; iChunk<6; iChunk++){ \
      char *zGot = jsonText((eMode), (zIn), -1, aChunk[iChunk]); \
      if( !UNIT_STR(zGot, (zWant)) ) iChunk = 6; \
      sqlite3_free(zGot); \
    } \
  }while( 0 )
#define BAD(zIn) JSON_IS(ACDC_JSONL_LINES, (zIn), "1:!\n")

UNIT_TEST(lines){
  int e = ACDC_JSONL_AUTO;
  JSON_IS(e, "", "");
  JSON_IS(e, "\n \r\n", "");
  JSON_IS(e, "{}", "1:\n");
  JSON_IS(e, "{\"a\":1,\"b\":\"x\"}\n\n{\"a\":null,\"c\":true}\r\n",
          "1:a=# 1,b=s x\n3:a=n,c=t\n");
  JSON_IS(e, "  { \"a\" : false , \"\" : -1.5e+3 }  ", "1:a=f,=# -1.5e+3\n");
  JSON_IS(e, "{\"a\":1}\nnope\n{\"a\":2}", "1:a=# 1\n2:!\n3:a=# 2\n");
  JSON_IS(e, "{\"n\":{\"x\": [1 , 2,\t{}], \"y z\" :\"a  b\"},\"m\":[ ]}",
          "1:n=j {\"x\":[1,2,{}],\"y z\":\"a  b\"},m=j []\n");
  JSON_IS(e, "{\"i\":9007199254740993,\"j\":123456789012345678901234567890}",
          "1:i=# 9007199254740993,j=# 123456789012345678901234567890\n");
  JSON_IS(e, "{\"a\":1,\"a\":2}", "1:a=# 1,a=# 2\n");
}

UNIT_TEST(strings){
  int e = ACDC_JSONL_LINES;
  JSON_IS(e, "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}",
          "1:a=s \"\\/\b\f\n\r\t\n");
  JSON_IS(e, "{\"\\u0061\":\"\\u00e9\\u20AC\\ud83d\\ude00\"}",
          "1:a=s \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n");
  JSON_IS(e, "{\"a\":\"\\ud83dx\\ude00\"}",
          "1:a=s \xef\xbf\xbdx\xef\xbf\xbd\n");
  JSON_IS(e, "{\"a\":[\"\\u00e9\\\"]\"]}", "1:a=j [\"\\u00e9\\\"]\"]\n");
  JSON_IS(e, "{\"a\":\"\xc3\xa9\"}", "1:a=s \xc3\xa9\n");
  BAD("{\"a\":\"\xe9\"}");
  BAD("{\"a\":\"\\u0000\"}");
  BAD("{\"a\":\"\\ug123\"}");
  BAD("{\"a\":\"\\u12\"}");
  BAD("{\"a\":\"\\x\"}");
  BAD("{\"a\":\"x\ty\"}");
  BAD("{\"a\":\"x");
  BAD("{\"a\":\"x\\");
  BAD("{\"a\":\"x\\\"");
}

UNIT_TEST(syntax){
  BAD("{");
  BAD("}");
  BAD("{\"a\"");
  BAD("{\"a\":");
  BAD("{\"a\":1");
  BAD("{\"a\":1,");
  BAD("{\"a\":1,}");
  BAD("{,}");
  BAD("{a:1}");
  BAD("{'a':1}");
  BAD("{\"a\":01}");
  BAD("{\"a\":-}");
  BAD("{\"a\":1.}");
  BAD("{\"a\":.5}");
  BAD("{\"a\":1e}");
  BAD("{\"a\":+1}");
  BAD("{\"a\":NaN}");
  BAD("{\"a\":nul}");
  BAD("{\"a\":truex}");
  BAD("{\"a\":[1,]}");
  BAD("{\"a\":[1 2]}");
  BAD("{\"a\":[}}");
  BAD("{\"a\":{]}");
  BAD("{\"a\":{\"b\"}}");
  BAD("{\"a\":{\"b\":}}");
  BAD("{\"a\":{1:2}}");
  BAD("{\"a\":[\"\\q\"]}");
  BAD("{\"a\":1} x");
  BAD("{\"a\":1}{\"a\":2}");
  BAD("[1]");
  BAD("1");
  BAD("\"x\"");
}

UNIT_TEST(deep){
  char z[2600];
  char *zOut;
  memcpy(z, "{\"a\":", 5);
  memset(z+5, '[', 1000);
  memset(z+1005, ']', 1000);
  memcpy(z+2005, "}", 2);
  zOut = jsonText(ACDC_JSONL_LINES, z, -1, 0);
  UNIT_HAS(zOut, "1:a=j [[[");
  sqlite3_free(zOut);
  memset(z+5, '[', 1001);
  memset(z+1006, ']', 1001);
  memcpy(z+2007, "}", 2);
  BAD(z);
}

UNIT_TEST(arrays){
  int e = ACDC_JSONL_AUTO;
  JSON_IS(e, "[]", "");
  JSON_IS(e, "[{\"a\":1},\n {\"a\":\n2}\n,{\"a\":\"]}\"}]\n",
          "1:a=# 1\n2:a=# 2\n4:a=s ]}\n");
  JSON_IS(e, " \n[ {\"a\":\"\\\"\\\\\"} ] ", "2:a=s \"\\\n");
  JSON_IS(e, "[{\"a\":1},[2],{\"a\":3}]", "1:a=# 1\n1:!\n1:a=# 3\n");
  JSON_IS(ACDC_JSONL_MULTI, "{\n\"a\":1\n}\n{\"a\":\n2}", "1:a=# 1\n4:a=# 2\n");
  JSON_IS(ACDC_JSONL_LINES, "[\n{\"a\":1}\n]", "1:!\n2:a=# 1\n3:!\n");
  JSON_IS(e, "[{\"a\":1}", "1:a=# 1\nERROR t.json:1: the file ends before the"
          " array is closed");
  JSON_IS(e, "[{\"a\":1\n", "ERROR t.json:1: the file ends inside of the record"
          " that begins here");
  JSON_IS(e, "[{\"a\":1}{\"a\":2}]", "1:a=# 1\nERROR t.json:1: an object stands"
          " where a comma or \"]\" is expected");
  JSON_IS(e, "[{\"a\":1}] x", "1:a=# 1\nERROR t.json:1: text behind the array");
  JSON_IS(e, "[,{\"a\":1}]", "ERROR t.json:1: a comma stands where an object is"
          " expected");
  JSON_IS(e, "[7]", "ERROR t.json:1: other text stands where an object is"
          " expected");
}

/* ---- files.c, through SQL ---------------------------------------------- */

static char zDir[] = "/tmp/autocdc_unit_XXXXXX";

static void fileWrite(const char *zName, const char *z){
  char *zPath = sqlite3_mprintf("%s/%s", zDir, zName);
  FILE *f = fopen(zPath, "wb");
  if( UNIT_CHECK(f!=0) ){
    fwrite(z, 1, strlen(z), f);
    fclose(f);
  }
  sqlite3_free(zPath);
}

static void fileRemove(const char *zName){
  char *zPath = sqlite3_mprintf("%s/%s", zDir, zName);
  remove(zPath);
  sqlite3_free(zPath);
}

static void filesSetUp(AcdcFiles *pF, const char *zFormat, const char *zName){
  memset(pF, 0, sizeof(*pF));
  pF->zFormat = sqlite3_mprintf("%s", zFormat);
  pF->zPath = sqlite3_mprintf("%s/%s", zDir, zName);
}

/*
** All rows of files: values as in SQL, "|" between columns, a line a row;
** warnings and errors at the end.  Owned by the caller.
*/
static char *filesText(sqlite3 *db, AcdcFiles *pF){
  AcdcFileList list;
  AcdcReader *pR;
  AcdcCtx ctx;
  char *zOut = sqlite3_mprintf("");
  int rc = SQLITE_OK;
  acdcCtxInit(&ctx, db);
  memset(&list, 0, sizeof(list));
  acdcFilesList(&ctx, pF, 0, &list);
  pR = acdcFilesOpen(&ctx, pF, &list);
  if( pR ){
    for(rc=pR->xRewind(pR); rc==SQLITE_OK && !pR->xEof(pR); rc=pR->xNext(pR)){
      int i;
      for(i=0; i<pR->nCol; i++){
        AcdcVal v;
        char *zVal;
        AcdcCtx c2;
        acdcCtxInit(&c2, db);
        pR->xColumn(pR, i, &v);
        zVal = acdcValText(&c2, &v);
        zOut = sqlite3_mprintf("%z%s%s", zOut, i ? "|" : "", zVal);
        sqlite3_free(zVal);
      }
      zOut = sqlite3_mprintf("%z\n", zOut);
    }
    if( pR->zWarn ) zOut = sqlite3_mprintf("%zWARNING %s\n", zOut, pR->zWarn);
    if( rc ) zOut = sqlite3_mprintf("%zERROR %s", zOut, pR->zErr);
    acdcReaderFree(pR);
  }
  if( ctx.rc ) zOut = sqlite3_mprintf("%zERROR %s", zOut, acdcErrorText(&ctx));
  acdcFileListClear(&list);
  acdcCtxClear(&ctx);
  return zOut;
}

UNIT_TEST(missingColumn){
  /* A column of an earlier file must not shine through in a later one. */
  Fixture f;
  AcdcFiles files;
  fixtureOpen(&f, 0);
  acdcReadersRegister(f.db);
  fileWrite("m1.csv", "id,op,v\n1,D,x\n");
  fileWrite("m2.csv", "V,ID\ny,2\n");
  fileWrite("m3.csv", "");
  filesSetUp(&files, "csv", "m*.csv");
  files.zSchema = sqlite3_mprintf("op STRING, id INT, v STRING, w INT");
  TEXT_IS(filesText(f.db, &files), "'D'|1|'x'|NULL\nNULL|2|'y'|NULL\n");
  acdcFilesClear(&files);
  fileRemove("m1.csv");
  fileRemove("m2.csv");
  fileRemove("m3.csv");
  fixtureClose(&f);
}

UNIT_TEST(where){
  Fixture f;
  AcdcFiles files;
  AcdcFileList list;
  AcdcReader *pR;
  int rc;
  fixtureOpen(&f, 0);
  acdcReadersRegister(f.db);
  fileWrite("w1.csv", "id\n1\n\n\"2\"\n");
  fileWrite("w2.csv", "id\n\n3\n");
  filesSetUp(&files, "csv", "w*.csv");
  memset(&list, 0, sizeof(list));
  acdcFilesList(&f.ctx, &files, 0, &list);
  UNIT_INT(list.n, 2);
  pR = acdcFilesOpen(&f.ctx, &files, &list);
  UNIT_INT(f.ctx.rc, SQLITE_OK);
  for(rc=pR->xRewind(pR); rc==SQLITE_OK && !pR->xEof(pR); rc=pR->xNext(pR)){
    char *z = acdcReaderWhere(pR, pR->xRowid(pR));
    UNIT_HAS(z, pR->xRowid(pR)==3 ? "w2.csv:3"
                : pR->xRowid(pR)==2 ? "w1.csv:4" : "w1.csv:2");
    sqlite3_free(z);
  }
  TEXT_IS(acdcReaderWhere(pR, 4), 0);
  TEXT_IS(acdcReaderWhere(pR, 0), 0);
  acdcReaderFree(pR);
  acdcFilesClear(&files);
  acdcFileListClear(&list);
  fileRemove("w1.csv");
  fileRemove("w2.csv");
  fixtureClose(&f);
}

UNIT_TEST(noAccess){
  Fixture f;
  AcdcFiles files;
  fixtureOpen(&f, "CREATE TABLE autocdc_read_csv(path)");
  filesSetUp(&files, "csv", "x.csv");
  {
    char *z = filesText(f.db, &files);
    UNIT_HAS(z, "ERROR this connection has no access to files");
    sqlite3_free(z);
  }
  acdcFilesClear(&files);
  fixtureClose(&f);
}

/* Memory may run out at any point: an error, no leak, no crash. */
UNIT_TEST(faults){
  Fixture f;
  AcdcFiles files;
  int iFault;
  int i;
  fixtureOpen(&f, 0);
  acdcReadersRegister(f.db);
  fileWrite("f.csv", "id,a,b\n1,\"x\"\"y\",z\n2,q\n");
  fileWrite("f.jsonl", "{\"id\":1,\"a\":{\"x\": 1},\"b\":\"\\n\"}\n{\"c\":2}\n");
  for(i=0; i<4; i++){
    filesSetUp(&files, i<2 ? "csv" : "json", i<2 ? "f.csv" : "f.jsonl");
    if( i & 1 ) files.zSchema = sqlite3_mprintf("id INT, a STRING");
    UNIT_EACH_FAULT(iFault){
      AcdcFileList list;
      AcdcReader *pR;
      AcdcCtx ctx;
      int rc = SQLITE_OK;
      acdcCtxInit(&ctx, f.db);
      memset(&list, 0, sizeof(list));
      unitFaultAt(iFault);
      acdcFilesList(&ctx, &files, 0, &list);
      pR = acdcFilesOpen(&ctx, &files, &list);
      if( pR ){
        for(rc=pR->xRewind(pR); rc==SQLITE_OK && !pR->xEof(pR);
            rc=pR->xNext(pR)){
          AcdcVal v;
          int j;
          for(j=0; j<pR->nCol+pR->nHidden; j++) pR->xColumn(pR, j, &v);
        }
        sqlite3_free(acdcReaderWhere(pR, 2));
        acdcReaderFree(pR);
      }
      unitFaultAt(0);
      UNIT_CHECK(ctx.rc==SQLITE_OK || pR==0);
      acdcFileListClear(&list);
      acdcCtxClear(&ctx);
    }
    acdcFilesClear(&files);
  }
  fileRemove("f.csv");
  fileRemove("f.jsonl");
  fixtureClose(&f);
}

int main(void){
  unitFaultInit();
  if( mkdtemp(zDir)==0 ) return 1;
  UNIT_RUN(lines);
  UNIT_RUN(strings);
  UNIT_RUN(syntax);
  UNIT_RUN(deep);
  UNIT_RUN(arrays);
  UNIT_RUN(missingColumn);
  UNIT_RUN(where);
  UNIT_RUN(noAccess);
  UNIT_RUN(faults);
  rmdir(zDir);
  return unitDone();
}
