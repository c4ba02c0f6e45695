/*
** Fuzz target: the CSV parser.  The first bytes choose the format; the rest is
** read whole and in small pieces, which must give the same records.
*/
#include "fuzz.h"
#include "source/csv.h"
#include "source/convert.h"

/* A checksum over all records, in pieces of nChunk bytes. */
static u64 csvDigest(const AcdcCsvFormat *pF, const uint8_t *a, size_t n, int nChunk){
  AcdcStream in;
  AcdcCsv csv;
  AcdcCtx ctx;
  AcdcVal v;
  u64 h = 14695981039346656037u;
  i64 iLine = 0;
  acdcCtxInit(&ctx, 0);
  memset(&in, 0, sizeof(in));
  memset(&csv, 0, sizeof(csv));
  in.nChunk = nChunk;
  csv.bKeepRaw = n%2==0;
  acdcStreamMemory(&ctx, &in, a, (i64)n, "f");
  acdcCsvBegin(&csv, &in, pF);
  while( acdcCsvNext(&ctx, &csv) ){
    int i, j;
    FUZZ_CHECK(csv.nField>0 && csv.iLine>iLine);
    iLine = csv.iLine;
    h = (h ^ (u64)csv.iLine ^ (csv.zBad ? 77 : 0))*1099511628211u;
    for(i=0; i<csv.nField; i++){
      const AcdcCsvField *pF2 = &csv.aField[i];
      i64 iBad;
      FUZZ_CHECK(pF2->n>=0);
      for(j=0; j<pF2->n; j++) h = (h ^ pF2->z[j])*1099511628211u;
      h = (h ^ 256 ^ pF2->bQuoted)*1099511628211u;
      if( !csv.bLost ) FUZZ_CHECK(acdcUtf8Valid(pF2->z, pF2->n, &iBad));
      for(j=ACDC_CONV_TEXT; j<=ACDC_CONV_BOOL; j++){
        acdcConvText((u8)j, pF2->z, pF2->n, &v);
      }
    }
    for(i=0; csv.bKeepRaw && i<csv.nRaw; i++) h = (h ^ csv.aRaw[i])*31;
  }
  if( ctx.rc ) h = (h ^ 999)*1099511628211u;
  acdcCsvFree(&csv);
  acdcStreamFree(&in);
  acdcCtxClear(&ctx);
  return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  AcdcCsvFormat f;
  u64 h;
  acdcCsvFormatInit(&f);
  if( n<2 ) return 0;
  if( a[0] & 1 ) f.aSep[0] = ';';
  if( a[0] & 2 ){
    f.aSep[1] = f.aSep[0];
    f.nSep = 2;
  }
  if( a[0] & 4 ) f.cEscape = '\\';
  if( a[0] & 8 ) f.cComment = '#';
  if( a[0] & 16 ) f.bTrimLeft = f.bTrimRight = 1;
  if( a[1] & 1 ) f.bOneLine = 1;
  if( a[1] & 2 ) f.cQuote = a[1] & 4 ? -1 : '\'';
  h = csvDigest(&f, a+2, n-2, 0);
  FUZZ_CHECK(csvDigest(&f, a+2, n-2, 1 + a[1]%7)==h);
  return 0;
}

static const char *const azSeed[] = {
  "@@id,name\n1,\"a\"\"b\"\n2,\n",
  "@@a,b\r\n\"x\r\ny\",z\r\n\r\n-1.5e3,9223372036854775808\r\n",
  "C@a;;b\n\"c\\\";;\"d;;\n#e;;f",
  "X@ a , \"b\" \n#c\n",
  "@B'a''b',\"c\"\n0.30000000000000004,true\n",
};
FUZZ_MAIN(azSeed)
