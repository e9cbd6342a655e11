/* Mapped points, frames and joints in random mechanisms: the operators against the assembled matrices, and these
 * against differences. */
#include <math.h>

#include <stdlib.h>
#include <string.h>

#include "dense_solve.h"
#include "graph_scenes.h"
#include "harness.h"

static const double h = 0.004;

/* A mechanism some steps into its motion, with its matrices. */
typedef struct setup {
    graph_world g;
    bool plain;
    taut_assembly* assembly;
    double* matrices[TAUT_MATRIX_COUNT];
    const double* vectors[TAUT_VECTOR_COUNT];
    double *in, *out, *product; /* as long as the longest vector */
} setup;

static bool setup_assemble(setup* s) {
    if (!CHECK_OK(taut_assembly_create(s->g.world, &s->assembly))) {
        return false;
    }
    for (int i = 0; i < TAUT_MATRIX_COUNT; i++) {
        s->matrices[i] = dense_of(s->assembly, (taut_matrix)i);
    }
    for (int i = 0; i < TAUT_VECTOR_COUNT; i++) {
        taut_array view;
        CHECK_OK(taut_assembly_vector(s->assembly, (taut_vector)i, &view));
        s->vectors[i] = view.data;
    }
    return true;
}

static bool setup_open(setup* s, taut_backend_kind backend, uint64_t seed, uint32_t depth,
                       taut_geometric_stiffness geometric) {
    const graph_options options = {.seed = seed, .depth = depth, .plain = seed % 2 == 0};
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.gravity[0] = 0.7;
    def.integrator.geometric_stiffness = geometric;
    memset(s, 0, sizeof *s);
    s->plain = options.plain;
    test_note("seed %d, depth %u", (int)seed, depth);
    if (!graph_open_world(&s->g, &options, &def, 3, h)) {
        return false;
    }
    const size_t most = s->g.n > s->g.m ? s->g.n : s->g.m;
    s->in = calloc(most, sizeof *s->in);
    s->out = calloc(most, sizeof *s->out);
    s->product = calloc(most, sizeof *s->product);
    random_fill(&s->g.random, -1, 1, most, s->in);
    return setup_assemble(s);
}

static void setup_close(setup* s) {
    for (int i = 0; i < TAUT_MATRIX_COUNT; i++) {
        free(s->matrices[i]);
    }
    taut_assembly_destroy(s->assembly);
    graph_close_world(&s->g);
    free(s->in);
    free(s->out);
    free(s->product);
    test_note(NULL);
}

static bool setup_good(setup* s, taut_backend_kind backend, uint64_t seed, uint32_t depth,
                       taut_geometric_stiffness geometric) {
    const bool good = setup_open(s, backend, seed, depth, geometric);
    if (!good) {
        setup_close(s);
    }
    return good;
}

static void check_equal(const double* a, const double* b, size_t count, double tolerance) {
    const double size = dense_max(count, a);
    CHECK(size > 0);
    CHECK_NEAR(dense_max_difference(count, a, b) / size, 0, tolerance);
}

static double* random_vector(setup* s, size_t count) {
    double* v = malloc((count + 1) * sizeof *v);
    random_fill(&s->g.random, -1, 1, count, v);
    return v;
}

#define FOR_EACH_MECHANISM(s, geometric)                                                                               \
    for (uint32_t depth = 1; depth <= 4; depth++)                                                                      \
        for (uint64_t seed = 10 * depth; seed < 10 * depth + 3; seed++)                                                \
            for (bool once = setup_good(&(s), backend, seed, depth, geometric); once; once = (setup_close(&(s)), false))

/* ---- operators and matrices -------------------------------------------------------------------------------------- */

