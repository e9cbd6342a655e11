#include "build/build_shapes.h"

#include <math.h>

/* ---- scale ---------------------------------------------------------------------------------------------------- */

/* A round shape stays round: the first `axes` axes have one factor. */
static bool check_round(scene_builder* b, const double scale[3], int axes, const char* name) {
    for (int a = 1; a < axes; a++) {
        if (fabs(scale[a]) != fabs(scale[0])) {
            return build_fail(b, ".scale", "a %s takes one factor along %s", name,
                              axes == 3 ? "x, y and z" : "x and y");
        }
    }
    return true;
}

static bool check_scale(scene_builder* b, solid_shape shape, const double scale[3]) {
    switch (shape) {
    case SOLID_SPHERE:
        return check_round(b, scale, 3, "sphere");
    case SOLID_CAPSULE:
        return check_round(b, scale, 3, "capsule");
    case SOLID_CYLINDER:
        return check_round(b, scale, 2, "cylinder");
    case SOLID_CONE:
        return check_round(b, scale, 2, "cone");
    default:
        return true;
    }
}

bool build_solid(scene_builder* b, const solid_spec* solid, const double scale[3], solid_spec* out) {
    *out = *solid;
    out->radius *= fabs(scale[0]);
    out->height *= fabs(scale[2]);
    for (int a = 0; a < 3; a++) {
        out->sides[a] *= fabs(scale[a]);
    }
    return check_scale(b, solid->shape, scale);
}

/* ---- mass and surface ----------------------------------------------------------------------------------------- */

mass_properties solid_spec_mass(const solid_spec* solid) {
    switch (solid->shape) {
    case SOLID_BOX:
        return solid_box_mass(solid->sides);
    case SOLID_SPHERE:
        return solid_sphere_mass(solid->radius);
    case SOLID_CYLINDER:
        return solid_cylinder_mass(solid->radius, solid->height);
    case SOLID_CONE:
        return solid_cone_mass(solid->radius, solid->height);
    case SOLID_CAPSULE:
        return solid_capsule_mass(solid->radius, solid->height);
    default:
        return (mass_properties){0};
    }
}

bool solid_spec_surface(const solid_spec* solid, mesh* out, report* r) {
    switch (solid->shape) {
    case SOLID_BOX:
        return solid_box(solid->sides, out, r);
    case SOLID_SPHERE:
        return solid_sphere(solid->radius, out, r);
    case SOLID_CYLINDER:
        return solid_cylinder(solid->radius, solid->height, out, r);
    case SOLID_CONE:
        return solid_cone(solid->radius, solid->height, out, r);
    case SOLID_CAPSULE:
        return solid_capsule(solid->radius, solid->height, out, r);
    default:
        return report_fail(r, "a shape without a surface of its own");
    }
}

/* ---- colliders ------------------------------------------------------------------------------------------------ */

bool solid_spec_collider(const solid_spec* solid, taut_colliders_def* def) {
    switch (solid->shape) {
    case SOLID_PLANE:
        def->shape = TAUT_SHAPE_PLANE;
        return true;
    case SOLID_SPHERE:
        def->shape = TAUT_SHAPE_SPHERE;
        def->size[0] = solid->radius;
        return true;
    case SOLID_CAPSULE:
        def->shape = TAUT_SHAPE_CAPSULE;
        def->size[0] = solid->radius;
        def->size[1] = 0.5 * solid->height;
        return true;
    case SOLID_CYLINDER:
    case SOLID_CONE:
        def->shape = solid->shape == SOLID_CONE ? TAUT_SHAPE_CONE : TAUT_SHAPE_CYLINDER;
        def->size[0] = solid->radius;
        def->size[1] = 0.5 * solid->height;
        return true;
    case SOLID_BOX:
        def->shape = TAUT_SHAPE_BOX;
        for (int a = 0; a < 3; a++) {
            def->size[a] = 0.5 * solid->sides[a];
        }
        return true;
    default:
        return false;
    }
}
