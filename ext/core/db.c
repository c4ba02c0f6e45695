/*
** Prepared statements.
*/
#include "core.h"

/*
** Return the first byte of z that is not part of a blank, a comment or a
** semicolon.
*/
static const char *dbSkipEmpty(const char *z){
  for(;;){
    if( z[0]==' ' || z[0]=='\t' || z[0]=='\n' || z[0]=='\r' || z[0]=='\f'
     || z[0]==';'
    ){
      z++;
    }else if( z[0]=='-' && z[1]=='-' ){
      while( z[0] && z[0]!='\n' ) z++;
    }else if( z[0]=='/' && z[1]=='*' ){
      const char *zEnd = strstr(&z[2], "*/");
      z = zEnd ? &zEnd[2] : &z[strlen(z)];
    }else{
      return z;
    }
  }
}

/* Takes over zSql, which may be NULL if memory has run out. */
static sqlite3_stmt *dbPrepare(AcdcCtx *p, unsigned fPrep, char *zSql){
  sqlite3_stmt *pStmt = 0;
  const char *zTail = 0;
  if( zSql==0 ){
    acdcError(p, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
  }else if( p->rc==SQLITE_OK ){
    int rc = sqlite3_prepare_v3(p->db, zSql, -1, fPrep, &pStmt, &zTail);
    if( rc!=SQLITE_OK ){
      acdcErrorDb(p, rc, 0);
    }else if( pStmt==0 ){
      acdcError(p, SQLITE_ERROR, "an SQL statement is expected, but the text"
                " is empty");
    }else{
      zTail = dbSkipEmpty(zTail);
      if( zTail[0] ){
        acdcError(p, SQLITE_ERROR, "one SQL statement is expected, but more"
                  " text follows it: %!.60s", zTail);
      }
    }
    if( p->rc!=SQLITE_OK ){
      sqlite3_finalize(pStmt);
      pStmt = 0;
    }
  }
  sqlite3_free(zSql);
  return pStmt;
}

/* fPrep: SQLITE_PREPARE_... flags. */
sqlite3_stmt *acdcPrepare(AcdcCtx *p, unsigned fPrep, const char *zFmt, ...){
  va_list ap;
  char *zSql;
  if( p->rc!=SQLITE_OK ) return 0;
  va_start(ap, zFmt);
  zSql = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  return dbPrepare(p, fPrep, zSql);
}

int acdcStep(AcdcCtx *p, sqlite3_stmt *pStmt){
  int rc;
  if( p->rc!=SQLITE_OK ) return 0;
  rc = sqlite3_step(pStmt);
  if( rc==SQLITE_ROW ) return 1;
  if( rc!=SQLITE_DONE ) acdcErrorDb(p, rc, 0);
  return 0;
}

/* Resets even if the context is in error: an open cursor would block all. */
void acdcReset(AcdcCtx *p, sqlite3_stmt *pStmt){
  int rc = sqlite3_reset(pStmt);
  if( rc!=SQLITE_OK ) acdcErrorDb(p, rc, 0);
}

void acdcFinalize(AcdcCtx *p, sqlite3_stmt **ppStmt){
  int rc = sqlite3_finalize(*ppStmt);
  *ppStmt = 0;
  if( rc!=SQLITE_OK ) acdcErrorDb(p, rc, 0);
}

/* Rows, if any, are passed over. */
void acdcExec(AcdcCtx *p, const char *zFmt, ...){
  va_list ap;
  sqlite3_stmt *pStmt;
  if( p->rc!=SQLITE_OK ) return;
  va_start(ap, zFmt);
  pStmt = dbPrepare(p, 0, sqlite3_vmprintf(zFmt, ap));
  va_end(ap);
  while( acdcStep(p, pStmt) ){}
  acdcFinalize(p, &pStmt);
}

/*
** The first column of the first row.  iDefault if there is no row, if it is
** NULL, or after an error.
*/
i64 acdcSelectInt(AcdcCtx *p, i64 iDefault, const char *zFmt, ...){
  va_list ap;
  sqlite3_stmt *pStmt;
  i64 iRet = iDefault;
  if( p->rc!=SQLITE_OK ) return iDefault;
  va_start(ap, zFmt);
  pStmt = dbPrepare(p, 0, sqlite3_vmprintf(zFmt, ap));
  va_end(ap);
  if( acdcStep(p, pStmt) && sqlite3_column_type(pStmt, 0)!=SQLITE_NULL ){
    iRet = sqlite3_column_int64(pStmt, 0);
  }
  acdcFinalize(p, &pStmt);
  return p->rc==SQLITE_OK ? iRet : iDefault;
}

/*
** The first column of the first row.  NULL if there is no row, if it is
** NULL, or after an error.
*/
char *acdcSelectText(AcdcCtx *p, const char *zFmt, ...){
  va_list ap;
  sqlite3_stmt *pStmt;
  char *zRet = 0;
  if( p->rc!=SQLITE_OK ) return 0;
  va_start(ap, zFmt);
  pStmt = dbPrepare(p, 0, sqlite3_vmprintf(zFmt, ap));
  va_end(ap);
  if( acdcStep(p, pStmt) && sqlite3_column_type(pStmt, 0)!=SQLITE_NULL ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 0);
    if( z==0 ){
      acdcError(p, SQLITE_NOMEM, "%s", sqlite3_errstr(SQLITE_NOMEM));
    }else{
      zRet = acdcStrndup(p, z, sqlite3_column_bytes(pStmt, 0));
    }
  }
  acdcFinalize(p, &pStmt);
  if( p->rc!=SQLITE_OK ){
    sqlite3_free(zRet);
    zRet = 0;
  }
  return zRet;
}

/*
** sqlite3_is_interrupted() is not there before SQLite 3.41, so a statement
** that does nothing is asked: while an interrupt is pending each one fails.
** It costs about a microsecond or two; poll once in some hundred rows, and
** only in loops that step no statement of their own.
**
** Also nonzero if the context is in error already: a loop has to end then.
*/
int acdcInterrupted(AcdcCtx *p){
  acdcExec(p, "SELECT 1");
  return p->rc!=SQLITE_OK;
}
