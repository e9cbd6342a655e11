/* What surrounds a fragment of C on a page. It finds
 *     of a scene    `scene` and `springs`, before the world is made; the world is made and stepped behind it
 *     of a world    `world` too, stepped twice; it is stepped again behind the fragment
 *     of nothing    only the arrays: it makes its own scene and world (`empty`)
 * and everywhere `n` positions of a level string, `m` pairs of neighbours, and `draw`. A fragment that changes what
 * taut_last_error() says has failed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut/taut.h>

enum { n = 21, m = n - 1 };

static double positions[3 * n];
static uint32_t pairs[2 * m];
static size_t drawn;

static void draw(const void* data, size_t rows, size_t stride) {
    drawn += data != NULL && stride >= 3 * sizeof(float) ? rows : 0;
}

static void check(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s: %s\n", taut_status_name(status), taut_last_error());
        exit(1);
    }
}

static void make_arrays(void) {
    for (uint32_t i = 0; i < n; i++) {
        positions[3 * i] = 0.05 * i;
    }
    for (uint32_t i = 0; i < 2 * m; i++) {
        pairs[i] = (i + 1) / 2;
    }
}

static taut_scene* make_scene(taut_batch* springs) {
    taut_scene* scene = NULL;
    const taut_scene_def def = taut_default_scene();
    taut_particles_def particles = taut_default_particles();
    taut_distance_def links = taut_default_distance();
    particles.count = n;
    particles.positions = positions;
    particles.mass = 0.01;
    links.count = m;
    links.particles = pairs;
    links.compliance = 1e-4;
    check(taut_scene_create(&def, &scene));
    check(taut_scene_add_particles(scene, &particles, NULL));
    check(taut_scene_set_fixed(scene, 1, (const uint32_t[]){0}, true));
    check(taut_scene_add_distances(scene, &links, springs));
    return scene;
}

int main(void) {
    /* What a world of the default backend leaves behind on a machine without a GPU is there from the start. */
    char before[1024] = "";
    if (taut_backend_available(TAUT_BACKEND_CUDA) != TAUT_OK) {
        snprintf(before, sizeof before, "%s", taut_last_error());
    }
    make_arrays();
#ifdef FRAGMENT_OF_EMPTY
#include "fragment.inc"
#else
    taut_batch springs;
    taut_scene* scene = make_scene(&springs);
    taut_world_def world_def = taut_default_world();
    world_def.backend = TAUT_BACKEND_CPU;
    taut_world* world = NULL;
#ifdef FRAGMENT_OF_SCENE
    {
#include "fragment.inc"
    }
#endif
    check(taut_world_create(scene, &world_def, &world));
    check(taut_world_step(world, 1.0 / 60));
    check(taut_world_step(world, 1.0 / 60));
#ifdef FRAGMENT_OF_WORLD
    {
#include "fragment.inc"
    }
#endif
    check(taut_world_step(world, 1.0 / 60));
    taut_world_destroy(world);
    taut_scene_destroy(scene);
#endif
    if (strncmp(taut_last_error(), before, sizeof before - 1) != 0) {
        fprintf(stderr, "%s\n", taut_last_error());
        return 1;
    }
    return 0;
}
