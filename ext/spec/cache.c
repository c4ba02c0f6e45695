/*
** Compiled specs of a connection.  See cache.h.
**
** The cache hangs on a private function of the connection: SQLite frees it
** when the connection closes, and there is one for each connection.
*/
#include "cache.h"

/* At most so many specs, and texts of so many bytes, are kept. */
#define CACHE_MAX       256
#define CACHE_MAXBYTES  (16*1024*1024)

#define CACHE_POINTER   "autocdc-spec-cache"

typedef struct CacheEntry CacheEntry;
struct CacheEntry {
  i64 iDigest;           /* Of the key, to tell most keys apart at once */
  char *zKey;            /* Text, options and base path.  Owned */
  i64 nKey;
  AcdcSpec *pSpec;       /* One reference is ours */
  i64 iUsed;             /* When it was asked for last */
};

typedef struct Cache Cache;
struct Cache {
  int n;
  CacheEntry a[CACHE_MAX];
  i64 nByte;             /* Bytes of all keys */
  i64 iClock;
};

static void cacheDrop(Cache *pC, int i){
  acdcSpecFree(pC->a[i].pSpec);
  sqlite3_free(pC->a[i].zKey);
  pC->nByte -= pC->a[i].nKey;
  pC->a[i] = pC->a[--pC->n];
}

static void cacheFree(void *pArg){
  Cache *pC = (Cache*)pArg;
  while( pC->n ) cacheDrop(pC, pC->n-1);
  sqlite3_free(pC);
}

/* Hand the cache over to whom it is for: code that can bind a pointer. */
static void cacheFunc(sqlite3_context *ctx, int argc, sqlite3_value **argv){
  Cache **ppC = (Cache**)sqlite3_value_pointer(argv[0], CACHE_POINTER);
  ACDC_UNUSED(argc);
  if( ppC ) *ppC = (Cache*)sqlite3_user_data(ctx);
}

int acdcSpecCacheRegister(sqlite3 *db){
  Cache *pC = sqlite3_malloc64(sizeof(*pC));
  if( pC==0 ) return SQLITE_NOMEM;
  memset(pC, 0, sizeof(*pC));
  /* On failure SQLite calls the destructor too. */
  return sqlite3_create_function_v2(db, "autocdc_spec_cache", 1,
      SQLITE_UTF8|SQLITE_DIRECTONLY, pC, cacheFunc, 0, 0, cacheFree);
}

/* The cache of the connection, NULL if it has none. */
static Cache *cacheOf(AcdcCtx *p){
  sqlite3_stmt *pStmt = 0;
  Cache *pC = 0;
  if( sqlite3_prepare_v2(p->db, "SELECT autocdc_spec_cache(?1)", -1, &pStmt, 0)
       ==SQLITE_OK ){
    sqlite3_bind_pointer(pStmt, 1, &pC, CACHE_POINTER, 0);
    sqlite3_step(pStmt);
  }
  sqlite3_finalize(pStmt);
  return pC;
}

static i64 cacheDigest(const char *z, i64 n){
  u64 h = ((u64)0xcbf29ce4<<32) | 0x84222325;
  i64 i;
  for(i=0; i<n; i++) h = (h ^ (u8)z[i]) * (((u64)0x100<<32) | 0x1b3);
  return (i64)(h>>1);
}

static void cachePut(
  Cache *pC, i64 iDigest, char *zKey, i64 nKey, AcdcSpec *pSpec
){
  CacheEntry *pE;
  while( pC->n && (pC->n>=CACHE_MAX || pC->nByte+nKey>CACHE_MAXBYTES) ){
    int i, iOld = 0;
    for(i=1; i<pC->n; i++) if( pC->a[i].iUsed<pC->a[iOld].iUsed ) iOld = i;
    cacheDrop(pC, iOld);
  }
  pE = &pC->a[pC->n++];
  pE->iDigest = iDigest;
  pE->zKey = zKey;
  pE->nKey = nKey;
  pE->pSpec = pSpec;
  pE->iUsed = ++pC->iClock;
  pC->nByte += nKey;
  pSpec->nRef++;
}

void acdcSpecCompile(
  AcdcCtx *p, const char *zText, const char *zOptions,
  const AcdcSpecOptions *pOpt, AcdcDiags *pDiags, AcdcSpec **ppOut
){
  Cache *pC = p->rc ? 0 : cacheOf(p);
  char *zKey = 0;
  i64 nKey = 0, iDigest = 0;
  int i;
  *ppOut = 0;
  if( pC ){
    /* The byte between cannot stand in JSON outside of a string. */
    zKey = acdcMprintf(p, "%s\x01%s\x01%s", zText, zOptions ? zOptions : "",
                       pOpt->zBasePath ? pOpt->zBasePath : "\x01");
    nKey = zKey ? (i64)strlen(zKey) : 0;
    iDigest = cacheDigest(zKey ? zKey : "", nKey);
  }
  for(i=0; pC && zKey && i<pC->n; i++){
    CacheEntry *pE = &pC->a[i];
    if( pE->iDigest==iDigest && pE->nKey==nKey && strcmp(pE->zKey, zKey)==0 ){
      pE->iUsed = ++pC->iClock;
      pE->pSpec->nRef++;
      *ppOut = pE->pSpec;
      sqlite3_free(zKey);
      return;
    }
  }
  acdcSpecRead(p, zText, -1, pOpt, pDiags, ppOut);
  if( zKey && *ppOut && p->rc==SQLITE_OK && pDiags->nError==0
   && (*ppOut)->bDisk==0 && nKey<=CACHE_MAXBYTES ){
    cachePut(pC, iDigest, zKey, nKey, *ppOut);
    zKey = 0;
  }
  sqlite3_free(zKey);
}
