/* Signed distances to closed meshes: against shapes that have formulas, against a search over all triangles with the
 * side from solid angles, against themselves; and grids of them. */
#define TAUT_REAL double
#include "kernels/stages/contact/mesh_distance.h"

#include "closed_meshes.h"
#include "dense_matrix.h"
#include "phys_frames.h"

#include "host/scene/scene_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one mesh in a scene ----------------------------------------------------------------------------------------- */

typedef struct measured {
    taut_scene* scene;
    taut_fields fields;
    taut_mesh mesh;
    double* values;
} measured;

static measured measure(const phys_mesh* mesh, double spacing) {
    measured m = {.scene = phys_empty_scene()};
    closed_add(m.scene, mesh, spacing);
    const scene_meshes* all = &m.scene->contact.meshes;
    m.mesh = *(const taut_mesh*)all->list.data;
    m.fields.mesh_corner = all->corners.data;
    m.fields.mesh_normal = all->normals.data;
    m.fields.mesh_box = all->boxes.data;
    if (spacing > 0) {
        CHECK_OK(mesh_grid_plan(all, 0, &m.mesh));
        m.fields.mesh_value = m.values = phys_array(mesh_grid_values(&m.mesh), sizeof *m.values);
        mesh_grid_fill(all, &m.mesh, m.values);
    }
    return m;
}

static double distance_of(const measured* m, const double p[3], double normal[3]) {
    return mesh_distance(&m->fields, &m->mesh, p, normal);
}

static double value_of(const measured* m, const double p[3]) {
    double normal[3];
    return distance_of(m, p, normal);
}

static void measured_free(measured* m) {
    taut_scene_destroy(m->scene);
    free(m->values);
}

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

static const double half[3] = {0.5, 0.9, 0.2};

/* Inside, the nearest side is that of the box unless two are as near. */
TAUT_PLAIN_TEST(mesh_distance, of_a_cube_is_that_of_a_box) {
    phys_mesh cube = closed_box(half);
    measured m = measure(&cube, 0);
    random_state state = {81};
    for (int i = 0; i < 2000; i++) {
        double p[3], normal[3], expected[3];
        random_fill(&state, -1.2, 1.2, 3, p);
        const double distance = distance_of(&m, p, normal), formula = box_distance(half, p, expected);
        test_note("at %g %g %g", p[0], p[1], p[2]);
        CHECK_NEAR(distance, formula, 1e-14);
        CHECK_NEAR(dense_norm(3, normal), 1, 1e-14);
        CHECK_NEAR(dense_max_difference(3, normal, expected), 0, fabs(distance) > 1e-3 ? 1e-12 : 1e-9);
    }
    test_note(NULL);
    measured_free(&m);
    phys_mesh_free(&cube);
}

/* The mesh lies between the ball through its corners and the one that touches its sides, and so do distances. */
TAUT_PLAIN_TEST(mesh_distance, of_a_ball_is_within_its_sagitta) {
    for (int cuts = 0; cuts < 4; cuts++) {
        phys_mesh ball = closed_ball(cuts, 1);
        measured m = measure(&ball, 0);
        random_state state = {82};
        double inner = 1;
        for (size_t t = 0; t < ball.cell_count; t++) {
            double n[3];
            phys_area_vector(&ball, ball.cells + 3 * t, n);
            inner = fmin(inner, dense_dot(3, n, ball.points + 3 * ball.cells[3 * t]) / dense_norm(3, n));
        }
        CHECK(inner < 1 && inner > 1 - 0.3 / (1 << 2 * cuts));
        for (int i = 0; i < 500; i++) {
            double p[3], normal[3];
            random_fill(&state, -1.5, 1.5, 3, p);
            const double radius = dense_norm(3, p), distance = distance_of(&m, p, normal);
            CHECK(distance >= radius - 1 - 1e-14 && distance <= radius - inner + 1e-14);
            /* both ends of the shortest way lie between the balls: its angle with the radius is bounded by that */
            if (radius > 1) {
                CHECK(dense_dot(3, normal, p) / radius >= (radius - 1) / (radius - inner));
            }
        }
        measured_free(&m);
        phys_mesh_free(&ball);
    }
}

