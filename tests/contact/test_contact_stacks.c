/* Stacks of bodies that overlap at the start: they part, and none of that becomes speed. Their statics are known. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

#define MOST 10
/* Half of a thing's height, m, and its mass, kg. */
#define HALF 0.1
#define MASS 4.0

typedef struct stack {
    taut_shape shape;
    int count;
    double overlap, h; /* m, s */
    double gravity;    /* m/s^2 */
} stack;

static taut_world* make_stack(taut_backend_kind backend, const stack* s, taut_body bodies[MOST]) {
    static const double size[3] = {HALF, HALF, HALF};
    taut_scene* scene = phys_empty_scene();
    contact_ground(scene, 0);
    for (int i = 0; i < s->count; i++) {
        phys_body at = contact_at(0, HALF - s->overlap + (2 * HALF - s->overlap) * i, 0);
        at.mass = MASS;
        taut_inertia_of_sphere(MASS, HALF, at.inertia);
        if (s->shape == TAUT_SHAPE_CYLINDER) {
            phys_turn((const double[]){1, 0, 0}, 1.5707963267948966, at.q);
        }
        bodies[i] = phys_add_body(scene, &at);
        contact_shape(scene, s->shape, size, bodies[i], NULL, NULL, 0);
    }
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.solver.tolerance = 1e-5;
    def.gravity[1] = -s->gravity;
    taut_world* world = phys_world(scene, &def);
    return world;
}

/* How far the top comes above its place on the others, and how far below it ends; J that the stack has at most above
 * what it has when it has parted. */
typedef struct parting {
    double rise, end, energy;
} parting;

static parting part(taut_backend_kind backend, const stack* s, double seconds) {
    taut_body bodies[MOST];
    taut_world* world = make_stack(backend, s, bodies);
    const double place = HALF * (2 * s->count - 1);
    parting out = {-INFINITY, 0, -INFINITY};
    double x[3];
    for (int i = 0; i < seconds / s->h; i++) {
        const taut_step_info info = contact_step(world, s->h, NULL);
        phys_position(world, bodies[s->count - 1].point, x);
        out.rise = fmax(out.rise, x[1] - place);
        out.end = x[1] - place;
        out.energy = fmax(out.energy, info.kinetic + info.potential);
    }
    for (int i = 0; i < s->count; i++) {
        out.energy -= MASS * s->gravity * HALF * (2 * i + 1);
    }
    taut_world_destroy(world);
    return out;
}

static void check_parting(taut_backend_kind backend, const stack* s) {
    const parting p = part(backend, s, 0.1 + 2 * sqrt(2 * s->count * s->overlap / s->gravity));
    test_note("%d of %s that overlap by %g m, steps of %g s", s->count, taut_shape_name(s->shape), s->overlap, s->h);
    CHECK(p.rise < 5e-3);
    CHECK_NEAR(p.end, 0, 5e-3);
    CHECK(p.energy < MASS * s->gravity * 5e-3 * s->count);
}

/* The top of a stack rises to its place and no higher, whatever is in it and with steps of any length. */
TAUT_TEST(contact_stacks, overlaps_part_without_a_hop) {
    static const taut_shape shapes[] = {TAUT_SHAPE_BOX, TAUT_SHAPE_SPHERE, TAUT_SHAPE_CYLINDER};
    static const int counts[] = {2, 5, 10};
    static const double overlaps[] = {0.001, 0.02, 0.1}, steps[] = {1.0 / 60, 1.0 / 240, 1.0 / 960};
    if (backend == TAUT_BACKEND_CUDA) {
        const stack s = {TAUT_SHAPE_BOX, 3, 0.005, 1.0 / 60, PHYS_GRAVITY};
        check_parting(backend, &s);
        test_note(NULL);
        return;
    }
    for (int i = 0; i < 81; i++) {
        const stack s = {shapes[i % 3], counts[i / 3 % 3], overlaps[i / 9 % 3], steps[i / 27], PHYS_GRAVITY};
        check_parting(backend, &s);
    }
    test_note(NULL);
}

/* Without gravity nothing stops what parts: in tenths of a second, as many as there are contacts, at less than a
 * metre a second. */
TAUT_PLAIN_TEST(contact_stacks, overlaps_part_slowly_without_gravity) {
    const stack s = {TAUT_SHAPE_BOX, 5, 0.02, 1.0 / 60, 0};
    taut_body bodies[MOST];
    taut_world* world = make_stack(TAUT_BACKEND_CPU, &s, bodies);
    double v[3];
    contact_run(world, 120, s.h, NULL);
    phys_velocity(world, bodies[s.count - 1].point, v);
    CHECK(v[1] > 0 && v[1] < 0.25);
    taut_world_destroy(world);
}

