/* The assembled system of scenes in which things touch, solved by Eigen: it gives the motion and the forces of the step
 * that follows. Contacts that act are equations; one that slides has its tangential impulse along with the normal one.
 */
#include "contact_scenes.h"
#include "dense_matrix.h"
#include "dense_solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRICTION  0.5
#define TIME_STEP 0.01

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

typedef struct touching_scene {
    taut_world* world;
    taut_batch damped; /* a cord, of DAMPING */
    taut_batch drive;  /* used as a force, of DRIVE_DAMPING */
    taut_range points;
} touching_scene;

#define DAMPING       0.02
#define DRIVE_DAMPING 0.05
#define DRIVE         0.02 /* rad/(N m) */

static taut_batch cord(taut_scene* scene, uint32_t a, uint32_t b, double compliance, double damping) {
    taut_distance_def def = taut_default_distance();
    taut_batch batch;
    def.count = 1;
    def.particles = (const uint32_t[]){a, b};
    def.compliance = compliance;
    def.damping = damping;
    CHECK_OK(taut_scene_add_distances(scene, &def, &batch));
    return batch;
}

/* A bar on a hinge of the world, which a spring holds up. */
static taut_batch sprung_bar(taut_scene* scene) {
    phys_body bar = contact_at(2.2, 1, 0);
    bar.mass = 0.5;
    for (int a = 0; a < 3; a++) {
        bar.inertia[a] = 0.02;
    }
    const taut_body handle = phys_add_body(scene, &bar);
    taut_joints_def def = taut_default_joints();
    taut_joint_batches batches;
    double q[4];
    phys_hinge_about_z(q);
    def.type = TAUT_JOINT_HINGE;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, handle};
    def.positions = (const double[]){2, 1, 0};
    def.orientations = q;
    def.drive = true;
    def.drive_compliance = DRIVE;
    def.drive_damping = DRIVE_DAMPING;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    CHECK_OK(taut_scene_use_as_forces(scene, batches.drive));
    return batches.drive;
}

/* A cord from a nail to a weight that lies on the ground, a ball beside it, and a sprung bar; all of it at rest. The
 * slope of the ground is `slope`; what lies on it slides where that is steep, down along x. */
static touching_scene make_scene(taut_backend_kind backend, double slope, bool tied) {
    touching_scene out = {0};
    const double normal[3] = {sin(slope), cos(slope), 0}, radius = 0.1;
    taut_scene* scene =
        phys_scene(3, (const double[]){0, 0.5, 0, 0.3, 0.4, 0, 0.6 * cos(slope), -0.6 * sin(slope), 0}, NULL);
    const uint32_t material = contact_material(scene, FRICTION, 0);
    phys_body ball = contact_at(cos(slope) + radius * sin(slope), -sin(slope) + radius * cos(slope), 0.5);
    phys_fix(scene, 1, (const uint32_t[]){0});
    if (!tied) {
        phys_fix(scene, 1, (const uint32_t[]){1});
    }
    out.damped = cord(scene, 0, 1, 1e-4, DAMPING);
    if (tied) {
        (void)cord(scene, 1, 2, 1e-5, 0);
    }
    contact_plane(scene, normal, (const double[]){0, 0, 0}, material);
    contact_touch(scene, 1, (const uint32_t[]){2}, 0, material);
    if (tied) {
        (void)contact_ball(scene, &ball, 0.7, radius, material);
    }
    out.drive = sprung_bar(scene);
    const taut_world_def def = contact_world_def(backend);
    out.world = phys_world(scene, &def);
    return out;
}

/* ---- the system -------------------------------------------------------------------------------------------------- */

typedef struct dense_system {
    taut_assembly* assembly;
    size_t n, m, blocks;
    double *mass, *jacobian, *compliance, *free, *gamma; /* M, J, C, P, Gamma */
    const double *f, *phi, *lam, *v;
} dense_system;

static const double* vector_of(const taut_assembly* assembly, taut_vector which) {
    taut_array view = {0};
    CHECK_OK(taut_assembly_vector(assembly, which, &view));
    return view.data;
}

