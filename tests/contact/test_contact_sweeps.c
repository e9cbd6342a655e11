/* Contacts by projected Gauss-Seidel: colours, and the motions that the condensed system gives. */
#define TAUT_REAL double
#include "contact_scenes.h"

#include "host/world/world_data.h"
#include "kernels/formulas/contact_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H    0.01
#define MOST 128

typedef struct bodies {
    size_t count;
    phys_handle list[MOST];
    double weight; /* kg */
} bodies;

static taut_world_def sweeping_def(taut_backend_kind backend) {
    taut_world_def def = contact_world_def(backend);
    def.solver.method = TAUT_METHOD_GAUSS_SEIDEL;
    def.solver.max_iterations = 100000;
    return def;
}

/* ---- scenes --------------------------------------------------------------------------------------------------------
 */

static void add(bodies* b, phys_handle handle, double mass) {
    b->list[b->count++] = handle;
    b->weight += mass;
}

/* A ball that others can touch. */
static void add_ball(taut_scene* scene, bodies* b, phys_body at, double mass, double radius, uint32_t material) {
    const phys_handle handle = contact_ball(scene, &at, mass, radius, material);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){radius, 0, 0}, handle.frame, NULL, NULL, material);
    add(b, handle, mass);
}

/* Layers of n x n, (n - 1) x (n - 1), ... balls on the ground. */
static taut_scene* make_pyramid(int n, double friction, bodies* b) {
    const double r = 0.1;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    contact_ground(scene, material);
    for (int layer = 0; layer < n; layer++) {
        for (int i = 0; i < (n - layer) * (n - layer); i++) {
            const int row = i / (n - layer), column = i % (n - layer);
            add_ball(scene, b, contact_at(r * (2 * row + layer), r * (1 + sqrt(2) * layer), r * (2 * column + layer)),
                     1 + 0.01 * i, r, material);
        }
    }
    return scene;
}

static taut_scene* make_pile(bodies* b) {
    return make_pyramid(4, 0, b);
}

/* Balls on a loose plate: more contacts than colours meet in one body. */
static taut_scene* make_plate(bodies* b) {
    const double half[3] = {1, 0.05, 1};
    const phys_body at = contact_at(0, half[1], 0);
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.3, 0);
    contact_ground(scene, material);
    const phys_handle plate = contact_box(scene, &at, 20, half, material);
    contact_shape(scene, TAUT_SHAPE_BOX, half, plate.frame, NULL, NULL, material);
    add(b, plate, 20);
    for (int i = 0; i < 81; i++) {
        phys_body ball = contact_at(-0.8 + 0.2 * (i / 9), 0.15, -0.8 + 0.2 * (i % 9));
        add(b, contact_ball(scene, &ball, 0.5, 0.05, material), 0.5);
    }
    return scene;
}

/* A light ball below a heavy one. */
static taut_scene* make_unequal(bodies* b) {
    taut_scene* scene = phys_empty_scene();
    contact_ground(scene, 0);
    add_ball(scene, b, contact_at(0, 0.1, 0), 1, 0.1, 0);
    add_ball(scene, b, contact_at(0, 0.3, 0), 1000, 0.1, 0);
    return scene;
}

static taut_scene* make_boxes(bodies* b) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    contact_ground(scene, material);
    for (int i = 0; i < 4; i++) {
        const double half[3] = {0.3 - 0.05 * i, 0.1, 0.3 - 0.05 * i};
        const phys_body at = contact_at(0.02 * i, 0.2 * i + 0.1, 0);
        const phys_handle box = contact_box(scene, &at, 1, half, material);
        contact_shape(scene, TAUT_SHAPE_BOX, half, box.frame, NULL, NULL, material);
        add(b, box, 1);
    }
    return scene;
}

/* A hard chain from a fixed point, whose other end falls to the ground and slides. Were it straight while that end is
 * stuck, the forces in it would not be unique, and the steps after it - whose geometric stiffness they are - neither.
 */
static taut_scene* make_chain(bodies* b) {
    taut_batch batch;
    taut_scene* scene = phys_chain(6, (const double[]){0, 0.3, 0}, (const double[]){0.9, 0.05, 0}, NULL, 0, &batch);
    const uint32_t material = contact_material(scene, 0.2, 0);
    contact_ground(scene, material);
    for (uint32_t i = 1; i <= 6; i++) {
        contact_touch(scene, 1, &i, 0.02, material);
        add(b, (phys_handle){i, 0}, 1);
    }
    return scene;
}

