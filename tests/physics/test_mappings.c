/* Mapped points: the same system written with and without them, embedding and skinning. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const phys_scheme* const schemes[] = {&phys_implicit_euler, &phys_midpoint};

/* ---- a string in four forms -------------------------------------------------------------------------------------- */

#define STRING_POINTS 6
#define STRING_LINK   0.1
#define STRING_MASS   0.05

typedef struct string_form {
    bool on_body;    /* the first point is one of a fixed body, not a fixed particle */
    bool decomposed; /* differences, their lengths and linear rows, not distances */
} string_form;

typedef struct string_system {
    uint32_t points[STRING_POINTS];
    taut_batch links;
} string_system;

static taut_batch add_distance_links(taut_scene* scene, const uint32_t points[STRING_POINTS]) {
    phys_tuples edges = {STRING_POINTS - 1, (uint32_t[2 * (STRING_POINTS - 1)]){0}};
    for (size_t i = 0; i < 2 * (STRING_POINTS - 1); i++) {
        edges.items[i] = points[(i + 1) / 2];
    }
    return phys_add_links(scene, &edges, 0, 0);
}

/* |x1 - x0| - L as a difference, its length, and a row on that. */
static taut_batch add_norm_links(taut_scene* scene, const uint32_t points[STRING_POINTS]) {
    enum { LINKS = STRING_POINTS - 1 };
    uint32_t pairs[2 * LINKS], parents[LINKS], coordinates[LINKS];
    double signs[2 * LINKS], ones[LINKS];
    size_t offsets[LINKS + 1] = {0};
    taut_range differences = {0, 0}, lengths = {0, 0};
    taut_batch batch = {0};
    for (size_t i = 0; i < 2 * LINKS; i++) {
        pairs[i] = points[(i + 1) / 2];
        signs[i] = i % 2 == 0 ? -1 : 1;
    }
    taut_combinations_def difference = taut_default_combinations();
    difference.count = LINKS;
    difference.arity = 2;
    difference.parents = pairs;
    difference.weights = signs;
    CHECK_OK(taut_scene_add_combinations(scene, &difference, &differences));
    for (uint32_t i = 0; i < LINKS; i++) {
        parents[i] = differences.first + i;
    }
    taut_norms_def norm = taut_default_norms();
    norm.count = LINKS;
    norm.parents = parents;
    CHECK_OK(taut_scene_add_norms(scene, &norm, &lengths));
    for (uint32_t i = 0; i < LINKS; i++) {
        coordinates[i] = 3 * (lengths.first + i);
        ones[i] = 1;
        offsets[i + 1] = i + 1;
    }
    taut_linear_def row = taut_default_linear();
    row.count = LINKS;
    row.offsets = offsets;
    row.coordinates = coordinates;
    row.weights = ones;
    CHECK_OK(taut_scene_add_linear(scene, &row, &batch));
    return batch;
}

/* From the origin, at `angle` to the vertical, at rest. */
static taut_world* make_string(taut_backend_kind backend, string_form form, double angle, const phys_scheme* scheme,
                               taut_geometric_stiffness geometric, string_system* string) {
    double x[3 * STRING_POINTS] = {0};
    for (int i = 0; i < STRING_POINTS; i++) {
        x[3 * i] = STRING_LINK * i * sin(angle);
        x[3 * i + 1] = -STRING_LINK * i * cos(angle);
    }
    taut_scene* scene = phys_empty_scene();
    if (form.on_body) {
        phys_body wall = {.mass = 1, .inertia = {1, 1, 1}, .x = {0.3, 0.2, -0.1}, .fixed = true};
        phys_turn((const double[]){1, 2, 3}, 1, wall.q);
        const taut_body handle = phys_add_body(scene, &wall);
        string->points[0] = phys_add_body_point(scene, handle, x);
    }
    const size_t mapped = form.on_body ? 1 : 0;
    taut_particles_def particles = taut_default_particles();
    taut_range range = {0, 0};
    particles.count = STRING_POINTS - mapped;
    particles.positions = x + 3 * mapped;
    particles.mass = STRING_MASS;
    CHECK_OK(taut_scene_add_particles(scene, &particles, &range));
    for (uint32_t i = 0; i < range.count; i++) {
        string->points[mapped + i] = range.first + i;
    }
    if (!form.on_body) {
        phys_fix(scene, 1, string->points);
    }
    string->links = form.decomposed ? add_norm_links(scene, string->points) : add_distance_links(scene, string->points);
    taut_world_def def = phys_world_def(backend, scheme->alpha, scheme->beta);
    def.integrator.hard_row_damping = scheme->hard_row_damping;
    def.integrator.geometric_stiffness = geometric;
    def.solver.tolerance = 1e-10;
    test_note("on a body: %d, decomposed: %d, alpha %g", form.on_body, form.decomposed, scheme->alpha);
    return phys_world(scene, &def);
}

