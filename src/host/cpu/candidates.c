#define TAUT_REAL double
#include "host/cpu/cpu_candidates.h"

#include "kernels/stages/contact/crossing.h"

#include "host/cpu/cpu_candidate_surfaces.h"
#include "host/cpu/cpu_deadline.h"
#include "host/cpu/cpu_parallel.h"
#include "host/cpu/cpu_tree.h"
#include "host/cpu/cpu_walks.h"

#include <string.h>

/* Places in lists, of each finder in the mean. */
#define LIST_MEAN 32
/* Substeps for which a reach is made, at most; what it has more than that, in radii of contact points. */
#define LONGEST      8
#define REACH_MARGIN 0.5
/* Where more than one of so many lists is too long they are made for half of that, down to the shortest time; how fast
 * that is tried again. */
#define TOO_LONG 16
#define SHORTEST 0.25
#define RECOVERY 1.1

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void* take(char** at, size_t bytes) {
    void* out = *at;
    *at += (bytes + 63) / 64 * 64;
    return out;
}

static size_t lay_out(contact_candidates* c, char* memory) {
    const taut_sizes* s = &c->plan->sizes;
    const size_t counts[CANDIDATE_GROUPS] = {(size_t)s->colliders + s->faces, s->edges, s->touching};
    const size_t finders = first_solid(s);
    char* at = memory;
    for (int g = 0; g < CANDIDATE_GROUPS; g++) {
        candidate_boxes* own = &c->group[g];
        own->count = counts[g];
        own->box = take(&at, (6 * counts[g] + 2) * sizeof(float));
        own->reach = take(&at, (6 * counts[g] + 2) * sizeof(float));
        own->own = take(&at, (6 * counts[g] + 2) * sizeof(float));
        own->own_reach = take(&at, (6 * counts[g] + 2) * sizeof(float));
        own->rank = take(&at, g == POINTS ? 0 : counts[g] * sizeof(uint32_t));
        own->surface = take(&at, counts[g] * sizeof(uint32_t));
    }
    c->room = LIST_MEAN * finders;
    for (int g = EDGES; g < CANDIDATE_GROUPS; g++) { /* one more, where what does not walk is put */
        c->order[g] = take(&at, (counts[g] + 1) * sizeof(uint32_t));
    }
    c->begin = take(&at, finders * sizeof(uint32_t));
    c->count = take(&at, finders);
    c->hits = take(&at, finders);
    c->list = take(&at, c->room * sizeof(uint32_t));
    c->still = take(&at, (size_t)s->touching + s->colliders);
    const size_t nodes = 2 * (size_t)(s->face_leaves > s->edge_leaves ? s->face_leaves : s->edge_leaves);
    c->own_tree = take(&at, 6 * nodes * sizeof(float));
    c->own_surface = take(&at, nodes * sizeof(uint32_t));
    c->meets_itself = take(&at, s->surfaces);
    c->surface_mean = take(&at, s->surfaces * sizeof(mean_motion));
    c->surface_now = take(&at, s->surfaces * sizeof(mean_motion));
    c->surface_before = take(&at, s->surfaces * sizeof(mean_motion));
    return (size_t)(at - memory);
}

static double mean_radius(const taut_plan* plan) {
    const size_t count = plan->sizes.touching;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += plan->fields.touching_place[i].radius;
    }
    return sum / (double)count;
}

