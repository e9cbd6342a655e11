#include "timing.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

void device_must(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "taut-bench-cuda: %s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

Spread spread_of(std::vector<double> samples) {
    if (samples.empty()) {
        return {NAN, NAN, NAN};
    }
    std::sort(samples.begin(), samples.end());
    const size_t n = samples.size();
    return {(samples[(n - 1) / 2] + samples[n / 2]) / 2, samples.front(), samples.back()};
}

Stopwatch::Stopwatch(cudaStream_t on) : stream(on) {
    device_must(cudaEventCreate(&begin), "creating an event");
    device_must(cudaEventCreate(&end), "creating an event");
}

Stopwatch::~Stopwatch() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

void Stopwatch::start() const {
    device_must(cudaEventRecord(begin, stream), "recording an event");
}

double Stopwatch::stop() const {
    float milliseconds = 0;
    device_must(cudaEventRecord(end, stream), "recording an event");
    device_must(cudaEventSynchronize(end), "waiting for an event");
    device_must(cudaEventElapsedTime(&milliseconds, begin, end), "reading an event");
    return 1e-3 * milliseconds;
}
