/* What the builders of mappings share. */
#ifndef TAUT_APP_BUILD_MAPPINGS_H
#define TAUT_APP_BUILD_MAPPINGS_H

#include "build/scene_builder.h"

/* Adds the points of a mapping that have places of their own: on bodies, in cells, bound to several bodies. */
bool build_embedding(scene_builder* b, const scene_mapping* m, built_object* out);

/* A mass per point, NULL where the mapping has none: false means failure only. The caller's to free. */
bool build_masses(scene_builder* b, const scene_mapping* m, size_t count, double** out);

/* The points of a mapping are those of `range`. */
void build_mapped(scene_builder* b, taut_range range, built_object* out);

/* The barycentric or trilinear weights of points in the cells of an object. */
typedef struct cell_weights {
    size_t arity;      /* parents of every point */
    uint32_t* parents; /* particles; owned */
    double* weights;   /* owned */
} cell_weights;

bool cell_weights_find(scene_builder* b, const embedding_spec* e, size_t count, const double (*points)[3],
                       cell_weights* out);
void cell_weights_free(cell_weights* w);

#endif
