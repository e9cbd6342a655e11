/* The assembled matrices against the matrix-free operators and against the reference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "harness.h"
#include "small_scenes.h"

static const double h = 0.01;

typedef struct setup {
    oracle_scene scene;
    taut_world* world;
    taut_assembly* assembly;
    size_t n, m;
    double *in, *out, *product;
} setup;

/* A scene of every kind in an order without meaning, some steps into its motion. */
static bool setup_open_with(setup* s, taut_backend_kind backend, uint64_t seed, taut_reserve room) {
    taut_world_def def = taut_default_world();
    memset(s, 0, sizeof *s);
    def.backend = backend;
    def.reserve = room;
    def.gravity[0] = 0.3;
    scene_mixed(&s->scene, 1e-5, 0.01);
    scene_sheet_membranes(&s->scene, scene_sheet(&s->scene, 4, 4, 0.1, 0.02), (scene_material){1e-6, 0});
    s->scene.particles[3].fixed = true;
    memset(s->scene.particles[3].v, 0, sizeof s->scene.particles[3].v);
    scene_shuffle(&s->scene, seed);
    s->scene.particles[7].force[1] = 2;
    if (!CHECK_OK(oracle_scene_world(&s->scene, &def, &s->world))) {
        return false;
    }
    CHECK_OK(taut_world_set_forces(s->world, 7, 1, s->scene.particles[7].force));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(oracle_scene_drive(&s->scene, s->world, h));
        CHECK_OK(taut_world_step(s->world, h));
        CHECK_OK(oracle_scene_follow(&s->scene, s->world, h));
    }
    s->n = 3 * s->scene.particle_count;
    s->m = oracle_row_count(&s->scene);
    const size_t most = s->n > s->m ? s->n : s->m;
    s->in = calloc(most, sizeof(double));
    s->out = calloc(most, sizeof(double));
    s->product = calloc(most, sizeof(double));
    for (size_t i = 0; i < most; i++) {
        s->in[i] = sin(2.3 * (double)i + (double)seed);
    }
    return CHECK_OK(taut_assembly_create(s->world, &s->assembly));
}

static bool setup_open(setup* s, taut_backend_kind backend, uint64_t seed) {
    return setup_open_with(s, backend, seed, (taut_reserve){0});
}

static void setup_close(setup* s) {
    taut_assembly_destroy(s->assembly);
    taut_world_destroy(s->world);
    oracle_scene_free(&s->scene);
    free(s->in);
    free(s->out);
    free(s->product);
}

static taut_csr_view matrix_of(const setup* s, taut_matrix which) {
    taut_csr_view view = {0};
    CHECK_OK(taut_assembly_matrix(s->assembly, which, &view));
    return view;
}

static void multiply(const taut_csr_view* a, const double* in, double* out) {
    for (size_t row = 0; row < a->rows; row++) {
        out[row] = 0;
        for (size_t i = a->offsets[row]; i < a->offsets[row + 1]; i++) {
            out[row] += a->values[i] * in[a->indices[i]];
        }
    }
}

static void multiply_transposed(const taut_csr_view* a, const double* in, double* out) {
    memset(out, 0, a->columns * sizeof *out);
    for (size_t row = 0; row < a->rows; row++) {
        for (size_t i = a->offsets[row]; i < a->offsets[row + 1]; i++) {
            out[a->indices[i]] += a->values[i] * in[row];
        }
    }
}

static void check_equal(const double* a, const double* b, size_t count, double tolerance) {
    const double size = dense_max(count, a);
    CHECK(size > 0);
    CHECK_NEAR(dense_max_difference(count, a, b) / size, 0, tolerance);
}

