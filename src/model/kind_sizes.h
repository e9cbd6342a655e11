/* Sizes of the constraint kinds, at run time: what host code needs to know of a kind without its formulas. */
#ifndef TAUT_MODEL_KIND_SIZES_H
#define TAUT_MODEL_KIND_SIZES_H

#include "taut/scene.h"

typedef struct taut_kind_shape {
    const char* name;
    uint32_t nodes; /* 0: varying */
    uint32_t rows;
    uint32_t factor_rows; /* rows of the factor of the geometric stiffness */
    uint32_t rest;        /* float64 values */
    uint32_t aux;         /* float32 values stored of the Jacobian that products do not use */
    uint32_t record;      /* float32 values stored of the rest of it, with a compliance block and padding */
    uint32_t stiffness;   /* float32 values stored of the geometric stiffness; 0 without factor rows */
    uint32_t packed;      /* values of a compliance block */
    uint32_t state;       /* values per node that evaluate reads: 4 where some are frames */
    uint32_t frames;      /* slots that are frames, as bits */
    uint32_t moves;       /* leading rest values that may move by themselves */
    uint32_t load;        /* float64 values of a force element's forces; 0 of constraints */
    uint32_t axes;        /* compliances that the user gives per constraint */
} taut_kind_shape;

extern const taut_kind_shape taut_kind_shapes[TAUT_KIND_COUNT];

/* Unknowns of one constraint: its rows, and its factor rows where there are any. */
uint32_t taut_kind_unknowns(taut_kind kind, const bool has_factor_rows[TAUT_KIND_COUNT]);

#endif
