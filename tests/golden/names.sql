-- Names that need quotes, other schemas, TEMP tables of the same name.
.headers on
.nullvalue NULL
.print == blanks, dots, quotes and words of SQL in names
CREATE TABLE "order.log"("the key" INTEGER, "select" TEXT, "it's" TEXT, "seq no" INTEGER);
INSERT INTO "order.log" VALUES(1, 'a', 'x', 1), (1, 'b', 'y', 2);
SELECT target, status, rows_read, inserted FROM apply_changes('{"source": "order.log",
  "target": "my \"orders\"", "keys": ["the key"], "sequence_by": "seq no", "scd_type": 2}');
SELECT * FROM "my ""orders""" ORDER BY __START_AT;

.print == an attached database: target and state are there
ATTACH ':memory:' AS other;
CREATE TABLE other.log(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO other.log VALUES(1, 'other', 1);
CREATE TABLE log(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO log VALUES(1, 'main', 1);
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "other.log", "target": "other.t", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT * FROM other.t;
SELECT count(*) AS "in main" FROM main.sqlite_schema WHERE name = 't';
SELECT count(*)>0 AS "state beside it" FROM other.sqlite_schema WHERE name LIKE 'autocdc%';

.print == a TEMP table of the target's name is not touched
CREATE TEMP TABLE cur(id INTEGER, v TEXT, seq INTEGER);
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "main.log", "target": "main.cur", "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT count(*) AS "in temp" FROM temp.cur;
SELECT * FROM main.cur;

.print == a view, a SELECT, a STRICT WITHOUT ROWID target, names in other case
CREATE VIEW upper_log AS SELECT id, upper(v) AS v, seq FROM log;
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "upper_log", "target": "from_view", "keys": "ID", "sequence_by": "SEQ", "scd_type": 1}');
SELECT * FROM from_view;
CREATE TABLE strict_t(id INTEGER PRIMARY KEY, v TEXT, seq INTEGER) STRICT, WITHOUT ROWID;
SELECT status, rows_read, inserted FROM apply_changes(
  '{"source": "SELECT id + 1 AS id, v, seq FROM main.log", "target": "strict_t",
    "keys": "id", "sequence_by": "seq", "scd_type": 1}');
SELECT * FROM strict_t;

.print == keys in another order are the same keys
CREATE TABLE pairs(a INTEGER, b INTEGER, v TEXT, seq INTEGER);
INSERT INTO pairs VALUES(1, 2, 'x', 10), (2, 1, 'y', 5);
SELECT inserted, updated, late FROM apply_changes('{"target": "pair", "source": "pairs", "keys": "a, b",
  "sequence_by": "seq"}');
SELECT inserted, updated, late FROM apply_changes('{"target": "pair", "name": "again", "keys": "b, a",
  "source": "SELECT 1 AS a, 2 AS b, ''late'' AS v, 7 AS seq UNION ALL SELECT 2, 1, ''new'', 8",
  "sequence_by": "seq"}');
SELECT * FROM pair;
SELECT inserted FROM apply_changes('{"target": "pair", "source": "pairs", "keys": "a, v",
  "sequence_by": "seq"}');
