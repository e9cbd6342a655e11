/* Projections onto the constraints, in the metric of A, in the user's numbers:
 *     v = v_ker + A^-1 J^T mu,   J A^-1 J^T mu = J v,   J v_ker = 0
 * by conjugate gradients in float64 on operators of the backend. Scratch is what steps use within themselves. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/world/world_data.h"
#include "kernels/stages/integrate.h"

#include <math.h>
#include <string.h>

/* Relative residual of J v_ker, and what positions are linearised with: so short a step that A is M. */
#define SPLIT_TOLERANCE 1e-12
#define SHORT_STEP      1e-9

typedef struct split {
    taut_world* world;
    bool hard_only;
    double *r, *p, *q, *mu; /* rows */
    double *pulled, *moved; /* nodes x 3 */
} split;

static split open_split(taut_world* world, bool hard_only) {
    const taut_fields* f = &world->plan.fields;
    const size_t rows = world->plan.sizes.rows;
    return (split){
        world,      hard_only,      f->row_scratch, f->gam_last, f->row_scratch + rows, f->row_scratch + 2 * rows,
        f->iterate, f->iterate_last};
}

/* Rows that take no part are 0. */
static void mask(const split* s, double* rows) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    memset(rows + taut_given_rows(sizes), 0, (sizes->rows - taut_given_rows(sizes)) * sizeof *rows); /* of contacts */
    for (int k = 0; s->hard_only && k < TAUT_CONTACT; k++) {
        const size_t each = taut_kind_shapes[k].rows, packed = taut_kind_shapes[k].packed;
        for (size_t c = 0; each > 0 && c < sizes->count[k]; c++) {
            const size_t inside = world_constraint(s->world, (taut_kind)k, c);
            if (s->world->plan.fields.kinds[k].compliance[packed * inside] > 0) {
                memset(rows + sizes->first_row[k] + each * c, 0, each * sizeof *rows);
            }
        }
    }
}

static double dot(const split* s, const double* a, const double* b) {
    double sum = 0;
    for (size_t i = 0; i < s->world->plan.sizes.rows; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* moved = A^-1 J^T rows */
static taut_status move_by(const split* s, const double* rows) {
    const taut_status status = world_apply(s->world, TAUT_OPERATOR_JT, rows, s->pulled);
    return status == TAUT_OK ? world_apply(s->world, TAUT_OPERATOR_A_INVERSE, s->pulled, s->moved) : status;
}

/* q = J A^-1 J^T p */
static taut_status multiply(const split* s) {
    taut_status status = move_by(s, s->p);
    if (status == TAUT_OK) {
        status = world_apply(s->world, TAUT_OPERATOR_J, s->moved, s->q);
        mask(s, s->q);
    }
    return status;
}

/* mu with J A^-1 J^T mu = r; r is used up. Dependent rows leave mu undetermined, not A^-1 J^T mu. */
static taut_status solve(const split* s) {
    const size_t rows = s->world->plan.sizes.rows;
    double rr = dot(s, s->r, s->r);
    const double goal = SPLIT_TOLERANCE * SPLIT_TOLERANCE * rr;
    taut_status status = TAUT_OK;
    memset(s->mu, 0, rows * sizeof *s->mu);
    memcpy(s->p, s->r, rows * sizeof *s->p);
    for (size_t i = 0; status == TAUT_OK && rr > goal && i < 10 * rows + 100; i++) {
        status = multiply(s);
        const double curvature = dot(s, s->p, s->q), step = rr / curvature;
        if (!(curvature > 0)) {
            break;
        }
        for (size_t k = 0; k < rows; k++) {
            s->mu[k] += step * s->p[k];
            s->r[k] -= step * s->q[k];
        }
        const double next = dot(s, s->r, s->r);
        for (size_t k = 0; k < rows; k++) {
            s->p[k] = s->r[k] + next / rr * s->p[k];
        }
        rr = next;
    }
    return status;
}

taut_status taut_world_split(taut_world* world, bool hard_only, const double* motion, double* admissible,
                             double* reaction) {
    taut_status status = world_check_linearised(world, motion, admissible);
    if (status == TAUT_OK && reaction == NULL) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "reaction must not be NULL.");
    }
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const split s = open_split(world, hard_only);
    status = world_apply(world, TAUT_OPERATOR_J, motion, s.r);
    mask(&s, s.r);
    status = status == TAUT_OK ? solve(&s) : status;
    status = status == TAUT_OK ? move_by(&s, s.mu) : status;
    for (size_t i = 0; status == TAUT_OK && i < 3 * world->plan.sizes.nodes; i++) {
        reaction[i] = s.moved[i];
        admissible[i] = motion[i] - s.moved[i];
    }
    return status;
}

/* ---- of the state ------------------------------------------------------------------------------------------------ */

static taut_status linearise_in_place(taut_world* world) {
    return world == NULL ? taut_fail(TAUT_INVALID_ARGUMENT, "projections: world must not be NULL.")
                         : world_linearise(world, SHORT_STEP, false);
}

/* values (nodes x 3, ours) += sign moved, the user's */
static void add_moved(const taut_world* world, double sign, const double* moved, double* values) {
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) {
        for (size_t a = 0; a < 3; a++) {
            values[3 * world_node(world, n) + a] += sign * moved[3 * n + a];
        }
    }
}

