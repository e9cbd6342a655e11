/* Events on the CPU: kernels/stages/contact/event_records.h over the contacts of a part. */
#define TAUT_REAL double
#include "kernels/stages/contact/event_records.h"

#include "host/cpu/cpu_sleep.h"

/* Contact c, which is number `contact` of those of the part. */
static void record(const taut_plan* plan, size_t c, uint32_t contact, double h) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const bool counts = contact_counts(f, s, c);
    const uint32_t kept = f->event_count[TAUT_EVENTS_KEPT];
    if (counts && kept < s->events) {
        record_contact(f, s, c, h, &f->event[kept]);
        f->event[kept].contact = contact;
        f->event_count[TAUT_EVENTS_KEPT]++;
    } else if (counts) {
        f->event_count[TAUT_EVENTS_LOST]++;
    }
}

/* What sleeps goes on to touch: through the place behind the contacts that there are, which is free. */
static void record_sleeping(const taut_backend_state* state, uint32_t live, double h) {
    const sleeping_contacts* sleep = state->sleep;
    for (uint32_t i = 0; i < sleep->count; i++) {
        sleeping_load(sleep, i, live);
        record(state->plan, live, live + i, h);
    }
    if (sleep->count > 0) {
        clear_contact(&state->plan->fields, &state->plan->sizes, live);
    }
}

void cpu_record_events(const taut_backend_state* state, double h) {
    const taut_fields* f = &state->plan->fields;
    if (state->plan->sizes.events == 0) {
        return;
    }
    const uint32_t live = f->contact_count[TAUT_CONTACTS_LIVE];
    begin_records(f, h);
    for (uint32_t c = 0; c < live; c++) {
        record(state->plan, c, c, h);
    }
    if (state->sleep != NULL) {
        record_sleeping(state, live, h);
    }
    f->event_count[TAUT_EVENTS_PARTS]++;
}
