/* The step of a world, and what it reports. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/ranges.h"
#include "base/status.h"
#include "host/world/world_budget.h"
#include "model/step_program.h"
#include "model/zone_rounds.h"

#include <math.h>
#include <string.h>

#define SHORTEST_STEP 1e-9
#define LONGEST_STEP  1e6
/* A step longer by more than that takes no forces over: those of the last one were blows. An overlap that has not
 * changed since a long step is undone in the short one, by a force that grows as the inverse of its length. */
#define LONGER_STEP 1e5
/* So many times its length the pace is kept, and then halved. */
#define PACE_KEPT 4
/* What is violated waits in a step so many times shorter than what is left of a longer one: there it would be a blow.
 */
#define PACE_BLOW 32
/* s: in which the fading one fades to 1/e; the steady one follows where less than this part of it is left. Between,
 * steps of one length have the same parameters, and a device is not told of them. */
#define PACE_FADES 5
#define PACE_LEFT  0.9

typedef struct stage_clock {
    taut_world* world;
    double last;
} stage_clock;

static void stage_begin(stage_clock* clock, taut_stage stage) {
    taut_range_push(clock->world->plan.ranges, taut_stage_name(stage));
    if (clock->world->plan.profile) {
        clock->last = taut_seconds();
    }
}

static void stage_end(stage_clock* clock, taut_stage stage) {
    if (clock->world->plan.profile) {
        clock->world->stage_seconds[stage] += taut_seconds() - clock->last;
    }
    taut_range_pop(clock->world->plan.ranges);
}

static taut_status diverged(const taut_world* world, const taut_report* report) {
    const uint32_t capacity = world->plan.sizes.contact_capacity;
    if (report->contacts > capacity) {
        return taut_fail(TAUT_OUT_OF_CAPACITY,
                         "a step after %llu good ones needed %u contacts at t = %g s; the world has room for %u "
                         "(contact.capacity). The last good state is kept.",
                         (unsigned long long)report->steps, report->contacts, report->time, capacity);
    }
    return taut_fail(
        TAUT_DIVERGED,
        "a step after %llu good ones diverged at t = %g s: the new state is not finite or faster than %g m/s; "
        "the last good state is kept.",
        (unsigned long long)report->steps, report->time, world->plan.settings.speed_limit);
}

/* The operations of a substep for a backend that works where the host does. Failures end it. */
typedef struct substep {
    taut_world* world;
    double h;
    stage_clock clock;
    taut_report report;
    taut_status status;
} substep;

static bool runs(const substep* s) {
    return s->status == TAUT_OK && !s->report.diverged;
}

/* `call` as part of a stage. */
#define STAGE(s, stage, call)                                                                                          \
    if (runs(s)) {                                                                                                     \
        stage_begin(&(s)->clock, stage);                                                                               \
        (s)->world->backend->call;                                                                                     \
        stage_end(&(s)->clock, stage);                                                                                 \
    }

static void do_collide(void* self) {
    substep* s = self;
    if (s->world->plan.sizes.touches) {
        STAGE(s, TAUT_STAGE_COLLIDE, collide(s->world->state, s->h))
        s->status = s->world->backend->sync(s->world->state, &s->report);
    }
    if (runs(s)) {
        s->world->backend->note(s->world->state);
    }
}

static void do_assemble(void* self, taut_phase phase) {
    substep* s = self;
    STAGE(s, TAUT_STAGE_ASSEMBLE, assemble(s->world->state, s->h, phase))
}

static void do_solve(void* self, taut_phase phase) {
    substep* s = self;
    STAGE(s, TAUT_STAGE_SOLVE, solve(s->world->state, s->h, phase))
    if (runs(s) && s->world->stop) {
        s->status = taut_fail(TAUT_STOPPED, "the step was stopped at t = %g s.", s->report.time);
    }
}

static void do_move(void* self, taut_phase phase, taut_move move) {
    substep* s = self;
    STAGE(s, TAUT_STAGE_INTEGRATE, move(s->world->state, s->h, phase, move))
    if (s->status == TAUT_OK) {
        s->status = s->world->backend->sync(s->world->state, &s->report);
    }
}

