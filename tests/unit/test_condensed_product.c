/* Products of the condensed system by the assembled matrix against the same matrix-free: with contacts, and with
 * constraints that are added to a running world. */
#define TAUT_REAL double
#include "level_scenes.h"
#include "surface_scenes.h"

#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_state.h"
#include "host/world/world_data.h"
#include "kernels/stages/system.h"
#include "taut/added.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 8 };

/* Two sheets of springs, the lower one on the ground, with room for what is added. */
static taut_world* open_sheets(void) {
    taut_scene* scene = surface_two_sheets(CELLS);
    taut_world* world = NULL;
    taut_world_def def = level_world(TAUT_BACKEND_CPU, TAUT_CYCLE_ADDITIVE);
    def.reserve.targets = def.reserve.distances = 2;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    return world;
}

/* A hand at a corner, and a thread between the sheets. */
static void hold(taut_world* world) {
    const uint32_t ends[2] = {3, (CELLS + 1) * (CELLS + 1) + 40};
    const double hand[3] = {-0.25, 0.05, 0.25};
    taut_distance_def thread = taut_default_distance();
    taut_added grab = {0}, added;
    thread.count = 1;
    thread.particles = ends;
    CHECK_OK(taut_world_grab(world, 0, hand, 1e-3, &grab));
    CHECK_OK(taut_world_add_distances(world, &thread, &added));
}

/* Rounding of float32 sums is all that may differ. */
static void check_products(taut_world* world) {
    taut_plan* plan = &world->plan;
    const size_t values = 4 * plan->sizes.nodes;
    float* p = phys_array(values, sizeof *p);
    float *by_matrix = phys_array(values, sizeof *p), *matrix_free = phys_array(values, sizeof *p);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < values; i++) {
        p[i] = i % 4 < 3 && plan->fields.inverse_mass[i / 4] > 0 ? (float)sin(0.7 * (double)i) : 0;
    }
    CHECK(is_assembled(&plan->hierarchy, &plan->sizes));
    condense_multiply(plan, p, by_matrix);
    plan->hierarchy.whole = false;
    condense_multiply(plan, p, matrix_free);
    plan->hierarchy.whole = true;
    for (size_t i = 0; i < values; i++) {
        worst = fmax(worst, fabs((double)by_matrix[i] - matrix_free[i]));
        largest = fmax(largest, fabs(matrix_free[i]));
    }
    CHECK(largest > 0);
    CHECK_NEAR(worst / largest, 0, 2e-6);
    free(p), free(by_matrix), free(matrix_free);
}

/* Blocks that are made constraint by constraint are those of whole rows; they differ in the order of the last sums. */
static void check_rows(taut_world* world) {
    taut_plan* plan = &world->plan;
    const taut_level* level = plan->hierarchy.level;
    const size_t values = 9 * level->s.blocks;
    double* made = phys_array(values, sizeof *made);
    double worst = 0;
    memcpy(made, level->a_value, values * sizeof *made);
    for (size_t n = 0; n < level->s.nodes; n++) {
        system_row(&plan->fields, &plan->sizes, &plan->hierarchy.system, level, n);
    }
    for (size_t i = 0; i < values; i++) {
        worst = fmax(worst, fabs(made[i] - level->a_value[i]) / (1e-12 + fabs(level->a_value[i])));
    }
    CHECK_NEAR(worst, 0, 1e-14);
    free(made);
}

TAUT_PLAIN_TEST(condensed_product, with_contacts_and_added_constraints) {
    taut_world* world = open_sheets();
    REQUIRE(world != NULL);
    for (int i = 0; i < 5; i++) {
        if (i == 2) {
            hold(world);
        }
        CHECK_OK(taut_world_step(world, 1.0 / 60));
        CHECK(world->plan.sizes.count[TAUT_CONTACT] > 0);
        cpu_assemble(world->state, 1.0 / 60, TAUT_PHASE_STEP);
        check_rows(world);
        check_products(world);
        for (size_t c = 0; c < world->plan.sizes.count[TAUT_CONTACT]; c += 2) { /* every second one opens */
            memset(world->plan.fields.kinds[TAUT_CONTACT].conductance + 6 * c, 0, 6 * sizeof(float));
        }
        check_products(world);
    }
    taut_world_destroy(world);
}

