#include "formulations.h"

const formulation formulations[FORMULATION_COUNT] = {
    [EXPLICIT_EULER] = {"explicit Euler", TAUT_PRESET_EXPLICIT_EULER, 0, 1, false, false, 0, 1},
    [SYMPLECTIC_EULER] = {"symplectic Euler", TAUT_PRESET_SYMPLECTIC_EULER, 0, 1, false, false, 0, 1},
    [IMPLICIT_EULER] = {"implicit Euler", TAUT_PRESET_IMPLICIT_EULER, 0, 1, false, false, 0, 1},
    [IMPLICIT_EULER_NEWTON] = {"implicit Euler, Newton", TAUT_PRESET_IMPLICIT_EULER, 0, 30, false, false, 0, 1},
    [IMPLICIT_EULER_PROJECTED] = {"implicit Euler, projected", TAUT_PRESET_IMPLICIT_EULER, 0, 1, false, false, 3, 1},
    [MOMENTUM] = {"momentum saddle point", TAUT_PRESET_MOMENTUM, 0, 1, false, false, 0, 1},
    [THETA] = {"theta = 0.65", TAUT_PRESET_MIDPOINT, 0.65, 1, false, false, 0, 1},
    [MIDPOINT] = {"midpoint", TAUT_PRESET_MIDPOINT, 0, 1, false, false, 0, 1},
    [MIDPOINT_NEWTON] = {"midpoint, Newton", TAUT_PRESET_MIDPOINT, 0, 30, false, false, 0, 2},
    [MIDPOINT_TWO_STAGE] = {"midpoint in two stages", TAUT_PRESET_MIDPOINT, 0, 30, true, false, 0, 2},
    [ACCELERATIONS] = {"accelerations, symplectic Euler", TAUT_PRESET_BAUMGARTE, 0, 1, false, false, 0, 1},
    [ACCELERATIONS_BAUMGARTE] = {"accelerations, Baumgarte", TAUT_PRESET_BAUMGARTE, 0, 1, false, true, 0, 1},
    [ACCELERATIONS_RK4] = {"accelerations, RK4", TAUT_PRESET_BAUMGARTE_RK4, 0, 1, false, false, 0, 4},
    [ACCELERATIONS_RK4_BAUMGARTE] = {"accelerations, RK4, Baumgarte", TAUT_PRESET_BAUMGARTE_RK4, 0, 1, false, true, 0,
                                     4},
    [ACCELERATIONS_RK4_PROJECTED] = {"accelerations, RK4, projected", TAUT_PRESET_BAUMGARTE_RK4, 0, 1, false, false, 3,
                                     4},
};

taut_integrator formulation_integrator(formulation_id id) {
    const formulation* f = &formulations[id];
    taut_integrator i = taut_default_world().integrator;
    taut_integrator_preset(f->preset, &i);
    i.further = 0; /* one linearisation a step */
    if (f->theta > 0) {
        i.alpha = i.beta = f->theta;
    }
    if (!f->stabilised) {
        i.baumgarte_velocity = i.baumgarte_position = 0;
    }
    i.newton = f->newton;
    i.newton_tolerance = 1e-9;
    i.two_stage = f->two_stage;
    i.project_positions = f->projections;
    i.project_velocities = f->projections > 0;
    return i;
}
