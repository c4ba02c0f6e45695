/*
** What is remembered beside a target, in tables of the target's schema:
**
**   autocdc_targets        a row a target: what is frozen, columns written
**   autocdc_marks          truncates
**   autocdc_sources        checkpoints (run/checkpoint.c)
**   autocdc_versions       snapshots applied, in state form and as shown
**   autocdc_state_<id>     SCD1: last sequence and kind of each key, and its
**                          last delete before
**   autocdc_event_<id>     SCD2: events that the target does not show;
**                          SCD1 per column: events whose values still count;
**                          bitemporal: all events, see bitemporal.c
**
** docs/architecture.md describes the columns.
*/
#include "merge.h"

int acdcStateHasCatalog(AcdcCtx *p, const char *zSchema){
  return 0!=acdcSelectInt(p, 0, "SELECT 1 FROM \"%w\".sqlite_master "
      "WHERE type='table' AND name='autocdc_targets'", zSchema);
}

static void stateMakeCatalog(AcdcCtx *p, const char *zSchema){
  if( acdcStateHasCatalog(p, zSchema) || p->rc ) return;
  acdcExec(p,
    "CREATE TABLE \"%w\".autocdc_targets("
    "id INTEGER PRIMARY KEY, target TEXT NOT NULL UNIQUE COLLATE NOCASE, "
    "scd_type TEXT NOT NULL, keys TEXT NOT NULL, track TEXT NOT NULL, "
    "sequence TEXT NOT NULL, null_keys INTEGER NOT NULL, "
    "slots TEXT NOT NULL, emitted TEXT NOT NULL, made INTEGER NOT NULL, "
    "partial INTEGER NOT NULL, events INTEGER NOT NULL, "
    "adopted INTEGER NOT NULL, floor, format INTEGER NOT NULL, "
    "snapshot INTEGER NOT NULL, kept TEXT)", zSchema);
  acdcExec(p,
    "CREATE TABLE \"%w\".autocdc_marks("
    "target INTEGER NOT NULL, seq NOT NULL, shown, "
    "PRIMARY KEY(target, seq)) WITHOUT ROWID", zSchema);
  acdcExec(p,
    "CREATE TABLE \"%w\".autocdc_sources("
    "target INTEGER NOT NULL, flow TEXT NOT NULL, source TEXT NOT NULL, "
    "first_row INTEGER, first_digest INTEGER, "
    "last_row INTEGER, last_digest INTEGER, config TEXT, done INTEGER, "
    "PRIMARY KEY(target, flow, source)) WITHOUT ROWID", zSchema);
  acdcExec(p,
    "CREATE TABLE \"%w\".autocdc_versions("
    "target INTEGER NOT NULL, seq NOT NULL, shown, applied_at TEXT, "
    "PRIMARY KEY(target, seq)) WITHOUT ROWID", zSchema);
}

void acdcStateClear(AcdcState *pSt){
  int i;
  sqlite3_free(pSt->zKeys);
  sqlite3_free(pSt->zTrack);
  sqlite3_free(pSt->zKept);
  sqlite3_free(pSt->zFloor);
  acdcNamesFree(&pSt->slots);
  for(i=0; i<pSt->nGen; i++) sqlite3_free(pSt->aGen[i].a);
  sqlite3_free(pSt->aGen);
  sqlite3_free(pSt->aMark);
  acdcArenaFree(&pSt->arena);
  memset(pSt, 0, sizeof(*pSt));
  pSt->floor.eType = SQLITE_NULL;
}

int acdcStateSlot(AcdcCtx *p, AcdcState *pSt, const char *zName){
  int i = acdcNamesFind(&pSt->slots, zName);
  if( i<0 ){
    acdcNamesAdd(p, &pSt->slots, zName, -1);
    i = pSt->slots.n - 1;
  }
  return i;
}

/* Sets of different length are equal if the rest is empty. */
int acdcBitsEqual(const AcdcBits *pA, const AcdcBits *pB){
  int i, n = pA->nByte>pB->nByte ? pA->nByte : pB->nByte;
  if( pA->bRest!=pB->bRest ) return 0;
  for(i=0; i<n; i++){
    u8 a = i<pA->nByte ? pA->a[i] : pA->bRest ? 0xff : 0;
    u8 b = i<pB->nByte ? pB->a[i] : pB->bRest ? 0xff : 0;
    if( a!=b ) return 0;
  }
  return 1;
}

