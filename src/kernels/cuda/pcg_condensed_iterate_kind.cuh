/* Text of pcg_condensed_iterate.cu, once per kind. */

/* y = Wh J p and Lh p of constraint c. */
template <bool FORMED>
static __device__ void OF_KIND(conduct_member)(const taut_view& view, size_t c, const float* x, float beta, float* y) {
    const int k = OF_KIND(kind);
    const taut_kind_fields& f = view.f.kinds[k];
    uint32_t node[K(NODES)];
    float p[K(NODES)][3], record[RECORD_VALUES];
    load_nodes(f.nodes + c * K(NODES), K(NODES), node);
    for (int i = 0; i < K(NODES); i++) {
        direction<FORMED>(view.f, x, beta, node[i], p[i]);
    }
    load_record<RECORD_VALUES>(f.record + c * RECORD_VALUES, record);
    OF_KIND(conduct)
    (&f, record, view.s.count[k], c, p, y + view.s.first_row[k],
     view.s.has_factor_rows[k] ? y + view.s.first_factor_row[k] : NULL);
}

/* sum += K^T y at node n. */
static __device__ void OF_KIND(collect)(const taut_view& view, size_t n, const float* y, float sum[3]) {
    const int k = OF_KIND(kind);
    const taut_kind_fields& f = view.f.kinds[k];
    const size_t count = view.s.count[k];
    for (uint32_t i = f.offsets[n]; i < f.offsets[n + 1]; i++) {
        const size_t c = f.incidence[i] / K(NODES);
        const int slot = (int)(f.incidence[i] % K(NODES));
        K(jacobian) jac;
        float record[RECORD_VALUES], values[K(ROWS) + K(FACTOR_ROWS)];
        load_record<RECORD_VALUES>(f.record + c * RECORD_VALUES, record);
        OF_KIND(load_product)(record, &jac);
        if (K(ROWS) > 0) {
            load_unknowns_f32(y + view.s.first_row[k], count, K(ROWS), c, values);
            OF_KIND(apply_jacobian_transpose_at)(&jac, values, slot, sum);
        }
        if (K(FACTOR_ROWS) > 0 && view.s.has_factor_rows[k]) {
            K(stiffness) factor;
            load(f.stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (float*)&factor);
            load_unknowns_f32(y + view.s.first_factor_row[k], count, K(FACTOR_ROWS), c, values);
            OF_KIND(apply_factor_transpose_at)(&jac, &factor, values, slot, sum);
        }
    }
}
