/*
** The kind of a sequence: its names, its text in the catalog, and whether
** plain SQL order will do.
**
** The text of one part is the letter of its class, or "?" while no event has
** been seen.  An instant adds ":form", the written form that all instants had
** so far, or "!" if there was more than one.  The parts of a composite are
** letters with commas between; forms do not matter to it.
*/
#include "seqint.h"

const char *acdcSeqClassName(u8 eClass){
  switch( eClass ){
    case ACDC_SEQ_NUMBER:  return "number";
    case ACDC_SEQ_INSTANT: return "instant";
    case ACDC_SEQ_TEXT:    return "text";
    case ACDC_SEQ_BLOB:    return "blob";
  }
  return "unknown";
}

int acdcSeqNative(const AcdcSeqKind *pKind){
  if( pKind->nPart!=1 ) return 0;
  switch( pKind->aClass[0] ){
    case ACDC_SEQ_NUMBER:
    case ACDC_SEQ_TEXT:
    case ACDC_SEQ_BLOB:
      return 1;
    case ACDC_SEQ_INSTANT:
      return !pKind->bMixedForm && acdcInstantFormNative(pKind->zForm);
  }
  return 0;
}

char *acdcSeqKindText(AcdcCtx *p, const AcdcSeqKind *pKind){
  char *z = 0;
  int i;
  for(i=0; i<pKind->nPart; i++){
    u8 c = pKind->aClass[i];
    acdcAppendf(p, &z, "%s%c", i ? "," : "", c ? c : '?');
  }
  if( pKind->nPart==1 && pKind->aClass[0]==ACDC_SEQ_INSTANT ){
    if( pKind->bMixedForm ){
      acdcAppendf(p, &z, "!");
    }else if( pKind->zForm[0] ){
      acdcAppendf(p, &z, ":%s", pKind->zForm);
    }
  }
  return z;
}

/* The class that a letter stands for, or -1. */
static int kindClass(char c){
  switch( c ){
    case '?':              return ACDC_SEQ_UNKNOWN;
    case ACDC_SEQ_NUMBER:
    case ACDC_SEQ_INSTANT:
    case ACDC_SEQ_TEXT:
    case ACDC_SEQ_BLOB:    return c;
  }
  return -1;
}

/* Parse z.  Returns 0 if it is no text of a kind. */
static int kindParse(const char *z, AcdcSeqKind *pOut){
  for(;;){
    int c = kindClass(z[0]);
    if( c<0 || pOut->nPart>=ACDC_SEQ_MAXPART ) return 0;
    pOut->aClass[pOut->nPart++] = (u8)c;
    z++;
    if( z[0]!=',' ) break;
    z++;
  }
  if( z[0]==0 ) return 1;
  if( pOut->nPart!=1 || pOut->aClass[0]!=ACDC_SEQ_INSTANT ) return 0;
  if( z[0]=='!' && z[1]==0 ){
    pOut->bMixedForm = 1;
    return 1;
  }
  if( z[0]!=':' || strlen(z+1)>=sizeof(pOut->zForm) ) return 0;
  memcpy(pOut->zForm, z+1, strlen(z+1)+1);
  return 1;
}

/* How columns are declared is no part of the text: aInstant[] is zero. */
void acdcSeqKindParse(AcdcCtx *p, const char *z, AcdcSeqKind *pOut){
  memset(pOut, 0, sizeof(*pOut));
  if( p->rc ) return;
  if( z==0 || !kindParse(z, pOut) ){
    memset(pOut, 0, sizeof(*pOut));
    acdcError(p, SQLITE_CORRUPT, "the catalog has \"%s\" as the kind of "
        "a sequence, which is none: begin anew with autocdc_reset()",
        z ? z : "NULL");
  }
}
