/* Two closed meshes, neither of which is convex: edges that cross bear, hook into each other, and leave alone what
 * corners and faces tell. */
#include "closed_meshes.h"
#include "contact_scenes.h"
#include "dense_matrix.h"

#include <math.h>
#include <string.h>

#define H (1.0 / 60)

static const double origin[3] = {0, 0, 0};

/* Emulated devices take their time. */
static size_t steps_on(taut_backend_kind backend, size_t cpu, size_t cuda) {
    return backend == TAUT_BACKEND_CUDA ? cuda : cpu;
}

static taut_world* world_of(taut_backend_kind backend, taut_scene* scene, double gravity) {
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.solver.tolerance = 1e-6;
    def.integrator.guard = true;
    def.gravity[1] = -gravity;
    return phys_world(scene, &def);
}

/* Two boxes with these halves of their sides, one of them moved: together they are not convex. */
static phys_mesh two_boxes(const double one[3], const double other[3], const double by[3]) {
    phys_mesh first = closed_box(one), second = closed_box(other);
    closed_move(&second, 1, by);
    phys_mesh both = closed_both(&first, &second);
    phys_mesh_free(&first);
    phys_mesh_free(&second);
    return both;
}

/* Along z, 0.1 m thick; its smaller part is farther out than anything that it lies on. */
static phys_mesh bar(void) {
    return two_boxes((const double[]){0.05, 0.05, 0.8}, (const double[]){0.05, 0.05, 0.05},
                     (const double[]){0, 0, 0.9});
}

/* A homogeneous box's inertia suffices. */
static phys_body body_at(double mass, const double sides[3], double x, double y, double z) {
    phys_body body = contact_at(x, y, z);
    body.mass = mass;
    taut_inertia_of_box(mass, sides, body.inertia);
    return body;
}

/* A body that touches with a mesh and its vertices, as rigid objects of scenes do. */
static taut_body add_mesh(taut_scene* scene, uint32_t number, const phys_mesh* mesh, const phys_body* body,
                          uint32_t material) {
    const taut_body handle = phys_add_body(scene, body);
    contact_mesh(scene, number, handle, origin, NULL, material);
    contact_touch_body(scene, handle, mesh->point_count, mesh->points, 0, material);
    return handle;
}

/* No vertex of either is near the other one. */
TAUT_TEST(contact_meshes, bars_lie_across_each_other) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 0.5, 0);
    phys_mesh mesh = bar();
    const uint32_t number = closed_add(scene, &mesh, 0);
    const double sides[3] = {0.1, 0.1, 1.6};
    double across[4];
    phys_turn((const double[]){0, 1, 0}, 1.2, across);
    contact_mesh(scene, number, TAUT_WORLD, origin, across, rough);
    phys_body body = body_at(5, sides, 0, 0.101, 0);
    const taut_body handle = add_mesh(scene, number, &mesh, &body, rough);
    taut_world* world = world_of(backend, scene, PHYS_GRAVITY);
    contact_list list;
    contact_run(world, steps_on(backend, 60, 6), H, NULL);
    phys_read_body(world, handle, &body);
    contact_read(world, &list);
    CHECK_NEAR(body.x[1], 0.1, 2e-4);
    CHECK_NEAR(body.x[0], 0, 1e-3);
    CHECK_INT(list.count, 4);
    for (size_t i = 0; i < list.count; i++) {
        CHECK_NEAR(list.contacts[i].normal[1], 1, 1e-6);
    }
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

/* Two rings in each other, whose vertices are far apart: ridges bear, where they bend away from the other ring, too. */
TAUT_TEST(contact_meshes, rings_hang_in_each_other) {
    const double wide = 0.1, thin = 0.025, sides[3] = {0.25, 0.25, 0.05};
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = closed_torus(wide, thin, 8, 6);
    const uint32_t number = closed_add(scene, &mesh, 0);
    phys_body body = body_at(50, sides, 0, 0, -2 * (wide - thin) + 0.002);
    phys_turn((const double[]){1, 0, 0}, 1.5707963267948966, body.q);
    double standing[4];
    phys_turn((const double[]){0, 1, 0}, 1.5707963267948966, standing);
    contact_mesh(scene, number, TAUT_WORLD, origin, standing, 0);
    const taut_body handle = add_mesh(scene, number, &mesh, &body, 0);
    const double force[3] = {0, 0, -50 * PHYS_GRAVITY};
    taut_world* world = world_of(backend, scene, 0);
    CHECK_OK(taut_world_set_forces(world, handle.point, 1, force));
    contact_run(world, steps_on(backend, 120, 8), H, NULL);
    phys_read_body(world, handle, &body);
    CHECK_NEAR(body.x[2], -2 * (wide - thin), 2e-3);
    CHECK_NEAR(body.x[0], 0, 0.01);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

/* A plate comes down on the tip of what is fixed: no vertex of it, and no edge, is near. */
TAUT_TEST(contact_meshes, tips_of_fixed_meshes_bear) {
    const double half[3] = {0.2, 0.02, 0.2}, sides[3] = {0.4, 0.04, 0.4}, scale = 0.1;
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 1, 0);
    phys_mesh star = closed_star();
    phys_mesh plate = two_boxes(half, (const double[]){0.1, 0.02, 0.1}, (const double[]){0, 0.1, 0});
    double tip[3] = {0, 0, 0};
    for (size_t i = 0; i < star.point_count; i++) {
        if (star.points[3 * i + 1] > tip[1]) {
            memcpy(tip, star.points + 3 * i, sizeof tip);
        }
    }
    closed_move(&star, scale, (const double[]){-scale * tip[0], -scale * tip[1], -scale * tip[2]});
    contact_mesh(scene, closed_add(scene, &star, 0), TAUT_WORLD, origin, NULL, rough);
    phys_body body = body_at(3, sides, 0, 0.021, 0);
    const taut_body handle = add_mesh(scene, closed_add(scene, &plate, 0), &plate, &body, rough);
    taut_world* world = world_of(backend, scene, PHYS_GRAVITY);
    contact_run(world, 4, H, NULL);
    phys_read_body(world, handle, &body);
    CHECK_NEAR(body.x[1], 0.02, 2e-3);
    taut_world_destroy(world);
    phys_mesh_free(&star);
    phys_mesh_free(&plate);
}

