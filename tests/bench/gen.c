/*
** Writes a deterministic change log into a SQLite database.
**
**   gen --out F.db [--arrivals G.db] [options]
**
** Without --base or --versions the events are the rows of table "log" of F.db.
** With one of them, "log" holds the history that a target is seeded from and
** the events are the rows of table "arrivals" of G.db; their ids go on where
** those of "log" end, so that a batch is a range of ids in either place.
**
** The content of a row is a function of seed, key, version and sequence, so
** that an exact duplicate needs no memory of the row that it repeats.
*/
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
typedef unsigned int u32;

typedef struct Event Event;
struct Event {
  double rPos;                 /* Place in the log, before sorting */
  u32 iSeq;                    /* Sequence, from 1 */
  u32 iKey;                    /* Key, from 1 */
  u32 iVersion;                /* Which tracked values the key has */
  char op;                     /* 'I', 'U' or 'D' */
};

enum { KEY_INT, KEY_TEXT, KEY_COMPOSITE };

typedef struct Gen Gen;
struct Gen {
  const char *zOut;            /* Database of the log */
  const char *zArrivals;       /* Database of the arrivals, or NULL */
  u32 nRow;                    /* Events, duplicates included */
  u32 nKey;                    /* Keys the events are drawn from */
  u32 nBase;                   /* Keys with one event each before the log */
  u32 nVersion;                /* Events a key has before the late ones */
  double rDelete;              /* Share of deletes */
  double rDisplaced;           /* Share of events out of sequence order */
  double rDuplicate;           /* Share of exact duplicates */
  double rZipf;                /* 0: uniform; else low keys are hot */
  double rNoop;                /* Share of upserts with tracked values kept */
  double rNull;                /* Share of NULLs in the columns of upserts */
  int eKey;                    /* KEY_INT, ... */
  int bStamp;                  /* The sequence is a timestamp, as TEXT */
  int bWide;                   /* Ten columns instead of four */
  u64 iSeed;                   /* Seed, and state of the generator */
  u64 iState;
};

static const char *azFirst[] = {
  "Ada", "Boris", "Carla", "Dorin", "Edda", "Fadi", "Gesa", "Hamid", "Irma",
  "Jorge", "Kaya", "Lena", "Milo", "Noor", "Oskar", "Paula", "Quirin",
  "Runa", "Samir", "Tilda"
};
static const char *azLast[] = {
  "Abel", "Brandt", "Cavallo", "Drescher", "Ekholm", "Farkas", "Gruber",
  "Halvorsen", "Ismail", "Jansson", "Keller", "Lombardi", "Marchetti",
  "Nyberg", "Ortega", "Paulsen", "Quintero", "Rasmussen", "Sandoval", "Toth"
};
static const char *azCity[] = {
  "Aarhus", "Bologna", "Cordoba", "Dresden", "Exeter", "Freiburg", "Gdansk",
  "Haarlem", "Izmir", "Jaipur", "Kaunas", "Leipzig", "Malmo", "Nantes",
  "Ostrava", "Padua"
};
static const char *azRegion[] = {
  "ap-east", "ap-north", "ap-south", "ap-west", "eu-east", "eu-north",
  "eu-south", "eu-west", "sa-east", "sa-north", "sa-south", "sa-west",
  "us-east", "us-north", "us-south", "us-west"
};
static const char *azTier[] = { "free", "basic", "plus", "business" };
static const char *azDevice[] = { "phone", "tablet", "laptop", "kiosk" };

static void die(const char *zWhat, const char *zWhy){
  fprintf(stderr, "gen: %s: %s\n", zWhat, zWhy);
  exit(1);
}

static void *allocate(size_t n){
  void *p = calloc(1, n ? n : 1);
  if( p==0 ) die("memory", "out of it");
  return p;
}

static u64 mix(u64 x){
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x>>30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x>>27)) * 0x94d049bb133111ebULL;
  return x ^ (x>>31);
}

