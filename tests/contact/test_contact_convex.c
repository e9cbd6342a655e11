/* Convex shapes against a search over directions: the gap of two convex sets is the largest, over all unit vectors n,
 * of min n.a - max n.b, whether they are apart or overlap. The search has support functions of its own, from the
 * definitions of the shapes. */
#define TAUT_REAL double
#include "kernels/stages/contact/box_pair.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>
#include <string.h>

enum { BALL, CAPSULE, BOX, CYLINDER, CONE, HULL, TRIANGLE, SHAPES };

static const char* const names[SHAPES] = {"ball", "capsule", "box", "cylinder", "cone", "hull", "triangle"};

/* An octahedron with a tip of its own length each way, and a triangle. */
static const double octahedron[18] = {0.5, 0, 0, -0.3, 0, 0, 0, 0.4, 0, 0, -0.45, 0, 0, 0, 0.35, 0, 0, -0.6};
static const uint32_t octahedron_begin[7] = {0, 4, 8, 12, 16, 20, 24};
static const uint32_t octahedron_link[24] = {2, 3, 4, 5, 2, 3, 4, 5, 0, 1, 4, 5, 0, 1, 4, 5, 0, 1, 2, 3, 0, 1, 2, 3};
static taut_hull_face octahedron_face[8];
static const double triangle[9] = {0.5, 0.1, 0, -0.4, 0.3, 0.1, 0, -0.5, -0.1};
static const uint32_t triangle_begin[4] = {0, 2, 4, 6};
static const uint32_t triangle_link[6] = {1, 2, 0, 2, 0, 1};

static void fill_octahedron(void) {
    for (uint32_t i = 0; i < 8; i++) {
        taut_hull_face* face = &octahedron_face[i];
        const uint32_t x = i & 1u, y = 2 + (i >> 1 & 1u), z = 4 + (i >> 2 & 1u);
        const bool turned = ((i & 1u) + (i >> 1 & 1u) + (i >> 2 & 1u)) % 2 != 0;
        double ab[3], ac[3], n[3];
        face->count = 3;
        face->corner[0] = x;
        face->corner[1] = turned ? z : y;
        face->corner[2] = turned ? y : z;
        vec3_sub(octahedron + 3 * face->corner[1], octahedron + 3 * x, ab);
        vec3_sub(octahedron + 3 * face->corner[2], octahedron + 3 * x, ac);
        vec3_cross(ab, ac, n);
        vec3_normalise(n, face->normal);
        face->offset = vec3_dot(face->normal, octahedron + 3 * x);
    }
}

static convex shape_at(int shape, const double x[3], const double q[4]) {
    static const double sizes[SHAPES][3] = {{0, 0, 0}, {0, 0.5, 0}, {0.4, 0.25, 0.3}, {0.3, 0.4, 0}, {0.35, 0.4, 0}};
    static const double radii[SHAPES] = {0.4, 0.2};
    static const convex_core cores[SHAPES] = {CONVEX_POINT, CONVEX_SEGMENT, CONVEX_BOX,     CONVEX_CYLINDER,
                                              CONVEX_CONE,  CONVEX_HULL,    CONVEX_TRIANGLE};
    convex s = {.core = cores[shape], .radius = radii[shape], .reach = 0.8};
    fill_octahedron();
    memcpy(s.size, sizes[shape], sizeof s.size);
    memcpy(s.x, x, sizeof s.x);
    quat_axes(q, s.axis);
    s.corners = shape == HULL ? 6 : 3;
    s.faces = 8;
    s.corner = shape == HULL ? octahedron : triangle;
    s.begin = shape == HULL ? octahedron_begin : triangle_begin;
    s.to = shape == HULL ? octahedron_link : triangle_link;
    s.face = octahedron_face;
    return s;
}

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

