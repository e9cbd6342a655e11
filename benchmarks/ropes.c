#include "ropes.h"

#include <math.h>
#include <stdlib.h>

#define LENGTH       1.0  /* m */
#define MASS         0.1  /* kg, of a thread without its load */
#define GAP          0.02 /* m, between threads */
#define ROPE_LINKS   100
#define ROPE_TILT    0.8  /* rad from the vertical at the start */
#define ROPE_BENDING 1e-2 /* m/N, of a spring between every other particle */
#define LOAD_LINKS   100
#define LOAD_TILT    0.1 /* rad */
#define LOAD_RATIO   1e5 /* load to mass of the chain */

/* `count` equal straight threads side by side, each fixed at its first particle. */
typedef struct bundle {
    size_t count;
    size_t links; /* of one thread */
    double tilt;
    double load; /* kg, added to the last particle of each thread */
    taut_scene* scene;
} bundle;

static void add_particles(const bundle* b) {
    const size_t each = b->links + 1, total = b->count * each;
    double* positions = bench_allocate(3 * total, sizeof *positions);
    double* masses = bench_allocate(total, sizeof *masses);
    bool* fixed = bench_allocate(total, sizeof *fixed);
    for (size_t i = 0; i < total; i++) {
        const size_t k = i % each;
        const double s = LENGTH * (double)k / (double)b->links;
        positions[3 * i] = s * sin(b->tilt);
        positions[3 * i + 1] = -s * cos(b->tilt);
        positions[3 * i + 2] = GAP * (double)(i / each);
        masses[i] = MASS / (double)b->links + (k == b->links ? b->load : 0);
        fixed[i] = k == 0;
    }
    taut_particles_def def = taut_default_particles();
    def.count = total;
    def.positions = positions;
    def.masses = masses;
    def.fixed = fixed;
    bench_must(taut_scene_add_particles(b->scene, &def, NULL));
    free(positions);
    free(masses);
    free(fixed);
}

/* A distance between every particle and the one `stride` further along its thread. */
static size_t add_links(const bundle* b, size_t stride, double compliance) {
    const size_t each = b->links + 1 - stride, count = b->count * each;
    uint32_t* pairs = bench_allocate(2 * count, sizeof *pairs);
    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = (uint32_t)(i / each * (b->links + 1) + i % each);
        pairs[2 * i + 1] = pairs[2 * i] + (uint32_t)stride;
    }
    taut_distance_def def = taut_default_distance();
    def.count = count;
    def.particles = pairs;
    def.compliance = compliance;
    bench_must(taut_scene_add_distances(b->scene, &def, NULL));
    free(pairs);
    return count;
}

static void begin(bundle* b, bench_counts* counts) {
    const taut_scene_def def = taut_default_scene();
    bench_must(taut_scene_create(&def, &b->scene));
    add_particles(b);
    counts->particles = b->count * (b->links + 1);
    counts->constraints[TAUT_DISTANCE] = add_links(b, 1, 0);
}

taut_scene* make_ropes(size_t size, bench_counts* counts) {
    const size_t each = 2 * ROPE_LINKS - 1;
    bundle b = {.count = size < each ? 1 : (size + each / 2) / each, .links = ROPE_LINKS, .tilt = ROPE_TILT};
    begin(&b, counts);
    counts->constraints[TAUT_DISTANCE] += add_links(&b, 2, ROPE_BENDING);
    return b.scene;
}

taut_scene* make_load(size_t size, bench_counts* counts) {
    bundle b = {.count = (size + LOAD_LINKS / 2) / LOAD_LINKS,
                .links = LOAD_LINKS,
                .tilt = LOAD_TILT,
                .load = LOAD_RATIO * MASS};
    begin(&b, counts);
    return b.scene;
}
