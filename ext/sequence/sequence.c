/*
** Reading, comparing and keeping sequence values.
**
** The class of a part is a function of the value alone, never of what came
** before, so that the classes of a target do not depend on the arrival order
** any more than they must.
*/
#include "seqint.h"

/* A message about one value: "sequence value V of "member" <reason>". */
static void seqError(
  AcdcCtx *p,
  const AcdcVal *pV,
  const char *zPart,            /* May be NULL */
  const char *zReason
){
  char *zVal = acdcValText(p, pV);
  if( zPart ){
    acdcError(p, SQLITE_ERROR, "sequence value %s of \"%s\" %s",
              zVal ? zVal : "", zPart, zReason);
  }else{
    acdcError(p, SQLITE_ERROR, "sequence value %s %s", zVal ? zVal : "",
              zReason);
  }
  sqlite3_free(zVal);
}

/* The value's class is not the one that the target has. */
static void seqMismatch(
  AcdcCtx *p,
  u8 eWant,
  u8 eHave,
  const AcdcVal *pV,
  const char *zPart
){
  const char *zHint =
    "make every value of one class in sequence_by (cast it there), or begin "
    "anew with autocdc_reset()";
  char *z;
  if( eHave==ACDC_SEQ_TEXT && pV->n==0 ){
    zHint = "an empty field is not NULL unless \"empty_as_null\" is set";
  }else if( eWant==ACDC_SEQ_TEXT ){
    zHint = "text made only of digits is a number, and a date is an instant: "
            "put a letter in front of every value in sequence_by, or begin "
            "anew with autocdc_reset()";
  }
  z = acdcMprintf(p,
      "is of class %s, but the class of this sequence is %s, fixed by the "
      "first events of the target, and the two have no order between them: %s",
      acdcSeqClassName(eHave), acdcSeqClassName(eWant), zHint);
  if( z ) seqError(p, pV, zPart, z);
  sqlite3_free(z);
}

/* The bytes of TEXT and BLOB are their order. */
static void seqBytes(AcdcSeq *pOut, const AcdcVal *pV){
  static const u8 none = 0;
  pOut->pOrd = pV->n ? pV->u.z : &none;
  pOut->nOrd = pV->n;
}

/* Finish a NUMBER that has been read to *pDec. */
static int seqFromDec(
  AcdcCtx *p,
  const AcdcDec *pDec,
  const AcdcVal *pV,
  const char *zPart,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  u8 aText[ACDC_DEC_DIGITS];
  u8 aOrd[ACDC_SEQ_SPARE];
  const char *zWhy = acdcDecShown(pDec, aText, &pOut->shown);
  int nText;
  u8 *a;
  if( zWhy ){
    pOut->shown = *pV;
    seqError(p, pV, zPart, zWhy);
    return 0;
  }
  if( pOut->shown.eType==SQLITE_INTEGER ){
    pOut->isInt = 1;
    pOut->iOrd = pOut->shown.u.i;
    return ACDC_SEQ_NUMBER;
  }
  nText = pOut->shown.eType==SQLITE_TEXT ? ACDC_DEC_DIGITS : 0;
  pOut->nOrd = acdcDecOrd(pDec, aOrd);
  a = acdcArenaAlloc(p, pA, nText + pOut->nOrd);
  if( a==0 ) return 0;
  memcpy(&a[nText], aOrd, (size_t)pOut->nOrd);
  pOut->pOrd = &a[nText];
  if( nText ){
    memcpy(a, aText, ACDC_DEC_DIGITS);
    pOut->shown.u.z = a;
  }
  return ACDC_SEQ_NUMBER;
}

/* Finish an INSTANT that has been read to *pInst. */
static int seqFromInstant(
  AcdcCtx *p,
  const AcdcInstant *pInst,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  u8 *a;
  if( pInst->nRest==0 ){
    pOut->isInt = 1;
    pOut->iOrd = pInst->iMicro;
    return ACDC_SEQ_INSTANT;
  }
  pOut->nOrd = 8 + pInst->nRest;
  a = acdcArenaAlloc(p, pA, pOut->nOrd);
  if( a==0 ) return 0;
  acdcInstantOrd(pInst->iMicro, a);
  memcpy(&a[8], pInst->zRest, (size_t)pInst->nRest);
  pOut->pOrd = a;
  return ACDC_SEQ_INSTANT;
}

