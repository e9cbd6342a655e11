#include "base/array.h"
#include "base/vector.h"
#include "build/build_block.h"
#include "build/scene_builder.h"
#include "mesh/mesh.h"

#include <stdlib.h>

static bool soft_mesh(scene_builder* b, const soft_spec* s, mesh* m) {
    report cause = {0};
    if (s->mesh) {
        return mesh_read_tets(s->mesh, m, &cause) || build_fail(b, ".mesh", "%s", cause.text);
    }
    return block_make(s->grid.size, s->grid.cells, m, &cause) || build_fail(b, ".grid", "%s", cause.text);
}

static bool tet_volumes(scene_builder* b, const mesh* m, double* volumes) {
    for (size_t i = 0; volumes && i < m->tet_count; i++) {
        const uint32_t* t = m->tets[i];
        volumes[i] = tet_volume(m->points[t[0]], m->points[t[1]], m->points[t[2]], m->points[t[3]]);
        if (!(volumes[i] > 0)) {
            return build_fail(b, "", "tetrahedron %zu has no volume after 'scale'", i);
        }
    }
    return volumes != NULL;
}

/* A quarter of every tetrahedron to each of its corners. */
static bool soft_body(scene_builder* b, const soft_spec* s, const mesh* m, const double* volumes, built_object* out) {
    taut_particles_def def = taut_default_particles();
    double* masses = array_new(m->point_count, sizeof *masses, b->r);
    for (size_t i = 0; masses && i < 4 * m->tet_count; i++) {
        masses[m->tets[i / 4][i % 4]] += 0.25 * s->density * volumes[i / 4];
    }
    def.count = m->point_count;
    def.positions = m->points[0];
    def.masses = masses;
    bool ok = masses && build_body(b, &def, out);
    free(masses);
    return ok;
}

static bool soft_strain(scene_builder* b, const soft_spec* s, size_t count, const uint32_t* tets) {
    taut_tet_strain_def def = taut_default_tet_strain();
    def.count = count;
    def.particles = tets;
    def.softness = 1 / s->young;
    def.poisson = s->poisson;
    def.damping = s->damping;
    b->built->kinds[TAUT_TET_STRAIN] = true;
    return build_check(b, "", taut_scene_add_tet_strains(b->built->scene, &def, NULL));
}

/* The same body as force elements. */
static bool soft_solid(scene_builder* b, const soft_spec* s, size_t count, const uint32_t* tets) {
    static const taut_elasticity materials[] = {[SOFT_COROTATIONAL] = TAUT_ELASTICITY_COROTATIONAL,
                                                [SOFT_NEO_HOOKEAN] = TAUT_ELASTICITY_NEO_HOOKEAN,
                                                [SOFT_ST_VENANT_KIRCHHOFF] = TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF};
    taut_solid_def def = taut_default_solid();
    def.count = count;
    def.particles = tets;
    def.young = s->young;
    def.poisson = s->poisson;
    def.damping = s->damping;
    def.elasticity = materials[s->model];
    return build_check(b, "", taut_scene_add_solids(b->built->scene, &def, NULL));
}

/* lam = -pressure = -K (V - V0)/V0: the compliance of a tetrahedron is V0/K. Scales `volumes`. */
static bool soft_volume(scene_builder* b, const soft_spec* s, size_t count, const uint32_t* tets, double* volumes) {
    taut_tet_volume_def def = taut_default_tet_volume();
    for (size_t i = 0; i < count; i++) {
        volumes[i] *= s->volume.compliance;
    }
    def.count = count;
    def.particles = tets;
    def.compliances = volumes;
    def.damping = s->volume.damping;
    b->built->kinds[TAUT_TET_VOLUME] = true;
    return build_check(b, ".volume", taut_scene_add_tet_volumes(b->built->scene, &def, NULL));
}

static bool soft_constraints(scene_builder* b, const soft_spec* s, const mesh* m, uint32_t first, double* volumes) {
    uint32_t* particles = build_indices(b, first, 4 * m->tet_count, m->tets[0]);
    bool ok = particles && (s->model == SOFT_STRAIN ? soft_strain : soft_solid)(b, s, m->tet_count, particles) &&
              (!s->volume.given || soft_volume(b, s, m->tet_count, particles, volumes));
    free(particles);
    return ok;
}

bool build_soft(scene_builder* b, const scene_object* o, built_object* out) {
    mesh m = {0};
    if (!soft_mesh(b, &o->as.soft, &m)) {
        return false;
    }
    build_place_mesh(&o->place, &m);
    double* volumes = array_new(m.tet_count, sizeof *volumes, b->r);
    bool ok = tet_volumes(b, &m, volumes) && soft_body(b, &o->as.soft, &m, volumes, out) &&
              soft_constraints(b, &o->as.soft, &m, (uint32_t)out->first_point, volumes) &&
              build_surface(b, &o->as.soft.surface, (uint32_t)out->first_point, &m);
    out->shape = EXPORT_SURFACE;
    out->triangles = (const uint32_t(*)[3])m.triangles;
    out->triangle_count = m.triangle_count;
    out->tets = m.tets;
    out->tet_count = m.tet_count;
    m.triangles = NULL; /* the built object's from here on */
    m.tets = NULL;
    free(volumes);
    mesh_free(&m);
    return ok;
}
