/* Closed triangle meshes as colliders: against boxes, planes and a search over triangles; at rest, rolling, on bodies;
 * and what is refused. */
#include "closed_meshes.h"
#include "contact_scenes.h"
#include "counting.h"
#include "dense_matrix.h"
#include "refused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H      0.01
#define RADIUS 0.1

static const double half[3] = {0.3, 0.2, 0.25};

/* What stands for a box with these halves of its sides. */
typedef enum stand_in { AS_BOX, AS_TRIANGLES, AS_GRID, STAND_INS } stand_in;

static uint32_t add_box(taut_scene* scene, stand_in how, taut_body body, const double at[3], const double q[4],
                        uint32_t material) {
    if (how == AS_BOX) {
        return contact_shape(scene, TAUT_SHAPE_BOX, half, body, at, q, material);
    }
    phys_mesh cube = closed_box(half), star = closed_star();
    closed_add(scene, &star, how == AS_GRID ? 0.5 : 0); /* the box is neither the first one nor the last */
    const uint32_t mesh = closed_add(scene, &cube, how == AS_GRID ? 0.03 : 0);
    closed_add(scene, &star, how == AS_GRID ? 0.5 : 0);
    phys_mesh_free(&cube); /* the scene has copied it */
    phys_mesh_free(&star);
    return contact_mesh(scene, mesh, body, at, q, material);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Particles at rest round about a collider in the world, all of them contacts for a step that is too short to move them
 * by more than 1e-9 m. */
static void find_all(taut_backend_kind backend, taut_scene* scene, size_t count, contact_list* list) {
    uint32_t* particles = phys_array(count, sizeof *particles);
    for (uint32_t i = 0; i < count; i++) {
        particles[i] = i;
    }
    contact_touch(scene, count, particles, 0, 0);
    taut_world_def def = contact_world_def(backend);
    def.contact.margin = 100;
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 1, 1e-9, NULL);
    contact_read(world, list);
    CHECK_INT(list->count, count);
    taut_world_destroy(world);
    free(particles);
}

/* A grid rounds edges and corners off, by less than a cell, and tells 1/sqrt(2) of the distance at least where it has
 * ended, two cells outside; triangles are the box. */
TAUT_TEST(contact_mesh, gaps_and_normals_are_those_of_a_box) {
    enum { COUNT = 40 };
    const double place[3] = {0.3, -0.2, 0.1};
    double points[3 * COUNT], q[4];
    contact_list lists[STAND_INS];
    random_state state = {91};
    phys_turn((const double[]){1, 2, -0.5}, 0.7, q);
    random_fill(&state, -0.45, 0.45, 3 * COUNT, points);
    for (size_t i = 0; i < COUNT; i++) {
        phys_add(1, place, points + 3 * i);
    }
    for (int how = 0; how < STAND_INS; how++) {
        taut_scene* scene = phys_scene(COUNT, points, NULL);
        add_box(scene, (stand_in)how, TAUT_WORLD, place, q, 0);
        find_all(backend, scene, COUNT, &lists[how]);
    }
    int inside = 0;
    for (size_t i = 0; i < lists[AS_BOX].count && i < COUNT; i++) {
        const taut_contact *box = &lists[AS_BOX].contacts[i], *mesh = &lists[AS_TRIANGLES].contacts[i];
        test_note("point %zu, gap %g", i, box->gap);
        CHECK_INT(mesh->point, box->point);
        CHECK_NEAR(mesh->gap, box->gap, 4e-9);
        CHECK_NEAR(phys_farthest(mesh->normal, box->normal, 3), 0, 1e-11);
        CHECK_NEAR(phys_farthest(mesh->position, box->position, 3), 0, 4e-9);
        CHECK(lists[AS_GRID].contacts[i].gap < box->gap + 0.03);
        CHECK(lists[AS_GRID].contacts[i].gap > (box->gap < 0.06 ? box->gap : box->gap / sqrt(2)) - 0.03);
        CHECK_NEAR(phys_length(lists[AS_GRID].contacts[i].normal), 1, 1e-14);
        inside += box->gap < 0;
    }
    CHECK(inside > 2 && inside < COUNT / 2);
    test_note(NULL);
}

