/* A hinge is an edge between two triangles of areas A1 and A2; its angle stands for the bending of both triangles. With
 * the energy 1/2 theta^2 / C,
 *
 *     C = (a1 + a2)/(e^2 B),    a_i = A_i, or 0 where all corners of triangle i are held
 *
 * is 1/2 B kappa^2 per area of a cylindrically bent sheet of equilateral triangles, and of right-angled ones bent along
 * a grid line. What is held does not bend, so that its part of the strip is left out.
 *
 * A clamp holds the slope at an edge. Each triangle beside the edge bends against a wall over its own half of the
 * strip, a hinge with A_i alone. The wall is a fixed point behind the edge, in the plane of the triangle, and in the
 * mean plane where there are two. Both corrections make the error of a clamp one of second order in the size of the
 * triangles. */
#include "build/cloth_bending.h"

#include "base/array.h"
#include "base/vector.h"
#include "build/clamps.h"

#include <stdlib.h>
#include <string.h>

typedef struct fold_list {
    size_t count;
    uint32_t (*particles)[4];
    double* compliances;
    bool* cut;  /* per hinge, then per border: a clamp stands at this edge */
    bool* held; /* per vertex */
} fold_list;

/* An edge of the mesh, and the triangles beside it: two, or one at the border. */
typedef struct clamped_edge {
    const uint32_t* vertices; /* edge and opposite vertices */
    const uint32_t* triangles;
    int sides;
} clamped_edge;

static bool folds_new(scene_builder* b, const mesh* m, const hinge_list* hinges, const built_object* o,
                      fold_list* out) {
    const size_t most = 3 * m->triangle_count; /* every side of a triangle bends once at most */
    *out = (fold_list){.particles = array_new(most, sizeof *out->particles, b->r),
                       .compliances = array_new(most, sizeof *out->compliances, b->r),
                       .cut = array_new(hinges->count + hinges->border_count, sizeof *out->cut, b->r)};
    out->held = out->particles && out->compliances && out->cut
                    ? mark_held(b, o, (placed_points){m->point_count, (const double(*)[3])m->points})
                    : NULL;
    return out->held != NULL;
}

static void folds_free(fold_list* f) {
    free(f->particles);
    free(f->compliances);
    free(f->cut);
    free(f->held);
}

static bool is_held(const fold_list* f, const mesh* m, uint32_t triangle) {
    const uint32_t* t = m->triangles[triangle];
    return f->held[t[0]] && f->held[t[1]] && f->held[t[2]];
}

static double edge_squared(const mesh* m, const uint32_t* edge) {
    const double length = vector_distance(m->points[edge[0]], m->points[edge[1]]);
    return length * length;
}

/* ---- hinges of the mesh --------------------------------------------------------------------------------------- */

/* m^2; of a hinge between two triangles that are held: as if they were free, since nothing moves. */
static double bending_area(const fold_list* f, const mesh* m, const uint32_t triangles[2]) {
    const bool held[2] = {is_held(f, m, triangles[0]), is_held(f, m, triangles[1])};
    double area = 0;
    for (int i = 0; i < 2; i++) {
        area += !held[i] || held[1 - i] ? mesh_triangle_area(m, triangles[i]) : 0;
    }
    return area;
}

static void list_hinges(const cloth_spec* c, const mesh* m, const hinge_list* hinges, uint32_t first, fold_list* f) {
    for (size_t i = 0; i < hinges->count; i++) {
        for (int k = 0; !f->cut[i] && k < 4; k++) {
            f->particles[f->count][k] = first + hinges->vertices[i][k];
        }
        if (!f->cut[i]) {
            f->compliances[f->count++] =
                c->bend.compliance * bending_area(f, m, hinges->triangles[i]) / edge_squared(m, hinges->vertices[i]);
        }
    }
}

/* ---- clamps --------------------------------------------------------------------------------------------------- */

/* From the middle of the edge straight to the opposite vertex: a unit vector in the plane, and the height. */
static double height_of(const mesh* m, const uint32_t* edge, uint32_t opposite, double out[3]) {
    double along[3], to[3];
    vector_between(m->points[edge[0]], m->points[edge[1]], along);
    vector_between(m->points[edge[0]], m->points[opposite], to);
    const double part = vector_dot(along, to) / vector_dot(along, along);
    for (int a = 0; a < 3; a++) {
        out[a] = to[a] - part * along[a];
    }
    const double height = sqrt(vector_dot(out, out));
    for (int a = 0; a < 3; a++) {
        out[a] /= height;
    }
    return height;
}

/* The point behind the edge, seen from side `side`. Of two triangles whose heights have the directions d0 and d1, the
 * mean plane has the direction d0 - d1. */
static void wall_point(const mesh* m, const clamped_edge* e, int side, double out[3]) {
    double d[2][3] = {{0}}, heights[2];
    for (int i = 0; i < e->sides; i++) {
        heights[i] = height_of(m, e->vertices, e->vertices[2 + i], d[i]);
    }
    double across[3];
    vector_between(d[1 - side], d[side], across);
    const double size = sqrt(vector_dot(across, across));
    for (int a = 0; a < 3; a++) {
        const double middle = 0.5 * (m->points[e->vertices[0]][a] + m->points[e->vertices[1]][a]);
        const double unit = e->sides == 2 && size > 1e-6 ? across[a] / size : d[side][a];
        out[a] = middle - heights[side] * unit;
    }
}

