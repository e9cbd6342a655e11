/* Hard constraints that do not hold when they come: with e violated by them, two ends meet as
 *
 *   phi(t) = e s(u),   s(u) = u^2 (3 - 2 u),   u = max(0, 1 - t/T)
 *
 * with the speed 3/2 e/T at most, whatever the time step and the masses, and rest then. With alpha < 1 velocities go to
 * and fro about those of the motion, by what its acceleration, 6 e/T^2 at most, makes in a step. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>

#define CLOSING 0.3
#define GAP     0.64
#define KINDS   3

static const int rates[] = {5, 24, 60, 240, 1000};
static const double masses[] = {1e-3, 1, 1000};

static double open_part(double t) {
    const double left = fmax(0, 1 - t / CLOSING);
    return left * left * (3 - 2 * left);
}

typedef enum closing { ATTACHED, LINKED, TARGETED } closing;

/* A particle of 1 kg at the origin and one of `mass`, which it is to meet. */
static taut_scene* apart(closing how, double mass, double compliance) {
    const double points[6] = {0, 0, 0, GAP + (how == LINKED), 0, 0};
    taut_scene* scene = phys_scene(2, points, (const double[]){1, mass});
    if (how == ATTACHED) {
        taut_attachment_def def = taut_default_attachment();
        def.count = 1;
        def.particles = (const uint32_t[]){0, 1};
        def.compliance = compliance;
        CHECK_OK(taut_scene_add_attachments(scene, &def, NULL));
    } else if (how == LINKED) {
        taut_distance_def def = taut_default_distance();
        def.count = 1;
        def.particles = (const uint32_t[]){0, 1};
        def.rest_lengths = (const double[]){1};
        def.compliance = compliance;
        CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
    } else {
        taut_target_def def = taut_default_target();
        def.count = 1;
        def.particles = (const uint32_t[]){1};
        def.targets = (const double[]){0, 0, 0};
        def.compliance = compliance;
        CHECK_OK(taut_scene_add_targets(scene, &def, NULL));
    }
    return scene;
}

static double apart_now(taut_world* world, closing how) {
    double a[3], b[3];
    phys_position(world, 0, a);
    phys_position(world, 1, b);
    return b[0] - (how == TARGETED ? 0 : a[0]) - (how == LINKED);
}

static void check_closes(taut_backend_kind backend, closing how, double mass, int rate, double alpha, double softness) {
    const double h = 1.0 / rate;
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.gravity[1] = 0;
    def.integrator.hard_row_damping = alpha < 1;
    taut_world* world = phys_world(apart(how, mass, softness * h * h), &def);
    taut_step_info info = {0};
    const double swings = alpha < 1 ? 6 * GAP * h / (CLOSING * CLOSING) : 1e-4;
    double off = 0;
    for (int i = 1; i * h < CLOSING + 5 * h; i++) {
        phys_run(world, 1, h);
        CHECK_OK(taut_world_info(world, &info));
        off = fmax(off, fabs(apart_now(world, how) - GAP * open_part(i * h)));
    }
    test_note("kind %d, mass %g, %d Hz, alpha %g, compliance %g h^2: off by %.2g m, left %.2g m, %.2g J", (int)how,
              mass, rate, alpha, softness, off, apart_now(world, how), info.kinetic);
    CHECK(off < 1e-6 + 100 * GAP * softness); /* what is left of it for the spring: kernels/stages/misfit.h */
    CHECK(info.kinetic < fmax(1, mass) / 2 * swings * swings);
    taut_world_destroy(world);
}

TAUT_TEST(misfits, close_in_their_time) {
    for (int how = 0; how < KINDS; how++) {
        for (int r = 0; r < 5; r++) {
            for (int m = 0; m < 3; m++) {
                check_closes(backend, (closing)how, masses[m], rates[r], 1, 0);
                check_closes(backend, (closing)how, masses[m], rates[r], 0.65, 0);
                check_closes(backend, (closing)how, masses[m], rates[r], 0.5, 0);
            }
        }
    }
}

/* What is as good as hard closes as what is hard. */
TAUT_TEST(misfits, are_continuous_in_the_compliance) {
    for (int r = 1; r < 4; r++) {
        check_closes(backend, ATTACHED, 1, rates[r], 1, 1e-18);
        check_closes(backend, LINKED, 1, rates[r], 1, 1e-17);
    }
}

/* The tension of a stiff cable between two walls is there from the first step on. */
TAUT_TEST(misfits, leave_cables_their_tension) {
    const double compliance = 1e-6, stretch = 0.01;
    taut_scene* scene =
        phys_scene(3, (const double[]){0, 0, 0, 0.5, 0, 0, 1, 0, 0}, (const double[]){0.01, 0.01, 0.01});
    phys_fix(scene, 2, (const uint32_t[]){0, 2});
    taut_distance_def def = taut_default_distance();
    taut_batch batch;
    def.count = 2;
    def.particles = (const uint32_t[]){0, 1, 1, 2};
    def.rest_lengths = (const double[]){0.5 - stretch, 0.5 - stretch};
    def.compliance = compliance;
    CHECK_OK(taut_scene_add_distances(scene, &def, &batch));
    const taut_world_def world_def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(scene, &world_def);
    CHECK(phys_run(world, 1, 1.0 / 60));
    for (size_t row = 0; row < 2; row++) {
        CHECK_NEAR(phys_multiplier(world, batch, row), -stretch / compliance, 0.01 * stretch / compliance);
    }
    taut_world_destroy(world);
}

