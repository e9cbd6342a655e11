/* Frames and mapped points in evaluate and assemble, in float64.
 *
 * Mapped point y: position, velocity, and the acceleration b that it has while its parents' velocities stay as they are
 * (an arm: omega x (omega x a); a length: (|v|^2 - (n.v)^2) / |x|). A mass m on it feels m (g - b), and J^T takes that
 * to the unknowns with the other forces.
 *
 * Frame: A = I + alpha beta h^2 Gamma with I the inertia in the world, Gamma the positive semidefinite part of -G, and
 * G the sum over all forces F with arms a = |a| n on this frame of
 *     (a.F)(n n^T - 1),
 * the symmetric derivative of the torque a x F for a force that keeps its direction, without what F has across its arm.
 * Of the sum of that, sym(a R^T) with R = F - (n.F) n, as much is taken off as leaves Gamma positive semidefinite.
 * Summing before cutting keeps what the forces cancel among themselves.
 *
 * Free motion keeps the angular momentum: omega' solves I(q') omega' = I(q) omega, q' = exp(h (omega + beta
 * (omega' - omega))) q. Gyroscopic forces are implicit so, and the energy stays bounded: it lies between those of this
 * momentum about the axes of largest and least inertia. Masses on arms of the frame turn with it: their m(a^2 1 - a
 * a^T) is part of I here. */
#ifndef TAUT_STAGES_FRAMES_H
#define TAUT_STAGES_FRAMES_H

#include "kernels/stages/apply.h"
#include "kernels/stages/assemble.h"
#include "model/energy.h"

/* ---- evaluate ---------------------------------------------------------------------------------------------------- */

/* What one entry adds to a mapped point: position, velocity, acceleration at constant velocities of the unknowns. */
typedef struct mapped_state {
    double x[3], v[3], b[3];
} mapped_state;

TAUT_FN void add_arm(const taut_fields* f, const taut_sizes* s, size_t e, mapped_state* out) {
    const uint32_t frame = f->map_parent[e] - (uint32_t)s->points;
    const double* omega = f->v + 3 * (size_t)f->map_parent[e];
    double arm[3], turned[3], twice[3];
    quat_rotate(f->orientation + 4 * (size_t)frame, f->map_local + 3 * e, arm);
    vec3_cross(omega, arm, turned);
    vec3_cross(omega, turned, twice);
    vec3_axpy(1, arm, out->x);
    vec3_axpy(1, turned, out->v);
    vec3_axpy(1, twice, out->b);
    store(arm, 3, f->map_vector + 4 * e);
}

TAUT_FN void add_norm(const taut_fields* f, size_t e, mapped_state* out) {
    const size_t parent = f->map_parent[e];
    const double* v = f->v + 3 * parent;
    double n[3];
    const double length = vec3_normalise(f->x + 3 * parent, n), along = vec3_dot(n, v);
    out->x[0] += length;
    out->v[0] += along;
    out->b[0] += vec3_dot(n, f->map_bias + 4 * parent);
    out->b[0] += length > 1e-9 ? (vec3_dot(v, v) - along * along) / length : 0;
    store(n, 3, f->map_vector + 4 * e);
}

TAUT_FN void add_linear(const taut_fields* f, size_t e, mapped_state* out) {
    const uint32_t code = f->map_code[e];
    const size_t parent = f->map_parent[e];
    const double w = f->map_local[3 * e];
    if (TAUT_MAP_TYPE(code) == TAUT_MAP_SCALE) {
        vec3_axpy(w, f->x + 3 * parent, out->x);
        vec3_axpy(w, f->v + 3 * parent, out->v);
        vec3_axpy(w, f->map_bias + 4 * parent, out->b);
    } else {
        const uint32_t from = TAUT_MAP_FROM(code), to = TAUT_MAP_TO(code);
        add_to_axis(to, w * axis_of(from, f->x + 3 * parent), out->x);
        add_to_axis(to, w * axis_of(from, f->v + 3 * parent), out->v);
        add_to_axis(to, w * axis_of(from, f->map_bias + 4 * parent), out->b);
    }
    f->map_vector[4 * e] = (float)w;
}

