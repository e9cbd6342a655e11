/* Particles, bodies, rods, joints and mapped points in one system: momentum, supports, energies. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a free system keeps its momentum ---------------------------------------------------------------------------- */

#define ROD_PIECES 4

typedef struct free_system {
    taut_body handles[3];
    phys_body bodies[3];
    taut_range particles; /* two, 0.4 kg */
    taut_rod_ranges rod;  /* 0.1 kg/m, 0.4 m */
    uint32_t loaded;      /* mapped point with a mass */
    double load;          /* kg */
} free_system;

static void add_free_bodies(taut_scene* scene, free_system* s) {
    for (int i = 0; i < 3; i++) {
        s->bodies[i] = (phys_body){.mass = 1 + 0.5 * i,
                                   .inertia = {0.02, 0.03, 0.04, 0.002, -0.001, 0.003},
                                   .x = {0.4 * i, 0.1 * i, -0.05 * i}};
        phys_turn((const double[]){1, i, -1}, 0.5 + i, s->bodies[i].q);
        s->handles[i] = phys_add_body(scene, &s->bodies[i]);
    }
    const double *a = s->bodies[0].x, *b = s->bodies[1].x, *c = s->bodies[2].x;
    const double first[3] = {(a[0] + b[0]) / 2, 0.1, 0}, second[3] = {(b[0] + c[0]) / 2, 0.2, -0.1};
    phys_add_joint(scene, TAUT_JOINT_BALL, s->handles[0], s->handles[1], first, NULL);
    phys_add_joint(scene, TAUT_JOINT_HINGE, s->handles[1], s->handles[2], second, NULL);
    taut_range range = {0, 0};
    taut_body_points_def def = taut_default_body_points();
    def.count = 1;
    def.body = s->handles[2];
    def.local = (const double[]){0.1, 0.2, 0};
    def.masses = &s->load;
    CHECK_OK(taut_scene_add_body_points(scene, &def, &range));
    s->loaded = range.first;
}

/* Two linked particles, whose middle is tied softly to a point of body 0; a rod on a point of body 2. */
static void add_free_rest(taut_scene* scene, free_system* s) {
    taut_particles_def particles = taut_default_particles();
    particles.count = 2;
    particles.positions = (const double[]){-0.3, 0.2, 0, -0.3, -0.1, 0.1};
    particles.mass = 0.4;
    CHECK_OK(taut_scene_add_particles(scene, &particles, &s->particles));
    const uint32_t a = s->particles.first, b = a + 1;
    phys_add_links(scene, &(phys_tuples){1, (uint32_t[]){a, b}}, 0, 0);
    taut_range middle = {0, 0};
    taut_combinations_def combination = taut_default_combinations();
    combination.count = 1;
    combination.arity = 2;
    combination.parents = (const uint32_t[]){a, b};
    combination.weights = (const double[]){0.5, 0.5};
    CHECK_OK(taut_scene_add_combinations(scene, &combination, &middle));
    const uint32_t hook = phys_add_body_point(scene, s->handles[0], (const double[]){-0.2, 0.05, 0.02});
    double points[3 * (ROD_PIECES + 1)] = {0};
    for (size_t i = 0; i <= ROD_PIECES; i++) {
        points[3 * i] = 1 + 0.1 * (double)i;
        points[3 * i + 1] = 0.3;
    }
    taut_rods_def rod = taut_default_rods();
    rod.count = 1;
    rod.offsets = (const size_t[]){0, ROD_PIECES + 1};
    rod.positions = points;
    rod.young = 1e7;
    rod.shear = 4e6;
    rod.density = 0.1 / (PHYS_PI * 1e-4);
    CHECK_OK(taut_scene_add_rods(scene, &rod, &s->rod));
    const uint32_t end = phys_add_body_point(scene, s->handles[2], points);
    taut_attachment_def tie = taut_default_attachment();
    tie.count = 2;
    tie.particles = (const uint32_t[]){middle.first, hook, end, s->rod.points.first};
    tie.compliances = (const double[]){0.02, 0};
    CHECK_OK(taut_scene_add_attachments(scene, &tie, NULL));
}

