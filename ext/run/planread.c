/*
** The rows that a plan reads at its bottom: new rows of tables, rows of files;
** and what is remembered of them.
**
** Both are remembered as marks (marks.h).
*/
#include "plan.h"
#include "planint.h"
#include "marks.h"
#include "../source/schema.h"
#include "../spec/files.h"
#include "../merge/merge.h"

/* The marks of this flow. */
static AcdcMarks planMarks(const AcdcPlan *pPlan){
  AcdcMarks m;
  m.p = pPlan->p;
  m.zSchema = pPlan->pStep->zSchema;
  m.iTarget = pPlan->iTarget;
  m.zFlow = pPlan->zFlow;
  return m;
}

static sqlite3_stmt *readRow(AcdcPlan *pPlan, const char *zSource){
  AcdcMarks m = planMarks(pPlan);
  return acdcMarkRow(&m, zSource);
}

/* ---- streams of tables ---- */

/* Is row iRow of the table the one that was read? */
static int streamRowIs(AcdcPlan *pPlan, AcdcSource *pSrc, i64 iRow, i64 iDigest){
  int bFound;
  i64 i = acdcSourceDigest(pPlan->p, pSrc, iRow, &bFound);
  return bFound && i==iDigest;
}

/*
** Where to go on in a stream.  A table that was emptied and filled again is
** read from its start, which a merge does not mind; a flow that appends would
** take rows twice, and refuses.
*/
static void streamStart(AcdcPlan *pPlan, AcdcPlanStream *pS){
  AcdcCtx *p = pPlan->p;
  char *zSource = acdcMprintf(p, "stream:%s", pS->zLabel);
  sqlite3_stmt *pStmt = zSource && !pPlan->bReadAll ? readRow(pPlan, zSource) : 0;
  i64 iFirst, iMin;
  int bRows;
  if( pStmt ){
    i64 iFirstD = sqlite3_column_int64(pStmt, 1);
    i64 iLast = sqlite3_column_int64(pStmt, 2);
    i64 iLastD = sqlite3_column_int64(pStmt, 3);
    iFirst = sqlite3_column_int64(pStmt, 0);
    acdcFinalize(p, &pStmt);
    iMin = acdcSourceFirst(p, &pS->src, &bRows);
    if( !bRows
     || (iMin==iFirst && streamRowIs(pPlan, &pS->src, iFirst, iFirstD)
         && streamRowIs(pPlan, &pS->src, iLast, iLastD)) ){
      pS->iAfter = iLast;
    }else if( pPlan->bAppend && !pPlan->bDry ){
      acdcError(p, SQLITE_ERROR, "%s has other rows than those read before, and "
          "flow \"%s\" appends: SELECT autocdc_reset('%q') starts the target "
          "anew; apply_changes('%q', '{\"read\": \"all\"}') adds all rows "
          "that are there now", pS->zLabel, pPlan->zFlow,
          pPlan->pStep->zName, pPlan->zFlow);
    }else{
      acdcNamesAdd(p, &pPlan->notes, "a source has other rows than those read "
                   "before: read from its start", -1);
    }
  }
  sqlite3_free(zSource);
}

int acdcPlanIsMerged(
  AcdcPlan *pPlan, const char *zSchema, const char *zName, int iStep
){
  AcdcState st;
  int bIs = 0;
  if( iStep>=0 ){
    u8 eKind = pPlan->pPipe->aStep[iStep].pStep->eKind;
    return eKind!=ACDC_STEP_APPEND && eKind!=ACDC_STEP_BATCHSQL;
  }
  /* A table that is none of the pipeline's may be an inline flow's. */
  bIs = acdcStateLoad(pPlan->p, zSchema, zName, &st)
     && st.zKeys && st.zKeys[0];
  acdcStateClear(&st);
  return bIs;
}

