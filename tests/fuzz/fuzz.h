/*
** The frame of a fuzz target.  A target defines LLVMFuzzerTestOneInput(), and
** aSeed[], texts to start from.
**
** Compiled with -DFUZZ_LIBFUZZER -fsanitize=fuzzer it is driven by libFuzzer.
** Else it is a program of its own, for any compiler:
**
**   TARGET [-s SECONDS] [-r SEED] [FILE ...]
**
** which runs the files given, then inputs mutated from them and from the seeds
** for so many seconds (10).  It ends with the number of inputs; what is wrong
** is for the sanitizers and asserts to find, and the input that was running
** then is in the file crash-TARGET.
*/
#ifndef ACDC_FUZZ_H
#define ACDC_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n);

/* Sanity of the target itself: ends the program with the input kept. */
#define FUZZ_CHECK(x) do{ if( !(x) ){ \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); abort(); } }while( 0 )

#ifndef FUZZ_LIBFUZZER
#include <time.h>
#include <signal.h>

#define FUZZ_MAX 20000         /* Bytes of an input that is made here */

typedef struct FuzzInput FuzzInput;
struct FuzzInput {
  uint8_t *a;
  size_t n;
};

static FuzzInput aFuzz[512];   /* Inputs to mutate */
static int nFuzz = 0;
static uint64_t uFuzz = 1;     /* State of the generator */
static const uint8_t *aFuzzNow;
static size_t nFuzzNow;
static const char *zFuzzName;

static uint32_t fuzzRandom(uint32_t n){
  uFuzz ^= uFuzz<<13;
  uFuzz ^= uFuzz>>7;
  uFuzz ^= uFuzz<<17;
  return n ? (uint32_t)((uFuzz>>16) % n) : 0;
}

static void fuzzAdd(const void *a, size_t n){
  FuzzInput *p = &aFuzz[nFuzz<512 ? nFuzz++ : (int)fuzzRandom(512)];
  free(p->a);
  p->a = malloc(n+1);
  if( p->a==0 ) exit(2);
  memcpy(p->a, a, n);
  p->n = n;
}

static void fuzzKeep(int iSignal){
  char zPath[300];
  FILE *f;
  snprintf(zPath, sizeof(zPath), "crash-%s", zFuzzName);
  f = fopen(zPath, "wb");
  if( f ){
    fwrite(aFuzzNow, 1, nFuzzNow, f);
    fclose(f);
    fprintf(stderr, "the input is in %s\n", zPath);
  }
  signal(iSignal, SIG_DFL);
  raise(iSignal);
}

/* The sanitizers end the program without a signal: they call this. */
void __sanitizer_set_death_callback(void (*x)(void)) __attribute__((weak));
static void fuzzDeath(void){
  signal(SIGABRT, SIG_DFL);
  fuzzKeep(SIGABRT);
}

static void fuzzRun(const uint8_t *a, size_t n){
  aFuzzNow = a;
  nFuzzNow = n;
  LLVMFuzzerTestOneInput(a, n);
}

/* Bytes that matter to the readers come more often than others. */
static uint8_t fuzzByte(void){
  static const char zMore[] = ",;\"'\\\n\r\n{}[]:0123456789-+.eEtrufalsn"
                              " \t%YmdHMSf_(?P<v>*/#\xc3\xa9\xff";
  if( fuzzRandom(4)==0 ) return (uint8_t)fuzzRandom(256);
  return (uint8_t)zMore[fuzzRandom((uint32_t)sizeof(zMore)-1)];
}

