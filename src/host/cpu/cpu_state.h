/* The CPU backend's state and its stages. It works in the plan's own block of memory. */
#ifndef TAUT_CPU_CPU_STATE_H
#define TAUT_CPU_CPU_STATE_H

#include "base/memory.h"
#include "host/cpu/cpu_parallel.h"
#include "model/backend.h"
#include "model/guard.h"
#include "model/newton.h"
#include "model/solvers.h"

/* Systems of a step: those of taut_system_form, and heaps. */
enum { CPU_HEAPS = TAUT_FORM_COUNT, CPU_SYSTEMS };

/* How the systems of an attempt of one form were solved. */
typedef struct cpu_solved {
    taut_outcome outcome; /* the worst */
    double residual;      /* likewise */
} cpu_solved;

struct taut_backend_state {
    taut_plan* plan;
    taut_allocator allocator;
    taut_report report;
    double impulse_step; /* s: the step that gam belongs to; 0 before the first */
    uint32_t samples;    /* multipliers averaged so far */
    double done;         /* of the motion to goals in the step under way */
    double rate;         /* of that, 1/s */
    double largest;      /* estimate of the largest eigenvalue of D^-1 S; 0: none yet */
    newton_state newton;
    double asked;                          /* tolerance of systems; that of the solver may be looser */
    taut_factors assembled;                /* of the system that was assembled last */
    taut_energies energies;                /* as last evaluated */
    taut_energies before;                  /* at the start of the substep */
    taut_powers powers;                    /* of the part under way */
    cpu_solved solved[CPU_SYSTEMS];        /* of the attempt under way */
    taut_report kept_report;               /* before it, */
    double kept_impulse_step;              /* likewise */
    uint32_t kept_samples;                 /* likewise */
    size_t kept_unknowns;                  /* so many are kept: behind them are places for contacts alone */
    bool retries;                          /* an attempt of it was taken back */
    bool looks;                            /* for tangles: no substep of this step has */
    bool solves_schur, solves_condensed;   /* systems that have something to solve in this substep */
    bool matrix_lasts;                     /* that of level 0 is there, but for what comes and goes, */
    bool matrix_stands;                    /* or with it, of an iterate of Newton's method */
    bool refresh_due;                      /* of the condensed system's preconditioner, */
    bool levels_stand;                     /* whose coarse levels are those of an earlier iterate */
    struct saddle_solver* saddle;          /* NULL without the direct method */
    struct contact_candidates* candidates; /* NULL where no contact point may touch anything */
    struct contact_pairs* heaps;           /* cpu_heaps.h; NULL: there are none */
    struct contact_pairs* pairs;           /* NULL where more than contact holds the scene together */
    struct condensed_factors* factors;     /* NULL where no mechanism may touch anything */
    struct sleeping_contacts* sleep;       /* NULL where nothing may sleep */
};

/* `item` for every constraint c of every kind k with `moves` rest values that may move. */
#define CPU_OVER_MOVING(item)                                                                                          \
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {                                                                        \
        const size_t moves = taut_kind_shapes[k].moves, width = taut_kind_shapes[k].rest;                              \
        for (size_t c = 0; moves > 0 && c < plan->sizes.count[k]; c++) {                                               \
            item;                                                                                                      \
        }                                                                                                              \
    }

/* Stages; formulas and numbering as in docs/mathematics.md. */
/* Mapped points as the unknowns are now. */
void cpu_evaluate_mapped(const taut_plan* plan);
void cpu_collide(taut_backend_state* state, double h);
/* How many contacts there are, and their couples; then their incidence. */
void cpu_set_live_contacts(taut_plan* plan, size_t live);
void cpu_build_incidence(const taut_plan* plan);
/* Which system solves for which parts, by the contacts that there are. */
void cpu_switch_systems(taut_backend_state* state);
/* The velocity that nodes have in common; 0 where that is little. */
void cpu_find_drift(const taut_plan* plan);
taut_status cpu_find_overlaps(taut_backend_state* state);
bool cpu_find_crossings(taut_backend_state* state);
void cpu_clear_crossings(taut_backend_state* state);
bool cpu_solids_cross(taut_backend_state* state);
void cpu_list_crossings(taut_backend_state* state, uint32_t round);
/* What is tangled at the start of a substep, and the rows by which it parts; how many cuts. After the trees are built.
 */
