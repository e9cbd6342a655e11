/* Assemble: everything of one step that is fixed while the solver runs.
 *
 *   l  = alpha (h beta + d)
 *   W  = C/(h l)
 *   Lh = sqrt(alpha beta) h R(lam)             root rows, see layout.h
 *   b  = -(1/l)(phi + (d + alpha h) phidot) - J u      u = P M^-1 P h f
 *   b' = -Lh v/beta - Lh u                              right-hand side of the root rows
 * With beta = 0 the root rows vanish from A, and -alpha h^2 R^T R v goes into u. */
#define TAUT_REAL double
#include "host/cpu/apply.h"
#include "host/cpu/precondition.h"
#include "host/cpu/state.h"
#include "host/explicit_rows.h"
#include "kernels/formulas/kinds.h"

#include <string.h>

#define VALUES(type) (sizeof(type) / sizeof(real))

/* Regularisation of redundant hard rows, relative to the diagonal of S, where the solver's is automatic. */
#define AUTOMATIC_PROXIMAL 1e-3
/* Keeps C/(h l) inside float32; a row this soft carries no force. */
#define SOFTEST 1e30

typedef struct step_factors {
    double h;
    double alpha;
    double beta;
    double hard_row_damping; /* in steps */
    double root_scale;       /* Lh^T Lh = root_scale * R^T R; 0 without geometric stiffness */
} step_factors;

static void load(const float* stored, size_t count, double* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = stored[i];
    }
}

static void store(const double* values, size_t count, float* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = (float)values[i];
    }
}

/* Damping time in force: a hard row under alpha < 1 has a floor. */
static double damping_of(const taut_kind_fields* f, size_t c, size_t packed, const step_factors* s) {
    const double least = f->compliance[packed * c] == 0 ? s->hard_row_damping * s->h : 0;
    return f->damping[c] > least ? f->damping[c] : least;
}

static void weigh(const taut_kind_fields* f, size_t c, size_t packed, const step_factors* s) {
    const double l = s->alpha * (s->h * s->beta + damping_of(f, c, packed, s));
    for (size_t i = 0; i < packed; i++) {
        const double w = f->compliance[packed * c + i] / (s->h * l);
        f->weight[packed * c + i] = (float)(w > SOFTEST ? SOFTEST : w < -SOFTEST ? -SOFTEST : w);
    }
}

#define TAUT_KIND_TEXT "host/cpu/assemble_kind.h"
#include "kernels/formulas/for_each_kind.h"

static void coefficients_linear(const taut_plan* plan, taut_kind k, const step_factors* s) {
    for (size_t c = 0; c < plan->sizes.count[k]; c++) {
        weigh(&plan->fields.kinds[k], c, 1, s);
    }
}

static void diagonal_linear(const taut_plan* plan, taut_kind k, double* out) {
    const taut_fields* f = &plan->fields;
    for (size_t c = 0; c < plan->sizes.count[k]; c++) {
        double sum = f->kinds[k].weight[c];
        for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
            sum += f->inverse_mass[f->linear_coordinate[e] / 3] * f->linear_weight[e] * f->linear_weight[e];
        }
        out[plan->sizes.first_row[k] + c] = sum;
    }
}

/* u = P M^-1 P h f */
static void free_motion(const taut_plan* plan, double h) {
    const taut_fields* f = &plan->fields;
    const size_t nodes = plan->sizes.nodes;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < nodes; n++) {
        for (size_t a = 0; a < 3; a++) {
            const double acceleration = plan->settings.gravity[a] + f->force[3 * n + a] / f->mass[n];
            f->free_dv[4 * n + a] = f->inverse_mass[n] > 0 ? h * acceleration : 0;
        }
    }
}

/* beta = 0: u -= P M^-1 P Lh^T Lh v, and no root rows in A. */
static void explicit_roots(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    cpu_forward_f64(plan, CPU_ROOTS, f->v, 3, NULL, NULL, f->wide);
    cpu_pull_f64(plan, CPU_ROOTS, true, f->wide, f->g_f64);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        f->free_dv[i] -= f->g_f64[i];
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t values = plan->sizes.count[k] * taut_kind_shapes[k].stiffness;
        if (values > 0) {
            memset(f->kinds[k].stiffness, 0, values * sizeof(float));
        }
    }
}

/* -(1/l)(phi + (d + alpha h) phidot) over the rows of a kind; `b` holds J v on entry. */
static void constraint_side(const taut_plan* plan, taut_kind k, const step_factors* s) {
    const taut_fields* f = &plan->fields;
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t count = plan->sizes.count[k], rows = taut_kind_shapes[k].rows;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
    for (size_t c = 0; c < count; c++) {
        const double d = damping_of(kind, c, taut_kind_shapes[k].packed, s);
        const double l = s->alpha * (s->h * s->beta + d);
        for (size_t r = 0; r < rows; r++) {
            const size_t row = plan->sizes.first_row[k] + c * rows + r;
            const double phidot = f->b[row] - (kind->rate != NULL ? kind->rate[3 * c + r] : 0);
            f->b[row] = -(f->phi[row] + (d + s->alpha * s->h) * phidot) / l;
        }
    }
}

static void right_hand_side(const taut_plan* plan, const step_factors* s) {
    const taut_fields* f = &plan->fields;
    cpu_forward_f64(plan, CPU_ALL, f->v, 3, NULL, NULL, f->b);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        constraint_side(plan, (taut_kind)k, s);
    }
    cpu_forward_f64(plan, CPU_ALL, f->free_dv, 4, NULL, NULL, f->wide);
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        const double scale = i < plan->sizes.rows ? 1 : s->beta > 0 ? -1 / s->beta : 0;
        f->b[i] = scale * f->b[i] - f->wide[i];
    }
}

static void diagonals(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const double wanted = plan->settings.solver.proximal;
    double* diagonal = f->wide;
#define DIAGONAL(name, k) diagonal_##name(plan, k, diagonal);
    TAUT_FORMULA_KINDS(DIAGONAL)
    DIAGONAL(linear, TAUT_LINEAR)
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        const double proximal = wanted >= 0 ? wanted : f->redundant[i] ? AUTOMATIC_PROXIMAL : 0;
        const bool usable = diagonal[i] > 1e-30;
        f->shift[i] = i < plan->sizes.rows ? (float)(proximal * diagonal[i]) : 0;
        f->inverse_diagonal[i] = usable ? (float)(1 / diagonal[i]) : 0;
        f->inverse_shifted[i] = usable ? (float)(1 / (diagonal[i] + f->shift[i])) : 0;
    }
}

void cpu_assemble(taut_backend_state* state, double h) {
    const taut_plan* plan = state->plan;
    const taut_integrator* scheme = &plan->settings.integrator;
    const bool full = scheme->geometric_stiffness == TAUT_GEOMETRIC_FULL;
    const double implicit = scheme->beta > 0 ? scheme->beta : 1; /* beta = 0: the factor of the explicit term */
    const step_factors s = {.h = h,
                            .alpha = scheme->alpha,
                            .beta = scheme->beta,
                            .hard_row_damping = scheme->hard_row_damping,
                            .root_scale = full ? scheme->alpha * implicit * h * h : 0};
#define COEFFICIENTS(name, k) coefficients_##name(plan, k, &s);
    TAUT_FORMULA_KINDS(COEFFICIENTS)
    COEFFICIENTS(linear, TAUT_LINEAR)
    free_motion(plan, h);
    if (plan->sizes.roots > 0 && scheme->beta == 0) {
        explicit_roots(plan);
    }
    right_hand_side(plan, &s);
    diagonals(plan);
    precondition_refresh(state);
}
