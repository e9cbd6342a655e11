/* Newton's method for loose bodies in contact by the convex law: the step minimises
 *
 *     l(w) = 1/2 w.M w + sum 1/2 gam.R gam,    gam = P( (b - J w)/R ),    grad l = M w - J^T gam
 *     Hess l = M + J^T G J,  G the derivative of P( ./R )
 *
 * over w = dv - u, with P the projection on the cone of friction, or on its given bound (contact/wedged.h), in the
 * metric of R (contact/regularised.h), by sparse factors of the Hessian and an exact line search: one iteration where
 * contacts keep their states. */
#define TAUT_REAL double
#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_vectors.h"
#include "kernels/stages/contact/cone.h"
#include "kernels/stages/items.h"

#include <math.h>
#include <string.h>

/* Products of blocks in a factorisation at most; beyond, iterations are faster. */
#define MOST_PRODUCTS 4e5
/* Of a factorisation: sweeps that take the time of a product of blocks for each contact, and of all else in an
 * iteration. */
#define SWEEPS_A_PRODUCT 1.7
#define SWEEPS_BESIDE    30
/* Of the line search: where the slope is this part of what it was at the start. */
#define LINE_SLOPE  0.01
#define LINE_ROUNDS 20

/* gam of a contact whose J w is motion + share along, and G. */
static void project_pair(contact_pair* pair, double share) {
    double z[3];
    for (int r = 0; r < 3; r++) {
        z[r] = (pair->b[r] - pair->motion[r] - share * pair->along[r]) * pair->stiffness[r > 0];
    }
    if (pair->bound >= 0) {
        project_on_disc(pair->bound, pair->stiffness[0], pair->stiffness[1], z, pair->impulse, pair->derivative);
    } else {
        project_on_cone(pair->mu, pair->stiffness[0], pair->stiffness[1], z, pair->impulse, pair->derivative);
    }
}

/* r = J^T gam - M w; returns r.M^-1 r. */
static double find_residual(contact_pairs* s) {
    double sum = 0;
    memset(s->r, 0, BLOCK_ROWS * s->vertices * sizeof(double));
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pairs_add(s, c, s->contact[c].impulse, s->r);
    }
    for (size_t v = 0; v < s->vertices; v++) {
        double held[BLOCK_ROWS], divided[BLOCK_ROWS], *r = s->r + BLOCK_ROWS * v;
        contact_pairs_mass(s, v, false, s->w + BLOCK_ROWS * v, held);
        for (int a = 0; a < BLOCK_ROWS; a++) {
            r[a] -= held[a];
        }
        contact_pairs_mass(s, v, true, r, divided);
        for (int a = 0; a < BLOCK_ROWS; a++) {
            sum += r[a] * divided[a];
        }
    }
    return sum;
}

/* ---- the Hessian ------------------------------------------------------------------------------------------------- */

/* M of a vertex, and 1 where nothing moves. */
static void take_mass(const contact_pairs* s, uint32_t v, float* block) {
    memset(block, 0, BLOCK_VALUES * sizeof *block);
    for (int j = 0; j < BLOCK_ROWS; j++) {
        double unit[BLOCK_ROWS] = {0}, column[BLOCK_ROWS];
        unit[j] = 1;
        contact_pairs_mass(s, v, false, unit, column);
        column[j] += (j < 3 ? s->centre[v] : s->frame[v]) == PAIR_NONE;
        for (int i = 0; i < BLOCK_ROWS; i++) {
            block[j * BLOCK_STRIDE + i] = (float)column[i];
        }
    }
}

static void add_masses(contact_pairs* s) {
    for (uint32_t v = 0; v < s->vertices; v++) {
        memcpy(block_cholesky_diagonal(s->factors, v), s->mass + BLOCK_VALUES * (size_t)v,
               BLOCK_VALUES * sizeof *s->mass);
    }
}

