-- The history of this repository's files. log.csv and now.csv are written by
-- `run`: a line for each file that a commit changed; the files of today.
.mode box
.print
.print '2. The history of the files of this repository (git log)'
.print
CREATE TABLE git_log(n INTEGER, at TIMESTAMP, path TEXT, change TEXT, blob TEXT);
.import --csv log.csv git_log
CREATE TABLE git_now(path TEXT);
.import --csv now.csv git_now
.print 'The change log: A added, M modified, D deleted. First lines:'
SELECT * FROM git_log LIMIT 6;
SELECT max(n) AS commits, count(*) AS changes, count(DISTINCT path) AS paths FROM git_log;
.print
.print 'What is there now (SCD type 1):'
.print
.echo on
SELECT status, rows_read, inserted, ties, message FROM apply_changes('{
  "source": "git_log", "target": "files", "keys": "path",
  "sequence_by": "n", "scd_type": 1, "apply_as_deletes": "change = ''D''",
  "except_column_list": "change" }');
.echo off
SELECT * FROM files ORDER BY n DESC, path LIMIT 6;
SELECT count(*) AS merged, sum(path IN (SELECT path FROM git_now)) AS "in the tree of git",
       (SELECT count(*) FROM git_now) AS "files in the tree" FROM files;
.print
.print 'What each file was when (SCD type 2), by the time of its commit and its number:'
.print
.echo on
SELECT status, rows_read, inserted, ties, message FROM apply_changes('{
  "source": "git_log", "target": "files_history", "keys": "path",
  "sequence_by": ["at", "n"], "scd_type": 2, "apply_as_deletes": "change = ''D''",
  "column_list": "path, blob" }');
.echo off
.print
.print 'The files with the longest history:'
WITH top AS (
  SELECT path FROM files_history GROUP BY path ORDER BY count(*) DESC, path LIMIT 3
)
SELECT * FROM files_history WHERE path IN (SELECT path FROM top)
 ORDER BY path, __START_AT LIMIT 12;
