/* The multilevel preconditioner, per node and per aggregate: modes, smoothing, Galerkin products, inverses, transfer.
 *
 * Modes of an aggregate with centre c_a and radius s_a (of inertia, mass-weighted): translations, and turns times s_a,
 *     level 0    point [ I  -[r]x / s_a ], frame [ 0  I / s_a ]                         r = x - c_a
 *     above      [ I  -[r]x / s_a ; 0  (s_i / s_a) I ]                                  r = c_i - c_a
 * P is this, smoothed once: P = Pt - 4/(3 lm) D^-1 A Pt, D the diagonal blocks of A. The matrix of the next level is
 * P^T A P. Cycles smooth with the dense blocks in the place of D where a level has some: lm is the largest eigenvalue
 * of D^-1 A with them. Text for a file with TAUT_REAL double; vectors are float. */
#ifndef TAUT_STAGES_MULTILEVEL_H
#define TAUT_STAGES_MULTILEVEL_H

#include "kernels/stages/nodes.h"
#include "kernels/stages/precondition.h"
#include "model/hierarchy.h"

/* Added to the turns' diagonal of a coarse block, times the mean of its translations': single nodes and straight
 * aggregates do not turn, or not about every axis. */
#define TAUT_MODE_FLOOR     1e-8
#define TAUT_SMOOTHING_PART (4.0 / 3)
/* Products for the largest eigenvalue, from one and the same vector in every refresh, so that a step depends on nothing
 * but its state: plain power steps, whose quotient l bounds it from below, then Chebyshev polynomials on [0, l], which
 * grow beyond that alone. Ten plain steps missed it by more than the margin on unstructured cloth with stiff hinges,
 * and beyond its interval the smoothing is not positive. */
#define TAUT_LEVEL_POWER_STEPS 3
#define TAUT_LEVEL_STEPS       10
#define TAUT_LEVEL_MARGIN      1.2 /* of the interval; P takes the eigenvalue as found: more would only smooth it less */
/* Chebyshev smoothing acts on eigenvalues of D^-1 A from this part of the largest. */
#define TAUT_SMOOTHED_PART (1.0 / 8)

/* Of the distance of an aggregate's centre from the origin: a smaller radius is rounding, that of a single point. */
#define TAUT_LEAST_RADIUS 1e-9

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* Position and mass of node n of a level; frames have neither, fixed nodes no mass. */
TAUT_FN double level_place(const taut_fields* f, const taut_sizes* s, const taut_level* level, bool first, size_t n,
                           double x[3]) {
    const double* from = first ? f->x + 3 * n : level->centre + 4 * n;
    for (int a = 0; a < 3; a++) {
        x[a] = from[a];
    }
    return !first ? from[3] : n < s->simple && f->inverse_mass[n] > 0 ? f->mass[n] : 0;
}

/* Centre, mass and radius of aggregate a of `fine`, a node of `coarse`. */
TAUT_FN void level_centre(const taut_fields* f, const taut_sizes* s, const taut_level* fine, bool first, size_t a,
                          const taut_level* coarse) {
    double sum[4] = {0, 0, 0, 0}, spread = 0, x[3];
    double* centre = coarse->centre + 4 * a;
    for (uint32_t i = fine->child_begin[a]; i < fine->child_begin[a + 1]; i++) {
        const double mass = level_place(f, s, fine, first, fine->child[i], x);
        for (int c = 0; c < 3; c++) {
            sum[c] += mass * x[c];
        }
        sum[3] += mass;
    }
    for (int c = 0; c < 3; c++) {
        centre[c] = sum[3] > 0 ? sum[c] / sum[3] : 0;
    }
    centre[3] = sum[3];
    for (uint32_t i = fine->child_begin[a]; i < fine->child_begin[a + 1]; i++) {
        const double mass = level_place(f, s, fine, first, fine->child[i], x);
        const double own = first ? 0 : fine->radius[fine->child[i]];
        vec3_sub(x, centre, x);
        spread += mass * (vec3_dot(x, x) + own * own);
    }
    const double radius = sum[3] > 0 ? sqrt(spread / sum[3]) : 0;
    coarse->radius[a] = radius > TAUT_LEAST_RADIUS * sqrt(vec3_dot(centre, centre)) ? radius : 0;
}

/* Unit of the turns of an aggregate. */
TAUT_FN double level_arm(const taut_level* level, size_t a) {
    return level->radius[a] > 0 ? level->radius[a] : 1;
}

