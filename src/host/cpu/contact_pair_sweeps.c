/* Gauss-Seidel over the contacts of loose bodies: each takes the impulse P( gam + T (b - J w - R gam) ), T its step,
 * and w = M^-1 J^T gam follows at once. A sweep is a descent of the dual of the convex function; successive ones go on
 * along nonsmooth conjugate directions (Silcowitz, Niebe and Erleben 2010).
 *
 * In float32, eight contacts that share no body at a time, one in each lane of a vector: what sweeps leave is measured
 * in float64. With M^-1 = L L^T, bodies have L^-1 w, so that J L both reads and writes them. Contacts that have been
 * open since the start are looked at only now and then. */
#define TAUT_REAL double
#include "kernels/stages/nodes.h"

#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Sweeps between looks at how fast they are, and between those over all contacts. */
#define SWEEPS_A_LOOK 20
#define SWEEPS_A_FULL 4
/* Batches that are filled at a time: as many bits. */
#define OPEN_BATCHES 32u
/* Iterations of Newton's method after n sweeps, about: so many over the root of n, since sweeps find most states. */
#define NEWTON_ITERATIONS 65
/* Of n contacts, from one to the next: near n times the golden ratio, whose multiples are far from each other. */
#define SCATTER 0.6180339887498949

/* ---- bodies
 * ---------------------------------------------------------------------------------------------------------- */

/* Lower L with A = L L^T; 0 where A has no more. */
static void factor_inverse(const double a[3][3], double l[3][3]) {
    for (int j = 0; j < 3; j++) {
        const double pivot = a[j][j] - l[j][0] * l[j][0] - l[j][1] * l[j][1] - l[j][2] * l[j][2];
        l[j][j] = pivot > 0 ? sqrt(pivot) : 0;
        for (int i = j + 1; i < 3 && pivot > 0; i++) {
            l[i][j] = (a[i][j] - l[i][0] * l[j][0] - l[i][1] * l[j][1]) / l[j][j];
        }
    }
}

static void take_body(contact_pairs* s, size_t v) {
    const taut_plan* plan = s->plan;
    double inverse[3][3] = {{0}};
    swept_body* body = &s->body[v];
    memset(body, 0, sizeof *body);
    for (int j = 0; j < 3 && s->frame[v] != PAIR_NONE; j++) {
        double unit[3] = {j == 0, j == 1, j == 2};
        node_inverse(&plan->fields, &plan->sizes, s->frame[v], unit, inverse[j]);
    }
    body->root = s->centre[v] != PAIR_NONE ? sqrt(plan->fields.inverse_mass[s->centre[v]]) : 0;
    factor_inverse((const double(*)[3])inverse, body->factor);
}

/* ---- batches
 * --------------------------------------------------------------------------------------------------------- */

/* Rows of J L of one side, and their parts of the diagonal of J M^-1 J^T. */
static void take_side(const contact_pairs* s, size_t c, int side, contact_batch* batch, int lane, double diagonal[3]) {
    const contact_pair* pair = &s->contact[c];
    const uint32_t v = s->side[2 * c + (size_t)side];
    batch->vertex[side][lane] = v != PAIR_NONE ? v : (uint32_t)s->vertices;
    if (v == PAIR_NONE) {
        return;
    }
    const swept_body* body = &s->body[v];
    const double weight = pair->weight[side] * body->root;
    batch->weight[side][lane] = (float)weight;
    for (int r = 0; r < 3; r++) {
        const double* t = pair->turned[side][r];
        diagonal[r] += weight * weight;
        for (int j = 0; j < 3; j++) {
            const double turned = t[0] * body->factor[0][j] + t[1] * body->factor[1][j] + t[2] * body->factor[2][j];
            batch->turned[side][r][j][lane] = (float)turned;
            diagonal[r] += turned * turned;
        }
    }
}

