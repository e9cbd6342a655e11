/* Balls and rolls that go along what is curved, a mesh of flat faces: they lose no energy in a bowl, in the smooth bend
 * of a track, or over hills; at an edge they lose what they meet it with. */
#include "closed_meshes.h"
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

static const double origin[3] = {0, 0, 0}, pi = 3.14159265358979;

/* m: of the bowls, of what goes along them, and of the meshes' thickness. */
#define BOWL   1.0
#define RADIUS 0.1
#define THICK  0.01

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* Where a place of a flat strip comes to: `along` from 0 to 1, `across` from -1 to 1. */
typedef void track_shape(double along, double across, double x[3]);

static void half_pipe(double along, double across, double x[3]) {
    x[0] = -BOWL * cos(pi * along);
    x[1] = -BOWL * sin(pi * along);
    x[2] = 0.4 * across;
}

/* A band of a sphere. */
static void round_bowl(double along, double across, double x[3]) {
    const double u = 1.25 * (2 * along - 1), w = 0.3 * across;
    x[0] = BOWL * sin(u);
    x[1] = -BOWL * cos(u) * cos(w);
    x[2] = BOWL * cos(u) * sin(w);
}

/* Half of a ring about z, of which rails are; `aside`: its place along z. */
#define RAIL  0.025
#define APART 0.08
static double rail_aside;

static void rail(double along, double across, double x[3]) {
    const double far = BOWL + RAIL * cos(pi * across);
    x[0] = -far * cos(pi * along);
    x[1] = -far * sin(pi * along);
    x[2] = rail_aside + RAIL * sin(pi * across);
}

static void hills(double along, double across, double x[3]) {
    x[0] = -1 + 8 * along;
    x[1] = 0.1 * cos(2 * pi * x[0]);
    x[2] = 0.4 * across;
}

/* A floor that rises from x = 0 on by this angle. */
static double ramp_angle;

static void ramp(double along, double across, double x[3]) {
    const double far = -3 + 6 * along;
    x[0] = far < 0 ? far : far * cos(ramp_angle);
    x[1] = far < 0 ? 0 : far * sin(ramp_angle);
    x[2] = 0.4 * across;
}

static uint32_t add_track(taut_scene* scene, track_shape* shape, size_t pieces, size_t wide, uint32_t material) {
    phys_mesh mesh = phys_grid(pieces, wide, 1, 2, PHYS_ALTERNATING);
    taut_collider_mesh_def def;
    uint32_t number = 0;
    for (size_t i = 0; i < mesh.point_count; i++) {
        double* x = mesh.points + 3 * i;
        shape(x[0], x[1] - 1, x);
    }
    def = closed_def(&mesh, 0);
    def.thickness = THICK;
    CHECK_OK(taut_scene_add_collider_mesh(scene, &def, &number));
    phys_mesh_free(&mesh);
    return contact_mesh(scene, number, TAUT_WORLD, origin, NULL, material);
}

/* ---- what goes along them ---------------------------------------------------------------------------------------- */

typedef struct rolling {
    taut_shape shape;
    double friction, h;
    phys_body body; /* places and velocities; of 1 kg */
} rolling;

typedef struct run {
    taut_world* world;
    taut_body handle;
    double first, most; /* J: energy of the start; the most that there was */
} run;

static run begin(taut_backend_kind backend, const rolling* r, track_shape* track, size_t pieces, size_t wide) {
    run out = {0};
    taut_scene* scene = phys_empty_scene();
    taut_world_def def = contact_world_def(backend);
    const double size[3] = {RADIUS, 0.15, 0};
    phys_body body = r->body;
    const uint32_t material = contact_material(scene, r->friction, 0);
    body.mass = 1;
    taut_inertia_of_sphere(1, RADIUS, body.inertia);
    add_track(scene, track, pieces, wide, material);
    out.handle = phys_add_body(scene, &body);
    contact_shape(scene, r->shape, size, out.handle, origin, NULL, material);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.solver.tolerance = 1e-6;
    def.integrator.guard = true;
    out.world = phys_world(scene, &def);
    return out;
}

/* J: with the velocities of half a step later, which are those of where it is. */
static double energy_of(const taut_step_info* info, double h) {
    return info->kinetic + info->potential - h / 2 * PHYS_GRAVITY * info->momentum[1];
}

static void go(run* r, double h, size_t steps) {
    for (size_t i = 0; i < steps; i++) {
        const taut_step_info info = contact_step(r->world, h, NULL);
        const double energy = energy_of(&info, h);
        r->first = i == 0 ? energy : r->first;
        r->most = i == 0 || energy > r->most ? energy : r->most;
        CHECK(info.damped == 0);
    }
}

/* From 60 degrees beside the lowest place; it comes back after 1 to 1.3 s. How high it then is, in parts of that
 * height.
 */
