/* Assemble: everything of one step that is fixed while the solver runs, with the coefficients of the formulation
 * (model/factors.h). For the theta method these are
 *
 *   D  = h l,  l = alpha (h beta + d)
 *   W  = C/D
 *   Lh = sqrt(alpha beta) h R(lam)             factor rows, see layout.h
 *   b  = -(h phi + (h d + alpha h^2) phidot)/D - J u      u = P M^-1 P h f
 *   b' = -Lh v/beta - Lh u                                right-hand side of the factor rows
 * With beta = 0 those factor rows vanish from A, and -alpha h^2 R^T R v goes into u. Force elements are in loads.h.
 * Rows that act with the force of the state have W = TAUT_SOFTEST, and their impulse J^T goes into u. */
#ifndef TAUT_STAGES_ASSEMBLE_H
#define TAUT_STAGES_ASSEMBLE_H

#include "kernels/stages/bounds.h"
#include "kernels/stages/contact/chains.h"
#include "kernels/stages/deferred.h"
#include "kernels/stages/items.h"
#include "kernels/stages/loads.h"
#include "kernels/stages/misfit.h"
#include "kernels/stages/packed.h"
#include "kernels/stages/renew.h"
#include "model/factors.h"

/* Regularisation of redundant hard rows, relative to the diagonal of S, where the solver's is automatic. */
#define TAUT_AUTOMATIC_PROXIMAL 1e-3
/* The same of joints alone, and of links that span others in a straight line: chains of bodies with two joints side by
 * side take 40 iterations where with 1e-3 they take 300, or stagnate. */
#define TAUT_LESSER_PROXIMAL 1e-5

TAUT_FN const taut_law* law_of(const taut_kind_fields* f, size_t c, const taut_factors* step) {
    return &step->law[f->law != NULL ? f->law[c] : (uint8_t)TAUT_LAW_CONSTRAINT];
}

TAUT_FN bool is_hard(const taut_kind_fields* f, size_t c, size_t packed) {
    return f->compliance[packed * c] == 0;
}