TAUT_FN void evaluate_mapped(const taut_fields* f, const taut_sizes* s, size_t n) {
    const size_t m = n - s->simple;
    mapped_state state = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (uint32_t e = f->map_begin[m]; e < f->map_begin[m + 1]; e++) {
        switch (TAUT_MAP_TYPE(f->map_code[e])) {
        case TAUT_MAP_ARM:
            add_arm(f, s, e, &state);
            break;
        case TAUT_MAP_NORM:
            add_norm(f, e, &state);
            break;
        default:
            add_linear(f, e, &state);
            break;
        }
    }
    for (size_t a = 0; a < 3; a++) {
        f->x[3 * n + a] = state.x[a];
        f->x_f32[3 * n + a] = (float)state.x[a];
        f->v[3 * n + a] = state.v[a];
        f->map_bias[4 * n + a] = state.b[a];
    }
}

/* Inertia of a frame in the world: E I E^T with its axes as columns of E. */
TAUT_FN void world_inertia(const double q[4], const double body[6], double out[6]) {
    double axes[3][3], b[3][3], eb[3][3];
    quat_axes(q, axes);
    sym3_expand(body, b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            eb[i][j] = axes[0][i] * b[0][j] + axes[1][i] * b[1][j] + axes[2][i] * b[2][j];
        }
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = eb[i][0] * axes[0][i] + eb[i][1] * axes[1][i] + eb[i][2] * axes[2][i];
        out[3 + i] = eb[j][0] * axes[0][k] + eb[j][1] * axes[1][k] + eb[j][2] * axes[2][k];
    }
}

TAUT_FN void evaluate_frame(const taut_fields* f, const taut_sizes* s, size_t frame, taut_energies* sums) {
    const size_t n = s->points + frame;
    double inertia[6], momentum[3];
    if (f->inverse_mass[n] > 0) {
        world_inertia(f->orientation + 4 * frame, f->inertia + 6 * frame, inertia);
        sym3_apply(inertia, f->v + 3 * n, momentum);
        sums->kinetic += vec3_dot(momentum, f->v + 3 * n) / 2;
    }
}

/* Powers at node n in the substep that ends here: of the user's force, by the mean of the velocities before and after,
 * and of a fixed node that moves, against the forces of the constraints on it; `pulled` (n x 4) has those of its
 * children where there are any. dv of mapped points must follow. */
TAUT_FN void add_powers(const taut_fields* f, const taut_sizes* s, size_t n, const double* pulled, taut_powers* sums) {
    const double *v = f->v + 3 * n, *force = f->force + 3 * n;
    double sum[3];
    if (f->inverse_mass[n] != 0 || taut_is_mapped(s, n)) {
        sums->forces += vec3_dot(force, v) - vec3_dot(force, f->dv + 3 * n) / 2;
    } else if (is_carried(f, s, n)) {
        apply_jacobian_transpose_node(f, s, n, TAUT_ROWS, f->lam, sum);
        if (s->active_levels > 0) {
            collect_children(f, n, false, pulled, sum);
        }
        sums->supports -= vec3_dot(sum, v);
    }
}

/* ---- forces through the mappings --------------------------------------------------------------------------------- */

/* Force on mapped point n from outside: the user's, gravity, and what its mass resists while its parents go on. */
TAUT_FN void outer_force(const taut_fields* f, size_t n, const double gravity[3], double out[3]) {
    for (size_t a = 0; a < 3; a++) {
        out[a] = f->force[3 * n + a] + f->mass[n] * (gravity[a] - f->map_bias[4 * n + a]);
    }
}

/* Likewise as it drives the unknowns of its parents: without what rows of masses have on their right-hand side
 * (mass_side). Light parents would first fall with many times g, to be held by what they carry, and a residual relative
 * to that says nothing. */
