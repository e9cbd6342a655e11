#include "host/compile/compile.h"

#include "base/status.h"
#include "host/compile/balanced.h"
#include "host/compile/colours.h"
#include "host/compile/components.h"
#include "host/compile/contacts.h"
#include "host/compile/eager.h"
#include "host/compile/lines.h"
#include "host/compile/mapped.h"
#include "host/compile/multigrid/levels.h"
#include "host/compile/ordering.h"
#include "host/compile/slots.h"
#include "host/compile/topology.h"
#include "model/factors.h"

#include <math.h>
#include <string.h>

/* More hard rows per free point than this are taken for redundant; thread nets stay below. */
#define REDUNDANT_ROWS_PER_POINT 2.2
/* Up to this many couplings per node the constraints form ropes (1, with bending 2) or thread nets (2), which lines
 * solve many times faster than anything else; on triangulated cloth (3) they gain nothing
 * (docs/lab-notes/2026-11-22.md). */
#define LINE_COUPLINGS_PER_NODE 2.2

uint8_t taut_batch_law(const scene_batch* batch) {
    return batch->as_force ? TAUT_LAW_FORCE : batch->of_velocities ? TAUT_LAW_VELOCITY : TAUT_LAW_CONSTRAINT;
}

static taut_status count_kinds(const taut_scene* scene, const taut_allocator* allocator, const taut_settings* settings,
                               taut_sizes* s) {
    s->points = scene->particle_count;
    s->simple = s->points - scene->mapping.count;
    s->frames = scene->frames.count;
    s->nodes = s->points + s->frames;
    s->map_entries = scene->mapping.entries.count;
    for (size_t i = 0; i < scene->batches.count; i++) {
        const scene_batch* batch = (const scene_batch*)scene->batches.data + i;
        s->forces = s->forces || batch->as_force;
        s->bounded = s->bounded || batch->bounded;
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        s->count[k] = scene->kinds[k].count;
        s->entries[k] = scene_entry_count(scene, (taut_kind)k);
        s->has_law[k] = taut_kind_shapes[k].rows > 0;
    }
    slots_count(settings, s);
    const taut_status status = contacts_count(scene, allocator, &settings->contact, s);
    s->eager = s->touches && settings->contact.law == TAUT_CONTACT_CONVEX ? eager_count(scene) : 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        s->loads = s->loads || (s->count[k] > 0 && taut_kind_shapes[k].load > 0);
    }
    return status;
}

static void choose_factor_rows(bool factor_rows, taut_sizes* s) {
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        s->has_factor_rows[k] =
            taut_kind_shapes[k].factor_rows > 0 && (factor_rows || k == TAUT_INERTIA || taut_kind_shapes[k].load > 0);
    }
}

void taut_number_rows(taut_sizes* s) {
    s->rows = s->reserved_unknowns = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        s->first_row[k] = (uint32_t)s->rows;
        s->rows += s->count[k] * taut_kind_shapes[k].rows;
        s->reserved_unknowns += s->reserved[k] * (size_t)taut_kind_unknowns((taut_kind)k, s->has_factor_rows);
    }
    s->unknowns = s->rows;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        s->first_factor_row[k] = (uint32_t)s->unknowns;
        s->unknowns += s->has_factor_rows[k] ? s->count[k] * taut_kind_shapes[k].factor_rows : 0;
    }
    s->factor_rows = s->unknowns - s->rows;
    const size_t longest = s->unknowns > s->nodes ? s->unknowns : s->nodes;
    s->chunks = longest / TAUT_CHUNK + 1 + s->most_segments;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) { /* what is added has segments of its own */
        s->chunks += s->reserved[k];
    }
}

static void count_blocks(const topology* t, const block_partition* p, taut_sizes* s) {
    s->blocks = p->block_count;
    s->block_members = p->begin[p->block_count];
    for (uint32_t b = 0; b < p->block_count; b++) {
        size_t unknowns = 0;
        for (uint32_t i = p->begin[b]; i < p->begin[b + 1]; i++) {
            const uint32_t m = p->member[i];
            unknowns += taut_kind_unknowns(topology_kind(t, m), s->has_factor_rows);
            s->block_entries += t->member_begin[m + 1] - t->member_begin[m];
        }
        s->block_unknowns += unknowns;
        s->block_values += unknowns * unknowns;
        s->largest_block = unknowns * unknowns > s->largest_block ? unknowns * unknowns : s->largest_block;
    }
}

/* ---- filling -------------------------------------------------------------------------------------------------- */

