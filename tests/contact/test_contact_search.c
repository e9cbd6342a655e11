/* Contacts of surfaces in random clouds against all pairs by the rule that contact.h and collide_surface.h give, put in
 * another way: a place q of a face, an edge or a corner meets p where no place around it on that surface is nearer,
 * (p - q).(v - q) <= 0 for the corners v of all that it belongs to. */
#define TAUT_REAL double
#include "kernels/stages/contact/near.h"

#include "contact_scenes.h"
#include "dense_matrix.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, MOST = 600, MOST_FOUND = 20000 };

/* ---- the cloud -----------------------------------------------------------------------------------------------------
 */

/* A contact point. */
typedef struct mote {
    double start[3], x[3], v[3], radius;
    uint32_t owner; /* what must differ */
    int surface;
    bool self, still;
    uint32_t group, mask;
} mote;

/* A triangle or, with `count` 2, a segment or an edge. `beside`: corners of triangles along it, at most two. */
typedef struct part {
    uint32_t corner[3], first[3]; /* motes; those of the face by which it is found */
    int count, first_count, surface;
    uint32_t beside[2];
    int beside_count;
} part;

typedef struct cloud {
    taut_scene* scene;
    random_state random;
    double size, h, gravity, margin; /* of the cloud, m; s; m/s^2; m */
    double wind;                     /* m/s: what all particles have in common, along x */
    size_t motes, faces, edges, particles;
    mote mote[MOST];
    part face[MOST], edge[3 * MOST];
    double x[MOST][3], v[MOST][3]; /* of particles */
    int surfaces;
} cloud;

static void add_mote(cloud* c, const mote* m) {
    if (CHECK(c->motes < MOST)) {
        c->mote[c->motes++] = *m;
    }
}

/* A particle that is somewhere else when the world is created, so that what is near now is not near then. */
static mote add_particle(cloud* c, const double about[3], double spread, bool still) {
    mote m = {.owner = (uint32_t)c->particles, .surface = NONE, .still = still, .group = 1, .mask = 7};
    taut_particles_def def = taut_default_particles();
    def.count = 1;
    def.positions = m.start;
    def.fixed = &m.still;
    random_fill(&c->random, -spread, spread, 3, m.x);
    phys_add(1, about, m.x);
    random_fill(&c->random, 0, 2 * c->size, 3, m.start);
    random_fill(&c->random, -1, 1, 3, m.v);
    m.v[0] += c->wind;
    memcpy(c->x[c->particles], m.x, sizeof m.x);
    memcpy(c->v[c->particles++], m.v, sizeof m.v);
    CHECK_OK(taut_scene_add_particles(c->scene, &def, NULL));
    return m;
}

/* The edge between two motes, with the face that has it first, or one more triangle beside it. */
static void add_edge(cloud* c, uint32_t a, uint32_t b, const part* face, uint32_t beside) {
    part* edge = NULL;
    for (size_t e = 0; e < c->edges; e++) {
        part* at = &c->edge[e];
        const bool same = (at->corner[0] == a && at->corner[1] == b) || (at->corner[0] == b && at->corner[1] == a);
        edge = same ? at : edge;
    }
    if (edge == NULL) {
        edge = &c->edge[c->edges++];
        *edge = (part){.corner = {a, b}, .count = 2, .first_count = face->count, .surface = face->surface};
        memcpy(edge->first, face->corner, sizeof edge->first);
    }
    if (beside != UINT32_MAX) {
        edge->beside[edge->beside_count++] = beside;
    }
}

static void add_face(cloud* c, int count, const uint32_t* corner) {
    part face = {.count = count, .first_count = count, .surface = c->surfaces};
    memcpy(face.corner, corner, (size_t)count * sizeof *corner);
    memcpy(face.first, face.corner, sizeof face.first);
    c->face[c->faces++] = face;
    for (int i = 0; i < (count == 3 ? 3 : 1); i++) {
        add_edge(c, corner[i], corner[(i + 1) % count], &face, count == 3 ? corner[(i + 2) % 3] : UINT32_MAX);
    }
}

/* Corners are numbered as their points are: `base` is the first one. */
static void add_surface(cloud* c, taut_contact_surface_def* def, const mote* corners, uint32_t count, uint32_t base) {
    const uint32_t first = (uint32_t)c->motes;
    taut_range range = {0, 0};
    CHECK_OK(taut_scene_add_contact_surface(c->scene, def, &range));
    CHECK_INT(range.first, first);
    CHECK_INT(range.count, count);
    for (uint32_t i = 0; i < count; i++) {
        mote m = corners[i];
        m.surface = c->surfaces;
        m.self = def->self;
        m.group = def->group;
        m.mask = def->mask;
        m.radius = def->radius;
        add_mote(c, &m);
    }
    for (size_t t = 0; t < def->triangle_count; t++) {
        const uint32_t* at = def->triangles + 3 * t;
        add_face(c, 3, (const uint32_t[]){first + at[0] - base, first + at[1] - base, first + at[2] - base});
    }
    for (size_t i = 0; i < def->segment_count; i++) {
        const uint32_t* at = def->segments + 2 * i;
        add_face(c, 2, (const uint32_t[]){first + at[0] - base, first + at[1] - base});
    }
    c->surfaces++;
}

