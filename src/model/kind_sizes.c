#include "model/kind_sizes.h"

#include "kernels/formulas/kinds.h"

/* The load of kinds that are none. */
enum {
#define NO_LOAD(kind, enumerator) kind##_LOAD = 0,
    TAUT_CONSTRAINT_KINDS(NO_LOAD)
#undef NO_LOAD
};

#define SHAPE(kind, enumerator)                                                                                        \
    [enumerator] = {.name = #kind,                                                                                     \
                    .nodes = kind##_NODES,                                                                             \
                    .rows = kind##_ROWS,                                                                               \
                    .factor_rows = kind##_FACTOR_ROWS,                                                                 \
                    .rest = kind##_REST,                                                                               \
                    .aux = kind##_AUX,                                                                                 \
                    .record = TAUT_RECORD(sizeof(kind##_jacobian) / sizeof(real) - kind##_AUX, kind##_ROWS),           \
                    .stiffness = kind##_FACTOR_ROWS > 0 ? sizeof(kind##_stiffness) / sizeof(real) : 0,                 \
                    .packed = TAUT_PACKED(kind##_ROWS),                                                                \
                    .state = kind##_STATE,                                                                             \
                    .frames = kind##_FRAMES,                                                                           \
                    .moves = kind##_MOVES,                                                                             \
                    .load = kind##_LOAD,                                                                               \
                    .axes = (enumerator) == TAUT_ALIGNMENT || (enumerator) == TAUT_SEGMENT ? 3 : 1},

const taut_kind_shape taut_kind_shapes[TAUT_KIND_COUNT] = {
    [TAUT_LINEAR] = {.name = "linear", .rows = 1, .rest = 1, .packed = 1, .record = 1, .state = 3, .axes = 1},
    TAUT_FORMULA_KINDS(SHAPE)};

const char* taut_kind_name(taut_kind kind) {
    return (unsigned)kind < TAUT_KIND_COUNT ? taut_kind_shapes[kind].name : "unknown";
}

uint32_t taut_kind_unknowns(taut_kind kind, const bool has_factor_rows[TAUT_KIND_COUNT]) {
    return taut_kind_shapes[kind].rows + (has_factor_rows[kind] ? taut_kind_shapes[kind].factor_rows : 0);
}
