/* Any limit of iterations is safe: no method and no limit gives a scene more energy than it was given, by the library's
 * books and by a sum of the test's own, and the way from the solution shrinks as the limit grows. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 60)

/* What a scene is made of, as the sum of energies needs it. */
typedef struct budget_scene {
    taut_scene* scene;
    size_t points, links, bodies;
    double* masses;            /* kg, of points that are free */
    uint32_t* ends;            /* links x 2 */
    double *rest, *compliance; /* of links */
    taut_body body[8];
    double body_mass;
    phys_body bodies_at[8];
    double drop; /* J: scale of the energies */
} budget_scene;

static void free_scene(budget_scene* s) {
    free(s->masses);
    free(s->ends);
    free(s->rest);
    free(s->compliance);
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static void add_link(budget_scene* s, const double* x, uint32_t a, uint32_t b, double compliance) {
    s->ends[2 * s->links] = a;
    s->ends[2 * s->links + 1] = b;
    s->rest[s->links] = phys_apart(x + 3 * a, x + 3 * b);
    s->compliance[s->links++] = compliance;
}

static budget_scene begin(size_t points, size_t links) {
    const budget_scene s = {.points = points,
                            .masses = phys_array(points, sizeof(double)),
                            .ends = phys_array(2 * links, sizeof(uint32_t)),
                            .rest = phys_array(links, sizeof(double)),
                            .compliance = phys_array(links, sizeof(double))};
    return s;
}

static void add_links(budget_scene* s) {
    taut_distance_def def = taut_default_distance();
    def.count = s->links;
    def.particles = s->ends;
    def.compliances = s->compliance;
    CHECK_OK(taut_scene_add_distances(s->scene, &def, NULL));
}

/* Threads, softer diagonals and hinges, from two corners or free. */
static budget_scene sheet(size_t cells, double compliance, double side, bool pinned) {
    phys_mesh mesh = phys_grid(cells, cells, side, side, PHYS_ALTERNATING);
    phys_tuples edges = phys_edges(&mesh), hinges = phys_hinges(&mesh);
    budget_scene s = begin(mesh.point_count, edges.count);
    double* soft = phys_array(hinges.count, sizeof *soft);
    free(s.masses);
    s.masses = phys_lumped_masses(&mesh, 0.2);
    for (size_t i = 0; i < mesh.point_count; i++) { /* level, a little above the origin */
        double* x = mesh.points + 3 * i;
        x[2] = x[1] - side / 2;
        x[0] -= side / 2;
        x[1] = 0.02;
    }
    s.scene = phys_scene(mesh.point_count, mesh.points, s.masses);
    for (size_t e = 0; e < edges.count; e++) {
        const double *a = mesh.points + 3 * edges.items[2 * e], *b = mesh.points + 3 * edges.items[2 * e + 1];
        const bool diagonal = fabs(a[0] - b[0]) > 1e-6 && fabs(a[2] - b[2]) > 1e-6;
        add_link(&s, mesh.points, edges.items[2 * e], edges.items[2 * e + 1],
                 diagonal ? 1e-3 + 100 * compliance : compliance);
    }
    add_links(&s);
    for (size_t i = 0; i < hinges.count; i++) {
        soft[i] = 1e4;
    }
    phys_add_hinges(s.scene, &hinges, soft, 0);
    if (pinned) {
        phys_fix(s.scene, 2, (const uint32_t[]){0, (uint32_t)cells});
        s.masses[0] = s.masses[cells] = 0;
    }
    s.drop = 0.2 * side * side * PHYS_GRAVITY * side / 2;
    free(soft);
    free(edges.items);
    free(hinges.items);
    phys_mesh_free(&mesh);
    return s;
}

/* A level rope of 50 g with a kilogram at its end. */
static budget_scene rope(double compliance) {
    enum { LINKS = 24 };
    budget_scene s = begin(LINKS + 1, LINKS);
    double x[3 * (LINKS + 1)] = {0};
    for (uint32_t i = 0; i <= LINKS; i++) {
        x[3 * i] = (double)i / LINKS;
        s.masses[i] = i == 0 ? 1 : i == LINKS ? 1 : 0.05 / LINKS;
    }
    s.scene = phys_scene(s.points, x, s.masses);
    s.masses[0] = 0;
    for (uint32_t i = 0; i < LINKS; i++) {
        add_link(&s, x, i, i + 1, compliance);
    }
    add_links(&s);
    phys_fix(s.scene, 1, (const uint32_t[]){0});
    s.drop = 1.025 * PHYS_GRAVITY;
    return s;
}

/* Five bars in a row, joined by balls and hinges, the last one ten times as heavy, from a ball in the world: hard. */
static budget_scene bars(double compliance) {
    enum { BARS = 5 };
    budget_scene s = begin(0, 0);
    const double length = 0.2;
    double axes[4];
    (void)compliance;
    phys_hinge_about_z(axes);
    s.scene = phys_empty_scene();
    for (int i = 0; i < BARS; i++) {
        const double from[3] = {length * i, 0, 0}, to[3] = {length * (i + 1), 0, 0};
        s.bodies_at[i] = phys_bar(from, to, 0.04, i == BARS - 1 ? 2 : 0.2);
        s.body[i] = phys_add_body(s.scene, &s.bodies_at[i]);
        phys_add_joint(s.scene, i % 2 == 0 ? TAUT_JOINT_BALL : TAUT_JOINT_HINGE, i == 0 ? TAUT_WORLD : s.body[i - 1],
                       s.body[i], from, axes);
        s.drop += s.bodies_at[i].mass * PHYS_GRAVITY * length * (i + 0.5);
    }
    s.bodies = BARS;
    return s;
}

/* A sheet that falls on a ball. */
static budget_scene draped(double compliance) {
    budget_scene s = sheet(8, compliance, 0.5, false);
    const uint32_t material = contact_material(s.scene, 0.3, 0);
    uint32_t* all = phys_array(s.points, sizeof *all);
    for (uint32_t i = 0; i < s.points; i++) {
        all[i] = i;
    }
    contact_shape(s.scene, TAUT_SHAPE_SPHERE, (const double[]){0.2, 0, 0}, TAUT_WORLD, (const double[]){0, -0.2, 0},
                  NULL, material);
    contact_touch(s.scene, s.points, all, 0.005, material);
    free(all);
    return s;
}

static budget_scene sheet_3(double compliance) {
    return sheet(3, compliance, 1, true);
}

static budget_scene sheet_8(double compliance) {
    return sheet(8, compliance, 1, true);
}

static budget_scene sheet_16(double compliance) {
    return sheet(16, compliance, 1, true);
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

/* J: from positions, velocities, and the lengths of links that have a compliance. */
static double own_energy(const budget_scene* s, taut_world* world) {
    double *x = phys_field(world, TAUT_FIELD_POSITIONS), *v = phys_field(world, TAUT_FIELD_VELOCITIES), sum = 0;
    for (size_t i = 0; i < s->points; i++) {
        sum += s->masses[i] * (phys_dot(v + 3 * i, v + 3 * i) / 2 + PHYS_GRAVITY * x[3 * i + 1]);
    }
    for (size_t e = 0; e < s->links; e++) {
        const double longer = phys_apart(x + 3 * s->ends[2 * e], x + 3 * s->ends[2 * e + 1]) - s->rest[e];
        sum += s->compliance[e] > 0 ? longer * longer / (2 * s->compliance[e]) : 0;
    }
    for (size_t i = 0; i < s->bodies; i++) {
        phys_body body = s->bodies_at[i];
        phys_read_body(world, s->body[i], &body);
        sum += phys_kinetic(&body) + body.mass * PHYS_GRAVITY * body.x[1];
    }
    free(x);
    free(v);
    return sum;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Positions of every step, and the most energy above the start, in parts of the drop. */
typedef struct budget_run {
    size_t values;
    double* path;
    double told, own;
    uint32_t damped;
} budget_run;

static budget_run run(budget_scene (*make)(double), double compliance, taut_backend_kind backend, taut_method method,
                      uint32_t limit, size_t steps) {
    budget_scene s = make(compliance);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.solver.tolerance = 1e-4;
    def.solver.method = method;
    def.solver.max_iterations = limit;
    def.integrator.guard = true;
    def.integrator.newton = make == draped ? 1 : 3; /* as the tool does by default */
    def.integrator.newton_tolerance = 1e-3;
    taut_world* world = phys_world(s.scene, &def);
    taut_step_info info;
    CHECK_OK(taut_world_info(world, &info));
    budget_run r = {.values = 3 * (s.points + s.bodies)};
    r.path = phys_array(steps * r.values, sizeof(double));
    const double told = info.kinetic + info.potential + info.elastic, own = own_energy(&s, world);
    for (size_t i = 0; i < steps && CHECK_OK(taut_world_step(world, H)); i++) {
        CHECK_OK(taut_world_info(world, &info));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, r.values / 3, r.path + i * r.values));
        r.told = fmax(r.told, (info.kinetic + info.potential + info.elastic - told) / s.drop);
        r.own = fmax(r.own, (own_energy(&s, world) - own) / s.drop);
        r.damped += info.damped > 0;
    }
    taut_world_destroy(world);
    free_scene(&s);
    return r;
}

/* m: mean distance of two runs. */
static double apart(const budget_run* a, const budget_run* b, size_t steps) {
    double sum = 0;
    for (size_t i = 0; i < steps * a->values; i++) {
        sum += (a->path[i] - b->path[i]) * (a->path[i] - b->path[i]);
    }
    return sqrt(3 * sum / (double)(steps * a->values));
}

/* Of the drop: what a step may gain that was not solved. */
#define GAIN 0.01

/* Whether the way from the solution is compared with that of the least limit, not with that of the limit before: where
 * contacts are, which each limit meets elsewhere, and on a sheet that the condensed system leaves falling at any limit
 * here, at one more than at another (README, limits). */
static bool wanders(budget_scene (*make)(double), taut_method method) {
    return make == draped || (make == sheet_16 && method == TAUT_METHOD_CONDENSED);
}

static void check_limits(budget_scene (*make)(double), const char* name, double compliance, taut_backend_kind backend,
                         taut_method method, size_t steps) {
    static const uint32_t limits[] = {1, 2, 5, 10, 20};
    budget_run full = run(make, compliance, backend, method, 5000, steps);
    double before = INFINITY;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        budget_run r = run(make, compliance, backend, method, limits[i], steps);
        const double error = apart(&r, &full, steps);
        test_note("%s, compliance %g, method %d, limit %u: energy %g and %g of the drop, %g m off, %g m before", name,
                  compliance, (int)method, limits[i], r.told, r.own, error, before);
        CHECK(r.told < GAIN);
        CHECK(r.own < GAIN);
        CHECK(error <= 1.1 * before + 1e-3);
        before = wanders(make, method) && i > 0 ? before : error;
        free(r.path);
    }
    test_note(NULL);
    free(full.path);
}

