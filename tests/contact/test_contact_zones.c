/* Times at which moving parts meet, against many samples of their paths; and motions of impact zones. */
#define TAUT_REAL double
#include "kernels/stages/contact/zones.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>
#include <string.h>

static moving_pair random_pair(random_state* r, double way) {
    moving_pair pair = {.own = random_in(r, 0, 1) < 0.5 ? 1 : 2};
    pair.segment = pair.own == 1 && random_in(r, 0, 1) < 0.2;
    random_fill(r, -1, 1, 12, pair.from[0]);
    random_fill(r, -way, way, 12, pair.way[0]);
    return pair;
}

/* Never late, and early only where little is left. */
TAUT_PLAIN_TEST(contact_zones, times_of_meeting) {
    const double thickness = 0.02;
    random_state r = {3};
    int met = 0;
    for (int i = 0; i < 4000; i++) {
        const moving_pair pair = random_pair(&r, i % 2 == 0 ? 1 : 3);
        const double solid = i % 5 == 0 ? 0.1 : 0;
        double weight[4], d[3], least = INFINITY, first = 2;
        const double start = pair_at(&pair, 0, weight, d);
        const meeting_bound bound = bound_of_meeting(start, solid, thickness);
        const double time = time_of_meeting(&pair, solid, thickness);
        for (int k = 0; k <= 2000; k++) {
            const double distance = pair_at(&pair, k / 2000.0, weight, d);
            least = fmin(least, distance);
            first = distance <= bound.sure && first > 1 ? k / 2000.0 : first;
        }
        test_note("pair %d: met at %g, of samples at %g, least %g from %g", i, time, first, least, start);
        CHECK(time <= first);
        CHECK(time > 1 || pair_at(&pair, time, weight, d) <= 1.001 * bound.floor);
        CHECK(time <= 1 || least > bound.sure);
        met += time <= 1;
    }
    test_note(NULL);
    CHECK(met > 200);
}

/* What moves together comes no nearer, however far. */
TAUT_PLAIN_TEST(contact_zones, no_meeting_of_what_moves_together) {
    random_state r = {5};
    for (int i = 0; i < 100; i++) {
        moving_pair pair = random_pair(&r, 1);
        for (int k = 0; k < 12; k++) {
            pair.way[k / 3][k % 3] = 1000;
        }
        CHECK(time_of_meeting(&pair, 0, 0.02) > 1);
    }
}

/* ---- zones ------------------------------------------------------------------------------------------------------- */

#define NODES 8
#define STEP  0.01

typedef struct zone_scene {
    taut_sizes sizes;
    taut_fields fields;
    double x[3 * NODES], kept_x[3 * NODES], v[3 * NODES], kept_v[3 * NODES], dv[3 * NODES], mass[NODES];
    double scratch[TAUT_ZONE_SUMS * NODES], carried[3 * NODES];
    float x_f32[3 * NODES], inverse_mass[NODES];
    uint32_t zone[NODES + 1], led[NODES + 1];
} zone_scene;

static void make_scene(zone_scene* z, random_state* r) {
    memset(z, 0, sizeof *z);
    z->sizes.nodes = z->sizes.simple = z->sizes.points = NODES;
    taut_fields* f = &z->fields;
    f->x = z->x, f->kept_x = z->kept_x, f->v = z->v, f->kept_v = z->kept_v, f->dv = z->dv, f->mass = z->mass;
    f->node_scratch = z->scratch, f->x_f32 = z->x_f32, f->inverse_mass = z->inverse_mass, f->zone = z->zone;
    f->zone_carried = z->carried, f->zone_led = z->led;
    random_fill(r, -1, 1, 3 * NODES, z->kept_x);
    random_fill(r, -0.1, 0.1, 3 * NODES, z->v);
    for (size_t n = 0; n < NODES; n++) {
        z->mass[n] = random_in(r, 0.5, 2);
        z->inverse_mass[n] = (float)(1 / z->mass[n]);
        z->zone[n] = TAUT_NO_NODE;
        for (size_t a = 3 * n; a < 3 * n + 3; a++) {
            z->kept_v[a] = z->v[a];
            z->x[a] = z->kept_x[a] + STEP * z->v[a];
        }
    }
    z->zone[NODES] = TAUT_NO_NODE;
}

