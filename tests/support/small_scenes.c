#include "small_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "oracle.h"

/* Adds a constraint; where `rest_rows` is not 0, its rest values are what phi is without them. */
static oracle_constraint* add(oracle_scene* scene, taut_kind kind, const uint32_t* particles, int rest_rows,
                              scene_material material) {
    oracle_constraint c = {.kind = kind,
                           .compliance = material.compliance,
                           .damping = material.damping,
                           .poisson = kind == TAUT_MEMBRANE || kind == TAUT_TET_STRAIN ? 0.3 : 0};
    memcpy(c.particles, particles, (size_t)oracle_nodes(kind) * sizeof *particles);
    if (rest_rows > 0) {
        double x[12];
        const double lam[6] = {0};
        oracle_terms terms;
        for (int k = 0; k < oracle_nodes(kind); k++) {
            memcpy(x + 3 * k, scene->particles[particles[k]].x, 3 * sizeof *x);
        }
        oracle_constraint_terms(&c, x, lam, &terms);
        memcpy(c.rest, terms.phi, (size_t)rest_rows * sizeof *c.rest);
    }
    return oracle_scene_constraint(scene, &c);
}

/* ---- sheets --------------------------------------------------------------------------------------------------- */

scene_grid scene_sheet(oracle_scene* scene, uint32_t columns, uint32_t rows, double spacing, double mass) {
    const scene_grid grid = {(uint32_t)scene->particle_count, columns, rows};
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            const double wave = 0.15 * spacing * sin(1.3 * i + 0.7 * j);
            oracle_scene_particle(scene, spacing * i, -spacing * j, wave, mass, false);
        }
    }
    return grid;
}

static uint32_t at(scene_grid grid, uint32_t i, uint32_t j) {
    return grid.first + j * grid.columns + i;
}

void scene_sheet_edges(oracle_scene* scene, scene_grid grid, scene_material material) {
    for (uint32_t j = 0; j < grid.rows; j++) {
        for (uint32_t i = 0; i < grid.columns; i++) {
            if (i + 1 < grid.columns) {
                scene_distance(scene, at(grid, i, j), at(grid, i + 1, j), material);
            }
            if (j + 1 < grid.rows) {
                scene_distance(scene, at(grid, i, j), at(grid, i, j + 1), material);
            }
        }
    }
}

void scene_sheet_diagonals(oracle_scene* scene, scene_grid grid, scene_material material) {
    for (uint32_t j = 0; j + 1 < grid.rows; j++) {
        for (uint32_t i = 0; i + 1 < grid.columns; i++) {
            scene_distance(scene, at(grid, i, j), at(grid, i + 1, j + 1), material);
            scene_distance(scene, at(grid, i + 1, j), at(grid, i, j + 1), material);
        }
    }
}

void scene_sheet_bends(oracle_scene* scene, scene_grid grid, scene_material material) {
    for (uint32_t j = 0; j < grid.rows; j++) {
        for (uint32_t i = 0; i < grid.columns; i++) {
            if (j > 0 && j + 1 < grid.rows && i + 1 < grid.columns) {
                const uint32_t across[4] = {at(grid, i, j), at(grid, i + 1, j), at(grid, i, j - 1),
                                            at(grid, i + 1, j + 1)};
                add(scene, TAUT_BEND, across, 1, material);
            }
            if (i > 0 && i + 1 < grid.columns && j + 1 < grid.rows) {
                const uint32_t along[4] = {at(grid, i, j), at(grid, i, j + 1), at(grid, i + 1, j),
                                           at(grid, i - 1, j + 1)};
                add(scene, TAUT_BEND, along, 1, material);
            }
        }
    }
}

void scene_sheet_membranes(oracle_scene* scene, scene_grid grid, scene_material material) {
    const double s = scene->particles[at(grid, 1, 0)].x[0] - scene->particles[at(grid, 0, 0)].x[0];
    const double rest[2][6] = {{0, 0, 0, -s, s, 0}, {s, 0, 0, -s, s, -s}};
    for (uint32_t j = 0; j + 1 < grid.rows; j++) {
        for (uint32_t i = 0; i + 1 < grid.columns; i++) {
            const uint32_t triangles[2][3] = {{at(grid, i, j), at(grid, i, j + 1), at(grid, i + 1, j)},
                                              {at(grid, i + 1, j), at(grid, i, j + 1), at(grid, i + 1, j + 1)}};
            for (int k = 0; k < 2; k++) {
                memcpy(add(scene, TAUT_MEMBRANE, triangles[k], 0, material)->rest, rest[k], sizeof rest[k]);
            }
        }
    }
}

