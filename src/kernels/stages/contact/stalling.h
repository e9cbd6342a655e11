/* Motors and hard drives without a largest force stall. A contact gives way by its R and a hard row does not, so that a
 * motor would press what it moves through what it meets, at any speed. So the solution is looked at. A contact may bear
 *     P = m (20 g h + |v|)
 * m ten times the heavier mass of what hangs together on either side, but no more than there is, v the speeds along its
 * normal of what touches. Where it bears more, p P, and sinks in all the same by the speed of a motor, that gets the
 * largest force F >= |gam_m|/(h p), a power of two, and the system is solved again. A motor that needs less where
 * nothing bears as much any longer has no largest force in the next substep. That of one that stalls there grows: what
 * it moves is heavier than was foreseen.
 *
 * A motor presses at a contact where its axis does, and its force is of the size of what that bears: what holds what it
 * has gripped, and carries it away, does not. A motor at rest holds what it holds. */
#ifndef TAUT_CONTACT_STALLING_H
#define TAUT_CONTACT_STALLING_H

#include "kernels/stages/bounds.h"
#include "kernels/stages/contact/wedged.h"
#include "kernels/stages/misfit.h"
#include "model/depths.h"

#define TAUT_STALL_WEIGHTS 20
#define TAUT_STALL_CARRIES 10
/* Of half of what is thinner: as much deeper may it be after a substep. */
#define TAUT_STALL_DEEPER 0.1
/* Of the speed at which a motor would move a contact: as fast as one sinks in that does not bear its load. */
#define TAUT_STALL_SINKS 0.02
/* Of the axis of a motor, and of the load of a contact: what presses there. */
#define TAUT_STALL_ALONG 0.1
/* Of P: what presses still. */
#define TAUT_STALL_BEARS 0.5
/* Times, in a substep, that a largest force grows. */
#define TAUT_STALL_GROWS 2
/* p of a motor that stalls already, and may press others into it. */
#define TAUT_STALL_AGAIN 2
/* Of an impulse: a largest one that is as good. */
#define TAUT_STALL_CLOSE 0.5

/* A motor without a largest force. */
typedef struct eager_motor {
    size_t row, c;
    int kind;
    uint32_t moves; /* what, as `hangs` counts */
} eager_motor;

TAUT_FN eager_motor eager_of(const taut_fields* f, size_t e) {
    const uint32_t* values = f->eager + TAUT_EAGER_VALUES * e;
    const eager_motor motor = {values[0], values[2], (int)values[1], values[3]};
    return motor;
}

TAUT_FN void bound_eager(const taut_fields* f, const eager_motor* motor, double force) {
    f->bound[2 * motor->row] = -force;
    f->bound[2 * motor->row + 1] = force;
}

/* Whether largest forces change before a system of that phase; not in steps of which gradients are taken. */
TAUT_FN bool eases_motors(const taut_sizes* s, bool derived, taut_phase phase) {
    return s->eager > 0 && !derived && taut_begins(phase) && !taut_projects(phase);
}

/* ---- contacts ------------------------------------------------------------------------------------------------------
 */

/* A contact that bears much. */
typedef struct pressed_contact {
    size_t c;
    double load, sinks; /* N s; m/s */
    double part;        /* p */
} pressed_contact;

/* How fast the things of contact c move in the end where it touches, along the normal; and towards each other, m/s. */
TAUT_FN double speeds_at_contact(const taut_fields* f, size_t c, const taut_factors* step, double* sinks) {
    const uint32_t* nodes = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    const double* v = taut_renews(step->phase) ? f->v0 : f->v;
    double ends[contact_NODES][3], more[2][contact_NODES][3], speed[3], moves = 0;
    contact_jacobian jac;
    gather(v, 3, nodes, contact_NODES, ends);
    gather(f->free_dv, 4, nodes, contact_NODES, more[0]);
    gather(f->g_f64, 4, nodes, contact_NODES, more[1]);
    load_jacobian_contact(&f->kinds[TAUT_CONTACT], c, &jac);
    *sinks = 0;
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        double alone[contact_NODES][3] = {{0}};
        vec3_axpy(1, ends[slot], alone[slot]);
        vec3_axpy(1, more[0][slot], alone[slot]);
        vec3_axpy(1, more[1][slot], alone[slot]);
        contact_apply_jacobian(&jac, alone, speed);
        moves += fabs(speed[0]);
        *sinks -= speed[0];
    }
    return moves;
}

/* m of contact c, kg. */
TAUT_FN double borne_at_contact(const taut_fields* f, const taut_sizes* s, size_t c) {
    double mass = 0;
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        const uint32_t n = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + slot];
        mass = contact_acts(f, c, slot) ? fmax(mass, f->hangs_mass[n]) : mass;
    }
    return fmin(TAUT_STALL_CARRIES * mass, s->weighs);
}

