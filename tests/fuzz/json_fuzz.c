/*
** Fuzz target: the JSON parser.  The first byte chooses how records are found;
** the rest is read whole and in small pieces, which must give the same.  What
** the parser takes for an object, SQLite's own JSON functions must take too.
*/
#include "fuzz.h"
#include "source/jsonl.h"
#include "source/convert.h"

static sqlite3 *db = 0;
static sqlite3_stmt *pValid = 0;

static int jsonIsValid(const void *a, i64 n){
  int b;
  if( db==0 ){
    FUZZ_CHECK(sqlite3_open(":memory:", &db)==SQLITE_OK);
    FUZZ_CHECK(sqlite3_prepare_v2(db, "SELECT json_valid(?1)", -1, &pValid, 0)
        ==SQLITE_OK);
  }
  sqlite3_bind_text(pValid, 1, a, (int)n, SQLITE_TRANSIENT);
  sqlite3_step(pValid);
  b = sqlite3_column_int(pValid, 0);
  sqlite3_reset(pValid);
  return b;
}

static u64 jsonDigest(int eMode, const uint8_t *a, size_t n, int nChunk){
  AcdcStream in;
  AcdcJsonl js;
  AcdcCtx ctx;
  AcdcVal v;
  u64 h = 14695981039346656037u;
  acdcCtxInit(&ctx, 0);
  memset(&in, 0, sizeof(in));
  memset(&js, 0, sizeof(js));
  in.nChunk = nChunk;
  js.bKeepRaw = 1;
  acdcStreamMemory(&ctx, &in, a, (i64)n, "f");
  acdcJsonlBegin(&ctx, &js, &in, eMode);
  while( acdcJsonlNext(&ctx, &js) ){
    int i, j;
    h = (h ^ (u64)js.iLine ^ (js.zBad ? 77 : 0))*1099511628211u;
    if( js.zBad ) FUZZ_CHECK(js.nField==0);
    for(i=0; i<js.nField; i++){
      const AcdcJsonlField *pF = &js.aField[i];
      i64 iBad;
      FUZZ_CHECK(pF->n>=0 && pF->nName>=0);
      FUZZ_CHECK(acdcUtf8Valid(pF->zName, pF->nName, &iBad));
      FUZZ_CHECK(acdcUtf8Valid(pF->z, pF->n, &iBad));
      for(j=0; j<pF->nName; j++) h = (h ^ pF->zName[j])*1099511628211u;
      for(j=0; j<pF->n; j++) h = (h ^ pF->z[j])*1099511628211u;
      h = (h ^ 256 ^ pF->eType)*1099511628211u;
      if( nChunk==0 && pF->eType==ACDC_JSONL_NESTED && pF->n<2000 ){
        FUZZ_CHECK(jsonIsValid(pF->z, pF->n));
      }
      if( pF->eType==ACDC_JSONL_NUMBER ){
        FUZZ_CHECK(acdcConvNumber(ACDC_CONV_NONE, pF->z, pF->n, &v));
      }
    }
    /* SQLite bounds the depth of JSON lower than the parser does. */
    if( nChunk==0 && js.zBad==0 && js.nRaw<2000 ){
      FUZZ_CHECK(jsonIsValid(js.aRaw, js.nRaw));
      js.nRaw = acdcJsonlCompact(js.aRaw, (int)js.nRaw);
      FUZZ_CHECK(jsonIsValid(js.aRaw, js.nRaw));
    }
  }
  if( ctx.rc ) h = (h ^ 999)*1099511628211u;
  acdcJsonlFree(&js);
  acdcStreamFree(&in);
  acdcCtxClear(&ctx);
  return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  u64 h;
  int eMode;
  if( n<1 ) return 0;
  eMode = a[0]%3;
  h = jsonDigest(eMode, a+1, n-1, 0);
  FUZZ_CHECK(jsonDigest(eMode, a+1, n-1, 1 + a[0]/3%7)==h);
  return 0;
}

static const char *const azSeed[] = {
  "0{\"a\":1,\"b\":\"x\\u00e9\\ud83d\\ude00\"}\n{\"a\":null,\"c\":[1,{\"d\":2}]}\n",
  "0[{\"a\":true},\n{\"a\":-1.5e-3,\"b\":{}}\n]\n",
  "1{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}\r\n\r\n{\"n\":123456789012345678901}",
  "2{\n\"a\" : [ 1 , 2 ]\n}\n{\"a\":\"]}\"}",
};
FUZZ_MAIN(azSeed)
