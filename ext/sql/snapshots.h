/*
** Snapshot versions as SQL: see snapshots.c.
*/
#ifndef ACDC_SNAPSHOTS_H
#define ACDC_SNAPSHOTS_H

#include "../core/core.h"

/* Register autocdc_snapshots. */
int acdcSnapshotsRegister(sqlite3 *db);

#endif /* ACDC_SNAPSHOTS_H */
