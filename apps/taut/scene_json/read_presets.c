/* Named fabrics and ropes of the library (taut/fabrics.h): what the file says besides overrides their values. */
#include "scene_json/scene_parse.h"

typedef const char* name_at(uint32_t i);

static const char* fabric_name(uint32_t i) {
    return taut_fabric_at(i)->name;
}

static const char* rope_name(uint32_t i) {
    return taut_rope_kind_at(i)->name;
}

/* The number of the name that stands under `key`; `count` without the key. */
static bool choose(const json_node* object, const char* key, uint32_t count, name_at* name, unsigned* chosen) {
    enum { MOST_NAMES = 64 };
    const char* names[MOST_NAMES + 1] = {NULL};
    json_node n;
    *chosen = count;
    if (!json_find(object, key, &n)) {
        return true;
    }
    for (uint32_t i = 0; i < count && i < MOST_NAMES; i++) {
        names[i] = name(i);
    }
    return json_choice(&n, names, chosen);
}

bool parse_fabric(const json_node* object, const taut_fabric** out) {
    unsigned chosen = 0;
    const bool ok = choose(object, "fabric", taut_fabric_count(), fabric_name, &chosen);
    *out = ok ? taut_fabric_at(chosen) : NULL;
    return ok;
}

bool parse_rope_kind(const json_node* object, const taut_rope_kind** out) {
    unsigned chosen = 0;
    const bool ok = choose(object, "rope", taut_rope_kind_count(), rope_name, &chosen);
    *out = ok ? taut_rope_kind_at(chosen) : NULL;
    return ok;
}
