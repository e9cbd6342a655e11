/* The public operators on the device, in float64, with host arrays in and out. Unlike the step they may wait: (P A P)^+
 * is a loop of the host with cuBLAS for its vectors. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/curvature.h"
#include "kernels/stages/force_rows.h"

#include "kernels/cuda/blas.cuh"
#include "kernels/cuda/operators.cuh"

#define INVERSE_TOLERANCE 1e-12

/* to (n x 4) = P from (n x 3) */
static __global__ void widen_kernel(const __grid_constant__ taut_view view, const double* from, double* to) {
    const size_t i = thread_index(), n = i / 4, a = i % 4;
    if (n < view.s.nodes) {
        to[i] = view.f.inverse_mass[n] > 0 && a < 3 ? from[3 * n + a] : 0;
    }
}

/* out = P (out + M in), both n x 4, M the blocks of A at the nodes */
static __global__ void add_mass_kernel(const __grid_constant__ taut_view view, const double* in, double* out) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        double own[3];
        node_mass(&view.f, &view.s, n, in + 4 * n, own);
        for (int a = 0; a < 3; a++) {
            out[4 * n + a] = view.f.inverse_mass[n] > 0 ? out[4 * n + a] + own[a] : 0;
        }
        out[4 * n + 3] = 0;
    }
}

/* to = P M^-1 P from, n x 4 */
static __global__ void scale_kernel(const __grid_constant__ taut_view view, const double* from, double* to) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        node_inverse(&view.f, &view.s, n, from + 4 * n, to + 4 * n);
        to[4 * n + 3] = 0;
    }
}

/* r = P ( M u + r ), u = free_dv */
static __global__ void force_kernel(const __grid_constant__ taut_view view, double* r) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        double own[3];
        node_mass(&view.f, &view.s, n, view.f.free_dv + 4 * n, own);
        for (int a = 0; a < 3; a++) {
            r[4 * n + a] = view.f.inverse_mass[n] > 0 ? own[a] + r[4 * n + a] : 0;
        }
        r[4 * n + 3] = 0;
    }
}

/* Mapped points (n x 4) hold nothing of the user's. */
static __global__ void clear_mapped_kernel(const __grid_constant__ taut_view view, double* vectors) {
    const size_t i = thread_index();
    if (i < 4 * (view.s.points - view.s.simple)) {
        vectors[4 * view.s.simple + i] = 0;
    }
}

static void clear_mapped(const taut_view& view, double* vectors, taut_launch* launch) {
    const size_t values = 4 * (view.s.points - view.s.simple);
    if (values > 0) {
        TAUT_LAUNCH(launch, clear_mapped_kernel, taut_grid(values), view, vectors);
    }
}

/* g = u - g */
static __global__ void difference_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < 4 * view.s.nodes) {
        view.f.g_f64[i] = view.f.free_dv[i] - view.f.g_f64[i];
    }
}

/* n x 3 in, n x 4 out */
static __global__ void stiffness_kernel(const __grid_constant__ taut_view view, node_range range, const double* dx,
                                        const double* forces, double* dforces) {
    const size_t i = thread_index();
    if (i < range.count) {
        stiffness_node(&view.f, &view.s, node_of(view, range, i), dx, forces, dforces);
    }
}

/* out (n x 4) = G in by the two sweeps: motions forward, then forces and their changes back. `dx` (n x 3) is
 * overwritten at mapped points. */
static void multiply_stiffness(const taut_view& view, double* dx, double* forces, double* out, taut_launch* launch) {
    cuda_spread_f64(view, view.s.active_levels, dx, 3, launch);
    cuda_apply_jacobian_transpose_f64(view, TAUT_ROWS, false, view.f.lam, forces, launch);
    for (uint32_t level = view.s.active_levels; level-- > 0;) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, stiffness_kernel, taut_grid(range.count), view, range, dx, forces, out);
    }
    const node_range unknown = unknown_range(view.s);
    TAUT_LAUNCH(launch, stiffness_kernel, taut_grid(unknown.count), view, unknown, dx, forces, out);
    clear_mapped(view, out, launch);
}

