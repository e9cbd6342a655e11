/* Records of steps, their adjoints, and sums of derivatives in the user's numbers. */
#define TAUT_REAL double
#include "kernels/stages/items.h"

#include "taut/gradients.h"

#include "base/memory.h"
#include "base/status.h"
#include "host/world/gradient_parameters.h"
#include "taut/save.h"

#include <math.h>
#include <string.h>

struct taut_gradients {
    taut_allocator allocator;
    taut_world* world;
    taut_adjoint* adjoint;
    uint32_t room, count;
    taut_step_record* records;
    taut_adjoint_sums sums;
    double* values; /* of all records and sums */
    size_t bytes, flag_bytes;
    uint8_t* flags;           /* likewise */
    taut_contact_note* notes; /* of all records */
    size_t contact_room, note_bytes, seed_bytes;
    void* saved; /* the state before a step */
    size_t saved_bytes;
};

/* ---- what has gradients ------------------------------------------------------------------------------------------ */

static taut_status refuse(const char* reason) {
    return taut_fail(TAUT_INVALID_ARGUMENT, "gradients: %s.", reason);
}

/* Why mapped point n has none; NULL: it has. */
static const char* refuses_mapped(const taut_plan* plan, size_t n) {
    const taut_fields* f = &plan->fields;
    const uint32_t begin = f->map_begin[n - plan->sizes.simple], end = f->map_begin[n - plan->sizes.simple + 1];
    for (uint32_t e = begin; e < end; e++) {
        const size_t parent = f->map_parent[e];
        if (TAUT_MAP_TYPE(f->map_code[e]) == TAUT_MAP_NORM) {
            return "lengths of mapped points have none";
        }
        if (parent >= plan->sizes.simple && parent < plan->sizes.points) {
            return "points mapped on mapped points have none";
        }
    }
    return f->mass[n] > 0                       ? "mapped points with a mass have none"
           : end - begin > TAUT_ADJOINT_PARENTS ? "mapped points with more than 24 parents have none"
                                                : NULL;
}

static taut_status check_scene(const taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    for (size_t n = s->simple; n < s->points; n++) {
        const char* mapped = refuses_mapped(&world->plan, n);
        if (mapped != NULL) {
            return refuse(mapped);
        }
    }
    if (s->touches && world->plan.settings.contact.law != TAUT_CONTACT_CONVEX) {
        return refuse("contacts have them by the convex law alone");
    }
    return world_has_room(&world->plan.settings.reserve) ? refuse("worlds with a reserve have none") : TAUT_OK;
}

static taut_status check_integrator(const taut_world* world) {
    const taut_integrator* i = &world->plan.settings.integrator;
    if (i->formulation != TAUT_FORMULATION_THETA || i->newton < 2) {
        return refuse("they need the theta method with Newton's method (integrator.newton above 1), whose step is the "
                      "solution of equations that can be derived");
    }
    if (i->beta == 0 || i->substeps != 1 || i->two_stage || i->sdirk || i->split_forces || i->project_positions > 0 ||
        i->project_velocities) {
        return refuse("they need beta above 0 and one substep, without two_stage, sdirk, split_forces and projections");
    }
    return i->hard_row_damping > 0 ? refuse("they need hard_row_damping = 0: the damping it gives depends on the state")
                                   : TAUT_OK;
}

/* Force elements and linear rows at mapped points. */
static bool has_mapped_elements(const taut_world* world) {
    const taut_fields* f = &world->plan.fields;
    const taut_sizes* s = &world->plan.sizes;
    bool any = false;
    for (int k = TAUT_FIRST_LOAD_KIND; is_load_kind(k); k++) {
        for (size_t i = 0; i < s->count[k] * taut_kind_shapes[k].nodes; i++) {
            any = any || taut_is_mapped(&world->plan.sizes, f->kinds[k].nodes[i]);
        }
    }
    for (size_t e = 0; s->count[TAUT_LINEAR] > 0 && e < f->linear_begin[s->count[TAUT_LINEAR]]; e++) {
        any = any || taut_is_mapped(&world->plan.sizes, f->linear_coordinate[e] / 3);
    }
    return any;
}

static bool has_motors(const taut_world* world) {
    bool any = false;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = 0; may_be_motor(k) && c < world->plan.sizes.count[k]; c++) {
            any = any || asks_for_speed(&world->plan.fields.kinds[k], c);
        }
    }
    return any;
}

