/* Text of operators.c, once per kind. */

static void OF_KIND(curvature)(const taut_plan* plan, taut_kind k, const double* in, double* out) {
    const taut_fields* world = &plan->fields;
    const taut_kind_fields* f = &world->kinds[k];
    for (size_t c = 0; c < plan->sizes.count[k]; c++) {
        const uint32_t* nodes = f->nodes + c * K(NODES);
        double x[K(NODES)][3], dx[K(NODES)][3], df[K(NODES)][3] = {{0}};
        gather(world->x, 3, nodes, K(NODES), x);
        gather(in, 3, nodes, K(NODES), dx);
        K(curvature)(x, f->rest + c * K(REST), world->lam + plan->sizes.first_row[k] + c * K(ROWS), dx, df);
        for (size_t i = 0; i < K(NODES); i++) {
            vec3_axpy(1, df[i], out + 3 * (size_t)nodes[i]);
        }
    }
}
