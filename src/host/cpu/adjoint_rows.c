/* Contacts of a recorded step at a state beside its start (cpu_adjoint_rows.h). */
#define TAUT_REAL double
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_adjoint_rows.h"

#include <math.h>
#include <string.h>

/* Changes for differences: parts of lengths and speeds, radians, and parts of masses, which are in float32. */
#define ROWS_PART      ADJOINT_TURN
#define ROWS_MASS_PART 1e-3
/* m, m/s: sizes of points, and speeds, below count as this. */
#define ROWS_SMALL 1e-3
#define ROWS_SLOW  1e-2
/* Places of a pair are taken for the same one within this part of its size. */
#define ROWS_SAME_PLACE 1e-2

#define TAKE(to, count) ((to) = saddle_take(pool, (count), sizeof *(to)), (to) != NULL)

taut_status adjoint_rows_open(adjoint_rows* rows, const taut_plan* plan, saddle_pool* pool) {
    const taut_sizes* s = &plan->sizes;
    rows->plan = plan;
    return TAKE(rows->solid, s->solids) && TAKE(rows->inverse_mass, s->nodes) && TAKE(rows->inverse, 6 * s->frames) &&
                   TAKE(rows->inertia, 6 * s->frames) && TAKE(rows->later, 4 * s->frames)
               ? TAUT_OK
               : TAUT_OUT_OF_MEMORY;
}

void adjoint_rows_begin(adjoint_rows* rows, const taut_step_record* record, const taut_factors* step) {
    const taut_sizes* s = &rows->plan->sizes;
    taut_fields* f = &rows->fields;
    *f = rows->plan->fields;
    rows->record = record;
    rows->step = *step;
    rows->step.phase = TAUT_PHASE_STEP; /* velocities are those of the start */
    memcpy(rows->inverse_mass, f->inverse_mass, s->nodes * sizeof *rows->inverse_mass);
    memcpy(rows->inertia, f->inertia, 6 * s->frames * sizeof *rows->inertia);
    f->x = record->x;
    f->v = record->v;
    f->orientation = record->orientation;
    f->inverse_mass = rows->inverse_mass;
    f->inertia = rows->inertia;
    f->frame_inverse = rows->inverse;
    f->solid = rows->solid;
    f->contact_pair = rows->pair;
    f->contact_feature = &rows->feature;
    f->kinds[TAUT_CONTACT].rest = rows->rest;
    f->kinds[TAUT_CONTACT].nodes = rows->nodes;
}

/* ---- where it is ------------------------------------------------------------------------------------------------- */

/* Whether parts of surfaces are near: a point and a face, or two edges. */
static bool is_of_surfaces(const adjoint_rows* rows) {
    const taut_sizes* s = &rows->plan->sizes;
    const size_t finder = rows->note->finder;
    return finder < first_solid(s) && (finder >= s->touching || rows->note->other >= s->colliders);
}

/* Corners of both; `points`: those of the first. */
static void corners_of(const adjoint_rows* rows, uint32_t corner[4], int* points) {
    const taut_fields* f = &rows->fields;
    const taut_sizes* s = &rows->plan->sizes;
    const size_t finder = rows->note->finder, other = rows->note->other;
    const bool edges = finder >= s->touching;
    const uint32_t* second = edges ? f->edge_corner + 4 * other : f->face_corner + 4 * (other - s->colliders);
    *points = edges ? 2 : 1;
    for (int i = 0; i < 4; i++) {
        corner[i] = i >= *points ? second[i - *points]
                    : edges      ? f->edge_corner[4 * (finder - s->touching) + (size_t)i]
                                 : (uint32_t)finder;
    }
}

/* m: half of what two solids have as the thickness, or that of a point or of surfaces. */
static double size_of(const adjoint_rows* rows) {
    const taut_fields* f = &rows->fields;
    const size_t first = first_solid(&rows->plan->sizes);
    if (is_of_surfaces(rows)) {
        uint32_t corner[4];
        int points;
        corners_of(rows, corner, &points);
        return thickness_of_pair(f, corner[0], corner[points]);
    }
    if (rows->note->finder < first) {
        return f->touching_place[rows->note->finder].radius;
    }
    const size_t own = rows->note->finder - first, other = rows->note->other;
    const double half = half_thickness(f, own);
    if (is_plane(f, other) || is_facets(f, other)) {
        return half;
    }
    return is_facets(f, own) ? half_thickness(f, other) : fmin(half, half_thickness(f, other));
}

