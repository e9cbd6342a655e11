/* One rest shape for all formulations, and for the same energy as force elements, as constraints and as rows used as
 * forces. Meshes are other people's.
 *
 * Stopping: at the end a force r is left over, and with it a displacement of at most its flexibility at the tip, which
 * is 8/3 of that of the weight (L^3/(3 E I) beside L^3/(8 E I)): sag (8/3) sum |r|/weight. Bounds are four of that, for
 * both shapes that are compared and what is not beam-like. Forces of rows are rounded with their Jacobians to 2^-24: r
 * has that in it. */
#include "phys_formulations.h"
#include "phys_frames.h"
#include "phys_tets.h"
#include "solid_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DENSITY 1000.0
#define POISSON 0.3
#define DAMPING 0.0006 /* s: the steps of explicit Euler keep below it */

/* A body that is held at low x. */
typedef struct hanging {
    phys_mesh mesh;
    double low, depth; /* m: points below low + depth */
    double weight;     /* N */
    double young;      /* Pa */
    double braking;    /* 1/s, mass damping: near the critical one of the first mode */
    double duration;   /* s */
} hanging;

static bool read_hanging(const char* name, double scale, hanging* body) {
    double high;
    if (!phys_shared_tets(name, &body->mesh)) {
        return false;
    }
    phys_scale(&body->mesh, scale);
    phys_range(&body->mesh, 0, &body->low, &high);
    for (size_t c = 0; c < body->mesh.cell_count; c++) {
        body->weight += DENSITY * PHYS_GRAVITY * phys_cell_size(&body->mesh, c);
    }
    return true;
}

typedef struct rest_shape {
    double* x;        /* to be freed */
    double left_over; /* N */
    double carried;   /* N: by the points that are held */
} rest_shape;

/* Hard rows in the place of fixed points: else Baumgarte's terms and projections would have nothing to do. */
static bool held_by_rows(const formulation* by) {
    return by->stabilised || by->projections > 0;
}

/* The points that are held, 3 coordinates each. */
static taut_batch hold_rows(taut_scene* scene, const hanging* body, size_t* count) {
    uint32_t* coordinates = phys_array(3 * body->mesh.point_count, sizeof *coordinates);
    *count = 0;
    for (uint32_t i = 0; i < 3 * body->mesh.point_count; i++) {
        if (body->mesh.points[i / 3 * 3] <= body->low + body->depth) {
            coordinates[(*count)++] = i;
        }
    }
    const taut_batch rows = phys_hold(scene, *count, coordinates);
    free(coordinates);
    return rows;
}

static rest_shape hang(taut_backend_kind backend, const hanging* body, solid_element element, const formulation* by,
                       double h) {
    taut_integrator integrator = phys_formulation_integrator(by);
    double* masses = phys_lumped_masses(&body->mesh, DENSITY);
    taut_scene* scene = phys_scene(body->mesh.point_count, body->mesh.points, masses);
    integrator.mass_damping = body->braking;
    solid_add_elements(scene, &body->mesh, element, body->young, POISSON, DAMPING);
    size_t held = 0;
    taut_batch rows = {0};
    if (held_by_rows(by)) {
        rows = hold_rows(scene, body, &held);
    } else {
        CHECK(solid_fix_side(scene, &body->mesh, 0, body->low, body->depth) >= 3);
    }
    taut_world* world = solid_small_world(backend, scene, &integrator, PHYS_GRAVITY);
    phys_run(world, (size_t)lround(body->duration / h), h);
    const solid_balance balance = solid_balance_of(world);
    rest_shape shape = {phys_field(world, TAUT_FIELD_POSITIONS), balance.sum, balance.reaction[1]};
    for (size_t i = 1; i < held; i += 3) {
        shape.carried += phys_multiplier(world, rows, i);
    }
    taut_world_destroy(world);
    free(masses);
    return shape;
}