/* linear += m v, angular += m x cross v */
static void add_momentum(taut_world* world, uint32_t point, double mass, double linear[3], double angular[3]) {
    double x[3], v[3], moment[3];
    phys_position(world, point, x);
    phys_velocity(world, point, v);
    phys_cross(x, v, moment);
    phys_add(mass, v, linear);
    phys_add(mass, moment, angular);
}

/* Moments of inertia of a piece: rho I l across and twice that along. */
static void add_rod_momentum(taut_world* world, const taut_rod_ranges* rod, double linear[3], double angular[3]) {
    const double piece = 0.01, across = piece * 1e-4 / 4; /* 0.01 kg each; I/A = r^2/4 */
    for (uint32_t i = 0; i <= ROD_PIECES; i++) {
        add_momentum(world, rod->points.first + i, i == 0 || i == ROD_PIECES ? piece / 2 : piece, linear, angular);
    }
    for (uint32_t i = 0; i < ROD_PIECES; i++) {
        phys_body frame = {.inertia = {across, across, 2 * across}};
        double spin[3];
        CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, rod->frames.first + i, 1, frame.q));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, rod->frames.first + i, 1, frame.w));
        phys_spin(&frame, spin);
        phys_add(1, spin, angular);
    }
}

static void momentum(taut_world* world, free_system* s, double linear[3], double angular[3]) {
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (int i = 0; i < 3; i++) {
        phys_read_body(world, s->handles[i], &s->bodies[i]);
        phys_add(s->bodies[i].mass, s->bodies[i].v, linear);
        phys_add_angular_momentum(&s->bodies[i], angular);
    }
    for (uint32_t i = 0; i < 2; i++) {
        add_momentum(world, s->particles.first + i, 0.4, linear, angular);
    }
    add_momentum(world, s->loaded, s->load, linear, angular);
    add_rod_momentum(world, &s->rod, linear, angular);
}

#define SPUN 5.0 /* twice its angular velocity of 2.5 rad/s: a bound for what turns within */

/* Everything turns and flies as if it were rigid, so that the velocities meet the constraints: at alpha = 1/2 what does
 * not would change its sign with every step. The soft tie, 0.1 m too long, sets the parts in motion. */
static void start_rigidly(taut_world* world, const free_system* s) {
    const double spin[3] = {0.8, -1.2, 2}, flight[3] = {0.3, 0.2, -0.4};
    uint32_t points[5 + ROD_PIECES + 1];
    for (uint32_t i = 0; i < 5 + ROD_PIECES + 1; i++) {
        points[i] = i < 3 ? s->handles[i].point : i < 5 ? s->particles.first + i - 3 : s->rod.points.first + i - 5;
        double x[3], v[3];
        phys_position(world, points[i], x);
        phys_cross(spin, x, v);
        phys_add(1, flight, v);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, points[i], 1, v));
    }
    for (size_t i = 0; i < taut_world_frame_count(world); i++) {
        CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, i, 1, spin));
    }
}

typedef struct drift {
    double linear;  /* N s: largest change in a second */
    double angular; /* the same, over the angular momentum */
} drift;

static drift momentum_drift(taut_backend_kind backend, const phys_scheme* scheme, double load, double h) {
    free_system s = {.load = load};
    drift result = {0, 0};
    taut_scene* scene = phys_empty_scene();
    add_free_bodies(scene, &s);
    add_free_rest(scene, &s);
    taut_world* world = phys_scheme_world(backend, scene, scheme, true);
    start_rigidly(world, &s);
    double linear[2][3], angular[2][3];
    momentum(world, &s, linear[0], angular[0]);
    for (int i = 0; i < lround(1 / h) && phys_run(world, 1, h); i++) {
        momentum(world, &s, linear[1], angular[1]);
        result.linear = phys_worse(result.linear, phys_apart(linear[0], linear[1]));
        result.angular = phys_worse(result.angular, phys_apart(angular[0], angular[1]) / phys_length(angular[0]));
    }
    taut_world_destroy(world);
    return result;
}

