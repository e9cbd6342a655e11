/* Vectors of the compiler, and functions that are compiled once for each set of registers: those of every processor of
 * the architecture, and wider ones where there are. Operations are not fused, and every sum is in one order: the bits
 * are the same whatever the registers are. */
#ifndef TAUT_CPU_CPU_REGISTERS_H
#define TAUT_CPU_CPU_REGISTERS_H

/* Four doubles: one register, or as many as it takes; and four that lie anywhere. */
typedef double quad __attribute__((vector_size(32)));
typedef double loose_quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Eight: for functions of CPU_WIDEST. Compilers keep what is wider than a register in memory. */
typedef double eight __attribute__((vector_size(64)));
typedef double loose_eight __attribute__((vector_size(64), aligned(8), may_alias));

/* Eight floats, and four that lie anywhere; four doubles from them. */
typedef float octet __attribute__((vector_size(32)));
typedef float loose_octet __attribute__((vector_size(32), aligned(4), may_alias));
typedef float loose_floats __attribute__((vector_size(16), aligned(4), may_alias));
#define CPU_QUAD(floats) __builtin_convertvector(*(const loose_floats*)(floats), quad)

/* Two functions of one text, or three: CPU_CHOOSE(name) is the one for the registers that there are. */
#if defined(__x86_64__)
#define CPU_WIDE                  __attribute__((target("avx2")))
#define CPU_WIDEST                __attribute__((target("avx512f")))
#define CPU_CHOOSE(name)          (__builtin_cpu_supports("avx2") ? name##_wide : name##_narrow)
#define CPU_CHOOSE_OF_THREE(name) (__builtin_cpu_supports("avx512f") ? name##_widest : CPU_CHOOSE(name))
#else
#define CPU_WIDE                  __attribute__((unused))
#define CPU_WIDEST                __attribute__((unused))
#define CPU_CHOOSE(name)          name##_narrow
#define CPU_CHOOSE_OF_THREE(name) name##_narrow
#endif

/* The two of a range of a loop (cpu_parallel.h), whose text is a TAUT_FN_HOT of that name. */
#define CPU_RANGES(name)                                                                                               \
    static void name##_narrow(const void* context, uint32_t part, size_t first, size_t last) {                         \
        (void)part;                                                                                                    \
        name(context, first, last);                                                                                    \
    }                                                                                                                  \
    CPU_WIDE static void name##_wide(const void* context, uint32_t part, size_t first, size_t last) {                  \
        (void)part;                                                                                                    \
        name(context, first, last);                                                                                    \
    }
#define CPU_RANGES_OF_THREE(name)                                                                                      \
    CPU_RANGES(name)                                                                                                   \
    CPU_WIDEST static void name##_widest(const void* context, uint32_t part, size_t first, size_t last) {              \
        (void)part;                                                                                                    \
        name(context, first, last);                                                                                    \
    }

#endif
