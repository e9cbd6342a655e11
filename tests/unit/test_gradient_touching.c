/* Gradients of steps in which bodies touch things, against central differences: boxes, balls, capsules and cylinders
 * that slide, roll, bounce and fall on planes, shapes and each other, loose and in joints. */
#define TAUT_REAL double
#include "kernels/formulas/rotation_math.h"

#include "harness.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_BODIES = 3 };

/* All that a function of the last state depends on. */
typedef struct inputs {
    double x[3 * MOST_BODIES], v[3 * MOST_BODIES], turn[3 * MOST_BODIES], omega[3 * MOST_BODIES];
    double force[3 * MOST_BODIES], torque[3 * MOST_BODIES], gravity[3], friction, restitution, mass[MOST_BODIES],
        inertia[6 * MOST_BODIES];
} inputs;

enum { INPUTS = sizeof(inputs) / sizeof(double) };

typedef struct subject {
    const char* name;
    taut_shape shape;
    double size[3];                     /* of the bodies' shape */
    double height, v[3], turn[3], spin; /* of the lowest one: its centre, m; others stand on it */
    double friction, restitution, h;
    int steps, bodies;
    taut_shape on; /* what stands below */
    double on_size[3], on_centre[3], lean;
    double apart[3]; /* from each body to the next */
    bool hinge;      /* between the first two */
    double within;   /* 0: 1e-4 */
} subject;

static double any(size_t i) {
    return sin(1.7 * (double)i + 0.4) + 0.3 * cos(5.1 * (double)i);
}

static inputs usual(const subject* s) {
    inputs in = {.gravity = {0.1, -9.81, 0.2}, .friction = s->friction, .restitution = s->restitution};
    for (size_t i = 0; i < 3 * MOST_BODIES; i++) {
        const size_t b = i / 3, a = i % 3;
        in.x[i] = (a == 1 ? s->height : 0.02 * any(i)) + (double)b * s->apart[a];
        in.v[i] = s->v[a] * (b == 0 ? 1 : 0.5) + 0.02 * any(20 + i);
        in.turn[i] = s->turn[a];
        in.omega[i] = s->spin * any(40 + i);
        in.force[i] = 0.05 * any(60 + i);
        in.torque[i] = 0.01 * any(80 + i);
        in.mass[b] = 1 - 0.2 * (double)b;
    }
    for (size_t b = 0; b < MOST_BODIES; b++) {
        const double inertia[6] = {0.006, 0.009, 0.007, 0.0004, -0.0002, 0.0003};
        memcpy(in.inertia + 6 * b, inertia, sizeof inertia);
    }
    return in;
}

/* ---- a world ----------------------------------------------------------------------------------------------------- */

static void add_floor(taut_scene* scene, const subject* s, uint32_t material) {
    taut_colliders_def def = taut_default_colliders();
    const double angle = s->on == TAUT_SHAPE_PLANE ? -0.7853981633974483 + s->lean : s->lean;
    const double turned[4] = {cos(angle), s->on == TAUT_SHAPE_PLANE ? sin(angle) : 0, 0,
                              s->on == TAUT_SHAPE_PLANE ? 0 : sin(angle)};
    def.count = 1;
    def.material = material;
    def.shape = s->on;
    def.orientations = turned;
    def.positions = s->on_centre;
    memcpy(def.size, s->on_size, sizeof def.size);
    for (size_t a = 0; a < 3; a++) {
        def.size[a] = s->on_size[a] > 0 ? s->on_size[a] : 1;
    }
    CHECK_OK(taut_scene_add_colliders(scene, &def, NULL));
}

static void add_bodies(taut_scene* scene, const subject* s, const inputs* in, uint32_t material) {
    taut_bodies_def def = taut_default_bodies();
    taut_colliders_def shapes = taut_default_colliders();
    taut_body_ranges ranges;
    double q[4 * MOST_BODIES];
    taut_body bodies[MOST_BODIES];
    for (size_t b = 0; b < MOST_BODIES; b++) {
        quat_exp(in->turn + 3 * b, q + 4 * b);
    }
    def.count = shapes.count = (size_t)s->bodies;
    def.positions = in->x;
    def.velocities = in->v;
    def.orientations = q;
    def.angular_velocities = in->omega;
    def.masses = in->mass;
    def.inertias = in->inertia;
    CHECK_OK(taut_scene_add_bodies(scene, &def, &ranges));
    for (uint32_t b = 0; b < MOST_BODIES; b++) {
        bodies[b] = taut_body_of(ranges, b);
    }
    shapes.bodies = bodies;
    shapes.shape = s->shape;
    shapes.material = material;
    memcpy(shapes.size, s->size, sizeof shapes.size);
    for (size_t a = 0; a < 3; a++) {
        shapes.size[a] = s->size[a] > 0 ? s->size[a] : 1;
    }
    CHECK_OK(taut_scene_add_colliders(scene, &shapes, NULL));
    if (s->hinge) {
        taut_joints_def joint = taut_default_joints();
        joint.type = TAUT_JOINT_HINGE;
        joint.count = 1;
        joint.bodies = bodies;
        joint.positions = (const double[]){s->apart[0] / 2, s->height, 0};
        CHECK_OK(taut_scene_add_joints(scene, &joint, NULL));
    }
}