int acdcStateGen(AcdcCtx *p, AcdcState *pSt, const AcdcBits *pEmit){
  AcdcBits *aNew;
  int i;
  for(i=0; i<pSt->nGen; i++){
    if( acdcBitsEqual(&pSt->aGen[i], pEmit) ) return i;
  }
  aNew = acdcRealloc(p, pSt->aGen, sizeof(AcdcBits)*(pSt->nGen+1));
  if( aNew==0 ) return 0;
  pSt->aGen = aNew;
  aNew += pSt->nGen;
  aNew->nByte = pEmit->nByte;
  aNew->bRest = 0;
  aNew->a = acdcMalloc(p, pEmit->nByte ? pEmit->nByte : 1);
  if( aNew->a==0 ) return 0;
  memcpy(aNew->a, pEmit->a, pEmit->nByte);
  return pSt->nGen++;
}

/* The emitted sets as hexadecimal words, and back. */
static char *stateGenText(AcdcCtx *p, const AcdcState *pSt){
  char *z = acdcMprintf(p, "%s", "");
  int i, j;
  for(i=0; i<pSt->nGen; i++){
    if( i ) acdcAppendf(p, &z, ",");
    if( pSt->aGen[i].nByte==0 ) acdcAppendf(p, &z, "00");  /* keys alone */
    for(j=0; j<pSt->aGen[i].nByte; j++){
      acdcAppendf(p, &z, "%02x", pSt->aGen[i].a[j]);
    }
  }
  return z;
}

static int stateHex(char c){
  if( c>='0' && c<='9' ) return c - '0';
  if( c>='a' && c<='f' ) return c - 'a' + 10;
  return -1;
}

static void stateGenParse(AcdcCtx *p, const char *z, AcdcState *pSt){
  u8 aBuf[512];
  while( z && z[0] && p->rc==0 ){
    AcdcBits set;
    set.a = aBuf;
    set.nByte = 0;
    set.bRest = 0;
    while( stateHex(z[0])>=0 && stateHex(z[1])>=0 && set.nByte<512 ){
      aBuf[set.nByte++] = (u8)(stateHex(z[0])*16 + stateHex(z[1]));
      z += 2;
    }
    acdcStateGen(p, pSt, &set);
    if( z[0]!=',' ) break;
    z++;
  }
}

/* Names separated by ASCII unit separators: they may hold any other byte. */
static char *stateNamesText(AcdcCtx *p, const AcdcNames *pN){
  char *z = acdcMprintf(p, "%s", "");
  int i;
  for(i=0; i<pN->n; i++) acdcAppendf(p, &z, "%s%s", i ? "\x1f" : "", pN->az[i]);
  return z;
}

void acdcStateNames(AcdcCtx *p, const char *z, AcdcNames *pN){
  while( z && z[0] && p->rc==0 ){
    const char *zEnd = strchr(z, 0x1f);
    acdcNamesAdd(p, pN, z, zEnd ? zEnd-z : -1);
    z = zEnd ? zEnd+1 : 0;
  }
}

/*
** The kinds of both sequences as one text, "n" or "n;i:dddd-dd-dd": what is
** behind the semicolon is the system sequence of a bitemporal target.
*/
static char *stateKindText(AcdcCtx *p, const AcdcState *pSt){
  char *z = acdcSeqKindText(p, &pSt->kind);
  if( pSt->sysKind.nPart ){
    char *zSys = acdcSeqKindText(p, &pSt->sysKind);
    acdcAppendf(p, &z, ";%s", zSys ? zSys : "");
    sqlite3_free(zSys);
  }
  return z;
}

static void stateKindParse(AcdcCtx *p, const char *z, AcdcState *pSt){
  const char *zSys = strchr(z ? z : "", ';');
  char *zOwn = zSys ? acdcStrndup(p, z, zSys-z) : acdcStrdup(p, z);
  acdcSeqKindParse(p, zOwn, &pSt->kind);
  if( zSys ) acdcSeqKindParse(p, zSys+1, &pSt->sysKind);
  sqlite3_free(zOwn);
}

static const char *stateScdText(u8 eScd){
  switch( eScd ){
    case ACDC_SCD1:     return "1";
    case ACDC_SCD2:     return "2";
    case ACDC_APPENDED: return "append";
    case ACDC_REBUILT:  return "view";
    default:            return "bitemporal";
  }
}

