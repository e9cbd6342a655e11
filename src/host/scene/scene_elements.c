/* Adding force elements: solids, surfaces, attraction. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/formulas/kinds.h"
#include "taut/forces.h"

#include <string.h>

#define MOST_MODULUS  1e30 /* Pa */
#define MOST_PRESSURE 1e30 /* Pa */
#define MOST_STRENGTH 1e30 /* m^3/s^2 */

const char* taut_elasticity_name(taut_elasticity elasticity) {
    static const char* const names[TAUT_ELASTICITY_COUNT] = {"corotational", "neo_hookean", "st_venant_kirchhoff"};
    return (unsigned)elasticity < TAUT_ELASTICITY_COUNT ? names[elasticity] : "unknown";
}

/* `low` itself is allowed where `closed`. */
static taut_status check_number(taut_kind kind, size_t index, const char* what, double value, double low, double high,
                                bool closed) {
    const bool good = (closed ? value >= low : value > low) && value <= high;
    return good ? TAUT_OK
                : taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: %s is %g; it must lie in %s%g, %g].", taut_kind_name(kind),
                            index, what, value, closed ? "[" : "(", low, high);
}

static taut_status check_batch(const taut_scene* scene, taut_kind kind, const void* def, uint32_t cookie, size_t count,
                               const uint32_t* particles) {
    const taut_status status =
        scene_check_def(scene, def, cookie, TAUT_DEFINITION_DISTANCE + kind, taut_kind_name(kind));
    if (status != TAUT_OK) {
        return status;
    }
    if (count == 0 || count > TAUT_MAX_COUNT - scene->kinds[kind].count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: count is %zu; a scene holds 1 to %u of a kind.",
                         taut_kind_name(kind), count, TAUT_MAX_COUNT);
    }
    return particles != NULL
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "%s: particles must not be NULL.", taut_kind_name(kind));
}

static const double* position(const taut_scene* scene, uint32_t point) {
    return (const double*)scene->positions.data + 3 * (size_t)point;
}

/* Rest values of element i of a definition, and its damping time. */
typedef taut_status make_element(const taut_scene* scene, const void* def, size_t i, double* rest, double* damping);

static taut_status append(taut_scene* scene, taut_kind kind, const uint32_t* particles, const void* def, size_t i,
                          make_element* make) {
    const uint32_t* nodes = particles + taut_kind_shapes[kind].nodes * i;
    double rest[solid_REST], damping = 0;
    taut_status status = scene_check_nodes(scene, kind, i, nodes);
    if (status == TAUT_OK) {
        status = make(scene, def, i, rest, &damping);
    }
    const scene_rows row = {.kind = kind, .count = 1, .nodes = nodes, .rest = rest, .dampings = &damping};
    return status == TAUT_OK ? scene_append(scene, &row) : status;
}

static taut_status add_batch(taut_scene* scene, taut_kind kind, size_t count, const uint32_t* particles,
                             const void* def, make_element* make, taut_batch* batch) {
    const scene_mark mark = scene_take_mark(scene);
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = append(scene, kind, particles, def, i, make);
    }
    if (status == TAUT_OK) {
        status = scene_batch_since(scene, kind, &mark, batch);
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
    }
    return status;
}

/* ---- solids -------------------------------------------------------------------------------------------------------
 */

taut_status scene_check_young(size_t index, double young) {
    return check_number(TAUT_SOLID, index, "Young's modulus", young, 0, MOST_MODULUS, false);
}

taut_status scene_check_poisson(size_t index, double poisson) {
    return poisson > -1 && poisson <= 0.5
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "solid[%zu]: the Poisson ratio is %g; it must lie in (-1, 0.5].",
                           index, poisson);
}

static taut_status check_material(size_t i, double young, double poisson, double damping) {
    taut_status status = scene_check_young(i, young);
    status = status == TAUT_OK ? scene_check_poisson(i, poisson) : status;
    return status == TAUT_OK ? scene_check_damping("solid", i, damping) : status;
}

static taut_status rest_shape(const taut_scene* scene, const taut_solid_def* def, size_t i, double x[4][3]) {
    for (size_t k = 0; k < 4; k++) {
        const double* from =
            def->rest != NULL ? def->rest + 12 * i + 3 * k : position(scene, def->particles[4 * i + k]);
        memcpy(x[k], from, 3 * sizeof(double));
    }
    for (size_t v = 0; v < 12; v++) {
        if (!(fabs(x[v / 3][v % 3]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "solid[%zu]: the rest shape is not finite.", i);
        }
    }
    return TAUT_OK;
}

static taut_status make_solid(const taut_scene* scene, const void* given, size_t i, double* rest, double* damping) {
    const taut_solid_def* def = given;
    const double young = def->youngs != NULL ? def->youngs[i] : def->young;
    const double poisson = def->poissons != NULL ? def->poissons[i] : def->poisson;
    double x[4][3];
    *damping = def->dampings != NULL ? def->dampings[i] : def->damping;
    taut_status status = check_material(i, young, poisson, *damping);
    if (status == TAUT_OK) {
        status = rest_shape(scene, def, i, x);
    }
    if (status == TAUT_OK &&
        !(solid_rest((const double(*)[3])x, young, scene_tet_poisson(poisson), (int)def->elasticity, rest) > 0)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "solid[%zu]: the rest shape is a flat tetrahedron.", i);
    }
    return status;
}

