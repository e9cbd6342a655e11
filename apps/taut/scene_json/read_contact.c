/* Contact in a scene file: groups, materials, and what makes objects touch. */
#include "base/array.h"
#include "scene_json/scene_parse.h"

#include <string.h>

/* Bit 0 of a mask is this group, to which belongs what names none; material 0 is this one, too. */
static const char* const default_name = "default";
static const size_t max_groups = 31;

/* ---- settings and groups -------------------------------------------------------------------------------------- */

/* Bits of a mask count from "default" on. */
static bool find_group(const scene_file* s, const char* name, unsigned* bit) {
    *bit = 0;
    while (*bit < s->group_count && strcmp(s->groups[*bit], name) != 0) {
        ++*bit;
    }
    const bool found = *bit < s->group_count;
    *bit = found ? *bit + 1 : 0;
    return found || strcmp(name, default_name) == 0;
}

static bool parse_new_group(const json_node* n, scene_file* s) {
    const char* name = NULL;
    unsigned other = 0;
    if (!json_string(n, &name)) {
        return false;
    }
    if (find_group(s, name, &other)) {
        return other ? json_fail(n, "is listed twice")
                     : json_fail(n, "'%s' is there from the start, and holds what names no group", name);
    }
    s->groups[s->group_count] = text_copy(name, n->document->r);
    s->group_count += s->groups[s->group_count] != NULL;
    return s->group_count > n->index;
}

static bool parse_groups(const json_node* contact, scene_file* s) {
    json_node list, n;
    size_t count = 0;
    if (!json_find(contact, "groups", &list)) {
        return true;
    }
    if (!json_length(&list, 1, &count)) {
        return false;
    }
    if (count > max_groups) {
        return json_fail(&list, "holds %zu groups, more than %zu", count, max_groups);
    }
    s->groups = array_new(count, sizeof *s->groups, contact->document->r);
    bool ok = s->groups != NULL;
    for (bool more = json_first(&list, &n); ok && more; more = json_next(&n)) {
        ok = parse_new_group(&n, s);
    }
    return ok;
}

static bool parse_contact_settings(const json_node* root, scene_file* s) {
    static const char* const keys[] = {"capacity",   "law",    "friction",       "margin", "restitution_speed",
                                       "slip_speed", "groups", "crossing_check", NULL};
    static const char* const laws[] = {[TAUT_CONTACT_CONVEX] = "convex", [TAUT_CONTACT_EXACT] = "exact", NULL};
    static const char* const frictions[] = {
        [TAUT_FRICTION_COULOMB] = "coulomb", [TAUT_FRICTION_CONVEX] = "convex", NULL};
    taut_contact_settings* contact = &s->world.contact;
    json_node n;
    unsigned friction = contact->friction, law = contact->law;
    bool check = !contact->no_crossing_check;
    if (!json_find(root, "contact", &n)) {
        return true;
    }
    const bool ok = json_object(&n, keys) && json_integer_member(&n, "capacity", 1, UINT32_MAX, &contact->capacity) &&
                    json_choice_member(&n, "law", laws, &law) &&
                    json_choice_member(&n, "friction", frictions, &friction) &&
                    json_number_member(&n, "margin", json_not_negative, &contact->margin) &&
                    json_number_member(&n, "restitution_speed", json_not_negative, &contact->restitution_speed) &&
                    json_number_member(&n, "slip_speed", json_not_negative, &contact->slip_speed) &&
                    json_bool_member(&n, "crossing_check", &check) && parse_groups(&n, s);
    contact->no_crossing_check = !check;
    contact->friction = (taut_friction)friction;
    contact->law = (taut_contact_law)law;
    return ok;
}

/* ---- materials ------------------------------------------------------------------------------------------------ */

#define LAW_OF_CONTACT_KEYS                                                                                            \
    "friction", "static_friction", "restitution", "compliance", "damping", "recovery", "rolling", "spinning"

static bool parse_law_of_contact(const json_node* n, taut_material_def* law) {
    *law = taut_default_material();
    return json_number_member(n, "friction", json_not_negative, &law->friction) &&
           json_number_member(n, "static_friction", json_not_negative, &law->static_friction) &&
           json_number_member(n, "restitution", (json_range){0, 1}, &law->restitution) &&
           json_number_member(n, "compliance", json_not_negative, &law->compliance) &&
           json_number_member(n, "damping", json_not_negative, &law->damping) &&
           json_number_member(n, "recovery", json_positive, &law->recovery) &&
           json_number_member(n, "rolling", json_not_negative, &law->rolling) &&
           json_number_member(n, "spinning", json_not_negative, &law->spinning);
}

