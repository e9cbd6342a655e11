/* Saved and restored worlds go on with the same bits: every kind of scene, method and scheme, on fresh worlds and on
 * worlds that have been elsewhere, so that state that is forgotten shows. */
#include "closed_meshes.h"
#include "phys_rods.h"
#include "scene_graph.h"
#include "small_scenes.h"
#include "surface_scenes.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 7, AFTER = 6 };

static const double dt = 1.0 / 60;

/* A scene with what is done to it before step i. */
typedef struct saved_case {
    taut_scene* scene;
    taut_world_def def;
    void (*drive)(taut_world* world, int i);
    uint32_t broken, contacts, guarded; /* at least, when it is saved: what the case is about */
} saved_case;

/* ---- what is compared -------------------------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const void* data, size_t bytes) { /* FNV-1a */
    const unsigned char* at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_field(uint64_t hash, taut_world* world, taut_field field, size_t rows, size_t columns) {
    double* values = calloc(rows * columns + 1, sizeof *values);
    CHECK_OK(taut_world_read(world, field, 0, rows, values));
    hash = hash_bytes(hash, values, rows * columns * sizeof *values);
    free(values);
    return hash;
}

static uint64_t hash_contacts(uint64_t hash, taut_world* world) {
    static contact_list list;
    contact_read(world, &list);
    for (size_t i = 0; i < list.count && i < CONTACT_MOST; i++) {
        const taut_contact* c = &list.contacts[i];
        hash = hash_bytes(hash, &c->point, sizeof c->point);
        hash = hash_bytes(hash, &c->gap, sizeof c->gap);
        hash = hash_bytes(hash, c->force, sizeof c->force);
        hash = hash_bytes(hash, c->torque, sizeof c->torque);
    }
    return hash;
}

/* Of a report all but times of stages. */
static uint64_t hash_info(uint64_t hash, taut_world* world) {
    taut_step_info info;
    memset(&info, 0, sizeof info);
    CHECK_OK(taut_world_info(world, &info));
    const double numbers[] = {(double)info.step,     info.time,
                              info.outcome,          info.subdivided,
                              info.damped,           info.iterations,
                              info.outer_iterations, info.residual,
                              info.complementarity,  info.broken,
                              info.contacts,         info.penetration,
                              info.linearisations,   info.newton_residual,
                              info.kinetic,          info.potential,
                              info.elastic,          info.work_forces,
                              info.work_drives,      info.dissipated,
                              info.numerical};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    return hash_bytes(hash, info.max_violation, sizeof info.max_violation);
}

