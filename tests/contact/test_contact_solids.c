/* Colliders on bodies that touch each other: stacks whose boxes have the same size, every shape at rest on a box, the
 * numbers of features, exclusions by attachments, capacity, and the same bits for any number of threads. */
#include "closed_meshes.h"
#include "contact_scenes.h"
#include "dense_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0.01

static taut_body add_solid(taut_scene* scene, taut_shape shape, const double size[3], const double x[3],
                           const double q[4], double mass, uint32_t material) {
    phys_body at = contact_at(x[0], x[1], x[2]);
    at.mass = mass;
    taut_inertia_of_sphere(mass, 0.2, at.inertia);
    if (q != NULL) {
        memcpy(at.q, q, sizeof at.q);
    }
    const taut_body body = phys_add_body(scene, &at);
    contact_shape(scene, shape, size, body, NULL, NULL, material);
    return body;
}

static const double cube[3] = {0.1, 0.1, 0.1};

/* ---- at rest ----------------------------------------------------------------------------------------------------- */

/* Cubes on one another, each turned and shifted by its own amount: they stay, and the ground carries all. */
TAUT_TEST(contact_solids, equal_cubes_stand_on_one_another) {
    enum { COUNT = 4 };
    taut_scene* scene = phys_empty_scene();
    taut_body bodies[COUNT];
    const uint32_t ground = contact_ground(scene, 0);
    for (int i = 0; i < COUNT; i++) {
        const double turn = 0.35 * i, q[4] = {cos(turn / 2), 0, sin(turn / 2), 0};
        bodies[i] =
            add_solid(scene, TAUT_SHAPE_BOX, cube, (const double[]){0.004 * i, 0.1 * (2 * i + 1), 0.003 * i}, q, 1, 0);
    }
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double force[3];
    phys_body is;
    contact_run(world, backend == TAUT_BACKEND_CUDA ? 4 : 20, H, NULL);
    contact_force_on(world, ground, force);
    CHECK_NEAR(force[1], -COUNT * PHYS_GRAVITY, 1e-4);
    for (int i = 0; i < COUNT; i++) {
        phys_read_body(world, bodies[i], &is);
        CHECK_NEAR(is.x[0], 0.004 * i, 1e-5);
        CHECK_NEAR(is.x[1], 0.1 * (2 * i + 1), 1e-5);
    }
    taut_world_destroy(world);
}

