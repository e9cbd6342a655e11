#include "host/compile/topology.h"

#include "base/groups.h"
#include "host/compile/contacts.h"

#include <string.h>

/* Lays `count` arrays of uint32 behind one another in one allocation. */
static taut_status allocate_arrays(const taut_allocator* allocator, const size_t* lengths, uint32_t** const* arrays,
                                   size_t count, void** memory, size_t* bytes) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += lengths[i];
    }
    *bytes = (total + 1) * sizeof(uint32_t);
    *memory = taut_allocate(allocator, *bytes);
    if (*memory == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    uint32_t* at = *memory;
    for (size_t i = 0; i < count; i++) {
        *arrays[i] = at;
        at += lengths[i];
    }
    return TAUT_OK;
}

static void fill_members(const taut_scene* scene, topology* t) {
    uint32_t member = 0, entry = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const uint32_t* ends = scene->linear.ends.data;
        const uint32_t arity = taut_kind_shapes[k].nodes;
        for (uint32_t c = 0; c < scene->kinds[k].count; c++, member++) {
            const uint32_t begin = k == TAUT_LINEAR ? (c > 0 ? ends[c - 1] : 0) : arity * c;
            const uint32_t end = k == TAUT_LINEAR ? ends[c] : arity * (c + 1);
            t->member_begin[member] = entry;
            for (uint32_t e = begin; e < end; e++, entry++) {
                t->member_node[entry] = scene_node(scene, (taut_kind)k, e);
                t->entry_member[entry] = member;
            }
        }
    }
    t->member_begin[member] = entry;
}

/* Counting sort of the entries by node; stable, so the entries of a node ascend. */
static void fill_nodes(uint32_t nodes, topology* t) {
    for (uint32_t e = 0; e < t->entry_count; e++) {
        t->node_begin[t->member_node[e] + 1]++;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        t->node_begin[n + 1] += t->node_begin[n];
    }
    for (uint32_t e = 0; e < t->entry_count; e++) {
        t->node_entry[t->node_begin[t->member_node[e]]++] = e;
    }
    memmove(t->node_begin + 1, t->node_begin, nodes * sizeof(uint32_t));
    t->node_begin[0] = 0;
}

taut_status topology_make(const taut_scene* scene, const taut_allocator* allocator, topology* out) {
    topology t = {.scene = scene};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        t.kind_first[k + 1] = t.kind_first[k] + scene->kinds[k].count;
        t.entry_count += scene_entry_count(scene, (taut_kind)k);
    }
    t.member_count = t.kind_first[TAUT_KIND_COUNT];
    const size_t lengths[] = {t.member_count + (size_t)1, t.entry_count, scene_node_count(scene) + 1, t.entry_count,
                              t.entry_count};
    uint32_t** const arrays[] = {&t.member_begin, &t.member_node, &t.node_begin, &t.node_entry, &t.entry_member};
    const taut_status status = allocate_arrays(allocator, lengths, arrays, 5, &t.memory, &t.bytes);
    if (status == TAUT_OK) {
        fill_members(scene, &t);
        fill_nodes((uint32_t)scene_node_count(scene), &t);
        *out = t;
    }
    return status;
}

void topology_free(const taut_allocator* allocator, topology* t) {
    taut_release(allocator, t->memory, t->bytes);
    *t = (topology){0};
}

taut_kind topology_kind(const topology* t, uint32_t member) {
    int k = 0;
    while (member >= t->kind_first[k + 1]) {
        k++;
    }
    return (taut_kind)k;
}

/* ---- components ----------------------------------------------------------------------------------------------- */

/* Joins a free node to `first` (UINT32_MAX: none yet); of a mapped point the nodes that it depends on; `fixed`: fixed
 * nodes, too. Returns what stands for them now. */
