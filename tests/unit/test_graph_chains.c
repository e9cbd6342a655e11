/* Mapped points against what they stand for: products of weights, points of bodies that are moved, forces that turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_solve.h"
#include "graph_scenes.h"
#include "harness.h"

static taut_scene* new_scene(void) {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    CHECK_OK(taut_scene_create(&def, &scene));
    return scene;
}

static taut_range add_particles(taut_scene* scene, size_t count, const double* x, bool first_fixed) {
    taut_particles_def def = taut_default_particles();
    taut_range made = {0, 0};
    bool* fixed = calloc(count, sizeof *fixed);
    fixed[0] = first_fixed;
    def.count = count;
    def.positions = x;
    def.fixed = fixed;
    CHECK_OK(taut_scene_add_particles(scene, &def, &made));
    free(fixed);
    return made;
}

static uint32_t add_combination(taut_scene* scene, size_t arity, const uint32_t* parents, const double* weights,
                                double mass) {
    taut_combinations_def def = taut_default_combinations();
    taut_range made = {0, 0};
    def.count = 1;
    def.arity = arity;
    def.parents = parents;
    def.weights = weights;
    def.masses = &mass;
    CHECK_OK(taut_scene_add_combinations(scene, &def, &made));
    return made.first;
}

static uint32_t add_norm(taut_scene* scene, uint32_t parent) {
    taut_norms_def def = taut_default_norms();
    taut_range made = {0, 0};
    def.count = 1;
    def.parents = &parent;
    CHECK_OK(taut_scene_add_norms(scene, &def, &made));
    return made.first;
}

static taut_world* new_world(taut_scene* scene, taut_backend_kind backend) {
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    def.backend = backend;
    def.solver.tolerance = 1e-10;
    def.solver.max_iterations = 10000;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    return world;
}

/* ---- products of linear mappings --------------------------------------------------------------------------------- */

enum { BASE = 4 };

static const double last_mass = 0.5;
static const double corners[3 * BASE] = {0, 0, 0, 1, 0.1, 0, 0.2, 1, 0, -0.1, 0.3, 1};

/* Rows on the last point, which has a mass, and a chain that holds the particles together. */
static taut_world* hold(taut_scene* scene, uint32_t point, taut_backend_kind backend) {
    const uint32_t pairs[8] = {0, 1, 1, 2, 2, 3, 0, 3};
    const double target[3] = {0.4, 0.3, 0.2};
    taut_distance_def distance = taut_default_distance();
    taut_target_def hook = taut_default_target();
    distance.count = 4;
    distance.particles = pairs;
    distance.compliance = 1e-4;
    hook.count = 1;
    hook.particles = &point;
    hook.targets = target;
    hook.compliance = 1e-2;
    CHECK_OK(taut_scene_add_distances(scene, &distance, NULL));
    CHECK_OK(taut_scene_add_targets(scene, &hook, NULL));
    return new_world(scene, backend);
}

/* Twenty combinations and linear maps behind one another: more than there may be levels. `weights`: 3 x 3 BASE of the
 * last point in the particles. */
static uint32_t add_chain(taut_scene* scene, double weights[3][3 * BASE]) {
    random_state random = {5};
    double last[3][3 * BASE] = {{0}};
    uint32_t point = 0;
    last[0][0] = last[1][1] = last[2][2] = 1;
    for (int k = 0; k < 20; k++) {
        const uint32_t other = 1 + (uint32_t)k % 3, parents[2] = {point, other};
        const double w[2] = {random_in(&random, 0.6, 0.9), random_in(&random, 0.1, 0.4)};
        double next[3][3 * BASE] = {{0}};
        if (k % 2 == 0) {
            point = add_combination(scene, 2, parents, w, 0);
        } else { /* the same with axes exchanged */
            const size_t offsets[4] = {0, 2, 4, 6};
            taut_linear_map_def def = taut_default_linear_map();
            uint32_t coordinates[6];
            double entries[6];
            taut_range made = {0, 0};
            for (uint32_t a = 0; a < 3; a++) {
                coordinates[2 * a] = 3 * parents[0] + (a + 1) % 3;
                coordinates[2 * a + 1] = 3 * parents[1] + a;
                entries[2 * a] = w[0];
                entries[2 * a + 1] = w[1];
            }
            def.count = 1;
            def.offsets = offsets;
            def.coordinates = coordinates;
            def.weights = entries;
            def.masses = k == 19 ? &last_mass : NULL;
            CHECK_OK(taut_scene_add_linear_map(scene, &def, &made));
            point = made.first;
        }
        for (uint32_t a = 0; a < 3; a++) {
            for (uint32_t c = 0; c < 3 * BASE; c++) {
                next[a][c] = w[0] * last[k % 2 == 0 ? a : (a + 1) % 3][c] + (c == 3 * other + a ? w[1] : 0);
            }
        }
        memcpy(last, next, sizeof last);
    }
    memcpy(weights, last, sizeof last);
    return point;
}

