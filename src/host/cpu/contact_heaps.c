/* Heaps: loose bodies that touch each other, one way or another. What does not move joins nothing, so that heaps share
 * no unknown, and each has a system of its own. Small ones share one, since sweeps take eight contacts at a time that
 * share no body. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"

#include "base/groups.h"
#include "host/cpu/cpu_contact_pairs.h"

#include <string.h>

/* Contacts from which on a system of several heaps takes no more. */
#define SHARED_CONTACTS 128

/* The node in a slot of contact c if that moves; else PAIR_NONE. */
static uint32_t moving_node(const taut_fields* f, size_t c, size_t slot) {
    const uint32_t n = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + slot];
    return contact_acts(f, c, slot) && f->inverse_mass[n] > 0 ? n : PAIR_NONE;
}

/* Any that contact c moves. */
static uint32_t node_of(const taut_fields* f, size_t c) {
    uint32_t n = PAIR_NONE;
    for (size_t slot = 0; slot < contact_NODES && n == PAIR_NONE; slot++) {
        n = moving_node(f, c, slot);
    }
    return n;
}

/* Nodes that touch are groups (base/groups.h). */
static void join_touching(contact_pairs* s, size_t taken) {
    const taut_fields* f = &s->plan->fields;
    for (uint32_t n = 0; n < s->plan->sizes.nodes; n++) {
        s->vertex_of[n] = n;
    }
    for (size_t i = 0; i < taken; i++) {
        const uint32_t first = node_of(f, s->taken[i]);
        for (size_t slot = 0; slot < contact_NODES && first != PAIR_NONE; slot++) {
            const uint32_t n = moving_node(f, s->taken[i], slot);
            if (n != PAIR_NONE) {
                group_join(s->vertex_of, first, n);
            }
        }
    }
}

/* The group of contact c; what moves nothing is of the first one. */
static uint32_t group_of(contact_pairs* s, uint32_t c) {
    const uint32_t n = node_of(&s->plan->fields, c);
    return n == PAIR_NONE ? 0 : group_root(s->vertex_of, n);
}

/* How many contacts each group has. */
static void count_of_groups(contact_pairs* s, size_t taken, uint32_t* contacts) {
    memset(contacts, 0, s->plan->sizes.nodes * sizeof *contacts);
    for (size_t i = 0; i < taken; i++) {
        contacts[group_of(s, s->taken[i])]++;
    }
}

/* Gives each group a heap, in the order of their first contacts. `end` gets how many contacts each heap has. */
static void name_heaps(contact_pairs* s, size_t taken, const uint32_t* contacts, uint32_t* heap_of, uint32_t* end) {
    uint32_t shared = PAIR_NONE;
    memset(heap_of, 0xff, s->plan->sizes.nodes * sizeof *heap_of);
    s->heaps = 0;
    for (size_t i = 0; i < taken; i++) {
        const uint32_t group = group_of(s, s->taken[i]);
        if (heap_of[group] == PAIR_NONE) {
            const bool own = contacts[group] >= CONTACT_HEAP_LEAST;
            const bool joins = !own && shared != PAIR_NONE && end[shared] < SHARED_CONTACTS;
            heap_of[group] = joins ? shared : (uint32_t)s->heaps++;
            end[heap_of[group]] = contacts[group] + (joins ? end[shared] : 0);
            shared = own ? shared : heap_of[group];
        }
    }
}

/* Contacts by their heaps, and by their numbers in each. */
static void sort_contacts(contact_pairs* s, size_t taken, const uint32_t* heap_of, uint32_t* end) {
    uint32_t begin = 0;
    for (size_t i = 0; i < s->heaps; i++) {
        const uint32_t count = end[i];
        end[i] = begin;
        begin += count;
    }
    for (size_t i = 0; i < taken; i++) {
        s->source[end[heap_of[group_of(s, s->taken[i])]]++] = s->taken[i];
    }
}

void contact_heaps_sort(contact_pairs* s, size_t taken, bool apart) {
    uint32_t *contacts = s->centre, *heap_of = s->frame, *end = s->met; /* free until things have vertices */
    s->heaps = 1;
    if (!apart || taken == 0) {
        memcpy(s->source, s->taken, taken * sizeof *s->source);
    } else {
        join_touching(s, taken);
        count_of_groups(s, taken, contacts);
        name_heaps(s, taken, contacts, heap_of, end);
        sort_contacts(s, taken, heap_of, end);
    }
}

void contact_heaps_place(contact_pairs* s, size_t i, size_t contact, size_t vertex, bool same) {
    contact_pairs* h = &s->heap[i];
    const contact_pairs was = *h;
    const size_t contacts = s->contacts - contact, vertices = s->vertices - vertex;
    *h = *s; /* what sweeps and Newton's method work on serves one after the other */
    h->contacts = contacts;
    h->vertices = vertices;
    h->centre = s->centre + vertex;
    h->frame = s->frame + vertex;
    h->side = s->side + 2 * contact;
    h->place = s->place + contact;
    h->source = s->source + contact;
    h->contact = s->contact + contact;
    h->paused = false;
    h->newton_sweeps = -1;
    if (same && h->side == was.side && h->centre == was.centre && contacts == was.contacts &&
        vertices == was.vertices) {
        h->newton_sweeps = was.newton_sweeps;
        h->paused = was.paused;
        h->swept = was.swept && s->swept;
    }
}
