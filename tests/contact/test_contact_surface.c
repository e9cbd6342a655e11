/* One thing on a fixed flat surface of many triangles: that it is made of them must not show. Implicit Euler has no
 * error in the velocity of a constant acceleration, so that rest, sliding and slopes are exact. */
#include "surface_scenes.h"

#include <math.h>

#define H      0.01
#define RADIUS 0.02 /* of the ball */
#define HALF   0.01 /* of the surface's thickness */
#define LIFT   (RADIUS + HALF)

/* Squares of 0.1 m about the origin, diagonals either way. */
static surface_sheet floor_sheet(taut_backend_kind backend, const double* q, uint32_t material) {
    const size_t cells = backend == TAUT_BACKEND_CUDA ? 4 : 12;
    return (surface_sheet){.columns = cells,
                           .rows = cells,
                           .width = 0.1 * (double)cells,
                           .height = 0.1 * (double)cells,
                           .radius = HALF,
                           .q = q,
                           .diagonal = PHYS_ALTERNATING,
                           .fixed = true,
                           .material = material};
}

typedef struct on_floor {
    taut_world* world;
    uint32_t ball;
    double mass;
} on_floor;

/* A ball of 2.5 kg, `height` over the surface at (x, z) in its axes. */
static on_floor make_on_floor(taut_backend_kind backend, const double* q, const double at[2], double height,
                              taut_material_def law) {
    on_floor o = {.mass = 2.5};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material_of(scene, law);
    const surface_sheet sheet = floor_sheet(backend, q, material);
    double place[3] = {at[0], LIFT + height, at[1]};
    if (q != NULL) {
        phys_rotate(q, place, place);
    }
    surface_add_sheet(scene, &sheet);
    o.ball = surface_add_ball(scene, place, o.mass, RADIUS, material);
    const taut_world_def def = contact_world_def(backend);
    o.world = phys_world(scene, &def);
    return o;
}

static taut_material_def law_of(double friction, double restitution, double compliance) {
    taut_material_def law = taut_default_material();
    law.friction = friction;
    law.restitution = restitution;
    law.compliance = compliance / 2; /* of a pair they add up */
    return law;
}

/* ---- rest ----------------------------------------------------------------------------------------------------------
 */

/* In a triangle, on edges of both kinds, on corners of four and eight triangles, on the rim. */
static const double places[][2] = {{0.033, 0.021}, {0.05, 0.05}, {0.05, 0}, {0, 0.02}, {0, 0}, {0.1, 0}, {0.2, 0.2}};
enum { PLACES = sizeof places / sizeof *places };

/* It lands and stays at the thickness, or m g C below it, and is borne by its weight. */
static void check_rest(taut_backend_kind backend, const double at[2], double compliance) {
    taut_material_def law = law_of(0.5, 0, compliance);
    law.damping = compliance > 0 ? 0.05 : 0;
    on_floor o = make_on_floor(backend, NULL, at, compliance > 0 ? 0 : 0.004, law);
    const double depth = o.mass * PHYS_GRAVITY * compliance;
    double x[3], v[3], force[3];
    contact_list list;
    contact_run(o.world, compliance > 0 ? 150 : 10, H, NULL);
    phys_position(o.world, o.ball, x);
    phys_velocity(o.world, o.ball, v);
    contact_sum(o.world, force);
    contact_read(o.world, &list);
    test_note("at %g %g, compliance %g, %zu contacts", at[0], at[1], compliance, list.count);
    CHECK_INT(list.count, 1);
    CHECK_NEAR(x[1], LIFT - depth, CONTACT_CLOSE);
    CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
    CHECK_NEAR(force[1], o.mass * PHYS_GRAVITY, o.mass * CONTACT_CLOSE / H);
    CHECK_NEAR(hypot(force[0], force[2]), 0, o.mass * CONTACT_CLOSE / H);
    CHECK_NEAR(list.contacts[0].gap, -depth, CONTACT_CLOSE);
    CHECK_NEAR(list.contacts[0].position[1], HALF, CONTACT_CLOSE);
    CHECK_NEAR(list.contacts[0].normal[1], 1, 1e-12);
    test_note(NULL);
    taut_world_destroy(o.world);
}

TAUT_TEST(contact_surface, ball_rests) {
    const int count = backend == TAUT_BACKEND_CUDA ? 2 : PLACES;
    for (int i = 0; i < count; i++) {
        check_rest(backend, places[i], 0);
    }
}

TAUT_TEST(contact_surface, ball_rests_softly) {
    const int count = backend == TAUT_BACKEND_CUDA ? 1 : PLACES;
    for (int i = 0; i < count; i++) {
        check_rest(backend, places[i], 1e-4);
    }
}