/* A fan of triangles about its first point, closed or not, and a tail of segments from its last one. */
static void add_patch(cloud* c, uint32_t triangles, uint32_t segments, bool closed, bool still, bool self) {
    const uint32_t rim = triangles > 0 ? triangles + !closed : 0, count = 1 + rim + segments;
    const uint32_t base = (uint32_t)c->particles;
    const double spread = 0.35 * c->size;
    uint32_t corners[3 * 16], ends[2 * 16];
    mote motes[48];
    double about[3];
    random_fill(&c->random, spread, c->size - spread, 3, about);
    for (uint32_t i = 0; i < count; i++) {
        motes[i] = add_particle(c, about, spread, still);
    }
    for (uint32_t t = 0; t < triangles; t++) {
        const uint32_t corner[3] = {0, 1 + t, 1 + (t + 1) % rim};
        for (uint32_t i = 0; i < 3; i++) {
            corners[3 * t + i] = base + corner[(i + t) % 3];
        }
    }
    for (uint32_t i = 0; i < 2 * segments; i++) {
        ends[i] = base + rim + (i + 1) / 2;
    }
    taut_contact_surface_def def = taut_default_contact_surface();
    def.triangle_count = triangles;
    def.triangles = triangles > 0 ? corners : NULL;
    def.segment_count = segments;
    def.segments = segments > 0 ? ends : NULL;
    def.radius = random_in(&c->random, 0.01, 0.04);
    def.self = self;
    def.group = 1u << c->surfaces % 3;
    def.mask = c->surfaces % 4 == 3 ? 5 : 7;
    add_surface(c, &def, motes, count, base);
}

static void add_points(cloud* c, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const double middle[3] = {c->size / 2, c->size / 2, c->size / 2};
        mote m = add_particle(c, middle, c->size / 2, i % 5 == 4);
        m.radius = random_in(&c->random, 0, 0.04);
        contact_touch(c->scene, 1, &m.owner, m.radius, 0);
        m.mask = UINT32_MAX;
        add_mote(c, &m);
    }
}

/* A body that spins, with contact points beside its centre and a triangle of mapped ones. Called last. */
static void add_body(cloud* c, phys_body* at, taut_body* handle) {
    double offsets[12], local[9], middle = c->size / 2;
    mote m[7];
    *at = phys_tumbling_body();
    for (int a = 0; a < 3; a++) {
        at->x[a] = middle;
        at->w[a] = 5 - 3 * a;
        at->v[a] = 0.3 * a;
    }
    *handle = phys_add_body(c->scene, at);
    random_fill(&c->random, -middle, middle, 12, offsets);
    random_fill(&c->random, -middle, middle, 9, local);
    contact_touch_body(c->scene, *handle, 4, offsets, 0.02, 0);
    for (int i = 0; i < 7; i++) {
        double arm[3];
        m[i] = (mote){.radius = 0.02, .owner = handle->point, .surface = NONE, .group = 1, .mask = UINT32_MAX};
        phys_rotate(at->q, i < 4 ? offsets + 3 * i : local + 3 * (i - 4), arm);
        phys_point_of(at, i < 4 ? offsets + 3 * i : local + 3 * (i - 4), m[i].x);
        memcpy(m[i].start, m[i].x, sizeof m[i].x);
        phys_cross(at->w, arm, m[i].v);
        phys_add(1, at->v, m[i].v);
        if (i < 4) {
            add_mote(c, &m[i]);
        }
    }
    const uint32_t mapped = phys_add_body_point(c->scene, *handle, m[4].x);
    phys_add_body_point(c->scene, *handle, m[5].x);
    phys_add_body_point(c->scene, *handle, m[6].x);
    taut_contact_surface_def def = taut_default_contact_surface();
    def.triangle_count = 1;
    def.triangles = (const uint32_t[]){mapped + 1, mapped, mapped + 2};
    def.radius = 0.02;
    add_surface(c, &def, m + 4, 3, mapped);
}

/* ---- the rule ------------------------------------------------------------------------------------------------------
 */

/* What a contact is between: motes with weights that are not 0, by their numbers, the first one's positive. */
typedef struct pair {
    bool edges;
    int count;
    uint32_t mote[4];
    double weight[4], normal[3];
} pair;

typedef struct pairs {
    size_t count;
    pair pair[MOST_FOUND];
} pairs;

static void add_pair(pairs* to, bool edges, const uint32_t* motes, const double* weights, int count,
                     const double normal[3]) {
    pair p = {.edges = edges};
    for (int i = 0; i < count; i++) {
        int at = p.count;
        if (motes[i] == UINT32_MAX || weights[i] == 0) {
            continue;
        }
        for (; at > 0 && p.mote[at - 1] > motes[i]; at--) {
            p.mote[at] = p.mote[at - 1];
            p.weight[at] = p.weight[at - 1];
        }
        p.mote[at] = motes[i];
        p.weight[at] = weights[i];
        p.count++;
    }
    const double sign = p.weight[0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
        p.weight[i] *= sign;
        p.normal[i % 3] = sign * normal[i % 3];
    }
    if (CHECK(to->count < MOST_FOUND)) {
        to->pair[to->count++] = p;
    }
}