static const string_form forms[4] = {{false, false}, {true, false}, {false, true}, {true, true}};

/* At rest, link i carries what hangs below it. */
TAUT_TEST(mappings, strings_hang) {
    for (int f = 0; f < 4; f++) {
        string_system string = {{0}, {0}};
        double lam[STRING_POINTS - 1];
        taut_world* world = make_string(backend, forms[f], 0, schemes[0], TAUT_GEOMETRIC_FULL, &string);
        phys_run(world, 5, 0.02);
        phys_multipliers(world, string.links, STRING_POINTS - 1, lam);
        for (int i = 0; i < STRING_POINTS - 1; i++) {
            double x[3];
            const double weight = PHYS_GRAVITY * (STRING_POINTS - 1 - i) * STRING_MASS;
            CHECK_NEAR(lam[i], -weight, 1e-7 * weight);
            phys_position(world, string.points[i + 1], x);
            CHECK_NEAR(phys_apart(x, (const double[]){0, -STRING_LINK * (i + 1), 0}), 0, 1e-9);
        }
        taut_world_destroy(world);
    }
}

/* Half a second from 0.8 rad: positions and multipliers. */
static void swing_string(taut_backend_kind backend, string_form form, const phys_scheme* scheme,
                         taut_geometric_stiffness geometric, double x[3 * STRING_POINTS], double* lam) {
    string_system string = {{0}, {0}};
    taut_world* world = make_string(backend, form, 0.8, scheme, geometric, &string);
    phys_run(world, 30, 1.0 / 60);
    for (int i = 0; i < STRING_POINTS; i++) {
        phys_position(world, string.points[i], x + (size_t)(3 * i));
    }
    phys_multipliers(world, string.links, STRING_POINTS - 1, lam);
    taut_world_destroy(world);
}

/* The four forms are one system, geometric stiffness included: what differs is rounding, of Jacobians kept in float32,
 * 6e-8, thirty steps long. That the stiffness is there to be compared, the form without it shows. */
TAUT_TEST(mappings, strings_swing_alike) {
    for (int s = 0; s < 2; s++) {
        double x[2][3 * STRING_POINTS], lam[2][STRING_POINTS - 1];
        swing_string(backend, forms[0], schemes[s], TAUT_GEOMETRIC_FULL, x[0], lam[0]);
        for (int f = 1; f < 4; f++) {
            swing_string(backend, forms[f], schemes[s], TAUT_GEOMETRIC_FULL, x[1], lam[1]);
            CHECK_NEAR(phys_farthest(x[0], x[1], 3 * STRING_POINTS), 0, 1e-6);
            CHECK_NEAR(phys_farthest(lam[0], lam[1], STRING_POINTS - 1), 0, 1e-5 * PHYS_GRAVITY);
        }
        swing_string(backend, forms[0], schemes[s], TAUT_GEOMETRIC_NONE, x[1], lam[1]);
        CHECK(phys_farthest(x[0], x[1], 3 * STRING_POINTS) > 1e-4);
    }
}

/* ---- two parents ------------------------------------------------------------------------------------------------- */

typedef enum tie { TIED_BY_ATTACHMENT, TIED_BY_TARGET, TIED_BY_ROWS, TIE_COUNT } tie;

static uint32_t add_combination(taut_scene* scene, uint32_t a, double weight_a, uint32_t b, double weight_b) {
    taut_range range = {0, 0};
    taut_combinations_def def = taut_default_combinations();
    def.count = 1;
    def.arity = 2;
    def.parents = (const uint32_t[]){a, b};
    def.weights = (const double[]){weight_a, weight_b};
    CHECK_OK(taut_scene_add_combinations(scene, &def, &range));
    return range.first;
}

