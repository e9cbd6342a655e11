/* What a substep says of a contact that pushes or overlaps: kernels/stages/contact/event_records.h. */
#ifndef TAUT_MODEL_CONTACT_RECORD_H
#define TAUT_MODEL_CONTACT_RECORD_H

#include <stdint.h>

/* Bits of the number in a party; its kind stands above them. */
#define TAUT_PARTY_BITS 30

/* Parties are the objects of both features, taut_object and number. */
typedef struct taut_contact_record {
    uint32_t party[2];
    uint32_t part, contact;  /* part 0: those before the step */
    double impulse[3], push; /* N s, on the first one, and along the normal */
    double position[3], normal[3];
} taut_contact_record;

/* What event_count has: records that there are and that there was no room for, and parts. */
enum { TAUT_EVENTS_KEPT, TAUT_EVENTS_LOST, TAUT_EVENTS_PARTS, TAUT_EVENT_COUNTS };

#endif
