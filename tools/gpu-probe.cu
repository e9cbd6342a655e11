/* What taut asks of a GPU and its driver beyond the ordinary, tried before anything else: loops within loops in a
 * graph, parameters of five kilobytes, clearing and cooperative kernels in the body of a loop. Then what nodes,
 * launches, rounds of loops, conditions and barriers take, and a line for the devices of a cost model. Exits with 1
 * where a result is wrong.
 *
 *   nvcc -O2 tools/gpu-probe.cu -o gpu-probe && ./gpu-probe [ROUNDS]      default 1000; few where nothing is measured
 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

namespace cg = cooperative_groups;

static void must(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        std::printf("gpu-probe: %s failed: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

struct large { /* 5 kB */
    int values[1280];
};
typedef cudaGraphConditionalHandle handle_t;

static __global__ void empty_kernel() {}
static __global__ void set_kernel(int* at, int value) {
    *at = value;
}
static __global__ void open_kernel(handle_t handle, unsigned on) {
    cudaGraphSetConditional(handle, on);
}
static __global__ void add_kernel(int* at, const __grid_constant__ large parameter) {
    *at += parameter.values[1279];
}
/* One round more of `most`; counts. */
static __global__ void round_kernel(int* count, int* all, int most, handle_t handle) {
    *all += 1;
    cudaGraphSetConditional(handle, ++*count < most);
}
static __global__ void barrier_kernel(int* blocks, int rounds) {
    for (int i = 0; i < rounds; i++) {
        cg::this_grid().sync();
    }
    if (threadIdx.x == 0) {
        atomicAdd(blocks, 1);
    }
}

/* A graph, and the place in it where the next node goes. */
struct place {
    cudaGraph_t graph;
    cudaGraphNode_t last = nullptr;

    void add(cudaGraphNodeParams* params) {
        cudaGraphNode_t node;
        must(cudaGraphAddNode(&node, graph, &last, nullptr, last != nullptr, params), "adding a node");
        last = node;
    }
    template <typename... P, typename... A> void kernel(void (*function)(P...), unsigned grid, A... arguments) {
        cudaGraphNodeParams params = {};
        params.type = cudaGraphNodeTypeKernel;
        params.kernel.func = (void*)function;
        params.kernel.gridDim = grid;
        params.kernel.blockDim = 32;
        [&](P... own) {
            void* values[] = {&own..., nullptr};
            params.kernel.kernelParams = values;
            add(&params);
        }(arguments...);
    }
    void cooperative() const {
        cudaLaunchAttributeValue value = {};
        value.cooperative = 1;
        must(cudaGraphKernelNodeSetAttribute(last, cudaLaunchAttributeCooperative, &value),
             "asking for a cooperative node");
    }
    void clear(int* at) {
        cudaGraphNodeParams params = {};
        params.type = cudaGraphNodeTypeMemset;
        params.memset.dst = at;
        params.memset.elementSize = sizeof *at;
        params.memset.width = params.memset.height = 1;
        add(&params);
    }
    handle_t handle() const {
        handle_t made;
        must(cudaGraphConditionalHandleCreate(&made, graph, 0, 0), "making a handle");
        return made;
    }
    place conditional(handle_t handle, cudaGraphConditionalNodeType type) {
        cudaGraphNodeParams params = {};
        params.type = cudaGraphNodeTypeConditional;
        params.conditional.handle = handle;
        params.conditional.type = type;
        params.conditional.size = 1;
        add(&params);
        return {params.conditional.phGraph_out[0]};
    }
};

static cudaStream_t stream;
static cudaEvent_t begun, ended;

/* Microseconds of the second of two runs. */
static double microseconds(const std::function<void()>& work) {
    float milliseconds = 0;
    for (int i = 0; i < 2; i++) {
        must(cudaEventRecord(begun, stream), "recording an event");
        work();
        must(cudaEventRecord(ended, stream), "recording an event");
        must(cudaEventSynchronize(ended), "waiting");
    }
    must(cudaEventElapsedTime(&milliseconds, begun, ended), "reading the time");
    return 1e3 * milliseconds;
}

static double graph_microseconds(const std::function<void(place&)>& fill) {
    place whole;
    cudaGraphExec_t graph;
    must(cudaGraphCreate(&whole.graph, 0), "making a graph");
    fill(whole);
    must(cudaGraphInstantiate(&graph, whole.graph, 0), "instantiating a graph");
    const double time = microseconds([&] { must(cudaGraphLaunch(graph, stream), "launching a graph"); });
    must(cudaGraphExecDestroy(graph), "destroying a graph");
    must(cudaGraphDestroy(whole.graph), "destroying a graph");
    return time;
}

static int wrong = 0;
static void expect(const char* what, int value, int expected) {
    std::printf("%-44s %s (%d)\n", what, value == expected ? "right" : "WRONG", value);
    wrong += value != expected;
}