/* Change a[0..n) in one place; returns the new length. */
static size_t fuzzMutate(uint8_t *a, size_t n){
  size_t i = fuzzRandom((uint32_t)n+1);
  size_t k = 1 + fuzzRandom(fuzzRandom(3) ? 4 : 40);
  switch( fuzzRandom(6) ){
    case 0:                                   /* overwrite */
      for(; i<n && k>0; i++, k--) a[i] = fuzzByte();
      return n;
    case 1:                                   /* insert */
      if( n+k>FUZZ_MAX ) return n;
      memmove(&a[i+k], &a[i], n-i);
      n += k;
      for(; k>0; k--) a[i+k-1] = fuzzByte();
      return n;
    case 2:                                   /* delete */
      if( k>n-i ) k = n-i;
      memmove(&a[i], &a[i+k], n-i-k);
      return n-k;
    case 3:                                   /* flip a bit */
      if( i<n ) a[i] ^= (uint8_t)(1u<<fuzzRandom(8));
      return n;
    case 4: {                                 /* repeat a piece */
      size_t nRep = fuzzRandom(2) ? k : k*20;
      if( k>n-i || n+nRep>FUZZ_MAX || k==0 ) return n;
      memmove(&a[i+nRep], &a[i], n-i);
      for(; nRep>0; nRep--) a[i+nRep-1] = a[i+nRep-1+k<n ? i+nRep-1+k : i];
      return n;
    }
    default: {                                /* a piece of another input */
      const FuzzInput *p = &aFuzz[fuzzRandom((uint32_t)nFuzz)];
      size_t j = fuzzRandom((uint32_t)p->n+1);
      if( k>p->n-j ) k = p->n-j;
      if( n+k>FUZZ_MAX ) return n;
      memmove(&a[i+k], &a[i], n-i);
      memcpy(&a[i], &p->a[j], k);
      return n+k;
    }
  }
}

static void fuzzFile(const char *zPath){
  static uint8_t a[FUZZ_MAX];
  FILE *f = fopen(zPath, "rb");
  size_t n;
  if( f==0 ){
    perror(zPath);
    exit(2);
  }
  n = fread(a, 1, sizeof(a), f);
  fclose(f);
  fuzzAdd(a, n);
}

static int fuzzMain(
  int argc, char **argv,
  const char *const*azSeed, int nSeed
){
  static uint8_t a[FUZZ_MAX+1];
  time_t tEnd;
  int nSecond = 10;
  long long nRun = 0;
  int i;
  zFuzzName = strrchr(argv[0], '/') ? strrchr(argv[0], '/')+1 : argv[0];
  signal(SIGABRT, fuzzKeep);
  signal(SIGSEGV, fuzzKeep);
  if( __sanitizer_set_death_callback ) __sanitizer_set_death_callback(fuzzDeath);
  for(i=1; i<argc; i++){
    if( strcmp(argv[i], "-s")==0 && i+1<argc ){
      nSecond = atoi(argv[++i]);
    }else if( strcmp(argv[i], "-r")==0 && i+1<argc ){
      uFuzz = (uint64_t)atoll(argv[++i])*2654435761u + 1;
    }else{
      fuzzFile(argv[i]);
    }
  }
  for(i=0; i<nSeed; i++) fuzzAdd(azSeed[i], strlen(azSeed[i]));
  for(i=0; i<nFuzz; i++) fuzzRun(aFuzz[i].a, aFuzz[i].n);
  tEnd = time(0) + nSecond;
  while( time(0)<tEnd ){
    for(i=0; i<50; i++, nRun++){
      const FuzzInput *p = &aFuzz[fuzzRandom((uint32_t)nFuzz)];
      size_t n = p->n;
      int k = 1 + (int)fuzzRandom(8);
      memcpy(a, p->a, n);
      for(; k>0; k--) n = fuzzMutate(a, n);
      fuzzRun(a, n);
      if( fuzzRandom(200)==0 ) fuzzAdd(a, n);
    }
  }
  for(i=0; i<nFuzz; i++) free(aFuzz[i].a);
  printf("%s: %lld inputs\n", zFuzzName, nRun);
  return 0;
}

#define FUZZ_MAIN(aSeed) \
  int main(int argc, char **argv){ \
    return fuzzMain(argc, argv, (aSeed), \
        (int)(sizeof(aSeed)/sizeof((aSeed)[0]))); \
  }
#else
#define FUZZ_MAIN(aSeed) const char *const*azFuzzSeed = (aSeed);
#endif /* FUZZ_LIBFUZZER */

#endif /* ACDC_FUZZ_H */
