/* The inside of the multilevel preconditioner on the CPU: aggregates, matrices of the levels, the operator they make.
 */
#include "dense_solve.h"
#include "harness.h"
#include "level_scenes.h"
#include "phys_scenes.h"
#include "small_scenes.h"

#include "host/compile/multigrid/aggregates.h"
#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_multilevel.h"
#include "host/cpu/cpu_state.h"
#include "host/world/world_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers ---------------------------------------------------------------------------------------------- */

static double noise(uint64_t* state) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 33) / 4294967296.0 - 0.25;
}

static void fill_noise(uint64_t seed, size_t count, float* values) {
    for (size_t i = 0; i < count; i++) {
        values[i] = (float)noise(&seed);
    }
}

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

typedef struct graph_memory {
    weighted_graph graph;
    uint8_t* take;
    uint32_t* aggregate;
    uint32_t count;
} graph_memory;

/* A graph with the neighbours that `joined` says; weights of 1. */
static graph_memory make_graph(uint32_t nodes, bool (*joined)(uint32_t, uint32_t)) {
    graph_memory m = {.graph = {.nodes = nodes}};
    m.graph.begin = phys_array(nodes + (size_t)1, sizeof(uint32_t));
    m.graph.column = phys_array((size_t)nodes * nodes, sizeof(uint32_t));
    m.graph.weight = phys_array((size_t)nodes * nodes, sizeof(double));
    m.take = phys_array(nodes, 1);
    m.aggregate = phys_array(nodes, sizeof(uint32_t));
    for (uint32_t i = 0, edge = 0; i < nodes; i++) {
        m.take[i] = 1;
        for (uint32_t j = 0; j < nodes; j++) {
            if (i != j && joined(i, j)) {
                m.graph.weight[edge] = 1;
                m.graph.column[edge++] = j;
            }
        }
        m.graph.begin[i + 1] = edge;
    }
    return m;
}

static void free_graph(graph_memory* m) {
    free(m->graph.begin);
    free(m->graph.column);
    free(m->graph.weight);
    free(m->take);
    free(m->aggregate);
}

static bool on_path(uint32_t i, uint32_t j) {
    return i + 1 == j || j + 1 == i;
}

static bool on_star(uint32_t i, uint32_t j) {
    return i == 0 || j == 0;
}

enum { GRID = 24 };

static bool on_grid(uint32_t i, uint32_t j) {
    const int dx = abs((int)(i % GRID) - (int)(j % GRID)), dy = abs((int)(i / GRID) - (int)(j / GRID));
    return dx + dy == 1;
}

/* Every node taken is in one aggregate, none is empty or too large; returns the largest number of nodes. */
static void check_aggregates(graph_memory* m, uint32_t target) {
    taut_allocator allocator;
    REQUIRE_OK(taut_allocator_resolve(&(taut_allocator){0}, &allocator));
    REQUIRE_OK(aggregates_grow(&m->graph, m->take, target, &allocator, m->aggregate, &m->count));
    uint32_t* size = phys_array(m->count + (size_t)1, sizeof *size);
    for (uint32_t i = 0; i < m->graph.nodes; i++) {
        CHECK(m->take[i] ? m->aggregate[i] < m->count : m->aggregate[i] == TAUT_NO_AGGREGATE);
        size[m->aggregate[i] < m->count ? m->aggregate[i] : m->count]++;
    }
    for (uint32_t a = 0; a < m->count; a++) {
        CHECK(size[a] > 0 && 2 * size[a] <= 3 * target);
    }
    free(size);
}

TAUT_PLAIN_TEST(aggregates, path) {
    graph_memory m = make_graph(100, on_path);
    check_aggregates(&m, 8);
    CHECK(m.count >= 100 / 12 && m.count <= 13);
    for (uint32_t i = 1, changes = 0; i < 100; i++) { /* pieces of the path */
        changes += m.aggregate[i] != m.aggregate[i - 1];
        CHECK(changes < m.count);
    }
    free_graph(&m);
}

/* Leaves whose only neighbour is full join each other, or a body that many points are tied to would never coarsen. */
TAUT_PLAIN_TEST(aggregates, star) {
    graph_memory m = make_graph(201, on_star);
    check_aggregates(&m, 8);
    CHECK(m.count <= 201 / 4);
    free_graph(&m);
}

TAUT_PLAIN_TEST(aggregates, grid_with_holes) {
    graph_memory m = make_graph(GRID * GRID, on_grid);
    for (uint32_t i = 0; i < GRID * GRID; i += 7) {
        m.take[i] = 0;
    }
    check_aggregates(&m, 12);
    CHECK(m.count <= GRID * GRID / 6);
    free_graph(&m);
}

