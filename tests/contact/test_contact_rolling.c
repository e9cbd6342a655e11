/* Rolling and spinning friction: couples up to a length times the force along the normal. Balls that roll to rest, on a
 * slope, spin on the spot, and meet freely. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

#define RADIUS 0.1
#define MASS   1.7
#define H      0.01

static const double up[3] = {0, 1, 0};

static uint32_t rolling_material(taut_scene* scene, double rolling, double spinning) {
    taut_material_def def = taut_default_material();
    def.rolling = rolling;
    def.spinning = spinning;
    return contact_material_of(scene, def);
}

/* ---- on a plane -------------------------------------------------------------------------------------------------- */

typedef struct rolling_ball {
    taut_world* world;
    taut_body handle;
    uint32_t plane;
} rolling_ball;

/* A ball on a plane through the origin with this normal; ball and plane bear a part each of both lengths. */
static rolling_ball make_ball(const taut_world_def* def, const double normal[3], double rolling, double spinning,
                              const double v[3], const double w[3]) {
    rolling_ball b;
    taut_scene* scene = phys_empty_scene();
    const uint32_t of_ball = rolling_material(scene, 0.25 * rolling, 0.75 * spinning);
    const uint32_t of_plane = rolling_material(scene, 0.75 * rolling, 0.25 * spinning);
    phys_body at = contact_at(0, 0, 0);
    phys_add(RADIUS, normal, at.x);
    memcpy(at.v, v, sizeof at.v);
    memcpy(at.w, w, sizeof at.w);
    b.plane = contact_plane(scene, normal, NULL, of_plane);
    b.handle = contact_ball(scene, &at, MASS, RADIUS, of_ball);
    b.world = phys_world(scene, def);
    return b;
}

/* The couple r m g across the way takes r g / R h / (1 + 2/5) of the speed in each step: with the friction f that the
 * ball needs to roll, m dv = -f h and 2/5 m R dv = (R f - r m g) h. In the last step it takes what is left; of that,
 * RK4 takes the mean of stages in which it stops and others. */
static void check_way(const taut_world_def* def, double rolling, const char* how) {
    const double along[3] = {0.8, 0, 0.6}, axle[3] = {0.6, 0, -0.8}, speed = 0.3;
    const double brake = rolling / RADIUS * PHYS_GRAVITY / 1.4;
    const int until = (int)ceil(speed / (brake * H));
    const int last = def->integrator.stepper == TAUT_STEPPER_RK4 ? until - 2 : until + 3;
    const double v[3] = {speed * along[0], 0, speed * along[2]};
    const double w[3] = {speed / RADIUS * axle[0], 0, speed / RADIUS * axle[2]};
    rolling_ball b = make_ball(def, up, rolling, 0, v, w);
    contact_effort effort = {0};
    for (int i = 1; i <= last; i++) {
        contact_run(b.world, 1, H, &effort);
        phys_body now = contact_at(0, 0, 0);
        contact_list list;
        double sums[6];
        phys_read_body(b.world, b.handle, &now);
        contact_read(b.world, &list);
        CHECK_OK(taut_world_read_collider_forces(b.world, b.plane, 1, sums));
        test_note("%s, step %d of %d", how, i, until);
        const double expected = fmax(speed - brake * i * H, 0);
        const double couple = i < until ? rolling * MASS * PHYS_GRAVITY : i == until ? NAN : 0;
        CHECK_NEAR(phys_dot(now.v, along), expected, CONTACT_CLOSE);
        CHECK_NEAR(RADIUS * phys_dot(now.w, axle), expected, CONTACT_CLOSE);
        CHECK_NEAR(phys_dot(now.v, axle), 0, CONTACT_CLOSE);
        CHECK_NEAR(now.w[1], 0, CONTACT_CLOSE);
        CHECK_INT(list.count, 1);
        if (i != until) {
            CHECK_NEAR(phys_dot(list.contacts[0].torque, axle), -couple, MASS * CONTACT_CLOSE / H);
            CHECK_NEAR(phys_dot(list.contacts[0].torque, along), 0, MASS * CONTACT_CLOSE / H);
        }
        double arm[3], torque[3];
        phys_cross(list.contacts[0].position, list.contacts[0].force, arm);
        for (int a = 0; a < 3; a++) { /* about the origin */
            torque[a] = -arm[a] - list.contacts[0].torque[a];
        }
        CHECK_NEAR(phys_farthest(sums + 3, torque, 3), 0, 1e-13);
    }
    test_note(NULL);
    contact_note("ball", &effort);
    taut_world_destroy(b.world);
}

