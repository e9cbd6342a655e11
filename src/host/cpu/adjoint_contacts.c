/* A contact has the impulse gam = P(y), y = (b - J dv)/R, in r_u = ... - J^T gam. With G = dP/dy R^-1, the adjoint y_u
 * of its nodes, and s what later steps have of gam,
 *     A += J^T G J,   right-hand side -= J^T G s,   dL/dz += d( gam.(J y_u + s) )/dz
 * for all z at the start of the step, which J, b and R follow: places and turns move gap, normal and arms. */
#define TAUT_REAL double
#include "host/cpu/cpu_adjoint_contacts.h"

#include <math.h>
#include <string.h>

/* dL/dgam of a contact by the steps behind, in the world: the next step begins with the force gam/h. */
static void find_seed(adjoint_rows* rows, const taut_contact_note* note, const taut_adjoint_sums* sums) {
    memset(rows->seed, 0, sizeof rows->seed);
    for (size_t i = 0; i < sums->seed_count; i++) {
        const taut_contact_seed* seed = &sums->seeds[i];
        if (seed->finder == note->finder && seed->other == note->other && seed->feature == note->feature) {
            memset(rows->seed, 0, sizeof rows->seed);
            vec3_axpy(1 / rows->record->h, seed->force, rows->seed);
        }
    }
}

/* G v */
static void conduct(const adjoint_law* law, const double v[3], double out[3]) {
    for (size_t r = 0; r < 3; r++) {
        out[r] = vec3_dot(law->conductance[r], v);
    }
}

/* ---- the system -------------------------------------------------------------------------------------------------- */

/* A contact in the matrix, with its columns of J. */
typedef struct placed_contact {
    adjoint_inputs in;
    adjoint_law law;
    double seed[3]; /* s along the axes */
    size_t count, coordinate[3 * contact_NODES];
    double column[3 * contact_NODES][3];
} placed_contact;

static bool place_contact(adjoint_rows* rows, const taut_contact_note* note, const taut_adjoint_sums* sums,
                          placed_contact* out) {
    find_seed(rows, note, sums);
    if (!adjoint_rows_look(rows, note) || !adjoint_rows_read(rows, &out->in)) {
        return false;
    }
    const contact_jacobian axes = contact_axes(&rows->fields, 0);
    adjoint_law_of(rows, &out->in, &out->law);
    contact_split(&axes, rows->seed, out->seed);
    out->count = adjoint_rows_columns(rows, out->coordinate, out->column);
    return true;
}

/* J^T G J, and -J^T G s. */
static void add_conductance(adjoint_system* s, const placed_contact* c) {
    for (size_t i = 0; i < c->count; i++) {
        double conducted[3];
        conduct(&c->law, c->column[i], conducted);
        for (size_t j = 0; j < c->count; j++) {
            adjoint_add(s, c->coordinate[j], c->coordinate[i], vec3_dot(c->column[j], conducted));
        }
        s->side[s->number[c->coordinate[i]]] -= vec3_dot(c->seed, conducted);
    }
}

/* What the impulse has of the turn of a frame in the step, by R: -J^T dgam, and s dgam. */
static bool add_turn(adjoint_system* s, adjoint_rows* rows, const placed_contact* c, size_t slot, size_t axis) {
    const double rate = rows->step.alpha * rows->step.beta * rows->step.h / (2 * ADJOINT_TURN);
    const size_t own = 3 * (size_t)rows->note->node[slot] + axis;
    adjoint_inputs ahead, behind;
    adjoint_law after, before;
    double change[3];
    if (!adjoint_rows_turned(rows, slot, axis, ADJOINT_TURN, &ahead) ||
        !adjoint_rows_turned(rows, slot, axis, -ADJOINT_TURN, &behind)) {
        return false;
    }
    memcpy(ahead.moved, c->in.moved, sizeof ahead.moved);
    memcpy(behind.moved, c->in.moved, sizeof behind.moved);
    adjoint_law_of(rows, &ahead, &after);
    adjoint_law_of(rows, &behind, &before);
    vec3_sub(after.gam, before.gam, change);
    for (size_t j = 0; j < c->count; j++) {
        adjoint_add(s, own, c->coordinate[j], -rate * vec3_dot(c->column[j], change));
    }
    s->side[s->number[own]] += rate * vec3_dot(c->seed, change);
    return true;
}

static bool add_turns(adjoint_system* s, adjoint_rows* rows, const placed_contact* c) {
    for (size_t i = 0; i < 6; i++) {
        const size_t slot = 4 + i / 3;
        const uint32_t n = rows->note->node[slot];
        if (n != TAUT_NO_NODE && rows->inverse_mass[n] > 0 && !add_turn(s, rows, c, slot, i % 3)) {
            return false;
        }
    }
    return true;
}