/* Points behind the clamps of one pin; they come into the scene behind all points so far. */
typedef struct wall {
    uint32_t first;
    size_t count;
    double (*points)[3];
} wall;

/* Folds of one edge against the wall, in the order of taut_bend_def. */
static void list_clamp(const cloth_spec* c, const mesh* m, const clamped_edge* e, uint32_t first, fold_list* f,
                       wall* w) {
    for (int side = 0; side < e->sides; side++) {
        if (is_held(f, m, e->triangles[side])) {
            continue;
        }
        uint32_t* particles = f->particles[f->count];
        particles[0] = first + e->vertices[0];
        particles[1] = first + e->vertices[1];
        particles[2 + side] = first + e->vertices[2 + side];
        particles[3 - side] = w->first + (uint32_t)w->count;
        f->compliances[f->count++] =
            c->bend.compliance * mesh_triangle_area(m, e->triangles[side]) / edge_squared(m, e->vertices);
        wall_point(m, e, side, w->points[w->count++]);
    }
}

/* Edges between marked vertices, each of which one pin clamps; returns how many there are. */
static size_t list_marked(const cloth_spec* c, const mesh* m, const hinge_list* hinges, const bool* marks,
                          uint32_t first, fold_list* f, wall* w) {
    size_t edges = 0;
    for (size_t i = 0; i < hinges->count + hinges->border_count; i++) {
        const size_t border = i - hinges->count;
        const clamped_edge edge = i < hinges->count
                                      ? (clamped_edge){hinges->vertices[i], hinges->triangles[i], 2}
                                      : (clamped_edge){hinges->borders[border], &hinges->border_triangles[border], 1};
        if (marks[edge.vertices[0]] && marks[edge.vertices[1]]) {
            edges++;
            if (!f->cut[i]) {
                list_clamp(c, m, &edge, first, f, w);
            }
            f->cut[i] = true;
        }
    }
    return edges;
}

static bool list_clamps_of(scene_builder* b, size_t pin, const cloth_spec* c, const mesh* m, const hinge_list* hinges,
                           const built_object* o, fold_list* f) {
    bool* marks = array_new(m->point_count, sizeof *marks, b->r);
    wall w = {.first = (uint32_t)taut_scene_particle_count(b->built->scene),
              .points = array_new(3 * m->triangle_count, sizeof *w.points, b->r)};
    if (marks) {
        mark_pinned(&b->file->constraints[pin].as.pin, (placed_points){m->point_count, (const double(*)[3])m->points},
                    marks);
    }
    const bool ok = marks && w.points &&
                    (list_marked(c, m, hinges, marks, (uint32_t)o->first_point, f, &w) > 0 ||
                     clamp_fail(b, pin, "holds no edge of '%s': list two neighbouring vertices or more", o->name)) &&
                    (w.count == 0 || build_wall(b, pin, w.count, (const double(*)[3])w.points));
    free(marks);
    free(w.points);
    return ok;
}

static bool list_clamps(scene_builder* b, const cloth_spec* c, const mesh* m, const hinge_list* hinges,
                        const built_object* o, fold_list* f) {
    bool ok = true;
    for (size_t i = 0; ok && i < b->file->constraint_count; i++) {
        const pin_spec* pin = hard_pin(b, i, o);
        ok = !pin || !pin->clamp || list_clamps_of(b, i, c, m, hinges, o, f);
    }
    return ok;
}

/* ---- all together --------------------------------------------------------------------------------------------- */

static bool add_folds(scene_builder* b, const cloth_spec* c, const fold_list* f) {
    taut_bend_def def = taut_default_bend();
    double* flat = c->bend_flat ? array_new(f->count, sizeof *flat, b->r) : NULL;
    taut_batch batch;
    def.count = f->count;
    def.particles = f->particles[0];
    def.rest_angles = flat;
    def.compliances = f->compliances;
    def.damping = c->bend.damping;
    const bool ok = (flat || !c->bend_flat) &&
                    build_check(b, ".bend", taut_scene_add_bends(b->built->scene, &def, &batch)) &&
                    build_form(b, ".bend", &c->bend, batch);
    b->built->kinds[TAUT_BEND] = true;
    free(flat);
    return ok;
}

bool build_cloth_bending(scene_builder* b, const cloth_spec* c, const mesh* m, const hinge_list* hinges,
                         const built_object* o) {
    fold_list f;
    bool ok = folds_new(b, m, hinges, o, &f) && list_clamps(b, c, m, hinges, o, &f);
    if (ok) {
        list_hinges(c, m, hinges, (uint32_t)o->first_point, &f);
        ok = f.count == 0 || add_folds(b, c, &f);
    }
    folds_free(&f);
    return ok;
}
