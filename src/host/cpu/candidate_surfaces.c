#define TAUT_REAL double
#include "host/cpu/cpu_candidate_surfaces.h"

#include "kernels/stages/contact/crossing.h"

#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_tree.h"

#include <math.h>
#include <string.h>

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static uint32_t surface_of_point(const taut_fields* f, size_t point) {
    const uint32_t own = f->touching_surface[point];
    return own != TAUT_NO_NODE ? own / 2 : TAUT_NO_NODE;
}

void candidate_surfaces_find(contact_candidates* c) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    for (size_t i = 0; i < c->group[FACES].count; i++) {
        c->group[FACES].surface[i] =
            i < s->colliders ? TAUT_NO_NODE : surface_of_point(f, f->face_corner[4 * (i - s->colliders)]);
    }
    for (size_t i = 0; i < s->edges; i++) {
        c->group[EDGES].surface[i] = surface_of_point(f, f->edge_corner[4 * i]);
    }
    for (size_t i = 0; i < s->touching; i++) {
        const uint32_t own = surface_of_point(f, i);
        c->group[POINTS].surface[i] = own;
        if (own != TAUT_NO_NODE) {
            c->meets_itself[own] = (f->touching_surface[i] & 1u) != 0;
            c->some_alone = c->some_alone || c->meets_itself[own] == 0;
        }
    }
}

static void add_means(const contact_candidates* c, const taut_fields* f, mean_motion* means) {
    const taut_sizes* s = &c->plan->sizes;
    memset(means, 0, s->surfaces * sizeof *means);
    for (uint32_t i = 0; i < s->touching; i++) {
        const uint32_t surface = c->group[POINTS].surface[i];
        if (surface != TAUT_NO_NODE) {
            vec3_axpy(1, corner_x(f, i), means[surface].x);
            vec3_axpy(1, corner_v(f, i), means[surface].v);
            means[surface].count += 1;
        }
    }
    for (uint32_t g = 0; g < s->surfaces; g++) {
        for (int a = 0; a < 3; a++) {
            means[g].x[a] /= fmax(means[g].count, 1);
            means[g].v[a] /= fmax(means[g].count, 1);
        }
    }
}

void candidate_surfaces_mean(contact_candidates* c) {
    add_means(c, &c->plan->fields, c->surface_now);
}

bool candidate_surfaces_part(const contact_candidates* c, double time, double least) {
    bool any = false;
    for (uint32_t g = 0; g < c->plan->sizes.surfaces && !any; g++) {
        double beside[3];
        vec3_sub(c->surface_now[g].v, c->plan->fields.drift, beside);
        any = time * sqrt(vec3_dot(beside, beside)) > least;
    }
    return any;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

typedef struct own_loop {
    contact_candidates* c;
    candidate_group group;
    const taut_factors* step;
    const taut_fields* was;
    const mean_motion* before; /* means of `was` */
} own_loop;

static const uint32_t* corners_of(const taut_fields* f, const taut_sizes* s, candidate_group group, size_t item) {
    return group == FACES ? f->face_corner + 4 * (item - s->colliders) : f->edge_corner + 4 * item;
}

/* As if the surface had ended where it began, or begun where it ends: it did not move. */
static void box_of_way(const own_loop* l, const uint32_t* corner, int count, const double way[3], float box[6]) {
    const taut_fields* f = &l->c->plan->fields;
    box_clear(box);
    for (int i = 0; i < count; i++) {
        double from[3];
        memcpy(from, corner_x(l->was, corner[i]), sizeof from);
        vec3_axpy(1, way, from);
        box_add(from, swept_margin(f, corner[i]), box);
        box_add(corner_x(f, corner[i]), swept_margin(f, corner[i]), box);
    }
}

static void own_range(const void* context, uint32_t part, size_t first, size_t last) {
    const own_loop* l = context;
    const taut_fields* f = &l->c->plan->fields;
    const taut_sizes* s = &l->c->plan->sizes;
    const candidate_boxes* boxes = &l->c->group[l->group];
    (void)part;
    for (size_t i = first; i < last; i++) {
        const uint32_t surface = boxes->surface[i], point = (uint32_t)i;
        float* own = boxes->own + 6 * i;
        memcpy(own, boxes->box + 6 * i, 6 * sizeof *own);
        if (surface == TAUT_NO_NODE || own[0] > own[3]) {
            continue;
        }
        const mean_motion* mean = &l->c->surface_now[surface];
        const uint32_t* corner = l->group == POINTS ? &point : corners_of(f, s, l->group, i);
        const int count = l->group == POINTS ? 1 : l->group == FACES ? 3 : 2;
        if (l->step == NULL) {
            double way[3];
            vec3_sub(mean->x, l->before[surface].x, way);
            box_of_way(l, corner, count, way, own);
        } else {
            box_of_corners(f, s, corner, count, l->step, mean->v, own);
            widen(l->group == POINTS ? l->step->near : 0, own);
        }
    }
}

void candidate_surfaces_boxes(contact_candidates* c, const taut_factors* step, const taut_fields* was) {
    own_loop l = {.c = c, .step = step, .was = was, .before = c->surface_before};
    if (step == NULL) {
        add_means(c, was, c->surface_before);
    }
    candidate_surfaces_mean(c);
    for (int g = 0; g < CANDIDATE_GROUPS; g++) {
        l.group = (candidate_group)g;
        cpu_for(c->plan, 0, c->group[g].count, CPU_PARALLEL_FROM / 8, own_range, &l);
    }
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static uint32_t surface_of_both(uint32_t a, uint32_t b) {
    return a == b || b == SURFACE_EMPTY ? a : a == SURFACE_EMPTY ? b : SURFACE_MIXED;
}

static void put_own_reaches(contact_candidates* c, const candidate_boxes* own, uint32_t leaves) {
    for (size_t i = leaves; i < 2 * (size_t)leaves; i++) {
        box_clear(c->own_tree + 6 * i);
    }
    for (size_t i = 0; i < own->count; i++) {
        if (own->surface[i] != TAUT_NO_NODE) {
            memcpy(c->own_tree + 6 * (leaves + (size_t)own->rank[i]), own->own_reach + 6 * i, 6 * sizeof(float));
        }
    }
    cpu_join_tree(leaves, c->own_tree);
}

void candidate_surfaces_tree(contact_candidates* c, candidate_group group, uint32_t leaves) {
    const candidate_boxes* own = &c->group[group];
    for (size_t i = leaves; i < 2 * (size_t)leaves; i++) {
        c->own_surface[i] = SURFACE_EMPTY;
    }
    for (size_t i = 0; i < own->count; i++) {
        c->own_surface[leaves + own->rank[i]] = own->surface[i] == TAUT_NO_NODE ? SURFACE_MIXED : own->surface[i];
    }
    for (size_t i = leaves; i-- > 1;) {
        c->own_surface[i] = surface_of_both(c->own_surface[2 * i], c->own_surface[2 * i + 1]);
    }
    if (c->apart) {
        put_own_reaches(c, own, leaves);
    }
}
