/* Worlds: creation and destruction. */
#include "host/world/world_changes.h"

#include "base/ranges.h"
#include "base/status.h"
#include "base/team.h"
#include "host/compile/compile.h"
#include "host/compile/contacts.h"
#include "host/scene/defaults.h"

#include <math.h>
#include <string.h>

/* Places of a kind, so that every row index has 32 bits. */
#define MOST_RESERVED (UINT32_C(1) << 24)

static taut_status check_method(const taut_solver* s) {
    if ((unsigned)s->method > TAUT_METHOD_PROJECTED_GRADIENT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: method %d does not exist.", (int)s->method);
    }
    if ((unsigned)s->preconditioner > TAUT_PRECONDITIONER_MULTILEVEL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: preconditioner %d does not exist.", (int)s->preconditioner);
    }
    if ((unsigned)s->cycle > TAUT_CYCLE_V) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: cycle %d does not exist.", (int)s->cycle);
    }
    const bool blocks = s->preconditioner == TAUT_PRECONDITIONER_BLOCK;
    if (s->method == TAUT_METHOD_CONDENSED && (blocks || s->preconditioner == TAUT_PRECONDITIONER_CHEBYSHEV)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: the %s preconditioner is for the Schur complement only.",
                         blocks ? "block" : "Chebyshev");
    }
    if (taut_takes_all(s->method) && s->preconditioner > TAUT_PRECONDITIONER_NONE) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "solver: Gauss-Seidel, projected gradients and the direct one take no preconditioner.");
    }
    return TAUT_OK;
}

taut_status world_check_solver(const taut_solver* s) {
    const taut_status reserved = world_check_reserved("solver", s->reserved, 8);
    const taut_status status = reserved == TAUT_OK ? check_method(s) : reserved;
    if (status != TAUT_OK) {
        return status;
    }
    if (!(s->tolerance > 0 && s->tolerance < 1)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: tolerance is %g; it must lie in (0, 1).", s->tolerance);
    }
    if (s->max_iterations == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: max_iterations must be at least 1.");
    }
    if (!(s->proximal <= 1e6)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: proximal is %g; it must be a number up to 1e6.", s->proximal);
    }
    if (s->block_size == 0 || s->block_size > 256) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: block_size is %u; it must lie in 1 to 256.", s->block_size);
    }
    if (s->chebyshev_degree == 0 || s->chebyshev_degree > 64) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: chebyshev_degree is %u; it must lie in 1 to 64.",
                         s->chebyshev_degree);
    }
    return TAUT_OK;
}

static taut_status check_contact(const taut_contact_settings* c) {
    if ((unsigned)c->friction > TAUT_FRICTION_CONVEX) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact: friction %d does not exist.", (int)c->friction);
    }
    if (c->law != TAUT_CONTACT_CONVEX && c->law != TAUT_CONTACT_EXACT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact: law %d does not exist.", (int)c->law);
    }
    if (!(c->margin >= 0 && c->margin <= TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact: margin is %g m; it must lie in [0, %g].", c->margin,
                         TAUT_MAX_LENGTH);
    }
    if (!(c->restitution_speed >= 0 && isfinite(c->restitution_speed))) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact: restitution_speed is %g m/s; it must be finite and >= 0.",
                         c->restitution_speed);
    }
    if (!(c->slip_speed >= 0 && isfinite(c->slip_speed))) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact: slip_speed is %g m/s; it must be finite and >= 0.",
                         c->slip_speed);
    }
    return TAUT_OK;
}

/* Contacts are rows of the condensed system and of projected gradients. */
static taut_status check_contact_method(const taut_scene* scene, const taut_solver* s) {
    const bool other =
        s->method != TAUT_METHOD_AUTO && s->method != TAUT_METHOD_CONDENSED && !taut_takes_contacts(s->method);
    const bool schur =
        s->preconditioner == TAUT_PRECONDITIONER_BLOCK || s->preconditioner == TAUT_PRECONDITIONER_CHEBYSHEV;
    if (contacts_possible(scene) && (other || schur)) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "solver: scenes in which something can touch are solved by the condensed system or by "
                         "projected gradients; method must be auto, condensed or projected gradient, with a "
                         "preconditioner for it.");
    }
    return TAUT_OK;
}

bool world_has_room(const taut_reserve* r) {
    return r->distances > 0 || r->attachments > 0 || r->targets > 0 || r->welds > 0;
}