/* Two sheets on the ground, and a chain far above them that hangs from a fixed particle. */
static taut_world* open_sheets_and_chain(uint32_t* first, uint32_t links) {
    taut_scene* scene = surface_two_sheets(CELLS);
    taut_particles_def particles = taut_default_particles();
    taut_range chain = {0, 0};
    double* x = phys_array(3 * (links + 1), sizeof *x);
    bool* fixed = phys_array(links + 1, sizeof *fixed);
    phys_tuples ends = {links, phys_array(2 * links, sizeof(uint32_t))};
    for (uint32_t i = 0; i <= links; i++) {
        x[3 * i + 1] = 50 - 0.1 * i;
    }
    fixed[0] = true;
    particles.count = links + 1;
    particles.positions = x;
    particles.fixed = fixed;
    CHECK_OK(taut_scene_add_particles(scene, &particles, &chain));
    for (uint32_t i = 0; i < 2 * links; i++) {
        ends.items[i] = chain.first + (i + 1) / 2;
    }
    phys_add_links(scene, &ends, 0, 0);
    free(x), free(fixed), free(ends.items);
    taut_world_def def = level_world(TAUT_BACKEND_CPU, TAUT_CYCLE_ADDITIVE);
    def.solver.method = TAUT_METHOD_AUTO;
    def.solver.preconditioner = TAUT_PRECONDITIONER_AUTO;
    def.reorder = false;
    *first = chain.first;
    return phys_world(scene, &def);
}

/* The matrix has nothing of what the Schur complement has in this substep, nor of what touched it before. */
TAUT_PLAIN_TEST(condensed_product, without_parts_that_touch_nothing) {
    enum { LINKS = 12 };
    uint32_t first = 0;
    taut_world* world = open_sheets_and_chain(&first, LINKS);
    REQUIRE(world != NULL);
    taut_plan* plan = &world->plan;
    const taut_level* level = plan->hierarchy.level;
    CHECK_OK(taut_world_step(world, 1.0 / 60));
    CHECK_OK(taut_world_step(world, 1.0 / 60));
    for (size_t i = 0; i < 6 * plan->sizes.nodes; i++) {
        plan->fields.changing_block[i] = 1;
    }
    cpu_assemble(world->state, 1.0 / 60, TAUT_PHASE_STEP);
    CHECK(plan->sizes.count[TAUT_CONTACT] > 0);
    for (size_t n = first + 1; n <= first + LINKS; n++) {
        CHECK(!plan->fields.condensed_node[n]);
        CHECK(level->a_begin[n] < level->a_begin[n + 1]);
        for (size_t v = 9 * level->a_begin[n]; v < 9 * level->a_begin[n + 1]; v++) {
            CHECK(level->a_value[v] == 0);
        }
        for (size_t v = 6 * n; v < 6 * n + 6; v++) {
            CHECK(plan->fields.changing_block[v] == 0);
        }
    }
    check_products(world);
    taut_world_destroy(world);
}

/* The matrix is that of the iterate: nothing may be left of the one before. */
TAUT_PLAIN_TEST(condensed_product, of_further_linearisations) {
    taut_world_def def = level_world(TAUT_BACKEND_CPU, TAUT_CYCLE_V);
    def.integrator.newton = 4;
    for (int i = 0; i < LEVEL_DEGENERATE; i++) {
        taut_world* world = level_scene_world(&level_scenes[i], &def);
        REQUIRE(world != NULL);
        test_note("%s", level_scenes[i].name);
        CHECK_OK(taut_world_step(world, 1.0 / 60));
        check_products(world);
        test_note(NULL);
        taut_world_destroy(world);
    }
}
