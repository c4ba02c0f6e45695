-- More keys than wait at a time, in batches that arrive in no order: what each
-- target shows is compared with plain SQL over all that has arrived.
CREATE TABLE all_events AS
WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i+1 FROM n WHERE i<19999)
SELECT (i*31 + i/7*13)%3000 AS id, 'v'||i AS v, (i*7919)%20011 AS seq,
  CASE WHEN (i*37)%19=0 THEN 'D' ELSE 'U' END AS op, i AS arrival FROM n;
CREATE TABLE log(id INTEGER, name TEXT, part INTEGER, v TEXT, seq INTEGER, at TEXT, op TEXT);
CREATE TABLE plans(target TEXT, keys TEXT, except_columns TEXT, sequence_by TEXT);
INSERT INTO plans VALUES
  ('kept', 'id', 'op', 'seq'), ('beside', 'id', 'op,seq', 'seq'),
  ('kept_text', 'name', 'op', 'seq'), ('beside_text', 'name', 'op,seq', 'seq'),
  ('kept_two', 'part,id', 'op', 'seq'), ('beside_two', 'part,id', 'op,seq', 'seq'),
  ('instants', 'id', 'op', 'at');
CREATE TABLE expected(id INTEGER PRIMARY KEY, v TEXT);
.headers off
.mode list
.once load.tmp
WITH bounds(lo, hi) AS (VALUES(0, 5000), (5000, 5010), (5010, 13000), (13000, 20000))
SELECT 'INSERT INTO log SELECT id, printf(''k%05d'', id), id%7, v, seq, strftime(''%Y-%m-%dT%H:%M:%S'', seq*60, ''unixepoch''), op
  FROM all_events WHERE arrival>=' || lo || ' AND arrival<' || hi || ';'
  || (SELECT group_concat(' SELECT status FROM apply_changes(' || quote(json_object('target', target, 'source', 'log',
       'keys', keys, 'sequence_by', sequence_by, 'apply_as_deletes', 'op = ''D''',
       'except_column_list', except_columns)) || ');', '') FROM plans)
  || ' DELETE FROM expected; INSERT INTO expected SELECT id, v FROM (SELECT id, v, op, max(seq) FROM log GROUP BY id)
       WHERE op<>''D'';'
  || (SELECT group_concat(' SELECT ' || quote(target) || ', count(*) FROM (SELECT * FROM (SELECT id, v FROM ' || target
       || ' EXCEPT SELECT id, v FROM expected) UNION ALL SELECT * FROM (SELECT id, v FROM expected EXCEPT SELECT id, v FROM '
       || target || '));', '') FROM plans)
  || ' SELECT count(*)>1000, (SELECT count(*) FROM kept)=count(*) FROM expected;'
FROM bounds ORDER BY lo;
.read load.tmp
.print == only deletes in the state of targets that keep the sequence, and no other problem
SELECT DISTINCT kind FROM autocdc_state_1;
SELECT count(*) FROM autocdc_state_1
  WHERE seq IS NOT (SELECT max(a.seq) FROM log a WHERE a.id=k1 AND a.op='D');
SELECT count(*) FROM autocdc_check('kept');
SELECT count(*) FROM autocdc_check('kept_two');
.print == a column joins, and the sequences go to the state: as many as keys
ALTER TABLE log ADD COLUMN w TEXT;
INSERT INTO log(id, name, part, v, seq, op, w) VALUES (1, 'k00001', 1, 'last', 30000, 'U', 'w');
SELECT inserted + updated FROM apply_changes('{"target": "kept", "source": "log", "keys": "id", "sequence_by": "seq",
  "apply_as_deletes": "op = ''D''", "except_column_list": "op"}');
SELECT count(*) FROM autocdc_state_1 WHERE seq IS NOT (SELECT max(a.seq) FROM log a WHERE a.id=k1);
SELECT (SELECT count(*) FROM autocdc_state_1)=(SELECT count(DISTINCT id) FROM log);
SELECT count(*) FROM autocdc_check('kept');
