/* Constraints that come and go while a world runs. What is added must do what the same constraint of a scene does, and
 * what is taken away must be as if it had never been there: worlds are compared with such scenes, and with closed
 * forms. */
#include "contact_scenes.h"
#include "counting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 5, POINTS = SIDE * SIDE };

static const double dt = 1.0 / 60;

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

/* A sheet of springs in the x-z plane that hangs by two corners, without the first `missing` of its links. */
static taut_scene* torn_scene(size_t side, size_t missing, taut_batch* links) {
    const size_t cells = side - 1;
    phys_mesh mesh = phys_grid(cells, cells, 1, 1, PHYS_FORWARD);
    for (size_t i = 0; i < mesh.point_count; i++) {
        mesh.points[3 * i + 2] = mesh.points[3 * i + 1];
        mesh.points[3 * i + 1] = 0.01 * sin(7.0 * (double)i);
    }
    double* masses = phys_array(mesh.point_count, sizeof *masses);
    for (size_t i = 0; i < mesh.point_count; i++) {
        masses[i] = 0.3 / (double)mesh.point_count;
    }
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    phys_tuples edges = phys_edges(&mesh);
    const phys_tuples some = {edges.count - missing, edges.items + 2 * missing};
    const taut_batch batch = phys_add_links(scene, &some, 1e-3, 0.01);
    const uint32_t pins[2] = {0, (uint32_t)cells};
    phys_fix(scene, 2, pins);
    if (links != NULL) {
        *links = batch;
    }
    free(edges.items);
    free(masses);
    phys_mesh_free(&mesh);
    return scene;
}

static taut_scene* sheet_scene(size_t side, taut_batch* links) {
    return torn_scene(side, 0, links);
}

/* A method, and whether it takes constraints that are added. */
typedef struct method_case {
    taut_method method;
    taut_preconditioner preconditioner;
    bool room;
} method_case;

static const method_case methods[] = {
    {TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO, true},
    {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_JACOBI, true},
    {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_NONE, true},
    {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_BLOCK, true},
    {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_CHEBYSHEV, true},
    {TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_MULTILEVEL, true},
    {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_JACOBI, true},
    {TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_MULTILEVEL, true},
    {TAUT_METHOD_PROJECTED_GRADIENT, TAUT_PRECONDITIONER_AUTO, true},
    {TAUT_METHOD_GAUSS_SEIDEL, TAUT_PRECONDITIONER_AUTO, false},
    {TAUT_METHOD_DIRECT, TAUT_PRECONDITIONER_AUTO, true},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static taut_world_def definition(taut_backend_kind backend, const method_case* m) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = 1;
    def.solver.method = m->method;
    def.solver.preconditioner = m->preconditioner;
    def.solver.tolerance = 1e-9;
    def.solver.max_iterations = 20000;
    def.integrator.further = 0; /* systems of one linearisation are compared */
    return def;
}

/* Not the direct method where there is none. */
static bool is_there(taut_backend_kind backend, const method_case* m) {
#ifndef TAUT_WITH_DIRECT
    (void)backend;
    return m->method != TAUT_METHOD_DIRECT;
#else
    return m->method != TAUT_METHOD_DIRECT || backend == TAUT_BACKEND_CPU;
#endif
}

static taut_world* make_world(const taut_scene* scene, taut_world_def def, taut_reserve reserve) {
    taut_world* world = NULL;
    def.reserve = reserve;
    CHECK_OK(taut_world_create(scene, &def, &world));
    return world;
}

static void step(taut_world* world) {
    CHECK_OK(taut_world_step(world, dt));
    CHECK_OK(taut_world_sync(world));
}

static double apart(taut_world* a, taut_world* b) {
    double *x = phys_field(a, TAUT_FIELD_POSITIONS), *y = phys_field(b, TAUT_FIELD_POSITIONS);
    const double worst = phys_farthest(x, y, 3 * taut_world_particle_count(a));
    free(x);
    free(y);
    return worst;
}

