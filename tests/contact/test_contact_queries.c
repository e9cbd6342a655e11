/* Queries against a search over everything: each thing by the distance from a convex set written down another way, rays
 * by halving along that distance, overlaps by nested searches within the shape. */
#include "closed_meshes.h"
#include "refused.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- distances --------------------------------------------------------------------------------------------------- */

static double uniform(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

static double between(uint32_t* seed, double low, double high) {
    return low + (high - low) * uniform(seed);
}

static void random_turn(uint32_t* seed, double q[4]) {
    const double axis[3] = {between(seed, -1, 1), between(seed, -1, 1), between(seed, 0.1, 1)};
    phys_turn(axis, between(seed, -3, 3), q);
}

/* Of a place in the plane from a convex polygon, counterclockwise; negative inside. */
static double from_polygon(int corners, const double corner[][2], const double p[2]) {
    double inside = -INFINITY, outside = INFINITY;
    for (int i = 0; i < corners; i++) {
        const double *a = corner[i], *b = corner[(i + 1) % corners];
        const double e[2] = {b[0] - a[0], b[1] - a[1]}, d[2] = {p[0] - a[0], p[1] - a[1]};
        const double length = hypot(e[0], e[1]), along = (d[0] * e[0] + d[1] * e[1]) / length;
        const double at = fmin(fmax(along, 0), length) / length;
        inside = fmax(inside, (e[1] * d[0] - e[0] * d[1]) / length);
        outside = fmin(outside, hypot(d[0] - at * e[0], d[1] - at * e[1]));
    }
    return inside < 0 ? inside : outside;
}

static double from_segment(const double a[3], const double b[3], const double p[3]) {
    double e[3], d[3];
    for (int i = 0; i < 3; i++) {
        e[i] = b[i] - a[i];
        d[i] = p[i] - a[i];
    }
    const double at = fmin(fmax(phys_dot(d, e) / phys_dot(e, e), 0), 1);
    phys_add(-at, e, d);
    return phys_length(d);
}

static double from_triangle(const double x[3][3], const double p[3]) {
    double ab[3], ac[3], n[3], d[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = x[1][i] - x[0][i];
        ac[i] = x[2][i] - x[0][i];
        d[i] = p[i] - x[0][i];
    }
    phys_cross(ab, ac, n);
    bool over = phys_length(n) > 1e-20; /* else it is a segment or a point */
    for (int i = 0; i < 3; i++) {
        double e[3], to[3], in[3];
        for (int k = 0; k < 3; k++) {
            e[k] = x[(i + 1) % 3][k] - x[i][k];
            to[k] = p[k] - x[i][k];
        }
        phys_cross(n, e, in);
        over = over && phys_dot(in, to) >= 0;
    }
    if (over) {
        return fabs(phys_dot(n, d)) / phys_length(n);
    }
    return fmin(fmin(from_segment(x[0], x[1], p), from_segment(x[1], x[2], p)), from_segment(x[2], x[0], p));
}

/* In the axes of the shape. */
static double from_shape(taut_shape shape, const double size[3], const double p[3]) {
    const double low[3] = {0, 0, -size[1]}, high[3] = {0, 0, size[1]}, across[2] = {hypot(p[0], p[1]), p[2]};
    const double rectangle[4][2] = {{-size[0], -size[1]}, {size[0], -size[1]}, {size[0], size[1]}, {-size[0], size[1]}};
    const double triangle[3][2] = {{-size[0], -size[1]}, {size[0], -size[1]}, {0, size[1]}};
    double out[3], most = -INFINITY;
    switch (shape) {
    case TAUT_SHAPE_PLANE:
        return p[2];
    case TAUT_SHAPE_SPHERE:
        return phys_length(p) - size[0];
    case TAUT_SHAPE_CAPSULE:
        return from_segment(low, high, p) - size[0];
    case TAUT_SHAPE_CYLINDER:
        return from_polygon(4, rectangle, across);
    case TAUT_SHAPE_CONE:
        return from_polygon(3, triangle, across);
    default:
        for (int a = 0; a < 3; a++) {
            out[a] = fmax(fabs(p[a]) - size[a], 0);
            most = fmax(most, fabs(p[a]) - size[a]);
        }
        return most > 0 ? phys_length(out) : most;
    }
}

/* ---- the scene --------------------------------------------------------------------------------------------------- */

#define COLLIDERS 20
#define SIDE      6
#define LINKS     5
#define GRAINS    6
#define FACES     (2 * SIDE * SIDE + LINKS)
#define THINGS    (COLLIDERS + FACES + GRAINS)

typedef struct thing {
    bool round; /* a triangle, a segment or a point, of a radius */
    double corner[3][3], radius;
    taut_shape shape;
    double size[3], x[3], q[4];
    const phys_mesh* mesh;
    uint32_t group;
} thing;

typedef struct crowd {
    taut_world* world;
    phys_mesh torus, angle, sheet;
    uint32_t count;
    thing things[THINGS];
} crowd;

static double from_thing(const thing* t, const double p[3]) {
    double local[3], apart[3] = {p[0] - t->x[0], p[1] - t->x[1], p[2] - t->x[2]};
    if (t->round) {
        return from_triangle(t->corner, p) - t->radius;
    }
    phys_rotate_back(t->q, apart, local);
    return t->mesh != NULL ? closed_distance(t->mesh, local) : from_shape(t->shape, t->size, local);
}

/* A collider in the world, or on a body that has it beside its centre. */
static void add_collider(taut_scene* scene, crowd* c, uint32_t mesh, uint32_t* seed) {
    thing* t = &c->things[c->count];
    taut_colliders_def def = taut_default_colliders();
    taut_body owner = TAUT_WORLD;
    double own[3], turn[4], at[3], axes[4], arm[3];
    for (int a = 0; a < 3; a++) {
        own[a] = between(seed, -1.5, 1.5);
        t->size[a] = between(seed, 0.1, 0.4);
        at[a] = between(seed, -0.3, 0.3);
    }
    random_turn(seed, turn);
    random_turn(seed, axes);
    t->shape = def.shape = (taut_shape)(c->count % TAUT_SHAPE_COUNT);
    own[2] = t->shape == TAUT_SHAPE_PLANE ? -2 : own[2];
    memcpy(t->x, own, sizeof own);
    memcpy(t->q, turn, sizeof turn);
    if (c->count % 2 == 1) {
        phys_body body = contact_at(own[0], own[1], own[2]);
        memcpy(body.q, turn, sizeof turn);
        taut_inertia_of_sphere(1, 0.1, body.inertia);
        owner = phys_add_body(scene, &body);
        phys_rotate(turn, at, arm);
        phys_add(1, arm, t->x);
        phys_multiply(turn, axes, t->q);
    }
    t->mesh = t->shape != TAUT_SHAPE_MESH ? NULL : mesh == 0 ? &c->torus : &c->angle;
    t->group = def.group = 1u << c->count % 3;
    def.count = 1;
    def.mesh = mesh;
    def.sizes = t->size;
    def.bodies = &owner;
    def.positions = taut_body_is_world(owner) ? own : at;
    def.orientations = taut_body_is_world(owner) ? turn : axes;
    CHECK_OK(taut_scene_add_colliders(scene, &def, NULL));
    c->count++;
}

/* `corners`: two or three of them. */
static void add_face(crowd* c, const double* points, const uint32_t* corners, int count, double radius,
                     uint32_t group) {
    thing* t = &c->things[c->count++];
    t->round = true;
    t->radius = radius;
    t->group = group;
    for (int i = 0; i < 3; i++) {
        memcpy(t->corner[i], points + 3 * corners[i < count ? i : count - 1], sizeof t->corner[i]);
    }
}

static crowd* make_crowd(taut_backend_kind backend, uint32_t seed) {
    crowd* c = phys_array(1, sizeof *c);
    const uint32_t points = (SIDE + 1) * (SIDE + 1), all = points + LINKS + 1 + GRAINS;
    double* x = phys_array(3 * all, sizeof *x);
    uint32_t ends[2 * LINKS], grains[GRAINS];
    taut_contact_surface_def surface = taut_default_contact_surface();
    c->sheet = phys_grid(SIDE, SIDE, 1.5, 1.5, PHYS_ALTERNATING);
    c->torus = closed_torus(0.4, 0.15, 12, 6);
    c->angle = closed_angle(0.3);
    for (uint32_t i = 0; i < 3 * all; i++) {
        x[i] = i < 3 * points ? c->sheet.points[i] - 0.5 + 0.3 * uniform(&seed) : between(&seed, -1.5, 1.5);
    }
    taut_scene* scene = phys_scene(all, x, NULL);
    closed_add(scene, &c->torus, 0.1);
    closed_add(scene, &c->angle, 0);
    for (uint32_t i = 0; i < COLLIDERS; i++) {
        add_collider(scene, c, i % 2, &seed);
    }
    surface.triangle_count = c->sheet.cell_count;
    surface.triangles = c->sheet.cells;
    surface.radius = 0.01;
    surface.group = 2;
    CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
    for (uint32_t i = 0; i < LINKS; i++) {
        ends[2 * i] = points + i;
        ends[2 * i + 1] = points + i + 1;
    }
    surface.triangle_count = 0;
    surface.triangles = NULL;
    surface.segment_count = LINKS;
    surface.segments = ends;
    surface.radius = 0.05;
    surface.group = 4;
    CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
    for (uint32_t i = 0; i < GRAINS; i++) {
        grains[i] = points + LINKS + 1 + i;
    }
    contact_touch(scene, GRAINS, grains, 0.07, 0);
    for (size_t i = 0; i < c->sheet.cell_count; i++) {
        add_face(c, x, c->sheet.cells + 3 * i, 3, 0.01, 2);
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        add_face(c, x, ends + 2 * i, 2, 0.05, 4);
    }
    for (uint32_t i = 0; i < GRAINS; i++) {
        add_face(c, x, grains + i, 1, 0.07, 1);
    }
    for (uint32_t i = COLLIDERS + FACES; i < THINGS; i++) { /* a segment has a length */
        c->things[i].corner[1][0] += 1e-12;
        c->things[i].corner[2][1] += 1e-12;
    }
    const taut_world_def def = contact_world_def(backend);
    c->world = phys_world(scene, &def);
    free(x);
    return c;
}

static void free_crowd(crowd* c) {
    taut_world_destroy(c->world);
    phys_mesh_free(&c->torus);
    phys_mesh_free(&c->angle);
    phys_mesh_free(&c->sheet);
    free(c);
}

/* Which of the things was found. */
static uint32_t thing_of(const crowd* c, taut_found found, uint32_t collider, uint32_t face, const uint32_t* corners) {
    (void)c;
    const uint32_t first_grain = (SIDE + 1) * (SIDE + 1) + LINKS + 1;
    return found == TAUT_FOUND_COLLIDER ? collider
           : found == TAUT_FOUND_FACE   ? COLLIDERS + face
           : found == TAUT_FOUND_POINT  ? COLLIDERS + FACES + corners[0] - first_grain
                                        : UINT32_MAX;
}

/* ---- closest points ---------------------------------------------------------------------------------------------- */

#define QUERIES 300

static void check_place(const crowd* c, const taut_hit* hit) {
    const uint32_t found = thing_of(c, hit->found, hit->collider, hit->face, hit->corners);
    double out[3] = {hit->position[0], hit->position[1], hit->position[2]};
    if (!CHECK(found < THINGS)) {
        return;
    }
    CHECK_NEAR(phys_length(hit->normal), 1, 1e-12);
    CHECK_NEAR(from_thing(&c->things[found], hit->position), 0, 1e-9);
    phys_add(1e-5, hit->normal, out);
    CHECK_NEAR(from_thing(&c->things[found], out), 1e-5, 2e-7);
    if (hit->found == TAUT_FOUND_FACE) {
        const thing* t = &c->things[found];
        double near[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) {
            phys_add(hit->weights[i], t->corner[i], near);
        }
        CHECK_NEAR(phys_apart(near, hit->position), t->radius, 1e-9);
        CHECK_INT(hit->surface, hit->face < 2 * SIDE * SIDE ? 0 : 1);
    }
}

static void check_closest(const crowd* c, double reach, const taut_query_filter* filter, uint32_t seed) {
    double points[3 * QUERIES];
    taut_hit hits[QUERIES];
    for (int i = 0; i < 3 * QUERIES; i++) {
        points[i] = between(&seed, -2, 2);
    }
    CHECK_OK(taut_world_closest_points(c->world, QUERIES, points, reach, filter, hits));
    for (int i = 0; i < QUERIES; i++) {
        double least = INFINITY;
        for (uint32_t k = 0; k < c->count; k++) {
            const bool seen = filter == NULL || (c->things[k].group & filter->mask) != 0;
            least = seen ? fmin(least, from_thing(&c->things[k], points + 3 * i)) : least;
        }
        test_note("point %d", i);
        if (least > reach) {
            CHECK_INT(hits[i].found, TAUT_FOUND_NOTHING);
            CHECK(hits[i].distance == INFINITY);
            continue;
        }
        CHECK_NEAR(hits[i].distance, least, 1e-9);
        check_place(c, &hits[i]);
    }
    test_note(NULL);
}

TAUT_TEST(queries, closest) {
    const taut_query_filter second = {UINT32_MAX, 2};
    crowd* c = make_crowd(backend, 7);
    check_closest(c, INFINITY, NULL, 1);
    check_closest(c, 0.2, NULL, 2);
    check_closest(c, INFINITY, &second, 3);
    free_crowd(c);
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

static double along_ray(const thing* t, const taut_ray* ray, double at) {
    double p[3] = {ray->origin[0], ray->origin[1], ray->origin[2]};
    phys_add(at, ray->direction, p);
    return from_thing(t, p);
}

#define GOLDEN 0.61803398874989485

/* Where a ray enters a convex thing: the least distance by golden sections, then halving before it. `least` is that
 * distance. */
static double enters_convex(const thing* t, const taut_ray* ray, double length, double* least) {
    double low = 0, high = length;
    for (int i = 0; i < 100; i++) {
        const double one = high - GOLDEN * (high - low), two = low + GOLDEN * (high - low);
        *(along_ray(t, ray, one) <= along_ray(t, ray, two) ? &high : &low) =
            along_ray(t, ray, one) <= along_ray(t, ray, two) ? two : one;
    }
    const double middle = 0.5 * (low + high);
    *least = fmin(along_ray(t, ray, middle), fmin(along_ray(t, ray, 0), along_ray(t, ray, length)));
    double outside = 0, inside = along_ray(t, ray, length) <= 0 && along_ray(t, ray, middle) > 0 ? length : middle;
    if (along_ray(t, ray, 0) <= 0) {
        return 0;
    }
    if (along_ray(t, ray, inside) > 0) {
        return INFINITY;
    }
    for (int i = 0; i < 100; i++) {
        const double half = 0.5 * (outside + inside);
        *(along_ray(t, ray, half) <= 0 ? &inside : &outside) = half;
    }
    return inside;
}

/* By T. Moeller and B. Trumbore's solution of each triangle. */
static double enters_mesh(const thing* t, const taut_ray* ray) {
    double o[3], d[3], first = INFINITY;
    const double apart[3] = {ray->origin[0] - t->x[0], ray->origin[1] - t->x[1], ray->origin[2] - t->x[2]};
    phys_rotate_back(t->q, apart, o);
    phys_rotate_back(t->q, ray->direction, d);
    for (size_t i = 0; i < t->mesh->cell_count; i++) {
        const double* a = t->mesh->points + 3 * t->mesh->cells[3 * i];
        const double* b = t->mesh->points + 3 * t->mesh->cells[3 * i + 1];
        const double* c = t->mesh->points + 3 * t->mesh->cells[3 * i + 2];
        const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const double ao[3] = {o[0] - a[0], o[1] - a[1], o[2] - a[2]};
        double p[3], q[3];
        phys_cross(d, ac, p);
        phys_cross(ao, ab, q);
        const double det = phys_dot(ab, p), u = phys_dot(ao, p) / det, v = phys_dot(d, q) / det;
        const double at = phys_dot(ac, q) / det;
        if (u >= 0 && v >= 0 && u + v <= 1 && at >= 0) {
            first = fmin(first, at);
        }
    }
    return closed_distance(t->mesh, o) <= 0 ? 0 : first;
}

static double enters(const thing* t, const taut_ray* ray, double* least) {
    *least = 1;
    return t->mesh != NULL ? enters_mesh(t, ray) : enters_convex(t, ray, fmin(ray->length, 1e4), least);
}

static taut_ray random_ray(uint32_t* seed, double length) {
    taut_ray ray = {.length = length};
    for (int a = 0; a < 3; a++) {
        ray.origin[a] = between(seed, -2, 2);
        ray.direction[a] = between(seed, -1, 1);
    }
    const double size = phys_length(ray.direction);
    for (int a = 0; a < 3; a++) {
        ray.direction[a] /= size;
    }
    return ray;
}

static void check_ray(const crowd* c, const taut_ray* ray, const taut_query_filter* filter, const taut_hit* hit) {
    double first = INFINITY, grazing = 1, least;
    for (uint32_t k = 0; k < c->count; k++) {
        if (filter == NULL || (c->things[k].group & filter->mask) != 0) {
            first = fmin(first, enters(&c->things[k], ray, &least));
            grazing = fmin(grazing, fabs(least));
        }
    }
    if (grazing < 1e-6 || fabs(first - ray->length) < 1e-6) {
        return; /* rounding decides */
    }
    if (first > ray->length || first == INFINITY) {
        CHECK_INT(hit->found, TAUT_FOUND_NOTHING);
        return;
    }
    CHECK_NEAR(hit->distance, first, 1e-8);
    if (first > 0) {
        check_place(c, hit);
        CHECK(phys_dot(hit->normal, ray->direction) <= 0);
    } else {
        CHECK_NEAR(phys_dot(hit->normal, ray->direction), -1, 1e-12);
    }
}

static void check_rays(const crowd* c, double length, const taut_query_filter* filter, uint32_t seed) {
    taut_ray rays[QUERIES];
    taut_hit hits[QUERIES];
    for (int i = 0; i < QUERIES; i++) {
        rays[i] = random_ray(&seed, length);
    }
    CHECK_OK(taut_world_cast_rays(c->world, QUERIES, rays, filter, hits));
    for (int i = 0; i < QUERIES; i++) {
        test_note("ray %d", i);
        check_ray(c, &rays[i], filter, &hits[i]);
    }
    test_note(NULL);
}

TAUT_TEST(queries, rays) {
    const taut_query_filter third = {UINT32_MAX, 4};
    crowd* c = make_crowd(backend, 11);
    check_rays(c, INFINITY, NULL, 1);
    check_rays(c, 0.5, NULL, 2);
    check_rays(c, INFINITY, &third, 3);
    free_crowd(c);
}

/* Every thing for itself: rays at it from all sides. */
TAUT_TEST(queries, rays_at_each_shape) {
    crowd* c = make_crowd(backend, 23);
    for (uint32_t k = 0; k < TAUT_SHAPE_COUNT; k++) {
        const double size[3] = {0.3, 0.4, 0.2};
        taut_scene* scene = phys_scene(1, (const double[]){50, 50, 50}, NULL);
        const taut_world_def def = contact_world_def(backend);
        crowd one = {.count = 1};
        uint32_t seed = 5 + k;
        memset(&one.things[0], 0, sizeof one.things[0]);
        memcpy(one.things[0].size, size, sizeof size);
        one.things[0].shape = (taut_shape)k;
        random_turn(&seed, one.things[0].q);
        if (k == TAUT_SHAPE_MESH) {
            one.things[0].mesh = &c->torus;
            contact_mesh(scene, closed_add(scene, &c->torus, 0), TAUT_WORLD, NULL, one.things[0].q, 0);
        } else {
            contact_shape(scene, (taut_shape)k, size, TAUT_WORLD, NULL, one.things[0].q, 0);
        }
        one.world = phys_world(scene, &def);
        for (int i = 0; i < QUERIES; i++) {
            taut_ray ray = random_ray(&seed, INFINITY);
            taut_hit hit;
            for (int a = 0; a < 3; a++) { /* towards a place near the middle */
                ray.direction[a] = between(&seed, -0.3, 0.3) - ray.origin[a];
            }
            CHECK_OK(taut_world_cast_rays(one.world, 1, &ray, NULL, &hit));
            const double length = phys_length(ray.direction);
            for (int a = 0; a < 3; a++) {
                ray.direction[a] /= length;
            }
            test_note("shape %u, ray %d", k, i);
            check_ray(&one, &ray, NULL, &hit);
        }
        taut_world_destroy(one.world);
    }
    free_crowd(c);
}

/* ---- overlaps ---------------------------------------------------------------------------------------------------- */

/* The half width of a shape's core along an axis, where the axes before it are at p. */
static double half_width(const taut_query_shape* s, int axis, const double p[3]) {
    const double cone = s->size[0] * (s->size[1] - p[2]) / (2 * s->size[1]);
    const double r = s->shape == TAUT_SHAPE_CYLINDER ? s->size[0] : s->shape == TAUT_SHAPE_CONE ? cone : 0;
    if (s->shape == TAUT_SHAPE_BOX) {
        return s->size[axis];
    }
    return axis == 2   ? (s->shape == TAUT_SHAPE_SPHERE ? 0 : s->size[1])
           : axis == 0 ? r
                       : sqrt(fmax(r * r - p[0] * p[0], 0));
}

/* The least distance of a place of the core from a thing: convex along each axis in turn, z, x, y. */
static double nearest_within(const taut_query_shape* s, const thing* t, int depth, double p[3]) {
    if (depth == 3) {
        double world[3];
        phys_rotate(s->orientation, p, world);
        phys_add(1, s->position, world);
        return from_thing(t, world);
    }
    const int axis = (depth + 2) % 3;
    double low = -half_width(s, axis, p), high = -low, best = INFINITY;
    for (int i = 0; i < (high > low ? 20 : 1); i++) {
        const double one = high - GOLDEN * (high - low), two = low + GOLDEN * (high - low);
        p[axis] = one;
        const double at_one = nearest_within(s, t, depth + 1, p);
        p[axis] = two;
        const double at_two = nearest_within(s, t, depth + 1, p);
        best = fmin(best, fmin(at_one, at_two));
        *(at_one <= at_two ? &high : &low) = at_one <= at_two ? two : one;
    }
    return best;
}

static double gap_of(const taut_query_shape* s, const thing* t) {
    const bool round = s->shape == TAUT_SHAPE_SPHERE || s->shape == TAUT_SHAPE_CAPSULE;
    double p[3] = {0, 0, 0};
    return nearest_within(s, t, 0, p) - (round ? s->size[0] : 0);
}

static bool is_listed(const crowd* c, const taut_overlap* list, uint32_t count, uint32_t k) {
    bool listed = false;
    for (uint32_t i = 0; i < count; i++) {
        listed = listed || thing_of(c, list[i].found, list[i].collider, list[i].face, list[i].corners) == k;
    }
    return listed;
}

TAUT_TEST(queries, overlaps) {
    enum { SHAPES = 10 };
    const taut_shape kinds[] = {TAUT_SHAPE_SPHERE, TAUT_SHAPE_CAPSULE, TAUT_SHAPE_BOX, TAUT_SHAPE_CYLINDER,
                                TAUT_SHAPE_CONE};
    crowd* c = make_crowd(backend, 31);
    taut_query_shape shapes[SHAPES];
    taut_overlap list[SHAPES * THINGS];
    uint32_t counts[SHAPES], few[SHAPES], seed = 9, met = 0;
    for (int i = 0; i < SHAPES; i++) {
        shapes[i].shape = kinds[i % 5];
        for (int a = 0; a < 3; a++) {
            shapes[i].size[a] = between(&seed, 0.1, 0.5);
            shapes[i].position[a] = between(&seed, -1, 1);
        }
        random_turn(&seed, shapes[i].orientation);
    }
    CHECK_OK(taut_world_overlaps(c->world, SHAPES, shapes, NULL, THINGS, list, counts));
    for (int i = 0; i < SHAPES; i++) {
        const taut_overlap* own = list + i * THINGS;
        uint32_t sum = 0;
        for (uint32_t k = 0; k < c->count; k++) {
            const thing* t = &c->things[k];
            const bool round = shapes[i].shape == TAUT_SHAPE_SPHERE;
            /* the search along axes holds for convex things; reach of a shape is below 1 m */
            if ((t->mesh != NULL && !round) || (from_thing(t, shapes[i].position) > 1)) {
                sum += is_listed(c, own, counts[i], k);
                continue;
            }
            const double gap = gap_of(&shapes[i], t);
            test_note("shape %d, thing %u, gap %g", i, k, gap);
            if (fabs(gap) > 2e-4) {
                CHECK_INT(is_listed(c, own, counts[i], k), gap < 0);
                met += gap < 0;
            }
            sum += is_listed(c, own, counts[i], k);
        }
        CHECK_INT(sum, counts[i]); /* nothing twice */
    }
    test_note(NULL);
    CHECK(met > 60);
    CHECK_OK(taut_world_overlaps(c->world, SHAPES, shapes, NULL, 2, list, few));
    CHECK(memcmp(counts, few, sizeof few) == 0);
    CHECK_OK(taut_world_overlaps(c->world, SHAPES, shapes, NULL, 0, NULL, few));
    CHECK(memcmp(counts, few, sizeof few) == 0);
    free_crowd(c);
}

/* A box within a mesh that is not convex, and one in the hole of it; either end of a shape in the mesh. */
TAUT_TEST(queries, overlaps_of_a_torus) {
    phys_mesh torus = closed_torus(1, 0.3, 32, 16);
    taut_scene* scene = phys_scene(1, (const double[]){50, 50, 50}, NULL);
    const taut_world_def def = contact_world_def(backend);
    contact_mesh(scene, closed_add(scene, &torus, 0), TAUT_WORLD, NULL, NULL, 0);
    taut_world* world = phys_world(scene, &def);
    const taut_query_shape shapes[] = {{TAUT_SHAPE_BOX, {0.05, 0.05, 0.05}, {1, 0, 0}, {1, 0, 0, 0}},
                                       {TAUT_SHAPE_BOX, {0.3, 0.3, 0.3}, {0, 0, 0}, {1, 0, 0, 0}},
                                       {TAUT_SHAPE_CAPSULE, {0.1, 0.7, 0}, {0, 0, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}},
                                       {TAUT_SHAPE_CYLINDER, {0.6, 2, 0}, {0, 0, 0}, {1, 0, 0, 0}}};
    uint32_t counts[4];
    CHECK_OK(taut_world_overlaps(world, 4, shapes, NULL, 0, NULL, counts));
    CHECK_INT(counts[0], 1);
    CHECK_INT(counts[1], 0);
    CHECK_INT(counts[2], 1);
    CHECK_INT(counts[3], 0);
    taut_world_destroy(world);
    phys_mesh_free(&torus);
}

/* ---- the state they see ------------------------------------------------------------------------------------------ */

/* A ball that falls is seen where it is, after steps, after writes and after a count of intersections. */
TAUT_TEST(queries, follow_the_state) {
    taut_scene* scene = phys_scene(1, (const double[]){0, 5, 0}, NULL);
    const taut_world_def def = contact_world_def(backend);
    const taut_ray ray = {{0, 20, 0}, {0, -3, 0}, INFINITY};
    taut_hit hit;
    contact_touch(scene, 1, (const uint32_t[]){0}, 0.5, 0);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
    CHECK_INT(hit.found, TAUT_FOUND_POINT);
    CHECK_NEAR(hit.distance, 14.5, 1e-12);
    CHECK_OK(taut_world_step(world, 0.1));
    CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
    CHECK_NEAR(hit.distance, 14.5 + 9.81 * 0.01, 1e-9);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, 1, (const double[]){0, 9, 0}));
    CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
    CHECK_NEAR(hit.distance, 10.5, 1e-12);
    CHECK_NEAR(hit.normal[1], 1, 1e-12);
    taut_world_destroy(world);
}