TAUT_FN void driving_force(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step,
                           double out[3]) {
    const taut_kind_fields* masses = &f->kinds[TAUT_INERTIA];
    outer_force(f, n, step->gravity, out);
    if (s->count[TAUT_INERTIA] > 0) {
        for (uint32_t i = masses->offsets[n]; i < masses->offsets[n + 1]; i++) {
            for (size_t a = 0; a < 3; a++) {
                out[a] -= masses->rest[masses->incidence[i]] * (step->gravity[a] - f->map_bias[4 * n + a]);
            }
        }
    }
}

/* Levels in the order in which forces come back: each before those of its parents. Passive points are parents of
 * passive ones alone. */
TAUT_FN uint32_t hold_order(const taut_sizes* s, uint32_t i) {
    return s->levels - 1 - i;
}

/* Passive points have no masses: without forces on them nothing comes back. */
TAUT_FN bool is_held(const taut_sizes* s, size_t n, const taut_factors* step) {
    return step->passive_forces || n < s->level_begin[s->active_levels];
}

/* `held`: that, what force elements press on it, and what the children of n hold. */
TAUT_FN void hold_node(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step) {
    double sum[3];
    driving_force(f, s, n, step, sum);
    add_force_with_resistance(f, s, n, step, sum);
    collect_children(f, n, step->passive_forces, f->held, sum);
    for (size_t a = 0; a < 3; a++) {
        f->held[4 * n + a] = sum[a];
    }
}

/* Forces that G is for, into g_f64: those of the user, of gravity, of constraints and of force elements. What a mass
 * resists turns with it. */
TAUT_FN void load_node(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step) {
    double sum[3], unit;
    apply_jacobian_transpose_node(f, s, n, TAUT_ROWS, turning_multipliers(f, step, &unit), sum);
    for (size_t a = 0; a < 3; a++) {
        sum[a] *= unit;
    }
    add_force_node(f, s, n, sum);
    collect_children(f, n, step->passive_forces, f->g_f64, sum);
    for (size_t a = 0; a < 3; a++) {
        f->g_f64[4 * n + a] = f->force[3 * n + a] + f->mass[n] * step->gravity[a] + sum[a];
    }
}

/* ---- masses of frames and mapped points ---------------------------------------------------------------------------
 */

/* Of all arms of a frame, packed: `along` is the sum of (a.F)(n n^T - 1), n = a / |a|, the stiffness of forces along
 * their arms, `across` that of sym(a R^T), R the rest of F. */
typedef struct frame_levers {
    double along[6], across[6];
} frame_levers;