taut_status candidates_make(const taut_plan* plan, const taut_allocator* allocator, contact_candidates** out) {
    contact_candidates* c = taut_allocate(allocator, sizeof *c);
    if (c == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    c->allocator = *allocator;
    c->plan = plan;
    c->bytes = lay_out(c, (char*)c);
    c->memory = taut_allocate(allocator, c->bytes);
    if (c->memory == NULL) {
        candidates_free(c);
        return TAUT_OUT_OF_MEMORY;
    }
    lay_out(c, c->memory);
    candidate_surfaces_find(c);
    c->radius = mean_radius(plan);
    c->horizon = 4;
    c->longest = LONGEST;
    *out = c;
    return TAUT_OK;
}

void candidates_free(contact_candidates* c) {
    if (c != NULL) {
        const taut_allocator allocator = c->allocator;
        if (c->memory != NULL) {
            taut_release(&allocator, c->memory, c->bytes);
        }
        taut_release(&allocator, c, sizeof *c);
    }
}

/* ---- boxes of a search ------------------------------------------------------------------------------------------- */

typedef struct boxes_loop {
    contact_candidates* c;
    const taut_factors* step; /* NULL: of what moves in a part of a substep, from `was` on */
    const taut_fields* was;
    candidate_group group;
    double back[3], way; /* to where lists were made; s of motion in reaches */
    float margin;        /* of these, m */
    _Atomic bool* outside;
} boxes_loop;

/* Those of a tree's leaves, by item. */
static void copy_leaves(candidate_boxes* own, const uint32_t* order, const float* leaves) {
    for (size_t i = 0; i < own->count; i++) {
        memcpy(own->box + 6 * (size_t)order[i], leaves + 6 * i, 6 * sizeof(float));
        own->rank[order[i]] = (uint32_t)i;
    }
}

static void point_range(const void* context, uint32_t part, size_t first, size_t last) {
    const boxes_loop* l = context;
    const taut_fields* f = &l->c->plan->fields;
    const taut_sizes* s = &l->c->plan->sizes;
    (void)part;
    for (size_t i = first; i < last; i++) {
        float* box = l->c->group[POINTS].box + 6 * i;
        box_clear(box);
        if (!point_stays_out(f, s, i)) {
            if (l->step != NULL) {
                box_of_point(f, s, i, l->step, box);
            } else {
                box_of_swept_point(l->was, f, s, i, box);
            }
        }
    }
}

static void find_boxes(boxes_loop* l) {
    const taut_fields* f = &l->c->plan->fields;
    const taut_sizes* s = &l->c->plan->sizes;
    copy_leaves(&l->c->group[FACES], f->face_order, f->face_box + 6 * (size_t)s->face_leaves);
    copy_leaves(&l->c->group[EDGES], f->edge_order, f->edge_box + 6 * (size_t)s->edge_leaves);
    cpu_for(l->c->plan, 0, s->touching, CPU_PARALLEL_FROM / 8, point_range, l);
    if (l->c->apart) {
        candidate_surfaces_boxes(l->c, l->step, l->was);
    }
}

/* The box in which an edge looks. */
static void box_of_finder(const contact_candidates* c, size_t finder, const taut_factors* step, float box[6]) {
    const size_t points = c->group[POINTS].count;
    const bool edge = finder >= points;
    memcpy(box, edge ? c->group[EDGES].box + 6 * (finder - points) : c->group[POINTS].box + 6 * finder,
           6 * sizeof(float));
    if (edge && step != NULL) {
        widen(step->near, box);
    }
}

/* ---- means ------------------------------------------------------------------------------------------------------- */

static void add_motion(const taut_fields* f, size_t n, mean_motion* sums) {
    if (f->inverse_mass[n] > 0) {
        vec3_axpy(1, f->x + 3 * n, sums->x);
        vec3_axpy(1, f->v + 3 * n, sums->v);
        sums->count += 1;
    }
}

static void mean_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    CPU_SUM_CHUNKS(mean_motion, &plan->fields, plan->sizes.simple, add_motion(&plan->fields, i, &own))
}

static mean_motion mean_of(const taut_plan* plan) {
    mean_motion sums = {{0, 0, 0}, {0, 0, 0}, 0};
    cpu_sum(plan, plan->sizes.simple, mean_chunks, plan, sizeof sums / sizeof(double), &sums);
    for (int a = 0; a < 3; a++) {
        sums.x[a] /= sums.count > 0 ? sums.count : 1;
        sums.v[a] /= sums.count > 0 ? sums.count : 1;
    }
    return sums;
}