/* A mesh that deforms is seen where its vertices are. */
TAUT_TEST(queries, of_a_mesh_that_deforms) {
    const double half[3] = {0.5, 0.5, 0.5};
    phys_mesh box = closed_box(half);
    taut_scene* scene = phys_empty_scene();
    const taut_world_def def = contact_world_def(backend);
    const taut_ray ray = {{0.1, 20, 0.2}, {0, -1, 0}, INFINITY};
    const taut_query_shape above = {TAUT_SHAPE_BOX, {0.1, 0.1, 0.1}, {0, 1.2, 0}, {1, 0, 0, 0}};
    const uint32_t collider = closed_add_deforming(scene, &box, 0);
    uint32_t count;
    taut_hit hit;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
    CHECK_NEAR(hit.distance, 19.5, 1e-12);
    CHECK_OK(taut_world_overlaps(world, 1, &above, NULL, 0, NULL, &count));
    CHECK_INT(count, 0);
    for (int i = 0; i < 8; i++) {
        box.points[3 * i + 1] *= 3;
    }
    CHECK_OK(taut_world_move_collider(world, collider, 8, box.points));
    CHECK_OK(taut_world_step(world, 0.1));
    CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
    CHECK_NEAR(hit.distance, 18.5, 1e-9);
    CHECK_NEAR(hit.normal[1], 1, 1e-12);
    CHECK_OK(taut_world_closest_points(world, 1, ray.origin, 30, NULL, &hit));
    CHECK_NEAR(hit.distance, 18.5, 1e-9);
    CHECK_OK(taut_world_overlaps(world, 1, &above, NULL, 0, NULL, &count));
    CHECK_INT(count, 1);
    taut_world_destroy(world);
    phys_mesh_free(&box);
}

