/* Gauss-Seidel over the contacts of loose bodies: each takes the impulse P( gam + T (b - J w - R gam) ), T its step,
 * and w = M^-1 J^T gam follows at once. A sweep is a descent of the dual of the convex function; successive ones go on
 * along nonsmooth conjugate directions (Silcowitz, Niebe and Erleben 2010). */
#define TAUT_REAL double
#include "host/cpu/cpu_contact_pairs.h"
#include "kernels/stages/contact/cone.h"

#include <math.h>
#include <string.h>

/* Sweeps between looks at how fast they are. */
#define SWEEPS_A_LOOK 20

static void push(contact_pairs* s, size_t c, const double change[3]) {
    const contact_pair* pair = &s->contact[c];
    double force[3] = {0, 0, 0};
    for (int r = 0; r < 3; r++) {
        vec3_axpy(change[r], pair->axis[r], force);
    }
    for (int side = 0; side < 2; side++) {
        const uint32_t v = s->side[2 * c + (size_t)side];
        if (v != PAIR_NONE) {
            double* of = s->w + BLOCK_ROWS * (size_t)v;
            vec3_axpy(pair->inverse[side], force, of);
            for (int r = 0; r < 3; r++) {
                vec3_axpy(change[r], pair->moved[side][r], of + 3);
            }
        }
    }
}

static void relax(contact_pairs* s, size_t c) {
    contact_pair* pair = &s->contact[c];
    double motion[3], z[3], next[3], change[3];
    contact_pairs_motion(s, c, s->w, motion);
    for (int r = 0; r < 3; r++) {
        const double left = pair->b[r] - motion[r] - pair->softness[r > 0] * pair->impulse[r];
        z[r] = pair->impulse[r] + pair->step[r > 0] * left;
    }
    project_on_cone(pair->mu, pair->step[0], pair->step[1], z, next, NULL);
    for (int r = 0; r < 3; r++) {
        change[r] = next[r] - pair->impulse[r];
        pair->impulse[r] = next[r];
    }
    if (change[0] != 0 || change[1] != 0 || change[2] != 0) {
        push(s, c, change);
    }
}

/* One sweep; the squared length of the change. */
static double sweep(contact_pairs* s) {
    double length2 = 0;
    memcpy(s->w_last, s->w, BLOCK_ROWS * s->vertices * sizeof(double));
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pair* pair = &s->contact[c];
        memcpy(pair->last, pair->impulse, sizeof pair->impulse);
        relax(s, c);
        for (int r = 0; r < 3; r++) {
            const double change = pair->impulse[r] - pair->last[r];
            length2 += change * change / pair->step[r > 0];
        }
    }
    return length2;
}

/* Moves on by `keep` of the direction, and makes the next one; w is linear in impulses. */
static void move_on(contact_pairs* s, double keep) {
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pair* pair = &s->contact[c];
        for (int r = 0; r < 3; r++) {
            const double change = pair->impulse[r] - pair->last[r], further = keep * pair->way[r];
            pair->impulse[r] += further;
            pair->way[r] = further + change;
        }
    }
    for (size_t i = 0; i < BLOCK_ROWS * s->vertices; i++) {
        const double change = s->w[i] - s->w_last[i], further = keep * s->p[i];
        s->w[i] += further;
        s->p[i] = further + change;
    }
}

/* Sweeps that seem to be left when `now` has come from `before` in one look. */
static double sweeps_left(double now, double before, double goal) {
    return now < before ? SWEEPS_A_LOOK * log(now / goal) / log(before / now) : INFINITY;
}

static bool newton_is_faster(contact_pairs* s, double sweeps) {
    contact_pairs_order(s);
    return sweeps > s->newton_sweeps;
}

uint32_t contact_pairs_sweep(contact_pairs* s, double goal, uint32_t limit) {
    double last = 0, looked = INFINITY;
    uint32_t sweeps = 0;
    memset(s->p, 0, BLOCK_ROWS * s->vertices * sizeof(double));
    while (sweeps < limit) {
        const double length2 = sweep(s), length = sqrt(length2);
        const bool looks = ++sweeps % SWEEPS_A_LOOK == 0;
        if (length <= goal || sweeps == limit || (looks && newton_is_faster(s, sweeps_left(length, looked, goal)))) {
            break;
        }
        looked = looks || sweeps == 1 ? length : looked;
        move_on(s, last > 0 && length2 < last ? length2 / last : 0);
        last = length2;
    }
    return sweeps;
}
