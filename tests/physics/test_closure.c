/* Energy of scenes by the ledger: kinetic + potential + elastic + dissipated - work is what it was at the start, less
 * what the scheme takes (`numerical`), which is of one sign but for a small part; and no more is elastic than what was
 * put in. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>

#define STEP    (1.0 / 60)
#define DENSITY 0.2
#define GAINED  0.02 /* of what falls: gains of implicit Euler, */
#define CENTRED 0.06 /* and with alpha < 1, where hard rows swing to and fro from step to step */

typedef enum sheet_model { SPRINGS, MEMBRANE } sheet_model;

typedef struct closure_case {
    const char* name;
    sheet_model model;
    size_t cells;
    double compliance; /* m/N of springs, m/N of a membrane (1 over Young's modulus) */
    double damping;    /* s */
    double alpha;
    uint32_t newton;
    int steps;
} closure_case;

/* A square metre that hangs from two corners and starts level. */
static taut_world* make_sheet(taut_backend_kind backend, const closure_case* c) {
    phys_mesh mesh = phys_grid(c->cells, c->cells, 1, 1, PHYS_ALTERNATING);
    double* masses = phys_lumped_masses(&mesh, DENSITY);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    if (c->model == MEMBRANE) {
        phys_add_strain(scene, &mesh, c->compliance, 0.3, c->damping);
    } else {
        phys_tuples edges = phys_edges(&mesh);
        phys_add_links(scene, &edges, c->compliance, c->damping);
        free(edges.items);
    }
    phys_fix(scene, 2, (const uint32_t[]){0, (uint32_t)c->cells});
    taut_world_def def = phys_world_def(backend, c->alpha, c->alpha);
    def.gravity[1] = 0;
    def.gravity[2] = -PHYS_GRAVITY;
    def.integrator.hard_row_damping = c->alpha < 1;
    def.integrator.newton = c->newton;
    def.integrator.newton_tolerance = 1e-3;
    def.solver.tolerance = 1e-3;
    free(masses);
    phys_mesh_free(&mesh);
    return phys_world(scene, &def);
}

typedef struct closure {
    double sum;     /* kinetic + potential + elastic + dissipated + numerical - work */
    double elastic; /* most */
    double fallen;  /* most of what potential energy has given */
    double gained;  /* most of what the scheme has put in */
} closure;

static double held(const taut_step_info* info) {
    return info->kinetic + info->potential + info->elastic;
}

static void check_closure(taut_world* world, const char* name, double alpha, int steps) {
    taut_step_info info;
    closure c = {0};
    CHECK_OK(taut_world_info(world, &info));
    const double start = held(&info), high = info.potential;
    double put_in = 0, taken = 0, numerical = 0;
    for (int i = 0; i < steps; i++) {
        CHECK_OK(taut_world_step(world, STEP));
        CHECK_OK(taut_world_info(world, &info));
        put_in += info.work_forces + info.work_drives;
        taken += info.dissipated;
        numerical += info.numerical;
        c.sum = held(&info) - start - put_in + taken + numerical;
        c.elastic = fmax(c.elastic, info.elastic);
        c.fallen = fmax(c.fallen, high - info.potential);
        c.gained = fmax(c.gained, -numerical);
        CHECK_NEAR(c.sum, 0, 1e-9 * (1 + fabs(start)));
        CHECK(taken >= -1e-9);
    }
    test_note(
        "%s: falls by %.3f J, elastic at most %.4f J, dissipated %.3f J, taken by the scheme %.3f J, put in by it "
        "at most %.5f J",
        name, c.fallen, c.elastic, taken, numerical, c.gained);
    CHECK(c.elastic <= c.fallen + put_in + 1e-9);
    CHECK(c.gained <= (alpha < 1 ? CENTRED : GAINED) * c.fallen + 1e-9);
}

TAUT_TEST(closure, hanging_sheets) {
    static const closure_case cases[] = {
        {"springs, implicit Euler", SPRINGS, 8, 1e-4, 0, 1, 1, 40},
        {"springs, theta 0.65", SPRINGS, 8, 1e-4, 0, 0.65, 1, 40},
        {"damped springs, three linearisations", SPRINGS, 8, 1e-4, 0.02, 1, 3, 40},
        {"stiff springs, implicit Euler", SPRINGS, 8, 1e-7, 0, 1, 1, 40},
        {"stiff springs, theta 0.65", SPRINGS, 8, 1e-7, 0, 0.65, 1, 40},
        {"membrane, implicit Euler", MEMBRANE, 8, 1e-4, 0, 1, 1, 40},
        {"membrane, theta 0.65, three linearisations", MEMBRANE, 8, 1e-4, 0, 0.65, 3, 40},
        {"membrane, finer", MEMBRANE, 24, 1e-4, 0, 1, 1, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taut_world* world = make_sheet(backend, &cases[i]);
        check_closure(world, cases[i].name, cases[i].alpha, cases[i].steps);
        taut_world_destroy(world);
    }
}

/* Chains from soft to hard, by theta from 0.5 to 1. */
TAUT_TEST(closure, chains) {
    static const double compliances[] = {0, 1e-9, 1e-6, 1e-3}, alphas[] = {0.5, 0.65, 1};
    for (int i = 0; i < 12; i++) {
        taut_batch links;
        taut_scene* scene =
            phys_chain(8, (const double[]){0, 0, 0}, (const double[]){1, 0.2, 0}, NULL, compliances[i % 4], &links);
        taut_world_def def = phys_world_def(backend, alphas[i / 4], alphas[i / 4]);
        def.integrator.hard_row_damping = alphas[i / 4] < 1;
        taut_world* world = phys_world(scene, &def);
        test_note("alpha %g, compliance %g", alphas[i / 4], compliances[i % 4]);
        check_closure(world, "chain", alphas[i / 4], 60);
        taut_world_destroy(world);
    }
}