/* How deep any of 20 places of every edge of one mesh is in the other one. */
static double deepest_edge(const phys_mesh* one, const phys_mesh* other) {
    double deepest = 0;
    for (size_t i = 0; i < 3 * one->cell_count; i++) {
        const double *from = one->points + 3 * (size_t)one->cells[i],
                     *to = one->points + 3 * (size_t)one->cells[i % 3 == 2 ? i - 2 : i + 1];
        for (int k = 0; from < to && k < 20; k++) {
            double x[3];
            for (int a = 0; a < 3; a++) {
                x[a] = from[a] + k / 20.0 * (to[a] - from[a]);
            }
            deepest = fmax(deepest, -closed_distance(other, x));
        }
    }
    return deepest;
}

static phys_mesh mesh_on(const phys_mesh* mesh, const phys_body* body) {
    phys_mesh out = closed_both(mesh, mesh);
    out.point_count = mesh->point_count;
    out.cell_count = mesh->cell_count;
    for (size_t i = 0; i < mesh->point_count; i++) {
        phys_rotate(body->q, mesh->points + 3 * i, out.points + 3 * i);
        phys_add(1, body->x, out.points + 3 * i);
    }
    return out;
}

/* m: the deepest overlap of angles of 0.3 m that have fallen onto each other, turned at random; independent of normals
 * and trees. */
static double deepest_of_heap(uint64_t seed) {
    enum { COUNT = 6 };
    const double sides[3] = {0.3, 0.3, 0.12};
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = closed_angle(0.4), there[COUNT];
    closed_move(&mesh, 0.3, (const double[]){-0.1, -0.1, -0.06});
    const uint32_t number = closed_add(scene, &mesh, 0);
    random_state state = {seed};
    taut_body handles[COUNT];
    contact_tray(scene, 0.35, 0.35, 0);
    for (int i = 0; i < COUNT; i++) {
        double turn[3];
        random_fill(&state, -1, 1, 3, turn);
        phys_body body = body_at(4, sides, 0.02 * i, 0.3 + 0.45 * i, -0.02 * i);
        phys_turn(turn, 2.5, body.q);
        handles[i] = add_mesh(scene, number, &mesh, &body, 0);
    }
    taut_world* world = world_of(TAUT_BACKEND_CPU, scene, PHYS_GRAVITY);
    for (size_t step = 0; step < 150; step++) {
        CHECK_OK(taut_world_step(world, H));
    }
    for (int i = 0; i < COUNT; i++) {
        phys_body body;
        phys_read_body(world, handles[i], &body);
        there[i] = mesh_on(&mesh, &body);
    }
    double deepest = 0;
    for (int i = 0; i < COUNT * COUNT; i++) {
        deepest = i % COUNT != i / COUNT ? fmax(deepest, deepest_edge(&there[i % COUNT], &there[i / COUNT])) : deepest;
    }
    for (int i = 0; i < COUNT; i++) {
        phys_mesh_free(&there[i]);
    }
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    return deepest;
}

/* Edges that cross within a substep can stay in each other: of 28 heaps two or three do. */
TAUT_PLAIN_TEST(contact_meshes, heaps_do_not_overlap) {
    int deep = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const double deepest = deepest_of_heap(seed);
        test_note("heap %d: %g m", (int)seed, deepest);
        deep += deepest >= 2e-3;
    }
    CHECK(deep <= 1);
}

/* Edges a little below a plane along which something slides do not stop it: two floors stand flush beside each other,
 * and only edges touch. */
TAUT_TEST(contact_meshes, seams_let_pass_what_slides) {
    const double half[3] = {0.5, 0.1, 0.5}, small[3] = {0.1, 0.1, 0.1}, sides[3] = {0.2, 0.2, 0.2};
    taut_scene* scene = phys_empty_scene();
    const uint32_t smooth = contact_material(scene, 0, 0);
    phys_mesh floor = two_boxes(half, small, (const double[]){0, -0.3, 0});
    phys_mesh sled = two_boxes((const double[]){0.1, 0.1, 0.1}, small, (const double[]){0, 0.3, 0});
    const uint32_t number = closed_add(scene, &floor, 0);
    contact_mesh(scene, number, TAUT_WORLD, (const double[]){0, -0.1, 0}, NULL, smooth);
    contact_mesh(scene, number, TAUT_WORLD, (const double[]){1, -0.1, 0}, NULL, smooth);
    phys_body body = body_at(3, sides, 0.2, 0.09999, 0.05);
    phys_turn((const double[]){0, 1, 0}, 0.3, body.q);
    body.v[0] = 1;
    const taut_body handle = phys_add_body(scene, &body);
    contact_mesh(scene, closed_add(scene, &sled, 0), handle, origin, NULL, smooth);
    taut_world* world = world_of(backend, scene, 0);
    contact_run(world, steps_on(backend, 40, 14), H, NULL);
    phys_read_body(world, handle, &body);
    CHECK_NEAR(body.v[0], 1, 1e-3);
    CHECK_NEAR(body.x[1], 0.1, 1e-3);
    taut_world_destroy(world);
    phys_mesh_free(&floor);
    phys_mesh_free(&sled);
}
