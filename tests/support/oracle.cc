// One step of section "One step" of docs/mathematics.md by a sparse direct solver.
#include "oracle.h"
#include "oracle_formulas.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Triplets = std::vector<Eigen::Triplet<double>>;

// Everything a step needs, over all coordinates; `free` lists those that forces may move.
struct System {
    Matrix M, J, W, Gamma, G;
    Vector phi, drift, v, force, l, damping;
    std::vector<int> free;
};

int rows_of(const oracle_scene& scene) {
    return static_cast<int>(oracle_row_count(&scene));
}

void add_mass(const oracle_scene& scene, const oracle_step_def& def, System& s) {
    const int n = static_cast<int>(3 * scene.particle_count);
    s.M = Matrix(n, n);
    s.v = Vector(n);
    s.force = Vector(n);
    for (int i = 0; i < n; i++) {
        const oracle_particle& p = scene.particles[i / 3];
        s.M.insert(i, i) = p.mass;
        s.v[i] = p.v[i % 3];
        s.force[i] = p.mass * def.gravity[i % 3] + p.force[i % 3];
        if (!p.fixed) {
            s.free.push_back(i);
        }
    }
}

// Compliance of a constraint: 1x1, or the isotropic blocks of a membrane and of a tetrahedron.
Eigen::MatrixXd compliance_block(const oracle_constraint& c) {
    const int rows = oracle_rows(c.kind);
    Eigen::MatrixXd block = Eigen::MatrixXd::Identity(rows, rows);
    if (c.kind != TAUT_MEMBRANE && c.kind != TAUT_TET_STRAIN) {
        return c.compliance * block;
    }
    const bool flat = c.kind == TAUT_MEMBRANE;
    const int normal = flat ? 2 : 3;
    const double size = flat ? 0.5 / std::abs(oracle::membrane_inverse(c.rest).determinant())
                             : 1.0 / 6 / std::abs(oracle::tet_inverse(c.rest).determinant());
    block.topLeftCorner(normal, normal) *= 1 + c.poisson;
    block.topLeftCorner(normal, normal).array() -= c.poisson;
    block.bottomRightCorner(rows - normal, rows - normal) *= 2 * (1 + c.poisson);
    return c.compliance / size * block;
}

struct Assembly {
    const oracle_scene& scene;
    const oracle_step_def& def;
    System& s;
    Triplets J, W, Gamma, G;

    void linear(const oracle_constraint& c, int row) {
        s.phi[row] = -c.rest[0];
        for (uint32_t e = 0; e < c.entries; e++) {
            const uint32_t q = c.coordinates[e];
            s.phi[row] += c.weights[e] * scene.particles[q / 3].x[q % 3];
            J.emplace_back(row, static_cast<int>(q), c.weights[e]);
        }
    }

    void nodal(const oracle_constraint& c, int row, const double* lam) {
        const int nodes = oracle_nodes(c.kind), rows = oracle_rows(c.kind);
        double x[ORACLE_DOFS] = {0};
        for (int k = 0; k < 3 * nodes; k++) {
            x[k] = scene.particles[c.particles[k / 3]].x[k % 3];
        }
        oracle_terms t;
        oracle_constraint_terms(&c, x, lam, &t);
        for (int r = 0; r < rows; r++) {
            s.phi[row + r] = t.phi[r];
            s.drift[row + r] = c.kind == TAUT_TARGET ? -c.rate[r] : 0;
        }
        for (int j = 0; j < 3 * nodes; j++) {
            const int column = static_cast<int>(3 * c.particles[j / 3]) + j % 3;
            for (int r = 0; r < rows; r++) {
                J.emplace_back(row + r, column, t.J[ORACLE_DOFS * r + j]);
            }
            for (int i = 0; i < 3 * nodes; i++) {
                const int other = static_cast<int>(3 * c.particles[i / 3]) + i % 3;
                G.emplace_back(other, column, t.hessian[ORACLE_DOFS * i + j]);
                Gamma.emplace_back(other, column, t.gamma[ORACLE_DOFS * i + j]);
            }
        }
    }

    // J M^-1 J^T of a row, over free particles.
    double response(int row) const {
        std::map<int, double> entries;
        for (const auto& e : J) {
            if (e.row() == row) {
                entries[e.col()] += e.value();
            }
        }
        double sum = 0;
        for (const auto& entry : entries) { // column and value
            const oracle_particle& p = scene.particles[entry.first / 3];
            sum += p.fixed ? 0 : entry.second * entry.second / p.mass;
        }
        return sum;
    }