/* row.A^-1 row at node n with the mapped masses that its children have, by their weights. */
TAUT_FN double carrying_product(const taut_fields* f, const taut_sizes* s, size_t n, const double* row) {
    const double product = node_product(f, s, n, row, row);
    double carried = taut_is_mapped(s, n) ? f->mass[n] : 0;
    if (!(product > 0)) {
        return product;
    }
    for (uint32_t i = f->child_begin[n]; i < f->child_split[n]; i++) {
        const uint32_t e = f->child_entry[i];
        const float* v = f->map_vector + 4 * (size_t)e;
        const bool weighted = TAUT_MAP_TYPE(f->map_code[e]) != TAUT_MAP_ARM;
        carried += f->mass[f->map_child[e]] *
                   (weighted ? fabs((double)v[0]) : (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return product / (1 + carried * product / vec3_dot(row, row));
}

/* row.A^-1 row at node n with all mapped masses that it moves: of a mapped point those that its parents carry, itself
 * among them. */
TAUT_FN double loaded_product(const taut_fields* f, const taut_sizes* s, size_t n, const double* row) {
    if (s->count[TAUT_INERTIA] == 0) {
        return node_product(f, s, n, row, row);
    }
    if (!taut_is_mapped(s, n)) {
        return carrying_product(f, s, n, row);
    }
    const size_t m = n - s->simple;
    const real force[3] = {(real)row[0], (real)row[1], (real)row[2]};
    double product = 0;
    for (uint32_t e = f->map_begin[m]; e < f->map_begin[m + 1]; e++) {
        real pulled[3] = {0, 0, 0};
        map_apply_jacobian_transpose(f, e, force, pulled);
        const double parent[3] = {pulled[0], pulled[1], pulled[2]};
        product += carrying_product(f, s, f->map_parent[e], parent);
    }
    return product;
}

/* Of a row, for those who read it later: without mapped masses it is in the diagonal of S. */
TAUT_FN void note_response(const taut_fields* f, const taut_sizes* s, size_t row, double response) {
    if (s->count[TAUT_INERTIA] > 0) {
        f->response[row] = response;
    }
}

/* Part of the least damping that constraint c gets: 1 where it is hard, 0 where h resolves its motion. A row alone
 * swings with the frequency sqrt(w/C), w its diagonal of J A^-1 J^T (`response`). A violation e that one step leaves is
 * a speed of up to e sqrt(w/C) later; with the damping time h of a hard row it is at most 4/3 e/h. 1 - C/(h^2 w) keeps
 * to that bound in between: docs/mathematics.md, "Stiff rows". The softest row decides. */
TAUT_FN double unresolved_part(const taut_kind_fields* f, size_t c, size_t rows, const double* response, double h) {
    double part = 1;
    for (size_t r = 0; r < rows; r++) {
        const double compliance = f->compliance[TAUT_PACKED(rows) * c + packed_index(r, r)];
        const double left = compliance == 0 ? 1 : 1 - compliance / (h * h * response[r]);
        part = left < part ? left : part;
    }
    return part > 0 ? part : 0;
}

/* Where the law has no position of the end of the step (plain = 0), of velocities and of forces, only hard rows have a
 * least damping. Newton's method keeps what the step began with, and projections keep what it had. */
TAUT_FN void find_unresolved(const taut_kind_fields* f, size_t c, size_t rows, const double* response,
                             const taut_factors* step) {
    const taut_law* law = law_of(f, c, step);
    const bool hard = is_hard(f, c, TAUT_PACKED(rows));
    if (taut_begins(step->phase) && !taut_projects(step->phase)) {
        const bool solved =
            law->plain > 0 && law->soft == TAUT_SOFT_SOLVED && !law->velocities && law != &step->law[TAUT_LAW_FORCE];
        f->stiff[c] = solved ? unresolved_part(f, c, rows, response, step->h / step->newest) : hard;
        f->unresolved[c] = law->least_damping > 0 ? f->stiff[c] : hard;
    }
}

/* Damping time in force. */
TAUT_FN double damping_of(const taut_kind_fields* f, size_t c, const taut_law* law) {
    const double least = f->unresolved[c] * law->least_damping;
    return f->damping[c] > least ? f->damping[c] : least;
}

TAUT_FN double row_scale(const taut_kind_fields* f, size_t c, const taut_law* law) {
    return law->damped * damping_of(f, c, law) + law->plain;
}

/* Whether the rows of constraint c are solved for; else they act with the force of the state, or not at all. */
TAUT_FN bool is_solved(const taut_kind_fields* f, size_t c, size_t packed, const taut_law* law) {
    const bool acts = law->soft == TAUT_SOFT_SOLVED && law->damped * f->damping[c] + law->plain > 0;
    return !law->off && (is_hard(f, c, packed) || acts);
}

/* C/(h l) of a block with a diagonal value beyond float32, whose rows and columns are scaled until it is within:
 * cutting value by value would make the block indefinite. */
TAUT_FN void weigh_softest(const double* compliance, double scale, size_t packed, float* weight) {
    for (size_t r = 0, at = 0; at < packed; r++) {
        for (size_t c = 0; c <= r; c++, at++) {
            const double row = compliance[packed_index(r, r)] * scale, column = compliance[packed_index(c, c)] * scale;
            const double cut = (row > TAUT_SOFTEST ? sqrt(TAUT_SOFTEST / row) : 1) *
                               (column > TAUT_SOFTEST ? sqrt(TAUT_SOFTEST / column) : 1);
            weight[at] = (float)(compliance[at] * scale * cut);
        }
    }
}

/* W = TAUT_SOFTEST of a block of rows that are not solved for. */
TAUT_FN void weigh_nothing(size_t packed, float* weight) {
    for (size_t r = 0, at = 0; at < packed; r++) {
        for (size_t c = 0; c <= r; c++, at++) {
            weight[at] = c == r ? (float)TAUT_SOFTEST : 0;
        }
    }
}

TAUT_FN void weigh(const taut_kind_fields* f, size_t c, size_t packed, const taut_factors* step) {
    const taut_law* law = law_of(f, c, step);
    const double scale = 1 / row_scale(f, c, law);
    bool softest = false;
    if (!is_solved(f, c, packed, law)) {
        weigh_nothing(packed, f->weight + packed * c);
        return;
    }
    for (size_t i = 0; i < packed; i++) {
        const double w = f->compliance[packed * c + i] * scale;
        f->weight[packed * c + i] = (float)(w > TAUT_SOFTEST ? TAUT_SOFTEST : w < -TAUT_SOFTEST ? -TAUT_SOFTEST : w);
        softest = softest || w > TAUT_SOFTEST;
    }
    if (softest && packed > 1) {
        weigh_softest(f->compliance + packed * c, scale, packed, f->weight + packed * c);
    }
}

/* Velocity of the rest value of row r of constraint c of kind k. */
TAUT_FN double rate_of(const taut_kind_fields* f, int k, const taut_law* law, size_t rows, size_t c, size_t r) {
    return law->velocities ? asked_speed(f, k, c) : f->rate != NULL ? f->rate[rows * c + r] : 0;
}

/* -C^-1 (phi + d phidot) of constraint c, times `scale`, d its damping time; b holds J v. `ahead`: at the time by which
 * the law looks ahead, to which positions go on with v where the state is not there yet. */
TAUT_FN void constitutive_force(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c,
                                const taut_factors* step, double ahead, double scale, double* out) {
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t first = s->first_row[k], count = s->count[k];
    double strain[TAUT_BLOCK_ROWS];
    for (size_t r = 0; r < rows; r++) {
        const size_t row = first + place_of(count, rows, c, r);
        const double rate = rate_of(kind, (int)k, law_of(kind, c, step), rows, c, r);
        const double onward = taut_renews(step->phase) ? 0 : f->b[row];
        strain[r] = -scale * (f->phi[row] + kind->damping[c] * (f->b[row] - rate) + ahead * (onward - rate));
    }
    packed_solve(kind->compliance + TAUT_PACKED(rows) * c, rows, strain, out);
}

/* Within their bounds. */
TAUT_FN void bound_impulses(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c,
                            const taut_factors* step, double* impulse) {
    for (size_t r = 0; s->bounded && r < rows; r++) {
        const size_t row = s->first_row[k] + place_of(s->count[k], rows, c, r);
        impulse[r] = within_bounds(impulse[r], impulse_bounds(f, row, step));
    }
}

/* What constraint c does by its law alone: the force of the state for G where it is a force, and its impulse where it
 * acts with that. */
TAUT_FN void constitute(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c,
                        const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t first = s->first_row[k], count = s->count[k], packed = TAUT_PACKED(rows);
    const taut_law* law = law_of(kind, c, step);
    double impulse[TAUT_BLOCK_ROWS] = {0}, force[TAUT_BLOCK_ROWS];
    if (!is_solved(kind, c, packed, law) && law->soft != TAUT_SOFT_LEFT_OUT && !law->off) {
        constitutive_force(f, s, k, rows, c, step, law->ahead, step->h, impulse);
        bound_impulses(f, s, k, rows, c, step, impulse);
    }
    store_unknowns_f64(impulse, count, rows, c, f->explicit_gam + first);
    if (law == &step->law[TAUT_LAW_FORCE]) {
        constitutive_force(f, s, k, rows, c, step, 0, 1, force);
        store_unknowns_f64(force, count, rows, c, f->lam_smooth + first);
    }
}

/* shift *= scale; to = packed block + diagonal of shifts */
TAUT_FN void add_shift(const float* packed, float* shift, size_t rows, float scale, float* to) {
    size_t at = 0;
    for (size_t r = 0; r < rows; r++) {
        shift[r] *= scale;
        for (size_t c = 0; c <= r; c++, at++) {
            to[at] = packed[at] + (c == r ? shift[r] : 0);
        }
    }
}

/* Of constraint c, about the motion v*: impulses of a force field are done, a constraint begins with what it did in the
 * last step. */
TAUT_FN void constrain_rows(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c, double h) {
    const taut_kind_fields* kind = &f->kinds[k];
    const bool force = kind->law != NULL && kind->law[c] == TAUT_LAW_FORCE;
    for (size_t r = 0; r < rows; r++) {
        const size_t row = s->first_row[k] + place_of(s->count[k], rows, c, r);
        f->explicit_gam[row] = force ? f->gam[row] + f->explicit_gam[row] : 0;
        f->gam[row] = force ? 0 : h * f->lam[row];
    }
}

/* What G is for, times `scale` multipliers of the rows: about an iterate of Newton's method the impulses of that, which
 * makes the method quadratic where -G is not cut; else the average of the steps before. */
TAUT_FN const double* turning_multipliers(const taut_fields* f, const taut_factors* step, double* scale) {
    const bool iterate = step->phase == TAUT_PHASE_RENEW && !step->explicit_factor_rows;
    *scale = iterate ? 1 / step->h : 1;
    return iterate ? f->gam : f->lam_smooth;
}

/* The least C/(h l) of rows that contradict each other, relative to their diagonal of J A^-1 J^T. Without it their
 * multipliers have no bounds, and the geometric stiffness of those holds everything. Bends need less of it, and bear
 * less: a light strip that bends by little is that stiff. Elements of meshes this fine are softer than others with it.
 */
#define TAUT_LEAST_SOFTNESS            3e-6F
#define TAUT_LEAST_SOFTNESS_OF_BEND    1e-11F
#define TAUT_LEAST_SOFTNESS_OF_ELEMENT 3e-7F

TAUT_FN float least_softness(int k) {
    const bool element = k == (int)TAUT_MEMBRANE || k == (int)TAUT_TET_VOLUME || k == (int)TAUT_TET_STRAIN;
    return k == (int)TAUT_BEND ? TAUT_LEAST_SOFTNESS_OF_BEND
           : element           ? TAUT_LEAST_SOFTNESS_OF_ELEMENT
                               : TAUT_LEAST_SOFTNESS;
}

/* Of what its length a chain is taken for taut. */
#define TAUT_TAUT_PART 0.999

/* Whether the tightest chain that link c is joined to is taut at the end of a step of h: the links then contradict each
 * other, or are about to. */
TAUT_FN bool is_taut(const taut_fields* f, size_t c, double h) {
    const taut_span* chain = &f->span[c];
    const size_t a = 3 * (size_t)chain->end[0], b = 3 * (size_t)chain->end[1];
    double apart = 0;
    for (size_t i = 0; i < 3; i++) {
        const double way = f->x[b + i] - f->x[a + i] + h * (f->v[b + i] - f->v[a + i]);
        apart += way * way;
    }
    return chain->length > 0 && sqrt(apart) >= TAUT_TAUT_PART * chain->length;
}

/* m/s: links in which sound is faster are taken for rigid. It is 5,000 in steel, 10,000 in the stiffest fibres. */
#define TAUT_RIGID_SOUND 20000.0

/* Whether link c is stiffer than any rope: of length l, compliance C and mass 2/w, w its diagonal of J A^-1 J^T, sound
 * is as fast as l sqrt(w/(2 C)). What is softer bears what its stretch tells, and contradicts nothing. */
TAUT_FN bool is_rigid_link(const taut_fields* f, size_t c, double diagonal) {
    const taut_kind_fields* kind = &f->kinds[TAUT_DISTANCE];
    const double time = kind->rest[c] / TAUT_RIGID_SOUND;
    return 2 * kind->compliance[c] <= time * time * diagonal;
}

/* Whether link c, with the row i, is of a chain that may not reach what it spans. */
TAUT_FN bool spans_rigidly(const taut_fields* f, size_t c, size_t i, double diagonal, double h) {
    return is_rigid_link(f, c, diagonal) && (taut_is_spanning((taut_redundancy)f->redundant[i]) || is_taut(f, c, h));
}

/* Whether these nodes stay as hard as they are while others of the scene are held softer. */
TAUT_FN bool is_spared(const taut_fields* f, const uint32_t* nodes, size_t count) {
    bool spared = true;
    for (size_t i = 0; i < count; i++) {
        spared = spared && f->component_spared[f->node_component[nodes[i]]];
    }
    return spared;
}

/* Row i of constraint c, `softened` with those of its component. Contacts have a law of their own. */
TAUT_FN void soften_contradicting(const taut_fields* f, int k, size_t c, size_t i, const taut_factors* step,
                                  bool softened, double diagonal, float* weight) {
    const float least = least_softness(k) * (float)diagonal;
    if (*weight < least && (softened || f->redundant[i] == TAUT_CONTRADICTING ||
                            (k == (int)TAUT_DISTANCE && spans_rigidly(f, c, i, diagonal, step->h)))) {
        *weight = least;
    }
}

/* Whether the multipliers of row i and others are not unique. */
TAUT_FN bool depends_on_others(const taut_fields* f, size_t i) {
    return f->redundant[i] != TAUT_INDEPENDENT && !taut_is_spanning((taut_redundancy)f->redundant[i]);
}

/* Whether constraint c acts at nothing in this slot: contacts have more slots than most of them need. */
TAUT_FN bool is_idle_slot(const taut_kind_fields* f, int k, size_t c, int slot) {
    return k == (int)TAUT_CONTACT && slot < 4 && f->rest[contact_REST * c + contact_weight + (size_t)slot] == 0;
}

/* Whether the node in a slot of contact c, or of its couple, belongs to the second thing. */
TAUT_FN bool is_of_second(const taut_kind_fields* f, int k, size_t c, int slot) {
    const double* rest = f->rest + contact_REST * c;
    return k == (int)TAUT_CONTACT && (slot == 5 || (slot < 4 && rest[contact_weight + slot] < 0));
}

#define TAUT_KIND_TEXT "kernels/stages/assemble_kind.h"
#include "kernels/formulas/for_each_kind.h"

TAUT_FN void coefficients_linear(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    (void)f, (void)s, (void)c, (void)step; /* it has no factor rows */
}

TAUT_FN void weigh_inner_linear(const taut_fields* f, const taut_sizes* s, size_t c, float scale) {
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    add_shift(kind->weight + c, f->shift + s->first_row[TAUT_LINEAR] + c, 1, scale, kind->record + c);
}

TAUT_FN void diagonal_linear(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                             double* out) {
    double sum = 0, response = 0;
    bool softened = false;
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        double row[3] = {0, 0, 0};
        add_to_axis(f->linear_coordinate[e] % 3, f->linear_weight[e], row);
        const uint32_t n = f->linear_coordinate[e] / 3;
        softened = softened || (step->softened && !is_spared(f, &n, 1));
        sum += node_product(f, s, n, row, row);
        response += loaded_product(f, s, n, row);
    }
    find_unresolved(&f->kinds[TAUT_LINEAR], c, 1, &response, step);
    note_misfit(f, s, TAUT_LINEAR, 1, c, &response, law_of(&f->kinds[TAUT_LINEAR], c, step), step);
    weigh(&f->kinds[TAUT_LINEAR], c, 1, step);
    note_response(f, s, s->first_row[TAUT_LINEAR] + c, response);
    soften_contradicting(f, TAUT_LINEAR, c, s->first_row[TAUT_LINEAR] + c, step, softened, response,
                         f->kinds[TAUT_LINEAR].weight + c);
    out[s->first_row[TAUT_LINEAR] + c] =
        is_absent(&f->kinds[TAUT_LINEAR], c) ? 0 : f->kinds[TAUT_LINEAR].weight[c] + sum;
}

/* The inverse mass of unknown point n as it stands in A. */
TAUT_FN void weigh_node(const taut_fields* f, size_t n, const taut_factors* step) {
    f->inverse_mass[n] = f->inverse_mass[n] > 0 ? (float)(1 / (f->mass[n] * step->inertia)) : 0;
}

/* Constraints about the motion by forces alone: that motion is u. */
TAUT_FN void continue_node(const taut_fields* f, size_t n) {
    for (size_t a = 0; a < 3; a++) {
        f->free_dv[4 * n + a] = f->iterate[3 * n + a];
    }
}

/* u = P A^-1 P ( carried M v + pushed f ) of unknown point n, A without its factor rows. About an iterate, v is that of
 * the start, and J^T gam in float64 replaces what it is with the Jacobians of the solver: both are in node_scratch. */
TAUT_FN void free_motion(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step) {
    double force[3] = {f->force[3 * n], f->force[3 * n + 1], f->force[3 * n + 2]};
    if (s->levels > 0) {
        collect_children(f, n, step->passive_forces, f->held, force);
    }
    if (s->loads) {
        add_force_with_resistance(f, s, n, step, force);
    }
    const double* v = taut_renews(step->phase) ? f->v0 : f->v;
    for (size_t a = 0; a < 3; a++) {
        const double defect = taut_renews(step->phase)
                                  ? exact_jacobian_transpose_of(f, n)[a] - rounded_jacobian_transpose_of(f, s, n)[a]
                                  : 0;
        const double change = step->pushed * (step->gravity[a] + force[a] / f->mass[n]) + step->carried * v[3 * n + a];
        f->free_dv[4 * n + a] = f->inverse_mass[n] > 0 ? (change + defect / f->mass[n]) / step->inertia : 0;
    }
}

/* About an iterate the rate of phi in e phidot is its change within the step, over h, in place of J v' at the end,
 * which is `along`: v' leads straight there, and with J of the end a link that turns by an angle a seems to lengthen by
 * L a^2/2, which e would have it shrink by in each step. The matrix is the same. */
TAUT_FN double damped_change(const taut_law* law, double e, double phi, double before, double along, double rate) {
    return law->by_change ? e * (phi - law->ahead * rate - before - law->phi * (along - rate)) : 0;
}

/* Of a law renewed: phi is that of the look ahead but for targets, which have gone on since the start, and what J dv
 * says about the iterate is taken back. */
TAUT_FN double renewed_side(const taut_law* law, double damped, double phi, double along, double iterate, double rate) {
    return law->phi * (phi - law->ahead * rate) + damped * (along - rate) - law->plain * iterate;
}

/* The phi of contact c from which it sets out: about an iterate, that of the look ahead without the way there. */
TAUT_FN double contact_phi(const taut_fields* f, size_t row, double speed, const taut_factors* step) {
    const double way = taut_renews(step->phase) ? step->look_q * step->h * (speed + step->beta * f->wide[row]) : 0;
    return f->phi[row] - way;
}

/* a.W a of a frame, unrounded: what follows from it in a law is smooth. */
TAUT_FN double frame_product(const taut_fields* f, const taut_sizes* s, size_t frame, const double a[3]) {
    double moved[3];
    node_inverse(f, s, frame, a, moved);
    return vec3_dot(a, moved);
}

/* a.I^-1 a times the square of how much of a turn about `about` is one of thing `side` of contact c that no other
 * contact of it keeps it from: about the axis a of what is round. Of other things, about `about` itself where the
 * contact is neither before nor behind the centre. */
TAUT_FN double turns_beneath(const taut_fields* f, const taut_sizes* s, size_t c, size_t side, double ahead,
                             const double about[3]) {
    const uint32_t frame = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + 4 + side];
    const size_t finder = f->contact_pair[2 * c], first = s->touching + s->edges;
    const size_t collider = side > 0 ? f->contact_pair[2 * c + 1] : finder - first;
    const uint32_t shape = finder >= first ? f->collider_shape[collider] : (uint32_t)TAUT_SHAPE_PLANE;
    const double unit[3] = {0, 0, 1}, rolls = 1 - TAUT_CONTACT_ROLLS * ahead;
    double q[4], axis[3];
    if (!is_round(shape) || shape == TAUT_SHAPE_SPHERE) {
        const double part = shape == TAUT_SHAPE_SPHERE ? 1 : rolls;
        return part > 0 ? part * frame_product(f, s, frame, about) : 0;
    }
    axes_on_body(f, s, collider, q);
    quat_rotate(q, unit, axis);
    const double part = vec3_dot(axis, about);
    return part * part * frame_product(f, s, frame, axis);
}

/* How friction along `way`, of the length 1, stops what meets something in several places alike, over what they do to
 * its speed along the normal: by its mass, and as it rolls about n x way with the height r_n of its centre,
 *     1 + r_n^2 s.I^-1 s / (1/m),   s = n x way */
TAUT_FN double stops_together(const taut_fields* f, const taut_sizes* s, size_t c, const double way[3]) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const uint32_t* node = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    const double* normal = rest + contact_normal;
    double about[3], moved = 0, turned = 0;
    vec3_cross(normal, way, about);
    for (size_t slot = 0; slot < 4; slot++) {
        const double weight = rest[contact_weight + slot];
        moved += weight != 0 ? weight * weight * node_product(f, s, node[slot], normal, normal) : 0;
    }
    for (size_t side = 0; side < 2; side++) {
        const double* arm = rest + contact_arm + 3 * side;
        const double high = vec3_dot(arm, normal), ahead = fabs(vec3_dot(arm, way));
        turned += high != 0 ? high * high * turns_beneath(f, s, c, side, ahead / fabs(high), about) : 0;
    }
    return moved > 0 ? 1 + turned / moved : 1;
}

