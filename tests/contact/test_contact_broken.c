/* What a joint or an attachment held together meets again when that has broken: bodies come apart where they overlap,
 * and do not pass through each other. */
#include "contact_scenes.h"

#include <math.h>

#define H 0.0166666666666666667

static const double strength = 20; /* N */

static taut_body add_cube(taut_scene* scene, double x, double y) {
    const double half[3] = {0.1, 0.1, 0.1};
    phys_body at = contact_at(x, y, 0);
    at.mass = 1;
    taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, at.inertia);
    const taut_body body = phys_add_body(scene, &at);
    contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, 0);
    return body;
}

typedef enum tie { TIE_FIXED, TIE_BALL, TIE_ATTACHMENT, TIES } tie;

/* Two cubes side by side, which overlap by this, and what holds them in the middle of the faces, with a strength. */
typedef struct tied {
    taut_body cubes[2];
    taut_batch tie;
    taut_world* world;
} tied;

static taut_batch add_tie(taut_scene* scene, tie kind, const taut_body cubes[2], const double at[3]) {
    static const taut_joint_type types[] = {TAUT_JOINT_FIXED, TAUT_JOINT_BALL};
    taut_batch batch = {0};
    if (kind != TIE_ATTACHMENT) {
        return phys_add_joint(scene, types[kind], cubes[0], cubes[1], at, NULL).prismatic;
    }
    taut_attachment_def def = taut_default_attachment();
    const uint32_t points[2] = {phys_add_body_point(scene, cubes[0], at), phys_add_body_point(scene, cubes[1], at)};
    def.count = 1;
    def.particles = points;
    CHECK_OK(taut_scene_add_attachments(scene, &def, &batch));
    return batch;
}

static taut_world_def free_def(taut_backend_kind backend) {
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    return def;
}

static tied make_tied(taut_backend_kind backend, tie kind, double overlap) {
    tied all = {.cubes = {{0}}};
    taut_scene* scene = phys_empty_scene();
    all.cubes[0] = add_cube(scene, 0, 0);
    all.cubes[1] = add_cube(scene, 0.2 - overlap, 0);
    all.tie = add_tie(scene, kind, all.cubes, (const double[]){0.1 - overlap / 2, 0, 0});
    CHECK_OK(taut_scene_set_bounds(scene, all.tie, -INFINITY, INFINITY, strength));
    const taut_world_def def = free_def(backend);
    all.world = phys_world(scene, &def);
    return all;
}

static uint32_t contacts(taut_world* world) {
    contact_list list;
    contact_read(world, &list);
    return (uint32_t)list.count;
}

static void pull(const tied* all, double x, double y) {
    for (int i = 0; i < 2; i++) {
        const double force[3] = {i == 0 ? -x : x, i == 0 ? -y : y, 0};
        CHECK_OK(taut_world_set_forces(all->world, all->cubes[i].point, 1, force));
    }
}

static void tear(const tied* all, double x, double y) {
    const double still[3] = {0, 0, 0};
    taut_step_info info;
    CHECK_OK(taut_world_step(all->world, H));
    CHECK_INT(contacts(all->world), 0);
    pull(all, x, y);
    CHECK_OK(taut_world_step(all->world, H));
    CHECK_INT(contacts(all->world), 0);
    pull(all, 0, 0);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(taut_world_write(all->world, TAUT_FIELD_VELOCITIES, all->cubes[i].point, 1, still));
        CHECK_OK(taut_world_write(all->world, TAUT_FIELD_ANGULAR_VELOCITIES, all->cubes[i].frame, 1, still));
    }
    CHECK_OK(taut_world_info(all->world, &info));
    CHECK(info.broken > 0);
}

static double way(const tied* all, double* speed) {
    phys_body body[2];
    for (int i = 0; i < 2; i++) {
        phys_read_body(all->world, all->cubes[i], &body[i]);
    }
    *speed = body[1].v[0] - body[0].v[0];
    return body[1].x[0] - body[0].x[0];
}

/* They come apart no faster than `recovery`, 1 m/s, and what throws them at each other then does not bring them
 * through. */
TAUT_TEST(contact_broken, what_breaks_comes_apart_and_meets_again) {
    const tie first = backend == TAUT_BACKEND_CUDA ? TIE_BALL : TIE_FIXED;
    const tie last = backend == TAUT_BACKEND_CUDA ? TIE_ATTACHMENT : TIES;
    for (tie kind = first; kind < last; kind++) {
        const tied all = make_tied(backend, kind, 0.01);
        double fastest = 0, speed;
        test_note("tie %d", (int)kind);
        tear(&all, 2 * strength, 0);
        for (int i = 0; i < 20; i++) {
            contact_step(all.world, H, NULL);
            way(&all, &speed);
            fastest = fmax(fastest, speed);
        }
        CHECK(fastest < 1.01);
        CHECK(way(&all, &speed) > 0.2 - 1e-4);
        for (int i = 0; i < 2; i++) {
            const double v[3] = {i == 0 ? 1.0 : -1.0, 0, 0};
            CHECK_OK(taut_world_write(all.world, TAUT_FIELD_VELOCITIES, all.cubes[i].point, 1, v));
        }
        contact_run(all.world, 30, H, NULL);
        CHECK(way(&all, &speed) > 0.2 - 1e-4);
        taut_world_destroy(all.world);
    }
    test_note(NULL);
}

/* Rows of a joint break one by one. Where that along the faces has, the others work against the contacts of what
 * overlaps: it comes to rest between what they ask for. */
