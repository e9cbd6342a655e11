/* Where an object stands: scaled, then turned about x, y and z in that order, then moved. */
#ifndef TAUT_APP_PLACEMENT_H
#define TAUT_APP_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct placement {
    double scale[3];
    double degrees[3];
    double translate[3]; /* m */
} placement;

placement placement_identity(void);
/* R = Rz Ry Rx. */
void rotation_matrix(const double degrees[3], double out[3][3]);
void rotate(const double m[3][3], const double in[3], double out[3]);
void placement_apply(const placement* p, size_t count, double (*points)[3]);
/* True where left and right change places, and with them the orientation of triangles and tetrahedra. */
bool placement_mirrors(const placement* p);

#endif
