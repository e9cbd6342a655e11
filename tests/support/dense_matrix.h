/* Small dense linear algebra and random numbers for the tests, written without a look at the library. */
#ifndef TAUT_TEST_DENSE_MATRIX_H
#define TAUT_TEST_DENSE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Uniform numbers, the same on every machine. Seed with any number. */
typedef struct random_state {
    uint64_t s;
} random_state;

/* Values by number that no order has, in (-1, 1). */
static inline double random_of(size_t number) {
    uint32_t i = (uint32_t)number;
    i = (i ^ (i >> 15)) * 2246822519u;
    i = (i ^ (i >> 13)) * 3266489917u;
    return (double)(i ^ (i >> 16)) / 2147483648.0 - 1;
}

double random_in(random_state* state, double low, double high);
void random_fill(random_state* state, double low, double high, size_t count, double* out);
/* A random rotation matrix, row by row. */
void random_rotation(random_state* state, double out[9]);

double dense_dot(size_t n, const double* a, const double* b);
double dense_norm(size_t n, const double* a);
double dense_max(size_t n, const double* a);
bool dense_all_finite(int count, const double* values);
/* Largest |a_i - b_i|; infinity where one of them is not finite. */
double dense_max_difference(size_t n, const double* a, const double* b);
/* out = m a, m of size rows x columns, row by row. */
void dense_apply(size_t rows, size_t columns, const double* m, const double* a, double* out);

/* Eigenvalues and eigenvectors (columns of v) of the symmetric n x n matrix a by cyclic Jacobi; a is destroyed, its
 * diagonal holds the eigenvalues. */
void dense_eigen(size_t n, double* a, double* v);
/* out = the positive part of the symmetric n x n matrix a, n <= 16: eigenvalues below zero replaced by zero. */
void dense_positive_part(size_t n, const double* a, double* out);
/* out = a - s b of symmetric 3 x 3 matrices, a positive semidefinite, with the largest s up to 1, in parts of 1/2048,
 * with which out is, too; s = 0 where `most` - a + b is positive semidefinite. */
void dense_take_off(const double* a, const double* b, const double* most, double* out);

#endif
