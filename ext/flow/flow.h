/*
** The flow model: what one AUTO CDC flow is told to do, whatever document it
** came from.  Members, their defaults and the rules among them; no JSON text
** and no SQL (semantics.md sections 1 to 8; design.md 1.1).
*/
#ifndef ACDC_FLOW_H
#define ACDC_FLOW_H

#include "../core/core.h"

/* AcdcFlow.eScd */
#define ACDC_SCD1        1
#define ACDC_SCD2        2
#define ACDC_BITEMPORAL  3

/* AcdcFlow.eTieBreak */
#define ACDC_TIE_LAST    0     /* the later arrival stands (default) */
#define ACDC_TIE_FIRST   1
#define ACDC_TIE_ERROR   2

/* AcdcFlow.eScd2Truncates */
#define ACDC_TRUNC_REFUSE 0    /* default: truncates are refused with SCD2 */
#define ACDC_TRUNC_CLOSE  1    /* close every version open at the truncate */
#define ACDC_TRUNC_IGNORE 2    /* drop truncate rows */

/* AcdcFlow.eDedup: snapshots */
#define ACDC_DEDUP_OFF    0
#define ACDC_DEDUP_ROW    1    /* full_row */
#define ACDC_DEDUP_KEYS   2    /* keys_only: first row in file order */

/* AcdcFlow.eOnEmpty: an empty snapshot */
#define ACDC_EMPTY_APPLY  0    /* deletes all (default) */
#define ACDC_EMPTY_STOP   1
#define ACDC_EMPTY_SKIP   2

/* AcdcFlow.eSource */
#define ACDC_SOURCE_NONE  0
#define ACDC_SOURCE_TABLE 1    /* zSource names a table or view */
#define ACDC_SOURCE_QUERY 2    /* zSource is a SELECT (or WITH, or VALUES) */
#define ACDC_SOURCE_FILES 3    /* files */

/* AcdcExpect.eAction */
#define ACDC_EXPECT_WARN       0   /* kept and counted */
#define ACDC_EXPECT_DROP       1   /* not merged */
#define ACDC_EXPECT_FAIL       2   /* the call fails */
#define ACDC_EXPECT_QUARANTINE 3   /* not merged, kept in the quarantine table */

/* A list that may be absent, which is not the same as empty. */
typedef struct AcdcList AcdcList;
struct AcdcList {
  u8 bGiven;
  AcdcNames names;
};

typedef struct AcdcExpect AcdcExpect;
struct AcdcExpect {
  char *zName;         /* Owned */
  char *zRule;         /* SQL expression; holds for a good row.  Owned */
  u8 eAction;          /* ACDC_EXPECT_* */
};

/* Where rows come from, when from files. */
typedef struct AcdcFiles AcdcFiles;
struct AcdcFiles {
  char *zFormat;       /* "csv" or "json".  Owned */
  char *zPath;         /* File, folder or glob.  Owned */
  char *zSchema;       /* DDL column list, JSON schema text, or NULL.  Owned */
  AcdcNames optName;   /* reader_options: names ... */
  AcdcNames optValue;  /* ... and values, as text */
  AcdcNames memName;   /* Other members of a source: how versions stand in the
                       ** path, schemaPath.  Names, in either spelling ... */
  AcdcNames memValue;  /* ... and values, as text */
};

typedef struct AcdcFlow AcdcFlow;
struct AcdcFlow {
  char *zName;               /* Flow name; default: the target.  Owned */
  char *zTarget;             /* "name" or "schema.name".  Owned */
  u8 eSource;                /* ACDC_SOURCE_* */
  char *zSource;             /* See eSource.  Owned */
  AcdcFiles files;
  AcdcNames keys;
  AcdcNames sequenceBy;      /* Column names or expressions; parts in order */
  AcdcNames systemSequenceBy;
  u8 eScd;                   /* ACDC_SCD1 ... */
  u8 bScdGiven;
  char *zWhere;              /* SQL conditions on the full row.  Owned */
  char *zDeletes;
  char *zTruncates;
  AcdcList columnList;
  AcdcList exceptColumnList;
  AcdcList trackList;
  AcdcList trackExceptList;
  u8 bIgnoreNull;
  AcdcList ignoreNullList;
  AcdcList ignoreNullExceptList;
  char *zColumnsToUpdate;    /* Source column.  Owned */
  u8 bOnce;
  u8 bCdf;                   /* cdf_enabled: a native change feed */
  u8 eTieBreak;
  u8 bNullKeysMatch;
  u8 bEmptyAsNull;
  u8 eScd2Truncates;
  u8 bReadAll;               /* read: "all" */
  u8 bSnapshot;              /* apply_changes_from_snapshot */
  AcdcVal version;           /* Snapshot version; bytes in zVersion */
  u8 bVersionGiven;
  char *zVersion;            /* Owned */
  u8 eDedup;
  u8 eOnEmpty;
  u8 bAdopt;
  int nExpect;
  AcdcExpect *aExpect;       /* Owned */
};

