-- Out of order, twice, tied: the target is a function of the set of events.
.headers on
.nullvalue NULL
CREATE TABLE log(id INTEGER, city TEXT, op TEXT, seq INTEGER);
CREATE TEMP TABLE flow AS SELECT '{"source": "log", "target": "hist", "keys": "id",
  "sequence_by": "seq", "scd_type": 2, "apply_as_deletes": "op = ''D''",
  "except_column_list": "op, seq"}' AS f;

.print == a delete of a key never seen shows nothing
INSERT INTO log VALUES(1, NULL, 'D', 50);
SELECT r.status, r.rows_read, r.inserted, r.unchanged
  FROM flow, apply_changes(flow.f) AS r;
SELECT count(*) AS n FROM hist;

.print == and closes the older insert that arrives after it
INSERT INTO log VALUES(1, 'Rome', 'I', 10);
SELECT r.status, r.inserted, r.late FROM flow, apply_changes(flow.f) AS r;
SELECT * FROM hist ORDER BY id, __START_AT;

.print == equal values are one version
INSERT INTO log VALUES(1, 'Rome', 'U', 30);
SELECT r.status, r.inserted, r.updated, r.unchanged FROM flow, apply_changes(flow.f) AS r;
SELECT * FROM hist ORDER BY id, __START_AT;

.print == a late event between them splits it: the hidden one at 30 shows
INSERT INTO log VALUES(1, 'Oslo', 'U', 20);
SELECT r.status, r.inserted, r.updated, r.deleted, r.late FROM flow, apply_changes(flow.f) AS r;
SELECT * FROM hist ORDER BY id, __START_AT;

.print == the same event again changes nothing and is no tie
INSERT INTO log VALUES(1, 'Oslo', 'U', 20);
SELECT r.status, r.inserted, r.updated, r.unchanged, r.ties FROM flow, apply_changes(flow.f) AS r;

.print == another one at its instant is: the later arrival stands, and the run says so
INSERT INTO log VALUES(1, 'Bergen', 'U', 20);
SELECT r.status, r.inserted, r.updated, r.ties FROM flow, apply_changes(flow.f) AS r;
SELECT * FROM hist ORDER BY id, __START_AT;

.print == a late delete at 25, then an insert after all
INSERT INTO log VALUES(1, NULL, 'D', 25), (1, 'Rome', 'I', 60);
SELECT r.status, r.inserted, r.updated, r.deleted FROM flow, apply_changes(flow.f) AS r;
SELECT * FROM hist ORDER BY id, __START_AT;

.print == tie_break error names key and sequence
INSERT INTO log VALUES(1, 'Lima', 'I', 60);
SELECT * FROM apply_changes('{"source": "log", "target": "hist", "keys": "id",
  "sequence_by": "seq", "scd_type": 2, "apply_as_deletes": "op = ''D''",
  "except_column_list": "op, seq", "tie_break": "error"}');
.print == and tie_break first keeps what was there
SELECT status, rows_read, inserted, updated, ties
  FROM apply_changes('{"source": "log", "target": "hist", "keys": "id",
  "sequence_by": "seq", "scd_type": 2, "apply_as_deletes": "op = ''D''",
  "except_column_list": "op, seq", "tie_break": "first"}');
SELECT * FROM hist ORDER BY id, __START_AT;
