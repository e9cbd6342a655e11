/* States that benchmarks start from: a step from a restored one is that of the world that was saved. */
#include "line_scenes.h"
#include "phys_scenes.h"

#include "bench_scenes.h"
#include "convergence/measured_state.h"

#include <math.h>
#include <stdlib.h>

/* The benchmarks' own end the program. */
void bench_must(taut_status status) {
    CHECK_OK(status);
}

void* bench_allocate(size_t count, size_t bytes) {
    return phys_array(count, bytes);
}

static taut_world* open_chain(const taut_scene* scene) {
    taut_world* world = NULL;
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    def.integrator.geometric_stiffness = TAUT_GEOMETRIC_FULL;
    def.solver.tolerance = 1e-8;
    def.solver.warm_start = false;
    CHECK_OK(taut_world_create(scene, &def, &world));
    return world;
}

/* The velocities after one more step. */
static double* step_on(taut_world* world, size_t particles) {
    double* v = phys_array(3 * particles, sizeof *v);
    CHECK_OK(taut_world_step(world, 1.0 / 60));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, particles, v));
    return v;
}

/* What holds a chain across its links is geometric stiffness, which is made of the multipliers. */
TAUT_PLAIN_TEST(measured_state, restored_has_its_multipliers) {
    taut_scene* scene = line_scene_chain(20, 10, 1e-6);
    taut_world *world = open_chain(scene), *other = open_chain(scene);
    REQUIRE(world != NULL && other != NULL);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(taut_world_step(world, 1.0 / 60));
    }
    saved_state s = state_save(world);
    state_restore(other, &s);
    double *on = step_on(world, s.particles), *again = step_on(other, s.particles), off = 0, change = 0;
    for (size_t i = 0; i < 3 * s.particles; i++) {
        off = fmax(off, fabs(again[i] - on[i]));
        change = fmax(change, fabs(on[i] - s.velocities[i]));
    }
    test_note("off by %.2e, the step is %.2e", off, change);
    CHECK(off < 1e-3 * change);
    free(on);
    free(again);
    state_free(&s);
    taut_world_destroy(world);
    taut_world_destroy(other);
    taut_scene_destroy(scene);
}