static void write_poses(taut_world* world, const subject* s, const inputs* in) {
    double q[4 * MOST_BODIES];
    for (size_t b = 0; b < MOST_BODIES; b++) {
        quat_exp(in->turn + 3 * b, q + 4 * b);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, (size_t)s->bodies, in->x));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, 0, (size_t)s->bodies, q));
}

static taut_world* make(const subject* s, const inputs* in) {
    inputs scene_in = *in; /* joints are where they are in the scene */
    const inputs poses = usual(s);
    memcpy(scene_in.x, poses.x, sizeof poses.x);
    memcpy(scene_in.turn, poses.turn, sizeof poses.turn);
    taut_scene_def scene_def = taut_default_scene();
    taut_material_def material = taut_default_material();
    taut_world_def def = taut_default_world();
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    uint32_t number = 0;
    material.friction = in->friction;
    material.restitution = in->restitution;
    CHECK_OK(taut_scene_create(&scene_def, &scene));
    CHECK_OK(taut_scene_add_material(scene, &material, &number));
    add_floor(scene, s, number);
    add_bodies(scene, s, &scene_in, number);
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    memcpy(def.gravity, in->gravity, sizeof def.gravity);
    def.integrator.newton = 50;
    def.integrator.newton_tolerance = s->hinge ? 1e-7 : 1e-9;
    def.solver.tolerance = 1e-11;
    def.solver.max_iterations = 20000;
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    write_poses(world, s, in);
    CHECK_OK(taut_world_set_forces(world, 0, (size_t)s->bodies, in->force));
    CHECK_OK(taut_world_set_torques(world, 0, (size_t)s->bodies, in->torque));
    return world;
}

/* ---- a function, and its derivatives by the last state ----------------------------------------------------------- */

/* u.R e of each frame for two axes e. */
static double of_orientation(size_t frame, const double q[4], double by_turn[3]) {
    double sum = 0;
    by_turn[0] = by_turn[1] = by_turn[2] = 0;
    for (size_t e = 0; e < 2; e++) {
        const double unit[3] = {e == 0, e == 1, 0};
        double r[3], u[3], across[3];
        quat_rotate(q, unit, r);
        for (size_t a = 0; a < 3; a++) {
            u[a] = any(300 + 6 * frame + 3 * e + a);
            sum += u[a] * r[a];
        }
        vec3_cross(r, u, across); /* d(u.r) = u.(t x r) = t.(r x u) */
        vec3_axpy(1, across, by_turn);
    }
    return sum;
}

static double value_at(const subject* s, taut_world* world, double* by_x, double* by_v) {
    double x[3 * MOST_BODIES], v[3 * MOST_BODIES], q[4 * MOST_BODIES], omega[3 * MOST_BODIES], sum = 0;
    const size_t n = (size_t)s->bodies;
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, n, x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, n, v));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, 0, n, q));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, n, omega));
    for (size_t i = 0; i < 3 * n; i++) {
        by_x[i] = any(200 + i);
        by_v[i] = any(220 + i);
        by_v[3 * n + i] = 0.1 * any(240 + i);
        sum += by_x[i] * x[i] + by_v[i] * v[i] + by_v[3 * n + i] * omega[i];
    }
    for (size_t frame = 0; frame < n; frame++) {
        sum += of_orientation(frame, q + 4 * frame, by_x + 3 * (n + frame));
    }
    return sum;
}

/* By steps of which gradients are taken: where contacts of a face bounce together others solve once more. */
static double function_of(const subject* s, const inputs* in) {
    double by_x[6 * MOST_BODIES], by_v[6 * MOST_BODIES];
    taut_world* world = make(s, in);
    taut_gradients* g = NULL;
    CHECK_OK(taut_gradients_create(world, (uint32_t)s->steps, &g));
    for (int i = 0; i < s->steps; i++) {
        CHECK_OK(s->restitution > 0 || s->hinge ? taut_gradients_step(g, s->h) : taut_world_step(world, s->h));
    }
    const double sum = value_at(s, world, by_x, by_v);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    return sum;
}

