#include "scene_graph.h"

#include <string.h>

#include "dense_matrix.h"

/* The scene under construction; after a failure nothing more is added. */
typedef struct builder {
    taut_scene* scene;
    scene_graph* g;
    taut_status status;
} builder;

/* Whether the next call may be made. */
static bool good(const builder* b) {
    return b->status == TAUT_OK;
}

static void add_batch(builder* b, taut_batch batch) {
    if (batch.id != 0 && b->g->batch_count < GRAPH_BATCHES) {
        b->g->batches[b->g->batch_count++] = batch;
    }
}

/* In place of the number of a body. */
#define THE_WORLD UINT32_MAX

static taut_body body(const builder* b, uint32_t number) {
    return number != THE_WORLD ? taut_body_of(b->g->bodies, number) : TAUT_WORLD;
}

static void name_bodies(const builder* b, size_t count, const uint32_t* numbers, taut_body* bodies) {
    for (size_t i = 0; i < count; i++) {
        bodies[i] = body(b, numbers[i]);
    }
}

/* ---- bodies and joints ------------------------------------------------------------------------------------------- */

static const double centres[GRAPH_BODIES][3] = {
    [GRAPH_FIRST_BODY] = {0.2, 0, 0},
    [GRAPH_HINGED] = {0.6, 0, 0.05},
    [GRAPH_SLIDING] = {1.0, 0.03, 0},
    [GRAPH_UNIVERSAL] = {1.4, 0, -0.04},
    [GRAPH_TIP] = {1.8, 0, 0},
    [GRAPH_HINGED_TO_WORLD] = {0.2, 1, 0},
    [GRAPH_SLIDING_ON_WORLD] = {0.6, 1.5, 0},
    [GRAPH_UNIVERSAL_ON_WORLD] = {1, 1.5, 0},
    [GRAPH_FIXED_TO_WORLD] = {1.4, 1.5, 0.1},
    [GRAPH_SWINGING] = {0.6, 1, 0.03},
    [GRAPH_HELD] = {2.2, 1, 0},
    [GRAPH_SPUN] = {2.2, 0.5, 0.2},
};

static void add_bodies(builder* b) {
    static const double inertia[6] = {0.02, 0.03, 0.025, 0.002, -0.003, 0.001}; /* of a box of some 0.4 m, tilted */
    taut_bodies_def def = taut_default_bodies();
    random_state random = {5};
    double q[4 * GRAPH_BODIES], v[3 * GRAPH_BODIES], omega[3 * GRAPH_BODIES], mass[GRAPH_BODIES];
    bool fixed[GRAPH_BODIES] = {[GRAPH_HELD] = true};
    random_fill(&random, -1, 1, 4 * GRAPH_BODIES, q);
    random_fill(&random, -0.2, 0.2, 3 * GRAPH_BODIES, v);
    random_fill(&random, -0.5, 0.5, 3 * GRAPH_BODIES, omega);
    random_fill(&random, 0.5, 1.5, GRAPH_BODIES, mass);
    memset(v + 3 * GRAPH_HELD, 0, 3 * sizeof *v);
    memset(omega + 3 * GRAPH_HELD, 0, 3 * sizeof *omega);
    memcpy(omega + 3 * GRAPH_SPUN, (double[3]){4, 1, -6}, 3 * sizeof *omega);
    memcpy(def.inertia, inertia, sizeof inertia);
    def.count = GRAPH_BODIES;
    def.positions = centres[0];
    def.orientations = q;
    def.velocities = v;
    def.angular_velocities = omega;
    def.masses = mass;
    def.fixed = fixed;
    b->status = taut_scene_add_bodies(b->scene, &def, &b->g->bodies);
}

