-- Histories of many events: late values that flow far, truncates by the thousand, sequences
-- whose plain order is not theirs. What two calls make is what one makes.
CREATE TABLE s(id INTEGER, v INTEGER, w TEXT, op TEXT, seq INTEGER);
CREATE VIEW steps AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT i FROM n;

.print == a late value flows through 2000 versions, the next one from the middle on: each counts once
INSERT INTO s SELECT 1, i, NULL, 'U', 10 * i FROM steps WHERE i <= 2000;
SELECT inserted, updated, late FROM apply_changes('{"target": "flow", "source": "s", "keys": "id", "sequence_by": "seq",
  "scd_type": 2, "ignore_null_updates": true, "except_column_list": "op"}');
INSERT INTO s VALUES (1, NULL, 'a', 'U', 15), (1, NULL, 'b', 'U', 10005), (1, NULL, 'c', 'U', 10007);
SELECT inserted, updated, late FROM apply_changes('{"target": "flow", "source": "s", "keys": "id", "sequence_by": "seq",
  "scd_type": 2, "ignore_null_updates": true, "except_column_list": "op"}');
SELECT w, count(*), min(__START_AT), max(__START_AT) FROM flow GROUP BY w ORDER BY 3;
SELECT count(*) FROM autocdc_check('flow');

.print == 3000 truncates, some between the events of a key, at once and later
CREATE TABLE t(id INTEGER, v TEXT, op TEXT, seq INTEGER);
INSERT INTO t SELECT i % 100, 'a' || i % 3, 'U', 3 * i FROM steps WHERE i <= 3000;
SELECT inserted FROM apply_changes('{"target": "cut", "source": "t", "keys": "id", "sequence_by": "seq", "scd_type": 2,
  "apply_as_truncates": "op = ''T''", "scd2_truncates": "close", "except_column_list": "op, seq"}');
INSERT INTO t SELECT NULL, NULL, 'T', 3 * i + 1 FROM steps WHERE i <= 3000 ORDER BY i % 7;
INSERT INTO t VALUES (5, 'late', 'U', 20), (5, 'new', 'U', 20000);
SELECT rows_read, inserted, deleted FROM apply_changes('{"target": "cut", "source": "t", "keys": "id",
  "sequence_by": "seq", "scd_type": 2,
  "apply_as_truncates": "op = ''T''", "scd2_truncates": "close", "except_column_list": "op, seq"}');
SELECT count(*), count(__END_AT), sum(__END_AT = __START_AT + 1) FROM cut;
SELECT rows_read, inserted, unchanged FROM apply_changes('{"target": "once", "source": "t", "keys": "id",
  "sequence_by": "seq", "scd_type": 2,
  "apply_as_truncates": "op = ''T''", "scd2_truncates": "close", "except_column_list": "op, seq"}');
SELECT count(*) FROM (SELECT * FROM cut EXCEPT SELECT * FROM once);
SELECT count(*) FROM (SELECT * FROM once EXCEPT SELECT * FROM cut);
SELECT count(*) FROM autocdc_check('cut');

.print == a row that an event ends and a truncate cuts in one call counts once
CREATE TABLE r(id INTEGER, v TEXT, w TEXT, op TEXT, seq INTEGER);
INSERT INTO r VALUES (1, 'a', 'x', 'U', 16), (1, 'a', 'y', 'U', 21);
SELECT inserted FROM apply_changes('{"target": "run", "source": "r", "keys": "id", "sequence_by": "seq", "scd_type": 2,
  "apply_as_truncates": "op = ''T''", "scd2_truncates": "close", "except_column_list": "op, seq",
  "track_history_column_list": "v"}');
INSERT INTO r VALUES (NULL, NULL, NULL, 'T', 17), (1, 'b', 'z', 'U', 30);
SELECT inserted, updated FROM apply_changes('{"target": "run", "source": "r", "keys": "id", "sequence_by": "seq",
  "scd_type": 2,
  "apply_as_truncates": "op = ''T''", "scd2_truncates": "close", "except_column_list": "op, seq",
  "track_history_column_list": "v"}');
SELECT * FROM run;

.print == composite sequences: known events between the late ones
CREATE TABLE c(id INTEGER, v INTEGER, a INTEGER, b INTEGER);
INSERT INTO c SELECT 1, i, i / 10, i % 10 FROM steps WHERE i % 3;
SELECT inserted FROM apply_changes('{"target": "pairs", "source": "c", "keys": "id", "sequence_by": ["a", "b"],
  "scd_type": 2, "column_list": "id, v"}');
INSERT INTO c SELECT 1, i, i / 10, i % 10 FROM steps WHERE i % 3 = 0;
SELECT inserted, updated, late FROM apply_changes('{"target": "pairs", "source": "c", "keys": "id",
  "sequence_by": ["a", "b"], "scd_type": 2, "column_list": "id, v"}');
SELECT count(*), min(v), max(v), sum(__START_AT = printf('[%d,%d]', v / 10, v % 10)),
  sum(__END_AT = printf('[%d,%d]', (v + 1) / 10, (v + 1) % 10)) FROM pairs;
SELECT count(*) FROM autocdc_check('pairs');