/* The place of a manifold that is nearest to where the contact was; features number them likewise, but for round
 * rims. */
static bool same_place(const adjoint_rows* rows, const contact_manifold* m, double reach, uint32_t* which) {
    double least = ROWS_SAME_PLACE * reach;
    bool found = false;
    for (uint32_t i = 0; i < m->count; i++) {
        double apart[3];
        vec3_sub(m->point[i].x, rows->note->place, apart);
        const double other = m->point[i].feature == rows->note->feature ? 0 : 10 * ROWS_PART * reach;
        const double distance = sqrt(vec3_dot(apart, apart)) + other;
        if (distance < least) {
            least = distance;
            *which = i;
            found = true;
        }
    }
    return found;
}

static bool find_on_solid(adjoint_rows* rows) {
    const taut_fields* f = &rows->fields;
    const taut_sizes* s = &rows->plan->sizes;
    const size_t own = rows->note->finder - first_solid(s), other = rows->note->other;
    const bool still = collider_is_still(f, s, other);
    contact_manifold m;
    uint32_t which = 0;
    place_solid(f, s, own);
    place_solid(f, s, other);
    const double reach = f->solid[own].reach, most = reach_of_solids(f, own, other, &rows->step);
    const last_patch last = {box_touch_of(rows->note->feature), rows->note->cuts};
    manifold_of_colliders(f, own, other, last, rows->step.ahead, 1.01 * most + ROWS_PART * reach, &m);
    const double slack = corner_slack(&m, &rows->step);
    for (uint32_t i = 0; i < m.count; i++) {
        const double bend = i >= m.corners ? bend_of_corner(f, own, other, &rows->step, &m.point[i], slack) : 0;
        put_in_world(f, own, still && (rows->known ? rows->apart : m.point[i].gap > 0), &m.point[i]);
        m.point[i].gap += bend;
    }
    if (!same_place(rows, &m, reach, &which)) {
        return false;
    }
    const taut_solid_contact contact = solid_contact_of(&m, which, (uint32_t)other);
    found_on_solid(f, s, own, &contact, rows->step.h, &rows->found);
    return true;
}

/* The nearest places of the corners' hulls, as weights of the corners; false where edges do not cross. */
static bool weigh_corners(double x[4][3], int points, bool segment, double weight[4]) {
    double near[3], d[3], part[2];
    if (points == 1) {
        near_on_face(x[0], x[1], x[2], x[3], segment, near, d);
        weight[0] = 1;
        for (int i = 0; i < 3; i++) {
            weight[1 + i] = -near[i];
        }
        return true;
    }
    if (!near_segments(x[0], x[1], x[2], x[3], part)) {
        return false;
    }
    weight[0] = 1 - part[0];
    weight[1] = part[0];
    weight[2] = part[1] - 1;
    weight[3] = -part[1];
    return true;
}

/* As meet_on_face and meet_on_edge have it, on the side on which it was. */
static bool find_on_surface(adjoint_rows* rows) {
    const taut_fields* f = &rows->fields;
    const taut_sizes* s = &rows->plan->sizes;
    contact_found* found = &rows->found;
    uint32_t corner[4];
    int points;
    double x[4][3], p[3] = {0, 0, 0}, q[3] = {0, 0, 0}, d[3];
    corners_of(rows, corner, &points);
    for (int i = 0; i < 4; i++) {
        const contact_side_of side = touching_side(f, s, corner[i]);
        memcpy(x[i], side.x, sizeof x[i]);
    }
    const bool segment =
        points == 1 && (f->face_corner[4 * (rows->note->other - s->colliders) + 3] & TAUT_FACE_SEGMENT) != 0;
    if (!weigh_corners(x, points, segment, found->weight)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        vec3_axpy(i < points ? found->weight[i] : -found->weight[i], x[i], i < points ? p : q);
    }
    vec3_sub(p, q, d);
    const double distance = sqrt(vec3_dot(d, d)), side = rows->note->side;
    for (int a = 0; a < 3; a++) {
        found->normal[a] = side * d[a] / distance;
    }
    found->gap = side * distance - size_of(rows);
    found->feature = 0;
    found_on_surface(f, s, corner, points, p, corner + points, q, found);
    return distance > TAUT_ONE_PLACE * size_of(rows);
}