/* To the bit; struct padding has no value. */
static bool same_hit(const taut_hit* a, const taut_hit* b) {
    return a->found == b->found && a->collider == b->collider && a->surface == b->surface && a->face == b->face &&
           memcmp(a->corners, b->corners, sizeof a->corners) == 0 &&
           memcmp(a->weights, b->weights, sizeof a->weights) == 0 &&
           memcmp(a->position, b->position, sizeof a->position) == 0 &&
           memcmp(a->normal, b->normal, sizeof a->normal) == 0 &&
           memcmp(&a->distance, &b->distance, sizeof a->distance) == 0;
}

/* Queries change no bit of the motion, and batches of any length give the same answers. */
TAUT_TEST(queries, leave_the_motion) {
    enum { MANY = 5000 };
    crowd *a = make_crowd(backend, 3), *b = make_crowd(backend, 3);
    taut_ray* rays = phys_array(MANY, sizeof *rays);
    taut_hit *hits = phys_array(MANY, sizeof *hits), *again = phys_array(MANY, sizeof *again);
    uint32_t seed = 1;
    for (int i = 0; i < MANY; i++) {
        rays[i] = random_ray(&seed, INFINITY);
    }
    for (int i = 0; i < 3; i++) {
        taut_world_step(a->world, 1e-3);
        taut_world_step(b->world, 1e-3);
        CHECK_OK(taut_world_cast_rays(a->world, MANY, rays, NULL, hits));
        CHECK_OK(taut_world_cast_rays(a->world, MANY - 1, rays + 1, NULL, again));
        for (int k = 0; k < MANY - 1; k++) {
            CHECK(same_hit(&hits[k + 1], &again[k]));
        }
    }
    double *x = phys_field(a->world, TAUT_FIELD_POSITIONS), *y = phys_field(b->world, TAUT_FIELD_POSITIONS);
    CHECK(memcmp(x, y, 3 * taut_world_particle_count(a->world) * sizeof *x) == 0);
    free(x);
    free(y);
    free(rays);
    free(hits);
    free(again);
    free_crowd(a);
    free_crowd(b);
}

