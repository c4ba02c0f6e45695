/*
** Expectations of specs.  See rules.h.
*/
#include "rules.h"
#include "../core/json.h"

/* Groups of rules, with what their violation does.  The short form wins over
** the long one. */
static const struct { const char *z; const char *zLong; u8 eAction; } aGroup[] = {
  { "expect", "expect_all", ACDC_EXPECT_WARN },
  { "expect_or_drop", "expect_all_or_drop", ACDC_EXPECT_DROP },
  { "expect_or_fail", "expect_all_or_fail", ACDC_EXPECT_FAIL },
  { "expect_or_quarantine", "expect_all_or_quarantine",
    ACDC_EXPECT_QUARANTINE },
};

static void ruleDrop(AcdcRules *pRules, int i){
  sqlite3_free(pRules->a[i].zName);
  sqlite3_free(pRules->a[i].zRule);
  pRules->n--;
  memmove(&pRules->a[i], &pRules->a[i+1],
          sizeof(AcdcExpect)*(size_t)(pRules->n - i));
}

/* Severity: of two rules of one name, fail beats drop beats expect. */
static int ruleWeight(u8 eAction){
  return eAction==ACDC_EXPECT_FAIL ? 3 : eAction==ACDC_EXPECT_DROP ? 2
       : eAction==ACDC_EXPECT_QUARANTINE ? 1 : 0;
}

static void ruleAdd(
  AcdcCtx *p, AcdcRules *pRules, const char *zName, const char *zRule,
  u8 eAction
){
  AcdcExpect *aNew;
  int i;
  for(i=0; i<pRules->n && pRules->eFamily==ACDC_FAMILY_LISTS; i++){
    if( strcmp(pRules->a[i].zName, zName) ) continue;
    if( ruleWeight(pRules->a[i].eAction)>ruleWeight(eAction) ) return;
    ruleDrop(pRules, i);
    break;
  }
  aNew = acdcRealloc(p, pRules->a,
                     (pRules->n+1)*(i64)sizeof(AcdcExpect));
  if( aNew==0 ) return;
  pRules->a = aNew;
  aNew[pRules->n].zName = acdcStrdup(p, zName);
  aNew[pRules->n].zRule = acdcStrdup(p, zRule);
  aNew[pRules->n].eAction = eAction;
  pRules->n++;
}

/* One rule as an object {name, constraint, tag, enabled}. */
static void ruleObject(
  AcdcCtx *p, AcdcJson *pDoc, const AcdcJsonNode *pNode, u8 eAction,
  AcdcRules *pOut
){
  static const char *const azRule[] = { "constraint", "expression", "rule" };
  const AcdcJsonNode *pName = acdcJsonMember(pNode, "name");
  const AcdcJsonNode *pOn = acdcJsonMember(pNode, "enabled");
  const AcdcJsonNode *pRule = 0;
  int i;
  for(i=0; i<3 && pRule==0; i++) pRule = acdcJsonMember(pNode, azRule[i]);
  if( pNode->eType!=ACDC_JSON_OBJECT ){
    acdcJsonError(p, pDoc, pNode, "an expectation is an object {\"name\", "
                  "\"constraint\"}, not %s", acdcJsonTypeName(pNode));
  }else if( pName==0 || pName->eType!=ACDC_JSON_STRING ){
    acdcJsonError(p, pDoc, pNode, "an expectation needs a \"name\"");
  }else if( pRule==0 || pRule->eType!=ACDC_JSON_STRING || pRule->zText[0]==0 ){
    acdcJsonError(p, pDoc, pNode, "the expectation \"%s\" needs a "
                  "\"constraint\"", pName->zText);
  }else if( pOn && pOn->eType!=ACDC_JSON_BOOL && pOn->eType!=ACDC_JSON_NULL ){
    acdcJsonError(p, pDoc, pOn, "\"enabled\" takes true or false, not %s",
                  acdcJsonTypeName(pOn));
  }else if( pOn==0 || pOn->eType!=ACDC_JSON_BOOL || pOn->bTrue ){
    ruleAdd(p, pOut, pName->zText, pRule->zText, eAction);
  }
}

static void ruleGroup(
  AcdcCtx *p, AcdcJson *pDoc, const AcdcJsonNode *pGroup, u8 eAction,
  AcdcRules *pOut
){
  const AcdcJsonNode *pNode;
  if( pGroup->eType==ACDC_JSON_NULL ) return;
  if( pGroup->eType!=ACDC_JSON_ARRAY && pGroup->eType!=ACDC_JSON_OBJECT ){
    acdcJsonError(p, pDoc, pGroup, "\"%s\" takes a list of {\"name\", "
        "\"constraint\"} or an object {\"name\": \"rule\"}, not %s",
        pGroup->zKey, acdcJsonTypeName(pGroup));
    return;
  }
  for(pNode=pGroup->pFirst; pNode && p->rc==SQLITE_OK; pNode=pNode->pNext){
    if( pGroup->eType==ACDC_JSON_ARRAY ){
      ruleObject(p, pDoc, pNode, eAction, pOut);
    }else if( pNode->bDup ){
      continue;
    }else if( pNode->eType!=ACDC_JSON_STRING || pNode->zText[0]==0 ){
      acdcJsonError(p, pDoc, pNode, "the rule \"%s\" is an SQL condition, not "
                    "%s", pNode->zKey, acdcJsonTypeName(pNode));
    }else{
      ruleAdd(p, pOut, pNode->zKey, pNode->zText, eAction);
    }
  }
}

