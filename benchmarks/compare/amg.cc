#include "amg.h"

#ifdef COMPARE_WITH_AMGCL

#include "processor.h"

#include <amgcl/adapter/block_matrix.hpp>
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/rigid_body_modes.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/ilu0.hpp>
#include <amgcl/solver/cg.hpp>
#include <amgcl/value_type/static_matrix.hpp>

#include <vector>

namespace {

template <class backend>
using amg_cg = amgcl::make_solver<amgcl::amg<backend, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::ilu0>,
                                  amgcl::solver::cg<backend>>;

using scalars = amgcl::backend::builtin<double>;
using blocks = amgcl::backend::builtin<amgcl::static_matrix<double, 3, 3>>;

auto rows_of(const sparse* a) {
    const auto nonzeros = static_cast<size_t>(a->offsets[a->rows]);
    return std::make_tuple(a->rows, amgcl::make_iterator_range(a->offsets, a->offsets + a->rows + 1),
                           amgcl::make_iterator_range(a->columns, a->columns + nonzeros),
                           amgcl::make_iterator_range(a->values, a->values + nonzeros));
}

template <class solver> void finish(const solver& s, const double* b, double* x, size_t rows, amg_cost* cost) {
    using value = typename solver::backend_type::matrix::val_type;
    using part = typename amgcl::math::rhs_of<value>::type;
    const size_t count = rows / amgcl::math::static_rows<value>::value;
    const double begin = processor_seconds();
    auto given = amgcl::make_iterator_range(reinterpret_cast<const part*>(b), reinterpret_cast<const part*>(b) + count);
    auto found = amgcl::make_iterator_range(reinterpret_cast<part*>(x), reinterpret_cast<part*>(x) + count);
    std::tie(cost->iterations, std::ignore) = s(given, found);
    cost->solve = processor_seconds() - begin;
}

template <class solver> void set(typename solver::params& p, double tolerance) {
    p.solver.tol = tolerance;
    p.solver.maxiter = 2000;
}

void solve_blocks(const sparse* a, const double* b, double tolerance, double* x, amg_cost* cost) {
    amg_cg<blocks>::params p;
    set<amg_cg<blocks>>(p, tolerance);
    const double begin = processor_seconds();
    amg_cg<blocks> s(amgcl::adapter::block_matrix<amgcl::static_matrix<double, 3, 3>>(rows_of(a)), p);
    cost->setup = processor_seconds() - begin;
    finish(s, b, x, a->rows, cost);
}

void solve_modes(const sparse* a, const double* positions, const double* b, double tolerance, double* x,
                 amg_cost* cost) {
    amg_cg<scalars>::params p;
    set<amg_cg<scalars>>(p, tolerance);
    const std::vector<double> places(positions, positions + a->rows);
    const double begin = processor_seconds();
    p.precond.coarsening.aggr.block_size = 3;
    p.precond.coarsening.aggr.eps_strong = 0;
    p.precond.coarsening.nullspace.cols =
        amgcl::coarsening::rigid_body_modes(3, places, p.precond.coarsening.nullspace.B);
    amg_cg<scalars> s(rows_of(a), p);
    cost->setup = processor_seconds() - begin;
    finish(s, b, x, a->rows, cost);
}

} // namespace

bool amg_available(void) {
    return true;
}

bool amg_solve(amg_kind kind, const sparse* a, const double* positions, const double* b, double tolerance, double* x,
               amg_cost* cost) {
    std::fill_n(x, a->rows, 0.0);
    try {
        if (kind == AMG_TRANSLATIONS) {
            solve_blocks(a, b, tolerance, x, cost);
        } else {
            solve_modes(a, positions, b, tolerance, x, cost);
        }
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

#else

bool amg_available(void) {
    return false;
}

bool amg_solve(amg_kind, const sparse*, const double*, const double*, double, double*, amg_cost*) {
    return false;
}

#endif