/* A ball that rolls against a couple. */
static taut_scene* make_rolling(bodies* b) {
    phys_body at = contact_at(0, 0.1, 0);
    taut_material_def law = taut_default_material();
    law.friction = 0.6;
    law.rolling = 0.004;
    law.spinning = 0.002;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material_of(scene, law);
    contact_ground(scene, material);
    at.v[0] = 1;
    at.w[2] = -10;
    at.w[1] = 3;
    add_ball(scene, b, at, 2, 0.1, material);
    return scene;
}

/* ---- colours -------------------------------------------------------------------------------------------------------
 */

static void fetch(taut_world* world, void* field, size_t bytes) {
    if (world->backend->download != NULL) {
        CHECK_OK(world->backend->download(world->state, field, bytes));
    }
}

static uint32_t fetch_contacts(taut_world* world) {
    const taut_fields* f = &world->plan.fields;
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const size_t capacity = world->plan.sizes.contact_capacity;
    fetch(world, f->contact_count, TAUT_CONTACT_COUNTS * sizeof(uint32_t));
    fetch(world, f->contact_colour, capacity * sizeof(uint32_t));
    fetch(world, f->contact_order, capacity * sizeof(uint32_t));
    fetch(world, f->contact_colour_begin, (TAUT_CONTACT_COLOURS + 2) * sizeof(uint32_t));
    fetch(world, kind->nodes, contact_NODES * capacity * sizeof(uint32_t));
    fetch(world, kind->rest, contact_REST * capacity * sizeof(double));
    return f->contact_count[TAUT_CONTACTS_LIVE];
}

/* Whether contact c acts at a node that can move. */
static bool moves(const taut_fields* f, uint32_t c, uint32_t node) {
    const double* rest = f->kinds[TAUT_CONTACT].rest + contact_REST * (size_t)c;
    bool any = false;
    for (size_t i = 0; i < contact_NODES; i++) {
        const double* arm = rest + contact_arm + (i > 4 ? 3 : 0);
        const bool acts = i < 4 ? rest[contact_weight + i] != 0 : arm[0] != 0 || arm[1] != 0 || arm[2] != 0;
        any = any || (acts && f->kinds[TAUT_CONTACT].nodes[contact_NODES * (size_t)c + i] == node);
    }
    return any && f->inverse_mass[node] > 0;
}

static bool meet(const taut_fields* f, size_t nodes, uint32_t a, uint32_t b) {
    for (uint32_t n = 0; n < nodes; n++) {
        if (moves(f, a, n) && moves(f, b, n)) {
            return true;
        }
    }
    return false;
}

/* Every contact has a colour, stands once among those of its colour, and meets none of them in a node; how many found
 * none but the last. */
static int check_colours(taut_world* world) {
    const taut_fields* f = &world->plan.fields;
    const uint32_t live = fetch_contacts(world);
    uint32_t place = 0;
    int last = 0;
    for (uint32_t k = 0; k <= TAUT_CONTACT_COLOURS; k++) {
        CHECK_INT(f->contact_colour_begin[k], place);
        for (; place < f->contact_colour_begin[k + 1]; place++) {
            const uint32_t c = f->contact_order[place];
            if (!CHECK(c < live && f->contact_colour[c] == k)) {
                return -1;
            }
            last += k == TAUT_CONTACT_COLOURS;
            for (uint32_t i = f->contact_colour_begin[k]; k < TAUT_CONTACT_COLOURS && i < place; i++) {
                CHECK(f->contact_order[i] != c && !meet(f, world->plan.sizes.nodes, f->contact_order[i], c));
            }
        }
    }
    CHECK_INT(place, live);
    return last;
}

typedef taut_scene* make_scene(bodies* b);

static int check_colours_of(taut_backend_kind backend, make_scene* make, uint32_t* live) {
    bodies b = {0}, again = {0};
    const taut_world_def def = sweeping_def(backend), reference = sweeping_def(TAUT_BACKEND_CPU);
    taut_world *world = phys_world(make(&b), &def), *cpu = phys_world(make(&again), &reference);
    contact_step(world, H, NULL);
    contact_step(cpu, H, NULL);
    const int last = check_colours(world);
    *live = fetch_contacts(world);
    CHECK_INT(*live, fetch_contacts(cpu));
    for (uint32_t c = 0; c < *live; c++) {
        CHECK_INT(world->plan.fields.contact_colour[c], cpu->plan.fields.contact_colour[c]);
    }
    taut_world_destroy(world);
    taut_world_destroy(cpu);
    return last;
}

TAUT_TEST(contact_sweeps, colours) {
    uint32_t live;
    CHECK_INT(check_colours_of(backend, make_pile, &live), 0);
    CHECK(live >= 16 + 4 * 14);
    CHECK(check_colours_of(backend, make_plate, &live) >= 81 - TAUT_CONTACT_COLOURS);
    CHECK(live >= 81 + 4);
}

/* ---- motions -------------------------------------------------------------------------------------------------------
 */

