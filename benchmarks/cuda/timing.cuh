/* Times on the device, by events. */
#ifndef BENCH_CUDA_TIMING_CUH
#define BENCH_CUDA_TIMING_CUH

#include <cuda_runtime.h>

#include <vector>

/* Ends the program with a sentence: a benchmark has no other way on. */
void device_must(cudaError_t error, const char* what);

/* Of several samples; NaN without any. */
struct Spread {
    double median, least, most;
};

Spread spread_of(std::vector<double> samples);

/* Two events around work on one stream. */
class Stopwatch {
  public:
    explicit Stopwatch(cudaStream_t on);
    ~Stopwatch();
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    void start() const;
    /* Waits; seconds since start on the device. */
    double stop() const;

  private:
    cudaStream_t stream;
    cudaEvent_t begin, end;
};

/* Device memory for the length of a scope. */
template <class T> class DeviceArray {
  public:
    explicit DeviceArray(size_t count) { device_must(cudaMalloc((void**)&data, count * sizeof(T)), "an allocation"); }
    ~DeviceArray() { cudaFree(data); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return data; }

  private:
    T* data = nullptr;
};

/* What `body(stream)` enqueues, recorded once and replayed. */
class Replay {
  public:
    template <class Body> Replay(cudaStream_t on, Body body) : stream(on) {
        device_must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
        body(stream);
        device_must(cudaStreamEndCapture(stream, &graph), "ending a capture");
        device_must(cudaGraphInstantiate(&instance, graph, 0), "instantiating a graph");
    }
    ~Replay() {
        cudaGraphExecDestroy(instance);
        cudaGraphDestroy(graph);
    }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    void launch() const { device_must(cudaGraphLaunch(instance, stream), "launching a graph"); }

  private:
    cudaStream_t stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t instance = nullptr;
};

#endif
