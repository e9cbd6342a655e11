/* THE table of solvers: what solves the linear system of a step, what each is for, and its function on either backend.
 *
 * A step has two systems, each for its own parts of the scene: multipliers by the Schur complement S, motions by the
 * condensed matrix H. taut_method says which takes what. Solvers of one system exclude each other: the first whose
 * condition holds takes it. A backend makes a dispatch table of it: src/host/cpu/solve.c, src/kernels/cuda/solve.cu.
 *
 *     X(name, form, condition on `settings` and `sizes`, CPU, CUDA)    what it is for */
#ifndef TAUT_MODEL_SOLVERS_H
#define TAUT_MODEL_SOLVERS_H

#include "model/backend.h"

typedef enum taut_system_form { TAUT_FORM_SCHUR, TAUT_FORM_CONDENSED, TAUT_FORM_COUNT } taut_system_form;

/* clang-format off */
#define TAUT_SOLVERS(X)                                                                                                \
    /* Contact without the condensed system: accelerated projected gradients. */                                       \
    X(projected, TAUT_FORM_SCHUR, settings->method == TAUT_METHOD_PROJECTED_GRADIENT, cpu_projected_solve,             \
      cuda_projected_solve)                                                                                            \
    /* Multipliers with bounds: projected Newton around the inner solvers below. */                                    \
    X(bounded, TAUT_FORM_SCHUR, sizes->bounded, cpu_bounded_solve, cuda_bounded_solve)                               \
    /* Ropes, chains, mechanisms: float64 outer loop around the inner solvers below. */                                \
    X(pcg_schur, TAUT_FORM_SCHUR, true, cpu_schur_solve, cuda_schur_solve)                                           \
    /* Cloth and soft bodies, contact among them: conjugate gradients on H by Newton's method where bounds are. */     \
    X(pcg_condensed, TAUT_FORM_CONDENSED, true, cpu_condensed_solve, cuda_condensed_solve)
/* clang-format on */

/* What solves for the correction in an outer iteration of `bounded` and `pcg_schur`: the loops of pcg_schur, unless
 * gauss_seidel (memory for nothing but blocks; in `pcg_schur` the preconditioner of these loops) or sparse factors
 * (direct; exact, CPU only) are asked for. */
typedef enum taut_inner_solver { TAUT_INNER_PCG, TAUT_INNER_GAUSS_SEIDEL, TAUT_INNER_DIRECT } taut_inner_solver;

static inline taut_inner_solver taut_inner_solver_of(const taut_settings* settings) {
    switch (settings->method) {
    case TAUT_METHOD_DIRECT:
        return TAUT_INNER_DIRECT;
    case TAUT_METHOD_GAUSS_SEIDEL:
        return TAUT_INNER_GAUSS_SEIDEL;
    default:
        return TAUT_INNER_PCG;
    }
}

/* Whether conjugate gradients on S go by more than its residual. */
static inline bool taut_is_preconditioned(const taut_settings* settings) {
    return settings->preconditioner != TAUT_PRECONDITIONER_NONE ||
           taut_inner_solver_of(settings) == TAUT_INNER_GAUSS_SEIDEL;
}

/* Whether the preconditioner of the condensed system waits until the first guess has told which contacts are open. One
 * that holds what is open has the soft motions of all that is near something as stiff ones: many contacts are there
 * only because they might close. It costs three times the iterations of conjugate gradients. V-cycles hold all
 * of them, whatever becomes of them: where H is stiffer than the matrix that they were made from, they no longer
 * smooth. */
static inline bool taut_refresh_waits(const taut_settings* settings, const taut_sizes* sizes) {
    return sizes->touches && settings->condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL &&
           settings->cycle == TAUT_CYCLE_ADDITIVE;
}

/* Whether the CPU keeps the coarse levels of the preconditioner from the system before, that of an earlier iterate of
 * Newton's method: where contacts come and go. What turns far in a step, as bars do, needs those of its own place,
 * above all with few iterations. */
static inline bool taut_keeps_levels(const taut_settings* settings, const taut_sizes* sizes, taut_phase phase) {
    return taut_refresh_waits(settings, sizes) && (phase == TAUT_PHASE_RENEW || phase == TAUT_PHASE_FREE_RENEW);
}

typedef enum taut_solver_id {
#define TAUT_SOLVER_ID(name, form_, condition, cpu, cuda) taut_solver_##name,
    TAUT_SOLVERS(TAUT_SOLVER_ID)
#undef TAUT_SOLVER_ID
} taut_solver_id;

/* The solver of a system that has unknowns. */
static inline taut_solver_id taut_solver_of(taut_system_form form, const taut_settings* settings,
                                            const taut_sizes* sizes) {
#define TAUT_SOLVER_TAKES(name, form_, condition, cpu, cuda)                                                           \
    if (form == (form_) && (condition)) {                                                                              \
        return taut_solver_##name;                                                                                     \
    }
    TAUT_SOLVERS(TAUT_SOLVER_TAKES)
#undef TAUT_SOLVER_TAKES
    return taut_solver_pcg_schur;
}

#endif
