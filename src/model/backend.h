/* The only seam between the host code and a backend: stage-sized functions, so that each backend fuses as it likes.
 *
 * A backend gets the compiled plan in host memory. It may work in that very block (CPU) or in a copy of it. Stages only
 * enqueue where the backend is asynchronous; faults latch until sync. */
#ifndef TAUT_MODEL_BACKEND_H
#define TAUT_MODEL_BACKEND_H

#include "model/adjoint.h"
#include "model/deadline.h"
#include "model/energy.h"
#include "model/factors.h"
#include "model/guard_state.h"
#include "model/hierarchy.h"
#include "model/layout.h"
#include "model/query_batch.h"
#include "taut/operators.h"
#include "taut/state.h"
#include "taut/world.h"

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest substep of late. */
typedef struct taut_pace {
    double length; /* s; 0: there was none */
    double since;  /* s: for which it has been kept */
    double fading; /* s: likewise, as it fades within seconds and not at once, */
    double steady; /* s: and in steps by a tenth */
    double last;   /* s: the last one that was no shorter than what was left of the one before, */
    double due;    /* s: and what is left of that, the steps since taken off, but no less than they are */
} taut_pace;

typedef struct taut_settings {
    double gravity[3];
    taut_integrator integrator;
    taut_solver solver;
    taut_contact_settings contact;
    taut_reserve reserve;
    taut_sleep sleep;
    taut_method method; /* projected gradients or the direct one also where auto has chosen it; else as asked for, be it
                           by the preconditioner */
    bool may_factor;    /* auto may choose the direct method */
    taut_preconditioner preconditioner; /* of the Schur complement; resolved: never auto, none where it has no rows */
    taut_preconditioner condensed_preconditioner; /* likewise */
    taut_cycle cycle;                             /* resolved */
    double speed_limit;
    double pace;         /* s: in which what is violated is undone, where a substep is shorter; else 0 */
    double due, turned;  /* s: taut_factors; 0: nothing is left of a longer substep */
    double steady;       /* s: likewise that by which contacts are soft */
    double whole;        /* s: of the substep that the part is a piece of, if it was cut at an impact; else 0 */
    double touch;        /* m: of a piece, taut_meeting */
    bool begins;         /* nothing of the substep is before the piece: what touches has not come together in it */
    double sight;        /* s: so far ahead contacts are looked for at most; 0: as far as the substep is long */
    double slower;       /* taut_guard */
    double share;        /* of an impact: of the speed of approach that a stage takes */
    taut_piece piece;    /* what the part is of it (model/impacts.h) */
    bool loose;          /* a linearisation that others may follow is solved to no more than newton_loose */
    bool softened;       /* hard rows have the least compliance of those that contradict each other (model/guard.h) */
    bool derived;        /* gradients are taken of the step: what bounces has b as it is told */
    bool staged;         /* the part is two stages, by the safe scheme, too */
    bool renews;         /* the scheme linearises again, however often an attempt does */
    bool weighed;        /* the factor of M in A is, or was, not 1 */
    bool passive_forces; /* there are forces on mapped points that nothing else needs */
    uint32_t threads;    /* >= 1; workers of `tasks` where these run loops */
    taut_tasks tasks;    /* as in taut_world_def */
} taut_settings;

/* Whether it solves for contacts without the condensed system. */
static inline bool taut_takes_contacts(taut_method method) {
    return method == TAUT_METHOD_PROJECTED_GRADIENT;
}

/* Unknowns in reserved places up to which the direct method may have them: each takes two vectors of all unknowns. */
#define TAUT_DIRECT_MOST_RESERVED 96

/* Whether it is for all of the scene, and without a preconditioner. */
static inline bool taut_takes_all(taut_method method) {
    return method == TAUT_METHOD_GAUSS_SEIDEL || method == TAUT_METHOD_DIRECT ||
           method == TAUT_METHOD_PROJECTED_GRADIENT;
}

