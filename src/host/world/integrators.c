/* Integrators: their ranges, and those that have names. */
#include "base/status.h"
#include "host/world/world_data.h"

#include <math.h>

static taut_status check_number(const char* name, double value, bool positive, double most) {
    if (positive ? value > 0 && value <= most : value >= 0 && value <= most) {
        return TAUT_OK;
    }
    return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: %s is %g; it must lie in %s0, %g].", name, value,
                     positive ? "(" : "[", most);
}

#define MOST_FACTOR 1e6

static taut_status check_primal(const taut_primal* p) {
    taut_status status = check_number("primal.a", p->a, true, MOST_FACTOR);
    status = status == TAUT_OK ? check_number("primal.b", p->b, false, MOST_FACTOR) : status;
    status = status == TAUT_OK ? check_number("primal.c", p->c, true, MOST_FACTOR) : status;
    status = status == TAUT_OK ? check_number("primal.e", p->e, false, MOST_FACTOR) : status;
    return status == TAUT_OK ? check_number("primal.g", p->g, false, MOST_FACTOR) : status;
}

static taut_status check_choices(const taut_integrator* i) {
    if ((unsigned)i->formulation > TAUT_FORMULATION_ACCELERATION) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: formulation %d does not exist.", (int)i->formulation);
    }
    if ((unsigned)i->stepper > TAUT_STEPPER_RK4) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: stepper %d does not exist.", (int)i->stepper);
    }
    if ((unsigned)i->geometric_stiffness > TAUT_GEOMETRIC_FULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: geometric stiffness %d does not exist.",
                         (int)i->geometric_stiffness);
    }
    const bool renews = i->newton > 1 || i->two_stage;
    if (renews && i->formulation != TAUT_FORMULATION_THETA) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: newton and two_stage belong to the theta formulation.");
    }
    if (i->newton > 1 && i->split_forces && !i->two_stage) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "integrator: newton needs one theta for forces and constraints, or two_stage.");
    }
    const bool plain = i->formulation == TAUT_FORMULATION_THETA && i->alpha == 1 && i->beta == 1 && !i->split_forces;
    if (i->sdirk && !(plain && i->guard && !i->two_stage && i->project_positions == 0 && !i->project_velocities)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: sdirk goes with alpha and beta 1 of the theta method and "
                                                "guard, not with split_forces, two_stage or projections.");
    }
    if (i->newton > 1000 || i->further > 1000 || i->project_positions > 100) {
        return taut_fail(
            TAUT_INVALID_ARGUMENT,
            "integrator: newton is %u, further %u and project_positions %u; they go to 1000, 1000 and 100.", i->newton,
            i->further, i->project_positions);
    }
    if (i->substeps == 0 || i->substeps > 100000) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: substeps is %u; it must lie in 1 to 100000.", i->substeps);
    }
    return TAUT_OK;
}

taut_status world_check_reserved(const char* name, const uint64_t* reserved, int count) {
    for (int i = 0; i < count; i++) {
        if (reserved[i] != 0) {
            return taut_fail(TAUT_INVALID_DEFINITION, "%s: reserved[%d] must be 0 in version %s.", name, i,
                             taut_version());
        }
    }
    return TAUT_OK;
}

taut_status world_check_integrator(const taut_integrator* i) {
    taut_status status = world_check_reserved("integrator", i->reserved, 6);
    status = status == TAUT_OK ? check_choices(i) : status;
    status = status == TAUT_OK ? check_number("alpha", i->alpha, true, 1) : status;
    status = status == TAUT_OK ? check_number("beta", i->beta, false, 1) : status;
    status = status == TAUT_OK ? check_number("hard_row_damping", i->hard_row_damping, false, MOST_FACTOR) : status;
    status = status == TAUT_OK ? check_number("force_theta_q", i->force_theta_q, false, 1) : status;
    status = status == TAUT_OK ? check_number("force_theta_v", i->force_theta_v, false, 1) : status;
    status = status == TAUT_OK ? check_number("newton_tolerance", i->newton_tolerance, false, 1) : status;
    status = status == TAUT_OK ? check_number("closing_time", i->closing_time, false, MOST_FACTOR) : status;
    status = status == TAUT_OK ? check_number("mass_damping", i->mass_damping, false, 1e9) : status;
    if (status == TAUT_OK && i->formulation == TAUT_FORMULATION_PRIMAL) {
        status = check_primal(&i->primal);
    }
    status = status == TAUT_OK ? check_number("baumgarte_velocity", i->baumgarte_velocity, false, 1e9) : status;
    return status == TAUT_OK ? check_number("baumgarte_position", i->baumgarte_position, false, 1e18) : status;
}

taut_status world_refuse_sdirk(void) {
    return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: sdirk is for scenes in which nothing can touch.");
}

