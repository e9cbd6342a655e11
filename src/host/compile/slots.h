/* Reserved places for constraints that are added while a world runs. They stand behind those of the scene within their
 * kind, so that adding one writes values and the incidence of its kind, and nothing moves. A place that is not taken
 * is a constraint that is absent (TAUT_LAW_ABSENT), and no node has it in its incidence. Blocks, lines, levels,
 * colours and factors do not know them. */
#ifndef TAUT_COMPILE_SLOTS_H
#define TAUT_COMPILE_SLOTS_H

#include "model/backend.h"

/* Whether the settings ask for any. */
bool slots_wanted(const taut_settings* settings);
/* Unknowns of all places, with factor rows. */
size_t slots_unknowns(const taut_settings* settings);
/* Adds them to sizes whose counts are those of the scene. */
void slots_count(const taut_settings* settings, taut_sizes* sizes);
/* What is the same of all of a kind, of its places from `from` on, and the list of their unknowns. After the bounds of
 * all rows. */
void slots_fill(const taut_sizes* sizes, taut_kind k, size_t from, taut_fields* fields);
void slots_list(const taut_sizes* sizes, taut_fields* fields);
/* Offsets and incidence of a kind without linear rows: nodes sum their constraints in order. */
void slots_incidence(const taut_sizes* sizes, taut_kind_fields* fields, taut_kind k);

#endif
