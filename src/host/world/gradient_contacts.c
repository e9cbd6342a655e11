/* What the impulse of a contact follows from, by the convex law: recomputed in float64 from the state before the step,
 * and compared with the impulse of the step. */
#define TAUT_REAL double
#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/collide.h"

#include "host/world/gradient_contacts.h"

#include <string.h>

/* R may differ by this part from that of the mass alone, which is rounded. */
#define CONTACT_SOFTNESS 1e-5
/* What the law may leave of an impulse, and of y: Newton's method says how close the step is; more is another law. */
#define CONTACT_AGREES 1e-3
#define CONTACT_OF_Y   1e-6

/* ---- what has gradients ------------------------------------------------------------------------------------------ */

const char* gradient_refuses_contacts(const taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    if (!s->touches) {
        return NULL;
    }
    return world->plan.settings.contact.law != TAUT_CONTACT_CONVEX ? "contacts have them by the convex law alone"
           : s->edges > 0 || s->faces > 0                          ? "worlds with contact surfaces have none"
                                                                   : NULL;
}

/* A point about a shape, in its axes: d from the nearest place of the core (the centre of a sphere, the axis of a
 * capsule, a box), which moves by 1 - D as the point does. The normal is d/|d|, and changes by (D - n n^T)/|d|. */
typedef struct around {
    double d[3], moves[3]; /* D, a diagonal */
} around;

static bool find_around(const taut_fields* f, uint32_t collider, const double own[3], around* out) {
    const double* size = f->collider_size + 3 * (size_t)collider;
    const taut_shape shape = (taut_shape)f->collider_shape[collider];
    if (shape != TAUT_SHAPE_SPHERE && shape != TAUT_SHAPE_CAPSULE && shape != TAUT_SHAPE_BOX) {
        return false;
    }
    bool outside = false;
    for (size_t a = 0; a < 3; a++) {
        const double half = shape == TAUT_SHAPE_BOX ? size[a] : shape == TAUT_SHAPE_CAPSULE && a == 2 ? size[1] : 0;
        out->moves[a] = fabs(own[a]) > half ? 1 : 0;
        out->d[a] = fabs(own[a]) > half ? own[a] - copysign(half, own[a]) : 0;
        outside = outside || out->d[a] != 0;
    }
    return outside;
}

/* The box about a particle within it: the normal is that of a face. */
static bool is_face_of_box(const taut_fields* f, uint32_t collider, const double normal[3]) {
    return f->collider_shape[collider] == TAUT_SHAPE_BOX &&
           fmax(fabs(normal[0]), fmax(fabs(normal[1]), fabs(normal[2]))) > 1 - 1e-12;
}

