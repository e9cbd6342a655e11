/* Events on the CPU: kernels/stages/contact/event_records.h over the contacts of a part. */
#define TAUT_REAL double
#include "kernels/stages/contact/event_records.h"

#include "host/cpu/cpu_state.h"

void cpu_record_events(const taut_plan* plan, double h) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    if (s->events == 0) {
        return;
    }
    begin_records(f, h);
    for (size_t c = 0; c < f->contact_count[TAUT_CONTACTS_LIVE]; c++) {
        const bool counts = contact_counts(f, s, c);
        const uint32_t kept = f->event_count[TAUT_EVENTS_KEPT];
        if (counts && kept < s->events) {
            record_contact(f, s, c, h, &f->event[kept]);
            f->event_count[TAUT_EVENTS_KEPT]++;
        } else if (counts) {
            f->event_count[TAUT_EVENTS_LOST]++;
        }
    }
    f->event_count[TAUT_EVENTS_PARTS]++;
}
