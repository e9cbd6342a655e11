/* Text of assemble.cu, once per kind. */

/* invert_diagonal for the unknowns of constraint c. */
static __device__ void OF_KIND(invert)(const taut_view& view, size_t c, const taut_factors& step) {
    const int k = OF_KIND(kind);
    for (int r = 0; r < K(ROWS); r++) {
        invert_unknown(view, view.s.first_row[k] + place_of(view.s.count[k], K(ROWS), c, r), step);
    }
    for (int r = 0; view.s.has_factor_rows[k] && r < K(FACTOR_ROWS); r++) {
        invert_unknown(view, view.s.first_factor_row[k] + place_of(view.s.count[k], K(FACTOR_ROWS), c, r), step);
    }
}

/* b of the unknowns of constraint c; J v and Lh v pass through b, their products with u through `wide`. */
static __device__ void OF_KIND(side)(const taut_view& view, size_t c, const taut_factors& step) {
    const int k = OF_KIND(kind);
    const taut_fields& f = view.f;
    const taut_kind_fields* kind = &f.kinds[k];
    const size_t row0 = view.s.first_row[k], factor_row0 = view.s.first_factor_row[k], count = view.s.count[k];
    const double* v = taut_renews(step.phase) ? f.v0 : f.v;
    OF_KIND(apply_jacobian_rows)(kind, count, c, v, 3, NULL, false, f.b + row0);
    if (taut_renews(step.phase)) {
        OF_KIND(apply_jacobian_rows)(kind, count, c, f.iterate, 3, NULL, false, f.wide + row0);
    }
    if (K(ROWS) > 0) {
        constraint_side(&f, &view.s, (taut_kind)k, K(ROWS), c, &step);
    }
    OF_KIND(apply_jacobian_rows)(kind, count, c, f.free_dv, 4, NULL, false, f.wide + row0);
    for (int r = 0; r < K(ROWS); r++) {
        complete_side(&f, &view.s, row0 + place_of(count, K(ROWS), c, r), &step);
    }
    if (K(FACTOR_ROWS) > 0 && view.s.has_factor_rows[k]) {
        const bool load = is_load_kind(k);
        const bool iterate =
            taut_renews(step.phase) && !load && (k != TAUT_INERTIA || step.phase == TAUT_PHASE_CONSTRAIN);
        OF_KIND(apply_factor_rows)(kind, count, c, iterate ? f.iterate : v, 3, NULL, f.b + factor_row0);
        if (load) {
            if (taut_renews(step.phase)) {
                OF_KIND(apply_factor_rows)(kind, count, c, f.iterate, 3, NULL, f.wide + factor_row0);
            }
            tangent_side(&f, &view.s, k, K(FACTOR_ROWS), c, &step);
        }
        OF_KIND(apply_factor_rows)(kind, count, c, f.free_dv, 4, NULL, f.wide + factor_row0);
        for (int r = 0; r < K(FACTOR_ROWS); r++) {
            complete_side(&f, &view.s, factor_row0 + place_of(count, K(FACTOR_ROWS), c, r), &step);
        }
    }
}
