/* Vectors of the compiler, and functions that are compiled once for each set of registers: those of every processor of
 * the architecture, and wider ones where there are. Operations are not fused, and every sum is in one order: the bits
 * are the same whatever the registers are. */
#ifndef TAUT_CPU_CPU_REGISTERS_H
#define TAUT_CPU_CPU_REGISTERS_H

/* Four doubles: one register, or as many as it takes; and four that lie anywhere. */
typedef double quad __attribute__((vector_size(32)));
typedef double loose_quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Calls name_wide or name_narrow, the same text: `CPU_WIDE static ... name_wide(...)` and without it. */
#if defined(__x86_64__)
#define CPU_WIDE         __attribute__((target("avx2")))
#define CPU_CHOOSE(name) (__builtin_cpu_supports("avx2") ? name##_wide : name##_narrow)
#else
#define CPU_WIDE         __attribute__((unused))
#define CPU_CHOOSE(name) name##_narrow
#endif

#endif
