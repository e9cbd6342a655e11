/* Contacts in the adjoint of a step. */
#ifndef TAUT_CPU_CPU_ADJOINT_CONTACTS_H
#define TAUT_CPU_CPU_ADJOINT_CONTACTS_H

#include "host/cpu/cpu_adjoint_system.h"

#include "host/cpu/cpu_adjoint_rows.h"

/* The impulse of a contact by the convex law, and its derivatives. */
typedef struct adjoint_law {
    contact_start at;
    double b[3], y[3], gam[3];
    double conductance[3][3]; /* G = dP/dy R^-1, 1/R of what presses */
    double part;              /* of the last friction in b; b along the tangents has R of it */
} adjoint_law;

/* From what the law reads of the contact that `rows` looks at. */
void adjoint_law_of(const adjoint_rows* rows, const adjoint_inputs* in, adjoint_law* law);
/* The derivatives of gam.reach by all inputs. */
void adjoint_law_slopes(const adjoint_rows* rows, const adjoint_inputs* in, const adjoint_law* law,
                        adjoint_inputs* out);
/* By a value of the law of the pair, in `rows`; no less than 0. */
double adjoint_law_slope(adjoint_rows* rows, const adjoint_inputs* in, double* value);

/* Notes the contacts that pressed in the step that was made, whose x, v, dv and h the record has. NULL, or why it has
 * no gradient. */
const char* adjoint_note_contacts(adjoint_rows* rows, taut_step_record* record);

/* J^T G J into the matrix, and what later steps have of the impulses into the right-hand side. False where a contact is
 * not found again. */
bool adjoint_add_contacts(adjoint_system* s, adjoint_rows* rows, const taut_adjoint_sums* sums);
/* With y in `rows`: by the state before the step, masses and gravity; the seeds become those of the step before. */
bool adjoint_pull_contacts(adjoint_rows* rows, taut_adjoint_sums* sums);

#endif
