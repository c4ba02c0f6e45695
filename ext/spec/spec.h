/*
** What a document of any format says, in one model: views (named relations
** without storage), steps (tables and what fills them) and the inputs of each
** step.  Nothing behind the readers knows a format.
**
** All texts of a spec live in its arena.
*/
#ifndef ACDC_SPEC_H
#define ACDC_SPEC_H

#include "../core/core.h"
#include "../core/json.h"
#include "../flow/flow.h"
#include "diag.h"
#include "shape.h"

/* A list of texts of the arena. */
typedef struct AcdcTexts AcdcTexts;
struct AcdcTexts {
  int n;
  const char **az;
};

/* Where in the document something is said. */
typedef struct AcdcPlace AcdcPlace;
struct AcdcPlace {
  const char *zPath;       /* JSON Pointer; NULL if not of a document */
  int iLine;
  int iCol;
};

/* The name of a table as the document has it; parts may be NULL. */
typedef struct AcdcRel AcdcRel;
struct AcdcRel {
  const char *zCatalog;
  const char *zSchema;
  const char *zName;
};

/* AcdcView.eKind */
#define ACDC_VIEW_TABLE  1
#define ACDC_VIEW_FILES  2
#define ACDC_VIEW_SQL    3
#define ACDC_VIEW_JOIN   4

/*
** A named relation: rows of a table, of files, of a join or of a query, then
** filtered, then projected.
*/
typedef struct AcdcView AcdcView;
struct AcdcView {
  const char *zName;       /* Unique in the spec */
  const char *zNode;       /* A second name it goes by, or NULL */
  u8 eKind;                /* ACDC_VIEW_* */
  u8 bStream;              /* New rows only, per flow; else all rows */
  u8 bCdf;                 /* A change feed, where the table is one */
  u8 bCloud;               /* FILES: the auto loader's rules */
  u8 bEnabled;
  u8 bSelectFirst;         /* Conditions see the projected columns */
  AcdcPlace place;
  AcdcRel table;           /* TABLE */
  AcdcTexts changeTypes;   /* TABLE, bCdf: types to keep; empty: the usual */
  const char *zFormat;     /* FILES: "csv" or "json"; NULL: by the names */
  const char *zPath;       /* FILES */
  const char *zSchemaPath; /* FILES: file with the columns, or NULL */
  AcdcTexts optName;       /* FILES: reader options */
  AcdcTexts optValue;
  AcdcTexts metaName;      /* FILES: columns made of _metadata ... */
  AcdcTexts metaField;     /* ... and its field; "" for all as one JSON */
  const char *zSql;        /* SQL */
  const char *zSqlPath;    /* SQL: file with it */
  int nSide;               /* JOIN */
  AcdcView **apSide;
  AcdcTexts alias;         /* One for each side */
  AcdcTexts joinType;      /* "LEFT" or "INNER", one less than sides */
  AcdcTexts joinOn;
  AcdcTexts where;         /* Conditions on the rows as read; all must hold */
  AcdcTexts select;        /* Projection; empty: all columns */
  const char *zTransform;  /* File of silver transformations with more of
                           ** where and select, or NULL */
  const char *zTransformTable;  /* Its entry */
  AcdcView *pNext;
};

/*
** One flow into a step.
*/
typedef struct AcdcInput AcdcInput;
struct AcdcInput {
  const char *zName;       /* Name of the flow */
  const char *zView;       /* What it reads: a view of the spec, or a table of
                           ** the pipeline */
  AcdcView *pView;         /* The view, when it is not found by name */
  u8 bOnce;
  u8 bEnabled;
  u8 bNoRules;             /* Expectations of the step do not hold for it */
  const char *zPrefix;     /* Put in front of column names, or NULL */
  AcdcTexts prefixExcept;
  AcdcPlace place;
  AcdcInput *pNext;
};

/* AcdcQuality.eQuarantine */
#define ACDC_QUARANTINE_OFF    0
#define ACDC_QUARANTINE_FLAG   1  /* column is_quarantined; nothing dropped */
#define ACDC_QUARANTINE_TABLE  2  /* what fails any rule goes there too */

/* AcdcQuality.eFamily: how files of expectations are understood. */
#define ACDC_RULES_LAKEFLOW  0    /* lists of {name, constraint} */
#define ACDC_RULES_SDPMETA   1    /* {name: rule}; quarantine rules describe
                                  ** bad rows and drop none */
#define ACDC_RULES_ENGINE    2    /* {name: rule}; quarantine rules describe
                                  ** good rows, and bad ones are dropped */

