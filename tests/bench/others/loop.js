/* The row loop people write with better-sqlite3: loop.js MODULE DATABASE SCD.
** One transaction, statements prepared once, the log in its order. */
const [module_, file, scd] = process.argv.slice(2);
const Database = require(module_);
const fs = require('fs');

function written(){
  try {
    const io = fs.readFileSync('/proc/self/io', 'utf8');
    return Number(/wchar: (\d+)/.exec(io)[1]);
  } catch (e) {
    return 0;
  }
}

const db = new Database(file);
const upsert = scd === '1' && db.prepare('INSERT INTO scd1 '
  + 'VALUES(?,?,?,?,?,?,?) ON CONFLICT(customer_id) DO UPDATE SET '
  + 'name=excluded.name, email=excluded.email, city=excluded.city, '
  + 'balance=excluded.balance, _seq=excluded._seq, '
  + '_deleted=excluded._deleted WHERE excluded._seq > _seq');
const after = scd === '2' && db.prepare('SELECT min(__START_AT) FROM scd2 '
  + 'WHERE customer_id=? AND __START_AT>?').pluck();
const insert = scd === '2' && db.prepare('INSERT OR IGNORE INTO scd2 '
  + 'VALUES(?,?,?,?,?,?,?,?)');
const before = scd === '2' && db.prepare('UPDATE scd2 SET __END_AT=? WHERE '
  + 'customer_id=? AND __START_AT=(SELECT max(__START_AT) FROM scd2 WHERE '
  + 'customer_id=? AND __START_AT<?)');

/* A connection that iterates cannot write meanwhile: the log is read in
** pieces. */
const piece = db.prepare('SELECT id, customer_id, name, email, city, balance,'
  + ' op, seq FROM log WHERE id>? ORDER BY id LIMIT 10000');
const w = written();
const cpu = process.cpuUsage();
const t = process.hrtime.bigint();
db.exec('BEGIN');
for (let last = 0, rows; (rows = piece.all(last)).length; ) {
  for (const r of rows) {
    const dead = r.op === 'D' ? 1 : 0;
    if (scd === '1') {
      upsert.run(r.customer_id, r.name, r.email, r.city, r.balance, r.seq,
                 dead);
    } else {
      const end = after.get(r.customer_id, r.seq);
      insert.run(r.customer_id, r.name, r.email, r.city, r.balance, r.seq, end,
                 dead);
      before.run(r.seq, r.customer_id, r.customer_id, r.seq);
    }
  }
  last = rows[rows.length - 1].id;
}
db.exec('COMMIT');
const wall = Number(process.hrtime.bigint() - t) / 1e9;
const used = process.cpuUsage(cpu);
console.log(JSON.stringify({
  wall, user: used.user / 1e6, sys: used.system / 1e6,
  written: written() - w, peak_kb: process.resourceUsage().maxRSS
}));