/* Counting sort of the entries by node; stable, so that a node sums its constraints in their order. */
static void fill_incidence(const taut_scene* scene, int k, const taut_sizes* s, taut_kind_fields* f) {
    const uint32_t entries = scene_entry_count(scene, (taut_kind)k);
    uint32_t* next = f->offsets; /* shifted by one while filling */
    for (uint32_t e = 0; e < entries; e++) {
        f->offsets[scene_node(scene, (taut_kind)k, e) + 1]++;
    }
    for (size_t n = 0; n < s->nodes; n++) {
        f->offsets[n + 1] += f->offsets[n];
    }
    for (uint32_t e = 0; e < entries; e++) {
        f->incidence[next[scene_node(scene, (taut_kind)k, e)]++] = e;
    }
    memmove(f->offsets + 1, f->offsets, s->nodes * sizeof(uint32_t));
    f->offsets[0] = 0;
}

static void fill_kind(const taut_scene* scene, int k, taut_kind_fields* f) {
    const scene_kind* kind = &scene->kinds[k];
    for (size_t e = 0; e < kind->nodes.count; e++) {
        f->nodes[e] = scene_node(scene, (taut_kind)k, e);
    }
    taut_buffer_copy(f->rest, &kind->rest);
    taut_buffer_copy(f->compliance, &kind->compliance);
    taut_buffer_copy(f->damping, &kind->damping);
    taut_buffer_copy(f->measure, &kind->measure);
}

static void fill_linear(const taut_scene* scene, taut_fields* f) {
    const uint32_t* ends = scene->linear.ends.data;
    const double* weights = scene->linear.weights.data;
    const uint32_t* coordinates = scene->linear.coordinates.data;
    for (uint32_t row = 0; row < scene->kinds[TAUT_LINEAR].count; row++) {
        f->linear_begin[row + 1] = ends[row];
        for (uint32_t e = f->linear_begin[row]; e < ends[row]; e++) {
            f->linear_coordinate[e] = 3 * scene_node(scene, TAUT_LINEAR, e) + coordinates[e] % 3;
            f->linear_row[e] = row;
            f->linear_weight[e] = weights[e];
        }
    }
}

static void fill_frames(const taut_scene* scene, const taut_sizes* s, taut_fields* f) {
    const double* velocities = scene->frames.velocities.data;
    taut_buffer_copy(f->orientation, &scene->frames.orientations);
    taut_buffer_copy(f->frame_goal, &scene->frames.orientations);
    taut_buffer_copy(f->inertia, &scene->frames.inertias);
    for (size_t i = 0; i < s->frames; i++) {
        memcpy(f->v + 3 * (s->points + i), velocities + 3 * i, 3 * sizeof(double));
        f->inverse_mass[s->points + i] = scene_node_free(scene, s->points + i);
    }
}

static void fill_state(const taut_scene* scene, taut_fields* f) {
    const double* masses = scene->masses.data;
    taut_buffer_copy(f->x, &scene->positions);
    taut_buffer_copy(f->v, &scene->velocities);
    taut_buffer_copy(f->mass, &scene->masses);
    taut_buffer_copy(f->node_goal, &scene->positions);
    for (uint32_t n = 0; n < scene->particle_count; n++) {
        f->inverse_mass[n] = scene_node_free(scene, n) ? (float)(1 / masses[n]) : 0;
        for (int i = 0; i < 3; i++) {
            f->x_f32[3 * (size_t)n + i] = (float)f->x[3 * (size_t)n + i];
        }
    }
}