/* One on the world and one between bodies; undamped hard rows beside damped soft ones, another compliance per axis. */
static void add_joints(builder* b, taut_joint_type type, const uint32_t numbers[4], const double positions[6],
                       bool drive) {
    taut_joints_def def = taut_default_joints();
    random_state random = {60 + (uint64_t)type};
    taut_body bodies[4];
    double axes[8];
    name_bodies(b, 4, numbers, bodies);
    random_fill(&random, -1, 1, 8, axes);
    def.type = type;
    def.count = 2;
    def.bodies = bodies;
    def.positions = positions;
    def.orientations = axes;
    memcpy(def.translation_compliance, (double[3]){1e-5, 0, 2e-5}, sizeof def.translation_compliance);
    memcpy(def.rotation_compliance, (double[3]){1e-3, 2e-3, 0}, sizeof def.rotation_compliance);
    memcpy(def.translation_damping, (double[3]){0.01, 0, 0.02}, sizeof def.translation_damping);
    memcpy(def.rotation_damping, (double[3]){0.03, 0.02, 0}, sizeof def.rotation_damping);
    def.drive = drive;
    def.drive_compliance = 1e-3;
    def.drive_damping = 0.02;
    taut_joint_batches* made = &b->g->joints[type];
    if (good(b)) {
        b->status = taut_scene_add_joints(b->scene, &def, made);
    }
    add_batch(b, made->prismatic);
    add_batch(b, made->angular);
    add_batch(b, made->drive);
}

static void add_all_joints(builder* b) {
    static const uint32_t numbers[TAUT_JOINT_TYPE_COUNT][4] = {
        [TAUT_JOINT_BALL] = {THE_WORLD, GRAPH_FIRST_BODY, GRAPH_HINGED_TO_WORLD, GRAPH_SWINGING},
        [TAUT_JOINT_HINGE] = {THE_WORLD, GRAPH_HINGED_TO_WORLD, GRAPH_FIRST_BODY, GRAPH_HINGED},
        [TAUT_JOINT_SLIDER] = {THE_WORLD, GRAPH_SLIDING_ON_WORLD, GRAPH_HINGED, GRAPH_SLIDING},
        [TAUT_JOINT_UNIVERSAL] = {THE_WORLD, GRAPH_UNIVERSAL_ON_WORLD, GRAPH_SLIDING, GRAPH_UNIVERSAL},
        [TAUT_JOINT_FIXED] = {GRAPH_FIXED_TO_WORLD, THE_WORLD, GRAPH_UNIVERSAL, GRAPH_TIP}};
    static const double positions[TAUT_JOINT_TYPE_COUNT][6] = {[TAUT_JOINT_BALL] = {0, 0, 0, 0.4, 1, 0},
                                                               [TAUT_JOINT_HINGE] = {0, 1, 0, 0.4, 0, 0},
                                                               [TAUT_JOINT_SLIDER] = {0.5, 1.5, 0, 0.8, 0, 0},
                                                               [TAUT_JOINT_UNIVERSAL] = {1, 1.7, 0, 1.2, 0, 0},
                                                               [TAUT_JOINT_FIXED] = {1.4, 1.6, 0, 1.6, 0, 0}};
    for (int type = 0; type < TAUT_JOINT_TYPE_COUNT; type++) {
        add_joints(b, (taut_joint_type)type, numbers[type], positions[type],
                   type == TAUT_JOINT_HINGE || type == TAUT_JOINT_SLIDER);
    }
}

/* ---- points on bodies, particles, rods --------------------------------------------------------------------------- */

/* In the order of `body_points`. */
enum { ON_SWINGING, ON_TIP, ON_HELD, ON_HELD_TOO, ON_SPUN, ON_SLIDING, ON_SPUN_TOO, BODY_POINTS };

static void add_body_points(builder* b) {
    static const uint32_t numbers[BODY_POINTS] = {GRAPH_SWINGING,         GRAPH_TIP, GRAPH_HELD, GRAPH_HELD, GRAPH_SPUN,
                                                  GRAPH_SLIDING_ON_WORLD, GRAPH_SPUN};
    static const double at[BODY_POINTS][3] = {{0.8, 1, 0},     {2, 0, 0},       {2, 1, 0},       {2.2, 0.8, 0},
                                              {2.2, 0.6, 0.2}, {0.6, 1.4, 0.2}, {2.2, 0.3, 0.25}};
    static const double masses[BODY_POINTS] = {[ON_TIP] = 0.3};
    taut_body_points_def def = taut_default_body_points();
    taut_body bodies[BODY_POINTS];
    name_bodies(b, BODY_POINTS, numbers, bodies);
    def.count = BODY_POINTS;
    def.bodies = bodies;
    def.positions = at[0];
    def.masses = masses;
    if (good(b)) {
        b->status = taut_scene_add_body_points(b->scene, &def, &b->g->body_points);
    }
}

