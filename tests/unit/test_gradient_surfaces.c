/* Gradients of steps in which surfaces touch things, against central differences: a sheet on shapes that stand, with
 * and without their features, on a mesh, on another sheet, on one that stands still, and on a body. */
#include "harness.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SIDE = 3, SHEET = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), MOST = 2 * SHEET + 2 };

/* What lies below the sheet. */
typedef enum below {
    ON_SPHERE,
    ON_BOX,
    ON_BOX_WITH_FEATURES,
    ON_MESH,
    ON_SHEET,       /* another one that falls less */
    ON_FIXED_SHEET, /* an open mesh that stands still */
    ON_BODY,        /* a box, with features */
    ON_BALL         /* a body */
} below;

/* All that a function of the last state depends on. */
typedef struct inputs {
    double x[3 * MOST], v[3 * MOST], gravity[3], softness, friction, force[3 * MOST], mass[MOST];
} inputs;

enum { INPUTS = sizeof(inputs) / sizeof(double) };

typedef struct subject {
    const char* name;
    below on;
    double height, fall, friction, restitution;
    int steps;
} subject;

static const double cell = 0.1, radius = 0.01;

static double any(size_t i) {
    return sin(1.7 * (double)i + 0.4) + 0.3 * cos(5.1 * (double)i);
}

static size_t points_of(const subject* s) {
    return s->on == ON_SHEET || s->on == ON_FIXED_SHEET ? 2 * SHEET : s->on >= ON_BODY ? SHEET + 1 : SHEET;
}

static size_t nodes_of(const subject* s) {
    return points_of(s) + (s->on >= ON_BODY ? 1 : 0);
}

static inputs usual(const subject* s) {
    inputs in = {.gravity = {0.1, -9.81, 0.2}, .softness = 2e-3, .friction = s->friction};
    for (size_t n = 0; n < 2 * SHEET; n++) {
        const size_t at = n % SHEET;
        const double u = cell * ((double)(at % SIDE) - 1) + 0.003 * any(n), w = cell * ((double)(at / SIDE) - 1);
        const bool second = n >= SHEET; /* turned a little, so that edges cross */
        in.x[3 * n] = second ? 0.9 * u - 0.43 * w + 0.017 : u;
        in.x[3 * n + 1] = second ? -0.0002 * any(30 + n) : s->height + 0.004 * any(n);
        in.x[3 * n + 2] = second ? 0.43 * u + 0.9 * w - 0.011 : w + 0.003 * any(60 + n);
        in.v[3 * n] = second ? 0 : 0.4;
        in.v[3 * n + 1] = second ? 0 : s->fall + 0.02 * any(90 + n);
        in.v[3 * n + 2] = second ? 0 : 0.1;
        in.mass[n] = 0.01 + 0.001 * any(120 + n);
    }
    if (s->on >= ON_BODY) { /* flies up */
        const double x[3] = {0.02, -0.1, 0.01}, v[3] = {0.1, 0.5, 0};
        memcpy(in.x + 3 * SHEET, x, sizeof x);
        memcpy(in.v + 3 * SHEET, v, sizeof v);
        memset(in.x + 3 * SHEET + 3, 0, 3 * sizeof *in.x);
        memcpy(in.v + 3 * SHEET + 3, (const double[]){0.3, 0.1, -0.4}, 3 * sizeof *in.v);
        in.mass[SHEET] = 0.2;
    }
    for (size_t i = 0; i < 3 * MOST; i++) {
        in.force[i] = 0.01 * any(150 + i);
    }
    return in;
}

/* ---- a world ----------------------------------------------------------------------------------------------------- */

