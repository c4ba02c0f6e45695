/*
** Tables of the members of the standard, flow and materialized_view formats,
** and of template uses.
*/
#include "fields.h"

#define FIELD_META(type) \
  { "data_flow_id", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the spec" }, \
  { "data_flow_group", TEXT, HON, REQ|FILL, 0, 0, 0, "group of the spec" }, \
  { "data_flow_type", TEXT, HON, REQ, type, 0, 0, "the format" }, \
  { "data_flow_version", TEXT, HON, 0, 0, 0, 0, "version of the format" }, \
  { "tags", OBJECT, STORED, 0, 0, 0, 0, "kept in the spec" }, \
  { "features", OBJECT, HON, 0, 0, 0, &acdcShapeFeatures, "switches" }

#define VALUES_SOURCE "delta|cloudFiles|batchFiles|deltaJoin|sql|" \
                      "cloud_files|batch_files|delta_join"
#define DOC_SOURCE "load the data into a table and read it with a delta " \
                   "source; write Python as SQL"
#define SOURCE_RULES \
  { ACDC_RULE_SHAPE, "source_type", "delta", 0, 0, "source_details", \
    &acdcShapeDelta, 0 }, \
  { ACDC_RULE_SHAPE, "source_type", "cloudFiles|cloud_files", 0, 0, \
    "source_details", &acdcShapeCloudFiles, 0 }, \
  { ACDC_RULE_SHAPE, "source_type", "batchFiles|batch_files", 0, 0, \
    "source_details", &acdcShapeBatchFiles, 0 }, \
  { ACDC_RULE_SHAPE, "source_type", "deltaJoin|delta_join", 0, 0, \
    "source_details", &acdcShapeJoin, 0 }, \
  { ACDC_RULE_SHAPE, "source_type", "sql", 0, 0, "source_details", \
    &acdcShapeSql, 0 }

#define FIELD_QUALITY \
  { "data_quality_expectations_enabled", BOOL, HON, 0, 0, 0, 0, \
    "false by default" }, \
  { "data_quality_expectations_path", TEXT, HON, 0, 0, 0, 0, \
    "file or folder with the expectations" }, \
  { "quarantine_mode", TEXT, HON, 0, "off|flag|table", 0, 0, \
    "flag: a column is_quarantined; table: bad rows go to a table" }, \
  { "quarantine_target_details", OBJECT, HON, 0, 0, 0, \
    &acdcShapeQuarantineTable, "the quarantine table" }
#define RULE_QUALITY \
  { ACDC_RULE_REQUIRE, "data_quality_expectations_enabled", "true", 0, 0, \
    "data_quality_expectations_path", 0, 0 }, \
  { ACDC_RULE_REQUIRE, "quarantine_mode", "table", 0, 0, \
    "quarantine_target_details", 0, \
    "at least {\"targetFormat\": \"delta\"}" }

/* ---- targets ---- */

#define FIELD_LAYOUT \
  { "table_properties", OBJECT, STORED, 0, 0, 0, 0, ACDC_DOC_LAYOUT }, \
  { "path", TEXT, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT }, \
  { "table_path", TEXT, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT }, \
  { "partition_columns", LIST, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT }, \
  { "cluster_by_columns", LIST, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT }, \
  { "cluster_by_auto", BOOL, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT }, \
  { "config_flags", LIST, STORED, 0, "disableOperationalMetadata|" \
    "disable_operational_metadata", 0, 0, \
    "there is no operational metadata" }, \
  { "comment", TEXT, STORED, 0, 0, 0, 0, "kept in the spec" }, \
  { "spark_conf", OBJECT, WARN, 0, 0, 0, 0, "there is no Spark" }, \
  { "row_filter", TEXT, REFUSE, 0, 0, 0, 0, \
    "make a view that selects the rows a reader may see" }
#define RULE_LAYOUT \
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "partition_columns|cluster_by_columns", 0, \
    0 }