/* By how much deeper contact c, which sinks in at that speed, is in the end, in parts of what it may be in a substep.
 */
TAUT_FN double deeper_at_contact(const taut_fields* f, const taut_sizes* s, size_t c, double sinks,
                                 const taut_factors* step) {
    const double gap = fmax(f->phi[row_of_contact(s, c, 0)], 0.0);
    return (step->h * sinks - gap) / (TAUT_STALL_DEEPER * thinner_half(f, s, c));
}

/* Contact c in the solution; p = 0 where it bears what it may. */
TAUT_FN pressed_contact look_at_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    pressed_contact out = {c, f->gam[row_of_contact(s, c, 0)], 0, 0};
    if (out.load > 0) {
        const double moves = speeds_at_contact(f, c, step, &out.sinks);
        const double may = borne_at_contact(f, s, c) * (TAUT_STALL_WEIGHTS * gravity_of(step) * step->h + moves);
        const double part = fmax(out.load / may, deeper_at_contact(f, s, c, out.sinks, step));
        out.part = part > 1 && out.sinks > 0 ? part : 0;
    }
    return out;
}

/* Likewise as it was in the last substep, in which nothing sank in any more. */
TAUT_FN pressed_contact recall_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double lam = f->lam[row_of_contact(s, c, 0)];
    const double may = lam > 0 ? TAUT_STALL_WEIGHTS * gravity_of(step) * borne_at_contact(f, s, c) : 0;
    const pressed_contact out = {c, step->h * lam, INFINITY, lam > TAUT_STALL_BEARS * may ? 1.0 : 0.0};
    return out;
}

/* ---- motors --------------------------------------------------------------------------------------------------------
 */

/* The axis of a motor, in the world, */
TAUT_FN void axis_of_motor(const taut_fields* f, const eager_motor* motor, double axis[3]) {
    prismatic_jacobian slides;
    angular_jacobian turns;
    if (motor->kind == (int)TAUT_PRISMATIC) {
        load_jacobian_prismatic(&f->kinds[TAUT_PRISMATIC], motor->c, &slides);
    } else {
        load_jacobian_angular(&f->kinds[TAUT_ANGULAR], motor->c, &turns);
    }
    for (int i = 0; i < 3; i++) {
        axis[i] = motor->kind == (int)TAUT_PRISMATIC ? slides.e[i] : turns.t[i];
    }
}

/* the centre of the body that it turns, */
TAUT_FN size_t centre_of_turned(const taut_fields* f, const taut_sizes* s, const eager_motor* motor) {
    const uint32_t* nodes = f->kinds[TAUT_ANGULAR].nodes + angular_NODES * motor->c;
    const size_t turned = f->inverse_mass[nodes[1]] > 0 ? nodes[1] : nodes[0];
    return f->frame_centre[turned - s->points];
}

/* and how fast, for each unit of its speed, what it moves goes along the normal of contact c: of a turn in m, about the
 * centre of its body, whose joint is not known. 0 where its axis is across. */
TAUT_FN double reach_of_motor(const taut_fields* f, const taut_sizes* s, const eager_motor* motor, size_t c) {
    const double* normal = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_normal;
    double axis[3], arm[3], moves[3], most = 1;
    axis_of_motor(f, motor, axis);
    memcpy(moves, axis, sizeof moves);
    if (motor->kind == (int)TAUT_ANGULAR) {
        const size_t centre = centre_of_turned(f, s, motor);
        if (centre == TAUT_NO_NODE) {
            return 0;
        }
        place_of_contact(f, s, c, arm);
        vec3_axpy(-1, f->x + 3 * centre, arm);
        vec3_cross(axis, arm, moves);
        most = sqrt(vec3_dot(arm, arm));
    }
    const double reach = fabs(vec3_dot(normal, moves));
    return reach > TAUT_STALL_ALONG * most ? reach : 0;
}

/* The speed that a motor or a drive is asked for: where a drive stalls, that of closing what it is late by. */
TAUT_FN double speed_of_eager(const taut_fields* f, const eager_motor* motor, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[motor->kind];
    if (asks_for_speed(kind, motor->c)) {
        return asked_speed(kind, motor->kind, motor->c);
    }
    const double closing = misfit_rate(kind, 1, motor->c, 0, f->clock[0], f->clock[0] + step->h);
    return gives_way(kind, motor->c) ? -(f->phi[motor->row] - kind->misfit[2 * motor->c]) / step->h
                                     : kind->rate[motor->c] + closing;
}