static taut_status fill_redundant(const topology* t, const line_partition* lines, const taut_allocator* allocator,
                                  const taut_sizes* s, taut_fields* f) {
    const size_t bytes = t->member_count * (sizeof(uint32_t) + 1) + 1;
    uint32_t* line = taut_allocate(allocator, bytes);
    if (line == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    uint8_t* flags = (uint8_t*)(line + t->member_count);
    lines_of_members(t, lines, line);
    taut_status status = topology_redundant(t, allocator, REDUNDANT_ROWS_PER_POINT, line, flags);
    if (status == TAUT_OK) {
        status = topology_spanning(t, allocator, flags, f->span);
    }
    for (uint32_t m = 0; status == TAUT_OK && m < t->member_count; m++) {
        const taut_kind k = topology_kind(t, m);
        const uint32_t rows = taut_kind_shapes[k].rows;
        for (uint32_t r = 0; r < rows; r++) {
            f->redundant[s->first_row[k] + taut_unknown_place(s, s->count[k], rows, m - t->kind_first[k], r)] =
                flags[m];
        }
    }
    taut_release(allocator, line, bytes);
    return status;
}

/* ---- blocks and methods --------------------------------------------------------------------------------------- */

/* Insertion by node; blocks are small, and equal nodes keep their order. */
static void insert_entry(taut_fields* f, uint32_t begin, uint32_t at, const uint32_t entry[4]) {
    while (at > begin && f->block_entry_node[at - 1] > entry[0]) {
        f->block_entry_node[at] = f->block_entry_node[at - 1];
        f->block_entry_member[at] = f->block_entry_member[at - 1];
        f->block_entry_slot[at] = f->block_entry_slot[at - 1];
        f->block_entry_local[at] = f->block_entry_local[at - 1];
        at--;
    }
    f->block_entry_node[at] = entry[0];
    f->block_entry_member[at] = entry[1];
    f->block_entry_slot[at] = entry[2];
    f->block_entry_local[at] = entry[3];
}

static void fill_block(const topology* t, const taut_sizes* s, const block_partition* p, uint32_t b, taut_fields* f) {
    uint32_t unknown = f->block_begin[b], entry = f->block_entry_begin[b];
    for (uint32_t i = p->begin[b]; i < p->begin[b + 1]; i++) {
        const uint32_t m = p->member[i];
        const taut_kind k = topology_kind(t, m);
        const uint32_t local = unknown - f->block_begin[b];
        const uint32_t linear_first = t->member_begin[t->kind_first[TAUT_LINEAR]];
        f->block_member[i] = m;
        unknown += taut_list_unknowns(s, k, m - t->kind_first[k], f->block_unknown + unknown);
        for (uint32_t e = t->member_begin[m]; e < t->member_begin[m + 1]; e++, entry++) {
            const uint32_t slot = k == TAUT_LINEAR ? e - linear_first : e - t->member_begin[m];
            insert_entry(f, f->block_entry_begin[b], entry, (uint32_t[4]){t->member_node[e], m, slot, local});
        }
    }
    const size_t size = unknown - f->block_begin[b];
    f->block_member_begin[b + 1] = p->begin[b + 1];
    f->block_begin[b + 1] = unknown;
    f->block_entry_begin[b + 1] = entry;
    f->block_value_begin[b + 1] = f->block_value_begin[b] + size * size;
}

static void fill_condensed(const topology* t, const taut_sizes* s, const method_map* methods, taut_fields* f) {
    uint32_t unknowns[TAUT_MAX_ROWS];
    for (uint32_t m = 0; m < t->member_count; m++) {
        const taut_kind k = topology_kind(t, m);
        const uint32_t count = methods->member[m] ? taut_list_unknowns(s, k, m - t->kind_first[k], unknowns) : 0;
        for (uint32_t i = 0; i < count; i++) {
            f->condensed[unknowns[i]] = TAUT_CONDENSED;
        }
    }
    memcpy(f->condensed_node, methods->node, s->nodes);
}

/* What hangs together, each part condensed until its contacts are known. */
static taut_status fill_parts(const topology* t, const taut_allocator* allocator, const method_map* alone,
                              taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    if (!s->switches) {
        return TAUT_OK;
    }
    const taut_status status = topology_parts(t, allocator, f->node_part, f->member_part);
    for (uint32_t n = 0; status == TAUT_OK && n < s->nodes; n++) {
        f->part_system[n] = TAUT_PART_CONDENSED;
    }
    for (uint32_t m = 0; status == TAUT_OK && m < t->member_count; m++) {
        if (alone->member[m] && f->member_part[m] != UINT32_MAX) {
            f->part_system[f->member_part[m]] = TAUT_PART_ALWAYS;
        }
    }
    return status;
}

/* ---- the plan ------------------------------------------------------------------------------------------------- */

/* What the preconditioner is made of, or what the other ways of solving need to know. */
typedef struct partition {
    block_partition blocks; /* none with lines */
    line_partition lines;
    supports supports; /* of all members, for Gauss-Seidel and the direct method */
    colouring colours; /* for Gauss-Seidel */
    balanced_draft turning;
} partition;

static taut_status colours_and_supports(const topology* t, const taut_allocator* allocator, taut_plan* plan,
                                        partition* p) {
    const size_t members = t->member_count + (size_t)1;
    uint8_t* all = taut_allocate(allocator, members);
    if (all == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    memset(all, 1, members);
    taut_status status = supports_make(t, all, allocator, &p->supports);
    taut_release(allocator, all, members);
    if (status == TAUT_OK) {
        plan->hierarchy.system.s = supports_sizes(&p->supports);
    }
    if (status == TAUT_OK && plan->settings.method == TAUT_METHOD_GAUSS_SEIDEL) {
        status = colours_make(&p->supports, plan->sizes.has_factor_rows, allocator, &p->colours);
        if (status == TAUT_OK) {
            colours_count(&p->supports, &p->colours, &plan->sizes);
        }
    }
    return status;
}

/* Blocks, or lines, whose groups are then the blocks that are assembled, or colours, likewise. */
static taut_status partition_make(const topology* t, const method_map* methods, const taut_allocator* allocator,
                                  taut_plan* plan, partition* p) {
    taut_sizes* s = &plan->sizes;
    const taut_preconditioner preconditioner = plan->settings.preconditioner;
    taut_status status = TAUT_OK;
    const taut_method method = plan->settings.method;
    if (method == TAUT_METHOD_PROJECTED_GRADIENT) {
        return TAUT_OK;
    }
    if (taut_takes_all(method)) {
        status = colours_and_supports(t, allocator, plan, p);
    } else if (preconditioner == TAUT_PRECONDITIONER_BLOCK && t->member_count > 0) {
        status =
            topology_blocks(t, allocator, plan->settings.solver.block_size, s->has_factor_rows, methods, &p->blocks);
        if (status == TAUT_OK) {
            count_blocks(t, &p->blocks, s);
            s->block_scratch = plan->on_device ? s->block_values : plan->settings.threads * s->largest_block;
        }
    } else if (preconditioner == TAUT_PRECONDITIONER_MULTILEVEL && t->member_count > 0) {
        status = lines_make(t, allocator, TAUT_LINE_GROUP, s->has_factor_rows, methods->member, &p->lines);
        if (status == TAUT_OK) {
            count_blocks(t, &p->lines.groups, s);
            s->block_values = s->largest_block = 0;
            s->line_sweeps = !plan->on_device;
            lines_count(t, &p->lines, s);
        }
    }
    return status;
}

static void partition_fill(const topology* t, const partition* p, taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    taut_fields* f = &plan->fields;
    if (p->supports.topology != NULL) {
        supports_fill(&p->supports, &plan->hierarchy.system);
    }
    if (s->colours > 0) {
        colours_fill(&p->supports, &p->colours, s, f);
        return;
    }
    const block_partition* blocks = s->lines > 0 ? &p->lines.groups : &p->blocks;
    for (uint32_t b = 0; b < s->blocks; b++) {
        fill_block(t, s, blocks, b, f);
    }
    if (s->lines > 0) {
        lines_fill(t, &p->lines, s, f);
    }
}

static taut_status allocate_plan(const taut_scene* scene, const taut_allocator* allocator, const topology* t,
                                 const method_map* methods, const method_map* alone, const partition* p,
                                 const hierarchy_draft* levels, taut_plan* plan) {
    taut_sizes* s = &plan->sizes;
    const size_t used = taut_layout_pack(s, NULL, &plan->fields);
    plan->bytes = taut_hierarchy_pack(&plan->hierarchy, NULL, used);
    plan->block = taut_allocate(allocator, plan->bytes);
    if (plan->block == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    taut_layout_pack(s, plan->block, &plan->fields);
    taut_hierarchy_pack(&plan->hierarchy, plan->block, used);
    if (plan->hierarchy.count > 0) {
        hierarchy_fill(levels, &plan->hierarchy);
    }
    fill_state(scene, &plan->fields);
    fill_frames(scene, s, &plan->fields);
    mapped_fill(scene, s, &plan->fields);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        if (scene->kinds[k].count > 0) {
            fill_kind(scene, k, &plan->fields.kinds[k]);
            if (!plan->on_device) {
                fill_incidence(scene, k, s, &plan->fields.kinds[k]);
            }
        }
    }
    fill_linear(scene, &plan->fields);
    partition_fill(t, p, plan);
    balanced_fill(&p->turning, s, &plan->fields);
    if (s->condensed) {
        fill_condensed(t, s, methods, &plan->fields);
    }
    const taut_status status = fill_parts(t, allocator, alone, plan);
    return status == TAUT_OK ? fill_redundant(t, &p->lines, allocator, s, &plan->fields) : status;
}

/* The levels of a scene whose mapped points are in order. */
static taut_status count_levels(const taut_scene* scene, bool all_active, const taut_allocator* allocator,
                                taut_sizes* s) {
    const size_t bytes = (scene->mapping.count + (size_t)1) * sizeof(uint32_t);
    uint32_t* list = taut_allocate(allocator, bytes);
    if (list == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    const taut_status status = mapped_order(scene, all_active, allocator, list, s);
    taut_release(allocator, list, bytes);
    return status;
}

/* Of free points: the lightest and the heaviest, and all, kg. */
typedef struct mass_range {
    double least, most, sum;
} mass_range;

static mass_range masses_of(const taut_scene* scene) {
    const double* masses = scene->masses.data;
    mass_range range = {INFINITY, 0, 0};
    for (uint32_t n = 0; n < scene->particle_count; n++) {
        const bool counts = scene_node_free(scene, n) && masses[n] > 0;
        range.least = counts ? fmin(range.least, masses[n]) : range.least;
        range.most = counts ? fmax(range.most, masses[n]) : range.most;
        range.sum += counts ? masses[n] : 0;
    }
    return range;
}

/* The most that the heaviest of free points may be heavier than the lightest. Projected gradients, which have no
 * preconditioner, are for less than that; what has factors takes all. */
#define MOST_MASS_RATIO 100

static bool suits_masses(const taut_scene* scene, const taut_plan* plan) {
    const mass_range range = masses_of(scene);
    const bool factored =
        !plan->on_device && plan->settings.contact.law == TAUT_CONTACT_CONVEX && !contacts_roll(scene);
    return factored || range.most < MOST_MASS_RATIO * range.least;
}

/* Whether nothing but contact holds a scene together: there projected gradients, and on the CPU sweeps and Newton's
 * method in their place, take the least time (docs/lab-notes/2026-11-23.md). */
static bool is_loose(const taut_scene* scene) {
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        if (scene->kinds[k].count > 0) {
            return false;
        }
    }
    return scene->mapping.count == 0;
}

/* The method that is asked for, be it by the preconditioner. */
static taut_method method_of(const taut_scene* scene, const taut_plan* plan) {
    const taut_solver* solver = &plan->settings.solver;
    if (contacts_possible(scene) && !taut_takes_contacts(solver->method)) {
        const bool asked = solver->method != TAUT_METHOD_AUTO || solver->preconditioner != TAUT_PRECONDITIONER_AUTO ||
                           slots_wanted(&plan->settings);
        return !asked && is_loose(scene) && suits_masses(scene, plan) ? TAUT_METHOD_PROJECTED_GRADIENT
                                                                      : TAUT_METHOD_CONDENSED;
    }
    switch (solver->preconditioner) {
    case TAUT_PRECONDITIONER_BLOCK:
    case TAUT_PRECONDITIONER_CHEBYSHEV:
        return TAUT_METHOD_SCHUR;
    default:
        return solver->method;
    }
}

static void choose_preconditioners(const topology* t, const method_map* methods, const method_map* alone,
                                   taut_settings* settings) {
    const bool none = taut_takes_all(settings->method);
    const taut_preconditioner asked = none ? TAUT_PRECONDITIONER_NONE : settings->solver.preconditioner;
    settings->preconditioner = settings->condensed_preconditioner = asked;
    if (asked == TAUT_PRECONDITIONER_AUTO) {
        /* Hard rows that are added beside contacts need more than the diagonal. By the exact law this does not help. */
        const bool may_join = slots_wanted(settings) && settings->contact.law == TAUT_CONTACT_CONVEX;
        const bool joins = t->member_count > 0 || may_join;
        const bool lines = t->member_count > 0 && topology_couplings_per_node(t, alone) <= LINE_COUPLINGS_PER_NODE;
        settings->preconditioner = lines ? TAUT_PRECONDITIONER_MULTILEVEL : TAUT_PRECONDITIONER_JACOBI;
        settings->condensed_preconditioner = joins ? TAUT_PRECONDITIONER_MULTILEVEL : TAUT_PRECONDITIONER_JACOBI;
    }
    settings->preconditioner = alone->schur ? settings->preconditioner : TAUT_PRECONDITIONER_NONE;
    settings->condensed_preconditioner =
        methods->condensed ? settings->condensed_preconditioner : TAUT_PRECONDITIONER_NONE;
    const taut_cycle cycle = settings->solver.cycle;
    settings->cycle = cycle == TAUT_CYCLE_AUTO ? TAUT_CYCLE_ADDITIVE : cycle;
}

/* `alone`: methods of parts that touch nothing. */
static taut_status compile_with(const taut_scene* scene, const taut_allocator* allocator, const topology* t,
                                const method_map* methods, const method_map* alone, taut_plan* plan) {
    taut_sizes* s = &plan->sizes;
    taut_settings* settings = &plan->settings;
    partition p = {0};
    s->line_level_begin = plan->line_level_begin;
    s->wide_begin = plan->wide_begin;
    s->switches = alone != methods;
    s->members = s->switches ? t->member_count : 0;
    s->schur = alone->schur;
    s->condensed = methods->condensed;
    taut_status status = count_kinds(scene, allocator, settings, s);
    if (status != TAUT_OK) {
        return status;
    }
    const mass_range masses = masses_of(scene);
    s->heaviest = masses.most;
    s->weighs = masses.sum;
    s->bounded = s->bounded || settings->method == TAUT_METHOD_PROJECTED_GRADIENT;
    s->loose = s->touches && !s->rolls && settings->solver.method == TAUT_METHOD_AUTO &&
               settings->method == TAUT_METHOD_PROJECTED_GRADIENT;
    s->keeps_residuals = plan->residuals;
    s->sleeps = settings->sleep.speed > 0;
    s->watches = (s->edges > 0 || s->solids > 0) && !settings->contact.no_crossing_check;
    plan->with_factor_rows = settings->integrator.geometric_stiffness == TAUT_GEOMETRIC_FULL;
    choose_factor_rows(plan->with_factor_rows, s);
    taut_number_rows(s);
    if (s->unknowns > UINT32_MAX) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world: %zu rows are more than %u.", s->unknowns, UINT32_MAX);
    }
    choose_preconditioners(t, methods, alone, settings);
    s->chebyshev = settings->preconditioner == TAUT_PRECONDITIONER_CHEBYSHEV;
    status = count_levels(scene, slots_wanted(settings), allocator, s);
    if (status == TAUT_OK) {
        status = partition_make(t, alone, allocator, plan, &p);
    }
    if (status == TAUT_OK && plan->with_factor_rows && s->count[TAUT_DISTANCE] > 0) {
        status = balanced_make(t, allocator, &p.turning);
        s->turning_parts = p.turning.parts;
        s->turning_nodes = p.turning.members;
    }
    hierarchy_draft levels = {0};
    if (status == TAUT_OK && settings->condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL) {
        status = hierarchy_draft_make(t, methods, allocator, &levels);
        if (status == TAUT_OK) {
            hierarchy_sizes(&levels, settings->cycle, plan->on_device ? 0 : settings->threads, &plan->hierarchy);
        }
    }
    if (status == TAUT_OK) {
        status = allocate_plan(scene, allocator, t, methods, alone, &p, &levels, plan);
    }
    hierarchy_draft_free(&levels);
    block_partition_free(allocator, &p.blocks);
    line_partition_free(allocator, &p.lines);
    supports_free(allocator, &p.supports);
    colours_free(allocator, &p.colours);
    balanced_free(allocator, &p.turning);
    return status;
}

/* Numbers here of given constraints of a kind, which has rows or not. Contacts are no given ones: they keep the order
 * in which they are found. */
static void fill_constraint_order(const ordering* order, taut_kind k, const taut_sizes* s, taut_fields* f) {
    const size_t rows = taut_kind_shapes[k].rows;
    const uint32_t* given_order = k < TAUT_CONTACT ? order->kind[k] : NULL;
    for (size_t c = 0; c < s->count[k]; c++) {
        const size_t given = given_order != NULL && c < taut_given_count(s, k) ? given_order[c] : c;
        for (size_t r = 0; r < rows; r++) {
            f->row_at[s->first_row[k] + given * rows + r] =
                (uint32_t)(s->first_row[k] + taut_unknown_place(s, s->count[k], rows, c, r));
        }
        if (f->kinds[k].constraint_at != NULL) {
            f->kinds[k].constraint_at[given] = (uint32_t)c;
        }
    }
}

/* Numbers here of given particles, constraints and rows. */
static void fill_order(const ordering* order, const taut_sizes* s, taut_fields* f) {
    if (s->nodes_move) {
        memcpy(f->node_at, order->node_at, s->points * sizeof(uint32_t));
    }
    for (int k = 0; s->rows_move && k < TAUT_KIND_COUNT; k++) {
        fill_constraint_order(order, (taut_kind)k, s, f);
    }
}

/* Constraints with laws of their own. */
static void fill_laws(const taut_scene* scene, const ordering* order, const taut_sizes* s, taut_fields* f) {
    for (size_t i = 0; i < scene->batches.count; i++) {
        const scene_batch* batch = (const scene_batch*)scene->batches.data + i;
        const uint32_t* given = order->kind[batch->kind];
        const uint8_t law = taut_batch_law(batch);
        for (size_t c = 0; law != TAUT_LAW_CONSTRAINT && c < taut_given_count(s, batch->kind); c++) {
            if (ordering_in_batch(batch, given, c)) {
                f->kinds[batch->kind].law[c] = law;
            }
        }
    }
}

/* Bounds of multipliers, of all rows where some have any. */
static void fill_batch_bounds(const scene_batch* batch, uint32_t rows, const uint32_t* given, const taut_sizes* s,
                              taut_fields* f) {
    const taut_kind k = batch->kind;
    for (size_t c = 0; c < taut_given_count(s, k); c++) {
        for (uint32_t r = 0; ordering_in_batch(batch, given, c) && r < rows; r++) {
            const size_t i = s->first_row[k] + taut_unknown_place(s, s->count[k], rows, c, r);
            f->bound[2 * i] = batch->lower;
            f->bound[2 * i + 1] = batch->upper;
            f->strength[i] = r == 0 ? batch->strength : INFINITY;
        }
    }
}

static void fill_bounds(const taut_scene* scene, const ordering* order, const taut_sizes* s, taut_fields* f) {
    for (size_t i = 0; s->bounded && i < s->rows; i++) {
        f->bound[2 * i] = -INFINITY;
        f->bound[2 * i + 1] = f->strength[i] = INFINITY;
    }
    for (size_t i = 0; s->bounded && i < scene->batches.count; i++) {
        const scene_batch* batch = (const scene_batch*)scene->batches.data + i;
        if (batch->bounded) {
            fill_batch_bounds(batch, taut_kind_shapes[batch->kind].rows, order->kind[batch->kind], s, f);
        }
    }
}

static void fill_slots(taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        if (s->reserved[k] > 0) {
            slots_fill(s, (taut_kind)k, taut_given_count(s, k), &plan->fields);
        }
    }
    slots_list(s, &plan->fields);
}

