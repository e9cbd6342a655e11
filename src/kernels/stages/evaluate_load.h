/* Text of evaluate.h, once per force element. */

/* Load and tangent of element c at the current state; adds to energies. Elastic elements lose d v.K v, K their
 * stabilising stiffness; what depends on velocities is work of what is outside, but on what is carried, whose energy
 * does not count. */
TAUT_FN void OF_KIND(evaluate)(const taut_fields* world, const taut_sizes* s, size_t c, taut_energies* sums,
                               taut_violation* violation) {
    const taut_kind_fields* f = &world->kinds[OF_KIND(kind)];
    const uint32_t* nodes = f->nodes + c * K(NODES);
    double x[K(NODES)][K(STATE)], v[K(NODES)][3];
    K(jacobian) jac;
    (void)violation;
    gather_state(world, s, nodes, K(NODES), K(STATE), &x[0][0]);
    gather(world->v, 3, nodes, K(NODES), v);
    double* load = f->load + c * K(LOAD);
    double* energy = has_potential(OF_KIND(kind)) ? &sums->attracted : &sums->loaded;
    *energy += K(load)(x, v, f->rest + c * K(REST), load, &jac);
    sums->inverted += is_inverted(OF_KIND(kind), &x[0][0], f->rest + c * K(REST));
    for (int slot = 0; K(ORDER) == 1 && slot < K(NODES); slot++) {
        if (is_carried(world, s, nodes[slot])) {
            double force[3] = {0, 0, 0};
            K(add_force)(load, slot, force);
            sums->carried -= vec3_dot(force, v[slot]);
        }
    }
    if (K(ORDER) == 1 && f->damping[c] > 0) {
        const double scale[1] = {f->damping[c]};
        double rows[K(FACTOR_ROWS)];
        K(stiffness) k;
        K(factor)(&jac, scale, &k);
        K(apply_factor)(&jac, &k, v, rows);
        for (int r = 0; r < K(FACTOR_ROWS); r++) {
            sums->damped += rows[r] * rows[r];
        }
        for (int slot = 0; slot < K(NODES); slot++) {
            if (is_carried(world, s, nodes[slot])) {
                double force[3] = {0, 0, 0};
                K(apply_factor_transpose)(&jac, &k, rows, slot, force);
                sums->carried += vec3_dot(force, v[slot]);
            }
        }
    }
    for (int slot = 0; K(ORDER) == 2 && slot < K(NODES); slot++) {
        double force[3] = {0, 0, 0};
        K(add_force)(load, slot, force);
        sums->pushed += is_carried(world, s, nodes[slot]) ? 0 : vec3_dot(force, v[slot]);
    }
    OF_KIND(store_jacobian)(f, c, &jac);
}