/* Bits of positions and velocities. */
static bool same_bits(taut_world* a, taut_world* b) {
    bool same = true;
    for (int i = 0; i < 2; i++) {
        const taut_field field = i == 0 ? TAUT_FIELD_POSITIONS : TAUT_FIELD_VELOCITIES;
        double *x = phys_field(a, field), *y = phys_field(b, field);
        same = same && memcmp(x, y, 3 * taut_world_particle_count(a) * sizeof *x) == 0;
        free(x);
        free(y);
    }
    return same;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* A target and a distance that the one world has from its scene, and the other one from its reserve. */
static void check_like_scene(taut_backend_kind backend, const method_case* m, double compliance) {
    const uint32_t point = POINTS - 1, pair[2] = {POINTS - SIDE, 2};
    const double target[3] = {0.9, -0.1, 0.8};
    taut_target_def targets = taut_default_target();
    taut_distance_def distances = taut_default_distance();
    targets.count = distances.count = 1;
    targets.particles = &point;
    targets.targets = target;
    distances.particles = pair;
    targets.compliance = distances.compliance = compliance;
    targets.damping = 0.02;
    taut_scene *with = sheet_scene(SIDE, NULL), *without = sheet_scene(SIDE, NULL);
    CHECK_OK(taut_scene_add_targets(with, &targets, NULL));
    CHECK_OK(taut_scene_add_distances(with, &distances, NULL));
    taut_world* a = make_world(with, definition(backend, m), (taut_reserve){0});
    taut_world* b = make_world(without, definition(backend, m), (taut_reserve){.targets = 2, .distances = 3});
    CHECK_OK(taut_world_add_targets(b, &targets, NULL));
    CHECK_OK(taut_world_add_distances(b, &distances, NULL));
    for (int i = 0; i < 8; i++) {
        step(a);
        step(b);
    }
    CHECK_NEAR(apart(a, b), 0, 2e-6);
    taut_world_destroy(a);
    taut_world_destroy(b);
    taut_scene_destroy(with);
    taut_scene_destroy(without);
}

TAUT_TEST(added, acts_as_constraints_of_the_scene) {
    for (size_t i = 0; i < METHODS; i++) {
        if (methods[i].room && is_there(backend, &methods[i]) && !(backend == TAUT_BACKEND_CUDA && i % 3 != 1)) {
            check_like_scene(backend, &methods[i], 1e-4);
        }
    }
    const size_t hard[] = {0, 7, 10};
    for (size_t i = 0; i < 3; i++) {
        if (is_there(backend, &methods[hard[i]])) {
            check_like_scene(backend, &methods[hard[i]], 0);
        }
    }
}

TAUT_TEST(added, room_that_is_not_used_changes_no_bit) {
    const method_case same[] = {methods[1], methods[7], methods[10], methods[0]};
    for (size_t i = 0; i < 4; i++) {
        if (!is_there(backend, &same[i])) {
            continue;
        }
        taut_scene* scene = sheet_scene(SIDE, NULL);
        const taut_reserve room = {.distances = 2, .attachments = 3, .targets = 4};
        taut_world* a = make_world(scene, definition(backend, &same[i]), (taut_reserve){0});
        taut_world* b = make_world(scene, definition(backend, &same[i]), room);
        for (int n = 0; n < 4; n++) {
            step(a);
            step(b);
        }
        CHECK(backend == TAUT_BACKEND_CUDA ? apart(a, b) < 1e-7 : same_bits(a, b));
        taut_world_destroy(a);
        taut_world_destroy(b);
        taut_scene_destroy(scene);
    }
}

TAUT_TEST(added, solvers_without_room_say_so) {
    taut_scene* scene = sheet_scene(SIDE, NULL);
    for (size_t i = 0; i < METHODS; i++) {
        taut_world_def def = definition(TAUT_BACKEND_CPU, &methods[i]);
        taut_world* world = NULL;
        def.reserve.targets = 1;
        if (!methods[i].room && is_there(backend, &methods[i])) {
            CHECK_STATUS(taut_world_create(scene, &def, &world), TAUT_INVALID_ARGUMENT);
            CHECK(strstr(taut_last_error(), "added") != NULL);
        }
    }
    taut_scene_destroy(scene);
}

/* ---- a grab ------------------------------------------------------------------------------------------------------ */

/* The hand is where it is asked to be at the end of each step; then the point is let go. */
TAUT_TEST(added, drags_a_vertex) {
    taut_scene* scene = sheet_scene(SIDE, NULL);
    taut_world* world = make_world(scene, definition(backend, &methods[0]), (taut_reserve){.targets = 1});
    const uint32_t point = POINTS - 1;
    taut_added grab = {0};
    double x[3], start[3];
    phys_position(world, point, start);
    step(world);
    for (int i = 1; i <= 10; i++) {
        const double goal[3] = {start[0] + 0.02 * i, start[1] - 0.01 * i, start[2]};
        CHECK_OK(taut_world_grab(world, point, goal, 0, &grab));
        step(world);
        phys_position(world, point, x);
        CHECK_NEAR(phys_apart(x, goal), 0, 1e-6);
    }
    CHECK(taut_world_has_added(world, grab));
    taut_range rows = {0, 0}, rotations = {9, 9};
    CHECK_OK(taut_world_added_rows(world, grab, &rows, &rotations));
    CHECK_INT(rows.count, 3);
    CHECK_INT(rotations.count, 0);
    double force[3];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, rows.first, 3, force));
    CHECK(phys_length(force) > 1e-3);
    CHECK_OK(taut_world_release(world, &grab));
    CHECK_INT(grab.id, 0);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, rows.first, 3, force));
    CHECK_NEAR(phys_length(force), 0, 0);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

static taut_method method_of(taut_world* world) {
    taut_choice choice;
    CHECK_OK(taut_world_choice(world, &choice));
    return choice.direct_rows > 0      ? TAUT_METHOD_DIRECT
           : choice.condensed_rows > 0 ? TAUT_METHOD_CONDENSED
                                       : TAUT_METHOD_SCHUR;
}

