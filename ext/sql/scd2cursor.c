/*
** Cursors of scd2 tables.
**
** A cursor reads by a prepared SELECT on the table of rows (AcdcScd2Query).
** It keeps it from one xFilter to the next, so that the inner loop of a join
** binds and steps only, and leaves it to the table when it is closed, so that
** a statement which is run again finds it.
**
** Where the order of rows does not matter a step brings many of them: they are
** handed to the private function autocdc_take() and wait in the cursor.
*/
#include "scd2.h"

#define CURSOR_MAXARG   80
#define CURSOR_MAXTAKE  256      /* rows a step, at most */
#define CURSOR_CACHE    8        /* statements that wait, at most */
#define CURSOR_POINTER  "autocdc-take"

struct AcdcScd2Query {
  AcdcScd2Query *pNext;  /* In the list of those that wait */
  sqlite3_stmt *pStmt;   /* Owned */
  char *zPlan;           /* What it was made for.  Owned ... */
  u8 bNative;            /* ... and how sequences are compared */
  int eMode;             /* ACDC_SCD2_ROWS ... */
  int nArg;
  char aArg[CURSOR_MAXARG];  /* First letters of the words with arguments */
  int nCol;
  int *aMap;             /* Places of columns.  Owned */
};

typedef struct ReadCursor ReadCursor;
struct ReadCursor {
  sqlite3_vtab_cursor base;
  AcdcScd2Query *pQ;     /* Owned */
  u8 bEof;
  u8 bChecked;           /* The catalog was asked for this cursor */
  u8 bNative;            /* Sequences of that kind compare plainly */
  AcdcVal aHidden[ACDC_SCD2_EVENT];  /* Arguments, for xColumn */
  AcdcArena arena;       /* Their bytes, and those of sequences */
  /* Rows that were taken */
  int nTake;             /* How many a step shall bring */
  int nRow, iRow;
  int nVal;              /* Values of aVal, nCol a row */
  u8 bDone;              /* No step is to follow */
  AcdcVal *aVal;         /* Owned */
  int nValAlloc;
  u8 *aByte;             /* Bytes of TEXT and BLOB.  Owned */
  int nByte, nByteAlloc;
};

int acdcScd2Open(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ReadCursor *pCur = sqlite3_malloc64(sizeof(*pCur));
  ACDC_UNUSED(pVtab);
  if( pCur==0 ) return SQLITE_NOMEM;
  memset(pCur, 0, sizeof(*pCur));
  *ppCursor = &pCur->base;
  return SQLITE_OK;
}

/* ---- statements ---- */

static void queryFree(AcdcScd2Query *pQ){
  if( pQ==0 ) return;
  sqlite3_finalize(pQ->pStmt);
  sqlite3_free(pQ->zPlan);
  sqlite3_free(pQ->aMap);
  sqlite3_free(pQ);
}

void acdcScd2FreeQueries(AcdcScd2 *pTab){
  while( pTab->pQuery ){
    AcdcScd2Query *pQ = pTab->pQuery;
    pTab->pQuery = pQ->pNext;
    queryFree(pQ);
  }
}

/* The cursor is done with its statement. */
static void queryLeave(AcdcScd2 *pTab, ReadCursor *pCur){
  AcdcScd2Query *pQ = pCur->pQ, **pp;
  int n = 0;
  if( pQ==0 ) return;
  pCur->pQ = 0;
  sqlite3_reset(pQ->pStmt);
  sqlite3_clear_bindings(pQ->pStmt);
  pQ->pNext = pTab->pQuery;
  pTab->pQuery = pQ;
  for(pp=&pTab->pQuery; *pp; pp=&(*pp)->pNext){
    if( ++n>CURSOR_CACHE ){
      pQ = *pp;
      *pp = pQ->pNext;
      queryFree(pQ);
      break;
    }
  }
}