/* ---- a search ---------------------------------------------------------------------------------------------------- */

/* The side that the plane of a nearest triangle tells, which is what edges and corners get wrong. */
static double naive_sign(const measured* m, const double p[3]) {
    double off[3], least = INFINITY, sign = 0;
    for (uint32_t t = 0; t < m->mesh.triangles; t++) {
        const double* corner = m->fields.mesh_corner + 9 * t;
        off_triangle(corner, p, off);
        if (dense_dot(3, off, off) < least * (1 - 1e-12)) {
            least = dense_dot(3, off, off);
            sign = copysign(1, dense_dot(3, off, m->fields.mesh_normal + (size_t)3 * TAUT_MESH_PARTS * t));
        }
    }
    return sign;
}

/* Near a corner, near the middle of an edge, or anywhere. */
static void place_near(const phys_mesh* mesh, int i, random_state* state, double p[3]) {
    static const double reach[] = {0.3, 0.03, 1e-3, 1e-5, 1e-7};
    const size_t t = (size_t)random_in(state, 0, (double)mesh->cell_count * 0.999999);
    const double *a = mesh->points + 3 * mesh->cells[3 * t], *b = mesh->points + 3 * mesh->cells[3 * t + 1];
    const double along = i % 3 == 0 ? 0 : random_in(state, 0, 1), far = i % 3 == 2 ? 1 : reach[i / 3 % 5];
    random_fill(state, -far, far, 3, p);
    for (int k = 0; k < 3; k++) {
        p[k] += a[k] + along * (b[k] - a[k]);
    }
}

/* `naive`: at least so many places where the plane of the nearest triangle would tell the wrong side. */
static void check_searched(const char* name, const phys_mesh* mesh, int count, int naive) {
    measured m = measure(mesh, 0);
    random_state state = {83};
    double p[3];
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        place_near(mesh, i, &state, p);
        const double expected = closed_distance(mesh, p);
        test_note("%s, place %d: %.17g %.17g %.17g, winding %g", name, i, p[0], p[1], p[2], closed_winding(mesh, p));
        CHECK_NEAR(value_of(&m, p), expected, 4e-15 + 4e-13 * fabs(expected));
        wrong += naive_sign(&m, p) != copysign(1, expected);
    }
    test_note("%s: %d of %d places on the wrong side of a plane", name, wrong, count);
    CHECK(wrong >= naive);
    test_note(NULL);
    measured_free(&m);
}

TAUT_PLAIN_TEST(mesh_distance, of_meshes_that_are_not_convex) {
    phys_mesh angle = closed_angle(0.3), torus = closed_torus(1, 0.35, 14, 9), thorn = closed_thorn(),
              star = closed_star();
    check_searched("angle", &angle, 3000, 0); /* square edges are right by their planes, too */
    check_searched("torus", &torus, 3000, 0);
    check_searched("star", &star, 6000, 100);
    check_searched("thorn", &thorn, 6000, 100);
    phys_mesh_free(&angle);
    phys_mesh_free(&torus);
    phys_mesh_free(&thorn);
    phys_mesh_free(&star);
}

/* Two cubes with a corner in common, the second one also as a hole in a larger cube; far from the origin, too, where
 * coordinates are rounded to 1e-13. */
TAUT_PLAIN_TEST(mesh_distance, of_several_parts) {
    phys_mesh a = closed_box((const double[]){0.5, 0.5, 0.5}), b = closed_box((const double[]){0.25, 0.25, 0.25});
    closed_move(&b, 1, (const double[]){0.75, 0.75, 0.75});
    phys_mesh corner = closed_both(&a, &b);
    check_searched("corner", &corner, 2000, 0);
    closed_move(&b, 1, (const double[]){-0.9, -0.8, -0.7});
    closed_turn(&b);
    phys_mesh hollow = closed_both(&a, &b);
    check_searched("hollow", &hollow, 2000, 0);
    const double middle[3] = {-0.15, -0.05, 0.05};
    CHECK(closed_distance(&hollow, middle) > 0.2);
    phys_mesh_free(&a);
    phys_mesh_free(&b);
    phys_mesh_free(&corner);
    phys_mesh_free(&hollow);
}