TAUT_TEST(contact_rolling, ball_rolls_to_rest) {
    taut_world_def def = contact_world_def(backend);
    check_way(&def, 0.02, "far");
    check_way(&def, 0.005, "farther");
}

TAUT_TEST(contact_rolling, ball_rolls_to_rest_by_the_relaxed_law) {
    taut_world_def def = contact_world_def(backend);
    def.contact.friction = TAUT_FRICTION_CONVEX;
    check_way(&def, 0.02, "convex");
}

/* On a slope it stays where tan < r / R, else it rolls by g sin - r / R g cos over 1 + 2/5. */
TAUT_TEST(contact_rolling, on_a_slope) {
    const double slope = 0.2, normal[3] = {sin(slope), cos(slope), 0}, down[3] = {cos(slope), -sin(slope), 0};
    const double still[3] = {0, 0, 0}, limit = RADIUS * tan(slope);
    for (int i = 0; i < 3; i++) {
        const double rolling = (double[]){0.5, 0.99, 1.01}[i] * limit;
        const taut_world_def def = contact_world_def(backend);
        rolling_ball b = make_ball(&def, normal, rolling, 0, still, still);
        const double pull = sin(slope) - rolling / RADIUS * cos(slope);
        phys_body now = contact_at(0, 0, 0);
        contact_run(b.world, 20, H, NULL);
        phys_read_body(b.world, b.handle, &now);
        test_note("%g of the limit", rolling / limit);
        CHECK_NEAR(phys_dot(now.v, down), fmax(pull, 0) * PHYS_GRAVITY / 1.4 * 20 * H, CONTACT_CLOSE);
        CHECK_NEAR(phys_dot(now.v, normal), 0, CONTACT_CLOSE);
        CHECK_NEAR(RADIUS * now.w[2], -phys_dot(now.v, down), CONTACT_CLOSE);
        taut_world_destroy(b.world);
    }
    test_note(NULL);
}

/* Two balls, the upper one on the lower one and off by an angle: its weight turns both over the places in which they
 * touch, by R sin over what presses there, cos of it between them. The pair's own law counts, not the materials'. */
TAUT_TEST(contact_rolling, ball_stays_on_a_ball) {
    const double lean = 0.15, limit = RADIUS * tan(lean);
    for (int falls = 0; falls < 2; falls++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t of_balls = rolling_material(scene, 1, 0), of_plane = rolling_material(scene, 1, 0);
        taut_material_def law = taut_default_material();
        law.rolling = (falls ? 0.9 : 1.01) * limit;
        CHECK_OK(taut_scene_set_material_pair(scene, of_balls, of_balls, &law));
        law.rolling = 1.01 * limit;
        CHECK_OK(taut_scene_set_material_pair(scene, of_balls, of_plane, &law));
        contact_ground(scene, of_plane);
        taut_body balls[2];
        for (int i = 0; i < 2; i++) {
            const phys_body at = contact_at(i * 2 * RADIUS * sin(lean), RADIUS + i * 2 * RADIUS * cos(lean), 0);
            balls[i] = contact_ball(scene, &at, MASS, RADIUS, of_balls);
            contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, balls[i], NULL, NULL, of_balls);
        }
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        contact_effort effort = {0};
        contact_run(world, 20, H, &effort);
        contact_note("ball on a ball", &effort);
        for (int i = 0; i < 2; i++) {
            double v[3];
            phys_velocity(world, balls[i].point, v);
            if (falls && i == 1) {
                CHECK(v[0] > 1e-2);
            } else if (!falls) {
                CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
            }
        }
        taut_world_destroy(world);
    }
}

