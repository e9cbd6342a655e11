/* Force elements: bad arguments are refused with a sentence and nothing is added; re-tuning. */
#include <math.h>

#include "refused.h"

enum { POINTS = 5 };

static const double bad_numbers[3] = {NAN, INFINITY, -INFINITY};
static const double points[3 * POINTS] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};

static taut_scene* make_scene(void) {
    return refused_scene(POINTS, points);
}

static taut_solid_def solid(void) {
    static const uint32_t nodes[4] = {0, 1, 2, 3};
    taut_solid_def def = taut_default_solid();
    def.count = 1;
    def.particles = nodes;
    return def;
}

static taut_surface_def surface(void) {
    static const uint32_t nodes[6] = {0, 1, 2, 1, 4, 2};
    taut_surface_def def = taut_default_surface();
    def.count = 2;
    def.particles = nodes;
    return def;
}

static taut_attraction_def attraction(void) {
    static const uint32_t nodes[2] = {0, 4};
    taut_attraction_def def = taut_default_attraction();
    def.count = 2;
    def.particles = nodes;
    def.strength = 1;
    return def;
}

#define REFUSE(kind, change)                                                                                           \
    {                                                                                                                  \
        taut_##kind##_def def = kind();                                                                                \
        change;                                                                                                        \
        INVALID(taut_scene_add_##kind##s(scene, &def, &batch));                                                        \
    }

#define REFUSE_COMMON(kind)                                                                                            \
    REFUSE(kind, def.count = 0)                                                                                        \
    REFUSE(kind, def.count = SIZE_MAX)                                                                                 \
    REFUSE(kind, def.particles = NULL) {                                                                               \
        taut_##kind##_def def = kind();                                                                                \
        INVALID(taut_scene_add_##kind##s(NULL, &def, &batch));                                                         \
        INVALID(taut_scene_add_##kind##s(scene, NULL, &batch));                                                        \
        def.cookie ^= 1;                                                                                               \
        UNMADE(taut_scene_add_##kind##s(scene, &def, &batch));                                                         \
    }

TAUT_PLAIN_TEST(interface_forces, names) {
    CHECK_TEXT(taut_kind_name(TAUT_SOLID), "solid");
    CHECK_TEXT(taut_kind_name(TAUT_SURFACE), "surface");
    CHECK_TEXT(taut_kind_name(TAUT_ATTRACTION), "attraction");
    CHECK_TEXT(taut_elasticity_name(TAUT_ELASTICITY_NEO_HOOKEAN), "neo_hookean");
    CHECK_TEXT(taut_elasticity_name(TAUT_ELASTICITY_COUNT), "unknown");
    CHECK_TEXT(taut_matrix_name(TAUT_MATRIX_K), "K");
}

TAUT_PLAIN_TEST(interface_forces, solids) {
    static const uint32_t absent[4] = {0, 1, 2, POINTS}, twice[4] = {0, 1, 2, 0}, flat[4] = {0, 1, 2, 4};
    taut_scene* scene = make_scene();
    taut_batch batch = {77};
    REFUSE_COMMON(solid)
    REFUSE(solid, def.particles = absent)
    REFUSE(solid, def.particles = twice)
    REFUSE(solid, def.particles = flat)
    REFUSE(solid, def.young = 0)
    REFUSE(solid, def.young = -1)
    REFUSE(solid, def.poisson = 0.51)
    REFUSE(solid, def.poisson = -1)
    REFUSE(solid, def.damping = -1)
    REFUSE(solid, def.elasticity = TAUT_ELASTICITY_COUNT)
    REFUSE(solid, def.elasticity = (taut_elasticity)-1)
    for (int i = 0; i < 3; i++) {
        const double* bad = &bad_numbers[i];
        double shape[12];
        for (int v = 0; v < 12; v++) {
            shape[v] = v == 7 ? *bad : points[v];
        }
        REFUSE(solid, def.young = *bad)
        REFUSE(solid, def.youngs = bad)
        REFUSE(solid, def.poisson = *bad)
        REFUSE(solid, def.poissons = bad)
        REFUSE(solid, def.damping = *bad)
        REFUSE(solid, def.dampings = bad)
        REFUSE(solid, def.rest = shape)
    }
    CHECK_INT(batch.id, 77);
    const taut_solid_def good = solid();
    CHECK_OK(taut_scene_add_solids(scene, &good, &batch));
    CHECK_INT(batch.id, 1);
    CHECK_INT(taut_scene_row_count(scene), 0);
    INVALID(taut_scene_use_as_forces(scene, batch));
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(interface_forces, surfaces) {
    static const uint32_t absent[6] = {0, 1, 2, 1, POINTS, 2};
    taut_scene* scene = make_scene();
    taut_batch batch = {77};
    REFUSE_COMMON(surface)
    REFUSE(surface, def.particles = absent)
    REFUSE(surface, def.drag = -1)
    REFUSE(surface, def.friction = -1)
    for (int i = 0; i < 3; i++) {
        const double bad[2] = {0, bad_numbers[i]};
        REFUSE(surface, def.drag = bad[1])
        REFUSE(surface, def.friction = bad[1])
        REFUSE(surface, def.pressure = bad[1])
        REFUSE(surface, def.pressures = bad)
        REFUSE(surface, def.areas = bad)
        REFUSE(surface, def.traction[2] = bad[1])
        REFUSE(surface, def.wind[0] = bad[1])
    }
    CHECK_INT(batch.id, 77);
    const taut_surface_def good = surface();
    CHECK_OK(taut_scene_add_surfaces(scene, &good, NULL));
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(interface_forces, attractions) {
    static const uint32_t absent[2] = {0, POINTS};
    taut_scene* scene = make_scene();
    taut_batch batch = {77};
    REFUSE_COMMON(attraction)
    REFUSE(attraction, def.particles = absent)
    REFUSE(attraction, def.softening = -1)
    REFUSE(attraction, def.masses = ((const double[]){1, -1}))
    for (int i = 0; i < 3; i++) {
        const double bad[2] = {1, bad_numbers[i]};
        REFUSE(attraction, def.strength = bad[1])
        REFUSE(attraction, def.softening = bad[1])
        REFUSE(attraction, def.centre[1] = bad[1])
        REFUSE(attraction, def.masses = bad)
    }
    CHECK_INT(batch.id, 77);
    const taut_attraction_def good = attraction();
    CHECK_OK(taut_scene_add_attractions(scene, &good, NULL));
    taut_scene_destroy(scene);
}

TAUT_TEST(interface_forces, retuning) {
    taut_scene* scene = make_scene();
    taut_batch solids = {0}, surfaces = {0}, attractions = {0};
    const taut_solid_def a = solid();
    const taut_surface_def b = surface();
    const taut_attraction_def c = attraction();
    const double values[3] = {1, 2, 3};
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    taut_range rows = {7, 7};
    def.backend = backend;
    CHECK_OK(taut_scene_add_solids(scene, &a, &solids));
    CHECK_OK(taut_scene_add_surfaces(scene, &b, &surfaces));
    CHECK_OK(taut_scene_add_attractions(scene, &c, &attractions));
    REQUIRE_OK(taut_world_create(scene, &def, &world));
    CHECK_OK(taut_world_batch_rows(world, solids, &rows));
    CHECK_INT(rows.count, 0);
    INVALID(taut_world_set_compliances(world, solids, 0, 1, values));
    INVALID(taut_world_set_rest_values(world, solids, 0, 1, values));
    INVALID(taut_world_move_targets(world, solids, 0, 1, values));
    INVALID(taut_world_set_dampings(world, surfaces, 0, 1, values));
    INVALID(taut_world_set_dampings(world, attractions, 0, 1, values));
    INVALID(taut_world_set_wind(world, solids, values));
    INVALID(taut_world_set_wind(world, surfaces, NULL));
    INVALID(taut_world_set_wind(NULL, surfaces, values));
    INVALID(taut_world_set_wind(world, (taut_batch){9}, values));
    INVALID(taut_world_set_pressures(world, attractions, 0, 1, values));
    INVALID(taut_world_set_pressures(world, surfaces, 1, 2, values));
    INVALID(taut_world_set_pressures(world, surfaces, 0, 1, NULL));
    INVALID(taut_world_set_moduli(NULL, solids, 0, 1, values, NULL));
    INVALID(taut_world_set_moduli(world, solids, 0, 1, NULL, NULL));
    INVALID(taut_world_set_moduli(world, solids, 0, 2, values, NULL));
    INVALID(taut_world_set_moduli(world, solids, 2, 0, values, NULL));
    INVALID(taut_world_set_moduli(world, surfaces, 0, 1, values, NULL));
    INVALID(taut_world_set_moduli(world, (taut_batch){9}, 0, 1, values, NULL));
    INVALID(taut_world_set_moduli(world, solids, 0, 1, NULL, values));
    CHECK_TEXT(taut_last_error(), "solid[0]: the Poisson ratio is 1; it must lie in (-1, 0.5].");
    INVALID(taut_world_set_moduli(world, solids, 0, 1, (const double[]){0}, NULL));
    CHECK_TEXT(taut_last_error(), "solid[0]: Young's modulus is 0; it must lie in (0, 1e+30].");
    for (int i = 0; i < 3; i++) {
        const double bad[3] = {0, bad_numbers[i], 0};
        INVALID(taut_world_set_moduli(world, solids, 0, 1, bad + 1, NULL));
        INVALID(taut_world_set_moduli(world, solids, 0, 1, NULL, bad + 1));
        INVALID(taut_world_set_wind(world, surfaces, bad));
        INVALID(taut_world_set_pressures(world, surfaces, 0, 2, bad));
        INVALID(taut_world_set_dampings(world, solids, 0, 1, bad + 1));
    }
    CHECK_OK(taut_world_set_dampings(world, solids, 0, 1, values));
    CHECK_OK(taut_world_set_moduli(world, solids, 0, 0, NULL, NULL));
    CHECK_OK(taut_world_set_moduli(world, solids, 0, 1, values, (const double[]){0.5}));
    CHECK_OK(taut_world_set_wind(world, surfaces, values));
    CHECK_OK(taut_world_set_pressures(world, surfaces, 0, 2, values));
    CHECK_OK(taut_world_step(world, 0.01));
    CHECK_OK(taut_world_sync(world));
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}
