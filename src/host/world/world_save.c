/* Saving and restoring the whole state of a world. */
#define TAUT_REAL double
#include "base/memory.h"
#include "base/status.h"
#include "host/world/state_walk.h"
#include "host/world/world_changes.h"
#include "kernels/stages/contact/collide.h"
#include "taut/save.h"

#include <string.h>

#define MAGIC      "TAUTSAVE"
#define BYTE_ORDER 0x01020304u

/* What a block begins with; the fields follow. */
typedef struct save_header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t bytes;       /* of the block, */
    uint64_t checksum;    /* of all that follows in it */
    uint64_t fingerprint; /* of the scene */
    uint32_t live, last;  /* contacts, and those of the step before */
    uint64_t capacity;    /* of contacts */
    state_numbers numbers;
} save_header;

static size_t after_checksum(void) {
    return offsetof(save_header, fingerprint);
}

static uint64_t checksum_of(const char* block, size_t bytes) {
    return state_hash(TAUT_SAVED_VERSION, block + after_checksum(), bytes - after_checksum());
}

static size_t bytes_with(taut_world* world, uint32_t live, uint32_t last) {
    state_walk walk = {.world = world, .direction = STATE_COUNT, .live = live, .last = last};
    state_walk_fields(&walk);
    return sizeof(save_header) + walk.used;
}

taut_status taut_world_state_size(const taut_world* world, size_t* bytes) {
    if (world == NULL || bytes == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and bytes must not be NULL.");
    }
    const uint32_t most = world->plan.sizes.contact_capacity;
    *bytes = bytes_with((taut_world*)world, most, most); /* counting changes nothing */
    return TAUT_OK;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static taut_status tell_contacts(taut_world* world, uint32_t* live, uint32_t* last) {
    const taut_fields* f = &world->plan.fields;
    const size_t finders = finder_count(&world->plan.sizes);
    *live = *last = 0;
    if (!world->plan.sizes.touches) {
        return TAUT_OK;
    }
    taut_status status = world_download(world, f->contact_count, TAUT_CONTACT_COUNTS * sizeof *f->contact_count);
    status = status == TAUT_OK ? world_download(world, f->contact_begin_last + finders, sizeof *f->contact_begin_last)
                               : status;
    *live = f->contact_count[TAUT_CONTACTS_LIVE];
    *last = f->contact_begin_last[finders];
    return status;
}

static taut_status collect_numbers(taut_world* world, state_numbers* numbers) {
    const taut_settings* settings = &world->plan.settings;
    memset(numbers, 0, sizeof *numbers);
    memcpy(numbers->gravity, settings->gravity, sizeof numbers->gravity);
    numbers->integrator = settings->integrator;
    numbers->solver = settings->solver;
    numbers->weighed = settings->weighed;
    numbers->passive_forces = settings->passive_forces;
    numbers->pace = world->pace;
    numbers->memory.guard = world->guard;
    return world->backend->remember(world->state, &numbers->memory);
}

static taut_status check_save(taut_world* world, size_t capacity, const void* block) {
    if (world == NULL || (block == NULL && capacity > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and block must not be NULL.");
    }
    taut_status status = world_ready(world);
    status = status == TAUT_OK ? world_forget(world) : status;
    status = status == TAUT_OK ? world_refresh(world) : status;
    taut_report report;
    return status == TAUT_OK ? world->backend->sync(world->state, &report) : status;
}

static taut_status write_block(taut_world* world, save_header* header, char* block) {
    state_walk walk = {.world = world,
                       .direction = STATE_SAVE,
                       .at = block + sizeof *header,
                       .live = header->live,
                       .last = header->last};
    state_walk_fields(&walk);
    header->fingerprint = state_fingerprint(world);
    memcpy(block, header, sizeof *header);
    header->checksum = checksum_of(block, header->bytes);
    memcpy(block, header, sizeof *header);
    return walk.status;
}

taut_status taut_world_save(taut_world* world, size_t capacity, void* block, size_t* bytes) {
    save_header header;
    memset(&header, 0, sizeof header);
    taut_status status = check_save(world, capacity, block);
    status = status == TAUT_OK ? tell_contacts(world, &header.live, &header.last) : status;
    status = status == TAUT_OK ? collect_numbers(world, &header.numbers) : status;
    if (status != TAUT_OK) {
        return status;
    }
    memcpy(header.magic, MAGIC, sizeof header.magic);
    header.version = TAUT_SAVED_VERSION;
    header.byte_order = BYTE_ORDER;
    header.capacity = world->plan.sizes.contact_capacity;
    header.bytes = bytes_with(world, header.live, header.last);
    if (capacity < header.bytes) {
        return taut_fail(TAUT_OUT_OF_CAPACITY, "the state takes %llu bytes; the block has %zu.",
                         (unsigned long long)header.bytes, capacity);
    }
    status = write_block(world, &header, block);
    if (status == TAUT_OK && bytes != NULL) {
        *bytes = header.bytes;
    }
    return status;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static taut_status refuse(const char* what) {
    return taut_fail(TAUT_INVALID_ARGUMENT, "the saved state %s.", what);
}

static taut_status check_block(const void* block, size_t bytes, save_header* header) {
    if (block == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the saved state must not be NULL.");
    }
    const size_t start = offsetof(save_header, bytes);
    memset(header, 0, sizeof *header);
    memcpy(header, block, bytes < sizeof *header ? bytes : sizeof *header);
    if (bytes < start || memcmp(header->magic, MAGIC, sizeof header->magic) != 0) {
        return refuse("is none: it does not begin as a saved state does");
    }
    if (header->byte_order != BYTE_ORDER) {
        return refuse("is of a machine with another order of bytes");
    }
    if (header->version != TAUT_SAVED_VERSION) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the saved state has version %u; this library reads version %d.",
                         header->version, TAUT_SAVED_VERSION);
    }
    if (bytes < sizeof *header || header->bytes != bytes) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "the saved state is truncated or too long: it should have %llu bytes, "
                         "and has %zu.",
                         (unsigned long long)header->bytes, bytes);
    }
    return header->checksum == checksum_of(block, bytes) ? TAUT_OK : refuse("is damaged: its checksum is wrong");
}

