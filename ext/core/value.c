/*
** Values that outlive the statement they come from, or never had one.
**
** SQLite may run out of memory while it turns a text into UTF-8.  A value
** says so by u.z==NULL, which TEXT and BLOB have in no other case (nothing
** is pointed to as ""); whoever binds, returns or copies it reports
** SQLITE_NOMEM.
*/
#include "core.h"

static const u8 aNothing[1] = { 0 };

static void valSetBytes(AcdcVal *pOut, const void *z, int n){
  if( z==0 ){
    pOut->u.z = n==0 && pOut->eType==SQLITE_BLOB ? aNothing : 0;
    pOut->n = 0;
  }else{
    pOut->u.z = (const u8*)z;
    pOut->n = n;
  }
}

/* The bytes are good for as long as pV is, and is not converted. */
void acdcValFrom(AcdcVal *pOut, sqlite3_value *pV){
  const void *z;
  pOut->eType = (u8)sqlite3_value_type(pV);
  switch( pOut->eType ){
    case SQLITE_INTEGER:
      pOut->n = 0;
      pOut->u.i = sqlite3_value_int64(pV);
      break;
    case SQLITE_FLOAT:
      pOut->n = 0;
      pOut->u.r = sqlite3_value_double(pV);
      break;
    case SQLITE_TEXT:
      z = sqlite3_value_text(pV);
      valSetBytes(pOut, z, sqlite3_value_bytes(pV));
      break;
    case SQLITE_BLOB:
      z = sqlite3_value_blob(pV);
      valSetBytes(pOut, z, sqlite3_value_bytes(pV));
      break;
    default:
      pOut->eType = SQLITE_NULL;
      pOut->n = 0;
      pOut->u.i = 0;
      break;
  }
}

/* The bytes are good until the statement is stepped, reset or finalized. */
void acdcValColumn(AcdcVal *pOut, sqlite3_stmt *p, int iCol){
  const void *z;
  pOut->eType = (u8)sqlite3_column_type(p, iCol);
  switch( pOut->eType ){
    case SQLITE_INTEGER:
      pOut->n = 0;
      pOut->u.i = sqlite3_column_int64(p, iCol);
      break;
    case SQLITE_FLOAT:
      pOut->n = 0;
      pOut->u.r = sqlite3_column_double(p, iCol);
      break;
    case SQLITE_TEXT:
      z = sqlite3_column_text(p, iCol);
      valSetBytes(pOut, z, sqlite3_column_bytes(p, iCol));
      break;
    case SQLITE_BLOB:
      z = sqlite3_column_blob(p, iCol);
      valSetBytes(pOut, z, sqlite3_column_bytes(p, iCol));
      break;
    default:
      pOut->eType = SQLITE_NULL;
      pOut->n = 0;
      pOut->u.i = 0;
      break;
  }
}

/*
** The bytes must stay until the statement has been bound anew, its bindings
** cleared, or the statement finalized.
*/
int acdcValBind(sqlite3_stmt *p, int i, const AcdcVal *pV){
  switch( pV->eType ){
    case SQLITE_INTEGER:
      return sqlite3_bind_int64(p, i, pV->u.i);
    case SQLITE_FLOAT:
      return sqlite3_bind_double(p, i, pV->u.r);
    case SQLITE_TEXT:
      if( pV->u.z==0 ) return SQLITE_NOMEM;
      return sqlite3_bind_text(p, i, (const char*)pV->u.z, pV->n,
                               SQLITE_STATIC);
    case SQLITE_BLOB:
      if( pV->u.z==0 ) return SQLITE_NOMEM;
      return sqlite3_bind_blob(p, i, pV->u.z, pV->n, SQLITE_STATIC);
    default:
      return sqlite3_bind_null(p, i);
  }
}

void acdcValResult(sqlite3_context *p, const AcdcVal *pV){
  int bBytes = pV->eType==SQLITE_TEXT || pV->eType==SQLITE_BLOB;
  if( bBytes && pV->u.z==0 ){
    sqlite3_result_error_nomem(p);
    return;
  }
  switch( pV->eType ){
    case SQLITE_INTEGER:
      sqlite3_result_int64(p, pV->u.i);
      break;
    case SQLITE_FLOAT:
      sqlite3_result_double(p, pV->u.r);
      break;
    case SQLITE_TEXT:
      sqlite3_result_text(p, (const char*)pV->u.z, pV->n, SQLITE_TRANSIENT);
      break;
    case SQLITE_BLOB:
      sqlite3_result_blob(p, pV->u.z, pV->n, SQLITE_TRANSIENT);
      break;
    default:
      sqlite3_result_null(p);
      break;
  }
}

