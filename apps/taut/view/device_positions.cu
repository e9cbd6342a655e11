#include "device_positions.h"

#include <algorithm>
#include <cfloat>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <numeric>

#define THREADS     128
#define MOST_BLOCKS 64 /* of the kernel that looks for the extent; the host takes the last step */

namespace {

/* ---- kernels -------------------------------------------------------------------------------------------------- */

// Arrays of the device.
struct Surfaces {
    uint32_t vertices;
    const uint32_t* points;  // vertices
    const uint32_t* corners; // triangles x 3: points
    const uint32_t* offsets; // vertices + 1: into `around`
    const uint32_t* around;  // the triangles at each vertex, ascending
};

struct Extent {
    float low[3], high[3];
};

__device__ float3 at(const float* x, uint32_t point) {
    return make_float3(x[3 * point], x[3 * point + 1], x[3 * point + 2]);
}

__device__ float3 minus(float3 a, float3 b) {
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

// Twice the area of a triangle along its normal.
__device__ float3 area(const float* x, const uint32_t* corner) {
    const float3 a = at(x, corner[0]), u = minus(at(x, corner[1]), a), v = minus(at(x, corner[2]), a);
    return make_float3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x);
}

// As Display::show_surface: each vertex adds up the triangles around it, in their order.
__global__ void place_vertices(Surfaces s, const float* x, Placed* out) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.vertices) {
        return;
    }
    float3 n = make_float3(0, 0, 0);
    for (uint32_t k = s.offsets[i]; k < s.offsets[i + 1]; k++) {
        const float3 one = area(x, s.corners + 3 * s.around[k]);
        n = make_float3(n.x + one.x, n.y + one.y, n.z + one.z);
    }
    const float length = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z), scale = length > 0 ? 1 / length : 0;
    const float3 p = at(x, s.points[i]);
    out[i] = {{p.x, p.y, p.z}, {scale * n.x, length > 0 ? scale * n.y : 1, scale * n.z}};
}

// One extent of each block.
__global__ void find_extent(Surfaces s, const float* x, Extent* out) {
    __shared__ Extent all[THREADS];
    Extent own = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < s.vertices; i += gridDim.x * THREADS) {
        for (int a = 0; a < 3; a++) {
            const float place = x[3 * s.points[i] + a];
            own.low[a] = fminf(own.low[a], place);
            own.high[a] = fmaxf(own.high[a], place);
        }
    }
    all[threadIdx.x] = own;
    for (uint32_t half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int a = 0; a < 3 && threadIdx.x < half; a++) {
            Extent& kept = all[threadIdx.x];
            kept.low[a] = fminf(kept.low[a], all[threadIdx.x + half].low[a]);
            kept.high[a] = fmaxf(kept.high[a], all[threadIdx.x + half].high[a]);
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = all[0];
    }
}

uint32_t blocks_for(uint32_t count) {
    return (count + THREADS - 1) / THREADS;
}

/* ---- what CUDA has -------------------------------------------------------------------------------------------- */

// What fails here is drawn by the host, and must not be found by those who ask for the last error.
bool good(cudaError_t error) {
    return error == cudaSuccess || (cudaGetLastError(), false);
}

// The calls about graphics are looked for when they are wanted: the runtime of an emulator may be without them, and a
// program that is linked with them would not start there.
struct Graphics {
    using Change = cudaError_t(int, cudaGraphicsResource_t*, cudaStream_t);
    cudaError_t (*add)(cudaGraphicsResource_t*, unsigned, unsigned);
    cudaError_t (*remove)(cudaGraphicsResource_t);
    Change *map, *unmap;
    cudaError_t (*pointer)(void**, size_t*, cudaGraphicsResource_t);

    bool found() const { return add && remove && map && unmap && pointer; }
};

template <class Call> void find(Call*& call, const char* name) {
    call = reinterpret_cast<Call*>(dlsym(RTLD_DEFAULT, name));
}

const Graphics& graphics() {
    static const Graphics calls = [] {
        Graphics g;
        find(g.add, "cudaGraphicsGLRegisterBuffer");
        find(g.remove, "cudaGraphicsUnregisterResource");
        find(g.map, "cudaGraphicsMapResources");
        find(g.unmap, "cudaGraphicsUnmapResources");
        find(g.pointer, "cudaGraphicsResourceGetMappedPointer");
        return g;
    }();
    return calls;
}

// The device of the world; that of the thread comes back.
class OnDevice {
  public:
    explicit OnDevice(int device) {
        cudaGetDevice(&before_);
        cudaSetDevice(device);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() { cudaSetDevice(before_); }

  private:
    int before_ = 0;
};

template <class T> class Array {
  public:
    Array() = default;
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() { cudaFree(data_); }

    bool make(size_t count) { return good(cudaMalloc(&data_, std::max<size_t>(count, 1) * sizeof(T))); }
    bool make(const std::vector<T>& values, cudaStream_t stream) {
        return make(values.size()) &&
               good(cudaMemcpyAsync(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream)) &&
               good(cudaStreamSynchronize(stream));
    }
    T* data() const { return data_; }

  private:
    T* data_ = nullptr;
};

/* ---- shared positions ----------------------------------------------------------------------------------------- */

class CudaPositions : public DevicePositions {
  public:
    CudaPositions(int device, size_t points) : device_(device), points_(points) {}
    ~CudaPositions() override;
    bool open(unsigned buffer, const std::vector<uint32_t>& sources, const std::vector<uint32_t>& triangles);