/* The tangent of the contact that is looked at, turned with the normal: beside the state it may be chosen anew. */
static void keep_tangent(adjoint_rows* rows) {
    double tangent[3];
    memcpy(tangent, rows->tangent, sizeof tangent);
    vec3_axpy(-vec3_dot(rows->found.normal, tangent), rows->found.normal, tangent);
    radial(tangent, rows->rest + contact_tangent);
}

static bool find_again(adjoint_rows* rows) {
    const taut_sizes* s = &rows->plan->sizes;
    const taut_contact_note* note = rows->note;
    bool found;
    if (note->finder >= first_solid(s)) {
        found = find_on_solid(rows);
    } else if (is_of_surfaces(rows)) {
        found = find_on_surface(rows);
    } else {
        found = meet_contact(&rows->fields, s, note->finder, note->other, &rows->step, &rows->found);
    }
    for (size_t slot = 0; found && slot < contact_NODES; slot++) {
        const uint32_t node = rows->found.node[slot];
        rows->nodes[slot] = node != TAUT_NO_NODE ? node : rows->found.node[0];
    }
    if (found) {
        contact_rest(&rows->fields, s, &rows->found, rows->rest);
        if (rows->known) {
            keep_tangent(rows);
        }
    }
    return found;
}

bool adjoint_rows_look(adjoint_rows* rows, const taut_contact_note* note) {
    rows->note = note;
    rows->friction = note->friction;
    memcpy(rows->values, rows->fields.material_law + TAUT_CONTACT_LAW * (size_t)note->law, sizeof rows->values);
    rows->pair[0] = note->finder;
    rows->pair[1] = note->other;
    rows->feature = note->feature;
    rows->known = false;
    const bool found = find_again(rows);
    rows->known = true;
    rows->apart = rows->found.gap > 0;
    memcpy(rows->tangent, rows->rest + contact_tangent, sizeof rows->tangent);
    return found;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static contact_jacobian jacobian_of(const adjoint_rows* rows) {
    contact_jacobian jac = contact_axes(&rows->fields, 0);
    for (size_t i = 0; i < 4; i++) {
        jac.weight[i] = rows->rest[contact_weight + i];
    }
    for (size_t a = 0; a < 3; a++) {
        jac.arm[0][a] = rows->rest[contact_arm + a];
        jac.arm[1][a] = -rows->rest[contact_arm + 3 + a];
    }
    return jac;
}

void adjoint_rows_motion(const adjoint_rows* rows, const double* x, double out[3]) {
    const contact_jacobian jac = jacobian_of(rows);
    double of_nodes[contact_NODES][3];
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        memcpy(of_nodes[slot], x + 3 * (size_t)rows->nodes[slot], sizeof of_nodes[slot]);
    }
    contact_apply_jacobian(&jac, of_nodes, out);
}

bool adjoint_rows_act(const adjoint_rows* rows, size_t slot) {
    return rows->found.node[slot] != TAUT_NO_NODE && (slot >= 4 || rows->rest[contact_weight + slot] != 0);
}

size_t adjoint_rows_columns(const adjoint_rows* rows, size_t coordinate[3 * contact_NODES],
                            double column[3 * contact_NODES][3]) {
    const contact_jacobian jac = jacobian_of(rows);
    size_t count = 0;
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        for (size_t a = 0; adjoint_rows_act(rows, slot) && a < 3; a++) {
            double unit[contact_NODES][3] = {{0}};
            unit[slot][a] = 1;
            contact_apply_jacobian(&jac, unit, column[count]);
            coordinate[count++] = 3 * (size_t)rows->nodes[slot] + a;
        }
    }
    return count;
}

/* ---- masses ------------------------------------------------------------------------------------------------------ */

/* The orientation of a frame about which the step's last system was, and its masses there. */
static void weigh_frame(adjoint_rows* rows, size_t n) {
    const taut_sizes* s = &rows->plan->sizes;
    const taut_factors* step = &rows->step;
    const size_t frame = n - s->points;
    double turn[3], after[4], inertia[6], *inverse = rows->inverse + 6 * frame;
    for (size_t a = 0; a < 3; a++) {
        turn[a] = step->alpha * step->h * (rows->fields.v[3 * n + a] + step->beta * rows->record->dv[3 * n + a]);
    }
    quat_exp(turn, after);
    quat_multiply(after, rows->fields.orientation + 4 * frame, rows->later + 4 * frame);
    world_inertia(rows->later + 4 * frame, rows->inertia + 6 * frame, inertia);
    sym3_invert(inertia, inverse);
    for (size_t i = 0; i < 6; i++) {
        inverse[i] = rows->inverse_mass[n] > 0 ? inverse[i] / step->inertia : 0;
    }
}