static int compare_pairs(const void* a, const void* b) {
    const pair *x = a, *y = b;
    if (x->edges != y->edges || x->count != y->count) {
        return x->edges != y->edges ? x->edges - y->edges : x->count - y->count;
    }
    for (int i = 0; i < x->count; i++) {
        if (x->mote[i] != y->mote[i]) {
            return x->mote[i] < y->mote[i] ? -1 : 1;
        }
    }
    for (int i = 0; i < x->count; i++) { /* which of four corners are an edge */
        if ((x->weight[i] < 0) != (y->weight[i] < 0)) {
            return x->weight[i] < 0 ? -1 : 1;
        }
    }
    return 0;
}

static bool may_meet(const cloud* c, const uint32_t* a, int na, const uint32_t* b, int nb) {
    const mote *x = &c->mote[a[0]], *y = &c->mote[b[0]];
    bool apart = (x->group & y->mask) != 0 && (y->group & x->mask) != 0;
    bool stay = true;
    for (int i = 0; i < na; i++) {
        stay = stay && c->mote[a[i]].still;
        for (int k = 0; k < nb; k++) {
            apart = apart && c->mote[a[i]].owner != c->mote[b[k]].owner;
        }
    }
    for (int k = 0; k < nb; k++) {
        stay = stay && c->mote[b[k]].still;
    }
    return apart && !stay && (x->surface == NONE || x->surface != y->surface || x->self);
}

static bool all_still(const cloud* c, const uint32_t* motes, int count) {
    bool still = true;
    for (int i = 0; i < count; i++) {
        still = still && c->mote[motes[i]].still;
    }
    return still;
}

/* The gap that a pair may close: see reach_of_pair. */
static double reach_of(const cloud* c, const double v[3], const uint32_t* a, int na, const uint32_t* b, int nb,
                       bool folds) {
    double fastest = 0;
    for (int i = 0; i < na + nb; i++) {
        fastest = fmax(fastest, phys_length(c->mote[i < na ? a[i] : b[i - na]].v));
    }
    const double thickness = c->mote[a[0]].radius + c->mote[b[0]].radius;
    const double fall = all_still(c, a, na) || all_still(c, b, nb) ? 2 * c->h * c->h * c->gravity : 0;
    return c->margin + 2 * c->h * phys_length(v) + fmin(2 * c->h * fastest, folds ? INFINITY : thickness) + fall;
}

static bool is_near(const cloud* c, double distance, const double v[3], const uint32_t* a, int na, const uint32_t* b,
                    int nb, bool folds) {
    return distance - c->mote[a[0]].radius - c->mote[b[0]].radius <= reach_of(c, v, a, na, b, nb, folds);
}

/* Whether (p - q).(v - q) <= 0 for each mote v of a list. */
static bool none_nearer(const cloud* c, const double d[3], const double q[3], const uint32_t* motes, int count) {
    bool good = true;
    for (int i = 0; i < count; i++) {
        double to[3];
        vec3_sub(c->mote[motes[i]].x, q, to);
        good = good && phys_dot(d, to) <= 0;
    }
    return good;
}

/* Of a point and a face, edge or corner when the world was created. */
static double start_distance(const cloud* c, uint32_t p, const uint32_t* face, int count) {
    if (count == 1) {
        return phys_apart(c->mote[p].start, c->mote[face[0]].start);
    }
    double weight[3], d[3];
    const double *a = c->mote[face[0]].start, *b = c->mote[face[1]].start, *e = c->mote[face[count - 1]].start;
    if (count == 2) {
        near_on_segment(c->mote[p].start, a, b, weight);
    } else {
        near_on_triangle(c->mote[p].start, a, b, e, weight);
    }
    for (int i = 0; i < 3; i++) {
        d[i] = c->mote[p].start[i] - weight[0] * a[i] - weight[1] * b[i] - weight[2] * e[i];
    }
    return phys_length(d);
}

/* ---- layers: parts of one surface that start over each other may meet ---- */

static void start_area(const cloud* c, const uint32_t* corner, double area[3]) {
    double ab[3], ac[3];
    vec3_sub(c->mote[corner[1]].start, c->mote[corner[0]].start, ab);
    vec3_sub(c->mote[corner[2]].start, c->mote[corner[0]].start, ac);
    phys_cross(ab, ac, area);
}

/* Whether a direction is within 60 degrees of a normal, either way. */
static bool is_across(const double d[3], const double area[3]) {
    return phys_dot(area, area) > 0 && fabs(phys_dot(d, area)) >= 0.5 * phys_length(d) * phys_length(area);
}