void acdcStateLoadMarks(AcdcCtx *p, const char *zSchema, AcdcState *pSt){
  sqlite3_stmt *pStmt;
  int nAlloc = pSt->nMark;
  pStmt = acdcPrepare(p, 0, "SELECT seq, shown FROM \"%w\".autocdc_marks "
                      "WHERE target=%lld ORDER BY seq", zSchema, pSt->iId);
  pSt->nMark = 0;
  while( acdcStep(p, pStmt) ){
    AcdcVal v, shown, aCopy[2];
    if( pSt->nMark>=nAlloc || pSt->aMark==0 ){
      int nNew = nAlloc*2 + 8;
      AcdcSeq *aNew = acdcRealloc(p, pSt->aMark, sizeof(AcdcSeq)*nNew);
      if( aNew==0 ) break;
      pSt->aMark = aNew;
      nAlloc = nNew;
    }
    acdcValColumn(&v, pStmt, 0);
    acdcValColumn(&shown, pStmt, 1);
    acdcValCopy(p, &pSt->arena, &aCopy[0], &v);
    acdcValCopy(p, &pSt->arena, &aCopy[1], &shown);
    acdcSeqFromState(p, &pSt->kind, &aCopy[0],
        shown.eType==SQLITE_NULL ? 0 : &aCopy[1], &pSt->arena,
        &pSt->aMark[pSt->nMark]);
    if( p->rc==0 ) pSt->nMark++;
  }
  acdcFinalize(p, &pStmt);
}

int acdcStateMarkFrom(const AcdcState *pSt, const AcdcSeq *pSeq){
  int lo = 0, hi = pSt->nMark;
  while( lo<hi ){
    int mid = lo + (hi-lo)/2;
    if( acdcSeqCmp(&pSt->kind, &pSt->aMark[mid], pSeq)<0 ) lo = mid+1;
    else hi = mid;
  }
  return lo;
}

int acdcStateLoad(
  AcdcCtx *p, const char *zSchema, const char *zTarget, AcdcState *pSt
){
  sqlite3_stmt *pStmt;
  memset(pSt, 0, sizeof(*pSt));
  pSt->floor.eType = SQLITE_NULL;
  if( !acdcStateHasCatalog(p, zSchema) ) return 0;
  pStmt = acdcPrepare(p, 0, "SELECT id, scd_type, keys, track, sequence, "
      "null_keys, slots, emitted, made, partial, events, adopted, floor, "
      "snapshot, kept FROM \"%w\".autocdc_targets WHERE target=?1", zSchema);
  if( pStmt ) sqlite3_bind_text(pStmt, 1, zTarget, -1, SQLITE_STATIC);
  if( acdcStep(p, pStmt) ){
    const char *zScd = (const char*)sqlite3_column_text(pStmt, 1);
    const char *zSeq = (const char*)sqlite3_column_text(pStmt, 4);
    pSt->iId = sqlite3_column_int64(pStmt, 0);
    pSt->eScd = !zScd || zScd[0]=='1' ? ACDC_SCD1
              : zScd[0]=='2' ? ACDC_SCD2
              : zScd[0]=='a' ? ACDC_APPENDED
              : zScd[0]=='v' ? ACDC_REBUILT : ACDC_BITEMPORAL;
    pSt->zKeys = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 2));
    pSt->zTrack = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 3));
    stateKindParse(p, zSeq, pSt);
    pSt->bNullKeys = (u8)sqlite3_column_int(pStmt, 5);
    acdcStateNames(p, (const char*)sqlite3_column_text(pStmt, 6),&pSt->slots);
    stateGenParse(p, (const char*)sqlite3_column_text(pStmt, 7), pSt);
    pSt->bMade = (u8)sqlite3_column_int(pStmt, 8);
    pSt->bPartial = (u8)sqlite3_column_int(pStmt, 9);
    pSt->bEvents = (u8)sqlite3_column_int(pStmt, 10);
    pSt->bAdopted = (u8)sqlite3_column_int(pStmt, 11);
    pSt->bSnapshot = (u8)sqlite3_column_int(pStmt, 13);
    if( sqlite3_column_type(pStmt, 14)!=SQLITE_NULL ){
      pSt->zKept = acdcStrdup(p, (const char*)sqlite3_column_text(pStmt, 14));
    }
    acdcValColumn(&pSt->floor, pStmt, 12);
    if( pSt->floor.eType==SQLITE_TEXT || pSt->floor.eType==SQLITE_BLOB ){
      pSt->zFloor = acdcStrndup(p, (const char*)pSt->floor.u.z, pSt->floor.n);
      pSt->floor.u.z = (const u8*)pSt->zFloor;
    }
    if( p->rc==0 && (pSt->zKeys==0 || pSt->zTrack==0) ){
      acdcError(p, SQLITE_CORRUPT, "row of target %s in autocdc_targets is "
          "damaged: autocdc_reset('%q') starts anew", zTarget, zTarget);
    }
  }
  acdcFinalize(p, &pStmt);
  if( pSt->iId && p->rc==0 ) acdcStateLoadMarks(p, zSchema, pSt);
  return pSt->iId!=0;
}

