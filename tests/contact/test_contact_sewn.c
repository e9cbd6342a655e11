/* What is sewn: parts beside a seam are neighbours as those of one surface are, wherever they started. */
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>

#define H 0.0166666666666666667

/* Upright sheets of 0.4 m, the second one beside the first and before it by `gap` each, whose borders are attached to
 * each other; the greatest distance of two such vertices after a second. */
static double sew(taut_backend_kind backend, size_t cells, double thickness, double gap, bool leaves) {
    const size_t n = cells + 1;
    taut_scene* scene = phys_empty_scene();
    uint32_t first[2], *pairs = phys_array(2 * n, sizeof *pairs);
    double x[3], other[3], most = 0;
    surface_sheet sheet = {.columns = cells,
                           .rows = cells,
                           .width = 0.4,
                           .height = 0.4,
                           .mass = 0.05,
                           .radius = thickness / 2,
                           .diagonal = PHYS_ALTERNATING,
                           .link = 1e-3,
                           .material = contact_material(scene, 0.3, 0)};
    for (int i = 0; i < 2; i++) {
        sheet.at[0] = i * (0.4 + gap);
        sheet.at[1] = i * gap;
        first[i] = surface_add_sheet(scene, &sheet);
    }
    for (size_t r = 0; r < n; r++) {
        pairs[2 * r] = first[0] + (uint32_t)(r * n + cells);
        pairs[2 * r + 1] = first[1] + (uint32_t)(r * n);
    }
    taut_attachment_def seam = taut_default_attachment();
    taut_batch batch;
    seam.count = n;
    seam.particles = pairs;
    seam.compliance = 1e-5;
    seam.damping = 0.05;
    seam.contact = !leaves;
    CHECK_OK(taut_scene_add_attachments(scene, &seam, &batch));
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-4;
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    for (int i = 0; i < 60; i++) {
        CHECK_OK(taut_world_step(world, H));
    }
    for (size_t r = 0; r < n; r++) {
        phys_position(world, pairs[2 * r], x);
        phys_position(world, pairs[2 * r + 1], other);
        most = fmax(most, phys_apart(x, other));
    }
    free(pairs);
    taut_world_destroy(world);
    return most;
}

TAUT_TEST(contact_sewn, closes) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    CHECK(sew(backend, cuda ? 4 : 8, 0.01, 0.05, true) < 1e-4);
    CHECK(sew(backend, 4, 0.01, 0.05, false) > 5e-3); /* surfaces that only pull each other stay apart */
}

/* Layers as thick as several cells: also what is near by way of the seam alone. */
TAUT_TEST(contact_sewn, thick) {
    CHECK(sew(backend, backend == TAUT_BACKEND_CUDA ? 8 : 12, 0.08, 0.1, true) < 1e-4);
}