static uint32_t add_product(taut_scene* scene, double weights[3][3 * BASE]) {
    const size_t offsets[4] = {0, 3 * BASE, 6 * BASE, 9 * BASE};
    uint32_t coordinates[9 * BASE];
    taut_linear_map_def def = taut_default_linear_map();
    taut_range made = {0, 0};
    for (uint32_t i = 0; i < 9 * BASE; i++) {
        coordinates[i] = i % (3 * BASE);
    }
    def.count = 1;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights[0];
    def.masses = &last_mass;
    CHECK_OK(taut_scene_add_linear_map(scene, &def, &made));
    return made.first;
}

/* The particles' part of the last rows of J, those of the target. */
static void target_rows(taut_world* world, double out[3][3 * BASE]) {
    taut_assembly* assembly = NULL;
    REQUIRE_OK(taut_assembly_create(world, &assembly));
    double* j = dense_of(assembly, TAUT_MATRIX_J);
    const size_t n = 3 * taut_world_particle_count(world), m = taut_world_row_count(world);
    for (size_t r = 0; r < 3; r++) {
        memcpy(out[r], j + (m - 3 + r) * n, 3 * BASE * sizeof(double));
        CHECK_NEAR(dense_max(n - 3 * BASE, j + (m - 3 + r) * n + 3 * BASE), 0, 0);
    }
    free(j);
    taut_assembly_destroy(assembly);
}

TAUT_TEST(graph_chains, linear_maps_multiply_out) {
    double weights[3][3 * BASE], rows[2][3][3 * BASE], x[2][3 * BASE + 3], moved = 0;
    taut_world* worlds[2];
    uint32_t points[2];
    for (int i = 0; i < 2; i++) {
        taut_scene* scene = new_scene();
        add_particles(scene, BASE, corners, false);
        points[i] = i == 0 ? add_chain(scene, weights) : add_product(scene, weights);
        worlds[i] = hold(scene, points[i], backend);
        REQUIRE(worlds[i] != NULL);
        target_rows(worlds[i], rows[i]);
    }
    CHECK_NEAR(dense_max_difference(9 * BASE, rows[0][0], weights[0]), 0, 1e-14);
    CHECK_NEAR(dense_max_difference(9 * BASE, rows[1][0], weights[0]), 0, 0);
    for (int step = 0; step < 50; step++) {
        for (int i = 0; i < 2; i++) {
            CHECK_OK(taut_world_step(worlds[i], 0.01));
        }
    }
    for (int i = 0; i < 2; i++) {
        CHECK_OK(taut_world_read(worlds[i], TAUT_FIELD_POSITIONS, 0, BASE, x[i]));
        CHECK_OK(taut_world_read(worlds[i], TAUT_FIELD_POSITIONS, points[i], 1, x[i] + 3 * BASE));
        taut_world_destroy(worlds[i]);
    }
    moved = dense_max_difference(3 * BASE, x[0], corners);
    CHECK(moved > 0.1);
    CHECK_NEAR(dense_max_difference(3 * BASE + 3, x[0], x[1]), 0, 1e-6 * moved);
}

/* Twelve levels are allowed. A combination of lengths is a level of its own, the first one, of particles, is one, too,
 * but those in between of linear maps are none (above). */
TAUT_PLAIN_TEST(graph_chains, levels) {
    taut_scene* scene = new_scene();
    taut_norms_def def = taut_default_norms();
    uint32_t point = 0, parents[2];
    const double weights[2] = {0.9, 0.4};
    add_particles(scene, BASE, corners, false);
    for (int k = 0; k < 6; k++) {
        parents[0] = k == 0 ? 1 : point;
        parents[1] = 2;
        point = add_norm(scene, add_combination(scene, 2, parents, weights, 0));
    }
    const size_t points = taut_scene_particle_count(scene);
    def.count = 1;
    def.parents = &point;
    CHECK_STATUS(taut_scene_add_norms(scene, &def, NULL), TAUT_INVALID_ARGUMENT);
    CHECK_INT(taut_scene_particle_count(scene), points);
    taut_scene_destroy(scene);
}