/* ---- whether lists answer ---------------------------------------------------------------------------------------- */

static bool is_within(const float box[6], const float back[3], const float reach[6]) {
    bool within = true;
    if (box[0] > box[3]) {
        return true; /* meets nothing */
    }
    for (int a = 0; a < 3; a++) { /* rounding is monotonic: boxes that meet do so when moved back */
        within = within && box[a] - back[a] >= reach[a] && box[3 + a] - back[a] <= reach[3 + a];
    }
    return within;
}

/* The same beside the motion of its surface. */
static bool is_within_own(const boxes_loop* l, size_t i) {
    const candidate_boxes* own = &l->c->group[l->group];
    const double *now = l->c->surface_now[own->surface[i]].x, *mean = l->c->surface_mean[own->surface[i]].x;
    const float back[3] = {(float)(now[0] - mean[0]), (float)(now[1] - mean[1]), (float)(now[2] - mean[2])};
    float box[6];
    memcpy(box, own->own + 6 * i, sizeof box);
    if (l->group == EDGES && l->step != NULL) {
        widen(l->step->near, box);
    }
    return is_within(box, back, own->own_reach + 6 * i);
}

static void within_range(const void* context, uint32_t part, size_t first, size_t last) {
    const boxes_loop* l = context;
    const candidate_boxes* own = &l->c->group[l->group];
    const float back[3] = {(float)l->back[0], (float)l->back[1], (float)l->back[2]};
    bool within = true;
    (void)part;
    for (size_t i = first; i < last && within; i++) {
        float box[6];
        memcpy(box, own->box + 6 * i, sizeof box);
        if (l->group == EDGES && l->step != NULL) {
            widen(l->step->near, box);
        }
        within = is_within(box, back, own->reach + 6 * i);
        if (within && l->c->apart && own->surface[i] != TAUT_NO_NODE) {
            within = is_within_own(l, i);
        }
    }
    if (!within) {
        *l->outside = true;
    }
}

static bool are_within(boxes_loop* l) {
    _Atomic bool outside = false;
    l->outside = &outside;
    for (int g = 0; g < CANDIDATE_GROUPS && !outside; g++) {
        l->group = (candidate_group)g;
        cpu_for(l->c->plan, 0, l->c->group[g].count, CPU_PARALLEL_FROM / 8, within_range, l);
    }
    return !outside;
}

/* Pairs in lists are those that may touch while the same things can move. */
static uint8_t is_still_now(const contact_candidates* c, size_t i) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    return i < s->touching ? corner_is_still(f, s, i) : collider_is_still(f, s, i - s->touching);
}

static bool same_are_still(const contact_candidates* c) {
    const size_t count = (size_t)c->plan->sizes.touching + c->plan->sizes.colliders;
    bool same = true;
    for (size_t i = 0; i < count && same; i++) {
        same = c->still[i] == is_still_now(c, i);
    }
    return same;
}

/* ---- making lists ------------------------------------------------------------------------------------------------ */

static void velocity_of(const taut_fields* f, const taut_sizes* s, candidate_group group, size_t item, double v[3]) {
    double q[4];
    v[0] = v[1] = v[2] = 0;
    if (group == POINTS || (group == FACES && item < s->colliders)) {
        contact_side_of side = group == POINTS ? touching_side(f, s, item) : collider_side(f, s, item, q);
        place_velocity(f, &side);
        vec3_axpy(1, side.v, v);
        return;
    }
    const int count = group == FACES ? 3 : 2;
    const uint32_t* corner = group == FACES ? f->face_corner + 4 * (item - s->colliders) : f->edge_corner + 4 * item;
    for (int i = 0; i < count; i++) {
        vec3_axpy(1.0 / count, corner_v(f, corner[i]), v);
    }
}