static void list_triangles(uint32_t first, uint32_t* out) {
    for (uint32_t i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
        const uint32_t a = first + i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        const uint32_t corners[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
        memcpy(out + 6 * i, corners, sizeof corners);
    }
}

static void add_sheet(taut_scene* scene, const inputs* in, size_t first, bool fixed, uint32_t material,
                      taut_batch* batch) {
    taut_particles_def particles = taut_default_particles();
    taut_membrane_def membranes = taut_default_membrane();
    taut_contact_surface_def surface = taut_default_contact_surface();
    uint32_t triangles[3 * TRIANGLES];
    bool held[SHEET];
    taut_range range;
    memset(held, fixed, sizeof held);
    particles.count = SHEET;
    particles.positions = in->x + 3 * first;
    particles.velocities = in->v + 3 * first;
    particles.masses = in->mass + first;
    particles.fixed = held;
    CHECK_OK(taut_scene_add_particles(scene, &particles, &range));
    list_triangles(range.first, triangles);
    membranes.count = TRIANGLES;
    membranes.particles = triangles;
    membranes.softness = in->softness;
    if (!fixed) {
        CHECK_OK(taut_scene_add_membranes(scene, &membranes, batch));
    }
    surface.triangle_count = TRIANGLES;
    surface.triangles = triangles;
    surface.radius = radius;
    surface.material = material;
    CHECK_OK(taut_scene_add_contact_surface(scene, &surface, NULL));
}

static uint32_t add_pyramid(taut_scene* scene) {
    static const double corners[] = {-0.3, -0.2, -0.3, 0.3, -0.2, -0.3, 0.3, -0.2, 0.3, -0.3, -0.2, 0.3, 0.02, 0, 0.03};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0};
    taut_collider_mesh_def mesh = taut_default_collider_mesh();
    uint32_t number = 0;
    mesh.vertex_count = 5;
    mesh.positions = corners;
    mesh.triangle_count = 6;
    mesh.triangles = triangles;
    CHECK_OK(taut_scene_add_collider_mesh(scene, &mesh, &number));
    return number;
}

static void add_collider(taut_scene* scene, const subject* s, uint32_t material, const taut_body* body) {
    taut_colliders_def def = taut_default_colliders();
    taut_range range;
    const double at[3] = {0.03, s->on == ON_SPHERE ? -0.3 : -0.1, 0.02}, turned[4] = {cos(0.2), 0, sin(0.2), 0};
    def.count = 1;
    def.material = material;
    def.shape = s->on == ON_SPHERE || s->on == ON_BALL ? TAUT_SHAPE_SPHERE
                : s->on == ON_MESH                     ? TAUT_SHAPE_MESH
                                                       : TAUT_SHAPE_BOX;
    def.mesh = s->on == ON_MESH ? add_pyramid(scene) : 0;
    def.positions = body == NULL && s->on != ON_MESH ? at : NULL;
    def.orientations = body == NULL ? turned : NULL;
    def.bodies = body;
    def.size[0] = s->on == ON_SPHERE ? 0.3 : body != NULL ? 0.1 : 0.063;
    def.size[1] = 0.1;
    def.size[2] = 0.071;
    CHECK_OK(taut_scene_add_colliders(scene, &def, &range));
    if (s->on == ON_BOX_WITH_FEATURES || s->on == ON_BODY) {
        CHECK_OK(taut_scene_add_collider_features(scene, range.first, NULL));
    }
}

static void add_body(taut_scene* scene, const subject* s, const inputs* in, uint32_t material) {
    taut_bodies_def def = taut_default_bodies();
    taut_body_ranges ranges;
    def.count = 1;
    def.positions = in->x + 3 * SHEET;
    def.velocities = in->v + 3 * SHEET;
    def.angular_velocities = in->v + 3 * SHEET + 3;
    def.masses = in->mass + SHEET;
    for (size_t a = 0; a < 3; a++) {
        def.inertia[a] = 1e-3;
    }
    CHECK_OK(taut_scene_add_bodies(scene, &def, &ranges));
    const taut_body body = taut_body_of(ranges, 0);
    add_collider(scene, s, material, &body);
}

static taut_world* make(const subject* s, const inputs* in, taut_batch batch[2]) {
    taut_scene_def scene_def = taut_default_scene();
    taut_world_def def = taut_default_world();
    taut_material_def of = taut_default_material();
    const inputs base = usual(s);
    inputs at_rest = *in; /* sheets are at rest where they are in the scene */
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    uint32_t material = 0;
    memcpy(at_rest.x, base.x, sizeof base.x);
    of.friction = in->friction;
    of.restitution = s->restitution;
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    CHECK_OK(taut_scene_add_material(scene, &of, &material));
    add_sheet(scene, &at_rest, 0, false, material, &batch[0]);
    batch[1].id = 0;
    if (s->on == ON_SHEET || s->on == ON_FIXED_SHEET) {
        add_sheet(scene, &at_rest, SHEET, s->on == ON_FIXED_SHEET, material, &batch[1]);
    } else if (s->on >= ON_BODY) {
        add_body(scene, s, &at_rest, material);
    } else {
        add_collider(scene, s, material, NULL);
    }
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    memcpy(def.gravity, in->gravity, sizeof def.gravity);
    def.integrator.newton = 100;
    def.integrator.newton_tolerance = 1e-8;
    def.solver.tolerance = 1e-10;
    def.solver.max_iterations = 20000;
    def.solver.method = TAUT_METHOD_PROJECTED_GRADIENT;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, points_of(s), in->x));
    CHECK_OK(taut_world_set_forces(world, 0, points_of(s), in->force));
    return world;
}

