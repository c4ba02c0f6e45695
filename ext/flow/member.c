/*
** The members of a flow by name: spelling, type and allowed values, in one
** table that every reader of documents uses.
*/
#include "flow.h"

#define USE_C  ACDC_USE_CHANGES
#define USE_S  ACDC_USE_SNAPSHOT
#define USE_V  ACDC_USE_SCD2
#define ALL    (USE_C|USE_S|USE_V)
#define AT(m)  ((u32)offsetof(AcdcFlow, m))

static const AcdcMember aMember[] = {
  { "name",                     ACDC_MEMBER_TEXT, USE_C|USE_S, AT(zName), 0 },
  { "target",                   ACDC_MEMBER_TEXT, ALL, AT(zTarget), 0 },
  { "source",                   ACDC_MEMBER_SOURCE, ALL, AT(zSource), 0 },
  { "keys",                     ACDC_MEMBER_NAMES, ALL, AT(keys), 0 },
  { "sequence_by",              ACDC_MEMBER_NAMES, USE_C|USE_V,
                                AT(sequenceBy), 0 },
  { "system_sequence_by",       ACDC_MEMBER_NAMES, USE_C|USE_V,
                                AT(systemSequenceBy), 0 },
  { "scd_type",                 ACDC_MEMBER_SCD, ALL, AT(eScd), 0 },
  { "stored_as_scd_type",       ACDC_MEMBER_SCD, ALL, AT(eScd), 0 },
  { "where",                    ACDC_MEMBER_TEXT, ALL, AT(zWhere), 0 },
  { "apply_as_deletes",         ACDC_MEMBER_TEXT, USE_C|USE_V, AT(zDeletes),0 },
  { "apply_as_truncates",       ACDC_MEMBER_TEXT, USE_C|USE_V,
                                AT(zTruncates), 0 },
  { "column_list",              ACDC_MEMBER_LIST, ALL, AT(columnList), 0 },
  { "except_column_list",       ACDC_MEMBER_LIST, ALL, AT(exceptColumnList),0 },
  { "track_history_column_list", ACDC_MEMBER_LIST, ALL, AT(trackList), 0 },
  { "track_history_except_column_list", ACDC_MEMBER_LIST, ALL,
                                AT(trackExceptList), 0 },
  { "ignore_null_updates",      ACDC_MEMBER_BOOL, USE_C|USE_V,
                                AT(bIgnoreNull), 0 },
  { "ignore_null_updates_column_list", ACDC_MEMBER_LIST, USE_C|USE_V,
                                AT(ignoreNullList), 0 },
  { "ignore_null_updates_except_column_list", ACDC_MEMBER_LIST, USE_C|USE_V,
                                AT(ignoreNullExceptList), 0 },
  { "columns_to_update",        ACDC_MEMBER_TEXT, USE_C|USE_V,
                                AT(zColumnsToUpdate), 0 },
  { "once",                     ACDC_MEMBER_BOOL, USE_C|USE_S, AT(bOnce), 0 },
  { "cdf_enabled",              ACDC_MEMBER_BOOL, USE_C|USE_V, AT(bCdf), 0 },
  { "tie_break",                ACDC_MEMBER_ENUM, USE_C|USE_V, AT(eTieBreak),
                                "last|first|error" },
  { "null_keys",                ACDC_MEMBER_ENUM, ALL, AT(bNullKeysMatch),
                                "error|match" },
  { "empty_as_null",            ACDC_MEMBER_BOOL, ALL, AT(bEmptyAsNull), 0 },
  { "scd2_truncates",           ACDC_MEMBER_ENUM, USE_C|USE_V,
                                AT(eScd2Truncates), "refuse|close|ignore" },
  { "expectations",             ACDC_MEMBER_EXPECT, USE_C|USE_S, 0, 0 },
  { "read",                     ACDC_MEMBER_ENUM, USE_C, AT(bReadAll),
                                "new|all" },
  { "version",                  ACDC_MEMBER_VERSION, USE_S, AT(version), 0 },
  { "deduplicate_mode",         ACDC_MEMBER_ENUM, USE_S, AT(eDedup),
                                "off|full_row|keys_only" },
  { "on_empty_snapshot",        ACDC_MEMBER_ENUM, USE_S, AT(eOnEmpty),
                                "apply|stop|skip" },
  { "adopt",                    ACDC_MEMBER_BOOL, USE_S, AT(bAdopt), 0 },
};
#define N_MEMBER ((int)(sizeof(aMember)/sizeof(aMember[0])))

