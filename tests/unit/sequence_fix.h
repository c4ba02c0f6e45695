/*
** What the tests of ext/sequence/ share.  For one .c file per program.
*/
#ifndef ACDC_SEQUENCE_FIX_H
#define ACDC_SEQUENCE_FIX_H

#define UNIT_FAULTS
#include "unit.h"
#include "sequence/sequence.h"
#include <stdlib.h>

/*
** check(X, FORMAT, ...): a check whose message says which of many values did
** not hold.  X is evaluated before the arguments of the message.
*/
#define check(x, ...) do{ \
    int bHolds = (x)!=0; \
    checkThat(bHolds, __VA_ARGS__); \
  }while( 0 )
static inline void checkThat(int bOk, const char *zFmt, ...){
  va_list ap;
  if( bOk ) return;
  nUnitBad++;
  printf("FAIL ");
  va_start(ap, zFmt);
  vprintf(zFmt, ap);
  va_end(ap);
  printf("\n");
}

/* ---------------------------------------------------------------------
** Values
*/
static inline AcdcVal vInt(i64 i){
  AcdcVal v;
  memset(&v, 0, sizeof(v));
  v.eType = SQLITE_INTEGER;
  v.u.i = i;
  return v;
}
static inline AcdcVal vReal(double r){
  AcdcVal v;
  memset(&v, 0, sizeof(v));
  v.eType = SQLITE_FLOAT;
  v.u.r = r;
  return v;
}
static inline AcdcVal vBytes(int eType, const void *z, int n){
  AcdcVal v;
  memset(&v, 0, sizeof(v));
  v.eType = (u8)eType;
  v.n = n;
  v.u.z = z;
  return v;
}
static inline AcdcVal vText(const char *z){
  return vBytes(SQLITE_TEXT, z, (int)strlen(z));
}
static inline AcdcVal vNull(void){
  return vBytes(SQLITE_NULL, 0, 0);
}

static inline int sameVal(const AcdcVal *pA, const AcdcVal *pB){
  if( pA->eType!=pB->eType ) return 0;
  switch( pA->eType ){
    case SQLITE_INTEGER: return pA->u.i==pB->u.i;
    case SQLITE_FLOAT:   return pA->u.r==pB->u.r;
    case SQLITE_NULL:    return 1;
  }
  return pA->n==pB->n && (pA->n==0 || memcmp(pA->u.z,pB->u.z,(size_t)pA->n)==0);
}

/* ---------------------------------------------------------------------
** Reading
*/
typedef struct Fix Fix;
struct Fix {
  AcdcCtx ctx;
  AcdcArena arena;
  AcdcSeqKind kind;
};
static inline void fixInit(Fix *p, const char *zKind){
  memset(p, 0, sizeof(*p));
  acdcCtxInit(&p->ctx, 0);
  acdcSeqKindParse(&p->ctx, zKind, &p->kind);
  check(p->ctx.rc==SQLITE_OK, "kind %s: %s", zKind, acdcErrorText(&p->ctx));
}
static inline void fixClear(Fix *p){
  acdcArenaFree(&p->arena);
  acdcCtxClear(&p->ctx);
}
static inline int readOne(Fix *p, AcdcVal v, AcdcSeq *pOut){
  static char zName[] = "seq";
  char *az[1];
  az[0] = zName;
  return acdcSeqRead(&p->ctx, &p->kind, &v, az, &p->arena, pOut);
}

/* The shown form and the state form lead back to the same value. */
static inline void checkTrip(Fix *p, const AcdcSeq *pS, const char *z){
  AcdcSeqKind kind = p->kind;
  AcdcSeq b;
  AcdcVal st;
  memset(&b, 0, sizeof(b));
  acdcSeqReadShown(&p->ctx, &kind, &pS->shown, &p->arena, &b);
  check(p->ctx.rc==0, "shown form of %s: %s", z, acdcErrorText(&p->ctx));
  if( p->ctx.rc ) return;
  check(acdcSeqCmp(&kind, pS, &b)==0 && b.isInt==pS->isInt
     && sameVal(&b.shown, &pS->shown), "%s by its shown form", z);
  check(memcmp(&kind, &p->kind, sizeof(kind))==0, "kind after %s", z);
  acdcSeqToState(&p->ctx, &p->kind, pS, &p->arena, &st);
  acdcSeqFromState(&p->ctx, &p->kind, &st, &pS->shown, &p->arena, &b);
  check(p->ctx.rc==0, "state form of %s: %s", z, acdcErrorText(&p->ctx));
  if( p->ctx.rc ) return;
  check(acdcSeqCmp(&p->kind, pS, &b)==0 && b.isInt==pS->isInt
     && sameVal(&b.shown, &pS->shown), "%s by its state form", z);
}

#endif /* ACDC_SEQUENCE_FIX_H */
