/* When factors of the condensed matrix take over from conjugate gradients (host/cpu/cpu_condensed_factors.h). */
#include "crossing_scenes.h"

#include "host/cpu/cpu_condensed_factors.h"
#include "host/world/world_data.h"

#define LIMIT     1000
#define STEPS     24
#define LEAST     2 /* solves go on for so many times the cost of a step of Newton's method where something touches */
#define FEW_STEPS 3 /* iterations that such a step takes where its factors cost nothing */

/* Sheets that fall onto a ball and each other. */
static taut_world* falling_sheets(void) {
    random_state r = {1};
    crossing_cloud c = crossing_begin(12);
    const double size[3] = {0.1, 0, 0}, ball[3] = {0.02, -0.1, 0.01};
    contact_shape(c.scene, TAUT_SHAPE_SPHERE, size, TAUT_WORLD, ball, NULL, c.material);
    for (int i = 0; i < 2; i++) {
        const double at[3] = {0.03 * i, 0.02 + 0.02 * i, 0};
        crossing_add_sheet(&c, &r, 0.1, at);
    }
    taut_world_def def = contact_world_def(TAUT_BACKEND_CPU);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.contact.capacity = 40000;
    def.solver.max_iterations = LIMIT;
    def.solver.tolerance = CROSSING_TOLERANCE;
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.preconditioner = TAUT_PRECONDITIONER_MULTILEVEL;
    taut_world* world = phys_world(c.scene, &def);
    crossing_end(&c);
    return world;
}

/* To find their order takes as long as dozens of iterations: it waits until factors could pay. */
TAUT_PLAIN_TEST(contact_factors, order_waits_until_it_may_pay) {
    taut_world* world = falling_sheets();
    REQUIRE(world != NULL && world->state->factors != NULL);
    const condensed_factors* factors = world->state->factors;
    uint32_t most = 0;
    CHECK(factors->least_cost > FEW_STEPS);
    for (int i = 0; i < STEPS; i++) {
        REQUIRE_OK(taut_world_step(world, CROSSING_H / 4));
        const uint32_t iterations = world->state->report.iterations;
        const bool touches = world->plan.sizes.count[TAUT_CONTACT] > 0;
        most = iterations > most ? iterations : most;
        CHECK(!factors->ordered || !touches || iterations >= LEAST * factors->least_cost);
    }
    CHECK(most > LEAST * FEW_STEPS);
    taut_world_destroy(world);
}
