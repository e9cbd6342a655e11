// phi, J, second derivative and its stabilising part for one constraint.
#include "oracle.h"
#include "oracle_formulas.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstring>
#include <vector>

namespace oracle {
namespace {

using Vec3 = Eigen::Vector3d;

// A quadratic form in the space where a kind's second derivative is projected: d2(lam.phi) = sum map^T form map.
struct Form {
    Eigen::MatrixXd map;  // k x 12
    Eigen::MatrixXd form; // k x k
};

Eigen::MatrixXd positive_part(const Eigen::MatrixXd& m) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m);
    return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() * solver.eigenvectors().transpose();
}

Vec3 node(const double* x, int k) {
    return {x[3 * k], x[3 * k + 1], x[3 * k + 2]};
}

Vec<Jet> variables(const double* values, int first) {
    return {Jet::variable(values[0], first), Jet::variable(values[1], first + 1), Jet::variable(values[2], first + 2)};
}

Jet weighted(const double* lam, const Jet* phi, int rows) {
    Jet sum;
    for (int r = 0; r < rows; r++) {
        sum = sum + Jet(lam[r]) * phi[r];
    }
    return sum;
}

// Rows 3 c + i of the map: sum_k dx_k[i] weights(k, c), with weights of the nodes 0, 1, ...
Eigen::MatrixXd gradient_map(const Eigen::MatrixXd& weights) {
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(3 * weights.cols(), 12);
    for (int c = 0; c < weights.cols(); c++) {
        for (int k = 0; k < weights.rows(); k++) {
            for (int i = 0; i < 3; i++) {
                map(3 * c + i, 3 * k + i) = weights(k, c);
            }
        }
    }
    return map;
}

// Shape function gradients of all nodes from those of nodes 1, 2, ...
Eigen::MatrixXd with_first(const Eigen::MatrixXd& inverse) {
    Eigen::MatrixXd all(inverse.rows() + 1, inverse.cols());
    all.row(0) = -inverse.colwise().sum();
    all.bottomRows(inverse.rows()) = inverse;
    return all;
}

Form distance_form(const double* x, const double* lam) {
    const Vec3 d = node(x, 1) - node(x, 0);
    const Jet phi = length(variables(d.data(), 0));
    return {gradient_map(Eigen::Vector2d(-1, 1)), lam[0] * phi.h.topLeftCorner(3, 3)};
}

// In the space of F: 2 columns for a membrane, 3 for a tetrahedron.
Form strain_form(const double* x, const Eigen::MatrixXd& inverse, const double* lam) {
    const int columns = static_cast<int>(inverse.cols());
    const Form space = {gradient_map(with_first(inverse)), {}};
    Eigen::Matrix<double, 12, 1> all = Eigen::Matrix<double, 12, 1>::Zero();
    std::memcpy(all.data(), x, sizeof(double) * 3 * static_cast<size_t>(columns + 1));
    const Eigen::VectorXd value = space.map * all;
    Vec<Jet> F[3];
    Jet phi[ORACLE_ROWS];
    for (int c = 0; c < columns; c++) {
        F[c] = variables(value.data() + 3 * c, 3 * c);
    }
    columns == 2 ? membrane_strain(F, phi) : tet_strain(F, phi);
    const Jet sum = weighted(lam, phi, columns == 2 ? 3 : 6);
    return {space.map, sum.h.topLeftCorner(3 * columns, 3 * columns)};
}

// V(D) = V det(I + D) with D the displacement gradient in the current shape.
Form volume_form(const double* x, const double* lam) {
    Eigen::Matrix3d edges;
    for (int k = 0; k < 3; k++) {
        edges.col(k) = node(x, k + 1) - node(x, 0);
    }
    const double zero[3] = {0, 0, 0};
    Vec<Jet> columns[3];
    for (int c = 0; c < 3; c++) {
        columns[c] = variables(zero, 3 * c);
        columns[c][static_cast<size_t>(c)].v = 1;
    }
    const Jet relative = triple(columns[0], columns[1], columns[2]);
    return {gradient_map(with_first(edges.inverse())),
            lam[0] * edges.determinant() / 6 * relative.h.topLeftCorner(9, 9)};
}