static void do_evaluate(void* self) {
    substep* s = self;
    STAGE(s, TAUT_STAGE_EVALUATE, evaluate(s->world->state))
}

static void do_check_residual(void* self, taut_phase phase) {
    substep* s = self;
    (void)phase;
    STAGE(s, TAUT_STAGE_SOLVE, check_residual(s->world->state))
}

static void do_repeat(void* self, taut_program_part* body, taut_phase phase);
static void do_if_solving(void* self, taut_program_part* body, taut_phase phase);
static void do_if_ahead(void* self, bool ahead, taut_program_part* body, taut_phase phase);
static void do_if_stretched(void* self, taut_program_part* body, taut_phase phase);

static taut_program program_of(substep* s) {
    return (taut_program){
        s,         do_collide,    do_assemble, do_solve,       do_move, do_evaluate, do_check_residual,
        do_repeat, do_if_solving, do_if_ahead, do_if_stretched};
}

static void do_repeat(void* self, taut_program_part* body, taut_phase phase) {
    substep* s = self;
    const taut_program program = program_of(s);
    do {
        body(&program, phase);
    } while (runs(s) && s->world->backend->newton_goes_on(s->world->state, false));
}

static void do_if_solving(void* self, taut_program_part* body, taut_phase phase) {
    substep* s = self;
    const taut_program program = program_of(s);
    if (runs(s) && s->world->backend->newton_goes_on(s->world->state, true)) {
        body(&program, phase);
    }
}

static void do_if_ahead(void* self, bool ahead, taut_program_part* body, taut_phase phase) {
    substep* s = self;
    const taut_program program = program_of(s);
    if (runs(s) && taut_guard_ahead(&s->world->guard) == ahead) {
        body(&program, phase);
    }
}

static void do_if_stretched(void* self, taut_program_part* body, taut_phase phase) {
    substep* s = self;
    const taut_program program = program_of(s);
    if (runs(s) && s->world->backend->is_stretched(s->world->state, &s->world->guard)) {
        body(&program, phase);
    }
}

/* Of the state as it was evaluated. */
static double stretch_of(const taut_world* world) {
    taut_report report = {.stretch = 0};
    world->backend->sync(world->state, &report);
    return report.stretch;
}

/* Judges what an attempt has done, and takes velocity away until that is decided; `together`: zones have joined what
 * moves; `began`: its stretch before. False: nothing helps. */
static bool judge(const substep* s, const taut_integrator* own, const taut_guard_scale* scale, double began,
                  bool together) {
    taut_guard* guard = &s->world->guard;
    const bool watches = taut_guard_watches(own), late = world_budget_is_spent(s->world);
    const uint32_t limit = late ? 0 : s->world->plan.settings.solver.max_iterations;
    if (s->report.diverged) {
        const taut_attempt attempt = {.finite = false, .hard = TAUT_GUARD_ENOUGH, .h = scale->h};
        return taut_guard_judge(guard, &attempt, own->guard, watches, limit);
    }
    const bool mends = taut_guard_mends(own) && taut_guard_stretches(began, stretch_of(s->world), s->report.steps == 0);
    const taut_guard_terms terms = {*scale, limit, own->guard, watches, late, together, mends, began};
    return s->world->backend->judge(s->world->state, &terms, guard);
}

/* ---- what would pass through each other -------------------------------------------------------------------------- */

static bool crosses(substep* s) {
    bool any = false;
    if (runs(s) && s->world->plan.sizes.watches) {
        stage_begin(&s->clock, TAUT_STAGE_COLLIDE);
        any = s->world->backend->find_crossings(s->world->state);
        stage_end(&s->clock, TAUT_STAGE_COLLIDE);
    }
    return any;
}

/* The substep, again with contacts of what would have passed through each other. True: something still would. */
static bool solve_without_crossings(substep* s, const taut_program* program, const taut_integrator* own) {
    const taut_backend* backend = s->world->backend;
    taut_program_substep(program, own);
    bool any = crosses(s);
    for (uint32_t round = 0; any && round < TAUT_CROSSING_ROUNDS; round++) {
        backend->list_crossings(s->world->state, round);
        backend->rewind(s->world->state);
        taut_program_substep(program, own);
        any = crosses(s);
    }
    return any;
}

