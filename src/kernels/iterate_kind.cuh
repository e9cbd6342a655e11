/* Text of iterate.cu, once per kind. */

/* sum += pull of p at node n; shape += p.(W + E) p of the constraints whose first node this is. */
template <z_source Z>
static __device__ void OF_KIND(direction_node)(const taut_view& view, size_t n, float beta, float sum[3],
                                               double* shape) {
    const taut_kind_fields& f = view.f.kinds[OF_KIND(kind)];
    const size_t row0 = view.s.first_row[OF_KIND(kind)], root0 = view.s.first_root[OF_KIND(kind)];
    for (uint32_t i = f.offsets[n]; i < f.offsets[n + 1]; i++) {
        const size_t c = f.incidence[i] / K(NODES);
        const int slot = (int)(f.incidence[i] % K(NODES));
        K(jacobian) jac;
        float record[RECORD_VALUES];
        load_record<RECORD_VALUES>(f.record + c * RECORD_VALUES, record);
        OF_KIND(load_product)(record, &jac);
        float p[K(ROWS) + K(ROOTS)];
        for (int r = 0; r < K(ROWS); r++) {
            p[r] = direction<Z>(view.f, row0 + c * K(ROWS) + r, beta);
        }
        K(pull)(&jac, p, slot, sum);
        if (slot == 0) {
            *shape += weighted_square(record + PRODUCT_VALUES, p, K(ROWS));
        }
        if (K(ROOTS) > 0 && view.s.roots > 0) {
            K(stiffness) k;
            load(f.stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (float*)&k);
            for (int r = 0; r < K(ROOTS); r++) {
                p[K(ROWS) + r] = direction<Z>(view.f, root0 + c * K(ROOTS) + r, beta);
                *shape += slot == 0 ? (double)p[K(ROWS) + r] * p[K(ROWS) + r] : 0;
            }
            K(root_pull)(&jac, &k, p + K(ROWS), slot, sum);
        }
    }
}

/* p, delta and r of constraint c. */
template <z_source Z>
static __device__ void OF_KIND(advance)(const taut_view& view, size_t c, float beta, float step, double sums[2]) {
    const taut_kind_fields& f = view.f.kinds[OF_KIND(kind)];
    const size_t row0 = view.s.first_row[OF_KIND(kind)] + c * K(ROWS);
    const size_t root0 = view.s.first_root[OF_KIND(kind)] + c * K(ROOTS);
    float dx[K(NODES)][3], p[K(ROWS) + K(ROOTS)], q[K(ROWS) + K(ROOTS)];
    K(jacobian) jac;
    gather(view.f.g, 4, f.nodes + c * K(NODES), K(NODES), dx);
    float record[RECORD_VALUES];
    load_record<RECORD_VALUES>(f.record + c * RECORD_VALUES, record);
    OF_KIND(load_product)(record, &jac);
    for (int r = 0; r < K(ROWS); r++) {
        p[r] = direction<Z>(view.f, row0 + r, beta);
    }
    K(forward)(&jac, dx, q);
    add_weighted(record + PRODUCT_VALUES, p, K(ROWS), q);
    for (int r = 0; r < K(ROWS); r++) {
        advance_unknown<Z>(view.f, row0 + r, step, p[r], q[r], sums);
    }
    if (K(ROOTS) > 0 && view.s.roots > 0) {
        K(stiffness) k;
        load(f.stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (float*)&k);
        K(root_forward)(&jac, &k, dx, q + K(ROWS));
        for (int r = K(ROWS); r < K(ROWS) + K(ROOTS); r++) {
            p[r] = direction<Z>(view.f, root0 + r - K(ROWS), beta);
            advance_unknown<Z>(view.f, root0 + r - K(ROWS), step, p[r], q[r] + p[r], sums);
        }
    }
}
