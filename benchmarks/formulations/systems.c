#include "systems.h"
#include "tetrahedra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const system_shape system_shapes[SYSTEM_COUNT] = {
    {"pendulum", "1 kg on a hard link of 1 m, let go at 90 degrees; 1.5 s", 1.5, 0.01, true},
    {"chain", "five hard links of 0.2 m with 0.2 kg each, let go level; 1 s", 1, 0.005, true},
    {"beam", "cantilever of 0.6 x 0.1 x 0.1 m, 144 corotational tetrahedra, 1e5 Pa, let go under gravity; 0.3 s", 0.3,
     0.002, false},
};

static bool good(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "taut-formulations: %s\n", taut_last_error());
    }
    return status == TAUT_OK;
}

static bool add_particles(taut_scene* scene, size_t count, const double* positions, double mass, const bool* fixed) {
    taut_particles_def def = taut_default_particles();
    def.count = count;
    def.positions = positions;
    def.mass = mass;
    def.fixed = fixed;
    return good(taut_scene_add_particles(scene, &def, NULL));
}

/* A level chain of hard links, held at its first end. */
static bool add_chain(taut_scene* scene, uint32_t links, double length, double mass) {
    double positions[3 * 16] = {0};
    uint32_t pairs[2 * 16];
    bool fixed[16] = {true};
    taut_distance_def def = taut_default_distance();
    for (uint32_t i = 0; i <= links; i++) {
        positions[3 * i] = length * i;
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    def.count = links;
    def.particles = pairs;
    return add_particles(scene, links + 1, positions, mass, fixed) && good(taut_scene_add_distances(scene, &def, NULL));
}

/* ---- the beam -----------------------------------------------------------------------------------------------------
 */

enum {
    ALONG = 6,
    ACROSS = 2,
    BEAM_NODES = (ALONG + 1) * (ACROSS + 1) * (ACROSS + 1),
    BEAM_CELLS = ALONG * ACROSS * ACROSS
};
#define BEAM_DENSITY 1000.0
#define BEAM_YOUNG   1e5

static bool add_beam(taut_scene* scene) {
    double positions[3 * BEAM_NODES];
    bool fixed[BEAM_NODES];
    uint32_t tets[24 * BEAM_CELLS];
    int cell = 0;
    taut_solid_def def = taut_default_solid();
    for (int n = 0; n < BEAM_NODES; n++) {
        const int i = n / ((ACROSS + 1) * (ACROSS + 1)), j = n / (ACROSS + 1) % (ACROSS + 1), k = n % (ACROSS + 1);
        positions[3 * n] = 0.1 * i;
        positions[3 * n + 1] = 0.1 / ACROSS * j;
        positions[3 * n + 2] = 0.1 / ACROSS * k;
        fixed[n] = i == 0;
    }
    for (int i = 0; i < ALONG; i++) {
        for (int j = 0; j < ACROSS; j++) {
            for (int k = 0; k < ACROSS; k++) {
                block_split_cell(ACROSS, (size_t)i, (size_t)j, (size_t)k, tets + 24 * (size_t)cell++);
            }
        }
    }
    def.count = 6 * BEAM_CELLS;
    def.particles = tets;
    def.young = BEAM_YOUNG;
    def.poisson = 0.3;
    def.elasticity = TAUT_ELASTICITY_COROTATIONAL;
    return add_particles(scene, BEAM_NODES, positions, BEAM_DENSITY * 0.6 * 0.1 * 0.1 / BEAM_NODES, fixed) &&
           good(taut_scene_add_solids(scene, &def, NULL));
}

static bool add_system(taut_scene* scene, system_kind kind, uint32_t* watched) {
    switch (kind) {
    case SYSTEM_PENDULUM:
        *watched = 1;
        return add_chain(scene, 1, 1, 1);
    case SYSTEM_CHAIN:
        *watched = 5;
        return add_chain(scene, 5, 0.2, 0.2);
    default:
        *watched = BEAM_NODES - 1;
        return add_beam(scene);
    }
}

taut_world* system_world(system_kind kind, taut_backend_kind backend, const taut_integrator* integrator,
                         uint32_t* watched) {
    const taut_scene_def scene_def = taut_default_scene();
    taut_world_def def = taut_default_world();
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    def.backend = backend;
    def.integrator = *integrator;
    def.solver.tolerance = 1e-10;
    def.solver.max_iterations = 10000;
    if (good(taut_scene_create(&scene_def, &scene)) && add_system(scene, kind, watched)) {
        good(taut_world_create(scene, &def, &world));
    }
    taut_scene_destroy(scene);
    return world;
}
