/* What calls share that change which constraints a world has. */
#ifndef TAUT_WORLD_WORLD_CHANGES_H
#define TAUT_WORLD_WORLD_CHANGES_H

#include "host/world/world_data.h"

/* Forces and impulses of the rows of constraint c (a number inside) become 0: what is absent must not act, and what
 * comes back begins anew. */
taut_status world_clear_rows(taut_world* world, taut_kind k, size_t c);
/* Constraints have come or gone: the next use evaluates. */
void world_note_change(taut_world* world);
/* Whether what is written is not what is there. */
bool world_differ(const double* a, const double* b, size_t count);
/* Incidence of a kind with reserved places, from the nodes of its constraints. */
taut_status world_send_incidence(taut_world* world, taut_kind k);
/* What constraints join, from those that are there. */
taut_status world_send_joined(taut_world* world);
/* Both, of all kinds. */
taut_status world_send_places(taut_world* world);

#endif
