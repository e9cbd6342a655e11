/* What an interactive program does each frame: moves a handle, re-tunes a material, steps, and hands the positions to
 * its renderer as float32, without a copy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <taut/taut.h>

enum { PARTICLES = 21, FRAMES = 120 };

static void check(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s\n", taut_last_error());
        exit(1);
    }
}

/* A level string of springs; its first particle is the handle. */
static taut_batch add_string(taut_scene* scene) {
    double positions[3 * PARTICLES] = {0};
    uint32_t pairs[2 * (PARTICLES - 1)];
    for (uint32_t i = 0; i < PARTICLES; i++) {
        positions[3 * i] = 0.05 * i;
    }
    for (uint32_t i = 0; i + 1 < PARTICLES; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    taut_particles_def particles = taut_default_particles();
    particles.count = PARTICLES;
    particles.positions = positions;
    particles.mass = 0.01;
    check(taut_scene_add_particles(scene, &particles, NULL));
    check(taut_scene_set_fixed(scene, 1, (uint32_t[]){0}, true));
    taut_distance_def springs = taut_default_distance();
    springs.count = PARTICLES - 1;
    springs.particles = pairs;
    taut_batch batch;
    check(taut_scene_add_distances(scene, &springs, &batch));
    return batch;
}

/* Stands for the renderer: row r of a view begins r * stride bytes after its data. */
static void draw(int frame, const taut_array* view) {
    const float* last = (const float*)((const char*)view->data + (view->rows - 1) * view->stride);
    printf("frame %3d: free end at (%.3f, %.3f, %.3f) m\n", frame, last[0], last[1], last[2]);
}

int main(void) {
    const taut_scene_def scene_def = taut_default_scene();
    taut_scene* scene = NULL;
    check(taut_scene_create(&scene_def, &scene));
    const taut_batch springs = add_string(scene);
    taut_world_def world_def = taut_default_world();
    world_def.backend = TAUT_BACKEND_CPU; /* a view may lie on the device elsewhere */
    taut_world* world = NULL;
    check(taut_world_create(scene, &world_def, &world));
    taut_scene_destroy(scene);

    double compliances[PARTICLES - 1];
    for (int frame = 1; frame <= FRAMES; frame++) {
        const double time = frame / 60.0;
        for (int i = 0; i < PARTICLES - 1; i++) {
            compliances[i] = 1e-2 * (1 - cos(time)); /* m/N: hard at first, then softer */
        }
        check(taut_world_move_fixed(world, 1, (uint32_t[]){0}, (double[]){0, 0.1 * sin(3 * time), 0}));
        check(taut_world_set_compliances(world, springs, 0, PARTICLES - 1, compliances));
        check(taut_world_step(world, 1.0 / 60));
        taut_array view; /* changes with the next step */
        check(taut_world_view(world, TAUT_FIELD_POSITIONS_F32, &view));
        if (frame % 20 == 0) {
            draw(frame, &view);
        }
    }
    taut_world_destroy(world);
    return 0;
}
