/* Impacts of fast solids within a substep on the CPU (model/impacts.h): when they meet, and pieces of flight. */
#define TAUT_REAL double
#include "kernels/stages/contact/meeting.h"
#include "kernels/stages/integrate.h"

#include "host/cpu/cpu_sleep.h"
#include "host/cpu/cpu_state.h"

#include <math.h>
#include <string.h>

/* A body has fallen freely where gravity alone changed its speed along it, but for this part. */
#define FREE_FALL 0.1

/* ---- meetings ---------------------------------------------------------------------------------------------------- */

/* Whether a collider is one that flies, of those that are loose. */
static bool may_fly(const taut_plan* plan, size_t collider) {
    const taut_body_nodes body = plan->fields.collider_body[collider];
    return finds_solids(&plan->fields, &plan->sizes, collider) && is_loose(&plan->fields, &plan->sizes, body);
}

/* m: no pair in which nothing goes so far in a substep is fast. */
static double least_way(const taut_plan* plan) {
    double least = INFINITY;
    for (size_t i = 0; i < plan->sizes.solids; i++) {
        least = may_fly(plan, i) ? fmin(least, half_thickness(&plan->fields, i)) : least;
    }
    return TAUT_IMPACT_FAST / 2 * least;
}

typedef struct meeting_search {
    const taut_plan* plan;
    const taut_impacts* impacts;
    taut_meeting met;
} meeting_search;

static solid_way way_of(const meeting_search* m, size_t collider) {
    const taut_plan* plan = m->plan;
    return flight_of_solid(&plan->fields, &plan->sizes, collider, plan->settings.gravity,
                           plan->settings.integrator.beta, m->impacts);
}

/* When collider i, which is fast, meets collider j; of two that are the first one looks. */
static void find_meeting(meeting_search* m, size_t i, size_t j) {
    const taut_plan* plan = m->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const bool first = solids_may_touch(f, s, i, j),
               second = !first && !is_plane(f, j) && finds_solids(f, s, j) && solids_may_touch(f, s, j, i);
    if ((f->solid_fast[j] && j < i) || !(first || second) || !is_loose(f, s, f->collider_body[j])) {
        return;
    }
    const size_t pair[2] = {first ? i : j, first ? j : i};
    const solid_way w[2] = {way_of(m, pair[0]), way_of(m, pair[1])};
    const double part = m->impacts->left / m->impacts->whole;
    const double time = m->impacts->left * time_of_solids(f, s, pair, w, part, &m->met);
    m->met.time = time < m->met.time ? time : m->met.time;
}

/* ---- pairs that are near each other ------------------------------------------------------------------------------ */

/* The ball that a collider stays in. */
static void find_span(const taut_plan* plan, size_t i, const solid_way* w) {
    taut_solid_span* span = &plan->fields.solid_span[i];
    memcpy(span->centre, w->from, sizeof span->centre);
    span->radius = is_plane(&plan->fields, i) ? INFINITY : w->reach + sqrt(vec3_dot(w->arm, w->arm)) + longest_way(w);
}

/* Along which colliders lie farthest apart. */
static size_t longest_axis(const taut_plan* plan) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < plan->sizes.solids; i++) {
        const taut_solid_span* span = &plan->fields.solid_span[i];
        for (size_t a = 0; a < 3 && span->radius < INFINITY; a++) {
            low[a] = fmin(low[a], span->centre[a]);
            high[a] = fmax(high[a], span->centre[a]);
        }
    }
    const size_t level = high[2] - low[2] > high[0] - low[0] ? 2 : 0;
    return high[1] - low[1] > high[level] - low[level] ? 1 : level;
}

static double begin_of(const taut_solid_span* span, size_t axis) {
    return span->centre[axis] - span->radius;
}

/* Colliders in the order in which they begin along an axis (Shell 1959: nothing is allocated in a step). */
static void order_solids(const taut_plan* plan, size_t axis) {
    const taut_solid_span* span = plan->fields.solid_span;
    uint32_t* order = plan->fields.solid_order;
    const size_t count = plan->sizes.solids;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t i = gap; i < count; i++) {
            const uint32_t own = order[i];
            size_t at = i;
            for (; at >= gap && begin_of(&span[order[at - gap]], axis) > begin_of(&span[own], axis); at -= gap) {
                order[at] = order[at - gap];
            }
            order[at] = own;
        }
    }
}

