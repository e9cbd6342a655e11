#include "taut/fabrics.h"

#include <string.h>

/* Sources and conversions: docs/fabrics.md. */
static const taut_fabric fabrics[] = {
    {"cotton", 0.150, 1e4, 0.24, 1.1e-5, 0.32e-3}, {"silk", 0.070, 5e3, 0.25, 3.1e-6, 0.12e-3},
    {"denim", 0.324, 1219, 0.02, 7.8e-5, 0.6e-3},  {"wool", 0.235, 2.5e3, 0.28, 2.4e-5, 0.57e-3},
    {"leather", 0.520, 2e4, 0.4, 1e-3, 0.8e-3},    {"jersey", 0.187, 180, 0.25, 2.1e-5, 0.6e-3},
    {"canvas", 0.407, 3e4, 0.1, 4.2e-5, 0.7e-3},   {"rubber", 0.930, 1.5e3, 0.49, 1.64e-4, 1e-3},
    {"paper", 0.080, 5e5, 0.3, 4e-4, 0.1e-3},      {"felt", 0.200, 2e3, 0.2, 1.7e-4, 1e-3},
};

static const taut_rope_kind ropes[] = {
    {"nylon", 676, 1.18e8}, {"polyester", 798, 1.09e9}, {"polypropylene", 453, 1.06e9}, {"manila", 692, 6.6e8},
    {"cotton", 650, 3e8},   {"steel", 3611, 3.67e10},   {"bungee", 750, 3e6},
};

enum { FABRIC_COUNT = sizeof fabrics / sizeof *fabrics, ROPE_COUNT = sizeof ropes / sizeof *ropes };

uint32_t taut_fabric_count(void) {
    return FABRIC_COUNT;
}

const taut_fabric* taut_fabric_at(uint32_t i) {
    return i < FABRIC_COUNT ? &fabrics[i] : NULL;
}

const taut_fabric* taut_fabric_find(const char* name) {
    for (int i = 0; name != NULL && i < FABRIC_COUNT; i++) {
        if (strcmp(fabrics[i].name, name) == 0) {
            return &fabrics[i];
        }
    }
    return NULL;
}

uint32_t taut_rope_kind_count(void) {
    return ROPE_COUNT;
}

const taut_rope_kind* taut_rope_kind_at(uint32_t i) {
    return i < ROPE_COUNT ? &ropes[i] : NULL;
}

const taut_rope_kind* taut_rope_kind_find(const char* name) {
    for (int i = 0; name != NULL && i < ROPE_COUNT; i++) {
        if (strcmp(ropes[i].name, name) == 0) {
            return &ropes[i];
        }
    }
    return NULL;
}
