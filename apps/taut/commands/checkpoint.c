#include "commands/checkpoint.h"

#include "base/array.h"
#include "base/directory.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "commands/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char file_name[] = "checkpoint.taut";

#define MAGIC   "TAUTSTEP"
#define VERSION 1u

typedef struct checkpoint_header {
    char magic[8];
    uint32_t version, unused;
    uint64_t scene; /* identity */
    uint64_t frame;
    uint64_t bytes; /* of the block that follows */
    uint64_t hash;  /* of all above; the block has its own */
} checkpoint_header;

static uint64_t hash_of(const checkpoint_header* h) {
    return hash_bytes(HASH_START, h, offsetof(checkpoint_header, hash));
}

/* ---- the scene ------------------------------------------------------------------------------------------------ */

static bool hash_vertices(const built_object* o, taut_world* world, uint64_t* hash, report* r) {
    enum { CHUNK = 1024 };
    double x[CHUNK][3];
    for (size_t i = 0; i < o->point_count; i += CHUNK) {
        const size_t count = o->point_count - i < CHUNK ? o->point_count - i : CHUNK;
        if (taut_world_read(world, TAUT_FIELD_POSITIONS, o->first_point + i, count, x[0]) != TAUT_OK) {
            return report_fail(r, "%s", taut_last_error());
        }
        *hash = hash_bytes(*hash, x, count * sizeof *x);
    }
    return true;
}

/* The text of the scene names meshes: their vertices and faces belong to the identity. */
static bool identify(const scene_file* file, const built_scene* built, taut_world* world, uint64_t* hash, report* r) {
    *hash = hash_bytes(HASH_START, &file->identity, sizeof file->identity);
    bool ok = true;
    for (size_t i = 0; ok && i < built->object_count; i++) {
        const built_object* o = &built->objects[i];
        *hash = hash_bytes(*hash, o->triangles, o->triangle_count * sizeof *o->triangles);
        *hash = hash_bytes(*hash, o->skin, o->skin_count * sizeof *o->skin);
        ok = hash_vertices(o, world, hash, r);
    }
    return ok;
}

/* ---- opening -------------------------------------------------------------------------------------------------- */

static bool claim(checkpoint* c, const arguments* a, report* r) {
    if (a->checkpoint_file) {
        return whole_file_claim(&c->file, a->checkpoint_file, r);
    }
    char* directory = text_copy(a->directory, r);
    char* path = directory && directory_make(directory, r) ? directory_entry(directory, file_name, r) : NULL;
    const bool ok = path && whole_file_claim(&c->file, path, r);
    free(path);
    free(directory);
    return ok;
}

bool checkpoint_open(const arguments* a, const scene_file* file, const built_scene* built, taut_world* world,
                     checkpoint* out, report* r) {
    checkpoint c = {.every = a->checkpoint, .keeps = a->checkpoint && a->max_seconds};
    if ((c.every || a->resume) && !identify(file, built, world, &c.scene, r)) {
        return false;
    }
    if (c.every && !claim(&c, a, r)) {
        return false;
    }
    *out = c;
    return true;
}