static void take_contact(const contact_pairs* s, size_t c, contact_batch* batch, int lane) {
    const contact_pair* pair = &s->contact[c];
    double diagonal[3] = {0, 0, 0}, metric[2];
    take_side(s, c, 0, batch, lane, diagonal);
    take_side(s, c, 1, batch, lane, diagonal);
    metric[0] = pair->softness[0] + diagonal[0];
    metric[1] = pair->softness[1] + (diagonal[1] > diagonal[2] ? diagonal[1] : diagonal[2]);
    for (int r = 0; r < 3; r++) {
        for (int a = 0; a < 3; a++) {
            batch->axis[r][a][lane] = (float)pair->axis[r][a];
        }
        batch->b[r][lane] = (float)pair->b[r];
        batch->impulse[r][lane] = (float)pair->impulse[r];
    }
    for (int r = 0; r < 2; r++) {
        batch->softness[r][lane] = (float)pair->softness[r];
        batch->metric[r][lane] = (float)metric[r];
        batch->step[r][lane] = (float)(1 / metric[r]);
    }
    const double mu = pair->bound >= 0 ? 0 : pair->mu;
    batch->mu[lane] = (float)mu;
    batch->bound[lane] = (float)fmax(pair->bound, 0.0);
    batch->ratio[lane] = (float)(mu * metric[1] / metric[0]);
    batch->share[lane] = (float)(1 / (1 + mu * mu * metric[1] / metric[0]));
    batch->contact[lane] = (uint32_t)c;
}

/* Batches that are being filled, as bits; `met`: those that a body is in. */
typedef struct open_batches {
    uint32_t filled[OPEN_BATCHES], contact[OPEN_BATCHES][LANES];
} open_batches;

/* Nothing happens where there is no room for it. */
static void close_batch(contact_pairs* s, open_batches* open, uint32_t which) {
    contact_batch* batch = &s->batch[s->batches];
    if (open->filled[which] == 0 || s->batches++ >= s->most_batches) {
        return;
    }
    memset(batch, 0, sizeof *batch);
    for (int lane = 0; lane < LANES; lane++) {
        batch->vertex[0][lane] = batch->vertex[1][lane] = (uint32_t)s->vertices;
        batch->contact[lane] = PAIR_NONE;
    }
    for (uint32_t i = 0; i < open->filled[which]; i++) {
        const size_t c = open->contact[which][i];
        take_contact(s, c, batch, (int)i);
        s->met[batch->vertex[0][i]] &= ~(1u << which);
        s->met[batch->vertex[1][i]] &= ~(1u << which);
    }
    open->filled[which] = 0;
}

/* The first batch where a contact meets none of its bodies; where there is none, the first is closed as it is. */
static void place_contact(contact_pairs* s, open_batches* open, size_t c) {
    const uint32_t one = s->side[2 * c], two = s->side[2 * c + 1];
    const uint32_t met = (one != PAIR_NONE ? s->met[one] : 0) | (two != PAIR_NONE ? s->met[two] : 0);
    uint32_t which = 0;
    while (which < OPEN_BATCHES && (met >> which & 1u) != 0) {
        which++;
    }
    if (which == OPEN_BATCHES) {
        close_batch(s, open, which = 0);
    }
    open->contact[which][open->filled[which]++] = (uint32_t)c;
    s->met[one != PAIR_NONE ? one : s->vertices] |= 1u << which;
    s->met[two != PAIR_NONE ? two : s->vertices] |= 1u << which;
    if (open->filled[which] == LANES) {
        close_batch(s, open, which);
    }
}

