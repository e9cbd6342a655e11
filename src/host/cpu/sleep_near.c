/* Supports that move, where they come near what sleeps: contacts look for nothing between things that are fixed. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_sleep.h"

#include <float.h>
#include <math.h>

static bool node_moves(const taut_fields* f, uint32_t n) {
    return n != TAUT_NO_NODE && vec3_dot(f->v + 3 * (size_t)n, f->v + 3 * (size_t)n) > 0;
}

static bool body_moves(const taut_fields* f, taut_body_nodes body) {
    return node_moves(f, body.centre) || node_moves(f, body.frame);
}

/* Of a mesh that deforms: where its vertices go within two steps. False: it stands still. */
static bool box_of_moving_mesh(const taut_fields* f, const taut_mesh* mesh, const taut_factors* step, float box[6]) {
    bool moves = false;
    for (size_t i = 0; i < mesh->vertices; i++) {
        const uint32_t n = f->mesh_vertex[mesh->first_vertex + i];
        const double* v = f->v + 3 * (size_t)n;
        moves = moves || node_moves(f, n);
        box_add(f->x + 3 * (size_t)n, 2 * step->h * sqrt(vec3_dot(v, v)) + step->near, box);
    }
    return moves;
}

/* The box of a collider that moves though nothing can move it. False: it is none. */
static bool box_of_support(const taut_plan* plan, size_t collider, const taut_factors* step, float box[6]) {
    const taut_fields* f = &plan->fields;
    const taut_mesh* mesh = deforming_mesh(f, &plan->sizes, collider);
    box_clear(box);
    if (!collider_is_still(f, &plan->sizes, collider)) {
        return false;
    }
    if (mesh != NULL) {
        return box_of_moving_mesh(f, mesh, step, box);
    }
    box_of_collider(f, &plan->sizes, collider, step, box);
    for (int a = 0; a < 3 && box[0] > box[3]; a++) { /* it has no end */
        box[a] = -FLT_MAX;
        box[3 + a] = FLT_MAX;
    }
    return body_moves(f, f->collider_body[collider]);
}

/* Colliders, faces, then contact points: of what is not fixed, or moves. */
static uint32_t component_of(const taut_plan* plan, size_t item) {
    const taut_fields* f = &plan->fields;
    const size_t points = (size_t)plan->sizes.colliders + plan->sizes.faces;
    const taut_body_nodes body = item < plan->sizes.colliders ? f->collider_body[item]
                                 : item >= points
                                     ? f->touching_node[item - points]
                                     : f->touching_node[f->face_corner[4 * (item - plan->sizes.colliders)]];
    const uint32_t node = body.centre != TAUT_NO_NODE ? body.centre : body.frame;
    return node != TAUT_NO_NODE ? f->node_component[node] : TAUT_NO_NODE;
}

/* What sleeps and has a box that meets this one. True: there is some. */
static bool stir_near(const taut_plan* plan, const taut_factors* step, const float box[6]) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const size_t points = (size_t)s->colliders + s->faces;
    float own[6];
    bool any = false;
    for (size_t i = 0; i < points + s->touching; i++) {
        const uint32_t component = component_of(plan, i);
        if (component == TAUT_NO_NODE || !f->component_asleep[component]) {
            continue;
        }
        if (i < points) {
            box_of_face_item(f, s, i, step, own);
        } else {
            box_of_point(f, s, i - points, step, own);
        }
        if (boxes_meet(own, box)) {
            cpu_stir(plan, component);
            any = true;
        }
    }
    return any;
}

/* Contact points that are fixed and move, in one box. */
static bool box_of_points(const taut_plan* plan, const taut_factors* step, float box[6]) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    bool any = false;
    float own[6];
    box_clear(box);
    for (size_t i = 0; i < s->touching; i++) {
        if (!is_skin(f, i) && corner_is_still(f, s, i) && body_moves(f, f->touching_node[i])) {
            box_of_point(f, s, i, step, own);
            box_join(own, box, box);
            any = true;
        }
    }
    return any;
}

void cpu_stir_near_supports(const taut_plan* plan, double dt) {
    const taut_factors step = taut_phase_factors(&plan->settings, TAUT_PHASE_STEP, dt);
    float box[6];
    for (size_t i = 0; plan->sizes.touches && i < plan->sizes.colliders; i++) {
        if (box_of_support(plan, i, &step, box)) {
            stir_near(plan, &step, box);
        }
    }
    if (plan->sizes.touches && box_of_points(plan, &step, box)) {
        stir_near(plan, &step, box);
    }
}

bool cpu_stir_near_fast(const taut_plan* plan, double h) {
    const taut_factors step = taut_phase_factors(&plan->settings, TAUT_PHASE_STEP, h);
    bool any = false;
    float box[6];
    for (size_t i = 0; i < plan->sizes.solids; i++) {
        if (plan->fields.solid_fast[i]) {
            box_of_collider(&plan->fields, &plan->sizes, i, &step, box);
            any = stir_near(plan, &step, box) || any;
        }
    }
    return any;
}
