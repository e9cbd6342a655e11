/* taut-traffic SCENE SIZE PRECONDITIONER GEOMETRIC ITERATIONS ORDER: one step of a benchmark scene on the CUDA backend,
 * with so many iterations of conjugate gradients, for a profiler that counts what kernels ask of memory: on the Schur
 * complement, or with `condensed` for the preconditioner on the condensed system, additive cycle. Only the second step
 * lies between cudaProfilerStart and cudaProfilerStop. Prints the counts that the profile is divided by. */
#include "measure.h"
#include "model.h"
#include "option_values.h"

#include "host/world/world_data.h"

#include <cuda_profiler_api.h>

#include <stdio.h>
#include <string.h>

typedef struct traffic_case {
    size_t scene, size;
    taut_method method;
    taut_preconditioner preconditioner;
    taut_geometric_stiffness geometric;
    uint32_t iterations;
    bool reordered;
} traffic_case;

static bool read_case(char** arguments, traffic_case* c) {
    const bool condensed = strcmp(arguments[3], "condensed") == 0;
    c->reordered = strcmp(arguments[6], "reordered") == 0;
    c->method = condensed ? TAUT_METHOD_CONDENSED : TAUT_METHOD_SCHUR;
    c->preconditioner = TAUT_PRECONDITIONER_MULTILEVEL;
    return option_scene(arguments[1], 0, &c->scene) && option_size(arguments[2], 0, &c->size) &&
           (condensed || option_preconditioner(arguments[3], 0, &c->preconditioner)) &&
           option_geometric(arguments[4], 0, &c->geometric) &&
           option_count("iterations", arguments[5], 1, 1e6, &c->iterations) &&
           (c->reordered || strcmp(arguments[6], "given") == 0 ||
            option_bad("order", arguments[6], "'given' or 'reordered'"));
}

/* A tolerance that no step meets, so that all iterations are made. */
static taut_world_def definition(const traffic_case* c) {
    taut_world_def def = bench_one_system();
    def.backend = TAUT_BACKEND_CUDA;
    def.solver.method = c->method;
    def.solver.preconditioner = c->preconditioner;
    def.integrator.geometric_stiffness = c->geometric;
    def.solver.max_iterations = c->iterations;
    def.reorder = c->reordered;
    def.solver.tolerance = 1e-12;
    def.solver.proximal = 0; /* one pass */
    return def;
}

static double least_bytes(const traffic_case* c, const bench_counts* counts, const taut_world* world) {
    const bool factor_rows = c->geometric == TAUT_GEOMETRIC_FULL;
    return c->method == TAUT_METHOD_CONDENSED ? model_condensed(counts, factor_rows, &world->plan.hierarchy)
                                              : model_floor(counts, factor_rows);
}

int main(int argc, char** argv) {
    traffic_case c = {0};
    option_program = "taut-traffic";
    if (argc != 7 || !read_case(argv, &c)) {
        fprintf(stderr,
                "usage: taut-traffic SCENE SIZE PRECONDITIONER|condensed full|none ITERATIONS given|reordered\n");
        return 2;
    }
    bench_counts counts = {0};
    taut_scene* scene = bench_scenes[c.scene].make(c.size, &counts);
    const taut_world_def def = definition(&c);
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
    printf("constraints %zu\nparticles %zu\niterations %u\npasses %u\nfloor %.0f\n", constraints, counts.particles,
           info.iterations, info.outer_iterations, least_bytes(&c, &counts, world));
    taut_world_destroy(world);
    taut_scene_destroy(scene);
    return 0;
}
