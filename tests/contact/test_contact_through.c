/* Nothing passes through a surface, however thin and however fast: a pair is found two steps before it would touch, by
 * its speed. The limits: what is thrown must come over the surface, not past its rim, within these two steps; and what
 * is put on the other side by the user goes back where it was in contact with the inside of a triangle a step ago, and
 * no farther beyond it than it is thick. */
#include "surface_scenes.h"

#include <math.h>

#define H      0.01
#define RADIUS 0.0005
#define THICK  (2 * RADIUS) /* of a pair */

/* ---- a fixed sheet -------------------------------------------------------------------------------------------------
 */

/* A particle `above` a fixed sheet of 2 m, thrown with v: 10^4 times the thickness in a step at the fastest. */
static void check_throw(taut_backend_kind backend, const double from[3], const double v[3], int steps) {
    const size_t cells = backend == TAUT_BACKEND_CUDA ? 3 : 11;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0, 0);
    const surface_sheet sheet = {.columns = cells,
                                 .rows = cells,
                                 .width = 2,
                                 .height = 2,
                                 .radius = RADIUS,
                                 .diagonal = PHYS_ALTERNATING,
                                 .fixed = true,
                                 .material = material};
    surface_add_sheet(scene, &sheet);
    const uint32_t ball = surface_add_ball(scene, from, 1, RADIUS, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    double x[3], now[3];
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, ball, 1, v));
    for (int i = 0; i < steps; i++) {
        contact_run(world, 1, H, NULL);
        phys_position(world, ball, x);
        phys_velocity(world, ball, now);
        test_note("from %g %g %g with %g %g %g m/s, step %d: at %g %g %g", from[0], from[1], from[2], v[0], v[1], v[2],
                  i, x[0], x[1], x[2]);
        CHECK(x[1] >= THICK - CONTACT_CLOSE * (1 + H * fabs(v[1])));
        CHECK_NEAR(now[0], v[0], CONTACT_CLOSE * (1 + phys_length(v)));
    }
    CHECK_NEAR(x[1], THICK, CONTACT_CLOSE * (1 + H * fabs(v[1]))); /* it has arrived */
    CHECK_NEAR(now[1], 0, CONTACT_CLOSE * (1 + fabs(v[1])));
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_through, particle_and_fixed_sheet) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (double speed = cuda ? 100 : 0.03; speed <= (cuda ? 100 : 1000); speed *= cuda ? 10 : sqrt(10)) {
        for (int phase = 0; phase < (cuda ? 1 : 4); phase++) { /* where in a step it arrives */
            const double above = THICK + (2 + 0.27 * phase) * H * speed;
            check_throw(backend, (const double[]){0.03, above, 0.11}, (const double[]){0, -speed, 0}, 6);
        }
    }
}

/* Over a tenth of the sheet in a step, and over edges while it lands. */
TAUT_TEST(contact_through, particle_on_a_slant) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int phase = 0; phase < (cuda ? 1 : 5); phase++) {
        const double v[3] = {14, -3, 0}, above = THICK + (2 + 0.21 * phase) * H * 3;
        check_throw(backend, (const double[]){-0.7, above, 0.11}, v, 6);
    }
}

/* ---- free things ---------------------------------------------------------------------------------------------------
 */

/* A particle on the middle of a free triangle: without restitution they go on together, with it they part with the part
 * of the speed at which they met; momentum is kept. Hit from either side. */