/* Spikes, whose edges and corners are sharp, from both sides. */
TAUT_TEST(contact_mesh, gaps_are_those_of_a_search) {
    enum { COUNT = 60 };
    const double place[3] = {-0.5, 0.4, 2};
    phys_mesh star = closed_star();
    double points[3 * COUNT], local[3 * COUNT], q[4];
    contact_list list;
    random_state state = {92};
    phys_turn((const double[]){0.3, -1, 0.4}, 2, q);
    random_fill(&state, -2.5, 2.5, 3 * COUNT, local);
    for (size_t i = 0; i < COUNT; i++) {
        const double* corner = star.points + 3 * (i % star.point_count);
        for (size_t a = 0; a < 3 && i >= COUNT / 2; a++) {
            local[3 * i + a] = corner[a] + 0.02 * local[3 * i + a];
        }
        phys_rotate(q, local + 3 * i, points + 3 * i);
        phys_add(1, place, points + 3 * i);
    }
    taut_scene* scene = phys_scene(COUNT, points, NULL);
    contact_mesh(scene, closed_add(scene, &star, 0), TAUT_WORLD, place, q, 0);
    find_all(backend, scene, COUNT, &list);
    for (size_t i = 0; i < list.count && i < COUNT; i++) {
        test_note("point %zu", i);
        CHECK_NEAR(list.contacts[i].gap, closed_distance(&star, local + 3 * list.contacts[i].point), 4e-9);
    }
    test_note(NULL);
    phys_mesh_free(&star);
}

/* ---- rest and rolling -------------------------------------------------------------------------------------------- */

/* The sides of a block of cells, two triangles each; its top is y = 0. */
static phys_mesh slab(size_t cells, double width, double height) {
    const double size[3] = {width, height, width};
    const phys_mesh block = phys_block((const size_t[]){cells, 1, cells}, size);
    phys_mesh out = phys_mesh_make(block.point_count, 4 * cells * cells + 8 * cells, 3);
    out.cell_count = 0;
    for (size_t side = 0; side < 6; side++) {
        phys_tuples found = phys_side(&block, side / 2, side % 2 == 0 ? 0 : size[side / 2], 1e-9);
        memcpy(out.cells + 3 * out.cell_count, found.items, 3 * found.count * sizeof *found.items);
        out.cell_count += found.count;
        free(found.items);
    }
    memcpy(out.points, block.points, 3 * block.point_count * sizeof *out.points);
    closed_move(&out, 1, (const double[]){-width / 2, -height, -width / 2});
    phys_mesh_free((phys_mesh[]){block});
    return out;
}

/* A floor of 4 x 4 cells: a ball over the middle of a triangle, over an edge and over a corner. */
static void check_rest(taut_backend_kind backend, double spacing) {
    const double places[3][2] = {{0.1, 0.3}, {0.25, 0}, {0, 0}};
    phys_mesh floor = slab(4, 2, 0.5);
    for (int i = 0; i < 3; i++) {
        const phys_body at = contact_at(places[i][0], RADIUS, places[i][1]);
        taut_scene* scene = phys_empty_scene();
        const taut_body ball = contact_ball(scene, &at, 1.3, RADIUS, 0);
        const uint32_t collider = contact_mesh(scene, closed_add(scene, &floor, spacing), TAUT_WORLD, NULL, NULL, 0);
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        double x[3], force[3], sum[3];
        contact_run(world, 12, H, NULL);
        phys_position(world, ball.point, x);
        contact_force_on(world, collider, force);
        contact_sum(world, sum);
        test_note("spacing %g, place %d", spacing, i);
        CHECK_NEAR(phys_apart(x, at.x), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(force, (const double[]){0, -1.3 * PHYS_GRAVITY, 0}), 0,
                   1.3 * PHYS_GRAVITY * CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(sum, (const double[]){0, 1.3 * PHYS_GRAVITY, 0}), 0, 1.3 * PHYS_GRAVITY * CONTACT_CLOSE);
        test_note(NULL);
        taut_world_destroy(world);
    }
    phys_mesh_free(&floor);
}

TAUT_TEST(contact_mesh, ball_rests_on_triangles) {
    check_rest(backend, 0);
}

TAUT_TEST(contact_mesh, ball_rests_on_a_grid) {
    check_rest(backend, 0.11);
}