static AcdcScd2Query *queryNew(
  AcdcScd2 *pTab, const char *zPlan, int bNative
){
  AcdcCtx *p = &pTab->ctx;
  AcdcScd2Query *pQ = acdcMalloc(p, sizeof(*pQ));
  const char *z = zPlan;
  char *zSql;
  if( pQ==0 ) return 0;
  pQ->bNative = (u8)bNative;
  pQ->zPlan = acdcStrdup(p, zPlan);
  pQ->aMap = acdcMalloc(p, sizeof(int)*(pTab->rows.nCol+2));
  while( *z ){
    if( strchr("KRAFTSC", *z) && pQ->nArg<CURSOR_MAXARG ){
      pQ->aArg[pQ->nArg++] = *z;
    }
    while( *z && *z!=' ' ) z++;
    if( *z ) z++;
  }
  zSql = p->rc ? 0 : acdcScd2PlanSql(pTab, zPlan, bNative, pQ->aMap, &pQ->nCol,
                                     &pQ->eMode);
  if( zSql ){
    pQ->pStmt = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "%s", zSql);
  }
  sqlite3_free(zSql);
  if( p->rc ){
    queryFree(pQ);
    pQ = 0;
  }
  return pQ;
}

/* Give the cursor the statement of a plan. */
static void queryTake(
  AcdcScd2 *pTab, ReadCursor *pCur, const char *zPlan, int bNative
){
  AcdcScd2Query **pp;
  queryLeave(pTab, pCur);
  for(pp=&pTab->pQuery; *pp; pp=&(*pp)->pNext){
    AcdcScd2Query *pQ = *pp;
    if( pQ->bNative==bNative && strcmp(pQ->zPlan, zPlan)==0 ){
      *pp = pQ->pNext;
      pCur->pQ = pQ;
      break;
    }
  }
  if( pCur->pQ==0 ) pCur->pQ = queryNew(pTab, zPlan, bNative);
  if( pCur->pQ && pCur->pQ->eMode==ACDC_SCD2_TAKE ){
    sqlite3_bind_pointer(pCur->pQ->pStmt, pCur->pQ->nArg+1, pCur,
                         CURSOR_POINTER, 0);
  }
}

int acdcScd2Close(sqlite3_vtab_cursor *pCursor){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  queryLeave((AcdcScd2*)pCursor->pVtab, pCur);
  acdcArenaFree(&pCur->arena);
  sqlite3_free(pCur->aVal);
  sqlite3_free(pCur->aByte);
  sqlite3_free(pCur);
  return SQLITE_OK;
}

/* ---- rows by the many ---- */

/* Room for n more bytes; those that are there may move. */
static int takeRoom(ReadCursor *pCur, int n){
  i64 nNew = (i64)pCur->nByteAlloc*2 + n + 4096;
  u8 *aNew;
  int i;
  if( pCur->nByteAlloc-pCur->nByte>=n ) return 1;
  if( nNew>0x7fffff00 ) return 0;
  aNew = sqlite3_malloc64(nNew);
  if( aNew==0 ) return 0;
  for(i=0; i<pCur->nVal; i++){
    AcdcVal *pV = &pCur->aVal[i];
    if( (pV->eType==SQLITE_TEXT || pV->eType==SQLITE_BLOB) && pV->n ){
      pV->u.z = aNew + (pV->u.z - pCur->aByte);
    }
  }
  if( pCur->nByte ) memcpy(aNew, pCur->aByte, pCur->nByte);
  sqlite3_free(pCur->aByte);
  pCur->aByte = aNew;
  pCur->nByteAlloc = (int)nNew;
  return 1;
}

/* A value that stays; 0 if memory has run out. */
static int takeValue(ReadCursor *pCur, sqlite3_value *pV){
  AcdcVal *pTo = &pCur->aVal[pCur->nVal];
  pTo->n = 0;
  pTo->eType = (u8)sqlite3_value_type(pV);
  switch( pTo->eType ){
    case SQLITE_INTEGER:
      pTo->u.i = sqlite3_value_int64(pV);
      break;
    case SQLITE_FLOAT:
      pTo->u.r = sqlite3_value_double(pV);
      break;
    case SQLITE_NULL:
      break;
    default:
      acdcValFrom(pTo, pV);
      if( pTo->u.z==0 || !takeRoom(pCur, pTo->n) ) return 0;
      if( pTo->n ){
        memcpy(pCur->aByte + pCur->nByte, pTo->u.z, pTo->n);
        pTo->u.z = pCur->aByte + pCur->nByte;
        pCur->nByte += pTo->n;
      }
      break;
  }
  pCur->nVal++;
  return 1;
}

