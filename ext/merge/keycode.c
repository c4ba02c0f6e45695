/*
** The code of a key: a string of bytes that is equal for two keys exactly if
** SQLite finds them equal column by column under BINARY, and whose memcmp()
** order is SQLite's order (semantics.md 1.3).  The values have the target
** column's affinity already.  Keys under another collation are numbered by
** SQLite before they come here (collect.c).
**
** One value:
**   NULL     05
**   integer  1n bytes           n bytes big-endian (n = 0..8), 0x10+8+n if
**            0n for negatives   positive, 0x10+8-n if negative
**            followed by 00
**   real     the code of its floor, with 01 and 8 sortable bytes in place of
**            00; integral reals are integers; beyond 64 bits tag 07 or 21
**   text     30 bytes 00 00     a 00 inside is 00 FF
**   blob     38 bytes 00 00
*/
#include "merge.h"

#define KEY_NULL   0x05
#define KEY_NEGBIG 0x07
#define KEY_INT    0x18         /* 0x10 .. 0x20 */
#define KEY_POSBIG 0x21
#define KEY_TEXT   0x30
#define KEY_BLOB   0x38

static u8 *keyPut64(u8 *a, u64 v, int n){
  int i;
  for(i=n-1; i>=0; i--) *a++ = (u8)(v>>(8*i));
  return a;
}

static u8 *keyPutInt(u8 *a, i64 i){
  int n = 0;
  if( i>=0 ){
    u64 v = (u64)i;
    while( n<8 && (v>>(8*n)) ) n++;
    *a++ = (u8)(KEY_INT + n);
    return keyPut64(a, v, n);
  }else{
    u64 v = (u64)i;                /* two's complement: leading FF bytes drop */
    while( n<8 && (~v>>(8*n)) ) n++;
    if( n==0 ) n = 1;              /* -1 must sort below 0 */
    *a++ = (u8)(KEY_INT - n);
    return keyPut64(a, v, n);
  }
}

/* Bits of r whose unsigned order is the order of doubles. */
static u64 keyRealBits(double r){
  u64 v;
  memcpy(&v, &r, 8);
  return (v>>63) ? ~v : v | ((u64)1<<63);
}

static u8 *keyPutReal(u8 *a, double r){
  if( r>=-9223372036854775808.0 && r<9223372036854775808.0 ){
    i64 i = (i64)r;                /* towards zero */
    if( (double)i>r ) i--;         /* now the floor */
    a = keyPutInt(a, i);
    if( (double)i==r ){
      *a++ = 0;
      return a;
    }
    *a++ = 1;
  }else{
    *a++ = r<0 ? KEY_NEGBIG : KEY_POSBIG;
  }
  return keyPut64(a, keyRealBits(r), 8);
}

static u8 *keyPutBytes(u8 *a, const u8 *z, int n){
  const u8 *zEnd = z + n;
  while( z<zEnd ){
    const u8 *zNul = memchr(z, 0, zEnd-z);
    int nRun = (int)((zNul ? zNul : zEnd) - z);
    memcpy(a, z, nRun);
    a += nRun;
    z += nRun;
    if( zNul ){
      *a++ = 0;
      *a++ = 0xff;
      z++;
    }
  }
  *a++ = 0;
  *a++ = 0;
  return a;
}

int acdcKeyCodeMax(const AcdcVal *aKey, int nKey){
  int i, n = 0;
  for(i=0; i<nKey; i++){
    n += 20;
    if( aKey[i].eType==SQLITE_TEXT || aKey[i].eType==SQLITE_BLOB ){
      n += 2*aKey[i].n;
    }
  }
  return n;
}

int acdcKeyCode(const AcdcVal *aKey, int nKey, u8 *aOut){
  u8 *a = aOut;
  int i;
  for(i=0; i<nKey; i++){
    const AcdcVal *pV = &aKey[i];
    switch( pV->eType ){
      case SQLITE_INTEGER:
        a = keyPutInt(a, pV->u.i);
        *a++ = 0;
        break;
      case SQLITE_FLOAT:
        a = keyPutReal(a, pV->u.r);
        break;
      case SQLITE_TEXT:
        *a++ = KEY_TEXT;
        a = keyPutBytes(a, pV->u.z, pV->n);
        break;
      case SQLITE_BLOB:
        *a++ = KEY_BLOB;
        a = keyPutBytes(a, pV->u.z, pV->n);
        break;
      default:
        *a++ = KEY_NULL;
        break;
    }
  }
  return (int)(a - aOut);
}
