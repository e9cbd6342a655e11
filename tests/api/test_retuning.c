/* Setters of running worlds, whose numbers inside differ from those given: each changes the elements that it names, by
 * the values given for them, and no other. Every element has nodes of its own, so that their motion shows its effect;
 * a world that keeps the numbers says how large it has to be. */
#include <math.h>
#include <string.h>

#include "dense_matrix.h"
#include "harness.h"
#include "unguarded.h"

enum { CELLS = 12, FIRST = 3, COUNT = 5, GROUPS = 20, CORNERS = 4, BODIES = 2, MOST = 3 };
enum { MOTION = 3 * (CORNERS + BODIES) }; /* velocities of a cell */

static const double dt = 0.02;

/* A batch, `per` constraints a cell. */
typedef struct group {
    const char* name;
    taut_batch batch;
    size_t per;
    uint32_t points, frames; /* first ones of this group; number p CELLS + slot(c) is corner p of cell c */
    uint32_t corners, bodies;
    size_t axes; /* compliances of a constraint */
    double compliance;
    size_t rests; /* rest values of a constraint that may be set, and... */
    size_t moves; /* be moved */
    bool damped, bounds, windy;
} group;

typedef struct subject {
    taut_scene* scene;
    group groups[GROUPS];
    size_t count;
} subject;

/* Orders without meaning: of a cell's numbers, and of its place. */
static uint32_t slot(uint32_t c) {
    return (5 * c + 2) % CELLS;
}

static double jitter(uint32_t seed) {
    const uint32_t x = (seed + 1) * UINT32_C(2654435761);
    return (double)(x >> 8) / (1 << 24) - 0.5;
}

static void place(size_t g, uint32_t c, double origin[3]) {
    const size_t n = 59 * (c * GROUPS + g) % (CELLS * GROUPS);
    origin[0] = 20.0 * (double)(n % 6);
    origin[1] = 20.0 * (double)(n / 6 % 4);
    origin[2] = 20.0 * (double)(n / 24);
}

static const double corner[CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.2, 1}};

/* Free particles of a group's cells that fly apart. */
static void add_points(subject* s, group* g, uint32_t corners) {
    static double x[3 * CORNERS * CELLS], v[3 * CORNERS * CELLS];
    taut_particles_def def = taut_default_particles();
    taut_range range = {0};
    for (uint32_t p = 0; p < corners; p++) {
        for (uint32_t c = 0; c < CELLS; c++) {
            const uint32_t n = p * CELLS + slot(c);
            place(s->count, c, x + 3 * n);
            for (uint32_t a = 0; a < 3; a++) {
                x[3 * n + a] += corner[p][a] + 0.1 * jitter(9 * n + a);
                v[3 * n + a] = jitter(9 * n + 3 + a);
            }
        }
    }
    def.count = (size_t)corners * CELLS;
    def.positions = x;
    def.velocities = v;
    CHECK_OK(taut_scene_add_particles(s->scene, &def, &range));
    g->points = range.first;
    g->corners = corners;
}

static void add_bodies(subject* s, group* g) {
    static double x[3 * BODIES * CELLS], v[3 * BODIES * CELLS], w[3 * BODIES * CELLS];
    taut_bodies_def def = taut_default_bodies();
    taut_body_ranges ranges = {0};
    for (uint32_t p = 0; p < BODIES; p++) {
        for (uint32_t c = 0; c < CELLS; c++) {
            const uint32_t n = p * CELLS + slot(c);
            place(s->count, c, x + 3 * n);
            for (uint32_t a = 0; a < 3; a++) {
                x[3 * n + a] += corner[p][a];
                v[3 * n + a] = jitter(9 * n + a);
                w[3 * n + a] = jitter(9 * n + 3 + a);
            }
        }
    }
    def.count = BODIES * CELLS;
    def.positions = x;
    def.velocities = v;
    def.angular_velocities = w;
    CHECK_OK(taut_scene_add_bodies(s->scene, &def, &ranges));
    g->points = ranges.points.first;
    g->frames = ranges.frames.first;
    g->corners = g->bodies = BODIES;
}

/* Numbers of the nodes of all cells, `arity` each. */
static const uint32_t* nodes(uint32_t first, uint32_t arity) {
    static uint32_t list[2][CORNERS * CELLS];
    static int turn;
    uint32_t* out = list[turn = !turn];
    for (uint32_t c = 0; c < CELLS; c++) {
        for (uint32_t p = 0; p < arity; p++) {
            out[arity * c + p] = first + p * CELLS + slot(c);
        }
    }
    return out;
}

