/* Text of evaluate.c, once per kind. */

static void OF_KIND(evaluate)(const taut_plan* plan, taut_kind k, double step) {
    const taut_fields* world = &plan->fields;
    const taut_kind_fields* f = &world->kinds[k];
    const size_t count = plan->sizes.count[k], row0 = plan->sizes.first_row[k];
    const size_t chunks = (count + TAUT_CHUNK - 1) / TAUT_CHUNK;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        double elastic = 0, violation = 0;
        const size_t end = count < (chunk + 1) * TAUT_CHUNK ? count : (chunk + 1) * TAUT_CHUNK;
        for (size_t c = chunk * TAUT_CHUNK; c < end; c++) {
            double x[K(NODES)][3], v[K(NODES)][3], phidot[K(ROWS)];
            K(jacobian) jac;
            double* phi = world->phi + row0 + c * K(ROWS);
            gather(world->x, f->nodes + c * K(NODES), K(NODES), x);
            gather(world->v, f->nodes + c * K(NODES), K(NODES), v);
            K(evaluate)(x, f->rest + c * K(REST), phi, &jac);
            store((const double*)&jac, VALUES(K(jacobian)), f->jacobian + c * VALUES(K(jacobian)));
            K(forward)(&jac, v, phidot);
            subtract_rate(f, c, K(ROWS), phidot);
            measure(f, c, K(ROWS), phi, phidot, world->gam + row0 + c * K(ROWS), step, &elastic, &violation);
        }
        world->partial[4 * chunk] = elastic;
        world->partial[4 * chunk + 1] = violation;
    }
}
