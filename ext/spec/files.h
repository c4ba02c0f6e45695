/*
** Files that a spec names beside its data: SQL, schemas, expectations,
** templates.
*/
#ifndef ACDC_SPECFILES_H
#define ACDC_SPECFILES_H

#include "spec.h"

/* Kinds of files: where the framework keeps them. */
#define ACDC_FILE_SQL       0   /* dml/ */
#define ACDC_FILE_SCHEMA    1   /* schemas/ */
#define ACDC_FILE_RULES     2   /* expectations/ */
#define ACDC_FILE_TEMPLATE  3   /* templates/ */
#define ACDC_FILE_OTHER     4

/*
** The text of a file that the spec calls zPath.  Looked up in the option
** "files" first; then on disk, under the base path (or the current folder),
** in the folder for that kind of file.  Owned by the caller; NULL without an
** error if there is no such file.  *pzFound, if pzFound is not NULL, is the
** path it was found under (owned by the caller).
*/
char *acdcSpecFile(AcdcCtx *p, const AcdcSpecOptions *pOpt, int eKind,
                   const char *zPath, char **pzFound);
/*
** As acdcSpecFile(), for a folder: the names of the *.json files in it, sorted,
** as paths to ask for one by one.
*/
void acdcSpecFolder(AcdcCtx *p, const AcdcSpecOptions *pOpt, int eKind,
                    const char *zPath, AcdcNames *pOut);
/* The path for data that the spec calls z: path_map applied.  Owned. */
char *acdcSpecDataPath(AcdcCtx *p, const AcdcSpecOptions *pOpt, const char *z);

/*
** Find the files that a spec names, and keep their texts in the option files,
** so that a run needs none.  Findings: files that are not there, and texts that
** are not what they should be (companion.c).
*/
void acdcSpecCompanions(AcdcCtx *p, AcdcSpecOptions *pOpt,
                        const AcdcSpec *pSpec, AcdcDiags *pDiags);

/* Error if the connection, or this spec, may read no files. */
void acdcSpecMayRead(AcdcCtx *p, const AcdcSpecOptions *pOpt);

/* The base path of the options, absolute or not, "" for the current folder. */
const char *acdcSpecBase(const AcdcSpecOptions *pOpt);

#endif /* ACDC_SPECFILES_H */
