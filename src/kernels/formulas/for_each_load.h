/* Includes TAUT_LOAD_TEXT once per force element of kinds.h, as for_each_kind.h does. */
#define KIND solid
#include TAUT_LOAD_TEXT
#undef KIND
#define KIND surface
#include TAUT_LOAD_TEXT
#undef KIND
#define KIND attraction
#include TAUT_LOAD_TEXT
#undef KIND
#undef TAUT_LOAD_TEXT