/* 0: the default one, else 1 + its place among those read so far. */
static bool find_material(const scene_file* s, const char* name, size_t* out) {
    size_t i = 0;
    while (i < s->material_count && strcmp(s->materials[i].name, name) != 0) {
        i++;
    }
    const bool found = i < s->material_count;
    *out = found ? i + 1 : 0;
    return found || strcmp(name, default_name) == 0;
}

static bool parse_material_name(const json_node* n, const scene_file* s, size_t* out) {
    const char* name = NULL;
    return json_string(n, &name) && (find_material(s, name, out) || json_fail(n, "there is no material '%.80s'", name));
}

static bool parse_material(const json_node* n, scene_file* s) {
    static const char* const keys[] = {"name", LAW_OF_CONTACT_KEYS, NULL};
    material_spec* material = &s->materials[s->material_count];
    json_node name_node;
    const char* name = NULL;
    size_t other = 0;
    if (!json_object(n, keys) || !json_need(n, "name", &name_node) || !json_string(&name_node, &name)) {
        return false;
    }
    if (find_material(s, name, &other)) {
        return other ? json_fail(&name_node, "'%.80s' is also the name of materials[%zu]", name, other - 1)
                     : json_fail(&name_node, "'%s' is there from the start, and cannot be changed", name);
    }
    material->name = text_copy(name, n->document->r);
    s->material_count += material->name != NULL;
    return material->name && parse_law_of_contact(n, &material->law);
}

static bool parse_materials(const json_node* root, scene_file* s) {
    json_node list, n;
    size_t count = 0;
    if (!json_find(root, "materials", &list)) {
        return true;
    }
    if (!json_length(&list, 0, &count)) {
        return false;
    }
    s->materials = array_new(count, sizeof *s->materials, root->document->r);
    bool ok = s->materials != NULL;
    for (bool more = json_first(&list, &n); ok && more; more = json_next(&n)) {
        ok = parse_material(&n, s);
    }
    return ok;
}

/* ---- pairs of materials --------------------------------------------------------------------------------------- */

static bool parse_two_materials(const json_node* pair, const scene_file* s, size_t materials[2]) {
    json_node list;
    size_t count = 0;
    if (!json_need(pair, "materials", &list) || !json_length(&list, 0, &count)) {
        return false;
    }
    if (count != 2) {
        return json_fail(&list, "must hold 2 names, holds %zu", count);
    }
    const json_node a = json_element(&list, 0), b = json_element(&list, 1);
    return parse_material_name(&a, s, &materials[0]) && parse_material_name(&b, s, &materials[1]);
}

