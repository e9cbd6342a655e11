/* Building a world's topology on the device. Both may allocate: they run before the first step only. */
#ifndef TAUT_BUILD_CUH
#define TAUT_BUILD_CUH

#include "kernels/device.cuh"

/* As in taut_backend. */
taut_status cuda_sort(int device, uint64_t* keys, uint32_t* values, size_t count, const taut_allocator* allocator);

/* Offsets and incidence of every kind, from the nodes of its constraints. Waits. */
taut_status cuda_build_incidence(const taut_view& view, cudaStream_t stream);

#endif
