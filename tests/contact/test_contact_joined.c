/* What joints, welds and attachments hold together does not touch while they are there: bodies that overlap fly as one
 * rigid body does, whatever joins them, in a scene or added to a world, and meet again when they are parted. */
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0.0166666666666666667
/* Part of H that flights take: implicit Euler slows what turns. */
#define SHORTER 8

static const double half[3] = {0.1, 0.1, 0.1};
static const double spin = 2; /* rad/s, about z */

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static phys_body cube_at(const double x[3], double mass) {
    phys_body at = contact_at(x[0], x[1], x[2]);
    at.mass = mass;
    taut_inertia_of_box(mass, (const double[]){0.2, 0.2, 0.2}, at.inertia);
    return at;
}

static taut_body add_cube(taut_scene* scene, const double x[3], double mass) {
    const phys_body at = cube_at(x, mass);
    const taut_body body = phys_add_body(scene, &at);
    contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, 0);
    return body;
}

/* Cubes of 1 and 2 kg side by side, which overlap by this. */
static taut_scene* pair_scene(double overlap, taut_body cubes[2]) {
    taut_scene* scene = phys_empty_scene();
    cubes[0] = add_cube(scene, (const double[]){0, 0, 0}, 1);
    cubes[1] = add_cube(scene, (const double[]){0.2 - overlap, 0, 0}, 2);
    return scene;
}

static taut_world_def free_def(taut_backend_kind backend) {
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    def.reserve.welds = def.reserve.attachments = 4;
    def.reserve.distances = 1;
    return def;
}

static taut_added weld(taut_world* world, taut_body a, taut_body b, bool contact) {
    const taut_body bodies[2] = {a, b};
    taut_weld_def def = taut_default_weld();
    taut_added added = {0};
    def.count = 1;
    def.bodies = bodies;
    def.contact = contact;
    CHECK_OK(taut_world_add_welds(world, &def, &added));
    return added;
}

static taut_added attach(taut_world* world, uint32_t a, uint32_t b, bool contact) {
    taut_attachment_def def = taut_default_attachment();
    taut_added added = {0};
    def.count = 1;
    def.particles = (const uint32_t[]){a, b};
    def.contact = contact;
    CHECK_OK(taut_world_add_attachments(world, &def, &added));
    return added;
}

/* As one rigid body that turns about the centre of mass, which goes along y. */
static void throw_pair(taut_world* world, const taut_body cubes[2]) {
    double x[2][3];
    for (size_t i = 0; i < 2; i++) {
        phys_position(world, cubes[i].point, x[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        const double arm = x[i][0] - (x[0][0] + 2 * x[1][0]) / 3, v[3] = {0, 1 + spin * arm, 0}, w[3] = {0, 0, spin};
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, cubes[i].point, 1, v));
        CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, cubes[i].frame, 1, w));
    }
}

/* m/s, and kg m^2/s about the centre of mass, along y and z. */
typedef struct motion {
    double speed, angular;
} motion;

static motion motion_of(taut_world* world, const taut_body cubes[2]) {
    const double origin[3] = {0};
    phys_body body[2] = {cube_at(origin, 1), cube_at(origin, 2)};
    double about[3] = {0};
    for (size_t i = 0; i < 2; i++) {
        phys_read_body(world, cubes[i], &body[i]);
    }
    const double speed = (body[0].v[1] + 2 * body[1].v[1]) / 3;
    for (size_t i = 0; i < 2; i++) {
        phys_add_angular_momentum(&body[i], about);
    }
    const double middle = (body[0].x[0] + 2 * body[1].x[0]) / 3;
    return (motion){speed, about[2] - 3 * middle * speed};
}

static uint32_t contacts(taut_world* world) {
    contact_list list;
    contact_read(world, &list);
    return (uint32_t)list.count;
}

/* Momentum, angular momentum and its velocity are those of one rigid body for half a second (on CUDA a frame), and
 * nothing touches. */
