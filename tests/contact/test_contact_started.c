/* What rests under friction and is set sliding within a substep: it stays on the ground, and friction is mu times what
 * the ground bears. */
#include "contact_scenes.h"

#include <math.h>

#define HALF 0.1 /* m, of all boxes */
/* Of a hop that is left as it is: contact/sliding.h leaves a tenth of half of the thickness, r^2/(2 g), to which a
 * step adds r h/2. */
#define UNSEEN (0.15 * HALF)
#define DEEP   (0.03 * HALF)

typedef struct started {
    taut_scene* scene;
    taut_world* world;
    uint32_t material;
    taut_body box;
    double most, least; /* m: how high the box has come over its place, and how deep */
} started;

static taut_body add_box(const started* s, const phys_body* at, const double half[3]) {
    phys_body body = *at;
    const double sides[3] = {2 * half[0], 2 * half[1], 2 * half[2]};
    taut_inertia_of_box(body.mass, sides, body.inertia);
    const taut_body handle = phys_add_body(s->scene, &body);
    contact_shape(s->scene, TAUT_SHAPE_BOX, half, handle, NULL, NULL, s->material);
    return handle;
}

/* A box of 1 kg that rests on y = 0. */
static started begin_scene(double friction) {
    const double half[3] = {HALF, HALF, HALF};
    const phys_body at = contact_at(0, HALF, 0);
    started s = {.scene = phys_empty_scene()};
    s.material = contact_material(s.scene, friction, 0);
    s.box = add_box(&s, &at, half);
    return s;
}

static void begin_world(started* s, taut_backend_kind backend, uint32_t substeps) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.integrator.substeps = substeps;
    s->world = phys_world(s->scene, &def);
}

static void step(started* s, double h) {
    double x[3];
    contact_step(s->world, h, NULL);
    phys_position(s->world, s->box.point, x);
    s->most = fmax(s->most, x[1] - HALF);
    s->least = fmin(s->least, x[1] - HALF);
}

static void end(started* s) {
    CHECK(s->most < UNSEEN);
    CHECK(s->least > -DEEP);
    taut_world_destroy(s->world);
}

/* ---- a platform that starts -------------------------------------------------------------------------------------- */

/* It has the speed V from one frame to the next. The box slides back on it until it has that, with mu g, but for what
 * friction does in a hop that is left as it is. */
static void check_platform(taut_backend_kind backend, double friction, double speed, double fps, uint32_t substeps) {
    const double wide[3] = {20, HALF, 2}, h = 1 / fps, brake = friction * PHYS_GRAVITY;
    phys_body under = contact_at(0, -HALF, 0);
    const double off = 0.02 * speed + friction * sqrt(2 * PHYS_GRAVITY * UNSEEN);
    double at[3] = {0, -HALF, 0}, v[3];
    started s = begin_scene(friction);
    under.fixed = true;
    const taut_body platform = add_box(&s, &under, wide);
    begin_world(&s, backend, substeps);
    test_note("%g m/s, friction %g, %g frames of %u substeps", speed, friction, fps, substeps);
    for (int i = 0; i < 12; i++) {
        at[0] += i < 2 ? 0 : speed * h;
        CHECK_OK(taut_world_move_fixed(s.world, 1, &platform.point, at));
        step(&s, h);
        phys_velocity(s.world, s.box.point, v);
        const double carried = i < 2 ? 0 : fmin(speed, brake * (i - 1) * h);
        CHECK_NEAR(v[0], carried, off);
    }
    end(&s);
    test_note(NULL);
}

TAUT_TEST(contact_started, platform) {
    static const double speeds[] = {1, 5}, friction[] = {0.5, 0.2}, fps[] = {24, 60};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 16); i++) {
        check_platform(backend, friction[i / 2 % 2], speeds[i % 2], fps[i / 4 % 2], i < 8 ? 1 : 4);
    }
}

/* ---- a stack on it ----------------------------------------------------------------------------------------------- */

/* How high the lowest corner of a box is, m. */
static double lowest_corner(const phys_body* body, const double half[3]) {
    double least = INFINITY;
    for (int i = 0; i < 8; i++) {
        const double corner[3] = {i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]};
        double at[3];
        phys_point_of(body, corner, at);
        least = fmin(least, at[1]);
    }
    return least;
}

/* Five boxes tip as one, which raises their centres: by 36 to 39 mm in the first frame of 24 a second, in the limit of
 * short steps. No contact opens by so much that one would see it hop, and yet friction throws the stack up, by 0.1 m in
 * that frame, where it is left as the convex law has it. */
