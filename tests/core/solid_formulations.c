#include "solid_formulations.h"

#include "phys_scenes.h"

const solid_formulation solid_formulations[SOLID_FORMULATIONS] = {
    {"explicit Euler", TAUT_PRESET_EXPLICIT_EULER, 0, 1, false, false, 0, 1},
    {"symplectic Euler", TAUT_PRESET_SYMPLECTIC_EULER, 0, 1, false, false, 0, 1},
    {"implicit Euler", TAUT_PRESET_IMPLICIT_EULER, 0, 1, false, false, 0, 1},
    {"implicit Euler, Newton", TAUT_PRESET_IMPLICIT_EULER, 0, 30, false, false, 0, 1},
    {"implicit Euler, projected", TAUT_PRESET_IMPLICIT_EULER, 0, 1, false, false, 3, 1},
    {"momentum saddle point", TAUT_PRESET_MOMENTUM, 0, 1, false, false, 0, 1},
    {"theta = 0.65", TAUT_PRESET_MIDPOINT, 0.65, 1, false, false, 0, 1},
    {"midpoint", TAUT_PRESET_MIDPOINT, 0, 1, false, false, 0, 1}, /* 2 where nothing is compressed or damped */
    {"midpoint, Newton", TAUT_PRESET_MIDPOINT, 0, 30, false, false, 0, 2},
    {"midpoint in two stages", TAUT_PRESET_MIDPOINT, 0, 30, true, false, 0, 2},
    {"accelerations, symplectic Euler", TAUT_PRESET_BAUMGARTE, 0, 1, false, false, 0, 1},
    {"accelerations, Baumgarte", TAUT_PRESET_BAUMGARTE, 0, 1, false, true, 0, 1},
    {"accelerations, RK4", TAUT_PRESET_BAUMGARTE_RK4, 0, 1, false, false, 0, 4},
    {"accelerations, RK4, Baumgarte", TAUT_PRESET_BAUMGARTE_RK4, 0, 1, false, true, 0, 4},
    {"accelerations, RK4, projected", TAUT_PRESET_BAUMGARTE_RK4, 0, 1, false, false, 3, 4},
};

taut_integrator solid_integrator(const solid_formulation* formulation) {
    taut_integrator integrator = phys_preset(formulation->preset);
    if (formulation->theta > 0) {
        integrator.alpha = integrator.beta = formulation->theta;
    }
    if (!formulation->stabilised) {
        integrator.baumgarte_velocity = integrator.baumgarte_position = 0;
    }
    integrator.newton = formulation->newton;
    integrator.newton_tolerance = 1e-10;
    integrator.two_stage = formulation->two_stage;
    integrator.project_positions = formulation->projections;
    integrator.project_velocities = formulation->projections > 0;
    return integrator;
}