static uint32_t join_node(const taut_scene* scene, bool fixed, uint32_t* parent, uint32_t node, uint32_t first) {
    const uint32_t m = node < scene->particle_count ? scene_mapped(scene, node) : UINT32_MAX;
    if (m != UINT32_MAX) {
        uint32_t count;
        const scene_entry* entries = scene_entries(scene, m, &count);
        for (uint32_t i = 0; i < count; i++) {
            const bool arm = TAUT_MAP_TYPE(entries[i].code) == TAUT_MAP_ARM;
            first = join_node(scene, fixed, parent, (arm ? scene->particle_count : 0) + entries[i].parent, first);
        }
        return first;
    }
    if (!fixed && !scene_node_free(scene, node)) {
        return first;
    }
    const uint32_t root = group_root(parent, node);
    if (first == UINT32_MAX || root < first) {
        parent[first == UINT32_MAX ? root : first] = root;
        return root;
    }
    parent[root] = first;
    return first;
}

/* The node that stands for a member, or UINT32_MAX where all its nodes are fixed and do not count. */
static uint32_t join_member(const topology* t, bool fixed, uint32_t* parent, uint32_t member) {
    uint32_t first = UINT32_MAX;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        first = join_node(t->scene, fixed, parent, t->member_node[e], first);
    }
    return first;
}

/* Compliance over the inverse mass up to which rows count as hard: h^2 of an animation step is 3e-4 s^2, |J| taken
 * as 1 or, of strains and bends, as what it is where that is less. And up to which exact elimination in float64 cannot
 * tell them from rows without compliance. */
#define HARD_ROWS  1e-8 /* s^2 */
#define RIGID_ROWS 1e-12

/* The largest J M^-1 J^T of the rows of a member, 1/kg in the unit of the kind: of strains it goes with 1 / length^2,
 * so that what is soft stays soft whatever unit lengths are told in. */
static double inverse_mass_of_rows(const topology* t, uint32_t member) {
    double sum[TAUT_MAX_ROWS] = {0}, most = 0;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        double rows[TAUT_MAX_ROWS][3];
        const uint32_t count = topology_rows(t, member, e, rows);
        const double inverse_mass = scene_node_inverse_mass(t->scene, t->member_node[e]);
        for (uint32_t r = 0; r < count; r++) {
            const double* j = rows[r];
            sum[r] += inverse_mass * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]);
            most = fmax(most, sum[r]);
        }
    }
    return most;
}

/* Angles between triangles, and strains. */
static bool is_shape(taut_kind k) {
    return k == TAUT_BEND || k == TAUT_MEMBRANE || k == TAUT_TET_STRAIN;
}

/* Rows of a member whose compliance is at most this. Attachments and targets hold what nothing else holds, so they are
 * not counted. */
static uint32_t stiff_rows(const topology* t, uint32_t member, double most) {
    const taut_kind k = topology_kind(t, member);
    const scene_kind* kind = &t->scene->kinds[k];
    if (k == TAUT_ATTACHMENT || k == TAUT_TARGET || taut_kind_shapes[k].rows == 0) {
        return 0;
    }
    double inverse_mass = 0;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        inverse_mass += scene_node_inverse_mass(t->scene, t->member_node[e]);
    }
    const size_t at = (size_t)taut_kind_shapes[k].packed * (member - t->kind_first[k]);
    const double compliance = ((const double*)kind->compliance.data)[at];
    const bool stiff = compliance <= most * inverse_mass;
    const bool soft = stiff && compliance > 0 && is_shape(k) && compliance > most * inverse_mass_of_rows(t, member);
    return stiff && !soft ? taut_kind_shapes[k].rows : 0;
}

static uint32_t hard_rows(const topology* t, uint32_t member) {
    return stiff_rows(t, member, HARD_ROWS);
}

/* Rows that a free node may carry before they are taken for redundant: bodies, frames and the points of rods carry one
 * per degree of freedom, as mechanisms do that are not. */