uint32_t cpu_find_tangles(const taut_plan* plan);
/* Tangles that would pass through something stay as they are in this part; their crossings are no more. */
void cpu_leave_tangles(const taut_plan* plan);
void cpu_clear_zones(taut_backend_state* state);
bool cpu_move_zones(taut_backend_state* state, double h);
void cpu_stop_zones(taut_backend_state* state, double share);
/* Meshes that deform follow their points. */
void cpu_refit_deforming(const taut_plan* plan);
/* Records the contacts of a part of length h that is kept; 0: those before the step, where it begins. */
void cpu_record_events(const taut_backend_state* state, double h);
taut_status cpu_query(taut_backend_state* state, const taut_query_batch* batch);
void cpu_assemble(taut_backend_state* state, double h, taut_phase phase);
/* What the solver prepares from the system: preconditioners. */
void cpu_refresh(taut_backend_state* state);
/* J^T gam of the iterate, exactly and rounded, for the next system. */
void cpu_renew_jacobian_transpose(const taut_plan* plan);
/* Of Newton's method: the norm of the first right-hand side, and a judgement of the iterate. */
void cpu_newton_scale(taut_backend_state* state);
void cpu_check_residual(taut_backend_state* state);
void cpu_note_residuals(const taut_backend_state* state);
bool cpu_is_stretched(const taut_backend_state* state, taut_guard* guard);
/* Scales the shift, and renews what the inner solve uses in place of C/(h l). */
void cpu_weigh_inner(const taut_plan* plan, float scale);
/* Motions along the paths of the plan's system (kernels/stages/system.h). */
void cpu_system_paths(const taut_plan* plan);
/* The least scale of residuals of a projection. */
double cpu_projected_scale(const taut_plan* plan, taut_phase phase);
void cpu_solve(taut_backend_state* state, double h, taut_phase phase);
/* What is to be solved again. */
typedef enum cpu_again { CPU_SOLVED, CPU_HEAPS_AGAIN, CPU_ALL_AGAIN } cpu_again;
/* After a solve: b of contacts follows how they bounce, and then how they slide, where any hops, for the `round`-th
 * time. */
cpu_again cpu_follow_bounces(const taut_plan* plan, const taut_factors* step, uint32_t round);
cpu_again cpu_follow_sliding(const taut_plan* plan, const taut_factors* step, uint32_t round);
/* Whether motors stall by other forces (stages/contact/stalling.h), whatever the solve before has ended with. */
bool cpu_motors_stall(const taut_plan* plan, const taut_factors* step);
/* Whether any hops, by motions that are known roughly; any of these. */
bool cpu_slides_otherwise(const taut_plan* plan, const taut_factors* step);
bool cpu_any_slides_otherwise(const taut_plan* plan, const taut_factors* step, const uint32_t* contacts, size_t count);
/* What parts whose forces balance each other lost by turning, after the solve (kernels/stages/turning.h). */
void cpu_give_turns_back(const taut_plan* plan, const taut_factors* step, taut_move move);
/* Of the step under way (layout.h). */
uint32_t cpu_tick(const taut_backend_state* state);
void cpu_move(taut_backend_state* state, double h, taut_phase phase, taut_move move);
void cpu_evaluate(taut_backend_state* state);
/* A part begins with the energies that there are. */
void cpu_begin_energies(taut_backend_state* state);
void cpu_keep(taut_backend_state* state);
void cpu_note(taut_backend_state* state);
/* What is measured of all components after an attempt, of rows only with a scale (else NULL). */
void cpu_measure(taut_backend_state* state, const taut_guard_scale* scale);
/* Every island keeps its share of motion. */
void cpu_calm(taut_backend_state* state);
bool cpu_judge(taut_backend_state* state, const taut_guard_terms* terms, taut_guard* guard);
void cpu_restore(taut_backend_state* state);
void cpu_rewind(taut_backend_state* state);
void cpu_forget_impulses(taut_backend_state* state);
void cpu_publish(taut_backend_state* state);
taut_status cpu_remember(taut_backend_state* state, taut_memory* memory);
taut_status cpu_recall(taut_backend_state* state, const taut_memory* memory);
taut_status cpu_forget(taut_backend_state* state);
/* Substeps that are cut at impacts: taut_backend. */
taut_meeting cpu_find_meeting(taut_backend_state* state, const taut_impacts* impacts);
void cpu_begin_piece(taut_backend_state* state, const taut_impacts* impacts, double h);
bool cpu_flight_ends(taut_backend_state* state);
void cpu_end_impact(taut_backend_state* state, const taut_impacts* impacts, bool last);
void cpu_end_pieces(taut_backend_state* state, const taut_impacts* impacts);
void cpu_end_part(taut_backend_state* state, double h, bool slowed, bool held, bool through);
taut_status cpu_apply(taut_backend_state* state, taut_operator op, const double* in, double* out);
taut_status cpu_right_hand_side(taut_backend_state* state, double* out);
taut_status cpu_velocity_side(taut_backend_state* state, double* out);
taut_status cpu_find_contacts(taut_backend_state* state, double h, uint32_t* needed);

#endif
