#include "host/compile/lines.h"

#include <string.h>

/* Members side by side in a band at most. */
#define WIDEST 8
/* A band that widens is kept up to there if it has this many groups for each member of its widest one: a rope tied to a
 * net, say. */
#define BAND_LENGTH 4
/* A thread ends where it is coupled with nothing by more than this; equal links in a row are by 1/2. */
#define WEAK            0.1
#define MOST_NEIGHBOURS 255

typedef struct growth {
    const topology* t;
    const bool* has_factor_rows;
    uint32_t limit;
    double* diagonal;     /* of each member, for couplings */
    double* weight;       /* coupling of each member with the last one of a thread; 0 outside `strongest` */
    uint32_t* seed;       /* members by their number of neighbours */
    uint32_t* candidate;  /* scratch: members */
    uint32_t* node_line;  /* the line that a node met last, counted from 1; 0: none */
    uint32_t* node_group; /* its first group there */
    uint8_t* taken;       /* of each member */
    uint32_t line;        /* being grown; tries count, too */
    uint32_t members;     /* taken so far */
    line_partition* p;
} growth;

static uint32_t member_unknowns(const growth* g, uint32_t member) {
    return taut_kind_unknowns(topology_kind(g->t, member), g->has_factor_rows);
}

/* Nodes through which members are coupled, as far as lines follow them. */
static bool couples(const topology* t, uint32_t node) {
    return t->node_begin[node + 1] - t->node_begin[node] <= TOPOLOGY_HUB && scene_node_inverse_mass(t->scene, node) > 0;
}

/* ---- seeds ---------------------------------------------------------------------------------------------------- */

static uint32_t neighbours(const topology* t, uint32_t member) {
    uint32_t count = 0;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        const uint32_t node = t->member_node[e];
        count += couples(t, node) ? t->node_begin[node + 1] - t->node_begin[node] - 1 : 0;
    }
    return count < MOST_NEIGHBOURS ? count : MOST_NEIGHBOURS;
}

static void sort_seeds(growth* g) {
    uint32_t begin[MOST_NEIGHBOURS + 2] = {0};
    for (uint32_t m = 0; m < g->t->member_count; m++) {
        begin[neighbours(g->t, m) + 1]++;
    }
    for (uint32_t i = 0; i <= MOST_NEIGHBOURS; i++) {
        begin[i + 1] += begin[i];
    }
    for (uint32_t m = 0; m < g->t->member_count; m++) {
        g->seed[begin[neighbours(g->t, m)]++] = m;
    }
}

/* ---- growing -------------------------------------------------------------------------------------------------- */

static void begin_line(growth* g) {
    g->line++;
    g->p->line_begin[g->p->line_count] = g->p->groups.block_count;
}

static void begin_group(growth* g) {
    g->p->groups.begin[g->p->groups.block_count++] = g->members;
}

/* Number of the group being filled within its line. */
static uint32_t group_in_line(const growth* g) {
    return g->p->groups.block_count - 1 - g->p->line_begin[g->p->line_count];
}

/* Whether a member may join the group: its nodes have met no group of this line before the last one. */
static bool fits(const growth* g, uint32_t member) {
    const topology* t = g->t;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        const uint32_t node = t->member_node[e];
        if (scene_node_inverse_mass(t->scene, node) > 0 && g->node_line[node] == g->line &&
            g->node_group[node] + 1 < group_in_line(g)) {
            return false;
        }
    }
    return true;
}

static void take(growth* g, uint32_t member) {
    const topology* t = g->t;
    g->taken[member] = true;
    g->p->groups.member[g->members++] = member;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        const uint32_t node = t->member_node[e];
        if (g->node_line[node] != g->line) {
            g->node_line[node] = g->line;
            g->node_group[node] = group_in_line(g);
        }
    }
}

static void take_first(growth* g, uint32_t member) {
    begin_line(g);
    begin_group(g);
    take(g, member);
}

/* Takes back the groups from `group` on. */
static void drop_groups(growth* g, uint32_t group) {
    block_partition* groups = &g->p->groups;
    for (uint32_t i = groups->begin[group]; i < g->members; i++) {
        g->taken[groups->member[i]] = false;
    }
    g->members = groups->begin[group];
    groups->block_count = group;
}

