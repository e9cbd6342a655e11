// The calls of CUDA about graphics over copies through the host: preloaded, for machines on which CUDA, or what stands
// for it, and OpenGL do not share a device. A buffer is mapped as memory of its own.
//
// TAUT_TEST_GRAPHICS=refuse: no buffer can be registered; once: none can be mapped twice; forget: what was written to
// a mapped buffer is lost. TAUT_TEST_GRAPHICS_COUNT: a file that receives how often buffers were unmapped.
#include <cuda_runtime_api.h>
#include <epoxy/gl.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

struct cudaGraphicsResource {
    GLuint buffer;
    void* memory;
    GLint bytes;
};

namespace {

struct Counter {
    int unmapped = 0;
    ~Counter() {
        const char* file = getenv("TAUT_TEST_GRAPHICS_COUNT");
        if (file && unmapped > 0) {
            std::ofstream(file) << unmapped;
        }
    }
} counter;

bool told(const char* what) {
    const char* mode = getenv("TAUT_TEST_GRAPHICS");
    return mode && std::string(mode) == what;
}

cudaError_t store(const cudaGraphicsResource& r, cudaStream_t stream) {
    std::vector<char> values((size_t)r.bytes);
    cudaError_t error = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) {
        error = cudaMemcpy(values.data(), r.memory, values.size(), cudaMemcpyDeviceToHost);
    }
    if (error == cudaSuccess) {
        glBindBuffer(GL_COPY_WRITE_BUFFER, r.buffer);
        glBufferSubData(GL_COPY_WRITE_BUFFER, 0, r.bytes, values.data());
    }
    return error;
}

} // namespace

#define CALL extern "C" __attribute__((visibility("default"))) cudaError_t

CALL cudaGraphicsGLRegisterBuffer(cudaGraphicsResource** resource, GLuint buffer, unsigned) {
    if (told("refuse")) {
        return cudaErrorOperatingSystem; // as where OpenGL draws in software
    }
    *resource = new cudaGraphicsResource{buffer, nullptr, 0};
    return cudaSuccess;
}

CALL cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
    delete resource;
    return cudaSuccess;
}

CALL cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t) {
    for (int i = 0; i < count; i++) {
        cudaGraphicsResource& r = *resources[i];
        if ((told("once") && counter.unmapped > 0) || r.memory) {
            return cudaErrorMapBufferObjectFailed;
        }
        glBindBuffer(GL_COPY_WRITE_BUFFER, r.buffer);
        glGetBufferParameteriv(GL_COPY_WRITE_BUFFER, GL_BUFFER_SIZE, &r.bytes);
        const cudaError_t error = cudaMalloc(&r.memory, (size_t)r.bytes);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

CALL cudaGraphicsResourceGetMappedPointer(void** pointer, size_t* bytes, cudaGraphicsResource_t resource) {
    *pointer = resource->memory;
    *bytes = (size_t)resource->bytes;
    return resource->memory ? cudaSuccess : cudaErrorNotMapped;
}

CALL cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t stream) {
    for (int i = 0; i < count; i++) {
        cudaGraphicsResource& r = *resources[i];
        const cudaError_t error = !r.memory        ? cudaErrorNotMapped
                                  : told("forget") ? cudaStreamSynchronize(stream)
                                                   : store(r, stream);
        if (error != cudaSuccess) {
            return error;
        }
        cudaFree(r.memory);
        r.memory = nullptr;
        counter.unmapped++;
    }
    return cudaSuccess;
}
