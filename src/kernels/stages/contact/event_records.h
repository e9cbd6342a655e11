/* Events: the contacts of a substep that push or overlap, as records in the order of contacts. Text for a file that has
 * defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_EVENT_RECORDS_H
#define TAUT_CONTACT_EVENT_RECORDS_H

#include "kernels/stages/contact/collide.h"
#include "taut/events.h"

/* Parties are ordered by kind, then by number. */
TAUT_FN uint32_t party_of(taut_object object, uint32_t number) {
    return (uint32_t)object << TAUT_PARTY_BITS | number;
}

TAUT_FN uint32_t party_of_collider(const taut_fields* f, const taut_sizes* s, size_t collider) {
    const uint32_t frame = f->collider_body[collider].frame;
    return frame != TAUT_NO_NODE ? party_of(TAUT_OBJECT_BODY, frame - (uint32_t)s->points)
                                 : party_of(TAUT_OBJECT_COLLIDER, (uint32_t)collider);
}

/* A corner of a surface, of a skin, or a contact point of neither. */
TAUT_FN uint32_t party_of_point(const taut_fields* f, const taut_sizes* s, size_t point) {
    const uint32_t frame = f->touching_node[point].frame;
    if (is_skin(f, point)) {
        return party_of_collider(f, s, skin_collider(f, point));
    }
    if (f->touching_surface[point] != TAUT_NO_NODE) {
        return party_of(TAUT_OBJECT_SURFACE, f->touching_surface[point] / 2);
    }
    return frame != TAUT_NO_NODE ? party_of(TAUT_OBJECT_BODY, frame - (uint32_t)s->points)
                                 : party_of(TAUT_OBJECT_POINT, (uint32_t)point);
}

/* Of the finder of contact c, and of what it has found. */
TAUT_FN uint32_t party_of_finder(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c];
    return finder >= first_solid(s) ? party_of_collider(f, s, finder - first_solid(s))
           : finder >= s->touching  ? party_of_point(f, s, f->edge_corner[4 * (finder - s->touching)])
                                    : party_of_point(f, s, finder);
}

TAUT_FN uint32_t party_of_found(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c], other = f->contact_pair[2 * c + 1];
    const bool edge = finder >= s->touching && finder < first_solid(s);
    return edge                   ? party_of_point(f, s, f->edge_corner[4 * other])
           : other < s->colliders ? party_of_collider(f, s, other)
                                  : party_of_point(f, s, f->face_corner[4 * (other - s->colliders)]);
}

/* Whether contact c pushes, or overlaps. */
TAUT_FN bool contact_counts(const taut_fields* f, const taut_sizes* s, size_t c) {
    double lam[contact_ROWS], phi[contact_ROWS];
    load_unknowns_f64(f->lam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, lam);
    load_unknowns_f64(f->phi + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, phi);
    return lam[0] > 0 || phi[0] <= 0;
}

/* Before the records of a part of length h; 0: where a step begins, which keeps none of the one before. */
TAUT_FN void begin_records(const taut_fields* f, double h) {
    for (int i = 0; i < TAUT_EVENT_COUNTS && h == 0; i++) {
        f->event_count[i] = 0;
    }
    *f->event_time = h == 0 ? 0 : *f->event_time + h;
}

/* Record of contact c of a part of length h. */
TAUT_FN void record_contact(const taut_fields* f, const taut_sizes* s, size_t c, double h,
                            taut_contact_record* record) {
    const contact_jacobian axes = contact_axes(f, c);
    double lam[contact_ROWS], force[3] = {0, 0, 0};
    load_unknowns_f64(f->lam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, lam);
    contact_join(&axes, lam, force);
    const uint32_t finder = party_of_finder(f, s, c), found = party_of_found(f, s, c);
    const bool turned = finder > found;
    const double sign = turned ? -1 : 1;
    record->party[0] = turned ? found : finder;
    record->party[1] = turned ? finder : found;
    record->part = f->event_count[TAUT_EVENTS_PARTS];
    record->contact = (uint32_t)c;
    record->push = h * lam[0];
    for (int a = 0; a < 3; a++) {
        record->impulse[a] = sign * h * force[a];
        record->normal[a] = sign * axes.normal[a];
    }
    place_of_contact(f, s, c, record->position);
}

#endif
