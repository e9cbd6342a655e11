/* Text of renew.h, once per kind. */

/* sum += J^T gam of the constraints at node n, with Jacobians in float64 from the current state. */
TAUT_FN void OF_KIND(exact_jacobian_transpose_node)(const taut_fields* world, const taut_sizes* s, size_t n,
                                                    double sum[3]) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        const size_t c = f->incidence[i] / K(NODES);
        double x[K(NODES)][K(STATE)], phi[ROW_SPACE], gam[ROW_SPACE];
        K(jacobian) jac;
        gather_state(world, s, f->nodes + c * K(NODES), K(NODES), K(STATE), &x[0][0]);
        load_unknowns_f64(world->gam + s->first_row[k], s->count[k], K(ROWS), c, gam);
        K(evaluate)(x, f->rest + c * K(REST), phi, &jac);
        OF_KIND(apply_jacobian_transpose_at)(&jac, gam, (int)(f->incidence[i] % K(NODES)), sum);
    }
}
