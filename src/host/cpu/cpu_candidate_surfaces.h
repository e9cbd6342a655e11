/* Pairs of one surface in the lists of candidates: they are looked for with boxes beside its mean motion. A pair whose
 * velocities are u and v is met from as far as |u - v| may close; |u - w| + |v - w| is no less for any w, which boxes
 * take as the drift of the scene for all pairs, and as that of the surface for its own. */
#ifndef TAUT_CPU_CPU_CANDIDATE_SURFACES_H
#define TAUT_CPU_CPU_CANDIDATE_SURFACES_H

#include "host/cpu/cpu_candidates.h"
#include "model/factors.h"

/* In the place of the surface of a node of a tree: below are leaves of several, or of none; no leaves. */
#define SURFACE_MIXED (TAUT_NO_NODE - 1)
#define SURFACE_EMPTY (TAUT_NO_NODE - 2)

/* Of which surface each item is. */
void candidate_surfaces_find(contact_candidates* c);
/* Means of surfaces now. */
void candidate_surfaces_mean(contact_candidates* c);
/* Whether one moves by more than `least`, m, beside the drift of the scene within `time`, s. */
bool candidate_surfaces_part(const contact_candidates* c, double time, double least);
/* The boxes `own`, after `box`: of a search for contacts, or, with the fields of its begin, of what moves in a part. */
void candidate_surfaces_boxes(contact_candidates* c, const taut_factors* step, const taut_fields* was);
/* In the order of the tree of all: surfaces of nodes; where they are apart a tree of reaches for their own, too. */
void candidate_surfaces_tree(contact_candidates* c, candidate_group group, uint32_t leaves);

#endif