/* 3 rows q_4 - 0.3 q_1 - 0.7 q_3 */
static void add_tie_rows(taut_scene* scene) {
    uint32_t coordinates[9];
    double weights[9];
    const double of[3] = {-0.3, -0.7, 1};
    const uint32_t particle[3] = {1, 3, 4};
    for (uint32_t e = 0; e < 9; e++) {
        coordinates[e] = 3 * particle[e % 3] + e / 3;
        weights[e] = of[e % 3];
    }
    taut_linear_def def = taut_default_linear();
    def.count = 3;
    def.offsets = (const size_t[]){0, 3, 6, 9};
    def.coordinates = coordinates;
    def.weights = weights;
    def.rest_values = (const double[]){0, 0, 0};
    def.compliance = 0.01;
    def.damping = 0.02;
    CHECK_OK(taut_scene_add_linear(scene, &def, NULL));
}

/* Particle 4 softly tied to 0.3 x_1 + 0.7 x_3, of two pendulums: by an attachment to that point, by a target for the
 * difference (a combination of a combination), or by rows. */
static void add_tie(taut_scene* scene, tie how) {
    if (how == TIED_BY_ROWS) {
        add_tie_rows(scene);
        return;
    }
    const uint32_t between = add_combination(scene, 1, 0.3, 3, 0.7);
    if (how == TIED_BY_ATTACHMENT) {
        taut_attachment_def def = taut_default_attachment();
        def.count = 1;
        def.particles = (const uint32_t[]){between, 4};
        def.compliance = 0.01;
        def.damping = 0.02;
        CHECK_OK(taut_scene_add_attachments(scene, &def, NULL));
        return;
    }
    const uint32_t difference = add_combination(scene, between, -1, 4, 1);
    taut_target_def def = taut_default_target();
    def.count = 1;
    def.particles = &difference;
    def.targets = (const double[]){0, 0, 0};
    def.compliance = 0.01;
    def.damping = 0.02;
    CHECK_OK(taut_scene_add_targets(scene, &def, NULL));
}

static void swing_tied(taut_backend_kind backend, tie how, const phys_scheme* scheme, double x[15]) {
    const double points[15] = {0, 0, 0, 0.5, -0.1, 0.2, 1, 0, 0, 1.3, -0.6, -0.1, 0.9, -0.5, 0.1};
    taut_scene* scene = phys_scene(5, points, (const double[]){1, 0.5, 1, 0.8, 0.3});
    phys_fix(scene, 2, (const uint32_t[]){0, 2});
    phys_add_links(scene, &(phys_tuples){2, (uint32_t[]){0, 1, 2, 3}}, 0, 0);
    add_tie(scene, how);
    taut_world_def def = phys_world_def(backend, scheme->alpha, scheme->beta);
    def.integrator.hard_row_damping = scheme->hard_row_damping;
    def.solver.tolerance = 1e-10;
    taut_world* world = phys_world(scene, &def);
    phys_run(world, 30, 1.0 / 60);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 5, x));
    taut_world_destroy(world);
}

TAUT_TEST(mappings, one_point_with_two_parents) {
    for (int s = 0; s < 2; s++) {
        double expected[15], x[15];
        swing_tied(backend, TIED_BY_ROWS, schemes[s], expected);
        for (int how = 0; how < TIED_BY_ROWS; how++) {
            swing_tied(backend, (tie)how, schemes[s], x);
            test_note("tie %d, alpha %g", how, schemes[s]->alpha);
            CHECK_NEAR(phys_farthest(x, expected, 15), 0, 1e-6);
        }
    }
}

/* ---- embedding and skinning -------------------------------------------------------------------------------------- */

#define EMBEDDED 27