typedef struct taut_plan {
    taut_sizes sizes; /* which point to what follows: */
    uint32_t line_level_begin[TAUT_LINE_LEVELS + 1];
    uint32_t wide_begin[TAUT_WIDE_COLOURS + 1];
    uint32_t segment_begin[TAUT_SEGMENT_SETS + 1]; /* of each kind, of points and of frames */
    taut_fields fields;                            /* of `block` */
    taut_hierarchy hierarchy;                      /* likewise */
    void* block;                                   /* host memory, compiled */
    size_t bytes;
    bool with_factor_rows;  /* factor rows were asked for at creation */
    bool on_device;         /* the backend works in a copy of the block */
    bool profile;           /* the report has stage times */
    bool residuals;         /* as in taut_world_def */
    bool reorder;           /* as in taut_world_def */
    int cuda_device;        /* as in taut_world_def */
    void* cuda_stream;      /* as in taut_world_def */
    void* ranges;           /* base/ranges.h */
    taut_settings settings; /* read by the stages: changes take effect with the next step */
    uint64_t joins;         /* how often the lists of what is joined were made */
    taut_deadline deadline; /* of the part under way, by a backend that works where the host does */
    /* Whether that part ends at once; NULL: it does not. */
    const volatile sig_atomic_t* stop;
} taut_plan;

/* What a step reports; sums and maxima over substeps are formed by the backend. */
typedef struct taut_report {
    uint64_t steps;       /* completed since creation */
    uint64_t divergences; /* steps that were taken back, since creation */
    double time;          /* s, simulated since creation; also by substeps of a step that then diverged */
    taut_outcome outcome;
    uint32_t subdivided; /* attempts of a part of a substep that were taken back */
    uint32_t damped;     /* parts that were kept with less velocity */
    uint32_t resolved;   /* parts that were solved again, as something would have passed through something */
    uint32_t zones;      /* parts that ended with impact zones */
    uint32_t tangled;    /* cuts that the last substep has begun with */
    uint32_t asleep;     /* points that sleep */
    uint32_t softened;   /* parts that were kept with softer hard rows */
    uint32_t iterations;
    uint32_t outer_iterations;
    double residual;
    double complementarity;
    uint32_t broken;   /* constraints, since creation */
    uint32_t contacts; /* of the last substep; more than there is room for: the step did not go on */
    uint32_t linearisations;
    double newton_residual;
    double max_violation[TAUT_KIND_COUNT];
    double stretch;     /* taut_violation, of the state, */
    double overstretch; /* and the most at the ends of parts */
    double kinetic;
    double potential;
    double elastic;
    double momentum[3];
    double inverted; /* taut_energies, of the state */
    taut_ledger ledger;
    double stage_seconds[TAUT_STAGE_COUNT]; /* of a backend that measures itself; else 0 */
    bool diverged;
} taut_report;

/* What a backend knows between steps beside the fields. */
typedef struct taut_memory {
    taut_report report;
    double impulse_step;    /* s: the step that gam belongs to; 0: none */
    double largest;         /* Chebyshev: estimate of the largest eigenvalue of D^-1 S; 0: none */
    uint32_t samples;       /* multipliers averaged so far */
    bool retries;           /* the last attempt of a part was taken back */
    double done;            /* of the motion to goals: what parts of a step that then failed have done */
    taut_energies energies; /* as last evaluated */
    taut_guard guard;
} taut_memory;

/* Factors of the formulas for a phase of a step of h; of its first linearisation. */
/* s: in which what is violated is undone, where parts are shorter. */
double taut_undoing_time(const taut_settings* settings);
/* The integrator of a part of length h: hard rows undo their violation in the time of the substep that it is a piece
 * of. */
taut_integrator taut_of_piece(taut_integrator integrator, const taut_settings* settings, double h);
taut_factors taut_phase_factors(const taut_settings* settings, taut_phase phase, double h);
taut_factors taut_step_factors(const taut_settings* settings, double h);

typedef struct taut_backend_state taut_backend_state;

/* model/guard.h */
struct taut_guard_terms;