/* autocdc_take(cursor, columns...): true if the step shall come back. */
static void takeFunc(sqlite3_context *pCtx, int nArg, sqlite3_value **apArg){
  ReadCursor *pCur = sqlite3_value_pointer(apArg[0], CURSOR_POINTER);
  int i;
  if( pCur==0 || pCur->pQ==0 || nArg!=pCur->pQ->nCol+1 ){
    sqlite3_result_error(pCtx, "autocdc_take() is private", -1);
    return;
  }
  for(i=1; i<nArg; i++){
    if( !takeValue(pCur, apArg[i]) ){
      sqlite3_result_error_nomem(pCtx);
      return;
    }
  }
  if( ++pCur->nRow>=pCur->nTake ) sqlite3_result_int(pCtx, 1);
}

int acdcScd2TakeRegister(sqlite3 *db){
  return sqlite3_create_function_v2(db, "autocdc_take", -1,
      SQLITE_UTF8|SQLITE_DIRECTONLY, 0, takeFunc, 0, 0, 0);
}

/* The next rows.  Few at first, for a query may want no more. */
static void takeRows(AcdcScd2 *pTab, ReadCursor *pCur){
  int nNeed;
  pCur->nRow = pCur->iRow = pCur->nByte = pCur->nVal = 0;
  if( pCur->bDone ){
    pCur->bEof = 1;
    return;
  }
  if( pCur->nTake<CURSOR_MAXTAKE ) pCur->nTake = pCur->nTake*4 + 1;
  nNeed = (pCur->nTake+1) * pCur->pQ->nCol;
  if( nNeed>pCur->nValAlloc ){
    AcdcVal *aNew = acdcRealloc(&pTab->ctx, pCur->aVal, sizeof(AcdcVal)*nNeed);
    if( aNew==0 ) return;
    pCur->aVal = aNew;
    pCur->nValAlloc = nNeed;
  }
  pCur->bDone = !acdcStep(&pTab->ctx, pCur->pQ->pStmt);
  if( pCur->bDone ) sqlite3_reset(pCur->pQ->pStmt);
  pCur->bEof = pCur->nRow==0;
}

/* ---- what the catalog says ---- */

u32 acdcScd2DataVersion(AcdcScd2 *pTab){
  u32 i = 0;
  sqlite3_file_control(pTab->db, pTab->zSchema, SQLITE_FCNTL_DATA_VERSION, &i);
  return i;
}

/* A table that no flow has fed: the class of its first start. */
static void stateFromRows(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  AcdcArena arena;
  AcdcSeq seq;
  sqlite3_stmt *pStmt;
  memset(&arena, 0, sizeof(arena));
  pTab->kind.nPart = 1;
  pStmt = acdcPrepare(p, 0, "SELECT \"%w\" FROM %s WHERE \"%w\" IS NOT NULL "
      "LIMIT 1", ACDC_START, pTab->zRowsSql, ACDC_START);
  if( acdcStep(p, pStmt) ){
    AcdcVal v;
    acdcValColumn(&v, pStmt, 0);
    acdcSeqReadShown(p, &pTab->kind, &v, &arena, &seq);
  }
  acdcFinalize(p, &pStmt);
  acdcArenaFree(&arena);
}

/* Kinds as autocdc_targets has them: "kind", or "kind;system kind". */
static void stateKinds(AcdcScd2 *pTab, const char *z){
  AcdcCtx *p = &pTab->ctx;
  const char *zSys = z ? strchr(z, ';') : 0;
  char *zOwn = acdcStrndup(p, z ? z : "", zSys ? zSys-z : z ? (i64)strlen(z):0);
  acdcSeqKindParse(p, zOwn, &pTab->kind);
  if( zSys ) acdcSeqKindParse(p, zSys+1, &pTab->sysKind);
  sqlite3_free(zOwn);
}