/* Nothing with a shape: nothing is found. */
TAUT_TEST(queries, of_nothing) {
    taut_scene* scene = phys_scene(1, (const double[]){0, 5, 0}, NULL);
    const taut_world_def def = contact_world_def(backend);
    const taut_ray ray = {{0, 20, 0}, {0, -3, 0}, INFINITY};
    const taut_query_shape shape = {TAUT_SHAPE_SPHERE, {9, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}};
    taut_hit hit;
    uint32_t count = 5;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
    CHECK_INT(hit.found, TAUT_FOUND_NOTHING);
    CHECK_OK(taut_world_closest_points(world, 1, ray.origin, INFINITY, NULL, &hit));
    CHECK_INT(hit.found, TAUT_FOUND_NOTHING);
    CHECK_OK(taut_world_overlaps(world, 1, &shape, NULL, 0, NULL, &count));
    CHECK_INT(count, 0);
    taut_world_destroy(world);
}

TAUT_TEST(queries, directions_of_any_length) {
    static const double scales[] = {1, 5e-324, 1e-300, 1e-200, 1e-9, 3, 2e9, 1e200, 1.7e308};
    taut_world_def def = contact_world_def(backend);
    taut_scene* scene = phys_scene(1, (const double[]){0, 5, 0}, NULL);
    contact_ground(scene, 0);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0.1, 0);
    taut_world* world = phys_world(scene, &def);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        const taut_ray ray = {{1, 2, 0}, {scales[i], -scales[i], 0}, 10};
        taut_hit hit;
        CHECK_OK(taut_world_cast_rays(world, 1, &ray, NULL, &hit));
        CHECK_NEAR(hit.distance, 2 * sqrt(2), 1e-12);
        CHECK_NEAR(hit.position[0], 3, 1e-12);
    }
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(queries, refused) {
    taut_scene* scene = phys_scene(1, (const double[]){0, 5, 0}, NULL);
    const taut_world_def def = contact_world_def(TAUT_BACKEND_CPU);
    const taut_ray still = {{0, 0, 0}, {0, 0, 0}, 1}, back = {{0, 0, 0}, {1, 0, 0}, -1},
                   lost = {{NAN, 0, 0}, {1, 0, 0}, 1}, endless = {{0, 0, 0}, {0, -INFINITY, 1}, 1},
                   none = {{0, 0, 0}, {1, NAN, 0}, 1};
    const taut_query_shape plane = {TAUT_SHAPE_PLANE, {1, 1, 1}, {0, 0, 0}, {1, 0, 0, 0}};
    const taut_query_shape flat = {TAUT_SHAPE_BOX, {1, 0, 1}, {0, 0, 0}, {1, 0, 0, 0}};
    taut_hit hit;
    uint32_t count;
    taut_world* world = phys_world(scene, &def);
    CHECK_STATUS(taut_world_cast_rays(world, 1, &still, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_cast_rays(world, 1, &back, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_cast_rays(world, 1, &lost, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_cast_rays(world, 1, &endless, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_cast_rays(world, 1, &none, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_cast_rays(world, 1, NULL, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_cast_rays(NULL, 0, NULL, NULL, NULL), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_closest_points(world, 1, lost.origin, 1, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_closest_points(world, 1, back.origin, NAN, NULL, &hit), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_overlaps(world, 1, &plane, NULL, 0, NULL, &count), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_overlaps(world, 1, &flat, NULL, 0, NULL, &count), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_overlaps(world, 1, &flat, NULL, 1, NULL, &count), TAUT_INVALID_ARGUMENT);
    CHECK_OK(taut_world_cast_rays(world, 0, NULL, NULL, NULL));
    taut_world_destroy(world);
}
