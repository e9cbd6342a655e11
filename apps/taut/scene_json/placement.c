#include "scene_json/placement.h"

#include <math.h>

placement placement_identity(void) {
    return (placement){.scale = {1, 1, 1}};
}

void rotation_matrix(const double degrees[3], double out[3][3]) {
    const double unit = acos(-1.0) / 180;
    const double cx = cos(degrees[0] * unit), sx = sin(degrees[0] * unit);
    const double cy = cos(degrees[1] * unit), sy = sin(degrees[1] * unit);
    const double cz = cos(degrees[2] * unit), sz = sin(degrees[2] * unit);
    const double m[3][3] = {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
                            {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
                            {-sy, cy * sx, cy * cx}};
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] = m[i / 3][i % 3];
    }
}

void rotate(const double m[3][3], const double in[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2];
    }
}

void placement_apply(const placement* p, size_t count, double (*points)[3]) {
    double m[3][3];
    rotation_matrix(p->degrees, m);
    for (size_t i = 0; i < count; i++) {
        double scaled[3];
        for (int a = 0; a < 3; a++) {
            scaled[a] = p->scale[a] * points[i][a];
        }
        rotate((const double(*)[3])m, scaled, points[i]);
        for (int a = 0; a < 3; a++) {
            points[i][a] += p->translate[a];
        }
    }
}

bool placement_mirrors(const placement* p) {
    /* Signs, not the product of the numbers: that could underflow. */
    return (p->scale[0] < 0) != ((p->scale[1] < 0) != (p->scale[2] < 0));
}
