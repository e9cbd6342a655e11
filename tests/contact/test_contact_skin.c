/* Skins of colliders: corners and edges of a shape hold a surface whose own points are elsewhere. */
#include "closed_meshes.h"
#include "refused.h"
#include "surface_scenes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define H      0.01
#define RADIUS 0.01 /* m, of what lies on the shapes */

/* ---- scenes --------------------------------------------------------------------------------------------------------
 */

static const double half[3] = {0.1, 0.1, 0.1};

static void add_skin(taut_scene* scene, uint32_t collider, uint32_t corners) {
    taut_range range = {0, 0};
    CHECK_OK(taut_scene_add_collider_features(scene, collider, &range));
    CHECK_INT(range.count, corners);
}

/* A box of `half` with its middle at `at`, and its skin; the collider. */
static uint32_t add_box(taut_scene* scene, taut_body body, const double at[3]) {
    const uint32_t collider =
        contact_shape(scene, TAUT_SHAPE_BOX, half, body, taut_body_is_world(body) ? at : NULL, NULL, 0);
    add_skin(scene, collider, 8);
    return collider;
}

/* A rigid plate of two triangles as a surface, 2 `side` wide, or with `side` 0 a bar along x as a segment, 1 m long. */
static taut_body add_plate(taut_scene* scene, const double at[3], double mass, double side) {
    const double flat[4][2] = {{-side, -side}, {side, -side}, {side, side}, {-side, side}};
    const double along[2][2] = {{-0.5, 0}, {0.5, 0}};
    uint32_t corner[4];
    phys_body body = contact_at(at[0], at[1], at[2]);
    body.mass = mass;
    taut_inertia_of_box(mass, (const double[]){side > 0 ? 2 * side : 1, 0.02, side > 0 ? 2 * side : 0.02},
                        body.inertia);
    const taut_body handle = phys_add_body(scene, &body);
    for (int i = 0; i < (side > 0 ? 4 : 2); i++) {
        const double* place = side > 0 ? flat[i] : along[i];
        corner[i] = phys_add_body_point(scene, handle, (const double[]){at[0] + place[0], at[1], at[2] + place[1]});
    }
    const uint32_t triangles[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
    surface_add(scene, side > 0 ? 2 : 0, side > 0 ? triangles : NULL, side > 0 ? 0 : 1, side > 0 ? NULL : corner,
                RADIUS, 0);
    return handle;
}

/* ---- at rest -------------------------------------------------------------------------------------------------------
 */

/* What lies on a box alone, with all its own points beyond it: at RADIUS above, with its weight on the collider. It
 * starts at `height`; a box that looks out of it is beneath it in the end, too. On a body, that is held and turned by a
 * third about (1, 1, 1), which leaves the box as it is. */
static void check_rests(taut_backend_kind backend, bool on_body, double side, double height, size_t steps) {
    const double mass = 3;
    taut_scene* scene = phys_empty_scene();
    phys_body held = contact_at(0, -half[1], 0);
    held.fixed = true;
    held.mass = 1;
    taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, held.inertia);
    phys_turn((const double[]){1, 1, 1}, 2 * PHYS_PI / 3, held.q);
    const uint32_t collider = add_box(scene, on_body ? phys_add_body(scene, &held) : TAUT_WORLD, held.x);
    const taut_body plate = add_plate(scene, (const double[]){0.02, height, 0.01}, mass, side);
    taut_world_def def = contact_world_def(backend);
    /* A rigid body on more places than it needs: rows with Jacobians in float32 contradict each other by some 1e-8 of
     * what is borne, and the bar on three places of a line lands with 3e-7 left. */
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    phys_body now;
    contact_list list;
    double force[3], sum[6];
    contact_run(world, steps, H, NULL);
    phys_read_body(world, plate, &now);
    contact_read(world, &list);
    contact_force_on(world, collider, force);
    CHECK_OK(taut_world_read_collider_forces(world, collider, 1, sum));
    test_note("%zu contacts, %g N at %g m, %g m/s, turning at %g", list.count, force[1], now.x[1], phys_length(now.v),
              phys_length(now.w));
    CHECK(list.count > 0);
    for (size_t i = 0; i < list.count; i++) {
        CHECK(list.contacts[i].touch != TAUT_TOUCH_COLLIDER);
        CHECK_INT(list.contacts[i].collider, collider);
    }
    CHECK_NEAR(now.x[1], RADIUS, 1e-6);
    CHECK_NEAR(phys_length(now.v), 0, 1e-6);
    CHECK_NEAR(force[1], -mass * PHYS_GRAVITY, 1e-4 * mass * PHYS_GRAVITY);
    /* x F_y, about the origin or about the middle of the box, below it */
    CHECK_NEAR(sum[5], -mass * PHYS_GRAVITY * now.x[0], 1e-3 * mass);
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_skin, plate_on_a_box) {
    check_rests(backend, false, 0.5, RADIUS + 0.002, 8);
    check_rests(backend, false, 0.5, 0, 60);      /* in one place with it: up at 1 m/s, and down again */
    check_rests(backend, false, 0.5, -0.005, 60); /* looked through by its corners */
}

