#include "graph_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/* ---- rotations -------------------------------------------------------------------------------------------------- */

static void multiply(const double a[4], const double b[4], double out[4]) {
    const double product[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, product, sizeof product);
}

void graph_turn(const double q[4], const double turn[3], double out[4]) {
    const double angle = dense_norm(3, turn), factor = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    const double by[4] = {cos(angle / 2), factor * turn[0], factor * turn[1], factor * turn[2]};
    multiply(by, q, out);
}

void graph_rotate(const double q[4], const double v[3], double out[3]) {
    const double pure[4] = {0, v[0], v[1], v[2]}, back[4] = {q[0], -q[1], -q[2], -q[3]};
    double half[4], whole[4];
    multiply(q, pure, half);
    multiply(half, back, whole);
    memcpy(out, whole + 1, 3 * sizeof(double));
}

/* The other way. */
static void to_frame(const double q[4], const double v[3], double out[3]) {
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    graph_rotate(back, v, out);
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

enum { MOST = 256, PARTICLES = 5, BODIES = 3, ROD = 4 };

typedef struct builder {
    taut_scene* scene;
    random_state random;
    graph_options options;
    uint32_t body[BODIES], centre[BODIES];
    uint32_t mapped[MOST], fixed[MOST]; /* `fixed` of points */
    bool frame_fixed[MOST];
    double pose[4 * BODIES]; /* orientations of the bodies */
    taut_range last;         /* lengths of the last level */
    graph_record record;
    bool good;
} builder;

static bool flip(builder* b) {
    return random_in(&b->random, 0, 1) < 0.5;
}

static uint32_t any(builder* b, uint32_t count) {
    return (uint32_t)(random_in(&b->random, 0, 0.9999999) * count);
}

static uint32_t any_point(builder* b) {
    return any(b, (uint32_t)taut_scene_particle_count(b->scene));
}

static const double* at(const builder* b, uint32_t point) {
    return taut_scene_positions(b->scene) + 3 * (size_t)point;
}

static double distance(const builder* b, uint32_t p, uint32_t q) {
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = at(b, p)[i] - at(b, q)[i];
    }
    return dense_norm(3, d);
}

/* Different points that are not at one place. */
static void any_points(builder* b, uint32_t count, uint32_t* out) {
    for (uint32_t i = 0; i < count; i++) {
        bool apart;
        do {
            out[i] = any_point(b);
            apart = true;
            for (uint32_t j = 0; j < i; j++) {
                apart = apart && out[i] != out[j] && distance(b, out[i], out[j]) > 0.05;
            }
        } while (!apart);
    }
}

static void add_particles(builder* b) {
    double x[3 * PARTICLES], v[3 * PARTICLES], m[PARTICLES];
    bool fixed[PARTICLES] = {false};
    taut_particles_def def = taut_default_particles();
    random_fill(&b->random, -1, 1, 3 * PARTICLES, x);
    random_fill(&b->random, -0.3, 0.3, 3 * PARTICLES, v);
    random_fill(&b->random, 0.2, 2, PARTICLES, m);
    fixed[1] = true;
    memset(v + 3, 0, 3 * sizeof(double));
    def.count = PARTICLES;
    def.positions = x;
    def.velocities = v;
    def.masses = m;
    def.fixed = fixed;
    b->good = b->good && CHECK_OK(taut_scene_add_particles(b->scene, &def, NULL));
    b->fixed[1] = 1;
}

/* Some positive definite inertia that is no multiple of 1. */
static void any_inertia(builder* b, double out[6]) {
    const double base[6] = {0.3, 0.5, 0.7, 0.05, -0.04, 0.08};
    const double scale = random_in(&b->random, 0.5, 2);
    for (int i = 0; i < 6; i++) {
        out[i] = scale * base[i];
    }
}

