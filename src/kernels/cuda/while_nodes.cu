/* WHILE nodes in a capture. */
#include "kernels/cuda/solve.cuh"

static void keep(taut_launch* launch, cudaError_t error) {
    launch->error = launch->error == cudaSuccess ? error : launch->error;
}

/* The graph that `launch` captures into, and what its next node depends on. */
static cudaGraph_t capturing(taut_launch* launch, const cudaGraphNode_t** dependencies, size_t* count) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    const cudaGraphEdgeData* edges = NULL;
    keep(launch, cudaStreamGetCaptureInfo(launch->stream, &status, NULL, &graph, dependencies, &edges, count));
    return graph;
}

void while_handle(taut_launch* launch, taut_while* loop) {
    const cudaGraphNode_t* dependencies = NULL;
    size_t count = 0;
    cudaGraph_t graph = capturing(launch, &dependencies, &count);
    if (launch->error == cudaSuccess) {
        keep(launch, cudaGraphConditionalHandleCreate(&loop->handle, graph, 0, 0));
        keep(launch, loop->handle != 0 ? cudaSuccess : cudaErrorUnknown); /* which kernels take for no loop */
    }
}

void while_begin(taut_launch* launch, cudaStream_t inside, taut_while* loop) {
    const cudaGraphNode_t* dependencies = NULL;
    size_t count = 0;
    cudaGraph_t graph = capturing(launch, &dependencies, &count);
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = loop->handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node = NULL;
    if (launch->error == cudaSuccess) {
        keep(launch, cudaGraphAddNode(&node, graph, dependencies, NULL, count, &params));
    }
    if (launch->error == cudaSuccess) {
        keep(launch,
             cudaStreamUpdateCaptureDependencies(launch->stream, &node, NULL, 1, cudaStreamSetCaptureDependencies));
    }
    loop->outside = launch->stream;
    if (launch->error == cudaSuccess) {
        loop->body = params.conditional.phGraph_out[0];
        keep(launch, cudaStreamBeginCaptureToGraph(inside, loop->body, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
        loop->inside = launch->error == cudaSuccess ? inside : NULL;
    }
    launch->stream = inside;
}

void while_end(taut_launch* launch, taut_while* loop) {
    cudaGraph_t graph = NULL;
    if (loop->inside != NULL) {
        keep(launch, cudaStreamEndCapture(loop->inside, &graph));
    }
    launch->stream = loop->outside;
}
