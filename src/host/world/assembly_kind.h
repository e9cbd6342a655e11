/* Text of assembly_rows.c, once per kind. */

static void OF_KIND(exact)(const double x[K(NODES)][K(STATE)], const double* rest, const double* lam,
                           constraint_matrices* out) {
    K(jacobian) jac;
    double phi[TAUT_SPACE(K(ROWS))];
    K(evaluate)(x, rest, phi, &jac);
    for (int r = 0; K(ROWS) > 0 && r < K(ROWS); r++) {
        for (int slot = 0; slot < K(NODES); slot++) {
            double unit[TAUT_SPACE(K(ROWS))] = {0};
            unit[r] = 1;
            K(apply_jacobian_transpose)(&jac, unit, slot, out->jacobian[r] + 3 * slot);
        }
    }
    for (int i = 0; i < 3 * K(NODES); i++) {
        double dx[K(NODES)][3] = {{0}}, df[K(NODES)][3] = {{0}};
        dx[i / 3][i % 3] = 1;
        K(curvature)(x, rest, lam, dx, df);
        for (int j = 0; j < 3 * K(NODES); j++) {
            out->curvature[j][i] = df[j / 3][j % 3];
        }
    }
}
