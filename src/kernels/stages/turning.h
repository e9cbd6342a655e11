/* What turns as one although its forces balance each other: trusses and nets of bars.
 *
 * Gamma has the stabilising part of every force alone (docs/mathematics.md, "Forces that balance each other"). Where
 * forces balance each other, as in a truss one bar of which is too long, what is left of those that pull resists
 * turning the whole, which their sum does not. After the solve the part gets back the angular impulse that its bars
 * took, as a motion of a rigid body, which stretches nothing:
 *
 *     T = sum over bars d x (impulse on the second end),   (M_R + B^T B / W) w = -(0, T),   dv += R w
 *
 * R: the six motions of a rigid body, M_R = R^T M R, B the rows of R at the fixed ends of its bars, W the compliance
 * C/(h l) of these. One item is one part: it walks its nodes and what acts on them. */
#ifndef TAUT_STAGES_TURNING_H
#define TAUT_STAGES_TURNING_H

#include "kernels/stages/frames.h"

#include <string.h>

/* Forces balance each other where the sum of those that pull and push, as a stiffness against turning, is below these
 * parts of those that pull alone: fully, and not at all. */
#define TAUT_BALANCED   0.1
#define TAUT_UNBALANCED 0.5
/* Less inertia than this part of the part's own makes no difference. */
#define TAUT_LEAST_TURNING 1e-4
/* Compliance of what holds a part, of the inverse of its mass. */
#define TAUT_HELD_COMPLIANCE 1e-8

typedef struct turning_part {
    uint32_t number, begin, end; /* into turning_node */
    double pulls, sum;           /* kg m^2: traces of alpha beta h^2 times the stiffness against turning */
    double mass;                 /* kg */
    double centre[3];            /* m */
    double inertia[6];           /* kg m^2, about the centre */
    double length;               /* m: radius of gyration */
    double torque[3];            /* N m s: -T */
    double held[6][6];           /* M_R + B^T B / W; turns in units of 1/length */
} turning_part;

TAUT_FN bool is_of_part(const taut_fields* f, uint32_t part, size_t n) {
    return f->turning_part[n] == part && f->inverse_mass[n] > 0;
}

/* Whether a slot is the first one of a constraint that is of the part: each is met once. */
TAUT_FN bool is_met_first(const taut_fields* f, uint32_t part, const uint32_t* nodes, size_t slot) {
    for (size_t i = 0; i < slot; i++) {
        if (is_of_part(f, part, nodes[i])) {
            return false;
        }
    }
    return true;
}

TAUT_FN void bar_of(const taut_fields* f, size_t c, double d[3]) {
    const uint32_t* nodes = f->kinds[TAUT_DISTANCE].nodes + distance_NODES * c;
    vec3_sub(f->x + 3 * (size_t)nodes[1], f->x + 3 * (size_t)nodes[0], d);
}

/* alpha beta h^2 F of bar c, F > 0 where it pulls. */
TAUT_FN double bar_pull(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[TAUT_DISTANCE];
    const size_t row = s->first_row[TAUT_DISTANCE] + place_of(s->count[TAUT_DISTANCE], distance_ROWS, c, 0);
    return -step->factor_scale[law_of(kind, c, step) - step->law] * f->lam_smooth[row];
}

/* The trace of F |d| (1 - n n^T). */
TAUT_FN void add_bar_stiffness(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                               turning_part* p) {
    double d[3];
    bar_of(f, c, d);
    const double stiffness = 2 * sqrt(vec3_dot(d, d)) * bar_pull(f, s, c, step);
    p->pulls += stiffness > 0 ? stiffness : 0;
    p->sum += stiffness;
}

/* The impulse on the second end of a bar as the solver left it, so that the part keeps its angular momentum to
 * rounding. */
TAUT_FN void bar_impulse(const taut_fields* f, const taut_sizes* s, size_t c, double impulse[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_DISTANCE];
    double gam[distance_ROWS], rows[distance_FACTOR_ROWS];
    distance_jacobian jac;
    distance_stiffness k;
    load_jacobian_distance(kind, c, &jac);
    load_unknowns_f64(f->gam + s->first_row[TAUT_DISTANCE], s->count[TAUT_DISTANCE], distance_ROWS, c, gam);
    load_unknowns_f64(f->gam + s->first_factor_row[TAUT_DISTANCE], s->count[TAUT_DISTANCE], distance_FACTOR_ROWS, c,
                      rows);
    k.factor = kind->stiffness[c];
    distance_apply_jacobian_transpose(&jac, gam, 1, impulse);
    distance_apply_factor_transpose(&jac, &k, rows, 1, impulse);
}

