/* Constraints of the scene that are taken away while a world runs, and put back. */
#include "base/status.h"
#include "host/compile/compile.h"
#include "host/world/world_changes.h"
#include "taut/added.h"

void world_note_change(taut_world* world) {
    world_wake_all(world);
    world->stale = true;
    world->linear_h = 0;
}

static taut_status clear_value(taut_world* world, double* value) {
    *value = 0;
    return world_upload(world, value, sizeof *value);
}

taut_status world_clear_rows(taut_world* world, taut_kind k, size_t c) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    uint32_t unknowns[TAUT_MAX_ROWS];
    const uint32_t count = taut_list_unknowns(s, k, (uint32_t)c, unknowns);
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t u = unknowns[i];
        status = clear_value(world, f->gam + u);
        double* of_rows[] = {f->lam + u, f->lam_smooth + u, f->explicit_gam + u};
        for (size_t a = 0; status == TAUT_OK && u < s->rows && a < 3; a++) {
            status = clear_value(world, of_rows[a]);
        }
    }
    return status;
}

static taut_status find_rows(taut_world* world, taut_batch batch, size_t first, size_t count, const void* values,
                             const scene_batch** found, size_t* offset) {
    const taut_status status = world_find_constraints(world, batch, first, count, values, found, offset);
    if (status == TAUT_OK && taut_kind_shapes[(*found)->kind].rows == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s elements are forces, which cannot be taken away.",
                         taut_kind_name((*found)->kind));
    }
    return status;
}

taut_status taut_world_set_present(taut_world* world, taut_batch batch, size_t first, size_t count, bool present) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = find_rows(world, batch, first, count, &present, &b, &offset);
    if (status != TAUT_OK) {
        return status;
    }
    const taut_kind_fields* f = &world->plan.fields.kinds[b->kind];
    const uint8_t law = present ? taut_batch_law(b) : (uint8_t)TAUT_LAW_ABSENT;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t c = world_constraint(world, b->kind, offset + i);
        if (f->law[c] != law) {
            f->law[c] = law;
            world_span_add(&written, c);
            status = world_clear_rows(world, b->kind, c);
        }
    }
    world_note_change(world);
    status = status == TAUT_OK ? world_send_joined(world) : status;
    return status == TAUT_OK ? world_upload_span(world, f->law, sizeof *f->law, written) : status;
}

taut_status taut_world_read_present(taut_world* world, taut_batch batch, size_t first, size_t count, bool* present) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    const taut_status status = find_rows(world, batch, first, count, present, &b, &offset);
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t c = world_constraint(world, b->kind, offset + i);
        present[i] = world->plan.fields.kinds[b->kind].law[c] != TAUT_LAW_ABSENT;
    }
    return status;
}