static __global__ void force_rows_kernel(const __grid_constant__ taut_view view, force_rows_use use, double* rows) {
    size_t c, m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    const int kind = kind_of_member(&view.s, m, &c);
    switch (kind) {
#define USE_FORCE_ROWS(name, k)                                                                                        \
    case k:                                                                                                            \
        if (name##_ROWS > 0) {                                                                                         \
            use_force_rows(&view.f, &view.s, k, name##_ROWS, c, use, rows);                                            \
        }                                                                                                              \
        break;
        TAUT_FORMULA_KINDS(USE_FORCE_ROWS)
    default:
        use_force_rows(&view.f, &view.s, TAUT_LINEAR, 1, c, use, rows);
        break;
    }
}

/* What becomes of a vector over the rows (kernels/stages/force_rows.h). */
static void use_all_force_rows(const taut_view& view, force_rows_use use, double* rows, taut_launch* launch) {
    if (view.s.forces) {
        TAUT_LAUNCH(launch, force_rows_kernel, taut_grid(member_total(view.s)), view, use, rows);
    }
}

/* Rows that stand in A: factor rows, and those of batches that are used as forces. */
static int parts_of_mass(const taut_view& view) {
    return TAUT_ALL_FACTOR_ROWS | (view.s.forces ? TAUT_ROWS : 0);
}

/* out (n x 4) = P A P in (n x 4); mapped points of `in` are overwritten. */
static void multiply_mass(const taut_view& view, double* in, double* out, taut_launch* launch) {
    const int parts = parts_of_mass(view);
    cuda_spread_f64(view, view.s.active_levels, in, 4, launch);
    if (view.s.factor_rows > 0 || view.s.forces) {
        cuda_apply_jacobian_f64(view, parts, in, 4, NULL, false, view.f.wide, launch);
        use_all_force_rows(view, FORCE_ROWS_CONDUCT, view.f.wide, launch);
    }
    cuda_apply_jacobian_transpose_f64(view, parts, false, view.f.wide, out, launch);
    TAUT_LAUNCH(launch, add_mass_kernel, taut_grid(view.s.nodes), view, in, out);
}

/* x (n x 4) = (P A P)^+ r; r is overwritten. Conjugate gradients preconditioned with the masses. */
static taut_status invert_mass(const taut_view& view, taut_blas* blas, double* r, double* x, taut_launch* launch) {
    const size_t n = 4 * view.s.nodes;
    double *p = view.f.node_scratch, *q = p + n, *z = q + n;
    double rz = 0, curvature = 0, next = 0;
    taut_status status = blas_open(blas, launch->stream);
    if (status != TAUT_OK) {
        return status;
    }
    taut_clear(launch, x, n * sizeof(double));
    TAUT_LAUNCH(launch, scale_kernel, taut_grid(view.s.nodes), view, r, z);
    status = taut_cuda_check(cudaMemcpyAsync(p, z, n * sizeof(double), cudaMemcpyDeviceToDevice, launch->stream),
                             "copying on the device");
    if (status == TAUT_OK) {
        status = blas_dot(blas, n, r, z, &rz);
    }
    const double goal = INVERSE_TOLERANCE * INVERSE_TOLERANCE * rz;
    for (size_t i = 0; status == TAUT_OK && launch->error == cudaSuccess && rz > goal && i < 4 * n + 100; i++) {
        multiply_mass(view, p, q, launch);
        status = blas_dot(blas, n, p, q, &curvature);
        if (status == TAUT_OK) {
            status = blas_axpy(blas, n, rz / curvature, p, x);
        }
        if (status == TAUT_OK) {
            status = blas_axpy(blas, n, -rz / curvature, q, r);
        }
        TAUT_LAUNCH(launch, scale_kernel, taut_grid(view.s.nodes), view, r, z);
        if (status == TAUT_OK) {
            status = blas_dot(blas, n, r, z, &next);
        }
        if (status == TAUT_OK) {
            status = blas_scale(blas, n, next / rz, p);
        }
        if (status == TAUT_OK) {
            status = blas_axpy(blas, n, 1, z, p);
        }
        rz = next;
    }
    return status;
}

/* The node vector behind those of invert_mass. */
static double* operand(const taut_view& view) {
    return view.f.node_scratch + 12 * view.s.nodes;
}

static taut_status copy_in(const double* from, double* to, size_t count, taut_launch* launch) {
    return taut_cuda_check(cudaMemcpyAsync(to, from, count * sizeof(double), cudaMemcpyHostToDevice, launch->stream),
                           "copying to the device");
}

/* Rows, or node vectors with stride 4 narrowed to 3; waits. */
static taut_status copy_out(const double* from, size_t stride, double* to, size_t columns, size_t count,
                            taut_launch* launch) {
    const cudaError_t copied =
        cudaMemcpy2DAsync(to, columns * sizeof(double), from, stride * sizeof(double), columns * sizeof(double), count,
                          cudaMemcpyDeviceToHost, launch->stream);
    taut_status status = taut_cuda_check(launch->error, "launching an operator");
    if (status == TAUT_OK) {
        status = taut_cuda_check(copied, "copying from the device");
    }
    return status == TAUT_OK ? taut_cuda_check(cudaStreamSynchronize(launch->stream), "waiting for an operator")
                             : status;
}

static taut_status apply_to_nodes(const taut_view& view, taut_operator op, taut_blas* blas, const double* in,
                                  double* out, taut_launch* launch) {
    const size_t nodes = view.s.nodes;
    double *staged = view.f.g_f64, *r = operand(view);
    taut_status status = copy_in(in, staged, 3 * nodes, launch);
    if (status != TAUT_OK) {
        return status;
    }
    if (op == TAUT_OPERATOR_J) {
        cuda_spread_f64(view, view.s.active_levels, staged, 3, launch);
        cuda_apply_jacobian_f64(view, TAUT_ROWS, staged, 3, NULL, false, view.f.wide, launch);
        use_all_force_rows(view, FORCE_ROWS_LEFT_OUT, view.f.wide, launch);
        return copy_out(view.f.wide, 1, out, 1, view.s.rows, launch);
    }
    if (op == TAUT_OPERATOR_G) {
        multiply_stiffness(view, staged, view.f.node_scratch, r, launch);
        return copy_out(r, 4, out, 3, nodes, launch);
    }
    TAUT_LAUNCH(launch, widen_kernel, taut_grid(4 * nodes), view, staged, r);
    if (op == TAUT_OPERATOR_A) {
        multiply_mass(view, r, view.f.g_f64, launch);
    } else {
        status = invert_mass(view, blas, r, view.f.g_f64, launch);
    }
    clear_mapped(view, view.f.g_f64, launch);
    return status == TAUT_OK ? copy_out(view.f.g_f64, 4, out, 3, nodes, launch) : status;
}

static taut_status apply_to_rows(const taut_view& view, taut_operator op, taut_blas* blas, const double* in,
                                 double* out, taut_launch* launch) {
    const taut_fields& f = view.f;
    taut_status status = copy_in(in, f.wide, view.s.rows, launch);
    use_all_force_rows(view, FORCE_ROWS_LEFT_OUT, f.wide, launch);
    if (op == TAUT_OPERATOR_JT) {
        cuda_apply_jacobian_transpose_f64(view, TAUT_ROWS, false, f.wide, f.g_f64, launch);
        clear_mapped(view, f.g_f64, launch);
        return status == TAUT_OK ? copy_out(f.g_f64, 4, out, 3, view.s.nodes, launch) : status;
    }
    if (op == TAUT_OPERATOR_S) {
        cuda_apply_jacobian_transpose_f64(view, TAUT_ROWS, false, f.wide, operand(view), launch);
        status = status == TAUT_OK ? invert_mass(view, blas, operand(view), f.g_f64, launch) : status;
    } else {
        taut_clear(launch, f.g_f64, 4 * view.s.nodes * sizeof(double));
    }
    if (status == TAUT_OK) { /* invert_mass used `wide` */
        status = copy_in(in, f.wide, view.s.rows, launch);
    }
    cuda_spread_f64(view, view.s.active_levels, f.g_f64, 4, launch);
    cuda_apply_jacobian_f64(view, TAUT_ROWS, f.g_f64, 4, f.wide, false, f.row_scratch, launch);
    use_all_force_rows(view, FORCE_ROWS_LEFT_OUT, f.row_scratch, launch);
    return status == TAUT_OK ? copy_out(f.row_scratch, 1, out, 1, view.s.rows, launch) : status;
}

taut_status cuda_apply(const taut_view& view, taut_operator op, taut_blas* blas, const double* in, double* out,
                       taut_launch* launch) {
    switch (op) {
    case TAUT_OPERATOR_J:
    case TAUT_OPERATOR_A:
    case TAUT_OPERATOR_A_INVERSE:
    case TAUT_OPERATOR_G:
        return apply_to_nodes(view, op, blas, in, out, launch);
    default:
        return apply_to_rows(view, op, blas, in, out, launch);
    }
}

static __global__ void sum_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.rows) {
        view.f.wide[i] += view.f.b[i];
    }
}

