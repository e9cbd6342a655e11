/* A world's matrices in sparse form: for inspection, for direct solvers, and to check matrix-free ones. Everything is
 * in the order in which particles and constraints were given, in float64 from the current state. (The solver keeps its
 * Jacobians rounded to float32.) */
#ifndef TAUT_ASSEMBLY_H
#define TAUT_ASSEMBLY_H

#include "taut/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n = 3 * (particles + frames): coordinate a of particle i is 3 i + a, that of frame j is 3 (particles + j) + a, a
 * rotation about the axes of the world, whose forces are torques. Mapped points are no unknowns: their rows and columns
 * are empty, and what acts on them has gone through the mappings to the unknowns. m = rows of constraints. */
typedef enum taut_matrix {
    TAUT_MATRIX_M, /* n x n, kg, kg m^2: masses, inertia of frames in world axes, and J^T m J for a mass m on a mapped
                      point with Jacobian J; diagonal where there are neither frames nor such masses */
    TAUT_MATRIX_J, /* m x n: Jacobian of the constraint functions */
    TAUT_MATRIX_C, /* m x m, (unit of phi)/N: compliance, a block per constraint, zeros of hard rows included */
    TAUT_MATRIX_P, /* n x n: 1 on the diagonal of free particles and frames, else 0 */
    TAUT_MATRIX_G, /* n x n, N/m: geometric stiffness d(J^T lam)/dq for the multipliers of the last step, exact; that of
                      frames for small turns in world axes, and so not symmetric */
    TAUT_MATRIX_K, /* n x n, N/m: stiffness df/dq of force elements (forces.h) at the current velocities, exact: of
                      either sign, and not symmetric where surfaces or frames have a part in it */
    TAUT_MATRIX_COUNT
} taut_matrix;

/* Vectors of an assembly. */
typedef enum taut_vector {
    TAUT_VECTOR_F,   /* n, N, N m: external forces, gravity and gyroscopic torques included, those of force elements
                        without Rayleigh damping, and of masses on mapped points what they resist as their parents keep
                        their velocities */
    TAUT_VECTOR_PHI, /* m: constraint functions, unit of the kind */
    TAUT_VECTOR_LAM, /* m, N: constraint forces of the last step */
    TAUT_VECTOR_COUNT
} taut_vector;

/* Compressed sparse rows; the entries of a row have ascending columns. */
typedef struct taut_csr_view {
    size_t rows;             /* how many rows */
    size_t columns;          /* how many columns */
    size_t nonzeros;         /* stored entries */
    const size_t* offsets;   /* rows + 1 */
    const uint32_t* indices; /* columns, nonzeros */
    const double* values;    /* nonzeros */
} taut_csr_view;

/* One constraint: a block of rows of J, C, phi and lam. Particles and frames are those that it was given, mapped points
 * among them, in the order of its kind. Masses of mapped points and lengths are no constraints here. */
typedef struct taut_block {
    taut_kind kind;          /* of the constraint */
    taut_batch batch;        /* that it was added with */
    uint32_t constraint;     /* within the batch */
    size_t first_row;        /* of J, C, phi and lam */
    uint32_t rows;           /* how many rows */
    uint32_t particle_count; /* 0 for linear rows, which may have any number; and of kinds of frames alone */
    uint32_t particles[4];   /* of prismatic: the centres of its two bodies */
    uint32_t frame_count;    /* 1 of segments, 2 of prismatic, angular and alignment, else 0 */
    uint32_t frames[2];      /* in the order of the kind */
} taut_block;

/* Matrices and vectors of a world at one time. */
typedef struct taut_assembly taut_assembly;

/* Assembles everything at the world's current state, waiting for it. Memory comes from the world's allocator. The
 * assembly is a copy: it stays as it is when the world moves on, and must be destroyed before the world. */
TAUT_API taut_status taut_assembly_create(taut_world* world, taut_assembly** assembly);
TAUT_API void taut_assembly_destroy(taut_assembly* assembly); /* NULL is allowed */

/* Views into the assembly, valid until its destruction. */
TAUT_API taut_status taut_assembly_matrix(const taut_assembly* assembly, taut_matrix matrix, taut_csr_view* view);
/* A view of a vector. */
TAUT_API taut_status taut_assembly_vector(const taut_assembly* assembly, taut_vector vector, taut_array* view);
/* Blocks ascend with their rows. */
TAUT_API size_t taut_assembly_block_count(const taut_assembly* assembly);
/* Block number `index`. */
TAUT_API taut_status taut_assembly_block(const taut_assembly* assembly, size_t index, taut_block* block);

/* "M", "J", ... and "f", "phi", "lam"; "unknown" outside the enumerations. */
TAUT_API const char* taut_matrix_name(taut_matrix matrix);
/* Likewise of vectors. */
TAUT_API const char* taut_vector_name(taut_vector vector);

#ifdef __cplusplus
}
#endif

#endif
