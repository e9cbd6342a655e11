/* Heaps of loose bodies, each to its own end: measured by its own contacts alone. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/contact/projected.h"
#include "kernels/stages/contact/thickness.h"

#include "host/cpu/cpu_pairs_solve.h"
#include "model/impacts.h"

#include <math.h>
#include <string.h>

/* What meets overlaps by TAUT_IMPACT_SLACK in what is left of the substep at least, and a stage leaves half of it. */
#define MET_SLACK (TAUT_IMPACT_SLACK / 4)

/* 1/T of contacts: R + J M^-1 J^T, for both tangents the larger one. Of the Schur complement it is what that has. */
static void find_metrics(contact_pairs* s, bool schur) {
    const taut_fields* f = &s->plan->fields;
    const taut_sizes* sizes = &s->plan->sizes;
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pair* pair = &s->contact[c];
        double diagonal[3];
        for (size_t r = 0; schur && r < 2; r++) {
            pair->metric[r] = 1 / projected_weight(f, sizes, row_of_contact(sizes, s->source[c], r));
        }
        if (!schur) {
            contact_pairs_diagonal(s, c, diagonal);
            pair->metric[0] = pair->softness[0] + diagonal[0];
            pair->metric[1] = pair->softness[1] + fmax(diagonal[1], diagonal[2]);
        }
    }
}

double pairs_scale(contact_pairs* s, const taut_factors* step, bool schur) {
    const taut_fields* f = &s->plan->fields;
    double sum = 0;
    find_metrics(s, schur);
    for (size_t c = 0; c < s->contacts; c++) {
        for (size_t r = 0; r < contact_ROWS; r++) {
            const size_t row = row_of_contact(&s->plan->sizes, s->source[c], r);
            const double side = bounded_side(f, &s->plan->sizes, row, step);
            sum += schur ? side * side * (double)f->inverse_diagonal[row] : side * side / s->contact[c].metric[r > 0];
        }
    }
    return sqrt(sum);
}

typedef struct heap_loop {
    contact_pairs* pairs;
    const taut_factors* step;
} heap_loop;

/* |P(gam + T (b - J w - R gam)) - gam| of contact c in the norm of 1/T, squared. */
static double missing_of(const heap_loop* l, size_t c) {
    const contact_pairs* s = l->pairs;
    const contact_pair* pair = &s->contact[c];
    double motion[3], z[3], u[3], weight[3], sum = 0;
    contact_pairs_motion(s, c, s->w, motion);
    for (int r = 0; r < 3; r++) {
        const double left = pair->b[r] - motion[r] - pair->softness[r > 0] * pair->impulse[r];
        weight[r] = 1 / pair->metric[r > 0];
        z[r] = pair->impulse[r] + weight[r] * left;
    }
    project_contact(&s->plan->fields, s->source[c], l->step, pair->mu * fmax(z[0], 0.0), weight, z, u, NULL);
    for (int r = 0; r < 3; r++) {
        const double step = u[r] - pair->impulse[r];
        sum += weight[r] > 0 ? step * step / weight[r] : 0;
    }
    return sum;
}

static double measure(void* context) {
    const heap_loop* l = context;
    double sum = 0;
    contact_pairs_move(l->pairs);
    for (size_t c = 0; c < l->pairs->contacts; c++) {
        sum += missing_of(l, c);
    }
    return sqrt(sum);
}

void pairs_store_motion(const contact_pairs* s, double* w) {
    for (size_t v = 0; v < s->vertices; v++) {
        const uint32_t node[2] = {s->centre[v], s->frame[v]};
        for (size_t part = 0; part < 2; part++) {
            if (node[part] != PAIR_NONE) {
                memcpy(w + 4 * (size_t)node[part], s->w + BLOCK_ROWS * v + 3 * part, 3 * sizeof *w);
            }
        }
    }
}

static void clear_impulses(contact_pairs* s) {
    for (size_t c = 0; c < s->contacts; c++) {
        memset(s->contact[c].impulse, 0, sizeof s->contact[c].impulse);
    }
    contact_pairs_store(s);
}

/* Whether contacts slide otherwise than told: where all is one heap all contacts that there are, since other systems
 * are solved by now. */
static bool slides(void* context) {
    const heap_loop* l = context;
    const contact_pairs* s = l->pairs;
    contact_pairs_move(l->pairs);
    pairs_store_motion(s, s->plan->fields.g_f64);
    return s->all == s ? cpu_slides_otherwise(s->plan, l->step)
                       : cpu_any_slides_otherwise(s->plan, l->step, s->source, s->contacts);
}

/* Whether contact c is of colliders of which one is fast, and comes together as the substep may be cut for, or as what
 * a stage leaves of that. */
