/* A substep as a sequence of operations, the same for every backend: which linear systems are solved about which state,
 * and how the state moves by what they yield. */
#ifndef TAUT_MODEL_STEP_PROGRAM_H
#define TAUT_MODEL_STEP_PROGRAM_H

#include "model/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct taut_program taut_program;
typedef void taut_program_part(const taut_program* program, taut_phase phase);

/* One backend's way to do them. After a failure operations do nothing until the substep is over. */
struct taut_program {
    void* self;
    void (*collide)(void* self); /* finds the contacts; does nothing where nothing can touch */
    void (*assemble)(void* self, taut_phase phase);
    void (*solve)(void* self, taut_phase phase);
    void (*move)(void* self, taut_phase phase, taut_move move);
    void (*evaluate)(void* self);
    /* Of Newton's method: the residuals of what has been assembled at the iterate, and what follows from them. */
    void (*check_residual)(void* self, taut_phase phase);
    /* `body` again and again until a judgement ends it; what follows in `body` the judgement that asks for a solve. */
    void (*repeat)(void* self, taut_program_part* body, taut_phase phase);
    void (*if_solving)(void* self, taut_program_part* body, taut_phase phase);
    /* `body` if the guard has the part begin about a guess of its end, or if not. */
    void (*if_ahead)(void* self, bool ahead, taut_program_part* body, taut_phase phase);
    /* `body` if the state is stretched by what one linearisation leaves (model/newton.h). */
    void (*if_stretched)(void* self, taut_program_part* body, taut_phase phase);
};

void taut_program_substep(const taut_program* program, const taut_integrator* integrator);

#ifdef __cplusplus
}
#endif

#endif
