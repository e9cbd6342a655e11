/* Bad arguments of bodies, joints, rods and mapped points: refused with a sentence, and nothing is added; and memory
 * that runs out in the middle of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "refused.h"

enum { PARTICLES = 4, BODIES = 2, ROD = 3 };

/* The two bodies of the scenes here, and what is none: a piece of a rod, and numbers beyond all. */
static const taut_body first_body = {4, 0}, second_body = {5, 1}, piece = {6, 2}, beyond_all = {4, 99};
/* The point of one body with the frame of the other, and a point in place of a frame. */
static const taut_body mixed = {5, 0}, swapped = {0, 4};

static const double bad_numbers[4] = {NAN, INFINITY, -INFINITY, 1e30};
static const double corners[3 * PARTICLES] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double line[3 * ROD] = {0, 0, 0, 0, 0, 0.5, 0, 0, 1};

/* Particles 0 to 3, bodies with centres 4 and 5 and frames 0 and 1, a rod with points 6 to 8 and frames 2 and 3. */
typedef struct stage {
    taut_scene* scene;
    size_t points, frames, rows;
} stage;

static taut_status populate(taut_scene* scene) {
    static const double centres[3 * BODIES] = {2, 0, 0, 3, 0, 0};
    static const size_t offsets[2] = {0, ROD};
    taut_particles_def particles = taut_default_particles();
    taut_bodies_def bodies = taut_default_bodies();
    taut_rods_def rods = taut_default_rods();
    particles.count = PARTICLES;
    particles.positions = corners;
    bodies.count = BODIES;
    bodies.positions = centres;
    rods.count = 1;
    rods.offsets = offsets;
    rods.positions = line;
    taut_status status = taut_scene_add_particles(scene, &particles, NULL);
    if (status == TAUT_OK) {
        status = taut_scene_add_bodies(scene, &bodies, NULL);
    }
    return status == TAUT_OK ? taut_scene_add_rods(scene, &rods, NULL) : status;
}

static stage open_stage(void) {
    const taut_scene_def def = taut_default_scene();
    stage s = {0};
    CHECK_OK(taut_scene_create(&def, &s.scene));
    CHECK_OK(populate(s.scene));
    s.points = taut_scene_particle_count(s.scene);
    s.frames = taut_scene_frame_count(s.scene);
    s.rows = taut_scene_row_count(s.scene);
    return s;
}

static void check_unchanged(const stage* s) {
    CHECK_INT(taut_scene_particle_count(s->scene), s->points);
    CHECK_INT(taut_scene_frame_count(s->scene), s->frames);
    CHECK_INT(taut_scene_row_count(s->scene), s->rows);
}

static void close_stage(stage* s) {
    taut_scene_destroy(s->scene);
}

/* `call` refused with one thing changed, and nothing left of it. */
#define WITH(change, restore)                                                                                          \
    do {                                                                                                               \
        change;                                                                                                        \
        INVALID(CALL);                                                                                                 \
        check_unchanged(&s);                                                                                           \
        restore;                                                                                                       \
    } while (0)
