/* Named fabrics and ropes of the library (taut/fabrics.h): what the file says besides overrides their values. */
#include "scene_json/scene_parse.h"

enum { MOST_NAMES = 64 };

bool parse_fabric(const json_node* object, const taut_fabric** out) {
    const char* names[MOST_NAMES + 1] = {NULL};
    json_node n;
    unsigned chosen = 0;
    *out = NULL;
    if (!json_find(object, "fabric", &n)) {
        return true;
    }
    for (uint32_t i = 0; i < taut_fabric_count() && i < MOST_NAMES; i++) {
        names[i] = taut_fabric_at(i)->name;
    }
    if (!json_choice(&n, names, &chosen)) {
        return false;
    }
    *out = taut_fabric_at(chosen);
    return true;
}

bool parse_rope_kind(const json_node* object, const taut_rope_kind** out) {
    const char* names[MOST_NAMES + 1] = {NULL};
    json_node n;
    unsigned chosen = 0;
    *out = NULL;
    if (!json_find(object, "rope", &n)) {
        return true;
    }
    for (uint32_t i = 0; i < taut_rope_kind_count() && i < MOST_NAMES; i++) {
        names[i] = taut_rope_kind_at(i)->name;
    }
    if (!json_choice(&n, names, &chosen)) {
        return false;
    }
    *out = taut_rope_kind_at(chosen);
    return true;
}
