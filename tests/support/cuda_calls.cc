#include "cuda_calls.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

namespace {

// When to fail: the number of calls until the one that does; 0: none.
struct order {
    std::atomic<size_t> left{0};
    std::atomic<int> error{0};

    void give(size_t n, int which) {
        error = which;
        left = n;
    }
    bool due() { return left == CUDA_EVERY_CALL || (left > 0 && --left == 0); }
};

std::atomic<size_t> calls[CUDA_FUNCTION_COUNT];
order of_function[CUDA_FUNCTION_COUNT], of_group[CUDA_GROUPS];
std::atomic<bool> watching{false};
std::atomic<size_t> bytes{0}, at_once{0}, astray{0};
std::atomic<int> devices{-1};
thread_local int depth = 0;                     // wrapped calls under way on this thread
thread_local cudaError_t pending = cudaSuccess; // made up, and not fetched by cudaGetLastError yet

std::mutex lock;
std::set<void*> device_blocks, pinned_blocks, streams, events, graphs, executables, handles, own_captures;

// The function that the program would have called without this file.
void* next(const char* name) {
    void* found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        std::fprintf(stderr, "cuda_calls: %s is not to be found\n", name);
        std::abort();
    }
    return found;
}

bool counted() {
    return watching && depth == 0;
}

// Counts a call; the error that it has to return in place of doing anything, or 0.
int refused(cuda_function function) {
    calls[function]++;
    order& group = of_group[cuda_function_group(function)];
    int error = of_function[function].due() ? of_function[function].error.load() : 0;
    error = group.due() ? group.error.load() : error;
    if (error != 0 &&
        std::strncmp(cuda_function_name(function), "cublas", 6) != 0) { // which keeps its errors to itself
        pending = static_cast<cudaError_t>(error);
    }
    return error;
}

struct inside {
    inside() { depth++; }
    ~inside() { depth--; }
};

void remember(std::set<void*>& where, void* what) {
    const std::lock_guard<std::mutex> hold(lock);
    where.insert(what);
}

void forget(std::set<void*>& where, void* what) {
    const std::lock_guard<std::mutex> hold(lock);
    where.erase(what);
}

bool holds(const std::set<void*>& where, void* what) {
    const std::lock_guard<std::mutex> hold(lock);
    return where.count(what) > 0;
}

bool captures(cudaStream_t stream) {
    const inside scope;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

void launched(cudaStream_t stream) {
    if (!captures(stream)) {
        const std::lock_guard<std::mutex> hold(lock);
        at_once++;
        astray += own_captures.empty() ? 0 : 1;
    }
}

} // namespace

/* A wrapper that returns `result_`: `then` runs after a call that was counted and succeeded. */
#define WRAP_AS(result_, name, parameters, arguments, then)                                                            \
    extern "C" __attribute__((visibility("default"))) result_ name parameters {                                        \
        static const auto real = reinterpret_cast<result_(*) parameters>(next(#name));                                 \
        const bool watched = counted();                                                                                \
        const int error = watched ? refused(CALL_##name) : 0;                                                          \
        if (error != 0) {                                                                                              \
            return static_cast<result_>(error);                                                                        \
        }                                                                                                              \
        result_ result;                                                                                                \
        {                                                                                                              \
            const inside scope;                                                                                        \
            result = real arguments;                                                                                   \
        }                                                                                                              \
        if (watched && static_cast<int>(result) == 0) {                                                                \
            then;                                                                                                      \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define WRAP(name, parameters, arguments, then) WRAP_AS(cudaError_t, name, parameters, arguments, then)
#define NOTHING                                 (void)0

// ---- launches -------------------------------------------------------------------------------------------------------

// What the stubs of nvcc 13 call for <<<>>>; declared in no header for host code.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                          cudaStream_t stream);

WRAP(__cudaLaunchKernel,
     (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream), launched(stream))
WRAP(cudaLaunchKernel,
     (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream), launched(stream))
WRAP(cudaLaunchKernelExC, (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
     (config, kernel, arguments), launched(config->stream))
WRAP(cudaLaunchCooperativeKernel,
     (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream), launched(stream))
WRAP(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream), NOTHING)

// ---- graphs ---------------------------------------------------------------------------------------------------------

WRAP(cudaGraphUpload, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream), NOTHING)
WRAP(cudaGraphInstantiate, (cudaGraphExec_t * out, cudaGraph_t graph, unsigned long long flags), (out, graph, flags),
     remember(executables, *out))
WRAP(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * out, cudaGraph_t graph, unsigned long long flags),
     (out, graph, flags), remember(executables, *out))
WRAP(cudaGraphExecUpdate, (cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info),
     (executable, graph, info), NOTHING)
WRAP(cudaGraphExecDestroy, (cudaGraphExec_t graph), (graph), forget(executables, graph))
WRAP(cudaGraphCreate, (cudaGraph_t * out, unsigned int flags), (out, flags), remember(graphs, *out))
WRAP(cudaGraphDestroy, (cudaGraph_t graph), (graph), forget(graphs, graph))
WRAP(cudaGraphAddNode,
     (cudaGraphNode_t * out, cudaGraph_t graph, const cudaGraphNode_t* needs, const cudaGraphEdgeData* edges,
      size_t count, cudaGraphNodeParams* parameters),
     (out, graph, needs, edges, count, parameters), NOTHING)
WRAP(cudaGraphConditionalHandleCreate,
     (cudaGraphConditionalHandle * out, cudaGraph_t graph, unsigned int value, unsigned int flags),
     (out, graph, value, flags), NOTHING)
WRAP(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode),
     remember(own_captures, stream))
WRAP(cudaStreamBeginCaptureToGraph,
     (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* needs, const cudaGraphEdgeData* edges,
      size_t count, cudaStreamCaptureMode mode),
     (stream, graph, needs, edges, count, mode), NOTHING)
WRAP(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t stream, cudaGraphNode_t* needs, const cudaGraphEdgeData* edges, size_t count, unsigned int flags),
     (stream, needs, edges, count, flags), NOTHING)
WRAP(cudaStreamGetCaptureInfo,
     (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
      const cudaGraphNode_t** needs, const cudaGraphEdgeData** edges, size_t* count),
     (stream, status, id, graph, needs, edges, count), NOTHING)
WRAP(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status), (stream, status), NOTHING)

