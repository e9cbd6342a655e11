/* Lengths against which violations of constraints are measured. */
#ifndef TAUT_STAGES_DOUBLED_LENGTH_H
#define TAUT_STAGES_DOUBLED_LENGTH_H

#include "base/small_math.h"
#include "kernels/formulas/kinds.h"
#include "model/layout.h"

/* Of the arms of a joint: by how much its parts are apart that it does not hold together. */
#define TAUT_JOINT_APART 0.25
/* m: shorter arms are rounding, of a joint at the centre of a mesh. */
#define TAUT_JOINT_ARMS 1e-6

/* phi of a constraint that has twice the length that it should have: a distance, a piece of a rod, or Green's strain;
 * of a joint, by which it is apart. 0: it has none. */
TAUT_FN double doubled_length(int k, const double* rest) {
    const bool strain = k == (int)TAUT_MEMBRANE || k == (int)TAUT_TET_STRAIN;
    if (k == (int)TAUT_PRISMATIC) {
        const double *arm0 = rest + 4, *arm1 = rest + 7;
        const double arms = sqrt(vec3_dot(arm0, arm0)) + sqrt(vec3_dot(arm1, arm1));
        return arms > TAUT_JOINT_ARMS ? TAUT_JOINT_APART * arms : 0;
    }
    if (k == (int)TAUT_SEGMENT) {
        return sqrt(vec3_dot(rest, rest));
    }
    return k == (int)TAUT_DISTANCE ? rest[0] : strain ? 1.5 : 0;
}

/* Of constraint c. */
TAUT_FN double doubled_length_of(const taut_kind_fields* kind, int k, size_t c) {
    const size_t values = k == (int)TAUT_DISTANCE    ? distance_REST
                          : k == (int)TAUT_PRISMATIC ? prismatic_REST
                          : k == (int)TAUT_SEGMENT   ? segment_REST
                                                     : 0;
    return doubled_length(k, kind->rest + values * c);
}

#endif
