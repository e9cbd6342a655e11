/* What a joint or an attachment held together meets again when that has broken: bodies come apart where they overlap,
 * and do not pass through each other. */
#include "surface_scenes.h"

#include <math.h>

#define H 0.0166666666666666667

static const double strength = 20; /* N */

static phys_handle add_cube(taut_scene* scene, double x, double y) {
    const double half[3] = {0.1, 0.1, 0.1};
    phys_body at = contact_at(x, y, 0);
    at.mass = 1;
    taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, at.inertia);
    const phys_handle body = phys_add_body(scene, &at);
    contact_shape(scene, TAUT_SHAPE_BOX, half, body.frame, NULL, NULL, 0);
    return body;
}

typedef enum tie { TIE_FIXED, TIE_BALL, TIE_ATTACHMENT, TIES } tie;

/* Two cubes side by side, which overlap by this, and what holds them in the middle of the faces, with a strength. */
typedef struct tied {
    phys_handle cubes[2];
    taut_batch tie;
    taut_world* world;
} tied;

static taut_batch add_tie(taut_scene* scene, tie kind, const phys_handle cubes[2], const double at[3]) {
    static const taut_joint_type types[] = {TAUT_JOINT_FIXED, TAUT_JOINT_BALL};
    taut_batch batch = {0};
    if (kind != TIE_ATTACHMENT) {
        return phys_add_joint(scene, types[kind], cubes[0].frame, cubes[1].frame, at, NULL).prismatic;
    }
    taut_attachment_def def = taut_default_attachment();
    const uint32_t points[2] = {phys_add_body_point(scene, cubes[0].frame, at),
                                phys_add_body_point(scene, cubes[1].frame, at)};
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
    phys_handle cubes[4];
    for (int i = 0; i < 4; i++) {
        cubes[i] = add_cube(scene, i == 1 || i == 2 ? 0.2 - 1e-4 : 0, i >= 2 ? 0.2 - 1e-4 : 0);
    }
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    def.type = TAUT_JOINT_FIXED;
    def.count = 2;
    def.bodies = (const uint32_t[]){cubes[0].frame, cubes[1].frame, cubes[1].frame, cubes[2].frame};
    def.positions = (const double[]){0.1, 0, 0, 0.2, 0.1, 0};
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    CHECK_OK(taut_scene_set_bounds(scene, batches.prismatic, -INFINITY, INFINITY, strength));
    CHECK_OK(taut_scene_exclude_contacts(scene, 3,
                                         (const uint32_t[]){cubes[3].frame, cubes[0].frame, cubes[3].frame,
                                                            cubes[1].frame, cubes[3].frame, cubes[2].frame}));
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
    uint32_t bodies[2 * PAIRS];
    phys_handle cubes[2 * PAIRS];
    double at[3 * PAIRS] = {0}, axes[4 * PAIRS];
    for (int i = 0; i < 2 * PAIRS; i++) {
        cubes[i] = add_cube(scene, i % 2 * (0.2 - 1e-4), i / 2);
        bodies[i] = cubes[i].frame;
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
    def.bodies = bodies;
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

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

enum { CELLS = 6, WIDE = CELLS + 1 };

static uint32_t add_sheet(taut_scene* scene, double y) {
    const surface_sheet sheet = {.columns = CELLS,
                                 .rows = CELLS,
                                 .width = 0.12,
                                 .height = 0.12,
                                 .mass = 0.1,
                                 .radius = 0.005,
                                 .at = {0, y, 0},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    return surface_add_sheet(scene, &sheet);
}

/* Each second one stays above the first, as it is. */
static taut_batch attach_all(taut_scene* scene, size_t count, const uint32_t* pairs) {
    taut_attachment_def def = taut_default_attachment();
    taut_batch batch = {0};
    double offsets[3 * WIDE];
    for (size_t i = 0; i < count; i++) {
        const double* x = taut_scene_positions(scene);
        for (size_t a = 0; a < 3; a++) {
            offsets[3 * i + a] = x[3 * (size_t)pairs[2 * i + 1] + a] - x[3 * (size_t)pairs[2 * i] + a];
        }
    }
    def.offsets = offsets;
    def.count = count;
    def.particles = pairs;
    CHECK_OK(taut_scene_add_attachments(scene, &def, &batch));
    CHECK_OK(taut_scene_set_bounds(scene, batch, -INFINITY, INFINITY, strength));
    return batch;
}

/* Lowest and highest of what is from `first` on, and the fastest, up and down. */
typedef struct heights {
    double low, high, speed;
} heights;

static heights heights_of(taut_world* world, uint32_t first) {
    heights all = {INFINITY, -INFINITY, 0};
    for (uint32_t i = 0; i < WIDE * WIDE; i++) {
        double x[3], v[3];
        phys_position(world, first + i, x);
        phys_velocity(world, first + i, v);
        all.low = fmin(all.low, x[1]);
        all.high = fmax(all.high, x[1]);
        all.speed = fmax(all.speed, fabs(v[1]));
    }
    return all;
}

/* A sheet that starts within the upper side of a fixed cube, below its thickness, attached to it by two corners. */
static taut_world* lay_sheet(taut_backend_kind backend, uint32_t* sheet, taut_batch* ties) {
    taut_scene* scene = phys_empty_scene();
    const phys_handle cube = add_cube(scene, 0, 0);
    CHECK_OK(taut_scene_set_fixed(scene, 1, &cube.point, true));
    CHECK_OK(taut_scene_set_frames_fixed(scene, 1, &cube.frame, true));
    *sheet = add_sheet(scene, 0.1);
    const uint32_t corners[2] = {*sheet, *sheet + WIDE * WIDE - 1};
    uint32_t pairs[4];
    for (int i = 0; i < 2; i++) {
        const double* x = taut_scene_positions(scene) + 3 * (size_t)corners[i];
        const double at[3] = {x[0], x[1], x[2]};
        pairs[2 * i] = phys_add_body_point(scene, cube.frame, at);
        pairs[2 * i + 1] = corners[i];
    }
    *ties = attach_all(scene, 2, pairs);
    const taut_world_def def = free_def(backend);
    return phys_world(scene, &def);
}

static void check_loose(taut_world* world, uint32_t sheet, size_t frames) {
    double fastest = 0;
    for (size_t i = 0; i < frames; i++) {
        CHECK_OK(taut_world_step(world, H));
        fastest = fmax(fastest, heights_of(world, sheet).speed);
    }
    CHECK(fastest > 0.01);
    CHECK(fastest < 1.2);
    CHECK(heights_of(world, sheet).low > 0.1049);
}

TAUT_TEST(contact_broken, cloth_within_what_it_was_attached_to_comes_out) {
    uint32_t sheet;
    taut_batch ties;
    taut_world* world = lay_sheet(backend, &sheet, &ties);
    CHECK_OK(taut_world_step(world, H));
    CHECK_INT(contacts(world), 0);
    CHECK_NEAR(heights_of(world, sheet).high, 0.1, 1e-6);
    CHECK_OK(taut_world_set_present(world, ties, 0, 1, false)); /* the half of it that is near */
    CHECK_OK(taut_world_step(world, H));
    const uint32_t half = contacts(world);
    CHECK(half > 0);
    CHECK_OK(taut_world_set_present(world, ties, 0, 1, true));
    CHECK_OK(taut_world_set_present(world, ties, 0, 2, false));
    CHECK_OK(taut_world_step(world, H));
    CHECK(contacts(world) > half);
    check_loose(world, sheet, 6);
    taut_world_destroy(world);
}

TAUT_TEST(contact_broken, cloth_that_is_torn_off_comes_out) {
    uint32_t sheet;
    taut_batch ties;
    taut_world* world = lay_sheet(backend, &sheet, &ties);
    for (uint32_t corner = sheet; corner < sheet + WIDE * WIDE; corner += WIDE * WIDE - 1) {
        CHECK_OK(taut_world_set_forces(world, corner, 1, (const double[]){0, -2 * strength, 0}));
    }
    CHECK_OK(taut_world_step(world, H));
    CHECK_INT(contacts(world), 0);
    for (uint32_t corner = sheet; corner < sheet + WIDE * WIDE; corner += WIDE * WIDE - 1) {
        CHECK_OK(taut_world_set_forces(world, corner, 1, (const double[]){0, 0, 0}));
    }
    check_loose(world, sheet, 6);
    taut_world_destroy(world);
}

/* Sheets above each other that start nearer than their thickness, sewn along a border: nothing keeps them apart until
 * the seam is gone. */
TAUT_TEST(contact_broken, layers_whose_seam_is_cut_come_apart) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t below = add_sheet(scene, 0), above = add_sheet(scene, 0.004);
    uint32_t pairs[2 * WIDE];
    for (uint32_t i = 0; i < WIDE; i++) {
        pairs[2 * i] = below + i;
        pairs[2 * i + 1] = above + i;
    }
    const taut_batch ties = attach_all(scene, WIDE, pairs);
    const taut_world_def def = free_def(backend);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_set_present(world, ties, 0, WIDE - 1, false));
    CHECK_OK(taut_world_step(world, H));
    CHECK(heights_of(world, above).high - heights_of(world, below).low < 0.0041); /* the last one ties them */
    CHECK_OK(taut_world_set_present(world, ties, WIDE - 1, 1, false));
    double fastest = 0;
    for (int i = 0; i < 6; i++) {
        CHECK_OK(taut_world_step(world, H));
        fastest = fmax(fastest, heights_of(world, above).speed);
    }
    CHECK(fastest < 1.01);
    CHECK(heights_of(world, above).low - heights_of(world, below).high > 0.0098);
    taut_world_destroy(world);
}
