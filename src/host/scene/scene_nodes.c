/* Nodes of a scene, points and frames alike; and taking back what a call that failed had added. */
#include "host/scene/scene_data.h"

#include <string.h>

size_t scene_node_count(const taut_scene* scene) {
    return (size_t)scene->particle_count + scene->frames.count;
}

uint32_t scene_node(const taut_scene* scene, taut_kind kind, size_t e) {
    if (kind == TAUT_LINEAR) {
        const uint32_t coordinate = ((const uint32_t*)scene->linear.coordinates.data)[e];
        return coordinate < TAUT_ROTATION_OF(0, 0) ? coordinate / 3
                                                   : scene->particle_count + (coordinate - TAUT_ROTATION_OF(0, 0)) / 3;
    }
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    const uint32_t number = ((const uint32_t*)scene->kinds[kind].nodes.data)[e];
    return shape->frames >> e % shape->nodes & 1 ? scene->particle_count + number : number;
}

uint32_t scene_mapped(const taut_scene* scene, uint32_t point) {
    const uint32_t* points = scene->mapping.points.data;
    uint32_t low = 0, high = scene->mapping.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (points[middle] < point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < scene->mapping.count && points[low] == point ? low : UINT32_MAX;
}

const scene_entry* scene_entries(const taut_scene* scene, uint32_t m, uint32_t* count) {
    const uint32_t* ends = scene->mapping.ends.data;
    const uint32_t begin = m > 0 ? ends[m - 1] : 0;
    *count = ends[m] - begin;
    return (const scene_entry*)scene->mapping.entries.data + begin;
}

bool scene_node_free(const taut_scene* scene, size_t node) {
    if (node >= scene->particle_count) {
        return !((const uint8_t*)scene->frames.fixed.data)[node - scene->particle_count];
    }
    return !((const uint8_t*)scene->fixed.data)[node] && scene_mapped(scene, (uint32_t)node) == UINT32_MAX;
}

static double inverse_inertia(const taut_scene* scene, size_t frame) {
    const double* inertia = (const double*)scene->frames.inertias.data + 6 * frame;
    return 3 / (inertia[0] + inertia[1] + inertia[2]);
}

static double mapped_inverse_mass(const taut_scene* scene, uint32_t m) {
    uint32_t count;
    const scene_entry* entries = scene_entries(scene, m, &count);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool arm = TAUT_MAP_TYPE(entries[i].code) == TAUT_MAP_ARM;
        const double *v = entries[i].value, norm = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const size_t parent = arm ? scene->particle_count + (size_t)entries[i].parent : entries[i].parent;
        sum += norm * scene_node_inverse_mass(scene, parent);
    }
    return sum;
}

double scene_node_inverse_mass(const taut_scene* scene, size_t node) {
    if (node < scene->particle_count) {
        const uint32_t m = scene_mapped(scene, (uint32_t)node);
        if (m != UINT32_MAX) {
            return mapped_inverse_mass(scene, m);
        }
    }
    if (!scene_node_free(scene, node)) {
        return 0;
    }
    return node < scene->particle_count ? 1 / ((const double*)scene->masses.data)[node]
                                        : inverse_inertia(scene, node - scene->particle_count);
}

void scene_gather(const taut_scene* scene, taut_kind kind, size_t c, double* x) {
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    for (uint32_t slot = 0; slot < shape->nodes; slot++) {
        const size_t node = scene_node(scene, kind, (size_t)shape->nodes * c + slot);
        double* to = x + (size_t)shape->state * slot;
        if (node < scene->particle_count) {
            memcpy(to, (const double*)scene->positions.data + 3 * node, 3 * sizeof(double));
        } else {
            const double* orientations = scene->frames.orientations.data;
            memcpy(to, orientations + 4 * (node - scene->particle_count), 4 * sizeof(double));
        }
    }
}

/* ---- marks ------------------------------------------------------------------------------------------------------ */

scene_mark scene_take_mark(const taut_scene* scene) {
    scene_mark mark = {.points = scene->particle_count,
                       .frames = scene->frames.count,
                       .mapped = scene->mapping.count,
                       .ground = scene->ground,
                       .ground_users = scene->ground_users,
                       .batches = scene->batches.count};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        mark.kinds[k] = scene->kinds[k].count;
    }
    return mark;
}

static void cut_mapping(scene_mapping* mapping, uint32_t count) {
    const uint32_t* ends = mapping->ends.data;
    mapping->entries.count = count > 0 ? ends[count - 1] : 0;
    mapping->count = count;
    mapping->points.count = mapping->ends.count = mapping->levels.count = count;
}

void scene_return_to(taut_scene* scene, const scene_mark* mark) {
    scene->particle_count = mark->points;
    scene->positions.count = scene->velocities.count = 3 * (size_t)mark->points;
    scene->masses.count = scene->fixed.count = mark->points;
    scene->frames.count = mark->frames;
    scene->frames.orientations.count = 4 * (size_t)mark->frames;
    scene->frames.velocities.count = 3 * (size_t)mark->frames;
    scene->frames.inertias.count = 6 * (size_t)mark->frames;
    scene->frames.fixed.count = scene->frames.centres.count = mark->frames;
    scene->ground = mark->ground;
    scene->ground_users = mark->ground_users;
    scene->batches.count = mark->batches;
    cut_mapping(&scene->mapping, mark->mapped);
    for (int k = 0; k < TAUT_LINEAR; k++) { /* no composite call adds linear rows */
        scene_kind* kind = &scene->kinds[k];
        const taut_kind_shape* shape = &taut_kind_shapes[k];
        kind->count = mark->kinds[k];
        kind->nodes.count = (size_t)kind->count * shape->nodes;
        kind->rest.count = (size_t)kind->count * shape->rest;
        kind->compliance.count = (size_t)kind->count * shape->packed;
        kind->damping.count = kind->measure.count = kind->count;
    }
}