void checkpoint_close(checkpoint* c) {
    whole_file_release(&c->file);
    free(c->block);
    *c = (checkpoint){0};
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

/* Growth of the room for contacts makes blocks larger. */
static bool make_room(checkpoint* c, taut_world* world, report* r) {
    size_t bytes = 0;
    if (taut_world_state_size(world, &bytes) != TAUT_OK) {
        return report_fail(r, "%s: %s", c->file.path, taut_last_error());
    }
    if (bytes > c->capacity) {
        free(c->block);
        c->capacity = 0;
        c->block = array_new(bytes, 1, r);
        c->capacity = c->block ? bytes : 0;
    }
    return c->block != NULL;
}

static bool hold(checkpoint* c, taut_world* world, size_t frame, report* r) {
    if (!make_room(c, world, r)) {
        return false;
    }
    if (taut_world_save(world, c->capacity, c->block, &c->bytes) != TAUT_OK) {
        return report_fail(r, "%s: frame %zu cannot be saved: %s", c->file.path, frame, taut_last_error());
    }
    c->held = frame;
    return true;
}

static bool write(checkpoint* c, report* r) {
    checkpoint_header h = {.magic = MAGIC, .version = VERSION, .scene = c->scene, .frame = c->held, .bytes = c->bytes};
    h.hash = hash_of(&h);
    c->frame = c->held;
    return whole_file_replace(&c->file, 2, (const void*[]){&h, c->block}, (const size_t[]){sizeof h, c->bytes}, r);
}

bool checkpoint_frame(checkpoint* c, taut_world* world, size_t frame, bool last, report* r) {
    const bool due = c->every && frame > c->frame && (last || frame % c->every == 0);
    const bool kept = !(due || c->keeps) || hold(c, world, frame, r);
    return kept && (!due || write(c, r));
}

bool checkpoint_kept(checkpoint* c, report* r) {
    return c->held <= c->frame || write(c, r);
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

static bool check_header(const char* path, const checkpoint_header* h, size_t got, report* r) {
    if (got < sizeof h->magic || memcmp(h->magic, MAGIC, sizeof h->magic) != 0) {
        return report_fail(r, "%s: is no checkpoint of taut", path);
    }
    if (got < sizeof *h || h->hash != hash_of(h)) {
        return report_fail(r, "%s: is damaged: take an earlier checkpoint, or begin again", path);
    }
    return h->version == VERSION || report_fail(r, "%s: is a checkpoint of version %u, this program reads version %u",
                                                path, h->version, VERSION);
}

static bool check_frame(const checkpoint* c, const arguments* a, const scene_file* file, const checkpoint_header* h,
                        report* r) {
    const size_t frames = a->frames_given ? a->frames : file->frames;
    if (h->scene != c->scene) {
        return report_fail(r, "%s: is a checkpoint of another scene than %s is now: only \"frames\" may be changed",
                           a->resume, file->path);
    }
    return h->frame <= frames ||
           report_fail(r, "%s: frame %llu is past the end of the run, which has %zu frames: give --frames", a->resume,
                       (unsigned long long)h->frame, frames);
}

static bool check_block(const char* path, const void* block, size_t bytes, taut_saved* saved, report* r) {
    return taut_saved_describe(block, bytes, saved) == TAUT_OK || report_fail(r, "%s: %s", path, taut_last_error());
}

/* Room that the saved world had: sums depend on it, and so do the contacts that fit. */
static bool restore_room(const arguments* a, const scene_file* file, const built_scene* built, taut_world* world,
                         const taut_saved* saved, report* r) {
    const uint32_t room = saved->contact_capacity;
    return room == 0 ||
           (limits_check_contacts(a, file, built, room, r) && (taut_world_grow_contacts(world, room) == TAUT_OK ||
                                                               report_fail(r, "%s: %s", a->resume, taut_last_error())));
}

static bool read_block(FILE* stream, const char* path, size_t bytes, void** block, report* r) {
    *block = array_new(bytes, 1, r);
    return *block &&
           (fread(*block, 1, bytes, stream) == bytes ||
            report_fail(r, "%s: cannot be read: %s", path, ferror(stream) ? strerror(errno) : "it ends early"));
}

static bool read_all(const checkpoint* c, const arguments* a, const scene_file* file, FILE* stream, size_t size,
                     checkpoint_header* h, void** block, report* r) {
    memset(h, 0, sizeof *h);
    if (!check_header(a->resume, h, fread(h, 1, sizeof *h, stream), r) || !check_frame(c, a, file, h, r)) {
        return false;
    }
    if (size - sizeof *h != h->bytes) {
        return report_fail(r, "%s: is damaged: it has %zu bytes, and should have %zu", a->resume, size,
                           sizeof *h + (size_t)h->bytes);
    }
    return read_block(stream, a->resume, (size_t)h->bytes, block, r);
}

bool checkpoint_resume(checkpoint* c, const arguments* a, const scene_file* file, const built_scene* built,
                       taut_world* world, size_t* frame, report* r) {
    FILE* stream = NULL;
    size_t size = 0;
    checkpoint_header h;
    void* block = NULL;
    taut_saved saved;
    if (!input_file_open_large(a->resume, &stream, &size, r)) {
        return false;
    }
    const bool ok = read_all(c, a, file, stream, size, &h, &block, r) &&
                    check_block(a->resume, block, (size_t)h.bytes, &saved, r) &&
                    restore_room(a, file, built, world, &saved, r) &&
                    (taut_world_load(world, block, (size_t)h.bytes) == TAUT_OK ||
                     report_fail(r, "%s: %s", a->resume, taut_last_error()));
    free(block);
    (void)fclose(stream);
    c->frame = ok ? (size_t)h.frame : 0;
    *frame = c->frame;
    return ok;
}
