/* Blocks on a slope: they stick below mu = tan(slope), and slide above with g (sin - mu cos), exactly: implicit Euler
 * has no error in the velocity of a constant acceleration. Contact forces are those of statics. */
#include "contact_scenes.h"
#include "phys_data.h"

#include <math.h>
#include <stdlib.h>

#define SLOPE 0.4 /* rad */
#define H     0.01

/* The plane falls towards +x; the way down is turned about the normal from the plane's axes of friction by nothing that
 * they would know. */
static const double normal[3] = {0.38941834230865050, 0.92106099400288508, 0};
static const double down[3] = {0.92106099400288508, -0.38941834230865050, 0};

typedef struct slope {
    taut_world* world;
    uint32_t point, plane;
    double mass;
} slope;

/* A box with its lower side on the slope, turned about the normal by `turn`, or a particle of the same mass; static
 * friction 0: as sliding. */
static slope make_slope(taut_backend_kind backend, bool box, double turn, double friction, double static_friction) {
    const double half[3] = {0.2, 0.1, 0.3};
    slope s = {.mass = 2.5};
    taut_scene* scene = box ? phys_empty_scene() : phys_scene(1, (const double[]){0, 0, 0}, &s.mass);
    taut_material_def of_plane = taut_default_material(), of_block = of_plane;
    of_plane.friction = 4 * friction; /* of both the root counts */
    of_block.friction = friction / 4;
    of_block.static_friction = static_friction > 0 ? static_friction * static_friction / of_plane.friction : 0;
    const uint32_t plane = contact_material_of(scene, of_plane), material = contact_material_of(scene, of_block);
    s.plane = contact_plane(scene, normal, NULL, plane);
    if (box) {
        phys_body at = contact_at(0, 0, 0);
        double about[4], tilt[4];
        phys_turn(normal, turn, about);
        phys_turn((const double[]){0, 0, 1}, -SLOPE, tilt);
        phys_multiply(about, tilt, at.q);
        phys_add(half[1], normal, at.x);
        s.point = contact_box(scene, &at, s.mass, half, material).point;
    } else {
        contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    }
    const taut_world_def def = contact_world_def(backend);
    s.world = phys_world(scene, &def);
    return s;
}

/* The velocity, and the forces of the last step: m g cos along the normal, and as much across it as there may be. */
static void check_slope(taut_backend_kind backend, bool box, double turn, double friction) {
    const int steps = 20;
    const double pull = PHYS_GRAVITY * sin(SLOPE), press = PHYS_GRAVITY * cos(SLOPE);
    const double held = fmin(pull, friction * press), speed = (pull - held) * steps * H;
    slope s = make_slope(backend, box, turn, friction, 0);
    contact_effort effort = {0};
    double v[3], force[3], on_plane[3];
    contact_run(s.world, (size_t)steps, H, &effort);
    contact_note(box ? "box" : "particle", &effort);
    phys_velocity(s.world, s.point, v);
    CHECK_NEAR(phys_dot(v, down), speed, CONTACT_CLOSE);
    CHECK_NEAR(phys_dot(v, normal), 0, CONTACT_CLOSE);
    CHECK_NEAR(v[2], 0, CONTACT_CLOSE);
    contact_sum(s.world, force);
    contact_force_on(s.world, s.plane, on_plane);
    CHECK_NEAR(phys_dot(force, normal), s.mass * press, s.mass * CONTACT_CLOSE / H);
    CHECK_NEAR(phys_dot(force, down), -s.mass * held, s.mass * CONTACT_CLOSE / H);
    CHECK_NEAR(force[2], 0, s.mass * CONTACT_CLOSE / H);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(on_plane[a], -force[a], 1e-12 * s.mass * PHYS_GRAVITY);
    }
    taut_world_destroy(s.world);
}

TAUT_TEST(contact_slope, particle_sticks_or_slides) {
    const double limit = tan(SLOPE);
    const double frictions[] = {0, 0.5 * limit, 0.99 * limit, 1.01 * limit, 2, 100};
    for (int i = 0; i < 6; i++) {
        check_slope(backend, false, 0, frictions[i]);
    }
}