taut_status world_check_reserve(const taut_reserve* r) {
    const struct {
        const char* name;
        uint32_t places;
    } kinds[] = {
        {"distances", r->distances}, {"attachments", r->attachments}, {"targets", r->targets}, {"welds", r->welds}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].places > MOST_RESERVED) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "reserve: %s is %u; at most %u.", kinds[i].name, kinds[i].places,
                             MOST_RESERVED);
        }
    }
    return world_check_reserved("reserve", r->reserved, 8);
}

static taut_status check_world(const taut_scene* scene, const taut_world_def* def, taut_world** world) {
    if (scene == NULL || def == NULL || world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene, def and world must not be NULL.");
    }
    if (def->cookie != TAUT_DEFINITION_WORLD) {
        return taut_fail(TAUT_INVALID_DEFINITION, "world definition was not made by taut_default_world.");
    }
    if (scene->particle_count == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the scene has no particles.");
    }
    for (int i = 0; i < 3; i++) {
        if (!(fabs(def->gravity[i]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "world: gravity[%d] is %g; it must be finite.", i, def->gravity[i]);
        }
    }
    if (!(def->speed_limit > 0 && isfinite(def->speed_limit))) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: speed_limit is %g; it must be positive and finite.",
                         def->speed_limit);
    }
    if (def->cuda_device < -1) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: cuda_device is %d; it must be -1 or a device's number.",
                         def->cuda_device);
    }
    if (def->threads > 4096) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: threads is %u; at most 4096.", def->threads);
    }
    if (def->tasks.run != NULL && (def->tasks.workers == 0 || def->tasks.workers > 4096)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: tasks.workers is %u; it must lie in 1 to 4096.",
                         def->tasks.workers);
    }
    taut_status status = world_check_reserved("contact", def->contact.reserved, 6);
    status = status == TAUT_OK ? world_check_sleep(&def->sleep) : status;
    status = status == TAUT_OK ? world_check_reserve(&def->reserve) : status;
    status = status == TAUT_OK ? check_contact(&def->contact) : status;
    status = status == TAUT_OK ? world_check_integrator(&def->integrator) : status;
    status = status == TAUT_OK ? world_check_solver(&def->solver) : status;
    if (status == TAUT_OK && def->integrator.sdirk && contacts_possible(scene)) {
        status = world_refuse_sdirk();
    }
    if (status == TAUT_OK && world_has_room(&def->reserve) && def->solver.method == TAUT_METHOD_GAUSS_SEIDEL) {
        status = taut_fail(TAUT_INVALID_ARGUMENT,
                           "world: Gauss-Seidel has no room for constraints that are added while the world runs; the "
                           "reserve must be empty, or method another one.");
    }
    return status == TAUT_OK ? check_contact_method(scene, &def->solver) : status;
}

/* `auto` chooses the direct method where it can be chosen and nothing is said of another one's work. */
static bool may_factor(const taut_world_def* def, const taut_backend* backend) {
    const taut_solver* s = &def->solver;
    return backend == &taut_cpu_backend && s->method == TAUT_METHOD_AUTO &&
           s->preconditioner == TAUT_PRECONDITIONER_AUTO && s->cycle == TAUT_CYCLE_AUTO &&
           taut_direct_available() == TAUT_OK;
}

static uint32_t threads_of(const taut_world_def* def) {
    return def->tasks.run != NULL ? def->tasks.workers : def->threads > 0 ? def->threads : taut_processors();
}

static taut_settings make_settings(const taut_world_def* def, const taut_backend* backend) {
    taut_settings s = {.integrator = def->integrator,
                       .solver = def->solver,
                       .contact = def->contact,
                       .reserve = def->reserve,
                       .sleep = def->sleep,
                       .preconditioner = def->solver.preconditioner,
                       .may_factor = may_factor(def, backend),
                       .speed_limit = def->speed_limit,
                       .threads = threads_of(def),
                       .tasks = def->tasks};
    memcpy(s.gravity, def->gravity, sizeof s.gravity);
    s.weighed = world_weighs(&s.integrator);
    return s;
}