/* ---- a function, and its derivatives by the last state ----------------------------------------------------------- */

static double value_at(const subject* s, taut_world* world, double* by_x, double* by_v) {
    const size_t points = points_of(s);
    double x[3 * MOST], v[3 * MOST], sum = 0;
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, points, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, points, v));
    for (size_t i = 0; i < 3 * points; i++) {
        by_x[i] = any(400 + i);
        by_v[i] = 0.1 * any(600 + i);
        sum += by_x[i] * x[i] + by_v[i] * v[i];
    }
    for (size_t a = 0; s->on >= ON_BODY && a < 3; a++) {
        double omega[3];
        CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, 1, omega));
        by_x[3 * points + a] = 0;
        by_v[3 * points + a] = 0.1 * any(800 + a);
        sum += by_v[3 * points + a] * omega[a];
    }
    return sum;
}

static double function_of(const subject* s, const inputs* in) {
    double by_x[3 * MOST], by_v[3 * MOST];
    taut_batch batch[2];
    taut_world* world = make(s, in, batch);
    for (int i = 0; i < s->steps; i++) {
        CHECK_OK(taut_world_step(world, 1.0 / 240));
    }
    const double sum = value_at(s, world, by_x, by_v);
    taut_world_destroy(world);
    return sum;
}

static double sum_of(const taut_gradients* g, taut_batch batch) {
    double values[TRIANGLES] = {0}, sum = 0;
    if (batch.id > 0) {
        CHECK_OK(taut_gradients_read_batch(g, batch, TAUT_GRADIENT_COMPLIANCES, 0, TRIANGLES, values));
    }
    for (size_t i = 0; i < TRIANGLES; i++) {
        sum += values[i];
    }
    return sum;
}

/* `pressed`: how many contacts pressed, over all steps. */
static bool gradient_of(const subject* s, const inputs* in, inputs* out, int* pressed) {
    double by_x[3 * MOST], by_v[3 * MOST], frictions[4];
    taut_batch batch[2];
    taut_world* world = make(s, in, batch);
    taut_gradients* g = NULL;
    bool made = CHECK_OK(taut_gradients_create(world, (uint32_t)s->steps, &g));
    memset(out, 0, sizeof *out);
    *pressed = 0;
    for (int i = 0; made && i < s->steps; i++) {
        taut_contact contacts[128];
        size_t count = 0;
        made = CHECK_OK(taut_gradients_step(g, 1.0 / 240));
        CHECK_OK(taut_world_read_contacts(world, 128, contacts, &count));
        for (size_t c = 0; c < count; c++) {
            *pressed += contacts[c].force[1] != 0;
        }
    }
    value_at(s, world, by_x, by_v);
    while (made && taut_gradients_count(g) > 0) {
        made = CHECK_OK(taut_gradients_back(g, by_x, by_v));
    }
    if (made) {
        memcpy(out->x, by_x, 3 * points_of(s) * sizeof(double));
        memcpy(out->v, by_v, 3 * nodes_of(s) * sizeof(double));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_FORCES, 0, points_of(s), out->force));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_MASSES, 0, points_of(s), out->mass));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_GRAVITY, 0, 1, out->gravity));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_FRICTIONS, 0, 2, frictions));
        out->friction = frictions[3];
        out->softness = sum_of(g, batch[0]) + sum_of(g, batch[1]);
    }
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    return made;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* Every seventh value of a point, beside what there is but once; parts of what is small. */
static double way_of(const subject* s, size_t i, double way) {
    const size_t values = offsetof(inputs, gravity) / sizeof(double), forces = offsetof(inputs, force) / sizeof(double),
                 masses = offsetof(inputs, mass) / sizeof(double);
    const bool placed = i < values, fixed = s->on == ON_FIXED_SHEET;
    const size_t array = placed ? i % (3 * MOST) : i >= masses ? 3 * (i - masses) : i >= forces ? i - forces : 0;
    if (array >= 3 * (placed && i >= 3 * MOST ? nodes_of(s) : points_of(s)) || (i % 7 != 0 && array > 0) ||
        (fixed && array >= 3 * SHEET)) {
        return 0;
    }
    return i >= masses ? fmin(way, 1e-5) : i == offsetof(inputs, softness) / sizeof(double) ? 0.1 * way : way;
}