/* Motion of node n by the modes of its aggregate: width x 6, row by row. */
TAUT_FN void level_modes(const taut_fields* f, const taut_sizes* s, const taut_level* fine, bool first, size_t n,
                         const taut_level* coarse, double* modes) {
    const size_t a = fine->aggregate[n];
    const int width = first ? 3 : TAUT_RIGID;
    const double turn = 1 / level_arm(coarse, a);
    for (int v = 0; v < width * TAUT_RIGID; v++) {
        modes[v] = 0;
    }
    if (first && n >= s->points) {
        modes[3] = modes[6 + 4] = modes[12 + 5] = turn;
        return;
    }
    double r[3];
    level_place(f, s, fine, first, n, r);
    vec3_sub(r, coarse->centre + 4 * a, r);
    for (int c = 0; c < 3; c++) {
        modes[7 * c] = 1;
        modes[6 * ((c + 2) % 3) + 3 + (c + 1) % 3] = -turn * r[c];
        modes[6 * ((c + 1) % 3) + 3 + (c + 2) % 3] = turn * r[c];
    }
    for (int c = 0; !first && c < 3; c++) {
        modes[6 * (3 + c) + 3 + c] = turn * level_arm(fine, n);
    }
}

/* sum (width x 6) += a (width x width) times the modes of node n in aggregate `to`: of a row [t, u] of a, t goes to the
 * translations and (r x t + s_i u) / s_a to the turns. */
TAUT_FN_HOT void level_add_modes(const taut_fields* f, const taut_sizes* s, const taut_level* fine, bool first,
                                 size_t n, const taut_level* coarse, size_t to, const double* a, double* sum) {
    const int width = first ? 3 : TAUT_RIGID;
    const double turn = 1 / level_arm(coarse, to);
    if (first && n >= s->points) {
        for (int v = 0; v < 9; v++) {
            sum[TAUT_RIGID * (v / 3) + 3 + v % 3] += turn * a[v];
        }
        return;
    }
    double r[3];
    level_place(f, s, fine, first, n, r);
    vec3_sub(r, coarse->centre + 4 * to, r);
    const double own = first ? 0 : level_arm(fine, n);
    for (int i = 0; i < width; i++) {
        const double* row = a + width * i;
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            sum[TAUT_RIGID * i + c] += row[c];
            sum[TAUT_RIGID * i + 3 + c] += turn * (r[d] * row[e] - r[e] * row[d] + (first ? 0 : own * row[3 + c]));
        }
    }
}

/* ---- small dense products ---------------------------------------------------------------------------------------- */

/* Columns [first, end) of out (width x 6) += a (width x width) b (width x 6, float). */
TAUT_FN_HOT void add_columns(int width, int first, int end, const double* a, const float* b, double* out) {
    for (int i = 0; i < width; i++) {
        double sum[TAUT_RIGID];
        for (int j = first; j < end; j++) {
            sum[j] = out[TAUT_RIGID * i + j];
        }
        for (int k = 0; k < width; k++) {
            for (int j = first; j < end; j++) {
                sum[j] += a[width * i + k] * b[TAUT_RIGID * k + j];
            }
        }
        for (int j = first; j < end; j++) {
            out[TAUT_RIGID * i + j] = sum[j];
        }
    }
}

/* Rows [first, end) of out (6 x 6) += p^T (width x 6) w (width x 6). */
TAUT_FN_HOT void add_gathered(int width, int first, int end, const float* p, const double* w, double* out) {
    for (int i = first; i < end; i++) {
        double sum[TAUT_RIGID];
        for (int j = 0; j < TAUT_RIGID; j++) {
            sum[j] = out[TAUT_RIGID * i + j];
        }
        for (int k = 0; k < width; k++) {
            for (int j = 0; j < TAUT_RIGID; j++) {
                sum[j] += p[TAUT_RIGID * k + i] * w[TAUT_RIGID * k + j];
            }
        }
        for (int j = 0; j < TAUT_RIGID; j++) {
            out[TAUT_RIGID * i + j] = sum[j];
        }
    }
}