/* Before rows from `first` on are pulled: c = b + Lh u. */
static __global__ void factor_side_kernel(const __grid_constant__ taut_view view, size_t first) {
    const size_t i = first + thread_index();
    if (i < view.s.unknowns) {
        view.f.wide[i] += view.f.b[i];
    }
}

/* r (n x 4) = M u + Lh^T c_s + J_f^T W_f^-1 c_f */
static void add_up_side(const taut_view& view, double* r, taut_launch* launch) {
    const size_t first = view.s.forces ? 0 : view.s.rows;
    if (view.s.unknowns > first) {
        cuda_apply_jacobian_f64(view, parts_of_mass(view), view.f.free_dv, 4, NULL, false, view.f.wide, launch);
        TAUT_LAUNCH(launch, factor_side_kernel, taut_grid(view.s.unknowns - first), view, first);
        use_all_force_rows(view, FORCE_ROWS_CONDUCT, view.f.wide, launch);
    }
    cuda_apply_jacobian_transpose_f64(view, parts_of_mass(view), false, view.f.wide, r, launch);
    TAUT_LAUNCH(launch, force_kernel, taut_grid(view.s.nodes), view, r);
}

static __global__ void project_kernel(const __grid_constant__ taut_view view, double* vectors) {
    const size_t i = thread_index();
    if (i < 4 * view.s.nodes && !(view.f.inverse_mass[i / 4] > 0)) {
        vectors[i] = 0;
    }
}

