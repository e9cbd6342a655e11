/* Gradients of chains of steps against central differences, for every kind that has them, by everything that they know.
 */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 6, MOST = 3, STEPS = 3, LED = 0, BESIDE = 1 };

/* All that a function of the last state depends on. */
typedef struct inputs {
    double x[3 * POINTS], v[3 * POINTS], mass[POINTS], force[3 * POINTS], gravity[3];
    double goal[3];                                         /* of particle LED in the second step */
    double compliance[MOST], damping[MOST], rest[3 * MOST]; /* of the batch */
    double target[3];                                       /* of a target in the second step */
} inputs;

enum { INPUTS = sizeof(inputs) / sizeof(double) };

typedef struct subject {
    const char* name;
    taut_kind kind;
    size_t count;
    double alpha, beta; /* 0: 1 */
    double mass_damping;
    double compliance, damping;
    bool of_velocities, as_force, bounded;
    bool little_memory;
    bool side;        /* particle BESIDE is fixed, too: a row sees nothing else */
    double pressure;  /* Pa, of a surface; 0: wind */
    double h;         /* s; 0: 0.02 */
    double tolerance; /* of Newton's method; 0: 1e-12 */
} subject;

static const double places[3 * POINTS] = {0.02, -0.01, 0.03, 1.05, 0.04, -0.02, -0.03, 0.96, 0.05,
                                          0.04, 0.02,  1.07, 1.02, 0.97, 1.05,  0.3,   -0.5, 1.2};
/* Weights of the function, and velocities: any numbers. */
static double any(size_t i) {
    return sin(1.7 * (double)i + 0.4) + 0.3 * cos(5.1 * (double)i);
}

static const double rest_tets[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};

static inputs usual(const subject* s) {
    inputs in = {.gravity = {0.3, -9.81, 0.2}, .goal = {0.1, 0.02, -0.04}, .target = {1.1, 0.8, 1.2}};
    memcpy(in.x, places, sizeof places);
    for (size_t i = 0; i < 3 * POINTS; i++) {
        in.v[i] = i / 3 == LED || (s->side && i / 3 == BESIDE) ? 0 : 0.5 * any(i);
        in.force[i] = 0.2 * any(100 + i);
        in.mass[i / 3] = 0.25 * (double)(1 + i % 2);
    }
    for (size_t i = 0; i < MOST; i++) {
        in.compliance[i] = s->compliance;
        in.damping[i] = s->damping;
    }
    for (size_t i = 0; i < 3 * MOST; i++) {
        in.rest[i] = s->kind == TAUT_BEND ? 0.2 : s->kind == TAUT_TARGET ? 0.9 : s->kind == TAUT_TET_VOLUME ? 0.2 : 1.1;
    }
    return in;
}

/* ---- a world ---------------------------------------------------------------------------------------------------- */

static void add_rows(taut_scene* scene, const subject* s, const inputs* in, taut_batch* batch) {
    static const size_t offsets[3] = {0, 3, 5};
    static const uint32_t coordinates[5] = {3, 8, 13, 9, 16};
    static const double weights[5] = {1, -0.5, 0.7, 1, -1};
    taut_linear_def def = taut_default_linear();
    def.count = s->count;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.rest_values = in->rest;
    def.of_velocities = s->of_velocities;
    def.compliances = in->compliance;
    def.dampings = in->damping;
    CHECK_OK(taut_scene_add_linear(scene, &def, batch));
}

#define FILL(def, members)                                                                                             \
    (def).count = s->count;                                                                                            \
    (def).particles = (const uint32_t[])members;                                                                       \
    (def).dampings = in->damping
#define LIST(...)                                                                                                      \
    { __VA_ARGS__ }