static dense_system system_open(taut_world* world) {
    dense_system s = {0};
    CHECK_OK(taut_world_linearise(world, TIME_STEP));
    CHECK_OK(taut_assembly_create(world, &s.assembly));
    CHECK_OK(taut_world_linearised_rows(world, &s.m));
    s.n = 3 * (taut_world_particle_count(world) + taut_world_frame_count(world));
    s.blocks = taut_assembly_block_count(s.assembly);
    s.mass = dense_of(s.assembly, TAUT_MATRIX_M);
    s.jacobian = dense_of(s.assembly, TAUT_MATRIX_J);
    s.compliance = dense_of(s.assembly, TAUT_MATRIX_C);
    s.free = dense_of(s.assembly, TAUT_MATRIX_P);
    s.gamma = dense_of(s.assembly, TAUT_MATRIX_GAMMA);
    s.f = vector_of(s.assembly, TAUT_VECTOR_F);
    s.phi = vector_of(s.assembly, TAUT_VECTOR_PHI);
    s.lam = vector_of(s.assembly, TAUT_VECTOR_LAM);
    s.v = vector_of(s.assembly, TAUT_VECTOR_V);
    return s;
}

static void system_close(dense_system* s) {
    free(s->mass);
    free(s->jacobian);
    free(s->compliance);
    free(s->free);
    free(s->gamma);
    taut_assembly_destroy(s->assembly);
}

/* Damping time, W = C/(h l) and c = -(phi + (d + h) phidot)/l of a row, for alpha = beta = 1; contacts are undamped. */
typedef struct row_law {
    double w, c;
} row_law;

static row_law law_of_row(const dense_system* s, const touching_scene* t, const taut_block* block, size_t row) {
    const double d = block->batch.id == t->damped.id ? DAMPING : block->batch.id == t->drive.id ? DRIVE_DAMPING : 0;
    const double l = TIME_STEP + d, rate = dense_dot(s->n, s->jacobian + row * s->n, s->v);
    const bool tangent = block->kind == TAUT_CONTACT && row > block->first_row;
    return (row_law){s->compliance[row * s->m + row] / (TIME_STEP * l),
                     tangent ? -rate : -(s->phi[row] + l * rate) / l};
}

/* Columns of what acts: a row each, or a sliding contact's only one. */
typedef struct active_columns {
    size_t count;
    double* k; /* count x n: what the impulse does */
    double* j; /* count x n: the equation */
    double *w, *c;
    size_t* row;
} active_columns;

static void add_active(const dense_system* s, size_t row, row_law law, active_columns* a) {
    memcpy(a->j + a->count * s->n, s->jacobian + row * s->n, s->n * sizeof(double));
    memcpy(a->k + a->count * s->n, s->jacobian + row * s->n, s->n * sizeof(double));
    a->w[a->count] = law.w;
    a->c[a->count] = law.c;
    a->row[a->count++] = row;
}

/* Sticks, slides or does not act, as in the last step. */
static void add_contact(const dense_system* s, const touching_scene* t, const taut_block* block, active_columns* a) {
    const size_t n = block->first_row;
    const double normal = s->lam[n], across = hypot(s->lam[n + 1], s->lam[n + 2]);
    if (!(normal > 1e-9)) {
        return;
    }
    add_active(s, n, law_of_row(s, t, block, n), a);
    if (across < FRICTION * normal * (1 - 1e-6)) {
        add_active(s, n + 1, law_of_row(s, t, block, n + 1), a);
        add_active(s, n + 2, law_of_row(s, t, block, n + 2), a);
        return;
    }
    for (size_t i = 0; i < s->n; i++) {
        a->k[(a->count - 1) * s->n + i] += s->lam[n + 1] / normal * s->jacobian[(n + 1) * s->n + i] +
                                           s->lam[n + 2] / normal * s->jacobian[(n + 2) * s->n + i];
    }
}

/* A = M + h^2 Gamma + what is used as a force, and its right-hand side; unit rows of what is fixed or no unknown. */
static void fill_velocities(const dense_system* s, const touching_scene* t, double* a, double* r) {
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        r[i] = TIME_STEP * s->f[i];
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = s->mass[i * n + j] + TIME_STEP * TIME_STEP * s->gamma[i * n + j];
            r[i] -= TIME_STEP * TIME_STEP * s->gamma[i * n + j] * s->v[j];
        }
    }
    for (size_t b = 0; b < s->blocks; b++) {
        taut_block block;
        CHECK_OK(taut_assembly_block(s->assembly, b, &block));
        for (size_t row = block.first_row; block.force && row < block.first_row + block.rows; row++) {
            const row_law law = law_of_row(s, t, &block, row);
            const double* j = s->jacobian + row * n;
            for (size_t i = 0; i < n * n; i++) {
                a[i] += j[i / n] * j[i % n] / law.w;
            }
            for (size_t i = 0; i < n; i++) {
                r[i] += j[i] / law.w * law.c;
            }
        }
    }
}