void acdcFlowInit(AcdcFlow *pFlow);
void acdcFlowClear(AcdcFlow *pFlow);
void acdcFlowCopy(AcdcCtx *p, AcdcFlow *pTo, const AcdcFlow *pFrom);

/*
** The members by name, for every reader of documents: inline flows, scd2
** arguments and specs set members through these functions, so that a member's
** spelling, type and allowed values are known here only.
*/
typedef struct AcdcMember AcdcMember;
struct AcdcMember {
  const char *zName;
  u8 eKind;                  /* ACDC_MEMBER_* */
  u8 mUse;                   /* ACDC_USE_*: where it is allowed */
  u32 iOffset;               /* Into AcdcFlow */
  const char *zValues;       /* ENUM: "last|first|error", in enum order */
};
#define ACDC_MEMBER_TEXT     1   /* text */
#define ACDC_MEMBER_NAMES    2   /* list of texts, or comma text */
#define ACDC_MEMBER_LIST     3   /* the same, absent differs from empty */
#define ACDC_MEMBER_BOOL     4   /* true/false, 1/0, "true"/"false" */
#define ACDC_MEMBER_ENUM     5
#define ACDC_MEMBER_SCD      6   /* 1, 2, "1", "2", "SCD TYPE 2", "bitemporal" */
#define ACDC_MEMBER_SOURCE   7   /* text, or an object for files */
#define ACDC_MEMBER_VERSION  8   /* any scalar */
#define ACDC_MEMBER_EXPECT   9   /* object or list of objects: read by caller */
#define ACDC_USE_CHANGES   0x01  /* apply_changes, specs */
#define ACDC_USE_SNAPSHOT  0x02  /* apply_changes_from_snapshot */
#define ACDC_USE_SCD2      0x04  /* scd2 virtual table arguments */

/* The member of that name (case-sensitive), or NULL. */
const AcdcMember *acdcFlowMember(const char *zName);
/* The i-th member, or NULL past the end. */
const AcdcMember *acdcFlowMemberAt(int i);
/* Error: unknown member z; suggests the nearest one allowed for mUse. */
void acdcFlowUnknownMember(AcdcCtx *p, const char *z, u8 mUse);

/*
** Set a member from text: TEXT, NAMES, LIST (comma text), BOOL, ENUM, SCD and
** SOURCE (a name or a SELECT).  Errors name the member and what it takes.
*/
void acdcFlowSetText(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, const char *z);
void acdcFlowSetInt(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, i64 i);
void acdcFlowSetBool(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, int b);
/* Add one entry of a NAMES or LIST member (and mark a LIST as given). */
void acdcFlowListBegin(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM);
void acdcFlowListAdd(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, const char *z);
void acdcFlowAddOption(AcdcCtx *p, AcdcFlow *pFlow, const char *zName,
    const char *zValue);
void acdcFlowAddExpect(AcdcCtx *p, AcdcFlow *pFlow, const char *zName,
    const char *zRule, u8 eAction);
void acdcFlowSetVersion(AcdcCtx *p, AcdcFlow *pFlow, const AcdcVal *pV);

/*
** Defaults and the rules among members that need no database: required
** members, pairs that exclude each other, members that an SCD type refuses.
*/
void acdcFlowCheck(AcdcCtx *p, AcdcFlow *pFlow);

#endif /* ACDC_FLOW_H */
