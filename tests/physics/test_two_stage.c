/* Two stages: what is solved is told as solved, also in the first step, where forces alone drive the first stage and no
 * row has a law. */
#include "phys_scenes.h"
#include "unguarded.h"

#define PARTICLES 5
#define LINKS     6

/* Hard and soft links in loops, one particle held. */
static taut_scene* make_star(size_t links) {
    static const double points[3 * PARTICLES] = {0, 0, 0, 1, 0, 0.1, 2, 0.1, 0, 2.5, -1, 0.3, 1.7, 0.6, 0.9};
    static const double masses[PARTICLES] = {1, 0.5, 2, 0.7, 1.2};
    static const uint32_t pairs[2 * LINKS] = {0, 1, 1, 2, 2, 3, 1, 3, 0, 2, 3, 4};
    static const double compliances[LINKS] = {0, 1e-3, 0, 1e-2, 2e-3, 1e-4};
    taut_scene* scene = phys_scene(PARTICLES, points, masses);
    phys_fix(scene, 1, (const uint32_t[]){0});
    taut_distance_def def = taut_default_distance();
    def.count = links;
    def.particles = pairs;
    def.compliances = compliances;
    CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
    return scene;
}

static void check_star(taut_backend_kind backend, taut_method method, double alpha, size_t links) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.integrator.two_stage = true;
    def.integrator.alpha = def.integrator.beta = alpha;
    def.integrator.hard_row_damping = alpha < 1;
    def.solver.method = method;
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(make_star(links), &def);
    for (int step = 0; step < 3; step++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, 0.01));
        CHECK_OK(taut_world_info(world, &info));
        test_note("%zu links, method %d, alpha %g, step %d: outcome %d, residual %.2g", links, (int)method, alpha, step,
                  (int)info.outcome, info.residual);
        CHECK(info.outcome == TAUT_SOLVE_CONVERGED);
        CHECK(info.residual <= def.solver.tolerance);
    }
    taut_world_destroy(world);
}

TAUT_TEST(two_stage, tells_what_is_solved) {
    static const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED,
                                          TAUT_METHOD_GAUSS_SEIDEL};
    for (int m = 0; m < 4; m++) {
        for (size_t links = 2; links <= LINKS; links++) {
            check_star(backend, methods[m], 1, links);
            check_star(backend, methods[m], 0.5, links);
        }
    }
}
