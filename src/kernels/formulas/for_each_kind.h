/* Includes TAUT_KIND_TEXT once per kind of kinds.h, with KIND defined as its name: C's way to one loop text for all
 * formulas. No include guard: a file may do so several times. With TAUT_LOAD_TEXT defined as well, force elements have
 * that text instead. docs/adding-a-constraint.md, "One expansion, in full", shows the result for one text and one kind.
 */
#define KIND distance
#include TAUT_KIND_TEXT
#undef KIND
#define KIND attachment
#include TAUT_KIND_TEXT
#undef KIND
#define KIND target
#include TAUT_KIND_TEXT
#undef KIND
#define KIND bend
#include TAUT_KIND_TEXT
#undef KIND
#define KIND membrane
#include TAUT_KIND_TEXT
#undef KIND
#define KIND tet_volume
#include TAUT_KIND_TEXT
#undef KIND
#define KIND tet_strain
#include TAUT_KIND_TEXT
#undef KIND
#define KIND prismatic
#include TAUT_KIND_TEXT
#undef KIND
#define KIND angular
#include TAUT_KIND_TEXT
#undef KIND
#define KIND alignment
#include TAUT_KIND_TEXT
#undef KIND
#define KIND segment
#include TAUT_KIND_TEXT
#undef KIND
#define KIND inertia
#include TAUT_KIND_TEXT
#undef KIND
#define KIND norm
#include TAUT_KIND_TEXT
#undef KIND
#define KIND contact
#include TAUT_KIND_TEXT
#undef KIND
#define KIND rolling
#include TAUT_KIND_TEXT
#undef KIND
#ifndef TAUT_LOAD_TEXT
#define TAUT_LOAD_TEXT TAUT_KIND_TEXT
#endif
#include "kernels/formulas/for_each_load.h"
#undef TAUT_KIND_TEXT