/* What a scene is compared by. */
typedef struct twin {
    const char* what;
    make_scene* make;
    size_t steps;
    double tolerance;   /* 0: that of contact tests */
    taut_method method; /* of the other one */
    taut_friction friction;
} twin;

/* Positions and velocities after so many steps are those of another method on the CPU. */
static void check_twins(taut_backend_kind backend, const twin* t) {
    bodies b = {0}, again = {0};
    contact_effort effort = {0};
    taut_world_def def = sweeping_def(backend), reference = contact_world_def(TAUT_BACKEND_CPU);
    def.contact.friction = reference.contact.friction = t->friction;
    def.solver.tolerance = reference.solver.tolerance = t->tolerance > 0 ? t->tolerance : CONTACT_TOLERANCE;
    reference.solver.method = t->method;
    taut_world *world = phys_world(t->make(&b), &def), *other = phys_world(t->make(&again), &reference);
    CHECK(contact_run(world, t->steps, H, &effort));
    CHECK(contact_run(other, t->steps, H, NULL));
    contact_note(t->what, &effort);
    for (size_t i = 0; i < b.count; i++) {
        double v[3], w[3], x[3], y[3];
        phys_velocity(world, b.list[i].point, v);
        phys_velocity(other, b.list[i].point, w);
        phys_position(world, b.list[i].point, x);
        phys_position(other, b.list[i].point, y);
        CHECK_NEAR(phys_apart(v, w), 0, 2 * CONTACT_CLOSE);
        CHECK_NEAR(phys_apart(x, y), 0, CONTACT_CLOSE);
    }
    taut_world_destroy(world);
    taut_world_destroy(other);
}

#define TWIN(...) check_twins(backend, &(const twin){__VA_ARGS__})

/* Four contacts below a ball say where it is once too often: in float32 directions they do not agree beyond 1e-9,
 * whoever solves. */
TAUT_TEST(contact_sweeps, pile_without_friction) {
    TWIN("30 balls", make_pile, 5, 1e-8, TAUT_METHOD_CONDENSED, TAUT_FRICTION_COULOMB);
}

TAUT_TEST(contact_sweeps, plate_of_balls) {
    TWIN("plate", make_plate, 3, 0, TAUT_METHOD_CONDENSED, TAUT_FRICTION_COULOMB);
}

TAUT_TEST(contact_sweeps, heavy_on_light) {
    TWIN("1000 : 1", make_unequal, 2, 0, TAUT_METHOD_CONDENSED, TAUT_FRICTION_COULOMB);
}

TAUT_TEST(contact_sweeps, stack_of_boxes) {
    TWIN("boxes", make_boxes, 3, 0, TAUT_METHOD_CONDENSED, TAUT_FRICTION_COULOMB);
    TWIN("boxes, convex", make_boxes, 3, 0, TAUT_METHOD_CONDENSED, TAUT_FRICTION_CONVEX);
}

TAUT_TEST(contact_sweeps, chain_on_the_ground) {
    TWIN("chain", make_chain, 12, 0, TAUT_METHOD_CONDENSED, TAUT_FRICTION_COULOMB);
    TWIN("chain", make_chain, 12, 0, TAUT_METHOD_PROJECTED_GRADIENT, TAUT_FRICTION_COULOMB);
}

TAUT_TEST(contact_sweeps, rolling) {
    TWIN("rolling", make_rolling, 5, 0, TAUT_METHOD_CONDENSED, TAUT_FRICTION_COULOMB);
}

/* A particle on a slope of 0.4 rad sticks, or slides with g (sin - mu cos). */
TAUT_TEST(contact_sweeps, slope) {
    const double slope = 0.4, frictions[] = {0, 0.2, 1};
    for (int i = 0; i < 3; i++) {
        double v[3];
        const taut_world_def def = sweeping_def(backend);
        taut_scene* scene = phys_scene(1, (const double[]){0, 0, 0}, NULL);
        const uint32_t material = contact_material(scene, frictions[i], 0);
        contact_plane(scene, (const double[]){sin(slope), cos(slope), 0}, NULL, material);
        contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
        taut_world* world = phys_world(scene, &def);
        contact_run(world, 10, H, NULL);
        phys_velocity(world, 0, v);
        CHECK_NEAR(v[0] * cos(slope) - v[1] * sin(slope),
                   10 * H * PHYS_GRAVITY * fmax(0, sin(slope) - frictions[i] * cos(slope)), CONTACT_CLOSE);
        taut_world_destroy(world);
    }
}