/* Bodies of all cells, two each. */
static const taut_body* pairs_of(group g) {
    static taut_body list[2 * CELLS];
    const uint32_t *points = nodes(g.points, 2), *frames = nodes(g.frames, 2);
    for (uint32_t i = 0; i < 2 * CELLS; i++) {
        list[i] = (taut_body){points[i], frames[i]};
    }
    return list;
}

static void next_group(subject* s, group g) {
    s->groups[s->count++] = g;
}

#define ADD_POINTS(kind, call, corners_, ...)                                                                          \
    {                                                                                                                  \
        group g = {.name = #kind, .per = 1, .compliance = 1e-4, __VA_ARGS__};                                          \
        taut_##kind##_def def = taut_default_##kind();                                                                 \
        add_points(s, &g, corners_);                                                                                   \
        def.count = CELLS;                                                                                             \
        def.particles = nodes(g.points, corners_);                                                                     \
        SET_##kind;                                                                                                    \
        CHECK_OK(call(s->scene, &def, &g.batch));                                                                      \
        next_group(s, g);                                                                                              \
    }

#define SET_distance   def.compliance = g.compliance
#define SET_attachment def.compliance = g.compliance
#define SET_target     def.compliance = g.compliance
#define SET_bend       def.compliance = g.compliance
#define SET_membrane   def.softness = g.compliance
#define SET_tet_volume def.compliance = g.compliance
#define SET_tet_strain def.softness = g.compliance
#define SET_solid      def.young = 1e4
#define SET_surface    def.drag = 1
#define SET_attraction def.strength = 1

static void add_point_kinds(subject* s) {
    ADD_POINTS(distance, taut_scene_add_distances, 2, .axes = 1, .damped = true, .rests = 1, .bounds = true)
    ADD_POINTS(attachment, taut_scene_add_attachments, 2, .axes = 1, .damped = true, .bounds = true)
    ADD_POINTS(target, taut_scene_add_targets, 1, .axes = 1, .damped = true, .moves = 3, .bounds = true)
    ADD_POINTS(bend, taut_scene_add_bends, 4, .axes = 1, .damped = true, .rests = 1, .bounds = true)
    ADD_POINTS(membrane, taut_scene_add_membranes, 3, .axes = 1, .damped = true)
    ADD_POINTS(tet_volume, taut_scene_add_tet_volumes, 4, .axes = 1, .damped = true, .rests = 1, .bounds = true)
    ADD_POINTS(tet_strain, taut_scene_add_tet_strains, 4, .axes = 1, .damped = true)
    ADD_POINTS(solid, taut_scene_add_solids, 4, .damped = true)
    ADD_POINTS(surface, taut_scene_add_surfaces, 3, .axes = 0)
    ADD_POINTS(surface, taut_scene_add_surfaces, 3, .windy = true)
    ADD_POINTS(attraction, taut_scene_add_attractions, 1, .axes = 0)
}

static void add_linear(subject* s) {
    static const double weights[2 * CELLS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    group g = {.name = "linear", .per = 1, .axes = 1, .compliance = 1e-4, .rests = 1, .damped = true, .bounds = true};
    size_t offsets[CELLS + 1];
    uint32_t coordinates[2 * CELLS];
    add_points(s, &g, 2);
    for (uint32_t c = 0; c <= CELLS; c++) {
        offsets[c] = 2 * (size_t)c;
    }
    const uint32_t* of = nodes(g.points, 2);
    for (uint32_t e = 0; e < 2 * CELLS; e++) {
        coordinates[e] = 3 * of[e] + e % 2;
    }
    taut_linear_def def = taut_default_linear();
    def.count = CELLS;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.compliance = g.compliance;
    CHECK_OK(taut_scene_add_linear(s->scene, &def, &g.batch));
    next_group(s, g);
}

enum part { TRANSLATIONS, ROTATIONS, DRIVES };

/* Driven sliders, of whose batches one is looked at. */
static void add_sliders(subject* s, const char* name, enum part part) {
    group g = {.name = name, .axes = 1, .compliance = 1e-4, .rests = 1, .moves = 1, .damped = true, .bounds = true};
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches = {{0}, {0}, {0}};
    double positions[3 * CELLS];
    add_bodies(s, &g);
    for (uint32_t c = 0; c < CELLS; c++) {
        place(s->count, c, positions + 3 * c);
        positions[3 * c] += 0.5;
    }
    def.type = TAUT_JOINT_SLIDER;
    def.count = CELLS;
    def.bodies = pairs_of(g);
    def.positions = positions;
    def.drive = true;
    def.drive_compliance = g.compliance;
    for (int a = 0; a < 3; a++) {
        def.translation_compliance[a] = def.rotation_compliance[a] = g.compliance;
    }
    CHECK_OK(taut_scene_add_joints(s->scene, &def, &batches));
    g.batch = part == TRANSLATIONS ? batches.prismatic : part == ROTATIONS ? batches.angular : batches.drive;
    g.per = part == TRANSLATIONS ? 2 : part == ROTATIONS ? 3 : 1;
    next_group(s, g);
}

static void add_rod_kinds(subject* s) {
    group g = {.name = "alignment",
               .per = 1,
               .axes = 3,
               .compliance = 1e-4,
               .rests = 3,
               .damped = true,
               .moves = 3,
               .bounds = true};
    add_bodies(s, &g);
    taut_alignment_def alignment = taut_default_alignment();
    alignment.count = CELLS;
    alignment.frames = nodes(g.frames, 2);
    g.name = "alignment";
    for (int a = 0; a < 3; a++) {
        alignment.compliance[a] = g.compliance;
    }
    CHECK_OK(taut_scene_add_alignments(s->scene, &alignment, &g.batch));
    next_group(s, g);
    g.name = "segment", g.rests = 0, g.moves = 0;
    taut_segment_def segment = taut_default_segment();
    add_bodies(s, &g);
    segment.count = CELLS;
    segment.particles = nodes(g.points, 2);
    segment.frames = nodes(g.frames, 1);
    for (int a = 0; a < 3; a++) {
        segment.compliance[a] = g.compliance;
    }
    CHECK_OK(taut_scene_add_segments(s->scene, &segment, &g.batch));
    next_group(s, g);
}

static void open(subject* s, bool bounded) {
    const taut_scene_def def = taut_default_scene();
    *s = (subject){.count = 0};
    CHECK_OK(taut_scene_create(&def, &s->scene));
    add_point_kinds(s);
    add_linear(s);
    add_sliders(s, "prismatic", TRANSLATIONS);
    add_sliders(s, "angular", ROTATIONS);
    add_sliders(s, "drive", DRIVES);
    add_rod_kinds(s);
    for (size_t g = 0; bounded && g < s->count; g++) {
        if (s->groups[g].bounds) {
            CHECK_OK(taut_scene_set_bounds(s->scene, s->groups[g].batch, -1e6, 1e6, INFINITY));
        }
    }
}

static void close(subject* s) {
    taut_scene_destroy(s->scene);
}

/* ---- setters ---------------------------------------------------------------------------------------------------- */

/* Values for elements [FIRST, FIRST + COUNT) of a group: no two alike. */
typedef struct setting {
    size_t first, count;
    double up[MOST * MOST * COUNT]; /* 1 to 2 */
} setting;

static setting setting_for(const group* g) {
    setting out = {.first = g->per * FIRST, .count = g->per * COUNT};
    for (size_t i = 0; i < MOST * out.count; i++) {
        out.up[i] = 1 + (double)(i + 1) / (double)(MOST * out.count);
    }
    return out;
}

static void scale(setting* s, double factor) {
    for (size_t i = 0; i < MOST * s->count; i++) {
        s->up[i] = factor * s->up[i];
    }
}

/* A setter: false where the group has none. */
typedef bool setter(taut_world* world, const group* g);

static bool set_compliances(taut_world* world, const group* g) {
    setting s = setting_for(g);
    scale(&s, 10 * g->compliance);
    return g->axes > 0 && CHECK_OK(taut_world_set_compliances(world, g->batch, s.first, s.count, s.up));
}

static bool set_dampings(taut_world* world, const group* g) {
    setting s = setting_for(g);
    scale(&s, 0.1);
    return g->damped && CHECK_OK(taut_world_set_dampings(world, g->batch, s.first, s.count, s.up));
}

static bool set_rest_values(taut_world* world, const group* g) {
    setting s = setting_for(g);
    scale(&s, 0.2);
    return g->rests > 0 && CHECK_OK(taut_world_set_rest_values(world, g->batch, s.first, s.count, s.up));
}

static bool move_targets(taut_world* world, const group* g) {
    setting s = setting_for(g);
    scale(&s, 0.2);
    return g->moves > 0 && CHECK_OK(taut_world_move_targets(world, g->batch, s.first, s.count, s.up));
}

/* So small that every row is at a bound. */
static bool set_bounds(taut_world* world, const group* g) {
    setting upper = setting_for(g), lower = upper;
    scale(&upper, 1e-3);
    scale(&lower, -1e-3);
    return g->bounds &&
           CHECK_OK(taut_world_set_bounds(world, g->batch, upper.first, upper.count, lower.up, upper.up, NULL));
}

static bool set_pressures(taut_world* world, const group* g) {
    const setting s = setting_for(g);
    return strcmp(g->name, "surface") == 0 &&
           CHECK_OK(taut_world_set_pressures(world, g->batch, s.first, s.count, s.up));
}

static bool set_moduli(taut_world* world, const group* g) {
    setting young = setting_for(g), poisson = young;
    scale(&young, 3e5);
    scale(&poisson, 0.2);
    return strcmp(g->name, "solid") == 0 &&
           CHECK_OK(taut_world_set_moduli(world, g->batch, young.first, young.count, young.up, poisson.up));
}

/* Of the whole batch. */
static bool set_wind(taut_world* world, const group* g) {
    static const double wind[3] = {3, 4, 5};
    return g->windy && CHECK_OK(taut_world_set_wind(world, g->batch, wind));
}

/* ---- effects ---------------------------------------------------------------------------------------------------- */

typedef struct motion {
    double of[GROUPS][CELLS][MOTION];
} motion;

static void read_cell(taut_world* world, const group* g, uint32_t c, double* out) {
    for (uint32_t p = 0; p < g->corners; p++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, g->points + p * CELLS + slot(c), 1, out + 3 * p));
    }
    for (uint32_t b = 0; b < g->bodies; b++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, g->frames + b * CELLS + slot(c), 1,
                                 out + 3 * (CORNERS + b)));
    }
}