    // What a row has of the damping of hard ones: 1 - C/(h^2 J M^-1 J^T) of its constraint's softest row; without beta
    // all of it or nothing.
    double hardness(const Eigen::MatrixXd& C, int row) const {
        double part = 1;
        for (int r = 0; r < C.rows() && !C.isZero(0); r++) {
            part = std::min(part, 1 - C(r, r) / (def.h * def.h * response(row + r)));
        }
        return C.isZero(0) ? 1 : def.beta > 0 ? std::max(part, 0.0) : 0;
    }

    void weights(const oracle_constraint& c, int row) {
        const int rows = oracle_rows(c.kind);
        const Eigen::MatrixXd C = compliance_block(c);
        const double d = std::max(c.damping, hardness(C, row) * def.hard_row_damping * def.h);
        const double l = def.alpha * (def.h * def.beta + d);
        for (int r = 0; r < rows; r++) {
            s.l[row + r] = l;
            s.damping[row + r] = d;
            for (int q = 0; q < rows; q++) {
                W.emplace_back(row + r, row + q, C(r, q) / (def.h * l));
            }
        }
    }

    void run() {
        const int m = rows_of(scene), n = static_cast<int>(3 * scene.particle_count);
        s.phi = s.drift = s.l = s.damping = Vector::Zero(m);
        for (size_t i = 0, row = 0; i < scene.constraint_count; i++) {
            const oracle_constraint& c = scene.constraints[i];
            const double zero[ORACLE_ROWS] = {0};
            const int at = static_cast<int>(row);
            c.kind == TAUT_LINEAR ? linear(c, at)
                                  : nodal(c, at, def.multipliers != nullptr ? def.multipliers + row : zero);
            weights(c, at);
            row += static_cast<size_t>(oracle_rows(c.kind));
        }
        const auto fill = [](Matrix& to, int rows, int columns, const Triplets& from) {
            to = Matrix(rows, columns);
            to.setFromTriplets(from.begin(), from.end());
        };
        fill(s.J, m, n, J);
        fill(s.W, m, m, W);
        fill(s.G, n, n, G);
        fill(s.Gamma, n, n, Gamma);
    }
};

// Whether the rows of c count as hard: compliance small against h^2/m at an animation step.
bool nearly_hard(const oracle_scene& scene, const oracle_constraint& c) {
    double response = 0;
    for (int k = 0; k < oracle_nodes(c.kind); k++) {
        const oracle_particle& p = scene.particles[c.particles[k]];
        response += p.fixed ? 0 : 1 / p.mass;
    }
    return c.kind != TAUT_LINEAR && c.compliance <= 1e-8 * response;
}

bool is_hard_link(const oracle_scene& scene, const oracle_constraint& c) {
    return c.kind == TAUT_DISTANCE && nearly_hard(scene, c);
}

// The fixed particles that hard links tie to each particle, through free ones.
std::vector<std::set<uint32_t>> grounds(const oracle_scene& scene) {
    std::vector<std::set<uint32_t>> tied(scene.particle_count);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < scene.constraint_count; i++) {
            const oracle_constraint& c = scene.constraints[i];
            for (int e = 0; e < 2 && is_hard_link(scene, c); e++) {
                const uint32_t from = c.particles[e], to = c.particles[1 - e];
                const size_t before = tied[to].size();
                if (scene.particles[from].fixed) {
                    tied[to].insert(from);
                } else {
                    tied[to].insert(tied[from].begin(), tied[from].end());
                }
                more = more || tied[to].size() > before;
            }
        }
    }
    return tied;
}

// Whether sound is faster in a link than 20 km/s.
bool is_rigid_link(const oracle_scene& scene, const oracle_constraint& c) {
    double response = 0;
    for (int k = 0; k < 2; k++) {
        const oracle_particle& p = scene.particles[c.particles[k]];
        response += p.fixed ? 0 : 1 / p.mass;
    }
    return 2 * c.compliance <= std::pow(c.rest[0] / 20000, 2) * response;
}