static void move(zone_scene* z) {
    const taut_fields* f = &z->fields;
    for (size_t n = 0; n < NODES; n++) {
        in_zone(f, &z->sizes, n) ? zone_add_mass(f, &z->sizes, n) : (void)0;
    }
    for (size_t n = 0; n < NODES; n++) {
        in_zone(f, &z->sizes, n) ? zone_add_way(f, &z->sizes, n) : (void)0;
    }
    for (size_t n = 0; n < NODES; n++) {
        z->zone[n] == n ? zone_centre(z->scratch + TAUT_ZONE_SUMS * n) : (void)0;
    }
    for (size_t n = 0; n < NODES; n++) {
        in_zone(f, &z->sizes, n) ? zone_add_turn(f, &z->sizes, n) : (void)0;
    }
    for (size_t n = 0; n < NODES; n++) {
        z->zone[n] == n ? zone_turn(z->scratch + TAUT_ZONE_SUMS * n) : (void)0;
    }
    for (size_t n = 0; n < NODES; n++) {
        in_zone(f, &z->sizes, n) ? zone_move(f, &z->sizes, n, STEP) : (void)0;
    }
}

/* Momentum, angular momentum about the origin at the start, and twice the kinetic energy. */
static void sums_of(const zone_scene* z, double out[7]) {
    memset(out, 0, 7 * sizeof *out);
    for (size_t n = 0; n < NODES; n++) {
        double moment[3];
        const double* v = z->v + 3 * n;
        vec3_cross(z->kept_x + 3 * n, v, moment);
        for (int a = 0; a < 3; a++) {
            out[a] += z->mass[n] * v[a];
            out[3 + a] += z->mass[n] * moment[a];
            out[6] += z->mass[n] * v[a] * v[a];
        }
    }
}

static double apart(const double* x, size_t a, size_t b) {
    double d[3];
    vec3_sub(x + 3 * a, x + 3 * b, d);
    return sqrt(vec3_dot(d, d));
}

TAUT_PLAIN_TEST(contact_zones, momentum_kept_and_no_energy_gained) {
    random_state r = {11};
    for (int i = 0; i < 50; i++) {
        zone_scene z;
        double before[7], after[7];
        make_scene(&z, &r);
        for (uint32_t n = 1; n < 5; n++) { /* two zones: of five nodes, and of two */
            CHECK(zone_join(z.zone, n, n - 1));
            CHECK(!zone_join(z.zone, n, 0));
        }
        zone_join(z.zone, 6, 7);
        sums_of(&z, before);
        move(&z);
        sums_of(&z, after);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(after[k], before[k], k < 3 ? 1e-12 : 2e-3); /* turns of 1e-3 */
        }
        CHECK(after[6] <= before[6]);
        for (size_t n = 1; n < 5; n++) {
            CHECK_NEAR(apart(z.x, n, 0), apart(z.kept_x, n, 0), 1e-12);
        }
        CHECK_NEAR(apart(z.x, 6, 7), apart(z.kept_x, 6, 7), 1e-12);
        CHECK(memcmp(z.v + 15, z.kept_v + 15, 3 * sizeof(double)) == 0); /* the one in none */
    }
}

/* Where a fixed node takes part it leads; where the world does, all rests. */
TAUT_PLAIN_TEST(contact_zones, fixed_nodes_lead) {
    random_state r = {13};
    zone_scene z;
    make_scene(&z, &r);
    z.inverse_mass[2] = 0;
    const double goal = z.x[6];
    zone_join(z.zone, 2, 3);
    move(&z);
    CHECK(z.x[6] == goal);
    CHECK_NEAR(apart(z.x, 2, 3), apart(z.kept_x, 2, 3), 1e-6);
    make_scene(&z, &r);
    zone_join(z.zone, 4, world_zone(&z.sizes));
    move(&z);
    CHECK(memcmp(z.x + 12, z.kept_x + 12, 3 * sizeof(double)) == 0);
    CHECK_NEAR(fabs(z.v[12]) + fabs(z.v[13]) + fabs(z.v[14]), 0, 1e-12);
}
