/*
** Tables of the members of sdp-meta onboarding rows and of KinetiShift table
** lists, and the list of all formats.
*/
#include "fields.h"

/* ---- source_details ---- */

static const AcdcField aSource[] = {
  { "source_path_", TEXT, HON, ENV, 0, 0, 0,
    "files; for delta the name of a table" },
  { "source_catalog_", TEXT, HON, ENV, 0, 0, 0, "first part of the name" },
  { "source_catalog", TEXT, HON, 0, 0, 0, 0, "first part of the name" },
  { "source_database", TEXT, HON, 0, 0, 0, 0, "schema of the table" },
  { "source_table", TEXT, HON, 0, 0, 0, 0, "the table" },
  { "source_schema_path", TEXT, HON, 0, 0, 0, 0, "file with the columns" },
  { "source_metadata", OBJECT, HON, 0, 0, 0, 0,
    "columns about the file: include_autoloader_metadata_column, "
    "autoloader_metadata_col_name, select_metadata_cols" },
  { "source_format", TEXT, HON, 0, "cloudFiles|delta|snapshot",
    "kafka|eventhub", 0, ACDC_DOC_KAFKA },
  { "snapshot_format", TEXT, HON, 0, "csv|json|delta",
    "parquet|avro|orc|text|xml", 0, ACDC_DOC_FORMAT },
};
static const AcdcShape shapeSource = {
  "source_details", "source details", ACDC_SHAPE_FIELDS(aSource),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_WARN, 0
};

/* ---- CDC blocks ---- */

#define VALUES_SCD "1|2|SCD TYPE 1|SCD TYPE 2"
#define FIELD_CDC \
  { "keys", LIST, HON, REQ|FILL, 0, 0, 0, "columns of the key" }, \
  { "sequence_by", TEXT|LIST, HON, REQ|FILL, 0, 0, 0, \
    "column that orders the events; several with commas" }, \
  { "scd_type", TEXT|INT, HON, REQ, VALUES_SCD, 0, 0, \
    "1: current rows; 2: history" }, \
  { "where", TEXT, HON, 0, 0, 0, 0, "SQL condition on the events" }, \
  { "ignore_null_updates", BOOL, HON, 0, 0, 0, 0, "NULL keeps the value" }, \
  { "apply_as_deletes", TEXT, HON, 0, 0, 0, 0, \
    "SQL condition of a delete" }, \
  { "apply_as_truncates", TEXT, HON, 0, 0, 0, 0, \
    "SQL condition of a truncate" }, \
  { "column_list", LIST, HON, 0, 0, 0, 0, "columns of the target" }, \
  { "except_column_list", LIST, HON, 0, 0, 0, 0, \
    "columns left out of the target" }, \
  { "track_history_column_list", LIST, HON, 0, 0, 0, 0, \
    "columns whose change makes a version" }, \
  { "track_history_except_column_list", LIST, HON, 0, 0, 0, 0, \
    "columns whose change makes none" }, \
  { "ignore_null_updates_column_list", LIST, HON, 0, 0, 0, 0, \
    "columns in which NULL keeps the value" }, \
  { "ignore_null_updates_except_column_list", LIST, HON, 0, 0, 0, 0, \
    "columns in which it does not" }, \
  { "tie_break", TEXT, EXTRA, 0, "last|first|error", 0, 0, \
    "which of two events of one sequence counts" }, \
  { "null_keys", TEXT, EXTRA, 0, "error|match", 0, 0, \
    "what NULL in a key means" }, \
  { "scd2_truncates", TEXT, EXTRA, 0, "refuse|close|ignore", 0, 0, \
    "what a truncate does to a history" }
#define RULE_CDC \
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "column_list|except_column_list", 0, 0 }, \
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, \
    "track_history_column_list|track_history_except_column_list", 0, 0 }, \
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "ignore_null_updates_column_list|" \
    "ignore_null_updates_except_column_list", 0, 0 }