static taut_status check_elements(const taut_world* world) {
    const taut_kind_fields* f = &world->plan.fields.kinds[TAUT_SOLID];
    if (has_mapped_elements(world)) {
        return refuse("force elements and linear rows at mapped points have none");
    }
    if (has_motors(world)) {
        return refuse("motors of joints have none");
    }
    for (size_t c = 0; c < world->plan.sizes.count[TAUT_SOLID]; c++) {
        if (f->damping[c] > 0) {
            return refuse("solids with damping have none");
        }
    }
    return TAUT_OK;
}

static taut_status check_world(const taut_world* world) {
    taut_status status = check_scene(world);
    status = status == TAUT_OK ? check_integrator(world) : status;
    return status == TAUT_OK ? check_elements(world) : status;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Values and flags that are handed out one after the other; NULL: they are counted. */
typedef struct supply {
    double* values;
    uint8_t* flags;
    size_t used, used_flags;
} supply;

static double* take(supply* from, size_t count) {
    double* taken = from->values != NULL ? from->values + from->used : NULL;
    from->used += count;
    return taken;
}

static uint8_t* take_flags(supply* from, size_t count) {
    uint8_t* taken = from->flags != NULL ? from->flags + from->used_flags : NULL;
    from->used_flags += count;
    return taken;
}

static void hand_out(taut_gradients* g, supply* from) {
    const taut_sizes* s = &g->world->plan.sizes;
    const size_t nodes = 3 * s->nodes, rows = taut_given_rows(s);
    for (uint32_t i = 0; i < g->room; i++) {
        g->records[i] = (taut_step_record){.x = take(from, nodes),
                                           .v = take(from, nodes),
                                           .dv = take(from, nodes),
                                           .orientation = take(from, 4 * s->frames),
                                           .gam = take(from, rows),
                                           .rate = take(from, rows),
                                           .moved = take_flags(from, rows),
                                           .led = take_flags(from, s->nodes)};
    }
    for (uint32_t i = 0; g->notes != NULL && i < g->room; i++) {
        g->records[i].contact_room = g->contact_room;
        g->records[i].contacts = g->notes + g->contact_room * i;
    }
    g->sums = (taut_adjoint_sums){.seeds = g->sums.seeds,
                                  .x = take(from, nodes),
                                  .v = take(from, nodes),
                                  .force = take(from, nodes),
                                  .goal = take(from, nodes),
                                  .mass = take(from, s->nodes),
                                  .inertia = take(from, 6 * s->frames),
                                  .friction = take(from, (size_t)s->materials * s->materials),
                                  .restitution = take(from, (size_t)s->materials * s->materials),
                                  .rest = take(from, rows),
                                  .target = take(from, rows),
                                  .damping = take(from, taut_adjoint_first(s, TAUT_KIND_COUNT, false)),
                                  .compliance = take(from, taut_adjoint_first(s, TAUT_KIND_COUNT, true))};
}

static taut_status take_memory(taut_gradients* g) {
    supply need = {0};
    g->records = taut_allocate(&g->allocator, ((size_t)g->room + 1) * sizeof *g->records);
    if (g->records == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    hand_out(g, &need);
    g->bytes = (need.used + 1) * sizeof(double);
    g->flag_bytes = need.used_flags + 1;
    g->values = taut_allocate(&g->allocator, g->bytes);
    g->flags = taut_allocate(&g->allocator, g->flag_bytes);
    g->saved = taut_allocate(&g->allocator, g->saved_bytes);
    g->contact_room = taut_adjoint_contacts(&g->world->plan.sizes);
    g->note_bytes = (g->contact_room * g->room + 1) * sizeof *g->notes;
    g->seed_bytes = (2 * g->contact_room + 1) * sizeof *g->sums.seeds;
    g->notes = taut_allocate(&g->allocator, g->note_bytes);
    g->sums.seeds = taut_allocate(&g->allocator, g->seed_bytes);
    if (g->values == NULL || g->flags == NULL || g->saved == NULL || g->notes == NULL || g->sums.seeds == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    hand_out(g, &(supply){g->values, g->flags, 0, 0});
    return TAUT_OK;
}

void taut_gradients_destroy(taut_gradients* g) {
    if (g == NULL) {
        return;
    }
    const taut_allocator allocator = g->allocator;
    if (g->adjoint != NULL) {
        g->world->backend->adjoint_free(g->adjoint);
    }
    taut_release(&allocator, g->records, ((size_t)g->room + 1) * sizeof *g->records);
    taut_release(&allocator, g->values, g->bytes);
    taut_release(&allocator, g->flags, g->flag_bytes);
    taut_release(&allocator, g->saved, g->saved_bytes);
    taut_release(&allocator, g->notes, g->note_bytes);
    taut_release(&allocator, g->sums.seeds, g->seed_bytes);
    taut_release(&allocator, g, sizeof *g);
}

static taut_status check_create(taut_world* world, uint32_t steps, taut_gradients** gradients) {
    if (world == NULL || gradients == NULL || steps == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and gradients must not be NULL, and "
                                                "steps not 0.");
    }
    if (world->backend->adjoint_make == NULL) {
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "gradients: the %s backend has none; create the world on the CPU.",
                         world->backend->name);
    }
    if (world->plan.sizes.sleeps) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "gradients: worlds in which something may sleep have none.");
    }
    return check_world(world);
}