TAUT_PLAIN_TEST(aggregates, weights_decide) {
    graph_memory m = make_graph(GRID * GRID, on_grid);
    for (uint32_t i = 0; i < m.graph.nodes; i++) { /* strong along rows */
        for (uint32_t e = m.graph.begin[i]; e < m.graph.begin[i + 1]; e++) {
            m.graph.weight[e] = m.graph.column[e] / GRID == i / GRID ? 100 : 1;
        }
    }
    check_aggregates(&m, 8);
    uint32_t across = 0;
    for (uint32_t i = 0; i + GRID < m.graph.nodes; i++) {
        across += m.aggregate[i] == m.aggregate[i + GRID];
    }
    CHECK(across < GRID * GRID / 10);
    free_graph(&m);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static taut_world_def condensed(taut_cycle cycle) {
    return level_world(TAUT_BACKEND_CPU, cycle);
}

/* A world one step on, with its levels up to date. */
static taut_world* open_world(const level_scene* scene, const taut_world_def* def) {
    taut_world* world = level_scene_world(scene, def);
    if (world != NULL && CHECK_OK(taut_world_step(world, 0.01))) {
        cpu_assemble(world->state, 0.01, TAUT_PHASE_STEP);
    }
    return world;
}

/* Random values at the unknowns of level 0. */
static float* make_vector(const taut_plan* plan, uint64_t seed) {
    float* out = phys_array(4 * plan->sizes.nodes, sizeof *out);
    fill_noise(seed, 4 * plan->sizes.nodes, out);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        const bool unknown = plan->fields.condensed_node[n] && plan->fields.inverse_mass[n] > 0;
        out[4 * n + 3] = 0;
        for (size_t a = 0; a < 3 && !unknown; a++) {
            out[4 * n + a] = 0;
        }
    }
    return out;
}

static double dot_of(size_t count, const float* a, const float* b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* out = A x of a level from its blocks. */
static void multiply(const taut_level* level, const double* x, double* out) {
    const size_t width = level->s.width;
    for (size_t n = 0; n < level->s.nodes; n++) {
        for (size_t i = 0; i < width; i++) {
            double sum = 0;
            for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
                for (size_t j = 0; j < width; j++) {
                    sum += level->a_value[width * width * k + width * i + j] * x[width * level->a_column[k] + j];
                }
            }
            out[width * n + i] = sum;
        }
    }
}

/* fine += P coarse, or coarse += P^T fine. */
static void transfer(const taut_level* level, bool transposed, double* fine, double* coarse) {
    const size_t width = level->s.width;
    for (size_t n = 0; n < level->s.nodes; n++) {
        for (uint32_t p = level->p_begin[n]; p < level->p_begin[n + 1]; p++) {
            for (size_t v = 0; v < 6 * width; v++) {
                const double value = level->p_value[6 * width * p + v];
                double *at = fine + width * n + v / 6, *of = coarse + 6 * (size_t)level->p_column[p] + v % 6;
                *(transposed ? of : at) += value * *(transposed ? at : of);
            }
        }
    }
}

/* The explicit matrix of level 0 is the operator of the solver. */
static void check_system(const char* name, taut_world* world) {
    const taut_plan* plan = &world->plan;
    const taut_level* level = &plan->hierarchy.level[0];
    const size_t nodes = plan->sizes.nodes;
    float *p = make_vector(plan, 11), *q = phys_array(4 * nodes, sizeof *q);
    double *x = phys_array(3 * nodes, sizeof *x), *y = phys_array(3 * nodes, sizeof *y), worst = 0, largest = 0;
    for (size_t i = 0; i < 3 * nodes; i++) {
        x[i] = p[4 * (i / 3) + i % 3];
    }
    world->plan.hierarchy.whole = false;
    condense_multiply(plan, p, q);
    multiply(level, x, y);
    for (size_t i = 0; i < 3 * nodes; i++) {
        const double difference = fabs(y[i] - q[4 * (i / 3) + i % 3]);
        worst = difference <= worst ? worst : difference;
        largest = fmax(largest, fabs(y[i]));
    }
    test_note("%s", name);
    CHECK(largest > 0);
    CHECK_NEAR(worst / largest, 0, 2e-6);
    test_note(NULL);
    free(p);
    free(q);
    free(x);
    free(y);
}