static double off_by(const subject* s, const inputs* in, size_t i, double derivative, double* size) {
    static const double ways[] = {3e-5, 3e-6};
    double least = INFINITY;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        inputs ahead = *in, behind = *in;
        const double way = way_of(s, i, ways[k]);
        ((double*)&ahead)[i] += way;
        ((double*)&behind)[i] -= way;
        const double difference = (function_of(s, &ahead) - function_of(s, &behind)) / (2 * way);
        least = fmin(least, fabs(difference - derivative));
        *size = fabs(difference);
    }
    return least;
}

static void compare(const subject* s) {
    const inputs in = usual(s);
    inputs gradient;
    int pressed;
    double largest = 0, worst = 0;
    size_t at = 0;
    test_note("%s", s->name);
    if (!gradient_of(s, &in, &gradient, &pressed)) {
        return;
    }
    for (size_t i = 0; i < INPUTS; i++) {
        if (way_of(s, i, 1) > 0) {
            const double scale = i >= offsetof(inputs, mass) / sizeof(double)       ? 1e-2
                                 : i == offsetof(inputs, softness) / sizeof(double) ? 1e-3
                                                                                    : 1;
            double size;
            const double off = scale * off_by(s, &in, i, ((const double*)&gradient)[i], &size);
            largest = fmax(largest, scale * size);
            at = off > worst ? i : at;
            worst = fmax(worst, off);
        }
    }
    test_note("%s: %d presses, worst %.1e of %.1e at %zu", s->name, pressed, worst, largest, at);
    CHECK(pressed > 0);
    CHECK(worst < 1e-4 * largest);
    test_note(NULL);
}

#define SURFACE_TEST(name_, ...)                                                                                       \
    TAUT_PLAIN_TEST(gradient_surfaces, name_) {                                                                        \
        if (test_direct()) {                                                                                           \
            compare(&(subject){.name = #name_, __VA_ARGS__});                                                          \
        }                                                                                                              \
    }

SURFACE_TEST(on_a_sphere, .on = ON_SPHERE, .height = 0.02, .fall = -0.5, .friction = 0.3, .steps = 20)
SURFACE_TEST(on_a_box, .on = ON_BOX, .height = 0.02, .fall = -0.5, .friction = 0.3, .steps = 20)
SURFACE_TEST(on_a_box_with_features, .on = ON_BOX_WITH_FEATURES, .height = 0.02, .fall = -0.5, .friction = 0.3,
             .steps = 20)
SURFACE_TEST(bounces_off_a_box, .on = ON_BOX_WITH_FEATURES, .height = 0.02, .fall = -1, .friction = 0.3,
             .restitution = 0.5, .steps = 12)
SURFACE_TEST(on_a_pyramid, .on = ON_MESH, .height = 0.02, .fall = -0.5, .friction = 0.3, .steps = 20)
SURFACE_TEST(on_a_sheet, .on = ON_SHEET, .height = 0.032, .fall = -0.7, .friction = 0.3, .steps = 12)
SURFACE_TEST(on_an_open_mesh, .on = ON_FIXED_SHEET, .height = 0.032, .fall = -0.5, .friction = 0.3, .steps = 12)
SURFACE_TEST(on_a_box_that_flies, .on = ON_BODY, .height = 0.02, .fall = -0.5, .friction = 0.3, .steps = 12)
SURFACE_TEST(on_a_ball_that_flies, .on = ON_BALL, .height = 0.02, .fall = -0.5, .friction = 0.3, .steps = 12)
