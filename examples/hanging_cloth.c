/* A cloth of 24 x 24 cells, held at two corners, falls and comes to rest. Prints how each tenth frame converged. */
#include <stdio.h>
#include <stdlib.h>
#include <taut/taut.h>

enum { SIDE = 25, PARTICLES = SIDE * SIDE, FRAMES = 60 };

static void check(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s\n", taut_last_error());
        exit(1);
    }
}

static uint32_t at(int row, int column) {
    return (uint32_t)(row * SIDE + column);
}

/* 1 m x 1 m, level at first, 0.2 kg. */
static void add_particles(taut_scene* scene) {
    static double positions[3 * PARTICLES];
    for (int i = 0; i < PARTICLES; i++) {
        positions[3 * i] = (double)(i % SIDE) / (SIDE - 1);
        positions[3 * i + 2] = (double)(i / SIDE) / (SIDE - 1);
    }
    taut_particles_def def = taut_default_particles();
    def.count = PARTICLES;
    def.positions = positions;
    def.mass = 0.2 / PARTICLES;
    check(taut_scene_add_particles(scene, &def, NULL));
    check(taut_scene_set_fixed(scene, 2, (uint32_t[]){at(0, 0), at(0, SIDE - 1)}, true));
}

/* Springs along the threads, which stretch little, and along the diagonals, which give more easily. */
static void add_springs(taut_scene* scene, int down, int right, double compliance) {
    static uint32_t pairs[2 * PARTICLES];
    taut_distance_def def = taut_default_distance();
    for (int row = 0; row + down < SIDE; row++) {
        for (int column = right < 0 ? 1 : 0; column + right < SIDE && column < SIDE; column++, def.count++) {
            pairs[2 * def.count] = at(row, column);
            pairs[2 * def.count + 1] = at(row + down, column + right);
        }
    }
    def.particles = pairs;
    def.compliance = compliance; /* m/N; without rest lengths, the present ones */
    check(taut_scene_add_distances(scene, &def, NULL));
}

int main(void) {
    const taut_scene_def scene_def = taut_default_scene();
    taut_scene* scene = NULL;
    check(taut_scene_create(&scene_def, &scene));
    add_particles(scene);
    add_springs(scene, 0, 1, 1e-4);
    add_springs(scene, 1, 0, 1e-4);
    add_springs(scene, 1, 1, 1e-2);
    add_springs(scene, 1, -1, 1e-2);

    taut_world_def world_def = taut_default_world();
    world_def.solver.tolerance = 1e-3; /* relative residual: enough for the eye */
    taut_world* world = NULL;
    check(taut_world_create(scene, &world_def, &world));
    taut_scene_destroy(scene); /* the world has copied what it needs */
    printf("   time  iterations  residual  worst violation  kinetic energy\n");
    for (int frame = 1; frame <= FRAMES; frame++) {
        taut_step_info info;
        check(taut_world_step(world, 1.0 / 60));
        check(taut_world_info(world, &info));
        if (frame % 10 == 0) {
            printf("%5.2f s  %10u  %8.1e  %13.1e m  %12.4f J\n", info.time, info.iterations, info.residual,
                   info.max_violation[TAUT_DISTANCE], info.kinetic);
        }
    }
    taut_world_destroy(world);
    return 0;
}
