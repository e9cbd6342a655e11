/* Contacts of islands that sleep. They are no rows of a step, but what they bear is there before and after it. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_sleep.h"

#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void add_array(sleeping_contacts* s, void* base, size_t width) {
    if (base != NULL && width > 0) {
        s->array[s->arrays++] = (sleeping_array){base, width};
        s->width += width;
    }
}

static void add_rows(sleeping_contacts* s, taut_kind k) {
    const taut_fields* f = &s->plan->fields;
    const size_t first = s->plan->sizes.first_row[k], rows = taut_kind_shapes[k].rows;
    double* const values[] = {f->gam, f->lam, f->lam_smooth, f->phi};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        add_array(s, values[i] + first, rows * sizeof(double));
    }
    if (s->plan->sizes.bounded) {
        add_array(s, f->hold + first, rows * sizeof *f->hold);
    }
}

static void add_kind(sleeping_contacts* s, taut_kind k) {
    const taut_kind_fields* f = &s->plan->fields.kinds[k];
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    add_array(s, f->rest, shape->rest * sizeof *f->rest);
    add_array(s, f->nodes, shape->nodes * sizeof *f->nodes);
    add_array(s, f->compliance, shape->packed * sizeof *f->compliance);
    add_array(s, f->damping, sizeof *f->damping);
    add_array(s, f->stiff, sizeof *f->stiff);
    add_rows(s, k);
}

static void list_arrays(sleeping_contacts* s) {
    const taut_fields* f = &s->plan->fields;
    const taut_sizes* sizes = &s->plan->sizes;
    add_kind(s, TAUT_CONTACT);
    add_array(s, f->contact_pair, 2 * sizeof *f->contact_pair);
    add_array(s, f->contact_feature, sizeof *f->contact_feature);
    add_array(s, f->contact_law, sizeof *f->contact_law);
    add_array(s, f->contact_friction, sizeof *f->contact_friction);
    add_array(s, f->contact_limit, sizeof *f->contact_limit);
    add_array(s, f->contact_load, sizeof *f->contact_load);
    if (sizes->watches) {
        add_array(s, f->contact_turned, sizeof *f->contact_turned);
    }
    if (sizes->rolls) {
        add_kind(s, TAUT_ROLLING);
        add_array(s, f->rolling_normal, sizeof *f->rolling_normal);
    }
}

taut_status sleeping_make(const taut_plan* plan, const taut_allocator* allocator, sleeping_contacts** out) {
    const size_t room = plan->sizes.touches ? plan->sizes.contact_capacity : 0;
    sleeping_contacts* s = taut_allocate(allocator, sizeof *s);
    if (s == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    s->allocator = *allocator;
    s->plan = plan;
    if (room > 0) {
        list_arrays(s);
    }
    s->bytes = room * (SLEEPING_LAST * sizeof(double) + SLEEPING_KEY * sizeof(uint32_t) + s->width) + 1;
    s->memory = taut_allocate(allocator, s->bytes);
    if (s->memory == NULL) {
        sleeping_free(s);
        return TAUT_OUT_OF_MEMORY;
    }
    s->last = s->memory;
    s->key = (uint32_t*)(s->last + SLEEPING_LAST * room);
    s->record = (char*)(s->key + SLEEPING_KEY * room);
    *out = s;
    return TAUT_OK;
}

void sleeping_free(sleeping_contacts* s) {
    if (s != NULL) {
        const taut_allocator allocator = s->allocator;
        if (s->memory != NULL) {
            taut_release(&allocator, s->memory, s->bytes);
        }
        taut_release(&allocator, s, sizeof *s);
    }
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void store_contact(sleeping_contacts* s, uint32_t i, size_t c) {
    char* at = s->record + s->width * i;
    for (uint32_t a = 0; a < s->arrays; a++) {
        memcpy(at, s->array[a].base + s->array[a].width * c, s->array[a].width);
        at += s->array[a].width;
    }
}

void sleeping_load(const sleeping_contacts* s, uint32_t i, size_t c) {
    const char* at = s->record + s->width * i;
    for (uint32_t a = 0; a < s->arrays; a++) {
        memcpy(s->array[a].base + s->array[a].width * c, at, s->array[a].width);
        at += s->array[a].width;
    }
}

static void move_contact(const sleeping_contacts* s, size_t from, size_t to) {
    for (uint32_t a = 0; a < s->arrays && from != to; a++) {
        memcpy(s->array[a].base + s->array[a].width * to, s->array[a].base + s->array[a].width * from,
               s->array[a].width);
    }
}

/* Whether one of the nodes that contact c acts on rests. */
static bool rests(const taut_fields* f, size_t c) {
    const uint32_t* nodes = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    bool any = false;
    for (size_t slot = 0; slot < contact_NODES && !any; slot++) {
        any = contact_acts(f, c, slot) && f->node_rests[nodes[slot]];
    }
    return any;
}