static u64 draw(Gen *p){
  p->iState += 0x9e3779b97f4a7c15ULL;
  return mix(p->iState);
}

/* Uniform in [0, 1). */
static double drawReal(Gen *p){
  return (double)(draw(p)>>11) * (1.0/9007199254740992.0);
}

static u32 drawBelow(Gen *p, u32 n){
  u32 i = (u32)(drawReal(p)*n);
  return i<n ? i : n-1;
}

/*
** u^(1+a) for the skew, without libm: a is taken in steps of a half, which
** Newton's square root gives exactly enough.
*/
static double skew(double u, double a){
  double r = u;
  int n = (int)(a*2 + 0.5), i;
  for(i=0; i<n/2; i++) r *= u;
  if( n & 1 ){
    double s = u>0 ? 1 : 0;
    for(i=0; i<60 && s>0; i++) s = (s + u/s)/2;
    r *= s;
  }
  return r;
}

static u32 drawKey(Gen *p){
  u64 k;
  if( p->rZipf<=0 ) return drawBelow(p, p->nKey) + 1;
  k = (u64)(p->nKey*skew(drawReal(p), p->rZipf));
  return (u32)(k*2654435761ULL % p->nKey) + 1;
}

static int eventCompare(const void *a, const void *b){
  const Event *x = a, *y = b;
  if( x->rPos!=y->rPos ) return x->rPos<y->rPos ? -1 : 1;
  return x->iSeq<y->iSeq ? -1 : x->iSeq>y->iSeq;
}

static sqlite3 *openNew(const char *zFile){
  sqlite3 *db;
  remove(zFile);
  if( sqlite3_open(zFile, &db)!=SQLITE_OK
   || sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;"
                       "BEGIN", 0, 0, 0)!=SQLITE_OK
  ){
    die(zFile, sqlite3_errmsg(db));
  }
  return db;
}

static void closeNew(sqlite3 *db, sqlite3_stmt *pIns){
  sqlite3_finalize(pIns);
  if( sqlite3_exec(db, "COMMIT", 0, 0, 0)!=SQLITE_OK ){
    die("commit", sqlite3_errmsg(db));
  }
  sqlite3_close(db);
}

/* Create zTab and return the statement that inserts one row. */
static sqlite3_stmt *tableNew(Gen *p, sqlite3 *db, const char *zTab){
  sqlite3_stmt *pIns = 0;
  int nParam = 8 + (p->eKey==KEY_COMPOSITE) + (p->bWide ? 6 : 0), i;
  sqlite3_str *pStr = sqlite3_str_new(db);
  char *zSql = sqlite3_mprintf(
    "CREATE TABLE %s(id INTEGER PRIMARY KEY, %scustomer_id %s, name TEXT,"
    " email TEXT, city TEXT, balance REAL,%s op TEXT, seq %s)", zTab,
    p->eKey==KEY_COMPOSITE ? "region TEXT, " : "",
    p->eKey==KEY_TEXT ? "TEXT" : "INTEGER",
    p->bWide ? " tier TEXT, device TEXT, visits INTEGER, score REAL,"
               " note TEXT, seen TEXT," : "",
    p->bStamp ? "TEXT" : "INTEGER");
  if( sqlite3_exec(db, zSql, 0, 0, 0)!=SQLITE_OK ){
    die(zTab, sqlite3_errmsg(db));
  }
  sqlite3_free(zSql);
  sqlite3_str_appendf(pStr, "INSERT INTO %s VALUES(?", zTab);
  for(i=1; i<nParam; i++) sqlite3_str_appendall(pStr, ",?");
  sqlite3_str_appendall(pStr, ")");
  zSql = sqlite3_str_finish(pStr);
  if( sqlite3_prepare_v2(db, zSql, -1, &pIns, 0)!=SQLITE_OK ){
    die(zTab, sqlite3_errmsg(db));
  }
  sqlite3_free(zSql);
  return pIns;
}

