/* More room for contacts: the world's scene compiled again, and everything that the world has become since carried
 * over. */
#include "base/status.h"
#include "host/compile/compile.h"
#include "host/world/world_data.h"

#include <string.h>

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* Sizes of two plans that differ in their room for contacts alone. */
typedef struct growth {
    const taut_sizes *from, *to;
} growth;

/* Of `columns` values of this many bytes in all. Arrays over rows have those of contacts last, and factor rows behind
 * them: what users gave keeps its place, and factor rows move. */
static void carry_array(const growth* g, size_t count, size_t grown, size_t bytes, const void* from, void* to) {
    const bool rows = count != grown && (count == g->from->rows || count == g->from->unknowns);
    const size_t most = rows ? taut_given_rows(g->from) : count < grown ? count : grown;
    if (most > 0 && bytes > 0) {
        memcpy(to, from, most * bytes);
    }
    if (rows && count == g->from->unknowns && g->from->factor_rows > 0) {
        memcpy((char*)to + g->to->rows * bytes, (const char*)from + g->from->rows * bytes,
               g->from->factor_rows * bytes);
    }
}

#define COUNT_OF(sizes, count_, result)                                                                                \
    {                                                                                                                  \
        const taut_sizes* s = sizes;                                                                                   \
        (void)s;                                                                                                       \
        result = (size_t)(count_);                                                                                     \
    }

#define CARRY(type, name, count_, columns)                                                                             \
    {                                                                                                                  \
        size_t count, grown;                                                                                           \
        COUNT_OF(g->from, count_, count)                                                                               \
        COUNT_OF(g->to, count_, grown)                                                                                 \
        carry_array(g, count, grown, (size_t)(columns) * sizeof(type), from->name, to->name);                          \
    }

static void carry_world_fields(const growth* g, const taut_fields* from, const taut_fields* to) {
    TAUT_WORLD_FIELDS(CARRY)
}

static void carry_kind_fields(const growth* g, int k, const taut_kind_fields* from, const taut_kind_fields* to) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    (void)shape;
    if (g->from->count[k] > 0) {
        TAUT_KIND_FIELDS(CARRY)
    }
}

/* What contacts did last, in rows that have moved where those of a kind stand value by value. */
static void carry_rows(const growth* g, taut_kind k, uint32_t live, const double* from, double* to) {
    const size_t rows = taut_kind_shapes[k].rows;
    for (size_t c = 0; c < live; c++) {
        for (size_t r = 0; r < rows; r++) {
            to[g->to->first_row[k] + taut_unknown_place(g->to, g->to->contact_capacity, rows, c, r)] =
                from[g->from->first_row[k] + taut_unknown_place(g->from, g->from->contact_capacity, rows, c, r)];
        }
    }
}

static void carry_contact_rows(const growth* g, uint32_t live, const double* from, double* to) {
    carry_rows(g, TAUT_CONTACT, live, from, to);
    carry_rows(g, TAUT_ROLLING, g->to->rolls ? live : 0, from, to);
}

/* Unknowns of the constraints that Gauss-Seidel goes through: those of factor rows have moved. */
static void move_block_factor_rows(const growth* g, uint32_t* unknown) {
    for (size_t i = 0; i < g->to->block_unknowns; i++) {
        unknown[i] += unknown[i] >= g->from->rows ? (uint32_t)(g->to->rows - g->from->rows) : 0;
    }
}

static void carry_fields(taut_plan* from, taut_plan* to) {
    const growth g = {&from->sizes, &to->sizes};
    const taut_fields *a = &from->fields, *b = &to->fields;
    const uint32_t live = a->contact_count[TAUT_CONTACTS_LIVE];
    carry_world_fields(&g, a, b);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        carry_kind_fields(&g, k, &a->kinds[k], &b->kinds[k]);
    }
    move_block_factor_rows(&g, b->block_unknown);
    carry_contact_rows(&g, live, a->gam, b->gam);
    carry_contact_rows(&g, live, a->lam, b->lam);
    carry_contact_rows(&g, live, a->phi, b->phi);
    if (!to->on_device) {
        to->sizes.count[TAUT_CONTACT] = live;
        to->sizes.count[TAUT_ROLLING] = to->sizes.rolls ? live : 0;
    }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static bool same_scene(const taut_sizes* a, const taut_sizes* b) {
    bool same = a->nodes == b->nodes && a->simple == b->simple && a->frames == b->frames &&
                a->map_entries == b->map_entries && a->factor_rows == b->factor_rows && a->touching == b->touching &&
                a->colliders == b->colliders && a->faces == b->faces && a->edges == b->edges &&
                a->materials == b->materials && a->rolls == b->rolls && taut_given_rows(a) == taut_given_rows(b);
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        same = same && a->count[k] == b->count[k] && a->entries[k] == b->entries[k];
    }
    return same;
}