/* What a few substeps with the velocity v, beside a mean one, add to a box. */
static void reach_of(const boxes_loop* l, const float box[6], const double v[3], const double mean[3], float reach[6]) {
    memcpy(reach, box, 6 * sizeof(float));
    if (reach[0] > reach[3]) {
        return; /* finds nothing, and is not found */
    }
    for (int a = 0; a < 3; a++) {
        const float way = (float)(l->way * (v[a] - mean[a]));
        reach[a] += fminf(way, 0) - l->margin;
        reach[3 + a] += fmaxf(way, 0) + l->margin;
    }
    if (l->group == EDGES) {
        widen(l->step->near, reach);
    }
}

static void reach_range(const void* context, uint32_t part, size_t first, size_t last) {
    const boxes_loop* l = context;
    const contact_candidates* c = l->c;
    const candidate_boxes* own = &c->group[l->group];
    (void)part;
    for (size_t i = first; i < last; i++) {
        double v[3];
        velocity_of(&c->plan->fields, &c->plan->sizes, l->group, i, v);
        reach_of(l, own->box + 6 * i, v, c->mean.v, own->reach + 6 * i);
        if (c->apart && own->surface[i] != TAUT_NO_NODE) {
            reach_of(l, own->own + 6 * i, v, c->surface_mean[own->surface[i]].v, own->own_reach + 6 * i);
        }
    }
}

/* Boxes into the leaves of a tree, and those above. */
static void put_leaves(const candidate_boxes* own, const float* from, float* tree, uint32_t leaves) {
    for (size_t i = 0; i < own->count; i++) {
        memcpy(tree + 6 * (leaves + (size_t)own->rank[i]), from + 6 * i, 6 * sizeof(float));
    }
    cpu_join_tree(leaves, tree);
}

static void put_trees(const contact_candidates* c, bool reaches) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    const candidate_boxes *faces = &c->group[FACES], *edges = &c->group[EDGES];
    put_leaves(faces, reaches ? faces->reach : faces->box, f->face_box, s->face_leaves);
    if (s->edges > 0) {
        put_leaves(edges, reaches ? edges->reach : edges->box, f->edge_box, s->edge_leaves);
    }
}

/* What parts of a surface that are joined are quick to tell by: most of what is near is. */
static bool are_joined(const taut_fields* f, const taut_sizes* s, size_t finder, uint32_t other) {
    const uint32_t point = (uint32_t)finder;
    if (finder >= s->touching) {
        const uint32_t *own = f->edge_corner + 4 * (finder - s->touching), *met = f->edge_corner + 4 * (size_t)other;
        return own[0] == met[0] || own[0] == met[1] || own[1] == met[0] || own[1] == met[1];
    }
    const uint32_t* corner = f->face_corner + 4 * (size_t)(other < s->colliders ? 0 : other - s->colliders);
    return other >= s->colliders && (point == corner[0] || point == corner[1] || point == corner[2]);
}

/* A list that is being made. */
typedef struct making_list {
    size_t finder;
    uint32_t surface, count; /* CANDIDATES_MOST: too many */
    uint32_t item[CANDIDATES_MOST + 1];
} making_list;

/* Adds what a reach meets; `choice`: of the finder's surface, or of all others. */
static void choose(const contact_candidates* c, const float reach[6], walk_choice choice, met_boxes* met,
                   making_list* to) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    const uint32_t* surface = c->group[to->finder >= s->touching ? EDGES : FACES].surface;
    uint32_t near[WALK_MOST + 1];
    const uint32_t all = walk_choose(reach, met, near);
    for (uint32_t i = 0; i < all && to->count < CANDIDATES_MOST; i++) {
        const bool same = to->surface != TAUT_NO_NODE && surface[near[i]] == to->surface;
        const bool chosen = choice == WALK_ALL || same == (choice == WALK_OWN);
        to->item[to->count] = near[i];
        to->count += chosen && !are_joined(f, s, to->finder, near[i]) && may_be_contact(f, s, to->finder, near[i]);
    }
}