// Least W_ii of hard rows that may contradict each other, over (J M^-1 J^T)_ii: of distances, bends and elements of one
// component with more hard rows than 2.2 per free particle, and of rigid links in chains of hard distances between two
// fixed particles (that hardly reach from one to the other, as all such chains here).
double least_softness_of(taut_kind kind) {
    const bool element = kind >= TAUT_MEMBRANE && kind <= TAUT_TET_STRAIN;
    return kind == TAUT_DISTANCE ? 3e-6 : kind == TAUT_BEND ? 1e-11 : element ? 3e-7 : 0;
}

std::vector<double> least_softness(const oracle_scene& scene, size_t free) {
    size_t hard = 0;
    std::vector<double> least(scene.constraint_count);
    const std::vector<std::set<uint32_t>> tied = grounds(scene);
    for (size_t i = 0; i < scene.constraint_count; i++) {
        const oracle_constraint& c = scene.constraints[i];
        const bool holds = c.kind == TAUT_ATTACHMENT || c.kind == TAUT_TARGET;
        hard += !holds && nearly_hard(scene, c) ? static_cast<size_t>(oracle_rows(c.kind)) : 0;
    }
    const bool many = static_cast<double>(hard) > 2.2 * static_cast<double>(free);
    for (size_t i = 0; i < scene.constraint_count; i++) {
        const oracle_constraint& c = scene.constraints[i];
        const uint32_t end = c.particles[scene.particles[c.particles[0]].fixed ? 1 : 0];
        const bool spans =
            is_hard_link(scene, c) && is_rigid_link(scene, c) && !scene.particles[end].fixed && tied[end].size() > 1;
        least[i] = spans || (many && nearly_hard(scene, c)) ? least_softness_of(c.kind) : 0;
    }
    return least;
}

void soften_contradicting(const oracle_scene& scene, System& s) {
    const std::vector<double> least = least_softness(scene, s.free.size() / 3);
    Vector response = Vector::Zero(s.J.rows());
    for (const int q : s.free) {
        for (Matrix::InnerIterator it(s.J, q); it; ++it) {
            response[it.row()] += it.value() * it.value() / s.M.coeff(q, q);
        }
    }
    for (size_t i = 0, row = 0; i < scene.constraint_count; i++) {
        const int r = static_cast<int>(row);
        for (int k = r; least[i] > 0 && k < r + oracle_rows(scene.constraints[i].kind); k++) {
            s.W.coeffRef(k, k) = std::max(s.W.coeff(k, k), least[i] * response[k]);
        }
        row += static_cast<size_t>(oracle_rows(scene.constraints[i].kind));
    }
}

System assemble(const oracle_scene& scene, const oracle_step_def& def) {
    System s;
    add_mass(scene, def, s);
    Assembly{scene, def, s, {}, {}, {}, {}}.run();
    soften_contradicting(scene, s);
    if (!def.geometric) {
        s.Gamma.setZero();
    }
    return s;
}

// The columns n x f that restrict to the free coordinates.
Matrix selection(const System& s) {
    Matrix F(s.M.rows(), static_cast<int>(s.free.size()));
    for (int k = 0; k < F.cols(); k++) {
        F.insert(s.free[static_cast<size_t>(k)], k) = 1;
    }
    return F;
}

struct Reduced {
    Matrix F, A, J;
    Vector r, c; // h f - alpha h^2 Gamma v on the free coordinates; -(phi + (d + alpha h) phidot)/l
};

Reduced reduce(const System& s, const oracle_step_def& def) {
    const double h = def.h;
    Reduced out;
    out.F = selection(s);
    const Matrix A = s.M + def.alpha * def.beta * h * h * s.Gamma;
    out.A = out.F.transpose() * A * out.F;
    out.J = s.J * out.F;
    out.r = out.F.transpose() * (h * s.force - def.alpha * h * h * (s.Gamma * s.v));
    const Vector phidot = s.J * s.v + s.drift;
    out.c = -(s.phi + ((s.damping.array() + def.alpha * h) * phidot.array()).matrix()).cwiseQuotient(s.l);
    return out;
}

