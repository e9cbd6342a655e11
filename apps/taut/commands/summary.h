/* What a run did, in one line. */
#ifndef TAUT_APP_SUMMARY_H
#define TAUT_APP_SUMMARY_H

#include "commands/outcomes.h"
#include "commands/stats.h"

typedef struct summary {
    size_t start; /* frame after which the run was resumed; 0: it was not */
    size_t frames;
    double time;         /* s, simulated */
    double wall_seconds; /* of the steps alone */
    double worst_residual;
    outcomes outcomes;
    bool contact; /* of a scene in which something can touch */
    uint32_t most_contacts;
    double penetration; /* m, the deepest */
    size_t most_cuts;   /* of surfaces, of a frame */
    size_t capacity;
    double* step_ms; /* `frames` of them */
} summary;

bool summary_add(summary* s, const frame_stats* f, report* r);
/* `end`: "done", "interrupted", "diverged", "not converged" or "failed". */
void summary_print(const summary* s, const char* end, const char* scene, const char* backend, bool json);
void summary_free(summary* s);

#endif
