/* More room, for contacts or for constraints that are added: the same plan with longer arrays, in a new block. What is
 * compiled from the scene stays as it is, but for the numbers of rows: those of a kind follow each other, and so do
 * those of all kinds. */
#include "base/status.h"
#include "host/compile/compile.h"
#include "host/compile/contacts.h"
#include "host/compile/joined.h"
#include "host/compile/slots.h"
#include "host/world/world_changes.h"
#include "taut/added.h"

#include <math.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Two plans that differ in their room, and what unknowns of the first are called in the second. */
typedef struct growth {
    const taut_sizes *from, *to;
    uint32_t* unknown; /* from->unknowns + 1; there is no less room */
} growth;

static void map_unknowns(const growth* g) {
    uint32_t before[TAUT_MAX_ROWS], after[TAUT_MAX_ROWS];
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (uint32_t c = 0; c < g->from->count[k]; c++) {
            const uint32_t count = taut_list_unknowns(g->from, (taut_kind)k, c, before);
            taut_list_unknowns(g->to, (taut_kind)k, c, after);
            for (uint32_t i = 0; i < count; i++) {
                g->unknown[before[i]] = after[i];
            }
        }
    }
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* Of `bytes` bytes each; whether arrays are over rows or unknowns is told by their lengths. */
static void carry_array(const growth* g, size_t count, size_t grown, size_t bytes, const void* from, void* to) {
    const bool rows = count == g->from->rows && grown == g->to->rows;
    const bool unknowns = count == g->from->unknowns && grown == g->to->unknowns;
    if (bytes == 0) {
        return;
    }
    if (count == grown || !(rows || unknowns)) {
        const size_t least = count < grown ? count : grown;
        if (least > 0) {
            memcpy(to, from, least * bytes);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy((char*)to + bytes * g->unknown[i], (const char*)from + bytes * i, bytes);
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

/* Numbers of constraints and rows: new places keep theirs. */
static void number_rows(const taut_sizes* from, const taut_sizes* s, const taut_fields* f) {
    for (int k = 0; s->rows_move && k < TAUT_KIND_COUNT; k++) {
        const size_t rows = taut_kind_shapes[k].rows, kept = from->rows_move ? from->count[k] : 0;
        uint32_t* at = f->kinds[k].constraint_at;
        for (size_t c = kept; at != NULL && c < s->count[k]; c++) {
            at[c] = (uint32_t)c;
        }
        for (size_t c = 0; c < s->count[k]; c++) {
            for (size_t r = 0; r < rows; r++) {
                const size_t place = taut_unknown_place(s, s->count[k], rows, at != NULL ? at[c] : c, r);
                f->row_at[s->first_row[k] + rows * c + r] = (uint32_t)(s->first_row[k] + place);
            }
        }
    }
}

/* What new places begin with. */
static void fill_places(const taut_sizes* from, taut_plan* to) {
    const taut_sizes* s = &to->sizes;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        if (s->reserved[k] > from->reserved[k]) {
            slots_fill(s, (taut_kind)k, from->count[k], &to->fields);
        }
    }
    slots_list(s, &to->fields);
    contacts_fill_places(s, &to->fields);
    number_rows(from, s, &to->fields);
}

static void carry_fields(const growth* g, const taut_plan* from, taut_plan* to) {
    const taut_fields *a = &from->fields, *b = &to->fields;
    for (size_t i = 0; to->sizes.bounded && i < to->sizes.rows; i++) {
        b->bound[2 * i] = -INFINITY;
        b->bound[2 * i + 1] = b->strength[i] = INFINITY;
    }
    carry_world_fields(g, a, b);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        carry_kind_fields(g, k, &a->kinds[k], &b->kinds[k]);
    }
    for (size_t i = 0; i < to->sizes.block_unknowns; i++) {
        b->block_unknown[i] = g->unknown[a->block_unknown[i]];
    }
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* Sizes of a plan as it was made: contacts on the host are counted as they come. */
static taut_sizes whole_sizes(const taut_plan* plan) {
    taut_sizes s = plan->sizes;
    contacts_set_room(&s, s.contact_capacity);
    return s;
}

static taut_sizes grown_sizes(const taut_plan* from, uint32_t contacts, const taut_reserve* reserve) {
    taut_settings settings = {.reserve = *reserve};
    taut_sizes s = from->sizes;
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        s.entries[k] -= s.reserved[k] * taut_kind_shapes[k].nodes;
        s.count[k] -= s.reserved[k];
    }
    slots_count(&settings, &s);
    joined_set_room(&s);
    contacts_set_room(&s, contacts);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        s.rows_move = s.rows_move || (s.by_value && s.reserved[k] > 0 && taut_kind_shapes[k].rows > 1);
    }
    taut_number_rows(&s);
    return s;
}