static const phys_scheme* const schemes[] = {&phys_implicit_euler, &phys_midpoint};

/* Forces of constraints cancel in pairs, to the rounding of Jacobians in float32. Their moments cancel where the
 * constraints were linearised, which lies h w behind. */
TAUT_TEST(coupling, free_system_keeps_its_momentum) {
    for (int i = 0; i < 2; i++) {
        const drift coarse = momentum_drift(backend, schemes[i], 0, 1.0 / 100);
        const drift fine = momentum_drift(backend, schemes[i], 0, 1.0 / 200);
        test_note("alpha %g: linear %.3g and %.3g N s, angular %.3g and %.3g", schemes[i]->alpha, coarse.linear,
                  fine.linear, coarse.angular, fine.angular);
        CHECK(coarse.linear < 1e-6 && fine.linear < 1e-6);
        phys_check_order(coarse.angular, fine.angular, 1);
        CHECK(fine.angular < SPUN / 200);
    }
}

/* A mass on a point of a body moves with the arm of the new orientation, and resists by that of the old one: momentum
 * is kept to the order of the step. */
TAUT_TEST(coupling, mapped_mass_keeps_momentum_to_its_order) {
    for (int i = 0; i < 2; i++) {
        const drift coarse = momentum_drift(backend, schemes[i], 0.3, 1.0 / 100);
        const drift fine = momentum_drift(backend, schemes[i], 0.3, 1.0 / 200);
        test_note("alpha %g: linear %.3g and %.3g N s, angular %.3g and %.3g", schemes[i]->alpha, coarse.linear,
                  fine.linear, coarse.angular, fine.angular);
        phys_check_order(coarse.linear, fine.linear, 1);
        phys_check_order(coarse.angular, fine.angular, 1);
        CHECK(fine.linear < 0.3 * 0.22 * SPUN * SPUN / 200 &&
              fine.angular < SPUN / 200); /* m a w (h w), and as above */
    }
}

/* ---- a body on a rope -------------------------------------------------------------------------------------------- */

#define ROPE_LINKS 6

/* Hung by a point away from its centre, in a plane (nothing would brake a turn about the vertical): the centre comes to
 * rest below that point, and every link carries what is below it. */
TAUT_TEST(coupling, body_on_a_rope) {
    phys_body box = {.mass = 2, .inertia = {0.02, 0.03, 0.04}, .x = {0.1, -0.75, 0}, .q = {1, 0, 0, 0}};
    const double top[3] = {0, 0, 0}, bottom[3] = {0, -0.6, 0};
    double masses[ROPE_LINKS + 1], lam[ROPE_LINKS];
    for (int i = 0; i <= ROPE_LINKS; i++) {
        masses[i] = 0.02;
    }
    taut_batch links;
    taut_scene* scene = phys_chain(ROPE_LINKS, top, bottom, masses, 0, &links);
    const taut_body handle = phys_add_body(scene, &box);
    const uint32_t hook = phys_add_body_point(scene, handle, bottom);
    taut_attachment_def tie = taut_default_attachment();
    taut_batch knot = {0};
    tie.count = 1;
    tie.particles = (const uint32_t[]){ROPE_LINKS, hook};
    CHECK_OK(taut_scene_add_attachments(scene, &tie, &knot));
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    if (phys_settle(world, 0.05, 0.5, 1e-6, 400)) {
        double hung[3], pull[3];
        phys_read_body(world, handle, &box);
        phys_position(world, hook, hung);
        phys_multipliers(world, links, ROPE_LINKS, lam);
        phys_multipliers(world, knot, 3, pull);
        const double arm = hypot(0.1, 0.15);
        CHECK_NEAR(phys_apart(hung, bottom), 0, 1e-6);
        CHECK_NEAR(phys_apart(box.x, (const double[]){0, -0.6 - arm, 0}), 0, 1e-5);
        CHECK_NEAR(pull[1], 2 * PHYS_GRAVITY, 1e-5);
        for (int i = 0; i < ROPE_LINKS; i++) {
            CHECK_NEAR(lam[i], -PHYS_GRAVITY * (2 + 0.02 * (ROPE_LINKS - i)), 1e-5);
        }
    }
    taut_world_destroy(world);
}

