/*
** Events into (key, sequence, arrival) order with bounded memory.
**
** Entries are collected into an arena.  When the arena is full they are
** sorted and either reduced (SCD1 needs the last event of a key only) or
** written as one run to a temporary file; runs are merged when read.
** Integer keys and sequences, and codes that fit 8 bytes behind what all of
** them begin with, are sorted by radix on the entry's two words; other codes
** by merge sort with the words first.
*/
#include "merge.h"

#define SORTER_IO  (64*1024)       /* bytes read or written at once */
#define SORTER_WINDOWS  4          /* words of a code that radix sort looks at */

/* One sorted run in the temporary file. */
typedef struct SorterRun SorterRun;
struct SorterRun {
  i64 iOff;              /* Next byte to read */
  i64 iEnd;              /* First byte after the run */
  u8 *aBuf;              /* Owned */
  int nBuf, nAlloc;      /* Bytes in aBuf, allocated */
  int iBuf;              /* Next byte of aBuf */
  AcdcEntry cur;         /* Current entry; record inside aBuf */
  int nCur;              /* Bytes of the record */
  u8 bEof;
};

struct AcdcSorter {
  const AcdcSeqKind *pKind;  /* Not owned */
  i64 nMemory;           /* Budget in bytes */
  AcdcArena arena;       /* Records: u32 length, bytes */
  AcdcEntry *aEntry;     /* Owned */
  AcdcEntry *aTmp;       /* Scratch for sorting.  Owned */
  int nEntry, nAlloc;
  int nTmp;
  i64 nTotal;            /* Entries ever added */
  int nCommon;           /* Bytes that all key codes begin with; -1: none yet */
  const u8 *aCommon;     /* A key code to compare with */
  int nMaxCode;          /* Length of the longest key code */
  u8 bCode;              /* Keys have codes */
  u8 bSeqCode;           /* Some sequence was no integer */
  void *pReduceArg;
  void (*xReduce)(void*, const AcdcEntry*, int, u8*);
  u8 *aKeep;             /* What xReduce says.  Owned */
  int nKeepAlloc;
  sqlite3_vfs *pVfs;     /* Of the temporary file */
  sqlite3_file *pFile;   /* Owned; NULL while nothing was spilled */
  i64 nFile;
  u8 *aOut;              /* Write buffer.  Owned */
  int nOut;
  SorterRun *aRun;       /* Owned */
  int nRun;
  int *aHeap;            /* Runs by current entry; nRun is the memory run */
  int nHeap;
  int iMem;              /* Next entry of the memory run */
  AcdcArena group;       /* Records of the group that is out */
  AcdcEntry *aGroup;     /* Owned */
  int nGroupAlloc;
};

AcdcSorter *acdcSorterNew(AcdcCtx *p, i64 nMemory, const AcdcSeqKind *pKind){
  AcdcSorter *pS = acdcMalloc(p, sizeof(*pS));
  if( pS ){
    pS->pKind = pKind;
    pS->nMemory = nMemory;
    pS->nCommon = -1;
  }
  return pS;
}

void acdcSorterFree(AcdcSorter *pS){
  int i;
  if( pS==0 ) return;
  acdcArenaFree(&pS->arena);
  acdcArenaFree(&pS->group);
  sqlite3_free(pS->aEntry);
  sqlite3_free(pS->aTmp);
  sqlite3_free(pS->aGroup);
  sqlite3_free(pS->aOut);
  sqlite3_free(pS->aKeep);
  for(i=0; i<pS->nRun; i++) sqlite3_free(pS->aRun[i].aBuf);
  sqlite3_free(pS->aRun);
  sqlite3_free(pS->aHeap);
  if( pS->pFile ){
    if( pS->pFile->pMethods ) pS->pFile->pMethods->xClose(pS->pFile);
    sqlite3_free(pS->pFile);
  }
  sqlite3_free(pS);
}

int acdcSorterInMemory(const AcdcSorter *pS){
  return pS->nRun==0;
}

i64 acdcSorterCount(AcdcSorter *pS){
  return pS->nTotal;
}

void acdcSorterReduce(
  AcdcSorter *pS, void *pArg,
  void (*xReduce)(void*, const AcdcEntry*, int, u8*)
){
  pS->pReduceArg = pArg;
  pS->xReduce = xReduce;
}

