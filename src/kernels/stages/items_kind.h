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

/* J = 0 of a constraint that is absent. */
TAUT_FN void OF_KIND(clear_jacobian)(const taut_kind_fields* f, size_t c) {
    K(jacobian) jac;
    for (size_t i = 0; i < VALUES(K(jacobian)); i++) {
        ((real*)&jac)[i] = 0;
    }
    OF_KIND(store_jacobian)(f, c, &jac);
}

/* Pulls at the node in `slot`. On a device with a slot that the compiler knows: what is indexed by a variable would
 * have to lie in memory. */
TAUT_FN void OF_KIND(apply_jacobian_transpose_at)(const K(jacobian) * jac, const real* u, int slot, real sum[3]) {
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int i = 0; i < K(NODES); i++) {
        if (i == slot) {
            K(apply_jacobian_transpose)(jac, u, i, sum);
        }
    }
#else
    K(apply_jacobian_transpose)(jac, u, slot, sum);
#endif
}

TAUT_FN void OF_KIND(apply_factor_transpose_at)(const K(jacobian) * jac, const K(stiffness) * k, const real* u,
                                                int slot, real sum[3]) {
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int i = 0; i < K(NODES); i++) {
        if (i == slot) {
            K(apply_factor_transpose)(jac, k, u, i, sum);
        }
    }
#else
    K(apply_factor_transpose)(jac, k, u, slot, sum);
#endif
}
