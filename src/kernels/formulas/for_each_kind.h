/* Includes TAUT_KIND_TEXT once per kind of kinds.h, with KIND defined as its name: C's way to one loop text for all
 * formulas. No include guard: a file may do so several times. */
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
#define KIND travel
#include TAUT_KIND_TEXT
#undef KIND
#define KIND turn
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
#undef TAUT_KIND_TEXT