/* A length of a difference with a linear row is a distance. */
TAUT_TEST(graph_chains, length_is_a_distance) {
    double x[2][6] = {{0}};
    for (int i = 0; i < 2; i++) {
        const double start[6] = {0, 0, 0, 0.6, 0.2, 0.1}, weights[2] = {-1, 1}, one = 1, rest = 0.5;
        const uint32_t ends[2] = {0, 1};
        taut_scene* scene = new_scene();
        add_particles(scene, 2, start, true);
        if (i == 0) {
            taut_distance_def def = taut_default_distance();
            def.count = 1;
            def.particles = ends;
            def.rest_lengths = &rest;
            def.compliance = 1e-3;
            CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
        } else {
            const uint32_t length = 3 * add_norm(scene, add_combination(scene, 2, ends, weights, 0));
            const size_t offsets[2] = {0, 1};
            taut_linear_def def = taut_default_linear();
            def.count = 1;
            def.offsets = offsets;
            def.coordinates = &length;
            def.weights = &one;
            def.rest_values = &rest;
            def.compliance = 1e-3;
            CHECK_OK(taut_scene_add_linear(scene, &def, NULL));
        }
        taut_world* world = new_world(scene, backend);
        for (int step = 0; step < 100; step++) {
            CHECK_OK(taut_world_step(world, 0.01));
        }
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 2, x[i]));
        taut_world_destroy(world);
    }
    CHECK(fabs(x[0][3] - 0.6) > 0.05);
    CHECK_NEAR(dense_max_difference(6, x[0], x[1]), 0, 1e-5);
}

/* ---- bodies that the user moves ---------------------------------------------------------------------------------- */

static taut_body add_body(taut_scene* scene, const double x[3], bool fixed) {
    taut_bodies_def def = taut_default_bodies();
    taut_body_ranges made = {{0, 0}, {0, 0}};
    def.count = 1;
    def.positions = x;
    def.fixed = &fixed;
    CHECK_OK(taut_scene_add_bodies(scene, &def, &made));
    return taut_body_of(made, 0);
}

static uint32_t add_body_point(taut_scene* scene, taut_body body, const double local[3]) {
    taut_body_points_def def = taut_default_body_points();
    taut_range made = {0, 0};
    def.count = 1;
    def.body = body;
    def.local = local;
    CHECK_OK(taut_scene_add_body_points(scene, &def, &made));
    return made.first;
}

static void attach(taut_scene* scene, uint32_t a, uint32_t b) {
    const uint32_t pair[2] = {a, b};
    taut_attachment_def def = taut_default_attachment();
    def.count = 1;
    def.particles = pair;
    CHECK_OK(taut_scene_add_attachments(scene, &def, NULL));
}

/* Two fixed bodies, one of which is pushed and one turned, carry a particle each on a point of theirs. A hard row holds
 * at the end of every step: that in which the body sets out, and that in which it stops. */
TAUT_TEST(graph_chains, carried_by_moved_bodies) {
    const double origin[3] = {0, 0, 0}, aside[3] = {5, 0, 0}, local[3] = {0.3, 0.1, 0}, h = 0.01;
    const double start[6] = {0.3, 0.1, 0, 5.3, 0.1, 0};
    taut_scene* scene = new_scene();
    add_particles(scene, 2, start, false);
    const taut_body pushed = add_body(scene, origin, true), turned = add_body(scene, aside, true);
    attach(scene, add_body_point(scene, pushed, local), 0);
    attach(scene, add_body_point(scene, turned, local), 1);
    taut_world* world = new_world(scene, backend);
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_set_gravity(world, origin));
    for (int step = 0; step < 6; step++) {
        const double goal[3] = {0.02 * (step + 1), 0, 0}, angle = 0.01 * (step + 1);
        const double orientation[4] = {cos(angle / 2), 0, 0, sin(angle / 2)};
        double phi[6];
        if (step < 3) {
            CHECK_OK(taut_world_move_fixed(world, 1, &pushed.point, goal));
            CHECK_OK(taut_world_move_fixed_frames(world, 1, &turned.frame, orientation));
        }
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VIOLATIONS, 0, 6, phi));
        test_note("step %d", step);
        CHECK_NEAR(dense_max(3, phi), 0, 1e-6);
        CHECK_NEAR(dense_max(3, phi + 3), 0, 5e-5); /* the way is an arc */
    }
    taut_world_destroy(world);
}