/* Across the face, and across the mean of the triangles round the point. */
static bool point_starts_over(const cloud* c, uint32_t p, const part* where) {
    double weight[3], d[3], area[3], sum[3] = {0, 0, 0};
    if (where->first_count != 3) {
        return false;
    }
    const uint32_t* corner = where->first;
    near_on_triangle(c->mote[p].start, c->mote[corner[0]].start, c->mote[corner[1]].start, c->mote[corner[2]].start,
                     weight);
    memcpy(d, c->mote[p].start, sizeof d);
    for (int i = 0; i < 3; i++) {
        phys_add(-weight[i], c->mote[corner[i]].start, d);
    }
    for (size_t f = 0; f < c->faces; f++) {
        for (int i = 0; c->face[f].count == 3 && i < 3; i++) {
            if (c->face[f].corner[i] == p) {
                start_area(c, c->face[f].corner, area);
                phys_add(1, area, sum);
            }
        }
    }
    start_area(c, corner, area);
    return is_across(d, area) && is_across(d, sum);
}

/* The closest points of two segments when the world was created. */
static void start_between(const cloud* c, const part* e, const part* f, double d[3]) {
    const part* of[2] = {e, f};
    double along[2] = {0, 0}, least = INFINITY;
    if (!near_segments(c->mote[e->corner[0]].start, c->mote[e->corner[1]].start, c->mote[f->corner[0]].start,
                       c->mote[f->corner[1]].start, along)) {
        for (int i = 0; i < 4; i++) {
            const part *own = of[i / 2], *other = of[1 - i / 2];
            const uint32_t p = own->corner[i % 2];
            double weight[3];
            near_on_segment(c->mote[p].start, c->mote[other->corner[0]].start, c->mote[other->corner[1]].start, weight);
            const double apart = start_distance(c, p, other->corner, 2);
            if (apart < least) {
                least = apart;
                along[i / 2] = i % 2;
                along[1 - i / 2] = weight[1];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        const double *a = c->mote[e->corner[0]].start, *b = c->mote[e->corner[1]].start;
        const double *g = c->mote[f->corner[0]].start, *h = c->mote[f->corner[1]].start;
        d[i] = a[i] + along[0] * (b[i] - a[i]) - g[i] - along[1] * (h[i] - g[i]);
    }
}

/* Across all triangles beside both. */
static bool edges_start_over(const cloud* c, const part* e, const part* f) {
    const part* of[2] = {e, f};
    double d[3], area[3];
    bool over = e->beside_count + f->beside_count > 0;
    start_between(c, e, f, d);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < of[k]->beside_count; i++) {
            start_area(c, (const uint32_t[]){of[k]->corner[0], of[k]->corner[1], of[k]->beside[i]}, area);
            over = over && is_across(d, area);
        }
    }
    return over;
}

/* Whether an edge joins two motes. */
static bool are_joined(const cloud* c, uint32_t a, uint32_t b) {
    bool joined = false;
    for (size_t f = 0; f < c->faces && !joined; f++) {
        bool first = false, second = false;
        for (int i = 0; i < c->face[f].count; i++) {
            first = first || c->face[f].corner[i] == a;
            second = second || c->face[f].corner[i] == b;
        }
        joined = first && second;
    }
    return joined;
}

static int neighbours_of(const cloud* c, uint32_t mote_at) {
    int count = 0;
    for (uint32_t m = 0; m < c->motes; m++) {
        count += m != mote_at && are_joined(c, m, mote_at);
    }
    return count;
}

/* Whether a rope that goes on from `at`, coming from `before`, has mote b or a knot within `left` of it. */
static bool leads_to(const cloud* c, uint32_t before, uint32_t at, uint32_t b, double left) {
    bool leads = false;
    for (uint32_t m = 0; m < c->motes && !leads; m++) {
        const double length = phys_apart(c->mote[at].start, c->mote[m].start);
        if (m != at && m != before && length <= left && are_joined(c, at, m)) {
            const int beside = neighbours_of(c, m);
            leads = m == b || beside > 2 || (beside == 2 && leads_to(c, at, m, b, left - length));
        }
    }
    return leads;
}

/* Parts of one rope that start within their thickness may meet where they are farther apart along it than where it
 * turns back and touches itself. */
static bool start_as_layers_of_rope(const cloud* c, const uint32_t* a, int na, const uint32_t* b) {
    const double most = PHYS_PI / 2 * (c->mote[a[0]].radius + c->mote[b[0]].radius);
    bool near = false;
    for (int i = 0; i < 2 * na; i++) {
        near = near || leads_to(c, UINT32_MAX, a[i / 2], b[i % 2], most);
    }
    return !near;
}

/* Of a mote: whether it is between two segments, and in no triangle; and whether one of these ends beside p. */
static bool is_within_rope(const cloud* c, uint32_t corner, uint32_t p, bool* folds) {
    int segments = 0, triangles = 0;
    *folds = false;
    for (size_t f = 0; f < c->faces; f++) {
        const part* face = &c->face[f];
        for (int i = 0; i < face->count; i++) {
            if (face->corner[i] == corner) {
                segments += face->count == 2;
                triangles += face->count == 3;
                *folds = *folds || (face->count == 2 && are_joined(c, p, face->corner[1 - i]));
            }
        }
    }
    return segments == 2 && triangles == 0;
}