/* Likewise of Gamma in the condensed system, which has no such rows: they resist v/beta + dv. */
TAUT_FN void condensed_bar_impulse(const taut_fields* f, const taut_sizes* s, size_t c, const double d[3],
                                   const taut_factors* step, double impulse[3]) {
    const uint32_t* nodes = f->kinds[TAUT_DISTANCE].nodes + distance_NODES * c;
    const double pull = bar_pull(f, s, c, step), length = sqrt(vec3_dot(d, d));
    const double scale = pull > 0 && length > 1e-9 ? pull / length : 0;
    for (size_t a = 0; a < 3; a++) {
        for (size_t end = 0; end < distance_NODES; end++) {
            const size_t n = nodes[end];
            const double q = step->factor_rate * f->v[3 * n + a] + f->free_dv[4 * n + a] + f->g_f64[4 * n + a];
            impulse[a] += end == 0 ? scale * q : -scale * q;
        }
    }
}

TAUT_FN void add_bar_torque(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                            turning_part* p) {
    const size_t row = s->first_row[TAUT_DISTANCE] + place_of(s->count[TAUT_DISTANCE], distance_ROWS, c, 0);
    double d[3], impulse[3] = {0, 0, 0}, torque[3];
    bar_of(f, c, d);
    if (is_condensed(f, s, row)) {
        condensed_bar_impulse(f, s, c, d, step, impulse);
    } else {
        bar_impulse(f, s, c, impulse);
    }
    vec3_cross(impulse, d, torque);
    vec3_axpy(1, torque, p->torque);
}

