#include "oracle_scene.h"

#include <stdlib.h>
#include <string.h>

static void* grown(void* memory, size_t count, size_t size) {
    const bool full = (count & (count - 1)) == 0; /* capacities are powers of two */
    if (!full) {
        return memory;
    }
    void* larger = realloc(memory, (count == 0 ? 1 : 2 * count) * size);
    if (larger == NULL) {
        abort();
    }
    return larger;
}

uint32_t oracle_scene_particle(oracle_scene* scene, double x, double y, double z, double mass, bool fixed) {
    scene->particles = grown(scene->particles, scene->particle_count, sizeof *scene->particles);
    scene->particles[scene->particle_count] = (oracle_particle){.x = {x, y, z}, .mass = mass, .fixed = fixed};
    return (uint32_t)scene->particle_count++;
}

oracle_constraint* oracle_scene_constraint(oracle_scene* scene, const oracle_constraint* constraint) {
    scene->constraints = grown(scene->constraints, scene->constraint_count, sizeof *scene->constraints);
    size_t at = scene->constraint_count++;
    for (; at > 0 && scene->constraints[at - 1].kind > constraint->kind; at--) {
        scene->constraints[at] = scene->constraints[at - 1];
    }
    scene->constraints[at] = *constraint;
    return &scene->constraints[at];
}

void oracle_scene_free(oracle_scene* scene) {
    free(scene->particles);
    free(scene->constraints);
    *scene = (oracle_scene){0};
}

int oracle_nodes(taut_kind kind) {
    static const int nodes[TAUT_KIND_COUNT] = {2, 2, 1, 4, 3, 4, 4};
    return nodes[kind];
}

int oracle_rows(taut_kind kind) {
    static const int rows[TAUT_KIND_COUNT] = {1, 3, 3, 1, 3, 1, 6, [TAUT_LINEAR] = 1};
    return rows[kind];
}

size_t oracle_row_count(const oracle_scene* scene) {
    size_t rows = 0;
    for (size_t i = 0; i < scene->constraint_count; i++) {
        rows += (size_t)oracle_rows(scene->constraints[i].kind);
    }
    return rows;
}

/* ---- to a taut_scene ------------------------------------------------------------------------------------------ */

static void* array_of(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static taut_status add_particles(const oracle_scene* from, taut_scene* scene) {
    const size_t n = from->particle_count;
    double* numbers = array_of(7 * n, sizeof *numbers);
    bool* fixed = array_of(n, sizeof *fixed);
    taut_particles_def def = taut_default_particles();
    for (size_t i = 0; i < n; i++) {
        memcpy(numbers + 3 * i, from->particles[i].x, 3 * sizeof *numbers);
        memcpy(numbers + 3 * n + 3 * i, from->particles[i].v, 3 * sizeof *numbers);
        numbers[6 * n + i] = from->particles[i].mass;
        fixed[i] = from->particles[i].fixed;
    }
    def.count = n;
    def.positions = numbers;
    def.velocities = numbers + 3 * n;
    def.masses = numbers + 6 * n;
    def.fixed = fixed;
    const taut_status status = taut_scene_add_particles(scene, &def, NULL);
    free(numbers);
    free(fixed);
    return status;
}

/* The arrays of one batch, gathered from a run of constraints. */
typedef struct run_arrays {
    size_t count;
    uint32_t* particles;
    double *rest, *compliances, *dampings;
    size_t* offsets;
    uint32_t* coordinates;
    double* weights;
} run_arrays;

static int rest_count(taut_kind kind) {
    static const int counts[TAUT_KIND_COUNT] = {1, 3, 3, 1, 6, 1, 12, [TAUT_LINEAR] = 1};
    return counts[kind];
}

static run_arrays run_gather(const oracle_constraint* first, size_t count) {
    const size_t nodes = (size_t)oracle_nodes(first->kind), rest = (size_t)rest_count(first->kind);
    run_arrays run = {count,
                      array_of(count * nodes, sizeof(uint32_t)),
                      array_of(count * rest, sizeof(double)),
                      array_of(count, sizeof(double)),
                      array_of(count, sizeof(double)),
                      array_of(count + 1, sizeof(size_t)),
                      array_of(count * ORACLE_ENTRIES, sizeof(uint32_t)),
                      array_of(count * ORACLE_ENTRIES, sizeof(double))};
    for (size_t i = 0; i < count; i++) {
        const oracle_constraint* c = &first[i];
        memcpy(run.particles + i * nodes, c->particles, nodes * sizeof(uint32_t));
        memcpy(run.rest + i * rest, c->rest, rest * sizeof(double));
        run.compliances[i] = c->compliance;
        run.dampings[i] = c->damping;
        memcpy(run.coordinates + run.offsets[i], c->coordinates, c->entries * sizeof(uint32_t));
        memcpy(run.weights + run.offsets[i], c->weights, c->entries * sizeof(double));
        run.offsets[i + 1] = run.offsets[i] + c->entries;
    }
    return run;
}

static void run_free(run_arrays* run) {
    free(run->particles);
    free(run->rest);
    free(run->compliances);
    free(run->dampings);
    free(run->offsets);
    free(run->coordinates);
    free(run->weights);
}

/* The definitions differ only in the name of their rest and compliance arrays. */
#define ADD_RUN(name, plural, rest_field, compliance_field)                                                            \
    static taut_status add_##name(taut_scene* scene, const run_arrays* run, double poisson, taut_batch* batch) {       \
        taut_##name##_def def = taut_default_##name();                                                                 \
        (void)poisson;                                                                                                 \
        def.count = run->count;                                                                                        \
        def.rest_field = run->rest;                                                                                    \
        def.compliance_field = run->compliances;                                                                       \
        def.dampings = run->dampings;                                                                                  \
        ADD_RUN_##name;                                                                                                \
        return taut_scene_add_##plural(scene, &def, batch);                                                            \
    }