static void keep_list(contact_candidates* c, const making_list* made) {
    const size_t finder = made->finder;
    const uint32_t count = made->count;
    const size_t begin = count < CANDIDATES_MOST ? atomic_fetch_add(&c->used, count) : c->room;
    const bool fits = begin + count <= c->room && count < CANDIDATES_MOST;
    c->begin[finder] = fits ? (uint32_t)begin : 0;
    c->count[finder] = fits ? (uint8_t)count : CANDIDATES_MOST;
    memcpy(c->list + c->begin[finder], made->item, fits ? count * sizeof *made->item : 0);
}

/* Adds to the lists of finders that walk together what they meet in a tree; where that is too much for all of them,
 * half of them walk. */
static void walk_for(const contact_candidates* c, const taut_tree* tree, const float* reach, const uint32_t* finders,
                     size_t count, const walk_surfaces* surfaces, met_boxes* met, making_list* lists) {
    float box[6];
    box_clear(box);
    for (size_t i = 0; i < count; i++) {
        box_join(box, reach + 6 * (size_t)finders[i], box);
    }
    if (walk_together(tree, box, surfaces, met)) {
        for (size_t i = 0; i < count; i++) {
            choose(c, reach + 6 * (size_t)finders[i], surfaces->choice, met, &lists[i]);
        }
    } else if (count > 1) {
        const size_t half = count / 2;
        walk_for(c, tree, reach, finders, half, surfaces, met, lists);
        walk_for(c, tree, reach, finders + half, count - half, surfaces, met, lists + half);
    } else {
        lists->count = CANDIDATES_MOST;
    }
}

/* The surface of all of these, or SURFACE_MIXED. */
static uint32_t surface_of_all(const uint32_t* surface, const uint32_t* finders, size_t count) {
    uint32_t own = surface[finders[0]];
    for (size_t i = 1; i < count; i++) {
        own = surface[finders[i]] == own ? own : SURFACE_MIXED;
    }
    return own != TAUT_NO_NODE ? own : SURFACE_MIXED;
}

static void list_group(contact_candidates* c, candidate_group group, const uint32_t* finders, size_t count) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    const bool edges = group == EDGES;
    const candidate_boxes* boxes = &c->group[group];
    const taut_tree tree = edges ? edge_tree(f, s) : face_tree(f, s);
    const uint32_t own = surface_of_all(boxes->surface, finders, count);
    making_list lists[WALK_TOGETHER];
    met_boxes met;
    for (size_t i = 0; i < count; i++) {
        lists[i].finder = edges ? s->touching + (size_t)finders[i] : finders[i];
        lists[i].surface = boxes->surface[finders[i]];
        lists[i].count = 0;
    }
    const bool one = own != SURFACE_MIXED, alone = one && !c->meets_itself[own], apart = one && !alone && c->apart;
    const walk_surfaces met_by_all = {c->own_surface, own, alone || apart ? WALK_OTHERS : WALK_ALL};
    walk_for(c, &tree, boxes->reach, finders, count, &met_by_all, &met, lists);
    if (apart) {
        const taut_tree own_tree = {tree.items, tree.leaves, tree.order, c->own_tree};
        const walk_surfaces met_by_own = {c->own_surface, own, WALK_OWN};
        walk_for(c, &own_tree, boxes->own_reach, finders, count, &met_by_own, &met, lists);
    }
    for (size_t i = 0; i < count; i++) {
        keep_list(c, &lists[i]);
    }
}

static void list_range(const void* context, uint32_t part, size_t first, size_t last) {
    const boxes_loop* l = context;
    contact_candidates* c = l->c;
    const size_t all = c->walkers[l->group];
    const uint32_t* order = c->order[l->group];
    (void)part;
    for (size_t i = first; i < last && !c->late; i++) {
        const size_t begin = i * WALK_TOGETHER, end = begin + WALK_TOGETHER < all ? begin + WALK_TOGETHER : all;
        list_group(c, l->group, order + begin, end - begin);
        if (cpu_search_is_late(c->plan)) {
            c->late = true;
        }
    }
}