/* A point and a place of a face, edge or corner with these weights; `folds`: of a rope that may fold between them. */
static void try_place(const cloud* c, uint32_t p, const part* where, const uint32_t* motes, const double* weight,
                      int count, bool folds, pairs* to) {
    const mote* m = &c->mote[p];
    const bool same = m->surface != NONE && m->surface == where->surface;
    double d[3], v[3], all[4] = {1};
    uint32_t corner[4] = {p};
    memcpy(d, m->x, sizeof d);
    memcpy(v, m->v, sizeof v);
    for (int i = 0; i < count; i++) {
        phys_add(-weight[i], c->mote[motes[i]].x, d);
        phys_add(-weight[i], c->mote[motes[i]].v, v);
        corner[1 + i] = motes[i];
        all[1 + i] = -weight[i];
    }
    const double length = phys_length(d), normal[3] = {d[0] / length, d[1] / length, d[2] / length};
    if (may_meet(c, &p, 1, where->first, where->first_count) &&
        is_near(c, length, v, &p, 1, where->first, where->first_count, folds) &&
        (!same || start_distance(c, p, motes, count) > m->radius + c->mote[motes[0]].radius ||
         point_starts_over(c, p, where) ||
         (where->first_count == 2 && start_as_layers_of_rope(c, &p, 1, where->first)))) {
        add_pair(to, false, corner, all, 1 + count, normal);
    }
}

/* Weights of the foot of p on the plane of a triangle, by areas; whether it lies within. */
static bool foot_on_triangle(const cloud* c, const double p[3], const uint32_t* corner, double weight[3]) {
    double n[3], ab[3], ac[3];
    const double* x[3] = {c->mote[corner[0]].x, c->mote[corner[1]].x, c->mote[corner[2]].x};
    vec3_sub(x[1], x[0], ab);
    vec3_sub(x[2], x[0], ac);
    phys_cross(ab, ac, n);
    for (int i = 0; i < 3; i++) {
        double u[3], w[3], across[3];
        vec3_sub(x[(i + 1) % 3], p, u);
        vec3_sub(x[(i + 2) % 3], p, w);
        phys_cross(u, w, across);
        weight[i] = phys_dot(across, n) / phys_dot(n, n);
    }
    return weight[0] > 0 && weight[1] > 0 && weight[2] > 0;
}

static void place_on_edge(const cloud* c, const part* e, double along, double q[3]) {
    for (int a = 0; a < 3; a++) {
        q[a] = (1 - along) * c->mote[e->corner[0]].x[a] + along * c->mote[e->corner[1]].x[a];
    }
}

static void try_edge(const cloud* c, uint32_t p, const part* e, pairs* to) {
    double ab[3], ap[3], q[3], d[3];
    vec3_sub(c->mote[e->corner[1]].x, c->mote[e->corner[0]].x, ab);
    vec3_sub(c->mote[p].x, c->mote[e->corner[0]].x, ap);
    const double along = phys_dot(ab, ap) / phys_dot(ab, ab);
    place_on_edge(c, e, along, q);
    vec3_sub(c->mote[p].x, q, d);
    if (along > 0 && along < 1 && none_nearer(c, d, q, e->beside, e->beside_count)) {
        try_place(c, p, e, e->corner, (const double[]){1 - along, along}, 2, false, to);
    }
}

/* A corner belongs to the first face that has it; where a rope folds, so that a piece from it ends beside the point, to
 * the other one. Two corners meet once. */
static void try_corner(const cloud* c, uint32_t p, uint32_t corner, pairs* to) {
    const part *owner = NULL, *other = NULL;
    double d[3];
    bool good = c->mote[p].surface == NONE || p < corner, folded = false, folds;
    const bool rope = is_within_rope(c, corner, p, &folds);
    vec3_sub(c->mote[p].x, c->mote[corner].x, d);
    for (size_t f = c->faces; f-- > 0;) {
        const part* face = &c->face[f];
        for (int i = 0; i < face->count; i++) {
            if (face->corner[i] == corner) {
                const bool nearest = none_nearer(c, d, c->mote[corner].x, face->corner, face->count);
                const bool fold = rope && are_joined(c, p, face->corner[1 - i]);
                owner = face;
                other = nearest ? face : other;
                folded = folded || (fold && !nearest);
                good = good && (nearest || fold);
            }
        }
    }
    const part* where = folded ? other : owner;
    if (good && where != NULL) {
        try_place(c, p, where, &corner, (const double[]){1}, 1, rope && folds, to);
    }
}

static double start_of_edges(const cloud* c, const part* e, const part* f) {
    const double *a = c->mote[e->corner[0]].start, *b = c->mote[e->corner[1]].start;
    const double *g = c->mote[f->corner[0]].start, *h = c->mote[f->corner[1]].start;
    double along[2], d[3], least = INFINITY;
    if (near_segments(a, b, g, h, along)) {
        for (int i = 0; i < 3; i++) {
            d[i] = a[i] + along[0] * (b[i] - a[i]) - g[i] - along[1] * (h[i] - g[i]);
        }
        return phys_length(d);
    }
    for (int i = 0; i < 2; i++) {
        least = fmin(least, start_distance(c, e->corner[i], f->corner, 2));
        least = fmin(least, start_distance(c, f->corner[i], e->corner, 2));
    }
    return least;
}

