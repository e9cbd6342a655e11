/* Text of bias.h, once per kind. */

TAUT_FN void OF_KIND(bias)(const taut_fields* world, const taut_sizes* s, size_t c, double* out) {
    const taut_kind_fields* f = &world->kinds[OF_KIND(kind)];
    const uint32_t* nodes = f->nodes + c * K(NODES);
    double x[K(NODES)][K(STATE)], v[K(NODES)][3], b[K(NODES)][3], phi[ROW_SPACE];
    K(jacobian) jac;
    if (K(ROWS) == 0) {
        return;
    }
    if (is_absent(f, c)) {
        for (int r = 0; r < K(ROWS); r++) {
            out[r] = 0;
        }
        return;
    }
    gather_state(world, s, nodes, K(NODES), K(STATE), &x[0][0]);
    gather(world->v, 3, nodes, K(NODES), v);
    for (int slot = 0; slot < K(NODES); slot++) {
        const size_t n = nodes[slot];
        const bool mapped = taut_is_mapped(s, n);
        for (size_t a = 0; a < 3; a++) {
            b[slot][a] = mapped ? world->map_bias[4 * n + a] : 0;
        }
    }
    K(evaluate)(x, f->rest + c * K(REST), phi, &jac);
    K(apply_jacobian)(&jac, b, out);
    for (int r = 0; r < K(ROWS); r++) {
        double unit[ROW_SPACE] = {0}, df[K(NODES)][3] = {{0}};
        unit[r] = 1;
        K(curvature)(x, f->rest + c * K(REST), unit, v, df);
        for (int slot = 0; slot < K(NODES); slot++) {
            out[r] += vec3_dot(v[slot], df[slot]);
        }
    }
}