/* ---- heaps ------------------------------------------------------------------------------------------------------- */

/* Eight balls, two on two on either side, set down a little above each other and not quite straight; returns the
 * kinetic energy after some steps, and what the last ones took. */
static double heap(taut_backend_kind backend, double rolling, double spinning, contact_effort* last) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = rolling_material(scene, rolling / 2, spinning / 2);
    contact_ground(scene, material);
    for (int i = 0; i < 8; i++) {
        const int layer = i / 4;
        const phys_body at =
            contact_at(0.2 * (i % 2) + 0.01 * layer, 0.12 + 0.21 * layer, 0.2 * (i / 2 % 2) + 0.013 * layer);
        const taut_body ball = contact_ball(scene, &at, 1, RADIUS, material);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, ball, NULL, NULL, material);
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 40, H, NULL);
    contact_run(world, 4, H, last);
    const double energy = contact_step(world, H, NULL).kinetic;
    taut_world_destroy(world);
    return energy;
}

/* What falls apart without rolling friction rests with it, and then goes on from where it was: couples are carried
 * over. */
TAUT_TEST(contact_rolling, heap_rests) {
    contact_effort falling = {0}, resting = {0};
    CHECK(heap(backend, 0, 0, &falling) > 0.1);
    CHECK(heap(backend, 0.02, 0.01, &resting) < 1e-8);
    contact_note("falling", &falling);
    contact_note("resting", &resting);
    CHECK(resting.iterations <= 20 * resting.steps); /* 170 a step from couples of 0 */
}

/* s m g / I brakes what spins on the spot. */
static void check_spin(const taut_world_def* def, const char* how) {
    const double spinning = 0.004, speed = 5, still[3] = {0, 0, 0}, w[3] = {0, speed, 0};
    const double brake = spinning * PHYS_GRAVITY / (0.4 * RADIUS * RADIUS);
    const int until = (int)ceil(speed / (brake * H));
    const int last = def->integrator.stepper == TAUT_STEPPER_RK4 ? until - 2 : until + 3;
    rolling_ball b = make_ball(def, up, 0, spinning, still, w);
    for (int i = 1; i <= last; i++) {
        phys_body now = contact_at(0, 0, 0);
        contact_run(b.world, 1, H, NULL);
        phys_read_body(b.world, b.handle, &now);
        test_note("%s, step %d of %d", how, i, until);
        CHECK_NEAR(now.w[1], fmax(speed - brake * i * H, 0), CONTACT_CLOSE / RADIUS);
        CHECK_NEAR(hypot(now.w[0], now.w[2]), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_length(now.v), 0, CONTACT_CLOSE);
    }
    test_note(NULL);
    taut_world_destroy(b.world);
}

TAUT_TEST(contact_rolling, ball_spins_to_rest) {
    const taut_world_def def = contact_world_def(backend);
    check_spin(&def, "Euler");
}

TAUT_TEST(contact_rolling, every_formulation) {
    for (int preset = 0; preset < TAUT_PRESET_SDIRK2; preset++) { /* which does not take contact */
        taut_world_def def = contact_world_def(backend);
        def.integrator = phys_preset((taut_preset)preset);
        check_spin(&def, taut_preset_name((taut_preset)preset));
        check_way(&def, 0.03, taut_preset_name((taut_preset)preset));
    }
    taut_world_def def = contact_world_def(backend);
    def.integrator.newton = 10;
    def.integrator.newton_tolerance = 1e-11;
    check_spin(&def, "Newton");
    check_way(&def, 0.03, "Newton");
    def = contact_world_def(backend);
    def.integrator.substeps = 3;
    check_spin(&def, "substeps");
    def = contact_world_def(backend);
    def.solver.preconditioner = TAUT_PRECONDITIONER_MULTILEVEL;
    check_spin(&def, "multilevel");
    check_way(&def, 0.03, "multilevel");
}