taut_status taut_gradients_create(taut_world* world, uint32_t steps, taut_gradients** gradients) {
    taut_status status = check_create(world, steps, gradients);
    if (status != TAUT_OK) {
        return status;
    }
    taut_gradients* g = taut_allocate(&world->allocator, sizeof *g);
    if (g == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    g->allocator = world->allocator;
    g->world = world;
    g->room = steps;
    status = taut_world_state_size(world, &g->saved_bytes);
    status = status == TAUT_OK ? take_memory(g) : status;
    status = status == TAUT_OK ? world->backend->adjoint_make(world->state, &g->adjoint) : status;
    status = status == TAUT_OK ? world_take_as_fitting(world) : status;
    if (status != TAUT_OK) {
        taut_gradients_destroy(g);
        return status;
    }
    *gradients = g;
    return TAUT_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Rest values of constraint c that go to a goal: one for each of its rows. */
static void begin_goals(const taut_kind_fields* f, const taut_kind_shape* shape, size_t c, uint32_t tick, double dt,
                        size_t first_row, taut_step_record* r) {
    const bool goes = f->goal_tick[c] >= tick;
    for (size_t a = 0; goes && a < shape->moves; a++) {
        const size_t row = first_row + shape->rows * c + a;
        r->moved[row] = 1;
        r->rate[row] = (f->goal[shape->moves * c + a] - f->rest[shape->rest * c + a]) / dt;
    }
}

/* Before the step: where things are, and what goes to a goal in it. */
static void begin_record(const taut_gradients* g, double dt, taut_step_record* r) {
    const taut_sizes* s = &g->world->plan.sizes;
    const taut_fields* f = &g->world->plan.fields;
    const uint32_t tick = world_next_tick(g->world);
    r->h = dt;
    r->parameters = gradient_parameters(g->world);
    memcpy(r->x, f->x, 3 * s->nodes * sizeof *r->x);
    for (size_t n = 0; n < s->nodes; n++) {
        r->led[n] = (uint8_t)(f->node_goal_tick[n] >= tick       ? TAUT_NODE_WENT
                              : f->node_goal_tick[n] == tick - 1 ? TAUT_NODE_ARRIVED
                                                                 : TAUT_NODE_AS_IT_WAS);
    }
    memcpy(r->orientation, f->orientation, 4 * s->frames * sizeof *r->orientation);
    memset(r->moved, 0, taut_given_rows(s));
    memset(r->rate, 0, taut_given_rows(s) * sizeof *r->rate);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = 0; taut_kind_shapes[k].moves > 0 && c < s->count[k]; c++) {
            begin_goals(&f->kinds[k], &taut_kind_shapes[k], c, tick, dt, s->first_row[k], r);
        }
    }
}

static void end_record(const taut_gradients* g, taut_step_record* r) {
    const taut_sizes* s = &g->world->plan.sizes;
    const taut_fields* f = &g->world->plan.fields;
    r->steps = g->world->steps;
    memcpy(r->v, f->v0, 3 * s->nodes * sizeof *r->v);
    memcpy(r->dv, f->dv, 3 * s->nodes * sizeof *r->dv);
    for (size_t i = 0; i < taut_given_rows(s); i++) {
        r->gam[i] = f->lam[i] * r->h;
    }
}

static taut_status no_gradient(const char* reason) {
    return taut_fail(TAUT_DIVERGED, "gradients: the step has none, and was taken back: %s.", reason);
}