static void add_constraints(taut_scene* scene, const subject* s, const inputs* in, taut_batch* batch) {
    taut_distance_def distances = taut_default_distance();
    taut_attachment_def attachments = taut_default_attachment();
    taut_target_def targets = taut_default_target();
    taut_bend_def bends = taut_default_bend();
    taut_membrane_def membranes = taut_default_membrane();
    taut_tet_volume_def volumes = taut_default_tet_volume();
    taut_tet_strain_def strains = taut_default_tet_strain();
    static const double flat[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0.2, 0.1, 1.1};
    switch (s->kind) {
    case TAUT_DISTANCE:
        FILL(distances, LIST(0, 1, 1, 2, 2, 3));
        distances.rest_lengths = in->rest;
        distances.compliances = in->compliance;
        CHECK_OK(taut_scene_add_distances(scene, &distances, batch));
        break;
    case TAUT_ATTACHMENT:
        FILL(attachments, LIST(0, 1, 4, 2));
        attachments.compliances = in->compliance;
        CHECK_OK(taut_scene_add_attachments(scene, &attachments, batch));
        break;
    case TAUT_TARGET:
        FILL(targets, LIST(4, 2));
        targets.targets = in->rest;
        targets.compliances = in->compliance;
        CHECK_OK(taut_scene_add_targets(scene, &targets, batch));
        break;
    case TAUT_BEND:
        FILL(bends, LIST(1, 2, 0, 3, 2, 3, 1, 4));
        bends.rest_angles = in->rest;
        bends.compliances = in->compliance;
        CHECK_OK(taut_scene_add_bends(scene, &bends, batch));
        break;
    case TAUT_MEMBRANE:
        FILL(membranes, LIST(0, 1, 2, 1, 3, 2));
        membranes.rest = flat;
        membranes.softnesses = in->compliance;
        CHECK_OK(taut_scene_add_membranes(scene, &membranes, batch));
        break;
    case TAUT_TET_VOLUME:
        FILL(volumes, LIST(0, 1, 2, 3, 1, 2, 3, 4));
        volumes.rest_volumes = in->rest;
        volumes.compliances = in->compliance;
        CHECK_OK(taut_scene_add_tet_volumes(scene, &volumes, batch));
        break;
    case TAUT_TET_STRAIN:
        FILL(strains, LIST(0, 1, 2, 3, 1, 2, 3, 4));
        strains.rest = rest_tets;
        strains.softnesses = in->compliance;
        CHECK_OK(taut_scene_add_tet_strains(scene, &strains, batch));
        break;
    default:
        add_rows(scene, s, in, batch);
        break;
    }
}

static void add_elements(taut_scene* scene, const subject* s, taut_batch* batch) {
    if (s->kind == TAUT_SOLID) {
        taut_solid_def def = taut_default_solid();
        def.count = 2;
        def.particles = (const uint32_t[]){0, 1, 2, 3, 1, 2, 3, 4};
        def.rest = rest_tets;
        def.young = 100;
        def.elasticity = TAUT_ELASTICITY_NEO_HOOKEAN;
        CHECK_OK(taut_scene_add_solids(scene, &def, batch));
    } else if (s->kind == TAUT_SURFACE) {
        taut_surface_def def = taut_default_surface();
        def.count = 2;
        def.particles = (const uint32_t[]){0, 1, 2, 1, 3, 2};
        def.pressure = s->pressure;
        def.drag = s->pressure > 0 ? 0 : 0.6;
        def.friction = s->pressure > 0 ? 0 : 0.1;
        def.wind[0] = 3;
        def.wind[2] = 1;
        CHECK_OK(taut_scene_add_surfaces(scene, &def, batch));
    } else {
        taut_attraction_def def = taut_default_attraction();
        const double masses[2] = {0.25, 0.5};
        def.count = 2;
        def.particles = (const uint32_t[]){1, 4};
        def.masses = masses;
        def.strength = 4;
        def.softening = 0.2;
        CHECK_OK(taut_scene_add_attractions(scene, &def, batch));
    }
}

static bool is_element(taut_kind kind) {
    return kind == TAUT_SOLID || kind == TAUT_SURFACE || kind == TAUT_ATTRACTION;
}