char *acdcPlanStreamOf(
  AcdcPlan *pPlan, const char *zSchema, const char *zName, int iStep
){
  AcdcCtx *p = pPlan->p;
  AcdcPlanStream *aNew, *pS;
  AcdcFlow flow;
  char *z;
  int bMerged = acdcPlanIsMerged(pPlan, zSchema, zName, iStep);
  aNew = acdcRealloc(p, pPlan->aStream,
                     (pPlan->nStream+1)*(i64)sizeof(*aNew));
  if( aNew==0 ) return 0;
  pPlan->aStream = aNew;
  pS = &aNew[pPlan->nStream];
  memset(pS, 0, sizeof(*pS));
  pS->iAfter = (i64)(-9223372036854775807LL - 1);
  pPlan->nStream++;
  acdcFlowInit(&flow);
  flow.eSource = ACDC_SOURCE_TABLE;
  flow.zSource = acdcMprintf(p, "\"%w\".\"%w\"", zSchema, zName);
  acdcSourceOpen(p, &flow, 0, &pS->src);
  acdcFlowClear(&flow);
  if( p->rc ) return 0;
  pS->zLabel = acdcStrdup(p, pS->src.zLabel);
  if( !pS->src.bAppend || bMerged ){
    /* Rows change in place, or cannot be told apart: all of them, each time. */
    if( pPlan->bAppend && !pPlan->bDry ){
      acdcError(p, SQLITE_ERROR, "flow \"%s\" appends what is new in %s, %s: "
          "read it in batch mode into a materialized view, or merge it by key",
          pPlan->zFlow, pS->zLabel, bMerged
          ? "which is merged, so that its rows change in place"
          : "whose rows have no rowid to tell new ones by");
      return 0;
    }
    z = acdcMprintf(p, "\"%w\".\"%w\"", zSchema, zName);
    acdcSourceClose(&pS->src);
    sqlite3_free(pS->zLabel);
    pPlan->nStream--;
    return z;
  }
  if( !pPlan->bDry ) streamStart(pPlan, pS);
  pS->iMax = acdcSelectInt(p, 0, "SELECT max(%s) FROM %s", pS->src.zRowid,
                           pS->src.zFrom);
  pS->bRows = 0!=acdcSelectInt(p, 0, "SELECT 1 FROM %s LIMIT 1",
                               pS->src.zFrom);
  if( pPlan->bDry ){
    return acdcMprintf(p, "(SELECT * FROM %s WHERE %s > :checkpoint)",
                       pS->src.zFrom, pS->src.zRowid);
  }
  if( pS->iAfter<=(i64)(-9223372036854775807LL - 1) ){
    return acdcMprintf(p, "(SELECT * FROM %s WHERE %s <= %lld)", pS->src.zFrom,
                       pS->src.zRowid, pS->iMax);
  }
  return acdcMprintf(p, "(SELECT * FROM %s WHERE %s > %lld AND %s <= %lld)",
                     pS->src.zFrom, pS->src.zRowid, pS->iAfter,
                     pS->src.zRowid, pS->iMax);
}

/* ---- files ---- */

/* "csv" or "json" by the name of a file. */
static const char *formatOf(const char *zPath){
  size_t n = zPath ? strlen(zPath) : 0;
  return n>4 && sqlite3_stricmp(zPath+n-4, ".csv")==0 ? "csv" : "json";
}

/*
** Of the files listed, keep those that are new to the flow.  A changed file
** is read again by a merge, and refused by an append.
*/
static void filesNew(AcdcPlan *pPlan, const AcdcView *pView, AcdcFileList *pList){
  AcdcMarks marks = planMarks(pPlan);
  char *zChanged = 0;
  int k, bOver = 0;
  for(k=0; k<pView->optName.n; k++){
    if( sqlite3_stricmp(pView->optName.az[k], "cloudFiles.allowOverwrites")==0
     && sqlite3_stricmp(pView->optValue.az[k], "true")==0 ) bOver = 1;
  }
  if( pPlan->bReadAll ) return;
  acdcMarkUnread(&marks, pList, &zChanged);
  if( zChanged && pPlan->bAppend && !bOver && !pPlan->bDry ){
    acdcError(pPlan->p, SQLITE_ERROR, "the file \"%s\" has changed since it was "
        "read, and flow \"%s\" appends: give new rows a file of their own, or "
        "SELECT autocdc_reset('%q') to start the target anew", zChanged,
        pPlan->zFlow, pPlan->pStep->zName);
  }
  sqlite3_free(zChanged);
}

