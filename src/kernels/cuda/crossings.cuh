/* Continuous collision detection on the device: what a WHILE node over the attempts at a part of a substep holds beside
 * the substep itself (kernels/stages/contact/crossing.h, zones.h; the order: step_graph.cu). */
#ifndef TAUT_CUDA_CROSSINGS_CUH
#define TAUT_CUDA_CROSSINGS_CUH

#include "kernels/cuda/collide.cuh"

/* Loops of a part: the substep again; one round that takes it back before that; rounds of zones. */
typedef struct taut_crossing_loops {
    loop_handle rounds, again, zones;
} taut_crossing_loops;

/* A part begins: sets the handle `rounds`. */
void cuda_begin_crossings(const taut_view& view, const taut_crossing_loops& loops, taut_launch* launch);
/* Whether anything would pass through anything between the state that was kept and the current one. */
void cuda_find_crossings(const taut_view& view, taut_launch* launch);
/* After that search: sets all handles. */
void cuda_judge_crossings(const taut_view& view, const taut_crossing_loops& loops, taut_launch* launch);
/* What is tangled at the start of a substep, after the trees are built, and the rows by which it parts (tangles.cu). */
void cuda_find_tangles(const taut_view& view, taut_launch* launch);
/* Tangles that would pass through something stay as they are; what they would pass through is no crossing. */
void cuda_leave_tangles(const taut_view& view, taut_launch* launch);
/* The pairs that were found become contacts, before the state is restored; then closes `again`. */
void cuda_list_crossings(const taut_view& view, const taut_collide_scratch& scratch, taut_launch* launch);
void cuda_again_crossings(const taut_view& view, const taut_crossing_loops& loops, taut_launch* launch);
/* A round of zones, with a search; sets the handle `zones`. */
void cuda_move_zones(const taut_view& view, loop_handle zones, const taut_collide_scratch& scratch,
                     taut_launch* launch);
/* After a search among what was slowed down: sets the handle `zones`, and closes `overtaken`. */
void cuda_judge_overtaken(const taut_view& view, loop_handle overtaken, loop_handle zones, taut_launch* launch);
/* Of a part that is kept, contacts whose parties are on each other's other side. */
void cuda_turn_contacts(const taut_view& view, taut_launch* launch);

#endif