static bool is_unknown(const dense_system* s, size_t i) {
    return s->free[i * s->n + i] > 0 && s->mass[i * s->n + i] > 0;
}

/* dv and gam of all rows. */
static void solve_system(const dense_system* s, const touching_scene* t, double* dv, double* gam) {
    const size_t n = s->n, most = n + s->m;
    double *a = calloc(n * n, sizeof *a), *r = calloc(n, sizeof *r);
    double *all = calloc(most * most, sizeof *all), *side = calloc(most, sizeof *side), *x = calloc(most, sizeof *x);
    active_columns active = {0,
                             calloc(s->m * n, sizeof(double)),
                             calloc(s->m * n, sizeof(double)),
                             calloc(s->m, sizeof(double)),
                             calloc(s->m, sizeof(double)),
                             calloc(s->m, sizeof(size_t))};
    fill_velocities(s, t, a, r);
    for (size_t b = 0; b < s->blocks; b++) {
        taut_block block;
        CHECK_OK(taut_assembly_block(s->assembly, b, &block));
        if (block.kind == TAUT_CONTACT) {
            add_contact(s, t, &block, &active);
        }
        for (size_t row = block.first_row; block.batch.id > 0 && !block.force && row < block.first_row + block.rows;
             row++) {
            add_active(s, row, law_of_row(s, t, &block, row), &active);
        }
    }
    const size_t size = n + active.count;
    for (size_t i = 0; i < n; i++) {
        all[i * size + i] = 1;
        for (size_t j = 0; is_unknown(s, i) && j < n; j++) {
            all[i * size + j] = is_unknown(s, j) ? a[i * n + j] : 0;
        }
        side[i] = is_unknown(s, i) ? r[i] : 0;
    }
    for (size_t k = 0; k < active.count; k++) {
        for (size_t i = 0; i < n; i++) {
            all[i * size + n + k] = is_unknown(s, i) ? -active.k[k * n + i] : 0;
            all[(n + k) * size + i] = is_unknown(s, i) ? active.j[k * n + i] : 0;
        }
        all[(n + k) * size + n + k] = active.w[k];
        side[n + k] = active.c[k];
    }
    CHECK(dense_solve(size, 1, all, side, x));
    memcpy(dv, x, n * sizeof *dv);
    memset(gam, 0, s->m * sizeof *gam);
    for (size_t k = 0; k < active.count; k++) {
        gam[active.row[k]] = x[n + k];
    }
    free(a), free(r), free(all), free(side), free(x);
    free(active.k), free(active.j), free(active.w), free(active.c), free(active.row);
}

/* ---- against the step -------------------------------------------------------------------------------------------- */

static void read_motion(taut_world* world, double* v) {
    const size_t points = taut_world_particle_count(world);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, points, v));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, taut_world_frame_count(world), v + 3 * points));
}

/* Of velocities, and of forces: J is rounded to float32 in the solver. */
#define OF_MOTION (1e-6 * PHYS_GRAVITY * TIME_STEP)
#define OF_FORCE  (1e-5 * PHYS_GRAVITY)

static void check_step(touching_scene* t, size_t contacts) {
    dense_system s = system_open(t->world);
    double *dv = calloc(s.n, sizeof *dv), *gam = calloc(s.m, sizeof *gam), *v = calloc(s.n, sizeof *v);
    double* lam = calloc(s.m, sizeof *lam);
    contact_list list;
    solve_system(&s, t, dv, gam);
    contact_step(t->world, TIME_STEP, NULL);
    read_motion(t->world, v);
    for (size_t i = 0; i < s.n; i++) {
        if (is_unknown(&s, i)) {
            CHECK_NEAR(v[i] - s.v[i], dv[i], OF_MOTION);
        }
    }
    const size_t given = taut_world_row_count(t->world);
    CHECK_OK(taut_world_read(t->world, TAUT_FIELD_MULTIPLIERS, 0, given, lam));
    for (size_t b = 0; b < s.blocks; b++) {
        taut_block block;
        CHECK_OK(taut_assembly_block(s.assembly, b, &block));
        for (size_t i = 0; block.batch.id > 0 && !block.force && i < block.rows; i++) {
            CHECK_NEAR(lam[block.first_row + i], gam[block.first_row + i] / TIME_STEP, OF_FORCE);
        }
    }
    contact_read(t->world, &list);
    CHECK_INT(list.count, contacts);
    CHECK_INT(s.m, given + 3 * contacts);
    for (size_t i = 0; i < contacts; i++) {
        CHECK_NEAR(phys_dot(list.contacts[i].force, list.contacts[i].normal), gam[given + 3 * i] / TIME_STEP, OF_FORCE);
    }
    system_close(&s);
    free(dv), free(gam), free(v), free(lam);
}

