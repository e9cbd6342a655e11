#include "build/build_solid.h"

#include "base/array.h"
#include "base/vector.h"

#include "taut/taut.h"

static const double pi = 3.14159265358979323846;

/* ---- mass ----------------------------------------------------------------------------------------------------- */

mass_properties solid_box_mass(const double sides[3]) {
    mass_properties p = {.volume = sides[0] * sides[1] * sides[2]};
    taut_inertia_of_box(p.volume, sides, p.inertia);
    return p;
}

mass_properties solid_sphere_mass(double radius) {
    mass_properties p = {.volume = 4 * pi / 3 * radius * radius * radius};
    taut_inertia_of_sphere(p.volume, radius, p.inertia);
    return p;
}

mass_properties solid_cylinder_mass(double radius, double height) {
    mass_properties p = {.volume = pi * radius * radius * height};
    taut_inertia_of_cylinder(p.volume, radius, height, p.inertia);
    return p;
}

/* A cylinder between two half balls. Each of these has its centre of mass 3/8 of the radius beyond the cylinder's end;
 * about an axis across, through its flat side, its inertia is that of half a ball about its centre. */
mass_properties solid_capsule_mass(double radius, double length) {
    const double cylinder = pi * radius * radius * length, ball = 4 * pi / 3 * radius * radius * radius;
    const double half = 0.5 * length, offset = 0.375 * radius;
    mass_properties p = {.volume = cylinder + ball};
    taut_inertia_of_cylinder(cylinder, radius, length, p.inertia);
    const double across = 0.4 * radius * radius + half * half + 2 * half * offset;
    p.inertia[0] += ball * across;
    p.inertia[1] += ball * across;
    p.inertia[2] += ball * 0.4 * radius * radius;
    return p;
}

/* The centre of mass is a quarter of the height above the base. */
mass_properties solid_cone_mass(double radius, double height) {
    mass_properties p = {.volume = pi / 3 * radius * radius * height, .centre = {0, 0, -0.25 * height}};
    taut_inertia_of_cone(p.volume, radius, height, p.inertia);
    return p;
}

/* ---- surfaces ------------------------------------------------------------------------------------------------- */

static bool surface_new(size_t points, size_t triangles, mesh* out, report* r) {
    mesh m = {.point_count = points, .triangle_count = triangles};
    m.points = array_new(points, sizeof *m.points, r);
    m.triangles = m.points ? array_new(triangles, sizeof *m.triangles, r) : NULL;
    if (!m.triangles) {
        mesh_free(&m);
        return false;
    }
    *out = m;
    return true;
}

static void set_point(mesh* m, size_t i, double x, double y, double z) {
    m->points[i][0] = x;
    m->points[i][1] = y;
    m->points[i][2] = z;
}

/* Adds a triangle behind the `*count` that are there. */
static void add_triangle(mesh* m, size_t* count, size_t a, size_t b, size_t c) {
    uint32_t* t = m->triangles[(*count)++];
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

/* Corner i has x > 0 where bit 0 of i is set, y > 0 for bit 1, z > 0 for bit 2. */
bool solid_box(const double sides[3], mesh* out, report* r) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (!surface_new(8, 12, out, r)) {
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < 8; i++) {
        set_point(out, i, (i & 1 ? 0.5 : -0.5) * sides[0], (i & 2 ? 0.5 : -0.5) * sides[1],
                  (i & 4 ? 0.5 : -0.5) * sides[2]);
    }
    for (int f = 0; f < 6; f++) {
        add_triangle(out, &count, (size_t)faces[f][0], (size_t)faces[f][1], (size_t)faces[f][2]);
        add_triangle(out, &count, (size_t)faces[f][0], (size_t)faces[f][2], (size_t)faces[f][3]);
    }
    return true;
}

/* A stack of rings about z between two poles: point 0 below, the last one above, ring k of `around` points behind one
 * another. All that round shapes have in common. */
static void add_rings(mesh* m, size_t rings, size_t around) {
    const size_t top = m->point_count - 1;
    size_t count = 0;
    for (size_t i = 0; i < around; i++) {
        const size_t a = 1 + i, b = 1 + (i + 1) % around;
        add_triangle(m, &count, 0, b, a);
        for (size_t k = 0; k + 1 < rings; k++) {
            const size_t below = k * around, above = below + around;
            add_triangle(m, &count, a + below, b + below, b + above);
            add_triangle(m, &count, a + below, b + above, a + above);
        }
        add_triangle(m, &count, a + (rings - 1) * around, b + (rings - 1) * around, top);
    }
}

static void set_ring(mesh* m, size_t ring, size_t around, double radius, double z) {
    for (size_t i = 0; i < around; i++) {
        const double angle = 2 * pi * (double)i / (double)around;
        set_point(m, 1 + ring * around + i, radius * cos(angle), radius * sin(angle), z);
    }
}

static bool rings_new(size_t rings, size_t around, double low, double high, mesh* out, report* r) {
    if (!surface_new(2 + rings * around, 2 * rings * around, out, r)) {
        return false;
    }
    set_point(out, 0, 0, 0, low);
    set_point(out, out->point_count - 1, 0, 0, high);
    add_rings(out, rings, around);
    return true;
}

/* Points around a circle: at least `least`, and so many that no chord is farther inside than this, since what is small
 * may lie on what is large. A chord of the angle 2 pi/n is r (1 - cos(pi/n)) inside, about r (pi/n)^2/2. */
static const double largest_sagitta = 0.004; /* m */

static size_t points_around(double radius, size_t least) {
    enum { MOST = 256 };
    const double needed = pi * sqrt(radius / (2 * largest_sagitta));
    const size_t around = needed < MOST ? 4 * (size_t)ceil(needed / 4) : MOST;
    return around > least ? around : least;
}

bool solid_sphere(double radius, mesh* out, report* r) {
    const size_t around = points_around(radius, 24), rings = around / 2 - 1;
    if (!rings_new(rings, around, -radius, radius, out, r)) {
        return false;
    }
    for (size_t k = 0; k < rings; k++) {
        const double latitude = pi * ((double)(k + 1) / (double)(rings + 1) - 0.5);
        set_ring(out, k, around, radius * cos(latitude), radius * sin(latitude));
    }
    return true;
}

/* Half the rings of a sphere on either end. */
bool solid_capsule(double radius, double length, mesh* out, report* r) {
    const size_t around = points_around(radius, 24), rings = around / 4;
    const double half = 0.5 * length;
    if (!rings_new(2 * rings, around, -half - radius, half + radius, out, r)) {
        return false;
    }
    for (size_t k = 0; k < rings; k++) {
        const double latitude = 0.5 * pi * (double)k / (double)rings;
        set_ring(out, rings + k, around, radius * cos(latitude), half + radius * sin(latitude));
        set_ring(out, rings - 1 - k, around, radius * cos(latitude), -half - radius * sin(latitude));
    }
    return true;
}

bool solid_cylinder(double radius, double height, mesh* out, report* r) {
    const size_t around = points_around(radius, 32);
    if (!rings_new(2, around, -0.5 * height, 0.5 * height, out, r)) {
        return false;
    }
    set_ring(out, 0, around, radius, -0.5 * height);
    set_ring(out, 1, around, radius, 0.5 * height);
    return true;
}

bool solid_cone(double radius, double height, mesh* out, report* r) {
    const size_t around = points_around(radius, 32);
    if (!rings_new(1, around, -0.5 * height, 0.5 * height, out, r)) {
        return false;
    }
    set_ring(out, 0, around, radius, -0.5 * height);
    return true;
}
