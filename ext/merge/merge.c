/*
** One merge from a source to a target.
*/
#include "merge.h"

#define MERGE_MEMORY  (36*1024*1024)   /* bytes for sorting, by default */

void acdcMergeNote(AcdcMerge *pM, int bWarn, const char *zFmt, ...){
  va_list ap;
  char *z;
  if( pM->p->rc ) return;
  va_start(ap, zFmt);
  z = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  if( z==0 ){
    acdcError(pM->p, SQLITE_NOMEM, "out of memory");
    return;
  }
  acdcNamesAdd(pM->p, &pM->notes, z, -1);
  sqlite3_free(z);
  if( bWarn ) pM->bWarn = 1;
}

void acdcMergeOpen(
  AcdcCtx *p, AcdcMerge *pM, const AcdcFlow *pFlow, AcdcSource *pSrc
){
  memset(pM, 0, sizeof(*pM));
  pM->p = p;
  pM->pFlow = pFlow;
  pM->pSrc = pSrc;
  pM->iStart = pM->iEnd = pM->iSysStart = pM->iSysEnd = -1;
  pM->st.floor.eType = SQLITE_NULL;
  pM->version.shown.eType = SQLITE_NULL;
  if( p->rc ) return;
  acdcTargetOpen(pM);
}

int acdcStartNative(AcdcMerge *pM, int iCol, const AcdcSeqKind *pKind){
  const AcdcColumn *pC = &pM->tgt.aCol[iCol];
  if( !acdcSeqNative(pKind) ) return 0;
  if( pC->zColl && sqlite3_stricmp(pC->zColl, "BINARY")!=0 ) return 0;
  return !(pKind->aClass[0]==ACDC_SEQ_NUMBER && pC->cAff=='B');
}

/* Facts that hold once the class of the sequence is known. */
void acdcMergeFacts(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  AcdcState *pSt = &pM->st;
  pM->bNative = 0;
  if( pM->pFlow->eScd!=ACDC_SCD1 && pM->iStart>=0 ){
    pM->bNative = (u8)acdcStartNative(pM, pM->iStart, &pSt->kind);
  }
  if( pSt->bEvents ){
    pSt->bHidden = (u8)acdcSelectInt(p, 0,
        "SELECT EXISTS(SELECT 1 FROM \"%w\".autocdc_event_%lld)",
        pM->tgt.zSchema, pSt->iId);
  }
  pM->bFloor = pSt->floor.eType!=SQLITE_NULL;
  if( pM->bFloor ){
    acdcSeqFromState(p, &pSt->kind, &pSt->floor, 0, &pM->arena, &pM->floor);
  }
}

static void mergeTieNote(AcdcMerge *pM){
  if( pM->n.nTie==0 ) return;
  acdcMergeNote(pM, 1, "%lld tie%s (different changes of one key at one "
      "sequence), first %s: %s; make the sequence unique per key%s", pM->n.nTie,
      pM->n.nTie==1 ? "" : "s", pM->zFirstTie ? pM->zFirstTie : "",
      pM->pFlow->eTieBreak==ACDC_TIE_FIRST ? "the earlier arrival stands"
                                           : "the later arrival stands",
      pM->pSrc->bAppend || pM->pSrc->pReader ? ""
          : "; this source is read whole each time, so ties with other sources "
            "are not stable");
}

void acdcMergeApply(AcdcMerge *pM){
  pM->bMemory = acdcSorterInMemory(pM->pSorter);
  if( pM->pFlow->bSnapshot ){
    acdcSnapshotRun(pM);
  }else if( pM->pFlow->eScd==ACDC_SCD1 ){
    acdcScd1Run(pM);
  }else if( pM->pFlow->eScd==ACDC_BITEMPORAL ){
    acdcBitemporalRun(pM);
  }else{
    acdcScd2Run(pM);
  }
}

void acdcMergeRun(AcdcMerge *pM, const AcdcMergeOpts *pOpts){
  AcdcCtx *p = pM->p;
  if( p->rc || pM->eSkip ) return;
  pM->nMemory = pOpts->nMemory>0 ? pOpts->nMemory : MERGE_MEMORY;
  pM->pW = acdcWriterNew(pM);
  pM->pSorter = acdcSorterNew(p, pM->nMemory, &pM->st.kind);
  if( p->rc ) return;
  acdcMergeFacts(pM);
  if( pM->pFlow->eScd==ACDC_SCD1 && !pM->pFlow->bSnapshot ) acdcScd1Reduce(pM);
  if( pM->pFlow->bSnapshot ) acdcSnapshotBegin(pM);
  acdcCollect(pM, pOpts);
  if( pM->pSnap ) acdcSnapshotEnd(pM);
  acdcSorterFinish(p, pM->pSorter);
  if( p->rc ) return;
  if( pM->pKept && (pM->bSeqOther
      || pM->st.kind.aClass[0]==ACDC_SEQ_INSTANT) ){
    acdcStateUnkeep(pM);
  }
  acdcMergeFacts(pM);
  acdcMergeApply(pM);
  acdcStateSave(p, pM->tgt.zSchema, pM->tgt.zName, &pM->st);
  mergeTieNote(pM);
}

void acdcMergeClose(AcdcMerge *pM){
  int i;
  acdcSnapshotFree(pM->p, pM->pSnap);
  acdcWriterFree(pM->p, pM->pW);
  acdcSorterFree(pM->pSorter);
  acdcStateClear(&pM->st);
  acdcTableClear(&pM->tgt);
  for(i=0; i<pM->nVal && pM->aVal; i++) sqlite3_free(pM->aVal[i].zName);
  sqlite3_free(pM->aVal);
  sqlite3_free(pM->zTgtSql);
  sqlite3_free(pM->emit.a);
  sqlite3_free(pM->fullMask.a);
  sqlite3_free(pM->allMask.a);
  sqlite3_free(pM->aNewMark);
  sqlite3_free(pM->zFirstTie);
  sqlite3_free(pM->zExpect);
  acdcNamesFree(&pM->notes);
  acdcArenaFree(&pM->arena);
  memset(pM, 0, sizeof(*pM));
}
