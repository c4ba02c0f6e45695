/*
** The sticky error context, and memory that reports to it.
**
** The first error wins: what comes after it is mostly its consequence, and
** would only hide it.
*/
#include "core.h"

void acdcCtxInit(AcdcCtx *p, sqlite3 *db){
  p->db = db;
  p->rc = SQLITE_OK;
  p->zErr = 0;
}

void acdcCtxClear(AcdcCtx *p){
  sqlite3_free(p->zErr);
  p->zErr = 0;
  p->rc = SQLITE_OK;
}

/*
** SQLITE_OK as a code of an error is a slip of the caller.  It becomes
** SQLITE_ERROR, lest the error go unnoticed.
*/
void acdcError(AcdcCtx *p, int rc, const char *zFmt, ...){
  va_list ap;
  if( p->rc!=SQLITE_OK ) return;
  p->rc = rc!=SQLITE_OK ? rc : SQLITE_ERROR;
  assert( p->zErr==0 );
  va_start(ap, zFmt);
  p->zErr = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
}

/* If memory runs out the message stays as it was: less, but still true. */
void acdcErrorWhere(AcdcCtx *p, const char *zFmt, ...){
  va_list ap;
  char *zWhere;
  char *zNew;
  if( p->rc==SQLITE_OK ) return;
  va_start(ap, zFmt);
  zWhere = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  if( zWhere==0 ) return;
  zNew = sqlite3_mprintf("%s: %s", zWhere, acdcErrorText(p));
  sqlite3_free(zWhere);
  if( zNew==0 ) return;
  sqlite3_free(p->zErr);
  p->zErr = zNew;
}

/*
** What SQLite's own words leave out: what to do.  Returns "" if there is
** nothing to add.
*/
static const char *errorHint(int rc, const char *zMsg){
  if( rc==SQLITE_BUSY_SNAPSHOT ){
    return " (another connection has written since this transaction first"
           " read; roll back and start it with BEGIN IMMEDIATE)";
  }
  if( (rc&0xff)==SQLITE_BUSY && strcmp(zMsg, sqlite3_errstr(rc))==0 ){
    return " (another connection holds a lock; try again, or set a busy"
           " timeout and start the transaction with BEGIN IMMEDIATE)";
  }
  return "";
}

/*
** SQLITE_OK, SQLITE_ROW and SQLITE_DONE are no errors and change nothing, so
** that the result of any call can be handed in.  The code that is kept is
** the extended one.  zFmt may be NULL: then the message is SQLite's alone.
*/
void acdcErrorDb(AcdcCtx *p, int rc, const char *zFmt, ...){
  const char *zMsg;
  const char *zHint;
  if( p->rc!=SQLITE_OK ) return;
  if( rc==SQLITE_OK || rc==SQLITE_ROW || rc==SQLITE_DONE ) return;

  /* The connection speaks of this error only if its code is the same: a
  ** failed bind or an API misuse may not have been written down there. */
  if( p->db && (sqlite3_errcode(p->db)&0xff)==(rc&0xff) ){
    int rcExt = sqlite3_extended_errcode(p->db);
    if( (rc&~0xff)==0 ) rc = rcExt;
    zMsg = sqlite3_errmsg(p->db);
  }else{
    zMsg = sqlite3_errstr(rc);
  }
  p->rc = rc;
  if( rc==SQLITE_NOMEM ) return;
  zHint = errorHint(rc, zMsg);
  p->zErr = sqlite3_mprintf("%s%s", zMsg, zHint);
  if( zFmt && p->zErr ){
    va_list ap;
    char *zWhere;
    va_start(ap, zFmt);
    zWhere = sqlite3_vmprintf(zFmt, ap);
    va_end(ap);
    if( zWhere && zWhere[0] ) acdcErrorWhere(p, "%s", zWhere);
    sqlite3_free(zWhere);
  }
}

const char *acdcErrorText(AcdcCtx *p){
  if( p->zErr && p->zErr[0] ) return p->zErr;
  if( p->rc==SQLITE_OK ) return "no error was reported";
  return sqlite3_errstr(p->rc);
}

/* A size below zero comes from a sum that has overflowed: never granted. */
void *acdcMalloc(AcdcCtx *p, i64 n){
  void *pNew = 0;
  if( p->rc!=SQLITE_OK ) return 0;
  if( n==0 ) n = 1;
  if( n>0 ) pNew = sqlite3_malloc64((u64)n);
  if( pNew==0 ){
    p->rc = SQLITE_NOMEM;
    return 0;
  }
  memset(pNew, 0, (size_t)n);
  return pNew;
}

/* Bytes past the old size are not zeroed. */
void *acdcRealloc(AcdcCtx *p, void *pOld, i64 n){
  void *pNew = 0;
  if( p->rc!=SQLITE_OK ) return 0;
  if( n==0 ) n = 1;
  if( n>0 ) pNew = sqlite3_realloc64(pOld, (u64)n);
  if( pNew==0 ) p->rc = SQLITE_NOMEM;
  return pNew;
}

char *acdcStrdup(AcdcCtx *p, const char *z){
  if( z==0 ) return 0;
  return acdcStrndup(p, z, (i64)strlen(z));
}

char *acdcStrndup(AcdcCtx *p, const char *z, i64 n){
  char *zNew;
  if( z==0 ) return 0;
  assert( n>=0 );
  zNew = acdcMalloc(p, n+1);
  if( zNew && n>0 ) memcpy(zNew, z, (size_t)n);
  return zNew;
}

char *acdcMprintf(AcdcCtx *p, const char *zFmt, ...){
  va_list ap;
  char *z;
  if( p->rc!=SQLITE_OK ) return 0;
  va_start(ap, zFmt);
  z = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  if( z==0 ) p->rc = SQLITE_NOMEM;
  return z;
}

/* On failure *pz is what it was. */
void acdcAppendf(AcdcCtx *p, char **pz, const char *zFmt, ...){
  va_list ap;
  char *zPiece;
  if( p->rc!=SQLITE_OK ) return;
  va_start(ap, zFmt);
  zPiece = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  if( zPiece==0 ){
    p->rc = SQLITE_NOMEM;
  }else if( *pz==0 ){
    *pz = zPiece;
  }else{
    size_t nOld = strlen(*pz);
    size_t nPiece = strlen(zPiece);
    char *zNew = acdcRealloc(p, *pz, (i64)(nOld + nPiece + 1));
    if( zNew ){
      memcpy(&zNew[nOld], zPiece, nPiece+1);
      *pz = zNew;
    }
    sqlite3_free(zPiece);
  }
}
