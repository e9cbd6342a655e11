/* Contacts in the adjoint of a step. */
#ifndef TAUT_CPU_CPU_ADJOINT_CONTACTS_H
#define TAUT_CPU_CPU_ADJOINT_CONTACTS_H

#include "host/cpu/cpu_adjoint_system.h"

/* J^T G J into the matrix. */
void adjoint_add_contacts(adjoint_system* s, const taut_step_record* record);
/* What later steps have of the impulses, into the right-hand side. */
void adjoint_add_seeds(adjoint_system* s, const taut_step_record* record, const taut_adjoint_sums* sums);
/* By the state before the step, masses and gravity; the seeds become those of the step before. */
void adjoint_pull_contacts(const adjoint_system* s, const taut_factors* step, const float* inverse_mass,
                           const taut_step_record* record, taut_adjoint_sums* sums);

#endif
