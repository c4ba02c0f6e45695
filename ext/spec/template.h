/*
** Templates: a spec with placeholders, and sets of parameters for it.
*/
#ifndef ACDC_TEMPLATE_H
#define ACDC_TEMPLATE_H

#include "spec.h"

/* The reader of template uses: reads each spec that comes of one. */
void acdcReadTemplate(AcdcSpecRead*, const AcdcJsonNode*);

/* Read a document into the spec of the reader (detect.c). */
void acdcReadDocument(AcdcSpecRead*, AcdcJsonNode*);

#endif /* ACDC_TEMPLATE_H */
