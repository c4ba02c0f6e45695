-- What goes wrong in a first hour, and what the message says: each must name
-- the mistake, its place and the way out.
CREATE TABLE customers_cdc(customer_id INTEGER, name TEXT, op TEXT, seq INTEGER);
INSERT INTO customers_cdc VALUES(1, 'Ada', 'I', 1), (2, 'Bob', 'I', 2), (2, NULL, 'D', 3);

.print == no such source
SELECT * FROM apply_changes('{"source": "customer_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 1}');

.print == a mistyped key
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "custmer_id", "sequence_by": "seq", "scd_type": 1}');

.print == a mistyped sequence column
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "sqe", "scd_type": 1}');

.print == a mistyped column in the except list
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "except_column_list": "op, sequ"}');

.print == a mistyped member
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "key": "customer_id", "sequence_by": "seq", "scd_type": 1}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "apply_as_delete": "op = ''D''"}');

.print == members that are missing
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t", "sequence_by": "seq"}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t", "keys": "customer_id"}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "keys": "customer_id", "sequence_by": "seq"}');

.print == double quotes around a text in a condition
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "apply_as_deletes": "op = \"D\""}');

.print == a condition with a column that is not there, and one that does not parse
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "apply_as_deletes": "opp = ''D''"}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "apply_as_deletes": "op = ''D"}');

.print == JSON that is cut short, or has a comma too many
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t"');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq",}');

.print == a value that a member does not take
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 3}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "tie_break": "newest"}');

.print == both lists, a key that is not selected, tracking without history
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t", "keys": "customer_id",
  "sequence_by": "seq", "column_list": "customer_id, name", "except_column_list": "op"}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t", "keys": "customer_id",
  "sequence_by": "seq", "column_list": "name"}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t", "keys": "customer_id",
  "sequence_by": "seq", "scd_type": 1, "track_history_column_list": "name"}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t", "keys": "customer_id",
  "sequence_by": "seq", "scd_type": 2, "apply_as_truncates": "op = ''T''"}');

.print == NULL, a name that nothing has, a number
SELECT * FROM apply_changes(NULL);
SELECT * FROM apply_changes('customers');
SELECT * FROM apply_changes(42);

.print == no sequence or no key in a row
INSERT INTO customers_cdc VALUES(3, 'Cyd', 'I', NULL), (4, 'Dan', 'I', NULL);
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 1}');
UPDATE customers_cdc SET seq = customer_id + 1, customer_id = NULL WHERE seq IS NULL;
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 1}');
DELETE FROM customers_cdc WHERE customer_id IS NULL;

.print == a sequence of another class
INSERT INTO customers_cdc VALUES(3, 'Cyd', 'I', 'soon');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 1}');
DELETE FROM customers_cdc WHERE customer_id = 3;

.print == after all that nothing was made
SELECT count(*) FROM sqlite_schema WHERE name <> 'customers_cdc';

.print == what is frozen: scd_type and keys of a target that is there
SELECT status, inserted FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 1, "apply_as_deletes": "op = ''D''"}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 2}');
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "t",
  "keys": "name", "sequence_by": "seq", "scd_type": 1}');

.print == reset of a target that is none
SELECT autocdc_reset('customers_cdc');
SELECT autocdc_reset('tt');

.print == a target that cannot hold a history
CREATE TABLE one_each(customer_id INTEGER PRIMARY KEY, name TEXT, __START_AT, __END_AT);
SELECT * FROM apply_changes('{"source": "customers_cdc", "target": "one_each",
  "keys": "customer_id", "sequence_by": "seq", "scd_type": 2, "column_list": "customer_id, name"}');

.print == the header of a CSV file, imported as a row
CREATE TABLE imported(id TEXT, name TEXT, seq TEXT);
INSERT INTO imported VALUES('1', 'Ada', '1'), ('id', 'name', 'seq'), ('2', 'Bob', '2');
SELECT * FROM apply_changes('{"source": "imported", "target": "i",
  "keys": "id", "sequence_by": "seq", "scd_type": 1}');