/* |v_t| of a contact, and how it stops: alone, and together. */
TAUT_FN void note_sliding(const taut_fields* f, const taut_sizes* s, size_t c, contact_start* at) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const double across2 = at->v[1] * at->v[1] + at->v[2] * at->v[2];
    const double along[3] = {0, at->v[1], at->v[2]};
    double way[3] = {0, 0, 0};
    contact_axes_join(rest + contact_normal, rest + contact_tangent, along, way);
    at->across = sqrt(across2);
    at->stops = stops_alone(at);
    at->together = 1;
    if (at->bodies && across2 > 0) {
        for (int a = 0; a < 3; a++) {
            way[a] /= at->across;
        }
        at->together = stops_together(f, s, c, way);
    }
}

/* m: how far what is loose goes in a substep that may bring it to contact c. Normals of what is round turn as it goes
 * by; on what is flat it slides. */
TAUT_FN double way_of_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                              const contact_start* at) {
    const size_t first = f->contact_pair[2 * c] - (s->touching + s->edges), second = f->contact_pair[2 * c + 1];
    const double h = step->h + step->rest;
    const double along = at->meets + h * at->fall + turned_speed(f, s, first) + turned_speed(f, s, second);
    const bool flat = !is_round(f->collider_shape[first]) || !is_round(f->collider_shape[second]);
    return h * (flat ? along : sqrt(at->v[0] * at->v[0] + at->across * at->across));
}