/* 3 x 3 x 3 points inside the box [0, 1]^3, each with the weights of the tetrahedron that it lies in. */
static taut_range embed_points(taut_scene* scene, const phys_mesh* lattice, double points[3 * EMBEDDED],
                               uint32_t parents[4 * EMBEDDED], double weights[4 * EMBEDDED]) {
    taut_range range = {0, 0};
    for (size_t i = 0; i < EMBEDDED; i++) {
        const size_t at[3] = {i % 3, i / 3 % 3, i / 9};
        for (size_t a = 0; a < 3; a++) {
            points[3 * i + a] = 0.17 + 0.31 * (double)at[a];
        }
        bool found = false;
        for (size_t c = 0; c < lattice->cell_count && !found; c++) {
            double corners[12], *w = weights + 4 * i;
            for (size_t k = 0; k < 4; k++) {
                parents[4 * i + k] = lattice->cells[4 * c + k];
                memcpy(corners + 3 * k, lattice->points + 3 * parents[4 * i + k], 3 * sizeof(double));
            }
            CHECK_OK(taut_barycentric(4, corners, points + 3 * i, w));
            found = fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) > -1e-12;
        }
        CHECK(found);
    }
    taut_combinations_def def = taut_default_combinations();
    def.count = EMBEDDED;
    def.arity = 4;
    def.parents = parents;
    def.weights = weights;
    CHECK_OK(taut_scene_add_combinations(scene, &def, &range));
    return range;
}

/* A stretched, sheared, turned and shifted image. */
static void affine_image(const double x[3], double out[3]) {
    const double m[9] = {1.3, 0.2, -0.4, 0.1, 0.8, 0.5, -0.3, 0.6, 1.1}, shift[3] = {3, -2, 1};
    const double from[3] = {x[0], x[1], x[2]};
    for (int a = 0; a < 3; a++) {
        out[a] = shift[a] + phys_dot(m + (size_t)(3 * a), from);
    }
}

/* Embedded points follow affine images of the lattice exactly, and its motion by their weights at all times. */
TAUT_TEST(mappings, points_embedded_in_a_lattice) {
    phys_mesh lattice = phys_block((const size_t[]){1, 1, 1}, (const double[]){1, 1, 1});
    double points[3 * EMBEDDED], weights[4 * EMBEDDED], x[3 * EMBEDDED], v[3 * EMBEDDED], image[24];
    uint32_t parents[4 * EMBEDDED];
    taut_scene* scene = phys_scene(lattice.point_count, lattice.points, NULL);
    phys_add_strain(scene, &lattice, 1e-3, 0.3, 0.05);
    const taut_range inside = embed_points(scene, &lattice, points, parents, weights);
    phys_fix(scene, 2, (const uint32_t[]){0, 1});
    taut_world* world = phys_scheme_world(backend, scene, schemes[0], false);
    for (size_t p = 0; p < 8; p++) {
        affine_image(lattice.points + 3 * p, image + 3 * p);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, 8, image));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, inside.first, EMBEDDED, x));
    for (size_t i = 0; i < EMBEDDED; i++) {
        affine_image(points + 3 * i, points + 3 * i);
    }
    CHECK_NEAR(phys_farthest(x, points, 3 * EMBEDDED), 0, 1e-12);

    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, 8, lattice.points));
    phys_run(world, 20, 0.02);
    double corners[24], speeds[24], expected[3 * EMBEDDED] = {0}, speed[3 * EMBEDDED] = {0};
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 8, corners));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 8, speeds));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, inside.first, EMBEDDED, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, inside.first, EMBEDDED, v));
    for (size_t e = 0; e < 4 * EMBEDDED; e++) {
        phys_add(weights[e], corners + 3 * parents[e], expected + e / 4 * 3);
        phys_add(weights[e], speeds + 3 * parents[e], speed + e / 4 * 3);
    }
    CHECK(phys_farthest(corners, lattice.points, 24) > 0.01);
    CHECK_NEAR(phys_farthest(x, expected, 3 * EMBEDDED), 0, 1e-12);
    CHECK_NEAR(phys_farthest(v, speed, 3 * EMBEDDED), 0, 1e-12);
    taut_world_destroy(world);
    phys_mesh_free(&lattice);
}

/* Two bodies that hold five points between them by weights that go from one to the other. */
typedef struct skin {
    taut_body bodies[2];
    taut_range points;
    double bound[15], weights[10];
} skin;

