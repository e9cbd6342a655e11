/* Sorting with CUB, at the creation of a world. */
#include "kernels/cuda/build.cuh"
#include "kernels/cuda/state.cuh"

#include <cub/device/device_radix_sort.cuh>

/* Device memory until the end of the scope. */
class scratch {
  public:
    scratch() = default;
    ~scratch() { cudaFree(memory_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    cudaError_t allocate(size_t bytes) { return cudaMalloc(&memory_, bytes > 0 ? bytes : 1); }
    template <class T> T* as() const { return (T*)memory_; }

  private:
    void* memory_ = nullptr;
};

/* Keys and values in device memory, with as much again to sort into. */
template <class Key> class pairs {
  public:
    cudaError_t allocate(size_t count) {
        cudaError_t error = all_keys_.allocate(2 * count * sizeof(Key));
        if (error == cudaSuccess) {
            error = all_values_.allocate(2 * count * sizeof(uint32_t));
        }
        keys = cub::DoubleBuffer<Key>(all_keys_.template as<Key>(), all_keys_.template as<Key>() + count);
        values = cub::DoubleBuffer<uint32_t>(all_values_.template as<uint32_t>(),
                                             all_values_.template as<uint32_t>() + count);
        return error;
    }
    /* By the lowest `bits` of the keys, stably; waits. */
    cudaError_t sort(size_t count, int bits, cudaStream_t stream) {
        size_t bytes = 0;
        scratch temporary;
        cudaGetLastError(); /* CUB takes an error of the program's for its own */
        cudaError_t error = cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, count, 0, bits, stream);
        if (error == cudaSuccess) {
            error = temporary.allocate(bytes);
        }
        if (error == cudaSuccess) {
            error = cub::DeviceRadixSort::SortPairs(temporary.as<void>(), bytes, keys, values, count, 0, bits, stream);
        }
        return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
    }
    cub::DoubleBuffer<Key> keys;
    cub::DoubleBuffer<uint32_t> values;

  private:
    scratch all_keys_, all_values_;
};

/* ---- sorting for the host ---------------------------------------------------------------------------------------- */

static cudaError_t sort_on_device(uint64_t* keys, uint32_t* values, size_t count) {
    const cudaStream_t stream = cudaStreamPerThread;
    const size_t key_bytes = count * sizeof *keys, value_bytes = count * sizeof *values;
    pairs<uint64_t> on_device;
    cudaError_t error = on_device.allocate(count);
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync(on_device.keys.Current(), keys, key_bytes, cudaMemcpyHostToDevice, stream);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync(on_device.values.Current(), values, value_bytes, cudaMemcpyHostToDevice, stream);
    }
    if (error == cudaSuccess) {
        error = on_device.sort(count, 64, stream);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync(keys, on_device.keys.Current(), key_bytes, cudaMemcpyDeviceToHost, stream);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpyAsync(values, on_device.values.Current(), value_bytes, cudaMemcpyDeviceToHost, stream);
    }
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

taut_status cuda_sort(int device, uint64_t* keys, uint32_t* values, size_t count, const taut_allocator*) {
    if (count < 2) {
        return TAUT_OK;
    }
    int current = 0;
    taut_status status = taut_cuda_check(cudaGetDevice(&current), "asking for the device");
    if (status == TAUT_OK) {
        const taut_device_scope scope(device >= 0 ? device : current);
        status = taut_cuda_check(scope.error(), "choosing the device");
        if (status == TAUT_OK) {
            status = taut_cuda_check(sort_on_device(keys, values, count), "sorting");
        }
    }
    return status;
}

/* ---- incidence --------------------------------------------------------------------------------------------------- */

/* Entries of a kind, each with its node. */
static __global__ void entries_kernel(const __grid_constant__ taut_view view, int k, uint32_t* nodes,
                                      uint32_t* entries) {
    const size_t e = thread_index();
    if (e < view.s.entries[k]) {
        nodes[e] = k == TAUT_LINEAR ? view.f.linear_coordinate[e] / 3 : view.f.kinds[k].nodes[e];
        entries[e] = (uint32_t)e;
    }
}

/* offsets[n] = the first of the sorted entries whose node is not below n */
static __global__ void offsets_kernel(const __grid_constant__ taut_view view, int k, const uint32_t* nodes) {
    const size_t n = thread_index();
    if (n > view.s.nodes) {
        return;
    }
    size_t low = 0, high = view.s.entries[k];
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (nodes[middle] < n) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    view.f.kinds[k].offsets[n] = (uint32_t)low;
}

int cuda_key_bits(size_t value) {
    int bits = 1;
    while (bits < 32 && value >> bits != 0) {
        bits++;
    }
    return bits;
}

void cuda_offsets(const taut_view& view, int k, const uint32_t* nodes, taut_launch* launch) {
    TAUT_LAUNCH(launch, offsets_kernel, taut_grid(view.s.nodes + 1), view, k, nodes);
}

static cudaError_t build_kind(const taut_view& view, int k, cudaStream_t stream) {
    const size_t entries = view.s.entries[k];
    taut_launch launch = {stream, cudaSuccess};
    pairs<uint32_t> sorted;
    cudaError_t error = sorted.allocate(entries);
    if (error != cudaSuccess) {
        return error;
    }
    TAUT_LAUNCH(&launch, entries_kernel, taut_grid(entries), view, k, sorted.keys.Current(), sorted.values.Current());
    error = launch.error != cudaSuccess ? launch.error : sorted.sort(entries, cuda_key_bits(view.s.nodes), stream);
    if (error != cudaSuccess) {
        return error;
    }
    cuda_offsets(view, k, sorted.keys.Current(), &launch);
    error = cudaMemcpyAsync(view.f.kinds[k].incidence, sorted.values.Current(), entries * sizeof(uint32_t),
                            cudaMemcpyDeviceToDevice, stream);
    if (error == cudaSuccess) {
        error = launch.error;
    }
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

taut_status cuda_build_incidence(const taut_view& view, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    for (int k = 0; error == cudaSuccess && k < TAUT_KIND_COUNT; k++) {
        error = view.s.count[k] > 0 && k < (int)TAUT_CONTACT /* those each step */ ? build_kind(view, k, stream)
                                                                                   : cudaSuccess;
    }
    return taut_cuda_check(error, "sorting the incidence");
}
