#include "phys_scenes.h"
#include "unguarded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

taut_scene* phys_scene(size_t count, const double* points, const double* masses) {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    if (!CHECK_OK(taut_scene_create(&def, &scene))) {
        return NULL;
    }
    taut_particles_def particles = taut_default_particles();
    particles.count = count;
    particles.positions = points;
    particles.masses = masses;
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    return scene;
}

taut_scene* phys_chain(size_t links, const double from[3], const double to[3], const double* masses, double compliance,
                       taut_batch* batch) {
    double* points = phys_array(3 * (links + 1), sizeof *points);
    phys_tuples edges = {links, phys_array(2 * links, sizeof(uint32_t))};
    for (size_t i = 0; i <= links; i++) {
        const double t = (double)i / (double)links;
        for (size_t a = 0; a < 3; a++) {
            points[3 * i + a] = from[a] + t * (to[a] - from[a]);
        }
    }
    for (size_t i = 0; i < 2 * links; i++) {
        edges.items[i] = (uint32_t)((i + 1) / 2);
    }
    taut_scene* scene = phys_scene(links + 1, points, masses);
    *batch = phys_add_links(scene, &edges, compliance, 0);
    phys_fix(scene, 1, (const uint32_t[]){0});
    free(points);
    free(edges.items);
    return scene;
}

taut_batch phys_add_links(taut_scene* scene, const phys_tuples* edges, double compliance, double damping) {
    taut_batch batch = {0};
    taut_distance_def def = taut_default_distance();
    def.count = edges->count;
    def.particles = edges->items;
    def.compliance = compliance;
    def.damping = damping;
    CHECK_OK(taut_scene_add_distances(scene, &def, &batch));
    return batch;
}

taut_batch phys_add_hinges(taut_scene* scene, const phys_tuples* hinges, const double* compliances, double damping) {
    taut_batch batch = {0};
    taut_bend_def def = taut_default_bend();
    def.count = hinges->count;
    def.particles = hinges->items;
    def.compliances = compliances;
    def.damping = damping;
    CHECK_OK(taut_scene_add_bends(scene, &def, &batch));
    return batch;
}

static taut_batch add_membranes(taut_scene* scene, const phys_mesh* mesh, double softness, double poisson,
                                double damping) {
    taut_batch batch = {0};
    taut_membrane_def def = taut_default_membrane();
    def.count = mesh->cell_count;
    def.particles = mesh->cells;
    def.softness = softness;
    def.poisson = poisson;
    def.damping = damping;
    CHECK_OK(taut_scene_add_membranes(scene, &def, &batch));
    return batch;
}

taut_batch phys_add_strain(taut_scene* scene, const phys_mesh* mesh, double softness, double poisson, double damping) {
    if (mesh->corners == 3) {
        return add_membranes(scene, mesh, softness, poisson, damping);
    }
    taut_batch batch = {0};
    taut_tet_strain_def def = taut_default_tet_strain();
    def.count = mesh->cell_count;
    def.particles = mesh->cells;
    def.softness = softness;
    def.poisson = poisson;
    def.damping = damping;
    CHECK_OK(taut_scene_add_tet_strains(scene, &def, &batch));
    return batch;
}

taut_batch phys_add_volumes(taut_scene* scene, const phys_mesh* mesh, double compliance) {
    taut_batch batch = {0};
    taut_tet_volume_def def = taut_default_tet_volume();
    def.count = mesh->cell_count;
    def.particles = mesh->cells;
    def.compliance = compliance;
    CHECK_OK(taut_scene_add_tet_volumes(scene, &def, &batch));
    return batch;
}

taut_batch phys_hold(taut_scene* scene, size_t count, const uint32_t* coordinates) {
    taut_batch batch = {0};
    size_t* offsets = phys_array(count + 1, sizeof *offsets);
    double* weights = phys_array(count, sizeof *weights);
    for (size_t r = 0; r < count; r++) {
        offsets[r + 1] = r + 1;
        weights[r] = 1;
    }
    taut_linear_def def = taut_default_linear();
    def.count = count;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    CHECK_OK(taut_scene_add_linear(scene, &def, &batch));
    free(offsets);
    free(weights);
    return batch;
}

void phys_fix(taut_scene* scene, size_t count, const uint32_t* particles) {
    CHECK_OK(taut_scene_set_fixed(scene, count, particles, true));
}

