/* State as a sequence of bytes that does not depend on how a backend numbers constraints and rows. */
#include "host/world/state_walk.h"

#include <string.h>

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void pass(state_walk* w, void* values, size_t bytes) {
    if (w->direction == STATE_SAVE && bytes > 0) {
        memcpy(w->at + w->used, values, bytes);
    } else if (w->direction == STATE_LOAD && bytes > 0) {
        memcpy(values, w->at + w->used, bytes);
    }
    w->used += bytes;
}

/* Up to the next multiple of 8 bytes. */
static void pad(state_walk* w) {
    const size_t rest = (8 - w->used % 8) % 8;
    if (w->direction == STATE_SAVE) {
        memset(w->at + w->used, 0, rest);
    }
    w->used += rest;
}

/* Before the values of a field of so many bytes in all. */
static void begin(state_walk* w, const void* field, size_t bytes) {
    if (w->status == TAUT_OK && w->direction != STATE_COUNT) { /* what is loaded may be a part */
        w->status = world_download(w->world, field, bytes);
    }
}

static void end(state_walk* w, const void* field, size_t bytes) {
    if (w->status == TAUT_OK && w->direction == STATE_LOAD) {
        w->status = world_upload(w->world, field, bytes);
    }
    pad(w);
}

/* ---- fields, by what they have values of `width` bytes for ------------------------------------------------------- */

static void walk_items(state_walk* w, void* field, size_t room, size_t width, size_t count) {
    begin(w, field, room * width);
    pass(w, field, (room > 0 ? count : 0) * width);
    end(w, field, room * width);
}

/* Constraints of a kind that are in use: on the host, sizes say of contacts how many there were. */
static size_t items_of(const state_walk* w, taut_kind k) {
    const taut_sizes* s = &w->world->plan.sizes;
    const bool there = k == TAUT_CONTACT || s->rolls;
    return k < TAUT_CONTACT ? s->count[k] : there ? w->live : 0;
}

/* Number inside of constraint c; contacts have the numbers that they have inside. */
static size_t place_of(const state_walk* w, taut_kind k, size_t c) {
    return k < TAUT_CONTACT ? world_constraint(w->world, k, c) : c;
}

static void walk_values(state_walk* w, taut_kind k, char* field, size_t first, uint32_t values, size_t width) {
    const taut_sizes* s = &w->world->plan.sizes;
    const size_t items = values > 0 ? items_of(w, k) : 0;
    for (size_t c = 0; c < items; c++) {
        const size_t place = place_of(w, k, c);
        for (size_t r = 0; r < values; r++) {
            pass(w, field + width * (first + taut_unknown_place(s, s->count[k], values, place, r)), width);
        }
    }
}

static void walk_rows(state_walk* w, void* field, size_t room, size_t width, bool factor_rows) {
    const taut_sizes* s = &w->world->plan.sizes;
    begin(w, field, room * width);
    for (int k = 0; room > 0 && k < TAUT_KIND_COUNT; k++) {
        const taut_kind_shape* shape = &taut_kind_shapes[k];
        walk_values(w, k, field, s->first_row[k], shape->rows, width);
        walk_values(w, k, field, s->first_factor_row[k], factor_rows && s->has_factor_rows[k] ? shape->factor_rows : 0,
                    width);
    }
    end(w, field, room * width);
}

static void walk_constraints(state_walk* w, taut_kind k, char* field, size_t room, size_t width) {
    const size_t items = room > 0 && width > 0 ? items_of(w, k) : 0;
    begin(w, field, room * width);
    for (size_t c = 0; c < items; c++) {
        pass(w, field + width * place_of(w, k, c), width);
    }
    end(w, field, room * width);
}

/* ---- the lists of model/layout.h --------------------------------------------------------------------------------- */

#define WIDTH(type, columns) ((size_t)(columns) * sizeof(type))
#define WALK_ALL(type, name, count, columns)                                                                           \
    walk_items(w, f->name, (size_t)(count), WIDTH(type, columns), (size_t)(count));
#define WALK_UNKNOWNS(type, name, count, columns) walk_rows(w, f->name, (size_t)(count), WIDTH(type, columns), true);
#define WALK_ROWS(type, name, count, columns)     walk_rows(w, f->name, (size_t)(count), WIDTH(type, columns), false);
#define WALK_CONTACTS(type, name, count, columns)                                                                      \
    walk_items(w, f->name, (size_t)(count), WIDTH(type, columns), w->live);
#define WALK_LAST(type, name, count, columns) walk_items(w, f->name, (size_t)(count), WIDTH(type, columns), w->last);
#define WALK_KIND(type, name, count, columns)                                                                          \
    walk_constraints(w, k, (char*)f->name, (size_t)(count), WIDTH(type, columns));

static void walk_kind(state_walk* w, taut_kind k) {
    const taut_sizes* s = &w->world->plan.sizes;
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const taut_kind_fields* f = &w->world->plan.fields.kinds[k];
    TAUT_KIND_STATE(WALK_KIND)
}