TAUT_TEST(graph, jacobian) {
    setup s;
    FOR_EACH_MECHANISM(s, TAUT_GEOMETRIC_FULL) {
        CHECK_OK(taut_world_linearise(s.g.world, h));
        CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_J, s.in, s.out));
        dense_multiply(s.g.m, s.g.n, 1, s.matrices[TAUT_MATRIX_J], false, s.in, s.product);
        check_equal(s.product, s.out, s.g.m, 1e-6);
        CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_JT, s.in, s.out));
        dense_multiply(s.g.m, s.g.n, 1, s.matrices[TAUT_MATRIX_J], true, s.in, s.product);
        check_equal(s.product, s.out, s.g.n, 1e-6);
        CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_G, s.in, s.out));
        dense_multiply(s.g.n, s.g.n, 1, s.matrices[TAUT_MATRIX_G], false, s.in, s.product);
        check_equal(s.product, s.out, s.g.n, 1e-6);
    }
}

/* What mapped points are not: unknowns. Their rows and columns are empty, and no forces are left on them. */
static void check_mapped_places(const setup* s) {
    static const taut_matrix squares[2] = {TAUT_MATRIX_M, TAUT_MATRIX_G};
    taut_csr_view a;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(taut_assembly_matrix(s->assembly, squares[k], &a));
        for (size_t row = 0; row < a.rows; row++) {
            const bool mapped = row < 3 * s->g.points && s->g.mapped[row / 3];
            CHECK(!mapped || a.offsets[row] == a.offsets[row + 1]);
            CHECK(!mapped || s->vectors[TAUT_VECTOR_F][row] == 0);
        }
    }
    for (int k = 0; k < 3; k++) {
        CHECK_OK(taut_assembly_matrix(s->assembly, k < 2 ? squares[k] : TAUT_MATRIX_J, &a));
        for (size_t row = 0; row < a.rows; row++) {
            for (size_t i = a.offsets[row]; i < a.offsets[row + 1]; i++) {
                CHECK(a.indices[i] >= 3 * s->g.points || !s->g.mapped[a.indices[i] / 3]);
                CHECK(i == a.offsets[row] || a.indices[i - 1] < a.indices[i]);
            }
        }
    }
    for (size_t i = 0; i < s->g.n; i++) {
        const bool mapped = i < 3 * s->g.points && s->g.mapped[i / 3];
        CHECK_NEAR(s->matrices[TAUT_MATRIX_P][i * s->g.n + i], mapped || s->g.fixed[i / 3] ? 0 : 1, 0);
    }
}

/* Particles and frames of a block, by its kind. */
static void check_block(const setup* s, const taut_block* block) {
    static const uint32_t particles[TAUT_KIND_COUNT] = {2, 2, 1, 4, 3, 4, 4, 2, 0, 0, 2, 0, 0, 0};
    static const uint32_t frames[TAUT_KIND_COUNT] = {0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 1, 0, 0, 0};
    CHECK_INT(block->particle_count, particles[block->kind]);
    CHECK_INT(block->frame_count, frames[block->kind]);
    for (uint32_t i = 0; i < block->particle_count; i++) {
        CHECK(block->particles[i] < s->g.points);
    }
    for (uint32_t i = 0; i < block->frame_count; i++) {
        CHECK(block->frames[i] < s->g.frames);
    }
}

TAUT_TEST(graph, blocks) {
    setup s;
    FOR_EACH_MECHANISM(s, TAUT_GEOMETRIC_FULL) {
        const graph_joint* hinge = &s.g.record.joints[TAUT_JOINT_HINGE];
        size_t row = 0, travels = 0;
        for (size_t b = 0; b < taut_assembly_block_count(s.assembly); b++) {
            taut_block block;
            CHECK_OK(taut_assembly_block(s.assembly, b, &block));
            CHECK(block.kind != TAUT_INERTIA && block.kind != TAUT_NORM);
            CHECK_INT(block.first_row, row);
            row += block.rows;
            check_block(&s, &block);
            if (block.kind == TAUT_PRISMATIC && travels++ == 3) { /* behind those of a ball joint */
                CHECK(memcmp(block.frames, hinge->frames, sizeof hinge->frames) == 0);
                CHECK(memcmp(block.particles, hinge->centres, sizeof hinge->centres) == 0);
            }
        }
        CHECK_INT(row, s.g.m);
        check_mapped_places(&s);
    }
}

