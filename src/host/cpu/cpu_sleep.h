/* Islands that rest (taut_sleep). In a step the nodes of one that sleeps are fixed, and its contacts are no rows;
 * between steps nothing tells it from others. */
#ifndef TAUT_CPU_CPU_SLEEP_H
#define TAUT_CPU_CPU_SLEEP_H

#include "host/cpu/cpu_state.h"

/* What steps keep of contacts of islands that sleep: all that the arrays of contacts have of each. */
typedef struct sleeping_array {
    char* base;
    size_t width; /* bytes of a contact */
} sleeping_array;

#define SLEEPING_ARRAYS 32
/* Finder, found and feature. */
#define SLEEPING_KEY 3
/* Of contact_last and rolling_last. */
#define SLEEPING_LAST (TAUT_CONTACT_LAST + 6)

typedef struct sleeping_contacts {
    taut_allocator allocator;
    const taut_plan* plan;
    size_t bytes; /* of `memory` */
    void* memory;
    sleeping_array array[SLEEPING_ARRAYS];
    uint32_t arrays;
    size_t width;        /* bytes of a record: all arrays */
    uint32_t count;      /* by finder, as contacts are */
    double impulse_step; /* s: that their impulses belong to, */
    double rest_step;    /* and rest_gam */
    uint32_t* key;       /* SLEEPING_KEY each */
    double* last;        /* SLEEPING_LAST each: as contacts of the last step */
    char* record;
    bool resting; /* a step is under way in which something sleeps */
} sleeping_contacts;

taut_status sleeping_make(const taut_plan* plan, const taut_allocator* allocator, sleeping_contacts** out);
void sleeping_free(sleeping_contacts* s);
/* Takes contacts of nodes that rest out of the arrays, and puts them back. */
void sleeping_take(taut_backend_state* state);
void sleeping_return(taut_backend_state* state);
/* Those of a finder become contacts of the last step, from place `at` on; `next`: the first record not seen yet. The
 * place after them. */
size_t sleeping_keep(const sleeping_contacts* s, size_t finder, uint32_t* next, size_t at);
/* Puts record i into the place of contact c. */
void sleeping_load(const sleeping_contacts* s, uint32_t i, size_t c);

/* Of a component, in component_state; of an island's first one: something keeps it awake. */
enum {
    SLEEP_LIVES = 1, /* some of its nodes can move, or move */
    SLEEP_FAST = 2,  /* it is too fast */
    SLEEP_TURNS = 4, /* its mean velocity has changed too much since component_quiet began */
    SLEEP_WOKEN = 8, /* it has woken in this substep */
    SLEEP_STIRRED = 16
};

/* The island of a component stays awake, or wakes. */
static inline void cpu_stir(const taut_plan* plan, uint32_t component) {
    plan->fields.component_state[plan->fields.sleep_island[component]] |= SLEEP_STIRRED;
}

/* What supports may touch that move in a step of dt. */
void cpu_stir_near_supports(const taut_plan* plan, double dt);
/* What solids that are fast may touch in a part of h. True: some of it sleeps. */
bool cpu_stir_near_fast(const taut_plan* plan, double h);
/* Wakes it. True: it has. */
bool cpu_wake_near_fast(taut_backend_state* state, double h);
/* Before the substeps of a step of dt: which islands sleep. True: all there is rests, and the step is over. */
bool cpu_rest(taut_backend_state* state, double dt);
/* After them: what sleeps is as free as it was; `done`: the step was not taken back. */
void cpu_rise(taut_backend_state* state, double dt, bool done);
/* Wakes what something that moves may touch, as contacts say. True: contacts have to be found again. */
bool cpu_wake_touched(taut_backend_state* state);

#endif
