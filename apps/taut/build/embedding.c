/* Mappings of points that have places of their own: on a body, in the cells of an object, bound to several bodies. */
#include "base/array.h"
#include "base/vector.h"
#include "build/build_mappings.h"

#include <float.h>
#include <stdlib.h>

/* ---- the points ----------------------------------------------------------------------------------------------- */

/* Placed; with triangles where they come from a mesh. */
static bool load_points(scene_builder* b, const scene_mapping* m, mesh* out) {
    const embedding_spec* e = &m->embedding;
    report cause = {0};
    if (e->mesh) {
        if (!mesh_read_surface(e->mesh, out, &cause)) {
            return build_fail(b, ".mesh", "%s", cause.text);
        }
        build_place_mesh(&m->place, out);
    } else {
        out->points = build_placed(b, &m->place, e->count, (const double(*)[3])e->positions);
        out->point_count = e->count;
    }
    return out->points && build_room(b, out->point_count);
}

/* ---- on one body ---------------------------------------------------------------------------------------------- */

static bool add_body_points(scene_builder* b, const embedding_spec* e, const mesh* points, const double* masses,
                            taut_range* range) {
    const point_reference body = {.object = e->object, .vertex = e->body};
    taut_body_points_def def = taut_default_body_points();
    def.count = points->point_count;
    def.body = body_at(b, &body);
    if (e->local) {
        def.local = points->points[0];
    } else {
        def.positions = points->points[0];
    }
    def.masses = masses;
    return build_check(b, "", taut_scene_add_body_points(b->built->scene, &def, range));
}

/* ---- in cells ------------------------------------------------------------------------------------------------- */

static bool add_in_cells(scene_builder* b, const embedding_spec* e, const mesh* points, const double* masses,
                         taut_range* range) {
    taut_combinations_def def = taut_default_combinations();
    cell_weights w = {0};
    bool ok = cell_weights_find(b, e, points->point_count, (const double(*)[3])points->points, &w);
    if (ok) {
        def.count = points->point_count;
        def.arity = w.arity;
        def.parents = w.parents;
        def.weights = w.weights;
        def.masses = masses;
        ok = build_check(b, "", taut_scene_add_combinations(b->built->scene, &def, range));
    }
    cell_weights_free(&w);
    return ok;
}

/* ---- on several bodies ---------------------------------------------------------------------------------------- */

/* Weights other than 0 of one point after another. */
typedef struct bindings {
    size_t* offsets;
    taut_body* bodies;
    double* weights;
} bindings;

static void bindings_free(bindings* bound) {
    free(bound->offsets);
    free(bound->bodies);
    free(bound->weights);
}

static void bind_weighted(const scene_builder* b, const embedding_spec* e, size_t count, bindings* bound) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < e->body_count; k++) {
            const double weight = e->weights[i * e->body_count + k];
            if (weight != 0) {
                bound->bodies[used] = body_at(b, &e->bodies[k]);
                bound->weights[used++] = weight;
            }
        }
        bound->offsets[i + 1] = used;
    }
}

/* The body whose centre of mass is nearest. */
static size_t nearest_body(const scene_builder* b, const embedding_spec* e, const double point[3]) {
    const double* points = taut_scene_positions(b->built->scene);
    size_t best = 0;
    double least = DBL_MAX;
    for (size_t k = 0; k < e->body_count; k++) {
        const size_t particle = b->built->objects[e->bodies[k].object].first_point + e->bodies[k].vertex;
        const double distance = vector_distance(points + 3 * particle, point);
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    return best;
}

static void bind_nearest(const scene_builder* b, const embedding_spec* e, size_t count, const double (*points)[3],
                         bindings* bound) {
    for (size_t i = 0; i < count; i++) {
        bound->bodies[i] = body_at(b, &e->bodies[nearest_body(b, e, points[i])]);
        bound->weights[i] = 1;
        bound->offsets[i + 1] = i + 1;
    }
}

static bool bindings_make(scene_builder* b, const embedding_spec* e, const mesh* points, bindings* out) {
    const size_t count = points->point_count;
    const size_t most = e->weights ? count * e->body_count : count;
    if (e->weights && e->count != count) {
        return build_fail(b, ".weights", "holds %zu rows for %zu points", e->count, count);
    }
    out->offsets = array_new(count + 1, sizeof *out->offsets, b->r);
    out->bodies = array_new(most, sizeof *out->bodies, b->r);
    out->weights = array_new(most, sizeof *out->weights, b->r);
    if (!out->offsets || !out->bodies || !out->weights) {
        return false;
    }
    if (e->weights) {
        bind_weighted(b, e, count, out);
    } else {
        bind_nearest(b, e, count, (const double(*)[3])points->points, out);
    }
    return true;
}

static bool add_skin(scene_builder* b, const embedding_spec* e, const mesh* points, const double* masses,
                     taut_range* range) {
    taut_skinned_def def = taut_default_skinned();
    bindings bound = {0};
    bool ok = bindings_make(b, e, points, &bound);
    if (ok) {
        def.count = points->point_count;
        def.positions = points->points[0];
        def.offsets = bound.offsets;
        def.bodies = bound.bodies;
        def.weights = bound.weights;
        def.masses = masses;
        ok = build_check(b, "", taut_scene_add_skinned(b->built->scene, &def, range));
    }
    bindings_free(&bound);
    return ok;
}

/* ---- all three ------------------------------------------------------------------------------------------------ */

static bool add_points(scene_builder* b, const scene_mapping* m, const mesh* points, taut_range* range) {
    const embedding_spec* e = &m->embedding;
    double* masses = NULL;
    bool ok = build_masses(b, m, points->point_count, &masses);
    if (ok && m->type == MAPPING_POINTS) {
        ok = add_body_points(b, e, points, masses, range);
    } else if (ok && m->type == MAPPING_BARYCENTRIC) {
        ok = add_in_cells(b, e, points, masses, range);
    } else if (ok) {
        ok = add_skin(b, e, points, masses, range);
    }
    free(masses);
    return ok;
}

/* A mesh is there to be seen. */
bool build_embedding(scene_builder* b, const scene_mapping* m, built_object* out) {
    mesh points = {0};
    taut_range range;
    const bool ok = load_points(b, m, &points) && add_points(b, m, &points, &range);
    if (ok) {
        build_mapped(b, range, out);
        out->exported = m->embedding.mesh != NULL;
        out->shape = EXPORT_SURFACE;
        out->triangles = (const uint32_t(*)[3])points.triangles;
        out->triangle_count = points.triangle_count;
        points.triangles = NULL; /* the built object's from here on */
    }
    mesh_free(&points);
    return ok;
}
