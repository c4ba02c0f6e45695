/*
** The JSON facade.  See json.h.  The only file that includes cJSON.
*/
#include "json.h"
#include <stdlib.h>
#include <cjson/cJSON.h>

struct AcdcJson {
  char *z;                 /* The text, terminated.  Owned */
  u32 n;                   /* Bytes of z */
  cJSON *pTree;            /* Owner of every zKey and zText */
  AcdcArena arena;         /* Owner of the nodes */
  AcdcJsonNode *pRoot;
  int nDup;                /* Overridden members */
  AcdcJsonPos last;        /* The last place asked for: places are mostly
                           ** asked for in ascending order */
};

/*
** The scan: a cursor over the text.  The first thing that is wrong is kept
** as a message for the context and a place.
*/
typedef struct JsonScan JsonScan;
struct JsonScan {
  AcdcCtx *pCtx;
  AcdcJson *pDoc;
  const u8 *z;
  u32 n;
  u32 i;                   /* Next byte */
  int nValue;              /* Values so far */
  u32 iBad;                /* Offset of the error */
};

/*
** Text arrives through SQL, and often through a shell: when the damage looks
** like that of a lost or a wrong quote, say how quotes are written.
*/
#define SCAN_HINT_SQL \
  "; in an SQL string a single quote is written twice, as in " \
  "'{\"apply_as_deletes\": \"op = ''D''\"}'"
#define SCAN_HINT_DOUBLE \
  "; JSON names and texts stand in double quotes (which a shell removes, " \
  "unless the whole SQL is in single quotes or each is written \\\")"

static void scanError(JsonScan *p, u32 i, const char *zMsg){
  if( p->pCtx->rc ) return;
  p->iBad = i;
  acdcError(p->pCtx, SQLITE_ERROR, "%s", zMsg);
}

static void scanBlanks(JsonScan *p){
  while( p->i<p->n ){
    u8 c = p->z[p->i];
    if( c!=' ' && c!='\t' && c!='\n' && c!='\r' ) break;
    p->i++;
  }
}

/*
** The number of bytes of the character at z (at most n), or 0 if it is not
** UTF-8: overlong forms and surrogates are not.
*/
static int utf8Length(const u8 *z, u32 n){
  u8 c = z[0];
  int i, k;
  if( c<0x80 ) return 1;
  if( c>=0xc2 && c<=0xdf ) k = 2;
  else if( c>=0xe0 && c<=0xef ) k = 3;
  else if( c>=0xf0 && c<=0xf4 ) k = 4;
  else return 0;
  if( n<(u32)k ) return 0;
  for(i=1; i<k; i++){
    if( (z[i] & 0xc0)!=0x80 ) return 0;
  }
  if( c==0xe0 && z[1]<0xa0 ) return 0;
  if( c==0xed && z[1]>0x9f ) return 0;
  if( c==0xf0 && z[1]<0x90 ) return 0;
  if( c==0xf4 && z[1]>0x8f ) return 0;
  return k;
}

/* The value of four hexadecimal digits, or -1. */
static int hex4(const u8 *z, u32 n){
  int v = 0, i;
  if( n<4 ) return -1;
  for(i=0; i<4; i++){
    u8 c = z[i];
    v *= 16;
    if( c>='0' && c<='9' ) v += c - '0';
    else if( c>='a' && c<='f' ) v += c - 'a' + 10;
    else if( c>='A' && c<='F' ) v += c - 'A' + 10;
    else return -1;
  }
  return v;
}

/* A "\u" escape at p->i. */
static void scanUnicode(JsonScan *p){
  const u8 *z = &p->z[p->i];
  u32 n = p->n - p->i;
  int v = n>2 ? hex4(z+2, n-2) : -1;
  if( v<0 ){
    scanError(p, p->i, "\\u takes four hexadecimal digits");
  }else if( v==0 ){
    scanError(p, p->i, "\\u0000 is not allowed in text");
  }else if( v>=0xdc00 && v<=0xdfff ){
    scanError(p, p->i, "\\u escape is the second half of a pair without "
              "the first");
  }else if( v>=0xd800 && v<=0xdbff ){
    int w = (n>8 && z[6]=='\\' && z[7]=='u') ? hex4(z+8, n-8) : -1;
    if( w<0xdc00 || w>0xdfff ){
      scanError(p, p->i, "\\u escape is the first half of a pair without "
                "the second");
    }
    p->i += 12;
  }else{
    p->i += 6;
  }
}

