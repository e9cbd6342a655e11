/* Evaluate: phi and J in float64 from float64 positions, J stored in float32; loads in float64; violations and
 * energies. Items of the kinds are evaluate_distance(world, s, c, energy, violation). */
#ifndef TAUT_STAGES_EVALUATE_H
#define TAUT_STAGES_EVALUATE_H

#include "kernels/stages/bounds.h"
#include "kernels/stages/doubled_length.h"
#include "kernels/stages/items.h"
#include "kernels/stages/misfit.h"
#include "kernels/stages/packed.h"
#include "model/energy.h"
#include "model/factors.h"

/* The strain whose energy counts: phi where the step resolves the row (stiff = 0), and what its force stands for, -C
 * lam, where it does not. There phi has more than that, left by linearisation, truncation and damping, which the next
 * steps take back: phi^2/C may be of any size as C approaches 0, and none of it becomes motion. Nor is phidot of such a
 * row a motion: the power of its damper is not counted. A force that a cut solve has left may be of any size: it counts
 * for no more than phi. */
TAUT_FN double counted_strain(double stiff, double phi, double lawful) {
    const double strain = phi + stiff * (lawful - phi);
    return fabs(strain) < fabs(phi) ? strain : phi;
}

/* Whether an elastic tetrahedron is inside out: det F < 0, with F = sum_k (x_k - x_0) g_k^T and the rest values
 * g_1, g_2, g_3. `x`: four places, one after the other. */
TAUT_FN bool is_inverted(int k, const double* x, const double* rest) {
    double gradient[3][3] = {{0}}, normal[3];
    if (k != (int)TAUT_TET_STRAIN && k != (int)TAUT_SOLID) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        double edge[3];
        vec3_sub(x + 3 * (i + 1), x, edge);
        for (int c = 0; c < 3; c++) {
            vec3_axpy(rest[3 * i + c], edge, gradient[c]);
        }
    }
    vec3_cross(gradient[1], gradient[2], normal);
    return vec3_dot(gradient[0], normal) < 0;
}

/* What rows leave of their laws, the worst ones. */
typedef struct taut_violation {
    double law;     /* |phi + d phidot + C lam| */
    double stretch; /* where a step does not resolve the row: what phi has of that, in units of doubled_length */
} taut_violation;

/* Of one row with what its law leaves; `doubled`: doubled_length. */
TAUT_FN void note_violation(double residual, double phi, double stiff, double doubled, taut_violation* violation) {
    const double left = fabs(residual), stretch = fabs(phi) < left ? fabs(phi) : left;
    violation->law = left > violation->law ? left : violation->law;
    if (doubled > 0 && stiff * stretch > doubled * violation->stretch) {
        violation->stretch = stiff * stretch / doubled;
    }
}

/* Elastic energy of one constraint, 1/2 e.C^-1 e of the counted strain e, 0 where it is hard, the power that its
 * damping takes, d phidot.C^-1 phidot, and that of rest values which move at `rates` (or NULL). */
TAUT_FN void measure(const taut_kind_fields* f, size_t c, size_t rows, const double* phi, const double* phidot,
                     const double* lam, const double* rates, double doubled, taut_energies* sums,
                     taut_violation* violation) {
    const double* packed = f->compliance + TAUT_PACKED(rows) * c;
    const bool hard = packed[0] == 0;
    double strain[TAUT_BLOCK_ROWS] = {0}, strained[TAUT_BLOCK_ROWS] = {0}, resisted[TAUT_BLOCK_ROWS] = {0};
    for (size_t r = 0; r < rows; r++) {
        double residual = phi[r] + f->damping[c] * phidot[r];
        for (size_t j = 0; j < rows; j++) {
            residual += packed[packed_index(r, j)] * lam[j];
        }
        note_violation(residual, phi[r], f->stiff[c], doubled, violation);
        strain[r] = counted_strain(f->stiff[c], phi[r], phi[r] + f->damping[c] * phidot[r] - residual);
    }
    if (!hard) {
        packed_solve(packed, rows, strain, strained);
    }
    if (!hard && f->damping[c] > 0) {
        packed_solve(packed, rows, phidot, resisted);
    }
    for (size_t r = 0; r < rows; r++) {
        sums->strained += strain[r] * strained[r] / 2;
        sums->damped += (1 - f->stiff[c]) * f->damping[c] * phidot[r] * resisted[r];
        sums->driven += rates != NULL ? lam[r] * rates[r] : 0;
    }
}

/* The same of rows with bounds, one by one: their compliance does not couple them. `at`: place of row r of constraint
 * c. */