static void filesRemember(AcdcPlan *pPlan, const AcdcFileList *pList){
  AcdcCtx *p = pPlan->p;
  AcdcPlanFile *aNew = acdcRealloc(p, pPlan->aFile,
      (pPlan->nFile + pList->n + 1)*(i64)sizeof(*aNew));
  int i;
  if( aNew==0 ) return;
  pPlan->aFile = aNew;
  for(i=0; i<pList->n; i++){
    AcdcPlanFile *pF = &aNew[pPlan->nFile++];
    pF->zPath = acdcStrdup(p, pList->a[i].zPath);
    pF->nSize = pList->a[i].nSize;
    pF->iMtime = pList->a[i].iMtime;
  }
}

/* Text of a schema file.  Owned by the caller. */
static char *filesSchema(AcdcPlan *pPlan, const char *zPath){
  char *z;
  if( zPath==0 ) return 0;
  z = acdcSpecFile(pPlan->p, &pPlan->pStep->pOwner->opt, ACDC_FILE_SCHEMA,
                   zPath, 0);
  if( z==0 ){
    acdcError(pPlan->p, SQLITE_ERROR, "the schema file \"%s\" is not found",
              zPath);
  }
  return z;
}

/*
** A reader over files without a schema.  What its view was marked with is kept
** for the end of the run.
*/
static AcdcReader *filesOpenFree(
  AcdcPlan *pPlan, const AcdcView *pView, AcdcFiles *pF,
  const AcdcFileList *pList
){
  AcdcCtx *p = pPlan->p;
  AcdcMarks marks = planMarks(pPlan);
  char *zSource = acdcMprintf(p, "columns:%s", pView->zName);
  char *zNow = 0;
  AcdcReader *pR = zSource ? acdcMarkOpen(&marks, zSource, pF, pList, &zNow)
                           : 0;
  if( pR==0 && p->rc==SQLITE_OK ){
    pPlan->bEmpty = 1;
    acdcError(p, SQLITE_EMPTY, "no files");
  }
  if( zNow ){
    acdcNamesAdd(p, &pPlan->schemas, zSource, -1);
    acdcNamesAdd(p, &pPlan->schemas, zNow, -1);
  }
  sqlite3_free(zSource);
  sqlite3_free(zNow);
  return pR;
}

/* Take a reader over: its number as a parameter. */
static int planAddReader(AcdcPlan *pPlan, AcdcReader *pR){
  AcdcReader **apNew = acdcRealloc(pPlan->p, pPlan->apReader,
      (pPlan->nReader+1)*(i64)sizeof(*apNew));
  int i;
  if( apNew==0 ){
    acdcReaderFree(pR);
    return 0;
  }
  pPlan->apReader = apNew;
  apNew[pPlan->nReader++] = pR;
  for(i=0; i<pR->nCol; i++){
    acdcNamesAdd(pPlan->p, &pPlan->typeName, pR->aCol[i].zName, -1);
    acdcNamesAdd(pPlan->p, &pPlan->typeValue,
                 pR->aCol[i].zType ? pR->aCol[i].zType : "", -1);
  }
  return pPlan->nReader;
}

/*
** The columns of a reader, as a list.  What was rescued loses the path of its
** file, which _metadata has: it would tell where a copy of the data lies.
*/
static char *filesColumns(AcdcPlan *pPlan, AcdcReader *pR){
  AcdcCtx *p = pPlan->p;
  int iRescue = acdcFilesRescueColumn(pR);
  char *z = 0;
  int i;
  for(i=0; i<pR->nCol+pR->nHidden; i++){
    const char *zName = pR->aCol[i].zName;
    if( i==iRescue ){
      acdcAppendf(p, &z, "%snullif(json_remove(\"%w\", '$._file_path'), '{}') "
                  "AS \"%w\"", z ? ", " : "", zName, zName);
    }else{
      acdcAppendf(p, &z, "%s\"%w\"", z ? ", " : "", zName);
    }
  }
  return z;
}