/* A pinned chain of four particles, the last of which is attached to a body 0.64 m away, in gravity. */
static taut_scene* chain_and_body(void) {
    const double points[12] = {0, 1, 0, 0.1, 1, 0, 0.2, 1, 0, 0.3, 1, 0};
    taut_scene* scene = phys_scene(4, points, (const double[]){0.1, 0.1, 0.1, 0.1});
    phys_fix(scene, 1, (const uint32_t[]){0});
    phys_add_links(scene, &(phys_tuples){3, (uint32_t[]){0, 1, 1, 2, 2, 3}}, 0, 0);
    const phys_body body = {.mass = 1, .inertia = {0.0067, 0.0067, 0.0067}, .x = {0.661, 0.473, 0}, .q = {1, 0, 0, 0}};
    const taut_body handle = phys_add_body(scene, &body);
    taut_attachment_def def = taut_default_attachment();
    def.count = 1;
    def.particles = (const uint32_t[]){3, handle.point};
    CHECK_OK(taut_scene_add_attachments(scene, &def, NULL));
    return scene;
}

static double mechanical(const taut_step_info* info) {
    return info->kinetic + info->potential + info->elastic;
}

/* What is there at the end beyond the start is the work that closed the gap. */
TAUT_TEST(misfits, give_what_their_drives_do) {
    for (int r = 1; r < 4; r++) {
        for (int a = 0; a < 2; a++) {
            const double alpha = a == 0 ? 1 : 0.65;
            taut_world_def def = phys_world_def(backend, alpha, alpha);
            def.integrator.hard_row_damping = alpha < 1;
            taut_world* world = phys_world(chain_and_body(), &def);
            taut_step_info info;
            CHECK_OK(taut_world_info(world, &info));
            const double start = mechanical(&info);
            double work = 0, fastest = 0, gained = 0;
            for (int i = 0; i < rates[r]; i++) {
                phys_run(world, 1, 1.0 / rates[r]);
                CHECK_OK(taut_world_info(world, &info));
                work += info.work_drives;
                fastest = fmax(fastest, info.kinetic);
                gained = fmax(gained, mechanical(&info) - start - work);
            }
            test_note("%d Hz, alpha %g: %.3g J at most, work %.3g J, %.2g J beyond it", rates[r], alpha, fastest, work,
                      gained);
            CHECK(gained < 0.5);
            CHECK(work < 25);
            CHECK(fastest < 20);
            taut_world_destroy(world);
        }
    }
}

/* What is added to a world that runs closes likewise, also where the motion goes on from a saved state. */
TAUT_TEST(misfits, of_what_is_added) {
    const double h = 1.0 / 60;
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.gravity[1] = 0;
    def.reserve.attachments = 1;
    const double points[6] = {0, 0, 0, GAP, 0, 0};
    taut_world* world = phys_world(phys_scene(2, points, NULL), &def);
    phys_run(world, 10, h);
    taut_attachment_def ends = taut_default_attachment();
    ends.count = 1;
    ends.particles = (const uint32_t[]){0, 1};
    taut_added added;
    CHECK_OK(taut_world_add_attachments(world, &ends, &added));
    for (int i = 1; i <= 25; i++) {
        if (i == 7) {
            size_t bytes = 0;
            CHECK_OK(taut_world_state_size(world, &bytes));
            void* block = phys_array(bytes, 1);
            CHECK_OK(taut_world_save(world, bytes, block, &bytes));
            phys_run(world, 5, h);
            CHECK_OK(taut_world_load(world, block, bytes));
            free(block);
        }
        phys_run(world, 1, h);
        test_note("step %d", i);
        CHECK_NEAR(apart_now(world, ATTACHED), GAP * open_part(i * h), 1e-5);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

/* What a force of limited size, or a damper, closes has its own law. */
TAUT_TEST(misfits, leave_laws_alone) {
    const double h = 1.0 / 60, d = 0.1;
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.gravity[1] = 0;
    taut_scene* scene = phys_scene(2, (const double[]){0, 0, 0, GAP, 0, 0}, NULL);
    taut_attachment_def ends = taut_default_attachment();
    ends.count = 1;
    ends.particles = (const uint32_t[]){0, 1};
    ends.damping = d;
    CHECK_OK(taut_scene_add_attachments(scene, &ends, NULL));
    taut_world* world = phys_world(scene, &def);
    for (int i = 1; i <= 30; i++) {
        phys_run(world, 1, h);
        CHECK_NEAR(apart_now(world, ATTACHED), GAP * pow(1 + h / d, -i), 1e-5);
    }
    taut_world_destroy(world);
}