static void scanString(JsonScan *p){
  u32 iStart = p->i++;
  while( p->pCtx->rc==SQLITE_OK ){
    u8 c;
    if( p->i>=p->n ){
      scanError(p, iStart, "this text does not end before the document does"
                SCAN_HINT_SQL);
      return;
    }
    c = p->z[p->i];
    if( c=='"' ){
      p->i++;
      return;
    }
    if( c=='\\' ){
      u8 e = p->i+1<p->n ? p->z[p->i+1] : 0;
      if( e=='u' ){
        scanUnicode(p);
      }else if( e && strchr("\"\\/bfnrt", e) ){
        p->i += 2;
      }else{
        scanError(p, p->i, "unknown escape; a backslash is written \\\\");
      }
    }else if( c<0x20 ){
      scanError(p, p->i, "a line break, tab or control character inside text "
                "is written as an escape such as \\n or \\t");
    }else{
      int k = utf8Length(&p->z[p->i], p->n - p->i);
      if( k==0 ) scanError(p, p->i, "this byte is not UTF-8");
      p->i += (u32)k;
    }
  }
}

static int isDigit(JsonScan *p){
  return p->i<p->n && p->z[p->i]>='0' && p->z[p->i]<='9';
}

static void scanDigits(JsonScan *p){
  if( !isDigit(p) ) scanError(p, p->i, "a digit is missing in this number");
  while( isDigit(p) ) p->i++;
}

static void scanNumber(JsonScan *p){
  u32 iStart = p->i;
  if( p->z[p->i]=='-' ) p->i++;
  if( p->i+1<p->n && p->z[p->i]=='0' && p->z[p->i+1]>='0'
   && p->z[p->i+1]<='9' ){
    scanError(p, iStart, "a number does not start with 0; put it in double "
              "quotes if it is text");
  }
  scanDigits(p);
  if( p->i<p->n && p->z[p->i]=='.' ){
    p->i++;
    scanDigits(p);
  }
  if( p->i<p->n && (p->z[p->i]=='e' || p->z[p->i]=='E') ){
    p->i++;
    if( p->i<p->n && (p->z[p->i]=='+' || p->z[p->i]=='-') ) p->i++;
    scanDigits(p);
  }
  if( p->i - iStart > 60 ){
    scanError(p, iStart, "this number has more than 60 characters; put it "
              "in double quotes");
  }
}

/* A word: true, false or null, else an error.  Returns its type. */
static u8 scanWord(JsonScan *p, AcdcJsonNode *pNode){
  static const struct { const char *z; u32 n; u8 eType; u8 bTrue; } a[] = {
    { "null",  4, ACDC_JSON_NULL, 0 },
    { "true",  4, ACDC_JSON_BOOL, 1 },
    { "false", 5, ACDC_JSON_BOOL, 0 },
  };
  const u8 *z = &p->z[p->i];
  u32 n = 0;
  u32 k;
  while( p->i+n<p->n && ((z[n]>='a' && z[n]<='z') || (z[n]>='A' && z[n]<='Z')
         || (z[n]>='0' && z[n]<='9') || z[n]=='_') ){
    n++;
  }
  for(k=0; k<sizeof(a)/sizeof(a[0]); k++){
    if( n==a[k].n && memcmp(z, a[k].z, n)==0 ){
      pNode->bTrue = a[k].bTrue;
      p->i += n;
      return a[k].eType;
    }
  }
  if( z[0]=='\'' || n>0 ){
    scanError(p, p->i, "a value starts here without its double quote"
              SCAN_HINT_DOUBLE);
  }else if( z[0]==']' || z[0]=='}' ){
    scanError(p, p->i, "a value is missing here; is there a comma too many?");
  }else if( z[0]=='/' || z[0]=='#' ){
    scanError(p, p->i, "JSON has no comments");
  }else{
    scanError(p, p->i, "a value is expected here");
  }
  return ACDC_JSON_NULL;
}

static AcdcJsonNode *scanValue(JsonScan *p, int nDepth);