/* Over a dozen edges and through two corners, at the speed with which it rolls without sliding. */
TAUT_TEST(contact_mesh, ball_rolls_over_edges_without_notice) {
    phys_mesh floor = slab(8, 2, 0.5);
    phys_body at = contact_at(-0.5, RADIUS, -0.25);
    const double speed[3] = {1.2, 0, 0.6};
    memcpy(at.v, speed, sizeof at.v);
    phys_cross((const double[]){0, 1 / RADIUS, 0}, speed, at.w);
    taut_scene* scene = phys_empty_scene();
    const taut_body ball = contact_ball(scene, &at, 1.3, RADIUS, 0);
    contact_mesh(scene, closed_add(scene, &floor, 0), TAUT_WORLD, NULL, NULL, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    phys_body now = at;
    for (int i = 1; i <= 50; i++) {
        contact_run(world, 1, H, NULL);
        phys_read_body(world, ball, &now);
        double expected[3] = {at.x[0], at.x[1], at.x[2]};
        phys_add(i * H, speed, expected);
        test_note("step %d", i);
        CHECK_NEAR(phys_apart(now.x, expected), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(now.v, at.v), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(now.w, at.w), 0, CONTACT_CLOSE / RADIUS);
    }
    test_note(NULL);
    taut_world_destroy(world);
    phys_mesh_free(&floor);
}

/* ---- on bodies --------------------------------------------------------------------------------------------------- */

/* A ball on a collider that is lifted, pushed and tilted. */
static void ride(taut_backend_kind backend, stand_in how, phys_body* ball) {
    const phys_body on = contact_at(0.02, half[1] + RADIUS, 0.01);
    phys_body under = contact_at(0, 0, 0);
    taut_scene* scene = phys_empty_scene();
    under.fixed = true;
    taut_inertia_of_box(1, (const double[]){0.6, 0.4, 0.5}, under.inertia);
    const taut_body carrier = phys_add_body(scene, &under), carried = contact_ball(scene, &on, 0.7, RADIUS, 0);
    add_box(scene, how, carrier, NULL, NULL, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    for (int i = 1; i <= 25; i++) {
        const double t = i * H, at[3] = {0.2 * t, t * t, -0.1 * t};
        double q[4];
        phys_turn((const double[]){0.2, 0, 1}, 0.4 * t, q);
        CHECK_OK(taut_world_move_fixed_bodies(world, 1, &carrier, at, q));
        contact_run(world, 1, H, NULL);
    }
    phys_read_body(world, carried, ball);
    taut_world_destroy(world);
}

TAUT_TEST(contact_mesh, moves_with_a_body_as_a_box_does) {
    phys_body balls[STAND_INS];
    for (int how = 0; how < STAND_INS; how++) {
        ride(backend, (stand_in)how, &balls[how]);
        test_note("stand-in %d", how);
        CHECK_NEAR(phys_apart(balls[how].x, balls[AS_BOX].x), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(balls[how].v, balls[AS_BOX].v), 0, 10 * CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(balls[how].w, balls[AS_BOX].w), 0, 100 * CONTACT_CLOSE);
    }
    CHECK(phys_apart(balls[AS_BOX].x, (const double[]){0.02, half[1] + RADIUS, 0.01}) > 0.03);
    test_note(NULL);
}

/* Off centre against a corner of a free body, which spins: the impulse is that of the same box, and momentum stays. */
static void collide(taut_backend_kind backend, stand_in how, phys_body bodies[2]) {
    taut_scene* scene = phys_empty_scene();
    taut_body handles[2];
    const uint32_t material = contact_material(scene, 0.4, 0.3);
    bodies[0] = contact_at(half[0] + 0.2, half[1] + 0.05, 0.05);
    bodies[1] = contact_at(0, 0, 0);
    bodies[1].mass = 2;
    memcpy(bodies[0].v, (const double[]){-2, -0.3, 0.1}, sizeof bodies[0].v);
    memcpy(bodies[1].w, (const double[]){0.5, -1, 2}, sizeof bodies[1].w);
    taut_inertia_of_sphere(1, RADIUS, bodies[0].inertia);
    taut_inertia_of_box(2, (const double[]){2 * half[0], 2 * half[1], 2 * half[2]}, bodies[1].inertia);
    handles[0] = contact_ball(scene, &bodies[0], 1, RADIUS, material);
    handles[1] = phys_add_body(scene, &bodies[1]);
    add_box(scene, how, handles[1], NULL, NULL, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 20, H, NULL);
    for (int i = 0; i < 2; i++) {
        phys_read_body(world, handles[i], &bodies[i]);
    }
    taut_world_destroy(world);
}

TAUT_TEST(contact_mesh, pushes_a_free_body_as_a_box_does) {
    phys_body box[2], mesh[2];
    collide(backend, AS_BOX, box);
    collide(backend, AS_TRIANGLES, mesh);
    double momentum[3] = {2, 0.3, -0.1};
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(phys_apart(mesh[i].x, box[i].x), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(mesh[i].v, box[i].v), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(mesh[i].w, box[i].w), 0, 10 * CONTACT_CLOSE);
        phys_add(mesh[i].mass, mesh[i].v, momentum);
    }
    CHECK_NEAR(phys_length(momentum), 0, CONTACT_CLOSE);
    CHECK(mesh[1].v[0] < -0.2); /* they did meet */
}

/* ---- drops ------------------------------------------------------------------------------------------------------- */

typedef struct drop {
    double radius, width; /* of a point, and of where they fall from */
    size_t count, steps;
    uint32_t threads;
} drop;

/* Particles from a slice above the mesh onto it; where they are then, to be freed. */
static double* drop_on(taut_backend_kind backend, const phys_mesh* mesh, double spacing, const drop* how) {
    double* points = phys_array(3 * how->count, sizeof *points);
    uint32_t* particles = phys_array(how->count, sizeof *particles);
    random_state state = {93};
    double top = -INFINITY;
    for (size_t i = 0; i < mesh->point_count; i++) {
        top = fmax(top, mesh->points[3 * i + 1]);
    }
    for (size_t i = 0; i < how->count; i++) {
        particles[i] = (uint32_t)i;
        random_fill(&state, -how->width, how->width, 3, points + 3 * i);
        points[3 * i + 1] = top + 2 * how->radius + 0.2 * fabs(points[3 * i + 1]);
    }
    taut_scene* scene = phys_scene(how->count, points, NULL);
    contact_mesh(scene, closed_add(scene, mesh, spacing), TAUT_WORLD, NULL, NULL, 0);
    contact_touch(scene, how->count, particles, how->radius, 0);
    taut_world_def def = contact_world_def(backend);
    def.threads = how->threads;
    taut_world* world = phys_world(scene, &def);
    contact_run(world, how->steps, H, NULL);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    taut_world_destroy(world);
    free(points);
    free(particles);
    return x;
}

TAUT_TEST(contact_mesh, same_bits_every_time) {
    phys_mesh star = closed_star();
    const drop how[3] = {{0.05, 1.5, 12, 20, 1}, {0.05, 1.5, 12, 20, 1}, {0.05, 1.5, 12, 20, 3}};
    for (int grid = 0; grid < 2; grid++) {
        double* x[3];
        for (int i = 0; i < 3; i++) {
            x[i] = drop_on(backend, &star, grid ? 0.2 : 0, &how[i]);
            CHECK(memcmp(x[0], x[i], 36 * sizeof(double)) == 0);
        }
        for (int i = 0; i < 3; i++) {
            free(x[i]);
        }
    }
    phys_mesh_free(&star);
}

/* Least distance of so many points from the mesh. */
static double least_distance(const phys_mesh* mesh, size_t count, const double* x) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, closed_distance(mesh, x + 3 * i));
    }
    return least;
}

