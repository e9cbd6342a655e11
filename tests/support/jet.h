// Numbers that carry their first and second derivatives with respect to up to 12 variables.
#ifndef TAUT_TEST_JET_H
#define TAUT_TEST_JET_H

#include <Eigen/Dense>
#include <cmath>

struct Jet {
    using Gradient = Eigen::Matrix<double, 12, 1>;
    using Hessian = Eigen::Matrix<double, 12, 12>;
    double v;
    Gradient g;
    Hessian h;

    Jet(double value = 0) : v(value), g(Gradient::Zero()), h(Hessian::Zero()) {}

    static Jet variable(double value, int index) {
        Jet a(value);
        a.g[index] = 1;
        return a;
    }
};

// f(a) with f' and f'' at a.
inline Jet chain(const Jet& a, double f, double d1, double d2) {
    Jet out(f);
    out.g = d1 * a.g;
    out.h = d1 * a.h + d2 * a.g * a.g.transpose();
    return out;
}

inline Jet operator+(const Jet& a, const Jet& b) {
    Jet out(a.v + b.v);
    out.g = a.g + b.g;
    out.h = a.h + b.h;
    return out;
}

inline Jet operator-(const Jet& a) {
    return chain(a, -a.v, -1, 0);
}
inline Jet operator-(const Jet& a, const Jet& b) {
    return a + (-b);
}

inline Jet operator*(const Jet& a, const Jet& b) {
    Jet out(a.v * b.v);
    out.g = a.v * b.g + b.v * a.g;
    out.h = a.v * b.h + b.v * a.h + a.g * b.g.transpose() + b.g * a.g.transpose();
    return out;
}

inline Jet operator/(const Jet& a, const Jet& b) {
    return a * chain(b, 1 / b.v, -1 / (b.v * b.v), 2 / (b.v * b.v * b.v));
}

inline Jet sqrt(const Jet& a) {
    const double root = std::sqrt(a.v);
    return chain(a, root, 0.5 / root, -0.25 / (root * a.v));
}

inline Jet atan2(const Jet& y, const Jet& x) {
    // d atan2 = (x dy - y dx)/(x^2 + y^2); its numerator and denominator are differentiated once more.
    const double r2 = x.v * x.v + y.v * y.v;
    Jet out(std::atan2(y.v, x.v));
    const Jet::Gradient top = x.v * y.g - y.v * x.g;
    const Jet::Gradient down = 2 * (x.v * x.g + y.v * y.g);
    out.g = top / r2;
    // Symmetric up to rounding only.
    const Jet::Hessian h = (x.v * y.h - y.v * x.h + y.g * x.g.transpose() - x.g * y.g.transpose()) / r2 -
                           top * down.transpose() / (r2 * r2);
    out.h = 0.5 * (h + h.transpose());
    return out;
}

#endif
