/* Notes of the contacts that pressed in a step, and what has no gradient among them. Each is found again at the start
 * of the step, and its impulse is compared with that of the step. */
#define TAUT_REAL double
#include "host/cpu/cpu_adjoint_contacts.h"

#include <math.h>
#include <string.h>

/* R may differ by this part from that of masses and loads, by what is rounded; more follows the state. Less of it where
 * joints press on bodies: R is a hundredth of what it stands beside. */
#define NOTES_SOFTNESS  1e-5
#define NOTES_OF_JOINTS 2e-2
/* Likewise gaps and places, in m, and directions. */
#define NOTES_PLACE 1e-6
/* What the law may leave of an impulse, and of y: Newton's method says how close the step is; more is another law. */
#define NOTES_AGREE 1e-3
#define NOTES_OF_Y  1e-6
/* Less of the last friction depends on the load that held it; rounding leaves as much. */
#define NOTES_WHOLE (1 - 1e-9)

/* ---- what has none ----------------------------------------------------------------------------------------------- */

/* Why things that contact c is between have none, before it is looked for; NULL: they have one. */
static const char* refuses_pair(const taut_plan* plan, size_t c) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const uint32_t other = f->contact_pair[2 * c + 1];
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const bool with_collider = f->contact_pair[2 * c] < s->touching || f->contact_pair[2 * c] >= first_solid(s);
    if (with_collider && other < s->colliders && deforming_mesh(f, s, other) != NULL) {
        return "contacts with meshes that deform have none";
    }
    for (size_t slot = 0; slot < 4; slot++) {
        const uint32_t node = f->kinds[TAUT_CONTACT].nodes[contact_NODES * c + slot];
        if (rest[contact_weight + slot] != 0 && taut_is_mapped(s, node)) {
            return "contacts of mapped points have none";
        }
    }
    return f->material_law[TAUT_CONTACT_LAW * (size_t)f->contact_law[c] + TAUT_PAIR_COMPLIANCE] > 0
               ? "contacts with compliance have none"
               : NULL;
}

/* Whether the rows are those of the step. */
static bool is_same(const adjoint_rows* rows, const double* of_step) {
    bool same = true;
    for (size_t i = 0; i < contact_turn; i++) {
        const double slack = NOTES_PLACE * (1 + fabs(of_step[i]));
        same = same && fabs(rows->rest[i] - of_step[i]) <= slack;
    }
    return same;
}

/* ---- one contact ------------------------------------------------------------------------------------------------- */

static void begin_note(const taut_plan* plan, const taut_step_record* record, size_t c, taut_contact_note* note) {
    const taut_fields* f = &plan->fields;
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    const uint32_t* nodes = f->kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    *note = (taut_contact_note){.finder = f->contact_pair[2 * c],
                                .other = f->contact_pair[2 * c + 1],
                                .feature = f->contact_feature[c],
                                .law = f->contact_law[c],
                                .friction = f->contact_friction[c],
                                .chain = chain_length(f, &plan->sizes, c),
                                .side = 1,
                                .stiffer = 1,
                                .norm = {1, 1, 1}};
    const double* last = last_of_pair(f, note->finder, note->other, note->feature);
    note->cuts = last_patch_of(f, note->finder, note->other).cuts;
    for (size_t a = 0; a < 3; a++) {
        note->place[a] = record->x[3 * (size_t)nodes[0] + a] + rest[contact_arm + a];
        note->last[a] = last != NULL ? last[3 + a] : 0;
    }
}

/* Whether the step has the impulse that the law gives to its motion. */
static bool agrees(const double of_law[3], const double of_step[3], const double y[3]) {
    double off[3];
    vec3_sub(of_law, of_step, off);
    return sqrt(vec3_dot(off, off)) <=
           NOTES_AGREE * sqrt(vec3_dot(of_step, of_step)) + NOTES_OF_Y * sqrt(vec3_dot(y, y));
}

/* Whether it is found on either side of each coordinate of its nodes: what lies flat on a round rim is not. */
static bool stays(adjoint_rows* rows, const adjoint_inputs* in) {
    const adjoint_inputs none = {0};
    bool found = true;
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        const size_t first = 3 * (size_t)rows->note->node[slot];
        for (size_t i = first; rows->note->node[slot] != TAUT_NO_NODE && i < first + 3; i++) {
            double slope;
            found = found && adjoint_rows_slope(rows, in, &none, ADJOINT_PLACE, i, &slope);
        }
    }
    return found;
}