/* Constraints beyond which factors would take too much whatever their pattern (SADDLE_MOST_FREE_PRODUCTS). */
#define MOST_FACTORED 600000

/* Not what has bounds, which would be factored many times a step, nor bodies of tetrahedra, whose factors fill up. */
static bool is_factored(const taut_scene* scene, const topology* t) {
    const scene_batch* batches = scene->batches.data;
    bool suits = t->member_count <= MOST_FACTORED;
    for (size_t i = 0; i < scene->batches.count; i++) {
        const taut_kind k = batches[i].kind;
        suits = suits && !batches[i].bounded && k != TAUT_TET_VOLUME && k != TAUT_TET_STRAIN && k != TAUT_SOLID;
    }
    return suits;
}

static taut_status choose_condensed(const topology* t, const taut_allocator* allocator, taut_settings* settings,
                                    method_map* methods) {
    method_map_free(allocator, methods);
    settings->method = TAUT_METHOD_CONDENSED;
    return topology_methods(t, allocator, settings->method, methods);
}

/* Distances for each particle: 1 of ropes, which lines solve exactly, and 2 of nets, which take iterations. */
#define NET_DISTANCES 1.5

/* Whether conjugate gradients have something to do: the condensed system, or nets. */
static bool needs_iterations(const topology* t, const method_map* methods) {
    const double distances = t->kind_first[TAUT_DISTANCE + 1] - t->kind_first[TAUT_DISTANCE];
    return methods->condensed || distances > NET_DISTANCES * t->scene->particle_count;
}

