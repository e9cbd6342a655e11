/* The hull of a mesh that is convex: its corners, its edges as links between them, and its flat faces. */
#define TAUT_REAL double
#include "base/small_math.h"
#include "base/status.h"
#include "host/scene/collider_meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mesh is flat, and convex, up to this part of its size: positions in files have six or seven digits. */
#define FLAT 2e-6
/* Sine of the turn from which on a vertex of a face is a corner. */
#define TURN 1e-5

/* What is found of one mesh. */
typedef struct hull_draft {
    const mesh_topology* t;
    const double* positions;
    double size;               /* m */
    double* normal;            /* of each triangle, outwards */
    uint32_t *order, *face_of; /* triangles by size; the face of each one */
    uint32_t* number;          /* of each vertex among the corners of the hull */
    uint32_t* loop;            /* vertices around a face */
    uint32_t faces, corners;
    size_t vertices;
} hull_draft;

static const double* vertex(const hull_draft* d, size_t half) {
    return d->positions + 3 * (size_t)d->t->corners[half];
}

/* ---- whether it is convex ---------------------------------------------------------------------------------------- */

static void measure(hull_draft* d) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, diagonal[3];
    for (size_t i = 0; i < 3 * d->t->count; i++) {
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], vertex(d, i)[a]);
            high[a] = fmax(high[a], vertex(d, i)[a]);
        }
    }
    vec3_sub(high, low, diagonal);
    d->size = sqrt(vec3_dot(diagonal, diagonal));
    for (size_t i = 0; i < d->t->count; i++) {
        double ab[3], ac[3], n[3];
        vec3_sub(vertex(d, 3 * i + 1), vertex(d, 3 * i), ab);
        vec3_sub(vertex(d, 3 * i + 2), vertex(d, 3 * i), ac);
        vec3_cross(ab, ac, n);
        vec3_normalise(n, d->normal + 3 * i);
    }
}

/* How far a vertex is above the plane of a triangle. */
static double height(const hull_draft* d, size_t triangle, const double x[3]) {
    double up[3];
    vec3_sub(x, vertex(d, 3 * triangle), up);
    return vec3_dot(up, d->normal + 3 * triangle);
}

/* A closed surface is convex if every edge is. */
static bool edges_are_convex(const hull_draft* d) {
    bool convex = true;
    for (size_t half = 0; convex && half < 3 * d->t->count; half++) {
        const size_t across = d->t->across[half], beyond = across / 3 * 3 + (across + 2) % 3;
        convex = height(d, half / 3, vertex(d, beyond)) <= FLAT * d->size;
    }
    return convex;
}