    bool take(const taut_array& positions, float* low, float* high) override;
    bool read(float* positions) override;
    bool fill() override;

  private:
    // Apart from the class, so that it is freed on the device.
    struct Memory {
        Array<float> frame; // positions of the world as they were taken
        Array<uint32_t> sources, corners, offsets, around;
        Array<Extent> extents;
    };
    bool list(const std::vector<uint32_t>& sources, const std::vector<uint32_t>& triangles);
    Surfaces surfaces() const {
        return {vertices_, memory_->sources.data(), memory_->corners.data(), memory_->offsets.data(),
                memory_->around.data()};
    }

    int device_;
    size_t points_; // of the world
    uint32_t vertices_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaGraphicsResource_t buffer_ = nullptr;
    std::unique_ptr<Memory> memory_;
};

CudaPositions::~CudaPositions() {
    const OnDevice here(device_);
    if (buffer_) {
        good(graphics().remove(buffer_));
    }
    memory_.reset();
    if (stream_) {
        good(cudaStreamDestroy(stream_));
    }
}

bool CudaPositions::open(unsigned buffer, const std::vector<uint32_t>& sources,
                         const std::vector<uint32_t>& triangles) {
    const OnDevice here(device_);
    return graphics().found() && good(graphics().add(&buffer_, buffer, cudaGraphicsRegisterFlagsWriteDiscard)) &&
           good(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)) && list(sources, triangles);
}

// The triangles around each vertex.
bool CudaPositions::list(const std::vector<uint32_t>& sources, const std::vector<uint32_t>& triangles) {
    vertices_ = (uint32_t)sources.size();
    memory_ = std::make_unique<Memory>();
    std::vector<uint32_t> offsets(vertices_ + 1, 0), around(triangles.size()), corners(triangles.size());
    for (size_t c = 0; c < triangles.size(); c++) {
        offsets[triangles[c] + 1]++;
        corners[c] = sources[triangles[c]];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (size_t c = 0; c < triangles.size(); c++) {
        around[next[triangles[c]]++] = (uint32_t)(c / 3);
    }
    return memory_->sources.make(sources, stream_) && memory_->corners.make(corners, stream_) &&
           memory_->offsets.make(offsets, stream_) && memory_->around.make(around, stream_) &&
           memory_->frame.make(3 * points_) && memory_->extents.make(MOST_BLOCKS);
}

bool CudaPositions::take(const taut_array& positions, float* low, float* high) {
    const OnDevice here(device_);
    const uint32_t blocks = std::min<uint32_t>(blocks_for(vertices_), MOST_BLOCKS);
    const size_t row = 3 * sizeof(float);
    Extent found[MOST_BLOCKS];
    if (positions.rows != points_ ||
        !good(cudaMemcpy2DAsync(memory_->frame.data(), row, positions.data, positions.stride, row, points_,
                                cudaMemcpyDeviceToDevice, stream_))) {
        return false;
    }
    find_extent<<<blocks, THREADS, 0, stream_>>>(surfaces(), memory_->frame.data(), memory_->extents.data());
    if (!good(cudaGetLastError()) ||
        !good(
            cudaMemcpyAsync(found, memory_->extents.data(), blocks * sizeof *found, cudaMemcpyDeviceToHost, stream_)) ||
        !good(cudaStreamSynchronize(stream_))) {
        return false;
    }
    for (int a = 0; a < 3; a++) {
        low[a] = found[0].low[a];
        high[a] = found[0].high[a];
        for (uint32_t i = 1; i < blocks; i++) {
            low[a] = std::min(low[a], found[i].low[a]);
            high[a] = std::max(high[a], found[i].high[a]);
        }
    }
    return true;
}

bool CudaPositions::read(float* positions) {
    const OnDevice here(device_);
    return good(cudaMemcpyAsync(positions, memory_->frame.data(), 3 * points_ * sizeof(float), cudaMemcpyDeviceToHost,
                                stream_)) &&
           good(cudaStreamSynchronize(stream_));
}

bool CudaPositions::fill() {
    const OnDevice here(device_);
    void* out = nullptr;
    size_t bytes = 0;
    if (!good(graphics().map(1, &buffer_, stream_))) {
        return false;
    }
    bool placed = good(graphics().pointer(&out, &bytes, buffer_)) && bytes >= vertices_ * sizeof(Placed);
    if (placed) {
        place_vertices<<<blocks_for(vertices_), THREADS, 0, stream_>>>(surfaces(), memory_->frame.data(), (Placed*)out);
        placed = good(cudaGetLastError());
    }
    return good(graphics().unmap(1, &buffer_, stream_)) && placed;
}

} // namespace

std::unique_ptr<DevicePositions> open_device_positions(const taut_array& positions, unsigned buffer,
                                                       const std::vector<uint32_t>& points,
                                                       const std::vector<uint32_t>& triangles) {
    cudaPointerAttributes where;
    if (!positions.on_device || !good(cudaPointerGetAttributes(&where, positions.data))) {
        return nullptr;
    }
    auto made = std::make_unique<CudaPositions>(where.device, positions.rows);
    return made->open(buffer, points, triangles) ? std::move(made) : nullptr;
}
