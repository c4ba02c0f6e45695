/*
** Files that go along with a spec: SQL, schemas, rules, transformations, the
** definition of a template.  See files.h.
*/
#include "files.h"
#include "../quality/rules.h"
#include "../source/schema.h"

typedef struct Companions Companions;
struct Companions {
  AcdcCtx *p;
  AcdcSpecOptions *pOpt;
  AcdcDiags *pDiags;
};

/* A finding at a place of the document. */
static void companionError(
  Companions *pC, const AcdcPlace *pPlace, const char *zHint, const char *zFmt,
  ...
){
  AcdcDiags *pDiags = pC->pDiags;
  int n = pDiags->n;
  AcdcDiag *pD;
  va_list ap;
  va_start(ap, zFmt);
  acdcDiagAddV(pC->p, pDiags, ACDC_DIAG_ERROR, 0, 0, 0, zHint, zFmt, ap);
  va_end(ap);
  if( pDiags->n==n || pPlace==0 || pC->p->rc ) return;
  pD = &pDiags->a[n];
  pD->iLine = pPlace->iLine;
  pD->iCol = pPlace->iCol;
  if( pPlace->zPath ){
    sqlite3_free(pD->zPath);
    pD->zPath = acdcStrdup(pC->p, pPlace->zPath);
    if( pD->zPath==0 ) pDiags->n = n;
  }
}

/* The text does not read as what it should be: a finding. */
static void companionCheck(
  Companions *pC, int eKind, const char *zPath, const char *zText,
  const AcdcPlace *pPlace
){
  AcdcCtx sub;
  acdcCtxInit(&sub, pC->p->db);
  if( eKind==ACDC_FILE_RULES ){
    AcdcRules rules;
    memset(&rules, 0, sizeof(rules));
    acdcRulesParse(&sub, zText, zPath, 0, &rules);
    acdcRulesClear(&rules);
  }else if( eKind==ACDC_FILE_SCHEMA ){
    AcdcSchema schema;
    memset(&schema, 0, sizeof(schema));
    acdcSchemaParse(&sub, zText, &schema);
    acdcErrorWhere(&sub, "%s", zPath);
    acdcSchemaClear(&schema);
  }else if( eKind==ACDC_FILE_OTHER ){
    AcdcJsonPos pos;
    AcdcJson *pDoc = acdcJsonParse(&sub, zText, -1, &pos);
    acdcErrorWhere(&sub, "%s: line %d, column %d", zPath, pos.iLine, pos.iCol);
    acdcJsonFree(pDoc);
  }
  if( sub.rc==SQLITE_NOMEM ){
    acdcError(pC->p, SQLITE_NOMEM, "out of memory");
  }else if( sub.rc ){
    companionError(pC, pPlace, 0, "%s", acdcErrorText(&sub));
  }
  acdcCtxClear(&sub);
}

static void companionMissing(
  Companions *pC, const char *zPath, const AcdcPlace *pPlace
){
  AcdcCtx sub;
  char *zMapped = acdcSpecDataPath(pC->p, pC->pOpt, zPath);
  int bMapped = zMapped && strcmp(zMapped, zPath)!=0;
  acdcCtxInit(&sub, pC->p->db);
  acdcSpecMayRead(&sub, pC->pOpt);
  companionError(pC, pPlace, sub.rc
      ? "this connection reads no files: the option files may hold its text"
      : zPath[0]=='/' || strchr(zPath, ':')
      ? "the option path_map says where such paths are here, the option files "
        "may hold its text"
      : "the option base_path says where files are, the option files may hold "
        "its text", "the file \"%s\" is not found%s%s%s", zPath,
      bMapped ? " at \"" : "", bMapped ? zMapped : "", bMapped ? "\"" : "");
  acdcCtxClear(&sub);
  sqlite3_free(zMapped);
}

