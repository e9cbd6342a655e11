/* Text of pcg_schur_iterate.cu, once per kind. */

/* sum += J^T p at node n; shape += p.(W + E) p of the constraints whose first node this is. */
template <z_source Z>
static __device__ void OF_KIND(direction_node)(const taut_view& view, size_t n, float beta, float sum[3],
                                               double* shape) {
    const taut_kind_fields& f = view.f.kinds[OF_KIND(kind)];
    const size_t row0 = view.s.first_row[OF_KIND(kind)], factor_row0 = view.s.first_factor_row[OF_KIND(kind)];
    const size_t count = view.s.count[OF_KIND(kind)];
    for (uint32_t i = f.offsets[n]; i < f.offsets[n + 1]; i++) {
        const size_t c = f.incidence[i] / K(NODES);
        const int slot = (int)(f.incidence[i] % K(NODES));
        K(jacobian) jac;
        float record[RECORD_VALUES];
        load_record<RECORD_VALUES>(f.record + c * RECORD_VALUES, record);
        OF_KIND(load_product)(record, &jac);
        float p[K(ROWS) + K(FACTOR_ROWS)];
        for (int r = 0; r < K(ROWS); r++) {
            p[r] = direction<Z>(view.f, row0 + place_of(count, K(ROWS), c, r), beta);
        }
        OF_KIND(apply_jacobian_transpose_at)(&jac, p, slot, sum);
        if (slot == 0) {
            *shape += weighted_square(record + PRODUCT_VALUES, p, K(ROWS));
        }
        if (K(FACTOR_ROWS) > 0 && view.s.has_factor_rows[OF_KIND(kind)]) {
            K(stiffness) k;
            load(f.stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (float*)&k);
            for (int r = 0; r < K(FACTOR_ROWS); r++) {
                p[K(ROWS) + r] = direction<Z>(view.f, factor_row0 + place_of(count, K(FACTOR_ROWS), c, r), beta);
                *shape += slot == 0 ? (double)p[K(ROWS) + r] * p[K(ROWS) + r] : 0;
            }
            OF_KIND(apply_factor_transpose_at)(&jac, &k, p + K(ROWS), slot, sum);
        }
    }
}

/* p, delta and r of constraint c. */
template <z_source Z, bool BOUNDED>
static __device__ void OF_KIND(advance)(const taut_view& view, size_t c, float beta, float step, double sums[2]) {
    const taut_kind_fields& f = view.f.kinds[OF_KIND(kind)];
    const size_t row0 = view.s.first_row[OF_KIND(kind)], factor_row0 = view.s.first_factor_row[OF_KIND(kind)];
    const size_t count = view.s.count[OF_KIND(kind)];
    float dx[K(NODES)][3], p[ROW_SPACE], q[K(ROWS) + K(FACTOR_ROWS)];
    K(jacobian) jac;
    gather(view.f.g, 4, f.nodes + c * K(NODES), K(NODES), dx);
    float record[RECORD_VALUES];
    load_record<RECORD_VALUES>(f.record + c * RECORD_VALUES, record);
    OF_KIND(load_product)(record, &jac);
    for (int r = 0; r < K(ROWS); r++) {
        p[r] = direction<Z>(view.f, row0 + place_of(count, K(ROWS), c, r), beta);
    }
    K(apply_jacobian)(&jac, dx, q);
    add_weighted(record + PRODUCT_VALUES, p, K(ROWS), q);
    for (int r = 0; r < K(ROWS); r++) {
        advance_unknown<Z, BOUNDED>(view.f, row0 + place_of(count, K(ROWS), c, r), step, p[r], q[r], sums);
    }
    if (K(FACTOR_ROWS) > 0 && view.s.has_factor_rows[OF_KIND(kind)]) {
        K(stiffness) k;
        load(f.stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (float*)&k);
        K(apply_factor)(&jac, &k, dx, q + K(ROWS));
        for (int r = 0; r < K(FACTOR_ROWS); r++) {
            const size_t factor = factor_row0 + place_of(count, K(FACTOR_ROWS), c, r);
            const float own = direction<Z>(view.f, factor, beta);
            advance_unknown<Z, BOUNDED>(view.f, factor, step, own, q[K(ROWS) + r] + own, sums);
        }
    }
}