/* The key code of an entry, or NULL if the key is an integer. */
static const u8 *sorterKeyCode(const AcdcEntry *pE, int *pn){
  u64 n;
  const u8 *a;
  if( (pE->pRec[0] & ACDC_REC_KEY)==0 ){
    *pn = 0;
    return 0;
  }
  a = acdcVarintGet(pE->pRec+1, &n);
  *pn = (int)n;
  return a;
}

/* The sequence code of an entry, made in aBuf if it is an integer. */
static const u8 *sorterSeqCode(
  const AcdcSorter *pS, const AcdcEntry *pE, u8 *aBuf, int *pn
){
  AcdcSeq seq;
  const u8 *a = pE->pRec + 1;
  u64 n;
  if( pE->pRec[0] & ACDC_REC_KEY ){
    a = acdcVarintGet(a, &n);
    a += n;
  }
  if( pE->pRec[0] & ACDC_REC_SEQ ){
    a = acdcVarintGet(a, &n);
    *pn = (int)n;
    return a;
  }
  memset(&seq, 0, sizeof(seq));
  seq.isInt = 1;
  seq.iOrd = (i64)(pE->b ^ ((u64)1<<63));
  return acdcSeqOrd(pS->pKind, &seq, aBuf, pn);
}

static int sorterCmpBytes(const u8 *a, int na, const u8 *b, int nb){
  int c = memcmp(a, b, na<nb ? na : nb);
  return c ? c : na - nb;
}

/*
** Without codes the words say all, and the records, which are not in the
** cache, need not be touched.
*/
static int sorterSameKey(
  const AcdcSorter *pS, const AcdcEntry *pA, const AcdcEntry *pB
){
  int na, nb;
  const u8 *a, *b;
  if( !pS->bCode ) return pA->a==pB->a;
  if( ((pA->pRec[0] | pB->pRec[0]) & ACDC_REC_KEY)==0 ) return pA->a==pB->a;
  a = sorterKeyCode(pA, &na);
  b = sorterKeyCode(pB, &nb);
  return na==nb && a && b && memcmp(a, b, na)==0;
}

static int sorterCmpSeq(
  const AcdcSorter *pS, const AcdcEntry *pA, const AcdcEntry *pB
){
  u8 aBufA[ACDC_SEQ_SPARE], aBufB[ACDC_SEQ_SPARE];
  const u8 *a, *b;
  int na, nb;
  if( ((pA->pRec[0] | pB->pRec[0]) & ACDC_REC_SEQ)==0 ){
    return pA->b<pB->b ? -1 : pA->b>pB->b;
  }
  a = sorterSeqCode(pS, pA, aBufA, &na);
  b = sorterSeqCode(pS, pB, aBufB, &nb);
  return sorterCmpBytes(a, na, b, nb);
}

/* Order by key, then by sequence.  Equal ones keep their order of arrival. */
static int sorterCmp(
  const AcdcSorter *pS, const AcdcEntry *pA, const AcdcEntry *pB
){
  if( pA->a!=pB->a ) return pA->a<pB->a ? -1 : 1;
  if( pA->pRec[0] & ACDC_REC_KEY ){
    int na, nb, c;
    const u8 *a = sorterKeyCode(pA, &na);
    const u8 *b = sorterKeyCode(pB, &nb);
    c = sorterCmpBytes(a, na, b, nb);
    if( c ) return c;
  }
  return sorterCmpSeq(pS, pA, pB);
}

static u64 sorterWord(const u8 *a, int n){
  u64 v = 0;
  int i;
  if( n>=8 ){
    for(i=0; i<8; i++) v = (v<<8) | a[i];
    return v;
  }
  for(i=0; i<n; i++) v = (v<<8) | a[i];
  return n>0 ? v<<(8*(8-n)) : 0;
}

/*
** Set the key words of entries that have codes: 8 bytes of the code, iSkip bytes
** behind what all codes begin with, so that "customer-0001234" still gives
** different words.  (So words of runs in the file do not compare with those of
** other runs: the merge of runs looks at the whole code.)
*/
static void sorterSetWords(AcdcSorter *pS, int iSkip){
  int i, n;
  int nSkip = (pS->nCommon>0 ? pS->nCommon : 0) + iSkip;
  for(i=0; i<pS->nEntry; i++){
    AcdcEntry *pE = &pS->aEntry[i];
    if( pE->pRec[0] & ACDC_REC_KEY ){
      const u8 *a = sorterKeyCode(pE, &n);
      pE->a = n>nSkip ? sorterWord(a+nSkip, n-nSkip) : 0;
    }
  }
}

