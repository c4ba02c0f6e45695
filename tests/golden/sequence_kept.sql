-- Where the target keeps the sequence of its rows, state has the deletes only.
-- Every figure below follows from the rows: the greatest sequence decides.
CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER, op TEXT);
INSERT INTO log VALUES (1, 'a', 10, 'U'), (2, 'b', 10, 'U'), (3, 'c', 10, 'U'),
  (3, NULL, 20, 'D'), (4, NULL, 5, 'D'), (4, 'd', 10, 'U');
.mode list
.print == three rows; the deletes of 3 and 4 are remembered
SELECT inserted FROM apply_changes('{"target": "t", "source": "log", "keys": "id", "sequence_by": "seq",
  "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM t;
SELECT * FROM autocdc_state_1;
SELECT kept FROM autocdc_targets;

.print == late, newer, deleted, revived, tie: 2 inserted or updated by 20, one deleted
INSERT INTO log VALUES
  (1, 'late', 9, 'U'),                -- older than the row
  (2, 'new', 20, 'U'),                -- newer
  (3, 'late', 15, 'U'),               -- older than the delete
  (4, NULL, 20, 'D'),                 -- newer delete
  (5, NULL, 7, 'D'),                  -- a key never seen
  (1, NULL, 8, 'D');                  -- a late delete
SELECT inserted, updated, deleted, unchanged, late FROM apply_changes('{"target": "t", "source": "log",
  "keys": "id", "sequence_by": "seq", "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM t;
SELECT k1, seq FROM autocdc_state_1;
.print == against the deletes: 3 at 20 ties and takes over, 4 comes back at 30, 5 at 6 is late
INSERT INTO log VALUES (3, 'tie', 20, 'U'), (4, 'back', 30, 'U'), (5, 'late', 6, 'U'), (2, NULL, 20, 'D');
SELECT inserted, updated, deleted, unchanged, late, ties FROM apply_changes('{"target": "t", "source": "log",
  "keys": "id", "sequence_by": "seq", "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM t;
SELECT k1, seq FROM autocdc_state_1;
SELECT key, sequence, kind, shown FROM autocdc_state('t');
SELECT count(*) FROM autocdc_check('t');

.print == vacuum below 20: the deletes at 7 and 8 go, that at 20 stays
SELECT autocdc_vacuum('t', 20);
SELECT k1, seq FROM autocdc_state_1;

.print == a truncate at 25 leaves what is newer
CREATE TABLE cut(id INTEGER, v TEXT, seq INTEGER, op TEXT);
INSERT INTO cut VALUES (NULL, NULL, 25, 'T');
SELECT deleted FROM apply_changes('{"name": "cut", "target": "t", "source": "cut", "keys": "id", "sequence_by": "seq",
  "apply_as_truncates": "op = ''T''", "except_column_list": "op"}');
SELECT * FROM t;
SELECT count(*) FROM autocdc_state_1;

.print == a flow that emits other columns: from now on all is in the state
CREATE TABLE other(id INTEGER, w TEXT, at INTEGER);
INSERT INTO other VALUES (4, 'w29', 29), (4, 'w31', 31), (6, 'w26', 26);
SELECT inserted, updated FROM apply_changes('{"name": "other", "target": "t", "source": "other", "keys": "id",
  "sequence_by": "at", "except_column_list": "at"}');
SELECT * FROM t;
SELECT k1, seq FROM autocdc_state_1;
SELECT kept IS NULL FROM autocdc_targets;
INSERT INTO log VALUES (4, 'v30', 30.5, 'U'), (6, 'v27', 27, 'U');
SELECT inserted, updated FROM apply_changes('{"target": "t", "source": "log",
  "keys": "id", "sequence_by": "seq", "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT * FROM t;
SELECT count(*) FROM autocdc_check('t');

.print == a sequence that is no integer: the same
CREATE TABLE frac(id INTEGER, v TEXT, seq NUMERIC);
INSERT INTO frac VALUES (1, 'a', 1), (2, 'b', 1);
SELECT inserted FROM apply_changes('{"target": "f", "source": "frac", "keys": "id", "sequence_by": "seq"}');
SELECT count(*) FROM autocdc_state_2;
INSERT INTO frac VALUES (1, 'half', 1.5), (2, 'late', 0.5);
SELECT updated, late FROM apply_changes('{"target": "f", "source": "frac", "keys": "id", "sequence_by": "seq"}');
SELECT * FROM f;
SELECT k1, seq FROM autocdc_state_2;

.print == the column is dropped from the target: nothing is guessed
CREATE TABLE g_log(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO g_log VALUES (1, 'a', 1);
SELECT inserted FROM apply_changes('{"target": "g", "source": "g_log", "keys": "id", "sequence_by": "seq"}');
ALTER TABLE g DROP COLUMN seq;
SELECT * FROM apply_changes('{"target": "g", "source": "g_log", "keys": "id", "sequence_by": "seq"}');
SELECT problem FROM autocdc_check('g');
SELECT * FROM autocdc_state('g');
