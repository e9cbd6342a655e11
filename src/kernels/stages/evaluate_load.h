/* Text of evaluate.h, once per force element. */

/* Load and tangent of element c at the current state; adds to the energy. */
TAUT_FN void OF_KIND(evaluate)(const taut_fields* world, const taut_sizes* s, size_t c, double* energy,
                               double* violation) {
    const taut_kind_fields* f = &world->kinds[OF_KIND(kind)];
    const uint32_t* nodes = f->nodes + c * K(NODES);
    double x[K(NODES)][K(STATE)], v[K(NODES)][3];
    K(jacobian) jac;
    (void)violation;
    gather_state(world, s, nodes, K(NODES), K(STATE), &x[0][0]);
    gather(world->v, 3, nodes, K(NODES), v);
    *energy += K(load)(x, v, f->rest + c * K(REST), f->load + c * K(LOAD), &jac);
    OF_KIND(store_jacobian)(f, c, &jac);
}
