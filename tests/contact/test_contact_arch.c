/* A semicircular arch of wedges that nothing holds together: it stands by friction as long as a line of thrust fits
 * into it. With the thickness t and the mean radius R that is t/R > 0.107 (Heyman 1969; Milankovitch 1907), and the
 * joints at the springing, where the thrust leans by H/V, must not slide. */
#include "contact_scenes.h"

#include <math.h>

#define RADIUS  1.0
#define DEPTH   0.3
#define DENSITY 1000.0
/* Of a joint so much of its height and depth touches: points stand inside of faces, whose normals are known there. */
#define INSET 0.85

enum { MOST = 9 };

typedef struct arch {
    size_t count;
    double thickness, friction;
} arch;

typedef struct arch_world {
    taut_world* world;
    taut_body wedge[MOST];
    uint32_t ground;
    double weight;
} arch_world;

/* The corner of a wedge from its centre, x outwards, y along the arch: bit 0 outer, bit 1 far end, bit 2 back; joints
 * shrunk by `inset`. */
static void corner_of(const arch* a, int bits, double inset, double x[3]) {
    const double half = 0.5 * PHYS_PI / (double)a->count;
    const double r = RADIUS + ((bits & 1) != 0 ? 0.5 : -0.5) * a->thickness * inset;
    x[0] = r * cos(half) - RADIUS;
    x[1] = ((bits & 2) != 0 ? 1 : -1) * r * sin(half);
    x[2] = ((bits & 4) != 0 ? 0.5 : -0.5) * DEPTH * inset;
}

static uint32_t add_mesh(taut_scene* scene, const arch* a) {
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    taut_collider_mesh_def def = taut_default_collider_mesh();
    double corners[24];
    uint32_t triangles[36], mesh = 0;
    for (int i = 0; i < 8; i++) {
        corner_of(a, i, 1, corners + 3 * i);
    }
    for (int q = 0; q < 6; q++) { /* a, b, c and a, c, d */
        const uint32_t two[6] = {quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3]};
        for (int i = 0; i < 6; i++) {
            triangles[6 * q + i] = two[i];
        }
    }
    def.vertex_count = 8;
    def.positions = corners;
    def.triangle_count = 12;
    def.triangles = triangles;
    CHECK_OK(taut_scene_add_collider_mesh(scene, &def, &mesh));
    return mesh;
}

static taut_body add_wedge(taut_scene* scene, const arch* a, size_t number, uint32_t mesh, uint32_t material) {
    const double angle = PHYS_PI * ((double)number + 0.5) / (double)a->count;
    phys_body body = contact_at(RADIUS * cos(angle), RADIUS * sin(angle), 0);
    double points[24];
    phys_turn((const double[]){0, 0, 1}, angle, body.q);
    body.mass = DENSITY * a->thickness * DEPTH * PHYS_PI * RADIUS / (double)a->count;
    taut_inertia_of_box(body.mass, (const double[]){a->thickness, PHYS_PI * RADIUS / (double)a->count, DEPTH},
                        body.inertia);
    for (int i = 0; i < 8; i++) {
        corner_of(a, i, INSET, points + 3 * i);
    }
    const taut_body handle = phys_add_body(scene, &body);
    contact_touch_body(scene, handle, 8, points, 0, material);
    contact_mesh(scene, mesh, handle, NULL, NULL, material);
    return handle;
}

static arch_world make_arch(taut_backend_kind backend, const arch* a) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, a->friction, 0), mesh = add_mesh(scene, a);
    arch_world out = {.weight = DENSITY * a->thickness * DEPTH * PHYS_PI * RADIUS * PHYS_GRAVITY};
    out.ground = contact_ground(scene, material);
    for (size_t i = 0; i < a->count; i++) {
        out.wedge[i] = add_wedge(scene, a, i, mesh, material);
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    def.solver.max_iterations = 4000;
    out.world = phys_world(scene, &def);
    return out;
}

/* How far the wedge in the middle has come down, m, after so many steps; the greatest speed of any then. */
static double drop(const arch_world* w, const arch* a, size_t steps, double* speed) {
    taut_step_info info = {0};
    phys_body now;
    uint32_t iterations = 0, lost = 0;
    for (size_t i = 0; i < steps; i++) {
        CHECK_OK(taut_world_step(w->world, 0.01));
        CHECK_OK(taut_world_info(w->world, &info));
        iterations += info.iterations;
        lost += info.outcome != TAUT_SOLVE_CONVERGED;
    }
    *speed = 0;
    for (size_t i = 0; i < a->count; i++) {
        phys_read_body(w->world, w->wedge[i], &now);
        *speed = phys_worse(*speed, phys_length(now.v));
    }
    phys_read_body(w->world, w->wedge[a->count / 2], &now);
    test_note("%zu wedges, t/R %g, friction %g: %g iterations a step, %u of %zu steps short", a->count, a->thickness,
              a->friction, iterations / (double)steps, lost, steps);
    return RADIUS - now.x[1];
}

TAUT_TEST(contact_arch, stands_by_friction) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const arch a = {cuda ? 3 : 7, 0.25, 0.8};
    const arch_world w = make_arch(backend, &a);
    double force[3], speed;
    CHECK_NEAR(drop(&w, &a, cuda ? 4 : 100, &speed), 0, 1e-4);
    CHECK_NEAR(speed, 0, 1e-4);
    contact_force_on(w.world, w.ground, force);
    CHECK_NEAR(force[1], -w.weight, 1e-3 * w.weight);
    CHECK_NEAR(force[0], 0, 1e-3 * w.weight);
    taut_world_destroy(w.world);
}

/* Too thin for any line of thrust, and too smooth for its lean. */
TAUT_TEST(contact_arch, falls_where_it_is_thin_or_smooth) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const arch cases[2] = {{7, 0.06, 0.8}, {7, 0.25, 0.05}};
    for (int i = 0; i < 2 && !cuda; i++) {
        const arch_world w = make_arch(backend, &cases[i]);
        double speed;
        CHECK(drop(&w, &cases[i], 60, &speed) > 0.05);
        taut_world_destroy(w.world);
    }
}
