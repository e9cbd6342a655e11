#include "measured_state.h"

#include "bench_scenes.h"
#include "host/world/world_data.h"

#include <stdlib.h>

saved_state state_save(taut_world* world) {
    saved_state s = {.particles = taut_world_particle_count(world), .rows = taut_world_row_count(world)};
    s.positions = bench_allocate(3 * s.particles, sizeof(double));
    s.velocities = bench_allocate(3 * s.particles, sizeof(double));
    s.multipliers = bench_allocate(s.rows, sizeof(double));
    bench_must(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, s.particles, s.positions));
    bench_must(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, s.particles, s.velocities));
    bench_must(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, s.rows, s.multipliers));
    return s;
}

void state_restore(taut_world* world, const saved_state* s) {
    const taut_fields* f = &world->plan.fields;
    bench_must(taut_world_sync(world));
    bench_must(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, s->particles, s->positions));
    bench_must(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, s->particles, s->velocities));
    bench_must(world_forget(world)); /* or the next step forgets the multipliers, too */
    for (size_t i = 0; i < s->rows; i++) {
        const size_t at = world->plan.sizes.rows_move ? f->row_at[i] : i;
        f->lam[at] = f->lam_smooth[at] = s->multipliers[i];
    }
    bench_must(world_upload(world, f->lam, s->rows * sizeof(double)));
    bench_must(world_upload(world, f->lam_smooth, s->rows * sizeof(double)));
}

void state_free(saved_state* s) {
    free(s->positions);
    free(s->velocities);
    free(s->multipliers);
    *s = (saved_state){0};
}

static size_t free_coordinates(const taut_world* world) {
    size_t count = 0;
    for (size_t i = 0; i < world->plan.sizes.nodes; i++) {
        count += world->plan.fields.inverse_mass[i] > 0 ? 3 : 0;
    }
    return count;
}

size_t state_unknowns(const taut_world* world) {
    taut_choice choice;
    const bool condensed = state_choice(world, &choice) && choice.condensed_rows > choice.schur_rows;
    return condensed ? free_coordinates(world) : world->plan.sizes.unknowns;
}

bool state_choice(const taut_world* world, taut_choice* choice) {
    return taut_world_choice(world, choice) == TAUT_OK;
}
