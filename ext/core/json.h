/*
** JSON documents: a facade over cJSON that adds what cJSON does not keep.
**
** A document is scanned before cJSON sees it.  The scan is strict (RFC 8259,
** valid UTF-8, no leading zeros, no "\u0000", nothing after the value), has
** limits of size, depth and number of values, and notes where every value
** stands and how it is spelled, so that errors can say line and column and
** integers beyond 2^53 stay exact.  cJSON then decodes the strings.
**
** Only json.c knows of cJSON.  Row data never goes through here.
*/
#ifndef ACDC_JSON_H
#define ACDC_JSON_H

#include "core.h"

#define ACDC_JSON_MAX_BYTES  (16*1024*1024)
#define ACDC_JSON_MAX_DEPTH  200
#define ACDC_JSON_MAX_VALUES 2000000

/* AcdcJsonNode.eType */
#define ACDC_JSON_NULL    1
#define ACDC_JSON_BOOL    2
#define ACDC_JSON_NUMBER  3
#define ACDC_JSON_STRING  4
#define ACDC_JSON_ARRAY   5
#define ACDC_JSON_OBJECT  6

/*
** One value.  All pointers live as long as the document.
*/
typedef struct AcdcJsonNode AcdcJsonNode;
struct AcdcJsonNode {
  u8 eType;            /* ACDC_JSON_* */
  u8 bTrue;            /* BOOL: the value */
  u8 bDup;             /* A later member of this object has the same name */
  int nChild;          /* Elements or members */
  u32 iOff;            /* Byte offset of the value's text */
  u32 nRaw;            /* Bytes of the value's text, closing bracket included */
  u32 iKeyOff;         /* Byte offset of the member's name; iOff if none */
  int iIndex;          /* Place among the children of pParent, from 0 */
  const char *zKey;    /* Name, if this is a member of an object */
  const char *zText;   /* STRING: the decoded text */
  AcdcJsonNode *pParent;
  AcdcJsonNode *pFirst;    /* First child */
  AcdcJsonNode *pNext;     /* Next child of pParent */
};

typedef struct AcdcJson AcdcJson;

/* A place in the text; iLine is 0 where there is none. */
typedef struct AcdcJsonPos AcdcJsonPos;
struct AcdcJsonPos {
  i64 iOff;            /* Byte offset */
  int iLine;           /* From 1 */
  int iCol;            /* From 1, in characters */
};

/*
** Parse n bytes of z (n<0: up to its terminator), which are copied.  Returns
** NULL with an error in p if the text is refused: *pPos is then where, and the
** message says only what, so that the caller can put the place in front.
** The caller frees the document.
*/
AcdcJson *acdcJsonParse(AcdcCtx *p, const char *z, i64 n, AcdcJsonPos *pPos);
void acdcJsonFree(AcdcJson *pDoc);

AcdcJsonNode *acdcJsonRoot(AcdcJson *pDoc);
/* Members of objects that a later member of the same name overrides. */
int acdcJsonDuplicates(AcdcJson *pDoc);

/* The member of that name, case and all; of duplicates the last.  Or NULL. */
AcdcJsonNode *acdcJsonMember(const AcdcJsonNode *pObj, const char *zName);
/* The i-th element or member, or NULL. */
AcdcJsonNode *acdcJsonAt(const AcdcJsonNode *p, int i);

/* "an object", "text", "a number" ... for messages.  Static. */
const char *acdcJsonTypeName(const AcdcJsonNode *p);
/* RFC 6901 pointer, "" for the root.  Owned by the caller. */
char *acdcJsonPointer(AcdcCtx *p, const AcdcJsonNode *pNode);
/* Where the value starts (bKey: where its name does). */
void acdcJsonWhere(AcdcJson *pDoc, const AcdcJsonNode *pNode, int bKey,
                   AcdcJsonPos *pPos);
/* The value as it is spelled; *pn bytes, not terminated.  Not owned. */
const char *acdcJsonRaw(AcdcJson *pDoc, const AcdcJsonNode *pNode, int *pn);

/* 1 and *pi if the node is a number that is spelled as a 64-bit integer. */
int acdcJsonInt(AcdcJson *pDoc, const AcdcJsonNode *pNode, i64 *pi);
/*
** A scalar as a value that borrows its bytes from the document: integers are
** INTEGER, or TEXT of their digits beyond 64 bits; other numbers REAL, true
** and false 1 and 0.  An object or array is the TEXT of its spelling.
*/
void acdcJsonScalar(AcdcJson *pDoc, const AcdcJsonNode *pNode, AcdcVal *pOut);

/* The error "at /pointer (line L, column C): ...". */
void acdcJsonError(AcdcCtx *p, AcdcJson *pDoc, const AcdcJsonNode *pNode,
                   const char *zFmt, ...);
/* Put "at /pointer (line L, column C)" in front of an error set by others. */
void acdcJsonErrorAt(AcdcCtx *p, AcdcJson *pDoc, const AcdcJsonNode *pNode);

/* *pz = *pz followed by z as a JSON string (n<0: up to its terminator). */
void acdcJsonQuote(AcdcCtx *p, char **pz, const char *z, i64 n);

/* Version of cJSON, "1.7.15".  Static. */
const char *acdcJsonLibVersion(void);

#endif /* ACDC_JSON_H */