static void check_shape(const hanging* body, const char* what, const rest_shape* shape, const rest_shape* reference,
                        double most_left) {
    const double sag = phys_farthest(reference->x, body->mesh.points, 3 * body->mesh.point_count);
    const double apart = phys_farthest(shape->x, reference->x, 3 * body->mesh.point_count);
    const double left = (shape->left_over + reference->left_over) / body->weight;
    test_note("%s: %.3g of the weight left over, shape off by %.3g of a sag of %.3g m, carries %.9f of the weight",
              what, left, apart / sag, sag, shape->carried / body->weight);
    CHECK(left < most_left);
    CHECK(apart < 4 * 8.0 / 3 * left * sag + 1e-12);
    CHECK_NEAR(shape->carried / body->weight, 1, left + 1e-9);
}

/* Explicit formulations are held to the stiffest mode. */
static double step_of(const formulation* by) {
    switch (by->preset) {
    case TAUT_PRESET_IMPLICIT_EULER:
    case TAUT_PRESET_MOMENTUM:
        return 0.02;
    case TAUT_PRESET_MIDPOINT:
        return 0.01;
    case TAUT_PRESET_SYMPLECTIC_EULER:
    case TAUT_PRESET_BAUMGARTE_RK4:
        return 0.001;
    default:
        return 0.0005;
    }
}

static void check_rest(taut_backend_kind backend, const hanging* body, solid_element element, const formulation* by,
                       const rest_shape* reference) {
    char what[128];
    snprintf(what, sizeof what, "%s, %s", solid_element_name(element), by->name);
    const rest_shape shape = hang(backend, body, element, by, step_of(by));
    check_shape(body, what, &shape, reference, 1e-4);
    free(shape.x);
}

/* A beam of 42 elements, 1.06 m long. */
static bool read_beam(hanging* body) {
    *body = (hanging){.young = 2e6, .depth = 0.01, .braking = 26, .duration = 0.9};
    return read_hanging("tets/gaia__Beam_lowRes.1.vtk", 0.1, body);
}

TAUT_TEST(solids, all_formulations_rest_alike) {
    hanging body;
    if (!read_beam(&body)) {
        return;
    }
    const rest_shape reference = hang(backend, &body, SOLID_ST_VENANT, &formulations[IMPLICIT_EULER_NEWTON], 0.02);
    for (size_t i = 0; i < FORMULATION_COUNT; i++) {
        check_rest(backend, &body, SOLID_ST_VENANT, &formulations[i], &reference);
        if (!formulations[i].two_stage && !held_by_rows(&formulations[i])) {
            check_rest(backend, &body, SOLID_STRAIN, &formulations[i], &reference);
        }
    }
    free(reference.x);
    phys_mesh_free(&body.mesh);
}

/* Two stages take constraints about the motion v* = h g that forces alone make, and so hold a body at rest by the
 * Jacobians of a place that is alpha h v* away: what is left over by those of its own place falls with h^2. */
TAUT_TEST(solids, two_stages_rest_within_the_square_of_the_step) {
    hanging body;
    if (!read_beam(&body)) {
        return;
    }
    body.duration = 2; /* until what is left of the motion is far less than what is compared */
    const formulation* stages = &formulations[MIDPOINT_TWO_STAGE];
    const rest_shape reference = hang(backend, &body, SOLID_ST_VENANT, &formulations[IMPLICIT_EULER_NEWTON], 0.02);
    const rest_shape coarse = hang(backend, &body, SOLID_STRAIN, stages, 0.01);
    const rest_shape fine = hang(backend, &body, SOLID_STRAIN, stages, 0.005);
    const size_t count = 3 * body.mesh.point_count;
    const double apart[2] = {phys_farthest(coarse.x, reference.x, count), phys_farthest(fine.x, reference.x, count)};
    test_note("off by %.3g and %.3g m, %.3g and %.3g of the weight left over", apart[0], apart[1],
              coarse.left_over / body.weight, fine.left_over / body.weight);
    CHECK(stages->two_stage);
    CHECK_NEAR(phys_order(apart[0], apart[1]), 2, 0.25);
    CHECK_NEAR(phys_order(coarse.left_over, fine.left_over), 2, 0.25);
    free(reference.x);
    free(coarse.x);
    free(fine.x);
    phys_mesh_free(&body.mesh);
}
