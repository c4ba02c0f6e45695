-- Targets that were there, that change and that are gone.
.headers on
.nullvalue NULL
CREATE TABLE log(id INTEGER, name TEXT, op TEXT, seq INTEGER);
INSERT INTO log VALUES(1, 'Ada', 'I', 10), (2, 'Bob', 'I', 20);

.print == rows of the user's: older than every event in a current table
CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, phone TEXT);
INSERT INTO people VALUES(1, 'A.', '555-1'), (7, 'Gus', '555-7');
SELECT status, inserted, updated, deleted, message FROM apply_changes('{"source": "log",
  "target": "people", "keys": "id", "sequence_by": "seq", "scd_type": 1,
  "apply_as_deletes": "op = ''D''", "except_column_list": "op, seq"}');
SELECT * FROM people ORDER BY id;

.print == rows of the user's: events at their __START_AT in a history
CREATE TABLE hist(id INTEGER, name TEXT, __START_AT, __END_AT);
INSERT INTO hist VALUES(1, 'A.', 5, NULL), (2, 'B.', 5, 15);
SELECT status, inserted, updated, deleted, message FROM apply_changes('{"source": "log",
  "target": "hist", "keys": "id", "sequence_by": "seq", "scd_type": 2,
  "apply_as_deletes": "op = ''D''", "except_column_list": "op, seq"}');
SELECT * FROM hist ORDER BY id, __START_AT;

.print == a new column of the source: added, NULL in the older rows
ALTER TABLE log ADD COLUMN city TEXT;
INSERT INTO log VALUES(1, 'Ada', 'U', 30, 'Rome');
SELECT status, inserted, updated, deleted,
       message LIKE 'added to the target: city%' AS "says so" FROM apply_changes('{"source": "log",
  "target": "hist", "keys": "id", "sequence_by": "seq", "scd_type": 2,
  "apply_as_deletes": "op = ''D''", "except_column_list": "op, seq"}');
SELECT * FROM hist ORDER BY id, __START_AT;

.print == dropped: made anew from the start of the source, and the message says so
DROP TABLE hist;
SELECT status, rows_read, inserted, message FROM apply_changes('{"source": "log",
  "target": "hist", "keys": "id", "sequence_by": "seq", "scd_type": 2,
  "apply_as_deletes": "op = ''D''", "except_column_list": "op, seq"}');
SELECT * FROM hist ORDER BY id, __START_AT;

.print == reset: a table of the user's is emptied, one of ours goes
SELECT autocdc_reset('people') IS NOT NULL AS done;
SELECT count(*) AS n FROM people;
SELECT autocdc_reset('hist') IS NOT NULL AS done;
SELECT count(*) AS n FROM sqlite_schema WHERE name = 'hist';

.print == a native change feed: pre-images skipped, its columns left out
CREATE TABLE feed(id INTEGER, v TEXT, _change_type TEXT, _commit_version INTEGER,
                  _commit_timestamp TIMESTAMP);
INSERT INTO feed VALUES
  (1, 'a', 'insert', 1, '2026-01-01 00:00:00'),
  (2, 'b', 'insert', 1, '2026-01-01 00:00:00'),
  (1, 'a', 'update_preimage', 2, '2026-01-01 00:00:00'),
  (1, 'A', 'update_postimage', 2, '2026-01-01 00:00:00'),
  (2, 'b', 'delete', 3, '2026-01-01 00:00:01');
SELECT status, rows_read, inserted FROM apply_changes('{"source": "feed", "target": "fed",
  "keys": "id", "sequence_by": "_commit_version", "scd_type": 2, "cdf_enabled": true}');
SELECT * FROM fed ORDER BY id, __START_AT;

.print == updates that carry only what changed
CREATE TABLE sparse(id INTEGER, name TEXT, city TEXT, seq INTEGER);
INSERT INTO sparse VALUES(1, 'Ada', 'London', 1), (1, NULL, 'Rome', 5), (1, 'Eve', NULL, 3);
SELECT status, inserted FROM apply_changes('{"source": "sparse", "target": "full",
  "keys": "id", "sequence_by": "seq", "scd_type": 2, "ignore_null_updates": true,
  "except_column_list": "seq"}');
SELECT * FROM full ORDER BY id, __START_AT;