/* Whether one can walk from any triangle to any other one; `order` and `face_of` are scratch. */
static bool is_one_piece(hull_draft* d) {
    size_t found = 1;
    memset(d->face_of, 0, d->t->count * sizeof *d->face_of);
    d->face_of[0] = 1;
    d->order[0] = 0;
    for (size_t next = 0; next < found; next++) {
        for (size_t i = 0; i < 3; i++) {
            const uint32_t beside = d->t->across[3 * (size_t)d->order[next] + i] / 3;
            if (d->face_of[beside] == 0) {
                d->face_of[beside] = 1;
                d->order[found++] = beside;
            }
        }
    }
    return found == d->t->count;
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* Triangles in one plane with a triangle, from it on over their edges. */
static void fill_face(hull_draft* d, uint32_t seed, uint32_t* stack) {
    size_t count = 1;
    stack[0] = seed;
    d->face_of[seed] = d->faces;
    while (count > 0) {
        const uint32_t triangle = stack[--count];
        for (size_t i = 0; i < 3; i++) {
            const size_t across = d->t->across[3 * (size_t)triangle + i], beside = across / 3;
            const double* beyond = vertex(d, beside * 3 + (across + 2) % 3);
            const bool along = vec3_dot(d->normal + 3 * (size_t)seed, d->normal + 3 * beside) > 0.9;
            if (d->face_of[beside] == UINT32_MAX && along && fabs(height(d, seed, beyond)) <= FLAT * d->size) {
                d->face_of[beside] = d->faces;
                stack[count++] = (uint32_t)beside;
            }
        }
    }
    d->faces++;
}

/* Whether `half` has another face on its other side. */
static bool is_rim(const hull_draft* d, size_t half) {
    return d->face_of[half / 3] != d->face_of[d->t->across[half] / 3];
}

/* The next half-edge of the rim of a face. */
static size_t next_on_rim(const hull_draft* d, size_t half) {
    size_t next = half / 3 * 3 + (half + 1) % 3;
    while (!is_rim(d, next)) {
        const size_t across = d->t->across[next];
        next = across / 3 * 3 + (across + 1) % 3;
    }
    return next;
}

/* Vertices where the rim turns, from the one at `first` on; how many. A rim that is not one loop has none. */
static size_t find_loop(const hull_draft* d, size_t first) {
    size_t count = 0, half = first, steps = 0;
    do {
        const size_t next = next_on_rim(d, half), after = next / 3 * 3 + (next + 1) % 3;
        double in[3], out[3], turn[3];
        vec3_sub(vertex(d, next), vertex(d, half), in);
        vec3_sub(vertex(d, after), vertex(d, next), out);
        vec3_cross(in, out, turn);
        if (vec3_dot(turn, turn) > TURN * TURN * vec3_dot(in, in) * vec3_dot(out, out)) {
            d->loop[count++] = d->t->corners[next];
        }
        half = next;
    } while (half != first && ++steps < 3 * d->t->count);
    return half == first && count >= 3 ? count : 0;
}

/* ---- the arrays -------------------------------------------------------------------------------------------------- */

static taut_status push(const taut_allocator* allocator, taut_buffer* buffer, size_t element, const void* value) {
    const taut_status status = taut_buffer_reserve(allocator, buffer, element, 1);
    if (status == TAUT_OK) {
        memcpy((char*)buffer->data + buffer->count++ * element, value, element);
    }
    return status;
}

/* Gives the corners of a loop numbers, and adds the face, with its edges as pairs of corners. */
static taut_status add_face(const taut_allocator* allocator, scene_meshes* to, hull_draft* d, size_t triangle,
                            size_t count, taut_buffer* pairs) {
    taut_hull_face face = {.count = (uint32_t)(count < TAUT_HULL_FACE_CORNERS ? count : TAUT_HULL_FACE_CORNERS)};
    taut_status status = TAUT_OK;
    memcpy(face.normal, d->normal + 3 * triangle, sizeof face.normal);
    face.offset = -INFINITY;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const double* x = d->positions + 3 * (size_t)d->loop[i];
        uint32_t* number = &d->number[d->loop[i]];
        face.offset = fmax(face.offset, vec3_dot(face.normal, x));
        if (*number == UINT32_MAX) {
            *number = d->corners++;
            status = push(allocator, &to->hull_corners, 3 * sizeof(double), x);
        }
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const uint32_t a = d->number[d->loop[i]], b = d->number[d->loop[(i + 1) % count]];
        const uint32_t both[2][2] = {{a, b}, {b, a}};
        status = push(allocator, pairs, sizeof both[0], both[0]);
        status = status == TAUT_OK ? push(allocator, pairs, sizeof both[1], both[1]) : status;
    }
    for (size_t i = 0; i < face.count; i++) {
        face.corner[i] = d->number[d->loop[i * count / face.count]];
    }
    return status == TAUT_OK ? push(allocator, &to->hull_faces, sizeof face, &face) : status;
}

