-- All or nothing, inside and outside the caller's transaction.
.headers on
.nullvalue NULL
CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO log VALUES(1, 'a', 1), (2, 'b', 2);

.print == inside a transaction: rolled back with it, the checkpoint too
BEGIN;
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "log", "target": "t", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT count(*) AS n FROM t;
ROLLBACK;
SELECT count(*) AS tables FROM sqlite_schema WHERE name = 't' OR name LIKE 'autocdc%';
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "log", "target": "t", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT * FROM t ORDER BY id;

.print == a failing call leaves nothing, and the caller's own work stays
BEGIN;
INSERT INTO log VALUES(3, 'c', 3), (4, 'd', NULL);
SELECT * FROM apply_changes(
  '{"source": "log", "target": "t", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT * FROM t ORDER BY id;
COMMIT;
SELECT count(*) AS n FROM log;
DELETE FROM log WHERE seq IS NULL;
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "log", "target": "t", "keys": "id", "sequence_by": "seq", "scd_type": 1}');

.print == refused inside a statement that writes, before anything is written
INSERT INTO log VALUES(5, 'e', 5);
CREATE TABLE report AS SELECT * FROM apply_changes(
  '{"source": "log", "target": "t", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
CREATE TABLE report(target, inserted);
INSERT INTO report SELECT target, inserted FROM apply_changes(
  '{"source": "log", "target": "t", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT count(*) AS n FROM t;
SELECT count(*) AS n FROM report;

.print == a constraint of the target: nothing of the call stays
CREATE TABLE checked(id INTEGER PRIMARY KEY, v TEXT CHECK( v<>'bad' ), seq INTEGER);
INSERT INTO log VALUES(6, 'bad', 6);
SELECT * FROM apply_changes(
  '{"source": "log", "target": "checked", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT count(*) AS n FROM checked;
UPDATE log SET v = 'good' WHERE id = 6;
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "log", "target": "checked", "keys": "id", "sequence_by": "seq", "scd_type": 1}');

.print == a dry run writes nothing
INSERT INTO log VALUES(7, 'g', 7);
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "log", "target": "checked", "keys": "id", "sequence_by": "seq", "scd_type": 1}',
  '{"dry_run": true}');
SELECT max(id) AS m FROM checked;
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "log", "target": "checked", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT max(id) AS m FROM checked;
