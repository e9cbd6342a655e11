/* A step of a random mechanism against a dense solution made from the assembled matrices, with the stabilising part of
 * the geometric stiffness from an account of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_solve.h"
#include "graph_scenes.h"
#include "harness.h"

typedef struct setup {
    graph_world g;
    graph_world twin; /* in the same state, without masses on mapped points */
    taut_assembly* assembly;
    size_t n, m;
    double *M, *J, *C, *P;
    const double *f, *phi, *lam;
    double* inertia; /* M of the twin */
    double* gamma;   /* n x n */
    double* maps;    /* velocity of each point (3 points) by those of the unknowns, x n */
} setup;

static const double* vector_of(const setup* s, taut_vector which) {
    taut_array view = {0};
    CHECK_OK(taut_assembly_vector(s->assembly, which, &view));
    return view.data;
}

static bool setup_open(setup* s, taut_backend_kind backend, uint64_t seed, uint32_t depth, double h,
                       const taut_integrator* scheme, taut_method method) {
    graph_options options = {.seed = seed, .depth = depth, .plain = true};
    taut_world_def def = taut_default_world();
    taut_assembly* bare = NULL;
    def.backend = backend;
    def.gravity[0] = 0.7;
    def.integrator = *scheme;
    def.solver.method = method;
    memset(s, 0, sizeof *s);
    test_note("seed %d, depth %u", (int)seed, depth);
    bool good = graph_open_world(&s->g, &options, &def, 3, h);
    options.massless = true;
    good = good && graph_open_world(&s->twin, &options, &def, 0, h);
    if (!good || !CHECK_OK(taut_assembly_create(s->g.world, &s->assembly))) {
        return false;
    }
    graph_copy_state(&s->g, &s->twin);
    CHECK_OK(taut_assembly_create(s->twin.world, &bare));
    s->n = s->g.n;
    s->m = s->g.m;
    s->M = dense_of(s->assembly, TAUT_MATRIX_M);
    s->J = dense_of(s->assembly, TAUT_MATRIX_J);
    s->C = dense_of(s->assembly, TAUT_MATRIX_C);
    s->P = dense_of(s->assembly, TAUT_MATRIX_P);
    s->inertia = dense_of(bare, TAUT_MATRIX_M);
    s->f = vector_of(s, TAUT_VECTOR_F);
    s->phi = vector_of(s, TAUT_VECTOR_PHI);
    s->lam = vector_of(s, TAUT_VECTOR_LAM);
    s->gamma = calloc(s->n * s->n, sizeof *s->gamma);
    s->maps = calloc(3 * s->g.points * s->n, sizeof *s->maps);
    taut_assembly_destroy(bare);
    return true;
}

static void setup_close(setup* s) {
    taut_assembly_destroy(s->assembly);
    graph_close_world(&s->g);
    graph_close_world(&s->twin);
    free(s->M), free(s->J), free(s->C), free(s->P), free(s->inertia), free(s->gamma), free(s->maps);
    test_note(NULL);
}

static bool is_free(const setup* s, size_t i) {
    return s->P[i * s->n + i] > 0;
}

/* ---- the stabilising part of the geometric stiffness ------------------------------------------------------------- */

