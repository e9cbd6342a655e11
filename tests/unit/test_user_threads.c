/* Worlds that threads of the program step side by side, each on its thread alone: no thread beside them, and the same
 * bits as with the library's threads. */
#define _POSIX_C_SOURCE 200809L /* barriers */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "small_scenes.h"
#include "task_pool.h"

enum { WORKERS = 2, SIDE = 50, STEPS = 1 };

static const double dt = 1.0 / 60;

typedef struct worker {
    const taut_scene* scene;
    pthread_barrier_t *stepped, *counted;
    double* positions;
    bool good;
} worker;

static bool run(const taut_scene* scene, uint32_t threads, double* positions) {
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    def.backend = TAUT_BACKEND_CPU;
    def.threads = threads;
    def.solver.max_iterations = 3;
    bool good = taut_world_create(scene, &def, &world) == TAUT_OK;
    for (int i = 0; good && i < STEPS; i++) {
        good = taut_world_step(world, dt) == TAUT_OK;
    }
    good =
        good && taut_world_read(world, TAUT_FIELD_POSITIONS, 0, taut_world_particle_count(world), positions) == TAUT_OK;
    taut_world_destroy(world);
    return good;
}

static void* work(void* data) {
    worker* w = data;
    w->good = run(w->scene, 1, w->positions);
    pthread_barrier_wait(w->stepped);
    pthread_barrier_wait(w->counted);
    return NULL;
}

TAUT_PLAIN_TEST(user_threads, step_worlds_without_others) {
    const scene_material soft = {1e-4, 0};
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    pthread_barrier_t stepped, counted;
    pthread_t threads[WORKERS];
    worker workers[WORKERS];
    scene_sheet_edges(&description, scene_sheet(&description, SIDE, SIDE, 0.1, 0.01), soft);
    REQUIRE_OK(oracle_scene_build(&description, &scene));
    const size_t values = 3 * description.particle_count;
    CHECK(pthread_barrier_init(&stepped, NULL, WORKERS + 1) == 0);
    CHECK(pthread_barrier_init(&counted, NULL, WORKERS + 1) == 0);
    const int before = count_threads();
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (worker){scene, &stepped, &counted, calloc(values, sizeof(double)), false};
        REQUIRE(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    pthread_barrier_wait(&stepped); /* threads that a library makes stay for the next call */
    CHECK_INT(count_threads() - before, before > 0 ? WORKERS : 0);
    pthread_barrier_wait(&counted);
    double* shared = calloc(values, sizeof *shared);
    CHECK(run(scene, 4, shared));
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(workers[i].good);
        CHECK(memcmp(workers[i].positions, shared, values * sizeof *shared) == 0);
        free(workers[i].positions);
    }
    free(shared);
    pthread_barrier_destroy(&stepped);
    pthread_barrier_destroy(&counted);
    taut_scene_destroy(scene);
    oracle_scene_free(&description);
}