/* What finds anything, in an order in which near ones are side by side: edges, and contact points by the edges that
 * begin or end there. */
static bool walks(const contact_candidates* c, candidate_group group, size_t i) {
    const taut_fields* f = &c->plan->fields;
    const float* box = c->group[group].box + 6 * i;
    return box[0] <= box[3] && !(group == EDGES && corners_are_still(f, &c->plan->sizes, f->edge_corner + 4 * i, 2));
}

static void order_edges(contact_candidates* c) {
    const taut_sizes* s = &c->plan->sizes;
    uint32_t count = 0;
    for (size_t i = 0; i < s->edges; i++) {
        const uint32_t edge = c->plan->fields.edge_order[i];
        c->order[EDGES][count] = edge;
        count += walks(c, EDGES, edge);
    }
    c->walkers[EDGES] = count;
}

static void order_point(contact_candidates* c, uint32_t point) {
    if (c->hits[point] == 0) {
        c->hits[point] = 1;
        c->order[POINTS][c->walkers[POINTS]] = point;
        c->walkers[POINTS] += walks(c, POINTS, point);
    }
}

static void order_points(contact_candidates* c) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    memset(c->hits, 0, s->touching);
    c->walkers[POINTS] = 0;
    for (size_t i = 0; i < s->edges; i++) {
        order_point(c, f->edge_corner[4 * (size_t)f->edge_order[i]]);
        order_point(c, f->edge_corner[4 * (size_t)f->edge_order[i] + 1]);
    }
    for (uint32_t point = 0; point < s->touching; point++) {
        order_point(c, point);
    }
}

/* Whether pairs of one surface have boxes of their own, which are there then. */
static void part_surfaces(boxes_loop* l) {
    contact_candidates* c = l->c;
    const bool had = c->apart;
    if (!had) {
        candidate_surfaces_mean(c);
    }
    c->apart = candidate_surfaces_part(c, 2 * l->step->sight + l->way, c->radius);
    if (c->apart && !had) {
        candidate_surfaces_boxes(c, l->step, NULL);
    }
    memcpy(c->surface_mean, c->surface_now, c->plan->sizes.surfaces * sizeof *c->surface_mean);
}

static bool are_too_long(const contact_candidates* c) {
    const size_t finders = first_solid(&c->plan->sizes);
    size_t count = 0;
    for (size_t i = 0; i < finders; i++) {
        count += c->count[i] == CANDIDATES_MOST;
    }
    return TOO_LONG * count > finders;
}

/* Lists for the horizon that there is. */
static void fill_lists(boxes_loop* l) {
    contact_candidates* c = l->c;
    const taut_sizes* s = &c->plan->sizes;
    l->way = c->horizon * l->step->sight;
    l->margin = (float)(REACH_MARGIN * c->radius + c->horizon * fall_of(l->step));
    part_surfaces(l);
    for (int g = 0; g < CANDIDATE_GROUPS; g++) {
        l->group = (candidate_group)g;
        cpu_for(c->plan, 0, c->group[g].count, CPU_PARALLEL_FROM / 8, reach_range, l);
    }
    put_trees(c, true);
    c->used = 0;
    memset(c->count, 0, first_solid(s));
    for (int g = EDGES; g < CANDIDATE_GROUPS; g++) {
        l->group = (candidate_group)g;
        if (c->apart || c->some_alone) { /* points look for faces */
            candidate_surfaces_tree(c, g == EDGES ? EDGES : FACES, g == EDGES ? s->edge_leaves : s->face_leaves);
        }
        cpu_for_uneven(c->plan, (c->walkers[g] + WALK_TOGETHER - 1) / WALK_TOGETHER, 64, list_range, l);
    }
}