/* A kilometre away, and at the middle of a ball. */
TAUT_PLAIN_TEST(mesh_distance, far_away_and_deep_inside) {
    phys_mesh torus = closed_torus(1, 0.35, 14, 9), ball = closed_ball(2, 1);
    measured m[2] = {measure(&torus, 0), measure(&ball, 0)};
    const double places[4][3] = {{1000, 300, -20}, {0, 0, -500}, {0, 0, 0}, {1e-17, 0, 1}};
    for (int i = 0; i < 4; i++) {
        double normal[3];
        CHECK_NEAR(distance_of(&m[0], places[i], normal), closed_distance(&torus, places[i]), 1e-12);
        CHECK_NEAR(dense_norm(3, normal), 1, 1e-14);
        CHECK_NEAR(distance_of(&m[1], places[i], normal), closed_distance(&ball, places[i]), 1e-12);
        CHECK_NEAR(dense_norm(3, normal), 1, 1e-14);
    }
    CHECK(isnan(value_of(&m[0], (const double[]){0, NAN, 0})));
    CHECK(isnan(value_of(&m[0], (const double[]){0, 0, -INFINITY})));
    measured_free(&m[0]);
    measured_free(&m[1]);
    phys_mesh_free(&torus);
    phys_mesh_free(&ball);
}

/* ---- direction --------------------------------------------------------------------------------------------------- */

/* Centred differences are means of the gradient along their way, and so differ from the normal by no more than normals
 * on the way do, and by rounding; at places where these change by less than `sharpest` per metre. How many these are.
 */
static int check_gradient(const measured* m, double sharpest, int count) {
    random_state state = {84};
    const double step = 1e-6;
    int checked = 0;
    for (int i = 0; i < count; i++) {
        double p[3], normal[3], gradient[3], side[3], jump = 0;
        random_fill(&state, -1.6, 1.6, 3, p);
        distance_of(m, p, normal);
        for (int a = 0; a < 3; a++) {
            double on[3] = {p[0], p[1], p[2]}, back[3] = {p[0], p[1], p[2]};
            on[a] += step;
            back[a] -= step;
            gradient[a] = distance_of(m, on, side);
            jump = fmax(jump, dense_max_difference(3, side, normal));
            gradient[a] -= distance_of(m, back, side);
            jump = fmax(jump, dense_max_difference(3, side, normal));
            gradient[a] /= 2 * step;
        }
        if (jump < sharpest * step) {
            const double length = m->values == NULL ? 1 : dense_norm(3, gradient);
            for (int a = 0; a < 3; a++) {
                gradient[a] /= length;
            }
            test_note("at %g %g %g", p[0], p[1], p[2]);
            CHECK_NEAR(dense_max_difference(3, gradient, normal), 0, 2 * jump + 2e-9);
            checked++;
        }
    }
    test_note(NULL);
    return checked;
}