/* Each shape on a fixed box, on a face, a line or a point: it stays in its place, and the normal is up. */
TAUT_TEST(contact_solids, every_shape_rests_on_a_box) {
    static const double lying[4] = {0.7071067811865476, 0.7071067811865476, 0, 0};
    static const struct {
        taut_shape shape;
        double size[3], height;
        bool upright; /* its axis z along y */
    } rests[] = {
        {TAUT_SHAPE_SPHERE, {0.2, 1, 1}, 0.2, false},     {TAUT_SHAPE_CAPSULE, {0.1, 0.2, 1}, 0.1, false},
        {TAUT_SHAPE_BOX, {0.2, 0.1, 0.15}, 0.1, false},   {TAUT_SHAPE_CYLINDER, {0.15, 0.1, 1}, 0.15, false},
        {TAUT_SHAPE_CYLINDER, {0.15, 0.1, 1}, 0.1, true}, {TAUT_SHAPE_CONE, {0.15, 0.1, 1}, 0.1, true},
    };
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        taut_scene* scene = phys_empty_scene();
        const double up[4] = {lying[0], -lying[1], 0, 0};
        contact_shape(scene, TAUT_SHAPE_BOX, (const double[]){1, 0.5, 1}, TAUT_WORLD, (const double[]){0, -0.5, 0},
                      NULL, 0);
        const taut_body body =
            add_solid(scene, rests[i].shape, rests[i].size, (const double[]){0.03, rests[i].height, -0.02},
                      rests[i].upright ? up : NULL, 2, 0);
        const taut_world_def def = contact_world_def(backend);
        taut_world* world = phys_world(scene, &def);
        contact_list list;
        double sum = 0;
        phys_body is;
        test_note("%s %zu", taut_shape_name(rests[i].shape), i);
        contact_run(world, 4, H, NULL);
        contact_read(world, &list);
        CHECK(list.count > 0);
        for (size_t c = 0; c < list.count; c++) {
            CHECK_INT(list.contacts[c].touch, TAUT_TOUCH_SOLIDS);
            CHECK_INT(list.contacts[c].collider, 0);
            CHECK_INT(list.contacts[c].first_collider, 1);
            CHECK_NEAR(list.contacts[c].normal[1], 1, 1e-9);
            CHECK_NEAR(list.contacts[c].position[1], 0, 1e-5);
            sum += list.contacts[c].force[1];
        }
        CHECK_NEAR(sum, 2 * PHYS_GRAVITY, 1e-4);
        phys_read_body(world, body, &is);
        CHECK_NEAR(is.x[1], rests[i].height, 1e-5);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* A mesh that is convex touches as a whole: a box on the edge of another one has nothing but faces and edges there. */
TAUT_TEST(contact_solids, convex_meshes_are_hulls) {
    taut_scene* scene = phys_empty_scene();
    phys_mesh mesh = closed_box((const double[]){0.1, 0.1, 0.1});
    const uint32_t shape = closed_add(scene, &mesh, 0);
    const double turn = 0.6, q[4] = {cos(turn / 2), 0, sin(turn / 2), 0};
    phys_body at = contact_at(0.05, 0.3, 0.02);
    contact_ground(scene, 0);
    add_solid(scene, TAUT_SHAPE_BOX, cube, (const double[]){0, 0.1, 0}, NULL, 1, 0);
    at.mass = 1;
    taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, at.inertia);
    memcpy(at.q, q, sizeof q);
    const taut_body upper = phys_add_body(scene, &at);
    contact_mesh(scene, shape, upper, NULL, NULL, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    phys_body is;
    contact_run(world, 5, H, NULL);
    phys_read_body(world, upper, &is);
    CHECK_NEAR(is.x[1], 0.3, 1e-5);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

/* ---- what stays the same ----------------------------------------------------------------------------------------- */

/* Contacts of cubes at rest keep the numbers of their features, and no two of a pair have the same one. */
TAUT_TEST(contact_solids, features_keep_their_numbers) {
    taut_scene* scene = phys_empty_scene();
    const double q[4] = {cos(0.2), 0, sin(0.2), 0};
    contact_ground(scene, 0);
    add_solid(scene, TAUT_SHAPE_BOX, cube, (const double[]){0, 0.1, 0}, NULL, 1, 0);
    add_solid(scene, TAUT_SHAPE_BOX, cube, (const double[]){0.03, 0.3, 0.02}, q, 1, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_list first, last;
    contact_run(world, 2, H, NULL);
    contact_read(world, &first);
    contact_run(world, 3, H, NULL);
    contact_read(world, &last);
    CHECK_INT(first.count, last.count);
    for (size_t i = 0; i < last.count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < first.count; k++) {
            same += first.contacts[k].feature == last.contacts[i].feature &&
                    first.contacts[k].collider == last.contacts[i].collider &&
                    first.contacts[k].first_collider == last.contacts[i].first_collider;
        }
        CHECK_INT(same, 1);
    }
    taut_world_destroy(world);
}

/* Two cubes that are turned meet in the air: their momentum is what it was. */
TAUT_TEST(contact_solids, momentum_is_kept) {
    taut_scene* scene = phys_empty_scene();
    taut_body bodies[2];
    double v[2][3], before[3] = {0, 0, 0}, after[3] = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        phys_body at = contact_at(i == 0 ? -0.16 : 0.16, 0.02 * i, 0.03 * i);
        const double q[4] = {0.9, 0.1 + 0.2 * i, 0.3, -0.2};
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int a = 0; a < 4; a++) {
            at.q[a] = q[a] / length;
        }
        at.mass = 1 + i;
        at.v[0] = i == 0 ? 1 : -1;
        taut_inertia_of_box(at.mass, (const double[]){0.2, 0.2, 0.2}, at.inertia);
        bodies[i] = phys_add_body(scene, &at);
        contact_shape(scene, TAUT_SHAPE_BOX, cube, bodies[i], NULL, NULL, 0);
        before[0] += at.mass * at.v[0];
    }
    taut_world_def def = contact_world_def(backend);
    memset(def.gravity, 0, sizeof def.gravity);
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 12, H, NULL);
    for (int i = 0; i < 2; i++) {
        phys_velocity(world, bodies[i].point, v[i]);
        for (int a = 0; a < 3; a++) {
            after[a] += (1 + i) * v[i][a];
        }
    }
    CHECK(fabs(v[0][0] - 1) > 0.1); /* they have met */
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(after[a], before[a], 1e-9);
    }
    taut_world_destroy(world);
}

/* ---- what does not touch ----------------------------------------------------------------------------------------- */

static size_t contacts_after_a_step(taut_backend_kind backend, taut_scene* scene) {
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_list list;
    contact_run(world, 1, H, NULL);
    contact_read(world, &list);
    const size_t count = list.count;
    taut_world_destroy(world);
    return count;
}

/* Cubes in each other: not solid, excluded, or attached, they do not touch. */
TAUT_TEST(contact_solids, what_is_left_out) {
    for (int how = 0; how < 4; how++) {
        taut_scene* scene = phys_empty_scene();
        taut_body bodies[2];
        for (int i = 0; i < 2; i++) {
            phys_body at = contact_at(0.15 * i, 0, 0);
            taut_colliders_def def = taut_default_colliders();
            taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, at.inertia);
            bodies[i] = phys_add_body(scene, &at);
            def.count = 1;
            def.shape = TAUT_SHAPE_BOX;
            memcpy(def.size, cube, sizeof cube);
            def.bodies = &bodies[i];
            def.solid = how != 1;
            CHECK_OK(taut_scene_add_colliders(scene, &def, NULL));
        }
        if (how == 2) {
            CHECK_OK(taut_scene_exclude_contacts(scene, 1, (const taut_body[]){bodies[0], bodies[1]}));
        }
        if (how == 3) {
            CHECK_OK(taut_scene_exclude_attached(scene, 1, (const uint32_t[]){bodies[0].point, bodies[1].point}));
        }
        test_note("how %d", how);
        CHECK_INT(contacts_after_a_step(backend, scene), how == 0 ? 4 : 0);
    }
    test_note(NULL);
}

