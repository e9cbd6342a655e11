/* What the library asks of the CUDA runtime, counted: the linker sends its calls through here (--wrap). */
#ifndef BENCH_CUDA_CALLS_H
#define BENCH_CUDA_CALLS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct call_counts {
    size_t launches; /* of kernels, one by one; also those that a capture records */
    size_t graph_launches;
    size_t synchronisations; /* for which the host waits, blocking copies among them */
    size_t copies;           /* asynchronous */
    size_t allocations;
} call_counts;

/* Nodes of the graph that was instantiated last, and of the bodies of its conditional nodes in order of creation. */
#define CALLS_MOST_BODIES 8
typedef struct graph_shape {
    size_t nodes;
    size_t bodies;
    size_t body_nodes[CALLS_MOST_BODIES];
} graph_shape;

/* Forgets the calls and the graph. */
void calls_reset(void);
call_counts calls_read(void);
graph_shape calls_graph(void);

#ifdef __cplusplus
}
#endif

#endif
