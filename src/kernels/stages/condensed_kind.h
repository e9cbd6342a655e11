/* Text of condensed.h, once per kind. */

/* block += [J; Lh]^T Wh [J; Lh] of the constraints at node n, from constraint `from` on. */
TAUT_FN void OF_KIND(add_blocks)(const taut_kind_fields* f, size_t from, bool factor_rows, size_t n, double block[6]) {
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        const size_t c = f->incidence[i] / K(NODES);
        if (c < from) {
            continue;
        }
        const int slot = (int)(f->incidence[i] % K(NODES));
        const float* stiffness = K(FACTOR_ROWS) > 0 && factor_rows ? f->stiffness + c * VALUES(K(stiffness)) : NULL;
        double rows[TAUT_MAX_ROWS][3];
        const int total = OF_KIND(explicit_rows)(f->record + c * RECORD_VALUES, stiffness, slot, rows);
        if (K(ROWS) > 0) {
            add_block(K(ROWS), (const double(*)[3])rows, f->conductance + c * TAUT_PACKED(K(ROWS)), block);
        }
        add_block(total - K(ROWS), (const double(*)[3])rows + K(ROWS), NULL, block);
    }
}