static const AcdcField aTable[] = {
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0, "the target table" },
  { "database", TEXT, HON, 0, 0, 0, 0, "its schema" },
  { "type", TEXT, HON, 0, "ST|MV", 0, 0, "streaming table" },
  { "schema_path", TEXT, HON, 0, 0, 0, 0, "file with the columns" },
  FIELD_LAYOUT,
};
static const AcdcRule aTableRule[] = { RULE_LAYOUT };
static const AcdcShape shapeTable = {
  "target_details", "target details", ACDC_SHAPE_FIELDS(aTable),
  ACDC_SHAPE_FIELDS(aTableRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aDeltaSinkOption[] = {
  { "table_name", TEXT, HON, REQ|FILL, 0, 0, 0, "table that rows are added "
    "to" },
  { "path", TEXT, REFUSE, 0, 0, 0, 0, "name a table instead" },
};
static const AcdcShape shapeDeltaSinkOption = {
  "sink_options", "options of a delta sink",
  ACDC_SHAPE_FIELDS(aDeltaSinkOption), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_WARN, 0
};
static const AcdcField aDeltaSink[] = {
  { "name", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the sink" },
  { "sink_options", OBJECT, HON, REQ, 0, 0, &shapeDeltaSinkOption,
    "the table that rows are added to" },
};
static const AcdcShape shapeDeltaSink = {
  "delta_sink_details", "a delta sink", ACDC_SHAPE_FIELDS(aDeltaSink),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};
static const AcdcField aBatchSink[] = {
  { "name", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the sink" },
  { "type", TEXT, HON, REQ, "basic_sql", "python_function", 0,
    ACDC_DOC_PYTHON },
  { "config", OBJECT, HON, REQ, 0, 0, &acdcShapeBatchSink,
    "the SQL and the table" },
};
static const AcdcShape shapeBatchSink = {
  "foreach_batch_sink_details", "a foreach_batch sink",
  ACDC_SHAPE_FIELDS(aBatchSink), ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

#define FIELD_TARGET \
  { "target_format", TEXT, HON, REQ, "delta|delta_sink|foreach_batch_sink", \
    "kafka_sink|custom_python_sink", 0, \
    "use a delta target or a basic_sql sink, and send the rows from there" }, \
  { "target_details", OBJECT, HON, REQ, 0, 0, 0, \
    "depends on targetFormat" }, \
  { "cdc_settings", OBJECT, HON, 0, 0, 0, &acdcShapeCdc, "merge by key" }, \
  { "cdc_snapshot_settings", OBJECT, HON, 0, 0, 0, &acdcShapeSnapshot, \
    "merge snapshots" }, \
  { "table_migration_details", OBJECT, HON, 0, 0, 0, &acdcShapeMigration, \
    "import of an old table" }
#define TARGET_RULES \
  { ACDC_RULE_SHAPE, "target_format", "delta", 0, 0, "target_details", \
    &shapeTable, 0 }, \
  { ACDC_RULE_SHAPE, "target_format", "delta_sink", 0, 0, "target_details", \
    &shapeDeltaSink, 0 }, \
  { ACDC_RULE_SHAPE, "target_format", "foreach_batch_sink", 0, 0, \
    "target_details", &shapeBatchSink, 0 }, \
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "cdc_settings|cdc_snapshot_settings", 0, \
    "events and snapshots do not go into one target" }

/* ---- standard ---- */

static const AcdcField aStandard[] = {
  FIELD_META("standard"),
  { "source_system", TEXT, STORED, 0, 0, 0, 0, "a label" },
  { "source_type", TEXT, HON, 0, VALUES_SOURCE, "kafka|python", 0,
    DOC_SOURCE },
  { "source_view_name", TEXT, HON, 0, 0, 0, 0, "name of the source's view" },
  { "source_details", OBJECT, HON, 0, 0, 0, 0, "depends on sourceType" },
  { "mode", TEXT, HON, 0, ACDC_VALUES_MODE, 0, 0,
    "stream: new rows only; batch: all rows, each run" },
  FIELD_TARGET,
  FIELD_QUALITY,
};
static const AcdcRule aStandardRule[] = {
  SOURCE_RULES, TARGET_RULES, RULE_QUALITY,
};
const AcdcShape acdcShapeStandard = {
  "standard", "a standard spec", ACDC_SHAPE_FIELDS(aStandard),
  ACDC_SHAPE_FIELDS(aStandardRule), ACDC_UNKNOWN_ERROR, 0
};

/* ---- flow ---- */

static const AcdcField aView[] = {
  { "mode", TEXT, HON, REQ, ACDC_VALUES_MODE, 0, 0,
    "stream: new rows only; batch: all rows, each run" },
  { "source_type", TEXT, HON, REQ, VALUES_SOURCE, "kafka|python", 0,
    DOC_SOURCE },
  { "source_details", OBJECT, HON, REQ, 0, 0, 0, "depends on sourceType" },
};
static const AcdcRule aViewRule[] = { SOURCE_RULES };
static const AcdcShape shapeView = {
  "view", "a view", ACDC_SHAPE_FIELDS(aView), ACDC_SHAPE_FIELDS(aViewRule),
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aAppendView[] = {
  { "target_table", TEXT, HON, REQ|FILL, 0, 0, 0, "target or staging table" },
  { "source_view", TEXT, HON, REQ|FILL, 0, 0, 0, "view or staging table" },
  { "column_prefix", TEXT, HON, SNAKE, 0, 0, 0,
    "put in front of each column's name, in lower case and with _" },
  { "column_prefix_exceptions", LIST, HON, SNAKE, 0, 0, 0,
    "columns that keep their name" },
  { "once", BOOL, HON, 0, 0, 0, 0, "in the first run only" },
};
static const AcdcShape shapeAppendView = {
  "append_view", "an append_view flow", ACDC_SHAPE_FIELDS(aAppendView),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};
static const AcdcField aAppendSql[] = {
  { "target_table", TEXT, HON, REQ|FILL, 0, 0, 0, "target or staging table" },
  { "sql_path", TEXT, HON, 0, 0, 0, 0, "file with the SQL" },
  { "sql_statement", TEXT, HON, 0, 0, 0, 0, "the SQL" },
  { "once", BOOL, HON, 0, 0, 0, 0, "in the first run only" },
};
static const AcdcRule aAppendSqlRule[] = {
  { ACDC_RULE_ONE, 0, 0, 0, 0, "sql_path|sql_statement", 0, 0 },
};
static const AcdcShape shapeAppendSql = {
  "append_sql", "an append_sql flow", ACDC_SHAPE_FIELDS(aAppendSql),
  ACDC_SHAPE_FIELDS(aAppendSqlRule), ACDC_UNKNOWN_ERROR, 0
};
static const AcdcField aMerge[] = {
  { "target_table", TEXT, HON, REQ|FILL, 0, 0, 0, "target or staging table" },
  { "source_view", TEXT, HON, 0, 0, 0, 0, "view or staging table" },
  { "once", BOOL, HON, 0, 0, 0, 0, "in the first run only" },
};
static const AcdcShape shapeMerge = {
  "merge", "a merge flow", ACDC_SHAPE_FIELDS(aMerge), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aFlow[] = {
  { "enabled", BOOL, HON, 0, 0, 0, 0, "true by default" },
  { "flow_type", TEXT, HON, REQ, "append_view|append_sql|merge", 0, 0,
    "add rows of a view or of a query, or merge them" },
  { "flow_details", OBJECT, HON, REQ, 0, 0, 0, "depends on flowType" },
  { "views", MAP, HON, 0, 0, 0, &shapeView, "views, by name (v_...)" },
};
static const AcdcRule aFlowRule[] = {
  { ACDC_RULE_SHAPE, "flow_type", "append_view", 0, 0, "flow_details",
    &shapeAppendView, 0 },
  { ACDC_RULE_SHAPE, "flow_type", "append_sql", 0, 0, "flow_details",
    &shapeAppendSql, 0 },
  { ACDC_RULE_SHAPE, "flow_type", "merge", 0, 0, "flow_details",
    &shapeMerge, 0 },
};
static const AcdcShape shapeFlow = {
  "flow", "a flow", ACDC_SHAPE_FIELDS(aFlow), ACDC_SHAPE_FIELDS(aFlowRule),
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aStaging[] = {
  { "type", TEXT, HON, REQ, "ST", "MV", 0,
    "write a materialized_view spec for it" },
  { "database", TEXT, HON, 0, 0, 0, 0, "schema of the table" },
  { "schema_path", TEXT, HON, 0, 0, 0, 0, "file with the columns" },
  FIELD_LAYOUT,
  { "cdc_settings", OBJECT, HON, 0, 0, 0, &acdcShapeCdc, "merge by key" },
  { "cdc_snapshot_settings", OBJECT, HON, 0, 0, 0, &acdcShapeSnapshot,
    "merge snapshots" },
  FIELD_QUALITY,
};
static const AcdcRule aStagingRule[] = {
  RULE_LAYOUT, RULE_QUALITY,
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "cdc_settings|cdc_snapshot_settings", 0,
    "events and snapshots do not go into one table" },
};
static const AcdcShape shapeStaging = {
  "staging_table", "a staging table", ACDC_SHAPE_FIELDS(aStaging),
  ACDC_SHAPE_FIELDS(aStagingRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aGroup[] = {
  { "data_flow_id", TEXT, HON, 0, 0, 0, 0, "in a file of its own: the spec it "
    "belongs to" },
  { "flow_group_id", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the group" },
  { "staging_tables", MAP, HON, 0, 0, 0, &shapeStaging,
    "tables between, by name" },
  { "flows", MAP, HON, REQ, 0, 0, &shapeFlow, "flows, by name (f_...)" },
};
static const AcdcShape shapeGroup = {
  "flow_group", "a flow group", ACDC_SHAPE_FIELDS(aGroup),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aFlowSpec[] = {
  FIELD_META("flow"),
  { "source_system", TEXT, STORED, 0, 0, 0, 0, "a label" },
  FIELD_TARGET,
  FIELD_QUALITY,
  { "flow_groups", ARRAY, HON, 0, 0, 0, &shapeGroup, "the flows" },
};
static const AcdcRule aFlowSpecRule[] = { TARGET_RULES, RULE_QUALITY };
const AcdcShape acdcShapeFlowSpec = {
  "flow_spec", "a flow spec", ACDC_SHAPE_FIELDS(aFlowSpec),
  ACDC_SHAPE_FIELDS(aFlowSpecRule), ACDC_UNKNOWN_ERROR, 0
};

/* ---- materialized views ---- */

static const AcdcField aSourceView[] = {
  { "source_view_name", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the view" },
  { "source_type", TEXT, HON, REQ, "batchFiles|delta|sql|batch_files",
    "python", 0, ACDC_DOC_PYTHON },
  { "source_details", OBJECT, HON, REQ, 0, 0, 0, "depends on sourceType" },
};
static const AcdcRule aSourceViewRule[] = { SOURCE_RULES };
static const AcdcShape shapeSourceView = {
  "source_view", "a source view", ACDC_SHAPE_FIELDS(aSourceView),
  ACDC_SHAPE_FIELDS(aSourceViewRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aTableDetails[] = {
  { "database", TEXT, HON, 0, 0, 0, 0, "schema of the table" },
  { "schema_path", TEXT, HON, 0, 0, 0, 0, "file with the columns" },
  { "private", BOOL, WARN, 0, 0, 0, 0, "a table can be seen by all" },
  FIELD_LAYOUT,
};
static const AcdcRule aTableDetailsRule[] = { RULE_LAYOUT };
static const AcdcShape shapeTableDetails = {
  "table_details", "table details", ACDC_SHAPE_FIELDS(aTableDetails),
  ACDC_SHAPE_FIELDS(aTableDetailsRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aMv[] = {
  { "source_view", OBJECT, HON, 0, 0, 0, &shapeSourceView, "a source" },
  { "sql_path", TEXT, HON, 0, 0, 0, 0, "file with the query" },
  { "sql_statement", TEXT, HON, 0, 0, 0, 0, "the query" },
  { "table_details", OBJECT, HON, 0, 0, 0, &shapeTableDetails,
    "the table" },
  { "refresh_policy", TEXT, STORED, 0,
    "auto|incremental|incremental_strict|full", 0, 0,
    "always rebuilt in full" },
  FIELD_QUALITY,
};
static const AcdcRule aMvRule[] = {
  { ACDC_RULE_ONE, 0, 0, 0, 0, "source_view|sql_path|sql_statement", 0, 0 },
  RULE_QUALITY,
};
static const AcdcShape shapeMv = {
  "materialized_view", "a materialized view", ACDC_SHAPE_FIELDS(aMv),
  ACDC_SHAPE_FIELDS(aMvRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aViewSpec[] = {
  FIELD_META("materialized_view"),
  { "materialized_views", MAP, HON, REQ|FILL, 0, 0, &shapeMv,
    "materialized views, by name" },
  { "materialized_views_path", TEXT, WARN, 0, 0, 0, 0,
    "the framework does not use it either" },
};
const AcdcShape acdcShapeViewSpec = {
  "materialized_view_spec", "a materialized_view spec",
  ACDC_SHAPE_FIELDS(aViewSpec), ACDC_SHAPE_NORULES, ACDC_UNKNOWN_WARN, 0
};

/* ---- template uses ---- */

static const AcdcField aTemplate[] = {
  { "template", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the template" },
  { "parameter_sets", ARRAY, HON, REQ|FILL, 0, 0, 0,
    "an object of parameters for each spec" },
};
const AcdcShape acdcShapeTemplate = {
  "template", "a template use", ACDC_SHAPE_FIELDS(aTemplate),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};
