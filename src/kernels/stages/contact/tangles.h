/* Tangles: where surfaces cut each other at the start of a substep, which part of them is on the wrong side, and how it
 * goes back.
 *
 * Cuts, edges that go through faces, join to contours: a triangle and a face that meet do so along a line between two
 * cuts. Each contour has two sides, the surface of the edge and that of the face, and on each side the corners above
 * and below the other surface. Of these four parts, flooded along edges that the contour does not cut, the one with the
 * fewest corners is taken back (compare Baraff, Witkin and Kass, Untangling Cloth, 2003). Where no part ends, it is the
 * one that went back in the last substep, at first the one that is the least deep. Ends of cut edges in that part are
 * drawn through the faces that they have come through, at the speed of recovery, without friction: the contour goes on
 * to the next ring, until the part is gone. Meanwhile the parts near the contour are free of each other (are_tangled).
 *
 * What is listed is found by one thread, in one order: there are few cuts. Text for a file that has defined TAUT_REAL
 * as double. */
#ifndef TAUT_CONTACT_TANGLES_H
#define TAUT_CONTACT_TANGLES_H

#include "kernels/stages/contact/crossing.h"
#include "kernels/stages/contact/pierced.h"

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* Surfaces that are attached to each other may be drawn through each other where they are. */
TAUT_FN bool is_drawn_so(const taut_fields* f, const taut_sizes* s, const uint32_t* own, const uint32_t* corner) {
    const double* x = f->corner_start;
    return f->touching_surface[own[0]] != f->touching_surface[corner[0]] && are_attached(f, s, own[0], corner[0]) &&
           goes_through(x + 3 * (size_t)own[0], x + 3 * (size_t)own[1], x + 3 * (size_t)corner[0],
                        x + 3 * (size_t)corner[1], x + 3 * (size_t)corner[2]);
}

/* Whether cuts of an edge are looked for. */
TAUT_FN bool may_be_tangled(const taut_fields* f, const taut_sizes* s, size_t edge) {
    return !is_skin(f, f->edge_corner[4 * edge]) || skin_edge_pierces(f, s, edge);
}

TAUT_FN uint32_t tangled_cuts(const taut_fields* f, const taut_sizes* s, size_t edge) {
    return may_be_tangled(f, s, edge) ? cuts_of_edge(f, s, edge) : 0;
}

/* How many cuts of surfaces there are that are to be undone, up to the room for them; crossing_other: those of each
 * edge. Edges of colliders say by themselves where they belong (pierced.h). */
TAUT_FN uint32_t list_cuts(const taut_fields* f, const taut_sizes* s) {
    uint32_t count = 0;
    for (size_t edge = 0; edge < s->edges; edge++) {
        uint32_t at = 1, face;
        const bool skin = is_skin(f, f->edge_corner[4 * edge]);
        while (!skin && f->crossing_other[edge] > 0 && count < TAUT_CUT_ROOM(s) &&
               (face = next_cut(f, s, edge, &at)) != TAUT_NO_NODE) {
            if (!is_drawn_so(f, s, f->edge_corner + 4 * edge, f->face_corner + 4 * (size_t)face)) {
                const taut_cut cut = {(uint32_t)edge, face, count, false, false};
                f->cut[count++] = cut;
            }
        }
    }
    return count;
}

/* ---- contours ---------------------------------------------------------------------------------------------------- */

/* The first cut of a contour, and whether this one has its edge on the other side. */
TAUT_FN uint32_t contour_of(const taut_cut* cuts, uint32_t cut, bool* turned) {
    *turned = false;
    while (cuts[cut].joined != cut) {
        *turned = *turned != cuts[cut].turned;
        cut = cuts[cut].joined;
    }
    return cut;
}

TAUT_FN void join_cuts(taut_cut* cuts, uint32_t a, uint32_t b, bool turned) {
    bool first, second;
    const uint32_t one = contour_of(cuts, a, &first), two = contour_of(cuts, b, &second);
    const uint32_t low = one < two ? one : two, high = one < two ? two : one;
    if (low != high) {
        cuts[high].joined = low;
        cuts[high].turned = (first != second) != turned;
    }
}

