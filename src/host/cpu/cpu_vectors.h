/* Loops that are compiled twice, with AVX2 and without: `name` runs what the processor has. The bits are the same,
 * since neither contracts products and sums. */
#ifndef TAUT_CPU_CPU_VECTORS_H
#define TAUT_CPU_CPU_VECTORS_H

#include "base/small_math.h"

#if defined(__GNUC__) && defined(__x86_64__)
/* A function `name` of `parameters` that returns what the inlined `body` does with `arguments`. */
#define CPU_WITH_AVX2(type, name, body, parameters, arguments)                                                         \
    static type name##_plain parameters {                                                                              \
        return body arguments;                                                                                         \
    }                                                                                                                  \
    __attribute__((target("avx2"))) static type name##_avx2 parameters {                                               \
        return body arguments;                                                                                         \
    }                                                                                                                  \
    static type name parameters {                                                                                      \
        return __builtin_cpu_supports("avx2") ? name##_avx2 arguments : name##_plain arguments;                        \
    }
#else
#define CPU_WITH_AVX2(type, name, body, parameters, arguments)                                                         \
    static type name parameters {                                                                                      \
        return body arguments;                                                                                         \
    }
#endif

#endif
