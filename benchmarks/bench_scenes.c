#include "bench_scenes.h"

#include "option_values.h"
#include "ropes.h"
#include "sheet.h"
#include "tetrahedra.h"

#include <stdio.h>
#include <stdlib.h>

const bench_scene bench_scenes[] = {
    {"cloth", "sheet hung from two corners: springs along edges and diagonals, bending", TAUT_PRECONDITIONER_JACOBI,
     make_cloth},
    {"shuffled", "the same, particles and constraints numbered without order", TAUT_PRECONDITIONER_JACOBI,
     make_shuffled_cloth},
    {"net", "net of hard threads hung from two corners", TAUT_PRECONDITIONER_BLOCK, make_net},
    {"ropes", "bundle of hard ropes of 100 links with bending", TAUT_PRECONDITIONER_BLOCK, make_ropes},
    {"load", "hard chains of 100 links, each with 1e5 times its weight at its end", TAUT_PRECONDITIONER_BLOCK,
     make_load},
    {"block", "soft block of tetrahedra held at one end", TAUT_PRECONDITIONER_JACOBI, make_block},
};

const size_t bench_scene_count = sizeof bench_scenes / sizeof bench_scenes[0];

void bench_must(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s: %s\n", option_program, taut_last_error());
        exit(1);
    }
}

void* bench_allocate(size_t count, size_t bytes) {
    void* memory = calloc(count, bytes);
    if (memory == NULL) {
        fprintf(stderr, "%s: %zu x %zu bytes of memory were refused\n", option_program, count, bytes);
        exit(1);
    }
    return memory;
}
