/* Thin solids that fly and spin do not pass through each other within a substep, however few iterations: their middles,
 * rectangles and segments, are looked at on the way from frame to frame, by intersections.h. */
#include "dense_matrix.h"
#include "intersections.h"
#include "phys_frames.h"
#include "surface_scenes.h"

#include <math.h>
#include <string.h>

#define H       (1.0 / 60)
#define THIN    0.002
#define SAMPLES 400

enum { PLATES = 2, CORNERS = 4 };

/* Halves of the sides of a plate or a needle. */
static const double plate[3] = {0.2, THIN, 0.15}, needle[3] = {THIN, THIN, 0.2};

typedef struct pose {
    double x[3], q[4];
} pose;

typedef struct pair {
    taut_scene* scene;
    taut_body body[PLATES];
    double half[PLATES][3];
} pair;

static void add(pair* p, int i, const double half[3], random_state* r, double y) {
    phys_body at = contact_at(random_in(r, -0.1, 0.1), y, random_in(r, -0.1, 0.1));
    double axis[3];
    random_fill(r, -1, 1, 3, axis);
    phys_turn(axis, random_in(r, 0, 3), at.q);
    memcpy(p->half[i], half, 3 * sizeof *half);
    taut_inertia_of_box(at.mass = 0.3, half, at.inertia);
    p->body[i] = phys_add_body(p->scene, &at);
    contact_shape(p->scene, TAUT_SHAPE_BOX, half, p->body[i], NULL, NULL, 0);
}

static void read_pose(taut_world* world, taut_body body, pose* out) {
    phys_body now;
    phys_read_body(world, body, &now);
    memcpy(out->x, now.x, sizeof now.x);
    memcpy(out->q, now.q, sizeof now.q);
}

/* The corners of the middle of a plate, or the ends of that of a needle and its middle twice. */
static void corners_at(const double half[3], const pose* from, const pose* to, double t, double* out) {
    double q[4], sign = 0, length = 0;
    for (int a = 0; a < 4; a++) {
        sign += from->q[a] * to->q[a];
    }
    for (int a = 0; a < 4; a++) {
        q[a] = (1 - t) * from->q[a] + (sign < 0 ? -t : t) * to->q[a];
        length += q[a] * q[a];
    }
    for (int a = 0; a < 4; a++) {
        q[a] /= sqrt(length);
    }
    for (int i = 0; i < CORNERS; i++) {
        const double across = half[0] > THIN ? (i == 1 || i == 2 ? half[0] : -half[0]) : 0;
        const double local[3] = {across, 0, i < 2 ? -half[2] : half[2]};
        phys_rotate(q, local, out + 3 * i);
        phys_add(1 - t, from->x, out + 3 * i);
        phys_add(t, to->x, out + 3 * i);
    }
}

static size_t meet_on_way(const pair* p, const pose* from, const pose* to) {
    const uint32_t edges[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 4, 5, 5, 6, 6, 7, 7, 4, 4, 6};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    size_t meetings = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        double x[3 * PLATES * CORNERS];
        for (int k = 0; k < PLATES; k++) {
            corners_at(p->half[k], &from[k], &to[k], (double)i / SAMPLES, x + 3 * CORNERS * k);
        }
        meetings += intersections_of(x, 10, edges, 4, triangles) > 0;
    }
    return meetings;
}

typedef struct outcome {
    size_t meetings, ways; /* ways: steps whose whole way was looked at */
    uint32_t resolved, zones;
} outcome;

static outcome fly(taut_backend_kind backend, uint64_t seed, double speed, uint32_t limit, bool unchecked, int steps) {
    random_state r = {seed};
    outcome out = {0};
    pair p = {.scene = phys_empty_scene()};
    pose from[PLATES], to[PLATES];
    contact_material(p.scene, 0.3, 0);
    const bool thin = random_in(&r, 0, 1) < 0.3;
    add(&p, 0, plate, &r, -0.5);
    add(&p, 1, thin ? needle : plate, &r, 0.5);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    def.solver.max_iterations = limit;
    def.solver.tolerance = 1e-4;
    def.contact.no_crossing_check = unchecked;
    taut_world* world = phys_world(p.scene, &def);
    for (int k = 0; k < PLATES; k++) {
        double v[3] = {0, (k == 0 ? 0.5 : -0.5) * speed, 0}, spin[3];
        random_fill(&r, -speed, speed, 3, spin);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, p.body[k].point, 1, v));
        CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, p.body[k].frame, 1, spin));
        read_pose(world, p.body[k], &from[k]);
    }
    for (int i = 0; i < steps; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_info(world, &info));
        for (int k = 0; k < PLATES; k++) {
            read_pose(world, p.body[k], &to[k]);
        }
        /* parts of a step have ways of their own: what is straight between its ends is the way of none */
        out.meetings += meet_on_way(&p, info.subdivided > 0 ? to : from, to);
        out.ways += info.subdivided == 0;
        memcpy(from, to, sizeof from);
        out.resolved += info.resolved;
        out.zones += info.zones;
    }
    taut_world_destroy(world);
    return out;
}

TAUT_PLAIN_TEST(contact_plates, do_not_pass) {
    const double speeds[] = {5, 20, 50};
    const uint32_t limits[] = {1, 5, 20, 2000};
    size_t unchecked = 0, ways = 0, all = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const double speed = speeds[seed % 3];
        const uint32_t limit = limits[seed % 4];
        const int steps = (int)(2 * 1.0 / (speed * H)) + 4;
        const outcome o = fly(TAUT_BACKEND_CPU, seed, speed, limit, false, steps);
        test_note("seed %llu, %g m/s, %u iterations: %zu meetings, %u solved again, %u zones", (unsigned long long)seed,
                  speed, limit, o.meetings, o.resolved, o.zones);
        CHECK_INT(o.meetings, 0);
        ways += o.ways;
        all += (size_t)steps;
        unchecked += fly(TAUT_BACKEND_CPU, seed, speed, limit, true, steps).meetings > 0;
    }
    test_note("%zu pairs pass where nothing is checked; %zu of %zu steps are whole", unchecked, ways, all);
    CHECK(unchecked > 10);
    CHECK(4 * ways > 3 * all); /* the rest is looked at from step to step alone */
    test_note(NULL);
}

/* On the device, where other solvers may move them a little differently. */
TAUT_CUDA_TEST(contact_plates, do_not_pass_on_the_device) {
    const uint64_t seeds[] = {5, 14, 20};
    const uint32_t limits[] = {5, 20, 1};
    uint32_t zones = 0;
    for (int i = 0; i < 3; i++) {
        const outcome o = fly(backend, seeds[i], 50, limits[i], false, 5);
        test_note("seed %llu: %u solved again, %u zones", (unsigned long long)seeds[i], o.resolved, o.zones);
        CHECK_INT(o.meetings, 0);
        CHECK(o.resolved > 0);
        CHECK(fly(backend, seeds[i], 50, limits[i], true, 5).meetings > 0);
        zones += o.zones;
    }
    CHECK(zones > 0);
    test_note(NULL);
}
