#include "creases.h"

#include <cmath>
#include <glm/glm.hpp>
#include <numeric>

static glm::dvec3 unit_normal(const double (*x)[3], const uint32_t triangle[3]) {
    const auto at = [&](int k) { return glm::dvec3(x[triangle[k]][0], x[triangle[k]][1], x[triangle[k]][2]); };
    const glm::dvec3 normal = glm::cross(at(1) - at(0), at(2) - at(0));
    const double length = glm::length(normal);
    return length > 0 ? normal / length : glm::dvec3(0);
}

// The corners of all triangles by their points: those of point p are order[offsets[p]] to order[offsets[p + 1]].
static void sort_corners(const uint32_t (*triangles)[3], size_t count, std::vector<size_t>& offsets,
                         std::vector<uint32_t>& order) {
    uint32_t most = 0;
    for (size_t c = 0; c < 3 * count; c++) {
        most = std::max(most, triangles[c / 3][c % 3]);
    }
    offsets.assign((size_t)most + 2, 0);
    for (size_t c = 0; c < 3 * count; c++) {
        offsets[triangles[c / 3][c % 3] + 1]++;
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    order.resize(3 * count);
    std::vector<size_t> next(offsets.begin(), offsets.end() - 1);
    for (size_t c = 0; c < 3 * count; c++) {
        order[next[triangles[c / 3][c % 3]]++] = (uint32_t)c;
    }
}

void split_at_creases(const double (*positions)[3], const uint32_t (*triangles)[3], size_t count, float degrees,
                      std::vector<uint32_t>& points, std::vector<uint32_t>& corners) {
    points.clear();
    corners.assign(3 * count, UINT32_MAX);
    if (count == 0) {
        return;
    }
    const double least = std::cos(degrees * 3.14159265358979 / 180);
    std::vector<glm::dvec3> normals(count);
    for (size_t t = 0; t < count; t++) {
        normals[t] = unit_normal(positions, triangles[t]);
    }
    std::vector<size_t> offsets;
    std::vector<uint32_t> order;
    sort_corners(triangles, count, offsets, order);
    std::vector<uint32_t> reached;
    for (size_t k = 0; k < order.size(); k++) {
        if (corners[order[k]] != UINT32_MAX) {
            continue;
        }
        // A new vertex, with all corners of this point that chains of smooth pairs lead to.
        const uint32_t point = triangles[order[k] / 3][order[k] % 3];
        const uint32_t vertex = (uint32_t)points.size();
        points.push_back(point);
        corners[order[k]] = vertex;
        reached.assign(1, order[k]);
        while (!reached.empty()) {
            const glm::dvec3 normal = normals[reached.back() / 3];
            reached.pop_back();
            for (size_t other = offsets[point]; other < offsets[point + 1]; other++) {
                const uint32_t corner = order[other];
                if (corners[corner] == UINT32_MAX && glm::dot(normal, normals[corner / 3]) >= least) {
                    corners[corner] = vertex;
                    reached.push_back(corner);
                }
            }
        }
    }
}