/* An allocator that has no more than a gigabyte for one request. */
static void* allocate_some(size_t bytes, size_t alignment, void* user) {
    (void)user;
    return bytes > (size_t)1 << 30 ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release_some(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}

static taut_world* make(const subject* s, const inputs* in, taut_batch* batch) {
    taut_scene_def scene_def = taut_default_scene();
    taut_world_def def = taut_default_world();
    taut_particles_def particles = taut_default_particles();
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    bool fixed[POINTS] = {false};
    fixed[LED] = true;
    fixed[BESIDE] = s->side;
    particles.count = POINTS;
    particles.positions = in->x;
    particles.velocities = in->v;
    particles.masses = in->mass;
    particles.fixed = fixed;
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    if (is_element(s->kind)) {
        add_elements(scene, s, batch);
    } else {
        add_constraints(scene, s, in, batch);
    }
    if (s->bounded) {
        CHECK_OK(taut_scene_set_bounds(scene, *batch, -4, 4, INFINITY));
    }
    if (s->as_force) {
        CHECK_OK(taut_scene_use_as_forces(scene, *batch));
    }
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    if (s->little_memory) {
        def.allocator = (taut_allocator){allocate_some, release_some, NULL};
    }
    memcpy(def.gravity, in->gravity, sizeof def.gravity);
    def.integrator.alpha = s->alpha > 0 ? s->alpha : 1;
    def.integrator.beta = s->beta > 0 ? s->beta : 1;
    def.integrator.mass_damping = s->mass_damping;
    def.integrator.newton = 300;
    def.integrator.closing_time = 0; /* as where gradients are recorded */
    def.integrator.newton_tolerance = s->tolerance > 0 ? s->tolerance : 1e-12;
    def.integrator.guard = s->kind != TAUT_SOLID; /* which starts far from its rest */
    def.solver.tolerance = 1e-12;
    def.solver.method = TAUT_METHOD_DIRECT;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    CHECK_OK(taut_world_set_forces(world, 0, POINTS, in->force));
    return world;
}

static taut_world* make_usual(const subject* s, taut_batch* batch) {
    const inputs in = usual(s);
    return make(s, &in, batch);
}

/* The same, with gradients of so many steps. */
static taut_world* record_usual(const subject* s, uint32_t steps, taut_batch* batch, taut_gradients** g) {
    taut_world* world = make_usual(s, batch);
    CHECK_OK(taut_gradients_create(world, steps, g));
    return world;
}

/* In the second step particle LED, and a target, go to their goals. */
static void lead(taut_world* world, const subject* s, const inputs* in, taut_batch batch, int step) {
    const uint32_t led = LED;
    if (step == 1) {
        CHECK_OK(taut_world_move_fixed(world, 1, &led, in->goal));
    }
    if (step == 1 && s->kind == TAUT_TARGET) {
        CHECK_OK(taut_world_move_targets(world, batch, 0, 1, in->target));
    }
}

static double weight(size_t i) {
    return any(200 + i);
}

static double function_of(const subject* s, const inputs* in) {
    taut_batch batch;
    taut_world* world = make(s, in, &batch);
    double x[3 * POINTS], v[3 * POINTS], sum = 0;
    for (int i = 0; i < STEPS; i++) {
        lead(world, s, in, batch, i);
        CHECK_OK(taut_world_step(world, s->h > 0 ? s->h : 0.02));
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, POINTS, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, POINTS, v));
    for (size_t i = 0; i < 3 * POINTS; i++) {
        sum += weight(i) * x[i] + weight(50 + i) * v[i];
    }
    taut_world_destroy(world);
    return sum;
}

/* ---- its gradient ------------------------------------------------------------------------------------------------ */

