/*
** The order of sequence values: properties over values from a generator with
** a fixed seed, each against a second opinion that shares no code with what
** it tests.
*/
#include "sequence_fix.h"

static sqlite3 *db = 0;

static u64 seed = 20260301;
static unsigned rnd(unsigned n){
  seed ^= seed<<13;
  seed ^= seed>>7;
  seed ^= seed<<17;
  return (unsigned)((seed>>11) % n);
}

/* The order that SQLite's BINARY gives two values. */
static int storageRank(const AcdcVal *p){
  return p->eType==SQLITE_BLOB ? 2 : p->eType==SQLITE_TEXT;
}
static int sqliteCmp(const AcdcVal *pA, const AcdcVal *pB){
  int ra = storageRank(pA), rb = storageRank(pB);
  if( ra!=rb ) return ra<rb ? -1 : 1;
  if( ra==0 ){
    double r;
    i64 i, t;
    if( pA->eType==pB->eType ){
      if( pA->eType==SQLITE_FLOAT ){
        return (pA->u.r>pB->u.r) - (pA->u.r<pB->u.r);
      }
      return (pA->u.i>pB->u.i) - (pA->u.i<pB->u.i);
    }
    if( pA->eType==SQLITE_FLOAT ) return -sqliteCmp(pB, pA);
    i = pA->u.i;
    r = pB->u.r;
    if( r>=9223372036854775808.0 ) return -1;
    if( r<-9223372036854775808.0 ) return 1;
    t = (i64)r;                          /* towards zero */
    if( i!=t ) return i<t ? -1 : 1;
    return ((double)t>r) - ((double)t<r);
  }else{
    int n = pA->n<pB->n ? pA->n : pB->n;
    int c = n ? memcmp(pA->u.z, pB->u.z, (size_t)n) : 0;
    return c ? c : pA->n - pB->n;
  }
}
static int sign(int c){ return (c>0) - (c<0); }

/* Everything that must hold of two values of one kind; iWant is their order. */
static void checkPair(
  Fix *p,
  const AcdcSeq *pA,
  const AcdcSeq *pB,
  int iWant,
  const char *zA,
  const char *zB
){
  u8 aA[ACDC_SEQ_SPARE], aB[ACDC_SEQ_SPARE];
  int na, nb, n, c;
  const u8 *a = acdcSeqOrd(&p->kind, pA, aA, &na);
  const u8 *b = acdcSeqOrd(&p->kind, pB, aB, &nb);
  AcdcSeq bytes;
  AcdcVal sa, sb;
  n = na<nb ? na : nb;
  c = n ? memcmp(a, b, (size_t)n) : 0;
  if( c==0 ) c = na - nb;
  check(sign(c)==iWant, "order bytes of %s and %s: %d, not %d", zA, zB,
        sign(c), iWant);
  check(sign(acdcSeqCmp(&p->kind, pA, pB))==iWant, "%s against %s", zA, zB);
  check(sign(acdcSeqCmp(&p->kind, pB, pA))==-iWant, "%s against %s", zB, zA);
  bytes = *pB;
  bytes.isInt = 0;
  bytes.pOrd = b;
  bytes.nOrd = nb;
  check(sign(acdcSeqCmp(&p->kind, pA, &bytes))==iWant, "%s against bytes of %s",
        zA, zB);
  acdcSeqToState(&p->ctx, &p->kind, pA, &p->arena, &sa);
  acdcSeqToState(&p->ctx, &p->kind, pB, &p->arena, &sb);
  check(sign(sqliteCmp(&sa, &sb))==iWant, "state of %s and %s", zA, zB);
  if( acdcSeqNative(&p->kind) ){
    check(sign(sqliteCmp(&pA->shown, &pB->shown))==iWant,
          "shown form of %s and %s", zA, zB);
  }
}