/* From another side: below it, a ball is pressed up by a force and held there: surfaces have two sides. */
TAUT_TEST(contact_surface, has_two_sides) {
    on_floor o = make_on_floor(backend, NULL, places[0], -2 * LIFT, law_of(0, 0, 0));
    double x[3], force[3];
    CHECK_OK(taut_world_set_forces(o.world, o.ball, 1, (const double[]){0, o.mass * (PHYS_GRAVITY + 3), 0}));
    contact_run(o.world, 5, H, NULL);
    phys_position(o.world, o.ball, x);
    contact_sum(o.world, force);
    CHECK_NEAR(x[1], -LIFT, CONTACT_CLOSE);
    CHECK_NEAR(force[1], -3 * o.mass, o.mass * CONTACT_CLOSE / H);
    taut_world_destroy(o.world);
}

/* ---- sliding -------------------------------------------------------------------------------------------------------
 */

/* Ways across: anyhow, along edges and over corners, along the diagonals. */
static const double ways[][2] = {{0.8, 0.6}, {1, 0}, {0.70710678118654752, 0.70710678118654752}};

/* One step: straight on, at the same height. */
static double slide(const on_floor* o, const double way[2], double h) {
    double x[3], v[3];
    contact_run(o->world, 1, h, NULL);
    phys_position(o->world, o->ball, x);
    phys_velocity(o->world, o->ball, v);
    CHECK_NEAR(x[1], LIFT, CONTACT_CLOSE);
    CHECK_NEAR(v[1], 0, CONTACT_CLOSE);
    CHECK_NEAR(way[0] * v[2] - way[1] * v[0], 0, CONTACT_CLOSE);
    return way[0] * v[0] + way[1] * v[2];
}

static on_floor make_sliding(taut_backend_kind backend, const double way[2], double from, double speed,
                             double friction) {
    on_floor o =
        make_on_floor(backend, NULL, (const double[]){from * way[0], from * way[1]}, 0, law_of(friction, 0, 0));
    const double v[3] = {speed * way[0], 0, speed * way[1]};
    CHECK_OK(taut_world_write(o.world, TAUT_FIELD_VELOCITIES, o.ball, 1, v));
    return o;
}

TAUT_TEST(contact_surface, slides_on_without_friction) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const double length = cuda ? 0.3 : 1;
    for (int i = 0; i < (cuda ? 1 : 3); i++) {
        on_floor o = make_sliding(backend, ways[i], -length / 2, 1.3, 0);
        for (int k = 0; k < length / 1.3 / H; k++) {
            test_note("way %d, step %d", i, k);
            CHECK_NEAR(slide(&o, ways[i], H), 1.3, CONTACT_CLOSE);
        }
        test_note(NULL);
        taut_world_destroy(o.world);
    }
}

/* With friction it loses mu g h each step, and stops; the way is v^2 / (2 mu g) less h v / 2, up to h^2: first order.
 */
static double stopping_error(taut_backend_kind backend, const double way[2], double h) {
    const double friction = 0.3, speed = backend == TAUT_BACKEND_CUDA ? 1 : 2.1;
    const double whole = speed * speed / (2 * friction * PHYS_GRAVITY);
    on_floor o = make_sliding(backend, way, -whole / 2, speed, friction);
    double expected = speed, x[3];
    for (int k = 0; expected > 0; k++) {
        expected = fmax(expected - friction * PHYS_GRAVITY * h, 0);
        test_note("step %d of %g s", k, h);
        CHECK_NEAR(slide(&o, way, h), expected, CONTACT_CLOSE);
    }
    CHECK_NEAR(slide(&o, way, h), 0, CONTACT_CLOSE);
    test_note(NULL);
    phys_position(o.world, o.ball, x);
    taut_world_destroy(o.world);
    return x[0] * way[0] + x[2] * way[1] - whole / 2;
}

TAUT_TEST(contact_surface, friction_stops_it) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int i = 0; i < (cuda ? 1 : 3); i++) {
        const double coarse = stopping_error(backend, ways[i], 0.02);
        if (!cuda) {
            const double fine = stopping_error(backend, ways[i], 0.01),
                         finest = stopping_error(backend, ways[i], 0.005);
            CHECK_NEAR(phys_order(coarse, fine), 1, 0.1);
            CHECK_NEAR(phys_order(fine, finest), 1, 0.1);
        }
        CHECK_NEAR(coarse, -0.02 * (cuda ? 1 : 2.1) / 2, 0.02 * 0.02 * PHYS_GRAVITY);
    }
}

/* ---- slopes --------------------------------------------------------------------------------------------------------
 */

#define SLOPE 0.4 /* rad */

