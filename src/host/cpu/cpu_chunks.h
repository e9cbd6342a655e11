/* Sums over items in an order that the number of threads does not change. */
#ifndef TAUT_CPU_CPU_CHUNKS_H
#define TAUT_CPU_CPU_CHUNKS_H

#include "host/cpu/cpu_state.h"

#include <string.h>

static inline size_t chunk_end(size_t chunk, size_t n) {
    return n < (chunk + 1) * TAUT_CHUNK ? n : (chunk + 1) * TAUT_CHUNK;
}

/* sums += `item` of `own` over i < n, chunk by chunk; both of a struct of at most TAUT_PARTIALS doubles. */
#define ADD_CHUNKS(type, n, item)                                                                                      \
    {                                                                                                                  \
        const size_t values = (n), chunks = (values + TAUT_CHUNK - 1) / TAUT_CHUNK;                                    \
        _Pragma(                                                                                                       \
            "omp parallel for num_threads(plan->settings.threads) schedule(static) if (chunks > 1)") for (size_t       \
                                                                                                              chunk =  \
                                                                                                                  0;   \
                                                                                                          chunk <      \
                                                                                                          chunks;      \
                                                                                                          chunk++) {   \
            type own = {0};                                                                                            \
            for (size_t i = chunk * TAUT_CHUNK; i < chunk_end(chunk, values); i++) {                                   \
                item;                                                                                                  \
            }                                                                                                          \
            memcpy(f->partial + TAUT_PARTIALS * chunk, &own, sizeof own);                                              \
        }                                                                                                              \
        for (size_t chunk = 0; chunk < chunks; chunk++) {                                                              \
            add_doubles(f->partial + TAUT_PARTIALS * chunk, sizeof sums / sizeof(double), &sums);                      \
        }                                                                                                              \
    }

static inline void add_doubles(const double* from, size_t count, void* sums) {
    for (size_t i = 0; i < count; i++) {
        ((double*)sums)[i] += from[i];
    }
}

#endif
