#include "phys_exact.h"

#include "phys_scenes.h"

#include <math.h>

/* A e^(-a t) + B e^(-b t) with a + b = 2 zeta w and a b = w^2, however far apart they are. */
static double overdamped(double w, double zeta, double start, double launch, double t) {
    const double fast = w * (zeta + sqrt(zeta * zeta - 1)), slow = w * w / fast;
    const double part = (launch + slow * start) / (fast - slow);
    return (start + part) * exp(-slow * t) - part * exp(-fast * t);
}

double phys_oscillation(double mass, double compliance, double damping, double start, double launch, double t) {
    const double w = sqrt(1 / (mass * compliance)), zeta = damping * w / 2, decay = exp(-zeta * w * t);
    const double drive = launch + zeta * w * start;
    if (fabs(zeta - 1) < 1e-12) {
        return decay * (start + drive * t);
    }
    if (zeta > 1) {
        return overdamped(w, zeta, start, launch, t);
    }
    const double s = w * sqrt(1 - zeta * zeta);
    return decay * (start * cos(s * t) + drive / s * sin(s * t));
}

/* Arithmetic-geometric mean scales of modulus k: a[0..n], c[0..n]; returns n. */
static int agm_scales(double k, double a[16], double c[16]) {
    double b = sqrt(1 - k * k);
    int n = 0;
    a[0] = 1;
    c[0] = k;
    while (n < 15 && fabs(c[n]) > 1e-16) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    return n;
}

/* 4 K(sin(theta0/2)) sqrt(L/g), with K = pi / (2 agm(1, k')). */
double phys_pendulum_period(double length, double amplitude) {
    double a[16], c[16];
    const int n = agm_scales(sin(amplitude / 2), a, c);
    return 2 * PHYS_PI / a[n] * sqrt(length / PHYS_GRAVITY);
}

/* Angle at time t after release at rest from `amplitude`, by descending Landen transformations. */
double phys_pendulum_angle(double length, double amplitude, double t) {
    double a[16], c[16];
    const double k = sin(amplitude / 2);
    const int n = agm_scales(k, a, c);
    double phase = ldexp(a[n] * t * sqrt(PHYS_GRAVITY / length), n);
    for (int i = n; i > 0; i--) {
        phase = (phase + asin(c[i] / a[i] * sin(phase))) / 2;
    }
    return 2 * asin(k * cos(phase) / sqrt(1 - k * k * sin(phase) * sin(phase)));
}

/* theta' = k, k' = -a cos(theta) from a clamp with curvature k0 to the free end of length 1; returns k there. */
static double shoot_elastica(double load, double k0, phys_elastica* end) {
    const int steps = 2000;
    const double ds = 1.0 / steps;
    double theta = 0, k = k0;
    *end = (phys_elastica){0, 1};
    for (int i = 0; i < steps; i++) {
        const double mid = theta + ds / 2 * k, mid_k = k - ds / 2 * load * cos(theta);
        const double mid2 = theta + ds / 2 * mid_k, mid2_k = k - ds / 2 * load * cos(mid);
        const double last = theta + ds * mid2_k, last_k = k - ds * load * cos(mid2);
        end->drop += ds / 6 * (sin(theta) + 2 * sin(mid) + 2 * sin(mid2) + sin(last));
        end->retreat -= ds / 6 * (cos(theta) + 2 * cos(mid) + 2 * cos(mid2) + cos(last));
        theta += ds / 6 * (k + 2 * mid_k + 2 * mid2_k + last_k);
        k -= ds / 6 * load * (cos(last - ds * mid2_k) + 2 * cos(mid) + 2 * cos(mid2) + cos(last));
    }
    return k;
}

phys_elastica phys_exact_elastica(double load) {
    double low = 0, high = load;
    phys_elastica end;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(shoot_elastica(load, middle, &end) < 0 ? &low : &high) = middle;
    }
    return end;
}

double phys_cantilever_sag(double x) {
    return x * x * (6 - 4 * x + x * x) / 24;
}

double phys_simply_supported_sag(double x) {
    return x * (1 - 2 * x * x + x * x * x) / 24;
}