static const double compliances[] = {0, 1e-6, 1e-4};

#define BUDGET_TEST(suite, name, method, steps)                                                                        \
    TAUT_PLAIN_TEST(suite, name##_##method) {                                                                          \
        for (size_t c = 0; c < sizeof compliances / sizeof *compliances; c++) {                                        \
            check_limits(name, #name, compliances[c], TAUT_BACKEND_CPU, TAUT_METHOD_##method, steps);                  \
        }                                                                                                              \
    }
BUDGET_TEST(budgets, sheet_8, AUTO, 60)
BUDGET_TEST(budgets, sheet_8, SCHUR, 60)
BUDGET_TEST(budgets, sheet_8, CONDENSED, 60)
BUDGET_TEST(budgets, sheet_8, GAUSS_SEIDEL, 60)
BUDGET_TEST(budgets, rope, AUTO, 60)
BUDGET_TEST(budgets, rope, SCHUR, 60)
BUDGET_TEST(budgets, rope, CONDENSED, 60)
BUDGET_TEST(budgets, rope, GAUSS_SEIDEL, 60)
BUDGET_TEST(budgets, bars, AUTO, 60)
BUDGET_TEST(budgets, bars, SCHUR, 60)
BUDGET_TEST(budgets, bars, CONDENSED, 60)
BUDGET_TEST(budgets, bars, GAUSS_SEIDEL, 60)
BUDGET_TEST(budgets, draped, AUTO, 40)
BUDGET_TEST(slow_budgets, sheet_16, AUTO, 40)
BUDGET_TEST(slow_budgets, sheet_16, SCHUR, 40)
BUDGET_TEST(slow_budgets, sheet_16, CONDENSED, 40)

/* The same decisions on a device, in so few steps that an emulator makes them. */
TAUT_CUDA_TEST(budgets, on_a_device) {
    check_limits(sheet_3, "sheet_3", 1e-4, backend, TAUT_METHOD_CONDENSED, 8);
    check_limits(sheet_3, "sheet_3", 0, backend, TAUT_METHOD_GAUSS_SEIDEL, 8);
}
