#include "sparse.h"

#include <stdlib.h>

void sparse_free(sparse* a) {
    free(a->offsets);
    free(a->columns);
    free(a->values);
    *a = (sparse){0};
}

void sparse_multiply(const sparse* a, const double* in, double* out) {
    for (size_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
            sum += a->values[e] * in[a->columns[e]];
        }
        out[i] = sum;
    }
}
