/* Beams of tetrahedra against beam theory. Poisson's ratio is 0, so that a clamp does not hinder the sections.
 *
 * A tetrahedron has one strain: what it cannot bend it shears and stretches, and n of them across a beam are stiffer
 * than it by a part that falls with 1/n^2. The flexibility of a mesh therefore is 1/(1 + a/n^2) of the beam's, and it
 * is beam/mesh that is extrapolated from two meshes. */
#include "force_scenes.h"
#include "phys_data.h"
#include "phys_exact.h"
#include "phys_frames.h"
#include "solid_scenes.h"

#include <math.h>
#include <stdlib.h>

#define YOUNG   1e6 /* Pa */
#define DENSITY 1000.0
#define WIDTH   0.1 /* m: of the square section */
#define AREA    (WIDTH * WIDTH)
#define BENDING (YOUNG * WIDTH * WIDTH * WIDTH * WIDTH / 12)
#define SHEAR   (5.0 / 6 * YOUNG / 2 * AREA) /* k G A of Timoshenko's beam, k = 5/6 of a rectangle, nu = 0 */

/* ---- the beam -----------------------------------------------------------------------------------------------------
 */

typedef struct beam {
    phys_mesh mesh;
    double length;
    size_t across; /* elements' edges across the width, and as many along the same length */
    taut_scene* scene;
} beam;

/* Along x, y upwards; `slender` widths long. */
static beam make_beam(solid_element element, size_t slender, size_t across) {
    const size_t cells[3] = {slender * across, across, across};
    beam b = {.length = (double)slender * WIDTH, .across = across};
    b.mesh = phys_block(cells, (const double[]){b.length, WIDTH, WIDTH});
    double* masses = phys_lumped_masses(&b.mesh, DENSITY);
    b.scene = phys_scene(b.mesh.point_count, b.mesh.points, masses);
    solid_add_elements(b.scene, &b.mesh, element, YOUNG, 0, 0);
    free(masses);
    return b;
}

static void clamp(beam* b) {
    CHECK_INT(solid_fix_side(b->scene, &b->mesh, 0, 0, 0), (b->across + 1) * (b->across + 1));
}

/* At rest to `slow`, m/s. Steps as long as 10 s are Newton's method for the balance of forces. */
static taut_world* settled(taut_backend_kind backend, beam* b, double gravity, double h, double slow) {
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = force_world(backend, b->scene, &integrator, gravity);
    phys_settle(world, h, 10, slow, 100);
    return world;
}

/* What the sections at tenths of the length have sunk by, mean of their points. */
static void read_sag(taut_world* world, const beam* b, double sag[11]) {
    const size_t columns = b->mesh.point_count / ((b->across + 1) * (b->across + 1));
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    for (size_t i = 0; i <= 10; i++) {
        sag[i] = 0;
        for (size_t p = i * (columns - 1) / 10; p < b->mesh.point_count; p += columns) {
            sag[i] += (b->mesh.points[3 * p + 1] - x[3 * p + 1]) * (double)columns / (double)b->mesh.point_count;
        }
    }
    free(x);
}

/* ---- beam over mesh -----------------------------------------------------------------------------------------------
 */

/* The same of the limit, from meshes of n and 2 n. */
static double extrapolated(double coarse, double fine) {
    return (4 * fine - coarse) / 3;
}

/* Excess stiffness of meshes of n, 2 n, 4 n: of second order, and none in the limit. */
static void check_stiffness(const char* what, const double ratio[3], double bound) {
    const double limit = extrapolated(ratio[1], ratio[2]);
    const double orders[2] = {phys_order(ratio[0] - 1, ratio[1] - 1), phys_order(ratio[1] - 1, ratio[2] - 1)};
    test_note("%s: stiffer by %.5f, %.5f, %.5f (orders %.3f, %.3f), limit %.5f", what, ratio[0] - 1, ratio[1] - 1,
              ratio[2] - 1, orders[0], orders[1], limit - 1);
    CHECK_NEAR(orders[0], 2, 0.15);
    CHECK_NEAR(orders[1], 2, 0.1);
    CHECK_NEAR(limit, 1, bound);
}

