/* One mass on one spring along its line, against the recurrence of the theta method; and chains. In units of h, with
 * z = h^2 w/C and the damping time delta h:
 *
 *   dv = -m (x + (alpha + delta) v),   m = z/(1 + z alpha (beta + delta))     m = 1/(alpha (beta + delta)) for C = 0
 *   x' = x + v + beta dv,   v' = v + dv
 *   delta = max(0, 1 - 1/z)
 *
 * The behaviour is continuous in C from 0 upwards, and a violation e never becomes a speed above 4/3 e/h. */
#include "phys_frames.h"
#include "phys_scenes.h"
#include "unguarded.h"

#include <math.h>

#define STEP     0.01
#define MASS     2.0
#define LEFT     1e-3 /* m: the violation */
#define STEPS    60
#define FASTEST  (4.0 / 3)
#define ALPHAS   5
#define SOFTNESS 13

static const double alphas[ALPHAS] = {0.5, 0.55, 0.65, 0.8, 1};
static const double compliances[SOFTNESS] = {0,    1e-14, 1e-12, 1e-9,   1e-7, 1e-6, 1e-5,
                                             2e-5, 4e-5,  5e-5,  5.1e-5, 1e-4, 1e-2};

static taut_world_def stiff_world(taut_backend_kind backend, double alpha) {
    taut_world_def def = unguarded_world();
    def.backend = backend;
    def.integrator.alpha = def.integrator.beta = alpha;
    def.integrator.hard_row_damping = 1;
    def.solver.tolerance = 1e-12;
    return def;
}

static taut_world* stretched(taut_backend_kind backend, double alpha, double compliance) {
    const double points[6] = {0, 0, 0, 1 + LEFT, 0, 0};
    taut_scene* scene = phys_scene(2, points, (const double[]){1, MASS});
    phys_fix(scene, 1, (const uint32_t[]){0});
    taut_distance_def link = taut_default_distance();
    link.count = 1;
    link.particles = (const uint32_t[]){0, 1};
    link.rest_lengths = (const double[]){1};
    link.compliance = compliance;
    CHECK_OK(taut_scene_add_distances(scene, &link, NULL));
    taut_world_def def = stiff_world(backend, alpha);
    def.gravity[1] = 0;
    return phys_world(scene, &def);
}

typedef struct row_state {
    double x, v; /* m; m per step */
} row_state;

static row_state recurrence(row_state s, double alpha, double compliance) {
    const double resolved = compliance * MASS / (STEP * STEP), delta = resolved < 1 ? 1 - resolved : 0;
    const double m = 1 / (resolved + alpha * (alpha + delta)), dv = -m * (s.x + (alpha + delta) * s.v);
    return (row_state){s.x + s.v + alpha * dv, s.v + dv};
}

static void check_row(taut_backend_kind backend, double alpha, double compliance) {
    taut_world* world = stretched(backend, alpha, compliance);
    row_state s = {LEFT, 0};
    double fastest = 0, apart = 0;
    for (int i = 0; i < STEPS; i++) {
        double x[3], v[3];
        CHECK_OK(taut_world_step(world, STEP));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 1, 1, x));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 1, 1, v));
        s = recurrence(s, alpha, compliance);
        apart = fmax(apart, fmax(fabs(x[0] - 1 - s.x), fabs(v[0] * STEP - s.v)));
        fastest = fmax(fastest, fabs(v[0]) * STEP / LEFT);
    }
    test_note("alpha %g, compliance %g: fastest %.6f, off the recurrence %.2g", alpha, compliance, fastest,
              apart / LEFT);
    CHECK(apart < 1e-5 * LEFT);
    CHECK(fastest <= FASTEST * (1 + 1e-5));
    taut_world_destroy(world);
}

TAUT_TEST(stiff_rows, follow_the_recurrence) {
    for (int a = 0; a < ALPHAS; a++) {
        for (int c = 0; c < SOFTNESS; c++) {
            check_row(backend, alphas[a], compliances[c]);
        }
    }
}

/* A chain that falls from the side; where its end is after 40 steps. */
static void chain_end(taut_backend_kind backend, double alpha, double compliance, bool guard, double x[3]) {
    taut_batch links;
    taut_scene* scene =
        phys_chain(4, (const double[]){0, 0, 0}, (const double[]){2, 0.5, 0.3}, NULL, compliance, &links);
    taut_world_def def = stiff_world(backend, alpha);
    def.integrator.guard = guard;
    taut_world* world = phys_world(scene, &def);
    phys_run(world, 40, STEP);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 4, 1, x));
    taut_world_destroy(world);
}

/* Compliances that bend nothing visible give the motion of the hard chain, with and without the guard. The chain
 * carries up to 100 N and moves by a few metres a second, so a compliance moves it by some 1000 N of it at most. */
TAUT_TEST(stiff_rows, chains_are_continuous) {
    for (int i = 0; i < 2 * ALPHAS; i++) {
        double hard[3], x[3];
        chain_end(backend, alphas[i % ALPHAS], 0, i < ALPHAS, hard);
        for (int c = 1; compliances[c] <= 1e-7; c++) {
            chain_end(backend, alphas[i % ALPHAS], compliances[c], i < ALPHAS, x);
            test_note("alpha %g, compliance %g: %.3g m apart", alphas[i % ALPHAS], compliances[c],
                      phys_farthest(x, hard, 3));
            CHECK(phys_farthest(x, hard, 3) < 1e-6 + 1000 * compliances[c]);
        }
    }
}
