/* The clock of taut-compare. */
#ifndef COMPARE_PROCESSOR_H
#define COMPARE_PROCESSOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* s of processor time of this process: other programs slow it down little, and threads of a library count. */
double processor_seconds(void);

#ifdef __cplusplus
}
#endif

#endif
