/*
** SQL: autocdc_seq_key(x).
**
** The key is a byte for the class and the packed order bytes.  That of
** a composite is a byte for the array, the keys of its parts, and a zero
** byte, less than any class, so that a shorter array comes first.
*/
#include "seqint.h"

#define KEY_NUMBER   0x10
#define KEY_INSTANT  0x20
#define KEY_TEXT     0x30
#define KEY_BLOB     0x40
#define KEY_ARRAY    0x50

static u8 keyByte(u8 eClass){
  switch( eClass ){
    case ACDC_SEQ_NUMBER:  return KEY_NUMBER;
    case ACDC_SEQ_INSTANT: return KEY_INSTANT;
    case ACDC_SEQ_TEXT:    return KEY_TEXT;
  }
  return KEY_BLOB;
}

/* Return the key of n parts, of an array if bArray. */
static void keyResult(
  sqlite3_context *pCtx,
  AcdcCtx *p,
  int bArray,
  int n,
  const u8 *aClass,
  const AcdcSeq *aPart
){
  i64 nByte = bArray ? 2 : 0, k = 0;
  u8 *a;
  int i;
  for(i=0; i<n; i++) nByte += 1 + acdcSeqPartPack(aClass[i], &aPart[i], 0);
  a = acdcMalloc(p, nByte);
  if( a==0 ) return;
  if( bArray ) a[k++] = KEY_ARRAY;
  for(i=0; i<n; i++){
    a[k++] = keyByte(aClass[i]);
    k += acdcSeqPartPack(aClass[i], &aPart[i], &a[k]);
  }
  if( bArray ) a[k++] = 0;
  sqlite3_result_blob64(pCtx, a, (sqlite3_uint64)k, sqlite3_free);
}

/* The key of a value that is not NULL.  Errors are left in the context. */
static void keyOf(
  sqlite3_context *pCtx,
  AcdcCtx *p,
  AcdcVal *pV,
  AcdcArena *pA
){
  AcdcMember aMember[ACDC_SEQ_MAXPART];
  AcdcSeq aPart[ACDC_SEQ_MAXPART];
  u8 aClass[ACDC_SEQ_MAXPART];
  int i, n, bArray;
  n = acdcSeqMembers(p, pV, pA, aMember);
  bArray = n>=0;
  if( n>ACDC_SEQ_MAXPART ){
    char *z = acdcValText(p, pV);
    acdcError(p, SQLITE_ERROR, "autocdc_seq_key(): %s has %d parts, "
        "a sequence has %d at most", z ? z : "", n, ACDC_SEQ_MAXPART);
    sqlite3_free(z);
    return;
  }
  if( !bArray ){
    n = 1;
    aMember[0].v = *pV;
    aMember[0].fPart = 0;
  }
  for(i=0; i<n; i++){
    if( aMember[i].v.eType==SQLITE_NULL ) return;
  }
  for(i=0; i<n; i++){
    aClass[i] = acdcSeqPart(p, ACDC_SEQ_UNKNOWN, aMember[i].fPart,
                            &aMember[i].v, 0, pA, &aPart[i]);
    if( aClass[i]==0 ) break;
  }
  acdcErrorWhere(p, "autocdc_seq_key()");
  if( p->rc==0 ) keyResult(pCtx, p, bArray, n, aClass, aPart);
}

void acdcSeqKeyFunc(sqlite3_context *pCtx, int nArg, sqlite3_value **apArg){
  AcdcCtx ctx;
  AcdcArena arena;
  AcdcVal v;
  ACDC_UNUSED(nArg);
  acdcValFrom(&v, apArg[0]);
  if( v.eType==SQLITE_NULL ) return;
  acdcCtxInit(&ctx, sqlite3_context_db_handle(pCtx));
  memset(&arena, 0, sizeof(arena));
  keyOf(pCtx, &ctx, &v, &arena);
  if( ctx.rc==SQLITE_NOMEM ){
    sqlite3_result_error_nomem(pCtx);
  }else if( ctx.rc ){
    sqlite3_result_error(pCtx, acdcErrorText(&ctx), -1);
    sqlite3_result_error_code(pCtx, ctx.rc);
  }
  acdcArenaFree(&arena);
  acdcCtxClear(&ctx);
}