typedef struct AcdcQuality AcdcQuality;
struct AcdcQuality {
  const char *zPath;       /* File or folder of expectations; NULL: none */
  u8 eFamily;
  u8 eQuarantine;
  AcdcRel quarantine;      /* zName NULL: <target>_quarantine */
  AcdcPlace place;
};

/* Versions of a historical snapshot. */
typedef struct AcdcHistorical AcdcHistorical;
struct AcdcHistorical {
  u8 bFiles;               /* In files, else in a table */
  u8 bPrefix;              /* zPath is a prefix; versions count from 1 */
  u8 bRecursive;
  const char *zFormat;
  const char *zPath;
  AcdcTexts optName;
  AcdcTexts optValue;
  const char *zType;       /* "integer", "timestamp" ... or NULL */
  const char *zDatetime;   /* datetime_format, or NULL */
  const char *zStart;      /* starting_version, or NULL */
  const char *zFilter;
  const char *zSchemaPath;
  AcdcTexts select;
  AcdcRel table;
  const char *zColumn;     /* version_column */
};

/* AcdcStep.eKind */
#define ACDC_STEP_APPEND   1
#define ACDC_STEP_MERGE    2
#define ACDC_STEP_SNAPSHOT 3   /* periodic: its input as it is now */
#define ACDC_STEP_VERSIONS 4   /* historical: versions of it */
#define ACDC_STEP_MV       5   /* rebuilt */
#define ACDC_STEP_BATCHSQL 6   /* a query over the new rows, appended */

/*
** A table and what fills it.
*/
typedef struct AcdcStep AcdcStep;
struct AcdcStep {
  u8 eKind;                /* ACDC_STEP_* */
  u8 bEnabled;
  u8 bSink;                /* Not a table that others of the pipeline read */
  AcdcRel target;
  const char *zNode;       /* Node name or another name it goes by, or NULL */
  const char *zId;         /* data_flow_id */
  const char *zGroup;      /* data_flow_group; NULL if the format has none */
  const char *zLayer;      /* "bronze", "silver" or NULL */
  const char *zSchemaPath; /* File with the columns, or NULL */
  const char *zSql;        /* MV, BATCHSQL */
  const char *zSqlPath;
  AcdcFlow flow;           /* MERGE, SNAPSHOT, VERSIONS: the settings */
  AcdcHistorical versions;   /* VERSIONS */
  AcdcQuality quality;
  AcdcRel migration;       /* Table to import once; zName NULL: none */
  AcdcTexts migrationSelect;
  AcdcTexts migrationWhere;
  AcdcTexts migrationExcept;
  u8 bMigrationSkip;       /* Sources' rows of before the import are skipped */
  AcdcPlace place;
  int nInput;
  AcdcInput *pInput;       /* In the order of the document */
  AcdcStep *pNext;
};

typedef struct AcdcSpec AcdcSpec;
struct AcdcSpec {
  AcdcArena arena;
  const AcdcFormat *pFormat;
  const char *zName;       /* data_flow_id, or the format's name */
  int nView;
  AcdcView *pView;         /* In the order of the document */
  int nStep;
  AcdcStep *pStep;
  const char *zTemplate;   /* Path of the template's definition, or NULL */
  u8 bDisk;                /* A file on disk was read to make it */
  int nRef;                /* Holders beside the first: see cache.h */
};

/*
** How a document is read.
*/
typedef struct AcdcSpecOptions AcdcSpecOptions;
struct AcdcSpecOptions {
  char *zFormat;           /* NULL: found by its shape.  Owned */
  char *zEnv;              /* NULL: the one that the document uses.  Owned */
  char *zBasePath;         /* NULL: the current folder.  Owned */
  char *zName;             /* Name in autocdc_specs.  Owned */
  AcdcNames tokenName;
  AcdcNames tokenValue;
  AcdcNames mapFrom;       /* path_map */
  AcdcNames mapTo;
  AcdcNames fileName;      /* files: what a path in the spec holds ... */
  AcdcNames fileText;      /* ... so that the file is not read */
  u8 bFlatten;
  u8 bStrict;
  u8 bNoFiles;             /* No file is read: set by who runs the spec */
};
/* As acdcOptionsRead(). */
void acdcSpecOptionsRead(AcdcCtx *p, const char *zJson, AcdcSpecOptions *pOut);
void acdcSpecOptionsClear(AcdcSpecOptions *pOpt);

/*
** Read a document.  Findings go to pDiags, places included; only what ends
** all work (memory) is an error in p.  The spec is complete only if there are
** no errors among the findings.  *ppOut is NULL if the text is no JSON or of
** no known format; the caller frees it.
*/
void acdcSpecRead(AcdcCtx *p, const char *zText, i64 nText,
                  const AcdcSpecOptions *pOpt, AcdcDiags *pDiags,
                  AcdcSpec **ppOut);