static double swing(taut_backend_kind backend, const rolling* of, track_shape* track, size_t pieces, size_t wide,
                    const char* what) {
    rolling r = *of;
    const double far = BOWL - RADIUS - THICK / 2, high = far * cos(pi / 3);
    double top = -far;
    r.body = contact_at(-far * sin(pi / 3), -high, 0);
    run on = begin(backend, &r, track, pieces, wide);
    const size_t before = (size_t)ceil(0.85 / r.h), most = (size_t)ceil(1.4 / r.h);
    go(&on, r.h, before);
    for (size_t i = before; i < most; i++) {
        phys_body now = {0};
        contact_step(on.world, r.h, NULL);
        phys_read_body(on.world, on.handle, &now);
        top = fmax(top, now.x[1]);
    }
    test_note("%s, friction %g, h 1/%.0f: back at %.4f of its height; energy at most %.5f J more", what, r.friction,
              1 / r.h, (far + top) / (far - high), on.most - on.first);
    /* that of the leapfrog method is right to the second order in h */
    CHECK(on.most - on.first < (2e-3 + r.h * r.h * PHYS_GRAVITY / (2 * far)) * PHYS_GRAVITY * (far - high));
    taut_world_destroy(on.world);
    return (far + top) / (far - high);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(contact_curved, half_pipe) {
    const taut_shape shapes[] = {TAUT_SHAPE_SPHERE, TAUT_SHAPE_CAPSULE, TAUT_SHAPE_CYLINDER};
    const char* const names[] = {"ball", "capsule", "cylinder"};
    for (int i = 0; i < 6; i++) {
        const rolling r = {shapes[i % 3], i < 3 ? 0 : 1, 1.0 / 60, contact_at(0, 0, 0)};
        const double back = swing(backend, &r, half_pipe, 180, 1, names[i % 3]);
        CHECK(back > 0.99 && back < 1.002);
    }
}

/* What starts at rest is half a step ahead, which lifts it by (g h sin 60)^2/(8 g). Faces that turn by 5 and by 10
 * degrees; steps of 1/24 s, in which it turns by up to 8; and two of 1/240 s. */
TAUT_PLAIN_TEST(contact_curved, coarse_pipes_and_steps) {
    const size_t pieces[] = {36, 18, 180, 180};
    const double h[] = {1.0 / 60, 1.0 / 60, 1.0 / 24, 1.0 / 240}, least[] = {0.99, 0.99, 0.99, 0.99};
    for (int i = 0; i < 4; i++) {
        const rolling r = {TAUT_SHAPE_SPHERE, 0, h[i], contact_at(0, 0, 0)};
        const double back = swing(backend, &r, half_pipe, pieces[i], 1, "ball");
        CHECK(back > least[i] && back < 1.002 + 2.1 * h[i] * h[i]);
    }
}

TAUT_PLAIN_TEST(contact_curved, bowl) {
    for (int i = 0; i < 2; i++) {
        const rolling r = {TAUT_SHAPE_SPHERE, i, 1.0 / 60, contact_at(0, 0, 0)};
        const double back = swing(backend, &r, round_bowl, 60, 12, "ball in a bowl");
        CHECK(back > 0.99 && back < 1.002);
    }
}

/* Of two rails whose normals are not in the plane of the curve, at 24 and 60 frames a second: what rolls on them keeps
 * its energy, and is not thrown off them. Friction pressed one rail against the other with 670 N on 1 kg. */
TAUT_PLAIN_TEST(contact_curved, on_two_rails) {
    const double fps[] = {24, 60}, from = RADIUS + RAIL + THICK / 2;
    const double far = BOWL - sqrt(from * from - APART * APART), size[3] = {RADIUS, 0, 0}, high = far / 2;
    for (int i = 0; i < 2; i++) {
        const double h = 1 / fps[i];
        taut_scene* scene = phys_empty_scene();
        taut_world_def def = taut_default_world();
        phys_body body = contact_at(-far * sin(pi / 3), -high, 0);
        const uint32_t material = contact_material(scene, 1, 0);
        run on = {0};
        body.mass = 1;
        taut_inertia_of_sphere(1, RADIUS, body.inertia);
        for (int side = -1; side <= 1; side += 2) {
            rail_aside = side * APART;
            add_track(scene, rail, 45, 8, material);
        }
        on.handle = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_SPHERE, size, on.handle, origin, NULL, material);
        def.backend = backend;
        def.integrator.substeps = 1;
        on.world = phys_world(scene, &def);
        go(&on, h, (size_t)(3 * fps[i]));
        phys_read_body(on.world, on.handle, &body);
        test_note("h 1/%.0f: energy at most %.4f J more, of %.2f", fps[i], on.most - on.first,
                  PHYS_GRAVITY * (far - high));
        CHECK(on.most - on.first < 0.05 * PHYS_GRAVITY * (far - high));
        CHECK(hypot(body.x[0], body.x[1]) > far - 0.02 && hypot(body.x[0], body.x[1]) < far + 0.02);
        taut_world_destroy(on.world);
    }
}

