/* Surfaces against each other: forces of statics, momentum, order. */
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0.01

/* ---- crossing ropes ------------------------------------------------------------------------------------------------
 */

#define ROPE 0.02 /* m, radius */

/* Two ropes of three links, crossing each other square in their middle ones, each end held, pull each other off the
 * straight line: by symmetry they touch at y = 0, and are ROPE above and below. The middle link, from -a to a, and the
 * outer ones, to (1, -drop), are springs of natural lengths l and compliance C:
 *     force T = (L - l) / C,   T_outer cos = T_middle,   N = 2 T_outer sin. */
static double rope_force(double drop, double l_outer, double l_middle, double compliance, double* half) {
    double low = 0.01, high = 0.99, rise = 0;
    for (int i = 0; i < 100; i++) {
        const double a = (low + high) / 2, out = hypot(1 - a, drop + ROPE), outer = (out - l_outer) / compliance;
        const double middle = (2 * a - l_middle) / compliance;
        const bool wide = middle > outer * (1 - a) / out;
        *half = a;
        rise = 2 * outer * (drop + ROPE) / out;
        low = wide ? low : a;
        high = wide ? a : high;
    }
    return rise;
}

/* Along x with its middle link up at ROPE (side 1), or along z below. */
static uint32_t add_bent_rope(taut_scene* scene, int side, double drop, double compliance, uint32_t material) {
    const uint32_t first = (uint32_t)taut_scene_particle_count(scene);
    const double along[4] = {-1, -0.3, 0.3, 1}, up[4] = {-drop, ROPE, ROPE, -drop};
    double x[12] = {0};
    bool fixed[4] = {true, false, false, true};
    uint32_t ends[6], links[6];
    for (uint32_t i = 0; i < 4; i++) {
        x[3 * i + (side > 0 ? 0 : 2)] = along[i];
        x[3 * i + 1] = side * up[i];
    }
    for (uint32_t i = 0; i < 6; i++) {
        ends[i] = links[i] = first + (i + 1) / 2;
    }
    taut_particles_def particles = taut_default_particles();
    particles.count = 4;
    particles.positions = x;
    particles.fixed = fixed;
    particles.mass = 0.1;
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    taut_distance_def def = taut_default_distance();
    def.count = 3;
    def.particles = links;
    def.rest_lengths = (const double[]){0.6, 0.5, 0.6};
    def.compliance = compliance;
    def.damping = 0.1;
    CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
    surface_add(scene, 0, NULL, 3, ends, ROPE, material);
    return first;
}

TAUT_TEST(contact_surfaces, crossing_ropes_press_with_the_force_of_statics) {
    const double drop = 0.2, compliance = 1e-3;
    double half, v[3], x[2][3], force[3];
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    const uint32_t upper = add_bent_rope(scene, 1, drop, compliance, material);
    const uint32_t lower = add_bent_rope(scene, -1, drop, compliance, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    contact_list list;
    const double expected = rope_force(drop, 0.6, 0.5, compliance, &half);
    contact_run(world, backend == TAUT_BACKEND_CUDA ? 150 : 300, 0.05, NULL);
    contact_read(world, &list);
    phys_position(world, upper + 2, x[0]);
    phys_position(world, lower + 2, x[1]);
    phys_velocity(world, upper + 2, v);
    test_note("%g N, %g m/s", expected, phys_length(v));
    CHECK_INT(list.count, 1);
    CHECK_INT(list.contacts[0].touch, TAUT_TOUCH_EDGES);
    contact_sum(world, force);
    CHECK_NEAR(fabs(force[1]), expected, 1e-5 * expected);
    CHECK_NEAR(hypot(force[0], force[2]), 0, 1e-5 * expected);
    CHECK_NEAR(x[0][0], half, 1e-6);
    CHECK_NEAR(x[0][1], ROPE, 1e-6);
    CHECK_NEAR(x[1][1], -ROPE, 1e-6);
    CHECK_NEAR(list.contacts[0].position[1], 0, 1e-6);
    test_note(NULL);
    taut_world_destroy(world);
}

/* The least distance of the centre lines of two ropes. */
static double rope_distance(taut_world* world, uint32_t a, uint32_t b, size_t links) {
    double least = INFINITY, x[4][3];
    for (size_t i = 0; i < links; i++) {
        phys_position(world, a + i, x[0]);
        phys_position(world, a + i + 1, x[1]);
        for (size_t k = 0; k < links; k++) {
            phys_position(world, b + k, x[2]);
            phys_position(world, b + k + 1, x[3]);
            least = fmin(least, surface_segment_distance(x[0], x[1], x[2], x[3]));
        }
    }
    return least;
}

/* A rope falls across one that is held at its ends: it hangs over it, a diameter away and no nearer. */
TAUT_TEST(contact_surfaces, rope_falls_on_a_rope) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const size_t links = cuda ? 4 : 9;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.8, 0);
    const uint32_t lower = surface_add_rope(scene, links, (const double[]){-0.5, 0, 0.013}, (const double[]){0.5, 0, 0},
                                            0.3, 1e-5, ROPE, material);
    const uint32_t upper = surface_add_rope(scene, links, (const double[]){0.02, 0.2, -0.4},
                                            (const double[]){-0.01, 0.2, 0.4}, 0.3, 1e-5, ROPE, material);
    phys_fix(scene, 2, (const uint32_t[]){lower, lower + (uint32_t)links});
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-8;
    taut_world* world = phys_world(scene, &def);
    double least = INFINITY, x[3];
    contact_list list;
    for (int i = 0; i < (cuda ? 25 : 150); i++) {
        contact_step(world, H, NULL);
        least = fmin(least, rope_distance(world, lower, upper, links));
    }
    contact_read(world, &list);
    phys_position(world, upper + links / 2, x);
    test_note("at least %g m apart, middle at %g m, %zu contacts", least, x[1], list.count);
    CHECK(list.count > 0);
    CHECK(least >= 2 * ROPE - 1e-3 && least <= 2 * ROPE + 1e-3);
    CHECK(x[1] > -0.35); /* it has not fallen down */
    test_note(NULL);
    taut_world_destroy(world);
}

