/* taut-formulations: every formulation of a step on a pendulum, a chain and a beam: its error and measured order, what
 * becomes of the energy, and how far hard constraints drift. Writes Markdown. */
#include "formulations.h"
#include "systems.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct outcome {
    bool good;     /* it came to the end */
    double end[3]; /* of the watched particle, m */
    double energy; /* change, relative to the largest kinetic energy */
    double drift;  /* largest |phi| of a hard row, m */
} outcome;

static double total(const taut_step_info* info) {
    return info->kinetic + info->potential + info->elastic;
}

static outcome run(system_kind kind, taut_backend_kind backend, const taut_integrator* integrator, double h) {
    outcome out = {.good = false};
    uint32_t watched = 0;
    taut_step_info info;
    taut_world* world = system_world(kind, backend, integrator, &watched);
    bool good = world != NULL && taut_world_info(world, &info) == TAUT_OK;
    const double start = good ? total(&info) : 0;
    const long steps = lround(system_shapes[kind].duration / h);
    double moved = 0;
    for (long i = 0; good && i < steps; i++) {
        good = taut_world_step(world, h) == TAUT_OK && taut_world_info(world, &info) == TAUT_OK;
        moved = fmax(moved, info.kinetic);
        out.drift = fmax(out.drift, info.max_violation[TAUT_DISTANCE]);
    }
    out.good = good && taut_world_read(world, TAUT_FIELD_POSITIONS, watched, 1, out.end) == TAUT_OK;
    out.energy = moved > 0 ? (total(&info) - start) / moved : 0;
    taut_world_destroy(world);
    return out;
}

static double apart(const outcome* a, const outcome* b) {
    return sqrt(pow(a->end[0] - b->end[0], 2) + pow(a->end[1] - b->end[1], 2) + pow(a->end[2] - b->end[2], 2));
}

static void write_row(formulation_id id, system_kind kind, taut_backend_kind backend, const outcome* exact) {
    const taut_integrator integrator = formulation_integrator(id);
    const double h = system_shapes[kind].step;
    const outcome coarse = run(kind, backend, &integrator, h), fine = run(kind, backend, &integrator, h / 2);
    if (!coarse.good || !fine.good) {
        printf("| %s | diverges | | | |\n", formulations[id].name);
        return;
    }
    const double error = apart(&fine, exact);
    printf("| %s | %.1f | %.1e | %+.1e |", formulations[id].name, log2(apart(&coarse, exact) / error), error,
           fine.energy);
    if (system_shapes[kind].hard) {
        printf(" %.0e |\n", fine.drift);
    } else {
        printf(" |\n");
    }
    fflush(stdout);
}

/* Accelerations by RK4 with far shorter steps. */
static outcome exact_of(system_kind kind, taut_backend_kind backend) {
    const taut_integrator integrator = formulation_integrator(ACCELERATIONS_RK4);
    return run(kind, backend, &integrator, system_shapes[kind].step / 10);
}

static void write_table(system_kind kind, taut_backend_kind backend) {
    const system_shape* shape = &system_shapes[kind];
    const outcome exact = exact_of(kind, backend);
    printf("## %s\n\n%s. Order from steps of %g and %g ms; the other columns are of the shorter one.\n\n", shape->name,
           shape->description, 1e3 * shape->step, 5e2 * shape->step);
    printf("| formulation | order | error, m | energy | drift, m |\n|---|---|---|---|---|\n");
    for (int id = 0; id < FORMULATION_COUNT; id++) {
        write_row((formulation_id)id, kind, backend, &exact);
    }
    printf("\n");
}

static bool parse(int argc, char** argv, taut_backend_kind* backend) {
    static const struct option options[] = {{"backend", required_argument, NULL, 'b'}, {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "b:", options, NULL)) != -1) {
        if (option != 'b' || (strcmp(optarg, "cpu") != 0 && strcmp(optarg, "cuda") != 0)) {
            return false;
        }
        *backend = strcmp(optarg, "cuda") == 0 ? TAUT_BACKEND_CUDA : TAUT_BACKEND_CPU;
    }
    return optind == argc;
}

int main(int argc, char** argv) {
    taut_backend_kind backend = TAUT_BACKEND_CPU;
    if (!parse(argc, argv, &backend)) {
        fprintf(stderr, "usage: taut-formulations [--backend cpu|cuda]\n");
        return 2;
    }
    for (int kind = 0; kind < SYSTEM_COUNT; kind++) {
        write_table((system_kind)kind, backend);
    }
    return 0;
}