TAUT_TEST(contact_skin, plate_on_a_box_of_a_body) {
    check_rests(backend, true, 0.5, RADIUS + 0.002, 8);
    check_rests(backend, true, 0.5, -0.005, 60);
}

TAUT_TEST(contact_skin, bar_across_a_box) {
    check_rests(backend, false, 0, RADIUS + 0.002, 8);
    check_rests(backend, false, 0, 0, 60);
    check_rests(backend, false, 0, -0.005, 60);
}

/* What lies across the top of a ball or a bar along z, over its middle: none of its points are there. */
static void check_balances(taut_backend_kind backend, taut_shape shape, uint32_t corners, double side) {
    const double mass = 3, at[3] = {0, -half[1], 0};
    taut_scene* scene = phys_empty_scene();
    const uint32_t collider = contact_shape(scene, shape, (const double[]){half[1], 0.3, 0}, TAUT_WORLD, at, NULL, 0);
    add_skin(scene, collider, corners);
    const taut_body plate = add_plate(scene, (const double[]){0, RADIUS + 0.002, 0}, mass, side);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    phys_body now;
    contact_list list;
    double sum[6];
    contact_run(world, 8, H, NULL);
    phys_read_body(world, plate, &now);
    contact_read(world, &list);
    CHECK_OK(taut_world_read_collider_forces(world, collider, 1, sum));
    test_note("%zu contacts, %g N at %g m", list.count, sum[1], now.x[1]);
    CHECK(list.count > 0);
    CHECK_NEAR(now.x[1], RADIUS, 1e-6);
    CHECK_NEAR(phys_length(now.v), 0, 1e-6);
    CHECK_NEAR(sum[1], -mass * PHYS_GRAVITY, 1e-4 * mass * PHYS_GRAVITY);
    for (size_t i = 0; i < list.count; i++) {
        CHECK_NEAR(phys_apart(list.contacts[i].position, (const double[]){0, 0, 0}), 0, 1e-6);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_skin, across_a_ball) {
    check_balances(backend, TAUT_SHAPE_SPHERE, 1, 0.5);
    check_balances(backend, TAUT_SHAPE_SPHERE, 1, 0);
}

TAUT_TEST(contact_skin, bar_across_a_capsule) {
    check_balances(backend, TAUT_SHAPE_CAPSULE, 2, 0);
}

/* ---- in motion -----------------------------------------------------------------------------------------------------
 */

/* A segment across the edge of a box, which falls at 2 m/s with one end on the top: before the step its place over the
 * edge is nearer to the top than to the other side, within it the other end comes down beyond. */
TAUT_TEST(contact_skin, segment_turns_over_an_edge) {
    const double wide[3] = {0.5, 0.5, 0.5}, v[6] = {0, -2, 0, 0, -2, 0};
    taut_scene* scene = phys_empty_scene();
    const uint32_t first = surface_add_rope(scene, 1, (const double[]){-0.1, 0.0105, 0},
                                            (const double[]){0.1, 0.0265, 0}, 0.1, 1e-6, RADIUS, 0);
    add_skin(scene, contact_shape(scene, TAUT_SHAPE_BOX, wide, TAUT_WORLD, (const double[]){-0.5, -0.5, 0}, NULL, 0),
             8);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    double x[6];
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, first, 2, v));
    contact_run(world, 1, H, NULL);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, first, 2, x));
    test_note("ends %g and %g m above", x[1], x[4]);
    CHECK(x[4] < x[1]);
    CHECK((x[3] * x[1] - x[0] * x[4]) / (x[3] - x[0]) > RADIUS - 1e-4);
    taut_world_destroy(world);
}

