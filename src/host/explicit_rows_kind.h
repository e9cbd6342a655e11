/* Text of explicit_rows.c, once per kind. */

static uint32_t OF_KIND(rows_of)(const float* jacobian, const float* stiffness, uint32_t slot,
                                 double rows[TAUT_MAX_ROWS][3]) {
    K(jacobian) jac;
    load(jacobian, sizeof jac / sizeof(real), (real*)&jac);
    for (int r = 0; r < K(ROWS); r++) {
        real unit[K(ROWS)] = {0};
        unit[r] = 1;
        K(pull)(&jac, unit, (int)slot, rows[r]);
    }
    if (stiffness == NULL || K(ROOTS) == 0) {
        return K(ROWS);
    }
    K(stiffness) k;
    load(stiffness, sizeof k / sizeof(real), (real*)&k);
    for (int r = 0; r < K(ROOTS); r++) {
        real unit[K(ROOTS) + 1] = {0};
        unit[r] = 1;
        K(root_pull)(&jac, &k, unit, (int)slot, rows[K(ROWS) + r]);
    }
    return K(ROWS) + K(ROOTS);
}

static void OF_KIND(jacobian_of)(const double* x, const double* rest, float* jacobian) {
    K(jacobian) jac;
    real phi[K(ROWS)];
    K(evaluate)((const real(*)[3])x, rest, phi, &jac);
    for (size_t i = 0; i < sizeof jac / sizeof(real); i++) {
        jacobian[i] = (float)((const real*)&jac)[i];
    }
}