/* Forces on mapped points, and frames whose angular momentum the step may have left: it is solved for turns of less
 * than about a radian. */
static taut_status check_nodes(const taut_gradients* g, const taut_step_record* r) {
    const taut_sizes* s = &g->world->plan.sizes;
    const double beta = g->world->plan.settings.integrator.beta;
    for (size_t i = 3 * s->simple; i < 3 * s->points; i++) {
        if (g->world->plan.fields.force[i] != 0) {
            return no_gradient("a force acts on a mapped point");
        }
    }
    for (size_t n = s->points; n < s->nodes; n++) {
        double rate2 = 0;
        for (size_t a = 3 * n; a < 3 * n + 3; a++) {
            const double rate = r->v[a] + beta * r->dv[a];
            rate2 += rate * rate;
        }
        if (r->led[n] != TAUT_NODE_AS_IT_WAS) {
            return no_gradient("a frame goes to a goal; let a drive do that");
        }
        if (r->h * r->h * rate2 > 1) {
            return no_gradient("a frame turns by more than a radian; take shorter steps");
        }
    }
    return TAUT_OK;
}

/* Whether points are where the equations of the step bring them: what would still pass through something else is
 * stopped afterwards. */
static bool is_elsewhere(const taut_gradients* g, const taut_step_record* r) {
    const taut_fields* f = &g->world->plan.fields;
    const double beta = g->world->plan.settings.integrator.beta;
    bool elsewhere = false;
    for (size_t i = 0; i < 3 * g->world->plan.sizes.simple; i++) {
        const double x = r->x[i] + r->h * (r->v[i] + beta * r->dv[i]);
        elsewhere = elsewhere || !(fabs(f->x[i] - x) <= 1e-10 * (1 + fabs(x)));
    }
    return elsewhere;
}

static taut_status end_contacts(const taut_gradients* g, taut_step_record* r) {
    if (g->world->plan.sizes.touches && is_elsewhere(g, r)) {
        return no_gradient("something would have passed through another thing, and was stopped; take shorter steps");
    }
    const char* refused = g->world->backend->adjoint_note(g->adjoint, r);
    return refused != NULL ? no_gradient(refused) : TAUT_OK;
}

/* Whether a row of constraint c has more than the C/(h l) of its law: a least compliance, which depends on the state.
 * Weights of other rows may hold the shifts of solvers. */
static bool is_softened(const taut_world* world, taut_kind k, size_t c, double h) {
    const taut_fields* all = &world->plan.fields;
    const taut_kind_fields* f = &all->kinds[k];
    const taut_integrator* scheme = &world->plan.settings.integrator;
    const size_t rows = taut_kind_shapes[k].rows, block = taut_kind_shapes[k].packed * c;
    const double length = scheme->alpha * (h * scheme->beta + f->damping[c]);
    bool any = false;
    for (size_t r = 0; r < rows; r++) {
        const size_t row = world->plan.sizes.first_row[k] +
                           taut_unknown_place(&world->plan.sizes, world->plan.sizes.count[k], rows, c, r);
        const bool may = all->redundant[row] >= TAUT_CONTRADICTING || (k == TAUT_DISTANCE && all->span[c].length > 0);
        const size_t value = block + packed_index(r, r);
        any = any || (may && f->weight[value] > 1.00001 * f->compliance[value] / (h * length));
    }
    return any;
}

