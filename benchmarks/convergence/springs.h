/* A scene of particles, springs and hinges as plain arrays: built once, then handed to taut and to what it is compared
 * with. */
#ifndef CONVERGENCE_SPRINGS_H
#define CONVERGENCE_SPRINGS_H

#include <taut/taut.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct springs {
    size_t particles;
    double* positions; /* particles x 3, m: where the motion starts, at rest */
    double* masses;    /* particles, kg */
    bool* fixed;       /* particles */
    size_t count;      /* of springs */
    size_t capacity;
    uint32_t* pairs;     /* count x 2 */
    double* lengths;     /* count, m */
    double* compliances; /* count, m/N */
    size_t hinges;
    uint32_t* corners; /* hinges x 4, as in taut_bend_def; flat at rest */
    double bending;    /* rad/(N m), of every hinge */
} springs;

/* Particles at the origin, without mass, free; no springs. */
springs springs_make(size_t particles);
void springs_free(springs* s);

void springs_add(springs* s, uint32_t a, uint32_t b, double length, double compliance);
/* Further particles behind the others; returns the number of the first. */
uint32_t springs_extend(springs* s, size_t particles);

/* The caller destroys it. Ends the program where it fails. */
taut_scene* springs_scene(const springs* s);

#ifdef __cplusplus
}
#endif

#endif