static void bindText(sqlite3_stmt *pIns, int i, const char *z){
  sqlite3_bind_text(pIns, i, z, -1, SQLITE_TRANSIENT);
}

/* 2024-01-01 00:00:00 plus 137 ms for each step of the sequence. */
static void bindStamp(sqlite3_stmt *pIns, int i, u32 iSeq){
  static const int aDay[] = { 31,29,31,30,31,30,31,31,30,31,30,31 };
  u64 ms = (u64)iSeq*137, day = ms/86400000;
  int year = 2024, month = 0;
  char zBuf[64];
  for(;;){
    u64 n = (u64)aDay[month] - (month==1 && year%4!=0);
    if( day<n ) break;
    day -= n;
    if( ++month==12 ){ month = 0; year++; }
  }
  snprintf(zBuf, sizeof(zBuf), "%04d-%02d-%02d %02d:%02d:%02d.%03d", year,
    month+1, (int)day+1, (int)(ms/3600000%24), (int)(ms/60000%60),
    (int)(ms/1000%60), (int)(ms%1000));
  bindText(pIns, i, zBuf);
}

/*
** One value column: column number iCol of a row whose content is named by
** iRow.  It is NULL with the share that was asked for.
*/
static void bindValue(Gen *p, sqlite3_stmt *pIns, int i, u64 iRow, int iCol,
                      u32 iKey){
  u64 r = mix(iRow*16 + (u64)iCol);
  char zBuf[96], *z;
  if( p->rNull>0 && (double)(r>>40)/16777216.0<p->rNull ) return;
  r = mix(r);
  switch( iCol ){
    case 0:
      snprintf(zBuf, sizeof(zBuf), "%s %s", azFirst[r%20], azLast[r/20%20]);
      break;
    case 1:
      if( r/400%20==0 ) return;
      snprintf(zBuf, sizeof(zBuf), "%s.%s%u@example.org", azFirst[r%20],
               azLast[r/20%20], iKey);
      for(z=zBuf; *z; z++) if( *z>='A' && *z<='Z' ) *z += 'a'-'A';
      break;
    case 2: bindText(pIns, i, azCity[r%16]); return;
    case 3: sqlite3_bind_double(pIns, i, (double)(r%1000000)/100.0); return;
    case 4: bindText(pIns, i, azTier[r%4]); return;
    case 5: bindText(pIns, i, azDevice[r%4]); return;
    case 6: sqlite3_bind_int64(pIns, i, (sqlite3_int64)(r%5000)); return;
    case 7: sqlite3_bind_double(pIns, i, (double)(r%10007)/16.0); return;
    case 8: snprintf(zBuf, sizeof(zBuf), "ticket %llu", r%100000); break;
    default: snprintf(zBuf, sizeof(zBuf), "%02llu:%02llu", r%24, r/24%60);
  }
  bindText(pIns, i, zBuf);
}

static void rowInsert(Gen *p, sqlite3_stmt *pIns, u32 id, const Event *e){
  u64 iTracked = p->iSeed*1000003 + ((u64)e->iKey<<24) + e->iVersion;
  u64 iAll = p->iSeed*1000033 + ((u64)e->iKey<<32) + e->iSeq;
  int i = 1, c, nCol = p->bWide ? 10 : 4;
  char zBuf[32];

  sqlite3_clear_bindings(pIns);
  sqlite3_bind_int64(pIns, i++, id);
  switch( p->eKey ){
    case KEY_TEXT:
      snprintf(zBuf, sizeof(zBuf), "CUS-%08u", e->iKey);
      bindText(pIns, i++, zBuf);
      break;
    case KEY_COMPOSITE:
      bindText(pIns, i++, azRegion[e->iKey%16]);
      sqlite3_bind_int64(pIns, i++, e->iKey/16 + 1);
      break;
    default:
      sqlite3_bind_int64(pIns, i++, e->iKey);
  }
  for(c=0; c<nCol; c++, i++){
    if( e->op=='D' ) continue;
    bindValue(p, pIns, i, c<5 ? iTracked : iAll, c, e->iKey);
  }
  sqlite3_bind_text(pIns, i++, &e->op, 1, SQLITE_TRANSIENT);
  if( p->bStamp ) bindStamp(pIns, i, e->iSeq);
  else sqlite3_bind_int64(pIns, i, e->iSeq);
  sqlite3_step(pIns);
  if( sqlite3_reset(pIns)!=SQLITE_OK ) die("insert", "failed");
}