/*
** One child of pParent: "name": value in an object, value in an array.
** *ppTail is where its node goes.
*/
static AcdcJsonNode *scanChild(JsonScan *p, AcdcJsonNode *pParent, int nDepth){
  AcdcJsonNode *pNode;
  u32 iKey = 0;
  if( pParent->eType==ACDC_JSON_OBJECT ){
    scanBlanks(p);
    iKey = p->i;
    if( p->i>=p->n || p->z[p->i]!='"' ){
      if( p->i<p->n && p->z[p->i]=='}' ){
        scanError(p, p->i, "a name is missing here; is there a comma too "
                  "many?");
      }else if( p->i>=p->n ){
        scanError(p, p->i, "the document ends inside an object"
                  SCAN_HINT_SQL);
      }else{
        scanError(p, p->i, "a member's name is expected here, in double "
                  "quotes" SCAN_HINT_DOUBLE);
      }
      return 0;
    }
    scanString(p);
    scanBlanks(p);
    if( p->pCtx->rc==SQLITE_OK && (p->i>=p->n || p->z[p->i]!=':') ){
      scanError(p, p->i, "a colon is expected after a member's name");
    }
    p->i++;
  }
  pNode = scanValue(p, nDepth);
  if( pNode==0 ) return 0;
  pNode->pParent = pParent;
  pNode->iIndex = pParent->nChild++;
  pNode->iKeyOff = pParent->eType==ACDC_JSON_OBJECT ? iKey : pNode->iOff;
  return pNode;
}

/* The elements or members of pNode, whose bracket is at p->i. */
static void scanChildren(JsonScan *p, AcdcJsonNode *pNode, int nDepth){
  u8 cEnd = pNode->eType==ACDC_JSON_OBJECT ? '}' : ']';
  AcdcJsonNode **ppTail = &pNode->pFirst;
  p->i++;
  scanBlanks(p);
  if( p->i<p->n && p->z[p->i]==cEnd ){
    p->i++;
    return;
  }
  while( p->pCtx->rc==SQLITE_OK ){
    *ppTail = scanChild(p, pNode, nDepth+1);
    if( *ppTail==0 ) return;
    ppTail = &(*ppTail)->pNext;
    scanBlanks(p);
    if( p->i>=p->n ){
      scanError(p, p->i, cEnd=='}' ? "the document ends inside an object"
                : "the document ends inside an array");
      return;
    }
    if( p->z[p->i]==cEnd ){
      p->i++;
      return;
    }
    if( p->z[p->i]!=',' ){
      scanError(p, p->i, cEnd=='}'
         ? "a comma or } is expected here" SCAN_HINT_SQL
         : "a comma or ] is expected here" SCAN_HINT_SQL);
      return;
    }
    p->i++;
  }
}

/* The value at p->i.  NULL if the context is in error after it. */
static AcdcJsonNode *scanValue(JsonScan *p, int nDepth){
  AcdcJsonNode *pNode;
  scanBlanks(p);
  if( p->i>=p->n ){
    scanError(p, p->i, nDepth ? "the document ends where a value is expected"
              : "the text is empty; a JSON document is expected");
  }
  if( nDepth>=ACDC_JSON_MAX_DEPTH ){
    scanError(p, p->i, "the document is nested more than 200 deep");
  }
  if( p->nValue++>=ACDC_JSON_MAX_VALUES ){
    scanError(p, p->i, "the document has more than 2000000 values");
  }
  pNode = acdcArenaAlloc(p->pCtx, &p->pDoc->arena, (i64)sizeof(*pNode));
  if( p->pCtx->rc || pNode==0 ) return 0;
  memset(pNode, 0, sizeof(*pNode));
  pNode->iOff = pNode->iKeyOff = p->i;
  switch( p->z[p->i] ){
    case '{':
      pNode->eType = ACDC_JSON_OBJECT;
      scanChildren(p, pNode, nDepth);
      break;
    case '[':
      pNode->eType = ACDC_JSON_ARRAY;
      scanChildren(p, pNode, nDepth);
      break;
    case '"':
      pNode->eType = ACDC_JSON_STRING;
      scanString(p);
      break;
    case '-': case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
      pNode->eType = ACDC_JSON_NUMBER;
      scanNumber(p);
      break;
    default:
      pNode->eType = scanWord(p, pNode);
      break;
  }
  pNode->nRaw = p->i - pNode->iOff;
  return p->pCtx->rc ? 0 : pNode;
}