void acdcStateSave(
  AcdcCtx *p, const char *zSchema, const char *zTarget, AcdcState *pSt
){
  sqlite3_stmt *pStmt;
  char *zSeq, *zSlots, *zGens;
  stateMakeCatalog(p, zSchema);
  if( p->rc==0 && pSt->iId==0 ){
    /* Never reuse an id: its tables may not be dropped yet */
    pSt->iId = 1 + acdcSelectInt(p, 0, "SELECT max(n) FROM ("
        "SELECT max(id) AS n FROM \"%w\".autocdc_targets UNION ALL "
        "SELECT CAST(substr(name, 15) AS INTEGER) FROM \"%w\".sqlite_master "
        "WHERE name GLOB 'autocdc_state_*' OR name GLOB 'autocdc_event_*')",
        zSchema, zSchema);
  }
  zSeq = stateKindText(p, pSt);
  zSlots = stateNamesText(p, &pSt->slots);
  zGens = stateGenText(p, pSt);
  pStmt = acdcPrepare(p, 0, "INSERT INTO \"%w\".autocdc_targets VALUES("
      "?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,1,?15,?16) "
      "ON CONFLICT(id) DO UPDATE SET sequence=?6, slots=?8, emitted=?9, "
      "partial=?11, events=?12, adopted=?13, floor=?14, kept=?16", zSchema);
  if( pStmt ){
    sqlite3_bind_int64(pStmt, 1, pSt->iId);
    sqlite3_bind_text(pStmt, 2, zTarget, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 3, stateScdText(pSt->eScd), -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 4, pSt->zKeys, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 5, pSt->zTrack, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 6, zSeq, -1, SQLITE_STATIC);
    sqlite3_bind_int(pStmt, 7, pSt->bNullKeys);
    sqlite3_bind_text(pStmt, 8, zSlots, -1, SQLITE_STATIC);
    sqlite3_bind_text(pStmt, 9, zGens, -1, SQLITE_STATIC);
    sqlite3_bind_int(pStmt, 10, pSt->bMade);
    sqlite3_bind_int(pStmt, 11, pSt->bPartial);
    sqlite3_bind_int(pStmt, 12, pSt->bEvents);
    sqlite3_bind_int(pStmt, 13, pSt->bAdopted);
    acdcValBind(pStmt, 14, &pSt->floor);
    sqlite3_bind_int(pStmt, 15, pSt->bSnapshot);
    sqlite3_bind_text(pStmt, 16, pSt->zKept, -1, SQLITE_STATIC);
  }
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
  sqlite3_free(zSeq);
  sqlite3_free(zSlots);
  sqlite3_free(zGens);
}

/*
** Key columns of a state table: k1, k2, ... declared like the target's, so
** that both compare keys alike.
*/
static char *stateKeyColumns(AcdcMerge *pM){
  char *z = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    const AcdcColumn *pC = &pM->tgt.aCol[pM->aKey[i].iTgt];
    static const char *const azType[] = {"", "TEXT","NUMERIC","INTEGER","REAL"};
    acdcAppendf(pM->p, &z, "%sk%d %s%s%s%s%s", i ? ", " : "", i+1,
        azType[pM->aKey[i].cAff - 'A'],
        pC->zColl ? " COLLATE \"" : "", pC->zColl ? pC->zColl : "",
        pC->zColl ? "\"" : "",
        pM->pFlow->bNullKeysMatch ? "" : " NOT NULL");
  }
  return z;
}

static char *stateKeyList(AcdcMerge *pM){
  char *z = 0;
  int i;
  for(i=0; i<pM->nKey; i++) acdcAppendf(pM->p, &z, "%sk%d", i ? "," : "", i+1);
  return z;
}

