/* taut-traffic SCENE SIZE PRECONDITIONER GEOMETRIC ITERATIONS ORDER: one step of a benchmark scene on the CUDA backend,
 * with so many iterations of conjugate gradients, for a profiler that counts what kernels ask of memory. Only the
 * second step lies between cudaProfilerStart and cudaProfilerStop. Prints the counts that the profile is divided by. */
#include "../scenes.h"

#include <cuda_profiler_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bench_scene* find_scene(const char* name) {
    for (size_t i = 0; i < bench_scene_count; i++) {
        if (strcmp(bench_scenes[i].name, name) == 0) {
            return &bench_scenes[i];
        }
    }
    return NULL;
}

static taut_preconditioner find_preconditioner(const char* name) {
    static const char* const names[] = {"auto", "none", "jacobi", "block", "chebyshev"};
    for (int i = 0; i < 5; i++) {
        if (strcmp(names[i], name) == 0) {
            return (taut_preconditioner)i;
        }
    }
    return TAUT_PRECONDITIONER_AUTO;
}

/* A tolerance that no step meets, so that all iterations are made. */
static taut_world_def definition(char** arguments) {
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CUDA;
    def.solver.preconditioner = find_preconditioner(arguments[3]);
    def.integrator.geometric_stiffness = strcmp(arguments[4], "full") == 0 ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE;
    def.solver.max_iterations = (uint32_t)strtoul(arguments[5], NULL, 10);
    def.reorder = strcmp(arguments[6], "reordered") == 0;
    def.solver.tolerance = 1e-12;
    def.solver.proximal = 0; /* one pass */
    return def;
}

int main(int argc, char** argv) {
    const bench_scene* chosen = argc == 7 ? find_scene(argv[1]) : NULL;
    if (chosen == NULL) {
        fprintf(stderr, "usage: taut-traffic SCENE SIZE PRECONDITIONER full|none ITERATIONS given|reordered\n");
        return 2;
    }
    bench_counts counts = {0};
    taut_scene* scene = chosen->make(strtoul(argv[2], NULL, 10), &counts);
    const taut_world_def def = definition(argv);
    taut_world* world = NULL;
    taut_step_info info;
    bench_must(taut_world_create(scene, &def, &world));
    bench_must(taut_world_step(world, 1.0 / 60));
    bench_must(taut_world_sync(world));
    cudaProfilerStart();
    bench_must(taut_world_step(world, 1.0 / 60));
    cudaProfilerStop();
    bench_must(taut_world_info(world, &info));
    size_t constraints = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        constraints += counts.constraints[k];
    }
    printf("constraints %zu\nparticles %zu\nrows %zu\niterations %u\npasses %u\n", constraints, counts.particles,
           taut_world_row_count(world), info.iterations, info.passes);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        printf("%s %zu\n", taut_kind_name((taut_kind)k), counts.constraints[k]);
    }
    taut_world_destroy(world);
    taut_scene_destroy(scene);
    return 0;
}