/* Rows of J at a side, which are columns of J^T. */
static void take_rows(const contact_pair* pair, int side, float* rows) {
    const float weight = (float)pair->weight[side];
    memset(rows, 0, SIDE_VALUES * sizeof *rows);
    for (int r = 0; r < 3; r++) {
        for (int a = 0; a < 3; a++) {
            rows[r * BLOCK_STRIDE + a] = weight * (float)pair->axis[r][a];
            rows[r * BLOCK_STRIDE + 3 + a] = (float)pair->turned[side][r][a];
        }
    }
}

/* What stays from one factorisation to the next. */
static void take_parts(contact_pairs* s) {
    for (uint32_t v = 0; v < s->vertices; v++) {
        take_mass(s, v, s->mass + BLOCK_VALUES * (size_t)v);
    }
    for (size_t c = 0; c < s->contacts; c++) {
        for (int side = 0; side < 2; side++) {
            take_rows(&s->contact[c], side, s->rows + SIDE_VALUES * (2 * c + (size_t)side));
        }
    }
}

TAUT_FN_HOT void side_rows(const float* from, block_column rows[3]) {
    for (int r = 0; r < 3; r++) {
        rows[r] = *(const loose_block_column*)(from + r * BLOCK_STRIDE);
    }
}

/* G J */
TAUT_FN_HOT void hold_rows(const float* g, const block_column rows[3], block_column held[3]) {
    held[0] = g[0] * rows[0] + g[1] * rows[1] + g[3] * rows[2];
    held[1] = g[1] * rows[0] + g[2] * rows[1] + g[4] * rows[2];
    held[2] = g[3] * rows[0] + g[4] * rows[1] + g[5] * rows[2];
}

/* block += J^T G J */
TAUT_FN_HOT void add_stiffness(const block_column rows[3], const block_column held[3], float* block) {
    for (int j = 0; j < BLOCK_ROWS; j++) {
        loose_block_column* to = (loose_block_column*)(block + BLOCK_STRIDE * j);
        *to += rows[0] * held[0][j] + rows[1] * held[1][j] + rows[2] * held[2][j];
    }
}

TAUT_FN_HOT void add_contact(contact_pairs* s, size_t c) {
    const contact_pair* pair = &s->contact[c];
    const uint32_t v[2] = {s->side[2 * c], s->side[2 * c + 1]};
    block_column rows[2][3], held[2][3];
    for (int side = 0; side < 2; side++) {
        if (v[side] != PAIR_NONE) {
            side_rows(s->rows + SIDE_VALUES * (2 * c + (size_t)side), rows[side]);
            hold_rows(pair->derivative, rows[side], held[side]);
            add_stiffness(rows[side], held[side], block_cholesky_diagonal(s->factors, v[side]));
        }
    }
    if (v[0] != PAIR_NONE && v[1] != PAIR_NONE) {
        const int early = block_cholesky_first(s->factors, v[0], v[1]) ? 0 : 1;
        add_stiffness(rows[1 - early], held[early], block_cholesky_at(s->factors, s->place[c]));
    }
}

/* A given bound of friction acts where the contact opens, too. */
TAUT_FN_HOT bool acts(const double u[3]) {
    return u[0] > 0 || u[1] != 0 || u[2] != 0;
}

/* Returns how many act. */
TAUT_FN_HOT size_t add_pressing(contact_pairs* s) {
    size_t count = 0;
    for (size_t c = 0; c < s->contacts; c++) {
        if (acts(s->contact[c].impulse)) {
            add_contact(s, c);
            count++;
        }
    }
    return count;
}

CPU_WITH_AVX2(size_t, add_contacts, add_pressing, (contact_pairs * s), (s))

static void factor(contact_pairs* s) {
    block_cholesky_clear(s->factors);
    add_masses(s);
    add_contacts(s);
    block_cholesky_factor(s->factors);
}

/* ---- along a direction ------------------------------------------------------------------------------------------- */

typedef struct line_slopes {
    double first, second;
} line_slopes;