/* ---- a body on a cloth ------------------------------------------------------------------------------------------- */

/* A sheet held at two corners by hard targets, with a body at the middle of its lower edge: the knot carries the body,
 * the targets everything. */
TAUT_TEST(coupling, body_on_a_cloth) {
    phys_mesh sheet = phys_grid(4, 4, 0.4, 0.4, PHYS_ALTERNATING);
    double* masses = phys_lumped_masses(&sheet, 0.5); /* 0.08 kg */
    phys_body box = {.mass = 1, .inertia = {0.002, 0.003, 0.004}, .x = {0.2, -0.1, 0.02}, .q = {1, 0, 0, 0}};
    taut_scene* scene = phys_scene(sheet.point_count, sheet.points, masses);
    const phys_tuples edges = phys_edges(&sheet);
    taut_batch knot = {0}, pins = {0};
    phys_add_links(scene, &edges, 1e-4, 0.02);
    const taut_body handle = phys_add_body(scene, &box);
    const uint32_t hook = phys_add_body_point(scene, handle, (const double[]){0.2, 0, 0});
    taut_attachment_def tie = taut_default_attachment();
    tie.count = 1;
    tie.particles = (const uint32_t[]){2, hook};
    CHECK_OK(taut_scene_add_attachments(scene, &tie, &knot));
    taut_target_def pin = taut_default_target();
    pin.count = 2;
    pin.particles = (const uint32_t[]){20, 24};
    CHECK_OK(taut_scene_add_targets(scene, &pin, &pins));
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    if (phys_settle(world, 0.02, 0.1, 1e-5, 800)) {
        double pull[3], support[6], hung[3];
        phys_read_body(world, handle, &box);
        phys_multipliers(world, knot, 3, pull);
        phys_multipliers(world, pins, 6, support);
        phys_position(world, hook, hung);
        CHECK_NEAR(phys_apart(pull, (const double[]){0, PHYS_GRAVITY, 0}), 0, 1e-3);
        CHECK_NEAR(support[1] + support[4], 1.08 * PHYS_GRAVITY, 1e-3);
        CHECK_NEAR(support[0] + support[3], 0, 1e-3);
        CHECK(support[0] < -0.1 && hung[1] < -0.001); /* the corners are pulled together, the sheet gives way */
        CHECK_NEAR(hypot(box.x[0] - hung[0], box.x[2] - hung[2]), 0, 1e-4);
    }
    taut_world_destroy(world);
    free(edges.items);
    free(masses);
    phys_mesh_free(&sheet);
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

/* A body with masses on two of its points, on a soft ball joint, with a particle: what the world says is the sum over
 * all of them, the mapped masses too, and 1/2 C F^2 per spring. */
TAUT_TEST(coupling, energies) {
    phys_body box = {.mass = 2, .inertia = {0.2, 0.3, 0.4}, .x = {0.5, 0, 0}, .q = {1, 0, 0, 0}, .w = {1, 2, 3}};
    const double masses[2] = {0.7, 0.4};
    taut_scene* scene = phys_scene(1, (const double[]){1, 2, 3}, (const double[]){0.25});
    const taut_body handle = phys_add_body(scene, &box);
    taut_range loads = {0, 0};
    taut_body_points_def points = taut_default_body_points();
    points.count = 2;
    points.body = handle;
    points.local = (const double[]){0.3, 0.1, 0, -0.2, 0.1, 0.3};
    points.masses = masses;
    CHECK_OK(taut_scene_add_body_points(scene, &points, &loads));
    taut_joint_batches joint = {{0}, {0}, {0}};
    taut_joints_def def = taut_default_joints();
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, handle};
    def.positions = (const double[]){0, 0, 0};
    for (int a = 0; a < 3; a++) {
        def.translation_compliance[a] = 1e-3 * (a + 1);
    }
    CHECK_OK(taut_scene_add_joints(scene, &def, &joint));
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    phys_run(world, 20, 0.01);
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    double x[3], v[3], lam[3], kinetic, potential, elastic = 0;
    phys_read_body(world, handle, &box);
    phys_position(world, 0, x);
    phys_velocity(world, 0, v);
    kinetic = phys_kinetic(&box) + 0.25 / 2 * phys_dot(v, v);
    potential = PHYS_GRAVITY * (2 * box.x[1] + 0.25 * x[1]);
    for (uint32_t i = 0; i < 2; i++) {
        phys_position(world, loads.first + i, x);
        phys_velocity(world, loads.first + i, v);
        kinetic += masses[i] / 2 * phys_dot(v, v);
        potential += PHYS_GRAVITY * masses[i] * x[1];
    }
    phys_multipliers(world, joint.prismatic, 3, lam);
    for (int a = 0; a < 3; a++) {
        elastic += 1e-3 * (a + 1) * lam[a] * lam[a] / 2;
    }
    CHECK_NEAR(info.kinetic, kinetic, 1e-9 * kinetic);
    CHECK_NEAR(info.potential, potential, 1e-9 * fabs(potential));
    /* phi = -C lam to the linearisation of one step, h^2 w^2 of the arm. */
    CHECK_NEAR(info.elastic, elastic, 0.05 * elastic);
    CHECK(elastic > 0.01);
    taut_world_destroy(world);
}

