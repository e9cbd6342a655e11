#include "host/compile/slots.h"

#include <string.h>

/* Places of each kind. A weld takes one of two kinds. */
static void reserved_of(const taut_reserve* reserve, uint32_t out[TAUT_KIND_COUNT]) {
    memset(out, 0, TAUT_KIND_COUNT * sizeof *out);
    out[TAUT_DISTANCE] = reserve->distances;
    out[TAUT_ATTACHMENT] = reserve->attachments;
    out[TAUT_TARGET] = reserve->targets;
    out[TAUT_SEGMENT] = out[TAUT_ALIGNMENT] = reserve->welds;
}

size_t slots_unknowns(const taut_settings* settings) {
    uint32_t reserved[TAUT_KIND_COUNT];
    size_t unknowns = 0;
    reserved_of(&settings->reserve, reserved);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        unknowns += reserved[k] * (size_t)(taut_kind_shapes[k].rows + taut_kind_shapes[k].factor_rows);
    }
    return unknowns;
}

bool slots_wanted(const taut_settings* settings) {
    return slots_unknowns(settings) > 0;
}

void slots_count(const taut_settings* settings, taut_sizes* s) {
    reserved_of(&settings->reserve, s->reserved);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        s->count[k] += s->reserved[k];
        s->entries[k] += s->reserved[k] * taut_kind_shapes[k].nodes;
    }
}

void slots_fill(const taut_sizes* s, taut_kind k, size_t from, taut_fields* f) {
    taut_kind_fields* kind = &f->kinds[k];
    uint32_t unknowns[TAUT_MAX_ROWS];
    for (size_t c = from; c < s->count[k]; c++) {
        const uint32_t count = taut_list_unknowns(s, k, (uint32_t)c, unknowns);
        kind->law[c] = TAUT_LAW_ABSENT;
        kind->measure[c] = 1;
        for (uint32_t i = 0; s->condensed && i < count; i++) {
            f->condensed[unknowns[i]] = TAUT_CONDENSED;
        }
    }
}

void slots_list(const taut_sizes* s, taut_fields* f) {
    size_t next = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = taut_given_count(s, k); s->reserved[k] > 0 && c < s->count[k]; c++) {
            next += taut_list_unknowns(s, (taut_kind)k, (uint32_t)c, f->reserved_unknown + next);
        }
    }
}

/* Counting sort of the entries by node; stable. */
void slots_incidence(const taut_sizes* s, taut_kind_fields* f, taut_kind k) {
    const size_t nodes = taut_kind_shapes[k].nodes;
    uint32_t* next = f->offsets; /* shifted by one while filling */
    memset(f->offsets, 0, (s->nodes + 1) * sizeof *f->offsets);
    for (int fill = 0; fill < 2; fill++) {
        for (size_t c = 0; c < s->count[k]; c++) {
            const bool there = c < taut_given_count(s, k) || f->law[c] != TAUT_LAW_ABSENT;
            for (size_t e = nodes * c; there && e < nodes * (c + 1); e++) {
                if (fill) {
                    f->incidence[next[f->nodes[e]]++] = (uint32_t)e;
                } else {
                    f->offsets[f->nodes[e] + 1]++;
                }
            }
        }
        for (size_t n = 0; !fill && n < s->nodes; n++) {
            f->offsets[n + 1] += f->offsets[n];
        }
    }
    memmove(f->offsets + 1, f->offsets, s->nodes * sizeof *f->offsets);
    f->offsets[0] = 0;
}