/* Other people's meshes, scaled to be 1 m wide. The step sees a curved surface as its tangent plane: what slides by v h
 * over a bend of radius r comes too near by (v h)^2 / (2 r), and an edge is met by what passes it within a step. */
TAUT_PLAIN_TEST(contact_mesh, points_fall_on_real_meshes) {
    static const struct {
        const char* name;
        size_t points, triangles;
        double width;
    } files[] = {{"collider/mujoco__spot.obj", 2930, 5856, 1.8},
                 {"collider/sofa__icosahedron.obj", 12, 20, 1.7},
                 {"collider/sofa__sphere.obj", 382, 760, 2},
                 {"collider/sofa__torus_for_collision.obj", 200, 400, 4.7}};
    if (test_data("") == NULL) {
        test_skip("shared data absent");
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        phys_mesh mesh = closed_read_obj(test_data(files[i].name));
        test_note("%s", files[i].name);
        REQUIRE(CHECK_INT(mesh.point_count, files[i].points) && CHECK_INT(mesh.cell_count, files[i].triangles));
        closed_move(&mesh, 1 / files[i].width, (const double[]){0, 0, 0});
        const drop how = {0.02, 0.4, 80, 100, 1};
        for (int grid = 0; grid < 2; grid++) {
            double* x = drop_on(TAUT_BACKEND_CPU, &mesh, grid ? 0.02 : 0, &how);
            const double least = least_distance(&mesh, how.count, x);
            size_t held = 0;
            for (size_t k = 0; k < how.count; k++) {
                held += closed_distance(&mesh, x + 3 * k) < how.radius + 1e-3;
            }
            test_note("%s, %s: nearest %g m, %zu of %zu on it", files[i].name, grid ? "grid" : "triangles", least, held,
                      how.count);
            CHECK(least > 0.8 * how.radius);
            CHECK(held > 0);
            free(x);
        }
        phys_mesh_free(&mesh);
    }
    test_note(NULL);
}

