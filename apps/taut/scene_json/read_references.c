#include "base/array.h"
#include "scene_json/scene_parse.h"

#include <string.h>

/* ---- objects and vertices ------------------------------------------------------------------------------------- */

bool parse_object_name(const json_node* n, const scene_file* s, size_t* out) {
    const char* name = NULL;
    return json_string(n, &name) &&
           (find_object(s, name, out) ||
            json_fail(n, "there is no object '%.80s'%s", name, s->mapping_count ? ", and no mapping before this" : ""));
}

const rigid_spec* rigid_of(const scene_file* s, size_t object) {
    const bool rigid = object < s->object_count && s->objects[object].type == OBJECT_RIGID;
    return rigid ? &s->objects[object].as.rigid : NULL;
}

static bool parse_index(const json_node* n, uint32_t* out) {
    uint64_t index = 0;
    bool ok = json_integer(n, 0, UINT32_MAX - 1, &index);
    *out = (uint32_t)index;
    return ok;
}

json_node json_element(const json_node* array, size_t index) {
    json_node n;
    json_first(array, &n);
    while (n.index < index) {
        json_next(&n);
    }
    return n;
}

bool parse_indices(const json_node* n, size_t* count, uint32_t** out) {
    if (!json_length(n, 1, count)) {
        return false;
    }
    *out = array_new(*count, sizeof **out, n->document->r);
    bool ok = *out != NULL;
    json_node element;
    for (bool more = json_first(n, &element); ok && more; more = json_next(&element)) {
        ok = parse_index(&element, *out + element.index);
    }
    return ok;
}

bool parse_axis(const json_node* n, unsigned* out) {
    static const char* const axes[] = {"x", "y", "z", NULL};
    return json_choice(n, axes, out);
}

/* ---- bodies --------------------------------------------------------------------------------------------------- */

static bool check_body(const json_node* n, const scene_file* s, size_t object, uint32_t body) {
    const rigid_spec* rigid = rigid_of(s, object);
    return body < rigid->count || json_fail(n, "body %u of '%.80s' does not exist: it has %zu bod%s", body,
                                            s->objects[object].name, rigid->count, rigid->count == 1 ? "y" : "ies");
}

static bool parse_rigid_name(const json_node* n, const scene_file* s, size_t* out) {
    const char* name = NULL;
    return json_string(n, &name) && parse_object_name(n, s, out) &&
           (rigid_of(s, *out) || json_fail(n, "'%.80s' is no rigid object", name));
}

/* [NAME, index] */
static bool is_couple(const json_node* n, const char* what) {
    size_t count = 0;
    return json_length(n, 2, &count) && (count == 2 || json_fail(n, "must be [object, %s]", what));
}

bool parse_body(const json_node* n, const scene_file* s, point_reference* out) {
    if (json_is_string(n)) {
        return parse_rigid_name(n, s, &out->object) &&
               (rigid_of(s, out->object)->count == 1 ||
                json_fail(n, "has %zu bodies: write [object, body]", rigid_of(s, out->object)->count));
    }
    if (!is_couple(n, "body")) {
        return false;
    }
    const json_node name = json_element(n, 0), body = json_element(n, 1);
    return parse_rigid_name(&name, s, &out->object) && parse_index(&body, &out->vertex) &&
           check_body(&body, s, out->object, out->vertex);
}

static bool parse_body_point(const json_node* n, const scene_file* s, point_reference* out) {
    static const char* const keys[] = {"object", "body", "at", NULL};
    json_node object, at, body;
    out->at_given = true;
    return json_object(n, keys) && json_need(n, "object", &object) && parse_rigid_name(&object, s, &out->object) &&
           json_need(n, "at", &at) && json_numbers(&at, 3, json_any, out->at) &&
           (!json_find(n, "body", &body) ||
            (parse_index(&body, &out->vertex) && check_body(&body, s, out->object, out->vertex))) &&
           (json_find(n, "body", &body) || rigid_of(s, out->object)->count == 1 ||
            json_fail_member(n, "body", "is missing: '%.80s' has %zu bodies", s->objects[out->object].name,
                             rigid_of(s, out->object)->count));
}

bool parse_reference(const json_node* n, const scene_file* s, point_reference* out) {
    if (!json_is_array(n)) {
        return parse_body_point(n, s, out);
    }
    if (!is_couple(n, "vertex")) {
        return false;
    }
    const json_node name = json_element(n, 0), vertex = json_element(n, 1);
    return parse_object_name(&name, s, &out->object) && parse_index(&vertex, &out->vertex);
}

/* ---- selections ----------------------------------------------------------------------------------------------- */

static bool parse_box(const json_node* n, double box[2][3]) {
    size_t count = 0;
    if (!json_length(n, 2, &count)) {
        return false;
    }
    if (count != 2) {
        return json_fail(n, "must hold two corners");
    }
    const json_node low = json_element(n, 0), high = json_element(n, 1);
    if (!json_numbers(&low, 3, json_any, box[0]) || !json_numbers(&high, 3, json_any, box[1])) {
        return false;
    }
    for (int a = 0; a < 3; a++) {
        if (box[0][a] > box[1][a]) {
            return json_fail(n, "the first corner lies above the second along %c", "xyz"[a]);
        }
    }
    return true;
}

bool parse_selection(const json_node* at, const scene_file* s, selection_spec* out) {
    json_node object, vertices, box;
    if (!json_need(at, "object", &object) || !parse_object_name(&object, s, &out->object)) {
        return false;
    }
    const bool has_vertices = json_find(at, "vertices", &vertices);
    const bool has_box = json_find(at, "box", &box);
    if (has_vertices == has_box) {
        return json_fail(at, "needs either 'vertices' or 'box'");
    }
    return has_vertices ? parse_indices(&vertices, &out->count, &out->vertices) : parse_box(&box, out->box);
}