static void scanDocument(JsonScan *p){
  static const u8 aBom[3] = { 0xef, 0xbb, 0xbf };
  if( p->n>=3 && memcmp(p->z, aBom, 3)==0 ) p->i = 3;
  p->pDoc->pRoot = scanValue(p, 0);
  scanBlanks(p);
  if( p->pCtx->rc==SQLITE_OK && p->i<p->n ){
    scanError(p, p->i, "there is more text after the end of the document");
  }
}

/* Order members by name, later ones of a name last. */
static int compareMembers(const void *pA, const void *pB){
  const AcdcJsonNode *a = *(AcdcJsonNode*const*)pA;
  const AcdcJsonNode *b = *(AcdcJsonNode*const*)pB;
  int c = strcmp(a->zKey, b->zKey);
  if( c ) return c;
  return a->iIndex<b->iIndex ? -1 : 1;
}

static void markDuplicates(AcdcCtx *p, AcdcJson *pDoc, AcdcJsonNode *pObj){
  AcdcJsonNode **a;
  AcdcJsonNode *pNode;
  int n = 0;
  if( pObj->nChild<2 ) return;
  a = acdcMalloc(p, pObj->nChild*(i64)sizeof(*a));
  if( a==0 ) return;
  for(pNode=pObj->pFirst; pNode; pNode=pNode->pNext) a[n++] = pNode;
  qsort(a, (size_t)n, sizeof(*a), compareMembers);
  while( --n>0 ){
    if( strcmp(a[n-1]->zKey, a[n]->zKey)==0 ){
      a[n-1]->bDup = 1;
      pDoc->nDup++;
    }
  }
  sqlite3_free(a);
}

/* Give the nodes their names and texts.  Both trees have one shape. */
static void linkTree(
  AcdcCtx *p,
  AcdcJson *pDoc,
  AcdcJsonNode *pNode,
  const cJSON *pItem
){
  const cJSON *pSub = pItem->child;
  AcdcJsonNode *pChild;
  pNode->zKey = pItem->string;
  if( pNode->eType==ACDC_JSON_STRING ){
    assert( cJSON_IsString(pItem) );
    pNode->zText = pItem->valuestring;
  }
  for(pChild=pNode->pFirst; pChild; pChild=pChild->pNext){
    assert( pSub!=0 );
    linkTree(p, pDoc, pChild, pSub);
    pSub = pSub->next;
  }
  assert( pNode->pFirst==0 || pSub==0 );
  if( pNode->eType==ACDC_JSON_OBJECT ) markDuplicates(p, pDoc, pNode);
}

/* Move *pPos on to offset i of the text; columns count characters. */
static void placeForward(const AcdcJson *pDoc, u32 i, AcdcJsonPos *pPos){
  i64 k;
  for(k=pPos->iOff; k<(i64)i; k++){
    u8 c = (u8)pDoc->z[k];
    if( c=='\n' ){
      pPos->iLine++;
      pPos->iCol = 1;
    }else if( (c & 0xc0)!=0x80 ){
      pPos->iCol++;
    }
  }
  pPos->iOff = i;
}

static void placeOf(AcdcJson *pDoc, u32 i, AcdcJsonPos *pPos){
  if( i>pDoc->n ) i = pDoc->n;
  if( pDoc->last.iLine==0 || pDoc->last.iOff>(i64)i ){
    pDoc->last.iOff = 0;
    pDoc->last.iLine = pDoc->last.iCol = 1;
  }
  placeForward(pDoc, i, &pDoc->last);
  *pPos = pDoc->last;
}

AcdcJson *acdcJsonParse(AcdcCtx *p, const char *z, i64 n, AcdcJsonPos *pPos){
  AcdcJson *pDoc;
  JsonScan scan;
  memset(pPos, 0, sizeof(*pPos));
  if( p->rc ) return 0;
  if( n<0 ) n = (i64)strlen(z);
  if( n>ACDC_JSON_MAX_BYTES ){
    acdcError(p, SQLITE_TOOBIG, "the document has %lld bytes; at most %d "
              "(16 MB) are read: split it", n, ACDC_JSON_MAX_BYTES);
    return 0;
  }
  pDoc = acdcMalloc(p, (i64)sizeof(*pDoc));
  if( pDoc==0 ) return 0;
  pDoc->z = acdcMalloc(p, n+1);
  if( pDoc->z ){
    if( n ) memcpy(pDoc->z, z, (size_t)n);
    pDoc->n = (u32)n;
    memset(&scan, 0, sizeof(scan));
    scan.pCtx = p;
    scan.pDoc = pDoc;
    scan.z = (const u8*)pDoc->z;
    scan.n = pDoc->n;
    scanDocument(&scan);
    if( p->rc ) placeOf(pDoc, scan.iBad, pPos);
  }
  if( p->rc==SQLITE_OK ){
    pDoc->pTree = cJSON_ParseWithLength(pDoc->z, (size_t)pDoc->n+1);
    if( pDoc->pTree ){
      linkTree(p, pDoc, pDoc->pRoot, pDoc->pTree);
    }else{
      /* The scan has accepted the text: only memory can be missing. */
      acdcError(p, SQLITE_NOMEM, "out of memory");
    }
  }
  if( p->rc ){
    acdcJsonFree(pDoc);
    pDoc = 0;
  }
  return pDoc;
}

