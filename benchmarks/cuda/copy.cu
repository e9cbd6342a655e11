#include "copy.h"
#include "timing.cuh"

#include <algorithm>

namespace {

constexpr int threads = 256, repeats = 10;

/* Copies so many times, past the caches of the multiprocessors. */
__global__ void copy_kernel(const float4* from, float4* to, size_t count, int rounds) {
    for (int round = 0; round < rounds; round++) {
        for (size_t i = blockIdx.x * (size_t)threads + threadIdx.x; i < count; i += gridDim.x * (size_t)threads) {
            __stcg(to + i, __ldcg(from + i));
        }
    }
}

/* GB/s read and written by copies that touch `bytes` in all. Many rounds hide what a launch costs. */
double best_copy(size_t bytes, int rounds, cudaStream_t stream) {
    const size_t count = bytes / 2 / sizeof(float4);
    const DeviceArray<float4> from(count), to(count);
    const unsigned grid = (unsigned)std::min<size_t>((count + threads - 1) / threads, 16384);
    const Stopwatch watch(stream);
    double best = 0;
    device_must(cudaMemsetAsync(from.get(), 1, count * sizeof(float4), stream), "filling memory");
    for (int r = 0; r <= repeats; r++) { // the first one warms up
        watch.start();
        copy_kernel<<<grid, threads, 0, stream>>>(from.get(), to.get(), count, rounds);
        device_must(cudaGetLastError(), "a copy");
        best = std::max(best, 2e-9 * rounds * (double)(count * sizeof(float4)) / watch.stop());
    }
    return best;
}

} // namespace

copy_speed copy_measure(int smoke) {
    cudaStream_t stream;
    cudaDeviceProp properties;
    copy_speed speed = {};
    device_must(cudaGetDeviceProperties(&properties, 0), "describing the device");
    device_must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    speed.cache_bytes = (size_t)properties.l2CacheSize;
    const size_t tiny = 1 << 16, cached = std::max<size_t>(speed.cache_bytes / 2, 1 << 20);
    speed.cache_gb_s = best_copy(smoke ? tiny : cached, smoke ? 2 : 64, stream);
    speed.memory_gb_s = best_copy(smoke ? tiny : std::max<size_t>(16 * cached, 1u << 30), smoke ? 1 : 4, stream);
    device_must(cudaStreamDestroy(stream), "closing a stream");
    return speed;
}