/* A free box meets a free plate within the plate's faces: without friction and restitution both go on as one, and the
 * momentum is kept. The box is eight times as heavy. */
TAUT_TEST(contact_skin, momentum_between_free_bodies) {
    taut_scene* scene = phys_empty_scene();
    phys_body box = contact_at(0, -half[1], 0), now[2];
    box.mass = 8;
    box.v[1] = 0.5;
    taut_inertia_of_box(box.mass, (const double[]){0.2, 0.2, 0.2}, box.inertia);
    taut_body handle[2];
    handle[0] = phys_add_body(scene, &box);
    add_box(scene, handle[0], box.x);
    handle[1] = add_plate(scene, (const double[]){0, RADIUS + 0.02, 0}, 1, 0.5);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    def.solver.tolerance = 1e-7;
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 12, H, NULL);
    for (int i = 0; i < 2; i++) {
        phys_read_body(world, handle[i], &now[i]);
        test_note("body %d: %g %g %g m/s", i, now[i].v[0], now[i].v[1], now[i].v[2]);
        CHECK_NEAR(now[i].v[1], 8 * 0.5 / 9, 1e-5);
        CHECK_NEAR(hypot(now[i].v[0], now[i].v[2]), 0, 1e-5);
        CHECK_NEAR(phys_length(now[i].w), 0, 1e-4);
        test_note(NULL);
    }
    /* weights of a contact are in float32, and so is their sum: of the impulse, 4/9 N s */
    CHECK_NEAR(8 * now[0].v[1] + now[1].v[1], 4, FLT_EPSILON * 4 / 9);
    taut_world_destroy(world);
}

/* Hit by a box that is turned, by an edge beside its middle, both turn on as well: the angular momentum about any place
 * is kept. */
TAUT_TEST(contact_skin, angular_momentum_between_free_bodies) {
    taut_scene* scene = phys_empty_scene();
    phys_body body[2] = {contact_at(0, -1.5 * half[1], 0), contact_at(0.05, RADIUS, 0.02)};
    body[0].mass = 8;
    body[0].v[1] = 0.5;
    body[1].mass = 1;
    taut_inertia_of_box(1, (const double[]){1, 0.02, 1}, body[1].inertia);
    taut_inertia_of_box(body[0].mass, (const double[]){0.2, 0.2, 0.2}, body[0].inertia);
    phys_turn((const double[]){0, 0, 1}, 0.6, body[0].q);
    taut_body handle[2];
    handle[0] = phys_add_body(scene, &body[0]);
    add_box(scene, handle[0], body[0].x);
    handle[1] = add_plate(scene, body[1].x, 1, 0.5);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    def.solver.tolerance = 1e-7;
    taut_world* world = phys_world(scene, &def);
    double before[3] = {0, 0, 0}, after[3] = {0, 0, 0};
    phys_add_angular_momentum(&body[0], before);
    contact_run(world, 12, H, NULL);
    for (int i = 0; i < 2; i++) {
        phys_read_body(world, handle[i], &body[i]);
        phys_add_angular_momentum(&body[i], after);
        test_note("body %d: %g %g %g rad/s", i, body[i].w[0], body[i].w[1], body[i].w[2]);
        CHECK(phys_length(body[i].w) > 0.05);
    }
    test_note("from %g %g %g to %g %g %g", before[0], before[1], before[2], after[0], after[1], after[2]);
    CHECK(phys_apart(before, after) < 4 * FLT_EPSILON * 4 / 9); /* as above */
    taut_world_destroy(world);
}