/* Steele, Lea and Flood's mixture of bits. */
TAUT_FN uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A number of a triangle, in any order of its corners. */
TAUT_FN uint64_t triangle_number(uint32_t a, uint32_t b, uint32_t c) {
    return mixed(mixed(a + 1) + mixed(b + 1) + mixed(c + 1));
}

/* Both ends of the line in which a triangle beside the edge and the face meet have the same pair. */
TAUT_FN size_t add_ends(const taut_fields* f, uint32_t cut, taut_cut_end* ends) {
    const uint32_t* edge = f->edge_corner + 4 * (size_t)f->cut[cut].edge;
    const uint32_t* face = f->face_corner + 4 * (size_t)f->cut[cut].face;
    const uint64_t other = triangle_number(face[0], face[1], face[2]);
    size_t count = 0;
    for (int i = 2; i < 4; i++) {
        if (edge[i] != TAUT_NO_NODE) {
            const uint64_t own = triangle_number(edge[0], edge[1], edge[i]);
            const taut_cut_end end = {own + other, cut, own < other};
            ends[count++] = end;
        }
    }
    return count;
}

TAUT_FN bool ends_before(const taut_cut_end* a, const taut_cut_end* b) {
    return a->pair < b->pair || (a->pair == b->pair && a->cut < b->cut);
}

/* Heaps: sorting takes no memory. */
TAUT_FN void sift_end(taut_cut_end* ends, size_t at, size_t count) {
    const taut_cut_end own = ends[at];
    size_t child;
    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count && ends_before(&ends[child], &ends[child + 1]);
        if (!ends_before(&own, &ends[child])) {
            break;
        }
        ends[at] = ends[child];
        at = child;
    }
    ends[at] = own;
}

TAUT_FN void sort_ends(taut_cut_end* ends, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sift_end(ends, i, count);
    }
    for (size_t i = count; i-- > 1;) {
        const taut_cut_end last = ends[i];
        ends[i] = ends[0];
        ends[0] = last;
        sift_end(ends, 0, i);
    }
}