TAUT_TEST(contact_assembly, at_rest) {
    touching_scene t = make_scene(backend, 0, true);
    contact_run(t.world, 150, TIME_STEP, NULL);
    check_step(&t, 2);
    taut_world_destroy(t.world);
}

/* The weight is free and slides at once; the normal stays, and so does the direction. */
TAUT_TEST(contact_assembly, sliding) {
    touching_scene t = make_scene(backend, 0.8, false);
    contact_run(t.world, 5, TIME_STEP, NULL);
    check_step(&t, 1);
    taut_world_destroy(t.world);
}

/* On the way to rest, with a force field that moves. */
TAUT_TEST(contact_assembly, on_the_way) {
    touching_scene t = make_scene(backend, 0, true);
    contact_run(t.world, 12, TIME_STEP, NULL);
    check_step(&t, 2);
    taut_world_destroy(t.world);
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static void fill(size_t count, double* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = sin(1.7 * (double)i + 0.3);
    }
}

static void check_equal(size_t count, const double* a, const double* b) {
    CHECK(dense_max(count, a) > 0);
    CHECK_NEAR(dense_max_difference(count, a, b) / dense_max(count, a), 0, 1e-6);
}

/* J, J^T, A and both right-hand sides by the assembled matrices, without the rows of the force. */
static void check_operators(touching_scene* t) {
    dense_system s = system_open(t->world);
    const size_t most = s.n > s.m ? s.n : s.m;
    double *in = calloc(most, sizeof *in), *out = calloc(most, sizeof *out), *own = calloc(most, sizeof *own);
    double *a = calloc(s.n * s.n, sizeof *a), *r = calloc(s.n, sizeof *r);
    for (size_t b = 0; b < s.blocks; b++) {
        taut_block block;
        CHECK_OK(taut_assembly_block(s.assembly, b, &block));
        CHECK_INT(block.force, block.batch.id == t->drive.id);
    }
    fill_velocities(&s, t, a, r);
    fill(most, in);
    dense_multiply(s.n, s.n, 1, a, false, in, own);
    for (size_t i = 0; i < s.n; i++) { /* fixed ones are left out: make the input so */
        in[i] = is_unknown(&s, i) ? in[i] : 0;
    }
    dense_multiply(s.n, s.n, 1, a, false, in, own);
    for (size_t i = 0; i < s.n; i++) {
        own[i] = is_unknown(&s, i) ? own[i] : 0;
        r[i] = is_unknown(&s, i) ? r[i] : 0;
    }
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_A, in, out));
    check_equal(s.n, own, out);
    CHECK_OK(taut_world_velocity_right_hand_side(t->world, out));
    check_equal(s.n, r, out);
    fill(most, in);
    for (size_t b = 0; b < s.blocks; b++) {
        taut_block block;
        CHECK_OK(taut_assembly_block(s.assembly, b, &block));
        memset(s.jacobian + block.first_row * s.n, 0, block.force ? block.rows * s.n * sizeof(double) : 0);
    }
    dense_multiply(s.m, s.n, 1, s.jacobian, false, in, own);
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_J, in, out));
    check_equal(s.m, own, out);
    dense_multiply(s.m, s.n, 1, s.jacobian, true, in, own);
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_JT, in, out));
    check_equal(s.n, own, out);
    system_close(&s);
    free(in), free(out), free(own), free(a), free(r);
}

