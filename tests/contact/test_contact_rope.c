/* A rope over a cylinder: friction holds up to exp(mu angle) times the force at the other end.
 *
 * n particles touch, in steps of delta about the cylinder, and hard links between them and on to an end on either side.
 * At the limit of sliding a particle between the tensions T < T' has (T' - T) cos(delta/2) = mu (T' + T) sin(delta/2),
 * so that T'/T = p = (1 + mu tan(delta/2)) / (1 - mu tan(delta/2)) and the rope p^n, which is exp(mu n delta) up to
 * delta^2. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS   0.5
#define FRICTION 0.4
#define MASS     0.1 /* of a particle, kg */
#define PULL     5.0 /* at the first end, N */
#define H        0.01

/* Particle i of n + 2, the ends included, at this angle from the top; the rope covers half a turn. */
static double angle_of(size_t i, size_t n) {
    return PHYS_PI / (double)n * ((double)i - (double)(n + 1) / 2);
}

/* The limit as the polygon has it. */
static double holding_ratio(size_t n) {
    const double t = FRICTION * tan(PHYS_PI / (double)n / 2);
    return pow((1 + t) / (1 - t), (double)n);
}

static taut_scene* make_rope(size_t n) {
    double* points = phys_array(3 * (n + 2), sizeof *points);
    double* masses = phys_array(n + 2, sizeof *masses);
    phys_tuples links = {n + 1, phys_array(2 * (n + 1), sizeof(uint32_t))};
    uint32_t* touching = phys_array(n, sizeof *touching);
    for (size_t i = 0; i < n + 2; i++) {
        points[3 * i] = RADIUS * sin(angle_of(i, n));
        points[3 * i + 1] = RADIUS * cos(angle_of(i, n));
        masses[i] = MASS;
    }
    for (uint32_t i = 0; i < 2 * (n + 1); i++) {
        links.items[i] = (i + 1) / 2;
    }
    for (uint32_t i = 0; i < n; i++) {
        touching[i] = i + 1;
    }
    taut_scene* scene = phys_scene(n + 2, points, masses);
    const uint32_t material = contact_material(scene, FRICTION, 0);
    phys_add_links(scene, &links, 0, 0);
    contact_touch(scene, n, touching, 0, material);
    contact_shape(scene, TAUT_SHAPE_CAPSULE, (const double[]){RADIUS, 1, 1}, TAUT_WORLD, NULL, NULL, material);
    free(points), free(masses), free(links.items), free(touching);
    return scene;
}

/* Pulls the ends along their links, the second with `ratio` times the force, through one step; the speed along the
 * rope. */
static double pulled_speed(taut_backend_kind backend, size_t n, double ratio, contact_effort* effort) {
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(make_rope(n), &def);
    const double half = PHYS_PI / (double)n / 2, first = angle_of(0, n) + half, last = angle_of(n + 1, n) - half;
    const double pulls[2][3] = {{-PULL * cos(first), PULL * sin(first), 0},
                                {ratio * PULL * cos(last), -ratio * PULL * sin(last), 0}};
    CHECK_OK(taut_world_set_forces(world, 0, 1, pulls[0]));
    CHECK_OK(taut_world_set_forces(world, n + 1, 1, pulls[1]));
    contact_run(world, 1, H, effort);
    double speed = 0, slowest = INFINITY;
    for (size_t i = 1; i <= n; i++) {
        double v[3];
        phys_velocity(world, i, v);
        const double along = v[0] * cos(angle_of(i, n)) - v[1] * sin(angle_of(i, n));
        speed = fmax(speed, fabs(along));
        slowest = fmin(slowest, fabs(along));
    }
    CHECK_NEAR(speed, slowest, CONTACT_CLOSE * ratio);
    taut_world_destroy(world);
    return speed;
}

/* Beyond the limit all slide with the acceleration a. With c, s of delta/2 and T_i between i and i + 1,
 *     T_(i+1) (c - mu s) = T_i (c + mu s) + m a,    T_0 = F + m a c,    T_n = r F - m a c,
 * linear in a; at the first step the rope is still where it was, and that is exact. */
static double sliding_acceleration(size_t n, double ratio) {
    const double c = cos(PHYS_PI / (double)n / 2), s = sin(PHYS_PI / (double)n / 2);
    const double p = (c + FRICTION * s) / (c - FRICTION * s), q = MASS / (c - FRICTION * s), all = pow(p, (double)n);
    return PULL * (ratio - all) / (MASS * c * (1 + all) + q * (all - 1) / (p - 1));
}

