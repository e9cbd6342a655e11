/* The inside of taut_world. */
#ifndef TAUT_WORLD_WORLD_DATA_H
#define TAUT_WORLD_WORLD_DATA_H

#include "base/memory.h"
#include "host/scene/scene_data.h"
#include "model/backend.h"
#include "model/guard.h"

/* Of taut_world_step_for (world_budget.c); times are those of base/clock.h. */
typedef struct world_budget {
    double seconds, begun; /* of the step under way; 0 s: it has none */
    double opened;         /* when its substep has begun */
    double least;      /* s of a substep whose solves end as soon as they may, as the last ones took; 0: not known */
    double after;      /* s between the last solve of a substep and its end, in the last one */
    double sight;      /* s: so far ahead the last one has looked for contacts, for lack of time; 0: to its end */
    uint32_t substeps; /* of the last step */
} world_budget;

struct taut_world {
    taut_allocator allocator;
    taut_plan plan;
    const taut_backend* backend;
    taut_backend_state* state;
    scene_batch* batches;
    size_t batch_count;
    uint8_t* written;         /* of each node since the last step, by the user: WORLD_PLACE and WORLD_SPEED */
    bool writes;              /* some are not 0 */
    bool stale;               /* the state or a rest value was written: evaluate before the next use */
    bool query_trees;         /* the trees are those of queries, and things stand where they stood */
    bool captured;            /* steps went into graphs of the user's, and may run at any time */
    taut_pace pace;           /* of steps */
    double linear_h;          /* s: the step that the world is linearised for; 0: it is not */
    uint32_t linear_contacts; /* of that linearisation */
    uint64_t steps;           /* completed, as far as is known without waiting */
    uint64_t divergences;     /* told of so far */
    taut_status fault;        /* latched until sync */
    taut_guard guard;         /* of a backend that works where the host does */
    world_budget budget;
    volatile sig_atomic_t stop; /* taut_world_stop */
    double stage_seconds[TAUT_STAGE_COUNT];
    taut_report report;
    double* staged;       /* operands inside: two vectors over nodes or rows; NULL where the user's numbers are ours */
    size_t staged_values; /* of one */
};

enum { WORLD_PLACE = 1, WORLD_SPEED = 2 };

/* Of node n: the user has written `what` of it. */
void world_note_write(taut_world* world, size_t n, uint8_t what);
/* Before a step: where both were written of all nodes that can move, nothing of the motion before is left. */
taut_status world_forget(taut_world* world);
/* What is violated now is no misfit (kernels/stages/misfit.h), as in a motion that users write, to which it belongs. */
taut_status world_take_as_fitting(taut_world* world);

/* Whether a step of h takes no forces over from the last one, which was so much shorter. */
bool world_begins_anew(const taut_world* world, double h);

/* The operands inside, where the plan needs any. */
taut_status world_allocate_staged(taut_world* world);
/* One that is to be compiled again as `plan` was. */
taut_plan world_plan_again(const taut_plan* plan);

/* Checks shared by creation and taut_world_set_*. */
taut_status world_check_integrator(const taut_integrator* integrator);
/* Whether A has another factor of M than 1. */
bool world_weighs(const taut_integrator* integrator);
/* The sentence of a scene in which something can touch. */
taut_status world_refuse_sdirk(void);
/* Of room for constraints that are added. */
taut_status world_check_reserve(const taut_reserve* reserve);
/* Of what may sleep. */
taut_status world_check_sleep(const taut_sleep* sleep);
/* What sleeps wakes with the next step: the island of node n, or all of them. Where nothing may sleep, nothing. */
void world_wake_node(taut_world* world, size_t n);
void world_wake_all(taut_world* world);
bool world_has_room(const taut_reserve* reserve);
/* Settings of a later version than the library. */
taut_status world_check_reserved(const char* name, const uint64_t* reserved, int count);
taut_status world_check_solver(const taut_solver* solver);
taut_status world_check_step(const taut_world* world, double dt, uint32_t substeps);

/* The backend of a definition; says which one `auto` came to. */
taut_status world_choose_backend(const taut_world_def* def, const taut_backend** backend);
/* Where `auto` has chosen it, and the sentence that says why not the other one, or NULL. */
void world_tell_backend(const taut_world_def* def, const taut_backend* backend, const char* reason);

/* Of `total` things there are those from `first` on, `count` of them. */
taut_status world_check_range(const char* what, size_t first, size_t count, size_t total);

/* Number inside of a particle that the user knows as n, and of constraint c of a kind. */
size_t world_node(const taut_world* world, size_t n);
size_t world_constraint(const taut_world* world, taut_kind kind, size_t c);

/* TAUT_OK unless a capture of the user's is under way. */
taut_status world_ready(taut_world* world);
/* Evaluates where something was written since: violations and energies follow the positions. */
taut_status world_refresh(taut_world* world);
/* Linearises for a step of h; without contacts those of the last step stay, and have no rows. */
taut_status world_linearise(taut_world* world, double h, bool with_contacts);
/* Of the operators, after checks: out = op in, in the user's numbers. */
taut_status world_apply(taut_world* world, taut_operator op, const double* in, double* out);
taut_status world_check_linearised(const taut_world* world, const void* in, const void* out);
/* Constraints [first, first + count) of a batch, which must exist, and `values` not be NULL: the batch, and the number
 * of the first within its kind. */
taut_status world_find_constraints(taut_world* world, taut_batch batch, size_t first, size_t count, const void* values,
                                   const scene_batch** found, size_t* offset);
/* The tick of the step that comes next. */
uint32_t world_next_tick(const taut_world* world);
/* The plan's settings have changed. */
taut_status world_retune(taut_world* world);

/* Makes `bytes` at `field` of the plan's block current on the host, or on the device after the host wrote them. */
taut_status world_download(taut_world* world, const void* field, size_t bytes);
taut_status world_upload(taut_world* world, const void* field, size_t bytes);

/* Elements [low, high) of an array: those that were written, and what lies between. */
typedef struct world_span {
    size_t low, high;
} world_span;

#define WORLD_EMPTY_SPAN                                                                                               \
    { SIZE_MAX, 0 }

void world_span_add(world_span* span, size_t element);
/* `element`: bytes of one. */
taut_status world_upload_span(taut_world* world, const void* array, size_t element, world_span span);

#endif