/* The bowl has a rim of 60 edges. */
TAUT_PLAIN_TEST(contact_mesh, open_bowl_is_refused) {
    if (test_data("") == NULL) {
        test_skip("shared data absent");
        return;
    }
    phys_mesh bowl = closed_read_obj(test_data("collider/codim-ipc__bowl.obj"));
    REQUIRE(CHECK_INT(bowl.point_count, 1196) && CHECK_INT(bowl.cell_count, 2330));
    taut_scene* scene = phys_empty_scene();
    const taut_collider_mesh_def def = closed_def(&bowl, 0);
    uint32_t mesh = 7;
    INVALID(taut_scene_add_collider_mesh(scene, &def, &mesh));
    CHECK(strstr(taut_last_error(), "1 triangle;") != NULL);
    CHECK_INT(mesh, 7);
    taut_scene_destroy(scene);
    phys_mesh_free(&bowl);
}

/* ---- refused ----------------------------------------------------------------------------------------------------- */

/* With a sentence that has this part. */
static void check_refused(taut_scene* scene, const taut_collider_mesh_def* def, const char* why) {
    uint32_t mesh = 7;
    INVALID(taut_scene_add_collider_mesh(scene, def, &mesh));
    test_note("\"%s\" without \"%s\"", taut_last_error(), why);
    CHECK(strstr(taut_last_error(), why) != NULL);
    CHECK_INT(mesh, 7);
    test_note(NULL);
}

TAUT_PLAIN_TEST(contact_mesh, refuses_numbers) {
    taut_scene* scene = phys_empty_scene();
    phys_mesh cube = closed_box(half);
    const taut_collider_mesh_def fresh = closed_def(&cube, 0);
    taut_collider_mesh_def def = fresh, unmade;
    uint32_t mesh = 7;
    memset(&unmade, 0, sizeof unmade);
    UNMADE(taut_scene_add_collider_mesh(scene, &unmade, &mesh));
    INVALID(taut_scene_add_collider_mesh(scene, NULL, &mesh));
    INVALID(taut_scene_add_collider_mesh(NULL, &def, &mesh));
    INVALID(taut_scene_add_collider_mesh(scene, &def, NULL));
    def.vertex_count = 0;
    check_refused(scene, &def, "vertices");
    def.vertex_count = 7;
    check_refused(scene, &def, "vertex 7 of 7");
    def = fresh;
    def.positions = NULL;
    check_refused(scene, &def, "positions");
    def = fresh;
    def.triangle_count = 0;
    check_refused(scene, &def, "triangles");
    def = fresh;
    def.triangles = NULL;
    check_refused(scene, &def, "triangles");
    const double bad[] = {-1, NAN, INFINITY, -INFINITY, 1e-9};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        def = fresh;
        def.spacing = bad[i];
        check_refused(scene, &def, i < 4 ? "spacing" : "grid");
    }
    for (size_t i = 0; i < 4; i++) {
        const double kept = cube.points[4];
        cube.points[4] = i == 0 ? 1e12 : bad[i];
        check_refused(scene, &fresh, "position");
        cube.points[4] = kept;
    }
    CHECK_OK(taut_scene_add_collider_mesh(scene, &fresh, &mesh));
    CHECK_INT(mesh, 0);
    CHECK_OK(taut_scene_add_collider_mesh(scene, &fresh, &mesh));
    CHECK_INT(mesh, 1);
    taut_scene_destroy(scene);
    phys_mesh_free(&cube);
}

