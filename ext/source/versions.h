/*
** Snapshots in files: which versions a path pattern finds.
**
** The version stands in the path.  "{version}" is any text, "{fragment}" too
** (a version in several files); or the path is a regular expression whose
** groups (?P<version_x>...) make up the version, in the order in which they
** stand there, and (?P<fragment>...).
**
** Files belong together if their versions are equal as values: "007" and "7",
** "2024-1-2" and "2024-01-02".
*/
#ifndef ACDC_VERSIONS_H
#define ACDC_VERSIONS_H

#include "fs.h"

/* AcdcVersionSpec.eType */
#define ACDC_VERSION_INTEGER  1
#define ACDC_VERSION_INSTANT  2
#define ACDC_VERSION_DATE     3    /* an instant that is shown as its day */

typedef struct AcdcVersionSpec AcdcVersionSpec;
struct AcdcVersionSpec {
  char *zPath;         /* The pattern.  Owned */
  u8 eType;            /* ACDC_VERSION_* */
  u8 bTypeGiven;
  u8 bRecursive;       /* recursiveFileLookup */
  u8 bMaskGiven;
  int nMask;           /* microSecondMaskLength: checked, and not needed */
  char *zFormat;       /* datetimeFormat.  Owned; NULL: not given */
  char *zStart;        /* startingVersion.  Owned; NULL: all */
};
void acdcVersionSpecClear(AcdcVersionSpec *pSpec);

/*
** Set a member by its name, in either spelling (versionType, version_type).
** Returns 0 if there is no member of that name.  path, versionType,
** datetimeFormat, microSecondMaskLength, startingVersion, recursiveFileLookup.
*/
int acdcVersionSpecSet(AcdcCtx *p, AcdcVersionSpec *pSpec, const char *zName,
                       const char *zValue);
/*
** Check the members together: a datetimeFormat that can be read and belongs to
** the type, a startingVersion of the type, the placeholders.  Sets eType where
** it is not given: INSTANT with a datetimeFormat, else INTEGER.
*/
void acdcVersionSpecCheck(AcdcCtx *p, AcdcVersionSpec *pSpec);

/*
** A version as a value: the integer, or the instant in microseconds since
** 1970-01-01 UTC.  Returns 0 if the text is none; *pzWhy says why (static).
** z is read by the datetimeFormat of the spec.
*/
int acdcVersionRead(const AcdcVersionSpec *pSpec, const char *z, int n,
                    i64 *piKey, const char **pzWhy);
/* The same for a version as it is shown, or as an ISO 8601 text. */
int acdcVersionReadShown(const AcdcVersionSpec *pSpec, const AcdcVal *pV,
                         i64 *piKey);
/* "7"; "2024-01-02 03:04:05", with ".ffffff" if the format has %f;
** "2024-01-02" for DATE.  Owned by the caller. */
char *acdcVersionShown(AcdcCtx *p, const AcdcVersionSpec *pSpec, i64 iKey);
/* As the datetimeFormat spells it, for {version} in a filter.  Owned by the
** caller. */
char *acdcVersionFormat(AcdcCtx *p, const AcdcVersionSpec *pSpec, i64 iKey);

/* One version and its files. */
typedef struct AcdcVersion AcdcVersion;
struct AcdcVersion {
  i64 iKey;            /* Orders the versions */
  char *zShown;        /* acdcVersionShown().  Owned */
  AcdcFileList files;  /* By path.  Owned */
};

/* A file that is not part of any version. */
typedef struct AcdcVersionSkip AcdcVersionSkip;
struct AcdcVersionSkip {
  AcdcFile file;       /* Owned */
  char *zShown;        /* Its version, if it could be read.  Owned */
  char *zWhy;          /* Owned */
  u8 bUnread;          /* It matches the path, and its version is none */
};

typedef struct AcdcVersions AcdcVersions;
struct AcdcVersions {
  int n;
  AcdcVersion *a;      /* Ascending by version.  Owned */
  int nSkip;
  AcdcVersionSkip *aSkip;    /* By path.  Owned */
  int nAlloc;
  int nSkipAlloc;
};

/* True if the path says where a version stands. */
int acdcVersionPath(const char *zPath);
/* A version as __START_AT has it; bytes are those of pV. */
void acdcVersionValue(const AcdcVersionSpec *pSpec, const AcdcVersion *pV,
                      AcdcVal *pOut);

/*
** Find the versions that the pattern names, from startingVersion on.  zBase as
** in acdcFilesList().
*/
void acdcVersionsList(AcdcCtx *p, const AcdcVersionSpec *pSpec,
                      const char *zBase, AcdcVersions *pOut);
void acdcVersionsClear(AcdcVersions *pV);

#endif /* ACDC_VERSIONS_H */
