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