/* Of the material that there is beside that of every scene. */
static double of_pair(const taut_gradients* g, taut_gradient by) {
    double sums[4] = {0};
    CHECK_INT((int)taut_gradients_rows(g, by), 2);
    CHECK_OK(taut_gradients_read(g, by, 0, 2, sums));
    return sums[3];
}

/* `pressed`: how many contacts pressed, over all steps. */
static bool gradient_of(const subject* s, const inputs* in, inputs* out, int* pressed) {
    double by_x[6 * MOST_BODIES], by_v[6 * MOST_BODIES];
    const size_t n = (size_t)s->bodies;
    taut_world* world = make(s, in);
    taut_gradients* g = NULL;
    bool made = CHECK_OK(taut_gradients_create(world, (uint32_t)s->steps, &g));
    *pressed = 0;
    *out = (inputs){.x = {0}};
    for (int i = 0; made && i < s->steps; i++) {
        taut_contact contacts[64];
        size_t count = 0;
        made = CHECK_OK(taut_gradients_step(g, s->h));
        CHECK_OK(taut_world_read_contacts(world, 64, contacts, &count));
        for (size_t c = 0; c < count; c++) {
            *pressed += contacts[c].force[0] != 0 || contacts[c].force[1] != 0;
        }
    }
    value_at(s, world, by_x, by_v);
    while (made && taut_gradients_count(g) > 0) {
        made = CHECK_OK(taut_gradients_back(g, by_x, by_v));
    }
    memcpy(out->x, by_x, 3 * n * sizeof(double));
    memcpy(out->v, by_v, 3 * n * sizeof(double));
    memcpy(out->turn, by_x + 3 * n, 3 * n * sizeof(double));
    memcpy(out->omega, by_v + 3 * n, 3 * n * sizeof(double));
    if (made) {
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_FORCES, 0, n, out->force));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_TORQUES, 0, n, out->torque));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_MASSES, 0, n, out->mass));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_INERTIAS, 0, n, out->inertia));
        CHECK_OK(taut_gradients_read(g, TAUT_GRADIENT_GRAVITY, 0, 1, out->gravity));
        out->friction = of_pair(g, TAUT_GRADIENT_FRICTIONS);
        out->restitution = of_pair(g, TAUT_GRADIENT_RESTITUTIONS);
    }
    taut_gradients_destroy(g);
    taut_world_destroy(world);
    return made;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

enum { OF_TURN = offsetof(inputs, turn) / sizeof(double), OF_SPIN = offsetof(inputs, omega) / sizeof(double) };

/* Turns are small ones about axes of the world, in front of that of the subject. */
static double moved(const subject* s, const inputs* in, size_t i, double way) {
    inputs other = *in;
    if (i >= OF_TURN && i < OF_SPIN) {
        const size_t b = (i - OF_TURN) / 3;
        double turn[3] = {0, 0, 0}, by[4], q[4], after[4];
        turn[(i - OF_TURN) % 3] = way;
        quat_exp(turn, by);
        quat_exp(in->turn + 3 * b, q);
        quat_multiply(by, q, after);
        quat_log(after, other.turn + 3 * b);
    } else {
        ((double*)&other)[i] += way;
    }
    return function_of(s, &other);
}

/* Of the bodies that there are. */
static bool is_there(const subject* s, size_t i) {
    static const size_t begin[] = {offsetof(inputs, x),     offsetof(inputs, v),       offsetof(inputs, turn),
                                   offsetof(inputs, omega), offsetof(inputs, force),   offsetof(inputs, torque),
                                   offsetof(inputs, mass),  offsetof(inputs, inertia), sizeof(inputs)};
    static const size_t width[] = {3, 3, 3, 3, 3, 3, 1, 6};
    for (size_t k = 0; k < 8; k++) {
        if (i >= begin[k] / sizeof(double) && i < begin[k] / sizeof(double) + width[k] * MOST_BODIES) {
            return i - begin[k] / sizeof(double) < width[k] * (size_t)s->bodies;
        }
    }
    return i != offsetof(inputs, restitution) / sizeof(double) || s->restitution > 0;
}

/* Inertias are small, and masses in float32. */
static double way_of(size_t i, double way) {
    return i >= offsetof(inputs, inertia) / sizeof(double) ? 0.02 * way
           : i >= offsetof(inputs, mass) / sizeof(double)  ? 20 * way
                                                           : way;
}

