#include "closed_meshes.h"

#include "phys_frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ------------------------------------------------------------------------------------------------------ */

static phys_mesh mesh_of(size_t points, const double* x, size_t triangles, const uint32_t* t) {
    phys_mesh mesh = phys_mesh_make(points, triangles, 3);
    memcpy(mesh.points, x, 3 * points * sizeof *x);
    memcpy(mesh.cells, t, 3 * triangles * sizeof *t);
    return mesh;
}

phys_mesh closed_box(const double half[3]) {
    static const uint32_t sides[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    double x[24];
    for (int i = 0; i < 24; i++) {
        x[i] = (i / 3 >> i % 3 & 1) != 0 ? half[i % 3] : -half[i % 3];
    }
    return mesh_of(8, x, 12, sides);
}

static void push_out(double radius, double x[3]) {
    const double length = phys_length(x);
    for (int a = 0; a < 3; a++) {
        x[a] *= radius / length;
    }
}

/* Every triangle with points of its own: the library merges them, since the middle of an edge is the same from both
 * sides. */
static phys_mesh cut_in_four(const phys_mesh* mesh, double radius) {
    static const int parts[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
    phys_mesh out = phys_mesh_make(12 * mesh->cell_count, 4 * mesh->cell_count, 3);
    for (size_t t = 0; t < mesh->cell_count; t++) {
        double x[6][3];
        for (int k = 0; k < 3; k++) {
            memcpy(x[k], mesh->points + 3 * mesh->cells[3 * t + (size_t)k], sizeof x[k]);
        }
        for (int k = 0; k < 3; k++) {
            for (int a = 0; a < 3; a++) {
                x[3 + k][a] = (x[k][a] + x[(k + 1) % 3][a]) / 2;
            }
            push_out(radius, x[3 + k]);
        }
        for (size_t k = 0; k < 12; k++) {
            memcpy(out.points + 3 * (12 * t + k), x[parts[k]], sizeof x[0]);
            out.cells[12 * t + k] = (uint32_t)(12 * t + k);
        }
    }
    return out;
}

phys_mesh closed_ball(int cuts, double radius) {
    static const uint32_t sides[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                       4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                       6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    const double g = (1 + sqrt(5)) / 2;
    double x[36] = {-1, g,  0,  1, g, 0,  -1, -g, 0,  1, -g, 0, 0,  -1, g,  0,  1, g,
                    0,  -1, -g, 0, 1, -g, g,  0,  -1, g, 0,  1, -g, 0,  -1, -g, 0, 1};
    for (int i = 0; i < 12; i++) {
        push_out(radius, x + 3 * i);
    }
    phys_mesh mesh = mesh_of(12, x, 20, sides);
    for (int i = 0; i < cuts; i++) {
        const phys_mesh finer = cut_in_four(&mesh, radius);
        phys_mesh_free(&mesh);
        mesh = finer;
    }
    return mesh;
}

phys_mesh closed_torus(double wide, double thin, size_t around, size_t across) {
    phys_mesh mesh = phys_mesh_make(around * across, 2 * around * across, 3);
    for (size_t i = 0; i < around; i++) {
        for (size_t j = 0; j < across; j++) {
            const double u = 2 * PHYS_PI * (double)i / (double)around, v = 2 * PHYS_PI * (double)j / (double)across;
            const size_t p = i * across + j;
            const uint32_t a = (uint32_t)p, b = (uint32_t)((i + 1) % around * across + j);
            const uint32_t d = (uint32_t)(i * across + (j + 1) % across);
            const uint32_t c = (uint32_t)((i + 1) % around * across + (j + 1) % across);
            const double x[3] = {(wide + thin * cos(v)) * cos(u), (wide + thin * cos(v)) * sin(u), thin * sin(v)};
            const uint32_t t[6] = {a, b, c, a, c, d};
            memcpy(mesh.points + 3 * p, x, sizeof x);
            memcpy(mesh.cells + 6 * p, t, sizeof t);
        }
    }
    return mesh;
}

phys_mesh closed_angle(double height) {
    static const double outline[6][2] = {{0, 0}, {1, 0}, {1, 0.4}, {0.4, 0.4}, {0.4, 1}, {0, 1}};
    static const uint32_t lids[12] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5};
    phys_mesh mesh = phys_mesh_make(12, 20, 3);
    uint32_t* t = mesh.cells;
    for (uint32_t i = 0; i < 12; i++) {
        mesh.points[3 * i] = outline[i % 6][0];
        mesh.points[3 * i + 1] = outline[i % 6][1];
        mesh.points[3 * i + 2] = i < 6 ? 0 : height;
    }
    for (uint32_t i = 0; i < 6; i++, t += 6) {
        const uint32_t next = (i + 1) % 6, side[6] = {i, next, next + 6, i, next + 6, i + 6};
        memcpy(t, side, sizeof side);
    }
    for (size_t i = 0; i < 12; i++) {
        t[i] = lids[i / 3 * 3 + 2 - i % 3];
        t[12 + i] = lids[i] + 6;
    }
    return mesh;
}

phys_mesh closed_thorn(void) {
    static const double x[15] = {0, 0, 0, 1, 0, 0, 1, 0, 0.1, 0, 0, 0.1, 3, 1, 0.05};
    static const uint32_t t[18] = {0, 1, 2, 0, 2, 3, 0, 4, 1, 1, 4, 2, 2, 4, 3, 3, 4, 0};
    return mesh_of(5, x, 6, t);
}

phys_mesh closed_star(void) {
    phys_mesh ball = closed_ball(0, 1), mesh = phys_mesh_make(12 + 20, 60, 3);
    memcpy(mesh.points, ball.points, 36 * sizeof *mesh.points);
    for (size_t t = 0; t < 20; t++) {
        for (size_t k = 0; k < 3; k++) {
            const uint32_t side[3] = {ball.cells[3 * t + k], ball.cells[3 * t + (k + 1) % 3], (uint32_t)(12 + t)};
            memcpy(mesh.cells + 9 * t + 3 * k, side, sizeof side);
            phys_add(1, ball.points + 3 * side[0], mesh.points + 3 * side[2]);
        }
    }
    phys_mesh_free(&ball);
    return mesh;
}

phys_mesh closed_both(const phys_mesh* a, const phys_mesh* b) {
    phys_mesh mesh = phys_mesh_make(a->point_count + b->point_count, a->cell_count + b->cell_count, 3);
    memcpy(mesh.points, a->points, 3 * a->point_count * sizeof *mesh.points);
    memcpy(mesh.points + 3 * a->point_count, b->points, 3 * b->point_count * sizeof *mesh.points);
    memcpy(mesh.cells, a->cells, 3 * a->cell_count * sizeof *mesh.cells);
    for (size_t i = 0; i < 3 * b->cell_count; i++) {
        mesh.cells[3 * a->cell_count + i] = b->cells[i] + (uint32_t)a->point_count;
    }
    return mesh;
}

void closed_move(phys_mesh* mesh, double factor, const double by[3]) {
    for (size_t i = 0; i < 3 * mesh->point_count; i++) {
        mesh->points[i] = factor * mesh->points[i] + by[i % 3];
    }
}

void closed_turn(phys_mesh* mesh) {
    for (size_t t = 0; t < mesh->cell_count; t++) {
        const uint32_t last = mesh->cells[3 * t + 2];
        mesh->cells[3 * t + 2] = mesh->cells[3 * t + 1];
        mesh->cells[3 * t + 1] = last;
    }
}

phys_mesh closed_apart(const phys_mesh* mesh) {
    phys_mesh out = phys_mesh_make(3 * mesh->cell_count, mesh->cell_count, 3);
    for (size_t i = 0; i < 3 * mesh->cell_count; i++) {
        out.cells[i] = (uint32_t)i;
        memcpy(out.points + 3 * i, mesh->points + 3 * mesh->cells[i], 3 * sizeof *out.points);
    }
    return out;
}

/* The numbers of a face line, without what follows their slashes. */
static void read_face(const char* line, phys_mesh* mesh) {
    uint32_t corners[3];
    int count = 0;
    for (const char* at = strchr(line, ' '); at != NULL; at = strchr(at + 1, ' ')) {
        const unsigned number = (unsigned)strtoul(at + 1, NULL, 10);
        if (number == 0) {
            break;
        }
        corners[count < 3 ? count : 2] = number - 1;
        if (++count >= 3) {
            memcpy(mesh->cells + 3 * mesh->cell_count++, corners, sizeof corners);
            corners[1] = corners[2];
        }
    }
}

phys_mesh closed_read_obj(const char* path) {
    phys_mesh mesh = phys_mesh_make(1 << 14, 1 << 14, 3);
    mesh.point_count = mesh.cell_count = 0;
    FILE* file = path != NULL ? fopen(path, "r") : NULL;
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        double* x = mesh.points + 3 * mesh.point_count;
        if (sscanf(line, "v %lf %lf %lf", &x[0], &x[1], &x[2]) == 3) {
            mesh.point_count++;
        } else if (strncmp(line, "f ", 2) == 0) {
            read_face(line, &mesh);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return mesh;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static void corner_from(const phys_mesh* mesh, size_t t, size_t k, const double p[3], double out[3]) {
    for (size_t a = 0; a < 3; a++) {
        out[a] = mesh->points[3 * mesh->cells[3 * t + k] + a] - p[a];
    }
}

/* A. van Oosterom and J. Strackee, The solid angle of a plane triangle, IEEE TBME 30 (1983). */
double closed_winding(const phys_mesh* mesh, const double p[3]) {
    double sum = 0;
    for (size_t t = 0; t < mesh->cell_count; t++) {
        double r[3][3], n[3];
        for (size_t k = 0; k < 3; k++) {
            corner_from(mesh, t, k, p, r[k]);
        }
        const double a = phys_length(r[0]), b = phys_length(r[1]), c = phys_length(r[2]);
        phys_cross(r[1], r[2], n);
        sum += 2 * atan2(phys_dot(r[0], n),
                         a * b * c + phys_dot(r[0], r[1]) * c + phys_dot(r[0], r[2]) * b + phys_dot(r[1], r[2]) * a);
    }
    return sum / (4 * PHYS_PI);
}

/* From the origin to the line between two places. */
static double to_side(const double a[3], const double b[3]) {
    double d[3], near[3];
    for (int k = 0; k < 3; k++) {
        d[k] = b[k] - a[k];
    }
    const double t = fmin(fmax(-phys_dot(a, d) / phys_dot(d, d), 0), 1);
    for (int k = 0; k < 3; k++) {
        near[k] = a[k] + t * d[k];
    }
    return phys_length(near);
}

/* From the origin: to the plane where the foot is on the inner side of all three sides, else to the nearest side. */
static double to_triangle(double r[3][3]) {
    double n[3], e[3], f[3], across[3];
    bool above = true;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        e[k] = r[1][k] - r[0][k];
        f[k] = r[2][k] - r[0][k];
    }
    phys_cross(e, f, n);
    const double height = phys_dot(n, r[0]) / phys_length(n);
    for (int i = 0; i < 3; i++) {
        const double *a = r[i], *b = r[(i + 1) % 3];
        for (int k = 0; k < 3; k++) {
            e[k] = b[k] - a[k];
        }
        phys_cross(n, e, across);
        above = above && phys_dot(across, a) < 0;
        least = fmin(least, to_side(a, b));
    }
    return above ? fabs(height) : least;
}

double closed_distance(const phys_mesh* mesh, const double p[3]) {
    double least = INFINITY;
    for (size_t t = 0; t < mesh->cell_count; t++) {
        double r[3][3];
        for (size_t k = 0; k < 3; k++) {
            corner_from(mesh, t, k, p, r[k]);
        }
        least = fmin(least, to_triangle(r));
    }
    return closed_winding(mesh, p) > 0.5 ? -least : least;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

taut_collider_mesh_def closed_def(const phys_mesh* mesh, double spacing) {
    taut_collider_mesh_def def = taut_default_collider_mesh();
    def.vertex_count = mesh->point_count;
    def.positions = mesh->points;
    def.triangle_count = mesh->cell_count;
    def.triangles = mesh->cells;
    def.spacing = spacing;
    return def;
}

uint32_t closed_add(taut_scene* scene, const phys_mesh* mesh, double spacing) {
    const taut_collider_mesh_def def = closed_def(mesh, spacing);
    uint32_t number = 0;
    CHECK_OK(taut_scene_add_collider_mesh(scene, &def, &number));
    return number;
}

uint32_t closed_add_deforming(taut_scene* scene, const phys_mesh* mesh, uint32_t material) {
    taut_particles_def vertices = taut_default_particles();
    taut_collider_mesh_def def = closed_def(mesh, 0);
    taut_colliders_def colliders = taut_default_colliders();
    taut_range points, made = {0, 0};
    uint32_t* numbers = phys_array(mesh->point_count, sizeof *numbers);
    bool* fixed = phys_array(mesh->point_count, sizeof *fixed);
    vertices.count = mesh->point_count;
    vertices.positions = mesh->points;
    vertices.fixed = fixed;
    memset(fixed, 1, mesh->point_count * sizeof *fixed);
    CHECK_OK(taut_scene_add_particles(scene, &vertices, &points));
    for (uint32_t i = 0; i < points.count; i++) {
        numbers[i] = points.first + i;
    }
    def.positions = NULL;
    def.points = numbers;
    CHECK_OK(taut_scene_add_collider_mesh(scene, &def, &colliders.mesh));
    colliders.count = 1;
    colliders.shape = TAUT_SHAPE_MESH;
    colliders.material = material;
    CHECK_OK(taut_scene_add_colliders(scene, &colliders, &made));
    free(numbers);
    free(fixed);
    return made.first;
}