static void add(const taut_gradients* g, taut_batch batch, taut_gradient by, size_t first, size_t count, size_t columns,
                double* to) {
    double sums[3 * MOST];
    if (CHECK_OK(taut_gradients_read_batch(g, batch, by, first, count, sums))) {
        for (size_t i = 0; i < columns * count; i++) {
            to[i] += sums[i];
        }
    }
}

/* What one step has by the batch. */
static void add_batch(const taut_gradients* g, const subject* s, taut_batch batch, int step, inputs* out) {
    if (is_element(s->kind)) {
        return;
    }
    add(g, batch, TAUT_GRADIENT_COMPLIANCES, 0, s->count, 1, out->compliance);
    add(g, batch, TAUT_GRADIENT_DAMPINGS, 0, s->count, 1, out->damping);
    if (s->kind == TAUT_TARGET) { /* the first one rests at its goal in the last step */
        add(g, batch, TAUT_GRADIENT_REST_VALUES, 0, 1, 3, step == 2 ? out->target : out->rest);
        add(g, batch, TAUT_GRADIENT_REST_VALUES, 1, 1, 3, out->rest + 3);
        if (step == 1) {
            add(g, batch, TAUT_GRADIENT_TARGETS, 0, 1, 3, out->target);
        }
    } else if (s->kind == TAUT_DISTANCE || s->kind == TAUT_BEND || s->kind == TAUT_TET_VOLUME ||
               s->kind == TAUT_LINEAR) {
        add(g, batch, TAUT_GRADIENT_REST_VALUES, 0, s->count, 1, out->rest);
    }
}

static inputs gradient_of(const subject* s, const inputs* in, bool* made) {
    taut_batch batch;
    taut_world* world = make(s, in, &batch);
    taut_gradients* g = NULL;
    inputs out = {.x = {0}};
    CHECK_OK(taut_gradients_create(world, STEPS, &g));
    for (int i = 0; i < STEPS; i++) {
        lead(world, s, in, batch, i);
        if (!CHECK_OK(taut_gradients_step(g, s->h > 0 ? s->h : 0.02))) {
            taut_gradients_destroy(g);
            taut_world_destroy(world);
            return out;
        }
    }
    for (size_t i = 0; i < 3 * POINTS; i++) {
        out.x[i] = weight(i);
        out.v[i] = weight(50 + i);
    }
    for (int i = STEPS; i-- > 0;) {
        CHECK_OK(taut_gradients_back(g, out.x, out.v));
        add_batch(g, s, batch, i, &out);
        if (i == 1) { /* a goal of one step */
            CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_FIXED_GOALS, LED, 1, out.goal));
        }
        double sums[3 * POINTS], mass[POINTS], gravity[3];
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_FORCES, 0, POINTS, sums));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_MASSES, 0, POINTS, mass));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_GRAVITY, 0, 1, gravity));
        for (size_t j = 0; j < 3 * POINTS; j++) {
            out.force[j] += sums[j];
            out.mass[j / 3] += mass[j / 3] / 3;
            out.gravity[j % 3] += gravity[j % 3] / POINTS;
        }
        CHECK_OK(taut_gradients_clear_sums(g));
    }
    *made = true;
    CHECK_INT(taut_gradients_count(g), 0);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    return out;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* Inputs that a subject does not have, or that are no variables of a fixed particle. */