void scene_sheet_pin_corners(oracle_scene* scene, scene_grid grid) {
    scene->particles[at(grid, 0, 0)].fixed = true;
    scene->particles[at(grid, grid.columns - 1, 0)].fixed = true;
}

scene_grid scene_cloth(oracle_scene* scene, uint32_t columns, uint32_t rows, scene_material edges,
                       scene_material bends) {
    const scene_grid grid = scene_sheet(scene, columns, rows, 0.1, 0.01);
    scene_sheet_edges(scene, grid, edges);
    scene_sheet_diagonals(scene, grid, edges);
    scene_sheet_bends(scene, grid, bends);
    scene_sheet_pin_corners(scene, grid);
    return grid;
}

/* ---- ropes ---------------------------------------------------------------------------------------------------- */

uint32_t scene_rope(oracle_scene* scene, uint32_t links, const double direction[3], double mass,
                    scene_material material) {
    const uint32_t first = (uint32_t)scene->particle_count;
    for (uint32_t i = 0; i <= links; i++) {
        oracle_scene_particle(scene, i * direction[0], i * direction[1], i * direction[2], mass, i == 0);
    }
    for (uint32_t i = 0; i < links; i++) {
        scene_distance(scene, first + i, first + i + 1, material);
    }
    return first;
}

void scene_rope_bending(oracle_scene* scene, uint32_t first, uint32_t links, scene_material material) {
    for (uint32_t i = first + 1; i < first + links; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            oracle_constraint c = {.kind = TAUT_LINEAR,
                                   .compliance = material.compliance,
                                   .damping = material.damping,
                                   .entries = 3,
                                   .coordinates = {3 * (i - 1) + axis, 3 * i + axis, 3 * (i + 1) + axis},
                                   .weights = {1, -2, 1}};
            oracle_scene_constraint(scene, &c);
        }
    }
}

/* ---- blocks of tetrahedra -------------------------------------------------------------------------------------- */

uint32_t scene_block(oracle_scene* scene, uint32_t cells, double spacing, double mass) {
    const uint32_t first = (uint32_t)scene->particle_count;
    for (uint32_t k = 0; k <= cells; k++) {
        for (uint32_t j = 0; j <= cells; j++) {
            for (uint32_t i = 0; i <= cells; i++) {
                oracle_scene_particle(scene, spacing * i, spacing * j, spacing * k, mass, false);
            }
        }
    }
    return first;
}

/* Six tetrahedra around the diagonal of every cube: from corner 0 along the three axes in every order. */
static void for_each_tet(oracle_scene* scene, uint32_t first, uint32_t cells, taut_kind kind, scene_material material) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    const uint32_t n = cells + 1, stride[3] = {1, n, n * n};
    for (uint32_t cube = 0; cube < cells * cells * cells; cube++) {
        const uint32_t corner = first + cube % cells + cube / cells % cells * n + cube / cells / cells * n * n;
        for (int o = 0; o < 6; o++) {
            uint32_t t[4] = {corner, 0, 0, 0};
            for (int k = 0; k < 3; k++) {
                t[k + 1] = t[k] + stride[orders[o][k]];
            }
            if (o >= 3) { /* odd orders are turned inside out */
                const uint32_t swap = t[2];
                t[2] = t[3];
                t[3] = swap;
            }
            oracle_constraint* c = add(scene, kind, t, kind == TAUT_TET_VOLUME ? 1 : 0, material);
            for (int k = 0; kind == TAUT_TET_STRAIN && k < 4; k++) {
                memcpy(c->rest + 3 * k, scene->particles[t[k]].x, 3 * sizeof *c->rest);
            }
        }
    }
}

void scene_block_strains(oracle_scene* scene, uint32_t first, uint32_t cells, scene_material material) {
    for_each_tet(scene, first, cells, TAUT_TET_STRAIN, material);
}

void scene_block_volumes(oracle_scene* scene, uint32_t first, uint32_t cells, scene_material material) {
    for_each_tet(scene, first, cells, TAUT_TET_VOLUME, material);
}

/* ---- single constraints and whole scenes ----------------------------------------------------------------------- */

void scene_distance(oracle_scene* scene, uint32_t a, uint32_t b, scene_material material) {
    const uint32_t particles[2] = {a, b};
    add(scene, TAUT_DISTANCE, particles, 1, material);
}

