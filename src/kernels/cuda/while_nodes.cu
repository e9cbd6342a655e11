/* Graphs within the step's graph: WHILE nodes, and what their bodies hold. */
#include "kernels/cuda/solve.cuh"

static void keep(taut_launch* launch, cudaError_t error) {
    launch->error = launch->error == cudaSuccess ? error : launch->error;
}

/* ---- nodes of a body --------------------------------------------------------------------------------------------- */

void body_add(taut_launch* launch, cudaGraphNodeParams* params) {
    cudaGraphNode_t node = NULL;
    if (launch->error == cudaSuccess) {
        keep(launch, cudaGraphAddNode(&node, launch->body, &launch->last, NULL, launch->last != NULL, params));
        launch->last = node;
    }
}

void taut_clear(taut_launch* launch, void* at, size_t bytes) {
    if (launch->error != cudaSuccess) {
        return;
    }
    if (launch->body == NULL) {
        launch->error = cudaMemsetAsync(at, 0, bytes, launch->stream);
        return;
    }
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = at;
    params.memset.elementSize = 1;
    params.memset.width = bytes;
    params.memset.height = 1;
    body_add(launch, &params);
}

void taut_copy(taut_launch* launch, void* to, const void* from, size_t bytes) {
    if (launch->error != cudaSuccess) {
        return;
    }
    if (launch->body == NULL) {
        launch->error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, launch->stream);
        return;
    }
    cudaGraphNodeParams params = {};
    cudaMemcpy3DParms* copy = &params.memcpy.copyParams;
    params.type = cudaGraphNodeTypeMemcpy;
    copy->srcPtr = make_cudaPitchedPtr((void*)from, bytes, bytes, 1);
    copy->dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
    copy->extent = make_cudaExtent(bytes, 1, 1);
    copy->kind = cudaMemcpyDeviceToDevice;
    body_add(launch, &params);
}

taut_launch taut_outside(taut_launch* launch) {
    taut_launch outside = *launch;
    cudaGetLastError(); /* libraries take an error of the program's for their own */
    if (launch->body != NULL && launch->error == cudaSuccess) {
        keep(&outside, cudaStreamCreateWithFlags(&outside.stream, cudaStreamNonBlocking));
        keep(&outside, outside.error == cudaSuccess
                           ? cudaStreamBeginCapture(outside.stream, cudaStreamCaptureModeRelaxed)
                           : cudaSuccess);
    }
    return outside;
}

void taut_inside(taut_launch* launch, taut_launch* outside) {
    cudaGraph_t graph = NULL;
    const bool begun = launch->body != NULL && launch->error == cudaSuccess && outside->stream != launch->stream;
    if (begun) {
        keep(outside, cudaStreamEndCapture(outside->stream, &graph));
        keep(outside, cudaStreamDestroy(outside->stream));
    }
    keep(launch, outside->error);
    if (graph != NULL) {
        cudaGraphNodeParams params = {};
        params.type = cudaGraphNodeTypeGraph;
        params.graph.graph = graph;
        body_add(launch, &params);
        keep(launch, cudaGraphDestroy(graph)); /* the node has a copy */
    }
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* The graph that `launch` adds to, and what its next node depends on. */
static cudaGraph_t current_graph(taut_launch* launch, const cudaGraphNode_t** dependencies, size_t* count) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = launch->body;
    const cudaGraphEdgeData* edges = NULL;
    *dependencies = &launch->last;
    *count = launch->last != NULL;
    if (graph == NULL) {
        keep(launch, cudaStreamGetCaptureInfo(launch->stream, &status, NULL, &graph, dependencies, &edges, count));
    }
    return graph;
}

void while_handle(taut_launch* launch, taut_while* loop) {
    const cudaGraphNode_t* dependencies = NULL;
    size_t count = 0;
    cudaGraph_t graph = current_graph(launch, &dependencies, &count);
    if (launch->error == cudaSuccess) {
        keep(launch, cudaGraphConditionalHandleCreate(&loop->handle.handle, graph, 0, 0));
        loop->handle.present = launch->error == cudaSuccess;
    }
}

void while_begin(taut_launch* launch, taut_while* loop) {
    const cudaGraphNode_t* dependencies = NULL;
    size_t count = 0;
    cudaGraph_t graph = current_graph(launch, &dependencies, &count);
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = loop->handle.handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node = NULL;
    if (launch->error == cudaSuccess) {
        keep(launch, cudaGraphAddNode(&node, graph, dependencies, NULL, count, &params));
    }
    if (launch->error == cudaSuccess && launch->body == NULL) {
        keep(launch,
             cudaStreamUpdateCaptureDependencies(launch->stream, &node, NULL, 1, cudaStreamSetCaptureDependencies));
    }
    loop->outside = *launch;
    loop->outside.last = node;
    if (launch->error == cudaSuccess) {
        launch->body = params.conditional.phGraph_out[0];
        launch->last = NULL;
    }
}

void while_end(taut_launch* launch, taut_while* loop) {
    const cudaError_t error = launch->error;
    *launch = loop->outside;
    launch->error = error;
}
