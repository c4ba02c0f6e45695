/*
** Files as streams of bytes; see fs.h.
*/
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include "fs.h"
#include <sys/types.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
** What the first bytes of a file say about it, when it is not plain text.
** The text names what to do instead.
*/
typedef struct StreamMagic StreamMagic;
struct StreamMagic {
  const char *zMagic;
  int nMagic;
  const char *zWhat;
};
static const StreamMagic aMagic[] = {
  { "\xff\xfe", 2, "is UTF-16 text: convert it to UTF-8"
                   " (iconv -f UTF-16 -t UTF-8)" },
  { "\xfe\xff", 2, "is UTF-16 text: convert it to UTF-8"
                   " (iconv -f UTF-16 -t UTF-8)" },
  { "\x1f\x8b", 2, "is compressed: decompress it first (gunzip)" },
  { "BZh", 3, "is compressed: decompress it first (bunzip2)" },
  { "\x28\xb5\x2f\xfd", 4, "is compressed: decompress it first (zstd -d)" },
  { "PK\x03\x04", 4, "is a ZIP archive: unpack it first" },
  { "PAR1", 4, "is a Parquet file: convert it to CSV or JSON lines" },
  { "Obj\x01", 4, "is an Avro file: convert it to CSV or JSON lines" },
  { "ORC", 3, "is an ORC file: convert it to CSV or JSON lines" },
  { "SQLite format 3\0", 16, "is a database: ATTACH it and name its table" },
};

/* Look at the first bytes: skip a byte order mark, refuse what is no text. */
static void streamBegin(AcdcCtx *p, AcdcStream *pS){
  const u8 *a;
  i64 n;
  int i;
  while( pS->iEnd<16 && acdcStreamFill(p, pS)>0 ){}
  if( p->rc ) return;
  a = &pS->a[pS->iStart];
  n = pS->iEnd - pS->iStart;
  if( n>=3 && a[0]==0xef && a[1]==0xbb && a[2]==0xbf ){
    pS->iStart += 3;
    return;
  }
  for(i=0; i<(int)(sizeof(aMagic)/sizeof(aMagic[0])); i++){
    const StreamMagic *pM = &aMagic[i];
    if( n<pM->nMagic || memcmp(a, pM->zMagic, (size_t)pM->nMagic)!=0 ) continue;
    /* "ORC" and "BZh" may begin a text; binary bytes follow them if not. */
    if( pM->nMagic==3 && (n<5 || (a[3]>=0x20 && a[4]>=0x20)) ) continue;
    acdcError(p, SQLITE_ERROR, "%s %s", pS->zPath, pM->zWhat);
    return;
  }
}

static void streamInit(AcdcCtx *p, AcdcStream *pS, const char *zPath){
  i64 nMax = 1000000000;
  if( p->db ) nMax = sqlite3_limit(p->db, SQLITE_LIMIT_LENGTH, -1);
  acdcStreamClose(pS);
  pS->zPath = zPath;
  pS->nMax = nMax<ACDC_STREAM_CHUNK ? ACDC_STREAM_CHUNK : nMax;
  pS->bEof = 0;
}

void acdcStreamMemory(
  AcdcCtx *p,
  AcdcStream *pS,
  const void *a,
  i64 n,
  const char *zName
){
  if( p->rc ) return;
  streamInit(p, pS, zName);
  pS->fd = -1;
  pS->aMem = a;
  pS->nMem = n;
  streamBegin(p, pS);
}

/*
** Only regular files: opening a pipe would wait for its writer, and reading a
** device has effects or no end.  O_NONBLOCK because between the look and the
** opening the file may have become one.
*/
void acdcStreamOpen(AcdcCtx *p, AcdcStream *pS, const char *zPath){
  struct stat st;
  if( p->rc ) return;
  streamInit(p, pS, zPath);
  do{
    pS->fd = open(zPath, O_RDONLY|O_CLOEXEC|O_NONBLOCK);
  }while( pS->fd<0 && errno==EINTR );
  if( pS->fd<0 ){
    acdcError(p, SQLITE_CANTOPEN, "cannot open %s: %s", zPath,
        strerror(errno));
    pS->bEof = 1;
    return;
  }
  if( fstat(pS->fd, &st)!=0 || !S_ISREG(st.st_mode) ){
    acdcError(p, SQLITE_CANTOPEN, "%s is not a regular file", zPath);
    acdcStreamClose(pS);
    return;
  }
  streamBegin(p, pS);
}