static const AcdcField aCdc[] = {
  FIELD_CDC,
  { "flow_name", TEXT, HON, 0, 0, 0, 0, "name of the flow" },
  { "once", BOOL, HON, 0, 0, 0, 0, "in the first run only" },
};
static const AcdcRule aCdcRule[] = { RULE_CDC };
static const AcdcShape shapeCdc = {
  "cdc_apply_changes", "CDC settings", ACDC_SHAPE_FIELDS(aCdc),
  ACDC_SHAPE_FIELDS(aCdcRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aCdcFlow[] = {
  { "name", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the flow" },
  { "source_format", TEXT, HON, 0, "cloudFiles|delta", "kafka|eventhub", 0,
    ACDC_DOC_KAFKA },
  { "source_details", OBJECT, HON, REQ, 0, 0, &shapeSource, "the source" },
  { "reader_options", OBJECT, HON, 0, 0, 0, &acdcShapeFileOptions,
    "see the reader options of files" },
  { "select_exp", LIST, HON, 0, 0, 0, 0, "SQL expressions to select" },
  { "where_clause", LIST|TEXT, HON, 0, 0, 0, 0,
    "SQL conditions, all of which must hold" },
  { "once", BOOL, HON, 0, 0, 0, 0, "in the first run only" },
};
static const AcdcShape shapeCdcFlow = {
  "cdc_flow", "a CDC flow", ACDC_SHAPE_FIELDS(aCdcFlow), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_WARN, 0
};

static const AcdcField aCdcFlows[] = {
  FIELD_CDC,
  { "flows", ARRAY, HON, REQ|FILL, 0, 0, &shapeCdcFlow, "the sources" },
};
static const AcdcShape shapeCdcFlows = {
  "cdc_apply_changes_flows", "CDC settings with flows",
  ACDC_SHAPE_FIELDS(aCdcFlows), ACDC_SHAPE_FIELDS(aCdcRule),
  ACDC_UNKNOWN_WARN, 0
};

static const AcdcField aSnapshot[] = {
  { "keys", LIST, HON, REQ|FILL, 0, 0, 0, "columns of the key" },
  { "scd_type", TEXT|INT, HON, REQ, VALUES_SCD, 0, 0,
    "1: current rows; 2: history" },
  { "track_history_column_list", LIST, HON, 0, 0, 0, 0,
    "columns whose change makes a version" },
  { "track_history_except_column_list", LIST, HON, 0, 0, 0, 0,
    "columns whose change makes none" },
  { "on_empty_snapshot", TEXT, EXTRA, 0, "apply|stop|skip", 0, 0,
    "an empty snapshot deletes all rows, unless this says otherwise" },
};
static const AcdcRule aSnapshotRule[] = {
  { ACDC_RULE_ATMOST, 0, 0, 0, 0,
    "track_history_column_list|track_history_except_column_list", 0, 0 },
};
static const AcdcShape shapeSnapshot = {
  "apply_changes_from_snapshot", "snapshot settings",
  ACDC_SHAPE_FIELDS(aSnapshot), ACDC_SHAPE_FIELDS(aSnapshotRule),
  ACDC_UNKNOWN_ERROR, 0
};

/* ---- append flows and sinks ---- */

static const AcdcField aAppend[] = {
  { "name", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the flow" },
  { "source_format", TEXT, HON, 0, "cloudFiles|delta", "kafka|eventhub", 0,
    ACDC_DOC_KAFKA },
  { "create_streaming_table", BOOL, STORED, REQ, 0, 0, 0,
    "a table is made when it is missing" },
  { "source_details", OBJECT, HON, REQ, 0, 0, &shapeSource, "the source" },
  { "reader_options", OBJECT, HON, 0, 0, 0, &acdcShapeFileOptions,
    "see the reader options of files" },
  { "comment", TEXT, STORED, 0, 0, 0, 0, "kept in the spec" },
  { "spark_conf", OBJECT, WARN, 0, 0, 0, 0, "there is no Spark" },
  { "once", BOOL, HON, 0, 0, 0, 0, "in the first run only" },
};
static const AcdcShape shapeAppend = {
  "append_flow", "an append flow", ACDC_SHAPE_FIELDS(aAppend),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_WARN, 0
};

static const AcdcField aSinkOption[] = {
  { "tablename", TEXT, HON, PLAIN, 0, 0, 0, "table that rows are added to" },
  { "tableName", TEXT, HON, PLAIN, 0, 0, 0, "another name of tablename" },
  { "path", TEXT, REFUSE, 0, 0, 0, 0, "name a table instead" },
};
static const AcdcShape shapeSinkOption = {
  "sink_options", "options of a sink", ACDC_SHAPE_FIELDS(aSinkOption),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_WARN, 0
};
static const AcdcField aSink[] = {
  { "name", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the sink" },
  { "format", TEXT, HON, REQ, "delta", "kafka|eventhub", 0,
    "there is no message broker: use a delta sink" },
  { "options", OBJECT, HON, REQ, 0, 0, &shapeSinkOption, "the table" },
  { "select_exp", LIST, HON, 0, 0, 0, 0, "SQL expressions to select" },
  { "where_clause", TEXT|LIST, HON, 0, 0, 0, 0, "SQL condition" },
};
static const AcdcShape shapeSink = {
  "sink", "a sink", ACDC_SHAPE_FIELDS(aSink), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_WARN, 0
};

/* ---- a row ---- */

#define NOLAYOUT(name, type) \
  { name, type, WARN, LAYER, 0, 0, 0, ACDC_DOC_LAYOUT }

static const AcdcField aRow[] = {
  { "data_flow_id", TEXT|INT, HON, REQ|FILL, 0, 0, 0, "name of the row" },
  { "data_flow_group", TEXT, HON, REQ|FILL, 0, 0, 0, "group of the row" },
  { "source_system", TEXT, STORED, 0, 0, 0, 0, "a label" },
  { "source_format", TEXT, HON, 0, "cloudFiles|delta|snapshot",
    "kafka|eventhub", 0, ACDC_DOC_KAFKA },
  { "source_details", OBJECT, HON, 0, 0, 0, &shapeSource, "the source" },
  { "catalog_", TEXT, HON, LAYER|ENV, 0, 0, 0, "first part of the name" },
  { "database_", TEXT, HON, LAYER|ENV, 0, 0, 0, "schema of the target" },
  { "table", TEXT, HON, LAYER, 0, 0, 0, "the target" },
  { "table_comment", TEXT, STORED, LAYER, 0, 0, 0, "kept in the spec" },
  NOLAYOUT("table_path_", TEXT),
  { "table_properties", OBJECT, STORED, LAYER, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "reader_options", OBJECT, HON, LAYER, 0, 0, &acdcShapeFileOptions,
    "see the reader options of files" },
  NOLAYOUT("partition_columns", TEXT|LIST),
  NOLAYOUT("cluster_by", TEXT|LIST),
  NOLAYOUT("cluster_by_auto", TEXT|BOOL),
  { "cdc_apply_changes", OBJECT, HON, LAYER, 0, 0, &shapeCdc,
    "merge by key" },
  { "cdc_apply_changes_flows", OBJECT, HON, LAYER, 0, 0, &shapeCdcFlows,
    "merge several sources by key" },
  { "apply_changes_from_snapshot", OBJECT, HON, LAYER, 0, 0, &shapeSnapshot,
    "merge snapshots" },
  { "append_flows", ARRAY, HON, LAYER, 0, 0, &shapeAppend,
    "more sources of the target" },
  { "sinks", ARRAY, HON, LAYER, 0, 0, &shapeSink, "more targets" },
  { "sink", ARRAY, HON, LAYER, 0, 0, &shapeSink, "another name of sinks" },
  { "data_quality_expectations_json_", TEXT, HON, LAYER|ENV, 0, 0, 0,
    "file with the expectations" },
  { "catalog_quarantine_", TEXT, HON, LAYER|ENV, 0, 0, 0,
    "first part of the quarantine table's name" },
  { "database_quarantine_", TEXT, HON, LAYER|ENV, 0, 0, 0,
    "schema of the quarantine table" },
  { "quarantine_table", TEXT, HON, LAYER, 0, 0, 0, "quarantine table" },
  NOLAYOUT("quarantine_table_path_", TEXT),
  { "quarantine_table_comment", TEXT, STORED, LAYER, 0, 0, 0,
    "kept in the spec" },
  NOLAYOUT("quarantine_table_partitions", TEXT|LIST),
  NOLAYOUT("quarantine_table_cluster_by", TEXT|LIST),
  NOLAYOUT("quarantine_table_cluster_by_auto", TEXT|BOOL),
  { "quarantine_table_properties", OBJECT, STORED, LAYER, 0, 0, 0,
    ACDC_DOC_LAYOUT },
  { "row_filter", TEXT, REFUSE, LAYER, 0, 0, 0,
    "make a view that selects the rows a reader may see" },
  { "quarantine_row_filter", TEXT, REFUSE, LAYER, 0, 0, 0,
    "make a view that selects the rows a reader may see" },
  { "quality_engine", TEXT, HON, LAYER, "lakeflow", "dqx", 0,
    "write the rules as a file of expectations" },
  { "quality_rules_path_", TEXT, HON, LAYER|ENV, 0, 0, 0,
    "file with the rules of the lakeflow engine" },
  { "quality_engine_migration", TEXT|BOOL|OBJECT, STORED, LAYER, 0, 0, 0,
    "nothing to migrate" },
  { "transformation_json_", TEXT, HON, LAYER|ENV, 0, 0, 0,
    "file with select_exp and where_clause of the silver tables" },
};
static const AcdcRule aRowRule[] = {
  { ACDC_RULE_ATMOST, 0, 0, 0, 0,
    "bronze_cdc_apply_changes|bronze_cdc_apply_changes_flows|"
    "bronze_apply_changes_from_snapshot", 0, "use one of them" },
  { ACDC_RULE_ATMOST, 0, 0, 0, 0,
    "silver_cdc_apply_changes|silver_cdc_apply_changes_flows|"
    "silver_apply_changes_from_snapshot", 0, "use one of them" },
};
const AcdcShape acdcShapeOnboarding = {
  "onboarding_row", "an onboarding row", ACDC_SHAPE_FIELDS(aRow),
  ACDC_SHAPE_FIELDS(aRowRule), ACDC_UNKNOWN_WARN, 0
};

/* ---- KinetiShift ---- */

static const AcdcField aEntry[] = {
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0, "source table" },
  { "keys", LIST, HON, REQ|FILL, 0, 0, 0, "columns of the key" },
  { "scd", TEXT|INT, HON, 0, "1|2", 0, 0,
    "1: current rows (default); 2: history" },
  { "target", TEXT, HON, 0, 0, 0, 0,
    "the target; by default the table, or <table>_history for a history" },
  { "source", TEXT, HON, 0, 0, 0, 0,
    "the change log; by default <table>__changes" },
};
const AcdcShape acdcShapeKinetiShift = {
  "table_entry", "a table entry", ACDC_SHAPE_FIELDS(aEntry),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aConfig[] = {
  { "kinetishift.tables", ARRAY|TEXT, HON, REQ|PLAIN, 0, 0,
    &acdcShapeKinetiShift, "the list of tables, also as text" },
  { "kinetishift.source_catalog", TEXT, HON, PLAIN, 0, 0, 0,
    "first part of the change logs' names" },
  { "kinetishift.source_schema", TEXT, HON, PLAIN, 0, 0, 0,
    "schema of the change logs" },
};
static const AcdcShape shapeConfig = {
  "configuration", "a pipeline configuration", ACDC_SHAPE_FIELDS(aConfig),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_WARN, 0
};

/* ---- all formats ---- */

static const AcdcFormat aFormat[] = {
  { "nodespec", "Lakeflow Framework nodespec", 0, 0, &acdcShapeNodespec,
    0 },
  { "standard", "Lakeflow Framework standard data flow spec", 0, 1,
    &acdcShapeStandard, 0 },
  { "flow", "Lakeflow Framework flow data flow spec", 0, 1,
    &acdcShapeFlowSpec,
    0 },
  { "materialized_view", "Lakeflow Framework materialized_view spec", 0, 1,
    &acdcShapeViewSpec,
    0 },
  { "sdp-meta", "sdp-meta (dlt-meta) onboarding file", 1, 0,
    &acdcShapeOnboarding,
    0 },
  { "kinetishift", "KinetiShift table list", 1, 0, &acdcShapeKinetiShift,
    &shapeConfig },
  { "template", "Lakeflow Framework use of a template", 0, 1,
    &acdcShapeTemplate,
    0 },
};

const AcdcFormat *acdcFormatAt(int i){
  int n = (int)(sizeof(aFormat)/sizeof(aFormat[0]));
  return i>=0 && i<n ? &aFormat[i] : 0;
}

const AcdcFormat *acdcFormatFind(const char *zName){
  static const struct { const char *zAlias; const char *zName; } aAlias[] = {
    { "dlt-meta", "sdp-meta" }, { "dltmeta", "sdp-meta" },
    { "sdpmeta", "sdp-meta" }, { "onboarding", "sdp-meta" },
  };
  const AcdcFormat *p;
  char zBuf[40];
  int i;
  for(i=0; zName[i] && i<(int)sizeof(zBuf)-1; i++){
    zBuf[i] = zName[i]=='_' ? '-' : zName[i];
  }
  zBuf[i] = 0;
  for(i=0; i<(int)(sizeof(aAlias)/sizeof(aAlias[0])); i++){
    if( sqlite3_stricmp(zBuf, aAlias[i].zAlias)==0 ){
      return acdcFormatFind(aAlias[i].zName);
    }
  }
  for(i=0; (p = acdcFormatAt(i))!=0; i++){
    if( sqlite3_stricmp(p->zName, zName)==0 ) return p;
    if( sqlite3_stricmp(p->zName, zBuf)==0 ) return p;
  }
  return 0;
}