/*
** The kind of the sequence.  It can change with any write to the file; as long
** as neither the file nor what this connection has written is another, the
** catalog need not be asked.
*/
void acdcScd2State(AcdcScd2 *pTab){
  AcdcCtx *p = &pTab->ctx;
  i64 nChange = sqlite3_total_changes64(pTab->db);
  u32 iVersion = acdcScd2DataVersion(pTab);
  if( pTab->bState && pTab->nChange==nChange && pTab->iDataVersion==iVersion ){
    return;
  }
  pTab->bKnown = 0;
  memset(&pTab->kind, 0, sizeof(pTab->kind));
  memset(&pTab->sysKind, 0, sizeof(pTab->sysKind));
  if( pTab->pState==0 && acdcStateHasCatalog(p, pTab->zSchema) ){
    pTab->pState = acdcPrepare(p, SQLITE_PREPARE_PERSISTENT, "SELECT sequence "
        "FROM \"%w\".autocdc_targets WHERE target=%Q", pTab->zSchema,
        pTab->zRows);
  }
  if( pTab->pState ){
    if( acdcStep(p, pTab->pState) ){
      stateKinds(pTab, (const char*)sqlite3_column_text(pTab->pState, 0));
      pTab->bKnown = 1;
    }
    acdcReset(p, pTab->pState);
  }
  if( !pTab->bKnown && p->rc==0 ) stateFromRows(pTab);
  pTab->bState = p->rc==0;
  pTab->nChange = nChange;
  pTab->iDataVersion = iVersion;
}

/*
** Does plain order do for values of that kind in the columns that begin and
** end an interval of business time (bSys: of system time)?
*/
static int cursorNativeKind(
  const AcdcScd2 *pTab, const AcdcSeqKind *pKind, int bSys
){
  int i;
  if( !pTab->bKnown || !acdcSeqNative(pKind) ) return 0;
  for(i=0; i<2; i++){
    int iCol = bSys ? (i ? pTab->iSysEnd : pTab->iSysStart)
                    : (i ? pTab->iEnd : pTab->iStart);
    const AcdcColumn *pC = &pTab->rows.aCol[iCol];
    if( pC->zColl && sqlite3_stricmp(pC->zColl, "BINARY") ) return 0;
    if( pKind->aClass[0]==ACDC_SEQ_NUMBER && pC->cAff=='B' ) return 0;
  }
  return 1;
}

static int cursorNative(const AcdcScd2 *pTab){
  return cursorNativeKind(pTab, &pTab->kind, 0)
      && (pTab->iSysStart<0 || pTab->iSysEnd<0
          || cursorNativeKind(pTab, &pTab->sysKind, 1));
}

/* ---- xFilter ---- */

static int cursorKind(char c){
  return c=='A' ? ACDC_SCD2_AS_OF : c=='F' ? ACDC_SCD2_FROM
       : c=='T' ? ACDC_SCD2_TO : c=='S' ? ACDC_SCD2_SYSTEM
       : ACDC_SCD2_CURRENT;
}

/*
** An argument that is a sequence: error if it is of another class, else *pOut
** as rows show it.  *pbNative is cleared if it is written in another form.
*/
static void cursorSequence(
  AcdcScd2 *pTab, ReadCursor *pCur, int eKind, sqlite3_value *pV,
  AcdcSeq *pOut, int *pbNative
){
  AcdcCtx *p = &pTab->ctx;
  int bSys = eKind==ACDC_SCD2_SYSTEM;
  AcdcSeqKind kind = bSys ? pTab->sysKind : pTab->kind;
  AcdcVal v, copy;
  acdcValFrom(&v, pV);
  acdcValCopy(p, &pCur->arena, &copy, &v);
  memset(pOut, 0, sizeof(*pOut));
  acdcSeqReadShown(p, &kind, &copy, &pCur->arena, pOut);
  if( p->rc==SQLITE_ERROR ){
    char *z;
    acdcCtxClear(p);
    z = acdcValText(p, &v);
    acdcError(p, SQLITE_ERROR, "%s is compared with sequences, which are of "
        "class %s here, and %s is none of them",
        pTab->aCol[pTab->aiArg[eKind]].zName,
        kind.nPart>1 ? "composite (a JSON array)"
                     : acdcSeqClassName(kind.aClass[0]), z ? z : "it");
    sqlite3_free(z);
  }
  if( p->rc==0 && *pbNative && !cursorNativeKind(pTab, &kind, bSys) ){
    /* An instant in another form than theirs: in theirs it compares plainly */
    char zForm[sizeof(kind.zForm)];
    int n = acdcSeqInForm(bSys ? &pTab->sysKind : &pTab->kind, pOut,
                          eKind==ACDC_SCD2_TO, zForm);
    if( n ){
      v.eType = SQLITE_TEXT;
      v.n = n;
      v.u.z = (const u8*)zForm;
      acdcValCopy(p, &pCur->arena, &pOut->shown, &v);
    }else{
      *pbNative = 0;
    }
  }
}

static int cursorKnown(const AcdcSeqKind *pKind){
  return pKind->nPart>0 && pKind->aClass[0]!=ACDC_SEQ_UNKNOWN;
}

