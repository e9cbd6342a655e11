/* Text of assemble.h, once per kind. */

/* The factor of the geometric stiffness for the current multipliers. */
TAUT_FN void OF_KIND(coefficients)(const taut_fields* world, const taut_sizes* s, size_t c, const taut_factors* step) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    if (K(FACTOR_ROWS) > 0 && s->has_factor_rows[k]) {
        const double scale = step->factor_scale[law_of(f, c, step) - step->law];
        double lam[ROW_SPACE] = {0}, unit;
        const double* multipliers = turning_multipliers(world, step, &unit);
        K(jacobian) jac;
        K(stiffness) stiffness;
        for (int r = 0; r < K(ROWS); r++) {
            const size_t row = s->first_row[k] + place_of(s->count[k], K(ROWS), c, (size_t)r);
            lam[r] = multipliers[row] * unit * scale;
        }
        if (k == TAUT_NORM) { /* the force on the length itself */
            lam[0] = world->g_f64[4 * (size_t)f->nodes[c * K(NODES) + 1]] * scale;
        } else if (k == TAUT_INERTIA) {
            lam[0] = step->inertia;
        } else if (is_load_kind(k)) {
            lam[0] = tangent_scale(f, c, is_viscous(k), &step->tangent);
        }
        OF_KIND(load_jacobian)(f, c, &jac);
        K(factor)(&jac, lam, &stiffness); /* J = 0 where it is absent, and lam = 0 */
        if (is_absent(f, c)) {
            for (size_t i = 0; i < VALUES(K(stiffness)); i++) {
                ((real*)&stiffness)[i] = 0;
            }
        }
        store((const real*)&stiffness, VALUES(K(stiffness)), f->stiffness + c * VALUES(K(stiffness)));
    }
}

/* Vectors of the rows of constraint c at one of its nodes: its rows, then its factor rows. Returns their number. */
TAUT_FN int OF_KIND(rows_at)(const K(jacobian) * jac, const float* stiffness, int slot, real rows[TAUT_MAX_ROWS][3]) {
    for (int r = 0; K(ROWS) > 0 && r < K(ROWS); r++) {
        real unit[ROW_SPACE] = {0};
        unit[r] = 1;
        rows[r][0] = rows[r][1] = rows[r][2] = 0;
        K(apply_jacobian_transpose)(jac, unit, slot, rows[r]);
    }
    if (stiffness == NULL || K(FACTOR_ROWS) == 0) {
        return K(ROWS);
    }
    K(stiffness) k;
    load(stiffness, VALUES(K(stiffness)), (real*)&k);
    for (int r = 0; r < K(FACTOR_ROWS); r++) {
        real unit[K(FACTOR_ROWS) + 1] = {0};
        unit[r] = 1;
        rows[K(ROWS) + r][0] = rows[K(ROWS) + r][1] = rows[K(ROWS) + r][2] = 0;
        K(apply_factor_transpose)(jac, &k, unit, slot, rows[K(ROWS) + r]);
    }
    return K(ROWS) + K(FACTOR_ROWS);
}

TAUT_FN int OF_KIND(explicit_rows)(const float* record, const float* stiffness, int slot, real rows[TAUT_MAX_ROWS][3]) {
    K(jacobian) jac;
    OF_KIND(load_product)(record, &jac);
    return OF_KIND(rows_at)(&jac, stiffness, slot, rows);
}

/* Scales the shifts of constraint c, and puts C/(h l) + shift beside its Jacobian. */
TAUT_FN void OF_KIND(weigh_inner)(const taut_fields* world, const taut_sizes* s, size_t c, float scale) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    float* shifts = world->shift + s->first_row[k];
    float shift[ROW_SPACE];
    if (K(ROWS) == 0) {
        return;
    }
    load_unknowns_f32(shifts, s->count[k], K(ROWS), c, shift);
    add_shift(f->weight + c * TAUT_PACKED(K(ROWS)), shift, K(ROWS), scale,
              f->record + c * RECORD_VALUES + PRODUCT_VALUES);
    store_unknowns_f32(shift, s->count[k], K(ROWS), c, shifts);
}

