#include "array.h"
#include "scene_parse.h"

#include <string.h>

/* ---- references ----------------------------------------------------------------------------------------------- */

static bool parse_object_name(const json_node* n, const scene_file* s, size_t* out) {
    const char* name = NULL;
    if (!json_string(n, &name)) {
        return false;
    }
    for (size_t i = 0; i < s->object_count; i++) {
        if (strcmp(s->objects[i].name, name) == 0) {
            *out = i;
            return true;
        }
    }
    return json_fail(n, "there is no object '%.80s'", name);
}

static bool parse_vertex(const json_node* n, uint32_t* out) {
    uint64_t vertex = 0;
    bool ok = json_integer(n, 0, UINT32_MAX - 1, &vertex);
    *out = (uint32_t)vertex;
    return ok;
}

/* ["object", vertex] */
static bool parse_reference(const json_node* object, const char* key, const scene_file* s, vertex_reference* out) {
    json_node n, name, vertex;
    size_t count = 0;
    if (!json_need(object, key, &n) || !json_length(&n, 2, &count)) {
        return false;
    }
    if (count != 2) {
        return json_fail(&n, "must be [object, vertex]");
    }
    json_first(&n, &name);
    vertex = name;
    json_next(&vertex);
    return parse_object_name(&name, s, &out->object) && parse_vertex(&vertex, &out->vertex);
}

/* ---- pins ----------------------------------------------------------------------------------------------------- */

static bool parse_vertices(const json_node* n, pin_spec* pin) {
    size_t count = 0;
    if (!json_length(n, 1, &count)) {
        return false;
    }
    pin->vertices = array_new(count, sizeof *pin->vertices, n->document->r);
    bool ok = pin->vertices != NULL;
    json_node vertex;
    for (bool more = json_first(n, &vertex); ok && more; more = json_next(&vertex)) {
        ok = parse_vertex(&vertex, &pin->vertices[vertex.index]);
    }
    pin->count = count;
    return ok;
}

static bool parse_box(const json_node* n, double box[2][3]) {
    size_t count = 0;
    json_node low, high;
    if (!json_length(n, 2, &count)) {
        return false;
    }
    if (count != 2) {
        return json_fail(n, "must hold two corners");
    }
    json_first(n, &low);
    high = low;
    json_next(&high);
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

static bool parse_place(const json_node* constraint, const scene_file* s, pin_spec* pin) {
    static const char* const keys[] = {"object", "vertices", "box", NULL};
    json_node at, object, vertices, box;
    if (!json_need(constraint, "at", &at) || !json_object(&at, keys) || !json_need(&at, "object", &object) ||
        !parse_object_name(&object, s, &pin->object)) {
        return false;
    }
    const bool has_vertices = json_find(&at, "vertices", &vertices);
    const bool has_box = json_find(&at, "box", &box);
    if (has_vertices == has_box) {
        return json_fail(&at, "needs either 'vertices' or 'box'");
    }
    return has_vertices ? parse_vertices(&vertices, pin) : parse_box(&box, pin->box);
}

static bool parse_key(const json_node* n, motion* m) {
    static const char* const keys[] = {"time", "translate", "rotate_degrees", NULL};
    motion_key* key = &m->keys[n->index];
    json_node time;
    if (!json_object(n, keys) || !json_need(n, "time", &time) || !json_number(&time, json_not_negative, &key->time)) {
        return false;
    }
    if (n->index > 0 && key->time <= key[-1].time) {
        return json_fail(&time, "is %g, must be later than the keyframe before (%g)", key->time, key[-1].time);
    }
    return json_vector_member(n, "translate", key->translate) && json_vector_member(n, "rotate_degrees", key->degrees);
}

static bool parse_motion(const json_node* constraint, motion* m) {
    json_node list, key, centre;
    m->centred = json_find(constraint, "centre", &centre);
    if (!json_find(constraint, "motion", &list)) {
        return !m->centred || json_fail(&centre, "is of use with 'motion' only");
    }
    if (!json_length(&list, 1, &m->count)) {
        return false;
    }
    m->keys = array_new(m->count, sizeof *m->keys, constraint->document->r);
    bool ok = m->keys && json_vector_member(constraint, "centre", m->centre);
    for (bool more = json_first(&list, &key); ok && more; more = json_next(&key)) {
        ok = parse_key(&key, m);
    }
    return ok;
}

static bool parse_pin(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "at", "motion", "centre", "compliance", "damping", NULL};
    pin_spec* pin = &c->as.pin;
    return json_object(n, keys) && parse_place(n, s, pin) && parse_motion(n, &pin->path) &&
           parse_law_keys(n, &pin->law);
}

/* ---- pairs ---------------------------------------------------------------------------------------------------- */

static bool parse_pair(const json_node* n, const scene_file* s, pair_spec* pair) {
    if (!parse_reference(n, "a", s, &pair->ends[0]) || !parse_reference(n, "b", s, &pair->ends[1])) {
        return false;
    }
    if (pair->ends[0].object == pair->ends[1].object && pair->ends[0].vertex == pair->ends[1].vertex) {
        return json_fail_member(n, "b", "is the same vertex as 'a'");
    }
    return parse_law_keys(n, &pair->law);
}

static bool parse_distance(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "a", "b", "length", "compliance", "damping", NULL};
    json_node length;
    c->as.pair.length_given = json_find(n, "length", &length);
    return json_object(n, keys) && parse_pair(n, s, &c->as.pair) &&
           json_number_member(n, "length", json_not_negative, &c->as.pair.length);
}

static bool parse_attach(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "a", "b", "offset", "compliance", "damping", NULL};
    return json_object(n, keys) && parse_pair(n, s, &c->as.pair) && json_vector_member(n, "offset", c->as.pair.offset);
}

static bool parse_constraint(const json_node* n, const scene_file* s, scene_constraint* c) {
    typedef bool parser(const json_node* constraint, const scene_file* s, scene_constraint* c);
    static const char* const types[] = {"pin", "distance", "attach", NULL};
    static parser* const parsers[] = {parse_pin, parse_distance, parse_attach};
    json_node type_node;
    unsigned type = 0;
    if (!json_is_object(n) || !json_need(n, "type", &type_node) || !json_choice(&type_node, types, &type)) {
        return false;
    }
    c->type = (constraint_type)type;
    return parsers[type](n, s, c);
}

bool parse_constraints(const json_node* root, scene_file* s) {
    json_node list, n;
    size_t count = 0;
    if (!json_find(root, "constraints", &list)) {
        return true;
    }
    if (!json_length(&list, 0, &count)) {
        return false;
    }
    s->constraints = array_new(count, sizeof *s->constraints, root->document->r);
    s->constraint_count = s->constraints ? count : 0;
    bool ok = s->constraints != NULL;
    for (bool more = json_first(&list, &n); ok && more; more = json_next(&n)) {
        ok = parse_constraint(&n, s, &s->constraints[n.index]);
    }
    return ok;
}
