/*
** Shapes that more than one file of tables uses.
*/
#ifndef ACDC_SHAPES_H
#define ACDC_SHAPES_H

#include "shape.h"

extern const AcdcShape acdcShapeNodespec;
extern const AcdcShape acdcShapeStandard;
extern const AcdcShape acdcShapeFlowSpec;
extern const AcdcShape acdcShapeViewSpec;
extern const AcdcShape acdcShapeTemplate;
extern const AcdcShape acdcShapeOnboarding;
extern const AcdcShape acdcShapeKinetiShift;

/* Parts of the Lakeflow formats (fields_lakeflow.c). */
extern const AcdcShape acdcShapeDelta;
extern const AcdcShape acdcShapeBatchFiles;
extern const AcdcShape acdcShapeCloudFiles;
extern const AcdcShape acdcShapeJoin;
extern const AcdcShape acdcShapeSql;
extern const AcdcShape acdcShapeFileOptions;
extern const AcdcShape acdcShapeTableOptions;
extern const AcdcShape acdcShapeCdc;
extern const AcdcShape acdcShapeSnapshot;
extern const AcdcShape acdcShapeMigration;
extern const AcdcShape acdcShapeQuarantineTable;
extern const AcdcShape acdcShapeFeatures;
extern const AcdcShape acdcShapeBatchSink;

#define ACDC_DOC_PYTHON \
  "Python code cannot run in SQLite: write it as SQL in a transformation"
#define ACDC_DOC_KAFKA \
  "there is no message broker: load the records into a table and read that " \
  "with a delta source"
#define ACDC_DOC_FORMAT \
  "SQLite reads csv and json files: convert them, or load them into a table"
#define ACDC_DOC_LAYOUT "SQLite has no such storage layout"

/* Modes of a read, in both spellings of the formats. */
#define ACDC_VALUES_MODE "stream|batch"

#endif /* ACDC_SHAPES_H */
