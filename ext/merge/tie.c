/*
** Ties: two events of one key at one sequence (semantics.md 2.6).
*/
#include "merge.h"

char *acdcKeyText(AcdcMerge *pM, const AcdcVal *aKey){
  char *z = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    char *zVal = acdcValText(pM->p, &aKey[i]);
    acdcAppendf(pM->p, &z, "%s%s=%s", i ? ", " : "", pM->aKey[i].zName, zVal);
    sqlite3_free(zVal);
  }
  return z;
}

char *acdcSeqText(AcdcMerge *pM, const AcdcSeq *pSeq){
  AcdcVal v = pSeq->shown;
  if( pM->st.kind.nPart==1 && pM->st.kind.aClass[0]==ACDC_SEQ_INSTANT
   && pSeq->isInt && v.eType!=SQLITE_TEXT
  ){
    /* SCD1 keeps no text of instants: microseconds since 1970 */
    return acdcSelectText(pM->p, "SELECT strftime('%%Y-%%m-%%d %%H:%%M:%s', "
        "%lld/1000000.0, 'unixepoch')", pSeq->iOrd%1000000 ? "%f" : "%S",
        pSeq->iOrd);
  }
  if( v.eType==SQLITE_NULL || v.eType==0 ){
    v.eType = SQLITE_INTEGER;
    v.u.i = pSeq->iOrd;
  }
  return acdcValText(pM->p, &v);
}

void acdcTieCount(AcdcMerge *pM, const AcdcVal *aKey, const AcdcSeq *pSeq){
  char *zKey = 0, *zSeq = 0;
  if( pM->pFlow->eTieBreak==ACDC_TIE_ERROR || pM->zFirstTie==0 ){
    zKey = acdcKeyText(pM, aKey);
    zSeq = acdcSeqText(pM, pSeq);
  }
  if( pM->pFlow->eTieBreak==ACDC_TIE_ERROR ){
    acdcError(pM->p, SQLITE_CONSTRAINT, "tie: two different events of key %s "
        "at sequence %s, and tie_break is \"error\": make the sequence unique "
        "per key, for example with a second part in sequence_by", zKey, zSeq);
  }else if( pM->zFirstTie==0 ){
    pM->zFirstTie = acdcMprintf(pM->p, "key %s at sequence %s", zKey, zSeq);
  }
  pM->n.nTie++;
  sqlite3_free(zKey);
  sqlite3_free(zSeq);
}

/* Did the standing event author everything that the new one does, equally? */
int acdcTieSame(
  const AcdcMerge *pM, const AcdcEvent *pOld, const AcdcEvent *pNew
){
  int i;
  if( pOld->eKind!=pNew->eKind ) return 0;
  if( pOld->eKind!=ACDC_UPSERT ) return 1;
  if( pNew->bAlone && pM->bPartial ){
    for(i=0; i<pM->nVal; i++){
      if( acdcBit(&pOld->mask, i)!=acdcBit(&pNew->mask, i) ) return 0;
    }
  }
  for(i=0; i<pM->nVal; i++){
    if( pM->bPartial ){
      if( !acdcBit(&pNew->mask, i) ) continue;
      if( !acdcBit(&pOld->mask, i) ) return 0;
    }else if( pM->aVal[i].iSrc<0 && pM->pFlow->eScd==ACDC_SCD1 ){
      continue;
    }
    if( !acdcValIs(&pOld->aVal[i], &pNew->aVal[i]) ) return 0;
  }
  return 1;
}

/* Two upserts under partial updates, column by column. */
static int tieColumns(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, AcdcEvent *pOld,
  const AcdcEvent *pNew
){
  int i, bConflict = 0, bTook = 0;
  int bFirst = pM->pFlow->eTieBreak==ACDC_TIE_FIRST;
  u8 *aMask = acdcArenaAlloc(pM->p, pA, pM->emit.nByte+1);
  AcdcVal *aVal = acdcArenaAlloc(pM->p, pA, sizeof(AcdcVal)*(pM->nVal+1));
  if( pM->p->rc ) return ACDC_TIE_KEPT;
  memset(aMask, 0, pM->emit.nByte+1);
  for(i=0; i<pM->nVal; i++){
    int bOld = acdcBit(&pOld->mask, i), bNew = acdcBit(&pNew->mask, i);
    aVal[i] = pOld->aVal[i];
    if( bNew && bOld && !acdcValIs(&pOld->aVal[i], &pNew->aVal[i]) ){
      bConflict = 1;
    }
    if( bNew && (!bOld || !bFirst) ){
      if( !bOld || !acdcValIs(&aVal[i], &pNew->aVal[i]) ) bTook = 1;
      aVal[i] = pNew->aVal[i];
    }
    if( bOld || bNew ) aMask[i/8] |= (u8)(1<<(i&7));
  }
  if( bConflict ) acdcTieCount(pM, aKey, &pNew->seq);
  if( !bTook ) return ACDC_TIE_KEPT;
  pOld->aVal = aVal;
  pOld->mask.a = aMask;
  pOld->mask.nByte = pM->emit.nByte;
  pOld->mask.bRest = pOld->mask.bRest | pNew->mask.bRest;
  return ACDC_TIE_TOOK;
}

int acdcTieResolve(
  AcdcMerge *pM, AcdcArena *pA, const AcdcVal *aKey, AcdcEvent *pOld,
  const AcdcEvent *pNew
){
  AcdcSeq seq;
  if( acdcTieSame(pM, pOld, pNew) ) return ACDC_TIE_SAME;
  if( pM->bPartial && !pNew->bAlone
   && pOld->eKind==ACDC_UPSERT && pNew->eKind==ACDC_UPSERT
  ){
    return tieColumns(pM, pA, aKey, pOld, pNew);
  }
  acdcTieCount(pM, aKey, &pNew->seq);
  if( pM->pFlow->eTieBreak==ACDC_TIE_FIRST ) return ACDC_TIE_KEPT;
  seq = pOld->seq;                 /* the form in which it stands already */
  if( !pOld->bOld ) seq = pNew->seq;
  pOld->bAlone = pNew->bAlone || pOld->eKind==ACDC_DELETE;
  pOld->eKind = pNew->eKind;
  pOld->iGen = pNew->iGen;
  pOld->mask = pNew->mask;
  pOld->aVal = pNew->aVal;
  pOld->seq = seq;
  return ACDC_TIE_TOOK;
}