static size_t common_divisor(size_t a, size_t b) {
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static size_t stride_of(size_t count) {
    size_t stride = (size_t)(SCATTER * (double)count) + 1;
    while (common_divisor(count, stride) > 1) {
        stride++;
    }
    return stride;
}

/* Contacts that press, or those that do not. */
static void take_contacts(contact_pairs* s, bool pressing) {
    const size_t stride = s->contacts > 0 ? stride_of(s->contacts) : 0;
    open_batches open = {{0}, {{0}}};
    size_t c = 0;
    for (size_t i = 0; i < s->contacts && s->batches <= s->most_batches; i++, c = (c + stride) % s->contacts) {
        if ((s->contact[c].impulse[0] > 0) == pressing) {
            place_contact(s, &open, c);
        }
    }
    for (uint32_t which = 0; which < OPEN_BATCHES; which++) {
        close_batch(s, &open, which);
    }
}

/* Body `vertices` stands for what is fixed. False where there are more batches than room. */
static bool take_system(contact_pairs* s) {
    for (size_t v = 0; v < s->vertices; v++) {
        take_body(s, v);
    }
    memset(&s->body[s->vertices], 0, sizeof *s->body);
    memset(s->met, 0, (s->vertices + 1) * sizeof *s->met);
    s->batches = 0;
    take_contacts(s, true);
    take_contacts(s, false);
    return s->batches <= s->most_batches;
}

/* ---- a batch
 * --------------------------------------------------------------------------------------------------------- */

/* In each half of a register the first two, the last two, or others of both. */
#define FIRST_TWO(a, b)     __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LAST_TWO(a, b)      __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST_HALVES(a, b)  __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define JOIN(a, b)          __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)

TAUT_FN_HOT quad half_of(const lanes* a, int half) {
    quad out;
    memcpy(&out, (const char*)a + half * (int)sizeof out, sizeof out);
    return out;
}

/* x, y and z of eight, and back. Registers have that of one contact beside that of the fourth one after it, as they
 * come from memory: nothing crosses from one half to the other. */
TAUT_FN_HOT void turn_to_lanes(const quad in[LANES], lanes out[3]) {
    lanes both[4];
    for (int i = 0; i < 4; i++) {
        both[i] = JOIN(in[i], in[i + 4]);
    }
    const lanes xy = FIRST_TWO(both[0], both[1]), xy2 = FIRST_TWO(both[2], both[3]);
    out[0] = FIRST_HALVES(xy, xy2);
    out[1] = SECOND_HALVES(xy, xy2);
    out[2] = FIRST_HALVES(LAST_TWO(both[0], both[1]), LAST_TWO(both[2], both[3]));
}

TAUT_FN_HOT void turn_from_lanes(const lanes in[3], quad out[LANES]) {
    const lanes none = {0}, xy = FIRST_TWO(in[0], in[1]), xy2 = LAST_TWO(in[0], in[1]);
    const lanes zo = FIRST_TWO(in[2], none), zo2 = LAST_TWO(in[2], none);
    const lanes both[4] = {FIRST_HALVES(xy, zo), SECOND_HALVES(xy, zo), FIRST_HALVES(xy2, zo2),
                           SECOND_HALVES(xy2, zo2)};
    for (int i = 0; i < 4; i++) {
        out[i] = half_of(&both[i], 0);
        out[i + 4] = half_of(&both[i], 1);
    }
}

/* Both sides' motions and spins. */
typedef struct batch_motion {
    lanes motion[2][3], spin[2][3];
} batch_motion;

TAUT_FN_HOT void read_bodies(const contact_pairs* s, const contact_batch* c, batch_motion* out) {
    for (int side = 0; side < 2; side++) {
        quad motion[LANES], spin[LANES];
        for (int i = 0; i < LANES; i++) {
            motion[i] = s->moving[c->vertex[side][i]].motion;
            spin[i] = s->moving[c->vertex[side][i]].spin;
        }
        turn_to_lanes(motion, out->motion[side]);
        turn_to_lanes(spin, out->spin[side]);
    }
}

TAUT_FN_HOT void write_bodies(contact_pairs* s, const contact_batch* c, const batch_motion* in) {
    for (int side = 0; side < 2; side++) {
        quad motion[LANES], spin[LANES];
        turn_from_lanes(in->motion[side], motion);
        turn_from_lanes(in->spin[side], spin);
        for (int i = 0; i < LANES; i++) {
            s->moving[c->vertex[side][i]].motion = motion[i];
            s->moving[c->vertex[side][i]].spin = spin[i];
        }
    }
}

/* J w */
TAUT_FN_HOT void motion_of(const contact_batch* c, const batch_motion* w, lanes out[3]) {
    lanes u[3];
    for (int a = 0; a < 3; a++) {
        u[a] = c->weight[0] * w->motion[0][a] + c->weight[1] * w->motion[1][a];
    }
    for (int r = 0; r < 3; r++) {
        out[r] = c->axis[r][0] * u[0] + c->axis[r][1] * u[1] + c->axis[r][2] * u[2];
        for (int side = 0; side < 2; side++) {
            const lanes *turned = c->turned[side][r], *spin = w->spin[side];
            out[r] += turned[0] * spin[0] + turned[1] * spin[1] + turned[2] * spin[2];
        }
    }
}

/* w += M^-1 J^T change */
TAUT_FN_HOT void push(const contact_batch* c, const lanes change[3], batch_motion* w) {
    for (int a = 0; a < 3; a++) {
        const lanes force = c->axis[0][a] * change[0] + c->axis[1][a] * change[1] + c->axis[2][a] * change[2];
        for (int side = 0; side < 2; side++) {
            w->motion[side][a] += c->weight[side] * force;
            w->spin[side][a] += c->turned[side][0][a] * change[0] + c->turned[side][1][a] * change[1] +
                                c->turned[side][2][a] * change[2];
        }
    }
}

TAUT_FN_HOT lanes larger(lanes a, lanes b) {
    const lane_bits above = a > b;
    return (lanes)(((lane_bits)a & above) | ((lane_bits)b & ~above));
}

TAUT_FN_HOT lanes root(lanes a) {
    float values[LANES];
    memcpy(values, &a, sizeof values);
    for (int i = 0; i < LANES; i++) {
        values[i] = sqrtf(values[i]);
    }
    memcpy(&a, values, sizeof values);
    return a;
}

/* P of contact/cone.h in the metric of the steps. What sticks would have larger tangents, and a lesser normal, by the
 * formula for what slides. */
TAUT_FN_HOT void project(const contact_batch* c, lanes z[3]) {
    const lanes none = {0}, one = none + 1, across = root(z[1] * z[1] + z[2] * z[2]);
    const lanes height = larger(none, (z[0] + c->ratio * across) * c->share);
    const lanes part = -larger(-one, -((c->mu * height + c->bound) / larger(across, none + FLT_MIN)));
    z[0] = larger(z[0], height);
    z[1] *= part;
    z[2] *= part;
}

/* Goes on by `keep` of their way, and finds the next impulses for the motion of the bodies. */
TAUT_FN_HOT void find_change(contact_batch* c, float keep, const batch_motion* w, lanes change[3]) {
    lanes motion[3], before[3], next[3];
    motion_of(c, w, motion);
    for (int r = 0; r < 3; r++) {
        const lanes further = keep * c->way[r];
        before[r] = c->impulse[r] + further;
        next[r] = before[r] + c->step[r > 0] * (c->b[r] - motion[r] - c->softness[r > 0] * before[r]);
        c->way[r] = further + c->change[r];
    }
    project(c, next);
    for (int r = 0; r < 3; r++) {
        change[r] = next[r] - before[r];
        c->change[r] = change[r];
        c->impulse[r] = next[r];
    }
}

/* Relaxes batches, which share no body; the squared length of the change. Of two, one is worked on while the other
 * waits for its roots and quotients. */
TAUT_FN_HOT lanes relax(contact_pairs* s, contact_batch* const* c, int count, float keep, lanes length2) {
    batch_motion w[2];
    lanes change[2][3];
    for (int i = 0; i < count; i++) {
        read_bodies(s, c[i], &w[i]);
    }
    for (int i = 0; i < count; i++) {
        find_change(c[i], keep, &w[i], change[i]);
    }
    for (int i = 0; i < count; i++) {
        const lanes* d = change[i];
        push(c[i], d, &w[i]);
        write_bodies(s, c[i], &w[i]);
        length2 += d[0] * d[0] * c[i]->metric[0] + (d[1] * d[1] + d[2] * d[2]) * c[i]->metric[1];
    }
    return length2;
}

/* ---- sweeps
 * ---------------------------------------------------------------------------------------------------------- */

TAUT_FN_HOT bool is_idle(const contact_batch* c) {
    lane_bits busy = {0};
    int32_t bits[LANES], any = 0;
    for (int r = 0; r < 3; r++) {
        busy |= (c->impulse[r] != 0) | (c->way[r] != 0) | (c->change[r] != 0);
    }
    memcpy(bits, &busy, sizeof bits);
    for (int i = 0; i < LANES; i++) {
        any |= bits[i];
    }
    return any == 0;
}

/* Of a place in a list of batches: this one has a body of the one before it. */
#define SHARES (1u << 31)

/* Adds a batch to a list of `count`. */
static void list_batch(contact_pairs* s, uint32_t which, uint32_t* list, size_t count) {
    const uint32_t* vertex = s->batch[which].vertex[0];
    bool shares = false;
    for (size_t i = 0; i < sizeof s->batch[which].vertex / sizeof *vertex; i++) {
        if (vertex[i] < s->vertices) {
            shares = shares || s->met[vertex[i]] == count;
            s->met[vertex[i]] = (uint32_t)count + 1;
        }
    }
    list[count] = which | (shares && count > 0 ? SHARES : 0);
}

static void list_all(contact_pairs* s) {
    memset(s->met, 0, (s->vertices + 1) * sizeof *s->met);
    s->stale = true; /* what is busy a full sweep tells */
    for (uint32_t i = 0; i < s->batches; i++) {
        list_batch(s, i, s->all_batch, i);
    }
}

static void list_busy(contact_pairs* s) {
    memset(s->met, 0, (s->vertices + 1) * sizeof *s->met);
    s->stale = false;
    s->busy = 0;
    for (uint32_t i = 0; i < s->batches; i++) {
        if (!s->batch[i].idle) {
            list_batch(s, i, s->busy_batch, s->busy++);
        }
    }
}

/* Whether a batch has become idle, or is it no longer. */
TAUT_FN_HOT bool note_idle(contact_batch* c) {
    const bool idle = is_idle(c), changed = idle != c->idle;
    c->idle = idle;
    return changed;
}

/* Over all batches, or those that are busy; the squared length of the change. */
TAUT_FN_HOT double sweep_batches(contact_pairs* s, float keep, bool all) {
    const uint32_t* list = all ? s->all_batch : s->busy_batch;
    const size_t count = all ? s->batches : s->busy;
    lanes length2 = {0};
    double sum = 0;
    for (size_t i = 0, next; i < count; i = next) {
        contact_batch* both[2] = {&s->batch[list[i] & ~SHARES], NULL};
        next = i + 1;
        if (next < count && (list[next] & SHARES) == 0) {
            both[1] = &s->batch[list[next++]];
            length2 = relax(s, both, 2, keep, length2);
        } else {
            length2 = relax(s, both, 1, keep, length2);
        }
        for (int k = 0; all && k < 2; k++) {
            s->stale = (both[k] != NULL && note_idle(both[k])) || s->stale;
        }
    }
    for (int i = 0; i < LANES; i++) {
        sum += (double)length2[i];
    }
    return sum;
}

CPU_WITH_AVX2(double, sweep_list, sweep_batches, (contact_pairs * s, float keep, bool all), (s, keep, all))

static double sweep_once(contact_pairs* s, float keep, bool all) {
    const double length2 = sweep_list(s, keep, all);
    if (s->stale) {
        list_busy(s);
    }
    return length2;
}

/* Bodies go on by `keep` of the direction, and the last sweep makes the next one. */
static void move_on(const contact_pairs* s, float keep) {
    for (size_t v = 0; v < s->vertices; v++) {
        swept_motion *now = &s->moving[v], *last = &s->body[v].last, *way = &s->body[v].way;
        const quad motion = keep * way->motion, spin = keep * way->spin;
        way->motion = motion + (now->motion - last->motion);
        way->spin = spin + (now->spin - last->spin);
        last->motion = now->motion += motion;
        last->spin = now->spin += spin;
    }
}

/* w of the impulses; returns of how many batches. */
TAUT_FN_HOT size_t push_all(contact_pairs* s) {
    memset(s->moving, 0, (s->vertices + 1) * sizeof *s->moving);
    for (size_t i = 0; i < s->batches; i++) {
        batch_motion w;
        read_bodies(s, &s->batch[i], &w);
        push(&s->batch[i], s->batch[i].impulse, &w);
        write_bodies(s, &s->batch[i], &w);
    }
    return s->batches;
}

CPU_WITH_AVX2(size_t, refresh, push_all, (contact_pairs * s), (s))

/* Sweeps that seem to be left when `now` has come from `before` in one look. */
static double sweeps_left(double now, double before, double goal) {
    return now < before ? SWEEPS_A_LOOK * log(now / goal) / log(before / now) : INFINITY;
}

/* Whether to go over to Newton's method: it would end sooner, or half of the limit is used up. */
static bool newton_is_due(contact_pairs* s, uint32_t sweeps, double left, bool late) {
    const double iterations = NEWTON_ITERATIONS / sqrt(sweeps);
    if (left > CONTACT_NEWTON_LEAST || late) {
        contact_pairs_order(s);
    }
    return (left > CONTACT_NEWTON_LEAST && left > iterations * s->newton_sweeps) ||
           (late && s->newton_sweeps < INFINITY);
}

static uint32_t sweep(contact_pairs* s, cpu_goal goal, double pause, uint32_t limit) {
    sweep_progress* p = &s->progress;
    const uint32_t before = p->sweeps, end = before + limit;
    while (p->sweeps < end && !s->paused) {
        move_on(s, p->keep);
        const bool full = p->sweeps % SWEEPS_A_FULL == 0 || p->sweeps + 1 == end;
        const double length2 = sweep_once(s, p->keep, full), length = sqrt(length2);
        const bool looks = ++p->sweeps % SWEEPS_A_LOOK == 0;
        if (length <= cpu_goal_now(s->plan, goal) ||
            (looks && newton_is_due(s, p->sweeps, sweeps_left(length, p->looked, goal.own), 2 * p->sweeps >= end))) {
            break;
        }
        if (looks) {
            refresh(s);
        }
        p->looked = looks || p->sweeps == 1 ? length : p->looked;
        p->keep = p->last > 0 && length2 < p->last ? (float)(length2 / p->last) : 0;
        p->last = length2;
        s->paused = length <= pause;
    }
    return p->sweeps - before;
}

static void store_impulses(const contact_pairs* s) {
    for (size_t i = 0; i < s->batches; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            const uint32_t c = s->batch[i].contact[lane];
            for (int r = 0; r < 3 && c != PAIR_NONE; r++) {
                s->contact[c].impulse[r] = (double)s->batch[i].impulse[r][lane];
            }
        }
    }
}

static bool begin_sweeps(contact_pairs* s) {
    if (!take_system(s)) {
        return false;
    }
    list_all(s);
    refresh(s);
    for (size_t v = 0; v < s->vertices; v++) {
        s->body[v].last = s->moving[v];
    }
    s->progress = (sweep_progress){.looked = INFINITY};
    return true;
}

uint32_t contact_pairs_sweep(contact_pairs* s, cpu_goal goal, double pause, uint32_t limit) {
    if (!s->paused && !begin_sweeps(s)) {
        return 0;
    }
    s->paused = false;
    const uint32_t sweeps = sweep(s, goal, pause, limit);
    store_impulses(s);
    return sweeps;
}
