/* Worlds whose loops run as tasks of the program: the bits of the library's threads, and no threads beside the
 * program's. */
#include <stdlib.h>
#include <string.h>

#include "contact_scenes.h"
#include "task_pool.h"

enum { COLUMNS = 40, STEPS = 4, WORKERS = 3 };

static const double dt = 1.0 / 100;

/* A layer of balls that fall on the ground and touch each other. */
static taut_scene* make_scene(void) {
    taut_scene* scene = phys_empty_scene();
    const taut_material_def law = taut_default_material();
    const uint32_t material = contact_material_of(scene, law);
    contact_ground(scene, material);
    for (int i = 0; i < COLUMNS * COLUMNS; i++) {
        const phys_body at = contact_at(0.2005 * (i % COLUMNS), 0.11 + 0.01 * (i % 3), 0.2005 * (i / COLUMNS));
        const taut_body body = contact_ball(scene, &at, 1, 0.1, material);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.1, 1, 1}, body, NULL, NULL, material);
    }
    return scene;
}

static double* run(const taut_scene* scene, taut_world_def def, taut_method method) {
    taut_world* world = NULL;
    def.solver.method = method;
    def.solver.max_iterations = 20;
    def.contact.capacity = 30000;
    CHECK_OK(taut_world_create(scene, &def, &world));
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(taut_world_step(world, dt));
    }
    double* positions = phys_field(world, TAUT_FIELD_POSITIONS);
    taut_world_destroy(world);
    return positions;
}

TAUT_PLAIN_TEST(tasks, touching_bodies_have_the_same_bits) {
    const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_CONDENSED, TAUT_METHOD_PROJECTED_GRADIENT};
    taut_scene* scene = make_scene();
    task_pool* pool = task_pool_open(WORKERS);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        taut_world_def def = taut_default_world();
        def.backend = TAUT_BACKEND_CPU;
        def.threads = 1;
        double* alone = run(scene, def, methods[m]);
        def.tasks = task_pool_tasks(pool);
        double* together = run(scene, def, methods[m]);
        CHECK(memcmp(alone, together, 3 * COLUMNS * COLUMNS * sizeof *alone) == 0);
        free(alone);
        free(together);
    }
    size_t loops, items;
    task_pool_counts(pool, &loops, &items);
    CHECK(loops > 0);
    task_pool_close(pool);
    taut_scene_destroy(scene);
}

/* `threads` says nothing where there are tasks. */
TAUT_PLAIN_TEST(tasks, start_no_threads) {
    taut_scene* scene = make_scene();
    task_pool* pool = task_pool_open(WORKERS);
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 6;
    def.tasks = task_pool_tasks(pool);
    const int before = count_threads();
    free(run(scene, def, TAUT_METHOD_AUTO));
    CHECK_INT(count_threads(), before);
    task_pool_close(pool);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(tasks, need_workers) {
    taut_scene* scene = phys_empty_scene();
    const phys_body at = contact_at(0, 1, 0);
    contact_ball(scene, &at, 1, 0.1, 0);
    task_pool* pool = task_pool_open(1);
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    def.backend = TAUT_BACKEND_CPU;
    def.tasks = task_pool_tasks(pool);
    for (int i = 0; i < 2; i++) {
        def.tasks.workers = i == 0 ? 0 : 5000;
        CHECK_STATUS(taut_world_create(scene, &def, &world), TAUT_INVALID_ARGUMENT);
        CHECK(strstr(taut_last_error(), "workers") != NULL);
    }
    task_pool_close(pool);
    taut_scene_destroy(scene);
}