/* What friction takes from a ball that rolls and spins at once is what the ledger says: its power falls linearly, which
 * the trapezoidal rule sums exactly. */
TAUT_TEST(contact_rolling, ledger) {
    const double v[3] = {0.5, 0, 0}, w[3] = {0, 4, -0.5 / RADIUS};
    const taut_world_def def = contact_world_def(backend);
    rolling_ball b = make_ball(&def, up, 0.01, 0.002, v, w);
    phys_body now = {.mass = MASS};
    taut_inertia_of_sphere(MASS, RADIUS, now.inertia);
    double taken = 0, before = 0;
    for (int i = 0; i < 10; i++) {
        const taut_step_info info = contact_step(b.world, H, NULL);
        phys_read_body(b.world, b.handle, &now);
        taken += i > 0 ? info.dissipated : 0;
        before = i == 0 ? phys_kinetic(&now) : before;
    }
    CHECK(before - phys_kinetic(&now) > 1e-2);
    CHECK_NEAR(taken, before - phys_kinetic(&now), CONTACT_CLOSE);
    taut_world_destroy(b.world);
}

/* ---- of two free bodies ------------------------------------------------------------------------------------------ */

/* Two balls that run into each other off centre; returns the energy that is left. */
static double collide(taut_backend_kind backend, double rolling, double spinning) {
    const double mass[2] = {1, 2.5};
    double linear[2][3] = {{0}}, angular[2][3] = {{0}}, energy = 0;
    phys_body bodies[2] = {contact_at(-0.8 * 2 * RADIUS, 0.6 * 2 * RADIUS, 0.03), contact_at(0, 0, 0.03)};
    taut_body handles[2];
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = rolling_material(scene, rolling / 2, spinning / 2);
    memcpy(bodies[0].v, (const double[]){1.5, 0.2, 0.1}, sizeof bodies[0].v);
    memcpy(bodies[1].v, (const double[]){-0.5, 0, 0.2}, sizeof bodies[1].v);
    memcpy(bodies[0].w, (const double[]){1, -2, 5}, sizeof bodies[0].w);
    for (int i = 0; i < 2; i++) {
        handles[i] = contact_ball(scene, &bodies[i], mass[i], RADIUS, material);
    }
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, handles[1], NULL, NULL, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < 2; i++) {
            bodies[i].mass = mass[i];
            taut_inertia_of_sphere(mass[i], RADIUS, bodies[i].inertia);
            phys_read_body(world, handles[i], &bodies[i]);
            phys_add(mass[i], bodies[i].v, linear[end]);
            phys_add_angular_momentum(&bodies[i], angular[end]);
            energy += end * phys_kinetic(&bodies[i]);
        }
        contact_run(world, end == 0 ? 1 : 0, H, NULL);
    }
    CHECK_NEAR(phys_farthest(linear[0], linear[1], 3), 0, CONTACT_CLOSE);
    CHECK_NEAR(phys_farthest(angular[0], angular[1], 3), 0, CONTACT_CLOSE);
    if (rolling > 1) { /* they turn as one */
        CHECK_NEAR(phys_apart(bodies[0].w, bodies[1].w), 0, 10 * CONTACT_CLOSE / RADIUS);
    }
    taut_world_destroy(world);
    return energy;
}

TAUT_TEST(contact_rolling, couples_between_free_bodies_keep_momentum) {
    const double free = collide(backend, 0, 0), rolls = collide(backend, 0.003, 0), spins = collide(backend, 0, 0.003);
    CHECK(rolls < free - 1e-4);
    CHECK(spins < free - 1e-5);
    CHECK(collide(backend, 5, 5) < rolls);
}

