-- The worked example of the Databricks AUTO CDC documentation for bitemporal
-- tables: a company's data, when it held and when it was known.
.headers on
.nullvalue NULL
CREATE TABLE companies_cdf(
  company TEXT, data TEXT, operation TEXT, bt TEXT, st TEXT
);
CREATE TEMP VIEW flow(flow) AS SELECT
  '{"source": "companies_cdf", "target": "companies", "keys": "company",
    "sequence_by": "bt", "system_sequence_by": "st", "scd_type": "bitemporal",
    "apply_as_deletes": "operation = ''DELETE''",
    "except_column_list": "operation, bt, st"}';
CREATE TEMP VIEW shown AS
  SELECT data, time(__START_AT) AS "start", time(__END_AT) AS "end",
         time(__SYSTEM_START_AT) AS sys_start, time(__SYSTEM_END_AT) AS sys_end
    FROM companies ORDER BY __SYSTEM_START_AT, __START_AT;

.print == 1 known at 10:05
INSERT INTO companies_cdf VALUES
  ('A', 'XFv1', 'INSERT', '2025-07-18 10:01:00', '2025-07-18 10:05:00');
SELECT status, rows_read, inserted, updated, deleted, message
  FROM apply_changes((SELECT flow FROM flow));
SELECT * FROM shown;

.print == 2 known at 12:20
INSERT INTO companies_cdf VALUES
  ('A', 'XFv2', 'UPDATE', '2025-07-18 12:15:43', '2025-07-18 12:20:00');
SELECT inserted, updated, deleted FROM apply_changes((SELECT flow FROM flow));
SELECT * FROM shown;

.print == 3 known at 12:25: out of order on the business axis
INSERT INTO companies_cdf VALUES
  ('A', 'XFv3', 'UPDATE', '2025-07-18 12:05:00', '2025-07-18 12:25:00');
SELECT inserted, updated, deleted FROM apply_changes((SELECT flow FROM flow));
SELECT * FROM shown;

.print == 4 known at 12:30: the delete
INSERT INTO companies_cdf VALUES
  ('A', NULL, 'DELETE', '2025-07-18 12:30:00', '2025-07-18 12:30:00');
SELECT inserted, updated, deleted FROM apply_changes((SELECT flow FROM flow));
SELECT * FROM shown;

.print == read again from its start: nothing changes
SELECT inserted, updated, deleted, unchanged
  FROM apply_changes((SELECT json_set(flow, '$.read', 'all') FROM flow));

.print == the same events backwards: the same table
CREATE TABLE backwards AS
  SELECT * FROM companies_cdf ORDER BY st DESC;
SELECT rows_read, inserted
  FROM apply_changes((SELECT json_set(flow, '$.source', 'backwards',
                                      '$.target', 'companies2') FROM flow));
SELECT count(*) AS differences FROM (
  SELECT * FROM (SELECT * FROM companies EXCEPT SELECT * FROM companies2)
  UNION ALL
  SELECT * FROM (SELECT * FROM companies2 EXCEPT SELECT * FROM companies));

.print == what the table is, for any tool
SELECT name, type, pk FROM pragma_table_info('companies');
SELECT sql FROM sqlite_schema WHERE name = 'companies';

.print == mistakes
INSERT INTO companies_cdf VALUES('B', 'x', 'INSERT', '2025-07-18 10:00:00', NULL);
SELECT status FROM apply_changes((SELECT flow FROM flow));
DELETE FROM companies_cdf WHERE company = 'B';
CREATE TABLE own(company TEXT, data TEXT, __START_AT, __END_AT);
SELECT status FROM apply_changes((SELECT json_set(flow, '$.target', 'own') FROM flow));
ALTER TABLE own ADD COLUMN __SYSTEM_START_AT;
ALTER TABLE own ADD COLUMN __SYSTEM_END_AT;
CREATE UNIQUE INDEX own_key ON own(company, __START_AT);
SELECT status FROM apply_changes((SELECT json_set(flow, '$.target', 'own') FROM flow));
DROP INDEX own_key;
INSERT INTO own VALUES('A', 'old', 1, NULL, 1, NULL);
SELECT status FROM apply_changes((SELECT json_set(flow, '$.target', 'own') FROM flow));
DELETE FROM own;
SELECT status, inserted, message
  FROM apply_changes((SELECT json_set(flow, '$.target', 'own') FROM flow));
SELECT count(*) FROM own;
