#include "direct.h"

#include <Eigen/SparseCholesky>

#ifdef COMPARE_WITH_CHOLMOD
#include <suitesparse/cholmod.h>
#endif

#include <memory>

using eigen_matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using eigen_vector = Eigen::Map<Eigen::VectorXd>;

struct direct {
    virtual ~direct() = default;
    virtual bool factorise(const sparse* a) = 0;
    virtual void solve(const double* b, double* x) = 0;
    size_t rows = 0;
};

namespace {

/* A symmetric matrix has the same columns as rows. */
Eigen::Map<const eigen_matrix> view(const sparse* a) {
    const auto n = static_cast<Eigen::Index>(a->rows);
    return {n, n, a->offsets[a->rows], a->offsets, a->columns, a->values};
}

struct eigen_direct final : direct {
    Eigen::SimplicialLDLT<eigen_matrix> solver; /* approximate minimum degree, its default */

    explicit eigen_direct(const sparse* a) { solver.analyzePattern(view(a)); }
    bool factorise(const sparse* a) override {
        solver.factorize(view(a));
        return solver.info() == Eigen::Success && solver.vectorD().minCoeff() > 0;
    }
    void solve(const double* b, double* x) override {
        const auto n = static_cast<Eigen::Index>(rows);
        eigen_vector(x, n) = solver.solve(Eigen::Map<const Eigen::VectorXd>(b, n));
    }
};

#ifdef COMPARE_WITH_CHOLMOD

/* Its defaults: the best of several orderings, supernodal where that pays. */
struct cholmod_direct final : direct {
    cholmod_common common;
    cholmod_factor* factor = nullptr;

    static cholmod_sparse upper(const sparse* a) {
        cholmod_sparse s = {};
        s.nrow = s.ncol = a->rows;
        s.nzmax = static_cast<size_t>(a->offsets[a->rows]);
        s.p = a->offsets;
        s.i = a->columns;
        s.x = a->values;
        s.stype = 1;
        s.itype = CHOLMOD_INT;
        s.xtype = CHOLMOD_REAL;
        s.dtype = CHOLMOD_DOUBLE;
        s.sorted = s.packed = 1;
        return s;
    }
    explicit cholmod_direct(const sparse* a) {
        cholmod_start(&common);
        common.print = 0;
        common.error_handler = nullptr;
        cholmod_sparse s = upper(a);
        factor = cholmod_analyze(&s, &common);
    }
    ~cholmod_direct() override {
        cholmod_free_factor(&factor, &common);
        cholmod_finish(&common);
    }
    bool factorise(const sparse* a) override {
        cholmod_sparse s = upper(a);
        return cholmod_factorize(&s, factor, &common) && common.status == CHOLMOD_OK;
    }
    void solve(const double* b, double* x) override {
        cholmod_dense given = {};
        given.nrow = given.d = given.nzmax = rows;
        given.ncol = 1;
        given.x = const_cast<double*>(b);
        given.xtype = CHOLMOD_REAL;
        given.dtype = CHOLMOD_DOUBLE;
        cholmod_dense* found = cholmod_solve(CHOLMOD_A, factor, &given, &common);
        std::copy_n(static_cast<const double*>(found->x), rows, x);
        cholmod_free_dense(&found, &common);
    }
};

#endif

} // namespace

bool direct_available(direct_kind kind) {
#ifdef COMPARE_WITH_CHOLMOD
    return kind == DIRECT_EIGEN || kind == DIRECT_CHOLMOD;
#else
    return kind == DIRECT_EIGEN;
#endif
}

direct* direct_make(direct_kind kind, const sparse* a) {
    direct* d = nullptr;
#ifdef COMPARE_WITH_CHOLMOD
    if (kind == DIRECT_CHOLMOD) {
        d = new cholmod_direct(a);
    }
#endif
    if (kind == DIRECT_EIGEN) {
        d = new eigen_direct(a);
    }
    d->rows = a->rows;
    return d;
}

void direct_free(direct* d) {
    delete d;
}

bool direct_factorise(direct* d, const sparse* a) {
    return d->factorise(a);
}

void direct_solve(direct* d, const double* b, double* x) {
    d->solve(b, x);
}