// [[A, -J^T], [J, W]] (dv, gam) = (r, c), with two steps of iterative refinement.
bool solve_saddle(const System& s, const Reduced& red, Vector& dv, Vector& gam) {
    const int f = static_cast<int>(red.A.rows()), m = static_cast<int>(red.J.rows());
    Triplets entries;
    const auto put = [&entries](const Matrix& from, int row, int column, double sign, bool transposed) {
        for (int k = 0; k < from.outerSize(); k++) {
            for (Matrix::InnerIterator it(from, k); it; ++it) {
                const int i = static_cast<int>(transposed ? it.col() : it.row());
                const int j = static_cast<int>(transposed ? it.row() : it.col());
                entries.emplace_back(row + i, column + j, sign * it.value());
            }
        }
    };
    put(red.A, 0, 0, 1, false);
    put(red.J, 0, f, -1, true);
    put(red.J, f, 0, 1, false);
    put(s.W, f, f, 1, false);
    Matrix K(f + m, f + m);
    K.setFromTriplets(entries.begin(), entries.end());
    Vector right(f + m);
    right << red.r, red.c;
    Eigen::SparseLU<Matrix> lu(K);
    if (lu.info() != Eigen::Success) {
        return false;
    }
    Vector z = lu.solve(right);
    for (int k = 0; k < 2; k++) {
        z += lu.solve(right - K * z);
    }
    dv = z.head(f);
    gam = z.tail(m);
    return z.allFinite();
}

// b and, for redundant rows, the least-norm gam through the dense Schur complement.
Vector right_hand_side(const System& s, const Reduced& red, bool least_norm, Vector& dv, Vector& gam) {
    const Eigen::SimplicialLDLT<Matrix> factor(red.A);
    const Vector b = red.c - red.J * factor.solve(red.r);
    if (least_norm) {
        const Matrix JT = red.J.transpose();
        const Eigen::MatrixXd S = red.J * Matrix(factor.solve(JT)) + s.W;
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
        decomposition.setThreshold(1e-11);
        decomposition.compute(S);
        gam = decomposition.solve(b);
        dv = factor.solve(red.r + JT * gam);
    }
    return b;
}

double* copied(const Vector& from) {
    auto* to = static_cast<double*>(std::malloc(sizeof(double) * static_cast<size_t>(from.size() + 1)));
    std::copy(from.data(), from.data() + from.size(), to);
    return to;
}

double* dense(const Matrix& from) {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> m = from;
    auto* to = static_cast<double*>(std::malloc(sizeof(double) * static_cast<size_t>(m.size() + 1)));
    std::copy(m.data(), m.data() + m.size(), to);
    return to;
}

void finish(const oracle_scene& scene, const oracle_step_def& def, const System& s, const Reduced& red,
            const Vector& free_dv, oracle_result* out) {
    const Vector dv = red.F * free_dv;
    Vector x(dv.size());
    for (int i = 0; i < x.size(); i++) {
        x[i] = scene.particles[i / 3].x[i % 3] + def.h * (s.v[i] + def.beta * dv[i]);
    }
    const Vector v = s.v + dv;
    out->kinetic = out->potential = 0;
    for (const int i : s.free) {
        const double mass = scene.particles[i / 3].mass;
        out->kinetic += 0.5 * mass * v[i] * v[i];
        out->potential -= mass * def.gravity[i % 3] * x[i];
    }
    out->dv = copied(dv);
    out->x = copied(x);
    out->v = copied(v);
}

Vector scales(const System& s, const Reduced& red) {
    const Matrix JF = red.J * red.F.transpose();
    Vector diagonal = s.W.diagonal();
    for (int k = 0; k < JF.outerSize(); k++) {
        for (Matrix::InnerIterator it(JF, k); it; ++it) {
            diagonal[it.row()] += it.value() * it.value() / s.M.coeff(it.col(), it.col());
        }
    }
    return diagonal.cwiseSqrt();
}

} // namespace