/* Of what is fine, reaches for many substeps meet nearly everything. */
static void make_lists(boxes_loop* l) {
    contact_candidates* c = l->c;
    const taut_sizes* s = &c->plan->sizes;
    for (size_t i = 0; i < (size_t)s->touching + s->colliders; i++) {
        c->still[i] = is_still_now(c, i);
    }
    c->longest = fmin(LONGEST, RECOVERY * c->longest);
    c->horizon = c->life <= 1 ? fmin(fmax(1, c->horizon / 2), c->longest) : fmin(c->longest, 2 * c->horizon);
    order_edges(c);
    order_points(c);
    fill_lists(l);
    while (!c->late && are_too_long(c) && c->horizon > SHORTEST) {
        c->longest = c->horizon = c->horizon / 2;
        fill_lists(l);
    }
    put_trees(c, false);
    c->made = !c->late;
    c->joins = c->plan->joins;
    c->life = 0;
}

bool candidates_renew(contact_candidates* c, uint32_t broken, const taut_factors* step) {
    boxes_loop l = {.c = c, .step = step};
    const mean_motion now = mean_of(c->plan);
    for (int a = 0; a < 3; a++) {
        l.back[a] = now.x[a] - c->mean.x[a];
    }
    find_boxes(&l);
    const bool same = c->joins == c->plan->joins && c->broken == broken;
    if (!c->made || !same || !same_are_still(c) || !are_within(&l)) {
        c->mean = now;
        c->broken = broken;
        c->late = false;
        make_lists(&l);
    }
    c->life++;
    c->answers = c->made;
    return c->made;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static bool is_listed(const contact_candidates* c, size_t finder) {
    return c->answers && finder < first_solid(&c->plan->sizes) && c->count[finder] < CANDIDATES_MOST;
}

static bool finds_any(const taut_fields* f, const taut_sizes* s, size_t finder) {
    const size_t edge = finder - s->touching;
    return finder < s->touching
               ? !point_is_inactive(f, finder)
               : !edge_is_inactive(f, s, edge) && !corners_are_still(f, s, f->edge_corner + 4 * edge, 2);
}

/* Contacts are in the order in which the walk through the tree meets them. */
static void sort_hits(const uint32_t* rank, uint32_t* hits, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t own = hits[i];
        uint32_t at = i;
        for (; at > 0 && rank[hits[at - 1]] > rank[own]; at--) {
            hits[at] = hits[at - 1];
        }
        hits[at] = own;
    }
}

/* Moves those that are another face's to meet behind the others. */
static uint32_t keep_first_met(const contact_candidates* c, size_t finder, uint32_t* hits, uint32_t count,
                               const taut_factors* step) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    contact_search search = {.finder = finder};
    contact_found found;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = hits[i];
        if (find_contact(f, s, finder, other, step, &found) && !met_before(f, s, &search, other, &found)) {
            hits[i] = hits[kept];
            hits[kept++] = other;
        }
    }
    return kept;
}

/* `walls`: how many of them are met on a second wall, too. */
static uint32_t find_hits(contact_candidates* c, size_t finder, const taut_factors* step, uint32_t* walls) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    const candidate_boxes* others = &c->group[finder >= s->touching ? EDGES : FACES];
    uint32_t *list = c->list + c->begin[finder], hits = 0;
    contact_found found, second;
    float box[6];
    box_of_finder(c, finder, step, box);
    const box_query query = box_ask(box);
    for (uint32_t i = 0; i < c->count[finder]; i++) {
        const uint32_t other = list[i];
        if (query_meets(&query, others->box + 6 * (size_t)other) && meet_contact(f, s, finder, other, step, &found)) {
            list[i] = list[hits];
            list[hits++] = other;
            *walls += find_opposite(f, s, finder, other, step, &found, &second);
        }
    }
    sort_hits(others->rank, list, hits);
    return finder < s->touching && hits > 1 ? keep_first_met(c, finder, list, hits, step) : hits;
}

