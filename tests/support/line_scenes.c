#include "line_scenes.h"

#include <math.h>
#include <stdlib.h>

#define TILT 0.1
#define MASS 0.1

static uint32_t add_chain(taut_scene* scene, size_t links, double x, double load, double compliance, double bending) {
    double *points = phys_array(3 * (links + 1), sizeof *points), *masses = phys_array(links + 1, sizeof *masses);
    phys_tuples pairs = {links, phys_array(2 * links, sizeof(uint32_t))};
    taut_particles_def def = taut_default_particles();
    taut_range range = {0, 0};
    for (size_t i = 0; i <= links; i++) {
        const double s = (double)i / (double)links;
        points[3 * i] = x + s * sin(TILT);
        points[3 * i + 1] = -s * cos(TILT);
        masses[i] = MASS / (double)links + (i == links ? load : 0);
    }
    def.count = links + 1;
    def.positions = points;
    def.masses = masses;
    CHECK_OK(taut_scene_add_particles(scene, &def, &range));
    for (size_t i = 0; i < 2 * links; i++) {
        pairs.items[i] = (uint32_t)(range.first + (i + 1) / 2);
    }
    phys_add_links(scene, &pairs, compliance, 0);
    for (size_t i = 0; bending >= 0 && i < links - 1; i++) {
        pairs.items[2 * i] = (uint32_t)(range.first + i);
        pairs.items[2 * i + 1] = (uint32_t)(range.first + i + 2);
    }
    pairs.count = links - 1;
    if (bending >= 0) {
        phys_add_links(scene, &pairs, bending, 0);
    }
    phys_fix(scene, 1, (const uint32_t[]){(uint32_t)range.first});
    free(points);
    free(masses);
    free(pairs.items);
    return (uint32_t)range.first;
}

static void add_link(taut_scene* scene, uint32_t a, uint32_t b) {
    uint32_t pair[2] = {a, b};
    const phys_tuples one = {1, pair};
    phys_add_links(scene, &one, 0, 0);
}

static taut_scene* empty(void) {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    CHECK_OK(taut_scene_create(&def, &scene));
    return scene;
}

taut_scene* line_scene_chain(size_t links, double load, double compliance) {
    taut_scene* scene = empty();
    add_chain(scene, links, 0, load, compliance, -1);
    return scene;
}

taut_scene* line_scene_bending(size_t links, double bending) {
    taut_scene* scene = empty();
    add_chain(scene, links, 0, 0, 0, bending);
    return scene;
}

taut_scene* line_scene_branch(size_t links) {
    taut_scene* scene = empty();
    const uint32_t first = add_chain(scene, links, 0, 0, 0, -1), second = add_chain(scene, links, 0.3, 1000, 0, -1);
    add_link(scene, first + (uint32_t)links / 2, second + (uint32_t)links / 3);
    return scene;
}

static phys_tuples net_links(size_t n) {
    phys_tuples links = {2 * n * (n - 1), phys_array(4 * n * (n - 1), sizeof(uint32_t))};
    for (size_t i = 0; i < n * (n - 1); i++) {
        const size_t row = i / (n - 1), column = i % (n - 1);
        uint32_t *along = links.items + 2 * i, *down = along + 2 * n * (n - 1);
        along[0] = (uint32_t)(row * n + column);
        along[1] = along[0] + 1;
        down[0] = (uint32_t)(column * n + row);
        down[1] = down[0] + (uint32_t)n;
    }
    return links;
}

taut_scene* line_scene_net(size_t n) {
    double *points = phys_array(3 * n * n, sizeof *points), *masses = phys_array(n * n, sizeof *masses);
    for (size_t i = 0; i < n * n; i++) {
        const double u = (double)(i % n) / (double)(n - 1), v = (double)(i / n) / (double)(n - 1);
        points[3 * i] = u;
        points[3 * i + 1] = -v;
        points[3 * i + 2] = 0.01 * sin(12 * u + 5 * v) * v;
        masses[i] = 0.2 / (double)(n * n);
    }
    taut_scene* scene = phys_scene(n * n, points, masses);
    const phys_tuples links = net_links(n);
    phys_add_links(scene, &links, 0, 0);
    phys_fix(scene, 2, (const uint32_t[]){0, (uint32_t)n - 1});
    free(links.items);
    free(points);
    free(masses);
    return scene;
}

taut_scene* line_scene_tied(size_t n, size_t links) {
    taut_scene* scene = line_scene_net(n);
    const uint32_t first = add_chain(scene, links, 0.5, 0, 0, -1);
    add_link(scene, first + (uint32_t)links, (uint32_t)(n * (n - 1) + n / 2));
    return scene;
}

taut_scene* line_scene_loop(size_t links) {
    double* points = phys_array(3 * links, sizeof *points);
    phys_tuples pairs = {links, phys_array(2 * links, sizeof(uint32_t))};
    for (size_t i = 0; i < links; i++) {
        const double angle = 2 * PHYS_PI * (double)i / (double)links;
        points[3 * i] = sin(angle);
        points[3 * i + 1] = cos(angle);
        pairs.items[2 * i] = (uint32_t)i;
        pairs.items[2 * i + 1] = (uint32_t)((i + 1) % links);
    }
    taut_scene* scene = phys_scene(links, points, NULL);
    phys_add_links(scene, &pairs, 0, 0);
    phys_fix(scene, 1, (const uint32_t[]){0});
    free(points);
    free(pairs.items);
    return scene;
}

taut_scene* line_scene_rod(size_t pieces) {
    taut_scene* scene = empty();
    taut_rods_def def = taut_default_rods();
    def.radius = 0.01;
    def.young = 1e9;
    def.shear = 4e8;
    const taut_rod_ranges rod = phys_add_rod(scene, &def, phys_rod_along_x(pieces, 1));
    CHECK_OK(taut_scene_set_frames_fixed(scene, 1, (const uint32_t[]){(uint32_t)rod.frames.first}, true));
    phys_fix(scene, 1, (const uint32_t[]){(uint32_t)rod.points.first});
    return scene;
}

taut_scene* line_scene_pinned(size_t links) {
    const double left[3] = {0, 0, 0}, right[3] = {1, 0, 0};
    double* masses = phys_array(links + 1, sizeof *masses);
    for (size_t i = 0; i <= links; i++) {
        masses[i] = MASS / (double)links;
    }
    taut_batch batch;
    taut_scene* scene = phys_chain(links, left, right, masses, 0, &batch);
    phys_fix(scene, 1, (const uint32_t[]){(uint32_t)links});
    free(masses);
    return scene;
}
