/* Contacts of things that are both free: nothing outside takes or gives momentum. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

#define RADIUS 0.1
#define H      0.01

typedef struct balls {
    taut_world* world;
    taut_body handles[2];
} balls;

/* Two balls without gravity; the second one is also a collider. */
static balls make_balls(taut_backend_kind backend, const phys_body bodies[2], double friction, double restitution) {
    balls b;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, restitution);
    for (int i = 0; i < 2; i++) {
        b.handles[i] = contact_ball(scene, &bodies[i], bodies[i].mass, RADIUS, material);
    }
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, b.handles[1], NULL, NULL, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    b.world = phys_world(scene, &def);
    return b;
}

static void momenta(const balls* b, double linear[3], double angular[3], double* energy) {
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    *energy = 0;
    for (int i = 0; i < 2; i++) {
        phys_body body = {.mass = i == 0 ? 1 : 2.5};
        taut_inertia_of_sphere(body.mass, RADIUS, body.inertia);
        phys_read_body(b->world, b->handles[i], &body);
        phys_add(body.mass, body.v, linear);
        phys_add_angular_momentum(&body, angular);
        *energy += phys_kinetic(&body);
    }
}

/* Off centre, spinning, from `gap` before they touch: impulses are equal and opposite, and act in one place. */
static void check_collision(taut_backend_kind backend, double friction, double restitution, double gap) {
    phys_body bodies[2] = {contact_at(0, 0, 0), contact_at(0, 0, 0)};
    const double apart = 2 * RADIUS + gap;
    bodies[1].mass = 2.5;
    memcpy(bodies[0].x, (const double[]){-0.8 * apart, 0.6 * apart, 0.03}, sizeof bodies[0].x);
    memcpy(bodies[1].x, (const double[]){0, 0, 0.03}, sizeof bodies[1].x);
    memcpy(bodies[0].v, (const double[]){1.5, 0.2, 0.1}, sizeof bodies[0].v);
    memcpy(bodies[1].v, (const double[]){-0.5, 0, 0.2}, sizeof bodies[1].v);
    memcpy(bodies[0].w, (const double[]){1, -2, 5}, sizeof bodies[0].w);
    balls b = make_balls(backend, bodies, friction, restitution);
    double linear[2][3], angular[2][3], energy[2], v[3];
    momenta(&b, linear[0], angular[0], &energy[0]);
    contact_run(b.world, 8, H, NULL);
    momenta(&b, linear[1], angular[1], &energy[1]);
    phys_velocity(b.world, b.handles[1].point, v);
    test_note("friction %g, restitution %g, gap %g: energy %g to %g", friction, restitution, gap, energy[0], energy[1]);
    CHECK(v[0] > -0.4); /* they have met */
    CHECK_NEAR(phys_farthest(linear[0], linear[1], 3), 0, CONTACT_CLOSE);
    CHECK_NEAR(phys_farthest(angular[0], angular[1], 3), 0, CONTACT_CLOSE);
    CHECK(energy[1] <= energy[0] + CONTACT_CLOSE);
    CHECK_NEAR(restitution == 1 && friction == 0 ? energy[1] : energy[0], energy[0], CONTACT_CLOSE);
    test_note(NULL);
    taut_world_destroy(b.world);
}

TAUT_TEST(contact_free, momentum_is_kept_in_a_glancing_collision) {
    const double frictions[] = {0, 0.3, 10};
    for (int i = 0; i < 3; i++) {
        check_collision(backend, frictions[i], 0, 0);
        check_collision(backend, frictions[i], 0, 0.017);
        check_collision(backend, frictions[i], 1, 0.017);
    }
}

