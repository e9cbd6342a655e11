/* Gradients of chains of steps of bodies and rods against central differences: by poses, velocities, masses, inertias,
 * forces, torques, gravity, targets of drives, compliances and damping times, for every kind of joint. */
#define TAUT_REAL double
#include "kernels/formulas/rotation_math.h"

#include "harness.h"

#include <math.h>
#include <string.h>

enum { BODIES = 3, BATCHES = 3, STEPS = 3, MAPPED = 6, MOST_POINTS = 12, MOST_ROWS = 16 };

/* All that a function of the last state depends on. Each batch has one compliance and one damping time. */
typedef struct inputs {
    double x[3 * BODIES], v[3 * BODIES], turn[3 * BODIES], omega[3 * BODIES];
    double mass[BODIES], inertia[6 * BODIES], force[3 * BODIES], torque[3 * BODIES], gravity[3];
    double target; /* of the first drive in the second step */
    double compliance[BATCHES], damping[BATCHES];
} inputs;

enum { INPUTS = sizeof(inputs) / sizeof(double) };

typedef struct subject {
    const char* name;
    taut_joint_type type;
    bool free, drive, welds,
        maps; /* no joints; with a drive; segments and alignments, or mapped points in their place */
    double compliance, damping, mass_damping, alpha, beta, spin;
    int seed;
} subject;

typedef struct batches {
    taut_batch batch[BATCHES];
    size_t count[BATCHES], columns[BATCHES];
} batches;

static double any(const subject* s, size_t i) {
    return sin(1.7 * (double)i + 0.4 + s->seed) + 0.3 * cos(5.1 * (double)i - 2.3 * s->seed);
}

static inputs usual(const subject* s) {
    inputs in = {.gravity = {0.3, -9.81, 0.2}, .target = 0.12};
    for (size_t i = 0; i < 3 * BODIES; i++) {
        in.x[i] =
            (i % 3 == 0 ? 0.8 * (double)(i / 3) + 0.5 : 0) + (s->free || s->welds || s->maps ? 0.1 * any(s, i) : 0);
        in.v[i] = s->free ? any(s, 20 + i) : 0;
        in.omega[i] = s->free || s->welds || s->maps ? s->spin * any(s, 40 + i) : 0;
        in.force[i] = 2 * any(s, 60 + i);
        in.torque[i] = any(s, 80 + i);
        in.mass[i / 3] = 0.5 + 0.25 * (double)(i / 3);
    }
    for (size_t b = 0; b < BODIES; b++) {
        const double inertia[6] = {0.06, 0.09, 0.13, 0.01, -0.008, 0.006};
        memcpy(in.inertia + 6 * b, inertia, sizeof inertia);
    }
    for (size_t i = 0; i < BATCHES; i++) {
        in.compliance[i] = s->maps && i == 1 ? 1e-2 : s->compliance;
        in.damping[i] = s->damping;
    }
    return in;
}

/* ---- a world ---------------------------------------------------------------------------------------------------- */

static void add_joints(taut_scene* scene, const subject* s, taut_body_ranges bodies, batches* b) {
    taut_joints_def def = taut_default_joints();
    taut_joint_batches made;
    const double tilt[3] = {0.3, 0.2, -0.4};
    double axes[4 * BODIES], positions[3 * BODIES];
    taut_body pairs[2 * BODIES];
    for (uint32_t i = 0; i < BODIES; i++) {
        pairs[2 * i] = i > 0 ? taut_body_of(bodies, i - 1) : TAUT_WORLD;
        pairs[2 * i + 1] = taut_body_of(bodies, i);
        quat_exp(tilt, axes + 4 * (size_t)i);
        positions[3 * i] = 0.8 * (double)i + 0.1;
        positions[3 * i + 1] = 0.05;
        positions[3 * i + 2] = -0.03;
    }
    def.type = s->type;
    def.count = BODIES;
    def.bodies = pairs;
    def.positions = positions;
    def.orientations = axes;
    def.drive = s->drive;
    CHECK_OK(taut_scene_add_joints(scene, &def, &made));
    b->batch[0] = made.prismatic;
    b->batch[1] = made.angular;
    b->batch[2] = made.drive;
}

