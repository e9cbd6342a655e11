/* Text of evaluate.h, once per kind. */

/* phi and J of constraint c at the current state; adds to elastic energy and worst violation. */
TAUT_FN void OF_KIND(evaluate)(const taut_fields* world, const taut_sizes* s, size_t c, double impulse_step,
                               double* elastic, double* violation) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    const size_t first = s->first_row[k], count = s->count[k];
    double x[K(NODES)][3], v[K(NODES)][3], phi[K(ROWS)], phidot[K(ROWS)], gam[K(ROWS)];
    K(jacobian) jac;
    gather(world->x, 3, f->nodes + c * K(NODES), K(NODES), x);
    gather(world->v, 3, f->nodes + c * K(NODES), K(NODES), v);
    K(evaluate)(x, f->rest + c * K(REST), phi, &jac);
    OF_KIND(store_jacobian)(f, c, &jac);
    K(forward)(&jac, v, phidot);
    for (int r = 0; f->rate != NULL && r < K(ROWS); r++) {
        phidot[r] -= f->rate[K(ROWS) * c + (size_t)r]; /* only targets move by themselves */
    }
    load_unknowns_f64(world->gam + first, count, K(ROWS), c, gam);
    store_unknowns_f64(phi, count, K(ROWS), c, world->phi + first);
    measure(f, c, K(ROWS), phi, phidot, gam, impulse_step, elastic, violation);
}
