#include "host/compile/components.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

taut_status components_make(const topology* t, const taut_allocator* allocator, components* out) {
    const size_t nodes = scene_node_count(t->scene);
    components c = {.bytes = (nodes + t->member_count + 1) * sizeof(uint32_t)};
    c.memory = taut_allocate(allocator, c.bytes);
    if (c.memory == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    c.node = c.memory;
    c.member = c.node + nodes;
    const taut_status status = topology_components(t, allocator, c.node, c.member, &c.count);
    if (status == TAUT_OK && (c.count == 0 || c.count > TAUT_MOST_COMPONENTS)) {
        memset(c.memory, 0, c.bytes);
        c.count = 1;
    }
    *out = c;
    return status;
}

/* Segments of items with these components; where they begin and whose they are, unless `first` is NULL. */
static uint32_t cut(const uint32_t* component, size_t count, uint32_t* first, uint32_t* whose) {
    uint32_t segments = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % TAUT_CHUNK == 0 || component[i] != component[i - 1]) {
            if (first != NULL) {
                first[segments] = (uint32_t)i;
                whose[segments] = component[i];
            }
            segments++;
        }
    }
    return segments;
}

/* The same of a kind, of points or of frames. */
static uint32_t cut_set(const topology* t, const components* c, int set, uint32_t* first, uint32_t* whose) {
    const size_t points = t->scene->particle_count, nodes = scene_node_count(t->scene);
    if (set == TAUT_SEGMENT_POINTS) {
        return cut(c->node, points, first, whose);
    }
    if (set == TAUT_SEGMENT_FRAMES) {
        return cut(c->node + points, nodes - points, first, whose);
    }
    return cut(c->member + t->kind_first[set], t->kind_first[set + 1] - t->kind_first[set], first, whose);
}

void components_count(const topology* t, const components* c, taut_plan* plan) {
    taut_sizes* s = &plan->sizes;
    s->components = c->count;
    for (int set = 0; set < TAUT_SEGMENT_SETS; set++) {
        const uint32_t segments = cut_set(t, c, set, NULL, NULL);
        s->most_segments = segments > s->most_segments ? segments : s->most_segments;
        plan->segment_begin[set + 1] = plan->segment_begin[set] + segments;
    }
    s->segments = plan->segment_begin[TAUT_SEGMENT_SETS];
}

/* In what is counted of a component. */
#define HAS_JOINTS (1u << 31)

/* Of each component: its nodes, two for each constraint, and the mark. */
static void count_things(const topology* t, const components* c, const taut_plan* plan, uint32_t* things) {
    memset(things, 0, plan->sizes.components * sizeof *things);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        things[c->node[n]]++;
    }
    for (uint32_t i = 0; i < t->member_count; i++) {
        const taut_kind k = topology_kind(t, i);
        things[c->member[i]] = (things[c->member[i]] + 2) | (topology_is_joint(k) ? HAS_JOINTS : 0);
    }
}

/* Bodies that no constraint and no mapping holds: their components have no other nodes, and no constraints. And those
 * in whose component there are joints. */
static void fill_flight(const topology* t, const components* c, taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const uint32_t* centres = t->scene->frames.centres.data;
    uint32_t* things = f->island_of; /* not in use yet */
    count_things(t, c, plan, things);
    for (size_t i = 0; i < s->solids; i++) {
        const taut_body_nodes body = f->collider_body[i];
        if (body.centre != TAUT_NO_NODE && body.frame != TAUT_NO_NODE) {
            const uint32_t first = c->node[body.centre], second = c->node[body.frame];
            const bool loose = things[first] + (second != first ? things[second] : 0) == 2;
            f->flight[body.centre] = loose ? TAUT_FLIGHT_LOOSE : 0;
        }
    }
    for (size_t i = 0; i < s->frames; i++) {
        if (centres[i] != TAUT_NO_POINT && (things[c->node[s->points + i]] & HAS_JOINTS) != 0) {
            f->flight[centres[i]] = TAUT_FLIGHT_JOINED;
        }
    }
    memset(things, 0, s->components * sizeof *things);
}

/* Pieces of rods have an equal part of the mass of what they belong to. */
static double mass_of_piece(const taut_plan* plan, uint32_t component) {
    const taut_fields* f = &plan->fields;
    double mass = 0, pieces = 0;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        const bool own = f->node_component[n] == component;
        mass += own && n < plan->sizes.simple ? f->mass[n] : 0;
        pieces += own && n >= plan->sizes.points;
    }
    return mass / fmax(pieces, 1);
}

static void fill_centres(const taut_scene* scene, taut_plan* plan) {
    const uint32_t* centres = scene->frames.centres.data;
    for (size_t i = 0; i < plan->sizes.frames; i++) {
        plan->fields.frame_centre[i] = centres[i] == TAUT_NO_POINT ? TAUT_NO_NODE : centres[i];
    }
}

/* How far the mass of a frame is from the axis about which it turns: its radius of gyration, of the mean moment. */
static void fill_reaches(taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    double piece = 0;
    uint32_t known = TAUT_NO_NODE;
    for (size_t i = 0; plan->sizes.sleeps && i < plan->sizes.frames; i++) {
        const double* inertia = f->inertia + 6 * i;
        const uint32_t own = f->node_component[plan->sizes.points + i];
        if (f->frame_centre[i] == TAUT_NO_NODE && own != known) {
            piece = mass_of_piece(plan, own);
            known = own;
        }
        const double mass = f->frame_centre[i] == TAUT_NO_NODE ? piece : f->mass[f->frame_centre[i]];
        f->frame_reach[i] = mass > 0 ? sqrt((inertia[0] + inertia[1] + inertia[2]) / (3 * mass)) : 1;
    }
}

void components_fill(const topology* t, const components* c, taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    memcpy(f->node_component, c->node, plan->sizes.nodes * sizeof *c->node);
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        const bool mapped = n < t->scene->particle_count && scene_mapped(t->scene, (uint32_t)n) != UINT32_MAX;
        f->node_given_fixed[n] = !mapped && !scene_node_free(t->scene, n);
    }
    for (int set = 0; set < TAUT_SEGMENT_SETS; set++) {
        const uint32_t at = plan->segment_begin[set];
        cut_set(t, c, set, f->segment_first + at, f->segment_component + at);
    }
    fill_flight(t, c, plan);
    fill_centres(t->scene, plan);
    fill_reaches(plan);
}

void components_free(const taut_allocator* allocator, components* c) {
    taut_release(allocator, c->memory, c->bytes);
    *c = (components){0};
}