TAUT_FN void add_lever(double scale, const double arm[3], const double force[3], frame_levers* g) {
    const double square = vec3_dot(arm, arm), along = scale * vec3_dot(arm, force);
    const double s = square > 1e-24 ? along / square : 0;
    double rest[3];
    for (int i = 0; i < 3; i++) {
        rest[i] = scale * force[i] - s * arm[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        g->along[i] += s * (arm[i] * arm[i] - square);
        g->along[3 + i] += s * arm[j] * arm[k];
        g->across[i] += arm[i] * rest[i];
        g->across[3 + i] += (arm[j] * rest[k] + arm[k] * rest[j]) / 2;
    }
}

/* Cofactors of m, packed likewise; returns its determinant. */
TAUT_FN double sym3_cofactors(const double m[6], double out[6]) {
    out[0] = m[1] * m[2] - m[3] * m[3];
    out[1] = m[2] * m[0] - m[4] * m[4];
    out[2] = m[0] * m[1] - m[5] * m[5];
    out[3] = m[4] * m[5] - m[0] * m[3];
    out[4] = m[5] * m[3] - m[1] * m[4];
    out[5] = m[3] * m[4] - m[2] * m[5];
    return m[0] * out[0] + m[5] * out[5] + m[4] * out[4];
}

/* Inverse of a positive definite block. */
TAUT_FN void sym3_invert(const double m[6], double out[6]) {
    const double scale = 1 / sym3_cofactors(m, out);
    for (int i = 0; i < 6; i++) {
        out[i] *= scale;
    }
}

TAUT_FN bool sym3_is_semidefinite(const double m[6]) {
    double minor[6];
    const double determinant = sym3_cofactors(m, minor);
    return m[0] >= 0 && m[1] >= 0 && m[2] >= 0 && minor[0] >= 0 && minor[1] >= 0 && minor[2] >= 0 && determinant >= 0;
}

/* s is found in so many parts of 1. */
#define TAUT_ACROSS_PARTS 2048
/* (w h)^2 of turns up to which they need none of it: explicit steps are stable up to 4. */
#define TAUT_ACROSS_SLOW 0.25

TAUT_FN bool may_take_across(const double gamma[6], const double across[6], int parts) {
    double left[6];
    for (int i = 0; i < 6; i++) {
        left[i] = gamma[i] - (double)parts / TAUT_ACROSS_PARTS * across[i];
    }
    return sym3_is_semidefinite(left);
}

/* gamma -= s across with the largest s up to 1 that leaves it positive semidefinite. What forces across their arms add
 * has both signs. Its positive part alone would brake turns about an arm, where bars and rods have next to no inertia:
 * a light chain under load spins up by it. There s is 0. Forces at both ends of two hinges beside each other have all
 * of it: without it a plank under tension has next to no stiffness against turns about the line through them. */
TAUT_FN void take_across(const double inertia[6], const double across[6], double gamma[6]) {
    int low = 0, high = TAUT_ACROSS_PARTS, part = 1; /* most have nothing or all */
    double slow[6];
    for (int i = 0; i < 6; i++) {
        slow[i] = TAUT_ACROSS_SLOW * inertia[i] - gamma[i] + across[i];
    }
    if (sym3_is_semidefinite(slow)) {
        return;
    }
    while (low < high) {
        if (may_take_across(gamma, across, part)) {
            low = part;
            part = low == 1 ? high : (low + high + 1) / 2;
        } else {
            high = part - 1;
            part = (low + high + 1) / 2;
        }
    }
    for (int i = 0; i < 6; i++) {
        gamma[i] -= (double)low / TAUT_ACROSS_PARTS * across[i];
    }
}

#define TAUT_LEVERS_AT(name, k)                                                                                        \
    if (s->count[k] > 0) {                                                                                             \
        const taut_kind_fields* kind = &f->kinds[k];                                                                   \
        for (uint32_t i = kind->offsets[n]; i < kind->offsets[n + 1]; i++) {                                           \
            const size_t c = kind->incidence[i] / name##_NODES;                                                        \
            double lam[name##_ROWS], arm[3], force[3];                                                                 \
            name##_jacobian jac;                                                                                       \
            load_unknowns_f64(multipliers + s->first_row[k], s->count[k], name##_ROWS, c, lam);                        \
            load_jacobian_##name(kind, c, &jac);                                                                       \
            name##_lever(&jac, lam, (int)(kind->incidence[i] % name##_NODES), arm, force);                             \
            add_lever(unit * step->factor_scale[law_of(kind, c, step) - step->law], arm, force, &g);                   \
        }                                                                                                              \
    }

/* Gamma of a frame, times its factor in A: the positive semidefinite part of -G, for the multipliers that G is for and,
 * at mapped points, the forces in g_f64. */
TAUT_FN void frame_gamma(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step,
                         const double inertia[6], double gamma[6]) {
    double factor[6], r[3][3], unit;
    frame_levers g = {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    const double* multipliers = turning_multipliers(f, step, &unit);
    uint32_t begin = 0, end = 0; /* of its children */
    TAUT_LEVER_KINDS(TAUT_LEVERS_AT)
    if (s->levels > 0) {
        begin = f->child_begin[n];
        end = step->passive_forces ? f->child_begin[n + 1] : f->child_split[n];
    }
    for (uint32_t i = begin; i < end; i++) {
        const size_t e = f->child_entry[i];
        const float* stored = f->map_vector + 4 * e;
        const double arm[3] = {stored[0], stored[1], stored[2]};
        add_lever(step->factor_scale[TAUT_LAW_CONSTRAINT], arm, f->g_f64 + 4 * (size_t)f->map_child[e], &g);
    }
    for (int i = 0; i < 6; i++) {
        g.along[i] = -g.along[i];
    }
    sym3_sqrt_positive(g.along, factor);
    sym3_expand(factor, r);
    for (int i = 0; i < 3; i++) {
        gamma[i] = vec3_dot(r[i], r[i]);
        gamma[3 + i] = vec3_dot(r[(i + 1) % 3], r[(i + 2) % 3]);
    }
    take_across(inertia, g.across, gamma);
}
#undef TAUT_LEVERS_AT

/* x with m x = b, by Cramer's rule; false where m is singular. */
TAUT_FN bool solve3(const double m[3][3], const double b[3], double x[3]) {
    double bc[3], ca[3], ab[3]; /* of the columns a, b, c */
    const double first[3] = {m[0][0], m[1][0], m[2][0]}, second[3] = {m[0][1], m[1][1], m[2][1]};
    const double third[3] = {m[0][2], m[1][2], m[2][2]};
    vec3_cross(second, third, bc);
    vec3_cross(third, first, ca);
    vec3_cross(first, second, ab);
    const double determinant = vec3_dot(first, bc);
    if (!(fabs(determinant) > 1e-12)) {
        return false;
    }
    x[0] = vec3_dot(b, bc) / determinant;
    x[1] = vec3_dot(b, ca) / determinant;
    x[2] = vec3_dot(b, ab) / determinant;
    return true;
}

/* out = J theta with d(exp(turn)) = exp(turn) after a turn by J dturn:
 *     J = 1 + (1 - cos t)/t^2 [turn x] + (t - sin t)/t^3 [turn x]^2 */
TAUT_FN void angular_of(const double turn[3], const double theta[3], double out[3]) {
    const double squared = vec3_dot(turn, turn), t = sqrt(squared);
    const bool small = squared < 1e-4;
    const double first = small ? 0.5 - squared / 24 : (1 - cos(t)) / squared;
    const double second = small ? 1.0 / 6 - squared / 120 : (t - sin(t)) / (squared * t);
    double once[3], twice[3];
    vec3_cross(turn, theta, once);
    vec3_cross(turn, once, twice);
    for (int a = 0; a < 3; a++) {
        out[a] = theta[a] + first * once[a] + second * twice[a];
    }
}

/* next = W(q') L for q' = exp(turn) q, and its derivative by the turn, as columns. */
TAUT_FN void velocity_after(const double q[4], const double body[6], const double momentum[3], const double turn[3],
                            double next[3], double change[3][3]) {
    double step[4], turned[4], inertia[6], inverse[6];
    quat_exp(turn, step);
    quat_multiply(step, q, turned);
    world_inertia(turned, body, inertia);
    sym3_invert(inertia, inverse);
    sym3_apply(inverse, momentum, next);
    for (int c = 0; c < 3; c++) {
        const double unit[3] = {c == 0 ? 1.0 : 0, c == 1 ? 1.0 : 0, c == 2 ? 1.0 : 0};
        double theta[3], with[3], against[3], back[3];
        angular_of(turn, unit, theta);
        vec3_cross(theta, next, with);
        vec3_cross(theta, momentum, against);
        sym3_apply(inverse, against, back);
        for (int a = 0; a < 3; a++) {
            change[a][c] = with[a] - back[a];
        }
    }
}

#define TAUT_GYRO_STEPS    12
#define TAUT_GYRO_ACCURACY 1e-26 /* of the square of a velocity */

/* d = omega' - omega of the motion with the angular momentum L = I omega + impulse, by Newton's method on
 *     d = W(q') L - omega,   q' = exp(h (omega + beta d)) q,   W the inverse inertia in the world,
 * with the change of W L under a small turn theta: theta x (W L) - W (theta x L). Where that does not converge, beyond
 * about a radian per step, d = W(q) impulse: without one omega stays, and with it a bound on the energy. */
TAUT_FN void momentum_change(const double q[4], const double body[6], const double omega[3], const double impulse[3],
                             double h, double beta, double d[3]) {
    double inertia[6], inverse[6], momentum[3], straight[3], turn[3], next[3], change[3][3];
    world_inertia(q, body, inertia);
    sym3_apply(inertia, omega, momentum);
    vec3_axpy(1, impulse, momentum);
    sym3_invert(inertia, inverse);
    sym3_apply(inverse, impulse, straight);
    for (int a = 0; a < 3; a++) {
        d[a] = straight[a];
    }
    for (int i = 0; i < TAUT_GYRO_STEPS; i++) {
        double residual[3], moved[3];
        for (int a = 0; a < 3; a++) {
            turn[a] = h * (omega[a] + beta * d[a]);
        }
        velocity_after(q, body, momentum, turn, next, change);
        for (int a = 0; a < 3; a++) {
            residual[a] = next[a] - omega[a] - d[a];
            for (int c = 0; c < 3; c++) {
                change[a][c] = (a == c) - h * beta * change[a][c];
            }
        }
        if (!solve3((const double(*)[3])change, residual, moved)) {
            break;
        }
        vec3_axpy(1, moved, d);
        if (vec3_dot(moved, moved) <= TAUT_GYRO_ACCURACY * (vec3_dot(omega, omega) + vec3_dot(d, d))) {
            return;
        }
    }
    for (int a = 0; a < 3; a++) {
        d[a] = straight[a];
    }
}

/* += m (a^2 1 - a a^T) */
TAUT_FN void add_mass_at(double mass, const double arm[3], double inertia[6]) {
    const double square = vec3_dot(arm, arm);
    for (int i = 0; i < 3; i++) {
        inertia[i] += mass * (square - arm[i] * arm[i]);
        inertia[3 + i] -= mass * arm[(i + 1) % 3] * arm[(i + 2) % 3];
    }
}

/* Masses on arms of the frame at node n: their inertia in the frame's axes, and the torque that undoes what they resist
 * by turning with it, a x (m omega x (omega x a)), which the free motion has. */
TAUT_FN void add_mapped_inertia(const taut_fields* f, size_t n, const double q[4], const double omega[3],
                                double inertia[6], double torque[3]) {
    for (uint32_t i = f->child_begin[n]; i < f->child_split[n]; i++) {
        const size_t e = f->child_entry[i];
        const double mass = f->mass[f->map_child[e]];
        double arm[3], turned[3], twice[3], undone[3];
        if (mass > 0) {
            add_mass_at(mass, f->map_local + 3 * e, inertia);
            quat_rotate(q, f->map_local + 3 * e, arm);
            vec3_cross(omega, arm, turned);
            vec3_cross(omega, turned, twice);
            vec3_cross(arm, twice, undone);
            vec3_axpy(mass, undone, torque);
        }
    }
}

/* I omega' - I omega of frame `frame` turning by itself, and the torque of what acts on it. */
TAUT_FN void angular_frame(const taut_fields* f, const taut_sizes* s, size_t frame, const taut_factors* step,
                           double change[3], double torque[3]) {
    const size_t n = s->points + frame;
    const double *q = f->orientation + 4 * frame, *body = f->inertia + 6 * frame, *omega = f->v + 3 * n;
    double all[6], turning[6], momentum[3], d[3];
    for (int i = 0; i < 6; i++) {
        all[i] = body[i];
    }
    for (int i = 0; i < 3; i++) {
        torque[i] = f->force[3 * n + i];
        change[i] = 0;
    }
    if (s->levels > 0) {
        collect_children(f, n, step->passive_forces, f->held, torque);
    }
    if (step->turning == TAUT_TURN_BY_MOMENTUM) {
        if (s->levels > 0) {
            add_mapped_inertia(f, n, q, omega, all, torque);
        }
        world_inertia(q, all, turning);
        const double none[3] = {0, 0, 0};
        momentum_change(q, all, omega, none, step->h, step->beta, d);
        sym3_apply(turning, d, change);
    } else if (step->turning == TAUT_TURN_BY_TORQUE) {
        world_inertia(q, body, turning);
        sym3_apply(turning, omega, momentum);
        vec3_cross(momentum, omega, d);
        vec3_axpy(step->h, d, change);
    }
}

/* A u of a frame: change + carried I omega + pushed torque - Gamma omega, Gamma with its factor. */
TAUT_FN void push_frame(const taut_fields* f, const taut_sizes* s, size_t frame, const taut_factors* step,
                        const double inertia[6], const double gamma[6], double push[3]) {
    const double* omega = f->v + 3 * (s->points + frame);
    const double explicit_part = step->explicit_factor_rows ? 1 : step->factor_rate;
    double torque[3], change[3], held[3], momentum[3];
    angular_frame(f, s, frame, step, change, torque);
    sym3_apply(inertia, omega, momentum);
    sym3_apply(gamma, omega, held);
    for (int i = 0; i < 3; i++) {
        push[i] = step->pushed / step->h * change[i] + step->carried * momentum[i] + step->pushed * torque[i] -
                  explicit_part * held[i];
    }
}

/* The same about an iterate dv, exactly what the impulse j on the frame does: d from L = I(q0) omega0 + j, then
 *     A u = I d + (inertia - 1) I dv + Gamma dv - J^T gam
 * with J^T gam as the solver will add it again. */
TAUT_FN void push_frame_again(const taut_fields* f, const taut_sizes* s, size_t frame, const taut_factors* step,
                              const double inertia[6], const double gamma[6], double push[3]) {
    const size_t n = s->points + frame;
    const double *dv = f->iterate + 3 * n, *omega = f->v0 + 3 * n;
    double torque[3], change[3], momentum[3], damped[3], held[3], impulse[3], d[3];
    taut_factors still = *step;
    still.turning = TAUT_TURN_NOT; /* it is in d */
    angular_frame(f, s, frame, &still, change, torque);
    sym3_apply(inertia, omega, momentum);
    sym3_apply(inertia, dv, damped);
    sym3_apply(gamma, dv, held);
    for (int i = 0; i < 3; i++) {
        damped[i] *= step->inertia - 1;
        impulse[i] =
            step->pushed * torque[i] + exact_jacobian_transpose_of(f, n)[i] + step->carried * momentum[i] - damped[i];
    }
    momentum_change(f->orientation0 + 4 * frame, f->inertia + 6 * frame, omega, impulse, step->h, step->beta, d);
    sym3_apply(inertia, d, push);
    for (int i = 0; i < 3; i++) {
        push[i] += damped[i] + held[i] - rounded_jacobian_transpose_of(f, s, n)[i];
    }
}

/* A of frame `frame`, its inverse, and its free motion. */
TAUT_FN void prepare_frame(const taut_fields* f, const taut_sizes* s, size_t frame, const taut_factors* step) {
    const size_t n = s->points + frame;
    double *a = f->frame_block + 6 * frame, *inverse = f->frame_inverse + 6 * frame;
    double inertia[6], gamma[6] = {0, 0, 0, 0, 0, 0}, push[3];
    const bool moves = f->inverse_mass[n] > 0;
    world_inertia(f->orientation + 4 * frame, f->inertia + 6 * frame, inertia);
    if (step->factor_scale[TAUT_LAW_CONSTRAINT] > 0) {
        frame_gamma(f, s, n, step, inertia, gamma);
    }
    for (int i = 0; i < 6; i++) {
        a[i] = step->inertia * inertia[i] + (step->explicit_factor_rows ? 0 : gamma[i]);
    }
    sym3_invert(a, inverse);
    for (int i = 0; i < 6; i++) {
        inverse[i] = moves ? inverse[i] : 0;
        f->node_block[8 * (n - s->simple) + i] = (float)inverse[i];
    }
    if (step->phase == TAUT_PHASE_CONSTRAIN) {
        continue_node(f, n);
    } else {
        if (taut_renews(step->phase)) {
            push_frame_again(f, s, frame, step, inertia, gamma, push);
        } else {
            push_frame(f, s, frame, step, inertia, gamma, push);
        }
        sym3_apply(inverse, push, f->free_dv + 4 * n);
    }
    f->free_dv[4 * n + 3] = 0;
}

/* out += J W J^T of one entry, W that of its parent; what joins entries of one parent is left out but for arms. */
TAUT_FN void add_mapped_block(const taut_fields* f, const taut_sizes* s, size_t e, double out[6]) {
    const uint32_t code = f->map_code[e], parent = f->map_parent[e];
    const float* stored = f->map_vector + 4 * e;
    const double vector[3] = {stored[0], stored[1], stored[2]};
    double rows[3][3] = {{0}}; /* of J */
    switch (TAUT_MAP_TYPE(code)) {
    case TAUT_MAP_SCALE:
        rows[0][0] = rows[1][1] = rows[2][2] = vector[0];
        break;
    case TAUT_MAP_COMPONENT:
        add_to_axis(TAUT_MAP_FROM(code), vector[0], rows[TAUT_MAP_TO(code)]);
        break;
    case TAUT_MAP_ARM: /* theta x a */
        rows[0][1] = vector[2];
        rows[0][2] = -vector[1];
        rows[1][2] = vector[0];
        rows[1][0] = -vector[2];
        rows[2][0] = vector[1];
        rows[2][1] = -vector[0];
        break;
    default:
        vec3_axpy(1, vector, rows[0]);
        break;
    }
    for (int i = 0; i < 3; i++) {
        out[i] += node_product(f, s, parent, rows[i], rows[i]);
        out[3 + i] += node_product(f, s, parent, rows[(i + 1) % 3], rows[(i + 2) % 3]);
    }
}

TAUT_FN void prepare_mapped(const taut_fields* f, const taut_sizes* s, size_t n) {
    const size_t m = n - s->simple;
    double block[6] = {0, 0, 0, 0, 0, 0};
    for (uint32_t e = f->map_begin[m]; e < f->map_begin[m + 1]; e++) {
        add_mapped_block(f, s, e, block);
    }
    for (int i = 0; i < 6; i++) {
        f->node_block[8 * m + (size_t)i] = (float)block[i];
    }
}

/* ---- the exact geometric stiffness of mappings --------------------------------------------------------------------
 */

/* out += J_e^T dforce + (dJ_e)^T force of the child of entry e, for the motion dp of its parent. */
TAUT_FN void map_curvature(const taut_fields* f, size_t e, const double dp[3], const double force[3],
                           const double dforce[3], double out[3]) {
    const float* stored = f->map_vector + 4 * e;
    const double vector[3] = {stored[0], stored[1], stored[2]};
    double moved[3], torque[3];
    map_apply_jacobian_transpose(f, e, dforce, out);
    if (TAUT_MAP_TYPE(f->map_code[e]) == TAUT_MAP_ARM) {
        vec3_cross(dp, vector, moved);
        vec3_cross(moved, force, torque);
        vec3_axpy(1, torque, out);
    } else if (TAUT_MAP_TYPE(f->map_code[e]) == TAUT_MAP_NORM) {
        double n[3];
        const double length = vec3_normalise(f->x + 3 * (size_t)f->map_parent[e], n);
        const double factor = length > 1e-9 ? force[0] / length : 0;
        vec3_axpy(factor, dp, out);
        vec3_axpy(-factor * vec3_dot(n, dp), n, out);
    }
}

/* sum += that of all children of node n; forces and dforces n x 4, dx n x 3. */
TAUT_FN void children_curvature(const taut_fields* f, size_t n, const double* dx, const double* forces,
                                const double* dforces, double sum[3]) {
    for (uint32_t i = f->child_begin[n]; i < f->child_split[n]; i++) {
        const size_t e = f->child_entry[i], child = f->map_child[e];
        map_curvature(f, e, dx + 3 * n, forces + 4 * child, dforces + 4 * child, sum);
    }
}

#endif