static bool is_used(const subject* s, size_t i) {
    const size_t at = i * sizeof(double);
    const bool of_fixed_mass = at == offsetof(inputs, mass) + LED * sizeof(double) ||
                               (s->side && at == offsetof(inputs, mass) + BESIDE * sizeof(double));
    const bool of_fixed_velocity = s->side && at >= offsetof(inputs, v) + 3 * BESIDE * sizeof(double) &&
                                   at < offsetof(inputs, v) + 3 * (BESIDE + 1) * sizeof(double);
    const bool of_batch = at >= offsetof(inputs, compliance) && at < offsetof(inputs, target);
    const size_t of = at < offsetof(inputs, damping) ? (at - offsetof(inputs, compliance)) / sizeof(double)
                      : at < offsetof(inputs, rest)  ? (at - offsetof(inputs, damping)) / sizeof(double)
                                                     : (at - offsetof(inputs, rest)) / sizeof(double);
    const bool rest = at >= offsetof(inputs, rest);
    const size_t values = rest && s->kind == TAUT_TARGET ? 3 * s->count : s->count;
    if (of_batch) {
        const bool has_rest = s->kind == TAUT_DISTANCE || s->kind == TAUT_BEND || s->kind == TAUT_TET_VOLUME ||
                              s->kind == TAUT_LINEAR || s->kind == TAUT_TARGET;
        const bool no_law = s->of_velocities && s->compliance == 0 && !rest; /* it slips with any compliance */
        return !is_element(s->kind) && of < values && (!rest || has_rest) && !no_law;
    }
    return !of_fixed_mass && !of_fixed_velocity && (at < offsetof(inputs, target) || s->kind == TAUT_TARGET);
}

static double* input(inputs* in, size_t i) {
    return (double*)in + i;
}

static bool is_within(size_t i, size_t first, size_t end) {
    return i * sizeof(double) >= first && i * sizeof(double) < end;
}

static double moved(const subject* s, const inputs* in, size_t i, double by) {
    inputs other = *in;
    *input(&other, i) += by;
    return function_of(s, &other);
}

/* Differences of fourth order, with steps so long that what solvers round to float32 (masses, J of dampers) does not
 * matter: central ones, and from one side where there is no value below 0. */
static double difference(const subject* s, const inputs* in, size_t i) {
    const bool of_law = is_within(i, offsetof(inputs, compliance), offsetof(inputs, rest));
    const double value = ((const double*)in)[i];
    if (of_law && value == 0) {
        const double step = i * sizeof(double) < offsetof(inputs, damping) ? 4e-6 : s->compliance > 0 ? 5e-4 : 5e-5;
        return (48 * moved(s, in, i, step) - 36 * moved(s, in, i, 2 * step) + 16 * moved(s, in, i, 3 * step) -
                3 * moved(s, in, i, 4 * step) - 25 * function_of(s, in)) /
               (12 * step);
    }
    const double step = !of_law ? 2e-3 : i * sizeof(double) < offsetof(inputs, damping) ? 0.02 * value : 0.04 * value;
    return (8 * (moved(s, in, i, step) - moved(s, in, i, -step)) -
            (moved(s, in, i, 2 * step) - moved(s, in, i, -2 * step))) /
           (12 * step);
}

static void compare(const subject* s) {
    const inputs in = usual(s);
    bool made = false;
    inputs got = gradient_of(s, &in, &made);
    for (size_t i = 0; made && i < INPUTS; i++) {
        if (is_used(s, i)) {
            const double expected = difference(s, &in, i);
            test_note("%s: input %zu", s->name, i);
            CHECK_NEAR(*input(&got, i), expected, 2e-5 * (1 + fabs(expected)));
        }
    }
    test_note(NULL);
}