static void fill_capacities(const topology* t, double rows_per_point, double* capacity) {
    const taut_scene* scene = t->scene;
    const uint32_t* centres = scene->frames.centres.data;
    for (uint32_t n = 0; n < scene->particle_count; n++) {
        capacity[n] = scene_node_free(scene, n) ? rows_per_point : 0;
    }
    for (uint32_t i = 0; i < scene->frames.count; i++) {
        const uint32_t node = scene->particle_count + i;
        capacity[node] = scene_node_free(scene, node) ? 3 : 0;
        if (centres[i] != TAUT_NO_POINT && capacity[centres[i]] > 0) {
            capacity[centres[i]] = 3;
        }
    }
    const uint32_t end = t->member_begin[t->kind_first[TAUT_SEGMENT + 1]];
    for (uint32_t e = t->member_begin[t->kind_first[TAUT_SEGMENT]]; e < end; e++) {
        const uint32_t node = t->member_node[e];
        capacity[node] = capacity[node] > 0 ? 3 : 0;
    }
}

/* ---- links that span others in a straight line ---------------------------------------------------------------- */

/* How much shorter than two links a third over both may be, relative, to be straight: bent by 0.03 rad. */
#define STRAIGHT 1e-4

bool topology_hard_link(const topology* t, uint32_t member) {
    return topology_kind(t, member) == TAUT_DISTANCE && hard_rows(t, member) > 0;
}

double topology_rest_length(const topology* t, uint32_t member) {
    return ((const double*)t->scene->kinds[TAUT_DISTANCE].rest.data)[member - t->kind_first[TAUT_DISTANCE]];
}

uint32_t topology_other_end(const topology* t, uint32_t entry) {
    const uint32_t begin = t->member_begin[t->entry_member[entry]];
    return t->member_node[entry == begin ? begin + 1 : begin];
}

/* Whether a hard link from `node` to `to` has this length or less. */
static bool has_link(const topology* t, uint32_t node, uint32_t to, double longest) {
    for (uint32_t i = t->node_begin[node]; i < t->node_begin[node + 1]; i++) {
        const uint32_t entry = t->node_entry[i], member = t->entry_member[entry];
        if (topology_hard_link(t, member) && topology_other_end(t, entry) == to &&
            topology_rest_length(t, member) <= longest) {
            return true;
        }
    }
    return false;
}

/* Whether two other hard links join the ends of a hard link in a straight line: a rope with hard springs against
 * bending. Rows that depend on each other as long as the rope is straight, and contradict each other when it is not. */
static bool spans_links(const topology* t, uint32_t member) {
    const uint32_t* ends = t->member_node + t->member_begin[member];
    if (!topology_hard_link(t, member) || t->node_begin[ends[0] + 1] - t->node_begin[ends[0]] > TOPOLOGY_HUB) {
        return false;
    }
    for (uint32_t i = t->node_begin[ends[0]]; i < t->node_begin[ends[0] + 1]; i++) {
        const uint32_t entry = t->node_entry[i], other = t->entry_member[entry];
        const double left = (1 + STRAIGHT) * topology_rest_length(t, member);
        if (topology_hard_link(t, other) && topology_rest_length(t, other) < left && other != member &&
            has_link(t, topology_other_end(t, entry), ends[1], left - topology_rest_length(t, other))) {
            return true;
        }
    }
    return false;
}

/* Whether its rows are hard ones of cloth, where too many contradict each other; those of joints agree. */
static bool may_contradict(const topology* t, uint32_t member) {
    const taut_kind k = topology_kind(t, member);
    return (k == TAUT_DISTANCE || (k >= TAUT_BEND && k <= TAUT_TET_STRAIN)) && hard_rows(t, member) > 0;
}

/* ---- links that other links repeat ----------------------------------------------------------------------------- */

/* Lengths that differ by less, relative, are the same. */
#define SAME_LENGTH 1e-9

