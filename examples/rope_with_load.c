/* A hard rope of 0.1 kg carries 100 kg. The multipliers of its links are their forces in newtons; at rest each link
 * must carry the weight that hangs below it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <taut/taut.h>

enum { LINKS = 20, FRAMES = 60 };

static const double length = 1, rope_mass = 0.1, load = 100, gravity = 9.81;

static void check(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s\n", taut_last_error());
        exit(1);
    }
}

/* A straight rope that hangs from its first particle. */
static taut_batch add_rope(taut_scene* scene) {
    double positions[3 * (LINKS + 1)] = {0}, masses[LINKS + 1];
    uint32_t pairs[2 * LINKS];
    for (uint32_t i = 0; i <= LINKS; i++) {
        positions[3 * i + 1] = -length * i / LINKS;
        masses[i] = i < LINKS ? rope_mass / LINKS : load;
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    taut_particles_def particles = taut_default_particles();
    particles.count = LINKS + 1;
    particles.positions = positions;
    particles.masses = masses;
    check(taut_scene_add_particles(scene, &particles, NULL));
    check(taut_scene_set_fixed(scene, 1, (uint32_t[]){0}, true));

    taut_distance_def links = taut_default_distance(); /* compliance 0: hard */
    links.count = LINKS;
    links.particles = pairs;
    taut_batch batch;
    check(taut_scene_add_distances(scene, &links, &batch));
    return batch;
}

int main(void) {
    const taut_scene_def scene_def = taut_default_scene();
    taut_scene* scene = NULL;
    check(taut_scene_create(&scene_def, &scene));
    const taut_batch batch = add_rope(scene);
    const taut_world_def world_def = taut_default_world();
    taut_world* world = NULL;
    check(taut_world_create(scene, &world_def, &world));
    taut_scene_destroy(scene);
    for (int frame = 0; frame < FRAMES; frame++) {
        check(taut_world_step(world, 1.0 / 60));
    }

    taut_range rows;
    double forces[LINKS], worst = 0;
    check(taut_world_batch_rows(world, batch, &rows));
    check(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, rows.first, rows.count, forces));
    for (int i = 0; i < LINKS; i++) {
        const double carried = gravity * (load + rope_mass * (LINKS - 1 - i) / LINKS);
        worst = fmax(worst, fabs(-forces[i] / carried - 1)); /* a pull is negative */
    }
    printf("top link %.3f N, bottom link %.3f N, worst error %.1e of the weight carried\n", -forces[0],
           -forces[LINKS - 1], worst);
    taut_world_destroy(world);
    return worst < 1e-3 ? 0 : 1;
}