static void take(sleeping_contacts* s, size_t finder, size_t c) {
    const taut_fields* f = &s->plan->fields;
    const uint32_t i = s->count++;
    uint32_t* key = s->key + SLEEPING_KEY * i;
    double* last = s->last + SLEEPING_LAST * i;
    key[0] = (uint32_t)finder;
    key[1] = f->contact_pair[2 * c + 1];
    key[2] = f->contact_feature[c];
    store_contact(s, i, c);
    remember_contact(f, &s->plan->sizes, c, last, last + 9);
}

void sleeping_take(taut_backend_state* state) {
    sleeping_contacts* s = state->sleep;
    taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t before = plan->sizes.count[TAUT_CONTACT];
    size_t live = 0, c = 0;
    s->count = 0;
    s->impulse_step = state->impulse_step;
    for (size_t finder = 0; plan->sizes.touches && finder < finder_count(&plan->sizes); finder++) {
        const size_t end = f->contact_begin[finder + 1];
        f->contact_begin[finder] = (uint32_t)live;
        for (; c < end; c++) {
            if (rests(f, c)) {
                take(s, finder, c);
            } else {
                move_contact(s, c, live++);
            }
        }
    }
    if (plan->sizes.touches) {
        f->contact_begin[finder_count(&plan->sizes)] = (uint32_t)live;
        for (c = live; c < before; c++) {
            clear_contact(f, &plan->sizes, c);
        }
        cpu_set_live_contacts(plan, live);
        cpu_build_incidence(plan);
    }
}

/* Impulses of a step of another length. */
static void scale_impulses(const taut_plan* plan, size_t c, double scale) {
    for (int k = TAUT_CONTACT; k <= (plan->sizes.rolls ? TAUT_ROLLING : TAUT_CONTACT); k++) {
        const size_t rows = taut_kind_shapes[k].rows;
        double* gam = plan->fields.gam + plan->sizes.first_row[k] + rows * c;
        for (size_t i = 0; i < rows && scale != 1; i++) {
            gam[i] *= scale;
        }
    }
}

void sleeping_return(taut_backend_state* state) {
    sleeping_contacts* s = state->sleep;
    taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const double scale = s->impulse_step > 0 ? state->impulse_step / s->impulse_step : 1;
    size_t from = plan->sizes.count[TAUT_CONTACT], to = from + s->count;
    if (s->count == 0) {
        return;
    }
    cpu_set_live_contacts(plan, to);
    for (size_t finder = finder_count(&plan->sizes); finder-- > 0;) { /* from behind: nothing is overwritten */
        const size_t begin = f->contact_begin[finder];
        f->contact_begin[finder + 1] = (uint32_t)to;
        for (; s->count > 0 && s->key[SLEEPING_KEY * (s->count - 1)] == finder; s->count--) {
            sleeping_load(s, s->count - 1, --to);
            scale_impulses(plan, to, scale);
        }
        while (from > begin) {
            move_contact(s, --from, --to);
        }
    }
    state->report.contacts = (uint32_t)plan->sizes.count[TAUT_CONTACT];
    cpu_build_incidence(plan);
}

size_t sleeping_keep(const sleeping_contacts* s, size_t finder, uint32_t* next, size_t at) {
    const taut_fields* f = &s->plan->fields;
    for (; *next < s->count && s->key[SLEEPING_KEY * *next] == finder; ++*next, at++) {
        const uint32_t* key = s->key + SLEEPING_KEY * *next;
        const double* last = s->last + SLEEPING_LAST * *next;
        f->contact_pair_last[2 * at] = key[0];
        f->contact_pair_last[2 * at + 1] = key[1];
        f->contact_feature_last[at] = key[2];
        memcpy(f->contact_last + TAUT_CONTACT_LAST * at, last, TAUT_CONTACT_LAST * sizeof(double));
        if (s->plan->sizes.rolls) {
            memcpy(f->rolling_last + 6 * at, last + TAUT_CONTACT_LAST, 6 * sizeof(double));
        }
    }
    return at;
}
