/* What a run did, in one line. */
#ifndef TAUT_APP_SUMMARY_H
#define TAUT_APP_SUMMARY_H

#include "commands/outcomes.h"
#include "commands/stats.h"

/* Frames in a row over which energy is looked at, at most. */
#define SUMMARY_LASTS 64

typedef struct summary {
    size_t start; /* frame after which the run was resumed; 0: it was not */
    size_t frames;
    double time;         /* s, simulated */
    double wall_seconds; /* of the steps alone */
    double worst_residual;
    outcomes ended; /* how the frames did */
    bool contact;   /* of a scene in which something can touch */
    uint32_t most_contacts;
    double penetration;                     /* m, the deepest */
    double settled;                         /* m: how deep contacts leave what lies on something, at most */
    taut_overlaps first;                    /* of the start */
    taut_overlaps most;                     /* of a frame, each of them */
    taut_overlaps last;                     /* of the last frame */
    size_t first_cut;                       /* frame with cuts, 0: none */
    size_t tangled;                         /* cuts that the first or the second frame began with */
    double overstretch;                     /* the most */
    size_t stretched;                       /* in this frame */
    size_t softened, first_softened;        /* frames with softer hard constraints; the first one */
    bool inverts;                           /* a soft object has another model than the one that resists inversion */
    size_t most_inverted, inverted, turned; /* tetrahedra: the most, of the last frame; the first frame with some */
    double gained; /* J: the most by which energy was above what the start and the work account for, and stayed so */
    double excess[SUMMARY_LASTS]; /* J: by how much it was in the last frames: frame i in i % SUMMARY_LASTS */
    double balance;               /* J: by how much it is now */
    double held;                  /* J: the most of kinetic and elastic energy */
    double lift;                  /* J: scene_lift */
    double gravity[3];            /* m/s^2 */
    double ahead;                 /* beta - 1/2 of the theta scheme, else 0 */
    double first_ahead;           /* J: of the first frame */
    size_t capacity;
    double* step_ms; /* `frames` of them */
} summary;

bool summary_add(summary* s, const frame_stats* f, report* r);
/* `end`: "done", "interrupted", "diverged", "not converged" or "failed". */
void summary_print(const summary* s, const char* end, const char* scene, const char* backend, bool json);
/* What of it a user should look at, a line each on standard error: surfaces that cut each other, vertices within
 * solids, bodies within each other, what is stiff and stretched, tetrahedra inside out, energy from nothing. */
void summary_warn(const summary* s, const char* scene);
void summary_free(summary* s);

#endif