/* Velocities after a step, and which groups were set; `set` NULL: none. */
static void run(const subject* s, taut_backend_kind backend, bool reorder, setter* set, bool* done, motion* out) {
    taut_world_def def = unguarded_world(); /* whose effects on one element do not cut the step of the others */
    taut_world* world;
    *out = (motion){0};
    def.backend = backend;
    def.reorder = reorder;
    def.gravity[1] = 0;
    def.solver.tolerance = 1e-9;
    REQUIRE_OK(taut_world_create(s->scene, &def, &world));
    CHECK_OK(taut_world_step(world, dt));
    for (size_t g = 0; set != NULL && g < s->count; g++) {
        done[g] = set(world, &s->groups[g]);
    }
    CHECK_OK(taut_world_step(world, dt));
    for (size_t g = 0; g < s->count; g++) {
        for (uint32_t c = 0; c < CELLS; c++) {
            read_cell(world, &s->groups[g], c, out->of[g][c]);
        }
    }
    taut_world_destroy(world);
}

static double difference(const double* a, const double* b) {
    return dense_max_difference(MOTION, a, b);
}

/* A cell that was set moves as in a world that keeps the numbers, to a hundredth of the setting's effect on it; one
 * that was not moves as it did before. */
static void check_cell(const motion* plain, const motion* set, const motion* kept, size_t g, uint32_t c, bool changed) {
    const double effect = difference(kept->of[g][c], plain->of[g][c]);
    const double missed = difference(set->of[g][c], changed ? kept->of[g][c] : plain->of[g][c]);
    CHECK(!changed || effect > 1e-4);
    CHECK_NEAR(missed, 0, changed ? 1e-2 * effect : 1e-5);
}

