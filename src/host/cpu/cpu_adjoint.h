/* The adjoint of a step that Newton's method has solved (docs/mathematics.md, "Adjoint of a step"): the transposed
 * linear system of the exact step, by sparse factors in float64 and GMRES. */
#ifndef TAUT_CPU_CPU_ADJOINT_H
#define TAUT_CPU_CPU_ADJOINT_H

#include "model/adjoint.h"
#include "model/backend.h"

/* All memory of it. The plan must outlive it. */
taut_status cpu_adjoint_make(taut_backend_state* state, taut_adjoint** out);
void cpu_adjoint_free(taut_adjoint* a); /* NULL is allowed */
/* Notes the contacts of a step that was made, whose x, v, dv and h the record has. NULL, or why it has no gradient. */
const char* cpu_adjoint_note(taut_adjoint* a, taut_step_record* record);
/* From dL/dx', dL/dv' in `sums` to dL/dx, dL/dv; derivatives by parameters are added. False where the linear system has
 * no accurate solution; `sums` is as it was then. */
bool cpu_adjoint_back(taut_adjoint* a, const taut_step_record* record, taut_adjoint_sums* sums);

#endif