/* ---- a load at the tip --------------------------------------------------------------------------------------------
 */

#define SLENDER 8

/* P L^3/(3 E I) + P L/(k G A) of Timoshenko's cantilever over what the loaded face sinks by; P bends it by a thousandth
 * of its length. */
static double tip_ratio(taut_backend_kind backend, solid_element element, size_t across) {
    beam b = make_beam(element, SLENDER, across);
    const double load = 3e-3 * BENDING / (b.length * b.length);
    const phys_tuples tip = phys_side(&b.mesh, 0, b.length, 1e-9);
    double u[3];
    clamp(&b);
    solid_apply_jacobian_transpose(b.scene, &tip, (const double[]){0, -load / AREA, 0});
    taut_world* world = settled(backend, &b, 0, 10, 1e-10);
    const solid_balance balance = solid_balance_of(world);
    solid_face_displacement(world, &b.mesh, &tip, u);
    test_note("%s, %zu across: %.3g of %.3g N left over", solid_element_name(element), across, balance.worst, load);
    CHECK_NEAR(balance.reaction[1], load, 1e-6 * load);
    CHECK(balance.worst < 1e-6 * load);
    taut_world_destroy(world);
    phys_mesh_free(&b.mesh);
    free(tip.items);
    return (load * pow(b.length, 3) / (3 * BENDING) + load * b.length / SHEAR) / -u[1];
}

/* Without shear the beam is 0.9 % stiffer: three times the bound. */
TAUT_TEST(solids, cantilever_under_tip_load) {
    const double ratio[3] = {tip_ratio(backend, SOLID_COROTATIONAL, 2), tip_ratio(backend, SOLID_COROTATIONAL, 4),
                             tip_ratio(backend, SOLID_COROTATIONAL, 8)};
    check_stiffness("corotational", ratio, 0.003);
}

/* All materials are the same in the small, but for terms of second order in a strain of 6e-4. */
TAUT_TEST(solids, cantilevers_of_all_elements) {
    double reference[3];
    for (solid_element element = 0; element < SOLID_ELEMENT_COUNT; element++) {
        double ratio[3];
        for (int k = 0; k < 3; k++) {
            ratio[k] = tip_ratio(backend, element, (size_t)1 << k);
            reference[k] = element == 0 ? ratio[k] : reference[k];
            CHECK_NEAR(ratio[k] / reference[k], 1, 2e-5);
        }
        check_stiffness(solid_element_name(element), ratio, 0.02);
    }
}

/* ---- own weight ---------------------------------------------------------------------------------------------------
 */

#define LONG         10
#define WEAK_GRAVITY 0.01 /* m/s^2: a cantilever sinks by a thousandth of its length */

typedef double closed_form(double x);

/* The curves of MoorDyn's beams are these formulas. */
TAUT_PLAIN_TEST(solids, beam_formulas) {
    char* text = phys_shared_text("reference/moordyn_beams.json");
    if (text == NULL) {
        return;
    }
    const char* at = text;
    double weight, bending, length, x, simply, cantilever;
    int rows = 0;
    REQUIRE(phys_next_number(&at, "q_N_per_m", &weight) && phys_next_number(&at, "EI", &bending) &&
            phys_next_number(&at, "L", &length));
    while (phys_next_number(&at, "x", &x) && phys_next_number(&at, "z_simply", &simply) &&
           phys_next_number(&at, "z_cantilever", &cantilever)) {
        const double unit = weight * pow(length, 4) / bending;
        CHECK_NEAR(-unit * phys_simply_supported_sag(x / length), simply, 1e-12);
        CHECK_NEAR(-unit * phys_cantilever_sag(x / length), cantilever, 1e-12);
        rows++;
    }
    CHECK_INT(rows, 11);
    free(text);
}