static uint64_t hash_world(taut_world* world) {
    const size_t points = taut_world_particle_count(world), frames = taut_world_frame_count(world);
    uint64_t hash = 0xcbf29ce484222325u;
    hash = hash_field(hash, world, TAUT_FIELD_POSITIONS, points, 3);
    hash = hash_field(hash, world, TAUT_FIELD_POSITIONS_F32, points, 3);
    hash = hash_field(hash, world, TAUT_FIELD_VELOCITIES, points, 3);
    hash = hash_field(hash, world, TAUT_FIELD_ORIENTATIONS, frames, 4);
    hash = hash_field(hash, world, TAUT_FIELD_ANGULAR_VELOCITIES, frames, 3);
    hash = hash_field(hash, world, TAUT_FIELD_MULTIPLIERS, taut_world_row_count(world), 1);
    hash = hash_field(hash, world, TAUT_FIELD_VIOLATIONS, taut_world_row_count(world), 1);
    hash = hash_contacts(hash, world);
    return hash_info(hash, world);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static taut_world* open_world(const saved_case* c, uint32_t threads) {
    taut_world_def def = c->def;
    taut_world* world = NULL;
    def.threads = threads;
    CHECK_OK(taut_world_create(c->scene, &def, &world));
    return world;
}

static bool step(const saved_case* c, taut_world* world, int i) {
    if (c->drive != NULL) {
        c->drive(world, i);
    }
    const taut_status status = taut_world_step(world, dt);
    return CHECK(status == TAUT_OK || status == TAUT_DIVERGED);
}

/* Steps from `first` on, and what the world is after each of them. */
static bool run(const saved_case* c, taut_world* world, int first, uint64_t hashes[AFTER]) {
    bool good = true;
    for (int i = 0; i < AFTER && good; i++) {
        good = step(c, world, first + i);
        hashes[i] = hash_world(world);
    }
    return good;
}

static void* save(taut_world* world, size_t* bytes) {
    size_t most = 0;
    CHECK_OK(taut_world_state_size(world, &most));
    void* block = malloc(most);
    CHECK_OK(taut_world_save(world, most, block, bytes));
    return block;
}

static void check_goes_on(const saved_case* c, taut_world* world, const void* block, size_t bytes, uint64_t now,
                          const uint64_t expected[AFTER]) {
    uint64_t hashes[AFTER] = {0};
    if (!CHECK_OK(taut_world_load(world, block, bytes))) {
        return;
    }
    CHECK(hash_world(world) == now);
    size_t again = 0;
    void* copy = save(world, &again);
    CHECK_INT(again, bytes);
    CHECK(again != bytes || memcmp(copy, block, bytes) == 0);
    free(copy);
    run(c, world, BEFORE, hashes);
    for (int i = 0; i < AFTER; i++) {
        if (!CHECK(hashes[i] == expected[i])) {
            break;
        }
    }
}

/* A world that is about to be something else: all that can be written is kicked, and steps have another length. */
static taut_world* make_dirty(const saved_case* c, uint32_t threads) {
    taut_world* world = open_world(c, threads);
    for (int i = 0; i < 5; i++) {
        if (c->drive != NULL) {
            c->drive(world, 3 * i + 1);
        }
        const taut_status status = taut_world_step(world, 0.7 * dt);
        CHECK(status == TAUT_OK || status == TAUT_DIVERGED);
        CHECK_OK(taut_world_set_gravity(world, (const double[]){3, -4, 2}));
    }
    return world;
}

static void check_case(const char* name, saved_case c) {
    test_note("%s", name);
    taut_world* world = open_world(&c, 1);
    uint64_t expected[AFTER] = {0};
    taut_step_info info;
    uint32_t guarded = 0;
    for (int i = 0; i < BEFORE; i++) {
        step(&c, world, i);
        CHECK_OK(taut_world_info(world, &info));
        guarded += info.subdivided + info.damped;
    }
    CHECK(info.broken >= c.broken && info.contacts >= c.contacts && guarded >= c.guarded);
    size_t bytes = 0;
    void* block = save(world, &bytes);
    const uint64_t now = hash_world(world);
    taut_world* undisturbed = open_world(&c, 1); /* by saving */
    for (int i = 0; i < BEFORE; i++) {
        step(&c, undisturbed, i);
    }
    run(&c, undisturbed, BEFORE, expected);
    taut_world* others[] = {open_world(&c, 1), make_dirty(&c, 3), undisturbed, world};
    static const char* const what[] = {"fresh", "dirty", "later", "saved"};
    for (int i = 0; i < 4 && block != NULL; i++) {
        test_note("%s, %s world", name, what[i]);
        check_goes_on(&c, others[i], block, bytes, now, expected);
        taut_world_destroy(others[i]);
    }
    free(block);
    taut_scene_destroy(c.scene);
    test_note(NULL);
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static void push_points(taut_world* world, int i) {
    const double force[6] = {0.01 * i, 0, 0.02, 0, -0.01 * i, 0};
    CHECK_OK(taut_world_set_forces(world, 3, 2, force));
}

/* Every kind of particles alone, ropes and cloth. */
static saved_case mixed_case(taut_backend_kind backend, taut_method method, taut_preconditioner preconditioner) {
    saved_case out = {.def = taut_default_world(), .drive = push_points};
    oracle_scene scene = {0};
    const scene_grid grid = scene_cloth(&scene, 6, 6, (scene_material){1e-4, 0.01}, (scene_material){10, 0.01});
    scene_mixed(&scene, 1e-3, 0.01);
    scene_rope(&scene, 8, (const double[]){0, -1, 0.2}, 0.1, (scene_material){0, 0});
    scene_attach(&scene, grid.first + 20, (uint32_t)scene.particle_count - 1, (scene_material){1e-3, 0});
    CHECK_OK(oracle_scene_build(&scene, &out.scene));
    oracle_scene_free(&scene);
    out.def.backend = backend;
    out.def.solver.method = method;
    out.def.solver.preconditioner = preconditioner;
    return out;
}

static scene_graph graph; /* of the last mechanism */

static void drive_mechanism(taut_world* world, int i) {
    const double angle = 0.05 * i;
    const taut_batch drive = graph.joints[TAUT_JOINT_HINGE].drive;
    CHECK_OK(taut_world_move_targets(world, drive, 0, 2, (const double[]){angle, -angle}));
    CHECK_OK(taut_world_move_targets(world, graph.target, 0, 1, (const double[]){0.3 + 0.01 * i, 1, 0.02 * i}));
    if (i % 2 == 0) {
        const taut_body held = taut_body_of(graph.bodies, GRAPH_HELD);
        const double q[4] = {1, 0, angle, 0};
        double x[3];
        phys_position(world, held.point, x);
        x[1] += 0.01;
        CHECK_OK(taut_world_move_fixed_bodies(world, 1, &held, x, q));
    }
}

static saved_case mechanism_case(taut_backend_kind backend, taut_method method) {
    saved_case out = {.def = taut_default_world(), .drive = drive_mechanism};
    out.scene = phys_empty_scene();
    CHECK_OK(scene_graph_add(out.scene, &graph));
    out.def.backend = backend;
    out.def.solver.method = method;
    return out;
}

/* Links that break, bounded ones, and one that a later call makes act again. */
static taut_batch breaking;

static void change_links(taut_world* world, int i) {
    if (i == 0) {
        CHECK_OK(taut_world_set_forces(world, 8, 1, (const double[]){20, 0, 0}));
    } else if (i == 1) {
        CHECK_OK(taut_world_set_compliances(world, breaking, 6, 1, (const double[]){1e-3}));
        CHECK_OK(taut_world_set_fixed(world, 1, (const uint32_t[]){4}, true));
    } else if (i == BEFORE + 2) {
        CHECK_OK(taut_world_set_bounds(world, breaking, 0, 2, (const double[]){-1, -1}, (const double[]){2, 2}, NULL));
    }
}

static saved_case breaking_case(taut_backend_kind backend, taut_method method) {
    saved_case out = {.def = taut_default_world(), .drive = change_links, .broken = 1};
    out.scene = phys_chain(8, (const double[]){0, 0, 0}, (const double[]){1, 0, 0}, NULL, 0, &breaking);
    CHECK_OK(taut_scene_set_bounds(out.scene, breaking, -INFINITY, 4, 15));
    out.def.backend = backend;
    out.def.solver.method = method;
    return out;
}

static uint32_t moved_point;

static void move_box(taut_world* world, int i) {
    double x[3];
    phys_position(world, moved_point, x);
    x[0] += i % 3 == 2 ? 0 : 0.01;
    CHECK_OK(taut_world_move_fixed(world, 1, &moved_point, x));
}

/* A sheet that folds on itself and on a box that moves, balls on it, friction, rolling friction. */
static saved_case touching_case(taut_backend_kind backend, taut_method method) {
    saved_case out = {.def = contact_world_def(backend), .drive = move_box, .contacts = 5};
    out.scene = phys_empty_scene();
    taut_material_def law = taut_default_material();
    law.friction = 0.4;
    law.static_friction = 0.6;
    law.rolling = law.spinning = method == TAUT_METHOD_AUTO ? 0.002 : 0;
    const uint32_t material = contact_material_of(out.scene, law);
    contact_ground(out.scene, material);
    const surface_sheet sheet = {.columns = 5,
                                 .rows = 5,
                                 .width = 0.8,
                                 .height = 0.8,
                                 .mass = 0.2,
                                 .radius = 0.01,
                                 .at = {0, 0.22, 0},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4,
                                 .material = material};
    surface_add_sheet(out.scene, &sheet);
    phys_body at = contact_at(0.05, 0.1, 0.03);
    at.mass = 1;
    at.inertia[0] = at.inertia[1] = at.inertia[2] = 0.01;
    at.fixed = true;
    const taut_body box = phys_add_body(out.scene, &at);
    moved_point = box.point;
    contact_shape(out.scene, TAUT_SHAPE_BOX, (const double[]){0.15, 0.1, 0.12}, box, NULL, NULL, material);
    for (int i = 0; i < 3; i++) {
        const phys_body ball = contact_at(0.14 * i - 0.1, 0.06 + 0.2 * (i % 2), 0.3);
        const taut_body body = contact_ball(out.scene, &ball, 0.3, 0.05, material);
        contact_shape(out.scene, TAUT_SHAPE_SPHERE, (const double[]){0.05, 1, 1}, body, NULL, NULL, material);
    }
    out.def.solver.method = method;
    out.def.solver.tolerance = 1e-4;
    out.def.solver.max_iterations = 60;
    return out;
}

static phys_mesh swelling;
static uint32_t swelling_collider;

/* Every third step it rests: its goal is in the past then. */
static void swell(taut_world* world, int i) {
    double* x = phys_array(3 * swelling.point_count, sizeof *x);
    for (size_t k = 0; k < 3 * swelling.point_count; k++) {
        x[k] = (1 + 0.01 * i) * swelling.points[k] + (k % 3 == 0 ? 0.002 * i : 0);
    }
    if (i % 3 != 2) {
        CHECK_OK(taut_world_move_collider(world, swelling_collider, swelling.point_count, x));
    }
    free(x);
}

/* A sheet on a ball that swells and shifts, which has edges and corners of its own. */
static saved_case deforming_case(taut_backend_kind backend) {
    saved_case out = {.def = contact_world_def(backend), .drive = swell, .contacts = 5};
    out.scene = phys_empty_scene();
    const surface_sheet sheet = {.columns = 5,
                                 .rows = 5,
                                 .width = 0.4,
                                 .height = 0.4,
                                 .mass = 0.2,
                                 .radius = 0.01,
                                 .at = {0.01, 0.212, 0.02},
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    surface_add_sheet(out.scene, &sheet);
    phys_mesh_free(&swelling);
    swelling = closed_ball(1, 0.2);
    swelling_collider = closed_add_deforming(out.scene, &swelling, 0);
    CHECK_OK(taut_scene_add_collider_features(out.scene, swelling_collider, NULL));
    out.def.integrator.substeps = 2;
    out.def.solver.tolerance = 1e-4;
    return out;
}

/* An elastic block under pressure and wind. */
static taut_batch skin_batch, tet_batch;

static void blow(taut_world* world, int i) {
    CHECK_OK(taut_world_set_wind(world, skin_batch, (const double[]){1 + 0.1 * i, 0, 0.3}));
    CHECK_OK(taut_world_set_dampings(world, tet_batch, 0, 1, (const double[]){0.001 * (i + 1)}));
    if (i == 1) { /* before the state is saved */
        CHECK_OK(taut_world_set_moduli(world, tet_batch, 0, 2, (const double[]){4e5, 3e5}, (const double[]){0.1, 0.4}));
    }
}

static saved_case elastic_case(taut_backend_kind backend) {
    saved_case out = {.def = taut_default_world(), .drive = blow};
    phys_mesh mesh = phys_block((const size_t[]){2, 2, 2}, (const double[]){0.2, 0.2, 0.2});
    out.scene = phys_scene(mesh.point_count, mesh.points, NULL);
    phys_tuples faces = phys_side(&mesh, 0, 0, 1e-6);
    taut_surface_def skin = taut_default_surface();
    taut_solid_def solids = taut_default_solid();
    skin.count = faces.count;
    skin.particles = faces.items;
    skin.drag = 0.5;
    skin.pressure = 100;
    solids.count = mesh.cell_count;
    solids.particles = mesh.cells;
    solids.young = 1e5;
    CHECK_OK(taut_scene_add_surfaces(out.scene, &skin, &skin_batch));
    CHECK_OK(taut_scene_add_solids(out.scene, &solids, &tet_batch));
    phys_fix(out.scene, 2, (const uint32_t[]){0, 1});
    free(faces.items);
    phys_mesh_free(&mesh);
    out.def.backend = backend;
    return out;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

TAUT_TEST(save, cloth_and_ropes_by_each_method) {
    check_case("auto", mixed_case(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO));
    check_case("condensed", mixed_case(backend, TAUT_METHOD_CONDENSED, TAUT_PRECONDITIONER_AUTO));
    check_case("Gauss-Seidel", mixed_case(backend, TAUT_METHOD_GAUSS_SEIDEL, TAUT_PRECONDITIONER_AUTO));
    check_case("projected gradient", mixed_case(backend, TAUT_METHOD_PROJECTED_GRADIENT, TAUT_PRECONDITIONER_AUTO));
}

TAUT_TEST(save, schur_by_each_preconditioner) {
    check_case("Jacobi", mixed_case(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_JACOBI));
    check_case("block", mixed_case(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_BLOCK));
    check_case("Chebyshev", mixed_case(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_CHEBYSHEV));
    check_case("multilevel", mixed_case(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_MULTILEVEL));
}

TAUT_TEST(save, direct_method) {
    if (backend == TAUT_BACKEND_CPU && test_direct()) {
        check_case("direct", mixed_case(backend, TAUT_METHOD_DIRECT, TAUT_PRECONDITIONER_AUTO));
    }
}

TAUT_TEST(save, bodies_joints_drives_rods) {
    check_case("auto", mechanism_case(backend, TAUT_METHOD_AUTO));
    check_case("Schur", mechanism_case(backend, TAUT_METHOD_SCHUR));
    check_case("condensed", mechanism_case(backend, TAUT_METHOD_CONDENSED));
}

TAUT_TEST(save, broken_constraints) {
    check_case("Schur", breaking_case(backend, TAUT_METHOD_SCHUR));
    check_case("condensed", breaking_case(backend, TAUT_METHOD_CONDENSED));
    check_case("projected gradient", breaking_case(backend, TAUT_METHOD_PROJECTED_GRADIENT));
}

TAUT_TEST(save, contacts_friction_moving_colliders) {
    check_case("auto", touching_case(backend, TAUT_METHOD_AUTO));
    check_case("projected gradient", touching_case(backend, TAUT_METHOD_PROJECTED_GRADIENT));
    saved_case sleeping = touching_case(backend, TAUT_METHOD_AUTO);
    sleeping.def.sleep = (taut_sleep){.speed = backend == TAUT_BACKEND_CPU ? 2 : 0, .time = 3 * dt};
    check_case("what sleeps while all else moves", sleeping);
}

TAUT_TEST(save, deforming_colliders) {
    check_case("swelling", deforming_case(backend));
}

TAUT_TEST(save, force_elements) {
    check_case("elastic", elastic_case(backend));
}

TAUT_TEST(save, each_scheme) {
    for (int preset = 0; preset < TAUT_PRESET_COUNT; preset++) {
        saved_case c = mechanism_case(backend, TAUT_METHOD_AUTO);
        CHECK_OK(taut_integrator_preset(preset, &c.def.integrator));
        c.def.integrator.substeps = 2;
        check_case(taut_preset_name(preset), c);
    }
    saved_case newton = mixed_case(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO);
    newton.def.integrator.newton = 4;
    check_case("Newton's method", newton);
    saved_case stages = mixed_case(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO);
    stages.def.integrator.two_stage = true;
    check_case("two stages", stages);
    saved_case projected = mixed_case(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_AUTO);
    projected.def.integrator.alpha = projected.def.integrator.beta = 0.5;
    projected.def.integrator.hard_row_damping = 1;
    projected.def.integrator.project_positions = 2;
    projected.def.integrator.project_velocities = true;
    check_case("projections", projected);
}

/* Iterations end early: parts are taken back and damped. */
TAUT_TEST(save, guarded_steps) {
    saved_case c = mixed_case(backend, TAUT_METHOD_SCHUR, TAUT_PRECONDITIONER_JACOBI);
    c.def.solver.max_iterations = 3;
    c.def.integrator.alpha = c.def.integrator.beta = 0.6;
    c.guarded = 1;
    check_case("guard", c);
}

/* ---- positions and velocities alone ------------------------------------------------------------------------------ */

typedef struct motion {
    double *x, *v, *q, *w;
} motion;

static motion read_motion(taut_world* world) {
    return (motion){phys_field(world, TAUT_FIELD_POSITIONS), phys_field(world, TAUT_FIELD_VELOCITIES),
                    phys_field(world, TAUT_FIELD_ORIENTATIONS), phys_field(world, TAUT_FIELD_ANGULAR_VELOCITIES)};
}

static void write_motion(taut_world* world, const motion* m) {
    const size_t points = taut_world_particle_count(world), frames = taut_world_frame_count(world);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, points / 2, m->x));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, points / 2, points - points / 2, m->x + 3 * (points / 2)));
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, points, m->v));
    if (frames > 0) {
        CHECK_OK(taut_world_write(world, TAUT_FIELD_ORIENTATIONS, 0, frames, m->q));
        CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, frames, m->w));
    }
}