static bool is_met(const heap_loop* l, size_t c) {
    const contact_pairs* s = l->pairs;
    const taut_fields* f = &s->plan->fields;
    const taut_sizes* sizes = &s->plan->sizes;
    const taut_settings* settings = &s->plan->settings;
    const size_t contact = s->source[c];
    const size_t first = f->contact_pair[2 * contact] - first_solid(sizes), other = f->contact_pair[2 * contact + 1];
    const double half = thinner_half(f, sizes, contact); /* INFINITY where they are no solids */
    return s->contact[c].b[0] * settings->whole > MET_SLACK * settings->share * half &&
           (f->solid_fast[first] || (other < sizes->solids && f->solid_fast[other]));
}

/* What an impact is of. All else bears what it bore before: its first guess. */
static bool has_met(const heap_loop* l) {
    bool met = false;
    for (size_t c = 0; !met && c < l->pairs->contacts; c++) {
        met = is_met(l, c);
    }
    return met;
}

static void solve_heap(const heap_loop* l, pairs_solve* solve) {
    contact_pairs* s = l->pairs;
    const bool follows = s->paused;
    s->paused = false;
    s->pauses = s->all->pauses;
    if (!(solve->scale > 0)) {
        clear_impulses(s);
    }
    if (!follows || !(solve->scale > 0)) { /* else b has changed since the pause */
        solve->residual = measure(solve->context);
    }
    if (!pairs_solve_is_within(solve)) {
        pairs_solve_run(solve);
        pairs_solve_sweep_on(solve);
    }
    if (!s->paused) {
        pairs_store_motion(s, s->plan->fields.g_f64);
    }
}

/* What is solved worst, with the most iterations of any. */
static void note_worst(const pairs_solve* solve, taut_outer_state* worst) {
    const double relative = solve->scale > 0 ? solve->residual / solve->scale : 0;
    if (!(relative <= (worst->scale > 0 ? worst->residual / worst->scale : 0))) { /* also what is not a number */
        worst->scale = solve->scale;
        worst->residual = solve->residual;
    }
    worst->iterations = solve->iterations > worst->iterations ? solve->iterations : worst->iterations;
    worst->outer_iterations =
        solve->outer_iterations > worst->outer_iterations ? solve->outer_iterations : worst->outer_iterations;
}

/* Of an impact: which heaps it is of; where none is told, it is of all. Returns the largest scale. */
static double find_met(contact_pairs* heaps, size_t count, heap_loop* l, bool schur) {
    double largest = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        l->pairs = &heaps[i];
        heaps[i].met_now = has_met(l);
        any = any || heaps[i].met_now;
        largest = fmax(largest, pairs_scale(l->pairs, l->step, schur));
    }
    for (size_t i = 0; !any && i < count; i++) {
        heaps[i].met_now = true;
    }
    return largest;
}

/* Bears what it bore. */
static void rest_heap(contact_pairs* s) {
    contact_pairs_move(s);
    pairs_store_motion(s, s->plan->fields.g_f64);
}

void pairs_solve_heaps(taut_backend_state* state, contact_pairs* all, const taut_factors* step, bool schur) {
    contact_pairs* heaps = all->heaps > 1 ? all->heap : all;
    heap_loop loop = {heaps, step};
    const bool impact = all->plan->settings.piece == TAUT_PIECE_IMPACT && all->heaps > 1;
    const double least = impact ? find_met(heaps, all->heaps, &loop, schur) : 0;
    taut_outer_state worst = {0};
    bool paused = false, swept = false;
    for (size_t i = 0; i < all->heaps; i++) {
        loop.pairs = &heaps[i];
        if (impact && !heaps[i].met_now) {
            rest_heap(&heaps[i]);
            continue;
        }
        pairs_solve solve = {.pairs = loop.pairs,
                             .scale = fmax(pairs_scale(loop.pairs, step, schur), least),
                             .residual = INFINITY,
                             .context = &loop,
                             .measure = measure,
                             .slides = slides};
        solve_heap(&loop, &solve);
        note_worst(&solve, &worst);
        paused = paused || loop.pairs->paused;
        swept = swept || loop.pairs->swept;
    }
    all->paused = paused;
    all->swept = swept;
    if (paused) { /* the system that counts comes after this one */
        state->report.iterations += worst.iterations;
        state->report.outer_iterations += worst.outer_iterations;
        return;
    }
    const taut_bound_sums bounds = {.complementarity = worst.residual * worst.residual};
    cpu_outer_report(state, &worst, worst.residual);
    taut_bounds_report(&bounds, worst.scale, &state->report);
}