/* Sorted rows without repetition, offsets that ascend to the number of nonzeros. */
static void check_form(const taut_csr_view* a, size_t rows, size_t columns) {
    CHECK_INT(a->rows, rows);
    CHECK_INT(a->columns, columns);
    CHECK_INT(a->offsets[0], 0);
    CHECK_INT(a->offsets[rows], a->nonzeros);
    bool sorted = true;
    for (size_t row = 0; row < rows; row++) {
        sorted = sorted && a->offsets[row] <= a->offsets[row + 1];
        for (size_t i = a->offsets[row]; i < a->offsets[row + 1]; i++) {
            sorted = sorted && a->indices[i] < columns;
            sorted = sorted && (i == a->offsets[row] || a->indices[i - 1] < a->indices[i]);
        }
    }
    CHECK(sorted);
}

TAUT_TEST(assembly, form) {
    setup s;
    if (setup_open(&s, backend, 1)) {
        for (int i = 0; i < TAUT_MATRIX_COUNT; i++) {
            const taut_csr_view a = matrix_of(&s, (taut_matrix)i);
            const bool over_rows = i == TAUT_MATRIX_J || i == TAUT_MATRIX_C;
            test_note("%s", taut_matrix_name((taut_matrix)i));
            check_form(&a, over_rows ? s.m : s.n, i == TAUT_MATRIX_C ? s.m : s.n);
        }
        test_note(NULL);
    }
    setup_close(&s);
}

/* The operators' J is rounded to float32; G is exact in both. */
TAUT_TEST(assembly, operators) {
    for (uint64_t seed = 1; seed <= 3; seed++) {
        setup s;
        if (setup_open(&s, backend, seed) && CHECK_OK(taut_world_linearise(s.world, h))) {
            const taut_csr_view j = matrix_of(&s, TAUT_MATRIX_J), g = matrix_of(&s, TAUT_MATRIX_G);
            CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_J, s.in, s.out));
            multiply(&j, s.in, s.product);
            check_equal(s.product, s.out, s.m, 2e-7);
            CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_JT, s.in, s.out));
            multiply_transposed(&j, s.in, s.product);
            check_equal(s.product, s.out, s.n, 2e-7);
            CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_G, s.in, s.out));
            multiply(&g, s.in, s.product);
            check_equal(s.product, s.out, s.n, 1e-12);
        }
        setup_close(&s);
    }
}

/* With alpha = beta = 1 and without geometric stiffness: A = M, W = C/(h (h + d)). */
TAUT_TEST(assembly, mass_and_compliance) {
    setup s;
    if (setup_open(&s, backend, 4)) {
        const taut_integrator scheme = {.alpha = 1, .beta = 1, .substeps = 1};
        CHECK_OK(taut_world_set_integrator(s.world, &scheme));
        CHECK_OK(taut_world_linearise(s.world, h));
        const taut_csr_view mass = matrix_of(&s, TAUT_MATRIX_M), c = matrix_of(&s, TAUT_MATRIX_C);
        const taut_csr_view p = matrix_of(&s, TAUT_MATRIX_P);
        CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_W, s.in, s.out));
        multiply(&c, s.in, s.product);
        for (size_t i = 0; i < s.m; i++) {
            s.product[i] /= h * (h + 0.01);
        }
        for (size_t b = 0; b < taut_assembly_block_count(s.assembly); b++) { /* membranes are undamped */
            taut_block block;
            CHECK_OK(taut_assembly_block(s.assembly, b, &block));
            const oracle_constraint* given = &s.scene.constraints[b];
            for (uint32_t r = 0; r < block.rows; r++) {
                s.product[block.first_row + r] *= (h + 0.01) / (h + given->damping);
            }
        }
        check_equal(s.product, s.out, s.m, 2e-7);
        for (size_t i = 0; i < s.n; i++) {
            const oracle_particle* particle = &s.scene.particles[i / 3];
            CHECK_NEAR(mass.values[i], particle->mass, 0);
            CHECK_NEAR(p.values[i], particle->fixed ? 0 : 1, 0);
        }
    }
    setup_close(&s);
}

