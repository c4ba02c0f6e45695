/*
** The specs that a database keeps: table autocdc_specs of main, readable and
** writable without the extension, and autocdc_flows, which says what they were
** compiled to.
*/
#ifndef ACDC_CATALOG_H
#define ACDC_CATALOG_H

#include "spec.h"

/* Make the tables if they are not there. */
void acdcCatalogMake(AcdcCtx *p);
int acdcCatalogExists(AcdcCtx *p);

/*
** Validate a spec and store it, replacing one of the same name.  zName, if not
** NULL, is used where the document has no name of its own.  Files that it
** names are stored with it.  Returns the number of its flows.  All errors of
** the document are in one message, and nothing is written then.
*/
int acdcCatalogLoad(AcdcCtx *p, const char *zText, i64 nText,
                    const char *zOptions, const char *zBase,
                    const char *zName);
/* The same for a file, or for all *_main.json under a folder. */
int acdcCatalogLoadFile(AcdcCtx *p, const char *zPath, const char *zOptions);

/* Forget a spec, by its name or the data_flow_id of one of its flows. */
void acdcCatalogDrop(AcdcCtx *p, const char *zName);

/*
** Step through the enabled specs, in the order of their loading.
*/
typedef struct AcdcCatalogRow AcdcCatalogRow;
struct AcdcCatalogRow {
  i64 iRow;
  char *zName;             /* Owned; NULL where a plain INSERT gave none */
  char *zText;             /* Owned */
  char *zOptions;          /* Owned */
  u8 bTrusted;             /* This connection has loaded it */
};
/* The first row behind iAfter; 0 if there is none. */
int acdcCatalogNext(AcdcCtx *p, i64 iAfter, AcdcCatalogRow *pOut);
void acdcCatalogRowClear(AcdcCatalogRow *pRow);

/* Write autocdc_flows anew from the specs given. */
void acdcCatalogFlowsBegin(AcdcCtx *p);
void acdcCatalogFlows(AcdcCtx *p, const char *zSpecName, const AcdcSpec *pSpec);

#endif /* ACDC_CATALOG_H */
