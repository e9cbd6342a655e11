/* Cubes that fall into a tray, where contacts come and go by the hundred. */
#include "contact_scenes.h"

#include <stdlib.h>
#include <string.h>

#define H    (1.0 / 120)
#define HALF 0.05
#define WALL 0.3

enum { WIDE = 4, HIGH = 5, COUNT = WIDE * WIDE * HIGH };

/* No two alike: how far one is from where it would stand in a lattice. */
static double aside(int i, int axis) {
    return 0.006 * ((7 * i + 5 * axis + i * i % 11) % 13) / 13;
}

static taut_world* make_tray(void) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    contact_tray(scene, WALL, WALL, material);
    for (int i = 0; i < COUNT; i++) {
        const double x = 0.13 * (i % WIDE - 1.5), z = 0.13 * (i / WIDE % WIDE - 1.5),
                     y = 0.07 + 0.12 * (i / WIDE / WIDE);
        const phys_body at = contact_at(x + aside(i, 0), y + aside(i, 1), z + aside(i, 2));
        contact_box(scene, &at, 0.5, (const double[]){HALF, HALF, HALF}, material);
    }
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    def.contact.capacity = 24 * COUNT;
    return phys_world(scene, &def);
}

static void* saved(taut_world* world, size_t* bytes) {
    CHECK_OK(taut_world_state_size(world, bytes));
    void* block = phys_array(*bytes, 1);
    CHECK_OK(taut_world_save(world, *bytes, block, bytes));
    return block;
}

/* Places for contacts that none takes have no part in anything: a world that has had others goes on from a saved state
 * by the same bits. */
TAUT_PLAIN_TEST(contact_thrown, goes_on_whatever_was_before) {
    taut_world* worlds[2] = {make_tray(), make_tray()};
    size_t bytes[2];
    CHECK(contact_run(worlds[0], 12, H, NULL));
    CHECK(contact_run(worlds[1], 60, H, NULL));
    void* begin = saved(worlds[0], bytes);
    CHECK_OK(taut_world_load(worlds[1], begin, bytes[0]));
    for (int i = 0; i < 40; i++) {
        CHECK(contact_run(worlds[0], 1, H, NULL));
        CHECK(contact_run(worlds[1], 1, H, NULL));
    }
    void *one = saved(worlds[0], &bytes[0]), *two = saved(worlds[1], &bytes[1]);
    CHECK_INT(bytes[0], bytes[1]);
    CHECK(memcmp(one, two, bytes[0]) == 0);
    free(begin);
    free(one);
    free(two);
    taut_world_destroy(worlds[0]);
    taut_world_destroy(worlds[1]);
}

/* Two batches of a sweep go together where they share no body, and Newton's method goes on from there: each step ends
 * within its tolerance, and what falls comes to rest. */
TAUT_PLAIN_TEST(contact_thrown, comes_to_rest) {
    taut_world* world = make_tray();
    double penetration = 0;
    for (int i = 0; i < 240; i++) {
        const taut_step_info info = contact_step_off(world, H);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        penetration = info.penetration;
    }
    CHECK(penetration < 0.02 * HALF);
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    CHECK_NEAR(phys_largest(v, 3 * (size_t)COUNT), 0, 0.02);
    free(v);
    taut_world_destroy(world);
}