typedef struct taut_backend {
    const char* name;
    taut_status (*available)(void);
    /* Sorts keys and the values that belong to them by key, stably. Host arrays; `device` as in taut_world_def. */
    taut_status (*sort)(int device, uint64_t* keys, uint32_t* values, size_t count, const taut_allocator* allocator);
    taut_status (*create)(taut_plan* plan, const taut_allocator* allocator, taut_backend_state** state);
    void (*destroy)(taut_backend_state* state);
    /* What the state of a world with less room knows beside the plan's block: the new one was created from a block that
     * has been brought up to date. */
    taut_status (*carry)(const taut_backend_state* from, taut_backend_state* to);

    /* One call of taut_world_step: begin, then per part of a substep what model/step_program.h says; then end.
     */
    void (*begin)(taut_backend_state* state, double dt); /* clears the report, then moves kinematic targets */
    /* Which islands sleep in this step (taut_sleep); true: all do, and it has no substeps. After those, unless it is
     * taken back (`done`). NULL: nothing sleeps on this backend. */
    bool (*rest)(taut_backend_state* state, double dt);
    void (*rise)(taut_backend_state* state, double dt, bool done);
    void (*collide)(taut_backend_state* state, double h); /* contacts; or report.diverged */
    void (*assemble)(taut_backend_state* state, double h, taut_phase phase);
    void (*check_residual)(taut_backend_state* state);
    bool (*newton_goes_on)(const taut_backend_state* state, bool by_solving);
    /* Of the state as it was evaluated (model/newton.h); the guard notes it. */
    bool (*is_stretched)(const taut_backend_state* state, taut_guard* guard);
    void (*solve)(taut_backend_state* state, double h, taut_phase phase);
    /* Or report.diverged; the state is then to be restored. */
    void (*move)(taut_backend_state* state, double h, taut_phase phase, taut_move move);
    void (*evaluate)(taut_backend_state* state); /* phi and J at the current state; violations and energies */
    /* Of a part of a substep (model/guard.h): the state before it is kept; phi is noted when contacts are known; it is
     * judged, until every island that is to be slowed down is (false: nothing helps); or all of it is undone; or it is
     * over, and has been slowed down, or held by zones, and something may have passed through something. */
    void (*keep)(taut_backend_state* state);
    void (*note)(taut_backend_state* state);
    bool (*judge)(taut_backend_state* state, const struct taut_guard_terms* terms, taut_guard* guard);
    void (*restore)(taut_backend_state* state);
    /* Likewise, to make the same attempt with more contacts. */
    void (*rewind)(taut_backend_state* state);
    void (*forget_impulses)(taut_backend_state* state);
    /* Whether anything would pass through anything between the state that was kept and the current one; no list of
     * such pairs; whether solids are of what was found last; what was found last joins the list of a round, whose pairs
     * are contacts from then on; nothing is in a zone; what was found last joins a zone, and all zones move: false if
     * no zone grew; and all that meshes do not carry has a share of its motion left. */
    bool (*find_crossings)(taut_backend_state* state);
    void (*clear_crossings)(taut_backend_state* state);
    bool (*solids_cross)(taut_backend_state* state);
    void (*list_crossings)(taut_backend_state* state, uint32_t round);
    void (*clear_zones)(taut_backend_state* state);
    bool (*move_zones)(taut_backend_state* state, double h);
    void (*stop_zones)(taut_backend_state* state, double share);
    void (*end_part)(taut_backend_state* state, double h, bool slowed, bool held, bool through);
    /* Of a substep that may be cut at impacts (model/impacts.h): when fast solids first meet, of the time that is left;
     * what flies goes on in a piece of another length; whether something that was to fly on has met something, since
     * something else has turned it aside; forces are again those before an impact, and after its last stage some things
     * have landed; and the substep is over. */
    taut_meeting (*find_meeting)(taut_backend_state* state, const taut_impacts* impacts);
    void (*begin_piece)(taut_backend_state* state, const taut_impacts* impacts, double h);
    bool (*flight_ends)(taut_backend_state* state);
    void (*end_impact)(taut_backend_state* state, const taut_impacts* impacts, bool last);
    void (*end_pieces)(taut_backend_state* state, const taut_impacts* impacts);
    void (*end)(taut_backend_state* state);     /* what moved to a goal stands on it exactly */
    void (*publish)(taut_backend_state* state); /* given_* of the layout; NULL: evaluate and step do it themselves */
    /* All of that in one launch; NULL where the host calls the stages. `*captured`: the step did not run but went into
     * a graph of the user's. */
    taut_status (*step)(taut_backend_state* state, double dt, bool* captured);
    /* The plan's settings have changed; NULL where stages read them as they go. */
    taut_status (*retune)(taut_backend_state* state);
    /* TAUT_OK unless a capture of the user's is under way, in which nothing but `step` may take part; NULL: never. */
    taut_status (*ready)(taut_backend_state* state);

    /* Velocities of what moves to its goal in the next step of dt, or has arrived and rests. */
    void (*kinematic_targets)(taut_backend_state* state, double dt);
    /* Of a step that has begun, before a part of h: velocities of what turns on its way to a goal. NULL where a step is
     * one launch. */
    void (*turn_targets)(taut_backend_state* state, double h);
    taut_status (*sync)(taut_backend_state* state, taut_report* report);
    /* The newest report that is complete, without waiting. */
    void (*poll)(taut_backend_state* state, taut_report* report);
    /* Copies `bytes` at `field` in the plan's block from the device, waiting for it, or to it. NULL where the backend
     * works in that very block. */
    taut_status (*download)(taut_backend_state* state, void* field, size_t bytes);
    taut_status (*upload)(taut_backend_state* state, const void* field, size_t bytes);
    /* Host arrays; after assemble, which leaves the state and the multipliers as they are. */
    taut_status (*apply)(taut_backend_state* state, taut_operator op, const double* in, double* out);
    taut_status (*right_hand_side)(taut_backend_state* state, double* out);
    taut_status (*velocity_side)(taut_backend_state* state, double* out);
    /* The contacts that a step of h finds at the current state, which matches them with those of the last step all over
     * again; how many there are, and no more than there is room for. */
    taut_status (*find_contacts)(taut_backend_state* state, double h, uint32_t* needed);
    /* What cuts and overlaps now, into its places among contact_count: TAUT_CONTACTS_CUTS and behind. Uses the trees
     * and places that the next substep builds anew. */
    taut_status (*find_overlaps)(taut_backend_state* state);
    /* The answers to queries whose operands are in the block, where the answers come, too; likewise. */
    taut_status (*query)(taut_backend_state* state, const taut_query_batch* batch);
    /* A view of a field, rows x columns as the public header says. */
    void (*view)(taut_backend_state* state, taut_field field, taut_array* view);
    /* Everything that it knows, of a world that is idle; and as another world knew it, after the fields of that one
     * were evaluated. */
    taut_status (*remember)(taut_backend_state* state, taut_memory* memory);
    taut_status (*recall)(taut_backend_state* state, const taut_memory* memory);
    /* Forgets all but positions, velocities and what users set: the next step starts as that of a new world. */
    taut_status (*forget)(taut_backend_state* state);
    /* The adjoint of steps (host/cpu/cpu_adjoint.h); NULL: not on this backend. */
    taut_status (*adjoint_make)(taut_backend_state* state, taut_adjoint** out);
    void (*adjoint_free)(taut_adjoint* adjoint);
    /* Completes the record of a step that was made; NULL, or why it has no gradient. */
    const char* (*adjoint_note)(taut_adjoint* adjoint, taut_step_record* record);
    bool (*adjoint_back)(taut_adjoint* adjoint, const taut_step_record* record, taut_adjoint_sums* sums);
    /* Values of the direct method's factor; NULL: never any. */
    size_t (*factor_values)(const taut_backend_state* state);
} taut_backend;

extern const taut_backend taut_cpu_backend;
/* Whether the CPU backend has the direct method built in. */
taut_status taut_direct_available(void);
#ifdef TAUT_WITH_CUDA
extern const taut_backend taut_cuda_backend;
int taut_cuda_devices(void);
/* Before anything is made: whether a world may be on the device (-1: any) and the stream (or NULL). */
taut_status taut_cuda_admits(int device, void* stream);
taut_status taut_cuda_describe(int device, taut_device_info* info);
#endif

#ifdef __cplusplus
}
#endif

#endif