/* Likewise a piece; one of flight in which something that flies is turned aside into something else is none. */
static bool solve_piece(substep* s, const taut_program* program, const taut_integrator* own) {
    const taut_backend* backend = s->world->backend;
    bool any = solve_without_crossings(s, program, own);
    if (runs(s) && s->world->plan.settings.piece == TAUT_PIECE_FLIGHT && backend->flight_ends(s->world->state)) {
        s->world->plan.settings.piece = TAUT_PIECE_WHOLE;
        backend->rewind(s->world->state);
        any = solve_without_crossings(s, program, own);
    }
    return any;
}

/* What still would pass through each other moves together, or stops. True: something still would. */
static bool hold_zones(substep* s) {
    const taut_backend* backend = s->world->backend;
    taut_backend_state* state = s->world->state;
    taut_zone_rounds rounds = taut_zone_begin(true);
    backend->clear_zones(state);
    while (rounds.goes_on) {
        bool moved = true;
        if (rounds.stops) {
            backend->stop_zones(state, rounds.share);
        } else {
            moved = backend->move_zones(state, s->h);
        }
        taut_zone_next(&rounds, moved, !moved || crosses(s));
    }
    backend->evaluate(state);
    return rounds.through;
}

/* The integrator of an attempt at a part of `whole`; an impact is linear. */
static void choose_integrator(taut_world* world, const taut_integrator* own, double whole) {
    taut_settings* settings = &world->plan.settings;
    const taut_guard* guard = &world->guard;
    const bool impact = settings->piece == TAUT_PIECE_IMPACT;
    taut_integrator i = taut_guard_integrator(own, guard->level, guard->slower);
    if ((own->newton > 1 && guard->resigned > 0) || !taut_guard_renews(guard) || impact) {
        i.further = 0;
    }
    i = taut_of_piece(i, settings, whole);
    i.newton = impact ? 1 : i.newton;
    settings->integrator = i;
    settings->loose = guard->level > 0 && guard->resigned == 0 && newton_looks(&i);
    settings->slower = guard->slower;
    settings->softened = guard->softened > 0;
    settings->staged = own->sdirk;
    settings->renews = own->newton > 1;
}

/* One attempt at a part of a substep of `whole`. Solids that rows do not keep apart, though the system was solved, meet
 * in the middle of it: a shorter part knows where and how, and a zone would stop them. */
static taut_status attempt_part(taut_world* world, double whole, const taut_integrator* own, stage_clock* clock) {
    const taut_backend* backend = world->backend;
    const double all = fmax(taut_undoing_time(&world->plan.settings), whole);
    const double h = whole * taut_guard_length(&world->guard) / TAUT_GUARD_PARTS;
    substep s = {.world = world, .h = h * taut_guard_stage(own, world->guard.level), .clock = *clock};
    const taut_program program = program_of(&s);
    choose_integrator(world, own, whole);
    const double began = stretch_of(world);
    backend->turn_targets(world->state, h);
    backend->keep(world->state);
    const bool held = solve_piece(&s, &program, own);
    const bool solids = held && s.report.outcome == TAUT_SOLVE_CONVERGED && backend->solids_cross(world->state);
    bool through = held && hold_zones(&s);
    backend->clear_crossings(world->state); /* they are of this attempt */
    const taut_guard_scale scale = taut_guard_scale_with(taut_guard_undamped(own), &s.report, h, all);
    const bool room = s.report.contacts <= world->plan.sizes.contact_capacity;
    const taut_guard before = world->guard;
    if (s.status == TAUT_OK && room && judge(&s, own, &scale, began, held)) {
        const bool kept = world->guard.verdict == TAUT_VERDICT_KEPT;
        if (kept && world->guard.damped && crosses(&s)) { /* what was slowed down, by what moves on */
            through = hold_zones(&s);
        }
        if (kept && !((through || solids) && own->guard && taut_guard_shorten(&world->guard, &before))) {
            backend->end_part(world->state, h, world->guard.damped, held, through);
        } else {
            backend->restore(world->state);
            if (s.report.diverged) { /* impulses may have been what broke it */
                backend->forget_impulses(world->state);
            }
        }
        return TAUT_OK;
    }
    backend->restore(world->state);
    if (room) { /* impulses may have been what broke it */
        backend->forget_impulses(world->state);
    }
    return s.status == TAUT_OK ? diverged(world, &s.report) : s.status;
}