/* ---- who can bear a couple --------------------------------------------------------------------------------------- */

/* A point fixed on a body, as large as that, is the body's. */
TAUT_TEST(contact_rolling, body_that_touches_with_a_mapped_point) {
    const double spinning = 0.002, speed = 5;
    taut_scene* scene = phys_empty_scene();
    phys_body ball = contact_at(0, RADIUS, 0);
    ball.mass = MASS;
    ball.w[1] = speed;
    taut_inertia_of_sphere(MASS, RADIUS, ball.inertia);
    const taut_body handle = phys_add_body(scene, &ball);
    const uint32_t point = phys_add_body_point(scene, handle, ball.x);
    contact_ground(scene, rolling_material(scene, 0, spinning));
    contact_touch(scene, 1, &point, RADIUS, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 10, H, NULL);
    phys_read_body(world, handle, &ball);
    CHECK_NEAR(ball.w[1], speed - spinning * PHYS_GRAVITY / (0.4 * RADIUS * RADIUS) * 10 * H, CONTACT_CLOSE / RADIUS);
    taut_world_destroy(world);
}

/* A particle that comes down on the pole of a ball that spins turns nothing, and so the ball is not turned. */
TAUT_TEST(contact_rolling, particle_bears_none) {
    taut_scene* scene = phys_scene(1, (const double[]){0, RADIUS + 0.01, 0}, NULL);
    const uint32_t material = rolling_material(scene, 1, 1);
    phys_body ball = contact_at(0, 0, 0);
    ball.mass = MASS;
    memcpy(ball.w, (const double[]){0, 5, 0}, sizeof ball.w);
    taut_inertia_of_sphere(MASS, RADIUS, ball.inertia);
    const taut_body handle = phys_add_body(scene, &ball);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, handle, NULL, NULL, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, -1, 0}));
    contact_run(world, 5, H, NULL);
    phys_read_body(world, handle, &ball);
    CHECK(ball.v[1] < -0.1); /* they have met */
    CHECK_NEAR(ball.w[1], 5, CONTACT_CLOSE / RADIUS);
    CHECK_NEAR(hypot(ball.w[0], ball.w[2]), 0, CONTACT_CLOSE / RADIUS);
    taut_world_destroy(world);
}

/* A ball that slides on a plate five thousand times as heavy comes to roll, with 5/7 of its speed: the residual of a
 * step counts it for little beside the plate, but its friction may not point anywhere. */
TAUT_TEST(contact_rolling, rolls_on_what_is_heavy) {
    const double sides[3] = {4, 0.1, 4}, radius = 0.03;
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 1, 0);
    phys_body under = contact_at(0, -0.05, 0), ball = contact_at(0.3, radius, 0);
    double axes[4];
    under.mass = 500;
    taut_inertia_of_box(under.mass, sides, under.inertia);
    ball.mass = 0.1;
    taut_inertia_of_sphere(ball.mass, radius, ball.inertia);
    ball.v[2] = 0.3;
    phys_turn((const double[]){0, 0, 1}, 1.5707963267948966, axes); /* from x to y */
    const taut_body plate = phys_add_body(scene, &under), handle = phys_add_body(scene, &ball);
    contact_shape(scene, TAUT_SHAPE_BOX, (const double[]){2, 0.05, 2}, plate, NULL, NULL, rough);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){radius, 1, 1}, handle, NULL, NULL, rough);
    phys_add_joint(scene, TAUT_JOINT_HINGE, TAUT_WORLD, plate, under.x, axes);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    taut_world* world = phys_world(scene, &def);
    contact_run(world, backend == TAUT_BACKEND_CUDA ? 5 : 40, 1.0 / 60, NULL);
    phys_read_body(world, handle, &ball);
    CHECK_NEAR(ball.v[2], 0.3 * 5 / 7, 3e-3);
    CHECK_NEAR(ball.w[0] * radius, ball.v[2], 3e-3);
    taut_world_destroy(world);
}