/* ---------------------------------------------------------------------
** A second opinion on decimals: text to a fixed-point string.
*/
#define FIXED 440            /* digits before the point, and after it */
static void toFixed(const char *z, int *pbNeg, char *a){
  int nInt, i, bAny = 0;
  const char *zPoint;
  *pbNeg = *z=='-';
  if( *z=='-' || *z=='+' ) z++;
  zPoint = strchr(z, '.');
  nInt = zPoint ? (int)(zPoint - z) : (int)strlen(z);
  memset(a, '0', 2*FIXED);
  memcpy(&a[FIXED-nInt], z, (size_t)nInt);
  if( zPoint ) memcpy(&a[FIXED], zPoint+1, strlen(zPoint+1));
  for(i=0; i<2*FIXED; i++) bAny |= a[i]!='0';
  if( !bAny ) *pbNeg = 0;
}
static int fixedCmp(const char *zA, const char *zB){
  static char a[2*FIXED], b[2*FIXED];
  int na, nb, c;
  toFixed(zA, &na, a);
  toFixed(zB, &nb, b);
  if( na!=nb ) return na ? -1 : 1;
  c = memcmp(a, b, 2*FIXED);
  return na ? -sign(c) : sign(c);
}

/* A decimal that every sequence can hold. */
static void randomNumber(char *z){
  int k = (int)rnd(8), i, n;
  if( rnd(3)==0 && k!=5 ) *z++ = rnd(4) ? '-' : '+';
  while( rnd(4)==0 ) *z++ = '0';
  if( k<5 ){
    n = k<2 ? 1 + (int)rnd(2) : 1 + (int)rnd(18);
    for(i=0; i<n; i++) *z++ = (char)('0' + rnd(k==4 ? 2 : 10));
    if( k==1 || k==3 ){
      *z++ = '.';
      n = k==1 ? 1 + (int)rnd(6) : 0;
      k = rnd(2) ? 2 : 10;
      for(i=0; i<n; i++) *z++ = (char)('0' + rnd((unsigned)k));
    }
  }else if( k==5 ){
    n = 18 + (int)rnd(21);
    for(i=0; i<n; i++) *z++ = (char)('0' + (i ? rnd(10) : 1+rnd(9)));
  }else{
    *z++ = '0';
    *z++ = '.';
    n = (int)rnd(40);
    for(i=0; i<n; i++) *z++ = '0';
    n = 1 + (int)rnd(15);
    for(i=0; i<n; i++) *z++ = (char)('0' + rnd(10));
  }
  *z = 0;
}

UNIT_TEST(number_order){
  static char az[300][64];
  static AcdcSeq aSeq[300];
  int i, j;
  Fix f;
  fixInit(&f, "n");
  for(i=0; i<300; i++){
    randomNumber(az[i]);
    if( i%7==0 && i>0 ){
      memmove(az[i], az[rnd((unsigned)i)], sizeof(az[i]));
    }
    if( readOne(&f, vText(az[i]), &aSeq[i]) ){
      check(0, "%s: %s", az[i], acdcErrorText(&f.ctx));
      break;
    }
    checkTrip(&f, &aSeq[i], az[i]);
  }
  for(i=0; i<300 && f.ctx.rc==0; i++){
    for(j=0; j<300; j++){
      checkPair(&f, &aSeq[i], &aSeq[j], fixedCmp(az[i], az[j]), az[i], az[j]);
    }
  }
  fixClear(&f);
}

