/* The integrator: which equations a step solves.
 *
 * taut has three formulations: the theta method, the primal family, and constraints on accelerations. Each formulation
 * is a choice of coefficients of one linear system (docs/mathematics.md, "Formulations"). In this header h is the
 * length of a substep, x and v are positions and velocities at its start, x' and v' those at its end, and a is the
 * acceleration. */
#ifndef TAUT_INTEGRATOR_H
#define TAUT_INTEGRATOR_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Geometric stiffness: the change of constraint forces as their directions change. */
typedef enum taut_geometric_stiffness {
    TAUT_GEOMETRIC_NONE = 0, /* geometric stiffness is omitted */
    TAUT_GEOMETRIC_FULL = 1  /* A contains the stabilising part of G(lam), and the right-hand side its term */
} taut_geometric_stiffness;

/* Formulations of a step. */
typedef enum taut_formulation {
    TAUT_FORMULATION_THETA = 0,       /* the theta method: forces are evaluated at positions and velocities between
                                         the ends of the step; parameters alpha, beta, force_theta_* */
    TAUT_FORMULATION_PRIMAL = 1,      /* the primal family a M v' + J^T (b D + c K) J v' = e p - g J^T K phi with p =
                                         M v + h f, solved in terms of compliances; parameters in taut_primal */
    TAUT_FORMULATION_ACCELERATION = 2 /* hard rows satisfy J a = -Jdot v - ka J v - kb phi; rows with compliance act
                                         explicitly, with the force of the current state; batches that are used as
                                         forces are implicit, but with RK4 */
} taut_formulation;

/* How the acceleration formulation integrates accelerations. */
typedef enum taut_stepper {
    TAUT_STEPPER_SYMPLECTIC_EULER = 0, /* v' = v + h a, x' = x + h v' */
    TAUT_STEPPER_RK4 = 1               /* the classical Runge-Kutta method of fourth order; the unknowns of frames
                                          are rotation vectors */
} taut_stepper;

/* Coefficients of the primal family. b, c and g are given in units of h, h^2 and h. The unknown is v', and
 * x' = x + h (beta v' + (1 - beta) v). The values {1, 1, 1, 1, 1} are implicit Euler. a, c > 0; b, e, g >= 0. */
typedef struct taut_primal {
    double a, b, c, e, g; /* coefficient of the primal family, see docs/mathematics.md */
} taut_primal;

