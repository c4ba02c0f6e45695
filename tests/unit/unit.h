/*
** A test frame of the smallest kind.  A test file is a program:
**
**   UNIT_TEST(addition){
**     UNIT_INT(1+1, 2);
**   }
**   int main(void){
**     UNIT_RUN(addition);
**     return unitDone();
**   }
**
** Each test prints "ok NAME", or a line "FAIL file:line: ..." for each check
** that does not hold.  The last line of all is "N passed, N failed", counted
** in tests; the exit code is 1 if any failed.
**
** A file that defines UNIT_FAULTS before it includes this one can also let
** SQLite's memory run out, see unitFaultAt().  To be used by one .c file per
** program only.
*/
#ifndef ACDC_UNIT_H
#define ACDC_UNIT_H

#include <stdio.h>
#include <string.h>

static int nUnitPassed = 0;
static int nUnitFailed = 0;
static int nUnitBad = 0;       /* Checks of the running test that failed */

#define UNIT_TEST(name) static void name(void)

#define UNIT_RUN(name) do{ \
    nUnitBad = 0; \
    name(); \
    if( nUnitBad==0 ){ \
      nUnitPassed++; \
      printf("ok %s\n", #name); \
    }else{ \
      nUnitFailed++; \
    } \
    fflush(stdout); \
  }while( 0 )

/* The checks are expressions with the value 1 if they hold, else 0. */
#define UNIT_CHECK(x)   unitCheck((x)!=0, __FILE__, __LINE__, #x)
#define UNIT_INT(a, b)  unitInt((a), (b), __FILE__, __LINE__, #a)
#define UNIT_STR(a, b)  unitStr((a), (b), __FILE__, __LINE__, #a)
/* The text zAll holds zPart. */
#define UNIT_HAS(zAll, zPart) \
    unitHas((zAll), (zPart), __FILE__, __LINE__, #zAll)

static inline int unitCheck(
  int bOk,
  const char *zFile,
  int iLine,
  const char *zWhat
){
  if( !bOk ){
    nUnitBad++;
    printf("FAIL %s:%d: %s\n", zFile, iLine, zWhat);
  }
  return bOk;
}

static inline int unitInt(
  long long iGot,
  long long iWant,
  const char *zFile,
  int iLine,
  const char *zWhat
){
  if( iGot==iWant ) return 1;
  nUnitBad++;
  printf("FAIL %s:%d: %s is %lld, not %lld\n", zFile, iLine, zWhat,
         iGot, iWant);
  return 0;
}

static inline int unitStr(
  const char *zGot,
  const char *zWant,
  const char *zFile,
  int iLine,
  const char *zWhat
){
  if( zGot==zWant ) return 1;
  if( zGot && zWant && strcmp(zGot, zWant)==0 ) return 1;
  nUnitBad++;
  printf("FAIL %s:%d: %s is <%s>, not <%s>\n", zFile, iLine, zWhat,
         zGot ? zGot : "(null)", zWant ? zWant : "(null)");
  return 0;
}

static inline int unitHas(
  const char *zGot,
  const char *zPart,
  const char *zFile,
  int iLine,
  const char *zWhat
){
  if( zGot && strstr(zGot, zPart) ) return 1;
  nUnitBad++;
  printf("FAIL %s:%d: %s is <%s>, without <%s>\n", zFile, iLine, zWhat,
         zGot ? zGot : "(null)", zPart);
  return 0;
}

static inline int unitDone(void){
  printf("%d passed, %d failed\n", nUnitPassed, nUnitFailed);
  return nUnitFailed ? 1 : 0;
}

#ifdef UNIT_FAULTS
#include <sqlite3.h>

static sqlite3_mem_methods unitMem;   /* The allocator of SQLite */
static int nUnitUntilFault = 0;       /* 0: no fault is due */
static int nUnitFault = 0;            /* Faults since unitFaultAt(n>0) */

static inline int unitFaultNow(void){
  if( nUnitUntilFault==0 || --nUnitUntilFault>0 ) return 0;
  nUnitFault++;
  return 1;
}

static void *unitMalloc(int n){
  return unitFaultNow() ? 0 : unitMem.xMalloc(n);
}

static void *unitRealloc(void *pOld, int n){
  return unitFaultNow() ? 0 : unitMem.xRealloc(pOld, n);
}

/* Call once, before anything else of SQLite. */
static inline void unitFaultInit(void){
  sqlite3_mem_methods m;
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &unitMem);
  m = unitMem;
  m.xMalloc = unitMalloc;
  m.xRealloc = unitRealloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &m);
  /* Or small pieces would come from a pool that never runs out. */
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

/* Let the n-th allocation from now fail; 0: none. */
static inline void unitFaultAt(int n){
  nUnitUntilFault = n;
  if( n>0 ) nUnitFault = 0;
}

/*
** A loop header: the body, which has to call unitFaultAt(iFault), runs with
** the first, second, third... allocation failing, until a run sees no fault.
*/
#define UNIT_EACH_FAULT(iFault) \
  for(iFault=1, nUnitFault=1; nUnitFault>0 && iFault<5000; iFault++)

#endif /* UNIT_FAULTS */

#endif /* ACDC_UNIT_H */
