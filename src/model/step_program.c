#include "model/step_program.h"

#include "model/newton.h"

static void solve(const taut_program* p, taut_phase phase) {
    p->solve(p->self, phase);
}

static void linearise_and_solve(const taut_program* p, taut_phase phase) {
    p->assemble(p->self, phase);
    p->solve(p->self, phase);
}

static void move(const taut_program* p, taut_phase phase, taut_move how) {
    p->move(p->self, phase, how);
    p->evaluate(p->self);
}

static void runge_kutta(const taut_program* p) {
    for (int stage = 0; stage < TAUT_RK4_STAGES; stage++) {
        linearise_and_solve(p, TAUT_PHASE_STEP);
        move(p, TAUT_PHASE_STEP, (taut_move)(TAUT_MOVE_RK4 + stage));
    }
}

static void newton_round(const taut_program* p, taut_phase phase) {
    p->assemble(p->self, phase);
    p->check_residual(p->self, phase);
    p->if_solving(p->self, solve, phase);
    move(p, phase, TAUT_MOVE_AGAIN);
}

static void newton(const taut_program* p, const taut_integrator* i) {
    const taut_phase first = i->two_stage ? TAUT_PHASE_FREE : TAUT_PHASE_STEP;
    const taut_phase again = i->two_stage ? TAUT_PHASE_FREE_RENEW : TAUT_PHASE_RENEW;
    linearise_and_solve(p, first);
    move(p, again, TAUT_MOVE_BEGIN);
    if (i->newton > 1) {
        p->repeat(p->self, newton_round, again);
    }
    if (i->two_stage) {
        move(p, TAUT_PHASE_CONSTRAIN, TAUT_MOVE_LOOK);
        linearise_and_solve(p, TAUT_PHASE_CONSTRAIN);
    }
    move(p, i->two_stage ? TAUT_PHASE_CONSTRAIN : again, TAUT_MOVE_END);
}

static void make_step(const taut_program* p, taut_phase phase) {
    linearise_and_solve(p, phase);
    move(p, phase, TAUT_MOVE_STEP);
}

static void make_step_ahead(const taut_program* p, taut_phase phase) {
    move(p, phase, TAUT_MOVE_GUESS);
    linearise_and_solve(p, phase);
    move(p, phase, TAUT_MOVE_ARRIVE);
}

/* Newton's method from the step that has been made: what the first system gave is its first iterate. */
static void make_again(const taut_program* p, taut_phase phase) {
    p->move(p->self, phase, TAUT_MOVE_REOPEN);
    move(p, phase, TAUT_MOVE_BEGIN);
    p->repeat(p->self, newton_round, phase);
    move(p, phase, TAUT_MOVE_END);
}

/* The backend's step is that of a stage. */
static void two_stages(const taut_program* p, const taut_integrator* i) {
    newton(p, i);
    move(p, TAUT_PHASE_STEP, TAUT_MOVE_AHEAD);
    newton(p, i);
}

static void project(const taut_program* p, const taut_integrator* i) {
    p->move(p->self, TAUT_PHASE_POSITIONS, TAUT_MOVE_SPARE);
    for (uint32_t round = 0; round < i->project_positions; round++) {
        linearise_and_solve(p, TAUT_PHASE_POSITIONS);
        move(p, TAUT_PHASE_POSITIONS, TAUT_MOVE_POSITIONS);
    }
    if (i->project_velocities) {
        linearise_and_solve(p, TAUT_PHASE_VELOCITIES);
        move(p, TAUT_PHASE_VELOCITIES, TAUT_MOVE_VELOCITIES);
    }
    p->move(p->self, TAUT_PHASE_POSITIONS, TAUT_MOVE_RESTORE);
}

void taut_program_substep(const taut_program* p, const taut_integrator* i) {
    const bool projects = i->project_positions > 0 || i->project_velocities;
    p->collide(p->self);
    if (projects) {
        p->move(p->self, TAUT_PHASE_STEP, TAUT_MOVE_START);
    }
    if (i->formulation == TAUT_FORMULATION_ACCELERATION && i->stepper == TAUT_STEPPER_RK4) {
        runge_kutta(p);
    } else if (i->sdirk) {
        two_stages(p, i);
    } else if (i->two_stage || i->newton > 1) {
        newton(p, i);
    } else if (newton_looks(i)) {
        p->if_ahead(p->self, true, make_step_ahead, TAUT_PHASE_AHEAD);
        p->if_ahead(p->self, false, make_step, TAUT_PHASE_STEP);
        p->if_stretched(p->self, make_again, TAUT_PHASE_RENEW);
    } else {
        make_step(p, TAUT_PHASE_STEP);
    }
    if (projects) {
        project(p, i);
    }
}