/* How far d goes from an edge over the triangle to a corner beside it. */
static double way_over(const cloud* c, const double d[3], const part* e, uint32_t beside) {
    double ab[3], ac[3], area[3], over[3];
    vec3_sub(c->mote[e->corner[1]].x, c->mote[e->corner[0]].x, ab);
    vec3_sub(c->mote[beside].x, c->mote[e->corner[0]].x, ac);
    phys_cross(ab, ac, area);
    phys_cross(area, ab, over);
    return phys_dot(d, over) / phys_length(over);
}

/* Likewise for a place of the other edge; a triangle with a corner of that does not meet it, nor does one count that
 * turns away when its corner moves by `turn`, or that the place leaves when it moves by `slip`. */
static bool no_side_nearer(const cloud* c, const double d[3], const double q[3], const part* e, const part* other,
                           double turn, double slip) {
    bool good = true;
    for (int i = 0; i < e->beside_count; i++) {
        const bool shared = e->beside[i] == other->corner[0] || e->beside[i] == other->corner[1];
        double to[3];
        vec3_sub(c->mote[e->beside[i]].x, q, to);
        good = good && (shared || phys_dot(d, to) <= turn * phys_length(d) || way_over(c, d, e, e->beside[i]) <= slip);
    }
    return good;
}

/* By Cramer's rule for the way between both, square to both. */
static void try_edges(const cloud* c, const part* e, const part* f, pairs* to) {
    double ab[3], cd[3], ca[3], n[3], q[2][3], d[3], back[3], v[3] = {0, 0, 0}, across[3];
    vec3_sub(c->mote[e->corner[1]].x, c->mote[e->corner[0]].x, ab);
    vec3_sub(c->mote[f->corner[1]].x, c->mote[f->corner[0]].x, cd);
    vec3_sub(c->mote[f->corner[0]].x, c->mote[e->corner[0]].x, ca);
    phys_cross(ab, cd, n);
    phys_cross(ca, cd, across);
    const double s = phys_dot(across, n) / phys_dot(n, n);
    phys_cross(ca, ab, across);
    const double t = phys_dot(across, n) / phys_dot(n, n);
    place_on_edge(c, e, s, q[0]);
    place_on_edge(c, f, t, q[1]);
    vec3_sub(q[0], q[1], d);
    vec3_sub(q[1], q[0], back);
    const uint32_t corner[4] = {e->corner[0], e->corner[1], f->corner[0], f->corner[1]};
    const double weight[4] = {1 - s, s, t - 1, -t}, length = phys_length(d);
    for (int i = 0; i < 4; i++) {
        phys_add(weight[i], c->mote[corner[i]].v, v);
    }
    const bool within = s > 0 && s < 1 && t > 0 && t < 1;
    const double thickness = c->mote[corner[0]].radius + c->mote[corner[2]].radius;
    const double turn = reach_of(c, v, corner, 2, corner + 2, 2, false), slip = 2 * c->h * phys_length(v);
    if (within && may_meet(c, corner, 2, corner + 2, 2) && is_near(c, length, v, corner, 2, corner + 2, 2, false) &&
        no_side_nearer(c, d, q[1], f, e, turn, slip) && no_side_nearer(c, back, q[0], e, f, turn, slip) &&
        (e->surface != f->surface || start_of_edges(c, e, f) > thickness || edges_start_over(c, e, f) ||
         (e->beside_count == 0 && f->beside_count == 0 && start_as_layers_of_rope(c, e->corner, 2, f->corner)))) {
        add_pair(to, true, corner, weight, 4, (const double[]){d[0] / length, d[1] / length, d[2] / length});
    }
}

static void all_pairs(const cloud* c, pairs* to) {
    for (uint32_t p = 0; p < c->motes; p++) {
        for (size_t f = 0; f < c->faces; f++) {
            const part* face = &c->face[f];
            double weight[3];
            if (face->count == 3 && foot_on_triangle(c, c->mote[p].x, face->corner, weight)) {
                try_place(c, p, face, face->corner, weight, 3, false, to);
            }
        }
        for (size_t e = 0; e < c->edges; e++) {
            try_edge(c, p, &c->edge[e], to);
        }
        for (uint32_t corner = 0; corner < c->motes; corner++) {
            try_corner(c, p, corner, to);
        }
    }
    for (size_t e = 0; e < c->edges; e++) {
        for (size_t f = 0; f < e; f++) {
            try_edges(c, &c->edge[e], &c->edge[f], to);
        }
    }
}

/* ---- the comparison ------------------------------------------------------------------------------------------------
 */