static void stateMakeTable(
  AcdcMerge *pM, const char *zTable, const char *zColumns, const char *zOrder
){
  AcdcCtx *p = pM->p;
  char *zCols = stateKeyColumns(pM);
  char *zList = stateKeyList(pM);
  if( p->rc==0 ){
    if( pM->pFlow->bNullKeysMatch ){
      acdcExec(p, "CREATE TABLE \"%w\".%s_%lld(%s, %s)", pM->tgt.zSchema,
               zTable, pM->st.iId, zCols, zColumns);
      acdcExec(p, "CREATE INDEX \"%w\".%s_%lld_key ON %s_%lld(%s%s)",
               pM->tgt.zSchema, zTable, pM->st.iId, zTable, pM->st.iId, zList,
               zOrder);
    }else if( pM->bIntKey && zOrder[0]==0 ){
      acdcExec(p, "CREATE TABLE \"%w\".%s_%lld(k1 INTEGER PRIMARY KEY, %s)",
               pM->tgt.zSchema, zTable, pM->st.iId, zColumns);
    }else{
      acdcExec(p, "CREATE TABLE \"%w\".%s_%lld(%s, %s, PRIMARY KEY(%s%s)) "
               "WITHOUT ROWID", pM->tgt.zSchema, zTable, pM->st.iId, zCols,
               zColumns, zList, zOrder);
    }
  }
  sqlite3_free(zCols);
  sqlite3_free(zList);
}

void acdcStateMakeTables(AcdcMerge *pM){
  if( pM->st.eScd==ACDC_SCD1 && !pM->st.bSnapshot ){
    stateMakeTable(pM, "autocdc_state", "seq, kind, gone", "");
  }
}

void acdcStateMakeEvents(AcdcMerge *pM){
  if( pM->st.bEvents || pM->p->rc ) return;
  if( pM->st.eScd==ACDC_BITEMPORAL ){
    stateMakeTable(pM, "autocdc_event", "seq, sys, kind, mask, vals, shown, "
                   "sysshown", ",seq,sys");
  }else{
    stateMakeTable(pM, "autocdc_event", "seq, kind, mask, vals, shown", ",seq");
  }
  pM->st.bEvents = 1;
}

/* The key of t, the target, and s, the state, is one. */
static char *stateMatch(AcdcMerge *pM){
  char *z = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(pM->p, &z, "%ss.k%d=t.\"%w\"", i ? " AND " : "", i+1,
                pM->aKey[i].zName);
  }
  return z;
}

char *acdcStateLastSql(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  char *zTable = acdcMprintf(p, "\"%w\".autocdc_state_%lld", pM->tgt.zSchema,
                             pM->st.iId);
  char *zCols = 0, *zList, *zMatch, *z;
  int i;
  if( pM->pKept==0 || p->rc ) return zTable;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zCols, "t.\"%w\" AS k%d,", pM->aKey[i].zName, i+1);
  }
  zList = stateKeyList(pM);
  zMatch = stateMatch(pM);
  z = acdcMprintf(p, "(SELECT %s t.\"%w\" AS seq, 0 AS kind FROM %s AS t WHERE "
      "typeof(t.\"%w\")='integer' UNION ALL SELECT %s, seq, kind FROM %s AS s "
      "WHERE NOT EXISTS (SELECT 1 FROM %s AS t WHERE %s AND "
      "typeof(t.\"%w\")='integer'))", zCols, pM->pKept->zName, pM->zTgtSql,
      pM->pKept->zName, zList, zTable, pM->zTgtSql, zMatch, pM->pKept->zName);
  sqlite3_free(zTable);
  sqlite3_free(zCols);
  sqlite3_free(zList);
  sqlite3_free(zMatch);
  return z;
}

void acdcStateUnkeep(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  char *zList = stateKeyList(pM), *zCols = 0;
  int i;
  for(i=0; i<pM->nKey; i++){
    acdcAppendf(p, &zCols, "\"%w\",", pM->aKey[i].zName);
  }
  if( p->rc==0 ){
    acdcExec(p, "INSERT INTO \"%w\".autocdc_state_%lld(%s, seq, kind) "
        "SELECT %s\"%w\", 0 FROM %s WHERE typeof(\"%w\")='integer' "
        "ON CONFLICT DO UPDATE SET gone=seq, seq=excluded.seq, kind=0 "
        "WHERE excluded.seq>seq", pM->tgt.zSchema, pM->st.iId, zList, zCols,
        pM->st.zKept, pM->zTgtSql, pM->st.zKept);
  }
  sqlite3_free(pM->st.zKept);
  pM->st.zKept = 0;
  pM->pKept = 0;
  sqlite3_free(zList);
  sqlite3_free(zCols);
}