static void add_skinned(builder* b) {
    static const uint32_t numbers[5] = {GRAPH_FIRST_BODY, GRAPH_HINGED, GRAPH_SLIDING, GRAPH_UNIVERSAL, GRAPH_TIP};
    static const double at[6] = {0.4, 0.1, 0, 1.4, 0.15, 0.1}, weights[5] = {0.4, 0.6, 0.2, 0.5, 0.3};
    static const double masses[2] = {0.05, 0};
    static const size_t offsets[3] = {0, 2, 5};
    taut_skinned_def def = taut_default_skinned();
    taut_body bodies[5];
    name_bodies(b, 5, numbers, bodies);
    def.count = 2;
    def.positions = at;
    def.offsets = offsets;
    def.bodies = bodies;
    def.weights = weights;
    def.masses = masses;
    if (good(b)) {
        b->status = taut_scene_add_skinned(b->scene, &def, &b->g->skinned);
    }
}

static void add_particles(builder* b, size_t count, const double* positions, double mass, bool first_fixed,
                          taut_range* range) {
    taut_particles_def def = taut_default_particles();
    bool fixed[64] = {first_fixed};
    def.count = count;
    def.positions = positions;
    def.mass = mass;
    def.fixed = fixed;
    if (good(b)) {
        b->status = taut_scene_add_particles(b->scene, &def, range);
    }
}

static void add_distances(builder* b, size_t count, const uint32_t* nodes, double compliance, taut_batch* batch) {
    taut_distance_def def = taut_default_distance();
    def.count = count;
    def.particles = nodes;
    def.compliance = compliance;
    def.damping = 0.01;
    if (good(b)) {
        b->status = taut_scene_add_distances(b->scene, &def, batch);
    }
    add_batch(b, *batch);
}

enum { ROPE = 4 };

/* From the swinging body to the held one, from that to the spun one, and from there to the tip. */
static void add_ropes(builder* b) {
    double x[3 * ROPE];
    for (int i = 0; i < ROPE; i++) {
        memcpy(x + 3 * i, (double[3]){1.04 + 0.24 * i, 1 - 0.02 * i, 0.01 * i * i}, 3 * sizeof *x);
    }
    add_particles(b, ROPE, x, 0.1, false, &b->g->rope);
    const uint32_t p = b->g->body_points.first, r = b->g->rope.first;
    const uint32_t soft[14] = {
        p + ON_SWINGING, r,     r,           r + 1,       r + 1,      r + 2, r + 2,
        r + 3,           r + 3, p + ON_HELD, p + ON_SPUN, p + ON_TIP, r + 1, b->g->skinned.first};
    const uint32_t hard[2] = {p + ON_HELD_TOO, p + ON_SPUN};
    taut_batch batch = {0};
    add_distances(b, 7, soft, 1e-4, &batch);
    add_distances(b, 1, hard, 0, &batch);
}

static void add_clamp(builder* b) {
    taut_alignment_def def = taut_default_alignment();
    const uint32_t frames[2] = {b->g->rod.frames.first + b->g->rod.frames.count - 1, body(b, GRAPH_SPUN).frame};
    def.count = 1;
    def.frames = frames;
    memcpy(def.compliance, (double[3]){1e-2, 2e-2, 3e-2}, sizeof def.compliance);
    def.damping = 0.01;
    if (good(b)) {
        b->status = taut_scene_add_alignments(b->scene, &def, &b->g->clamp);
    }
    add_batch(b, b->g->clamp);
}

static void add_attachment(builder* b, uint32_t from, uint32_t to, double compliance) {
    taut_attachment_def def = taut_default_attachment();
    const double* x = taut_scene_positions(b->scene);
    const uint32_t nodes[2] = {from, to};
    double offset[3];
    taut_batch batch = {0};
    for (int a = 0; a < 3; a++) {
        offset[a] = x[3 * (size_t)to + (size_t)a] - x[3 * (size_t)from + (size_t)a];
    }
    def.count = 1;
    def.particles = nodes;
    def.offsets = offset;
    def.compliance = compliance;
    def.damping = 0.01;
    b->status = taut_scene_add_attachments(b->scene, &def, &batch);
    add_batch(b, batch);
}