taut_status taut_world_project_velocities(taut_world* world) {
    taut_status status = linearise_in_place(world);
    if (status != TAUT_OK) {
        return status;
    }
    const taut_fields* f = &world->plan.fields;
    const size_t bytes = 3 * world->plan.sizes.nodes * sizeof(double);
    const split s = open_split(world, true);
    status = world_download(world, f->v, bytes);
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) { /* in the user's order */
        memcpy(s.moved + 3 * n, f->v + 3 * world_node(world, n), 3 * sizeof(double));
    }
    status = status == TAUT_OK ? world_apply(world, TAUT_OPERATOR_J, s.moved, s.r) : status;
    mask(&s, s.r);
    status = status == TAUT_OK ? solve(&s) : status;
    status = status == TAUT_OK ? move_by(&s, s.mu) : status;
    if (status == TAUT_OK) {
        add_moved(world, -1, s.moved, f->v);
        status = world_upload(world, f->v, bytes);
    }
    world_wake_all(world);
    world->stale = true;
    world->linear_h = 0;
    return status;
}

/* Angles of drives follow frames that have turned back by `moved`. */
static taut_status move_angles(taut_world* world, const double* moved) {
    const taut_fields* f = &world->plan.fields;
    const taut_sizes* s = &world->plan.sizes;
    const taut_kind_fields* kind = &f->kinds[TAUT_ANGULAR];
    const size_t count = s->count[TAUT_ANGULAR], bytes = angular_REST * count * sizeof *kind->rest;
    taut_status status = world_download(world, kind->rest, bytes);
    for (size_t c = 0; status == TAUT_OK && c < count; c++) {
        double* rest = kind->rest + angular_REST * c;
        double by[2][3];
        for (size_t a = 0; a < 6; a++) {
            by[a / 3][a % 3] = -moved[3 * (size_t)kind->nodes[angular_NODES * c + a / 3] + a % 3];
        }
        turn_angle(f, s, c, rest[ANGLE_NOW], by);
    }
    return status == TAUT_OK && count > 0 ? world_upload(world, kind->rest, bytes) : status;
}

/* x -= moved, turns of frames included. */
static taut_status move_state(taut_world* world, const double* moved) {
    const taut_fields* f = &world->plan.fields;
    const taut_sizes* sizes = &world->plan.sizes;
    const size_t bytes = 3 * sizes->simple * sizeof(double);
    taut_status status = world_download(world, f->x, bytes);
    if (status == TAUT_OK && sizes->frames > 0) {
        status = world_download(world, f->orientation, 4 * sizes->frames * sizeof(double));
    }
    for (size_t n = 0; status == TAUT_OK && n < sizes->nodes; n++) {
        const size_t here = world_node(world, n);
        double turn[4];
        const double back[3] = {-moved[3 * n], -moved[3 * n + 1], -moved[3 * n + 2]};
        for (size_t a = 0; here < sizes->simple && a < 3; a++) {
            f->x[3 * here + a] += back[a];
            f->x_f32[3 * here + a] = (float)f->x[3 * here + a];
        }
        if (here >= sizes->points) {
            double* q = f->orientation + 4 * (here - sizes->points);
            quat_exp(back, turn);
            quat_multiply(turn, q, q);
            quat_normalise(q, q);
        }
    }
    status = status == TAUT_OK ? world_upload(world, f->x, bytes) : status;
    status = status == TAUT_OK ? world_upload(world, f->x_f32, bytes / 2) : status;
    if (status == TAUT_OK && sizes->frames > 0) {
        status = world_upload(world, f->orientation, 4 * sizes->frames * sizeof(double));
        status = status == TAUT_OK ? move_angles(world, moved) : status;
    }
    world_wake_all(world);
    world->stale = true;
    world->linear_h = 0;
    return status;
}

/* phi of the rows that take part into r; the largest of them. */
static taut_status read_violations(const split* s, double* worst) {
    const size_t rows = taut_given_rows(&s->world->plan.sizes);
    const taut_status status = taut_world_read(s->world, TAUT_FIELD_VIOLATIONS, 0, rows, s->r);
    *worst = 0;
    mask(s, s->r);
    for (size_t i = 0; status == TAUT_OK && i < rows; i++) {
        *worst = fabs(s->r[i]) > *worst ? fabs(s->r[i]) : *worst;
    }
    return status;
}

taut_status taut_world_project_positions(taut_world* world, uint32_t most, double tolerance, double* worst) {
    double left = 0;
    if (world == NULL || !(tolerance >= 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "a projection takes a world, and a tolerance of at least 0, not %g.",
                         tolerance);
    }
    const split s = open_split(world, true);
    taut_status status = read_violations(&s, &left);
    for (uint32_t i = 0; status == TAUT_OK && i < most && left > tolerance; i++) {
        status = world_linearise(world, SHORT_STEP, false);
        status = status == TAUT_OK ? read_violations(&s, &left) : status; /* linearising has used it up */
        status = status == TAUT_OK ? solve(&s) : status;
        status = status == TAUT_OK ? move_by(&s, s.mu) : status;
        status = status == TAUT_OK ? move_state(world, s.moved) : status;
        status = status == TAUT_OK ? read_violations(&s, &left) : status;
    }
    if (worst != NULL) {
        *worst = left;
    }
    return status;
}
