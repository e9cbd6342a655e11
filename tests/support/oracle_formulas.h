// The constraint functions once more, from include/taut/scene.h alone, for any number type: double or Jet.
#ifndef TAUT_TEST_ORACLE_FORMULAS_H
#define TAUT_TEST_ORACLE_FORMULAS_H

#include "jet.h"
#include "oracle_scene.h"

#include <array>

namespace oracle {

template <class T> using Vec = std::array<T, 3>;

template <class T> T dot(const Vec<T>& a, const Vec<T>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T> Vec<T> cross(const Vec<T>& a, const Vec<T>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T> Vec<T> minus(const Vec<T>& a, const Vec<T>& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T> Vec<T> plus(const Vec<T>& a, const Vec<T>& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class T> Vec<T> times(const T& s, const Vec<T>& a) {
    return {s * a[0], s * a[1], s * a[2]};
}

template <class T> T length(const Vec<T>& a) {
    using std::sqrt;
    return sqrt(dot(a, a));
}

// The part of a perpendicular to the unit vector n.
template <class T> Vec<T> across(const Vec<T>& a, const Vec<T>& n) {
    return minus(a, times(dot(a, n), n));
}

// Angle from the half plane of x3 to that of x2 about the edge, less the flat pi: with a' and b' the parts of the
// apexes perpendicular to the edge, atan2(e.(a' x b'), -a'.b').
template <class T> T dihedral(const Vec<T> x[4]) {
    using std::atan2;
    const Vec<T> e = minus(x[1], x[0]);
    const Vec<T> n = times(T(1) / length(e), e);
    const Vec<T> a = across(minus(x[2], x[0]), n), b = across(minus(x[3], x[0]), n);
    return atan2(dot(n, cross(a, b)), -dot(a, b));
}

// Six times the volume of a tetrahedron with these edges from its first node.
template <class T> T triple(const Vec<T>& a, const Vec<T>& b, const Vec<T>& c) {
    return dot(cross(a, b), c);
}

// Inverse of the rest edges (columns): F = current edges * inverse.
inline Eigen::Matrix2d membrane_inverse(const double* rest) {
    Eigen::Matrix2d edges;
    edges << rest[2] - rest[0], rest[4] - rest[0], rest[3] - rest[1], rest[5] - rest[1];
    return edges.inverse();
}

inline Eigen::Matrix3d tet_inverse(const double* rest) {
    Eigen::Matrix3d edges;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            edges(i, k) = rest[3 * (k + 1) + i] - rest[i];
        }
    }
    return edges.inverse();
}

// Green strain in Voigt order from the columns of F.
template <class T> void membrane_strain(const Vec<T> F[2], T* phi) {
    phi[0] = T(0.5) * (dot(F[0], F[0]) - T(1));
    phi[1] = T(0.5) * (dot(F[1], F[1]) - T(1));
    phi[2] = dot(F[0], F[1]);
}

template <class T> void tet_strain(const Vec<T> F[3], T* phi) {
    for (int i = 0; i < 3; i++) {
        phi[i] = T(0.5) * (dot(F[i], F[i]) - T(1));
    }
    phi[3] = dot(F[1], F[2]);
    phi[4] = dot(F[2], F[0]);
    phi[5] = dot(F[0], F[1]);
}

// Columns of F = sum over edges k of (x_k+1 - x_0) inverse(k, c).
template <class T, class Matrix> void deformation(const Vec<T>* x, const Matrix& inverse, Vec<T>* F) {
    for (int c = 0; c < inverse.cols(); c++) {
        F[c] = {T(0), T(0), T(0)};
        for (int k = 0; k < inverse.rows(); k++) {
            F[c] = plus(F[c], times(T(inverse(k, c)), minus(x[k + 1], x[0])));
        }
    }
}

template <class T> void subtract(const Vec<T>& a, const double* rest, T* phi) {
    for (int i = 0; i < 3; i++) {
        phi[i] = a[i] - T(rest[i]);
    }
}

// phi of a constraint with nodes; the wrapping of the bend angle is left to the caller.
template <class T> void functions(const oracle_constraint& c, const Vec<T>* x, T* phi) {
    Vec<T> F[3];
    switch (c.kind) {
    case TAUT_DISTANCE:
        phi[0] = length(minus(x[1], x[0])) - T(c.rest[0]);
        break;
    case TAUT_ATTACHMENT:
        subtract(minus(x[1], x[0]), c.rest, phi);
        break;
    case TAUT_TARGET:
        subtract(x[0], c.rest, phi);
        break;
    case TAUT_BEND:
        phi[0] = dihedral(x) - T(c.rest[0]);
        break;
    case TAUT_MEMBRANE:
        deformation(x, membrane_inverse(c.rest), F);
        membrane_strain(F, phi);
        break;
    case TAUT_TET_VOLUME:
        phi[0] = T(1.0 / 6) * triple(minus(x[1], x[0]), minus(x[2], x[0]), minus(x[3], x[0])) - T(c.rest[0]);
        break;
    case TAUT_TET_STRAIN:
        deformation(x, tet_inverse(c.rest), F);
        tet_strain(F, phi);
        break;
    default:
        break;
    }
}

} // namespace oracle

#endif