enum { ROD = 5 };

/* Bent, from a fixed point and frame to a point of the spun body. */
static void add_rod(builder* b) {
    static const size_t offsets[2] = {0, ROD};
    taut_rods_def def = taut_default_rods();
    double x[3 * ROD];
    for (int i = 0; i < ROD; i++) {
        memcpy(x + 3 * i, (double[3]){1.8 + 0.1 * i, 0.2 + 0.025 * i, 0.25 + 0.02 * (i % 2)}, 3 * sizeof *x);
    }
    def.count = 1;
    def.offsets = offsets;
    def.positions = x;
    def.radius = 0.02;
    def.young = 1e6;
    def.shear = 4e5;
    def.damping = 0.01;
    if (good(b)) {
        b->status = taut_scene_add_rods(b->scene, &def, &b->g->rod);
    }
    if (good(b)) {
        b->status = taut_scene_set_fixed(b->scene, 1, &b->g->rod.points.first, true);
    }
    if (good(b)) {
        b->status = taut_scene_set_frames_fixed(b->scene, 1, &b->g->rod.frames.first, true);
    }
    add_batch(b, b->g->rod.segments);
    add_batch(b, b->g->rod.bends);
    add_clamp(b);
    if (good(b)) {
        add_attachment(b, b->g->rod.points.first + ROD - 1, b->g->body_points.first + ON_SPUN_TOO, 1e-4);
    }
}

/* ---- a sheet ----------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 6, ROWS = 5, SHEET = COLUMNS * ROWS, SHUFFLE = 11 };

/* Particle of place (i, j). */
static uint32_t sheet_at(const builder* b, int i, int j) {
    return b->g->sheet.first + (uint32_t)((j * COLUMNS + i) * SHUFFLE % SHEET);
}

static void add_sheet_particles(builder* b) {
    double x[3 * SHEET];
    for (int i = 0; i < COLUMNS; i++) {
        for (int j = 0; j < ROWS; j++) {
            const double place[3] = {0.3 + 0.1 * i, 0.3 + 0.02 * ((i + 2 * j) % 3), 0.2 + 0.1 * j};
            memcpy(x + 3 * sheet_at(b, i, j), place, sizeof place);
        }
    }
    add_particles(b, SHEET, x, 0.02, true, &b->g->sheet);
}

static void add_sheet_edges(builder* b) {
    uint32_t nodes[4 * SHEET];
    size_t count = 0;
    for (int k = 0; k < 2 * SHEET; k++) {
        const int i = k / 2 % COLUMNS, j = k / 2 / COLUMNS, right = k % 2;
        if (i + right < COLUMNS && j + 1 - right < ROWS) {
            nodes[2 * count] = sheet_at(b, i, j);
            nodes[2 * count + 1] = sheet_at(b, i + right, j + 1 - right);
            count++;
        }
    }
    add_distances(b, count, nodes, 1e-4, &b->g->edges);
}

static void add_bends(builder* b) {
    taut_bend_def def = taut_default_bend();
    const uint32_t nodes[8] = {sheet_at(b, 1, 0), sheet_at(b, 1, 1), sheet_at(b, 0, 0), sheet_at(b, 2, 1),
                               sheet_at(b, 2, 2), sheet_at(b, 3, 2), sheet_at(b, 2, 3), sheet_at(b, 3, 1)};
    taut_batch batch = {0};
    def.count = 2;
    def.particles = nodes;
    def.compliance = 1;
    def.damping = 0.01;
    if (good(b)) {
        b->status = taut_scene_add_bends(b->scene, &def, &batch);
    }
    add_batch(b, batch);
}

/* Triangles; the second one with a corner on a body. */
static void add_membranes(builder* b) {
    taut_membrane_def def = taut_default_membrane();
    const uint32_t nodes[6] = {sheet_at(b, 3, 3), sheet_at(b, 4, 3), sheet_at(b, 3, 4),
                               sheet_at(b, 5, 0), sheet_at(b, 5, 1), b->g->skinned.first};
    taut_batch batch = {0};
    def.count = 2;
    def.particles = nodes;
    def.softness = 1e-2;
    def.damping = 0.01;
    if (good(b)) {
        b->status = taut_scene_add_membranes(b->scene, &def, &batch);
    }
    add_batch(b, batch);
}

