/*
** Expectations of specs: rules read from files, and the SQL conditions that
** they become.  Rules see the rows of a view, before a merge or an append.
**
** A NULL outcome is a violation.  Each rule stands in parentheses of its own.
*/
#ifndef ACDC_RULES_H
#define ACDC_RULES_H

#include "../core/core.h"
#include "../flow/flow.h"

/* How a file is understood; the values of AcdcQuality.eFamily. */
#define ACDC_FAMILY_LISTS   0   /* lists of {name, constraint} */
#define ACDC_FAMILY_NAMED   1   /* {name: rule}; quarantine rules are true for
                                ** bad rows and drop none */
#define ACDC_FAMILY_ENGINE  2   /* {name: rule}; quarantine rules are true for
                                ** good rows, and bad ones are dropped */

typedef struct AcdcRules AcdcRules;
struct AcdcRules {
  int n;
  AcdcExpect *a;          /* Owned */
  u8 eFamily;             /* ACDC_FAMILY_* */
  u8 bFlag;               /* Quarantine "flag": nothing drops or fails */
  u8 bTable;              /* Quarantine "table" */
};

/*
** Add the rules of one file of expectations, in any of the forms of both
** families; zWhat names it in errors.  A group that comes again replaces the
** one that was there if bReplace, as files of a folder do.
*/
void acdcRulesParse(AcdcCtx *p, const char *zText, const char *zWhat,
                    int bReplace, AcdcRules *pOut);
void acdcRulesClear(AcdcRules *pRules);

/* Conditions as SQL text, owned by the caller; NULL if no rule says anything.*/
/* What a row must satisfy to be taken. */
char *acdcRulesGood(AcdcCtx *p, const AcdcRules *pRules);
/* What sends a row to the quarantine table. */
char *acdcRulesBad(AcdcCtx *p, const AcdcRules *pRules);
/* 1 for a row that fails some rule, 0 for the others. */
char *acdcRulesFlag(AcdcCtx *p, const AcdcRules *pRules);
/* An expression: a JSON list of {name, expression} of the rules it fails. */
char *acdcRulesErrors(AcdcCtx *p, const AcdcRules *pRules);

#endif /* ACDC_RULES_H */
