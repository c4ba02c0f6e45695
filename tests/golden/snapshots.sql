-- A whole table at a time: what differs from the target is written.
.headers on
.nullvalue NULL
CREATE TABLE day1(id INTEGER, city TEXT, seen TEXT);
CREATE TABLE day2(id INTEGER, city TEXT, seen TEXT);
CREATE TABLE day3(id INTEGER, city TEXT, seen TEXT);
CREATE TABLE no_rows(id INTEGER, city TEXT, seen TEXT);
INSERT INTO day1 VALUES(1, 'Rome', 'mon'), (2, 'Oslo', 'mon'), (3, 'Lima', 'mon');
INSERT INTO day2 VALUES(3, 'Lima', 'tue'), (2, 'Bergen', 'tue'), (4, 'Kiel', 'tue');
INSERT INTO day3 VALUES(1, 'Rome', 'wed'), (2, 'Bergen', 'tue'), (3, 'Lima', 'tue');

.print == a history: the version is where rows begin and end; "seen" is not tracked
SELECT status, rows_read, inserted, updated, deleted, unchanged, message
  FROM apply_changes_from_snapshot('{"target": "hist", "source": "day1", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": 1}');
SELECT status, rows_read, inserted, updated, deleted, unchanged, snapshot_version
  FROM apply_changes_from_snapshot('{"target": "hist", "source": "day2", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": 2}');
SELECT * FROM hist ORDER BY id, __START_AT;

.print == a key that returns opens a new version; what is equal is not written
SELECT status, rows_read, inserted, updated, deleted, unchanged
  FROM apply_changes_from_snapshot('{"target": "hist", "source": "day3", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": 3}');
SELECT * FROM hist ORDER BY id, __START_AT;

.print == an older version is skipped, whatever it holds
ALTER TABLE day1 ADD COLUMN extra;
SELECT status, rows_read, snapshot_version, message
  FROM apply_changes_from_snapshot('{"target": "hist", "source": "day1", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": 2}');
ALTER TABLE day1 DROP COLUMN extra;
.print == versions keep their class
SELECT * FROM apply_changes_from_snapshot('{"target": "hist", "source": "day1", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": "2024-01-01"}');
SELECT * FROM apply_changes_from_snapshot('{"target": "hist", "source": "day1", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen"}');
SELECT * FROM apply_changes_from_snapshot('{"target": "hist", "source": "day1", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": null}');

.print == an empty snapshot: skipped, a stop, or applied
SELECT status, inserted, updated, message
  FROM apply_changes_from_snapshot('{"target": "hist", "source": "no_rows", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": 4,
    "on_empty_snapshot": "skip"}');
SELECT status, inserted, updated, message
  FROM apply_changes_from_snapshot('{"target": "hist", "source": "no_rows", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": 4,
    "on_empty_snapshot": "stop"}');
SELECT count(*) AS open FROM hist WHERE __END_AT IS NULL;
SELECT status, inserted, updated, message
  FROM apply_changes_from_snapshot('{"target": "hist", "source": "no_rows", "keys": "id",
    "scd_type": 2, "track_history_except_column_list": "seen", "version": 4}');
SELECT count(*) AS open FROM hist WHERE __END_AT IS NULL;

.print == a current-state table; a dry run leaves nothing
SELECT status, inserted, updated, deleted, unchanged, message
  FROM apply_changes_from_snapshot('{"target": "cur", "source": "day1", "keys": "id", "version": 1}',
    '{"dry_run": true}');
SELECT count(*) AS made FROM sqlite_schema WHERE name = 'cur';
SELECT status, inserted, updated, deleted, unchanged
  FROM apply_changes_from_snapshot('{"target": "cur", "source": "day1", "keys": "id", "version": 1}');
SELECT status, inserted, updated, deleted, unchanged
  FROM apply_changes_from_snapshot('{"target": "cur", "source": "day3", "keys": "id", "version": 2}');
SELECT * FROM cur;
SELECT status, inserted, updated, deleted, unchanged
  FROM apply_changes_from_snapshot('{"target": "cur", "source": "day2", "keys": "id", "version": 3}');
SELECT * FROM cur;

.print == a key twice
INSERT INTO day3 VALUES(2, 'Bergen', 'tue'), (3, 'Lima', 'thu');
SELECT * FROM apply_changes_from_snapshot('{"target": "cur", "source": "day3", "keys": "id", "version": 4}');
SELECT * FROM apply_changes_from_snapshot('{"target": "cur", "source": "day3", "keys": "id", "version": 4,
    "deduplicate_mode": "full_row"}');
SELECT status, inserted, updated, deleted, unchanged, message
  FROM apply_changes_from_snapshot('{"target": "cur", "source": "day3", "keys": "id", "version": 4,
    "deduplicate_mode": "keys_only"}');
SELECT * FROM cur;

.print == without "version" it is the time of the run, and later than the last
SELECT status, inserted, length(snapshot_version) AS n
  FROM apply_changes_from_snapshot('{"target": "now", "source": "day1", "keys": "id", "scd_type": 2}');
SELECT status, inserted, updated, unchanged
  FROM apply_changes_from_snapshot('{"target": "now", "source": "day2", "keys": "id", "scd_type": 2}');
SELECT status, inserted, updated, unchanged
  FROM apply_changes_from_snapshot('{"target": "now", "source": "day1", "keys": "id", "scd_type": 2}');
SELECT count(*) AS versions, count(DISTINCT __START_AT) AS starts, sum(__END_AT IS NULL) AS open,
  sum(__START_AT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]') AS well_formed,
  sum(__END_AT <= __START_AT) AS bad FROM now;

.print == rows of the user's are taken over if that is wanted
CREATE TABLE mine(id INTEGER PRIMARY KEY, city TEXT, note TEXT DEFAULT 'new');
INSERT INTO mine VALUES(1, 'Rome', 'kept'), (9, 'Nice', 'kept');
SELECT * FROM apply_changes_from_snapshot('{"target": "mine", "source": "SELECT id, city FROM day1",
    "keys": "id", "version": 1}');
SELECT status, inserted, updated, deleted, unchanged, message
  FROM apply_changes_from_snapshot('{"target": "mine", "source": "SELECT id, city FROM day1",
    "keys": "id", "version": 1, "adopt": true}');
SELECT * FROM mine;
CREATE TABLE old(id INTEGER, city TEXT, __START_AT, __END_AT);
INSERT INTO old VALUES(1, 'Paris', 5, 7), (1, 'Rome', 7, NULL), (8, 'Bonn', 5, NULL);
SELECT * FROM apply_changes_from_snapshot('{"target": "old", "source": "SELECT id, city FROM day1",
    "keys": "id", "version": 7, "adopt": true, "scd_type": 2}');
SELECT status, inserted, updated, deleted, unchanged, message
  FROM apply_changes_from_snapshot('{"target": "old", "source": "SELECT id, city FROM day1",
    "keys": "id", "version": 8, "adopt": true, "scd_type": 2}');
SELECT * FROM old ORDER BY id, __START_AT;

.print == snapshots and change rows do not share a target
SELECT * FROM apply_changes('{"target": "cur", "source": "SELECT *, 9 AS seq FROM day1", "keys": "id",
    "sequence_by": "seq"}');
.print == misuse
SELECT * FROM apply_changes_from_snapshot('cur');
SELECT * FROM apply_changes_from_snapshot(NULL);
SELECT * FROM apply_changes_from_snapshot();
SELECT * FROM apply_changes_from_snapshot('{"target": "cur", "source": "day1", "keys": "id", "sequence_by": "seen"}');
SELECT autocdc_reset('cur');