/*
** Stable radix sort on the key word, and first on the sequence word if bSeq;
** bytes that do not differ are left out.
*/
static void sorterRadix(AcdcSorter *pS, int bSeq){
  AcdcEntry *aFrom = pS->aEntry, *aTo = pS->aTmp;
  int i, iDigit, n = pS->nEntry;
  u64 mA = 0, mB = 0;
  u32 aHist[256];
  for(i=1; i<n; i++){
    mA |= aFrom[i].a ^ aFrom[0].a;
    mB |= aFrom[i].b ^ aFrom[0].b;
  }
  for(iDigit=bSeq ? 0 : 8; iDigit<16; iDigit++){
    int iShift = 8*(iDigit & 7);
    int bKey = iDigit>=8;
    u32 iSum = 0;
    if( (((bKey ? mA : mB)>>iShift) & 0xff)==0 ) continue;
    memset(aHist, 0, sizeof(aHist));
    if( bKey ){
      for(i=0; i<n; i++) aHist[(aFrom[i].a>>iShift) & 0xff]++;
    }else{
      for(i=0; i<n; i++) aHist[(aFrom[i].b>>iShift) & 0xff]++;
    }
    for(i=0; i<256; i++){
      u32 c = aHist[i];
      aHist[i] = iSum;
      iSum += c;
    }
    if( bKey ){
      for(i=0; i<n; i++) aTo[aHist[(aFrom[i].a>>iShift) & 0xff]++] = aFrom[i];
    }else{
      for(i=0; i<n; i++) aTo[aHist[(aFrom[i].b>>iShift) & 0xff]++] = aFrom[i];
    }
    { AcdcEntry *aSwap = aFrom; aFrom = aTo; aTo = aSwap; }
  }
  pS->aEntry = aFrom;
  pS->aTmp = aTo;
}

/* Stable bottom-up merge sort on the whole order. */
static void sorterMergeSort(AcdcSorter *pS){
  AcdcEntry *aFrom = pS->aEntry, *aTo = pS->aTmp;
  int n = pS->nEntry, nRun, i;
  for(i=0; i<n; i+=16){            /* insertion sort of short stretches */
    int iEnd = i+16<n ? i+16 : n, j, k;
    for(j=i+1; j<iEnd; j++){
      AcdcEntry e = aFrom[j];
      for(k=j; k>i && sorterCmp(pS, &aFrom[k-1], &e)>0; k--){
        aFrom[k] = aFrom[k-1];
      }
      aFrom[k] = e;
    }
  }
  for(nRun=16; nRun<n; nRun*=2){
    for(i=0; i<n; i+=2*nRun){
      int iA = i, iB = i+nRun<n ? i+nRun : n;
      int iEndA = iB, iEndB = i+2*nRun<n ? i+2*nRun : n, iOut = i;
      if( iB>=iEndB || sorterCmp(pS, &aFrom[iB-1], &aFrom[iB])<=0 ){
        memcpy(&aTo[i], &aFrom[i], (size_t)(iEndB-i)*sizeof(AcdcEntry));
        continue;
      }
      while( iA<iEndA && iB<iEndB ){
        if( sorterCmp(pS, &aFrom[iA], &aFrom[iB])<=0 ){
          aTo[iOut++] = aFrom[iA++];
        }else{
          aTo[iOut++] = aFrom[iB++];
        }
      }
      while( iA<iEndA ) aTo[iOut++] = aFrom[iA++];
      while( iB<iEndB ) aTo[iOut++] = aFrom[iB++];
    }
    { AcdcEntry *aSwap = aFrom; aFrom = aTo; aTo = aSwap; }
  }
  pS->aEntry = aFrom;
  pS->aTmp = aTo;
}

