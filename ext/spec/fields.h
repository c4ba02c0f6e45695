/*
** Short names for the tables of fields.  Included by fields_*.c only.
*/
#ifndef ACDC_FIELDS_H
#define ACDC_FIELDS_H

#include "shapes.h"

#define TEXT   ACDC_T_TEXT
#define INT    ACDC_T_INT
#define BOOL   ACDC_T_BOOL
#define LIST   ACDC_T_LIST
#define OBJECT ACDC_T_OBJECT
#define ARRAY  ACDC_T_ARRAY
#define MAP    ACDC_T_MAP
#define RULES  ACDC_T_RULES
#define SCALAR ACDC_T_SCALAR
#define HON    ACDC_HOW_HONOURED
#define EXTRA  ACDC_HOW_EXTRA
#define STORED ACDC_HOW_STORED
#define WARN   ACDC_HOW_WARNED
#define REFUSE ACDC_HOW_REFUSED
#define REQ    ACDC_F_REQ
#define FILL   ACDC_F_FILL
#define SNAKE  ACDC_F_SNAKE
#define PLAIN  ACDC_F_PLAIN
#define ENV    ACDC_F_ENV
#define LAYER  ACDC_F_LAYER

#endif /* ACDC_FIELDS_H */
