#include "host/compile/balanced.h"

#include <string.h>

/* Of a component. */
typedef struct part_rows {
    uint32_t rows, points; /* free ones */
    bool held, left_out;
} part_rows;

/* Forces balance each other only where there are more bars than a shape needs: 2 n - 3 for n points in a plane, 2 n - 1
 * where a further one is fixed. Chains have fewer. */
static bool is_wanted(const part_rows* p) {
    return !p->left_out && p->points > 1 && p->points <= TAUT_TURNING_MOST &&
           p->rows + (p->held ? 0 : 2) >= 2 * p->points;
}

/* Whether no bar before member m has the same ends. */
static bool is_first_between(const topology* t, uint32_t m) {
    const uint32_t* ends = t->member_node + t->member_begin[m];
    for (uint32_t i = t->node_begin[ends[0]]; i < t->node_begin[ends[0] + 1]; i++) {
        const uint32_t entry = t->node_entry[i], other = t->entry_member[entry];
        if (other < m && topology_kind(t, other) == TAUT_DISTANCE && topology_other_end(t, entry) == ends[1]) {
            return false;
        }
    }
    return true;
}

/* Of bars between particles alone: all else needs Gamma wherever it pulls. */
static void count_rows(const topology* t, const uint32_t* node_part, const uint32_t* member_part, part_rows* parts) {
    const taut_scene* scene = t->scene;
    for (uint32_t n = 0; n < scene_node_count(scene); n++) {
        part_rows* p = &parts[node_part[n]];
        p->points += scene_node_free(scene, n);
        p->left_out = p->left_out || n >= scene->particle_count || scene_mapped(scene, n) != UINT32_MAX;
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        part_rows* p = &parts[member_part[m]];
        const bool bar = topology_kind(t, m) == TAUT_DISTANCE;
        p->left_out = p->left_out || !bar;
        for (uint32_t e = t->member_begin[m]; bar && e < t->member_begin[m + 1]; e++) {
            p->held = p->held || !scene_node_free(scene, t->member_node[e]);
        }
        p->rows += bar && is_first_between(t, m);
    }
}

/* Numbers of the parts that are wanted, by their first node, in place of those of components. */
static void number_parts(const part_rows* parts, uint32_t* number, balanced_draft* out) {
    for (uint32_t n = 0; n < out->nodes; n++) {
        number[n] = TAUT_NO_NODE;
    }
    for (uint32_t n = 0; n < out->nodes; n++) {
        const uint32_t component = out->part[n];
        if (is_wanted(&parts[component])) {
            number[component] = number[component] == TAUT_NO_NODE ? out->parts++ : number[component];
            out->part[n] = number[component];
            out->members++;
        } else {
            out->part[n] = TAUT_NO_NODE;
        }
    }
}

taut_status balanced_make(const topology* t, const taut_allocator* allocator, balanced_draft* out) {
    const uint32_t nodes = (uint32_t)scene_node_count(t->scene);
    const size_t bytes = nodes * (sizeof(part_rows) + sizeof(uint32_t)) + t->member_count * sizeof(uint32_t);
    *out = (balanced_draft){.nodes = nodes, .part = taut_allocate(allocator, nodes * sizeof *out->part)};
    part_rows* parts = taut_allocate(allocator, bytes);
    taut_status status = out->part != NULL && parts != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (status == TAUT_OK) {
        uint32_t *number = (uint32_t*)(parts + nodes), *member_part = number + nodes;
        size_t count;
        memset(parts, 0, nodes * sizeof *parts);
        status = topology_components(t, allocator, out->part, member_part, &count);
        if (status == TAUT_OK) {
            count_rows(t, out->part, member_part, parts);
            number_parts(parts, number, out);
        }
    }
    taut_release(allocator, parts, bytes);
    return status;
}

void balanced_fill(const balanced_draft* draft, const taut_sizes* s, taut_fields* f) {
    if (s->turning_parts == 0) {
        return;
    }
    memcpy(f->turning_part, draft->part, draft->nodes * sizeof *draft->part);
    for (uint32_t n = 0; n < draft->nodes; n++) {
        f->turning_begin[draft->part[n] == TAUT_NO_NODE ? 0 : draft->part[n] + 1] += draft->part[n] != TAUT_NO_NODE;
    }
    for (uint32_t p = 0; p < draft->parts; p++) {
        f->turning_begin[p + 1] += f->turning_begin[p];
    }
    for (uint32_t n = draft->nodes; n-- > 0;) { /* each part is filled from its end, which goes to its beginning */
        if (draft->part[n] != TAUT_NO_NODE) {
            f->turning_node[--f->turning_begin[draft->part[n] + 1]] = n;
        }
    }
    memmove(f->turning_begin, f->turning_begin + 1, draft->parts * sizeof *f->turning_begin);
    f->turning_begin[draft->parts] = draft->members;
}

void balanced_free(const taut_allocator* allocator, balanced_draft* draft) {
    taut_release(allocator, draft->part, draft->nodes * sizeof *draft->part);
}
