/* Evaluate: phi and J in float64 from float64 positions, J stored in float32; loads in float64; violations and energies.
 * Items of the kinds are evaluate_distance(world, s, c, energy, violation). */
#ifndef TAUT_STAGE_EVALUATE_H
#define TAUT_STAGE_EVALUATE_H

#include "kernels/stages/items.h"

/* Elastic energy -1/2 lam.phi and the worst |phi + d phidot + C lam| of one constraint. */
TAUT_FN void measure(const taut_kind_fields* f, size_t c, size_t rows, const double* phi, const double* phidot,
                     const double* lam, double* elastic, double* violation) {
    const double* packed = f->compliance + TAUT_PACKED(rows) * c;
    for (size_t r = 0; r < rows; r++) {
        double residual = phi[r] + f->damping[c] * phidot[r];
        for (size_t j = 0; j < rows; j++) {
            residual += packed[packed_index(r, j)] * lam[j];
        }
        *elastic -= lam[r] * phi[r] / 2;
        *violation = fabs(residual) > *violation ? fabs(residual) : *violation;
    }
}

/* Whether the energy of a kind is potential, not elastic. */
TAUT_FN bool has_potential(int k) { return k == (int)TAUT_ATTRACTION; }

#define TAUT_KIND_TEXT "kernels/stages/evaluate_kind.h"
#define TAUT_LOAD_TEXT "kernels/stages/evaluate_load.h"
#include "kernels/formulas/for_each_kind.h"

TAUT_FN void evaluate_linear(const taut_fields* f, const taut_sizes* s, size_t c, double* elastic, double* violation) {
    const size_t row = s->first_row[TAUT_LINEAR] + c;
    double phi = -f->kinds[TAUT_LINEAR].rest[c], phidot = 0;
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        phi += f->linear_weight[e] * f->x[f->linear_coordinate[e]];
        phidot += f->linear_weight[e] * f->v[f->linear_coordinate[e]];
    }
    f->phi[row] = phi;
    measure(&f->kinds[TAUT_LINEAR], c, 1, &phi, &phidot, f->lam + row, elastic, violation);
}

/* Kinetic and gravitational energy of a free particle or a mapped mass; fixed ones have none. */
TAUT_FN void evaluate_particle(const taut_fields* f, const taut_sizes* s, size_t n, const double gravity[3],
                               double* kinetic, double* potential) {
    const double mass = f->inverse_mass[n] > 0 || n >= s->simple ? f->mass[n] : 0;
    *kinetic += mass / 2 * vec3_dot(f->v + 3 * n, f->v + 3 * n);
    *potential -= mass * vec3_dot(gravity, f->x + 3 * n);
}

#endif