TAUT_FN void measure_bounded_row(const taut_fields* f, size_t at, double compliance, double damping, double stiff,
                                 double phi, double phidot, double rate, double doubled, taut_energies* sums,
                                 taut_violation* violation) {
    const double *bounds = f->bound + 2 * at, lam = f->lam[at];
    const double residual = bounded_violation(phi + damping * phidot + compliance * lam, lam, bounds);
    const bool free = hold_of_force(lam, bounds) == TAUT_HELD_NOT;
    if (compliance > 0) {
        /* the work against a bound follows from phi, wherever the force is */
        const double strain = free ? counted_strain(stiff, phi, -compliance * lam) : phi;
        sums->strained += bounded_energy(strain, compliance, bounds);
        sums->damped += free ? (1 - stiff) * damping * phidot * phidot / compliance : 0;
    } else if (!free && lam * phi < 0) { /* the same in the limit */
        sums->strained -= lam * phi;
    } else if (lam == 0) { /* likewise before it has acted */
        sums->strained += limit_energy(phi, bounds);
    }
    sums->driven += lam * rate;
    note_violation(residual, phi, stiff, doubled, violation);
}

/* The same of contact c: what its friction takes is dissipated, and what a hard one takes along its normal, as in
 * impacts; both exactly, since J is constant within a step: `mean` is phidot with the mean velocity of the step. Its
 * violation is an overlap. */
TAUT_FN void measure_contact(const taut_fields* f, const taut_sizes* s, size_t c, const double* phi,
                             const double* phidot, const double* mean, taut_energies* sums, taut_violation* violation) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double compliance = kind->compliance[TAUT_PACKED(3) * c];
    double lam[3];
    load_unknowns_f64(f->lam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], 3, c, lam);
    const double overlap = -phi[0] - (compliance > 0 ? kind->damping[c] * phidot[0] + compliance * lam[0] : 0);
    if (compliance > 0 && phi[0] < 0) {
        const double strain = counted_strain(kind->stiff[c], phi[0], -compliance * lam[0]);
        sums->strained += strain * strain / (2 * compliance);
        sums->damped += (1 - kind->stiff[c]) * kind->damping[c] * phidot[0] * phidot[0] / compliance;
    }
    sums->rubbed -= (compliance > 0 ? 0 : lam[0] * mean[0]) + lam[1] * mean[1] + lam[2] * mean[2];
    violation->law = overlap > violation->law ? overlap : violation->law;
}

/* What the couple of contact c takes is dissipated. */
TAUT_FN void measure_rolling(const taut_fields* f, const taut_sizes* s, size_t c, const double* mean,
                             taut_energies* sums) {
    double lam[rolling_ROWS];
    load_unknowns_f64(f->lam + s->first_row[TAUT_ROLLING], s->count[TAUT_ROLLING], rolling_ROWS, c, lam);
    sums->rubbed -= lam[0] * mean[0] + lam[1] * mean[1] + lam[2] * mean[2];
}

/* Of all rows of constraint c of kind k, with or without bounds. */
TAUT_FN void measure_rows(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c, const double* phi,
                          const double* phidot, const double* mean, const double* rates, double doubled,
                          taut_energies* sums, taut_violation* violation) {
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t first = s->first_row[k], count = s->count[k];
    double lam[TAUT_BLOCK_ROWS];
    if (k == (int)TAUT_CONTACT) {
        measure_contact(f, s, c, phi, phidot, mean, sums, violation);
        return;
    }
    if (k == (int)TAUT_ROLLING) {
        measure_rolling(f, s, c, mean, sums);
        return;
    }
    if (s->bounded && has_bounds(f, first + place_of(count, rows, c, 0))) {
        for (size_t r = 0; r < rows; r++) {
            measure_bounded_row(f, first + place_of(count, rows, c, r),
                                kind->compliance[TAUT_PACKED(rows) * c + packed_index(r, r)], kind->damping[c],
                                kind->stiff[c], phi[r], phidot[r], rates != NULL ? rates[r] : 0, doubled, sums,
                                violation);
        }
        return;
    }
    load_unknowns_f64(f->lam + first, count, rows, c, lam);
    measure(kind, c, rows, phi, phidot, lam, rates, doubled, sums, violation);
}

/* Whether the energy of a kind is potential, not elastic. */
TAUT_FN bool has_potential(int k) {
    return k == (int)TAUT_ATTRACTION;
}

/* Of the rows of constraint c: phi and phidot about targets that move, those that close misfits among them, and their
 * rates; `moves`: of rest values that move, which belong to the first rows. What a misfit leaves open is violated. */
TAUT_FN void follow_targets(const taut_fields* f, const taut_kind_fields* kind, size_t rows, size_t c, size_t moves,
                            double* phi, double* phidot, double* rates, taut_violation* violation) {
    for (size_t r = 0; r < rows; r++) {
        const double misfit = misfit_at(kind, rows, c, r, f->clock[0]);
        rates[r] =
            (r < moves ? kind->rate[moves * c + r] : 0) + misfit_rate(kind, rows, c, r, f->clock[1], f->clock[0]);
        violation->law = fmax(violation->law, misfit != 0 ? fabs(phi[r]) : 0.0);
        phi[r] -= misfit;
        phidot[r] -= rates[r];
    }
}

