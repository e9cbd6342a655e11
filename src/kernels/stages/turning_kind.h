/* Text of turning.h, once per kind. */

/* What is at node n but bars between particles: contacts, and what was added at run time. */
TAUT_FN bool OF_KIND(is_at)(const taut_fields* world, size_t n) {
    const taut_kind_fields* f = &world->kinds[OF_KIND(kind)];
    for (uint32_t i = f->offsets[n]; i < f->offsets[n + 1]; i++) {
        if (!is_absent(f, f->incidence[i] / K(NODES))) {
            return true;
        }
    }
    return false;
}
