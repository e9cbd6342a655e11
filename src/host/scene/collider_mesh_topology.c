/* From triangles as a user gave them to a surface: who is across each edge, and which way is out. */
#define TAUT_REAL double
#include "base/small_math.h"
#include "base/status.h"
#include "host/scene/collider_meshes.h"
#include "model/backend.h"

#include <string.h>

/* Triangles that are lower than this part of their longest side have no normal that rounding leaves alone. */
#define LEAST_HEIGHT 1e-10

static size_t next_of(size_t half) {
    return half % 3 == 2 ? half - 2 : half + 1;
}

static size_t previous_of(size_t half) {
    return half % 3 == 0 ? half + 2 : half - 1;
}

/* ---- vertices in one place -------------------------------------------------------------------------------------- */

/* In the order of the numbers; both zeros are one. */
static uint64_t key_of(double value) {
    uint64_t bits;
    const double number = value + 0.0;
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

static bool one_place(const double* a, const double* b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* `first[v]`: the lowest vertex in the place of v. Sorting is stable, so one pass per axis orders all three. */
static taut_status merge_sorted(const taut_allocator* allocator, size_t vertices, const double* positions,
                                uint64_t* keys, uint32_t* order, uint32_t* first) {
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; i < vertices; i++) {
        order[i] = i;
    }
    for (size_t a = 3; status == TAUT_OK && a-- > 0;) {
        for (size_t i = 0; i < vertices; i++) {
            keys[i] = key_of(positions[3 * (size_t)order[i] + a]);
        }
        status = taut_cpu_backend.sort(-1, keys, order, vertices, allocator);
    }
    for (size_t i = 0; i < vertices; i++) {
        const bool again = i > 0 && one_place(positions + 3 * (size_t)order[i], positions + 3 * (size_t)order[i - 1]);
        first[order[i]] = again ? first[order[i - 1]] : order[i];
    }
    return status;
}

static taut_status merge_vertices(const taut_allocator* allocator, size_t vertices, const double* positions,
                                  uint32_t* first) {
    uint64_t* keys = taut_allocate(allocator, vertices * sizeof *keys);
    uint32_t* order = taut_allocate(allocator, vertices * sizeof *order);
    const taut_status status = keys != NULL && order != NULL
                                   ? merge_sorted(allocator, vertices, positions, keys, order, first)
                                   : TAUT_OUT_OF_MEMORY;
    taut_release(allocator, keys, vertices * sizeof *keys);
    taut_release(allocator, order, vertices * sizeof *order);
    return status;
}

/* ---- triangles -------------------------------------------------------------------------------------------------- */

static taut_status check_area(size_t index, const uint32_t* corners, const double* positions) {
    double sides[3][3], across[3], longest = 0;
    for (int i = 0; i < 3; i++) {
        vec3_sub(positions + 3 * (size_t)corners[(i + 1) % 3], positions + 3 * (size_t)corners[i], sides[i]);
        longest = fmax(longest, vec3_dot(sides[i], sides[i]));
    }
    vec3_cross(sides[0], sides[1], across);
    return sqrt(vec3_dot(across, across)) > LEAST_HEIGHT * longest
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: triangle %zu has no area.", index);
}

/* Those that are left when vertices are merged: triangles with a side of no length join their two neighbours. */
static taut_status keep_triangles(const uint32_t* first, const double* positions, size_t count,
                                  const uint32_t* triangles, mesh_topology* out) {
    taut_status status = TAUT_OK;
    for (size_t t = 0; status == TAUT_OK && t < count; t++) {
        uint32_t* to = out->corners + 3 * out->count;
        for (int i = 0; i < 3; i++) {
            to[i] = first[triangles[3 * t + (size_t)i]];
        }
        if (to[0] != to[1] && to[1] != to[2] && to[2] != to[0]) {
            status = check_area(t, to, positions);
            out->count++;
        }
    }
    return status;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static uint64_t edge_key(const mesh_topology* t, size_t half) {
    const uint64_t a = t->corners[half], b = t->corners[next_of(half)];
    return a < b ? a << 32 | b : b << 32 | a;
}

static taut_status pair_group(mesh_topology* t, bool open, const uint32_t* halves, size_t sides) {
    const uint32_t from = t->corners[halves[0]], to = t->corners[next_of(halves[0])];
    if (open && sides == 1) {
        t->across[halves[0]] = MESH_BORDER;
        return TAUT_OK;
    }
    if (sides != 2) {
        return taut_fail(
            TAUT_INVALID_ARGUMENT,
            "collider mesh: the edge between vertices %u and %u has %zu triangle%s; of %s surface it has %s.", from, to,
            sides, sides == 1 ? "" : "s", open ? "an open" : "a closed", open ? "1 or 2" : "2");
    }
    if (t->corners[halves[1]] == from) {
        return taut_fail(
            TAUT_INVALID_ARGUMENT,
            "collider mesh: the triangles on either side of the edge between vertices %u and %u are turned "
            "against each other.",
            from, to);
    }
    t->across[halves[0]] = halves[1];
    t->across[halves[1]] = halves[0];
    return TAUT_OK;
}

static taut_status pair_sorted(const taut_allocator* allocator, bool open, mesh_topology* t, uint64_t* keys,
                               uint32_t* halves) {
    const size_t count = 3 * t->count;
    for (size_t i = 0; i < count; i++) {
        keys[i] = edge_key(t, i);
        halves[i] = (uint32_t)i;
    }
    taut_status status = taut_cpu_backend.sort(-1, keys, halves, count, allocator);
    for (size_t i = 0, end = 0; status == TAUT_OK && i < count; i = end) {
        for (end = i + 1; end < count && keys[end] == keys[i]; end++) {
        }
        status = pair_group(t, open, halves + i, end - i);
    }
    return status;
}

static taut_status pair_edges(const taut_allocator* allocator, bool open, mesh_topology* t) {
    const size_t count = 3 * t->count;
    uint64_t* keys = taut_allocate(allocator, count * sizeof *keys);
    uint32_t* halves = taut_allocate(allocator, count * sizeof *halves);
    const taut_status status =
        keys != NULL && halves != NULL ? pair_sorted(allocator, open, t, keys, halves) : TAUT_OUT_OF_MEMORY;
    taut_release(allocator, keys, count * sizeof *keys);
    taut_release(allocator, halves, count * sizeof *halves);
    return status;
}

/* ---- which way is out -------------------------------------------------------------------------------------------- */

/* Volume by the divergence theorem, from one of its own vertices: far from the origin sums would cancel. */
static double volume_of(const mesh_topology* t, const double* positions) {
    const double* from = positions + 3 * (size_t)t->corners[0];
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        double a[3], b[3], c[3], n[3];
        vec3_sub(positions + 3 * (size_t)t->corners[3 * i], from, a);
        vec3_sub(positions + 3 * (size_t)t->corners[3 * i + 1], from, b);
        vec3_sub(positions + 3 * (size_t)t->corners[3 * i + 2], from, c);
        vec3_cross(a, b, n);
        sum += vec3_dot(n, c) / 6;
    }
    return sum;
}

/* Exchanges the last two corners: edge i of a triangle is then what edge 2 - i was. */
static void angular_over(mesh_topology* t) {
    for (size_t i = 0; i < t->count; i++) {
        uint32_t *corners = t->corners + 3 * i, *across = t->across + 3 * i;
        const uint32_t corner = corners[1], edge = across[0];
        corners[1] = corners[2];
        corners[2] = corner;
        across[0] = across[2];
        across[2] = edge;
    }
    for (size_t i = 0; i < 3 * t->count; i++) {
        const uint32_t half = t->across[i];
        t->across[i] = half - half % 3 + (2 - half % 3);
    }
}

static taut_status orient(mesh_topology* t, const double* positions) {
    const double volume = t->count > 0 ? volume_of(t, positions) : 0;
    if (!(volume != 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: its triangles enclose nothing.");
    }
    if (volume < 0) {
        angular_over(t);
    }
    return TAUT_OK;
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

void mesh_topology_release(const taut_allocator* allocator, size_t given, mesh_topology* t) {
    taut_release(allocator, t->corners, 3 * given * sizeof *t->corners);
    taut_release(allocator, t->across, 3 * given * sizeof *t->across);
    *t = (mesh_topology){0};
}

static taut_status make(const taut_allocator* allocator, bool open, size_t vertices, const double* positions,
                        size_t count, const uint32_t* triangles, uint32_t* first, mesh_topology* out) {
    taut_status status = merge_vertices(allocator, vertices, positions, first);
    if (status == TAUT_OK) {
        status = keep_triangles(first, positions, count, triangles, out);
    }
    if (status == TAUT_OK && out->count > 0) {
        status = pair_edges(allocator, open, out);
    }
    return status == TAUT_OK && !open ? orient(out, positions) : status;
}

taut_status mesh_topology_make(const taut_allocator* allocator, bool open, size_t vertices, const double* positions,
                               size_t count, const uint32_t* triangles, mesh_topology* out) {
    mesh_topology made = {0, taut_allocate(allocator, 3 * count * sizeof *made.corners),
                          taut_allocate(allocator, 3 * count * sizeof *made.across)};
    uint32_t* first = taut_allocate(allocator, vertices * sizeof *first);
    const bool capacity = made.corners != NULL && made.across != NULL && first != NULL;
    const taut_status status =
        capacity ? make(allocator, open, vertices, positions, count, triangles, first, &made) : TAUT_OUT_OF_MEMORY;
    taut_release(allocator, first, vertices * sizeof *first);
    if (status != TAUT_OK) {
        mesh_topology_release(allocator, count, &made);
        return status;
    }
    *out = made;
    return TAUT_OK;
}

/* ---- normals ----------------------------------------------------------------------------------------------------- */

static double* normal_of(double* normals, size_t triangle, size_t part) {
    return normals + 3 * (TAUT_MESH_PARTS * triangle + part);
}

static void unit(double v[3]) {
    const double length = sqrt(vec3_dot(v, v));
    for (int a = 0; a < 3; a++) {
        v[a] = length > 0 ? v[a] / length : 0; /* faces that lie on each other have no side */
    }
}

/* Of the sides that leave a corner. */
static double angle_at(const double corners[9], size_t i) {
    double to[3], from[3], across[3];
    vec3_sub(corners + 3 * ((i + 1) % 3), corners + 3 * i, to);
    vec3_sub(corners + 3 * ((i + 2) % 3), corners + 3 * i, from);
    vec3_cross(to, from, across);
    return atan2(sqrt(vec3_dot(across, across)), vec3_dot(to, from));
}

static void set_plane(const double corners[9], double normal[3]) {
    double ab[3], ac[3];
    vec3_sub(corners + 3, corners, ab);
    vec3_sub(corners + 6, corners, ac);
    vec3_cross(ab, ac, normal);
    unit(normal);
}

/* The triangles around a corner, as half-edges that leave it, from one of them on: surfaces that meet in that place
 * alone have a fan each. One of an open surface begins and ends at its border. */
typedef struct corner_fan {
    const mesh_topology* mesh;
    size_t first, at;
} corner_fan;

static corner_fan fan_of(const mesh_topology* t, size_t half) {
    size_t first = half;
    while (t->across[first] != MESH_BORDER && next_of(t->across[first]) != half) {
        first = next_of(t->across[first]);
    }
    first = t->across[first] == MESH_BORDER ? first : half;
    return (corner_fan){t, first, first};
}

/* False at the end; the fan is at its first triangle again then. */
static bool fan_next(corner_fan* fan) {
    const uint32_t next = fan->mesh->across[previous_of(fan->at)];
    fan->at = next == MESH_BORDER ? fan->first : next;
    return fan->at != fan->first;
}

static void set_fan(const mesh_topology* t, const double* corners, size_t half, uint8_t* done, double* normals) {
    double sum[3] = {0, 0, 0};
    corner_fan fan = fan_of(t, half);
    do {
        vec3_axpy(angle_at(corners + 9 * (fan.at / 3), fan.at % 3), normal_of(normals, fan.at / 3, TAUT_MESH_FACE),
                  sum);
    } while (fan_next(&fan));
    unit(sum);
    do {
        memcpy(normal_of(normals, fan.at / 3, TAUT_MESH_CORNER + fan.at % 3), sum, sizeof sum);
        done[fan.at] = 1;
    } while (fan_next(&fan));
}

taut_status mesh_normals(const taut_allocator* allocator, const mesh_topology* t, const double* positions,
                         double* corners, double* normals) {
    uint8_t* done = taut_allocate(allocator, 3 * t->count);
    if (done == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < 3 * t->count; i++) {
        memcpy(corners + 3 * i, positions + 3 * (size_t)t->corners[i], 3 * sizeof *corners);
    }
    for (size_t i = 0; i < t->count; i++) {
        set_plane(corners + 9 * i, normal_of(normals, i, TAUT_MESH_FACE));
    }
    for (size_t i = 0; i < 3 * t->count; i++) {
        double* edge = normal_of(normals, i / 3, TAUT_MESH_EDGE + i % 3);
        memset(edge, 0, 3 * sizeof *edge);
        vec3_axpy(1, normal_of(normals, i / 3, TAUT_MESH_FACE), edge);
        if (t->across[i] != MESH_BORDER) {
            vec3_axpy(1, normal_of(normals, t->across[i] / 3, TAUT_MESH_FACE), edge);
        }
        unit(edge);
        if (!done[i]) {
            set_fan(t, corners, i, done, normals);
        }
    }
    taut_release(allocator, done, 3 * t->count);
    return TAUT_OK;
}

/* ---- what sticks out --------------------------------------------------------------------------------------------- */

/* Sines: parts that turn less are flat, and edges that rise more along the normal of a corner leave it within a hollow.
 */
#define SALIENT_FLAT 1e-3
#define SALIENT_RISE 0.1

static void along_edge(const double* corners, size_t triangle, size_t from, size_t to, double along[3]) {
    vec3_sub(corners + 9 * triangle + 3 * to, corners + 9 * triangle + 3 * from, along);
    unit(along);
}

static uint32_t bits_of(uint32_t part, bool outside, bool inside, bool border) {
    return (outside || border ? TAUT_MESH_BIT(part) : 0) |
           (inside || border ? TAUT_MESH_BIT(part + TAUT_MESH_INSIDE) : 0) |
           (border ? TAUT_MESH_BIT(part + TAUT_MESH_BORDER) : 0);
}

/* Of a half-edge; of two the one with the lower number tells. */
static uint32_t salient_edge(const mesh_topology* t, const double* corners, double* normals, size_t half) {
    const uint32_t part = TAUT_MESH_EDGE + (uint32_t)(half % 3);
    double along[3], turn[3];
    if (t->across[half] == MESH_BORDER) {
        return bits_of(part, true, true, true);
    }
    along_edge(corners, half / 3, half % 3, (half % 3 + 1) % 3, along);
    vec3_cross(normal_of(normals, half / 3, TAUT_MESH_FACE), normal_of(normals, t->across[half] / 3, TAUT_MESH_FACE),
               turn);
    const double sine = half < t->across[half] ? vec3_dot(turn, along) : 0;
    return bits_of(part, sine > SALIENT_FLAT, sine < -SALIENT_FLAT, false);
}

/* Of the corner where a half-edge begins; of all that do the one with the lowest number tells, but that it is at a
 * border all do. */
static uint32_t salient_corner(const mesh_topology* t, const double* corners, double* normals, size_t half) {
    const double* normal = normal_of(normals, half / 3, TAUT_MESH_CORNER + half % 3);
    double most = -1, least = 1;
    bool border = false, tells = true;
    corner_fan fan = fan_of(t, half);
    do {
        for (size_t side = 1; side < 3; side++) {
            double along[3];
            along_edge(corners, fan.at / 3, fan.at % 3, (fan.at % 3 + side) % 3, along);
            most = fmax(most, vec3_dot(normal, along));
            least = fmin(least, vec3_dot(normal, along));
        }
        tells = tells && fan.at >= half;
        border = border || t->across[fan.at] == MESH_BORDER;
    } while (fan_next(&fan));
    const uint32_t part = TAUT_MESH_CORNER + (uint32_t)(half % 3);
    return tells
               ? bits_of(part, most < SALIENT_RISE && least<-SALIENT_FLAT, least> - SALIENT_RISE && most > SALIENT_FLAT,
                         border)
           : border ? TAUT_MESH_BIT(part + TAUT_MESH_BORDER)
                    : 0;
}

void mesh_salient(const mesh_topology* t, const double* corners, double* normals, uint32_t* salient) {
    memset(salient, 0, t->count * sizeof *salient);
    for (size_t i = 0; i < 3 * t->count; i++) {
        salient[i / 3] |= salient_edge(t, corners, normals, i) | salient_corner(t, corners, normals, i);
    }
}