const AcdcMember *acdcFlowMemberAt(int i){
  return i>=0 && i<N_MEMBER ? &aMember[i] : 0;
}

const AcdcMember *acdcFlowMember(const char *zName){
  int i;
  for(i=0; i<N_MEMBER; i++){
    if( strcmp(aMember[i].zName, zName)==0 ) return &aMember[i];
  }
  return 0;
}

void acdcFlowUnknownMember(AcdcCtx *p, const char *z, u8 mUse){
  const char *az[N_MEMBER];
  const AcdcMember *pM = acdcFlowMember(z);
  const char *zNear;
  int i, n = 0;
  for(i=0; i<N_MEMBER; i++){
    if( aMember[i].mUse & mUse ) az[n++] = aMember[i].zName;
  }
  if( pM && (pM->mUse & mUse)==0 ){
    acdcError(p, SQLITE_ERROR, "member \"%s\" has no meaning %s", z,
        (mUse & USE_S) ? "for a snapshot" :
        (mUse & USE_V) ? "in an scd2 declaration" :
        "for change rows; it belongs to apply_changes_from_snapshot()");
    return;
  }
  zNear = acdcNearest(z, az, n);
  if( zNear ){
    acdcError(p, SQLITE_ERROR, "unknown member \"%s\": did you mean \"%s\"?",
        z, zNear);
  }else{
    char *zAll = 0;
    for(i=0; i<n; i++) acdcAppendf(p, &zAll, "%s%s", i ? ", " : "", az[i]);
    acdcError(p, SQLITE_ERROR, "unknown member \"%s\"; known are: %s", z, zAll);
    sqlite3_free(zAll);
  }
}

static void *memberAt(AcdcFlow *pFlow, const AcdcMember *pM){
  return (char*)pFlow + pM->iOffset;
}

static AcdcNames *memberNames(AcdcFlow *pFlow, const AcdcMember *pM){
  if( pM->eKind==ACDC_MEMBER_LIST ){
    return &((AcdcList*)memberAt(pFlow, pM))->names;
  }
  assert( pM->eKind==ACDC_MEMBER_NAMES );
  return (AcdcNames*)memberAt(pFlow, pM);
}

void acdcFlowListBegin(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM){
  if( p->rc ) return;
  acdcNamesFree(memberNames(pFlow, pM));
  if( pM->eKind==ACDC_MEMBER_LIST ){
    ((AcdcList*)memberAt(pFlow, pM))->bGiven = 1;
  }
}

void acdcFlowListAdd(
  AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, const char *z
){
  acdcNamesAdd(p, memberNames(pFlow, pM), z, -1);
}

/* The place of z in "a|b|c", without case, or -1. */
static int memberEnum(const char *zValues, const char *z){
  int i = 0, n = (int)strlen(z);
  while( zValues ){
    const char *zEnd = strchr(zValues, '|');
    int nWord = zEnd ? (int)(zEnd-zValues) : (int)strlen(zValues);
    if( n==nWord && sqlite3_strnicmp(zValues, z, n)==0 ) return i;
    i++;
    zValues = zEnd ? zEnd+1 : 0;
  }
  return -1;
}

/*
** ACDC_SCD1.. of "1", "2", "SCD TYPE 2", "SCD2" or "bitemporal"; else 0.
*/
static u8 memberScd(const char *z){
  static const char *const azPrefix[] = { "scd type ", "scd_type_", "scd" };
  int i;
  for(i=0; i<3; i++){
    int n = (int)strlen(azPrefix[i]);
    if( sqlite3_strnicmp(z, azPrefix[i], n)==0 ){ z += n; break; }
  }
  if( strcmp(z, "1")==0 ) return ACDC_SCD1;
  if( strcmp(z, "2")==0 ) return ACDC_SCD2;
  if( sqlite3_stricmp(z, "bitemporal")==0 ) return ACDC_BITEMPORAL;
  return 0;
}

/* True if z begins like a query: SELECT, WITH or VALUES. */
static int memberIsQuery(const char *z){
  static const char *const azWord[] = { "select", "with", "values" };
  int i;
  while( *z==' ' || *z=='\t' || *z=='\n' || *z=='\r' || *z=='(' ) z++;
  for(i=0; i<3; i++){
    int n = (int)strlen(azWord[i]);
    char c;
    if( sqlite3_strnicmp(z, azWord[i], n) ) continue;
    c = z[n];
    if( c==' ' || c=='\t' || c=='\n' || c=='\r' || c=='(' || c=='*'
     || c=='/' || c=='-' || c=='\'' || c=='"'
    ){
      return 1;
    }
  }
  return 0;
}

