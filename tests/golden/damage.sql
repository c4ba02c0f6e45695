-- State tables that someone has altered: messages, and never a crash.
CREATE TABLE s(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO s VALUES (1, 'a', 1), (1, 'a', 2), (1, 'a', 3), (1, 'b', 4);

.print == an SCD2 event of a kind that there is not
SELECT inserted, unchanged FROM apply_changes('{"source": "s", "target": "h", "keys": "id",
  "sequence_by": "seq", "scd_type": 2, "track_history_column_list": "v"}');
UPDATE autocdc_event_1 SET kind = 7;
INSERT INTO s VALUES (1, 'z', 2.5);
SELECT * FROM apply_changes('{"source": "s", "target": "h", "keys": "id",
  "sequence_by": "seq", "scd_type": 2, "track_history_column_list": "v"}');
SELECT * FROM autocdc_state('h');
SELECT problem FROM autocdc_check('h');

.print == an SCD1 key of a kind that there is not
SELECT inserted FROM apply_changes('{"source": "s", "target": "t", "keys": "id", "sequence_by": "seq"}');
UPDATE autocdc_state_2 SET kind = -2000000;
SELECT * FROM apply_changes('{"name": "more", "source": "SELECT 1 AS id, 0 AS seq, 5 AS w", "target": "t",
  "keys": "id", "sequence_by": "seq"}');
SELECT * FROM autocdc_state('t');
SELECT autocdc_reset('t');

.print == a row put into the target by hand, and the event that brings the same
CREATE TABLE s2(id INTEGER, v TEXT, seq INTEGER);
INSERT INTO s2 VALUES (1, 'a', 1);
SELECT inserted FROM apply_changes('{"source": "s2", "target": "u", "keys": "id", "sequence_by": "seq"}');
INSERT INTO u VALUES (5, 'x', 7);
INSERT INTO s2 VALUES (5, 'x', 7), (6, 'z', 8);
SELECT inserted, updated, unchanged FROM apply_changes('{"source": "s2", "target": "u", "keys": "id",
  "sequence_by": "seq"}');
SELECT * FROM u ORDER BY id;

.print == a bitemporal event of a kind that there is not
CREATE TABLE b(id INTEGER, v TEXT, seq INTEGER, sys INTEGER);
INSERT INTO b VALUES (1, 'a', 1, 1), (1, 'b', 2, 2);
SELECT inserted FROM apply_changes('{"source": "b", "target": "bt", "keys": "id", "sequence_by": "seq",
  "system_sequence_by": "sys", "scd_type": "bitemporal"}');
UPDATE autocdc_event_3 SET kind = 9;
INSERT INTO b VALUES (1, 'c', 1, 3);
SELECT * FROM apply_changes('{"source": "b", "target": "bt", "keys": "id", "sequence_by": "seq",
  "system_sequence_by": "sys", "scd_type": "bitemporal"}');

.print == an event that is shown at another time than it is sorted by
CREATE TABLE i(id INTEGER, v TEXT, at TIMESTAMP);
INSERT INTO i VALUES (1, 'a', '2026-01-01'), (1, 'a', '2026-01-02'), (1, 'a', '2026-01-03'), (1, 'b', '2026-01-04');
SELECT inserted FROM apply_changes('{"source": "i", "target": "it", "keys": "id", "sequence_by": "at", "scd_type": 2,
  "track_history_column_list": "v"}');
UPDATE autocdc_event_4 SET shown = '2026-01-09' WHERE shown = '2026-01-02';
SELECT kind FROM autocdc_state('it');
INSERT INTO i VALUES (1, 'c', '2026-01-02 12:00:00');
SELECT * FROM apply_changes('{"source": "i", "target": "it", "keys": "id", "sequence_by": "at", "scd_type": 2,
  "track_history_column_list": "v"}');
