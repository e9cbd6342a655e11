/* Text of curvature.h, once per kind. */

/* df += G(lam) dx of constraint c, exact, per node of it, for the multipliers of the last step. */
TAUT_FN void OF_KIND(curvature)(const taut_fields* world, const taut_sizes* s, size_t c, const double* in,
                                double df[K(NODES)][3]) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    const uint32_t* nodes = f->nodes + c * K(NODES);
    double x[K(NODES)][K(STATE)], dx[K(NODES)][3], lam[ROW_SPACE];
    gather_state(world, s, nodes, K(NODES), K(STATE), &x[0][0]);
    gather(in, 3, nodes, K(NODES), dx);
    load_unknowns_f64(world->lam + s->first_row[k], s->count[k], K(ROWS), c, lam);
    K(curvature)(x, f->rest + c * K(REST), lam, dx, df);
}

/* sum += what the constraints at node n add to G dx. Whole constraints are evaluated for one of their nodes: this is
 * no inner loop. */
TAUT_FN void OF_KIND(curvature_node)(const taut_fields* world, const taut_sizes* s, size_t n, const double* in,
                                     double sum[3]) {
    const taut_kind_fields* f = &world->kinds[OF_KIND(kind)];
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        double df[K(NODES)][3] = {{0}};
        OF_KIND(curvature)(world, s, f->incidence[i] / K(NODES), in, df);
        vec3_axpy(1, df[f->incidence[i] % K(NODES)], sum);
    }
}
