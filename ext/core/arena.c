/*
** The arena: blocks of 64 KB in a list, pieces cut from the newest one.
*/
#include "core.h"

/* Bytes of a common block, header included. */
#define ARENA_BLOCK 65536

/* No piece may be larger: SQLite's own limit of an allocation. */
#define ARENA_MAX_PIECE ((i64)0x7ffffe00)

struct AcdcArenaBlock {
  AcdcArenaBlock *pNext;     /* Older block.  Owned */
  i64 nSize;                 /* Bytes after the header */
};

/* The header in full steps of 8, that pieces start aligned on any target. */
#define ARENA_HEADER ((i64)((sizeof(AcdcArenaBlock)+7) & ~(size_t)7))

static u8 *arenaData(AcdcArenaBlock *pBlock){
  return (u8*)pBlock + ARENA_HEADER;
}

/*
** Get a piece that the newest block has no room for.  A piece that is larger
** than a common block gets one of its own, put behind the newest, of which
** the rest stays in use.
*/
static void *arenaGrow(AcdcCtx *p, AcdcArena *pA, i64 n){
  i64 nSize = ARENA_BLOCK - ARENA_HEADER;
  int bOwn = n>nSize;
  AcdcArenaBlock *pNew;
  if( bOwn ) nSize = n;
  pNew = sqlite3_malloc64((u64)(ARENA_HEADER + nSize));
  if( pNew==0 ){
    p->rc = SQLITE_NOMEM;
    return 0;
  }
  pNew->nSize = nSize;
  pA->nTotal += ARENA_HEADER + nSize;
  if( bOwn && pA->pBlock ){
    pNew->pNext = pA->pBlock->pNext;
    pA->pBlock->pNext = pNew;
  }else{
    pNew->pNext = pA->pBlock;
    pA->pBlock = pNew;
    pA->nUsed = n;
  }
  return arenaData(pNew);
}

void *acdcArenaAlloc(AcdcCtx *p, AcdcArena *pA, i64 n){
  AcdcArenaBlock *pBlock = pA->pBlock;
  if( p->rc!=SQLITE_OK ) return 0;
  if( n<0 || n>ARENA_MAX_PIECE ){
    p->rc = SQLITE_NOMEM;
    return 0;
  }
  n = n==0 ? 8 : (n+7) & ~(i64)7;
  if( pBlock && n<=pBlock->nSize - pA->nUsed ){
    u8 *pPiece = arenaData(pBlock) + pA->nUsed;
    pA->nUsed += n;
    return pPiece;
  }
  return arenaGrow(p, pA, n);
}

/*
** The block that is kept is of the common size: a single huge piece must not
** weigh on all that comes after it.
*/
void acdcArenaReset(AcdcArena *pA){
  AcdcArenaBlock *pKeep = 0;
  AcdcArenaBlock *pBlock = pA->pBlock;
  while( pBlock ){
    AcdcArenaBlock *pNext = pBlock->pNext;
    if( pKeep==0 && pBlock->nSize==ARENA_BLOCK-ARENA_HEADER ){
      pKeep = pBlock;
    }else{
      sqlite3_free(pBlock);
    }
    pBlock = pNext;
  }
  if( pKeep ) pKeep->pNext = 0;
  pA->pBlock = pKeep;
  pA->nUsed = 0;
  pA->nTotal = pKeep ? ARENA_BLOCK : 0;
}

void acdcArenaFree(AcdcArena *pA){
  AcdcArenaBlock *pBlock;
  if( pA==0 ) return;
  pBlock = pA->pBlock;
  while( pBlock ){
    AcdcArenaBlock *pNext = pBlock->pNext;
    sqlite3_free(pBlock);
    pBlock = pNext;
  }
  memset(pA, 0, sizeof(*pA));
}
