/*
** The order of sequence values: semantics.md section 2.  Nothing else.
**
** A sequence value has one or more parts.  Each part has a class, fixed per
** target by its first events.  A value is held in two forms:
**
**   order   either a 64-bit integer (isInt) or a string of bytes whose
**           memcmp() order, shorter first, is the sequence order.  Values of
**           one class compare whichever form they have;
**   shown   the value as __START_AT / __END_AT have it.
*/
#ifndef ACDC_SEQUENCE_H
#define ACDC_SEQUENCE_H

#include "../core/core.h"

/* Classes of a part.  Stored in the catalog as the letter given. */
#define ACDC_SEQ_UNKNOWN  0    /* no event seen yet */
#define ACDC_SEQ_NUMBER  'n'
#define ACDC_SEQ_INSTANT 'i'
#define ACDC_SEQ_TEXT    't'
#define ACDC_SEQ_BLOB    'b'

#define ACDC_SEQ_MAXPART 8     /* parts of a composite sequence, at most */

/*
** The kind of sequence of one target.
*/
typedef struct AcdcSeqKind AcdcSeqKind;
struct AcdcSeqKind {
  int nPart;                        /* 1, or more for a composite */
  u8 aClass[ACDC_SEQ_MAXPART];      /* ACDC_SEQ_* */
  u8 aInstant[ACDC_SEQ_MAXPART];    /* source column is declared TIMESTAMP,
                                    ** DATETIME or DATE: text must be one */
  u8 bMixedForm;                    /* Instants of different written forms were
                                    ** seen: plain text order is not sequence
                                    ** order (one part only) */
  char zForm[40];                   /* Written form of the instants so far, e.g.
                                    ** "dddd-dd-dd dd:dd:dd.ddd"; "" if none */
};

/*
** One sequence value.  pOrd and shown point into memory given by whoever made
** it (an arena or a buffer of the caller's).
*/
typedef struct AcdcSeq AcdcSeq;
struct AcdcSeq {
  u8 isInt;            /* iOrd holds the order; pOrd is NULL */
  i64 iOrd;            /* NUMBER: the integer. INSTANT: microseconds */
  const u8 *pOrd;      /* Order bytes, if !isInt */
  int nOrd;
  AcdcVal shown;       /* Form for __START_AT, __END_AT */
};

/* Bytes that acdcSeqRead() may need for one part, besides the text itself */
#define ACDC_SEQ_SPARE 64

/*
** Read the nPart values aVal[] into *pOut.  A class of *pKind that is
** UNKNOWN is set from the value; so are zForm and bMixedForm updated (only
** for one part).  New bytes come from pA.  The shown form of TEXT, BLOB and
** INSTANT borrows the bytes of aVal.
**
** Returns 0 on success.  Else a message in the context: class mismatch,
** value that fits no form, not an instant.  It names the value (and the part
** by azPart[], the text of the sequence_by member) but not flow or row:
** callers add those with acdcErrorWhere().  A NULL part is no error here:
** returns 1+part number.
*/
int acdcSeqRead(AcdcCtx *p, AcdcSeqKind *pKind, const AcdcVal *aVal,
                char *const*azPart, AcdcArena *pA, AcdcSeq *pOut);

/*
** Read the shown form back: a value of __START_AT / __END_AT, or of
** a sequence column that the target keeps.  Composite: JSON array text.  The
** value must not be NULL.  On a value that cannot be one of this kind: error.
*/
void acdcSeqReadShown(AcdcCtx *p, AcdcSeqKind *pKind, const AcdcVal *pV,
                      AcdcArena *pA, AcdcSeq *pOut);

/* <0, 0, >0.  Both are of kind pKind. */
int acdcSeqCmp(const AcdcSeqKind *pKind, const AcdcSeq *pA, const AcdcSeq *pB);

/*
** Order bytes of a value also if it is isInt: for byte-wise comparison with
** values that are not.  Written to aBuf (at least ACDC_SEQ_SPARE bytes) when
** isInt, else the value's own bytes are returned.
*/
const u8 *acdcSeqOrd(const AcdcSeqKind *pKind, const AcdcSeq *pS, u8 *aBuf, int *pn);

/*
** The form kept in our state tables: a value whose order under SQLite
** (BINARY) is the sequence order.  One NUMBER, TEXT or BLOB part: the shown
** form.  INSTANT and composites: the order bytes, a BLOB.
*/
void acdcSeqToState(AcdcCtx *p, const AcdcSeqKind *pKind, const AcdcSeq *pS,
                    AcdcArena *pA, AcdcVal *pOut);
/* The other way; shown (NULL if it is the same as the state form) as kept. */
void acdcSeqFromState(AcdcCtx *p, const AcdcSeqKind *pKind, const AcdcVal *pV,
                      const AcdcVal *pShown, AcdcArena *pA, AcdcSeq *pOut);

/*
** True if the shown form, compared by SQLite under BINARY, has sequence
** order: then look-ups on __START_AT may use the index.
*/
int acdcSeqNative(const AcdcSeqKind *pKind);

/*
** An instant in the form pKind->zForm of those that are there: the last of that
** form at or before it; with bUp the first at or after it.  Text of the kind
** compares with it as with the instant itself.  zOut has room for zForm.
** Returns the length, or 0 if it cannot be.
*/
int acdcSeqInForm(const AcdcSeqKind *pKind, const AcdcSeq *pS, int bUp,
                  char *zOut);

/* Catalog text of a kind and back, e.g. "n", "i:dddd-dd-dd", "i!", "n,t". */
char *acdcSeqKindText(AcdcCtx *p, const AcdcSeqKind *pKind); /* owned by caller */
void acdcSeqKindParse(AcdcCtx *p, const char *z, AcdcSeqKind *pOut);
const char *acdcSeqClassName(u8 eClass);    /* "number", "instant", ... */

/*
** SQL: autocdc_seq_key(x).  A BLOB whose byte order is the sequence order.
** NUMBER, INSTANT, TEXT and BLOB sort in this order among each other; TEXT
** that begins with '[' and is a JSON array is a composite.  NULL gives NULL.
*/
void acdcSeqKeyFunc(sqlite3_context *pCtx, int nArg, sqlite3_value **apArg);

#endif /* ACDC_SEQUENCE_H */
