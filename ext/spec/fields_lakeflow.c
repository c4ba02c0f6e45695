/*
** Tables of the members that the Lakeflow formats share: sources, CDC
** settings, snapshots, data quality.
*/
#include "fields.h"

/* ---- reader options ---- */

static const AcdcField aFileOption[] = {
  { "header", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "the first line names the columns" },
  { "sep", SCALAR, HON, PLAIN, 0, 0, 0, "separator of CSV fields" },
  { "delimiter", SCALAR, HON, PLAIN, 0, 0, 0, "another name of sep" },
  { "quote", SCALAR, HON, PLAIN, 0, 0, 0, "quote of CSV fields" },
  { "escape", SCALAR, HON, PLAIN, 0, 0, 0, "escape inside quotes" },
  { "comment", SCALAR, HON, PLAIN, 0, 0, 0, "lines that start so are skipped" },
  { "nullValue", SCALAR, HON, PLAIN, 0, 0, 0, "text that means NULL" },
  { "emptyValue", SCALAR, HON, PLAIN, 0, 0, 0, "value of a quoted empty field" },
  { "mode", SCALAR, HON, PLAIN, "PERMISSIVE|DROPMALFORMED|FAILFAST", 0, 0,
    "what to do with malformed rows" },
  { "multiLine", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "a JSON file is one array or object" },
  { "encoding", SCALAR, HON, PLAIN, 0, 0, 0, "UTF-8 only" },
  { "charset", SCALAR, HON, PLAIN, 0, 0, 0, "another name of encoding" },
  { "inferSchema", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "find column types from the rows" },
  { "rescuedDataColumn", SCALAR, HON, PLAIN, 0, 0, 0,
    "column for what does not fit" },
  { "columnNameOfCorruptRecord", SCALAR, HON, PLAIN, 0, 0, 0,
    "column for a malformed record" },
  { "ignoreLeadingWhiteSpace", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "trim fields on the left" },
  { "ignoreTrailingWhiteSpace", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "trim fields on the right" },
  { "recursiveFileLookup", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "look into sub-folders" },
  { "pathGlobFilter", SCALAR, HON, PLAIN, 0, 0, 0, "file names to take" },
  { "cloudFiles.format", SCALAR, HON, PLAIN, "csv|json",
    "avro|binaryFile|orc|parquet|text|xml", 0, ACDC_DOC_FORMAT },
  { "cloudFiles.inferColumnTypes", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "find column types from the rows" },
  { "cloudFiles.rescuedDataColumn", SCALAR, HON, PLAIN, 0, 0, 0,
    "column for what does not fit" },
  { "cloudFiles.includeExistingFiles", SCALAR, HON, PLAIN, "true", "false", 0,
    "a first run takes the files that are there: load into an empty folder "
    "instead" },
  { "cloudFiles.schemaEvolutionMode", SCALAR, HON, PLAIN,
    "addNewColumns|addNewColumnsWithTypeWidening|rescue|failOnNewColumns|none",
    0, 0, "new columns are added, unless there is a schema: then they are "
    "rescued" },
  { "cloudFiles.allowOverwrites", SCALAR, HON, PLAIN, "true|false", 0, 0,
    "a merge re-reads a changed file, an append refuses it" },
  { "cloudFiles.schemaLocation", SCALAR, WARN, PLAIN, 0, 0, 0,
    "schemas are kept in the database" },
  { "cloudFiles.schemaHints", SCALAR, WARN, PLAIN, 0, 0, 0,
    "write a schema_path instead" },
  { "cloudFiles.maxFilesPerTrigger", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a run takes all files" },
  { "cloudFiles.maxBytesPerTrigger", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a run takes all files" },
  { "cloudFiles.maxFileAge", SCALAR, WARN, PLAIN, 0, 0, 0,
    "files are remembered for ever" },
  { "cloudFiles.backfillInterval", SCALAR, WARN, PLAIN, 0, 0, 0,
    "each run lists all files" },
  { "cloudFiles.useStrictGlobber", SCALAR, WARN, PLAIN, 0, 0, 0,
    "patterns match within one folder level" },
  { "cloudFiles.useNotifications", SCALAR, WARN, PLAIN, 0, 0, 0,
    "each run lists all files" },
  { "cloudFiles.validateOptions", SCALAR, WARN, PLAIN, 0, 0, 0,
    "options are validated always" },
  { "ignoreCorruptFiles", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a file that cannot be read fails the run" },
  { "ignoreMissingFiles", SCALAR, WARN, PLAIN, 0, 0, 0,
    "files are listed in the run that reads them" },
  { "rowValidationXSDPath", SCALAR, REFUSE, PLAIN, 0, 0, 0, ACDC_DOC_FORMAT },
  { "rowTag", SCALAR, REFUSE, PLAIN, 0, 0, 0, ACDC_DOC_FORMAT },
};
const AcdcShape acdcShapeFileOptions = {
  "file_options", "reader options of files",
  ACDC_SHAPE_FIELDS(aFileOption), ACDC_SHAPE_NORULES, ACDC_UNKNOWN_WARN, 1
};

static const AcdcField aTableOption[] = {
  { "startingVersion", SCALAR, REFUSE, PLAIN, 0, 0, 0,
    "tables have no versions: put a condition on the rows in where_clause" },
  { "startingTimestamp", SCALAR, REFUSE, PLAIN, 0, 0, 0,
    "tables have no versions: put a condition on the rows in where_clause" },
  { "versionAsOf", SCALAR, REFUSE, PLAIN, 0, 0, 0,
    "tables have no versions: read a history table as of a sequence" },
  { "timestampAsOf", SCALAR, REFUSE, PLAIN, 0, 0, 0,
    "tables have no versions: read a history table as of a sequence" },
  { "skipChangeCommits", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a stream reads rows added to the table" },
  { "ignoreChanges", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a stream reads rows added to the table" },
  { "ignoreDeletes", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a stream reads rows added to the table" },
  { "readChangeFeed", SCALAR, WARN, PLAIN, 0, 0, 0, "use cdf_enabled" },
  { "maxFilesPerTrigger", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a run takes all rows" },
  { "maxBytesPerTrigger", SCALAR, WARN, PLAIN, 0, 0, 0,
    "a run takes all rows" },
};
const AcdcShape acdcShapeTableOptions = {
  "table_options", "reader options of a table",
  ACDC_SHAPE_FIELDS(aTableOption), ACDC_SHAPE_NORULES, ACDC_UNKNOWN_WARN, 1
};

/* ---- sources ---- */

#define FIELD_MODE \
  { "mode", TEXT, HON, 0, ACDC_VALUES_MODE, 0, 0, \
    "stream: new rows only, per flow; batch: all rows, each run" }
#define FIELD_SELECT \
  { "select_exp", LIST, HON, 0, 0, 0, 0, \
    "SQL expressions to select; absent: all columns" }
#define FIELD_WHERE \
  { "where_clause", LIST|TEXT, HON, 0, 0, 0, 0, \
    "SQL conditions, all of which must hold" }
#define FIELD_SCHEMA \
  { "schema_path", TEXT, HON, 0, 0, 0, 0, \
    "file (.json or .ddl) with names and types of the columns" }
#define FIELD_PYTHON \
  { "python_transform", OBJECT, REFUSE, 0, 0, 0, 0, ACDC_DOC_PYTHON }

static const AcdcField aDelta[] = {
  { "database", TEXT, HON, 0, 0, 0, 0, "schema of the table" },
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0, "table or view to read" },
  { "table_path", TEXT, WARN, 0, 0, 0, 0, "the table is found by its name" },
  { "cdf_enabled", BOOL, HON, 0, 0, 0, 0,
    "read a change feed where the table has the columns of one; else each new "
    "row is an insert" },
  { "cdf_change_type_override", LIST, HON, 0,
    "insert|update_preimage|update_postimage|delete", 0, 0,
    "change types to keep" },
  { "starting_version_from_dlt_setup", BOOL, HON, 0, 0, 0, 0,
    "a stream starts at the first row anyway" },
  FIELD_MODE, FIELD_SELECT, FIELD_WHERE,
  { "schema_path", TEXT, WARN, 0, 0, 0, 0, "a table knows its columns" },
  { "reader_options", OBJECT, HON, 0, 0, 0, &acdcShapeTableOptions,
    "see the reader options of a table" },
  FIELD_PYTHON,
};
const AcdcShape acdcShapeDelta = {
  "delta_source", "a delta source", ACDC_SHAPE_FIELDS(aDelta),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aBatchFiles[] = {
  { "path", TEXT, HON, REQ|FILL, 0, 0, 0, "file, folder or pattern" },
  { "format", TEXT, HON, 0, "csv|json", "parquet|text|xml|avro|orc|binaryFile",
    0, ACDC_DOC_FORMAT },
  { "reader_options", OBJECT, HON, 0, 0, 0, &acdcShapeFileOptions,
    "see the reader options of files" },
  FIELD_MODE, FIELD_SELECT, FIELD_WHERE, FIELD_SCHEMA, FIELD_PYTHON,
};
const AcdcShape acdcShapeBatchFiles = {
  "batch_files_source", "a batch_files source",
  ACDC_SHAPE_FIELDS(aBatchFiles), ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aCloudFiles[] = {
  { "path", TEXT, HON, REQ|FILL, 0, 0, 0, "folder or pattern" },
  { "reader_options", OBJECT, HON, REQ, 0, 0, &acdcShapeFileOptions,
    "see the reader options of files; cloudFiles.format is needed" },
  FIELD_MODE, FIELD_SELECT, FIELD_WHERE, FIELD_SCHEMA, FIELD_PYTHON,
};
const AcdcShape acdcShapeCloudFiles = {
  "cloud_files_source", "a cloud_files source",
  ACDC_SHAPE_FIELDS(aCloudFiles), ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aJoinSide[] = {
  { "database", TEXT, HON, 0, 0, 0, 0, "schema of the table" },
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0, "table or view to read" },
  { "alias", TEXT, HON, REQ|FILL, 0, 0, 0, "its name in the conditions" },
  { "join_mode", TEXT, HON, 0, "stream|static", 0, 0,
    "stream: new rows only; static: all rows" },
  { "cdf_enabled", BOOL, HON, 0, 0, 0, 0, "as in a delta source" },
  { "table_path", TEXT, WARN, 0, 0, 0, 0, "the table is found by its name" },
  FIELD_SELECT, FIELD_WHERE,
  { "schema_path", TEXT, WARN, 0, 0, 0, 0, "a table knows its columns" },
  { "reader_options", OBJECT, HON, 0, 0, 0, &acdcShapeTableOptions,
    "see the reader options of a table" },
  FIELD_PYTHON,
};
static const AcdcShape shapeJoinSide = {
  "join_source", "a source of a join", ACDC_SHAPE_FIELDS(aJoinSide),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aJoinOn[] = {
  { "join_type", TEXT, HON, 0, "left|inner", 0, 0, "how rows without a partner "
    "count; inner by default" },
  { "condition", TEXT, HON, REQ|FILL, 0, 0, 0, "SQL condition" },
};
static const AcdcShape shapeJoinOn = {
  "join_condition", "a join", ACDC_SHAPE_FIELDS(aJoinOn), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aJoin[] = {
  { "sources", ARRAY, HON, REQ|FILL, 0, 0, &shapeJoinSide, "tables to join" },
  { "joins", ARRAY, HON, REQ|FILL, 0, 0, &shapeJoinOn,
    "joins, in the order of the sources" },
  FIELD_MODE, FIELD_SELECT, FIELD_WHERE,
};
const AcdcShape acdcShapeJoin = {
  "delta_join_source", "a delta_join source", ACDC_SHAPE_FIELDS(aJoin),
  ACDC_SHAPE_NORULES, ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aSql[] = {
  { "sql_path", TEXT, HON, 0, 0, 0, 0, "file with the SQL" },
  { "sql_statement", TEXT, HON, 0, 0, 0, 0, "the SQL" },
  FIELD_MODE,
};
static const AcdcRule aSqlRule[] = {
  { ACDC_RULE_ONE, 0, 0, 0, 0, "sql_path|sql_statement", 0, 0 },
};
const AcdcShape acdcShapeSql = {
  "sql", "an SQL query", ACDC_SHAPE_FIELDS(aSql), ACDC_SHAPE_FIELDS(aSqlRule),
  ACDC_UNKNOWN_ERROR, 0
};

/* ---- CDC ---- */

#define FIELD_KEYS \
  { "keys", LIST, HON, REQ|FILL|SNAKE, 0, 0, 0, "columns of the key" }
#define FIELD_SCD \
  { "scd_type", TEXT|INT, HON, REQ|SNAKE, "1|2|SCD TYPE 1|SCD TYPE 2", 0, 0, \
    "1: current rows; 2: history" }
#define FIELD_TRACK \
  { "track_history_column_list", LIST, HON, SNAKE, 0, 0, 0, \
    "columns whose change makes a version" }, \
  { "track_history_except_column_list", LIST, HON, SNAKE, 0, 0, 0, \
    "columns whose change makes none" }
#define RULE_TRACK \
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, \
    "track_history_column_list|track_history_except_column_list", 0, 0 }

static const AcdcField aCdc[] = {
  FIELD_KEYS,
  { "sequence_by", TEXT|LIST, HON, REQ|FILL|SNAKE, 0, 0, 0,
    "column or SQL expression that orders the events" },
  FIELD_SCD,
  { "where", TEXT, HON, SNAKE, 0, 0, 0, "SQL condition on the events" },
  { "ignore_null_updates", BOOL, HON, SNAKE, 0, 0, 0, "NULL keeps the value" },
  { "apply_as_deletes", TEXT, HON, SNAKE, 0, 0, 0,
    "SQL condition of a delete" },
  { "except_column_list", LIST, HON, SNAKE, 0, 0, 0,
    "columns left out of the target" },
  FIELD_TRACK,
  { "apply_as_truncates", TEXT, EXTRA, SNAKE, 0, 0, 0,
    "SQL condition of a truncate" },
  { "column_list", LIST, EXTRA, SNAKE, 0, 0, 0, "columns of the target" },
  { "ignore_null_updates_column_list", LIST, EXTRA, SNAKE, 0, 0, 0,
    "columns in which NULL keeps the value" },
  { "ignore_null_updates_except_column_list", LIST, EXTRA, SNAKE, 0, 0, 0,
    "columns in which it does not" },
  { "columns_to_update", TEXT, EXTRA, SNAKE, 0, 0, 0,
    "column that lists the columns an event writes" },
  { "tie_break", TEXT, EXTRA, SNAKE, "last|first|error", 0, 0,
    "which of two events of one sequence counts" },
  { "null_keys", TEXT, EXTRA, SNAKE, "error|match", 0, 0,
    "what NULL in a key means" },
  { "empty_as_null", BOOL, EXTRA, SNAKE, 0, 0, 0, "'' in the source is NULL" },
  { "scd2_truncates", TEXT, EXTRA, SNAKE, "refuse|close|ignore", 0, 0,
    "what a truncate does to a history" },
};
static const AcdcRule aCdcRule[] = {
  RULE_TRACK,
  { ACDC_RULE_ATMOST, 0, 0, 0, 0, "column_list|except_column_list", 0, 0 },
  { ACDC_RULE_FORBID, "scd_type", "1|SCD TYPE 1", 0, 0,
    "track_history_column_list|track_history_except_column_list", 0,
    "only a history (scd_type 2) tracks columns" },
};
const AcdcShape acdcShapeCdc = {
  "cdc_settings", "CDC settings", ACDC_SHAPE_FIELDS(aCdc),
  ACDC_SHAPE_FIELDS(aCdcRule), ACDC_UNKNOWN_ERROR, 0
};

#define FIELD_DEDUP \
  { "deduplicate_mode", TEXT, HON, 0, "off|full_row|keys_only", 0, 0, \
    "what to do with a key that is there twice" }

static const AcdcField aSnapshotFile[] = {
  { "format", TEXT, HON, REQ, "csv|json", "parquet|text|xml|avro|orc|binaryFile",
    0, ACDC_DOC_FORMAT },
  { "path", TEXT, HON, REQ|FILL, 0, 0, 0,
    "files, with {version} and {fragment} or named groups" },
  { "reader_options", OBJECT, HON, 0, 0, 0, &acdcShapeFileOptions,
    "see the reader options of files" },
  { "version_type", TEXT, HON, 0,
    "integer|int|long|timestamp|datetime|date", 0, 0,
    "what the version in the path is; integer by default" },
  { "datetime_format", TEXT, HON, 0, 0, 0, 0,
    "how a date and time is written in the path" },
  { "micro_second_mask_length", INT, STORED, 0, 0, 0, 0,
    "versions are compared by value: not needed" },
  { "starting_version", TEXT|INT, HON, 0, 0, 0, 0, "first version to take" },
  FIELD_SCHEMA, FIELD_SELECT,
  { "filter", TEXT, HON, 0, 0, 0, 0, "SQL condition; {version} stands for the "
    "version" },
  { "recursive_file_lookup", BOOL, HON, 0, 0, 0, 0, "look into sub-folders" },
  FIELD_DEDUP,
};
static const AcdcRule aSnapshotFileRule[] = {
  { ACDC_RULE_REQUIRE, "version_type", "timestamp|datetime|date", 0, 0,
    "datetime_format", 0, "such as \"%Y-%m-%d\"" },
  { ACDC_RULE_FORBID, "version_type", "integer|int|long|", 0, 0,
    "datetime_format", 0, "set version_type to timestamp" },
};
static const AcdcShape shapeSnapshotFile = {
  "snapshot_files", "a snapshot source of files",
  ACDC_SHAPE_FIELDS(aSnapshotFile), ACDC_SHAPE_FIELDS(aSnapshotFileRule),
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aSnapshotTable[] = {
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0,
    "schema.table or catalog.schema.table" },
  { "version_column", TEXT, HON, REQ|FILL, 0, 0, 0,
    "column that holds the version" },
  { "version_type", TEXT, HON, 0, "integer|int|long|timestamp|datetime|date",
    0, 0, "what the version is" },
  { "starting_version", TEXT|INT, HON, 0, 0, 0, 0, "first version to take" },
  FIELD_SELECT, FIELD_DEDUP,
};
static const AcdcShape shapeSnapshotTable = {
  "snapshot_table", "a snapshot source of a table",
  ACDC_SHAPE_FIELDS(aSnapshotTable), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aSnapshot[] = {
  FIELD_KEYS,
  FIELD_SCD,
  { "snapshot_type", TEXT, HON, REQ, "periodic|historical", 0, 0,
    "periodic: the source as it is now; historical: versions of it" },
  { "source_type", TEXT, HON, 0, "file|table", 0, 0,
    "where the versions are" },
  { "source", OBJECT, HON, 0, 0, 0, 0, "files or table with the versions" },
  FIELD_TRACK,
  FIELD_DEDUP,
  { "on_empty_snapshot", TEXT, EXTRA, 0, "apply|stop|skip", 0, 0,
    "an empty snapshot deletes all rows, unless this says otherwise" },
  { "adopt", BOOL, EXTRA, 0, 0, 0, 0, "take over rows of a table that was "
    "there" },
};
static const AcdcRule aSnapshotRule[] = {
  RULE_TRACK,
  { ACDC_RULE_FORBID, "snapshot_type", "periodic", 0, 0, "source_type|source",
    0, "a periodic snapshot reads what feeds its target" },
  { ACDC_RULE_REQUIRE, "snapshot_type", "historical", 0, 0,
    "source_type|source", 0, "a historical snapshot reads files or a table" },
  { ACDC_RULE_SHAPE, "source_type", "file", 0, 0, "source",
    &shapeSnapshotFile, 0 },
  { ACDC_RULE_SHAPE, "source_type", "table", 0, 0, "source",
    &shapeSnapshotTable, 0 },
};
const AcdcShape acdcShapeSnapshot = {
  "cdc_snapshot_settings", "snapshot settings", ACDC_SHAPE_FIELDS(aSnapshot),
  ACDC_SHAPE_FIELDS(aSnapshotRule), ACDC_UNKNOWN_ERROR, 0
};

/* ---- quality, migration, features, sinks ---- */

static const AcdcField aQuarantineTable[] = {
  { "target_format", TEXT, HON, 0, "delta", 0, 0, "a table" },
  { "table", TEXT, HON, 0, 0, 0, 0,
    "quarantine table; <target>_quarantine by default" },
  { "database", TEXT, HON, 0, 0, 0, 0, "its schema" },
  { "table_properties", OBJECT, STORED, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "path", TEXT, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "partition_columns", LIST, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "cluster_by_columns", LIST, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "cluster_by_auto", BOOL, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
};
const AcdcShape acdcShapeQuarantineTable = {
  "quarantine_table", "a quarantine table",
  ACDC_SHAPE_FIELDS(aQuarantineTable), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aMigrationSource[] = {
  { "database", TEXT, HON, 0, 0, 0, 0, "schema of the old table" },
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0, "the old table" },
  FIELD_SELECT, FIELD_WHERE,
  { "except_columns", LIST, HON, 0, 0, 0, 0, "columns that are not taken" },
};
static const AcdcShape shapeMigrationSource = {
  "migration_source", "the source of a migration",
  ACDC_SHAPE_FIELDS(aMigrationSource), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aMigration[] = {
  { "enabled", BOOL, HON, REQ, 0, 0, 0, "import the old table, once" },
  { "catalog_type", TEXT, STORED, 0, "hms|uc", 0, 0, "there are no catalogs" },
  { "source", OBJECT, HON, 0, 0, 0, &shapeMigrationSource, "the old table" },
  { "source_details", OBJECT, HON, 0, 0, 0, &shapeMigrationSource,
    "another name of source" },
  { "auto_starting_versions_enabled", BOOL, HON, 0, 0, 0, 0,
    "the sources' rows of before the import are not read; true by default" },
};
static const AcdcRule aMigrationRule[] = {
  { ACDC_RULE_ONE, 0, 0, 0, 0, "source|source_details", 0, 0 },
};
const AcdcShape acdcShapeMigration = {
  "table_migration", "a table migration", ACDC_SHAPE_FIELDS(aMigration),
  ACDC_SHAPE_FIELDS(aMigrationRule), ACDC_UNKNOWN_ERROR, 0
};

static const AcdcField aFeatures[] = {
  { "operational_metadata_enabled", BOOL, WARN, 0, 0, 0, 0,
    "columns of operational metadata are described outside of the spec; none "
    "are added" },
};
const AcdcShape acdcShapeFeatures = {
  "features", "features", ACDC_SHAPE_FIELDS(aFeatures), ACDC_SHAPE_NORULES,
  ACDC_UNKNOWN_WARN, 0
};

static const AcdcField aBatchSink[] = {
  { "sql_path", TEXT, HON, 0, 0, 0, 0, "file with the SQL" },
  { "sql_statement", TEXT, HON, 0, 0, 0, 0,
    "SQL over micro_batch_view, the new rows" },
  { "database", TEXT, HON, 0, 0, 0, 0, "schema of the table" },
  { "table", TEXT, HON, REQ|FILL, 0, 0, 0, "table that the result goes to" },
  { "path", TEXT, REFUSE, 0, 0, 0, 0, "name a table instead" },
  { "table_properties", OBJECT, STORED, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "partition_by", LIST|TEXT, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "cluster_by", LIST|TEXT, WARN, 0, 0, 0, 0, ACDC_DOC_LAYOUT },
  { "function_path", TEXT, REFUSE, 0, 0, 0, 0, ACDC_DOC_PYTHON },
};
const AcdcShape acdcShapeBatchSink = {
  "basic_sql_sink", "a basic_sql sink", ACDC_SHAPE_FIELDS(aBatchSink),
  ACDC_SHAPE_FIELDS(aSqlRule), ACDC_UNKNOWN_ERROR, 0
};
