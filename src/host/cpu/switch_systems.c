/* Which system has which part of the scene: parts that touch something in this substep the condensed one, which takes
 * contacts; others that which they would have if nothing could touch. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_heaps.h"

/* Whether some constraints may join what are parts by those of the scene. */
static bool parts_may_join(const taut_sizes* s) {
    bool may = false;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        may = may || s->reserved[k] > 0;
    }
    return may;
}

static void mark_touching(const taut_fields* f, const taut_sizes* s) {
    for (size_t c = 0; c < s->count[TAUT_CONTACT]; c++) {
        for (size_t slot = 0; slot < contact_NODES; slot++) {
            if (contact_acts(f, c, slot)) {
                f->part_system[f->node_part[f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + slot]]] |=
                    TAUT_PART_TOUCHES;
            }
        }
    }
}

/* Whether a part is condensed in this substep, which it stays for a while after it has touched something: what bounces
 * does not change back and forth, and what a hit has left is undone by the system that had it. */
static bool is_taken(const taut_fields* f, size_t part, bool all) {
    const bool touches = (f->part_system[part] & TAUT_PART_TOUCHES) != 0;
    uint8_t* wait = &f->part_wait[part];
    *wait = touches ? TAUT_PART_WAIT : *wait > 0 ? (uint8_t)(*wait - 1) : 0;
    return all || *wait > 0 || (f->part_system[part] & TAUT_PART_ALWAYS) != 0;
}

/* Parts that change their system, whether there are any. */
static bool mark_changes(const taut_fields* f, const taut_sizes* s, bool all) {
    bool any = false;
    for (size_t n = 0; n < s->nodes; n++) {
        uint8_t* part = &f->part_system[n];
        const bool changes = is_taken(f, n, all) != ((*part & TAUT_PART_CONDENSED) != 0);
        *part ^= changes ? TAUT_PART_CONDENSED | TAUT_PART_CHANGES : 0;
        any = any || changes;
    }
    return any;
}

/* What the condensed system has of a constraint; assembly makes it again where it is still there. */
static void clear_conductance(const taut_fields* f, int k, uint32_t c) {
    const size_t values = taut_kind_shapes[k].packed;
    for (size_t i = 0; i < values; i++) {
        f->kinds[k].conductance[values * c + i] = 0;
    }
}

static void change_members(const taut_fields* f, const taut_sizes* s) {
    size_t m = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (uint32_t c = 0; k != TAUT_CONTACT && k != TAUT_ROLLING && c < taut_given_count(s, k); c++, m++) {
            const uint32_t part = f->member_part[m];
            if (part == UINT32_MAX || (f->part_system[part] & TAUT_PART_CHANGES) == 0) {
                continue;
            }
            uint32_t unknown[TAUT_MAX_ROWS];
            const uint32_t count = taut_list_unknowns(s, (taut_kind)k, c, unknown);
            clear_conductance(f, k, c);
            for (uint32_t i = 0; i < count; i++) {
                f->condensed[unknown[i]] =
                    (f->part_system[part] & TAUT_PART_CONDENSED) != 0 ? TAUT_CONDENSED : TAUT_NOT_CONDENSED;
            }
        }
    }
}

static void choose_condensed(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    state->solves_schur = s->schur;
    state->solves_condensed = s->condensed;
    if (!s->switches) {
        return;
    }
    mark_touching(f, s);
    if (mark_changes(f, s, parts_may_join(s))) {
        change_members(f, s);
    }
    state->solves_schur = state->solves_condensed = false;
    for (size_t n = 0; n < s->nodes; n++) {
        const bool condensed = (f->part_system[f->node_part[n]] & TAUT_PART_CONDENSED) != 0;
        f->condensed_node[n] = condensed;
        state->solves_condensed = state->solves_condensed || condensed;
        state->solves_schur = state->solves_schur || !condensed;
    }
    for (size_t n = 0; n < s->nodes; n++) {
        f->part_system[n] &= TAUT_PART_CONDENSED | TAUT_PART_ALWAYS;
    }
}

void cpu_switch_systems(taut_backend_state* state) {
    choose_condensed(state);
    heaps_choose(state);
}
