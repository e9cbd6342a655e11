/* Gauss-Seidel on (S + E) delta = r, constraint by constraint, on both backends:
 *
 *     change = B^-1 ( r - K g - (Wt + E) delta ),   delta += change,   g += P A^-1 P K^T change
 *
 * of a block: the rows and factor rows K of one constraint at the nodes that it acts on, itself or through mapped
 * points; B = K P A^-1 P K^T + Wt + E is its diagonal block, g the motion that delta gives. Blocks of one colour have
 * no node in common: they are gone through in parallel and in any order, with the same result. A sweep goes through all
 * colours. Rows with bounds stop there: that is projected Gauss-Seidel. Without bounds a sweep there and back from 0 is
 * a symmetric preconditioner of conjugate gradients: what sweeps alone leave of smooth errors, these take. */
#ifndef TAUT_STAGES_GAUSS_SEIDEL_H
#define TAUT_STAGES_GAUSS_SEIDEL_H

#include "kernels/stages/bounds.h"
#include "kernels/stages/solve.h"
#include "model/factors.h"
#include "model/hierarchy.h"
#include "model/layout.h"

/* Sweeps between two looks at the residual, which cost as much as one. */
#define TAUT_SWEEPS 8
/* Slow is no standstill: an outer iteration goes on for as long again as it has taken to its smallest residual, at
 * least for so many sweeps. */
#define TAUT_SWEEP_PATIENCE 256
/* Impulses below this are none; they would soon be denormal numbers. */
#define TAUT_SWEEP_NEGLIGIBLE 1e-25F

/* An outer iteration: sweeps so far, its smallest residual and the sweep that gave it. */
typedef struct taut_sweeping {
    double least;
    uint32_t sweeps, least_at;
} taut_sweeping;

/* Whether the outer iteration goes on, with the residual after its sweeps. A residual that is not finite ends it. */
TAUT_FN bool taut_sweeps_go_on(taut_sweeping* s, double residual, double goal) {
    if (s->least_at == 0 || residual < s->least) {
        s->least = residual;
        s->least_at = s->sweeps;
    }
    const uint32_t extra_stalls = s->least_at > TAUT_SWEEP_PATIENCE ? s->least_at : TAUT_SWEEP_PATIENCE;
    return residual > goal && taut_is_finite(residual) && s->sweeps - s->least_at < extra_stalls;
}

/* |r| at which an outer iteration ends: a stationary iteration loses nothing by a new start from the true residual. */
TAUT_FN double taut_sweeps_goal(double residual, double scale, double tolerance) {
    return taut_outer_goal(residual, scale, tolerance, true);
}

/* rest -= K g at a node */
TAUT_FN void sweep_subtract(const float* rows, const float* g, int size, float* rest) {
    for (int i = 0; i < size; i++) {
        rest[i] -= rows[3 * i] * g[0] + rows[3 * i + 1] * g[1] + rows[3 * i + 2] * g[2];
    }
}

/* g += P A^-1 P K^T change at a node */
TAUT_FN void sweep_move(const taut_fields* f, const taut_sizes* s, uint32_t node, const float* rows,
                        const float* change, int size, float* g) {
    float force[3] = {0, 0, 0};
    for (int i = 0; i < size; i++) {
        for (int a = 0; a < 3; a++) {
            force[a] += rows[3 * i + a] * change[i];
        }
    }
    if (node < s->points) {
        for (int a = 0; a < 3; a++) {
            g[a] += f->inverse_mass[node] * force[a];
        }
        return;
    }
    const double* m = f->frame_inverse + 6 * (node - s->points);
    g[0] += (float)m[0] * force[0] + (float)m[5] * force[1] + (float)m[4] * force[2];
    g[1] += (float)m[5] * force[0] + (float)m[1] * force[1] + (float)m[3] * force[2];
    g[2] += (float)m[4] * force[0] + (float)m[3] * force[1] + (float)m[2] * force[2];
}