/* Read the arguments.  Returns 0 if they leave no row. */
static int cursorArguments(
  AcdcScd2 *pTab, ReadCursor *pCur, sqlite3_value **argv, AcdcSeq *aSeq,
  int *pbNative
){
  AcdcSeq from, to;
  int i, bFrom = 0, bTo = 0;
  for(i=0; i<pCur->pQ->nArg && pTab->ctx.rc==0; i++){
    char c = pCur->pQ->aArg[i];
    const AcdcSeqKind *pKind;
    int eKind;
    if( sqlite3_value_type(argv[i])==SQLITE_NULL ) return 0;
    if( c=='K' || c=='R' ) continue;
    eKind = cursorKind(c);
    if( eKind==ACDC_SCD2_CURRENT ){
      acdcValFrom(&pCur->aHidden[eKind], argv[i]);
      acdcValCopy(&pTab->ctx, &pCur->arena, &pCur->aHidden[eKind],
                  &pCur->aHidden[eKind]);
      continue;
    }
    pKind = eKind==ACDC_SCD2_SYSTEM ? &pTab->sysKind : &pTab->kind;
    if( pKind->nPart==1 && pKind->aClass[0]==ACDC_SEQ_NUMBER
     && sqlite3_value_type(argv[i])==SQLITE_INTEGER
    ){
      memset(aSeq, 0, sizeof(*aSeq));
      aSeq->isInt = 1;
      aSeq->iOrd = sqlite3_value_int64(argv[i]);
      aSeq->shown.eType = SQLITE_INTEGER;
      aSeq->shown.u.i = aSeq->iOrd;
      pCur->aHidden[eKind] = aSeq->shown;
    }else{
      if( !cursorKnown(pKind) ) return 0;
      cursorSequence(pTab, pCur, eKind, argv[i], aSeq, pbNative);
      acdcValFrom(&pCur->aHidden[eKind], argv[i]);
      acdcValCopy(&pTab->ctx, &pCur->arena, &pCur->aHidden[eKind],
                  &pCur->aHidden[eKind]);
    }
    if( eKind==ACDC_SCD2_FROM ){ from = *aSeq; bFrom = 1; }
    if( eKind==ACDC_SCD2_TO ){ to = *aSeq; bTo = 1; }
    aSeq++;
  }
  if( bFrom && bTo && pTab->ctx.rc==0
   && acdcSeqCmp(&pTab->kind, &from, &to)>=0 ) return 0;
  return 1;
}

/*
** Bind.  Values of a statement that takes one step need not be copied: they
** live as long as xFilter does.
*/
static void cursorBind(
  AcdcScd2Query *pQ, sqlite3_value **argv, const AcdcSeq *aSeq
){
  int i;
  for(i=0; i<pQ->nArg; i++){
    char c = pQ->aArg[i];
    AcdcVal v;
    if( c!='K' && c!='R' && c!='C' ){
      acdcValBind(pQ->pStmt, i+1, &aSeq->shown);
      aSeq++;
    }else if( pQ->eMode==ACDC_SCD2_LAST ){
      acdcValFrom(&v, argv[i]);
      acdcValBind(pQ->pStmt, i+1, &v);
    }else{
      sqlite3_bind_value(pQ->pStmt, i+1, argv[i]);
    }
  }
}

/* Has the version at hand ended by then? */
static int cursorEnded(AcdcScd2 *pTab, ReadCursor *pCur, const AcdcSeq *pSeq){
  int iRes = pCur->pQ->aMap[pTab->iEnd];
  AcdcVal v;
  AcdcSeq end;
  acdcValColumn(&v, pCur->pQ->pStmt, iRes);
  if( v.eType==SQLITE_NULL ) return 0;
  if( v.eType==SQLITE_INTEGER && pSeq->isInt
   && pTab->kind.aClass[0]==ACDC_SEQ_NUMBER
  ){
    return v.u.i<=pSeq->iOrd;
  }
  acdcSeqReadShown(&pTab->ctx, &pTab->kind, &v, &pCur->arena, &end);
  return pTab->ctx.rc==0 && acdcSeqCmp(&pTab->kind, &end, pSeq)<=0;
}

