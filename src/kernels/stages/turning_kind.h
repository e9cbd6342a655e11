/* Text of turning.h, once per kind. */

/* Rows of the constraints at node n that act hold the part; what lies within it holds nothing. */
TAUT_FN void OF_KIND(hold_by)(const taut_fields* world, const taut_sizes* s, size_t n, turning_part* p) {
    const int k = OF_KIND(kind);
    const taut_kind_fields* f = &world->kinds[k];
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        const size_t c = f->incidence[i] / K(NODES), at = f->incidence[i] % K(NODES);
        double b[ROW_SPACE][6] = {{0}}, gam[ROW_SPACE];
        bool acts = k < (int)TAUT_CONTACT;
        load_unknowns_f64(world->gam + s->first_row[k], s->count[k], K(ROWS), c, gam);
        for (int r = 0; r < K(ROWS); r++) {
            acts = acts || gam[r] != 0;
        }
        p->touches = p->touches || (k >= (int)TAUT_CONTACT && acts);
        if (is_absent(f, c) || !acts || !is_met_first(world, p->number, f->nodes + c * K(NODES), at)) {
            continue;
        }
        for (int slot = 0; slot < K(NODES); slot++) {
            double rows[TAUT_MAX_ROWS][3];
            const size_t node = f->nodes[c * K(NODES) + (size_t)slot];
            if (!is_idle_slot(f, k, c, slot) && is_of_part(world, p->number, node)) {
                OF_KIND(explicit_rows)(f->record + c * RECORD_VALUES, NULL, slot, rows);
                for (int r = 0; r < K(ROWS); r++) {
                    add_rigid(world, p, node, rows[r], b[r]);
                }
            }
        }
        for (int r = 0; r < K(ROWS); r++) {
            hold_part(b[r], f->weight[c * TAUT_PACKED(K(ROWS)) + packed_index((size_t)r, (size_t)r)], p);
        }
    }
}