#define GRADIENT_TEST(name_, ...)                                                                                      \
    TAUT_PLAIN_TEST(gradients, name_) {                                                                                \
        if (test_direct()) {                                                                                           \
            compare(&(subject){.name = #name_, __VA_ARGS__});                                                          \
        }                                                                                                              \
    }

GRADIENT_TEST(distance, .kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2)
GRADIENT_TEST(hard_distance, .kind = TAUT_DISTANCE, .count = 3)
GRADIENT_TEST(damped_distance, .kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2, .damping = 0.03)
GRADIENT_TEST(distance_between_ends, .kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2, .damping = 0.01,
              .alpha = 0.5, .beta = 0.5)
GRADIENT_TEST(mass_damping, .kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2, .mass_damping = 2, .alpha = 0.7,
              .beta = 0.6)
GRADIENT_TEST(distance_as_force, .kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2, .damping = 0.01,
              .as_force = true)
GRADIENT_TEST(bounded_distance, .kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2, .bounded = true)
GRADIENT_TEST(attachment, .kind = TAUT_ATTACHMENT, .count = 2, .compliance = 1e-2, .damping = 0.02)
GRADIENT_TEST(target, .kind = TAUT_TARGET, .count = 2, .compliance = 1e-2, .damping = 0.02, .alpha = 0.8, .beta = 0.9)
GRADIENT_TEST(hard_target, .kind = TAUT_TARGET, .count = 2)
GRADIENT_TEST(bend, .kind = TAUT_BEND, .count = 2, .compliance = 0.5, .damping = 0.02)
GRADIENT_TEST(stiff_bend, .kind = TAUT_BEND, .count = 2, .compliance = 0.02, .damping = 0.01, .h = 0.01)
GRADIENT_TEST(membrane, .kind = TAUT_MEMBRANE, .count = 2, .compliance = 1e-2, .damping = 0.02)
GRADIENT_TEST(membrane_at_a_side, .kind = TAUT_MEMBRANE, .count = 2, .compliance = 1e-2, .damping = 0.02, .side = true)
GRADIENT_TEST(tet_volume, .kind = TAUT_TET_VOLUME, .count = 2, .compliance = 1e-3, .damping = 0.02)
GRADIENT_TEST(tet_strain, .kind = TAUT_TET_STRAIN, .count = 2, .compliance = 1e-2, .damping = 0.02)
GRADIENT_TEST(tet_strain_at_a_side, .kind = TAUT_TET_STRAIN, .count = 2, .compliance = 1e-2, .damping = 0.02,
              .side = true)
GRADIENT_TEST(linear, .kind = TAUT_LINEAR, .count = 2, .compliance = 1e-2, .damping = 0.02)
GRADIENT_TEST(linear_of_velocities, .kind = TAUT_LINEAR, .count = 2, .compliance = 1e-2, .damping = 0.2,
              .of_velocities = true)
GRADIENT_TEST(hard_linear_of_velocities, .kind = TAUT_LINEAR, .count = 2, .of_velocities = true)
GRADIENT_TEST(solid, .kind = TAUT_SOLID)
GRADIENT_TEST(solid_between_ends, .kind = TAUT_SOLID, .alpha = 0.6, .beta = 0.6, .h = 0.01)
GRADIENT_TEST(surface_in_wind, .kind = TAUT_SURFACE)
GRADIENT_TEST(surface_under_pressure, .kind = TAUT_SURFACE, .pressure = 3)
GRADIENT_TEST(attraction, .kind = TAUT_ATTRACTION)

/* ---- what has none ----------------------------------------------------------------------------------------------- */

static taut_status create_with(const taut_integrator* integrator) {
    const subject s = {.kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2};
    taut_batch batch;
    taut_gradients* g = NULL;
    taut_world* world = make_usual(&s, &batch);
    CHECK_OK(taut_world_set_integrator(world, integrator));
    const taut_status status = taut_gradients_create(world, 1, &g);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    return status;
}

TAUT_PLAIN_TEST(gradients, integrators_without_any_are_refused) {
    taut_integrator integrator = taut_default_world().integrator;
    if (!test_direct()) {
        return;
    }
    CHECK_STATUS(create_with(&integrator), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "integrator.newton above 1") != NULL);
    integrator.newton = 10;
    CHECK_OK(create_with(&integrator));
    integrator.substeps = 2;
    CHECK_STATUS(create_with(&integrator), TAUT_INVALID_ARGUMENT);
    integrator.substeps = 1;
    integrator.hard_row_damping = 1;
    CHECK_STATUS(create_with(&integrator), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "hard_row_damping") != NULL);
}