/* "(SELECT columns, metadata FROM rows)", and the visible columns. */
static char *filesFrom(
  AcdcPlan *pPlan, const AcdcView *pView, AcdcReader *pR, int iParam,
  char **pzDefault
){
  AcdcCtx *p = pPlan->p;
  char *zRows = acdcReaderSql(p, pR, iParam);
  char *zCols = filesColumns(pPlan, pR);
  char *zMeta = 0, *z;
  int i;
  for(i=0; i<pR->nCol; i++){
    acdcAppendf(p, pzDefault, "%s\"%w\"", i ? ", " : "", pR->aCol[i].zName);
  }
  for(i=0; i<pView->metaName.n; i++){
    if( pView->metaField.az[i][0] ){
      acdcAppendf(p, &zMeta, ", json_extract(_metadata, '$.%q') AS \"%w\"",
                  pView->metaField.az[i], pView->metaName.az[i]);
    }else{
      acdcAppendf(p, &zMeta, ", _metadata AS \"%w\"", pView->metaName.az[i]);
    }
    acdcAppendf(p, pzDefault, ", \"%w\"", pView->metaName.az[i]);
  }
  z = acdcMprintf(p, "(SELECT %s%s FROM %s)", zCols ? zCols : "*",
                  zMeta ? zMeta : "", zRows);
  sqlite3_free(zRows);
  sqlite3_free(zCols);
  sqlite3_free(zMeta);
  return z;
}

/* A description of files; the holder is cleared with acdcFlowClear(). */
static void filesDescribe(
  AcdcPlan *pPlan, const AcdcView *pView, AcdcFlow *pHolder
){
  AcdcCtx *p = pPlan->p;
  int i;
  acdcFlowInit(pHolder);
  acdcFsAllowed(p);
  pHolder->files.zPath = acdcSpecDataPath(p, &pPlan->pStep->pOwner->opt,
                                          pView->zPath);
  pHolder->files.zFormat = acdcStrdup(p, pView->zFormat ? pView->zFormat
                                                        : "json");
  pHolder->files.zSchema = filesSchema(pPlan, pView->zSchemaPath);
  for(i=0; i<pView->optName.n; i++){
    acdcFlowAddOption(p, pHolder, pView->optName.az[i],
                      pView->optValue.az[i]);
  }
}

/* A reader over the files of a list becomes the text of a FROM clause. */
static char *filesOpen(
  AcdcPlan *pPlan, const AcdcView *pView, AcdcFiles *pF,
  const AcdcFileList *pList, char **pzDefault
){
  AcdcCtx *p = pPlan->p;
  AcdcReader *pR;
  char *z = 0;
  if( p->rc ) return 0;
  pR = pF->zSchema ? acdcFilesOpen(p, pF, pList)
                   : filesOpenFree(pPlan, pView, pF, pList);
  if( pR && p->rc==SQLITE_OK ){
    int iParam = planAddReader(pPlan, pR);
    acdcNamesAdd(p, &pPlan->deps, pF->zPath, -1);
    if( iParam ) z = filesFrom(pPlan, pView, pR, iParam, pzDefault);
  }else{
    acdcReaderFree(pR);
  }
  return z;
}

char *acdcPlanFiles(
  AcdcPlan *pPlan, const AcdcView *pView, int bStream, char **pzDefault
){
  AcdcCtx *p = pPlan->p;
  AcdcFlow holder;
  AcdcFileList list;
  char *z;
  memset(&list, 0, sizeof(list));
  acdcSpecMayRead(p, &pPlan->pStep->pOwner->opt);
  filesDescribe(pPlan, pView, &holder);
  acdcFilesList(p, &holder.files, pPlan->pStep->pOwner->opt.zBasePath, &list);
  if( p->rc==SQLITE_OK && pView->zFormat==0 && list.n ){
    sqlite3_free(holder.files.zFormat);
    holder.files.zFormat = acdcStrdup(p, formatOf(list.a[0].zPath));
  }
  if( bStream ){
    filesNew(pPlan, pView, &list);
    filesRemember(pPlan, &list);
  }
  z = filesOpen(pPlan, pView, &holder.files, &list, pzDefault);
  acdcFileListClear(&list);
  acdcFlowClear(&holder);
  return z;
}

char *acdcPlanFileList(
  AcdcPlan *pPlan, const AcdcView *pView, const AcdcFileList *pList,
  char **pzDefault
){
  AcdcFlow holder;
  char *z;
  filesDescribe(pPlan, pView, &holder);
  z = filesOpen(pPlan, pView, &holder.files, pList, pzDefault);
  acdcFlowClear(&holder);
  return z;
}