/* Numbers that go up, each also as the first of two parts. */
UNIT_TEST(number_ladder){
  static const char *az[] = { "-9223372036854775808", "-9223372036854775807",
    "-100", "-99.99", "-10", "-9.5", "-2", "-1.0001", "-1.000001", "-1.00",
    "-0.99", "-0.1", "-0.01", "0", "0.001", "0.0010001", "0.1", "0.99", "1",
    "1.000001", "1.0001", "1.01", "1.1", "2", "9", "10", "10.25", "99.99",
    "100", "9223372036854775807", "9223372036854775808",
    "10000000000000000000", "10000000000000000000000001",
    "99999999999999999999999999999999999999" };
  enum { N = sizeof(az)/sizeof(az[0]) };
  static AcdcSeq aOne[N], aTwo[N];
  int i, j;
  Fix f, g;
  AcdcVal a[2];
  fixInit(&f, "n");
  fixInit(&g, "n,n");
  for(i=0; i<N; i++){
    a[0] = vText(az[i]);
    a[1] = vInt(N-i);
    check(readOne(&f, a[0], &aOne[i])==0
       && acdcSeqRead(&g.ctx, &g.kind, a, 0, &g.arena, &aTwo[i])==0,
       "%s: %s", az[i], acdcErrorText(&f.ctx));
    if( f.ctx.rc || g.ctx.rc ) break;
  }
  for(i=0; i<N && f.ctx.rc==0 && g.ctx.rc==0; i++){
    for(j=0; j<N; j++){
      checkPair(&f, &aOne[i], &aOne[j], (i>j)-(i<j), az[i], az[j]);
      checkPair(&g, &aTwo[i], &aTwo[j], (i>j)-(i<j), az[i], az[j]);
    }
  }
  fixClear(&f);
  fixClear(&g);
}

/* REALs of all sizes, among each other and against INTEGERs. */
UNIT_TEST(real_order){
  static AcdcVal aV[240];
  static AcdcSeq aSeq[240];
  int i, j;
  Fix f;
  fixInit(&f, "n");
  for(i=0; i<240; i++){
    double r = ((double)rnd(1u<<30) + 1.0) / (double)(1u + rnd(1u<<20));
    int k = (int)rnd(5), m = (int)rnd(k==0 ? 300 : 18);
    while( m-->0 ) r /= k==0 ? 10.0 : 3.0;
    if( rnd(3)==0 ) r = -r;
    aV[i] = k==4 ? vInt((i64)rnd(2000) - 1000) : vReal(r);
    if( k==3 && i>0 && aV[i-1].eType==SQLITE_FLOAT ){
      /* a neighbour of the last one, as near as can be */
      union { double r; u64 u; } x;
      x.r = aV[i-1].u.r;
      x.u++;
      aV[i] = vReal(x.r);
    }
    check(readOne(&f, aV[i], &aSeq[i])==0, "REAL: %s", acdcErrorText(&f.ctx));
    if( f.ctx.rc ) break;
    checkTrip(&f, &aSeq[i], "REAL");
    if( aV[i].eType==SQLITE_FLOAT && !aSeq[i].isInt ){
      check(aSeq[i].shown.eType==SQLITE_FLOAT && aSeq[i].shown.u.r==aV[i].u.r,
            "%.17g as REAL", aV[i].u.r);
    }
  }
  for(i=0; i<240 && f.ctx.rc==0; i++){
    for(j=0; j<240; j++){
      checkPair(&f, &aSeq[i], &aSeq[j], sign(sqliteCmp(&aV[i], &aV[j])),
                "REAL", "REAL");
    }
  }
  fixClear(&f);
}

/* ---------------------------------------------------------------------
** Instants
*/
/* Seconds of an instant by SQLite, which takes no odd zone forms. */
static i64 sqliteSeconds(sqlite3_stmt *pStmt, const char *z){
  i64 r;
  sqlite3_bind_text(pStmt, 1, z, -1, SQLITE_STATIC);
  sqlite3_step(pStmt);
  r = sqlite3_column_int64(pStmt, 0);
  sqlite3_reset(pStmt);
  return r;
}