/* Points on the bodies and a mean of two centres, held together: two distances, and attachments. */
static void add_mapped(taut_scene* scene, const subject* s, taut_body_ranges bodies, batches* b) {
    taut_body_points_def points = taut_default_body_points();
    taut_combinations_def means = taut_default_combinations();
    taut_distance_def distances = taut_default_distance();
    taut_attachment_def attachments = taut_default_attachment();
    static const double local[15] = {0.3, 0.1, 0, -0.3, 0.1, 0.05, 0.2, -0.1, 0.1, 0.1, 0.2, -0.1, 0, 0.3, 0.1};
    const taut_body owners[5] = {taut_body_of(bodies, 0), taut_body_of(bodies, 1), taut_body_of(bodies, 1),
                                 taut_body_of(bodies, 2), taut_body_of(bodies, 0)};
    const uint32_t parents[2] = {bodies.points.first + 1, bodies.points.first + 2};
    const double weights[2] = {0.3, 0.7};
    taut_range on, mean;
    points.count = 5;
    points.bodies = owners;
    points.local = local;
    means.count = 1;
    means.arity = 2;
    means.parents = parents;
    means.weights = weights;
    CHECK_OK(taut_scene_add_body_points(scene, &points, &on));
    CHECK_OK(taut_scene_add_combinations(scene, &means, &mean));
    const uint32_t pairs[4] = {on.first, on.first + 1, on.first + 2, on.first + 3};
    const uint32_t ends[2] = {on.first + 4, mean.first};
    distances.count = 2;
    distances.particles = pairs;
    distances.compliance = 1;                                                       /* set later */
    distances.rest_lengths = s->compliance > 0 ? (const double[]){0.2, 0.9} : NULL; /* hard ones as they are */
    attachments.count = 1;
    attachments.particles = ends;
    attachments.compliance = 1;
    CHECK_OK(taut_scene_add_distances(scene, &distances, &b->batch[0]));
    CHECK_OK(taut_scene_add_attachments(scene, &attachments, &b->batch[1]));
}

/* Rows of rods between loose bodies: the centre of each is held in the frame of the next, softly, and its rotation. */
static void add_welds(taut_scene* scene, taut_body_ranges bodies, batches* b) {
    taut_segment_def segments = taut_default_segment();
    taut_alignment_def alignments = taut_default_alignment();
    uint32_t points[2 * (BODIES - 1)], frames[2 * (BODIES - 1)], own[BODIES - 1];
    for (uint32_t i = 0; i + 1 < BODIES; i++) {
        points[2 * i] = bodies.points.first + i;
        points[2 * i + 1] = bodies.points.first + i + 1;
        own[i] = frames[2 * i] = bodies.frames.first + i;
        frames[2 * i + 1] = bodies.frames.first + i + 1;
    }
    segments.count = alignments.count = BODIES - 1;
    segments.particles = points;
    segments.frames = own;
    alignments.frames = frames;
    alignments.compliance[0] = segments.compliance[0] = 1; /* set later */
    CHECK_OK(taut_scene_add_segments(scene, &segments, &b->batch[0]));
    CHECK_OK(taut_scene_add_alignments(scene, &alignments, &b->batch[1]));
}

static void set_laws(taut_world* world, const inputs* in, const batches* b) {
    for (size_t i = 0; i < BATCHES; i++) {
        double compliances[MOST_ROWS], dampings[MOST_ROWS];
        for (size_t k = 0; k < MOST_ROWS; k++) {
            compliances[k] = in->compliance[i];
            dampings[k] = in->damping[i];
        }
        if (b->batch[i].id > 0) {
            CHECK_OK(taut_world_set_compliances(world, b->batch[i], 0, b->count[i], compliances));
            CHECK_OK(taut_world_set_dampings(world, b->batch[i], 0, b->count[i], dampings));
        }
    }
}

