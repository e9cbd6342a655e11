#include "host/compile/joined.h"

#include "base/groups.h"
#include "host/compile/attached.h"
#include "host/compile/topology.h"
#include "model/factors.h"

#include <math.h>
#include <string.h>

void joined_set_room(taut_sizes* s) {
    s->joined = s->touches ? s->joined_pairs + s->reserved[TAUT_ATTACHMENT] + s->reserved[TAUT_ALIGNMENT] : 0;
}

void joined_count(const taut_scene* scene, taut_sizes* s) {
    s->joined_pairs = (uint32_t)scene->contact.joined.count;
    joined_set_room(s);
}

/* ---- of the scene ------------------------------------------------------------------------------------------------ */

static void fill_owners(const taut_scene* scene, const taut_sizes* s, taut_fields* f) {
    const uint32_t *centres = scene->frames.centres.data, *mapped = scene->mapping.points.data;
    for (uint32_t i = 0; i < s->points; i++) {
        f->point_owner[i] = i;
    }
    for (uint32_t i = 0; i < s->frames; i++) {
        if (centres[i] != TAUT_NO_POINT) {
            f->point_owner[centres[i]] = (uint32_t)s->points + i;
        }
    }
    for (uint32_t i = 0; i < scene->mapping.count; i++) {
        uint32_t frame = TAUT_NO_FRAME;
        if (mapped_body(scene, mapped[i], &frame) != mapped[i]) {
            f->point_owner[mapped[i]] = (uint32_t)s->points + frame;
        }
    }
}

/* The constraints of a pair, as given. */
static void fill_parts(const scene_joined* joined, uint32_t part[TAUT_JOINED_ALL]) {
    for (uint32_t i = 0; i < TAUT_JOINED_ALL; i++) {
        const bool turn = i >= TAUT_JOINED_PLACES, there = turn ? joined->rigid != 0 : i < joined->rows;
        part[i] = !there ? TAUT_NO_NODE : turn ? joined->turns + i - TAUT_JOINED_PLACES : joined->constraint + i;
    }
}

void joined_fill(const taut_scene* scene, const taut_sizes* s, taut_fields* f) {
    const scene_joined* all = scene->contact.joined.data;
    fill_owners(scene, s, f);
    for (size_t i = 0; i < s->joined_pairs; i++) {
        taut_joined* to = f->joined_pair + i;
        *to = (taut_joined){all[i].kind, all[i].constraint, {0, 0}, all[i].rigid};
        fill_parts(&all[i], f->joined_part + TAUT_JOINED_ALL * i);
        for (int end = 0; end < 2; end++) {
            const uint32_t given = all[i].ends[end];
            to->node[end] = to->kind == TAUT_ATTACHMENT ? f->point_owner[given] : (uint32_t)s->points + given;
        }
    }
}

/* ---- the lists --------------------------------------------------------------------------------------------------- */

/* Where the strength of part r of pair i stands, TAUT_NO_NODE where it has no part, or TAUT_JOINED_AWAY. */
static uint32_t row_of_part(const taut_sizes* s, const taut_fields* f, size_t i, size_t r) {
    const taut_kind k = r < TAUT_JOINED_PLACES ? (taut_kind)f->joined_pair[i].kind : TAUT_ANGULAR;
    const taut_kind_fields* kind = &f->kinds[k];
    const uint32_t given = f->joined_part[TAUT_JOINED_ALL * i + r];
    if (given == TAUT_NO_NODE) {
        return given;
    }
    const size_t c = kind->constraint_at != NULL ? kind->constraint_at[given] : given;
    return kind->law != NULL && kind->law[c] == TAUT_LAW_ABSENT
               ? TAUT_JOINED_AWAY
               : (uint32_t)(s->first_row[k] + taut_unknown_place(s, s->count[k], taut_kind_shapes[k].rows, c, 0));
}

/* Pairs of the scene: rows, and what is there. What takes a turn away leaves a joint that is not rigid. */
static void list_rows(const taut_sizes* s, taut_fields* f) {
    for (size_t i = 0; i < s->joined_pairs; i++) {
        uint32_t* row = f->joined_row + TAUT_JOINED_ALL * i;
        bool away = false;
        for (size_t r = 0; r < TAUT_JOINED_ALL; r++) {
            row[r] = row_of_part(s, f, i, r);
            away = away || (r < TAUT_JOINED_PLACES && row[r] == TAUT_JOINED_AWAY);
        }
        row[0] = away ? TAUT_JOINED_AWAY : row[0];
    }
}

/* Whether a pair of the scene is there, what it joins, and whether it holds both still to each other for ever, or until
 * it breaks. */
