#include "springs.h"

#include "bench_scenes.h"

#include <stdlib.h>
#include <string.h>

springs springs_make(size_t particles) {
    springs s = {0};
    springs_extend(&s, particles);
    return s;
}

void springs_free(springs* s) {
    free(s->positions);
    free(s->masses);
    free(s->fixed);
    free(s->pairs);
    free(s->lengths);
    free(s->compliances);
    free(s->corners);
    *s = (springs){0};
}

/* A zeroed array of `to` elements that begins with the `from` old ones. */
static void* grown(void* array, size_t bytes, size_t from, size_t to) {
    void* larger = bench_allocate(to, bytes);
    if (from > 0) {
        memcpy(larger, array, from * bytes);
    }
    free(array);
    return larger;
}

uint32_t springs_extend(springs* s, size_t particles) {
    const size_t old = s->particles;
    s->particles += particles;
    s->positions = grown(s->positions, 3 * sizeof(double), old, s->particles);
    s->masses = grown(s->masses, sizeof(double), old, s->particles);
    s->fixed = grown(s->fixed, sizeof(bool), old, s->particles);
    return (uint32_t)old;
}

void springs_add(springs* s, uint32_t a, uint32_t b, double length, double compliance) {
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity > 0 ? 2 * s->capacity : 1024;
        s->pairs = grown(s->pairs, 2 * sizeof(uint32_t), s->count, capacity);
        s->lengths = grown(s->lengths, sizeof(double), s->count, capacity);
        s->compliances = grown(s->compliances, sizeof(double), s->count, capacity);
        s->capacity = capacity;
    }
    s->pairs[2 * s->count] = a;
    s->pairs[2 * s->count + 1] = b;
    s->lengths[s->count] = length;
    s->compliances[s->count] = compliance;
    s->count++;
}

static void add_distances(const springs* s, taut_scene* scene) {
    taut_distance_def def = taut_default_distance();
    def.count = s->count;
    def.particles = s->pairs;
    def.rest_lengths = s->lengths;
    def.compliances = s->compliances;
    bench_must(taut_scene_add_distances(scene, &def, NULL));
}

static void add_hinges(const springs* s, taut_scene* scene) {
    double* flat = bench_allocate(s->hinges, sizeof *flat);
    taut_bend_def def = taut_default_bend();
    def.count = s->hinges;
    def.particles = s->corners;
    def.rest_angles = flat;
    def.compliance = s->bending;
    bench_must(taut_scene_add_bends(scene, &def, NULL));
    free(flat);
}

taut_scene* springs_scene(const springs* s) {
    taut_scene* scene = NULL;
    const taut_scene_def scene_def = taut_default_scene();
    bench_must(taut_scene_create(&scene_def, &scene));
    taut_particles_def particles = taut_default_particles();
    particles.count = s->particles;
    particles.positions = s->positions;
    particles.masses = s->masses;
    particles.fixed = s->fixed;
    bench_must(taut_scene_add_particles(scene, &particles, NULL));
    if (s->count > 0) {
        add_distances(s, scene);
    }
    if (s->hinges > 0) {
        add_hinges(s, scene);
    }
    return scene;
}
