-- The package log of this machine. log.csv and now.csv are written by `run`.
.mode box
.print
.print '2. The package log of this machine (/var/log/dpkg.log)'
.print
CREATE TABLE dpkg_log(at TIMESTAMP, line INTEGER, package TEXT, version TEXT, state TEXT);
.import --csv log.csv dpkg_log
CREATE TABLE dpkg_now(package TEXT, version TEXT, state TEXT);
.import --csv now.csv dpkg_now
.print 'The change log: what happened to a package, by the second. First and last lines:'
SELECT * FROM (SELECT * FROM dpkg_log ORDER BY line LIMIT 4)
UNION ALL
SELECT * FROM (SELECT * FROM dpkg_log ORDER BY line DESC LIMIT 2) ORDER BY line;
SELECT count(*) AS changes, count(DISTINCT package) AS packages,
       min(at) AS "first", max(at) AS "last" FROM dpkg_log;
.print
.print 'What is installed now (SCD type 1). A package that goes is a delete.'
.print 'Many lines of one package share a second: their order by time is unknown, and'
.print 'the run says so. The later line stands.'
.print
.echo on
SELECT status, rows_read, inserted, ties, message FROM apply_changes('{
  "source": "dpkg_log", "target": "packages", "keys": "package",
  "sequence_by": "at", "scd_type": 1,
  "apply_as_deletes": "state IN (''not-installed'', ''config-files'')",
  "column_list": "package, version, state, at" }');
.echo off
SELECT * FROM packages ORDER BY at DESC, package LIMIT 6;
.print
.print 'What dpkg itself says of these packages today:'
SELECT count(*) AS merged,
       count(n.package) AS "known to dpkg",
       group_concat(CASE WHEN n.package IS NULL THEN p.package END, ', ') AS "not known",
       sum(p.version IS n.version) AS "same version",
       sum(p.state IS n.state) AS "same state"
  FROM packages p LEFT JOIN dpkg_now n USING(package);
.print
.print 'Their history (SCD type 2): a version for each version number. The line number is'
.print 'a second part of the sequence, so nothing ties.'
.print
.echo on
SELECT status, rows_read, inserted, ties, message FROM apply_changes('{
  "source": "dpkg_log", "target": "packages_history", "keys": "package",
  "sequence_by": ["at", "line"], "scd_type": 2,
  "apply_as_deletes": "state IN (''not-installed'', ''config-files'')",
  "column_list": "package, version, state",
  "track_history_column_list": "version" }');
.echo off
.print
.print 'The packages with the longest history:'
WITH top AS (
  SELECT package FROM packages_history
   GROUP BY package ORDER BY count(*) DESC, count(__END_AT) DESC, package LIMIT 3
)
SELECT package, version, __START_AT, __END_AT
  FROM packages_history WHERE package IN (SELECT package FROM top)
 ORDER BY package, __START_AT LIMIT 12;
SELECT count(*) AS versions, count(DISTINCT package) AS packages,
       sum(__END_AT IS NULL) AS "open", (SELECT count(*) FROM packages) AS "in the current table"
  FROM packages_history;