static bool spans_meet(const taut_solid_span* a, const taut_solid_span* b) {
    double apart[3];
    vec3_sub(a->centre, b->centre, apart);
    const double reach = a->radius + b->radius;
    return !(vec3_dot(apart, apart) > reach * reach);
}

/* Of each pair of which one is fast and whose ways come near each other. */
static void find_meetings(meeting_search* m) {
    const taut_fields* f = &m->plan->fields;
    const taut_solid_span* span = f->solid_span;
    const size_t count = m->plan->sizes.solids, axis = longest_axis(m->plan);
    order_solids(m->plan, axis);
    for (size_t a = 0; a < count; a++) {
        const size_t i = f->solid_order[a];
        const double end = span[i].centre[axis] + span[i].radius;
        for (size_t b = a + 1; b < count && !(begin_of(&span[f->solid_order[b]], axis) > end); b++) {
            const size_t j = f->solid_order[b];
            if ((f->solid_fast[i] || f->solid_fast[j]) && spans_meet(&span[i], &span[j])) {
                find_meeting(m, f->solid_fast[i] ? i : j, f->solid_fast[i] ? j : i);
                if (f->solid_fast[i] && f->solid_fast[j]) {
                    find_meeting(m, j, i);
                }
            }
        }
    }
}

/* Whether gravity alone has changed the velocity of a body along itself in a part of h. */
static bool has_fallen(const taut_plan* plan, size_t n, double h) {
    const double* g = plan->settings.gravity;
    const double g2 = vec3_dot(g, g);
    return g2 > 0 && fabs(vec3_dot(plan->fields.dv + 3 * n, g) / (h * g2) - 1) <= FREE_FALL;
}

/* Notes which colliders are fast, and at the start of a substep which bodies fall. */
static bool find_fast(const meeting_search* m) {
    const taut_plan* plan = m->plan;
    const taut_fields* f = &plan->fields;
    const double least = least_way(plan) * m->impacts->left / m->impacts->whole,
                 g = sqrt(vec3_dot(plan->settings.gravity, plan->settings.gravity));
    const double fall = m->impacts->left * m->impacts->left * g;
    bool any = false;
    for (size_t i = 0; i < plan->sizes.solids; i++) {
        const uint32_t n = f->collider_body[i].centre;
        const bool flies = may_fly(plan, i);
        place_solid(f, &plan->sizes, i);
        if (flies && m->impacts->left == m->impacts->whole) {
            f->flight[n] = TAUT_FLIGHT_LOOSE | (has_fallen(plan, n, m->impacts->whole) ? TAUT_FLIGHT_FALLS : 0);
        }
        const solid_way way = way_of(m, i);
        find_span(plan, i, &way);
        f->solid_fast[i] = flies && longest_way(&way) + fall > least;
        any = any || f->solid_fast[i];
    }
    return any;
}

taut_meeting cpu_find_meeting(taut_backend_state* state, const taut_impacts* impacts) {
    const taut_plan* plan = state->plan;
    meeting_search m = {plan, impacts, {impacts->left, false, 0}};
    bool any = find_fast(&m);
    if (any && cpu_wake_near_fast(state, impacts->left)) { /* what is hit is not fixed */
        any = find_fast(&m);
    }
    if (any) {
        find_meetings(&m);
    }
    return m.met;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Makes v of what falls, or of what lands, that of pieces so much shorter, in s. The energy of such a change is of no
 * part: it is that of the parabola. */
static void shorten_flights(taut_backend_state* state, taut_flight flights, double time) {
    const taut_plan* plan = state->plan;
    const double kinetic = state->energies.kinetic;
    bool any = false;
    for (size_t n = 0; n < plan->sizes.points; n++) {
        if ((plan->fields.flight[n] & flights) != 0) {
            vec3_axpy((plan->settings.integrator.beta - 0.5) * time, plan->settings.gravity, plan->fields.v + 3 * n);
            any = true;
        }
    }
    if (any) {
        cpu_evaluate(state);
        state->report.ledger.numerical += kinetic - state->energies.kinetic;
        cpu_begin_energies(state);
    }
}

void cpu_begin_piece(taut_backend_state* state, const taut_impacts* impacts, double h) {
    shorten_flights(state, TAUT_FLIGHT_FALLS, impacts->last - h);
}

/* Whether contact c is of a pair of loose solids that was apart and overlaps now. */
static bool has_met(const taut_plan* plan, size_t c) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const size_t row = row_of_contact(s, c, 0);
    const size_t finder = f->contact_pair[2 * c], first = first_solid(s);
    const size_t pair[2] = {finder - first, f->contact_pair[2 * c + 1]};
    if (finder < first || f->contact_feature[c] >= TAUT_CROSSING_FEATURE || meet_as_facets(f, pair[0], pair[1]) ||
        !is_loose(f, s, f->collider_body[pair[0]]) || !is_loose(f, s, f->collider_body[pair[1]])) {
        return false;
    }
    const double half = thinner_of_flights(f, s, pair);
    const solid_way w[2] = {way_of_solid(f, f, s, pair[0]), way_of_solid(f, f, s, pair[1])};
    double normal[3];
    return f->phi_before[row] > TAUT_IMPACT_TOUCH * half &&
           solids_gap(f, pair, w, 0, normal) < -TAUT_IMPACT_SLACK * half;
}