/* Before the next attempt at a part: what flies goes on in one of its length, also where the guard has chosen that. */
static void fly_on(taut_world* world, taut_impacts* impacts, double piece, const taut_integrator* own) {
    const double h = piece * taut_guard_length(&world->guard) / TAUT_GUARD_PARTS;
    if (impacts != NULL && h != impacts->last) {
        world->plan.settings.integrator = *own;
        world->backend->begin_piece(world->state, impacts, h);
        impacts->last = h;
    }
}

/* A substep, or a piece of one that may be cut. */
static taut_status run_piece(taut_world* world, taut_impacts* impacts, double h, stage_clock* clock) {
    const taut_integrator own = world->plan.settings.integrator;
    taut_status status = TAUT_OK;
    taut_guard_begin(&world->guard);
    while (status == TAUT_OK && !taut_guard_over(&world->guard)) {
        fly_on(world, impacts, h, &own);
        status = attempt_part(world, h, &own, clock);
    }
    world->plan.settings.integrator = own;
    world->plan.settings.softened = world->plan.settings.loose = false;
    return status;
}

/* ---- substeps that are cut at impacts (model/impacts.h) ---------------------------------------------------------- */

static bool is_cut(const taut_world* world) {
    const taut_integrator* i = &world->plan.settings.integrator;
    return world->backend->find_meeting != NULL && world->plan.sizes.solids > 0 && i->guard &&
           i->formulation == TAUT_FORMULATION_THETA && i->beta > 0 && !i->sdirk && !i->two_stage && !i->split_forces &&
           i->project_positions == 0 && !i->project_velocities &&
           world->plan.settings.contact.law == TAUT_CONTACT_CONVEX;
}

static taut_status run_piece_of(taut_world* world, taut_impacts* impacts, double h, taut_piece piece, double touch,
                                stage_clock* clock) {
    taut_settings* settings = &world->plan.settings;
    const double tolerance = settings->solver.tolerance, sharp = fmin(tolerance, TAUT_IMPACT_TOLERANCE);
    settings->solver.tolerance = piece == TAUT_PIECE_IMPACT ? sharp : tolerance;
    settings->piece = piece;
    settings->whole = impacts->whole;
    settings->touch = touch;
    settings->begins = impacts->left == impacts->whole;
    const taut_status status = run_piece(world, impacts, h, clock);
    settings->solver.tolerance = tolerance;
    settings->piece = TAUT_PIECE_WHOLE;
    settings->whole = settings->touch = 0;
    settings->begins = false;
    impacts->left -= h;
    return status;
}

static taut_status run_impact(taut_world* world, taut_impacts* impacts, double touch, stage_clock* clock) {
    const double moment = impacts->whole * TAUT_IMPACT_TIME;
    taut_status status = TAUT_OK;
    for (uint32_t left = TAUT_IMPACT_STAGES; status == TAUT_OK && left > 0; left--) {
        world->plan.settings.share = 1.0 / left;
        status = run_piece_of(world, impacts, moment, TAUT_PIECE_IMPACT, touch, clock);
        if (status == TAUT_OK) {
            world->backend->end_impact(world->state, impacts, left == 1);
        }
    }
    return status;
}