/* A rope that stands on the ground falls in folds, within a step: parts of it stay apart. */
TAUT_TEST(contact_surfaces, rope_falls_on_itself) {
    for (int i = 0; i < 2; i++) {
        const double length = 1 + i, from[3] = {0, 0.02, 0}, to[3] = {0.01, 0.02 + length, 0};
        const uint32_t links = 40u * (uint32_t)(1 + i);
        taut_world_def def = taut_default_world();
        def.backend = backend;
        def.threads = 1;
        def.gravity[1] = -PHYS_GRAVITY;
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.5, 0);
        contact_ground(scene, material);
        surface_add_rope(scene, links, from, to, 0.3 * length, 0, 0.01, material);
        taut_world* world = phys_world(scene, &def);
        double deepest = 0;
        for (int step = 0; step < (backend == TAUT_BACKEND_CUDA ? 30 : 60); step++) {
            taut_overlaps overlaps;
            CHECK_OK(taut_world_step(world, 1.0 / 60));
            CHECK_OK(taut_world_read_overlaps(world, &overlaps));
            deepest = fmax(deepest, overlaps.points_relative);
        }
        test_note("%g m, %g of the thickness", length, deepest);
        CHECK(deepest < 0.3);
        test_note(NULL);
        taut_world_destroy(world);
    }
}

/* ---- momentum ------------------------------------------------------------------------------------------------------
 */

static void momenta(taut_world* world, size_t count, const double* masses, double linear[3], double angular[3]) {
    double x[3], v[3], spin[3];
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (size_t i = 0; i < count; i++) {
        phys_position(world, i, x);
        phys_velocity(world, i, v);
        phys_cross(x, v, spin);
        phys_add(masses[i], v, linear);
        phys_add(masses[i], spin, angular);
    }
}

/* Two triangles of different masses, free and turning over each other; nothing but contacts acts. Along the line
 * between the closest points forces have no moment; across it they are a couple of the thickness, where there is
 * friction. Where it links their corners, these turn and follow their step's beginning, so that the angular momentum is
 * left out. */
static void check_momentum(taut_backend_kind backend, const double* x, double friction, double restitution,
                           bool linked) {
    const double masses[6] = {1, 0.5, 0.7, 2, 0.4, 1.1};
    const uint32_t corners[6] = {0, 1, 2, 3, 4, 5}, links[12] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3};
    const phys_tuples edges = {6, (uint32_t*)links};
    double linear[2][3], angular[2][3], v[18] = {0};
    taut_scene* scene = phys_scene(6, x, masses);
    const uint32_t material = contact_material(scene, friction, restitution);
    if (linked) {
        phys_add_links(scene, &edges, 1e-4, 0);
    }
    surface_add(scene, 1, corners, 0, NULL, 0.02, material);
    surface_add(scene, 1, corners + 3, 0, NULL, 0.02, material);
    for (int i = 0; i < 3; i++) {
        v[3 * i + 1] = -3;
        v[3 * i] = 0.5 * i - 0.5;
        v[3 * i + 2] = 0.3;
    }
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    uint32_t touched = 0;
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 6, v));
    momenta(world, 6, masses, linear[0], angular[0]);
    for (int i = 0; i < 25; i++) {
        contact_list list;
        contact_step(world, H, NULL);
        contact_read(world, &list);
        for (size_t k = 0; k < list.count; k++) {
            touched += phys_length(list.contacts[k].force) > 1;
        }
    }
    momenta(world, 6, masses, linear[1], angular[1]);
    test_note("friction %g, restitution %g, linked %d, touched %u times", friction, restitution, linked, touched);
    CHECK(touched > 0);
    const double close = CONTACT_CLOSE * phys_length(linear[0]);
    CHECK_NEAR(phys_farthest(linear[0], linear[1], 3), 0, close);
    if (friction == 0 && !linked) {
        CHECK_NEAR(phys_farthest(angular[0], angular[1], 3), 0, close);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_surfaces, momentum_is_kept) {
    const double face[18] = {0.05, 0.1, 0.02, 0.9, 0.3, -0.2, 0.7, 0.4, 0.6, 0, 0, -0.6, -0.5, 0, 0.5, 0.6, 0, 0.5};
    const double edge[18] = {-0.7, 0.1, 0.1, 0.8, 0.12, -0.1, 0.1, 0.7, 0, 0.1, 0, -0.6, -0.05, 0, 0.7, 0, -0.8, 0};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    check_momentum(backend, edge, 0, 0, false);
    check_momentum(backend, face, 0, 0.5, false);
    if (!cuda) {
        check_momentum(backend, face, 0, 0, false);
        check_momentum(backend, edge, 0, 1, false);
        for (int linked = 0; linked < 2; linked++) {
            check_momentum(backend, face, 0.5, 0, linked);
            check_momentum(backend, edge, 0.5, 0, linked);
            check_momentum(backend, edge, 0, 1, linked);
        }
    }
}