/* Rounds of a loop within a loop, whose body has all that bodies of taut have. */
static void try_bodies(int* numbers, unsigned blocks) {
    large parameter = {};
    parameter.values[1279] = 7;
    must(cudaMemset(numbers, 0, 6 * sizeof *numbers), "clearing");
    graph_microseconds([&](place& whole) {
        for (int i = 0; i < 6; i++) {
            whole.kernel(set_kernel, 1, numbers + i, 0);
        }
        const handle_t outer = whole.handle();
        whole.kernel(open_kernel, 1, outer, 1u);
        place body = whole.conditional(outer, cudaGraphCondTypeWhile);
        const handle_t inner = body.handle();
        std::printf("handles %#llx, %#llx\n", (unsigned long long)outer, (unsigned long long)inner);
        body.clear(numbers + 1);
        body.kernel(open_kernel, 1, inner, 1u);
        place round = body.conditional(inner, cudaGraphCondTypeWhile);
        round.kernel(round_kernel, 1, numbers + 1, numbers + 2, 4, inner);
        body.kernel(add_kernel, 1, numbers + 3, parameter);
        body.kernel(barrier_kernel, blocks, numbers + 4, 1);
        body.cooperative();
        body.kernel(round_kernel, 1, numbers, numbers + 5, 3, outer);
    });
    int out[6];
    must(cudaMemcpy(out, numbers, sizeof out, cudaMemcpyDeviceToHost), "reading results");
    expect("rounds of a loop", out[5], 3);
    expect("rounds of loops within it, cleared each time", out[2], 12);
    expect("parameters of 5 kB in a body", out[3], 21);
    expect("blocks of a cooperative kernel in a body", out[4], 3 * (int)blocks);
}

/* Microseconds of a round of a loop of one node, or of a condition that does not hold, beyond those of the node. */
static double conditional_microseconds(int* numbers, int rounds, double node, bool loop) {
    const double time = graph_microseconds([&](place& whole) {
        whole.kernel(set_kernel, 1, numbers, 0);
        for (int i = 0; i < (loop ? 1 : rounds); i++) {
            const handle_t handle = whole.handle();
            whole.kernel(open_kernel, 1, handle, loop ? 1u : 0u);
            place body = whole.conditional(handle, loop ? cudaGraphCondTypeWhile : cudaGraphCondTypeIf);
            body.kernel(round_kernel, 1, numbers, numbers + 1, rounds, handle);
        }
    });
    return time / rounds - node;
}

/* GB/s, reading and writing. */
static double copy_speed(size_t bytes, int rounds, cudaMemcpyKind kind) {
    void *from = nullptr, *to = nullptr;
    must(kind == cudaMemcpyDeviceToDevice ? cudaMalloc(&from, bytes) : cudaMallocHost(&from, bytes), "allocating");
    must(cudaMalloc(&to, bytes), "allocating");
    const double time = microseconds([&] {
        for (int i = 0; i < rounds; i++) {
            must(cudaMemcpyAsync(to, from, bytes, kind, stream), "copying");
        }
    });
    must(cudaFree(to), "freeing");
    must(kind == cudaMemcpyDeviceToDevice ? cudaFree(from) : cudaFreeHost(from), "freeing");
    return (kind == cudaMemcpyDeviceToDevice ? 2e-3 : 1e-3) * (double)bytes * rounds / time;
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 && std::atoi(argv[1]) > 0 ? std::atoi(argv[1]) : 1000;
    cudaDeviceProp device;
    int* numbers = nullptr;
    int kilohertz = 0;
    must(cudaGetDeviceProperties(&device, 0), "describing the device");
    must(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking for the clock");
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    must(cudaEventCreate(&begun), "creating an event");
    must(cudaEventCreate(&ended), "creating an event");
    must(cudaMalloc((void**)&numbers, 6 * sizeof *numbers), "allocating");
    const unsigned blocks = (unsigned)device.multiProcessorCount;
    try_bodies(numbers, blocks);
    const auto nodes = [&](place& whole) {
        for (int i = 0; i < rounds; i++) {
            whole.kernel(empty_kernel, 1);
        }
    };
    const double node = graph_microseconds(nodes) / rounds;
    const double launch = microseconds([&] {
                              for (int i = 0; i < rounds; i++) {
                                  empty_kernel<<<1, 32, 0, stream>>>();
                              }
                          }) /
                          rounds;
    const double barrier = graph_microseconds([&](place& whole) {
                               whole.kernel(barrier_kernel, blocks, numbers, rounds);
                               whole.cooperative();
                           }) /
                           rounds;
    const double loop = conditional_microseconds(numbers, rounds, node, true);
    const double condition = conditional_microseconds(numbers, rounds, node, false);
    const size_t small = rounds < 1000 ? 1u << 12 : 1u << 22, big = rounds < 1000 ? 1u << 14 : 1u << 28;
    const double fp64 = device.major == 8 && device.minor == 0    ? 1
                        : device.major == 9 || device.major == 10 ? 2
                                                                  : 0.0625;
    /* ipc, cpi and fp64_div stay those of the model. */
    std::printf("device,sms,clock,ipc,cpi,fp64,fp64_div,l2,l2_gbs,dram_gbs,host_gbs,node_us,launch_us,while_us,if_us,"
                "grid_barrier_us\n");
    std::printf("%s,%d,%.2f,2,5.5,%g,9,%.0f,%.0f,%.0f,%.0f,%.2f,%.2f,%.2f,%.2f,%.2f\n", device.name,
                device.multiProcessorCount, 1e-6 * kilohertz, fp64, 1e-6 * device.l2CacheSize,
                copy_speed(small, rounds, cudaMemcpyDeviceToDevice), copy_speed(big, 8, cudaMemcpyDeviceToDevice),
                copy_speed(big, 4, cudaMemcpyHostToDevice), node, launch, loop, condition, barrier);
    return wrong > 0;
}