/* Flies until something meets, and makes the impact, or all that is left. */
static taut_status run_to_impact(taut_world* world, taut_impacts* impacts, stage_clock* clock) {
    const bool may = impacts->count < TAUT_IMPACTS;
    const taut_meeting met =
        may ? world->backend->find_meeting(world->state, impacts) : (taut_meeting){impacts->left, false, 0};
    const double least = taut_impacts_least(impacts);
    taut_status status = TAUT_OK;
    if (met.time < least) {
        impacts->count++;
        return run_piece_of(world, impacts, least, TAUT_PIECE_WHOLE, 0, clock);
    }
    if (!(met.time < impacts->left)) {
        const taut_piece last = met.flies ? TAUT_PIECE_FLIGHT : TAUT_PIECE_WHOLE;
        status = run_piece_of(world, impacts, impacts->left, last, met.touch, clock);
        impacts->left = 0;
        return status;
    }
    if (met.time > impacts->whole * TAUT_IMPACT_TIME) {
        status = run_piece_of(world, impacts, met.time, TAUT_PIECE_FLIGHT, met.touch, clock);
    }
    impacts->count++;
    return status == TAUT_OK ? run_impact(world, impacts, met.touch, clock) : status;
}

static taut_status run_substep(taut_world* world, double h, stage_clock* clock) {
    taut_impacts impacts = {h, h, h, 0};
    taut_status status = TAUT_OK;
    if (!is_cut(world)) {
        status = run_piece(world, NULL, h, clock);
        impacts.left = 0;
    }
    while (status == TAUT_OK && impacts.left > 0) {
        status = run_to_impact(world, &impacts, clock);
    }
    if (impacts.last != h) {
        world->backend->end_pieces(world->state, &impacts);
    }
    if (status != TAUT_OK) {
        taut_guard_reset(&world->guard);
    }
    return status;
}

/* Where the backend does not do so itself. */
static void publish(taut_world* world) {
    if (world->backend->publish != NULL) {
        world->backend->publish(world->state);
    }
}

taut_status world_ready(taut_world* world) {
    return world->backend->ready != NULL ? world->backend->ready(world->state) : TAUT_OK;
}

taut_status world_refresh(taut_world* world) {
    const taut_status status = world_ready(world);
    if (status == TAUT_OK && world->stale) {
        world->backend->evaluate(world->state);
        publish(world);
        world->stale = world->query_trees = false;
    }
    return status;
}

taut_status world_retune(taut_world* world) {
    world->linear_h = 0;
    return world->backend->retune != NULL ? world->backend->retune(world->state) : TAUT_OK;
}

/* Nothing is left of a longer substep where this one is as long as that. */
static void note_due(taut_pace* pace, double h) {
    if (h >= pace->due) {
        pace->last = pace->due = h;
    }
}

static void note_longer(taut_pace* pace, double h) {
    pace->length = fmax(pace->length, h);
    pace->fading = fmax(pace->fading, h);
    pace->steady = fmax(pace->steady, h);
    note_due(pace, h);
}

/* The step stage by stage, for backends that work where the host does. */
static taut_status step_by_stages(taut_world* world, double dt) {
    stage_clock clock = {.world = world};
    uint32_t left = world_budget_begin(world);
    double h = dt / left;
    taut_status status = world_refresh(world);
    memset(world->stage_seconds, 0, sizeof world->stage_seconds);
    world->backend->begin(world->state, dt);
    left = world->backend->rest(world->state, dt) ? 0 : left;
    while (status == TAUT_OK && left > 0) {
        world_budget_open(world, h, left);
        status = run_substep(world, h, &clock);
        note_longer(&world->pace, h); /* in budgets there are fewer */
        const uint32_t next = world_budget_close(world, left - 1);
        h = next < left - 1 ? h * (left - 1) / next : h;
        left = next;
    }
    world->backend->rise(world->state, dt, status == TAUT_OK);
    if (status == TAUT_OK) {
        world->backend->end(world->state);
        world->steps++;
    }
    publish(world);
    return status;
}

/* A step that goes into a graph of the user's evaluates there, before each of its runs. */
static taut_status step_at_once(taut_world* world, double dt) {
    bool captured = false;
    taut_status status = TAUT_OK;
    if (world->stale && world_ready(world) == TAUT_OK) {
        status = world_refresh(world);
    }
    if (status == TAUT_OK) {
        status = world->backend->step(world->state, dt, &captured);
    }
    world->steps += status == TAUT_OK && !captured;
    world->captured = world->captured || captured;
    return status;
}

