/* Colours of constraints for Gauss-Seidel: two of one colour act on no node together, itself or through mapped points,
 * so that a colour can be gone through in parallel. */
#ifndef TAUT_COMPILE_COLOURS_H
#define TAUT_COMPILE_COLOURS_H

#include "host/compile/supports.h"

typedef struct colouring {
    uint32_t count;        /* colours */
    uint32_t* begin;       /* count + 1, into member; the largest colour first */
    uint32_t* member;      /* members with unknowns, by colour, ascending within it */
    uint32_t member_count; /* of those */
    size_t bytes;
    void* memory;
} colouring;

/* First fit in the order of the members. Fixed nodes count like others: they may be freed. */
taut_status colours_make(const supports* of, const bool* has_factor_rows, const taut_allocator* allocator,
                         colouring* out);
void colours_free(const taut_allocator* allocator, colouring* c);

/* Each member is a block of its own. */
void colours_count(const supports* of, const colouring* c, taut_sizes* s);
void colours_fill(const supports* of, const colouring* c, const taut_sizes* s, taut_fields* f);

#endif
