/*
** SQL of specs, written for Spark, as SQLite takes it.
**
** Translated are: string quotes ('..' with backslash escapes, ".."), names in
** back quotes, <=>, typed literals (DATE '..'), types in CAST, and the
** functions that docs/specs/sql.md lists.  In queries also live.x, STREAM(x),
** names of other databases, and "* EXCEPT (a, b)".  What is not known stays as
** it is: SQLite says then what it cannot do.
*/
#ifndef ACDC_SPARKSQL_H
#define ACDC_SPARKSQL_H

#include "../core/core.h"

/* True if the expression uses a name that is zColumn.  NULL names nothing. */
int acdcSparkNames(const char *zExpr, const char *zColumn);

/* An expression.  Owned by the caller. */
char *acdcSparkExpr(AcdcCtx *p, const char *z);

/*
** What the translation of a query asks.  Both return text that the caller
** frees; NULL leaves the query as it is (xRelation) or is an error in the
** context (xColumns).
*/
typedef struct AcdcSparkHost AcdcSparkHost;
struct AcdcSparkHost {
  void *pArg;
  /* The relation named by nPart parts ("live" cut off, bLive set). */
  char *(*xRelation)(void *pArg, AcdcCtx *p, int nPart, char **azPart,
                     int bLive, int bStream);
  /* The columns of "SELECT zStar FROM ..." but those in pExcept, as a list. */
  char *(*xColumns)(void *pArg, AcdcCtx *p, const char *zWith,
                    const char *zStar, const char *zFrom,
                    const AcdcNames *pExcept);
};

/* A query.  Owned by the caller. */
char *acdcSparkQuery(AcdcCtx *p, const char *z, const AcdcSparkHost *pHost);

/*
** If z is "* EXCEPT (a, b)" or "x.* EXCEPT (...)": 1, the names in pExcept, and
** *pzStar "*" or "x.*", owned by the caller.
*/
int acdcSparkExcept(AcdcCtx *p, const char *z, char **pzStar,
                    AcdcNames *pExcept);

#endif /* ACDC_SPARKSQL_H */