/*
** By radix as far as words tell: codes of up to SORTER_WINDOWS words, from the
** last word to the first.
*/
static void sorterSort(AcdcCtx *p, AcdcSorter *pS){
  int nWindow = 1, i;
  if( pS->bCode ){
    nWindow = (pS->nMaxCode - (pS->nCommon>0 ? pS->nCommon : 0) + 7)/8;
    if( nWindow<1 ) nWindow = 1;
    sorterSetWords(pS, 0);
  }
  for(i=1; i<pS->nEntry; i++){     /* an ordered log needs no sort */
    if( sorterCmp(pS, &pS->aEntry[i-1], &pS->aEntry[i])>0 ) break;
  }
  if( i>=pS->nEntry ) return;
  if( pS->nTmp<pS->nAlloc ){
    AcdcEntry *aNew = acdcRealloc(p, pS->aTmp,
                                  sizeof(AcdcEntry)*(i64)pS->nAlloc);
    if( aNew==0 ) return;
    pS->aTmp = aNew;
    pS->nTmp = pS->nAlloc;
  }
  if( pS->bSeqCode || nWindow>SORTER_WINDOWS || pS->nEntry<=64 ){
    sorterMergeSort(pS);
    return;
  }
  for(i=nWindow-1; i>=0; i--){
    if( nWindow>1 ) sorterSetWords(pS, 8*i);
    sorterRadix(pS, i==nWindow-1);
  }
}

/*
** Records lie in order of arrival: those of entries iFrom to iTo, which are soon
** to be read, are not in the cache.
*/
static void sorterPrefetch(const AcdcSorter *pS, int iFrom, int iTo){
#if defined(__GNUC__)
  int i;
  if( iTo>pS->nEntry ) iTo = pS->nEntry;
  for(i=iFrom; i<iTo; i++) __builtin_prefetch(pS->aEntry[i].pRec);
#else
  ACDC_UNUSED(pS); ACDC_UNUSED(iFrom); ACDC_UNUSED(iTo);
#endif
}

/*
** Leave out the entries that xReduce lets go.  Returns the bytes of what stays;
** its records are where they were.
*/
static i64 sorterDrop(AcdcCtx *p, AcdcSorter *pS){
  int i = 0, nKeep = 0;
  i64 nByte = 0;
  while( i<pS->nEntry && p->rc==0 ){
    AcdcEntry *aE = &pS->aEntry[i];
    int n = 1, j;
    while( i+n<pS->nEntry && sorterSameKey(pS, aE, &aE[n]) ) n++;
    sorterPrefetch(pS, i+24, i+24+n);
    if( n>pS->nKeepAlloc ){
      u8 *aNew = acdcRealloc(p, pS->aKeep, (i64)n*2);
      if( aNew==0 ) break;
      pS->aKeep = aNew;
      pS->nKeepAlloc = n*2;
    }
    memset(pS->aKeep, 1, n);
    if( n>1 ) pS->xReduce(pS->pReduceArg, aE, n, pS->aKeep);
    for(j=0; j<n; j++){
      u32 nRec;
      if( !pS->aKeep[j] ) continue;
      memcpy(&nRec, aE[j].pRec-4, 4);
      nByte += nRec + 4 + 2*sizeof(AcdcEntry);
      pS->aEntry[nKeep++] = aE[j];
    }
    i += n;
  }
  pS->nEntry = nKeep;
  return nByte;
}

/* Move the records that stayed to a fresh arena. */
static void sorterCompact(AcdcCtx *p, AcdcSorter *pS){
  AcdcArena old = pS->arena;
  int i;
  memset(&pS->arena, 0, sizeof(pS->arena));
  pS->nCommon = -1;
  pS->nMaxCode = 0;
  for(i=0; i<pS->nEntry && p->rc==0; i++){
    AcdcEntry *pE = &pS->aEntry[i];
    u32 nRec;
    u8 *a;
    memcpy(&nRec, pE->pRec-4, 4);
    a = acdcArenaAlloc(p, &pS->arena, (i64)nRec+4);
    if( a==0 ) break;
    memcpy(a, pE->pRec-4, (size_t)nRec+4);
    pE->pRec = a+4;
  }
  if( p->rc ) pS->nEntry = 0;            /* some would point to what is gone */
  acdcArenaFree(&old);
  for(i=0; i<pS->nEntry && pS->bCode; i++){
    int n;
    const u8 *a = sorterKeyCode(&pS->aEntry[i], &n);
    int j;
    if( n>pS->nMaxCode ) pS->nMaxCode = n;
    if( pS->nCommon<0 ){
      pS->nCommon = n;
      pS->aCommon = a;
    }
    for(j=0; j<pS->nCommon && j<n && a[j]==pS->aCommon[j]; j++);
    pS->nCommon = j;
  }
}

/* ---- the temporary file ---- */