/* F^T F = D^-1 of node n. */
TAUT_FN void level_diagonal(const taut_level* level, int width, size_t n) {
    double a[TAUT_RIGID * TAUT_RIGID], scale[TAUT_RIGID];
    const double* diagonal = level->a_value + (size_t)(width * width) * level->a_begin[n];
    float* factor = level->d_factor + (size_t)(width * width) * n;
    if (level->a_begin[n] == level->a_begin[n + 1]) {
        return; /* stays 0 */
    }
    for (int i = 0; i < width; i++) {
        scale[i] = block_scale(diagonal[width * i + i]);
    }
    for (int v = 0; v < width * width; v++) {
        a[v] = v / width == v % width ? 1 : diagonal[v] * scale[v / width] * scale[v % width];
    }
    for (int k = 0; k < width; k++) {
        a[width * k + k] = factor_pivot(a[width * k + k]);
        for (int i = k + 1; i < width; i++) {
            const double part = a[width * i + k] / a[width * k + k];
            for (int j = 0; j < width; j++) {
                a[width * i + j] -= part * a[width * k + j];
            }
            a[width * i + k] = -part;
        }
    }
    for (int v = 0; v < width * width; v++) {
        factor[v] = factor_value((size_t)width, a, scale, (size_t)(v / width), (size_t)(v % width));
    }
}

/* out (width x 6) = D^-1 in at node n. */
TAUT_FN_HOT void level_divide_modes(const taut_level* level, int width, size_t n, const double* in, double* out) {
    const float* factor = level->d_factor + (size_t)(width * width) * n;
    for (int v = 0; v < width * TAUT_RIGID; v++) {
        out[v] = 0;
    }
    for (int i = 0; i < width; i++) {
        double sum[TAUT_RIGID] = {0};
        for (int k = 0; k <= i; k++) {
            for (int j = 0; j < TAUT_RIGID; j++) {
                sum[j] += factor[width * i + k] * in[TAUT_RIGID * k + j];
            }
        }
        for (int k = 0; k <= i; k++) {
            for (int j = 0; j < TAUT_RIGID; j++) {
                out[TAUT_RIGID * k + j] += factor[width * i + k] * sum[j];
            }
        }
    }
}

/* ---- prolongator and Galerkin products --------------------------------------------------------------------------- */

/* Block p of P, in row n. */
TAUT_FN_HOT void level_prolongator(const taut_fields* f, const taut_sizes* s, const taut_level* fine, bool first,
                                   size_t n, size_t p, const taut_level* coarse) {
    const int width = first ? 3 : TAUT_RIGID, values = width * TAUT_RIGID;
    const double part = TAUT_SMOOTHING_PART / fine->largest[0];
    const bool free = !first || f->inverse_mass[n] > 0, own = free && p == fine->p_begin[n];
    const size_t to = fine->p_column[p];
    double modes[TAUT_RIGID * TAUT_RIGID] = {0}, sum[TAUT_RIGID * TAUT_RIGID] = {0}, out[TAUT_RIGID * TAUT_RIGID];
    for (uint32_t k = fine->a_begin[n]; k < fine->a_begin[n + 1]; k++) {
        if (fine->a_to_p[k] == p) {
            const double* block = fine->a_value + (size_t)(width * width) * k;
            level_add_modes(f, s, fine, first, fine->a_column[k], coarse, to, block, sum);
        }
    }
    level_divide_modes(fine, width, n, sum, out);
    if (own) {
        level_modes(f, s, fine, first, n, coarse, modes);
    }
    for (int v = 0; v < values; v++) {
        fine->p_value[(size_t)values * p + (size_t)v] = (float)(modes[v] - part * out[v]);
    }
}

/* Columns [first, end) of row n of A P. */
TAUT_FN_HOT void level_wide_row(const taut_level* level, int width, int first, int end, size_t n) {
    const size_t values = (size_t)width * TAUT_RIGID;
    for (size_t w = level->w_begin[n]; w < level->w_begin[n + 1]; w++) {
        for (int v = 0; v < width * (end - first); v++) {
            level->w_value[values * w + (size_t)(TAUT_RIGID * (v / (end - first)) + first + v % (end - first))] = 0;
        }
    }
    for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
        const uint32_t other = level->a_column[k];
        const uint32_t* place = level->spread_place + level->spread_begin[k];
        for (uint32_t p = level->p_begin[other]; p < level->p_begin[other + 1]; p++) {
            add_columns(width, first, end, level->a_value + (size_t)(width * width) * k, level->p_value + values * p,
                        level->w_value + values * *place++);
        }
    }
}

/* The floor under the turns of a coarse node, whose row is there. */
TAUT_FN void level_floor(const taut_level* coarse, size_t a) {
    double* block = coarse->a_value + TAUT_RIGID * TAUT_RIGID * (size_t)coarse->a_begin[a];
    const double mean = (block[0] + block[7] + block[14]) / 3;
    for (int c = 3; c < TAUT_RIGID; c++) {
        block[7 * c] += TAUT_MODE_FLOOR * mean;
    }
}