void scene_attach(oracle_scene* scene, uint32_t a, uint32_t b, scene_material material) {
    const uint32_t particles[2] = {a, b};
    add(scene, TAUT_ATTACHMENT, particles, 3, material);
}

void scene_target(oracle_scene* scene, uint32_t particle, const double rate[3], scene_material material) {
    memcpy(add(scene, TAUT_TARGET, &particle, 3, material)->rate, rate, 3 * sizeof *rate);
}

void scene_shake(oracle_scene* scene, uint64_t seed, double dx, double dv) {
    random_state state = {seed};
    for (size_t i = 0; i < scene->particle_count; i++) {
        oracle_particle* p = &scene->particles[i];
        for (int a = 0; a < 3 && !p->fixed; a++) {
            p->x[a] += random_in(&state, -dx, dx);
            p->v[a] += random_in(&state, -dv, dv);
        }
    }
}

/* A place from 0 up to and with `last`. */
static size_t random_place(random_state* state, size_t last) {
    const size_t place = (size_t)random_in(state, 0, (double)last + 1);
    return place > last ? last : place;
}

static void shuffle_particles(oracle_scene* scene, random_state* state) {
    uint32_t* now = malloc(scene->particle_count * sizeof *now); /* of the particle that was number i */
    oracle_particle* before = malloc(scene->particle_count * sizeof *before);
    memcpy(before, scene->particles, scene->particle_count * sizeof *before);
    for (size_t i = 0; i < scene->particle_count; i++) {
        const size_t j = random_place(state, i);
        now[i] = (uint32_t)i;
        const uint32_t other = now[j];
        now[j] = now[i];
        now[i] = other;
    }
    for (size_t i = 0; i < scene->particle_count; i++) {
        scene->particles[now[i]] = before[i];
    }
    for (size_t i = 0; i < scene->constraint_count; i++) {
        oracle_constraint* c = &scene->constraints[i];
        for (int k = 0; k < oracle_nodes(c->kind); k++) {
            c->particles[k] = now[c->particles[k]];
        }
        for (uint32_t e = 0; e < c->entries; e++) {
            c->coordinates[e] = 3 * now[c->coordinates[e] / 3] + c->coordinates[e] % 3;
        }
    }
    free(before);
    free(now);
}

void scene_shuffle(oracle_scene* scene, uint64_t seed) {
    random_state state = {seed};
    shuffle_particles(scene, &state);
    for (size_t first = 0, i = 0; i < scene->constraint_count; i++) {
        oracle_constraint* c = scene->constraints;
        first = c[first].kind == c[i].kind ? first : i;
        const size_t j = first + random_place(&state, i - first);
        const oracle_constraint other = c[j];
        c[j] = c[i];
        c[i] = other;
    }
}

void scene_shift(oracle_scene* scene, const double by[3]) {
    for (size_t i = 0; i < scene->particle_count; i++) {
        for (int a = 0; a < 3; a++) {
            scene->particles[i].x[a] += by[a];
        }
    }
    for (size_t i = 0; i < scene->constraint_count; i++) {
        for (int a = 0; scene->constraints[i].kind == TAUT_TARGET && a < 3; a++) {
            scene->constraints[i].rest[a] += by[a];
        }
    }
}

void scene_mixed(oracle_scene* scene, double compliance, double damping) {
    const scene_material any = {compliance, damping};
    const double down[3] = {0.02, -0.1, 0.01}, rate[3] = {0.3, -0.1, 0.2};
    const scene_grid cloth = scene_cloth(scene, 4, 4, any, any);
    const scene_grid sheet = scene_sheet(scene, 3, 3, 0.12, 0.02);
    scene_sheet_membranes(scene, sheet, any);
    const uint32_t rope = scene_rope(scene, 5, down, 0.02, any);
    scene_rope_bending(scene, rope, 5, any);
    const uint32_t block = scene_block(scene, 1, 0.2, 0.05);
    scene_block_strains(scene, block, 1, any);
    scene_block_volumes(scene, block, 1, any);
    scene_attach(scene, cloth.first + 15, rope + 2, any);
    scene_attach(scene, rope + 5, block, any);
    scene_target(scene, sheet.first, rate, any);
    scene_target(scene, cloth.first + 12, rate, any);
    oracle_scene_particle(scene, 3, 3, 3, 0.5, false); /* no constraint at all */
    scene_shake(scene, 11, 0.004, 0.3);
}