/* After an error pTo is NULL, the SQL value: safe to use, but no copy. */
void acdcValCopy(AcdcCtx *p, AcdcArena *pA, AcdcVal *pTo, const AcdcVal *pFrom){
  AcdcVal v = *pFrom;
  if( v.eType==SQLITE_TEXT || v.eType==SQLITE_BLOB ){
    if( v.u.z==0 ){
      acdcError(p, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
    }else if( v.n==0 ){
      v.u.z = aNothing;
    }else{
      u8 *z = acdcArenaAlloc(p, pA, v.n);
      if( z ) memcpy(z, v.u.z, (size_t)v.n);
      v.u.z = z;
    }
  }
  if( p->rc!=SQLITE_OK ){
    v.eType = SQLITE_NULL;
    v.n = 0;
    v.u.i = 0;
  }
  *pTo = v;
}

/*
** True if an integer and a real are the same number.  To compare both as
** real would call 2^53+1 and 2^53 equal; to compare both as integer would
** call 5 and 5.5 equal, and is not defined out of range.  NaN is neither.
*/
static int valIntIsReal(i64 i, double r){
  if( !(r>=-9223372036854775808.0 && r<9223372036854775808.0) ) return 0;
  return i==(i64)r && (double)i==r;
}

int acdcValIs(const AcdcVal *pA, const AcdcVal *pB){
  if( pA->eType!=pB->eType ){
    if( pA->eType==SQLITE_INTEGER && pB->eType==SQLITE_FLOAT ){
      return valIntIsReal(pA->u.i, pB->u.r);
    }
    if( pA->eType==SQLITE_FLOAT && pB->eType==SQLITE_INTEGER ){
      return valIntIsReal(pB->u.i, pA->u.r);
    }
    return 0;
  }
  switch( pA->eType ){
    case SQLITE_INTEGER:
      return pA->u.i==pB->u.i;
    case SQLITE_FLOAT:
      return pA->u.r==pB->u.r;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
      if( pA->n!=pB->n ) return 0;
      return pA->n==0 || memcmp(pA->u.z, pB->u.z, (size_t)pA->n)==0;
    default:
      return 1;
  }
}

/* Bytes of a TEXT or BLOB that acdcValText() shows. */
#define VAL_TEXT_MAX 60
#define VAL_BLOB_MAX 30

/*
** The length of the UTF-8 character at z, of which n>0 bytes are there; 0 if
** it is none (stray, cut short, overlong, a surrogate or past U+10FFFF).
*/
static int valUtf8(const u8 *z, int n){
  u8 c = z[0];
  u8 cMin = 0x80;
  u8 cMax = 0xbf;
  int nChar, i;
  if( c<0x80 ) return 1;
  if( c<0xc2 || c>0xf4 ) return 0;
  nChar = c<0xe0 ? 2 : c<0xf0 ? 3 : 4;
  if( nChar>n ) return 0;
  if( c==0xe0 ) cMin = 0xa0;
  if( c==0xed ) cMax = 0x9f;
  if( c==0xf0 ) cMin = 0x90;
  if( c==0xf4 ) cMax = 0x8f;
  if( z[1]<cMin || z[1]>cMax ) return 0;
  for(i=2; i<nChar; i++){
    if( (z[i]&0xc0)!=0x80 ) return 0;
  }
  return nChar;
}

/*
** A message is one line of valid UTF-8 whatever the data holds: "?" stands
** for control characters and for bytes that are no UTF-8.
*/
static char *valTextLiteral(AcdcCtx *p, const AcdcVal *pV){
  char zOut[2*VAL_TEXT_MAX + 1];
  int iIn = 0;
  int iOut = 0;
  while( iIn<pV->n ){
    int nChar = valUtf8(&pV->u.z[iIn], pV->n-iIn);
    u8 c = pV->u.z[iIn];
    if( iIn + (nChar>0 ? nChar : 1) > VAL_TEXT_MAX ) break;
    if( nChar==0 || c<0x20 || c==0x7f ){
      zOut[iOut++] = '?';
      iIn++;
      continue;
    }
    if( c=='\'' ) zOut[iOut++] = '\'';
    memcpy(&zOut[iOut], &pV->u.z[iIn], (size_t)nChar);
    iOut += nChar;
    iIn += nChar;
  }
  zOut[iOut] = 0;
  return acdcMprintf(p, "'%s'%s", zOut, iIn<pV->n ? "..." : "");
}

static char *valBlobLiteral(AcdcCtx *p, const AcdcVal *pV){
  static const char aHex[] = "0123456789ABCDEF";
  char zOut[2*VAL_BLOB_MAX + 1];
  int n = pV->n<VAL_BLOB_MAX ? pV->n : VAL_BLOB_MAX;
  int i;
  for(i=0; i<n; i++){
    zOut[2*i] = aHex[pV->u.z[i]>>4];
    zOut[2*i+1] = aHex[pV->u.z[i]&15];
  }
  zOut[2*n] = 0;
  return acdcMprintf(p, "X'%s'%s", zOut, n<pV->n ? "..." : "");
}

/* "..." follows the closing quote if the value has been cut. */
char *acdcValText(AcdcCtx *p, const AcdcVal *pV){
  switch( pV->eType ){
    case SQLITE_INTEGER:
      return acdcMprintf(p, "%lld", pV->u.i);
    case SQLITE_FLOAT:
      if( pV->u.r>1.7976931348623157e308 ) return acdcStrdup(p, "9.0e+999");
      if( pV->u.r<-1.7976931348623157e308 ) return acdcStrdup(p, "-9.0e+999");
      return acdcMprintf(p, "%!.15g", pV->u.r);
    case SQLITE_TEXT:
      return valTextLiteral(p, pV);
    case SQLITE_BLOB:
      return valBlobLiteral(p, pV);
    default:
      return acdcStrdup(p, "NULL");
  }
}