/* Grabs need no reserve: the world makes room for them, and is solved as before. */
TAUT_TEST(added, a_world_without_a_reserve_is_dragged) {
    taut_scene* scene = sheet_scene(SIDE, NULL);
    taut_world* world = make_world(scene, definition(backend, &methods[0]), (taut_reserve){0});
    const taut_method method = method_of(world);
    CHECK(method == TAUT_METHOD_DIRECT || !is_there(backend, &methods[10]));
    taut_added grabs[6] = {{0}};
    double x[3], start[3];
    step(world);
    for (uint32_t i = 0; i < 6; i++) {
        phys_position(world, POINTS - 1 - i, start);
        const double goal[3] = {start[0], start[1] + 0.02, start[2]};
        CHECK_OK(taut_world_grab(world, POINTS - 1 - i, goal, 0, grabs + i));
        step(world);
        phys_position(world, POINTS - 1 - i, x);
        CHECK_NEAR(phys_apart(x, goal), 0, 1e-6);
    }
    CHECK_INT(method_of(world), method);
    for (size_t i = 0; i < 6; i++) {
        CHECK(taut_world_has_added(world, grabs[i]));
        CHECK_OK(taut_world_release(world, grabs + i));
    }
    taut_added grab = {0};
    CHECK_STATUS(taut_world_grab(world, POINTS, x, 0, &grab), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_grab(world, 0, x, -1, &grab), TAUT_INVALID_ARGUMENT);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

/* A block of tetrahedra and, beside it, a chain of three hard links: solved by two systems, and never by factors. */
enum { BLOCK_POINTS = 12, CHAIN_END = BLOCK_POINTS + 3 };

static taut_scene* block_and_chain(void) {
    phys_mesh mesh = phys_block((const size_t[]){2, 1, 1}, (const double[]){0.4, 0.2, 0.2});
    double x[3 * (BLOCK_POINTS + 4)];
    CHECK_INT(mesh.point_count, BLOCK_POINTS);
    memcpy(x, mesh.points, 3 * BLOCK_POINTS * sizeof *x);
    for (size_t i = 0; i < 4; i++) {
        const double place[3] = {2 + 0.1 * (double)i, 1 - 0.05 * (double)(i % 2), 0};
        memcpy(x + 3 * (BLOCK_POINTS + i), place, sizeof place);
    }
    taut_scene* scene = phys_scene(BLOCK_POINTS + 4, x, NULL);
    uint32_t links[6];
    for (uint32_t i = 0; i < 6; i++) {
        links[i] = BLOCK_POINTS + (i + 1) / 2;
    }
    taut_tet_strain_def tets = taut_default_tet_strain();
    tets.count = mesh.cell_count;
    tets.particles = mesh.cells;
    tets.softness = 1e-5;
    tets.damping = 0.01;
    CHECK_OK(taut_scene_add_tet_strains(scene, &tets, NULL));
    phys_add_links(scene, &(phys_tuples){3, links}, 0, 0);
    phys_fix(scene, 3, (const uint32_t[]){0, 3, BLOCK_POINTS});
    phys_mesh_free(&mesh);
    return scene;
}

/* What a point of either part is held by follows the hand, as where the world has room from the start, and does not
 * join the parts. */
TAUT_TEST(added, parts_of_two_systems_are_dragged) {
    const uint32_t points[2] = {BLOCK_POINTS - 1, CHAIN_END};
    taut_scene* scene = block_and_chain();
    taut_world* a = make_world(scene, definition(backend, &methods[0]), (taut_reserve){.targets = 2});
    taut_world* b = make_world(scene, definition(backend, &methods[0]), (taut_reserve){0});
    taut_added grabs[2][2] = {{{0}}};
    taut_choice choice;
    double start[2][3], goals[2][3], x[3];
    CHECK_OK(taut_world_choice(b, &choice));
    CHECK(choice.schur_rows > 0 && choice.condensed_rows > 0);
    phys_position(b, points[0], start[0]);
    phys_position(b, points[1], start[1]);
    for (int i = 1; i <= 10; i++) {
        for (size_t k = 0; k < 2; k++) {
            const double goal[3] = {start[k][0] - 0.01 * i, start[k][1] + 0.01 * i, start[k][2]};
            memcpy(goals[k], goal, sizeof goal);
            CHECK_OK(taut_world_grab(a, points[k], goal, 0, &grabs[0][k]));
            CHECK_OK(taut_world_grab(b, points[k], goal, 0, &grabs[1][k]));
        }
        step(a);
        step(b);
        for (size_t k = 0; k < 2; k++) {
            phys_position(b, points[k], x);
            CHECK_NEAR(phys_apart(x, goals[k]), 0, 1e-6);
        }
        CHECK(apart(a, b) < 1e-5);
    }
    taut_distance_def across = taut_default_distance();
    across.count = 1;
    across.particles = points;
    CHECK_OK(taut_world_grow_reserve(b, &(taut_reserve){.distances = 1, .targets = 4}));
    CHECK_STATUS(taut_world_add_distances(b, &across, NULL), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "different systems") != NULL);
    taut_world_destroy(a);
    taut_world_destroy(b);
    taut_scene_destroy(scene);
}

/* A free particle on a hard hand, then without it: exact under implicit Euler. */
TAUT_TEST(added, what_is_released_falls_freely) {
    const double x0[3] = {0, 1, 0};
    taut_scene* scene = phys_scene(1, x0, NULL);
    taut_world* world = make_world(scene, definition(backend, &methods[0]), (taut_reserve){.targets = 1});
    taut_added grab = {0};
    double x[3], v[3];
    for (int i = 0; i < 5; i++) {
        const double goal[3] = {0.01 * (i + 1), 1, 0};
        CHECK_OK(taut_world_grab(world, 0, goal, 0, &grab));
        step(world);
    }
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], 0.01 / dt, 1e-6);
    CHECK_NEAR(v[1], 0, 1e-6);
    CHECK_OK(taut_world_release(world, &grab));
    for (int i = 0; i < 6; i++) {
        step(world);
    }
    phys_position(world, 0, x);
    CHECK_NEAR(x[0], 0.05 + 6 * 0.01, 1e-6);
    CHECK_NEAR(x[1], 1 - PHYS_GRAVITY * dt * dt * 21, 1e-6);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

