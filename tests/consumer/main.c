/* A pendulum through the installed headers and library only. */
#include <stdio.h>
#include <string.h>
#include <taut/taut.h>

static int failed(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s: %s\n", taut_status_name(status), taut_last_error());
    }
    return status != TAUT_OK;
}

static int make_scene(taut_scene** scene) {
    const taut_scene_def scene_def = taut_default_scene();
    const double positions[6] = {0, 0, 0, 1, 0, 0};
    const bool fixed[2] = {true, false};
    const uint32_t pair[2] = {0, 1};
    taut_particles_def particles = taut_default_particles();
    particles.count = 2;
    particles.positions = positions;
    particles.fixed = fixed;
    taut_distance_def rod = taut_default_distance();
    rod.count = 1;
    rod.particles = pair;
    return failed(taut_scene_create(&scene_def, scene)) || failed(taut_scene_add_particles(*scene, &particles, NULL)) ||
           failed(taut_scene_add_distances(*scene, &rod, NULL));
}

int main(void) {
    char header[32];
    snprintf(header, sizeof header, "%d.%d.%d", TAUT_VERSION_MAJOR, TAUT_VERSION_MINOR, TAUT_VERSION_PATCH);
    if (strcmp(header, taut_version()) != 0) {
        fprintf(stderr, "headers of version %s, library of version %s\n", header, taut_version());
        return 1;
    }
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    const taut_world_def def = taut_default_world();
    double end[3] = {0};
    int bad = make_scene(&scene) || failed(taut_world_create(scene, &def, &world));
    for (int frame = 0; !bad && frame < 30; frame++) {
        bad = failed(taut_world_step(world, 1.0 / 60));
    }
    bad = bad || failed(taut_world_read(world, TAUT_FIELD_POSITIONS, 1, 1, end));
    taut_world_destroy(world);
    taut_scene_destroy(scene);
    printf("taut %s: the pendulum's end is at (%.3f, %.3f)\n", taut_version(), end[0], end[1]);
    return bad || !(end[1] < -0.5);
}
