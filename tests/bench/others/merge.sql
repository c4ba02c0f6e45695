-- PostgreSQL: what one run does, in one transaction.  scd is set by the caller.
\set ON_ERROR_STOP 1
\set QUIET 1
DROP TABLE IF EXISTS scd1, scd2;
CREATE UNLOGGED TABLE scd1(customer_id integer PRIMARY KEY, name text,
  email text, city text, balance double precision, _seq integer NOT NULL,
  _deleted integer NOT NULL);
CREATE UNLOGGED TABLE scd2(customer_id integer NOT NULL, name text, email text,
  city text, balance double precision, __start_at integer NOT NULL,
  __end_at integer, _deleted integer NOT NULL,
  PRIMARY KEY(customer_id, __start_at));
CHECKPOINT;
SELECT clock_timestamp() AS t0 \gset
BEGIN;
\if :one
MERGE INTO scd1 t USING (SELECT DISTINCT ON (customer_id) * FROM log
  ORDER BY customer_id, seq DESC) l ON t.customer_id = l.customer_id
WHEN MATCHED AND l.seq > t._seq THEN UPDATE SET name = l.name,
  email = l.email, city = l.city, balance = l.balance, _seq = l.seq,
  _deleted = (l.op = 'D')::int
WHEN NOT MATCHED THEN INSERT VALUES (l.customer_id, l.name, l.email, l.city,
  l.balance, l.seq, (l.op = 'D')::int);
\else
INSERT INTO scd2 SELECT customer_id, name, email, city, balance, seq, nxt, 0
  FROM (SELECT *, lead(seq) OVER (PARTITION BY customer_id ORDER BY seq) nxt
        FROM log) x
  WHERE nxt IS DISTINCT FROM seq AND op <> 'D' ORDER BY customer_id, seq;
\endif
COMMIT;
SELECT extract(epoch FROM clock_timestamp() - :'t0') AS wall \gset
\echo :wall
