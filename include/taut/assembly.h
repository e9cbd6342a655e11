/* The matrices and vectors of a world in sparse form: for inspection, for direct solvers, and for tests of matrix-free
 * solvers.
 *
 * All values are float64 and belong to the current state. (The solver of a step rounds its Jacobians to float32.)
 * Particles, frames and constraints are in the order in which the scene received them.
 *
 * Contacts are rows, too: three each (along the normal and both tangents) behind the rows of constraints, in the order
 * of taut_world_read_contacts; where bodies resist rolling, three more each behind these, for the couple about the same
 * axes. They are the contacts of the last step at its end; after taut_world_linearise those of the linearisation. The
 * rows are equations where the contact acts: a normal row where lam > 0, the tangential rows where it sticks. */
#ifndef TAUT_ASSEMBLY_H
#define TAUT_ASSEMBLY_H

#include "taut/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices of an assembly. n = 3 * (particles + frames), m = rows of constraints and contacts. Coordinate a of particle
 * i has the index 3 i + a. Coordinate a of frame j has the index 3 (particles + j) + a; it is a rotation about world
 * axis a, and the corresponding force is a torque. Mapped points are no unknowns: their rows and columns are empty, and
 * the matrices contain their contributions at the unknowns on which they depend.
 *
 * Gamma is without the factor that it has in A: A = M + alpha beta h^2 Gamma in the theta method. It is that of the
 * averaged multipliers, rounded to float32, and 0 where A has none: without geometric stiffness, for beta = 0, and with
 * accelerations. */
typedef enum taut_matrix {
    TAUT_MATRIX_M = 0,     /* n x n, kg, kg m^2: masses, inertias of frames in world axes, and J^T m J for a mass m on a
                              mapped point with Jacobian J; diagonal without frames and masses on mapped points */
    TAUT_MATRIX_J = 1,     /* m x n: Jacobian of the constraint functions */
    TAUT_MATRIX_C = 2,     /* m x m, (unit of phi)/N: compliance, one block per constraint; the zeros of hard rows are
                              stored */
    TAUT_MATRIX_P = 3,     /* n x n: diagonal, 1 for free particles and frames, 0 for fixed ones */
    TAUT_MATRIX_G = 4,     /* n x n, N/m: exact geometric stiffness d(J^T lam)/dq for the multipliers of the last step.
                              The derivatives by frames are by small rotations in world axes, so that the matrix is not
                              symmetric for frames */
    TAUT_MATRIX_K = 5,     /* n x n, N/m: exact stiffness df/dq of force elements (forces.h) at the current velocities.
                              The matrix is indefinite in general, and not symmetric with surfaces or frames. A step has its
                              positive semidefinite part in A (docs/mathematics.md, "Force elements") */
    TAUT_MATRIX_GAMMA = 6, /* n x n, N/m: the stabilising part of -G, as it stands in A */
    TAUT_MATRIX_COUNT
} taut_matrix;

/* Vectors of an assembly. */
typedef enum taut_vector {
    TAUT_VECTOR_F = 0,   /* n, N, N m: external forces with gravity, gyroscopic torques, forces of force elements
                            without Rayleigh damping, and the inertial forces of masses on mapped points at constant
                            velocities of their parents */
    TAUT_VECTOR_PHI = 1, /* m: constraint functions, in the unit of the kind */
    TAUT_VECTOR_LAM = 2, /* m, N: constraint forces of the last step */
    TAUT_VECTOR_V = 3,   /* n, m/s, rad/s: velocities; of mapped points, too */
    TAUT_VECTOR_COUNT
} taut_vector;

/* A view of a matrix in the format of compressed sparse rows. The entries of a row are sorted by column. */
typedef struct taut_csr_view {
    size_t rows;             /* number of rows */
    size_t columns;          /* number of columns */
    size_t nonzeros;         /* number of stored entries */
    const size_t* offsets;   /* rows + 1: row r has the entries [offsets[r], offsets[r+1]) */
    const uint32_t* indices; /* nonzeros: column of each entry */
    const double* values;    /* nonzeros: value of each entry */
} taut_csr_view;

/* One constraint or contact: a block of rows of J, C, phi and lam. Contacts and constraints that were added are in no
 * batch (id 0); `constraint` of the latter is their place among those of the kind. Its particles and
 * frames are those of its definition, including mapped points, in the order that the kind defines. Masses of mapped
 * points (TAUT_INERTIA) and lengths (TAUT_NORM) have no block. */
typedef struct taut_block {
    taut_kind kind;          /* kind of the constraint */
    taut_batch batch;        /* batch of the constraint */
    uint32_t constraint;     /* index of the constraint in its batch */
    size_t first_row;        /* first row in J, C, phi and lam */
    uint32_t rows;           /* number of rows */
    uint32_t particle_count; /* number of particles; 0 for linear rows, which can have any number, and for kinds with
                                frames only */
    uint32_t particles[4];   /* the particles; for prismatic rows the centres of both bodies */
    uint32_t frame_count;    /* number of frames: 1 for segments, 2 for prismatic, angular and alignment, else 0 */
    uint32_t frames[2];      /* the frames */
    bool force;              /* its batch is used as a force field, and stands in A (operators.h) */
} taut_block;

/* The matrices and vectors of a world at one time. */
typedef struct taut_assembly taut_assembly;

/* Assembles all matrices and vectors at the current state of the world, and waits for the backend. The allocator of the
 * world provides the memory. The assembly is a copy that later steps do not change. The caller must destroy the
 * assembly before the world. Rows of constraints that are absent are 0 in J, C keeps what those of the scene have; rows
 * of free places for added ones are empty. */
TAUT_API taut_status taut_assembly_create(taut_world* world, taut_assembly** assembly);
/* Destroys an assembly. NULL is allowed. */
TAUT_API void taut_assembly_destroy(taut_assembly* assembly);

/* Makes a view of a matrix, which is valid until the assembly is destroyed. */
TAUT_API taut_status taut_assembly_matrix(const taut_assembly* assembly, taut_matrix matrix, taut_csr_view* view);
/* Makes a view of a vector, which is valid until the assembly is destroyed. */
TAUT_API taut_status taut_assembly_vector(const taut_assembly* assembly, taut_vector vector, taut_array* view);
/* Number of blocks. Blocks are sorted by their first row. */
TAUT_API size_t taut_assembly_block_count(const taut_assembly* assembly);
/* taut_assembly_block, for structs of `size` bytes. */
TAUT_API taut_status taut_assembly_block_sized(const taut_assembly* assembly, size_t index, taut_block* block,
                                               size_t size);
/* Reads block number `index`. */
static inline taut_status taut_assembly_block(const taut_assembly* assembly, size_t index, taut_block* block) {
    return taut_assembly_block_sized(assembly, index, block, sizeof *block);
}

/* The name of a matrix: "M", "J", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_matrix_name(taut_matrix matrix);
/* The name of a vector: "f", "phi", "lam" or "v"; "unknown" outside the enumeration. */
TAUT_API const char* taut_vector_name(taut_vector vector);

#ifdef __cplusplus
}
#endif

#endif