/* ---- cloth ---------------------------------------------------------------------------------------------------------
 */

#define TIP 0.5 /* m, height of a thorn's */

/* A pyramid of three sides over the origin, whose own axes are elsewhere. */
static uint32_t add_thorn(taut_scene* scene) {
    const double world[12] = {0, TIP, 0, 0.1, 0, 0.1, -0.1, 0, 0.1, 0, 0, -0.1}, at[3] = {0.2, 0.1, -0.3};
    double x[12], turn[4];
    uint32_t sides[12] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
    const phys_mesh mesh = {4, x, 4, 3, sides};
    phys_turn((const double[]){1, 2, 3}, 0.7, turn);
    for (int i = 0; i < 4; i++) {
        double from[3];
        memcpy(from, world + 3 * i, sizeof from);
        phys_add(-1, at, from);
        phys_rotate_back(turn, from, x + 3 * i);
    }
    return contact_mesh(scene, closed_add(scene, &mesh, 0), TAUT_WORLD, at, turn, 0);
}

/* A ball small for the squares of the cloth. */
static uint32_t add_knob(taut_scene* scene) {
    const double radius = 0.04, at[3] = {0, TIP - radius, 0};
    return contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){radius, 0, 0}, TAUT_WORLD, at, NULL, 0);
}

/* Coarse cloth `above` a tip, which is below the inside of one of its triangles, falls on it. How high
 * its highest vertex is in the end; cuts at the start, and the most of the second half of the way. */