/* Whether what moves at contact c are loose bodies. */
TAUT_FN bool is_of_loose(const taut_fields* f, size_t c) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const uint32_t* node = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    bool loose = true;
    for (size_t slot = 0; slot < 4 && loose; slot++) {
        const bool moves = rest[contact_weight + slot] != 0 && f->inverse_mass[node[slot]] > 0;
        loose = !moves || (slot < 2 && (f->flight[node[slot]] & TAUT_FLIGHT_LOOSE) != 0);
    }
    return loose;
}

/* How gravity and their speeds bring the things of a contact together, below 0 where they part. Returns whether nothing
 * but contacts bears them. */
TAUT_FN bool note_fall(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                       contact_start* at) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double* rest = kind->rest + contact_REST * c;
    const uint32_t* node = kind->nodes + contact_NODES * c;
    const double* v = taut_renews(step->phase) ? f->v0 : f->v;
    const double pull = vec3_dot(step->gravity, rest + contact_normal);
    at->fall = at->meets = 0;
    for (size_t slot = 0; slot < 4; slot++) {
        const double weight = rest[contact_weight + slot];
        at->meets -= weight != 0 ? weight * vec3_dot(rest + contact_normal, v + 3 * (size_t)node[slot]) : 0;
        if (weight != 0 && f->inverse_mass[node[slot]] > 0) {
            at->fall -= weight * pull;
        }
    }
    return s->solids > 0 && is_of_loose(f, c); /* flights are of bodies with shapes */
}

