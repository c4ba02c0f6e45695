/*
** What the tests of ext/core share: a database, and checks that clean up.
*/
#ifndef ACDC_CORE_FIX_H
#define ACDC_CORE_FIX_H

#define UNIT_FAULTS
#include "unit.h"
#include "core/core.h"

/* An open in-memory database; the context is clear. */
typedef struct Fixture Fixture;
struct Fixture {
  sqlite3 *db;
  AcdcCtx ctx;
};

static inline void fixtureOpen(Fixture *p, const char *zSql){
  p->db = 0;
  UNIT_INT(sqlite3_open(":memory:", &p->db), SQLITE_OK);
  acdcCtxInit(&p->ctx, p->db);
  if( zSql ) UNIT_INT(sqlite3_exec(p->db, zSql, 0, 0, 0), SQLITE_OK);
}

static inline void fixtureClose(Fixture *p){
  acdcCtxClear(&p->ctx);
  UNIT_INT(sqlite3_close(p->db), SQLITE_OK);
}

/* Check the error of a context, then clear it. */
#define ERROR_IS(p, rcWant, zPart) do{ \
    UNIT_INT((p)->rc, (rcWant)); \
    UNIT_HAS(acdcErrorText(p), (zPart)); \
    acdcCtxClear(p); \
  }while( 0 )

/* Check a text that the callee has allocated. */
#define TEXT_IS(zCall, zWant) do{ \
    char *zTextIs = (zCall); \
    UNIT_STR(zTextIs, (zWant)); \
    sqlite3_free(zTextIs); \
  }while( 0 )

static inline i64 countOf(sqlite3 *db, const char *zTable){
  AcdcCtx ctx;
  i64 n;
  acdcCtxInit(&ctx, db);
  n = acdcSelectInt(&ctx, -1, "SELECT count(*) FROM \"%w\"", zTable);
  acdcCtxClear(&ctx);
  return n;
}

#endif /* ACDC_CORE_FIX_H */