bool world_weighs(const taut_integrator* i) {
    return i->mass_damping > 0 || (i->formulation == TAUT_FORMULATION_PRIMAL && i->primal.a != 1);
}

static void set_theta(double alpha, double beta, double hard, taut_integrator* out) {
    out->formulation = TAUT_FORMULATION_THETA;
    out->alpha = alpha;
    out->beta = beta;
    out->split_forces = out->sdirk = false;
    out->hard_row_damping = hard;
}

static void set_force_theta(double theta_q, double theta_v, taut_integrator* out) {
    out->split_forces = true;
    out->force_theta_q = theta_q;
    out->force_theta_v = theta_v;
}

/* Ten steps of an animation. */
#define STABILISED_WITHIN (10.0 / 60)

static void set_baumgarte(taut_stepper stepper, taut_integrator* out) {
    out->formulation = TAUT_FORMULATION_ACCELERATION;
    out->stepper = stepper;
    out->sdirk = false;
    taut_integrator_baumgarte(STABILISED_WITHIN, 1, out);
}

taut_status taut_integrator_preset(taut_preset preset, taut_integrator* out) {
    if (out == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator must not be NULL.");
    }
    switch (preset) {
    case TAUT_PRESET_EXPLICIT_EULER:
        set_theta(1, 0, 1, out);
        set_force_theta(0, 0, out);
        return TAUT_OK;
    case TAUT_PRESET_SYMPLECTIC_EULER:
        set_theta(1, 1, 0, out);
        set_force_theta(0, 1, out);
        return TAUT_OK;
    case TAUT_PRESET_IMPLICIT_EULER:
        set_theta(1, 1, 0, out);
        return TAUT_OK;
    case TAUT_PRESET_SDIRK2:
        set_theta(1, 1, 0, out);
        out->sdirk = true;
        return TAUT_OK;
    case TAUT_PRESET_MIDPOINT:
        set_theta(0.5, 0.5, 1, out);
        return TAUT_OK;
    case TAUT_PRESET_MOMENTUM:
        out->formulation = TAUT_FORMULATION_PRIMAL;
        out->beta = 1;
        out->sdirk = false;
        out->primal = (taut_primal){1, 1, 1, 1, 1};
        return TAUT_OK;
    case TAUT_PRESET_BAUMGARTE:
        set_baumgarte(TAUT_STEPPER_SYMPLECTIC_EULER, out);
        return TAUT_OK;
    case TAUT_PRESET_BAUMGARTE_RK4:
        set_baumgarte(TAUT_STEPPER_RK4, out);
        return TAUT_OK;
    default:
        return taut_fail(TAUT_INVALID_ARGUMENT, "preset %d does not exist.", (int)preset);
    }
}

const char* taut_preset_name(taut_preset preset) {
    static const char* const names[TAUT_PRESET_COUNT] = {
        "explicit_euler", "symplectic_euler", "implicit_euler", "midpoint",
        "momentum",       "baumgarte",        "baumgarte_rk4",  "sdirk2"};
    return (unsigned)preset < TAUT_PRESET_COUNT ? names[preset] : "unknown";
}

#define PREVIEW_TOLERANCE 1e-2
#define FINAL_TOLERANCE   1e-5

taut_status taut_quality_preset(taut_quality quality, taut_integrator* integrator, taut_solver* solver) {
    if (integrator == NULL || solver == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator and solver must not be NULL.");
    }
    switch (quality) {
    case TAUT_QUALITY_PREVIEW:
        integrator->substeps -= integrator->substeps / 2;
        solver->tolerance = fmax(solver->tolerance, PREVIEW_TOLERANCE);
        return TAUT_OK;
    case TAUT_QUALITY_FINAL:
        integrator->substeps *= 2;
        solver->tolerance = fmin(solver->tolerance, FINAL_TOLERANCE);
        return TAUT_OK;
    default:
        return taut_fail(TAUT_INVALID_ARGUMENT, "quality %d does not exist.", (int)quality);
    }
}

const char* taut_quality_name(taut_quality quality) {
    static const char* const names[TAUT_QUALITY_COUNT] = {"preview", "final"};
    return (unsigned)quality < TAUT_QUALITY_COUNT ? names[quality] : "unknown";
}

taut_status taut_integrator_baumgarte(double time_constant, double ratio, taut_integrator* out) {
    if (out == NULL || !(time_constant > 0 && ratio >= 0) || !isfinite(ratio / (time_constant * time_constant))) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "time constant %g s, ratio %g; it takes a positive time, a ratio of "
                         "at least 0, and an integrator.",
                         time_constant, ratio);
    }
    out->baumgarte_velocity = 2 * ratio / time_constant;
    out->baumgarte_position = 1 / (time_constant * time_constant);
    return TAUT_OK;
}