TAUT_FN void join_contours(const taut_fields* f, uint32_t cuts) {
    size_t count = 0;
    for (uint32_t i = 0; i < cuts; i++) {
        count += add_ends(f, i, f->cut_end + count);
    }
    sort_ends(f->cut_end, count);
    for (size_t i = 0; i < count; i++) {
        const taut_cut_end *a = &f->cut_end[i], *b = a + 1;
        const bool joins = i + 1 < count && a->pair == b->pair;
        if (joins) {
            join_cuts(f->cut, a->cut, b->cut, a->turned != b->turned);
        }
        f->cut[a->cut].left = f->cut[a->cut].left || !(joins || (i > 0 && a->pair == a[-1].pair));
    }
    for (uint32_t i = 0; i < cuts; i++) { /* each to the first one, for later */
        bool turned;
        const uint32_t first = contour_of(f->cut, i, &turned);
        f->cut[i].joined = first;
        f->cut[first].left = f->cut[first].left || f->cut[i].left;
        f->cut[i].turned = turned;
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

TAUT_FN uint64_t edge_number(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Height of an end of a cut edge over the face, times twice its area. */
TAUT_FN double height_of_end(const taut_fields* f, const taut_cut* cut, uint32_t end) {
    const uint32_t* c = f->face_corner + 4 * (size_t)cut->face;
    double ab[3], ac[3], normal[3];
    vec3_sub(corner_x(f, c[1]), corner_x(f, c[0]), ab);
    vec3_sub(corner_x(f, c[2]), corner_x(f, c[0]), ac);
    vec3_cross(ab, ac, normal);
    return height_above(corner_x(f, end), corner_x(f, c[0]), normal) / fmax(sqrt(vec3_dot(normal, normal)), 1e-300);
}

/* The end of a cut edge that is above the face, or below. */
TAUT_FN uint32_t end_of(const taut_fields* f, const taut_cut* cut, bool below) {
    const uint32_t* edge = f->edge_corner + 4 * (size_t)cut->edge;
    return edge[(height_of_end(f, cut, edge[0]) < 0) == below ? 0 : 1];
}

/* A part of a contour that may be taken back. */
typedef struct tangled_part {
    bool turned, below; /* its side of the contour, and that of the other surface */
    bool ends;          /* it has no way to the other one but through the contour */
    size_t size;        /* corners */
    long votes;         /* ends of cut edges that say so by what they did last, less those against it */
    double depth;       /* m, the mean of ends of cut edges */
} tangled_part;

/* Whether a is rather taken back than b. */
TAUT_FN bool is_less(const tangled_part* a, const tangled_part* b) {
    return a->ends != b->ends     ? a->ends
           : a->ends              ? a->size < b->size
           : a->votes != b->votes ? a->votes > b->votes
                                  : a->depth < b->depth;
}

/* One of two floods that start on both sides of a contour. */
typedef struct flood {
    const taut_fields* f;
    uint32_t* queue;
    size_t count, next;
    uint32_t mark;
    const uint64_t* walls; /* in order */
    size_t wall_count;
} flood;

TAUT_FN bool is_wall(const flood* w, uint32_t a, uint32_t b) {
    const uint64_t number = edge_number(a, b);
    size_t low = 0, high = w->wall_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (w->walls[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < w->wall_count && w->walls[low] == number;
}

/* False where the other flood is there already. */
TAUT_FN bool flood_reach(flood* w, uint32_t corner, uint32_t other) {
    const uint32_t mark = w->f->flooded[corner];
    if (mark != w->mark && mark != other) {
        w->f->flooded[corner] = w->mark;
        w->queue[w->count++] = corner;
    }
    return mark != other;
}

/* One corner further. */
TAUT_FN bool flood_go(flood* w, uint32_t other) {
    const uint32_t corner = w->queue[w->next++];
    bool alone = true;
    for (uint32_t i = w->f->ring_begin[corner]; alone && i < w->f->ring_begin[corner + 1]; i++) {
        alone = is_wall(w, corner, w->f->ring[i]) || flood_reach(w, w->f->ring[i], other);
    }
    return alone;
}

TAUT_FN void sort_walls(uint64_t* walls, size_t count) {
    for (size_t gap = count / 2; gap > 0; gap /= 2) { /* Shell's: they are nearly in order */
        for (size_t i = gap; i < count; i++) {
            const uint64_t own = walls[i];
            size_t at = i;
            for (; at >= gap && walls[at - gap] > own; at -= gap) {
                walls[at] = walls[at - gap];
            }
            walls[at] = own;
        }
    }
}

/* Edges of this side that the contour goes through, those that it comes back through left out. */
TAUT_FN size_t list_walls(const taut_fields* f, uint32_t cuts, uint32_t contour, bool turned) {
    size_t count = 0, kept = 0;
    for (uint32_t i = contour; i < cuts; i++) {
        if (f->cut[i].joined == contour && f->cut[i].turned == turned) {
            const uint32_t* edge = f->edge_corner + 4 * (size_t)f->cut[i].edge;
            f->cut_edge[count++] = edge_number(edge[0], edge[1]);
        }
    }
    sort_walls(f->cut_edge, count);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && f->cut_edge[kept - 1] == f->cut_edge[i]) {
            kept--;
        } else {
            f->cut_edge[kept++] = f->cut_edge[i];
        }
    }
    return kept;
}

/* Whether the end a of a cut edge is to go back, and b is not, as far as the last substep tells: those that went back
 * and have come through stay from then on. */
TAUT_FN bool went_back(const taut_fields* f, uint32_t a, uint32_t b) {
    const int own = f->tangle_last[a], other = f->tangle_last[b];
    const bool back = (own & TAUT_TANGLE_BACK) != 0, stays = (own & TAUT_TANGLE_STAYS) != 0;
    const bool other_back = (other & TAUT_TANGLE_BACK) != 0, other_stays = (other & TAUT_TANGLE_STAYS) != 0;
    return back ? other_stays && !other_back : !stays && (other_back || other_stays);
}

/* The lesser one of both parts on one side of a contour. */
TAUT_FN tangled_part part_of_side(const taut_fields* f, const taut_sizes* s, uint32_t cuts, uint32_t contour,
                                  bool turned, uint32_t mark) {
    const size_t walls = list_walls(f, cuts, contour, turned), touching = s->touching;
    flood both[2];
    double depth[2] = {0, 0};
    long votes = 0; /* for what is below */
    size_t ends = 0;
    bool apart = true;
    for (int k = 0; k < 2; k++) {
        const flood own = {f, f->flood_queue + (size_t)k * touching, 0, 0, mark + (uint32_t)k, f->cut_edge, walls};
        both[k] = own;
    }
    for (uint32_t i = contour; i < cuts; i++) {
        if (f->cut[i].joined == contour && f->cut[i].turned == turned) {
            const uint32_t above = end_of(f, &f->cut[i], false), below = end_of(f, &f->cut[i], true);
            votes += went_back(f, below, above) - went_back(f, above, below);
            ends++;
            for (int k = 0; k < 2; k++) {
                const uint32_t end = end_of(f, &f->cut[i], k == 1);
                depth[k] += fabs(height_of_end(f, &f->cut[i], end));
                apart = flood_reach(&both[k], end, mark + 1 - (uint32_t)k) && apart;
            }
        }
    }
    while (apart && both[0].next < both[0].count && both[1].next < both[1].count) {
        apart = flood_go(&both[0], mark + 1) && flood_go(&both[1], mark);
    }
    const bool first_ends = both[0].next == both[0].count;
    const bool below = apart ? !first_ends : votes != 0 ? votes > 0 : depth[1] < depth[0];
    const tangled_part part = {turned,
                               below,
                               apart && ends > 0,
                               ends > 0 ? both[below].count : SIZE_MAX,
                               below ? votes : -votes,
                               ends > 0 ? depth[below] / (double)ends : (double)INFINITY};
    return part;
}

/* ---- the way back ------------------------------------------------------------------------------------------------ */

TAUT_FN void mark_tangle(const taut_fields* f, uint32_t contour, const uint32_t* corner, int count, uint8_t what) {
    for (int i = 0; i < count; i++) {
        f->tangle[corner[i]] |= what;
        f->contour[corner[i]] = contour;
    }
}

/* The end that a cut has the shorter way back by is drawn by it. */
TAUT_FN void draw_end(const taut_fields* f, uint32_t cut, uint32_t end) {
    const uint32_t before = f->drawn_by[end];
    if (before == TAUT_NO_NODE ||
        fabs(height_of_end(f, &f->cut[cut], end)) < fabs(height_of_end(f, &f->cut[before], end))) {
        f->drawn_by[end] = cut;
    }
}

/* Whether a contour is clear of those that are taken back already: one after the other. */
TAUT_FN bool is_clear(const taut_fields* f, uint32_t cuts, uint32_t contour) {
    int marks = 0;
    for (uint32_t i = contour; i < cuts; i++) {
        if (f->cut[i].joined == contour) {
            const uint32_t* edge = f->edge_corner + 4 * (size_t)f->cut[i].edge;
            const uint32_t* face = f->face_corner + 4 * (size_t)f->cut[i].face;
            marks |= f->tangle[edge[0]] | f->tangle[edge[1]];
            marks |= f->tangle[face[0]] | f->tangle[face[1]] | f->tangle[face[2]];
        }
    }
    return marks == 0;
}

TAUT_FN void take_back(const taut_fields* f, uint32_t cuts, uint32_t contour, const tangled_part* part) {
    for (uint32_t i = contour; i < cuts; i++) {
        const taut_cut* cut = &f->cut[i];
        const uint32_t *edge = f->edge_corner + 4 * (size_t)cut->edge, *face = f->face_corner + 4 * (size_t)cut->face;
        if (cut->joined == contour && cut->turned == part->turned) {
            const uint32_t end = end_of(f, cut, part->below), stays = edge[edge[0] == end ? 1 : 0];
            mark_tangle(f, contour, &end, 1, TAUT_TANGLE_BACK);
            mark_tangle(f, contour, &stays, 1, TAUT_TANGLE_STAYS);
            mark_tangle(f, contour, face, 3, TAUT_TANGLE_NEAR);
            draw_end(f, i, end);
        } else if (cut->joined == contour) {
            mark_tangle(f, contour, edge, 2, TAUT_TANGLE_NEAR);
        }
    }
}

/* A corner that goes back: rows of it and the face that it came through. */
TAUT_FN void found_drawn(const taut_fields* f, const taut_sizes* s, uint32_t corner, const taut_cut* cut,
                         contact_found* found) {
    const uint32_t* face = f->face_corner + 4 * (size_t)cut->face;
    const double *a = corner_x(f, face[0]), *b = corner_x(f, face[1]), *c = corner_x(f, face[2]);
    const double *x = corner_x(f, corner), height = height_of_end(f, cut, corner);
    double ab[3], ac[3], across[3], weight[3], d[3], nearest[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, across);
    radial(across, found->normal);
    near_on_face(x, a, b, c, false, weight, d);
    found->weight[0] = 1;
    for (int i = 0; i < 3; i++) {
        found->weight[1 + i] = -weight[i];
        found->normal[i] *= height < 0 ? 1 : -1;
        nearest[i] = x[i] - d[i];
    }
    found->gap = -fabs(height) - DRAWN_BEYOND * thickness_of_pair(f, corner, face[0]);
    found_on_surface(f, s, &corner, 1, x, face, nearest, found);
    found->feature = TAUT_DRAWN_FEATURE;
}

TAUT_FN void list_drawn(const taut_fields* f, const taut_sizes* s) {
    taut_crossing* list = f->crossing + TAUT_DRAWN_LIST * (size_t)TAUT_CROSSING_ROOM(s);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->touching + s->edges && count < TAUT_CROSSING_ROOM(s); i++) {
        const taut_cut* cut = f->drawn_by[i] != TAUT_NO_NODE ? &f->cut[f->drawn_by[i]] : NULL;
        if (cut != NULL && is_skin(f, f->edge_corner[4 * (size_t)cut->edge])) {
            list_off(f, s, cut, &list[count++]);
        } else if (cut != NULL) {
            list[count].finder = i;
            list[count].other = s->colliders + cut->face;
            found_drawn(f, s, i, cut, &list[count++].found);
        }
    }
    f->crossing_count[TAUT_DRAWN_LIST] = count;
}

/* Whether a crossing is of tangles, which then are to be left. */
TAUT_FN bool leaves_tangles(const taut_fields* f, const taut_sizes* s, size_t finder) {
    uint32_t corner[4];
    const int count = corners_of_crossing(f, s, finder, f->crossing_other[finder], corner);
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (f->tangle[corner[i]] != 0) {
            f->cut[f->contour[corner[i]]].left = true;
            any = true;
        }
    }
    return any;
}

/* Without those that have been left: the others are drawn from where the step began. */
TAUT_FN void keep_drawn(const taut_fields* f, const taut_sizes* s) {
    taut_crossing* list = f->crossing + TAUT_DRAWN_LIST * (size_t)TAUT_CROSSING_ROOM(s);
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->crossing_count[TAUT_DRAWN_LIST]; i++) {
        if (f->drawn_by[list[i].finder] != TAUT_NO_NODE) {
            list[count++] = list[i];
        }
    }
    f->crossing_count[TAUT_DRAWN_LIST] = count;
}

/* A corner of a tangle that was to be left is free of it. */
TAUT_FN void leave_tangle_of(const taut_fields* f, size_t corner) {
    if (f->tangle[corner] != 0 && f->cut[f->contour[corner]].left) {
        f->tangle[corner] = 0;
        f->drawn_by[corner] = TAUT_NO_NODE;
    }
}

/* What every corner has to do with the cuts that were listed, and the rows by which they part; before, no corner has
 * anything to do with any. How many cuts there are, with those of edges of colliders. */
TAUT_FN uint32_t find_tangles(const taut_fields* f, const taut_sizes* s, uint32_t cuts) {
    uint32_t mark = 1;
    join_contours(f, cuts);
    for (uint32_t i = 0; i < cuts; i++) {
        if (f->cut[i].joined == i && !f->cut[i].left && is_clear(f, cuts, i)) {
            const tangled_part first = part_of_side(f, s, cuts, i, false, mark);
            const tangled_part second = part_of_side(f, s, cuts, i, true, mark + 2);
            take_back(f, cuts, i, is_less(&second, &first) ? &second : &first);
            mark += 4;
        }
    }
    const uint32_t all = list_pierced(f, s, cuts);
    list_drawn(f, s);
    return all;
}

#endif