/* How the normal changes with the place x; false where that is not known. */
static bool find_bend(const taut_fields* f, uint32_t collider, const double x[3], const double normal[3],
                      double bend[3][3]) {
    const taut_collider_pose* pose = &f->collider_pose[collider];
    double axes[3][3], arm[3], own[3], n[3];
    around near;
    memset(bend, 0, 9 * sizeof(double));
    if (f->collider_shape[collider] == TAUT_SHAPE_PLANE) {
        return true;
    }
    quat_axes(pose->orientation, axes);
    vec3_sub(x, pose->position, arm);
    for (size_t a = 0; a < 3; a++) {
        own[a] = vec3_dot(axes[a], arm);
        n[a] = vec3_dot(axes[a], normal);
    }
    if (!find_around(f, collider, own, &near)) {
        return is_face_of_box(f, collider, n);
    }
    const double distance = sqrt(vec3_dot(near.d, near.d));
    double off = 0;
    for (size_t a = 0; a < 3; a++) {
        off = fmax(off, fabs(near.d[a] / distance - n[a]));
        for (size_t i = 0; i < 3; i++) {
            vec3_axpy(near.moves[a] * axes[a][i] / distance, axes[a], bend[i]);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        vec3_axpy(-normal[i] / distance, normal, bend[i]);
    }
    return off < 1e-9;
}

/* The particle alone, against a collider that stands in the world. */
static bool is_of_point(const taut_world* world, size_t c) {
    const taut_fields* f = &world->plan.fields;
    const uint32_t point = f->contact_pair[2 * c], collider = f->contact_pair[2 * c + 1];
    if (point >= world->plan.sizes.touching || collider >= world->plan.sizes.colliders ||
        f->touching_node[point].frame != TAUT_NO_NODE || f->touching_node[point].centre >= world->plan.sizes.simple ||
        f->collider_body[collider].centre != TAUT_NO_NODE) {
        return false;
    }
    const double *rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c, *weight = rest + contact_weight;
    return weight[0] == 1 && weight[1] == 0 && weight[2] == 0 && weight[3] == 0 &&
           f->contact_feature[c] != TAUT_DRAWN_FEATURE;
}

/* ---- one contact ------------------------------------------------------------------------------------------------- */

/* The start of the step as contact c has it, and R, as regularised_side of assemble.h takes them. */
static contact_start start_of(const taut_world* world, const taut_step_record* record, size_t c,
                              const taut_factors* step, taut_contact_note* note) {
    const taut_fields* f = &world->plan.fields;
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const float* weight = f->kinds[TAUT_CONTACT].weight + TAUT_PACKED(contact_ROWS) * c;
    const double* last = last_of_pair(f, note->finder, note->other, note->feature);
    const double *x = record->x + 3 * (size_t)note->node, *v = record->v + 3 * (size_t)note->node;
    const double still[3] = {0, 0, 0};
    const contact_jacobian axes = contact_axes(f, c);
    contact_start at = {
        .mu = friction_of(f, c), .normal = weight[packed_index(0, 0)], .tangent = weight[packed_index(1, 1)]};
    double place[3];
    contact_split(&axes, x, place);
    contact_split(&axes, v, at.v);
    contact_split(&axes, last != NULL ? last + 3 : still, at.last);
    for (size_t r = 0; r < 3; r++) {
        at.last[r] *= step->h;
    }
    at.phi = place[0] - rest[contact_offset];
    at.across = hypot(at.v[1], at.v[2]);
    at.load = gravity_of(step) > 0 && at.last[0] > 0 ? at.last[0] / step->h / gravity_of(step) : 0;
    at.borne = borne_load(f, &world->plan.sizes, c, step);
    at.stops = at.chain = at.stage = 1; /* chains are of bodies */
    at.fall = fmax(-vec3_dot(step->gravity, axes.normal), 0);
    at.given = 1 + TAUT_CONTACT_SHARE;
    memcpy(note->axes[0], axes.normal, sizeof axes.normal);
    memcpy(note->axes[1], axes.tangent, sizeof axes.tangent);
    vec3_cross(axes.normal, axes.tangent, note->axes[2]);
    memcpy(note->last, at.last, sizeof note->last);
    memcpy(note->start, v, sizeof note->start);
    memcpy(note->dv, record->dv + 3 * (size_t)note->node, sizeof note->dv);
    return at;
}

/* Derivatives of the speed u at which an overlap is undone, min(u, recovery), as contact_recovery has it, and of Rn
 * gam_n of the last step beside it. */
static void note_recovery(const contact_start* at, double recovery, const taut_factors* step, taut_contact_note* note) {
    const double g = gravity_of(step), s = at->phi < 0 ? -at->phi : 0, a = step->h * g / 2;
    const double root = sqrt(2 * g * s + a * a), rise = root - a, slow = s / TAUT_CONTACT_RECOVERY_TIME;
    const double speed = hypot(at->v[0], at->across), parts = parting_speed(at, step);
    note->kept[0] = at->normal;
    if (is_overloaded(at->tangent, at->load, at->borne) && step->h * g < parts) {
        note->by_gravity = step->h * g < recovery ? step->h : 0;
    } else if (parts >= recovery) {
        return;
    } else if (parts > rise && parts > slow) {
        for (size_t r = 0; r < 3; r++) {
            note->by_speed[r] = TAUT_CONTACT_RECOVERY_SHARE * at->v[r] / speed;
        }
    } else if (rise > slow) {
        note->by_gap = -g / root;
        note->by_gravity = (s + a * step->h / 2) / root - step->h / 2;
    } else {
        note->by_gap = -1 / TAUT_CONTACT_RECOVERY_TIME;
    }
}

/* Derivatives of bounced_side. */
static void note_bounce(const contact_start* at, double e, const taut_factors* step, taut_contact_note* note) {
    const double g = at->fall, h = step->h, v = at->v[0], phi = fmax(at->phi, 0), part = step->beta - 0.5;
    const double a = part * h * g, ahead = v - a, late = h * (1 - step->beta);
    const double root =
        sqrt(e * e * (ahead * ahead + 2 * g * phi) - a * a - 2 * g * (phi + late * v) + g * g * h * h / 4);
    const double by_fall = e * e * (phi - ahead * part * h) - a * part * h - phi - late * v + g * h * h / 4;
    note->by_speed[0] = at->given * ((e * e * ahead - g * late) / root - 1);
    note->by_gap = at->phi > 0 ? at->given * (e * e - 1) * g / root : 0;
    note->by_fall = g > 0 ? at->given * (by_fall / root + h / 2) - h : 0;
}

static bool is_rounded(double value, double from) {
    return fabs(value - from) <= 1e-12 * fabs(value);
}

/* b of the normal, as regularised_normal has it without compliance, and its derivatives. */
static double normal_side(const contact_start* at, const taut_law* law, const double* pair, double damping,
                          const taut_factors* step, taut_contact_note* note) {
    const double least = TAUT_CONTACT_DAMPING * step->h, side = regularised_normal(at, law, pair, damping, step);
    const double d = at->phi > 0 ? 0 : damping > least ? damping : least, scale = law->damped * d + law->plain;
    const double rate = (law->rate_damped * d + law->rate) / scale, part = -law->phi * at->phi / scale;
    double bounced = 0;
    bounced_side(at, pair[TAUT_PAIR_RESTITUTION], step, &bounced);
    if (is_rounded(side, part - rate * at->v[0])) {
        note->by_gap = -law->phi / scale;
    } else if (!is_rounded(side, bounced)) {
        note_recovery(at, pair[TAUT_PAIR_RECOVERY], step, note);
    } else {
        note_bounce(at, pair[TAUT_PAIR_RESTITUTION], step, note);
        return side;
    }
    note->by_speed[0] -= rate;
    return side;
}

/* gam = P(y) and G, in float64; y = (b - J dv)/R. */
static taut_contact_state impulse_of(const contact_start* at, const double y[3], double gam[3], double g[3][3]) {
    const double wn = 1 / at->normal, wt = 1 / at->tangent, q = wn / wt, mu = at->mu, across = hypot(y[1], y[2]);
    const taut_contact_state state = project_on_cone(mu, wn, wt, y, gam, NULL);
    const double e = 1 / (1 + mu * mu * q), shrink = across > 0 ? mu * gam[0] / across : 0;
    memset(g, 0, 9 * sizeof(double));
    if (state == TAUT_CONTACT_STICKS) {
        g[0][0] = wn;
        g[1][1] = g[2][2] = wt;
    } else if (state == TAUT_CONTACT_SLIDES) {
        const double t[2] = {across > 0 ? y[1] / across : 0, across > 0 ? y[2] / across : 0};
        g[0][0] = e * wn;
        for (size_t i = 0; i < 2; i++) {
            g[0][1 + i] = g[1 + i][0] = mu * e * wn * t[i];
            for (size_t j = 0; j < 2; j++) {
                g[1 + i][1 + j] = (mu * mu * e * wn - wt * shrink) * t[i] * t[j] + (i == j ? wt * shrink : 0);
            }
        }
    }
    return state;
}

/* Whether the step has the impulse that the law gives to its motion. */
static bool agrees(const double of_law[3], const double of_step[3], const double y[3]) {
    double off[3];
    vec3_sub(of_law, of_step, off);
    return sqrt(vec3_dot(off, off)) <=
           CONTACT_AGREES * sqrt(vec3_dot(of_step, of_step)) + CONTACT_OF_Y * sqrt(vec3_dot(y, y));
}

/* R as it follows from the mass and the last force alone. */
static bool is_plain(const taut_world* world, const contact_start* at, const taut_contact_note* note) {
    const contact_duty duty = {at->load, 0, 1, at->borne};
    const double softness = contact_softness(world->plan.fields.inverse_mass[note->node], 0, &duty);
    return fabs(at->tangent - softness) <= CONTACT_SOFTNESS * softness;
}

static const char* note_contact(const taut_world* world, const taut_step_record* record, size_t c,
                                const taut_factors* step, taut_contact_note* note) {
    const taut_fields* f = &world->plan.fields;
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double* pair = f->material_law + TAUT_CONTACT_LAW * (size_t)f->contact_law[c];
    double b[3], y[3], moved[3], gam[3];
    const contact_jacobian axes = contact_axes(f, c);
    if (!is_of_point(world, c) ||
        !find_bend(f, note->other, record->x + 3 * (size_t)note->node, axes.normal, note->bend)) {
        return "contacts have one between particles and planes, spheres, capsules or boxes that stand still";
    }
    const contact_start at = start_of(world, record, c, step, note);
    const double excess = at.load * f->inverse_mass[note->node] / at.borne;
    if (at.normal > at.tangent) {
        return "contacts with compliance have none";
    }
    if (!is_plain(world, &at, note)) {
        return "how soft a contact is depends on the constraints at its point; take a method on the Schur complement "
               "(projected_gradient)";
    }
    note->loaded = excess > 1 && excess < TAUT_CONTACT_LOAD_MOST;
    b[0] = normal_side(&at, law_of(kind, c, step), pair, kind->damping[c], step, note);
    note->kept[1] = contact_slid(&at) ? 0 : at.tangent;
    contact_split(&axes, record->dv + 3 * (size_t)note->node, moved);
    for (size_t r = 0; r < 3; r++) {
        b[r] = r == 0 ? b[0] : note->kept[1] * at.last[r] - at.v[r];
        y[r] = (b[r] - moved[r]) / (r == 0 ? at.normal : at.tangent);
    }
    (void)impulse_of(&at, y, gam, note->conductance);
    return agrees(gam, note->gam, y) ? NULL : "a contact was not solved closely; solve more closely (solver.tolerance)";
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

const char* gradient_note_contacts(const taut_world* world, taut_step_record* record) {
    const taut_fields* f = &world->plan.fields;
    const taut_sizes* s = &world->plan.sizes;
    const taut_factors step = taut_phase_factors(&world->plan.settings, TAUT_PHASE_RENEW, record->h);
    const char* refused = NULL;
    record->contact_count = 0;
    for (size_t c = 0; s->touches && refused == NULL && c < s->count[TAUT_CONTACT]; c++) {
        double force[3];
        for (size_t r = 0; r < 3; r++) {
            force[r] = f->lam[s->first_row[TAUT_CONTACT] + place_of(s->count[TAUT_CONTACT], contact_ROWS, c, r)];
        }
        if (!(force[0] > 0)) {
            continue; /* open: it has no part in the step, nor has what is near to it */
        }
        if (record->contact_count == taut_adjoint_contacts(s)) {
            return "more than two contacts press for each contact point";
        }
        taut_contact_note* note = &record->contacts[record->contact_count++];
        *note = (taut_contact_note){.gam = {record->h * force[0], record->h * force[1], record->h * force[2]},
                                    .node = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c],
                                    .finder = f->contact_pair[2 * c],
                                    .other = f->contact_pair[2 * c + 1],
                                    .feature = f->contact_feature[c]};
        refused = note_contact(world, record, c, &step, note);
    }
    return refused;
}