/* Rows [first, end) of the blocks of row a of the coarse matrix P^T A P from its diagonal on; the others mirror them.
 */
TAUT_FN_HOT void level_coarse_row(const taut_level* fine, int width, int first, int end, size_t a,
                                  const taut_level* coarse) {
    const size_t values = (size_t)width * TAUT_RIGID, whole = TAUT_RIGID * TAUT_RIGID;
    for (size_t k = coarse->a_begin[a]; k < coarse->a_begin[a + 1]; k++) {
        for (int v = TAUT_RIGID * first; v < TAUT_RIGID * end; v++) {
            coarse->a_value[whole * k + (size_t)v] = 0;
        }
    }
    for (uint32_t t = fine->t_begin[a]; t < fine->t_begin[a + 1]; t++) {
        const size_t n = fine->t_node[t];
        const float* p = fine->p_value + values * fine->t_block[t];
        const uint32_t* place = fine->gather_place + fine->gather_begin[t];
        for (uint32_t w = fine->w_begin[n]; w < fine->w_begin[n + 1]; w++) {
            const size_t k = *place++;
            if (coarse->a_column[k] >= a) {
                add_gathered(width, first, end, p, fine->w_value + values * w, coarse->a_value + whole * k);
            }
        }
    }
}

/* The blocks of row a of a matrix before its diagonal, transposes of those of other rows, which are there. */
TAUT_FN void level_mirror_row(const taut_level* level, size_t width, size_t a) {
    const size_t whole = width * width;
    for (size_t k = level->a_begin[a]; k < level->a_begin[a + 1]; k++) {
        const size_t column = level->a_column[k];
        size_t from = level->a_begin[column];
        while (column < a && level->a_column[from] != a) {
            from++;
        }
        for (size_t v = 0; column < a && v < whole; v++) {
            const size_t turned = v % width * width + v / width;
            level->a_value[whole * k + v] = level->a_value[whole * from + turned];
        }
    }
}

/* Blocks of a coarse row for cycles, column by column. */
TAUT_FN void level_round_row(const taut_level* level, size_t n) {
    const size_t whole = TAUT_RIGID * TAUT_RIGID;
    for (size_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
        for (size_t v = 0; v < whole; v++) {
            level->cycle_value[whole * k + v] =
                (float)level->a_value[whole * k + TAUT_RIGID * (v % TAUT_RIGID) + v / TAUT_RIGID];
        }
    }
}

/* ---- dense blocks ------------------------------------------------------------------------------------------------ */

/* Values (i, j) of dense block b, `lane` of `lanes` of its rows of nodes; it is zero before. */
TAUT_FN_HOT void level_dense_rows(const taut_level* level, int width, size_t b, int lane, int lanes, double* matrix) {
    const uint32_t* node = level->dense_node + level->dense_begin[b];
    const int count = (int)(level->dense_begin[b + 1] - level->dense_begin[b]), size = width * count;
    for (int i = lane; i < count; i += lanes) {
        for (uint32_t k = level->a_begin[node[i]]; k < level->a_begin[node[i] + 1]; k++) {
            int j = 0;
            while (j < count && node[j] != level->a_column[k]) {
                j++;
            }
            for (int v = 0; j < count && v < width * width; v++) {
                matrix[(size_t)(width * i + v / width) * (size_t)size + (size_t)(width * j + v % width)] =
                    level->a_value[(size_t)(width * width) * k + (size_t)v];
            }
        }
    }
}

/* ---- the largest eigenvalue of D^-1 A, D with the dense blocks -----------------------------------------------------
 */

/* Value i of the vector that it starts from. */
TAUT_FN float level_power_begin(const taut_level* level, size_t i) {
    const size_t stride = level->s.stride;
    return i % stride < level->s.width ? chebyshev_mix(i, stride * level->s.nodes) : 0;
}

/* From x.y and y.w with y = A x and w = D^-1 y: the quotient in the norm of A, which converges sooner than that of D.
 */
TAUT_FN double level_quotient(const double sums[2]) {
    return sums[1] > 0 && sums[0] > 0 ? sums[1] / sums[0] : 1;
}

/* Value i of step k of the polynomials on [0, largest[0]], k = 0 the first: x_{k+1} = 2 t x_k - x_{k-1}, and t x_0 for
 * k = 0, t = 2 D^-1 A / largest[0] - 1, with w = D^-1 A x; x and the one before it move on. */