/* Points in their order, then edges. */
static void read_pairs(taut_world* world, pairs* to) {
    taut_contact* contacts = phys_array(MOST_FOUND, sizeof *contacts);
    size_t count = 0;
    uint32_t last = 0;
    CHECK_OK(taut_world_read_contacts(world, MOST_FOUND, contacts, &count));
    CHECK(count <= MOST_FOUND);
    for (size_t i = 0; i < count && i < MOST_FOUND; i++) {
        const taut_contact* at = &contacts[i];
        const bool edges = at->touch == TAUT_TOUCH_EDGES;
        CHECK(at->point >= last); /* of edges UINT32_MAX */
        CHECK_INT(at->collider, UINT32_MAX);
        CHECK_INT(edges ? UINT32_MAX : at->corners[0], at->point);
        last = at->point;
        add_pair(to, edges, at->corners, at->weights, 4, at->normal);
    }
    free(contacts);
}

static void note_pair(const char* what, const pair* p) {
    test_note("%s: %s of %d motes, %u %u %u %u, weights %g %g %g %g", what, p->edges ? "edges" : "point", p->count,
              p->mote[0], p->mote[1], p->mote[2], p->mote[3], p->weight[0], p->weight[1], p->weight[2], p->weight[3]);
}

/* Both lists sorted: the same pairs, with the same weights and normals. */
static void compare_lists(pairs* found, pairs* expected) {
    size_t i = 0, k = 0;
    qsort(found->pair, found->count, sizeof *found->pair, compare_pairs);
    qsort(expected->pair, expected->count, sizeof *expected->pair, compare_pairs);
    while (i < found->count || k < expected->count) {
        const int order = i == found->count      ? 1
                          : k == expected->count ? -1
                                                 : compare_pairs(&found->pair[i], &expected->pair[k]);
        note_pair(order < 0   ? "too much"
                  : order > 0 ? "missing"
                              : "both",
                  order > 0 ? &expected->pair[k] : &found->pair[i]);
        CHECK_INT(order, 0);
        if (order == 0) {
            CHECK_NEAR(dense_max_difference(4, found->pair[i].weight, expected->pair[k].weight), 0, 1e-9);
            CHECK_NEAR(dense_max_difference(3, found->pair[i].normal, expected->pair[k].normal), 0, 1e-9);
        }
        i += order <= 0;
        k += order >= 0;
    }
    test_note(NULL);
}

/* Kinds of pairs: of edges, and of points by how many they meet. */
static void count_kinds(const pairs* p, int kinds[4]) {
    for (size_t i = 0; i < p->count; i++) {
        kinds[p->pair[i].edges ? 0 : p->pair[i].count - 1]++;
    }
}

/* One step, in which contacts are found where the cloud is now. They need not be solved well. */
static void check_cloud(taut_backend_kind backend, uint64_t seed, int patches, double size, double gravity,
                        int kinds[4]) {
    cloud* c = phys_array(1, sizeof *c);
    pairs *found = phys_array(1, sizeof *found), *expected = phys_array(1, sizeof *expected);
    phys_body body;
    taut_body handle;
    c->random.s = seed;
    c->size = size;
    c->h = 0.01;
    c->gravity = gravity;
    c->margin = seed % 3 == 0 ? 0.08 : 1e-4;
    c->wind = seed % 4 == 3 ? 5 : 0;
    c->scene = phys_empty_scene();
    for (int i = 0; i < patches; i++) {
        add_patch(c, (uint32_t)(i * 5 % 7), (uint32_t)(i % 3 + (i * 5 % 7 == 0)), i % 2 == 1 && i * 5 % 7 > 2,
                  i % 5 == 4, i % 3 != 2);
    }
    add_points(c, (uint32_t)patches);
    const size_t particles = c->particles;
    add_body(c, &body, &handle);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = -gravity;
    def.contact.capacity = MOST_FOUND;
    def.contact.margin = c->margin;
    def.contact.no_crossing_check = true; /* which adds contacts of its own */
    def.solver.max_iterations = 5;
    taut_world* world = phys_world(c->scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, particles, c->x[0]));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, particles, c->v[0]));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, handle.point, 1, body.v));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, handle.frame, 1, body.w));
    taut_world_step(world, c->h);
    all_pairs(c, expected);
    read_pairs(world, found);
    count_kinds(expected, kinds);
    compare_lists(found, expected);
    taut_world_destroy(world);
    free(c), free(found), free(expected);
}

/* `size`: the denser the cloud, the more of it meets. */
TAUT_TEST(contact_search, finds_what_all_pairs_do) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    int kinds[4] = {0};
    for (uint64_t seed = 1; seed <= (cuda ? 1 : 12); seed++) {
        check_cloud(backend, seed, cuda ? 5 : 20, cuda ? 0.25 : 0.45, seed % 2 == 0 ? 9.81 : 0, kinds);
    }
    test_note("%d pairs of edges; points with %d corners, %d edges, %d faces", kinds[0], kinds[1], kinds[2], kinds[3]);
    CHECK(kinds[0] > (cuda ? 5 : 500));
    for (int k = 1; k < 4; k++) {
        CHECK(kinds[k] > (cuda ? 0 : 50));
    }
    test_note(NULL);
}

