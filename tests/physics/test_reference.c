/* Rest shapes of ropes against other people's numbers: the elastica, MoorPy's elastic catenaries, a spring of SOFA.
 * The files of shared/data may be absent; one value of each kind is computed here. */
#include "phys_data.h"
#include "phys_exact.h"
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the elastica --------------------------------------------------------------------------------------------- */

/* 3 rows (1, -2, 1)/l per joint: the turn vector, magnitude 2 sin(turn/2). Compliance l/(E I), E I = 1; half of it at
 * the clamp, where half a segment bends. */
static void add_turn_rows(taut_scene* scene, size_t joints, double l) {
    size_t* offsets = phys_array(3 * joints + 1, sizeof *offsets);
    uint32_t* coordinates = phys_array(9 * joints, sizeof *coordinates);
    double* weights = phys_array(9 * joints, sizeof *weights);
    double* compliances = phys_array(3 * joints, sizeof *compliances);
    for (size_t row = 0; row < 3 * joints; row++) {
        for (size_t k = 0; k < 3; k++) {
            coordinates[3 * row + k] = (uint32_t)(row + 3 * k);
            weights[3 * row + k] = (k == 1 ? -2 : 1) / l;
        }
        compliances[row] = row < 3 ? l / 2 : l;
        offsets[row + 1] = 3 * row + 3;
    }
    taut_linear_def def = taut_default_linear();
    def.count = 3 * joints;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.compliances = compliances;
    CHECK_OK(taut_scene_add_linear(scene, &def, NULL));
    free(offsets);
    free(coordinates);
    free(weights);
    free(compliances);
}

/* A rope of length 1 from the origin along x, and one segment more behind the clamp. */
static phys_elastica simulated_elastica(taut_backend_kind backend, double load, size_t segments) {
    const double l = 1 / (double)segments, from[3] = {-l, 0, 0}, to[3] = {1, 0, 0};
    double* masses = phys_array(segments + 2, sizeof *masses);
    for (size_t i = 0; i < segments + 2; i++) {
        masses[i] = 0.1 * l;
    }
    taut_batch links;
    taut_scene* scene = phys_chain(segments + 1, from, to, masses, 0, &links);
    phys_fix(scene, 1, (const uint32_t[]){1});
    add_turn_rows(scene, segments, l);
    taut_world_def def = phys_world_def(backend, 1, 1);
    memset(def.gravity, 0, sizeof def.gravity);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_set_forces(world, segments + 1, 1, (const double[]){0, -load, 0}));
    double x[3] = {NAN, NAN, NAN};
    if (phys_settle(world, 0.02, 0.2, 1e-6, 300)) {
        phys_position(world, segments + 1, x);
    }
    taut_world_destroy(world);
    free(masses);
    return (phys_elastica){-x[1], 1 - x[0]};
}

TAUT_PLAIN_TEST(reference, elastica_formula) {
    const phys_elastica small = phys_exact_elastica(1e-3); /* P L^3/(3 E I) */
    CHECK_NEAR(small.drop, 1e-3 / 3, 1e-9);
    char* text = phys_shared_text("reference/elastica_tip_load.json");
    if (text == NULL) {
        return;
    }
    const char* at = text;
    double load, drop, retreat;
    while (phys_next_number(&at, "PL2_over_EI", &load) && phys_next_number(&at, "drop_over_L", &drop) &&
           phys_next_number(&at, "retreat_over_L", &retreat)) {
        const phys_elastica exact = phys_exact_elastica(load);
        test_note("a = %g", load);
        CHECK_NEAR(exact.drop, drop, 2e-6);
        CHECK_NEAR(exact.retreat, retreat, 2e-6);
    }
    free(text);
}

TAUT_TEST(reference, rope_with_turn_rows_is_an_elastica) {
    const double loads[] = {0.4, 1.5, 5};
    for (int i = 0; i < 3; i++) {
        const phys_elastica exact = phys_exact_elastica(loads[i]);
        double drop[3], retreat[3];
        for (int k = 0; k < 3; k++) {
            test_note("a = %g, %d segments", loads[i], 8 << k);
            const phys_elastica found = simulated_elastica(backend, loads[i], (size_t)8 << k);
            drop[k] = fabs(found.drop - exact.drop);
            retreat[k] = fabs(found.retreat - exact.retreat);
        }
        test_note("a = %g: drop wrong by %.3g, %.3g, %.3g, retreat by %.3g, %.3g, %.3g", loads[i], drop[0], drop[1],
                  drop[2], retreat[0], retreat[1], retreat[2]);
        CHECK_NEAR(phys_order(drop[0], drop[1]), 2, 0.2);
        CHECK_NEAR(phys_order(drop[1], drop[2]), 2, 0.2);
        CHECK(drop[2] < 1e-3 && retreat[2] < 1e-3);
    }
}

/* ---- MoorPy's elastic catenaries ------------------------------------------------------------------------------ */

typedef struct mooring {
    double x, z;       /* end B from end A, m */
    double length;     /* m */
    double ea, weight; /* N, N/m */
    double force[4];   /* fAH, fAV, fBH, fBV: on the ends, N */
    double on_seabed;  /* m */
} mooring;

static bool next_mooring(const char** text, mooring* m) {
    static const char* const forces[4] = {"fAH", "fAV", "fBH", "fBV"};
    bool found = phys_next_number(text, "x", &m->x) && phys_next_number(text, "z", &m->z) &&
                 phys_next_number(text, "L", &m->length) && phys_next_number(text, "EA", &m->ea) &&
                 phys_next_number(text, "w", &m->weight);
    for (int i = 0; found && i < 4; i++) {
        found = phys_next_number(text, forces[i], &m->force[i]);
    }
    return found && phys_next_number(text, "LBot", &m->on_seabed);
}

