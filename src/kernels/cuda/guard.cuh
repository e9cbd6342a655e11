/* The guard of a substep on the device (model/guard.h): what a WHILE node over its parts holds beside the substep. */
#ifndef TAUT_CUDA_GUARD_CUH
#define TAUT_CUDA_GUARD_CUH

#include "kernels/cuda/solve.cuh"

/* The loops of a part. */
typedef struct taut_guard_loops {
    loop_handle parts, calmer, again;
    loop_handle overtaken, zones; /* of a part that was slowed down, where the world watches */
} taut_guard_loops;

/* A substep begins: sets the handle of its parts. */
void cuda_guard_begin(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch);
/* An attempt begins: its parameters, those of a level in `base` and what follows there, come to those of `view`; the
 * state is kept. */
void cuda_guard_keep(const taut_view& view, const taut_device_params* base, taut_launch* launch);
/* phi, when contacts are known. */
void cuda_guard_note(const taut_view& view, taut_launch* launch);
/* As before an attempt, to make the same one with more contacts; evaluates. */
void cuda_guard_rewind(const taut_view& view, taut_launch* launch);
/* Measures what the attempt has done, and sets handles; a part that is kept is over then, but where the world watches:
 * there it is finished later, with the handles `again` and `parts`. */
void cuda_guard_finish(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch);
void cuda_guard_judge(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch);
/* Less motion, as the guard says; evaluates. */
void cuda_guard_calm(const taut_view& view, taut_launch* launch);
/* The state before the part; evaluates. Closes the loop `again`. */
void cuda_guard_restore(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch);

#endif