static taut_status copy_batches(const taut_scene* scene, taut_world* world) {
    world->batch_count = scene->batches.count;
    if (world->batch_count == 0) {
        return TAUT_OK;
    }
    world->batches = taut_allocate(&world->allocator, world->batch_count * sizeof *world->batches);
    if (world->batches == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    memcpy(world->batches, scene->batches.data, world->batch_count * sizeof *world->batches);
    return TAUT_OK;
}

taut_status world_allocate_staged(taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    if (!s->nodes_move && !s->rows_move && !s->touches) {
        return TAUT_OK;
    }
    world->staged_values = 3 * s->nodes > s->rows ? 3 * s->nodes : s->rows;
    world->staged = taut_allocate(&world->allocator, 2 * world->staged_values * sizeof *world->staged);
    return world->staged != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

taut_plan world_plan_again(const taut_plan* plan) {
    return (taut_plan){.settings = plan->settings,
                       .on_device = plan->on_device,
                       .profile = plan->profile,
                       .residuals = plan->residuals,
                       .reorder = plan->reorder,
                       .cuda_device = plan->cuda_device,
                       .cuda_stream = plan->cuda_stream,
                       .ranges = plan->ranges};
}

static taut_status compile_and_create(const taut_scene* scene, taut_world* world) {
    const taut_status status = taut_compile(scene, world->backend, &world->allocator, &world->plan);
    return status == TAUT_OK ? world->backend->create(&world->plan, &world->allocator, &world->state) : status;
}

/* Where `auto` has tried the direct method, and its factors would take too much, without it. */
static taut_status build_world(const taut_scene* scene, taut_world* world) {
    taut_range_push(world->plan.ranges, "create");
    taut_status status = copy_batches(scene, world);
    if (status == TAUT_OK) {
        status = compile_and_create(scene, world);
    }
    if (status == TAUT_OUT_OF_CAPACITY && world->plan.settings.may_factor) {
        taut_plan_free(&world->allocator, &world->plan);
        world->plan = world_plan_again(&world->plan);
        world->plan.settings.may_factor = false;
        status = compile_and_create(scene, world);
    }
    status = status == TAUT_OK ? world_send_places(world) : status;
    if (status == TAUT_OK) {
        status = world_allocate_staged(world);
    }
    if (status == TAUT_OK) {
        world->written = taut_allocate(&world->allocator, world->plan.sizes.nodes);
        status = world->written != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    }
    taut_range_pop(world->plan.ranges);
    return status;
}

static taut_status make_world(const taut_scene* scene, const taut_world_def* def, const taut_backend* backend,
                              const taut_allocator* allocator, taut_world** world) {
    taut_world* made = taut_allocate(allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    made->allocator = *allocator;
    made->backend = backend;
    made->stale = true;
    made->plan.on_device = backend != &taut_cpu_backend;
    made->plan.settings = make_settings(def, backend);
    made->plan.profile = def->profile;
    made->plan.stop = &made->stop;
    made->plan.residuals = def->residuals;
    made->plan.reorder = def->reorder;
    made->plan.cuda_device = def->cuda_device;
    made->plan.cuda_stream = def->cuda_stream;
    made->plan.ranges = taut_ranges_open();
    const taut_status status = build_world(scene, made);
    if (status != TAUT_OK) {
        taut_world_destroy(made);
        return status;
    }
    *world = made;
    return TAUT_OK;
}

taut_status taut_world_create(const taut_scene* scene, const taut_world_def* def, taut_world** world) {
    SCENE_WHOLE_DEFINITION(taut_world_def, TAUT_DEFINITION_WORLD);
    const taut_backend* backend = NULL;
    taut_allocator allocator;
    taut_status status = check_world(scene, def, world);
    if (status == TAUT_OK) {
        status = world_choose_backend(def, &backend);
    }
    if (status == TAUT_OK) {
        status = taut_allocator_resolve(&def->allocator, &allocator);
    }
    if (status != TAUT_OK) {
        return status;
    }
    status = make_world(scene, def, backend, &allocator, world);
    if (status == TAUT_DEVICE_FAULT && def->backend == TAUT_BACKEND_AUTO) { /* no graph of the step, for one */
        world_tell_backend(def, &taut_cpu_backend, taut_last_error());
        return make_world(scene, def, &taut_cpu_backend, &allocator, world);
    }
    if (status == TAUT_OK) {
        world_tell_backend(def, backend, NULL);
    }
    return status;
}

void taut_world_destroy(taut_world* world) {
    if (world == NULL) {
        return;
    }
    const taut_allocator allocator = world->allocator;
    if (world->state != NULL) {
        world->backend->destroy(world->state);
    }
    taut_ranges_close(world->plan.ranges);
    taut_release(&allocator, world->written, world->plan.sizes.nodes);
    taut_plan_free(&allocator, &world->plan);
    taut_release(&allocator, world->staged, 2 * world->staged_values * sizeof *world->staged);
    taut_release(&allocator, world->batches, world->batch_count * sizeof *world->batches);
    taut_release(&allocator, world, sizeof *world);
}