/* Whether thing `side` of contact c has this mark. */
TAUT_FN bool side_has(const taut_fields* f, size_t c, size_t side, taut_flight mark) {
    const uint32_t n = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + side];
    return f->kinds[TAUT_CONTACT].rest[contact_REST * c + contact_weight + side] != 0 && (f->flight[n] & mark) != 0;
}

/* Whether there are joints in the component of one of the bodies of contact c. */
TAUT_FN bool is_joined(const taut_fields* f, const taut_sizes* s, size_t c) {
    return s->frames > 0 && (side_has(f, c, 0, TAUT_FLIGHT_JOINED) || side_has(f, c, 1, TAUT_FLIGHT_JOINED));
}

/* Whether contact c is of two convex colliders, whose impacts cut substeps. */
TAUT_FN bool is_of_convex(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c], first = s->touching + s->edges;
    return finder >= first && !meet_as_facets(f, finder - first, f->contact_pair[2 * c + 1]);
}

/* Which thing of contact c, 0 or 1, the other one bears against gravity; 2: neither. */
TAUT_FN size_t side_that_is_borne(const taut_fields* f, size_t c, const double gravity[3]) {
    const double* normal = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_normal;
    const double pull = vec3_dot(gravity, normal), least = TAUT_IMPACT_BEARS * sqrt(vec3_dot(gravity, gravity));
    return fabs(pull) <= least ? 2 : pull < 0 ? 0 : 1;
}

/* m/s: at which contact c parts more when the velocity of what falls on something that stands becomes that of a piece
 * longer by so much, times beta - 1/2 (model/impacts.h). */