/* The first row of the statement, bound. */
static void cursorFirst(AcdcScd2 *pTab, ReadCursor *pCur, const AcdcSeq *aSeq){
  AcdcScd2Query *pQ = pCur->pQ;
  if( pQ->eMode==ACDC_SCD2_TAKE ){
    pCur->nTake = 0;
    pCur->bDone = 0;
    takeRows(pTab, pCur);
    return;
  }
  pCur->bEof = !acdcStep(&pTab->ctx, pQ->pStmt);
  if( pQ->eMode==ACDC_SCD2_LAST && !pCur->bEof
   && cursorEnded(pTab, pCur, aSeq) ) pCur->bEof = 1;
  if( pCur->bEof ) sqlite3_reset(pQ->pStmt);
}

/* The question of acdcScd2Flow(). */
static int cursorAsk(
  AcdcScd2 *pTab, const char *idxStr, int argc, sqlite3_value **argv
){
  AcdcScd2Ask *pAsk;
  int i;
  if( argc!=1 || idxStr==0 || idxStr[0]!='A' ) return 0;
  pAsk = sqlite3_value_pointer(argv[0], ACDC_SCD2_POINTER);
  if( pAsk==0 ) return 0;
  acdcScd2Trust(pTab);
  if( pTab->ctx.rc==0 && pTab->flow.eSource!=ACDC_SOURCE_NONE ){
    acdcScd2TrustSource(pTab);
  }
  if( pTab->ctx.rc==0 ) acdcScd2Lost(pTab);
  if( pTab->ctx.rc==0 ) acdcFlowCopy(pAsk->p, pAsk->pFlow, &pTab->flow);
  for(i=0; i<pTab->cols.nCol; i++){
    acdcNamesAdd(pAsk->p, &pAsk->cols, pTab->cols.aCol[i].zName, -1);
  }
  return 1;
}

int acdcScd2Filter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *idxStr,
  int argc, sqlite3_value **argv
){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  AcdcSeq aSeq[8];
  int bNative, i;
  ACDC_UNUSED(idxNum);
  pCur->bEof = 1;
  if( pCur->pQ ) sqlite3_reset(pCur->pQ->pStmt);
  if( pTab->ctx.rc ) acdcCtxClear(&pTab->ctx);
  if( argc==1 && sqlite3_value_type(argv[0])==SQLITE_NULL
   && cursorAsk(pTab, idxStr, argc, argv)
  ){
    return acdcScd2Error(pTab);
  }
  if( acdcPushWaits(pTab->pPush) ) acdcScd2Flush(pTab);
  if( !pCur->bChecked ){
    if( pTab->zWrong ) acdcError(&pTab->ctx, SQLITE_ERROR, "%s", pTab->zWrong);
    acdcScd2State(pTab);
    pCur->bNative = (u8)cursorNative(pTab);
    pCur->bChecked = pTab->ctx.rc==0;
  }
  if( pCur->arena.nTotal ) acdcArenaReset(&pCur->arena);
  for(i=0; i<ACDC_SCD2_EVENT; i++) pCur->aHidden[i].eType = SQLITE_NULL;
  bNative = pCur->bNative;
  if( pTab->ctx.rc==0
   && (pCur->pQ==0 || strcmp(pCur->pQ->zPlan, idxStr)!=0)
  ){
    queryTake(pTab, pCur, idxStr, bNative);
  }
  if( pTab->ctx.rc==0 && cursorArguments(pTab, pCur, argv, aSeq, &bNative) ){
    if( pTab->ctx.rc==0 && pCur->pQ->bNative!=bNative ){
      queryTake(pTab, pCur, idxStr, bNative);
    }
    if( pTab->ctx.rc==0 ){
      cursorBind(pCur->pQ, argv, aSeq);
      cursorFirst(pTab, pCur, &aSeq[0]);
    }
  }
  return pTab->ctx.rc ? acdcScd2Error(pTab) : SQLITE_OK;
}

int acdcScd2Next(sqlite3_vtab_cursor *pCursor){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  switch( pCur->pQ->eMode ){
    case ACDC_SCD2_TAKE:
      if( ++pCur->iRow<pCur->nRow ) return SQLITE_OK;
      takeRows(pTab, pCur);
      break;
    case ACDC_SCD2_LAST:
      pCur->bEof = 1;
      sqlite3_reset(pCur->pQ->pStmt);
      return SQLITE_OK;
    default:
      pCur->bEof = !acdcStep(&pTab->ctx, pCur->pQ->pStmt);
      if( pCur->bEof ) sqlite3_reset(pCur->pQ->pStmt);
      break;
  }
  return pTab->ctx.rc ? acdcScd2Error(pTab) : SQLITE_OK;
}

