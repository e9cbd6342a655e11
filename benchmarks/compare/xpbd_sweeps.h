/* XPBD's sweep (Macklin, Mueller, Chentanez 2016, eq. 17 and 18), for one precision: REAL, and NAME for its functions.
 * Constraint j between a and b, C = |x_b - x_a| - L, with t = c/h^2:
 *
 *     dlam = (-C - t lam) / (w_a + w_b + t),    x_a -= w_a dlam n,    x_b += w_b dlam n,    lam += dlam. */
typedef struct NAME(arrays) {
    REAL* x;
    REAL* inverse_mass;
    REAL* length;
    REAL* softness; /* t */
    REAL* lam;
} NAME(arrays);

static void NAME(sweep)(const NAME(arrays) * s, const uint32_t* pairs, size_t count) {
    for (size_t j = 0; j < count; j++) {
        const uint32_t a = pairs[2 * j], b = pairs[2 * j + 1];
        REAL *xa = s->x + 3 * (size_t)a, *xb = s->x + 3 * (size_t)b;
        const REAL d[3] = {xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]};
        const REAL length = SQRT(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const REAL wa = s->inverse_mass[a], wb = s->inverse_mass[b], t = s->softness[j];
        const REAL dlam = (s->length[j] - length - t * s->lam[j]) / (wa + wb + t);
        const REAL scale = dlam / length;
        s->lam[j] += dlam;
        for (int k = 0; k < 3; k++) {
            xa[k] -= wa * scale * d[k];
            xb[k] += wb * scale * d[k];
        }
    }
}

static NAME(arrays) NAME(make)(const step_problem* p, const size_t* order, double h) {
    const springs* m = p->model;
    NAME(arrays)
    s = {.x = bench_allocate(3 * m->particles, sizeof(REAL)),
         .inverse_mass = bench_allocate(m->particles, sizeof(REAL)),
         .length = bench_allocate(m->count, sizeof(REAL)),
         .softness = bench_allocate(m->count, sizeof(REAL)),
         .lam = bench_allocate(m->count, sizeof(REAL))};
    for (size_t i = 0; i < m->particles; i++) {
        s.inverse_mass[i] = m->fixed[i] ? 0 : (REAL)(1 / m->masses[i]);
    }
    for (size_t j = 0; j < m->count; j++) {
        s.length[j] = (REAL)m->lengths[order[j]];
        s.softness[j] = (REAL)(m->compliances[order[j]] / (h * h));
    }
    return s;
}

static void NAME(free)(NAME(arrays) * s) {
    free(s->x);
    free(s->inverse_mass);
    free(s->length);
    free(s->softness);
    free(s->lam);
}

/* From y, which x holds, and lam = 0. */
static void NAME(solve)(const NAME(arrays) * s, const uint32_t* pairs, size_t count, double sweeps) {
    memset(s->lam, 0, count * sizeof *s->lam);
    for (double i = 0; i < sweeps; i++) {
        NAME(sweep)(s, pairs, count);
    }
}

static void NAME(load)(const NAME(arrays) * s, const double* x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        s->x[i] = (REAL)x[i];
    }
}

static void NAME(store)(const NAME(arrays) * s, double* x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        x[i] = s->x[i];
    }
}
