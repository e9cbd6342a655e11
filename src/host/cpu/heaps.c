/* Heaps: loose bodies in a scene in which other things are held together. Where there is nothing else, sweeps over
 * contacts take the least time; here they make the first guess of the condensed system, which judges it with all the
 * rest. */
#define TAUT_REAL double
#include "host/cpu/cpu_heaps.h"

#include "kernels/stages/items.h"

#include <math.h>
#include <string.h>

/* Bodies from which on heaps are looked for, and contacts from which on they are swept. */
#define HEAP_BODIES   16
#define HEAP_CONTACTS 64
/* Of the tolerance: sweeps end at so little change; and at so many, since Newton's method follows. */
#define HEAP_CLOSER 0.3
#define HEAP_SWEEPS 200

static size_t loose_bodies(const taut_plan* plan) {
    size_t count = 0;
    for (size_t n = 0; n < plan->sizes.points; n++) {
        count += (plan->fields.flight[n] & TAUT_FLIGHT_LOOSE) != 0;
    }
    return count;
}

taut_status heaps_make(const taut_plan* plan, const taut_allocator* allocator, contact_pairs** out) {
    const taut_sizes* s = &plan->sizes;
    const bool serve = s->touches && s->solids > 0 && !s->loose && !s->rolls &&
                       plan->settings.contact.law == TAUT_CONTACT_CONVEX && loose_bodies(plan) >= HEAP_BODIES;
    const taut_status status = serve ? contact_pairs_make(plan, allocator, out) : TAUT_OK;
    if (*out != NULL) {
        (*out)->beside = true;
    }
    return status;
}

/* Whether an added constraint holds a loose body. */
static bool added_hold(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    bool hold = false;
    for (int k = 0; k < (int)TAUT_CONTACT && !hold; k++) {
        const size_t nodes = taut_kind_shapes[k].nodes;
        for (size_t c = taut_given_count(&plan->sizes, k); c < plan->sizes.count[k] && !hold; c++) {
            for (size_t slot = 0; slot < nodes && !is_absent(&f->kinds[k], c); slot++) {
                const uint32_t n = f->kinds[k].nodes[nodes * c + slot];
                hold = hold || n >= plan->sizes.points || (f->flight[n] & TAUT_FLIGHT_LOOSE) != 0;
            }
        }
    }
    return hold;
}

/* Root of the sum of b^2 / (R + J M^-1 J^T) of normals that press. */
static double scale_of(const contact_pairs* s) {
    double sum = 0;
    for (size_t c = 0; c < s->contacts; c++) {
        const contact_pair* pair = &s->contact[c];
        double diagonal = pair->softness[0];
        for (int side = 0; side < 2; side++) {
            const uint32_t v = s->side[2 * c + (size_t)side];
            double row[BLOCK_ROWS] = {0}, moved[BLOCK_ROWS];
            if (v != PAIR_NONE) {
                vec3_axpy(pair->weight[side], pair->axis[0], row);
                memcpy(row + 3, pair->turned[side][0], 3 * sizeof *row);
                contact_pairs_mass(s, v, true, row, moved);
                diagonal += vec3_dot(row, moved) + vec3_dot(row + 3, moved + 3);
            }
        }
        sum += pair->b[0] > 0 ? pair->b[0] * pair->b[0] / diagonal : 0;
    }
    return sqrt(sum);
}

/* The motion of bodies into that of nodes. */
static void store_motion(const contact_pairs* s, double* w) {
    for (size_t v = 0; v < s->vertices; v++) {
        const uint32_t node[2] = {s->centre[v], s->frame[v]};
        for (size_t part = 0; part < 2; part++) {
            if (node[part] != PAIR_NONE) {
                memcpy(w + 4 * (size_t)node[part], s->w + BLOCK_ROWS * v + 3 * part, 3 * sizeof *w);
            }
        }
    }
}

void heaps_guess(const taut_backend_state* state, const taut_factors* step, double* w) {
    contact_pairs* s = state->heaps;
    if (s == NULL || !step->regularised || taut_renews(step->phase) || taut_projects(step->phase) ||
        added_hold(state->plan) || !contact_pairs_gather(s) || s->contacts < HEAP_CONTACTS) {
        return;
    }
    const double scale = HEAP_CLOSER * scale_of(s);
    s->paused = false;
    s->newton_sweeps = INFINITY; /* that of the condensed system follows */
    contact_pairs_sweep(s, (cpu_goal){cpu_tolerance(state->plan) * scale, TAUT_LATE_TOLERANCE * scale}, 0, HEAP_SWEEPS);
    contact_pairs_move(s);
    store_motion(s, w);
    contact_pairs_store(s);
}