/* Of colliders without end. */
static uint32_t count_wide(const taut_fields* f, const taut_sizes* s, size_t finder, const taut_factors* step) {
    contact_found found;
    uint32_t count = 0;
    for (uint32_t i = 0; finder < s->touching && i < s->wide; i++) {
        count += find_contact(f, s, finder, f->wide_collider[i], step, &found);
    }
    return count;
}

uint32_t candidates_count(contact_candidates* c, size_t finder, const taut_factors* step) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    if (!is_listed(c, finder)) {
        return count_contacts(f, s, finder, step);
    }
    const bool finds = finds_any(f, s, finder);
    uint32_t walls = 0;
    c->hits[finder] = finds ? (uint8_t)find_hits(c, finder, step, &walls) : 0;
    return count_crossings(f, s, finder) + c->hits[finder] + walls + (finds ? count_wide(f, s, finder, step) : 0);
}

void candidates_contacts(contact_candidates* c, size_t finder, const taut_factors* step) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    if (!is_listed(c, finder)) {
        make_contacts(f, s, finder, step);
        return;
    }
    const size_t end = f->contact_begin[finder + 1];
    const uint32_t wide = finder < s->touching ? s->wide : 0;
    size_t at = make_crossings(f, s, finder, f->contact_begin[finder], step);
    contact_found found, second;
    for (uint32_t i = 0; i < wide + c->hits[finder] && at < end; i++) {
        const uint32_t other = i < wide ? f->wide_collider[i] : c->list[c->begin[finder] + i - wide];
        if (find_contact(f, s, finder, other, step, &found)) {
            make_contact(f, s, at++, finder, other, step, &found);
            if (at < end && find_opposite(f, s, finder, other, step, &found, &second)) {
                make_contact(f, s, at++, finder, other, step, &second);
            }
        }
    }
    share_room(f, s, finder, f->contact_begin[finder], at, step->h);
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

void candidates_sweep(contact_candidates* c, const taut_fields* was) {
    boxes_loop l = {.c = c, .was = was};
    c->answers = false;
    if (!c->made) {
        return;
    }
    const taut_plan* plan = c->plan;
    const mean_motion end = mean_of(plan);
    mean_motion start = {{0, 0, 0}, {0, 0, 0}, 0};
    for (size_t n = 0; n < plan->sizes.simple; n++) {
        add_motion(was, n, &start);
    }
    for (int a = 0; a < 3; a++) {
        l.back[a] = 0.5 * (end.x[a] + start.x[a] / (start.count > 0 ? start.count : 1)) - c->mean.x[a];
    }
    find_boxes(&l);
    c->answers = are_within(&l);
}

uint32_t candidates_crossing(const contact_candidates* c, const taut_fields* was, size_t finder) {
    const taut_fields* f = &c->plan->fields;
    const taut_sizes* s = &c->plan->sizes;
    const bool edge = finder >= s->touching;
    if (!is_listed(c, finder)) {
        return find_crossing(was, f, s, finder).other;
    }
    if (crosses_nothing(f, s, finder)) {
        return TAUT_NO_NODE;
    }
    const candidate_boxes* others = &c->group[edge ? EDGES : FACES];
    const uint32_t* list = c->list + c->begin[finder];
    crossing_met met = {TAUT_NO_NODE, 2};
    float box[6];
    for (uint32_t i = 0; !edge && i < s->wide; i++) {
        const double time = time_with(was, f, s, finder, f->wide_collider[i]);
        if (time < met.time) {
            met.other = f->wide_collider[i];
            met.time = time;
        }
    }
    const double wide_time = met.time;
    box_of_finder(c, finder, NULL, box);
    const box_query query = box_ask(box);
    for (uint32_t i = 0; i < c->count[finder]; i++) {
        const uint32_t other = list[i];
        if (query_meets(&query, others->box + 6 * (size_t)other)) {
            const double time = time_with(was, f, s, finder, other);
            const bool tie = time == met.time && time < wide_time && others->rank[other] < others->rank[met.other];
            if (time < met.time || tie) {
                met.other = other;
                met.time = time;
            }
        }
    }
    return met.other;
}