TAUT_TEST(contact_rope, holds_up_to_the_limit) {
    const size_t counts[] = {4, 8, 16};
    double off[3];
    for (int k = 0; k < 3; k++) {
        const size_t n = counts[k];
        const double limit = holding_ratio(n);
        contact_effort effort = {0};
        CHECK_NEAR(pulled_speed(backend, n, 0.999 * limit, &effort), 0, CONTACT_CLOSE);
        const double ratio = 1.2 * limit, speed = pulled_speed(backend, n, ratio, &effort);
        contact_note("rope", &effort);
        CHECK_NEAR(speed, H * sliding_acceleration(n, ratio), CONTACT_CLOSE * ratio);
        /* the limit that this speed tells, as a is linear in what is beyond it */
        const double told = ratio - (ratio - limit) * speed / (H * sliding_acceleration(n, ratio));
        off[k] = told / exp(FRICTION * PHYS_PI) - 1;
    }
    CHECK_NEAR(phys_order(off[0], off[1]), 2, 0.2); /* delta is large */
    CHECK_NEAR(phys_order(off[1], off[2]), 2, 0.05);
    CHECK(off[2] < 1e-2);
}

/* ---- a rope that runs over a post -------------------------------------------------------------------------------- */

#define POST  0.15
#define HANGS 0.6 /* of either end below the middle of the post, m */
#define LIGHT 1.5 /* at the ends, kg */
#define HEAVY 2.0
#define ROPE  0.05 /* kg/m */

/* The place at this length of the rope, from its first end. */
static void place_on_post(double length, double x[3]) {
    const double turn = (length - HANGS) / POST;
    const double below = turn < 0 ? HANGS - length : length - HANGS - PHYS_PI * POST;
    const bool on = turn >= 0 && turn <= PHYS_PI;
    x[0] = on ? -POST * cos(turn) : turn < 0 ? -POST : POST;
    x[1] = on ? POST * sin(turn) : -below;
    x[2] = 0;
}

static taut_scene* make_running_rope(uint32_t links) {
    const double length = 2 * HANGS + PHYS_PI * POST;
    double* points = phys_array(3 * (links + 1), sizeof *points);
    double* masses = phys_array(links + 1, sizeof *masses);
    phys_tuples pairs = {links, phys_array(2 * links, sizeof(uint32_t))};
    uint32_t* touching = phys_array(links + 1, sizeof *touching);
    for (uint32_t i = 0; i <= links; i++) {
        place_on_post(length * i / links, points + 3 * (size_t)i);
        masses[i] = ROPE * length / links + (i == 0 ? LIGHT : i == links ? HEAVY : 0);
        touching[i] = i;
    }
    for (uint32_t i = 0; i < 2 * links; i++) {
        pairs.items[i] = (i + 1) / 2;
    }
    taut_scene* scene = phys_scene(links + 1, points, masses);
    const uint32_t material = contact_material(scene, 0, 0);
    phys_add_links(scene, &pairs, 1e-7, 0);
    contact_touch(scene, links + 1, touching, 0, material);
    contact_shape(scene, TAUT_SHAPE_CAPSULE, (const double[]){POST, 1, 1}, TAUT_WORLD, NULL, NULL, material);
    free(points), free(masses), free(pairs.items), free(touching);
    return scene;
}

/* Way of the heavy end beside that of masses on a thread without mass. */
static double share_of_way(taut_backend_kind backend, double h, uint32_t steps) {
    enum { LINKS = 64 };
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    taut_world* world = phys_world(make_running_rope(LINKS), &def);
    contact_effort effort = {0};
    double before[3], now[3];
    phys_position(world, LINKS, before);
    contact_run(world, steps, h, &effort);
    phys_position(world, LINKS, now);
    taut_world_destroy(world);
    const double mass = LIGHT + HEAVY + ROPE * (2 * HANGS + PHYS_PI * POST), t = steps * h;
    return (before[1] - now[1]) / ((HEAVY - LIGHT) / mass * 9.81 * t * t / 2);
}

/* Without friction nothing holds it back, however far it goes about the post in a step. */
TAUT_TEST(contact_rope, runs_over_a_post) {
    const double longest = share_of_way(backend, 1.0 / 24, 12), shorter = share_of_way(backend, 1.0 / 60, 30);
    test_note("of its way at 24 frames a second %.3f, at 60 %.3f", longest, shorter);
    CHECK_NEAR(longest, 1, 0.1);
    CHECK_NEAR(shorter, 1, 0.06);
}