static bool has_softened(const taut_world* world, double h) {
    static const taut_kind kinds[] = {TAUT_DISTANCE, TAUT_BEND, TAUT_MEMBRANE, TAUT_TET_VOLUME, TAUT_TET_STRAIN};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (size_t c = 0; c < world->plan.sizes.count[kinds[i]]; c++) {
            if (is_softened(world, kinds[i], c, h)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the step that was made is one that Newton's method has solved. */
static taut_status check_made(const taut_gradients* g, const taut_step_record* r) {
    const taut_sizes* s = &g->world->plan.sizes;
    taut_step_info info;
    const taut_status status = taut_world_info(g->world, &info);
    if (status != TAUT_OK) {
        return status;
    }
    if (!(info.newton_residual <= g->world->plan.settings.integrator.newton_tolerance)) {
        return taut_fail(
            TAUT_DIVERGED,
            "gradients: the step has none, and was taken back: Newton's method ended with the residual %g "
            "after %u linearisations, above newton_tolerance; solve more closely (solver.tolerance is %g), "
            "take shorter steps, or allow more.",
            info.newton_residual, info.linearisations, g->world->plan.settings.solver.tolerance);
    }
    if (info.damped > 0 || memcmp(r->x, g->world->plan.fields.x0, 3 * s->simple * sizeof *r->x) != 0) {
        return taut_fail(TAUT_DIVERGED,
                         "gradients: the step has none, and was taken back: an impact of something fast has cut it, or "
                         "the guard has "
                         "made it in parts (%u) or taken motion away (%u); take shorter steps.",
                         info.subdivided, info.damped);
    }
    return info.softened > 0 || has_softened(g->world, r->h)
               ? no_gradient("hard constraints contradict each other; give them compliance")
               : TAUT_OK;
}

/* A step that is as stretched as Newton's method finds it: shorter parts would be another one. */
static taut_status step_as_asked(taut_world* world, double dt) {
    const uint32_t further = world->plan.settings.integrator.further;
    world->plan.settings.integrator.further = 0;
    world->plan.settings.derived = true;
    const taut_status status = taut_world_step(world, dt);
    world->plan.settings.derived = false;
    world->plan.settings.integrator.further = further;
    return status;
}

/* Derivatives do not go through steps that are not recorded. */
static taut_status check_next(const taut_gradients* g, double dt) {
    if (g->count == g->room) {
        return taut_fail(TAUT_OUT_OF_CAPACITY, "there is room for %u steps.", g->room);
    }
    if (world_begins_anew(g->world, dt)) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "the step is too long after the last one, of which it takes no forces over: it has no "
                         "derivatives.");
    }
    return g->count > 0 && g->world->steps > g->records[g->count - 1].steps
               ? taut_fail(TAUT_INVALID_ARGUMENT,
                           "the world has made a step that is not recorded since the last one that "
                           "is; record all of them, or clear the gradients before.")
               : TAUT_OK;
}

taut_status taut_gradients_step(taut_gradients* g, double dt) {
    if (g == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "gradients must not be NULL.");
    }
    taut_status status = check_world(g->world);
    status = status == TAUT_OK ? check_next(g, dt) : status;
    size_t bytes = 0;
    status = status == TAUT_OK ? taut_world_save(g->world, g->saved_bytes, g->saved, &bytes) : status;
    if (status != TAUT_OK) {
        return status;
    }
    taut_step_record* record = &g->records[g->count];
    begin_record(g, dt, record);
    status = step_as_asked(g->world, dt);
    if (status != TAUT_OK) {
        return status;
    }
    status = check_made(g, record);
    if (status == TAUT_OK) {
        end_record(g, record);
        status = check_nodes(g, record);
        status = status == TAUT_OK ? end_contacts(g, record) : status;
    }
    if (status != TAUT_OK) {
        (void)taut_world_load(g->world, g->saved, bytes);
        return status;
    }
    g->sums.seed_count = 0; /* those of a later step */
    g->count++;
    return TAUT_OK;
}

uint32_t taut_gradients_count(const taut_gradients* g) {
    return g != NULL ? g->count : 0;
}

/* ---- back -------------------------------------------------------------------------------------------------------- */

static void to_inside(const taut_world* world, const double* from, double* to) {
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) {
        memcpy(to + 3 * world_node(world, n), from + 3 * n, 3 * sizeof *to);
    }
}

static void from_inside(const taut_world* world, const double* from, double* to) {
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) {
        memcpy(to + 3 * n, from + 3 * world_node(world, n), 3 * sizeof *to);
    }
}

/* Whether the world still has what the last recorded step was made with. */
static taut_status check_parameters(const taut_gradients* g) {
    return gradient_parameters(g->world) == g->records[g->count - 1].parameters
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT,
                           "the recorded step was made with other parameters than the world has: "
                           "compliances, moduli, dampings, bounds, pressures, wind, what is fixed, broken or taken "
                           "away, alpha, beta or mass_damping; set them as they were at that step.");
}

static taut_status check_derivatives(const taut_world* world, const char* by, const double* values) {
    for (size_t i = 0; i < 3 * world->plan.sizes.nodes; i++) {
        if (!isfinite(values[i])) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "the derivative by component %zu of %s %zu is %g; it must be finite.", i % 3, by, i / 3,
                             values[i]);
        }
    }
    return TAUT_OK;
}