static void add_bodies(builder* b) {
    double x[3 * BODIES], q[4 * BODIES], v[3 * BODIES], omega[3 * BODIES], m[BODIES], inertia[6 * BODIES];
    bool fixed[BODIES] = {false, true, false};
    taut_bodies_def def = taut_default_bodies();
    taut_body_ranges made = {{0, 0}, {0, 0}};
    random_fill(&b->random, -1, 1, 3 * BODIES, x);
    random_fill(&b->random, -0.3, 0.3, 3 * BODIES, v);
    random_fill(&b->random, -1, 1, 3 * BODIES, omega);
    random_fill(&b->random, 0.5, 2, BODIES, m);
    memset(v + 3, 0, 3 * sizeof(double));
    memset(omega + 3, 0, 3 * sizeof(double));
    for (int i = 0; i < BODIES; i++) {
        const double unit[4] = {1, 0, 0, 0};
        double turn[3];
        random_fill(&b->random, -0.7, 0.7, 3, turn); /* any two within less than half a turn */
        graph_turn(unit, turn, q + 4 * i);
        any_inertia(b, inertia + 6 * i);
    }
    memcpy(b->pose, q, sizeof q);
    def.count = BODIES;
    def.positions = x;
    def.orientations = q;
    def.velocities = v;
    def.angular_velocities = omega;
    def.masses = m;
    def.inertias = inertia;
    def.fixed = fixed;
    b->good = b->good && CHECK_OK(taut_scene_add_bodies(b->scene, &def, &made));
    for (uint32_t i = 0; i < BODIES; i++) {
        b->body[i] = made.frames.first + i;
        b->centre[i] = made.points.first + i;
        b->fixed[b->centre[i]] = fixed[i];
        b->frame_fixed[b->body[i]] = fixed[i];
    }
}

static void add_rod(builder* b) {
    const size_t offsets[2] = {0, ROD};
    double x[3 * ROD];
    taut_rods_def def = taut_default_rods();
    for (size_t i = 0; i < ROD; i++) {
        x[3 * i] = 0.3 * sin(0.7 * (double)i);
        x[3 * i + 1] = 0.1 * (double)i;
        x[3 * i + 2] = 0.5 + 0.25 * (double)i + random_in(&b->random, -0.02, 0.02);
    }
    def.count = 1;
    def.offsets = offsets;
    def.positions = x;
    def.radius = 0.05;
    def.young = 2e6;
    def.shear = 1e6;
    def.straight = true;
    def.damping = GRAPH_DAMPING;
    b->good = b->good && CHECK_OK(taut_scene_add_rods(b->scene, &def, NULL));
}

/* ---- mapped points ----------------------------------------------------------------------------------------------- */

static void mark(builder* b, taut_range range, const double* masses) {
    for (uint32_t i = 0; i < range.count && range.first + i < MOST; i++) {
        b->mapped[range.first + i] = 1;
        b->record.mass[range.first + i] = masses != NULL && !b->options.massless ? masses[i] : 0;
    }
}

static void note_arm(builder* b, uint32_t point, uint32_t frame, double weight, const double local[3], double mass) {
    b->record.arms[b->record.arm_count++] = (graph_arm){
        point, frame, {weight * local[0], weight * local[1], weight * local[2]}, b->options.massless ? 0 : mass};
}

static taut_body body_of(const builder* b, uint32_t i) {
    return (taut_body){b->centre[i], b->body[i]};
}

static const double* masses_or_none(const builder* b, const double* masses) {
    return b->options.massless ? NULL : masses;
}

static void add_body_points(builder* b) {
    taut_body bodies[4];
    double local[12], masses[4] = {0, 0.3, 0, 0.1};
    taut_body_points_def def = taut_default_body_points();
    taut_range made = {0, 0};
    random_fill(&b->random, -0.6, 0.6, 12, local);
    for (int i = 0; i < 4; i++) {
        bodies[i] = body_of(b, i < 3 ? (uint32_t)i : any(b, BODIES));
    }
    def.count = 4;
    def.bodies = bodies;
    def.local = local;
    def.masses = masses_or_none(b, masses);
    b->good = b->good && CHECK_OK(taut_scene_add_body_points(b->scene, &def, &made));
    mark(b, made, masses);
    for (uint32_t i = 0; i < 4; i++) {
        note_arm(b, made.first + i, bodies[i].frame, 1, local + 3 * i, masses[i]);
    }
}

