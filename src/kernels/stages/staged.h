/* Work of forces in a part of two stages (SDIRK2, or the safe scheme's halves). What is stiff moves within the part and
 * is slow at its ends: powers there do not tell its work. With s the share of a stage in the part, x0 the start and x,
 * v the end of the part, the first stage ends at
 *
 *     v1 = ( (x - x0)/h - s v ) / (1 - s),   x1 = x0 + s h v1
 *
 * Forces that depend on positions alone, as of pressure, do (f0 + f).(x - x0)/2. What depends on velocities, as drag,
 * does h ( (1 - s) f1.v1 + s f.v ), the quadrature of the scheme: a force f0 on what is still at rest may fade within a
 * fraction of h. */
#ifndef TAUT_STAGES_STAGED_H
#define TAUT_STAGES_STAGED_H

#include "kernels/formulas/rotation_math.h"
#include "kernels/stages/items.h"
#include "model/energy.h"

/* A triangle in such a part. */
typedef struct staged_surface {
    double x0[3][3], x1[3][3], x[3][3]; /* m */
    double v1[3][3], v[3][3];           /* m/s */
    double mean[3], first[3], last[3];  /* m/s: sums of (x - x0)/h, v1 and v, without nodes that are moved */
} staged_surface;

TAUT_FN void staged_surface_of(const taut_fields* f, const taut_sizes* s, size_t c, double h, double stage,
                               staged_surface* out) {
    const uint32_t* nodes = f->kinds[TAUT_SURFACE].nodes + surface_NODES * c;
    gather(f->kept_x, 3, nodes, surface_NODES, out->x0);
    gather(f->x, 3, nodes, surface_NODES, out->x);
    gather(f->v, 3, nodes, surface_NODES, out->v);
    for (int a = 0; a < 3; a++) {
        out->mean[a] = out->first[a] = out->last[a] = 0;
        for (int slot = 0; slot < surface_NODES; slot++) {
            const double way = out->x[slot][a] - out->x0[slot][a];
            const double counts = is_carried(f, s, nodes[slot]) ? 0 : 1;
            out->v1[slot][a] = (way / h - stage * out->v[slot][a]) / (1 - stage);
            out->x1[slot][a] = out->x0[slot][a] + stage * h * out->v1[slot][a];
            out->mean[a] += counts * way / h;
            out->first[a] += counts * out->v1[slot][a];
            out->last[a] += counts * out->v[slot][a];
        }
    }
}

/* Mean power of air, pressure and traction on triangle c in a part of h. */
TAUT_FN void add_staged_surface(const taut_fields* f, const taut_sizes* s, size_t c, double h, double stage,
                                taut_powers* sums) {
    const double* rest = f->kinds[TAUT_SURFACE].rest + surface_REST * c;
    double still[surface_REST], stream[surface_REST]; /* rest values of pressure and traction, and of drag alone */
    double before[3], after[3], first[3], last[3];
    surface_jacobian unused;
    staged_surface at;
    staged_surface_of(f, s, c, h, stage, &at);
    for (int i = 0; i < surface_REST; i++) {
        const bool drags = i == 5 || i == 6;
        still[i] = drags ? 0 : rest[i];
        stream[i] = i < 4 ? 0 : rest[i];
    }
    surface_load(at.x0, NULL, still, before, &unused);
    surface_load(at.x, NULL, still, after, &unused);
    surface_load(at.x1, at.v1, stream, first, &unused);
    surface_load(at.x, at.v, stream, last, &unused);
    sums->pushed += (vec3_dot(before, at.mean) + vec3_dot(after, at.mean)) / 2;
    sums->pushed += (1 - stage) * vec3_dot(first, at.first) + stage * vec3_dot(last, at.last);
    sums->staged++;
}

/* The same of the user's force at node n, in place of what add_powers has: force times displacement. */
TAUT_FN void add_staged_force(const taut_fields* f, const taut_sizes* s, size_t n, double h, taut_powers* sums) {
    const size_t frame = n - s->points;
    double way[3], inverse[4], turn[4];
    if (f->inverse_mass[n] == 0 && !taut_is_mapped(s, n)) {
        return;
    }
    if (n < s->points) {
        vec3_sub(f->x + 3 * n, f->kept_x + 3 * n, way);
    } else {
        quat_conjugate(f->kept_orientation + 4 * frame, inverse);
        quat_multiply(f->orientation + 4 * frame, inverse, turn);
        quat_log(turn, way);
    }
    for (size_t a = 0; a < 3; a++) {
        const size_t i = 3 * n + a;
        sums->forces += f->force[i] * (way[a] / h - f->v[i] + f->dv[i] / 2);
    }
}

#endif
