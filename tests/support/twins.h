/* The same world on the CPU and on CUDA, compared stage by stage. Both backends compile the same formulas, so that only
 * the order of sums, fused multiply-adds and the last bits of library functions differ. */
#ifndef TAUT_TEST_TWINS_H
#define TAUT_TEST_TWINS_H

#include <taut/taut.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Float64 formulas of numbers of order 1; the worst are angles and areas, with some dozen operations. */
#define TWINS_FORMULA 1e-13
/* J and the roots of the stiffness are stored in float32: where the last bits of float64 differ, one may round up and
 * the other down, by 6e-8 of an entry; products in float64. */
#define TWINS_STORED 3e-7
/* The solver drives its residual to 1e-10; J differs as above, and the condition of these systems lifts that by some
 * ten to a thousand. */
#define TWINS_SOLVED 1e-6
/* Ten steps on, differences of the velocities have moved positions that change the forces. */
#define TWINS_FOLLOWED 1e-5

enum { TWINS_RANGES = 48 };

typedef struct twins {
    taut_world *cpu, *cuda;
    double dt;
    size_t points, frames;
    size_t n, m;   /* coordinates of both, rows */
    double *a, *b; /* n + m each and more: of the CPU, of CUDA */
    size_t group_count;
    taut_range groups[TWINS_RANGES]; /* rows that are compared with the largest among themselves; at first all */
    size_t free_count;
    taut_range free[TWINS_RANGES]; /* points that may be written; at first all */
} twins;

/* `def` with a large limit of iterations. false where a world could not be made, which is reported. */
bool twins_open(twins* t, const taut_scene* scene, taut_world_def def, double dt);
void twins_close(twins* t);
/* Steps both by dt. */
void twins_step(twins* t);

/* Relative to the largest of the CPU's values, and at least to `floor`. */
void twins_check_close(const char* what, size_t count, const double* cpu, const double* cuda, double floor,
                       double tolerance);
void twins_check_field(twins* t, taut_field field, const char* what, double floor, double tolerance);

/* `state`: how far positions agree; `forces`: multipliers, which energies and worst violations contain. */
void twins_check_evaluate(twins* t, double state, double forces);
/* Right-hand side and operators, after linearising. */
void twins_check_assemble(twins* t, double state, double forces);
void twins_check_solve(twins* t, double forces);
void twins_check_integrate(twins* t, double tolerance);
/* Of a step to the tolerance of 1e-4, where users stop, before the limits of float32 make iterations go astray: the
 * last bits cost an iteration or two. */
void twins_check_iterations(twins* t);
/* Both start over from the CPU's state, so that the stages that follow are compared alone. */
void twins_align(twins* t);

#ifdef __cplusplus
}
#endif

#endif