/* phi is exact in float64, and so is the assembled J. */
static void check_directions(setup* s, int directions) {
    const double e = 1e-5;
    double* sides[2] = {calloc(s->g.m, sizeof(double)), calloc(s->g.m, sizeof(double))};
    for (int k = 0; k < directions; k++) {
        random_fill(&s->g.random, -1, 1, s->g.n, s->in);
        for (int side = 0; side < 2; side++) {
            graph_write_moved(&s->g, side == 0 ? -e : e, s->in);
            CHECK_OK(taut_world_read(s->g.world, TAUT_FIELD_VIOLATIONS, 0, s->g.m, sides[side]));
        }
        for (size_t r = 0; r < s->g.m; r++) {
            s->out[r] = (sides[1][r] - sides[0][r]) / (2 * e);
        }
        dense_multiply(s->g.m, s->g.n, 1, s->matrices[TAUT_MATRIX_J], false, s->in, s->product);
        check_equal(s->product, s->out, s->g.m, 2e-8);
    }
    free(sides[0]);
    free(sides[1]);
}

TAUT_TEST(graph, jacobian_by_differences) {
    setup s;
    FOR_EACH_MECHANISM(s, TAUT_GEOMETRIC_FULL) {
        check_directions(&s, 3);
    }
}

/* J^T lam for the multipliers of the last step at the state moved by e d. */
static void force_at(setup* s, double e, const double* d, const double* lam, double* exact, double* single) {
    taut_assembly* moved = NULL;
    graph_write_moved(&s->g, e, d);
    CHECK_OK(taut_world_linearise(s->g.world, h));
    CHECK_OK(taut_world_apply(s->g.world, TAUT_OPERATOR_JT, lam, single));
    REQUIRE_OK(taut_assembly_create(s->g.world, &moved));
    double* j = dense_of(moved, TAUT_MATRIX_J);
    dense_multiply(s->g.m, s->g.n, 1, j, true, lam, exact);
    free(j);
    taut_assembly_destroy(moved);
}

/* Differences of the assembled J, which is exact, and of the operator, which is single. */
TAUT_TEST(graph, stiffness_by_differences) {
    const double e = 3e-5;
    setup s;
    FOR_EACH_MECHANISM(s, TAUT_GEOMETRIC_FULL) {
        double* exact[2] = {calloc(s.g.n, sizeof(double)), calloc(s.g.n, sizeof(double))};
        double* single[2] = {calloc(s.g.n, sizeof(double)), calloc(s.g.n, sizeof(double))};
        double* lam = calloc(2 * s.g.m, sizeof *lam);
        CHECK_OK(taut_world_read(s.g.world, TAUT_FIELD_MULTIPLIERS, 0, s.g.m, lam));
        for (int side = 0; side < 2; side++) {
            force_at(&s, side == 0 ? -e : e, s.in, lam, exact[side], single[side]);
        }
        CHECK_OK(taut_world_read(s.g.world, TAUT_FIELD_MULTIPLIERS, 0, s.g.m, lam + s.g.m));
        CHECK(memcmp(lam, lam + s.g.m, s.g.m * sizeof(double)) == 0);
        dense_multiply(s.g.n, s.g.n, 1, s.matrices[TAUT_MATRIX_G], false, s.in, s.product);
        for (size_t i = 0; i < s.g.n; i++) {
            exact[0][i] = (exact[1][i] - exact[0][i]) / (2 * e);
            single[0][i] = (single[1][i] - single[0][i]) / (2 * e);
        }
        check_equal(s.product, exact[0], s.g.n, 1e-6);
        const double resolution = 1e-7 / e * dense_max(s.g.n, single[1]) / dense_max(s.g.n, s.product);
        check_equal(s.product, single[0], s.g.n, 1e-3 + resolution);
        free(exact[0]), free(exact[1]), free(single[0]), free(single[1]), free(lam);
    }
}