taut_status taut_gradients_back(taut_gradients* g, double* positions, double* velocities) {
    if (g == NULL || positions == NULL || velocities == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "gradients and arrays must not be NULL.");
    }
    if (g->count == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "no step is recorded.");
    }
    taut_status status = check_world(g->world);
    status = status == TAUT_OK ? check_parameters(g) : status;
    status = status == TAUT_OK ? check_derivatives(g->world, "positions", positions) : status;
    status = status == TAUT_OK ? check_derivatives(g->world, "velocities", velocities) : status;
    if (status != TAUT_OK) {
        return status;
    }
    to_inside(g->world, positions, g->sums.x);
    to_inside(g->world, velocities, g->sums.v);
    if (!g->world->backend->adjoint_back(g->adjoint, &g->records[g->count - 1], &g->sums)) {
        return taut_fail(TAUT_DIVERGED, "the linear system of the step has no accurate solution: "
                                        "the step is near a bifurcation, or its rows depend on each other.");
    }
    g->count--;
    from_inside(g->world, g->sums.x, positions);
    from_inside(g->world, g->sums.v, velocities);
    return TAUT_OK;
}

taut_status taut_gradients_clear_sums(taut_gradients* g) {
    if (g == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "gradients must not be NULL.");
    }
    const taut_sizes* s = &g->world->plan.sizes;
    const size_t rows = taut_given_rows(s);
    memset(g->sums.force, 0, 3 * s->nodes * sizeof(double));
    memset(g->sums.goal, 0, 3 * s->nodes * sizeof(double));
    memset(g->sums.mass, 0, s->nodes * sizeof(double));
    memset(g->sums.inertia, 0, 6 * s->frames * sizeof(double));
    memset(g->sums.friction, 0, (size_t)s->materials * s->materials * sizeof(double));
    memset(g->sums.restitution, 0, (size_t)s->materials * s->materials * sizeof(double));
    memset(g->sums.gravity, 0, sizeof g->sums.gravity);
    memset(g->sums.rest, 0, rows * sizeof(double));
    memset(g->sums.target, 0, rows * sizeof(double));
    memset(g->sums.damping, 0, taut_adjoint_first(s, TAUT_KIND_COUNT, false) * sizeof(double));
    memset(g->sums.compliance, 0, taut_adjoint_first(s, TAUT_KIND_COUNT, true) * sizeof(double));
    return TAUT_OK;
}

taut_status taut_gradients_clear(taut_gradients* g) {
    const taut_status status = taut_gradients_clear_sums(g);
    if (status == TAUT_OK) {
        g->count = 0;
    }
    return status;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static const char* gradient_name(taut_gradient by) {
    static const char* const names[] = {
        [TAUT_GRADIENT_FORCES] = "forces",           [TAUT_GRADIENT_MASSES] = "masses",
        [TAUT_GRADIENT_GRAVITY] = "gravity",         [TAUT_GRADIENT_FIXED_GOALS] = "fixed_goals",
        [TAUT_GRADIENT_COMPLIANCES] = "compliances", [TAUT_GRADIENT_DAMPINGS] = "dampings",
        [TAUT_GRADIENT_REST_VALUES] = "rest_values", [TAUT_GRADIENT_TARGETS] = "targets",
        [TAUT_GRADIENT_TORQUES] = "torques",         [TAUT_GRADIENT_INERTIAS] = "inertias",
        [TAUT_GRADIENT_FRICTIONS] = "frictions",     [TAUT_GRADIENT_RESTITUTIONS] = "restitutions"};
    const size_t i = (size_t)by;
    return i < sizeof names / sizeof names[0] && names[i] != NULL ? names[i] : "what is unknown";
}

/* Sums of what belongs to no batch. */
typedef struct sum_table {
    const double* sums;
    size_t rows, columns;
    bool of_points;
} sum_table;

static sum_table find_sums(const taut_gradients* g, taut_gradient by) {
    const taut_sizes* s = &g->world->plan.sizes;
    switch (by) {
    case TAUT_GRADIENT_FORCES:
        return (sum_table){g->sums.force, s->points, 3, true};
    case TAUT_GRADIENT_MASSES:
        return (sum_table){g->sums.mass, s->points, 1, true};
    case TAUT_GRADIENT_GRAVITY:
        return (sum_table){g->sums.gravity, 1, 3, false};
    case TAUT_GRADIENT_FIXED_GOALS:
        return (sum_table){g->sums.goal, s->points, 3, true};
    case TAUT_GRADIENT_TORQUES:
        return (sum_table){g->sums.force + 3 * s->points, s->frames, 3, false};
    case TAUT_GRADIENT_INERTIAS:
        return (sum_table){g->sums.inertia, s->frames, 6, false};
    case TAUT_GRADIENT_FRICTIONS:
        return (sum_table){g->sums.friction, s->materials, s->materials, false};
    case TAUT_GRADIENT_RESTITUTIONS:
        return (sum_table){g->sums.restitution, s->materials, s->materials, false};
    default:
        return (sum_table){NULL, 0, 0, false};
    }
}

size_t taut_gradients_rows(const taut_gradients* g, taut_gradient by) {
    return g != NULL ? find_sums(g, by).rows : 0;
}

taut_status taut_gradients_read(const taut_gradients* g, taut_gradient by, size_t first, size_t count, double* out) {
    if (g == NULL || (out == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "gradients and out must not be NULL.");
    }
    const sum_table table = find_sums(g, by);
    if (table.sums == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "gradients by %s belong to a batch.", gradient_name(by));
    }
    const taut_status status = world_check_range("rows", first, count, table.rows);
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t at = table.of_points ? world_node(g->world, first + i) : first + i;
        memcpy(out + table.columns * i, table.sums + table.columns * at, table.columns * sizeof *out);
    }
    return status;
}

