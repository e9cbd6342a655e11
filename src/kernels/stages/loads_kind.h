/* Text of loads.h, once per force element. */

/* force += loads at node n */
TAUT_FN void OF_KIND(add_force_node)(const taut_kind_fields* f, size_t n, double force[3]) {
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        const size_t c = f->incidence[i] / K(NODES);
        K(add_force)(f->load + c * K(LOAD), (int)(f->incidence[i] % K(NODES)), force);
    }
}

/* force -= sigma K v at node n, of elements whose tangent does not stand in A; v: n x 3. Whole elements are evaluated
 * for one of their nodes: explicit steps do so once. */
TAUT_FN void OF_KIND(resist_node)(const taut_kind_fields* f, size_t n, const double* v, const taut_factors* step,
                                  double force[3]) {
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        const size_t c = f->incidence[i] / K(NODES);
        const double scale = resistance_of(f, c, K(ORDER) == 2, step);
        double moved[K(NODES)][3], rows[K(FACTOR_ROWS)], held[3] = {0, 0, 0};
        K(jacobian) jac;
        K(stiffness) k;
        if (scale > 0) {
            gather(v, 3, f->nodes + c * K(NODES), K(NODES), moved);
            OF_KIND(load_jacobian)(f, c, &jac);
            K(factor)(&jac, &scale, &k);
            K(apply_factor)(&jac, &k, moved, rows);
            OF_KIND(apply_factor_transpose_at)(&jac, &k, rows, (int)(f->incidence[i] % K(NODES)), held);
            vec3_axpy(-1, held, force);
        }
    }
}