/* The diagonal of J A^-1 J^T, `second`: the part of the second thing in that of the normal. */
static void diagonal_of(const adjoint_rows* rows, double sums[3], double* second) {
    double axis[3][3];
    const contact_jacobian jac = contact_axes(&rows->fields, 0);
    memcpy(axis[0], jac.normal, sizeof axis[0]);
    memcpy(axis[1], jac.tangent, sizeof axis[1]);
    vec3_cross(axis[0], axis[1], axis[2]);
    *second = sums[0] = sums[1] = sums[2] = 0;
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        for (size_t r = 0; adjoint_rows_act(rows, slot) && r < 3; r++) {
            double row[3] = {0, 0, 0};
            if (slot < 4) {
                vec3_axpy(rows->rest[contact_weight + slot], axis[r], row);
            } else {
                vec3_cross(rows->rest + contact_arm + 3 * (slot - 4), axis[r], row);
            }
            const double product = slot < 4 ? (double)rows->inverse_mass[rows->nodes[slot]] * vec3_dot(row, row)
                                            : frame_product(&rows->fields, &rows->plan->sizes, rows->nodes[slot], row);
            sums[r] += product;
            *second +=
                r == 0 && is_of_second(&rows->fields.kinds[TAUT_CONTACT], TAUT_CONTACT, 0, (int)slot) ? product : 0;
        }
    }
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static void read_softness(const adjoint_rows* rows, adjoint_inputs* out) {
    const taut_fields* f = &rows->fields;
    const taut_sizes* s = &rows->plan->sizes;
    const taut_factors* step = &rows->step;
    const contact_duty duty = duty_under(f, s, 0, step, load_of_force(out->last[0] / step->h, step));
    double sums[3], second;
    diagonal_of(rows, sums, &second);
    out->softness = rows->note->stiffer * contact_softness(sums[0] - second, second, fmax(sums[1], sums[2]), &duty);
    for (size_t r = 0; r < 3; r++) {
        out->norm[r] = rows->note->norm[r] / (sums[r] + out->softness);
    }
}

/* What follows from other things that the contact's bodies do, as note_sliding and note_piece take it. */
static void read_sliding(adjoint_rows* rows, adjoint_inputs* out) {
    const taut_sizes* s = &rows->plan->sizes;
    taut_fields f = rows->fields;
    contact_start at;
    memset(&at, 0, sizeof at);
    memcpy(at.v, out->v, sizeof at.v);
    memcpy(at.norm, out->norm, sizeof at.norm);
    at.bodies = is_of_bodies(rows->rest);
    f.orientation = rows->later;
    note_sliding(&f, s, 0, &at);
    rows->alone = note_fall(&rows->fields, s, 0, &rows->step, &at);
    out->together = at.together;
    out->fall = at.fall;
    out->meets = at.meets;
}

bool adjoint_rows_read(adjoint_rows* rows, adjoint_inputs* out) {
    double seed[3];
    if (!find_again(rows)) {
        return false;
    }
    const contact_jacobian axes = contact_axes(&rows->fields, 0);
    for (size_t slot = 4; slot < contact_NODES; slot++) {
        if (adjoint_rows_act(rows, slot)) {
            weigh_frame(rows, rows->nodes[slot]);
        }
    }
    out->phi = rows->found.gap;
    adjoint_rows_motion(rows, rows->fields.v, out->v);
    adjoint_rows_motion(rows, rows->record->dv, out->moved);
    adjoint_rows_motion(rows, rows->y, out->reach);
    contact_split(&axes, rows->seed, seed);
    contact_split(&axes, rows->note->last, out->last);
    for (size_t r = 0; r < 3; r++) {
        out->reach[r] += seed[r];
        out->last[r] *= rows->step.h;
    }
    read_softness(rows, out);
    read_sliding(rows, out);
    return true;
}

/* ---- slopes ------------------------------------------------------------------------------------------------------ */

/* What a variable is, and how far it is changed. */
static double* value_of_variable(adjoint_rows* rows, adjoint_variable variable, size_t index) {
    switch (variable) {
    case ADJOINT_PLACE:
        return rows->fields.x + index;
    case ADJOINT_SPEED:
        return rows->fields.v + index;
    case ADJOINT_INERTIA:
        return rows->inertia + index;
    default:
        return rows->step.gravity + index;
    }
}