/* The largest d.x of a shape, with its radius. */
static double largest(int shape, const convex* s, const double d[3]) {
    double l[3], most = -INFINITY;
    for (int a = 0; a < 3; a++) {
        l[a] = s->axis[a][0] * d[0] + s->axis[a][1] * d[1] + s->axis[a][2] * d[2];
    }
    const double across = hypot(l[0], l[1]);
    switch (shape) {
    case CAPSULE:
        most = fabs(l[2]) * s->size[1];
        break;
    case BOX:
        most = fabs(l[0]) * s->size[0] + fabs(l[1]) * s->size[1] + fabs(l[2]) * s->size[2];
        break;
    case CYLINDER:
        most = across * s->size[0] + fabs(l[2]) * s->size[1];
        break;
    case CONE:
        most = fmax(across * s->size[0] - l[2] * s->size[1], l[2] * s->size[1]);
        break;
    case HULL:
    case TRIANGLE:
        for (uint32_t i = 0; i < s->corners; i++) {
            most = fmax(most, l[0] * s->corner[3 * i] + l[1] * s->corner[3 * i + 1] + l[2] * s->corner[3 * i + 2]);
        }
        break;
    default:
        most = 0;
    }
    return most + s->radius + d[0] * s->x[0] + d[1] * s->x[1] + d[2] * s->x[2];
}

typedef struct pair {
    int shape[2];
    convex s[2];
} pair;

static double gap_along(const pair* p, const double n[3]) {
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -largest(p->shape[0], &p->s[0], back) - largest(p->shape[1], &p->s[1], n);
}