static taut_status check_growth(taut_world* world, const taut_scene* scene, uint32_t capacity) {
    if (world == NULL || scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_grow_contacts: world and scene must not be NULL.");
    }
    if (!world->plan.sizes.touches) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_grow_contacts: nothing can touch in this world.");
    }
    if (capacity < world->plan.sizes.contact_capacity) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_grow_contacts: capacity is %u; the world has room for %u.",
                         capacity, world->plan.sizes.contact_capacity);
    }
    return world_ready(world);
}

/* The plan and the state of the world as they were, or what the new ones could not be made of. */
typedef struct former {
    taut_plan plan;
    taut_backend_state* state;
    double* staged;
    size_t staged_values;
} former;

/* Factor rows are there as they were asked for at creation, whatever has been set since. */
static taut_status compile_again(taut_world* world, const taut_scene* scene, const former* was) {
    taut_integrator* integrator = &world->plan.settings.integrator;
    const taut_geometric_stiffness now = integrator->geometric_stiffness;
    integrator->geometric_stiffness = was->plan.with_factor_rows ? TAUT_GEOMETRIC_FULL : now;
    const taut_status status = taut_compile(scene, world->backend, &world->allocator, &world->plan);
    integrator->geometric_stiffness = now;
    return status;
}

static taut_status make_grown(taut_world* world, const taut_scene* scene, former* was) {
    taut_status status = compile_again(world, scene, was);
    if (status == TAUT_OK && !same_scene(&was->plan.sizes, &world->plan.sizes)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT,
                           "taut_world_grow_contacts: the scene is not the one that the world was created from.");
    }
    if (status == TAUT_OK) {
        status = world_allocate_staged(world);
    }
    if (status == TAUT_OK) {
        carry_fields(&was->plan, &world->plan);
        status = world->backend->create(&world->plan, &world->allocator, &world->state);
    }
    return status == TAUT_OK ? world->backend->carry(was->state, world->state) : status;
}

/* Frees what is in the world, unless it is NULL. */
static void free_parts(taut_world* world) {
    if (world->state != NULL) {
        world->backend->destroy(world->state);
    }
    taut_plan_free(&world->allocator, &world->plan);
    taut_release(&world->allocator, world->staged, 2 * world->staged_values * sizeof *world->staged);
}

static void exchange(taut_world* world, former* was) {
    const former now = {world->plan, world->state, world->staged, world->staged_values};
    world->plan = was->plan;
    world->state = was->state;
    world->staged = was->staged;
    world->staged_values = was->staged_values;
    *was = now;
}

taut_status taut_world_grow_contacts(taut_world* world, const taut_scene* scene, uint32_t capacity) {
    taut_status status = check_growth(world, scene, capacity);
    if (status == TAUT_OK) {
        status = world_download(world, world->plan.block, world->plan.bytes);
    }
    if (status != TAUT_OK) {
        return status;
    }
    former other = {.plan = world_plan_again(&world->plan)};
    other.plan.settings.contact.capacity = capacity;
    exchange(world, &other);
    status = make_grown(world, scene, &other);
    if (status != TAUT_OK) { /* the world stays as it was */
        exchange(world, &other);
    }
    former unwanted = other;
    exchange(world, &unwanted);
    free_parts(world);
    exchange(world, &unwanted);
    world->linear_h = 0;
    if (status == TAUT_OK && world->fault == TAUT_OUT_OF_CAPACITY) { /* that is dealt with */
        world->fault = TAUT_OK;
    }
    return status;
}