// Angle of the apex about the edge in a frame that follows the edge by the smallest rotation:
// m -> m - (n.m)/(1 + n0.n) (n0 + n) for m perpendicular to the old edge direction n0, n the new one.
// Variables 0..2 are the change of the edge vector, 3..5 that of the apex, from its first node.
Jet apex_angle(const Vec3& edge, const Vec3& apex) {
    const Vec3 n0 = edge.normalized();
    const Vec3 side = (apex - apex.dot(n0) * n0).normalized();
    const Vec3 normal = n0.cross(side);
    const Vec<Jet> e = variables(edge.data(), 0), a = variables(apex.data(), 3);
    const Vec<Jet> n = times(Jet(1) / length(e), e);
    const Vec<Jet> old = {Jet(n0[0]), Jet(n0[1]), Jet(n0[2])};
    Jet along[2];
    const Vec3* frame[2] = {&side, &normal};
    for (int k = 0; k < 2; k++) {
        const Vec3& f = *frame[k];
        const Vec<Jet> m = {Jet(f[0]), Jet(f[1]), Jet(f[2])};
        const Jet scale = dot(n, m) / (Jet(1) + dot(old, n));
        along[k] = dot(a, minus(m, times(scale, plus(old, n))));
    }
    return atan2(along[1], along[0]);
}

// theta = pi - (angle of x3) + (angle of x2): one form per triangle, in the space of its displacement gradient with
// columns along t (in the plane, across the edge) and along the edge.
Form bend_form(const double* x, int which, double lam) {
    const Vec3 edge = node(x, 1) - node(x, 0), apex = node(x, 2 + which) - node(x, 0);
    const double size = edge.norm(), foot = apex.dot(edge) / size;
    const double height = (apex - foot / size * edge).norm();
    const Jet angle = apex_angle(edge, apex);
    // (de, da) = (D_e |e|, D_t height + D_e foot)
    Eigen::MatrixXd to_vectors = Eigen::MatrixXd::Zero(6, 6);
    to_vectors.block<3, 3>(0, 3) = size * Eigen::Matrix3d::Identity();
    to_vectors.block<3, 3>(3, 0) = height * Eigen::Matrix3d::Identity();
    to_vectors.block<3, 3>(3, 3) = foot * Eigen::Matrix3d::Identity();
    Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(4, 2);
    weights(0, 0) = weights(0, 1) = -1;
    weights(1, 0) = weights(2 + which, 1) = 1;
    const double sign = which == 0 ? lam : -lam;
    return {to_vectors.inverse() * gradient_map(weights),
            to_vectors.transpose() * (sign * angle.h.topLeftCorner(6, 6)) * to_vectors};
}

std::vector<Form> forms(const oracle_constraint& c, const double* x, const double* lam) {
    switch (c.kind) {
    case TAUT_DISTANCE:
        return {distance_form(x, lam)};
    case TAUT_BEND:
        return {bend_form(x, 0, lam[0]), bend_form(x, 1, lam[0])};
    case TAUT_MEMBRANE:
        return {strain_form(x, membrane_inverse(c.rest), lam)};
    case TAUT_TET_VOLUME:
        return {volume_form(x, lam)};
    case TAUT_TET_STRAIN:
        return {strain_form(x, tet_inverse(c.rest), lam)};
    default:
        return {};
    }
}

} // namespace
} // namespace oracle

extern "C" void oracle_constraint_terms(const oracle_constraint* c, const double* x, const double* lam,
                                        oracle_terms* terms) {
    using namespace oracle;
    std::memset(terms, 0, sizeof *terms);
    const int rows = oracle_rows(c->kind), nodes = oracle_nodes(c->kind);
    Vec<Jet> at[4];
    Jet phi[ORACLE_ROWS];
    for (int k = 0; k < nodes; k++) {
        at[k] = variables(x + 3 * k, 3 * k);
    }
    functions(*c, at, phi);
    if (c->kind == TAUT_BEND) {
        phi[0].v = std::remainder(phi[0].v, 2 * M_PI);
    }
    Jet::Hessian gamma = Jet::Hessian::Zero();
    for (const Form& form : forms(*c, x, lam)) {
        gamma += form.map.transpose() * positive_part(-form.form) * form.map;
    }
    for (int r = 0; r < rows; r++) {
        terms->phi[r] = phi[r].v;
        std::memcpy(terms->J + ORACLE_DOFS * r, phi[r].g.data(), sizeof(double) * ORACLE_DOFS);
    }
    const Jet sum = weighted(lam, phi, rows);
    std::memcpy(terms->hessian, sum.h.data(), sizeof terms->hessian);
    std::memcpy(terms->gamma, gamma.data(), sizeof terms->gamma);
}