static void check_flight(taut_world* world, const taut_body cubes[2], bool rigid) {
    phys_body body;
    throw_pair(world, cubes);
    const motion before = motion_of(world, cubes);
    const size_t frames = strcmp(taut_world_backend(world), "cuda") == 0 ? 1 : 30;
    contact_run(world, frames * SHORTER, H / SHORTER, NULL);
    const motion after = motion_of(world, cubes);
    phys_read_body(world, cubes[0], &body);
    CHECK_NEAR(after.speed, before.speed, 1e-6);
    CHECK_NEAR(after.angular, before.angular, 0.01 * before.angular);
    if (rigid) {
        CHECK_NEAR(body.w[2], spin, 0.01 * spin);
    }
    CHECK_INT(contacts(world), 0);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

TAUT_TEST(contact_joined, welds_that_touch_fly_as_one_body) {
    static const double overlaps[] = {0, 1e-5, 1e-3, 0.02};
    const size_t count = backend == TAUT_BACKEND_CUDA ? 1 : sizeof overlaps / sizeof *overlaps;
    for (size_t i = 0; i < count; i++) {
        taut_body cubes[2];
        taut_scene* scene = pair_scene(overlaps[i], cubes);
        const taut_world_def def = free_def(backend);
        taut_world* world = phys_world(scene, &def);
        test_note("overlap %g", overlaps[i]);
        weld(world, cubes[0], cubes[1], false);
        check_flight(world, cubes, true);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

TAUT_TEST(contact_joined, joints_of_scenes_leave_bodies_without_contact) {
    static const taut_joint_type types[] = {TAUT_JOINT_FIXED, TAUT_JOINT_HINGE, TAUT_JOINT_BALL, TAUT_JOINT_UNIVERSAL,
                                            TAUT_JOINT_SLIDER};
    const size_t count = backend == TAUT_BACKEND_CUDA ? 1 : sizeof types / sizeof *types;
    for (size_t i = 0; i < count; i++) {
        taut_body cubes[2];
        taut_scene* scene = pair_scene(1e-3, cubes);
        phys_add_joint(scene, types[i], cubes[0], cubes[1], (const double[]){0.1, 0, 0}, NULL);
        const taut_world_def def = free_def(backend);
        taut_world* world = phys_world(scene, &def);
        test_note("joint %zu", i);
        check_flight(world, cubes, types[i] == TAUT_JOINT_FIXED);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* A joint that is cut leaves bodies that meet, and so does one that is asked to. */
TAUT_TEST(contact_joined, joints_that_are_cut_or_say_so_let_bodies_touch) {
    taut_body cubes[2];
    taut_scene* scene = pair_scene(1e-4, cubes);
    const double at[3] = {0.1, 0, 0};
    const taut_joint_batches batches = phys_add_joint(scene, TAUT_JOINT_BALL, cubes[0], cubes[1], at, NULL);
    const taut_world_def def = free_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_step(world, H, NULL);
    CHECK_INT(contacts(world), 0);
    CHECK_OK(taut_world_set_present(world, batches.prismatic, 0, 3, false));
    contact_step(world, H, NULL);
    CHECK(contacts(world) > 0);
    CHECK_OK(taut_world_set_present(world, batches.prismatic, 0, 3, true));
    contact_step(world, H, NULL);
    CHECK_INT(contacts(world), 0);
    taut_world_destroy(world);

    taut_joints_def joints = taut_default_joints();
    scene = pair_scene(1e-4, cubes);
    joints.count = 1;
    joints.bodies = cubes;
    joints.positions = at;
    joints.contact = true;
    CHECK_OK(taut_scene_add_joints(scene, &joints, NULL));
    world = phys_world(scene, &def);
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 0);
    taut_world_destroy(world);
}

/* What was welded while it overlapped comes apart no faster than `recovery`, 1 m/s; then it meets as before. */
TAUT_TEST(contact_joined, what_is_parted_meets_again) {
    taut_body cubes[2];
    taut_scene* scene = pair_scene(0.01, cubes);
    const taut_world_def def = free_def(backend);
    taut_world* world = phys_world(scene, &def);
    phys_body body[2];
    double fastest = 0;
    taut_added added = weld(world, cubes[0], cubes[1], false);
    contact_run(world, 5, H, NULL);
    CHECK_INT(contacts(world), 0);
    CHECK_OK(taut_world_remove(world, 1, &added));
    for (int i = 0; i < 20; i++) {
        contact_step(world, H, NULL);
        phys_read_body(world, cubes[0], &body[0]);
        phys_read_body(world, cubes[1], &body[1]);
        fastest = fmax(fastest, body[1].v[0] - body[0].v[0]);
    }
    CHECK(fastest > 0);
    CHECK(fastest < 1.01);
    CHECK(body[1].x[0] - body[0].x[0] > 0.2 - 1e-4);
    for (int i = 0; i < 2; i++) {
        const double v[3] = {i == 0 ? 1.0 : -0.5, 0, 0};
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, cubes[i].point, 1, v));
    }
    contact_run(world, 30, H, NULL);
    phys_read_body(world, cubes[0], &body[0]);
    phys_read_body(world, cubes[1], &body[1]);
    CHECK(body[1].x[0] - body[0].x[0] > 0.2 - 1e-4);
    taut_world_destroy(world);
}

/* Two cubes that touch stand on a third one, and are welded to it alone: all three are one body. With `contact`, and
 * beside a distance, bodies touch. */
TAUT_TEST(contact_joined, hard_welds_join_all_that_they_hold) {
    taut_scene* scene = phys_empty_scene();
    const taut_body below = add_cube(scene, (const double[]){0, 0, 0}, 2);
    const taut_body left = add_cube(scene, (const double[]){-0.1 + 1e-5, 0.2 - 1e-5, 0}, 1);
    const taut_body right = add_cube(scene, (const double[]){0.1, 0.2 - 1e-5, 0}, 1);
    const taut_world_def def = free_def(backend);
    taut_world* world = phys_world(scene, &def);
    taut_added added[2];
    taut_distance_def rope = taut_default_distance();
    const uint32_t ends[2] = {left.point, right.point};
    rope.count = 1;
    rope.particles = ends;
    CHECK_OK(taut_world_add_distances(world, &rope, NULL));
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 8); /* three faces */
    added[0] = weld(world, below, left, false);
    added[1] = weld(world, below, right, false);
    CHECK_OK(taut_world_step(world, H));
    CHECK_INT(contacts(world), 0);
    CHECK_OK(taut_world_remove(world, 1, added));
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 4);
    CHECK_OK(taut_world_remove(world, 1, added + 1));
    weld(world, below, right, true);
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 8);
    taut_world_destroy(world);
}