/* Of Timoshenko's beams by shear alone, in units of q L^2/(k G A). */
static double cantilever_shear(double x) {
    return x - x * x / 2;
}

static double simply_supported_shear(double x) {
    return x * (1 - x) / 2;
}

/* Curves of three meshes, limit of each station against the closed form. */
static void check_curve(const char* what, double sag[3][11], closed_form* bending, closed_form* shear, size_t middle) {
    const double length = LONG * WIDTH, weight = DENSITY * AREA * WEAK_GRAVITY;
    double exact[11], ratio[3], worst = 0;
    for (size_t i = 0; i <= 10; i++) {
        const double x = (double)i / 10;
        exact[i] = weight * pow(length, 4) / BENDING * bending(x) + weight * length * length / SHEAR * shear(x);
    }
    for (size_t k = 0; k < 3; k++) {
        ratio[k] = exact[middle] / sag[k][middle];
    }
    check_stiffness(what, ratio, 0.02);
    for (size_t i = 0; i <= 10; i++) {
        const double limit = sag[1][i] == 0 ? 0 : 1 / extrapolated(1 / sag[1][i], 1 / sag[2][i]);
        worst = phys_worse(worst, fabs(limit - exact[i]));
    }
    test_note("%s: curve off by %.4g of its largest value", what, worst / exact[middle]);
    CHECK(worst < 0.02 * exact[middle]);
}

static void hang_from_a_clamp(taut_backend_kind backend, size_t across, double sag[11]) {
    beam b = make_beam(SOLID_COROTATIONAL, LONG, across);
    clamp(&b);
    taut_world* world = settled(backend, &b, WEAK_GRAVITY, 10, 1e-10);
    const double weight = DENSITY * AREA * b.length * WEAK_GRAVITY;
    CHECK_NEAR(solid_balance_of(world).reaction[1], weight, 1e-6 * weight);
    read_sag(world, &b, sag);
    taut_world_destroy(world);
    phys_mesh_free(&b.mesh);
}

TAUT_TEST(solids, cantilever_under_its_weight) {
    double sag[3][11];
    for (size_t k = 0; k < 3; k++) {
        hang_from_a_clamp(backend, (size_t)1 << k, sag[k]);
    }
    check_curve("cantilever", sag, phys_cantilever_sag, cantilever_shear, 10);
}

/* A hard row on a face: the mean over its area of direction.u, or of what turns it about x. */
static taut_batch hold_face(beam* b, const phys_tuples* face, const double direction[3], bool twist) {
    const phys_mesh triangles = {b->mesh.point_count, b->mesh.points, face->count, 3, face->items};
    double* part = phys_lumped_masses(&triangles, 1 / AREA);
    size_t offsets[2] = {0, 0};
    uint32_t* coordinates = phys_array(3 * b->mesh.point_count, sizeof *coordinates);
    double* weights = phys_array(3 * b->mesh.point_count, sizeof *weights);
    for (uint32_t i = 0; i < 3 * b->mesh.point_count; i++) {
        const double *x = b->mesh.points + i / 3 * 3, turn[3] = {0, WIDTH / 2 - x[2], x[1] - WIDTH / 2};
        const double weight = part[i / 3] * (twist ? turn[i % 3] : direction[i % 3]);
        if (weight != 0) {
            coordinates[offsets[1]] = i;
            weights[offsets[1]++] = weight;
        }
    }
    taut_batch batch = {0};
    taut_linear_def def = taut_default_linear();
    def.count = 1;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    CHECK_OK(taut_scene_add_linear(b->scene, &def, &batch));
    free(part);
    free(coordinates);
    free(weights);
    return batch;
}

