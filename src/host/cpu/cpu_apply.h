/* Products with the Jacobian and the factors of the geometric stiffness, matrix-free, in two precisions of arithmetic
 * over the same float32 storage. Unknowns are numbered as in layout.h: rows, then factor rows. `parts` are those of
 * kernels/stages/apply.h.
 *
 * Node vectors have a stride of 3 or 4 values. */
#ifndef TAUT_CPU_CPU_APPLY_H
#define TAUT_CPU_CPU_APPLY_H

#include "kernels/stages/apply.h"
#include "model/backend.h"

/* g (n x 4) = [J^T Lh^T] u of the chosen parts at unknown nodes, what mapped points pull included, times P A^-1 P of
 * the nodes if `weighted`: then mapped points have the motion that follows, else the forces on them. */
void cpu_apply_jacobian_transpose_f32(const taut_plan* plan, int parts, bool weighted, const float* u, float* g);
void cpu_apply_jacobian_transpose_f64(const taut_plan* plan, int parts, bool weighted, const double* u, double* g);

/* Motions of mapped points in the first `levels` levels from those of their parents. */
void cpu_spread_f32(const taut_plan* plan, uint32_t levels, float* vectors, size_t stride);
void cpu_spread_f64(const taut_plan* plan, uint32_t levels, double* vectors, size_t stride);

/* out = [J; Lh] g + (C/(h l) (+) I) u of the chosen parts; `inner`: + shift u. u NULL: the first term alone. */
void cpu_apply_jacobian_f32(const taut_plan* plan, int parts, const float* g, uint32_t stride, const float* u,
                            bool inner, float* out);
void cpu_apply_jacobian_f64(const taut_plan* plan, int parts, const double* g, uint32_t stride, const double* u,
                            bool inner, double* out);

#endif
