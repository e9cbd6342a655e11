/* A contact has the impulse gam = P(y), y = (b - J dv)/R, in r_u = ... - J^T gam. With G = dP/dy R^-1, the adjoint y_u
 * of its node, and s what later steps have of gam, A += J^T G J,   right-hand side -= J^T G s,   t = J y_u + s,   g = G
 * t dL += g.db + t.(dgam by R),   b_n by phi and v_n,   b_t = kept last_t - v_t P is of the first degree: with one R,
 * dgam = -gam dR/R at fixed b; and kept = R where friction goes on. R is in proportion to 1/m, or, under a load, to
 * gravity over the last force. */
#define TAUT_REAL double
#include "host/cpu/cpu_adjoint_contacts.h"

#include "base/small_math.h"

#include <math.h>

static void split(const taut_contact_note* c, const double v[3], double out[3]) {
    for (size_t r = 0; r < 3; r++) {
        out[r] = vec3_dot(c->axes[r], v);
    }
}

static void conduct(const taut_contact_note* c, const double v[3], double out[3]) {
    for (size_t r = 0; r < 3; r++) {
        out[r] = vec3_dot(c->conductance[r], v);
    }
}

/* out += scale J^T v */
static void join(const taut_contact_note* c, double scale, const double v[3], double out[3]) {
    for (size_t r = 0; r < 3; r++) {
        vec3_axpy(scale * v[r], c->axes[r], out);
    }
}

void adjoint_add_contacts(adjoint_system* s, const taut_step_record* record) {
    for (size_t i = 0; i < record->contact_count; i++) {
        const taut_contact_note* c = &record->contacts[i];
        const size_t first = 3 * (size_t)c->node;
        for (size_t a = 0; a < 3; a++) {
            const double column[3] = {c->axes[0][a], c->axes[1][a], c->axes[2][a]};
            double conducted[3], back[3] = {0, 0, 0};
            conduct(c, column, conducted);
            join(c, 1, conducted, back);
            for (size_t b = 0; b < 3; b++) {
                adjoint_add(s, first + b, first + a, back[b]);
            }
        }
    }
}

/* dL/dgam of a contact by the steps behind, along its axes: the next step begins with the force gam/h. */
static void seed_of(const taut_contact_note* c, const taut_step_record* record, const taut_adjoint_sums* sums,
                    double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < sums->seed_count; i++) {
        const taut_contact_seed* seed = &sums->seeds[i];
        if (seed->finder == c->finder && seed->other == c->other && seed->feature == c->feature) {
            split(c, seed->force, out);
            for (size_t r = 0; r < 3; r++) {
                out[r] /= record->h;
            }
        }
    }
}

void adjoint_add_seeds(adjoint_system* s, const taut_step_record* record, const taut_adjoint_sums* sums) {
    for (size_t i = 0; i < record->contact_count; i++) {
        const taut_contact_note* c = &record->contacts[i];
        double seed[3], conducted[3], back[3] = {0, 0, 0};
        seed_of(c, record, sums, seed);
        conduct(c, seed, conducted);
        join(c, -1, conducted, back);
        for (size_t a = 0; a < 3; a++) {
            s->side[s->number[3 * (size_t)c->node + a]] += back[a];
        }
    }
}

/* R dL/dR */
static double by_softness(const taut_contact_note* c, const double t[3], const double g[3]) {
    const double along = g[1] * c->last[1] + g[2] * c->last[2];
    return c->kept[0] * g[0] * c->last[0] + c->kept[1] * along - vec3_dot(t, c->gam);
}

/* tau += scale a x J^T g */
static void add_turn(const taut_contact_note* c, double scale, const double a[3], const double g[3], double tau[3]) {
    double moved[3] = {0, 0, 0}, turn[3];
    join(c, 1, g, moved);
    vec3_cross(a, moved, turn);
    vec3_axpy(scale, turn, tau);
}

