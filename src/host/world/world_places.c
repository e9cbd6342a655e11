/* Reserved places of a running world: ids, what stands in a place, and what a device is told of it. */
#include "host/world/world_places.h"

#include "base/status.h"
#include "host/compile/joined.h"
#include "host/compile/slots.h"

#include <inttypes.h>
#include <string.h>

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* Kind + 1 in the highest byte, then how often the place has been taken, then its number among those of the kind. A
 * weld is known by its segment; its alignment has the same number. */
#define ID_USES 0xFFFFFFu
/* Of `uses`, while ids are compared: it has been met. */
#define ID_MET 0x80000000u

taut_added place_id(const taut_world* world, added_place at) {
    const size_t slot = at.c - taut_given_count(&world->plan.sizes, at.kind);
    const uint32_t uses = world->plan.fields.kinds[at.kind].uses[slot] & ID_USES;
    return (taut_added){(uint64_t)(at.kind + 1) << 56 | (uint64_t)uses << 32 | slot};
}

bool place_find(const taut_world* world, taut_added added, added_place* out) {
    const taut_sizes* s = &world->plan.sizes;
    const uint64_t kind = (added.id >> 56) - 1, slot = added.id & UINT32_MAX;
    if (kind >= TAUT_KIND_COUNT || kind == TAUT_ALIGNMENT || slot >= s->reserved[kind]) {
        return false;
    }
    const added_place at = {(taut_kind)kind, taut_given_count(s, (int)kind) + slot};
    if (world->plan.fields.kinds[kind].law[at.c] == TAUT_LAW_ABSENT || place_id(world, at).id != added.id) {
        return false;
    }
    *out = at;
    return true;
}

taut_status place_check_ids(const taut_world* world, size_t count, const taut_added* added) {
    if (world == NULL || (added == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and ids must not be NULL.");
    }
    for (size_t i = 0; i < count; i++) {
        added_place at;
        if (!place_find(world, added[i], &at)) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "id %" PRIu64 " belongs to no constraint that was added to this world and is still there.",
                             added[i].id);
        }
    }
    return TAUT_OK;
}

static uint32_t* uses_of(const taut_world* world, taut_added added) {
    added_place at = {TAUT_DISTANCE, 0};
    place_find(world, added, &at);
    return world->plan.fields.kinds[at.kind].uses + (at.c - taut_given_count(&world->plan.sizes, at.kind));
}

