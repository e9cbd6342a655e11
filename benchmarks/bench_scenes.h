/* The scenes of the benchmark: generated, and sized by one number. */
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include <taut/taut.h>

typedef struct bench_counts {
    size_t particles;
    size_t constraints[TAUT_KIND_COUNT];
} bench_counts;

typedef struct bench_scene {
    const char* name;
    const char* text; /* one line for --help */
    /* What taut's automatic choice comes to here; named, so that the traffic model knows it. */
    taut_preconditioner preconditioner;
    /* About `size` constraints; the caller destroys the scene. Ends the program where it fails. */
    taut_scene* (*make)(size_t size, bench_counts* counts);
} bench_scene;

extern const bench_scene bench_scenes[];
extern const size_t bench_scene_count;

/* Ends the program with the library's sentence unless `status` is TAUT_OK: a benchmark has no other way on. */
void bench_must(taut_status status);

/* Zeroed memory, or the end of the program. */
void* bench_allocate(size_t count, size_t bytes);

#endif
