#include "tetrahedra.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH   0.1  /* m; twice as long */
#define DENSITY 1000 /* kg/m^3 */
#define YOUNG   1e5  /* Pa */
#define POISSON 0.45

/* 2n x n x n cells; particle (i, j, k) has number (i * (n + 1) + j) * (n + 1) + k. */
static uint32_t at(size_t n, size_t i, size_t j, size_t k) {
    return (uint32_t)((i * (n + 1) + j) * (n + 1) + k);
}

static size_t add_particles(taut_scene* scene, size_t n) {
    const size_t total = (2 * n + 1) * (n + 1) * (n + 1);
    const double edge = WIDTH / (double)n;
    double* positions = bench_allocate(3 * total, sizeof *positions);
    bool* fixed = bench_allocate(total, sizeof *fixed);
    for (size_t p = 0; p < total; p++) {
        const size_t i = p / ((n + 1) * (n + 1));
        positions[3 * p] = edge * (double)i;
        positions[3 * p + 1] = edge * (double)(p / (n + 1) % (n + 1));
        positions[3 * p + 2] = edge * (double)(p % (n + 1));
        fixed[p] = i == 0;
    }
    taut_particles_def def = taut_default_particles();
    def.count = total;
    def.positions = positions;
    def.mass = 2 * DENSITY * WIDTH * WIDTH * WIDTH / (double)total;
    def.fixed = fixed;
    bench_must(taut_scene_add_particles(scene, &def, NULL));
    free(positions);
    free(fixed);
    return total;
}

/* Six tetrahedra round the long diagonal of a cell: one for each order of the three axes, walked from corner to
 * opposite corner. An odd order has its middle corners exchanged, which turns its volume positive. */
void block_split_cell(size_t n, size_t i, size_t j, size_t k, uint32_t out[24]) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (size_t t = 0; t < 6; t++) {
        size_t corner[3] = {i, j, k};
        uint32_t walk[4] = {at(n, i, j, k)};
        for (size_t s = 0; s < 3; s++) {
            corner[orders[t][s]]++;
            walk[s + 1] = at(n, corner[0], corner[1], corner[2]);
        }
        const bool odd = t >= 3;
        out[4 * t] = walk[0];
        out[4 * t + 1] = walk[odd ? 2 : 1];
        out[4 * t + 2] = walk[odd ? 1 : 2];
        out[4 * t + 3] = walk[3];
    }
}

static size_t add_tetrahedra(taut_scene* scene, size_t n) {
    const size_t cells = 2 * n * n * n;
    uint32_t* nodes = bench_allocate(24 * cells, sizeof *nodes);
    for (size_t c = 0; c < cells; c++) {
        block_split_cell(n, c / (n * n), c / n % n, c % n, nodes + 24 * c);
    }
    taut_tet_strain_def def = taut_default_tet_strain();
    def.count = 6 * cells;
    def.particles = nodes;
    def.softness = 1 / YOUNG;
    def.poisson = POISSON;
    bench_must(taut_scene_add_tet_strains(scene, &def, NULL));
    free(nodes);
    return 6 * cells;
}

taut_scene* make_block(size_t size, bench_counts* counts) {
    const size_t n = (size_t)fmax(1, round(cbrt((double)size / 12)));
    taut_scene* scene = NULL;
    const taut_scene_def def = taut_default_scene();
    bench_must(taut_scene_create(&def, &scene));
    counts->particles = add_particles(scene, n);
    counts->constraints[TAUT_TET_STRAIN] = add_tetrahedra(scene, n);
    return scene;
}