taut_status place_check_different(taut_world* world, size_t count, const taut_added* added) {
    size_t met = 0;
    for (uint32_t* uses; met < count; met++) {
        uses = uses_of(world, added[met]);
        if ((*uses & ID_MET) != 0) {
            break;
        }
        *uses |= ID_MET;
    }
    for (size_t i = 0; i < met; i++) {
        *uses_of(world, added[i]) &= ~ID_MET;
    }
    return met == count ? TAUT_OK : taut_fail(TAUT_INVALID_ARGUMENT, "id %" PRIu64 " is given twice.", added[met].id);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

size_t place_count_free(const taut_world* world, taut_kind k) {
    const taut_sizes* s = &world->plan.sizes;
    size_t free = 0;
    for (size_t c = taut_given_count(s, k); s->reserved[k] > 0 && c < s->count[k]; c++) {
        free += world->plan.fields.kinds[k].law[c] == TAUT_LAW_ABSENT;
    }
    return free;
}

/* The first free place of a kind that has one. */
static size_t free_place(const taut_world* world, taut_kind k) {
    size_t c = taut_given_count(&world->plan.sizes, k);
    while (world->plan.fields.kinds[k].law[c] != TAUT_LAW_ABSENT) {
        c++;
    }
    return c;
}

taut_status place_check_room(const taut_world* world, const char* what, taut_kind k, size_t count) {
    const size_t free = place_count_free(world, k);
    return count <= free ? TAUT_OK
                         : taut_fail(TAUT_OUT_OF_CAPACITY,
                                     "%s: %zu to be added, and %zu of %u reserved places are free "
                                     "(reserve of the world; it can grow).",
                                     what, count, free, world->plan.sizes.reserved[k]);
}

taut_status world_send_incidence(taut_world* world, taut_kind k) {
    const taut_sizes* s = &world->plan.sizes;
    taut_kind_fields* f = &world->plan.fields.kinds[k];
    slots_incidence(s, f, k);
    const taut_status status = world_upload(world, f->offsets, (s->nodes + 1) * sizeof *f->offsets);
    return status == TAUT_OK ? world_upload(world, f->incidence, s->entries[k] * sizeof *f->incidence) : status;
}

taut_status world_send_joined(taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    joined_list(s, &world->plan.fields);
    world->plan.joins++;
    if (s->joined == 0) {
        return TAUT_OK;
    }
    taut_status status = TAUT_OK;
    const struct {
        const void* array;
        size_t bytes;
    } lists[] = {{f->joined_begin, (s->nodes + 1) * sizeof *f->joined_begin},
                 {f->joined_group, s->nodes * sizeof *f->joined_group},
                 {f->joined_node, 2 * (size_t)s->joined * sizeof *f->joined_node},
                 {f->joined_by, 2 * (size_t)s->joined * sizeof *f->joined_by},
                 {f->joined_row, TAUT_JOINED_ALL * (size_t)s->joined_pairs * sizeof *f->joined_row},
                 {f->joined_parting, sizeof *f->joined_parting}};
    for (size_t i = 0; status == TAUT_OK && i < sizeof lists / sizeof *lists; i++) {
        status = lists[i].bytes > 0 ? world_upload(world, lists[i].array, lists[i].bytes) : TAUT_OK;
    }
    return status;
}

taut_status world_send_places(taut_world* world) {
    taut_status status = TAUT_OK;
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        status = world->plan.sizes.reserved[k] > 0 ? world_send_incidence(world, (taut_kind)k) : TAUT_OK;
    }
    return status == TAUT_OK ? world_send_joined(world) : status;
}

/* Sends the values of one place, `width` bytes each, of an array that may be absent. */
taut_status place_send(taut_world* world, const void* array, size_t c, size_t width) {
    return array != NULL && width > 0 ? world_upload(world, (const char*)array + c * width, width) : TAUT_OK;
}

static taut_status send_place(taut_world* world, taut_kind k, size_t c) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const taut_kind_fields* f = &world->plan.fields.kinds[k];
    const struct {
        const void* array;
        size_t width;
    } parts[] = {{f->nodes, shape->nodes * sizeof *f->nodes},
                 {f->rest, shape->rest * sizeof *f->rest},
                 {f->compliance, shape->packed * sizeof *f->compliance},
                 {f->damping, sizeof *f->damping},
                 {f->rate, shape->moves * sizeof *f->rate},
                 {f->goal_tick, sizeof *f->goal_tick},
                 {f->closes, sizeof *f->closes},
                 {f->law, sizeof *f->law}};
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < sizeof parts / sizeof parts[0]; i++) {
        status = place_send(world, parts[i].array, c, parts[i].width);
    }
    return status;
}

/* Whether what hangs together is solved by one of two systems, which stay as they are. */
static bool solves_apart(const taut_sizes* s) {
    return s->schur && s->condensed && !s->switches;
}

taut_status place_check_system(const taut_world* world, const char* what, size_t index, const uint32_t* points,
                               size_t count) {
    const uint8_t* condensed = world->plan.fields.condensed_node;
    for (size_t a = 1; solves_apart(&world->plan.sizes) && a < count; a++) {
        if (condensed[world_node(world, points[a])] != condensed[world_node(world, points[0])]) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "%s[%zu]: particles %u and %u are solved by different systems, which nothing may join: "
                             "the world was created without a reserve.",
                             what, index, points[0], points[a]);
        }
    }
    return TAUT_OK;
}