static void add_sheet(builder* b) {
    add_sheet_particles(b);
    add_sheet_edges(b);
    add_bends(b);
    add_membranes(b);
    if (good(b)) {
        add_attachment(b, sheet_at(b, 5, 4), b->g->skinned.first + 1, 1e-3);
    }
}

/* ---- a tetrahedron, a target ------------------------------------------------------------------------------------- */

/* One corner on a body. */
static void add_tetrahedron(builder* b) {
    static const double x[9] = {0.8, 1.4, 0.2, 0.6, 1.2, 0.2, 0.6, 1.4, 0};
    taut_tet_volume_def volume = taut_default_tet_volume();
    taut_tet_strain_def strain = taut_default_tet_strain();
    add_particles(b, 3, x, 0.1, false, &b->g->corners);
    const uint32_t c = b->g->corners.first, nodes[4] = {b->g->body_points.first + ON_SLIDING, c, c + 1, c + 2};
    taut_batch batches[2] = {{0}, {0}};
    volume.count = strain.count = 1;
    volume.particles = strain.particles = nodes;
    volume.compliance = 1e-8;
    strain.softness = 1e-4;
    volume.damping = strain.damping = 0.01;
    if (good(b)) {
        b->status = taut_scene_add_tet_volumes(b->scene, &volume, &batches[0]);
    }
    if (good(b)) {
        b->status = taut_scene_add_tet_strains(b->scene, &strain, &batches[1]);
    }
    add_batch(b, batches[0]);
    add_batch(b, batches[1]);
}

static void add_target(builder* b) {
    taut_target_def def = taut_default_target();
    const uint32_t centre = b->g->bodies.points.first + GRAPH_SPUN;
    def.count = 1;
    def.particles = &centre;
    def.compliance = 1e-2;
    def.damping = 0.02;
    if (good(b)) {
        b->status = taut_scene_add_targets(b->scene, &def, &b->g->target);
    }
    add_batch(b, b->g->target);
}

/* ---- points of points -------------------------------------------------------------------------------------------- */

/* A mean, and two differences. */
static void add_combinations(builder* b) {
    taut_combinations_def def = taut_default_combinations();
    const uint32_t p = b->g->body_points.first, r = b->g->rope.first;
    const uint32_t parents[7] = {
        r + 1, r + 2, p + ON_SWINGING, r + 3, p + ON_SPUN, sheet_at(b, 2, 2), b->g->skinned.first + 1};
    static const double weights[7] = {0.5, 0.3, 0.2, 1, -1, 1, -1}, masses[3] = {0.1, 0, 0};
    static const size_t offsets[4] = {0, 3, 5, 7};
    def.count = 3;
    def.offsets = offsets;
    def.parents = parents;
    def.weights = weights;
    def.masses = masses;
    if (good(b)) {
        b->status = taut_scene_add_combinations(b->scene, &def, &b->g->combinations);
    }
}

/* One point from single coordinates: `entries` of them, those of axis a from offsets[a] on. */
static void add_linear_point(builder* b, const size_t offsets[4], const uint32_t* coordinates, const double* weights,
                             double mass, taut_range* range) {
    taut_linear_map_def def = taut_default_linear_map();
    def.count = 1;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.masses = &mass;
    if (good(b)) {
        b->status = taut_scene_add_linear_map(b->scene, &def, range);
    }
}

static void add_lengths(builder* b, uint32_t first, uint32_t count, taut_range* range) {
    taut_norms_def def = taut_default_norms();
    const uint32_t parents[2] = {first, first + 1};
    def.count = count;
    def.parents = parents;
    if (good(b)) {
        b->status = taut_scene_add_norms(b->scene, &def, range);
    }
}

/* A row for each of them, the first one hard. */
static void hold_lengths(builder* b, const taut_range* lengths, double compliance) {
    static const size_t offsets[3] = {0, 1, 2};
    static const double weights[2] = {1, 1};
    taut_linear_def def = taut_default_linear();
    const uint32_t coordinates[2] = {3 * lengths->first, 3 * lengths->first + 3};
    const double compliances[2] = {0, compliance};
    taut_batch batch = {0};
    def.count = lengths->count;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.compliances = compliances;
    def.damping = 0.02;
    if (good(b)) {
        b->status = taut_scene_add_linear(b->scene, &def, &batch);
    }
    add_batch(b, batch);
}

