/* The Jacobian of one constraint as plain vectors, row by row: for preconditioners and topology, never for products. */
#ifndef TAUT_COMPILE_EXPLICIT_ROWS_H
#define TAUT_COMPILE_EXPLICIT_ROWS_H

#include "model/factors.h"
#include "taut/scene.h"

/* rows[r] = the vector of row r at the node in `slot`, for the kind's rows and then, where `stiffness` is not NULL, its
 * factor rows. `record` and `stiffness` point at the values of this constraint. Returns the number of rows. Not for
 * linear rows. */
uint32_t explicit_rows(taut_kind kind, const float* record, const float* stiffness, uint32_t slot,
                       double rows[TAUT_MAX_ROWS][3]);

/* What products use of the Jacobian of one constraint at x (of its nodes, as many values each as evaluate reads). */
void explicit_jacobian(taut_kind kind, const double* x, const double* rest, float* record);
/* The root of a force element's tangent there, at rest; false for constraints. */
bool explicit_tangent(taut_kind kind, const double* x, const double* rest, float* stiffness);

#endif