void acdcRulesParse(
  AcdcCtx *p, const char *zText, const char *zWhat, int bReplace,
  AcdcRules *pOut
){
  AcdcJsonPos pos;
  AcdcJson *pDoc;
  int i, k;
  if( p->rc ) return;
  pDoc = acdcJsonParse(p, zText, -1, &pos);
  if( pDoc==0 ){
    acdcErrorWhere(p, "%s is not valid JSON: line %d, column %d", zWhat,
                   pos.iLine, pos.iCol);
    return;
  }
  if( acdcJsonRoot(pDoc)->eType!=ACDC_JSON_OBJECT ){
    acdcError(p, SQLITE_ERROR, "expectations are an object {\"expect_or_drop\":"
              " ...}, not %s", acdcJsonTypeName(acdcJsonRoot(pDoc)));
  }
  for(i=0; i<4; i++){
    const AcdcJsonNode *pGroup = acdcJsonMember(acdcJsonRoot(pDoc), aGroup[i].z);
    if( pGroup==0 ){
      pGroup = acdcJsonMember(acdcJsonRoot(pDoc), aGroup[i].zLong);
    }
    if( pGroup==0 ) continue;
    for(k=pOut->n-1; k>=0 && bReplace; k--){
      if( pOut->a[k].eAction==aGroup[i].eAction ) ruleDrop(pOut, k);
    }
    ruleGroup(p, pDoc, pGroup, aGroup[i].eAction, pOut);
  }
  acdcErrorWhere(p, "%s", zWhat);
  acdcJsonFree(pDoc);
}

void acdcRulesClear(AcdcRules *pRules){
  while( pRules->n ) ruleDrop(pRules, pRules->n-1);
  sqlite3_free(pRules->a);
  memset(pRules, 0, sizeof(*pRules));
}

/* Is a violation of the rule a reason not to take the row? */
static int ruleDrops(const AcdcRules *pRules, const AcdcExpect *pE){
  if( pRules->bFlag ) return 0;
  return pE->eAction==ACDC_EXPECT_DROP
      || (pE->eAction==ACDC_EXPECT_QUARANTINE
          && pRules->eFamily!=ACDC_FAMILY_NAMED);
}

char *acdcRulesGood(AcdcCtx *p, const AcdcRules *pRules){
  char *z = 0;
  int i;
  for(i=0; i<pRules->n; i++){
    if( ruleDrops(pRules, &pRules->a[i]) ){
      acdcAppendf(p, &z, "%s((%s) IS TRUE)", z ? " AND " : "",
                  pRules->a[i].zRule);
    }
  }
  return z;
}

char *acdcRulesBad(AcdcCtx *p, const AcdcRules *pRules){
  char *z = 0;
  int i;
  if( !pRules->bTable ) return 0;
  for(i=0; i<pRules->n; i++){
    const AcdcExpect *pE = &pRules->a[i];
    if( pRules->eFamily==ACDC_FAMILY_LISTS ){
      /* Whatever fails any rule, a mere "expect" included. */
      acdcAppendf(p, &z, "%s((%s) IS NOT TRUE)", z ? " OR " : "", pE->zRule);
    }else if( pE->eAction==ACDC_EXPECT_QUARANTINE ){
      if( pRules->eFamily==ACDC_FAMILY_ENGINE ){
        acdcAppendf(p, &z, "%s((%s) IS NOT TRUE)", z ? " OR " : "", pE->zRule);
      }else{
        acdcAppendf(p, &z, "%s((%s) IS TRUE)", z ? " AND " : "", pE->zRule);
      }
    }
  }
  return z;
}

char *acdcRulesFlag(AcdcCtx *p, const AcdcRules *pRules){
  char *z = 0;
  int i;
  for(i=0; i<pRules->n; i++){
    acdcAppendf(p, &z, "%s((%s) IS NOT TRUE)", z ? " OR " : "",
                pRules->a[i].zRule);
  }
  return z;
}

char *acdcRulesErrors(AcdcCtx *p, const AcdcRules *pRules){
  char *z = 0;
  int i;
  if( pRules->eFamily!=ACDC_FAMILY_ENGINE ) return 0;
  for(i=0; i<pRules->n; i++){
    if( pRules->a[i].eAction!=ACDC_EXPECT_QUARANTINE ) continue;
    acdcAppendf(p, &z, "%s SELECT %Q AS n, %Q AS e WHERE (%s) IS NOT TRUE",
        z ? " UNION ALL" : "", pRules->a[i].zName, pRules->a[i].zRule,
        pRules->a[i].zRule);
  }
  if( z ){
    char *zAll = acdcMprintf(p, "(SELECT json_group_array(json_object('name', "
                             "n, 'expression', e)) FROM (%s))", z);
    sqlite3_free(z);
    z = zAll;
  }
  return z;
}
