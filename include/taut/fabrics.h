/* Named fabrics and ropes: values of sheets and lines that were measured and published. docs/fabrics.md says where each
 * comes from and how it was converted. Real fabrics of one name differ by factors of two and more; these are single
 * ones, with warp and weft averaged.
 *
 * A membrane takes `softness` = 1/young and `poisson`; bends take the compliance (A1 + A2)/(e^2 bending) of an edge of
 * length e between triangles of areas A1 and A2. A rope of diameter d has the mass density d^2 per metre, and a segment
 * of length l the compliance l/(stiffness d^2).
 *
 * The structs are the library's own, constant, and live as long as the program; later versions may append members. */
#ifndef TAUT_FABRICS_H
#define TAUT_FABRICS_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sheet. */
typedef struct taut_fabric {
    const char* name; /* such as "denim" */
    double density;   /* kg/m^2 */
    double young;     /* Young's modulus times thickness, N/m */
    double poisson;   /* Poisson's ratio */
    double bending;   /* flexural rigidity B, N m */
    double thickness; /* m */
} taut_fabric;

/* A rope, by the square of its diameter. */
typedef struct taut_rope_kind {
    const char* name; /* such as "nylon" */
    double density;   /* kg/m^3: mass per metre over the diameter squared */
    double stiffness; /* Pa: E A over the diameter squared */
} taut_rope_kind;

/* Number of fabrics. */
TAUT_API uint32_t taut_fabric_count(void);
/* Fabric number i; NULL beyond the last one. Numbers may change with the version, names stay. */
TAUT_API const taut_fabric* taut_fabric_at(uint32_t i);
/* The fabric of this name; NULL where there is none. */
TAUT_API const taut_fabric* taut_fabric_find(const char* name);

/* Number of kinds of rope. */
TAUT_API uint32_t taut_rope_kind_count(void);
/* Kind of rope number i; NULL beyond the last one. */
TAUT_API const taut_rope_kind* taut_rope_kind_at(uint32_t i);
/* The kind of rope of this name; NULL where there is none. */
TAUT_API const taut_rope_kind* taut_rope_kind_find(const char* name);

#ifdef __cplusplus
}
#endif

#endif