/* Whether a motor with this impulse presses at a contact, which sinks in by that. */
TAUT_FN bool presses_at(const taut_fields* f, const taut_sizes* s, const eager_motor* motor, double impulse,
                        const pressed_contact* at, const taut_factors* step) {
    const double reach = reach_of_motor(f, s, motor, at->c), speed = reach * fabs(speed_of_eager(f, motor, step));
    return reach > 0 && fabs(impulse) > TAUT_STALL_ALONG * reach * at->load && at->sinks > TAUT_STALL_SINKS * speed;
}

TAUT_FN bool touches_at(const taut_fields* f, const eager_motor* motor, size_t c) {
    bool any = false;
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        const uint32_t n = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + slot];
        any = any || (contact_acts(f, c, slot) && f->hangs_mass[n] > 0 && f->hangs[n] == motor->moves);
    }
    return any;
}

/* Notes p of motor e. */
TAUT_FN void note_pressed(const taut_fields* f, size_t e, double part) {
#ifdef __CUDA_ARCH__
    atomicMax(f->eager_pressed + e, taut_depth_bits(part)); /* the largest one, in any order */
#else
    const uint32_t bits = taut_depth_bits(part);
    f->eager_pressed[e] = f->eager_pressed[e] > bits ? f->eager_pressed[e] : bits;
#endif
}

/* Notes p of all that press at a contact; `last`: in the last substep. */
TAUT_FN void note_contact(const taut_fields* f, const taut_sizes* s, const pressed_contact* at, bool last,
                          const taut_factors* step) {
    for (size_t e = 0; at->part > 0 && e < s->eager; e++) {
        const eager_motor motor = eager_of(f, e);
        const double impulse = last ? step->h * f->lam[motor.row] : f->gam[motor.row];
        if (touches_at(f, &motor, at->c) && presses_at(f, s, &motor, impulse, at, step)) {
            note_pressed(f, e, at->part);
        }
    }
}

/* A drive that stalls is late: what it lacks is a misfit, of which it closes as much in the substep as it would in the
 * closing time; and once it is free, all of it in that time. */
TAUT_FN void delay_drive(const taut_fields* f, const eager_motor* motor, bool stalls, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[motor->kind];
    double* misfit = kind->misfit + 2 * motor->c;
    const double time = fmax(step->closing_time, step->h);
    misfit[0] = f->phi[motor->row] * (stalls ? 1 - step->h / time : 1);
    misfit[1] = time;
    kind->closes[motor->c] = stalls ? TAUT_GIVES_WAY : f->clock[0] + time;
}

/* Motor e at the start of a substep. */
TAUT_FN void ease_motor(const taut_fields* f, size_t e, const taut_factors* step) {
    const eager_motor motor = eager_of(f, e);
    const double force = f->bound[2 * motor.row + 1];
    const bool stalls = hold_of_force(f->lam[motor.row], f->bound + 2 * motor.row) != TAUT_HELD_NOT;
    const bool presses = f->eager_pressed[e] > 0, late = force < TAUT_EAGER_FORCE;
    f->eager_pressed[e] = 0;
    if (late && !asks_for_speed(&f->kinds[motor.kind], motor.c)) {
        delay_drive(f, &motor, stalls, step);
    }
    if (late && !presses) { /* else one jaw would drive another as soon as it needs less */
        bound_eager(f, &motor, stalls ? fmin(TAUT_STALL_GROWS * force, TAUT_EAGER_FORCE) : TAUT_EAGER_FORCE);
    }
}

/* The power of two that is no less: motors that press against each other get the same, and neither drives the other. */
TAUT_FN double next_power(double force) {
    int exponent;
    const double part = frexp(force, &exponent);
    return ldexp(part > 0.5 ? 1 : part, exponent);
}

/* Motor e after a solve; whether it stalls by another force. */
TAUT_FN bool stall_motor(const taut_fields* f, size_t e, const taut_factors* step) {
    const eager_motor motor = eager_of(f, e);
    const double part = taut_depth_of(f->eager_pressed[e]), gam = f->gam[motor.row];
    const bool again = f->bound[2 * motor.row + 1] < TAUT_EAGER_FORCE;
    const bool drives = gam * speed_of_eager(f, &motor, step) > 0;
    f->eager_pressed[e] = 0;
    if (!drives || part <= (again ? TAUT_STALL_AGAIN : 1)) {
        return false;
    }
    const double most = fmax(fabs(gam) / part, step->h * fabs(f->lam[motor.row]));
    if (!(most > 0) || most > TAUT_STALL_CLOSE * fabs(gam)) { /* a force of 0 would never grow */
        return false;
    }
    bound_eager(f, &motor, next_power(most / step->h));
    return true;
}

#endif
