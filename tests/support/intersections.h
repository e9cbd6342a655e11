/* Whether triangles go through each other, told without a look at the library: by the parameters of lines and planes,
 * and all pairs. */
#ifndef TAUT_TEST_INTERSECTIONS_H
#define TAUT_TEST_INTERSECTIONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Edges (2 points each) that go through triangles (3 each) with which they share no point. */
size_t intersections_of(const double* x, size_t edges, const uint32_t* ends, size_t triangles, const uint32_t* corners);
/* The least distance of a point to triangles. */
double distance_to_triangles(const double p[3], const double* x, size_t triangles, const uint32_t* corners);

#ifdef __cplusplus
}
#endif

#endif