TAUT_FN double landing_speed(const taut_fields* f, size_t c, const double gravity[3], double time) {
    const double* normal = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_normal;
    const size_t side = side_that_is_borne(f, c, gravity);
    const bool lands =
        side < 2 && side_has(f, c, side, TAUT_FLIGHT_FALLS) && !side_has(f, c, 1 - side, TAUT_FLIGHT_FALLS);
    return lands ? time * fabs(vec3_dot(gravity, normal)) : 0;
}

/* What gravity does to it, and what a piece of a substep has to know. What touches as the substep begins is of no
 * impact that it is cut at (time_of_solids): it comes together against its contact. */
TAUT_FN void note_piece(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                        contact_start* at) {
    const bool alone = note_fall(f, s, c, step, at);
    const bool solids = is_of_convex(f, s, c); /* not points of their skins */
    const bool loose =
        alone && solids && step->piece != TAUT_PIECE_WHOLE && f->contact_feature[c] < TAUT_CROSSING_FEATURE;
    take_fall(at, alone);
    const double half = loose ? thinner_half(f, s, c) : INFINITY;
    at->touch = half < INFINITY ? TAUT_IMPACT_TOUCH * half : 0;
    at->lands = loose && step->piece == TAUT_PIECE_IMPACT
                    ? landing_speed(f, c, step->gravity, (step->beta - 0.5) * step->rest)
                    : 0;
    at->flies = loose && step->piece == TAUT_PIECE_FLIGHT &&
                way_of_contact(f, s, c, step, at) > TAUT_IMPACT_FAST * half &&
                (at->phi > at->touch || (!step->begins && step->h * at->v[0] < -TAUT_IMPACT_SLACK * half));
}

/* mu of contact c: static friction of what stuck, too, though it creeps. */
TAUT_FN double friction_at_start(const taut_fields* f, size_t c, const taut_factors* step, const contact_start* at,
                                 const double* pair) {
    const bool sliding = friction_of(f, c) > 0 && friction_of(f, c) < pair[TAUT_PAIR_STATIC];
    if (sliding && step->phase != TAUT_PHASE_RENEW && contact_stuck(at, pair, step)) {
        f->contact_friction[c] = pair[TAUT_PAIR_STATIC];
    }
    return friction_of(f, c);
}