/* What another hard link between the same ends makes of a hard link: of another length it contradicts it, of the same
 * length it is one row too many. */
static taut_redundancy repeated(const topology* t, uint32_t member) {
    taut_redundancy found = TAUT_INDEPENDENT;
    const uint32_t* ends = t->member_node + t->member_begin[member];
    if (!topology_hard_link(t, member)) {
        return found;
    }
    const uint32_t count[2] = {t->node_begin[ends[0] + 1] - t->node_begin[ends[0]],
                               t->node_begin[ends[1] + 1] - t->node_begin[ends[1]]};
    const int near = count[1] < count[0];
    for (uint32_t i = t->node_begin[ends[near]]; count[near] <= TOPOLOGY_HUB && i < t->node_begin[ends[near] + 1];
         i++) {
        const uint32_t entry = t->node_entry[i], other = t->entry_member[entry];
        if (other != member && topology_hard_link(t, other) && topology_other_end(t, entry) == ends[1 - near]) {
            const double length = topology_rest_length(t, member);
            const bool same = fabs(topology_rest_length(t, other) - length) <= SAME_LENGTH * length;
            found = same && found != TAUT_CONTRADICTING ? TAUT_REDUNDANT : TAUT_CONTRADICTING;
        }
    }
    return found;
}

/* ---- redundant rows ------------------------------------------------------------------------------------------- */

/* What a component has, kept with the node that stands for it. */
typedef struct component_rows {
    uint32_t hard, rigid;
    uint32_t line;              /* that holds all its members; TOPOLOGY_NO_LINE: there is none */
    bool any, straight, others; /* others: than joints */
} component_rows;

static void count_member(const topology* t, const uint32_t* line, uint32_t member, component_rows* c) {
    const uint32_t own = line != NULL && t->scene->mapping.count == 0 ? line[member] : TOPOLOGY_NO_LINE;
    c->hard += hard_rows(t, member);
    c->rigid += stiff_rows(t, member, may_contradict(t, member) ? HARD_ROWS : RIGID_ROWS);
    c->straight = c->straight || spans_links(t, member);
    c->others = c->others || !topology_is_joint(topology_kind(t, member));
    c->line = !c->any || c->line == own ? own : TOPOLOGY_NO_LINE;
    c->any = true;
}

/* Where elimination is exact, rows depend on each other only if they are rigid: compliance makes multipliers unique.
 * With a shift each outer iteration would come closer to them by no more than the compliance over the shift. */
static bool is_redundant(const component_rows* c, double capacity) {
    return c->hard > capacity && (c->line == TOPOLOGY_NO_LINE || c->rigid > capacity);
}