/* ---- forces that turn with a body -------------------------------------------------------------------------------- */

/* -sum (a.F) (n n^T - I) of points on a body, n along their arms a, for the forces that their targets put on them. */
static void levers(taut_world* world, size_t count, const uint32_t* points, uint32_t centre, double out[9]) {
    double x[3], lam[3], arm[3];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, centre, 1, x));
    memset(out, 0, 9 * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, points[i], 1, arm));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 3 * i, 3, lam));
        for (int a = 0; a < 3; a++) {
            arm[a] -= x[a];
        }
        const double along = dense_dot(3, arm, lam), square = dense_dot(3, arm, arm);
        for (int k = 0; k < 9; k++) {
            out[k] -= along * (arm[k / 3] * arm[k % 3] / square - (k % 4 == 0));
        }
    }
}

/* A body on targets of its points alone: what A has beside the inertia is the positive semidefinite part of what the
 * forces along the arms make, whose trace is that of -G, and as much of the rest of -G as leaves it so. */
TAUT_TEST(graph_chains, stabilising_part_of_rigid_points) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const double origin[3] = {0, 0, 0};
        random_state random = {seed};
        uint32_t points[4];
        double targets[12], inwards[3];
        taut_scene* scene = new_scene();
        taut_target_def def = taut_default_target();
        const taut_body body = add_body(scene, origin, false);
        for (int i = 0; i < 4; i++) {
            double local[3];
            random_fill(&random, -0.4, 0.4, 3, local);
            points[i] = add_body_point(scene, body, local);
            random_fill(&random, -0.5, 0.5, 3, inwards);
            for (int a = 0; a < 3; a++) { /* outwards, which is what stabilises */
                targets[3 * i + a] = 2 * local[a] + inwards[a];
            }
        }
        def.count = 4;
        def.particles = points;
        def.targets = targets;
        def.compliance = 0.01;
        CHECK_OK(taut_scene_add_targets(scene, &def, NULL));
        taut_world* world = new_world(scene, backend);
        REQUIRE(world != NULL);
        test_note("seed %d", (int)seed);
        for (int i = 0; i < 3; i++) {
            CHECK_OK(taut_world_step(world, 0.005));
        }
        taut_assembly* assembly = NULL;
        CHECK_OK(taut_assembly_create(world, &assembly));
        CHECK_OK(taut_world_linearise(world, 1));
        const size_t n = 3 * (taut_world_particle_count(world) + 1), at = n - 3;
        double *g = dense_of(assembly, TAUT_MATRIX_G), *m = dense_of(assembly, TAUT_MATRIX_M);
        double *in = calloc(n, sizeof *in), *out = calloc(n, sizeof *out);
        double block[9], whole[9], negative[9], positive[9], across[9], left[9], slow[9];
        for (size_t a = 0; a < 3; a++) {
            in[at + a] = 1;
            CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A, in, out));
            in[at + a] = 0;
            for (size_t b = 0; b < 3; b++) {
                block[3 * b + a] = out[at + b] - m[(at + b) * n + at + a];
                whole[3 * b + a] = -g[(at + b) * n + at + a];
                slow[3 * b + a] = 0.25 * m[(at + b) * n + at + a];
            }
        }
        levers(world, 4, points, body.point, negative);
        CHECK_NEAR(negative[0] + negative[4] + negative[8], whole[0] + whole[4] + whole[8], 1e-6 * dense_max(9, whole));
        dense_positive_part(3, negative, positive);
        for (int i = 0; i < 9; i++) {
            across[i] = negative[i] - (whole[i] + whole[3 * (i % 3) + i / 3]) / 2;
        }
        dense_take_off(positive, across, slow, left);
        const double size = dense_max(9, positive);
        CHECK(size > 0.1);
        CHECK_NEAR(dense_max_difference(9, block, left) / size, 0, 1e-5);
        double values[9], vectors[9];
        memcpy(values, block, sizeof block);
        for (size_t i = 0; i < 9; i++) {
            CHECK_NEAR(block[i], block[3 * (i % 3) + i / 3], 1e-12 * size);
        }
        dense_eigen(3, values, vectors);
        CHECK(fmin(values[0], fmin(values[4], values[8])) > -1e-6 * size);
        free(g), free(m), free(in), free(out);
        taut_assembly_destroy(assembly);
        taut_world_destroy(world);
    }
    test_note(NULL);
}