/* Attached points of two bodies: a ball joint that is added. */
TAUT_TEST(contact_joined, attached_bodies_do_not_touch) {
    taut_body cubes[2];
    taut_scene* scene = pair_scene(1e-4, cubes);
    uint32_t points[2];
    for (size_t i = 0; i < 2; i++) {
        points[i] = phys_add_body_point(scene, cubes[i], (const double[]){0.1, 0, 0});
    }
    const taut_world_def def = free_def(backend);
    taut_world* world = phys_world(scene, &def);
    const taut_added added = attach(world, points[0], points[1], true);
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 0);
    CHECK_OK(taut_world_remove(world, 1, &added));
    attach(world, points[0], points[1], false);
    check_flight(world, cubes, false);
    taut_world_destroy(world);
}

/* Four cubes that rest on each other, the lower three welded: they stay, in steps of any lengths, and the welds carry
 * no more than their weight. */
TAUT_TEST(contact_joined, stacks_that_are_welded_stay) {
    enum { COUNT = 4 };
    static const double steps[] = {H, H / 10, 2.5 * H, H / 100};
    taut_scene* scene = phys_empty_scene();
    taut_body cubes[COUNT];
    taut_world_def def = free_def(backend);
    def.gravity[1] = -PHYS_GRAVITY;
    contact_ground(scene, 0);
    for (int i = 0; i < COUNT; i++) {
        cubes[i] = add_cube(scene, (const double[]){0.02 * (i % 2), 0.1 + 0.2 * i, 0.01 * i}, 1 + i % 3);
    }
    taut_world* world = phys_world(scene, &def);
    contact_run(world, backend == TAUT_BACKEND_CUDA ? 6 : 20, H, NULL);
    weld(world, cubes[0], cubes[1], false);
    const taut_added upper = weld(world, cubes[1], cubes[2], false);
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 4 : 100); i++) {
        contact_step(world, steps[i * 7 % 4], NULL);
    }
    for (int i = 0; i < COUNT; i++) {
        phys_body is;
        phys_read_body(world, cubes[i], &is);
        CHECK_NEAR(is.x[1], 0.1 + 0.2 * i, 1e-4);
        CHECK(phys_length(is.v) < 1e-3);
    }
    double force[3];
    taut_range rows, rotations;
    CHECK_OK(taut_world_added_rows(world, upper, &rows, &rotations));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, rows.first, 3, force));
    CHECK_NEAR(phys_length(force), 4 * PHYS_GRAVITY, 0.05);
    taut_world_destroy(world);
}