/* As acdcSeqPart(), for a value that is TEXT. */
static int seqText(
  AcdcCtx *p,
  u8 eWant,
  int fPart,
  const AcdcVal *pV,
  const char *zPart,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  AcdcDec dec;
  AcdcInstant inst;
  int rc = ACDC_INSTANT_NO, bNumber = 0;
  if( (fPart & ACDC_PART_JSONNUM)==0 ){
    rc = acdcInstantText(&inst, pV->u.z, pV->n);
  }
  if( rc==ACDC_INSTANT_BAD ){
    seqError(p, pV, zPart, "is written as an instant, but there is no such "
             "date or time: correct it in the source or in sequence_by");
    return 0;
  }
  if( rc==ACDC_INSTANT_NO && (fPart & ACDC_PART_INSTANT)!=0 ){
    seqError(p, pV, zPart, "is not an instant, but its column is declared "
             "TIMESTAMP, DATETIME or DATE: write it as YYYY-MM-DD HH:MM:SS, "
             "or convert it in sequence_by");
    return 0;
  }
  if( rc==ACDC_INSTANT_NO ){
    bNumber = acdcDecText(&dec, pV->u.z, pV->n, fPart & ACDC_PART_JSONNUM);
  }
  rc = rc==ACDC_INSTANT_OK ? ACDC_SEQ_INSTANT
     : bNumber ? ACDC_SEQ_NUMBER : ACDC_SEQ_TEXT;
  if( eWant!=ACDC_SEQ_UNKNOWN && eWant!=rc ){
    seqMismatch(p, eWant, (u8)rc, pV, zPart);
    return 0;
  }
  if( rc==ACDC_SEQ_INSTANT ) return seqFromInstant(p, &inst, pA, pOut);
  if( rc==ACDC_SEQ_NUMBER ) return seqFromDec(p, &dec, pV, zPart, pA, pOut);
  seqBytes(pOut, pV);
  return rc;
}

u8 acdcSeqPart(
  AcdcCtx *p,
  u8 eWant,
  int fPart,
  const AcdcVal *pV,
  const char *zPart,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  AcdcDec dec;
  u8 eHave;
  pOut->isInt = 0;
  pOut->iOrd = 0;
  pOut->pOrd = 0;
  pOut->nOrd = 0;
  pOut->shown = *pV;
  if( p->rc ) return 0;
  assert( pV->eType!=SQLITE_NULL );
  if( pV->eType==SQLITE_TEXT ){
    if( eWant==ACDC_SEQ_NUMBER && (fPart & ACDC_PART_INSTANT)==0
     && acdcDecDigits(pV->u.z, pV->n, &pOut->iOrd)
    ){
      pOut->isInt = 1;
      pOut->shown.eType = SQLITE_INTEGER;
      pOut->shown.n = 0;
      pOut->shown.u.i = pOut->iOrd;
      return ACDC_SEQ_NUMBER;
    }
    return (u8)seqText(p, eWant, fPart, pV, zPart, pA, pOut);
  }
  eHave = pV->eType==SQLITE_BLOB ? ACDC_SEQ_BLOB : ACDC_SEQ_NUMBER;
  if( eWant!=ACDC_SEQ_UNKNOWN && eWant!=eHave ){
    seqMismatch(p, eWant, eHave, pV, zPart);
    return 0;
  }
  if( pV->eType==SQLITE_INTEGER ){
    pOut->isInt = 1;
    pOut->iOrd = pV->u.i;
  }else if( eHave==ACDC_SEQ_BLOB ){
    seqBytes(pOut, pV);
  }else if( acdcDecReal(&dec, pV->u.r) ){
    return (u8)seqFromDec(p, &dec, pV, zPart, pA, pOut);
  }else{
    seqError(p, pV, zPart, "is infinite: it has no place in a sequence");
    return 0;
  }
  return eHave;
}

