/* Small scenes for the physics tests: meshes with their edges and hinges, batches made from them, worlds with a tight
 * solver. Everything here uses the public interface only. Failures are reported through the harness. */
#ifndef TAUT_TEST_PHYS_SCENES_H
#define TAUT_TEST_PHYS_SCENES_H

#include "harness.h"

#define PHYS_GRAVITY 9.81
#define PHYS_PI      3.14159265358979323846

/* ---- meshes --------------------------------------------------------------------------------------------------- */

typedef struct phys_mesh {
    size_t point_count;
    double* points; /* point_count x 3 */
    size_t cell_count;
    size_t corners;  /* 3: triangles, 4: tetrahedra, positively oriented */
    uint32_t* cells; /* cell_count x corners */
} phys_mesh;

/* A list of index tuples: 2 per edge, 3 per triangle, 4 per hinge (as taut_bend_def wants them). */
typedef struct phys_tuples {
    size_t count;
    uint32_t* items;
} phys_tuples;

typedef enum phys_diagonal { PHYS_FORWARD, PHYS_BACKWARD, PHYS_ALTERNATING } phys_diagonal;

/* Zeroed memory for count items; ends the program where there is none. */
void* phys_array(size_t count, size_t bytes);
phys_mesh phys_mesh_make(size_t point_count, size_t cell_count, size_t corners);
void phys_mesh_free(phys_mesh* mesh);

/* Rectangle [0, width] x [0, height] in the x-y plane; point (i, j) has index j (columns + 1) + i. */
phys_mesh phys_grid(size_t columns, size_t rows, double width, double height, phys_diagonal diagonal);
/* Box [0, size]: six tetrahedra round the diagonal of every cell; x varies fastest among the points. */
phys_mesh phys_block(const size_t cells[3], const double size[3]);
phys_tuples phys_edges(const phys_mesh* mesh);
/* Inner edges of a consistently oriented triangle mesh. */
phys_tuples phys_hinges(const phys_mesh* mesh);
/* Four faces of every tetrahedron, normals outwards: inner ones come twice, turned against each other. */
phys_tuples phys_faces(const phys_mesh* mesh);
/* Those whose corners all have coordinate `axis` within `depth` of `at`. */
phys_tuples phys_side(const phys_mesh* mesh, size_t axis, double at, double depth);
bool phys_on_side(const phys_mesh* mesh, const uint32_t* triangle, size_t axis, double at, double depth);
/* Along its normal, as long as its area. */
void phys_area_vector(const phys_mesh* mesh, const uint32_t* triangle, double n[3]);
/* Area or signed volume of a cell. */
double phys_cell_size(const phys_mesh* mesh, size_t cell);
/* Every cell's mass in equal parts on its corners: point_count values, to be freed. */
double* phys_lumped_masses(const phys_mesh* mesh, double density);

/* ---- scenes --------------------------------------------------------------------------------------------------- */

/* NULL `masses`: 1 kg each. NULL after a failure, which has then been reported. */
taut_scene* phys_scene(size_t count, const double* points, const double* masses);
/* A straight chain of equal links from `from` to `to`, links + 1 particles, the first one fixed. */
taut_scene* phys_chain(size_t links, const double from[3], const double to[3], const double* masses, double compliance,
                       taut_batch* batch);
taut_batch phys_add_links(taut_scene* scene, const phys_tuples* edges, double compliance, double damping);
taut_batch phys_add_hinges(taut_scene* scene, const phys_tuples* hinges, const double* compliances, double damping);
/* Membranes or tetrahedron strain, by the mesh's corners. `softness` is 1/E of the definition. */
taut_batch phys_add_strain(taut_scene* scene, const phys_mesh* mesh, double softness, double poisson, double damping);
taut_batch phys_add_volumes(taut_scene* scene, const phys_mesh* mesh, double compliance);
/* One hard linear row per coordinate (3 particle + axis): it keeps its present value. */
taut_batch phys_hold(taut_scene* scene, size_t count, const uint32_t* coordinates);
void phys_fix(taut_scene* scene, size_t count, const uint32_t* particles);

/* ---- worlds --------------------------------------------------------------------------------------------------- */

/* Defaults with a tight solver and the scheme (alpha, beta), full geometric stiffness; one thread, since the scenes are
 * small and tests run side by side. The environment may force a method: TAUT_TEST_METHOD=condensed, direct,
 * projected_gradient, else Schur. */
taut_world_def phys_world_def(taut_backend_kind backend, double alpha, double beta);
/* The default integrator with the values of a preset. */
taut_integrator phys_preset(taut_preset which);
/* Creates the world and destroys the scene; NULL after a failure, which has then been reported. */
taut_world* phys_world(taut_scene* scene, const taut_world_def* def);
/* Steps; false (and a failed check) as soon as a step fails. */
bool phys_run(taut_world* world, size_t steps, double h);
/* Implicit Euler with a step that grows from `h` by a quarter each time to `h_max`, until no particle has been faster
 * than `slow` m/s, and no frame than `slow` rad/s, for four of the largest steps (a turning point is no rest). False
 * (and a failed check) if that takes more than `max_steps` steps. */
bool phys_settle(taut_world* world, double h, double h_max, double slow, size_t max_steps);

void phys_position(taut_world* world, size_t particle, double x[3]);
void phys_velocity(taut_world* world, size_t particle, double v[3]);
/* All values of a field, to be freed. */
double* phys_field(taut_world* world, taut_field field);
/* Multiplier of row `row` of a batch. */
double phys_multiplier(taut_world* world, taut_batch batch, size_t row);
/* Largest absolute value; NaN if one is. */
double phys_largest(const double* values, size_t count);
/* Largest |phi| of all rows. */
double phys_worst_violation(taut_world* world);
/* log2(coarse / fine): the order of convergence when the finer grid is twice as fine. */
double phys_order(double coarse, double fine);

#endif