taut_world_def phys_world_def(taut_backend_kind backend, double alpha, double beta) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = 1;
    def.gravity[1] = -PHYS_GRAVITY;
    def.contact.law = TAUT_CONTACT_EXACT; /* that of closed forms */
    def.integrator.alpha = alpha;
    def.integrator.beta = beta;
    def.integrator.further = 0; /* likewise */
    def.solver.tolerance = 1e-9;
    def.solver.max_iterations = 20000;
    const char* method = getenv("TAUT_TEST_METHOD");
    if (method != NULL) {
        def.solver.method = strcmp(method, "condensed") == 0            ? TAUT_METHOD_CONDENSED
                            : strcmp(method, "direct") == 0             ? TAUT_METHOD_DIRECT
                            : strcmp(method, "projected_gradient") == 0 ? TAUT_METHOD_PROJECTED_GRADIENT
                                                                        : TAUT_METHOD_SCHUR;
    }
    return def;
}

taut_integrator phys_preset(taut_preset which) {
    taut_integrator integrator = unguarded_world().integrator;
    CHECK_OK(taut_integrator_preset(which, &integrator));
    return integrator;
}

taut_world* phys_world(taut_scene* scene, const taut_world_def* def) {
    taut_world* world = NULL;
    CHECK_OK(taut_world_create(scene, def, &world));
    taut_scene_destroy(scene);
    return world;
}

bool phys_run(taut_world* world, size_t steps, double h) {
    for (size_t i = 0; i < steps; i++) {
        if (!CHECK_OK(taut_world_step(world, h))) {
            return false;
        }
    }
    return true;
}

/* Of particles in m/s, of frames in rad/s. */
static double fastest(taut_world* world) {
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    double* w = phys_field(world, TAUT_FIELD_ANGULAR_VELOCITIES);
    const double turning = phys_largest(w, 3 * taut_world_frame_count(world));
    const double moving = phys_largest(v, 3 * taut_world_particle_count(world));
    free(v);
    free(w);
    return turning > moving || isnan(turning) ? turning : moving;
}

bool phys_settle(taut_world* world, double h, double h_max, double slow, size_t max_steps) {
    int resting = 0;
    for (size_t i = 0; i < max_steps; i++) {
        if (!phys_run(world, 1, h)) {
            return false;
        }
        resting = h >= h_max && fastest(world) < slow ? resting + 1 : 0;
        if (resting == 4) {
            return true;
        }
        h = fmin(1.25 * h, h_max);
    }
    const bool comes_to_rest = false;
    return CHECK(comes_to_rest);
}

void phys_position(taut_world* world, size_t particle, double x[3]) {
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, particle, 1, x));
}

void phys_velocity(taut_world* world, size_t particle, double v[3]) {
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, particle, 1, v));
}

double* phys_field(taut_world* world, taut_field field) {
    const bool per_row = field == TAUT_FIELD_VIOLATIONS || field == TAUT_FIELD_MULTIPLIERS;
    const bool per_frame = field == TAUT_FIELD_ORIENTATIONS || field == TAUT_FIELD_ANGULAR_VELOCITIES;
    const size_t rows = per_row     ? taut_world_row_count(world)
                        : per_frame ? taut_world_frame_count(world)
                                    : taut_world_particle_count(world);
    double* values = phys_array((per_row ? 1 : field == TAUT_FIELD_ORIENTATIONS ? 4 : 3) * rows, sizeof *values);
    CHECK(rows == 0 || CHECK_OK(taut_world_read(world, field, 0, rows, values)));
    return values;
}

double phys_multiplier(taut_world* world, taut_batch batch, size_t row) {
    taut_range rows = {0, 0};
    double value = NAN;
    CHECK_OK(taut_world_batch_rows(world, batch, &rows));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, rows.first + row, 1, &value));
    return value;
}

double phys_largest(const double* values, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fabs(values[i]) > largest || isnan(values[i]) ? fabs(values[i]) : largest;
    }
    return largest;
}

double phys_worst_violation(taut_world* world) {
    double* phi = phys_field(world, TAUT_FIELD_VIOLATIONS);
    const double worst = phys_largest(phi, taut_world_row_count(world));
    free(phi);
    return worst;
}

double phys_order(double coarse, double fine) {
    return log2(coarse / fine);
}