/* A moving floor takes a ball along with mu g. */
TAUT_TEST(contact_sweeps, conveyor) {
    const double half[3] = {2, 0.1, 2};
    const taut_world_def def = sweeping_def(backend);
    phys_body under = contact_at(0, -0.1, 0);
    bodies b = {0};
    double v[3];
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.3, 0);
    under.fixed = true;
    taut_inertia_of_box(1, (const double[]){4, 0.2, 4}, under.inertia);
    const phys_handle floor = phys_add_body(scene, &under);
    contact_shape(scene, TAUT_SHAPE_BOX, half, floor.frame, NULL, NULL, material);
    add_ball(scene, &b, contact_at(0, 0.1, 0), 2, 0.1, material);
    taut_world* world = phys_world(scene, &def);
    for (int i = 1; i <= 5; i++) {
        CHECK_OK(taut_world_move_fixed(world, 1, &floor.point, (const double[]){0.02 * i, -0.1, 0}));
        contact_run(world, 1, H, NULL);
    }
    phys_velocity(world, b.list[0].point, v);
    CHECK_NEAR(v[0], 5 * H * 0.3 * PHYS_GRAVITY, CONTACT_CLOSE);
    taut_world_destroy(world);
}

static void add_momentum(taut_world* world, const bodies* b, const double* masses, double sign, double out[3]) {
    for (size_t i = 0; i < b->count; i++) {
        double v[3];
        phys_velocity(world, b->list[i].point, v);
        phys_add(sign * masses[i], v, out);
    }
}

/* What carries a rough pile is its weight and what its momentum changes by. */
TAUT_TEST(contact_sweeps, rough_pile_is_carried) {
    bodies b = {0};
    double force[3], change[3] = {0, 0, 0}, masses[MOST];
    taut_world_def def = sweeping_def(backend);
    def.solver.tolerance = 1e-8;
    taut_world* world = phys_world(make_pyramid(3, 0.5, &b), &def);
    for (size_t i = 0; i < b.count; i++) {
        masses[i] = 1 + 0.01 * (double)(i < 9 ? i : i < 13 ? i - 9 : 0);
    }
    CHECK(contact_run(world, 4, H, NULL));
    add_momentum(world, &b, masses, -1, change);
    CHECK(contact_run(world, 1, H, NULL));
    add_momentum(world, &b, masses, 1, change);
    contact_force_on(world, 0, force);
    CHECK_NEAR(force[0], -change[0] / H, 1e-4);
    CHECK_NEAR(force[1], -change[1] / H - b.weight * PHYS_GRAVITY, 1e-4);
    CHECK_NEAR(force[2], -change[2] / H, 1e-4);
    taut_world_destroy(world);
}

/* Velocities after some steps, of which the first has too little room where `grown`. */
static void run_pile(taut_backend_kind backend, uint32_t threads, bool grown, double* out) {
    bodies b = {0}, again = {0};
    taut_world_def def = sweeping_def(backend);
    def.threads = threads;
    def.contact.capacity = grown ? 8 : 0;
    taut_world* world = phys_world(make_pyramid(3, 0.4, &b), &def);
    if (grown) {
        taut_step_info info;
        taut_scene* scene = make_pyramid(3, 0.4, &again);
        const taut_status status = taut_world_step(world, H);
        CHECK_STATUS(status == TAUT_OK ? taut_world_sync(world) : status, TAUT_OUT_OF_CAPACITY);
        CHECK_OK(taut_world_info(world, &info));
        CHECK(info.contacts > 8);
        CHECK_OK(taut_world_grow_contacts(world, info.contacts + 50));
        taut_scene_destroy(scene);
    }
    for (int i = 0; i < 3; i++) {
        CHECK_OK(taut_world_step(world, H));
    }
    for (size_t i = 0; i < b.count; i++) {
        phys_velocity(world, b.list[i].point, out + 3 * i);
    }
    taut_world_destroy(world);
}

TAUT_TEST(contact_sweeps, same_bits) {
    double first[3 * MOST] = {0}, second[3 * MOST] = {0}, third[3 * MOST] = {0};
    run_pile(backend, 1, false, first);
    run_pile(backend, 4, false, second);
    run_pile(backend, 1, true, third);
    CHECK(memcmp(first, second, sizeof first) == 0);
    for (int i = 0; i < 3 * MOST; i++) {
        CHECK_NEAR(first[i], third[i], 1e-12);
    }
}

/* ---- refused -------------------------------------------------------------------------------------------------------
 */

TAUT_TEST(contact_sweeps, mapped_points_are_refused) {
    bodies b = {0};
    const taut_world_def def = sweeping_def(backend);
    taut_world* world = NULL;
    taut_scene* scene = make_unequal(&b);
    phys_add_body_point(scene, b.list[0].frame, (const double[]){0, 0.2, 0});
    CHECK_STATUS(taut_world_create(scene, &def, &world), TAUT_INVALID_ARGUMENT);
    taut_scene_destroy(scene);
}