/* dL/d(compliance) of constraint c: the sums by the values of its block, which is linear in the user's values. */
static void read_compliance(const taut_gradients* g, const scene_batch* b, size_t c, double* out) {
    const taut_kind_shape* shape = &taut_kind_shapes[b->kind];
    const double* sums =
        g->sums.compliance + taut_adjoint_first(&g->world->plan.sizes, (int)b->kind, true) + shape->packed * c;
    double block[6 * 7 / 2];
    if (shape->axes > 1) { /* a value for each row */
        for (size_t r = 0; r < shape->axes; r++) {
            out[r] = sums[packed_index(r, r)];
        }
        return;
    }
    scene_compliance_block(b->kind, 1, b->poisson, g->world->plan.fields.kinds[b->kind].measure[c], block);
    *out = 0;
    for (size_t i = 0; i < shape->packed; i++) {
        *out += sums[i] * block[i];
    }
}

/* Values per constraint, or 0 where a kind has none. */
static size_t values_of(taut_kind kind, taut_gradient by) {
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    const bool rows = shape->rows > 0;
    switch (by) {
    case TAUT_GRADIENT_COMPLIANCES:
        return rows ? shape->axes : 0;
    case TAUT_GRADIENT_DAMPINGS:
        return rows ? 1 : 0;
    case TAUT_GRADIENT_REST_VALUES:
        return rows && shape->rest == 1 ? 1 : shape->moves;
    case TAUT_GRADIENT_TARGETS:
        return shape->moves;
    default:
        return 0;
    }
}

static void read_constraint(const taut_gradients* g, const scene_batch* b, taut_gradient by, size_t c, double* out) {
    const taut_sizes* s = &g->world->plan.sizes;
    const size_t row = s->first_row[b->kind] + taut_kind_shapes[b->kind].rows * c;
    if (by == TAUT_GRADIENT_COMPLIANCES) {
        read_compliance(g, b, c, out);
    } else if (by == TAUT_GRADIENT_DAMPINGS) {
        *out = g->sums.damping[taut_adjoint_first(s, (int)b->kind, false) + c];
    } else {
        const double* sums = by == TAUT_GRADIENT_TARGETS ? g->sums.target : g->sums.rest;
        memcpy(out, sums + row, values_of(b->kind, by) * sizeof *out);
    }
}

taut_status taut_gradients_read_batch(const taut_gradients* g, taut_batch batch, taut_gradient by, size_t first,
                                      size_t count, double* out) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    if (g == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "gradients must not be NULL.");
    }
    const taut_status status = world_find_constraints(g->world, batch, first, count, out, &b, &offset);
    const size_t values = status == TAUT_OK ? values_of(b->kind, by) : 0;
    if (status == TAUT_OK && values == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s constraints have no gradient by %s.", taut_kind_name(b->kind),
                         gradient_name(by));
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        read_constraint(g, b, by, world_constraint(g->world, b->kind, offset + i), out + values * i);
    }
    return status;
}