/* `item` for each bar c of the part. */
#define TAUT_OVER_BARS(item)                                                                                           \
    for (uint32_t at = p->begin; at < p->end; at++) {                                                                  \
        const size_t n = f->turning_node[at];                                                                          \
        const taut_kind_fields* bars = &f->kinds[TAUT_DISTANCE];                                                       \
        for (uint32_t i = bars->offsets[n]; is_of_part(f, p->number, n) && i < bars->offsets[n + 1]; i++) {            \
            const size_t c = bars->incidence[i] / distance_NODES, slot = bars->incidence[i] % distance_NODES;          \
            if (!is_absent(bars, c) && is_met_first(f, p->number, bars->nodes + distance_NODES * c, slot)) {           \
                item;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

/* The part of what was taken that it gets back: 1 where its forces balance each other. */
TAUT_FN double share_of_part(const taut_fields* f, const taut_sizes* s, const taut_factors* step, turning_part* p) {
    TAUT_OVER_BARS(add_bar_stiffness(f, s, c, step, p))
    const double left = p->pulls > 0 ? p->sum / p->pulls : 1;
    const double share = (TAUT_UNBALANCED - left) / (TAUT_UNBALANCED - TAUT_BALANCED);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

TAUT_FN void torque_of_part(const taut_fields* f, const taut_sizes* s, const taut_factors* step, turning_part* p) {
    TAUT_OVER_BARS(add_bar_torque(f, s, c, step, p))
}
#undef TAUT_OVER_BARS

/* Mass, centre and inertia. */
TAUT_FN void weigh_part(const taut_fields* f, const taut_factors* step, turning_part* p) {
    for (uint32_t at = p->begin; at < p->end; at++) {
        const size_t n = f->turning_node[at];
        if (is_of_part(f, p->number, n)) {
            p->mass += step->inertia * f->mass[n];
            vec3_axpy(step->inertia * f->mass[n], f->x + 3 * n, p->centre);
        }
    }
    for (size_t a = 0; a < 3; a++) {
        p->centre[a] /= p->mass;
    }
    for (uint32_t at = p->begin; at < p->end; at++) {
        const size_t n = f->turning_node[at];
        double arm[3];
        if (is_of_part(f, p->number, n)) {
            vec3_sub(f->x + 3 * n, p->centre, arm);
            add_mass_at(step->inertia * f->mass[n], arm, p->inertia);
        }
    }
    p->length = sqrt((p->inertia[0] + p->inertia[1] + p->inertia[2]) / (2 * p->mass));
}

/* M_R */
TAUT_FN void begin_held(turning_part* p) {
    const double square = p->length * p->length;
    for (int i = 0; i < 3; i++) {
        p->held[i][i] = p->mass;
        p->held[3 + i][3 + i] = p->inertia[i] / square;
    }
    p->held[4][5] = p->held[5][4] = p->inertia[3] / square;
    p->held[5][3] = p->held[3][5] = p->inertia[4] / square;
    p->held[3][4] = p->held[4][3] = p->inertia[5] / square;
}

/* b += row . R: what a vector at point n says about the motions of a rigid body. */
TAUT_FN void add_rigid(const taut_fields* f, const turning_part* p, size_t n, const double row[3], double b[6]) {
    double arm[3], turned[3];
    vec3_sub(f->x + 3 * n, p->centre, arm);
    vec3_cross(arm, row, turned);
    vec3_axpy(1, row, b);
    vec3_axpy(1 / p->length, turned, b + 3);
}

/* += b b^T / W */
TAUT_FN void hold_part(const double b[6], double compliance, turning_part* p) {
    const double stiffness = 1 / (compliance + TAUT_HELD_COMPLIANCE / p->mass);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            p->held[i][j] += stiffness * b[i] * b[j];
        }
    }
}

#define TAUT_KIND_TEXT "kernels/stages/turning_kind.h"
#include "kernels/formulas/for_each_kind.h"

/* A bar to a fixed point holds the part there, across itself, too: forces that balance each other go through it. */
TAUT_FN void hold_by_bars(const taut_fields* f, size_t n, turning_part* p) {
    const taut_kind_fields* kind = &f->kinds[TAUT_DISTANCE];
    for (uint32_t i = kind->offsets[n]; i < kind->offsets[n + 1]; i++) {
        const size_t c = kind->incidence[i] / distance_NODES;
        const size_t end = kind->nodes[distance_NODES * c + 1 - kind->incidence[i] % distance_NODES];
        for (int a = 0; a < 3 && !is_absent(kind, c) && !is_of_part(f, p->number, end); a++) {
            const double row[3] = {a == 0 ? 1.0 : 0, a == 1 ? 1.0 : 0, a == 2 ? 1.0 : 0};
            double b[6] = {0, 0, 0, 0, 0, 0};
            add_rigid(f, p, end, row, b);
            hold_part(b, kind->weight[c], p);
        }
    }
}

/* Whether other things than its bars may act on the part: their impulses are to be all that it gets from outside. */
TAUT_FN bool touches_part(const taut_fields* f, const taut_sizes* s, const turning_part* p) {
    bool touches = false;
    for (uint32_t at = p->begin; at < p->end && !touches; at++) {
        const size_t n = f->turning_node[at];
#define TAUT_LOOK_FOR(name, k)                                                                                         \
    touches = touches || (s->count[k] > 0 && name##_ROWS > 0 && k != TAUT_DISTANCE && is_at_##name(f, n));
        TAUT_CONSTRAINT_KINDS(TAUT_LOOK_FOR)
#undef TAUT_LOOK_FOR
    }
    return touches;
}

TAUT_FN void hold_all_of_part(const taut_fields* f, turning_part* p) {
    for (uint32_t at = p->begin; at < p->end; at++) {
        const size_t n = f->turning_node[at];
        if (is_of_part(f, p->number, n)) {
            hold_by_bars(f, n, p);
        }
    }
}

/* w with held w = (0, torque / length), by Cholesky factors in place; turns are those in units of 1/length. */
TAUT_FN bool rigid_motion(turning_part* p, double w[6]) {
    double(*a)[6] = p->held;
    for (int i = 0; i < 6; i++) {
        w[i] = i < 3 ? 0 : p->torque[i - 3] / p->length;
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
            if (i == j && !(a[i][i] > 0)) {
                return false;
            }
            a[i][j] = i == j ? sqrt(a[i][i]) : a[i][j] / a[j][j];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            w[i] -= a[i][j] * w[j];
        }
        w[i] /= a[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++) {
            w[i] -= a[j][i] * w[j];
        }
        w[i] /= a[i][i];
    }
    return true;
}

/* dv += share R w */
TAUT_FN void move_part(const taut_fields* f, const turning_part* p, double share, const double w[6]) {
    double omega[3];
    for (int a = 0; a < 3; a++) {
        omega[a] = share * w[3 + a] / p->length;
    }
    for (uint32_t at = p->begin; at < p->end; at++) {
        const size_t n = f->turning_node[at];
        double arm[3], way[3];
        if (is_of_part(f, p->number, n)) {
            vec3_sub(f->x + 3 * n, p->centre, arm);
            vec3_cross(omega, arm, way);
            vec3_axpy(share, w, way);
            vec3_axpy(1, way, f->g_f64 + 4 * n);
        }
    }
}

/* Whether a step's motion may be one that this is for. */
TAUT_FN bool gives_turns_back(const taut_sizes* s, taut_move move, const taut_factors* step) {
    return s->turning_parts > 0 && move == TAUT_MOVE_STEP && !step->explicit_factor_rows &&
           step->factor_scale[TAUT_LAW_CONSTRAINT] > 0;
}

/* Part `number`, after the solve. */
TAUT_FN void give_turn_back(const taut_fields* f, const taut_sizes* s, uint32_t number, const taut_factors* step) {
    turning_part p;
    double w[6];
    memset(&p, 0, sizeof p);
    p.number = number;
    p.begin = f->turning_begin[number];
    p.end = f->turning_begin[number + 1];
    const double share = share_of_part(f, s, step, &p);
    if (share == 0 || touches_part(f, s, &p)) {
        return;
    }
    weigh_part(f, step, &p);
    if (!(p.mass > 0) || !(p.pulls > TAUT_LEAST_TURNING * (p.inertia[0] + p.inertia[1] + p.inertia[2]))) {
        return;
    }
    torque_of_part(f, s, step, &p);
    begin_held(&p);
    hold_all_of_part(f, &p);
    if (rigid_motion(&p, w)) {
        move_part(f, &p, share, w);
    }
}

#endif