TAUT_TEST(contact_broken, what_rows_are_left_and_contacts_come_to_rest) {
    const tied all = make_tied(backend, TIE_FIXED, 0.01);
    const double lower[3] = {-INFINITY, -INFINITY, -INFINITY}, upper[3] = {INFINITY, INFINITY, INFINITY};
    const double strengths[3] = {INFINITY, strength, INFINITY};
    bool broken[3];
    double speed;
    CHECK_OK(taut_world_set_bounds(all.world, all.tie, 0, 3, lower, upper, strengths));
    tear(&all, 0, 4 * strength);
    CHECK_OK(taut_world_read_broken(all.world, all.tie, 0, 3, broken));
    CHECK(!broken[0] && broken[1] && !broken[2]);
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 5 : 60); i++) {
        CHECK_OK(taut_world_step(all.world, H));
        CHECK_NEAR(way(&all, &speed), 0.195, 0.0051);
        CHECK(fabs(speed) < (i < 4 ? 1.01 : 1e-3));
    }
    taut_world_destroy(all.world);
}

/* Bounds that are set anew tie again what had broken. */
TAUT_TEST(contact_broken, what_is_tied_again_does_not_touch) {
    const tied all = make_tied(backend, TIE_BALL, 1e-4);
    const double lower[3] = {-INFINITY, -INFINITY, -INFINITY}, upper[3] = {INFINITY, INFINITY, INFINITY};
    tear(&all, 2 * strength, 0);
    CHECK_OK(taut_world_step(all.world, H));
    CHECK(contacts(all.world) > 0);
    CHECK_OK(taut_world_set_bounds(all.world, all.tie, 0, 3, lower, upper, NULL));
    CHECK_OK(taut_world_step(all.world, H));
    CHECK_INT(contacts(all.world), 0);
    taut_world_destroy(all.world);
}

/* Four cubes in a square, of which three fixed joints make one body: the two at the ends touch along an edge, and meet
 * when what they have in common breaks. */
TAUT_TEST(contact_broken, what_broken_joints_held_still_meets) {
    taut_scene* scene = phys_empty_scene();
    taut_body cubes[4];
    for (int i = 0; i < 4; i++) {
        cubes[i] = add_cube(scene, i == 1 || i == 2 ? 0.2 - 1e-4 : 0, i >= 2 ? 0.2 - 1e-4 : 0);
    }
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    def.type = TAUT_JOINT_FIXED;
    def.count = 2;
    def.bodies = (const taut_body[]){cubes[0], cubes[1], cubes[1], cubes[2]};
    def.positions = (const double[]){0.1, 0, 0, 0.2, 0.1, 0};
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    CHECK_OK(taut_scene_set_bounds(scene, batches.prismatic, -INFINITY, INFINITY, strength));
    CHECK_OK(taut_scene_exclude_contacts(
        scene, 3, (const taut_body[]){cubes[3], cubes[0], cubes[3], cubes[1], cubes[3], cubes[2]}));
    const taut_world_def world_def = free_def(backend);
    taut_world* world = phys_world(scene, &world_def);
    CHECK_OK(taut_world_step(world, H));
    CHECK_INT(contacts(world), 0); /* 0 and 2 are held by way of 1 */
    CHECK_OK(taut_world_set_forces(world, cubes[2].point, 1, (const double[]){-3 * strength, 0, 0}));
    CHECK_OK(taut_world_step(world, H));
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > 0);
    taut_world_destroy(world);
}

/* Of the joints of one call each has rows of its own, also beside drives. */
TAUT_TEST(contact_broken, each_joint_of_a_call_breaks_alone) {
    enum { PAIRS = 3 };
    taut_scene* scene = phys_empty_scene();
    taut_body cubes[2 * PAIRS];
    double at[3 * PAIRS] = {0}, axes[4 * PAIRS];
    for (int i = 0; i < 2 * PAIRS; i++) {
        cubes[i] = add_cube(scene, i % 2 * (0.2 - 1e-4), i / 2);
    }
    for (int i = 0; i < PAIRS; i++) {
        at[3 * i] = 0.1;
        at[3 * i + 1] = i;
        axes[4 * i] = axes[4 * i + 2] = sqrt(0.5);
        axes[4 * i + 1] = axes[4 * i + 3] = 0;
    }
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    def.type = TAUT_JOINT_SLIDER;
    def.count = PAIRS;
    def.bodies = cubes;
    def.positions = at;
    def.orientations = axes;
    def.drive = true;
    def.drive_compliance = 1;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    CHECK_OK(taut_scene_set_bounds(scene, batches.prismatic, -INFINITY, INFINITY, strength));
    const taut_world_def world_def = free_def(backend);
    taut_world* world = phys_world(scene, &world_def);
    CHECK_OK(taut_world_step(world, H));
    CHECK_INT(contacts(world), 0);
    CHECK_OK(taut_world_set_forces(world, cubes[5].point, 1, (const double[]){0, 3 * strength, 0}));
    CHECK_OK(taut_world_set_forces(world, cubes[4].point, 1, (const double[]){0, -3 * strength, 0}));
    CHECK_OK(taut_world_step(world, H));
    CHECK_OK(taut_world_step(world, H));
    contact_list list;
    contact_read(world, &list);
    CHECK(list.count > 0);
    for (size_t i = 0; i < list.count; i++) {
        CHECK(list.contacts[i].position[1] > 1.5);
    }
    taut_world_destroy(world);
}
