-- The worked example of the Databricks AUTO CDC documentation: both SCD types,
-- a truncate, and history tracked on all columns but one.
.headers on
.nullvalue NULL
CREATE TABLE users_cdf(
  userId INTEGER, name TEXT, city TEXT, operation TEXT, sequenceNum INTEGER
);
INSERT INTO users_cdf VALUES
  (124, 'Raul', 'Oaxaca', 'INSERT', 1),
  (123, 'Isabel', 'Monterrey', 'INSERT', 1),
  (125, 'Mercedes', 'Tijuana', 'INSERT', 2),
  (126, 'Lily', 'Cancun', 'INSERT', 2),
  (123, NULL, NULL, 'DELETE', 6),
  (125, 'Mercedes', 'Guadalajara', 'UPDATE', 6),
  (125, 'Mercedes', 'Mexicali', 'UPDATE', 5),
  (123, 'Isabel', 'Chihuahua', 'UPDATE', 5);

.print == SCD type 1
SELECT flow, target, status, rows_read, inserted, updated, deleted, rejected, ties
  FROM apply_changes('{"source": "users_cdf", "target": "users", "keys": ["userId"],
    "sequence_by": "sequenceNum", "scd_type": 1,
    "apply_as_deletes": "operation = ''DELETE''",
    "apply_as_truncates": "operation = ''TRUNCATE''",
    "except_column_list": ["operation", "sequenceNum"]}');
SELECT * FROM users ORDER BY userId;

.print == SCD type 2
SELECT flow, target, status, rows_read, inserted, updated, deleted, rejected, ties
  FROM apply_changes('{"source": "users_cdf", "target": "users_scd2", "keys": "userId",
    "sequence_by": "sequenceNum", "scd_type": 2,
    "apply_as_deletes": "operation = ''DELETE''",
    "except_column_list": "operation, sequenceNum"}');
SELECT * FROM users_scd2 ORDER BY userId, __START_AT;

.print == SCD type 2, a change of the city alone is no new version
SELECT status, rows_read, inserted
  FROM apply_changes('{"source": "users_cdf", "target": "users_names", "keys": "userId",
    "sequence_by": "sequenceNum", "stored_as_scd_type": "2",
    "apply_as_deletes": "operation = ''DELETE''",
    "except_column_list": "operation, sequenceNum",
    "track_history_except_column_list": "city"}');
SELECT * FROM users_names ORDER BY userId, __START_AT;

.print == a truncate that arrives last, at 3: what is older goes
INSERT INTO users_cdf VALUES(NULL, NULL, NULL, 'TRUNCATE', 3);
SELECT status, rows_read, inserted, updated, deleted
  FROM apply_changes('{"source": "users_cdf", "target": "users", "keys": ["userId"],
    "sequence_by": "sequenceNum", "scd_type": 1,
    "apply_as_deletes": "operation = ''DELETE''",
    "apply_as_truncates": "operation = ''TRUNCATE''",
    "except_column_list": ["operation", "sequenceNum"]}');
SELECT * FROM users ORDER BY userId;

.print == what the tables are, for any tool
SELECT name, type, pk FROM pragma_table_info('users');
SELECT name, type, pk FROM pragma_table_info('users_scd2');
