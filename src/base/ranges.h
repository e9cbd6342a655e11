/* Named ranges of time for Nsight (NVTX), in the domain "taut"; nothing where NVTX was not found at build time. */
#ifndef TAUT_BASE_RANGES_H
#define TAUT_BASE_RANGES_H

#ifdef __cplusplus
extern "C" {
#endif

/* A handle on the domain; NULL without NVTX, which the others take as well. */
void* taut_ranges_open(void);
void taut_ranges_close(void* ranges);
/* Ranges of one thread nest. `name` must outlive the range. */
void taut_range_push(void* ranges, const char* name);
void taut_range_pop(void* ranges);

#ifdef __cplusplus
}
#endif

#endif