/* ---- held ----------------------------------------------------------------------------------------------------------
 */

/* A ball that rolls, drawn by something soft, until its centre is fixed: it still turns, and its normal has nothing
 * that gives way. Its spin does not grow. */
TAUT_TEST(contact_rolling, fixed_centres_turn) {
    static const double starts[][3] = {{0.5, 0, 0.7}, {1, 0, -0.3}, {0, 0, 1}, {0.11, 0, 0.05}, {0.9, 0, 1.4}};
    const size_t count = backend == TAUT_BACKEND_CUDA ? 1 : 2 * (sizeof starts / sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        taut_scene* scene = phys_empty_scene();
        phys_body at = contact_at(0.3, RADIUS, 0), above = contact_at(0, 0.5, 0);
        memcpy(at.v, starts[i / 2], sizeof at.v);
        at.mass = above.mass = 1;
        taut_inertia_of_sphere(1, RADIUS, at.inertia);
        taut_inertia_of_sphere(1, RADIUS, above.inertia);
        const taut_body ball = phys_add_body(scene, &at), other = phys_add_body(scene, &above);
        contact_ground(scene, 0);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, ball, NULL, NULL, 0);
        taut_attachment_def link = taut_default_attachment();
        link.count = 1;
        link.particles = (const uint32_t[]){ball.point, other.point};
        link.offsets = (const double[]){-0.3, 0.4, 0};
        link.compliance = 1e-3;
        CHECK_OK(taut_scene_add_attachments(scene, &link, NULL));
        taut_world_def def = taut_default_world();
        def.backend = backend;
        def.contact.law = i % 2 == 0 ? TAUT_CONTACT_CONVEX : TAUT_CONTACT_EXACT;
        taut_world* world = phys_world(scene, &def);
        contact_run(world, 3, H, NULL);
        CHECK_OK(taut_world_set_fixed(world, 1, &ball.point, true));
        phys_read_body(world, ball, &at);
        const double spin = phys_length(at.w);
        test_note("ball %zu", i);
        contact_run(world, backend == TAUT_BACKEND_CUDA ? 4 : 20, H, NULL);
        phys_read_body(world, ball, &at);
        CHECK(phys_length(at.w) <= spin);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* ---- where there is none ----------------------------------------------------------------------------------------- */

/* A material that nothing is made of makes couples possible everywhere, and of 0 everywhere: nothing changes by a bit.
 */
TAUT_TEST(contact_rolling, nothing_by_nothing) {
    double state[2][39];
    for (int possible = 0; possible < 2; possible++) {
        taut_scene* scene = phys_empty_scene();
        taut_body balls[3];
        const uint32_t material = contact_material(scene, 0.4, 0.3);
        rolling_material(scene, possible, possible);
        contact_ground(scene, material);
        for (int i = 0; i < 3; i++) {
            phys_body at = contact_at(0.13 * i, 0.11 + 0.15 * (i % 2), 0.02 * i);
            memcpy(at.w, (const double[]){i, 3, 2 - i}, sizeof at.w);
            balls[i] = contact_ball(scene, &at, 1, RADIUS, material);
            contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, balls[i], NULL, NULL, material);
        }
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        contact_run(world, 15, H, NULL);
        for (int i = 0; i < 3; i++) {
            phys_body now = contact_at(0, 0, 0);
            phys_read_body(world, balls[i], &now);
            memcpy(state[possible] + 13 * i, now.x, sizeof now.x);
            memcpy(state[possible] + 13 * i + 3, now.v, sizeof now.v);
            memcpy(state[possible] + 13 * i + 6, now.w, sizeof now.w);
            memcpy(state[possible] + 13 * i + 9, now.q, sizeof now.q);
        }
        taut_world_destroy(world);
    }
    CHECK_NEAR(phys_farthest(state[0], state[1], 39), 0, backend == TAUT_BACKEND_CUDA ? 1e-7 : 0);
}
