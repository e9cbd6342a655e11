/* Gradients of steps with contact against central differences: particles, alone and in a net, that bounce, slide,
 * stick, land hard and leave overlaps; on planes, boxes, spheres and capsules. */
#include "harness.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { POINTS = 3 };

/* All that a function of the last state depends on. */
typedef struct inputs {
    double x[3 * POINTS], v[3 * POINTS], mass[POINTS], force[3 * POINTS], gravity[3];
} inputs;

enum { INPUTS = sizeof(inputs) / sizeof(double) };

typedef struct subject {
    const char* name;
    double height, v[3]; /* of the lowest particle */
    double friction, restitution;
    double h;
    int steps;
    taut_shape on;             /* plane, or what stands there in its place */
    double size[3], centre[3]; /* of that */
    double turn[4];            /* 0: it leans a little */
    bool net;                  /* the particles hang together, else each is alone */
    bool calm;                 /* hardly any gravity */
    taut_method method;
    double alpha, beta; /* 0: 1 */
} subject;

static const double radius = 0.05;

static double any(size_t i) {
    return sin(1.7 * (double)i + 0.4) + 0.3 * cos(5.1 * (double)i);
}

static inputs usual(const subject* s) {
    inputs in = {.gravity = {0.1, s->calm ? -0.02 : -9.81, 0.2}};
    for (size_t i = 0; i < 3 * POINTS; i++) {
        in.force[i] = 0.05 * any(100 + i);
        in.v[i] = s->v[i % 3] + 0.05 * any(i);
        in.mass[i / 3] = 0.2 + 0.05 * (double)(i / 3);
    }
    for (size_t i = 0; i < POINTS; i++) {
        in.x[3 * i] = 0.3 * (double)i;
        in.x[3 * i + 1] = s->height + radius + 0.04 * (double)i;
        in.x[3 * i + 2] = 0.02 * (double)(i * i);
    }
    return in;
}

/* ---- a world ----------------------------------------------------------------------------------------------------- */

static void add_floor(taut_scene* scene, const subject* s, uint32_t material) {
    taut_colliders_def def = taut_default_colliders();
    const double up[4] = {sqrt(0.5), -sqrt(0.5), 0, 0}, lean[4] = {cos(0.1), 0, 0, sin(0.1)};
    def.count = 1;
    def.material = material;
    def.shape = s->on;
    def.orientations = s->on == TAUT_SHAPE_PLANE ? up : s->turn[0] != 0 ? s->turn : lean;
    def.positions = s->centre;
    for (size_t a = 0; a < 3; a++) {
        def.size[a] = s->size[a] > 0 ? s->size[a] : 1;
    }
    CHECK_OK(taut_scene_add_colliders(scene, &def, NULL));
}

static void add_net(taut_scene* scene) {
    taut_distance_def def = taut_default_distance();
    def.count = 2;
    def.particles = (const uint32_t[]){0, 1, 1, 2};
    def.rest_lengths = (const double[]){0.31, 0.29};
    def.compliance = 1e-4;
    CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
}

static taut_scene* describe(const subject* s, const inputs* in, const taut_material_def* of) {
    taut_scene_def scene_def = taut_default_scene();
    taut_particles_def particles = taut_default_particles();
    taut_contact_points_def points = taut_default_contact_points();
    taut_material_def material = of != NULL ? *of : taut_default_material();
    taut_scene* scene = NULL;
    uint32_t number = 0;
    particles.count = points.count = POINTS;
    particles.positions = in->x;
    particles.velocities = in->v;
    particles.masses = in->mass;
    points.particles = (const uint32_t[]){0, 1, 2};
    points.radius = radius;
    if (of == NULL) {
        material.friction = s->friction;
        material.restitution = s->restitution;
    }
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    CHECK_OK(taut_scene_add_material(scene, &material, &number));
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    points.material = number;
    CHECK_OK(taut_scene_add_contact_points(scene, &points, NULL));
    add_floor(scene, s, number);
    if (s->net) {
        add_net(scene);
    }
    return scene;
}

static taut_world_def definition(const subject* s, const inputs* in) {
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    memcpy(def.gravity, in->gravity, sizeof def.gravity);
    def.integrator.alpha = s->alpha > 0 ? s->alpha : 1;
    def.integrator.beta = s->beta > 0 ? s->beta : 1;
    def.integrator.newton = 50;
    def.integrator.newton_tolerance = 1e-9;
    def.solver.tolerance = 1e-11;
    def.solver.max_iterations = 20000;
    def.solver.method = s->method;
    return def;
}

static taut_world* make(const subject* s, const inputs* in) {
    taut_scene* scene = describe(s, in, NULL);
    const taut_world_def def = definition(s, in);
    taut_world* world = NULL;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    CHECK_OK(taut_world_set_forces(world, 0, POINTS, in->force));
    return world;
}

