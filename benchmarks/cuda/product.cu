#include "kernels/cuda/assembled.cuh"
#include "product.cuh"

extern "C" {
#include "bench_scenes.h"
}

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

constexpr int products = 16; // of one sample, in one graph

template <class Multiply> Spread time_products(cudaStream_t stream, int repeats, Multiply multiply) {
    const Replay replay(stream, [&](cudaStream_t) {
        for (int i = 0; i < products; i++) {
            multiply();
        }
    });
    const Stopwatch watch(stream);
    std::vector<double> samples;
    for (int r = 0; r <= repeats; r++) {
        watch.start();
        replay.launch();
        const double seconds = watch.stop() / products;
        if (r > 0) { // the first one warms up
            samples.push_back(seconds);
        }
    }
    return spread_of(samples);
}

double largest_difference(const float* a, const float* b, size_t count) {
    std::vector<float> left(count), right(count);
    double worst = 0, scale = 0;
    device_must(cudaMemcpy(left.data(), a, count * sizeof(float), cudaMemcpyDeviceToHost), "reading a product");
    device_must(cudaMemcpy(right.data(), b, count * sizeof(float), cudaMemcpyDeviceToHost), "reading a product");
    for (size_t i = 0; i < count; i++) {
        const double gap = std::fabs((double)left[i] - right[i]);
        worst = gap >= 0 ? std::max(worst, gap) : INFINITY;
        scale = std::max(scale, std::fabs((double)left[i]));
    }
    return worst / scale;
}

__global__ void fill_kernel(float* p, size_t count) {
    for (size_t i = thread_index(); i < count; i += thread_count()) {
        p[i] = (float)(i * 2654435761u % 1024) / 1024 - 0.5F;
    }
}

} // namespace

ProductTimes measure_product(const taut_view& view, cudaStream_t stream, int repeats) {
    const size_t n = view.s.unknowns;
    const DeviceArray<float> p(n), q(n), q_assembled(n);
    ProductTimes times = {{}, {NAN, NAN, NAN}, NAN, NAN};
    taut_assembled assembled = {};
    fill_kernel<<<taut_sum_grid(n), TAUT_THREADS, 0, stream>>>(p.get(), n);
    times.free = time_products(stream, repeats, [&] {
        taut_launch launch = {stream, cudaSuccess};
        cuda_multiply_f32(view, p.get(), q.get(), &launch);
        device_must(launch.error, "a product");
    });
    const taut_status status = assembled_open(view, stream, &assembled);
    if (status == TAUT_OUT_OF_MEMORY) {
        cudaGetLastError(); // the error is dealt with
        std::fprintf(stderr, "taut-bench-cuda: not assembled: %s\n", taut_last_error());
        return times;
    }
    bench_must(status);
    times.assembled =
        time_products(stream, repeats, [&] { bench_must(assembled_multiply(&assembled, p.get(), q_assembled.get())); });
    times.nonzeros = assembled.matrix.nonzeros;
    times.difference = largest_difference(q.get(), q_assembled.get(), n);
    assembled_close(&assembled);
    return times;
}