static void memberBad(AcdcCtx *p, const AcdcMember *pM, const char *z,
                      const char *zTakes){
  acdcError(p, SQLITE_ERROR, "member \"%s\": value \"%s\" is not valid: it "
      "takes %s", pM->zName, z, zTakes);
}

void acdcFlowSetText(
  AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, const char *z
){
  if( p->rc ) return;
  switch( pM->eKind ){
    case ACDC_MEMBER_TEXT: {
      char **pz = (char**)memberAt(pFlow, pM);
      const char *zTrim = z;
      while( *zTrim==' ' || *zTrim=='\t' || *zTrim=='\n' || *zTrim=='\r' ){
        zTrim++;
      }
      sqlite3_free(*pz);
      *pz = zTrim[0] ? acdcStrdup(p, z) : 0;   /* a blank text is no text */
      break;
    }
    case ACDC_MEMBER_NAMES:
    case ACDC_MEMBER_LIST:
      acdcFlowListBegin(p, pFlow, pM);
      acdcSplitList(p, z, memberNames(pFlow, pM));
      break;
    case ACDC_MEMBER_BOOL: {
      int i = memberEnum("false|true|0|1|no|yes|off|on", z);
      if( i<0 ){
        memberBad(p, pM, z, "true or false");
      }else{
        acdcFlowSetBool(p, pFlow, pM, i&1);
      }
      break;
    }
    case ACDC_MEMBER_ENUM: {
      int i = memberEnum(pM->zValues, z);
      if( i<0 ){
        memberBad(p, pM, z, pM->zValues);
      }else{
        *(u8*)memberAt(pFlow, pM) = (u8)i;
      }
      break;
    }
    case ACDC_MEMBER_SCD: {
      u8 e = memberScd(z);
      if( e==0 ){
        memberBad(p, pM, z, "1, 2 or \"bitemporal\"");
      }else if( pFlow->bScdGiven && pFlow->eScd!=e ){
        acdcError(p, SQLITE_ERROR, "scd_type and stored_as_scd_type differ: "
            "they are two names of one member, give one");
      }else{
        pFlow->eScd = e;
        pFlow->bScdGiven = 1;
      }
      break;
    }
    case ACDC_MEMBER_SOURCE:
      sqlite3_free(pFlow->zSource);
      pFlow->zSource = acdcStrdup(p, z);
      pFlow->eSource = memberIsQuery(z) ? ACDC_SOURCE_QUERY : ACDC_SOURCE_TABLE;
      break;
    case ACDC_MEMBER_VERSION: {
      AcdcVal v;
      v.eType = SQLITE_TEXT;
      v.n = (int)strlen(z);
      v.u.z = (const u8*)z;
      acdcFlowSetVersion(p, pFlow, &v);
      break;
    }
    default:
      memberBad(p, pM, z, "an object or a list of objects");
      break;
  }
}

void acdcFlowSetInt(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, i64 i){
  if( p->rc ) return;
  if( pM->eKind==ACDC_MEMBER_SCD || pM->eKind==ACDC_MEMBER_BOOL ){
    char zBuf[32];
    sqlite3_snprintf(sizeof(zBuf), zBuf, "%lld", i);
    acdcFlowSetText(p, pFlow, pM, zBuf);
  }else if( pM->eKind==ACDC_MEMBER_VERSION ){
    AcdcVal v;
    v.eType = SQLITE_INTEGER;
    v.n = 0;
    v.u.i = i;
    acdcFlowSetVersion(p, pFlow, &v);
  }else{
    char zBuf[32];
    sqlite3_snprintf(sizeof(zBuf), zBuf, "%lld", i);
    memberBad(p, pM, zBuf, pM->zValues ? pM->zValues : "text");
  }
}

void acdcFlowSetBool(AcdcCtx *p, AcdcFlow *pFlow, const AcdcMember *pM, int b){
  if( p->rc ) return;
  if( pM->eKind==ACDC_MEMBER_BOOL ){
    *(u8*)memberAt(pFlow, pM) = b!=0;
  }else{
    memberBad(p, pM, b ? "true" : "false",
              pM->zValues ? pM->zValues : "text");
  }
}