// By hand: the capture ends in any case, and a graph that was captured into belongs to somebody else.
extern "C" __attribute__((visibility("default"))) cudaError_t cudaStreamEndCapture(cudaStream_t stream,
                                                                                   cudaGraph_t* out) {
    static const auto real =
        reinterpret_cast<cudaError_t (*)(cudaStream_t, cudaGraph_t*)>(next("cudaStreamEndCapture"));
    const bool watched = counted();
    const int error = watched ? refused(CALL_cudaStreamEndCapture) : 0;
    const bool own = holds(own_captures, stream);
    const inside scope;
    const cudaError_t result = real(stream, out);
    forget(own_captures, stream);
    if (error == 0) {
        if (watched && own && result == cudaSuccess) {
            remember(graphs, *out);
        }
        return result;
    }
    if (own && result == cudaSuccess) {
        cudaGraphDestroy(*out);
    }
    *out = nullptr;
    return static_cast<cudaError_t>(error);
}

// ---- waits and copies -----------------------------------------------------------------------------------------------

WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream), NOTHING)
WRAP(cudaDeviceSynchronize, (), (), NOTHING)
WRAP(cudaEventSynchronize, (cudaEvent_t event), (event), NOTHING)
WRAP(cudaMemcpy, (void* to, const void* from, size_t count, cudaMemcpyKind kind), (to, from, count, kind),
     bytes += count)
WRAP(cudaMemcpyAsync, (void* to, const void* from, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, count, kind, stream), bytes += count)
WRAP(cudaMemcpy2D,
     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind),
     (to, to_pitch, from, from_pitch, width, height, kind), bytes += width * height)
WRAP(cudaMemcpy2DAsync,
     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
      cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, kind, stream), bytes += width * height)
WRAP(cudaMemset, (void* at, int value, size_t count), (at, value, count), bytes += count)
WRAP(cudaMemsetAsync, (void* at, int value, size_t count, cudaStream_t stream), (at, value, count, stream),
     bytes += count)

// ---- memory, streams, events, handles -------------------------------------------------------------------------------

WRAP(cudaMalloc, (void** out, size_t size), (out, size), remember(device_blocks, *out))
WRAP(cudaMallocAsync, (void** out, size_t size, cudaStream_t stream), (out, size, stream),
     remember(device_blocks, *out))
WRAP(cudaMallocManaged, (void** out, size_t size, unsigned int flags), (out, size, flags),
     remember(device_blocks, *out))
WRAP(cudaFree, (void* block), (block), forget(device_blocks, block))
WRAP(cudaFreeAsync, (void* block, cudaStream_t stream), (block, stream), forget(device_blocks, block))
WRAP(cudaMallocHost, (void** out, size_t size), (out, size), remember(pinned_blocks, *out))
WRAP(cudaHostAlloc, (void** out, size_t size, unsigned int flags), (out, size, flags), remember(pinned_blocks, *out))
WRAP(cudaHostRegister, (void* block, size_t size, unsigned int flags), (block, size, flags), NOTHING)
WRAP(cudaFreeHost, (void* block), (block), forget(pinned_blocks, block))
WRAP(cudaHostGetDevicePointer, (void** out, void* host, unsigned int flags), (out, host, flags), NOTHING)
WRAP(cudaStreamCreate, (cudaStream_t * out), (out), remember(streams, *out))
WRAP(cudaStreamCreateWithFlags, (cudaStream_t * out, unsigned int flags), (out, flags), remember(streams, *out))
WRAP(cudaStreamCreateWithPriority, (cudaStream_t * out, unsigned int flags, int priority), (out, flags, priority),
     remember(streams, *out))
