/* How the frames of a run ended, and what a user can change about those that ended badly. */
#ifndef TAUT_APP_OUTCOMES_H
#define TAUT_APP_OUTCOMES_H

#include "base/report.h"

#include "taut/taut.h"

#include <stddef.h>

enum { OUTCOME_COUNT = TAUT_SOLVE_OVERSTRETCHED + 1 };

typedef struct outcomes {
    size_t frames;
    size_t counts[OUTCOME_COUNT]; /* frames, by taut_outcome */
    size_t first;                 /* frame that did not converge, from 1; 0: none */
    size_t hurried;               /* of these, by a budget of time */
    size_t together;              /* of these, damped in impact zones alone */
    uint32_t max_iterations;      /* of a solve, as the scene has it */
    bool contradicts;             /* rows of the scene may contradict each other */
    unsigned changes;             /* what may help, bits */
    size_t worst;                 /* of these, the frame with the largest residual */
    double worst_residual;
} outcomes;

/* "converged", "iteration_limit" and so on. */
const char* outcome_name(taut_outcome outcome);

void outcomes_add(outcomes* o, size_t frame, const taut_step_info* info);
size_t outcomes_not_converged(const outcomes* o);
/* What happened and what to change, each said once where it applies, in one line; only where a frame did not converge.
 */
void outcomes_tell(const outcomes* o, const char* scene, report* r);

#endif