UNIT_TEST(instant_order){
  static char az[200][64];
  static char azFrac[200][24];
  static i64 aSec[200];
  static AcdcSeq aSeq[200];
  int i, j, k;
  sqlite3_stmt *pStmt = 0;
  Fix f;
  fixInit(&f, "i");
  sqlite3_prepare_v2(db, "SELECT strftime('%s', ?1)", -1, &pStmt, 0);
  for(i=0; i<200; i++){
    char zBase[32];
    static const char *azZone[] = { "", "Z", "+00:00", "+05:30", "-11:45" };
    const char *zZone = azZone[rnd(5)];
    int nFrac = rnd(2) ? 0 : 1 + (int)rnd(9);
    snprintf(zBase, sizeof(zBase), "%04u-%02u-%02u%c%02u:%02u:%02u",
        rnd(3) ? 2026 : rnd(10000), rnd(3) ? 2u : 1+rnd(12), 1+rnd(28),
        rnd(2) ? 'T' : ' ', rnd(2) ? 10u : rnd(24), rnd(60), rnd(60));
    for(j=0; j<nFrac; j++) azFrac[i][j] = (char)('0' + rnd(rnd(2) ? 10 : 1));
    azFrac[i][nFrac] = 0;
    snprintf(az[i], sizeof(az[i]), "%s%s%.9s%s", zBase, nFrac ? "." : "",
        azFrac[i], zZone);
    if( i%9==1 ){
      memmove(az[i], az[i-1], sizeof(az[i]));
      memmove(azFrac[i], azFrac[i-1], sizeof(azFrac[i]));
      aSec[i] = aSec[i-1];
    }else{
      char zWhole[64];
      snprintf(zWhole, sizeof(zWhole), "%s%s", zBase, zZone);
      aSec[i] = sqliteSeconds(pStmt, zWhole);
    }
    for(k=(int)strlen(azFrac[i]); k<23; k++) azFrac[i][k] = '0';
    azFrac[i][23] = 0;
    check(readOne(&f, vText(az[i]), &aSeq[i])==0, "%s: %s", az[i],
        acdcErrorText(&f.ctx));
    if( f.ctx.rc ) break;
    checkTrip(&f, &aSeq[i], az[i]);
  }
  f.kind.bMixedForm = 1;
  for(i=0; i<200 && f.ctx.rc==0; i++){
    for(j=0; j<200; j++){
      int iWant = (aSec[i]>aSec[j]) - (aSec[i]<aSec[j]);
      if( iWant==0 ) iWant = sign(strcmp(azFrac[i], azFrac[j]));
      checkPair(&f, &aSeq[i], &aSeq[j], iWant, az[i], az[j]);
    }
  }
  sqlite3_finalize(pStmt);
  fixClear(&f);
}

/* Every day of eight centuries. */
UNIT_TEST(instant_calendar){
  sqlite3_stmt *pStmt = 0;
  Fix f;
  AcdcSeq s;
  fixInit(&f, "i");
  sqlite3_prepare_v2(db,
      "WITH RECURSIVE d(i) AS (SELECT -300000 UNION ALL SELECT i+1 FROM d"
      " WHERE i<60000) SELECT i, date(i*86400, 'unixepoch') FROM d",
      -1, &pStmt, 0);
  while( sqlite3_step(pStmt)==SQLITE_ROW ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 1);
    i64 i = sqlite3_column_int64(pStmt, 0);
    if( readOne(&f, vText(z), &s)!=0 || !s.isInt
     || s.iOrd!=i*86400*1000000
    ){
      check(0, "day %lld, %s", i, z);
      break;
    }
  }
  check(sqlite3_column_count(pStmt)==2, "calendar query");
  sqlite3_finalize(pStmt);
  fixClear(&f);
}