/* Three cubes at rest, of which the upper two are welded: nothing moves, at any rate of frames. */
TAUT_TEST(contact_joined, welds_on_top_of_a_stack_do_not_shake_it) {
    static const double steps[] = {H, 1 / 240.0, 1 / 24.0};
    const size_t count =
        backend == TAUT_BACKEND_CUDA ? 1 : sizeof steps / sizeof *steps; /* in 1/24 s it needs factors */
    for (size_t k = 0; k < count; k++) {
        taut_scene* scene = phys_empty_scene();
        taut_body cubes[3];
        taut_world_def def = free_def(backend);
        def.gravity[1] = -PHYS_GRAVITY;
        def.contact.law = TAUT_CONTACT_CONVEX;
        contact_ground(scene, 0);
        for (int i = 0; i < 3; i++) {
            cubes[i] = add_cube(scene, (const double[]){0, 0.1 + 0.2 * i, 0}, 1);
        }
        taut_world* world = phys_world(scene, &def);
        test_note("step %g", steps[k]);
        contact_run(world, backend == TAUT_BACKEND_CUDA ? 4 : 20, steps[k], NULL);
        weld(world, cubes[1], cubes[2], false);
        for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 4 : 60); i++) {
            contact_step(world, steps[k], NULL);
        }
        for (int i = 0; i < 3; i++) {
            phys_body is;
            phys_read_body(world, cubes[i], &is);
            CHECK_NEAR(is.x[0], 0, 5e-4);
            CHECK_NEAR(is.x[1], 0.1 + 0.2 * i, 1e-3);
            CHECK_NEAR(is.x[2], 0, 5e-4);
            CHECK(phys_length(is.v) < 5e-3);
        }
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* ---- saved states ------------------------------------------------------------------------------------------------ */

static void check_same(taut_world* a, taut_world* b, const taut_body cubes[2]) {
    for (size_t i = 0; i < 2; i++) {
        phys_body one, other;
        phys_read_body(a, cubes[i], &one);
        phys_read_body(b, cubes[i], &other);
        CHECK(memcmp(one.x, other.x, sizeof one.x) == 0);
        CHECK(memcmp(one.w, other.w, sizeof one.w) == 0);
    }
}

/* A state that is loaded, also with less room than it has grown to, brings what it joins, bit by bit. */
TAUT_TEST(contact_joined, saved_states_know_what_is_joined) {
    taut_body cubes[2];
    taut_world_def def = free_def(backend);
    taut_world* worlds[2];
    size_t bytes = 0;
    for (int i = 0; i < 2; i++) {
        worlds[i] = phys_world(pair_scene(1e-3, cubes), &def);
    }
    throw_pair(worlds[0], cubes);
    taut_added added = weld(worlds[0], cubes[0], cubes[1], false);
    contact_run(worlds[0], 5, H, NULL);
    CHECK_OK(taut_world_state_size(worlds[0], &bytes));
    char* block = phys_array(bytes, 1);
    CHECK_OK(taut_world_save(worlds[0], bytes, block, &bytes));
    contact_run(worlds[0], 10, H, NULL);
    CHECK_OK(taut_world_step(worlds[1], H)); /* where they touch */
    CHECK(contacts(worlds[1]) > 0);
    CHECK_OK(taut_world_load(worlds[1], block, bytes));
    contact_run(worlds[1], 10, H, NULL);
    CHECK_INT(contacts(worlds[1]), 0);
    check_same(worlds[0], worlds[1], cubes);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(taut_world_remove(worlds[i], 1, &added));
        CHECK_OK(taut_world_step(worlds[i], H));
        CHECK(contacts(worlds[i]) > 0);
    }
    check_same(worlds[0], worlds[1], cubes);
    CHECK_OK(taut_world_load(worlds[0], block, bytes));
    CHECK_OK(taut_world_step(worlds[0], H));
    CHECK_INT(contacts(worlds[0]), 0);
    for (int i = 0; i < 2; i++) {
        taut_world_destroy(worlds[i]);
    }
    free(block);
}