extern "C" {

bool oracle_step(const oracle_scene* scene, const oracle_step_def* def, oracle_result* result) {
    const System s = assemble(*scene, *def);
    const Reduced red = reduce(s, *def);
    Vector dv, gam;
    if (!def->minimum_norm && !solve_saddle(s, red, dv, gam)) {
        return false;
    }
    const Vector b = right_hand_side(s, red, def->minimum_norm, dv, gam);
    *result = oracle_result{};
    result->n = static_cast<size_t>(s.v.size());
    result->m = static_cast<size_t>(s.phi.size());
    finish(*scene, *def, s, red, dv, result);
    result->gam = copied(gam);
    result->b = copied(b);
    result->phi = copied(s.phi);
    result->scale = copied(scales(s, red));
    return true;
}

double oracle_backward_error(const oracle_scene* scene, const oracle_step_def* def, const double* gam) {
    const System s = assemble(*scene, *def);
    const Reduced red = reduce(s, *def);
    const Eigen::SimplicialLDLT<Matrix> factor(red.A);
    const Eigen::Map<const Vector> x(gam, s.phi.size());
    const Vector scale = scales(s, red).cwiseMax(1e-30);
    const Vector b = red.c - red.J * factor.solve(red.r);
    const Vector JTx = red.J.transpose() * x;
    const Vector r = b - red.J * factor.solve(JTx) - s.W * x;
    return r.cwiseQuotient(scale).norm() / (b.cwiseQuotient(scale).norm() + x.cwiseProduct(scale).norm() + 1e-30);
}

double oracle_condition(const oracle_scene* scene, const oracle_step_def* def) {
    const System s = assemble(*scene, *def);
    const Reduced red = reduce(s, *def);
    const Eigen::SimplicialLDLT<Matrix> factor(red.A);
    const Matrix JT = red.J.transpose();
    const Eigen::MatrixXd S = red.J * Matrix(factor.solve(JT)) + s.W;
    const Vector scale = S.diagonal().cwiseSqrt().cwiseMax(1e-30).cwiseInverse();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scale.asDiagonal() * S * scale.asDiagonal(),
                                                                Eigen::EigenvaluesOnly);
    const Vector& values = solver.eigenvalues(); // ascending
    int first = 0;
    while (first + 1 < values.size() && values[first] < 1e-10 * values[values.size() - 1]) {
        first++;
    }
    return values.size() == 0 ? 1 : values[values.size() - 1] / values[first];
}

// Largest eigenvalue of W^-1 J A^+ J^T over the rows that are not hard.
static double stiffness(const System& s, const Eigen::MatrixXd& product) {
    const Eigen::MatrixXd W = s.W;
    std::vector<int> soft;
    for (int r = 0; r < W.rows(); r++) {
        if (W(r, r) > 0) {
            soft.push_back(r);
        }
    }
    if (soft.empty()) {
        return 0;
    }
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(product(soft, soft), W(soft, soft),
                                                                           Eigen::EigenvaluesOnly);
    return solver.eigenvalues().maxCoeff();
}

double oracle_backward_part(const oracle_scene* scene, const oracle_step_def* def, const double* gam,
                            const double* dv) {
    const System s = assemble(*scene, *def);
    const Reduced red = reduce(s, *def);
    const Eigen::SimplicialLDLT<Matrix> factor(red.A);
    const Matrix JT = red.J.transpose();
    const Vector scale = scales(s, red).cwiseMax(1e-30), u = factor.solve(red.r);
    const Vector moved = red.F.transpose() * Eigen::Map<const Vector>(dv, s.v.size());
    const Vector b = red.c - red.J * u;
    const double energy = u.dot(red.r) + moved.dot(red.A * moved);
    const double size =
        b.cwiseQuotient(scale).norm() + Eigen::Map<const Vector>(gam, s.phi.size()).cwiseProduct(scale).norm() + 1e-30;
    return std::sqrt(stiffness(s, red.J * Matrix(factor.solve(JT))) * energy) / size;
}

void oracle_result_free(oracle_result* result) {
    for (double* memory : {result->dv, result->x, result->v, result->gam, result->b, result->phi, result->scale}) {
        std::free(memory);
    }
    *result = oracle_result{};
}

void oracle_assemble(const oracle_scene* scene, const oracle_step_def* def, oracle_matrices* matrices) {
    const System s = assemble(*scene, *def);
    const Reduced red = reduce(s, *def);
    *matrices = oracle_matrices{static_cast<size_t>(s.v.size()),
                                static_cast<size_t>(s.phi.size()),
                                dense(red.F * red.A * red.F.transpose()),
                                dense(s.J),
                                dense(s.W),
                                dense(s.G)};
}

void oracle_matrices_free(oracle_matrices* matrices) {
    for (double* memory : {matrices->A, matrices->J, matrices->W, matrices->G}) {
        std::free(memory);
    }
    *matrices = oracle_matrices{};
}

void oracle_phi(const oracle_scene* scene, double* phi) {
    oracle_step_def def = {};
    def.h = def.alpha = def.beta = 1;
    const System s = assemble(*scene, def);
    std::copy(s.phi.data(), s.phi.data() + s.phi.size(), phi);
}

} // extern "C"