taut_status world_check_step(const taut_world* world, double dt, uint32_t substeps) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    if (!(dt / substeps >= SHORTEST_STEP && dt <= LONGEST_STEP)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the step is %g s in %u parts; each must lie in [%g, %g].", dt,
                         substeps, SHORTEST_STEP, LONGEST_STEP);
    }
    return TAUT_OK;
}

bool world_begins_anew(const taut_world* world, double h) {
    return world->pace.length > 0 && h > LONGER_STEP * world->pace.length;
}

static taut_status forget_blows(taut_world* world) {
    const taut_fields* f = &world->plan.fields;
    const size_t bytes = world->plan.sizes.rows * sizeof(double);
    taut_memory memory = {.guard = world->guard};
    world_wake_all(world);
    memset(f->lam, 0, bytes);
    memset(f->lam_smooth, 0, bytes);
    taut_status status = world_upload(world, f->lam, bytes);
    status = status == TAUT_OK ? world_upload(world, f->lam_smooth, bytes) : status;
    status = status == TAUT_OK ? world->backend->remember(world->state, &memory) : status;
    memory.impulse_step = 0;
    memory.samples = 0;
    return status == TAUT_OK ? world->backend->recall(world->state, &memory) : status;
}

/* A capture has no part in that. */
static taut_status forget(taut_world* world, double h) {
    taut_status status = TAUT_OK;
    if (world_ready(world) == TAUT_OK) {
        status = world_forget(world);
        status = status == TAUT_OK && world_begins_anew(world, h) ? forget_blows(world) : status;
    }
    return status;
}

/* A violation comes from the longest steps of late: undone in a much shorter one, it would be a blow. */
static void keep_pace(taut_world* world, double dt, uint32_t substeps) {
    const double h = dt / substeps;
    taut_pace* pace = &world->pace;
    pace->since += dt;
    pace->fading = fmax(h, pace->fading * exp(-dt / PACE_FADES));
    if (pace->fading >= pace->steady || pace->fading < PACE_LEFT * pace->steady) {
        pace->steady = pace->fading;
    }
    if (pace->since > PACE_KEPT * pace->length) {
        pace->length /= 2;
        pace->since = 0;
    }
    if (h >= pace->length) {
        pace->length = h;
        pace->since = 0;
    }
    note_due(pace, h);
    taut_settings* settings = &world->plan.settings;
    const bool paced = !settings->derived, turned = pace->due > (1 - TAUT_DEFERRED_PART) * pace->last;
    settings->pace = paced && pace->length > h ? pace->length : 0;
    settings->steady = paced && pace->steady > h ? pace->steady : 0;
    settings->due = paced && pace->due > PACE_BLOW * h ? pace->due : 0;
    settings->turned = paced && turned && pace->due > h ? pace->due : 0;
    pace->due = pace->due > h ? fmax(h, pace->due - dt) : h;
}

taut_status taut_world_step(taut_world* world, double dt) {
    const uint32_t substeps = world != NULL ? world->plan.settings.integrator.substeps : 1;
    taut_status status = world_check_step(world, dt, substeps);
    if (status != TAUT_OK) {
        return status;
    }
    world->linear_h = 0;
    world->query_trees = false;
    taut_range_push(world->plan.ranges, "step");
    status = forget(world, dt / substeps);
    const taut_pace pace = world->pace;
    keep_pace(world, dt, substeps);
    if (status == TAUT_OK) {
        status = world->backend->step != NULL ? step_at_once(world, dt) : step_by_stages(world, dt);
    }
    taut_range_pop(world->plan.ranges);
    if (status != TAUT_OK) {
        world->fault = status;
        world->pace = pace;
    }
    if (status == TAUT_STOPPED) {
        world->stop = 0;
    }
    return status;
}

void taut_world_stop(taut_world* world) {
    if (world != NULL) {
        world->stop = 1;
    }
}

taut_status taut_world_note_steps(taut_world* world, uint64_t steps) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    world->steps += steps;
    world->linear_h = 0;
    return TAUT_OK;
}