static void add_points_of_points(builder* b) {
    static const size_t offsets[4] = {0, 2, 3, 3}, of_lengths[4] = {0, 1, 2, 3};
    static const double weights[3] = {0.5, 0.25, 0.7}, of_each[3] = {1, 2, -0.5};
    add_combinations(b);
    const uint32_t c = b->g->combinations.first, p = b->g->body_points.first;
    const uint32_t coordinates[3] = {3 * c, 3 * b->g->rope.first + 1, 3 * (p + ON_TIP) + 2};
    add_linear_point(b, offsets, coordinates, weights, 0.02, &b->g->linear_map);
    add_lengths(b, c + 1, 2, &b->g->lengths);
    hold_lengths(b, &b->g->lengths, 1e-4);
    const uint32_t n = b->g->lengths.first, next[3] = {3 * n, 3 * n + 3, 3 * b->g->rope.first + 2};
    taut_range both;
    add_linear_point(b, of_lengths, next, of_each, 0, &both);
    add_lengths(b, both.first, 1, &b->g->length_of_lengths);
    hold_lengths(b, &b->g->length_of_lengths, 0);
}

/* Points that no constraint and no mass acts on. */
static void add_passive(builder* b) {
    static const double at[3] = {0.5, 0.9, 0.2}, local[3] = {0.1, 0.05, -0.1}, half[2] = {0.5, 0.5};
    static const size_t offsets[4] = {0, 1, 1, 2};
    taut_body_points_def on_body = taut_default_body_points();
    taut_skinned_def skinned = taut_default_skinned();
    taut_combinations_def mean = taut_default_combinations();
    const taut_body bodies[2] = {body(b, GRAPH_HINGED_TO_WORLD), body(b, GRAPH_SWINGING)};
    const uint32_t parents[2] = {b->g->lengths.first, b->g->sheet.first};
    taut_range second;
    on_body.count = skinned.count = mean.count = 1;
    on_body.body = body(b, GRAPH_UNIVERSAL);
    on_body.local = local;
    skinned.positions = at;
    skinned.arity = mean.arity = 2;
    skinned.bodies = bodies;
    skinned.weights = mean.weights = half;
    mean.parents = parents;
    if (good(b)) {
        b->status = taut_scene_add_body_points(b->scene, &on_body, &b->g->passive);
    }
    if (good(b)) {
        b->status = taut_scene_add_skinned(b->scene, &skinned, &second);
    }
    b->g->passive.count = 2;
    const uint32_t coordinates[2] = {3 * b->g->passive.first + 1, 3 * b->g->passive.first};
    add_linear_point(b, offsets, coordinates, half, 0, &b->g->passive_on_passive);
    if (good(b)) {
        b->status = taut_scene_add_combinations(b->scene, &mean, &b->g->passive_on_a_length);
    }
}

/* Mapped points come before the particles where they can: they have other numbers in a world. */
taut_status scene_graph_add(taut_scene* scene, scene_graph* graph) {
    builder b = {scene, graph, TAUT_OK};
    memset(graph, 0, sizeof *graph);
    add_bodies(&b);
    add_body_points(&b);
    add_skinned(&b);
    add_all_joints(&b);
    add_ropes(&b);
    add_rod(&b);
    add_sheet(&b);
    add_tetrahedron(&b);
    add_target(&b);
    add_points_of_points(&b);
    add_passive(&b);
    return b.status;
}

taut_status scene_graph_world(const taut_world_def* def, scene_graph* graph, taut_world** world) {
    taut_scene_def scene_def = taut_default_scene();
    taut_scene* scene = NULL;
    taut_status status = taut_scene_create(&scene_def, &scene);
    if (status == TAUT_OK) {
        status = scene_graph_add(scene, graph);
    }
    if (status == TAUT_OK) {
        status = taut_world_create(scene, def, world);
    }
    taut_scene_destroy(scene);
    return status;
}