TAUT_TEST(assembly, vectors) {
    setup s;
    taut_array f, phi, lam;
    if (setup_open(&s, backend, 5)) {
        CHECK_OK(taut_assembly_vector(s.assembly, TAUT_VECTOR_F, &f));
        CHECK_OK(taut_assembly_vector(s.assembly, TAUT_VECTOR_PHI, &phi));
        CHECK_OK(taut_assembly_vector(s.assembly, TAUT_VECTOR_LAM, &lam));
        const double gravity[3] = {0.3, -9.81, 0};
        for (size_t i = 0; i < s.n; i++) {
            const oracle_particle* particle = &s.scene.particles[i / 3];
            CHECK_NEAR(((const double*)f.data)[i], particle->mass * gravity[i % 3] + particle->force[i % 3], 1e-12);
        }
        CHECK_OK(taut_world_read(s.world, TAUT_FIELD_VIOLATIONS, 0, s.m, s.out));
        CHECK(memcmp(phi.data, s.out, s.m * sizeof(double)) == 0);
        CHECK_OK(taut_world_read(s.world, TAUT_FIELD_MULTIPLIERS, 0, s.m, s.out));
        CHECK(memcmp(lam.data, s.out, s.m * sizeof(double)) == 0);
    }
    setup_close(&s);
}

/* Blocks name the constraints that were given, in the order of the rows. */
TAUT_TEST(assembly, blocks) {
    setup s;
    if (setup_open(&s, backend, 6)) {
        size_t row = 0;
        CHECK_INT(taut_assembly_block_count(s.assembly), s.scene.constraint_count);
        for (size_t b = 0; b < s.scene.constraint_count; b++) {
            const oracle_constraint* given = &s.scene.constraints[b];
            taut_block block;
            CHECK_OK(taut_assembly_block(s.assembly, b, &block));
            CHECK_INT(block.kind, given->kind);
            CHECK_INT(block.batch.id, given->batch.id);
            CHECK_INT(block.constraint, given->member);
            CHECK_INT(block.first_row, row);
            CHECK_INT(block.rows, oracle_rows(given->kind));
            CHECK(memcmp(block.particles, given->particles, block.particle_count * sizeof(uint32_t)) == 0);
            row += block.rows;
        }
    }
    setup_close(&s);
}

/* d(J^T lam)/dx by central differences of the assembled J. */
TAUT_TEST(assembly, stiffness_by_differences) {
    setup s;
    if (!setup_open(&s, backend, 7)) {
        setup_close(&s);
        return;
    }
    const taut_csr_view g = matrix_of(&s, TAUT_MATRIX_G);
    const double e = 1e-6;
    double *x = calloc(s.n, sizeof *x), *lam = calloc(s.m, sizeof *lam);
    double* force[2] = {calloc(s.n, sizeof(double)), calloc(s.n, sizeof(double))};
    CHECK_OK(taut_world_read(s.world, TAUT_FIELD_POSITIONS, 0, s.n / 3, x));
    CHECK_OK(taut_world_read(s.world, TAUT_FIELD_MULTIPLIERS, 0, s.m, lam));
    for (int side = 0; side < 2; side++) {
        taut_assembly* moved = NULL;
        taut_csr_view j;
        for (size_t i = 0; i < s.n; i++) {
            s.out[i] = x[i] + (side == 0 ? -e : e) * s.in[i];
        }
        CHECK_OK(taut_world_write(s.world, TAUT_FIELD_POSITIONS, 0, s.n / 3, s.out));
        CHECK_OK(taut_assembly_create(s.world, &moved));
        CHECK_OK(taut_assembly_matrix(moved, TAUT_MATRIX_J, &j));
        multiply_transposed(&j, lam, force[side]);
        taut_assembly_destroy(moved);
    }
    for (size_t i = 0; i < s.n; i++) {
        s.out[i] = (force[1][i] - force[0][i]) / (2 * e);
    }
    multiply(&g, s.in, s.product);
    check_equal(s.product, s.out, s.n, 1e-7);
    free(x);
    free(lam);
    free(force[0]);
    free(force[1]);
    setup_close(&s);
}