/* One insert for each key 1..nBase, in shuffled order. */
static u32 baseWrite(Gen *p, sqlite3_stmt *pIns){
  u32 *aKey = allocate(sizeof(u32)*p->nBase), i;
  for(i=0; i<p->nBase; i++) aKey[i] = i+1;
  for(i=p->nBase; i>1; i--){
    u32 j = drawBelow(p, i), t = aKey[j];
    aKey[j] = aKey[i-1];
    aKey[i-1] = t;
  }
  for(i=0; i<p->nBase; i++){
    Event e = { 0, i+1, aKey[i], 1, 'I' };
    rowInsert(p, pIns, i+1, &e);
  }
  free(aKey);
  return p->nBase;
}

/*
** nVersion upserts for each key, in sequence order.  Their sequences are even:
** the odd ones are left to the events that come late.
*/
static u32 historyWrite(Gen *p, sqlite3_stmt *pIns){
  u32 iVersion, iKey, i = 0;
  for(iVersion=1; iVersion<=p->nVersion; iVersion++){
    for(iKey=1; iKey<=p->nKey; iKey++){
      Event e = { 0, 0, 0, 0, 'U' };
      e.iSeq = ++i*2;
      e.iKey = iKey;
      e.iVersion = iVersion;
      rowInsert(p, pIns, i, &e);
    }
  }
  return i;
}

/* Events at random places of the histories, at most one at each place. */
static void lateWrite(Gen *p, sqlite3_stmt *pIns, u32 nBefore){
  unsigned char *aUsed = allocate(nBefore/8 + 1);
  u32 i;
  for(i=0; i<p->nRow; i++){
    Event e = { 0, 0, 0, 0, 'U' };
    u32 iPlace = drawBelow(p, nBefore);
    while( aUsed[iPlace/8] & (1<<(iPlace%8)) ) iPlace = (iPlace+1) % nBefore;
    aUsed[iPlace/8] |= (unsigned char)(1<<(iPlace%8));
    e.iSeq = iPlace*2 + 1;
    e.iKey = drawKey(p);
    e.iVersion = p->nVersion + 1 + i;
    rowInsert(p, pIns, nBefore+i+1, &e);
  }
  free(aUsed);
}

/* The log proper: displaced events, deletes, no-ops and exact duplicates. */
static void logWrite(Gen *p, sqlite3_stmt *pIns, u32 nBefore){
  u32 nDup = (u32)(p->nRow*p->rDuplicate), n = p->nRow - nDup, i;
  double rWindow = p->nRow/20>10 ? p->nRow/20 : 10;
  Event *aEvent = allocate(sizeof(Event)*p->nRow);
  u32 *aVersion = allocate(sizeof(u32)*(p->nKey+1));
  char *aAlive = allocate(p->nKey+1);

  for(i=1; i<=p->nKey && i<=p->nBase; i++) aAlive[i] = 1, aVersion[i] = 1;
  for(i=0; i<n; i++){
    Event *e = &aEvent[i];
    e->iKey = drawKey(p);
    e->iSeq = nBefore + i + 1;
    if( !aAlive[e->iKey] ){
      e->op = 'I';
      aVersion[e->iKey]++;
    }else if( drawReal(p)<p->rDelete ){
      e->op = 'D';
    }else{
      e->op = 'U';
      if( p->rNoop<=0 || drawReal(p)>=p->rNoop ) aVersion[e->iKey]++;
    }
    aAlive[e->iKey] = e->op!='D';
    e->iVersion = aVersion[e->iKey];
    e->rPos = i;
    if( drawReal(p)<p->rDisplaced ) e->rPos += (drawReal(p)*2 - 1)*rWindow;
  }
  for(; i<p->nRow; i++){
    aEvent[i] = aEvent[drawBelow(p, n)];
    aEvent[i].rPos += drawReal(p)*rWindow;
  }
  qsort(aEvent, p->nRow, sizeof(Event), eventCompare);
  for(i=0; i<p->nRow; i++) rowInsert(p, pIns, nBefore+i+1, &aEvent[i]);
  free(aEvent);
  free(aVersion);
  free(aAlive);
}