/* A step that Newton's method has not solved is taken back, and can be made again. */
TAUT_PLAIN_TEST(gradients, a_step_that_is_not_solved_is_taken_back) {
    const subject s = {.kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-4};
    taut_batch batch;
    taut_gradients* g = NULL;
    double before[3 * POINTS], after[3 * POINTS];
    if (!test_direct()) {
        return;
    }
    taut_world* world = make_usual(&s, &batch);
    taut_integrator integrator = taut_default_world().integrator;
    integrator.newton = 2;
    integrator.newton_tolerance = 1e-12;
    CHECK_OK(taut_world_set_integrator(world, &integrator));
    CHECK_OK(taut_gradients_create(world, 1, &g));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, POINTS, before));
    CHECK_STATUS(taut_gradients_step(g, 0.05), TAUT_DIVERGED);
    CHECK(strstr(taut_last_error(), "Newton's method ended with the residual") != NULL);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, POINTS, after));
    CHECK(memcmp(before, after, sizeof before) == 0);
    CHECK_INT(taut_gradients_count(g), 0);
    integrator.newton = 100;
    CHECK_OK(taut_world_set_integrator(world, &integrator));
    CHECK_OK(taut_gradients_step(g, 0.01));
    CHECK_STATUS(taut_gradients_step(g, 0.01), TAUT_OUT_OF_CAPACITY);
    CHECK_OK(taut_gradients_back(g, before, after));
    CHECK_STATUS(taut_gradients_back(g, before, after), TAUT_INVALID_ARGUMENT);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

