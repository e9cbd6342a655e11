/* The guard judges each island of a scene as if it was alone: what is right keeps its motion beside what goes wrong. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS   16
#define POINTS  ((CELLS + 1) * (CELLS + 1))
#define SIDE    0.5
#define DENSITY 0.2
#define H       (1.0 / 60)
#define FAR     20.0
#define LINKS   4

typedef struct beside {
    bool sheet, pendulum;
    double compliance; /* of the sheet's springs */
    uint32_t limit;    /* of iterations */
} beside;

static void add_links(taut_scene* scene, size_t count, const uint32_t* particles, double compliance) {
    taut_distance_def def = taut_default_distance();
    def.count = count;
    def.particles = particles;
    def.compliance = compliance;
    CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
}

/* A sheet of springs that hangs from two corners, which few iterations make gain energy. */
static void add_sheet(taut_scene* scene, double compliance) {
    phys_mesh mesh = phys_grid(CELLS, CELLS, SIDE, SIDE, PHYS_ALTERNATING);
    phys_tuples edges = phys_edges(&mesh);
    double* masses = phys_lumped_masses(&mesh, DENSITY);
    taut_particles_def def = taut_default_particles();
    bool fixed[POINTS] = {false};
    fixed[0] = fixed[CELLS] = true;
    def.count = POINTS;
    def.positions = mesh.points;
    def.masses = masses;
    def.fixed = fixed;
    CHECK_OK(taut_scene_add_particles(scene, &def, NULL));
    add_links(scene, edges.count, edges.items, compliance);
    free(masses);
    free(edges.items);
    phys_mesh_free(&mesh);
}

/* A chain of hard links that starts horizontal, far away; its first particle is the scene's `first`. */
static void add_pendulum(taut_scene* scene, uint32_t first) {
    double points[3 * (LINKS + 1)];
    uint32_t links[2 * LINKS];
    bool fixed[LINKS + 1] = {true};
    for (uint32_t i = 0; i <= LINKS; i++) {
        points[3 * i] = FAR + 0.25 * i;
        points[3 * i + 1] = points[3 * i + 2] = 0;
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        links[2 * i] = first + i;
        links[2 * i + 1] = first + i + 1;
    }
    taut_particles_def def = taut_default_particles();
    def.count = LINKS + 1;
    def.positions = points;
    def.fixed = fixed;
    CHECK_OK(taut_scene_add_particles(scene, &def, NULL));
    add_links(scene, LINKS, links, 0);
}

static taut_world* make_world(const beside* b) {
    taut_scene_def scene_def = taut_default_scene();
    taut_scene* scene;
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    if (b->sheet) {
        add_sheet(scene, b->compliance);
    }
    if (b->pendulum) {
        add_pendulum(scene, b->sheet ? POINTS : 0);
    }
    taut_world_def def = phys_world_def(TAUT_BACKEND_CPU, 1, 1);
    def.gravity[1] = 0;
    def.gravity[2] = -PHYS_GRAVITY;
    def.solver.tolerance = 1e-6;
    def.solver.max_iterations = b->limit;
    def.solver.method = TAUT_METHOD_AUTO;
    def.solver.cycle = TAUT_CYCLE_ADDITIVE; /* else the direct method takes all */
    return phys_world(scene, &def);
}

/* m: the largest distance of `count` particles from those of another world. */
static double apart(taut_world* a, size_t first, taut_world* b, size_t count) {
    double *x = phys_field(a, TAUT_FIELD_POSITIONS), *y = phys_field(b, TAUT_FIELD_POSITIONS), most = 0;
    for (size_t i = 0; i < 3 * count; i++) {
        most = fmax(most, fabs(x[3 * first + i] - y[i]));
    }
    free(x);
    free(y);
    return most;
}

/* The sheet spends its iterations and is slowed down; the chain, of another system, swings as it does alone. */
TAUT_PLAIN_TEST(guard_islands, what_is_right_keeps_its_motion) {
    const beside both = {true, true, 1e-4, 3}, pendulum = {false, true, 0, 3};
    taut_world *world = make_world(&both), *alone = make_world(&pendulum);
    uint32_t damped = 0;
    for (int i = 0; i < 60; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_step(alone, H));
        CHECK_OK(taut_world_info(world, &info));
        damped += info.damped;
    }
    CHECK(damped > 0);
    CHECK(apart(world, POINTS, alone, LINKS + 1) <= 1e-12);
    taut_world_destroy(world);
    taut_world_destroy(alone);
}