/* S gam and b, from A by its own operator. */
static void check_schur(touching_scene* t) {
    dense_system s = system_open(t->world);
    double *gam = calloc(s.m, sizeof *gam), *out = calloc(s.m, sizeof *out), *w = calloc(s.m, sizeof *w);
    double *pulled = calloc(s.n, sizeof *pulled), *moved = calloc(s.n, sizeof *moved), *own = calloc(s.m, sizeof *own);
    fill(s.m, gam);
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_JT, gam, pulled));
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_A_INVERSE, pulled, moved));
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_J, moved, own));
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_W, gam, w));
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_S, gam, out));
    for (size_t i = 0; i < s.m; i++) {
        own[i] += w[i];
    }
    check_equal(s.m, own, out);
    CHECK_OK(taut_world_velocity_right_hand_side(t->world, pulled));
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_A_INVERSE, pulled, moved));
    CHECK_OK(taut_world_apply(t->world, TAUT_OPERATOR_J, moved, own));
    CHECK_OK(taut_world_right_hand_side(t->world, out));
    for (size_t b = 0; b < s.blocks; b++) {
        taut_block block;
        CHECK_OK(taut_assembly_block(s.assembly, b, &block));
        for (size_t row = block.first_row; row < block.first_row + block.rows; row++) {
            own[row] = block.force ? 0 : law_of_row(&s, t, &block, row).c - own[row];
        }
    }
    CHECK_NEAR(dense_max_difference(s.m, own, out), 0, 1e-6 * PHYS_GRAVITY);
    system_close(&s);
    free(gam), free(out), free(w), free(pulled), free(moved), free(own);
}

TAUT_TEST(contact_assembly, operators) {
    touching_scene t = make_scene(backend, 0, true);
    contact_run(t.world, 12, TIME_STEP, NULL);
    check_operators(&t);
    check_schur(&t);
    taut_world_destroy(t.world);
}

/* A look at the system changes nothing of the run. */
TAUT_TEST(contact_assembly, leaves_the_run_as_it_is) {
    double v[2][3 * 16] = {{0}};
    for (int looks = 0; looks < 2; looks++) {
        touching_scene t = make_scene(backend, 0, true);
        for (int i = 0; i < 20; i++) {
            contact_step(t.world, TIME_STEP, NULL);
            if (looks) {
                dense_system s = system_open(t.world);
                system_close(&s);
                CHECK_OK(taut_world_linearise(t.world, 3 * TIME_STEP));
            }
        }
        CHECK(3 * (taut_world_particle_count(t.world) + taut_world_frame_count(t.world)) <= 3 * 16);
        read_motion(t.world, v[looks]);
        taut_world_destroy(t.world);
    }
    CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0);
}

/* Projections take the rows of constraints, and leave contacts out. */
TAUT_TEST(contact_assembly, projections) {
    touching_scene t = make_scene(backend, 0, true);
    double worst = 1;
    contact_run(t.world, 5, TIME_STEP, NULL);
    CHECK_OK(taut_world_project_velocities(t.world));
    CHECK_OK(taut_world_project_positions(t.world, 5, 1e-10, &worst));
    CHECK(worst <= 1e-10);
    contact_run(t.world, 5, TIME_STEP, NULL);
    taut_world_destroy(t.world);
}

/* More contacts than there is room for are none: what was there before stays. */
TAUT_TEST(contact_assembly, capacity) {
    double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    taut_scene* scene = phys_scene(3, x, NULL);
    const uint32_t material = contact_material(scene, FRICTION, 0);
    taut_assembly* assembly = NULL;
    size_t rows = 0;
    contact_ground(scene, material);
    contact_touch(scene, 3, (const uint32_t[]){0, 1, 2}, 0, material);
    taut_world_def def = contact_world_def(backend);
    def.contact.capacity = 2;
    taut_world* world = phys_world(scene, &def);
    CHECK_STATUS(taut_world_linearise(world, TIME_STEP), TAUT_OUT_OF_CAPACITY);
    CHECK_STATUS(taut_world_linearised_rows(world, &rows), TAUT_INVALID_ARGUMENT);
    CHECK_OK(taut_assembly_create(world, &assembly)); /* of the state, without contacts */
    CHECK_INT(taut_assembly_block_count(assembly), 0);
    taut_assembly_destroy(assembly);
    x[7] = 1;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, 3, x));
    CHECK_OK(taut_world_linearise(world, TIME_STEP));
    CHECK_OK(taut_world_linearised_rows(world, &rows));
    CHECK_INT(rows, 6);
    contact_run(world, 2, TIME_STEP, NULL);
    taut_world_destroy(world);
}