/* Over a sphere of directions, then ever closer about the best ones. */
static double searched_gap(const pair* p, random_state* state) {
    enum { DIRECTIONS = 4000, BEST = 8, ROUNDS = 5000 };
    double best[BEST][3], gaps[BEST];
    for (int i = 0; i < BEST; i++) {
        gaps[i] = -INFINITY;
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        const double z = 1 - 2 * (i + 0.5) / DIRECTIONS, r = sqrt(1 - z * z), turn = 2.399963229728653 * i;
        const double n[3] = {r * cos(turn), r * sin(turn), z}, gap = gap_along(p, n);
        int least = 0;
        for (int k = 1; k < BEST; k++) {
            least = gaps[k] < gaps[least] ? k : least;
        }
        if (gap > gaps[least]) {
            gaps[least] = gap;
            memcpy(best[least], n, sizeof n);
        }
    }
    double most = -INFINITY;
    for (int k = 0; k < BEST; k++) {
        double spread = 0.05;
        for (int i = 0; i < ROUNDS; i++) {
            double n[3];
            random_fill(state, -spread, spread, 3, n);
            vec3_axpy(1, best[k], n);
            const double length = dense_norm(3, n);
            for (int a = 0; a < 3; a++) {
                n[a] /= length;
            }
            const double gap = gap_along(p, n);
            if (gap > gaps[k]) {
                gaps[k] = gap;
                memcpy(best[k], n, sizeof n);
            } else {
                spread *= 0.996;
            }
            spread = fmax(spread, 1e-9);
        }
        most = fmax(most, gaps[k]);
    }
    return most;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static pair random_pair(int a, int b, double spread, random_state* state) {
    pair p = {.shape = {a, b}};
    for (int i = 0; i < 2; i++) {
        double x[3], q[4];
        random_fill(state, -spread, spread, 3, x);
        random_fill(state, -1, 1, 4, q);
        quat_normalise(q, q);
        p.s[i] = shape_at(p.shape[i], x, q);
    }
    return p;
}

static void manifold(const pair* p, double most, contact_manifold* m) {
    if (p->shape[0] == BOX && p->shape[1] == BOX) {
        const last_patch none = {BOX_NEW, 0};
        manifold_of_boxes(&p->s[0], &p->s[1], none, most, m);
    } else {
        manifold_of(&p->s[0], &p->s[1], 0, most, m);
    }
}

static double least_gap(const contact_manifold* m) {
    double least = INFINITY;
    for (uint32_t i = 0; i < m->count; i++) {
        least = fmin(least, m->point[i].gap);
    }
    return least;
}

/* Distance of a place from a shape, negative inside. */
static double distance_from(const pair* p, int which, const double x[3], random_state* state) {
    const double q[4] = {1, 0, 0, 0};
    pair point = {.shape = {BALL, p->shape[which]}};
    point.s[0] = shape_at(BALL, x, q);
    point.s[0].radius = 0;
    point.s[1] = p->s[which];
    return searched_gap(&point, state);
}

static void check_pair(const pair* p, random_state* state) {
    contact_manifold m = {.count = 0};
    const double oracle = searched_gap(p, state);
    manifold(p, 10, &m);
    if (!CHECK(m.count > 0 && m.count <= MANIFOLD_MOST)) {
        return;
    }
    CHECK_NEAR(dense_norm(3, m.normal), 1, 1e-12);
    const double along = gap_along(p, m.normal);
    const bool boxes = p->shape[0] == BOX && p->shape[1] == BOX;
    const double slack = boxes ? 2e-3 : 2e-4; /* faces are preferred, though the gap along them is a little less */
    CHECK((oracle > 0 && boxes ? along > -slack : along >= oracle - slack) || !CHECK_NEAR(along, oracle, slack));
    CHECK((boxes && along > 0) || CHECK_NEAR(least_gap(&m), along, 2e-3));
    for (uint32_t i = 0; i < m.count;
         i++) { /* half way between both; thin shapes may be overlapped from side to side */
        const double off = 0.5 * m.point[i].gap;
        if (i % 3 == 0) {
            for (int which = 0; which < 2; which++) {
                const double off_shape = distance_from(p, which, m.point[i].x, state);
                CHECK(off_shape <= fabs(off) + 5e-3 || !CHECK_NEAR(off_shape, fabs(off), 5e-3));
            }
        }
        for (uint32_t k = 0; k < i; k++) {
            CHECK(m.point[i].feature != m.point[k].feature);
        }
    }
    const pair turned = {{p->shape[1], p->shape[0]}, {p->s[1], p->s[0]}};
    contact_manifold back = {.count = 0};
    manifold(&turned, 10, &back);
    CHECK_NEAR(gap_along(&turned, back.normal), along, boxes ? 2e-3 : 4e-4);
}

static void check_shapes(int a, int b, uint64_t seed) {
    random_state state = {seed};
    for (int i = 0; i < 12; i++) {
        const pair p = random_pair(a, b, i % 3 == 0 ? 0.25 : i % 3 == 1 ? 0.5 : 0.9, &state);
        test_note("%s and %s, pose %d", names[a], names[b], i);
        check_pair(&p, &state);
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(contact_convex, gap_is_the_largest_over_directions) {
    for (int a = 0; a < SHAPES; a++) {
        for (int b = a; b < SHAPES; b++) {
            check_shapes(a, b, 100u * (unsigned)a + (unsigned)b);
        }
    }
}

/* Boxes and cylinders that lie on the side of a cylinder, with overlaps and gaps of up to 0.1 mm, and axes that are
 * parallel but for some 10^-12, so that faces of their difference are almost in one plane. Some boxes were told to be
 * 0.7 to 1.4 m deep in it. */
TAUT_PLAIN_TEST(contact_convex, almost_parallel_beside_cylinders) {
    random_state state = {11};
    for (int i = 0; i < 20000; i++) {
        double value[6], turn[4], tilt[4], q[4], n[3];
        random_fill(&state, -1, 1, 6, value);
        const double small = pow(10, -13 + i % 6), gap = i % 3 == 0 ? 1e-6 * value[1] : 1e-4 * value[1];
        const double upright[4] = {1, 0, 0, 0}, origin[3] = {0, 0, 0};
        const double turned[3] = {0, 0, 3 * value[0]}, tilted[3] = {small * value[2], small * value[3], 0};
        const int shape = i % 2 == 0 ? BOX : CYLINDER;
        quat_exp(turned, turn);
        quat_exp(tilted, tilt);
        quat_multiply(tilt, turn, q);
        const convex cylinder = shape_at(CYLINDER, origin, upright);
        convex other = shape_at(shape, origin, q);
        vec3_axpy(cylinder.size[0] + other.size[0] + gap, other.axis[0], other.x);
        vec3_axpy(0.5 * value[4], other.axis[2], other.x);
        const pair p = {{shape, CYLINDER}, {other, cylinder}};
        test_note("pose %d: %s, gap %g, tilt %g", i, names[shape], gap, small);
        CHECK(convex_direction(&p.s[0], &p.s[1], 0.1, n));
        CHECK_NEAR(gap_along(&p, n), gap, 1e-6);
    }
    test_note(NULL);
}

/* Half way along the edge of a box that is farthest in direction d, square to its axis `along`. */
static void edge_facing(const convex* s, int along, const double d[3], double out[3]) {
    memcpy(out, s->x, 3 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        const double part = i == along ? 0 : vec3_dot(s->axis[i], d) > 0 ? s->size[i] : -s->size[i];
        vec3_axpy(part, s->axis[i], out);
    }
}

/* Boxes whose edges cross at a known distance, along both edges' normal: there four places of the difference of both
 * lie in one plane, and only rounding tells which is nearest. */
TAUT_PLAIN_TEST(contact_convex, crossing_edges_have_their_distance) {
    random_state state = {7};
    for (int i = 0; i < 20000; i++) {
        const double gap = pow(10, -5 + i % 4);
        pair p = random_pair(BOX, BOX, 0.5, &state);
        double n[3], own[3], other[3], shift[2];
        vec3_cross(p.s[0].axis[i % 3], p.s[1].axis[i / 3 % 3], n);
        vec3_normalise(n, n);
        const double back[3] = {-n[0], -n[1], -n[2]};
        random_fill(&state, -0.2, 0.2, 2, shift);
        edge_facing(&p.s[0], i % 3, back, own);
        edge_facing(&p.s[1], i / 3 % 3, n, other);
        vec3_axpy(shift[0], p.s[0].axis[i % 3], own);
        vec3_axpy(shift[1], p.s[1].axis[i / 3 % 3], other);
        for (int a = 0; a < 3; a++) {
            p.s[0].x[a] += other[a] + gap * n[a] - own[a];
        }
        test_note("pose %d", i);
        CHECK(convex_direction(&p.s[0], &p.s[1], 0.1, n));
        CHECK_NEAR(gap_along(&p, n), gap, 1e-7);
    }
    test_note(NULL);
}

/* The largest gap of two boxes along the normals of faces of A, of B, and along products of their edges. */
static void box_gaps(const pair* p, double best[3]) {
    best[0] = best[1] = best[2] = -INFINITY;
    for (int i = 0; i < 15; i++) {
        const int kind = i < 3 ? 0 : i < 6 ? 1 : 2;
        double n[3], back[3];
        if (kind < 2) {
            memcpy(n, p->s[kind].axis[i % 3], sizeof n);
        } else {
            vec3_cross(p->s[0].axis[(i - 6) / 3], p->s[1].axis[i % 3], n);
            vec3_normalise(n, n);
        }
        for (int k = 0; k < 3; k++) {
            back[k] = -n[k];
        }
        best[kind] = fmax(best[kind], fmax(gap_along(p, n), gap_along(p, back)));
    }
}

/* Whether a normal is an axis of one of two boxes. */
static bool is_of_face(const pair* p, const double n[3]) {
    bool is = false;
    for (int i = 0; i < 6; i++) {
        is = is || fabs(vec3_dot(n, p->s[i / 3].axis[i % 3])) > 1 - 1e-12;
    }
    return is;
}

/* The upper one of two equal boxes, aside by x along both edges and turned by so much, on the lower one. */
static void boxes_on_each_other(double aside, double turn, last_patch last, contact_manifold* m) {
    const double under[3] = {0, 0, 0}, straight[4] = {1, 0, 0, 0}, q[4] = {cos(turn / 2), 0, 0, sin(turn / 2)};
    double above[3] = {aside, aside, 0};
    const convex a = shape_at(BOX, under, straight);
    above[2] = 2 * a.size[2] - 1e-5;
    const convex b = shape_at(BOX, above, q);
    manifold_of_boxes(&a, &b, last, 0.1, m);
}

/* Edges that lie along each other cross where the least turn says: no place comes or goes by that, nor where a side is
 * clipped beside the edges, from which it has to move away. */
TAUT_PLAIN_TEST(contact_convex, boxes_on_each_other_keep_their_places) {
    const double least = 2 * 0.25 * MANIFOLD_BESIDE, asides[] = {0, least, 2 * least, 0.05};
    for (size_t i = 0; i < sizeof asides / sizeof *asides; i++) {
        last_patch last = {BOX_NEW, 0};
        contact_manifold first, m;
        boxes_on_each_other(asides[i] + 1e-8, 0, last, &first);
        last.touch = box_touch_of(first.point[0].feature);
        for (uint32_t k = 0; k < first.count; k++) {
            last.cuts |= cut_of(first.point[k].feature);
        }
        for (int turn = -2; turn <= 2; turn++) {
            test_note("%g m aside, turned by %d nrad", asides[i], turn);
            boxes_on_each_other(asides[i] + 1e-9 * turn, 1e-9 * turn, last, &m);
            CHECK_INT((int)first.count, 4);
            CHECK_INT((int)m.count, 4);
            for (uint32_t k = 0; k < m.count && k < first.count; k++) {
                CHECK_INT((int)m.point[k].feature, (int)first.point[k].feature);
            }
        }
    }
    test_note(NULL);
}

/* Boxes that overlap a little less along their edges than along a face touch with what they touched with last. */
TAUT_PLAIN_TEST(contact_convex, boxes_keep_what_they_touch_with) {
    random_state state = {11};
    int found = 0;
    for (int i = 0; i < 300000 && found < 10; i++) {
        const pair p = random_pair(BOX, BOX, 0.45, &state);
        const double slack = 1e-3 * p.s[0].reach;
        double gap[3];
        box_gaps(&p, gap);
        const double beyond = gap[2] - fmax(gap[0], gap[1]);
        if (gap[2] > -1e-3 || !(beyond > 1.1 * slack && beyond < 1.9 * slack)) {
            continue;
        }
        const box_touch face = gap[0] > gap[1] ? BOX_FACE_OF_A : BOX_FACE_OF_B, touches[] = {BOX_NEW, face, BOX_EDGES};
        for (int k = 0; k < 3; k++) {
            const last_patch last = {touches[k], 0};
            contact_manifold m = {.count = 0};
            manifold_of_boxes(&p.s[0], &p.s[1], last, 0.1, &m);
            test_note("pose %d, which touched with %d", i, last.touch);
            CHECK(m.count > 0);
            CHECK_INT(is_of_face(&p, m.normal), last.touch == face);
            CHECK_INT(box_touch_of(m.point[0].feature), last.touch == face ? face : BOX_EDGES);
        }
        found++;
    }
    test_note(NULL);
    CHECK_INT(found, 10);
}

/* Every shape, turned by some angle about z, on the top of a box, and a little above it or in it: the normal is up, and
 * gaps are known. */
TAUT_PLAIN_TEST(contact_convex, shapes_at_rest_on_a_box) {
    static const struct {
        int shape;
        double tilt; /* about x, rad */
        double height;
        uint32_t contacts;
    } rests[] = {
        {BOX, 0, 0.3, 4},
        {CYLINDER, 0, 0.4, 12},
        {CYLINDER, 1.5707963267948966, 0.3, 2},
        {CONE, 0, 0.4, 12},
        {CAPSULE, 1.5707963267948966, 0.2, 2},
        {CAPSULE, 0, 0.7, 1},
        {BALL, 0, 0.4, 1},
    };
    const double gaps[] = {-1e-3, -1e-9, 0, 1e-12, 1e-6, 1e-3};
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        for (size_t k = 0; k < 6 * sizeof gaps / sizeof *gaps; k++) {
            const double gap = gaps[k % 6], turn = 0.31 * (double)(k / 6);
            const double q[4] = {cos(rests[i].tilt / 2), sin(rests[i].tilt / 2), 0, 0};
            const double about[4] = {cos(turn / 2), 0, 0, sin(turn / 2)};
            const double x[3] = {0.05, -0.04, rests[i].height + gap}, none[4] = {1, 0, 0, 0};
            double placed[4];
            quat_multiply(about, q, placed);
            pair p = {.shape = {rests[i].shape, BOX}};
            p.s[0] = shape_at(rests[i].shape, x, placed);
            p.s[1] = shape_at(BOX, (const double[]){0, 0, -0.5}, none);
            p.s[1].size[0] = p.s[1].size[1] = 1;
            p.s[1].size[2] = 0.5;
            p.s[1].reach = 1.5;
            contact_manifold m = {.count = 0};
            manifold(&p, 0.01, &m);
            test_note("%s tilted by %g, turned by %g, gap %g", names[rests[i].shape], rests[i].tilt, turn, gap);
            CHECK_INT(m.count, rests[i].contacts);
            CHECK_NEAR(m.normal[2], 1, 1e-9);
            for (uint32_t c = 0; c < m.count; c++) {
                CHECK_NEAR(m.point[c].gap, gap, 1e-9);
                CHECK_NEAR(m.point[c].x[2], 0.5 * gap, 1e-9);
            }
        }
    }
    test_note(NULL);
}
