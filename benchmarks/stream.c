#include "stream.h"

#include "bench_scenes.h"

#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#define SWEEPS 8

double stream_triad(int threads, size_t bytes) {
    const size_t n = bytes / (3 * sizeof(double));
    double* memory = malloc(3 * n * sizeof *memory);
    if (memory == NULL) {
        return 0;
    }
    double *a = memory, *b = a + n, *c = b + n, best = 0;
    /* Pages belong to the thread that first writes them. */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = 1;
        c[i] = (double)i;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double begin = omp_get_wtime();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (size_t i = 0; i < n; i++) {
            a[i] = b[i] + 3 * c[i];
        }
        const double rate = (double)(3 * n * sizeof(double)) / (omp_get_wtime() - begin) / 1e9;
        best = rate > best ? rate : best;
    }
    /* A use of the result: without one the compiler may leave the sweeps out. */
    best = a[n / 2] > 0 ? best : 0;
    free(memory);
    return best;
}

size_t stream_bytes(void) {
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const size_t wanted = 4 * (size_t)(cache > 0 ? cache : 32L << 20);
    const size_t most = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 8;
    return wanted < most ? wanted : most;
}