/* Arms of contacts are in float32, which short ways show, and long ones meet where a contact opens, or another corner
 * counts: of several ways the one that agrees best counts. */
static double off_by(const subject* s, const inputs* in, size_t i, double derivative, double* size) {
    static const double ways[] = {5e-5, 1e-5, 4e-6, 1e-6};
    double least = INFINITY;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        const double way = way_of(i, ways[k]);
        const double difference = (moved(s, in, i, way) - moved(s, in, i, -way)) / (2 * way);
        least = fmin(least, fabs(difference - derivative));
        *size = fabs(difference);
    }
    return least;
}

static void compare(const subject* given) {
    subject own = *given;
    const subject* s = &own;
    own.bodies = given->bodies > 0 ? given->bodies : 1;
    own.friction = given->friction > 0 ? given->friction : 0.3;
    own.h = given->h > 0 ? given->h : 1.0 / 120;
    const inputs in = usual(s);
    inputs gradient;
    int pressed;
    double largest = 0, worst = 0;
    size_t at = 0;
    test_note("%s", s->name);
    if (!gradient_of(s, &in, &gradient, &pressed)) {
        return;
    }
    for (size_t i = 0; i < INPUTS; i++) {
        if (is_there(s, i)) {
            const double scale = i >= offsetof(inputs, inertia) / sizeof(double) ? 1e-2 : 1;
            double size;
            const double off = scale * off_by(s, &in, i, ((const double*)&gradient)[i], &size);
            largest = fmax(largest, scale * size);
            at = off > worst ? i : at;
            worst = fmax(worst, off);
        }
    }
    test_note("%s: %d presses, worst %.1e of %.1e at %zu", s->name, pressed, worst, largest, at);
    CHECK(pressed > 0);
    CHECK(worst < (s->within > 0 ? s->within : 1e-4) * largest);
    test_note(NULL);
}

#define BOX(a, b, c)         .shape = TAUT_SHAPE_BOX, .size = {a, b, c}
#define ON_BOX(x, y, z, ...) .on = TAUT_SHAPE_BOX, .on_size = {x, y, z}, .on_centre = {__VA_ARGS__}

