#include "build/scene_survey.h"

#include "base/vector.h"
#include "build/build_shapes.h"

#include <math.h>
#include <stdlib.h>

typedef struct shape_points {
    size_t count;
    const double (*points)[3];
    size_t triangle_count;
    const uint32_t (*triangles)[3];
} shape_points;

/* Of bodies that share a shape, those of one. */
static shape_points points_of(const built_scene* built, size_t object) {
    const built_object* o = &built->objects[object];
    const double(*all)[3] = (const double(*)[3])taut_scene_positions(built->scene);
    if (o->skin_count > 0) {
        const size_t copies = o->skin_copies ? o->skin_copies : 1;
        return (shape_points){o->skin_count, (const double(*)[3])o->skin, o->triangle_count / copies, o->triangles};
    }
    return (shape_points){o->point_count, all ? all + o->first_point : NULL, o->triangle_count, o->triangles};
}

static void find_size(const shape_points* s, double size[3]) {
    double box[2][3];
    points_box(s->points, s->count, box);
    for (int a = 0; a < 3; a++) {
        size[a] = s->count ? box[1][a] - box[0][a] : 0;
    }
    const double longest = fmax(size[0], fmax(size[1], size[2]));
    for (int a = 0; a < 3; a++) {
        size[a] = size[a] > 1e-12 * longest ? size[a] : 0; /* what a rotation rounded off */
    }
}

/* ---- edges ---------------------------------------------------------------------------------------------------- */

static void take_edge(const shape_points* s, size_t i, size_t k, double edges[2]) {
    const double length = vector_distance(s->points[i], s->points[k]);
    edges[0] = edges[1] == 0 ? length : fmin(edges[0], length);
    edges[1] = fmax(edges[1], length);
}

static void find_edges(const shape_points* s, bool curve, double edges[2]) {
    edges[0] = edges[1] = 0;
    for (size_t i = 0; i < s->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            take_edge(s, s->triangles[i][k], s->triangles[i][(k + 1) % 3], edges);
        }
    }
    for (size_t i = 1; curve && i < s->count; i++) {
        take_edge(s, i - 1, i, edges);
    }
}

/* ---- measures ------------------------------------------------------------------------------------------------- */

/* Of a closed surface: sum of tetrahedra from one of its points. */
static double volume_of(const shape_points* s) {
    double volume = 0;
    for (size_t i = 0; i < s->triangle_count; i++) {
        const uint32_t* t = s->triangles[i];
        volume += tet_volume(s->points[0], s->points[t[0]], s->points[t[1]], s->points[t[2]]);
    }
    return fabs(volume);
}

static double length_of(const shape_points* s) {
    double length = 0;
    for (size_t i = 1; i < s->count; i++) {
        length += vector_distance(s->points[i - 1], s->points[i]);
    }
    return length;
}

/* ---- masses --------------------------------------------------------------------------------------------------- */

static double mass_of_particles(const particles_spec* p) {
    double mass = p->masses ? 0 : p->mass * (double)p->count;
    for (size_t i = 0; p->masses && i < p->count; i++) {
        mass += p->masses[i];
    }
    return mass;
}

/* A round shape stays round: its volume grows by the product of the scale. */
static double mass_of_bodies(const scene_object* o, const shape_points* s) {
    const rigid_spec* rigid = &o->as.rigid;
    double each = rigid->mass;
    if (rigid->density > 0) {
        const double* scale = o->place.scale;
        each = rigid->density * (rigid->solid.shape == SOLID_MESH
                                     ? volume_of(s)
                                     : solid_spec_mass(&rigid->solid).volume * fabs(scale[0] * scale[1] * scale[2]));
    }
    return each * (double)rigid->count;
}

