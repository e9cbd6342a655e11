/* Colliders of a running world whose meshes deform: where their vertices go, and where they are. */
#define TAUT_REAL double
#include "base/small_math.h"
#include "base/status.h"
#include "host/scene/scene_data.h"
#include "host/world/world_data.h"

#include <math.h>
#include <string.h>

/* The mesh of a collider; fails where that is none that deforms, or has another number of vertices. */
static taut_status find_mesh(taut_world* world, uint32_t collider, size_t vertex_count, const double* positions,
                             const taut_mesh** found) {
    if (world == NULL || positions == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and positions must not be NULL.");
    }
    const taut_fields* f = &world->plan.fields;
    if (collider >= world->plan.sizes.colliders) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "collider %u does not exist (%u colliders).", collider,
                         world->plan.sizes.colliders);
    }
    const bool is_mesh = f->collider_shape[collider] == TAUT_SHAPE_MESH;
    const taut_mesh* mesh = is_mesh ? &f->mesh[f->collider_mesh[collider]] : NULL;
    if (mesh == NULL || mesh->vertices == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "collider %u has no mesh that deforms; its mesh needs points.",
                         collider);
    }
    if (vertex_count != mesh->vertices) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%zu vertices for collider %u, whose mesh has %u.", vertex_count,
                         collider, mesh->vertices);
    }
    *found = mesh;
    return world_ready(world);
}

/* By the divergence theorem, from one of its own vertices. */
static double volume_of(const taut_fields* f, const taut_mesh* mesh, const double* positions) {
    const taut_deforming* d = f->deforming + mesh->first_deforming;
    const double* from = positions + 3 * (d->vertex[0] - mesh->first_vertex);
    double sum = 0;
    for (size_t i = 0; i < mesh->triangles; i++) {
        double arm[3][3], n[3];
        for (size_t k = 0; k < 3; k++) {
            vec3_sub(positions + 3 * (d[i].vertex[k] - mesh->first_vertex), from, arm[k]);
        }
        vec3_cross(arm[0], arm[1], n);
        sum += vec3_dot(n, arm[2]) / 6;
    }
    return sum;
}

static taut_status check_goals(const taut_world* world, const taut_mesh* mesh, uint32_t collider,
                               const double* positions) {
    const taut_fields* f = &world->plan.fields;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertices; i++) {
        const uint32_t node = f->mesh_vertex[mesh->first_vertex + i / 3];
        if (!(fabs(positions[i]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "vertex %zu component %zu is %g; it must be finite and at most "
                             "%g.",
                             i / 3, i % 3, positions[i], TAUT_MAX_LENGTH);
        }
        if (node >= world->plan.sizes.simple || f->inverse_mass[node] > 0) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "vertex %zu is a point that is %s; only fixed particles can be "
                             "moved.",
                             i / 3, node >= world->plan.sizes.simple ? "mapped" : "free");
        }
    }
    const double volume = volume_of(f, mesh, positions);
    return volume > 0 ? TAUT_OK
                      : taut_fail(TAUT_INVALID_ARGUMENT,
                                  "the vertices of collider %u enclose %g m^3: the mesh is "
                                  "flat or turned inside out.",
                                  collider, volume);
}

taut_status taut_world_move_collider(taut_world* world, uint32_t collider, size_t vertex_count,
                                     const double* positions) {
    const taut_mesh* mesh;
    taut_status status = find_mesh(world, collider, vertex_count, positions, &mesh);
    status = status == TAUT_OK ? check_goals(world, mesh, collider, positions) : status;
    if (status != TAUT_OK) {
        return status;
    }
    const taut_fields* f = &world->plan.fields;
    const uint32_t* nodes = f->mesh_vertex + mesh->first_vertex;
    world_span moved = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < vertex_count; i++) {
        memcpy(f->node_goal + 3 * (size_t)nodes[i], positions + 3 * i, 3 * sizeof *positions);
        f->node_goal_tick[nodes[i]] = world_next_tick(world);
        memset(f->node_turn + TAUT_TURN_VALUES * (size_t)nodes[i], 0, TAUT_TURN_VALUES * sizeof *f->node_turn);
        world_span_add(&moved, nodes[i]);
    }
    world->linear_h = 0;
    status = world_upload_span(world, f->node_goal, 3 * sizeof(double), moved);
    status =
        status == TAUT_OK ? world_upload_span(world, f->node_turn, TAUT_TURN_VALUES * sizeof(double), moved) : status;
    return status == TAUT_OK ? world_upload_span(world, f->node_goal_tick, sizeof(uint32_t), moved) : status;
}

taut_status taut_world_read_collider_vertices(taut_world* world, uint32_t collider, size_t vertex_count,
                                              double* positions) {
    const taut_mesh* mesh;
    taut_status status = find_mesh(world, collider, vertex_count, positions, &mesh);
    if (status != TAUT_OK) {
        return status;
    }
    const taut_fields* f = &world->plan.fields;
    status = world_download(world, f->x, 3 * world->plan.sizes.nodes * sizeof *f->x);
    for (size_t i = 0; status == TAUT_OK && i < vertex_count; i++) {
        memcpy(positions + 3 * i, f->x + 3 * (size_t)f->mesh_vertex[mesh->first_vertex + i], 3 * sizeof *positions);
    }
    return status;
}