static bool given_pair(const taut_fields* f, size_t i, taut_joined* out, bool* parts) {
    const uint32_t* row = f->joined_row + TAUT_JOINED_ALL * i;
    bool whole = true, breaks = false;
    *out = f->joined_pair[i];
    for (size_t r = 0; row[0] != TAUT_JOINED_AWAY && r < TAUT_JOINED_ALL; r++) {
        whole = whole && row[r] != TAUT_JOINED_AWAY;
        breaks = breaks || (row[r] < TAUT_JOINED_AWAY && fabs(f->strength[row[r]]) < INFINITY);
    }
    *parts = out->rigid && whole && breaks;
    out->rigid = out->rigid && whole && !breaks;
    return row[0] != TAUT_JOINED_AWAY;
}

static bool is_hard(const taut_kind_fields* kind, taut_kind k, size_t c) {
    const size_t values = taut_kind_shapes[k].packed;
    bool hard = true;
    for (size_t i = 0; i < values; i++) {
        hard = hard && kind->compliance[values * c + i] == 0;
    }
    return hard;
}

/* In a reserved place: a weld, known by its alignment, or an attachment. */
static bool added_pair(const taut_sizes* s, const taut_fields* f, taut_kind k, size_t slot, taut_joined* out) {
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t c = taut_given_count(s, k) + slot;
    const size_t segment = taut_given_count(s, TAUT_SEGMENT) + slot;
    if (kind->law[c] == TAUT_LAW_ABSENT || (kind->uses[slot] & TAUT_USES_CONTACT) != 0) {
        return false;
    }
    *out = (taut_joined){k, (uint32_t)c, {kind->nodes[2 * c], kind->nodes[2 * c + 1]}, 0};
    if (k == TAUT_ATTACHMENT) {
        out->node[0] = f->point_owner[out->node[0]];
        out->node[1] = f->point_owner[out->node[1]];
    } else {
        out->rigid = is_hard(kind, k, c) && is_hard(&f->kinds[TAUT_SEGMENT], TAUT_SEGMENT, segment);
    }
    return true;
}

/* Pair i of all that there is room for; false where it is not there. `parts`: it is rigid until it breaks. */
static bool pair_at(const taut_sizes* s, const taut_fields* f, size_t i, taut_joined* out, bool* parts) {
    const size_t welds = s->reserved[TAUT_ALIGNMENT];
    const size_t added = i < s->joined_pairs ? 0 : i - s->joined_pairs;
    *parts = false;
    const bool there = i < s->joined_pairs ? given_pair(f, i, out, parts)
                       : added < welds     ? added_pair(s, f, TAUT_ALIGNMENT, added, out)
                                           : added_pair(s, f, TAUT_ATTACHMENT, added - welds, out);
    return there && out->node[0] != out->node[1];
}

static void list_groups(const taut_sizes* s, taut_fields* f) {
    taut_joined pair;
    bool parts;
    for (uint32_t n = 0; n < s->nodes; n++) {
        f->joined_group[n] = n;
    }
    *f->joined_parting = 0;
    for (size_t i = 0; i < s->joined; i++) {
        const bool there = pair_at(s, f, i, &pair, &parts);
        if (there && pair.rigid) {
            group_join(f->joined_group, pair.node[0], pair.node[1]);
        }
        *f->joined_parting += there && parts;
    }
    for (uint32_t n = 0; n < s->nodes; n++) {
        f->joined_group[n] = group_root(f->joined_group, n);
    }
}

/* Counting sort of the pairs, either way round, by node; stable. */
void joined_list(const taut_sizes* s, taut_fields* f) {
    uint32_t* next = f->joined_begin; /* shifted by one while filling */
    taut_joined pair;
    bool parts;
    if (s->joined == 0) {
        return;
    }
    list_rows(s, f);
    list_groups(s, f);
    memset(next, 0, (s->nodes + 1) * sizeof *next);
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < s->joined; i++) {
            const bool there = pair_at(s, f, i, &pair, &parts);
            const uint32_t by = i < s->joined_pairs ? 2 * (uint32_t)i + parts : TAUT_NO_NODE;
            for (int end = 0; there && end < 2; end++) {
                if (fill) {
                    f->joined_by[next[pair.node[end]]] = by;
                    f->joined_node[next[pair.node[end]]++] = pair.node[1 - end];
                } else {
                    next[pair.node[end] + 1]++;
                }
            }
        }
        for (size_t n = 0; !fill && n < s->nodes; n++) {
            next[n + 1] += next[n];
        }
    }
    memmove(next + 1, next, s->nodes * sizeof *next);
    next[0] = 0;
}
