/* Rotations, rigid bodies and reference motions for the physics tests. Quaternions are (w, x, y, z) and take vectors
 * from a body's own axes to the world's. */
#ifndef TAUT_TEST_PHYS_FRAMES_H
#define TAUT_TEST_PHYS_FRAMES_H

#include "phys_scenes.h"

/* ---- vectors and rotations --------------------------------------------------------------------------------------- */

double phys_dot(const double a[3], const double b[3]);
double phys_length(const double a[3]);
double phys_apart(const double a[3], const double b[3]);
void phys_cross(const double a[3], const double b[3], double out[3]);
/* The larger one; NaN if one is, which fmax would hide. */
double phys_worse(double a, double b);
/* Largest |a_i - b_i|. */
double phys_farthest(const double* a, const double* b, size_t count);
/* out += s a */
void phys_add(double s, const double a[3], double out[3]);

/* By `angle` about `axis`, of any length but 0. */
void phys_turn(const double axis[3], double angle, double q[4]);
/* First b, then a. */
void phys_multiply(const double a[4], const double b[4], double out[4]);
void phys_rotate(const double q[4], const double r[3], double out[3]);
void phys_rotate_back(const double q[4], const double r[3], double out[3]);
/* Angle of the rotation that takes a to b, 0 to pi. */
double phys_angle_between(const double a[4], const double b[4]);
/* Angle about the world's z axis of an orientation that is a rotation about it, -pi to pi. */
double phys_angle_about_z(const double q[4]);
/* a - b, moved into (-pi, pi]. */
double phys_angle_difference(double a, double b);
/* Axes x, y, z of a joint that turns about the world's z axis: its x is the world's z. */
void phys_hinge_about_z(double q[4]);

/* Inertia {xx, yy, zz, yz, zx, xy} of principal moments about axes turned by q. */
void phys_turned_inertia(const double principal[3], const double q[4], double inertia[6]);
/* inertia += that of a point mass at r */
void phys_add_point_inertia(double mass, const double r[3], double inertia[6]);

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

typedef struct phys_body {
    double mass, inertia[6]; /* in the body's axes */
    double x[3], q[4], v[3], w[3];
    bool fixed;
} phys_body;

taut_scene* phys_empty_scene(void);
taut_body phys_add_body(taut_scene* scene, const phys_body* body);
/* A homogeneous bar of square cross section between two points, x along it, at rest. */
phys_body phys_bar(const double from[3], const double to[3], double width, double mass);
/* Principal moments 0.02, 0.05 and 0.06 about axes that are not the body's: no entry of its inertia is 0. It spins
 * about 3 rad/s, mostly about the unstable middle axis. */
phys_body phys_tumbling_body(void);
/* A joint between two frames at a point, with the axes of `axes` (NULL: the world's); all rows hard. */
taut_joint_batches phys_add_joint(taut_scene* scene, taut_joint_type type, taut_body first, taut_body second,
                                  const double at[3], const double axes[4]);
/* A mapped point fixed on a body, where it is in the world now; returns its index. */
uint32_t phys_add_body_point(taut_scene* scene, taut_body body, const double at[3]);

/* x, q, v and w of the body, as the world has them. */
void phys_read_body(taut_world* world, taut_body handle, phys_body* body);
/* Where a point of the body's own axes is in the world. */
void phys_point_of(const phys_body* body, const double local[3], double out[3]);
/* R I R^T w */
void phys_spin(const phys_body* body, double out[3]);
/* Of translation and rotation, J. */
double phys_kinetic(const phys_body* body);
/* out += x cross m v + R I R^T w */
void phys_add_angular_momentum(const phys_body* body, double out[3]);
/* `count` multipliers of a batch. */
void phys_multipliers(taut_world* world, taut_batch batch, size_t count, double* out);
void phys_violations(taut_world* world, taut_batch batch, size_t count, double* out);

/* ---- reference motions ------------------------------------------------------------------------------------------- */

/* A scheme and the order that it must show. */
typedef struct phys_scheme {
    double alpha, beta, hard_row_damping, order;
} phys_scheme;

extern const phys_scheme phys_implicit_euler, phys_midpoint;
/* Checks that an error falls with at least that order as the step is halved; a quarter is left for higher terms. */
bool phys_check_order(double coarse, double fine, double order);
/* The world of a test with that scheme; without gravity where `weightless`. */
taut_world* phys_scheme_world(taut_backend_kind backend, taut_scene* scene, const phys_scheme* scheme, bool weightless);

/* y' = rate(y) by the classical Runge-Kutta method; n <= 16. */
typedef void phys_rate(const void* system, const double* y, double* rate);
void phys_rk4(phys_rate* rate, const void* system, size_t n, double* y, double duration, size_t steps);
/* x = a^-1 b by elimination with pivots; a (n x n) and b are overwritten, x stands in b. */
void phys_solve(size_t n, double* a, double* b);
/* Moves a body without weight by Euler's equations, free or under a torque that is constant in the world: orientation
 * and angular velocity. */
void phys_move_top(phys_body* body, const double torque[3], double duration, size_t steps);
void phys_move_free_top(phys_body* body, double duration, size_t steps);
/* 4 K(sin(amplitude/2)) sqrt(length/g): period of a pendulum, `length` the reduced one. */
double phys_swing_period(double amplitude, double length);

/* ---- a heavy load on something light ------------------------------------------------------------------------ */

#define PHYS_SWING 0.1 /* rad: first angle */

typedef struct phys_swing {
    double period;        /* s, mean */
    double worst_tension; /* largest error of the top force over the weight, after half a second */
    bool lost;            /* the step failed or the load left */
} phys_swing;

/* Force at the top, N. */
typedef double phys_force(taut_world* world, const void* system);

/* Steps for 8 s, four swings, at h = 1/60: a point that hangs 1 m from the origin, turned towards x by PHYS_SWING.
 * `carried`: mass that the top carries; half of what is spread along the way counts. */
phys_swing phys_swing_load(taut_world* world, uint32_t load, double carried, phys_force* top, const void* system);
/* Period within 0.5 %, tension within 1 %. */
bool phys_swings_right(const phys_swing* swing);

#endif
