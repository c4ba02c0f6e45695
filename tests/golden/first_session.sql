-- What a new user does: import a CSV file, make one call, make it again, import
-- more, empty and refill the table, forget the delete condition.
.headers on
.nullvalue NULL
.import --csv testdata/customers.csv customers_cdc

.print == one call: 9 does not beat 10, though the import made text of both
SELECT status, rows_read, inserted, updated, deleted, rejected
  FROM apply_changes('{"source": "customers_cdc", "target": "customers",
    "keys": "customer_id", "sequence_by": "seq", "scd_type": 1,
    "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM customers ORDER BY CAST(customer_id AS INTEGER);

.print == the same call again: nothing to read, nothing changes
SELECT status, rows_read, inserted, updated, deleted
  FROM apply_changes('{"source": "customers_cdc", "target": "customers",
    "keys": "customer_id", "sequence_by": "seq", "scd_type": 1,
    "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');

.print == more rows: one new, one late
.import --csv --skip 1 testdata/customers_more.csv customers_cdc
SELECT status, rows_read, inserted, updated, deleted, unchanged, late
  FROM apply_changes('{"source": "customers_cdc", "target": "customers",
    "keys": "customer_id", "sequence_by": "seq", "scd_type": 1,
    "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM customers ORDER BY CAST(customer_id AS INTEGER);

.print == emptied and refilled: rowids start again, and nothing is missed
DELETE FROM customers_cdc;
INSERT INTO customers_cdc VALUES('4', 'Kim', 'Lima', 'I', '13'), ('10', '', '', 'D', '14');
SELECT status, rows_read, inserted, updated, deleted
  FROM apply_changes('{"source": "customers_cdc", "target": "customers",
    "keys": "customer_id", "sequence_by": "seq", "scd_type": 1,
    "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM customers ORDER BY CAST(customer_id AS INTEGER);

.print == the history of the first file, empty fields taken as NULL
.import --csv testdata/customers.csv again
SELECT status, rows_read, inserted
  FROM apply_changes('{"source": "again", "target": "history",
    "keys": "customer_id", "sequence_by": "seq", "scd_type": 2,
    "apply_as_deletes": "op = ''D''", "except_column_list": "op, seq",
    "empty_as_null": true}');
SELECT *, typeof(__START_AT) AS t FROM history
 ORDER BY CAST(customer_id AS INTEGER), __START_AT;

.print == the delete condition forgotten: 2 is still there
SELECT status, rows_read, inserted
  FROM apply_changes('{"source": "again", "target": "oops", "keys": "customer_id",
    "sequence_by": "seq", "scd_type": 1, "except_column_list": "op, seq"}');
SELECT * FROM oops ORDER BY CAST(customer_id AS INTEGER);

.print == corrected and run again: the run warns that read rows stay as they are
SELECT status, rows_read, message LIKE '%autocdc_reset(%' AS "names autocdc_reset"
  FROM apply_changes('{"source": "again", "target": "oops", "keys": "customer_id",
    "sequence_by": "seq", "scd_type": 1, "except_column_list": "op, seq",
    "apply_as_deletes": "op = ''D''"}');

.print == reset and run again
SELECT autocdc_reset('oops') IS NOT NULL AS done;
SELECT status, rows_read, inserted
  FROM apply_changes('{"source": "again", "target": "oops", "keys": "customer_id",
    "sequence_by": "seq", "scd_type": 1, "except_column_list": "op, seq",
    "apply_as_deletes": "op = ''D''"}');
SELECT * FROM oops ORDER BY CAST(customer_id AS INTEGER);
