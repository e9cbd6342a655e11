/* Corners of boxes before round shapes: dice that tumble on them, distances by formulas, a box at rest, and balls that
 * pass corners as if these were not there. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

static taut_body add_box(taut_scene* scene, double side, const phys_body* at, uint32_t material) {
    const double half[3] = {side / 2, side / 2, side / 2}, sides[3] = {side, side, side};
    phys_body body = *at;
    body.mass = 1000 * side * side * side;
    taut_inertia_of_box(body.mass, sides, body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, half, handle, NULL, NULL, material);
    return handle;
}

/* A round shape whose top is at y = 0; axes lie along z. */
typedef struct round_shape {
    taut_shape shape;
    double size[3];
} round_shape;

static const round_shape rounds[] = {
    {TAUT_SHAPE_SPHERE, {1, 0, 0}},   {TAUT_SHAPE_SPHERE, {0.3, 0, 0}},   {TAUT_SHAPE_CAPSULE, {1, 2, 0}},
    {TAUT_SHAPE_CYLINDER, {1, 2, 0}}, {TAUT_SHAPE_CYLINDER, {0.3, 1, 0}},
};
#define ROUNDS (sizeof rounds / sizeof *rounds)

static void add_round(taut_scene* scene, const round_shape* round, uint32_t material) {
    contact_shape(scene, round->shape, round->size, TAUT_WORLD, (const double[]){0, -round->size[0], 0}, NULL,
                  material);
}

/* ---- in motion --------------------------------------------------------------------------------------------------- */

/* What each of some dice sinks in at most, in parts of its side; on CUDA, which may be an emulator, of one for half a
 * second. */
static double deepest_die(taut_backend_kind backend, const round_shape* round, double side, double h) {
    taut_world_def def = taut_default_world();
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    double most = 0;
    def.backend = backend;
    for (int k = 0; k < (cuda ? 1 : 4); k++) {
        taut_scene* scene = phys_empty_scene();
        phys_body at = contact_at(0.3 * side * (k - 1.5), side * (1 + 0.5 * k), 0.2 * side);
        const double q[4] = {0.95 - 0.2 * k, 0.15, 0.27, 0.04 + 0.3 * k}, length = sqrt(phys_dot(q, q) + q[3] * q[3]);
        for (int a = 0; a < 4; a++) {
            at.q[a] = q[a] / length;
        }
        at.v[0] = 0.2;
        at.w[2] = -6;
        add_round(scene, round, 0);
        add_box(scene, side, &at, 0);
        taut_world* world = phys_world(scene, &def);
        for (int n = 0; n < (int)((cuda ? 0.5 : 1) / h) && CHECK_OK(taut_world_step(world, h)); n++) {
            taut_overlaps overlaps = {.bodies = 0};
            CHECK_OK(taut_world_read_overlaps(world, &overlaps));
            most = fmax(most, overlaps.bodies / side);
        }
        taut_world_destroy(world);
    }
    return most;
}

/* By the nearest place alone they sink in by half of their sides and more. */
TAUT_TEST(contact_corners, dice_tumble_on_round_shapes) {
    static const double steps[] = {1.0 / 24, 1.0 / 60};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (size_t i = 0; i < (cuda ? 1 : ROUNDS); i++) {
        for (int k = 0; k < (cuda ? 2 : 4); k++) {
            const double side = k < 2 ? 0.03 : 0.1, most = deepest_die(backend, &rounds[i], side, steps[k % 2]);
            test_note("%s of %g m, side %g m, step %g s: %g", taut_shape_name(rounds[i].shape), rounds[i].size[0], side,
                      steps[k % 2], most);
            CHECK(most < 0.08);
        }
    }
    test_note(NULL);
}

/* A ball that rolls over the corner of a box as large as itself goes on as it was: the corner ahead of it holds it up
 * as little as one behind it, however far it goes in a step. */
