#include "base/array.h"
#include "scene_json/scene_parse.h"

#include <string.h>

/* ---- pins ----------------------------------------------------------------------------------------------------- */

/* The pieces of a rod that are held with the vertices. */
static bool parse_frames(const json_node* at, const scene_file* s, pin_spec* pin) {
    json_node frames;
    const bool rod = pin->at.object < s->object_count && s->objects[pin->at.object].type == OBJECT_ROD;
    return !json_find(at, "frames", &frames) ||
           ((rod || json_fail(&frames, "belongs to rods")) && parse_indices(&frames, &pin->frame_count, &pin->frames));
}

static bool parse_place(const json_node* constraint, const scene_file* s, pin_spec* pin) {
    static const char* const keys[] = {"object", "vertices", "box", "frames", NULL};
    json_node at;
    return json_need(constraint, "at", &at) && json_object(&at, keys) && parse_selection(&at, s, &pin->at) &&
           parse_frames(&at, s, pin);
}

/* A slope is held through what resists bending. */
static bool parse_clamp(const json_node* n, const scene_file* s, pin_spec* pin) {
    const scene_object* o = pin->at.object < s->object_count ? &s->objects[pin->at.object] : NULL;
    const bool bends = o && (o->type == OBJECT_ROD || (o->type == OBJECT_CLOTH && o->as.cloth.bend.given) ||
                             (o->type == OBJECT_ROPE && o->as.rope.bend.given));
    return json_bool_member(n, "clamp", &pin->clamp) &&
           (!pin->clamp || bends ||
            json_fail_member(n, "clamp", "holds a slope: needs a rod, or cloth or a rope with 'bend'")) &&
           (!pin->clamp || !pin->law.given ||
            json_fail_member(n, "clamp", "holds hard: without compliance and damping"));
}

/* "follow": a collider with a motion, or an animated one. */
static bool parse_follow(const json_node* n, const scene_file* s, pin_spec* pin) {
    json_node follow, other;
    pin->follows = json_find(n, "follow", &follow);
    if (!pin->follows) {
        return true;
    }
    if (json_find(n, "motion", &other)) {
        return json_fail(&other, "does not go with 'follow': the pin moves with the collider");
    }
    const char* name = NULL;
    if (!json_string(&follow, &name) || !parse_object_name(&follow, s, &pin->leader)) {
        return false;
    }
    const scene_object* o = pin->leader < s->object_count ? &s->objects[pin->leader] : NULL;
    const collider_spec* c = o && o->type == OBJECT_COLLIDER ? &o->as.collider : NULL;
    return (c && (c->path.count || c->animation.file)) ||
           json_fail(&follow, "'%.80s' is no collider with a 'motion' or an 'animation'%s", name,
                     c && c->on_body ? ": fix a vertex to its body by 'attach'" : "");
}

static bool parse_pin(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "at", "clamp", "follow", MOTION_KEYS, LAW_KEYS, NULL};
    pin_spec* pin = &c->as.pin;
    return json_object(n, keys) && parse_place(n, s, pin) && parse_motion(n, s->fps, &pin->path) &&
           parse_follow(n, s, pin) && parse_law_keys(n, &pin->law) && parse_clamp(n, s, pin) &&
           (!pin->law.given || !pin->frames || json_fail(n, "'frames' are held hard: without compliance and damping"));
}

/* ---- pairs ---------------------------------------------------------------------------------------------------- */

static bool parse_end(const json_node* n, const char* key, const scene_file* s, point_reference* end) {
    json_node end_node;
    return json_need(n, key, &end_node) && parse_reference(&end_node, s, end);
}

static bool parse_pair(const json_node* n, const scene_file* s, pair_spec* pair) {
    const point_reference* ends = pair->ends;
    if (!parse_end(n, "a", s, &pair->ends[0]) || !parse_end(n, "b", s, &pair->ends[1])) {
        return false;
    }
    if (ends[0].object == ends[1].object && ends[0].vertex == ends[1].vertex) {
        if (!ends[0].at_given && !ends[1].at_given) {
            return json_fail_member(n, "b", "is the same vertex as 'a'");
        }
        if (s->objects[ends[0].object].type == OBJECT_RIGID) {
            return json_fail_member(n, "b", "is on the same body as 'a', and a body keeps its shape");
        }
    }
    return parse_law_keys(n, &pair->law);
}

static bool parse_distance(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "a", "b", "length", LAW_KEYS, NULL};
    json_node length;
    c->as.pair.length_given = json_find(n, "length", &length);
    return json_object(n, keys) && parse_pair(n, s, &c->as.pair) &&
           json_number_member(n, "length", json_not_negative, &c->as.pair.length);
}