TAUT_FN void level_polynomial(const taut_level* level, int k, size_t i, const float* w, float* x, float* before) {
    const float now = x[i], turned = (float)(2 / level->largest[0]) * w[i] - now;
    x[i] = k == 0 ? turned : 2 * turned - before[i];
    before[i] = now;
}

/* ---- apply ------------------------------------------------------------------------------------------------------- */

/* z = D^-1 r at node n. */
TAUT_FN_HOT void level_scale(const taut_level* level, int width, size_t stride, size_t n, const float* r, float* z) {
    const float *factor = level->d_factor + (size_t)(width * width) * n, *from = r + stride * n;
    float out[TAUT_RIGID] = {0};
    for (int i = 0; i < width; i++) {
        float sum = 0;
        for (int j = 0; j <= i; j++) {
            sum += factor[width * i + j] * from[j];
        }
        for (int j = 0; j <= i; j++) {
            out[j] += factor[width * i + j] * sum;
        }
    }
    for (int i = 0; i < width; i++) {
        z[stride * n + (size_t)i] = out[i];
    }
}

/* Modes [first, end) of P^T r at aggregate a; `stride` is that of the finer level. */
TAUT_FN_HOT void level_restrict(const taut_level* fine, int width, size_t stride, int first, int end, size_t a,
                                const float* r, float* out) {
    float sum[TAUT_RIGID] = {0};
    for (uint32_t t = fine->t_begin[a]; t < fine->t_begin[a + 1]; t++) {
        const float* p = fine->p_value + (size_t)width * TAUT_RIGID * fine->t_block[t];
        const float* from = r + stride * fine->t_node[t];
        for (int k = 0; k < width; k++) {
            for (int j = first; j < end; j++) {
                sum[j] += p[TAUT_RIGID * k + j] * from[k];
            }
        }
    }
    for (int j = first; j < end; j++) {
        out[TAUT_RIGID * a + (size_t)j] = sum[j];
    }
}

/* Values [first, end) of A x at a node above level 0. Terms cancel where A is stiff: sums are in float64. */
TAUT_FN_HOT void level_product(const taut_level* level, int first, int end, size_t n, const float* x,
                               double sum[TAUT_RIGID]) {
    for (int i = first; i < end; i++) {
        sum[i] = 0;
    }
    for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
        const float* a = level->cycle_value + (size_t)(TAUT_RIGID * TAUT_RIGID) * k;
        const float* from = x + TAUT_RIGID * (size_t)level->a_column[k];
        for (int j = 0; j < TAUT_RIGID; j++) {
            for (int i = first; i < end; i++) {
                sum[i] += (double)a[TAUT_RIGID * j + i] * from[j];
            }
        }
    }
}

/* Values [first, end) of z += P e at node n of the finer level. */
TAUT_FN_HOT void level_prolong(const taut_level* fine, int width, size_t stride, int first, int end, size_t n,
                               const float* e, float* z) {
    float products[TAUT_RIGID * TAUT_RIGID] = {0};
    for (uint32_t p = fine->p_begin[n]; p < fine->p_begin[n + 1]; p++) {
        const float* value = fine->p_value + (size_t)width * TAUT_RIGID * p;
        const float* from = e + TAUT_RIGID * (size_t)fine->p_column[p];
        for (int k = first; k < end; k++) {
            for (int j = 0; j < TAUT_RIGID; j++) {
                products[TAUT_RIGID * (k - first) + j] += value[TAUT_RIGID * k + j] * from[j];
            }
        }
    }
    for (int k = first; k < end; k++) {
        float sum = 0;
        for (int j = 0; j < TAUT_RIGID; j++) {
            sum += products[TAUT_RIGID * (k - first) + j];
        }
        z[stride * n + (size_t)k] += sum;
    }
}

/* The interval of Chebyshev smoothing. */
TAUT_FN chebyshev_interval level_interval(const taut_level* level) {
    const double upper = TAUT_LEVEL_MARGIN * level->largest[0], lower = upper * TAUT_SMOOTHED_PART;
    const chebyshev_interval on = {(upper + lower) / 2, (upper - lower) / 2};
    return on;
}

/* A step of the polynomial: direction = keep direction + gain D^-1 rest. */
TAUT_FN chebyshev_factors level_smoothing(const taut_level* level, int step) {
    const chebyshev_interval on = level_interval(level);
    const chebyshev_factors first = {0, (float)(1 / on.middle)};
    return step == 0 ? first : chebyshev_step(on, step);
}

#endif