static double fall_on(taut_backend_kind backend, uint32_t add(taut_scene*), uint32_t corners, double above,
                      size_t cuts[2]) {
    const surface_sheet sheet = {.columns = 3,
                                 .rows = 3,
                                 .width = 0.9,
                                 .height = 0.9,
                                 .mass = 0.3,
                                 .radius = RADIUS,
                                 .at = {0.05, TIP + above, 0.03},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    taut_scene* scene = phys_empty_scene();
    const uint32_t first = surface_add_sheet(scene, &sheet);
    const uint32_t collider = add(scene);
    if (corners > 0) {
        add_skin(scene, collider, corners);
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    double x[3], high = -INFINITY;
    CHECK_OK(taut_world_count_intersections(world, &cuts[0]));
    cuts[1] = 0;
    for (size_t i = 0, now = 0; i < 25; i++) {
        contact_run(world, 1, H, NULL);
        CHECK_OK(taut_world_count_intersections(world, &now));
        cuts[1] = i >= 12 && now > cuts[1] ? now : cuts[1];
    }
    for (uint32_t i = 0; i < surface_sheet_points(&sheet); i++) {
        phys_position(world, first + i, x);
        high = fmax(high, x[1]);
    }
    taut_world_destroy(world);
    return high;
}

TAUT_TEST(contact_skin, cloth_hangs_from_a_thorn) {
    size_t cuts[2];
    const double held = fall_on(backend, add_thorn, 4, 0.05, cuts);
    CHECK_INT(cuts[0], 0);
    CHECK_INT(cuts[1], 0);
    const double fallen = fall_on(backend, add_thorn, 0, 0.05, cuts);
    test_note("highest vertex %g m with the skin, %g m without", held, fallen);
    CHECK(held > TIP - 0.05);
    CHECK(fallen < TIP - 0.15);
}

TAUT_TEST(contact_skin, cloth_hangs_from_a_knob) {
    size_t cuts[2];
    const double held = fall_on(backend, add_knob, 1, 0.05, cuts), fallen = fall_on(backend, add_knob, 0, 0.05, cuts);
    test_note("highest vertex %g m with the skin, %g m without", held, fallen);
    CHECK(held > TIP - 0.05);
    CHECK(fallen < TIP - 0.15);
}

/* A tip that is through it at the start goes back. */
TAUT_TEST(contact_skin, cloth_rises_from_a_thorn) {
    size_t cuts[2];
    const double held = fall_on(backend, add_thorn, 4, -0.01, cuts);
    test_note("%zu cuts, then %zu; highest vertex %g m", cuts[0], cuts[1], held);
    CHECK_INT(cuts[0], 3);
    CHECK_INT(cuts[1], 0);
    CHECK(held > TIP - 0.05);
}

/* Edges of two skins cross 1 mm apart, and a ball is as near to the middle of a side: that meets the collider alone,
 * and skins do not meet. */
TAUT_TEST(contact_skin, skins_meet_surfaces_alone) {
    taut_scene* scene = phys_empty_scene();
    const double gap = 0.001;
    phys_body body = contact_at(1.5 * half[0], 2 * half[1] + gap, 1.5 * half[2]);
    body.mass = 1;
    taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, body.inertia);
    const uint32_t fixed = add_box(scene, TAUT_WORLD, (const double[]){0, 0, 0});
    add_box(scene, phys_add_body(scene, &body), body.x);
    surface_add_ball(scene, (const double[]){-half[0] - RADIUS - gap, 0.01, 0.02}, 1, RADIUS, 0);
    add_plate(scene, (const double[]){0, -2, 0}, 1, 0.5); /* so that there are faces */
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    def.contact.margin = 0.01;
    taut_world* world = phys_world(scene, &def);
    contact_list list;
    contact_run(world, 1, H, NULL);
    contact_read(world, &list);
    size_t others = 0;
    for (size_t c = 0; c < list.count; c++) {
        if (list.contacts[c].touch != TAUT_TOUCH_SOLIDS) { /* both boxes touch as such */
            others++;
            CHECK_INT(list.contacts[c].touch, TAUT_TOUCH_COLLIDER);
            CHECK_INT(list.contacts[c].collider, fixed);
        }
    }
    CHECK_INT(others, 1);
    CHECK_INT(list.count, 5);
    taut_world_destroy(world);
}

/* How many contacts with skins fine cloth has as it falls on a round mesh or on a box: what stands out less than it is
 * thick meets nothing. */
static size_t contacts_with_skin(taut_backend_kind backend, const phys_mesh* mesh, uint32_t corners) {
    const surface_sheet sheet = {.columns = 8,
                                 .rows = 8,
                                 .width = 0.24,
                                 .height = 0.24,
                                 .mass = 0.1,
                                 .radius = RADIUS,
                                 .at = {0.01, half[1] + RADIUS + 0.001, 0.02},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    taut_scene* scene = phys_empty_scene();
    surface_add_sheet(scene, &sheet);
    const uint32_t collider = contact_mesh(scene, closed_add(scene, mesh, 0), TAUT_WORLD, NULL, NULL, 0);
    add_skin(scene, collider, corners);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    size_t count = 0;
    for (int i = 0; i < 3; i++) {
        contact_list list;
        contact_run(world, 1, H, NULL);
        contact_read(world, &list);
        for (size_t k = 0; k < list.count; k++) {
            count += list.contacts[k].touch != TAUT_TOUCH_COLLIDER && list.contacts[k].collider == collider;
        }
    }
    taut_world_destroy(world);
    return count;
}

TAUT_TEST(contact_skin, only_what_stands_out_finds_anything) {
    phys_mesh ball = closed_ball(2, half[1]), box = closed_box(half);
    CHECK_INT(contacts_with_skin(backend, &ball, 162), 0);
    CHECK(contacts_with_skin(backend, &box, 8) > 0);
    phys_mesh_free(&ball);
    phys_mesh_free(&box);
}

/* A corner of a sheet over the top of a ball, or over a corner of a box, meets the collider, and its skin not as well.
 */
static void check_corner_of_sheet(taut_backend_kind backend, taut_shape shape, uint32_t corners) {
    const double box = shape == TAUT_SHAPE_BOX ? half[0] : 0, at[3] = {-box, -half[1], -box};
    const surface_sheet sheet = {.columns = 1,
                                 .rows = 1,
                                 .width = 1,
                                 .height = 1,
                                 .mass = 1,
                                 .radius = RADIUS,
                                 .at = {0.5, RADIUS + 1e-5, 0.5},
                                 .link = 1e-4};
    taut_scene* scene = phys_empty_scene();
    surface_add_sheet(scene, &sheet);
    add_skin(scene, contact_shape(scene, shape, half, TAUT_WORLD, at, NULL, 0), corners);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    contact_list list;
    contact_run(world, 1, H, NULL);
    contact_read(world, &list);
    CHECK_INT(list.count, 1);
    CHECK_INT(list.contacts[0].touch, TAUT_TOUCH_COLLIDER);
    taut_world_destroy(world);
}

TAUT_TEST(contact_skin, corners_of_surfaces_meet_colliders) {
    check_corner_of_sheet(backend, TAUT_SHAPE_SPHERE, 1);
    check_corner_of_sheet(backend, TAUT_SHAPE_BOX, 8);
}

/* ---- contact points of bodies -------------------------------------------------------------------------------------
 */

/* A box of a body whose corners are contact points, too, `touch` m across: they and the skin are in one place, and
 * each corner meets the sheet below, of two triangles, once; corners of a smaller box inside are met as well. */
static size_t contacts_of_corners(taut_backend_kind backend, double touch) {
    const surface_sheet sheet = {.columns = 1,
                                 .rows = 1,
                                 .width = 1,
                                 .height = 1,
                                 .mass = 1,
                                 .radius = RADIUS,
                                 .at = {0.04, 0, 0.01},
                                 .diagonal = PHYS_ALTERNATING,
                                 .fixed = true,
                                 .link = -1};
    taut_scene* scene = phys_empty_scene();
    surface_add_sheet(scene, &sheet);
    const phys_body at = contact_at(0, half[1] + RADIUS + 0.001, 0);
    const taut_body box = contact_box(scene, &at, 1, (const double[]){touch, half[1], touch}, 0);
    add_skin(scene, contact_shape(scene, TAUT_SHAPE_BOX, half, box, NULL, NULL, 0), 8);
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-6;
    taut_world* world = phys_world(scene, &def);
    phys_body now;
    contact_list list;
    contact_run(world, 30, H, NULL);
    contact_read(world, &list);
    phys_read_body(world, box, &now);
    CHECK_NEAR(now.x[1], half[1] + RADIUS, 1e-5);
    CHECK_NEAR(phys_length(now.v), 0, 1e-4);
    taut_world_destroy(world);
    return list.count;
}

TAUT_TEST(contact_skin, covers_touching_points_of_its_body) {
    const size_t corners = contacts_of_corners(backend, half[0]);
    test_note("%zu contacts", corners);
    CHECK_INT(contacts_of_corners(backend, 0.9 * half[0]), corners + 4);
}

/* ---- refused -------------------------------------------------------------------------------------------------------
 */

TAUT_PLAIN_TEST(contact_skin, refused) {
    taut_scene* scene = phys_empty_scene();
    taut_range range = {9, 9};
    INVALID(taut_scene_add_collider_features(NULL, 0, &range));
    INVALID(taut_scene_add_collider_features(scene, 0, &range));
    CHECK(strstr(taut_last_error(), "collider 0 does not exist (0 colliders)") != NULL);
    contact_ground(scene, 0);
    INVALID(taut_scene_add_collider_features(scene, 0, &range));
    CHECK(strstr(taut_last_error(), "collider 0 is a plane, which has neither corners nor edges") != NULL);
    CHECK_INT(range.first, 9);
    const uint32_t box = contact_shape(scene, TAUT_SHAPE_BOX, half, TAUT_WORLD, NULL, NULL, 0);
    CHECK_OK(taut_scene_add_collider_features(scene, box, NULL));
    INVALID(taut_scene_add_collider_features(scene, box, &range));
    CHECK(strstr(taut_last_error(), "collider 1 has one already") != NULL);
    taut_scene_destroy(scene);
}