static void add_skinned(builder* b) {
    const size_t offsets[3] = {0, 2, 5};
    const uint32_t numbers[5] = {0, 1, 2, 0, 1};
    taut_body bodies[5];
    const double w = random_in(&b->random, 0.2, 0.8), weights[5] = {w, 1 - w, 0.5, 0.25, 0.25}, masses[2] = {0.2, 0};
    double x[6];
    taut_skinned_def def = taut_default_skinned();
    taut_range made = {0, 0};
    random_fill(&b->random, -1, 1, 6, x);
    for (uint32_t e = 0; e < 5; e++) {
        bodies[e] = body_of(b, numbers[e]);
    }
    def.count = 2;
    def.positions = x;
    def.offsets = offsets;
    def.bodies = bodies;
    def.weights = weights;
    def.masses = masses_or_none(b, masses);
    b->good = b->good && CHECK_OK(taut_scene_add_skinned(b->scene, &def, &made));
    mark(b, made, masses);
    for (uint32_t e = 0; e < 5; e++) {
        const uint32_t body = numbers[e], point = e < 2 ? 0 : 1;
        double d[3], local[3];
        for (int a = 0; a < 3; a++) {
            d[a] = x[3 * point + (uint32_t)a] - at(b, b->centre[body])[a];
        }
        to_frame(b->pose + 4 * body, d, local);
        note_arm(b, made.first + point, bodies[e].frame, weights[e], local, masses[point]);
    }
}

/* Of two to four parents, lengths of the last level among them. */
static void add_combinations(builder* b, uint32_t count) {
    size_t offsets[9] = {0};
    uint32_t parents[8 * 4];
    double weights[8 * 4], masses[8];
    taut_combinations_def def = taut_default_combinations();
    taut_range made = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t arity = 2 + any(b, 3);
        any_points(b, arity, parents + offsets[i]);
        if (b->last.count > 0 && flip(b)) {
            const uint32_t wanted = b->last.first + any(b, b->last.count);
            bool there = false;
            for (uint32_t k = 0; k < arity; k++) {
                there = there || parents[offsets[i] + k] == wanted;
            }
            parents[offsets[i]] = there ? parents[offsets[i]] : wanted;
        }
        random_fill(&b->random, 0.2, 0.9, arity, weights + offsets[i]);
        weights[offsets[i]] *= -1;
        masses[i] = flip(b) ? random_in(&b->random, 0.05, 0.4) : 0;
        offsets[i + 1] = offsets[i] + arity;
    }
    def.count = count;
    def.offsets = offsets;
    def.parents = parents;
    def.weights = weights;
    def.masses = masses_or_none(b, masses);
    b->good = b->good && CHECK_OK(taut_scene_add_combinations(b->scene, &def, &made));
    mark(b, made, masses);
}

static void add_linear_map(builder* b) {
    const size_t offsets[4] = {0, 2, 2, 5};
    uint32_t coordinates[5], nodes[5];
    double weights[5];
    const double mass = 0.15;
    taut_linear_map_def def = taut_default_linear_map();
    taut_range made = {0, 0};
    any_points(b, 5, nodes);
    for (int i = 0; i < 5; i++) {
        coordinates[i] = 3 * nodes[i] + any(b, 3);
    }
    random_fill(&b->random, -1, 1, 5, weights);
    def.count = 1;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.masses = masses_or_none(b, &mass);
    b->good = b->good && CHECK_OK(taut_scene_add_linear_map(b->scene, &def, &made));
    mark(b, made, &mass);
}

/* Lengths of points that are not at the origin; the newest points mostly. */
static void add_norms(builder* b) {
    enum { COUNT = 3 };
    uint32_t parents[COUNT];
    taut_norms_def def = taut_default_norms();
    const double origin[3] = {0, 0, 0};
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t all = (uint32_t)taut_scene_particle_count(b->scene);
        do {
            parents[i] = all - 1 - (b->options.depth > 0 ? any(b, i == 0 ? 3 : 10) : any(b, 3));
        } while (!(dense_max_difference(3, at(b, parents[i]), origin) > 0.2));
    }
    def.count = COUNT;
    def.parents = parents;
    b->good = b->good && CHECK_OK(taut_scene_add_norms(b->scene, &def, &b->last));
    mark(b, b->last, NULL);
    b->record.lengths = b->last;
    memcpy(b->record.length_parents, parents, sizeof parents);
}

