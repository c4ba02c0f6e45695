/*
** Tables of the members of a nodespec.
*/
#include "fields.h"

/* ---- what feeds a target ---- */

static const AcdcField aWire[] = {
  { "view", TEXT, HON, REQ|FILL, 0, 0, 0, "the node that feeds the target" },
  { "flow", TEXT, HON, 0, 0, 0, 0, "name of the flow" },
};
static const AcdcShape shapeWire = {
  "wiring", "an entry of sources", ACDC_SHAPE_FIELDS(aWire),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};
#define FIELD_SOURCES \
  { "sources", LIST|ARRAY, HON, 0, 0, 0, &shapeWire, \
    "nodes that feed the target: names, or {view, flow}" }, \
  { "input_flows", LIST|ARRAY, HON, 0, 0, 0, &shapeWire, \
    "another name of sources" }, \
  { "input", LIST|ARRAY, HON, 0, 0, 0, &shapeWire, \
    "another name of sources" }
#define RULE_SOURCES \
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "sources|input_flows|input", 0, \
    "they are one member" }

/* ---- data quality ---- */

static const AcdcField aQuarantine[] = {
  { "mode", TEXT, HON, REQ, "flag|table", 0, 0,
    "flag: a column is_quarantined; table: bad rows go to a table" },
  { "target", OBJECT, HON, 0, 0, 0, &acdcShapeQuarantineTable,
    "the quarantine table" },
};
static const AcdcRule aQuarantineRule[] = {
  { ACDC_RULE_REQUIRE, "mode", "table", 0, 0, "target", 0,
    "at least {\"target_format\": \"delta\"}" },
};
static const AcdcShape shapeQuarantine = {
  "quarantine", "a quarantine", ACDC_SHAPE_FIELDS(aQuarantine),
  ACDC_SHAPE_FIELDS(aQuarantineRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aQuality[] = {
  { "enabled", BOOL, HON, 0, 0, 0, 0, "true by default" },
  { "expectations_path", TEXT, HON, REQ|FILL, 0, 0, 0,
    "file or folder with the expectations" },
  { "quarantine", OBJECT, HON, 0, 0, 0, &shapeQuarantine,
    "what becomes of rows that fail" },
};
static const AcdcShape shapeQuality = {
  "data_quality", "data quality settings", ACDC_SHAPE_FIELDS(aQuality),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

/* ---- targets ---- */

static const AcdcField aTarget[] = {
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0, "the target table" },
  { "database", TEXT, HON, 0, 0, 0, 0, "its schema" },
  { "table_type", TEXT, HON, 0, "st|mv", 0, 0,
    "st: rows are added or merged; mv: rebuilt from a query" },
  { "schema_path", TEXT, HON, 0, 0, 0, 0, "file with the columns" },
  { "path", TEXT, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "table_properties", OBJECT, STORED, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "partition_columns", LIST, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "cluster_by_columns", LIST, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "cluster_by_auto", BOOL, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "comment", TEXT, STORED, 0, 0, 0, 0, "kept in the spec" },
  { "spark_conf", OBJECT, WARN, 0, 0, 0, 0, "there is no Spark" },
  { "row_filter", TEXT, REFUSE, 0, 0, 0, 0,
    "make a view that selects the rows a reader may see" },
  { "config_flags", LIST, STORED, 0, "disable_operational_metadata|"
    "disableOperationalMetadata", 0, 0, "there is no operational metadata" },
  { "once", BOOL, HON, 0, 0, 0, 0, "the flows run in the first run only" },
  { "cdc_settings", OBJECT, HON, 0, 0, 0, &acdcShapeCdc, "merge by key" },
  { "cdc_snapshot_settings", OBJECT, HON, 0, 0, 0, &acdcShapeSnapshot,
    "merge snapshots" },
  { "data_quality", OBJECT, HON, 0, 0, 0, &shapeQuality, "expectations" },
  { "table_migration", OBJECT, HON, 0, 0, 0, &acdcShapeMigration,
    "import of an old table" },
  { "sql_path", TEXT, HON, 0, 0, 0, 0, "mv: file with the query" },
  { "sql_statement", TEXT, HON, 0, 0, 0, 0, "mv: the query" },
  { "refresh_policy", TEXT, STORED, 0,
    "auto|incremental|incremental_strict|full", 0, 0,
    "mv: always rebuilt in full" },
  { "private", BOOL, WARN, 0, 0, 0, 0, "a table can be seen by all" },
  { "source_view", OBJECT, REFUSE, 0, 0, 0, 0,
    "make it a source node and name that in sources" },
  FIELD_SOURCES,
};
static const AcdcRule aTargetRule[] = {
  RULE_SOURCES,
  { ACDC_RULE_FORBID, "table_type", "mv", 0, 0,
    "cdc_settings|cdc_snapshot_settings|table_migration|once", 0,
    "a materialized view is rebuilt, not merged" },
  { ACDC_RULE_FORBID, "table_type", "st|", 0, 0,
    "sql_path|sql_statement|refresh_policy|private", 0,
    "it is for a materialized view: set table_type to \"mv\"" },
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "cdc_settings|cdc_snapshot_settings", 0,
    "events and snapshots do not go into one target" },
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "partition_columns|cluster_by_columns", 0,
    0 },
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "sql_path|sql_statement", 0, 0 },
};
static const AcdcShape shapeTarget = {
  "table_target", "a table target", ACDC_SHAPE_FIELDS(aTarget),
  ACDC_SHAPE_FIELDS(aTargetRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aDeltaSinkOption[] = {
  { "table_name", TEXT, HON, 0, 0, 0, 0, "table that rows are added to" },
  { "path", TEXT, REFUSE, 0, 0, 0, 0, "name a table instead" },
};
static const AcdcShape shapeDeltaSinkOption = {
  "delta_sink_options", "options of a delta sink",
  ACDC_SHAPE_FIELDS(aDeltaSinkOption), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_WARN, 0
};

static const AcdcField aDeltaSink[] = {
  { "name", TEXT, HON, 0, 0, 0, 0, "name of the sink" },
  { "sink_type", TEXT, STORED, 0, 0, 0, 0, "a delta sink has no sub-types" },
  { "sink_config", OBJECT, HON, 0, 0, 0, &shapeDeltaSinkOption,
    "another name of sink_options" },
  { "sink_options", OBJECT, HON, 0, 0, 0, &shapeDeltaSinkOption,
    "the table that rows are added to" },
  { "once", BOOL, HON, 0, 0, 0, 0, "the flows run in the first run only" },
  FIELD_SOURCES,
};
static const AcdcRule aDeltaSinkRule[] = {
  RULE_SOURCES,
  { ACDC_RULE_ONE, 0, 0, 0, 0, "sink_options|sink_config", 0, 0 },
};
static const AcdcShape shapeDeltaSink = {
  "delta_sink", "a delta sink", ACDC_SHAPE_FIELDS(aDeltaSink),
  ACDC_SHAPE_FIELDS(aDeltaSinkRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aBatchSink[] = {
  { "name", TEXT, HON, 0, 0, 0, 0, "name of the sink" },
  { "sink_type", TEXT, HON, REQ, "basic_sql", "python_function", 0,
    ACDC_DOC_PYTHON },
  { "sink_config", OBJECT, HON, REQ, 0, 0, &acdcShapeBatchSink,
    "the SQL and the table" },
  { "sink_options", OBJECT, WARN, 0, 0, 0, 0, "write sink_config" },
  { "once", BOOL, HON, 0, 0, 0, 0, "the flows run in the first run only" },
  FIELD_SOURCES,
};
static const AcdcRule aBatchSinkRule[] = { RULE_SOURCES };
static const AcdcShape shapeBatchSink = {
  "foreach_batch_sink", "a foreach_batch sink",
  ACDC_SHAPE_FIELDS(aBatchSink), ACDC_SHAPE_FIELDS(aBatchSinkRule),
  ACDC_UNKNOWN_ERROR, 0
};

/* ---- nodes ---- */

static const AcdcField aNode[] = {
  { "name", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the node" },
  { "node_type", TEXT, HON, REQ, "source|transformation|target", 0, 0,
    "what the node is" },
  { "source_type", TEXT, HON, 0,
    "delta|cloud_files|batch_files|delta_join|sql|cloudFiles|batchFiles|"
    "deltaJoin", "kafka|python", 0,
    "load the data into a table and read it with a delta source; write Python "
    "as SQL" },
  { "transformation_type", TEXT, HON, 0, "sql", "python", 0,
    ACDC_DOC_PYTHON },
  { "target_type", TEXT, HON, 0, "delta|delta_sink|foreach_batch_sink",
    "custom_python_sink|kafka_sink", 0,
    "use a delta target or a basic_sql sink, and send the rows from there" },
  { "output_view_name", TEXT, HON, 0, 0, 0, 0, "name of the node's view" },
  { "enabled", BOOL, HON, 0, 0, 0, 0, "true by default" },
  { "config", OBJECT, HON, 0, 0, 0, 0, "depends on the type of the node" },
};
#define SOURCE(type, shape) \
  { ACDC_RULE_SHAPE, "node_type", "source", "source_type", type, "config", \
    &shape, 0 }
static const AcdcRule aNodeRule[] = {
  { ACDC_RULE_REQUIRE, "node_type", "source", 0, 0, "source_type|config", 0,
    0 },
  { ACDC_RULE_FORBID, "node_type", "source", 0, 0,
    "transformation_type|target_type", 0, "the node is a source" },
  { ACDC_RULE_REQUIRE, "node_type", "transformation", 0, 0,
    "transformation_type|config", 0, 0 },
  { ACDC_RULE_FORBID, "node_type", "transformation", 0, 0,
    "source_type|target_type", 0, "the node is a transformation" },
  { ACDC_RULE_REQUIRE, "node_type", "target", 0, 0, "config", 0, 0 },
  { ACDC_RULE_FORBID, "node_type", "target", 0, 0,
    "source_type|transformation_type|output_view_name", 0,
    "the node is a target" },
  SOURCE("delta", acdcShapeDelta),
  SOURCE("cloud_files|cloudFiles", acdcShapeCloudFiles),
  SOURCE("batch_files|batchFiles", acdcShapeBatchFiles),
  SOURCE("delta_join|deltaJoin", acdcShapeJoin),
  SOURCE("sql", acdcShapeSql),
  { ACDC_RULE_SHAPE, "node_type", "transformation", "transformation_type",
    "sql", "config", &acdcShapeSql, 0 },
  { ACDC_RULE_SHAPE, "node_type", "target", "target_type", "delta|", "config",
    &shapeTarget, 0 },
  { ACDC_RULE_SHAPE, "node_type", "target", "target_type", "delta_sink",
    "config", &shapeDeltaSink, 0 },
  { ACDC_RULE_SHAPE, "node_type", "target", "target_type",
    "foreach_batch_sink", "config", &shapeBatchSink, 0 },
};
static const AcdcShape shapeNode = {
  "node", "a node", ACDC_SHAPE_FIELDS(aNode), ACDC_SHAPE_FIELDS(aNodeRule),
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aNodespec[] = {
  { "data_flow_id", TEXT, HON, REQ|FILL, 0, 0, 0, "name of the spec" },
  { "data_flow_group", TEXT, HON, REQ|FILL, 0, 0, 0, "group of the spec" },
  { "data_flow_type", TEXT, HON, 0, "nodespec", 0, 0, "the format" },
  { "data_flow_version", TEXT, HON, 0, 0, 0, 0, "version of the format" },
  { "tags", OBJECT, STORED, 0, 0, 0, 0, "kept in the spec" },
  { "features", OBJECT, HON, 0, 0, 0, &acdcShapeFeatures, "switches" },
  { "nodes", ARRAY, HON, REQ|FILL, 0, 0, &shapeNode, "the nodes" },
};
const AcdcShape acdcShapeNodespec = {
  "nodespec", "a nodespec", ACDC_SHAPE_FIELDS(aNodespec), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_ERROR, 0
};
