/* A square symmetric matrix in compressed rows, all of it. */
#ifndef COMPARE_SPARSE_H
#define COMPARE_SPARSE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sparse {
    size_t rows;
    int* offsets; /* rows + 1 */
    int* columns; /* ascending within a row */
    double* values;
} sparse;

void sparse_free(sparse* a);
/* out = a in */
void sparse_multiply(const sparse* a, const double* in, double* out);

#ifdef __cplusplus
}
#endif

#endif
