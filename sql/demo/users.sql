-- The worked example of the Databricks AUTO CDC documentation: eight change
-- rows, two of them out of order, one a delete.
.mode box
.print '1. The worked example of the Databricks documentation'
.print
.print 'The change log, in the order in which it arrived:'
CREATE TABLE users_cdc(
  userId INTEGER, name TEXT, city TEXT, operation TEXT, sequenceNum INTEGER
);
INSERT INTO users_cdc VALUES
  (124, 'Raul',     'Oaxaca',      'INSERT', 1),
  (123, 'Isabel',   'Monterrey',   'INSERT', 1),
  (125, 'Mercedes', 'Tijuana',     'INSERT', 2),
  (126, 'Lily',     'Cancun',      'INSERT', 2),
  (123, NULL,       NULL,          'DELETE', 6),
  (125, 'Mercedes', 'Guadalajara', 'UPDATE', 6),
  (125, 'Mercedes', 'Mexicali',    'UPDATE', 5),
  (123, 'Isabel',   'Chihuahua',   'UPDATE', 5);
SELECT * FROM users_cdc;
.print
.print 'Who is a user now (SCD type 1):'
.print
.echo on
SELECT status, rows_read, inserted FROM apply_changes('{
  "source": "users_cdc", "target": "users", "keys": "userId",
  "sequence_by": "sequenceNum", "scd_type": 1,
  "apply_as_deletes": "operation = ''DELETE''",
  "except_column_list": "operation, sequenceNum" }');
.echo off
SELECT * FROM users;
.print
.print 'Who was a user when (SCD type 2). The two late rows are where they belong:'
.print
.echo on
SELECT status, rows_read, inserted FROM apply_changes('{
  "source": "users_cdc", "target": "users_history", "keys": "userId",
  "sequence_by": "sequenceNum", "scd_type": 2,
  "apply_as_deletes": "operation = ''DELETE''",
  "except_column_list": "operation, sequenceNum" }');
.echo off
SELECT * FROM users_history ORDER BY userId, __START_AT;