/* What is known of a point saves searches and changes no bit, whether it moves by little or far. */
TAUT_PLAIN_TEST(mesh_distance, of_points_whose_last_one_is_known) {
    phys_mesh cube = closed_box(half);
    measured m = measure(&cube, 0);
    uint32_t shape[2] = {TAUT_SHAPE_MESH, TAUT_SHAPE_MESH}, mesh[2] = {0, 0}, known_mesh[1] = {0};
    double known_distance[4] = {0};
    random_state state = {83};
    double p[3] = {0.2, 0.1, 0.3}, move[4], normal[3], expected[3];
    int beyond = 0;
    m.fields.mesh = &m.mesh;
    m.fields.collider_shape = shape;
    m.fields.collider_mesh = mesh;
    m.fields.known_mesh = known_mesh;
    m.fields.known_distance = known_distance;
    for (int i = 0; i < 5000; i++) {
        random_fill(&state, -1, 1, 4, move);
        const size_t collider = i % 50 == 49;
        for (int a = 0; a < 3; a++) {
            p[a] = (i % 20 == 0 ? 2 : p[a]) * (i % 20 == 0 ? move[a] : 1) + 0.05 * move[a];
        }
        const double reach = 0.2 * fabs(move[3]), distance = distance_of(&m, p, expected);
        const bool is_beyond = is_known_beyond(&m.fields, 0, collider, p, reach);
        CHECK(!is_beyond || distance > reach);
        beyond += is_beyond;
        if (!is_beyond) {
            CHECK(distance_of_point(&m.fields, 0, collider, p, normal) == distance);
            CHECK(memcmp(normal, expected, sizeof normal) == 0);
        }
    }
    CHECK(beyond > 500);
    measured_free(&m);
    phys_mesh_free(&cube);
}

/* The normal turns by 1/distance about an edge or a corner. */
TAUT_PLAIN_TEST(mesh_distance, normal_is_the_gradient) {
    phys_mesh torus = closed_torus(1, 0.35, 14, 9), angle = closed_angle(0.3);
    measured m[2] = {measure(&torus, 0), measure(&angle, 0)};
    CHECK(check_gradient(&m[0], 20, 400) > 200);
    CHECK(check_gradient(&m[1], 20, 400) > 200);
    measured_free(&m[0]);
    measured_free(&m[1]);
    phys_mesh_free(&torus);
    phys_mesh_free(&angle);
}

/* ---- as it is given ---------------------------------------------------------------------------------------------- */

/* Vertices of its own for each triangle, turned inside out, and with triangles that are lines. */
TAUT_PLAIN_TEST(mesh_distance, does_not_depend_on_how_a_mesh_is_written) {
    phys_mesh angle = closed_angle(0.3), apart = closed_apart(&angle), turned = closed_angle(0.3);
    phys_mesh lines = phys_mesh_make(apart.point_count, apart.cell_count + 2, 3);
    closed_turn(&turned);
    memcpy(lines.points, apart.points, 3 * apart.point_count * sizeof *lines.points);
    memcpy(lines.cells + 6, apart.cells, 3 * apart.cell_count * sizeof *lines.cells);
    const uint32_t extra[6] = {0, 5, 5, 7, 7, 7};
    memcpy(lines.cells, extra, sizeof extra);
    measured m[4] = {measure(&angle, 0), measure(&apart, 0), measure(&turned, 0), measure(&lines, 0)};
    random_state state = {85};
    for (int i = 0; i < 500; i++) {
        double p[3], normal[4][3], distance[4];
        random_fill(&state, -0.5, 1.5, 3, p);
        for (int k = 0; k < 4; k++) {
            distance[k] = distance_of(&m[k], p, normal[k]);
            CHECK_NEAR(distance[k], distance[0], 1e-14);
        }
        CHECK(memcmp(normal[0], normal[1], sizeof normal[0]) == 0 && distance[0] == distance[1]);
    }
    for (int k = 0; k < 4; k++) {
        measured_free(&m[k]);
    }
    phys_mesh_free(&angle);
    phys_mesh_free(&apart);
    phys_mesh_free(&turned);
    phys_mesh_free(&lines);
}

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/* Root of the mean square of distances and of normals, where the exact ones are smooth: outside a convex mesh, within
 * the grid. */
static void grid_errors(const phys_mesh* ball, const measured* exact, double spacing, double* error, double* turn) {
    measured m = measure(ball, spacing);
    random_state state = {86};
    int count = 0;
    *error = *turn = 0;
    while (count < 2000) {
        double p[3], expected[3], normal[3];
        random_fill(&state, -0.85, 0.85, 3, p);
        if (dense_norm(3, p) > 1.15) {
            const double off = distance_of(&m, p, normal) - distance_of(exact, p, expected);
            *error += off * off;
            for (int a = 0; a < 3; a++) {
                *turn += (normal[a] - expected[a]) * (normal[a] - expected[a]);
            }
            count++;
        }
    }
    *error = sqrt(*error / count);
    *turn = sqrt(*turn / count);
    measured_free(&m);
}