WRAP(cudaStreamDestroy, (cudaStream_t stream), (stream), forget(streams, stream))
WRAP(cudaEventCreate, (cudaEvent_t * out), (out), remember(events, *out))
WRAP(cudaEventCreateWithFlags, (cudaEvent_t * out, unsigned int flags), (out, flags), remember(events, *out))
WRAP(cudaEventDestroy, (cudaEvent_t event), (event), forget(events, event))
WRAP_AS(cublasStatus_t, cublasCreate_v2, (cublasHandle_t * out), (out), remember(handles, *out))
WRAP_AS(cublasStatus_t, cublasDestroy_v2, (cublasHandle_t handle), (handle), forget(handles, handle))
WRAP_AS(cublasStatus_t, cublasSetStream_v2, (cublasHandle_t handle, cudaStream_t stream), (handle, stream), NOTHING)

// ---- devices and errors ---------------------------------------------------------------------------------------------

WRAP(cudaGetDevice, (int* device), (device), NOTHING)

extern "C" __attribute__((visibility("default"))) cudaError_t cudaGetDeviceCount(int* count) {
    static const auto real = reinterpret_cast<cudaError_t (*)(int*)>(next("cudaGetDeviceCount"));
    if (counted()) {
        const int error = refused(CALL_cudaGetDeviceCount);
        if (error != 0) {
            return static_cast<cudaError_t>(error);
        }
        if (devices >= 0) {
            *count = devices;
            return cudaSuccess;
        }
    }
    const inside scope;
    return real(count);
}

// A call that was made to fail has told the runtime nothing, so its error waits here as it would there.
extern "C" __attribute__((visibility("default"))) cudaError_t cudaGetLastError(void) {
    static const auto real = reinterpret_cast<cudaError_t (*)()>(next("cudaGetLastError"));
    const cudaError_t made_up = pending;
    pending = cudaSuccess;
    const cudaError_t true_one = real();
    return true_one != cudaSuccess ? true_one : made_up;
}

extern "C" __attribute__((visibility("default"))) cudaError_t cudaPeekAtLastError(void) {
    static const auto real = reinterpret_cast<cudaError_t (*)()>(next("cudaPeekAtLastError"));
    const cudaError_t true_one = real();
    return true_one != cudaSuccess ? true_one : pending;
}

// ---- the interface --------------------------------------------------------------------------------------------------

extern "C" {

void cuda_calls_watch(void) {
    for (int f = 0; f < CUDA_FUNCTION_COUNT; f++) {
        calls[f] = 0;
        of_function[f].give(0, 0);
    }
    for (order& o : of_group) {
        o.give(0, 0);
    }
    bytes = at_once = astray = 0;
    devices = -1;
    watching = true;
}

void cuda_calls_ignore(void) {
    cuda_calls_watch();
    watching = false;
    pending = cudaSuccess;
    const std::lock_guard<std::mutex> hold(lock);
    for (std::set<void*>* s : {&device_blocks, &pinned_blocks, &streams, &events, &graphs, &executables, &handles}) {
        s->clear();
    }
}

const char* cuda_function_name(cuda_function function) {
    static const char* const names[] = {
#define CUDA_NAME(name, group) #name,
        CUDA_FUNCTIONS(CUDA_NAME)};
    return names[function];
}

cuda_group cuda_function_group(cuda_function function) {
    static const cuda_group groups[] = {
#define CUDA_GROUP(name, group) group,
        CUDA_FUNCTIONS(CUDA_GROUP)};
    return groups[function];
}

size_t cuda_calls_of(cuda_function function) {
    return calls[function];
}

size_t cuda_calls_in(cuda_group group) {
    size_t sum = 0;
    for (int f = 0; f < CUDA_FUNCTION_COUNT; f++) {
        const auto function = static_cast<cuda_function>(f);
        sum += cuda_function_group(function) == group ? cuda_calls_of(function) : 0;
    }
    return sum;
}

size_t cuda_calls_bytes(void) {
    return bytes;
}

size_t cuda_calls_at_once(void) {
    return at_once;
}

size_t cuda_calls_astray(void) {
    return astray;
}

void cuda_calls_fail(cuda_function function, size_t n, int error) {
    of_function[function].give(n, error);
}

void cuda_calls_fail_in(cuda_group group, size_t n, int error) {
    of_group[group].give(n, error);
}

void cuda_calls_devices(int count) {
    devices = count;
}

cuda_live cuda_calls_live(void) {
    const std::lock_guard<std::mutex> hold(lock);
    return {device_blocks.size(), pinned_blocks.size(), streams.size(), events.size(),
            graphs.size(),        executables.size(),   handles.size()};
}

size_t cuda_live_total(cuda_live l) {
    return l.device + l.pinned + l.streams + l.events + l.graphs + l.executables + l.handles;
}

} // extern "C"
