-- A column that joins later is not filled across a delete, whenever and in
-- whichever batch the delete came; and it is filled where none lies between.
CREATE TABLE first(id INTEGER, v TEXT, seq INTEGER, op TEXT);
INSERT INTO first VALUES
  (1, NULL, 5, 'D'), (1, 'v7', 7, 'U'),       -- the delete in the same batch
  (2, NULL, 5, 'D'),                          -- the delete first
  (3, 'v7', 7, 'U'),                          -- the delete late
  (4, 'v7', 7, 'U'),                          -- no delete
  (5, NULL, 5, 'D'), (5, 'v7', 7, 'U'),       -- and the old event is newer
  (6, NULL, 2, 'D'), (6, 'v7', 7, 'U'),       -- and the old event is newer, too
  (7, 'v4', 4, 'U'), (7, NULL, 5, 'D'), (7, 'v6', 6, 'U'), (7, 'v7', 7, 'U');
CREATE TABLE second(id INTEGER, v TEXT, seq INTEGER, op TEXT);
INSERT INTO second VALUES (2, 'v7', 7, 'U'), (3, NULL, 5, 'D'), (5, NULL, 1, 'D');
CREATE TABLE third(id INTEGER, v TEXT, seq INTEGER, op TEXT, w TEXT);
INSERT INTO third VALUES (1, 'v3', 3, 'U', 'w3'), (2, 'v3', 3, 'U', 'w3'),
  (3, 'v3', 3, 'U', 'w3'), (4, 'v3', 3, 'U', 'w3'), (5, 'v6', 6, 'U', 'w6'),
  (6, 'v3', 3, 'U', 'w3'), (7, 'v3', 3, 'U', 'w3');

-- The same three batches into a target of each kind
CREATE TEMP TABLE kinds(target TEXT, extra TEXT);
INSERT INTO kinds VALUES
  ('plain', '{}'),
  ('kept', '{"except_column_list": "op"}'),
  ('fail_on_tie', '{"tie_break": "error"}'),
  ('no_nulls', '{"ignore_null_updates": true}'),
  ('composite', '{"sequence_by": ["seq", "id"]}'),
  ('instant', '{"sequence_by": "printf(''2026-01-%02d'', seq)"}'),
  ('null_keys', '{"null_keys": "match"}');
CREATE TEMP TABLE batches(source TEXT);
INSERT INTO batches VALUES ('first'), ('second'), ('third');

.headers off
.mode list
.once joins_later.tmp
SELECT 'SELECT target, status FROM apply_changes(' || quote(json_patch(json_object(
    'target', target, 'source', source, 'name', target || source, 'keys', 'id', 'sequence_by', 'seq',
    'apply_as_deletes', 'op = ''D''', 'except_column_list', 'op, seq'), extra)) || ');'
  FROM kinds, batches ORDER BY kinds.rowid, batches.rowid;
.read joins_later.tmp
.print == v7 everywhere; w3 only where no delete lies between, and w6
SELECT 'plain', id, v, quote(w) FROM plain;
SELECT 'kept', id, v, quote(w) FROM kept;
SELECT 'fail_on_tie', id, v, quote(w) FROM fail_on_tie;
SELECT 'no_nulls', id, v, quote(w) FROM no_nulls;
SELECT 'composite', id, v, quote(w) FROM composite;
SELECT 'instant', id, v, quote(w) FROM instant;
SELECT 'null_keys', id, v, quote(w) FROM null_keys;
SELECT count(*) FROM autocdc_check('plain');

.print == the first flow had keys alone: v comes from the event before, w from none
CREATE TABLE keys_only(id INTEGER, seq INTEGER);
INSERT INTO keys_only VALUES (1, 20), (2, 20);
CREATE TABLE values_later(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO values_later VALUES (1, 'v10', 10), (3, 'v10', 10);
SELECT status FROM apply_changes('{"target": "bare", "source": "keys_only", "keys": "id", "sequence_by": "seq",
  "except_column_list": "seq"}');
SELECT inserted, updated FROM apply_changes('{"target": "bare", "source": "values_later", "keys": "id",
  "sequence_by": "seq", "except_column_list": "seq"}');
SELECT id, quote(v) FROM bare;

.print == all columns but v inherit: also n, which joins later, so that 1 and 2 are one version
CREATE TABLE without_n(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO without_n VALUES (1, 'a', 2);
CREATE TABLE with_n(id INTEGER, v TEXT, n INTEGER, seq INTEGER);
INSERT INTO with_n VALUES (1, 'a', 10, 1);
SELECT status FROM apply_changes('{"target": "h", "source": "without_n", "keys": "id", "sequence_by": "seq",
  "scd_type": 2, "except_column_list": "seq", "ignore_null_updates_except_column_list": "v"}');
SELECT inserted, updated FROM apply_changes('{"target": "h", "source": "with_n", "keys": "id", "sequence_by": "seq",
  "scd_type": 2, "except_column_list": "seq"}');
SELECT id, v, n, __START_AT, quote(__END_AT) FROM h;