/* w of what goes along a curve, m/s; returns the weight of what of it falls. */
TAUT_FN double curved_motion(const taut_fields* f, size_t c, const taut_factors* step, double w[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double *rest = kind->rest + contact_REST * c, *v = taut_renews(step->phase) ? f->v0 : f->v;
    double falls = 0;
    w[0] = w[1] = w[2] = 0;
    for (size_t slot = 0; slot < 2; slot++) {
        const uint32_t node = kind->nodes[contact_NODES * c + slot];
        const double weight = rest[contact_weight + slot];
        vec3_axpy(weight, v + 3 * (size_t)node, w);
        falls += f->inverse_mass[node] > 0 ? weight : 0;
    }
    return falls;
}

/* m/s: at which what rolls along a curve slides by the normal n of half of its way where the step ends, along its rows.
 * There the normal is n' = n - c w/|w|^2 and the arm turns with it: v' + omega x r' = 0 is J v' = -omega x |r| (n -
 * n'). Of one normal in the plane of the curve that is along it; of two, as those of rails, it is not. */
TAUT_FN void curved_slip(const taut_fields* f, size_t c, const taut_factors* step, double slip[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double *rest = kind->rest + contact_REST * c, *v = taut_renews(step->phase) ? f->v0 : f->v;
    double w[3], moves[3] = {0, 0, 0}, turned[3];
    slip[0] = slip[1] = slip[2] = 0;
    if (rest[contact_curve] == 0) {
        return;
    }
    curved_motion(f, c, step, w);
    const double square = vec3_dot(w, w);
    for (size_t side = 0; side < 2 && square > 0; side++) {
        const double* arm = rest + contact_arm + 3 * side;
        vec3_cross(v + 3 * (size_t)kind->nodes[contact_NODES * c + 4 + side], w, turned);
        vec3_axpy(-sqrt(vec3_dot(arm, arm)) * rest[contact_curve] / square, turned, moves);
    }
    contact_axes_split(rest + contact_normal, rest + contact_tangent, moves, slip);
}

/* How many times as fast what goes along a curve leaves it as it comes: gravity makes |w|^2 more by 2 h g.w. */
TAUT_FN double faster_by_fall(const taut_fields* f, size_t c, const taut_factors* step) {
    double w[3];
    const double falls = curved_motion(f, c, step, w);
    const double pull = falls * vec3_dot(step->gravity, w), square = vec3_dot(w, w);
    return square > 0 ? fmax(1 + 2 * step->h * pull / square, 0.0) : 1;
}

/* b of what goes along a curve (contact/collide_curved.h), from that of what has followed it until then; `speed`: v_n
 * of the start. It leaves no faster than it came and falls: it gains nothing. */
TAUT_FN double curved_side(const taut_fields* f, size_t c, double followed, double speed, const taut_factors* step) {
    const double curve = f->kinds[TAUT_CONTACT].rest[contact_REST * c + contact_curve];
    const double flat = followed + curve, b = flat + curve;
    return curve > 0 ? fmin(b, fmax(-(1 + faster_by_fall(f, c, step)) * speed, flat)) : b;
}

/* The right-hand side of contact c by the convex law. What sticks begins with the friction that it had, so that it does
 * not creep. */
TAUT_FN void regularised_side(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const taut_law* law = law_of(kind, c, step);
    const double* pair = f->material_law + TAUT_CONTACT_LAW * (size_t)f->contact_law[c];
    const float* weight = kind->weight + TAUT_PACKED(contact_ROWS) * c;
    contact_start at;
    at.normal = weight[packed_index(0, 0)];
    at.tangent = weight[packed_index(1, 1)];
    at.load = contact_load(f, s, c, step);
    at.bears_on = f->contact_load[c];
    at.borne = borne_load(f, s, c, step);
    at.chain = chain_length(f, s, c);
    at.bodies = is_of_bodies(kind->rest + contact_REST * c);
    at.radius = kept_radius(f, s, c);
    for (size_t r = 0; r < 3; r++) {
        at.row[r] = row_of_contact(s, c, r);
        at.v[r] = f->b[at.row[r]];
        at.last[r] = step->h * f->lam[at.row[r]];
        at.norm[r] = row_norm(f, s, at.row[r]);
    }
    at.phi = contact_phi(f, at.row[0], at.v[0], step);
    const double speed = at.v[0];
    double slip[3];
    curved_slip(f, c, step, slip);
    at.v[0] += law->off ? 0 : kind->rest[contact_REST * c + contact_curve];
    at.v[1] += slip[1];
    at.v[2] += slip[2];
    note_sliding(f, s, c, &at);
    at.mu = friction_at_start(f, c, step, &at, pair);
    note_piece(f, s, c, step, &at);
    at.bounces = at.bore = at.push = at.gently = 0;
    const double followed = law->off ? 0 : regularised_piece(&at, law, pair, kind->damping[c], step);
    const double b = law->off ? 0 : curved_side(f, c, followed, speed, step);
    double* parting = parting_of(f, c);
    const double foreseen = law->off || at.flies ? 0 : parting_by_sliding(&at, b, step->h);
    if (step->phase != TAUT_PHASE_RENEW) { /* an iterate keeps what the solution before it has told */
        parting[TAUT_PARTING_FOLLOWED] = parting[TAUT_PARTING_BOUNCED] = parting[TAUT_PARTING_TAKEN] = 0;
        parting[TAUT_PARTING_KEPT] = 1;
        parting[TAUT_PARTING_EASED] = parting[TAUT_PARTING_SPARED] = 0;
        parting[TAUT_PARTING_GIVEN] = step->gives_bounds && at.bodies && !(at.bounces > 0) && is_joined(f, s, c);
        parting[TAUT_PARTING_BOUND] = first_bound(&at, b, step->h);
    }
    const double eased = fmin(parting[TAUT_PARTING_EASED], at.bore);
    const double bounced = at.bounces > 0 ? parting[TAUT_PARTING_BOUNCED] : 0;
    const double taken = at.bounces > 0 ? parting[TAUT_PARTING_TAKEN] : 0;
    parting[TAUT_PARTING_BOUNCES] = at.bounces + bounced;
    parting[TAUT_PARTING] = parting[TAUT_PARTING_GIVEN] > 0 ? 0 : fmax(foreseen + parting[TAUT_PARTING_FOLLOWED], 0.0);
    parting[TAUT_PARTING_CHANGE] = parting[TAUT_PARTING_LEFT] = 0;
    parting[TAUT_PARTING_LOW] = parting[TAUT_PARTING_HIGH] = -1;
    parting[TAUT_PARTING_LOW_LEFT] = parting[TAUT_PARTING_HIGH_LEFT] = 0;
    parting[TAUT_PARTING_RESTS] = meets_nothing(&at, step);
    parting[TAUT_PARTING_BORNE] = at.bore - eased;
    const double push = at.bodies ? at.push : 0, spared = fmin(parting[TAUT_PARTING_SPARED], push);
    parting[TAUT_PARTING_PUSH] = push - spared;
    parting[TAUT_PARTING_GENTLY] = at.bodies ? at.gently : 0;
    parting[TAUT_PARTING_LANDS] = at.lands;
    f->b[at.row[0]] = b + bounced - taken - eased - spared - parting[TAUT_PARTING];
    const double part = friction_kept(&at);
    for (size_t r = 1; r < 3; r++) {
        const double kept = part * at.tangent * at.last[r];
        f->b[at.row[r]] = law->off ? 0 : kept - at.v[r] + 2 * slip[r];
    }
}

/* The right-hand side of contact c by the exact law, whose tangents are rows of velocities. A hard one undoes overlaps
 * in its own time, and no faster than its law allows; what meets it faster than `slow` bounces, v' = -e v, where it
 * arrives within the step. About an iterate phi is that of the look ahead, from which the way there is taken back. */
TAUT_FN void contact_side(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const taut_law* law = law_of(kind, c, step);
    const double* pair = f->material_law + TAUT_CONTACT_LAW * (size_t)f->contact_law[c];
    const size_t first = s->first_row[TAUT_CONTACT], count = s->count[TAUT_CONTACT], packed = TAUT_PACKED(3);
    const bool hard = is_hard(kind, c, packed);
    const double d = damping_of(kind, c, law), scale = row_scale(kind, c, law);
    const size_t row = first + place_of(count, 3, c, 0);
    const double speed = f->b[row];
    const double phi = contact_phi(f, row, speed, step),
                 most = step->closing * pair[TAUT_PAIR_RECOVERY] * scale / law->phi;
    const double kept = hard && phi < -most ? -most : phi, e = pair[TAUT_PAIR_RESTITUTION];
    double b = -(law->phi * kept + (law->rate_damped * d + law->rate) * speed) / scale;
    if (hard && e > 0 && speed < -step->slow_impact && phi + step->h * speed < 0 && -(1 + e) * speed > b) {
        b = -(1 + e) * speed;
    }
    f->b[row] = law->off ? 0 : b;
    for (size_t r = 1; r < 3; r++) {
        const size_t across = first + place_of(count, 3, c, r);
        f->b[across] = law->off ? 0 : -f->b[across];
    }
}

/* Likewise of its couple, all rows of which are of velocities. */
TAUT_FN void rolling_side(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const taut_law* law = law_of(&f->kinds[TAUT_ROLLING], c, step);
    for (size_t r = 0; r < rolling_ROWS; r++) {
        const size_t i = s->first_row[TAUT_ROLLING] + place_of(s->count[TAUT_ROLLING], rolling_ROWS, c, r);
        f->b[i] = law->off ? 0 : -f->b[i];
    }
}

/* The right-hand side of constraint c by its law; b holds J v on entry, v that of the start, and `wide` J dv of the
 * iterate. */
TAUT_FN void constraint_side(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c,
                             const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[k];
    const taut_law* law = law_of(kind, c, step);
    const size_t packed = TAUT_PACKED(rows);
    if (k == TAUT_CONTACT && step->regularised) {
        regularised_side(f, s, c, step);
        return;
    }
    if (k == TAUT_CONTACT) {
        contact_side(f, s, c, step);
        return;
    }
    if (k == TAUT_ROLLING) {
        rolling_side(f, s, c, step);
        return;
    }
    const bool solved = is_solved(kind, c, packed, law);
    const double d = damping_of(kind, c, law), damped = law->rate_damped * d;
    const double e = d - kind->damping[c]; /* by which the least damping of hard rows is more than theirs */
    const double scale = solved ? 1 / row_scale(kind, c, law) : 0;
    const bool done = step->phase == TAUT_PHASE_CONSTRAIN && law == &step->law[TAUT_LAW_FORCE];
    for (size_t r = 0; r < rows; r++) {
        const size_t row = s->first_row[k] + place_of(s->count[k], rows, c, r);
        const double now = f->clock[0], phi = f->phi[row] - misfit_at(kind, rows, c, r, now);
        const double rate = rate_of(kind, (int)k, law, rows, c, r) + misfit_rate(kind, rows, c, r, now, now + step->h);
        const double along = f->b[row] + f->wide[row]; /* about an iterate, J v' */
        const double side = taut_renews(step->phase)
                                ? renewed_side(law, damped, phi, f->b[row], f->wide[row], rate) +
                                      damped_change(law, e, f->phi[row], f->phi_before[row], along, rate)
                                : law->phi * phi + (damped + law->rate) * (f->b[row] - rate);
        const double b = -scale * side;
        if (step->newest < 1 && taut_begins(step->phase)) {
            const double damped_side = law->rate_damped * kind->damping[c] * (f->b[row] - rate);
            const taut_sides sides = {.all = b,
                                      .still = -scale * (law->phi * phi + damped_side),
                                      .phi = phi,
                                      .speed = f->b[row] - rate,
                                      .paced = is_hard(kind, c, packed) && !law->velocities,
                                      .waits = !law->velocities};
            f->deferred[row] = deferred_side(f, s, k, rows, c, r, law, step, &sides);
        }
        f->b[row] = done ? f->wide[row] : step->newest < 1 ? b + f->deferred[row] : b;
    }
}

/* Whether factor row i is that of a mass: m J_m^T J_m dv on the left, and `carried` of it with v on the right. */
TAUT_FN bool is_mass_row(const taut_sizes* s, size_t i) {
    const size_t first = s->first_factor_row[TAUT_INERTIA];
    return i >= first && i < first + inertia_FACTOR_ROWS * s->count[TAUT_INERTIA];
}

/* Whether factor row i is that of a force element, whose b is done. */
TAUT_FN bool is_tangent_row(const taut_sizes* s, size_t i) {
    return i >= s->first_factor_row[TAUT_FIRST_LOAD_KIND];
}

/* What gravity, less what the mass resists while its parents go on, adds to row i of a mass: pushed sqrt(m) (g - b)
 * over the square root of the inertia factor. */
TAUT_FN double mass_side(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const taut_kind_fields* masses = &f->kinds[TAUT_INERTIA];
    const size_t count = s->count[TAUT_INERTIA], at = i - s->first_factor_row[TAUT_INERTIA];
    const size_t c = item_of(count, inertia_FACTOR_ROWS, at), a = value_of(count, inertia_FACTOR_ROWS, at);
    const double accelerates = step->gravity[a] - f->map_bias[4 * (size_t)masses->nodes[c] + a];
    return sqrt(masses->rest[c] / step->inertia) * step->pushed * accelerates;
}

/* b of unknown i from the constraint side (rows) or Lh v (factor rows; about an iterate Lh dv of that), less its
 * product with u in `wide`. Rows without a law have none: it would be all that there is where nothing else drives the
 * system, and what is left of it says nothing. */
TAUT_FN void complete_side(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    double scale = 1;
    if (i < s->rows && is_void(f, s, i)) {
        f->b[i] = 0;
        return;
    }
    if (i >= s->rows && step->phase != TAUT_PHASE_CONSTRAIN && !is_tangent_row(s, i)) {
        scale = is_mass_row(s, i) ? step->carried / step->inertia : taut_renews(step->phase) ? 1 : -step->factor_rate;
    }
    const bool pushed = step->phase != TAUT_PHASE_CONSTRAIN && is_mass_row(s, i);
    f->b[i] = scale * f->b[i] - f->wide[i] + (pushed ? mass_side(f, s, i, step) : 0);
}

/* Shift and inverse diagonals of unknown i from the diagonal in `wide`. Those of the Schur complement are 0 at
 * condensed unknowns, so that its sums pass over them. */
TAUT_FN void invert_diagonal(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const bool condensed = is_condensed(f, s, i);
    const double automatic = !depends_on_others(f, i)               ? 0
                             : f->redundant[i] == TAUT_SHIFTED_LESS ? TAUT_LESSER_PROXIMAL
                                                                    : TAUT_AUTOMATIC_PROXIMAL;
    const double proximal = i >= s->rows || condensed ? 0 : step->proximal >= 0 ? step->proximal : automatic;
    const double diagonal = f->wide[i];
    const bool usable = diagonal > 1e-30 && !condensed;
    if (condensed) {
        f->condensed_norm[i] = diagonal > 1e-30 ? (float)(1 / diagonal) : 0;
    }
    f->shift[i] = (float)(proximal * diagonal);
    f->inverse_diagonal[i] = usable ? (float)(1 / diagonal) : 0;
    f->inverse_shifted[i] = usable ? (float)(1 / (diagonal + f->shift[i])) : 0;
}

#endif
