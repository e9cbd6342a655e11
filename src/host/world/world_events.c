/* Contact events: what the records of a step say of each pair of objects. */
#include "base/memory.h"
#include "base/status.h"
#include "host/world/world_data.h"
#include "taut/events.h"

#include <string.h>

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int compare(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

/* By parties, parts and contacts: no two are equal. */
static bool comes_before(const taut_contact_record* a, const taut_contact_record* b) {
    const int order[] = {compare(a->party[0], b->party[0]), compare(a->party[1], b->party[1]),
                         compare(a->part, b->part), compare(a->contact, b->contact)};
    int first = 0;
    while (first < 3 && order[first] == 0) {
        first++;
    }
    return order[first] < 0;
}

/* Down from place i in a heap whose largest item is at 0. */
static void sift(const taut_contact_record* all, uint32_t* heap, uint32_t count, uint32_t i) {
    for (uint32_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        child += child + 1 < count && comes_before(&all[heap[child]], &all[heap[child + 1]]);
        if (!comes_before(&all[heap[i]], &all[heap[child]])) {
            return;
        }
        const uint32_t swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

/* By a heap: without memory. */
static void sort(const taut_contact_record* all, uint32_t count, uint32_t* order) {
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t i = count / 2; i-- > 0;) {
        sift(all, order, count, i);
    }
    for (uint32_t end = count; end-- > 1;) {
        const uint32_t swap = order[0];
        order[0] = order[end];
        order[end] = swap;
        sift(all, order, end, 0);
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static void add_record(const taut_contact_record* record, uint32_t last_part, taut_contact_pair* pair) {
    pair->contacts += record->part == last_part;
    for (int a = 0; a < 3; a++) {
        pair->impulse[a] += record->impulse[a];
    }
    if (record->part > 0 && !(record->push <= pair->largest)) {
        pair->largest = record->push;
        memcpy(pair->position, record->position, sizeof pair->position);
        memcpy(pair->normal, record->normal, sizeof pair->normal);
    }
}

/* One pair from its records, `count` at `order`; of `parts` parts, the last one is over. */
static taut_contact_pair pair_of(const taut_contact_record* all, const uint32_t* order, uint32_t count, uint32_t parts,
                                 double time) {
    const taut_contact_record* first = &all[order[0]];
    taut_contact_pair pair = {.first = (taut_object)(first->party[0] >> TAUT_PARTY_BITS),
                              .second = (taut_object)(first->party[1] >> TAUT_PARTY_BITS),
                              .first_number = first->party[0] & ((1u << TAUT_PARTY_BITS) - 1),
                              .second_number = first->party[1] & ((1u << TAUT_PARTY_BITS) - 1),
                              .largest = -1};
    pair.began = first->part > 0;
    memcpy(pair.position, first->position, sizeof pair.position);
    memcpy(pair.normal, first->normal, sizeof pair.normal);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t part = all[order[i]].part, next = i + 1 < count ? all[order[i + 1]].part : parts;
        add_record(&all[order[i]], parts - 1, &pair);
        pair.ended = pair.ended || next > part + 1 || (i + 1 == count && part + 1 < parts);
        pair.began = pair.began || (i + 1 < count && next > part + 1);
        pair.touching = part + 1 == parts;
    }
    for (int a = 0; a < 3; a++) {
        pair.force[a] = time > 0 ? pair.impulse[a] / time : 0;
    }
    pair.largest = pair.largest > 0 ? pair.largest : 0;
    return pair;
}

static bool same_pair(const taut_contact_record* a, const taut_contact_record* b) {
    return a->party[0] == b->party[0] && a->party[1] == b->party[1];
}

/* The records as they are where the backend works. */
static taut_status fetch(taut_world* world) {
    const taut_fields* f = &world->plan.fields;
    taut_status status = world_ready(world);
    status =
        status == TAUT_OK ? world_download(world, f->event_count, TAUT_EVENT_COUNTS * sizeof *f->event_count) : status;
    status = status == TAUT_OK ? world_download(world, f->event_time, sizeof *f->event_time) : status;
    return status == TAUT_OK && f->event_count[TAUT_EVENTS_KEPT] > 0
               ? world_download(world, f->event, f->event_count[TAUT_EVENTS_KEPT] * sizeof *f->event)
               : status;
}

taut_status taut_world_read_pairs_sized(taut_world* world, size_t capacity, taut_contact_pair* pairs, size_t* count,
                                        size_t* lost, size_t size) {
    if (world == NULL || count == NULL || (pairs == NULL && capacity > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world, pairs and count must not be NULL.");
    }
    if (world->plan.settings.contact.events == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the world records no events (contact.events).");
    }
    const taut_fields* f = &world->plan.fields;
    const bool possible = world->plan.sizes.events > 0;
    const taut_status status = possible ? fetch(world) : TAUT_OK;
    if (status != TAUT_OK) {
        return status;
    }
    const uint32_t records = possible ? f->event_count[TAUT_EVENTS_KEPT] : 0;
    size_t found = 0;
    sort(f->event, records, f->event_order);
    for (uint32_t i = 0, end; i < records; i = end) {
        for (end = i + 1; end < records && same_pair(&f->event[f->event_order[i]], &f->event[f->event_order[end]]);) {
            end++;
        }
        if (found < capacity) {
            const taut_contact_pair pair =
                pair_of(f->event, f->event_order + i, end - i, f->event_count[TAUT_EVENTS_PARTS], *f->event_time);
            taut_copy_sized((char*)pairs + found * size, size, &pair, sizeof pair);
        }
        found++;
    }
    *count = found;
    if (lost != NULL) {
        *lost = possible ? f->event_count[TAUT_EVENTS_LOST] : 0;
    }
    return TAUT_OK;
}