/* Values of the rows of a constraint that is absent. */
TAUT_FN void clear_rows(double* all, size_t count, size_t rows, size_t c) {
    for (size_t r = 0; r < rows; r++) {
        all[place_of(count, rows, c, r)] = 0;
    }
}

/* The angle that phi of an angular constraint was measured by: what does more to a state than moves do, such as the
 * guard, leads from there (formulas/angular.h). */
TAUT_FN void keep_angle(double* rest, double phi) {
    if (counts_turns(rest)) {
        rest[ANGLE_NOW] = phi + rest[0];
    }
}

/* phi of bend c by what its last force stands for: -(C lam + d phidot). No force, and none of hard ones, tells of it.
 */
TAUT_FN double followed_bend(const taut_kind_fields* f, size_t c, double phi, double phidot, double lam) {
    const double strain = f->compliance[c] * lam;
    return strain != 0 ? bend_follow(phi, -(strain + f->damping[c] * phidot)) : phi;
}

/* v of nodes becomes the mean velocity of the step. */
TAUT_FN void mean_rates(const taut_fields* f, const uint32_t* nodes, size_t count, double v[][3]) {
    for (size_t i = 0; i < count; i++) {
        vec3_axpy(-0.5, f->dv + 3 * (size_t)nodes[i], v[i]);
    }
}

/* Whether velocity row c of kind k holds a speed hard, or slips with the force of a bound: all that it does against the
 * difference is dissipated. Else it is a damper. */
TAUT_FN bool slips(const taut_fields* f, const taut_sizes* s, int k, size_t c) {
    const size_t row = s->first_row[k] + c;
    const bool bounded = s->bounded && has_bounds(f, row);
    return f->kinds[k].compliance[c] == 0 ||
           (bounded && hold_of_force(f->lam[row], f->bound + 2 * row) != TAUT_HELD_NOT);
}

/* Of velocity row c: phidot, and the mean of it, about the speed that it asks for, whose work is that of a rest value
 * that moves. */
TAUT_FN void follow_speed(const taut_fields* f, const taut_sizes* s, int k, size_t c, double* phidot, double* mean,
                          double* rate, taut_energies* sums) {
    *rate = asked_speed(&f->kinds[k], k, c);
    *phidot -= *rate;
    *mean -= *rate;
    sums->rubbed -= slips(f, s, k, c) ? f->lam[s->first_row[k] + c] * *mean : 0;
}

/* Of a drive that stalls: what it would do on the way that it is late by is dissipated. */
TAUT_FN void lose_way(const taut_fields* f, size_t row, double* phi, double* mean, const double* rate,
                      taut_energies* sums) {
    *phi = 0;
    *mean -= *rate;
    sums->rubbed -= f->lam[row] * *mean;
}

#define TAUT_KIND_TEXT "kernels/stages/evaluate_kind.h"
#define TAUT_LOAD_TEXT "kernels/stages/evaluate_load.h"
#include "kernels/formulas/for_each_kind.h"

TAUT_FN void evaluate_linear(const taut_fields* f, const taut_sizes* s, size_t c, taut_energies* sums,
                             taut_violation* violation) {
    const size_t row = s->first_row[TAUT_LINEAR] + c;
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    const bool velocities = asks_for_speed(kind, c);
    if (is_absent(kind, c)) {
        f->phi[row] = 0;
        return;
    }
    double phi = -kind->rest[c], phidot = 0, change = 0, rate;
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        phi += f->linear_weight[e] * f->x[f->linear_coordinate[e]];
        phidot += f->linear_weight[e] * f->v[f->linear_coordinate[e]];
        change += f->linear_weight[e] * f->dv[f->linear_coordinate[e]];
    }
    double mean = phidot - change / 2;
    phi = velocities ? 0 : phi;
    f->phi[row] = phi;
    follow_targets(f, kind, 1, c, 0, &phi, &phidot, &rate, violation);
    if (velocities) {
        follow_speed(f, s, TAUT_LINEAR, c, &phidot, &mean, &rate, sums);
    }
    measure_rows(f, s, TAUT_LINEAR, 1, c, &phi, &phidot, &mean, &rate, 0, sums, violation);
}

/* Kinetic energy, moment and momentum of a free particle or a mapped point; fixed ones have none. */
TAUT_FN void evaluate_particle(const taut_fields* f, const taut_sizes* s, size_t n, taut_energies* sums) {
    if (f->inverse_mass[n] > 0 || n >= s->simple) {
        sums->kinetic += f->mass[n] / 2 * vec3_dot(f->v + 3 * n, f->v + 3 * n);
        vec3_axpy(f->mass[n], f->x + 3 * n, sums->moment);
        vec3_axpy(f->mass[n], f->v + 3 * n, sums->momentum);
    }
}

#endif