/* acdcSeqRead() of a composite. */
static int seqReadParts(
  AcdcCtx *p,
  AcdcSeqKind *pKind,
  const AcdcVal *aVal,
  char *const*azPart,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  AcdcSeq aPart[ACDC_SEQ_MAXPART];
  u8 aClass[ACDC_SEQ_MAXPART];
  int i;
  for(i=0; i<pKind->nPart; i++){
    aClass[i] = acdcSeqPart(p, pKind->aClass[i],
        pKind->aInstant[i] ? ACDC_PART_INSTANT : 0, &aVal[i],
        azPart ? azPart[i] : 0, pA, &aPart[i]);
    if( aClass[i]==0 ) return -1;
  }
  acdcSeqCompose(p, pKind->nPart, aClass, aPart, pA, pOut);
  if( p->rc ) return -1;
  memcpy(pKind->aClass, aClass, (size_t)pKind->nPart);
  return 0;
}

/* acdcSeqRead() of one part, without what is most common. */
static int seqReadOne(
  AcdcCtx *p,
  AcdcSeqKind *pKind,
  int fPart,
  const AcdcVal *pV,
  const char *zPart,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  u8 eClass = acdcSeqPart(p, pKind->aClass[0], fPart, pV, zPart, pA, pOut);
  if( eClass==0 ) return -1;
  pKind->aClass[0] = eClass;
  if( eClass==ACDC_SEQ_INSTANT ) acdcInstantForm(pKind, pV->u.z, pV->n);
  return 0;
}

int acdcSeqRead(
  AcdcCtx *p,
  AcdcSeqKind *pKind,
  const AcdcVal *aVal,
  char *const*azPart,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  int i;
  if( aVal->eType==SQLITE_INTEGER && pKind->aClass[0]==ACDC_SEQ_NUMBER
   && pKind->nPart==1 && p->rc==0
  ){
    pOut->isInt = 1;
    pOut->iOrd = aVal->u.i;
    pOut->pOrd = 0;
    pOut->nOrd = 0;
    pOut->shown = *aVal;
    return 0;
  }
  if( p->rc ) return -1;
  assert( pKind->nPart>0 && pKind->nPart<=ACDC_SEQ_MAXPART );
  for(i=0; i<pKind->nPart; i++){
    if( aVal[i].eType==SQLITE_NULL ) return i+1;
  }
  if( pKind->nPart>1 ){
    return seqReadParts(p, pKind, aVal, azPart, pA, pOut);
  }
  return seqReadOne(p, pKind, pKind->aInstant[0] ? ACDC_PART_INSTANT : 0,
                    aVal, azPart ? azPart[0] : 0, pA, pOut);
}

/*
** How the source's column is declared does not matter to a value that has
** been shown: a large REAL of a TIMESTAMP column is shown as digits.
*/
void acdcSeqReadShown(
  AcdcCtx *p,
  AcdcSeqKind *pKind,
  const AcdcVal *pV,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  AcdcMember aMember[ACDC_SEQ_MAXPART];
  AcdcSeq aPart[ACDC_SEQ_MAXPART];
  u8 aClass[ACDC_SEQ_MAXPART];
  int i, n;
  if( p->rc ) return;
  if( pKind->nPart==1 ){
    seqReadOne(p, pKind, 0, pV, 0, pA, pOut);
    return;
  }
  n = acdcSeqMembers(p, pV, pA, aMember);
  for(i=0; i<n && i<pKind->nPart; i++){
    if( aMember[i].v.eType==SQLITE_NULL ) n = -1;
  }
  if( n!=pKind->nPart ){
    char *z = acdcMprintf(p, "is not a JSON array of %d values, which "
        "a sequence of %d parts is: correct it, or begin anew with "
        "autocdc_reset()", pKind->nPart, pKind->nPart);
    if( z ) seqError(p, pV, 0, z);
    sqlite3_free(z);
    return;
  }
  for(i=0; i<n; i++){
    aClass[i] = acdcSeqPart(p, pKind->aClass[i], aMember[i].fPart,
                            &aMember[i].v, 0, pA, &aPart[i]);
    if( aClass[i]==0 ) return;
  }
  acdcSeqCompose(p, n, aClass, aPart, pA, pOut);
  if( p->rc==0 ) memcpy(pKind->aClass, aClass, (size_t)n);
}

