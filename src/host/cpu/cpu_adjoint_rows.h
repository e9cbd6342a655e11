/* Contacts of a recorded step, found again at its start or a little beside it: what their law reads, as functions of
 * the state and of masses. Derivatives of these are differences in float64, since gap, normal and place of a pair are
 * formulas of many cases, and smooth within each. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CPU_CPU_ADJOINT_ROWS_H
#define TAUT_CPU_CPU_ADJOINT_ROWS_H

#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_saddle_pattern.h"
#include "model/adjoint.h"

/* All numbers that the impulse of a contact follows from, and what that does to a motion `y`. */
typedef struct adjoint_inputs {
    double phi, softness, fall, meets, together;
    double v[3], last[3], norm[3]; /* as contact_start has them; fall and meets below 0, too */
    double moved[3];               /* J dv */
    double reach[3];               /* J y + s: what a unit of the impulse does */
} adjoint_inputs;

enum { ADJOINT_INPUTS = sizeof(adjoint_inputs) / sizeof(double) };

/* What may be changed. */
typedef enum adjoint_variable {
    ADJOINT_PLACE,   /* of a node, m; of a frame a turn about an axis of the world */
    ADJOINT_SPEED,   /* of a node */
    ADJOINT_MASS,    /* of a node: the logarithm of its mass */
    ADJOINT_INERTIA, /* of a frame, in its axes */
    ADJOINT_GRAVITY
} adjoint_variable;

/* A contact at the state of `fields`, those of the plan but for what the record of the step, and this, have. */
typedef struct adjoint_rows {
    const taut_plan* plan;
    taut_factors step;
    const taut_step_record* record;
    taut_fields fields; /* orientations are those of the start */
    taut_solid* solid;  /* of colliders */
    float* inverse_mass;
    double *inertia, *inverse, *later; /* of frames; `later`: their orientations at which masses are taken */
    const double* y;                   /* nodes x 3 */
    /* of the contact that is looked at: */
    const taut_contact_note* note;
    double friction, values[TAUT_CONTACT_LAW]; /* of its law */
    contact_found found;
    double rest[contact_REST], seed[3]; /* seed: dL/d(impulse) by later steps, in the world */
    uint32_t nodes[contact_NODES], pair[2], feature;
    bool known, apart; /* whether it is found, and has a gap: there the place of a contact is another one */
    double tangent[3]; /* as it is found */
    bool alone;        /* nothing but contacts bears what is in it */
} adjoint_rows;

/* Memory for the contacts of a plan's steps. */
taut_status adjoint_rows_open(adjoint_rows* rows, const taut_plan* plan, saddle_pool* pool);
/* For the contacts of a step. */
void adjoint_rows_begin(adjoint_rows* rows, const taut_step_record* record, const taut_factors* step);
/* For one of them. False: it is not found as it was. */
bool adjoint_rows_look(adjoint_rows* rows, const taut_contact_note* note);
/* Of the contact that is looked at, at the state as it is. */
bool adjoint_rows_read(adjoint_rows* rows, adjoint_inputs* out);
/* d(gradient . inputs) by a variable; `at`: the inputs without a change. False where the contact is not found on either
 * side. */
bool adjoint_rows_slope(adjoint_rows* rows, const adjoint_inputs* at, const adjoint_inputs* gradient,
                        adjoint_variable variable, size_t index, double* slope);
/* Inputs where the frame of a slot (4 or 5) turns more by `way` in the step, about an axis of the world: R is that of
 * the orientation in it. */
bool adjoint_rows_turned(adjoint_rows* rows, size_t slot, size_t axis, double way, adjoint_inputs* out);
/* A turn for differences. */
#define ADJOINT_TURN 1e-5
/* The same by the last impulse along the normal, where R follows that as a load. */
double adjoint_rows_load_slope(const adjoint_rows* rows, const adjoint_inputs* at, const adjoint_inputs* gradient);
/* Whether the contact that is looked at acts at the node in a slot. */
bool adjoint_rows_act(const adjoint_rows* rows, size_t slot);
/* J x for vectors x of nodes (x 3), along the axes of the contact. */
void adjoint_rows_motion(const adjoint_rows* rows, const double* x, double out[3]);
/* Coordinates that the contact acts at, with their columns of J; their number, at most 3 contact_NODES. */
size_t adjoint_rows_columns(const adjoint_rows* rows, size_t coordinate[3 * contact_NODES],
                            double column[3 * contact_NODES][3]);

#endif