/* By the place of the particle, as the normal follows it. */
static void pull_bend(const taut_contact_note* c, const double t[3], const double g[3], const double by_speed[3],
                      const double by_last[3], double x[3]) {
    double gam[3] = {0, 0, 0}, last[3] = {0, 0, 0}, tau[3] = {0, 0, 0}, by_normal[3];
    join(c, 1, c->gam, gam);
    join(c, 1, c->last, last);
    add_turn(c, 1, gam, t, tau);
    add_turn(c, -1, c->start, by_speed, tau);
    add_turn(c, 1, c->dv, g, tau);
    add_turn(c, -1, last, by_last, tau);
    vec3_cross(tau, c->axes[0], by_normal);
    for (size_t a = 0; a < 3; a++) {
        x[a] += vec3_dot(c->bend[a], by_normal);
    }
}

/* By the gravity against the normal, and by the place, which that follows. */
static void pull_fall(const taut_contact_note* c, const double gravity[3], double by_fall, taut_adjoint_sums* sums) {
    const double along[3] = {-by_fall, 0, 0};
    double tau[3] = {0, 0, 0}, by_normal[3];
    vec3_axpy(-by_fall, c->axes[0], sums->gravity);
    add_turn(c, -1, gravity, along, tau);
    vec3_cross(tau, c->axes[0], by_normal);
    for (size_t a = 0; a < 3; a++) {
        sums->x[3 * (size_t)c->node + a] += vec3_dot(c->bend[a], by_normal);
    }
}

static void pull_contact(const taut_contact_note* c, const taut_factors* step, double inverse_mass, const double t[3],
                         taut_adjoint_sums* sums, taut_contact_seed* seed) {
    const double gravity = sqrt(vec3_dot(step->gravity, step->gravity));
    double g[3], by_speed[3], by_last[3];
    conduct(c, t, g);
    const double soft = by_softness(c, t, g);
    const double by_gravity = g[0] * c->by_gravity + (c->loaded ? soft / gravity : 0);
    for (size_t r = 0; r < 3; r++) {
        by_speed[r] = c->by_speed[r] * g[0] - (r == 0 ? 0 : g[r]);
        by_last[r] = c->kept[r == 0 ? 0 : 1] * g[r] - (r == 0 && c->loaded ? soft / c->last[0] : 0);
    }
    vec3_axpy(c->by_gap * g[0], c->axes[0], sums->x + 3 * (size_t)c->node);
    join(c, 1, by_speed, sums->v + 3 * (size_t)c->node);
    pull_bend(c, t, g, by_speed, by_last, sums->x + 3 * (size_t)c->node);
    pull_fall(c, step->gravity, c->by_fall * g[0], sums);
    sums->mass[c->node] -= c->loaded ? 0 : soft * inverse_mass;
    if (gravity > 0) {
        vec3_axpy(by_gravity / gravity, step->gravity, sums->gravity);
    }
    *seed = (taut_contact_seed){c->finder, c->other, c->feature, {0, 0, 0}};
    join(c, step->h, by_last, seed->force);
}

void adjoint_pull_contacts(const adjoint_system* s, const taut_factors* step, const float* inverse_mass,
                           const taut_step_record* record, taut_adjoint_sums* sums) {
    taut_contact_seed* next =
        sums->seeds + sums->seed_count; /* there is room for both: a contact presses once a step */
    for (size_t i = 0; i < record->contact_count; i++) {
        const taut_contact_note* c = &record->contacts[i];
        double moved[3], t[3], seed[3];
        for (size_t a = 0; a < 3; a++) {
            moved[a] = s->solution[s->number[3 * (size_t)c->node + a]];
        }
        split(c, moved, t);
        seed_of(c, record, sums, seed);
        vec3_axpy(1, seed, t);
        pull_contact(c, step, inverse_mass[c->node], t, sums, &next[i]);
    }
    for (size_t i = 0; i < record->contact_count; i++) {
        sums->seeds[i] = next[i];
    }
    sums->seed_count = record->contact_count;
}
