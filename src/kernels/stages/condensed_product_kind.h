/* Text of condensed_product.h, once per kind. y and y_factor begin with the kind's first row and factor row. */

/* y = Wh J p and y_factor = Lh p of constraint c, stored as `record`, from p at its nodes; y_factor NULL: it has none.
 */
TAUT_FN void OF_KIND(conduct)(const taut_kind_fields* f, const float* record, size_t count, size_t c,
                              const real p[K(NODES)][3], real* y, real* y_factor) {
    K(jacobian) jac;
    OF_KIND(load_product)(record, &jac);
    if (K(ROWS) > 0) {
        real moved[ROW_SPACE], held[ROW_SPACE] = {0};
        K(apply_jacobian)(&jac, p, moved);
        add_weighted(f->conductance + c * TAUT_PACKED(K(ROWS)), moved, K(ROWS), held);
        store_unknowns_real(held, count, K(ROWS), c, y);
    }
    if (K(FACTOR_ROWS) > 0 && y_factor != NULL) {
        real moved[K(FACTOR_ROWS) + 1];
        K(stiffness) k;
        load(f->stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (real*)&k);
        K(apply_factor)(&jac, &k, p, moved);
        store_unknowns_real(moved, count, K(FACTOR_ROWS), c, y_factor);
    }
}
