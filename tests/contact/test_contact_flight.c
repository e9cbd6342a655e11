/* What flies freely among others that bounce, in steps that are cut at impacts and that the guard subdivides: all of it
 * stays on the parabola of whole steps, and impulses are what changes momentum. CUDA does not cut its substeps. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

#define RADIUS 0.1
enum { MOST = 41, ROOM = 4096 };

typedef struct heap {
    taut_world* world;
    int bodies; /* the last one is alone, far away */
    taut_body body[MOST];
    double v[MOST][3];
} heap;

static taut_body add_body(taut_scene* scene, bool box, const double x[3], uint32_t material) {
    const double half[3] = {RADIUS, RADIUS, RADIUS}, sides[3] = {2 * RADIUS, 2 * RADIUS, 2 * RADIUS};
    phys_body at = contact_at(x[0], x[1], x[2]);
    if (box) {
        taut_inertia_of_box(at.mass, sides, at.inertia);
    } else {
        taut_inertia_of_sphere(at.mass, RADIUS, at.inertia);
    }
    const taut_body handle = phys_add_body(scene, &at);
    contact_shape(scene, box ? TAUT_SHAPE_BOX : TAUT_SHAPE_SPHERE, half, handle, NULL, NULL, material);
    return handle;
}

/* Boxes and balls above each other, beside the axis by parts of the golden ratio. */
static heap make_heap(int others, double restitution) {
    heap s = {.bodies = others + 1};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, restitution);
    for (int i = 0; i < others; i++) {
        const double x[3] = {0.8 * fmod(0.618 * i, 1) - 0.4, 0.3 + 0.35 * i, 0.8 * fmod(0.382 * i * i, 1) - 0.4};
        s.body[i] = add_body(scene, i % 2 == 0, x, material);
    }
    s.body[others] = add_body(scene, false, (const double[]){50, 100, 0}, material);
    contact_ground(scene, material);
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.gravity[0] = def.gravity[2] = 0;
    def.gravity[1] = -PHYS_GRAVITY;
    def.contact.events = 4 * ROOM;
    def.contact.capacity = 4000;
    s.world = phys_world(scene, &def);
    memset(s.v, 0, sizeof s.v);
    return s;
}

static int number_of(const heap* s, taut_object kind, uint32_t frame) {
    for (int i = 0; kind == TAUT_OBJECT_BODY && i < s->bodies; i++) {
        if (s->body[i].frame == frame) {
            return i;
        }
    }
    return -1;
}

/* N s: of the last step on each body. */
static void read_impulses(const heap* s, double impulse[MOST][3]) {
    static taut_contact_pair pairs[ROOM];
    size_t count = 0, lost = 7;
    memset(impulse, 0, MOST * sizeof *impulse);
    CHECK_OK(taut_world_read_pairs(s->world, ROOM, pairs, &count, &lost));
    CHECK_INT(lost, 0);
    for (size_t i = 0; i < count; i++) {
        const int first = number_of(s, pairs[i].first, pairs[i].first_number),
                  second = number_of(s, pairs[i].second, pairs[i].second_number);
        if (first >= 0) {
            phys_add(1, pairs[i].impulse, impulse[first]);
        }
        if (second >= 0) {
            phys_add(-1, pairs[i].impulse, impulse[second]);
        }
    }
}

/* m/s: what impulses and gravity leave of the changes of velocity in a step, at most. */
static double unexplained(heap* s, double h) {
    double impulse[MOST][3], most = 0;
    read_impulses(s, impulse);
    for (int i = 0; i < s->bodies; i++) {
        double v[3];
        phys_velocity(s->world, s->body[i].point, v);
        for (int a = 0; a < 3; a++) {
            const double change = impulse[i][a] - (a == 1 ? PHYS_GRAVITY * h : 0);
            most = fmax(most, fabs(v[a] - s->v[i][a] - change));
            s->v[i][a] = v[a];
        }
    }
    return most;
}

/* After n steps of h by implicit Euler it has fallen by g h^2 n (n + 1)/2. Returns how many parts the guard made. */
static uint32_t check_heap(int others, double restitution, double h, int steps) {
    heap s = make_heap(others, restitution);
    uint32_t parts = 0;
    for (int n = 1; n <= steps; n++) {
        taut_step_info info;
        double x[3], v[3];
        CHECK_OK(taut_world_step(s.world, h));
        CHECK_OK(taut_world_info(s.world, &info));
        parts += info.subdivided;
        phys_position(s.world, s.body[others].point, x);
        phys_velocity(s.world, s.body[others].point, v);
        test_note("%d others, restitution %g, step %d of %g s", others, restitution, n, h);
        CHECK_NEAR(v[1], -PHYS_GRAVITY * h * n, 1e-5);
        CHECK_NEAR(x[1], 100 - PHYS_GRAVITY * h * h * n * (n + 1) / 2, 1e-5);
        CHECK_NEAR(unexplained(&s, h), 0, 1e-5);
    }
    test_note(NULL);
    taut_world_destroy(s.world);
    return parts;
}

TAUT_PLAIN_TEST(contact_flight, goes_on_beside_impacts) {
    const uint32_t parts = check_heap(40, 0.7, 1.0 / 60, 90) + check_heap(20, 1, 1.0 / 60, 60);
    CHECK(parts > 0); /* the guard has had to */
    check_heap(20, 0, 1.0 / 60, 60);
    check_heap(20, 0.5, 1.0 / 24, 24);
}