/* A world that had no room for attachments, and one whose weld says that bodies may touch. */
TAUT_TEST(contact_joined, room_that_grows_keeps_what_is_joined) {
    taut_body cubes[2];
    taut_scene* scene = pair_scene(1e-4, cubes);
    const uint32_t points[2] = {phys_add_body_point(scene, cubes[0], (const double[]){0.1, 0, 0}),
                                phys_add_body_point(scene, cubes[1], (const double[]){0.1, 0, 0})};
    taut_world_def def = free_def(backend);
    def.reserve = (taut_reserve){.welds = 1};
    taut_world* world = phys_world(scene, &def);
    const taut_added added = weld(world, cubes[0], cubes[1], false);
    CHECK_OK(taut_world_grow_reserve(world, &(taut_reserve){.welds = 2, .attachments = 1}));
    CHECK_OK(taut_world_step(world, H));
    CHECK_INT(contacts(world), 0);
    CHECK_OK(taut_world_remove(world, 1, &added));
    weld(world, cubes[0], cubes[1], true);
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 0);
    CHECK_OK(taut_world_grow_reserve(world, &(taut_reserve){.welds = 3, .attachments = 2}));
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 0);
    attach(world, points[0], points[1], false);
    CHECK_OK(taut_world_step(world, H));
    CHECK_INT(contacts(world), 0);
    taut_world_destroy(world);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

enum { CELLS = 8 };

/* A sheet on the upper side of a cube; four of its vertices, and the points of the cube below these. */
typedef struct laid {
    taut_body cube;
    uint32_t sheet, middle[4], below[4];
    taut_world* world;
} laid;