static void free_motion(motion* m) {
    free(m->x);
    free(m->v);
    free(m->q);
    free(m->w);
}

/* Where the same motion leads when it is written again, after what came of it the first time. */
static void check_replays(const char* name, saved_case c) {
    test_note("%s", name);
    taut_world *world = open_world(&c, 1), *fresh = open_world(&c, 1);
    for (int i = 0; i < 30; i++) {
        CHECK_OK(taut_world_step(world, dt));
    }
    motion start = read_motion(world), ends[3];
    taut_world* const worlds[3] = {world, world, fresh};
    for (int k = 0; k < 3; k++) {
        write_motion(worlds[k], &start);
        for (int i = 0; i < 20; i++) {
            CHECK_OK(taut_world_step(worlds[k], dt));
        }
        ends[k] = read_motion(worlds[k]);
    }
    const size_t points = taut_world_particle_count(world), frames = taut_world_frame_count(world);
    for (int k = 1; k < 3; k++) {
        CHECK(phys_farthest(ends[0].x, ends[k].x, 3 * points) == 0);
        CHECK(phys_farthest(ends[0].v, ends[k].v, 3 * points) == 0);
        CHECK(phys_farthest(ends[0].q, ends[k].q, 4 * frames) == 0);
    }
    for (int k = 0; k < 3; k++) {
        free_motion(&ends[k]);
    }
    free_motion(&start);
    taut_world_destroy(world);
    taut_world_destroy(fresh);
    taut_scene_destroy(c.scene);
    test_note(NULL);
}