/* Rows are those of the system that solves their nodes. */
static taut_status send_system(taut_world* world, taut_kind k, size_t c) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    const uint32_t node = f->kinds[k].nodes[taut_kind_shapes[k].nodes * c];
    uint32_t unknowns[TAUT_MAX_ROWS];
    const uint32_t count = solves_apart(s) ? taut_list_unknowns(s, k, (uint32_t)c, unknowns) : 0;
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; status == TAUT_OK && i < count; i++) {
        f->condensed[unknowns[i]] = f->condensed_node[node] ? TAUT_CONDENSED : TAUT_NOT_CONDENSED;
        status = world_upload(world, f->condensed + unknowns[i], sizeof *f->condensed);
    }
    return status;
}

/* Into the first free place of the kind, which is there; *c is its number. */
taut_status place_put(taut_world* world, taut_kind k, const new_constraint* in, size_t* c) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    taut_kind_fields* f = &world->plan.fields.kinds[k];
    *c = free_place(world, k);
    memcpy(f->nodes + shape->nodes * *c, in->nodes, shape->nodes * sizeof *f->nodes);
    memcpy(f->rest + shape->rest * *c, in->rest, shape->rest * sizeof *f->rest);
    scene_diagonal_block(k, in->compliances, f->compliance + shape->packed * *c);
    f->damping[*c] = in->damping;
    f->closes[*c] = 0;
    if (shape->moves > 0) {
        memset(f->rate + shape->moves * *c, 0, shape->moves * sizeof *f->rate);
        f->goal_tick[*c] = 0;
    }
    f->law[*c] = TAUT_LAW_CONSTRAINT;
    uint32_t* uses = f->uses + (*c - taut_given_count(&world->plan.sizes, k));
    *uses = ((*uses + 1) & ID_USES) | (in->contact ? TAUT_USES_CONTACT : 0);
    taut_status status = world_upload(world, uses, sizeof *uses); /* the device keeps it when the world grows */
    status = status == TAUT_OK ? send_system(world, k, *c) : status;
    return status == TAUT_OK ? send_place(world, k, *c) : status;
}

/* Nodes of the place become harmless ones. */
taut_status place_clear(taut_world* world, added_place at) {
    taut_kind_fields* f = &world->plan.fields.kinds[at.kind];
    const size_t nodes = taut_kind_shapes[at.kind].nodes;
    f->law[at.c] = TAUT_LAW_ABSENT;
    memset(f->nodes + nodes * at.c, 0, nodes * sizeof *f->nodes);
    if (f->goal_tick != NULL) {
        f->goal_tick[at.c] = 0;
    }
    const taut_status status = send_place(world, at.kind, at.c);
    return status == TAUT_OK ? world_clear_rows(world, at.kind, at.c) : status;
}

/* ---- points and bodies ------------------------------------------------------------------------------------------- */

taut_status place_check_point(const taut_world* world, const char* what, size_t index, uint32_t point) {
    const taut_sizes* s = &world->plan.sizes;
    if (point >= s->points) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: particle %u does not exist (%zu particles).", what, index,
                         point, s->points);
    }
    if (s->levels > s->active_levels && world_node(world, point) >= s->level_begin[s->active_levels]) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "%s[%zu]: nothing acts on mapped point %u in the scene, and the world was created without a "
                         "reserve.",
                         what, index, point);
    }
    return TAUT_OK;
}

/* `width` values of the state at `from`, as they are now. */
taut_status place_read(taut_world* world, const double* from, size_t width, double* out) {
    const taut_status status = world_download(world, from, width * sizeof *from);
    if (status == TAUT_OK) {
        memcpy(out, from, width * sizeof *from);
    }
    return status;
}

taut_status place_read_point(taut_world* world, uint32_t point, double x[3]) {
    return place_read(world, world->plan.fields.x + 3 * world_node(world, point), 3, x);
}