int acdcScd2Eof(sqlite3_vtab_cursor *pCursor){
  return ((ReadCursor*)pCursor)->bEof;
}

/* Place i of the row at hand. */
static void cursorValue(ReadCursor *pCur, int i, AcdcVal *pOut){
  if( i<0 ){
    memset(pOut, 0, sizeof(*pOut));
    pOut->eType = SQLITE_NULL;
  }else if( pCur->pQ->eMode==ACDC_SCD2_TAKE ){
    *pOut = pCur->aVal[pCur->iRow*pCur->pQ->nCol + i];
  }else{
    acdcValColumn(pOut, pCur->pQ->pStmt, i);
  }
}

int acdcScd2Column(
  sqlite3_vtab_cursor *pCursor, sqlite3_context *pCtx, int iCol
){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  const AcdcScd2Col *pC = &pTab->aCol[iCol];
  const int *aMap = pCur->pQ->aMap;
  AcdcVal v;
  switch( pC->eKind ){
    case ACDC_SCD2_ROW:
      if( aMap[pC->i]<0 ) break;
      if( pCur->pQ->eMode==ACDC_SCD2_TAKE ){
        acdcValResult(pCtx,
            &pCur->aVal[pCur->iRow*pCur->pQ->nCol + aMap[pC->i]]);
      }else{
        sqlite3_result_value(pCtx,
            sqlite3_column_value(pCur->pQ->pStmt, aMap[pC->i]));
      }
      break;
    case ACDC_SCD2_CURRENT:
      cursorValue(pCur, aMap[pTab->iEnd], &v);
      if( v.eType==SQLITE_NULL && pTab->iSysEnd>=0
       && pCur->aHidden[ACDC_SCD2_SYSTEM].eType==SQLITE_NULL
      ){
        cursorValue(pCur, aMap[pTab->iSysEnd], &v);
      }
      sqlite3_result_int(pCtx, v.eType==SQLITE_NULL);
      break;
    case ACDC_SCD2_VERSION:
      cursorValue(pCur, aMap[pTab->rows.nCol], &v);
      acdcValResult(pCtx, &v);
      break;
    case ACDC_SCD2_EVENT:
      break;
    default:
      acdcValResult(pCtx, &pCur->aHidden[pC->eKind]);
      break;
  }
  return SQLITE_OK;
}

static u64 cursorHash(u64 h, const void *pData, int n){
  const u8 *a = pData;
  int i;
  for(i=0; i<n; i++) h = (h ^ a[i]) * (((u64)0x100<<32) | 0x1b3);
  return h ^ (h>>29);
}

/*
** The rowid of the row; where there is none a hash of what identifies it.
** SQLite needs it to tell rows apart that an OR finds twice.
*/
int acdcScd2Rowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  ReadCursor *pCur = (ReadCursor*)pCursor;
  AcdcScd2 *pTab = (AcdcScd2*)pCursor->pVtab;
  const int *aMap = pCur->pQ->aMap;
  u64 h = ((u64)0xcbf29ce4<<32) | 0x84222325;
  AcdcVal v;
  int i;
  if( aMap[pTab->rows.nCol+1]>=0 ){
    cursorValue(pCur, aMap[pTab->rows.nCol+1], &v);
    *piRowid = v.eType==SQLITE_INTEGER ? v.u.i : 0;
    return SQLITE_OK;
  }
  for(i=0; i<pTab->nKey+2; i++){
    int iCol = i<pTab->nKey ? pTab->aKey[i]
             : i==pTab->nKey ? pTab->iStart : pTab->iSysStart;
    if( iCol<0 ) continue;
    cursorValue(pCur, aMap[iCol], &v);
    h = cursorHash(h, &v.eType, 1);
    if( v.eType==SQLITE_INTEGER || v.eType==SQLITE_FLOAT ){
      h = cursorHash(h, &v.u, 8);
    }else if( v.eType!=SQLITE_NULL ){
      h = cursorHash(h, &v.n, sizeof(v.n));
      h = cursorHash(h, v.u.z, v.n);
    }
  }
  *piRowid = (i64)(h>>1);
  return SQLITE_OK;
}