TAUT_TEST(save, a_motion_that_is_written_forgets_the_one_before) {
    saved_case chain = breaking_case(backend, TAUT_METHOD_AUTO);
    CHECK_OK(taut_scene_set_bounds(chain.scene, breaking, -INFINITY, INFINITY, INFINITY));
    check_replays("chain", chain);
    check_replays("cloth", mixed_case(backend, TAUT_METHOD_AUTO, TAUT_PRECONDITIONER_AUTO));
    check_replays("contacts", touching_case(backend, TAUT_METHOD_AUTO));
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void check_refused(taut_world* world, const char* block, size_t bytes, const char* word) {
    const uint64_t before = hash_world(world);
    CHECK_STATUS(taut_world_load(world, block, bytes), TAUT_INVALID_ARGUMENT);
    test_note("'%s' in: %s", word, taut_last_error());
    CHECK(strstr(taut_last_error(), word) != NULL);
    CHECK(hash_world(world) == before);
    test_note(NULL);
}

TAUT_TEST(save, what_does_not_fit_is_refused) {
    saved_case c = breaking_case(backend, TAUT_METHOD_SCHUR), other = mixed_case(backend, TAUT_METHOD_SCHUR, 0);
    taut_world *world = open_world(&c, 1), *stranger = open_world(&other, 1);
    c.drive = NULL;
    step(&c, world, 0);
    size_t bytes = 0;
    char* block = save(world, &bytes);
    taut_saved saved = {0};
    REQUIRE(block != NULL);
    CHECK_OK(taut_saved_describe(block, bytes, &saved));
    CHECK_INT(saved.steps, 1);
    CHECK_INT(saved.bytes, bytes);
    CHECK_INT(saved.version, TAUT_SAVED_VERSION);
    CHECK_NEAR(saved.time, dt, 1e-15);
    saved = (taut_saved){.time = -1}; /* of a program that knows less of it */
    CHECK_OK(taut_saved_describe_sized(block, bytes, &saved, offsetof(taut_saved, time)));
    CHECK(saved.steps == 1 && saved.time == -1);
    check_refused(stranger, block, bytes, "another scene");
    check_refused(world, block, bytes - 8, "truncated");
    check_refused(world, block, 5, "is none");
    CHECK_STATUS(taut_world_save(world, bytes - 1, block, NULL), TAUT_OUT_OF_CAPACITY);
    for (size_t at = 40; at < bytes; at += bytes / 29) { /* behind magic, version, order of bytes, and length */
        block[at] ^= 4;
        check_refused(world, block, bytes, "damaged");
        block[at] ^= 4;
    }
    block[8]++;
    check_refused(world, block, bytes, "reads version");
    block[8]--;
    CHECK_OK(taut_world_load(world, block, bytes));
    taut_world_destroy(world);
    taut_world_destroy(stranger);
    taut_scene_destroy(c.scene);
    taut_scene_destroy(other.scene);
    free(block);
}