/* The world begins with the joints where the usual inputs have them, and moves to where `in` says then. */
static void place(taut_world* world, const inputs* in) {
    double q[4 * BODIES];
    for (size_t i = 0; i < BODIES; i++) {
        quat_exp(in->turn + 3 * i, q + 4 * i);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, BODIES, in->x));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, BODIES, in->v));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, 0, BODIES, q));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, BODIES, in->omega));
}

static taut_world* make(const subject* s, const inputs* in, batches* b) {
    const inputs start = usual(s);
    taut_scene_def scene_def = taut_default_scene();
    taut_world_def def = taut_default_world();
    taut_bodies_def bodies = taut_default_bodies();
    taut_body_ranges ranges;
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    memset(b, 0, sizeof *b);
    bodies.count = BODIES;
    bodies.positions = start.x;
    bodies.masses = in->mass;
    bodies.inertias = in->inertia;
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    CHECK_OK(taut_scene_add_bodies(scene, &bodies, &ranges));
    if (s->maps) {
        add_mapped(scene, s, ranges, b);
    } else if (s->welds) {
        add_welds(scene, ranges, b);
    } else if (!s->free) {
        add_joints(scene, s, ranges, b);
    }
    for (size_t i = 0; i < BATCHES; i++) {
        taut_kind kind;
        if (b->batch[i].id > 0) {
            CHECK_OK(taut_scene_describe_batch(scene, b->batch[i], &kind, &b->count[i]));
            b->columns[i] = kind == TAUT_SEGMENT || kind == TAUT_ALIGNMENT ? 3 : 1;
        }
    }
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    memcpy(def.gravity, in->gravity, sizeof def.gravity);
    def.integrator.alpha = s->alpha > 0 ? s->alpha : 1;
    def.integrator.beta = s->beta > 0 ? s->beta : 1;
    def.integrator.mass_damping = s->mass_damping;
    def.integrator.newton = 300;
    def.integrator.closing_time = 0; /* as where gradients are recorded */
    def.integrator.newton_tolerance = s->maps ? 1e-9 : 1e-11;
    def.integrator.guard = false;
    def.solver.tolerance = 1e-12;
    def.solver.method = TAUT_METHOD_DIRECT;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    place(world, in);
    set_laws(world, in, b);
    CHECK_OK(taut_world_set_forces(world, 0, BODIES, in->force));
    CHECK_OK(taut_world_set_torques(world, 0, BODIES, in->torque));
    return world;
}

static void drive(taut_world* world, const subject* s, const inputs* in, const batches* b, int step) {
    if (step == 1 && s->drive) {
        CHECK_OK(taut_world_move_targets(world, b->batch[2], 0, 1, &in->target));
    }
}

/* ---- a function, and its derivatives by the last state ------------------------------------------------------------
 */

static double weight(const subject* s, size_t i) {
    return any(s, 200 + i);
}

/* u.R e of each frame for two axes e. */
static double of_orientation(const subject* s, size_t frame, const double q[4], double by_turn[3]) {
    double sum = 0;
    by_turn[0] = by_turn[1] = by_turn[2] = 0;
    for (size_t e = 0; e < 2; e++) {
        const double unit[3] = {e == 0, e == 1, 0};
        double r[3], u[3];
        quat_rotate(q, unit, r);
        for (size_t a = 0; a < 3; a++) {
            u[a] = weight(s, 100 + 6 * frame + 3 * e + a);
            sum += u[a] * r[a];
        }
        for (size_t a = 0; a < 3; a++) { /* d(u.r) = u.(t x r) = t.(r x u) */
            const size_t n = (a + 1) % 3, m = (a + 2) % 3;
            by_turn[a] += r[n] * u[m] - r[m] * u[n];
        }
    }
    return sum;
}

static double read_value(taut_world* world, taut_field field, size_t i) {
    double values[3] = {0, 0, 0};
    CHECK_OK(taut_world_read(world, field, i / 3, 1, values));
    return values[i % 3];
}