/* Diagonal of S for constraint c: sum over its nodes of row.W row, plus the compliance term C/(h l), which follows from
 * it: damping of stiff rows, and softness of contradicting ones. Condensed rows need a scale alone, and count masses
 * that their nodes carry. */
TAUT_FN void OF_KIND(diagonal)(const taut_fields* world, const taut_sizes* s, size_t c, const taut_factors* step,
                               double* out) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    const float* stiffness =
        K(FACTOR_ROWS) > 0 && s->has_factor_rows[k] ? f->stiffness + c * VALUES(K(stiffness)) : NULL;
    double sums[K(ROWS) + K(FACTOR_ROWS)] = {0}, response[ROW_SPACE] = {0}, second = 0;
    K(jacobian) jac;
    OF_KIND(load_product)(f->record + c * RECORD_VALUES, &jac);
    for (int slot = 0; slot < K(NODES); slot++) {
        double rows[TAUT_MAX_ROWS][3];
        const size_t n = f->nodes[c * K(NODES) + (size_t)slot];
        if (is_idle_slot(f, k, c, slot)) {
            continue;
        }
        const int total = OF_KIND(rows_at)(&jac, stiffness, slot, rows);
        for (int r = 0; r < total; r++) {
            const double product = node_product(world, s, n, rows[r], rows[r]);
            sums[r] += product;
            second += r == 0 && is_of_second(f, k, c, slot) ? product : 0;
        }
        for (int r = 0; r < K(ROWS); r++) {
            response[r] += loaded_product(world, s, n, rows[r]);
        }
    }
    if (K(ROWS) > 0) {
        find_unresolved(f, c, K(ROWS), response, step);
        note_misfit(world, s, k, K(ROWS), c, response, law_of(f, c, step), step);
        weigh(f, c, TAUT_PACKED(K(ROWS)), step);
    }
    if (k >= (int)TAUT_CONTACT && step->regularised &&
        !is_in_system(world, s, s->first_row[k] + place_of(s->count[k], K(ROWS), c, 0))) { /* else by the blocks of H */
        const bool contact = k == (int)TAUT_CONTACT;                                       /* else its couple */
        const contact_duty duty = contact ? duty_of_contact(world, s, c, step) : duty_of_load(0, step);
        double across = 0;
        for (int r = 1; contact && r < K(ROWS); r++) {
            across = fmax(across, sums[r]);
        }
        regularise(sums[0] - second, second, across, &duty, f->weight + c * TAUT_PACKED(K(ROWS)));
    }
    const bool softened =
        step->softened && k < (int)TAUT_CONTACT && !is_spared(world, f->nodes + K(NODES) * c, K(NODES));
    for (int r = 0; r < K(ROWS); r++) {
        float* weight = f->weight + c * TAUT_PACKED(K(ROWS)) + packed_index((size_t)r, (size_t)r);
        const size_t row = s->first_row[k] + place_of(s->count[k], K(ROWS), c, (size_t)r);
        const double scale = is_condensed(world, s, row) ? response[r] : sums[r];
        note_response(world, s, row, response[r]);
        soften_contradicting(world, k, c, row, step, softened, response[r], weight);
        sums[r] = is_absent(f, c) ? 0 : scale + *weight; /* 0: solvers pass over the row */
    }
    store_unknowns_f64(sums, s->count[k], K(ROWS), c, out + s->first_row[k]);
    for (int r = 0; stiffness != NULL && r < K(FACTOR_ROWS); r++) {
        out[s->first_factor_row[k] + place_of(s->count[k], K(FACTOR_ROWS), c, (size_t)r)] = sums[K(ROWS) + r] + 1;
    }
}