/* Head on, of equal balls: restitution 1 exchanges their velocities, 0 leaves them the mean. */
TAUT_TEST(contact_free, head_on_collision_of_equals) {
    for (int elastic = 0; elastic < 2; elastic++) {
        phys_body bodies[2] = {contact_at(-0.23, 0, 0), contact_at(0, 0, 0)};
        double v[2][3];
        bodies[0].v[0] = 2;
        bodies[1].v[0] = -0.7;
        balls b = make_balls(backend, bodies, 0.5, elastic);
        contact_run(b.world, 6, H, NULL);
        for (int i = 0; i < 2; i++) {
            phys_velocity(b.world, b.handles[i].point, v[i]);
        }
        CHECK_NEAR(v[0][0], elastic ? -0.7 : 0.65, CONTACT_CLOSE);
        CHECK_NEAR(v[1][0], elastic ? 2 : 0.65, CONTACT_CLOSE);
        taut_world_destroy(b.world);
    }
}

/* Three spinning cubes, corners and colliders alike, run into each other: their inertia is a ball's, so that spin has
 * no error of its own. */
TAUT_TEST(contact_free, momentum_of_cubes) {
    const double half[3] = {0.1, 0.1, 0.1}, masses[3] = {1, 2.5, 0.3};
    const double x[3][3] = {{0, 0, 0}, {0.24, 0.05, 0.02}, {-0.02, 0.25, 0.04}};
    const double v[3][3] = {{0.2, 0.1, 0}, {-0.7, 0.1, 0.1}, {0.1, -0.9, -0.2}};
    const double w[3][3] = {{1, -2, 3}, {0, 2, -1}, {2, 1, 4}};
    double linear[2][3] = {{0}}, angular[2][3] = {{0}}, force[3];
    int touched = 0;
    taut_body cubes[3];
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.4, 0);
    for (int i = 0; i < 3; i++) {
        phys_body at = contact_at(x[i][0], x[i][1], x[i][2]);
        memcpy(at.v, v[i], sizeof at.v);
        memcpy(at.w, w[i], sizeof at.w);
        cubes[i] = contact_box(scene, &at, masses[i], half, material);
        contact_shape(scene, TAUT_SHAPE_BOX, half, cubes[i], NULL, NULL, material);
    }
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    for (int step = 0; step <= 25; step++) {
        for (int i = 0; i < 3 && step % 25 == 0; i++) {
            phys_body body = {.mass = masses[i]};
            taut_inertia_of_box(masses[i], (const double[]){0.2, 0.2, 0.2}, body.inertia);
            phys_read_body(world, cubes[i], &body);
            phys_add(masses[i], body.v, linear[step / 25]);
            phys_add_angular_momentum(&body, angular[step / 25]);
        }
        contact_run(world, 1, H, NULL);
        contact_sum(world, force);
        touched += phys_length(force) > 0.1;
    }
    CHECK(touched > 4);
    CHECK_NEAR(phys_farthest(linear[0], linear[1], 3), 0, CONTACT_CLOSE);
    CHECK_NEAR(phys_farthest(angular[0], angular[1], 3), 0, CONTACT_CLOSE);
    taut_world_destroy(world);
}

/* Balls that are points and colliders alike meet once, and the forces are at either's collider, whichever was added
 * first. */
TAUT_TEST(contact_free, either_ball_has_the_force) {
    for (int order = 0; order < 2; order++) {
        taut_scene* scene = phys_empty_scene();
        double force[2][3], ground[3];
        contact_list list;
        contact_ground(scene, 0);
        for (int i = 0; i < 2; i++) {
            const phys_body at = contact_at(0, (i == order ? 1 : 3) * RADIUS, 0);
            const taut_body ball = contact_ball(scene, &at, 1, RADIUS, 0);
            contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, ball, NULL, NULL, 0);
        }
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        contact_run(world, 3, H, NULL);
        contact_read(world, &list);
        CHECK_INT(list.count, 2); /* with the ground, and of the balls */
        for (uint32_t i = 0; i < 2; i++) {
            contact_force_on(world, 1 + i, force[i]);
        }
        contact_force_on(world, 0, ground);
        CHECK_NEAR(ground[1], -2 * PHYS_GRAVITY, 1e-5);
        CHECK_NEAR(force[order][1], PHYS_GRAVITY, 1e-5); /* twice that from below, and that from above */
        CHECK_NEAR(force[1 - order][1], PHYS_GRAVITY, 1e-5);
        taut_world_destroy(world);
    }
}