taut_status topology_redundant(const topology* t, const taut_allocator* allocator, double rows_per_point,
                               const uint32_t* line, uint8_t* flags) {
    const uint32_t nodes = (uint32_t)scene_node_count(t->scene);
    const size_t bytes = (size_t)nodes * (sizeof(double) + sizeof(component_rows) + sizeof(uint32_t));
    double* capacity = taut_allocate(allocator, bytes);
    if (capacity == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    component_rows* component = (component_rows*)(capacity + nodes);
    uint32_t* parent = (uint32_t*)(component + nodes);
    fill_capacities(t, rows_per_point, capacity);
    for (uint32_t n = 0; n < nodes; n++) {
        parent[n] = n;
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        join_member(t, false, parent, m);
    }
    for (uint32_t n = 0; n < nodes; n++) {
        const uint32_t root = group_root(parent, n);
        capacity[root] += root != n ? capacity[n] : 0;
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t root = join_member(t, false, parent, m);
        if (root != UINT32_MAX) {
            count_member(t, line, m, &component[root]);
        }
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t root = join_member(t, false, parent, m);
        const bool redundant = root != UINT32_MAX && is_redundant(&component[root], capacity[root]);
        const taut_redundancy else_straight =
            root != UINT32_MAX && component[root].straight ? TAUT_SHIFTED_LESS : TAUT_INDEPENDENT;
        const bool joints = root != UINT32_MAX && !component[root].others;
        const taut_redundancy of_redundant = may_contradict(t, m) ? TAUT_CONTRADICTING
                                             : joints             ? TAUT_SHIFTED_LESS
                                                                  : TAUT_REDUNDANT;
        const taut_redundancy locally = redundant || root == UINT32_MAX ? TAUT_INDEPENDENT : repeated(t, m);
        flags[m] = (uint8_t)(redundant ? of_redundant : locally != TAUT_INDEPENDENT ? locally : else_straight);
    }
    taut_release(allocator, capacity, bytes);
    return TAUT_OK;
}

/* ---- methods -------------------------------------------------------------------------------------------------- */

/* A part is condensed from this many rows per degree of freedom on: fewer rows make a smaller Schur system, better
 * conditioned than H, whose stiffness they are. */
#define CONDENSED_ROWS_PER_FREEDOM 0.9
/* But not if it is a mechanism or a rod: more than this part of its rows are hard ones of joints or those of rods, or
 * all rows are hard and hold hardly more than the degrees of freedom, so that few of them are redundant. */
#define MECHANISM_PART             0.5
#define MECHANISM_ROWS_PER_FREEDOM 1.05

typedef struct part_counts {
    uint32_t rows;    /* and factor rows of elastic solids; without attachments and targets, which hold parts and do not
                         make    them stiff */
    uint32_t hard;    /* of those */
    uint32_t joints;  /* hard ones that joints are made of, and those of rods, which lines eliminate exactly */
    uint32_t freedom; /* unknowns that move */
    double carried;   /* the largest mapped mass, over the mass that its parents have by themselves */
} part_counts;

static bool is_condensed(const part_counts* p) {
    const bool mechanism = p->joints > MECHANISM_PART * p->rows ||
                           (p->hard == p->rows && p->rows <= MECHANISM_ROWS_PER_FREEDOM * p->freedom);
    const bool rows = p->rows > 0 && p->rows >= CONDENSED_ROWS_PER_FREEDOM * p->freedom;
    return p->carried > TOPOLOGY_CARRIED || (rows && !mechanism);
}

/* Of what can touch: a part of more soft rows than hard ones takes no longer condensed, and stays so. */
static bool is_condensed_alone(const part_counts* p) {
    return is_condensed(p) || 2 * p->hard < p->rows;
}

static double carried_mass(const topology* t, uint32_t member) {
    const double mass = ((const double*)t->scene->kinds[TAUT_INERTIA].rest.data)[member - t->kind_first[TAUT_INERTIA]];
    return mass * scene_node_inverse_mass(t->scene, t->member_node[t->member_begin[member]]);
}

double topology_carried(const topology* t) {
    double most = 0;
    for (uint32_t m = t->kind_first[TAUT_INERTIA]; m < t->kind_first[TAUT_INERTIA + 1]; m++) {
        most = fmax(most, carried_mass(t, m));
    }
    return most;
}

static void count_part(const topology* t, uint32_t member, part_counts* p) {
    const taut_kind k = topology_kind(t, member);
    const uint32_t hard = hard_rows(t, member);
    p->rows += k == TAUT_ATTACHMENT || k == TAUT_TARGET ? 0
               : k == TAUT_SOLID                        ? taut_kind_shapes[k].factor_rows
                                                        : taut_kind_shapes[k].rows;
    p->hard += hard;
    p->joints += topology_is_joint(k) || k == TAUT_LINEAR ? hard : 0;
    p->joints += k == TAUT_SEGMENT || k == TAUT_ALIGNMENT ? taut_kind_shapes[k].rows : 0;
    p->carried = fmax(p->carried, k == TAUT_INERTIA ? carried_mass(t, member) : 0);
}

static void count_parts(const topology* t, uint32_t* parent, part_counts* parts) {
    for (uint32_t m = 0; m < t->member_count; m++) {
        join_member(t, true, parent, m);
    }
    for (uint32_t n = 0; n < scene_node_count(t->scene); n++) {
        parts[group_root(parent, n)].freedom += scene_node_free(t->scene, n) ? 3 : 0;
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t root = join_member(t, true, parent, m);
        if (root != UINT32_MAX) {
            count_part(t, m, &parts[root]);
        }
    }
}

static taut_status choose_methods(const topology* t, const taut_allocator* allocator,
                                  bool (*condensed)(const part_counts*), method_map* map) {
    const uint32_t nodes = (uint32_t)scene_node_count(t->scene);
    const size_t bytes = nodes * (sizeof(part_counts) + sizeof(uint32_t));
    part_counts* parts = taut_allocate(allocator, bytes);
    if (parts == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    uint32_t* parent = (uint32_t*)(parts + nodes);
    for (uint32_t n = 0; n < nodes; n++) {
        parent[n] = n;
    }
    count_parts(t, parent, parts);
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t root = join_member(t, true, parent, m);
        map->member[m] = root != UINT32_MAX && condensed(&parts[root]);
    }
    for (uint32_t n = 0; n < nodes; n++) { /* a mapped point is where its parents are */
        const uint32_t root = join_node(t->scene, true, parent, n, UINT32_MAX);
        map->node[n] = root != UINT32_MAX && condensed(&parts[root]);
    }
    taut_release(allocator, parts, bytes);
    return TAUT_OK;
}

/* What hangs together, `fixed`: through fixed nodes, too. A mapped point joins all its parents. `parent`: a forest of
 * the nodes. */
static void join_all(const topology* t, bool fixed, uint32_t* parent) {
    const uint32_t nodes = (uint32_t)scene_node_count(t->scene);
    for (uint32_t n = 0; n < nodes; n++) {
        parent[n] = n;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        join_node(t->scene, true, parent, n, UINT32_MAX);
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        join_member(t, fixed, parent, m);
    }
}

taut_status topology_parts(const topology* t, const taut_allocator* allocator, uint32_t* node_part,
                           uint32_t* member_part) {
    const uint32_t nodes = (uint32_t)scene_node_count(t->scene);
    uint32_t* parent = taut_allocate(allocator, nodes * sizeof *parent);
    if (parent == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    join_all(t, true, parent);
    for (uint32_t m = 0; m < t->member_count; m++) {
        member_part[m] = join_member(t, true, parent, m);
    }
    for (uint32_t n = 0; n < nodes; n++) {
        node_part[n] = join_node(t->scene, true, parent, n, UINT32_MAX);
    }
    taut_release(allocator, parent, nodes * sizeof *parent);
    return TAUT_OK;
}

/* The centre of a body and its frame belong together, whatever acts on them. */
static void join_bodies(const taut_scene* scene, uint32_t* parent) {
    const uint32_t* centres = scene->frames.centres.data;
    for (uint32_t i = 0; i < scene->frames.centres.count; i++) {
        if (centres[i] != TAUT_NO_POINT) {
            const uint32_t root = join_node(scene, true, parent, centres[i], UINT32_MAX);
            join_node(scene, true, parent, scene->particle_count + i, root);
        }
    }
}

/* The first of the nodes that hang together stands for them. */
static uint32_t component_of_member(const topology* t, uint32_t* parent, uint32_t m) {
    const uint32_t free = join_member(t, false, parent, m);
    if (free != UINT32_MAX || t->member_begin[m] == t->member_begin[m + 1]) {
        return free;
    }
    return join_node(t->scene, true, parent, t->member_node[t->member_begin[m]], UINT32_MAX);
}

taut_status topology_components(const topology* t, const taut_allocator* allocator, uint32_t* node, uint32_t* member,
                                size_t* count) {
    const uint32_t nodes = (uint32_t)scene_node_count(t->scene);
    uint32_t *parent = taut_allocate(allocator, 2 * (size_t)nodes * sizeof *parent), next = 0;
    if (parent == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    uint32_t* number = parent + nodes;
    join_all(t, false, parent);
    join_bodies(t->scene, parent);
    for (uint32_t n = 0; n < nodes; n++) {
        const uint32_t root = join_node(t->scene, true, parent, n, UINT32_MAX);
        node[n] = root != UINT32_MAX ? root : n; /* a mapped point without parents is alone */
        number[n] = node[n] == n ? next++ : 0;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        node[n] = number[node[n]];
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t root = component_of_member(t, parent, m);
        member[m] = root != UINT32_MAX ? number[root] : 0;
    }
    *count = next;
    taut_release(allocator, parent, 2 * (size_t)nodes * sizeof *parent);
    return TAUT_OK;
}

static taut_status open_map(const topology* t, const taut_allocator* allocator, method_map* map) {
    map->bytes = t->member_count + scene_node_count(t->scene) + 1;
    map->memory = taut_allocate(allocator, map->bytes);
    map->member = map->memory;
    map->node = map->memory != NULL ? map->member + t->member_count : NULL;
    return map->memory != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void note_systems(const topology* t, method_map* map) {
    for (uint32_t m = 0; m < t->member_count; m++) {
        map->condensed = map->condensed || map->member[m];
        map->schur = map->schur || !map->member[m];
    }
}

taut_status topology_methods(const topology* t, const taut_allocator* allocator, taut_method method, method_map* out) {
    method_map map = {0};
    taut_status status = open_map(t, allocator, &map);
    if (status == TAUT_OK && method == TAUT_METHOD_AUTO) {
        status = choose_methods(t, allocator, is_condensed, &map);
    } else if (status == TAUT_OK) {
        memset(map.member, method == TAUT_METHOD_CONDENSED, t->member_count);
    }
    if (status != TAUT_OK) {
        method_map_free(allocator, &map);
        return status;
    }
    note_systems(t, &map);
    if (contacts_possible(t->scene) && t->member_count == 0 && !taut_takes_contacts(method)) { /* contacts may come */
        map.condensed = true;
    }
    if (map.condensed && !map.schur) { /* then nobody else moves nodes without constraints */
        memset(map.node, 1, scene_node_count(t->scene));
    }
    map.schur = map.schur || !map.condensed;
    *out = map;
    return status;
}

taut_status topology_methods_alone(const topology* t, const taut_allocator* allocator, method_map* out) {
    taut_status status = open_map(t, allocator, out);
    if (status == TAUT_OK) {
        status = choose_methods(t, allocator, is_condensed_alone, out);
    }
    if (status == TAUT_OK) {
        note_systems(t, out);
    }
    if (!out->schur) {
        method_map_free(allocator, out);
    }
    return status;
}

void method_map_free(const taut_allocator* allocator, method_map* map) {
    taut_release(allocator, map->memory, map->bytes);
    *map = (method_map){0};
}

double topology_couplings_per_node(const topology* t, const method_map* methods) {
    double couplings = 0, nodes = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const bool element = k == TAUT_BEND || k == TAUT_SOLID || (k >= TAUT_MEMBRANE && k < TAUT_PRISMATIC);
        const double weight = element ? 2 : k < TAUT_PRISMATIC ? 1 : 0;
        for (uint32_t m = t->kind_first[k]; weight > 0 && m < t->kind_first[k + 1]; m++) {
            couplings += methods->member[m] ? 0 : weight * (taut_kind_shapes[k].nodes - 1.0);
        }
    }
    for (uint32_t n = 0; n < t->scene->particle_count; n++) {
        nodes += !methods->node[n] && scene_node_free(t->scene, n);
    }
    return nodes > 0 ? couplings / nodes : 0;
}