/* Velocities of all points for a unit velocity of each unknown in turn. */
static void measure_maps(setup* s) {
    graph_world* g = &s->twin;
    const double none[3] = {0, 0, 0};
    double* v = calloc(3 * g->points, sizeof *v);
    for (size_t i = 0; i < s->n; i++) { /* at rest to begin with */
        if (i % 3 == 0 && (i / 3 >= g->points || !g->mapped[i / 3])) {
            const bool frame = i / 3 >= g->points;
            CHECK_OK(taut_world_write(g->world, frame ? TAUT_FIELD_ANGULAR_VELOCITIES : TAUT_FIELD_VELOCITIES,
                                      frame ? i / 3 - g->points : i / 3, 1, none));
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        const bool frame = i / 3 >= g->points;
        const taut_field field = frame ? TAUT_FIELD_ANGULAR_VELOCITIES : TAUT_FIELD_VELOCITIES;
        const size_t at = frame ? i / 3 - g->points : i / 3;
        double unit[3] = {0, 0, 0};
        unit[i % 3] = 1;
        if (!is_free(s, i)) {
            continue;
        }
        CHECK_OK(taut_world_write(g->world, field, at, 1, unit));
        CHECK_OK(taut_world_read(g->world, TAUT_FIELD_VELOCITIES, 0, g->points, v));
        CHECK_OK(taut_world_write(g->world, field, at, 1, none));
        for (size_t row = 0; row < 3 * g->points; row++) {
            s->maps[row * s->n + i] = v[row];
        }
    }
    free(v);
}

static double cross(const double a[3], const double b[3], int i) {
    return a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* k += s ( sym(arm force^T) - (arm.force) I ) */
static void add_turn(double s, const double arm[3], const double force[3], double k[9]) {
    for (int i = 0; i < 9; i++) {
        k[i] += s * ((arm[i / 3] * force[i % 3] + arm[i % 3] * force[i / 3]) / 2 -
                     (i % 4 == 0 ? dense_dot(3, arm, force) : 0));
    }
}

/* Two matrices of a frame. */
#define FRAME_VALUES 18

/* k += (arm.force) (n n^T - I), n along the arm; behind it, what the force has across it, R: sym(arm R^T) */
static void add_lever(double s, const double arm[3], const double force[3], double k[FRAME_VALUES]) {
    const double square = dense_dot(3, arm, arm), along = dense_dot(3, arm, force);
    for (int i = 0; i < 9; i++) {
        const double arms = arm[i / 3] * arm[i % 3] * along / square;
        k[i] += s * (arms - (i % 4 == 0 ? along : 0));
        k[9 + i] += s * ((arm[i / 3] * force[i % 3] + arm[i % 3] * force[i / 3]) / 2 - arms);
    }
}

/* gamma += B^T k B; B: 3 x n */
static void add_square(setup* s, const double k[9], const double* b) {
    for (size_t i = 0; i < s->n; i++) {
        double kb[3];
        for (size_t r = 0; r < 3; r++) {
            kb[r] = k[3 * r] * b[i] + k[3 * r + 1] * b[s->n + i] + k[3 * r + 2] * b[2 * s->n + i];
        }
        for (size_t j = 0; kb[0] != 0 || kb[1] != 0 || kb[2] != 0 ? j < s->n : false; j++) {
            s->gamma[j * s->n + i] += b[j] * kb[0] + b[s->n + j] * kb[1] + b[2 * s->n + j] * kb[2];
        }
    }
}

/* factor (I - n n^T) on the motion b, n along d */
static void add_across(setup* s, double factor, const double d[3], const double* b) {
    const double length = dense_norm(3, d);
    double k[9];
    for (int i = 0; i < 9; i++) {
        k[i] = factor / length * ((i % 4 == 0) - d[i / 3] * d[i % 3] / (length * length));
    }
    add_square(s, k, b);
}

static void add_distance(setup* s, const taut_block* block) {
    const double* x = s->g.x;
    const size_t p = block->particles[0], q = block->particles[1];
    const double d[3] = {x[3 * q] - x[3 * p], x[3 * q + 1] - x[3 * p + 1], x[3 * q + 2] - x[3 * p + 2]};
    double* b = calloc(3 * s->n, sizeof *b);
    for (size_t i = 0; i < 3 * s->n; i++) {
        b[i] = s->maps[3 * q * s->n + i] - s->maps[3 * p * s->n + i];
    }
    add_across(s, fmax(-s->lam[block->first_row], 0), d, b);
    free(b);
}

/* The first row of a kind. */
static size_t first_row(const setup* s, taut_kind kind) {
    taut_block block;
    for (size_t b = 0; b < taut_assembly_block_count(s->assembly); b++) {
        if (CHECK_OK(taut_assembly_block(s->assembly, b, &block)) && block.kind == kind) {
            return block.first_row;
        }
    }
    CHECK(false);
    return 0;
}

static void joint_axis(const setup* s, const graph_joint* joint, int side, int axis, double out[3]) {
    double unit[3] = {0, 0, 0}, local[3];
    unit[axis] = 1;
    graph_rotate(joint->axes[side], unit, local);
    graph_rotate(s->g.q + 4 * (size_t)joint->frames[side], local, out);
}

/* One cosine of a hinge or universal joint, on the difference of the frames' turns. */
static void add_cosine(setup* s, const graph_joint* joint, int first, int second, double lam) {
    double u[3], v[3], k[9] = {0}, positive[9];
    joint_axis(s, joint, 0, first, u);
    joint_axis(s, joint, 1, second, v);
    add_turn(-lam, u, v, k);
    dense_positive_part(3, k, positive);
    double* b = calloc(3 * s->n, sizeof *b);
    for (size_t a = 0; a < 3; a++) {
        b[a * s->n + 3 * (s->g.points + joint->frames[0]) + a] = -1;
        b[a * s->n + 3 * (s->g.points + joint->frames[1]) + a] = 1;
    }
    add_square(s, positive, b);
    free(b);
}

/* Rows of travel of one joint, into the blocks of its frames. */
static void add_travels(setup* s, const graph_joint* joint, const int* axes, int count, const double* lam,
                        double* frames) {
    const double *x0 = s->g.x + 3 * (size_t)joint->centres[0], *x1 = s->g.x + 3 * (size_t)joint->centres[1];
    double r1[3], r0[3], e[3];
    graph_rotate(s->g.q + 4 * (size_t)joint->frames[1], joint->anchor[1], r1);
    for (int a = 0; a < 3; a++) {
        r0[a] = x1[a] + r1[a] - x0[a];
    }
    for (int i = 0; i < count; i++) {
        joint_axis(s, joint, 0, axes[i], e);
        add_lever(-lam[i], r0, e, frames + FRAME_VALUES * (size_t)joint->frames[0]);
        add_lever(lam[i], r1, e, frames + FRAME_VALUES * (size_t)joint->frames[1]);
    }
}

static void add_all_travels(setup* s, double* frames) {
    static const int all[3] = {0, 1, 2}, across[2] = {1, 2}, along[1] = {0};
    const graph_joint* joints = s->g.record.joints;
    const double* lam = s->lam + first_row(s, TAUT_PRISMATIC);
    add_travels(s, &joints[TAUT_JOINT_BALL], all, 3, lam, frames);
    add_travels(s, &joints[TAUT_JOINT_HINGE], all, 3, lam + 3, frames);
    add_travels(s, &joints[TAUT_JOINT_SLIDER], across, 2, lam + 6, frames);
    add_travels(s, &joints[TAUT_JOINT_SLIDER], along, 1, lam + 8, frames);
    add_travels(s, &joints[TAUT_JOINT_UNIVERSAL], all, 3, lam + 9, frames);
    add_travels(s, &joints[TAUT_JOINT_FIXED], all, 3, lam + 12, frames);
}

/* What constraints other than joints put on points, by the definition of their kinds; and segments on frames. */
static void add_point_forces(const setup* s, const taut_block* block, double* points, double* frames) {
    const double *x = s->g.x, *lam = s->lam + block->first_row;
    const uint32_t* p = block->particles;
    double force[3] = {0, 0, 0}, d[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) {
        d[a] = block->particle_count == 2 ? x[3 * (size_t)p[1] + (size_t)a] - x[3 * (size_t)p[0] + (size_t)a] : 0;
        force[a] = block->kind == TAUT_ATTACHMENT || block->kind == TAUT_TARGET ? lam[a] : 0;
    }
    if (block->kind == TAUT_DISTANCE) {
        for (int a = 0; a < 3; a++) {
            force[a] = lam[0] * d[a] / dense_norm(3, d);
        }
    } else if (block->kind == TAUT_SEGMENT) {
        graph_rotate(s->g.q + 4 * (size_t)block->frames[0], lam, force);
        add_lever(-1, d, force, frames + FRAME_VALUES * (size_t)block->frames[0]);
    } else if (block->kind != TAUT_ATTACHMENT && block->kind != TAUT_TARGET) {
        return;
    }
    for (size_t a = 0; a < 3; a++) {
        const size_t last = block->particle_count - 1;
        points[3 * p[last] + a] += force[a];
        points[3 * p[0] + a] -= last > 0 ? force[a] : 0;
    }
}

static void add_linear_forces(const setup* s, double* points) {
    const graph_record* record = &s->g.record;
    const double* lam = s->lam + first_row(s, TAUT_LINEAR);
    for (uint32_t r = 0; r < record->linear_count; r++) {
        for (size_t e = record->linear_offsets[r]; e < record->linear_offsets[r + 1]; e++) {
            points[record->linear_coordinates[e]] += record->linear_weights[e] * lam[r];
        }
    }
}

/* Gravity on mapped masses. */
static void add_weights(const setup* s, double* points) {
    const graph_record* record = &s->g.record;
    for (uint32_t i = 0; i < record->arm_count; i++) {
        const graph_arm* arm = &record->arms[i];
        const bool first = i == 0 || record->arms[i - 1].point != arm->point;
        for (uint32_t k = 0; first && k < 3; k++) {
            points[3 * arm->point + k] += arm->mass * s->g.def.gravity[k];
        }
    }
}

/* Of a mechanism of depth 0, for A = M + scale Gamma: frames that turn as slowly as (w h)^2 = 1/4 need nothing of what
 * forces have across their arms. */
static void make_gamma(setup* s, double scale) {
    const graph_record* record = &s->g.record;
    double *points = calloc(3 * s->g.points, sizeof *points),
           *frames = calloc(FRAME_VALUES * s->g.frames, sizeof *frames);
    const double* turn = s->lam + first_row(s, TAUT_ANGULAR);
    measure_maps(s);
    for (size_t b = 0; b < taut_assembly_block_count(s->assembly); b++) {
        taut_block block;
        CHECK_OK(taut_assembly_block(s->assembly, b, &block));
        if (block.kind == TAUT_DISTANCE) {
            add_distance(s, &block);
        }
        add_point_forces(s, &block, points, frames);
    }
    add_linear_forces(s, points);
    add_weights(s, points);
    for (size_t i = 0; i < 3 * s->g.points; i++) {
        points[i] += s->g.forces[i];
    }
    for (uint32_t i = 0; i < record->lengths.count; i++) {
        const size_t parent = record->length_parents[i];
        add_across(s, fmax(-points[3 * (size_t)(record->lengths.first + i)], 0), s->g.x + 3 * parent,
                   s->maps + 3 * parent * s->n);
    }
    add_cosine(s, &record->joints[TAUT_JOINT_HINGE], 1, 0, turn[0]);
    add_cosine(s, &record->joints[TAUT_JOINT_HINGE], 2, 0, turn[1]);
    add_cosine(s, &record->joints[TAUT_JOINT_UNIVERSAL], 0, 1, turn[6]);
    add_all_travels(s, frames);
    for (uint32_t i = 0; i < record->arm_count; i++) {
        double a[3];
        graph_rotate(s->g.q + 4 * (size_t)record->arms[i].frame, record->arms[i].local, a);
        add_lever(1, a, points + 3 * (size_t)record->arms[i].point,
                  frames + FRAME_VALUES * (size_t)record->arms[i].frame);
    }
    for (size_t j = 0; j < s->g.frames; j++) {
        const size_t at = 3 * (s->g.points + j);
        double negative[9], positive[9], left[9], most[9];
        for (size_t i = 0; i < 9; i++) {
            negative[i] = -frames[FRAME_VALUES * j + i];
            most[i] = 0.25 / scale * s->inertia[(at + i / 3) * s->n + at + i % 3];
        }
        dense_positive_part(3, negative, positive);
        dense_take_off(positive, frames + FRAME_VALUES * j + 9, most, left);
        for (size_t i = 0; i < 9; i++) {
            s->gamma[(at + i / 3) * s->n + at + i % 3] += left[i];
        }
    }
    free(points), free(frames);
}

/* A = P (M + alpha beta h^2 Gamma) P, for a step so long that Gamma weighs. */
TAUT_TEST(graph_step, stabilising_part) {
    const taut_integrator scheme = {.alpha = 1, .beta = 1, .geometric_stiffness = TAUT_GEOMETRIC_FULL, .substeps = 1};
    for (uint64_t seed = 50; seed < 56; seed++) {
        setup s;
        if (setup_open(&s, backend, seed, 0, 0.004, &scheme, TAUT_METHOD_AUTO)) {
            double *v = calloc(s.n, sizeof *v), *out = calloc(s.n, sizeof *out);
            double* product = calloc(s.n, sizeof *product);
            make_gamma(&s, 1);
            for (size_t i = 0; i < s.n; i++) {
                v[i] = random_in(&s.g.random, -1, 1);
            }
            CHECK_OK(taut_world_linearise(s.g.world, 1));
            CHECK_OK(taut_world_apply(s.g.world, TAUT_OPERATOR_A, v, out));
            for (size_t i = 0; i < s.n; i++) {
                for (size_t j = 0; j < s.n; j++) {
                    const double both = is_free(&s, i) && is_free(&s, j) ? 1 : 0;
                    product[i] += both * (s.M[i * s.n + j] + s.gamma[i * s.n + j]) * v[j];
                }
            }
            CHECK(dense_max(s.n * s.n, s.gamma) > 1);
            CHECK_NEAR(dense_max_difference(s.n, product, out) / dense_max(s.n, product), 0, 2e-6);
            free(v), free(out), free(product);
        }
        setup_close(&s);
    }
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/* Accelerations of all points while the velocities of the unknowns stay as they are, by second differences. */
static void accelerations(setup* s, double* out) {
    const double e = 1e-3;
    double *d = calloc(s->n, sizeof *d), *x = calloc(3 * s->g.points, sizeof *x);
    for (size_t i = 0; i < s->n; i++) {
        d[i] = i < 3 * s->g.points ? s->g.v[i] : s->g.omega[i - 3 * s->g.points];
    }
    for (int side = -1; side <= 1; side++) {
        graph_write_moved(&s->twin, side * e, d);
        CHECK_OK(taut_world_read(s->twin.world, TAUT_FIELD_POSITIONS, 0, s->g.points, x));
        for (size_t i = 0; i < 3 * s->g.points; i++) {
            out[i] += (side == 0 ? -2 : 1) * x[i] / (e * e);
        }
    }
    free(d), free(x);
}

/* f on all nodes as if there were no mappings: mapped points resist their accelerations. */
static void bare_forces(setup* s, double* own) {
    double* b = calloc(3 * s->g.points, sizeof *b);
    accelerations(s, b);
    for (size_t i = 0; i < s->n; i++) {
        const size_t p = i / 3;
        const bool mapped = p < s->g.points && s->g.mapped[p];
        const double mass = p >= s->g.points ? 0 : mapped ? s->g.record.mass[p] : s->inertia[i * s->n + i];
        own[i] = s->g.forces[i] + mass * (s->g.def.gravity[i % 3] - (mapped ? b[i] : 0));
    }
    for (size_t j = 0; j < s->g.frames; j++) {
        const double* omega = s->g.omega + 3 * j;
        double inertia[9] = {0}, momentum[3];
        for (size_t i = 0; i < 9; i++) {
            inertia[i] = s->inertia[(3 * (s->g.points + j) + i / 3) * s->n + 3 * (s->g.points + j) + i % 3];
        }
        dense_apply(3, 3, inertia, omega, momentum);
        for (size_t a = 0; a < 3; a++) {
            own[3 * (s->g.points + j) + a] -= cross(omega, momentum, (int)a);
        }
    }
    free(b);
}

/* M and f, through mappings that were measured. */
TAUT_TEST(graph_step, masses_and_forces) {
    const taut_integrator scheme = {.alpha = 1, .beta = 1, .substeps = 1};
    for (uint32_t depth = 0; depth <= 4; depth++) {
        setup s;
        if (setup_open(&s, backend, 40 + depth, depth, 0.004, &scheme, TAUT_METHOD_AUTO)) {
            const size_t n = s.n;
            double *f = calloc(n, sizeof *f), *own = calloc(n, sizeof *own), *mass = calloc(n * n, sizeof *mass);
            bare_forces(&s, own);
            graph_copy_state(&s.g, &s.twin);
            measure_maps(&s);
            for (size_t i = 0; i < n; i++) {
                f[i] = i / 3 >= s.g.points || !s.g.mapped[i / 3] ? own[i] : 0;
                for (size_t row = 0; row < 3 * s.g.points; row++) {
                    f[i] += s.g.mapped[row / 3] ? s.maps[row * n + i] * own[row] : 0;
                }
                for (size_t j = 0; j < n; j++) {
                    mass[i * n + j] = s.inertia[i * n + j];
                    for (size_t row = 0; row < 3 * s.g.points; row++) {
                        mass[i * n + j] += s.g.record.mass[row / 3] * s.maps[row * n + i] * s.maps[row * n + j];
                    }
                }
            }
            double force = 0, masses = 0;
            for (size_t i = 0; i < n; i++) { /* the maps of fixed unknowns were not measured */
                force = fmax(force, is_free(&s, i) ? fabs(f[i] - s.f[i]) : 0);
                for (size_t j = 0; j < n; j++) {
                    const bool both = is_free(&s, i) && is_free(&s, j);
                    masses = fmax(masses, both ? fabs(mass[i * n + j] - s.M[i * n + j]) : 0);
                }
            }
            CHECK_NEAR(force / dense_max(n, f), 0, 1e-6);
            CHECK_NEAR(masses / dense_max(n * n, mass), 0, 1e-12);
            free(f), free(own), free(mass);
        }
        setup_close(&s);
    }
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* omega' - omega of the motion that keeps the angular momentum: I(q') omega' = I omega for the turn h (omega + beta d),
 * by iteration. I(q') = T I T^T. */
static void momentum_change(const double inertia[9], const double omega[3], double h, double beta, double d[3]) {
    double momentum[3];
    dense_apply(3, 3, inertia, omega, momentum);
    memset(d, 0, 3 * sizeof(double));
    for (int k = 0; k < 200; k++) {
        const double unit[4] = {1, 0, 0, 0};
        double turn[3], q[4], back[4], local[3], rate[3], next[3];
        for (int a = 0; a < 3; a++) {
            turn[a] = h * (omega[a] + beta * d[a]);
        }
        graph_turn(unit, turn, q);
        back[0] = q[0];
        for (int a = 1; a < 4; a++) {
            back[a] = -q[a];
        }
        graph_rotate(back, momentum, local);
        CHECK(dense_solve(3, 1, inertia, local, rate));
        graph_rotate(q, rate, next);
        for (int a = 0; a < 3; a++) {
            d[a] = next[a] - omega[a];
        }
    }
}

/* With the masses on its arms. */
static void frame_inertia(const setup* s, size_t frame, double out[9]) {
    const size_t at = 3 * (s->g.points + frame);
    for (size_t i = 0; i < 9; i++) {
        out[i] = s->M[(at + i / 3) * s->n + at + i % 3];
    }
}

/* Velocities of all unknowns; of mapped points 0. */
static void velocities(const setup* s, double* v) {
    for (size_t i = 0; i < s->n; i++) {
        const size_t point = i / 3;
        v[i] = point >= s->g.points ? s->g.omega[i - 3 * s->g.points] : s->g.mapped[point] ? 0 : s->g.v[i];
    }
}

/* The impulse on unknowns: h f - alpha h^2 Gamma v, with I d in place of what f says of turning frames. */
static void make_impulse(const setup* s, double h, double alpha, double beta, const double* v, double* out) {
    for (size_t i = 0; i < s->n; i++) {
        out[i] = h * s->f[i] - alpha * h * h * dense_dot(s->n, s->gamma + i * s->n, v);
    }
    for (size_t j = 0; j < s->g.frames; j++) {
        const double* omega = s->g.omega + 3 * j;
        double inertia[9], momentum[3], d[3], change[3];
        frame_inertia(s, j, inertia);
        dense_apply(3, 3, inertia, omega, momentum);
        momentum_change(inertia, omega, h, beta, d);
        dense_apply(3, 3, inertia, d, change);
        for (size_t a = 0; a < 3; a++) {
            out[3 * (s->g.points + j) + a] += h * cross(omega, momentum, (int)a) + change[a];
        }
    }
}

/* [ P A P  -P J^T ; J P  C/(h l) ] [ dv ; gam ] = right-hand side, with 1 where P is 0. */
static void saddle(const setup* s, double h, double alpha, double beta, double* out) {
    const size_t n = s->n, m = s->m, all = n + m;
    const double l = alpha * (h * beta + GRAPH_DAMPING);
    double *k = calloc(all * all, sizeof *k), *b = calloc(all, sizeof *b), *v = calloc(n, sizeof *v);
    velocities(s, v);
    make_impulse(s, h, alpha, beta, v, b);
    for (size_t i = 0; i < n; i++) {
        b[i] = is_free(s, i) ? b[i] : 0;
        for (size_t j = 0; j < n; j++) {
            const double a = s->M[i * n + j] + alpha * beta * h * h * s->gamma[i * n + j];
            k[i * all + j] = is_free(s, i) && is_free(s, j) ? a : i == j;
        }
    }
    for (size_t r = 0; r < m; r++) {
        const double phidot = dense_dot(n, s->J + r * n, v);
        b[n + r] = -(s->phi[r] + (GRAPH_DAMPING + alpha * h) * phidot) / l;
        for (size_t j = 0; j < n; j++) {
            k[(n + r) * all + j] = is_free(s, j) ? s->J[r * n + j] : 0;
            k[j * all + n + r] = -k[(n + r) * all + j];
        }
        for (size_t j = 0; j < m; j++) {
            k[(n + r) * all + n + j] = s->C[r * m + j] / (h * l);
        }
    }
    CHECK(dense_solve(all, 1, k, b, out));
    free(k), free(b), free(v);
}

/* dv, gam, and what positions and orientations become. */
static void check_step(setup* s, double h, double beta, const double* expected) {
    graph_world after = s->g; /* shares all but the state */
    double *v0 = calloc(s->n, sizeof *v0), *dv = calloc(s->n, sizeof *dv), *gam = calloc(s->m, sizeof *gam);
    double worst = 0;
    taut_step_info info;
    velocities(s, v0);
    after.x = calloc(3 * s->g.points, sizeof(double));
    after.v = calloc(3 * s->g.points, sizeof(double));
    after.q = calloc(4 * s->g.frames, sizeof(double));
    after.omega = calloc(3 * s->g.frames, sizeof(double));
    CHECK_OK(taut_world_step(s->g.world, h));
    CHECK_OK(taut_world_info(s->g.world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    graph_read(&after);
    for (size_t i = 0; i < s->n; i++) {
        const double now = i < 3 * s->g.points ? after.v[i] : after.omega[i - 3 * s->g.points];
        dv[i] = is_free(s, i) ? now - v0[i] : 0;
        const double way = h * (v0[i] + beta * dv[i]);
        if (i < 3 * s->g.points && !s->g.mapped[i / 3]) {
            worst = fmax(worst, fabs(after.x[i] - s->g.x[i] - way));
        }
    }
    CHECK_NEAR(worst, 0, 1e-14);
    for (size_t j = 0; j < s->g.frames; j++) {
        double turn[3], q[4];
        for (size_t a = 0; a < 3; a++) {
            const size_t i = 3 * (s->g.points + j) + a;
            turn[a] = h * (v0[i] + beta * dv[i]);
        }
        graph_turn(s->g.q + 4 * j, turn, q);
        CHECK_NEAR(dense_max_difference(4, q, after.q + 4 * j), 0, 1e-14);
    }
    CHECK_OK(taut_world_read(s->g.world, TAUT_FIELD_MULTIPLIERS, 0, s->m, gam));
    for (size_t r = 0; r < s->m; r++) {
        gam[r] *= h;
    }
    CHECK(dense_max(s->n, expected) > 1e-4);
    CHECK_NEAR(dense_max_difference(s->n, dv, expected) / dense_max(s->n, expected), 0, 2e-5);
    CHECK_NEAR(dense_max_difference(s->m, gam, expected + s->n) / dense_max(s->m, expected + s->n), 0, 2e-5);
    free(after.x), free(after.v), free(after.q), free(after.omega), free(v0), free(dv), free(gam);
}

static void run_step_by(taut_method method, taut_backend_kind backend, uint64_t seed, uint32_t depth, double h,
                        double alpha, double beta, bool full) {
    const taut_integrator scheme = {.alpha = alpha,
                                    .beta = beta,
                                    .geometric_stiffness = full ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE,
                                    .substeps = 1};
    setup s;
    if (setup_open(&s, backend, seed, depth, h, &scheme, method)) {
        double* expected = calloc(s.n + s.m, sizeof *expected);
        test_note("seed %d, depth %u, h %g, alpha %g, beta %g, full %d", (int)seed, depth, h, alpha, beta, full);
        if (full) {
            make_gamma(&s, alpha * (beta > 0 ? beta : 1) * h * h);
        }
        saddle(&s, h, alpha, beta, expected);
        check_step(&s, h, beta, expected);
        free(expected);
    }
    setup_close(&s);
}

static void run_step(taut_backend_kind backend, uint64_t seed, uint32_t depth, double h, double alpha, double beta,
                     bool full) {
    run_step_by(TAUT_METHOD_AUTO, backend, seed, depth, h, alpha, beta, full);
}

TAUT_TEST(graph_step, without_geometric_stiffness) {
    for (uint32_t depth = 1; depth <= 4; depth++) {
        run_step(backend, 60 + depth, depth, 0.004, 1, 1, false);
        run_step(backend, 70 + depth, depth, 0.004, 0.7, 0.6, false);
        run_step(backend, 80 + depth, depth, 0.004, 0.7, 0, false);
    }
}

TAUT_TEST(graph_step, with_geometric_stiffness) {
    for (uint64_t seed = 90; seed < 94; seed++) {
        run_step(backend, seed, 0, 0.004, 1, 1, true);
        run_step(backend, seed, 0, 0.02, 1, 1, true);
        run_step(backend, seed, 0, 0.004, 1, 0.6, true);
        run_step(backend, seed, 0, 0.002, 1, 0, true);
    }
}

/* The same by the other methods. */
static void run_steps_by(taut_method method, taut_backend_kind backend) {
    for (uint32_t depth = 1; depth <= 3; depth++) {
        run_step_by(method, backend, 60 + depth, depth, 0.004, 1, 1, false);
        run_step_by(method, backend, 80 + depth, depth, 0.004, 0.7, 0, false);
    }
    run_step_by(method, backend, 90, 0, 0.02, 1, 1, true);
    run_step_by(method, backend, 91, 0, 0.004, 1, 0.6, true);
}

TAUT_PLAIN_TEST(graph_step, direct) {
    if (test_direct()) {
        run_steps_by(TAUT_METHOD_DIRECT, TAUT_BACKEND_CPU);
    }
}

TAUT_TEST(graph_step, gauss_seidel) {
    run_steps_by(TAUT_METHOD_GAUSS_SEIDEL, backend);
}