static double mass_of(const scene_object* o, const shape_points* s) {
    switch (o->type) {
    case OBJECT_PARTICLES:
        return mass_of_particles(&o->as.particles);
    case OBJECT_CLOTH:
        return o->as.cloth.density * triangles_area(s->points, s->triangles, s->triangle_count);
    case OBJECT_ROPE:
        return o->as.rope.density * length_of(s);
    case OBJECT_SOFT:
        return o->as.soft.density * volume_of(s);
    case OBJECT_RIGID:
        return mass_of_bodies(o, s);
    case OBJECT_ROD:
        return o->as.rod.density * acos(-1.0) * o->as.rod.radius * o->as.rod.radius * length_of(s);
    case OBJECT_COLLIDER:
        return 0;
    }
    return 0;
}

/* ---- stretch -------------------------------------------------------------------------------------------------- */

/* Strain per tension per width, 1/(N/m). */
static double softness_of_cloth(const cloth_spec* c) {
    return c->membrane ? 1 / c->young : c->stretch.compliance;
}

/* Strain per tension over density: what hangs has the mean tension density g L / 2. */
static double strain_of(const scene_object* o) {
    switch (o->type) {
    case OBJECT_CLOTH:
        return o->as.cloth.density * softness_of_cloth(&o->as.cloth);
    case OBJECT_ROPE:
        return o->as.rope.density * o->as.rope.stretch.compliance;
    case OBJECT_SOFT:
        return o->as.soft.density / o->as.soft.young;
    case OBJECT_ROD:
        return o->as.rod.inextensible ? 0 : o->as.rod.density / o->as.rod.young;
    case OBJECT_PARTICLES:
    case OBJECT_RIGID:
    case OBJECT_COLLIDER:
        return 0;
    }
    return 0;
}

double survey_length(const object_survey* s) {
    return fmax(s->size[0], fmax(s->size[1], s->size[2]));
}

object_survey scene_survey(const scene_file* file, const built_scene* built, size_t object) {
    static const double nowhere[3] = {0, 0, 0};
    const scene_object* o = &file->objects[object];
    const shape_points s = points_of(built, object);
    const bool curve = o->type == OBJECT_ROPE || o->type == OBJECT_ROD;
    object_survey survey = {.mass = mass_of(o, &s)};
    find_size(&s, survey.size);
    find_edges(&s, curve, survey.edges);
    survey.hangs = curve || o->type == OBJECT_CLOTH || o->type == OBJECT_SOFT;
    const double length = curve ? length_of(&s) : survey_length(&survey);
    survey.stretch = 0.5 * vector_distance(file->world.gravity, nowhere) * length * strain_of(o);
    return survey;
}

object_survey* scene_surveys(const scene_file* file, const built_scene* built) {
    object_survey* all = calloc(file->object_count + 1, sizeof *all);
    for (size_t i = 0; all && i < file->object_count; i++) {
        all[i] = scene_survey(file, built, i);
    }
    return all;
}

double scene_settling(const scene_file* file) {
    static const double nowhere[3] = {0, 0, 0};
    const double h = 1 / (file->fps * file->world.integrator.substeps);
    return 0.1 * vector_distance(file->world.gravity, nowhere) * h * h;
}

bool scene_inverts(const scene_file* file) {
    bool inverts = false;
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        inverts = inverts || (o->type == OBJECT_SOFT && o->as.soft.model != SOFT_NEO_HOOKEAN);
    }
    return inverts;
}

/* m/s^2: of scenes without gravity, in which rounding moves things, too. */
static const double least_gravity = 1e-6;

double scene_lift(const scene_file* file, const built_scene* built) {
    static const double nowhere[3] = {0, 0, 0};
    double sum = 0, points = 0, longest = 0; /* kg m, kg, m */
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        const object_survey s = scene_survey(file, built, i);
        const bool fixed = o->type == OBJECT_RIGID && o->as.rigid.fixed;
        const double length = fmax(survey_length(&s), o->touching.given ? 2 * o->touching.radius : 0);
        sum += fixed ? 0 : s.mass * length;
        points += length > 0 ? 0 : s.mass;
        longest = o->type == OBJECT_COLLIDER ? longest : fmax(longest, length);
    }
    return fmax(vector_distance(file->world.gravity, nowhere), least_gravity) * (sum + points * longest);
}