static uint32_t add_particle(taut_scene* scene, const double x[3], double mass) {
    taut_particles_def def = taut_default_particles();
    taut_range range = {0, 0};
    def.count = 1;
    def.positions = x;
    def.masses = &mass;
    CHECK_OK(taut_scene_add_particles(scene, &def, &range));
    return range.first;
}

/* A rope through a box that one of its points is attached to: what starts in the box does not meet it, the end of the
 * rope, which starts beyond, does when it comes there. */
TAUT_TEST(contact_solids, attached_ropes_leave_their_place_alone) {
    for (int attached = 0; attached < 2; attached++) {
        taut_scene* scene = phys_empty_scene();
        uint32_t points[5], segments[8];
        phys_body at = contact_at(0, 0, 0);
        taut_inertia_of_box(1, (const double[]){0.2, 0.2, 0.2}, at.inertia);
        const taut_body box = phys_add_body(scene, &at);
        contact_shape(scene, TAUT_SHAPE_BOX, cube, box, NULL, NULL, 0);
        for (uint32_t i = 0; i < 5; i++) { /* two in the box, one at its side, two above */
            points[i] = add_particle(scene, (const double[]){0.01, -0.06 + 0.08 * i, 0}, 0.1);
        }
        for (uint32_t i = 0; i < 8; i++) {
            segments[i] = points[i / 2 + i % 2];
        }
        taut_contact_surface_def def = taut_default_contact_surface();
        def.segment_count = 4;
        def.segments = segments;
        def.radius = 0.01;
        CHECK_OK(taut_scene_add_contact_surface(scene, &def, NULL));
        if (attached != 0) {
            CHECK_OK(taut_scene_exclude_attached(scene, 1, (const uint32_t[]){points[0], box.point}));
        }
        test_note(attached != 0 ? "attached" : "not attached");
        const size_t contacts = contacts_after_a_step(backend, scene);
        CHECK(attached != 0 ? contacts == 0 : contacts >= 2);
    }
    test_note(NULL);
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

/* A heap of shapes of all kinds above a ground. */
static taut_scene* add_heap(int count) {
    static const taut_shape shapes[5] = {TAUT_SHAPE_BOX, TAUT_SHAPE_CYLINDER, TAUT_SHAPE_CAPSULE, TAUT_SHAPE_CONE,
                                         TAUT_SHAPE_SPHERE};
    taut_scene* scene = phys_empty_scene();
    random_state state = {77};
    contact_ground(scene, 0);
    for (int i = 0; i < count; i++) {
        double q[4], length = 0;
        random_fill(&state, -1, 1, 4, q);
        for (int a = 0; a < 4; a++) {
            length += q[a] * q[a];
        }
        for (int a = 0; a < 4; a++) {
            q[a] /= sqrt(length);
        }
        add_solid(scene, shapes[i % 5], cube,
                  (const double[]){0.17 * (i % 3), 0.15 + 0.17 * (i / 9), 0.17 * (i / 3 % 3)}, q, 1, 0);
    }
    return scene;
}

/* The same bits for any number of threads. */
TAUT_PLAIN_TEST(contact_solids, threads_give_the_same_bits) {
    enum { COUNT = 36 };
    double x[3][3 * COUNT];
    static const uint32_t threads[3] = {1, 2, 5};
    for (int t = 0; t < 3; t++) {
        taut_world_def def = contact_world_def(TAUT_BACKEND_CPU);
        def.threads = threads[t];
        def.solver.tolerance = 1e-4;
        taut_world* world = phys_world(add_heap(COUNT), &def);
        for (int i = 0; i < 8; i++) {
            CHECK_OK(taut_world_step(world, H));
        }
        CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, COUNT, x[t]));
        taut_world_destroy(world);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    CHECK(memcmp(x[0], x[2], sizeof x[0]) == 0);
}

/* A world with too little room says how much it needs, and goes on with that. */
TAUT_TEST(contact_solids, capacity_is_told) {
    taut_scene* scene = add_heap(9);
    taut_world_def def = contact_world_def(backend);
    taut_step_info info = {0};
    def.contact.capacity = 3;
    def.contact.margin = 0.05;
    def.solver.tolerance = 1e-4;
    taut_world* world = NULL;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_status status = taut_world_step(world, H);
    status = status == TAUT_OK ? taut_world_sync(world) : status;
    CHECK_INT(status, TAUT_OUT_OF_CAPACITY);
    CHECK_OK(taut_world_info(world, &info));
    CHECK(info.contacts > 3);
    CHECK_OK(taut_world_grow_contacts(world, info.contacts));
    CHECK_OK(taut_world_step(world, H));
    CHECK_OK(taut_world_sync(world));
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}