/* The formulation of a step and its coefficients. */
typedef struct taut_integrator {
    taut_formulation formulation;                 /* default theta */
    double alpha;                                 /* (0, 1]: implicitness of velocities; default 1 */
    double beta;                                  /* [0, 1]: implicitness of positions; default 1 */
    taut_geometric_stiffness geometric_stiffness; /* default full */
    double hard_row_damping; /* >= 0: hard rows (compliance 0) have at least the damping time hard_row_damping * h, and
                                rows of the compliance C max(0, 1 - C/(h^2 w)) times that, w their diagonal of
                                J M^-1 J^T; default 0. alpha < 1 needs the value 1: otherwise these rows oscillate from
                                step to step. If beta = 0, hard rows alone are damped, and a value below 1 counts as
                                1 */
    bool guard;              /* true: no part of a step is kept that gains energy it was not given, ends with a residual
                                above 1 or is not finite; it is subdivided, then damped (taut_step_info.subdivided,
                                .damped). False: only a state that is not finite is refused, at once. Energy is watched
                                in the theta method alone, with beta > 0 and forces that are not explicit. Default
                                true */
    uint32_t substeps;       /* >= 1: taut_world_step(dt) makes this many substeps of h = dt / substeps; default 1 */
    bool split_forces;       /* true: force elements and batches used as forces are evaluated at force_theta_q and
                                force_theta_v; false: at alpha. Default false */
    double force_theta_q;    /* [0, 1]: forces are evaluated at positions of this fraction of the step. If force_theta_q
                                and force_theta_v are both 0, forces are explicit */
    double force_theta_v;    /* [0, 1]: forces are evaluated at velocities of this fraction of the step */
    double mass_damping;     /* 1/s, >= 0: the force -mass_damping M v, the mass-proportional part of Rayleigh damping;
                                default 0. The stiffness-proportional part is the damping time of each batch */
    taut_primal primal;      /* default 1, 1, 1, 1, 1 */
    bool two_stage;  /* theta method only. True: the first stage computes the motion v* by forces alone (by Newton's
                        method if newton > 1), and constraints then correct it, A (v' - v*) = J^T gam. Default false */
    uint32_t newton; /* theta method only, at most 1000: the most linearisations of a substep; 0 and 1 mean one;
                        default 1. With more than one, Newton's method solves the nonlinear step, with every force and
                        every constraint at the x and v of the theta method. split_forces then needs two_stage */
    double newton_tolerance;    /* [0, 1): relative tolerance of both residuals of the nonlinear step; default 1e-6 */
    taut_stepper stepper;       /* acceleration formulation; default symplectic Euler */
    double baumgarte_velocity;  /* ka, 1/s, >= 0; default 0 */
    double baumgarte_position;  /* kb, 1/s^2, >= 0; default 0 */
    uint32_t project_positions; /* at most 100: the number of linearised projections of the positions onto phi = 0 of
                                   the hard rows after each substep, in the metric of A; default 0. Two or three reach
                                   rounding errors. Projections reduce a scheme whose constraints hold between the
                                   ends of a step (alpha < 1) to first order */
    bool project_velocities;    /* true: after the projections of positions, the velocities are projected onto the null
                                   space of J of the hard rows; default false */
    bool sdirk; /* true: a substep is two stages of implicit Euler of (1 - 1/sqrt 2) h each, SDIRK2: of second order,
                   and damps what is stiff. Needs alpha = beta = 1 of the theta method and guard, neither two_stage nor
                   projections, and a scene in which nothing can touch. `newton` counts for each stage. Default false */
    uint32_t further; /* at most 1000: the most linearisations beyond `newton` of a substep in which something stiff is
                         stretched by more than half a percent, or a joint is open by a thousandth of its arms. A
                         substep that needs none costs no more. Theta method with beta > 0 and guard; ignored with
                         two_stage, split_forces and projections, and with sdirk unless newton > 1; 0: none.
                         Default 3 */
    double closing_time;  /* s, >= 0: hard constraints that do not hold when they come, as two ends that are apart, get
                             there in this time, with velocities that begin and end at 0; the work of that is one of
                             drives. Those with a damping time of a step and more, and rows with a bound on the force
                             that closes them, close by that. 0: in a step h, with the speed phi/h. Worlds that record
                             gradients have 0. Default 0.3 */
    uint64_t reserved[6]; /* 0 */
} taut_integrator;

/* Named integrators. A preset sets some fields of taut_integrator and leaves the others unchanged. */
typedef enum taut_preset {
    TAUT_PRESET_EXPLICIT_EULER = 0,   /* forces at the start of the step, x' = x + h v; hard rows constrain v' */
    TAUT_PRESET_SYMPLECTIC_EULER = 1, /* forces at the start of the step, x' = x + h v' */
    TAUT_PRESET_IMPLICIT_EULER = 2,   /* forces and velocities at the end of the step */
    TAUT_PRESET_MIDPOINT = 3,         /* forces and velocities at the middle of the step; the damping time of hard
                                         rows is one step, because they would oscillate otherwise. Hard and stiff rows
                                         that turn keep their energy with `newton` 3, which is not set here; with 1 a
                                         pendulum loses most of it in ten seconds */
    TAUT_PRESET_MOMENTUM = 4,         /* implicit Euler for momenta, M v' - J^T gam = M v + h f, in the primal family */
    TAUT_PRESET_BAUMGARTE = 5,        /* accelerations by symplectic Euler, with critical stabilisation and a time
                                         constant of ten steps of 1/60 s */
    TAUT_PRESET_BAUMGARTE_RK4 = 6,    /* as TAUT_PRESET_BAUMGARTE, with RK4 */
    TAUT_PRESET_SDIRK2 = 7,           /* two stages of implicit Euler, of second order: taut_integrator.sdirk */
    TAUT_PRESET_COUNT
} taut_preset;

/* Sets the fields of `integrator` that the preset defines. */
TAUT_API taut_status taut_integrator_preset(taut_preset preset, taut_integrator* integrator);
/* "explicit_euler", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_preset_name(taut_preset preset);
/* Sets the Baumgarte parameters: ka = 2 ratio / time_constant and kb = 1 / time_constant^2. A ratio of 1 is critical
 * damping. time_constant > 0 s, ratio >= 0. */
TAUT_API taut_status taut_integrator_baumgarte(double time_constant, double ratio, taut_integrator* integrator);

#ifdef __cplusplus
}
#endif

#endif
