/* Building a world's topology on the device. What waits may allocate: it runs before the first
 * step only. */
#ifndef TAUT_CUDA_BUILD_CUH
#define TAUT_CUDA_BUILD_CUH

#include "kernels/cuda/device.cuh"

/* As in taut_backend. */
taut_status cuda_sort(int device, uint64_t* keys, uint32_t* values, size_t count, const taut_allocator* allocator);

/* Bits of keys up to this value, for a radix sort. */
int cuda_key_bits(size_t value);

/* Enqueues the offsets of kind k: of each node the first of the sorted entries whose node is not below it. */
void cuda_offsets(const taut_view& view, int k, const uint32_t* nodes, taut_launch* launch);

/* Offsets and incidence of every kind, from the nodes of its constraints. Waits. */
taut_status cuda_build_incidence(const taut_view& view, cudaStream_t stream);

#endif
