/*
** The shape of a format: which members its objects have, of which types, with
** which values, and what becomes of each.  The tables of shapes are the one
** home of all this; the validator, the JSON Schemas and the tables in
** docs/specs/ are made from them.
*/
#ifndef ACDC_SHAPE_H
#define ACDC_SHAPE_H

#include "../core/core.h"
#include "../core/json.h"
#include "diag.h"

/* AcdcField.mType: JSON types that a member may have. */
#define ACDC_T_TEXT   0x001
#define ACDC_T_INT    0x002
#define ACDC_T_BOOL   0x004
#define ACDC_T_REAL   0x008  /* any number */
#define ACDC_T_LIST   0x010  /* list of texts */
#define ACDC_T_OBJECT 0x020  /* object of shape pSub; of any shape if NULL */
#define ACDC_T_ARRAY  0x040  /* list of objects of shape pSub */
#define ACDC_T_MAP    0x080  /* object whose values are objects of pSub */
#define ACDC_T_RULES  0x100  /* object whose values are texts */
#define ACDC_T_SCALAR (ACDC_T_TEXT|ACDC_T_BOOL|ACDC_T_REAL|ACDC_T_INT)

/* AcdcField.eHow: what becomes of a member. */
#define ACDC_HOW_HONOURED 'h'
#define ACDC_HOW_EXTRA    'x'   /* honoured; not of the original format */
#define ACDC_HOW_STORED   's'   /* kept; says nothing about rows */
#define ACDC_HOW_WARNED   'w'   /* accepted with a warning, without effect */
#define ACDC_HOW_REFUSED  'r'   /* an error: rows would be wrong without it */

/* AcdcField.mFlag */
#define ACDC_F_REQ    0x01  /* must be there */
#define ACDC_F_ENV    0x02  /* zName ends in "_": an environment follows */
#define ACDC_F_LAYER  0x04  /* stands for bronze_<zName> and silver_<zName> */
#define ACDC_F_SNAKE  0x08  /* snake_case in the camelCase formats too */
#define ACDC_F_FILL   0x10  /* list or object must not be empty */
#define ACDC_F_PLAIN  0x20  /* the name is no word to change the case of */

typedef struct AcdcShape AcdcShape;
typedef struct AcdcField AcdcField;
struct AcdcField {
  const char *zName;       /* In snake_case */
  u32 mType;               /* ACDC_T_* */
  u8 eHow;                 /* ACDC_HOW_* */
  u8 mFlag;                /* ACDC_F_* */
  const char *zValues;     /* "a|b": the texts allowed, without case */
  const char *zRefused;    /* "c|d": of the format, but not possible here */
  const AcdcShape *pSub;
  const char *zDoc;        /* What it does here; of a refused one, what to do
                           ** instead */
};

/* AcdcRule.eRule: what holds among members. */
#define ACDC_RULE_REQUIRE 1    /* all of zFields are there */
#define ACDC_RULE_FORBID  2    /* none is */
#define ACDC_RULE_ONE     3    /* exactly one is */
#define ACDC_RULE_ATMOST  4    /* at most one is */
#define ACDC_RULE_SHAPE   5    /* the member zFields has the shape pShape */

typedef struct AcdcRule AcdcRule;
struct AcdcRule {
  u8 eRule;                /* ACDC_RULE_* */
  const char *zIf;         /* Member looked at, or NULL: holds always */
  const char *zIs;         /* "a|b": its values; "" among them: absent */
  const char *zIf2;        /* A second one, or NULL */
  const char *zIs2;
  const char *zFields;     /* "a|b" */
  const AcdcShape *pShape;
  const char *zWhy;        /* Said in the message; may be NULL */
};

/* AcdcShape.eUnknown: a member that is in no table. */
#define ACDC_UNKNOWN_ERROR 0
#define ACDC_UNKNOWN_WARN  1   /* an error only if it is near a known name */
#define ACDC_UNKNOWN_OK    2

#define ACDC_SHAPE_MAXFIELD 64

struct AcdcShape {
  const char *zName;       /* Name of the definition in the JSON Schema */
  const char *zDoc;
  const AcdcField *aField;
  int nField;
  const AcdcRule *aRule;
  int nRule;
  u8 eUnknown;             /* ACDC_UNKNOWN_* */
  u8 bAnyCase;             /* Names match without case */
};

#define ACDC_SHAPE_FIELDS(a)  (a), (int)(sizeof(a)/sizeof((a)[0]))
#define ACDC_SHAPE_NORULES    0, 0

/*
** The roots: one for each format that is read.
*/
typedef struct AcdcFormat AcdcFormat;
struct AcdcFormat {
  const char *zName;       /* "nodespec" */
  const char *zTitle;
  u8 bList;                /* The document is a list of such objects */
  u8 bCamel;               /* Written in camelCase */
  const AcdcShape *pShape;
  const AcdcShape *pObject;  /* bList: the document may also be one object, of
                             ** this shape.  Or NULL */
};
/* The i-th format, or NULL past the end. */
const AcdcFormat *acdcFormatAt(int i);
/* The format of that name (without case, - and _ alike), or NULL. */
const AcdcFormat *acdcFormatFind(const char *zName);

/*
** Check pNode against a shape and add what is found to pDiags.  bCamel says
** how names are spelled in messages.
*/
void acdcShapeCheck(AcdcCtx *p, AcdcJson *pDoc, const AcdcJsonNode *pNode,
                    const AcdcShape *pShape, int bCamel, AcdcDiags *pDiags);

/*
** The member of pObj that a field name (snake_case) stands for, in either
** casing; JSON null counts as absent.
*/
const AcdcJsonNode *acdcShapeMember(const AcdcJsonNode *pObj, const char *zName);

/* zName in camelCase if bCamel, into zBuf of nBuf bytes. */
const char *acdcShapeSpell(const char *zName, int bCamel, char *zBuf, int nBuf);

/* Place of z among the words of "a|b|c", without case, or -1. */
int acdcWordFind(const char *zWords, const char *z);

/* The JSON Schema (draft-07) of a format.  Owned by the caller. */
char *acdcShapeSchema(AcdcCtx *p, const AcdcFormat *pFormat);

#endif /* ACDC_SHAPE_H */