/* Keep the text of a file in the options, under zKeep; findings about it. */
static void companionFile(
  Companions *pC, int eKind, const char *zPath, const char *zKeep,
  const AcdcPlace *pPlace, int eCheck
){
  AcdcCtx sub;
  char *z;
  if( zPath==0 || pC->p->rc ) return;
  acdcCtxInit(&sub, pC->p->db);
  z = acdcSpecFile(&sub, pC->pOpt, eKind, zPath, 0);
  if( sub.rc==SQLITE_NOMEM ){
    acdcError(pC->p, SQLITE_NOMEM, "out of memory");
  }else if( sub.rc ){
    companionError(pC, pPlace, 0, "%s", acdcErrorText(&sub));
  }else if( z==0 ){
    companionMissing(pC, zPath, pPlace);
  }else{
    companionCheck(pC, eCheck, zPath, z, pPlace);
    if( acdcNamesFind(&pC->pOpt->fileName, zKeep)<0 ){
      acdcNamesAdd(pC->p, &pC->pOpt->fileName, zKeep, -1);
      acdcNamesAdd(pC->p, &pC->pOpt->fileText, z, -1);
    }
  }
  acdcCtxClear(&sub);
  sqlite3_free(z);
}

static void companion(
  Companions *pC, int eKind, const char *zPath, const AcdcPlace *pPlace
){
  companionFile(pC, eKind, zPath, zPath, pPlace, eKind);
}

/* A file of expectations, or each of a folder of them. */
static void companionRules(Companions *pC, const AcdcQuality *pQ){
  AcdcNames names = {0, 0};
  size_t n;
  int i;
  if( pQ->zPath==0 || pC->p->rc ) return;
  n = strlen(pQ->zPath);
  if( n<=5 || strcmp(&pQ->zPath[n-5], ".json") ){
    acdcSpecFolder(pC->p, pC->pOpt, ACDC_FILE_RULES, pQ->zPath, &names);
  }
  if( names.n==0 ) companion(pC, ACDC_FILE_RULES, pQ->zPath, &pQ->place);
  for(i=0; i<names.n && pC->p->rc==SQLITE_OK; i++){
    /* Kept under the folder's name in the spec, where it is looked for. */
    const char *zTail = strrchr(names.az[i], '/');
    char *zKeep = acdcMprintf(pC->p, "%s/%s",
        strcmp(pQ->zPath, ".")==0 ? "expectations" : pQ->zPath,
        zTail ? zTail+1 : names.az[i]);
    if( zKeep ){
      companionFile(pC, ACDC_FILE_OTHER, names.az[i], zKeep, &pQ->place,
                    ACDC_FILE_RULES);
    }
    sqlite3_free(zKeep);
  }
  acdcNamesFree(&names);
}

void acdcSpecCompanions(
  AcdcCtx *p, AcdcSpecOptions *pOpt, const AcdcSpec *pSpec, AcdcDiags *pDiags
){
  const AcdcView *pView;
  const AcdcStep *pStep;
  Companions c;
  c.p = p;
  c.pOpt = pOpt;
  c.pDiags = pDiags;
  companion(&c, ACDC_FILE_TEMPLATE, pSpec->zTemplate, 0);
  for(pView=pSpec->pView; pView; pView=pView->pNext){
    companion(&c, ACDC_FILE_SQL, pView->zSqlPath, &pView->place);
    companion(&c, ACDC_FILE_SCHEMA, pView->zSchemaPath, &pView->place);
    companion(&c, ACDC_FILE_OTHER, pView->zTransform, &pView->place);
  }
  for(pStep=pSpec->pStep; pStep; pStep=pStep->pNext){
    companion(&c, ACDC_FILE_SQL, pStep->zSqlPath, &pStep->place);
    companion(&c, ACDC_FILE_SCHEMA, pStep->zSchemaPath, &pStep->place);
    companion(&c, ACDC_FILE_SCHEMA, pStep->versions.zSchemaPath, &pStep->place);
    companionRules(&c, &pStep->quality);
  }
  acdcDiagSort(pDiags);
}