/* Blocks on both sides of the diagonal are transposes, bit for bit. */
static void check_symmetry(const char* name, const taut_level* level) {
    const size_t width = level->s.width;
    size_t different = 0;
    for (uint32_t n = 0; n < level->s.nodes; n++) {
        for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
            uint32_t turned = level->a_begin[level->a_column[k]];
            while (level->a_column[turned] != n) {
                turned++;
            }
            for (size_t v = 0; v < width * width && level->a_column[k] != n; v++) {
                different += level->a_value[width * width * k + v] !=
                             level->a_value[width * width * turned + v % width * width + v / width];
            }
        }
    }
    test_note("%s: level of %u nodes", name, level->s.nodes);
    CHECK_INT(different, 0);
    test_note(NULL);
}

/* A of the next level is P^T A P, up to the floor under its turns. */
static void check_galerkin(const char* name, const taut_level* fine, const taut_level* coarse) {
    const size_t width = fine->s.width;
    uint64_t seed = 5;
    double *e = phys_array(6 * (size_t)coarse->s.nodes, sizeof *e),
           *full = phys_array(width * fine->s.nodes, sizeof *full);
    double *ae = phys_array(width * fine->s.nodes, sizeof *ae),
           *back = phys_array(6 * (size_t)coarse->s.nodes, sizeof *back);
    double *direct = phys_array(6 * (size_t)coarse->s.nodes, sizeof *direct), worst = 0, largest = 0;
    for (size_t i = 0; i < 6 * (size_t)coarse->s.nodes; i++) {
        e[i] = noise(&seed);
    }
    transfer(fine, false, full, e);
    multiply(fine, full, ae);
    transfer(fine, true, ae, back);
    multiply(coarse, e, direct);
    for (size_t i = 0; i < 6 * (size_t)coarse->s.nodes; i++) {
        const double difference = fabs(direct[i] - back[i]);
        worst = difference <= worst ? worst : difference;
        largest = fmax(largest, fabs(direct[i]));
    }
    test_note("%s: level of %u nodes", name, coarse->s.nodes);
    CHECK_NEAR(worst, 0, 1e-7 * largest);
    test_note(NULL);
    free(e);
    free(full);
    free(ae);
    free(back);
    free(direct);
}

TAUT_PLAIN_TEST(multilevel, matrices) {
    for (int i = 0; i < LEVEL_SCENES; i++) {
        const taut_world_def def = condensed(TAUT_CYCLE_ADDITIVE);
        taut_world* world = open_world(&level_scenes[i], &def);
        REQUIRE(world != NULL);
        const taut_hierarchy* h = &world->plan.hierarchy;
        check_system(level_scenes[i].name, world);
        check_symmetry(level_scenes[i].name, &h->level[0]);
        for (uint32_t l = 0; l + 1 < h->count; l++) {
            check_galerkin(level_scenes[i].name, &h->level[l], &h->level[l + 1]);
        }
        taut_world_destroy(world);
    }
}

/* out: the rigid motion t + w x (x - c) of the nodes of a level, in their modes. */
static void move_rigidly(const taut_plan* plan, uint32_t l, const double t[3], const double w[3], double* out) {
    const taut_level* level = &plan->hierarchy.level[l];
    const size_t width = level->s.width;
    for (size_t n = 0; n < level->s.nodes; n++) {
        const double* c = l == 0 ? plan->fields.x + 3 * n : level->centre + 4 * n;
        for (size_t k = 0; k < 3; k++) {
            out[width * n + k] = t[k] + w[(k + 1) % 3] * c[(k + 2) % 3] - w[(k + 2) % 3] * c[(k + 1) % 3];
            if (width == 6) {
                out[width * n + 3 + k] = (level->radius[n] > 0 ? level->radius[n] : 1) * w[k];
            }
        }
    }
}

/* x -= 4/(3 lm) D^-1 A x */
static void smooth_once(const taut_level* level, double* x) {
    const size_t width = level->s.width;
    double *ax = phys_array(width * level->s.nodes, sizeof *ax), dax[6];
    multiply(level, x, ax);
    for (size_t n = 0; n < level->s.nodes; n++) {
        uint32_t own = level->a_begin[n];
        while (level->a_column[own] != n) {
            own++;
        }
        CHECK(dense_solve(width, 1, level->a_value + width * width * own, ax + width * n, dax));
        for (size_t k = 0; k < width; k++) {
            x[width * n + k] -= 4 / (3 * level->largest[0]) * dax[k];
        }
    }
    free(ax);
}

