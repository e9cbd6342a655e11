#include "level_scenes.h"

#include "harness.h"
#include "scene_graph.h"
#include "small_scenes.h"

static const scene_material stiff = {1e-5, 0}, soft = {1, 0};

static void build_cloth(oracle_scene* scene) {
    scene_cloth(scene, 14, 13, stiff, soft);
    scene_shake(scene, 3, 0.02, 0.3);
}

static void build_membrane(oracle_scene* scene) {
    const scene_grid grid = scene_sheet(scene, 9, 9, 0.1, 0.01);
    scene_sheet_membranes(scene, grid, stiff);
    scene_sheet_bends(scene, grid, soft);
    scene_sheet_pin_corners(scene, grid);
    scene_shake(scene, 5, 0.01, 0.2);
}

static void build_solid(oracle_scene* scene) {
    const uint32_t first = scene_block(scene, 4, 0.1, 0.02);
    scene_block_strains(scene, first, 4, stiff);
    scene_block_volumes(scene, first, 4, (scene_material){1e-12, 0});
    scene_shake(scene, 7, 0.004, 0.2);
}

/* Straight ropes, pairs and lone points beside a cloth: what has fewer motions than a body. */
static void build_degenerate(oracle_scene* scene) {
    const double along[3] = {0.1, 0, 0};
    scene_rope(scene, 30, along, 0.01, stiff);
    const uint32_t a = oracle_scene_particle(scene, 5, 0, 0, 1, false),
                   b = oracle_scene_particle(scene, 5, 1, 0, 1e3, false);
    const uint32_t lone = oracle_scene_particle(scene, 7, 0, 0, 1, false),
                   hook = oracle_scene_particle(scene, 7, 1, 0, 1, true);
    scene_distance(scene, a, b, stiff);
    scene_attach(scene, lone, hook, stiff);
    oracle_scene_particle(scene, 9, 0, 0, 1, false);
    scene_cloth(scene, 6, 5, stiff, soft);
}

const level_scene level_scenes[LEVEL_SCENES] = {{"cloth", build_cloth},
                                                {"membrane", build_membrane},
                                                {"solid", build_solid},
                                                {"degenerate", build_degenerate},
                                                {"graph", NULL}};

taut_world_def level_world(taut_backend_kind backend, taut_cycle cycle) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.preconditioner = TAUT_PRECONDITIONER_MULTILEVEL;
    def.solver.cycle = cycle;
    def.threads = 2;
    return def;
}

taut_world* level_scene_world(const level_scene* scene, const taut_world_def* def) {
    taut_world* world = NULL;
    if (scene->build == NULL) {
        scene_graph graph;
        CHECK_OK(scene_graph_world(def, &graph, &world));
        return world;
    }
    oracle_scene built = {0};
    scene->build(&built);
    CHECK_OK(oracle_scene_world(&built, def, &world));
    oracle_scene_free(&built);
    return world;
}