/* Which nodes the reserved places of a kind have, and how often each was taken. */
static void walk_reserved(state_walk* w, taut_kind k) {
    const taut_sizes* s = &w->world->plan.sizes;
    const taut_kind_fields* f = &w->world->plan.fields.kinds[k];
    const size_t nodes = taut_kind_shapes[k].nodes, given = taut_given_count(s, k);
    walk_items(w, f->nodes + nodes * given, s->reserved[k], nodes * sizeof *f->nodes, s->reserved[k]);
    walk_items(w, f->uses, s->reserved[k], sizeof *f->uses, s->reserved[k]);
}

/* What the search makes of a contact. */
static void walk_contact_kind(state_walk* w, taut_kind k) {
    const taut_sizes* s = &w->world->plan.sizes;
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const taut_kind_fields* f = &w->world->plan.fields.kinds[k];
    const size_t room = s->contact_capacity, live = items_of(w, k), width = sizeof(double);
    walk_items(w, f->rest, room, shape->rest * width, live);
    walk_items(w, f->compliance, room, shape->packed * width, live);
    walk_items(w, f->damping, room, width, live);
    walk_items(w, f->nodes, room, shape->nodes * sizeof *f->nodes, live);
    walk_items(w, f->offsets, s->nodes + 1, sizeof *f->offsets, s->nodes + 1);
    walk_items(w, f->incidence, s->entries[k], sizeof *f->incidence, live * shape->nodes);
}

void state_walk_fields(state_walk* w) {
    const taut_sizes* s = &w->world->plan.sizes;
    const taut_fields* f = &w->world->plan.fields;
    TAUT_STATE_FIELDS(WALK_ALL, WALK_UNKNOWNS, WALK_ROWS, WALK_CONTACTS, WALK_LAST)
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        walk_kind(w, k);
        if (s->reserved[k] > 0) {
            walk_reserved(w, k);
        }
    }
    if (s->touches) {
        walk_contact_kind(w, TAUT_CONTACT);
    }
    if (s->touches && s->rolls) {
        walk_contact_kind(w, TAUT_ROLLING);
    }
}

/* ---- the fingerprint --------------------------------------------------------------------------------------------- */

uint64_t state_hash(uint64_t hash, const void* data, size_t bytes) {
    const char* at = data;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u; /* odd: no word is lost; 2^64 / golden ratio */
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t hash_number(uint64_t hash, uint64_t number) {
    return state_hash(hash, &number, sizeof number);
}

static uint64_t hash_coordinates(uint64_t hash, const taut_fields* f, size_t row) {
    const uint32_t begin = f->linear_begin[row], count = f->linear_begin[row + 1] - begin;
    return state_hash(hash, f->linear_coordinate + begin, count * sizeof *f->linear_coordinate);
}

/* Which nodes each constraint of the scene has, and how many may be added. */
static uint64_t hash_kind(uint64_t hash, const taut_world* world, taut_kind k) {
    const taut_fields* f = &world->plan.fields;
    const taut_sizes* s = &world->plan.sizes;
    const size_t nodes = taut_kind_shapes[k].nodes;
    hash = hash_number(hash, s->count[k]);
    hash = hash_number(hash, s->has_factor_rows[k]);
    hash = hash_number(hash, s->reserved[k]);
    for (size_t c = 0; c < taut_given_count(s, k); c++) {
        const size_t place = world_constraint(world, k, c);
        hash = k == TAUT_LINEAR ? hash_coordinates(hash, f, place)
                                : state_hash(hash, f->kinds[k].nodes + nodes * place, nodes * sizeof(uint32_t));
    }
    return hash;
}

static uint64_t hash_solver(uint64_t hash, const taut_solver* solver) {
    const uint64_t fixed[] = {solver->method, solver->preconditioner, solver->cycle, solver->block_size};
    return state_hash(hash, fixed, sizeof fixed);
}

uint64_t state_fingerprint(const taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    const uint64_t sizes[] = {s->nodes,           s->simple,
                              s->points,          s->frames,
                              s->map_entries,     s->factor_rows,
                              s->bounded,         s->chebyshev,
                              s->touches,         s->rolls,
                              s->touching,        s->colliders,
                              s->materials,       s->excluded,
                              s->faces,           s->edges,
                              s->skins,           s->nodes_move,
                              s->meshes,          s->solids,
                              s->excluded_points, s->attached_parties,
                              taut_given_rows(s), sizeof(state_numbers),
                              sizeof(void*)};
    uint64_t hash = state_hash(TAUT_KIND_COUNT, sizes, sizeof sizes);
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        hash = s->count[k] > 0 ? hash_kind(hash, world, k) : hash_number(hash, 0);
    }
    hash = s->sleeps ? hash_number(hash, s->components) : hash;
    hash = state_hash(hash, f->joined_pair, s->touches ? s->joined_pairs * sizeof *f->joined_pair : 0);
    hash = state_hash(hash, f->node_at, s->nodes_move ? s->points * sizeof *f->node_at : 0);
    hash = state_hash(hash, f->map_parent, s->map_entries * sizeof *f->map_parent);
    hash = state_hash(hash, f->collider_shape, s->colliders * sizeof *f->collider_shape);
    hash = state_hash(hash, f->face_corner, 4 * (size_t)s->faces * sizeof *f->face_corner);
    return hash_solver(hash, &world->plan.settings.solver);
}
