/* Memory that runs out at every possible moment, and batches that are tuned instead of rebuilt. */
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "dense_matrix.h"
#include "refused.h"
#include "small_scenes.h"

static const double dt = 0.01;

/* ---- running out of memory -------------------------------------------------------------------------------------- */

/* Adds particles and one constraint of several kinds with the counting allocator; the first failure's status. */
static taut_status fill(taut_scene* scene) {
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t nodes[4] = {0, 1, 2, 3}, coordinates[2] = {0, 3};
    static const size_t offsets[2] = {0, 2};
    static const double weights[2] = {1, -1};
    taut_particles_def particles = taut_default_particles();
    taut_distance_def distance = taut_default_distance();
    taut_tet_strain_def strain = taut_default_tet_strain();
    taut_linear_def linear = taut_default_linear();
    particles.count = 4;
    particles.positions = x;
    distance.count = strain.count = linear.count = 1;
    distance.particles = strain.particles = nodes;
    linear.offsets = offsets;
    linear.coordinates = coordinates;
    linear.weights = weights;
    taut_status status = taut_scene_add_particles(scene, &particles, NULL);
    if (status == TAUT_OK) {
        status = taut_scene_add_distances(scene, &distance, NULL);
    }
    if (status == TAUT_OK) {
        status = taut_scene_add_tet_strains(scene, &strain, NULL);
    }
    return status == TAUT_OK ? taut_scene_add_linear(scene, &linear, NULL) : status;
}

static taut_status try_scene(counting* count) {
    taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    def.allocator = counting_allocator(count);
    taut_status status = taut_scene_create(&def, &scene);
    if (status == TAUT_OK) {
        status = fill(scene);
        taut_scene_destroy(scene);
    }
    return status;
}

TAUT_PLAIN_TEST(lifecycle, scene_without_memory) {
    counting count = {0};
    CHECK_OK(try_scene(&count));
    const size_t requests = count.requests;
    CHECK(requests > 3);
    for (size_t k = 1; k <= requests; k++) {
        count = (counting){.refuse_from = k};
        test_note("request %zu of %zu refused", k, requests);
        CHECK_STATUS(try_scene(&count), TAUT_OUT_OF_MEMORY);
        CHECK(is_one_sentence(taut_last_error()));
        CHECK_INT(count.live, 0);
        CHECK(!count.misuse);
    }
    test_note(NULL);
}

static void check_without_memory(taut_backend_kind backend, taut_method method, taut_preconditioner preconditioner) {
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    counting count = {0};
    scene_mixed(&description, 0, 0);
    REQUIRE_OK(oracle_scene_build(&description, &scene));
    def.backend = backend;
    def.solver.method = method;
    def.solver.preconditioner = preconditioner;
    def.allocator = counting_allocator(&count);
    REQUIRE_OK(taut_world_create(scene, &def, &world));
    taut_world_destroy(world);
    CHECK_INT(count.live, 0);
    const size_t requests = count.requests;
    for (size_t k = 1; k <= requests; k++) {
        count = (counting){.refuse_from = k};
        world = NULL;
        test_note("method %d, preconditioner %d, request %zu of %zu refused", (int)method, (int)preconditioner, k,
                  requests);
        CHECK_STATUS(taut_world_create(scene, &def, &world), TAUT_OUT_OF_MEMORY);
        CHECK(is_one_sentence(taut_last_error()));
        CHECK(world == NULL);
        CHECK_INT(count.live, 0);
        CHECK(!count.misuse);
    }
    taut_scene_destroy(scene);
    oracle_scene_free(&description);
    test_note(NULL);
}

TAUT_TEST(lifecycle, world_without_memory) {
    for (int p = TAUT_PRECONDITIONER_NONE; p <= TAUT_PRECONDITIONER_MULTILEVEL; p++) {
        check_without_memory(backend, TAUT_METHOD_AUTO, (taut_preconditioner)p);
    }
    check_without_memory(backend, TAUT_METHOD_GAUSS_SEIDEL, TAUT_PRECONDITIONER_AUTO);
}

TAUT_PLAIN_TEST(lifecycle, direct_world_without_memory) {
    if (test_direct()) {
        check_without_memory(TAUT_BACKEND_CPU, TAUT_METHOD_DIRECT, TAUT_PRECONDITIONER_AUTO);
    }
}

/* ---- tuning ----------------------------------------------------------------------------------------------------- */

