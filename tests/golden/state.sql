-- Why a row looks as it does, what is broken, and what may be forgotten.
.headers on
.nullvalue NULL
.mode list
CREATE TABLE log(id INTEGER, city TEXT, note TEXT, op TEXT, seq INTEGER);
INSERT INTO log VALUES
  (1, 'Rome', 'a', 'U', 10), (1, 'Rome', 'b', 'U', 20), (1, 'Rome', 'c', 'U', 30),
  (1, 'Oslo', 'd', 'U', 50), (1, NULL, NULL, 'D', 60),
  (2, NULL, NULL, 'D', 40), (3, 'Lima', 'x', 'U', 45), (3, 'Lima', 'y', 'U', 55);

.print == a history: hidden members, deletes that end nothing
SELECT status, inserted, unchanged FROM apply_changes('{"target": "hist", "source": "log", "keys": "id",
  "sequence_by": "seq", "scd_type": 2, "apply_as_deletes": "op = ''D''",
  "column_list": "id, city, note", "track_history_column_list": "city"}');
SELECT * FROM hist ORDER BY id, __START_AT;
SELECT * FROM autocdc_state('hist');
.print == one key
SELECT sequence, kind, "values" FROM autocdc_state('hist', 3);
SELECT count(*) AS n FROM autocdc_state('hist', 4);
.print == all is well
SELECT * FROM autocdc_check('hist');

.print == a floor: what lies below is forgotten, and what comes below is late
SELECT autocdc_vacuum('hist', 45);
SELECT * FROM autocdc_state('hist');
SELECT * FROM autocdc_check('hist');
INSERT INTO log VALUES(2, 'Paris', 'z', 'U', 35), (1, 'Nice', 'n', 'U', 25), (1, 'Kiel', 'k', 'U', 52);
SELECT status, inserted, updated, unchanged, late FROM apply_changes('{"target": "hist", "source": "log",
  "keys": "id", "sequence_by": "seq", "scd_type": 2, "apply_as_deletes": "op = ''D''",
  "column_list": "id, city, note", "track_history_column_list": "city"}');
SELECT * FROM hist ORDER BY id, __START_AT;
SELECT * FROM autocdc_check('hist');
.print == a floor does not sink; without a sequence it is the oldest that is current
SELECT autocdc_vacuum('hist', 5);
SELECT autocdc_vacuum('hist');
SELECT autocdc_vacuum('hist', 52);
SELECT sequence, kind, "values", shown, run FROM autocdc_state('hist', 3);

.print == current state: tombstones
CREATE TABLE log1(a INTEGER, b TEXT, v TEXT, op TEXT, seq TIMESTAMP);
INSERT INTO log1 VALUES(1, 'x', 'v1', 'U', '2024-01-01 10:00:00'), (1, 'y', NULL, 'D', '2024-01-01 09:00:00'),
  (2, 'x', 'v2', 'U', '2024-01-02T00:00:00.5Z');
SELECT status, inserted FROM apply_changes('{"target": "cur", "source": "log1", "keys": "a, b",
  "sequence_by": "seq", "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM autocdc_state('cur');
SELECT key, kind FROM autocdc_state('cur', '[1,"y"]');
SELECT * FROM autocdc_state('cur', 1);
SELECT * FROM autocdc_check('cur');
SELECT autocdc_vacuum('cur');
SELECT * FROM autocdc_state('cur');

.print == per column: the events that still count
CREATE TABLE log2(id INTEGER, a TEXT, b TEXT, op TEXT, seq INTEGER);
INSERT INTO log2 VALUES(1, 'a1', 'b1', 'U', 1), (1, NULL, NULL, 'D', 2), (1, 'a3', NULL, 'U', 3),
  (1, NULL, 'b4', 'U', 4), (2, NULL, NULL, 'D', 1);
SELECT status, inserted FROM apply_changes('{"target": "part", "source": "log2", "keys": "id",
  "sequence_by": "seq", "apply_as_deletes": "op = ''D''", "except_column_list": "op, seq",
  "ignore_null_updates": true}');
SELECT * FROM autocdc_state('part');
SELECT * FROM autocdc_check('part');
SELECT autocdc_vacuum('part', 3);
SELECT * FROM autocdc_state('part');
SELECT * FROM autocdc_check('part');

.print == snapshots
SELECT status FROM apply_changes_from_snapshot('{"target": "snap", "source": "SELECT 1 AS id, 2 AS v",
  "keys": "id", "scd_type": 2, "version": 1}');
SELECT status FROM apply_changes_from_snapshot('{"target": "snap", "source": "SELECT 1 AS id, 3 AS v",
  "keys": "id", "scd_type": 2, "version": 2}');
SELECT * FROM autocdc_state('snap');
SELECT autocdc_vacuum('snap');
SELECT * FROM autocdc_check('snap');

.print == a bitemporal history
CREATE TABLE log3(id INTEGER, city TEXT, op TEXT, seq INTEGER, sys INTEGER);
INSERT INTO log3 VALUES(1, 'Rome', 'U', 10, 1), (1, 'Oslo', 'U', 20, 2), (1, 'Lima', 'U', 15, 3),
  (1, NULL, 'D', 30, 4), (1, 'Bern', 'U', 20, 5), (2, NULL, 'D', 5, 1);
SELECT status, inserted FROM apply_changes('{"target": "bit", "source": "log3", "keys": "id",
  "sequence_by": "seq", "system_sequence_by": "sys", "scd_type": "bitemporal",
  "apply_as_deletes": "op = ''D''", "except_column_list": "op, seq, sys"}');
SELECT *, system_sequence FROM autocdc_state('bit');
SELECT * FROM autocdc_check('bit');
SELECT autocdc_vacuum('bit');

.print == what is broken is found
UPDATE bit SET __END_AT = 18 WHERE city = 'Rome' AND __END_AT = 15;
DELETE FROM bit WHERE city = 'Bern';
SELECT * FROM autocdc_check('bit');
UPDATE hist SET __END_AT = 46 WHERE id = 1 AND __START_AT = 50;
INSERT INTO hist VALUES(1, 'Bonn', 'b', 55, NULL), (4, 'Bern', 'b', 1, 1), (5, 'Bern', 'b', 'soon', NULL),
  (6, 'Bern', 'b', 1, 2), (6, 'Bern', 'c', 2, NULL);
DELETE FROM hist WHERE id = 3;
SELECT * FROM autocdc_check('hist') ORDER BY 1, 2, 3;
DELETE FROM cur WHERE a = 1;
INSERT INTO cur VALUES(9, 'z', 'by hand', NULL);
SELECT * FROM autocdc_check('cur');
DELETE FROM part;
SELECT * FROM autocdc_check('part');
INSERT INTO snap VALUES(6, 0, 1, 2), (6, 0, 2, NULL);
SELECT * FROM autocdc_check('snap');
DROP TABLE snap;
SELECT * FROM autocdc_check('snap');

.print == misuse
SELECT * FROM autocdc_state('nobody');
SELECT * FROM autocdc_check(NULL);
SELECT * FROM autocdc_check();
SELECT * FROM autocdc_state('snap');
SELECT autocdc_vacuum('hist', 'soon');
SELECT autocdc_vacuum('hist', NULL);
CREATE VIEW v AS SELECT autocdc_vacuum('hist');
SELECT * FROM v;
