/* The traffic model: how many bytes one iteration must move at least, from the sizes of what is stored.
 *
 * Every loop of src/host/cpu streams each of its arrays once; a value that several iterations of one loop use (the
 * node vectors of a constraint, its Jacobian in the gather over nodes) counts once per loop, as if the caches were
 * perfect within a loop and empty between loops. Writes count once: the read that a cache makes before a write is not
 * counted, as it is not in the STREAM triad that the figure is compared with. Per iteration, with n nodes, u unknowns
 * and per kind c constraints of N nodes, m rows, k roots (k = 0 without geometric stiffness), a record of j bytes
 * (Jacobian, compliance block with shift, padding) and a stiffness of s bytes:
 *
 *     pull       g written and 1/mass  20 n;  offsets  4 n per kind
 *                per constraint: incidence 4 N, j + s, values of p 4 (m + k)
 *     forward    rows:  g 16 per node; 4 N + j, p and q 8 m per constraint
 *                roots: g 16 per node; 4 N + j + s, p and q 8 k per constraint
 *     vectors    p.q 8 u,  delta and r with r.D r 28 u,  r.z 8 u (with Jacobi formed with z: 0),  direction 12 u
 *     B r        none 8 u;  Jacobi 12 u;  block: 4 b u of inverses, 16 u of r, z and numbers, taken as if all blocks
 *                had b unknowns: a bound from above
 *                Chebyshev of degree d: first terms 24 u, then d - 1 times a product and 32 u
 *
 * A pass of the outer loop adds one product in float64: the same storage and the compliance block without the shift,
 * 8-byte unknowns and node vectors.
 *
 * The fused iteration of src/kernels/cuda/pcg_schur_iterate.cu, two kernels, by the same rules:
 *
 *     node        g written and 1/mass  20 n;  offsets  4 n per kind
 *                 per constraint: incidence 4 N, j + s;  per unknown: z and p  8, with Jacobi 12
 *     constraint  g 16 per node and kind;  per constraint: nodes 4 N, j + s
 *                 per unknown: p, delta and r read and written 24, 1/S_ii 4;  with Jacobi or a stored z 4 more
 *     B r         block: 4 b u of inverses, 12 u of r, z and numbers
 *                 Chebyshev of degree d: first terms 20 u, then d - 1 times pull and forward as above and 32 u
 *                 both: r.z 8 u */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include "bench_scenes.h"
#include "model/hierarchy.h"

typedef struct bench_method {
    taut_backend_kind backend; /* cpu or cuda */
    taut_preconditioner preconditioner;
    bool factor_rows; /* full geometric stiffness */
    uint32_t block_size;
    uint32_t chebyshev_degree;
} bench_method;

size_t model_unknowns(const bench_counts* counts, bool factor_rows);
/* Bytes of one iteration of conjugate gradients; 0 where the method is not known. */
double model_iteration(const bench_counts* counts, const bench_method* method);
/* The least that a fused iteration without preconditioner or with Jacobi's can move, padding and separate diagonals
 * left out: per constraint twice its nodes, the values of its Jacobian and its stiffness, once its compliance block; of
 * every unknown r and p read by the node kernel, r, p and the correction read and written by the constraint kernel; per
 * node 36 B and, per kind, its offset. Distances without geometric stiffness: 76 + 40 n/m bytes a constraint. */
double model_floor(const bench_counts* counts, bool factor_rows);
/* Bytes of one iteration of the condensed system with the additive cycle over these levels on CUDA, with n nodes on the
 * finest level and per kind c constraints as above, W the bytes of Wh:
 *     conduct, close   per constraint: incidence and nodes 8 N, twice j + s, W, y written and read 8 (m + k)
 *                      per node and kind: offset 4, z and p 32;  per node: z, p read, p, q written 64, 1/mass 4
 *                      by the matrix in place of that, per block and node: 76, and z, p read, p, q written 64, 1/mass 4
 *     advance          p, q, r, delta read and r, delta written 96 n
 *     levels           levels_cost.h */
double model_condensed(const bench_counts* counts, bool factor_rows, const taut_hierarchy* levels);
/* Bytes of one residual in float64. */
double model_residual(const bench_counts* counts, bool factor_rows);

#endif