static int by_pair(const void* left, const void* right) {
    const uint32_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Links of each corner, from the edges of faces, which have each one twice. */
static taut_status add_links(const taut_allocator* allocator, scene_meshes* to, uint32_t corners, taut_buffer* pairs) {
    uint32_t(*pair)[2] = pairs->data, begin = 0;
    taut_status status = TAUT_OK;
    size_t i = 0;
    qsort(pair, pairs->count, sizeof *pair, by_pair);
    for (uint32_t corner = 0; status == TAUT_OK && corner <= corners; corner++) {
        status = push(allocator, &to->hull_begins, sizeof begin, &begin);
        for (; status == TAUT_OK && i < pairs->count && pair[i][0] == corner; i++) {
            if (i == 0 || by_pair(pair[i - 1], pair[i]) != 0) {
                status = push(allocator, &to->hull_links, sizeof(uint32_t), &pair[i][1]);
                begin++;
            }
        }
    }
    return status;
}

static taut_status add_hull(const taut_allocator* allocator, scene_meshes* to, hull_draft* d, uint32_t* hull) {
    taut_hull made = {.first_corner = to->hull_corners.count,
                      .first_begin = to->hull_begins.count,
                      .first_link = to->hull_links.count,
                      .first_face = to->hull_faces.count};
    taut_buffer pairs = {0};
    taut_status status = TAUT_OK;
    for (size_t half = 0; status == TAUT_OK && half < 3 * d->t->count; half++) {
        const uint32_t face = d->face_of[half / 3];
        if (is_rim(d, half) && d->order[face] == UINT32_MAX) { /* the first one of a face that is not there yet */
            d->order[face] = (uint32_t)half;
            const size_t count = find_loop(d, half);
            status = count > 0 ? add_face(allocator, to, d, d->loop[d->t->count * 3 + face], count, &pairs) : status;
        }
    }
    made.corners = d->corners;
    made.faces = (uint32_t)(to->hull_faces.count - made.first_face);
    status = status == TAUT_OK ? add_links(allocator, to, d->corners, &pairs) : status;
    taut_buffer_release(allocator, &pairs);
    if (status == TAUT_OK && made.faces >= 4) {
        *hull = (uint32_t)to->hulls.count;
        status = push(allocator, &to->hulls, sizeof made, &made);
    }
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Faces from the largest triangles on, whose planes are the most exact; behind the loops of `loop` stands the triangle
 * that each one began with. */
static void find_faces(hull_draft* d, const double* twice_areas) {
    const size_t count = d->t->count;
    memset(d->face_of, 0xff, count * sizeof *d->face_of);
    for (double least = INFINITY; least > 0;) { /* areas by powers of four are order enough */
        double next = 0;
        for (size_t i = 0; i < count; i++) {
            if (d->face_of[i] == UINT32_MAX && twice_areas[i] >= least) {
                d->loop[3 * count + d->faces] = (uint32_t)i;
                fill_face(d, (uint32_t)i, d->order);
            } else if (d->face_of[i] == UINT32_MAX) {
                next = fmax(next, twice_areas[i]);
            }
        }
        least = next > 0 ? 0.25 * next : 0;
    }
}

static void measure_areas(const hull_draft* d, double* twice) {
    for (size_t i = 0; i < d->t->count; i++) {
        double ab[3], ac[3], n[3];
        vec3_sub(vertex(d, 3 * i + 1), vertex(d, 3 * i), ab);
        vec3_sub(vertex(d, 3 * i + 2), vertex(d, 3 * i), ac);
        vec3_cross(ab, ac, n);
        twice[i] = fmax(sqrt(vec3_dot(n, n)), 1e-300);
    }
}

taut_status mesh_hull_add(const taut_allocator* allocator, scene_meshes* meshes, const mesh_topology* t,
                          size_t vertices, const double* positions, uint32_t* hull) {
    const size_t count = t->count, numbers = 6 * count + vertices;
    hull_draft d = {.t = t, .positions = positions, .vertices = vertices};
    *hull = TAUT_NO_HULL;
    d.normal = taut_allocate(allocator, 4 * count * sizeof *d.normal);
    uint32_t* all = taut_allocate(allocator, numbers * sizeof *all);
    taut_status status = d.normal != NULL && all != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (status == TAUT_OK && count > 0) {
        d.order = all;
        d.face_of = d.order + count;
        d.loop = d.face_of + count; /* 4 count */
        d.number = d.loop + 4 * count;
        memset(d.number, 0xff, vertices * sizeof *d.number);
        measure(&d);
        if (edges_are_convex(&d) && is_one_piece(&d)) {
            measure_areas(&d, d.normal + 3 * count);
            find_faces(&d, d.normal + 3 * count);
            memset(d.order, 0xff, count * sizeof *d.order);
            status = add_hull(allocator, meshes, &d, hull);
        }
    }
    taut_release(allocator, all, numbers * sizeof *all);
    taut_release(allocator, d.normal, 4 * count * sizeof *d.normal);
    return status;
}