void acdcJsonFree(AcdcJson *pDoc){
  if( pDoc==0 ) return;
  cJSON_Delete(pDoc->pTree);
  acdcArenaFree(&pDoc->arena);
  sqlite3_free(pDoc->z);
  sqlite3_free(pDoc);
}

AcdcJsonNode *acdcJsonRoot(AcdcJson *pDoc){
  return pDoc->pRoot;
}

int acdcJsonDuplicates(AcdcJson *pDoc){
  return pDoc->nDup;
}

AcdcJsonNode *acdcJsonMember(const AcdcJsonNode *pObj, const char *zName){
  AcdcJsonNode *pNode;
  if( pObj==0 || pObj->eType!=ACDC_JSON_OBJECT ) return 0;
  for(pNode=pObj->pFirst; pNode; pNode=pNode->pNext){
    if( pNode->bDup==0 && strcmp(pNode->zKey, zName)==0 ) break;
  }
  return pNode;
}

AcdcJsonNode *acdcJsonAt(const AcdcJsonNode *p, int i){
  AcdcJsonNode *pNode = p ? p->pFirst : 0;
  while( pNode && i-->0 ) pNode = pNode->pNext;
  return pNode;
}

const char *acdcJsonTypeName(const AcdcJsonNode *p){
  static const char *const az[] = {
    "nothing", "null", "true or false", "a number", "text", "a list",
    "an object"
  };
  return az[p ? p->eType : 0];
}

char *acdcJsonPointer(AcdcCtx *p, const AcdcJsonNode *pNode){
  char *z = 0;
  char *zTail = acdcStrdup(p, "");
  for(; pNode && pNode->pParent && p->rc==SQLITE_OK; pNode=pNode->pParent){
    if( pNode->zKey ){
      const char *zIn = pNode->zKey;
      char *zEsc = acdcMalloc(p, 2*(i64)strlen(zIn)+1);
      int i = 0;
      if( zEsc==0 ) break;
      for(; *zIn; zIn++){
        if( *zIn=='~' || *zIn=='/' ){
          zEsc[i++] = '~';
          zEsc[i++] = *zIn=='~' ? '0' : '1';
        }else{
          zEsc[i++] = *zIn;
        }
      }
      z = acdcMprintf(p, "/%s%s", zEsc, zTail);
      sqlite3_free(zEsc);
    }else{
      z = acdcMprintf(p, "/%d%s", pNode->iIndex, zTail);
    }
    sqlite3_free(zTail);
    zTail = z;
  }
  return zTail;
}

void acdcJsonWhere(
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  int bKey,
  AcdcJsonPos *pPos
){
  placeOf(pDoc, bKey ? pNode->iKeyOff : pNode->iOff, pPos);
}

const char *acdcJsonRaw(AcdcJson *pDoc, const AcdcJsonNode *pNode, int *pn){
  *pn = (int)pNode->nRaw;
  return &pDoc->z[pNode->iOff];
}

int acdcJsonInt(AcdcJson *pDoc, const AcdcJsonNode *pNode, i64 *pi){
  const char *z = &pDoc->z[pNode->iOff];
  u32 i = 0;
  u64 v = 0;
  int bNeg;
  if( pNode->eType!=ACDC_JSON_NUMBER ) return 0;
  bNeg = z[0]=='-';
  for(i=(u32)bNeg; i<pNode->nRaw; i++){
    u64 d = (u64)(z[i] - '0');
    if( z[i]<'0' || z[i]>'9' ) return 0;
    if( v>(((u64)1<<63) - d)/10 ) return 0;
    v = v*10 + d;
  }
  if( v==((u64)1<<63) ){
    if( !bNeg ) return 0;
    *pi = (i64)(-9223372036854775807LL - 1);
  }else{
    *pi = bNeg ? -(i64)v : (i64)v;
  }
  return 1;
}