static void sorterFileOpen(AcdcCtx *p, AcdcSorter *pS){
  int rc, fOut;
  pS->pVfs = sqlite3_vfs_find(0);
  pS->pFile = acdcMalloc(p, pS->pVfs->szOsFile);
  pS->aOut = acdcMalloc(p, SORTER_IO);
  if( p->rc ) return;
  rc = pS->pVfs->xOpen(pS->pVfs, 0, pS->pFile,
      SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE, &fOut);
  if( rc ){
    acdcError(p, rc, "cannot open a temporary file to sort the changes in: "
        "check the folder that SQLITE_TMPDIR or TMPDIR names, or give more "
        "memory with the option memory_mb");
  }
}

static void sorterFlush(AcdcCtx *p, AcdcSorter *pS){
  if( p->rc==0 && pS->nOut ){
    int rc = pS->pFile->pMethods->xWrite(pS->pFile, pS->aOut, pS->nOut,
                                         pS->nFile);
    if( rc ){
      acdcError(p, rc, "cannot write the temporary file that sorts the "
          "changes: is the disk of the temporary folder full?");
    }
    pS->nFile += pS->nOut;
    pS->nOut = 0;
  }
}

static void sorterWrite(AcdcCtx *p, AcdcSorter *pS, const void *pData, int n){
  const u8 *a = pData;
  while( n>0 && p->rc==0 ){
    int nFit = SORTER_IO - pS->nOut;
    if( nFit>n ) nFit = n;
    memcpy(pS->aOut + pS->nOut, a, nFit);
    pS->nOut += nFit;
    a += nFit;
    n -= nFit;
    if( pS->nOut==SORTER_IO ) sorterFlush(p, pS);
  }
}

static void sorterSpill(AcdcCtx *p, AcdcSorter *pS){
  SorterRun *aNew;
  int i;
  if( pS->pFile==0 ) sorterFileOpen(p, pS);
  aNew = acdcRealloc(p, pS->aRun, sizeof(SorterRun)*(pS->nRun+1));
  if( aNew==0 ) return;
  pS->aRun = aNew;
  memset(&aNew[pS->nRun], 0, sizeof(SorterRun));
  aNew[pS->nRun].iOff = pS->nFile;
  for(i=0; i<pS->nEntry; i++){
    const AcdcEntry *pE = &pS->aEntry[i];
    u32 n;
    memcpy(&n, pE->pRec-4, 4);
    sorterWrite(p, pS, &pE->a, 8);
    sorterWrite(p, pS, &pE->b, 8);
    sorterWrite(p, pS, pE->pRec-4, (int)n+4);
  }
  sorterFlush(p, pS);
  aNew[pS->nRun].iEnd = pS->nFile;
  pS->nRun++;
  pS->nEntry = 0;
  acdcArenaReset(&pS->arena);
  pS->nCommon = -1;
  pS->nMaxCode = 0;
}

static i64 sorterUsed(const AcdcSorter *pS){
  return pS->arena.nTotal + 2*sizeof(AcdcEntry)*(i64)pS->nEntry;
}

/* Memory is full: sort, then reduce or write out. */
static void sorterMakeRoom(AcdcCtx *p, AcdcSorter *pS){
  if( acdcInterrupted(p) ) return;
  sorterSort(p, pS);
  if( pS->xReduce && p->rc==0 ){
    i64 nByte = sorterDrop(p, pS);
    if( nByte<pS->nMemory/2 && p->rc==0 ){
      sorterCompact(p, pS);              /* with both copies it is 3/2 at most */
      return;
    }
  }
  if( p->rc==0 ) sorterSpill(p, pS);
}

u8 *acdcSorterAdd(AcdcCtx *p, AcdcSorter *pS, u64 a, u64 b, int n){
  AcdcEntry *pE;
  u8 *pRec;
  u32 nRec = (u32)n;
  if( pS->nEntry>0 && sorterUsed(pS)>=pS->nMemory ) sorterMakeRoom(p, pS);
  if( pS->nEntry>=pS->nAlloc ){
    int nNew = pS->nAlloc ? pS->nAlloc*2 : 1024;
    AcdcEntry *aNew = acdcRealloc(p, pS->aEntry, sizeof(AcdcEntry)*(i64)nNew);
    if( aNew==0 ) return 0;
    pS->aEntry = aNew;
    pS->nAlloc = nNew;
  }
  pRec = acdcArenaAlloc(p, &pS->arena, n+4);
  if( pRec==0 ) return 0;
  memcpy(pRec, &nRec, 4);
  pE = &pS->aEntry[pS->nEntry++];
  pE->a = a;
  pE->b = b;
  pE->pRec = pRec + 4;
  pS->nTotal++;
  return pRec + 4;
}