static double value_at(const subject* s, taut_world* world, double* by_x, double* by_v) {
    double x[3 * BODIES], v[3 * BODIES], q[4 * BODIES], omega[3 * BODIES], sum = 0;
    const size_t points = taut_world_particle_count(world);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, BODIES, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, BODIES, v));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, 0, BODIES, q));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, BODIES, omega));
    memset(by_x, 0, 6 * MOST_POINTS * sizeof *by_x);
    memset(by_v, 0, 6 * MOST_POINTS * sizeof *by_v);
    for (size_t i = 0; i < 3 * BODIES; i++) {
        by_x[i] = weight(s, i);
        by_v[i] = weight(s, 50 + i);
        by_v[3 * points + i] = 0.1 * weight(s, 75 + i);
        sum += by_x[i] * x[i] + by_v[i] * v[i] + by_v[3 * points + i] * omega[i];
    }
    for (size_t i = 3 * BODIES; s->maps && i < 3 * (BODIES + MAPPED); i++) {
        by_x[i] = weight(s, 300 + i);
        by_v[i] = weight(s, 350 + i);
        sum += by_x[i] * read_value(world, TAUT_FIELD_POSITIONS, i) +
               by_v[i] * read_value(world, TAUT_FIELD_VELOCITIES, i);
    }
    for (size_t frame = 0; frame < BODIES; frame++) {
        sum += of_orientation(s, frame, q + 4 * frame, by_x + 3 * (points + frame));
    }
    return sum;
}

static double function_of(const subject* s, const inputs* in) {
    batches b;
    double by_x[6 * MOST_POINTS], by_v[6 * MOST_POINTS];
    taut_world* world = make(s, in, &b);
    for (int i = 0; i < STEPS; i++) {
        drive(world, s, in, &b, i);
        CHECK_OK(taut_world_step(world, 0.02));
    }
    const double sum = value_at(s, world, by_x, by_v);
    taut_world_destroy(world);
    return sum;
}

/* ---- its gradient ------------------------------------------------------------------------------------------------ */

static double sum_of(const taut_gradients* g, const batches* b, size_t i, taut_gradient by) {
    double values[3 * MOST_ROWS] = {0}, sum = 0;
    const size_t columns = by == TAUT_GRADIENT_COMPLIANCES ? b->columns[i] : 1;
    CHECK_OK(taut_gradients_read_batch(g, b->batch[i], by, 0, b->count[i], values));
    for (size_t k = 0; k < columns * b->count[i]; k++) {
        sum += values[k];
    }
    return sum;
}

/* After a step back: the target is that of the second step, and then the rest value. */
static void add_sums(const taut_gradients* g, const subject* s, const batches* b, int step, inputs* out) {
    double values[3];
    for (size_t i = 0; i < BATCHES; i++) {
        if (b->batch[i].id > 0) {
            out->compliance[i] += sum_of(g, b, i, TAUT_GRADIENT_COMPLIANCES);
            out->damping[i] += sum_of(g, b, i, TAUT_GRADIENT_DAMPINGS);
        }
    }
    if (s->drive && step > 0) {
        CHECK_OK(taut_gradients_read_batch(
            g, b->batch[2], step == 1 ? TAUT_GRADIENT_TARGETS : TAUT_GRADIENT_REST_VALUES, 0, 1, values));
        out->target += values[0];
    }
}

static void read_sums(const taut_gradients* g, inputs* out) {
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_FORCES, 0, BODIES, out->force));
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_TORQUES, 0, BODIES, out->torque));
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_MASSES, 0, BODIES, out->mass));
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_GRAVITY, 0, 1, out->gravity));
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_INERTIAS, 0, BODIES, out->inertia));
}