/*
** The next bytes of the file or of the memory, at most n.  0 at the end.
*/
static i64 streamRead(AcdcCtx *p, AcdcStream *pS, u8 *a, i64 n){
  ssize_t nGot;
  if( pS->fd<0 ){
    if( n>pS->nMem ) n = pS->nMem;
    if( n>0 ) memcpy(a, pS->aMem, (size_t)n);
    if( n>0 ) pS->aMem += n;
    pS->nMem -= n;
    return n;
  }
  do{
    nGot = read(pS->fd, a, (size_t)n);
  }while( nGot<0 && errno==EINTR );
  if( nGot<0 ){
    acdcError(p, SQLITE_IOERR_READ, "cannot read %s: %s", pS->zPath,
        strerror(errno));
    return 0;
  }
  return (i64)nGot;
}

/* Room for another chunk: make the buffer twice as large. */
static void streamGrow(AcdcCtx *p, AcdcStream *pS){
  u8 *aNew;
  i64 nNew = pS->nAlloc ? pS->nAlloc*2 : ACDC_STREAM_CHUNK;
  if( nNew>pS->nMax+ACDC_STREAM_CHUNK ) nNew = pS->nMax+ACDC_STREAM_CHUNK;
  if( nNew<=pS->nAlloc ){
    acdcError(p, SQLITE_TOOBIG, "%s has a record of more than %lld bytes (a"
        " quote that is never closed?)", pS->zPath, pS->nMax);
    return;
  }
  aNew = acdcRealloc(p, pS->a, nNew+1);
  if( aNew==0 ) return;
  pS->a = aNew;
  pS->nAlloc = nNew;
}

i64 acdcStreamFill(AcdcCtx *p, AcdcStream *pS){
  i64 nGot;
  if( p->rc || pS->bEof ) return 0;
  if( pS->iStart>0 ){
    memmove(pS->a, &pS->a[pS->iStart], (size_t)(pS->iEnd-pS->iStart));
    pS->iEnd -= pS->iStart;
    pS->iStart = 0;
  }
  /* Less than half free: a long record, which must stay in one piece. */
  if( pS->nAlloc-pS->iEnd < (pS->nAlloc+1)/2 || pS->nAlloc==0 ){
    streamGrow(p, pS);
    if( p->rc ) return 0;
  }
  nGot = pS->nAlloc - pS->iEnd;
  if( pS->nChunk>0 && nGot>pS->nChunk ) nGot = pS->nChunk;
  nGot = streamRead(p, pS, &pS->a[pS->iEnd], nGot);
  if( nGot==0 ) pS->bEof = 1;
  pS->iEnd += nGot;
  pS->a[pS->iEnd] = 0;
  return nGot;
}

void acdcStreamClose(AcdcStream *pS){
  if( pS->zPath && pS->fd>=0 ) close(pS->fd);
  pS->fd = -1;
  pS->zPath = 0;
  pS->iStart = pS->iEnd = 0;
  pS->aMem = 0;
  pS->nMem = 0;
  pS->bEof = 1;
}

void acdcStreamFree(AcdcStream *pS){
  acdcStreamClose(pS);
  sqlite3_free(pS->a);
  pS->a = 0;
  pS->nAlloc = 0;
}

char *acdcFsReadAll(AcdcCtx *p, const char *zPath, i64 nMax){
  AcdcStream s;
  char *zOut = 0;
  memset(&s, 0, sizeof(s));
  acdcStreamOpen(p, &s, zPath);
  while( p->rc==0 && s.bEof==0 && s.iEnd-s.iStart<=nMax ){
    acdcStreamFill(p, &s);
  }
  if( p->rc==0 && s.iEnd-s.iStart>nMax ){
    acdcError(p, SQLITE_TOOBIG, "%s is longer than %lld bytes", zPath, nMax);
  }
  if( p->rc==0 ){
    zOut = acdcStrndup(p, (const char*)&s.a[s.iStart], s.iEnd-s.iStart);
  }
  acdcStreamFree(&s);
  return zOut;
}

int acdcUtf8Valid(const u8 *z, i64 n, i64 *piBad){
  i64 i = 0;
  while( i<n ){
    u8 c = z[i];
    int nMore;
    u8 lo = 0x80, hi = 0xbf;
    if( c<0x80 ){
      i++;
      continue;
    }
    if( c>=0xc2 && c<=0xdf ){
      nMore = 1;
    }else if( c>=0xe0 && c<=0xef ){
      nMore = 2;
      if( c==0xe0 ) lo = 0xa0;
      if( c==0xed ) hi = 0x9f;
    }else if( c>=0xf0 && c<=0xf4 ){
      nMore = 3;
      if( c==0xf0 ) lo = 0x90;
      if( c==0xf4 ) hi = 0x8f;
    }else{
      nMore = 0;
    }
    if( nMore==0 || n-i<=nMore || z[i+1]<lo || z[i+1]>hi
     || (nMore>1 && (z[i+2] & 0xc0)!=0x80)
     || (nMore>2 && (z[i+3] & 0xc0)!=0x80)
    ){
      *piBad = i;
      return 0;
    }
    i += nMore+1;
  }
  return 1;
}
