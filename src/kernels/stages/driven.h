/* What drives, targets and supports that move ask for: speeds, and the inertia that may have them (model/guard.h). */
#ifndef TAUT_STAGES_DRIVEN_H
#define TAUT_STAGES_DRIVEN_H

#include "kernels/stages/items.h"
#include "model/account.h"
#include "model/factors.h"

/* A speed that something is to have, in the units of sums[0 .. 1]. */
TAUT_FN void add_speed(double squared, double sums[2]) {
    sums[0] += squared;
    sums[1] += squared * squared;
}

/* Rest values of a kind that may move. */
TAUT_FN size_t driven_rests(int k) {
    switch (k) {
    case TAUT_TARGET:
        return target_MOVES;
    case TAUT_PRISMATIC:
        return prismatic_MOVES;
    case TAUT_ANGULAR:
        return angular_MOVES;
    case TAUT_ALIGNMENT:
        return alignment_MOVES;
    default:
        return 0;
    }
}

/* What constraint c is driven at, and what the arms of a joint add to the inertia against turns: its bodies turn about
 * it, with a third of that by each of its rows. */
TAUT_FN void add_drive(const taut_fields* f, int k, size_t c, taut_driven* driven) {
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t moves = driven_rests(k);
    const double speed = may_be_motor(k) && asks_for_speed(kind, c) ? asked_speed(kind, k, c) : 0;
    double squared = speed * speed;
    for (size_t r = 0; r < moves; r++) {
        squared += kind->rate[moves * c + r] * kind->rate[moves * c + r];
    }
    add_speed(squared, k == (int)TAUT_ANGULAR || k == (int)TAUT_ALIGNMENT ? driven->turn : driven->speed);
    if (k == (int)TAUT_PRISMATIC) {
        const double* rest = kind->rest + prismatic_REST * c;
        const uint32_t* nodes = kind->nodes + prismatic_NODES * c;
        for (size_t body = 0; body < 2; body++) {
            const double* arm = rest + 4 + 3 * body;
            driven->second +=
                f->inverse_mass[nodes[2 * body]] > 0 ? f->mass[nodes[2 * body]] * vec3_dot(arm, arm) / 3 : 0;
        }
    }
}

/* The same of a velocity row: its speed is that of its coordinates, |s|/|w|. */
TAUT_FN void add_linear_drive(const taut_fields* f, const taut_sizes* s, size_t c, taut_driven* driven) {
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    double weights = 0;
    bool turns = false;
    if (!asks_for_speed(kind, c)) {
        return;
    }
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        weights += f->linear_weight[e] * f->linear_weight[e];
        turns = turns || f->linear_coordinate[e] / 3 >= s->points;
    }
    add_speed(weights > 0 ? kind->rest[c] * kind->rest[c] / weights : 0, turns ? driven->turn : driven->speed);
}

/* Masses about the origin, and fixed nodes that move. */
TAUT_FN void add_driven_node(const taut_fields* f, const taut_sizes* s, size_t n, taut_driven* driven) {
    const bool turns = n >= s->points, mapped = n >= s->simple && !turns;
    const double *v = f->v + 3 * n, *inertia = turns ? f->inertia + 6 * (n - s->points) : NULL;
    if (!mapped && f->inverse_mass[n] == 0) {
        add_speed(vec3_dot(v, v), turns ? driven->turn : driven->speed);
    } else if (turns) { /* about any axis at most half of the trace */
        driven->second += (inertia[0] + inertia[1] + inertia[2]) / 2;
    } else {
        driven->mass += f->mass[n];
        driven->second += f->mass[n] * vec3_dot(f->x + 3 * n, f->x + 3 * n);
    }
}

#endif
