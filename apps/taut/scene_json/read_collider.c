/* Colliders of a scene file: shapes that stand in the world, move by themselves, or belong to a body. */
#include "scene_json/scene_parse.h"

#include <string.h>

/* "body" and "axes" */
static bool parse_carrier(const json_node* object, const scene_file* s, collider_spec* c) {
    static const char* const axes[] = {"world", "body", NULL};
    json_node body, n;
    unsigned chosen = 0;
    c->on_body = json_find(object, "body", &body);
    if (!c->on_body && json_find(object, "axes", &n)) {
        return json_fail(&n, "is of use with 'body' only");
    }
    if (c->on_body && json_find(object, "motion", &n)) {
        return json_fail(&n, "belongs to colliders without 'body': this one moves with it");
    }
    const bool ok =
        (!c->on_body || parse_body(&body, s, &c->body)) && json_choice_member(object, "axes", axes, &chosen);
    c->local = chosen == 1;
    return ok;
}

/* A plane has no size that could be scaled. */
static bool check_scale(const json_node* object, const solid_spec* solid) {
    json_node n;
    return solid->shape != SOLID_PLANE || !json_find(object, "scale", &n) ||
           json_fail(&n, "belongs to shapes with a size, not to planes");
}

static bool parse_spacing(const json_node* object, collider_spec* c) {
    json_node n;
    if (c->solid.shape != SOLID_MESH && json_find(object, "spacing", &n)) {
        return json_fail(&n, "belongs to shape 'mesh'");
    }
    return json_number_member(object, "spacing", json_positive, &c->spacing);
}

static bool parse_skin(const json_node* object, collider_spec* c) {
    json_node n;
    c->skin = c->solid.shape != SOLID_PLANE;
    if (!c->skin && json_find(object, "skin", &n)) {
        return json_fail(&n, "a 'plane' has none");
    }
    return json_bool_member(object, "skin", &c->skin);
}

/* What a file with samples leaves no room for. */
static bool check_animated(const json_node* object, const collider_spec* c) {
    static const char* const others[] = {"spacing", "body", "motion", NULL};
    json_node n;
    for (const char* const* key = others; *key; key++) {
        if (json_find(object, *key, &n)) {
            return json_fail(&n, "does not go with 'animation'");
        }
    }
    return c->solid.shape == SOLID_MESH || json_fail_member(object, "animation", "belongs to shape 'mesh'");
}

static bool parse_animation(const json_node* object, collider_spec* c) {
    static const char* const keys[] = {"file", "fps", "start", "first", NULL};
    static const json_range rates = {1e-3, 1e6};
    animation_spec* a = &c->animation;
    json_node n, file, first;
    a->first = 1;
    if (!json_find(object, "animation", &n)) {
        return true;
    }
    return check_animated(object, c) && json_object(&n, keys) && json_need(&n, "file", &file) &&
           parse_mesh_path(&file, &a->file) && json_number_member(&n, "fps", rates, &a->fps) &&
           json_number_member(&n, "start", json_any, &a->start) &&
           (!json_find(&n, "first", &first) || strchr(a->file, '%') ||
            json_fail(&first, "belongs to a sequence of files, such as \"walk_%%04d.obj\"")) &&
           json_integer_member(&n, "first", 0, 100000000, &a->first);
}

static bool parse_thickness(const json_node* object, collider_spec* c) {
    json_node n;
    if (!json_find(object, "thickness", &n)) {
        return true;
    }
    if (c->solid.shape != SOLID_MESH) {
        return json_fail(&n, "belongs to shape 'mesh'");
    }
    return (c->spacing == 0 || json_fail_member(object, "spacing", "belongs to solid meshes, without 'thickness'")) &&
           json_number_member(object, "thickness", json_positive, &c->thickness);
}

bool parse_collider(const json_node* object, const scene_file* s, scene_object* o) {
    static const char* const keys[] = {
        "name",      "type",      PLACE_KEYS, "plane", "sphere", "capsule", "box",       "cylinder",
        "cone",      "mesh",      "spacing",  "skin",  "body",   "axes",    MOTION_KEYS, CONTACT_CLASS_KEYS,
        "animation", "thickness", NULL};
    static const char* const shapes = "'plane', 'sphere', 'capsule', 'box', 'cylinder', 'cone' and 'mesh'";
    collider_spec* c = &o->as.collider;
    return json_object(object, keys) && parse_solid(object, shapes, &c->solid) && check_scale(object, &c->solid) &&
           parse_spacing(object, c) && parse_skin(object, c) && parse_carrier(object, s, c) &&
           parse_motion(object, s->fps, &c->path) && parse_animation(object, c) && parse_thickness(object, c) &&
           parse_contact_class(object, s, &c->how);
}