/* Modes of an aggregate on any level move its nodes as a rigid body does, but for the smoothing. */
TAUT_PLAIN_TEST(multilevel, rigid_modes) {
    const taut_world_def def = condensed(TAUT_CYCLE_ADDITIVE);
    taut_world* world = open_world(&level_scenes[LEVEL_SOLID], &def);
    const double t[3] = {0.3, -0.2, 0.5}, w[3] = {0.7, 0.4, -0.6};
    REQUIRE(world != NULL);
    const taut_hierarchy* h = &world->plan.hierarchy;
    CHECK(h->count >= 2);
    for (uint32_t l = 0; l + 1 < h->count; l++) {
        const taut_level *fine = &h->level[l], *coarse = &h->level[l + 1];
        const size_t values = fine->s.width * (size_t)fine->s.nodes;
        double *motion = phys_array(6 * (size_t)coarse->s.nodes, sizeof *motion),
               *moved = phys_array(values, sizeof *moved), *expected = phys_array(values, sizeof *expected);
        move_rigidly(&world->plan, l + 1, t, w, motion);
        move_rigidly(&world->plan, l, t, w, expected);
        smooth_once(fine, expected);
        transfer(fine, false, moved, motion);
        for (size_t i = 0; i < values; i++) {
            CHECK_NEAR(moved[i], expected[i], 1e-6);
        }
        free(motion);
        free(moved);
        free(expected);
    }
    taut_world_destroy(world);
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

static void check_operator(const level_scene* scene, taut_cycle cycle) {
    const taut_world_def def = condensed(cycle);
    taut_world* world = open_world(scene, &def);
    REQUIRE(world != NULL);
    const taut_plan* plan = &world->plan;
    const size_t count = 4 * plan->sizes.nodes;
    float *r = make_vector(plan, 1), *s = make_vector(plan, 2);
    float *br = phys_array(count, sizeof *br), *bs = phys_array(count, sizeof *bs);
    multilevel_apply(plan, r, br);
    multilevel_apply(plan, s, bs);
    const double rr = dot_of(count, r, br), ss = dot_of(count, s, bs), rs = dot_of(count, r, bs),
                 sr = dot_of(count, s, br);
    test_note("%s, cycle %d: r.Br %g s.Bs %g r.Bs %g s.Br %g", scene->name, (int)cycle, rr, ss, rs, sr);
    CHECK(rr > 0 && ss > 0);
    CHECK_NEAR(rs, sr, 1e-4 * sqrt(rr * ss));
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        const bool unknown = plan->fields.condensed_node[n] && plan->fields.inverse_mass[n] > 0;
        CHECK(unknown || (br[4 * n] == 0 && br[4 * n + 1] == 0 && br[4 * n + 2] == 0));
    }
    test_note(NULL);
    free(r);
    free(s);
    free(br);
    free(bs);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(multilevel, symmetric_and_positive) {
    for (int i = 0; i < LEVEL_SCENES; i++) {
        check_operator(&level_scenes[i], TAUT_CYCLE_ADDITIVE);
        check_operator(&level_scenes[i], TAUT_CYCLE_V);
    }
}

/* ---- whole steps ------------------------------------------------------------------------------------------------- */

/* A hanging sheet of n x n particles, slightly curved, with edges, diagonals and bends. */
static scene_grid hanging_sheet(oracle_scene* scene, uint32_t n) {
    const scene_grid grid = {0, n, n};
    for (uint32_t i = 0; i < n * n; i++) {
        const double u = (double)(i % n) / n, v = (double)(i / n) / n;
        oracle_scene_particle(scene, u, -v, 0.02 * sin(6 * u + 3 * v), 0.2 / (n * n), false);
    }
    scene_sheet_edges(scene, grid, (scene_material){1e-4, 0});
    scene_sheet_diagonals(scene, grid, (scene_material){1e-4, 0});
    scene_sheet_bends(scene, grid, (scene_material){1e3, 0});
    scene_sheet_pin_corners(scene, grid);
    return grid;
}

/* Ten steps; returns the most iterations of one. Frees the scene. */
static uint32_t most_iterations(oracle_scene* scene, taut_cycle cycle, double tolerance) {
    taut_world_def def = condensed(cycle);
    taut_world* world = NULL;
    uint32_t most = 0;
    def.solver.tolerance = tolerance;
    def.integrator.further = 0; /* one system a step */
    CHECK_OK(oracle_scene_world(scene, &def, &world));
    for (int i = 0; world != NULL && i < 10; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, 1.0 / 60));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        most = info.iterations > most ? info.iterations : most;
    }
    taut_world_destroy(world);
    test_note("%zu particles, cycle %d, to %g: %u iterations", scene->particle_count, (int)cycle, tolerance, most);
    oracle_scene_free(scene);
    return most;
}

