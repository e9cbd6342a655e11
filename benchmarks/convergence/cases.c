#include "cases.h"

#include "chain_cases.h"
#ifdef BENCH_WITH_MESHES
#include "convergence_meshes.h"
#endif
#include "sheets.h"
#include "tetrahedra.h"

static taut_scene* finish(springs s, size_t* vertices) {
    taut_scene* scene = springs_scene(&s);
    *vertices = s.particles;
    springs_free(&s);
    return scene;
}

#define SPRINGS_CASE(name, model)                                                                                      \
    static taut_scene* name(size_t size, double compliance, const char* file, size_t* vertices) {                      \
        (void)file;                                                                                                    \
        return finish(model(size, compliance), vertices);                                                              \
    }

SPRINGS_CASE(cloth, make_regular_sheet)
SPRINGS_CASE(unstructured, make_irregular_sheet)
SPRINGS_CASE(net, make_thread_net)
SPRINGS_CASE(rope_on_cloth, make_rope_on_sheet)
SPRINGS_CASE(rope, make_chain)
SPRINGS_CASE(load, make_loaded_chain)

/* `size` cells across, twice as many along. Its material is that of the benchmark table. */
static taut_scene* block(size_t size, double compliance, const char* file, size_t* vertices) {
    (void)file, (void)compliance;
    bench_counts counts = {0};
    taut_scene* scene = make_block(12 * size * size * size, &counts);
    *vertices = counts.particles;
    return scene;
}

#ifdef BENCH_WITH_MESHES
static taut_scene* mesh(size_t size, double compliance, const char* file, size_t* vertices) {
    return finish(make_garment(file, size, compliance), vertices);
}

static taut_scene* tets(size_t size, double compliance, const char* file, size_t* vertices) {
    return make_solid(file, size, compliance, vertices);
}
#endif

const convergence_case convergence_cases[] = {
    {"cloth",
     "n x n vertices draped from two corners: threads, diagonals, bending springs",
     1e-4,
     false,
     {16, 32, 64},
     4,
     8,
     cloth},
    {"unstructured",
     "the same without order: edges, and hinges of 1e3 rad/(N m)",
     1e-4,
     false,
     {16, 32, 64},
     4,
     8,
     unstructured},
    {"net", "n x n vertices, hard threads alone", 0, false, {16, 32, 64}, 4, 8, net},
    {"rope", "hard chain of n links", 0, false, {100, 1000}, 2, 20, rope},
    {"load", "the same with 1e5 times its mass at its end", 0, false, {100, 1000}, 2, 20, load},
    {"rope_on_cloth", "a stiff rope of 200 links hung from a cloth of n x n", 1e-4, false, {64}, 4, 8, rope_on_cloth},
    {"block",
     "soft block of tetrahedra, n x n x 2n cells, 1e5 Pa, Poisson 0.45, held at one end",
     1e-5,
     false,
     {4, 8},
     1,
     1,
     block},
#ifdef BENCH_WITH_MESHES
    {"mesh", "mesh=FILE: a garment scaled to 1 m, its triangles refined n times", 1e-4, true, {0}, 0, 0, mesh},
    {"tets",
     "tets=FILE: tetrahedra scaled to 1 m, Poisson 0.3, 1/E for the compliance, refined n times",
     1e-6,
     true,
     {0},
     0,
     0,
     tets},
#endif
};

const size_t convergence_case_count = sizeof convergence_cases / sizeof convergence_cases[0];