static const char* note_contact(adjoint_rows* rows, size_t c, const double gam[3], taut_contact_note* note) {
    const taut_fields* f = &rows->plan->fields;
    const taut_sizes* s = &rows->plan->sizes;
    const float softness = f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c + packed_index(1, 1)];
    const char* refused = refuses_pair(rows->plan, c);
    adjoint_inputs in;
    adjoint_law law;
    if (refused != NULL) {
        return refused;
    }
    begin_note(rows->plan, rows->record, c, note);
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * c;
    bool found = adjoint_rows_look(rows, note);
    if (found && vec3_dot(rows->found.normal, rest + contact_normal) < 0) {
        note->side = -1;
        found = adjoint_rows_look(rows, note);
    }
    if (!found || !adjoint_rows_read(rows, &in) || !is_same(rows, rest)) {
        return "a contact is not found again where it was (things that would have passed through each other, in a step "
               "that is long?)";
    }
    const bool turns = rows->found.node[4] != TAUT_NO_NODE || rows->found.node[5] != TAUT_NO_NODE;
    if (fabs(softness / in.softness - 1) > (turns ? NOTES_OF_JOINTS : NOTES_SOFTNESS)) {
        return "how soft a contact is depends on the constraints at its point; take a method on the Schur complement "
               "(projected_gradient)";
    }
    note->stiffer = softness / in.softness;
    in.softness = softness;
    for (size_t r = 0; r < 3; r++) {
        const size_t row = row_of_contact(s, c, r);
        note->norm[r] = row_norm(f, s, row) / in.norm[r];
        in.norm[r] *= note->norm[r];
    }
    for (size_t slot = 0; slot < contact_NODES; slot++) {
        note->node[slot] = adjoint_rows_act(rows, slot) ? rows->found.node[slot] : TAUT_NO_NODE;
    }
    adjoint_law_of(rows, &in, &law);
    return parting_of(f, c)[TAUT_PARTING_FOLLOWED] != 0
               ? "a contact was set sliding, or stopped, within the step: by a blow, or a support that starts"
           : parting_of(f, c)[TAUT_PARTING_EASED] != 0 ? "a large load on a contact was gone within the step"
           : law.part > 0 && law.part < NOTES_WHOLE    ? "a contact stuck while its normal turned"
           : !agrees(law.gam, gam, law.y) ? "a contact was not solved closely; solve more closely (solver.tolerance)"
           : !stays(rows, &in) ? "a contact jumps to another place with the least turn (a round face lies flat)"
                               : NULL;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Whether the couple of contact c acts. */
static bool rolls(const taut_plan* plan, size_t c) {
    const taut_sizes* s = &plan->sizes;
    double lam[rolling_ROWS] = {0};
    bool any = false;
    if (s->rolls) {
        load_unknowns_f64(plan->fields.lam + s->first_row[TAUT_ROLLING], s->count[TAUT_ROLLING], rolling_ROWS, c, lam);
    }
    for (size_t r = 0; r < rolling_ROWS; r++) {
        any = any || lam[r] != 0;
    }
    return any;
}

const char* adjoint_note_contacts(adjoint_rows* rows, taut_step_record* record) {
    const taut_plan* plan = rows->plan;
    const taut_sizes* s = &plan->sizes;
    const taut_factors step = taut_phase_factors(&plan->settings, TAUT_PHASE_RENEW, record->h);
    const char* refused = NULL;
    record->contact_count = 0;
    adjoint_rows_begin(rows, record, &step);
    rows->y = record->dv; /* it does not matter */
    memset(rows->seed, 0, sizeof rows->seed);
    for (size_t c = 0; s->touches && refused == NULL && c < s->count[TAUT_CONTACT]; c++) {
        double gam[3];
        load_unknowns_f64(plan->fields.lam + s->first_row[TAUT_CONTACT], s->count[TAUT_CONTACT], contact_ROWS, c, gam);
        for (size_t r = 0; r < 3; r++) {
            gam[r] *= record->h;
        }
        if (!(gam[0] > 0)) {
            continue; /* open: it has no part in the step, nor has what is near to it */
        }
        if (record->contact_count == record->contact_room) {
            return "more contacts press than there is room for";
        }
        refused = rolls(plan, c) ? "resistance to rolling has none"
                                 : note_contact(rows, c, gam, &record->contacts[record->contact_count++]);
    }
    return refused;
}