/* b - a */
static void vec3_of(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = b[i] - a[i];
    }
}

/* ---- welds ------------------------------------------------------------------------------------------------------- */

static taut_world_def weightless(taut_backend_kind backend) {
    taut_world_def def = definition(backend, &methods[0]);
    def.gravity[1] = 0;
    return def;
}

TAUT_TEST(added, welded_particles_share_their_momentum) {
    const double x[6] = {0, 0, 0, 0.5, 0.1, 0}, masses[2] = {1, 3}, v[6] = {2, 0, 0, -1, 1, 0};
    const double offset[3] = {0.5, 0.1, 0};
    const uint32_t pair[2] = {0, 1};
    taut_scene* scene = phys_scene(2, x, masses);
    taut_world* world = make_world(scene, weightless(backend), (taut_reserve){.attachments = 1});
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 2, v));
    taut_attachment_def def = taut_default_attachment();
    taut_added weld = {0};
    def.count = 1;
    def.particles = pair;
    def.offsets = offset;
    CHECK_OK(taut_world_add_attachments(world, &def, &weld));
    step(world);
    for (size_t i = 0; i < 2; i++) {
        double now[3];
        phys_velocity(world, i, now);
        CHECK_NEAR(now[0], (2.0 - 3.0) / 4, 1e-6);
        CHECK_NEAR(now[1], 3.0 / 4, 1e-6);
    }
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

/* Two bodies that fly and spin become one: momentum and angular momentum stay, and each stands to the other as it did.
 */