#define ADD_RUN_distance   def.particles = run->particles
#define ADD_RUN_attachment def.particles = run->particles
#define ADD_RUN_target     def.particles = run->particles
#define ADD_RUN_bend       def.particles = run->particles
#define ADD_RUN_membrane   def.particles = run->particles, def.poisson = poisson
#define ADD_RUN_tet_volume def.particles = run->particles
#define ADD_RUN_tet_strain def.particles = run->particles, def.poisson = poisson
#define ADD_RUN_linear     def.offsets = run->offsets, def.coordinates = run->coordinates, def.weights = run->weights
ADD_RUN(distance, distances, rest_lengths, compliances)
ADD_RUN(attachment, attachments, offsets, compliances)
ADD_RUN(target, targets, targets, compliances)
ADD_RUN(bend, bends, rest_angles, compliances)
ADD_RUN(membrane, membranes, rest, softnesses)
ADD_RUN(tet_volume, tet_volumes, rest_volumes, compliances)
ADD_RUN(tet_strain, tet_strains, rest, softnesses)
ADD_RUN(linear, linear, rest_values, compliances)

static taut_status add_run(taut_scene* scene, oracle_constraint* first, size_t count) {
    static taut_status (*const add[TAUT_KIND_COUNT])(taut_scene*, const run_arrays*, double, taut_batch*) = {
        add_distance, add_attachment, add_target,     add_bend,
        add_membrane, add_tet_volume, add_tet_strain, [TAUT_LINEAR] = add_linear};
    run_arrays run = run_gather(first, count);
    taut_batch batch = {0};
    const taut_status status = add[first->kind](scene, &run, first->poisson, &batch);
    for (size_t i = 0; i < count; i++) {
        first[i].batch = batch;
        first[i].member = (uint32_t)i;
    }
    run_free(&run);
    return status;
}

taut_status oracle_scene_build(oracle_scene* from, taut_scene** out) {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    taut_status status = taut_scene_create(&def, &scene);
    if (status == TAUT_OK) {
        status = add_particles(from, scene);
    }
    for (size_t i = 0, end = 0; status == TAUT_OK && i < from->constraint_count; i = end) {
        oracle_constraint* c = from->constraints;
        for (end = i; end < from->constraint_count && c[end].kind == c[i].kind && c[end].poisson == c[i].poisson;) {
            end++;
        }
        status = add_run(scene, c + i, end - i);
    }
    if (status != TAUT_OK) {
        taut_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return TAUT_OK;
}

taut_status oracle_scene_world(oracle_scene* from, const taut_world_def* def, taut_world** world) {
    taut_scene* scene = NULL;
    taut_status status = oracle_scene_build(from, &scene);
    if (status == TAUT_OK) {
        status = taut_world_create(scene, def, world);
        taut_scene_destroy(scene);
    }
    return status;
}

/* ---- moving along with a world -------------------------------------------------------------------------------- */

static bool moves(const double v[3]) {
    return v[0] != 0 || v[1] != 0 || v[2] != 0;
}

taut_status oracle_scene_drive(const oracle_scene* scene, taut_world* world, double dt) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; i < scene->constraint_count && status == TAUT_OK; i++) {
        const oracle_constraint* c = &scene->constraints[i];
        if (c->kind == TAUT_TARGET && moves(c->rate)) {
            const double end[3] = {c->rest[0] + dt * c->rate[0], c->rest[1] + dt * c->rate[1],
                                   c->rest[2] + dt * c->rate[2]};
            status = taut_world_move_targets(world, c->batch, c->member, 1, end);
        }
    }
    for (uint32_t i = 0; i < scene->particle_count && status == TAUT_OK; i++) {
        const oracle_particle* p = &scene->particles[i];
        if (p->fixed && moves(p->v)) {
            const double end[3] = {p->x[0] + dt * p->v[0], p->x[1] + dt * p->v[1], p->x[2] + dt * p->v[2]};
            status = taut_world_move_fixed(world, 1, &i, end);
        }
    }
    return status;
}

taut_status oracle_scene_follow(oracle_scene* scene, taut_world* world, double dt) {
    for (size_t i = 0; i < scene->particle_count; i++) {
        oracle_particle* p = &scene->particles[i];
        double v[3];
        taut_status status = taut_world_read(world, TAUT_FIELD_POSITIONS, i, 1, p->x);
        if (status == TAUT_OK) {
            status = taut_world_read(world, TAUT_FIELD_VELOCITIES, i, 1, v);
        }
        if (status != TAUT_OK) {
            return status;
        }
        if (!p->fixed) { /* a fixed particle keeps the velocity that the test gave it */
            memcpy(p->v, v, sizeof v);
        }
    }
    for (size_t i = 0; i < scene->constraint_count; i++) {
        oracle_constraint* c = &scene->constraints[i];
        for (int a = 0; a < 3 && c->kind == TAUT_TARGET; a++) {
            c->rest[a] += dt * c->rate[a];
        }
    }
    return TAUT_OK;
}