TAUT_PLAIN_TEST(mesh_distance, of_a_grid_is_of_second_order) {
    phys_mesh ball = closed_ball(0, 1);
    measured exact = measure(&ball, 0);
    double error[3], turn[3];
    for (int i = 0; i < 3; i++) {
        grid_errors(&ball, &exact, 0.06 / (1 << i), &error[i], &turn[i]);
    }
    test_note("errors %.3g %.3g %.3g m, turns %.3g %.3g %.3g", error[0], error[1], error[2], turn[0], turn[1], turn[2]);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(phys_order(error[i], error[i + 1]), 2, 0.15);
        CHECK_NEAR(phys_order(turn[i], turn[i + 1]), 1, 0.15);
    }
    CHECK(error[2] < 0.015 * 0.015);
    test_note(NULL);
    measured_free(&exact);
    phys_mesh_free(&ball);
}

/* Where sides are flat the interpolant is exact: over and under the middle of a side. */
TAUT_PLAIN_TEST(mesh_distance, of_a_grid_is_exact_beside_flat_sides) {
    phys_mesh cube = closed_box((const double[]){1, 1, 0.5});
    measured m = measure(&cube, 0.07);
    random_state state = {87};
    for (int i = 0; i < 300; i++) {
        double p[3], normal[3];
        random_fill(&state, -0.3, 0.3, 3, p);
        p[2] = p[2] / 3 + 0.5;
        CHECK_NEAR(distance_of(&m, p, normal), p[2] - 0.5, 1e-14);
        CHECK_NEAR(dense_max_difference(3, normal, (const double[]){0, 0, 1}), 0, 1e-12);
    }
    measured_free(&m);
    phys_mesh_free(&cube);
}

/* Beyond its sides: continuous, never more than the distance but for what is interpolated, and growing along its
 * normal. */
TAUT_PLAIN_TEST(mesh_distance, beyond_a_grid) {
    phys_mesh torus = closed_torus(1, 0.35, 14, 9);
    const double spacing = 0.05;
    measured m = measure(&torus, spacing), exact = measure(&torus, 0);
    random_state state = {88};
    double least = INFINITY;
    int beyond = 0;
    for (int i = 0; i < 3000; i++) {
        double p[3];
        random_fill(&state, -4, 4, 3, p);
        const mesh_cell cell = mesh_cell_of(&m.mesh, p);
        if (dense_norm(3, cell.beyond) > 0) {
            const double given = value_of(&m, p), whole = value_of(&exact, p);
            CHECK(given <= whole + spacing * spacing);
            CHECK(given >= dense_norm(3, cell.beyond));
            least = fmin(least, given / whole);
            beyond++;
        }
    }
    test_note("at least %g of the distance", least);
    CHECK(beyond > 2000 && least > sqrt(0.5) - 1e-3);
    for (int side = 0; side < 6; side++) {
        const double way = side % 2 == 0 ? 1 : -1;
        double p[2][3];
        random_fill(&state, -1, 1, 3, p[0]);
        const double low = m.mesh.origin[side / 2];
        const double high = low + spacing * (double)(m.mesh.points[side / 2] - 1);
        memcpy(p[1], p[0], sizeof p[1]);
        p[0][side / 2] = (way > 0 ? high : low) - way * 1e-9;
        p[1][side / 2] = (way > 0 ? high : low) + way * 1e-9;
        CHECK_NEAR(value_of(&m, p[0]), value_of(&m, p[1]), 4e-9);
    }
    CHECK(check_gradient(&m, 200, 600) > 200);
    CHECK(isnan(value_of(&m, (const double[]){NAN, 0, 0})));
    test_note(NULL);
    measured_free(&m);
    measured_free(&exact);
    phys_mesh_free(&torus);
}