TAUT_TEST(contact_started, stack_on_a_platform) {
    const double wide[3] = {20, HALF, 20}, half[3] = {2 * HALF, HALF, 2 * HALF}, speed = 8, h = 1.0 / 24;
    phys_body under = contact_at(0, -HALF, 0), body;
    taut_body boxes[5];
    double at[3] = {0, -HALF, 0};
    started s = {.scene = phys_empty_scene()};
    s.material = contact_material(s.scene, 1, 0);
    under.fixed = true;
    const taut_body platform = add_box(&s, &under, wide);
    for (int i = 0; i < 5; i++) {
        phys_body box = contact_at(0, (1 + 2 * i) * HALF, 0);
        box.mass = 160;
        boxes[i] = add_box(&s, &box, half);
    }
    begin_world(&s, backend, 1);
    for (int step = 0; step < 9; step++) {
        at[0] += step < 7 ? 0 : speed * h;
        CHECK_OK(taut_world_move_fixed(s.world, 1, &platform.point, at));
        contact_step(s.world, h, NULL);
        body = (phys_body){.mass = 160};
        phys_read_body(s.world, boxes[0], &body);
        test_note("step %d", step);
        CHECK(lowest_corner(&body, half) < (step < 7 ? 1e-3 : UNSEEN));
        CHECK(body.x[1] - HALF < (step < 7 ? 1e-3 : 0.05 * (step - 6)));
    }
    test_note(NULL);
    taut_world_destroy(s.world);
}

/* ---- a rope that pulls ------------------------------------------------------------------------------------------- */

static void check_pull(taut_backend_kind backend, double friction, double speed, double h) {
    const double mass = 1;
    double at[3] = {1, HALF, 0};
    uint32_t pair[2];
    taut_particles_def particles = taut_default_particles();
    taut_distance_def rope = taut_default_distance();
    taut_range end_of_rope = {0, 0};
    taut_batch batch;
    started s = begin_scene(friction);
    contact_ground(s.scene, s.material);
    particles.count = rope.count = 1;
    particles.positions = at;
    particles.masses = &mass;
    CHECK_OK(taut_scene_add_particles(s.scene, &particles, &end_of_rope));
    pair[0] = end_of_rope.first;
    pair[1] = s.box.point;
    rope.particles = pair;
    CHECK_OK(taut_scene_set_fixed(s.scene, 1, pair, true));
    CHECK_OK(taut_scene_add_distances(s.scene, &rope, &batch));
    begin_world(&s, backend, 1);
    test_note("%g m/s, friction %g, steps of %g s", speed, friction, h);
    for (int i = 0; i < 12; i++) {
        at[0] += i < 2 ? 0 : speed * h;
        CHECK_OK(taut_world_move_fixed(s.world, 1, pair, at));
        step(&s, h);
    }
    end(&s);
    test_note(NULL);
}

TAUT_TEST(contact_started, pulled) {
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 4); i++) {
        check_pull(backend, i % 2 == 0 ? 0.5 : 0.2, i < 2 ? 5 : 1, 1.0 / 60);
    }
}

/* ---- a blow ------------------------------------------------------------------------------------------------------ */

/* A box ten times as heavy slides into it. */
static void check_blow(double friction, double speed, double fps, uint32_t substeps) {
    const double half[3] = {HALF, HALF, HALF};
    phys_body heavy = contact_at(-2 * HALF - 0.1 * speed, HALF, 0);
    started s = begin_scene(friction);
    double v[3];
    contact_ground(s.scene, s.material);
    heavy.mass = 10;
    heavy.v[0] = speed;
    add_box(&s, &heavy, half);
    begin_world(&s, TAUT_BACKEND_CPU, substeps);
    test_note("%g m/s, friction %g, %g frames of %u substeps", speed, friction, fps, substeps);
    for (int i = 0; i < 0.5 * fps; i++) {
        step(&s, 1 / fps);
    }
    phys_velocity(s.world, s.box.point, v);
    CHECK(v[0] > 0.2 * speed);
    end(&s);
    test_note(NULL);
}

TAUT_PLAIN_TEST(contact_started, hit_by_a_heavy_box) {
    static const double speeds[] = {5, 20}, friction[] = {0.2, 0.5}, fps[] = {24, 60};
    for (int i = 0; i < 8; i++) {
        check_blow(friction[i / 4], speeds[i % 2], fps[i / 2 % 2], 1);
    }
}