taut_status cuda_velocity_side(const taut_view& view, double* out, taut_launch* launch) {
    double* r = operand(view);
    add_up_side(view, r, launch);
    TAUT_LAUNCH(launch, project_kernel, taut_grid(4 * view.s.nodes), view, r);
    clear_mapped(view, r, launch);
    return copy_out(r, 4, out, 3, view.s.nodes, launch);
}

/* As on the CPU: b of the system with all rows, plus J ( u - (P A P)^+ r ). */
taut_status cuda_right_hand_side(const taut_view& view, taut_blas* blas, double* out, taut_launch* launch) {
    double* r = operand(view);
    add_up_side(view, r, launch);
    const taut_status status = invert_mass(view, blas, r, view.f.g_f64, launch);
    cuda_spread_f64(view, view.s.active_levels, view.f.g_f64, 4, launch);
    TAUT_LAUNCH(launch, difference_kernel, taut_grid(4 * view.s.nodes), view);
    cuda_apply_jacobian_f64(view, TAUT_ROWS, view.f.g_f64, 4, NULL, false, view.f.wide, launch);
    TAUT_LAUNCH(launch, sum_kernel, taut_grid(view.s.rows), view);
    use_all_force_rows(view, FORCE_ROWS_LEFT_OUT, view.f.wide, launch);
    return status == TAUT_OK ? copy_out(view.f.wide, 1, out, 1, view.s.rows, launch) : status;
}