/* Of what was added, of free places, and of what was taken away. */
TAUT_TEST(assembly, constraints_that_come_and_go) {
    setup s;
    if (setup_open_with(&s, backend, 9, (taut_reserve){.distances = 3, .attachments = 1, .targets = 2})) {
        const uint32_t pair[2] = {2, 9};
        const size_t blocks = taut_assembly_block_count(s.assembly);
        taut_distance_def link = taut_default_distance();
        taut_block first, block;
        taut_added added, hand = {0};
        link.count = 1;
        link.particles = pair;
        taut_assembly_destroy(s.assembly);
        s.assembly = NULL;
        CHECK_OK(taut_world_add_distances(s.world, &link, &added));
        CHECK_OK(taut_world_grab(s.world, 5, (const double[]){0.1, 0.2, 0.3}, 0, &hand));
        CHECK_OK(taut_assembly_create(s.world, &s.assembly));
        CHECK_OK(taut_assembly_block(s.assembly, 0, &first));
        CHECK_OK(taut_world_set_present(s.world, first.batch, first.constraint, 1, false));
        taut_assembly_destroy(s.assembly);
        CHECK_OK(taut_world_step(s.world, h));
        CHECK_OK(taut_assembly_create(s.world, &s.assembly));
        CHECK_OK(taut_world_linearise(s.world, h));
        const size_t rows = taut_world_row_count(s.world);
        double* all = calloc(rows, sizeof *all);
        double* product = calloc(rows, sizeof *product);
        const taut_csr_view j = matrix_of(&s, TAUT_MATRIX_J), c = matrix_of(&s, TAUT_MATRIX_C);
        check_form(&j, rows, s.n);
        check_form(&c, rows, rows);
        CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_J, s.in, all));
        multiply(&j, s.in, product);
        check_equal(all, product, rows, 2e-6);
        for (size_t i = 0; i < rows; i++) {
            all[i] = cos(1.7 * (double)i);
        }
        CHECK_OK(taut_world_apply(s.world, TAUT_OPERATOR_JT, all, s.out));
        multiply_transposed(&j, all, s.product);
        check_equal(s.product, s.out, s.n, 2e-6);
        CHECK_INT(taut_assembly_block_count(s.assembly), blocks + 2);
        size_t in_no_batch = 0;
        for (size_t b = 0; b < blocks + 2; b++) {
            CHECK_OK(taut_assembly_block(s.assembly, b, &block));
            if (block.batch.id == 0) {
                taut_range at = {0, 0};
                CHECK_OK(taut_world_added_rows(s.world, block.kind == TAUT_TARGET ? hand : added, &at, NULL));
                CHECK_INT(block.first_row, at.first);
                CHECK_INT(block.particles[0], block.kind == TAUT_TARGET ? 5 : 2);
                in_no_batch++;
            }
        }
        CHECK_INT(in_no_batch, 2);
        CHECK_INT(j.offsets[first.first_row + first.rows] - j.offsets[first.first_row], 0);
        free(all);
        free(product);
    }
    setup_close(&s);
}

TAUT_TEST(assembly, refused) {
    taut_assembly* assembly = NULL;
    taut_csr_view matrix;
    taut_array vector;
    taut_block block;
    setup s;
    if (setup_open(&s, backend, 8)) {
        CHECK_STATUS(taut_assembly_create(NULL, &assembly), TAUT_INVALID_ARGUMENT);
        CHECK_STATUS(taut_assembly_create(s.world, NULL), TAUT_INVALID_ARGUMENT);
        CHECK_STATUS(taut_assembly_matrix(s.assembly, TAUT_MATRIX_COUNT, &matrix), TAUT_INVALID_ARGUMENT);
        CHECK_STATUS(taut_assembly_vector(s.assembly, TAUT_VECTOR_COUNT, &vector), TAUT_INVALID_ARGUMENT);
        CHECK_STATUS(taut_assembly_block(s.assembly, s.scene.constraint_count, &block), TAUT_INVALID_ARGUMENT);
        taut_assembly_destroy(NULL);
    }
    setup_close(&s);
}
