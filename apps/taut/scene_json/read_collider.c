/* Colliders of a scene file: shapes that stand in the world, move by themselves, or belong to a body. */
#include "scene_json/scene_parse.h"

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

bool parse_collider(const json_node* object, const scene_file* s, scene_object* o) {
    static const char* const keys[] = {
        "name",    "type", PLACE_KEYS, "plane", "sphere",    "capsule",          "box", "cylinder", "cone", "mesh",
        "spacing", "skin", "body",     "axes",  MOTION_KEYS, CONTACT_CLASS_KEYS, NULL};
    static const char* const shapes = "'plane', 'sphere', 'capsule', 'box', 'cylinder', 'cone' and 'mesh'";
    collider_spec* c = &o->as.collider;
    return json_object(object, keys) && parse_solid(object, shapes, &c->solid) && check_scale(object, &c->solid) &&
           parse_spacing(object, c) && parse_skin(object, c) && parse_carrier(object, s, c) &&
           parse_motion(object, &c->path) && parse_contact_class(object, s, &c->how);
}