static void check_triangle(taut_backend_kind backend, double speed, double restitution, int side) {
    const double away = THICK + 1.6 * H * speed, masses[4] = {1, 1, 1, 2};
    const double x[12] = {1, 0, 0, -0.5, 0, 0.8, -0.5, 0, -0.8, 0, side * away, 0};
    taut_scene* scene = phys_scene(4, x, masses);
    const uint32_t material = contact_material(scene, 0.5, restitution);
    surface_add(scene, 1, (const uint32_t[]){0, 1, 2}, 0, NULL, RADIUS, material);
    contact_touch(scene, 1, (const uint32_t[]){3}, RADIUS, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 3, 1, (const double[]){0, -side * speed, 0}));
    double at[4][3], v[4][3];
    for (int i = 0; i < 8; i++) {
        contact_run(world, 1, H, NULL);
        double middle = 0;
        for (uint32_t k = 0; k < 4; k++) {
            phys_position(world, k, at[k]);
            phys_velocity(world, k, v[k]);
            middle += k < 3 ? at[k][1] / 3 : 0;
        }
        test_note("speed %g, restitution %g, side %d, step %d", speed, restitution, side, i);
        CHECK(side * (at[3][1] - middle) >= THICK - CONTACT_CLOSE * (1 + speed));
        CHECK_NEAR(v[0][1] + v[1][1] + v[2][1] + 2 * v[3][1], -side * 2 * speed, CONTACT_CLOSE * (1 + speed));
    }
    const double together = -side * 2 * speed / 5; /* of 3 and 2 kg */
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(v[k][1], together - side * restitution * speed * 2 / 5, CONTACT_CLOSE * (1 + speed));
    }
    CHECK_NEAR(v[3][1], together + side * restitution * speed * 3 / 5, CONTACT_CLOSE * (1 + speed));
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_through, particle_and_free_triangle) {
    const double speeds[] = {5, 0.3, 200};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 3); i++) {
        check_triangle(backend, speeds[i], 0, 1);
        check_triangle(backend, speeds[i], 0, -1);
        check_triangle(backend, speeds[i], 0.7, 1);
        check_triangle(backend, speeds[i], 1, -1);
    }
}

/* A cloth held at its corners, hit by a heavy ball that is a point of a body: the ball stays on its side of every
 * triangle that it is over. */
TAUT_TEST(contact_through, body_and_cloth) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const size_t cells = cuda ? 3 : 7;
    const double size = 0.8, ball = 0.15, lift = ball + 0.005;
    taut_scene* scene = phys_empty_scene();
    const surface_sheet sheet = {.columns = cells,
                                 .rows = cells,
                                 .width = size,
                                 .height = size,
                                 .mass = 0.3,
                                 .radius = 0.005,
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    const uint32_t first = surface_add_sheet(scene, &sheet), across = (uint32_t)cells + 1, last = across * across - 1;
    phys_fix(scene, 4, (const uint32_t[]){first, first + across - 1, first + last - across + 1, first + last});
    phys_body at = contact_at(0.02, 0.4, 0.03);
    at.v[1] = -8;
    const taut_body body = contact_ball(scene, &at, 3, ball, 0);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    double least = INFINITY, x[3], deepest = 0, lowest = INFINITY;
    size_t most = 0;
    for (int i = 0; i < (cuda ? 12 : 60); i++) {
        contact_list list;
        const taut_step_info info = contact_step_off(world, H);
        phys_position(world, body.point, x);
        contact_read(world, &list);
        deepest = fmax(deepest, info.penetration);
        lowest = fmin(lowest, x[1]);
        most = list.count > most ? list.count : most;
        for (size_t k = 0; k < (size_t)across * across; k++) {
            double p[3];
            phys_position(world, first + k, p);
            if (hypot(p[0] - x[0], p[2] - x[2]) < ball / 2) {
                least = fmin(least, x[1] - p[1]);
            }
        }
    }
    test_note("at least %g m over the cloth, %g deep", least, deepest);
    CHECK(most > 0 && lowest < lift);
    CHECK(least >= lift * sqrt(0.75) - 1e-3);         /* within half of its radius beside the middle */
    CHECK(deepest <= (H * 8) * (H * 8) / (2 * lift)); /* what a step of the cloth may cut off the ball */
    test_note(NULL);
    taut_world_destroy(world);
}

/* ---- back to its side ----------------------------------------------------------------------------------------------
 */

/* A particle that lay on the sheet is put beyond it: it goes back at the speed at which overlaps are undone, 1 m/s,
 * which it keeps when it comes out, and falls on the sheet again. */