/* Differences of particles: their lengths are distances. */
static void add_differences(builder* b) {
    const uint32_t parents[6] = {0, 2, 3, 1, 4, 0};
    const double weights[6] = {1, -1, 1, -1, 1, -1};
    taut_combinations_def def = taut_default_combinations();
    taut_range made = {0, 0};
    def.count = 3;
    def.arity = 2;
    def.parents = parents;
    def.weights = weights;
    b->good = b->good && CHECK_OK(taut_scene_add_combinations(b->scene, &def, &made));
    mark(b, made, NULL);
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

static double any_compliance(builder* b) {
    return pow(10, random_in(&b->random, -4, -2));
}

static void add_distances(builder* b) {
    enum { COUNT = 6 };
    uint32_t nodes[2 * COUNT];
    double lengths[COUNT];
    taut_distance_def def = taut_default_distance();
    for (int i = 0; i < COUNT; i++) {
        any_points(b, 2, nodes + 2 * i);
        lengths[i] = distance(b, nodes[2 * i], nodes[2 * i + 1]) * random_in(&b->random, 0.97, 1.03);
    }
    def.count = COUNT;
    def.particles = nodes;
    def.rest_lengths = lengths;
    def.compliance = any_compliance(b);
    def.damping = GRAPH_DAMPING;
    b->good = b->good && CHECK_OK(taut_scene_add_distances(b->scene, &def, NULL));
}

static void add_attachments(builder* b) {
    enum { COUNT = 4 };
    uint32_t nodes[2 * COUNT];
    double offsets[3 * COUNT];
    taut_attachment_def def = taut_default_attachment();
    for (int i = 0; i < COUNT; i++) {
        any_points(b, 2, nodes + 2 * i);
        for (int a = 0; a < 3; a++) {
            offsets[3 * i + a] =
                at(b, nodes[2 * i + 1])[a] - at(b, nodes[2 * i])[a] + random_in(&b->random, -0.02, 0.02);
        }
    }
    def.count = COUNT;
    def.particles = nodes;
    def.offsets = offsets;
    def.compliance = any_compliance(b);
    def.damping = GRAPH_DAMPING;
    b->good = b->good && CHECK_OK(taut_scene_add_attachments(b->scene, &def, NULL));
}

static void add_targets(builder* b) {
    enum { COUNT = 4 };
    uint32_t nodes[COUNT];
    double x[3 * COUNT];
    taut_target_def def = taut_default_target();
    any_points(b, COUNT, nodes);
    for (int i = 0; i < 3 * COUNT; i++) {
        x[i] = at(b, nodes[i / 3])[i % 3] + random_in(&b->random, -0.02, 0.02);
    }
    def.count = COUNT;
    def.particles = nodes;
    def.targets = x;
    def.compliance = any_compliance(b);
    def.damping = GRAPH_DAMPING;
    b->good = b->good && CHECK_OK(taut_scene_add_targets(b->scene, &def, NULL));
}

/* x = (b - a) x (c - a), and the height of d over it. */
static double height(const builder* b, const uint32_t nodes[4], double* area) {
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = at(b, nodes[1])[i] - at(b, nodes[0])[i];
        v[i] = at(b, nodes[2])[i] - at(b, nodes[0])[i];
        w[i] = at(b, nodes[3])[i] - at(b, nodes[0])[i];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    *area = dense_norm(3, n);
    return dense_dot(3, n, w);
}

/* Four points that make a fair tetrahedron. */
static void any_tetrahedron(builder* b, uint32_t nodes[4]) {
    double area, volume;
    do {
        any_points(b, 4, nodes);
        volume = height(b, nodes, &area);
    } while (!(fabs(volume) > 0.05 && area > 0.1));
    if (volume < 0) {
        const uint32_t first = nodes[0];
        nodes[0] = nodes[1];
        nodes[1] = first;
    }
}

static void add_elements(builder* b) {
    uint32_t nodes[8];
    taut_bend_def bend = taut_default_bend();
    taut_membrane_def membrane = taut_default_membrane();
    taut_tet_volume_def volume = taut_default_tet_volume();
    any_tetrahedron(b, nodes);
    any_tetrahedron(b, nodes + 4);
    bend.count = volume.count = 2;
    membrane.count = 1;
    bend.particles = membrane.particles = volume.particles = nodes;
    bend.compliance = 0.3;
    membrane.softness = volume.compliance = 1e-2;
    bend.damping = membrane.damping = volume.damping = GRAPH_DAMPING;
    b->good = b->good && CHECK_OK(taut_scene_add_bends(b->scene, &bend, NULL)) &&
              CHECK_OK(taut_scene_add_membranes(b->scene, &membrane, NULL)) &&
              CHECK_OK(taut_scene_add_tet_volumes(b->scene, &volume, NULL));
}

/* Rows on any coordinates, and one on each length of the last level. */
static void add_linear(builder* b) {
    size_t offsets[8] = {0};
    uint32_t coordinates[4 * 4 + 3], count = 0;
    double weights[4 * 4 + 3];
    taut_linear_def def = taut_default_linear();
    for (; count < 4; count++) {
        uint32_t nodes[4];
        any_points(b, 4, nodes);
        for (int i = 0; i < 4; i++) {
            coordinates[offsets[count] + (size_t)i] = 3 * nodes[i] + any(b, 3);
        }
        offsets[count + 1] = offsets[count] + 4;
    }
    random_fill(&b->random, -1, 1, 16, weights);
    for (uint32_t i = 0; i < b->last.count; i++, count++) {
        coordinates[offsets[count]] = 3 * (b->last.first + i);
        weights[offsets[count]] = 1;
        offsets[count + 1] = offsets[count] + 1;
    }
    double* rest = calloc(count, sizeof *rest);
    for (uint32_t r = 0; r < count; r++) {
        for (size_t e = offsets[r]; e < offsets[r + 1]; e++) {
            rest[r] += weights[e] * taut_scene_positions(b->scene)[coordinates[e]];
        }
        rest[r] += random_in(&b->random, -0.02, 0.02);
    }
    def.count = count;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.rest_values = rest;
    def.compliance = any_compliance(b);
    def.damping = GRAPH_DAMPING;
    b->good = b->good && CHECK_OK(taut_scene_add_linear(b->scene, &def, NULL));
    free(rest);
    b->record.linear_count = count;
    memcpy(b->record.linear_offsets, offsets, sizeof offsets);
    memcpy(b->record.linear_coordinates, coordinates, sizeof coordinates);
    memcpy(b->record.linear_weights, weights, sizeof weights);
}

/* The world's body is the last of all. */
static void note_joint(builder* b, int type, const uint32_t pair[2], const double anchors[6], const double axes[4]) {
    graph_joint* joint = &b->record.joints[type];
    const double size = dense_norm(4, axes), unit[4] = {axes[0] / size, axes[1] / size, axes[2] / size, axes[3] / size};
    for (int side = 0; side < 2; side++) {
        const bool world = type == TAUT_JOINT_SLIDER && side == 0;
        const double* q = b->pose + 4 * pair[side];
        const double identity[4] = {1, 0, 0, 0}, back[4] = {q[0], -q[1], -q[2], -q[3]};
        joint->frames[side] = world ? (uint32_t)taut_scene_frame_count(b->scene) : b->body[pair[side]];
        joint->centres[side] = world ? (uint32_t)taut_scene_particle_count(b->scene) : b->centre[pair[side]];
        memcpy(joint->anchor[side], anchors + 3 * side, 3 * sizeof(double));
        multiply(world ? identity : back, unit, joint->axes[side]);
    }
}

static void add_joints(builder* b) {
    for (int type = 0; type < TAUT_JOINT_TYPE_COUNT; type++) {
        const uint32_t pairs[3][2] = {{0, 1}, {1, 2}, {2, 0}};
        const uint32_t* pair = pairs[any(b, 3)];
        const taut_body bodies[2] = {type == 2 ? TAUT_WORLD : body_of(b, pair[0]), body_of(b, pair[1])};
        double anchors[6], axes[4];
        taut_joints_def def = taut_default_joints();
        for (int i = 0; i < 6; i++) {
            anchors[i] = random_in(&b->random, -0.4, 0.4);
        }
        random_fill(&b->random, 0.1, 1, 4, axes);
        note_joint(b, type, pair, anchors, axes);
        def.type = (taut_joint_type)type;
        def.count = 1;
        def.bodies = bodies;
        def.anchors = anchors;
        def.orientations = axes;
        def.drive = type == TAUT_JOINT_HINGE || type == TAUT_JOINT_SLIDER;
        for (int a = 0; a < 3; a++) {
            def.translation_compliance[a] = 0.05 + any_compliance(b);
            def.rotation_compliance[a] = 0.05 + any_compliance(b);
            def.translation_damping[a] = def.rotation_damping[a] = GRAPH_DAMPING;
        }
        def.drive_compliance = 0.03;
        def.drive_damping = GRAPH_DAMPING;
        b->good = b->good && CHECK_OK(taut_scene_add_joints(b->scene, &def, NULL));
    }
}

static void add_frame_rows(builder* b) {
    const uint32_t frames = (uint32_t)taut_scene_frame_count(b->scene);
    const uint32_t pairs[4] = {b->body[0], b->body[1], b->body[2], frames > BODIES ? BODIES : b->body[0]};
    uint32_t particles[6], owners[3];
    double rest[9], rotations[6];
    taut_segment_def segment = taut_default_segment();
    taut_alignment_def alignment = taut_default_alignment();
    for (int i = 0; i < 3; i++) {
        any_points(b, 2, particles + 2 * i);
        owners[i] = any(b, frames);
    }
    random_fill(&b->random, -0.3, 0.3, 9, rest);
    random_fill(&b->random, -0.3, 0.3, 6, rotations);
    segment.count = 3;
    segment.particles = particles;
    segment.frames = owners;
    segment.rest = rest;
    alignment.count = 2;
    alignment.frames = pairs;
    alignment.rest_rotations = rotations;
    for (int a = 0; a < 3; a++) {
        segment.compliance[a] = 0.1 * (a + 1);
        alignment.compliance[a] = 0.1 * (a + 1);
    }
    segment.damping = alignment.damping = GRAPH_DAMPING;
    b->good = b->good && CHECK_OK(taut_scene_add_segments(b->scene, &segment, NULL)) &&
              CHECK_OK(taut_scene_add_alignments(b->scene, &alignment, NULL));
}

static void add_mapped_levels(builder* b) {
    for (uint32_t level = 0; level < b->options.depth; level++) {
        add_combinations(b, 3);
        add_linear_map(b);
        add_norms(b);
    }
    if (b->options.depth > 0) {
        add_combinations(b, 2);
    } else {
        add_differences(b);
        add_norms(b);
    }
}

bool graph_scene(const graph_options* options, taut_scene* scene, graph_record* record, uint32_t** mapped,
                 uint32_t** fixed) {
    builder* b = calloc(1, sizeof *b);
    *b = (builder){.scene = scene, .random = {options->seed}, .options = *options, .good = true};
    add_particles(b);
    add_bodies(b);
    add_body_points(b);
    add_rod(b);
    add_skinned(b);
    add_mapped_levels(b);
    add_distances(b);
    add_attachments(b);
    add_targets(b);
    add_linear(b);
    add_joints(b);
    add_frame_rows(b);
    if (!options->plain) {
        add_elements(b);
    }
    const size_t points = taut_scene_particle_count(scene), frames = taut_scene_frame_count(scene);
    *mapped = calloc(points, sizeof **mapped);
    *fixed = calloc(points + frames, sizeof **fixed);
    memcpy(*mapped, b->mapped, points * sizeof **mapped);
    memcpy(*fixed, b->fixed, points * sizeof **fixed);
    for (size_t i = 0; i < frames; i++) {
        (*fixed)[points + i] = b->frame_fixed[i];
    }
    (*fixed)[points - 1] = 1; /* the world, which the first joint with it adds */
    (*fixed)[points + frames - 1] = 1;
    *record = b->record;
    const bool good = b->good;
    free(b);
    return good;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static void push(graph_world* g) {
    random_fill(&g->random, -1, 1, g->n, g->forces);
    CHECK_OK(taut_world_set_forces(g->world, 0, g->points, g->forces));
    CHECK_OK(taut_world_set_torques(g->world, 0, g->frames, g->forces + 3 * g->points));
}

bool graph_open_world(graph_world* g, const graph_options* options, const taut_world_def* def, int steps, double h) {
    const taut_scene_def plain = taut_default_scene();
    taut_scene* scene = NULL;
    *g = (graph_world){.def = *def, .random = {options->seed + 1000}};
    g->def.solver.tolerance = 1e-10;
    g->def.solver.max_iterations = 100000;
    bool good = CHECK_OK(taut_scene_create(&plain, &scene)) &&
                graph_scene(options, scene, &g->record, &g->mapped, &g->fixed) &&
                CHECK_OK(taut_world_create(scene, &g->def, &g->world));
    taut_scene_destroy(scene);
    if (!good) {
        return false;
    }
    g->points = taut_world_particle_count(g->world);
    g->frames = taut_world_frame_count(g->world);
    g->n = 3 * (g->points + g->frames);
    g->m = taut_world_row_count(g->world);
    g->x = calloc(3 * g->points, sizeof *g->x);
    g->v = calloc(3 * g->points, sizeof *g->v);
    g->q = calloc(4 * g->frames, sizeof *g->q);
    g->omega = calloc(3 * g->frames, sizeof *g->omega);
    g->forces = calloc(g->n, sizeof *g->forces);
    if (options->seed % 3 != 0) { /* without them forces on passive points are passed over */
        push(g);
    }
    for (int i = 0; i < steps; i++) {
        good = good && CHECK_OK(taut_world_step(g->world, h));
    }
    graph_read(g);
    return good;
}

void graph_close_world(graph_world* g) {
    taut_world_destroy(g->world);
    free(g->mapped);
    free(g->fixed);
    free(g->x);
    free(g->q);
    free(g->v);
    free(g->omega);
    free(g->forces);
    *g = (graph_world){0};
}

void graph_read(graph_world* g) {
    CHECK_OK(taut_world_read(g->world, TAUT_FIELD_POSITIONS, 0, g->points, g->x));
    CHECK_OK(taut_world_read(g->world, TAUT_FIELD_VELOCITIES, 0, g->points, g->v));
    CHECK_OK(taut_world_read(g->world, TAUT_FIELD_ORIENTATIONS, 0, g->frames, g->q));
    CHECK_OK(taut_world_read(g->world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, g->frames, g->omega));
}

void graph_copy_state(const graph_world* from, graph_world* to) {
    const size_t points = from->points, frames = from->frames;
    memcpy(to->x, from->x, 3 * points * sizeof(double));
    memcpy(to->v, from->v, 3 * points * sizeof(double));
    memcpy(to->q, from->q, 4 * frames * sizeof(double));
    memcpy(to->omega, from->omega, 3 * frames * sizeof(double));
    for (size_t p = 0; p < points; p++) {
        if (!from->mapped[p]) {
            CHECK_OK(taut_world_write(to->world, TAUT_FIELD_POSITIONS, p, 1, to->x + 3 * p));
            CHECK_OK(taut_world_write(to->world, TAUT_FIELD_VELOCITIES, p, 1, to->v + 3 * p));
        }
    }
    CHECK_OK(taut_world_write(to->world, TAUT_FIELD_ORIENTATIONS, 0, frames, to->q));
    CHECK_OK(taut_world_write(to->world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, frames, to->omega));
}

void graph_write_moved(graph_world* g, double e, const double* d) {
    double* q = calloc(4 * g->frames, sizeof *q);
    for (size_t p = 0; p < g->points; p++) {
        double x[3];
        for (size_t a = 0; a < 3; a++) {
            x[a] = g->x[3 * p + a] + e * d[3 * p + a];
        }
        if (!g->mapped[p]) {
            CHECK_OK(taut_world_write(g->world, TAUT_FIELD_POSITIONS, p, 1, x));
        }
    }
    for (size_t j = 0; j < g->frames; j++) {
        const double* way = d + 3 * (g->points + j);
        const double turn[3] = {e * way[0], e * way[1], e * way[2]};
        graph_turn(g->q + 4 * j, turn, q + 4 * j);
    }
    CHECK_OK(taut_world_write(g->world, TAUT_FIELD_ORIENTATIONS, 0, g->frames, q));
    free(q);
}