/*
** Told by the collector after it has filled in a record with codes: what the
** codes have in common.
*/
void acdcSorterCodes(
  AcdcSorter *pS, const u8 *aKey, int nKey, int bSeqCode
){
  if( bSeqCode ) pS->bSeqCode = 1;
  if( aKey ){
    int j, nMax = pS->nCommon<0 ? nKey : pS->nCommon;
    pS->bCode = 1;
    if( nKey>pS->nMaxCode ) pS->nMaxCode = nKey;
    if( pS->nCommon<0 ) pS->aCommon = aKey;
    if( nMax>nKey ) nMax = nKey;
    for(j=0; j<nMax && aKey[j]==pS->aCommon[j]; j++);
    pS->nCommon = j;
  }
}

/* ---- reading ---- */

static void sorterRunFill(AcdcCtx *p, AcdcSorter *pS, SorterRun *pR, int nNeed){
  int nHave = pR->nBuf - pR->iBuf;
  int nRead, rc;
  if( nHave ) memmove(pR->aBuf, pR->aBuf + pR->iBuf, nHave);
  pR->iBuf = 0;
  pR->nBuf = nHave;
  if( nNeed>pR->nAlloc ){
    int nNew = nNeed>SORTER_IO ? nNeed : SORTER_IO;
    u8 *aNew = acdcRealloc(p, pR->aBuf, nNew);
    if( aNew==0 ) return;
    pR->aBuf = aNew;
    pR->nAlloc = nNew;
  }
  nRead = pR->nAlloc - nHave;
  if( nRead>pR->iEnd - pR->iOff ) nRead = (int)(pR->iEnd - pR->iOff);
  if( nRead<=0 ) return;
  rc = pS->pFile->pMethods->xRead(pS->pFile, pR->aBuf+nHave, nRead, pR->iOff);
  if( rc ) acdcError(p, rc, "cannot read back the temporary sort file");
  pR->iOff += nRead;
  pR->nBuf += nRead;
}

static void sorterRunNext(AcdcCtx *p, AcdcSorter *pS, SorterRun *pR){
  u32 n;
  if( pR->nBuf - pR->iBuf<20 ) sorterRunFill(p, pS, pR, 20);
  if( p->rc || pR->nBuf - pR->iBuf<20 ){
    pR->bEof = 1;
    return;
  }
  memcpy(&n, pR->aBuf + pR->iBuf + 16, 4);
  if( pR->nBuf - pR->iBuf<20+(i64)n ){
    sorterRunFill(p, pS, pR, 20+(int)n);
    if( p->rc ){
      pR->bEof = 1;
      return;
    }
  }
  memcpy(&pR->cur.a, pR->aBuf + pR->iBuf, 8);
  memcpy(&pR->cur.b, pR->aBuf + pR->iBuf + 8, 8);
  pR->cur.pRec = pR->aBuf + pR->iBuf + 20;
  pR->nCur = (int)n;
  pR->iBuf += 20 + (int)n;
}

/* Current entry of run i; i==nRun is the run still in memory. */
static const AcdcEntry *sorterCur(const AcdcSorter *pS, int i){
  return i<pS->nRun ? &pS->aRun[i].cur : &pS->aEntry[pS->iMem];
}

static int sorterRunLess(const AcdcSorter *pS, int i, int j){
  const AcdcEntry *pA = sorterCur(pS, i), *pB = sorterCur(pS, j);
  int c;
  if( (pA->pRec[0] & ACDC_REC_KEY) && (pB->pRec[0] & ACDC_REC_KEY) ){
    int na, nb;
    const u8 *a = sorterKeyCode(pA, &na);
    const u8 *b = sorterKeyCode(pB, &nb);
    c = sorterCmpBytes(a, na, b, nb);
    if( c==0 ) c = sorterCmpSeq(pS, pA, pB);
  }else{
    c = sorterCmp(pS, pA, pB);
  }
  return c ? c<0 : i<j;
}