TAUT_TEST(contact_through, particle_goes_back) {
    const double radius = 0.02, lift = 2 * radius, h = 0.005;
    for (int part = 1; part <= 3; part++) { /* of the thickness, beyond the middle */
        taut_scene* scene = phys_empty_scene();
        const surface_sheet sheet = {.columns = 3,
                                     .rows = 3,
                                     .width = 1,
                                     .height = 1,
                                     .radius = radius,
                                     .diagonal = PHYS_ALTERNATING,
                                     .fixed = true};
        surface_add_sheet(scene, &sheet);
        const double from[3] = {0.07, lift, 0.04}, to[3] = {0.06, -0.3 * part * lift, 0.03};
        const uint32_t ball = surface_add_ball(scene, from, 1, radius, 0);
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        double x[3], expected = to[1], speed = 0;
        contact_run(world, 2, h, NULL);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, ball, 1, to));
        for (int i = 0; i < 20 && expected < lift; i++) {
            speed = fmax(speed - PHYS_GRAVITY * h, fmin(1, (lift - expected) / h));
            expected += h * speed;
            contact_run(world, 1, h, NULL);
            phys_position(world, ball, x);
            test_note("part %d, step %d: at %g", part, i, x[1]);
            CHECK_NEAR(x[1], expected, CONTACT_CLOSE);
        }
        contact_run(world, 50, h, NULL);
        phys_position(world, ball, x);
        CHECK_NEAR(x[1], lift, CONTACT_CLOSE);
        test_note(NULL);
        taut_world_destroy(world);
    }
}

/* Put beyond it by more than the thickness it stays there: what lay on the sheet does not hold it any more. */
TAUT_TEST(contact_through, particle_put_far_beyond_falls) {
    const double radius = 0.02, lift = 2 * radius, h = 0.005;
    const double from[3] = {0.07, lift, 0.04}, to[3] = {0.06, -2 * lift, 0.03};
    const surface_sheet sheet = {.columns = 3,
                                 .rows = 3,
                                 .width = 1,
                                 .height = 1,
                                 .radius = radius,
                                 .diagonal = PHYS_ALTERNATING,
                                 .fixed = true};
    taut_scene* scene = phys_empty_scene();
    surface_add_sheet(scene, &sheet);
    const uint32_t ball = surface_add_ball(scene, from, 1, radius, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double v[3];
    contact_run(world, 2, h, NULL);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, ball, 1, to));
    for (int i = 1; i <= 5; i++) {
        CHECK_INT(contact_step(world, h, NULL).contacts, 0);
        phys_velocity(world, ball, v);
        CHECK_NEAR(v[1], -PHYS_GRAVITY * h * i, CONTACT_CLOSE);
    }
    taut_world_destroy(world);
}

/* Likewise a segment that lay across another. */
TAUT_TEST(contact_through, edge_goes_back) {
    const double radius = 0.02, h = 0.005;
    const double x[12] = {-1, 0, 0, 1, 0, 0, 0.1, 2 * radius, -1, 0.1, 2 * radius, 1};
    taut_scene* scene = phys_scene(4, x, NULL);
    phys_fix(scene, 2, (const uint32_t[]){0, 1});
    surface_add(scene, 0, NULL, 1, (const uint32_t[]){0, 1}, radius, 0);
    surface_add(scene, 0, NULL, 1, (const uint32_t[]){2, 3}, radius, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double at[2][3];
    contact_run(world, 2, h, NULL);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 2, 2,
                              (const double[]){0.1, -0.5 * radius, -1, 0.1, -0.5 * radius, 1}));
    contact_run(world, 60, h, NULL);
    for (uint32_t k = 0; k < 2; k++) {
        phys_position(world, 2 + k, at[k]);
        CHECK_NEAR(at[k][1], 2 * radius, CONTACT_CLOSE);
    }
    taut_world_destroy(world);
}
