/* The integrator: formulations, their coefficients and the presets. */
#ifndef TAUT_INTEGRATOR_H
#define TAUT_INTEGRATOR_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The change of constraint forces with their directions. */
typedef enum taut_geometric_stiffness {
    TAUT_GEOMETRIC_NONE, /* left out */
    TAUT_GEOMETRIC_FULL  /* the stabilising part of G(lam) in A, and its term on the right-hand side */
} taut_geometric_stiffness;

/* What a step solves. Each is a choice of coefficients of one linear system (docs/mathematics.md, "Formulations"). */
typedef enum taut_formulation {
    TAUT_FORMULATION_THETA,  /* alpha, beta, force_theta_*: constraint forces at positions and velocities between the
                                ends of the step */
    TAUT_FORMULATION_PRIMAL, /* primal: a M v' + J^T (b D + c K) J v' = e p - g J^T K phi, in compliances */
    TAUT_FORMULATION_ACCELERATION /* J a = -Jdot v - ka J v - kb phi on hard rows; compliant rows act with the force
                                     that they have, explicitly */
} taut_formulation;

/* How accelerations are integrated. */
typedef enum taut_stepper {
    TAUT_STEPPER_SYMPLECTIC_EULER, /* v' = v + h a, x' = x + h v' */
    TAUT_STEPPER_RK4               /* the classical method of fourth order; frames by their rotation vectors */
} taut_stepper;

/* The general primal family, in units of the step: b h, c h^2 and g h are meant. The unknown is v', and x' = x +
 * h (beta v' + (1 - beta) v). {1, 1, 1, 1, 1} is implicit Euler. a, c > 0, b, e, g >= 0. */
typedef struct taut_primal {
    double a, b, c, e, g; /* coefficient of the formulation "primal" (docs/mathematics.md) */
} taut_primal;

/* What a step solves: the formulation and its coefficients. */
typedef struct taut_integrator {
    taut_formulation formulation;                 /* default theta */
    double alpha;                                 /* (0, 1]: implicitness of velocities; default 1 */
    double beta;                                  /* [0, 1]: implicitness of positions; default 1 */
    taut_geometric_stiffness geometric_stiffness; /* default full */
    double hard_row_damping; /* hard rows (compliance 0) get at least d = hard_row_damping * h; >= 0; default 0.
                                alpha < 1 needs 1: without it a hard row oscillates from step to step. beta = 0 means
                                at least 1 */
    uint32_t substeps;       /* >= 1; default 1: taut_world_step(dt) makes that many steps of dt / substeps */
    bool split_forces;       /* batches used as forces, and force elements, are not taken at alpha but at ...; default
                                false */
    double force_theta_q;    /* ... positions theta_q of the way from start to end of the step, in [0, 1], and ... */
    double force_theta_v;    /* ... velocities theta_v of it. Both 0: explicit */
    double mass_damping; /* 1/s, >= 0: force -mass_damping M v, the mass part of Rayleigh damping; the stiffness part
                            is the damping time of each batch. Default 0 */
    taut_primal primal;  /* default 1, 1, 1, 1, 1 */
    bool two_stage;      /* of theta: first the motion v* by forces alone, by Newton's method; then constraints
                            about it, A (v' - v*) = J^T gam. Default false */
    uint32_t newton;     /* of theta: linearisations of a step at most; 0 and 1: one. More solve the step exactly,
                            x and v as above in every force and constraint. Not with split_forces, but for two_stage.
                            Default 1 */
    double newton_tolerance;    /* on both residuals of the exact step, relative, in [0, 1); default 1e-6 */
    taut_stepper stepper;       /* of accelerations; default symplectic Euler */
    double baumgarte_velocity;  /* ka, 1/s, >= 0; default 0 */
    double baumgarte_position;  /* kb, 1/s^2, >= 0; default 0 */
    uint32_t project_positions; /* after each substep so many linearised projections of the positions onto phi = 0 of
                                   the hard rows, in the metric of A; 2 or 3 reach rounding. A scheme whose constraints
                                   hold between the ends of a step, alpha < 1, becomes one of first order by them. At
                                   most 100; default 0 */
    bool project_velocities;    /* then of the velocities onto ker J of the hard rows; default false */
} taut_integrator;

/* Steps known by name, as values of those fields; the others are left as they are. */
typedef enum taut_preset {
    TAUT_PRESET_EXPLICIT_EULER,   /* forces at the start, x' = x + h v; hard rows are solved for the velocity */
    TAUT_PRESET_SYMPLECTIC_EULER, /* forces at the start, velocities at the end, x' = x + h v' */
    TAUT_PRESET_IMPLICIT_EULER,   /* all at the end */
    TAUT_PRESET_MIDPOINT,         /* all in the middle; hard rows damped by one step, without which they oscillate */
    TAUT_PRESET_MOMENTUM,         /* implicit Euler in momenta, M v' - J^T gam = M v + h f: the primal family */
    TAUT_PRESET_BAUMGARTE,     /* accelerations by symplectic Euler, critically stabilised within ten steps of 1/60 s */
    TAUT_PRESET_BAUMGARTE_RK4, /* the same by RK4 */
    TAUT_PRESET_COUNT
} taut_preset;

/* Sets the fields that the preset names. */
TAUT_API taut_status taut_integrator_preset(taut_preset preset, taut_integrator* integrator);
/* "explicit_euler", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_preset_name(taut_preset preset);
/* ka = 2 ratio / time_constant, kb = 1 / time_constant^2: ratio 1 is critical. time_constant > 0 s, ratio >= 0. */
TAUT_API taut_status taut_integrator_baumgarte(double time_constant, double ratio, taut_integrator* integrator);

#ifdef __cplusplus
}
#endif

#endif
