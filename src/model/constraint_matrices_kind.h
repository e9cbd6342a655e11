/* Text of constraint_matrices.c, once per kind. */

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

static void OF_KIND(gamma)(const double x[K(NODES)][K(STATE)], const double* rest, const float* stiffness,
                           double out[18][18]) {
    enum { rows = K(FACTOR_ROWS), values = sizeof(K(stiffness)) / sizeof(double) };
    double factor[TAUT_SPACE(rows)][18] = {{0}}, phi[TAUT_SPACE(K(ROWS))], of_node[values];
    K(jacobian) jac;
    K(stiffness) k;
    K(evaluate)(x, rest, phi, &jac);
    for (int i = 0; i < values; i++) {
        of_node[i] = stiffness[i];
    }
    memcpy(&k, of_node, sizeof k);
    for (int i = 0; i < 3 * K(NODES); i++) {
        double dx[K(NODES)][3] = {{0}}, moved[TAUT_SPACE(rows)] = {0};
        dx[i / 3][i % 3] = 1;
        K(apply_factor)(&jac, &k, (const double(*)[3])dx, moved);
        for (int r = 0; r < rows; r++) {
            factor[r][i] = moved[r];
        }
    }
    for (int i = 0; i < 18 * 18; i++) {
        for (int r = 0; r < rows; r++) {
            out[i / 18][i % 18] += factor[r][i / 18] * factor[r][i % 18];
        }
    }
}