#define WITHOUT_COOKIE                                                                                                 \
    do {                                                                                                               \
        def.cookie++;                                                                                                  \
        UNMADE(CALL);                                                                                                  \
        def.cookie = 0;                                                                                                \
        UNMADE(CALL);                                                                                                  \
        check_unchanged(&s);                                                                                           \
    } while (0)

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(interface_frames, bodies) {
    stage s = open_stage();
    taut_bodies_def def = taut_default_bodies();
    taut_body_ranges made = {{77, 77}, {77, 77}};
    double x[6] = {0}, q[8] = {1, 0, 0, 0, 1, 0, 0, 0}, v[6] = {0}, w[6] = {0}, m[2] = {1, 1};
    double inertia[12] = {1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    def.count = 2;
    def.positions = x;
    def.orientations = q;
    def.velocities = v;
    def.angular_velocities = w;
    def.masses = m;
    def.inertias = inertia;
    INVALID(taut_scene_add_bodies(NULL, &def, &made));
    INVALID(taut_scene_add_bodies(s.scene, NULL, &made));
#define CALL taut_scene_add_bodies(s.scene, &def, &made)
    WITH(def.positions = NULL, def.positions = x);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(q[4] = 0, q[4] = 1);
    WITH(m[1] = 0, m[1] = 1);
    WITH(m[1] = -1, m[1] = 1);
    WITH((def.masses = NULL, def.mass = -1), (def.masses = m, def.mass = 1));
    WITH(inertia[7] = 0, inertia[7] = 1);
    WITH(inertia[7] = -1, inertia[7] = 1);
    WITH(inertia[9] = 2, inertia[9] = 0);
    WITH((def.inertias = NULL, def.inertia[2] = -1), (def.inertias = inertia, def.inertia[2] = 1));
    for (int i = 0; i < 4; i++) {
        WITH(x[5] = bad_numbers[i], x[5] = 0);
        WITH(q[7] = bad_numbers[i], q[7] = 0);
        WITH(v[5] = bad_numbers[i], v[5] = 0);
        WITH(w[5] = bad_numbers[i], w[5] = 0);
        WITH(m[1] = bad_numbers[i], m[1] = 1);
        WITH(inertia[8] = bad_numbers[i], inertia[8] = 1);
        WITH(inertia[10] = bad_numbers[i], inertia[10] = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(made.points.first, 77);
    def.cookie = taut_default_bodies().cookie;
    CHECK_OK(taut_scene_add_bodies(s.scene, &def, &made));
    CHECK_INT(made.points.first, s.points);
    CHECK_INT(made.frames.first, s.frames);
    CHECK_INT(made.frames.count, 2);
    const uint32_t frames[2] = {0, 99};
    INVALID(taut_scene_set_frames_fixed(NULL, 1, frames, true));
    INVALID(taut_scene_set_frames_fixed(s.scene, 1, NULL, true));
    INVALID(taut_scene_set_frames_fixed(s.scene, 2, frames, true));
    CHECK_OK(taut_scene_set_frames_fixed(s.scene, 1, frames, true));
    CHECK_INT(taut_scene_frame_count(NULL), 0);
    close_stage(&s);
}

/* Whether the points and the frames of both bodies are fixed in a world of the scene: only what is fixed may have a
 * goal. */
static void check_fixed(taut_scene* scene, bool first, bool second) {
    static const double x[3] = {2, 0, 0}, q[4] = {1, 0, 0, 0};
    const taut_body bodies[2] = {first_body, second_body};
    const bool fixed[2] = {first, second};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    REQUIRE_OK(taut_world_create(scene, &def, &world));
    for (int i = 0; i < 2; i++) {
        const taut_status status = fixed[i] ? TAUT_OK : TAUT_INVALID_ARGUMENT;
        CHECK_INT(taut_world_move_fixed(world, 1, &bodies[i].point, x), status);
        CHECK_INT(taut_world_move_fixed_frames(world, 1, &bodies[i].frame, q), status);
    }
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(interface_frames, fixed_bodies_of_a_scene) {
    stage s = open_stage();
    const taut_body wrong[5] = {piece, beyond_all, mixed, swapped, TAUT_WORLD};
    const taut_body bodies[2] = {first_body, second_body};
    INVALID(taut_scene_set_bodies_fixed(NULL, 1, bodies, true));
    INVALID(taut_scene_set_bodies_fixed(s.scene, 1, NULL, true));
    for (int i = 0; i < 5; i++) {
        const taut_body both[2] = {first_body, wrong[i]};
        INVALID(taut_scene_set_bodies_fixed(s.scene, 2, both, true));
    }
    check_fixed(s.scene, false, false);
    CHECK_OK(taut_scene_set_bodies_fixed(s.scene, 0, NULL, true));
    CHECK_OK(taut_scene_set_bodies_fixed(s.scene, 2, bodies, true));
    check_fixed(s.scene, true, true);
    CHECK_OK(taut_scene_set_bodies_fixed(s.scene, 1, bodies, false));
    check_fixed(s.scene, false, true);
    close_stage(&s);
}

/* ---- joints ----------------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(interface_frames, joints) {
    stage s = open_stage();
    taut_joints_def def = taut_default_joints();
    taut_joint_batches made = {{77}, {77}, {77}};
    taut_body bodies[4] = {first_body, second_body, second_body, TAUT_WORLD};
    double x[6] = {0}, anchors[12] = {0}, q[8] = {1, 0, 0, 0, 1, 0, 0, 0}, targets[2] = {0};
    def.type = TAUT_JOINT_HINGE;
    def.count = 2;
    def.bodies = bodies;
    def.positions = x;
    def.orientations = q;
    def.drive = true;
    def.targets = targets;
    INVALID(taut_scene_add_joints(NULL, &def, &made));
    INVALID(taut_scene_add_joints(s.scene, NULL, &made));
#define CALL taut_scene_add_joints(s.scene, &def, &made)
    WITH(def.type = TAUT_JOINT_TYPE_COUNT, def.type = TAUT_JOINT_HINGE);
    WITH(def.type = (taut_joint_type)-1, def.type = TAUT_JOINT_HINGE);
    WITH(def.type = TAUT_JOINT_BALL, def.type = TAUT_JOINT_HINGE); /* no drive */
    WITH(def.type = TAUT_JOINT_UNIVERSAL, def.type = TAUT_JOINT_HINGE);
    WITH(def.type = TAUT_JOINT_FIXED, def.type = TAUT_JOINT_HINGE);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(def.bodies = NULL, def.bodies = bodies);
    WITH(def.positions = NULL, def.positions = x);
    WITH(def.anchors = anchors, def.anchors = NULL);       /* both */
    WITH(bodies[3] = second_body, bodies[3] = TAUT_WORLD); /* one body twice; the first joint is good */
    WITH((bodies[2] = TAUT_WORLD), bodies[2] = second_body);
    WITH(bodies[3] = piece, bodies[3] = TAUT_WORLD);
    WITH(bodies[3] = beyond_all, bodies[3] = TAUT_WORLD);
    WITH(bodies[3] = mixed, bodies[3] = TAUT_WORLD);
    WITH(bodies[3] = swapped, bodies[3] = TAUT_WORLD);
    WITH(bodies[3].point = 4, bodies[3] = TAUT_WORLD); /* half of the world */
    WITH(q[4] = 0, q[4] = 1);
    for (int i = 0; i < 4; i++) {
        WITH(x[5] = bad_numbers[i], x[5] = 0);
        WITH((def.positions = NULL, def.anchors = anchors, anchors[11] = bad_numbers[i]),
             (def.positions = x, def.anchors = NULL, anchors[11] = 0));
        WITH(q[7] = bad_numbers[i], q[7] = 0);
        WITH(targets[1] = bad_numbers[i], targets[1] = 0);
        WITH(def.rest_offset[2] = bad_numbers[i], def.rest_offset[2] = 0);
        WITH(def.rest_angle[2] = bad_numbers[i], def.rest_angle[2] = 0);
    }
    for (int i = 0; i < 4; i++) {
        const double value = i < 3 ? bad_numbers[i] : -1;
        WITH(def.translation_compliance[2] = value, def.translation_compliance[2] = 0);
        WITH(def.rotation_compliance[2] = value, def.rotation_compliance[2] = 0);
        WITH(def.translation_damping[2] = value, def.translation_damping[2] = 0);
        WITH(def.rotation_damping[2] = value, def.rotation_damping[2] = 0);
        WITH(def.drive_compliance = value, def.drive_compliance = 0);
        WITH(def.drive_damping = value, def.drive_damping = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(made.prismatic.id, 77);
    def.cookie = taut_default_joints().cookie;
    CHECK_OK(taut_scene_add_joints(s.scene, &def, &made));
    CHECK_INT(taut_scene_row_count(s.scene), s.rows + 2 * (3 + 2 + 1));
    CHECK_INT(taut_scene_frame_count(s.scene), s.frames + 1);
    close_stage(&s);
}

/* ---- rods ------------------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(interface_frames, rods) {
    stage s = open_stage();
    taut_rods_def def = taut_default_rods();
    taut_rod_ranges made = {{77, 77}, {77, 77}, {77}, {77}};
    size_t offsets[3] = {0, 3, 5};
    double x[15] = {0, 0, 0, 0, 0, 1, 0, 0, 2, 1, 0, 0, 1, 0, 1}, q[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    double rest[3] = {0};
    def.count = 2;
    def.offsets = offsets;
    def.positions = x;
    def.orientations = q;
    def.rest_rotations = rest;
    INVALID(taut_scene_add_rods(NULL, &def, &made));
    INVALID(taut_scene_add_rods(s.scene, NULL, &made));
#define CALL taut_scene_add_rods(s.scene, &def, &made)
    WITH(def.count = 0, def.count = 2);
    WITH(def.offsets = NULL, def.offsets = offsets);
    WITH(def.positions = NULL, def.positions = x);
    WITH(offsets[0] = 1, offsets[0] = 0);
    WITH(offsets[1] = 4, offsets[1] = 3); /* a rod of one point */
    WITH(offsets[1] = 1, offsets[1] = 3);
    WITH(offsets[2] = SIZE_MAX, offsets[2] = 5);
    WITH(x[14] = 0, x[14] = 1);                       /* two points at one place */
    WITH((q[8] = 0, q[9] = 1), (q[8] = 1, q[9] = 0)); /* z against the piece */
    WITH(q[8] = 0, q[8] = 1);
    for (int i = 0; i < 5; i++) {
        const double value = i < 3 ? bad_numbers[i] : i == 3 ? 0 : -1;
        WITH(def.radius = value, def.radius = 0.01);
        WITH(def.young = value, def.young = 1e9);
        WITH(def.shear = value, def.shear = 4e8);
        WITH(def.density = value, def.density = 1000);
        if (value != 0) {
            WITH(def.damping = value, def.damping = 0);
        }
    }
    WITH(def.radius = 1e-30, def.radius = 0.01); /* no mass to speak of */
    for (int i = 0; i < 4; i++) {
        WITH(x[13] = bad_numbers[i], x[13] = 0);
        WITH(q[11] = bad_numbers[i], q[11] = 0);
        WITH(rest[2] = bad_numbers[i], rest[2] = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(made.points.first, 77);
    def.cookie = taut_default_rods().cookie;
    CHECK_OK(taut_scene_add_rods(s.scene, &def, &made));
    CHECK_INT(made.points.count, 5);
    CHECK_INT(made.frames.count, 3);
    CHECK_INT(taut_scene_row_count(s.scene), s.rows + 3 * 3 + 3);
    close_stage(&s);
}

TAUT_PLAIN_TEST(interface_frames, alignments) {
    stage s = open_stage();
    taut_alignment_def def = taut_default_alignment();
    taut_batch batch = {77};
    uint32_t frames[4] = {0, 1, 1, 2};
    double rest[6] = {0}, compliances[6] = {0}, dampings[2] = {0};
    def.count = 2;
    def.frames = frames;
    def.rest_rotations = rest;
    def.compliances = compliances;
    def.dampings = dampings;
    INVALID(taut_scene_add_alignments(NULL, &def, &batch));
    INVALID(taut_scene_add_alignments(s.scene, NULL, &batch));
#define CALL taut_scene_add_alignments(s.scene, &def, &batch)
    WITH(def.frames = NULL, def.frames = frames);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(frames[3] = 1, frames[3] = 2);
    WITH(frames[3] = (uint32_t)s.frames, frames[3] = 2);
    WITH(frames[3] = UINT32_MAX, frames[3] = 2);
    WITH(compliances[5] = -1, compliances[5] = 0);
    WITH(dampings[1] = -1, dampings[1] = 0);
    for (int i = 0; i < 3; i++) {
        WITH(rest[5] = bad_numbers[i], rest[5] = 0);
        WITH(compliances[5] = bad_numbers[i], compliances[5] = 0);
        WITH(dampings[1] = bad_numbers[i], dampings[1] = 0);
        WITH((def.compliances = NULL, def.compliance[2] = bad_numbers[i]),
             (def.compliances = compliances, def.compliance[2] = 0));
        WITH((def.dampings = NULL, def.damping = bad_numbers[i]), (def.dampings = dampings, def.damping = 0));
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(batch.id, 77);
    def.cookie = taut_default_alignment().cookie;
    CHECK_OK(taut_scene_add_alignments(s.scene, &def, &batch));
    CHECK_INT(taut_scene_row_count(s.scene), s.rows + 6);
    close_stage(&s);
}

TAUT_PLAIN_TEST(interface_frames, segments) {
    stage s = open_stage();
    taut_segment_def def = taut_default_segment();
    taut_batch batch = {77};
    uint32_t particles[4] = {0, 1, 2, 4}, frames[2] = {0, 2};
    double rest[6] = {0}, compliances[6] = {0};
    def.count = 2;
    def.particles = particles;
    def.frames = frames;
    def.rest = rest;
    def.compliances = compliances;
    INVALID(taut_scene_add_segments(NULL, &def, &batch));
    INVALID(taut_scene_add_segments(s.scene, NULL, &batch));
#define CALL taut_scene_add_segments(s.scene, &def, &batch)
    WITH(def.frames = NULL, def.frames = frames);
    WITH(def.particles = NULL, def.particles = particles);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(frames[1] = (uint32_t)s.frames, frames[1] = 2);
    WITH(particles[3] = (uint32_t)s.points, particles[3] = 4);
    WITH(particles[3] = 2, particles[3] = 4);
    WITH(compliances[5] = -1, compliances[5] = 0);
    WITH(def.damping = -1, def.damping = 0);
    for (int i = 0; i < 3; i++) {
        WITH(rest[5] = bad_numbers[i], rest[5] = 0);
        WITH(compliances[5] = bad_numbers[i], compliances[5] = 0);
        WITH(def.damping = bad_numbers[i], def.damping = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(batch.id, 77);
    def.cookie = taut_default_segment().cookie;
    CHECK_OK(taut_scene_add_segments(s.scene, &def, &batch));
    close_stage(&s);
}

/* ---- mapped points ---------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(interface_frames, body_points) {
    stage s = open_stage();
    taut_body_points_def def = taut_default_body_points();
    taut_range made = {77, 77};
    taut_body bodies[2] = {first_body, second_body};
    double x[6] = {0}, masses[2] = {0};
    def.count = 2;
    def.bodies = bodies;
    def.positions = x;
    def.masses = masses;
    INVALID(taut_scene_add_body_points(NULL, &def, &made));
    INVALID(taut_scene_add_body_points(s.scene, NULL, &made));
#define CALL taut_scene_add_body_points(s.scene, &def, &made)
    WITH(def.positions = NULL, def.positions = x);
    WITH(def.local = x, def.local = NULL);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(bodies[1] = piece, bodies[1] = second_body);
    WITH(bodies[1] = beyond_all, bodies[1] = second_body);
    WITH(bodies[1] = mixed, bodies[1] = second_body);
    WITH(bodies[1] = TAUT_WORLD, bodies[1] = second_body);
    WITH(def.bodies = NULL, def.bodies = bodies); /* nor `body` */
    WITH((def.bodies = NULL, def.body = piece), (def.bodies = bodies, def.body = first_body));
    WITH((def.bodies = NULL, def.body = mixed), (def.bodies = bodies, def.body = first_body));
    WITH(masses[1] = -1, masses[1] = 0);
    for (int i = 0; i < 4; i++) {
        WITH(x[5] = bad_numbers[i], x[5] = 0);
        WITH((def.positions = NULL, def.local = x, x[5] = bad_numbers[i]),
             (def.positions = x, def.local = NULL, x[5] = 0));
        WITH(masses[1] = bad_numbers[i], masses[1] = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(made.first, 77);
    def.cookie = taut_default_body_points().cookie;
    CHECK_OK(taut_scene_add_body_points(s.scene, &def, &made));
    CHECK_INT(made.first, s.points);
    close_stage(&s);
}

TAUT_PLAIN_TEST(interface_frames, combinations) {
    stage s = open_stage();
    taut_combinations_def def = taut_default_combinations();
    taut_range made = {77, 77};
    size_t offsets[3] = {0, 2, 4};
    uint32_t parents[4] = {0, 1, 2, 4};
    double weights[4] = {1, -1, 0.5, 0.5}, masses[2] = {0};
    def.count = 2;
    def.offsets = offsets;
    def.parents = parents;
    def.weights = weights;
    def.masses = masses;
    INVALID(taut_scene_add_combinations(NULL, &def, &made));
    INVALID(taut_scene_add_combinations(s.scene, NULL, &made));
#define CALL taut_scene_add_combinations(s.scene, &def, &made)
    WITH(def.parents = NULL, def.parents = parents);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH((def.offsets = NULL, def.arity = 0), (def.offsets = offsets, def.arity = 1));
    WITH(offsets[0] = 1, offsets[0] = 0);
    WITH(offsets[1] = 4, offsets[1] = 2);
    WITH(offsets[1] = 0, offsets[1] = 2);
    WITH(offsets[2] = SIZE_MAX, offsets[2] = 4);
    WITH(parents[1] = (uint32_t)s.points, parents[1] = 1);     /* the point itself: no cycles */
    WITH(parents[1] = (uint32_t)s.points + 1, parents[1] = 1); /* one that comes later */
    WITH(parents[3] = (uint32_t)s.points + 1, parents[3] = 4);
    WITH(parents[3] = UINT32_MAX, parents[3] = 4);
    WITH(parents[3] = 2, parents[3] = 4);
    WITH(masses[1] = -1, masses[1] = 0);
    for (int i = 0; i < 4; i++) {
        WITH(weights[3] = bad_numbers[i], weights[3] = 0.5);
        WITH(masses[1] = bad_numbers[i], masses[1] = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(made.first, 77);
    def.cookie = taut_default_combinations().cookie;
    CHECK_OK(taut_scene_add_combinations(s.scene, &def, &made));
    CHECK_INT(made.count, 2);
    close_stage(&s);
}

TAUT_PLAIN_TEST(interface_frames, linear_maps) {
    stage s = open_stage();
    taut_linear_map_def def = taut_default_linear_map();
    taut_range made = {77, 77};
    size_t offsets[7] = {0, 1, 2, 3, 4, 4, 6};
    uint32_t coordinates[6] = {0, 1, 2, 3, 4, 5};
    double weights[6] = {1, 1, 1, 1, 1, 1}, masses[2] = {0};
    def.count = 2;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.masses = masses;
    INVALID(taut_scene_add_linear_map(NULL, &def, &made));
    INVALID(taut_scene_add_linear_map(s.scene, NULL, &made));
#define CALL taut_scene_add_linear_map(s.scene, &def, &made)
    WITH(def.offsets = NULL, def.offsets = offsets);
    WITH(def.coordinates = NULL, def.coordinates = coordinates);
    WITH(def.weights = NULL, def.weights = weights);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(offsets[0] = 1, offsets[0] = 0);
    WITH(offsets[3] = 1, offsets[3] = 3);
    WITH(offsets[6] = SIZE_MAX, offsets[6] = 6);
    WITH(coordinates[5] = 4, coordinates[5] = 5);
    WITH(coordinates[5] = 3 * (uint32_t)s.points + 3, coordinates[5] = 5);
    WITH(coordinates[5] = UINT32_MAX, coordinates[5] = 5);
    WITH(masses[1] = -1, masses[1] = 0);
    for (int i = 0; i < 4; i++) {
        WITH(weights[5] = bad_numbers[i], weights[5] = 1);
        WITH(masses[1] = bad_numbers[i], masses[1] = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(made.first, 77);
    def.cookie = taut_default_linear_map().cookie;
    CHECK_OK(taut_scene_add_linear_map(s.scene, &def, &made));
    close_stage(&s);
}

TAUT_PLAIN_TEST(interface_frames, skinned) {
    stage s = open_stage();
    taut_skinned_def def = taut_default_skinned();
    taut_range made = {77, 77};
    size_t offsets[3] = {0, 1, 3};
    taut_body bodies[3] = {first_body, first_body, second_body};
    double x[6] = {0}, weights[3] = {1, 0.25, 0.75}, masses[2] = {0};
    def.count = 2;
    def.positions = x;
    def.offsets = offsets;
    def.bodies = bodies;
    def.weights = weights;
    def.masses = masses;
    INVALID(taut_scene_add_skinned(NULL, &def, &made));
    INVALID(taut_scene_add_skinned(s.scene, NULL, &made));
#define CALL taut_scene_add_skinned(s.scene, &def, &made)
    WITH(def.positions = NULL, def.positions = x);
    WITH(def.bodies = NULL, def.bodies = bodies);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(def.weights = NULL, def.weights = weights); /* 1 + 1 */
    WITH(weights[2] = 0.7, weights[2] = 0.75);
    WITH(offsets[1] = 0, offsets[1] = 1);
    WITH(offsets[2] = SIZE_MAX, offsets[2] = 3);
    WITH(bodies[2] = first_body, bodies[2] = second_body); /* twice */
    WITH(bodies[2] = piece, bodies[2] = second_body);
    WITH(bodies[2] = beyond_all, bodies[2] = second_body);
    WITH(bodies[2].point = first_body.point, bodies[2] = second_body);
    WITH(masses[1] = -1, masses[1] = 0);
    for (int i = 0; i < 4; i++) {
        WITH(x[5] = bad_numbers[i], x[5] = 0);
        WITH(weights[2] = bad_numbers[i], weights[2] = 0.75);
        WITH(masses[1] = bad_numbers[i], masses[1] = 0);
    }
    WITHOUT_COOKIE;
#undef CALL
    CHECK_INT(made.first, 77);
    def.cookie = taut_default_skinned().cookie;
    CHECK_OK(taut_scene_add_skinned(s.scene, &def, &made));
    close_stage(&s);
}

TAUT_PLAIN_TEST(interface_frames, norms) {
    stage s = open_stage();
    taut_norms_def def = taut_default_norms();
    taut_range made = {77, 77};
    uint32_t parents[2] = {1, 2};
    def.count = 2;
    def.parents = parents;
    INVALID(taut_scene_add_norms(NULL, &def, &made));
    INVALID(taut_scene_add_norms(s.scene, NULL, &made));
#define CALL taut_scene_add_norms(s.scene, &def, &made)
    WITH(def.parents = NULL, def.parents = parents);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(parents[1] = (uint32_t)s.points + 1, parents[1] = 2);
    WITH(parents[1] = UINT32_MAX, parents[1] = 2);
    WITHOUT_COOKIE;
    def.cookie = taut_default_norms().cookie;
    CHECK_INT(made.first, 77);
    CHECK_OK(CALL);
    for (int depth = 2; depth <= 12; depth++) { /* twelve are allowed */
        parents[0] = parents[1] = made.first;
        CHECK_OK(CALL);
    }
    s.points = taut_scene_particle_count(s.scene);
    parents[1] = made.first;
    parents[0] = 1;
    INVALID(CALL);
    check_unchanged(&s);
#undef CALL
    close_stage(&s);
}

TAUT_PLAIN_TEST(interface_frames, barycentric) {
    double weights[4] = {7, 7, 7, 7};
    const double p[3] = {0.2, 0.3, 0.1}, flat[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    INVALID(taut_barycentric(1, corners, p, weights));
    INVALID(taut_barycentric(5, corners, p, weights));
    INVALID(taut_barycentric(3, NULL, p, weights));
    INVALID(taut_barycentric(3, corners, NULL, weights));
    INVALID(taut_barycentric(3, corners, p, NULL));
    INVALID(taut_barycentric(3, flat, p, weights));
    CHECK_NEAR(weights[0], 7, 0);
    CHECK_OK(taut_barycentric(4, corners, p, weights));
    CHECK_NEAR(weights[0], 0.4, 1e-14);
    CHECK_NEAR(weights[1], 0.2, 1e-14);
    CHECK_NEAR(weights[2], 0.3, 1e-14);
    CHECK_NEAR(weights[3], 0.1, 1e-14);
    CHECK_OK(taut_barycentric(2, corners, p, weights));
    CHECK_NEAR(weights[1], 0.2, 1e-14);
}

/* ---- worlds ----------------------------------------------------------------------------------------------------- */

TAUT_TEST(interface_frames, worlds) {
    stage s = open_stage();
    taut_body_points_def points = taut_default_body_points();
    taut_joints_def joints = taut_default_joints();
    taut_joint_batches made = {{0}, {0}, {0}};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    taut_range range = {0, 0};
    const taut_body bodies[2] = {first_body, second_body};
    const uint32_t beyond = (uint32_t)s.frames;
    const double x[6] = {0.1, 0, 0, 0, 0.2, 0}, q[4] = {1, 0, 0, 0}, none[4] = {0};
    double bad[4] = {1, 0, 0, NAN}, out[12];
    points.count = 1;
    points.body = first_body;
    points.local = x;
    CHECK_OK(taut_scene_add_body_points(s.scene, &points, &range));
    joints.type = TAUT_JOINT_HINGE;
    joints.count = 1;
    joints.bodies = bodies;
    joints.positions = x;
    CHECK_OK(taut_scene_add_joints(s.scene, &joints, &made));
    const uint32_t mapped = range.first, frame = 0;
    INVALID(taut_scene_set_fixed(s.scene, 1, &mapped, true));
    def.backend = backend;
    REQUIRE_OK(taut_world_create(s.scene, &def, &world));
    CHECK_INT(taut_world_frame_count(world), s.frames);
    INVALID(taut_world_set_fixed(world, 1, &mapped, true));
    INVALID(taut_world_move_fixed(world, 1, &mapped, x));
    INVALID(taut_world_write(world, TAUT_FIELD_POSITIONS, mapped, 1, x));
    INVALID(taut_world_write(world, TAUT_FIELD_VELOCITIES, mapped, 1, x));
    INVALID(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, s.frames, 1, q));
    INVALID(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, 0, 1, none));
    INVALID(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, 0, 1, bad));
    INVALID(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, s.frames, 1, x));
    INVALID(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, 1, bad + 1));
    INVALID(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, s.frames, 1, out));
    INVALID(taut_world_set_frames_fixed(world, 1, &beyond, true));
    INVALID(taut_world_set_frames_fixed(world, 1, NULL, true));
    INVALID(taut_world_set_frames_fixed(NULL, 1, &frame, true));
    INVALID(taut_world_move_fixed_frames(world, 1, &frame, q)); /* free */
    CHECK_OK(taut_world_set_frames_fixed(world, 1, &frame, true));
    INVALID(taut_world_move_fixed_frames(world, 1, &beyond, q));
    INVALID(taut_world_move_fixed_frames(world, 1, &frame, none));
    INVALID(taut_world_move_fixed_frames(world, 1, &frame, bad));
    INVALID(taut_world_move_fixed_frames(world, 1, NULL, q));
    INVALID(taut_world_move_fixed_frames(world, 1, &frame, NULL));
    INVALID(taut_world_move_fixed_frames(NULL, 1, &frame, q));
    INVALID(taut_world_turn_fixed_frames(world, 1, &beyond, q, x));
    INVALID(taut_world_turn_fixed_frames(world, 1, &frame, none, x));
    INVALID(taut_world_turn_fixed_frames(world, 1, &frame, q, NULL));
    INVALID(taut_world_turn_fixed_frames(world, 1, &frame, q, bad + 1));
    CHECK_OK(taut_world_move_fixed_frames(world, 1, &frame, q));
    INVALID(taut_world_set_torques(world, s.frames, 1, x));
    INVALID(taut_world_set_torques(world, 0, SIZE_MAX, x));
    INVALID(taut_world_set_torques(world, 0, 1, bad + 1));
    INVALID(taut_world_set_torques(world, 0, 1, NULL));
    INVALID(taut_world_set_torques(NULL, 0, 1, x));
    CHECK_OK(taut_world_set_torques(world, 0, 1, x));
    INVALID(taut_world_move_targets(world, made.angular, 0, 3, x));
    INVALID(taut_world_move_targets(world, made.prismatic, 2, 1, bad + 3));
    INVALID(taut_world_move_targets(world, made.drive, 0, 1, x)); /* there is none */
    INVALID(taut_world_set_rest_values(world, made.angular, 0, 1, bad + 3));
    INVALID(taut_world_set_compliances(world, made.prismatic, 0, 1, bad + 3));
    CHECK_OK(taut_world_move_targets(world, made.prismatic, 0, 3, x));
    CHECK_OK(taut_world_step(world, 0.01));
    taut_world_destroy(world);
    close_stage(&s);
}

TAUT_TEST(interface_frames, moved_bodies_of_a_world) {
    const taut_body wrong[5] = {piece, beyond_all, mixed, swapped, TAUT_WORLD};
    const taut_body bodies[2] = {first_body, second_body};
    const double x[6] = {2, 0.1, 0, 3, 0.1, 0}, q[8] = {1, 0.1, 0, 0, 1, 0, 0.1, 0}, turn[3] = {0, 0, 0.1};
    const double unreal[4] = {NAN, 0, 0, 0}, centre[3] = {0};
    stage s = open_stage();
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    def.backend = backend;
    def.reserve.welds = 1;
    REQUIRE_OK(taut_world_create(s.scene, &def, &world));
    INVALID(taut_world_move_fixed_bodies(world, 2, bodies, x, q)); /* free */
    CHECK_OK(taut_world_set_frames_fixed(world, 1, &first_body.frame, true));
    INVALID(taut_world_move_fixed_bodies(world, 1, bodies, x, q)); /* its point is free */
    for (int i = 0; i < 5; i++) {
        const taut_body both[2] = {first_body, wrong[i]};
        taut_weld_def weld = taut_default_weld();
        const taut_body joined[2] = {second_body, wrong[i]};
        weld.count = 1;
        weld.bodies = joined;
        INVALID(taut_world_set_bodies_fixed(world, 2, both, true));
        INVALID(taut_world_add_welds(world, &weld, NULL));
    }
    CHECK(strstr(taut_last_error(), "takes a body, not the world") != NULL);
    INVALID(taut_world_set_bodies_fixed(NULL, 1, bodies, true));
    INVALID(taut_world_set_bodies_fixed(world, 1, NULL, true));
    CHECK_OK(taut_world_set_bodies_fixed(world, 2, bodies, true));
    for (int i = 0; i < 5; i++) {
        const taut_body both[2] = {first_body, wrong[i]};
        INVALID(taut_world_move_fixed_bodies(world, 2, both, x, q));
        INVALID(taut_world_turn_fixed_bodies(world, 2, both, x, q, turn, centre));
    }
    INVALID(taut_world_move_fixed_bodies(NULL, 1, bodies, x, q));
    INVALID(taut_world_move_fixed_bodies(world, 1, NULL, x, q));
    INVALID(taut_world_move_fixed_bodies(world, 1, bodies, NULL, q));
    INVALID(taut_world_move_fixed_bodies(world, 1, bodies, x, NULL));
    INVALID(taut_world_move_fixed_bodies(world, 1, bodies, unreal, q));
    INVALID(taut_world_move_fixed_bodies(world, 1, bodies, x, unreal));
    INVALID(taut_world_turn_fixed_bodies(world, 1, bodies, x, q, NULL, centre));
    INVALID(taut_world_turn_fixed_bodies(world, 1, bodies, x, q, turn, NULL));
    INVALID(taut_world_turn_fixed_bodies(world, 1, bodies, x, q, unreal, centre));
    CHECK_OK(taut_world_move_fixed_bodies(world, 2, bodies, x, q));
    taut_world_destroy(world);
    close_stage(&s);
}

/* ---- running out of memory -------------------------------------------------------------------------------------- */

static const uint32_t two[2] = {0, 1};
static const taut_body two_bodies[2] = {{4, 0}, {5, 1}};

static taut_status add_joint(taut_scene* scene) {
    const taut_body with_world[2] = {first_body, TAUT_WORLD};
    taut_joints_def def = taut_default_joints();
    def.type = TAUT_JOINT_HINGE;
    def.drive = true;
    def.count = 1;
    def.bodies = with_world;
    def.positions = corners;
    return taut_scene_add_joints(scene, &def, NULL);
}

static taut_status add_alignment(taut_scene* scene) {
    taut_alignment_def def = taut_default_alignment();
    def.count = 1;
    def.frames = two;
    return taut_scene_add_alignments(scene, &def, NULL);
}

static taut_status add_segment(taut_scene* scene) {
    taut_segment_def def = taut_default_segment();
    def.count = 1;
    def.particles = def.frames = two;
    return taut_scene_add_segments(scene, &def, NULL);
}

static taut_status add_body_points(taut_scene* scene) {
    static const double masses[2] = {0, 1};
    taut_body_points_def def = taut_default_body_points();
    def.count = 2;
    def.bodies = two_bodies;
    def.local = corners;
    def.masses = masses;
    return taut_scene_add_body_points(scene, &def, NULL);
}

static taut_status add_combination(taut_scene* scene) {
    static const uint32_t last[2] = {9, 10};
    taut_combinations_def def = taut_default_combinations();
    def.count = 1;
    def.arity = 2;
    def.parents = last;
    return taut_scene_add_combinations(scene, &def, NULL);
}

static taut_status add_norms(taut_scene* scene) {
    taut_norms_def def = taut_default_norms();
    def.count = 2;
    def.parents = two;
    return taut_scene_add_norms(scene, &def, NULL);
}

/* The calls one by one, each tried again until it succeeds: what a refusal leaves behind would show in the counts, and
 * a scene that it had broken in what follows. */
TAUT_PLAIN_TEST(interface_frames, scenes_without_memory) {
    static taut_status (*const calls[])(taut_scene*) = {populate,        add_joint,       add_alignment, add_segment,
                                                        add_body_points, add_combination, add_norms};
    counting count = {0};
    taut_scene_def def = taut_default_scene();
    stage s = {0};
    def.allocator = counting_allocator(&count);
    CHECK_OK(taut_scene_create(&def, &s.scene));
    for (size_t c = 1; c < sizeof calls / sizeof *calls; c++) {
        taut_status status = c == 1 ? calls[0](s.scene) : TAUT_OK;
        CHECK_OK(status);
        s.points = taut_scene_particle_count(s.scene);
        s.frames = taut_scene_frame_count(s.scene);
        s.rows = taut_scene_row_count(s.scene);
        status = TAUT_OUT_OF_MEMORY;
        for (size_t k = 1; status != TAUT_OK && k < 100; k++) {
            count.refuse_from = count.requests + k;
            test_note("call %zu, request %zu refused", c, k);
            status = calls[c](s.scene);
            if (status != TAUT_OK) {
                CHECK_STATUS(status, TAUT_OUT_OF_MEMORY);
                CHECK(is_one_sentence(taut_last_error()));
                check_unchanged(&s);
            }
        }
        count.refuse_from = 0;
        CHECK_OK(status);
    }
    CHECK_INT(taut_scene_particle_count(s.scene), 9 + 1 + 2 + 1 + 2);
    CHECK(!count.misuse);
    taut_world_def world_def = taut_default_world();
    taut_world* world = NULL;
    world_def.backend = TAUT_BACKEND_CPU;
    CHECK_OK(taut_world_create(s.scene, &world_def, &world));
    CHECK_OK(taut_world_step(world, 0.001));
    taut_world_destroy(world);
    close_stage(&s);
    CHECK_INT(count.live, 0);
    test_note(NULL);
}

/* Every request of a fresh scene, of its world, and of an assembly of that. */
static taut_status try_all(counting* count, size_t spare, taut_backend_kind backend) {
    taut_scene_def scene_def = taut_default_scene();
    taut_world_def world_def = taut_default_world();
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    taut_assembly* assembly = NULL;
    scene_def.allocator = world_def.allocator = counting_allocator(count);
    world_def.backend = backend;
    taut_status (*const calls[])(taut_scene*) = {populate,        add_joint,       add_alignment, add_segment,
                                                 add_body_points, add_combination, add_norms};
    count->refuse_from = spare;
    taut_status status = taut_scene_create(&scene_def, &scene);
    for (size_t c = 0; status == TAUT_OK && c < sizeof calls / sizeof *calls; c++) {
        status = calls[c](scene);
    }
    if (status == TAUT_OK) {
        status = taut_world_create(scene, &world_def, &world);
    }
    if (status == TAUT_OK) {
        status = taut_assembly_create(world, &assembly);
    }
    taut_assembly_destroy(assembly);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
    return status;
}

TAUT_TEST(interface_frames, everything_without_memory) {
    counting count = {0};
    REQUIRE_OK(try_all(&count, 0, backend));
    const size_t requests = count.requests;
    for (size_t k = 1; k <= requests; k++) {
        count = (counting){0};
        test_note("request %zu of %zu refused", k, requests);
        CHECK_STATUS(try_all(&count, k, backend), TAUT_OUT_OF_MEMORY);
        CHECK(is_one_sentence(taut_last_error()));
        CHECK_INT(count.live, 0);
        CHECK(!count.misuse);
    }
    test_note(NULL);
}