static double function_of(const subject* s, const inputs* in) {
    taut_world* world = make(s, in);
    double x[3 * POINTS], v[3 * POINTS], sum = 0;
    for (int i = 0; i < s->steps; i++) {
        CHECK_OK(taut_world_step(world, s->h));
    }
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, POINTS, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, POINTS, v));
    for (size_t i = 0; i < 3 * POINTS; i++) {
        sum += any(200 + i) * x[i] + any(250 + i) * v[i];
    }
    taut_world_destroy(world);
    return sum;
}

/* `pressed`: how many contacts pressed, over all steps. */
static inputs gradient_of(const subject* s, const inputs* in, int* pressed) {
    taut_world* world = make(s, in);
    taut_gradients* g = NULL;
    inputs out = {.x = {0}};
    *pressed = 0;
    CHECK_OK(taut_gradients_create(world, (uint32_t)s->steps, &g));
    for (int i = 0; i < s->steps && CHECK_OK(taut_gradients_step(g, s->h)); i++) {
        taut_contact contacts[2 * POINTS];
        size_t count = 0;
        CHECK_OK(taut_world_read_contacts(world, 2 * POINTS, contacts, &count));
        for (size_t c = 0; c < count; c++) {
            *pressed += contacts[c].force[1] > 0;
        }
    }
    for (size_t i = 0; i < 3 * POINTS; i++) {
        out.x[i] = any(200 + i);
        out.v[i] = any(250 + i);
    }
    while (taut_gradients_count(g) > 0) {
        CHECK_OK(taut_gradients_back(g, out.x, out.v));
    }
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_FORCES, 0, POINTS, out.force));
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_MASSES, 0, POINTS, out.mass));
    CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_GRAVITY, 0, 1, out.gravity));
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    return out;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static double moved(const subject* s, const inputs* in, size_t i, double way) {
    inputs other = *in;
    ((double*)&other)[i] += way;
    return function_of(s, &other);
}

/* Normals of round things are rounded to float32, as the particle moves: that asks for a longer way, and leaves more.
 */
static bool is_round(const subject* s) {
    return s->on != TAUT_SHAPE_PLANE && s->size[0] < 3;
}

/* The world has inverse masses in float32: their rounding, over 2 `way`. */
static double rounding_of(const inputs* in, size_t i, double way) {
    const size_t first = offsetof(inputs, mass) / sizeof(double);
    return i >= first && i < first + POINTS ? 6e-8 * in->mass[i - first] / way : 0;
}

static void compare(const subject* s) {
    const inputs in = usual(s);
    int pressed;
    const inputs gradient = gradient_of(s, &in, &pressed);
    const double* derivatives = (const double*)&gradient;
    const double way = is_round(s) ? 2e-4 : 1e-5;
    double largest = 0, worst = 0;
    for (size_t i = 0; i < INPUTS; i++) {
        const double difference = (moved(s, &in, i, way) - moved(s, &in, i, -way)) / (2 * way);
        largest = fmax(largest, fabs(difference));
        worst = fmax(worst, fabs(difference - derivatives[i]) - rounding_of(&in, i, way) * largest);
    }
    test_note("%s: %d presses, worst %.1e of %.1e", s->name, pressed, worst, largest);
    CHECK(pressed > 0);
    CHECK(worst < (is_round(s) ? 1e-4 : 1e-5) * largest);
}

#define BOX(a, b, c, x, y, z) .on = TAUT_SHAPE_BOX, .size = {a, b, c}, .centre = {x, y, z}

