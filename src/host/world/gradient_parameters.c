/* The parameters of a recorded step as one number: it costs a pass over them, where copies would take the memory of the
 * scene for every step, and it is again the same where a parameter is set back. */
#define TAUT_REAL double
#include "host/world/gradient_parameters.h"

#include "host/world/state_walk.h"
#include "kernels/stages/items.h"

/* Rest values of force elements have pressures and wind; those of constraints may change from step to step. */
static uint64_t hash_kind(uint64_t hash, const taut_kind_fields* f, taut_kind k, size_t count) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    hash = f->law != NULL ? state_hash(hash, f->law, count * sizeof *f->law) : hash;
    hash = state_hash(hash, f->compliance, count * shape->packed * sizeof *f->compliance);
    hash = state_hash(hash, f->damping, count * sizeof *f->damping);
    return is_load_kind((int)k) ? state_hash(hash, f->rest, count * shape->rest * sizeof *f->rest) : hash;
}

/* Inverse masses themselves follow the step. */
static uint64_t hash_fixed(uint64_t hash, const taut_fields* f, size_t nodes) {
    for (uint64_t n = 0; n < nodes; n++) {
        hash = f->inverse_mass[n] > 0 ? hash : state_hash(hash, &n, sizeof n);
    }
    return hash;
}

uint64_t gradient_parameters(const taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    const taut_integrator* i = &world->plan.settings.integrator;
    const double scheme[] = {i->alpha, i->beta, i->mass_damping};
    uint64_t hash = state_hash(1, scheme, sizeof scheme);
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        hash = s->count[k] > 0 ? hash_kind(hash, &f->kinds[k], (taut_kind)k, s->count[k]) : hash;
    }
    hash = state_hash(hash, f->bound, s->bounded ? 2 * taut_given_rows(s) * sizeof *f->bound : 0);
    return hash_fixed(hash, f, s->nodes);
}
