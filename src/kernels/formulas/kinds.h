/* The list of constraint kinds with a formula header. A kind with a varying number of nodes (linear rows) has loops of
 * its own. To add a kind: its header, a line here, three lines in for_each_kind.h or for_each_load.h. */
#ifndef TAUT_FORMULAS_KINDS_H
#define TAUT_FORMULAS_KINDS_H

#include "taut/scene.h"

#include "kernels/formulas/alignment.h"
#include "kernels/formulas/angular.h"
#include "kernels/formulas/attachment.h"
#include "kernels/formulas/attraction.h"
#include "kernels/formulas/bend.h"
#include "kernels/formulas/contact_rows.h"
#include "kernels/formulas/distance.h"
#include "kernels/formulas/inertia.h"
#include "kernels/formulas/membrane.h"
#include "kernels/formulas/norm.h"
#include "kernels/formulas/prismatic.h"
#include "kernels/formulas/rolling.h"
#include "kernels/formulas/segment.h"
#include "kernels/formulas/solid.h"
#include "kernels/formulas/surface.h"
#include "kernels/formulas/target.h"
#include "kernels/formulas/tet_strain.h"
#include "kernels/formulas/tet_volume.h"

/* X(name, enumerator) in the order of taut_kind: those of particles alone, and those of frames and mapped points. */
#define TAUT_PLAIN_KINDS(X)                                                                                            \
    X(distance, TAUT_DISTANCE)                                                                                         \
    X(attachment, TAUT_ATTACHMENT)                                                                                     \
    X(target, TAUT_TARGET)                                                                                             \
    X(bend, TAUT_BEND)                                                                                                 \
    X(membrane, TAUT_MEMBRANE)                                                                                         \
    X(tet_volume, TAUT_TET_VOLUME)                                                                                     \
    X(tet_strain, TAUT_TET_STRAIN)
#define TAUT_GRAPH_KINDS(X)                                                                                            \
    X(prismatic, TAUT_PRISMATIC)                                                                                       \
    X(angular, TAUT_ANGULAR)                                                                                           \
    X(alignment, TAUT_ALIGNMENT)                                                                                       \
    X(segment, TAUT_SEGMENT)                                                                                           \
    X(inertia, TAUT_INERTIA)                                                                                           \
    X(norm, TAUT_NORM)                                                                                                 \
    X(contact, TAUT_CONTACT)                                                                                           \
    X(rolling, TAUT_ROLLING)
/* Force elements: no rows, but a load, and factor rows of its tangent. */
#define TAUT_LOAD_KINDS(X)                                                                                             \
    X(solid, TAUT_SOLID)                                                                                               \
    X(surface, TAUT_SURFACE)                                                                                           \
    X(attraction, TAUT_ATTRACTION)
#define TAUT_CONSTRAINT_KINDS(X) TAUT_PLAIN_KINDS(X) TAUT_GRAPH_KINDS(X)
#define TAUT_FORMULA_KINDS(X)    TAUT_CONSTRAINT_KINDS(X) TAUT_LOAD_KINDS(X)

/* The Jacobian of a force element as that of a constraint without rows, at rest. */
#define TAUT_EVALUATE_LOAD(name, enumerator)                                                                           \
    TAUT_FN void name##_evaluate(const real x[name##_NODES][3], const real* rest, real* phi, name##_jacobian* jac) {   \
        const real still[name##_NODES][3] = {{0, 0, 0}};                                                               \
        real load[name##_LOAD];                                                                                        \
        (void)phi;                                                                                                     \
        name##_load(x, still, rest, load, jac);                                                                        \
    }
TAUT_LOAD_KINDS(TAUT_EVALUATE_LOAD)
#undef TAUT_EVALUATE_LOAD

/* Those whose forces have arms in a frame: name_lever. */
#define TAUT_LEVER_KINDS(X)                                                                                            \
    X(prismatic, TAUT_PRISMATIC)                                                                                       \
    X(segment, TAUT_SEGMENT)

/* Those that can be added to a world while it runs. */
#define TAUT_RESERVED_KINDS(X)                                                                                         \
    X(distance, TAUT_DISTANCE)                                                                                         \
    X(attachment, TAUT_ATTACHMENT)                                                                                     \
    X(target, TAUT_TARGET)                                                                                             \
    X(alignment, TAUT_ALIGNMENT)                                                                                       \
    X(segment, TAUT_SEGMENT)

/* Those whose constraints may come and go from step to step. */
#define TAUT_CHANGING_KINDS(X)                                                                                         \
    TAUT_RESERVED_KINDS(X)                                                                                             \
    X(contact, TAUT_CONTACT)                                                                                           \
    X(rolling, TAUT_ROLLING)

/* kind_distance and so on: the enumerator of a kind by its name. */
#define TAUT_KIND_CONSTANT(name, enumerator) kind_##name = enumerator,
enum { TAUT_FORMULA_KINDS(TAUT_KIND_CONSTANT) kind_linear = TAUT_LINEAR };
#undef TAUT_KIND_CONSTANT
#define linear_ROWS 1 /* of the kind without a header, where all are listed by name */

/* Values in the lower triangle of a symmetric block, row by row: (0,0), (1,0), (1,1), (2,0), ... */
#define TAUT_PACKED(rows) ((rows) * ((rows) + 1) / 2)

/* Values of what an iteration reads of a constraint: the values of its Jacobian that products use, C/(h l) + shift
 * packed, and padding, so that a device may load four at a time; never none at all. */
#define TAUT_RECORD(values, rows) ((values) + TAUT_PACKED(rows) > 0 ? ((values) + TAUT_PACKED(rows) + 3) / 4 * 4 : 4)

/* Length of an array with a value per row: kinds without rows still have arrays. */
#define TAUT_SPACE(rows) ((rows) > 0 ? (rows) : 1)

/* Names for text that is included once per kind with KIND defined: K(evaluate) is distance_evaluate, and
 * OF_KIND(sum) is sum_distance. */
#define TAUT_JOIN_(a, b) a##_##b
#define TAUT_JOIN(a, b)  TAUT_JOIN_(a, b)
#define K(name)          TAUT_JOIN(KIND, name)
#define OF_KIND(name)    TAUT_JOIN(name, KIND)

#endif