/* Where `auto` would iterate, the direct method takes the scene if it may. Else one system has all of a scene to which
 * constraints may be added that join parts. */
static taut_status choose_method(const taut_scene* scene, const topology* t, const taut_allocator* allocator,
                                 taut_plan* plan, method_map* methods) {
    taut_settings* settings = &plan->settings;
    settings->method = method_of(scene, plan);
    taut_status status = topology_methods(t, allocator, settings->method, methods);
    if (status == TAUT_OK && settings->may_factor && settings->method == TAUT_METHOD_AUTO &&
        needs_iterations(t, methods) && is_factored(scene, t) && topology_carried(t) <= TOPOLOGY_CARRIED &&
        slots_unknowns(settings) <= TAUT_DIRECT_MOST_RESERVED) {
        method_map_free(allocator, methods);
        settings->method = TAUT_METHOD_DIRECT;
        return topology_methods(t, allocator, settings->method, methods);
    }
    const bool parts = status == TAUT_OK && methods->condensed && methods->schur;
    return parts && slots_wanted(settings) ? choose_condensed(t, allocator, settings, methods) : status;
}

/* Methods of parts that touch nothing, where some are not those of parts that touch something: on the CPU, where
 * nothing says what to take, and nothing is added that may join parts. */
static taut_status methods_alone(const taut_scene* scene, const topology* t, const taut_allocator* allocator,
                                 const taut_plan* plan, method_map* alone) {
    const taut_settings* settings = &plan->settings;
    const bool may = !plan->on_device && contacts_possible(scene) && t->member_count > 0 &&
                     settings->method == TAUT_METHOD_CONDENSED && settings->solver.method == TAUT_METHOD_AUTO &&
                     settings->solver.preconditioner == TAUT_PRECONDITIONER_AUTO && !slots_wanted(settings);
    return may ? topology_methods_alone(t, allocator, alone) : TAUT_OK;
}