static const subject subjects[] = {
    {"bounces", 0.1, {1, -0.5, 0.3}, 0.3, 0.6, .h = 1.0 / 60, .steps = 20},
    {"bounces without friction", 0.1, {1, -0.5, 0.3}, 0, 0.6, .h = 1.0 / 60, .steps = 20},
    {"slides", 0.0002, {3, -0.1, 0.5}, 0.2, 0, .h = 1.0 / 60, .steps = 15},
    {"slides on a box", 0.02, {3, -0.1, 0.5}, 0.2, 0, .h = 1.0 / 60, .steps = 15, BOX(3, 0.5, 3, 0, -0.5, 0)},
    {"rolls off an edge",
     -0.002,
     {-0.3, -1, 0.1},
     0.3,
     0,
     .h = 1.0 / 60,
     .steps = 6,
     BOX(0.08, 0.1, 0.5, -0.1, -0.1, 0)},
    {"rolls off a corner",
     -0.005,
     {-0.3, -1, -0.1},
     0.3,
     0,
     .h = 1.0 / 60,
     .steps = 6,
     BOX(0.08, 0.1, 0.08, -0.1, -0.1, -0.1)},
    {"bounces off a sphere",
     0.02,
     {0.5, -1, 0.1},
     0.3,
     0.5,
     .h = 1.0 / 60,
     .steps = 6,
     .on = TAUT_SHAPE_SPHERE,
     .size = {0.2},
     .centre = {0.05, -0.2, 0.03}},
    {"slides on a sphere",
     0.01,
     {0.8, -0.5, 0.1},
     0.1,
     0,
     .h = 1.0 / 120,
     .steps = 15,
     .on = TAUT_SHAPE_SPHERE,
     .size = {0.5},
     .centre = {0.05, -0.5, 0.03}},
    {"sticks to a sphere",
     0.0002,
     {0, -0.5, 0},
     0.9,
     0,
     .h = 1.0 / 120,
     .steps = 15,
     .on = TAUT_SHAPE_SPHERE,
     .size = {0.5},
     .centre = {0.02, -0.5, 0.03}},
    {"slides on a capsule",
     0.01,
     {0.8, -0.5, 0.1},
     0.1,
     0,
     .h = 1.0 / 120,
     .steps = 15,
     .on = TAUT_SHAPE_CAPSULE,
     .size = {0.2, 0.5},
     .centre = {0.05, -0.2, 0.03},
     .turn = {0.7, 0.1, 0.7, 0}},
    {"sticks", 0.0002, {0.01, -0.1, 0}, 0.8, 0, .h = 1.0 / 60, .steps = 15},
    {"lands hard", 0.2, {0.3, -3, 0.1}, 0.6, 0, .h = 1.0 / 60, .steps = 12},
    {"bears its landing", 0.05, {0.3, -6, 0.1}, 0.3, 0, .h = 1.0 / 240, .steps = 12},
    {"leaves an overlap", -0.03, {0.3, -0.3, 0.1}, 0.3, 0, .h = 1.0 / 60, .steps = 5},
    {"leaves a deep overlap", -0.25, {0.3, -0.3, 0.1}, 0.3, 0, .h = 1.0 / 60, .steps = 3},
    {"leaves an overlap fast", -0.01, {6, -0.3, 0.1}, 0.3, 0, .h = 1.0 / 60, .steps = 3},
    {"leaves an overlap without weight", -0.07, {0.3, -0.3, 0.1}, 0.3, 0, .h = 1.0 / 60, .steps = 5, .calm = true},
    {"theta", 0.05, {1, -0.5, 0.3}, 0.3, 0, .h = 1.0 / 60, .steps = 15, .alpha = 0.7, .beta = 0.6},
    {"a net falls",
     0.05,
     {1, -0.5, 0.3},
     0.3,
     0,
     .h = 1.0 / 120,
     .steps = 25,
     .net = true,
     .method = TAUT_METHOD_PROJECTED_GRADIENT},
    {"a net bounces",
     0.05,
     {1, -0.5, 0.3},
     0.3,
     0.5,
     .h = 1.0 / 120,
     .steps = 25,
     .net = true,
     .method = TAUT_METHOD_PROJECTED_GRADIENT},
};

TAUT_PLAIN_TEST(gradient_contacts, agree_with_differences) {
    for (size_t i = 0; test_direct() && i < sizeof subjects / sizeof *subjects; i++) {
        compare(&subjects[i]);
    }
}

/* ---- what has none ----------------------------------------------------------------------------------------------- */

/* The sentence of the step that is refused, or of the records; "" where all are made. */
static const char* refusal(taut_scene* scene, const taut_world_def* def, int steps) {
    static char sentence[512];
    taut_world* world = NULL;
    taut_gradients* g = NULL;
    double before[3 * POINTS], after[3 * POINTS];
    sentence[0] = '\0';
    CHECK_OK(taut_world_create(scene, def, &world));
    if (taut_gradients_create(world, (uint32_t)steps, &g) != TAUT_OK) {
        strncpy(sentence, taut_last_error(), sizeof sentence - 1);
    }
    for (int i = 0; g != NULL && sentence[0] == '\0' && i < steps; i++) {
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, POINTS, before));
        if (taut_gradients_step(g, 1.0 / 60) != TAUT_OK) {
            strncpy(sentence, taut_last_error(), sizeof sentence - 1);
            CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, POINTS, after));
            CHECK(memcmp(before, after, sizeof before) == 0);
            CHECK_INT(taut_gradients_count(g), i);
        }
    }
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
    return sentence;
}

TAUT_PLAIN_TEST(gradient_contacts, others_are_refused) {
    const subject s = {.height = 0.1, .v = {0, -0.5, 0}}, net = {.height = 0.1, .v = {0, -0.5, 0}, .net = true};
    const inputs in = usual(&s);
    taut_material_def soft = taut_default_material();
    taut_world_def def = definition(&s, &in);
    if (!test_direct()) {
        return;
    }
    soft.compliance = 1e-3;
    CHECK(strstr(refusal(describe(&s, &in, &soft), &def, 10), "compliance have none") != NULL);
    CHECK(strstr(refusal(describe(&net, &in, NULL), &def, 10), "constraints at its point") != NULL);
    def.contact.law = TAUT_CONTACT_EXACT;
    CHECK(strstr(refusal(describe(&s, &in, NULL), &def, 1), "convex law alone") != NULL);
}