/* Two hills a metre, over which it stays: g is more than v^2/r. */
TAUT_TEST(contact_curved, over_hills) {
    rolling r = {TAUT_SHAPE_SPHERE, 1, 1.0 / 60, contact_at(0, 0.1 + RADIUS + THICK / 2, 0)};
    r.body.v[0] = 1.2;
    r.body.w[2] = -1.2 / RADIUS;
    run on = begin(backend, &r, hills, 400, 1);
    phys_body now = {0};
    go(&on, r.h, backend == TAUT_BACKEND_CUDA ? 6 : 120);
    phys_read_body(on.world, on.handle, &now);
    const taut_step_info info = contact_step(on.world, r.h, NULL);
    const double lost = on.first - energy_of(&info, r.h);
    test_note("at %.2f m; lost %.3f J of %.3f", now.x[0], lost, on.first - PHYS_GRAVITY * (RADIUS - 0.1));
    CHECK(lost < 0.12 * (on.first - PHYS_GRAVITY * (RADIUS - 0.1)) && on.most < on.first + 0.02);
    CHECK(backend == TAUT_BACKEND_CUDA || now.x[0] > 2.5);
    taut_world_destroy(on.world);
}

/* An edge of 10 degrees is one of a bend; at one of 45 degrees what is square to the ramp is lost, half of the energy,
 * and what gravity does in the step that meets it. */
TAUT_PLAIN_TEST(contact_curved, ramps) {
    const double degrees[] = {10, 45}, kept[] = {1, 0.5};
    for (int i = 0; i < 2; i++) {
        rolling r = {TAUT_SHAPE_SPHERE, 0, 1.0 / 60, contact_at(-0.4, RADIUS + THICK / 2, 0)};
        r.body.v[0] = 3;
        ramp_angle = pi / 180 * degrees[i];
        run on = begin(backend, &r, ramp, 6, 1);
        go(&on, r.h, 12);
        const taut_step_info info = contact_step(on.world, r.h, NULL);
        const double rest = PHYS_GRAVITY * (RADIUS + THICK / 2);
        const double part = (energy_of(&info, r.h) - rest) / (on.first - rest);
        test_note("%.0f degrees: %.4f of its energy is left", degrees[i], part);
        CHECK_NEAR(part, kept[i], 0.02 + PHYS_GRAVITY * r.h / 3);
        taut_world_destroy(on.world);
    }
}

/* Rolls that slip go straight on: both ends turn alike. */
TAUT_PLAIN_TEST(contact_curved, rolls_go_straight) {
    const double frictions[] = {0.05, 0.1, 0.3};
    for (int i = 0; i < 6; i++) {
        const taut_shape shape = i % 2 == 0 ? TAUT_SHAPE_CAPSULE : TAUT_SHAPE_CYLINDER;
        const double far = BOWL - RADIUS - THICK / 2;
        rolling r = {shape, frictions[i / 2], 1.0 / 60, contact_at(-far * sin(pi / 3), -far / 2, 0.0131)};
        run on = begin(backend, &r, half_pipe, 100, 1);
        phys_body now = {0};
        go(&on, r.h, 180);
        phys_read_body(on.world, on.handle, &now);
        test_note("shape %d, friction %g: %.2e m aside", (int)shape, r.friction, now.x[2] - 0.0131);
        CHECK(fabs(now.x[2] - 0.0131) < 2e-3);
        taut_world_destroy(on.world);
    }
}

static void first_half(double along, double across, double x[3]) {
    half_pipe(along / 2, across, x);
}

static void second_half(double along, double across, double x[3]) {
    half_pipe(along / 2 + 0.5, across, x);
}

/* The border of the next piece of a track does not stop it: it comes up on the other side. */
TAUT_PLAIN_TEST(contact_curved, track_of_two_pieces) {
    const double far = BOWL - RADIUS - THICK / 2, size[3] = {RADIUS, 0, 0};
    taut_scene* scene = phys_empty_scene();
    taut_world_def def = contact_world_def(backend);
    phys_body body = contact_at(-far * sin(pi / 3), -far / 2, 0);
    const uint32_t material = contact_material(scene, 0, 0);
    double top = -far;
    body.mass = 1;
    taut_inertia_of_sphere(1, RADIUS, body.inertia);
    add_track(scene, first_half, 90, 1, material);
    add_track(scene, second_half, 90, 1, material);
    const taut_body ball = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_SPHERE, size, ball, origin, NULL, material);
    def.contact.law = TAUT_CONTACT_CONVEX;
    taut_world* world = phys_world(scene, &def);
    for (int i = 0; i < 70; i++) {
        contact_step(world, 1.0 / 60, NULL);
        phys_read_body(world, ball, &body);
        top = i > 15 && body.x[0] > 0 ? fmax(top, body.x[1]) : top;
    }
    test_note("it comes up to %.3f of its height", (far + top) / (far / 2));
    CHECK((far + top) / (far / 2) > 0.95);
    taut_world_destroy(world);
}