static taut_world* make_skin(taut_backend_kind backend, skin* s, phys_body bodies[2]) {
    taut_body pairs[10];
    taut_scene* scene = phys_empty_scene();
    for (int k = 0; k < 2; k++) {
        bodies[k] = (phys_body){.mass = 1, .inertia = {1, 2, 3}, .x = {k, 0.5 * k, 0}, .fixed = true};
        phys_turn((const double[]){1, k, 2}, 0.4 + k, bodies[k].q);
        s->bodies[k] = phys_add_body(scene, &bodies[k]);
    }
    for (int i = 0; i < 5; i++) {
        s->bound[3 * i] = 0.25 * i;
        s->bound[3 * i + 1] = 0.1 * i * i;
        s->bound[3 * i + 2] = 0.2;
        s->weights[2 * i + 1] = 0.25 * i;
        s->weights[2 * i] = 1 - s->weights[2 * i + 1];
        pairs[2 * i] = s->bodies[0];
        pairs[2 * i + 1] = s->bodies[1];
    }
    taut_skinned_def def = taut_default_skinned();
    def.count = 5;
    def.positions = s->bound;
    def.arity = 2;
    def.bodies = pairs;
    def.weights = s->weights;
    CHECK_OK(taut_scene_add_skinned(scene, &def, &s->points));
    return phys_scheme_world(backend, scene, schemes[0], true);
}

/* Moves a fixed body as if it were part of what `turn` turns about the origin and `shift` shifts. */
static void move_rigidly(taut_world* world, taut_body handle, const phys_body* body, const double turn[4],
                         const double shift[3]) {
    double x[3], q[4];
    phys_rotate(turn, body->x, x);
    phys_add(1, shift, x);
    phys_multiply(turn, body->q, q);
    CHECK_OK(taut_world_move_fixed_bodies(world, 1, &handle, x, q));
}

TAUT_TEST(mappings, skinned_points) {
    skin s;
    phys_body bodies[2];
    double turn[4], x[15], expected[15] = {0};
    const double shift[3] = {1, -3, 2};
    taut_world* world = make_skin(backend, &s, bodies);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, s.points.first, 5, x));
    CHECK_NEAR(phys_farthest(x, s.bound, 15), 0, 1e-13);

    /* Both bodies alike: so do the points. */
    phys_turn((const double[]){2, -1, 1}, 1.3, turn);
    for (int k = 0; k < 2; k++) {
        move_rigidly(world, s.bodies[k], &bodies[k], turn, shift);
    }
    phys_run(world, 1, 0.1);
    for (size_t i = 0; i < 5; i++) {
        phys_rotate(turn, s.bound + 3 * i, expected + 3 * i);
        phys_add(1, shift, expected + 3 * i);
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, s.points.first, 5, x));
    CHECK_NEAR(phys_farthest(x, expected, 15), 0, 1e-12);

    /* The second one back again: a point goes as far as its weight of that body. */
    move_rigidly(world, s.bodies[1], &bodies[1], (const double[]){1, 0, 0, 0}, (const double[]){0, 0, 0});
    phys_run(world, 1, 0.1);
    for (size_t i = 0; i < 15; i++) {
        expected[i] += s.weights[i / 3 * 2 + 1] * (s.bound[i] - expected[i]);
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, s.points.first, 5, x));
    CHECK_NEAR(phys_farthest(x, expected, 15), 0, 1e-12);
    taut_world_destroy(world);
}

/* w sums to 1 and gives the nearest point of the edge's line, the triangle's plane, the space. */
TAUT_PLAIN_TEST(mappings, barycentric_weights) {
    const double corners[12] = {1, 0, 0, 3, 1, 0, 0, 2, 1, 1, 1, 4}, point[3] = {1.2, 0.9, 0.8};
    for (size_t n = 2; n <= 4; n++) {
        double w[4] = {0}, nearest[3] = {-point[0], -point[1], -point[2]}, sum = 0;
        CHECK_OK(taut_barycentric(n, corners, point, w));
        for (size_t k = 0; k < n; k++) {
            phys_add(w[k], corners + 3 * k, nearest);
            sum += w[k];
        }
        CHECK_NEAR(sum, 1, 1e-14);
        for (size_t k = 1; k < n; k++) { /* what is left is square to every edge */
            double edge[3] = {corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]};
            phys_add(-1, corners, edge);
            CHECK_NEAR(phys_dot(edge, nearest), 0, 1e-13);
        }
        CHECK(n < 4 || phys_length(nearest) < 1e-13);
    }
}