static void sorterSift(AcdcSorter *pS, int i){
  for(;;){
    int iChild = 2*i+1, iTmp;
    if( iChild>=pS->nHeap ) break;
    if( iChild+1<pS->nHeap
     && sorterRunLess(pS, pS->aHeap[iChild+1], pS->aHeap[iChild])
    ){
      iChild++;
    }
    if( !sorterRunLess(pS, pS->aHeap[iChild], pS->aHeap[i]) ) break;
    iTmp = pS->aHeap[i];
    pS->aHeap[i] = pS->aHeap[iChild];
    pS->aHeap[iChild] = iTmp;
    i = iChild;
  }
}

void acdcSorterFinish(AcdcCtx *p, AcdcSorter *pS){
  int i;
  if( p->rc ) return;
  sorterSort(p, pS);
  pS->iMem = 0;
  if( pS->nRun==0 ) return;
  sqlite3_free(pS->aTmp);
  pS->aTmp = 0;
  pS->aHeap = acdcMalloc(p, sizeof(int)*(pS->nRun+1));
  if( p->rc ) return;
  for(i=0; i<pS->nRun; i++){
    sorterRunNext(p, pS, &pS->aRun[i]);
    if( !pS->aRun[i].bEof ) pS->aHeap[pS->nHeap++] = i;
  }
  if( pS->nEntry ) pS->aHeap[pS->nHeap++] = pS->nRun;
  for(i=pS->nHeap/2; i>=0; i--) sorterSift(pS, i);
}

/* Copy the entry at the top of the heap into the group and step past it. */
static void sorterTake(AcdcCtx *p, AcdcSorter *pS, int iSlot){
  int iRun = pS->aHeap[0];
  const AcdcEntry *pE = sorterCur(pS, iRun);
  u32 n;
  u8 *a;
  if( iRun<pS->nRun ){
    n = (u32)pS->aRun[iRun].nCur;
  }else{
    memcpy(&n, pE->pRec-4, 4);
  }
  a = acdcArenaAlloc(p, &pS->group, n);
  if( a==0 ) return;
  memcpy(a, pE->pRec, n);
  pS->aGroup[iSlot] = *pE;
  pS->aGroup[iSlot].pRec = a;
  if( iRun<pS->nRun ){
    sorterRunNext(p, pS, &pS->aRun[iRun]);
    if( pS->aRun[iRun].bEof ) pS->aHeap[0] = pS->aHeap[--pS->nHeap];
  }else if( ++pS->iMem>=pS->nEntry ){
    pS->aHeap[0] = pS->aHeap[--pS->nHeap];
  }
  sorterSift(pS, 0);
}

int acdcSorterGroup(
  AcdcCtx *p, AcdcSorter *pS, int nMax, const AcdcEntry **paOut, int *pbMore
){
  int n = 0;
  *pbMore = 0;
  if( p->rc ) return 0;
  if( pS->nRun==0 ){
    const AcdcEntry *aE = pS->aEntry + pS->iMem;
    int nLeft = pS->nEntry - pS->iMem;
    if( nLeft==0 ) return 0;
    n = 1;
    while( n<nLeft && n<nMax && sorterSameKey(pS, &aE[0], &aE[n]) ) n++;
    *pbMore = n==nMax && n<nLeft && sorterSameKey(pS, &aE[0], &aE[n]);
    *paOut = aE;
    pS->iMem += n;
    sorterPrefetch(pS, pS->iMem+12-n, pS->iMem+12);
    return n;
  }
  acdcArenaReset(&pS->group);
  while( pS->nHeap && n<nMax && p->rc==0 ){
    if( n && !sorterSameKey(pS, &pS->aGroup[0], sorterCur(pS, pS->aHeap[0])) ){
      break;
    }
    if( n>=pS->nGroupAlloc ){
      int nNew = pS->nGroupAlloc ? pS->nGroupAlloc*2 : 64;
      AcdcEntry *aNew = acdcRealloc(p, pS->aGroup, sizeof(AcdcEntry)*(i64)nNew);
      if( aNew==0 ) return 0;
      pS->aGroup = aNew;
      pS->nGroupAlloc = nNew;
    }
    sorterTake(p, pS, n++);
  }
  *pbMore = n==nMax && pS->nHeap
         && sorterSameKey(pS, &pS->aGroup[0], sorterCur(pS, pS->aHeap[0]));
  *paOut = pS->aGroup;
  return p->rc ? 0 : n;
}
