/* Planar pendulums of one to three links in minimal coordinates: the reference of everything that hangs on hard links.
 */
#ifndef TAUT_TEST_PHYS_PENDULUMS_H
#define TAUT_TEST_PHYS_PENDULUMS_H

#include "phys_frames.h"

#define PHYS_MOST_LINKS 3

/* Links one below the other from the origin on, in the x-y plane. Their state is y = (angles from the vertical, their
 * rates), 2 count values. */
typedef struct phys_links {
    int count;
    double length[PHYS_MOST_LINKS], mass[PHYS_MOST_LINKS];
    double centre;                   /* of a link's mass, part of its length from above; 1: point masses at the ends */
    double inertia[PHYS_MOST_LINKS]; /* about it, kg m^2 */
} phys_links;

/* Lagrange's equations (a phys_rate). */
void phys_links_rate(const void* links, const double* y, double* rate);
/* J; 0 where all centres are at the height of the origin. */
double phys_links_energy(const phys_links* links, const double* y);
/* The point of link i at that part of its length. */
void phys_links_point(const phys_links* links, const double* y, int i, double along, double x[3]);
/* The state after `duration` seconds from rest at `angles`: RK4 with steps of 0.1 ms. */
void phys_links_after(const phys_links* links, const double* angles, double duration, double* y);

/* One to three point masses on links of 0.5, 0.4 and 0.3 m, or bars of those lengths and a square cross section. */
phys_links phys_point_links(int count);
phys_links phys_bar_links(void);
/* Where tests let them go: no two alike, none near the vertical, rad. */
extern const double phys_first_angles[PHYS_MOST_LINKS];

/* At rest there: point 0 is fixed at the origin, point i + 1 the end of link i, on hard distances. */
taut_scene* phys_hang_points(const phys_links* links);
/* At rest there: body i is link i, on joints of that type, whose x is the world's z. */
taut_scene* phys_hang_bars(const phys_links* links, taut_joint_type type, taut_body* handles);

#endif
