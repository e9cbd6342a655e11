/* A batch of queries, whose operands and answers are in the block: kernels/stages/contact/query.h. */
#ifndef TAUT_MODEL_QUERY_BATCH_H
#define TAUT_MODEL_QUERY_BATCH_H

#include "taut/queries.h"

/* Queries that there is room for at a time, and least room for what overlaps them. */
#define TAUT_QUERY_MOST  4096
#define TAUT_QUERY_ITEMS 65536

typedef enum taut_query_kind { TAUT_QUERY_RAYS, TAUT_QUERY_POINTS, TAUT_QUERY_SHAPES } taut_query_kind;

typedef struct taut_query_batch {
    taut_query_kind kind;
    uint32_t count;
    uint32_t capacity; /* of overlaps, of each query */
    bool fresh;        /* the trees are those of the last batch */
    double reach;      /* m, of points */
    taut_query_filter filter;
} taut_query_batch;

#endif