static bool parse_attach(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "a", "b", "offset", "contact", LAW_KEYS, NULL};
    return json_object(n, keys) && parse_pair(n, s, &c->as.pair) &&
           json_vector_member(n, "offset", c->as.pair.offset) && json_bool_member(n, "contact", &c->as.pair.contact);
}

/* ---- linear rows ---------------------------------------------------------------------------------------------- */

static bool term_parts(const json_node* n, json_node parts[3]) {
    size_t count = 0;
    if (!json_length(n, 3, &count)) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        parts[i] = json_element(n, i);
    }
    return count == 3 || json_fail(n, "must be [[object, vertex], axis, weight]");
}

/* [REFERENCE, axis, weight] */
static bool parse_term(const json_node* n, const scene_file* s, weighted_term* term) {
    json_node parts[3];
    return term_parts(n, parts) && parse_reference(&parts[0], s, &term->point) && parse_axis(&parts[1], &term->axis) &&
           json_number(&parts[2], json_any, &term->weight);
}

/* [REFERENCE, axis, weight], or [body, turn, weight] */
static bool parse_speed_term(const json_node* n, const scene_file* s, weighted_term* term) {
    static const char* const turns[] = {"turn_x", "turn_y", "turn_z", NULL};
    json_node parts[3];
    const char* axis = NULL;
    if (!term_parts(n, parts)) {
        return false;
    }
    term->turn = json_is_string(&parts[1]) && json_string(&parts[1], &axis) && strncmp(axis, "turn", 4) == 0;
    return (term->turn ? parse_body(&parts[0], s, &term->point) && json_choice(&parts[1], turns, &term->axis)
                       : parse_reference(&parts[0], s, &term->point) && parse_axis(&parts[1], &term->axis)) &&
           json_number(&parts[2], json_any, &term->weight);
}

typedef bool term_parser(const json_node* n, const scene_file* s, weighted_term* term);

static bool parse_terms(const json_node* n, const scene_file* s, term_parser* parse, linear_spec* linear) {
    json_node list, term;
    if (!json_need(n, "terms", &list) || !json_length(&list, 1, &linear->count)) {
        return false;
    }
    linear->terms = array_new(linear->count, sizeof *linear->terms, n->document->r);
    bool ok = linear->terms != NULL;
    for (bool more = ok && json_first(&list, &term); ok && more; more = json_next(&term)) {
        ok = parse(&term, s, &linear->terms[term.index]);
    }
    return ok && parse_law_keys(n, &linear->law);
}

static bool parse_linear(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "terms", "rest", LAW_KEYS, NULL};
    linear_spec* linear = &c->as.linear;
    json_node rest;
    linear->rest_given = json_is_object(n) && json_find(n, "rest", &rest);
    return json_object(n, keys) && parse_terms(n, s, parse_term, linear) &&
           json_number_member(n, "rest", json_any, &linear->rest);
}

static bool parse_speed(const json_node* n, const scene_file* s, scene_constraint* c) {
    static const char* const keys[] = {"type", "terms", "speed", LAW_KEYS, NULL};
    linear_spec* linear = &c->as.linear;
    linear->of_velocities = linear->rest_given = true;
    return json_object(n, keys) && parse_terms(n, s, parse_speed_term, linear) &&
           json_number_member(n, "speed", json_any, &linear->rest);
}

/* ---- all constraints ------------------------------------------------------------------------------------------ */

static bool parse_constraint(const json_node* n, const scene_file* s, scene_constraint* c) {
    typedef bool parser(const json_node* constraint, const scene_file* s, scene_constraint* c);
    static const char* const types[] = {"pin",   "distance", "attach",    "linear", "speed", "ball",
                                        "hinge", "slider",   "universal", "fixed",  NULL};
    static parser* const parsers[] = {parse_pin, parse_distance, parse_attach, parse_linear, parse_speed};
    json_node type_node;
    unsigned type = 0;
    if (!json_is_object(n) || !json_need(n, "type", &type_node) || !json_choice(&type_node, types, &type)) {
        return false;
    }
    if (type < CONSTRAINT_JOINT) {
        c->type = (constraint_type)type;
        return parsers[type](n, s, c);
    }
    c->type = CONSTRAINT_JOINT; /* types from here on are in the order of taut_joint_type */
    return parse_joint(n, (taut_joint_type)(type - CONSTRAINT_JOINT), s, &c->as.joint);
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
