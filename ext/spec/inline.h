/*
** Flows and options that a caller writes as JSON in a function argument
** (design.md 1.1).
*/
#ifndef ACDC_INLINE_H
#define ACDC_INLINE_H

#include "../core/core.h"
#include "../flow/flow.h"

/*
** Read an inline flow into pOut, which the caller has initialised and clears,
** also after an error.  mUse (ACDC_USE_*) says which members are allowed.
** Members are checked one by one here; the rules among them are those of
** acdcFlowCheck().
*/
void acdcInlineRead(AcdcCtx *p, const char *zJson, u8 mUse, AcdcFlow *pOut);

/*
** The second argument of apply_changes().
*/
typedef struct AcdcRunOptions AcdcRunOptions;
struct AcdcRunOptions {
  u8 bContinue;        /* on_error: "continue": each target its own unit */
  u8 bDryRun;          /* dry_run: nothing remains written */
  u8 bReadAll;         /* read: "all": sources from their start */
  i64 nMemory;         /* memory_mb: bytes for sorting; 0: the default */
  char *zBasePath;     /* base_path: folder that files may be read under */
  AcdcNames schemas;   /* schemas that stored specs may write to */
};

/*
** Read options into pOut, which is overwritten; NULL or blank text gives the
** defaults.  The caller clears it, also after an error.
*/
void acdcOptionsRead(AcdcCtx *p, const char *zJson, AcdcRunOptions *pOut);
void acdcOptionsClear(AcdcRunOptions *pOptions);

#endif /* ACDC_INLINE_H */