TAUT_PLAIN_TEST(contact_mesh, refuses_what_is_not_closed) {
    taut_scene* scene = phys_empty_scene();
    phys_mesh cube = closed_box(half), apart = closed_box(half);
    taut_collider_mesh_def def = closed_def(&cube, 0);
    def.triangle_count = 11;
    check_refused(scene, &def, "1 triangle;");
    def.triangle_count = 12;
    const uint32_t kept = cube.cells[1];
    cube.cells[1] = cube.cells[2];
    cube.cells[2] = kept;
    check_refused(scene, &def, "turned against each other");
    cube.cells[2] = cube.cells[1];
    cube.cells[1] = kept;
    cube.points[3] = nextafter(cube.points[3], 1); /* of a seam that is almost in one place */
    CHECK_OK(taut_scene_add_collider_mesh(scene, &def, (uint32_t[]){0}));
    closed_move(&apart, 1, (const double[]){2 * half[0], 2 * half[1], 0});
    phys_mesh touching = closed_both(&cube, &apart); /* along an edge */
    for (size_t i = 0; i < 24; i++) {
        touching.points[i] = copysign(half[i % 3], touching.points[i]);
        touching.points[24 + i] = touching.points[i] + (i % 3 == 2 ? 0 : 2 * half[i % 3]);
    }
    def = closed_def(&touching, 0);
    check_refused(scene, &def, "4 triangles");
    phys_mesh_free(&touching);
    phys_mesh_free(&cube);
    phys_mesh_free(&apart);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(contact_mesh, refuses_what_is_flat) {
    taut_scene* scene = phys_empty_scene();
    phys_mesh flat = closed_box(half), needle = closed_box(half);
    for (size_t i = 0; i < 8; i++) {
        flat.points[3 * i] = 0;
    }
    taut_collider_mesh_def def = closed_def(&flat, 0);
    INVALID(taut_scene_add_collider_mesh(scene, &def, (uint32_t[]){0}));
    const double two[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    def.vertex_count = 3;
    def.positions = two;
    def.triangle_count = 2;
    def.triangles = (const uint32_t[]){0, 1, 2, 0, 2, 1};
    check_refused(scene, &def, "enclose nothing");
    def.triangle_count = 1;
    def.triangles = (const uint32_t[]){0, 1, 1};
    check_refused(scene, &def, "enclose nothing");
    for (int a = 0; a < 3; a++) { /* a corner in the middle of the diagonal of a side that it belongs to */
        needle.points[a] = (needle.points[3 * 4 + a] + needle.points[3 * 6 + a]) / 2;
    }
    def = closed_def(&needle, 0);
    check_refused(scene, &def, "no area");
    taut_scene_destroy(scene);
    phys_mesh_free(&flat);
    phys_mesh_free(&needle);
}

TAUT_PLAIN_TEST(contact_mesh, refuses_numbers_of_meshes) {
    taut_scene* scene = phys_empty_scene();
    phys_mesh cube = closed_box(half);
    taut_colliders_def def = taut_default_colliders();
    def.count = 1;
    def.shape = TAUT_SHAPE_MESH;
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    closed_add(scene, &cube, 0);
    CHECK_OK(taut_scene_add_colliders(scene, &def, NULL));
    def.mesh = 1;
    INVALID(taut_scene_add_colliders(scene, &def, NULL));
    def.shape = TAUT_SHAPE_PLANE; /* of which it says nothing */
    CHECK_OK(taut_scene_add_colliders(scene, &def, NULL));
    CHECK_TEXT(taut_shape_name(TAUT_SHAPE_MESH), "mesh");
    taut_scene_destroy(scene);
    phys_mesh_free(&cube);
}

/* Where memory ends at any request, the mesh is not there, nothing else has changed, and all comes back. */
TAUT_PLAIN_TEST(contact_mesh, memory_that_ends) {
    phys_mesh cube = closed_box(half);
    const taut_collider_mesh_def mesh = closed_def(&cube, 0.1);
    taut_status status = TAUT_OUT_OF_MEMORY;
    size_t refused = 0;
    while (status != TAUT_OK && refused < 100) {
        counting count = {0};
        taut_scene_def def = taut_default_scene();
        taut_scene* scene = NULL;
        uint32_t number = 7;
        def.allocator = counting_allocator(&count);
        CHECK_OK(taut_scene_create(&def, &scene));
        closed_add(scene, &cube, 0);
        count.refuse_from = count.requests + 1 + refused;
        status = taut_scene_add_collider_mesh(scene, &mesh, &number);
        test_note("request %zu refused", refused + 1);
        CHECK(status == TAUT_OK || status == TAUT_OUT_OF_MEMORY);
        CHECK_INT(number, status == TAUT_OK ? 1 : 7);
        count.refuse_from = 0;
        CHECK_OK(taut_scene_add_collider_mesh(scene, &mesh, &number));
        CHECK_INT(number, status == TAUT_OK ? 2 : 1);
        taut_scene_destroy(scene);
        CHECK_INT(count.live, 0);
        CHECK(!count.misuse);
        refused += status != TAUT_OK;
    }
    CHECK(refused > 15 && status == TAUT_OK);
    test_note(NULL);
    phys_mesh_free(&cube);
}