static bool same_pair(const size_t a[2], const size_t b[2]) {
    return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

static bool parse_pair(const json_node* n, scene_file* s) {
    static const char* const keys[] = {"materials", LAW_OF_CONTACT_KEYS, NULL};
    material_pair_spec* pair = &s->material_pairs[n->index];
    if (!json_object(n, keys) || !parse_two_materials(n, s, pair->materials) || !parse_law_of_contact(n, &pair->law)) {
        return false;
    }
    for (size_t i = 0; i < n->index; i++) {
        if (same_pair(s->material_pairs[i].materials, pair->materials)) {
            return json_fail_member(n, "materials", "are also those of material_pairs[%zu]", i);
        }
    }
    s->material_pair_count++;
    return true;
}

static bool parse_pairs(const json_node* root, scene_file* s) {
    json_node list, n;
    size_t count = 0;
    if (!json_find(root, "material_pairs", &list)) {
        return true;
    }
    if (!json_length(&list, 0, &count)) {
        return false;
    }
    s->material_pairs = array_new(count, sizeof *s->material_pairs, root->document->r);
    bool ok = s->material_pairs != NULL;
    for (bool more = json_first(&list, &n); ok && more; more = json_next(&n)) {
        ok = parse_pair(&n, s);
    }
    return ok;
}

bool parse_contact(const json_node* root, scene_file* s) {
    return parse_contact_settings(root, s) && parse_materials(root, s) && parse_pairs(root, s);
}

/* ---- of an object --------------------------------------------------------------------------------------------- */

static bool parse_group(const json_node* n, const scene_file* s, uint32_t* bits) {
    const char* name = NULL;
    unsigned bit = 0;
    if (!json_string(n, &name)) {
        return false;
    }
    if (!find_group(s, name, &bit)) {
        return json_fail(n, "there is no group '%.80s': contact.groups lists them", name);
    }
    *bits |= (uint32_t)1 << bit;
    return true;
}

/* A name, or a list of names; *bits stays as it is without the key. */
static bool parse_bits(const json_node* object, const char* key, const scene_file* s, uint32_t* bits) {
    json_node n, name;
    size_t count = 0;
    if (!json_find(object, key, &n)) {
        return true;
    }
    *bits = 0;
    if (json_is_string(&n)) {
        return parse_group(&n, s, bits);
    }
    if (!json_is_array(&n)) {
        return json_fail(&n, "must be the name of a group, or an array of such names");
    }
    bool ok = json_length(&n, 1, &count);
    for (bool more = ok && json_first(&n, &name); ok && more; more = json_next(&name)) {
        ok = parse_group(&name, s, bits);
    }
    return ok;
}

bool parse_contact_class(const json_node* n, const scene_file* s, contact_class* out) {
    json_node material;
    *out = (contact_class){.group = 1, .mask = UINT32_MAX};
    return (!json_find(n, "material", &material) || parse_material_name(&material, s, &out->material)) &&
           parse_bits(n, "group", s, &out->group) && parse_bits(n, "mask", s, &out->mask);
}

/* What `contact` of a kind of object may say beside its class. */
typedef struct touching_form {
    const char*
        size; /* of its points: "thickness", which is twice the radius, or "radius"; NULL: they have one of their own */
    bool faces;    /* it has triangles or segments */
    double radius; /* default */
    bool self;     /* default */
} touching_form;

/* A surface has a thickness: without one there are but points, and what is said of surfaces is said of nothing. */
static bool parse_touching_surface(const json_node* n, const touching_form* form, touching_spec* t) {
    json_node self;
    t->surface = t->radius > 0;
    t->self = form->self;
    if (!json_bool_member(n, "surface", &t->surface) || !json_bool_member(n, "self", &t->self)) {
        return false;
    }
    if (t->surface && !(t->radius > 0)) {
        return json_fail_member(n, "surface", "needs a '%s' above 0: with none only the vertices touch", form->size);
    }
    return t->surface || !json_find(n, "self", &self) ||
           json_fail(&self, "is of use with a surface only, and that needs a '%s' above 0", form->size);
}

static bool parse_touching_form(const json_node* object, const scene_file* s, const touching_form* form,
                                touching_spec* t) {
    /* Ends with the first NULL. */
    const char* const keys[] = {CONTACT_CLASS_KEYS, form->size, form->faces ? "surface" : NULL, "self", NULL};
    json_node n;
    t->given = json_find(object, "contact", &n);
    t->radius = form->radius;
    if (!t->given) {
        return true;
    }
    bool ok = json_object(&n, keys) &&
              (!form->size || json_number_member(&n, form->size, json_not_negative, &t->radius)) &&
              parse_contact_class(&n, s, &t->how);
    t->radius *= form->size && strcmp(form->size, "thickness") == 0 ? 0.5 : 1;
    return ok && (!form->faces || parse_touching_surface(&n, form, t));
}

bool parse_touching(const json_node* object, const scene_file* s, scene_object* o) {
    const touching_form form = {
        .size = o->type == OBJECT_CLOTH   ? "thickness"
                : o->type == OBJECT_RIGID ? NULL
                                          : "radius",
        .faces = o->type != OBJECT_RIGID && o->type != OBJECT_PARTICLES,
        .radius = o->type == OBJECT_ROD ? o->as.rod.radius : 0,
        .self = true,
    };
    return parse_touching_form(object, s, &form, &o->touching);
}

/* What a mapped surface hangs on seldom lets it meet itself, and where joints bend it may well cut itself. */
bool parse_mapped_touching(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    const touching_form form = {.size = "radius", .faces = m->embedding.mesh != NULL};
    return parse_touching_form(mapping, s, &form, &m->touching);
}
