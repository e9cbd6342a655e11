/* Values, factors and solutions of the adjoint's matrix. */
#include "host/cpu/cpu_adjoint_system.h"

#include <math.h>
#include <string.h>

/* The shift of rows, relative to the diagonal of J M^-1 J^T: hard rows have no diagonal of their own. GMRES takes its
 * error away. */
#define ADJOINT_SHIFT 1e-11
/* The residual that is aimed at, and the one that is accurate enough, relative to the right-hand side. */
#define ADJOINT_TOLERANCE 1e-13
#define ADJOINT_ENOUGH    1e-9
#define ADJOINT_ROUNDS    10

/* ---- values ------------------------------------------------------------------------------------------------------ */

void adjoint_clear(adjoint_system* s) {
    const size_t values = (size_t)s->begin[s->unknowns];
    memset(s->upper, 0, values * sizeof *s->upper);
    memset(s->lower, 0, values * sizeof *s->lower);
}

saddle_index adjoint_find(const adjoint_system* s, saddle_index a, saddle_index b) {
    saddle_index low = s->begin[b], high = s->begin[b + 1] - 1;
    while (low < high) {
        const saddle_index middle = low + (high - low) / 2;
        if (s->row[middle] < a) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void adjoint_add(adjoint_system* s, size_t row, size_t column, double value) {
    const saddle_index a = s->number[row], b = s->number[column];
    if (a <= b) {
        s->upper[adjoint_find(s, a, b)] += value;
    } else {
        s->lower[adjoint_find(s, b, a)] += value;
    }
}

double adjoint_diagonal(const adjoint_system* s, size_t unknown) {
    return s->upper[s->begin[s->number[unknown] + 1] - 1];
}

/* What is beside the diagonal of the unknowns that are held is taken out of both parts. */
void adjoint_hold(adjoint_system* s, const bool* held) {
    for (size_t b = 0; b < s->unknowns; b++) {
        for (saddle_index v = s->begin[b]; v < s->begin[b + 1]; v++) {
            if (held[b] || held[s->row[v]]) {
                s->upper[v] = (size_t)s->row[v] == b ? 1 : 0;
                s->lower[v] = 0;
            }
        }
    }
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

bool adjoint_factor(adjoint_system* s) {
    for (size_t b = 0; b < s->unknowns; b++) {
        const saddle_index diagonal = s->begin[b + 1] - 1;
        for (saddle_index v = s->begin[b]; v < diagonal; v++) {
            s->middle[v] = (s->upper[v] + s->lower[v]) / 2;
        }
        s->middle[diagonal] = s->upper[diagonal];
    }
    for (size_t i = 3 * s->nodes; i < s->unknowns; i++) {
        const saddle_index diagonal = s->begin[s->number[i] + 1] - 1;
        s->middle[diagonal] -= ADJOINT_SHIFT * s->scale[i - 3 * s->nodes];
    }
    supernodes_clear(&s->factors);
    for (size_t v = 0; v < (size_t)s->begin[s->unknowns]; v++) {
        s->factors.value[s->place[v]] += s->middle[v];
    }
    return supernodes_factor(&s->factors);
}

/* out = matrix in */
static void multiply(const adjoint_system* s, const double* in, double* out) {
    for (size_t b = 0; b < s->unknowns; b++) {
        const saddle_index diagonal = s->begin[b + 1] - 1;
        double sum = s->upper[diagonal] * in[b];
        for (saddle_index v = s->begin[b]; v < diagonal; v++) {
            out[s->row[v]] += s->upper[v] * in[b];
            sum += s->lower[v] * in[s->row[v]];
        }
        out[b] = sum;
    }
}

/* ---- GMRES (Saad 2003), with the factors on the right -------------------------------------------------------------
 */

static double dot(const double* a, const double* b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void add(double scale, const double* from, size_t n, double* to) {
    for (size_t i = 0; i < n; i++) {
        to[i] += scale * from[i];
    }
}

/* residual = side - matrix solution; its length. */
static double find_residual(const adjoint_system* s) {
    multiply(s, s->solution, s->product);
    for (size_t i = 0; i < s->unknowns; i++) {
        s->residual[i] = s->side[i] - s->product[i];
    }
    return sqrt(dot(s->residual, s->residual, s->unknowns));
}

/* The small least-squares problem of GMRES, made triangular by rotations. */
typedef struct hessenberg {
    double column[ADJOINT_RESTART][ADJOINT_RESTART + 1];
    double cosine[ADJOINT_RESTART], sine[ADJOINT_RESTART], side[ADJOINT_RESTART + 1];
} hessenberg;

static double* basis_of(const adjoint_system* s, size_t i) {
    return s->basis + i * s->unknowns;
}

/* Column j of the problem, and the next vector of the basis; orthogonalised twice. */
static void extend(const adjoint_system* s, hessenberg* h, size_t j) {
    const size_t n = s->unknowns;
    double* next = basis_of(s, j + 1);
    memcpy(s->product, basis_of(s, j), n * sizeof(double));
    supernodes_solve(&s->factors, s->product);
    multiply(s, s->product, next);
    memset(h->column[j], 0, sizeof h->column[j]);
    for (size_t i = 0; i < 2 * (j + 1); i++) {
        const double part = dot(basis_of(s, i % (j + 1)), next, n);
        h->column[j][i % (j + 1)] += part;
        add(-part, basis_of(s, i % (j + 1)), n, next);
    }
    const double length = sqrt(dot(next, next, n));
    h->column[j][j + 1] = length;
    for (size_t i = 0; i < n && length > 0; i++) {
        next[i] /= length;
    }
}

static void rotate(hessenberg* h, size_t j) {
    double* column = h->column[j];
    for (size_t i = 0; i < j; i++) {
        const double a = column[i], b = column[i + 1];
        column[i] = h->cosine[i] * a + h->sine[i] * b;
        column[i + 1] = h->cosine[i] * b - h->sine[i] * a;
    }
    const double length = hypot(column[j], column[j + 1]);
    h->cosine[j] = length > 0 ? column[j] / length : 1;
    h->sine[j] = length > 0 ? column[j + 1] / length : 0;
    column[j] = length;
    h->side[j + 1] = -h->sine[j] * h->side[j];
    h->side[j] *= h->cosine[j];
}

/* solution += factors^-1 basis y, with y of the triangular problem of `count` columns. */
static void correct(const adjoint_system* s, const hessenberg* h, size_t count) {
    double y[ADJOINT_RESTART];
    memset(s->product, 0, s->unknowns * sizeof(double));
    for (size_t j = count; j-- > 0;) {
        y[j] = h->side[j];
        for (size_t i = j + 1; i < count; i++) {
            y[j] -= h->column[i][j] * y[i];
        }
        y[j] = h->column[j][j] != 0 ? y[j] / h->column[j][j] : 0;
        add(y[j], basis_of(s, j), s->unknowns, s->product);
    }
    supernodes_solve(&s->factors, s->product);
    add(1, s->product, s->unknowns, s->solution);
}

static void improve(const adjoint_system* s, double length, double goal) {
    hessenberg h = {.side = {length}};
    size_t count = 0;
    for (size_t i = 0; i < s->unknowns; i++) {
        basis_of(s, 0)[i] = s->residual[i] / length;
    }
    while (count < ADJOINT_RESTART && fabs(h.side[count]) > goal) {
        extend(s, &h, count);
        rotate(&h, count++);
    }
    correct(s, &h, count);
}

bool adjoint_solve(adjoint_system* s) {
    const double all = sqrt(dot(s->side, s->side, s->unknowns));
    double length = all, before = INFINITY;
    memset(s->solution, 0, s->unknowns * sizeof(double));
    memcpy(s->residual, s->side, s->unknowns * sizeof(double));
    for (int round = 0; round < ADJOINT_ROUNDS && length > ADJOINT_TOLERANCE * all && length < before; round++) {
        improve(s, length, ADJOINT_TOLERANCE * all);
        before = length;
        length = find_residual(s);
    }
    return length <= ADJOINT_ENOUGH * all;
}
