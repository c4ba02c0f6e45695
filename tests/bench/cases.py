"""The rows of the table: which work, on which log, against whom, within
which limits."""

from shapes import Shape

INT = Shape('int')
TEXT = Shape('text', key='text')
COMPOSITE = Shape('composite', key='composite')
STAMP = Shape('stamp', stamp=True)
ZIPF = Shape('zipf', zipf=1)
NOOP = Shape('noop', wide=True, noop=0.5)
NULLS = Shape('nulls', null=0.3)


class Case:
    """kind: bulk = one batch into an empty target; one = one batch onto a
    filled one; inc = many small ones; wal = inc in WAL mode; late = one batch
    of events that are older than what the target has."""

    def __init__(self, name, title, shape, scd, kind='bulk', kept=False,
                 floor=None, sql=None, than=None, than_limit=None,
                 versions=0, ignore_null=False, tracked=False,
                 runs=False, duckdb=None):
        self.name = name
        self.title = title
        self.shape = shape
        self.scd = scd
        self.kind = kind
        self.kept = kept                # The target keeps the sequence
        self.limit = {'floor': floor, 'sql': sql, 'than': than_limit,
                      'duckdb 1': duckdb}
        self.than = than                # Name of a case to compare ours with
        self.versions = versions
        self.ignore_null = ignore_null
        self.tracked = tracked          # Not all columns are tracked
        self.runs = runs or tracked     # Neighbours may have equal values

    @property
    def small(self):
        """Many transactions, each on much larger tables."""
        return self.kind in ('inc', 'wal')


def all_cases():
    c = [
        Case('scd1', 'SCD1, empty target', INT, 1, floor=1.4, sql=0.75),
        Case('scd2', 'SCD2, empty target', INT, 2, floor=1.2, sql=0.45,
             duckdb=1.0)]
    for name, title, shape in (
            ('text', 'TEXT keys', TEXT),
            ('composite', 'composite keys', COMPOSITE),
            ('stamp', 'TEXT timestamps', STAMP),
            ('zipf', 'zipf keys', ZIPF)):
        c.append(Case('scd1-' + name, 'SCD1, ' + title, shape, 1, floor=1.6,
                      sql=0.85))
        c.append(Case('scd2-' + name, 'SCD2, ' + title, shape, 2, floor=1.6,
                      sql=0.60))
    c.append(Case('scd2-noop', 'SCD2, 5 of 10 tracked, half no-ops', NOOP, 2,
                  floor=1.5, sql=0.6, tracked=True))
    c.append(Case('one-scd1', 'SCD1, one batch on as many keys', INT, 1,
                  'one', floor=1.3, sql=1.0))
    c.append(Case('one-scd1-kept', 'the same, sequence kept', INT, 1, 'one',
                  kept=True, floor=1.3, sql=0.85))
    c.append(Case('one-scd2', 'SCD2, one batch on as many keys', INT, 2,
                  'one', floor=1.5, sql=0.60))
    for kind, title, floor in (('inc', 'small batches', 1.10),
                               ('wal', 'small batches, WAL', 1.0)):
        c.append(Case(kind + '-scd1', 'SCD1, ' + title, INT, 1, kind,
                      floor=floor))
        c.append(Case(kind + '-scd1-kept', 'the same, sequence kept', INT, 1,
                      kind, kept=True, floor=floor,
                      sql=1.0 if kind == 'inc' else 0.85))
        c.append(Case(kind + '-scd2', 'SCD2, ' + title, INT, 2, kind,
                      floor=floor, sql=0.85))
    c.append(Case('late-10', 'late events, 10 versions a key', INT, 2, 'late',
                  versions=10, sql=0.3))
    c.append(Case('late-1000', 'late events, 1,000 versions a key', INT, 2,
                  'late', versions=1000, sql=0.3, than='late-10',
                  than_limit=1.25))
    c.append(Case('late-null-10', 'late, ignore-null, 10 versions a key',
                  NULLS, 2, 'late', versions=10, ignore_null=True))
    c.append(Case('late-null-1000', 'late, ignore-null, 1,000 versions a key',
                  NULLS, 2, 'late', versions=1000, ignore_null=True,
                  than='late-null-10', than_limit=1.25))
    for scd in (1, 2):
        c.append(Case('null-scd%d-off' % scd, 'SCD%d, 30 %% NULLs' % scd,
                      NULLS, scd, runs=True))
        c.append(Case('null-scd%d' % scd, 'the same, ignore_null_updates',
                      NULLS, scd, ignore_null=True,
                      than='null-scd%d-off' % scd, than_limit=1.5))
    return c