/* Supports that a beam may turn on: its end faces as a whole. Statically determinate: the reactions are half the weight
 * each, and nothing, on any mesh. (The row against twisting has the weight times what an unsymmetrical mesh bends
 * sideways.) */
static void hang_from_two_supports(taut_backend_kind backend, size_t across, double sag[11]) {
    const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    beam b = make_beam(SOLID_COROTATIONAL, LONG, across);
    const phys_tuples ends[2] = {phys_side(&b.mesh, 0, 0, 1e-9), phys_side(&b.mesh, 0, b.length, 1e-9)};
    const taut_batch up[2] = {hold_face(&b, &ends[0], axes[1], false), hold_face(&b, &ends[1], axes[1], false)};
    const taut_batch idle[3] = {hold_face(&b, &ends[0], axes[0], false), hold_face(&b, &ends[0], axes[2], false),
                                hold_face(&b, &ends[1], axes[2], false)};
    hold_face(&b, &ends[0], NULL, true);
    taut_world* world = settled(backend, &b, WEAK_GRAVITY, 10, 1e-10);
    const double weight = DENSITY * AREA * b.length * WEAK_GRAVITY;
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(phys_multiplier(world, idle[i], 0), 0, 1e-6 * weight);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(phys_multiplier(world, up[i], 0), weight / 2, 1e-6 * weight);
        free(ends[i].items);
    }
    read_sag(world, &b, sag);
    taut_world_destroy(world);
    phys_mesh_free(&b.mesh);
}

TAUT_TEST(solids, simply_supported_beam_under_its_weight) {
    double sag[3][11];
    for (size_t k = 0; k < 3; k++) {
        hang_from_two_supports(backend, (size_t)1 << k, sag[k]);
    }
    check_curve("simply supported", sag, phys_simply_supported_sag, simply_supported_shear, 5);
}

/* ---- large deflection ---------------------------------------------------------------------------------------------
 */

/* Load of the inextensible beam whose tip drops so far. */
static double load_of_drop(double drop) {
    double low = 0, high = 10;
    for (int i = 0; i < 40; i++) {
        const double middle = (low + high) / 2;
        *(phys_exact_elastica(middle).drop < drop ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* load = P L^2/(E I) over the load that would bend the elastica as far; the retreat is that elastica's as well. */
static double elastica_ratio(taut_backend_kind backend, solid_element element, double load, size_t across) {
    beam b = make_beam(element, LONG, across);
    const phys_tuples tip = phys_side(&b.mesh, 0, b.length, 1e-9);
    double u[3];
    clamp(&b);
    solid_apply_jacobian_transpose(b.scene, &tip,
                                   (const double[]){0, -load * BENDING / (b.length * b.length) / AREA, 0});
    taut_world* world = settled(backend, &b, 0, 0.2, 1e-7);
    taut_step_info info;
    CHECK_OK(taut_world_info(world, &info));
    solid_face_displacement(world, &b.mesh, &tip, u);
    const double same = load_of_drop(-u[1] / b.length), retreat = phys_exact_elastica(same).retreat;
    test_note("%s, %zu across: drop %.5f, retreat %.5f and %.5f, %d steps", solid_element_name(element), across,
              -u[1] / b.length, -u[0] / b.length, retreat, (int)info.step);
    CHECK_NEAR(-u[0] / b.length, retreat, 2e-3);
    taut_world_destroy(world);
    phys_mesh_free(&b.mesh);
    free(tip.items);
    return load / same;
}

TAUT_TEST(solids, cantilever_bends_to_an_elastica) {
    const solid_element elements[] = {SOLID_COROTATIONAL, SOLID_STRAIN};
    for (int i = 0; i < 2; i++) {
        double ratio[3];
        for (int k = 0; k < 3; k++) {
            ratio[k] = elastica_ratio(backend, elements[i], 1.5, (size_t)1 << k);
        }
        check_stiffness(solid_element_name(elements[i]), ratio, 0.005);
    }
}
