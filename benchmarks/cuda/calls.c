#include "calls.h"

#include <cuda_runtime_api.h>

static call_counts counts;
static graph_shape shape;
static cudaGraph_t bodies[CALLS_MOST_BODIES];
static size_t body_count;

void calls_reset(void) {
    counts = (call_counts){0};
    shape = (graph_shape){0};
    body_count = 0;
}

call_counts calls_read(void) {
    return counts;
}

graph_shape calls_graph(void) {
    return shape;
}

/* Defines __wrap_NAME, which counts and calls on, and declares the __real_NAME behind it. */
#define COUNTED(counter, name, parameters, ...)                                                                        \
    cudaError_t __real_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters {                                                                             \
        counts.counter++;                                                                                              \
        return __real_##name(__VA_ARGS__);                                                                             \
    }

/* What a launch with <<< >>> comes to. */
COUNTED(launches, __cudaLaunchKernel,
        (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream), kernel,
        grid, block, arguments, shared, stream)
COUNTED(launches, cudaLaunchKernelExC, (const cudaLaunchConfig_t* config, const void* kernel, void** arguments), config,
        kernel, arguments)
COUNTED(launches, cudaLaunchCooperativeKernel,
        (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream), kernel, grid,
        block, arguments, shared, stream)
COUNTED(graph_launches, cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), graph, stream)
COUNTED(synchronisations, cudaStreamSynchronize, (cudaStream_t stream), stream)
COUNTED(synchronisations, cudaEventSynchronize, (cudaEvent_t event), event)
COUNTED(synchronisations, cudaDeviceSynchronize, (void), )
COUNTED(synchronisations, cudaMemcpy, (void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind), to, from,
        bytes, kind)
COUNTED(copies, cudaMemcpyAsync,
        (void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream), to, from, bytes,
        kind, stream)
COUNTED(allocations, cudaMalloc, (void** memory, size_t bytes), memory, bytes)
COUNTED(allocations, cudaMallocHost, (void** memory, size_t bytes), memory, bytes)

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

cudaError_t __real_cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    const cudaGraphEdgeData* edges, size_t count, struct cudaGraphNodeParams* params);
cudaError_t __wrap_cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    const cudaGraphEdgeData* edges, size_t count, struct cudaGraphNodeParams* params);
cudaError_t __wrap_cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    const cudaGraphEdgeData* edges, size_t count, struct cudaGraphNodeParams* params) {
    const cudaError_t error = __real_cudaGraphAddNode(node, graph, dependencies, edges, count, params);
    const unsigned most =
        error == cudaSuccess && params->type == cudaGraphNodeTypeConditional ? params->conditional.size : 0;
    for (unsigned i = 0; i < most && body_count < CALLS_MOST_BODIES; i++) {
        bodies[body_count++] = params->conditional.phGraph_out[i];
    }
    return error;
}

static size_t node_count(cudaGraph_t graph) {
    size_t count = 0;
    return cudaGraphGetNodes(graph, NULL, &count) == cudaSuccess ? count : 0;
}

cudaError_t __real_cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags);
cudaError_t __wrap_cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags);
cudaError_t __wrap_cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) {
    shape.nodes = node_count(graph);
    shape.bodies = body_count;
    for (size_t i = 0; i < body_count; i++) {
        shape.body_nodes[i] = node_count(bodies[i]);
    }
    body_count = 0; /* the bodies of the next graph are its own */
    return __real_cudaGraphInstantiate(made, graph, flags);
}
