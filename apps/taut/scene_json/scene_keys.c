#include "base/array.h"
#include "scene_json/scene_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t max_name = 200; /* leaves room for what file names add */

/* ---- names ---------------------------------------------------------------------------------------------------- */

/* Only the names read so far are there. */
bool find_object(const scene_file* s, const char* name, size_t* out) {
    for (size_t i = 0; i < s->object_count + s->mapping_count; i++) {
        const char* other = i < s->object_count ? s->objects[i].name : s->mappings[i - s->object_count].name;
        if (other && strcmp(other, name) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool parse_name(const json_node* object, const scene_file* s, char** out) {
    json_node n;
    const char* name = NULL;
    size_t other = 0;
    if (!json_need(object, "name", &n) || !json_string(&n, &name)) {
        return false;
    }
    if (strlen(name) > max_name) {
        return json_fail(&n, "is longer than %zu bytes", max_name);
    }
    if (find_object(s, name, &other)) {
        const bool mapping = other >= s->object_count;
        return json_fail(&n, "'%s' is also the name of %s[%zu]", name, mapping ? "mappings" : "objects",
                         mapping ? other - s->object_count : other);
    }
    *out = text_copy(name, object->document->r);
    return *out != NULL;
}

/* ---- place ---------------------------------------------------------------------------------------------------- */

static bool parse_scale(const json_node* object, double out[3]) {
    json_node n;
    if (!json_find(object, "scale", &n)) {
        return true;
    }
    if (json_is_number(&n)) {
        double factor = 1;
        if (!json_number(&n, json_any, &factor)) {
            return false;
        }
        out[0] = out[1] = out[2] = factor;
    } else if (!json_numbers(&n, 3, json_any, out)) {
        return false;
    }
    for (int a = 0; a < 3; a++) {
        if (fabs(out[a]) < 1e-30) {
            return json_fail(&n, "must not be zero");
        }
    }
    return true;
}

bool parse_placement(const json_node* object, placement* p) {
    *p = placement_identity();
    return parse_scale(object, p->scale) && json_vector_member(object, "rotate_degrees", p->degrees) &&
           json_vector_member(object, "translate", p->translate);
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

bool parse_needed_number(const json_node* object, const char* key, json_range range, double* out) {
    json_node n;
    return json_need(object, key, &n) && json_number(&n, range, out);
}

bool parse_law_keys(const json_node* n, spring_law* law) {
    json_node member;
    law->bounded =
        json_find(n, "lower", &member) || json_find(n, "upper", &member) || json_find(n, "strength", &member);
    law->given = law->bounded || json_find(n, "compliance", &member) || json_find(n, "damping", &member);
    law->lower = -INFINITY;
    law->upper = law->strength = INFINITY;
    return json_number_member(n, "lower", json_not_positive, &law->lower) &&
           json_number_member(n, "upper", json_not_negative, &law->upper) &&
           json_number_member(n, "strength", json_positive, &law->strength) &&
           json_number_member(n, "compliance", json_not_negative, &law->compliance) &&
           json_number_member(n, "damping", json_not_negative, &law->damping) &&
           json_bool_member(n, "force", &law->force) &&
           (!law->force || law->compliance > 0 || json_fail_member(n, "force", "needs a compliance above 0")) &&
           (!law->force || !law->bounded || json_fail_member(n, "force", "goes without bounds and strength"));
}

bool parse_law(const json_node* object, const char* key, spring_law* law) {
    static const char* const keys[] = {LAW_KEYS, NULL};
    json_node n;
    if (!json_find(object, key, &n)) {
        return true;
    }
    bool ok = json_object(&n, keys) && parse_law_keys(&n, law);
    law->given = true;
    return ok;
}

#define AIR_DRAG     0.6  /* kg/m^3: half the density of air, across a plate */
#define AIR_FRICTION 0.01 /* kg/m^3 */

static bool parse_air(const json_node* air, surface_spec* out) {
    static const char* const keys[] = {"drag", "friction", "wind", NULL};
    json_node wind;
    out->drag = AIR_DRAG;
    out->friction = AIR_FRICTION;
    return json_object(air, keys) && json_number_member(air, "drag", (json_range){0, 1e9}, &out->drag) &&
           json_number_member(air, "friction", (json_range){0, 1e9}, &out->friction) &&
           (!json_find(air, "wind", &wind) || json_numbers(&wind, 3, (json_range){-1e9, 1e9}, out->wind));
}

bool parse_surface(const json_node* object, surface_spec* out) {
    json_node air, pressure;
    const bool blown = json_find(object, "air", &air);
    out->given = json_find(object, "pressure", &pressure) || blown;
    return (!blown || parse_air(&air, out)) && json_number_member(object, "pressure", json_any, &out->pressure);
}

/* Whether an array is one row of numbers, and not a list of rows. */
static bool is_row(const json_node* n) {
    json_node first;
    return json_first(n, &first) && json_is_number(&first);
}

bool parse_each(const json_node* object, const char* key, size_t width, size_t count, double** out) {
    json_node n;
    size_t rows = 0;
    if (!json_find(object, key, &n)) {
        return true;
    }
    if (!json_length(&n, 1, &rows)) {
        return false;
    }
    if (!is_row(&n)) {
        return json_rows(&n, width, 1, out, &rows) &&
               (rows == count || json_fail(&n, "must hold one for all or %zu elements, holds %zu", count, rows));
    }
    *out = array_new(count, width * sizeof **out, object->document->r);
    if (!*out || !json_numbers(&n, width, json_any, *out)) {
        return false;
    }
    for (size_t i = width; i < count * width; i++) {
        (*out)[i] = (*out)[i - width];
    }
    return true;
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

bool parse_mesh_path(const json_node* n, char** out) {
    const char* name = NULL;
    if (!json_string(n, &name)) {
        return false;
    }
    const char* scene = n->document->path;
    const char* slash = strrchr(scene, '/');
    const size_t folder = slash && name[0] != '/' ? (size_t)(slash - scene) + 1 : 0;
    const size_t bytes = folder + strlen(name) + 1;
    char* path = array_new(bytes, 1, n->document->r);
    if (path) {
        snprintf(path, bytes, "%.*s%s", (int)folder, scene, name);
    }
    *out = path;
    return path != NULL;
}
