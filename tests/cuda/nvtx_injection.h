/* What a profiler would see of the library: an NVTX injection that writes the ranges of the domain "taut" down as text,
 * a range as its name and, in brackets, what lies within it: "step(assemble()solve())". */
#ifndef TAUT_TEST_NVTX_INJECTION_H
#define TAUT_TEST_NVTX_INJECTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Since the last call of ranges_clear; ranges of other domains are left out. */
const char* ranges_text(void);
void ranges_clear(void);
/* Ranges that are open. */
int ranges_depth(void);
/* Domains named "taut" that were made and not destroyed. */
int ranges_domains(void);

#ifdef __cplusplus
}
#endif

#endif