/* The order of two strings of bytes, shorter first. */
static int seqBytesCmp(const u8 *a, int na, const u8 *b, int nb){
  int n = na<nb ? na : nb;
  int c = n>0 ? memcmp(a, b, (size_t)n) : 0;
  return c ? c : (na>nb) - (na<nb);
}

int acdcSeqCmp(const AcdcSeqKind *pKind, const AcdcSeq *pA, const AcdcSeq *pB){
  u8 aA[ACDC_SEQ_SPARE], aB[ACDC_SEQ_SPARE];
  const u8 *a, *b;
  int na, nb;
  if( pA->isInt && pB->isInt ){
    return (pA->iOrd>pB->iOrd) - (pA->iOrd<pB->iOrd);
  }
  a = acdcSeqOrd(pKind, pA, aA, &na);
  b = acdcSeqOrd(pKind, pB, aB, &nb);
  return seqBytesCmp(a, na, b, nb);
}

const u8 *acdcSeqPartOrd(u8 eClass, const AcdcSeq *pS, u8 *aBuf, int *pn){
  if( !pS->isInt ){
    *pn = pS->nOrd;
    return pS->pOrd;
  }
  if( eClass==ACDC_SEQ_INSTANT ){
    acdcInstantOrd(pS->iOrd, aBuf);
    *pn = 8;
  }else{
    AcdcDec dec;
    acdcDecInt(&dec, pS->iOrd);
    *pn = acdcDecOrd(&dec, aBuf);
  }
  return aBuf;
}

const u8 *acdcSeqOrd(
  const AcdcSeqKind *pKind,
  const AcdcSeq *pS,
  u8 *aBuf,
  int *pn
){
  return acdcSeqPartOrd(pKind->aClass[0], pS, aBuf, pn);
}

/* Is the state form of this kind a BLOB of order bytes? */
static int seqKeptAsOrd(const AcdcSeqKind *pKind){
  return pKind->nPart>1 || pKind->aClass[0]==ACDC_SEQ_INSTANT;
}

void acdcSeqToState(
  AcdcCtx *p,
  const AcdcSeqKind *pKind,
  const AcdcSeq *pS,
  AcdcArena *pA,
  AcdcVal *pOut
){
  if( !seqKeptAsOrd(pKind) ){
    *pOut = pS->shown;
    return;
  }
  pOut->eType = SQLITE_BLOB;
  pOut->n = pS->nOrd;
  pOut->u.z = pS->pOrd;
  if( pS->isInt ){
    u8 *a = acdcArenaAlloc(p, pA, 8);
    pOut->n = 0;
    pOut->u.z = a;
    if( a==0 ) return;
    acdcInstantOrd(pS->iOrd, a);
    pOut->n = 8;
  }
}

/*
** The bytes of *pV and *pShown are borrowed, as acdcSeqRead() does.
*/
void acdcSeqFromState(
  AcdcCtx *p,
  const AcdcSeqKind *pKind,
  const AcdcVal *pV,
  const AcdcVal *pShown,
  AcdcArena *pA,
  AcdcSeq *pOut
){
  if( p->rc ) return;
  if( pV->eType==SQLITE_NULL || (seqKeptAsOrd(pKind)
   && (pV->eType!=SQLITE_BLOB || pV->n<(pKind->nPart>1 ? 1 : 8)))
  ){
    seqError(p, pV, 0, "in a state table is not of the kind that the target "
             "has: autocdc_check() tells what is broken");
    return;
  }
  if( seqKeptAsOrd(pKind) ){
    pOut->isInt = pKind->nPart==1 && pV->n==8;
    pOut->iOrd = pOut->isInt ? acdcInstantFromOrd(pV->u.z) : 0;
    pOut->pOrd = pOut->isInt ? 0 : pV->u.z;
    pOut->nOrd = pOut->isInt ? 0 : pV->n;
    pOut->shown = *pV;
  }else if( acdcSeqPart(p, pKind->aClass[0], 0, pV, 0, pA, pOut)==0 ){
    return;
  }
  if( pShown ) pOut->shown = *pShown;
}