static bool gradient_of(const subject* s, const inputs* in, inputs* out) {
    batches b;
    taut_gradients* g = NULL;
    double by_x[6 * MOST_POINTS], by_v[6 * MOST_POINTS];
    taut_world* world = make(s, in, &b);
    const size_t points = taut_world_particle_count(world);
    bool made = CHECK_OK(taut_gradients_create(world, STEPS, &g));
    *out = (inputs){.target = 0};
    for (int i = 0; made && i < STEPS; i++) {
        drive(world, s, in, &b, i);
        made = CHECK_OK(taut_gradients_step(g, 0.02));
    }
    value_at(s, world, by_x, by_v);
    for (int i = STEPS; made && i-- > 0;) {
        inputs one = {.target = 0};
        made = CHECK_OK(taut_gradients_back(g, by_x, by_v));
        read_sums(g, &one);
        add_sums(g, s, &b, i, &one);
        for (size_t k = 0; k < INPUTS; k++) {
            ((double*)out)[k] += ((double*)&one)[k];
        }
        CHECK_OK(taut_gradients_clear_sums(g));
    }
    if (made) {
        memcpy(out->x, by_x, sizeof out->x);
        memcpy(out->v, by_v, sizeof out->v);
        memcpy(out->turn, by_x + 3 * points, sizeof out->turn);
        memcpy(out->omega, by_v + 3 * points, sizeof out->omega);
    }
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    return made;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static double moved(const subject* s, const inputs* in, size_t i, double by) {
    inputs other = *in;
    ((double*)&other)[i] += by;
    return function_of(s, &other);
}

/* Arms of mapped points are in float32: the steps themselves have an error of 1e-7, which differences over short ways
 * show, and of 1e-6 with dampers. */
static double noise_of(const subject* s) {
    return !s->maps ? 2e-5 : s->damping > 0 ? 5e-4 : 1e-4;
}

/* Of fourth order. */
static double difference(const subject* s, const inputs* in, size_t i) {
    const size_t at = i * sizeof(double);
    const double value = ((const double*)in)[i];
    const bool of_law = at >= offsetof(inputs, compliance);
    const bool of_inertia = at >= offsetof(inputs, inertia) && at < offsetof(inputs, force);
    const double step = of_law ? 0.03 * value : of_inertia ? (s->maps ? 3e-3 : 5e-4) : s->maps ? 1e-2 : 2e-3;
    return (8 * (moved(s, in, i, step) - moved(s, in, i, -step)) -
            (moved(s, in, i, 2 * step) - moved(s, in, i, -2 * step))) /
           (12 * step);
}

static bool is_used(const subject* s, const inputs* in, size_t i) {
    const size_t at = i * sizeof(double);
    if (at >= offsetof(inputs, compliance)) {
        const size_t k = (at - offsetof(inputs, compliance)) / sizeof(double) % BATCHES;
        const bool there = !s->free && (k == 0 || (k == 1 && (s->welds || s->maps || s->type != TAUT_JOINT_BALL)) ||
                                        (k == 2 && s->drive));
        return there && ((const double*)in)[i] > 0;
    }
    return at != offsetof(inputs, target) || s->drive;
}

static void compare(const subject* s) {
    const inputs in = usual(s);
    inputs got;
    if (!gradient_of(s, &in, &got)) {
        return;
    }
    for (size_t i = 0; i < INPUTS; i++) {
        if (is_used(s, &in, i)) {
            const double expected = difference(s, &in, i);
            test_note("%s: input %zu", s->name, i);
            CHECK_NEAR(((double*)&got)[i], expected, noise_of(s) * (1 + fabs(expected)));
        }
    }
    test_note(NULL);
}

#define BODY_TEST(name_, ...)                                                                                          \
    TAUT_PLAIN_TEST(gradient_bodies, name_) {                                                                          \
        if (test_direct()) {                                                                                           \
            compare(&(subject){.name = #name_, __VA_ARGS__});                                                          \
        }                                                                                                              \
    }

BODY_TEST(tumbling, .free = true, .spin = 6)
BODY_TEST(tumbling_at_the_middle, .free = true, .spin = 9, .alpha = 0.5, .beta = 0.5, .seed = 1)
BODY_TEST(tumbling_with_mass_damping, .free = true, .spin = 8, .mass_damping = 3, .alpha = 0.6, .beta = 0.7, .seed = 9)
BODY_TEST(ball_joints, .type = TAUT_JOINT_BALL)
BODY_TEST(soft_ball_joints, .type = TAUT_JOINT_BALL, .compliance = 1e-3, .damping = 0.02, .seed = 2)
BODY_TEST(hinges, .type = TAUT_JOINT_HINGE, .seed = 3)
BODY_TEST(soft_hinges_with_drives, .type = TAUT_JOINT_HINGE, .drive = true, .compliance = 1e-2, .damping = 0.02,
          .alpha = 0.7, .beta = 0.8, .seed = 4)
BODY_TEST(sliders_with_drives, .type = TAUT_JOINT_SLIDER, .drive = true, .compliance = 1e-3, .damping = 0.01, .seed = 5)
BODY_TEST(universal_joints, .type = TAUT_JOINT_UNIVERSAL, .compliance = 1e-3, .damping = 0.02, .seed = 6)
BODY_TEST(fixed_joints, .type = TAUT_JOINT_FIXED, .compliance = 1e-2, .damping = 0.02, .alpha = 0.5, .beta = 0.5,
          .seed = 7)
BODY_TEST(welds, .welds = true, .compliance = 1e-2, .damping = 0.02, .spin = 2, .seed = 8)
BODY_TEST(points_on_bodies, .maps = true, .compliance = 1e-2, .spin = 2, .seed = 10)
BODY_TEST(hard_points_on_bodies, .maps = true, .spin = 1, .seed = 11)
BODY_TEST(damped_points_on_bodies, .maps = true, .compliance = 1e-3, .damping = 0.02, .spin = 2, .alpha = 0.7,
          .beta = 0.8, .seed = 12)

/* ---- what has none ----------------------------------------------------------------------------------------------- */

enum what { MOVED_FRAME, FAST_FRAME, MASS_ON_A_POINT, FORCE_ON_A_POINT };

static void make_body(taut_scene* scene, enum what what, taut_body_ranges* ranges) {
    taut_bodies_def bodies = taut_default_bodies();
    const double fast[3] = {0, 0, 80};
    const bool fixed = true;
    bodies.count = 1;
    bodies.positions = (const double[]){0, 0.1, 0};
    bodies.angular_velocities = what == FAST_FRAME ? fast : NULL;
    bodies.fixed = what == MOVED_FRAME ? &fixed : NULL;
    CHECK_OK(taut_scene_add_bodies(scene, &bodies, ranges));
}

static void make_point(taut_scene* scene, enum what what, taut_body_ranges ranges) {
    taut_body_points_def points = taut_default_body_points();
    points.count = 1;
    points.body = taut_body_of(ranges, 0);
    points.local = (const double[]){0.1, 0, 0};
    points.masses = what == MASS_ON_A_POINT ? (const double[]){0.2} : NULL;
    CHECK_OK(taut_scene_add_body_points(scene, &points, NULL));
}

/* The sentence of the step, or of the records, that is refused. */
static void check_refused(enum what what, const char* sentence) {
    taut_scene_def scene_def = taut_default_scene();
    taut_world_def def = taut_default_world();
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    taut_gradients* g = NULL;
    taut_body_ranges ranges;
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    make_body(scene, what, &ranges);
    if (what >= MASS_ON_A_POINT) {
        make_point(scene, what, ranges);
    }
    def.backend = TAUT_BACKEND_CPU;
    def.integrator.newton = 50;
    def.integrator.newton_tolerance = 1e-6;
    def.solver.tolerance = 1e-7;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    taut_status status = taut_gradients_create(world, 2, &g);
    if (what == MOVED_FRAME) {
        CHECK_OK(taut_world_move_fixed_frames(world, 1, &ranges.frames.first, (const double[]){0.9, 0.1, 0, 0}));
    }
    if (what == FORCE_ON_A_POINT) {
        CHECK_OK(taut_world_set_forces(world, 1, 1, (const double[]){1, 0, 0}));
    }
    for (int i = 0; i < 2 && status == TAUT_OK; i++) { /* contacts press from the second step on at the latest */
        status = taut_gradients_step(g, 1.0 / 60);
    }
    CHECK(status == TAUT_DIVERGED || status == TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), sentence) != NULL);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(gradient_bodies, what_has_none_says_so) {
    if (test_direct()) {
        check_refused(MOVED_FRAME, "a frame goes to a goal");
        check_refused(MASS_ON_A_POINT, "mapped points with a mass");
        check_refused(FORCE_ON_A_POINT, "a force acts on a mapped point");
        check_refused(FAST_FRAME, "turns by more than a radian");
    }
}