static taut_status compile_ordered(const taut_scene* scene, const ordering* order, const taut_allocator* allocator,
                                   taut_plan* plan) {
    topology t = {0};
    components c = {0};
    method_map methods = {0}, alone = {0};
    taut_status status = topology_make(scene, allocator, &t);
    if (status == TAUT_OK) {
        status = choose_method(scene, &t, allocator, plan, &methods);
    }
    if (status == TAUT_OK) {
        status = methods_alone(scene, &t, allocator, plan, &alone);
    }
    if (status == TAUT_OK) {
        status = components_make(&t, allocator, &c);
    }
    if (status == TAUT_OK) {
        components_count(&t, &c, plan);
        plan->sizes.nodes_move = order->nodes_move;
        plan->sizes.by_value = plan->on_device;
        for (int k = 0; k < TAUT_KIND_COUNT; k++) {
            const bool split = plan->sizes.by_value && taut_kind_shapes[k].rows > 1 &&
                               (scene->kinds[k].count > 0 || slots_wanted(&plan->settings));
            plan->sizes.rows_move = plan->sizes.rows_move || order->kind_moves[k] || split;
        }
        status = compile_with(scene, allocator, &t, &methods, alone.schur ? &alone : &methods, plan);
    }
    if (status == TAUT_OK) {
        fill_order(order, &plan->sizes, &plan->fields);
        fill_laws(scene, order, &plan->sizes, &plan->fields);
        fill_bounds(scene, order, &plan->sizes, &plan->fields);
        fill_slots(plan);
        status = contacts_fill(scene, allocator, &plan->sizes, &plan->fields);
    }
    if (status == TAUT_OK && plan->sizes.eager > 0) {
        status = eager_fill(&t, order, allocator, plan);
    }
    if (status == TAUT_OK) {
        components_fill(&t, &c, plan);
    }
    components_free(allocator, &c);
    method_map_free(allocator, &alone);
    method_map_free(allocator, &methods);
    topology_free(allocator, &t);
    return status;
}