static double change_of(const adjoint_rows* rows, const adjoint_inputs* at, adjoint_variable variable, size_t index) {
    const taut_sizes* s = &rows->plan->sizes;
    const double* inertia = rows->inertia + index - index % 6;
    const double size = fmax(size_of(rows), ROWS_SMALL);
    const bool turns = index / 3 >= s->points;
    switch (variable) {
    case ADJOINT_PLACE:
        return turns ? ROWS_PART : ROWS_PART * size;
    case ADJOINT_SPEED:
        return ROWS_PART * (ROWS_SLOW + sqrt(vec3_dot(at->v, at->v))) / (turns ? size : 1);
    case ADJOINT_MASS:
        return ROWS_MASS_PART;
    case ADJOINT_INERTIA:
        return ROWS_MASS_PART * (inertia[0] + inertia[1] + inertia[2]);
    default:
        return ROWS_PART * gravity_of(&rows->step);
    }
}

/* Reads the inputs where a variable is changed by `way`. */
static bool read_beside(adjoint_rows* rows, adjoint_variable variable, size_t index, double way, adjoint_inputs* out) {
    const size_t points = rows->plan->sizes.points;
    bool found;
    if (variable == ADJOINT_PLACE && index / 3 >= points) {
        double *q = rows->fields.orientation + 4 * (index / 3 - points), was[4], turn[3] = {0, 0, 0}, by[4];
        memcpy(was, q, sizeof was);
        turn[index % 3] = way;
        quat_exp(turn, by);
        quat_multiply(by, was, q);
        found = adjoint_rows_read(rows, out);
        memcpy(q, was, sizeof was);
    } else if (variable == ADJOINT_MASS) {
        const float was = rows->inverse_mass[index];
        rows->inverse_mass[index] = (float)(was * exp(-way));
        found = adjoint_rows_read(rows, out);
        rows->inverse_mass[index] = was;
    } else {
        double *value = value_of_variable(rows, variable, index), was = *value;
        *value = was + way;
        found = adjoint_rows_read(rows, out);
        *value = was;
    }
    return found;
}

static double weigh_inputs(const adjoint_inputs* gradient, const adjoint_inputs* to, const adjoint_inputs* from) {
    const double *g = (const double*)gradient, *a = (const double*)to, *b = (const double*)from;
    double sum = 0;
    for (size_t i = 0; i < ADJOINT_INPUTS; i++) {
        sum += g[i] * (a[i] - b[i]);
    }
    return sum;
}

/* Central differences; at an edge of what the formulas of a pair hold for, those of the side where they do. */
bool adjoint_rows_slope(adjoint_rows* rows, const adjoint_inputs* at, const adjoint_inputs* gradient,
                        adjoint_variable variable, size_t index, double* slope) {
    const double way = change_of(rows, at, variable, index);
    adjoint_inputs ahead, behind;
    const bool after = read_beside(rows, variable, index, way, &ahead);
    const bool before = read_beside(rows, variable, index, -way, &behind);
    if (after && before) {
        *slope = weigh_inputs(gradient, &ahead, &behind) / (2 * way);
        return true;
    }
    const adjoint_inputs* near = after ? &ahead : &behind;
    adjoint_inputs far;
    const double side = after ? way : -way;
    if (!(after || before) || !read_beside(rows, variable, index, 2 * side, &far)) {
        return false;
    }
    *slope = (4 * weigh_inputs(gradient, near, at) - weigh_inputs(gradient, &far, at)) / (2 * side);
    return true;
}

double adjoint_rows_load_slope(const adjoint_rows* rows, const adjoint_inputs* at, const adjoint_inputs* gradient) {
    adjoint_inputs ahead = *at, behind = *at;
    const double way = ROWS_PART * at->last[0];
    if (!(way > 0)) {
        return 0;
    }
    ahead.last[0] += way;
    behind.last[0] -= way;
    read_softness(rows, &ahead);
    read_softness(rows, &behind);
    ahead.last[0] = behind.last[0] = at->last[0]; /* what is its own is known */
    return weigh_inputs(gradient, &ahead, &behind) / (2 * way);
}

bool adjoint_rows_turned(adjoint_rows* rows, size_t slot, size_t axis, double way, adjoint_inputs* out) {
    double* change = &rows->record->dv[3 * (size_t)rows->nodes[slot] + axis];
    const double was = *change;
    *change = was + way / (rows->step.alpha * rows->step.beta * rows->step.h);
    const bool found = adjoint_rows_read(rows, out);
    *change = was;
    return found;
}