/* What the adjoint takes from the world is what the step was made with, or it is refused until that is set back. */
TAUT_PLAIN_TEST(gradients, a_step_with_other_parameters_is_refused) {
    const subject s = {.kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2};
    const double other = 2e-2;
    taut_batch batch;
    taut_gradients* g = NULL;
    double x[3 * POINTS] = {0}, v[3 * POINTS] = {0};
    if (!test_direct()) {
        return;
    }
    taut_world* world = record_usual(&s, 2, &batch, &g);
    CHECK_OK(taut_gradients_step(g, 0.01));
    CHECK_OK(taut_world_set_compliances(world, batch, 1, 1, &other));
    CHECK_OK(taut_gradients_step(g, 0.01));
    CHECK_OK(taut_gradients_back(g, x, v));
    CHECK_STATUS(taut_gradients_back(g, x, v), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "other parameters") != NULL);
    CHECK_OK(taut_world_set_compliances(world, batch, 1, 1, &s.compliance));
    CHECK_OK(taut_gradients_back(g, x, v));
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(gradients, a_step_with_other_moduli_is_refused) {
    const subject s = {.kind = TAUT_SOLID, .count = 2};
    const double other = 200, youngs[2] = {100, 100}, poissons[2] = {0.3, 0.3}; /* as created */
    taut_batch batch;
    taut_gradients* g = NULL;
    double x[3 * POINTS] = {0}, v[3 * POINTS] = {0};
    if (!test_direct()) {
        return;
    }
    taut_world* world = record_usual(&s, 2, &batch, &g);
    CHECK_OK(taut_gradients_step(g, 0.01));
    CHECK_OK(taut_world_set_moduli(world, batch, 1, 1, &other, NULL));
    CHECK_STATUS(taut_gradients_back(g, x, v), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "other parameters") != NULL);
    CHECK_OK(taut_world_set_moduli(world, batch, 0, 2, youngs, poissons));
    CHECK_OK(taut_gradients_back(g, x, v));
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(gradients, a_step_that_begins_anew_is_refused) {
    const subject s = {.kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2};
    taut_batch batch;
    taut_gradients* g = NULL;
    if (!test_direct()) {
        return;
    }
    taut_world* world = record_usual(&s, 2, &batch, &g);
    CHECK_OK(taut_world_step(world, 1e-8));
    CHECK_STATUS(taut_gradients_step(g, 0.01), TAUT_INVALID_ARGUMENT);
    CHECK_OK(taut_world_step(world, 0.01));
    CHECK_OK(taut_gradients_step(g, 0.01));
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(gradients, a_step_that_is_not_recorded_ends_a_recording) {
    const subject s = {.kind = TAUT_DISTANCE, .count = 3, .compliance = 1e-2};
    taut_batch batch;
    taut_gradients* g = NULL;
    if (!test_direct()) {
        return;
    }
    taut_world* world = record_usual(&s, 3, &batch, &g);
    CHECK_OK(taut_world_step(world, 0.01));
    CHECK_OK(taut_gradients_step(g, 0.01));
    CHECK_OK(taut_gradients_step(g, 0.01));
    CHECK_OK(taut_world_step(world, 0.01));
    CHECK_STATUS(taut_gradients_step(g, 0.01), TAUT_INVALID_ARGUMENT);
    CHECK_INT(taut_gradients_count(g), 2);
    CHECK_OK(taut_gradients_clear(g));
    CHECK_OK(taut_gradients_step(g, 0.01));
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

/* Rows that have a least compliance follow no law of the user's. */
TAUT_PLAIN_TEST(gradients, softened_elements_have_none) {
    const subject s = {.kind = TAUT_TET_STRAIN, .count = 2, .compliance = 1e-13};
    taut_batch batch;
    taut_gradients* g = NULL;
    if (!test_direct()) {
        return;
    }
    taut_world* world = make_usual(&s, &batch);
    taut_integrator integrator = taut_default_world().integrator;
    size_t softened = 0;
    integrator.newton = 50;
    integrator.newton_tolerance = 1;
    CHECK_OK(taut_world_set_integrator(world, &integrator));
    CHECK_OK(taut_world_contradicting_rows(world, batch, 0, NULL, &softened));
    CHECK(softened > 0);
    CHECK_OK(taut_gradients_create(world, 1, &g));
    CHECK_STATUS(taut_gradients_step(g, 1e-3), TAUT_DIVERGED);
    CHECK(strstr(taut_last_error(), "contradict each other") != NULL);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(gradients, faults_have_names) {
    const subject s = {.kind = TAUT_DISTANCE, .count = 1, .compliance = 1e-2};
    double x[3 * POINTS] = {0}, v[3 * POINTS] = {0};
    taut_batch batch;
    taut_gradients* g = NULL;
    if (!test_direct()) {
        return;
    }
    taut_world* world = record_usual(&s, 1, &batch, &g);
    CHECK_OK(taut_gradients_step(g, 0.01));
    x[7] = NAN;
    CHECK_STATUS(taut_gradients_back(g, x, v), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "the derivative by component 1 of positions 2 is nan; it must be finite") != NULL);
    x[7] = 0;
    v[3] = INFINITY;
    CHECK_STATUS(taut_gradients_back(g, x, v), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "the derivative by component 0 of velocities 1 is inf") != NULL);
    CHECK_INT(taut_gradients_count(g), 1);
    v[3] = 0;
    CHECK_OK(taut_gradients_back(g, x, v));
    CHECK_STATUS(taut_gradients_read(g, TAUT_GRADIENT_COMPLIANCES, 0, 1, x), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "gradients by compliances belong to a batch") != NULL);
    CHECK_STATUS(taut_gradients_read_batch(g, batch, TAUT_GRADIENT_TARGETS, 0, 1, x), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "distance constraints have no gradient by targets") != NULL);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(gradients, of_more_steps_than_memory_say_so) {
    const subject s = {.kind = TAUT_DISTANCE, .count = 1, .compliance = 1e-2, .little_memory = true};
    taut_batch batch;
    taut_gradients* g = NULL;
    if (!test_direct()) {
        return;
    }
    taut_world* world = make_usual(&s, &batch);
    CHECK_STATUS(taut_gradients_create(world, UINT32_MAX, &g), TAUT_OUT_OF_MEMORY);
    CHECK(strstr(taut_last_error(), "out of memory") != NULL);
    taut_world_destroy(world);
}