static taut_status compile_renumbered(const taut_scene* scene, const ordering* order, const taut_allocator* allocator,
                                      taut_plan* plan) {
    taut_scene renumbered = {0};
    taut_status status = ordering_apply(order, scene, allocator, &renumbered);
    if (status == TAUT_OK) {
        status = compile_ordered(&renumbered, order, allocator, plan);
        scene_release_arrays(allocator, &renumbered);
    }
    return status;
}

taut_status taut_compile(const taut_scene* scene, const taut_backend* backend, const taut_allocator* allocator,
                         taut_plan* plan) {
    ordering order = {0};
    taut_status status = TAUT_OK;
    if (plan->reorder || scene->mapping.count > 0) {
        status = ordering_make(scene, backend, plan, allocator, &order);
    }
    if (status == TAUT_OK) {
        status = ordering_moves(&order) ? compile_renumbered(scene, &order, allocator, plan)
                                        : compile_ordered(scene, &order, allocator, plan);
        ordering_free(allocator, &order);
    }
    if (status != TAUT_OK) {
        taut_plan_free(allocator, plan);
    }
    return status;
}

void taut_plan_free(const taut_allocator* allocator, taut_plan* plan) {
    taut_release(allocator, plan->block, plan->bytes);
    plan->block = NULL;
}