static void check_setter(taut_backend_kind backend, const char* name, setter* set, bool bounded, bool whole) {
    static motion plain, with, kept;
    bool done[GROUPS] = {false};
    subject s;
    open(&s, bounded);
    run(&s, TAUT_BACKEND_CPU, false, set, done, &kept);
    run(&s, backend, true, NULL, NULL, &plain);
    run(&s, backend, true, set, done, &with);
    for (size_t g = 0; g < s.count; g++) {
        for (uint32_t c = 0; c < CELLS; c++) {
            const bool changed = done[g] && (whole || (c >= FIRST && c < FIRST + COUNT));
            test_note("%s of %s %zu, element %u", name, s.groups[g].name, g, c);
            check_cell(&plain, &with, &kept, g, c, changed);
        }
    }
    test_note(NULL);
    close(&s);
}

TAUT_TEST(retuning, compliances) {
    check_setter(backend, "compliance", set_compliances, false, false);
}

TAUT_TEST(retuning, dampings) {
    check_setter(backend, "damping", set_dampings, false, false);
}

TAUT_TEST(retuning, rest_values) {
    check_setter(backend, "rest value", set_rest_values, false, false);
}

TAUT_TEST(retuning, moved_targets) {
    check_setter(backend, "target", move_targets, false, false);
}

TAUT_TEST(retuning, bounds) {
    check_setter(backend, "bounds", set_bounds, true, false);
}

TAUT_TEST(retuning, pressures) {
    check_setter(backend, "pressure", set_pressures, false, false);
}

TAUT_TEST(retuning, moduli) {
    check_setter(backend, "modulus", set_moduli, false, false);
}

TAUT_TEST(retuning, wind) {
    check_setter(backend, "wind", set_wind, false, true);
}
