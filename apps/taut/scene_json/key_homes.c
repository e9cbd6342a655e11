#include "scene_json/key_homes.h"

#include <stddef.h>
#include <string.h>

static const char materials[] = "\"materials\", one of which the \"contact\" of an object names";
static const char stiffness[] = "\"stretch\", \"shear\", \"bend\", a material or a constraint";
static const char top[] = "the scene, beside \"objects\"";

static const struct {
    const char *key, *home;
} homes[] = {
    {"friction", materials},
    {"static_friction", materials},
    {"restitution", materials},
    {"rolling", materials},
    {"spinning", materials},
    {"material", "the \"contact\" of an object"},
    {"thickness", "the \"contact\" of cloth"},
    {"compliance", stiffness},
    {"max_iterations", "\"solver\""},
    {"tolerance", "\"solver\""},
    {"method", "\"solver\""},
    {"preconditioner", "\"solver\""},
    {"scheme", "\"integrator\""},
    {"newton", "\"integrator\""},
    {"wind", "the \"air\" of an object"},
    {"drag", "the \"air\" of an object"},
    {"substeps", top},
    {"fps", top},
    {"frames", top},
    {"gravity", top},
};

const char* key_home(const char* key) {
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        if (strcmp(homes[i].key, key) == 0) {
            return homes[i].home;
        }
    }
    return NULL;
}
