/*
** Findings about a document: what is wrong, where, and what to do.
*/
#ifndef ACDC_DIAG_H
#define ACDC_DIAG_H

#include "../core/core.h"
#include "../core/json.h"

#define ACDC_DIAG_ERROR   1
#define ACDC_DIAG_WARNING 2

/* A document with more findings than this reports no further ones. */
#define ACDC_DIAG_MAX 500

typedef struct AcdcDiag AcdcDiag;
struct AcdcDiag {
  u8 eSeverity;        /* ACDC_DIAG_* */
  char *zPath;         /* JSON Pointer.  Owned */
  int iLine;           /* 0 where there is no place */
  int iCol;
  char *zMsg;          /* Owned */
  char *zHint;         /* What to write instead, or NULL.  Owned */
};

typedef struct AcdcDiags AcdcDiags;
struct AcdcDiags {
  int n;
  AcdcDiag *a;         /* Owned */
  int nError;          /* Of all findings, those not kept included */
  int nWarning;
};

/*
** Add a finding.  pNode may be NULL (no place); bKey: it is about the name of
** the member, not its value.  zHint may be NULL; it is copied.
*/
void acdcDiagAdd(AcdcCtx *p, AcdcDiags *pDiags, u8 eSeverity, AcdcJson *pDoc,
                 const AcdcJsonNode *pNode, int bKey, const char *zHint,
                 const char *zFmt, ...);
void acdcDiagAddV(AcdcCtx *p, AcdcDiags *pDiags, u8 eSeverity, AcdcJson *pDoc,
                 const AcdcJsonNode *pNode, int bKey, const char *zHint,
                 const char *zFmt, va_list ap);
/* strict: warnings become errors. */
void acdcDiagStrict(AcdcDiags *pDiags);
/* Put the findings in the order of the document, those without a place last. */
void acdcDiagSort(AcdcDiags *pDiags);
/* If there are errors, set one error in p that lists them all. */
void acdcDiagRaise(AcdcCtx *p, const AcdcDiags *pDiags, const char *zWhat);
void acdcDiagClear(AcdcDiags *pDiags);

#endif /* ACDC_DIAG_H */