TAUT_TEST(contact_slope, box_sticks_or_slides) {
    const double limit = tan(SLOPE);
    const double frictions[] = {0, 0.99 * limit, 1.01 * limit, 2};
    for (int i = 0; i < 4; i++) {
        check_slope(backend, true, 0.3 * i, frictions[i]);
    }
}

/* The speed down the slope after `steps` of a block that starts at `speed`. */
static double slide(taut_backend_kind backend, bool box, double friction, double static_friction, double speed,
                    int steps) {
    slope s = make_slope(backend, box, 0.3, friction, static_friction);
    double v[3] = {speed * down[0], speed * down[1], speed * down[2]};
    CHECK_OK(taut_world_write(s.world, TAUT_FIELD_VELOCITIES, s.point, 1, v));
    contact_run(s.world, (size_t)steps, H, NULL);
    phys_velocity(s.world, s.point, v);
    taut_world_destroy(s.world);
    return phys_dot(v, down);
}

/* Static friction above tan(slope) holds a block that rests or creeps, and not one that slides, which meets sliding
 * friction; below, it lets go in the first step. One that slides uphill is held where it stops. */
TAUT_TEST(contact_slope, static_friction_holds_what_rests) {
    const double pull = PHYS_GRAVITY * sin(SLOPE), press = PHYS_GRAVITY * cos(SLOPE), limit = tan(SLOPE);
    const double mu = 0.5 * limit, slides = pull - mu * press, above = 1.01 * limit, below = 0.9 * limit;
    for (int i = 0; i < 2; i++) {
        const bool box = i == 1;
        CHECK_NEAR(slide(backend, box, mu, above, 0, 10), 0, CONTACT_CLOSE);
        CHECK_NEAR(slide(backend, box, mu, above, 0.9e-3, 10), 0, CONTACT_CLOSE);
        CHECK_NEAR(slide(backend, box, mu, above, 1.1e-3, 10), 1.1e-3 + 10 * H * slides, CONTACT_CLOSE);
        CHECK_NEAR(slide(backend, box, mu, below, 0, 10), H * (pull - below * press) + 9 * H * slides, CONTACT_CLOSE);
        CHECK_NEAR(slide(backend, box, mu, above, -0.5, 5), -0.5 + 5 * H * (pull + mu * press), CONTACT_CLOSE);
        CHECK_NEAR(slide(backend, box, mu, above, -0.5, 20), 0, CONTACT_CLOSE);
        CHECK(slide(backend, box, mu, 0, -0.5, 20) > 0.1);
    }
}

/* Where a ball that rolls touches, it rests: static friction makes it turn, g sin / (1 + 2/5), whatever its speed. */
TAUT_TEST(contact_slope, a_rolling_ball_has_static_friction) {
    const double radius = 0.1, pull = PHYS_GRAVITY * sin(SLOPE);
    taut_scene* scene = phys_empty_scene();
    taut_material_def law = taut_default_material();
    law.friction = 0.01;
    law.static_friction = 1;
    const uint32_t material = contact_material_of(scene, law);
    contact_plane(scene, normal, NULL, material);
    phys_body at = contact_at(0, 0, 0);
    phys_add(radius, normal, at.x);
    const taut_body ball = contact_ball(scene, &at, 2, radius, material);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 20, H, NULL);
    phys_read_body(world, ball, &at);
    CHECK_NEAR(phys_dot(at.v, down), pull / 1.4 * 20 * H, 1e-6);
    CHECK_NEAR(phys_length(at.w), pull / 1.4 * 20 * H / radius, 1e-5);
    taut_world_destroy(world);
}