bool cpu_flight_ends(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    bool any = false;
    for (size_t c = 0; !any && c < plan->sizes.count[TAUT_CONTACT]; c++) {
        any = has_met(plan, c);
    }
    return any;
}

/* Whether the impact lays something in contact c on what stands, or has landed itself: notes it. */
static bool lands_in(const taut_plan* plan, size_t c) {
    const taut_fields* f = &plan->fields;
    const uint32_t* node = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    const size_t side = side_that_is_borne(f, c, plan->settings.gravity);
    const double* parting = parting_of(f, c);
    const bool stops = f->gam[row_of_contact(&plan->sizes, c, 0)] > 0 && !(parting[TAUT_PARTING_BOUNCES] > 0);
    const bool falls = stops && side < 2 && side_has(f, c, side, TAUT_FLIGHT_FALLS) &&
                       (f->flight[node[side]] & TAUT_FLIGHT_LANDS) == 0;
    const bool on_landed =
        falls && side_has(f, c, 1 - side, TAUT_FLIGHT_FALLS) && (f->flight[node[1 - side]] & TAUT_FLIGHT_LANDS) != 0;
    const bool lands = falls && (parting[TAUT_PARTING_LANDS] > 0 || on_landed);
    if (lands) {
        f->flight[node[side]] |= TAUT_FLIGHT_LANDS;
    }
    return lands;
}

/* What an impact has laid on something falls no longer. */
static void land(taut_backend_state* state, const taut_impacts* impacts) {
    const taut_plan* plan = state->plan;
    bool any = true;
    while (any) { /* also what lies on what has landed */
        any = false;
        for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
            any = lands_in(plan, c) || any;
        }
    }
    shorten_flights(state, TAUT_FLIGHT_LANDS, impacts->last - impacts->whole);
    for (size_t n = 0; n < plan->sizes.points; n++) {
        if ((plan->fields.flight[n] & TAUT_FLIGHT_LANDS) != 0) {
            plan->fields.flight[n] &= (uint8_t) ~(TAUT_FLIGHT_LANDS | TAUT_FLIGHT_FALLS);
        }
    }
}

static void forces_before(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_backend_state* state = context;
    const taut_fields* f = &state->plan->fields;
    (void)part;
    for (size_t i = first; i < last; i++) {
        const bool contact = i >= state->plan->sizes.first_row[TAUT_CONTACT];
        f->lam[i] = contact ? f->gam_last[i] : f->kept_lam[i];
        f->lam_smooth[i] = contact ? f->lam[i] : f->kept_lam_smooth[i];
        f->gam[i] = f->lam[i] * state->kept_impulse_step;
    }
}

/* An impact is no load: what bore one goes on with the forces before it. */
void cpu_end_impact(taut_backend_state* state, const taut_impacts* impacts, bool last) {
    const taut_plan* plan = state->plan;
    if (last) {
        land(state, impacts);
    }
    cpu_for_unknowns(plan, true, forces_before, state);
    state->impulse_step = state->kept_impulse_step;
}

/* What has fallen to the end is as after a whole substep, and the next one has to know. */
void cpu_end_pieces(taut_backend_state* state, const taut_impacts* impacts) {
    const taut_plan* plan = state->plan;
    for (size_t n = 0; n < plan->sizes.points; n++) {
        if ((plan->fields.flight[n] & TAUT_FLIGHT_FALLS) != 0 && has_fallen(plan, n, impacts->last)) {
            vec3_axpy(impacts->whole - impacts->last, plan->settings.gravity, plan->fields.dv + 3 * n);
        }
    }
    shorten_flights(state, TAUT_FLIGHT_FALLS, impacts->last - impacts->whole);
}