/* Derivatives of l(w + share p) by share, from those of 1/2 w.M w. Leaves impulses, and G, as they are there. */
static line_slopes slopes_at(const contact_pairs* s, double share, line_slopes own) {
    line_slopes sum = {own.first + share * own.second, own.second};
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pair* pair = &s->contact[c];
        project_pair(pair, share);
        const double *along = pair->along, *u = pair->impulse;
        const float* g = pair->derivative;
        if (acts(u)) {
            sum.first -= vec3_dot(along, u);
            sum.second += along[0] * (g[0] * along[0] + 2 * (g[1] * along[1] + g[3] * along[2])) +
                          g[2] * along[1] * along[1] + 2 * g[4] * along[1] * along[2] + g[5] * along[2] * along[2];
        }
    }
    return sum;
}

/* The share of p at which l is least: Newton's method within a bracket. `start`: the slope at 0, negative. */
static double search_line(const contact_pairs* s, line_slopes own, double start) {
    double low = 0, high = INFINITY, share = 1;
    for (int round = 0; round < LINE_ROUNDS; round++) {
        const line_slopes at = slopes_at(s, share, own);
        if (fabs(at.first) <= -LINE_SLOPE * start || round + 1 == LINE_ROUNDS) {
            break;
        }
        if (at.first < 0) {
            low = share;
        } else {
            high = share;
        }
        const double next = share - at.first / at.second;
        share = next > low && next < high ? next : high < INFINITY ? (low + high) / 2 : 2 * share;
    }
    return share;
}

static line_slopes own_slopes(const contact_pairs* s) {
    line_slopes own = {0, 0};
    for (size_t v = 0; v < s->vertices; v++) {
        double held[BLOCK_ROWS];
        contact_pairs_mass(s, v, false, s->p + BLOCK_ROWS * v, held);
        for (int a = 0; a < BLOCK_ROWS; a++) {
            own.first += held[a] * s->w[BLOCK_ROWS * v + (size_t)a];
            own.second += held[a] * s->p[BLOCK_ROWS * v + (size_t)a];
        }
    }
    return own;
}

static void advance(contact_pairs* s, double slope) {
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pairs_motion(s, c, s->p, s->contact[c].along);
    }
    const double share = search_line(s, own_slopes(s), slope);
    for (size_t i = 0; i < BLOCK_ROWS * s->vertices; i++) {
        s->w[i] += share * s->p[i];
    }
    for (size_t c = 0; c < s->contacts; c++) {
        vec3_axpy(share, s->contact[c].along, s->contact[c].motion);
    }
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

void contact_pairs_order(contact_pairs* s) {
    double products;
    if (s->newton_sweeps >= 0 && (s->all->ordered == s || !(s->newton_sweeps < INFINITY))) {
        return;
    }
    s->all->ordered = s;
    const bool fits =
        block_cholesky_pattern(s->factors, s->vertices, s->side, s->contacts, MOST_PRODUCTS, s->place, &products);
    s->newton_sweeps = fits ? SWEEPS_BESIDE + SWEEPS_A_PRODUCT * products / (double)(s->contacts + 1) : INFINITY;
}

static void first_motion(contact_pairs* s) {
    contact_pairs_move(s);
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pairs_motion(s, c, s->w, s->contact[c].motion);
        project_pair(&s->contact[c], 0);
    }
}

uint32_t contact_pairs_newton(contact_pairs* s, double goal, uint32_t limit) {
    uint32_t iterations = 0;
    contact_pairs_order(s);
    if (!(s->newton_sweeps < INFINITY)) {
        return 0;
    }
    first_motion(s);
    while (find_residual(s) > goal * goal && iterations < limit) {
        double slope = 0;
        if (iterations == 0) {
            take_parts(s);
        }
        factor(s);
        block_cholesky_solve(s->factors, s->r, s->p);
        for (size_t i = 0; i < BLOCK_ROWS * s->vertices; i++) {
            slope += s->r[i] * s->p[i];
        }
        if (!(slope > 0)) {
            break;
        }
        advance(s, -slope);
        iterations++;
    }
    return iterations;
}