taut_status taut_scene_add_solids(taut_scene* scene, const taut_solid_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_solid_def, TAUT_DEFINITION_SOLID);
    const taut_status status = check_batch(scene, TAUT_SOLID, def, def != NULL ? def->cookie : 0,
                                           def != NULL ? def->count : 0, def != NULL ? def->particles : NULL);
    if (status == TAUT_OK && (unsigned)def->elasticity >= TAUT_ELASTICITY_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solid: elasticity %d does not exist.", (int)def->elasticity);
    }
    return status == TAUT_OK ? add_batch(scene, TAUT_SOLID, def->count, def->particles, def, make_solid, batch)
                             : status;
}

/* ---- surfaces -----------------------------------------------------------------------------------------------------
 */

static double area_now(const taut_scene* scene, const uint32_t* corners) {
    double a[3], b[3], normal[3];
    vec3_sub(position(scene, corners[1]), position(scene, corners[0]), a);
    vec3_sub(position(scene, corners[2]), position(scene, corners[0]), b);
    vec3_cross(a, b, normal);
    return sqrt(vec3_dot(normal, normal)) / 2;
}

taut_status scene_check_pressure(size_t i, double pressure) {
    return check_number(TAUT_SURFACE, i, "pressure", pressure, -MOST_PRESSURE, MOST_PRESSURE, true);
}

static taut_status make_surface(const taut_scene* scene, const void* given, size_t i, double* rest, double* damping) {
    const taut_surface_def* def = given;
    *damping = 0;
    rest[0] = def->pressures != NULL ? def->pressures[i] : def->pressure;
    rest[4] = def->areas != NULL ? def->areas[i] : area_now(scene, def->particles + 3 * i);
    rest[5] = def->drag;
    rest[6] = def->friction;
    memcpy(rest + 1, def->traction, sizeof def->traction);
    memcpy(rest + 7, def->wind, sizeof def->wind);
    const taut_status status = scene_check_pressure(i, rest[0]);
    return status == TAUT_OK ? check_number(TAUT_SURFACE, i, "rest area", rest[4], 0, 1e18, true) : status;
}

taut_status taut_scene_add_surfaces(taut_scene* scene, const taut_surface_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_surface_def, TAUT_DEFINITION_SURFACE);
    taut_status status = check_batch(scene, TAUT_SURFACE, def, def != NULL ? def->cookie : 0,
                                     def != NULL ? def->count : 0, def != NULL ? def->particles : NULL);
    if (status != TAUT_OK) {
        return status;
    }
    status = check_number(TAUT_SURFACE, 0, "drag", def->drag, 0, TAUT_MAX_LENGTH, true);
    status =
        status == TAUT_OK ? check_number(TAUT_SURFACE, 0, "friction", def->friction, 0, TAUT_MAX_LENGTH, true) : status;
    status = status == TAUT_OK ? scene_check_vectors("surface: wind", def->wind, 1) : status;
    for (int a = 0; status == TAUT_OK && a < 3; a++) {
        status = check_number(TAUT_SURFACE, 0, "traction", def->traction[a], -MOST_PRESSURE, MOST_PRESSURE, true);
    }
    return status == TAUT_OK ? add_batch(scene, TAUT_SURFACE, def->count, def->particles, def, make_surface, batch)
                             : status;
}

/* ---- attraction ---------------------------------------------------------------------------------------------------
 */

static taut_status make_attraction(const taut_scene* scene, const void* given, size_t i, double* rest,
                                   double* damping) {
    const taut_attraction_def* def = given;
    *damping = 0;
    memcpy(rest, def->centre, sizeof def->centre);
    rest[3] = def->strength;
    rest[4] = def->softening;
    rest[5] = def->masses != NULL ? def->masses[i] : ((const double*)scene->masses.data)[def->particles[i]];
    return check_number(TAUT_ATTRACTION, i, "mass", rest[5], 0, TAUT_MAX_MASS, true);
}

taut_status taut_scene_add_attractions(taut_scene* scene, const taut_attraction_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_attraction_def, TAUT_DEFINITION_ATTRACTION);
    taut_status status = check_batch(scene, TAUT_ATTRACTION, def, def != NULL ? def->cookie : 0,
                                     def != NULL ? def->count : 0, def != NULL ? def->particles : NULL);
    if (status != TAUT_OK) {
        return status;
    }
    status = scene_check_vectors("attraction: centre", def->centre, 1);
    if (status == TAUT_OK) {
        status = check_number(TAUT_ATTRACTION, 0, "strength", def->strength, -MOST_STRENGTH, MOST_STRENGTH, true);
    }
    if (status == TAUT_OK) {
        status = check_number(TAUT_ATTRACTION, 0, "softening", def->softening, 0, TAUT_MAX_LENGTH, true);
    }
    return status == TAUT_OK
               ? add_batch(scene, TAUT_ATTRACTION, def->count, def->particles, def, make_attraction, batch)
               : status;
}
