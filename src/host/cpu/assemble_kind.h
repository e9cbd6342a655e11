/* Text of assemble.c, once per kind. */

static void OF_KIND(coefficients)(const taut_plan* plan, taut_kind k, const step_factors* factors) {
    const taut_fields* world = &plan->fields;
    const taut_kind_fields* f = &world->kinds[k];
    const size_t count = plan->sizes.count[k], row0 = plan->sizes.first_row[k];
    const bool roots = K(ROOTS) > 0 && plan->sizes.roots > 0;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
    for (size_t c = 0; c < count; c++) {
        const size_t row = row0 + c * K(ROWS);
        weigh(f, c, TAUT_PACKED(K(ROWS)), factors);
        if (roots) {
            double lam[K(ROWS)];
            K(jacobian) jac;
            K(stiffness) stiffness;
            for (int r = 0; r < K(ROWS); r++) {
                lam[r] = world->lam_smooth[row + (size_t)r] * factors->root_scale;
            }
            load(f->jacobian + c * VALUES(K(jacobian)), VALUES(K(jacobian)), (double*)&jac);
            K(root)(&jac, lam, &stiffness);
            store((const double*)&stiffness, VALUES(K(stiffness)), f->stiffness + c * VALUES(K(stiffness)));
        }
    }
}

/* Diagonal of S: sum over the nodes of w |row|^2, plus the compliance term. */
static void OF_KIND(diagonal)(const taut_plan* plan, taut_kind k, double* out) {
    const taut_fields* world = &plan->fields;
    const taut_kind_fields* f = &world->kinds[k];
    const size_t count = plan->sizes.count[k];
    const bool roots = K(ROOTS) > 0 && plan->sizes.roots > 0;
    const size_t row0 = plan->sizes.first_row[k], root0 = plan->sizes.first_root[k];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (count > CPU_PARALLEL_FROM)
    for (size_t c = 0; c < count; c++) {
        double sums[TAUT_MAX_ROWS] = {0};
        const float* stiffness = roots ? f->stiffness + c * VALUES(K(stiffness)) : NULL;
        for (uint32_t slot = 0; slot < K(NODES); slot++) {
            double rows[TAUT_MAX_ROWS][3];
            const double w = world->inverse_mass[f->nodes[c * K(NODES) + slot]];
            const uint32_t total = explicit_rows(k, f->jacobian + c * VALUES(K(jacobian)), stiffness, slot, rows);
            for (uint32_t r = 0; w > 0 && r < total; r++) {
                sums[r] += w * vec3_dot(rows[r], rows[r]);
            }
        }
        for (size_t r = 0; r < K(ROWS); r++) {
            out[row0 + c * K(ROWS) + r] = sums[r] + f->weight[c * TAUT_PACKED(K(ROWS)) + TAUT_PACKED(r + 1) - 1];
        }
        for (int r = 0; roots && r < K(ROOTS); r++) {
            out[root0 + c * K(ROOTS) + (size_t)r] = sums[K(ROWS) + r] + 1;
        }
    }
}
