/* Text of constraint_matrices.c, once per force element. */

/* Curvature is that at rest: a viscous element is at rest in the stream that it feels, in whose last three rest values
 * its mean velocity belongs. */
static void OF_KIND(tangent)(const double x[K(NODES)][3], const double v[K(NODES)][3], const double* rest,
                             double out[12][12]) {
    double still[K(REST)];
    memcpy(still, rest, sizeof still);
    for (int i = 0; K(ORDER) == 2 && i < 3 * K(NODES); i++) {
        still[K(REST) - 3 + i % 3] -= v[i / 3][i % 3] / K(NODES);
    }
    for (int i = 0; i < 3 * K(NODES); i++) {
        double dx[K(NODES)][3] = {{0}}, df[K(NODES)][3] = {{0}};
        dx[i / 3][i % 3] = 1;
        K(curvature)(x, still, NULL, dx, df);
        for (int j = 0; j < 3 * K(NODES); j++) {
            out[j][i] = df[j / 3][j % 3];
        }
    }
}
