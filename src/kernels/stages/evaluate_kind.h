/* Text of evaluate.h, once per kind. */

/* phi and J of constraint c at the current state; adds to energies and worst violation. */
TAUT_FN void OF_KIND(evaluate)(const taut_fields* world, const taut_sizes* s, size_t c, taut_energies* sums,
                               taut_violation* violation) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    const size_t first = s->first_row[k], count = s->count[k];
    double x[K(NODES)][K(STATE)], v[K(NODES)][3], phi[ROW_SPACE], phidot[ROW_SPACE], mean[ROW_SPACE] = {0},
                                                                                     rates[ROW_SPACE];
    K(jacobian) jac;
    if (is_absent(f, c)) {
        OF_KIND(clear_jacobian)(f, c);
        clear_rows(world->phi + first, count, K(ROWS), c);
        return;
    }
    gather_state(world, s, f->nodes + c * K(NODES), K(NODES), K(STATE), &x[0][0]);
    gather(world->v, 3, f->nodes + c * K(NODES), K(NODES), v);
    K(evaluate)(x, f->rest + c * K(REST), phi, &jac);
    OF_KIND(store_jacobian)(f, c, &jac);
    if (k == (int)TAUT_ANGULAR) {
        keep_angle(f->rest + c * K(REST), phi[0]);
    }
    if (K(ROWS) == 0) {
        return;
    }
    K(apply_jacobian)(&jac, v, phidot);
    const bool motor = may_be_motor(k) && asks_for_speed(f, c), late = may_be_motor(k) && gives_way(f, c);
    if (motor) {
        phi[0] = 0;
    }
    if (k == (int)TAUT_BEND) {
        phi[0] = followed_bend(f, c, phi[0], phidot[0], world->lam[first + c]);
    }
    if (k == (int)TAUT_CONTACT || k == (int)TAUT_ROLLING || motor || late) {
        mean_rates(world, f->nodes + c * K(NODES), K(NODES), v);
        K(apply_jacobian)(&jac, v, mean);
    }
    sums->inverted += is_inverted(k, &x[0][0], f->rest + c * K(REST));
    store_unknowns_f64(phi, count, K(ROWS), c, world->phi + first);
    follow_targets(world, f, K(ROWS), c, K(MOVES), phi, phidot, rates, violation);
    if (motor) {
        follow_speed(world, s, k, c, phidot, mean, rates, sums);
    } else if (late) {
        lose_way(world, s->first_row[k] + c, phi, mean, rates, sums);
    }
    measure_rows(world, s, k, K(ROWS), c, phi, phidot, mean, rates, doubled_length(k, f->rest + c * K(REST)), sums,
                 violation);
}
