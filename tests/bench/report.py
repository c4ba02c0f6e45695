"""Prints what was measured."""

import statistics


class Report:
    """what: 'wall' or 'cpu', the seconds that ratios are taken of."""

    def __init__(self, cases, results, what='wall'):
        self.cases = cases
        self.results = results
        self.what = what

    def seconds(self, case, name):
        r = self.results.get(case, {}).get(name)
        return r and r[self.what]

    def best_sql(self, case):
        """The name of the quickest SQL written by hand, or None."""
        found = [(r[self.what], name)
                 for name, r in self.results.get(case, {}).items()
                 if name.startswith('sql')]
        return min(found)[1] if found else None

    def ratio(self, case, name, other=None):
        """Ours divided by a peer (of another case), or None."""
        ours = self.seconds(case, 'ours')
        peer = name and self.seconds(other or case, name)
        return ours / peer if ours and peer else None

    def judged(self, ratio, limit):
        """Two cells: the ratio, the limit and whether it is met."""
        if ratio is None:
            return ['', '']
        if limit is None:
            return ['%.2f' % ratio, '']
        if ratio <= limit:
            return ['%.2f' % ratio, '%.2f met' % limit]
        return ['%.2f' % ratio, '**%.2f missed**' % limit]

    def cell(self, case, name):
        s = self.seconds(case, name)
        return '' if s is None else '%.3f' % s

    def row(self, case):
        c, r = case.name, self.results[case.name]
        sql = self.best_sql(c)
        best = '%s %s' % (self.cell(c, sql), sql[4:]) if sql else ''
        written = ' / '.join('%.0f' % (r[x]['written'] / 1e6) if x in r
                             else '-' for x in ('ours', 'floor', sql))
        peak = '%.0f' % (r['ours']['peak_kb'] / 1024) if 'ours' in r else ''
        return (['%s: %s' % (c, case.title), self.cell(c, 'ours'),
                 self.cell(c, 'floor'), best]
                + self.judged(self.ratio(c, 'floor'), case.limit['floor'])
                + self.judged(self.ratio(c, sql), case.limit['sql'])
                + [written, peak])

    def main(self, rows):
        head = ['work, %s events' % format(rows, ','), 'ours s', 'floor s',
                'best SQL s', '/ floor', 'limit', '/ SQL', 'limit',
                'MB written: ours / floor / SQL', 'peak MB']
        out = [self.row(c) for c in self.cases if c.name in self.results]
        return markdown(head, out) if out else ''

    def others(self):
        """Ours against peers that are neither floor nor the best SQL, and
        against another case."""
        out = []
        for c in self.cases:
            r = self.results.get(c.name, {})
            for name in r:
                if name in ('ours', 'floor', self.best_sql(c.name)):
                    continue
                out.append(['%s / %s' % (c.name, name),
                            self.cell(c.name, name)]
                           + self.judged(self.ratio(c.name, name),
                                         c.limit.get(name)))
            if c.than and self.ratio(c.name, 'ours', c.than):
                out.append(['%s / %s' % (c.name, c.than),
                            self.cell(c.than, 'ours')]
                           + self.judged(self.ratio(c.name, 'ours', c.than),
                                         c.limit['than']))
        if not out:
            return ''
        return markdown(['ours against', 'its s', 'ratio', 'limit'], out)

    def noise(self):
        all_ = [r['spread'] for x in self.results.values()
                for r in x.values() if r['runs'] > 1]
        if not all_:
            return ''
        return ('Ratios of %s time, medians of interleaved runs; spread '
                '(max / min - 1): median %.0f %%, worst %.0f %%.' % (
                    self.what, 100 * statistics.median(all_),
                    100 * max(all_)))

    def text(self, rows, extra):
        out = [self.main(rows), self.others()]
        if extra:
            out.append(markdown(
                ['what', 'measured', 'limit'],
                [[e['what'], e['text'], e['limit'] if e['met'] is None else
                  '%s met' % e['limit'] if e['met'] else
                  '**%s missed**' % e['limit']] for e in extra]))
        return '\n\n'.join(x for x in out + [self.noise()] if x)


def line(case, result):
    """One line while the benchmark runs."""
    parts = ['%s %.3f s (cpu %.3f, %.0f MB, peak %.0f MB, spread %.0f %%)' % (
        name, r['wall'], r['cpu'], r['written'] / 1e6, r['peak_kb'] / 1024,
        100 * r['spread']) for name, r in result.items()]
    return '%-14s %s' % (case.name, '; '.join(parts))


def markdown(head, rows):
    out = ['| ' + ' | '.join(head) + ' |', '|---' * len(head) + '|']
    return '\n'.join(out + ['| ' + ' | '.join(r) + ' |' for r in rows])