/* What goes into a body hung on a soft hinge stays there with the midpoint rule: kinetic, potential and elastic energy
 * together, to the order of the scheme. */
static double energy_drift(taut_backend_kind backend, double h) {
    phys_body box = {.mass = 2, .inertia = {0.2, 0.3, 0.4}, .x = {0.5, 0, 0}, .q = {1, 0, 0, 0}};
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &box);
    taut_joints_def def = taut_default_joints();
    double axes[4], worst = 0;
    phys_hinge_about_z(axes);
    def.type = TAUT_JOINT_HINGE;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, handle};
    def.positions = (const double[]){0, 0, 0};
    def.orientations = axes;
    for (int a = 0; a < 3; a++) {
        def.translation_compliance[a] = def.rotation_compliance[a] = 2e-3;
    }
    CHECK_OK(taut_scene_add_joints(scene, &def, NULL));
    taut_world* world = phys_scheme_world(backend, scene, &phys_midpoint, false);
    for (int i = 0; i < lround(1 / h) && phys_run(world, 1, h); i++) {
        taut_step_info info = {0};
        double phi[5], elastic = 0;
        CHECK_OK(taut_world_info(world, &info));
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VIOLATIONS, 0, 5, phi));
        for (int row = 0; row < 5; row++) {
            elastic += phi[row] * phi[row] / 2e-3 / 2;
        }
        worst = phys_worse(worst, fabs(info.kinetic + info.potential + elastic)); /* 0 at first */
    }
    taut_world_destroy(world);
    return worst;
}

TAUT_TEST(coupling, soft_hinge_keeps_energy) {
    const double coarse = energy_drift(backend, 1.0 / 200), fine = energy_drift(backend, 1.0 / 400);
    test_note("energy off by %.3g and %.3g J", coarse, fine);
    phys_check_order(coarse, fine, 2);
    CHECK(fine < 0.02); /* of some 20 J that go to and fro */
}
