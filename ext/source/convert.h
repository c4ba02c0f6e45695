/*
** Text of a file to values of a declared type.
*/
#ifndef ACDC_CONVERT_H
#define ACDC_CONVERT_H

#include "../core/core.h"

/* What a declared type makes of text */
#define ACDC_CONV_TEXT    1    /* stays text */
#define ACDC_CONV_NONE    2    /* no declared type, BLOB, DATE, TIMESTAMP: text
                               ** stays text, a number a number */
#define ACDC_CONV_NUMERIC 3
#define ACDC_CONV_INTEGER 4
#define ACDC_CONV_REAL    5
#define ACDC_CONV_BOOL    6    /* true and false become 1 and 0 */

/* The conversion that goes with a declared type. */
u8 acdcConvOf(const char *zType);

/*
** Convert n bytes of UTF-8 as SQLite's affinity does when it stores them, but
** never with a loss: what a 64-bit integer or a double does not hold exactly
** stays TEXT (REAL columns take the nearest double).  The bytes of a TEXT
** result are those of z.  Returns 1, or 0 if the text is no value of the type;
** it then stays TEXT all the same (or REAL, for a fraction in INTEGER).
*/
int acdcConvText(u8 eConv, const u8 *z, int n, AcdcVal *pOut);

/*
** The same for a number as JSON spells it: without a declared type it is
** INTEGER, REAL, or the TEXT of its digits if neither is exact.
*/
int acdcConvNumber(u8 eConv, const u8 *z, int n, AcdcVal *pOut);

/*
** "YYYY-MM-DD HH:MM:SS", and ".ffffff" behind it if bMicro, for microseconds
** since 1970-01-01 UTC between the years 0 and 9999.  zOut has ACDC_TIME_TEXT
** bytes.
*/
#define ACDC_TIME_TEXT 40
void acdcTimeText(i64 iMicro, int bMicro, char *zOut);
/* Days since 1970-01-01 of a day of the Gregorian calendar. */
i64 acdcTimeDays(i64 iYear, int iMonth, int iDay);

/* The shortest text that gives the double back, as a JSON number. */
void acdcRealText(sqlite3_str *pOut, double r);
/* z as a JSON string, quotes included. */
void acdcJsonText(sqlite3_str *pOut, const u8 *z, i64 n);

#endif /* ACDC_CONVERT_H */