/* `links` links of compliance l/EA, the weight in equal parts on their ends; a parabola of about the right length. */
static taut_world* make_mooring(taut_backend_kind backend, const mooring* m, size_t links, taut_batch* batch) {
    double* points = phys_array(3 * (links + 1), sizeof *points);
    double* masses = phys_array(links + 1, sizeof *masses);
    phys_tuples edges = {links, phys_array(2 * links, sizeof(uint32_t))};
    double* rest = phys_array(links, sizeof *rest);
    const double straight = hypot(m->x, m->z), slack = fmax(m->length - straight, 0);
    for (size_t i = 0; i <= links; i++) {
        const double t = (double)i / (double)links;
        points[3 * i] = m->x * t;
        points[3 * i + 1] = m->z * t - 4 * t * (1 - t) * sqrt(0.375 * straight * slack);
        masses[i] = m->weight * m->length / (double)links / PHYS_GRAVITY;
    }
    for (size_t i = 0; i < 2 * links; i++) {
        edges.items[i] = (uint32_t)((i + 1) / 2);
        rest[i / 2] = m->length / (double)links;
    }
    taut_distance_def def = taut_default_distance();
    def.count = links;
    def.particles = edges.items;
    def.rest_lengths = rest;
    def.compliance = m->length / (double)links / m->ea;
    taut_scene* scene = phys_scene(links + 1, points, masses);
    CHECK_OK(taut_scene_add_distances(scene, &def, batch));
    phys_fix(scene, 2, (const uint32_t[]){0, (uint32_t)links});
    free(points);
    free(masses);
    free(edges.items);
    free(rest);
    taut_world_def world_def = phys_world_def(backend, 1, 1);
    world_def.integrator.guard = false; /* on the way to rest, in steps of 20 s, it flings about as it likes */
    return phys_world(scene, &world_def);
}

/* Force of the line on its end `end`: the last link's tension and half a link's weight. */
static void end_force(taut_world* world, const mooring* m, size_t links, taut_batch batch, size_t end,
                      double force[2]) {
    double at[3], next[3];
    phys_position(world, end, at);
    phys_position(world, end == 0 ? 1 : links - 1, next);
    const double tension = -phys_multiplier(world, batch, end == 0 ? 0 : links - 1);
    const double length = hypot(next[0] - at[0], next[1] - at[1]);
    force[0] = tension * (next[0] - at[0]) / length;
    force[1] = tension * (next[1] - at[1]) / length - m->weight * m->length / (double)links / 2;
}

static void check_mooring(taut_backend_kind backend, const mooring* m) {
    const size_t links = 64;
    taut_batch batch;
    taut_world* world = make_mooring(backend, m, links, &batch);
    test_note("x %g, z %g, L %g, EA %g, w %g", m->x, m->z, m->length, m->ea, m->weight);
    /* The tension of a straight line hangs on c/h^2 alone, so that one may not be lost beside 1/m; taut lines swing
     * fast and need no long steps. */
    const bool taut = hypot(m->x, m->z) > 0.999 * m->length;
    if (phys_settle(world, taut ? 0.05 : 0.5, taut ? 0.1 : 20, 1e-5, 600)) {
        const double scale = hypot(m->force[2], m->force[3]);
        for (size_t end = 0; end < 2; end++) {
            double force[2];
            end_force(world, m, links, batch, end * links, force);
            CHECK_NEAR(force[0], m->force[2 * end], 1e-3 * scale);
            CHECK_NEAR(force[1], m->force[2 * end + 1], 1e-3 * scale);
        }
    }
    taut_world_destroy(world);
}

TAUT_TEST(reference, moorings) {
    char* text = phys_shared_text("reference/moorpy_elastic_catenary.json");
    if (text == NULL) {
        return;
    }
    const char* at = text;
    mooring m;
    int checked = 0;
    while (next_mooring(&at, &m)) {
        if (m.on_seabed == 0) {
            check_mooring(backend, &m);
            checked++;
        }
    }
    CHECK_INT(checked, 5);
    free(text);
}

/* ---- a spring of SOFA ----------------------------------------------------------------------------------------- */

/* m g/k below the rest length; the free end starts where the spring is slack. */
static void check_spring(taut_backend_kind backend, double compliance, double expected) {
    taut_batch link;
    const double top[3] = {0, 1, 0}, bottom[3] = {0, 0, 0};
    taut_scene* scene = phys_chain(1, top, bottom, NULL, compliance, &link);
    const taut_world_def def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(scene, &def);
    double x[3] = {NAN, NAN, NAN};
    if (phys_settle(world, 0.05, 0.1, 1e-8, 100)) {
        phys_position(world, 1, x);
    }
    CHECK_NEAR(x[1], expected, 1e-9);
    taut_world_destroy(world);
}

TAUT_TEST(reference, two_mass_spring) {
    check_spring(backend, 0.002, -0.01962);
    char* text = phys_shared_text("reference/sofa_two_mass_spring_static.json");
    if (text == NULL) {
        return;
    }
    const char *at = text, *again = text;
    double compliance = 0, zero = NAN;
    CHECK(phys_next_number(&at, "compliance", &compliance) && phys_next_number(&again, "expected_free", &zero));
    const double expected = strtod(again + strspn(again, ", \n"), NULL);
    CHECK_NEAR(zero, 0, 0);
    check_spring(backend, compliance, expected);
    free(text);
}
