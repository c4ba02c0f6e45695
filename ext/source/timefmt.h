/*
** Instants by a format: the part of strptime() and strftime() that names of
** files use, without locale and time zone of the process.
**
**   %Y year, 4 digits     %y year, 2 digits (69 to 99 are 19xx)
**   %m month              %b %B name of the month, short or long, English
**   %d day                %j day of the year
**   %H hour               %I %p hour of 12, and AM or PM
**   %M minute             %S second
**   %f fraction of a second, 1 to 6 digits
**   %z offset from UTC (+hhmm, +hh:mm, Z)          %% a percent sign
**
** Numbers may lack leading zeros, except %Y and %y.  Blanks in the format match
** any blanks; letters match without case.
*/
#ifndef ACDC_TIMEFMT_H
#define ACDC_TIMEFMT_H

#include "../core/core.h"

/* Error unless the format can be read and names a year. */
void acdcTimeFormatCheck(AcdcCtx *p, const char *zFormat);
/* Does it have that directive, e.g. 'f'? */
int acdcTimeFormatHas(const char *zFormat, char c);
/*
** Read n bytes of z, all of them, as microseconds since 1970-01-01 UTC.  0 if
** they are no such time; *pzWhy says why (static).
*/
int acdcTimeParse(const char *zFormat, const char *z, int n, i64 *piMicro,
                  const char **pzWhy);
/* Write an instant by a format.  Owned by the caller. */
char *acdcTimeFormat(AcdcCtx *p, const char *zFormat, i64 iMicro);
/*
** Read ISO 8601: a date, or date and time with 'T' or blank, with or without
** seconds, fraction and offset.
*/
int acdcTimeIso(const char *z, int n, i64 *piMicro);

#endif /* ACDC_TIMEFMT_H */