bool adjoint_add_contacts(adjoint_system* s, adjoint_rows* rows, const taut_adjoint_sums* sums) {
    for (size_t i = 0; i < rows->record->contact_count; i++) {
        placed_contact c;
        if (!place_contact(rows, &rows->record->contacts[i], sums, &c)) {
            return false;
        }
        add_conductance(s, &c);
        if (!add_turns(s, rows, &c)) {
            return false;
        }
    }
    return true;
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/* dL/d(velocity at the start): of what goes to a goal that is the way there, and what has arrived had none. */
static void add_speed(const taut_step_record* record, size_t i, double slope, taut_adjoint_sums* sums) {
    const uint8_t led = record->led[i / 3];
    if (led == TAUT_NODE_WENT) {
        sums->goal[i] += slope / record->h;
        sums->x[i] -= slope / record->h;
    } else if (led == TAUT_NODE_AS_IT_WAS) {
        sums->v[i] += slope;
    }
}

/* By the state and the mass of one of the nodes. */
static bool pull_node(adjoint_rows* rows, const adjoint_inputs* in, const adjoint_inputs* gradient, size_t n,
                      taut_adjoint_sums* sums) {
    const size_t points = rows->plan->sizes.points;
    const bool moves = rows->inverse_mass[n] > 0;
    double slope;
    for (size_t i = 3 * n; i < 3 * n + 3; i++) {
        if (!adjoint_rows_slope(rows, in, gradient, ADJOINT_PLACE, i, &slope)) {
            return false;
        }
        sums->x[i] += slope;
        if (!adjoint_rows_slope(rows, in, gradient, ADJOINT_SPEED, i, &slope)) {
            return false;
        }
        add_speed(rows->record, i, slope, sums);
    }
    if (moves && n < points) {
        if (!adjoint_rows_slope(rows, in, gradient, ADJOINT_MASS, n, &slope)) {
            return false;
        }
        sums->mass[n] += slope / rows->fields.mass[n];
    }
    for (size_t i = 0; moves && n >= points && i < 6; i++) {
        if (!adjoint_rows_slope(rows, in, gradient, ADJOINT_INERTIA, 6 * (n - points) + i, &slope)) {
            return false;
        }
        sums->inertia[6 * (n - points) + i] += slope;
    }
    return true;
}

/* What the law has of gravity by itself: g b of the normal. */
static double side_of_gravity(adjoint_rows* rows, const adjoint_inputs* in, const adjoint_inputs* gradient, size_t axis,
                              double way) {
    adjoint_law law;
    const double was = rows->step.gravity[axis];
    rows->step.gravity[axis] = was + way;
    adjoint_law_of(rows, in, &law);
    rows->step.gravity[axis] = was;
    return -gradient->moved[0] * law.b[0];
}

static bool pull_gravity(adjoint_rows* rows, const adjoint_inputs* in, const adjoint_inputs* gradient,
                         taut_adjoint_sums* sums) {
    const double gravity = gravity_of(&rows->step), way = 1e-4 * gravity;
    for (size_t a = 0; gravity > 0 && a < 3; a++) {
        double slope;
        if (!adjoint_rows_slope(rows, in, gradient, ADJOINT_GRAVITY, a, &slope)) {
            return false;
        }
        const double ahead = side_of_gravity(rows, in, gradient, a, way),
                     behind = side_of_gravity(rows, in, gradient, a, -way);
        sums->gravity[a] += slope + (ahead - behind) / (2 * way);
    }
    return true;
}

/* By the force of the last step; R follows that along the normal where it is a load. */
static void seed_last(adjoint_rows* rows, const adjoint_inputs* in, adjoint_inputs* gradient, taut_contact_seed* seed) {
    const contact_jacobian axes = contact_axes(&rows->fields, 0);
    const taut_contact_note* note = rows->note;
    *seed = (taut_contact_seed){note->finder, note->other, note->feature, {0, 0, 0}};
    double by_last[3];
    memcpy(by_last, gradient->last, sizeof by_last);
    by_last[0] += adjoint_rows_load_slope(rows, in, gradient);
    for (size_t r = 0; r < 3; r++) {
        by_last[r] *= rows->step.h;
    }
    contact_join(&axes, by_last, seed->force);
}

/* By the friction and the restitution of its pair of materials; static friction has no gradient. */
static void pull_pair(adjoint_rows* rows, const adjoint_inputs* in, taut_adjoint_sums* sums) {
    const size_t count = rows->plan->sizes.materials, law = rows->note->law, mirror = law % count * count + law / count;
    const size_t both[2] = {law, mirror};
    const bool slides = rows->friction == rows->values[TAUT_PAIR_FRICTION];
    const double by_friction = slides ? adjoint_law_slope(rows, in, &rows->friction) : 0;
    double* bounces = &rows->values[TAUT_PAIR_RESTITUTION];
    const double by_restitution = *bounces > 0 ? adjoint_law_slope(rows, in, bounces) : 0;
    for (size_t i = 0; i < (law == mirror ? 1 : 2); i++) {
        sums->friction[both[i]] += by_friction;
        sums->restitution[both[i]] += by_restitution;
    }
}

static bool pull_contact(adjoint_rows* rows, taut_adjoint_sums* sums, taut_contact_seed* seed) {
    adjoint_inputs in, gradient;
    adjoint_law law;
    if (!adjoint_rows_read(rows, &in)) {
        return false;
    }
    adjoint_law_of(rows, &in, &law);
    adjoint_law_slopes(rows, &in, &law, &gradient);
    pull_pair(rows, &in, sums);
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        const uint32_t n = rows->note->node[slot];
        if (n != TAUT_NO_NODE && !pull_node(rows, &in, &gradient, n, sums)) {
            return false;
        }
    }
    if (!pull_gravity(rows, &in, &gradient, sums) || !adjoint_rows_read(rows, &in)) {
        return false;
    }
    seed_last(rows, &in, &gradient, seed);
    return true;
}

bool adjoint_pull_contacts(adjoint_rows* rows, taut_adjoint_sums* sums) {
    /* there is room for both: a contact presses once a step */
    taut_contact_seed* next = sums->seeds + sums->seed_count;
    const size_t count = rows->record->contact_count;
    for (size_t i = 0; i < count; i++) {
        find_seed(rows, &rows->record->contacts[i], sums);
        if (!adjoint_rows_look(rows, &rows->record->contacts[i]) || !pull_contact(rows, sums, &next[i])) {
            return false;
        }
    }
    memmove(sums->seeds, next, count * sizeof *next);
    sums->seed_count = count;
    return true;
}
