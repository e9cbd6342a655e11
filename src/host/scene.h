/* The inside of taut_scene: growable arrays, one set per constraint kind, and the list of batches over them. */
#ifndef TAUT_HOST_SCENE_H
#define TAUT_HOST_SCENE_H

#include "host/kinds.h"
#include "host/memory.h"
#include "taut/scene.h"

/* Largest magnitudes that are taken for meant: beyond, the input is refused as absurd. */
#define TAUT_MAX_LENGTH     1e9   /* m, m/s */
#define TAUT_MIN_MASS       1e-12 /* kg */
#define TAUT_MAX_MASS       1e15
#define TAUT_MAX_COMPLIANCE 1e30
#define TAUT_MAX_COUNT      (UINT32_MAX / 16) /* particles, constraints of a kind: keeps every row index in 32 bits */

typedef struct scene_kind {
    uint32_t count;
    taut_buffer nodes;      /* uint32, count x nodes */
    taut_buffer rest;       /* double, count x rest values */
    taut_buffer compliance; /* double, count x packed block */
    taut_buffer damping;    /* double, count */
    taut_buffer measure;    /* double, count: rest area or volume of elements, else 1 */
} scene_kind;

/* Entries of the linear rows, behind one another. */
typedef struct scene_linear {
    taut_buffer ends; /* uint32, one past the last entry of each row */
    taut_buffer coordinates;
    taut_buffer weights;
} scene_linear;

typedef struct scene_batch {
    taut_kind kind;
    uint32_t first; /* among the constraints of its kind */
    uint32_t count;
    double poisson;
} scene_batch;

struct taut_scene {
    taut_allocator allocator;
    uint32_t particle_count;
    taut_buffer positions;  /* double, count x 3 */
    taut_buffer velocities; /* double, count x 3 */
    taut_buffer masses;     /* double */
    taut_buffer fixed;      /* uint8 */
    scene_kind kinds[TAUT_KIND_COUNT];
    scene_linear linear;
    taut_buffer batches; /* scene_batch; id = index + 1 */
};

void scene_release_arrays(const taut_allocator* allocator, taut_scene* scene);

/* Incidences of a kind: constraints times nodes, or the entries of the linear rows. */
uint32_t scene_entry_count(const taut_scene* scene, taut_kind kind);

/* The batch of a handle, or NULL with taut_last_error set. */
const scene_batch* scene_find_batch(const scene_batch* batches, size_t count, taut_batch batch);

/* Compliance block of one constraint, packed: `value` on the diagonal, or value / measure * (E D^-1) for the strain
 * kinds, where value is 1/E (src/kernels/formulas/membrane.h, tet_strain.h). */
void scene_compliance_block(taut_kind kind, double value, double poisson, double measure, double* packed);

/* Shared checks of numbers; `what` names the array for the sentence. */
taut_status scene_check_compliance(const char* kind, size_t index, double value);
taut_status scene_check_damping(const char* kind, size_t index, double value);
/* Rest length, angle, volume or value. */
taut_status scene_check_rest(taut_kind kind, size_t index, double value);

#endif