/* Everything next to members [begin, end) into the group; false as soon as that is too much. */
static bool take_neighbours(growth* g, uint32_t begin, uint32_t end) {
    const topology* t = g->t;
    uint32_t unknowns = 0;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t member = g->p->groups.member[i];
        for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
            const uint32_t node = t->member_node[e];
            const uint32_t last = couples(t, node) ? t->node_begin[node + 1] : t->node_begin[node];
            for (uint32_t k = t->node_begin[node]; k < last; k++) {
                const uint32_t other = t->entry_member[t->node_entry[k]];
                if (g->taken[other] || !fits(g, other)) {
                    continue;
                }
                take(g, other);
                unknowns += member_unknowns(g, other);
                if (unknowns > g->limit || g->members - end > WIDEST) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* A line as a band; false, and nothing taken, where it would be a stump. */
static bool grow_band(growth* g, uint32_t seed) {
    const uint32_t first = g->p->groups.block_count;
    uint32_t begin = g->members, widest = 1;
    bool widens = false;
    take_first(g, seed);
    while (begin < g->members && !widens) {
        const uint32_t end = g->members, last = g->p->groups.block_count;
        begin_group(g);
        widens = !take_neighbours(g, begin, end);
        widest = g->members - end > widest && !widens ? g->members - end : widest;
        if (widens || g->members == end) {
            drop_groups(g, last);
        }
        begin = end;
    }
    const bool keep = !widens || g->p->groups.block_count - first >= BAND_LENGTH * widest;
    if (!keep) {
        drop_groups(g, first);
    }
    return keep;
}

/* The free member that `member` is coupled with most (the lowest number among equals), or UINT32_MAX. */
static uint32_t strongest(growth* g, uint32_t member) {
    const topology* t = g->t;
    uint32_t count = 0, best = UINT32_MAX;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        const uint32_t node = t->member_node[e];
        const uint32_t last = couples(t, node) ? t->node_begin[node + 1] : t->node_begin[node];
        for (uint32_t k = t->node_begin[node]; k < last; k++) {
            const uint32_t other = t->entry_member[t->node_entry[k]];
            if (!g->taken[other]) {
                g->candidate[count++] = other;
                g->weight[other] += topology_coupling(t, g->diagonal, e, t->node_entry[k]);
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = g->candidate[i];
        const double least = best == UINT32_MAX ? WEAK : g->weight[best];
        const bool better = g->weight[other] > least || (g->weight[other] == least && other < best);
        best = better && best != other && fits(g, other) ? other : best;
    }
    for (uint32_t i = 0; i < count; i++) {
        g->weight[g->candidate[i]] = 0;
    }
    return best;
}

static void grow_thread(growth* g, uint32_t seed) {
    take_first(g, seed);
    while (true) {
        begin_group(g);
        const uint32_t next = strongest(g, g->p->groups.member[g->members - 1]);
        if (next == UINT32_MAX) {
            g->p->groups.block_count--;
            return;
        }
        take(g, next);
    }
}

static void grow_all(growth* g) {
    for (uint32_t i = 0; i < g->t->member_count; i++) {
        const uint32_t seed = g->seed[i];
        if (g->taken[seed]) {
            continue;
        }
        if (!grow_band(g, seed)) {
            grow_thread(g, seed);
        }
        g->p->line_count++;
    }
    g->p->line_begin[g->p->line_count] = g->p->groups.block_count;
    g->p->groups.begin[g->p->groups.block_count] = g->members;
}

/* Entries of one member and its neighbours at most: the length of `candidate`. */
static size_t most_candidates(const topology* t) {
    size_t most = 0;
    for (uint32_t m = 0; m < t->member_count; m++) {
        const size_t entries = t->member_begin[m + 1] - t->member_begin[m];
        most = entries > most ? entries : most;
    }
    return most * TOPOLOGY_HUB;
}

taut_status lines_make(const topology* t, const taut_allocator* allocator, uint32_t limit, const bool* has_factor_rows,
                       const uint8_t* left_out, line_partition* out) {
    const size_t count = t->member_count, nodes = scene_node_count(t->scene), candidates = most_candidates(t);
    const size_t scratch_bytes =
        count * (2 * sizeof(double) + sizeof(uint32_t) + 1) + (candidates + 2 * nodes) * sizeof(uint32_t) + 1;
    line_partition p = {.groups.bytes = 3 * (count + 1) * sizeof(uint32_t)};
    p.groups.memory = taut_allocate(allocator, p.groups.bytes);
    double* scratch = p.groups.memory != NULL ? taut_allocate(allocator, scratch_bytes) : NULL;
    if (scratch == NULL) {
        line_partition_free(allocator, &p);
        return TAUT_OUT_OF_MEMORY;
    }
    p.line_begin = p.groups.memory;
    p.groups.begin = p.line_begin + count + 1;
    p.groups.member = p.groups.begin + count + 1;
    growth g = {.t = t, .has_factor_rows = has_factor_rows, .limit = limit, .p = &p};
    g.diagonal = scratch;
    g.weight = scratch + count;
    g.seed = (uint32_t*)(scratch + 2 * count);
    g.candidate = g.seed + count;
    g.node_line = g.candidate + candidates;
    g.node_group = g.node_line + nodes;
    g.taken = (uint8_t*)(g.node_group + nodes);
    for (uint32_t m = 0; m < count; m++) {
        g.taken[m] = (left_out != NULL && left_out[m]) || member_unknowns(&g, m) == 0;
    }
    topology_diagonals(t, g.diagonal);
    sort_seeds(&g);
    grow_all(&g);
    taut_release(allocator, scratch, scratch_bytes);
    *out = p;
    return TAUT_OK;
}

void line_partition_free(const taut_allocator* allocator, line_partition* p) {
    block_partition_free(allocator, &p->groups);
    *p = (line_partition){0};
}

void lines_of_members(const topology* t, const line_partition* p, uint32_t* line) {
    for (uint32_t m = 0; m < t->member_count; m++) {
        line[m] = TOPOLOGY_NO_LINE;
    }
    for (uint32_t i = 0; i < p->line_count; i++) {
        const uint32_t first = p->groups.begin[p->line_begin[i]], last = p->groups.begin[p->line_begin[i + 1]];
        for (uint32_t at = first; at < last; at++) {
            line[p->groups.member[at]] = i;
        }
    }
}

/* ---- layout --------------------------------------------------------------------------------------------------- */

/* The level on which group number `position` of its line is eliminated. */
static uint32_t level_of(uint32_t position) {
    uint32_t level = 0;
    while (((position + 1) >> level & 1) == 0) {
        level++;
    }
    return level;
}

static uint32_t group_unknowns(const topology* t, const line_partition* p, const taut_sizes* s, uint32_t group) {
    uint32_t unknowns = 0;
    for (uint32_t i = p->groups.begin[group]; i < p->groups.begin[group + 1]; i++) {
        unknowns += taut_kind_unknowns(topology_kind(t, p->groups.member[i]), s->has_factor_rows);
    }
    return unknowns;
}

/* Values of a group: its diagonal block, and two for each group that it is coupled with when its turn comes; from end
 * to end one, for the next group. */
static size_t group_values(const topology* t, const line_partition* p, const taut_sizes* s, uint32_t line,
                           uint32_t group) {
    const uint32_t low = p->line_begin[line], high = p->line_begin[line + 1];
    const uint32_t step = (uint32_t)1 << level_of(group - low);
    const size_t size = group_unknowns(t, p, s, group);
    if (s->line_sweeps) {
        return size * (size + (high - group > 1 ? group_unknowns(t, p, s, group + 1) : 0));
    }
    const size_t before = group - low >= step ? group_unknowns(t, p, s, group - step) : 0;
    const size_t after = high - group > step ? group_unknowns(t, p, s, group + step) : 0;
    return size * (size + 2 * (before + after));
}

void lines_count(const topology* t, const line_partition* p, taut_sizes* s) {
    s->lines = p->line_count;
    for (uint32_t line = 0; line < p->line_count; line++) {
        for (uint32_t group = p->line_begin[line]; group < p->line_begin[line + 1]; group++) {
            const uint32_t level = level_of(group - p->line_begin[line]);
            s->line_level_begin[level + 1]++;
            s->line_levels = level >= s->line_levels ? level + 1 : s->line_levels;
            s->line_values += group_values(t, p, s, line, group);
        }
        const uint32_t length = p->line_begin[line + 1] - p->line_begin[line];
        s->longest_line = length > s->longest_line ? length : s->longest_line;
    }
    for (uint32_t level = 0; level < s->line_levels; level++) {
        s->line_level_begin[level + 1] += s->line_level_begin[level];
    }
}

void lines_fill(const topology* t, const line_partition* p, const taut_sizes* s, taut_fields* f) {
    uint32_t next[TAUT_LINE_LEVELS];
    memcpy(next, s->line_level_begin, sizeof next);
    memcpy(f->line_begin, p->line_begin, (p->line_count + (size_t)1) * sizeof(uint32_t));
    for (uint32_t line = 0; line < p->line_count; line++) {
        for (uint32_t group = p->line_begin[line]; group < p->line_begin[line + 1]; group++) {
            f->line_of[group] = line;
            f->line_order[next[level_of(group - p->line_begin[line])]++] = group;
            f->line_value_begin[group + 1] = f->line_value_begin[group] + group_values(t, p, s, line, group);
        }
    }
    for (size_t n = 0; n < s->nodes; n++) {
        f->line_node[n] = scene_node_inverse_mass(t->scene, n) > 0;
    }
}