static laid lay_sheet(taut_backend_kind backend, bool in_scene) {
    laid all = {.cube = {0}};
    taut_scene* scene = phys_empty_scene();
    const surface_sheet sheet = {.columns = CELLS,
                                 .rows = CELLS,
                                 .width = 0.3,
                                 .height = 0.3,
                                 .mass = 0.1,
                                 .radius = 0.0025,
                                 .at = {0, 0.1025, 0},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    all.cube = add_cube(scene, (const double[]){0, 0, 0}, 2);
    all.sheet = surface_add_sheet(scene, &sheet);
    for (uint32_t i = 0; i < 4; i++) {
        double local[3];
        all.middle[i] = all.sheet + (i / 2 == 0 ? 3 : 5) * (CELLS + 1) + (i % 2 == 0 ? 3 : 5);
        memcpy(local, taut_scene_positions(scene) + 3 * (size_t)all.middle[i], sizeof local);
        local[1] = 0.1;
        all.below[i] = phys_add_body_point(scene, all.cube, local);
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    def.reserve.attachments = 4;
    def.gravity[1] = in_scene ? 0 : def.gravity[1];
    if (in_scene) {
        taut_attachment_def seam = taut_default_attachment();
        uint32_t pairs[8];
        for (size_t i = 0; i < 8; i++) {
            pairs[i] = i % 2 == 0 ? all.below[i / 2] : all.middle[i / 2];
        }
        seam.count = 4;
        seam.particles = pairs;
        CHECK_OK(taut_scene_add_attachments(scene, &seam, NULL));
    }
    all.world = phys_world(scene, &def);
    return all;
}

/* rad/s that a torque of 0.01 N m gives the cube in half a second. */
static double turn(laid* all) {
    const double torque[3] = {0, 0.01, 0};
    phys_body body;
    CHECK_OK(taut_world_set_torques(all->world, all->cube.frame, 1, torque));
    for (int i = 0; i < 30; i++) {
        CHECK_OK(taut_world_step(all->world, H));
    }
    phys_read_body(all->world, all->cube, &body);
    return body.w[1];
}

/* Held up against gravity with the sheet on it, for half a second. */
static void hold_up(laid* all) {
    const double force[3] = {0, 2.1 * PHYS_GRAVITY, 0};
    CHECK_OK(taut_world_set_forces(all->world, all->cube.point, 1, force));
    for (int i = 0; i < 30; i++) {
        CHECK_OK(taut_world_step(all->world, H));
    }
}

/* Attaches four vertices of the sheet to the cube, and lets them go if `parts`; what the cube then turns with. */
static double turn_attached(taut_backend_kind backend, bool attached, bool parts) {
    laid all = lay_sheet(backend, false);
    taut_added added[4];
    hold_up(&all);
    for (size_t i = 0; attached && i < 4; i++) {
        added[i] = attach(all.world, all.below[i], all.middle[i], false);
    }
    if (parts) {
        CHECK_OK(taut_world_step(all.world, H));
        CHECK_OK(taut_world_remove(all.world, 4, added));
    }
    const double w = turn(&all);
    for (size_t i = 0; !attached || parts ? i < 4 : false; i++) { /* nothing has fallen in */
        double x[3], centre[3], q[4];
        phys_position(all.world, all.middle[i], x);
        phys_position(all.world, all.cube.point, centre);
        CHECK_OK(taut_world_read(all.world, TAUT_FIELD_ORIENTATIONS, all.cube.frame, 1, q));
        const double up[3] = {2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                              2 * (q[2] * q[3] + q[0] * q[1])}; /* of the cube, which tilts a little */
        phys_add(-1, centre, x);
        CHECK(phys_dot(up, x) > 0.1024);
    }
    taut_world_destroy(all.world);
    return w;
}

TAUT_PLAIN_TEST(contact_joined, cloth_that_is_attached_to_what_it_lies_on_turns_with_it) {
    const double loose = turn_attached(TAUT_BACKEND_CPU, false, false);
    CHECK(turn_attached(TAUT_BACKEND_CPU, true, false) > 0.85 * loose);
    CHECK(turn_attached(TAUT_BACKEND_CPU, true, true) > 0.85 * loose);
}

TAUT_TEST(contact_joined, cloth_of_a_scene_turns_with_what_it_is_attached_to) {
    laid all = lay_sheet(backend, true);
    CHECK(turn(&all) > 0.3); /* 0.375 without the sheet */
    taut_world_destroy(all.world);
}

/* ---- beside joints ----------------------------------------------------------------------------------------------- */

static void add_limb(taut_scene* scene, taut_body body[2], const double at[3], const double size[3], double mass,
                     const double hip[3]) {
    phys_body limb = contact_at(at[0], at[1], at[2]);
    limb.mass = mass;
    limb.v[1] = -3;
    taut_inertia_of_box(mass, (const double[]){2 * size[0], 2 * size[1], 2 * size[2]}, limb.inertia);
    body[1] = phys_add_body(scene, &limb);
    contact_shape(scene, TAUT_SHAPE_BOX, size, body[1], NULL, NULL, 0);
    if (hip != NULL) {
        phys_add_joint(scene, TAUT_JOINT_BALL, body[0], body[1], hip, NULL);
    }
}

/* A trunk with two legs, which overlap by 5 mm all along: beside the hips that is a lever of a centimetre. Each pushed
 * at the speed of an overlap gained a figure of 31 kg 41 J in a step of its fall. */
TAUT_PLAIN_TEST(contact_joined, legs_that_overlap_do_not_fly_apart) {
    static const double trunk[] = {0.15, 0.08, 0.1}, leg[] = {0.08, 0.22, 0.08}, shin[] = {0.06, 0.2, 0.06};
    taut_scene* scene = phys_empty_scene();
    taut_body body[2], hips;
    double before = 0, rise = 0;
    add_limb(scene, body, (const double[]){0, 1.6, 0}, trunk, 12, NULL);
    hips = body[1];
    for (int side = -1; side <= 1; side += 2) {
        const double x = side * (0.08 - 0.0025);
        body[0] = hips;
        add_limb(scene, body, (const double[]){x, 1.29, 0}, leg, 7, (const double[]){x, 1.515, 0});
        body[0] = body[1];
        add_limb(scene, body, (const double[]){x, 0.86, 0}, shin, 4, (const double[]){x, 1.065, 0});
    }
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    taut_world* world = phys_world(scene, &def);
    for (int i = 0; i < 40; i++) {
        const taut_step_info info = contact_step(world, H, NULL);
        const double energy = info.kinetic + info.potential;
        rise = i > 0 ? fmax(rise, energy - before) : 0;
        before = energy;
    }
    test_note("rises by %g J", rise);
    CHECK(rise < 1);
    test_note(NULL);
    taut_world_destroy(world);
}
