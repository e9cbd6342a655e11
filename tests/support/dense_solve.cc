#include "dense_solve.h"

#include <Eigen/Dense>

#include <cstdlib>

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

extern "C" double* dense_of(const taut_assembly* assembly, taut_matrix which) {
    taut_csr_view a;
    if (taut_assembly_matrix(assembly, which, &a) != TAUT_OK) {
        return nullptr;
    }
    double* out = static_cast<double*>(std::calloc(a.rows * a.columns + 1, sizeof(double)));
    for (size_t row = 0; row < a.rows; row++) {
        for (size_t i = a.offsets[row]; i < a.offsets[row + 1]; i++) {
            out[row * a.columns + a.indices[i]] += a.values[i];
        }
    }
    return out;
}

extern "C" void dense_multiply(size_t rows, size_t columns, size_t others, const double* a, bool transposed,
                               const double* b, double* out) {
    const Eigen::Map<const Matrix> left(a, rows, columns);
    if (transposed) {
        Eigen::Map<Matrix>(out, columns, others) = left.transpose() * Eigen::Map<const Matrix>(b, rows, others);
    } else {
        Eigen::Map<Matrix>(out, rows, others) = left * Eigen::Map<const Matrix>(b, columns, others);
    }
}

extern "C" bool dense_solve(size_t n, size_t others, const double* a, const double* b, double* x) {
    const Eigen::FullPivLU<Matrix> lu(Eigen::Map<const Matrix>(a, n, n));
    Eigen::Map<Matrix>(x, n, others) = lu.solve(Eigen::Map<const Matrix>(b, n, others));
    return lu.isInvertible();
}
