/* Text of items.h, once per kind. */

/* The values of the Jacobian that products use. */
TAUT_FN void OF_KIND(load_product)(const float* record, K(jacobian) * jac) {
    load(record, PRODUCT_VALUES, (real*)jac);
}

TAUT_FN void OF_KIND(load_jacobian)(const taut_kind_fields* f, size_t c, K(jacobian) * jac) {
    OF_KIND(load_product)(f->record + c * RECORD_VALUES, jac);
    if (K(AUX) > 0) {
        load(f->aux + c * K(AUX), K(AUX), (real*)jac + PRODUCT_VALUES);
    }
}

TAUT_FN void OF_KIND(store_jacobian)(const taut_kind_fields* f, size_t c, const K(jacobian) * jac) {
    store((const real*)jac, PRODUCT_VALUES, f->record + c * RECORD_VALUES);
    if (K(AUX) > 0) {
        store((const real*)jac + PRODUCT_VALUES, K(AUX), f->aux + c * K(AUX));
    }
}
