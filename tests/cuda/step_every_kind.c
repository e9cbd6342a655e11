/* Steps small scenes with constraints of every kind, then bodies, joints, rods and mapped points, with every
 * preconditioner, and prints a hash of where they end: something for sanitizers to watch, and the same text in every
 * run.
 *
 *     taut_step_every_kind [--backend cpu|cuda] [--steps N] [--cloth N]
 *
 * --cloth N adds a cloth of N x N particles, so that sums run over many blocks. */
#include "scene_graph.h"
#include "small_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    taut_backend_kind backend;
    int steps;
    uint32_t cloth;
} options;

/* FNV-1a, 64 bits. */
static const uint64_t first_hash = 0xcbf29ce484222325U;

static uint64_t hash_bytes(uint64_t hash, const void* data, size_t bytes) {
    const unsigned char* next = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ next[i]) * 0x100000001b3U;
    }
    return hash;
}

/* What is read of a world, in this order. */
static const struct {
    taut_field field;
    size_t columns;
} fields[] = {{TAUT_FIELD_POSITIONS, 3},
              {TAUT_FIELD_VELOCITIES, 3},
              {TAUT_FIELD_ORIENTATIONS, 4},
              {TAUT_FIELD_ANGULAR_VELOCITIES, 3},
              {TAUT_FIELD_MULTIPLIERS, 1}};
enum { FIELDS = sizeof fields / sizeof *fields };

static size_t rows_of(const taut_world* world, taut_field field) {
    const bool of_frames = field == TAUT_FIELD_ORIENTATIONS || field == TAUT_FIELD_ANGULAR_VELOCITIES;
    return field == TAUT_FIELD_MULTIPLIERS ? taut_world_row_count(world)
           : of_frames                     ? taut_world_frame_count(world)
                                           : taut_world_particle_count(world);
}

/* 0 where they can not be read. */
static uint64_t hash_world(taut_world* world) {
    uint64_t hash = first_hash;
    for (int i = 0; hash != 0 && i < FIELDS; i++) {
        const size_t rows = rows_of(world, fields[i].field), bytes = rows * fields[i].columns * sizeof(double);
        double* values = malloc(bytes + 1);
        const bool good = values != NULL && taut_world_read(world, fields[i].field, 0, rows, values) == TAUT_OK;
        hash = good ? hash_bytes(hash, values, bytes) : 0;
        free(values);
    }
    return hash;
}

/* Every kind between particles. */
static taut_status create_mixed(const options* o, const taut_world_def* def, taut_world** world) {
    const scene_material edges = {1e-4, 0}, bends = {1e2, 0};
    oracle_scene scene = {0};
    scene_mixed(&scene, 1e-5, 0.01);
    if (o->cloth > 0) {
        scene_cloth(&scene, o->cloth, o->cloth, edges, bends);
    }
    const taut_status status = oracle_scene_world(&scene, def, world);
    oracle_scene_free(&scene);
    return status;
}

static taut_status create_graph(const options* o, const taut_world_def* def, taut_world** world) {
    scene_graph graph;
    (void)o;
    return scene_graph_world(def, &graph, world);
}

static const struct {
    const char* name;
    taut_status (*create)(const options* o, const taut_world_def* def, taut_world** world);
} scenes[] = {{"kinds", create_mixed}, {"graph", create_graph}};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* Steps one world to the end, prints its line and returns its hash; 0 where something failed. */
static uint64_t run(const options* o, int scene, taut_preconditioner preconditioner,
                    taut_geometric_stiffness geometric) {
    static const char* const names[] = {"auto", "none", "jacobi", "block", "chebyshev", "multilevel"};
    const char* stiffness = geometric == TAUT_GEOMETRIC_FULL ? "full" : "none";
    taut_world* world = NULL;
    taut_world_def def = taut_default_world();
    def.backend = o->backend;
    def.integrator.geometric_stiffness = geometric;
    def.solver.preconditioner = preconditioner;
    def.solver.max_iterations = 40;
    taut_status status = scenes[scene].create(o, &def, &world);
    for (int i = 0; status == TAUT_OK && i < o->steps; i++) {
        status = taut_world_step(world, 0.005);
    }
    if (status == TAUT_OK) {
        status = taut_world_sync(world);
    }
    const uint64_t hash = status == TAUT_OK ? hash_world(world) : 0;
    printf("%s %-9s %s %016llx\n", scenes[scene].name, names[preconditioner], stiffness, (unsigned long long)hash);
    if (hash == 0) {
        fprintf(stderr, "taut_step_every_kind: %s\n", taut_last_error());
    }
    taut_world_destroy(world);
    return hash;
}

static bool read_options(int argc, char** argv, options* o) {
    for (int i = 1; i < argc; i += 2) {
        const char* value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--backend") == 0 && (strcmp(value, "cpu") == 0 || strcmp(value, "cuda") == 0)) {
            o->backend = strcmp(value, "cpu") == 0 ? TAUT_BACKEND_CPU : TAUT_BACKEND_CUDA;
        } else if (strcmp(argv[i], "--steps") == 0 && atoi(value) > 0) {
            o->steps = atoi(value);
        } else if (strcmp(argv[i], "--cloth") == 0 && atoi(value) > 1) {
            o->cloth = (uint32_t)atoi(value);
        } else {
            fprintf(stderr, "taut_step_every_kind: '%s %s' is not an option with a value\n", argv[i], value);
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv) {
    options o = {TAUT_BACKEND_CUDA, 3, 0};
    if (!read_options(argc, argv, &o)) {
        return 2;
    }
    enum { PRECONDITIONERS = TAUT_PRECONDITIONER_MULTILEVEL };
    bool sound = true;
    uint64_t all[SCENES * PRECONDITIONERS * 2];
    for (int i = 0; i < SCENES * PRECONDITIONERS * 2; i++) {
        const taut_preconditioner preconditioner = (taut_preconditioner)(i / 2 % PRECONDITIONERS + 1);
        all[i] =
            run(&o, i / 2 / PRECONDITIONERS, preconditioner, i % 2 == 0 ? TAUT_GEOMETRIC_NONE : TAUT_GEOMETRIC_FULL);
        sound = sound && all[i] != 0;
    }
    if (sound) {
        printf("all                  %016llx\n", (unsigned long long)hash_bytes(first_hash, all, sizeof all));
    }
    return sound ? 0 : 1;
}