void acdcJsonScalar(AcdcJson *pDoc, const AcdcJsonNode *pNode, AcdcVal *pOut){
  const char *z = &pDoc->z[pNode->iOff];
  memset(pOut, 0, sizeof(*pOut));
  pOut->eType = SQLITE_TEXT;
  pOut->n = (int)pNode->nRaw;
  pOut->u.z = (const u8*)z;
  switch( pNode->eType ){
    case ACDC_JSON_NULL:
      pOut->eType = SQLITE_NULL;
      break;
    case ACDC_JSON_BOOL:
      pOut->eType = SQLITE_INTEGER;
      pOut->u.i = pNode->bTrue;
      break;
    case ACDC_JSON_STRING:
      pOut->u.z = (const u8*)pNode->zText;
      pOut->n = (int)strlen(pNode->zText);
      break;
    case ACDC_JSON_NUMBER: {
      i64 i;
      if( acdcJsonInt(pDoc, pNode, &i) ){
        pOut->eType = SQLITE_INTEGER;
        pOut->u.i = i;
      }else if( memchr(z, '.', pNode->nRaw) || memchr(z, 'e', pNode->nRaw)
             || memchr(z, 'E', pNode->nRaw) ){
        pOut->eType = SQLITE_FLOAT;
        pOut->u.r = strtod(z, 0);
      }
      break;
    }
    default:
      break;
  }
}

void acdcJsonErrorAt(AcdcCtx *p, AcdcJson *pDoc, const AcdcJsonNode *pNode){
  AcdcCtx sub;
  AcdcJsonPos pos;
  char *zPtr;
  if( p->rc==SQLITE_OK || p->rc==SQLITE_NOMEM ) return;
  acdcCtxInit(&sub, p->db);
  zPtr = acdcJsonPointer(&sub, pNode);
  acdcJsonWhere(pDoc, pNode, 0, &pos);
  acdcErrorWhere(p, "at %s (line %d, column %d)",
                 zPtr && zPtr[0] ? zPtr : "the top", pos.iLine, pos.iCol);
  sqlite3_free(zPtr);
  acdcCtxClear(&sub);
}

void acdcJsonError(
  AcdcCtx *p,
  AcdcJson *pDoc,
  const AcdcJsonNode *pNode,
  const char *zFmt,
  ...
){
  va_list ap;
  char *z;
  if( p->rc ) return;
  va_start(ap, zFmt);
  z = sqlite3_vmprintf(zFmt, ap);
  va_end(ap);
  if( z==0 ){
    acdcError(p, SQLITE_NOMEM, "out of memory");
    return;
  }
  acdcError(p, SQLITE_ERROR, "%s", z);
  sqlite3_free(z);
  acdcJsonErrorAt(p, pDoc, pNode);
}

void acdcJsonQuote(AcdcCtx *p, char **pz, const char *z, i64 n){
  static const char zHex[] = "0123456789abcdef";
  char *zOut, *zNew;
  i64 i, j = 0;
  if( p->rc ) return;
  if( n<0 ) n = (i64)strlen(z);
  zOut = acdcMalloc(p, 6*n + 3);
  if( zOut==0 ) return;
  zOut[j++] = '"';
  for(i=0; i<n; i++){
    u8 c = (u8)z[i];
    if( c=='"' || c=='\\' ){
      zOut[j++] = '\\';
      zOut[j++] = (char)c;
    }else if( c<0x20 ){
      memcpy(&zOut[j], "\\u00", 4);
      zOut[j+4] = zHex[c>>4];
      zOut[j+5] = zHex[c&15];
      j += 6;
    }else{
      zOut[j++] = (char)c;
    }
  }
  zOut[j++] = '"';
  zOut[j] = 0;
  zNew = acdcMprintf(p, "%s%s", *pz ? *pz : "", zOut);
  sqlite3_free(zOut);
  if( zNew ){
    sqlite3_free(*pz);
    *pz = zNew;
  }
}

const char *acdcJsonLibVersion(void){
  return cJSON_Version();
}