int acdcPlanMarked(AcdcPlan *pPlan, const char *zSource){
  sqlite3_stmt *pStmt = readRow(pPlan, zSource);
  int bIs = pStmt!=0;
  acdcFinalize(pPlan->p, &pStmt);
  return bIs;
}

void acdcPlanMark(AcdcPlan *pPlan, i64 iTarget, const char *zSource){
  AcdcMarks marks = planMarks(pPlan);
  marks.iTarget = iTarget;
  acdcMarkPut(&marks, zSource, 0, 0, 0, 0, 0);
}

/* ---- silver transformations ---- */

void acdcPlanTransform(
  AcdcPlan *pPlan, const AcdcView *pView, AcdcTexts *pSelect, AcdcTexts *pWhere
){
  AcdcCtx *p = pPlan->p;
  AcdcPipeSpec *pOwner = pPlan->pStep->pOwner;
  AcdcJsonPos pos;
  AcdcJson *pDoc;
  AcdcSpecRead r;
  const AcdcJsonNode *pEntry;
  char *zText = acdcSpecFile(p, &pOwner->opt, ACDC_FILE_OTHER,
                             pView->zTransform, 0);
  if( zText==0 ){
    acdcError(p, SQLITE_ERROR, "the file of silver transformations \"%s\" is "
              "not found", pView->zTransform);
    return;
  }
  pDoc = acdcJsonParse(p, zText, -1, &pos);
  sqlite3_free(zText);
  if( pDoc==0 ){
    acdcErrorWhere(p, "\"%s\" is not valid JSON: line %d, column %d",
                   pView->zTransform, pos.iLine, pos.iCol);
    return;
  }
  memset(&r, 0, sizeof(r));
  r.p = p;
  r.pDoc = pDoc;
  r.pSpec = &pPlan->scratch;
  r.pOpt = &pOwner->opt;
  if( acdcJsonRoot(pDoc)->eType!=ACDC_JSON_ARRAY ){
    acdcError(p, SQLITE_ERROR, "\"%s\" is a list of {\"target_table\", "
              "\"select_exp\"}", pView->zTransform);
  }
  pEntry = acdcJsonRoot(pDoc)->pFirst;
  for(; pEntry && p->rc==SQLITE_OK; pEntry=pEntry->pNext){
    const char *zTarget = acdcReadText(&r, pEntry, "target_table");
    if( zTarget && pView->zTransformTable
     && sqlite3_stricmp(zTarget, pView->zTransformTable)==0 ){
      acdcReadTexts(&r, pEntry, "select_exp", pSelect);
      acdcReadTexts(&r, pEntry, "where_clause", pWhere);
      break;
    }
  }
  acdcJsonFree(pDoc);
}

/* ---- remembering ---- */

void acdcPlanCommit(AcdcPlan *pPlan, i64 iTarget){
  AcdcCtx *p = pPlan->p;
  AcdcMarks marks = planMarks(pPlan);
  int i, bFound;
  marks.iTarget = iTarget;
  for(i=0; i<pPlan->nStream && p->rc==SQLITE_OK; i++){
    AcdcPlanStream *pS = &pPlan->aStream[i];
    char *zSource = acdcMprintf(p, "stream:%s", pS->zLabel);
    i64 iFirst = acdcSourceFirst(p, &pS->src, &bFound);
    if( bFound && zSource ){
      acdcMarkPut(&marks, zSource, iFirst,
                  acdcSourceDigest(p, &pS->src, iFirst, &bFound), pS->iMax,
                  acdcSourceDigest(p, &pS->src, pS->iMax, &bFound), 0);
    }
    sqlite3_free(zSource);
  }
  for(i=0; i<pPlan->nFile && p->rc==SQLITE_OK; i++){
    acdcMarkFile(&marks, pPlan->aFile[i].zPath, pPlan->aFile[i].nSize,
                 pPlan->aFile[i].iMtime);
  }
  for(i=0; i+1<pPlan->schemas.n && p->rc==SQLITE_OK; i+=2){
    acdcMarkPut(&marks, pPlan->schemas.az[i], 0, 0, 0, 0,
                pPlan->schemas.az[i+1]);
  }
}