/* It comes to rest when the slope becomes level, after v / (mu g), and pushes slower than mu m g do not move it. */
TAUT_TEST(contact_slope, comes_to_rest_and_resists) {
    const double friction = 0.5, speed = 0.31;
    double v[3];
    taut_scene* scene = phys_scene(1, (const double[]){0, 0, 0}, NULL);
    const uint32_t material = contact_material(scene, friction, 0);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0.6 * speed, 0, -0.8 * speed}));
    contact_run(world, 10, H, NULL); /* 0.31 of 0.49 m/s */
    phys_velocity(world, 0, v);
    CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){-2.8, 0, 4})); /* 4.88 of 4.905 N */
    contact_run(world, 5, H, NULL);
    phys_velocity(world, 0, v);
    CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){-3, 0, 4})); /* 5 N */
    contact_run(world, 5, H, NULL);
    phys_velocity(world, 0, v);
    CHECK_NEAR(-0.6 * v[0] + 0.8 * v[2], (5 - friction * PHYS_GRAVITY) * 5 * H, CONTACT_CLOSE);
    CHECK_NEAR(0.8 * v[0] + 0.6 * v[2], 0, CONTACT_CLOSE);
    taut_world_destroy(world);
}

/* ---- a soft body at rest (drake_rest_contact_force.json) ------------------------------------------------------------
 */

/* An octahedron of eight tetrahedra round its centre, that lies with the face towards (1, 1, 1) on the slope, falling
 * towards +x by `angle`. */
static taut_scene* make_octahedron(double radius, double angle, double friction) {
    phys_mesh mesh = phys_mesh_make(7, 8, 4);
    const double face[3] = {1, 1, 1}, up[3] = {sin(angle), cos(angle), 0}, under[3] = {-up[0], -up[1], -up[2]};
    double axis[3], turn[4];
    phys_cross(face, under, axis);
    phys_turn(axis, atan2(phys_length(axis), phys_dot(face, under)), turn);
    for (uint32_t i = 1; i < 7; i++) {
        double corner[3] = {0, 0, 0};
        corner[(i - 1) / 2] = i % 2 == 1 ? radius : -radius;
        phys_rotate(turn, corner, mesh.points + 3 * i);
    }
    for (uint32_t i = 0; i < 21; i++) {
        mesh.points[i] += radius / sqrt(3) * up[i % 3];
    }
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t x = 1 + (c & 1), y = 3 + (c >> 1 & 1), z = 5 + (c >> 2 & 1);
        const bool turned = ((c & 1) + (c >> 1 & 1) + (c >> 2 & 1)) % 2 == 1;
        const uint32_t cell[4] = {0, x, turned ? z : y, turned ? y : z};
        for (int i = 0; i < 4; i++) {
            mesh.cells[4 * c + (uint32_t)i] = cell[i];
        }
    }
    double* masses = phys_lumped_masses(&mesh, 1e3);
    taut_scene* scene = phys_scene(7, mesh.points, masses);
    phys_add_strain(scene, &mesh, 1e-5, 0.4, 0.01);
    const uint32_t material = contact_material(scene, friction, 0);
    contact_plane(scene, up, NULL, material);
    contact_touch(scene, 6, (const uint32_t[]){1, 2, 3, 4, 5, 6}, 0, material);
    free(masses);
    phys_mesh_free(&mesh);
    return scene;
}

/* The forces are the weight, 4/3 r^3 rho g, to what the file allows; the speed at rest likewise. */
TAUT_TEST(contact_slope, soft_body_at_rest) {
    char* text = phys_shared_text("reference/drake_rest_contact_force.json");
    const char* at = text;
    double tolerance = 0, slowest = 0, weight = 0, force[3], v[3];
    contact_effort effort = {0};
    if (text == NULL) {
        return;
    }
    CHECK(phys_next_number(&at, "tolerance_N", &tolerance) && phys_next_number(&at, "max_speed", &slowest) &&
          phys_next_number(&at, "weight_N_if_vertices_at_radius", &weight));
    free(text);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(make_octahedron(0.1, PHYS_PI / 12, 0.4), &def);
    contact_run(world, 120, 0.02, &effort);
    contact_note("octahedron", &effort);
    contact_sum(world, force);
    CHECK_NEAR(force[0], 0, tolerance);
    CHECK_NEAR(force[1], weight, tolerance);
    CHECK_NEAR(force[2], 0, tolerance);
    for (size_t i = 0; i < 7; i++) {
        phys_velocity(world, i, v);
        CHECK(phys_length(v) <= slowest);
    }
    taut_world_destroy(world);
}
