/*
** Inside ext/sequence/ only: exact decimals, instants, one part of a sequence.
*/
#ifndef ACDC_SEQINT_H
#define ACDC_SEQINT_H

#include "sequence.h"

#define ACDC_DEC_DIGITS 38   /* Digits of a whole number, at most */

/*
** An exact decimal: 0.d1d2d3... times ten to iExp, d1 and the last digit not
** zero.  Zero has no digits.
*/
typedef struct AcdcDec AcdcDec;
struct AcdcDec {
  u8 bNeg;                      /* Below zero */
  u8 bLong;                     /* Had more digits than aDigit[] can hold */
  int nDigit;                   /* Entries of aDigit[] */
  int iExp;                     /* Power of ten */
  u8 aDigit[ACDC_DEC_DIGITS];   /* 0..9 each */
};

/*
** Read n bytes of text: digits with an optional sign and decimal part, blanks
** around it, and if bExp an exponent.  Returns 0 if it is no such text.
*/
int acdcDecText(AcdcDec *pOut, const u8 *z, int n, int bExp);
void acdcDecInt(AcdcDec *pOut, i64 i);
/*
** A whole REAL is its exact value, another one its shortest decimal of 15 to
** 17 digits that reads back as the same REAL.  Returns 0 for an infinite one.
*/
int acdcDecReal(AcdcDec *pOut, double r);
/* True, and the value in *pi, if it is a whole number of 64 bits. */
int acdcDecToInt(const AcdcDec *pDec, i64 *pi);
/*
** The value as INTEGER, as 38 digits of TEXT (written to aBuf, which has room
** for ACDC_DEC_DIGITS bytes) or as REAL.  Returns NULL, or the rest of
** a sentence "The value ..." that says why it is none of them.
*/
const char *acdcDecShown(const AcdcDec *pDec, u8 *aBuf, AcdcVal *pOut);
/*
** Order bytes: memcmp() order is the order of the values, and none is the
** beginning of another.  Needs ACDC_SEQ_SPARE bytes.  Returns their number.
*/
int acdcDecOrd(const AcdcDec *pDec, u8 *aOut);
/* As a JSON number, at most ACDC_SEQ_SPARE bytes.  Returns their number. */
int acdcDecJson(const AcdcDec *pDec, u8 *aOut);
/* Fast for what is most common: 1..18 bytes, all digits. */
int acdcDecDigits(const u8 *z, int n, i64 *pi);

/*
** An instant: microseconds since 1970 began, rounded down, and the digits of
** the fraction that come after them, if the last one is not zero.
*/
typedef struct AcdcInstant AcdcInstant;
struct AcdcInstant {
  i64 iMicro;
  const u8 *zRest;     /* Points into the text that was read */
  int nRest;
};
#define ACDC_INSTANT_NO   0   /* Another text */
#define ACDC_INSTANT_OK   1
#define ACDC_INSTANT_BAD  2   /* Written as one, but there is no such time */
int acdcInstantText(AcdcInstant *pOut, const u8 *z, int n);
/* Take the written form of an instant into zForm and bMixedForm. */
void acdcInstantForm(AcdcSeqKind *pKind, const u8 *z, int n);
/* True if instants of this one written form have the order of their bytes. */
int acdcInstantFormNative(const char *zForm);
/* Eight bytes that have the order of i. */
void acdcInstantOrd(i64 i, u8 *aOut);
i64 acdcInstantFromOrd(const u8 *a);

/*
** Read one part.  eWant is the class that it must have, or UNKNOWN.  zPart is
** the text of its sequence_by member for messages, or NULL.  pV is not NULL
** (the SQL one).  Returns its class, or 0 with an error in the context.
*/
#define ACDC_PART_INSTANT 1   /* TEXT must be an instant */
#define ACDC_PART_JSONNUM 2   /* TEXT is the text of a JSON number */
u8 acdcSeqPart(AcdcCtx *p, u8 eWant, int fPart, const AcdcVal *pV,
               const char *zPart, AcdcArena *pA, AcdcSeq *pOut);
/* Order bytes of one part.  As acdcSeqOrd(). */
const u8 *acdcSeqPartOrd(u8 eClass, const AcdcSeq *pS, u8 *aBuf, int *pn);
/*
** Order bytes of one part of a composite: no part's are the beginning of
** another's.  Returns their number; aOut may be NULL just to count.
*/
i64 acdcSeqPartPack(u8 eClass, const AcdcSeq *pS, u8 *aOut);

/*
** Composites.  acdcSeqPartJson() writes the shown form of one part, or just
** counts its bytes if aOut is NULL.  acdcSeqCompose() makes a composite of
** the nPart parts aPart[].
*/
i64 acdcSeqPartJson(u8 eClass, const AcdcSeq *pS, u8 *aOut);
void acdcSeqCompose(AcdcCtx *p, int nPart, const u8 *aClass,
                    const AcdcSeq *aPart, AcdcArena *pA, AcdcSeq *pOut);

/* One member of a JSON array that is a composite. */
typedef struct AcdcMember AcdcMember;
struct AcdcMember {
  AcdcVal v;           /* SQLITE_NULL, _TEXT or _BLOB */
  int fPart;           /* ACDC_PART_JSONNUM, or 0 */
};
/*
** Split JSON array text into at most ACDC_SEQ_MAXPART members.  Returns their
** true number, or -1 if the text is no array of numbers, strings, nulls and
** {"hex":"..."}.  Bytes are borrowed from pV or come from pA.
*/
int acdcSeqMembers(AcdcCtx *p, const AcdcVal *pV, AcdcArena *pA,
                   AcdcMember *aOut);

#endif /* ACDC_SEQINT_H */