static uint32_t sheet_iterations(uint32_t n, taut_cycle cycle, double tolerance) {
    oracle_scene scene = {0};
    hanging_sheet(&scene, n);
    return most_iterations(&scene, cycle, tolerance);
}

TAUT_PLAIN_TEST(multilevel, iterations_hardly_grow) {
    const uint32_t coarse = sheet_iterations(24, TAUT_CYCLE_ADDITIVE, 1e-3);
    CHECK(coarse <= 50);
    CHECK(2 * sheet_iterations(48, TAUT_CYCLE_ADDITIVE, 1e-3) <= 3 * coarse);
    CHECK(sheet_iterations(48, TAUT_CYCLE_V, 1e-3) <= 20);
    test_note(NULL);
}

/* A stiff rope at the middle of the lower edge. Where it begins, its nodes share an aggregate with the cloth's. */
static uint32_t rope_iterations(taut_cycle cycle) {
    enum { N = 20, LINKS = 60 };
    const double link = 0.0025;
    oracle_scene scene = {0};
    const scene_grid grid = hanging_sheet(&scene, N);
    uint32_t above = grid.first + N * (N - 1) + N / 2, before = above;
    const double* x = scene.particles[above].x;
    const double top[3] = {x[0], x[1], x[2]};
    for (uint32_t k = 0; k < LINKS; k++) {
        const uint32_t i = oracle_scene_particle(&scene, top[0], top[1] - link * (k + 1), top[2], 0.05 * link, false);
        scene_distance(&scene, above, i, (scene_material){1e-8, 0});
        if (k > 0) {
            scene_distance(&scene, before, i, (scene_material){1e-6, 0});
        }
        before = above;
        above = i;
    }
    return most_iterations(&scene, cycle, 1e-4);
}

TAUT_PLAIN_TEST(multilevel, stiff_rope_on_cloth) {
    CHECK(rope_iterations(TAUT_CYCLE_ADDITIVE) <= 45);
    CHECK(rope_iterations(TAUT_CYCLE_V) <= 20);
    test_note(NULL);
}

/* Nodes fixed and freed between steps: levels follow, as the Schur complement does. */
TAUT_PLAIN_TEST(multilevel, fixing_and_freeing) {
    taut_world_def def = condensed(TAUT_CYCLE_V);
    oracle_scene scene = {0};
    taut_world* worlds[2] = {NULL, NULL};
    double x[2][3 * 14 * 13];
    level_scenes[LEVEL_CLOTH].build(&scene);
    def.solver.tolerance = 1e-8;
    def.solver.max_iterations = 20000;
    for (int i = 0; i < 2; i++) {
        REQUIRE_OK(oracle_scene_world(&scene, &def, &worlds[i]));
        def.solver.method = TAUT_METHOD_SCHUR;
        def.solver.preconditioner = TAUT_PRECONDITIONER_BLOCK;
    }
    for (int i = 0; i < 2; i++) {
        const uint32_t freed[2] = {0, 13}, fixed[3] = {90, 91, 92};
        CHECK_OK(taut_world_step(worlds[i], 0.01));
        CHECK_OK(taut_world_set_fixed(worlds[i], 2, freed, false));
        CHECK_OK(taut_world_set_fixed(worlds[i], 3, fixed, true));
        for (int k = 0; k < 3; k++) {
            taut_step_info info;
            CHECK_OK(taut_world_step(worlds[i], 0.01));
            CHECK_OK(taut_world_info(worlds[i], &info));
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        }
        CHECK_OK(taut_world_read(worlds[i], TAUT_FIELD_POSITIONS, 0, 14 * 13, x[i]));
        taut_world_destroy(worlds[i]);
    }
    for (size_t i = 0; i < 3 * 14 * 13; i++) {
        CHECK_NEAR(x[0][i], x[1][i], 1e-5);
    }
    oracle_scene_free(&scene);
}

TAUT_PLAIN_TEST(multilevel, threads_do_not_matter) {
    double x[2][3 * 14 * 13];
    for (uint32_t i = 0; i < 2; i++) {
        oracle_scene scene = {0};
        taut_world* world = NULL;
        taut_world_def def = condensed(TAUT_CYCLE_V);
        def.threads = 1 + 2 * i;
        level_scenes[LEVEL_CLOTH].build(&scene);
        REQUIRE_OK(oracle_scene_world(&scene, &def, &world));
        for (int k = 0; k < 3; k++) {
            CHECK_OK(taut_world_step(world, 0.01));
        }
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 14 * 13, x[i]));
        taut_world_destroy(world);
        oracle_scene_free(&scene);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}
