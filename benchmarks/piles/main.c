/* taut-piles: balls that fall into a box onto one another, by every method that solves contacts: iterations, passes,
 * steps that stayed short of the tolerance, and time. Writes Markdown. The times of a pile are taken one after another
 * in one run. */
#include "machine.h"

#include "taut/taut.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RADIUS 0.12
#define DT     (1.0 / 60)

typedef struct friction {
    const char* name;
    double mu;
    taut_contact_law law;
} friction;

static const friction frictions[] = {{"none, convex law", 0, TAUT_CONTACT_CONVEX},
                                     {"0.5, convex law", 0.5, TAUT_CONTACT_CONVEX},
                                     {"none, exact law", 0, TAUT_CONTACT_EXACT},
                                     {"0.5, exact law", 0.5, TAUT_CONTACT_EXACT}};
static const struct {
    const char* name;
    taut_method method;
} methods[] = {{"condensed", TAUT_METHOD_CONDENSED}, {"projected gradient", TAUT_METHOD_PROJECTED_GRADIENT}};

/* What steps took, and how good they are. */
typedef struct effort {
    double iterations, outer_iterations, seconds; /* a step */
    uint32_t most, contacts, shorts;
    double worst; /* residual */
} effort;

static bool keep(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "taut-piles: %s\n", taut_last_error());
    }
    return status == TAUT_OK;
}

static bool add_plane(taut_scene* scene, const double normal[3], const double at[3], uint32_t material) {
    taut_colliders_def def = taut_default_colliders();
    const bool over = normal[2] < 0; /* z to the normal, all of whose others are 0 then */
    const double turn[4] = {1 + normal[2], over ? 1 : -normal[1], normal[0], 0};
    def.count = 1;
    def.positions = at;
    def.orientations = turn;
    def.material = material;
    return keep(taut_scene_add_colliders(scene, &def, NULL));
}

static bool add_ball(taut_scene* scene, const double at[3], uint32_t material) {
    taut_bodies_def body = taut_default_bodies();
    taut_contact_points_def touching = taut_default_contact_points();
    taut_colliders_def collider = taut_default_colliders();
    taut_body_ranges made;
    body.count = touching.count = collider.count = 1;
    body.positions = at;
    taut_inertia_of_sphere(body.mass, RADIUS, body.inertia);
    if (!keep(taut_scene_add_bodies(scene, &body, &made))) {
        return false;
    }
    const taut_body ball = taut_body_of(made, 0);
    touching.bodies = collider.bodies = &ball;
    touching.radius = collider.size[0] = RADIUS;
    touching.material = collider.material = material;
    collider.shape = TAUT_SHAPE_SPHERE;
    return keep(taut_scene_add_contact_points(scene, &touching, NULL)) &&
           keep(taut_scene_add_colliders(scene, &collider, NULL));
}

/* Layers of side x side balls, a little beside one another. */
static bool fill(taut_scene* scene, int count, double mu) {
    const int side = count > 500 ? 10 : 5;
    const double half = 0.15 * side;
    taut_material_def law = taut_default_material();
    uint32_t material = 0;
    law.friction = mu;
    bool good = keep(taut_scene_add_material(scene, &law, &material)) &&
                add_plane(scene, (const double[]){0, 1, 0}, (const double[]){0, 0, 0}, material);
    for (int sign = -1; good && sign <= 1; sign += 2) {
        good = add_plane(scene, (const double[]){-sign, 0, 0}, (const double[]){sign * half, 0, 0}, material) &&
               add_plane(scene, (const double[]){0, 0, -sign}, (const double[]){0, 0, sign * half}, material);
    }
    for (int i = 0; good && i < count; i++) {
        const int layer = i / (side * side), x = i % side, z = i / side % side;
        const double at[3] = {0.28 * (x - (side - 1) / 2.0) + 0.01 * sin(7.0 * i), 0.15 + 0.27 * layer,
                              0.28 * (z - (side - 1) / 2.0) + 0.01 * cos(11.0 * i)};
        good = add_ball(scene, at, material);
    }
    return good;
}

static taut_world* make_world(int count, const friction* how, taut_method method) {
    const taut_scene_def scene_def = taut_default_scene();
    taut_world_def def = taut_default_world();
    taut_scene* scene = NULL;
    taut_world* world = NULL;
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    def.gravity[1] = -9.81;
    def.gravity[0] = def.gravity[2] = 0;
    def.solver.method = method;
    def.solver.tolerance = 1e-4;
    def.contact.law = how->law;
    if (!keep(taut_scene_create(&scene_def, &scene)) || !fill(scene, count, how->mu) ||
        !keep(taut_world_create(scene, &def, &world))) {
        world = NULL;
    }
    taut_scene_destroy(scene);
    return world;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool run(int count, const friction* how, taut_method method, int steps, effort* out) {
    taut_world* world = make_world(count, how, method);
    bool good = world != NULL;
    *out = (effort){0};
    for (int i = 0; good && i < steps; i++) {
        taut_step_info info;
        const double begun = seconds();
        good = keep(taut_world_step(world, DT)) && keep(taut_world_info(world, &info));
        if (good) {
            out->seconds += (seconds() - begun) / steps;
            out->iterations += (double)info.iterations / steps;
            out->outer_iterations += (double)info.outer_iterations / steps;
            out->most = info.iterations > out->most ? info.iterations : out->most;
            out->contacts = info.contacts > out->contacts ? info.contacts : out->contacts;
            out->shorts += info.outcome != TAUT_SOLVE_CONVERGED;
            out->worst = fmax(out->worst, info.residual);
        }
    }
    taut_world_destroy(world);
    return good;
}

static bool write_rows(int count, int steps) {
    bool good = true;
    for (size_t f = 0; good && f < sizeof frictions / sizeof *frictions; f++) {
        for (size_t m = 0; good && m < sizeof methods / sizeof *methods; m++) {
            effort e;
            good = run(count, &frictions[f], methods[m].method, steps, &e);
            if (good) {
                printf("| %d | %s | %s | %u | %.0f in %.1f | %u | %u of %d | %.1e | %.2f |\n", count, frictions[f].name,
                       methods[m].name, e.contacts, e.iterations, e.outer_iterations, e.most, e.shorts, steps, e.worst,
                       1e3 * e.seconds);
                fflush(stdout);
            }
        }
    }
    return good;
}

int main(int argc, char** argv) {
    const bool smoke = argc == 2 && strcmp(argv[1], "--smoke") == 0;
    static const int counts[] = {50, 200, 1500};
    if (argc > 1 && !smoke) {
        fprintf(stderr,
                "usage: taut-piles [--smoke]   60 steps of 1/60 s of 50, 200 and 1,500 balls to 1e-4, on one thread\n");
        return 2;
    }
    const bench_machine machine = machine_describe();
    printf("%s, %s %s, commit %s\n\n", machine.cpu, machine.compiler, machine.build, machine.commit);
    printf("| balls | friction | method | contacts, most | iterations in passes a step | worst | short | residual, "
           "worst | ms a "
           "step |\n|---|---|---|---|---|---|---|---|---|\n");
    bool good = true;
    for (size_t i = 0; good && i < (smoke ? 1 : sizeof counts / sizeof *counts); i++) {
        good = write_rows(counts[i], smoke ? 20 : 60);
    }
    return good ? 0 : 1;
}