/* Let go of a spec; the last holder frees it. */
void acdcSpecFree(AcdcSpec *pSpec);

AcdcView *acdcSpecView(const AcdcSpec *pSpec, const char *zName);

/* ---- for the readers of formats ---- */

/*
** A reader at work.
*/
typedef struct AcdcSpecRead AcdcSpecRead;
struct AcdcSpecRead {
  AcdcCtx *p;
  AcdcJson *pDoc;
  AcdcSpec *pSpec;
  const AcdcSpecOptions *pOpt;
  AcdcDiags *pDiags;
  u8 bTooMany;             /* The finding that there are too many objects was
                           ** made */
  const char *zId;         /* Of what is read now */
  const char *zGroup;
  AcdcView **ppView;       /* Tail of pSpec->pView */
  AcdcStep **ppStep;       /* Tail of pSpec->pStep */
};
typedef void (*AcdcFormatReader)(AcdcSpecRead*, const AcdcJsonNode*);
void acdcReadNodespec(AcdcSpecRead*, const AcdcJsonNode*);
void acdcReadStandard(AcdcSpecRead*, const AcdcJsonNode*);
void acdcReadFlowSpec(AcdcSpecRead*, const AcdcJsonNode*);
void acdcReadViewSpec(AcdcSpecRead*, const AcdcJsonNode*);
void acdcReadOnboarding(AcdcSpecRead*, const AcdcJsonNode*);
void acdcReadKinetiShift(AcdcSpecRead*, const AcdcJsonNode*);

/* Findings at a node. */
void acdcReadError(AcdcSpecRead*, const AcdcJsonNode*, const char *zHint,
                   const char *zFmt, ...);
void acdcReadWarn(AcdcSpecRead*, const AcdcJsonNode*, const char *zHint,
                  const char *zFmt, ...);

/* Copies in the arena; NULL in, NULL out. */
const char *acdcReadStr(AcdcSpecRead*, const char *z);
const char *acdcReadFmt(AcdcSpecRead*, const char *zFmt, ...);
void acdcReadTextsAdd(AcdcSpecRead*, AcdcTexts *pT, const char *z);

/*
** Members, by their snake_case name in either casing, with tokens replaced.
** Absent, blank, or of a type that the shapes have refused: NULL or the
** default.
*/
const char *acdcReadText(AcdcSpecRead*, const AcdcJsonNode*, const char*);
int acdcReadBool(AcdcSpecRead*, const AcdcJsonNode*, const char*, int bDflt);
void acdcReadTexts(AcdcSpecRead*, const AcdcJsonNode*, const char*, AcdcTexts*);
/* An object of scalars, as names and values. */
void acdcReadMap(AcdcSpecRead*, const AcdcJsonNode*, const char*, AcdcTexts*,
                 AcdcTexts*);
AcdcPlace acdcReadPlace(AcdcSpecRead*, const AcdcJsonNode*);

/* "a.b.c" as a name; zSchema and zCatalog are used where it has no parts. */
AcdcRel acdcReadRel(AcdcSpecRead*, const char *zName, const char *zSchema,
                    const char *zCatalog);

/* More views or steps than this are refused, and so are longer lists. */
#define ACDC_SPEC_MAX 5000

/* New objects at the end of their lists; NULL without memory or with a finding
** if there are too many. */
AcdcView *acdcReadNewView(AcdcSpecRead*, const AcdcJsonNode*, const char *zName);
AcdcStep *acdcReadNewStep(AcdcSpecRead*, const AcdcJsonNode*, u8 eKind);
AcdcInput *acdcReadNewInput(AcdcSpecRead*, AcdcStep*, const AcdcJsonNode*,
                            const char *zName);

/*
** Parts that several formats share (parts.c).  The node may be NULL.
*/
/* A block of CDC or snapshot settings into pStep->flow. */
void acdcReadCdc(AcdcSpecRead*, AcdcStep*, const AcdcJsonNode*, int bSnapshot);
/* cdc_settings and cdc_snapshot_settings of Lakeflow: sets pStep->eKind. */
void acdcReadSettings(AcdcSpecRead*, AcdcStep*, const AcdcJsonNode *pOwner);
/* A Lakeflow source: config or sourceDetails, of a type. */
void acdcReadSource(AcdcSpecRead*, AcdcView*, const char *zType,
                    const AcdcJsonNode*);
void acdcReadMigration(AcdcSpecRead*, AcdcStep*, const AcdcJsonNode*);

/* Replace {tokens}; unknown ones stay.  In the arena. */
const char *acdcReadTokens(AcdcSpecRead*, const char *z);

#endif /* ACDC_SPEC_H */
