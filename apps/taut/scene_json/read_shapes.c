/* Shapes of rigid bodies and of colliders in a scene file. */
#include "scene_json/scene_parse.h"

static bool parse_box(const json_node* n, solid_spec* solid) {
    static const char* const keys[] = {"sides", NULL};
    json_node sides;
    return json_object(n, keys) && json_need(n, "sides", &sides) &&
           json_numbers(&sides, 3, json_positive, solid->sides);
}

static bool parse_sphere(const json_node* n, solid_spec* solid) {
    static const char* const keys[] = {"radius", NULL};
    return json_object(n, keys) && parse_needed_number(n, "radius", json_positive, &solid->radius);
}

/* Or a cone. */
static bool parse_cylinder(const json_node* n, solid_spec* solid) {
    static const char* const keys[] = {"radius", "height", NULL};
    return json_object(n, keys) && parse_needed_number(n, "radius", json_positive, &solid->radius) &&
           parse_needed_number(n, "height", json_positive, &solid->height);
}

static bool parse_capsule(const json_node* n, solid_spec* solid) {
    static const char* const keys[] = {"radius", "length", NULL};
    return json_object(n, keys) && parse_needed_number(n, "radius", json_positive, &solid->radius) &&
           parse_needed_number(n, "length", json_positive, &solid->height);
}

static bool parse_mesh(const json_node* n, solid_spec* solid) {
    return parse_mesh_path(n, &solid->mesh);
}

static bool parse_plane(const json_node* n, solid_spec* solid) {
    static const char* const keys[] = {"normal", NULL};
    double* normal = solid->normal;
    normal[1] = 1;
    return json_object(n, keys) && json_vector_member(n, "normal", normal) &&
           (normal[0] != 0 || normal[1] != 0 || normal[2] != 0 ||
            json_fail_member(n, "normal", "is zero: not a direction"));
}

bool parse_solid(const json_node* object, const char* known, solid_spec* out) {
    static const struct {
        const char* name;
        bool (*parse)(const json_node* n, solid_spec* solid);
    } shapes[SOLID_SHAPE_COUNT] = {
        [SOLID_BOX] = {"box", parse_box},
        [SOLID_SPHERE] = {"sphere", parse_sphere},
        [SOLID_CYLINDER] = {"cylinder", parse_cylinder},
        [SOLID_CAPSULE] = {"capsule", parse_capsule},
        [SOLID_CONE] = {"cone", parse_cylinder},
        [SOLID_MESH] = {"mesh", parse_mesh},
        [SOLID_PLANE] = {"plane", parse_plane},
    };
    json_node n = {0}, found = {0};
    int given = 0;
    for (int i = 0; i < SOLID_SHAPE_COUNT; i++) {
        if (json_find(object, shapes[i].name, &n)) {
            out->shape = (solid_shape)i;
            found = n;
            given++;
        }
    }
    return given == 1 ? shapes[out->shape].parse(&found, out) : json_fail(object, "needs one of %s", known);
}