/* What rests is where it was: its impulses of the last step are all but right, and few iterations follow. */
TAUT_PLAIN_TEST(contact_stacks, rest_takes_few_iterations) {
    const stack s = {TAUT_SHAPE_BOX, 4, 0, 1.0 / 240, PHYS_GRAVITY};
    taut_body bodies[MOST];
    contact_effort effort = {0};
    taut_world* world = make_stack(TAUT_BACKEND_CPU, &s, bodies);
    contact_run(world, 120, s.h, NULL);
    contact_run(world, 60, s.h, &effort);
    contact_note("stack at rest", &effort);
    CHECK(effort.iterations <= 2 * effort.steps);
    taut_world_destroy(world);
}

/* A tower of small cubes, each of them a little off the one below; how far its top comes from its place, in sides. */
static double tower_moves(taut_backend_kind backend, double side, int count, double h, double seconds) {
    const double half[3] = {side / 2, side / 2, side / 2}, sides[3] = {side, side, side};
    taut_scene* scene = phys_empty_scene();
    taut_body top = {0};
    double x[3], off = 0;
    contact_ground(scene, 0);
    for (int i = 0; i < count; i++) {
        phys_body body = contact_at(0.02 * side * ((i * 7) % 3 - 1), side * (i + 0.5), 0.02 * side * ((i * 5) % 3 - 1));
        body.mass = 500 * side * side * side;
        taut_inertia_of_box(body.mass, sides, body.inertia);
        top = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_BOX, half, top, NULL, NULL, 0);
    }
    taut_world_def def = taut_default_world();
    def.backend = backend;
    taut_world* world = phys_world(scene, &def);
    double start[3];
    phys_position(world, top.point, start);
    for (int i = 0; i < seconds / h; i++) {
        contact_step(world, h, NULL);
        phys_position(world, top.point, x);
        phys_add(-1, start, x);
        off = fmax(off, phys_length(x) / side);
    }
    taut_world_destroy(world);
    return off;
}

/* What is small against the way that it falls in a step stands like what is large. */
TAUT_TEST(contact_stacks, small_towers_stand) {
    static const double sides[] = {0.04, 0.01, 0.02, 0.1}, steps[] = {1.0 / 24, 1.0 / 30, 1.0 / 60};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int i = 0; i < (cuda ? 1 : 4); i++) {
        for (int k = 0; k < (cuda ? 1 : 3); k++) {
            for (int count = 5; count <= (cuda ? 5 : 10); count += 5) {
                const double off = tower_moves(backend, sides[i], count, steps[k], cuda ? 0.25 : 2);
                test_note("%d cubes of %g m, steps of %g s: off by %g sides", count, sides[i], steps[k], off);
                CHECK(off < 0.03);
            }
        }
    }
    test_note(NULL);
}

/* Boxes that rest stay where they are in steps of any length, in turn. */
TAUT_TEST(contact_stacks, rest_in_unequal_steps) {
    static const double others[] = {1.0 / 600, 1e-5, 1e-9};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int k = cuda ? 1 : 0; k < (cuda ? 2 : 3); k++) {
        const stack s = {TAUT_SHAPE_BOX, cuda ? 2 : 5, 0, 1.0 / 60, PHYS_GRAVITY};
        taut_body bodies[MOST];
        taut_world* world = make_stack(backend, &s, bodies);
        double x[3], v[3], most = 0;
        test_note("%g s", others[k]);
        for (int i = 0; i < (cuda ? 8 : 240); i++) {
            contact_step(world, i % 2 == 0 ? s.h : others[k], NULL);
            phys_velocity(world, bodies[s.count - 1].point, v);
            most = fmax(most, phys_length(v));
        }
        phys_position(world, bodies[s.count - 1].point, x);
        CHECK(most < 0.05);
        CHECK_NEAR(hypot(x[0], x[2]), 0, 1e-3);
        CHECK_NEAR(x[1], HALF * (2 * s.count - 1), 2e-3);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* Eight boxes at rest in steps between 1/70 and 1/50 s, as a display's clock makes them: contacts as soft as the step
 * of the moment would sink in and come out again, a few tenths of a joule a second. J that the stack takes in five
 * seconds more than gravity gives it. */
static double taken_at_rest(taut_backend_kind backend) {
    const stack s = {TAUT_SHAPE_BOX, 8, 0, 1.0 / 60, 9.81};
    taut_body bodies[MOST];
    taut_world* world = make_stack(backend, &s, bodies);
    uint32_t random = 1;
    double taken = 0;
    for (int i = 0; i < 600; i++) {
        random = random * 1664525u + 1013904223u;
        const double h = 1.0 / 70 + (1.0 / 50 - 1.0 / 70) * (double)(random >> 8) / 16777216;
        const taut_step_info info = contact_step(world, h, NULL);
        taken += i >= 300 ? fmax(-info.numerical, 0) : 0;
    }
    taut_world_destroy(world);
    return taken;
}

TAUT_PLAIN_TEST(contact_stacks, rest_in_steps_of_many_lengths) {
    CHECK_NEAR(taken_at_rest(TAUT_BACKEND_CPU), 0, 0.5);
}
