/* Where and how a figure was measured. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

typedef struct bench_machine {
    char cpu[128];
    long cores;
    const char* compiler;
    const char* build;
    const char* native; /* "yes" where every instruction of the building machine was allowed */
    const char* commit;
} bench_machine;

bench_machine machine_describe(void);

#endif