static void check_adjoint(setup* s, taut_operator op, taut_operator transposed, size_t rows, size_t columns,
                          double tolerance) {
    for (int k = 0; k < 3; k++) {
        double *u = random_vector(s, rows), *v = random_vector(s, columns);
        CHECK_OK(taut_world_apply(s->g.world, op, v, s->out));
        CHECK_OK(taut_world_apply(s->g.world, transposed, u, s->product));
        const double scale = dense_norm(rows, u) * dense_norm(rows, s->out) + 1e-300;
        CHECK_NEAR(dense_dot(rows, u, s->out) / scale, dense_dot(columns, v, s->product) / scale, tolerance);
        free(u), free(v);
    }
}

TAUT_TEST(graph, adjoint_and_symmetric) {
    setup s;
    FOR_EACH_MECHANISM(s, TAUT_GEOMETRIC_FULL) {
        CHECK_OK(taut_world_linearise(s.g.world, h));
        /* of a membrane the two round the gradient of its first node differently */
        const double rows = s.plain ? 1e-12 : 1e-7;
        check_adjoint(&s, TAUT_OPERATOR_J, TAUT_OPERATOR_JT, s.g.m, s.g.n, rows);
        check_adjoint(&s, TAUT_OPERATOR_A, TAUT_OPERATOR_A, s.g.n, s.g.n, 1e-12);
        check_adjoint(&s, TAUT_OPERATOR_W, TAUT_OPERATOR_W, s.g.m, s.g.m, 1e-12);
        check_adjoint(&s, TAUT_OPERATOR_A_INVERSE, TAUT_OPERATOR_A_INVERSE, s.g.n, s.g.n, 1e-9);
        check_adjoint(&s, TAUT_OPERATOR_S, TAUT_OPERATOR_S, s.g.m, s.g.m, 1e-9);
    }
}

/* P M P, with 1 where P is 0. */
static double* free_mass(const setup* s) {
    const size_t n = s->g.n;
    double* a = calloc(n * n, sizeof *a);
    for (size_t i = 0; i < n * n; i++) {
        const double *p = s->matrices[TAUT_MATRIX_P], free = p[i / n * n + i / n] * p[i % n * n + i % n];
        a[i] = free * s->matrices[TAUT_MATRIX_M][i] + (i / n == i % n && free == 0);
    }
    return a;
}

static void project(const setup* s, double* v) {
    for (size_t i = 0; i < s->g.n; i++) {
        v[i] *= s->matrices[TAUT_MATRIX_P][i * s->g.n + i];
    }
}

/* Without geometric stiffness A = P M P, and S is made of what is assembled. */
TAUT_TEST(graph, compose) {
    setup s;
    FOR_EACH_MECHANISM(s, TAUT_GEOMETRIC_NONE) {
        const size_t n = s.g.n, m = s.g.m;
        double *a = free_mass(&s), *v = calloc(n, sizeof *v), *w = calloc(n, sizeof *w), *t = calloc(m, sizeof *t);
        CHECK_OK(taut_world_linearise(s.g.world, h));
        CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_A, s.in, s.out));
        memcpy(v, s.in, n * sizeof *v);
        project(&s, v);
        dense_multiply(n, n, 1, a, false, v, s.product);
        check_equal(s.product, s.out, n, 1e-6);
        CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_A_INVERSE, s.in, s.out));
        CHECK(dense_solve(n, 1, a, v, s.product));
        check_equal(s.product, s.out, n, 3e-6);
        CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_W, s.in, s.out));
        dense_multiply(m, m, 1, s.matrices[TAUT_MATRIX_C], false, s.in, t);
        for (size_t i = 0; i < m; i++) {
            t[i] /= h * (h + GRAPH_DAMPING);
        }
        check_equal(t, s.out, m, 2e-7);
        dense_multiply(m, n, 1, s.matrices[TAUT_MATRIX_J], true, s.in, v);
        project(&s, v);
        CHECK(dense_solve(n, 1, a, v, w));
        dense_multiply(m, n, 1, s.matrices[TAUT_MATRIX_J], false, w, s.product);
        for (size_t i = 0; i < m; i++) {
            s.product[i] += t[i];
        }
        CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_S, s.in, s.out));
        check_equal(s.product, s.out, m, 3e-6);
        free(a), free(v), free(w), free(t);
    }
}