taut_status taut_saved_describe_sized(const void* block, size_t bytes, taut_saved* saved, size_t size) {
    if (saved == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "saved must not be NULL.");
    }
    save_header header;
    const taut_status status = check_block(block, bytes, &header);
    if (status == TAUT_OK) {
        const taut_saved out = {.version = header.version,
                                .bytes = bytes,
                                .steps = header.numbers.memory.report.steps,
                                .time = header.numbers.memory.report.time,
                                .contact_capacity = (uint32_t)header.capacity,
                                .contacts = header.live > header.last ? header.live : header.last};
        taut_copy_sized(saved, size, &out, sizeof out);
    }
    return status;
}

static taut_status check_fits(taut_world* world, const save_header* header) {
    const uint32_t room = world->plan.sizes.contact_capacity;
    const uint32_t needed = header->live > header->last ? header->live : header->last;
    const char* const another = "is of another scene, or of a world with another method, numbering or reserve";
    if (header->fingerprint != state_fingerprint(world)) {
        return refuse(another);
    }
    if (needed > room) {
        return taut_fail(TAUT_OUT_OF_CAPACITY,
                         "the saved state has %u contacts; the world has room for %u "
                         "(contact.capacity; it can grow).",
                         needed, room);
    }
    return header->bytes == bytes_with(world, header->live, header->last) ? TAUT_OK : refuse(another);
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* Places of contacts that are there no more. */
static void set_live(taut_world* world, uint32_t live) {
    taut_sizes* s = &world->plan.sizes;
    const size_t before = s->count[TAUT_CONTACT];
    for (size_t c = live; s->touches && c < before; c++) {
        clear_contact(&world->plan.fields, s, c);
    }
    if (s->touches && !world->plan.on_device) {
        s->count[TAUT_CONTACT] = live;
        s->count[TAUT_ROLLING] = s->rolls ? live : 0;
    }
}

static void put_numbers(taut_world* world, const state_numbers* numbers) {
    taut_settings* settings = &world->plan.settings;
    memcpy(settings->gravity, numbers->gravity, sizeof settings->gravity);
    settings->integrator = numbers->integrator;
    settings->solver = numbers->solver;
    settings->weighed = settings->weighed || numbers->weighed;
    settings->passive_forces = numbers->passive_forces;
    world->guard = numbers->memory.guard;
    world->steps = numbers->memory.report.steps;
    world->divergences = numbers->memory.report.divergences;
    world->report = numbers->memory.report;
    world->fault = TAUT_OK;
    world->linear_h = 0;
    world->writes = false;
    memset(world->written, 0, world->plan.sizes.nodes);
}

static taut_status round_positions(taut_world* world) {
    const taut_fields* f = &world->plan.fields;
    const size_t values = 3 * world->plan.sizes.nodes;
    for (size_t i = 0; i < values; i++) {
        f->x_f32[i] = (float)f->x[i];
    }
    return world_upload(world, f->x_f32, values * sizeof *f->x_f32);
}

static taut_status load_fields(taut_world* world, const void* block, const save_header* header) {
    state_walk walk = {.world = world,
                       .direction = STATE_LOAD,
                       .at = (char*)block + sizeof *header,
                       .live = header->live,
                       .last = header->last};
    state_walk_fields(&walk);
    taut_status status = walk.status;
    status = status == TAUT_OK ? world_send_places(world) : status;
    return status == TAUT_OK ? round_positions(world) : status;
}

/* What is compiled from the state is evaluated from it. */
static taut_status load_state(taut_world* world, const void* block, const save_header* header) {
    taut_status status = load_fields(world, block, header);
    status = status == TAUT_OK ? world_retune(world) : status;
    world->stale = true;
    world->pace = header->numbers.pace;
    status = status == TAUT_OK ? world_refresh(world) : status;
    return status == TAUT_OK ? world->backend->recall(world->state, &header->numbers.memory) : status;
}

taut_status taut_world_load(taut_world* world, const void* block, size_t bytes) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    save_header header;
    taut_status status = check_block(block, bytes, &header);
    status = status == TAUT_OK ? check_fits(world, &header) : status;
    status = status == TAUT_OK ? world_ready(world) : status;
    if (status != TAUT_OK) {
        return status;
    }
    set_live(world, header.live);
    put_numbers(world, &header.numbers);
    return load_state(world, block, &header);
}
