/* Constraints that are added to a world while the factors' pattern stays: by the Schur complement of their rows a.
 *
 *     [ S_gg + E_g  S_ga       ] [ delta_g ]   [ r_g ]        Z = (S_gg + E_g)^-1 S_ga, by the factors
 *     [ S_ga^T      S_aa + E_a ] [ delta_a ] = [ r_a ]        C = S_aa + E_a - S_ga^T Z = L L^T
 *
 *     delta_a = C^-1 (r_a - S_ga^T d),   delta_g = d - Z delta_a,   d = (S_gg + E_g)^-1 r_g
 *
 * A column of S is a product with a unit vector, so that points may be mapped, free or joined by nothing else. */
#define TAUT_REAL double
#include "kernels/stages/bounds.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_saddle_pattern.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

/* Least pivot of C, of its diagonal: what is less is rounding of Z. Outer iterations mend what that leaves. */
#define LEAST_PIVOT 1e-8

#define TAKE(to, count) ((to) = saddle_take(&d->pool, (count), sizeof *(to)), (to) != NULL)

taut_status saddle_added_make(saddle_solver* d) {
    saddle_added* a = &d->added;
    const taut_sizes* s = &d->plan->sizes;
    const size_t most = s->reserved_unknowns;
    if (most == 0) {
        return TAUT_OK;
    }
    if (most > TAUT_DIRECT_MOST_RESERVED) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "direct method: room for %zu added rows; at most %d. Create the world with that room.", most,
                         TAUT_DIRECT_MOST_RESERVED);
    }
    const bool taken = TAKE(a->row, most) && TAKE(a->column, most * s->unknowns) && TAKE(a->z, most * s->unknowns) &&
                       TAKE(a->factor, most * most) && TAKE(a->unit, s->unknowns) && TAKE(a->kept, s->unknowns) &&
                       TAKE(a->motion, 4 * s->nodes);
    return taken ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* Rows of constraints that are there, with something to solve for. */
static void list_rows(const saddle_solver* d, saddle_added* a) {
    const taut_fields* f = &d->plan->fields;
    const taut_sizes* s = &d->plan->sizes;
    uint32_t unknown[TAUT_MAX_ROWS];
    a->count = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = taut_given_count(s, k); s->reserved[k] > 0 && c < s->count[k]; c++) {
            const uint32_t rows = taut_list_unknowns(s, (taut_kind)k, (uint32_t)c, unknown);
            for (uint32_t r = 0; r < rows && f->kinds[k].law[c] != TAUT_LAW_ABSENT; r++) {
                a->row[a->count] = unknown[r];
                a->count += f->inverse_diagonal[unknown[r]] > 0 && !is_passed_over(f, s, unknown[r]);
            }
        }
    }
}

static double dot(const saddle_solver* d, const double* one, const double* other) {
    double sum = 0;
    for (size_t i = 0; i < d->plan->sizes.unknowns; i++) {
        sum += one[i] * other[i];
    }
    return sum;
}

/* Column i of S, and of Z, which is 0 at rows that are not the factors'. */
static void make_column(saddle_solver* d, size_t i) {
    const saddle_added* a = &d->added;
    const taut_plan* plan = d->plan;
    const size_t unknowns = plan->sizes.unknowns;
    double *column = a->column + i * unknowns, *wide = plan->fields.wide;
    a->unit[a->row[i]] = 1;
    cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, true, a->unit, a->motion);
    cpu_apply_jacobian_f64(plan, TAUT_ALL, a->motion, 4, a->unit, false, column);
    a->unit[a->row[i]] = 0;
    memcpy(wide, column, unknowns * sizeof *wide);
    saddle_solve_given(d);
    memcpy(a->z + i * unknowns, d->delta, unknowns * sizeof *wide);
}

/* C, of which L takes the place. */
static void factor_complement(const saddle_solver* d) {
    const saddle_added* a = &d->added;
    const size_t n = a->count, unknowns = d->plan->sizes.unknowns;
    for (size_t i = 0; i < n; i++) {
        const double shift = saddle_shift(d->plan, a->row[i]);
        const double diagonal = a->column[i * unknowns + a->row[i]] + shift;
        for (size_t j = 0; j <= i; j++) {
            double sum = (i == j ? diagonal : a->column[j * unknowns + a->row[i]]) -
                         dot(d, a->column + i * unknowns, a->z + j * unknowns);
            for (size_t q = 0; q < j; q++) {
                sum -= a->factor[i * n + q] * a->factor[j * n + q];
            }
            const double least = LEAST_PIVOT * diagonal;
            a->factor[i * n + j] = i == j ? sqrt(sum > least ? sum : least) : sum / a->factor[j * n + j];
        }
    }
}

void saddle_added_factor(saddle_solver* d) {
    saddle_added* a = &d->added;
    const taut_plan* plan = d->plan;
    if (plan->sizes.reserved_unknowns == 0) {
        return;
    }
    list_rows(d, a);
    const size_t bytes = plan->sizes.unknowns * sizeof(double);
    memset(d->delta, 0, bytes);
    memcpy(a->kept, plan->fields.wide, bytes);
    for (size_t i = 0; i < a->count; i++) {
        make_column(d, i);
    }
    memcpy(plan->fields.wide, a->kept, bytes);
    factor_complement(d);
}

/* By L L^T, in place. */
static void solve_complement(const saddle_added* a, double* value) {
    const size_t n = a->count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            value[i] -= a->factor[i * n + j] * value[j];
        }
        value[i] /= a->factor[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) {
            value[i] -= a->factor[j * n + i] * value[j];
        }
        value[i] /= a->factor[i * n + i];
    }
}

void saddle_added_solve(const saddle_solver* d) {
    const saddle_added* a = &d->added;
    const size_t unknowns = d->plan->sizes.unknowns;
    double value[TAUT_DIRECT_MOST_RESERVED];
    for (size_t i = 0; i < a->count; i++) {
        value[i] = saddle_residual(d->plan, a->row[i]) - dot(d, a->column + i * unknowns, d->delta);
    }
    solve_complement(a, value);
    for (size_t i = 0; i < a->count; i++) {
        for (size_t u = 0; u < unknowns; u++) {
            d->delta[u] -= value[i] * a->z[i * unknowns + u];
        }
    }
    for (size_t i = 0; i < a->count; i++) {
        d->delta[a->row[i]] = value[i];
    }
}