TAUT_TEST(added, welded_bodies_move_as_one) {
    const double step_length = 2.5e-4;
    taut_scene* scene = phys_empty_scene();
    phys_body bodies[2] = {phys_tumbling_body(), phys_tumbling_body()};
    taut_body handles[2];
    bodies[1].mass *= 2;
    for (size_t i = 0; i < 2; i++) {
        const double at[3] = {(double)i, 0.2, 0.1 * (double)i}, v[3] = {0.3 - (double)i, 0.5 * (double)i, 0.1};
        memcpy(bodies[i].x, at, sizeof at);
        memcpy(bodies[i].v, v, sizeof v);
        bodies[i].w[0] += 0.5 * (double)i;
        handles[i] = phys_add_body(scene, &bodies[i]);
    }
    taut_world_def def = weightless(backend);
    taut_world* world = make_world(scene, def, (taut_reserve){.welds = 2});
    const taut_body pair[2] = {handles[0], handles[1]};
    taut_weld_def weld = taut_default_weld();
    taut_added added = {0};
    double before[3] = {0}, after[3] = {0}, arm[3], arm_after[3];
    for (size_t i = 0; i < 2; i++) {
        phys_add_angular_momentum(&bodies[i], before);
    }
    vec3_of(bodies[0].x, bodies[1].x, arm);
    phys_rotate_back(bodies[0].q, arm, arm);
    weld.count = 1;
    weld.bodies = pair;
    CHECK_OK(taut_world_add_welds(world, &weld, &added));
    for (int i = 0; i < 100; i++) {
        CHECK_OK(taut_world_step(world, step_length));
    }
    for (size_t i = 0; i < 2; i++) {
        phys_read_body(world, handles[i], &bodies[i]);
        phys_add_angular_momentum(&bodies[i], after);
    }
    vec3_of(bodies[0].x, bodies[1].x, arm_after);
    phys_rotate_back(bodies[0].q, arm_after, arm_after);
    CHECK_NEAR(phys_apart(arm, arm_after), 0, 1e-4);
    CHECK_NEAR(phys_apart(before, after), 0, 2e-3 * phys_length(before));
    CHECK_NEAR(phys_apart(bodies[0].w, bodies[1].w), 0, 1e-2);
    taut_range rows, rotations;
    CHECK_OK(taut_world_added_rows(world, added, &rows, &rotations));
    CHECK_INT(rows.count + rotations.count, 6);
    CHECK_OK(taut_world_remove(world, 1, &added));
    CHECK_OK(taut_world_step(world, step_length));
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

/* Of a point that nothing but the added constraint acts on. */
TAUT_TEST(added, mapped_points_can_be_held) {
    const double corner[3] = {0.3, 1, 0};
    double x[2][3];
    for (int added = 0; added < 2; added++) {
        taut_scene* scene = phys_empty_scene();
        phys_body body = phys_bar((const double[]){-0.3, 1, 0}, (const double[]){0.3, 1, 0}, 0.1, 1);
        const taut_body handle = phys_add_body(scene, &body);
        const uint32_t point = phys_add_body_point(scene, handle, corner);
        taut_target_def def = taut_default_target();
        def.count = 1;
        def.particles = &point;
        if (!added) {
            CHECK_OK(taut_scene_add_targets(scene, &def, NULL));
        }
        taut_world* world =
            make_world(scene, definition(backend, &methods[0]), (taut_reserve){.targets = (uint32_t)added});
        if (added) {
            CHECK_OK(taut_world_add_targets(world, &def, NULL));
        }
        for (int i = 0; i < 10; i++) {
            step(world);
        }
        phys_position(world, handle.point, x[added]);
        taut_world_destroy(world);
        taut_scene_destroy(scene);
    }
    CHECK_NEAR(phys_apart(x[0], x[1]), 0, 1e-6);
    CHECK(x[0][1] < 0.99);
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* A rope whose second link is cut falls below it, and hangs above. */
static void check_cut(taut_backend_kind backend, const method_case* m, bool of_scene) {
    const double from[3] = {0, 0, 0}, to[3] = {0, -4, 0};
    taut_batch links;
    taut_scene* scene = phys_chain(4, from, to, NULL, 0, &links);
    const uint32_t pair[2] = {1, 3};
    taut_world* world = make_world(scene, definition(backend, m), (taut_reserve){.distances = of_scene ? 0 : 1});
    taut_added added = {0};
    bool present[4];
    if (!of_scene) { /* the added one takes the place of two that go away */
        taut_distance_def def = taut_default_distance();
        def.count = 1;
        def.particles = pair;
        CHECK_OK(taut_world_add_distances(world, &def, &added));
        CHECK_OK(taut_world_set_present(world, links, 1, 2, false));
    }
    for (int i = 0; i < 3; i++) {
        step(world);
    }
    double x[5][3];
    for (size_t i = 0; i < 5; i++) {
        phys_position(world, i, x[i]);
        CHECK_NEAR(x[i][1], i == 2 && !of_scene ? -2 - 6 * PHYS_GRAVITY * dt * dt : -(double)i, 1e-5);
    }
    CHECK_OK(of_scene ? taut_world_set_present(world, links, 2, 1, false) : taut_world_remove(world, 1, &added));
    CHECK_OK(taut_world_read_present(world, links, 0, 4, present));
    CHECK(present[0] && present[1] == of_scene && !present[2] && present[3]);
    for (int i = 0; i < 4; i++) {
        step(world);
    }
    for (size_t i = 0; i < 5; i++) {
        double now[3];
        phys_position(world, i, now);
        const double fallen = i >= 3 ? 10 * PHYS_GRAVITY * dt * dt : 0;
        CHECK_NEAR(now[1], i == 2 && !of_scene ? now[1] : x[i][1] - fallen, 1e-5);
    }
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

TAUT_TEST(added, cut_ropes_fall) {
    for (size_t i = 0; i < METHODS; i++) {
        if (is_there(backend, &methods[i]) && !(backend == TAUT_BACKEND_CUDA && i % 3 != 1)) {
            check_cut(backend, &methods[i], true);
            if (methods[i].room) {
                check_cut(backend, &methods[i], false);
            }
        }
    }
}

/* Of a particle that linear rows hold, one is taken away. */
TAUT_TEST(added, cut_linear_rows_let_go) {
    for (size_t m = 0; m < METHODS; m++) {
        if (!is_there(backend, &methods[m]) || (backend == TAUT_BACKEND_CUDA && m % 3 != 1)) {
            continue;
        }
        const double start[6] = {0, 1, 0, 1, 1, 0};
        const uint32_t coordinates[6] = {0, 1, 2, 3, 4, 5};
        taut_scene* scene = phys_scene(2, start, NULL);
        const taut_batch rows = phys_hold(scene, 6, coordinates);
        taut_world* world = make_world(scene, definition(backend, &methods[m]), (taut_reserve){0});
        double x[2][3];
        step(world);
        CHECK_OK(taut_world_set_present(world, rows, 4, 1, false));
        for (int i = 0; i < 4; i++) {
            step(world);
        }
        for (size_t i = 0; i < 2; i++) {
            phys_position(world, i, x[i]);
            CHECK_NEAR(x[i][0], (double)i, 1e-6);
            CHECK_NEAR(x[i][1], i == 0 ? 1 : 1 - 10 * PHYS_GRAVITY * dt * dt, 1e-6);
        }
        taut_world_destroy(world);
        taut_scene_destroy(scene);
    }
}

/* A third of a sheet's links, taken away before the first step. */
TAUT_TEST(added, cut_cloth_is_cloth_without_its_links) {
    enum { MISSING = 20 };
    for (size_t m = 0; m < METHODS; m++) {
        if (!is_there(backend, &methods[m]) || (backend == TAUT_BACKEND_CUDA && m % 3 != 1)) {
            continue;
        }
        taut_batch links;
        taut_scene *whole = sheet_scene(SIDE, &links), *torn = torn_scene(SIDE, MISSING, NULL);
        taut_world *a = make_world(whole, definition(backend, &methods[m]), (taut_reserve){0}),
                   *b = make_world(torn, definition(backend, &methods[m]), (taut_reserve){0});
        CHECK_OK(taut_world_set_present(a, links, 0, MISSING, false));
        for (int i = 0; i < 4; i++) {
            step(a);
            step(b);
        }
        CHECK_NEAR(apart(a, b), 0, 1e-6);
        taut_world_destroy(a);
        taut_world_destroy(b);
        taut_scene_destroy(whole);
        taut_scene_destroy(torn);
    }
}

TAUT_TEST(added, what_is_put_back_acts_again) {
    taut_batch links;
    taut_scene* scene = sheet_scene(SIDE, &links);
    taut_world *a = make_world(scene, definition(backend, &methods[0]), (taut_reserve){0}),
               *b = make_world(scene, definition(backend, &methods[0]), (taut_reserve){0});
    CHECK_OK(taut_world_set_present(a, links, 3, 9, false));
    CHECK_OK(taut_world_set_present(a, links, 3, 9, true));
    for (int i = 0; i < 3; i++) {
        step(a);
        step(b);
    }
    CHECK(same_bits(a, b));
    taut_world_destroy(a);
    taut_world_destroy(b);
    taut_scene_destroy(scene);
}

/* ---- room and ids ------------------------------------------------------------------------------------------------ */

TAUT_TEST(added, a_full_reserve_says_so) {
    taut_scene* scene = sheet_scene(SIDE, NULL);
    taut_world* world = make_world(scene, definition(backend, &methods[0]), (taut_reserve){.targets = 2});
    const uint32_t points[3] = {7, 8, 9};
    taut_target_def def = taut_default_target();
    taut_added ids[3] = {{0}}, first;
    taut_reserve room, left;
    def.particles = points;
    def.count = 3;
    CHECK_STATUS(taut_world_add_targets(world, &def, ids), TAUT_OUT_OF_CAPACITY);
    CHECK(strstr(taut_last_error(), "3 to be added, and 2 of 2") != NULL);
    CHECK_INT(ids[0].id, 0);
    def.count = 2;
    CHECK_OK(taut_world_add_targets(world, &def, ids));
    first = ids[0];
    CHECK_OK(taut_world_room(world, &room, &left));
    CHECK_INT(room.targets, 2);
    CHECK_INT(left.targets, 0);
    CHECK_OK(taut_world_remove(world, 1, &ids[0]));
    CHECK_STATUS(taut_world_remove(world, 1, &ids[0]), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_remove(world, 1, &(taut_added){((uint64_t)1 << 40) + 3}), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "id 1099511627779 belongs to no constraint") != NULL);
    CHECK_STATUS(taut_world_remove(world, 2, ids), TAUT_INVALID_ARGUMENT); /* and not the second one either */
    CHECK(taut_world_has_added(world, ids[1]));
    def.count = 1;
    CHECK_OK(taut_world_add_targets(world, &def, &ids[0]));
    CHECK(ids[0].id != first.id);
    CHECK(!taut_world_has_added(world, first));
    CHECK_STATUS(taut_world_move_added(world, 1, &first, (const double[]){0, 0, 0}), TAUT_INVALID_ARGUMENT);
    step(world);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(added, refuses_what_does_not_fit) {
    taut_batch links;
    taut_scene* scene = sheet_scene(SIDE, &links);
    taut_world* world =
        make_world(scene, definition(TAUT_BACKEND_CPU, &methods[0]), (taut_reserve){.targets = 1, .distances = 1});
    taut_distance_def def = taut_default_distance();
    const uint32_t far[2] = {0, POINTS}, twice[2] = {3, 3}, good[2] = {1, 7};
    const double origin[3] = {0, 0, 0}, nan3[3] = {0, NAN, 0};
    taut_added id = {0};
    bool present;
    def.count = 1;
    def.particles = far;
    CHECK_STATUS(taut_world_add_distances(world, &def, &id), TAUT_INVALID_ARGUMENT);
    def.particles = twice;
    CHECK_STATUS(taut_world_add_distances(world, &def, &id), TAUT_INVALID_ARGUMENT);
    def.particles = good;
    def.compliance = -1;
    CHECK_STATUS(taut_world_add_distances(world, &def, &id), TAUT_INVALID_ARGUMENT);
    def.compliance = 0;
    def.cookie = 0;
    CHECK_STATUS(taut_world_add_distances(world, &def, &id), TAUT_INVALID_DEFINITION);
    CHECK_STATUS(taut_world_add_distances(world, NULL, &id), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_add_distances(NULL, &def, &id), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_grab(world, POINTS, origin, 0, &id), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_grab(world, 3, nan3, 0, &id), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_grab(world, 3, origin, 0, NULL), TAUT_INVALID_ARGUMENT);
    CHECK_INT(id.id, 0);
    CHECK_STATUS(taut_world_release(world, &id), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_remove(world, 1, NULL), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_set_present(world, (taut_batch){9}, 0, 1, false), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_set_present(world, links, 0, 1000, false), TAUT_INVALID_ARGUMENT);
    CHECK_STATUS(taut_world_read_present(world, links, 1000, 1, &present), TAUT_INVALID_ARGUMENT);
    CHECK_OK(taut_world_grab(world, 3, origin, 0, &id));
    const taut_added again[2] = {id, id};
    CHECK_STATUS(taut_world_remove(world, 2, again), TAUT_INVALID_ARGUMENT);
    CHECK(strstr(taut_last_error(), "is given twice") != NULL && taut_world_has_added(world, id));
    CHECK_OK(taut_world_remove(world, 1, again));
    step(world);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

/* What a user does in a run, step by step. */
static void drive(taut_world* world, taut_batch links, taut_added* grab, taut_added* link, int i) {
    const uint32_t pair[2] = {POINTS - 2, 6};
    taut_distance_def def = taut_default_distance();
    const double goal[3] = {1 - 0.01 * i, -0.2, 1};
    def.count = 1;
    def.particles = pair;
    def.compliance = 1e-4;
    if (i >= 1 && i < 6) {
        CHECK_OK(taut_world_grab(world, POINTS - 1, goal, 1e-5, grab));
    }
    if (i == 6) {
        CHECK_OK(taut_world_release(world, grab));
    }
    if (i == 2) {
        CHECK_OK(taut_world_add_distances(world, &def, link));
    }
    if (i == 3) {
        CHECK_OK(taut_world_set_present(world, links, 3, 4, false));
    }
    if (i == 7) {
        CHECK_OK(taut_world_remove(world, 1, link));
        CHECK_OK(taut_world_set_present(world, links, 3, 4, true));
    }
}

static void run(taut_world* world, taut_batch links, taut_added ids[2], int from, int to) {
    for (int i = from; i < to; i++) {
        drive(world, links, &ids[0], &ids[1], i);
        step(world);
    }
}

TAUT_TEST(added, same_bits_with_any_number_of_threads) {
    taut_batch links;
    taut_scene* scene = sheet_scene(backend == TAUT_BACKEND_CUDA ? SIDE : 90, &links);
    taut_world* worlds[2];
    for (size_t i = 0; i < 2; i++) {
        taut_world_def def = definition(backend, &methods[0]);
        taut_added ids[2] = {{0}, {0}};
        def.threads = 1 + 2 * (uint32_t)i;
        def.solver.tolerance = 1e-3;
        worlds[i] = make_world(scene, def, (taut_reserve){.targets = 3, .distances = 3});
        run(worlds[i], links, ids, 0, 3);
    }
    CHECK(same_bits(worlds[0], worlds[1]));
    taut_world_destroy(worlds[0]);
    taut_world_destroy(worlds[1]);
    taut_scene_destroy(scene);
}

TAUT_TEST(added, adding_and_removing_allocate_nothing) {
    taut_batch links;
    taut_scene* scene = sheet_scene(SIDE, &links);
    counting counts = {0};
    taut_world_def def = definition(backend, &methods[0]);
    taut_added ids[2] = {{0}, {0}};
    def.allocator = counting_allocator(&counts);
    taut_world* world = make_world(scene, def, (taut_reserve){.targets = 1, .distances = 1});
    const size_t made = counts.requests;
    run(world, links, ids, 0, 9);
    CHECK_INT(counts.requests, made);
    taut_world_destroy(world);
    CHECK_INT(counts.live, 0);
    taut_scene_destroy(scene);
}

/* ---- growth and saved states ------------------------------------------------------------------------------------- */

/* With room from the start, and with room that comes when it is needed. */
static void check_growth(taut_backend_kind backend, const method_case* m, taut_reserve first) {
    const taut_reserve enough = {.distances = 4, .attachments = 5, .targets = 3};
    taut_batch links;
    taut_scene* scene = sheet_scene(SIDE, &links);
    taut_world* a = make_world(scene, definition(backend, m), enough);
    taut_world* b = make_world(scene, definition(backend, m), first);
    taut_added of_a[2] = {{0}, {0}}, of_b[2] = {{0}, {0}};
    const int until = first.targets > 0 ? 2 : 1;
    run(a, links, of_a, 0, until);
    run(b, links, of_b, 0, until);
    CHECK_OK(taut_world_grow_reserve(b, &enough));
    CHECK(until == 1 || (taut_world_has_added(b, of_b[0]) && of_b[0].id == of_a[0].id));
    run(a, links, of_a, until, 9);
    run(b, links, of_b, until, 9);
    /* Projected gradients begin their estimate of an eigenvalue from the numbers of rows. */
    const bool exact = backend == TAUT_BACKEND_CPU && m->method != TAUT_METHOD_PROJECTED_GRADIENT;
    CHECK(exact ? same_bits(a, b) : apart(a, b) < 1e-7);
    CHECK_STATUS(taut_world_grow_reserve(b, &first), TAUT_INVALID_ARGUMENT);
    taut_world_destroy(a);
    taut_world_destroy(b);
    taut_scene_destroy(scene);
}

TAUT_TEST(added, room_grows_without_the_scene) {
    const size_t some[] = {1, 3, 5, 7, 8, 10};
    for (size_t i = 0; i < 6; i++) {
        if (is_there(backend, &methods[some[i]]) && (backend == TAUT_BACKEND_CPU || i % 3 == 0)) {
            check_growth(backend, &methods[some[i]], (taut_reserve){.targets = 1});
            check_growth(backend, &methods[some[i]], (taut_reserve){0});
        }
    }
}

TAUT_PLAIN_TEST(added, growth_that_cannot_be_is_refused) {
    taut_scene* scene = sheet_scene(SIDE, NULL);
    for (size_t i = 0; i < METHODS; i++) {
        if (!methods[i].room && is_there(TAUT_BACKEND_CPU, &methods[i])) {
            taut_world* world = make_world(scene, definition(TAUT_BACKEND_CPU, &methods[i]), (taut_reserve){0});
            CHECK_STATUS(taut_world_grow_reserve(world, &(taut_reserve){.targets = 1}), TAUT_INVALID_ARGUMENT);
            step(world);
            taut_world_destroy(world);
        }
    }
    taut_scene_destroy(scene);
}

TAUT_TEST(added, saved_states_carry_them) {
    taut_batch links;
    taut_scene* scene = sheet_scene(SIDE, &links);
    const taut_reserve room = {.targets = 2, .distances = 2, .attachments = 1};
    taut_world* a = make_world(scene, definition(backend, &methods[0]), room);
    taut_world* b = make_world(scene, definition(backend, &methods[0]), room);
    taut_added ids[2] = {{0}, {0}}, elsewhere[2] = {{0}, {0}};
    size_t bytes = 0;
    run(a, links, ids, 0, 5);
    run(b, links, elsewhere, 0, 7); /* its places have been used otherwise */
    CHECK_OK(taut_world_state_size(a, &bytes));
    void* block = malloc(bytes);
    CHECK_OK(taut_world_save(a, bytes, block, &bytes));
    CHECK_OK(taut_world_load(b, block, bytes));
    CHECK(taut_world_has_added(b, ids[0]) && taut_world_has_added(b, ids[1]));
    taut_added copies[2] = {ids[0], ids[1]};
    run(a, links, ids, 5, 10);
    run(b, links, copies, 5, 10);
    CHECK(same_bits(a, b));
    taut_world* other = make_world(scene, definition(backend, &methods[0]), (taut_reserve){.targets = 1});
    CHECK_STATUS(taut_world_load(other, block, bytes), TAUT_INVALID_ARGUMENT);
    free(block);
    taut_world_destroy(other);
    taut_world_destroy(a);
    taut_world_destroy(b);
    taut_scene_destroy(scene);
}

/* ---- with contacts ----------------------------------------------------------------------------------------------- */

/* A ball that rests on the ground is lifted by its centre, and dropped. More room for contacts leaves the hand alone.
 */
TAUT_TEST(added, balls_are_lifted_off_the_ground) {
    taut_scene* scene = phys_empty_scene();
    const taut_material_def law = taut_default_material();
    const uint32_t material = contact_material_of(scene, law);
    contact_ground(scene, material);
    taut_body ball = {0, 0};
    for (int i = 0; i < 3; i++) {
        const phys_body at = contact_at(0.3 * i, 0.1, 0);
        ball = contact_ball(scene, &at, 1, 0.1, material);
    }
    taut_world_def def = contact_world_def(backend);
    def.contact.capacity = 3;
    taut_world* world = make_world(scene, def, (taut_reserve){.targets = 1});
    taut_added grab = {0};
    double x[3];
    for (int i = 1; i <= 8; i++) {
        const double goal[3] = {0.6, 0.1 + 0.02 * i, 0};
        CHECK_OK(taut_world_grab(world, ball.point, goal, 0, &grab));
        if (i == 4) {
            CHECK_OK(taut_world_grow_contacts(world, 9));
        }
        CHECK_OK(taut_world_step(world, 0.01));
        phys_position(world, ball.point, x);
        CHECK_NEAR(x[1], goal[1], 1e-5);
    }
    phys_position(world, ball.point - 1, x);
    CHECK_NEAR(x[1], 0.1, 1e-3);
    CHECK_OK(taut_world_release(world, &grab));
    for (int i = 0; i < 60; i++) {
        CHECK_OK(taut_world_step(world, 0.01));
    }
    phys_position(world, ball.point, x);
    CHECK_NEAR(x[1], 0.1, 2e-3);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

/* A loose net with both diagonals of its cells, beside what rests. */
static taut_scene* net_scene(void) {
    enum { NET = 8 };
    static const int way[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    double x[3 * NET * NET], masses[NET * NET];
    uint32_t links[8 * NET * NET];
    size_t count = 0;
    for (int i = 0; i < NET * NET; i++) {
        const int row = i / NET, column = i % NET;
        const double at[3] = {2 + 0.6 * row / (NET - 1), 1.5, 0.6 * column / (NET - 1)};
        memcpy(x + 3 * i, at, sizeof at);
        masses[i] = 0.2 / (NET * NET);
        for (int k = 0; k < 4; k++) {
            const int a = row + way[k][0], b = column + way[k][1];
            if (a < NET && b >= 0 && b < NET) {
                links[2 * count] = (uint32_t)i;
                links[2 * count++ + 1] = (uint32_t)(a * NET + b);
            }
        }
    }
    taut_scene* scene = phys_scene(NET * NET, x, masses);
    phys_add_links(scene, &(phys_tuples){count, links}, 1e-4, 0);
    return scene;
}

/* A spring of its own length from a box that rests on another one to a net that falls, in the same solve, pulls by no
 * more than its law, however long the steps are; factors take over from conjugate gradients on the way. */
TAUT_TEST(added, springs_join_what_rests_in_steps_that_grow_shorter) {
    taut_scene* scene = net_scene();
    const uint32_t material = contact_material_of(scene, taut_default_material());
    const double half[3] = {0.1, 0.1, 0.1};
    taut_body box[2];
    contact_ground(scene, material);
    for (int i = 0; i < 2; i++) {
        phys_body at = contact_at(0, 0.1 + 0.2 * i, 0);
        taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, at.inertia);
        box[i] = phys_add_body(scene, &at);
        contact_shape(scene, TAUT_SHAPE_BOX, half, box[i], NULL, NULL, material);
    }
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = 1;
    taut_world* world = make_world(scene, def, (taut_reserve){.distances = 1});
    for (int i = 0; i < 10; i++) {
        CHECK_OK(taut_world_step(world, dt));
    }
    const uint32_t ends[2] = {box[0].point, 0};
    taut_distance_def spring = taut_default_distance();
    spring.count = 1;
    spring.particles = ends;
    spring.compliance = 1e-3;
    CHECK_OK(taut_world_add_distances(world, &spring, NULL));
    for (int i = 2; i <= 4; i++) {
        CHECK_OK(taut_world_step(world, dt / i));
    }
    double x[3];
    phys_position(world, box[1].point, x);
    CHECK_NEAR(x[1], 0.3, 1e-3);
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}