/* Falling towards +x, turned about its normal so that the way down crosses edges anyhow. */
static void check_slope(taut_backend_kind backend, double friction) {
    const double normal[3] = {sin(SLOPE), cos(SLOPE), 0}, down[3] = {cos(SLOPE), -sin(SLOPE), 0};
    const double pull = PHYS_GRAVITY * sin(SLOPE), press = PHYS_GRAVITY * cos(SLOPE);
    const double held = fmin(pull, friction * press);
    const int steps = backend == TAUT_BACKEND_CUDA ? 10 : 30;
    double tilt[4], about[4], q[4], v[3], x[3], force[3];
    phys_turn((const double[]){0, 0, 1}, -SLOPE, tilt);
    phys_turn((const double[]){0, 1, 0}, 0.3, about);
    phys_multiply(tilt, about, q);
    on_floor o = make_on_floor(backend, q, (const double[]){0.013, 0.009}, 0, law_of(friction, 0, 0));
    contact_run(o.world, (size_t)steps, H, NULL);
    phys_velocity(o.world, o.ball, v);
    phys_position(o.world, o.ball, x);
    contact_sum(o.world, force);
    test_note("friction %g", friction);
    CHECK_NEAR(phys_dot(v, down), (pull - held) * steps * H, CONTACT_CLOSE);
    CHECK_NEAR(phys_dot(v, normal), 0, CONTACT_CLOSE);
    CHECK_NEAR(v[2], 0, CONTACT_CLOSE);
    CHECK_NEAR(phys_dot(x, normal), LIFT, CONTACT_CLOSE);
    CHECK_NEAR(phys_dot(force, normal), o.mass * press, o.mass * CONTACT_CLOSE / H);
    CHECK_NEAR(phys_dot(force, down), -o.mass * held, o.mass * CONTACT_CLOSE / H);
    test_note(NULL);
    taut_world_destroy(o.world);
}

TAUT_TEST(contact_surface, slope) {
    const double limit = tan(SLOPE), frictions[] = {0.99 * limit, 1.01 * limit, 0, 0.5 * limit, 2};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 2 : 5); i++) {
        check_slope(backend, frictions[i]);
    }
}

/* ---- impacts -------------------------------------------------------------------------------------------------------
 */

/* The top after an impact; see test_contact_bounce.c for the bounds of implicit Euler. */
TAUT_TEST(contact_surface, bounces) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const double height = 0.1, h = 0.005, parts[] = {1, 0.5};
    for (int i = 0; i < (cuda ? 1 : 2); i++) {
        const double e = parts[i], reach = h * sqrt(2 * PHYS_GRAVITY * height), least = reach * e * (1 - e) / 2;
        on_floor o = make_on_floor(backend, NULL, places[0], height, law_of(0, e, 0));
        double x[3], v[3] = {0, -1, 0}, top = 0;
        bool rises = false;
        for (int k = 0; k < 200 && !(rises && v[1] < 0) && contact_run(o.world, 1, h, NULL); k++) {
            phys_position(o.world, o.ball, x);
            phys_velocity(o.world, o.ball, v);
            CHECK(x[1] >= LIFT - CONTACT_CLOSE);
            rises = rises || v[1] > 0;
            top = rises ? fmax(top, x[1] - LIFT) : 0;
        }
        test_note("restitution %g: %g of %g m", e, top, e * e * height);
        CHECK(top - e * e * height >= least - 2 * PHYS_GRAVITY * h * h);
        CHECK(top - e * e * height <= least + (1 - e * e) * reach + 2 * PHYS_GRAVITY * h * h);
        test_note(NULL);
        taut_world_destroy(o.world);
    }
}

/* A ball of a body, off the middle of its own: it comes to rest on a surface with that point below its centre of mass,
 * or on it as a whole where the point is the centre. */
TAUT_TEST(contact_surface, body_rests) {
    for (int off = 0; off < 2; off++) {
        const double offset[3] = {0, -0.05 * off, 0}, mass = 2;
        taut_scene* scene = phys_empty_scene();
        const surface_sheet sheet = floor_sheet(backend, NULL, 0);
        phys_body at = contact_at(0.033, LIFT + 0.05 * off + 0.004, 0.021), now;
        at.mass = mass;
        taut_inertia_of_sphere(mass, 0.05, at.inertia);
        surface_add_sheet(scene, &sheet);
        const taut_body body = phys_add_body(scene, &at);
        contact_touch_body(scene, body, 1, offset, RADIUS, 0);
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        double force[3];
        contact_run(world, 10, H, NULL);
        phys_read_body(world, body, &now);
        contact_sum(world, force);
        CHECK_NEAR(now.x[1], LIFT + 0.05 * off, CONTACT_CLOSE);
        CHECK_NEAR(phys_length(now.v), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_length(now.w), 0, CONTACT_CLOSE);
        CHECK_NEAR(force[1], mass * PHYS_GRAVITY, mass * CONTACT_CLOSE / H);
        taut_world_destroy(world);
    }
}