/* The levels stand behind all other arrays, and know nothing of rows. */
static taut_status allocate_grown(const taut_allocator* allocator, const taut_plan* from, const taut_sizes* whole,
                                  taut_plan* to) {
    taut_fields unused;
    const size_t before = taut_layout_pack(whole, NULL, &unused), used = taut_layout_pack(&to->sizes, NULL, &unused);
    const size_t levels = from->bytes - before;
    to->bytes = used + levels;
    to->block = taut_allocate(allocator, to->bytes);
    if (to->block == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    taut_layout_pack(&to->sizes, to->block, &to->fields);
    taut_hierarchy_pack(&to->hierarchy, to->block, used);
    memcpy((char*)to->block + used, (const char*)from->block + before, levels);
    return TAUT_OK;
}

static taut_status fill_grown(const taut_allocator* allocator, const taut_plan* from, taut_plan* to) {
    const taut_sizes whole = whole_sizes(from);
    const size_t bytes = (whole.unknowns + 1) * sizeof(uint32_t);
    const growth g = {&whole, &to->sizes, taut_allocate(allocator, bytes)};
    taut_status status = g.unknown != NULL ? allocate_grown(allocator, from, &whole, to) : TAUT_OUT_OF_MEMORY;
    if (status == TAUT_OK) {
        map_unknowns(&g);
        carry_fields(&g, from, to);
        fill_places(&whole, to);
    }
    taut_release(allocator, g.unknown, bytes);
    if (status == TAUT_OK && !to->on_device) {
        to->sizes.count[TAUT_CONTACT] = from->sizes.count[TAUT_CONTACT];
        to->sizes.count[TAUT_ROLLING] = from->sizes.count[TAUT_ROLLING];
    }
    return status;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* The plan and the state of the world as they were, or what the new ones could not be made of. */
typedef struct former {
    taut_plan plan;
    taut_backend_state* state;
    double* staged;
    size_t staged_values;
} former;

static void exchange(taut_world* world, former* was) {
    const former now = {world->plan, world->state, world->staged, world->staged_values};
    world->plan = was->plan;
    world->state = was->state;
    world->staged = was->staged;
    world->staged_values = was->staged_values;
    *was = now;
}

/* Frees what is in the world, unless it is NULL. */
static void free_parts(taut_world* world) {
    if (world->state != NULL) {
        world->backend->destroy(world->state);
    }
    taut_plan_free(&world->allocator, &world->plan);
    taut_release(&world->allocator, world->staged, 2 * world->staged_values * sizeof *world->staged);
}

/* The world's plan has its new sizes, and no memory yet. */
static taut_status make_grown(taut_world* world, const former* was) {
    taut_status status = fill_grown(&world->allocator, &was->plan, &world->plan);
    status = status == TAUT_OK ? world_allocate_staged(world) : status;
    status = status == TAUT_OK ? world->backend->create(&world->plan, &world->allocator, &world->state) : status;
    status = status == TAUT_OK ? world_send_places(world) : status;
    return status == TAUT_OK ? world->backend->carry(was->state, world->state) : status;
}

/* With room for so many contacts, and this reserve; else the world stays as it was. */
static taut_status grow(taut_world* world, uint32_t contacts, const taut_reserve* reserve) {
    taut_status status = world_download(world, world->plan.block, world->plan.bytes);
    if (status != TAUT_OK) {
        return status;
    }
    former other = {.plan = world->plan};
    other.plan.sizes = grown_sizes(&world->plan, contacts, reserve);
    other.plan.block = NULL;
    other.plan.bytes = 0;
    other.plan.settings.contact.capacity = contacts;
    other.plan.settings.reserve = *reserve;
    exchange(world, &other);
    status = make_grown(world, &other);
    if (status != TAUT_OK) {
        exchange(world, &other);
    }
    former unwanted = other;
    exchange(world, &unwanted);
    free_parts(world);
    exchange(world, &unwanted);
    world->linear_h = 0;
    return status;
}

taut_status taut_world_grow_contacts(taut_world* world, uint32_t capacity) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    if (!world->plan.sizes.touches) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "nothing can touch in this world.");
    }
    if (capacity < world->plan.sizes.contact_capacity) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "capacity is %u; the world has room for %u.", capacity,
                         world->plan.sizes.contact_capacity);
    }
    taut_status status = world_ready(world);
    const uint32_t most = contacts_at_most(&world->plan.sizes);
    const taut_reserve reserve = world->plan.settings.reserve;
    status = status == TAUT_OK ? grow(world, capacity < most ? capacity : most, &reserve) : status;
    if (status == TAUT_OK && world->fault == TAUT_OUT_OF_CAPACITY) { /* that is dealt with */
        world->fault = TAUT_OK;
    }
    return status;
}

/* Whether the world's solvers can have added constraints. */
static taut_status check_solvers(const taut_world* world) {
    return world->plan.settings.method != TAUT_METHOD_GAUSS_SEIDEL
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "Gauss-Seidel has no room for added constraints.");
}

static taut_status check_reserve(const taut_world* world, const taut_reserve* room) {
    if (world == NULL || room == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and room must not be NULL.");
    }
    const taut_reserve* now = &world->plan.settings.reserve;
    if (room->distances < now->distances || room->attachments < now->attachments || room->targets < now->targets ||
        room->welds < now->welds) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "no kind may get less room than it has.");
    }
    const taut_status status = world_check_reserve(room);
    return status == TAUT_OK ? check_solvers(world) : status;
}

taut_status taut_world_grow_reserve(taut_world* world, const taut_reserve* room) {
    taut_status status = check_reserve(world, room);
    status = status == TAUT_OK ? world_ready(world) : status;
    return status == TAUT_OK ? grow(world, world->plan.sizes.contact_capacity, room) : status;
}
