/* Text of apply.h, once per kind. u, u_factor and out begin with the kind's first row or factor row; `count`
 * constraints.
 */

/* sum += what the constraints from `first` on pull at node n: J^T u and, of the chosen parts, Lh^T u */
TAUT_FN_HOT void OF_KIND(apply_jacobian_transpose_node)(const taut_kind_fields* f, size_t count, size_t first, size_t n,
                                                        int parts, const real* u, const real* u_factor, real sum[3]) {
    (void)u_factor;
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        const size_t c = f->incidence[i] / K(NODES);
        const int slot = (int)(f->incidence[i] % K(NODES));
        if (c < first) {
            continue;
        }
        real values[K(ROWS) + K(FACTOR_ROWS)];
        K(jacobian) jac;
        if ((int)OF_KIND(kind) == (int)TAUT_CONTACT && K(FACTOR_ROWS) == 0 && is_idle_contact(u, count, c)) {
            continue;
        }
        OF_KIND(load_product)(f->record + c * RECORD_VALUES, &jac);
        if (K(ROWS) > 0 && (parts & TAUT_ROWS)) {
            load_unknowns_real(u, count, K(ROWS), c, values);
            OF_KIND(apply_jacobian_transpose_at)(&jac, values, slot, sum);
        }
        if (K(FACTOR_ROWS) > 0 && (parts & TAUT_FACTOR_PART(OF_KIND(kind)))) {
            K(stiffness) k;
            load(f->stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (real*)&k);
            load_unknowns_real(u_factor, count, K(FACTOR_ROWS), c, values);
            OF_KIND(apply_factor_transpose_at)(&jac, &k, values, slot, sum);
        }
    }
}

/* out = J g + W u of constraint c; `inner`: + shift u */
TAUT_FN void OF_KIND(apply_jacobian_rows)(const taut_kind_fields* f, size_t count, size_t c, const real* g,
                                          size_t stride, const real* u, bool inner, real* out) {
    real dx[K(NODES)][3], q[ROW_SPACE], values[ROW_SPACE];
    K(jacobian) jac;
    if (K(ROWS) == 0) {
        return;
    }
    gather(g, stride, f->nodes + c * K(NODES), K(NODES), dx);
    OF_KIND(load_product)(f->record + c * RECORD_VALUES, &jac);
    K(apply_jacobian)(&jac, dx, q);
    if (u != NULL) {
        const float* weight =
            inner ? f->record + c * RECORD_VALUES + PRODUCT_VALUES : f->weight + c * TAUT_PACKED(K(ROWS));
        load_unknowns_real(u, count, K(ROWS), c, values);
        add_weighted(weight, values, K(ROWS), q);
    }
    store_unknowns_real(q, count, K(ROWS), c, out);
}

/* out = Lh g + u of constraint c */
TAUT_FN void OF_KIND(apply_factor_rows)(const taut_kind_fields* f, size_t count, size_t c, const real* g, size_t stride,
                                        const real* u, real* out) {
    real dx[K(NODES)][3], q[K(FACTOR_ROWS) + 1];
    K(jacobian) jac;
    K(stiffness) k;
    gather(g, stride, f->nodes + c * K(NODES), K(NODES), dx);
    OF_KIND(load_product)(f->record + c * RECORD_VALUES, &jac);
    load(f->stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (real*)&k);
    K(apply_factor)(&jac, &k, dx, q);
    for (int r = 0; u != NULL && r < K(FACTOR_ROWS); r++) {
        q[r] += u[place_of(count, K(FACTOR_ROWS), c, (size_t)r)];
    }
    store_unknowns_real(q, count, K(FACTOR_ROWS), c, out);
}