/* ---------------------------------------------------------------------
** Composites
*/
/* The digits of a REAL are those that printf() finds first that read back. */
UNIT_TEST(real_digits){
  int i, n;
  Fix f;
  AcdcSeq s;
  AcdcVal a[2];
  fixInit(&f, "n,n");
  a[1] = vInt(0);
  for(i=0; i<50000; i++){
    char zWant[64];
    double r = (double)(i64)(rnd(1u<<31)*(u64)(1+rnd(1u<<20)) + 1);
    for(n=(int)rnd(12); n>0; n--) r /= 10.0;
    if( rnd(2) ) r = -r;
    if( r>1e15 || r< -1e15 || (r<1e-3 && r>-1e-3) ) continue;
    for(n=15; n<=17; n++){
      snprintf(zWant, 64, "[%.*g,0]", n, r);
      if( strtod(&zWant[1], 0)==r ) break;
    }
    a[0] = vReal(r);
    if( acdcSeqRead(&f.ctx, &f.kind, a, 0, &f.arena, &s) ) break;
    check((int)strlen(zWant)==s.shown.n
       && memcmp(zWant, s.shown.u.z, (size_t)s.shown.n)==0, "%s: %.*s", zWant,
       s.shown.n, (const char*)s.shown.u.z);
  }
  UNIT_STR(f.ctx.zErr, 0);
  fixClear(&f);
}

/* A random part of a class, and its order against another. */
static AcdcVal randomPart(char c, char *z){
  static const char zFew[] = "a\0b\xff\x01";
  int i, n;
  switch( c ){
    case 'n':
      if( rnd(2) ) return vInt((i64)rnd(5) - 2);
      randomNumber(z);
      return vText(z);
    case 'i':
      snprintf(z, 40, "2026-01-01 10:00:0%u.%07u", rnd(3), rnd(3));
      return vText(z);
  }
  n = 1 + (int)rnd(3);
  for(i=0; i<n; i++) z[i] = zFew[rnd(5)];
  return vBytes(c=='t' ? SQLITE_TEXT : SQLITE_BLOB, z, n);
}
static int partCmp(char c, const AcdcVal *pA, const AcdcVal *pB){
  char zA[64], zB[64];
  if( c!='n' ) return sign(sqliteCmp(pA, pB));
  if( pA->eType==SQLITE_INTEGER ) snprintf(zA, 64, "%lld", pA->u.i);
  else snprintf(zA, 64, "%.*s", pA->n, (const char*)pA->u.z);
  if( pB->eType==SQLITE_INTEGER ) snprintf(zB, 64, "%lld", pB->u.i);
  else snprintf(zB, 64, "%.*s", pB->n, (const char*)pB->u.z);
  return fixedCmp(zA, zB);
}

UNIT_TEST(parts_order){
  static const char *azKind[] = { "n,n", "t,n", "b,t,n", "i,n", "n,i,t", "t,t",
                                  "t", "b" };
  static AcdcVal aV[100][3];
  static char az[100][3][64];
  static AcdcSeq aSeq[100];
  int i, j, k;
  unsigned m;
  for(m=0; m<sizeof(azKind)/sizeof(azKind[0]); m++){
    Fix f;
    fixInit(&f, azKind[m]);
    for(i=0; i<100; i++){
      for(k=0; k<f.kind.nPart; k++){
        aV[i][k] = randomPart((char)f.kind.aClass[k], az[i][k]);
      }
      check(acdcSeqRead(&f.ctx, &f.kind, aV[i], 0, &f.arena, &aSeq[i])==0,
            "%s: %s", azKind[m], acdcErrorText(&f.ctx));
      if( f.ctx.rc ) break;
      checkTrip(&f, &aSeq[i], azKind[m]);
    }
    for(i=0; i<100 && f.ctx.rc==0; i++){
      for(j=0; j<100; j++){
        int iWant = 0;
        for(k=0; k<f.kind.nPart && iWant==0; k++){
          iWant = partCmp((char)f.kind.aClass[k], &aV[i][k], &aV[j][k]);
        }
        checkPair(&f, &aSeq[i], &aSeq[j], iWant, azKind[m], azKind[m]);
      }
    }
    fixClear(&f);
  }
}

int main(void){
  sqlite3_open(":memory:", &db);
  UNIT_RUN(number_order);
  UNIT_RUN(number_ladder);
  UNIT_RUN(real_order);
  UNIT_RUN(real_digits);
  UNIT_RUN(instant_order);
  UNIT_RUN(instant_calendar);
  UNIT_RUN(parts_order);
  sqlite3_close(db);
  return unitDone();
}