/* What is left of the residual at a block. */
TAUT_FN void sweep_rest(const taut_fields* f, const taut_system* h, size_t block, int size, const float* rows,
                        float* rest) {
    const uint32_t* unknown = f->block_unknown + f->block_begin[block];
    const float* weight = f->sweep_weight + f->block_value_begin[block];
    const uint32_t member = f->block_member[block];
    for (int i = 0; i < size; i++) {
        rest[i] = f->r[unknown[i]];
        for (int j = 0; j < size; j++) {
            rest[i] -= weight[i * size + j] * f->delta[unknown[j]];
        }
    }
    for (uint32_t i = h->support_begin[member]; i < h->support_begin[member + 1]; i++) {
        sweep_subtract(rows, f->g + 4 * (size_t)h->support_node[i], size, rest);
        rows += 3 * size;
    }
}

/* Brings `change` within the bounds of a block's rows: one that would pass its bound stops there, and the others change
 * as they do when that is given. */
TAUT_FN void sweep_bound(const taut_fields* f, const taut_sizes* s, const uint32_t* unknown, int size,
                         const float* inverse, const taut_factors* step, float* change) {
    float left[TAUT_MAX_ROWS * TAUT_MAX_ROWS];
    for (int i = 0; i < size * size; i++) {
        left[i] = inverse[i];
    }
    for (int i = 0; i < size && unknown[i] < s->rows; i++) {
        const double now = f->gam[unknown[i]] + f->delta[unknown[i]];
        const double over = within_bounds(now + change[i], impulse_bounds(f, unknown[i], step)) - (now + change[i]);
        const float pivot = left[i * size + i];
        float row[TAUT_MAX_ROWS];
        if (over == 0 || !(pivot > 0)) {
            continue;
        }
        for (int j = 0; j < size; j++) {
            row[j] = left[i * size + j] / pivot;
            change[j] += row[j] * (float)over;
        }
        for (int j = 0; j < size * size; j++) {
            left[j] -= row[j / size] * row[j % size] * pivot;
        }
    }
    for (int i = 0; i < size && unknown[i] < s->rows; i++) {
        const double now = f->gam[unknown[i]] + f->delta[unknown[i]];
        change[i] = (float)(within_bounds(now + change[i], impulse_bounds(f, unknown[i], step)) - now);
    }
}

/* r of unknown i, which may be a row that a bound keeps from it: as far as it can be followed. */
TAUT_FN double sweep_residual(const taut_fields* f, const taut_sizes* s, size_t i, double r, const taut_factors* step) {
    if (!s->bounded || i >= s->rows || !(f->inverse_diagonal[i] > 0)) {
        return r;
    }
    const double now = f->gam[i] + f->delta[i];
    const double next = within_bounds(now + r * f->inverse_diagonal[i], impulse_bounds(f, i, step));
    return (next - now) / f->inverse_diagonal[i];
}

TAUT_FN void sweep_block(const taut_fields* f, const taut_sizes* s, const taut_system* h, size_t block,
                         const taut_factors* step) {
    const int size = (int)(f->block_begin[block + 1] - f->block_begin[block]);
    const float *rows = f->sweep_row + 3 * f->sweep_begin[block],
                *inverse = f->block_inverse + f->block_value_begin[block];
    const uint32_t *unknown = f->block_unknown + f->block_begin[block], member = f->block_member[block];
    float rest[TAUT_MAX_ROWS], change[TAUT_MAX_ROWS];
    sweep_rest(f, h, block, size, rows, rest);
    for (int i = 0; i < size; i++) {
        float sum = 0;
        for (int j = 0; j < size; j++) {
            sum += inverse[i * size + j] * rest[j];
        }
        change[i] = sum;
    }
    if (s->bounded) {
        sweep_bound(f, s, unknown, size, inverse, step, change);
    }
    for (int i = 0; i < size; i++) {
        change[i] = fabsf(change[i]) < TAUT_SWEEP_NEGLIGIBLE ? 0 : change[i];
        f->delta[unknown[i]] += change[i];
    }
    for (uint32_t i = h->support_begin[member]; i < h->support_begin[member + 1]; i++) {
        const uint32_t node = h->support_node[i];
        sweep_move(f, s, node, rows, change, size, f->g + 4 * (size_t)node);
        rows += 3 * size;
    }
}

#endif
