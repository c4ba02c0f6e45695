/*
** Regular expressions: a facade over PCRE2.  Only regex.c knows of it.
**
** A pattern comes from a spec, so a match is limited in steps, depth and
** memory: a pattern that backtracks without end is an error, not a hang.
*/
#ifndef ACDC_REGEX_H
#define ACDC_REGEX_H

#include "core.h"

#define ACDC_REGEX_MAX_BYTES  4096      /* of a pattern */
#define ACDC_REGEX_STEPS      1000000   /* of one match */

typedef struct AcdcRegex AcdcRegex;

/*
** Compile a pattern that has to match the whole of a text (UTF-8).  NULL with
** an error that says where the pattern is wrong.  The caller frees it.
*/
AcdcRegex *acdcRegexCompile(AcdcCtx *p, const char *zPattern);
void acdcRegexFree(AcdcRegex *pR);

/* 1: z matches.  0: it does not, or (with an error) it took too long. */
int acdcRegexMatch(AcdcCtx *p, AcdcRegex *pR, const char *z);

/* Number of named groups. */
int acdcRegexNames(const AcdcRegex *pR);
/*
** The i-th named group, in the order in which the groups stand in the pattern:
** its name (lives as long as the regex), and what it matched last (*pn bytes
** of the text given; NULL if it took no part).
*/
const char *acdcRegexName(const AcdcRegex *pR, int i);
const char *acdcRegexGroup(const AcdcRegex *pR, int i, int *pn);

/* "10.42 2022-12-11", for autocdc_version().  Static buffer of the caller. */
void acdcRegexVersion(char *zBuf, int nBuf);

/* *pz = *pz followed by z[0..n), with what is special in patterns escaped. */
void acdcRegexQuote(AcdcCtx *p, char **pz, const char *z, i64 n);

#endif /* ACDC_REGEX_H */