TAUT_TEST(contact_corners, balls_pass_corners) {
    static const double steps[] = {1.0 / 24, 1.0 / 60};
    const double radius = 1, along = sqrt(0.5);
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 4 : 16); i++) {
        const double h = steps[i % 2], speed = i % 4 < 2 ? 2 : 5, off = 0.008 * (i / 4 - 1.5);
        taut_scene* scene = phys_empty_scene();
        taut_world_def def = contact_world_def(backend);
        phys_body at = contact_at(0.25 + off, radius, 0.25 - off);
        at.mass = 1000;
        at.v[0] = at.v[2] = speed * along;
        at.w[0] = speed / radius * along;
        at.w[2] = -at.w[0];
        taut_inertia_of_sphere(at.mass, radius, at.inertia);
        contact_shape(scene, TAUT_SHAPE_BOX, (const double[]){0.5, 0.5, 0.5}, TAUT_WORLD, (const double[]){0, -0.5, 0},
                      NULL, 0);
        const taut_body ball = phys_add_body(scene, &at);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){radius, 0, 0}, ball, NULL, NULL, 0);
        taut_world* world = phys_world(scene, &def);
        phys_body now = at;
        for (int n = 0; n * h * speed < 0.5 && CHECK_OK(taut_world_step(world, h)); n++) {
            phys_read_body(world, ball, &now);
            test_note("%g m/s, step %d of %g s", speed, n, h);
            CHECK(now.x[1] < radius + 1e-4);
        }
        CHECK(along * (now.v[0] + now.v[2]) > 0.97 * speed);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* ---- at rest ----------------------------------------------------------------------------------------------------- */

/* The four corners beneath are as far as the formula says, each along its own normal; on a ball at the angle of its
 * place, on others about their axis. Without gravity nothing moves. */
TAUT_TEST(contact_corners, gaps_are_distances) {
    const double side = 0.1, up = 1e-4, reach = 0.03;
    for (size_t i = 0; i < ROUNDS; i++) {
        const double radius = rounds[i].size[0];
        const bool ball = rounds[i].shape == TAUT_SHAPE_SPHERE;
        taut_scene* scene = phys_empty_scene();
        taut_world_def def = contact_world_def(backend);
        const phys_body at = contact_at(0.01, side / 2 + up, 0.02);
        contact_list list;
        size_t corners = 0;
        memset(def.gravity, 0, sizeof def.gravity);
        def.contact.margin = reach;
        add_round(scene, &rounds[i], 0);
        add_box(scene, side, &at, 0);
        taut_world* world = phys_world(scene, &def);
        contact_run(world, 1, 0.01, NULL);
        contact_read(world, &list);
        test_note("%s of %g m", taut_shape_name(rounds[i].shape), radius);
        for (int k = 0; k < 4; k++) {
            const double x[3] = {at.x[0] + (k % 2 == 0 ? -side : side) / 2, up + radius,
                                 at.x[2] + (k < 2 ? -side : side) / 2};
            const double flat[3] = {x[0], x[1], ball ? x[2] : 0}, far = sqrt(phys_dot(flat, flat));
            for (size_t c = 0; c < list.count; c++) {
                const taut_contact* is = &list.contacts[c];
                const double sign = is->normal[1] < 0 ? -1 : 1; /* from the second one to the first */
                double off = fabs(is->gap - (far - radius));
                for (int a = 0; a < 3; a++) {
                    const double normal = flat[a] / far, centre = a == 1 ? -radius : 0;
                    off = fmax(off, fabs(sign * is->normal[a] - normal));
                    /* half way between both, or on the body, as the other one does not move */
                    off = fmax(off, fabs(is->position[a] - (x[a] + centre)));
                }
                corners += off < 1e-9;
            }
        }
        CHECK_INT(corners, 4);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* A box at rest on a ball stays, on the numbers of its contacts, which carry its weight. */
TAUT_TEST(contact_corners, box_rests_on_a_ball) {
    const double side = 0.1, h = 1.0 / 60;
    taut_scene* scene = phys_empty_scene();
    const taut_world_def def = contact_world_def(backend);
    const phys_body at = contact_at(0, side / 2, 0);
    add_round(scene, &rounds[0], 0);
    const taut_body box = add_box(scene, side, &at, 0);
    taut_world* world = phys_world(scene, &def);
    contact_list first, last;
    phys_body is = at;
    double sum = 0;
    contact_run(world, 2, h, NULL);
    contact_read(world, &first);
    contact_run(world, 20, h, NULL);
    contact_read(world, &last);
    phys_read_body(world, box, &is);
    CHECK_INT(first.count, 5);
    CHECK_INT(last.count, 5);
    for (size_t i = 0; i < last.count && i < first.count; i++) {
        CHECK_INT(first.contacts[i].feature, last.contacts[i].feature);
        sum += last.contacts[i].force[1];
    }
    CHECK_NEAR(fabs(sum), 1000 * side * side * side * PHYS_GRAVITY, 1e-4);
    CHECK_NEAR(phys_farthest(is.x, at.x, 3), 0, 1e-4);
    taut_world_destroy(world);
}