static void stateForgetTable(
  AcdcCtx *p, const char *zSchema, const char *zTable, i64 iId
){
  if( acdcSelectInt(p, 0, "SELECT 1 FROM \"%w\".sqlite_master "
        "WHERE type='table' AND name='%s_%lld'", zSchema, zTable, iId) ){
    acdcExec(p, "DELETE FROM \"%w\".%s_%lld", zSchema, zTable, iId);
  }
}

void acdcStateForget(AcdcCtx *p, const char *zSchema, AcdcState *pSt){
  if( pSt->iId==0 ) return;
  stateForgetTable(p, zSchema, "autocdc_state", pSt->iId);
  stateForgetTable(p, zSchema, "autocdc_event", pSt->iId);
  acdcExec(p, "DELETE FROM \"%w\".autocdc_marks WHERE target=%lld", zSchema,
           pSt->iId);
  acdcExec(p, "DELETE FROM \"%w\".autocdc_sources WHERE target=%lld", zSchema,
           pSt->iId);
  acdcExec(p, "DELETE FROM \"%w\".autocdc_versions WHERE target=%lld", zSchema,
           pSt->iId);
  acdcExec(p, "DELETE FROM \"%w\".autocdc_targets WHERE id=%lld", zSchema,
           pSt->iId);
  acdcStateClear(pSt);
}

int acdcStateVersionLast(
  AcdcCtx *p, const char *zSchema, AcdcState *pSt, AcdcArena *pA, AcdcSeq *pOut
){
  int bFound = 0;
  sqlite3_stmt *pStmt = acdcPrepare(p, 0, "SELECT seq, shown FROM "
      "\"%w\".autocdc_versions WHERE target=%lld ORDER BY seq DESC LIMIT 1",
      zSchema, pSt->iId);
  if( acdcStep(p, pStmt) ){
    AcdcVal v, seq, shown;
    acdcValColumn(&v, pStmt, 0);
    acdcValCopy(p, pA, &seq, &v);
    acdcValColumn(&v, pStmt, 1);
    acdcValCopy(p, pA, &shown, &v);
    acdcSeqFromState(p, &pSt->kind, &seq,
                     shown.eType==SQLITE_NULL ? 0 : &shown, pA, pOut);
    bFound = p->rc==0;
  }
  acdcFinalize(p, &pStmt);
  return bFound;
}

void acdcStateVersionPut(AcdcMerge *pM, const AcdcSeq *pSeq){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  AcdcVal v;
  acdcSeqToState(p, &pM->st.kind, pSeq, &pM->arena, &v);
  pStmt = acdcPrepare(p, 0, "INSERT INTO \"%w\".autocdc_versions VALUES("
      "%lld, ?1, ?2, strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ','now'))",
      pM->tgt.zSchema, pM->st.iId);
  if( pStmt ){
    acdcValBind(pStmt, 1, &v);
    if( v.eType==SQLITE_BLOB ) acdcValBind(pStmt, 2, &pSeq->shown);
  }
  acdcStep(p, pStmt);
  acdcFinalize(p, &pStmt);
}

void acdcStateAddMarks(AcdcMerge *pM){
  AcdcCtx *p = pM->p;
  sqlite3_stmt *pStmt;
  AcdcVal v;
  int i;
  if( pM->nNewMark==0 ) return;
  pStmt = acdcPrepare(p, 0, "INSERT OR IGNORE INTO \"%w\".autocdc_marks "
      "VALUES(%lld, ?1, ?2)", pM->tgt.zSchema, pM->st.iId);
  for(i=0; i<pM->nNewMark && p->rc==0; i++){
    acdcSeqToState(p, &pM->st.kind, &pM->aNewMark[i], &pM->arena, &v);
    acdcValBind(pStmt, 1, &v);
    acdcValBind(pStmt, 2, &pM->aNewMark[i].shown);
    acdcStep(p, pStmt);
    acdcReset(p, pStmt);
  }
  acdcFinalize(p, &pStmt);
  acdcStateLoadMarks(p, pM->tgt.zSchema, &pM->st);
}

const AcdcBits *acdcDefaultMask(const AcdcMerge *pM){
  if( pM->st.bPartial==1 && !pM->st.bAdopted && pM->st.nGen ){
    return &pM->st.aGen[0];
  }
  return &pM->allMask;
}
