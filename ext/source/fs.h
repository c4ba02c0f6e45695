/*
** The file system: paths, listings and streams.  The only file that opens
** one for reading data.  Nothing here knows of formats.
**
** Paths are those of the process; relative ones start at a base folder, if
** there is one, else at the current folder.  With a base folder no path leads
** out of it: no absolute path to elsewhere, no "..", no symbolic link.
*/
#ifndef ACDC_FS_H
#define ACDC_FS_H

#include "../core/core.h"

typedef struct AcdcFile AcdcFile;
struct AcdcFile {
  char *zPath;         /* As it is opened and shown.  Owned */
  i64 nSize;           /* Bytes */
  i64 iMtime;          /* Last change, nanoseconds since 1970-01-01 UTC */
};

typedef struct AcdcFileList AcdcFileList;
struct AcdcFileList {
  int n;               /* Number of entries */
  int nAlloc;
  AcdcFile *a;         /* The entries.  Owned */
};
void acdcFileListAdd(AcdcCtx *p, AcdcFileList *pL, const char *zPath,
                     i64 nSize, i64 iMtime);
void acdcFileListSort(AcdcFileList *pL);      /* by path, bytewise */
void acdcFileListClear(AcdcFileList *pL);

/*
** Error unless this connection may read files: it may if autocdc_read_csv is
** registered with it, which sqlite3_autocdc_nofs_init leaves out.
*/
void acdcFsAllowed(AcdcCtx *p);

/*
** The path to use for z, from a spec or a call: "file:" is cut off, "//" and
** "/./" are folded, a relative path continues zBase (which may be NULL).  Error
** for other schemes (s3:, dbfs:) and for a path that leads out of zBase; what
** does not exist (yet) is judged by the part that does.  Owned by the caller.
*/
char *acdcFsPath(AcdcCtx *p, const char *zBase, const char *z);

/* Error if zPath, links resolved, is outside of zBase.  No-op without base. */
void acdcFsInside(AcdcCtx *p, const char *zBase, const char *zPath);

/* 1: a regular file (facts in *pOut if not NULL, zPath excepted), 2: a folder,
** 3: something else, 0: nothing there. */
int acdcFsKind(const char *zPath, AcdcFile *pOut);

/*
** Add the regular files of folder zDir to pL, sorted.  Symbolic links are
** followed but never twice into the same folder on one way down; names that
** begin with "." are left out, with bPublic also those with "_".  With zBase,
** a link that leads out of it is an error.
*/
void acdcFsWalk(AcdcCtx *p, const char *zBase, const char *zDir,
                int bRecursive, int bPublic, AcdcFileList *pL);

/* True if z has one of the characters * ? [ { */
int acdcFsIsGlob(const char *z);
/*
** Does the text match the pattern: * and ? within one folder, ** across
** folders, [a-z], [!a], {b,c}, backslash for a literal.
*/
int acdcFsMatch(const char *zGlob, const char *z);
/* Add the regular files that match a glob path (acdcFsPath()'s), sorted. */
void acdcFsGlob(AcdcCtx *p, const char *zBase, const char *zGlob,
                int bPublic, AcdcFileList *pL);

/*
** A file as a stream of bytes in one buffer.  a[iStart..iEnd) is what has
** been read and not been used; a[iEnd] is always 0.
*/
typedef struct AcdcStream AcdcStream;
struct AcdcStream {
  u8 *a;               /* The buffer.  Owned */
  i64 nAlloc;
  i64 iStart;
  i64 iEnd;
  i64 nMax;            /* The buffer grows to this size, no further */
  i64 nChunk;          /* Bytes to read at once, at most; 0: as many as fit.
                       ** For tests of what happens where a chunk ends */
  int fd;              /* Open file, or -1 */
  u8 bEof;             /* Nothing more will come */
  const char *zPath;   /* For messages.  Not owned */
  const u8 *aMem;      /* Bytes of a stream on memory.  Not owned */
  i64 nMem;            /* What is left of them */
};
#define ACDC_STREAM_CHUNK 262144

/*
** Open.  The path must live as long as the stream, and so must the bytes of
** a memory stream.  A byte order mark is skipped; UTF-16, compressed and
** other binary files are refused with what to do.
*/
void acdcStreamOpen(AcdcCtx *p, AcdcStream *pS, const char *zPath);
void acdcStreamMemory(AcdcCtx *p, AcdcStream *pS, const void *a, i64 n,
                      const char *zName);
/*
** Read more behind iEnd; the unused bytes may move within or with the buffer.
** Returns the number of new bytes, 0 at the end of the file or on an error.
*/
i64 acdcStreamFill(AcdcCtx *p, AcdcStream *pS);
void acdcStreamClose(AcdcStream *pS);   /* keeps the buffer for the next file */
void acdcStreamFree(AcdcStream *pS);

/*
** A whole small file (a schema) as text, not longer than nMax bytes, without
** byte order mark.  Owned by the caller.
*/
char *acdcFsReadAll(AcdcCtx *p, const char *zPath, i64 nMax);

/*
** True if the n bytes are well-formed UTF-8; if not, *piBad is the offset of
** the first byte that is not.
*/
int acdcUtf8Valid(const u8 *z, i64 n, i64 *piBad);

#endif /* ACDC_FS_H */
