/*
** How values are held in memory while they are sorted, and in the state
** tables: a type byte, then the value.
**
**   00        NULL            01..08  integer of 1..8 bytes, two's complement,
**   09 0a     integer 0, 1            little-endian
**   0b        real, 8 bytes   0c  text, 0d  blob: varint length, bytes
**
** 0e means "not authored" in state (partial.c, scd2.c) and reads as NULL.
*/
#include "merge.h"

#define REC_NULL 0x00
#define REC_ZERO 0x09
#define REC_ONE  0x0a
#define REC_REAL 0x0b
#define REC_TEXT 0x0c
#define REC_BLOB 0x0d

u8 *acdcVarintPut(u8 *a, u64 v){
  while( v>=0x80 ){
    *a++ = (u8)(v | 0x80);
    v >>= 7;
  }
  *a++ = (u8)v;
  return a;
}

const u8 *acdcVarintGet(const u8 *a, u64 *pv){
  u64 v = 0;
  int iShift = 0;
  while( (*a & 0x80) && iShift<63 ){
    v |= (u64)(*a++ & 0x7f) << iShift;
    iShift += 7;
  }
  v |= (u64)*a++ << iShift;
  *pv = v;
  return a;
}

static int recVarintSize(u64 v){
  int n = 1;
  while( v>=0x80 ){ v >>= 7; n++; }
  return n;
}

/* Bytes that hold i in two's complement, 1..8. */
static int recIntSize(i64 i){
  int n = 1;
  while( n<8 && (i>>(8*n-1))!=0 && (i>>(8*n-1))!=-1 ) n++;
  return n;
}

int acdcRecSize(const AcdcVal *pV){
  switch( pV->eType ){
    case SQLITE_INTEGER:
      return (pV->u.i==0 || pV->u.i==1) ? 1 : 1 + recIntSize(pV->u.i);
    case SQLITE_FLOAT:
      return 9;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
      return 1 + recVarintSize(pV->n) + pV->n;
    default:
      return 1;
  }
}

u8 *acdcRecPut(u8 *a, const AcdcVal *pV){
  switch( pV->eType ){
    case SQLITE_INTEGER: {
      i64 v = pV->u.i;
      if( v==0 || v==1 ){
        *a++ = (u8)(REC_ZERO + v);
      }else{
        int i, n = recIntSize(v);
        *a++ = (u8)n;
        for(i=0; i<n; i++) *a++ = (u8)((u64)v>>(8*i));
      }
      break;
    }
    case SQLITE_FLOAT:
      *a++ = REC_REAL;
      memcpy(a, &pV->u.r, 8);
      a += 8;
      break;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
      *a++ = pV->eType==SQLITE_TEXT ? REC_TEXT : REC_BLOB;
      a = acdcVarintPut(a, pV->n);
      if( pV->n ) memcpy(a, pV->u.z, pV->n);
      a += pV->n;
      break;
    default:
      *a++ = REC_NULL;
      break;
  }
  return a;
}

const u8 *acdcRecGet(const u8 *a, AcdcVal *pV){
  u8 t = *a++;
  pV->n = 0;
  if( t>=1 && t<=8 ){
    u64 v = 0;
    int i;
    for(i=0; i<t; i++) v |= (u64)a[i]<<(8*i);
    if( t<8 && (a[t-1] & 0x80) ) v |= ~(u64)0 << (8*t);
    pV->eType = SQLITE_INTEGER;
    pV->u.i = (i64)v;
    return a + t;
  }
  switch( t ){
    case REC_ZERO:
    case REC_ONE:
      pV->eType = SQLITE_INTEGER;
      pV->u.i = t - REC_ZERO;
      break;
    case REC_REAL:
      pV->eType = SQLITE_FLOAT;
      memcpy(&pV->u.r, a, 8);
      a += 8;
      break;
    case REC_TEXT:
    case REC_BLOB: {
      u64 n;
      a = acdcVarintGet(a, &n);
      pV->eType = t==REC_TEXT ? SQLITE_TEXT : SQLITE_BLOB;
      pV->n = (int)n;
      pV->u.z = a;
      a += n;
      break;
    }
    default:
      pV->eType = SQLITE_NULL;
      break;
  }
  return a;
}

/*
** The same for bytes that someone may have altered: a row of a state table.
** Returns NULL if they end early.
*/
const u8 *acdcRecGetSafe(const u8 *a, const u8 *aEnd, AcdcVal *pV){
  i64 nLeft = aEnd - a;
  if( nLeft<1 ) return 0;
  if( *a>=1 && *a<=8 && nLeft<1+*a ) return 0;
  if( *a==REC_REAL && nLeft<9 ) return 0;
  if( *a==REC_TEXT || *a==REC_BLOB ){
    const u8 *z = a + 1;
    u64 n;
    while( z<aEnd && (*z & 0x80) ) z++;
    if( z>=aEnd || z-a>9 ) return 0;
    z = acdcVarintGet(a+1, &n);
    if( n>(u64)(aEnd - z) ) return 0;
  }
  return acdcRecGet(a, pV);
}