static void argumentsRead(Gen *p, int argc, char **argv){
  int i;
  for(i=1; i+1<argc; i+=2){
    const char *z = argv[i], *zVal = argv[i+1];
    if( strcmp(z, "--out")==0 ) p->zOut = zVal;
    else if( strcmp(z, "--arrivals")==0 ) p->zArrivals = zVal;
    else if( strcmp(z, "--rows")==0 ) p->nRow = (u32)atoi(zVal);
    else if( strcmp(z, "--keys")==0 ) p->nKey = (u32)atoi(zVal);
    else if( strcmp(z, "--base")==0 ) p->nBase = (u32)atoi(zVal);
    else if( strcmp(z, "--versions")==0 ) p->nVersion = (u32)atoi(zVal);
    else if( strcmp(z, "--delete")==0 ) p->rDelete = atof(zVal);
    else if( strcmp(z, "--displaced")==0 ) p->rDisplaced = atof(zVal);
    else if( strcmp(z, "--duplicate")==0 ) p->rDuplicate = atof(zVal);
    else if( strcmp(z, "--zipf")==0 ) p->rZipf = atof(zVal);
    else if( strcmp(z, "--noop")==0 ) p->rNoop = atof(zVal);
    else if( strcmp(z, "--null")==0 ) p->rNull = atof(zVal);
    else if( strcmp(z, "--stamp")==0 ) p->bStamp = atoi(zVal);
    else if( strcmp(z, "--wide")==0 ) p->bWide = atoi(zVal);
    else if( strcmp(z, "--seed")==0 ) p->iSeed = (u64)atoi(zVal);
    else if( strcmp(z, "--key")==0 ){
      if( strcmp(zVal, "int")==0 ) p->eKey = KEY_INT;
      else if( strcmp(zVal, "text")==0 ) p->eKey = KEY_TEXT;
      else if( strcmp(zVal, "composite")==0 ) p->eKey = KEY_COMPOSITE;
      else die(zVal, "no such kind of key (int, text, composite)");
    }
    else die(z, "no such option");
  }
  if( i<argc || p->zOut==0 || p->nRow==0 || p->nKey==0 ){
    die("usage", "gen --out F.db --rows N --keys K [--arrivals G.db] ...");
  }
  if( (p->nBase || p->nVersion) && p->zArrivals==0 ){
    die("usage", "--base and --versions need --arrivals");
  }
}

int main(int argc, char **argv){
  Gen g;
  sqlite3 *db;
  sqlite3_stmt *pIns;
  u32 nBefore = 0;

  memset(&g, 0, sizeof(g));
  g.iSeed = 1;
  g.rDelete = 0.05;
  g.rDisplaced = 0.2;
  g.rDuplicate = 0.02;
  argumentsRead(&g, argc, argv);
  g.iState = mix(g.iSeed);

  db = openNew(g.zOut);
  pIns = tableNew(&g, db, "log");
  if( g.nBase ) nBefore = baseWrite(&g, pIns);
  if( g.nVersion ) nBefore = historyWrite(&g, pIns);
  if( nBefore ){
    closeNew(db, pIns);
    db = openNew(g.zArrivals);
    pIns = tableNew(&g, db, "arrivals");
  }
  if( g.nVersion ) lateWrite(&g, pIns, nBefore);
  else logWrite(&g, pIns, nBefore);
  closeNew(db, pIns);
  return 0;
}