/* ---- grids over each other -----------------------------------------------------------------------------------------
 */

/* A flat sheet of hexagons' or squares' triangles, turned in space by a random rotation, so that no coordinate is
 * exact. */
static phys_mesh turned_grid(size_t cells, const double turn[9]) {
    phys_mesh mesh = phys_grid(cells, cells, 0.1 * (double)cells, 0.1 * (double)cells, PHYS_ALTERNATING);
    for (size_t i = 0; i < mesh.point_count; i++) {
        double flat[3];
        memcpy(flat, mesh.points + 3 * i, sizeof flat);
        dense_apply(3, 3, turn, flat, mesh.points + 3 * i);
    }
    return mesh;
}

/* Adds the mesh at `shift`: a contact surface, or its points alone. */
static void add_shifted(taut_scene* scene, const phys_mesh* mesh, const double shift[3], double radius, bool surface) {
    double* x = phys_array(3 * mesh->point_count, sizeof *x);
    uint32_t* numbers = phys_array(3 * mesh->cell_count + mesh->point_count, sizeof *numbers);
    const uint32_t first = (uint32_t)taut_scene_particle_count(scene);
    taut_particles_def particles = taut_default_particles();
    particles.count = mesh->point_count;
    particles.positions = x;
    memcpy(x, mesh->points, 3 * mesh->point_count * sizeof *x);
    for (size_t i = 0; i < mesh->point_count; i++) {
        phys_add(1, shift, x + 3 * i);
    }
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    for (size_t i = 0; i < (surface ? 3 * mesh->cell_count : mesh->point_count); i++) {
        numbers[i] = first + (surface ? mesh->cells[i] : (uint32_t)i);
    }
    if (surface) {
        taut_contact_surface_def def = taut_default_contact_surface();
        def.triangle_count = mesh->cell_count;
        def.triangles = numbers;
        def.radius = radius;
        CHECK_OK(taut_scene_add_contact_surface(scene, &def, NULL));
    } else {
        contact_touch(scene, mesh->point_count, numbers, radius, 0);
    }
    free(x), free(numbers);
}

/* Points of `upper`, 0.02 over the sheet: each must have something to bear it, and no more than `most`. */
static void check_borne(taut_backend_kind backend, const phys_mesh* sheet, const phys_mesh* upper, const double turn[9],
                        bool surface, int most) {
    const double normal[3] = {turn[2], turn[5], turn[8]}, apart = 0.02;
    const double shift[3] = {apart * normal[0], apart * normal[1], apart * normal[2]};
    taut_scene* scene = phys_empty_scene();
    add_shifted(scene, sheet, (const double[]){0, 0, 0}, apart / 2, true);
    add_shifted(scene, upper, shift, apart / 2, surface);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    pairs* found = phys_array(1, sizeof *found);
    int* times = phys_array(sheet->point_count + upper->point_count, sizeof *times);
    CHECK_OK(taut_world_step(world, 1e-3));
    read_pairs(world, found);
    for (size_t i = 0; i < found->count; i++) {
        const pair* p = &found->pair[i];
        for (int k = 0; k < p->count; k++) {
            times[p->mote[k]] += fabs(p->weight[k]) > 0.9;
        }
        CHECK_NEAR(fabs(phys_dot(p->normal, normal)), 1, 1e-9);
    }
    for (size_t i = sheet->point_count; i < sheet->point_count + upper->point_count; i++) {
        test_note("point %zu: %d times", i, times[i]);
        CHECK(times[i] >= 1 && times[i] <= most);
    }
    test_note(NULL);
    free(times), free(found);
    taut_world_destroy(world);
}

/* An equal sheet, points over its points and over places of its edges, up to rounding. */
static void check_over_grid(taut_backend_kind backend, uint64_t seed, size_t cells) {
    random_state random = {seed};
    double turn[9];
    random_rotation(&random, turn);
    phys_mesh sheet = turned_grid(cells, turn);
    phys_tuples edges = phys_edges(&sheet);
    phys_mesh on_edges = phys_mesh_make(edges.count, 0, 3);
    for (size_t e = 0; e < edges.count; e++) {
        const double along = seed % 3 == 0 ? 0.5 : random_in(&random, 0, 1);
        for (size_t a = 0; a < 3; a++) {
            on_edges.points[3 * e + a] = (1 - along) * sheet.points[3 * edges.items[2 * e] + a] +
                                         along * sheet.points[3 * edges.items[2 * e + 1] + a];
        }
    }
    check_borne(backend, &sheet, &sheet, turn, true, 40);
    check_borne(backend, &sheet, &sheet, turn, false, 1);
    check_borne(backend, &sheet, &on_edges, turn, false, 1);
    free(edges.items);
    phys_mesh_free(&sheet);
    phys_mesh_free(&on_edges);
}

TAUT_TEST(contact_search, no_gap_over_edges_and_corners) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (uint64_t seed = 1; seed <= (cuda ? 1 : 12); seed++) {
        check_over_grid(backend, seed, cuda ? 2 : 10);
    }
}
