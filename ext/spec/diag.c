/*
** Findings about a document.  See diag.h.
*/
#include "diag.h"
#include <stdlib.h>

void acdcDiagAddV(
  AcdcCtx *p,
  AcdcDiags *pDiags,
  u8 eSeverity,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  int bKey,
  const char *zHint,
  const char *zFmt,
  va_list ap
){
  AcdcDiag *aNew, *pD;
  if( p->rc ) return;
  if( eSeverity==ACDC_DIAG_ERROR ) pDiags->nError++;
  else pDiags->nWarning++;
  if( pDiags->n>=ACDC_DIAG_MAX ) return;
  if( (pDiags->n & (pDiags->n-1))==0 ){
    i64 nNew = pDiags->n ? 2*(i64)pDiags->n : 4;
    aNew = acdcRealloc(p, pDiags->a, nNew*(i64)sizeof(*aNew));
    if( aNew==0 ) return;
    pDiags->a = aNew;
  }
  pD = &pDiags->a[pDiags->n];
  memset(pD, 0, sizeof(*pD));
  pD->eSeverity = eSeverity;
  pD->zMsg = sqlite3_vmprintf(zFmt, ap);
  pD->zHint = acdcStrdup(p, zHint);
  if( pNode && pDoc ){
    AcdcJsonPos pos;
    acdcJsonWhere(pDoc, pNode, bKey, &pos);
    pD->iLine = pos.iLine;
    pD->iCol = pos.iCol;
    pD->zPath = acdcJsonPointer(p, pNode);
  }else{
    pD->zPath = acdcStrdup(p, "");
  }
  pDiags->n++;
  if( pD->zMsg==0 || pD->zPath==0 ){
    acdcError(p, SQLITE_NOMEM, "out of memory");
  }
}

void acdcDiagAdd(
  AcdcCtx *p,
  AcdcDiags *pDiags,
  u8 eSeverity,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  int bKey,
  const char *zHint,
  const char *zFmt,
  ...
){
  va_list ap;
  va_start(ap, zFmt);
  acdcDiagAddV(p, pDiags, eSeverity, pDoc, pNode, bKey, zHint, zFmt, ap);
  va_end(ap);
}

void acdcDiagStrict(AcdcDiags *pDiags){
  int i;
  for(i=0; i<pDiags->n; i++) pDiags->a[i].eSeverity = ACDC_DIAG_ERROR;
  pDiags->nError += pDiags->nWarning;
  pDiags->nWarning = 0;
}

static int diagCompare(const void *pA, const void *pB){
  const AcdcDiag *a = pA;
  const AcdcDiag *b = pB;
  int c = strcmp(a->zMsg, b->zMsg);
  if( (a->iLine==0)!=(b->iLine==0) ) return a->iLine==0 ? 1 : -1;
  if( a->iLine!=b->iLine ) return a->iLine<b->iLine ? -1 : 1;
  if( a->iCol!=b->iCol ) return a->iCol<b->iCol ? -1 : 1;
  return c;
}

void acdcDiagSort(AcdcDiags *pDiags){
  if( pDiags->n>1 ){
    qsort(pDiags->a, (size_t)pDiags->n, sizeof(AcdcDiag), diagCompare);
  }
}

void acdcDiagRaise(AcdcCtx *p, const AcdcDiags *pDiags, const char *zWhat){
  char *z = 0;
  int i, nShown = 0;
  if( p->rc || pDiags->nError==0 ) return;
  for(i=0; i<pDiags->n && nShown<20; i++){
    const AcdcDiag *pD = &pDiags->a[i];
    if( pD->eSeverity!=ACDC_DIAG_ERROR ) continue;
    nShown++;
    acdcAppendf(p, &z, "\n  ");
    if( pD->iLine ){
      acdcAppendf(p, &z, "line %d, column %d", pD->iLine, pD->iCol);
      if( pD->zPath[0] ) acdcAppendf(p, &z, " (%s)", pD->zPath);
      acdcAppendf(p, &z, ": ");
    }
    acdcAppendf(p, &z, "%s", pD->zMsg);
    if( pD->zHint ) acdcAppendf(p, &z, "; %s", pD->zHint);
  }
  if( pDiags->nError>nShown ){
    acdcAppendf(p, &z, "\n  and %d more: SELECT * FROM autocdc_validate(...) "
                "lists them", pDiags->nError - nShown);
  }
  acdcError(p, SQLITE_ERROR, "%s has %d error%s:%s", zWhat, pDiags->nError,
            pDiags->nError==1 ? "" : "s", z ? z : "");
  sqlite3_free(z);
}

void acdcDiagClear(AcdcDiags *pDiags){
  int i;
  for(i=0; i<pDiags->n; i++){
    sqlite3_free(pDiags->a[i].zPath);
    sqlite3_free(pDiags->a[i].zMsg);
    sqlite3_free(pDiags->a[i].zHint);
  }
  sqlite3_free(pDiags->a);
  memset(pDiags, 0, sizeof(*pDiags));
}
