/* Text of apply.h, once per kind. */

/* sum += what the constraints at node n pull: J^T u and, of the chosen parts, Lh^T u */
TAUT_FN void OF_KIND(pull_node)(const taut_kind_fields* f, size_t n, int parts, const real* u, const real* u_root,
                                real sum[3]) {
    (void)u_root;
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        const size_t c = f->incidence[i] / K(NODES);
        const int slot = (int)(f->incidence[i] % K(NODES));
        K(jacobian) jac;
        OF_KIND(load_product)(f->record + c * RECORD_VALUES, &jac);
        if (parts & TAUT_ROWS) {
            K(pull)(&jac, u + c * K(ROWS), slot, sum);
        }
        if (K(ROOTS) > 0 && (parts & TAUT_ROOTS)) {
            K(stiffness) k;
            load(f->stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (real*)&k);
            K(root_pull)(&jac, &k, u_root + c * K(ROOTS), slot, sum);
        }
    }
}

/* out = J g + W u of constraint c; `inner`: + shift u */
TAUT_FN void OF_KIND(forward_rows)(const taut_kind_fields* f, size_t c, const real* g, size_t stride, const real* u,
                                   bool inner, real* out) {
    real dx[K(NODES)][3];
    K(jacobian) jac;
    gather(g, stride, f->nodes + c * K(NODES), K(NODES), dx);
    OF_KIND(load_product)(f->record + c * RECORD_VALUES, &jac);
    K(forward)(&jac, dx, out + c * K(ROWS));
    if (u != NULL) {
        const float* weight = inner ? f->record + c * RECORD_VALUES + PRODUCT_VALUES : f->weight + c * TAUT_PACKED(K(ROWS));
        add_weighted(weight, u + c * K(ROWS), K(ROWS), out + c * K(ROWS));
    }
}

/* out = Lh g + u of constraint c */
TAUT_FN void OF_KIND(forward_roots)(const taut_kind_fields* f, size_t c, const real* g, size_t stride, const real* u,
                                    real* out) {
    real dx[K(NODES)][3];
    K(jacobian) jac;
    K(stiffness) k;
    gather(g, stride, f->nodes + c * K(NODES), K(NODES), dx);
    OF_KIND(load_product)(f->record + c * RECORD_VALUES, &jac);
    load(f->stiffness + c * VALUES(K(stiffness)), VALUES(K(stiffness)), (real*)&k);
    K(root_forward)(&jac, &k, dx, out + c * K(ROOTS));
    for (int r = 0; u != NULL && r < K(ROOTS); r++) {
        out[c * K(ROOTS) + (size_t)r] += u[c * K(ROOTS) + (size_t)r];
    }
}
