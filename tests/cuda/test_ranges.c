/* The ranges that a profiler shows of a world's life, on the backend named by the argument. Exit status 77: that
 * backend is not to be had here. NVTX_INJECTION64_PATH must name the injection that this program is linked with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut/taut.h>

#include "nvtx_injection.h"

enum { SKIPPED = 77 };

#define STAGES "assemble()solve()integrate()evaluate()"

static int failures;

static void check(const char* what, const char* expected) {
    if (strcmp(ranges_text(), expected) != 0 || ranges_depth() != 0) {
        fprintf(stderr, "%s: \"%s\" with %d open ranges instead of \"%s\"\n", what, ranges_text(), ranges_depth(),
                expected);
        failures++;
    }
    ranges_clear();
}

static void require(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s\n", taut_last_error());
        failures++;
    }
}

static taut_scene* make_scene(void) {
    static const double x[6] = {0, 0, 0, 1, 0, 0};
    static const uint32_t pair[2] = {0, 1};
    const taut_scene_def def = taut_default_scene();
    taut_particles_def particles = taut_default_particles();
    taut_distance_def distance = taut_default_distance();
    taut_scene* scene = NULL;
    particles.count = 2;
    particles.positions = x;
    distance.count = 1;
    distance.particles = pair;
    require(taut_scene_create(&def, &scene));
    require(taut_scene_add_particles(scene, &particles, NULL));
    require(taut_scene_add_distances(scene, &distance, NULL));
    return scene;
}

/* On CUDA the stages are enqueued once, where the step is captured. */
static void check_life(const taut_scene* scene, taut_backend_kind backend) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    taut_world_def def = taut_default_world();
    def.integrator.further = 0; /* the ranges of one linearisation */
    taut_world* world = NULL;
    taut_integrator integrator = def.integrator;
    taut_step_info info;
    def.backend = backend;
    require(taut_world_create(scene, &def, &world));
    check("creation", cuda ? "create(capture(" STAGES "))" : "create()");
    require(taut_world_step(world, 0.01));
    check("first step", cuda ? "step()" : "step(" STAGES ")");
    require(taut_world_step(world, 0.01));
    check("step", cuda ? "step()" : "step(" STAGES ")");
    require(taut_world_sync(world));
    check("sync", "sync()");
    require(taut_world_info(world, &info));
    check("info", "sync()");
    integrator.substeps = 2;
    require(taut_world_set_integrator(world, &integrator));
    require(taut_world_step(world, 0.01));
    check("substeps", cuda ? "step(capture(" STAGES STAGES "))" : "step(" STAGES STAGES ")");
    taut_world_step(world, -1);
    check("refused step", "");
    taut_world_destroy(world);
    check("destruction", "");
}

/* The world itself, and nothing that belongs to it. */
static void* allocate_once(size_t bytes, size_t alignment, void* user) {
    int* requests = user;
    return (*requests)++ == 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void release_any(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}

/* A creation that fails closes its range. */
static void check_failure(const taut_scene* scene, taut_backend_kind backend) {
    int requests = 0;
    taut_world_def def = taut_default_world();
    def.integrator.further = 0; /* the ranges of one linearisation */
    taut_world* world = NULL;
    def.backend = backend;
    def.allocator = (taut_allocator){allocate_once, release_any, &requests};
    if (taut_world_create(scene, &def, &world) != TAUT_OUT_OF_MEMORY) {
        fprintf(stderr, "a world without memory\n");
        failures++;
    }
    check("failed creation", "create()");
}

int main(int argc, char** argv) {
    const bool cuda = argc == 2 && strcmp(argv[1], "cuda") == 0;
    const taut_backend_kind backend = cuda ? TAUT_BACKEND_CUDA : TAUT_BACKEND_CPU;
    if (taut_backend_available(backend) != TAUT_OK) {
        fprintf(stderr, "skipped: %s\n", taut_last_error());
        return SKIPPED;
    }
    taut_scene* scene = make_scene();
    check_life(scene, backend);
    check_failure(scene, backend);
    if (ranges_domains() != 0) {
        fprintf(stderr, "%d domains are left\n", ranges_domains());
        failures++;
    }
    taut_scene_destroy(scene);
    return failures > 0;
}
