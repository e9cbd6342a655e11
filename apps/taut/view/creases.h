/* Which corners of triangles share a normal. */
#ifndef TAUT_VIEW_CREASES_H
#define TAUT_VIEW_CREASES_H

#include <cstddef>
#include <cstdint>
#include <vector>

// Corners at a point share a vertex where their triangles meet at less than `degrees`. `points` receives the point of
// each vertex, `corners` the three vertices of each triangle.
void split_at_creases(const double (*positions)[3], const uint32_t (*triangles)[3], size_t count, float degrees,
                      std::vector<uint32_t>& points, std::vector<uint32_t>& corners);

#endif