#define TOUCHING_TEST(name_, ...)                                                                                      \
    TAUT_PLAIN_TEST(gradient_touching, name_) {                                                                        \
        if (test_direct()) {                                                                                           \
            compare(&(subject){.name = #name_, __VA_ARGS__});                                                          \
        }                                                                                                              \
    }

TOUCHING_TEST(a_box_slides, BOX(0.15, 0.1, 0.2), .height = 0.1001, .v = {1.5, -0.1, 0.4}, .steps = 20)
TOUCHING_TEST(a_box_sticks, BOX(0.15, 0.1, 0.2), .height = 0.1001, .v = {0.02, -0.1, 0}, .friction = 0.8, .steps = 20)
TOUCHING_TEST(a_box_tumbles, BOX(0.15, 0.1, 0.2), .height = 0.25, .v = {1, -1, 0.2}, .turn = {0.4, 0.2, 0.3}, .spin = 2,
              .steps = 24)
TOUCHING_TEST(a_box_bounces, BOX(0.15, 0.1, 0.2), .height = 0.24, .v = {1, -1, 0.2}, .turn = {0.4, 0.2, 0.3}, .spin = 2,
              .restitution = 0.5, .steps = 30)
TOUCHING_TEST(a_box_slides_down, BOX(0.15, 0.1, 0.2), .height = 0.1001, .v = {0.2, -0.1, 0.4}, .turn = {0.2},
              .lean = 0.1, .steps = 20)
TOUCHING_TEST(a_ball_rolls, .shape = TAUT_SHAPE_SPHERE, .size = {0.1}, .height = 0.1002, .v = {1, -0.1, 0.3},
              .steps = 20)
TOUCHING_TEST(a_ball_bounces, .shape = TAUT_SHAPE_SPHERE, .size = {0.1}, .height = 0.14, .v = {1, -1, 0.3},
              .restitution = 0.7, .spin = 3, .steps = 30)
TOUCHING_TEST(a_capsule_rolls, .shape = TAUT_SHAPE_CAPSULE, .size = {0.1, 0.2}, .height = 0.1002, .v = {1, -0.1, 0},
              .steps = 20)
TOUCHING_TEST(a_capsule_falls, .shape = TAUT_SHAPE_CAPSULE, .size = {0.1, 0.2}, .height = 0.3, .v = {0.5, -1, 0},
              .turn = {0.8, 0.2, 0.1}, .spin = 1, .steps = 30)
TOUCHING_TEST(a_cylinder_rolls, .shape = TAUT_SHAPE_CYLINDER, .size = {0.1, 0.2}, .height = 0.1002, .v = {1, -0.1, 0},
              .steps = 20)
TOUCHING_TEST(a_box_on_a_box, BOX(0.15, 0.1, 0.2), .height = 0.1001, .v = {1, -0.1, 0.4}, .steps = 20,
              ON_BOX(2, 0.5, 2, 0, -0.5, 0))
TOUCHING_TEST(a_box_over_an_edge, BOX(0.15, 0.1, 0.2), .height = 0.1001, .v = {1, -0.1, 0.4}, .steps = 30,
              ON_BOX(0.05, 0.5, 2, 0, -0.5, 0))
TOUCHING_TEST(a_box_on_a_ball, BOX(0.15, 0.1, 0.2), .height = 0.102, .v = {0.5, -0.5, 0.2}, .steps = 20,
              .on = TAUT_SHAPE_SPHERE, .on_size = {0.4}, .on_centre = {0.03, -0.4, 0.02})
TOUCHING_TEST(a_ball_on_a_ball, .shape = TAUT_SHAPE_SPHERE, .size = {0.1}, .height = 0.102, .v = {0.5, -0.5, 0.2},
              .steps = 20, .on = TAUT_SHAPE_SPHERE, .on_size = {0.4}, .on_centre = {0.03, -0.4, 0.02})
TOUCHING_TEST(boxes_on_each_other, BOX(0.15, 0.1, 0.2), .height = 0.1001, .v = {0.5, -0.1, 0.2}, .steps = 20,
              .bodies = 2, .apart = {0.02, 0.2002, 0.01})
TOUCHING_TEST(boxes_meet, BOX(0.15, 0.1, 0.2), .height = 0.1001, .v = {2, -0.1, 0.2}, .steps = 25, .bodies = 2,
              .apart = {0.32, 0.01, 0.1})
TOUCHING_TEST(balls_meet, .shape = TAUT_SHAPE_SPHERE, .size = {0.1}, .height = 0.1001, .v = {2, -0.1, 0.2}, .steps = 25,
              .bodies = 2, .apart = {0.22, 0, 0.05}, .restitution = 0.3)
TOUCHING_TEST(a_cylinder_on_a_box, .shape = TAUT_SHAPE_CYLINDER, .size = {0.1, 0.2}, .height = 0.1002,
              .v = {1, -0.1, 0}, .turn = {0, 0.3, 0}, .steps = 20, .within = 1e-2, ON_BOX(0.3, 0.5, 2, -0.2, -0.5, 0))
TOUCHING_TEST(a_capsule_over_an_edge, .shape = TAUT_SHAPE_CAPSULE, .size = {0.1, 0.2}, .height = 0.11,
              .v = {0.3, -0.5, 0}, .turn = {0.3, 0.3, 0.5}, .steps = 14, ON_BOX(0.1, 0.5, 2, 0, -0.5, 0))
TOUCHING_TEST(boxes_in_a_hinge, BOX(0.15, 0.1, 0.2), .height = 0.15, .v = {0.5, -0.5, 0.2}, .steps = 25, .bodies = 2,
              .apart = {0.4, 0.0, 0.0}, .hinge = true)

/* A round face that lies flat has its deepest place anywhere on its rim. */
TAUT_PLAIN_TEST(gradient_touching, a_standing_cylinder_is_refused) {
    const subject s = {.shape = TAUT_SHAPE_CYLINDER,
                       .size = {0.15, 0.1},
                       .height = 0.1002,
                       .v = {1, -0.1, 0},
                       .turn = {1.5707963267948966},
                       .friction = 0.3,
                       .bodies = 1};
    const inputs in = usual(&s);
    if (!test_direct()) {
        return;
    }
    taut_world* world = make(&s, &in);
    taut_gradients* g = NULL;
    taut_status status = TAUT_OK;
    CHECK_OK(taut_gradients_create(world, 20, &g));
    for (int i = 0; i < 20 && status == TAUT_OK; i++) {
        status = taut_gradients_step(g, 1.0 / 120);
    }
    CHECK_INT(status, TAUT_DIVERGED);
    CHECK(strstr(taut_last_error(), "a round face lies flat") != NULL);
    taut_gradients_destroy(g);
    taut_world_destroy(world);
}