/* Waits for the backend, which is ready; what it has to say replaces what was assumed. */
static taut_status synchronise(taut_world* world) {
    taut_range_push(world->plan.ranges, "sync");
    const taut_status status = world->backend->sync(world->state, &world->report);
    taut_range_pop(world->plan.ranges);
    if (status != TAUT_OK) { /* what was enqueued may not have run */
        world->stale = true;
        world->linear_h = 0;
        return status;
    }
    world->steps = world->report.steps;
    if (world->report.divergences != world->divergences) {
        world->divergences = world->report.divergences;
        world->fault = diverged(world, &world->report);
    }
    return TAUT_OK;
}

taut_status taut_world_sync(taut_world* world) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    taut_status status = world_ready(world);
    if (status != TAUT_OK) { /* faults are told after the capture */
        return status;
    }
    status = synchronise(world);
    status = status == TAUT_OK ? world->fault : status;
    world->fault = TAUT_OK;
    return status;
}

/* What was solved to the tolerance of a solve whose time is up alone has not converged. */
static taut_outcome outcome_of(const taut_world* world, const taut_report* r) {
    const bool hurried = world->plan.deadline.hurried > 0 && r->residual > world->plan.settings.solver.tolerance;
    return hurried && r->outcome == TAUT_SOLVE_CONVERGED ? TAUT_SOLVE_ITERATION_LIMIT : r->outcome;
}

static void tell(const taut_world* world, const taut_report* r, taut_step_info* info, size_t size) {
    const uint32_t own = world->plan.settings.integrator.substeps;
    taut_step_info out = {.step = r->steps,
                          .time = r->time,
                          .outcome = outcome_of(world, r),
                          .subdivided = r->subdivided,
                          .softened = r->softened,
                          .damped = r->damped,
                          .iterations = r->iterations,
                          .outer_iterations = r->outer_iterations,
                          .residual = r->residual,
                          .complementarity = r->complementarity,
                          .broken = r->broken,
                          .contacts = r->contacts,
                          .penetration = r->max_violation[TAUT_CONTACT],
                          .linearisations = r->linearisations,
                          .newton_residual = r->newton_residual,
                          .kinetic = r->kinetic,
                          .potential = r->potential,
                          .elastic = r->elastic,
                          .work_forces = r->ledger.forces,
                          .work_drives = r->ledger.drives,
                          .dissipated = r->ledger.dissipated,
                          .numerical = r->ledger.numerical,
                          .resolved = r->resolved,
                          .zones = r->zones,
                          .tangled = r->tangled,
                          .overstretch = r->overstretch,
                          .substeps = world->backend->step == NULL ? world->budget.substeps : own,
                          .hurried = world->plan.deadline.hurried,
                          .inverted = (uint32_t)r->inverted,
                          .asleep = r->asleep};
    memcpy(out.max_violation, r->max_violation, sizeof r->max_violation);
    memcpy(out.momentum, r->momentum, sizeof r->momentum);
    for (int i = 0; i < TAUT_STAGE_COUNT; i++) {
        out.stage_seconds[i] = world->stage_seconds[i] + r->stage_seconds[i];
    }
    taut_copy_sized(info, size, &out, sizeof out);
}

taut_status taut_world_info_sized(taut_world* world, taut_step_info* info, size_t size) {
    if (world == NULL || info == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and info must not be NULL.");
    }
    taut_status status = world_refresh(world);
    if (status == TAUT_OK) {
        status = synchronise(world);
    }
    if (status == TAUT_OK) {
        tell(world, &world->report, info, size);
    }
    return status;
}

taut_status taut_world_poll_sized(taut_world* world, taut_step_info* info, size_t size) {
    if (world == NULL || info == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and info must not be NULL.");
    }
    taut_report report = world->report;
    world->backend->poll(world->state, &report);
    tell(world, &report, info, size);
    return TAUT_OK;
}

const char* taut_stage_name(taut_stage stage) {
    static const char* const names[TAUT_STAGE_COUNT] = {"evaluate", "assemble", "solve", "integrate", "collide"};
    return (unsigned)stage < TAUT_STAGE_COUNT ? names[stage] : "unknown";
}