static void change_description(oracle_scene* scene) {
    for (size_t i = 0; i < scene->constraint_count; i++) {
        oracle_constraint* c = &scene->constraints[i];
        c->compliance *= 3 + (double)(i % 4);
        c->damping += 0.001 * (double)(i % 5);
        if (c->kind == TAUT_DISTANCE || c->kind == TAUT_TET_VOLUME) {
            c->rest[0] *= 1.05;
        } else if (c->kind == TAUT_BEND || c->kind == TAUT_LINEAR) {
            c->rest[0] += 0.02;
        }
    }
}

/* The same change through the world's functions, for runs of constraints of a batch. */
static void change_world(const oracle_scene* to, taut_world* world) {
    enum { MOST = 256 };
    for (size_t i = 0, end = 0; i < to->constraint_count; i = end) {
        const oracle_constraint* c = to->constraints;
        double compliances[MOST], dampings[MOST], rest[MOST];
        size_t count = 0;
        for (end = i; end < to->constraint_count && c[end].batch.id == c[i].batch.id && count < MOST; end++, count++) {
            compliances[count] = c[end].compliance;
            dampings[count] = c[end].damping;
            rest[count] = c[end].rest[0];
        }
        const taut_kind kind = c[i].kind;
        test_note("%s, batch %u, %zu constraints from %u", taut_kind_name(kind), c[i].batch.id, count, c[i].member);
        CHECK_OK(taut_world_set_compliances(world, c[i].batch, c[i].member, count, compliances));
        CHECK_OK(taut_world_set_dampings(world, c[i].batch, c[i].member, count, dampings));
        if (kind == TAUT_DISTANCE || kind == TAUT_BEND || kind == TAUT_TET_VOLUME || kind == TAUT_LINEAR) {
            CHECK_OK(taut_world_set_rest_values(world, c[i].batch, c[i].member, count, rest));
        }
    }
    test_note(NULL);
}

TAUT_TEST(lifecycle, tuning_is_rebuilding) {
    oracle_scene scene = {0};
    taut_world_def def = taut_default_world();
    taut_world *tuned = NULL, *rebuilt = NULL;
    def.backend = backend;
    scene_mixed(&scene, 1e-5, 0.01);
    REQUIRE_OK(oracle_scene_world(&scene, &def, &tuned));
    change_description(&scene);
    change_world(&scene, tuned);
    REQUIRE_OK(oracle_scene_world(&scene, &def, &rebuilt));
    const size_t n = scene.particle_count;
    double* x = calloc(6 * n, sizeof *x);
    for (int k = 0; k < 10; k++) {
        CHECK_OK(taut_world_step(tuned, dt));
        CHECK_OK(taut_world_step(rebuilt, dt));
    }
    CHECK_OK(taut_world_read(tuned, TAUT_FIELD_POSITIONS, 0, n, x));
    CHECK_OK(taut_world_read(rebuilt, TAUT_FIELD_POSITIONS, 0, n, x + 3 * n));
    CHECK_NEAR(dense_max_difference(3 * n, x, x + 3 * n), 0, 0);
    free(x);
    taut_world_destroy(tuned);
    taut_world_destroy(rebuilt);
    oracle_scene_free(&scene);
}

/* The world has its own copy: the scene may go, or make more worlds. */
TAUT_TEST(lifecycle, worlds_are_independent) {
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    taut_world_def def = taut_default_world();
    taut_world *first = NULL, *second = NULL;
    double a[3], b[3];
    const uint32_t top = 0;
    def.backend = backend;
    scene_cloth(&description, 4, 4, (scene_material){1e-5, 0}, (scene_material){1e-2, 0});
    REQUIRE_OK(oracle_scene_build(&description, &scene));
    REQUIRE_OK(taut_world_create(scene, &def, &first));
    CHECK_OK(taut_world_step(first, dt));
    REQUIRE_OK(taut_world_create(scene, &def, &second));
    CHECK_OK(taut_scene_set_fixed(scene, 1, &top, false));
    taut_scene_destroy(scene);
    CHECK_OK(taut_world_step(second, dt));
    CHECK_OK(taut_world_read(first, TAUT_FIELD_POSITIONS, 15, 1, a));
    CHECK_OK(taut_world_read(second, TAUT_FIELD_POSITIONS, 15, 1, b));
    CHECK(memcmp(a, b, sizeof a) == 0);
    taut_world_destroy(first);
    taut_world_destroy(second);
    oracle_scene_free(&description);
}
