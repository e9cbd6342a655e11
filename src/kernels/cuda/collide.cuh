/* Collide on the device: the contacts of a substep, and what sorts their incidence. */
#ifndef TAUT_CUDA_COLLIDE_CUH
#define TAUT_CUDA_COLLIDE_CUH

#include "kernels/cuda/device.cuh"

/* Device memory of the sort and the scan; all NULL where nothing can touch. */
typedef struct taut_collide_scratch {
    void* memory;
    uint32_t* keys[2];   /* nodes of entries: 6 x capacity */
    uint32_t* values[2]; /* entries */
    void* temporary;
    size_t temporary_bytes;
} taut_collide_scratch;

taut_status collide_open(const taut_view& view, taut_collide_scratch* scratch);
void collide_close(taut_collide_scratch* scratch);
void cuda_collide(const taut_view& view, const taut_collide_scratch& scratch, taut_launch* launch);
/* After a search outside a step, which the next step makes again: the report keeps the contacts of the last step. */
void cuda_forget_search(const taut_view& view, uint32_t contacts, bool diverged, taut_launch* launch);
/* Into its place among contact_count. */
void cuda_find_overlaps(const taut_view& view, const taut_collide_scratch& scratch, taut_launch* launch);

#endif
