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
    char device[256]; /* CUDA's first; "none" without one */
    char driver[64];  /* version of CUDA that the driver speaks, then the driver's own */
    char runtime[16]; /* CUDA's */
} bench_machine;

bench_machine machine_describe(void);

#endif