/* ---- sheets --------------------------------------------------------------------------------------------------------
 */

#define SHEET  0.01 /* m, half of the thickness */
#define WEIGHT 0.2  /* kg of a sheet */

typedef struct pile {
    taut_world* world;
    size_t sheets, points; /* of each sheet */
    uint32_t first[8], ground;
} pile;

/* Sheets over each other and the ground, `gap` apart, each turned by `turn` more than the one below, and smaller, so
 * that it lies on that as a whole. */
static pile make_pile(taut_backend_kind backend, size_t sheets, size_t cells, double gap, double turn,
                      double friction) {
    pile p = {.sheets = sheets};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    p.ground = contact_ground(scene, material);
    for (size_t i = 0; i < sheets; i++) {
        double q[4];
        const double side = 0.4 * pow(0.97 / (cos(turn) + sin(turn)), (double)i);
        phys_turn((const double[]){0, 1, 0}, turn * (double)i, q);
        const surface_sheet sheet = {.columns = cells,
                                     .rows = cells,
                                     .width = side,
                                     .height = side,
                                     .mass = WEIGHT,
                                     .radius = SHEET,
                                     .at = {0, SHEET + gap + (double)i * (2 * SHEET + gap), 0},
                                     .q = q,
                                     .diagonal = PHYS_ALTERNATING,
                                     .link = 1e-4,
                                     .material = material};
        p.points = surface_sheet_points(&sheet);
        p.first[i] = surface_add_sheet(scene, &sheet);
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-7;
    p.world = phys_world(scene, &def);
    return p;
}

/* Lowest and highest point of a sheet, or the greatest speed. */
static double extreme_of(const pile* p, size_t sheet, bool speed, bool high) {
    double extreme = high ? -INFINITY : INFINITY, x[3];
    for (size_t i = 0; i < p->points; i++) {
        (speed ? phys_velocity : phys_position)(p->world, p->first[sheet] + i, x);
        const double value = speed ? phys_length(x) : x[1];
        extreme = high ? fmax(extreme, value) : fmin(extreme, value);
    }
    return extreme;
}

/* All lie flat, in their order, a thickness over each other, and the ground bears them all. */
static void check_pile(taut_backend_kind backend, size_t sheets, size_t cells, double turn, double friction,
                       int steps) {
    pile p = make_pile(backend, sheets, cells, 0.004, turn, friction);
    contact_effort effort = {0};
    double force[3];
    uint32_t contacts = 0;
    for (int i = 0; i < steps; i++) {
        const taut_step_info info = contact_step(p.world, H, &effort);
        contacts = info.contacts > contacts ? info.contacts : contacts;
    }
    contact_note("pile", &effort);
    for (size_t i = 0; i < sheets; i++) {
        const double height = SHEET * (2 * (double)i + 1);
        test_note("%zu sheets, turned by %g, friction %g: sheet %zu from %g to %g m, %g m/s, %u contacts", sheets, turn,
                  friction, i, extreme_of(&p, i, false, false), extreme_of(&p, i, false, true),
                  extreme_of(&p, i, true, true), contacts);
        CHECK_NEAR(extreme_of(&p, i, false, false), height, 1e-5);
        CHECK_NEAR(extreme_of(&p, i, false, true), height, 1e-5);
        CHECK(extreme_of(&p, i, true, true) < 1e-3);
    }
    contact_force_on(p.world, p.ground, force);
    CHECK_NEAR(force[1], -WEIGHT * (double)sheets * PHYS_GRAVITY, 1e-3 * WEIGHT * PHYS_GRAVITY);
    test_note(NULL);
    taut_world_destroy(p.world);
}

TAUT_TEST(contact_surfaces, sheet_on_a_sheet) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    if (cuda) {
        check_pile(backend, 2, 2, 0, 0.5, 10);
        return;
    }
    for (int i = 0; i < 2; i++) {
        check_pile(backend, 2, 5, 0, 0.5 * i, 40);
        check_pile(backend, 2, 5, 0.5, 0.5 * i, 40);
    }
}

TAUT_TEST(contact_surfaces, stack_of_sheets) {
    if (backend == TAUT_BACKEND_CPU) {
        check_pile(backend, 5, 3, 0.1, 0.5, 50);
    }
}
